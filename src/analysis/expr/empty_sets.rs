//! W0126 for sets `{ x in S where f }` that no element of S is in, whatever the position and the parameters are.

use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_base::source::Span;
use bouton_syntax::ast::{self, ExprKind, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Warns about a set whose condition holds for no element.
    pub(super) fn set_without_elements(&mut self, binder: &ast::Binder, span: Span, locals: &Locals) {
        let Some(condition) = &binder.condition else { return };
        let is_claim = |kind: &ItemKind| {
            matches!(kind, ItemKind::Invariant { .. } | ItemKind::Expect(_) | ItemKind::Test(_))
        };
        let is_open = self.items().any(|(item, own)| own && item.span.covers(span) && !is_claim(&item.kind));
        let is_told = self.diagnostics.iter().any(|told| span.covers(told.span()));
        if !is_open || is_told || self.options.damaged {
            return;
        }
        let is_written = matches!(&*condition.bare().kind, ExprKind::Bool(false));
        let is_static = locals.place == ExprPlace::Static;
        if !(is_written || is_static && self.is_never_an_element(binder, condition)) {
            return;
        }
        let title = "this set is always empty: its condition holds for no element";
        let found = Diagnostic::new(Code::W0126, title, condition.span, "never true");
        self.report_once(found.help(match is_written {
            true => "write the condition that is meant; the empty set is `{}`",
            false => "look at the condition: if the empty set is meant, write `{}`",
        }));
    }

    /// Returns true if a condition that reads no parameter is false for every element.
    fn is_never_an_element(&mut self, binder: &ast::Binder, condition: &ast::Expr) -> bool {
        if self.depends_on_a_parameter(&binder.domain) || self.depends_on_a_parameter(condition) {
            return false;
        }
        self.number_of_elements(&ast::Binder { condition: None, ..binder.clone() }).is_some_and(|all| all > 0)
            && self.number_of_elements(binder) == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(set: &str, board: &str) -> Vec<String> {
        let text = format!(
            "game \"Fill\"; param w: 3..5 = 3; players A, B; board Cell = {board}; const far[p: Player]: 1..9 = match p {{ A => 1, B => 3 }};
             state {{ closed: set of Cell = {set}; at[c: Cell]: Player? = none; }}
             move put(c: Cell) as \"{{c}}\" {{ when at[c] = none and c not in closed; at[c] := me; closed |= {{ c }}; }}
             end {{ when stuck => draw; }} invariant w > 2;"
        );
        let told = found(&text, Code::W0126);
        assert!(told.iter().all(|found| found.edits.is_empty()));
        told.into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn sets_are_empty() {
        let empty = ["this set is always empty: its condition holds for no element"];
        assert_eq!(told("{ c in Cell where false }", "grid(w, 3)"), empty);
        assert_eq!(told("{ c in Cell where #c.neighbors = 5 }", "grid(3, 3)"), empty);
        assert_eq!(told("{ c in Cell where c.row = far[A] and c.row + 2 = far[A] }", "grid(3, 3)"), empty);
        for set in ["{ c in Cell where #c.neighbors = 4 }", "{ c in Cell where c = a1 and c.col > 0 }", "{}"]
        {
            assert_eq!(told(set, "grid(3, 3)"), [""; 0], "{set}");
        }
        assert_eq!(told("{ c in Cell where #c.neighbors > 4 }", "grid(w, 3)"), [""; 0]);
    }

    #[test]
    fn coordinates_end_with_the_board() {
        let columns = |least: &str| format!("{{ c in Cell where c.col {least} }}");
        assert_eq!(told(&columns("> 5"), "grid(w, 3)"), ["this is never true: `c.col` is in 1..5"]);
        assert_eq!(told(&columns("< 1"), "grid(w, 3)"), ["this is never true: `c.col` is in 1..5"]);
        assert_eq!(told(&columns(">= 4"), "grid(3, w)"), ["this is never true: `c.col` is in 1..3"]);
        for (least, board) in [("> 4", "grid(w, 3)"), ("<= 1", "grid(3, 3)"), (">= 3", "grid(3, 3)")] {
            assert_eq!(told(&columns(least), board), [""; 0], "{least} {board}");
        }
    }

    #[test]
    fn constants_differ() {
        let both = "{ c in Cell where c.row = far[A] and c.row = far[B] }";
        let told = told(both, "grid(3, 3)");
        assert_eq!(told, ["`c.row = far[A]` and `c.row = far[B]` are never true together"]);
    }
}
