//! Weights of events under other names: `probability = 1 / 6;`, `prob (x + y) / 36;`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use crate::diag::Code;

impl FixFinder<'_> {
    /// Fixes of weights under other names that could be read as terms or effects.
    pub fn event_weights(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.probability_as_a_value());
    }

    /// Rewrites `probability = 1 / 6;` and `probability (x + y) / 36;` in an event to `weight ...;`.
    pub(super) fn probability_as_a_value(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = self.layout.text(clause);
        let is_word = matches!(word, "probability" | "prob" | "odds" | "likelihood");
        let is_clause = self.is_event() && self.bounds.place == ClauseContext::Move && is_word;
        let is_free = |word: &str| {
            let outline = self.outline();
            outline.field(word).is_none() && !outline.declares(word) && !outline.is_effect(word)
        };
        let end = match self.layout.text(clause + 1) {
            "=" | "of" | "is" => clause + 1,
            "(" => clause,
            _ => return None,
        };
        (is_clause && is_free(word)).then(|| {
            let range = (self.range(clause).0, self.range(end).1);
            let title = "how likely an event is stands after `weight`";
            Fix::new(range, "weight", Code::E0013, title).at(self.range(clause)).help("write `weight`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn probabilities_are_weights() {
        let text = |weight: &str| format!("private chance d(x: 1..3, y: 1..3) {{ {weight}; n := x; }}\n");
        for (old, new) in [
            ("probability (x + y) / 36", "weight (x + y) / 36"),
            ("prob (x + y) / 36", "weight (x + y) / 36"),
            ("probability = x / 6", "weight x / 6"),
        ] {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)), ["how likely an event is stands after `weight`"], "{old}");
        }
    }

    #[test]
    fn a_call_is_not_assigned_to_itself() {
        let text = "move m(x: 1..3) { share (x + 1) / 2; }\n";
        assert_eq!(mended(text), text);
        assert!(helps(text).iter().all(|help| !help.contains("share (x + 1) :=")), "{:?}", helps(text));
    }

    #[test]
    fn a_share_before_if_is_no_remainder() {
        let text = |weight: &str| format!("chance d(x: 1..3) {{ weight {weight}; n := x; }}\n");
        for weight in ["20 %", "(20 %)", "20%", "if x = 1 then 20% else 40"] {
            assert_eq!(titles(&text(weight)), ["`%` is no part of a number"], "{weight}");
            assert_eq!(mended(&text(weight)), text(weight));
        }
        let found = titles(&text("20% if x = 3 else 40%"));
        assert!(found.iter().all(|title| !title.contains("mod")), "{found:?}");
        let new = mended(&text("20% if x = 3 else 40%"));
        assert!(!new.contains("mod"), "{new}");
        assert_eq!(mended(&text("x % 2")), text("x mod 2"));
    }
}
