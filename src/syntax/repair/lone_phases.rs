//! Phases declared one by one: `phase choose; phase throw by chance;`.

use super::edits::{Fix, FixFinder};
use crate::diag::Code;

/// The title of the message about phases that stand as items of their own.
pub(super) const PHASES_ONE_BY_ONE: &str = "the phases of a game are declared together";

impl FixFinder<'_> {
    /// Rewrites `phase choose; phase throw by chance;` to `phases { choose; throw by chance; }`.
    pub(super) fn lone_phase(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_phase = self.bounds.at == first && self.word == "phase" && self.is_name(first + 1);
        let end = self.outside_brackets(first, &[";", "{", "="]).filter(|_| is_phase)?;
        let outline = self.outline();
        let phases = outline.lone_phases();
        if self.layout.text(end) != ";" || outline.has_word("phases") || phases.is_empty() {
            return None;
        }
        let new = format!(
            "phases {{ {} }}",
            phases.iter().map(|phase| format!("{phase};")).collect::<Vec<_>>().join(" ")
        );
        let own = self.text(first + 1, end).split_whitespace().collect::<Vec<_>>().join(" ");
        let is_first = phases.first() == Some(&own);
        let mut last = end;
        while is_first
            && self.layout.text(last + 1) == "phase"
            && let Some(next) = self.outside_brackets(last + 1, &[";", "{", "="])
            && self.layout.text(next) == ";"
        {
            last = next;
        }
        let range = (self.range(first).0, self.range(last).1);
        let fix = Fix::new(range, if is_first { &new } else { "" }, Code::E0013, PHASES_ONE_BY_ONE);
        Some(fix.at((self.range(first).0, self.range(end - 1).1)).help(format!("write `{new}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};
    use super::PHASES_ONE_BY_ONE;

    #[test]
    fn phases_are_declared_together() {
        let text = "players A, B;\nphase choose;\nphase throw by chance;\nstate { n: 0..3 = 0; }\n";
        let wanted = "players A, B;\nphases { choose; throw by chance; }\n\nstate { n: 0..3 = 0; }\n";
        assert_eq!(mended(text), wanted);
        assert_eq!(titles(text), [PHASES_ONE_BY_ONE]);
        let in_line = "players A, B;\nphase choose; phase throw by chance;\n";
        assert_eq!(mended(in_line).trim(), "players A, B;\nphases { choose; throw by chance; }");
        assert_eq!(titles(in_line), [PHASES_ONE_BY_ONE]);
        assert_eq!(mended("players A, B;\nphase choose;\n"), "players A, B;\nphases { choose; }\n");
    }
}
