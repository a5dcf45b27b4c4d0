//! Floor 7: passes over circuits, one a file: each gives a circuit that plays the same games in less time.
//!
//! *Invariant:* a pass knows circuits and no rules. It may change the order of moves (who names them puts them in
//! order), and which values are computed, but never what a position leads to.

use crate::circuit::draft::Draft;

mod columns;
mod constants;
mod doubling;
mod facts;
mod lazy;
mod rewrite;
mod settled;

/// A pass.
pub struct Pass {
    /// Its name for `--skip-pass`.
    pub name: &'static str,
    run: fn(&mut Draft),
}

/// The passes in the order they run.
pub const PASSES: &[Pass] = &[
    Pass { name: "constants", run: constants::run },
    Pass { name: "facts", run: facts::run },
    Pass { name: "columns", run: columns::run },
    Pass { name: "doubling", run: doubling::run },
    Pass { name: "settled", run: settled::run },
    Pass { name: "lazy", run: lazy::run },
];

/// Runs the passes but those named.
pub fn optimise(draft: &mut Draft, skipped: &[String]) {
    for pass in PASSES.iter().filter(|pass| !skipped.iter().any(|name| name == pass.name)) {
        (pass.run)(draft);
    }
}
