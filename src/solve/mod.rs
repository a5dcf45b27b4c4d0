//! Floor 12: solvers, one file an algorithm, all on the Position API.
//!
//! *Invariants:* solvers do not know which machine runs the rules, nor who checks what they find. A limit gives
//! bounds or nothing, never a guess. Values, best moves and remoteness do not depend on the number of threads.

pub mod graph;
pub mod labelling;
pub mod labels;
pub mod nimber;
pub mod retrograde;
pub mod stakes;
pub mod table;
mod value;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use num_rational::Rational64;
use num_traits::{CheckedAdd, CheckedSub};

use crate::base::limits::{Limits, Progress};
use crate::game::explore::Broken;
use crate::game::{Game, State};
use crate::rules::{self, Rules};
use graph::{Graph, Until};
use nimber::Nimber;
use stakes::Stakes;
use table::Table;
pub use value::{Bounds, Made, MoveValue, Solution, Status, Value, ValueKind};

/// How to solve.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// What fits the game.
    #[default]
    Auto,
    /// Backward induction on a graph that may have cycles.
    Retrograde,
    /// One pass over a graph without cycles.
    Dp,
    /// The same for two results.
    AndOr,
    /// The fewest moves of one player.
    BreadthFirst,
    /// Grundy values.
    Grundy,
}

impl Method {
    /// Every method.
    pub const ALL: [Method; 6] =
        [Method::Auto, Method::Retrograde, Method::Dp, Method::AndOr, Method::BreadthFirst, Method::Grundy];

    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Retrograde => "retrograde",
            Method::Dp => "dp",
            Method::AndOr => "and-or",
            Method::BreadthFirst => "breadth-first",
            Method::Grundy => "grundy",
        }
    }

    /// The method of that name.
    pub fn named(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|m| m.name() == name)
    }
}

/// What else is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The value of every reachable position, not only of this one.
    pub strong: bool,
    /// The value of every legal move.
    pub all_moves: bool,
    /// The players play for the difference of the scores.
    pub margin: bool,
    /// How many moves of best play to tell.
    pub line: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { strong: false, all_moves: false, margin: false, line: 1000 }
    }
}

/// Solves a position. A position without meaning is the user's error, told with a shortest play to it.
pub fn solve(
    game: &Game,
    state: &State,
    method: Method,
    options: &Options,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Solution, Box<Broken>> {
    if let Some(reason) = stakes::refusal(&game.rules) {
        return Ok(Solution::unknown(method.name(), "", reason));
    }
    if method == Method::Grundy {
        return solve_nimber(game, state, limits, progress);
    }
    let until = until(&game.rules, method, options);
    let graph = Graph::build(game, std::slice::from_ref(state), until, limits, progress)?;
    progress.phase("labelling positions");
    let (positions, held, limit) = (graph.expanded() as u64, graph.held_bytes(), graph.limit());
    let mut solution = match label(game, graph, method, options) {
        Ok(labelled) => tell(labelled, state, options),
        Err((chosen, reason)) => Solution::unknown(chosen.name(), "", reason),
    };
    solution.positions = positions;
    solution.memory_bytes = held;
    solution.limit = limit.filter(|_| solution.status != Status::Solved);
    if let Some(hit) = solution.limit {
        solution.reason = Some(match solution.reason.take() {
            Some(reason) => format!("{hit}; {reason}"),
            None => hit.to_string(),
        });
    }
    Ok(solution)
}

/// One player who only wants to win needs no position past the nearest win.
fn until(rules: &Rules, method: Method, options: &Options) -> Until {
    let all = options.strong || options.all_moves || options.margin;
    let payoffs = rules.ends.iter().any(|e| matches!(e.outcome, rules::Outcome::Payoff(_)));
    let chance = rules.moves.iter().any(|m| m.chance);
    let fits = matches!(method, Method::Auto | Method::BreadthFirst) && rules.players().len() == 1;
    if fits && !all && !payoffs && !chance { Until::FirstWin } else { Until::Everything }
}

/// A method with the labels it gave.
struct Labelled {
    method: Method,
    why: &'static str,
    table: Table,
    /// What was put for open positions where the rules do not tell what an end can give.
    invented: Option<(Rational64, Rational64)>,
    /// What any end can give, where the rules tell.
    range: Option<(Rational64, Rational64)>,
    /// Where open positions begin: no end is nearer than this ply, other than those met.
    open_ply: Option<u32>,
}

fn label(game: &Game, graph: Graph, method: Method, options: &Options) -> Result<Labelled, (Method, String)> {
    let wrong = |reason: &str| Err((method, reason.to_owned()));
    if graph.is_simultaneous() {
        return wrong(
            "players choose at once: perfect play may be mixed, which this method does not compute",
        );
    }
    let order = graph.topological();
    let endless = order.is_none();
    let stakes = Stakes::of(game, &graph, options.margin, endless).map_err(|reason| (method, reason))?;
    let (chosen, why) = choose(&graph, &stakes, method, endless).map_err(|reason| (method, reason))?;
    let labels = |open: Rational64| match (&order, chosen) {
        (Some(order), Method::Dp) => labelling::dp(&graph, &stakes, order, open),
        (Some(order), Method::AndOr) => labelling::and_or(&graph, &stakes, order),
        _ => Some(retrograde::label(&graph, &stakes, open)),
    };
    let too_large = || (chosen, "an exact number in it does not fit 64 bits".to_owned());
    let complete = graph.is_complete();
    let (low, high) = match stakes.range {
        Some(range) => range,
        None => outside(&stakes).ok_or_else(too_large)?,
    };
    if !complete && stakes.range.is_none() && graph.has_chance() {
        return Err((chosen, "not all positions were seen, and the rules do not bound the payoffs".into()));
    }
    let payoffs = game.rules.ends.iter().any(|e| matches!(e.outcome, rules::Outcome::Payoff(_)));
    if !complete && stakes.players == 2 && payoffs && !options.margin {
        let reason = "not all positions were seen, so the payoffs may not always add up to one sum";
        return Err((chosen, reason.into()));
    }
    let low_labels = labels(low).ok_or_else(too_large)?;
    // Breadth first, the first win met is the nearest, whatever was left open.
    let nearest =
        chosen == Method::BreadthFirst && low_labels.value(0).is_some_and(|v| v > Rational64::default());
    let horizon = if complete || !nearest { None } else { low_labels.steps(0) };
    let high_labels =
        if complete || horizon.is_some() { None } else { Some(labels(high).ok_or_else(too_large)?) };
    let open_ply = (!complete).then(|| graph.explored.ply(graph.expanded() as u32));
    let range = stakes.range;
    let invented = range.is_none().then_some((low, high));
    let table = Table::new(game, graph, stakes, (low_labels, high_labels), horizon);
    Ok(Labelled { method: chosen, why, table, invented, range, open_ply })
}

/// Two numbers below and above all that was met.
fn outside(stakes: &Stakes) -> Option<(Rational64, Rational64)> {
    let all = || stakes.ends.iter().copied().chain(stakes.infinite);
    let one = Rational64::from_integer(1);
    let low = all().min().unwrap_or_default().checked_sub(&one)?;
    Some((low, all().max().unwrap_or_default().checked_add(&one)?))
}

/// The method for a graph, with the reason in one sentence; or why the method asked for does not fit.
fn choose(
    graph: &Graph,
    stakes: &Stakes,
    method: Method,
    endless: bool,
) -> Result<(Method, &'static str), String> {
    let no = |reason: &str| Err(reason.to_owned());
    let one_player = stakes.players == 1;
    if graph.has_chance() && endless {
        return no(
            "chance acts and positions can come back: exact values by this method need play that ends",
        );
    }
    if endless && !one_player && stakes.infinite.is_none() {
        return no("play can go on for ever, and no `repeat` rule says what that is worth");
    }
    // Two results among the ends met so far say nothing of those not met.
    let two_results = graph.is_complete() && !graph.has_chance() && labelling::two_results(stakes).is_some();
    match method {
        Method::Dp | Method::AndOr if endless => {
            no("positions can come back: this method needs play that ends")
        }
        Method::AndOr if !two_results => {
            no("the game has other than two results, or not all positions were seen")
        }
        Method::Retrograde if graph.has_chance() => no("chance acts: this method has no means"),
        Method::BreadthFirst if !one_player || graph.has_chance() => {
            no("the fewest moves are asked of one player without chance")
        }
        Method::Auto if graph.has_chance() => {
            Ok((Method::Dp, "play always ends and chance acts, so one pass from the ends gives exact means"))
        }
        Method::Auto if one_player && stakes.win_loss => Ok((
            Method::BreadthFirst,
            "one player wants the fewest moves, which a breadth-first search gives",
        )),
        Method::Auto if endless => Ok((
            Method::Retrograde,
            "positions can come back, so values are worked out backwards from the ends",
        )),
        Method::Auto if two_results && !one_player => Ok((
            Method::AndOr,
            "play always ends and has two results, so one And-Or pass from the ends decides",
        )),
        Method::Auto => Ok((Method::Dp, "play always ends, so one pass from the ends gives every value")),
        asked => Ok((asked, "it was asked for")),
    }
}

fn tell(labelled: Labelled, state: &State, options: &Options) -> Solution {
    let Labelled { method, why, table, invented, range, open_ply } = labelled;
    let mut solution = Solution::unknown(method.name(), why, "");
    solution.reason = None;
    let table = Arc::new(table);
    if let Some(value) = table.value_at(0) {
        solution.status = Status::Solved;
        solution.value = Some(value);
        solution.remoteness = table.remoteness_at(0);
        solution.margin = if options.margin { table.margin(state) } else { None };
        solution.best_moves = table.best_moves(state);
        solution.line = table.line(state, options.line);
    } else {
        let (low, high) = table.bounds_at(0);
        let low = low.or(range.map(|r| r.0)).filter(|v| invented.is_none_or(|i| *v != i.0));
        let high = high.or(range.map(|r| r.1)).filter(|v| invented.is_none_or(|i| *v != i.1));
        let says_more = match range {
            Some(range) => (low, high) != (Some(range.0), Some(range.1)),
            None => low.is_some() || high.is_some(),
        };
        solution.status = if says_more { Status::Bounded } else { Status::Unknown };
        solution.bounds = Some(Bounds { low, high }).filter(|b| b.low.is_some() || b.high.is_some());
        if let Some(ply) = open_ply.filter(|_| method == Method::BreadthFirst) {
            solution.reason = Some(format!("there is no win in fewer than {ply} moves"));
        }
    }
    if options.all_moves {
        solution.moves = table.moves(state);
    }
    solution.table = Some(table);
    solution
}

fn solve_nimber(
    game: &Game,
    state: &State,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Solution, Box<Broken>> {
    const WHY: &str =
        "both players have the same moves and who cannot move loses, so each position has a nimber";
    let name = Method::Grundy.name();
    Ok(match nimber::nimber(game, state, limits, progress)? {
        Nimber::NotApplicable(reason) => Solution::unknown(name, "", reason),
        Nimber::Limit(hit) => Solution { limit: Some(hit), ..Solution::unknown(name, "", hit.to_string()) },
        Nimber::Value { value, options, positions, memory_bytes } => {
            let mover = game.machine.read(state, rules::MOVER, 0).as_sym().unwrap_or(0);
            let win = |winner: u32| {
                let payoff = |p: u32| Rational64::from_integer(if p == winner { 1 } else { -1 });
                Value { payoffs: vec![payoff(0), payoff(1)], kind: ValueKind::Win(winner) }
            };
            let successors = game.machine.successors(state).unwrap_or_default();
            let made = |play: &crate::game::Play| Made {
                play: play.clone(),
                written: game.machine.written(state, play),
            };
            let moves: Vec<MoveValue> = successors
                .iter()
                .zip(&options)
                .map(|(s, &n)| MoveValue {
                    made: made(&s.play),
                    value: Some(win(if n == 0 { mover } else { 1 - mover })),
                    remoteness: None,
                })
                .collect();
            let keeps = |(_, n): &(&MoveValue, &u32)| value == 0 || **n == 0;
            let best = moves.iter().zip(&options).filter(keeps).map(|(m, _)| m.made.clone()).collect();
            Solution {
                status: Status::Solved,
                value: Some(win(if value == 0 { 1 - mover } else { mover })),
                nimber: Some(value),
                best_moves: best,
                moves,
                positions,
                memory_bytes,
                reason: None,
                ..Solution::unknown(name, WHY, "")
            }
        }
    })
}
