//! Symmetries that exchange the two players and fix a position.

use rustc_hash::FxHashMap;

use super::parity::{WeightList, conserved_sum};
use super::symmetry::{GameSymmetry, MAX_GROUP_ORDER, symmetries_of_rules};
use bouton_grounding::{FALSE, Ground, Renaming};
use bouton_rules::{EndRule, Expr, ExprKind, MOVER, MoveInstance, OutcomeExpr, Quant, Rules, Type};

/// A symmetry that exchanges the players.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerExchange {
    /// The renaming of fluents and values.
    pub renaming: Renaming,
    /// The moves of each player with their images among the opponent's moves.
    pub moves: [Vec<(MoveInstance, MoveInstance)>; 2],
    /// Weights whose parity excludes positions without moves that are no end.
    pub odd: WeightList,
}

/// Returns the player-exchanging symmetries that fix a position, those that fix the most fluents first.
pub fn exchanges(ground: &Ground, position: &[u8]) -> Vec<PlayerExchange> {
    if ground.rules.players().len() != 2 {
        return Vec::new();
    }
    let group = symmetries_of_rules(ground);
    let mut elements = group.elements(MAX_GROUP_ORDER).unwrap_or(group.generators);
    elements.retain(|of| of.players == [1, 0] && of.board.image(position) == position);
    let moved =
        |of: &GameSymmetry| of.board.fluents.iter().enumerate().filter(|(i, to)| *i as u32 != to.0).count();
    elements.sort_by_cached_key(|of| (moved(of), of.clone()));
    if elements.is_empty() {
        return Vec::new();
    }
    let odd = against_dead_ends(ground, position);
    let exchange =
        |of: GameSymmetry| PlayerExchange { moves: moves(ground, &of), renaming: of.board, odd: odd.clone() };
    elements.into_iter().map(exchange).collect()
}

/// Returns weights that exclude positions without moves that are no end; empty if none are found or needed.
fn against_dead_ends(ground: &Ground, position: &[u8]) -> WeightList {
    let mut ground = ground.clone();
    let free = ground.formulas.or(ground.actions.iter().map(|action| action.legal));
    let either = ground.formulas.or([free, ground.over]);
    match ground.formulas.not(either) {
        FALSE => WeightList::new(),
        dead => conserved_sum(&ground, position, dead, &[2]).map(|sum| sum.weights).unwrap_or_default(),
    }
}

/// Returns the rules with one end, a draw, which holds where one of their ends does.
///
/// Rules where the ends of both players could hold at once, as far as formulas show, then have the symmetries that they
/// have if such positions never occur. Whether a symmetry also exchanges the results is not known from these rules.
pub fn without_results(rules: &Rules) -> Rules {
    let ends = rules.ends.iter().map(|end| match &end.binder {
        Some(binder) => {
            let some = ExprKind::Quant(Quant::Some, vec![binder.clone()], end.condition.clone());
            Expr::new(some, Type::Bool, end.span)
        }
        None => end.condition.clone(),
    });
    let span = rules.fields[MOVER].span;
    let condition = Expr::new(ExprKind::Or(ends.collect()), Type::Bool, span);
    let vars = Default::default();
    let end = EndRule { vars, binder: None, condition, outcome: OutcomeExpr::Draw, span };
    Rules { ends: vec![end], repeats: Vec::new(), ..rules.clone() }
}

/// Returns the images of the moves of each player; for simultaneous moves, of each player's part.
fn moves(ground: &Ground, symmetry: &GameSymmetry) -> [Vec<(MoveInstance, MoveInstance)>; 2] {
    let mut moves: [FxHashMap<MoveInstance, MoveInstance>; 2] = Default::default();
    for (action, image) in ground.actions.iter().zip(&symmetry.actions) {
        let image = &ground.actions[*image as usize];
        match (action.maker, &action.play, &image.play) {
            (_, MoveInstance::Joint(parts), MoveInstance::Joint(others)) => {
                for (player, play) in parts {
                    let there = others.iter().find(|(other, _)| other != player);
                    moves[*player as usize].extend(there.map(|(_, there)| (play.clone(), there.clone())));
                }
            }
            (bouton_grounding::ActionMaker::Player(player), play, there) => {
                moves[player as usize].insert(play.clone(), there.clone());
            }
            _ => {}
        }
    }
    moves.map(|moves| moves.into_iter().collect())
}
