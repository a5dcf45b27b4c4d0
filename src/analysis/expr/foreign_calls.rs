//! Calls of functions of other languages whose arguments show what is meant.

use crate::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::Expr;
use bouton_syntax::ast;
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Reports `abs(a - b)`, and gives the greater of both differences.
    pub(super) fn absolute_value(&mut self, of: &ast::Expr, callee: Span, span: Span) -> Expr {
        let written = match &*of.kind {
            ast::ExprKind::Binary(ast::BinaryOp::Subtract, left, right) => {
                let (left, right) = (bouton_syntax::print_expr(left), bouton_syntax::print_expr(right));
                // What is taken away from the other side stands in brackets.
                let negated = |term: &String| match term.contains([' ', '-']) {
                    true => format!("({term})"),
                    false => term.clone(),
                };
                format!("max({left} - {}, {right} - {})", negated(&right), negated(&left))
            }
            _ => {
                let term = bouton_syntax::print_expr(of);
                format!("max({term}, -({term}))")
            }
        };
        let title = "there is no `abs` here: the greater of a number and its negative is the absolute value";
        let found = Diagnostic::new(Code::E0101, title, callee, "");
        self.report(found.help(format!("write `{written}`")).edit(span, written));
        self.poison(span)
    }

    /// Reports `range(0, 3)`, whose end does not belong to it, and gives the range that it means.
    pub(super) fn range_call(&mut self, args: &[ast::Expr], callee: Span, span: Span) -> Expr {
        let number = |arg: &ast::Expr| match &*arg.bare().kind {
            ast::ExprKind::Number(digits) => digits.parse::<i64>().ok(),
            _ => None,
        };
        let bounds = match args {
            [end] => number(end).map(|end| (0, end - 1)),
            [start, end] => number(start).zip(number(end)).map(|(start, end)| (start, end - 1)),
            _ => None,
        };
        let title = "a range is written with two dots, and both its ends belong to it";
        let found = Diagnostic::new(Code::E0101, title, callee, "");
        self.report(match bounds {
            Some((low, high)) => {
                found.help(format!("write `{low}..{high}`")).edit(span, format!("{low}..{high}"))
            }
            None => {
                found.help("write `0..n - 1` for `range(n)`; to go through the elements of a set, `x in S`")
            }
        });
        self.poison(span)
    }
}
