//! Sums, counts and extremes that take in the comparison which is meant of their result.

use super::binders::Quantification;
use crate::analyzer::Analyzer;
use crate::locals::Locals;
use bouton_base::source::Span;
use bouton_rules::Type;
use bouton_syntax::ast::{self, BinaryOp, CmpOp, ExprKind, Quantifier};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Reports `sum h in Heap: size[h] = 0`, `max p in Player: score[p] > 3` and `count c in Cell: at[c] = p = 0`, whose
    /// last comparison belongs outside; returns true if it is that.
    pub(super) fn takes_in_a_comparison(
        &mut self,
        quantification: Quantification,
        want: Option<&Type>,
        locals: &mut Locals,
    ) -> bool {
        let Quantification { quantifier, body, span, .. } = quantification;
        let ExprKind::Compare(first, rest) = &*first_condition(body).kind else { return false };
        let Some(((op, value), before)) = rest.split_last() else { return false };
        if matches!(op, CmpOp::In | CmpOp::NotIn) {
            return false;
        }
        let inner = before.last().map_or(first, |(_, side)| side);
        let Some(trial) = self.begin_trial() else { return false };
        let ty = self.expr(inner, None, locals).ty.present().clone();
        let number = self.expr(value, None, locals).ty.present().clone();
        let is_meaningful = self.end_trial(trial);
        let is_number = |ty: &Type| matches!(ty.base(), Type::Int(..) | Type::Ratio);
        let is_alone = before.is_empty() && is_number(&ty);
        let (word, fits) = match quantifier {
            Quantifier::Sum => ("sum", is_alone),
            Quantifier::Min => ("min", is_alone),
            Quantifier::Max => ("max", is_alone),
            // The last of `score[p] > 3 = 1` compares two numbers, whatever p is.
            _ if !before.is_empty() && are_numbers([inner, value]) => ("count", true),
            _ => ("count", !is_number(&ty) && !matches!(ty.base(), Type::Error)),
        };
        if !is_meaningful || !fits || !is_number(&number) {
            return false;
        }
        let tail = Span { start: inner.span.end, end: value.span.end, ..span };
        let whole = Span { end: inner.span.end, ..span };
        let value_words = bouton_syntax::print_expr(value);
        let sign = sign_of(*op);
        let title = format!("the `{word}` takes in `{sign} {value_words}` as well");
        let found = Diagnostic::new(Code::E0201, title, tail, "compared for each, not as a whole");
        let part = match before {
            [] => first.clone(),
            _ => ast::Expr::new(ExprKind::Compare(first.clone(), before.to_vec()), whole),
        };
        let quantified =
            ast::Expr::new(ExprKind::Quant(quantifier, quantification.binders.to_vec(), part), whole);
        let form = bouton_syntax::print_expr(&quantified);
        let help = format!("brackets end the `{word}`: `({form}) {sign} {value_words}`");
        let found = found.help(match want {
            Some(Type::Bool) => help,
            _ if quantifier == Quantifier::Sum => {
                format!("{help}; how many satisfy a condition is `count ... : ...`")
            }
            _ => help,
        });
        let is_condition = matches!(want, Some(Type::Bool));
        self.report(match is_condition {
            true => found
                .edit(Span { end: span.start, ..span }, "(")
                .edit(Span { start: whole.end, ..whole }, ")"),
            false => found,
        });
        true
    }
}

/// Returns true for two numbers that are written out.
fn are_numbers(sides: [&ast::Expr; 2]) -> bool {
    sides.iter().all(|side| matches!(&*side.bare().kind, ExprKind::Number(_)))
}

/// The first side of a chain of `and` and `or`.
fn first_condition(expr: &ast::Expr) -> &ast::Expr {
    match &*expr.kind {
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, _) => first_condition(left),
        _ => expr,
    }
}

/// A comparison as `fmt` writes it.
fn sign_of(op: CmpOp) -> &'static str {
    match op {
        CmpOp::DoubleEqual | CmpOp::Is => "=",
        other => bouton_syntax::print_comparison(other),
    }
}
