//! Advice on `edges(B)` where the text speaks of `sides(B)`: one report, at the type, for all uses of them.

use crate::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::{EnumKind, Expr, Type};
use bouton_syntax::ast::{ExprKind, ItemKind, Name, TypeKind};
use bouton_syntax::diag::{Code, Diagnostic};

/// The beginning of the help of the one report.
const BEGINNING: &str = "`edges` are the pairs of neighbors";

impl Analyzer<'_> {
    /// Reports `.boxes` of an edge, which only a side has; returns true if it is told.
    pub(super) fn edges_for_sides(&mut self, made: &Expr, part: &Name) -> bool {
        let Some(board) = self.board_of_edges(&made.ty) else { return false };
        if !self.is_told_of_edges() {
            let what = self.describe_type(&made.ty);
            let title = format!("{what} has no part `{}`", part.text);
            let found = Diagnostic::new(Code::E0101, title, part.span, "a part of a side");
            self.report_edges(found, &board);
        }
        true
    }

    /// Reports an edge and a side that are compared; returns true if it is told.
    pub(crate) fn edges_beside_sides(&mut self, title: &str, sides: [&Expr; 2]) -> bool {
        let of = sides.map(|side| {
            let ty = side.ty.present();
            ty.element().unwrap_or(ty).clone()
        });
        let board = match [self.board_of_edges(&of[0]), self.board_of_edges(&of[1])] {
            [Some(board), None] if self.is_side(&of[1]) => board,
            [None, Some(board)] if self.is_side(&of[0]) => board,
            _ => return false,
        };
        if !self.is_told_of_edges() {
            let [left, right] = sides;
            let found = Diagnostic::new(Code::E0202, title, left.span.to(right.span), "edges and sides");
            self.report_edges(found, &board);
        }
        true
    }

    /// Adds the place of the type and the help to a report.
    fn report_edges(&mut self, found: Diagnostic, board: &str) {
        let found = match self.place_of_edges() {
            Some(place) => found.label(place, "the type"),
            None => found,
        };
        self.report(found.help(format!(
            "{BEGINNING}, with `.ends`; the sides of the cells, those of the rim among them, are `sides({board})`, with \
             `.boxes` and `c.sides`: use one of the two throughout"
        )));
    }

    fn is_told_of_edges(&self) -> bool {
        self.diagnostics.iter().any(|told| told.help.as_ref().is_some_and(|help| help.starts_with(BEGINNING)))
    }

    /// The place of `edges(B)` in the declaration of a type.
    fn place_of_edges(&self) -> Option<Span> {
        self.items().find_map(|(item, own)| match &item.kind {
            ItemKind::TypeAlias { ty, .. } if own => match &ty.kind {
                TypeKind::Expr(of) => match &*of.bare().kind {
                    ExprKind::Call(name, _) if name.as_name() == Some("edges") => Some(ty.span),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
    }

    /// The name of the board whose edges are the values of a type.
    fn board_of_edges(&self, ty: &Type) -> Option<String> {
        let Type::Sym(id) = ty.present().base() else { return None };
        match self.rules.enums[*id].kind {
            EnumKind::Edges(board) => Some(self.rules.boards[board].name.clone()),
            _ => None,
        }
    }

    fn is_side(&self, ty: &Type) -> bool {
        matches!(ty.present().base(), Type::Sym(id) if matches!(self.rules.enums[*id].kind, EnumKind::Sides(_)))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::diagnostics;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn told(side: &str, condition: &str) -> Vec<Diagnostic> {
        diagnostics(&format!(
            "game \"Fence\"; players A, B; board Plot = grid(2, 2); type Side = {side};
             state {{ grown: set of Side = {{}}; n: 0..9 = 0; }}
             move lay(s: Side) as \"{{s}}\" {{ when s not in grown and {condition}; grown |= {{ s }}; n := min(9, n + 1); }}
             end {{ when n > 8 => draw; when stuck => draw; }}"
        ))
    }

    #[test]
    fn edges_are_no_sides() {
        let both = "(s in a1.sides or #s.boxes = 2 and #s.boxes > #grown) and (some t in a1.sides: t in grown or t = s)";
        let all = told("edges(Plot)", both);
        let [found] = &all[..] else { panic!("{all:?}") };
        assert_eq!(found.code, Code::E0202);
        assert!(found.labels.iter().any(|label| label.text == "the type"), "{found:?}");
        assert!(found.help.as_deref().is_some_and(|help| help.contains("`sides(Plot)`")));
        assert!(found.edits.is_empty());
        assert!(told("sides(Plot)", both).is_empty());
        let all = told("edges(Plot)", "#s.boxes = 2");
        assert_eq!(all.iter().map(|found| found.code).collect::<Vec<_>>(), [Code::E0101]);
        assert!(told("edges(Plot)", "a1 in s.ends").is_empty());
    }
}
