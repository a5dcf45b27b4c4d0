//! What the stages behind the rules make of them, as text.

use std::sync::Arc;

use super::load::Refused;
use crate::base::cancel;
use crate::base::limits::Limits;
use crate::circuit::{draw, print};
use crate::detect::orbits;
use crate::detect::symmetry::symmetries;
use crate::exec::jit::{Jit, Options};
use crate::game::{Game, circuit_of};
use crate::ground::{Refusal, ground};
use crate::lower::{self, lower_with};

use super::load::Text;

/// A stage behind the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// How a state lies in words.
    Layout,
    /// The circuit as the rules say it.
    Circuit,
    /// The same after the passes of the optimiser.
    CircuitOpt,
    /// The functions that give the children of positions, in Cranelift's words.
    Clif,
    /// The same in the processor's.
    Asm,
    /// The symmetries of the rules.
    Symmetry,
    /// The components that the first position is made of.
    Sum,
}

/// The stage as text; or a sentence on why there is none.
pub fn dump(text: &Text, game: &Game, stage: Stage, limits: &Limits) -> Result<String, Refused> {
    // A limit is no mistake of whoever asked.
    let refused = |why: String| match limits.check() {
        Some(_) => Refused::Limit(why),
        None => Refused::Usage(why),
    };
    match stage {
        Stage::Symmetry => return symmetry(game, limits).map_err(refused),
        Stage::Sum => return components(game, limits).map_err(refused),
        _ => {}
    }
    let lowered = match stage {
        Stage::Circuit => lower_with(&game.rules, lower::Options::default(), limits, &|_| {}),
        _ => circuit_of(&game.rules, &text.skipped, limits),
    };
    let lowered = lowered.map_err(|why| {
        let source = text.sources.get(why.span.file);
        let line = source.place(why.span.start).line;
        let words = format!("{} has no circuit: {} ({}:{line})", game.rules.name, why.what, source.name);
        if why.limit.is_some() { Refused::Limit(words) } else { Refused::Usage(words) }
    })?;
    match stage {
        Stage::Layout => return Ok(draw::draw(&lowered.circuit.layout)),
        Stage::Circuit | Stage::CircuitOpt => return Ok(print::print(&lowered.circuit)),
        Stage::Clif | Stage::Asm | Stage::Symmetry | Stage::Sum => {}
    }
    let options = Options { listing: true, ..Options::default() };
    let circuit = Arc::new(lowered.circuit);
    let listing = cancel::run_apart(limits, || Jit::new(circuit, options).map(|jit| jit.listing()));
    let listing = listing
        .map_err(|hit| Refused::Limit(format!("there is no machine code: {hit}")))?
        .map_err(|why| Refused::Usage(why.to_string()))?;
    Ok(if stage == Stage::Clif { listing.clif } else { listing.asm })
}

/// The group of a game: how large it is, and symmetries that make all of it.
fn symmetry(game: &Game, limits: &Limits) -> Result<String, String> {
    let refused = |why: Refusal| format!("the symmetries of {} are not looked for: {why}", game.rules.name);
    let ground = ground(&game.rules, limits).map_err(refused)?;
    let cut = |hit| format!("the symmetries of {} are not found: {hit}", game.rules.name);
    let group = cancel::run_within(limits, || symmetries(&ground)).map_err(cut)?;
    let order = group.order.map_or("more than can be written".into(), |order| order.to_string());
    let mut shown = format!("order {order}\n");
    if !group.complete {
        shown.push_str("there may be more: the search was cut short\n");
    }
    for generator in &group.generators {
        shown.push_str(&format!("  {}\n", orbits::show(&ground, generator)));
    }
    Ok(shown)
}

/// The components of the first position of a game, of which every move asks and changes each by itself; and whether a
/// move touches one of them or several.
fn components(game: &Game, limits: &Limits) -> Result<String, String> {
    let refused = |why: String| format!("the components of {} are not looked for: {why}", game.rules.name);
    let mut ground = ground(&game.rules, limits).map_err(|why| refused(why.to_string()))?;
    let start = ground.initial.clone();
    let product = cancel::run_within(limits, || ground.side_by_side(&start));
    let product = product.map_err(|hit| refused(hit.to_string()))?.map_err(refused)?;
    let mut shown = match product.components.len() {
        1 => "1 component\n".to_string(),
        many => format!("{many} components\n"),
    };
    for (number, fluents) in (1..).zip(&product.components) {
        let names: Vec<String> = fluents.iter().map(|of| ground.fluents.show(&game.rules, *of)).collect();
        shown.push_str(&format!("  {number}: {}\n", names.join(", ")));
    }
    if product.components.len() > 1 {
        let several = product.moves.iter().filter(|of| of.touches() > 1).count();
        shown.push_str(&match several {
            0 => "a move is on one of them\n".to_string(),
            _ => format!("{several} of {} moves are on several at once\n", product.moves.len()),
        });
    }
    Ok(shown)
}
