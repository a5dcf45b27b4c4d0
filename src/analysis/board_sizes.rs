//! W0123 for a parameter whose range has values that are no size of a board: `param w: 0..4` and `grid(w, 3)`.

use super::analyzer::Analyzer;
use super::shared_payoffs::names;
use bouton_syntax::ast::{BoardForm, ExprKind, ItemKind, Type, TypeKind, UnaryOp};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Warns of parameters that are sizes of boards and may be 0 or less.
    pub(super) fn sizes_of_boards(&mut self) {
        let mut found = Vec::new();
        for (item, own) in self.items() {
            let ItemKind::Board { form: BoardForm::Expr(shape), .. } = &item.kind else { continue };
            let ExprKind::Call(_, sizes) = &*shape.bare().kind else { continue };
            if !own {
                continue;
            }
            for size in sizes {
                let Some(name) = size.bare().as_name() else { continue };
                found.extend(self.no_size(name).map(|found| found.label(size.span, "a size of the board")));
            }
        }
        found.into_iter().for_each(|found| self.report_once(found));
    }

    /// The report on a parameter whose range begins below 1, unless a condition may rule such values out.
    fn no_size(&self, name: &str) -> Option<Diagnostic> {
        let mut declared = None;
        for (item, own) in self.items() {
            let ItemKind::Param { name: of, ty, condition, .. } = &item.kind else { continue };
            if condition.as_ref().is_some_and(|condition| names(condition, name)) {
                return None;
            }
            if own && of.text == name {
                declared = Some((of, ty));
            }
        }
        let (of, ty): (_, &Type) = declared?;
        let TypeKind::Expr(range) = &ty.kind else { return None };
        let ExprKind::Range(low, high) = &*range.bare().kind else { return None };
        let is_below = match &*low.bare().kind {
            ExprKind::Number(digits) => digits.parse() == Ok(0),
            ExprKind::Unary(UnaryOp::Negate, _) => true,
            _ => false,
        };
        if !is_below {
            return None;
        }
        let (low, high) = (print_expr(low), print_expr(high));
        let title = format!("`{name}` may be {low}, and a board has at least one column and one row");
        let found = Diagnostic::new(Code::W0123, title, of.span, format!("{low}..{high}"));
        Some(found.help(format!("let its range begin with 1: `param {name}: 1..{high}`")))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(params: &str, board: &str) -> Vec<String> {
        let text = format!(
            "game \"Fill\"; {params} players A, B; board C = {board}; state {{ full: set of C = {{}}; }}
             move put(c: C) as \"{{c}}\" {{ when c not in full; full |= {{ c }}; }} play normal;"
        );
        found(&text, Code::W0123).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn boards_have_columns_and_rows() {
        let title = ["`w` may be 0, and a board has at least one column and one row"];
        assert_eq!(told("param w: 0..4 = 3;", "grid(w, 2)"), title);
        assert_eq!(told("param w: 0..4 = 3;", "grid(2, w)"), title);
        assert_eq!(told("param w: 0..4 = 3;", "grid(w, w)"), title);
        for (params, board) in [
            ("param w: 1..4 = 3;", "grid(w, 2)"),
            ("param w: 0..4 = 3;", "grid(w + 1, 2)"),
            ("param w: 0..4 = 3 where w > 0;", "grid(w, 2)"),
            ("param w: 0..4 = 3; param h: 1..4 = 2 where w * h > 2;", "grid(w, h)"),
        ] {
            assert_eq!(told(params, board), [""; 0], "{params}");
        }
    }
}
