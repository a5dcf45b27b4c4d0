//! Selects a labelling method for a graph and runs it for the lower and the upper bound.
//!
//! *Invariant:* the graph and the stakes determine the method, never a trial; the one exception is exact means, whose
//! size only their computation shows.

use num_rational::Rational64;
use num_traits::{CheckedAdd, CheckedSub};

use super::graph::GameGraph;
use super::labels::{BoundLabels, Labels};
use super::payoffs::PayoffModel;
use super::solved_graph::SolvedGraph;
use super::{Inapplicable, Method, SolveOptions, dynamic_programming, interval, retrograde};
use crate::game::Game;
use bouton_base::limits::Limits;
use bouton_rules as rules;

/// The labels of a graph, with the method that computed them.
pub(super) struct LabelledGraph {
    pub method: Method,
    /// The reason for the method, in one sentence.
    pub reason: &'static str,
    /// The labelled graph.
    pub table: SolvedGraph,
    /// The two payoffs assumed for open positions, if the rules do not bound the payoffs of ends.
    pub assumed_range: Option<(Rational64, Rational64)>,
    /// The least and the greatest payoff of any end, if the rules bound them.
    pub range: Option<(Rational64, Rational64)>,
    /// The ply of the first open position: every end that was not visited is at least this far.
    pub open_ply: Option<u32>,
}

/// Labels a graph by the requested method, or by the one that fits; the error gives the method and the reason why it
/// does not apply.
pub(super) fn label_graph(
    game: &Game,
    graph: GameGraph,
    method: Method,
    options: &SolveOptions,
    limits: &Limits,
) -> Result<LabelledGraph, (Method, Inapplicable)> {
    let wrong = |reason: &str| Err((method, reason.to_owned().into()));
    if graph.is_simultaneous() {
        return wrong("players choose simultaneously: perfect play may be mixed, which is not computed yet");
    }
    let order = graph.topological();
    let endless = order.is_none();
    let bounded = game.with_limits(limits);
    let stakes = PayoffModel::of(&bounded, &graph, options.margin, endless).map_err(|why| (method, why))?;
    let (chosen, why) = choose(&graph, &stakes, method, endless).map_err(|reason| (method, reason.into()))?;
    let too_large = || {
        let reason = "the payoffs or an exact mean of them do not fit the numbers of this method";
        (chosen, reason.to_owned().into())
    };
    let (low, high) = match stakes.range {
        Some(range) => range,
        None => beyond_payoffs(&stakes).ok_or_else(too_large)?,
    };
    let complete = graph.is_complete();
    if let Some(reason) = no_bounds_reason(game, &graph, &stakes).filter(|_| !complete) {
        return Err((chosen, reason.to_owned().into()));
    }
    let mut chosen = (chosen, why);
    let labelling =
        GraphLabelling { graph: &graph, stakes: &stakes, method: chosen.0, order: order.as_deref() };
    let mut found = labelling.bound_labels(low, high);
    if chosen.0 == Method::Interval || (found.is_none() && method == Method::Auto) {
        chosen = (Method::Interval, INTERVAL_REASON);
        let enclosed = stakes.range.and_then(|range| interval::enclose(&graph, &stakes, range, limits));
        found = enclosed.map(|(low, high)| BoundLabels { low, high: Some(high), horizon: None });
    }
    let labels = found.ok_or_else(too_large)?;
    let open_ply = (!complete).then(|| graph.explored.ply(graph.expanded() as u32));
    let range = stakes.range;
    let invented = range.is_none().then_some((low, high));
    let table = SolvedGraph::new(game, graph, stakes, labels);
    let (method, why) = if complete { chosen } else { (chosen.0, PARTIAL_REASON) };
    Ok(LabelledGraph { method, reason: why, table, assumed_range: invented, range, open_ply })
}

const INTERVAL_REASON: &str = "chance acts and exact means are out of reach, so bounds close in on the value";
/// The reason for a method that the user requested.
pub(super) const REQUESTED_REASON: &str = "you requested it";
const PARTIAL_REASON: &str = "not all positions were searched: the result holds whatever the values of the \
    others";

/// The labelling of a graph by one method.
struct GraphLabelling<'g> {
    graph: &'g GameGraph,
    stakes: &'g PayoffModel,
    method: Method,
    /// The positions in topological order; `None` if there is a cycle.
    order: Option<&'g [u32]>,
}

impl GraphLabelling<'_> {
    /// Returns the labels with open positions worth `low` and, if they are needed, those with open positions worth
    /// `high`; `None` if the method does not label one value after another, or a number does not fit.
    fn bound_labels(&self, low: Rational64, high: Rational64) -> Option<BoundLabels> {
        if self.method == Method::Interval {
            return None;
        }
        let low = self.labels(low)?;
        if self.graph.is_complete() {
            return Some(BoundLabels { low, high: None, horizon: None });
        }
        // Breadth first, the first win is the nearest, whatever remains open.
        let nearest =
            self.method == Method::BreadthFirst && low.value(0).is_some_and(|v| v > Rational64::default());
        if nearest {
            let horizon = low.steps(0);
            return Some(BoundLabels { low, high: None, horizon });
        }
        let high = self.labels(high)?;
        Some(BoundLabels { low, high: Some(high), horizon: None })
    }

    /// Returns the labels with open positions worth `open`; `None` if a number does not fit.
    fn labels(&self, open: Rational64) -> Option<Labels> {
        let (graph, stakes) = (self.graph, self.stakes);
        match (self.order, self.method) {
            (Some(order), Method::Dp) => dynamic_programming::dp(graph, stakes, order, open),
            (Some(order), Method::AndOr) => dynamic_programming::and_or(graph, stakes, order),
            _ => Some(retrograde::label(graph, stakes, open)),
        }
    }
}

/// Returns the reason why open positions leave no bounds; `None` if there are bounds.
fn no_bounds_reason(game: &Game, graph: &GameGraph, stakes: &PayoffModel) -> Option<&'static str> {
    let payoffs = game.rules.ends.iter().any(|e| matches!(e.outcome, rules::OutcomeExpr::Payoff(_)));
    if stakes.players == 2 && payoffs && stakes.margin.is_none() {
        return Some("not all positions were searched, so the payoffs may not always add up to one sum");
    }
    let unbounded = stakes.range.is_none() && graph.has_chance();
    unbounded.then_some("not all positions were searched, and the rules do not bound the payoffs")
}

/// Returns two numbers, one below and one above all payoffs of the graph.
fn beyond_payoffs(stakes: &PayoffModel) -> Option<(Rational64, Rational64)> {
    let all = || stakes.ends.iter().copied().chain(stakes.infinite);
    let one = Rational64::from_integer(1);
    let low = all().min().unwrap_or_default().checked_sub(&one)?;
    Some((low, all().max().unwrap_or_default().checked_add(&one)?))
}

/// Selects the method for a graph, with the reason in one sentence; the error gives the reason why the requested
/// method does not fit.
fn choose(
    graph: &GameGraph,
    stakes: &PayoffModel,
    method: Method,
    endless: bool,
) -> Result<(Method, &'static str), String> {
    let no = |reason: &str| Err(reason.to_owned());
    let one_player = stakes.players == 1;
    if graph.has_chance() && endless && !matches!(method, Method::Auto | Method::Interval) {
        return no("chance acts and positions can come back: exact values by this method need a finite game");
    }
    if endless && !graph.has_chance() && !one_player && stakes.infinite.is_none() {
        return no("play can go on for ever, and no `repeat` rule gives its value");
    }
    // Two results among the ends visited so far imply nothing about the others.
    let two_results =
        graph.is_complete() && !graph.has_chance() && dynamic_programming::two_results(stakes).is_some();
    match method {
        Method::Dp | Method::AndOr if endless => {
            no("positions can come back: this method needs a finite game")
        }
        Method::AndOr if !two_results => {
            no("the game does not have exactly two results, or not all positions were searched")
        }
        Method::Retrograde if graph.has_chance() => no("chance acts: this method computes no means"),
        Method::BreadthFirst if !one_player || graph.has_chance() => {
            no("the fewest moves need one player and no chance")
        }
        Method::Auto if graph.has_chance() && endless => Ok((Method::Interval, INTERVAL_REASON)),
        Method::Auto if graph.has_chance() => Ok((
            Method::Dp,
            "the game is finite and chance acts, so one pass from the ends gives exact means",
        )),
        Method::Auto if one_player && stakes.win_loss => Ok((
            Method::BreadthFirst,
            "one player wants the fewest moves, which a breadth-first search gives",
        )),
        Method::Auto if endless => Ok((
            Method::Retrograde,
            "positions can come back, so the solver computes values backwards from the ends",
        )),
        Method::Auto if two_results && !one_player => Ok((
            Method::AndOr,
            "the game is finite and has two results, so one And-Or pass from the ends decides",
        )),
        Method::Auto => Ok((Method::Dp, "the game is finite, so one pass from the ends gives every value")),
        asked => Ok((asked, REQUESTED_REASON)),
    }
}
