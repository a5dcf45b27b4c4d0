//! Floor 8: what runs circuits: an interpreter and machine code, behind one [`Runner`].
//!
//! *Invariants:* a runner knows no rules, and nobody above knows which runner runs: from one position all give the same
//! children in the same order, the same counts and the same random games. A runner trusts its circuit, which the
//! [verifier](crate::circuit::verify) has seen.

use std::sync::Arc;

use crate::base::limits::Stop;
use crate::circuit::{Circuit, ControlId, GroupId, Position};

pub mod interp;
#[allow(unsafe_code)]
pub mod jit;
pub mod scout;
pub mod sieve;
pub mod sliced;
mod threats;
pub mod walk;

pub use scout::{Looked, Record, Scout};
pub use sieve::{Sieve, Sifted};
pub use threats::Best;

/// Stands as the group of a child that a `stuck` block yields.
pub const PASS: GroupId = GroupId(u32::MAX);

/// A position after a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Child {
    /// The group of the move, or [`PASS`].
    pub group: GroupId,
    /// The place of the move's bit in the group's set; 0 with [`PASS`].
    pub lane: u32,
    /// Where it leads.
    pub position: Position,
    /// Of a move of chance its weight: it is as likely as its share of the sum. 1 of others.
    pub weight: u64,
}

/// Children in one run of words, for who makes many of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Children {
    /// The group and the lane of each, as in [`Child`].
    pub moves: Vec<(GroupId, u32)>,
    /// The positions one after another: the words of each and, behind them, the number of its control.
    pub words: Vec<u64>,
}

/// How a position stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// Play goes on. Without children nobody can move though the game is not over.
    Open,
    /// The game is over.
    Over(Ending),
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ending {
    /// The number that the circuit gives to this end.
    pub ending: u32,
    /// The numbers that belong to it.
    pub scores: Vec<i64>,
}

impl Ending {
    /// Whether it is the other, for who compares many: of slices without entries, some processors wait long for memory
    /// that is not there.
    #[inline]
    pub fn is(&self, other: &Ending) -> bool {
        self.ending == other.ending && self.scores.iter().eq(&other.scores)
    }
}

/// A `Fault` held: the rules have no meaning here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the rules have no meaning in this position")]
pub struct Faulted;

/// What is counted as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ply {
    /// Every move.
    Move,
    /// A turn: all moves until the mover changes or the game is over. The first turn has had so many moves already.
    Turn(u32),
}

impl Ply {
    /// Whether it is a turn.
    pub fn by_turn(self) -> bool {
        self != Ply::Move
    }

    /// How many moves the first turn has had.
    pub fn begun(self) -> u32 {
        match self {
            Ply::Move => 0,
            Ply::Turn(moves) => moves,
        }
    }
}

/// How many sequences of moves there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Perft {
    /// The sequences, wrapping.
    pub leaves: u64,
    /// The [checksums](walk::checksum) of their last positions added, wrapping.
    pub checksum: u64,
    /// Whether there was a position in which nobody could move though the game was not over.
    pub stuck: bool,
}

/// A turn of more moves than this is taken for one without end: counting turns gives up, as where the rules have no
/// meaning.
pub const LONGEST_TURN: u32 = 500;

/// What random games met.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Playouts {
    /// The positions reached, one for each move made.
    pub states: u64,
    /// The [checksums](walk::checksum) of the last positions added, wrapping.
    pub checksum: u64,
    /// The games that were given up because they took too long.
    pub unfinished: u64,
}

/// Runs one circuit.
pub trait Runner: Send + Sync {
    /// What it runs.
    fn circuit(&self) -> &Circuit;

    /// Whether the game is over; if it is not, appends the children in the order of groups and lanes, and last the
    /// one that `stuck` yields.
    fn expand(&self, at: &Position, children: &mut Vec<Child>) -> Result<Status, Faulted>;

    /// [`expand`](Self::expand) without a piece of memory for each child.
    fn children(&self, at: &Position, children: &mut Children) -> Result<Status, Faulted> {
        let mut made = Vec::new();
        let status = self.expand(at, &mut made)?;
        for Child { group, lane, position, .. } in made {
            children.moves.push((group, lane));
            children.words.extend_from_slice(&position.words);
            children.words.push(u64::from(position.control.0));
        }
        Ok(status)
    }

    /// The control that each site leads to: a site is what the first word of a [record](Self::records) names.
    fn sites(&self) -> Vec<ControlId> {
        self.circuit().controls.ids().collect()
    }

    /// The [`children`](Self::children) for who takes in more of them than anything else: appends a record for each. Its
    /// first word has the number of its [site](Self::sites) in the lower half, and in the upper half whatever else the
    /// runner has there; behind it are the words of the position.
    fn records(&self, at: (ControlId, &[u64]), records: &mut Vec<u64>) -> Result<Status, Faulted> {
        let mut made = Vec::new();
        let status = self.expand(&Position { control: at.0, words: at.1.into() }, &mut made)?;
        for Child { position, .. } in made {
            records.push(u64::from(position.control.0));
            records.extend_from_slice(&position.words);
        }
        Ok(status)
    }

    /// What looks at positions for a search. `best` says, by control and number of an end, whether that end is the best
    /// that can happen to who acts there.
    fn scout(&self, best: &Best) -> Arc<dyn Scout + '_>;

    /// What leaves out moves whose outcome is seen at once. `wins` says, by control and number of an end, whether who acts
    /// there wins by that end.
    fn sieve(&self, wins: &Best) -> Arc<dyn Sieve + '_>;

    /// Counts the sequences of so many plies. What ends earlier is no sequence; the last positions are not looked at,
    /// but to see whether a turn is over. `None` if stopped.
    fn perft(&self, at: &Position, depth: u32, ply: Ply, stop: &Stop) -> Result<Option<Perft>, Faulted> {
        walk::perft(self.circuit(), (at, depth, ply), stop, |at, children| self.expand(at, children))
    }

    /// [`perft`](Self::perft) without the checksum: a runner need not make the last positions.
    fn count(&self, at: &Position, depth: u32, ply: Ply, stop: &Stop) -> Result<Option<Perft>, Faulted> {
        let perft = self.perft(at, depth, ply, stop)?;
        Ok(perft.map(|perft| Perft { checksum: 0, ..perft }))
    }

    /// Plays games at random until they are over, nobody can move, or `longest` moves were made. `None` if stopped.
    ///
    /// A move is chosen so, with [one generator](walk::Xorshift) for all games that is asked at every draw:
    /// 1. One draws among the lanes of the sets of all groups, in their order. A lane whose body does not yield is
    ///    taken out and another drawn. The first that yields is the move.
    /// 2. A lane of a group that is a pass is the move only if a lane of another group yields, too (found without
    ///    drawing). If none does, and also if no lane is left, the mover is stuck: `stuck` runs, and if the game is
    ///    not over, one draws anew, now among the children that [`expand`](Self::expand) gives.
    /// 3. An `Over` that holds `unless_stuck` ends the game without a draw if a lane of a group that is no pass yields;
    ///    if none does, the mover is stuck as in 2.
    ///
    /// So each legal move is as likely, and a body runs only for a lane that is drawn. Where chance acts, one draws
    /// [wide](walk::Xorshift::wide) below the sum of the weights of the children that [`expand`](Self::expand) gives:
    /// it is the first up to which the weights add up to more.
    fn playouts(
        &self,
        at: &Position,
        games: u64,
        seed: u64,
        longest: u32,
        stop: &Stop,
    ) -> Result<Option<Playouts>, Faulted>;
}
