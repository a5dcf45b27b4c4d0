//! Numbers: exact arithmetic, with intervals as types.

use bouton_base::rational::Rational;

use crate::analyzer::Analyzer;
use crate::locals::Locals;
use bouton_base::source::Span;
use bouton_rules::{Arith, DIR, Expr, ExprKind, Type, Value};
use bouton_syntax::ast;
use bouton_syntax::diag::{Code, Diagnostic};

impl<'a> Analyzer<'a> {
    /// A number literal: whole, or with a decimal point. Where numbers are exact, it may have any length.
    pub fn number(&mut self, digits: &str, span: Span, locals: &Locals) -> Expr {
        let value = match digits.split_once('.') {
            None if locals.exact => digits.parse().ok().map(Value::ratio),
            None => digits.parse::<i64>().ok().map(Value::Int),
            Some((whole, part)) => decimal(whole, part).map(Value::ratio),
        };
        match value {
            Some(Value::Int(i)) => self.value(Value::Int(i), Type::Int(i, i), span),
            Some(value) => self.value(value, Type::Ratio, span),
            None => {
                let title = "this number is too large";
                let found = Diagnostic::new(Code::E0210, title, span, format!("at most {}", i64::MAX));
                self.report(found.help("games with fewer than 2^63 of anything are meant"));
                self.poison(span)
            }
        }
    }

    /// `-e`
    pub fn negate(&mut self, inner: &ast::Expr, span: Span, locals: &mut Locals) -> Expr {
        let words = inner;
        let inner = self.expr(inner, None, locals);
        if self.negative_direction(&inner, words, span) {
            return self.poison(span);
        }
        let inner = self.as_number(inner);
        let ty = match inner.ty.interval() {
            Some((a, b)) => Type::Int(b.saturating_neg(), a.saturating_neg()),
            None => inner.ty.clone(),
        };
        self.node(ExprKind::Negate(inner), ty, span)
    }

    /// An expression as a number; reports any other type.
    pub fn as_number(&mut self, made: Expr) -> Expr {
        let made = self.present(made);
        match made.ty.base() {
            Type::Int(..) | Type::Ratio | Type::Error => made,
            _ => {
                self.wrong_type(made.span, "a number", &made.ty.clone());
                self.poison(made.span)
            }
        }
    }

    /// Reports `2 * d` of a direction, `d + e` of two and `c - d` of a cell; returns true if it is that.
    fn arithmetic_of_steps(&mut self, op: Arith, left: &Expr, right: &Expr, span: Span) -> bool {
        let is_dir = |made: &Expr| matches!(made.ty.present().base(), Type::Sym(DIR));
        let (title, help) = match op {
            Arith::Mul if is_dir(left) || is_dir(right) => (
                "a direction is no number: it has no multiples",
                "write one step after the other, `c + d + d`; `ray(c, d)` are all cells in a direction",
            ),
            Arith::Add if is_dir(left) && is_dir(right) => (
                "two directions do not add",
                "step twice, `c + d + e`, from a cell; a diagonal direction has a name of its own, such as `NE`",
            ),
            Arith::Sub if is_dir(right) && self.board_of(&left.ty).is_some() => (
                "a step goes in a direction, and never back",
                "add the opposite direction, or name the cell before: `b + d = c` holds for the cell `b` behind `c`",
            ),
            Arith::Sub if self.board_of(&left.ty).is_some() && self.board_of(&right.ty).is_some() => (
                "cells have no difference",
                match self.rules.enums[DIR].members.is_empty() {
                    true => "`b in a.neighbors` holds for two points that are joined",
                    false => {
                        "`a.col - b.col` and `a.row - b.row` are numbers; `dir(a, b)` is the direction from a to b"
                    }
                },
            ),
            _ => return false,
        };
        self.report(Diagnostic::new(Code::E0201, title, span, "not defined").help(help));
        true
    }

    /// Elaborates arithmetic on two numbers.
    pub fn arith(&mut self, op: Arith, left: Expr, right: Expr, span: Span, locals: &Locals) -> Expr {
        // What stands beside a damaged term may be no number: `damaged + N`.
        if left.ty == Type::Error
            || right.ty == Type::Error
            || self.arithmetic_of_steps(op, &left, &right, span)
            || self.next_player_as_a_sum(op, &left, &right, span)
        {
            return self.poison(span);
        }
        let (left, right) = (self.as_number(left), self.as_number(right));
        if left.ty == Type::Error || right.ty == Type::Error {
            return self.poison(span);
        }
        if matches!(op, Arith::Div | Arith::Mod)
            && let Some((lo, hi)) = right.ty.interval()
            && lo <= 0
            && 0 <= hi
        {
            let word = if op == Arith::Div { "division" } else { "`mod`" };
            let title = format!("{word} by what can be 0 has no value there");
            let found = Diagnostic::new(Code::E0212, title, right.span, format!("{lo}..{hi}"));
            self.report(found.help("give the divisor a range without 0, or write `max(1, ...)` around it"));
            return self.poison(span);
        }
        let exact = op == Arith::Div && locals.exact;
        let ty = match (left.ty.interval(), right.ty.interval()) {
            (Some(a), Some(b)) if !exact => op.interval(a, b),
            _ => Type::Ratio,
        };
        self.node(ExprKind::Arith { op, exact, left, right }, ty, span)
    }
}

fn decimal(whole: &str, part: &str) -> Option<Rational> {
    format!("{whole}{part}/1{}", "0".repeat(part.len())).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal("0", "5"), Some(Rational::new(1, 2)));
        assert_eq!(decimal("1", "25"), Some(Rational::new(5, 4)));
        let long = decimal("0", "0452489496255260000000000000001").map(|number| number.to_string());
        assert_eq!(long.as_deref(), Some("452489496255260000000000000001/10000000000000000000000000000000"));
    }
}
