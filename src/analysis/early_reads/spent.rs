//! Numbers that are spent so far, `3 - f` of a field that is 3 at first, which an effect reads too early.

use super::{Reader, Statement};
use bouton_rules::{Arith, Expr, ExprKind, Value};

impl Reader<'_, '_> {
    /// Returns true for `3 - f` as a part of an effect, where `f` is a field that is 3 at first: what is spent so far.
    pub(super) fn is_what_is_spent(&self, expr: &Expr) -> bool {
        let ExprKind::Arith { op: Arith::Sub, left, right, .. } = &*expr.kind else { return false };
        let (Some(first @ Value::Int(_)), ExprKind::Field(field, _)) = (left.constant(), &*right.kind) else {
            return false;
        };
        let init = &self.rules.fields[*field].init;
        self.statement == Statement::Effect && !init.is_empty() && init.iter().all(|value| value == first)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn what_is_spent_so_far() {
        let count = |body: &str| {
            let text = format!(
                "game \"Pour\"; players A, B; state {{ cans[p: Player]: 0..3 = 3; left: 0..9 = 9; round: 0..9 = 0; }}
                 move pour(k: 0..2) as \"{{k}}\" {{ when cans[me] > 0 and left >= k; {body} }}
                 end {{ when round = 3 => draw; when stuck => draw; }}"
            );
            found(&text, Code::W0313).len()
        };
        for body in ["cans[me] -= 1; left -= k; round := 3 - cans[me];", "left -= 1; round := 9 - left;"] {
            assert_eq!(count(body), 1, "{body}");
        }
        for body in [
            "cans[me] -= 1; left -= k; round := 4 - cans[me];",
            "cans[me] -= 1; left -= k; round := 3 - cans[opponent];",
            "cans[me] -= 1; left -= k; then { round := 3 - cans[me]; }",
            "round := 3 - cans[me]; cans[me] -= 1; left -= k;",
            "left -= k; round := 9 - left + k;",
        ] {
            assert_eq!(count(body), 0, "{body}");
        }
    }
}
