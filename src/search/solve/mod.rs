//! Solvers, one file an algorithm.
//!
//! *Invariants:* the methods that label a graph use the Position API (`game`), whichever machine runs the rules; the
//! searches and tables without a graph run compiled circuits. No solver depends on the checker. A limit gives bounds
//! or nothing, never a guess. Values, best moves and remoteness do not depend on the number of threads.

pub mod additive_scores;
pub mod alphabeta;
pub mod bounded_win;
pub mod breadth_first;
pub mod certify;
mod components;
pub mod depth_limited;
pub mod dynamic_programming;
mod equilibrium;
mod expected_length;
mod extract;
pub mod graph;
mod graph_labelling;
pub mod histogram;
pub mod information_set_search;
pub mod interval;
pub mod labels;
mod leaf_value;
mod linear_system;
pub mod mcts;
pub mod mixed;
pub mod mtdf;
pub mod nimber;
pub mod orbits;
pub mod partizan;
pub mod payoffs;
pub mod planning;
mod playout;
pub mod policy_iteration;
pub mod positions;
pub mod proof_number;
mod pure_continuations;
pub mod pure_equilibrium;
pub mod ranking_function;
pub mod retrograde;
pub mod several_players;
pub mod solved_graph;
pub mod solver;
pub mod state_enumeration;
mod stationary_equilibria;
pub mod strong;
mod symmetry_reduction;
mod symmetry_state;
pub mod trace;
pub mod transpositions;
mod value;

#[cfg(test)]
mod published_results;
#[cfg(test)]
mod tests;

pub use graph_labelling::{Auto, REQUESTED_REASON};
pub use solver::{Cost, Estimate, ResumableSearch, SolveRequest, Solver};
pub use value::{
    Bounds, ComparedEquilibria, Inapplicable, MoveValue, PlanBounds, Solution, Status, StrategyAnswer,
    StrategyReplies, Value, ValueKind, WrittenMove,
};

/// The options of a solver.
#[derive(Clone, Copy, Debug)]
pub struct SolveOptions {
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
    /// True if one position may also stand for those with exchanged players, for the values alone: where chance acts and
    /// symmetry reduction is in use. A list of all positions with their values then has no meaning.
    pub exchange_players: bool,
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
            strong: false,
            all_moves: false,
            margin: false,
            count_plies: false,
            max_line_moves: 1000,
            max_strategy_positions: 0,
            symmetry: SymmetryMode::default(),
            exchange_players: false,
        }
    }
}
