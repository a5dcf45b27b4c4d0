//! Leaf values: the values of terminals to a search, in integers.

use bouton_base::rational::Rational;
use rustc_hash::FxHashMap;

use super::transpositions::{SCORE_MAX, SCORE_MIN};
use super::{Inapplicable, SolveOptions, payoffs};
use crate::game::{CompiledMachine, Game};
use bouton_backend::CircuitEnding;
use bouton_lower as lower;
use bouton_rules as rules;

/// The value of a win at distance 0, if values count plies; each ply of distance subtracts 1. A loss is the negative.
pub(super) const WIN_SCORE: i32 = 16_000;

/// The objective of a search.
#[derive(Clone, Copy)]
pub(super) struct SearchObjective<'a> {
    pub machine: &'a CompiledMachine,
    pub game: &'a Game,
    /// True if the objective is the score margin.
    pub margin: bool,
    /// True if the only outcomes are a win, a loss and a draw, and nothing else counts except perhaps plies.
    pub win_loss_draw: bool,
    /// True if values count the plies to the end.
    pub plies: bool,
    /// The minimal and the maximal value to the first player.
    pub range: (i32, i32),
}

impl<'a> SearchObjective<'a> {
    /// The objective of these options; the caller sets `plies`, since not every search counts them.
    pub fn of(
        machine: &'a CompiledMachine,
        game: &'a Game,
        options: &SolveOptions,
        plies: bool,
    ) -> SearchObjective<'a> {
        let range = if plies { (-WIN_SCORE, WIN_SCORE) } else { range(&game.rules, options) };
        let plain = is_win_loss_draw(&game.rules, options.margin);
        SearchObjective { machine, game, margin: options.margin, win_loss_draw: plain, plies, range }
    }
}

/// A cache of leaf values.
#[derive(Clone)]
pub(super) struct LeafValues<'a> {
    pub asked: SearchObjective<'a>,
    /// With margins: 1 if the higher score is better, -1 if the lower is.
    pub score_sign: Option<i64>,
    known: Vec<FxHashMap<Box<[i64]>, i32>>,
}

impl<'a> LeafValues<'a> {
    pub fn new(asked: SearchObjective<'a>) -> LeafValues<'a> {
        LeafValues { asked, score_sign: None, known: Vec::new() }
    }

    /// Returns the value of a terminal with these scores; or the reason why it is no integer in range.
    pub fn of(&mut self, ending: u32, scores: &[i64]) -> Result<i32, Inapplicable> {
        let index = ending as usize;
        if let Some(&worth) = self.known.get(index).and_then(|known| known.get(scores)) {
            return Ok(worth);
        }
        let outcome = self.asked.machine.outcome(&CircuitEnding { ending, scores: scores.to_vec() });
        let number = if self.asked.margin {
            let (way, differences) =
                payoffs::margins(&self.asked.game.rules, std::slice::from_ref(&outcome))?;
            if self.score_sign.replace(way).is_some_and(|old| old != way) {
                return Err("the game has both a highest and a lowest score".into());
            }
            differences[0][0].clone()
        } else {
            outcome.payoffs[0].clone()
        };
        let number = if self.asked.plies { number * Rational::from(i64::from(WIN_SCORE)) } else { number };
        let whole = number.as_i64().and_then(|n| i32::try_from(n).ok());
        let worth = whole
            .filter(|n| (SCORE_MIN + 1..SCORE_MAX).contains(n))
            .ok_or("this method needs payoffs that are whole numbers and not too large")?;
        self.known.resize(self.known.len().max(index + 1), FxHashMap::default());
        self.known[index].insert(scores.into(), worth);
        Ok(worth)
    }
}

/// Returns by control and ending: true if the ending gives the player who acts there the best value of all.
pub(super) fn best_endings(asked: SearchObjective<'_>) -> Vec<Vec<bool>> {
    let most = |actor: u32, ending: &lower::CircuitEnding| {
        let lower::EndingOutcome::Payoffs(payoffs, _) = &ending.verdict else { return false };
        let worth = &payoffs[0] * Rational::from(if asked.plies { i64::from(WIN_SCORE) } else { 1 });
        let most = if actor == 0 { asked.range.1 } else { asked.range.0 };
        !asked.margin && worth == Rational::from(i64::from(most))
    };
    let machine = asked.machine;
    let of = |id| machine.lowered().endings.iter().map(|ending| most(machine.actor(id), ending)).collect();
    machine.runner().circuit().controls.ids().map(of).collect()
}

/// Returns true if the only outcomes are a win, a loss and a draw, so that winning soon has a meaning.
pub(super) fn is_win_loss_draw(rules: &rules::Rules, margin: bool) -> bool {
    !margin && payoffs::has_no_payoffs(rules)
}

/// Returns the minimal and the maximal payoff of the first player over all outcomes of the rules; [`SCORE_MIN`] and
/// [`SCORE_MAX`] if the rules do not bound it.
pub(super) fn range(rules: &rules::Rules, options: &SolveOptions) -> (i32, i32) {
    let within = |n: i64| n.clamp(i64::from(SCORE_MIN), i64::from(SCORE_MAX)) as i32;
    let range = payoffs::range(rules).filter(|_| !options.margin);
    let range = range.and_then(|(low, high)| Some((low.floor().as_i64()?, -(-high).floor().as_i64()?)));
    range.map_or((SCORE_MIN, SCORE_MAX), |(low, high)| (within(low), within(high)))
}
