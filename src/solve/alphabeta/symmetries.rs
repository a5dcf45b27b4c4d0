//! When a depth-first search looks at positions up to symmetry.
//!
//! Technique: the table holds for each position the one that stands for it under the symmetries of the rules. To find
//! that one costs about as much as to look at a position, so it is done where it pays: in a search that takes long, and
//! from the first position asked about on that a symmetry leaves as it is. Others seldom meet what they stand for.
//! Source: the mirrored positions of Allis, "A knowledge-based approach of Connect-Four" (1988), for any rules.
//! Invariant: what a search finds out does not depend on it, only how long it takes.

use std::sync::Arc;

use crate::base::limits::Limits;
use crate::game::Game;
use crate::game::canonical::Canonical;
use crate::solve::folding;

/// After so many positions, symmetries are worth looking for.
pub(super) const SOUGHT: u64 = 1 << 17;

/// What is known of the symmetries.
#[derive(Clone)]
pub(super) enum Symmetries<'a> {
    /// There are none, or they are not wanted.
    None,
    /// They will be looked for in this game.
    Sought(&'a Game),
    /// They will be used from the first position on that one of them leaves as it is.
    Found(Arc<Canonical>),
    Used(Arc<Canonical>),
}

impl<'a> Symmetries<'a> {
    /// Those of a game, used from the beginning.
    pub fn of(game: &Game, limits: &Limits) -> Symmetries<'a> {
        let found = folding::canonical_anywhere(game, limits);
        found.map_or(Symmetries::None, |found| Symmetries::Used(Arc::new(found)))
    }

    /// Looks for them if that was not done yet; whether there are some now.
    pub fn seek(&mut self, limits: &Limits) -> bool {
        let Symmetries::Sought(game) = self else { return false };
        let found = folding::canonical_anywhere(game, limits);
        *self = found.map_or(Symmetries::None, |found| Symmetries::Found(Arc::new(found)));
        matches!(self, Symmetries::Found(_))
    }

    /// Begins to use them if one of them leaves the position asked about as it is.
    pub fn meet(&mut self, asked: &[u64]) {
        if let Symmetries::Found(found) = self
            && found.is_symmetric(asked)
        {
            *self = Symmetries::Used(found.clone());
        }
    }

    /// Those that are used.
    pub fn used(&self) -> Option<&Canonical> {
        match self {
            Symmetries::Used(canonical) => Some(canonical),
            _ => None,
        }
    }
}
