//! Arms of a `match` in other forms: `match x { a => 1; b => 2; }`, `switch (x) { a => 1 }`, `match x, y { ... }`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use crate::diag::Code;

impl FixFinder<'_> {
    /// Fixes of a `match` whose arms are nearly right.
    pub fn arms(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.arms_with_semicolons(),
            self.match_by_another_word(),
            self.match_over_a_list(),
            self.match_without_braces(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `match x { a => 1; b => 2; }` to `match x { a => 1, b => 2, }`.
    fn arms_with_semicolons(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let open = self.bracket_around(at, at).filter(|_| self.word == ";")?;
        let close = self.layout.partner(open).filter(|_| self.layout.contains_arms(open))?;
        let (mut new, mut kept, mut end) = (String::new(), self.here().0, self.here().1);
        let mut next = at;
        while next < close {
            if self.layout.text(next) == ";" {
                new += self.layout.source.get(kept..self.range(next).0)?;
                new.push(',');
                (kept, end) = (self.range(next).1, self.range(next).1);
            }
            next = self.layout.partner(next).filter(|&partner| partner > next).unwrap_or(next) + 1;
        }
        let title = "`;` stands where `,` is expected";
        let help = match end > self.here().1 {
            true => "write `,` between the arms of a `match`, here and below",
            false => "write `,` between the arms of a `match`",
        };
        let fix = Fix::new((self.here().0, end), &new, Code::E0013, title).at(self.here()).help(help);
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `switch (x) { a => 1, b => 2 }` to `match (x) { a => 1, b => 2 }`.
    fn match_by_another_word(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = |at: &usize| matches!(self.layout.text(*at), "switch" | "case" | "select" | "choose");
        let word = (self.bounds.clause..at).rev().find(is_word)?;
        let open = self.outside_brackets(word + 1, &["{", ";"]).filter(|&open| open > word + 1)?;
        let close =
            self.layout.partner(open).filter(|&close| self.layout.text(open) == "{" && at <= close)?;
        let is_effect = self.in_move() && word == self.bounds.clause;
        let arrow = self.outside_brackets(open + 1, &["=>", "case"])?;
        let is_choice = !is_effect && self.layout.text(arrow) == "=>" && arrow < close;
        is_choice.then(|| {
            let title = "a choice between values is made by `match`, with `value => result` for each";
            let help = format!("write `match {} {{ ... }}`", self.text(word + 1, open));
            let fix = Fix::new(self.range(word), "match", Code::E0013, title).help(help);
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `match x, y { ... }` to `match (x, y) { ... }`.
    fn match_over_a_list(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_match = |&word: &usize| self.outside_brackets(word, &[","]) == Some(at);
        let is_word = |&word: &usize| self.layout.text(word) == "match";
        let word = (self.bounds.clause..at).rev().filter(is_word).find(is_match)?;
        let open = self.outside_brackets(at, &["{", ";", "=>"]).filter(|_| self.word == ",")?;
        (self.layout.text(open) == "{").then(|| {
            let new = format!("({})", self.text(word + 1, open));
            let range = (self.range(word + 1).0, self.range(open - 1).1);
            let title = "several values of a `match` stand in brackets, as in its arms";
            Fix::new(range, &new, Code::E0013, title).at(range).help(format!("write `match {new} {{ ... }}`"))
        })
    }

    /// Rewrites `match p A => 1, B => 2` to `match p { A => 1, B => 2 }`.
    fn match_without_braces(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let word = (self.bounds.clause..at).rev().find(|&word| self.layout.text(word) == "match")?;
        let subject = self.end_of_operand(word + 1).filter(|&end| end == at)?;
        let from = subject + usize::from(matches!(self.layout.text(subject), ":" | "of" | "with"));
        let open = self.bracket_around(word, at).filter(|&open| !self.layout.is_block(open));
        if self.layout.text(from) == "{" || open.is_some_and(|open| self.layout.contains_arms(open)) {
            return None;
        }
        // The arrow of an end rule leads to its outcome.
        if open.is_none() && self.bounds.place == ClauseContext::End {
            return None;
        }
        let end = match open {
            Some(open) => self.layout.partner(open)?,
            None => self.outside_brackets(from, &[";"])?,
        };
        let parts = self.parts_between(from, end);
        if parts.is_empty() || !parts.iter().all(|part| part.contains("=>")) {
            return None;
        }
        let arm = |part: &&str| match part.split_once("=>") {
            Some((pattern, value)) if matches!(pattern.trim(), "else" | "default" | "otherwise") => {
                format!("_ =>{value}")
            }
            _ => (*part).to_owned(),
        };
        let new = format!(" {{ {} }}", parts.iter().map(arm).collect::<Vec<_>>().join(", "));
        let range = (self.gap().0, self.range(end - 1).1);
        let title = "the arms of a `match` stand in braces";
        let help = format!("write `{}{new}`", self.text(word, subject));
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(help))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    /// A game whose payoff is this term.
    fn payoff(term: &str) -> String {
        format!("end {{ when stuck => payoff p: {term}; }}")
    }

    #[test]
    fn arms_are_parted_by_commas() {
        for end in ["2 => 0", "2 => 0,"] {
            let semicolons = end.replace(',', ";");
            let text = payoff(&format!("match n[p] {{ 0 => 1; 1 => 2; {semicolons} }}"));
            assert_eq!(mended(&text), payoff(&format!("match n[p] {{ 0 => 1, 1 => 2, {end} }}")));
            assert_eq!(titles(&text), ["`;` stands where `,` is expected"]);
        }
    }

    #[test]
    fn choices_begin_with_match() {
        let text = payoff("switch (n[p], m) { (1, 1) => 0, _ => 1 }");
        assert_eq!(mended(&text), text.replace("switch", "match"));
        let text = payoff("match n[p], m { (1, 1) => 0, _ => 1 }");
        assert_eq!(mended(&text), text.replace("n[p], m", "(n[p], m)"));
    }

    #[test]
    fn terms_of_payoffs_are_mended_as_elsewhere() {
        let text = payoff("if n[p] > 1 then 1 elif n[p] < 1 then -1 else 0");
        assert_eq!(mended(&text), text.replace("elif", "else if"));
        let text = payoff("if n[p] > 1 { 1 } else { 0 }");
        assert_eq!(mended(&text), payoff("if n[p] > 1 then 1 else 0"));
        assert_eq!(titles(&payoff("")), ["a term is missing before this `;`"]);
    }

    #[test]
    fn arms_stand_in_braces() {
        let new = "def f(p: Player) = match p { A => n = 1, B => true };\n";
        assert_eq!(mended("def f(p: Player) = match p A => n = 1, B => true;\n"), new);
        assert_eq!(mended("def f(p: Player) = match p: A => n = 1, B => true;\n"), new);
        assert_eq!(titles("def f(p: Player) = match p A => n = 1, B => true;\n").len(), 1);
        let inner = "def f(p: Player) = (match p A => 1, else => 2) + 3;\n";
        assert_eq!(mended(inner), "def f(p: Player) = (match p { A => 1, _ => 2 }) + 3;\n");
        let call = "def f(p: Player) = g(match p A => 1, 3);\n";
        assert_eq!(mended(call), call);
    }
}
