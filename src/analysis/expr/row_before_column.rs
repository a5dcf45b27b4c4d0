//! W0123 for `Cell(here.row, here.col)`, whose column and row are exchanged.

use super::compare::same_terms;
use crate::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{self, ExprKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Warns about the row of a cell in the place of the column, beside its column in the place of the row.
    pub(super) fn row_before_column(&mut self, name: &str, args: &[ast::Expr], span: Span) {
        let [first, second] = args else { return };
        let (ExprKind::Part(of, row), ExprKind::Part(other, col)) =
            (&*first.bare().kind, &*second.bare().kind)
        else {
            return;
        };
        let is_exchanged = row.text == "row" && col.text == "col" && same_terms(of, other);
        if !is_exchanged || self.options.damaged || !self.items().any(|(i, own)| own && i.span.covers(span)) {
            return;
        }
        let cell = print_expr(of);
        let title = format!("this is another cell than `{cell}`: its row stands where the column belongs");
        let found = Diagnostic::new(Code::W0123, title, first.span.to(second.span), "the column comes first");
        self.report_once(found.help(format!(
            "`{name}({cell}.col, {cell}.row)` is `{cell}` itself: write `{cell}`; if column and row are to be exchanged, write \
             `{cell}.transpose`"
        )));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn columns_come_first() {
        let told = |cell: &str| {
            let text = format!(
                "game \"Rows\"; players A, B; board C = grid(4, 3); state {{ here: C = b1; n: 0..9 = 0; }}
                 move go(d: Orthogonal) as \"{{d}}\" {{ when n < 9; let to = {cell} + d; here := to; n += 1; }}
                 end {{ when n = 9 => draw; when stuck => draw; }}"
            );
            found(&text, Code::W0123).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        let title = "this is another cell than `here`: its row stands where the column belongs";
        assert_eq!(told("C(here.row, here.col)"), [title]);
        for cell in ["C(here.col, here.row)", "here.transpose", "C(here.row, 4 - here.col)"] {
            assert_eq!(told(cell), [""; 0], "{cell}");
        }
    }
}
