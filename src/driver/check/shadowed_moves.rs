//! Moves that are never legal because a mandatory move is legal wherever they would be (W0531).

use bouton_base::source::Span;
use bouton_rules::Move;
use bouton_search::game::explore::Explored;
use bouton_search::game::{Game, MoveInstance, State};

/// The maximal number of positions in which a move is tried without the mandatory moves.
const MAX_POSITIONS: u32 = 1_000;

/// Returns the place and the name of the mandatory move that is legal in the first position where this one would be.
pub fn shadow(game: &Game, seen: &Explored, mv: &Move) -> Option<(Span, String)> {
    if mv.mandatory || game.rules.moves.iter().all(|other| !other.mandatory) {
        return None;
    }
    let mut rules = (*game.rules).clone();
    for other in &mut rules.moves {
        other.mandatory = false;
    }
    let free = Game::on_reference(rules);
    (0..seen.visited.min(MAX_POSITIONS)).find_map(|at| {
        let state = seen.arena.state(at);
        let here = State(game.machine.packed_state(&state));
        let made = |play: &MoveInstance| match play {
            MoveInstance::Move(id, _) => Some(&game.rules.moves[*id]),
            _ => None,
        };
        let would = free.machine.successors(&here).ok()?;
        would.iter().filter_map(|next| made(&next.play)).find(|other| other.span == mv.span)?;
        let legal = game.machine.successors(&state).ok()?;
        let other = legal.iter().filter_map(|next| made(&next.play)).find(|other| other.mandatory)?;
        Some((other.span, other.name.clone()))
    })
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn the_mandatory_move_is_named() {
        let rest = "state { n: 0..6 = 0; } move step() as \"step\" { when n < 6; n += 1; } mandatory move wait(k: 1..2) as \"{k}\" \
                    { when n + k <= 6; n += k; } end { when stuck => mover loses; }";
        let found = findings_of_two(rest, Code::W0531).into_iter().next().expect("`step` is never legal");
        assert!(found.labels.iter().any(|label| label.text == "legal where `step` would be"), "{found:?}");
        assert!(found.help.is_some_and(|help| help.starts_with("`wait` is mandatory")));
    }
}
