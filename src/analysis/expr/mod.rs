//! Expressions: from syntax to typed rules.

use super::analyzer::Analyzer;
use super::fold::as_condition;
use super::locals::{ExprPlace, Locals};
use bouton_base::source::Span;
use bouton_rules::{Arm, ArmPattern, Expr, ExprKind, Type, Value};
use bouton_syntax::ast::{self, ExprKind as A, UnaryOp};
use bouton_syntax::diag::{Code, Diagnostic, Severity};

pub(crate) mod advice;
mod argument_order;
mod as_numbers;
mod bare_calls;
mod binders;
mod board_calls;
mod bounds_without_effect;
mod calls;
mod cancelled_terms;
mod columns_from_zero;
mod compare;
mod contrary;
mod decided;
mod decided_extents;
mod decided_members;
mod decided_terms;
mod differing_arms;
mod edges_for_sides;
pub(crate) mod elements_left_out;
mod empty_sets;
mod equal_branches;
mod extents;
mod foreign_calls;
mod hidden_members;
mod indexes;
mod joined_values;
mod keyless;
mod keys_apart;
mod list_elements;
mod listed_players;
pub(crate) mod lists_and_keys;
mod missing_keys;
mod names;
mod near_fields;
pub(crate) mod nobody_moves;
mod numbers;
mod other_players;
mod other_subsets;
pub(super) mod parts;
mod phase_names;
mod pieces_by_a_call;
mod quoted_members;
mod ranks_of_members;
mod records;
mod remainders;
mod repeated_arms;
mod repeated_conditions;
mod repeated_elements;
mod row_before_column;
mod set_words;
mod sets;
pub(crate) mod sources;
mod static_elements;
mod steps;
mod taken_in;
mod truth_values;
mod unbound;
mod unequal_chains;
mod unknown;
pub(crate) mod value_advice;

use binders::Quantification;
use compare::BinaryExpr;
pub(super) use compare::{EqualityTest, operands};
pub(super) use decided::{literal, mirrored};

/// The names that have a meaning without a declaration.
pub const BUILT_IN_NAMES: &[&str] = &[
    "me",
    "opponent",
    "mover",
    "phase",
    "stuck",
    "Player",
    "Dir",
    "Orthogonal",
    "Diagonal",
    "Compass",
    "other",
    "dir",
    "aligned",
    "diagonal",
    "orthogonal",
    "between",
    "beyond",
    "ray",
    "lines",
    "flood",
    "min",
    "max",
    "sides",
    "edges",
];

impl<'a> Analyzer<'a> {
    /// Elaborates an expression; `want` is the expected type, a hint that resolves ambiguous names.
    pub fn expr(&mut self, expr: &ast::Expr, want: Option<&Type>, locals: &mut Locals) -> Expr {
        let span = expr.span;
        match &*expr.kind {
            A::Name(name) => self.name(name, span, want, locals),
            A::Number(digits) => self.number(digits, span, locals),
            A::Str(text) | A::Text(text) => self.value(Value::Text(text.as_str().into()), Type::Text, span),
            A::Bool(b) => self.value(Value::Bool(*b), Type::Bool, span),
            A::None => self.value(Value::None, Type::option(Type::Never), span),
            A::Unary(UnaryOp::Not, inner) => {
                let inner = self.negated_formula(inner, span, locals);
                if inner.ty == Type::Error {
                    return self.poison(span);
                }
                self.node(ExprKind::Not(inner), Type::Bool, span)
            }
            A::Unary(UnaryOp::Negate, inner) => self.negate(inner, span, locals),
            A::Unary(UnaryOp::Count, inner) => self.card(inner, span, locals),
            A::Binary(op, left, right) => {
                self.binary(BinaryExpr { op: *op, left, right, span }, want, locals)
            }
            A::Compare(first, rest) if self.parts_of_a_record(first, rest, want, locals) => self.poison(span),
            A::Compare(first, rest) => self.comparisons(first, rest, span, locals),
            A::Range(lo, hi) => self.range(lo, hi, span, locals),
            A::Call(callee, args) => self.call(callee, args, span, want, locals),
            A::Index(base, keys) => self.index(base, keys, span, locals),
            A::Part(base, part) => self.part(base, part, span, locals),
            A::Quant(quantifier, binders, body) => {
                let quantification = Quantification { quantifier: *quantifier, binders, body, span };
                self.quant(quantification, want, locals)
            }
            A::If(condition, yes, no) => {
                let condition = self.formula(condition, locals);
                self.equal_branches([yes, no], span);
                let yes = self.expr(yes, want, locals);
                let hint = want.cloned().unwrap_or_else(|| yes.ty.clone());
                let no = self.expr(no, Some(&hint), locals);
                self.choice(condition, yes, no, span)
            }
            A::Match(scrutinee, arms) => self.match_(scrutinee, arms, span, want, locals),
            A::Let(pattern, value, body) => {
                let value = self.expr(value, None, locals);
                let depth = locals.stack.len();
                let pattern = self.bind_pattern(pattern, &value.ty.clone(), locals);
                let body = self.expr(body, want, locals);
                self.leave(locals, depth);
                let ty = body.ty.clone();
                self.node(ExprKind::Let(pattern, value, body), ty, span)
            }
            A::Diagram(..) => {
                self.error(
                    Code::E0009,
                    "a diagram gives a whole board; a single value is needed here",
                    span,
                    "use it as the initial value of a field with the board's cells as keys",
                );
                self.poison(span)
            }
            A::Set(elements) => {
                self.repeated_element(elements, span);
                self.set_literal(elements, span, want, locals)
            }
            A::Filter(binder) => self.filter(binder, span, locals),
            A::Comprehension(element, binders) => self.comprehension(element, binders, span, want, locals),
            A::List(elements) => self.list(elements, span, want, locals),
            A::Tuple(parts) => self.tuple(parts, span, want, locals),
            A::Paren(inner) => Expr { span, ..self.expr(inner, want, locals) },
            A::Error => self.poison(span),
        }
    }

    /// Elaborates an expression that must have the type `want`.
    pub fn expr_of(&mut self, expr: &ast::Expr, want: &Type, locals: &mut Locals) -> Expr {
        if *want == Type::Bool {
            return self.truth_value(expr, None, locals);
        }
        let made = self.expr(expr, Some(want), locals);
        let (ty, before) = (made.ty.clone(), self.diagnostics.len());
        let made = self.coerce(made, want);
        if self.diagnostics.len() > before {
            self.advise_on_value(expr, &ty, want, locals);
        }
        made
    }

    /// Elaborates a condition.
    pub fn formula(&mut self, expr: &ast::Expr, locals: &mut Locals) -> Expr {
        self.formula_within(expr, None, locals)
    }

    /// Elaborates the condition of a negation with this span.
    fn negated_formula(&mut self, expr: &ast::Expr, negation: Span, locals: &mut Locals) -> Expr {
        self.formula_within(expr, Some(negation), locals)
    }

    fn formula_within(&mut self, expr: &ast::Expr, negation: Option<Span>, locals: &mut Locals) -> Expr {
        let made = self.truth_value(expr, Some(negation), locals);
        as_condition(made)
    }

    /// Elaborates a term whose truth value counts: a condition, with the span of its negation if it has one, or a value.
    fn truth_value(
        &mut self,
        expr: &ast::Expr,
        condition: Option<Option<Span>>,
        locals: &mut Locals,
    ) -> Expr {
        let made = self.expr(expr, Some(&Type::Bool), locals);
        let (is_condition, negation) = (condition.is_some(), condition.flatten());
        // Tests the syntax, since a folded constant is no longer that term.
        let is_one = matches!(&*expr.bare().kind, A::Quant(ast::Quantifier::One, ..));
        match made.ty.base() {
            Type::Error => made,
            // `one x in S: f` as a condition: exactly one exists.
            base if is_one && (is_condition || *base != Type::Bool) => {
                let span = made.span;
                self.node(ExprKind::Defined(made), Type::Bool, span)
            }
            Type::Bool => made,
            Type::Option(inner) if **inner == Type::Bool => self.present(made),
            _ => {
                self.no_condition(&made, expr, negation);
                self.poison(made.span)
            }
        }
    }

    /// Reports a term of another type in the place of a condition.
    fn no_condition(&mut self, made: &Expr, expr: &ast::Expr, negation: Option<Span>) {
        let span = expr.span;
        let is_number = matches!(&*expr.bare().kind, A::Number(_));
        let what = self.describe_type(&made.ty);
        let title = format!("expected a condition, found {what}");
        let found = Diagnostic::new(Code::E0201, title, span, format!("this is {what}"));
        let end = Span { start: span.end, ..span };
        if self.definition_without_a_condition(expr, &found) {
            return;
        }
        self.report(match made.ty.base() {
            Type::Option(inner) if **inner != Type::Never && negation.is_some() => {
                let start = negation.map_or(span.start, |negation| negation.start);
                found
                    .help("`... = none` asks whether there is no value")
                    .edit(Span { start, end: span.start, ..span }, "")
                    .edit(end, " = none")
            }
            Type::Option(inner) if **inner != Type::Never => {
                found.help("`... != none` asks whether there is a value").edit(end, " != none")
            }
            Type::Int(0, 0) if is_number => found.help("a condition is `true` or `false`").edit(span, "false"),
            Type::Int(1, 1) if is_number => found.help("a condition is `true` or `false`").edit(span, "true"),
            Type::Int(low, high) if low == high => {
                found.help("a number is no condition: a term is compared with it, as in `x = 2`")
            }
            Type::Int(..) => found.help("a number is no condition: compare it, as in `... > 0`"),
            Type::Set(_) => found.help("`... != {}` asks whether a set has elements"),
            Type::Sym(bouton_rules::PLAYER) if negation.is_some() && self.is_viewer(span) => {
                let start = negation.map_or(span.start, |negation| negation.start);
                found
                    .help("who sees a field is a player: the other of two players is `other(...)`")
                    .edit(Span { start, end: span.start, ..span }, "other(")
                    .edit(end, ")")
            }
            Type::Sym(bouton_rules::PLAYER) if negation.is_some() => {
                found.help("the other of two players is `other(p)`, in a move `opponent`; `p != q` compares")
            }
            Type::Sym(of) if negation.is_some() && self.rules.enums[*of].members.len() == 2 => {
                let (a, b) = (&self.rules.enums[*of].members[0], &self.rules.enums[*of].members[1]);
                let help = format!("`not` is for conditions: the other of two values is `if x = {a} then {b} else {a}`");
                found.help(help)
            }
            Type::Sym(_) => found.help(
                "a value is no condition: each side of `and` and `or` compares, as in `x = a or x = b`, or write `x in { a, b }`",
            ),
            Type::Tuple(parts) if parts.iter().all(|part| *part.base() == Type::Bool) => {
                let A::Tuple(parts) = &*expr.bare().kind else { return self.report(found) };
                let joined = parts.iter().map(bouton_syntax::print_expr).collect::<Vec<_>>().join(" and ");
                found.help(format!("conditions are joined by `and`: write `{joined}`")).edit(span, joined)
            }
            Type::Option(_) => {
                found.help("`none` is no condition: leave it out, or compare a term with it, as in `x = none`")
            }
            _ => found,
        });
    }

    /// Reports `free(c)` as a condition, where the definition gives a value that may be `none`; returns true if it is that.
    fn definition_without_a_condition(&mut self, expr: &ast::Expr, found: &Diagnostic) -> bool {
        let A::Call(callee, _) = &*expr.bare().kind else { return false };
        let Some(name) = callee.as_name().and_then(|name| self.find(name, callee.span)) else { return false };
        let declared = self.symbols[name].span;
        let Some(ast::ItemKind::Def { body, .. }) = self.item_around(declared) else { return false };
        if !matches!(&*body.bare().kind, A::Index(..)) {
            return false;
        }
        let term = bouton_syntax::print_expr(body);
        let found = found.clone().label(declared, format!("this gives the value of `{term}`"));
        self.report(found.help(format!(
            "let the definition compare: `... = {term} = none;` holds where there is none, `... = {term} != none;` where there \
             is one"
        )));
        true
    }

    /// Returns true for the place of the player who sees a field.
    fn is_viewer(&self, span: Span) -> bool {
        let Some(ast::ItemKind::State(fields)) = self.item_around(span) else { return false };
        self.rules.players().len() == 2
            && fields
                .iter()
                .any(|field| matches!(&field.visibility, ast::Visibility::To(to) if to.span.covers(span)))
    }

    /// A constant node.
    pub fn value(&self, value: Value, ty: Type, span: Span) -> Expr {
        Expr::new(ExprKind::Const(value), ty, span)
    }

    fn choice(&mut self, condition: Expr, yes: Expr, no: Expr, span: Span) -> Expr {
        let Some(ty) = Type::join(&yes.ty, &no.ty) else {
            let (a, b) = (self.describe_type(&yes.ty), self.describe_type(&no.ty));
            let title = format!("the two branches differ: {a} and {b}");
            let found = Diagnostic::new(Code::E0201, title, no.span, format!("this is {b}"));
            self.report(found.label(yes.span, format!("because this is {a}")));
            return self.poison(span);
        };
        match condition.constant() {
            Some(Value::Bool(true)) => Expr { span, ..yes },
            Some(Value::Bool(false)) => Expr { span, ..no },
            _ => self.node(ExprKind::If(condition, yes, no), ty, span),
        }
    }

    fn match_(
        &mut self,
        scrutinee: &ast::Expr,
        arms: &[ast::Arm],
        span: Span,
        want: Option<&Type>,
        locals: &mut Locals,
    ) -> Expr {
        let term = scrutinee;
        let scrutinee = self.expr(term, None, locals);
        let mut made: Vec<Arm> = Vec::new();
        let mut ty = Type::Never;
        let mut hint = want.cloned();
        let mut is_damaged = false;
        for arm in arms {
            let depth = locals.stack.len();
            let before = self.diagnostics.len();
            let pattern = match &arm.pattern {
                None => ArmPattern::Any,
                Some(words) if self.binds_a_name(words, &scrutinee.ty, locals) => {
                    self.only_member_left(words, arms, &scrutinee.ty);
                    ArmPattern::Any
                }
                Some(words) => self.arm_pattern(words, &scrutinee.ty.clone(), locals),
            };
            let is_rest = arm.pattern.as_ref().is_none_or(|words| words.as_name() == Some("_"));
            is_damaged |= matches!(pattern, ArmPattern::Any) && !is_rest
                || self.diagnostics[before..].iter().any(|d| d.severity() == Severity::Error);
            let value = self.expr(&arm.value, hint.as_ref(), locals);
            locals.stack.truncate(depth);
            match Type::join(&ty, &value.ty) {
                Some(joined) => ty = joined,
                None => {
                    self.arms_differ(&made, &ty, &value, want);
                    ty = Type::Error;
                }
            }
            hint.get_or_insert_with(|| ty.clone());
            made.push(Arm { pattern, value });
        }
        // Of a pattern that was reported it is unknown which values it takes.
        if scrutinee.ty != Type::Error && ty != Type::Error && !is_damaged {
            let before = self.diagnostics.len();
            self.coverage((term, &scrutinee), &made, arms, span);
            let is_optional = want.is_some_and(Type::is_option);
            if let Some(found) = self.diagnostics[before..].iter_mut().find(|d| d.code == Code::E0220)
                && is_optional
            {
                found.help = Some("add an arm `_ => none` for all the rest, if they are empty".to_owned());
            }
        }
        self.node(ExprKind::Match(scrutinee, made), ty, span)
    }

    /// Reports a pattern of new names, as other languages have them: a name, or a tuple or record of names. Adds the
    /// names without a meaning, so that their uses are not reported as well.
    fn binds_a_name(&mut self, pattern: &ast::Expr, ty: &Type, locals: &mut Locals) -> bool {
        let mut names = Vec::new();
        new_names(pattern, &mut names);
        let Some(&first) = names.first() else { return false };
        if self.options.damaged || !names.iter().all(|name| self.is_new_name(name, pattern.span, locals)) {
            return false;
        }
        // A name that was reported where it should have been declared, or in another arm, is not reported again.
        let is_told = |name: &&str| self.unknown_names.contains(*name);
        let is_told = names.iter().all(is_told);
        self.unknown_names.extend(names.iter().map(|name| (*name).to_owned()));
        let is_alone = pattern.as_name().is_some();
        // A type that was reported has no values to compare with.
        if ty.present().base() == &Type::Error {
            return true;
        }
        let title = format!("`{first}` is no value: a pattern does not bind a name");
        let label = match is_alone {
            true => format!("{} is needed", self.describe_type(ty)),
            false => "a pattern lists values".to_owned(),
        };
        let found = Diagnostic::new(Code::E0101, title, pattern.span, label);
        let near = self.near_member(first, ty).filter(|_| is_alone);
        let found = found.help(match &*pattern.kind {
            _ if near.is_some() => near.unwrap_or_default(),
            A::Tuple(parts) => {
                let names = (0..parts.len()).map(|at| char::from(b'a' + (at % 26) as u8).to_string());
                let names = names.collect::<Vec<_>>().join(", ");
                format!("to name the parts of a value write `let ({names}) = x: ...`, or `some ({names}) in {{ x }}: ...` in a condition")
            }
            _ if is_alone && self.is_listed(&self.rules.show_type(ty)) => format!(
                "if `{first}` is one more `{of}`, add it to `enum {of}`; `_ => ...` is for all other values",
                of = self.rules.show_type(ty)
            ),
            _ if is_alone => "list the values, `X => ...`; `_ => ...` is for all others".to_owned(),
            _ => "to name the parts of a value write `let (a, b) = x: ...`; a part of a record is `x.owner`".to_owned(),
        });
        if !is_told {
            self.report(found);
        }
        for name in names {
            locals.add(name, Type::Error, pattern.span);
            if let Some(local) = locals.find(name) {
                local.used = true;
            }
        }
        true
    }

    /// Returns true if a name in small letters has no meaning here.
    pub fn is_new_name(&self, name: &str, span: Span, locals: &Locals) -> bool {
        let is_known = locals.has(name)
            || self.find(name, span).is_some()
            || self.texts.library(name, span).is_some()
            || BUILT_IN_NAMES.contains(&name)
            || self.rules.phases.iter().any(|phase| phase.name == name)
            || self.members.contains_key(name);
        !is_known && bouton_syntax::foreign_value(name).is_none()
    }

    fn arm_pattern(&mut self, words: &ast::Expr, ty: &Type, locals: &mut Locals) -> ArmPattern {
        if words.as_name() == Some("_") {
            return ArmPattern::Any;
        }
        if let (A::Tuple(parts), Type::Tuple(types)) = (&*words.kind, ty.present().base())
            && parts.len() == types.len()
        {
            let types = types.clone();
            let parts = parts.iter().zip(types.iter());
            return ArmPattern::Tuple(parts.map(|(p, t)| self.arm_pattern(p, t, locals)).collect());
        }
        let made = self.expr(words, Some(ty), locals);
        if made.ty == Type::Error {
            return ArmPattern::Any;
        }
        if let Some(element) = made.ty.element()
            && Type::join(element, ty).is_some()
        {
            return ArmPattern::OneOf(made);
        }
        if Type::join(&made.ty, ty).is_none() {
            let (a, b) = (self.describe_type(ty), self.describe_type(&made.ty));
            let title = format!("{a} is never {b}");
            let found = Diagnostic::new(Code::E0202, title, made.span, format!("this is {b}"));
            let advice =
                self.tuple_for_a_list(words, ty).or_else(|| self.tuple_for_values(words, ty, &made.ty));
            let found = match advice {
                Some(advice) => advice.on(found),
                None => self.unquoted(found, &made, ty),
            };
            self.report(found);
            return ArmPattern::Any;
        }
        ArmPattern::Value(made)
    }

    /// Reports values that no arm matches (E0220) and arms that no value reaches (W0221) of a
    /// term.
    fn coverage(&mut self, term: (&ast::Expr, &Expr), arms: &[Arm], words: &[ast::Arm], span: Span) {
        let (term, scrutinee) = term;
        let ty = scrutinee.ty.clone();
        let Some(values) = self.rules.type_values(&ty, 4096) else { return };
        let fixed = |p: &ArmPattern| pattern_is_constant(p);
        if !arms.iter().all(|arm| fixed(&arm.pattern)) {
            return;
        }
        // Of a type whose declaration is damaged, no value is known.
        if self.options.damaged && values.is_empty() {
            return;
        }
        let mut left = values.clone();
        let mut unreached = Vec::new();
        for (place, arm) in arms.iter().enumerate() {
            let before = left.len();
            if matches!(arm.pattern, ArmPattern::Any) {
                self.arms_given_twice(&unreached, &left, words);
            }
            left.retain(|v| !pattern_fits(&arm.pattern, v));
            if left.len() == before {
                let is_value = values.iter().any(|v| pattern_fits(&arm.pattern, v));
                // With other parameters the term may have other values.
                if is_value || !self.depends_on_a_parameter(term) {
                    unreached.push((place, is_value));
                }
            }
        }
        self.arms_given_twice(&unreached, &left, words);
        self.players_around_a_table(words);
        self.arms_behind_the_rest(&mut unreached, words);
        for (place, is_value) in unreached {
            let label = match is_value {
                true => "the arms before it take all its values",
                false => "the term never has this value",
            };
            let span = words[place].span;
            let is_told = |known: &Diagnostic| known.code == Code::W0221 && known.span() == span;
            if !self.diagnostics.iter().any(is_told) {
                self.error(Code::W0221, "this arm is never reached", span, label);
            }
        }
        // `none` needs no arm: without one the `match` is undefined there.
        left.retain(|v| !has_none(v));
        if left.is_empty() {
            return;
        }
        let shown: Vec<String> = left.iter().take(3).map(|v| format!("`{}`", self.rules.show(v))).collect();
        let more = if left.len() > 3 { format!(" and {} more", left.len() - 3) } else { String::new() };
        let title = format!("the arms do not cover {}{more}", shown.join(", "));
        let found = Diagnostic::new(Code::E0220, title, span, "no arm for it");
        let arm = format!("{} => ...", self.rules.show(&left[0]));
        self.report(found.help(format!("add an arm `{arm}`, or `_ => ...` for all the rest")));
    }

    /// Reports a read of the state where there is none; returns true if there is a state.
    pub fn needs_state(&mut self, what: &str, span: Span, locals: &Locals) -> bool {
        if locals.place != ExprPlace::Static {
            return true;
        }
        let title = format!("{what} belongs to the state, and there is none here");
        let label = "constants, types and initial values are known before play begins";
        let found = Diagnostic::new(Code::E0201, title, span, label);
        let help = self.help_without_state(span);
        self.report(found.help(help));
        false
    }

    /// The help for a read of the state where there is none, by the item that it stands in.
    fn help_without_state(&self, span: Span) -> String {
        let item = self.item_around(span);
        match item {
            Some(ast::ItemKind::Const { name, .. }) => {
                format!("what depends on the position is a definition: `def {} = ...;`", name.text)
            }
            Some(ast::ItemKind::State(fields))
                if fields.iter().any(|field| field.init.as_ref().is_some_and(|init| init.span.covers(span))) =>
            {
                "an initial value has constants, parameters and the keys of its field: a constant may be that of several \
                 fields"
                    .to_owned()
            }
            Some(ast::ItemKind::State(fields))
                if fields.iter().any(|field| {
                    matches!(&field.visibility, ast::Visibility::To(to) if to.span.covers(span))
                }) =>
            {
                "who sees a field is a player, or a key of the field: `visible to p`".to_owned()
            }
            Some(ast::ItemKind::State(_)) => {
                "the range of a field is its largest one, with numbers, parameters and constants as its ends".to_owned()
            }
            Some(ast::ItemKind::Move(_)) => {
                "a parameter of a move has its largest range, and a condition rules out the rest: `when k <= n;`".to_owned()
            }
            Some(ast::ItemKind::Expect(_) | ast::ItemKind::Test(_)) => {
                "a claim compares with a number, or with a constant or a parameter of the game".to_owned()
            }
            _ => "numbers, constants and parameters of the game are known here".to_owned(),
        }
    }
}

/// The names in small letters that a pattern consists of: the pattern itself, or the parts of tuples and records.
fn new_names<'a>(pattern: &'a ast::Expr, names: &mut Vec<&'a str>) {
    match &*pattern.kind {
        A::Tuple(parts) => parts.iter().for_each(|part| new_names(part, names)),
        A::Call(_, parts) => parts.iter().for_each(|part| new_names(part, names)),
        _ => {
            names.extend(pattern.as_name().filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase())))
        }
    }
}

fn has_none(value: &Value) -> bool {
    match value {
        Value::None => true,
        Value::Tuple(tuple) => tuple.parts.iter().any(has_none),
        _ => false,
    }
}

fn pattern_is_constant(pattern: &ArmPattern) -> bool {
    match pattern {
        ArmPattern::Any => true,
        ArmPattern::Value(e) | ArmPattern::OneOf(e) => e.constant().is_some(),
        ArmPattern::Tuple(parts) => parts.iter().all(pattern_is_constant),
    }
}

fn pattern_fits(pattern: &ArmPattern, value: &Value) -> bool {
    match (pattern, value) {
        (ArmPattern::Any, _) => true,
        (ArmPattern::Value(e), _) => e.constant() == Some(value),
        (ArmPattern::OneOf(e), _) => e.constant().and_then(Value::as_set).is_some_and(|s| s.contains(value)),
        (ArmPattern::Tuple(parts), Value::Tuple(tuple)) => {
            parts.len() == tuple.parts.len()
                && parts.iter().zip(&tuple.parts).all(|(p, v)| pattern_fits(p, v))
        }
        _ => false,
    }
}
