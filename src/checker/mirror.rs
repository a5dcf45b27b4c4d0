//! The check of MIRROR: on the grounded rules, move by move.
//!
//! A position is *symmetric* if its board, that is all fluents but the player to move, is its own image. In a
//! symmetric position with the opponent to move, consider any move that may ever be legal. Its image is a move of the
//! holder, with the same conditions and effects on the renamed board. Since the position is symmetric, the image's
//! conditions held before the move; the move changes nothing that they read, so the image is legal after it. Neither
//! reads or changes a fluent that the other changes, so the two moves commute, and the images of both together are the
//! same two moves: the board is symmetric again. A game that is over only where a player is stuck is then over only
//! where the opponent is. Some fluent changes in one direction only, so play is finite.

use rustc_hash::{FxHashMap, FxHashSet};

use super::grounded::CheckedBoardMove;
use super::{CheckError, Checker, Fact, PayoffSum};
use bouton_base::id::Id;
use bouton_certificates::mirror::MirrorLemma;
use bouton_grounding::{FALSE, FluentId, Ground, Renaming};
use bouton_reference::State;
use bouton_rules::{MOVER, PHASE};

impl Checker<'_> {
    /// Proves that the holder can force the bound by replying with images.
    pub(super) fn mirror(&mut self, start: &State, mirror: &MirrorLemma) -> Result<Fact, CheckError> {
        let mut ground = self.faultless_ground()?;
        let holder = self.holder_of_two(&mirror.bound)?;
        let other = 1 - holder;
        let position = self.fluent_position(&ground, start)?;
        let renaming = self.renaming(&ground, mirror)?;
        let position = self.position_after_opening(&ground, position, holder, mirror.opening.as_deref())?;
        let turn = ground.fluents.turn();
        if u32::from(position[turn.index()]) != other {
            return self.reject("it is not the other player's turn where the answers begin");
        }
        if renaming.image(&position) != position {
            return self.reject("the position where the answers begin is not symmetric");
        }
        let possible = ground.delete_relaxation(&position);
        self.check_ends_when_stuck(&mut ground, &possible, other, mirror.bound)?;
        self.check_irreversible(&mut ground, &possible)?;
        let moves = self.checked_board_moves(&mut ground, &possible, turn)?;
        let answers = &moves[holder as usize];
        for made in &moves[other as usize] {
            self.answered(&mut ground, made, answers, &renaming)?;
        }
        Ok(Fact::Bound { bound: mirror.bound, plies: None, sum: PayoffSum::default() })
    }

    /// Returns the symmetry: an involutive renaming of fluents that fixes the player to move.
    fn renaming(&self, ground: &Ground, mirror: &MirrorLemma) -> Result<Renaming, CheckError> {
        let mut renaming = Renaming {
            fluents: ground.fluents.iter().map(|(id, _)| id).collect(),
            values: ground.fluents.iter().map(|(_, f)| (0..f.values.len() as u8).collect()).collect(),
        };
        for image in &mirror.images {
            let (from, to) = (image.from as usize, image.to as usize);
            if from >= renaming.fluents.len() || to >= renaming.fluents.len() {
                return self.reject("an image is of a fluent that does not exist");
            }
            let field = ground.fluents.get(FluentId::new(from)).field;
            if field == MOVER || field == PHASE {
                return self.reject("the symmetry is not one of the board alone");
            }
            renaming.fluents[from] = FluentId::new(to);
            renaming.values[from] = image.values.clone();
        }
        for (id, fluent) in ground.fluents.iter() {
            let to = renaming.fluents[id.index()];
            let values = &renaming.values[id.index()];
            let back = &renaming.values[to.index()];
            let returns = |value: usize| {
                values.get(value).and_then(|&there| back.get(usize::from(there))) == Some(&(value as u8))
            };
            let size = fluent.values.len();
            if values.len() != size
                || renaming.fluents[to.index()] != id
                || ground.fluents.get(to).values.len() != size
                || !(0..size).all(returns)
            {
                return self.reject("the symmetry applied twice does not restore the board");
            }
        }
        Ok(renaming)
    }

    /// Checks that a move of the opponent has its image among the holder's moves, and that the two do not interfere.
    fn answered(
        &self,
        ground: &mut Ground,
        made: &CheckedBoardMove,
        answers: &[CheckedBoardMove],
        renaming: &Renaming,
    ) -> Result<(), CheckError> {
        let Some(legal) = ground.formulas.rename(made.legal, renaming) else {
            return self.reject("a move depends on a recursive definition");
        };
        // In a symmetric position the move is legal if and only if its image's conditions hold.
        if ground.formulas.and([made.legal, legal]) == FALSE {
            return Ok(());
        }
        let mut becomes = FxHashMap::default();
        for ((fluent, value), when) in &made.updates {
            let Some(when) = ground.formulas.rename(*when, renaming) else {
                return self.reject("a move depends on a recursive definition");
            };
            let there = renaming.fluents[fluent.index()];
            becomes.insert((there, renaming.values[fluent.index()][usize::from(*value)]), when);
        }
        let Some(answer) = answers.iter().find(|answer| answer.legal == legal && answer.updates == becomes)
        else {
            return self.reject("a move of the other player has no image among the holder's");
        };
        let meets = |writes: &FxHashSet<FluentId>, of: &CheckedBoardMove| {
            writes.iter().any(|fluent| of.reads.contains(fluent) || of.writes.contains(fluent))
        };
        if meets(&made.writes, answer) || meets(&answer.writes, made) {
            let fluent = made.writes.iter().chain(&answer.writes).min().copied().unwrap_or(FluentId(0));
            let place = ground.fluents.show(self.rules, fluent);
            return self
                .reject(format!("a move of the other player and its image meet (at `{place}` or near)"));
        }
        Ok(())
    }
}
