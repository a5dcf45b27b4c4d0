//! Fields with a board for each value of a second key.

use std::fmt::Write;

use super::{DrawnValue, covers, default_symbol, drawn_values};
use crate::game::pieces::Piece;
use crate::game::{Game, State};
use bouton_rules::{BoardId, DisplaySource, FieldId, Rules, Value};

/// The most boards that are drawn side by side.
const MAX_BOARDS_IN_A_ROW: usize = 4;

/// A field of two keys, one of them all cells of a board: a board for each value of the other, side by side.
pub(in crate::game) struct BoardRow<'a> {
    rules: &'a Rules,
    field: FieldId,
    board: BoardId,
    /// True if the key of the cells is the second.
    cells_last: bool,
    drawn: Vec<DrawnValue>,
}

impl<'a> BoardRow<'a> {
    /// The drawing of a field, if it has such keys.
    pub fn of(rules: &'a Rules, id: FieldId) -> Option<BoardRow<'a>> {
        let field = &rules.fields[id];
        let [first, second] = &field.keys[..] else { return None };
        let board_of = |values: &[Value]| {
            let fits = |(_, board): &(BoardId, &bouton_rules::Board)| covers(rules, values, board.cells);
            rules.boards.entries().find(fits).map(|(board, _)| board)
        };
        let (board, cells_last, others) = match (board_of(&second.values), board_of(&first.values)) {
            (Some(board), _) => (board, true, first.values.len()),
            (None, Some(board)) => (board, false, second.values.len()),
            (None, None) => return None,
        };
        let is_small = (1..=MAX_BOARDS_IN_A_ROW).contains(&others);
        is_small.then(|| BoardRow {
            rules,
            field: id,
            board,
            cells_last,
            drawn: drawn_values(rules, DisplaySource::Field(id)),
        })
    }

    /// The board.
    pub fn board(&self) -> BoardId {
        self.board
    }

    /// The names of the boards: the field with a value of the other key.
    pub fn names(&self) -> Vec<String> {
        let field = &self.rules.fields[self.field];
        let key = &field.keys[usize::from(!self.cells_last)];
        key.values.iter().map(|value| format!("{}[{}]", field.name, self.rules.show(value))).collect()
    }

    /// Returns the characters in a cell of the board with this number.
    pub fn symbol(&self, game: &Game, state: &State, at: usize, cell: u32) -> String {
        let value = self.value(game, state, at, cell);
        let sign = self.drawn.iter().find(|of| of.value == value).map(|of| of.sign.clone());
        sign.unwrap_or_else(|| default_symbol(self.rules, &self.rules.fields[self.field].name, &value))
    }

    /// The piece in a cell of the board with this number.
    pub fn piece(&self, game: &Game, state: &State, at: usize, cell: u32) -> Option<Piece> {
        let value = self.value(game, state, at, cell);
        self.drawn.iter().find(|of| of.value == value)?.piece.clone()
    }

    fn value(&self, game: &Game, state: &State, at: usize, cell: u32) -> Value {
        let field = &self.rules.fields[self.field];
        let cell = cell as usize;
        let entry = match self.cells_last {
            true => at * field.keys[1].values.len() + cell,
            false => cell * field.keys[1].values.len() + at,
        };
        game.machine.read(state, self.field, entry)
    }

    pub fn draw(&self, game: &Game, state: &State, text: &mut String) {
        let drawn = |(at, name): (usize, String)| {
            let drawing = self.rules.boards[self.board].draw(&|cell| self.symbol(game, state, at, cell));
            std::iter::once(name).chain(drawing.lines().map(str::to_owned)).collect()
        };
        let boards: Vec<Vec<String>> = self.names().into_iter().enumerate().map(drawn).collect();
        let height = boards.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> =
            boards.iter().map(|lines| lines.iter().map(|l| l.chars().count()).max().unwrap_or(0)).collect();
        for row in 0..height {
            let mut line = String::new();
            for (lines, width) in boards.iter().zip(&widths) {
                let part = lines.get(row).map_or("", String::as_str);
                // Writing to a string cannot fail.
                let _ = write!(line, "{part:<width$}   ");
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
}
