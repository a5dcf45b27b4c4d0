//! That there is a winning move, without which.

use super::kept::Kept;
use super::{Nothing, Remembered, Told, Trial};
use crate::cert::{Claim, Lemma, Steal};
use crate::detect::absorption;
use crate::report::page::Overlay;
use crate::rules::Play;
use crate::solve::Method;

impl Trial<'_> {
    /// A first move whose answers could all have been moved to at once.
    pub(super) fn by_stealing(&self) -> Result<Remembered, Nothing> {
        if self.game.rules.players().len() != 2 {
            return Err(Nothing::Reason("strategies are stolen between two players".into()));
        }
        let holder = self.mover().min(1);
        let none = "every first move has an answer that leads where no first move leads";
        let proposed = absorption::moves(&self.ground, &self.position);
        let (first, lemmas) = self.first(proposed, none, |play: &Play| {
            let first = self.interpreter.call_form(play);
            let lemma = Lemma::Steal(Steal { bound: Self::win(holder), first });
            (Claim::Wins { player: holder, plies: None }, vec![lemma])
        })?;
        let (name, other) = (self.player(holder), self.player(1 - holder));
        let first = self.made(&first).written;
        Ok(self.solved(Told {
            method: Method::Steal,
            value: self.won(holder),
            how: format!("{name} has a winning first move, though this does not tell which"),
            why: format!(
                "if {first} is not one, {other} has a good answer to it, and wherever that leads, {name} could have moved \
                 there at once"
            ),
            best: Vec::new(),
            lemmas,
            drawn: Overlay::None,
            kept: Kept::Nothing,
        }))
    }
}
