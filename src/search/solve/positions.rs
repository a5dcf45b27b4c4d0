//! All positions of a labelled graph as arrays, for programs that go through millions of them.

use bouton_base::rational::Rational;

use super::graph::GraphNode;
use super::solved_graph::SolvedGraph;

/// All positions that play reaches, as arrays with an element for each position, in the order of discovery: the first
/// is the position that was solved.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Positions {
    /// The number of words of a position.
    pub words: usize,
    /// The words of all positions, one position after the other.
    pub states: Vec<u64>,
    /// The player to move by his number from 0, or [`OVER`](Self::OVER), [`CHANCE`](Self::CHANCE),
    /// [`EVERYBODY`](Self::EVERYBODY), [`UNEXPANDED`](Self::UNEXPANDED).
    pub to_move: Vec<i8>,
    /// The first player's payoff under perfect play, to the nearest number in floating point; NaN if it is not known.
    pub values: Vec<f64>,
    /// The plies to the end under perfect play; -1 if they are not counted, as for draws and payoffs.
    pub remoteness: Vec<i32>,
    /// The moves of the position `i` are those from `starts[i]` to `starts[i + 1]`; one element more than positions.
    pub starts: Vec<u64>,
    /// The positions after the moves, by their indices; moves are in the order of the position's list of legal moves.
    pub moves: Vec<u32>,
    /// True if each position stands for all that are symmetric to it.
    pub up_to_symmetry: bool,
}

impl Positions {
    /// In `to_move`: the game is over.
    pub const OVER: i8 = -1;
    /// In `to_move`: chance moves.
    pub const CHANCE: i8 = -2;
    /// In `to_move`: all players move at once.
    pub const EVERYBODY: i8 = -3;
    /// In `to_move`: a limit was reached before the moves of the position were listed.
    pub const UNEXPANDED: i8 = -4;
}

impl SolvedGraph {
    /// Returns all positions as arrays.
    pub fn positions_as_arrays(&self) -> Positions {
        let graph = self.graph();
        let count = self.len();
        let words = graph.explored.arena.words(0).len();
        let mut all = Positions { words, up_to_symmetry: self.is_up_to_symmetry(), ..Positions::default() };
        all.states.reserve_exact(count * words);
        all.moves.reserve_exact(graph.edges());
        all.starts.reserve_exact(count + 1);
        all.starts.push(0);
        for index in 0..count as u32 {
            all.states.extend_from_slice(graph.explored.arena.words(index));
            all.moves.extend_from_slice(graph.successors(index));
            all.starts.push(all.moves.len() as u64);
        }
        let to_move = |index| match graph.node(index) {
            GraphNode::Over(_) => Positions::OVER,
            GraphNode::Player(player) => player as i8,
            GraphNode::Each => Positions::EVERYBODY,
            GraphNode::Chance => Positions::CHANCE,
            GraphNode::Open => Positions::UNEXPANDED,
        };
        all.to_move = (0..count as u32).map(to_move).collect();
        let value = |index| match self.number(index) {
            Some(value) => value.to_f64(),
            // A single player who can reach no end.
            None => self
                .value_at(index)
                .and_then(|of| of.payoffs.first().map(Rational::to_f64))
                .unwrap_or(f64::NAN),
        };
        all.values = (0..count as u32).map(value).collect();
        let plies = |index| self.remoteness_at(index).map_or(-1, |plies| plies as i32);
        all.remoteness = (0..count as u32).map(plies).collect();
        all
    }
}
