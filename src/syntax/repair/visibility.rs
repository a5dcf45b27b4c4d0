//! Visibility of fields in other forms: `visible to p, Bob`, `hidden to other(p)`, `visible to p hand[...]: ...`.

use super::RepairSession;
use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::ast::{ExprKind, ItemKind, Visibility};
use crate::diag::{Code, Diagnostic};
use bouton_base::source::Span;

impl FixFinder<'_> {
    /// Fixes and explanations of the visibility of fields.
    pub fn visibility(&self, fixes: &mut Vec<Fix>) {
        if self.bounds.place == ClauseContext::State {
            let all = [
                self.several_observers(),
                self.hidden_to_the_other(),
                self.observers_before_the_name(),
                self.visible_under_a_condition(),
                self.only_before_the_observers(),
                self.visible_by_for(),
                self.visible_to_no_one(),
                self.public_by_a_word(),
                self.not_visible(),
                self.visible_by_another_word(),
            ];
            fixes.extend(all.into_iter().flatten());
        }
    }

    /// The index of the first word of the observers after `visible to`, before the mistake.
    fn observers(&self) -> Option<usize> {
        let is_start = |&at: &usize| self.layout.text(at) == "visible" && self.layout.text(at + 1) == "to";
        (self.bounds.clause..self.bounds.at).find(is_start).map(|at| at + 2)
    }

    /// Rewrites `visible to p visible to Bob` and `visible to p, Bob` to `visible to { p, Bob }`.
    fn several_observers(&self) -> Option<Fix> {
        let start = self.observers().filter(|_| matches!(self.word, "visible" | "," | "and" | "or"))?;
        let end = self.outside_brackets(start, &[";"])?;
        let mut observers = Vec::new();
        let mut from = start;
        while from < end {
            let next = self.outside_brackets(from, &["visible", ",", "and", "or", ";"])?;
            if next > from {
                observers.push(self.text(from, next));
            }
            let skipped = matches!(self.layout.text(next), "visible") && self.layout.text(next + 1) == "to";
            from = next + 1 + usize::from(skipped);
        }
        let new = format!("{{ {} }}", observers.join(", "));
        let range = (self.range(start).0, self.range(end - 1).1);
        let title = "several players who see a field are a set";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        (observers.len() > 1).then(|| fix.help(format!("write `visible to {new}`")))
    }

    /// Rewrites `hidden to other(p)` and `hidden from other(p)` to `visible to p`; explains `hidden to p`.
    fn hidden_to_the_other(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let end = self.outside_brackets(at, &[";"]);
        let end = end.filter(|_| self.last == "hidden" && matches!(self.word, "to" | "from" | "for"))?;
        let title = "a field says who sees it, not who does not";
        let is_other = self.layout.text(at + 1) == "other" && self.layout.partner(at + 2) == Some(end - 1);
        let label = (self.range(at - 1).0, self.here().1);
        if is_other && self.is_name(at + 3) && end == at + 5 {
            let new = format!("visible to {}", self.layout.text(at + 3));
            let fix = Fix::new((self.range(at - 1).0, self.range(end - 1).1), &new, Code::E0013, title);
            return Some(fix.at(label).help(format!("write `{new}`")));
        }
        let range = (self.here().0, self.range(end - 1).1);
        let help = "write `... visible to p;` with the players who see it; `... hidden;` if nobody does";
        (self.word != "from").then(|| explained(range, "", title, help).at(label))
    }

    /// Rewrites `visible to p hand[p: Player]: Card;` to `hand[p: Player]: Card visible to p;`.
    fn observers_before_the_name(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_first = self.last == "visible" && self.word == "to" && at == clause + 1;
        let end = self.outside_brackets(at, &[";"]).filter(|_| is_first)?;
        let declares = |&at: &usize| {
            let keys = self.layout.partner(at + 1).filter(|_| self.layout.text(at + 1) == "[");
            self.is_name(at) && self.layout.text(keys.unwrap_or(at) + 1) == ":"
        };
        let field = (at + 2..end).find(declares)?;
        let new = format!("{} visible to {}", self.text(field, end), self.text(at + 1, field));
        let range = (self.range(clause).0, self.range(end - 1).1);
        let fix = Fix::new(range, &new, Code::E0013, "who sees a field is said at its end");
        Some(fix.at((self.range(clause).0, self.range(field - 1).1)).help(format!("write `{new};`")))
    }

    /// Removes the `only` of `visible to only p` and of `only visible to p`.
    fn only_before_the_observers(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_only = |at: usize| matches!(self.layout.text(at), "only" | "just" | "solely" | "exclusively");
        let is_to = |at: usize| self.layout.text(at) == "to" && self.layout.text(at - 1) == "visible";
        let only = match self.word {
            "visible" => at.checked_sub(1).filter(|&only| is_only(only))?,
            _ if is_only(at) && self.layout.text(at + 1) == "visible" => at,
            _ => at
                .checked_sub(1)
                .filter(|&only| only > 1 && is_only(only) && is_to(only - 1) && self.is_name(at))?,
        };
        Some(self.only_beside_visible(only))
    }

    /// Leaves out the word `only`, or one like it, at a place.
    pub(super) fn only_beside_visible(&self, at: usize) -> Fix {
        let range = (self.range(at - 1).1, self.range(at).1);
        let title = "`visible to` hides a field from all others already";
        Fix::new(range, "", Code::E0013, title).at(self.range(at)).help("leave it out")
    }

    /// Rewrites `visible for p`, `for p visible` and `for p` behind a field to `visible to p`.
    fn visible_by_for(&self) -> Option<Fix> {
        let (at, title) = (self.bounds.at, "the players who see a field stand behind `visible to`");
        if self.word != "for" || !self.is_name(at + 1) {
            return None;
        }
        let fix = |range: (usize, usize), new: &str| {
            let help = format!("write `visible to {}`", self.layout.text(at + 1));
            Some(Fix::new(range, new, Code::E0013, title).at(range).help(help))
        };
        if self.last == "visible" {
            return fix(self.here(), "to");
        }
        let new = format!("visible to {}", self.layout.text(at + 1));
        let end = at + 1 + usize::from(self.layout.text(at + 2) == "visible");
        (self.layout.text(end + 1) == ";").then(|| fix((self.here().0, self.range(end).1), &new))?
    }

    /// Explains `visible to p when done`.
    fn visible_under_a_condition(&self) -> Option<Fix> {
        let start = self.observers()?;
        let is_word = matches!(self.word, "when" | "if" | "unless" | "while" | "until" | "after" | "once");
        let end = self.outside_brackets(self.bounds.at, &[";"]).filter(|_| is_word)?;
        let range = (self.gap().0, self.range(end - 1).1);
        let name = self.layout.text(self.bounds.clause);
        let player = self.outline().players().first().copied().unwrap_or("Ann");
        let term = match self.layout.text(self.bounds.clause + 1) {
            "[" => format!("{name}[{player}]"),
            _ => name.to_owned(),
        };
        let condition = match self.word {
            "when" | "if" | "once" | "while" => self.text(self.bounds.at + 1, end),
            _ => "...",
        };
        let title = "who sees a field is the same in all positions";
        let help = format!(
            "write `hidden` at the field, and `sees {player}: {term} when {condition};`, an item for each player who sees it then"
        );
        (start < self.bounds.at).then(|| explained(range, "", title, help).at(self.here()))
    }

    /// Rewrites `visible to no one` to `hidden`.
    fn visible_to_no_one(&self) -> Option<Fix> {
        let start = self.observers()?;
        let end = self.outside_brackets(start, &[";"])?;
        let is_nobody = matches!(self.text(start, end), "no one" | "no player" | "no players" | "not anyone");
        let range = (self.range(start - 2).0, self.range(end - 1).1);
        let fix = Fix::new(range, "hidden", Code::E0013, SEEN_BY_NOBODY);
        is_nobody.then(|| fix.help("write `hidden`"))
    }

    /// Removes the `public` of `said: bool = false public;` and the `visible` of `said: bool = false visible;`.
    fn public_by_a_word(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let words = ["public", "visible", "open", "known", "shown", "revealed"];
        let is_bare = |at: usize| words.contains(&self.layout.text(at)) && self.layout.text(at + 1) == ";";
        let word = [at, at.wrapping_sub(1)].into_iter().find(|&at| is_bare(at))?;
        let has_type = (self.bounds.clause..word).any(|at| self.layout.text(at) == ":");
        let range = (self.range(word.checked_sub(1)?).1, self.range(word).1);
        has_type.then(|| {
            let title = "a field is visible to all players by itself";
            Fix::new(range, "", Code::E0013, title).at(self.range(word)).help("leave it out")
        })
    }

    /// Rewrites `seen by Ann`, `known to Ann`, `visible for Ann` and `only visible to Ann` to `visible to Ann`.
    fn visible_by_another_word(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = |at: usize| match (self.layout.text(at), self.layout.text(at + 1)) {
            ("seen" | "observed", "by") | ("known" | "shown" | "revealed", "to") => Some(at + 1),
            ("visible", "for" | "by" | ":" | "from" | "=") => Some(at + 1),
            ("only" | "just", "visible") if self.layout.text(at + 2) == "to" => Some(at + 2),
            _ => None,
        };
        let start = [at, at.saturating_sub(1)].into_iter().find(|&at| is_word(at).is_some())?;
        let last = is_word(start)?;
        let has_type = (self.bounds.clause..start).any(|at| self.layout.text(at) == ":");
        let range = (self.range(start).0, self.range(last).1);
        has_type.then(|| {
            let title = "who sees a field stands after `visible to`";
            let help = format!("write `visible to {}`", self.layout.text(last + 1));
            let fix = Fix::new(range, "visible to", Code::E0013, title).help(help);
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `not visible to Bob` to `visible to Ann` in a game of two, and `not visible` to `hidden`.
    fn not_visible(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_negated = |at: usize| match self.layout.text(at) {
            "not" => matches!(self.layout.text(at + 1), "visible" | "public" | "shown").then_some(at + 2),
            "invisible" | "unseen" => Some(at + 1),
            _ => None,
        };
        let start = [at, at.saturating_sub(1)].into_iter().find(|&at| is_negated(at).is_some())?;
        let next = is_negated(start)?;
        let end = self.outside_brackets(next, &[";"])?;
        let named = self.layout.text(next + 1);
        let range = (self.range(start).0, self.range(end - 1).1);
        let label = (range.0, self.range(next - 1).1);
        if end == next {
            return Some(Fix::new(range, "hidden", Code::E0013, SEEN_BY_NOBODY).help("write `hidden`"));
        }
        let players = self.outline().players();
        let title = "a field says who sees it, not who does not";
        let others: Vec<&str> = players.iter().copied().filter(|player| *player != named).collect();
        let is_player = players.contains(&named) && end == next + 2;
        match (&others[..], matches!(self.layout.text(next), "to" | "for" | "by")) {
            ([other], true) if is_player => {
                let new = format!("visible to {other}");
                Some(Fix::new(range, &new, Code::E0013, title).at(label).help(format!("write `{new}`")))
            }
            (_, true) => {
                let help =
                    "write `... visible to p;` with the players who see it; `... hidden;` if nobody does";
                Some(explained(range, "", title, help).at(label))
            }
            _ => None,
        }
    }
}

/// Words for no player.
const NOBODY: [&str; 8] = ["nobody", "noone", "no_one", "nothing", "neither", "nil", "null", "empty"];
/// The title of the message about a field that nobody sees.
const SEEN_BY_NOBODY: &str = "a field that nobody sees is `hidden`";

impl RepairSession {
    /// Reads `visible to nobody` and `visible to none` as `hidden`, and reports it.
    pub fn mend_hidden_fields(&mut self) {
        let undeclared: Vec<&str> = NOBODY.into_iter().filter(|name| !self.may_declare(name)).collect();
        for item in &mut self.items {
            let ItemKind::State(fields) = &mut item.kind else { continue };
            for field in fields {
                let Visibility::To(observers) = &field.visibility else { continue };
                let is_nobody = matches!(&*observers.kind, ExprKind::None)
                    || observers.as_name().is_some_and(|name| undeclared.contains(&name));
                if is_nobody {
                    let start = field.init.as_ref().map_or(field.ty.span.end, |init| init.span.end);
                    let span = Span { start, ..observers.span };
                    let found = Diagnostic::new(Code::E0013, SEEN_BY_NOBODY, observers.span, "");
                    self.diagnostics.push(found.help("write `hidden`").edit(span, " hidden"));
                    field.visibility = Visibility::Hidden;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended};

    fn field(text: &str) -> String {
        format!("state {{ {text}; k: 0..1 = 0; }}")
    }

    #[test]
    fn several_observers_are_a_set() {
        let new = field("h[p: Player]: 0..3 = 0 visible to { p, Bob }");
        assert_eq!(mended(&field("h[p: Player]: 0..3 = 0 visible to p visible to Bob")), new);
        assert_eq!(mended(&field("h[p: Player]: 0..3 = 0 visible to p, Bob")), new);
    }

    #[test]
    fn observers_stand_at_the_end() {
        let new = field("h[p: Player]: 0..3 = 0 visible to p");
        assert_eq!(mended(&field("h[p: Player]: 0..3 = 0 hidden to other(p)")), new);
        assert_eq!(mended(&field("visible to p h[p: Player]: 0..3 = 0")), new);
    }

    #[test]
    fn observers_follow_visible_to() {
        let new = field("h[p: Player]: 0..3 = 0 visible to p");
        for words in ["visible to only p", "only visible to p", "visible for p", "for p visible", "for p"] {
            assert_eq!(mended(&field(&format!("h[p: Player]: 0..3 = 0 {words}"))), new, "{words}");
        }
    }

    #[test]
    fn a_condition_of_observers_is_an_item() {
        let helps = helps(&field("h[p: Player]: 0..3 = 0 visible to p when k = 1"));
        assert_eq!(helps.len(), 1);
        assert!(helps[0].contains("`sees Ann: h[Ann] when k = 1;`"), "{helps:?}");
    }

    #[test]
    fn nobody_sees_a_hidden_field() {
        for nobody in
            ["visible to nobody", "visible to none", "visible to no one", "not visible", "invisible"]
        {
            assert_eq!(
                mended(&field(&format!("n: 0..3 = 0 {nobody}"))),
                field("n: 0..3 = 0 hidden"),
                "{nobody}"
            );
        }
        assert_eq!(mended(&field("n: Card? = none visible to none")), field("n: Card? = none hidden"));
        let players = |text: &str| format!("players Ann, Bob;\n{}", field(text));
        let new = players("n: Card? = none visible to Ann");
        assert_eq!(mended(&players("n: Card? = none not visible to Bob")), new);
    }

    #[test]
    fn observers_follow_two_words() {
        for words in ["seen by", "known to", "shown to", "visible for", "visible:", "only visible to"] {
            let new = field("n: Card? = none visible to Ann");
            assert_eq!(mended(&field(&format!("n: Card? = none {words} Ann"))), new, "{words}");
        }
    }

    #[test]
    fn all_see_a_field_without_a_word() {
        for word in ["public", "visible", "revealed"] {
            assert_eq!(
                mended(&field(&format!("n: bool? = none {word}"))),
                field("n: bool? = none"),
                "{word}"
            );
            assert_eq!(mended(&field(&format!("n: 0..3 = 0 {word}"))), field("n: 0..3 = 0"), "{word}");
        }
    }
}
