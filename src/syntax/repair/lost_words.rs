//! Words that stand twice, and conditions that have lost their `when`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use crate::diag::Code;
use crate::lex::TokenKind;

impl FixFinder<'_> {
    /// Fixes of doubled words and of lost ones, before all others: those read such a word as a part of a name, as an
    /// argument or as an effect.
    pub(super) fn lost_words(&self, fixes: &mut Vec<Fix>) {
        fixes.extend([self.doubled_word(), self.condition_without_when()].into_iter().flatten());
    }

    /// Leaves out the second of two words: `players players A, B;`.
    fn doubled_word(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = |at: usize| self.layout.words.get(at).is_some_and(|word| word.kind == TokenKind::Word);
        let is_doubled = |&second: &usize| {
            second > self.bounds.first
                && is_word(second)
                && is_word(second - 1)
                && self.layout.text(second) == self.layout.text(second - 1)
        };
        let second = [at, at.checked_sub(1)?].into_iter().find(is_doubled)?;
        let range = (self.range(second - 1).1, self.range(second).1);
        let title = format!("`{}` stands twice", self.layout.text(second));
        let fix = Fix::new(range, "", Code::E0013, title).at(self.range(second));
        Some(Fix { accepts_partial: true, ..fix.help("leave one out") })
    }

    /// Adds `when` before a comparison of a cell that the next statement sets: `at[c] = none; at[c] := me;`, and before
    /// `not seen[c]; seen[c] := true;`.
    fn condition_without_when(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_negated = self.layout.text(clause) == "not";
        let is_compared = matches!(self.word, "=" | "==");
        if self.bounds.place != ClauseContext::Move || !(is_negated || is_compared) {
            return None;
        }
        let end = self.outside_brackets(self.bounds.at.max(clause + 1), &[";"])?;
        let (first, last) = if is_negated { (clause + 1, end) } else { (clause, self.bounds.at) };
        let target: Vec<&str> = (first..last).map(|at| self.layout.text(at)).collect();
        let is_set = |at: usize| {
            target.iter().enumerate().all(|(n, word)| self.layout.text(at + n) == *word)
                && matches!(self.layout.text(at + target.len()), ":=" | "+=" | "-=")
        };
        if target.is_empty() || !is_set(end + 1) {
            return None;
        }
        // The same effect twice.
        let value = if is_compared { self.text(self.bounds.at + 1, end) } else { "false" };
        let set = end + 1 + target.len() + 1;
        let ends = self.outside_brackets(set, &[";"])?;
        if self.text(set, ends) == value {
            return None;
        }
        let start = self.range(clause).0;
        let equal = if self.word == "==" { "==" } else { "=" };
        let rest = self.text(clause, end).replacen(equal, "=", 1);
        let title = "a condition of a move begins with `when`";
        let range = (start, self.range(end - 1).1);
        let fix = Fix::new(range, &format!("when {rest}"), Code::E0013, title).at(range);
        Some(fix.help(format!("write `when {rest};`: the effect after it changes what it asks for")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn game(body: &str) -> String {
        format!(
            "game \"Marks\";\nplayers A, B;\nboard Cell = grid(3, 3);\nstate {{ at[c: Cell]: Player? = none; \
             seen[c: Cell]: bool = false; n: 0..9 = 0; bonus: 0..3 = 0; }}\nmove mark(c: Cell) {{ {body} }}\n\
             end {{ when n = 9 => draw; }}\n"
        )
    }

    #[test]
    fn doubled_words_are_left_out() {
        for (text, sound) in [
            (game("n := n n + 1;"), game("n := n + 1;")),
            (
                game("when at[c] = none; n += 1;").replace("players A", "players players A"),
                game("when at[c] = none; n += 1;"),
            ),
            (game("n += 1;").replace("A, B;", "A, B B;"), game("n += 1;")),
            (game("n += 1;").replace(" n: 0..9", " n n: 0..9"), game("n += 1;")),
        ] {
            assert!(titles(&text)[0].ends_with("stands twice"), "{text}: {:?}", titles(&text));
            assert_eq!(mended(&text), sound);
        }
    }

    #[test]
    fn a_condition_before_its_effect_begins_with_when() {
        for (body, sound) in [
            ("at[c] = none; at[c] := me;", "when at[c] = none; at[c] := me;"),
            ("not seen[c]; seen[c] := true;", "when not seen[c]; seen[c] := true;"),
        ] {
            assert_eq!(mended(&game(body)), game(sound));
        }
        assert_eq!(mended(&game("at[c] = me; n += 1;")), game("at[c] := me; n += 1;"));
    }

    #[test]
    fn guesses_are_no_fixes() {
        for body in [
            "if n = 2 { n += 1; } { n += 3; }",
            "if n = 3 bonus < 2 { n += 1; }",
            "n := (n + bonus mod 5;",
            "n := n + bonus) mod 5;",
            "n 1;",
            "n := min(9, n bonus);",
            "when (seen[c] not seen[b2]); n += 1;",
        ] {
            let text = game(body);
            assert_eq!(mended(&text), text, "{:?} {:?}", titles(&text), helps(&text));
            assert!(!helps(&text).is_empty(), "{body}");
        }
    }
}
