//! Solvers that label the graph of all reachable positions, with the values of open positions bounded from both sides.
//!
//! *Invariant:* the graph and the stakes determine the pass, never a trial; the one exception is exact means, whose
//! size only their computation shows.

use std::sync::Arc;

use bouton_base::rational::Rational;

use super::breadth_first::BREADTH_FIRST;
use super::dynamic_programming::{self, AND_OR, DP};
use super::expected_length::expected_length;
use super::graph::{EnumerationScope, GameGraph, StopCondition};
use super::interval::INTERVAL;
use super::labels::{BoundLabels, Labels};
use super::mixed::{hidden, simultaneous};
use super::payoffs::{self, PayoffModel};
use super::policy_iteration::{POLICY, progress_within_bounds};
use super::pure_equilibrium::{self, PureEquilibrium};
use super::retrograde::RETROGRADE;
use super::several_players::MaxN;
use super::solved_graph::SolvedGraph;
use super::solver::{Cost, Estimate, SolveRequest, Solver};
use super::{Bounds, Inapplicable, Solution, SolveOptions, Status, SymmetryMode, symmetry_reduction};
use crate::game::Game;
use crate::game::explore::{FaultyPosition, SymmetryReduction};
use bouton_base::limits::Limits;
use bouton_rules::{self as rules, Actor, Rules};

/// The passes in the order in which [`Auto`] asks them; the first that is picked labels the graph.
const PASSES: [&GraphSolver; 5] = [&POLICY, &BREADTH_FIRST, &RETROGRADE, &AND_OR, &DP];

/// The reason for a method that the user requested.
pub const REQUESTED_REASON: &str = "you requested it";
/// The reason for a pass over a graph with open positions.
const PARTIAL_REASON: &str = "not all positions were searched: the result holds whatever the values of the \
    others";

/// The method that fits the game: here the pass that fits the graph, in the driver also other solvers.
pub struct Auto;

impl Solver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn description(&self) -> &'static str {
        "the method that fits the game"
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        match request.game.rules.has_hidden_information() {
            true => hidden::check_applies(request),
            false => payoffs::check_supported(&request.game.rules),
        }
    }

    fn cost(&self, reachable: &Estimate) -> Option<Cost> {
        Some(Cost::of_graph(reachable))
    }

    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        solve(request, None)
    }
}

/// A solver that labels the graph of all reachable positions in one pass.
pub struct GraphSolver {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    /// Returns the reason why the pass does not fit a graph.
    pub(super) misfit: fn(&GraphShape) -> Option<&'static str>,
    /// Returns the reason to pick the pass for a graph; `None` leaves the graph to later passes.
    pub(super) picked: fn(&GraphShape) -> Option<&'static str>,
    /// Labels a graph; `None` if a number does not fit.
    pub(super) labels: fn(&LabellingTask<'_>) -> Option<BoundLabels>,
    /// True if a single player who only wants to win needs no position past the nearest win.
    pub(super) stops_at_win: bool,
    /// Returns the reason why a value remains open, by the ply of the first open position.
    pub(super) open_reason: fn(Option<u32>) -> Option<String>,
}

impl Solver for GraphSolver {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        self.description
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        payoffs::check_supported(&request.game.rules)
    }

    fn cost(&self, reachable: &Estimate) -> Option<Cost> {
        Auto.cost(reachable)
    }

    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        solve(request, Some(self))
    }
}

/// The properties of a graph that decide which passes fit it.
pub(super) struct GraphShape {
    /// True if positions can come back.
    pub endless: bool,
    /// True if chance acts.
    pub chance: bool,
    pub one_player: bool,
    /// True if the graph is complete and its ends have exactly two results, without chance.
    pub two_results: bool,
    /// True if every end is a win, a loss or a draw.
    pub win_loss: bool,
}

impl GraphShape {
    /// The reason why a pass with exact values does not fit.
    pub fn needs_finite_chance(&self) -> Option<&'static str> {
        let reason =
            "chance acts and positions can come back: exact values by this method need a finite game";
        (self.chance && self.endless).then_some(reason)
    }

    /// The reason why a pass over a finite game does not fit.
    pub fn needs_finite(&self) -> Option<&'static str> {
        let reason = "positions can come back: this method needs a finite game";
        self.needs_finite_chance().or(self.endless.then_some(reason))
    }
}

/// A graph to label, with bounds on the values of its open positions.
pub(super) struct LabellingTask<'g> {
    pub graph: &'g GameGraph,
    pub stakes: &'g PayoffModel,
    /// The positions in topological order; `None` if there is a cycle.
    pub order: Option<&'g [u32]>,
    pub low: Rational,
    pub high: Rational,
    pub limits: &'g Limits,
}

impl LabellingTask<'_> {
    /// Completes the labels with open positions worth `low` by those with open positions worth `high`, if the graph has
    /// any; `labels` computes labels by the worth of open positions.
    pub fn bounds(&self, low: Labels, labels: impl Fn(&Rational) -> Option<Labels>) -> Option<BoundLabels> {
        let high = if self.graph.is_complete() { None } else { Some(labels(&self.high)?) };
        Some(BoundLabels { low, high, horizon: None })
    }

    /// Returns the labels for both worths of open positions.
    pub fn both(&self, labels: impl Fn(&Rational) -> Option<Labels>) -> Option<BoundLabels> {
        self.bounds(labels(&self.low)?, labels)
    }
}

/// Solves a position by its graph, with the requested pass or the one that fits.
fn solve(
    request: &SolveRequest<'_>,
    requested: Option<&GraphSolver>,
) -> Result<Solution, Box<FaultyPosition>> {
    let &SolveRequest { game, state, options, limits, progress } = request;
    let name = requested.map_or(Auto.name(), |pass| pass.name);
    if requested.is_none() && game.rules.has_hidden_information() {
        return hidden::solve_picked(request);
    }
    if requested.is_none() && game.rules.players().len() > 2 && MaxN.applies(request).is_ok() {
        return MaxN.solve(request);
    }
    if requested.is_none() && game.rules.players().len() > 2 && PureEquilibrium.applies(request).is_ok() {
        let pure = PureEquilibrium.solve(request)?;
        if !pure_equilibrium::tempts_somebody(&pure) {
            return Ok(pure);
        }
        let mixed = hidden::solve_by_tree(request)?;
        return Ok(if mixed.several.is_some() { mixed } else { pure });
    }
    if let Err(reason) = payoffs::check_supported(&game.rules) {
        return Ok(Solution::inapplicable(name, "", reason));
    }
    let until = stop_condition(&game.rules, requested, options);
    let exchange = may_exchange(&game.rules, requested, options);
    let find = || symmetry_reduction::classes(game, state, exchange, limits);
    let from = match options.symmetry {
        _ if options.margin => None,
        _ if game.rules.phases.iter().any(|phase| matches!(phase.actor, Actor::Each)) => None,
        SymmetryMode::Off => None,
        SymmetryMode::Auto => Some(symmetry_reduction::SYMMETRY_MIN_POSITIONS),
        SymmetryMode::On => Some(0),
    };
    let folding = from.map(|from| SymmetryReduction { find: &find, from });
    let scope = EnumerationScope { until, folding: folding.as_ref() };
    let graph = GameGraph::build(game, std::slice::from_ref(state), scope, limits, progress)?;
    if graph.is_simultaneous() && requested.is_none() {
        let solution = simultaneous::solve_picked(request, &graph)?;
        let has_result = solution.status != Status::Unknown || solution.limit.is_some();
        if has_result || solution.has_all_equilibria() || PureEquilibrium.applies(request).is_err() {
            return Ok(solution);
        }
        let pure = PureEquilibrium.solve(request)?;
        return Ok(if pure.strategy.is_empty() { solution } else { pure });
    }
    let order = graph.topological();
    if graph.explored.exchanges_players() && order.is_none() {
        // Only dynamic programming knows positions with exchanged players.
        let options = &SolveOptions { exchange_players: false, ..*options };
        return solve(&SolveRequest { options, ..*request }, requested);
    }
    progress.phase("labelling positions");
    let (positions, held, mut limit) = (graph.expanded() as u64, graph.held_bytes(), graph.limit());
    let mut solution = match label_graph(request, graph, order, requested) {
        Ok(labelled) => build_solution(labelled, request),
        // The interests of two players may not be opposed.
        Err((_, Inapplicable::Reason(_)))
            if requested.is_none()
                && limit.is_none()
                && MaxN.applies(request).is_ok()
                && game.rules.players().len() == 2 =>
        {
            return MaxN.solve(request);
        }
        Err((chosen, Inapplicable::Reason(reason))) => Solution::unknown(chosen, "", reason),
        Err((chosen, Inapplicable::Limit(hit))) => {
            limit = limit.or(Some(hit));
            Solution { reason: None, ..Solution::unknown(chosen, "", "") }
        }
    };
    solution.positions = positions;
    solution.memory_bytes = held;
    // The value may be known in spite of a limit, though not for each reachable position.
    let unsolved = !solution.is_answered();
    solution.limit = limit.filter(|_| unsolved || (options.strong && solution.tally.is_none()));
    if let Some(hit) = solution.limit {
        solution.reason = Some(match solution.reason.take() {
            Some(reason) => format!("{hit}; {reason}"),
            None => hit.to_string(),
        });
    }
    Ok(solution)
}

/// Returns true if positions may stand for those with exchanged players: of two players, where chance acts, for values
/// alone.
fn may_exchange(rules: &Rules, requested: Option<&GraphSolver>, options: &SolveOptions) -> bool {
    let chance = rules.moves.iter().any(|of| of.chance);
    options.exchange_players
        && chance
        && rules.players().len() == 2
        && !options.strong
        && !options.count_plies
        && requested.is_none_or(|pass| pass.name == DP.name)
}

/// Returns the condition to stop the enumeration: a single player who only wants to win needs no position past the
/// nearest win.
fn stop_condition(rules: &Rules, requested: Option<&GraphSolver>, options: &SolveOptions) -> StopCondition {
    let all = options.strong || options.all_moves || options.margin;
    let payoffs = rules.ends.iter().any(|e| matches!(e.outcome, rules::OutcomeExpr::Payoff(_)));
    let chance = rules.moves.iter().any(|m| m.chance);
    let fits = requested.is_none_or(|pass| pass.stops_at_win) && rules.players().len() == 1;
    if fits && !all && !payoffs && !chance { StopCondition::FirstWin } else { StopCondition::Never }
}

/// The labels of a graph, with the pass that computed them.
struct LabelledGraph<'p> {
    pass: &'p GraphSolver,
    /// The reason for the pass, in one sentence.
    reason: &'static str,
    /// The labelled graph.
    table: SolvedGraph,
    /// The two payoffs assumed for open positions, if the rules do not bound the payoffs of ends.
    assumed_range: Option<(Rational, Rational)>,
    /// The least and the greatest payoff of any end, if the rules bound them.
    range: Option<(Rational, Rational)>,
    /// The ply of the first open position: every end that was not visited is at least this far.
    open_ply: Option<u32>,
    /// True if play can be endless where ends have payoffs, and no rule gives it one.
    unvalued: bool,
}

/// Labels a graph, given with its topological order if there is one, by the requested pass, or by the one that fits; the
/// error has the name of the method and the reason why it does not apply.
fn label_graph<'p>(
    request: &SolveRequest<'_>,
    graph: GameGraph,
    order: Option<Vec<u32>>,
    requested: Option<&'p GraphSolver>,
) -> Result<LabelledGraph<'p>, (&'static str, Inapplicable)> {
    let &SolveRequest { game, options, limits, .. } = request;
    let asked = requested.map_or(Auto.name(), |pass| pass.name);
    if graph.is_simultaneous() {
        let reason = "players choose simultaneously, so perfect play may be mixed: `--method matrix` fits";
        return Err((asked, reason.into()));
    }
    let endless = order.is_none();
    let bounded = game.with_limits(limits);
    let stakes = PayoffModel::of(&bounded, &graph, options.margin, endless).map_err(|why| (asked, why))?;
    let mut chosen = choose(&graph, &stakes, requested, endless).map_err(|why| (asked, why.into()))?;
    let name = chosen.0.name;
    let unruled = endless && stakes.infinite.is_none();
    let unvalued = unruled && !stakes.win_loss && stakes.margin.is_none();
    let too_large = || match unruled && !(stakes.players == 1 && stakes.win_loss) {
        true => (name, payoffs::NO_ENDLESS_VALUE.into()),
        false => (name, "the payoffs or an exact mean of them do not fit the numbers of this method".into()),
    };
    let (low, high) = stakes.range.clone().unwrap_or_else(|| beyond_payoffs(&stakes));
    let complete = graph.is_complete();
    if let Some(reason) = no_bounds_reason(game, &graph, &stakes).filter(|_| !complete) {
        return Err((name, reason.into()));
    }
    let task = LabellingTask {
        graph: &graph,
        stakes: &stakes,
        order: order.as_deref(),
        low: low.clone(),
        high: high.clone(),
        limits,
    };
    let mut found = (chosen.0.labels)(&task);
    for fallback in
        [(&POLICY, super::policy_iteration::FALLBACK_REASON), (&INTERVAL, super::interval::PICKED_REASON)]
    {
        if found.is_none() && requested.is_none() && graph.has_chance() && chosen.0.name != fallback.0.name {
            chosen = fallback;
            found = (fallback.0.labels)(&task);
        }
    }
    let labels = found.ok_or_else(too_large)?;
    // Without plies, a move that keeps the value need not come nearer to the end.
    let bounded = labels.high.as_ref().filter(|_| endless && !labels.low.counts_plies());
    let ranks = bounded.map(|high| progress_within_bounds(&task, &labels.low, high));
    let open_ply = (!complete).then(|| graph.explored.ply(graph.expanded() as u32));
    let range = stakes.range.clone();
    let table = SolvedGraph::new(game, graph, stakes, labels).with_ranks(ranks);
    let (pass, reason) = if complete { chosen } else { (chosen.0, PARTIAL_REASON) };
    let assumed_range = range.is_none().then_some((low, high));
    Ok(LabelledGraph { pass, reason, table, assumed_range, range, open_ply, unvalued })
}

/// Returns the reason why open positions leave no bounds; `None` if there are bounds.
fn no_bounds_reason(game: &Game, graph: &GameGraph, stakes: &PayoffModel) -> Option<&'static str> {
    let payoffs = game.rules.ends.iter().any(|e| matches!(e.outcome, rules::OutcomeExpr::Payoff(_)));
    if stakes.players == 2 && payoffs && stakes.margin.is_none() {
        return Some("not all positions were searched, and what is paid in the others is not known");
    }
    let unbounded = stakes.range.is_none() && graph.has_chance();
    unbounded.then_some("not all positions were searched, and the rules do not bound the payoffs")
}

/// Returns two numbers, one below and one above all payoffs of the graph.
fn beyond_payoffs(stakes: &PayoffModel) -> (Rational, Rational) {
    let all = || stakes.ends.iter().chain(&stakes.infinite);
    let low = all().min().cloned().unwrap_or_default() - Rational::ONE;
    (low, all().max().cloned().unwrap_or_default() + Rational::ONE)
}

/// Selects the pass for a graph, with the reason in one sentence; the error is the reason why the requested pass does
/// not fit.
fn choose<'p>(
    graph: &GameGraph,
    stakes: &PayoffModel,
    requested: Option<&'p GraphSolver>,
    endless: bool,
) -> Result<(&'p GraphSolver, &'static str), &'static str> {
    let shape = GraphShape {
        endless,
        chance: graph.has_chance(),
        one_player: stakes.players == 1,
        // Two results among the ends visited so far imply nothing about the others.
        two_results: graph.is_complete()
            && !graph.has_chance()
            && dynamic_programming::two_results(stakes).is_some(),
        win_loss: stakes.win_loss,
    };
    if endless && !shape.chance && !shape.one_player && stakes.infinite.is_none() {
        return Err(payoffs::NO_ENDLESS_VALUE);
    }
    match requested {
        Some(pass) => (pass.misfit)(&shape).map_or(Ok((pass, REQUESTED_REASON)), Err),
        None => {
            let picked = PASSES.into_iter().find_map(|pass| Some((pass, (pass.picked)(&shape)?)));
            picked.ok_or("no pass fits this graph")
        }
    }
}

fn build_solution(labelled: LabelledGraph<'_>, request: &SolveRequest<'_>) -> Solution {
    let LabelledGraph { pass, reason: why, table, assumed_range: invented, range, open_ply, unvalued } =
        labelled;
    let (state, options) = (request.state, request.options);
    let mut solution = Solution::unknown(pass.name, why, "");
    solution.reason = None;
    solution.by_margin = options.margin;
    let table = Arc::new(table);
    if let Some(value) = table.value_at(0) {
        solution.status = Status::Solved;
        solution.value = Some(value);
        solution.remoteness = table.remoteness_at(0);
        solution.margin = if options.margin { table.margin(state) } else { None };
        solution.best_moves = table.best_moves(state);
        solution.best_moves_complete = table.knows_moves(state) && !table.leaves_out_equal_moves(state);
        let line = table.line(state, options.max_line_moves);
        solution.line_complete = line.complete;
        solution.line = line.moves;
        if options.count_plies && table.graph().has_chance() {
            solution.expected_length = expected_length(&table, request.limits);
        }
    } else {
        let bounds = table.bounds_at(0);
        let (low, high) =
            range.as_ref().map_or(bounds.clone(), |range| super::interval::within(range, bounds));
        // What endless play gives without a payoff, no rule bounds.
        let range = range.filter(|_| !unvalued);
        let low = low
            .or(range.as_ref().map(|r| r.0.clone()))
            .filter(|v| invented.as_ref().is_none_or(|i| *v != i.0));
        let high =
            high.or(range.as_ref().map(|r| r.1.clone())).filter(|v| invented.is_none_or(|i| *v != i.1));
        let says_more = match range {
            Some((least, most)) => low.as_ref() != Some(&least) || high.as_ref() != Some(&most),
            None => low.is_some() || high.is_some(),
        };
        solution.status = if says_more { Status::Bounded } else { Status::Unknown };
        if !says_more && solution.why == PARTIAL_REASON {
            solution.why = "not all positions were searched".into();
        }
        let bounds = Some(Bounds { low, high }).filter(|b| b.low.is_some() || b.high.is_some());
        if bounds.as_ref().is_some_and(Bounds::are_close) {
            solution.status = Status::Enclosed;
            solution.best_moves = table.best_moves(state);
            solution.line = table.line(state, options.max_line_moves).moves;
        }
        let lower_is_better = table.stakes().margin == Some(-1);
        solution.bounds = if lower_is_better { bounds.map(Bounds::negated) } else { bounds };
        let no_end = table.graph().is_complete() && table.stakes().infinite.is_none();
        let open = (pass.open_reason)(open_ply).filter(|_| !unvalued || solution.is_answered());
        solution.reason = open.or(no_end.then(|| payoffs::NO_ENDLESS_VALUE.into()));
    }
    if options.all_moves {
        solution.moves = table.moves(state);
    }
    solution.tally = options.strong.then(|| table.tally()).flatten();
    solution.folded = table.is_up_to_symmetry();
    solution.table = Some(table);
    solution
}
