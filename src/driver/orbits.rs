//! Counts positions up to symmetry, if that takes no more than a few seconds.

use bouton_base::cancel;
use bouton_base::limits::{Limits, Progress};
use bouton_detect::symmetry::symmetries;
use bouton_grounding::ground;
use bouton_search::game::Game;
use bouton_search::solve::orbits;

/// The maximal number of images of positions to compute.
const MAX_IMAGES: u128 = 10_000_000;

/// The number of orbits of so many positions under the symmetry group; `None` if it is unknown or would take too long.
pub fn count_orbits(game: &Game, positions: u64, limits: &Limits, progress: &dyn Progress) -> Option<u64> {
    if u128::from(positions) > MAX_IMAGES {
        return None;
    }
    let ground = ground(&game.rules, limits).ok()?;
    let group = cancel::run_within(limits, || symmetries(&ground)).ok()?;
    if group.generators.is_empty() {
        return group.complete.then_some(positions);
    }
    let images = group.order?.checked_mul(u128::from(positions))?;
    if images > MAX_IMAGES {
        return None;
    }
    orbits::count_orbits(game, &ground, &group, limits, progress).ok()?
}
