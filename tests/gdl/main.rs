//! The Game Description Language: sheets become rules that play as the sheets say.
//!
//! The sheets of others lie beside the checkout, in `../shared/gdl` or the folder of `BOUTON_GDL`; tests that read them
//! are skipped, with a message, where they are absent.

mod commands;
mod export;
mod ggp;
mod import;
mod import_cells;
mod mistakes;
mod oracle;
mod own;
mod play;
mod random_sheets;
mod sheets;
mod turns;

use bouton_base::heap::CountingAllocator;

/// Counts the memory of compilation, as in the binary.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Returns true if the slow tests run, too.
fn slow() -> bool {
    std::env::var_os("BOUTON_SLOW").is_some()
}
