//! Solvers, one file an algorithm.
//!
//! *Invariants:* the methods that label a graph use the Position API (`game`), whichever machine runs the rules; the
//! searches and tables without a graph run compiled circuits. No solver depends on the checker. A limit gives bounds
//! or nothing, never a guess. Values, best moves and remoteness do not depend on the number of threads.

pub mod additive_scores;
pub mod alphabeta;
pub mod certify;
pub mod depth_limited;
pub mod dynamic_programming;
mod extract;
pub mod graph;
mod graph_labelling;
pub mod histogram;
pub mod interval;
pub mod labels;
mod leaf_value;
pub mod mcts;
pub mod nimber;
pub mod orbits;
pub mod partizan;
pub mod payoffs;
mod playout;
pub mod proof_number;
pub mod ranking_function;
pub mod retrograde;
pub mod solved_graph;
pub mod state_enumeration;
pub mod strong;
mod symmetry_reduction;
pub mod trace;
pub mod transpositions;
mod value;

#[cfg(test)]
mod published_results;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::game::explore::{FaultyPosition, SymmetryReduction};
use crate::game::{Game, State};
use bouton_base::limits::{Limits, Progress};
use bouton_rules::{self as rules, Rules};
use graph::{EnumerationScope, GameGraph, StopCondition};
use graph_labelling::{LabelledGraph, label_graph};
use proof_number::PnSearchRequest;
pub use value::{
    Bounds, Inapplicable, MoveValue, Solution, Status, StrategyAnswer, StrategyReplies, Value, ValueKind,
    WrittenMove,
};

/// A method of solving.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// The method that fits the game.
    #[default]
    Auto,
    /// Retrograde analysis: backward induction on a graph that may have cycles.
    Retrograde,
    /// Dynamic programming: one pass over an acyclic graph.
    Dp,
    /// And-Or: one pass over an acyclic graph with two results.
    AndOr,
    /// Interval iteration: bounds on means that close in on the value.
    Interval,
    /// Breadth-first search: the fewest moves of one player.
    BreadthFirst,
    /// Grundy values of impartial games.
    Grundy,
    /// Values of partizan games.
    Partizan,
    /// Alpha-beta, depth first, with a transposition table.
    AlphaBeta,
    /// Df-pn: depth-first proof-number search.
    Dfpn,
    /// Df-pn with initial numbers from the rules' guesses.
    DfpnPlus,
    /// Df-pn in passes that rest less and less on the rules' guesses.
    Widening,
    /// PDS: depth-first proof-number search with thresholds for both numbers.
    Pds,
    /// PN*: depth-first proof-number search with a threshold for one number.
    PnStar,
    /// PNS: best-first proof-number search.
    Pns,
    /// PN2: best-first proof-number search on two levels.
    Pn2,
    /// Df-pn on the first few moves that are not refuted.
    Focused,
    /// Lambda search: df-pn with attacks by threats.
    Lambda,
    /// Lambda search in which the attacker also answers threats.
    DualLambda,
    /// One table of the remaining scores, without the scores so far.
    Scores,
    /// A finite automaton that reads a row of cells.
    Automaton,
    /// A mirror strategy: answers with mirror images.
    Symmetry,
    /// A pairing strategy: answers within pairs of cells.
    Pairing,
    /// A Nim strategy: keeps the nim sum of independent components at 0.
    Nim,
    /// A conjunctive compound: combines the values of games that are played side by side.
    Product,
    /// A parity argument: some sum stays even or odd whatever is played.
    Parity,
    /// Strategy stealing: some first move is good, without saying which.
    Steal,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 27] = [
        Method::Auto,
        Method::Retrograde,
        Method::Dp,
        Method::AndOr,
        Method::Interval,
        Method::BreadthFirst,
        Method::Grundy,
        Method::Partizan,
        Method::AlphaBeta,
        Method::Dfpn,
        Method::DfpnPlus,
        Method::Widening,
        Method::Pds,
        Method::PnStar,
        Method::Pns,
        Method::Pn2,
        Method::Focused,
        Method::Lambda,
        Method::DualLambda,
        Method::Scores,
        Method::Automaton,
        Method::Symmetry,
        Method::Pairing,
        Method::Nim,
        Method::Product,
        Method::Parity,
        Method::Steal,
    ];

    /// Returns the name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Retrograde => "retrograde",
            Method::Dp => "dp",
            Method::AndOr => "and-or",
            Method::Interval => "interval",
            Method::BreadthFirst => "breadth-first",
            Method::Grundy => "grundy",
            Method::Partizan => "partizan",
            Method::AlphaBeta => "alphabeta",
            Method::Dfpn => "dfpn",
            Method::DfpnPlus => "dfpn-plus",
            Method::Widening => "widening",
            Method::Pds => "pds",
            Method::PnStar => "pn-star",
            Method::Pns => "pns",
            Method::Pn2 => "pn2",
            Method::Focused => "focused",
            Method::Lambda => "lambda",
            Method::DualLambda => "dual-lambda",
            Method::Scores => "scores",
            Method::Automaton => "automaton",
            Method::Symmetry => "symmetry",
            Method::Pairing => "pairing",
            Method::Nim => "nim",
            Method::Product => "product",
            Method::Parity => "parity",
            Method::Steal => "steal",
        }
    }

    /// Returns true if the method looks for a strategy that can be stated as a whole, which the checker then accepts
    /// or rejects. Such a method is not for [`solve`], which does not know the checker.
    pub fn is_strategy(self) -> bool {
        matches!(
            self,
            Method::Automaton
                | Method::Symmetry
                | Method::Pairing
                | Method::Nim
                | Method::Product
                | Method::Parity
                | Method::Steal
        )
    }

    /// Returns true if the method solves without listing positions, and keeps only their values.
    pub fn is_search(self) -> bool {
        matches!(self, Method::AlphaBeta | Method::Scores) || self.is_proof_number()
    }

    /// Returns true if the method searches by proof numbers, which say nothing about plies.
    pub fn is_proof_number(self) -> bool {
        use Method::{Dfpn, DfpnPlus, DualLambda, Focused, Lambda, Pds, Pn2, PnStar, Pns, Widening};
        matches!(self, Dfpn | DfpnPlus | Widening | Pds | PnStar | Pns | Pn2 | Focused | Lambda | DualLambda)
    }

    /// Returns the method with this name.
    pub fn from_name(name: &str) -> Option<Method> {
        // Negamax is the form of alpha-beta for players who take turns.
        let name = if name == "negamax" { Method::AlphaBeta.name() } else { name };
        Method::ALL.into_iter().find(|m| m.name() == name)
    }
}

/// The options of a solver.
#[derive(Clone, Copy, Debug)]
pub struct SolveOptions {
    /// The method of solving.
    pub method: Method,
    /// True to compute the value of every reachable position, not only of this one.
    pub strong: bool,
    /// True to compute the value of every legal move.
    pub all_moves: bool,
    /// True if the players play for the difference of the scores.
    pub margin: bool,
    /// True to count the plies, also by a method that does not need them.
    pub count_plies: bool,
    /// The maximal number of moves of best play to report.
    pub max_line_moves: usize,
    /// For a search: the maximal number of positions of a listed strategy; 0 for no strategy.
    pub max_strategy_positions: usize,
    /// The use of symmetry reduction.
    pub symmetry: SymmetryMode,
}

/// The use of symmetry reduction, which visits one position for each orbit of the symmetries of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SymmetryMode {
    /// Never: a certificate needs all positions.
    Off,
    /// If it pays, and the positions are too many for a certificate in passing.
    #[default]
    Auto,
    /// From the beginning.
    On,
}

impl Default for SolveOptions {
    fn default() -> Self {
        SolveOptions {
            method: Method::default(),
            strong: false,
            all_moves: false,
            margin: false,
            count_plies: false,
            max_line_moves: 1000,
            max_strategy_positions: 0,
            symmetry: SymmetryMode::default(),
        }
    }
}

impl SolveOptions {
    /// Returns the same options with this method.
    pub fn with_method(self, method: Method) -> SolveOptions {
        SolveOptions { method, ..self }
    }
}

/// Solves a position by the method of the options. A fault of the rules is the user's error, reported with a shortest
/// play to it.
pub fn solve(
    game: &Game,
    state: &State,
    options: &SolveOptions,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Solution, Box<FaultyPosition>> {
    let method = options.method;
    if let Some(reason) = payoffs::unsupported_reason(&game.rules) {
        return Ok(Solution::unknown(method.name(), "", reason));
    }
    if method == Method::Grundy {
        return nimber::solve(game, state, limits, progress);
    }
    if method == Method::Partizan {
        return Ok(partizan::solve(game, state, options, limits));
    }
    if method == Method::AlphaBeta {
        return alphabeta::solve(game, state, options, limits, progress);
    }
    if method == Method::Scores {
        return additive_scores::solve(game, state, options, limits, progress);
    }
    if method.is_proof_number() {
        let request = PnSearchRequest::for_method(method, options);
        return proof_number::solve(game, state, &request, limits, progress);
    }
    if method.is_strategy() {
        return Ok(Solution::unknown(method.name(), "", "strategies are found where they can be checked"));
    }
    let until = until(&game.rules, method, options);
    let find = || symmetry_reduction::canonical(game, state, limits);
    let from = match options.symmetry {
        _ if options.margin => None,
        SymmetryMode::Off => None,
        SymmetryMode::Auto => Some(symmetry_reduction::SYMMETRY_MIN_POSITIONS),
        SymmetryMode::On => Some(0),
    };
    let folding = from.map(|from| SymmetryReduction { find: &find, from });
    let scope = EnumerationScope { until, folding: folding.as_ref() };
    let graph = GameGraph::build(game, std::slice::from_ref(state), scope, limits, progress)?;
    progress.phase("labelling positions");
    let (positions, held, mut limit) = (graph.expanded() as u64, graph.held_bytes(), graph.limit());
    let mut solution = match label_graph(game, graph, method, options, limits) {
        Ok(labelled) => build_solution(labelled, state, options),
        Err((chosen, Inapplicable::Reason(reason))) => Solution::unknown(chosen.name(), "", reason),
        Err((chosen, Inapplicable::Limit(hit))) => {
            limit = limit.or(Some(hit));
            Solution { reason: None, ..Solution::unknown(chosen.name(), "", "") }
        }
    };
    solution.positions = positions;
    solution.memory_bytes = held;
    // The value may be known in spite of a limit, though not for each reachable position.
    let unsolved = solution.status != Status::Solved;
    solution.limit = limit.filter(|_| unsolved || (options.strong && solution.tally.is_none()));
    if let Some(hit) = solution.limit {
        solution.reason = Some(match solution.reason.take() {
            Some(reason) => format!("{hit}; {reason}"),
            None => hit.to_string(),
        });
    }
    Ok(solution)
}

/// Returns the condition to stop the enumeration: a single player who only wants to win needs no position past the
/// nearest win.
fn until(rules: &Rules, method: Method, options: &SolveOptions) -> StopCondition {
    let all = options.strong || options.all_moves || options.margin;
    let payoffs = rules.ends.iter().any(|e| matches!(e.outcome, rules::OutcomeExpr::Payoff(_)));
    let chance = rules.moves.iter().any(|m| m.chance);
    let fits = matches!(method, Method::Auto | Method::BreadthFirst) && rules.players().len() == 1;
    if fits && !all && !payoffs && !chance { StopCondition::FirstWin } else { StopCondition::Never }
}

fn build_solution(labelled: LabelledGraph, state: &State, options: &SolveOptions) -> Solution {
    let LabelledGraph { method, reason: why, table, assumed_range: invented, range, open_ply } = labelled;
    let mut solution = Solution::unknown(method.name(), why, "");
    solution.reason = None;
    solution.by_margin = options.margin;
    let table = Arc::new(table);
    if let Some(value) = table.value_at(0) {
        solution.status = Status::Solved;
        solution.value = Some(value);
        solution.remoteness = table.remoteness_at(0);
        solution.margin = if options.margin { table.margin(state) } else { None };
        solution.best_moves = table.best_moves(state);
        solution.line = table.line(state, options.max_line_moves);
    } else {
        let (low, high) = table.bounds_at(0);
        let low = low.or(range.map(|r| r.0)).filter(|v| invented.is_none_or(|i| *v != i.0));
        let high = high.or(range.map(|r| r.1)).filter(|v| invented.is_none_or(|i| *v != i.1));
        let says_more = match range {
            Some(range) => (low, high) != (Some(range.0), Some(range.1)),
            None => low.is_some() || high.is_some(),
        };
        solution.status = if says_more { Status::Bounded } else { Status::Unknown };
        let bounds = Some(Bounds { low, high }).filter(|b| b.low.is_some() || b.high.is_some());
        let lower_is_better = table.stakes().margin == Some(-1);
        solution.bounds = if lower_is_better { bounds.map(Bounds::negated) } else { bounds };
        if method == Method::Interval {
            solution.reason = Some("the value is enclosed, not exact".into());
        }
        if let Some(ply) = open_ply.filter(|_| method == Method::BreadthFirst) {
            solution.reason = Some(format!("there is no win in fewer than {ply} moves"));
        }
    }
    if options.all_moves {
        solution.moves = table.moves(state);
    }
    solution.tally = options.strong.then(|| table.tally()).flatten();
    solution.folded = table.is_up_to_symmetry();
    solution.table = Some(table);
    solution
}
