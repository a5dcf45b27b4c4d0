//! What a position may be worth where a look ahead stops.
//!
//! Technique: what `evaluate` says, where the rules have it; else the mean of games played at random from there.
//! Source: Shannon, "Programming a computer for playing chess" (1950) for evaluation; Abramson (1990) for random games.
//! Cost: an evaluation by the definition, or so many games.
//! Invariant: one position has one guess, as the games are drawn by a seed that is made from its words. No claim rests
//! on it.

use std::hash::Hasher;

use num_rational::Rational64;
use rustc_hash::FxHasher;

use crate::base::limits::{LimitHit, Limits};
use crate::game::random::Random;
use crate::game::{Game, Halt, State, Successor, Turn};
use crate::rules::Expr;
use crate::solve::playout::at_random;

/// Means of random games are told in so many parts.
const PARTS: i64 = 100;
/// What means are kept within, so that they can be added up.
const MOST: f64 = 1e9;

/// What the rules say a position may be worth to a player; none where they say nothing of it.
pub fn by_rules(game: &Game, state: &State, player: u32) -> Option<Rational64> {
    let expr = game.rules.evaluate.as_ref()?.values.get(player as usize)?;
    said(game, state, expr).ok().flatten()
}

fn said(game: &Game, state: &State, expr: &Expr) -> Result<Option<Rational64>, LimitHit> {
    Ok(game.machine.eval(state, expr)?.and_then(|value| value.as_ratio()))
}

/// Guesses at what positions of a game are worth.
pub struct Guesser<'a> {
    game: &'a Game,
    /// So many games are played for a guess where the rules have none; 0: nothing is guessed there.
    games: u64,
    /// How many positions were looked at in these games.
    pub looked: u64,
    limits: &'a Limits,
}

impl<'a> Guesser<'a> {
    /// Guesses by the rules, or by so many random games.
    pub fn new(game: &'a Game, games: u64, limits: &'a Limits) -> Guesser<'a> {
        Guesser { game, games, looked: 0, limits }
    }

    /// Whether anything is guessed.
    pub fn can(&self) -> bool {
        self.is_by_rules() || self.games > 0
    }

    /// Whether the rules say what to guess.
    pub fn is_by_rules(&self) -> bool {
        self.game.rules.evaluate.is_some()
    }

    /// What each player may get from a position with these moves, in which the game is not over; none where nothing is
    /// guessed.
    pub fn guess(
        &mut self,
        state: &State,
        (turn, successors): (&Turn, &[Successor]),
    ) -> Result<Option<Vec<Rational64>>, Halt> {
        if let Some(evaluate) = &self.game.rules.evaluate {
            let value = |expr| Ok(said(self.game, state, expr)?.unwrap_or_default());
            return evaluate.values.iter().map(value).collect::<Result<_, Halt>>().map(Some);
        }
        if self.games == 0 {
            return Ok(None);
        }
        let mut seed = FxHasher::default();
        state.0.iter().for_each(|&word| seed.write_u64(word));
        let mut random = Random::new(seed.finish());
        let mut sum = vec![0.0; self.game.rules.players().len()];
        for _ in 0..self.games {
            if let Some(hit) = self.limits.check() {
                return Err(Halt::Limit(hit));
            }
            let worth = at_random(self.game, &mut random, (turn, successors), &mut self.looked)?;
            sum.iter_mut().zip(worth).for_each(|(sum, one)| *sum += one);
        }
        let mean = |sum: f64| (sum / self.games as f64).clamp(-MOST, MOST);
        let told = |sum: f64| Rational64::new((mean(sum) * PARTS as f64).round() as i64, PARTS);
        Ok(Some(sum.into_iter().map(told).collect()))
    }
}
