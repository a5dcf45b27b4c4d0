//! Pictures of boards as text.

use super::{Board, BoardShape, column_name};

/// The character for a grid place without a point of the graph.
const NO_POINT: &str = "·";

impl Board {
    /// The cells by printed rows from the top, left to right; `None` where a mask removes the cell or a graph has no
    /// point. The levels of a cube follow each other from the top. A graph without coordinates is one row in its order.
    pub fn reading_rows(&self) -> Vec<Vec<Option<u32>>> {
        if !self.has_coordinates() {
            return vec![(0..self.len() as u32).map(Some).collect()];
        }
        (self.low[2]..=self.high[2]).rev().flat_map(|level| self.level_rows(level)).collect()
    }

    /// The rows of one level, from the top.
    fn level_rows(&self, level: i64) -> Vec<Vec<Option<u32>>> {
        let row = |y| (self.low[0]..=self.high[0]).map(|x| self.at_level(x, y, level)).collect();
        (self.low[1]..=self.high[1]).rev().map(row).collect()
    }

    /// Draws the board with the characters that `sign` gives for each cell: rows from the top, row numbers at the left,
    /// column letters below. Cells that a mask removes are blank. A graph without coordinates becomes a list
    /// `name:sign`. Lines end with a newline.
    pub fn draw(&self, sign: &dyn Fn(u32) -> String) -> String {
        if !self.has_coordinates() {
            let item = |c| format!("{}:{}", self.cell_name(c), sign(c));
            let items: Vec<String> = (0..self.len() as u32).map(item).collect();
            return items.join(" ") + "\n";
        }
        let signs: Vec<String> = (0..self.len() as u32).map(sign).collect();
        let labels = (self.low[0]..=self.high[0]).map(column_name);
        let mut width = labels.map(|label| label.len()).max().unwrap_or(1);
        width = signs.iter().map(|s| s.chars().count()).fold(width, usize::max);
        if self.shape == BoardShape::Hex {
            // Rows shift by half a cell: an odd width plus a blank makes half a cell a whole number.
            width |= 1;
        }
        if self.shape != BoardShape::Cube {
            return self.draw_level(self.low[2], &signs, width);
        }
        let level = |z| format!("level {z}\n{}", self.draw_level(z, &signs, width));
        (self.low[2]..=self.high[2]).rev().map(level).collect::<Vec<_>>().join("\n")
    }

    fn draw_level(&self, level: i64, signs: &[String], width: usize) -> String {
        let one_row = matches!(self.shape, BoardShape::Strip | BoardShape::Ring);
        let margin = if one_row { 0 } else { self.high[1].to_string().len() };
        let half = if self.shape == BoardShape::Hex { width.div_ceil(2) } else { 0 };
        let hole = if self.shape == BoardShape::Graph { NO_POINT } else { "" };
        let mut picture = String::new();
        let mut line = |label: String, depth: usize, items: Vec<&str>| {
            let mut text = if one_row { String::new() } else { format!("{label:>margin$} ") };
            text.push_str(&" ".repeat(half * depth));
            for item in items {
                text.push_str(&format!("{item:<width$} "));
            }
            picture.push_str(text.trim_end());
            picture.push('\n');
        };
        let rows = self.level_rows(level);
        for (depth, (row, y)) in rows.iter().zip((self.low[1]..=self.high[1]).rev()).enumerate() {
            let items = row.iter().map(|cell| cell.map_or(hole, |c| signs[c as usize].as_str()));
            line(y.to_string(), depth, items.collect());
        }
        let labels: Vec<String> = (self.low[0]..=self.high[0]).map(column_name).collect();
        line(String::new(), rows.len(), labels.iter().map(String::as_str).collect());
        picture
    }
}
