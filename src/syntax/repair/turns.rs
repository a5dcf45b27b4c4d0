//! Orders to pass the turn in an event of chance, after which it stays: `end turn;`, `switch player;`, `pass;`.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use crate::diag::Code;

/// The words before `turn` or `player` that pass the turn.
const PASSING: [&str; 9] = ["end", "switch", "change", "finish", "swap", "pass", "skip", "toggle", "flip"];

impl FixFinder<'_> {
    /// Fixes and explanations of orders to pass the turn.
    pub fn turns(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.turn_passed_in_an_event());
    }

    /// Returns true if the item is an event of chance.
    pub(super) fn is_event(&self) -> bool {
        let first = self.bounds.first;
        (first..first + 2).any(|at| self.layout.text(at) == "chance")
    }

    /// Returns true if the clause stands in the braces of an `if` or of its `else`.
    fn is_in_a_branch(&self) -> bool {
        let clause = self.bounds.clause;
        let Some(open) = self.bracket_around(clause, clause) else { return false };
        let start = self.layout.clause_start(self.bounds.first, open);
        open > self.bounds.first && (self.layout.text(open - 1) == "else" || self.layout.text(start) == "if")
    }

    /// Rewrites `end turn;` in a branch of an event to `next other(mover);`, and explains it elsewhere.
    fn turn_passed_in_an_event(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let (first, second) = (self.layout.text(clause), self.layout.text(clause + 1));
        let names_turn = matches!(second, "turn" | "player" | "turns" | "players")
            && self.layout.text(clause + 2) == ";"
            && PASSING.contains(&first);
        let is_pie_rule = matches!(first, "swap" | "exchange") && second == "players";
        let is_bare = matches!(first, "pass" | "skip") && second == ";" && self.bounds.at == clause + 1;
        let is_arrow = first == "->" && self.bounds.at == clause;
        let is_effect = self.layout.text(self.bounds.first) == "effect" && self.outline().has_word("chance");
        let is_order = self.in_move() && (names_turn && !is_pie_rule || is_bare || is_arrow);
        if !is_order || !(self.is_event() || is_effect) {
            return None;
        }
        let title = "after an event of chance the turn stays where it was: `next` gives it to a player";
        let range = self.whole_clause();
        let is_two = self.outline().players().len() == 2;
        let new = if is_two { "next other(mover);" } else { "next p;" };
        if is_effect {
            let title = "the turn passes by itself after a move, and stays after an event of chance";
            let help = format!("leave it out in an effect of a move; write `{new}` in one of an event");
            return Some(explained(range, "", title, help));
        }
        // Who decides by the throw that the turn ends, means the turn of the player.
        if is_two && names_turn && self.is_in_a_branch() {
            let fix = Fix::new(range, new, Code::E0013, title);
            return Some(fix.help(format!("write `{new}`")));
        }
        let whom = if is_two { "the other player" } else { "another player `p`" };
        let help = format!("write `{new}` if {whom} is to move now; leave it out if the turn stays");
        Some(explained(range, "", title, help))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn event(players: &str, clauses: &str) -> String {
        format!(
            "players {players};\nphases {{ roll by chance; }}\nstate {{ x: 0..9 = 9; }}\n\
             chance r(d: 1..2) in roll as \"({{d}})\" {{ {clauses} }}\n"
        )
    }

    #[test]
    fn the_turn_stays_after_chance() {
        let branch = |order: &str| event("A, B", &format!("if d = 1 {{ {order} }} else {{ x := 3; }}"));
        for order in ["end turn;", "switch player;", "finish turn;", "pass turn;"] {
            assert_eq!(mended(&branch(order)), branch("next other(mover);"), "{order}");
            assert_eq!(titles(&branch(order)).len(), 1, "{order}");
        }
    }

    #[test]
    fn orders_with_two_readings_have_no_fix() {
        for order in ["end turn;", "pass;", "-> white;", "if d = 1 { skip; } x := 3;"] {
            let text = event("A, B", &format!("x := 2; {order}"));
            assert_eq!(mended(&text), text, "{order}");
            assert!(helps(&text)[0].starts_with("write `next other(mover);` if"), "{:?}", helps(&text));
        }
        let text = event("A, B, C", "if d = 1 { end turn; } x := 2;");
        assert_eq!(mended(&text), text);
        assert!(helps(&text)[0].starts_with("write `next p;` if"), "{:?}", helps(&text));
    }

    #[test]
    fn the_turn_passes_after_a_move() {
        let text = |order: &str| format!("players A, B;\nmove m() as \"m\" {{ x := 2; {order} }}\n");
        assert_eq!(mended(&text("end turn;")), text(""));
    }
}
