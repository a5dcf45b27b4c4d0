//! W0126 for a condition that a chain of `and` or `or` has twice, or beside its opposite: `x = 9 or x = 9`, `a = x or a !=
//! x`.

use super::compare::{EqualityTest, operands};
use crate::analyzer::Analyzer;
use bouton_syntax::ast::{self, BinaryOp, ExprKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Reports the condition at the end of a chain, if an earlier one is the same or its opposite.
    pub(super) fn repeated_condition(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr) {
        let last = right.bare();
        let text = print_expr(last);
        let word = if op == BinaryOp::Or { "or" } else { "and" };
        let sides = operands(op, left);
        let relation = |side: &&ast::Expr| {
            if print_expr(side.bare()) == text {
                return Some(false);
            }
            are_opposite(side.bare(), last).then_some(true)
        };
        let Some((first, is_opposite)) =
            sides.iter().find_map(|side| relation(side).map(|opposite| (*side, opposite)))
        else {
            return;
        };
        if matches!(&*last.kind, ExprKind::Bool(_)) {
            return;
        }
        let is_known = |d: &Diagnostic| d.code == Code::W0126 && d.span() == right.span;
        if self.diagnostics.iter().any(is_known) || self.options.damaged {
            return;
        }
        let first_text = print_expr(first.bare());
        let (title, help) = match (is_opposite, op) {
            (false, _) => (
                format!("`{text}` stands twice in this condition"),
                "leave one of them out, or write the other condition that is meant",
            ),
            (true, BinaryOp::Or) => (
                format!("`{first_text} or {text}` is always true"),
                "one of the two holds in every position: leave both out, or write the value that is meant",
            ),
            (true, _) => (
                format!("`{first_text} and {text}` is never true"),
                "none of the positions satisfies both: write `or`, or the value that is meant",
            ),
        };
        let label = if is_opposite { "the opposite" } else { "the same" };
        let found = Diagnostic::new(Code::W0126, title, right.span, format!("{label}, behind `{word}`"));
        self.report(found.label(first.span, "the first").help(help));
    }
}

/// Returns true for `a = x` and `a != x`, and for `f` and `not f`.
fn are_opposite(a: &ast::Expr, b: &ast::Expr) -> bool {
    let denied = |of: &ast::Expr, other: &ast::Expr| matches!(&*of.kind, ExprKind::Unary(ast::UnaryOp::Not, inner) if print_expr(inner.bare()) == print_expr(other));
    match (EqualityTest::of(a), EqualityTest::of(b)) {
        (Some(a), Some(b)) => {
            a.is_unequal != b.is_unequal
                && print_expr(a.left) == print_expr(b.left)
                && print_expr(a.right) == print_expr(b.right)
        }
        _ => denied(a, b) || denied(b, a),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(condition: &str) -> Vec<String> {
        let text = format!(
            "game \"Repeated\"; players A, B; board Cell = grid(3, 3);
             state {{ at[c: Cell]: Player? = none; n: 0..9 = 0; over: bool = false; }}
             move go(c: Cell) as \"{{c}}\" {{ when {condition}; at[c] := me; n += 1; over := n = 8; }}
             end {{ when n = 9 => draw; }}"
        );
        found(&text, Code::W0126).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn conditions_stand_once() {
        assert_eq!(
            titles("at[c] = none or at[c] != none"),
            ["`at[c] = none or at[c] != none` is always true"]
        );
        assert_eq!(titles("over and n < 3 and (not over)"), ["`over and not over` is never true"]);
        assert_eq!(titles("n = 3 or n = 4 or n = 3"), ["`n = 3` stands twice in this condition"]);
        for condition in [
            "at[c] = none or n != 3",
            "n = 3 or n = 4",
            "over and n < 3 or not over",
            "at[c] != none or at[a1] = none",
        ] {
            assert_eq!(titles(condition), [""; 0], "{condition}");
        }
    }
}
