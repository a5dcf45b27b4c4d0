//! Cells that are left out of a board by their names: `grid(3, 3) - { b2 }`, `grid(3, 3) where c != b2`.

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{self, BinaryOp, CmpOp, ExprKind};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Reports `grid(3, 3) - { b2 }`; returns true if it is that.
    pub(super) fn board_without_cells(&mut self, expr: &ast::Expr, condition: Option<&ast::Expr>) -> bool {
        let ExprKind::Binary(BinaryOp::Subtract, board, cells) = &*expr.bare().kind else { return false };
        let ExprKind::Call(shape, _) = &*board.bare().kind else { return false };
        let Some(mask) = mask_of(cells) else { return false };
        if !matches!(shape.as_name(), Some("grid" | "hex" | "torus")) {
            return false;
        }
        let title = "cells are left out of a board by a condition on `col` and `row`";
        let found = Diagnostic::new(Code::E0201, title, cells.span, "cells have no names yet");
        let tail = Span { start: board.span.end, ..expr.span };
        self.report(match condition {
            None => found
                .help(format!("write `{} where {mask}`", bouton_syntax::print_expr(board)))
                .edit(tail, format!(" where {mask}")),
            Some(_) => found.help(format!("add `and {mask}` to the condition")),
        });
        true
    }

    /// Reports `where c != b2` of a board, whose cells have no names yet; returns true if it is that.
    pub(super) fn cell_of_a_mask(&mut self, condition: &ast::Expr) -> bool {
        let ExprKind::Compare(left, rest) = &*condition.bare().kind else { return false };
        let ([(op, cells)], Some(name)) = (&rest[..], left.bare().as_name()) else { return false };
        if matches!(name, "col" | "row") || self.find(name, left.span).is_some() {
            return false;
        }
        let Some(cells) = coordinates_of(cells) else { return false };
        let mask = match op {
            CmpOp::NotEqual | CmpOp::NotIn => without(&cells),
            CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is | CmpOp::In => {
                let each = cells.iter().map(|(col, row)| format!("col = {col} and row = {row}"));
                each.collect::<Vec<_>>().join(" or ")
            }
            _ => return false,
        };
        let title = "here a cell is known by `col` and `row`: it has no name yet";
        let found = Diagnostic::new(Code::E0101, title, condition.span, "");
        self.report(found.help(format!("write `where {mask}`")).edit(condition.span, mask));
        true
    }
}

/// The condition that leaves out the cells of a set, or one cell.
fn mask_of(cells: &ast::Expr) -> Option<String> {
    coordinates_of(cells).map(|cells| without(&cells))
}

/// The condition that leaves out cells.
fn without(cells: &[(u32, u32)]) -> String {
    let each = cells.iter().map(|(col, row)| format!("not (col = {col} and row = {row})"));
    each.collect::<Vec<_>>().join(" and ")
}

/// The columns and rows of cells, by their names.
fn coordinates_of(cells: &ast::Expr) -> Option<Vec<(u32, u32)>> {
    let named: Vec<&ast::Expr> = match &*cells.bare().kind {
        ExprKind::Set(elements) | ExprKind::List(elements) | ExprKind::Tuple(elements) => {
            elements.iter().collect()
        }
        _ => vec![cells],
    };
    let coordinates: Option<Vec<(u32, u32)>> =
        named.iter().map(|cell| coordinates(cell.bare().as_name()?)).collect();
    coordinates.filter(|cells| (1..=8).contains(&cells.len()))
}

/// The column and the row of a cell such as `b2`.
fn coordinates(name: &str) -> Option<(u32, u32)> {
    let letter = name.chars().next().filter(char::is_ascii_lowercase)?;
    let row: u32 = name[1..].parse().ok().filter(|row| *row > 0)?;
    Some((u32::from(letter) - u32::from('a') + 1, row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_columns_and_rows() {
        assert_eq!(coordinates("b2"), Some((2, 2)));
        assert_eq!(coordinates("a10"), Some((1, 10)));
        assert_eq!(coordinates("b"), None);
        assert_eq!(coordinates("b0"), None);
        assert_eq!(coordinates("Ab"), None);
        assert_eq!(without(&[(1, 3)]), "not (col = 1 and row = 3)");
    }
}
