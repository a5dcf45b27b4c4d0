//! Terms by `if` that lack their `else`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;

impl FixFinder<'_> {
    /// Explains `payoff p: if f then e;` and `if f then a else if g then b` as a term.
    pub(super) fn term_without_else(&self) -> Option<Fix> {
        // An `if` at the start of a clause of a move is no term.
        let is_statement = self.bounds.place == ClauseContext::Move
            && matches!(self.layout.text(self.bounds.clause), "if" | "else" | "elif");
        if is_statement { None } else { self.choice_without_else(self.bounds.clause) }
    }

    /// A choice from `start` on that lacks its `else` at the mistake.
    pub(super) fn choice_without_else(&self, start: usize) -> Option<Fix> {
        let is_head = self.word == "{" && self.bounds.place == ClauseContext::Top;
        let ends = is_head || matches!(self.word, ";" | ")" | "," | "}");
        let opens = (start..self.bounds.at).filter(|&at| self.layout.text(at) == "if").count();
        let others = (start..self.bounds.at).filter(|&at| self.layout.text(at) == "else").count();
        let has_then = (start..self.bounds.at).any(|at| self.layout.text(at) == "then");
        let first = (start..self.bounds.at).rev().find(|&at| self.layout.text(at) == "if")?;
        if let Some(fix) = self.implication_by_if(first).filter(|_| has_then && opens == 1 && others == 0) {
            return Some(fix);
        }
        (ends && has_then && opens > others).then(|| {
            let title = "the `if` of a term needs an `else`: it has a value in either case";
            let then =
                (start..self.bounds.at).rev().find(|&at| self.layout.text(at) == "then").unwrap_or(first);
            let other = match self.layout.text(then + 1) {
                "true" => "false",
                "false" => "true",
                value
                    if self.bounds.place != ClauseContext::State
                        && self.outline().players().contains(&value) =>
                {
                    let outline = self.outline();
                    let players = outline.players();
                    let other = players.iter().copied().find(|player| *player != value);
                    other.filter(|_| players.len() == 2 && then + 2 == self.bounds.at).unwrap_or("none")
                }
                value if value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '(')) => "0",
                _ if (start..first).any(|at| self.layout.text(at).starts_with("payoff")) => "0",
                _ => "none",
            };
            let help = match self.effect_of_choice(first, then) {
                Some((effect, sign)) => {
                    let other = if sign == ":=" { other } else { "0" };
                    format!("write `{effect}` if nothing changes otherwise, or `... else {other}` at its end")
                }
                None => format!("write `... else {other}` at its end, with the value for the other case"),
            };
            explained(self.gap(), &format!(" else {DAMAGE_MARKER}"), title, help).at(self.range(first))
        })
    }

    /// The effect `x += if c then v` of a move as a statement, `if c { x += v; }`, with its sign.
    fn effect_of_choice(&self, first: usize, then: usize) -> Option<(String, &str)> {
        let clause = self.bounds.clause;
        let sign = self.layout.text(first.checked_sub(1).filter(|&sign| sign > clause)?);
        let is_effect = self.bounds.place == ClauseContext::Move && matches!(sign, ":=" | "+=" | "-=");
        let (target, condition) = (self.text(clause, first - 1), self.text(first + 1, then));
        let value = self.text(then + 1, self.bounds.at);
        let is_short = target.len() + condition.len() + value.len() <= 100;
        (is_effect && is_short && !value.contains("if "))
            .then(|| (format!("if {condition} {{ {target} {sign} {value}; }}"), sign))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, titles};

    #[test]
    fn effects_by_a_choice_have_two_readings() {
        let text = "move bid(k: 1..3) { when n > 0; gain[me] += if k > n then k; n := 0; }\n";
        assert_eq!(titles(text), ["the `if` of a term needs an `else`: it has a value in either case"]);
        assert_eq!(
            helps(text),
            ["write `if k > n { gain[me] += k; }` if nothing changes otherwise, or `... else 0` at its end"]
        );
        let text = "def worth(k: 1..3) = if k > 2 then k;\n";
        assert!(helps(text)[0].starts_with("write `... else "), "{:?}", helps(text));
    }
}
