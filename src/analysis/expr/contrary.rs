//! W0126 for two comparisons of one term with two values: `k = 1 and k = 2` never holds, and `k != 1 or k != 2` always
//! does; so do `k > 1 or k < 4`, whose half-lines cover all numbers.

use std::collections::HashSet;

use super::compare::{EqualityTest, alternatives, operands};
use super::decided::{literal, mirrored};
use crate::analyzer::Analyzer;
use crate::lints::expr_names;
use crate::locals::Locals;
use crate::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::Type;
use bouton_syntax::ast::{self, BinaryOp, CmpOp};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Reports a comparison at the end of a chain of `and` or `or`, and an earlier one that contradicts it.
    pub(super) fn contrary_conditions(
        &mut self,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        locals: &Locals,
    ) {
        let is_or = op == BinaryOp::Or;
        let is_of_kind = |side: &EqualityTest<'_>| side.is_unequal == is_or;
        let Some(second) = EqualityTest::of(right).filter(is_of_kind) else { return };
        let term = print_expr(second.left);
        let sides = operands(op, left);
        let mut earlier = sides.iter().filter_map(|side| EqualityTest::of(side)).filter(is_of_kind);
        let earlier: Vec<EqualityTest<'_>> =
            earlier.by_ref().filter(|first| print_expr(first.left) == term).collect();
        let mut differs = |first: &EqualityTest<'_>| {
            self.are_two_values(first.right, second.right, locals)
                || is_or && self.are_two_fields(&second, first.right, locals)
                || !is_or && self.are_two_constants([first.right, second.right], locals)
        };
        let Some(first) = earlier.into_iter().find(|first| differs(first)) else { return };
        let place = first.left.span.to(first.right.span);
        let is_told = |span: Span| self.diagnostics.iter().any(|d| d.code == Code::W0126 && d.span() == span);
        let is_of_chain =
            |found: &Diagnostic| found.code == Code::W0126 && found.labels.iter().any(|l| l.span == place);
        if is_told(right.span) || self.diagnostics.iter().any(is_of_chain) {
            return;
        }
        let [one, other] = [first.with(first.right), second.with(second.right)];
        let is_sure = self.are_two_values(first.right, second.right, locals);
        let (title, label) = match (is_or, is_sure) {
            (false, _) => {
                (format!("`{one}` and `{other}` are never true together"), "always false beside the other")
            }
            (true, true) => {
                (format!("`{one} or {other}` is always true"), "true wherever the other is false")
            }
            (true, false) => {
                let [a, b] = [first.right, second.right].map(print_expr);
                (
                    format!("`{one} or {other}` is true unless `{a}` and `{b}` are the same"),
                    "true wherever the other is false",
                )
            }
        };
        let help = match is_or && !is_sure {
            true => format!("for a value that is neither of them write `{one} and {other}`"),
            false => alternatives(op, &[first.right, second.right], first),
        };
        let found = Diagnostic::new(Code::W0126, title, right.span, label);
        self.report(found.label(place, "the other value").help(help));
    }

    /// Reports a comparison at the end of a chain of `or`, if it holds wherever an earlier one does not, and one at the
    /// end of a chain of `and`, if it holds nowhere beside an earlier one.
    pub(super) fn contrary_half_lines(
        &mut self,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        locals: &Locals,
    ) {
        // Of a term without a value, no comparison is true.
        let Some(second) =
            NumberTest::of(right).filter(|test| op == BinaryOp::And || self.is_number(test.term, locals))
        else {
            return;
        };
        let term = print_expr(second.term);
        let is_contrary = |first: &NumberTest<'_>| match op {
            BinaryOp::Or => first.covers_all_with(&second),
            _ => first.is_apart_from(&second),
        };
        let mut earlier = operands(op, left).into_iter().filter_map(NumberTest::of);
        let Some(first) = earlier.find(|first| print_expr(first.term) == term && is_contrary(first)) else {
            return;
        };
        let is_told = |d: &Diagnostic| d.code == Code::W0126 && d.span() == right.span;
        if self.diagnostics.iter().any(is_told) {
            return;
        }
        let [one, other] = [first.whole, second.whole].map(print_expr);
        let (title, label, help) = match op {
            BinaryOp::Or if first.is_apart_from(&second) => (
                format!("`{one} or {other}` is always true"),
                "true wherever the other is false",
                format!("no `{term}` makes both false: write the condition that is meant"),
            ),
            BinaryOp::Or if first.is_unequal || second.is_unequal => (
                format!("`{one} or {other}` is always true"),
                "true wherever the other is false",
                format!("if both are to hold, write `{one} and {other}`"),
            ),
            BinaryOp::Or => (
                format!("`{one} or {other}` is always true"),
                "true wherever the other is false",
                format!("for the numbers between them write `{one} and {other}`"),
            ),
            _ => (
                format!("`{one}` and `{other}` are never true together"),
                "always false beside the other",
                format!("if one of them is enough, write `{one} or {other}`"),
            ),
        };
        let found = Diagnostic::new(Code::W0126, title, right.span, label);
        self.report(found.label(first.whole.span, "the other one").help(help));
    }

    /// Returns true for a field or a variable whose values are whole numbers.
    fn is_number(&self, term: &ast::Expr, locals: &Locals) -> bool {
        let name = match &*term.kind {
            ast::ExprKind::Index(of, _) => of.as_name().filter(|name| !locals.has(name)),
            _ => term.as_name(),
        };
        let Some(name) = name else { return false };
        match locals.stack.iter().rev().find(|local| local.name == name) {
            Some(local) => matches!(local.ty, Type::Int(..)),
            None => {
                self.field_of(name).is_some_and(|field| matches!(self.rules.fields[field].ty, Type::Int(..)))
            }
        }
    }

    /// Returns true for two different numbers, or two different members of types.
    fn are_two_values(&self, a: &ast::Expr, b: &ast::Expr, locals: &Locals) -> bool {
        let is_member = |name: &str| {
            !locals.has(name)
                && self.members.contains_key(name)
                && !super::BUILT_IN_NAMES.contains(&name)
                && self.symbols.get(name).is_none()
        };
        match (&*a.kind, &*b.kind) {
            (ast::ExprKind::Number(a), ast::ExprKind::Number(b)) => {
                matches!((a.parse::<i64>(), b.parse::<i64>()), (Ok(a), Ok(b)) if a != b)
            }
            (ast::ExprKind::Name(a), ast::ExprKind::Name(b)) => a != b && is_member(a) && is_member(b),
            _ => false,
        }
    }

    /// Returns true for two terms of constants alone whose values differ, whatever the parameters are.
    fn are_two_constants(&mut self, terms: [&ast::Expr; 2], locals: &Locals) -> bool {
        let [a, b] = terms.map(|term| {
            let mut names = HashSet::new();
            expr_names(term, &mut names);
            if names.iter().any(|name| locals.has(name)) || self.depends_on_a_parameter(term) {
                return None;
            }
            let trial = self.begin_trial()?;
            let made = self.expr(term, None, &mut Locals::constant());
            if !self.end_trial(trial) || !self.is_static(&made) {
                return None;
            }
            self.constant_value(&[], &made).ok()?
        });
        matches!((a, b), (Some(a), Some(b)) if a != b)
    }

    /// Returns true if a variable is compared with a field, and with another one. A field that is unlike one of two
    /// others is no such case: `a != b or a != c` says that the three are not all alike.
    fn are_two_fields(&self, test: &EqualityTest<'_>, other: &ast::Expr, locals: &Locals) -> bool {
        let is_field = |name: &str| {
            !locals.has(name)
                && self
                    .symbols
                    .get(name)
                    .is_some_and(|symbol| matches!(symbol.kind, SymbolKind::Field { .. }))
        };
        let names = [test.left, test.right, other].map(|term| match &*term.kind {
            ast::ExprKind::Name(name) => Some(name),
            _ => None,
        });
        match names {
            [Some(term), Some(a), Some(b)] => locals.has(term) && a != b && is_field(a) && is_field(b),
            _ => false,
        }
    }
}

/// A comparison of a term with a number.
struct NumberTest<'e> {
    whole: &'e ast::Expr,
    term: &'e ast::Expr,
    /// The ends of the numbers that satisfy it; of those that do not, if it is `!=`.
    low: Option<i64>,
    high: Option<i64>,
    is_unequal: bool,
}

impl<'e> NumberTest<'e> {
    fn of(whole: &'e ast::Expr) -> Option<NumberTest<'e>> {
        let whole = whole.bare();
        let ast::ExprKind::Compare(left, rest) = &*whole.kind else { return None };
        let [(op, right)] = &rest[..] else { return None };
        let (term, n, op) = match (literal(left), literal(right)) {
            (None, Some(n)) => (left, n, *op),
            (Some(n), None) => (right, n, mirrored(*op)),
            _ => return None,
        };
        let (low, high) = match op {
            CmpOp::Less => (None, Some(n.checked_sub(1)?)),
            CmpOp::LessEqual => (None, Some(n)),
            CmpOp::Greater => (Some(n.checked_add(1)?), None),
            CmpOp::GreaterEqual => (Some(n), None),
            CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is | CmpOp::NotEqual => (Some(n), Some(n)),
            _ => return None,
        };
        Some(NumberTest { whole, term: term.bare(), low, high, is_unequal: op == CmpOp::NotEqual })
    }

    /// Returns true for a comparison by the order of numbers.
    fn is_half_line(&self) -> bool {
        self.low.is_none() || self.high.is_none()
    }

    /// Returns true if all numbers that one of two comparisons has between its ends are between those of the other.
    fn is_within(&self, other: &NumberTest) -> bool {
        let is_above = other.low.is_none_or(|low| self.low.is_some_and(|own| own >= low));
        is_above && other.high.is_none_or(|high| self.high.is_some_and(|own| own <= high))
    }

    /// Returns true if every number satisfies one of the two, one of which is a half-line.
    fn covers_all_with(&self, other: &NumberTest) -> bool {
        match (self.is_unequal, other.is_unequal) {
            (true, true) => false,
            (true, false) => other.is_half_line() && self.is_within(other),
            (false, true) => self.is_half_line() && other.is_within(self),
            (false, false) => match (self.low, self.high, other.low, other.high) {
                (Some(low), None, None, Some(high)) | (None, Some(high), Some(low), None) => {
                    low <= high.saturating_add(1)
                }
                _ => false,
            },
        }
    }

    /// Returns true if no number satisfies both, one of which is a half-line.
    fn is_apart_from(&self, other: &NumberTest) -> bool {
        let is_below =
            |a: &NumberTest, b: &NumberTest| matches!((a.high, b.low), (Some(high), Some(low)) if high < low);
        !self.is_unequal
            && !other.is_unequal
            && (self.is_half_line() || other.is_half_line())
            && (is_below(self, other) || is_below(other, self))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(condition: &str) -> Vec<String> {
        let text = format!(
            "game \"Contrary\"; players A, B; board Cell = grid(3, 3);
             state {{ here: Cell = b2; old: Cell = b2; n: 0..9 = 0; }}
             move go(to: Cell) as \"{{to}}\" {{ when to in here.neighbors and ({condition}); old := here; here := to; n += 1; }}
             end {{ when n = 9 => draw; when here = old => draw; }}"
        );
        found(&text, Code::W0126).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn one_of_two_inequalities_holds() {
        assert_eq!(titles("to != a1 or to != c3"), ["`to != a1 or to != c3` is always true"]);
        assert_eq!(titles("n != 1 or n != 2 or n != 3"), ["`n != 1 or n != 3` is always true"]);
        assert_eq!(
            titles("to != here or to != old"),
            ["`to != here or to != old` is true unless `here` and `old` are the same"]
        );
    }

    #[test]
    fn other_alternatives_may_fail() {
        for condition in [
            "to != a1 and to != c3",
            "to != a1 or here != c3",
            "to != a1 or to = c3",
            "here != old or here != to",
            "to != a1 or to != here",
            "to.row != 1 or to.col != 2",
        ] {
            assert!(titles(condition).is_empty(), "{condition}");
        }
    }

    #[test]
    fn half_lines_cover_all_numbers_or_none() {
        assert_eq!(titles("n > 1 or n < 4"), ["`n > 1 or n < 4` is always true"]);
        assert_eq!(titles("n <= 3 or to = here or 3 < n"), ["`n <= 3 or 3 < n` is always true"]);
        assert_eq!(titles("n < 2 and n > 5"), ["`n < 2` and `n > 5` are never true together"]);
        assert_eq!(titles("n = 0 and n >= 1"), ["`n = 0` and `n >= 1` are never true together"]);
        assert_eq!(
            titles("#to.neighbors > 2 and 2 = #to.neighbors"),
            ["`#to.neighbors > 2` and `2 = #to.neighbors` are never true together"]
        );
        assert_eq!(titles("n != 3 or n > 1"), ["`n != 3 or n > 1` is always true"]);
        for condition in [
            "n = 3 and n > 2",
            "n = 3 or n > 3",
            "n != 3 or n > 3",
            "n != 3 and n > 1",
            "n < 2 or n > 5",
            "n < 4 or n > 4",
            "n > 1 and n < 4",
            "n > 1 or to.row < 4",
            "n > 1 or n > 4",
        ] {
            assert!(titles(condition).is_empty(), "{condition}");
        }
    }
}
