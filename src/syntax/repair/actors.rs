//! The players who may act, in other forms: `move run(to: Node) for Mouse`, `move show() in bet, by Ann`,
//! `phases { show by Ann and Bob; }`, `pass when f by Ann;`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;

impl FixFinder<'_> {
    /// Fixes and explanations of actors.
    pub fn actors(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.comma_before_a_clause(),
            self.actor_by_another_word(),
            self.actors_of_a_phase(),
            self.pass_with_its_player(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Returns true if the mistake is between the parameters and the body of a move or event.
    fn is_in_a_head(&self) -> bool {
        let first = self.bounds.first;
        let is_move = |at: &usize| matches!(self.layout.text(*at), "move" | "chance");
        let word = (first..self.bounds.at).take(4).find(is_move);
        let close = word.and_then(|word| self.layout.partner(word + 2));
        self.bounds.place == ClauseContext::Top && close.is_some_and(|close| close < self.bounds.at)
    }

    /// Rewrites `in bet, by Ann` in the head of a move to `in bet by Ann`.
    fn comma_before_a_clause(&self) -> Option<Fix> {
        let is_comma = |&at: &usize| {
            self.layout.text(at) == ","
                && matches!(self.layout.text(at + 1), "by" | "as" | "in" | "prefer")
                && !matches!(self.layout.text(at + 2), "," | "as" | "by" | "in" | "{")
        };
        let from = self.bounds.at.saturating_sub(2);
        let comma = (from..=self.bounds.at).find(is_comma).filter(|_| self.is_in_a_head())?;
        let range = (self.range(comma - 1).1, self.range(comma).1);
        let title = "between the parts of a head stands no comma";
        let fix = Fix::new(range, "", Code::E0013, title).at(self.range(comma));
        let end = self.outside_brackets(comma + 2, &["as", "by", "in", "prefer", "{", ","])?;
        let shown = self.text(comma - 1, comma).to_owned() + " " + self.text(comma + 1, end);
        Some(Fix { accepts_partial: true, ..fix.help(format!("leave it out: `{shown}`")) })
    }

    /// Rewrites `for Mouse` and `player Mouse` in the head of a move to `by Mouse`.
    fn actor_by_another_word(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = matches!(
            self.word,
            "for" | "player" | "players" | "of" | "on" | "only" | "from" | "actor" | "who" | "mover" | "with"
        );
        let sign = usize::from(matches!(self.layout.text(at + 1), ":" | "=" | "by" | "for"));
        let player = at + 1 + sign;
        let name = self.layout.text(player);
        let is_player = self.outline().players().contains(&name);
        let is_mover = matches!(name, "me" | "mover");
        if !is_word || !self.is_in_a_head() || !(is_player || is_mover) {
            return None;
        }
        if is_mover {
            let range = (self.gap().0, self.range(player).1);
            let title = "a move is made by the player to move, without a word for it";
            let fix = Fix::new(range, "", Code::E0013, title).at((self.here().0, range.1));
            return Some(Fix { accepts_partial: true, ..fix.help("leave it out") });
        }
        let range = (self.here().0, self.range(player - 1).1);
        let title = "who may make a move stands after `by`";
        let fix = Fix::new(range, "by", Code::E0013, title).help(format!("write `by {name}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Explains `phases { show by Ann and Bob; }`.
    fn actors_of_a_phase(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_list =
            matches!(self.word, "and" | "or" | "," | "then") && self.bounds.place == ClauseContext::Phases;
        let by = at.checked_sub(2).filter(|&by| is_list && self.layout.text(by) == "by")?;
        let outline = self.outline();
        let players = outline.players();
        let is_player = |at: usize| players.contains(&self.layout.text(at));
        let end =
            self.outside_brackets(at, &[";", "}"]).filter(|_| is_player(at - 1) && is_player(at + 1))?;
        let phase = self.layout.text(by.checked_sub(1)?);
        let range = (self.range(by - 1).1, self.range(end - 1).1);
        let help = format!(
            "write `{phase} by each;` if all players choose at once, `{phase};` if they move in turn; `by` in the \
             head of a move says who may make it"
        );
        let title = "in a phase one player acts, or all of them, or chance";
        let found = explained(range, "", title, help).at((self.range(by).0, range.1));
        Some(Fix { accepts_partial: true, ..found })
    }

    /// Rewrites `pass when f by Ann;` to `pass when f and mover = Ann;`.
    fn pass_with_its_player(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_pass = self.layout.text(first) == "pass"
            && matches!(self.layout.text(first + 1), "when" | "always")
            && matches!(self.word, "by" | "for");
        let player = self.layout.text(at + 1);
        let is_player = is_pass && self.outline().players().contains(&player);
        let end = Some(at + 2).filter(|&end| is_player && self.layout.text(end) == ";")?;
        let condition = match self.layout.text(first + 1) {
            "always" => String::new(),
            _ if self.end_of_operand(first + 2) == Some(at) => format!("{} and ", self.text(first + 2, at)),
            _ => format!("({}) and ", self.text(first + 2, at)),
        };
        let new = format!("when {condition}mover = {player}");
        let range = (self.range(first + 1).0, self.range(end - 1).1);
        let title = "a pass has a condition, which may ask for the mover";
        let fix = Fix::new(range, &new, Code::E0013, title).at((self.here().0, range.1));
        Some(fix.help(format!("write `pass {new};`")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn head(clauses: &str) -> String {
        format!("players Mouse, Cat;\nphases {{ run; hunt; }}\nmove go(k: 1..3) {clauses} {{ n := k; }}\n")
    }

    #[test]
    fn who_may_move_stands_after_by() {
        for word in ["for", "player", "on", "only by", "player:"] {
            let text = head(&format!("{word} Mouse as \"{{k}}\""));
            assert_eq!(titles(&text), ["who may make a move stands after `by`"], "{text}");
            assert_eq!(mended(&text), head("by Mouse as \"{k}\""));
        }
        assert_eq!(mended(&head("player me as \"{k}\"")), head("as \"{k}\""));
        assert_eq!(mended(&head("during hunt as \"{k}\"")), head("in hunt as \"{k}\""));
    }

    #[test]
    fn the_parts_of_a_head_have_no_commas() {
        assert_eq!(mended(&head("in run, by Mouse as \"{k}\"")), head("in run by Mouse as \"{k}\""));
        assert_eq!(mended(&head("by Mouse, in run as \"{k}\"")), head("by Mouse in run as \"{k}\""));
        assert_eq!(titles(&head("in run, by Mouse as \"{k}\"")).len(), 1);
        assert!(titles(&head("in run, hunt by Mouse as \"{k}\"")).is_empty());
    }

    #[test]
    fn one_player_acts_in_a_phase() {
        let text = "players A, B;\nphases { show by A and B; take; }\n";
        assert_eq!(titles(text), ["in a phase one player acts, or all of them, or chance"]);
        assert!(helps(text)[0].contains("`show by each;`"), "{:?}", helps(text));
        assert_eq!(mended(text), text);
    }

    #[test]
    fn passes_ask_for_the_mover() {
        let text = |pass: &str| format!("players A, B;\npass {pass};\n");
        assert_eq!(mended(&text("when stuck by A")), text("when stuck and mover = A"));
        assert_eq!(mended(&text("when n = 0 or k = 1 by B")), text("when (n = 0 or k = 1) and mover = B"));
        assert_eq!(mended(&text("always for B")), text("when mover = B"));
    }
}
