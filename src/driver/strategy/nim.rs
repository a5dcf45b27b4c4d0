//! Strategies that keep the nim sum of independent parts at 0.

use super::kept::Kept;
use super::{Nothing, Remembered, Told, Trial};
use crate::cert::{Claim, Lemma, NimSum, nim_sum};
use crate::detect::sums;
use crate::ground::{Maker, Reading};
use crate::report::page::Overlay;
use crate::report::words::some_of;
use crate::solve::Method;

impl Trial<'_> {
    /// Keeping the nim sum of independent parts at 0.
    pub(super) fn by_nim_sum(&self) -> Result<Remembered, Nothing> {
        if self.game.rules.players().len() != 2 {
            return Err(Nothing::Reason("nim sums are for two players".into()));
        }
        let parts = sums::parts(&self.ground, &self.position).map_err(Nothing::Reason)?;
        let total = parts.iter().fold(0, |total, part| total ^ part.value);
        let mover = self.mover();
        let holder = if total == 0 { 1 - mover.min(1) } else { mover };
        let bound = Self::win(holder);
        let listed = |part: &sums::Part| {
            let mut values: Vec<(Vec<u8>, u32)> =
                part.nimbers.iter().map(|(local, nimber)| (local.clone(), *nimber)).collect();
            values.sort_unstable();
            nim_sum::Part { fluents: part.fluents.iter().map(|fluent| fluent.0).collect(), values }
        };
        let lemmas = vec![Lemma::NimSum(NimSum { bound, parts: parts.iter().map(listed).collect() })];
        self.check(Claim::Wins { player: holder, plies: None }, &lemmas)?;
        let mut best = Vec::new();
        let mut reading = Reading::new(&self.ground.formulas, &self.position);
        for action in self.ground.actions.iter().filter(|_| total != 0) {
            if action.maker != Maker::Player(mover) || !reading.holds(action.legal) {
                continue;
            }
            let after = self.ground.after(&mut reading, &self.position, action);
            let sum = parts.iter().try_fold(0, |total, part| Some(total ^ part.value_in(&after)?));
            if sum == Some(0) {
                best.push(self.made(&action.play));
            }
        }
        let width =
            parts.iter().map(|part| 32 - part.value.leading_zeros()).max().unwrap_or(1).max(1) as usize;
        let values: Vec<String> = parts.iter().map(|part| part.value.to_string()).collect();
        let columns: Vec<String> = parts.iter().map(|part| format!("{:0width$b}", part.value)).collect();
        let name = self.player(holder);
        let how = match total {
            0 => format!("every column has an even number of ones, which {name} restores after each move"),
            _ => format!("{name} makes the number of ones in every column even, and does so again each time"),
        };
        let how =
            format!("the parts are worth {} (in binary {}); {how}", values.join(", "), columns.join(", "));
        let heaps = parts.iter().map(|part| {
            let names: Vec<String> = part.fluents.iter().map(|fluent| self.name(*fluent)).collect();
            (some_of(&names, 3), u64::from(part.value))
        });
        let mut remembered = self.solved(Told {
            method: Method::Nim,
            value: self.won(holder),
            how,
            why: "from even columns every move makes one odd, and from odd ones there is a way back".into(),
            best,
            lemmas,
            drawn: Overlay::Heaps(heaps.collect()),
            kept: Kept::Sum(parts.clone()),
        });
        remembered.solution.nimber = Some(total);
        remembered.solution.line.clear();
        Ok(remembered)
    }
}
