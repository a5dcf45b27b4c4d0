//! Drawings of fields over the sides of boxes: drawn sides as lines around the names of the boxes.

use std::fmt::Write;

use super::super::{Game, State};
use super::EMPTY_CELL;
use bouton_rules::{Board, EnumId, EnumKind, FieldId, Rules, Type, Value};

/// The places of a box's sides in `Board::sides_of`.
const SOUTH: usize = 0;
const WEST: usize = 1;
const EAST: usize = 2;
const NORTH: usize = 3;

/// A field that holds a set of sides, or has a value for each side.
pub(in super::super) struct SideDrawing<'a> {
    rules: &'a Rules,
    field: FieldId,
    board: &'a Board,
}

impl<'a> SideDrawing<'a> {
    /// The drawing of a field, if its values are about the sides of a board on which each box has four.
    pub fn of(rules: &'a Rules, id: FieldId) -> Option<SideDrawing<'a>> {
        let field = &rules.fields[id];
        let of_sides = |of: EnumId| match rules.enums[of].kind {
            EnumKind::Sides(board) => Some(&rules.boards[board]),
            _ => None,
        };
        let element = |ty: &Type| match ty.base() {
            Type::Sym(of) => of_sides(*of),
            _ => None,
        };
        let board = match (&field.keys[..], field.ty.base()) {
            ([], Type::Set(inner)) => element(inner)?,
            ([key], _) => {
                let board = element(&key.ty)?;
                (key.values.len() == board.side_names().len()).then_some(board)?
            }
            _ => return None,
        };
        let cells = 0..board.len() as u32;
        cells.into_iter().all(|cell| board.sides_of(cell).len() == 4).then_some(SideDrawing {
            rules,
            field: id,
            board,
        })
    }

    /// The board whose boxes have the sides.
    pub fn board(&self) -> &'a Board {
        self.board
    }

    /// The middle of each side in half boxes from the left and from the top, by its number.
    pub fn middles(&self) -> Vec<(i64, i64)> {
        let mut middles = vec![(0, 0); self.board.side_names().len()];
        for (y, row) in (0..).zip(self.board.reading_rows()) {
            for (x, cell) in (0..).zip(row) {
                let Some(cell) = cell else { continue };
                for (at, &side) in self.board.sides_of(cell).iter().enumerate() {
                    let (dx, dy) = match at {
                        SOUTH => (1, 2),
                        WEST => (0, 1),
                        EAST => (2, 1),
                        _ => (1, 0),
                    };
                    middles[side as usize] = (2 * x + dx, 2 * y + dy);
                }
            }
        }
        middles
    }

    /// Returns true if a side is drawn.
    pub fn is_drawn(&self, game: &Game, state: &State, side: u32) -> bool {
        let field = &self.rules.fields[self.field];
        match field.keys.first() {
            None => match game.machine.read(state, self.field, 0) {
                Value::Set(sides) => {
                    sides.iter().any(|value| matches!(value, Value::Sym(_, at) if *at == side))
                }
                _ => false,
            },
            Some(_) => {
                let value = game.machine.read(state, self.field, side as usize);
                super::default_symbol(self.rules, &field.name, &value) != EMPTY_CELL
            }
        }
    }

    /// Draws the boxes, the top row first.
    pub fn draw(&self, game: &Game, state: &State, text: &mut String) {
        let rows = self.board.reading_rows();
        let names = self.board.cell_names();
        let width = names.iter().map(String::len).max().unwrap_or(1) + 2;
        let has = |cell: Option<&Option<u32>>, at: usize| {
            let side = cell.copied().flatten().and_then(|cell| self.board.sides_of(cell).get(at).copied());
            side.is_some_and(|side| self.is_drawn(game, state, side))
        };
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..=rows.len() {
            let (above, below) = (at.checked_sub(1).and_then(|at| rows.get(at)), rows.get(at));
            let mut line = String::new();
            for column in 0..columns {
                let drawn = has(above.and_then(|row| row.get(column)), SOUTH)
                    || has(below.and_then(|row| row.get(column)), NORTH);
                line.push('+');
                line.extend(std::iter::repeat_n(if drawn { '-' } else { ' ' }, width));
            }
            text.push_str(&line);
            text.push_str("+\n");
            let Some(row) = below else { break };
            let mut line = String::new();
            for column in 0..=columns {
                let left = column.checked_sub(1).and_then(|column| row.get(column));
                let drawn = has(left, EAST) || has(row.get(column), WEST);
                line.push(if drawn { '|' } else { ' ' });
                if column < columns {
                    let name = row.get(column).copied().flatten().map_or("", |cell| &names[cell as usize]);
                    // Writing to a string cannot fail.
                    let _ = write!(line, "{name:^width$}");
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
}
