//! Pseudo-proof iteration: a decisive evaluation counts as an answer, and the bounds of a decisive one widen from pass
//! to pass.
//!
//! Technique: in a pass, a position counts as a yes if its evaluation by the rules exceeds that of the root by a bound
//! or more, and as a no if it is as much lower. The bounds widen from pass to pass. The results of a pass are the
//! initial numbers of the next one; an answer that rests on no evaluation ends the passes.
//! Source: Schaeffer, Björnsson, Burch, Kishimoto, Mueller, Lake, Lu, Sutphen, "Solving checkers" (2005), which widens
//! by steps; here each bound is twice the one before.
//! Cost: the interpreter of the rules computes evaluations. A pass with a narrow bound expands few positions, and
//! repeats its effort if the evaluations were wrong.
//! Invariant: an answer counts as [`answer_by_evaluation`](super::dfpn) unless all that it rests on is proved; only
//! proved answers enter the bounds of a position. After the last pass the search asks the question without evaluations.

use super::QuestionSolver;
use super::dfpn::{Dfpn, TreeKind, key};
use super::numbers::{PhiDelta, ProofNumbers};
use super::question::from_words;
use crate::solve::extract::SearchInterrupted;

/// The maximal number of passes; the bound of pass n is 2^n times that of pass 0.
const MAX_PSEUDO_PROOF_PASSES: u32 = 16;
/// The initial numbers in the next pass of the side that an evaluation favoured.
const FAVOURED_PHI_DELTA: PhiDelta = PhiDelta { phi: 1, delta: 8 };

/// The parameters of the passes: the origin of the bounds, and the first bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct EvaluationBounds {
    /// The evaluation of the first root.
    anchor: f64,
    first: f64,
}

impl Dfpn<'_> {
    /// Runs passes until an answer rests on no evaluation; `None` if no pass gives one.
    pub(super) fn run_pseudo_proof_passes(
        &mut self,
        root: &[u64],
        t: i32,
    ) -> Result<Option<bool>, SearchInterrupted> {
        if self.widening.is_none() {
            self.widening = self.bounds(root, t)?;
        }
        if self.widening.is_none() {
            return Ok(None);
        }
        for pass in 0..MAX_PSEUDO_PROOF_PASSES {
            self.guesses = 0;
            let question = self.question(t, TreeKind::PseudoProof(pass))?;
            self.run(root, question)?;
            if let Some(answer) = self.known_answer(&from_words(root), t) {
                return Ok(Some(answer));
            }
            if self.guesses == 0 {
                break;
            }
        }
        Ok(None)
    }

    /// Sets the bound of the first pass: the largest change of the evaluation by one move.
    fn bounds(&mut self, root: &[u64], t: i32) -> Result<Option<EvaluationBounds>, SearchInterrupted> {
        let Some(anchor) = self.eyes.evaluate(root, true) else { return Ok(None) };
        let (size, mut moves) = (self.eyes.size(), root.to_vec());
        self.eyes.expand(&mut moves, 0, t, self.held_bytes())?;
        let after = moves[size + 1..].chunks_exact(size + 1);
        let change = after.filter_map(|at| Some((self.eyes.evaluate(at, true)? - anchor).abs()));
        let most = change.fold(0.0, f64::max);
        Ok(Some(EvaluationBounds { anchor, first: if most > 0.0 { most } else { 1.0 } }))
    }

    /// Returns the answer of a position by its evaluation in a pass, if the evaluation is decisive.
    pub(super) fn answer_by_evaluation(&mut self, at: &[u64], pass: u32) -> Option<bool> {
        let EvaluationBounds { anchor, first } = self.widening?;
        let more = self.eyes.evaluate(at, true)? - anchor;
        let beyond = more.abs() >= first * f64::from(pass).exp2();
        self.guesses += u64::from(beyond);
        beyond.then_some(more > 0.0)
    }

    /// Returns the initial numbers of a position from an earlier pass.
    pub(super) fn numbers_of_earlier_pass(&self, at: &[u64], t: i32) -> Option<ProofNumbers> {
        self.widening?;
        let known = self.table.get(key(at, TreeKind::PseudoProof(0)))?;
        let (of, _) = *self.questions.get(known.question as usize)?;
        if of != t {
            return None;
        }
        Some(match known.numbers.answer() {
            Some(yes) => ProofNumbers::from_phi_delta(FAVOURED_PHI_DELTA, yes),
            None => known.numbers,
        })
    }
}
