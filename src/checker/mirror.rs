//! The check of MIRROR: on the grounded rules, move by move.
//!
//! A position is *symmetric* if its board, that is all fluents but the player to move, is its own image. In a
//! symmetric position with the opponent to move, consider any move that may ever be legal. Its image is a move of the
//! holder, with the same conditions and effects on the renamed board. Since the position is symmetric, the image's
//! conditions held before the move; the move changes nothing that they read, so the image is legal after it. Neither
//! reads a fluent that the other changes, and a fluent that both change gets the same value from both in any case. So
//! the two moves commute, and the images of both together are the same two moves: the board is symmetric again. A game that is over only where a player is stuck is then over only
//! where the opponent is. Some fluent changes in one direction only, so play is finite.

use super::grounded::{CheckedBoardMove, renamed_effects};
use super::{Checked, Checker, Fact, PayoffSum, reject};
use bouton_base::id::Id;
use bouton_certificates::mirror::MirrorLemma;
use bouton_grounding::{FALSE, FluentId, Ground, Renaming};
use bouton_reference::State;

impl Checker<'_> {
    /// Proves that the holder can force the bound by replying with images.
    pub(super) fn mirror(&mut self, start: &State, mirror: &MirrorLemma) -> Checked<Fact> {
        let mut ground = self.faultless_ground()?;
        let holder = self.holder_of_two(&mirror.bound)?;
        let other = 1 - holder;
        let position = self.fluent_position(&ground, start)?;
        let renaming = self.involution(&ground, mirror)?;
        let position = self.position_after_opening(&ground, position, holder, mirror.opening.as_deref())?;
        let turn = ground.fluents.turn();
        if renaming.image(&position) != position {
            return reject("the position where the answers begin is not symmetric");
        }
        let possible = ground.delete_relaxation(&position);
        self.check_ends_when_stuck(&mut ground, &possible, other, &mirror.bound)?;
        self.check_irreversible(&mut ground, &possible)?;
        let moves = self.checked_board_moves(&mut ground, &possible, turn)?;
        let answers = &moves[holder as usize];
        for made in &moves[other as usize] {
            self.answered(&mut ground, made, answers, &renaming)?;
        }
        Ok(Fact::Bound { bound: mirror.bound.clone(), plies: None, sum: PayoffSum::default() })
    }

    /// Returns the symmetry: an involutive renaming of fluents. It may exchange the player to move with another fluent,
    /// since no move has effects on the player to move here: a move that has an image then leaves both alone.
    fn involution(&self, ground: &Ground, mirror: &MirrorLemma) -> Checked<Renaming> {
        let renaming = self.permutation(ground, &mirror.images)?;
        for (id, _) in ground.fluents.iter() {
            let (to, values) = (renaming.fluents[id.index()], &renaming.values[id.index()]);
            let back = &renaming.values[to.index()];
            let returns = |value: u8| back[usize::from(values[usize::from(value)])] == value;
            if renaming.fluents[to.index()] != id || !(0..values.len() as u8).all(returns) {
                return reject("the symmetry applied twice does not restore the board");
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
    ) -> Checked<()> {
        let legal =
            ground.formulas.rename(made.legal, renaming).ok_or("a move depends on a recursive definition")?;
        // In a symmetric position the move is legal if and only if its image's conditions hold.
        if ground.formulas.and([made.legal, legal]) == FALSE {
            return Ok(());
        }
        let becomes = renamed_effects(ground, &made.updates, renaming)?;
        let Some(answer) = answers.iter().find(|answer| answer.legal == legal && answer.updates == becomes)
        else {
            return reject("a move of the other player has no image among the holder's");
        };
        // The value that a move gives to a fluent wherever it is legal, if it is one.
        let value = |of: &CheckedBoardMove, fluent: FluentId| {
            let mut values = of.updates.iter().filter(|((changed, _), _)| *changed == fluent);
            let ((_, value), when) = values.next()?;
            (values.next().is_none() && *when == of.legal).then_some(*value)
        };
        let meets = |of: &CheckedBoardMove, other: &CheckedBoardMove| {
            let alike = |fluent: FluentId| {
                let given = value(of, fluent);
                given.is_some() && given == value(other, fluent)
            };
            let meets = |fluent: &FluentId| {
                other.reads.contains(fluent) || other.writes.contains(fluent) && !alike(*fluent)
            };
            of.writes.iter().any(meets)
        };
        if meets(made, answer) || meets(answer, made) {
            let fluent = made.writes.iter().chain(&answer.writes).min().copied().unwrap_or(FluentId(0));
            let place = ground.fluents.show(self.rules, fluent);
            return reject(format!("a move of the other player and its image meet (at `{place}` or near)"));
        }
        Ok(())
    }
}
