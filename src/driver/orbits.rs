//! Positions up to symmetry, where counting them costs no more than a few seconds.

use crate::base::cancel;
use crate::base::limits::{Limits, Progress};
use crate::detect::orbits;
use crate::detect::symmetry::symmetries;
use crate::game::Game;
use crate::ground::ground;

/// No more images of positions are made.
const MOST_IMAGES: u128 = 10_000_000;

/// How many of so many positions there are up to symmetry; none where that is not known, or would take too long.
pub fn orbits(game: &Game, positions: u64, limits: &Limits, progress: &dyn Progress) -> Option<u64> {
    if u128::from(positions) > MOST_IMAGES {
        return None;
    }
    let ground = ground(&game.rules, limits).ok()?;
    let group = cancel::run_within(limits, || symmetries(&ground)).ok()?;
    if group.generators.is_empty() {
        return group.complete.then_some(positions);
    }
    group.order.filter(|order| order * u128::from(positions) <= MOST_IMAGES)?;
    orbits::count(game, &ground, &group, limits, progress).ok()?
}
