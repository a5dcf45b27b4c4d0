//! Rules of the end among the effects of a move: `when placed = 9 => draw;`.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

/// The maximal number of words of a rule that a message quotes.
const MAX_QUOTED_WORDS: usize = 24;

/// The maximal number of signs behind which the outcome of a rule is looked for.
const MAX_SIGNS: usize = 8;

impl FixFinder<'_> {
    /// Explanations of rules of the end.
    pub fn end_rules(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.rule_in_a_move());
        fixes.extend(self.goal_of_a_puzzle());
    }

    /// Rewrites `goal: f;` and `win = f;` in `end` to `when f => win;`, for one player.
    fn goal_of_a_puzzle(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = self.layout.text(clause);
        let wins = match word.to_ascii_lowercase().as_str() {
            "goal" | "win" | "won" | "solved" | "success" | "victory" | "target" => true,
            "lose" | "lost" | "fail" | "failed" | "failure" | "defeat" => false,
            _ => return None,
        };
        let is_sign = matches!(self.layout.text(clause + 1), ":" | "=" | "when" | "if" | ":=");
        let is_end = self.layout.text(self.bounds.first) == "end" && self.outline().players().len() == 1;
        let end =
            self.outside_brackets(clause, &[";"]).filter(|&end| is_sign && is_end && end > clause + 2)?;
        let condition = self.text(clause + 2, end);
        if !trial_parse(Rule::expr, condition).is_ok_and(|length| length == condition.len()) {
            return None;
        }
        let new = format!("when {condition} => {}", if wins { "win" } else { "lose" });
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = "a rule of the end is a condition with its outcome";
        let fix = Fix::new(range, &new, Code::E0005, title).at(self.range(clause));
        Some(fix.help(format!("write `{new};`")))
    }

    /// Explains `when placed = 9 => draw;`, `if line(me) then me wins;` and `me wins if f;` among the effects of a
    /// move.
    fn rule_in_a_move(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end =
            self.outside_brackets(clause, &[";"]).filter(|&end| self.in_move() && end >= self.bounds.at)?;
        let (condition, outcome) = self.parts_of_a_rule(clause, end)?;
        let word = self.layout.text(clause);
        let of_mover = |at: usize| matches!(self.layout.text(at), "me" | "opponent");
        // A condition about `me` goes through the players; otherwise the mover is the one who has just moved.
        let has_name = word != "for" && (condition.0..condition.1).any(of_mover);
        let [me, opponent] = match (has_name, self.outline().players().len()) {
            (true, _) => ["p", "other(p)"],
            (false, 2) => ["other(mover)", "mover"],
            _ => ["X", "X"],
        };
        let told = |from: usize, to: usize| {
            let mut text = String::new();
            for at in from..to {
                let is_apart = at > from && self.range(at - 1).1 < self.range(at).0;
                text += if is_apart { " " } else { "" };
                text += match self.layout.text(at) {
                    "me" => me,
                    "opponent" => opponent,
                    own => own,
                };
            }
            text
        };
        let (said, result) = (told(condition.0, condition.1), told(outcome.0, outcome.1));
        let rule = match word {
            "for" | "repeat" => format!("{said} => {result}"),
            _ => format!("when {said} => {result}"),
        };
        let rule = if has_name { format!("for p in Player {rule}") } else { rule };
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
        let found = found.at((self.range(outcome.0).0, self.range(outcome.1 - 1).1));
        Some(Fix { code: Code::E0006, accepts_partial: true, ..found })
    }

    /// The words of the condition and of the outcome of a rule: `when f => o`, `if f then o`, `when f: o`, `o if f`.
    fn parts_of_a_rule(&self, clause: usize, end: usize) -> Option<((usize, usize), (usize, usize))> {
        let fits = |rule: Rule, from: usize, to: usize| {
            let text = self.text(from, to);
            from < to && trial_parse(rule, text).is_ok_and(|length| length == text.len())
        };
        let is_outcome = |from: usize, to: usize| {
            matches!(self.text(from, to), "win" | "lose" | "draw")
                || fits(Rule::outcome, from, to) && !fits(Rule::one_expr, from, to)
        };
        let start = match self.layout.text(clause) {
            "when" | "if" => Some(clause + 1),
            "for" | "repeat" => Some(clause),
            _ => None,
        };
        let Some(start) = start else {
            let word = self.outside_brackets(clause + 1, &["if", "when"]).filter(|&word| word < end)?;
            return is_outcome(clause, word).then_some(((word + 1, end), (clause, word)));
        };
        let mut from = clause + 1;
        for _ in 0..MAX_SIGNS {
            let sign = self.outside_brackets(from, &["=>", "then", ":"]).filter(|&sign| sign < end)?;
            let is_sign = self.layout.text(sign) == "=>" || start > clause;
            if is_sign && is_outcome(sign + 1, end) {
                return (start < sign || start == clause).then_some(((start, sign), (sign + 1, end)));
            }
            from = sign + 1;
        }
        None
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
            ("if n = 9 then draw;", "`end { when n = 9 => draw; }`"),
            ("when n = 9: me wins;", "`end { when n = 9 => X wins; }`"),
            ("A wins if n = 9;", "`end { when n = 9 => A wins; }`"),
            ("win when n = 9;", "`end { when n = 9 => win; }`"),
            ("for p in Player when line(p) => p wins;", "`end { for p in Player when line(p) => p wins; }`"),
            ("when line(me) => me wins;", "`end { for p in Player when line(p) => p wins; }`"),
            ("if line(me) => opponent loses;", "`end { for p in Player when line(p) => other(p) loses; }`"),
        ] {
            assert_eq!(titles(&text(rule, "")), [title], "{rule}");
            assert_eq!(mended(&text(rule, "")), text(rule, ""));
            assert!(helps(&text(rule, ""))[0].contains(ours), "{:?}", helps(&text(rule, "")));
        }
        let of_two = format!("players A, B;\n{}", text("when n = 9 => me wins;", ""));
        assert!(
            helps(&of_two)[0].contains("`end { when n = 9 => other(mover) wins; }`"),
            "{:?}",
            helps(&of_two)
        );
        let below = text("when n = 9 => draw;", "end { when stuck => mover loses; }\n");
        assert_eq!(titles(&below), [title]);
        assert!(helps(&below)[0].contains("in `end { ... }`"));
    }
}
