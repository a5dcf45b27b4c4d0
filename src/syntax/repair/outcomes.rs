//! Fixes for rules of `end` in other notations.

use super::edits::{Fix, FixFinder};
use crate::diag::Code;
use crate::lex::TokenKind;

/// The outcome that an assignment or a returned value stands for: `X wins` of `winner = X`.
fn as_outcome(text: &str) -> String {
    let value = |rest: &str| rest.trim_start().trim_start_matches([':', '=']).trim().to_owned();
    let name = |word: &str| match word {
        "draw" | "tie" | "none" | "true" => "draw".to_owned(),
        player => format!("{player} wins"),
    };
    match ["winner", "loser", "return", "draw"].into_iter().find(|word| text.starts_with(word)) {
        Some("loser") => format!("{} loses", value(&text["loser".len()..])),
        Some("draw") if text.len() > "draw".len() => "draw".to_owned(),
        Some(word @ ("winner" | "return")) => name(&value(&text[word.len()..])),
        _ => text.to_owned(),
    }
}

impl FixFinder<'_> {
    /// Fixes for outcomes in other notations.
    pub fn outcomes(&self, fixes: &mut Vec<Fix>) {
        let title = "an outcome is written `when ... => X wins;`";
        let fix = |range, new: &str| Fix::new(range, new, Code::E0005, title);
        if matches!(self.word, "->" | ":" | "then" | "=" | ":=" | "," | ">" | "is") {
            let title = format!("`{}` stands where `=>` leads to the outcome", self.word);
            fixes.push(Fix { title, ..fix(self.here(), "=>") }.help("write `when ... => X wins;`"));
        }
        let clause: Vec<&str> =
            (self.bounds.clause..self.bounds.end).map(|at| self.layout.text(at)).collect();
        if self.bounds.at == self.bounds.clause && clause.contains(&"=>") && self.word != "if" {
            let text = "a rule of the end begins with `when`";
            let start = self.here().0;
            fixes.push(
                Fix { title: text.into(), ..fix((start, start), "when ") }
                    .at(self.here())
                    .help("write `when ... => X wins;`"),
            );
        }
        let verdict = ["draw", "win", "lose", "highest", "lowest", "payoff"].contains(&self.word);
        let starts = self.layout.words.get(self.bounds.at).is_some_and(|word| word.kind == TokenKind::Word);
        if verdict || starts && !self.layout.begins_line(self.bounds.at) {
            let text = "the `=>` before the outcome is missing";
            fixes.push(
                Fix { title: text.into(), ..fix(self.gap(), " =>") }
                    .at(self.here())
                    .help("write `when ... => X wins;`"),
            );
        }
        if self.word == "if" {
            fixes.push(fix(self.here(), "when").help("write `when` in place of `if`"));
        }
        for (theirs, ours) in [
            ("win", "wins"),
            ("lose", "loses"),
            ("won", "wins"),
            ("lost", "loses"),
            ("tie", "draw"),
            ("draw", "draw"),
        ] {
            let is_theirs = |word: &str| word.eq_ignore_ascii_case(theirs) && word != ours;
            if is_theirs(self.word) {
                fixes.push(fix(self.here(), ours).help(format!("write `{ours}`")));
            } else if is_theirs(self.last) {
                fixes.push(fix(self.range(self.bounds.at - 1), ours).help(format!("write `{ours}`")));
            }
        }
        if self.word == ";" {
            let text = "the outcome does not say whether the player wins or loses";
            fixes.push(
                Fix { title: text.into(), ..fix(self.gap(), " wins") }
                    .at(self.range(self.bounds.at.saturating_sub(1))),
            );
        }
        self.outcome_in_braces(fixes);
        self.reversed_outcome(fixes);
    }

    /// `if c { X wins; }`
    fn outcome_in_braces(&self, fixes: &mut Vec<Fix>) {
        let clause = self.bounds.clause..self.bounds.end;
        let Some(open) = clause.clone().find(|&at| self.layout.text(at) == "{") else { return };
        let Some(close) = self.layout.partner(open).filter(|&close| clause.contains(&close)) else { return };
        if !matches!(self.layout.text(clause.start), "if" | "when") {
            return;
        }
        let source = self.layout.source;
        let condition = source[self.range(clause.start).1..self.range(open).0].trim();
        let outcome = source[self.range(open).1..self.range(close).0].trim().trim_end_matches(';');
        let new = format!("when {condition} => {};", as_outcome(outcome));
        let all = (self.range(clause.start).0, self.range(close).1);
        let title = "an outcome is written `when ... => X wins;`";
        let fix = Fix::new(all, &new, Code::E0005, title).at(self.range(clause.start));
        fixes.push(fix.help(format!("write `{new}`")));
    }

    /// `X wins when c;` and `when c => win X;`
    fn reversed_outcome(&self, fixes: &mut Vec<Fix>) {
        let title = "an outcome is written `when ... => X wins;`";
        let source = self.layout.source;
        let words: Vec<&str> = (self.bounds.clause..self.bounds.end).map(|at| self.layout.text(at)).collect();
        let when = words.iter().position(|word| matches!(*word, "when" | "if"));
        if let Some(when) =
            when.filter(|&when| when > 0 && words.last() == Some(&";") && !words.contains(&"=>"))
        {
            let outcome = (self.range(self.bounds.clause).0, self.range(self.bounds.clause + when - 1).1);
            let condition = (self.range(self.bounds.clause + when).1, self.range(self.bounds.end - 1).0);
            let new = format!(
                "when {} => {};",
                source[condition.0..condition.1].trim(),
                &source[outcome.0..outcome.1]
            );
            let all = (outcome.0, self.range(self.bounds.end - 1).1);
            fixes.push(Fix::new(all, &new, Code::E0005, title).at(outcome).help(format!("write `{new}`")));
        }
        let verdict = words.iter().position(|word| matches!(*word, "win" | "wins" | "lose" | "loses"));
        if let Some(verdict) =
            verdict.filter(|&at| at > 0 && words[at - 1] == "=>" && words.last() == Some(&";"))
        {
            let player = (self.range(self.bounds.clause + verdict).1, self.range(self.bounds.end - 1).0);
            let word = if words[verdict].starts_with("win") { "wins" } else { "loses" };
            let new = format!("{} {word}", source[player.0..player.1].trim());
            let all = (self.range(self.bounds.clause + verdict).0, player.1);
            fixes.push(Fix::new(all, &new, Code::E0005, title).help(format!("write `{new}`")));
        }
    }
}
