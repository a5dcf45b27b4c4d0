//! Breadth-first traversal of positions by the definition, from a start along the moves that a check selects.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::{CheckError, Checked, Checker};
use bouton_base::limits::{LimitHit, bytes_after_growth};
use bouton_reference::{LegalSuccessor, State};
use bouton_rules::ToMove;

/// The visited positions, in the order of their discovery, and the targets of the followed moves.
#[derive(Default)]
pub(super) struct VisitedGraph {
    positions: IndexSet<Box<[u64]>, FxBuildHasher>,
    first: Vec<u32>,
    next: Vec<u32>,
    bytes: u64,
}

/// A position during its visit.
pub(super) struct PositionVisit<'a> {
    pub state: &'a State,
    /// The packed position.
    pub key: &'a [u64],
    pub turn: &'a ToMove,
    /// All legal moves.
    pub moves: &'a [LegalSuccessor],
}

/// The moves that a check follows from a position.
pub(super) enum Follow {
    All,
    /// The move with this index.
    One(usize),
}

/// The approximate memory in bytes of a position in addition to its words.
const ENTRY_BYTES: u64 = 64;

impl VisitedGraph {
    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn key(&self, number: u32) -> &[u64] {
        self.positions.get_index(number as usize).map_or(&[], |key| key)
    }

    /// Returns the targets of the followed moves, in the order of the moves.
    pub(super) fn next(&self, number: u32) -> &[u32] {
        match self.first.get(number as usize..number as usize + 2) {
            Some(ends) => &self.next[ends[0] as usize..ends[1] as usize],
            None => &[],
        }
    }

    fn insert(&mut self, key: &[u64]) -> Checked<u32> {
        let number = self.positions.get_index_of(key).unwrap_or_else(|| {
            self.bytes += 8 * key.len() as u64 + ENTRY_BYTES;
            self.positions.insert_full(key.into()).0
        });
        u32::try_from(number).map_err(|_| CheckError::Limit(LimitHit::Memory))
    }
}

impl Checker<'_> {
    /// Traverses all positions reachable along the moves that `visit` selects; calls `visit` once for each position,
    /// in the order of discovery.
    pub(super) fn visit_positions(
        &mut self,
        start: &State,
        visit: &mut dyn FnMut(&mut Self, &PositionVisit<'_>) -> Checked<Follow>,
    ) -> Checked<VisitedGraph> {
        let mut walk = VisitedGraph { first: vec![0], ..VisitedGraph::default() };
        walk.insert(&self.interpreter.key(start))?;
        let mut at = 0;
        while at < walk.positions.len() {
            if let Some(hit) = self.limits.check_held(walk.bytes + bytes_after_growth(&walk.next, 0)) {
                return Err(CheckError::Limit(hit));
            }
            let state = self.interpreter.unpack(&walk.positions[at]);
            let key = self.interpreter.key(&state);
            let (turn, moves) = self.expand(&state)?;
            let here = PositionVisit { state: &state, key: &key, turn: &turn, moves: &moves };
            let followed = match visit(self, &here)? {
                Follow::All => &moves[..],
                Follow::One(number) => moves.get(number..=number).unwrap_or_default(),
            };
            for (_, after, _) in followed {
                let number = walk.insert(&self.interpreter.key(after))?;
                walk.next.push(number);
            }
            let end = u32::try_from(walk.next.len()).map_err(|_| CheckError::Limit(LimitHit::Memory))?;
            walk.first.push(end);
            at += 1;
        }
        Ok(walk)
    }

    /// Returns the player to act in a position and all legal moves; rejects a position with a fault.
    pub(super) fn expand(&mut self, state: &State) -> Checked<(ToMove, Vec<LegalSuccessor>)> {
        self.visited += 1;
        if self.limits.positions.is_some_and(|most| self.visited > most) {
            return Err(CheckError::Limit(LimitHit::Positions));
        }
        let expanded = self.interpreter.expand(state);
        match self.interpreter.unless_limited(expanded) {
            Err(hit) => Err(CheckError::Limit(hit)),
            Ok(Err(fault)) => self.reject_at(state, format!("the rules have no meaning here ({fault})")),
            Ok(Ok((turn, moves))) if moves.is_empty() && !matches!(turn, ToMove::Terminal(_)) => {
                self.reject_at(state, format!("the game is not over and nobody can move ({turn:?})"))
            }
            Ok(Ok(expanded)) => Ok(expanded),
        }
    }
}
