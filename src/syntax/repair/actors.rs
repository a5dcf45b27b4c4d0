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
            self.word_before_an_actor(),
            self.actor_by_another_word(),
            self.actors_joined_by_and(),
            self.player_before_the_word(),
            self.phases_side_by_side(),
            self.actor_beside_a_phase(),
            self.actors_of_a_phase(),
            self.pass_with_its_player(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Returns true if the mistake is between the parameters and the body of a move or event.
    pub(super) fn is_in_a_head(&self) -> bool {
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

    /// The players who are named from a word on, `A`, `A, B` or `A and B`, and the word after them.
    fn named_players(&self, from: usize) -> Option<(Vec<&str>, usize)> {
        let known = self.outline().players();
        let (mut names, mut at) = (Vec::new(), from);
        while known.contains(&self.layout.text(at)) {
            names.push(self.layout.text(at));
            let is_joint = matches!(self.layout.text(at + 1), "," | "and" | "or" | "&");
            if !is_joint || !known.contains(&self.layout.text(at + 2)) {
                return Some((names, at + 1));
            }
            at += 2;
        }
        None
    }

    /// Rewrites `by player Ann` and `by the player Ann` in the head of a move to `by Ann`.
    fn word_before_an_actor(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_filler = |&at: &usize| matches!(self.layout.text(at), "player" | "the" | "only" | "players");
        let by = (at.saturating_sub(3)..at).rev().find(|&by| self.layout.text(by) == "by")?;
        let player = by + 1 + (by + 1..by + 4).take_while(is_filler).count();
        let (names, end) = self.named_players(player).filter(|_| self.is_in_a_head())?;
        if player == by + 1 || at > end {
            return None;
        }
        let new = if names.len() == 1 { names[0].to_owned() } else { format!("{{ {} }}", names.join(", ")) };
        let range = (self.range(by + 1).0, self.range(end - 1).1);
        let title = "who may make a move stands after `by`";
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `by {new}`"));
        let words = (self.range(by + 1).0, self.range(player - 1).1);
        Some(Fix { accepts_partial: true, ..fix.at(words) })
    }

    /// Rewrites `for Mouse` and `player Mouse` in the head of a move to `by Mouse`, and several players to a set.
    fn actor_by_another_word(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = matches!(
            self.word,
            "for" | "player" | "players" | "of" | "on" | "only" | "from" | "actor" | "who" | "mover" | "with"
        );
        let is_filler = |&at: &usize| {
            let word = self.layout.text(at);
            matches!(word, ":" | "=" | "by" | "for" | "only" | "player" | "players" | "the" | "both")
        };
        let player = at + 1 + (at + 1..at + 4).take_while(is_filler).count();
        if !is_word || !self.is_in_a_head() {
            return None;
        }
        if matches!(self.layout.text(player), "me" | "mover") {
            let range = (self.gap().0, self.range(player).1);
            let title = "a move is made by the player to move, without a word for it";
            let fix = Fix::new(range, "", Code::E0013, title).at((self.here().0, range.1));
            return Some(Fix { accepts_partial: true, ..fix.help("leave it out") });
        }
        let (names, end) = self.named_players(player)?;
        let (range, new) = match &names[..] {
            [_] => ((self.here().0, self.range(player - 1).1), "by".to_owned()),
            _ => ((self.here().0, self.range(end - 1).1), format!("by {{ {} }}", names.join(", "))),
        };
        let shown = if names.len() == 1 { format!("by {}", names[0]) } else { new.clone() };
        let title = "who may make a move stands after `by`";
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{shown}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `by Ann and Bob` in the head of a move to `by { Ann, Bob }`.
    fn actors_joined_by_and(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let by = at.checked_sub(2).filter(|&by| self.layout.text(by) == "by" && self.is_in_a_head())?;
        let is_joint = matches!(self.word, "and" | "or");
        let (names, end) = self.named_players(by + 1).filter(|(names, _)| is_joint && names.len() > 1)?;
        let new = format!("{{ {} }}", names.join(", "));
        let range = (self.range(by + 1).0, self.range(end - 1).1);
        let title = "the players who may make a move are a set, in braces";
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `by {new}`")))
    }

    /// Rewrites `Ann move m(c: Cell) { ... }` to `move m(c: Cell) by Ann { ... }`.
    fn player_before_the_word(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let player = self.layout.text(first);
        let is_head = self.layout.text(first + 1) == "move" && self.layout.text(first + 3) == "(";
        let close = self.layout.partner(first + 3).filter(|_| is_head && self.bounds.at <= first + 1)?;
        let is_actor = self.outline().players().contains(&player);
        is_actor.then(|| {
            let new = format!("{} by {player}", self.text(first + 1, close + 1));
            let range = (self.range(first).0, self.range(close).1);
            let title = "who may make a move stands after `by`";
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(first));
            let help = format!("write `move {}(...) by {player}`", self.layout.text(first + 2));
            Fix { accepts_partial: true, ..fix.help(help) }
        })
    }

    /// Rewrites `in act burn` in the head of a move to `in act, burn`, where both are phases.
    fn phases_side_by_side(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let outline = self.outline();
        let are_phases = outline.has_phase(self.last) && outline.has_phase(self.word);
        let is_list = self.is_in_a_head() && matches!(self.layout.text(at.checked_sub(2)?), "in" | ",");
        (is_list && are_phases).then(|| {
            let title = "the phases of a move are a list after one `in`";
            let fix = Fix::new(self.gap(), ",", Code::E0013, title).at(self.here());
            fix.help(format!("write `in {}, {}`", self.last, self.word))
        })
    }

    /// Rewrites `show: Ann;`, `show (Ann);` and `Ann: show;` among the phases to `show by Ann;`.
    fn actor_beside_a_phase(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_sign = at == clause + 1
            && matches!(self.word, ":" | "=" | "(" | "->" | "for" | "of" | "=>")
            && self.bounds.place == ClauseContext::Phases;
        let end = match self.layout.partner(at).filter(|_| self.word == "(") {
            Some(close) => close + 1,
            None => at + 2,
        };
        let players = self.outline().players();
        let (phase, other) = (self.layout.text(clause), self.layout.text(at + 1));
        let (name, player) = match (players.contains(&other), players.contains(&phase)) {
            (true, false) => (phase, other),
            (false, true) if self.word != "(" && self.is_name(at + 1) => (other, phase),
            _ => return None,
        };
        let is_whole = is_sign && matches!(self.layout.text(end), ";" | "," | "}");
        is_whole.then(|| {
            let new = format!("{name} by {player}");
            let range = (self.range(clause).0, self.range(end - 1).1);
            let title = "who acts in a phase stands after `by`";
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
            Fix { accepts_partial: true, ..fix.help(format!("write `{new};`")) }
        })
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
        let first = self.bounds.first;
        let is_pass = self.layout.text(first) == "pass"
            && matches!(self.layout.text(first + 1), "when" | "always" | "if");
        let at = self.outside_brackets(first + 2, &["by", "for", ";"]).filter(|_| is_pass)?;
        let player = self.layout.text(at + 1);
        let is_player = self.layout.text(at) != ";" && self.outline().players().contains(&player);
        let end = Some(at + 2).filter(|&end| is_player && self.layout.text(end) == ";")?;
        let condition = match self.layout.text(first + 1) {
            "always" => String::new(),
            _ if self.end_of_operand(first + 2) == Some(at) => format!("{} and ", self.text(first + 2, at)),
            _ => format!("({}) and ", self.text(first + 2, at)),
        };
        let new = format!("when {condition}mover = {player}");
        let range = (self.range(first + 1).0, self.range(end - 1).1);
        let title = "a pass has a condition, which may ask for the mover";
        let fix = Fix::new(range, &new, Code::E0013, title).at((self.range(at).0, range.1));
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
    fn an_actor_has_no_word_before_it() {
        for words in ["by player Mouse", "by the Mouse", "by the player Mouse"] {
            let text = head(&format!("{words} as \"{{k}}\""));
            assert_eq!(mended(&text), head("by Mouse as \"{k}\""), "{words}");
            assert_eq!(titles(&text), ["who may make a move stands after `by`"], "{words}");
        }
    }

    #[test]
    fn who_may_move_stands_after_by() {
        for word in ["for", "player", "on", "only by", "player:"] {
            let text = head(&format!("{word} Mouse as \"{{k}}\""));
            assert_eq!(titles(&text), ["who may make a move stands after `by`"], "{text}");
            assert_eq!(mended(&text), head("by Mouse as \"{k}\""));
        }
        for words in ["for Mouse, Cat", "for Mouse and Cat", "by Mouse and Cat", "players Mouse, Cat"] {
            assert_eq!(mended(&head(words)), head("by { Mouse, Cat }"), "{words}");
        }
        let text = head("in hunt").replace("move go", "Cat move go");
        assert_eq!(mended(&text), head("by Cat in hunt"));
        assert_eq!(mended(&head("player me as \"{k}\"")), head("as \"{k}\""));
        assert_eq!(mended(&head("during hunt as \"{k}\"")), head("in hunt as \"{k}\""));
    }

    #[test]
    fn the_parts_of_a_head_have_no_commas() {
        assert_eq!(mended(&head("in run, by Mouse as \"{k}\"")), head("in run by Mouse as \"{k}\""));
        assert_eq!(mended(&head("by Mouse, in run as \"{k}\"")), head("by Mouse in run as \"{k}\""));
        assert_eq!(titles(&head("in run, by Mouse as \"{k}\"")).len(), 1);
        assert!(titles(&head("in run, hunt by Mouse as \"{k}\"")).is_empty());
        assert_eq!(mended(&head("in run hunt as \"{k}\"")), head("in run, hunt as \"{k}\""));
    }

    #[test]
    fn one_player_acts_in_a_phase() {
        let text = "players A, B;\nphases { show by A and B; take; }\n";
        assert_eq!(titles(text), ["in a phase one player acts, or all of them, or chance"]);
        assert!(helps(text)[0].contains("`show by each;`"), "{:?}", helps(text));
        assert_eq!(mended(text), text);
        let new = "players A, B;\nphases { show by A; take by B; }\n";
        for phases in
            ["show: A; take: B;", "show (A); take (B);", "A: show; B: take;", "show for A; take for B;"]
        {
            assert_eq!(mended(&format!("players A, B;\nphases {{ {phases} }}\n")), new, "{phases}");
        }
    }

    #[test]
    fn passes_ask_for_the_mover() {
        let text = |pass: &str| format!("players A, B;\npass {pass};\n");
        assert_eq!(mended(&text("when stuck by A")), text("when stuck and mover = A"));
        assert_eq!(mended(&text("when n = 0 or k = 1 by B")), text("when (n = 0 or k = 1) and mover = B"));
        assert_eq!(mended(&text("always for B")), text("when mover = B"));
        assert_eq!(mended(&text("if stuck for B")), text("when stuck and mover = B"));
    }
}
