//! Depth-limited lookahead, for play and for drawing search trees where no exact method fits.
//!
//! Technique: minimax with iterative deepening. With opposed interests it is fail-soft alpha-beta; otherwise each
//! player maximizes his own payoff, and chance nodes and simultaneous moves give a mean. A guess (static evaluation)
//! stands at the horizon. A [`DepthLimitedOptions`] may add: quiescence search along forcing moves past the horizon;
//! plies without a choice that do not count (search extensions); forward pruning to the moves that look best; and a
//! value that rises with the number of good moves ([averaging]).
//! Source: Shannon (1950) for depth, quiescence and selection, his types A and B; Knuth and Moore (1975); Luckhardt
//! and Irani, "An algorithmic solution of N-person games" (1986) for more than two players.
//! Cost: a given number of positions, those of random games included; an iteration that does not finish within it has
//! no effect.
//! Invariant: it is play, not analysis: no claim rests on it. The same plan gives the same moves on every machine.
//! Not taken: a transposition table, since guesses depend on the depth of the search.

use bouton_base::rational::Rational;
use smallvec::{SmallVec, smallvec};

use self::evaluation::{ExpandedNode, StaticEvaluator};
use self::forcing::{ForcingDegree, ForcingMoveFinder};
use super::payoffs;
use crate::game::{Game, MachineError, State, Successor, ToMove};
use bouton_base::limits::{LimitHit, Limits};
use bouton_rules::OutcomeExpr;

pub mod averaging;
pub mod evaluation;
pub mod forcing;

/// The maximal depth of a search, in plies.
const MAX_DEPTH: u32 = 128;
/// The default number of plies of quiescence search past the horizon.
const DEFAULT_QUIESCENCE_PLIES: u32 = 8;
/// The default number of random games for a guess.
const DEFAULT_PLAYOUTS: u64 = 16;
/// The weight of an end: larger than any guess, and less by one for each ply to the end.
const END_WEIGHT: f64 = 1e12;

/// The options of a depth-limited search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DepthLimitedOptions {
    /// The depth, in plies.
    pub depth: u32,
    /// The number of plies of forcing moves past the horizon.
    pub quiescence: u32,
    /// True if a ply with a single move, or with a threat to answer, does not count.
    pub extends: bool,
    /// The maximal number of moves to follow in a position, those that look best; `None` follows all.
    pub width: Option<usize>,
    /// The number of best moves to average where the first player chooses, and where the second does.
    pub average: Option<(usize, usize)>,
    /// The number of random games for a guess, if the rules have no `evaluate`.
    pub playouts: u64,
}

/// The reason why a list of options is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SearchOptionError {
    /// An option has no number, or one that is too small.
    #[error("`{word}`: write {name}=N, N from {least} on")]
    Number { word: String, name: String, least: u64 },
    /// The option `average` does not have two numbers.
    #[error("write average=M/N")]
    Average,
    /// No option has this name.
    #[error(
        "`{0}` is no option of the search; the options are quiescence=N, extend, width=N, \
         average=M/N and games=N"
    )]
    Unknown(String),
}

impl DepthLimitedOptions {
    /// Returns a plan of this depth without additions.
    pub fn with_depth(depth: u32) -> DepthLimitedOptions {
        DepthLimitedOptions {
            depth,
            quiescence: 0,
            extends: false,
            width: None,
            average: None,
            playouts: DEFAULT_PLAYOUTS,
        }
    }

    /// Returns the plan with the options of a comma-separated list added: `quiescence`, `quiescence=N`, `extend`,
    /// `width=N`, `average=M/N`, `games=N`.
    pub fn with_options(mut self, words: &str) -> Result<DepthLimitedOptions, SearchOptionError> {
        for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let (name, number) = word.split_once('=').map_or((word, None), |(name, n)| (name, Some(n)));
            let least = |text: &str, least: u64| {
                let wrong = || SearchOptionError::Number { word: word.into(), name: name.into(), least };
                text.parse::<u32>().ok().filter(|&n| u64::from(n) >= least).ok_or_else(wrong)
            };
            match (name, number) {
                ("quiescence", None) => self.quiescence = DEFAULT_QUIESCENCE_PLIES,
                ("quiescence", Some(n)) => self.quiescence = least(n, 0)?.min(MAX_DEPTH),
                ("extend", None) => self.extends = true,
                ("width", Some(n)) => self.width = Some(least(n, 1)? as usize),
                ("games", Some(n)) => self.playouts = u64::from(least(n, 0)?),
                ("average", Some(both)) => {
                    let (m, n) = both.split_once('/').ok_or(SearchOptionError::Average)?;
                    self.average = Some((least(m, 1)? as usize, least(n, 1)? as usize));
                }
                _ => return Err(SearchOptionError::Unknown(word.into())),
            }
        }
        Ok(self)
    }
}

/// The result of a depth-limited search.
#[derive(Clone, PartialEq, Debug)]
pub struct DepthLimitedResult {
    /// The indices of the best moves, all of equal value.
    pub best: Vec<usize>,
    /// The depth of the last completed iteration, in plies.
    pub depth: u32,
    /// True if the result is certain, since it rests on ends of the game alone.
    pub certain: bool,
}

/// The factor by which each retry reduces the number of random games.
const PLAYOUT_REDUCTION: u64 = 4;

/// Returns the best moves of the player to move, within a budget of `positions`; `None` if no player chooses, if the
/// rules have a fault here, or if the budget does not even suffice for the moves themselves. If the budget is too
/// small for `plan`, the search retries with a plainer plan: first without quiescence and extensions, then with fewer
/// random games.
pub fn search(
    game: &Game,
    state: &State,
    plan: &DepthLimitedOptions,
    positions: u64,
    limits: &Limits,
) -> Result<Option<DepthLimitedResult>, LimitHit> {
    let mut plan = *plan;
    loop {
        let found = search_once(game, state, &plan, positions, limits)?;
        plan = match found {
            None if plan.quiescence > 0 => DepthLimitedOptions { quiescence: 0, extends: false, ..plan },
            // Rules with an `evaluate` need no random games.
            None if plan.playouts > 0 && game.rules.evaluate.is_none() => {
                DepthLimitedOptions { playouts: plan.playouts / PLAYOUT_REDUCTION, ..plan }
            }
            found => return Ok(found),
        };
    }
}

fn search_once(
    game: &Game,
    state: &State,
    plan: &DepthLimitedOptions,
    positions: u64,
    limits: &Limits,
) -> Result<Option<DepthLimitedResult>, LimitHit> {
    let mut look = DepthLimitedSearch {
        game,
        plan,
        guesser: StaticEvaluator::new(game, plan.playouts, limits),
        forcing: ForcingMoveFinder::new(game),
        opposed: is_two_player_fixed_sum(game),
        win_is_best: !game.rules.ends.iter().any(|end| matches!(end.outcome, OutcomeExpr::Payoff(_))),
        visited: 0,
        positions,
        limits,
    };
    let mut found = None;
    let (ToMove::Player(player), successors) = (match game.machine.expand(state) {
        Ok(expanded) => expanded,
        Err(MachineError::Limit(hit)) => return Err(hit),
        Err(MachineError::Fault(_)) => return Ok(None),
    }) else {
        return Ok(None);
    };
    let mut order = match look.select(&successors, player, plan.depth) {
        Ok(order) => order,
        Err(LookaheadInterrupted::Limit(hit)) => return Err(hit),
        Err(LookaheadInterrupted::Budget) => return Ok(None),
    };
    for depth in 1..=plan.depth.min(MAX_DEPTH) {
        match look.root(&successors, &mut order, player, depth) {
            Ok(one) => {
                let done = one.certain;
                found = Some(one);
                if done {
                    break;
                }
            }
            // What is known from the shallower iterations is better than nothing.
            Err(LookaheadInterrupted::Limit(hit)) if found.is_none() || hit == LimitHit::Interrupted => {
                return Err(hit);
            }
            Err(LookaheadInterrupted::Limit(_) | LookaheadInterrupted::Budget) => break,
        }
    }
    Ok(found)
}

/// Returns true if there are two players and their payoffs have a fixed sum.
pub fn is_two_player_fixed_sum(game: &Game) -> bool {
    game.rules.players().len() == 2 && payoffs::rules_constant_sum(&game.rules).is_ok()
}

/// The worth of a position to each player; with opposed interests, only the first player's entry counts.
#[derive(Clone, PartialEq, Debug)]
struct NodeValue {
    each: SmallVec<[f64; 2]>,
    certain: bool,
}

impl NodeValue {
    fn of(&self, player: u32) -> f64 {
        self.each.get(player as usize).copied().unwrap_or(0.0)
    }
}

/// The reason why a search ended early.
enum LookaheadInterrupted {
    Limit(LimitHit),
    /// The budget of positions is used up.
    Budget,
}

/// The remaining depth, and the distance from the root.
#[derive(Clone, Copy)]
struct SearchDepth {
    /// The plies left to the horizon; `quiet` is the number of plies of forcing moves past it.
    depth: u32,
    quiescence: u32,
    /// The plies from the root.
    ply: u32,
}

/// The alpha-beta window: the worth to the first player that the players above can already force.
#[derive(Clone, Copy)]
struct ValueWindow {
    low: f64,
    high: f64,
}

impl ValueWindow {
    /// The window without bounds.
    const OPEN: ValueWindow = ValueWindow { low: f64::NEG_INFINITY, high: f64::INFINITY };
}

struct DepthLimitedSearch<'a> {
    game: &'a Game,
    plan: &'a DepthLimitedOptions,
    guesser: StaticEvaluator<'a>,
    forcing: ForcingMoveFinder<'a>,
    opposed: bool,
    /// True if no result is better than a win.
    win_is_best: bool,
    visited: u64,
    positions: u64,
    limits: &'a Limits,
}

impl DepthLimitedSearch<'_> {
    /// Returns the best moves of the root for this depth; sorts `order` by value, the best first.
    fn root(
        &mut self,
        successors: &[Successor],
        order: &mut [usize],
        player: u32,
        depth: u32,
    ) -> Result<DepthLimitedResult, LookaheadInterrupted> {
        let sign = if self.opposed && player == 1 { -1.0 } else { 1.0 };
        let own =
            |worth: &NodeValue, opposed: bool| if opposed { sign * worth.of(0) } else { worth.of(player) };
        let place = SearchDepth { depth: depth - 1, quiescence: self.plan.quiescence, ply: 1 };
        let mut seen: Vec<(usize, f64, bool)> = Vec::new();
        let mut best = f64::NEG_INFINITY;
        for &number in order.iter() {
            // The window is wide enough to tell moves equal to the best so far from worse ones.
            let least = best.next_down();
            let window = match sign > 0.0 {
                true => ValueWindow { low: least, ..ValueWindow::OPEN },
                false => ValueWindow { high: -least, ..ValueWindow::OPEN },
            };
            let worth = self.worth(&successors[number].state, place, window)?;
            let value = own(&worth, self.opposed);
            best = best.max(value);
            seen.push((number, value, worth.certain));
        }
        seen.sort_by(|a, b| b.1.total_cmp(&a.1));
        order.iter_mut().zip(&seen).for_each(|(place, one)| *place = one.0);
        let top: Vec<&(usize, f64, bool)> = seen.iter().take_while(|one| one.1 >= best).collect();
        let certain =
            seen.iter().all(|one| one.2) || top.iter().all(|one| one.2) && self.win_is_best && best > 0.0;
        let mut best: Vec<usize> = top.iter().map(|one| one.0).collect();
        best.sort_unstable();
        Ok(DepthLimitedResult { best, depth, certain })
    }

    /// Returns the worth of a position. With opposed interests it is exact within the window, and a bound outside.
    fn worth(
        &mut self,
        state: &State,
        place: SearchDepth,
        window: ValueWindow,
    ) -> Result<NodeValue, LookaheadInterrupted> {
        self.count()?;
        let Some((turn, successors)) = self.expand(state)? else { return Ok(self.nothing()) };
        let node = ExpandedNode { state, turn: &turn, successors: &successors };
        match &turn {
            ToMove::Terminal(outcome) => Ok(end(&outcome.payoffs, place.ply)),
            _ if successors.is_empty() => Ok(self.nothing()),
            ToMove::Player(player) => self.chosen(node, *player, place, window),
            _ if place.depth == 0 => self.guess(node),
            _ => {
                let mut mean = NodeValue { certain: turn == ToMove::Chance, ..self.nothing() };
                let share = Rational::new(1, successors.len() as i64);
                let place = SearchDepth { depth: place.depth - 1, ply: place.ply + 1, ..place };
                for next in &successors {
                    let part =
                        if turn == ToMove::Chance { next.probability.to_f64() } else { share.to_f64() };
                    let worth = self.worth(&next.state, place, ValueWindow::OPEN)?;
                    mean.each.iter_mut().zip(&worth.each).for_each(|(sum, one)| *sum += part * one);
                    mean.certain &= worth.certain;
                }
                Ok(mean)
            }
        }
    }

    /// Returns the worth of a position in which a player chooses.
    fn chosen(
        &mut self,
        node: ExpandedNode<'_>,
        player: u32,
        place: SearchDepth,
        mut window: ValueWindow,
    ) -> Result<NodeValue, LookaheadInterrupted> {
        let ExpandedNode { state, successors, .. } = node;
        let DepthLimitedOptions { depth, extends, average, .. } = *self.plan;
        let (highest, opposed) = (player == 0, self.opposed);
        let own = |worth: &NodeValue| if opposed && !highest { -worth.of(0) } else { worth.of(player) };
        let extends = extends && place.ply < 2 * depth;
        let asks = extends || place.depth == 0 && place.quiescence > 0;
        let threatened = asks && self.opposed && self.forcing.is_threatened(state, 1 - player.min(1));
        // Without a choice, the search goes a ply deeper.
        let left = place.depth + u32::from(extends && (successors.len() == 1 || threatened));
        let past = left == 0;
        let (mut best, order): (Option<NodeValue>, Vec<usize>) = if !past {
            (None, self.select(successors, player, left)?)
        } else if place.quiescence == 0 {
            return self.guess(node);
        } else if threatened {
            (None, (0..successors.len()).collect())
        } else {
            let force = self.forcing.degrees(state, player, successors);
            let force = &force;
            let forcing = |least| (0..force.len()).filter(move |&i| force[i] >= least);
            for number in forcing(ForcingDegree::Ends) {
                let deeper = SearchDepth { ply: place.ply + 1, ..place };
                let worth = self.worth(&successors[number].state, deeper, window)?;
                if self.win_is_best && worth.certain && own(&worth) > 0.0 {
                    return Ok(worth);
                }
            }
            // A player need not make a forcing move: the guess bounds the worth from his side (stand pat).
            let forcing = forcing(ForcingDegree::NeedsAnswer).collect();
            (Some(self.guess(node)?), forcing)
        };
        let (depth, quiet) = (left.saturating_sub(1), place.quiescence - u32::from(past));
        let next = SearchDepth { depth, quiescence: quiet, ply: place.ply + 1 };
        let all = order.len() == successors.len();
        let mut seen: Vec<(f64, bool)> = best.iter().map(|worth| (worth.of(0), worth.certain)).collect();
        for number in order {
            match best.as_ref().map(|best| best.of(0)).filter(|_| opposed && average.is_none()) {
                Some(worth) if highest => window.low = window.low.max(worth),
                Some(worth) => window.high = window.high.min(worth),
                None => {}
            }
            if window.low >= window.high {
                break;
            }
            let worth = self.worth(&successors[number].state, next, window)?;
            seen.push((worth.of(0), worth.certain));
            if best.as_ref().is_none_or(|old| own(&worth) > own(old)) {
                best = Some(worth);
            }
        }
        let Some(mut best) = best else { return Ok(self.nothing()) };
        let won = self.win_is_best && own(&best) > 0.0;
        best.certain &= opposed && won || all && seen.iter().all(|one| one.1);
        if let Some((m, n)) = average.filter(|_| self.opposed) {
            let worth = averaging::back_up(seen, highest, if highest { m } else { n });
            let worth = worth.unwrap_or_default();
            best.each = smallvec![worth, -worth];
        }
        Ok(best)
    }

    /// Returns the indices of the moves to follow; if a guess for each move pays, sorted by it, the best first.
    fn select(
        &mut self,
        successors: &[Successor],
        player: u32,
        depth: u32,
    ) -> Result<Vec<usize>, LookaheadInterrupted> {
        let mut order: Vec<usize> = (0..successors.len()).collect();
        let pays = self.plan.width.is_some_and(|width| width < order.len())
            || self.guesser.uses_rules() && depth > 1 && self.opposed;
        if !pays {
            return Ok(order);
        }
        let mut promise = Vec::with_capacity(order.len());
        for next in successors {
            self.count()?;
            let worth = match self.expand(&next.state)? {
                Some((ToMove::Terminal(outcome), _)) => end(&outcome.payoffs, 0),
                Some((turn, moves)) => {
                    self.guess(ExpandedNode { state: &next.state, turn: &turn, successors: &moves })?
                }
                None => self.nothing(),
            };
            let opposed = self.opposed && player > 0;
            promise.push(if opposed { -worth.of(0) } else { worth.of(player) });
        }
        order.sort_by(|&a, &b| promise[b].total_cmp(&promise[a]));
        order.truncate(self.plan.width.unwrap_or(usize::MAX));
        Ok(order)
    }

    fn guess(&mut self, node: ExpandedNode<'_>) -> Result<NodeValue, LookaheadInterrupted> {
        let before = self.guesser.visited;
        let guess = match self.guesser.evaluate(node) {
            Ok(guess) => guess,
            Err(MachineError::Limit(hit)) => return Err(LookaheadInterrupted::Limit(hit)),
            Err(MachineError::Fault(_)) => None,
        };
        self.visited += self.guesser.visited - before;
        let each = guess.map(|guess| guess.iter().map(Rational::to_f64).collect());
        Ok(each.map_or(self.nothing(), |each| NodeValue { each, certain: false }))
    }

    /// Returns the turn and the successors; `None` if the rules have a fault here.
    fn expand(&self, state: &State) -> Result<Option<(ToMove, Vec<Successor>)>, LookaheadInterrupted> {
        match self.game.machine.expand(state) {
            Ok(expanded) => Ok(Some(expanded)),
            Err(MachineError::Fault(_)) => Ok(None),
            Err(MachineError::Limit(hit)) => Err(LookaheadInterrupted::Limit(hit)),
        }
    }

    fn nothing(&self) -> NodeValue {
        NodeValue { each: smallvec![0.0; self.game.rules.players().len().max(2)], certain: false }
    }

    fn count(&mut self) -> Result<(), LookaheadInterrupted> {
        self.visited += 1;
        if let Some(hit) = self.limits.check() {
            return Err(LookaheadInterrupted::Limit(hit));
        }
        if self.visited > self.positions { Err(LookaheadInterrupted::Budget) } else { Ok(()) }
    }
}

/// Returns the worth of an end after `ply` plies: the sooner a win, the better.
fn end(payoffs: &[Rational], ply: u32) -> NodeValue {
    let worth = END_WEIGHT - f64::from(ply);
    NodeValue { each: payoffs.iter().map(|payoff| worth * payoff.to_f64()).collect(), certain: true }
}
