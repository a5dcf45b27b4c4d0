//! The arrow `=>` between two conditions of an end rule: `when goal[c] => at[c] = box => win;`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;

/// Words that end a side of an arrow.
const JOINTS: [&str; 6] = ["and", "or", "when", ":", "iff", "implies"];
/// Signs of comparisons that no number in a chain of comparisons has beside it.
const COMPARISONS: [&str; 7] = ["=", "!=", "<", ">", "in", "is", "not"];

impl FixFinder<'_> {
    /// Rewrites `when f => n = 1 => win;` to `when f implies n = 1 => win;`; explains `when f => g => win;`.
    pub fn implications(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.arrow_between_conditions());
        fixes.extend(self.arrow_in_a_guard());
    }

    /// The first arrow of the end rule whose second one is the mistake.
    fn first_arrow(&self) -> Option<usize> {
        let clause = self.bounds.clause;
        let is_rule = self.word == "=>" && self.bounds.place == ClauseContext::End;
        self.outside_brackets(clause, &["=>"]).filter(|&first| is_rule && first < self.bounds.at)
    }

    /// The first word of the left side of an arrow, and the word after its right side.
    fn sides_of_an_arrow(&self, arrow: usize) -> (usize, usize) {
        let (mut start, mut end) = (arrow, arrow + 1);
        while start > self.bounds.clause && !JOINTS.contains(&self.layout.text(start - 1)) {
            let before = start - 1;
            start = self.layout.partner(before).filter(|&open| open < before).unwrap_or(before);
        }
        while end < self.bounds.at && !JOINTS.contains(&self.layout.text(end)) {
            end = self.layout.partner(end).filter(|&close| close > end).unwrap_or(end) + 1;
        }
        (start, end)
    }

    /// Returns true if the term between two words is a number by its form or its declaration.
    fn is_numeric(&self, from: usize, to: usize) -> bool {
        let field = self.outline().field(self.layout.text(from));
        let is_field = field.is_some_and(|field| field.ty.contains(&".."));
        let has_operator = (from..to).any(|at| matches!(self.layout.text(at), "+" | "-" | "*" | "/" | "mod"));
        self.is_number(from) || self.layout.text(from) == "#" || is_field || has_operator
    }

    /// Returns true if an arrow between a number and another term is meant for `>=`.
    pub(super) fn is_between_numbers(&self, arrow: usize) -> bool {
        let (start, end) = self.sides_of_an_arrow(arrow);
        self.is_numeric(start, arrow) || self.is_numeric(arrow + 1, end)
    }

    /// Rewrites `if chest + k => limit { ... }` and `when n => 3;` in a move to `>=`.
    fn arrow_in_a_guard(&self) -> Option<Fix> {
        let (clause, arrow) = (self.bounds.clause, self.bounds.at);
        let is_guard = matches!(self.layout.text(clause), "when" | "if" | "ensure") && self.word == "=>";
        let end = self.outside_brackets(arrow + 1, &[";", "{", "then", "and", "or"])?;
        if !is_guard || !self.in_move() || end == arrow + 1 {
            return None;
        }
        let joint = (clause..arrow).rev().find(|&at| matches!(self.layout.text(at), "and" | "or"));
        let start = joint.unwrap_or(clause) + 1;
        let is_plain = (start..end).all(|at| {
            let word = self.layout.text(at);
            at == arrow || !COMPARISONS.contains(&word) && !JOINTS.contains(&word) && !word.ends_with('=')
        });
        let is_certain = self.is_whole_number(start, arrow) || self.is_whole_number(arrow + 1, end);
        (is_plain && start < arrow && is_certain).then(|| {
            let title = "at least is `>=`: one side of this sign is a number";
            Fix::new(self.here(), ">=", Code::E0013, title).help("write `>=`")
        })
    }

    /// Returns true if the whole term between two words is a number by its form.
    fn is_whole_number(&self, from: usize, to: usize) -> bool {
        let operator = self.outside_brackets(from, &["+", "-", "*", "/", "mod"]);
        operator.is_some_and(|at| at < to) || self.is_number(from) && from + 1 == to
    }

    fn arrow_between_conditions(&self) -> Option<Fix> {
        let first = self.first_arrow()?;
        let (start, end) = self.sides_of_an_arrow(first);
        let compares = |at: usize| COMPARISONS.contains(&self.layout.text(at));
        let outside = |from: usize, to: usize| {
            self.outside_brackets(from, &COMPARISONS).is_some_and(|at| at < to && compares(at))
        };
        let (left, right) = (outside(start, first), outside(first + 1, end));
        // A number implies nothing.
        let has_number = !left && self.is_numeric(start, first) || !right && self.is_numeric(first + 1, end);
        if (left || right) && !has_number {
            let title = "`=>` leads to the outcome; between conditions stands `implies`";
            let fix = Fix::new(self.range(first), "implies", Code::E0005, title);
            return Some(fix.help("write `implies` in place of the first `=>`"));
        }
        let when = (self.bounds.clause..first).find(|&at| self.layout.text(at) == "when")?;
        if !left && !right && self.is_between_numbers(first) {
            return None;
        }
        let range = (self.range(when + 1).0, self.range(self.bounds.at - 1).1);
        let title = "`=>` leads to the outcome: here it can mean `implies` or `>=`";
        let help = "write `implies` between conditions, `>=` between numbers";
        let fix = explained(range, DAMAGE_MARKER, title, help).at(self.range(first));
        Some(Fix { code: Code::E0005, ..fix })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(condition: &str) -> String {
        format!("state {{ n: 0..9 = 0; }}\nend {{ when {condition} => win; }}\n")
    }

    #[test]
    fn an_arrow_beside_a_number_is_at_least() {
        let text = |clause: &str| {
            format!("state {{ n: 0..9 = 9; f: bool = true; }}\nmove m(k: 1..3) {{ {clause} n -= k; }}\n")
        };
        for clause in ["if n + k => most { f := true; }", "when n => 2 * k;", "when f and k => 3;"] {
            let (theirs, ours) = (text(clause), text(&clause.replace("=>", ">=")));
            assert_eq!(mended(&theirs), ours, "{clause}");
            assert_eq!(titles(&theirs).len(), 1, "{clause}");
        }
        for clause in ["when f => n = 3;", "when near(n + 1) => f;", "when n = 2 => f;"] {
            assert!(!mended(&text(clause)).contains(">="), "{clause}");
        }
    }

    #[test]
    fn conditions_imply_each_other() {
        for (theirs, ours) in [
            ("all c in Cell: goal[c] => at[c] = box", "all c in Cell: goal[c] implies at[c] = box"),
            ("n > 2 and done => mover in S", "n > 2 and done implies mover in S"),
            ("n => 9", "n >= 9"),
            ("#S => 3 and n = 2", "#S >= 3 and n = 2"),
            ("n = 2 and #S => 3", "n = 2 and #S >= 3"),
        ] {
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}");
            assert_eq!(titles(&text(theirs)).len(), 1, "{theirs}");
        }
    }

    #[test]
    fn two_readings_get_no_edit() {
        let open = text("all c in Cell: goal[c] => full(c)");
        assert_eq!(mended(&open), open);
        let number = text("n = 3 => 4");
        assert_eq!(mended(&number), number);
        assert_eq!(helps(&open), ["write `implies` between conditions, `>=` between numbers"]);
    }
}
