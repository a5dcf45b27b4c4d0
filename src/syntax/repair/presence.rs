//! Values that are there, and cells of the board, in words: `at[p] + d exists`, `c + d is on the board`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::phrases::explained;
use crate::diag::Code;

/// Ways to say that a cell is one of the board, with true for those that say the opposite.
const ON_BOARD: [(&str, bool); 12] = [
    ("on the board", false),
    ("on board", false),
    ("inside the board", false),
    ("within the board", false),
    ("in the board", false),
    ("in board", false),
    ("on_board", false),
    ("inside", false),
    ("off the board", true),
    ("off board", true),
    ("outside the board", true),
    ("outside", true),
];

impl FixFinder<'_> {
    /// Fixes and explanations of terms with a word for their presence.
    pub fn presence(&self, fixes: &mut Vec<Fix>) {
        let all = [self.term_that_exists(), self.existing_term(), self.cell_on_the_board()];
        fixes.extend(all.into_iter().flatten());
    }

    /// The first word of the sum that ends before a word: `a` of `a + d`.
    fn start_of_sum(&self, end: usize) -> Option<usize> {
        self.start_of_operand(end).filter(|&start| start > self.bounds.clause)
    }

    /// Returns true if a condition may end before this word.
    pub(super) fn ends_condition(&self, at: usize) -> bool {
        matches!(
            self.layout.text(at),
            ";" | "and"
                | "or"
                | ")"
                | "]"
                | "}"
                | ","
                | "=>"
                | "{"
                | "then"
                | "else"
                | "implies"
                | "iff"
                | ":"
        )
    }

    /// Explains `at[p] + d exists`.
    fn term_that_exists(&self) -> Option<Fix> {
        let at = [self.bounds.at, self.bounds.at.checked_sub(1)?]
            .into_iter()
            .find(|&at| self.layout.text(at) == "exists" && self.ends_condition(at + 1))?;
        let start = self.start_of_sum(at)?;
        let range = (self.range(start).0, self.range(at).1);
        Some(self.presence_of(self.text(start, at), range).at(self.range(at)))
    }

    /// Explains `exists at[c]`.
    fn existing_term(&self) -> Option<Fix> {
        let word = self.bounds.at.checked_sub(1).filter(|_| matches!(self.last, "exists" | "defined"))?;
        let end = self.end_of_comparand(self.bounds.at).filter(|&end| self.ends_condition(end))?;
        let is_plain = self.layout.text(self.bounds.at) != "(" && word > self.bounds.clause;
        let range = (self.range(word).0, self.range(end - 1).1);
        is_plain.then(|| self.presence_of(self.text(self.bounds.at, end), range).at(self.range(word)))
    }

    /// The explanation of the presence of a term.
    fn presence_of(&self, term: &str, range: (usize, usize)) -> Fix {
        let board = self.outline().board().unwrap_or("Cell");
        let help = format!(
            "write `{term} != none` if the value may be `none`, `{term} in {board}` if a step may lead off the board"
        );
        let title = "`exists` says nothing of a term: it is compared, or a cell is in the board";
        Fix { accepts_partial: true, ..explained(range, DAMAGE_MARKER, title, help) }
    }

    /// Rewrites `c + d is on the board` to `c + d in Cell`.
    fn cell_on_the_board(&self) -> Option<Fix> {
        let before = self.bounds.at.saturating_sub(2).max(self.bounds.clause + 1);
        let found = (before..=self.bounds.at).find_map(|at| {
            let is = usize::from(matches!(self.layout.text(at), "is" | "lies" | "stays" | "are"));
            let not = usize::from(self.layout.text(at + is) == "not");
            let from = at + is + not;
            ON_BOARD.iter().find_map(|(words, is_off)| {
                let end = from + words.split(' ').count();
                let is_said = self.plain_words(from, end) == *words && self.ends_condition(end);
                is_said.then_some((at, end, *is_off != (not == 1)))
            })
        });
        let (at, end, is_off) = found?;
        let start = self.start_of_sum(at)?;
        let outline = self.outline();
        let board = outline.board()?;
        let sign = if is_off { "not in" } else { "in" };
        let new = format!("{sign} {board}");
        let range = (self.range(at).0, self.range(end - 1).1);
        let title = "a board is the set of its cells";
        let fix =
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{} {new}`", self.text(start, at)));
        Some(Fix { accepts_partial: true, ..fix })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(condition: &str) -> String {
        let state = "board Field = grid(3, 3);\nstate { at[p: Player]: Field? = none; }\n";
        format!("{state}move m(p: Player, d: Dir) {{ when {condition}; n := 1; }}\n")
    }

    #[test]
    fn presence_has_two_readings() {
        for (condition, term) in [
            ("(at[p] + d) exists", "(at[p] + d)"),
            ("at[p] + d exists", "at[p] + d"),
            ("n = 1 and p exists", "p"),
            ("at[p] + d exists and n = 1", "at[p] + d"),
            ("exists at[p] + d and n = 1", "at[p] + d"),
        ] {
            let found = helps(&text(condition));
            assert_eq!(titles(&text(condition)).len(), 1, "{condition}: {found:?}");
            assert!(found[0].contains(&format!("`{term} != none`")), "{found:?}");
            assert!(found[0].contains(&format!("`{term} in Field`")), "{found:?}");
            assert_eq!(mended(&text(condition)), text(condition));
        }
        // A field that may be `none` has one reading.
        assert_eq!(mended(&text("at[p] exists")), text("at[p] != none"));
    }

    #[test]
    fn a_board_is_a_set_of_cells() {
        assert_eq!(mended(&text("c + d is on the board")), text("c + d in Field"));
        assert_eq!(mended(&text("c + d on board and n = 1")), text("c + d in Field and n = 1"));
        assert_eq!(mended(&text("c + d is off the board")), text("c + d not in Field"));
        assert_eq!(mended(&text("c + d is not on the board")), text("c + d not in Field"));
    }
}
