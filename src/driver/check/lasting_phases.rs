//! Advice for players who never move (W0541) where a phase is never left: its only moves go on in it by `continue`.

use bouton_rules::{Move, PhaseId, Rules, StmtKind};

/// Names the moves that go on in their own phase, so that no turn ends and none begins again in its first phase.
pub(super) fn advice(rules: &Rules) -> Option<String> {
    let (id, phase) = rules.phases.entries().find(|(id, _)| is_lasting(rules, *id))?;
    let first = &rules.phases[rules.turn_phase()].name;
    let names: Vec<String> = of_phase(rules, id).map(|mv| format!("`{}`", mv.name)).collect();
    let (subject, verb) = match &names[..] {
        [only] => (only.clone(), "goes on"),
        [rest @ .., last] => (format!("{} and {last}", rest.join(", ")), "go on"),
        [] => return None,
    };
    let name = &phase.name;
    Some(format!(
        "{subject} {verb} in `{name}` itself, by `continue {name};`, so no move leads back to `{first}`: without it the turn \
         passes, and the next one begins in `{first}`"
    ))
}

fn of_phase(rules: &Rules, id: PhaseId) -> impl Iterator<Item = &Move> {
    rules.moves.iter().filter(move |mv| mv.phases.is_empty() || mv.phases.contains(&id))
}

/// Returns true for a phase after the first one of a turn, whose moves all go on in it and keep the turn.
fn is_lasting(rules: &Rules, id: PhaseId) -> bool {
    let stays = |mv: &Move| {
        let goes_on = |kind: &StmtKind| matches!(kind, StmtKind::Stay(Some(to)) if *to == id);
        let leaves = |kind: &StmtKind| match kind {
            StmtKind::Stay(Some(to)) => *to != id,
            StmtKind::Stay(None) | StmtKind::Next(_) => true,
            _ => false,
        };
        mv.phases == [id] && mv.body.stmts.iter().any(|stmt| goes_on(&stmt.kind)) && !mv.body.any(&leaves)
    };
    id != rules.turn_phase()
        && !rules.phases[id].setup
        && of_phase(rules, id).next().is_some()
        && of_phase(rules, id).all(stays)
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_phase_that_is_never_left_is_named() {
        let help = |go_on: &str| {
            let rest = format!(
                "phases {{ roll by chance; act; }} state {{ n: 0..6 = 0; die: 0..2 = 0; }} chance throw(d: 1..2) in roll {{ die \
                 := d; continue act; }} move add(k: 1..2) in act {{ when n + k <= 6; n += k; {go_on} }} end {{ when stuck => \
                 draw; }}"
            );
            let found = findings_of_two(&rest, Code::W0541).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("continue act;");
        assert!(
            told.starts_with("`add` goes on in `act` itself, by `continue act;`, so no move leads"),
            "{told}"
        );
        assert_eq!(help("continue act; next opponent;"), "");
        assert_eq!(help("if k = 2 { continue act; }"), "");
        assert_eq!(help(""), "");
    }
}
