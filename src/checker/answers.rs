//! The check of ANSWERS: on the grounded rules, round by round.
//!
//! A round is a move of the opponent and the answer to it. From the position before the first round, the check
//! computes an upper bound of the positions in which the opponent is to move: the values of each fluent, and of each
//! pair of fluents. In these, every move of his that may be legal must have an answer that is then certainly legal. A
//! game that is over only where a player is stuck is then over only where the opponent is. In misere play, where a
//! player who is stuck wins, the opponent must never be stuck, and no answer is needed where his move makes the holder
//! win. Each round changes some fluent irreversibly, so play is finite.

use rustc_hash::FxHashMap;

use super::grounded::{ANALYSIS_BUDGET, FAULT_NOT_EXCLUDED};
use super::{Checked, Checker, Fact, PayoffSum, reject, reject_if};
use bouton_base::id::Id;
use bouton_certificates::{AnswersLemma, Convention};
use bouton_grounding::{Action, ActionMaker, FALSE, Formula, Transition};
use bouton_reference::State;

impl Checker<'_> {
    /// Proves that the holder can force the bound by answering each move of the opponent with one that depends on it
    /// alone.
    pub(super) fn answers(&mut self, start: &State, of: &AnswersLemma) -> Checked<Fact> {
        let (mut ground, holder, position) = self.grounded_for(&of.bound, start)?;
        let other = 1 - holder;
        let position = self.position_after_opening(&ground, position, holder, of.opening.as_deref())?;
        let possible = ground.delete_relaxation(&position);
        let misere = Convention::of(self.rules) == Convention::Misere;
        let stuck = if misere { holder } else { other };
        self.check_ends_when_stuck_in_any_phase(&mut ground, &possible, stuck, &of.bound)?;
        let mut rounds: FxHashMap<String, Action> = FxHashMap::default();
        let mut steps = Vec::new();
        for (made, answer) in &of.pairs {
            let found = (self.action(&ground, other, made), self.action(&ground, holder, answer));
            let (Some(first), Some(second)) = (found.0.cloned(), found.1.cloned()) else {
                return reject(format!("`{made}` and its answer `{answer}` are no moves of the players"));
            };
            let Some(round) = ground.compose(&first, &second) else {
                return reject(format!("`{answer}` depends on a recursive definition"));
            };
            steps.push((made.clone(), round));
            rounds.insert(made.clone(), second);
        }
        let mut budget = ANALYSIS_BUDGET;
        let alone: Vec<Transition> = steps.iter().map(|(_, step)| step.clone()).collect();
        let joint = self.within_budget(ground.pairwise_reachability(&position, &alone, &mut budget))?;
        self.check_faultless_within(&ground, &joint, &mut budget)?;
        if joint.values[ground.fluents.turn().index()] != 1 << other {
            return reject("after an answer it is not always the other player's turn");
        }
        if misere && self.within_budget(joint.may_hold(&ground, ground.over, &mut budget))? {
            return reject("after an answer the game may be over, so that the other player wins");
        }
        let enough = ground.ends.iter().filter(|end| end.payoffs[holder as usize] >= of.bound.payoff);
        let enough: Vec<Formula> = enough.map(|end| end.when).collect();
        let enough = ground.formulas.or(enough);
        for action in ground.actions.clone() {
            self.visited += 1;
            let name = self.interpreter.call_form(&action.play);
            let own = action.maker == ActionMaker::Player(other);
            if !self.within_budget(joint.may_hold(&ground, action.legal, &mut budget))? {
                if own && rounds.contains_key(&name) {
                    return reject(format!("the answer to `{name}` is never needed"));
                }
                continue;
            }
            reject_if(!own, format_args!("`{name}` may be made out of turn"))?;
            let mut after = |formula| match ground.formulas.regress(formula, &action.updates) {
                Some(after) => Ok(after),
                None => reject(format!("the answer to `{name}` depends on a recursive definition")),
            };
            // In misere play, no answer is needed where a move ends the game, if the holder has won then.
            let won = if misere { after(enough)? } else { FALSE };
            let legal = match rounds.get(&name) {
                Some(answer) => after(answer.legal)?,
                None => FALSE,
            };
            // The rules must have a meaning in the position of the answer, too.
            let fault = ground.formulas.regress(ground.fault, &action.updates).ok_or(FAULT_NOT_EXCLUDED)?;
            let fault = ground.formulas.and([action.legal, fault]);
            reject_if(self.within_budget(joint.may_hold(&ground, fault, &mut budget))?, FAULT_NOT_EXCLUDED)?;
            let answered = ground.formulas.or([legal, won]);
            let without = ground.formulas.and_not(action.legal, answered);
            if self.within_budget(joint.may_hold(&ground, without, &mut budget))? {
                return reject(match rounds.get(&name) {
                    Some(_) => format!("the answer to `{name}` is not always legal"),
                    None => format!("`{name}` may be made and has no answer"),
                });
            }
        }
        self.check_irreversible_within(&ground, &joint, &steps, &mut budget)?;
        Ok(Fact::Bound { bound: of.bound.clone(), plies: None, sum: PayoffSum::default() })
    }
}
