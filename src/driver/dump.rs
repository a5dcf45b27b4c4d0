//! Prints the output of each compilation stage behind the rules as text.

use std::sync::Arc;

use super::load::DriverError;
use bouton_backend::jit::{Jit, JitOptions};
use bouton_base::cancel;
use bouton_base::limits::Limits;
use bouton_circuit::{draw, print};
use bouton_detect::decomposition::{NotApplicable, ONE_GAME, factorize};
use bouton_detect::symmetry::symmetries;
use bouton_grounding::{GroundingError, ground};
use bouton_lower::{self as lower, lower_with};
use bouton_search::game::{Game, circuit_of};
use bouton_search::solve::orbits;

use super::load::GameSource;

/// A stage of compilation or analysis that can be printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompilationStage {
    /// The layout of a state in words.
    Layout,
    /// The circuit as lowered from the rules, before the optimiser.
    Circuit,
    /// The circuit after the passes of the optimiser.
    CircuitOpt,
    /// The functions that generate the children of positions, as Cranelift IR.
    Clif,
    /// The same functions in the assembly language of the host.
    Asm,
    /// The symmetries of the rules.
    Symmetry,
    /// The components that the first position decomposes into.
    Sum,
}

/// Returns the stage as text, or a sentence that says why there is none.
pub fn dump(
    text: &GameSource,
    game: &Game,
    stage: CompilationStage,
    limits: &Limits,
) -> Result<String, DriverError> {
    // A limit is not a usage error.
    let refused = |why: String| match limits.check() {
        Some(_) => DriverError::Limit(why),
        None => DriverError::Usage(why),
    };
    match stage {
        CompilationStage::Symmetry => return symmetry(game, limits).map_err(refused),
        CompilationStage::Sum => return components(game, limits).map_err(refused),
        _ => {}
    }
    let lowered = match stage {
        CompilationStage::Circuit => lower_with(&game.rules, lower::LowerOptions::default(), limits, &|_| {}),
        _ => circuit_of(&game.rules, &text.skipped_passes, limits),
    };
    let lowered = lowered.map_err(|why| {
        let place = text.sources.location(why.span).map(|place| format!(" ({place})"));
        let place = place.unwrap_or_default();
        let words = format!("{} has no circuit: {}{place}", game.rules.name, why.what);
        if why.limit.is_some() { DriverError::Limit(words) } else { DriverError::Usage(words) }
    })?;
    match stage {
        CompilationStage::Layout => return Ok(draw::draw(&lowered.circuit.layout)),
        CompilationStage::Circuit | CompilationStage::CircuitOpt => {
            return Ok(print::print(&lowered.circuit));
        }
        CompilationStage::Clif
        | CompilationStage::Asm
        | CompilationStage::Symmetry
        | CompilationStage::Sum => {}
    }
    let options = JitOptions { listing: true, ..JitOptions::default() };
    let circuit = Arc::new(lowered.circuit);
    let listing = cancel::run_apart(limits, || Jit::new(circuit, options).map(|jit| jit.listing()));
    let listing = listing
        .map_err(|hit| DriverError::Limit(format!("there is no machine code: {hit}")))?
        .map_err(|why| DriverError::Usage(why.to_string()))?;
    Ok(if stage == CompilationStage::Clif { listing.clif } else { listing.asm })
}

/// The symmetry group of a game: its order and a set of generators.
fn symmetry(game: &Game, limits: &Limits) -> Result<String, String> {
    let refused =
        |why: GroundingError| format!("cannot search for the symmetries of {}: {why}", game.rules.name);
    let ground = ground(&game.rules, limits).map_err(refused)?;
    let cut = |hit| format!("the symmetries of {} are not found: {hit}", game.rules.name);
    let group = cancel::run_within(limits, || symmetries(&ground)).map_err(cut)?;
    let order = group.order.map_or("too large to print".into(), |order| order.to_string());
    let mut shown = format!("order {order}\n");
    if !group.complete {
        shown.push_str("there may be more: the search was cut short\n");
    }
    for generator in &group.generators {
        shown.push_str(&format!("  {}\n", orbits::show(&ground, generator)));
    }
    Ok(shown)
}

/// The components of the decomposition of the first position, each of which every move reads and changes independently;
/// and the number of moves that touch several of them.
fn components(game: &Game, limits: &Limits) -> Result<String, String> {
    let refused = |why: String| format!("cannot search for the components of {}: {why}", game.rules.name);
    let mut ground = ground(&game.rules, limits).map_err(|why| refused(why.to_string()))?;
    let start = ground.initial.clone();
    let product = cancel::run_within(limits, || factorize(&mut ground, &start));
    let product = match product.map_err(|hit| refused(hit.to_string()))? {
        Err(NotApplicable::Reason(why)) if why == ONE_GAME => return Ok("1 component\n".to_owned()),
        product => product.map_err(|why| refused(why.to_string()))?,
    };
    let mut shown = format!("{} components\n", product.components.len());
    for (number, fluents) in (1..).zip(&product.components) {
        let names: Vec<String> = fluents.iter().map(|of| ground.fluents.show(&game.rules, *of)).collect();
        shown.push_str(&format!("  {number}: {}\n", names.join(", ")));
    }
    let several = product.moves.iter().filter(|of| of.touches() > 1).count();
    shown.push_str(&match several {
        0 => "each move belongs to one of them\n".to_string(),
        _ => format!("{several} of {} moves belong to several at once\n", product.moves.len()),
    });
    Ok(shown)
}
