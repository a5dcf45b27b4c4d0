//! Truth values that are compared: `x = none = true`, `lit[4] is on`.

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
