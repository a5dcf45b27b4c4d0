//! Back ends that run circuits: an interpreter and a JIT compiler, behind one trait [`Runner`].
//!
//! *Invariants:* a runner knows no rules, and no layer above depends on the choice of the runner: from one position all
//! give the same children in the same order, the same counts and the same random games. A runner trusts its circuit;
//! the [verifier](bouton_circuit::verify) has checked it.

use std::sync::Arc;

use bouton_base::limits::CancelToken;
use bouton_circuit::{Circuit, ControlId, GroupId, Position};

pub mod bitslice;
pub mod compilation;
// Machine code alone uses the profile.
#[cfg_attr(target_family = "wasm", allow(dead_code))]
mod emptiness;
pub mod interp;
#[cfg(not(target_family = "wasm"))]
#[allow(unsafe_code)]
pub mod jit;
#[cfg(target_family = "wasm")]
#[path = "no_jit.rs"]
pub mod jit;
pub mod lookahead;
// Machine code alone uses the hints.
#[cfg_attr(target_family = "wasm", allow(dead_code))]
mod threats;
pub mod traversal;
pub mod undecided_children;

pub use lookahead::{Lookahead, LookaheadRecord, LookaheadResult};
pub use threats::WinningEnds;
pub use undecided_children::{UndecidedChildren, UndecidedExpansion};

/// The group of a child that a `stuck` block yields.
pub const PASS_GROUP: GroupId = GroupId(u32::MAX);

/// A successor of a position, with the move that leads to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Child {
    /// The group of the move, or [`PASS_GROUP`].
    pub group: GroupId,
    /// The index of the move's bit in the group's set; 0 with [`PASS_GROUP`].
    pub lane: u32,
    /// The position after the move.
    pub position: Position,
    /// The weight of a chance move: its probability is its share of the sum. 1 for other moves.
    pub weight: u64,
}

/// Children in one flat buffer of words, without an allocation for each child.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Children {
    /// The group and the lane of each, as in [`Child`].
    pub moves: Vec<(GroupId, u32)>,
    /// The weight of each, as in [`Child`].
    pub weights: Vec<u64>,
    /// The positions one after another: the words of each, then the number of its control.
    pub words: Vec<u64>,
}

impl Children {
    /// Removes all children; the memory stays.
    pub fn clear(&mut self) {
        let Children { moves, weights, words } = self;
        moves.clear();
        weights.clear();
        words.clear();
    }
}

/// A borrowed position: its control and the words of its state.
#[derive(Clone, Copy, Debug)]
pub struct PositionRef<'a> {
    pub control: ControlId,
    pub words: &'a [u64],
}

impl<'a> PositionRef<'a> {
    /// Borrows a position.
    pub fn of(at: &'a Position) -> PositionRef<'a> {
        PositionRef { control: at.control, words: &at.words }
    }
}

/// The status of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// Play goes on. Without children the mover cannot move although the game is not over.
    Open,
    /// The game is over.
    Over(CircuitEnding),
}

/// The end of a game.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CircuitEnding {
    /// The number that the circuit gives to this end.
    pub ending: u32,
    /// The scores that belong to it.
    pub scores: Vec<i64>,
}

impl CircuitEnding {
    /// Returns true if the two are equal. It is faster than `==` in hot loops: comparing empty slices makes some
    /// processors wait long for memory that is not there.
    #[inline]
    pub fn equals(&self, other: &CircuitEnding) -> bool {
        self.ending == other.ending && self.scores.iter().eq(&other.scores)
    }
}

/// The error of a `Fault` that held: the rules have no meaning here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the rules have no meaning in this position")]
pub struct RulesFault;

/// The unit of depth in counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CountUnit {
    /// Every move is a ply.
    Move,
    /// A turn is a ply: all moves until the mover changes or the game is over. The field is the number of moves that
    /// the first turn has had already.
    Turn(u32),
}

impl CountUnit {
    /// Returns true if a ply is a turn.
    pub fn by_turn(self) -> bool {
        self != CountUnit::Move
    }

    /// Returns the number of moves that the first turn has had.
    pub fn moves_begun(self) -> u32 {
        match self {
            CountUnit::Move => 0,
            CountUnit::Turn(moves) => moves,
        }
    }
}

/// The result of perft (performance test): the number of move sequences of a given length.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Perft {
    /// The sequences, wrapping.
    pub leaves: u64,
    /// The sum of the [checksums](traversal::checksum) of their last positions, wrapping.
    pub checksum: u64,
    /// True if the mover was stuck in some position although the game was not over.
    pub stuck: bool,
}

/// The maximal number of moves in a turn. A longer turn counts as infinite, and counting by turns then faults, as if
/// the rules had no meaning.
pub const MAX_TURN_MOVES: u32 = 500;

/// The statistics of random games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Playouts {
    /// The positions reached, one for each move made.
    pub states: u64,
    /// The sum of the [checksums](traversal::checksum) of the last positions, wrapping.
    pub checksum: u64,
    /// The number of games that reached the limit of moves.
    pub unfinished: u64,
}

/// A back end that runs one circuit.
pub trait Runner: Send + Sync {
    fn circuit(&self) -> &Circuit;

    /// Generates the children: if the game is not over, appends them in the order of groups and lanes, and last the one
    /// that `stuck` yields.
    fn expand(&self, at: &Position, children: &mut Vec<Child>) -> Result<Status, RulesFault>;

    /// Does the same as [`expand`](Self::expand) without an allocation for each child.
    fn children(&self, at: &Position, children: &mut Children) -> Result<Status, RulesFault> {
        let mut made = Vec::new();
        let status = self.expand(at, &mut made)?;
        for Child { group, lane, position, weight } in made {
            children.moves.push((group, lane));
            children.weights.push(weight);
            children.words.extend_from_slice(&position.words);
            children.words.push(u64::from(position.control.0));
        }
        Ok(status)
    }

    /// Returns the control that each site leads to. A site is the number in the first word of a
    /// [record](Self::records).
    fn sites(&self) -> Vec<ControlId> {
        self.circuit().controls.ids().collect()
    }

    /// Does the same as [`children`](Self::children) in the fastest form: appends a record for each child. Its first
    /// word has the number of its [site](Self::sites) in the lower half; the upper half is unspecified. The words of
    /// the position follow.
    fn records(&self, at: PositionRef, records: &mut Vec<u64>) -> Result<Status, RulesFault> {
        let mut made = Vec::new();
        let status = self.expand(&Position { control: at.control, words: at.words.into() }, &mut made)?;
        for Child { position, .. } in made {
            records.push(u64::from(position.control.0));
            records.extend_from_slice(&position.words);
        }
        Ok(status)
    }

    /// Returns a lookahead for searches. `best[control][end]` is true if that end is the best possible result for the
    /// player who acts in that control.
    fn lookahead(&self, best: &WinningEnds) -> Arc<dyn Lookahead + '_>;

    /// Returns a generator of undecided children. `wins[control][end]` is true if the player who acts in that control
    /// wins by that end.
    fn undecided_children(&self, wins: &WinningEnds) -> Arc<dyn UndecidedChildren + '_>;

    /// Counts the sequences of `depth` plies (perft). A game that ends earlier gives no sequence. The last positions
    /// are not expanded, except to test whether a turn is over. Returns `None` if stopped.
    fn perft(
        &self,
        at: &Position,
        depth: u32,
        ply: CountUnit,
        stop: &CancelToken,
    ) -> Result<Option<Perft>, RulesFault> {
        let request = traversal::PerftRequest { at, depth, ply };
        traversal::perft(self.circuit(), request, stop, |at, children| self.expand(at, children))
    }

    /// Counts like [`perft`](Self::perft) without the checksum, so a runner need not build the last positions.
    fn count(
        &self,
        at: &Position,
        depth: u32,
        ply: CountUnit,
        stop: &CancelToken,
    ) -> Result<Option<Perft>, RulesFault> {
        let perft = self.perft(at, depth, ply, stop)?;
        Ok(perft.map(|perft| Perft { checksum: 0, ..perft }))
    }

    /// Plays random games until they are over, the mover cannot move, or `longest` moves were made. Returns `None` if
    /// stopped.
    ///
    /// All games share [one generator](traversal::Xorshift), and every draw takes its next number. A move is chosen as
    /// follows:
    /// 1. A lane is drawn among the lanes of the sets of all groups, in their order. A lane whose body does not yield
    ///    is removed and another drawn. The first that yields is the move.
    /// 2. A lane of a group that is a pass is the move only if a lane of another group yields as well (tested without
    ///    drawing). If none does, and also if no lane is left, the mover is stuck: `stuck` runs, and if the game is not
    ///    over, a child is drawn among those that [`expand`](Self::expand) gives.
    /// 3. An `Over` that holds `unless_stuck` ends the game without a draw if a lane of a group that is no pass yields;
    ///    if none does, the mover is stuck as in 2.
    ///
    /// Therefore all legal moves have equal probability, and a body runs only for a drawn lane. For a chance move, a
    /// number is drawn [wide](traversal::Xorshift::below_u64) below the sum of the weights of the children that
    /// [`expand`](Self::expand) gives; the move is the first child whose cumulative weight exceeds that number.
    fn playouts(
        &self,
        at: &Position,
        games: u64,
        seed: u64,
        longest: u32,
        stop: &CancelToken,
    ) -> Result<Option<Playouts>, RulesFault>;
}
