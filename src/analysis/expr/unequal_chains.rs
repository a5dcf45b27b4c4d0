//! W0120 for `a != b != c`, which compares neighbours alone: the first and the last may be equal.

use crate::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{self, CmpOp, ExprKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Warns about a chain of `!=`. One with `none` or another value in its middle asks whether both ends differ from it.
    pub(super) fn chain_of_unequals(&mut self, first: &ast::Expr, rest: &[(CmpOp, ast::Expr)], span: Span) {
        if rest.len() < 2 || rest.iter().any(|(op, _)| *op != CmpOp::NotEqual) || self.options.damaged {
            return;
        }
        let terms: Vec<&ast::Expr> =
            std::iter::once(first).chain(rest.iter().map(|(_, term)| term)).collect();
        let is_value = |term: &&ast::Expr| {
            matches!(&*term.bare().kind, ExprKind::None | ExprKind::Number(_) | ExprKind::Bool(_))
        };
        if terms.iter().any(is_value) {
            return;
        }
        let shown: Vec<String> = terms.iter().map(|term| print_expr(term)).collect();
        let (a, c) = (&shown[0], &shown[2]);
        if a == c {
            return;
        }
        let each: Vec<String> = shown.windows(2).map(|pair| format!("{} != {}", pair[0], pair[1])).collect();
        let neighbours = each.join(" and ");
        let different = match shown.len() {
            3 => format!("{neighbours} and {a} != {c}"),
            n => format!("#{{ {} }} = {n}", shown.join(", ")),
        };
        let title = format!("`!=` compares neighbours alone: `{a}` and `{c}` may be equal here");
        let found = Diagnostic::new(Code::W0120, title, span, format!("means `{neighbours}`"));
        self.report_once(found.help(format!(
            "if all are to be different, write `{different}`; if `{a}` and `{c}` may be equal, write `{neighbours}`"
        )));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn helps(condition: &str) -> Vec<String> {
        let text = format!(
            "game \"Deal\"; players A, B; enum Card {{ low, mid, high, top }} state {{ on[p: Player]: Card? = none; n: 0..3 = 3; }}
             move give(a: Card, b: Card, c: Card, d: Card) as \"{{a}} {{b}} {{c}} {{d}}\" {{
               when n > 0 and {condition}; on[me] := a; n -= 1; }}
             end {{ when on[A] = on[B] => draw; when stuck => mover loses; }}"
        );
        let found = found(&text, Code::W0120);
        assert!(found.iter().all(|found| found.edits.is_empty()));
        found.into_iter().filter_map(|found| found.help).collect()
    }

    #[test]
    fn chains_of_unequals_leave_the_ends_out() {
        assert_eq!(
            helps("a != b != c and d = a"),
            [
                "if all are to be different, write `a != b and b != c and a != c`; if `a` and `c` may be equal, write `a != b and b \
              != c`"
            ]
        );
        let four = helps("a != b != c != d");
        assert!(four[0].starts_with("if all are to be different, write `#{ a, b, c, d } = 4`"), "{four:?}");
        for condition in [
            "a != b and b != c and c != d",
            "on[me] != none != on[opponent]",
            "a = b = c and d = a",
            "a < b < c",
        ] {
            assert_eq!(helps(condition), [""; 0], "{condition}");
        }
    }
}
