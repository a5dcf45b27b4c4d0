//! The check of STEAL by absorption: on the grounded rules, and on the moves of one position.
//!
//! Both players have the same moves, the payoffs of an end depend only on the role of being to move, and exactly one
//! of the two players always gets the bound: so on each board either the player to move can force it or the other
//! player can, whichever they are. Let the holder make the first move. If the opponent then has a move to a board that
//! is lost for the player to move, the holder could have moved to that board at once; if he has none, the first move
//! was good.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Checker, Proven, Stop, Sum};
use crate::base::id::Id;
use crate::cert::{Bound, Steal, Theft};
use crate::ground::{Formula, Ground, Maker, Possible, Reading};
use crate::reference::State;

impl Checker<'_> {
    /// Proves that the holder, who is to move, can force the bound.
    pub(super) fn steal(&mut self, start: &State, steal: &Steal) -> Result<Proven, Stop> {
        let ground = self.written_out()?;
        let holder = self.of_two(&steal.bound)?;
        let position = self.numbered(&ground, start)?;
        if u32::from(position[ground.fluents.turn().index()]) != holder {
            return self.reject("it is not the holder's turn");
        }
        match &steal.by {
            Some(Theft::Absorption(first)) => self.absorbed(ground, position, steal.bound, first)?,
            Some(Theft::Exchange(images)) => self.stolen(ground, &position, steal.bound, images)?,
            None => return self.reject("there is no argument"),
        }
        Ok(Proven::Bound { bound: steal.bound, plies: None, sum: Sum::default() })
    }

    /// Proves that the holder can force the bound by this move, or by one that leads to the same board as an answer to
    /// it.
    fn absorbed(
        &mut self,
        mut ground: Ground,
        position: Vec<u8>,
        bound: Bound,
        first: &str,
    ) -> Result<(), Stop> {
        let turn = ground.fluents.turn();
        let holder = u32::from(position[turn.index()]);
        let possible = ground.possible(&position);
        if possible.values[ground.fluents.phase().index()].count_ones() != 1 {
            return self.reject("the game has phases");
        }
        self.ends_alike(&mut ground, &possible, bound)?;
        self.ends_where_stuck(&mut ground)?;
        self.one_way(&mut ground, &possible)?;
        let moves = self.moves(&mut ground, &possible, turn)?;
        self.same_moves(&moves)?;
        let after = self.opened(&ground, position.clone(), holder, Some(first))?;
        let mut reading = Reading::new(&ground.formulas, &after);
        if let Some(end) = ground.ends.iter().find(|end| reading.holds(end.when)) {
            if end.payoffs[holder as usize] < bound.payoff {
                return self.reject("the first move ends the game and gives the holder less");
            }
        } else {
            let own: FxHashSet<Vec<u8>> = boards_after(&ground, &position, holder).into_iter().collect();
            if boards_after(&ground, &after, 1 - holder).iter().any(|board| !own.contains(board)) {
                return self.reject("an answer leads where the holder could not have moved at once");
            }
        }
        Ok(())
    }

    /// Checks that in every end exactly one player gets the bound, and that the identity of the player to move does
    /// not matter.
    fn ends_alike(&self, ground: &mut Ground, possible: &Possible, bound: Bound) -> Result<(), Stop> {
        let turn = ground.fluents.turn();
        let mut by_mover: [FxHashMap<bool, Vec<Formula>>; 2] = Default::default();
        for end in ground.ends.clone() {
            if !ground.relaxed(possible).may_hold(end.when) {
                continue;
            }
            let enough: Vec<bool> = end.payoffs.iter().map(|payoff| *payoff >= bound.payoff).collect();
            if enough[0] == enough[1] {
                return self.reject("an end gives both players as much as the bound, or neither");
            }
            for (mover, ends) in by_mover.iter_mut().enumerate() {
                let Some(here) = ground.formulas.assuming(end.when, turn, mover as u8) else {
                    return self.reject("an end is defined by itself");
                };
                ends.entry(enough[mover]).or_default().push(here);
            }
        }
        for wins in [false, true] {
            let [first, second] = [0, 1].map(|mover: usize| {
                let ends = by_mover[mover].remove(&wins).unwrap_or_default();
                ground.formulas.or(ends)
            });
            if first != second {
                return self.reject("an end does not depend on the board and on who is to move alone");
            }
        }
        Ok(())
    }
}

/// Returns the boards, that is the positions without the player to move, that the moves of a player lead to.
fn boards_after(ground: &Ground, position: &[u8], player: u32) -> Vec<Vec<u8>> {
    let mut reading = Reading::new(&ground.formulas, position);
    let mut boards = Vec::new();
    for action in ground.actions.iter().filter(|action| action.maker == Maker::Player(player)) {
        if reading.holds(action.legal) {
            let mut board = ground.after(&mut reading, position, action);
            board[ground.fluents.turn().index()] = 0;
            boards.push(board);
        }
    }
    boards
}
