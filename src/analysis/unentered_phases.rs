//! Phases that no play enters, or that have no moves.

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::{Actor, PhaseId};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Reports E0321: a phase that no play enters, or that has no moves.
    pub(super) fn phases_without_play(&mut self) {
        let phases: Vec<(PhaseId, String, Span)> =
            self.rules.phases.entries().map(|(id, p)| (id, p.name.clone(), p.span)).collect();
        let set_by_position =
            self.rules.fields.len() > 1 && self.written_fields.contains_key(&bouton_rules::PHASE);
        for (id, name, span) in phases {
            if !self.awaited_phases.is_empty() {
                // Which phase follows which is only clear when each move is in its own.
                return;
            }
            let has_moves = self.rules.moves.iter().any(|m| m.phases.contains(&id));
            let kept = self.kept_phases.iter().find(|(phase, _)| *phase == id).map(|(_, place)| *place);
            let entered = self.entered_phases.contains(&id) || set_by_position;
            if has_moves && (entered || name.is_empty()) {
                continue;
            }
            let what = match has_moves {
                true if kept.is_some() => "is entered only by its own moves",
                true => "is never entered",
                false => "has no moves",
            };
            let is_chance = matches!(self.rules.phases[id].actor, Actor::Chance);
            let has_setup = self.rules.phases.iter().any(|phase| phase.setup);
            let title = match name.as_str() {
                "" => "the turn has no moves".to_string(),
                name => format!("the phase `{name}` {what}"),
            };
            let help = if has_moves && is_chance && !has_setup {
                format!(
                    "play begins in `{}`, the first phase: put `{name} by chance` first if each turn begins with it; an \
                     event that comes once, before the first move, is `setup {name} by chance`; otherwise the move after \
                     which it comes says `continue {name};`",
                    self.rules.phases[self.rules.turn_phase()].name
                )
            } else if has_moves {
                format!(
                    "phases do not follow each other by themselves: the move after which it comes says `continue {name};`"
                )
            } else {
                format!("give it one: `move ... in {name} {{ ... }}`")
            };
            let found = Diagnostic::new(Code::E0321, title, span, what).help(help);
            self.report(match kept.filter(|_| has_moves) {
                Some(place) => found.label(place, "stays in the phase"),
                None => found,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn phases_are_entered_from_others() {
        let told = |put: &str, slide: &str, setup: &str| {
            let text = format!(
                "game \"Slide\"; players A, B; phases {{ put; slide {setup}; }} state {{ n: 0..9 = 0; }}
                 move lay(k: 1..2) in put as \"{{k}}\" {{ when n + k <= 9; n += k; {put} }}
                 {slide}
                 end {{ when n = 9 => draw; when stuck => draw; }}"
            );
            let found = found(&text, Code::E0321);
            found.into_iter().map(|found| (found.title, found.help.unwrap_or_default())).collect::<Vec<_>>()
        };
        let slide = "move back() in slide as \"-\" { when n > 0; n -= 1; continue slide; next opponent; }";
        let [(title, help)] = &told("", slide, "")[..] else { panic!("{:?}", told("", slide, "")) };
        assert_eq!(title, "the phase `slide` is entered only by its own moves");
        assert!(help.ends_with("`continue slide;`"), "{help}");
        assert!(told("if n = 8 { continue slide; }", slide, "").is_empty());
        let again = "move back() in slide as \"-\" { when n > 0; n -= 1; again; }";
        assert_eq!(told("", again, "")[0].0, "the phase `slide` is entered only by its own moves");
        let both =
            "move back() in put, slide as \"-\" { when n > 0; n -= 1; continue slide; next opponent; }";
        assert!(told("", both, "").is_empty());
        let throw = "chance throw(k: 1..2) in slide { n := k; }";
        assert!(told("", throw, "by chance")[0].1.contains("`setup slide by chance`"));
    }
}
