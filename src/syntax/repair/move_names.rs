//! The names of moves in several words: `move pick up(k: 1..3)`, and players before them: `move X mark(c:
//! Cell)`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;

/// The maximal number of words of a name.
const MAX_WORDS: usize = 4;

/// Words of a head that belong to no name.
const NO_NAMES: [&str; 15] = [
    "by",
    "in",
    "as",
    "when",
    "mandatory",
    "obligatory",
    "compulsory",
    "forced",
    "private",
    "hidden",
    "secret",
    "forcing",
    "every",
    "move",
    "chance",
];

impl FixFinder<'_> {
    /// Fixes and explanations of names of moves in several words.
    pub(super) fn move_names(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let head = (first..=first + 2).find(|&at| matches!(self.layout.text(at), "move" | "chance"))?;
        let open = (head + 2..=head + 1 + MAX_WORDS).find(|&at| self.layout.text(at) == "(")?;
        let is_word = |at: usize| keywords::starts_with_letter(self.layout.text(at));
        let is_named_twice = self.bounds.place == ClauseContext::Top
            && open > head + 2
            && (head + 2..=open).contains(&self.bounds.at)
            && self.is_name(head + 1)
            && (head + 1..open).all(is_word)
            && !(head + 1..open).any(|at| NO_NAMES.contains(&self.layout.text(at)));
        if !is_named_twice {
            return None;
        }
        let kind = self.layout.text(head);
        let (one, two) = (self.layout.text(head + 1), self.text(head + 2, open));
        let is_one_word = open == head + 3;
        let before = (self.range(head + 1).0, self.range(head + 2).0);
        let is_player = self.outline().players().contains(&one);
        if is_one_word && is_player {
            let title = "a move has one name; who may make it stands after its parameters";
            let help = format!("write `{kind} {two}(...) by {one} {{ ... }}`");
            return Some(explained(before, "", title, help).at(self.range(head + 1)));
        }
        if is_one_word && self.outline().has_phase(one) {
            let title = "a move has one name; its phase stands after its parameters";
            let help = format!("write `{kind} {two}(...) in {one} {{ ... }}`");
            return Some(explained(before, "", title, help).at(self.range(head + 1)));
        }
        let new = self.plain_words(head + 1, open).replace(' ', "_");
        let range = (self.range(head + 1).0, self.range(open - 1).1);
        let title = "a move has one name, which is one word";
        if one.starts_with(|c: char| c.is_ascii_uppercase()) {
            let help = format!(
                "write `{kind} {new}(...)`; if `{one}` is a player, `{kind} {}(...) by {one} {{ ... }}`",
                self.plain_words(head + 2, open).replace(' ', "_")
            );
            let fix = explained(range, &new, title, help);
            return Some(Fix { accepts_partial: true, ..fix });
        }
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{kind} {new}(...)`"));
        Some(Fix { accepts_partial: true, ..fix })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn modifiers_are_no_part_of_a_name() {
        let text = "chance private deal(a: Card) as \"{a}\" { card := a; }\n";
        assert_eq!(titles(text), ["`private` stands before `chance`"]);
    }

    #[test]
    fn a_name_is_one_word() {
        let text = |head: &str| {
            format!(
                "players A, B;\nphases {{ creep; }}\nmove {head} as \"{{k}}\" {{ when k <= n; n -= k; }}\n"
            )
        };
        for (theirs, ours) in [
            ("pick up(k: 1..3)", "pick_up(k: 1..3)"),
            ("walk to(k: 1..3)", "walk_to(k: 1..3)"),
            ("pick it all up(k: 1..3)", "pick_it_all_up(k: 1..3)"),
        ] {
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}: {:?}", titles(&text(theirs)));
            assert_eq!(titles(&text(theirs)), ["a move has one name, which is one word"], "{theirs}");
        }
        for (theirs, help) in [
            ("A take(k: 1..3)", "write `move take(...) by A { ... }`"),
            ("creep take(k: 1..3)", "write `move take(...) in creep { ... }`"),
            (
                "D take(k: 1..3)",
                "write `move D_take(...)`; if `D` is a player, `move take(...) by D { ... }`",
            ),
        ] {
            assert_eq!(helps(&text(theirs)), [help]);
            assert_eq!(mended(&text(theirs)), text(theirs));
        }
    }
}
