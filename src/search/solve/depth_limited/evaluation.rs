//! Static evaluation: a guess at the worth of a position at the horizon of a depth-limited search.
//!
//! Technique: the rules' `evaluate`, if they have one; otherwise the mean result of random games from the position.
//! Source: Shannon, "Programming a computer for playing chess" (1950) for evaluation; Abramson (1990) for random
//! games.
//! Cost: an evaluation by the definition, or the given number of random games.
//! Invariant: one position has one guess, since the seed of its games is made from its words. No claim rests on it.

use std::hash::Hasher;

use bouton_base::rational::Rational;
use rustc_hash::FxHasher;

use crate::game::random::Random;
use crate::game::{Game, MachineError, State, Successor, ToMove};
use crate::solve::playout::random_playout;
use bouton_base::limits::{LimitHit, Limits};
use bouton_rules::Expr;

/// The denominator to which means of random games are rounded.
const MEAN_DENOMINATOR: i64 = 100;
/// The bound on the absolute value of a mean, so that means can be added.
const MAX_MEAN: f64 = 1e9;

/// A position with its turn and its successors.
#[derive(Clone, Copy)]
pub struct ExpandedNode<'a> {
    pub state: &'a State,
    pub turn: &'a ToMove,
    pub successors: &'a [Successor],
}

/// Returns the rules' guess at the worth of a position to a player; `None` if they have none, or a limit is reached.
pub fn evaluate_by_rules(game: &Game, state: &State, player: u32) -> Option<Rational> {
    let expr = game.rules.evaluate.as_ref()?.values.get(player as usize)?;
    evaluate_expr(game, state, expr).ok().flatten()
}

fn evaluate_expr(game: &Game, state: &State, expr: &Expr) -> Result<Option<Rational>, LimitHit> {
    Ok(game.machine.eval(state, expr)?.and_then(|value| value.as_ratio()))
}

/// A source of guesses at the worth of positions of a game.
pub struct StaticEvaluator<'a> {
    game: &'a Game,
    /// The number of random games for a guess, if the rules have no `evaluate`; 0 for no guess.
    playouts: u64,
    /// The number of positions visited in these games.
    pub visited: u64,
    limits: &'a Limits,
}

impl<'a> StaticEvaluator<'a> {
    /// Creates a guesser by the rules or, if they have no `evaluate`, by this many random games.
    pub fn new(game: &'a Game, games: u64, limits: &'a Limits) -> StaticEvaluator<'a> {
        StaticEvaluator { game, playouts: games, visited: 0, limits }
    }

    /// Returns true if there are guesses.
    pub fn is_available(&self) -> bool {
        self.uses_rules() || self.playouts > 0
    }

    /// Returns true if the rules have an `evaluate`.
    pub fn uses_rules(&self) -> bool {
        self.game.rules.evaluate.is_some()
    }

    /// Returns a guess at each player's payoff from a position in which the game is not over; `None` if there are no
    /// guesses.
    pub fn evaluate(&mut self, node: ExpandedNode<'_>) -> Result<Option<Vec<Rational>>, MachineError> {
        if let Some(evaluate) = &self.game.rules.evaluate {
            let value = |expr| Ok(evaluate_expr(self.game, node.state, expr)?.unwrap_or_default());
            return evaluate.values.iter().map(value).collect::<Result<_, MachineError>>().map(Some);
        }
        if self.playouts == 0 {
            return Ok(None);
        }
        let mut seed = FxHasher::default();
        node.state.0.iter().for_each(|&word| seed.write_u64(word));
        let mut random = Random::new(seed.finish());
        let mut sum = vec![0.0; self.game.rules.players().len()];
        for _ in 0..self.playouts {
            if let Some(hit) = self.limits.check() {
                return Err(MachineError::Limit(hit));
            }
            let worth = random_playout(self.game, &mut random, node, &mut self.visited)?;
            sum.iter_mut().zip(worth).for_each(|(sum, one)| *sum += one);
        }
        let mean = |sum: f64| (sum / self.playouts as f64).clamp(-MAX_MEAN, MAX_MEAN);
        let told =
            |sum: f64| Rational::new((mean(sum) * MEAN_DENOMINATOR as f64).round() as i64, MEAN_DENOMINATOR);
        Ok(Some(sum.into_iter().map(told).collect()))
    }
}
