//! Mirror strategies: a symmetry of the board, possibly with a first move, such that the reply to each move of the
//! opponent is its image.
//!
//! A proposal satisfies only the conditions at the start: a symmetry that is an involution, and a position that it
//! fixes. The checker verifies that the replies exist and do not interfere with the moves that they answer.

use rustc_hash::{FxHashMap, FxHashSet};

use super::symmetry::{MAX_GROUP_ORDER, composed, symmetries_of_rules};
use bouton_base::id::Id;
use bouton_grounding::{ActionMaker, FluentId, FormulaEvaluator, Ground, Renaming};
use bouton_rules::{FieldId, MOVER, MoveInstance, PHASE};

/// A candidate strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MirrorProposal {
    /// The player whose strategy it is.
    pub holder: u32,
    /// The holder's first move, if he begins.
    pub opening: Option<MoveInstance>,
    /// The symmetry, of the board alone.
    pub renaming: Renaming,
}

/// Returns the candidate mirror strategies for a position, those without an opening first.
pub fn proposals(ground: &Ground, position: &[u8]) -> Vec<MirrorProposal> {
    if ground.rules.players().len() != 2 {
        return Vec::new();
    }
    let involutions = involutions(ground);
    let mover_of = |position: &[u8]| u32::from(position[ground.fluents.turn().index()]);
    let mover = mover_of(position);
    let mut found = Vec::new();
    for renaming in &involutions {
        if renaming.image(position) == position {
            found.push(MirrorProposal {
                holder: 1 - mover.min(1),
                opening: None,
                renaming: renaming.clone(),
            });
        }
    }
    let mut reading = FormulaEvaluator::new(&ground.formulas, position);
    if reading.holds(ground.over) {
        return found;
    }
    for action in &ground.actions {
        if action.maker != ActionMaker::Player(mover) || !reading.holds(action.legal) {
            continue;
        }
        let after = ground.successor(&mut reading, position, action);
        if mover_of(&after) == mover {
            continue;
        }
        for renaming in &involutions {
            if renaming.image(&after) == after {
                let opening = Some(action.play.clone());
                found.push(MirrorProposal { holder: mover, opening, renaming: renaming.clone() });
            }
        }
    }
    found
}

/// Returns the reversal of the board: the fluents of each field in reverse order. If the group is too large to
/// enumerate, the reversal is often one of its symmetries.
fn reversed_board(ground: &Ground) -> Renaming {
    let mut by_field: FxHashMap<FieldId, Vec<FluentId>> = FxHashMap::default();
    ground.fluents.iter().for_each(|(id, fluent)| by_field.entry(fluent.field).or_default().push(id));
    let opposite = |(id, field): (FluentId, FieldId)| {
        let all = &by_field[&field];
        all[all.len() - 1 - (id.index() - all[0].index())]
    };
    Renaming {
        fluents: ground.fluents.iter().map(|(id, fluent)| opposite((id, fluent.field))).collect(),
        values: ground.fluents.iter().map(|(_, f)| (0..f.values.len() as u8).collect()).collect(),
    }
}

/// Returns the involutions among the symmetries of the rules, restricted to the board; each once, those that fix the
/// fewest fluents first.
fn involutions(ground: &Ground) -> Vec<Renaming> {
    let group = symmetries_of_rules(ground);
    let elements = group.elements(MAX_GROUP_ORDER).unwrap_or(group.generators);
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    for mut board in elements.into_iter().map(|element| element.board).chain([reversed_board(ground)]) {
        for (id, fluent) in ground.fluents.iter() {
            if fluent.field == MOVER || fluent.field == PHASE {
                board.fluents[id.index()] = id;
                board.values[id.index()] = (0..fluent.values.len() as u8).collect();
            }
        }
        let identity = Renaming::identity(&board);
        if composed(&board, &board) == identity && board != identity && seen.insert(board.clone()) {
            found.push(board);
        }
    }
    let still =
        |board: &Renaming| board.fluents.iter().enumerate().filter(|(i, to)| *i == to.index()).count();
    found.sort_by_key(|board| (still(board), board.clone()));
    found
}
