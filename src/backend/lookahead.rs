//! The one-ply lookahead of a search: all moves of a position, the status of each child, and the wins available to the
//! next move there.

use super::{Child, CircuitEnding, PositionRef, RulesFault, Runner, Status};
use bouton_circuit::{Circuit, ControlId, GroupId, Position, Stmt, StmtBlock};

/// A one-ply lookahead on positions.
pub trait Lookahead: Send + Sync {
    /// Returns the number of words of a [`LookaheadRecord`].
    fn record_words(&self) -> usize;

    /// Returns the maximal number of words that a lookahead in this control writes.
    fn max_output_words(&self, control: ControlId) -> usize;

    /// Returns the table of ends that records index: the number of each end and the number of its scores.
    fn ends(&self) -> &[(u32, usize)];

    /// Returns for each lane of a group the number of winning patterns that it could ever complete; an empty slice if
    /// that is unknown.
    fn completions(&self, _: GroupId) -> &[u32] {
        &[]
    }

    /// Looks ahead from a position: writes a record for each child, in the order of [`Runner::expand`]. `out` has at
    /// least the [`max_output_words`](Self::max_output_words) of the control.
    fn look_ahead(&self, at: PositionRef, out: &mut [u64]) -> Result<LookaheadResult, RulesFault>;
}

/// The result of a lookahead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LookaheadResult {
    /// Play goes on, with this number of children.
    Open(usize),
    Over(CircuitEnding),
}

/// A child as words: the move, the position, the number of its control, the status, a hint about the next move, and
/// scores.
#[derive(Clone, Copy)]
pub struct LookaheadRecord<'a>(pub &'a [u64]);

/// The hint of a child in which the next player wins at once.
pub(super) const REPLY_WINS: u64 = u64::MAX;

/// The bit of a hint that says that the next player provably has no winning move.
pub(super) const NO_WINNING_REPLY: u64 = 1 << 62;

/// The hint about the next move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReplyHint {
    /// The next player wins at once.
    Wins,
    /// The next player may have a winning move, or provably has none (`safe`).
    Plays {
        /// True if the next player provably has no winning move.
        safe: bool,
        /// The number of moves that would win for the player who just moved, if it were that player's turn. A heuristic
        /// for move ordering: more is better, and nothing follows from it.
        threats: u32,
    },
}

/// The index of the first word of the position in a record.
pub const POSITION_WORD: usize = 1;

/// The number of words of a record apart from the state and the scores.
pub const HEADER_WORDS: usize = 4;

impl LookaheadRecord<'_> {
    /// Returns the group and the lane of the move, as in [`Child`].
    pub fn last_move(self) -> (GroupId, u32) {
        (GroupId((self.0[0] >> 32) as u32), self.0[0] as u32)
    }

    /// Returns the index in [`Lookahead::ends`] of the child's end, for a state of `words` words; `None` if the game
    /// goes on.
    pub fn end(self, words: usize) -> Option<usize> {
        (self.0[words + 2] as usize).checked_sub(1)
    }

    /// Returns the scores of the end.
    pub fn scores(self, words: usize) -> impl Iterator<Item = i64> {
        self.0[words + HEADER_WORDS..].iter().map(|&score| score as i64)
    }

    /// Returns the hint about the next move, for a state of `words` words.
    pub fn reply_hint(self, words: usize) -> ReplyHint {
        match self.0[words + 3] {
            REPLY_WINS => ReplyHint::Wins,
            hint => ReplyHint::Plays { safe: hint & NO_WINNING_REPLY != 0, threats: hint as u32 },
        }
    }
}

/// Returns the number of words of a record.
pub(super) fn record(circuit: &Circuit) -> usize {
    let ends = ends(circuit);
    circuit.layout.words as usize + HEADER_WORDS + ends.iter().map(|&(_, scores)| scores).max().unwrap_or(0)
}

/// Returns the distinct ends of a circuit, each with the number of its scores.
pub(super) fn ends(circuit: &Circuit) -> Vec<(u32, usize)> {
    fn collect(block: &StmtBlock, found: &mut Vec<(u32, usize)>) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Over(over) => found.push((over.ending, over.scores.len())),
                Stmt::If(_, yes, no) => [yes, no].into_iter().for_each(|block| collect(block, found)),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    for control in circuit.controls.iter() {
        [&control.before, &control.stuck].into_iter().for_each(|block| collect(block, &mut found));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The generic lookahead: expands all children. It gives no hints about the next move.
pub(super) struct ExpandingLookahead<R> {
    runner: R,
    ends: Vec<(u32, usize)>,
    record: usize,
}

impl<R: std::ops::Deref<Target: Runner> + Send + Sync> ExpandingLookahead<R> {
    pub fn new(runner: R) -> ExpandingLookahead<R> {
        let (ends, record) = (ends(runner.circuit()), record(runner.circuit()));
        ExpandingLookahead { runner, ends, record }
    }
}

impl<R: std::ops::Deref<Target: Runner> + Send + Sync> Lookahead for ExpandingLookahead<R> {
    fn record_words(&self) -> usize {
        self.record
    }

    fn max_output_words(&self, control: ControlId) -> usize {
        let circuit = self.runner.circuit();
        (circuit.max_moves(&circuit.controls[control]) + 1) * self.record
    }

    fn ends(&self) -> &[(u32, usize)] {
        &self.ends
    }

    fn look_ahead(&self, at: PositionRef, out: &mut [u64]) -> Result<LookaheadResult, RulesFault> {
        let (mut children, mut ignored) = (Vec::new(), Vec::new());
        let size = at.words.len();
        let at = Position { control: at.control, words: at.words.into() };
        if let Status::Over(ending) = self.runner.expand(&at, &mut children)? {
            return Ok(LookaheadResult::Over(ending));
        }
        for (Child { group, lane, position, .. }, record) in
            children.iter().zip(out.chunks_exact_mut(self.record))
        {
            record[0] = u64::from(group.0) << 32 | u64::from(*lane);
            record[POSITION_WORD..=size].copy_from_slice(&position.words);
            record[size + 1] = u64::from(position.control.0);
            (record[size + 2], record[size + 3]) = (0, 0);
            ignored.clear();
            // A child that faults counts as open here: a search that goes on to it meets the fault.
            if let Ok(Status::Over(CircuitEnding { ending, scores })) =
                self.runner.expand(position, &mut ignored)
            {
                let place = self.ends.iter().position(|&(end, count)| (end, count) == (ending, scores.len()));
                record[size + 2] = place.map_or(0, |place| place as u64 + 1);
                record[size + HEADER_WORDS..]
                    .iter_mut()
                    .zip(scores)
                    .for_each(|(word, score)| *word = score as u64);
            }
        }
        Ok(LookaheadResult::Open(children.len()))
    }
}
