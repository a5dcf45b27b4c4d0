//! Pseudo-proof iteration: what the rules guess is taken for an answer where it says much, and less and less of it.
//!
//! Technique: in a pass, a position that the rules guess to be worth more than the one asked about, by a bound or beyond,
//! counts as a yes, and one worth so much less as a no. The passes have wider bounds one after the other. What a pass
//! says of a position is where the next one begins with it; an answer that rests on no guess ends them.
//! Source: Schaeffer, Björnsson, Burch, Kishimoto, Mueller, Lake, Lu, Sutphen, "Solving checkers" (2005), which widens
//! by steps; here each bound is twice the one before.
//! Cost: guesses are worked out by the definition of the rules. A pass of a narrow bound takes few positions, and what it
//! takes is spent once more where the guesses were wrong.
//! Invariant: an answer counts as [`guessed`](super::dfpn) unless all that it rests on was proved; only others are kept
//! with what is known of a position. After the last pass the question is asked without guesses.

use super::Prover;
use super::dfpn::{Dfpn, Kind, key};
use super::numbers::Numbers;
use super::question::position;
use crate::solve::telling::Halted;

/// How many passes there are at most: the last bound is the first one so often doubled.
const PASSES: u32 = 16;
/// What a side that was guessed to have its way takes at first in the next pass, and what it takes to stop it.
const LIKELY: (u32, u32) = (1, 8);

/// From where bounds are told, and the first of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widening {
    /// What the rules guess of the position that was asked about first.
    anchor: f64,
    first: f64,
}

impl Dfpn<'_> {
    /// Asks a question in passes, until an answer rests on no guess; none where each one does.
    pub(super) fn in_passes(&mut self, root: &[u64], t: i32) -> Result<Option<bool>, Halted> {
        if self.widening.is_none() {
            self.widening = self.bounds(root, t)?;
        }
        if self.widening.is_none() {
            return Ok(None);
        }
        for pass in 0..PASSES {
            self.guesses = 0;
            let question = self.question(t, Kind::Guessed(pass))?;
            self.run(root, question)?;
            if let Some(answer) = self.knows(&position(root), t) {
                return Ok(Some(answer));
            }
            if self.guesses == 0 {
                break;
            }
        }
        Ok(None)
    }

    /// The bound of the first pass is how much one move changes what is guessed.
    fn bounds(&mut self, root: &[u64], t: i32) -> Result<Option<Widening>, Halted> {
        let Some(anchor) = self.eyes.guess(root, true) else { return Ok(None) };
        let (size, mut moves) = (self.eyes.size(), root.to_vec());
        self.eyes.look(&mut moves, 0, t, self.held_bytes())?;
        let after = moves[size + 1..].chunks_exact(size + 1);
        let change = after.filter_map(|at| Some((self.eyes.guess(at, true)? - anchor).abs()));
        let most = change.fold(0.0, f64::max);
        Ok(Some(Widening { anchor, first: if most > 0.0 { most } else { 1.0 } }))
    }

    /// What counts as the answer in a pass.
    pub(super) fn guessed(&mut self, at: &[u64], pass: u32) -> Option<bool> {
        let Widening { anchor, first } = self.widening?;
        let more = self.eyes.guess(at, true)? - anchor;
        let beyond = more.abs() >= first * f64::from(pass).exp2();
        self.guesses += u64::from(beyond);
        beyond.then_some(more > 0.0)
    }

    /// The numbers that a position begins with, where an earlier pass knew it.
    pub(super) fn expected(&self, at: &[u64], t: i32) -> Option<Numbers> {
        self.widening?;
        let known = self.table.get(key(at, Kind::Guessed(0)))?;
        let (of, _) = *self.questions.get(known.question as usize)?;
        if of != t {
            return None;
        }
        Some(match known.numbers.answer() {
            Some(yes) => Numbers::from_seen(LIKELY, yes),
            None => known.numbers,
        })
    }
}
