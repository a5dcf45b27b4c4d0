//! Absorption: a first move after which the opponent can reach nothing that the player could not have reached at once.

use rustc_hash::FxHashSet;

use bouton_base::id::Id;
use bouton_grounding::{ActionMaker, FormulaEvaluator, Ground};
use bouton_rules::MoveInstance;

/// Returns the moves of a position such that every answer leads to a board that another move of the same player leads
/// to directly.
pub fn moves(ground: &Ground, position: &[u8]) -> Vec<MoveInstance> {
    let turn = ground.fluents.turn().index();
    let options = |position: &[u8]| {
        let mut reading = FormulaEvaluator::new(&ground.formulas, position);
        let mut found = Vec::new();
        if reading.holds(ground.over) {
            return found;
        }
        for action in &ground.actions {
            if action.maker == ActionMaker::Player(u32::from(position[turn])) && reading.holds(action.legal) {
                found.push((action, ground.successor(&mut reading, position, action)));
            }
        }
        found
    };
    let board = |mut position: Vec<u8>| {
        position[turn] = 0;
        position
    };
    let own = options(position);
    let boards: FxHashSet<Vec<u8>> = own.iter().map(|(_, after)| board(after.clone())).collect();
    let is_absorbed =
        |after: &[u8]| options(after).into_iter().all(|(_, next)| boards.contains(&board(next)));
    own.iter().filter(|(_, after)| is_absorbed(after)).map(|(action, _)| action.play.clone()).collect()
}
