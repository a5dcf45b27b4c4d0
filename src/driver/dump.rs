//! What the stages behind the rules make of them, as text.

use std::sync::Arc;

use crate::base::limits::Limits;
use crate::circuit::{draw, print};
use crate::exec::jit::{Jit, Options};
use crate::game::Game;
use crate::lower::lower_within;
use crate::opt::optimise;

use super::load::Text;

/// A stage behind the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// How a state lies in words.
    Layout,
    /// The circuit.
    Circuit,
    /// The functions that give the children of positions, in Cranelift's words.
    Clif,
    /// The same in the processor's.
    Asm,
}

/// The stage as text; or a sentence on why there is none.
pub fn dump(text: &Text, game: &Game, stage: Stage, limits: &Limits) -> Result<String, String> {
    let lowered = lower_within(&game.rules, &|draft| optimise(draft, &[]), limits).map_err(|why| {
        let source = text.sources.get(why.span.file);
        let line = source.place(why.span.start).line;
        format!("{} has no circuit: {} ({}:{line})", game.rules.name, why.what, source.name)
    })?;
    match stage {
        Stage::Layout => return Ok(draw::draw(&lowered.circuit.layout)),
        Stage::Circuit => return Ok(print::print(&lowered.circuit)),
        Stage::Clif | Stage::Asm => {}
    }
    let options = Options { listing: true, ..Options::default() };
    let jit = Jit::new(Arc::new(lowered.circuit), options).map_err(|why| why.to_string())?;
    let listing = jit.listing();
    Ok(if stage == Stage::Clif { listing.clif } else { listing.asm })
}
