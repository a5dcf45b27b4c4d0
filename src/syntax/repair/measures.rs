//! Numbers and extremes in English: `size of seen`, `number of players`, `highest seen`, `f so that g`, `phase "ask"`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;

/// Words for the number of elements of a set.
const NUMBERS: [&str; 7] = ["number", "size", "length", "count", "amount", "cardinality", "quantity"];

/// Words for the greatest and the least element of a set.
const EXTREMES: [&str; 10] = [
    "highest", "greatest", "largest", "biggest", "maximum", "maximal", "lowest", "smallest", "minimum",
    "minimal",
];

impl FixFinder<'_> {
    /// Fixes and explanations of numbers and extremes in English.
    pub fn measures(&self, fixes: &mut Vec<Fix>) {
        let all = [self.number_of(), self.extreme_in_words(), self.so_that(), self.phase_without_a_sign()];
        fixes.extend(all.into_iter().flatten());
    }

    /// Returns true if another word continues the term that ends before this one.
    fn is_continued(&self, end: usize) -> bool {
        self.is_name(end) || matches!(self.layout.text(end), "in" | "where" | "with" | "of" | "for" | "on")
    }

    /// Rewrites `size of seen` to `#seen`.
    fn number_of(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_measure =
            |&word: &usize| NUMBERS.contains(&self.layout.text(word)) && self.layout.text(word + 1) == "of";
        let word = (at.saturating_sub(2)..=at).filter(|&word| word > self.bounds.clause).find(is_measure)?;
        let is_article = |at: usize| matches!(self.layout.text(at), "the" | "all");
        let start = word - usize::from(word > self.bounds.clause + 1 && is_article(word - 1));
        let from = word + 2 + usize::from(is_article(word + 2));
        let end = self.end_of_operand(from).filter(|&end| self.is_name(from) && !self.is_continued(end))?;
        let outline = self.outline();
        let name = self.layout.text(from);
        let is_set = outline.is_set(name)
            || outline.is_list(name)
            || outline.declares_type(name)
            || name == "Player"
            || outline.field(name).is_some_and(|field| field.ty.first() == Some(&"set"));
        let are_players = name == "players" && end == from + 1 && !outline.has_table(name);
        let set = if are_players { "Player" } else { self.text(from, end) };
        let range = (self.range(start).0, self.range(end - 1).1);
        let title = "the number of elements is written `#`";
        if is_set || are_players {
            let new = format!("#{set}");
            let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
            return Some(Fix { accepts_partial: true, ..fix });
        }
        let help = format!(
            "write `#{set}` for a set `{set}`, `(count x in S: ...)` for the elements with a property"
        );
        Some(Fix { accepts_partial: true, ..explained(range, DAMAGE_MARKER, title, help) })
    }

    /// Rewrites `highest seen` to `max(seen)` for a set, and explains it for other names.
    fn extreme_in_words(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let extreme = |&word: &usize| EXTREMES.contains(&self.layout.text(word));
        let lowest = at.saturating_sub(2).max(self.bounds.clause + 1);
        let word = (lowest..=at).find(extreme)?;
        let arrow = (self.bounds.clause..at).any(|at| self.layout.text(at) == "=>");
        if self.bounds.place == ClauseContext::End && arrow {
            return None;
        }
        let start = word - usize::from(word > self.bounds.clause + 1 && self.layout.text(word - 1) == "the");
        let from = word + 1 + usize::from(self.layout.text(word + 1) == "of");
        let end = self.end_of_operand(from).filter(|&end| self.is_name(from) && !self.is_continued(end))?;
        let is_least = matches!(self.layout.text(word), "lowest" | "smallest" | "minimum" | "minimal");
        let (ours, of) = if is_least { ("min", "least") } else { ("max", "greatest") };
        let (outline, name) = (self.outline(), self.layout.text(from));
        let range = (self.range(start).0, self.range(end - 1).1);
        let set = self.text(from, end);
        let title = format!("the {of} element of a set is `{ours}(...)`");
        if outline.is_set(name) && end == from + 1 {
            let new = format!("{ours}({set})");
            let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
            return Some(Fix { accepts_partial: true, ..fix });
        }
        let help = match outline.field(name).map(|field| field.keys) {
            Some(keys) if keys.len() == 1 && end == from + 1 => {
                let (key, ty) = (keys[0].0, keys[0].1.concat());
                format!(
                    "write `({ours} {key} in {ty}: {name}[{key}])` for the {of} of the values of `{name}`"
                )
            }
            _ => format!(
                "write `{ours}({set})` for a set `{set}`, `({ours} x in S: ...)` for the {of} of some values"
            ),
        };
        Some(Fix { accepts_partial: true, ..explained(range, DAMAGE_MARKER, &title, help) })
    }

    /// Rewrites `some x in S so that f` to `some x in S: f`, and explains `f so that g`.
    fn so_that(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let start = match (self.last, self.word, self.layout.text(at + 1)) {
            (_, "so", "that") => at,
            ("so", "that", _) => at - 1,
            _ => return None,
        };
        let binder = start.checked_sub(4).filter(|&binder| {
            matches!(self.layout.text(binder), "some" | "all" | "no" | "one")
                && self.is_name(binder + 1)
                && self.layout.text(binder + 2) == "in"
        });
        let range = (self.range(start - 1).1, self.range(start + 1).1);
        let label = (self.range(start).0, range.1);
        if binder.is_some() {
            let title = "the condition of a quantifier stands after `:`";
            let new = format!("{}:", self.text(start - 4, start));
            return Some(
                Fix::new(range, ":", Code::E0013, title).at(label).help(format!("write `{new} ...`")),
            );
        }
        (start > self.bounds.clause + 1).then(|| {
            let help =
                "write `and` if both must hold before the move, `ensure ...;` for what must hold after it";
            let fix = explained(range, " and", "two conditions are joined by `and`", help).at(label);
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `phase "ask"` to `phase = ask`.
    fn phase_without_a_sign(&self) -> Option<Fix> {
        let name = self.word.trim_matches('"');
        let is_clause = self.last == "phase" && self.bounds.at > self.bounds.clause + 1;
        (is_clause && self.outline().has_phase(name)).then(|| {
            let new = format!("= {name}");
            let title = "the phase is compared by `=` with a name without quotes";
            let fix = Fix::new(self.here(), &new, Code::E0013, title);
            Fix { accepts_partial: true, ..fix.help(format!("write `phase {new}`")) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    const ITEMS: &str = "players A, B;\nphases { ask; }\nenum Card { low, high }\n\
                         state { seen: set of Player = {}; marks: set of 1..9 = {}; card[p: Player]: Card = low; }\n";

    fn text(condition: &str) -> String {
        format!("{ITEMS}move m(i: 1..2) {{ when {condition}; n := 1; }}\n")
    }

    #[test]
    fn numbers_of_elements_have_a_sign() {
        for (old, new) in [
            ("i <= size of seen", "i <= #seen"),
            ("i <= count of seen", "i <= #seen"),
            ("i <= the length of seen and n = 1", "i <= #seen and n = 1"),
            ("i = number of players", "i = #Player"),
            ("number of Card > i", "number of Card > i"),
        ] {
            assert_eq!(titles(&text(old)).len(), 1, "{old} {:?}", titles(&text(old)));
            if old != new {
                assert_eq!(mended(&text(old)), text(new));
            }
        }
        let unknown = text("i <= number of loaves");
        assert_eq!(mended(&unknown), unknown);
        assert!(helps(&unknown)[0].starts_with("write `#loaves` for a set"), "{:?}", helps(&unknown));
    }

    #[test]
    fn extremes_are_functions() {
        for (old, new) in
            [("i < highest marks", "i < max(marks)"), ("i > the lowest of marks", "i > min(marks)")]
        {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)).len(), 1);
        }
        let help = "write `(max p in Player: card[p])` for the greatest of the values of `card`";
        assert_eq!(helps(&text("card[me] = highest card")), [help]);
        let unknown = text("card[me] is highest rank");
        assert_eq!((mended(&unknown), titles(&unknown).len()), (unknown.clone(), 1));
    }

    #[test]
    fn conditions_are_joined() {
        let both = text("i <= n so that n > 0");
        assert_eq!(titles(&both), ["two conditions are joined by `and`"]);
        assert_eq!(mended(&both), both);
        assert_eq!(mended(&text("some k in seen so that k = me")), text("some k in seen: k = me"));
    }

    #[test]
    fn phases_are_compared() {
        for old in ["phase \"ask\"", "phase ask"] {
            assert_eq!(mended(&text(old)), text("phase = ask"));
            assert_eq!(titles(&text(old)).len(), 1);
        }
    }
}
