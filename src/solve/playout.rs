//! A game played at random to its end.
//!
//! Source: Abramson, "Expected-outcome: a general model of static evaluation" (1990): what random games from a position
//! give in the mean is a guess at what it is worth.
//! Cost: as many expansions as the game has plies.
//! Invariant: the same numbers drawn give the same game on every machine.

use super::value::float;
use crate::game::random::Random;
use crate::game::{Game, Halt, Successor, Turn};

/// A game longer than this is broken off, and counts as nothing for anybody.
const LONGEST: usize = 400;

/// Plays on from a position with these moves: what each player gets. Adds the positions looked at.
pub(super) fn at_random(
    game: &Game,
    random: &mut Random,
    (turn, successors): (&Turn, &[Successor]),
    looked: &mut u64,
) -> Result<Vec<f64>, Halt> {
    let nothing = vec![0.0; game.rules.players().len()];
    let Some(next) = random.choose(turn, successors) else { return Ok(nothing) };
    let mut state = next.state.clone();
    for _ in 0..LONGEST {
        *looked += 1;
        let (turn, successors) = game.machine.expand(&state)?;
        if let Turn::Over(outcome) = turn {
            return Ok(outcome.payoffs.into_iter().map(float).collect());
        }
        let Some(next) = random.choose(&turn, &successors) else { return Ok(nothing) };
        state = next.state.clone();
    }
    Ok(nothing)
}
