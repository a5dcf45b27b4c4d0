//! Mutants of a source file: small changes, each behind a switch that is read when the program runs, so that one build
//! has all of them.
//!
//! Source: Untch, Offutt, Harrold (1993), mutant schemata.

use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprIf, Lit, Stmt, UnOp};

/// The path of the functions of `copy/switch.rs` in the copy of the project.
const SWITCH: &str = "::bouton_base::mutants";

/// The sort of mutants to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Exchanged operators, negated conditions, numbers off by one, statements left out.
    Token,
    /// Conditions of a refusal that are left out.
    Condition,
}

/// A small change of a source file.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The change in words.
    pub change: String,
    /// The lines that it touches, from 1.
    pub lines: Range<usize>,
    edits: Vec<Edit>,
}

/// A text in place of a part of the file; the mutant's number stands where it has `{id}`.
#[derive(Clone, Debug)]
struct Edit {
    at: Range<usize>,
    text: String,
    /// The order among edits at one place: closings, replacements, openings.
    order: (u8, i64),
}

/// Returns the mutants of a file outside of its tests.
pub fn mutants(text: &str, sort: Sort) -> Vec<Mutant> {
    let code = text.split("\n#[cfg(test)]\n").next().unwrap_or(text);
    let file = syn::parse_file(text).expect("a file that compiles");
    let mut finder = Finder { sort, end: code.len(), found: Vec::new(), opened: 0 };
    finder.visit_file(&file);
    finder.found
}

/// Returns the file with switches for these mutants, each with its number.
pub fn rewrite(text: &str, mutants: &[(u32, &Mutant)]) -> String {
    let numbered = |(id, mutant): &(u32, &Mutant)| {
        let id = id.to_string();
        mutant.edits.iter().map(|edit| (edit.clone(), edit.text.replace("{id}", &id))).collect::<Vec<_>>()
    };
    let mut edits: Vec<(Edit, String)> = mutants.iter().flat_map(numbered).collect();
    edits.sort_by_key(|(edit, _)| (edit.at.start, edit.order));
    let (mut written, mut copied) = (String::new(), 0);
    for (edit, new) in edits {
        written += &text[copied..edit.at.start];
        written += &new;
        // Errors of the compiler are found by their lines.
        let breaks = text[edit.at.clone()].matches('\n').count();
        written.extend(std::iter::repeat_n('\n', breaks));
        copied = edit.at.end;
    }
    written + &text[copied..]
}

/// Collects mutants in the order of the text.
struct Finder {
    sort: Sort,
    /// The end of the part without tests.
    end: usize,
    found: Vec<Mutant>,
    /// The number of expressions so far: inner ones come later.
    opened: i64,
}

fn range(of: &impl Spanned) -> Range<usize> {
    of.span().byte_range()
}

impl Finder {
    fn add(&mut self, of: &impl Spanned, change: impl Into<String>, edits: Vec<Edit>) {
        let span = of.span();
        if span.byte_range().end <= self.end {
            let lines = span.start().line..span.end().line + 1;
            self.found.push(Mutant { change: change.into(), lines, edits });
        }
    }

    /// Puts texts around a part of the file.
    fn around(&mut self, at: &Range<usize>, before: String, after: &str) -> [Edit; 2] {
        self.opened += 1;
        let text = |at: usize, text: String, order| Edit { at: at..at, text, order };
        [text(at.start, before, (2, self.opened)), text(at.end, after.into(), (0, -self.opened))]
    }

    /// Replaces the text between two parts.
    fn between(a: &Range<usize>, b: &Range<usize>, text: &str) -> Edit {
        Edit { at: a.end..b.start, text: text.into(), order: (1, 0) }
    }

    /// Replaces an expression of two operands by a call.
    fn call(&mut self, name: &str, by: &str, whole: &Expr, (a, b): (&Expr, &Expr), change: String) {
        let (a, b) = (range(a), range(b));
        let separator = if by.is_empty() { "), (" } else { "), &(" };
        let [open, close] = self.around(&range(whole), format!("{SWITCH}::{name}({{id}}, {by}("), "))");
        self.add(whole, change, vec![open, Self::between(&a, &b, separator), close]);
    }

    /// Makes an operand of `&&` always true, or one of `||` always false.
    fn operand(&mut self, operand: &Expr, and: bool) {
        if !is_plain_condition(operand) {
            return;
        }
        let (before, word) = match and {
            true => (format!("({SWITCH}::on({{id}}) || ("), "an operand of && left out"),
            false => (format!("(!{SWITCH}::on({{id}}) && ("), "an operand of || left out"),
        };
        let edits = self.around(&range(operand), before, "))");
        self.add(operand, word, edits.into());
    }

    /// Leaves out the condition of a refusal.
    fn no_refusal(&mut self, condition: &Expr, reason: String) {
        let off = format!("!{SWITCH}::on({{id}}) && ");
        let edits = match is_plain_condition(condition) {
            true => self.around(&range(condition), format!("({off}("), "))"),
            false => self.around(&range(condition), off, ""),
        };
        self.add(condition, reason, edits.into());
    }

    fn binary(&mut self, whole: &Expr, left: &Expr, op: &BinOp, right: &Expr) {
        let pair = (left, right);
        match op {
            BinOp::Lt(_) => self.call("lt", "&", whole, pair, "< becomes <=".into()),
            BinOp::Le(_) => self.call("le", "&", whole, pair, "<= becomes <".into()),
            BinOp::Gt(_) => self.call("gt", "&", whole, pair, "> becomes >=".into()),
            BinOp::Ge(_) => self.call("ge", "&", whole, pair, ">= becomes >".into()),
            BinOp::Add(_) => self.call("plus", "", whole, pair, "+ becomes -".into()),
            BinOp::Sub(_) => self.call("minus", "", whole, pair, "- becomes +".into()),
            BinOp::Eq(_) | BinOp::Ne(_) => {
                let change = if matches!(op, BinOp::Eq(_)) { "== becomes !=" } else { "!= becomes ==" };
                let edits = self.around(&range(whole), format!("({SWITCH}::on({{id}}) ^ ("), "))");
                self.add(whole, change, edits.into());
            }
            BinOp::And(_) | BinOp::Or(_) => {
                for operand in [left, right] {
                    self.operand(operand, matches!(op, BinOp::And(_)));
                }
            }
            _ => {}
        }
    }

    fn method_call(&mut self, whole: &Expr, call: &syn::ExprMethodCall) {
        let method = call.method.to_string();
        let new = match (method.as_str(), call.args.len()) {
            ("min", 0) => "least",
            ("max", 0) => "greatest",
            ("min" | "max" | "any" | "all", 1) => &method,
            _ => return,
        };
        let change = match method.as_str() {
            "min" => "min becomes max",
            "max" => "max becomes min",
            "any" => "any becomes all",
            _ => "all becomes any",
        };
        let (receiver, all) = (range(&*call.receiver), range(whole));
        let [open, close] = self.around(&receiver, format!("{SWITCH}::{new}({{id}}, ("), ")");
        let mut edits = vec![open, close];
        match call.args.first() {
            Some(argument) => {
                edits.push(Self::between(&receiver, &range(argument), ", "));
            }
            None => edits.push(Edit { at: receiver.end..all.end, text: ")".into(), order: (1, 0) }),
        }
        self.add(whole, change, edits);
    }

    fn literal(&mut self, whole: &Expr, lit: &Lit) {
        let (new, change) = match lit {
            Lit::Int(number) => {
                let Ok(value) = number.base10_parse::<u64>() else { return };
                let new = format!("{}{}", value + 1, number.suffix());
                (new, format!("{value} becomes {}", value + 1))
            }
            Lit::Bool(truth) => {
                let new = (!truth.value).to_string();
                let change = format!("{} becomes {new}", truth.value);
                (new, change)
            }
            _ => return,
        };
        let edits =
            self.around(&range(whole), format!("(if {SWITCH}::on({{id}}) {{ {new} }} else {{ "), " })");
        self.add(whole, change, edits.into());
    }

    fn token(&mut self, expression: &Expr) {
        match expression {
            Expr::Binary(binary) => self.binary(expression, &binary.left, &binary.op, &binary.right),
            Expr::MethodCall(call) => self.method_call(expression, call),
            Expr::Lit(literal) => self.literal(expression, &literal.lit),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                let at = range(&*unary.expr);
                let whole = range(expression);
                let sign = Edit { at: whole.start..at.start, text: String::new(), order: (3, 0) };
                let [open, close] = self.around(&whole, format!("{SWITCH}::not({{id}}, "), ")");
                self.add(expression, "! left out", vec![open, sign, close]);
            }
            _ => {}
        }
    }
}

/// Returns true if an expression is no condition with `let`.
fn is_plain_condition(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => false,
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
            is_plain_condition(&binary.left) && is_plain_condition(&binary.right)
        }
        _ => true,
    }
}

/// Returns the first words in quotes of an expression that refuses something; `None` if it does not.
fn refusal(expression: &Expr, text: &str) -> Option<String> {
    let refuses = ["Err", "reject", "damage"].iter().any(|word| text.contains(word));
    let Expr::Return(_) = expression else { return None };
    refuses.then(|| text.split('"').nth(1).unwrap_or(text).to_owned())
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        match (self.sort, expression) {
            (Sort::Token, _) => self.token(expression),
            (Sort::Condition, Expr::Call(call)) => {
                let name = call.func.span().source_text().unwrap_or_default();
                if name == "reject_if" && call.args.len() == 2 {
                    let reason = call.args[1].span().source_text().unwrap_or_default();
                    self.no_refusal(&call.args[0], reason);
                }
            }
            _ => {}
        }
        visit::visit_expr(self, expression);
    }

    fn visit_expr_if(&mut self, conditional: &'ast ExprIf) {
        let block = &conditional.then_branch;
        match self.sort {
            Sort::Token if is_plain_condition(&conditional.cond) => {
                let edits =
                    self.around(&range(&*conditional.cond), format!("({SWITCH}::on({{id}}) ^ ("), "))");
                self.add(&conditional.cond, "a condition negated", edits.into());
            }
            Sort::Condition => {
                if let Some(Stmt::Expr(last, _)) = block.stmts.last() {
                    let text = last.span().source_text().unwrap_or_default();
                    if let Some(reason) = refusal(last, &text) {
                        self.no_refusal(&conditional.cond, reason);
                    }
                }
            }
            Sort::Token => {}
        }
        visit::visit_expr_if(self, conditional);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let (Sort::Token, Stmt::Expr(done, Some(_))) = (self.sort, statement)
            && matches!(done, Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_))
        {
            let edits = self.around(&range(statement), format!("if !{SWITCH}::on({{id}}) {{ "), " }");
            self.add(statement, "a statement left out", edits.into());
        }
        visit::visit_stmt(self, statement);
    }

    // What is evaluated when the program is compiled has no switches.
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_macro(&mut self, _: &'ast syn::ItemMacro) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_signature(&mut self, _: &'ast syn::Signature) {}

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if function.sig.constness.is_none() {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if function.sig.constness.is_none() {
            visit::visit_impl_item_fn(self, function);
        }
    }
}
