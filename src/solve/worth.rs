//! What ends of the game are worth to a search that counts in whole numbers.

use num_rational::Rational64;
use rustc_hash::FxHashMap;

use super::transpositions::{GREATEST, LEAST};
use super::{Options, stakes};
use crate::exec::Ending;
use crate::game::CompiledMachine;
use crate::{lower, rules};

/// Where play is counted in plies, a win that has happened; a win in so many plies is that much less. Being lost is the
/// same below 0.
pub(super) const WON: i32 = 16_000;

/// What is asked of the ends of the game.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub machine: &'a CompiledMachine,
    pub rules: &'a rules::Rules,
    /// Whether the difference of the scores counts.
    pub margin: bool,
    /// Whether the game is won, lost or drawn, and nothing else counts but perhaps plies.
    pub plain: bool,
    /// Whether the plies to the end are counted.
    pub plies: bool,
    /// What the first player gets at least and at most.
    pub range: (i32, i32),
}

impl<'a> Asked<'a> {
    /// What these options ask; of plies a search may know nothing.
    pub fn of(
        machine: &'a CompiledMachine,
        rules: &'a rules::Rules,
        options: &Options,
        plies: bool,
    ) -> Asked<'a> {
        let range = if plies { (-WON, WON) } else { range(rules, options) };
        let plain = is_plain(rules, options.margin);
        Asked { machine, rules, margin: options.margin, plain, plies, range }
    }
}

/// What the ends of the game are worth, in whole numbers.
#[derive(Clone)]
pub(super) struct Worth<'a> {
    pub asked: Asked<'a>,
    /// With margins: which way scores are better.
    pub way: Option<i64>,
    known: Vec<FxHashMap<Box<[i64]>, i32>>,
}

impl<'a> Worth<'a> {
    pub fn new(asked: Asked<'a>) -> Worth<'a> {
        Worth { asked, way: None, known: Vec::new() }
    }

    /// What an end is worth with these scores; or why it has no number here.
    pub fn of(&mut self, ending: u32, scores: &[i64]) -> Result<i32, String> {
        let index = ending as usize;
        if let Some(&worth) = self.known.get(index).and_then(|known| known.get(scores)) {
            return Ok(worth);
        }
        let outcome = self.asked.machine.outcome(&Ending { ending, scores: scores.to_vec() });
        let number = if self.asked.margin {
            let (way, differences) = stakes::margins(self.asked.rules, std::slice::from_ref(&outcome))?;
            if self.way.replace(way).is_some_and(|old| old != way) {
                return Err("the game has both a highest and a lowest score".into());
            }
            differences[0][0]
        } else {
            outcome.payoffs[0]
        };
        let number = if self.asked.plies { number * i64::from(WON) } else { number };
        let whole = number.is_integer().then(|| i32::try_from(number.to_integer()).ok()).flatten();
        let worth = whole
            .filter(|n| (LEAST + 1..GREATEST).contains(n))
            .ok_or("this method needs payoffs that are whole numbers and not too large")?;
        self.known.resize(self.known.len().max(index + 1), FxHashMap::default());
        self.known[index].insert(scores.into(), worth);
        Ok(worth)
    }
}

/// By control and end: whether the end gives who acts there the most that any may.
pub(super) fn best(asked: Asked<'_>) -> Vec<Vec<bool>> {
    let most = |actor: u32, ending: &lower::Ending| {
        let lower::Verdict::Payoffs(payoffs, _) = &ending.verdict else { return false };
        let worth = payoffs[0] * if asked.plies { i64::from(WON) } else { 1 };
        let most = if actor == 0 { asked.range.1 } else { asked.range.0 };
        !asked.margin && worth == Rational64::from(i64::from(most))
    };
    let machine = asked.machine;
    let of = |id| machine.lowered().endings.iter().map(|ending| most(machine.actor(id), ending)).collect();
    machine.runner().circuit().controls.ids().map(of).collect()
}

/// Whether all is won, lost or drawn, so that it has a meaning to win soon.
pub(super) fn is_plain(rules: &rules::Rules, margin: bool) -> bool {
    let payoffs = rules.ends.iter().any(|end| matches!(end.outcome, rules::Outcome::Payoff(_)));
    !margin && !payoffs
}

/// What the first player gets at least and at most wherever the game ends; [`LEAST`] and [`GREATEST`] where the rules do
/// not tell.
pub(super) fn range(rules: &rules::Rules, options: &Options) -> (i32, i32) {
    let within = |n: i64| n.clamp(i64::from(LEAST), i64::from(GREATEST)) as i32;
    let range = stakes::range(rules).filter(|_| !options.margin);
    let range = range.map(|(low, high)| (low.floor().to_integer(), high.ceil().to_integer()));
    range.map_or((LEAST, GREATEST), |(low, high)| (within(low), within(high)))
}
