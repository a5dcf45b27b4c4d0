//! Symmetry reduction in a depth-first search, and when to use it.
//!
//! Technique: the transposition table stores each position under its canonical form by the symmetries of the rules.
//! To canonicalize a position costs about as much as to visit it, so the search does so only where it pays: in a long
//! search, from the first root position on that some symmetry fixes. Other searches seldom meet images of positions
//! already visited.
//! Source: the mirrored positions of Allis, "A knowledge-based approach of Connect-Four" (1988), for any rules.
//! Invariant: the results of a search do not depend on it, only the duration.

use std::sync::Arc;

use crate::base::limits::Limits;
use crate::game::Game;
use crate::game::canonical::Canonical;
use crate::solve::folding;

/// The number of positions after which the search looks for symmetries.
pub(super) const SOUGHT: u64 = 1 << 17;

/// The symmetries of a game, as far as the search knows and uses them.
#[derive(Clone)]
pub(super) enum Symmetries<'a> {
    /// No symmetry exists, or the options exclude them.
    None,
    /// The search may still look for symmetries of this game.
    Sought(&'a Game),
    /// The search uses these from the first root position on that one of them fixes.
    Found(Arc<Canonical>),
    Used(Arc<Canonical>),
}

impl<'a> Symmetries<'a> {
    /// Returns the symmetries of a game, for use from the beginning.
    pub fn of(game: &Game, limits: &Limits) -> Symmetries<'a> {
        let found = folding::canonical_anywhere(game, limits);
        found.map_or(Symmetries::None, |found| Symmetries::Used(Arc::new(found)))
    }

    /// Looks for symmetries, if the search has not done so yet; returns true if this call found some.
    pub fn seek(&mut self, limits: &Limits) -> bool {
        let Symmetries::Sought(game) = self else { return false };
        let found = folding::canonical_anywhere(game, limits);
        *self = found.map_or(Symmetries::None, |found| Symmetries::Found(Arc::new(found)));
        matches!(self, Symmetries::Found(_))
    }

    /// Starts to use the symmetries if one of them fixes the root position.
    pub fn meet(&mut self, asked: &[u64]) {
        if let Symmetries::Found(found) = self
            && found.is_symmetric(asked)
        {
            *self = Symmetries::Used(found.clone());
        }
    }

    /// Returns the symmetries in use.
    pub fn used(&self) -> Option<&Canonical> {
        match self {
            Symmetries::Used(canonical) => Some(canonical),
            _ => None,
        }
    }
}
