//! A playout: a random game to its end.
//!
//! Source: Abramson, "Expected-outcome: a general model of static evaluation" (1990): the mean result of random games
//! from a position is a guess at its worth.
//! Cost: as many expansions as the game has plies.
//! Invariant: the same random numbers give the same game on every machine.

use super::depth_limited::evaluation::ExpandedNode;
use crate::game::random::Random;
use crate::game::{Game, MachineError, ToMove};
use bouton_base::rational::Rational;

/// The maximal length of a playout, in plies; a longer one is broken off, and gives every player 0.
const MAX_PLAYOUT_PLIES: usize = 400;

/// Plays a random game from a position; returns each player's payoff. Adds the number of positions
/// visited to `looked`.
pub(super) fn random_playout(
    game: &Game,
    random: &mut Random,
    from: ExpandedNode<'_>,
    looked: &mut u64,
) -> Result<Vec<f64>, MachineError> {
    let nothing = vec![0.0; game.rules.players().len()];
    let Some(next) = random.choose(from.turn, from.successors) else { return Ok(nothing) };
    let mut state = next.state.clone();
    for _ in 0..MAX_PLAYOUT_PLIES {
        *looked += 1;
        let (turn, next) = random.step(game, &state)?;
        if let ToMove::Terminal(outcome) = turn {
            return Ok(outcome.payoffs.iter().map(Rational::to_f64).collect());
        }
        let Some(next) = next else { return Ok(nothing) };
        state = next;
    }
    Ok(nothing)
}
