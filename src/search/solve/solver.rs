//! The interface of all solvers, and the request that each of them takes.
//!
//! A solver is one file, and one line in the registry (`solvers` of the driver), from which the command line, its help
//! and the documents take names and descriptions.

use super::{Inapplicable, Solution, SolveOptions};
use crate::game::explore::FaultyPosition;
use crate::game::{Game, State};
use bouton_base::limits::{Limits, Progress};

/// A position to solve, with the options and limits of its solution.
#[derive(Clone, Copy)]
pub struct SolveRequest<'a> {
    pub game: &'a Game,
    pub state: &'a State,
    pub options: &'a SolveOptions,
    pub limits: &'a Limits,
    /// The receiver of progress reports.
    pub progress: &'a dyn Progress,
}

impl<'a> SolveRequest<'a> {
    /// A request with these parts.
    pub fn new(
        game: &'a Game,
        state: &'a State,
        options: &'a SolveOptions,
        limits: &'a Limits,
        progress: &'a dyn Progress,
    ) -> SolveRequest<'a> {
        SolveRequest { game, state, options, limits, progress }
    }
}

/// States how many moves a win takes at least, if that says anything.
pub(super) fn no_win_in_fewer(moves: u32) -> Option<String> {
    (moves > 1).then(|| format!("there is no win in fewer than {moves} moves"))
}

/// The estimated number of reachable positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    pub positions: f64,
    /// The number of bytes that a labelled graph needs for each of them.
    pub graph_bytes: f64,
}

impl Estimate {
    /// More positions than any solver can visit, where a limit ended the estimate.
    pub const UNKNOWN: Estimate = Estimate { positions: f64::INFINITY, graph_bytes: f64::INFINITY };
}

/// The estimated cost of a solution.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    /// The number of positions to visit.
    pub positions: f64,
    /// The memory in bytes.
    pub bytes: f64,
}

impl Cost {
    /// The cost of a labelled graph of all reachable positions.
    pub fn of_graph(reachable: &Estimate) -> Cost {
        let Estimate { positions, graph_bytes } = *reachable;
        Cost { positions, bytes: positions * graph_bytes }
    }
}

/// A search that can be interrupted and resumed: its table keeps what is known meanwhile.
pub trait ResumableSearch {
    /// Continues the search until it finds the value or has visited about `positions` more positions; `None` in the
    /// latter case. A limit gives a solution with the limit as its reason.
    fn resume(&mut self, positions: u64) -> Result<Option<Solution>, Box<FaultyPosition>>;
}

/// A method of solving.
pub trait Solver: Sync {
    /// The name on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Other names on the command line.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// The description for the help and the documents: one line, without its full stop.
    fn description(&self) -> &'static str;

    /// Returns false if no solution counts plies.
    fn counts_plies(&self) -> bool {
        true
    }

    /// Checks that the solver can solve a position, as far as that shows before the work; the error is the reason why
    /// not, in one sentence.
    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable>;

    /// The estimated cost, by the number of reachable positions; `None` for a solver that visits as few of them as it
    /// can, so that their number says little.
    fn cost(&self, _reachable: &Estimate) -> Option<Cost> {
        None
    }

    /// The reason that reports give when the planner picks the solver; `None` if the solution has its own.
    fn picked_reason(&self) -> Option<&'static str> {
        None
    }

    /// Prepares a search of the position that can be resumed; `None` if the solver has none, or does not apply.
    fn resumable<'a>(&self, _request: &SolveRequest<'a>) -> Option<Box<dyn ResumableSearch + 'a>> {
        None
    }

    /// Solves a position. If the solver does not apply, or a limit is reached, the solution holds the reason. A fault of
    /// the rules is the user's error, reported with a shortest play to it.
    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>>;
}

impl std::fmt::Debug for dyn Solver + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl dyn Solver + '_ {
    /// Returns true if the solver visits all reachable positions, or as many.
    pub fn enumerates(&self) -> bool {
        self.cost(&Estimate::UNKNOWN).is_some()
    }

    /// Returns true if both are the same solver.
    pub fn is(&self, other: &dyn Solver) -> bool {
        self.name() == other.name()
    }
}
