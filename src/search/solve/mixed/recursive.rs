//! Games with simultaneous choices in which positions can come back: bounds by iteration from both sides.
//!
//! Technique: every position has a lower and an upper bound. A sweep replaces the bounds of a position by those of its
//! best move, by the mean, or by the value of the matrix of the bounds after each pair of choices, rounded outwards.
//! The first bounds are those that the players guarantee themselves if play may be infinite: at most as good as infinite
//! play, and kept by some choice.
//! If chance ends every play some day, whatever the players choose, infinite play needs no value. Then the first bounds
//! lie beside approximate values, and a sweep shows that they hold.
//! The choices that gave the bounds guarantee them: bounds after a choice only become better.
//! Source: Shapley (1953) for stochastic games; Everett (1957) for games in which only ends and play without end pay.
//! The simplest fractions between close bounds are tried: if both players can keep them, they are the values.
//! Cost: a matrix game for each simultaneous choice a sweep.
//! Invariant: the value is a fixpoint of the sweep, and the sweep is monotone: bounds that begin outside stay outside,
//! at whatever sweep the iteration stops. Matrix games count by the exact guarantees of the strategies found.
//! Not taken: strategy improvement (Hoffman and Karp 1966), since these games may have no optimal strategies at all.

use std::sync::Arc;

use num_rational::BigRational;
use num_traits::{One, Zero};

use super::approximate::Approximation;
use super::game_tree::{Behaviour, GameTree, InformationSet, NONE, NoTree, TreeEdge};
use super::matrix_game::{self, Matrix};
use super::numbers::{float, multiple_below, simplest_near};
use super::play::{Attempt, MixedPlay};
use super::simultaneous::{Matrices, payoffs};
use crate::solve::certify::key;
use crate::solve::equilibrium::{can_list, ranks};
use crate::solve::graph::GameGraph;
use crate::solve::payoffs::{NO_ENDLESS_VALUE, PayoffModel, ends_almost_surely};
use crate::solve::{Bounds, Inapplicable, Solution, SolveRequest, Solver, Status};
use bouton_base::limits::Limits;
use bouton_base::rational::Rational;
use bouton_certificates::{Lemma, PayoffBound, PolicyReply, PolicyValue, ValuesLemma};
use bouton_reference::Interpreter;

/// The denominator of bounds.
const DENOMINATOR: i64 = 100_000_000_000_000;
/// The gap at which the iteration stops, in the last digit of bounds: a thousand-millionth.
const MAX_GAP: i64 = DENOMINATOR / 1_000_000_000;
/// The maximal number of sweeps for the first bounds.
const MAX_FIRST_SWEEPS: u32 = 200;
/// The same for bounds beside approximate values.
const MAX_NEAR_SWEEPS: u32 = 3;
/// The distance of first bounds from approximate values for each move to the end, in the last digit of bounds: half of it
/// is left at each node, and rounding costs one.
const NEAR_DISTANCE: f64 = 4.0;
/// The same in proportion to the largest payoff, against the rounding errors of approximate values.
const RELATIVE_DISTANCE: f64 = 4e-15;
/// The maximal number of sweeps that make exact values worse.
const MAX_EXACT_SWEEPS: u32 = 20;
/// The maximal number of sweeps.
const MAX_SWEEPS: u32 = 2_000;

/// Encloses the value of a complete graph with cycles; lists strategies where endless play makes nobody better off.
pub(super) fn solve(request: &SolveRequest<'_>, graph: &GameGraph, why: &str) -> Attempt<Solution> {
    let model = match payoffs(request, graph) {
        Ok(model) => model,
        Err(reason) => return Ok(Err(reason)),
    };
    let ends_surely = ends_almost_surely(graph);
    if model.infinite.is_none() && !ends_surely {
        return Ok(Err(NO_ENDLESS_VALUE.into()));
    }
    // The value of play that has probability 0 does not matter.
    let infinite = model.infinite.clone().filter(|_| !ends_surely);
    match GameTree::with_cycles(request.game, request.state, request.limits) {
        Ok(tree) => Ok(Enclosing { request, graph, why }.run(tree, &PayoffModel { infinite, ..model })),
        Err(NoTree::Faulty(met)) => Err(met),
        Err(NoTree::Inapplicable(reason)) => Ok(Err(reason)),
    }
}

/// Both sides, and their strategies as lemmas if they can be listed.
type ExactSides<'t> = ([Side<'t>; 2], Option<Vec<Lemma>>);

/// The computation of bounds.
struct Enclosing<'r> {
    request: &'r SolveRequest<'r>,
    graph: &'r GameGraph,
    /// The reason for the method, in one sentence.
    why: &'r str,
}

impl Enclosing<'_> {
    /// Encloses the value of the first node. Infinite play has no payoff if its probability is 0.
    fn run(&self, tree: GameTree, model: &PayoffModel) -> Result<Solution, Inapplicable> {
        check_shapes(&tree)?;
        let limits = self.request.limits;
        let mut low = Side::new(&tree, model, 0);
        let mut high = Side::new(&tree, model, 1);
        match &model.infinite {
            Some(infinite) => {
                let first = vec![infinite.to_big(); tree.nodes.len()];
                low.begin_at(&first, MAX_FIRST_SWEEPS, limits)?;
                high.begin_at(&first, MAX_FIRST_SWEEPS, limits)?;
            }
            None => {
                if let Some(near) = Approximation::of(&tree, limits) {
                    low.begin_at(&low.beside(&near), MAX_NEAR_SWEEPS, limits)?;
                    high.begin_at(&high.beside(&near), MAX_NEAR_SWEEPS, limits)?;
                }
            }
        }
        let reached_limit = iterate(&mut low, &mut high, limits).err();
        let mut lemmas = None;
        if reached_limit.is_none()
            && low.values[0] != high.values[0]
            // Without exact values, also because of a limit, the bounds remain.
            && let Ok(Some((exact, found))) = self.exact_sides(&low, &high, model)
        {
            ([low, high], lemmas) = (exact, Some(found));
        }
        let [low_value, high_value] = [&low, &high].map(|side| Rational::from(side.values[0].clone()));
        let bounds = Bounds { low: Some(low_value), high: Some(high_value) };
        let mut solution = Solution::unknown(Matrices.name(), self.why, "the value is enclosed, not exact");
        if let Some(reason) = reached_limit {
            let all = || model.ends.iter().chain(&model.infinite);
            if bounds.low.as_ref() == all().min() && bounds.high.as_ref() == all().max() {
                return Err(reason);
            }
            solution.reason = Some(reason.to_string());
        }
        let lemmas = lemmas.unwrap_or_else(|| self.lemmas([&low, &high], &model.sum));
        solution.strategy = lemmas.unwrap_or_default();
        let guaranteed = model.infinite.is_none() || !solution.strategy.is_empty();
        let strategies = guaranteed.then(|| [low.strategy(), high.strategy()]);
        if bounds.low == bounds.high {
            solution.status = Status::Solved;
            solution.value = bounds.low.map(|value| model.describe(value, true));
            solution.reason = None;
        } else {
            solution.status = if bounds.are_close() { Status::Enclosed } else { Status::Bounded };
            solution.bounds = Some(bounds);
        }
        if strategies.is_some() {
            solution.mixed = Some(Arc::new(MixedPlay { tree, strategies, matrix: None, beaten: None }));
        }
        Ok(solution)
    }

    /// Returns both sides with the simplest fractions between the bounds, and their lemmas, if each player can guarantee
    /// himself these.
    fn exact_sides<'t>(
        &self,
        low: &Side<'t>,
        high: &Side<'t>,
        model: &PayoffModel,
    ) -> Result<Option<ExactSides<'t>>, Inapplicable> {
        let gap = BigRational::new(MAX_GAP.into(), DENOMINATOR.into());
        let between = |low: &BigRational, high: &BigRational| {
            let width = high - low;
            let middle = (float(low) + float(high)) / 2.0;
            (width <= gap).then(|| simplest_near(middle, float(&width) / 2.0 + 4.0 / DENOMINATOR as f64))
        };
        let simplest: Vec<Option<BigRational>> =
            low.values.iter().zip(&high.values).map(|(low, high)| between(low, high)).collect();
        let mut sides = Vec::new();
        for side in [low, high] {
            // Where bounds are far apart, the own one is kept.
            let own = simplest.iter().zip(&side.values);
            let values = own.map(|(simplest, own)| simplest.as_ref().unwrap_or(own).clone()).collect();
            let Some(exact) = side.keeping(values, self.request.limits)? else { return Ok(None) };
            sides.push(exact);
        }
        let Ok(sides) = <[Side<'t>; 2]>::try_from(sides) else { return Ok(None) };
        let lemmas = self.lemmas([&sides[0], &sides[1]], &model.sum);
        // A strategy may have to make progress where infinite play is worse than the value.
        let is_guaranteed = model.infinite.is_none() || lemmas.is_some();
        Ok(is_guaranteed.then_some((sides, lemmas)))
    }

    /// Returns the strategies of both sides as lemmas; `None` if one has none.
    fn lemmas(&self, sides: [&Side<'_>; 2], sum: &Rational) -> Option<Vec<Lemma>> {
        sides.into_iter().map(|side| self.lemma(side, sum)).collect()
    }

    /// Returns the strategy of one side as a lemma; `None` if there are too many positions to list, a limit is reached, or
    /// infinite play may give less than the strategy.
    fn lemma(&self, side: &Side<'_>, sum: &Rational) -> Option<Lemma> {
        let (tree, game) = (side.tree, self.request.game);
        let states = &self.graph.explored.arena;
        if self.graph.len() != tree.nodes.len() || !can_list(self.request, self.graph.len()) {
            return None;
        }
        let payoff = |at: u32| {
            let value = Rational::from(side.values[at as usize].clone());
            if side.player == 0 { value } else { sum - value }
        };
        let interpreter = Interpreter::new(game.rules.clone());
        let reached = side.reached();
        let mut needs_rank = vec![false; tree.nodes.len()];
        let mut keys = Vec::with_capacity(reached.len());
        for &at in &reached {
            if self.request.limits.check().is_some() {
                return None;
            }
            let key = key(game, &interpreter, &states.state(at)).ok()?;
            let infinite = interpreter.infinite_outcome(&interpreter.unpack(&key.0));
            let gain = infinite.as_ref().and_then(|of| of.payoffs.get(side.player));
            needs_rank[at as usize] = gain.is_none_or(|gain| *gain < payoff(at));
            keys.push(key);
        }
        let groups = |at: u32| match tree.payoff(at) {
            Some(_) => Vec::new(),
            None if needs_rank[at as usize] => side.constant_groups(at),
            // Such a position has no rank.
            None => vec![vec![at]],
        };
        let ranks = ranks(&(0..tree.nodes.len() as u32).map(groups).collect::<Vec<_>>());
        let mut values = Vec::with_capacity(keys.len());
        for (&at, key) in reached.iter().zip(keys) {
            let rank = ranks[at as usize];
            if needs_rank[at as usize] && rank.is_none() {
                return None;
            }
            let reply = side.reply(at, &mut |number| {
                let made = game.machine.successors(&states.state(at)).ok()?;
                Some(interpreter.call_form(&made.get(number)?.play))
            })?;
            values.push(PolicyValue { key, value: payoff(at), rank, reply });
        }
        values.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        let bound = PayoffBound { holder: Some(side.player as u32), payoff: payoff(0) };
        Some(Lemma::Values(ValuesLemma { bound, values }))
    }
}

/// Sweeps until the bounds of the first node are close, or no bound changes.
fn iterate(low: &mut Side<'_>, high: &mut Side<'_>, limits: &Limits) -> Result<(), Inapplicable> {
    let gap = BigRational::new(MAX_GAP.into(), DENOMINATOR.into());
    for _ in 0..MAX_SWEEPS {
        let is_close = &high.values[0] - &low.values[0] <= gap;
        if is_close || !(low.sweep(limits)? | high.sweep(limits)?) {
            break;
        }
        if let Some(hit) = limits.check() {
            return Err(hit.into());
        }
    }
    Ok(())
}

/// The number of choices of a player at a node.
fn choices(tree: &GameTree, at: u32, player: usize) -> usize {
    match tree.nodes[at as usize].sets[player] {
        NONE => 0,
        set => tree.sets[player][set as usize].actions.len(),
    }
}

/// Checks that every pair of simultaneous choices is legal.
fn check_shapes(tree: &GameTree) -> Result<(), Inapplicable> {
    let mut each = (0..tree.nodes.len() as u32).filter(|&at| !tree.nodes[at as usize].sets.contains(&NONE));
    match each.any(|at| choices(tree, at, 0) * choices(tree, at, 1) != tree.edges_of(at).len()) {
        true => Err("some pairs of simultaneous choices are not legal together".into()),
        false => Ok(()),
    }
}

/// The bounds on one side: what a player can guarantee himself, as payoffs of the first player.
struct Side<'t> {
    tree: &'t GameTree,
    /// The player; the first has the lower bounds, the second the upper ones.
    player: usize,
    values: Vec<BigRational>,
    /// The probabilities of his choices at each node that gave its bound; none where he does not choose.
    choices: Vec<Vec<BigRational>>,
}

impl<'t> Side<'t> {
    /// Begins with the worst payoff at all nodes but ends, which any choice guarantees.
    fn new(tree: &'t GameTree, model: &PayoffModel, player: usize) -> Side<'t> {
        let all = || model.ends.iter().chain(&model.infinite);
        let worst = if player == 0 { all().min() } else { all().max() };
        let worst = worst.map_or_else(BigRational::zero, Rational::to_big);
        let nodes = 0..tree.nodes.len() as u32;
        let values = nodes.clone().map(|at| tree.payoff(at).unwrap_or(&worst).clone()).collect();
        let choices = nodes.map(|at| pure(choices(tree, at, player), 0)).collect();
        Side { tree, player, values, choices }
    }

    /// Begins with these values, made worse until the player can keep them: then he can guarantee them himself, if they are
    /// at most as good as infinite play, or its probability is 0. If such values are not found soon, nothing changes.
    fn begin_at(
        &mut self,
        first: &[BigRational],
        most_sweeps: u32,
        limits: &Limits,
    ) -> Result<(), Inapplicable> {
        let open = |at: &u32| self.tree.payoff(*at).is_none();
        let open: Vec<u32> = (0..self.tree.nodes.len() as u32).filter(open).rev().collect();
        let (values, choices) = (self.values.clone(), self.choices.clone());
        open.iter().for_each(|&at| self.values[at as usize] = first[at as usize].clone());
        for _ in 0..most_sweeps {
            let mut changed = false;
            for &at in &open {
                let (new, choice) = self.best(at, limits)?;
                let new = self.rounded(&new);
                if self.is_better(&self.values[at as usize], &new) {
                    self.values[at as usize] = new;
                    changed = true;
                }
                self.choices[at as usize] = choice;
            }
            if !changed {
                return Ok(());
            }
        }
        (self.values, self.choices) = (values, choices);
        Ok(())
    }

    /// Returns values beside approximate ones, on the side that the player can guarantee himself: the distance grows with
    /// the number of moves to the end, so that rounding at a node never makes its bound worse than it is.
    fn beside(&self, near: &Approximation) -> Vec<BigRational> {
        let away = NEAR_DISTANCE / DENOMINATOR as f64 + RELATIVE_DISTANCE * near.largest_payoff;
        let away = if self.player == 0 { -away } else { away };
        let values = near.values.iter().zip(&near.lengths).map(|(value, length)| value + away * length);
        let exact = |value| BigRational::from_float(value).unwrap_or_default();
        values.map(|value| self.rounded(&exact(value))).collect()
    }

    /// Updates every bound, the last discovered first; returns true if one changed.
    fn sweep(&mut self, limits: &Limits) -> Result<bool, Inapplicable> {
        let mut changed = false;
        for at in (0..self.tree.nodes.len() as u32).rev() {
            if self.tree.payoff(at).is_some() {
                continue;
            }
            let (new, choice) = self.best(at, limits)?;
            let new = self.rounded(&new);
            if self.is_better(&new, &self.values[at as usize]) {
                self.values[at as usize] = new;
                self.choices[at as usize] = choice;
                changed = true;
            }
        }
        Ok(changed)
    }

    /// Returns the side with these values, made worse until his choices, or better ones, keep them at each node that play
    /// by them reaches; `None` if that is not so soon, or the first value becomes worse. Ends have their payoffs.
    fn keeping(
        &self,
        mut values: Vec<BigRational>,
        limits: &Limits,
    ) -> Result<Option<Side<'t>>, Inapplicable> {
        for (at, value) in (0..).zip(&mut values) {
            if let Some(payoff) = self.tree.payoff(at) {
                value.clone_from(payoff);
            }
        }
        let first = values[0].clone();
        let mut side = Side { tree: self.tree, player: self.player, values, choices: self.choices.clone() };
        for _ in 0..MAX_EXACT_SWEEPS {
            let mut changed = false;
            for at in side.reached().into_iter().rev().map(|at| at as usize) {
                if side.keeps(at as u32) {
                    continue;
                }
                let (best, choice) = side.best(at as u32, limits)?;
                if side.is_better(&side.values[at], &best) {
                    side.values[at] = best;
                }
                side.choices[at] = choice;
                changed = true;
            }
            if side.values[0] != first {
                return Ok(None);
            }
            if !changed {
                return Ok(Some(side));
            }
        }
        Ok(None)
    }

    /// Returns true if the choices at a node guarantee its value by the values after it, whatever the other chooses.
    fn keeps(&self, at: u32) -> bool {
        let (own, other) = (&self.choices[at as usize], 1 - self.player);
        let is_chance = self.tree.nodes[at as usize].sets == [NONE, NONE];
        let count = choices(self.tree, at, other).max(1);
        let mut means = vec![BigRational::zero(); count];
        for edge in self.tree.edges_of(at) {
            let value = &self.values[edge.to as usize];
            let place = if count == 1 { 0 } else { edge.actions[other] as usize };
            means[place] += match (is_chance, own.is_empty()) {
                (true, _) => self.tree.probability(edge) * value,
                (false, true) => value.clone(),
                (false, false) => &own[edge.actions[self.player] as usize] * value,
            };
        }
        let here = &self.values[at as usize];
        means.iter().all(|mean| !self.is_better(here, mean))
    }

    /// Returns the bound that the player can guarantee himself at a node, and the probabilities of his choices.
    fn best(&self, at: u32, limits: &Limits) -> Result<(BigRational, Vec<BigRational>), Inapplicable> {
        let sets = self.tree.nodes[at as usize].sets;
        let edges = self.tree.edges_of(at);
        let value = |edge: &TreeEdge| &self.values[edge.to as usize];
        if sets == [NONE, NONE] {
            let mean = edges.iter().map(|edge| self.tree.probability(edge) * value(edge)).sum();
            return Ok((mean, Vec::new()));
        }
        if !sets.contains(&NONE) {
            let solved = matrix_game::solve(&self.matrix(at), limits)?;
            return Ok(match self.player {
                0 => (solved.low, solved.rows),
                _ => (solved.high, solved.columns),
            });
        }
        let first_moves = sets[1] == NONE;
        let mut best: Option<&TreeEdge> = None;
        for edge in edges {
            let is_better = |than: &TreeEdge| match first_moves {
                true => value(edge) > value(than),
                false => value(edge) < value(than),
            };
            if best.is_none_or(is_better) {
                best = Some(edge);
            }
        }
        let Some(best) = best else { return Err("a position has no move".into()) };
        let own = pure(choices(self.tree, at, self.player), best.actions[self.player] as usize);
        Ok((value(best).clone(), own))
    }

    /// The bounds after each pair of simultaneous choices.
    fn matrix(&self, at: u32) -> Matrix {
        let mut matrix =
            vec![vec![BigRational::zero(); choices(self.tree, at, 1)]; choices(self.tree, at, 0)];
        for edge in self.tree.edges_of(at) {
            let [row, column] = edge.actions;
            matrix[row as usize][column as usize] = self.values[edge.to as usize].clone();
        }
        matrix
    }

    /// The choices in each information set.
    fn strategy(&self) -> Behaviour {
        let of = |set: &InformationSet| self.choices[set.nodes[0] as usize].clone();
        self.tree.sets[self.player].iter().map(of).collect()
    }

    /// The moves at a node that the strategy allows: all, unless only its player chooses.
    fn followed(&self, at: u32) -> impl Iterator<Item = (usize, &TreeEdge)> {
        let own = &self.choices[at as usize];
        let alone = self.tree.nodes[at as usize].sets[1 - self.player] == NONE && !own.is_empty();
        let edges = self.tree.edges_of(at).iter().enumerate();
        edges.filter(move |(_, edge)| !alone || !own[edge.actions[self.player] as usize].is_zero())
    }

    /// The nodes that are no ends and that play by the strategy reaches.
    fn reached(&self) -> Vec<u32> {
        let mut is_known = vec![false; self.tree.nodes.len()];
        is_known[0] = true;
        let mut reached = vec![0];
        let mut place = 0;
        while let Some(&at) = reached.get(place) {
            place += 1;
            for (_, edge) in self.followed(at) {
                let is_new = !std::mem::replace(&mut is_known[edge.to as usize], true);
                if is_new && self.tree.payoff(edge.to).is_none() {
                    reached.push(edge.to);
                }
            }
        }
        reached
    }

    /// The nodes that may follow a node by the strategy, for each choice of the other player after which the value never
    /// changes.
    fn constant_groups(&self, at: u32) -> Vec<Vec<u32>> {
        let (own, other) = (&self.choices[at as usize], 1 - self.player);
        let mut groups = vec![Vec::new(); choices(self.tree, at, other).max(1)];
        for edge in self.tree.edges_of(at) {
            if own.is_empty() || !own[edge.actions[self.player] as usize].is_zero() {
                groups[edge.actions[other] as usize].push(edge.to);
            }
        }
        let here = &self.values[at as usize];
        groups.retain(|group| group.iter().all(|&to| self.values[to as usize] == *here));
        groups
    }

    /// The answer of the player at a node, given the form of a move by its number.
    fn reply(&self, at: u32, form: &mut dyn FnMut(usize) -> Option<String>) -> Option<PolicyReply> {
        let own = &self.choices[at as usize];
        if own.is_empty() {
            return Some(PolicyReply::None);
        }
        if self.tree.nodes[at as usize].sets[1 - self.player] == NONE {
            let (number, _) = self.followed(at).next()?;
            return form(number).map(PolicyReply::Move);
        }
        Some(PolicyReply::Mixed(own.iter().cloned().map(Rational::from).collect()))
    }

    fn is_better(&self, new: &BigRational, old: &BigRational) -> bool {
        if self.player == 0 { new > old } else { new < old }
    }

    /// Rounds outwards to the digits of bounds.
    fn rounded(&self, number: &BigRational) -> BigRational {
        if self.player == 0 {
            multiple_below(number, DENOMINATOR)
        } else {
            -multiple_below(&-number, DENOMINATOR)
        }
    }
}

/// The probabilities of choices of which one is certain.
fn pure(count: usize, chosen: usize) -> Vec<BigRational> {
    let share = |choice| if choice == chosen { One::one() } else { Zero::zero() };
    (0..count).map(share).collect()
}
