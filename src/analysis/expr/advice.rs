//! Advice where two terms of different types are compared, or a value has another type than the required one.

use bouton_base::source::Span;
use bouton_rules::{EnumKind, Expr, FieldId, PLAYER, Type, Value};
use bouton_syntax::ast;
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{comparison_sign, print_expr};

use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};

/// What the writer may do, with the edit if nothing else can be meant.
pub(crate) struct Advice {
    help: String,
    edits: Vec<(Span, String)>,
}

impl Advice {
    fn of(help: impl Into<String>) -> Advice {
        Advice { help: help.into(), edits: Vec::new() }
    }

    fn edit(mut self, span: Span, text: impl Into<String>) -> Advice {
        self.edits.push((span, text.into()));
        self
    }

    /// Adds the advice to a diagnostic.
    pub fn added_to(self, found: Diagnostic) -> Diagnostic {
        self.edits.into_iter().fold(found.help(self.help), |found, (span, text)| found.edit(span, text))
    }
}

/// One side of a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Side<'e> {
    pub text: &'e ast::Expr,
    pub made: &'e Expr,
}

impl Side<'_> {
    fn start(self) -> Span {
        let span = self.text.span;
        Span { end: span.start, ..span }
    }

    fn end(self) -> Span {
        let span = self.text.span;
        Span { start: span.end, ..span }
    }
}

impl<'a> Analyzer<'a> {
    /// Reports `count c in S: f(c) = x = 0` and `sum c in S: n[c] = 7` in the place of a condition, where the body takes in
    /// the comparison that was meant for the number; returns true if it is that.
    pub fn takes_in_a_comparison(&mut self, expr: &ast::Expr) -> bool {
        use ast::{CmpOp, ExprKind as E, Quantifier as Q};
        let E::Quant(quantifier, binders, body) = &*expr.bare().kind else { return false };
        let (word, own) = match quantifier {
            Q::Count => ("count", 1),
            Q::Sum => ("sum", 0),
            Q::Min => ("min", 0),
            Q::Max => ("max", 0),
            _ => return false,
        };
        let mut body = body;
        while let E::Binary(ast::BinaryOp::And | ast::BinaryOp::Or, left, _) = &*body.kind {
            body = left;
        }
        let E::Compare(first, rest) = &*body.kind else { return false };
        let Some((op, last)) = rest.last().filter(|_| rest.len() > own) else { return false };
        if !matches!(&*last.bare().kind, E::Number(_) | E::Name(_) | E::Index(..) | E::Unary(..)) {
            return false;
        }
        let end = rest.iter().rev().nth(1).map_or(first.span, |(_, before)| before.span).end;
        let between = Span { start: end, end: last.span.start, ..last.span };
        let close = Span { end, ..between };
        let (start, sign) = (Span { end: expr.bare().span.start, ..expr.bare().span }, comparison_sign(*op));
        let value = print_expr(last);
        let domains: Vec<String> = binders.iter().map(|binder| print_expr(&binder.domain)).collect();
        let title = format!("the body of this `{word}` takes in `{sign} {value}` as well");
        let label = format!("compared with an element's value, not with the `{word}`");
        let found = Diagnostic::new(Code::E0201, title, between.to(last.span), label);
        let help = format!("write `({word} ... in {}: ...) {sign} {value}`", domains.join(", "));
        let is_chain =
            matches!(rest[0].0, CmpOp::Less | CmpOp::LessEqual | CmpOp::Greater | CmpOp::GreaterEqual);
        let found = found.help(help);
        // `2 <= i <= 5` may be meant as it stands.
        self.report(if own == 1 && is_chain { found } else { found.edit(start, "(").edit(close, ")") });
        true
    }

    /// Advice on `left = right`, or `left != right`, of which the types have no value in common.
    pub fn comparison_advice(&self, left: Side, right: Side, unequal: bool) -> Option<Advice> {
        let sign = if unequal { "!=" } else { "=" };
        self.element_and_set(left, right, unequal).or_else(|| {
            [(left, right), (right, left)].into_iter().find_map(|(one, other)| {
                self.nothing_as_a_number(one, other)
                    .or_else(|| self.place_for_its_content(one, other.made, sign, print_expr(other.text)))
                    .or_else(|| self.whole_for_its_part(one, other, sign))
                    .or_else(|| self.cells_for_their_content(one, other, sign))
                    .or_else(|| self.cell_for_its_number(one, other, sign))
            })
        })
    }

    /// `b = a.neighbors` for `b in a.neighbors`.
    fn element_and_set(&self, left: Side, right: Side, unequal: bool) -> Option<Advice> {
        let word = if unequal { "not in" } else { "in" };
        let is_in = |one: Side, set: Side| {
            let element = set.made.ty.element().filter(|_| !matches!(set.made.ty.base(), Type::List(_)));
            element.is_some_and(|element| Type::join(&one.made.ty, element).is_some())
        };
        let between = Span { start: left.text.span.end, end: right.text.span.start, ..left.text.span };
        if is_in(left, right) {
            let help = format!("write `{} {word} {}`", print_expr(left.text), print_expr(right.text));
            return Some(Advice::of(help).edit(between, format!(" {word} ")));
        }
        is_in(right, left).then(|| {
            let new = format!("{} {word} {}", print_expr(right.text), print_expr(left.text));
            Advice::of(format!("write `{new}`")).edit(left.text.span.to(right.text.span), new)
        })
    }

    /// `at[c] = 0` for `at[c] = none`.
    fn nothing_as_a_number(&self, one: Side, zero: Side) -> Option<Advice> {
        let may_be_none = one.made.ty.is_option() && !matches!(one.made.ty.present().base(), Type::Int(..));
        let is_zero = matches!(zero.made.constant(), Some(Value::Int(0) | Value::Bool(false)));
        (may_be_none && is_zero)
            .then(|| Advice::of("what is empty has the value `none`").edit(zero.text.span, "none"))
    }

    /// The only field with one key of this type whose values may be these.
    fn field_with_key(&self, key: &Type, value: &Type) -> Option<FieldId> {
        let fits = |field: &bouton_rules::Field| match &field.keys[..] {
            [only] => only.ty.base() == key.base() && Type::join(&field.ty, value).is_some(),
            _ => false,
        };
        let mut found = self.rules.fields.entries().filter(|(_, field)| fits(field)).map(|(id, _)| id);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// `c = X` for `at[c] = X`, where `c` is a cell; the other side may be `none`.
    pub fn place_for_its_content(
        &self,
        place: Side,
        other: &Expr,
        sign: &str,
        written: String,
    ) -> Option<Advice> {
        let ty = &place.made.ty;
        let is_value = place.text.bare().as_name().is_some() || place.made.constant().is_some();
        if !is_value || ty.is_option() || self.board_of(ty).is_none() {
            return None;
        }
        let field = &self.rules.fields[self.field_with_key(ty, &other.ty)?].name;
        let words = print_expr(place.text);
        let help = format!(
            "`{words}` is a place, and `{field}[{words}]` is what stands there: write `{field}[{words}] {sign} {written}`"
        );
        Some(Advice::of(help).edit(place.start(), format!("{field}[")).edit(place.end(), "]"))
    }

    /// `at[c] = king` for `at[c].kind = king`, of a record.
    fn whole_for_its_part(&self, whole: Side, other: Side, sign: &str) -> Option<Advice> {
        let Type::Record(record) = whole.made.ty.present().base() else { return None };
        let parts = &self.rules.records[*record].parts;
        let mut fitting = parts.iter().filter(|(_, ty)| Type::join(ty, &other.made.ty).is_some());
        let (name, _) = fitting.next().filter(|_| other.made.ty.present() != &Type::Never)?;
        if fitting.next().is_some() {
            return None;
        }
        let (words, value) = (print_expr(whole.text), print_expr(other.text));
        let help = format!("the part that is compared is `{name}`: write `{words}.{name} {sign} {value}`");
        Some(Advice::of(help).edit(whole.end(), format!(".{name}")))
    }

    /// `lines(Cell, 3) = p` and `row = p` for what stands on all cells of a line, or of a set.
    fn cells_for_their_content(&self, cells: Side, other: Side, sign: &str) -> Option<Advice> {
        let inner = cells.made.ty.element()?;
        let is_of_sets = inner.element().is_some();
        let cell = inner.element().unwrap_or(inner);
        self.board_of(cell)?;
        let field = &self.rules.fields[self.field_with_key(cell, &other.made.ty)?].name;
        let (set, value) = (print_expr(cells.text), print_expr(other.text));
        Some(Advice::of(match is_of_sets {
            true => format!("write `some l in {set}: all c in l: {field}[c] {sign} {value}`"),
            false => {
                format!(
                    "write `all c in {set}: {field}[c] {sign} {value}`; `some` if one of the cells is enough"
                )
            }
        }))
    }

    /// `c = 3` for `c.row = 3` or `c.col = 3`.
    fn cell_for_its_number(&self, cell: Side, other: Side, sign: &str) -> Option<Advice> {
        let board = self.board_of(cell.made.ty.present())?;
        let is_number = matches!(other.made.ty.present().base(), Type::Int(..));
        if !is_number || !self.rules.boards[board].has_coordinates() {
            return None;
        }
        let (words, value) = (print_expr(cell.text), print_expr(other.text));
        Some(Advice::of(format!(
            "a cell has a column and a row: write `{words}.col {sign} {value}` or `{words}.row {sign} {value}`"
        )))
    }

    /// Advice on a value of another type than the required one.
    pub fn value_advice(&self, expr: &Expr, want: &Type) -> Option<Advice> {
        let start = Span { end: expr.span.start, ..expr.span };
        match (expr.ty.base(), want.present().base()) {
            (Type::Tuple(parts), Type::Record(record)) => {
                let record = &self.rules.records[*record];
                let fits = parts.len() == record.parts.len()
                    && parts.iter().zip(&record.parts).all(|(part, (_, ty))| part.is_assignable_to(ty));
                fits.then(|| {
                    let help = format!("the parts of a `{0}` stand behind its name: `{0}(...)`", record.name);
                    Advice::of(help).edit(start, record.name.clone())
                })
            }
            (Type::Set(element), wanted) if element.is_assignable_to(want) => {
                let all = self.rules.type_size(wanted).filter(|_| *wanted == Type::Sym(PLAYER));
                let is_all =
                    matches!(expr.constant(), Some(Value::Set(values)) if Some(values.len() as u128) == all);
                Some(Advice::of(match is_all {
                    true => "one player is needed: in a move, `me` is who makes it; elsewhere `mover` is whose turn it is".to_owned(),
                    false => format!(
                        "one value is needed, and this is a set of them; where several are meant, the type is `set of {}`",
                        self.rules.show_type(want.present())
                    ),
                }))
            }
            _ => None,
        }
    }

    /// The value of a key where a field stands alone: the only variable of its type, or the player who moves.
    pub fn key_at_hand(&self, key: &Type, locals: &Locals) -> Option<String> {
        let mut fitting = locals.stack.iter().filter(|local| local.ty.base() == key.base());
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => Some(only.name.clone()),
            (None, _) if locals.place == ExprPlace::Move && *key == Type::Sym(PLAYER) => {
                Some("me".to_owned())
            }
            _ => None,
        }
    }

    /// The help about a name that is declared nowhere, by the place where it stands.
    pub fn missing_name_help(&self, name: &str, want: Option<&Type>, locals: &Locals) -> Option<String> {
        let wanted = want.map(|ty| ty.present().base().clone());
        let is_player = wanted == Some(Type::Sym(PLAYER));
        let is_named = |of: &Type| matches!(of, Type::Sym(id) if self.rules.enums[*id].kind != EnumKind::Dir);
        match locals.place {
            ExprPlace::Move if is_player => {
                Some("in a move, the player who makes it is `me`, and the other one `opponent`".to_owned())
            }
            ExprPlace::Def if wanted.as_ref().is_some_and(is_named) => {
                let ty = self.rules.show_type(want?.present());
                Some(format!("a definition has its own parameters: add `{name}: {ty}` to them"))
            }
            _ => None,
        }
    }

    /// Reports `at[c]` of a field without keys, once for each field.
    pub fn field_without_keys(&mut self, name: &str, key: &ast::Expr, span: Span, locals: &mut Locals) {
        let before = self.diagnostics.len();
        let key = self.expr(key, None, locals);
        self.diagnostics.truncate(before);
        let declared = self.find(name, span).and_then(|known| Some((known, self.field_of(known)?)));
        let Some((known, field)) = declared else { return };
        if !self.keyless_fields.insert(field) {
            return;
        }
        let found =
            Diagnostic::new(Code::E0104, format!("`{name}` has one value and no keys"), span, "a key");
        let found = found.label(self.symbols[known].span, "declared here");
        let value = self.rules.show_type(&self.rules.fields[field].ty);
        self.report(match key.ty.present() {
            Type::Error | Type::Never => found,
            ty => {
                // Numbers have a range that only the writer knows.
                let ty = if let Type::Int(..) = ty.base() { "1..9".into() } else { self.rules.show_type(ty) };
                let short = ty
                    .chars()
                    .next()
                    .filter(|c| c.is_ascii_alphabetic())
                    .map_or('i', |c| c.to_ascii_lowercase());
                found
                    .help(format!("for a value at each key, declare `{name}[{short}: {ty}]: {value} = ...;`"))
            }
        });
    }
}
