//! Secrets in other places: `secret chance deal() { ... }`, `hide n from B;`, and fields whose first value comes first,
//! `mouse at 1: 0..3;`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

impl FixFinder<'_> {
    /// Fixes and explanations of secrets and of first values.
    pub fn hidden_events(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.secret_before_a_move(),
            self.secret_without_its_kind(),
            self.field_hidden_from(),
            self.value_before_the_type(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `secret chance deal(c: Card) { ... }` to `private chance deal(c: Card) { ... }`.
    fn secret_before_a_move(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let theirs = self.layout.text(first);
        let is_word = matches!(
            theirs,
            "secret" | "hidden" | "concealed" | "unseen" | "covert" | "invisible" | "secretly"
        );
        let kind = self.layout.text(first + 1);
        let is_head = matches!(kind, "move" | "chance") && self.bounds.at <= first + 1;
        (is_word && is_head).then(|| {
            let title = format!(
                "a {} that not all players see is `private`",
                if kind == "move" { kind } else { "chance event" }
            );
            let fix = Fix::new(self.range(first), "private", Code::E0013, title);
            let help = format!("write `private {kind} {}(...)`", self.layout.text(first + 2));
            Fix { accepts_partial: true, ..fix.help(help) }
        })
    }

    /// Rewrites `private random die(x: 1..3) in roll { ... }` to `private chance die(x: 1..3) in roll { ... }`.
    pub(super) fn event_by_another_word(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_marked = matches!(self.layout.text(first), "private" | "secret" | "hidden");
        let word = first + usize::from(is_marked);
        let theirs = self.layout.text(word);
        let is_event = matches!(theirs, "random" | "stochastic" | "dice" | "nature" | "luck")
            && self.bounds.at <= word + 1
            && self.is_name(word + 1)
            && self.layout.text(word + 2) == "(";
        is_event.then(|| {
            let title = format!("what happens by chance begins with `chance`, not with `{theirs}`");
            let mark = if is_marked { "private " } else { "" };
            let new = format!("{mark}chance");
            let range = (self.range(first).0, self.range(word).1);
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(word));
            let help = format!("write `{new} {}(...)`", self.layout.text(word + 1));
            Fix { accepts_partial: true, ..fix.help(help) }
        })
    }

    /// Explains `private deal(c: Card) { ... }`.
    fn secret_without_its_kind(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_word =
            matches!(self.layout.text(first), "secret" | "hidden" | "private" | "mandatory" | "forcing");
        let is_head = is_word && self.is_name(first + 1) && self.layout.text(first + 2) == "(";
        let close = self.layout.partner(first + 2).filter(|_| is_head && self.bounds.at <= first + 1)?;
        let open =
            self.outside_brackets(close + 1, &["{", ";"]).filter(|&open| self.layout.text(open) == "{")?;
        let end = self.layout.partner(open)?;
        let word = match self.layout.text(first) {
            "secret" | "hidden" => "private",
            word => word,
        };
        let name = self.layout.text(first + 1);
        let title = format!("the word before `{name}` is missing");
        let event =
            if word == "forcing" { "" } else { &format!(", `{word} chance {name}(...)` if chance does") };
        let help = format!("write `{word} move {name}(...)` if players make it{event}");
        let range = (self.range(first).0, self.range(end).1);
        let found = explained(range, "", &title, help).at((range.0, self.range(first + 1).1));
        Some(Fix { accepts_partial: true, ..found })
    }

    /// Explains `hide n from B;`, as an item, in a state or in a move.
    fn field_hidden_from(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_verb = matches!(self.layout.text(clause), "hide" | "hides" | "conceal" | "mask");
        let from = self.end_of_operand(clause + 1).filter(|_| is_verb)?;
        let has_from = matches!(self.layout.text(from), "from" | "to" | "for");
        let end =
            self.outside_brackets(from, &[";"]).filter(|_| has_from || self.layout.text(from) == ";")?;
        let name = self.layout.text(clause + 1);
        let outline = self.outline();
        let field = outline.field(name)?;
        let hidden = self.text(from + 1, end);
        let others: Vec<&str> = outline.players().into_iter().filter(|player| *player != hidden).collect();
        let is_of_player = field.keys.first().is_some_and(|(_, ty)| ty[..] == ["Player"]);
        let shown = match (&others[..], has_from) {
            (_, false) => "hidden".to_owned(),
            _ if is_of_player => format!("visible to {}", field.keys[0].0),
            ([only], _) if outline.players().len() == 2 => format!("visible to {only}"),
            _ => "visible to p".to_owned(),
        };
        let title = "who sees a field is said where it is declared";
        let keys = if field.keys.is_empty() { "" } else { "[...]" };
        let others = if has_from { ": the players who are named there see it, others do not" } else { "" };
        let help = format!("write `{name}{keys}: ... {shown};` in `state`{others}");
        let range = (self.range(clause).0, self.range(end).1);
        let found = explained(range, "", title, help).at((range.0, self.range(end - 1).1));
        Some(Fix { accepts_partial: true, ..found })
    }

    /// Rewrites `mouse at 1: 0..3;` and `mouse = 1: 0..3;` in a state to `mouse: 0..3 = 1;`.
    fn value_before_the_type(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_field = self.bounds.place == ClauseContext::State && self.is_name(clause);
        let keys = self.layout.partner(clause + 1).filter(|_| self.layout.text(clause + 1) == "[");
        let sign = keys.unwrap_or(clause) + 1;
        let is_sign = matches!(self.layout.text(sign), "at" | "=" | ":=" | "is" | "starts" | "from" | "on");
        let from = sign + 1 + usize::from(matches!(self.layout.text(sign + 1), "at" | "as" | "with"));
        let colon = self.outside_brackets(from, &[":", ";", "match"]).filter(|_| is_field && is_sign)?;
        let last = self.outside_brackets(colon + 1, &[";", "hidden", "visible", "="])?;
        let (value, ty) = (self.text(from, colon), self.text(colon + 1, last));
        let fits = |rule: Rule, text: &str| trial_parse(rule, text).is_ok_and(|length| length == text.len());
        let is_whole = self.layout.text(colon) == ":" && colon > from && self.layout.text(last) != "=";
        (is_whole && fits(Rule::one_expr, value) && fits(Rule::one_type, ty)).then(|| {
            let new = format!(": {ty} = {value}");
            let range = (self.range(sign - 1).1, self.range(last - 1).1);
            let title = "the type of a field comes first, then its first value";
            let fix = Fix::new(range, &new, Code::E0013, title).at((self.range(sign).0, range.1));
            let help = format!("write `{}{new};`", self.text(clause, sign));
            Fix { accepts_partial: true, ..fix.help(help) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn private_events_have_their_word() {
        for word in ["secret", "hidden", "concealed"] {
            let text = |word: &str| format!("{word} chance deal(c: Card) in deal {{ hand := c; }}\n");
            assert_eq!(titles(&text(word)), ["a chance event that not all players see is `private`"]);
            assert_eq!(mended(&text(word)), text("private"));
        }
        assert_eq!(mended("secret move m() { n := 1; }\n"), "private move m() { n := 1; }\n");
        let found = helps("private deal(c: Card) in deal { hand := c; }\n");
        assert!(found.len() == 1 && found[0].contains("`private chance deal(...)`"), "{found:?}");
    }

    #[test]
    fn events_begin_with_chance() {
        let text = |word: &str| format!("{word} die(x: 1..3) in roll {{ d := x; continue act; }}\n");
        for (theirs, ours) in
            [("private random", "private chance"), ("secret dice", "private chance"), ("random", "chance")]
        {
            assert_eq!(titles(&text(theirs)).len(), 1, "{theirs}");
            assert_eq!(mended(&text(theirs)), text(ours));
        }
    }

    #[test]
    fn observers_are_named_at_the_field() {
        let text = "players A, B;\nstate { n: 0..3 = 0; }\nhide n from B;\nmove m() { n := 1; }\n";
        assert_eq!(titles(text), ["who sees a field is said where it is declared"]);
        assert!(helps(text)[0].contains("`n: ... visible to A;`"), "{:?}", helps(text));
        let text = "players A, B;\nstate { n: 0..3 = 0; hide n from B; }\n";
        assert_eq!(titles(text), ["who sees a field is said where it is declared"]);
    }

    #[test]
    fn types_come_before_values() {
        let text = |field: &str| format!("state {{ {field}; k: 0..1 = 0; }}\n");
        for field in ["mouse at 1: 0..3", "mouse = 1: 0..3", "mouse starts at 1: 0..3"] {
            assert_eq!(
                titles(&text(field)),
                ["the type of a field comes first, then its first value"],
                "{field}"
            );
            assert_eq!(mended(&text(field)), text("mouse: 0..3 = 1"));
        }
        let new = text("at[c: Cell]: Player? = none hidden");
        assert_eq!(mended(&text("at[c: Cell] = none: Player? hidden")), new);
    }
}
