//! Sizes of boards with their units: `grid(4 columns, 3 rows)`,
//! `grid(columns: 4, rows: 3)`, `strip(5 cells)`.

use super::edits::{Fix, FixFinder};
use crate::diag::Code;

/// The direction in which a size is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Axis {
    Across,
    Down,
    /// A unit without a direction.
    Any,
}

fn axis(word: &str) -> Option<Axis> {
    Some(match word.to_ascii_lowercase().as_str() {
        "columns" | "column" | "cols" | "col" | "wide" | "width" | "across" | "w" => Axis::Across,
        "rows" | "row" | "high" | "height" | "tall" | "down" | "h" => Axis::Down,
        "cells" | "cell" | "squares" | "spaces" | "fields" | "length" | "long" | "size" => Axis::Any,
        _ => return None,
    })
}

impl FixFinder<'_> {
    /// Rewrites `grid(4 columns, 3 rows)` and `grid(rows: 3, columns: 4)` to `grid(4, 3)`.
    pub(super) fn units_of_a_board(&self) -> Option<Fix> {
        let open = self.bracket_around(self.bounds.at, self.bounds.at)?;
        let form = self.layout.text(open.checked_sub(1)?);
        let close = self.layout.partner(open).filter(|_| self.layout.text(self.bounds.first) == "board")?;
        let mut parts = Vec::new();
        let mut start = open + 1;
        while start < close {
            let comma = self.outside_brackets(start, &[","]).filter(|&comma| comma < close);
            // `4 columns and 3 rows`
            let and = self.outside_brackets(start, &["and"]).filter(|&and| and < comma.unwrap_or(close));
            let end = and.or(comma).unwrap_or(close);
            parts.push(self.size_with_a_unit(start, end)?);
            start = end + 1;
        }
        let new = match (form, &parts[..]) {
            ("grid" | "hex" | "torus", [(Axis::Down, rows), (Axis::Across, columns)]) => {
                format!("{columns}, {rows}")
            }
            ("grid" | "hex" | "torus", [(Axis::Across, columns), (Axis::Down, rows)]) => {
                format!("{columns}, {rows}")
            }
            ("strip" | "ring", [(Axis::Across | Axis::Any, size)]) => (*size).to_owned(),
            _ => return None,
        };
        let title = match form {
            "strip" | "ring" => format!("the size of a `{form}` is a number alone"),
            _ => format!("the sizes of a `{form}` are numbers alone: the columns, then the rows"),
        };
        let range = (self.range(open + 1).0, self.range(close - 1).1);
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{form}({new})`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// The direction and the number of `4 columns`, `columns: 4` or `columns = 4`.
    fn size_with_a_unit(&self, start: usize, end: usize) -> Option<(Axis, &str)> {
        let is_size = |at: usize| self.is_number(at) || self.is_name(at);
        match end - start {
            2 if is_size(start) => Some((axis(self.layout.text(start + 1))?, self.layout.text(start))),
            3 if is_size(start + 2) && matches!(self.layout.text(start + 1), ":" | "=" | ":=") => {
                Some((axis(self.layout.text(start))?, self.layout.text(start + 2)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn sizes_have_no_units() {
        let text = |form: &str| format!("param n: 1..9 = 4;\nboard Cell = {form};\n");
        for (theirs, ours) in [
            ("grid(4 columns, 3 rows)", "grid(4, 3)"),
            ("grid(3 rows, 4 columns)", "grid(4, 3)"),
            ("grid(columns: 4, rows: 3)", "grid(4, 3)"),
            ("hex(4 wide, 3 high)", "hex(4, 3)"),
            ("torus(n cols and 3 rows)", "torus(n, 3)"),
            ("strip(5 cells)", "strip(5)"),
            ("ring(length: n)", "ring(n)"),
        ] {
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}");
            assert_eq!(titles(&text(theirs)).len(), 1, "{theirs}");
            assert_eq!(helps(&text(theirs)), [format!("write `{ours}`")]);
        }
    }

    #[test]
    fn sizes_of_one_direction_are_not_guessed() {
        for form in ["grid(4 columns, 3 columns)", "grid(4 apples, 3 rows)", "grid(4 rows)"] {
            let text = format!("board Cell = {form};\n");
            assert!(!helps(&text).iter().any(|help| help.starts_with("write `grid(")), "{form}");
        }
    }
}
