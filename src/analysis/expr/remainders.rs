//! W0126 for a sum that ends in a remainder without brackets and is compared with a number that it cannot be:
//! `c.row + c.col mod 2 = 0`, where `mod` takes in the last term alone.

use super::decided::literal;
use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_rules::{Expr, Type};
use bouton_syntax::ast::{self, BinaryOp, CmpOp};
use bouton_syntax::diag::{Code, Diagnostic};

impl<'a> Analyzer<'a> {
    /// Warns about `a + b mod m = n` that never holds, where `(a + b) mod m` may be n.
    pub(super) fn remainder_of_last_term(
        &mut self,
        op: CmpOp,
        words: [&ast::Expr; 2],
        made: [&Expr; 2],
        locals: &Locals,
    ) {
        // A board of no cells is reported as such.
        if locals.place == ExprPlace::Static {
            return;
        }
        let (sum, of, n) = match (literal(words[0]), literal(words[1])) {
            (None, Some(n)) => (words[0], made[0], n),
            (Some(n), None) => (words[1], made[1], n),
            _ => return,
        };
        let Type::Int(low, high) = of.ty else { return };
        let ast::ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, _, last) = &*sum.bare().kind else {
            return;
        };
        // In brackets, the last term is meant.
        let ast::ExprKind::Binary(BinaryOp::Mod, number, divisor) = &*last.kind else { return };
        let is_equation = matches!(op, CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is | CmpOp::NotEqual);
        let is_remainder = literal(divisor).is_some_and(|divisor| (0..divisor).contains(&n));
        let span = words[0].span.to(words[1].span);
        let is_known = |found: &Diagnostic| found.code == Code::W0126 && found.span() == span;
        let is_open = low > high || (low..=high).contains(&n);
        if !is_equation || !is_remainder || is_open || self.diagnostics.iter().any(is_known) {
            return;
        }
        let word = if op == CmpOp::NotEqual { "always" } else { "never" };
        let print = bouton_syntax::print_expr;
        let mut whole = sum.bare().clone();
        if let ast::ExprKind::Binary(_, _, last) = &mut *whole.kind {
            *last = number.clone();
        }
        let title = format!("this is {word} true: `{}` is {low}..{high}", print(sum.bare()));
        let help =
            format!("for the remainder of the sum, write `({}) mod {}`", print(&whole), print(divisor));
        let label = format!("`mod` binds before `+`: `({})`", print(last));
        let found = Diagnostic::new(Code::W0126, title, span, format!("{word} true"));
        self.report(found.label(last.span, label).help(help));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn sums_with_a_remainder_are_bracketed() {
        let helps = |condition: &str| {
            let text = format!(
                "game \"Sums\"; players A, B; board Cell = grid(3, 3); state {{ at[c: Cell]: Player? = none; }}
                 move mark(c: Cell) as \"{{c}}\" {{ when at[c] = none; when {condition} or c = a1; at[c] := me; }}
                 play normal;"
            );
            let help = |found: bouton_syntax::diag::Diagnostic| found.help.unwrap_or_default();
            found(&text, Code::W0126).into_iter().map(help).collect::<Vec<_>>()
        };
        let help = "for the remainder of the sum, write `(c.row + c.col) mod 2`";
        assert_eq!(helps("c.row + c.col mod 2 = 0"), [help]);
        assert_eq!(helps("0 != c.row + c.col mod 2"), [help]);
        for condition in [
            "(c.row + c.col) mod 2 = 0",
            "c.row + c.col mod 2 = 1",
            "c.row + (c.col mod 2) = 0",
            "c.row - c.col mod 2 = 0",
            "c.row + c.col mod 2 = 9",
        ] {
            assert_eq!(helps(condition), [""; 0], "{condition}");
        }
    }
}
