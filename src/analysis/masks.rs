//! Cells that are left out of a board by their names: `grid(3, 3) - { b2 }`, `grid(3, 3) where c != b2`.

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{self, BinaryOp, CmpOp, ExprKind, ItemKind};
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

    /// Reports `where c.row > 1` of a board, whose condition knows `col` and `row` alone; returns true if it is that.
    pub(super) fn parts_in_a_mask(&mut self, condition: &ast::Expr) -> bool {
        let mut parts = Vec::new();
        parts_of_names(condition, &mut parts);
        parts.retain(|part| self.find(part.name, part.span).is_none());
        let Some(first) = parts.first() else { return false };
        let title = "here a cell is known by `col` and `row`, which stand alone";
        let found =
            Diagnostic::new(Code::E0101, title, first.span, format!("there is no `{}` here", first.name));
        let found = found.help(format!("write `{}` in place of `{}.{}`", first.axis, first.name, first.axis));
        self.report(parts.iter().fold(found, |found, part| found.edit(part.span, part.axis)));
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

impl Analyzer<'_> {
    /// Reports `where b2` of a board; returns true if it is that.
    pub(super) fn cell_as_a_mask(&mut self, condition: &ast::Expr) -> bool {
        let Some(name) = condition.bare().as_name() else { return false };
        let Some((col, row)) = coordinates(name).filter(|_| self.find(name, condition.span).is_none()) else {
            return false;
        };
        let title = "a cell is no condition, and has no name yet: here it is known by `col` and `row`";
        let found = Diagnostic::new(Code::E0101, title, condition.span, "a condition is needed");
        self.report(found.help(format!(
            "to leave `{name}` out, write `where {}`; a board of it alone would be `where col = {col} and row = {row}`",
            without(&[(col, row)])
        )));
        true
    }

    /// Reports a mask that no cell satisfies, and says how `row + col mod 2` is read.
    pub(super) fn mask_without_cells(&mut self, condition: &ast::Expr) {
        let title = "this board cannot be built: no cell satisfies the condition";
        let found = Diagnostic::new(Code::E0403, title, condition.span, "false for every `col` and `row`");
        self.report(match sum_before_mod(condition) {
            Some((sum, divisor)) => {
                found.help(format!("`mod` binds before `+`: write `({sum}) mod {divisor}`"))
            }
            None => {
                found.help("`col` and `row` are counted from 1; `or` joins the conditions of several cells")
            }
        });
    }

    /// The diagnostic of a cell between the others of a board, which the condition of the board leaves out.
    pub(super) fn cell_left_out(&self, name: &str, span: Span) -> Option<Diagnostic> {
        let (col, row) = coordinates(name)?;
        self.items().find_map(|(item, _)| {
            let ItemKind::Board { name: of, condition: Some(condition), .. } = &item.kind else { return None };
            let (_, board) = self.rules.boards.entries().find(|(_, board)| board.name == of.text)?;
            let cells = &self.rules.enums[board.cells].members;
            let places: Option<Vec<(u32, u32)>> = cells.iter().map(|cell| coordinates(cell)).collect();
            let places = places?;
            let is_inside = places.iter().any(|(c, _)| *c >= col) && places.iter().any(|(_, r)| *r >= row);
            if !is_inside {
                return None;
            }
            let title = format!("there is no cell `{name}`: the `where` of `{}` leaves it out", of.text);
            let found = Diagnostic::new(Code::E0106, title, span, "not on the board");
            let (first, last) = (cells.first()?, cells.last()?);
            let help = format!("the cells are those from `{first}` to `{last}` that satisfy this condition on `col` and `row`");
            Some(found.label(condition.span, "not true for it").help(help))
        })
    }
}

/// The sum and the divisor of `a + b mod n`, where the sum is likely to be meant before the `mod`.
fn sum_before_mod(expr: &ast::Expr) -> Option<(String, String)> {
    if let ExprKind::Binary(BinaryOp::Add, first, second) = &*expr.kind
        && let ExprKind::Binary(BinaryOp::Mod, number, divisor) = &*second.kind
    {
        let print = bouton_syntax::print_expr;
        return Some((format!("{} + {}", print(first), print(number)), print(divisor)));
    }
    let mut found = None;
    bouton_syntax::visit::children(expr, &mut |part| found = found.take().or_else(|| sum_before_mod(part)));
    found
}

/// `c.row` or `c.col` in a condition on the cells of a board.
struct PartOfName<'e> {
    name: &'e str,
    axis: &'e str,
    span: Span,
}

fn parts_of_names<'e>(expr: &'e ast::Expr, found: &mut Vec<PartOfName<'e>>) {
    if let ExprKind::Part(of, part) = &*expr.kind
        && let (Some(name), "col" | "row") = (of.bare().as_name(), part.text.as_str())
    {
        found.push(PartOfName { name, axis: &part.text, span: expr.span });
    }
    bouton_syntax::visit::children(expr, &mut |part| parts_of_names(part, found));
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
pub(super) fn coordinates(name: &str) -> Option<(u32, u32)> {
    let letter = name.chars().next().filter(char::is_ascii_lowercase)?;
    let row: u32 = name[1..].parse().ok().filter(|row| *row > 0)?;
    Some((u32::from(letter) - u32::from('a') + 1, row))
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    #[test]
    fn masks_leave_cells_out() {
        let titles = |mask: &str, cell: &str| {
            let text = format!(
                "game \"Mask\"; players A, B; board Cell = grid(3, 3) where {mask};
                 state {{ here: Cell = {cell}; left: 0..3 = 3; }}
                 move go(to: Cell) as \"{{to}}\" {{ when to in here.neighbors and left > 0; here := to; left -= 1; }}
                 play normal;"
            );
            found(&text, Code::E0106).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        let left_out = |cell: &str| format!("there is no cell `{cell}`: the `where` of `Cell` leaves it out");
        assert_eq!(titles("not (col = 2 and row = 2)", "b2"), [left_out("b2")]);
        assert_eq!(titles("col + row > 2", "a1"), [left_out("a1")]);
        assert_eq!(
            titles("not (col = 2 and row = 2)", "d1"),
            ["there is no cell `d1`: `Cell` has `a1` to `c3`"]
        );
    }

    #[test]
    fn columns_and_rows_stand_alone_in_a_mask() {
        let text = "game \"Mask\"; players A, B; board Cell = grid(3, 3) where c.row > 1 or c.col > 1;
             state { here: Cell = a2; } move go(to: Cell) as \"{to}\" { here := to; } play normal;";
        let found = found(text, Code::E0101);
        let [only] = &found[..] else { panic!("{found:?}") };
        assert_eq!(only.help.as_deref(), Some("write `row` in place of `c.row`"));
        assert_eq!(only.edits.len(), 2);
    }

    #[test]
    fn cells_have_columns_and_rows() {
        assert_eq!(coordinates("b2"), Some((2, 2)));
        assert_eq!(coordinates("a10"), Some((1, 10)));
        assert_eq!(coordinates("b"), None);
        assert_eq!(coordinates("b0"), None);
        assert_eq!(coordinates("Ab"), None);
        assert_eq!(without(&[(1, 3)]), "not (col = 1 and row = 3)");
    }

    #[test]
    fn masks_are_conditions_that_some_cell_satisfies() {
        let of = |mask: &str, code: Code| {
            let text = format!("game \"M\"; players A, B; board Cell = grid(4, 4) where {mask};");
            let told = crate::testing::diagnostics(&text);
            let help = told.into_iter().find(|found| found.code == code).and_then(|found| found.help);
            help.unwrap_or_default()
        };
        assert!(of("b2", Code::E0101).contains("`where not (col = 2 and row = 2)`"));
        assert!(of("row + col mod 2 = 0", Code::E0403).contains("write `(row + col) mod 2`"));
        assert!(of("(row + col) mod 2 = 0", Code::E0403).is_empty());
    }
}
