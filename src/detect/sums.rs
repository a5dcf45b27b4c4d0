//! Sums: positions that split into independent components, at once or in the course of play, with their Grundy values.
//!
//! Technique: decomposition: each component is evaluated once, in any context and at any place (Sprague 1935, Grundy
//! 1939; Guy and Smith 1956 for rows).
//! Cost: the number of different components, whereas the game has positions for all their combinations. Not taken:
//! components that differ by a rotation by a right angle or a reflection are evaluated separately.

use rustc_hash::FxHashSet;

use crate::decomposition::{BoardMove, ComponentTypes, Decomposer, NotApplicable, board_moves};
use bouton_base::limits::Limits;
use bouton_grounding::{Action, ActionMaker, FALSE, Ground, TRUE};

/// The maximal number of component types.
const MAX_COMPONENT_TYPES: usize = 20_000;

/// A game as a sum.
pub struct SumDecomposition<'g> {
    apart: Decomposer<'g>,
    /// The component types reachable from the position.
    pub types: ComponentTypes,
    /// The Grundy values of the types, in the same order: the minimal excludant of the options.
    pub nimbers: Vec<u32>,
}

/// Returns the game from a position as a sum, or the reason why it is none. Both players must have the same moves; the
/// checker verifies that the player without a move loses. A limit of positions is one of different components.
pub fn sums<'g>(
    ground: &'g mut Ground,
    position: &[u8],
    limits: &Limits,
) -> Result<SumDecomposition<'g>, NotApplicable> {
    let moves = shared_moves(ground)?;
    let mut apart = Decomposer::new(ground, moves, position)?;
    let most = limits.positions.and_then(|most| usize::try_from(most).ok());
    let most = most.map_or(MAX_COMPONENT_TYPES, |most| most.min(MAX_COMPONENT_TYPES));
    let types = ComponentTypes::of(&mut apart, position, most, limits)?;
    if !types.is_decomposable() {
        return Err(NotApplicable::Reason("the game does not split into independent components".into()));
    }
    let mut nimbers: Vec<u32> = Vec::with_capacity(types.list.len());
    for of in &types.list {
        let options: FxHashSet<u32> = of.options.iter().map(|option| nim_sum(&nimbers, option)).collect();
        nimbers.push((0..).find(|n| !options.contains(n)).unwrap_or_default());
    }
    Ok(SumDecomposition { apart, types, nimbers })
}

/// Returns the moves on the board that both players have, or the reason why they do not have the same ones.
fn shared_moves(ground: &mut Ground) -> Result<Vec<BoardMove>, NotApplicable> {
    let itself = || NotApplicable::Reason("moves depend on a recursive definition".into());
    let first = board_moves(ground, 0).ok_or_else(itself)?;
    let second = board_moves(ground, 1).ok_or_else(itself)?;
    let one: FxHashSet<_> = first.iter().collect();
    let other: FxHashSet<_> = second.iter().collect();
    if one != other {
        return Err(NotApplicable::Reason("the players do not have the same moves".into()));
    }
    Ok(first)
}

/// Returns true if two players alternate: each move passes the turn.
pub fn is_alternating(ground: &Ground) -> bool {
    let turn = ground.fluents.turn();
    let alternates = |action: &Action| match action.maker {
        ActionMaker::Player(player) => action
            .updates
            .iter()
            .filter(|update| update.fluent == turn)
            .any(|update| update.values[..] == [(1 - player.min(1) as u8, TRUE)]),
        _ => false,
    };
    ground.rules.players().len() == 2 && ground.actions.iter().all(alternates)
}

/// Returns true if two players alternate and have the same moves everywhere, none of which is at fault.
pub fn is_impartial(ground: &Ground) -> bool {
    is_alternating(ground)
        && ground.actions.iter().all(|action| action.fault == FALSE)
        && shared_moves(&mut ground.clone()).is_ok()
}

fn nim_sum(nimbers: &[u32], types: &[u32]) -> u32 {
    types.iter().fold(0, |total, &number| total ^ nimbers[number as usize])
}

impl SumDecomposition<'_> {
    /// Returns the Grundy value of the position.
    pub fn nim_sum(&self) -> u32 {
        nim_sum(&self.nimbers, &self.types.start)
    }

    /// Returns the component types of a reachable position.
    pub fn types_in(&mut self, position: &[u8]) -> Option<Vec<u32>> {
        self.types.in_position(&mut self.apart, position)
    }

    /// Returns the Grundy value of a reachable position.
    pub fn nim_sum_of(&mut self, position: &[u8]) -> Option<u32> {
        let types = self.types_in(position)?;
        Some(nim_sum(&self.nimbers, &types))
    }
}
