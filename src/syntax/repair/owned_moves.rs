//! Moves whose name has their player before it, as methods of objects: `move Bob.wait() { ... }`.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use crate::diag::Code;

impl FixFinder<'_> {
    /// Fixes and explanations of moves with a dot in their names.
    pub fn owned_moves(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.move_of_a_player());
    }

    /// Rewrites `move Bob.wait()` to `move wait() by Bob`.
    fn move_of_a_player(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_head = |at: &usize| matches!(self.layout.text(*at), "move" | "chance");
        let head = (first..first + 4).find(is_head)?;
        let (owner, name, open) = (head + 1, head + 3, head + 4);
        let is_dotted = matches!(self.layout.text(head + 2), "." | "::")
            && (head + 2..=name).contains(&self.bounds.at)
            && self.is_name(owner)
            && self.is_name(name)
            && self.layout.text(open) == "(";
        let close = self.layout.partner(open).filter(|_| is_dotted)?;
        let (player, bare) = (self.layout.text(owner), self.text(name, close + 1));
        let by = self.outside_brackets(close + 1, &["by", "{"]).filter(|&by| self.layout.text(by) == "by");
        let is_player = self.outline().players().contains(&player) && self.layout.text(head) == "move";
        let label = (self.range(owner).0, self.range(head + 2).1);
        let fix = match by {
            None if is_player => {
                let new = format!("{bare} by {player}");
                let range = (self.range(owner).0, self.range(close).1);
                let title = "who may make a move is said after its parameters, by `by`";
                Fix::new(range, &new, Code::E0013, title).help(format!("write `move {new}`"))
            }
            Some(by) if is_player && self.layout.text(by + 1) == player => {
                let title = "who may make a move is said by `by` alone";
                let range = (label.0, self.range(name).0);
                Fix::new(range, "", Code::E0013, title).help(format!("write `{}`", self.layout.text(name)))
            }
            _ => {
                let help = format!(
                    "write `{word} {name}(...)`, or `{player}_{name}` if both words are its name; who may make a move is \
                     said after its parameters: `by p`",
                    word = self.layout.text(head),
                    name = self.layout.text(name)
                );
                explained((label.0, self.range(name).0), "", "a move has one name, without a dot", help)
            }
        };
        Some(Fix { accepts_partial: true, ..fix.at(label) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(head: &str) -> String {
        format!("players Ann, Bob;\nmove {head} {{ n := 1; }}\n")
    }

    #[test]
    fn a_player_stands_after_by() {
        let mended = |head: &str| mended(&text(head));
        assert_eq!(mended("Bob.wait() as \"wait\""), text("wait() by Bob as \"wait\""));
        assert_eq!(mended("Ann.go(k: 1..3)"), text("go(k: 1..3) by Ann"));
        assert_eq!(mended("Ann.go(k: 1..3) by Ann"), text("go(k: 1..3) by Ann"));
        assert_eq!(
            titles(&text("Bob.wait()")),
            ["who may make a move is said after its parameters, by `by`"]
        );
    }

    #[test]
    fn other_dots_are_left_to_the_writer() {
        for head in ["Ann.go() by Bob", "board.go()"] {
            assert_eq!(mended(&text(head)), text(head));
            assert_eq!(titles(&text(head)), ["a move has one name, without a dot"]);
        }
        assert!(helps(&text("board.go()"))[0].contains("`board_go`"), "{:?}", helps(&text("board.go()")));
        let dot = "def Ann.score = 1;\n";
        assert_eq!(mended(dot), dot);
    }
}
