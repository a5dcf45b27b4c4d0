//! Rules of the end among the effects of a move: `when placed = 9 => draw;`.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

/// The maximal number of words of a rule that a message quotes.
const MAX_QUOTED_WORDS: usize = 24;

impl FixFinder<'_> {
    /// Explanations of rules of the end.
    pub fn end_rules(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.rule_in_a_move());
    }

    /// Explains `when placed = 9 => draw;` and `if line(me) => me wins;` among the effects of a move.
    fn rule_in_a_move(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = self.layout.text(clause);
        let is_clause = self.in_move() && matches!(word, "when" | "if" | "for" | "repeat" | "end");
        let arrow = self.outside_brackets(clause + 1, &["=>", ";"]).filter(|_| is_clause)?;
        let end = self.outside_brackets(arrow, &[";"]).filter(|_| self.layout.text(arrow) == "=>")?;
        let outcome = self.text(arrow + 1, end);
        let fits = |rule: Rule, text: &str| trial_parse(rule, text).is_ok_and(|length| length == text.len());
        if !fits(Rule::outcome, outcome) || self.bounds.at > end {
            return None;
        }
        let of_mover = |at: usize| matches!(self.layout.text(at), "me" | "opponent");
        let has_name = word != "for" && (clause..end).any(of_mover);
        let words = (clause..end).map(|at| match self.layout.text(at) {
            "if" if at == clause => "when".to_owned(),
            "me" if has_name => "p".to_owned(),
            "opponent" if has_name => "other(p)".to_owned(),
            own => own.to_owned(),
        });
        let mut rule = String::new();
        for (at, new) in (clause..end).zip(words) {
            let before = self.range(at.max(clause + 1) - 1).1;
            let is_apart = at > clause && before < self.range(at).0;
            rule += if is_apart { " " } else { "" };
            rule += &new;
        }
        if has_name {
            rule = format!("for p in Player {rule}");
        }
        let rule = if end - clause > MAX_QUOTED_WORDS { "when ... => ...".to_owned() } else { rule };
        let has_end = self.outline().has_end();
        let help = match has_end {
            true => format!("write `{rule};` in `end {{ ... }}`: its rules are tested after each move"),
            false => {
                format!("write `end {{ {rule}; }}` below the move: its rules are tested after each move")
            }
        };
        let title = "a move changes the state; when the game is over is a rule of `end`";
        // `else => mover wins;` is a part of the rule.
        let has_else = self.layout.text(end + 1) == "else" && self.layout.text(end + 2) == "=>";
        let last = self.outside_brackets(end + 1, &[";"]).filter(|_| has_else).unwrap_or(end);
        let found = explained(self.whole(clause, last), "", title, help);
        let found = found.at((self.range(arrow).0, self.range(end - 1).1));
        Some(Fix { code: Code::E0006, accepts_partial: true, ..found })
    }

    /// The range from one word to another.
    fn whole(&self, from: usize, last: usize) -> (usize, usize) {
        (self.range(from).0, self.range(last).1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn a_rule_of_the_end_stands_in_no_move() {
        let title = "a move changes the state; when the game is over is a rule of `end`";
        let text = |rule: &str, end: &str| format!("move m(c: Cell) {{ n := 1; {rule} }}\n{end}");
        for (rule, ours) in [
            ("when n = 9 => draw;", "`end { when n = 9 => draw; }`"),
            ("if n = 9 => draw;", "`end { when n = 9 => draw; }`"),
            ("when line(me) => me wins;", "`end { for p in Player when line(p) => p wins; }`"),
            ("if line(me) => opponent loses;", "`end { for p in Player when line(p) => other(p) loses; }`"),
        ] {
            assert_eq!(titles(&text(rule, "")), [title], "{rule}");
            assert_eq!(mended(&text(rule, "")), text(rule, ""));
            assert!(helps(&text(rule, ""))[0].contains(ours), "{:?}", helps(&text(rule, "")));
        }
        let below = text("when n = 9 => draw;", "end { when stuck => mover loses; }\n");
        assert_eq!(titles(&below), [title]);
        assert!(helps(&below)[0].contains("in `end { ... }`"));
    }
}
