//! Symmetries for strategy stealing: ways in which the players change places in a game in which both have the same
//! goal.

use bouton_base::rational::Rational;

use super::symmetry::{MAX_GROUP_ORDER, symmetries_of_rules};
use bouton_base::id::Id;
use bouton_grounding::{Ground, GroundEnd, Renaming};
use bouton_rules::OutcomeKind;

/// Returns the renamings that exchange the players and their goals, and fix the board; those that fix the most fluents
/// first. A goal of a player is a condition that keeps the opponent below the bound.
pub fn exchanges(ground: &Ground, position: &[u8], bound: Rational) -> Vec<Renaming> {
    if ground.rules.players().len() != 2 {
        return Vec::new();
    }
    // The order in which the rules check the goals, and all other ends, would distinguish the players.
    let mut alike = ground.clone();
    let goals = alike.goals(bound);
    let end = |(player, when)| {
        let payoffs = if player == 0 { [1, -1] } else { [-1, 1] };
        let payoffs = payoffs.map(Rational::from_integer).to_vec();
        GroundEnd { payoffs, kind: OutcomeKind::Win, when }
    };
    alike.ends = goals.into_iter().enumerate().map(end).collect();
    let group = symmetries_of_rules(&alike);
    let mut elements = group.elements(MAX_GROUP_ORDER).unwrap_or(group.generators);
    let turn = ground.fluents.turn().index();
    let keeps = |of: &Renaming| {
        let mut image = of.image(position);
        image[turn] = position[turn];
        image == position
    };
    elements.retain(|of| of.players == [1, 0] && keeps(&of.board));
    let moved = |of: &Renaming| of.fluents.iter().enumerate().filter(|(i, to)| *i as u32 != to.0).count();
    let mut found: Vec<Renaming> = elements.into_iter().map(|of| of.board).collect();
    found.sort_by_cached_key(|of| (moved(of), of.clone()));
    found.dedup();
    found
}
