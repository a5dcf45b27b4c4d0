//! Outcomes that call a player the winner or the loser: `last is loser`, `last = winner`, `loser: last`.

use super::edits::{Fix, FixFinder};
use crate::diag::Code;

/// The verdict that a word stands for.
fn verdict(word: &str) -> Option<&'static str> {
    match word {
        "winner" | "winning" => Some("wins"),
        "loser" | "losing" => Some("loses"),
        _ => None,
    }
}

impl FixFinder<'_> {
    /// Fixes of outcomes that call a player the winner or the loser.
    pub fn verdict_words(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.player_called_winner());
        fixes.extend(self.outcome_called_result());
    }

    /// Rewrites `=> result mover loss;` to `=> mover loses;`, and `=> result: draw;` to `=> draw;`.
    fn outcome_called_result(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let arrow = self.outside_brackets(clause, &["=>", ";"]).filter(|&arrow| arrow < self.bounds.at)?;
        let end = self.outside_brackets(arrow + 1, &[";"]).filter(|_| self.layout.text(arrow) == "=>")?;
        let word = self.layout.text(arrow + 1);
        let outline = self.outline();
        let is_word =
            matches!(word, "result" | "outcome") && outline.field(word).is_none() && !outline.declares(word);
        let sign = self.layout.text(arrow + 2);
        let start = arrow + 2 + usize::from(matches!(sign, ":" | "=" | "==" | ":=" | "is"));
        let last = end.checked_sub(1).filter(|&last| is_word && last >= start)?;
        let player = self.text(start, last);
        let new = match self.layout.text(last) {
            "draw" | "tie" if start == last => "draw".to_owned(),
            "win" | "wins" | "victory" | "won" if start < last => format!("{player} wins"),
            "loss" | "lose" | "loses" | "lost" | "defeat" if start < last => format!("{player} loses"),
            _ => return None,
        };
        if start < last && self.end_of_operand(start) != Some(last) {
            return None;
        }
        let range = (self.range(arrow + 1).0, self.range(last).1);
        let title = format!("an outcome stands without `{word}`");
        Some(Fix::new(range, &new, Code::E0005, title).help(format!("write `{new}`")))
    }

    /// Rewrites `=> last is loser;` and `=> loser: last;` to `=> last loses;`.
    fn player_called_winner(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let arrow = self.outside_brackets(clause, &["=>", ";"]).filter(|&arrow| arrow < self.bounds.at)?;
        let end = self.outside_brackets(arrow + 1, &[";"]).filter(|_| self.layout.text(arrow) == "=>")?;
        let after_sign = |at: usize| {
            let is_sign = matches!(self.layout.text(at), "is" | "=" | "==" | ":" | ":=");
            let article = usize::from(matches!(self.layout.text(at + 1), "the" | "a"));
            is_sign.then_some(at + 1 + article)
        };
        let first = arrow + 1;
        let (noun, player) =
            match after_sign(first + 1).filter(|_| verdict(self.layout.text(first)).is_some()) {
                Some(start) => (first, (start, end)),
                None => {
                    let sign = self.end_of_operand(first)?;
                    let noun = after_sign(sign).filter(|noun| noun + 1 == end)?;
                    (noun, (first, sign))
                }
            };
        let word = self.layout.text(noun);
        let verdict = verdict(word)?;
        let is_whole = self.end_of_operand(player.0) == Some(player.1) && self.is_name(player.0);
        let outline = self.outline();
        let is_declared = outline.field(word).is_some()
            || outline.declares(word)
            || (clause..arrow).any(|at| self.layout.text(at) == word);
        (is_whole && !is_declared).then(|| {
            let new = format!("{} {verdict}", self.text(player.0, player.1));
            let range = (self.range(first).0, self.range(end - 1).1);
            let title = format!("an outcome is written `X {verdict}`");
            Fix::new(range, &new, Code::E0005, title).help(format!("write `{new}`"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    fn text(outcome: &str) -> String {
        format!("end {{ when n = 0 => {outcome}; }}\n")
    }

    #[test]
    fn outcomes_stand_without_a_word() {
        let text = |outcome: &str| format!("end {{ when stuck => {outcome}; }}\n");
        for (theirs, ours) in [
            ("result mover loss", "mover loses"),
            ("result: mover win", "mover wins"),
            ("result: draw", "draw"),
        ] {
            assert_eq!(titles(&text(theirs)).len(), 1, "{theirs}");
            assert_eq!(mended(&text(theirs)), text(ours));
        }
    }

    #[test]
    fn the_winner_wins() {
        for (old, new) in [
            ("last is loser", "last loses"),
            ("last is the winner", "last wins"),
            ("last = winner", "last wins"),
            ("last == loser", "last loses"),
            ("last: winner", "last wins"),
            ("last := winner", "last wins"),
            ("loser: last", "last loses"),
            ("winner = owner[a1]", "owner[a1] wins"),
            ("other(mover) is winner", "other(mover) wins"),
        ] {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(
                titles(&text(old)),
                [format!("an outcome is written `X {}`", &new[new.len() - 5..].trim())]
            );
        }
    }

    #[test]
    fn a_declared_winner_is_a_value() {
        let text = format!("state {{ winner: Player? = none; }}\n{}", text("last = winner"));
        assert_eq!(mended(&text), text);
    }
}
