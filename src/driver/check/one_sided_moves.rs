//! Advice for players who never have a choice (W0541): a move of all players that is never legal for this one.

use super::diagnostics::ExploredGame;
use super::never_legal;
use crate::load::GameSource;
use bouton_base::limits::Limits;
use bouton_base::source::Span;
use bouton_rules::{Actor, Move, Rules};
use bouton_search::game::{State, ToMove};
use bouton_syntax::diag::{Code, Diagnostic, Label};

/// The maximal number of explored positions that are looked at.
const MAX_POSITIONS: u32 = 20_000;
/// The beginning of the advice.
const ADVICE: &str = "the others can ";

/// Names a move that others make and this player never can, with the condition that is never true where he is to move.
pub(super) fn explain(
    text: &GameSource,
    explored: ExploredGame<'_>,
    limits: &Limits,
    found: &mut [Diagnostic],
) {
    let ExploredGame { game, watch, seen, .. } = explored;
    let is_open = |found: &&mut Diagnostic| found.code == Code::W0541 && found.help.is_none();
    let players = game.rules.players().len();
    if text.gdl_names().is_some() || seen.visited > MAX_POSITIONS || players > u64::BITS as usize {
        return;
    }
    for told in found.iter_mut().filter(is_open) {
        let place = told.span();
        let is_this = |(_, span): &&(String, Span)| *span == place;
        let Some((name, _)) = text.outline.players.iter().find(is_this) else { continue };
        let Some(player) = game.rules.players().iter().position(|other| other == name) else { continue };
        let is_one_sided = |(mv, makers): &(&Move, &u64)| {
            is_of_all(&game.rules, mv)
                && mv.span.is_placed()
                && **makers != 0
                && **makers & (1 << player) == 0
        };
        let mut sided = game.rules.moves.iter().zip(&watch.makers).filter(is_one_sided);
        let (Some((mv, _)), None) = (sided.next(), sided.next()) else { continue };
        told.labels.push(Label { span: mv.span, text: format!("never legal for `{name}`") });
        let bounded = game.with_limits(limits);
        let is_turn = |state: &State| bounded.machine.turn(state).ok() == Some(ToMove::Player(player as u32));
        let states: Vec<State> =
            (0..seen.visited).map(|at| seen.arena.state(at)).filter(|state| is_turn(state)).collect();
        let reason = never_legal::first_never_true_in(&bounded, states, mv, limits)
            .filter(|reason| reason.span.is_placed() && reason.span.file == mv.span.file);
        let because = match &reason {
            Some(reason) => {
                let label = match (reason.is_term, reason.is_alone) {
                    (true, _) => format!("has no value where `{name}` is to move"),
                    (false, true) => format!("never true where `{name}` is to move"),
                    (false, false) => {
                        format!("never true together with those above, where `{name}` is to move")
                    }
                };
                told.labels.push(Label { span: reason.span, text: label });
                "correct that condition, or what it reads"
            }
            None => "look at its conditions",
        };
        told.help = Some(format!(
            "{ADVICE}make `{}`, and `{name}` never can: {because}; if it is to be so, write `// allow(W0541): reason`",
            mv.name
        ));
    }
}

/// Returns true for a finding with this advice.
pub(super) fn is_advice(found: &Diagnostic) -> bool {
    found.help.as_ref().is_some_and(|help| help.starts_with(ADVICE))
}

/// Returns true for a move that no clause gives to some of the players.
fn is_of_all(rules: &Rules, mv: &Move) -> bool {
    let of_mover = |actor: &Actor| matches!(actor, Actor::Mover);
    !mv.chance && mv.by.is_none() && mv.phases.iter().all(|id| of_mover(&rules.phases[*id].actor))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_move_that_one_player_alone_can_make_is_named() {
        let told = |over: &str| {
            let rest = format!(
                "board Cell = strip(6); const way[p: Player]: Dir = match p {{ A => E, B => W }}; state {{ at[c: Cell]: Player? = if c \
                 in {{ a1, b1 }} then A else if c in {{ e1, f1 }} then B else none; }} move step(c: Cell) as \"{{c}}\" {{ let to = c + \
                 way[me]; when at[c] = me and at[to] = none; at[to] <- at[c]; }} move hop(c: Cell) as \"{{c}}x\" {{ let over = c + \
                 way[me]; let to = over + {over}; when at[c] = me and at[over] = opponent and at[to] = none; at[to] <- at[c]; }} \
                 pass when stuck; end {{ when at[f1] = A => A wins; when at[a1] = B => B wins; when stuck(A) and stuck(B) => draw; \
                 }}"
            );
            let found = findings_of_two(&rest, Code::W0541).into_iter().next();
            found.map(|found| {
                (found.labels.into_iter().map(|label| label.text).collect::<Vec<_>>(), found.help)
            })
        };
        let (labels, help) = told("E").expect("a warning");
        assert!(labels.contains(&"never legal for `B`".to_owned()), "{labels:?}");
        assert!(labels.len() == 3 && labels[2].ends_with("where `B` is to move"), "{labels:?}");
        assert!(help.is_some_and(|help| help.starts_with("the others can make `hop`, and `B` never can")));
        assert!(told("way[me]").is_none_or(|(labels, _)| labels.len() == 1));
    }
}
