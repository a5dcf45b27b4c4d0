//! W0125 for a choice that gives the same either way: `if p = best then stake else stake`.

use crate::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{self, ExprKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Warns about a choice whose branches are the same.
    pub(super) fn equal_branches(&mut self, [yes, no]: [&ast::Expr; 2], span: Span) {
        let (yes, no) = (yes.bare(), no.bare());
        let term = print_expr(yes);
        if self.options.damaged || matches!(&*yes.kind, ExprKind::Error) || print_expr(no) != term {
            return;
        }
        let title = format!("both branches of this `if` are `{term}`: its condition decides nothing");
        let found =
            Diagnostic::new(Code::W0125, title, no.span, "the same again").label(yes.span, "the first");
        let found = found.label(span, "this choice");
        self.report_once(found.help(format!(
            "write the other term that is meant in one of them, or `{term}` alone without `if`"
        )));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(amount: &str) -> Vec<String> {
        let text = format!(
            "game \"Take\"; players A, B; state {{ left: 0..9 = 9; half: bool = false; }}
             def amount(k: 1..2): 0..9 = {amount};
             move take(k: 1..2) as \"{{k}}\" {{ when left >= amount(k); left -= amount(k); half := not half; }}
             move leave() as \"leave\" {{ when left > 0 and half; left -= 1; }} play normal;"
        );
        let found = found(&text, Code::W0125);
        assert!(found.iter().all(|found| found.edits.is_empty()));
        found.into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn branches_differ() {
        let title = "both branches of this `if` are `k`: its condition decides nothing";
        assert_eq!(titles("if half then k else k"), [title]);
        assert_eq!(titles("if half then (k) else k"), [title]);
        assert_eq!(titles("if half then 1 else if left > 3 then k else k"), [title]);
        for amount in ["if half then k else 1", "if half then k else if left > 3 then 1 else k"] {
            assert_eq!(titles(amount), [""; 0], "{amount}");
        }
    }
}
