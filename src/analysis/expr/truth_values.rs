//! Truth values that are compared: `x = none = true`, `lit[4] is on`.

use super::compare::operands;
use crate::analyzer::Analyzer;
use crate::locals::Locals;
use bouton_base::source::Span;
use bouton_rules::Type;
use bouton_syntax::ast::{self, CmpOp, ExprKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Reports `a = none = true` and `d in S = false`, whose last comparison is meant of the whole; returns true if it is
    /// that.
    pub(super) fn truth_of_a_chain(
        &mut self,
        first: &ast::Expr,
        rest: &[(CmpOp, ast::Expr)],
        locals: &mut Locals,
    ) -> bool {
        let [before @ .., (CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is, last)] = rest else { return false };
        let (ExprKind::Bool(value), Some((op, inner))) = (&*last.bare().kind, before.last()) else {
            return false;
        };
        let ty = self.quiet_type(inner, locals);
        if ty.is_none_or(|ty| *ty.present() == Type::Bool) {
            return false;
        }
        let condition = match before {
            [_] => {
                ast::Expr::new(ExprKind::Compare(first.clone(), before.to_vec()), first.span.to(inner.span))
            }
            _ => return false,
        };
        let negated = match op {
            CmpOp::In => Some(CmpOp::NotIn),
            CmpOp::NotIn => Some(CmpOp::In),
            CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is => Some(CmpOp::NotEqual),
            CmpOp::NotEqual => Some(CmpOp::Equal),
            _ => None,
        };
        let new = match (value, negated) {
            (true, _) => print_expr(&condition),
            (false, Some(op)) => {
                let other = ExprKind::Compare(first.clone(), vec![(op, inner.clone())]);
                print_expr(&ast::Expr::new(other, condition.span))
            }
            (false, None) => format!("not ({})", print_expr(&condition)),
        };
        let shown = print_expr(inner);
        let title = format!("in a chain each term is compared with the next: `{shown}` is never `{value}`");
        let tail = Span { start: inner.span.end, ..last.span };
        let found = Diagnostic::new(Code::E0202, title, tail, "never true");
        let found = found.help(format!("a condition needs no comparison: write `{new}`"));
        self.report(found.edit(first.span.to(last.span), new));
        true
    }

    /// Reports `at[c] is empty`, where what is empty has the value `none`; returns true if it is that.
    pub(super) fn word_for_nothing(
        &mut self,
        left: &ast::Expr,
        right: &ast::Expr,
        locals: &mut Locals,
    ) -> bool {
        let Some(word) = right.bare().as_name() else { return false };
        let is_word = matches!(
            word,
            "empty" | "Empty" | "EMPTY" | "free" | "vacant" | "blank" | "nothing" | "unoccupied"
        );
        if !is_word || self.options.damaged || locals.has(word) {
            return false;
        }
        if self.find(word, right.span).is_some() || self.members.contains_key(word) {
            return false;
        }
        let is_empty = word.eq_ignore_ascii_case("empty");
        let Some(ty) = self.quiet_type(left, locals) else { return false };
        let (ours, label) = match ty.base() {
            _ if ty.is_option() => ("none", "what is empty has the value `none`"),
            Type::Set(_) if is_empty => ("{}", "the empty set is written `{}`"),
            Type::Int(0, 1..) if is_empty => ("0", "nothing of a number is 0"),
            _ => return false,
        };
        let title = format!("there is no `{word}` here");
        self.report(Diagnostic::new(Code::E0101, title, right.span, label).edit(right.span, ours));
        true
    }

    /// Reports `not at[c] = X or O`, where the values of a term follow its denial; returns true if it is that.
    pub(super) fn denied_alternatives(
        &mut self,
        op: ast::BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        locals: &mut Locals,
    ) -> bool {
        let Some((first, mut values)) = plain_alternatives(op, left, right) else { return false };
        let right = first_conjunct(right);
        let ExprKind::Unary(ast::UnaryOp::Not, denied) = &*first.kind else { return false };
        let ExprKind::Compare(term, rest) = &*denied.bare().kind else { return false };
        let [(CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is, value)] = &rest[..] else { return false };
        values.insert(0, value);
        let Some(ty) = self.quiet_type(term, locals) else { return false };
        for value in &values {
            let fits = self
                .quiet_type(value, locals)
                .is_some_and(|of| *of.present().base() != Type::Bool && Type::join(&of, &ty).is_some());
            if !fits {
                return false;
            }
        }
        let words: Vec<String> = values.iter().map(|value| print_expr(value)).collect();
        let new = format!("{} not in {{ {} }}", print_expr(term), words.join(", "));
        let title = "each side of `or` is a condition of its own";
        let found = Diagnostic::new(Code::E0201, title, values[1].span, "compared with nothing");
        self.report(found.help(format!("write `{new}`")).edit(first.span.to(right.span), new));
        true
    }

    /// Reports `at[c] in none or opponent`, whose values need braces; returns true if it is that.
    pub(super) fn set_without_braces(
        &mut self,
        op: ast::BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        locals: &mut Locals,
    ) -> bool {
        let Some((first, mut values)) = plain_alternatives(op, left, right) else { return false };
        let last = first_conjunct(right);
        let ExprKind::Compare(term, rest) = &*first.kind else { return false };
        let [(CmpOp::In | CmpOp::NotIn, value)] = &rest[..] else { return false };
        if !is_plain_value(value) {
            return false;
        }
        values.insert(0, value);
        let Some(ty) = self.quiet_type(term, locals) else { return false };
        for value in &values {
            let fits = self.quiet_type(value, locals).is_some_and(|of| {
                !matches!(of.present().base(), Type::Bool | Type::Set(_)) && Type::join(&of, &ty).is_some()
            });
            if !fits {
                return false;
            }
        }
        let words: Vec<String> = values.iter().map(|value| print_expr(value)).collect();
        let new = format!("{{ {} }}", words.join(", "));
        let span = value.span.to(last.span);
        let found = Diagnostic::new(Code::E0201, "a set stands in braces", span, "values, and no set");
        self.report(found.help(format!("write `{new}`")).edit(span, new));
        true
    }

    /// Reports `lit[4] is on`, where a condition is compared with a word; returns true if it is that.
    pub(super) fn word_for_a_truth_value(
        &mut self,
        op: CmpOp,
        left: &ast::Expr,
        right: &ast::Expr,
        locals: &mut Locals,
    ) -> bool {
        let Some(word) = right.bare().as_name() else { return false };
        let value = match word.to_ascii_lowercase().as_str() {
            "on" | "yes" | "lit" | "open" | "set" | "active" => true,
            "off" | "no" | "unlit" | "closed" | "unset" | "inactive" => false,
            _ => return false,
        };
        if !self.is_new_name(word, right.span, locals) || self.options.damaged {
            return false;
        }
        if self.quiet_type(left, locals).is_none_or(|ty| *ty.base() != Type::Bool) {
            return false;
        }
        let term = print_expr(left);
        let holds = value == (op != CmpOp::NotEqual);
        let new = if holds { term.clone() } else { format!("not {term}") };
        let title = format!("there is no `{word}` here: `{term}` is true or false");
        let found = Diagnostic::new(Code::E0101, title, right.span, format!("the value is `{value}`"));
        let found = found.help(format!("a condition stands alone: write `{new}`"));
        self.report(found.edit(left.span.to(right.span), new));
        true
    }
}

/// The first condition of a chain of `and`.
fn first_conjunct(expr: &ast::Expr) -> &ast::Expr {
    let mut first = expr;
    while let ExprKind::Binary(ast::BinaryOp::And, left, _) = &*first.kind {
        first = left;
    }
    first
}

/// The first side of a chain of `or`, and the others if these are plain values; a conjunction at the end counts as its
/// first condition.
fn plain_alternatives<'e>(
    op: ast::BinaryOp,
    left: &'e ast::Expr,
    right: &'e ast::Expr,
) -> Option<(&'e ast::Expr, Vec<&'e ast::Expr>)> {
    let mut values = operands(op, left);
    values.push(first_conjunct(right));
    let first = values.remove(0);
    (op == ast::BinaryOp::Or && values.iter().all(|value| is_plain_value(value))).then_some((first, values))
}

/// Returns true for a name, a number, or `none`.
fn is_plain_value(expr: &ast::Expr) -> bool {
    matches!(&*expr.kind, ExprKind::Name(_) | ExprKind::Number(_) | ExprKind::None)
}

impl Analyzer<'_> {
    /// Returns true for `n => 3` in a text with mistakes: between numbers the arrow was reported as it was
    /// read.
    pub(super) fn arrow_between_numbers(&mut self, sides: [&ast::Expr; 2], locals: &mut Locals) -> bool {
        let mut is_number =
            |side| self.quiet_type(side, locals).is_some_and(|ty| matches!(ty.base(), Type::Int(..)));
        let are_numbers = sides.into_iter().all(&mut is_number);
        are_numbers && self.options.damaged
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn what_is_empty_has_a_value_of_its_type() {
        let text = |condition: &str| {
            format!(
                "game \"Empty\"; players A, B;
                 state {{ s: set of 1..4 = {{ 1 }}; at[k: 1..4]: Player? = none; n: 0..9 = 3; }}
                 move put(k: 1..4) as \"{{k}}\" {{ when {condition}; s |= {{ k }}; at[k] := me; n -= 1; }}
                 end {{ when stuck => mover loses; }}"
            )
        };
        for (condition, ours) in [
            ("s is empty", "{}"),
            ("s = empty", "{}"),
            ("at[k] is empty", "none"),
            ("at[k] is vacant", "none"),
            ("n is empty", "0"),
        ] {
            let told = found(&text(condition), Code::E0101);
            let [told] = &told[..] else { panic!("{told:?}") };
            assert_eq!(told.edits[0].text, ours, "{condition}");
        }
        let told = found(&text("s is vacant"), Code::E0101);
        assert!(told.len() == 1 && told[0].edits.is_empty(), "{told:?}");
    }

    #[test]
    fn arrows_between_numbers_are_told_once() {
        let codes = |condition: &str| {
            crate::testing::codes(&format!(
                "game \"Chest\"; players A, B; state {{ chest: 0..9 = 0; last: Player? = none; }}
                 move pay(k: 1..3) as \"{{k}}\" {{
                   when chest + k <= 9; chest += k; if {condition} {{ last := me; }} }}
                 end {{ for p in Player when last = p => p wins; when stuck => draw; }}"
            ))
        };
        assert_eq!(codes("chest + k => 9"), [Code::E0013]);
        assert_eq!(codes("chest implies k > 1"), [Code::E0201]);
    }
}
