//! The check of STEAL by absorption: on the grounded rules, and on the moves of one position.
//!
//! Both players have the same moves, the payoffs of an end depend only on the role of being to move, and exactly one
//! of the two players always gets the bound: so on each board either the player to move can force it or the other
//! player can, whichever they are. Let the holder make the first move. If the opponent then has a move to a board that
//! is lost for the player to move, the holder could have moved to that board at once; if he has none, the first move
//! was good.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Checked, Checker, Fact, PayoffSum, reject, reject_if};
use bouton_base::id::Id;
use bouton_certificates::{PayoffBound, StealArgument, StealLemma};
use bouton_grounding::{ActionMaker, DeleteRelaxation, Formula, FormulaEvaluator, Ground};
use bouton_reference::State;

impl Checker<'_> {
    /// Proves that the holder, who is to move, can force the bound.
    pub(super) fn steal(&mut self, start: &State, steal: &StealLemma) -> Checked<Fact> {
        let ground = self.faultless_ground()?;
        let holder = self.holder_of_two(&steal.bound)?;
        let position = self.fluent_position(&ground, start)?;
        if u32::from(position[ground.fluents.turn().index()]) != holder {
            return reject("it is not the holder's turn");
        }
        match &steal.by {
            StealArgument::Absorption(first) => {
                self.steal_by_absorption(ground, position, &steal.bound, first)?
            }
            StealArgument::Exchange(images) => {
                self.steal_by_exchange(ground, &position, &steal.bound, images)?
            }
        }
        Ok(Fact::Bound { bound: steal.bound.clone(), plies: None, sum: PayoffSum::default() })
    }

    /// Proves that the holder can force the bound by this move, or by one that leads to the same board as an answer to
    /// it.
    fn steal_by_absorption(
        &mut self,
        mut ground: Ground,
        position: Vec<u8>,
        bound: &PayoffBound,
        first: &str,
    ) -> Checked<()> {
        let turn = ground.fluents.turn();
        let holder = u32::from(position[turn.index()]);
        let possible = ground.delete_relaxation(&position);
        reject_if(possible.values[ground.fluents.phase().index()].count_ones() != 1, "the game has phases")?;
        self.check_symmetric_ends(&mut ground, &possible, bound)?;
        self.check_stuck_is_end(&mut ground)?;
        self.check_irreversible(&mut ground, &possible)?;
        let moves = self.checked_board_moves(&mut ground, &possible, turn)?;
        self.check_impartial(&moves)?;
        let after = self.position_after_opening(&ground, position.clone(), holder, Some(first))?;
        let mut reading = FormulaEvaluator::new(&ground.formulas, &after);
        if let Some(end) = ground.ends.iter().find(|end| reading.holds(end.when)) {
            if end.payoffs[holder as usize] < bound.payoff {
                return reject("the first move ends the game and gives the holder less");
            }
        } else {
            let own: FxHashSet<Vec<u8>> = boards_after(&ground, &position, holder).into_iter().collect();
            if boards_after(&ground, &after, 1 - holder).iter().any(|board| !own.contains(board)) {
                return reject("an answer leads where the holder could not have moved at once");
            }
        }
        Ok(())
    }

    /// Checks that in every end exactly one player gets the bound, and that the identity of the player to move does
    /// not matter.
    fn check_symmetric_ends(
        &self,
        ground: &mut Ground,
        possible: &DeleteRelaxation,
        bound: &PayoffBound,
    ) -> Checked<()> {
        let turn = ground.fluents.turn();
        let mut by_mover: [FxHashMap<bool, Vec<Formula>>; 2] = Default::default();
        for end in ground.ends.clone() {
            if !ground.relaxed_evaluator(possible).may_hold(end.when) {
                continue;
            }
            let enough: Vec<bool> = end.payoffs.iter().map(|payoff| *payoff >= bound.payoff).collect();
            reject_if(enough[0] == enough[1], "an end gives both players as much as the bound, or neither")?;
            for (mover, ends) in by_mover.iter_mut().enumerate() {
                let Some(here) = ground.formulas.substitute(end.when, turn, mover as u8) else {
                    return reject("an end depends on a recursive definition");
                };
                ends.entry(enough[mover]).or_default().push(here);
            }
        }
        for wins in [false, true] {
            let [first, second] = [0, 1].map(|mover: usize| {
                let ends = by_mover[mover].remove(&wins).unwrap_or_default();
                ground.formulas.or(ends)
            });
            reject_if(first != second, "an end does not depend on the board and the player to move alone")?;
        }
        Ok(())
    }
}

/// Returns the boards, that is the positions without the player to move, that the moves of a player lead to.
fn boards_after(ground: &Ground, position: &[u8], player: u32) -> Vec<Vec<u8>> {
    let mut reading = FormulaEvaluator::new(&ground.formulas, position);
    let mut boards = Vec::new();
    for action in ground.actions.iter().filter(|action| action.maker == ActionMaker::Player(player)) {
        if reading.holds(action.legal) {
            let mut board = ground.successor(&mut reading, position, action);
            board[ground.fluents.turn().index()] = 0;
            boards.push(board);
        }
    }
    boards
}
