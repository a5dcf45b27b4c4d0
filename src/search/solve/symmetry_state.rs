//! Symmetry reduction in depth-first searches, and when to use it.
//!
//! Technique: the transposition table stores each position under its canonical form by the symmetries of the rules.
//! To canonicalize a position costs about as much as to visit it, so the search does so only where it pays: in a long
//! search, from the first root position on that some symmetry fixes. Other searches seldom meet images of positions
//! already visited.
//! Source: the mirrored positions of Allis, "A knowledge-based approach of Connect-Four" (1988), for any rules.
//! Invariant: the results of a search do not depend on it, only the duration.

use std::sync::Arc;

use super::{SolveOptions, SymmetryMode, symmetry_reduction};
use crate::game::Game;
use crate::game::canonical::Canonicalizer;
use bouton_base::limits::Limits;

/// The number of positions after which the search looks for symmetries.
pub(super) const SYMMETRY_AFTER_NODES: u64 = 1 << 17;

/// The symmetries of a game, as far as the search knows and uses them.
#[derive(Clone)]
pub(super) enum SymmetryState<'a> {
    /// No symmetry exists, or the options exclude them.
    None,
    /// The search may still look for symmetries of this game.
    Pending(&'a Game),
    /// The search uses these from the first root position on that one of them fixes.
    Available(Arc<Canonicalizer>),
    Active(Arc<Canonicalizer>),
}

impl<'a> SymmetryState<'a> {
    /// Returns the symmetries of a game that the options allow.
    pub fn new(game: &'a Game, options: &SolveOptions, limits: &Limits) -> SymmetryState<'a> {
        match options.symmetry {
            SymmetryMode::Off => SymmetryState::None,
            _ if options.margin => SymmetryState::None,
            SymmetryMode::Auto => SymmetryState::Pending(game),
            SymmetryMode::On => {
                let found = symmetry_reduction::canonical_anywhere(game, limits);
                found.map_or(SymmetryState::None, |found| SymmetryState::Active(Arc::new(found)))
            }
        }
    }

    /// Looks for symmetries, if the search has not done so yet; returns true if this call found some.
    pub fn seek(&mut self, limits: &Limits) -> bool {
        let SymmetryState::Pending(game) = self else { return false };
        let found = symmetry_reduction::canonical_anywhere(game, limits);
        *self = found.map_or(SymmetryState::None, |found| SymmetryState::Available(Arc::new(found)));
        matches!(self, SymmetryState::Available(_))
    }

    /// Starts to use the symmetries if one of them fixes the root position.
    pub fn activate_for(&mut self, asked: &[u64]) {
        if let SymmetryState::Available(found) = self
            && found.is_symmetric(asked)
        {
            *self = SymmetryState::Active(found.clone());
        }
    }

    /// Returns the symmetries in use.
    pub fn active(&self) -> Option<&Canonicalizer> {
        match self {
            SymmetryState::Active(canonical) => Some(canonical),
            _ => None,
        }
    }
}
