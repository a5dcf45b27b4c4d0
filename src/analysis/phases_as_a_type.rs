//! Phases that are declared as the members of a type: `enum phase { lead, answer }`.

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{self, ItemKind, Name};
use bouton_syntax::diag::{Code, Diagnostic};

/// A type whose members are meant as phases.
pub(super) struct PhasesAsAType<'a> {
    pub members: &'a [Name],
    /// The place of the whole item.
    item: Span,
    name: Span,
}

impl<'a> Analyzer<'a> {
    /// The type whose members are meant as phases: the file declares no others, and moves are in them by name.
    pub(super) fn phases_as_a_type(&self) -> Option<PhasesAsAType<'a>> {
        if self.items().any(|(item, _)| matches!(item.kind, ItemKind::Phases(_))) {
            return None;
        }
        self.items().find_map(|(item, own)| {
            let ItemKind::Enum { name, members } = &item.kind else { return None };
            let is_named = matches!(name.text.to_ascii_lowercase().as_str(), "phase" | "phases");
            (own && is_named && self.are_phases_of_moves(members)).then_some(PhasesAsAType {
                members,
                item: item.span,
                name: name.span,
            })
        })
    }

    /// Returns true if some move is in a phase, and all such phases are among these names.
    fn are_phases_of_moves(&self, members: &[Name]) -> bool {
        let mut phases = self.items().flat_map(|(item, _)| match &item.kind {
            ItemKind::Move(ast::MoveDecl { phases, .. }) => &phases[..],
            _ => &[],
        });
        let is_member = |phase: &Name| members.iter().any(|member| member.text == phase.text);
        phases.next().is_some_and(is_member) && phases.all(is_member)
    }

    /// E0322: phases that are declared as a type.
    pub(super) fn report_phases_as_a_type(&mut self, of: &PhasesAsAType<'a>) {
        let names: Vec<String> = of.members.iter().map(|member| format!("{};", member.text)).collect();
        let new = format!("phases {{ {} }}", names.join(" "));
        let title = "phases are declared by `phases`, without a type";
        let found = Diagnostic::new(Code::E0322, title, of.name, "this is a type");
        self.report(found.help(format!("write `{new}`: play begins in the first")).edit(of.item, new));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::diagnostics;

    #[test]
    fn phases_are_no_type() {
        let game = |phases: &str| {
            format!(
                "game \"Phases\"; players A, B; {phases} state {{ n: 0..9 = 0; }}
                 move lay(k: 1..2) in lead as \"{{k}}\" {{ when n + k <= 9; n += k; continue answer; }}
                 move back() in answer as \"-\" {{ when n > 0; n -= 1; }}
                 end {{ when phase = answer and n = 9 => draw; when stuck => draw; }}"
            )
        };
        let text = game("enum phase { lead, answer }");
        let told = diagnostics(&text);
        let titles: Vec<&str> = told.iter().map(|found| found.title.as_str()).collect();
        assert_eq!(titles, ["phases are declared by `phases`, without a type"], "{told:?}");
        let edit = &told[0].edits[0];
        let mut mended = text.clone();
        mended.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
        assert_eq!(mended, game("phases { lead; answer; }"));
        assert!(diagnostics(&mended).is_empty(), "{:?}", diagnostics(&mended));
        let other = diagnostics(&game("phases { lead; answer; } enum Kind { low, high }"));
        assert!(other.iter().all(|found| found.title != titles[0]));
    }
}
