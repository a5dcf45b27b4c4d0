//! Phases that a head names with too much around them: `in phase put`, `in "put"`, `in the put phase`.

use super::edits::{Fix, FixFinder};
use crate::diag::Code;

/// Words around the name of a phase.
fn is_filler(word: &str) -> bool {
    matches!(word, "the" | "phase" | "phases" | "stage" | "step" | "state")
}

impl FixFinder<'_> {
    /// Rewrites `in phase put`, `in "put"` and `in "put", "take"` in the head of a move to the names alone.
    pub(super) fn phase_with_its_word(&self) -> Option<Fix> {
        let start = self.bounds.at.saturating_sub(6).max(self.bounds.first);
        let into = (start..self.bounds.at).rev().find(|&at| self.layout.text(at) == "in")?;
        // A phase may bear such a word as its name.
        let outline = self.outline();
        if !self.is_in_a_head()
            || ["phase", "stage", "step", "state", "the"].iter().any(|w| outline.has_phase(w))
        {
            return None;
        }
        let mut names = Vec::new();
        let mut at = into + 1;
        loop {
            while is_filler(self.layout.text(at)) {
                at += 1;
            }
            let name = self.layout.text(at).trim_matches('"');
            if !outline.has_phase(name) {
                return None;
            }
            names.push(name);
            at += 1;
            while is_filler(self.layout.text(at)) {
                at += 1;
            }
            match self.layout.text(at) {
                "," => at += 1,
                _ => break,
            }
        }
        let new = names.join(", ");
        let range = (self.range(into + 1).0, self.range(at - 1).1);
        if range.1 < self.here().0 || self.text(into + 1, at) == new {
            return None;
        }
        let title = match self.text(into + 1, at).contains('"') {
            true => "a phase is a name, and no string",
            false => "a phase is named alone, after `in`",
        };
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `in {new}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }
}

impl FixFinder<'_> {
    /// Rewrites `deal: setup by chance;` in `phases` to `setup deal by chance;`.
    pub(super) fn setup_behind_a_phase(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_phase =
            self.layout.text(self.bounds.first) == "phases" && self.word == ":" && self.is_name(at - 1);
        let is_setup = matches!(self.layout.text(at + 1), "setup" | "Setup") && is_phase;
        is_setup.then(|| {
            let new = format!("setup {}", self.last);
            let range = (self.range(at - 1).0, self.range(at + 1).1);
            let title = "`setup` stands before the name of the phase";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn setup_stands_before_the_name() {
        let text = "phases { deal: setup by chance; bid; }\n";
        assert_eq!(mended(text), "phases { setup deal by chance; bid; }\n");
        assert_eq!(titles(text), ["`setup` stands before the name of the phase"]);
    }

    fn text(phase: &str) -> String {
        format!(
            "phases {{ put; take; }}\nmove add(k: 0..2) {phase} as \"+{{k}}\" {{ n += k; }}\n\
             chance fall(k: 0..2) {phase} {{ n := k; }}\n"
        )
    }

    #[test]
    fn phases_are_named_alone() {
        for (theirs, ours) in [
            ("in phase put", "in put"),
            ("in \"put\"", "in put"),
            ("in the put phase", "in put"),
            ("in put phase", "in put"),
            ("in phases put, take", "in put, take"),
            ("in \"put\", \"take\"", "in put, take"),
        ] {
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}");
            assert_eq!(titles(&text(theirs)).len(), 2, "{theirs}");
            assert_eq!(helps(&text(theirs))[0], format!("write `{ours}`"));
        }
        assert!(titles(&text("in put, take")).is_empty());
    }

    #[test]
    fn unknown_phases_are_not_guessed() {
        assert!(!helps(&text("in \"drop\"")).iter().any(|help| help.contains("in drop")));
        let own = "phases { phase; put; }\nmove add(k: 0..2) in phase put as \"+{k}\" { n += k; }\n";
        assert!(mended(own).contains("in phase, put"));
    }
}
