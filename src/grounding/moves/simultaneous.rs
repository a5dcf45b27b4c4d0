//! Phases `by each`: every player who has a legal move chooses one, and all choices take effect at once.
//!
//! The legality of a move, `mandatory` included, is decided for each player alone. A combination has a move of each
//! player who has one and none of the others. Its conditions were decided before, so it has a fault where a `let` has
//! no value, where two of its moves contradict each other, or where one of them has a fault by itself.

use super::{ConditionTreatment, MAX_ACTIONS};
use crate::eval::{Grounder, Result};
use crate::formula::{FALSE, Formula};
use crate::{Action, ActionMaker, GroundingError};
use bouton_rules::{MoveId, MoveInstance, Value};

/// The moves of each player, by player, each as if made alone.
pub(super) type Choices = Vec<Vec<Action>>;

/// A partial combination: the moves of the players so far, and the condition under which exactly these are chosen.
struct PartialCombination<'c> {
    moves: Vec<(u32, &'c Action)>,
    legal: Formula,
}

impl Grounder<'_> {
    /// Adds the combinations of the players' simultaneous moves. `each` holds where all players choose at once.
    pub(super) fn simultaneous(
        &mut self,
        each: Formula,
        mut choices: Choices,
        actions: &mut Vec<Action>,
    ) -> Result<()> {
        choices.iter_mut().for_each(|own| self.mandatory(own));
        let mut rows = vec![PartialCombination { moves: Vec::new(), legal: each }];
        for (player, own) in (0..).zip(&choices) {
            let free = self.formulas.or(own.iter().map(|action| action.legal));
            let mut longer = Vec::new();
            for row in &rows {
                for action in own {
                    let legal = self.formulas.and([row.legal, action.legal]);
                    let moves = row.moves.iter().copied().chain([(player, action)]).collect();
                    longer.push(PartialCombination { moves, legal });
                }
                let legal = self.formulas.and_not(row.legal, free);
                longer.push(PartialCombination { moves: row.moves.clone(), legal });
                self.check()?;
            }
            longer.retain(|row| row.legal != FALSE);
            rows = longer;
            if rows.len() > MAX_ACTIONS {
                return Err(GroundingError::new("players have too many simultaneous moves", None));
            }
        }
        for PartialCombination { moves, legal } in rows.iter().filter(|row| !row.moves.is_empty()) {
            let play = moves.iter().map(|&(player, action)| (player, action.play.clone()));
            let play = MoveInstance::Joint(play.collect());
            let runs: Vec<(u32, MoveId, &[Value])> = moves
                .iter()
                .filter_map(|(player, action)| match &action.play {
                    MoveInstance::Move(id, args) => Some((*player, *id, &args[..])),
                    MoveInstance::Pass | MoveInstance::Joint(_) => None,
                })
                .collect();
            let alone = self.formulas.or(moves.iter().map(|(_, action)| action.fault));
            let alone = self.formulas.and([*legal, alone]);
            let made = self.action(&runs, ActionMaker::All, *legal, ConditionTreatment::Settled, play)?;
            actions.extend(
                made.map(|action| Action { fault: self.formulas.or([action.fault, alone]), ..action }),
            );
        }
        Ok(())
    }
}
