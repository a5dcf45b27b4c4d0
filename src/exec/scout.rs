//! What a search asks of a position, all at once: its moves, how each position after them stands, and what the next move
//! could win there.

use super::{Child, Ending, Faulted, Runner, Status};
use crate::circuit::{Block, Circuit, ControlId, GroupId, Position, Stmt};

/// Looks at positions for a search.
pub trait Scout: Send + Sync {
    /// How many words a [`Record`] has.
    fn record(&self) -> usize;

    /// How many words looking at a position of this control may write.
    fn room(&self, control: ControlId) -> usize;

    /// The ends that records name by their place here: the number of each and how many scores it has.
    fn ends(&self) -> &[(u32, usize)];

    /// By lane of a group, in how many ways it could ever complete a win; nothing where that is not known.
    fn ways(&self, _: GroupId) -> &[u32] {
        &[]
    }

    /// Looks at a position: a record for each child, as [`Runner::expand`] has them. `out` has the [room](Self::room).
    fn look(&self, at: (ControlId, &[u64]), out: &mut [u64]) -> Result<Looked, Faulted>;
}

/// What was seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Looked {
    /// Play goes on, with so many children.
    Open(usize),
    /// The game is over.
    Over(Ending),
}

/// A child: its move, the words of the position with the number of its control behind them, how it stands, what is known
/// of the next move, scores.
#[derive(Clone, Copy)]
pub struct Record<'a>(pub &'a [u64]);

/// The hint of a child in which the next to move wins at once.
pub(super) const FALLS: u64 = u64::MAX;

/// The bit of a hint that says that the next to move surely does not win at once.
pub(super) const SAFE: u64 = 1 << 62;

/// What is known of the next move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// The next to move wins at once.
    Wins,
    /// He may or may not, or surely does not (`safe`).
    Plays {
        /// Whether he surely does not win at once.
        safe: bool,
        /// How many moves would win for who has just moved, were it his turn: the more, the better he stands. A number to
        /// choose by, of which nothing follows.
        threats: u32,
    },
}

/// Where the position of a record begins.
pub const POSITION: usize = 1;

/// How many words a record has beside the state and the scores.
pub const HEAD: usize = 4;

impl Record<'_> {
    /// The group and the lane of the move, as in [`Child`].
    pub fn made(self) -> (GroupId, u32) {
        (GroupId((self.0[0] >> 32) as u32), self.0[0] as u32)
    }

    /// The place in [`Scout::ends`] of the end that it is, for a state of so many words; none where the game goes on.
    pub fn end(self, words: usize) -> Option<usize> {
        (self.0[words + 2] as usize).checked_sub(1)
    }

    /// The numbers that belong to the end.
    pub fn scores(self, words: usize) -> impl Iterator<Item = i64> {
        self.0[words + HEAD..].iter().map(|&score| score as i64)
    }

    /// What is known of the next move, for a state of so many words.
    pub fn next(self, words: usize) -> Next {
        match self.0[words + 3] {
            FALLS => Next::Wins,
            hint => Next::Plays { safe: hint & SAFE != 0, threats: hint as u32 },
        }
    }
}

/// How many words a record has.
pub(super) fn record(circuit: &Circuit) -> usize {
    let ends = ends(circuit);
    circuit.layout.words as usize + HEAD + ends.iter().map(|&(_, scores)| scores).max().unwrap_or(0)
}

/// The ends of a circuit with how many scores each has.
pub(super) fn ends(circuit: &Circuit) -> Vec<(u32, usize)> {
    fn collect(block: &Block, found: &mut Vec<(u32, usize)>) {
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

/// Looks by making all children of children. It knows nothing of the next move.
pub(super) struct Plain<R> {
    runner: R,
    ends: Vec<(u32, usize)>,
    record: usize,
}

impl<R: std::ops::Deref<Target: Runner> + Send + Sync> Plain<R> {
    pub fn new(runner: R) -> Plain<R> {
        let (ends, record) = (ends(runner.circuit()), record(runner.circuit()));
        Plain { runner, ends, record }
    }
}

impl<R: std::ops::Deref<Target: Runner> + Send + Sync> Scout for Plain<R> {
    fn record(&self) -> usize {
        self.record
    }

    fn room(&self, control: ControlId) -> usize {
        let circuit = self.runner.circuit();
        (circuit.lanes(&circuit.controls[control]) + 1) * self.record
    }

    fn ends(&self) -> &[(u32, usize)] {
        &self.ends
    }

    fn look(&self, (control, words): (ControlId, &[u64]), out: &mut [u64]) -> Result<Looked, Faulted> {
        let (mut children, mut ignored) = (Vec::new(), Vec::new());
        let at = Position { control, words: words.into() };
        if let Status::Over(ending) = self.runner.expand(&at, &mut children)? {
            return Ok(Looked::Over(ending));
        }
        let size = words.len();
        for (Child { group, lane, position, .. }, record) in
            children.iter().zip(out.chunks_exact_mut(self.record))
        {
            record[0] = u64::from(group.0) << 32 | u64::from(*lane);
            record[POSITION..=size].copy_from_slice(&position.words);
            record[size + 1] = u64::from(position.control.0);
            (record[size + 2], record[size + 3]) = (0, 0);
            ignored.clear();
            // Whoever goes on to a position without meaning will see it.
            if let Ok(Status::Over(Ending { ending, scores })) = self.runner.expand(position, &mut ignored) {
                let place = self.ends.iter().position(|&(end, count)| (end, count) == (ending, scores.len()));
                record[size + 2] = place.map_or(0, |place| place as u64 + 1);
                record[size + HEAD..].iter_mut().zip(scores).for_each(|(word, score)| *word = score as u64);
            }
        }
        Ok(Looked::Open(children.len()))
    }
}
