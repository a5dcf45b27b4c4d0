//! Floor 12: solvers, one file an algorithm, all on the Position API.
//!
//! *Invariants:* solvers do not know which machine runs the rules, nor who checks what they find. A limit gives
//! bounds or nothing, never a guess. Values, best moves and remoteness do not depend on the number of threads.

pub mod ahead;
pub mod alphabeta;
pub mod certify;
mod choice;
mod folding;
pub mod graph;
pub mod interval;
pub mod labelling;
pub mod labels;
pub mod mcts;
pub mod measure;
pub mod nimber;
pub mod partizan;
mod playout;
pub mod proof_number;
pub mod retrograde;
pub mod scores;
pub mod stakes;
pub mod strong;
pub mod table;
pub mod tally;
mod telling;
pub mod trace;
pub mod transpositions;
pub mod universe;
mod value;
mod worth;

#[cfg(test)]
mod oracles;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::base::limits::{Limits, Progress};
use crate::game::explore::{Broken, Folding};
use crate::game::{Game, State};
use crate::rules::{self, Rules};
use choice::{Labelled, label};
use graph::{Graph, Until};
use stakes::Unsettled;
pub use value::{Answered, Bounds, Made, MoveValue, Replies, Solution, Status, Value, ValueKind};

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
    /// Bounds of means that close in on the value.
    Interval,
    /// The fewest moves of one player.
    BreadthFirst,
    /// Grundy values.
    Grundy,
    /// Values of partizan games.
    Partizan,
    /// Depth first, with a table of transpositions.
    AlphaBeta,
    /// Proof numbers, depth first.
    Dfpn,
    /// The same, which begin with what the rules guess.
    DfpnPlus,
    /// Proof numbers, depth first, in passes that rest less and less on what the rules guess.
    Widening,
    /// Proof numbers, depth first with thresholds of both.
    Pds,
    /// Proof numbers, depth first with thresholds of one.
    PnStar,
    /// Proof numbers, best first.
    Pns,
    /// Proof numbers, best first in two levels.
    Pn2,
    /// Proof numbers, depth first, of the first few moves that are not refuted.
    Focused,
    /// Proof numbers, depth first, and attacks by threats.
    Lambda,
    /// The same, where who attacks also answers threats.
    DualLambda,
    /// One table of what is still to be scored, without the scores so far.
    Scores,
    /// Reading a row of cells.
    Automaton,
    /// Answering with mirror images.
    Symmetry,
    /// Answering within pairs of cells.
    Pairing,
    /// Keeping the nim sum of independent parts at 0.
    Nim,
    /// Adding up what games are worth that are played side by side.
    Product,
    /// What stays even or odd whatever is played.
    Parity,
    /// That a first move wins, without which.
    Steal,
}

impl Method {
    /// Every method.
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

    /// Its name on the command line and in reports.
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

    /// Whether it looks for a strategy that can be remembered, which the checker then accepts or not: then it is not for
    /// [`solve`], which does not know who checks.
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

    /// Whether it solves without listing positions, and forgets all but their values.
    pub fn is_search(self) -> bool {
        matches!(self, Method::AlphaBeta | Method::Scores) || self.is_proof_number()
    }

    /// Whether it searches by proof numbers, which tell nothing of plies.
    pub fn is_proof_number(self) -> bool {
        use Method::{Dfpn, DfpnPlus, DualLambda, Focused, Lambda, Pds, Pn2, PnStar, Pns, Widening};
        matches!(self, Dfpn | DfpnPlus | Widening | Pds | PnStar | Pns | Pn2 | Focused | Lambda | DualLambda)
    }

    /// The method of that name.
    pub fn named(name: &str) -> Option<Method> {
        // Negamax is how alpha-beta is written where players take turns.
        let name = if name == "negamax" { Method::AlphaBeta.name() } else { name };
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
    /// In how many plies, also by a method that would not have to know.
    pub distance: bool,
    /// How many moves of best play to tell.
    pub line: usize,
    /// Of a search: how many positions a strategy may have that is listed; 0: none is wanted.
    pub replies: usize,
    /// When positions are looked at up to symmetry.
    pub symmetry: Symmetry,
}

/// When an enumeration takes positions together that a symmetry of the game takes to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Symmetry {
    /// Never: a certificate needs all positions.
    Off,
    /// Where it pays, and the positions are too many for a certificate that nobody asks for.
    #[default]
    Pays,
    /// From the beginning.
    On,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            strong: false,
            all_moves: false,
            margin: false,
            distance: false,
            line: 1000,
            replies: 0,
            symmetry: Symmetry::default(),
        }
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
        return nimber::solve(game, state, limits, progress);
    }
    if method == Method::Partizan {
        return Ok(partizan::solve(game, state, options, limits));
    }
    if method == Method::AlphaBeta {
        return alphabeta::solve(game, state, false, options, limits, progress);
    }
    if method == Method::Scores {
        return scores::solve(game, state, false, options, limits, progress);
    }
    if method.is_proof_number() {
        let tuned = (method, proof_number::Tuning::of(method), true);
        return proof_number::solve(game, state, tuned, options, limits, progress);
    }
    if method.is_strategy() {
        return Ok(Solution::unknown(method.name(), "", "strategies are found where they can be checked"));
    }
    let until = until(&game.rules, method, options);
    let find = || folding::canonical(game, state, limits);
    let from = match options.symmetry {
        _ if options.margin => None,
        Symmetry::Off => None,
        Symmetry::Pays => Some(folding::MANY),
        Symmetry::On => Some(0),
    };
    let folding = from.map(|from| Folding { find: &find, from });
    let graph = Graph::build(game, std::slice::from_ref(state), until, limits, progress, folding.as_ref())?;
    progress.phase("labelling positions");
    let (positions, held, mut limit) = (graph.expanded() as u64, graph.held_bytes(), graph.limit());
    let mut solution = match label(game, graph, method, options, limits) {
        Ok(labelled) => tell(labelled, state, options),
        Err((chosen, Unsettled::Reason(reason))) => Solution::unknown(chosen.name(), "", reason),
        Err((chosen, Unsettled::Limit(hit))) => {
            limit = limit.or(Some(hit));
            Solution { reason: None, ..Solution::unknown(chosen.name(), "", "") }
        }
    };
    solution.positions = positions;
    solution.memory_bytes = held;
    // What a limit cut off may have a value all the same, though not each position that can be reached from it.
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

/// One player who only wants to win needs no position past the nearest win.
fn until(rules: &Rules, method: Method, options: &Options) -> Until {
    let all = options.strong || options.all_moves || options.margin;
    let payoffs = rules.ends.iter().any(|e| matches!(e.outcome, rules::Outcome::Payoff(_)));
    let chance = rules.moves.iter().any(|m| m.chance);
    let fits = matches!(method, Method::Auto | Method::BreadthFirst) && rules.players().len() == 1;
    if fits && !all && !payoffs && !chance { Until::FirstWin } else { Until::Everything }
}

fn tell(labelled: Labelled, state: &State, options: &Options) -> Solution {
    let Labelled { method, why, table, invented, range, open_ply } = labelled;
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
