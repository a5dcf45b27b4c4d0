//! Phases that are never left, since their moves go on in them by `continue`: advice for players who never move (W0541),
//! and players who move in other phases only.

use bouton_base::source::Span;
use bouton_rules::{Actor, Move, PhaseId, Rules, Stmt, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};

use super::turn_advice::next_of_another;
use super::visitor::CheckVisitor;
use crate::load::GameSource;

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

/// Returns the phases after the first one of a turn whose moves all go on in one of them, with the player to move.
pub(super) fn closed_phases(rules: &Rules) -> Vec<PhaseId> {
    let turn = rules.turn_phase();
    let mut closed: Vec<PhaseId> = rules.phases.entries().map(|(id, _)| id).collect();
    closed.retain(|&id| id != turn && !rules.phases[id].setup && of_phase(rules, id).next().is_some());
    loop {
        let stays = |id: &PhaseId| of_phase(rules, *id).all(|mv| goes_on_in(mv, &closed));
        let left: Vec<PhaseId> = closed.iter().copied().filter(stays).collect();
        if left.len() == closed.len() {
            return left;
        }
        closed = left;
    }
}

/// Returns true if a move always goes on in one of these phases, and never gives the turn to a player.
fn goes_on_in(mv: &Move, phases: &[PhaseId]) -> bool {
    let leaves = |kind: &StmtKind| match kind {
        StmtKind::Stay(to) => to.is_none_or(|to| !phases.contains(&to)),
        StmtKind::Next(_) => true,
        _ => false,
    };
    last_continue(mv).is_some() && !mv.body.any(&leaves)
}

/// The `continue` that a move always meets last, with its phase.
fn last_continue(mv: &Move) -> Option<(PhaseId, Span)> {
    fn of(stmts: &[Stmt]) -> Option<(PhaseId, Span)> {
        stmts.iter().rev().find_map(|stmt| match &stmt.kind {
            StmtKind::Stay(Some(to)) => Some((*to, stmt.span)),
            StmtKind::Then(block) => of(&block.stmts),
            _ => None,
        })
    }
    of(&mv.body.stmts)
}

/// W0541: players who move, but never in the phases that are never left, since nothing gives them the turn there.
pub(super) fn waiting_players(
    text: &GameSource,
    rules: &Rules,
    watch: &CheckVisitor<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let acts = |player: usize| watch.acts_in_closed[player];
    let players = rules.players();
    let of_mover = |id: &PhaseId| matches!(rules.phases[*id].actor, Actor::Mover);
    let phases: Vec<PhaseId> = watch.closed.iter().copied().filter(of_mover).collect();
    if players.len() < 2 || text.gdl_names().is_some() || !(0..players.len()).any(acts) {
        return;
    }
    let moves: Vec<&Move> =
        rules.moves.iter().filter(|mv| phases.iter().any(|id| mv.phases == [*id])).collect();
    let closing =
        moves.iter().rev().find_map(|mv| last_continue(mv).filter(|(to, _)| Some(to) == phases.first()));
    let Some((first, at)) = closing else { return };
    let Some(next) = next_of_another(rules) else { return };
    let names: Vec<String> = phases.iter().map(|id| format!("`{}`", rules.phases[*id].name)).collect();
    let listed = match &names[..] {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        names => names.concat(),
    };
    for (player, name) in players.iter().enumerate() {
        if acts(player) || watch.choices[player] <= 1 {
            continue;
        }
        let title = format!("`{name}` never moves in {listed}");
        let told = Diagnostic::new(Code::W0541, title, at, "goes on with the same player to move");
        let to = &rules.phases[first].name;
        found.push(told.help(format!(
            "`continue {to};` keeps the player to move, so the one who comes to `{to}` first moves until the end: for \
             {name} to act there, write beside it {next}"
        )));
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    /// Both place a man; then they walk. In `walk` and `burn` the turn passes only if a statement says so.
    #[test]
    fn phases_in_which_one_player_alone_moves_are_named() {
        let found = |after_walk: &str, after_burn: &str| {
            let rest = format!(
                "phases {{ place; walk; burn; }} state {{ n: 0..2 = 0; m: 0..8 = 0; }} move put(k: 1..2) in place as \"{{k}}\" {{ \
                 n += 1; then {{ next opponent; if n = 2 {{ continue walk; }} else {{ continue place; }} }} }} move go(k: 1..2) in \
                 walk as \"go {{k}}\" {{ when m + k <= 7; m += k; {after_walk} }} move fire() in burn {{ when m < 8; m += 1; \
                 {after_burn} }} end {{ when stuck => mover loses; }}"
            );
            findings_of_two(&rest, Code::W0541)
        };
        let alone = found("continue burn;", "continue walk;");
        assert_eq!(alone.len(), 1);
        assert_eq!(alone[0].title, "`B` never moves in `walk` and `burn`");
        assert!(
            alone[0].help.as_deref().is_some_and(|help| help.ends_with("write beside it `next opponent;`"))
        );
        assert_eq!(found("continue burn;", "continue walk; next opponent;").len(), 0);
        assert_eq!(found("continue burn; next opponent;", "continue walk;").len(), 0);
    }

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
