//! A measure that every move raises, so that no position comes back.
//!
//! Technique: each bit of the state has a weight, and the measure of a position is the sum of the weights of its ones.
//! Weights under which every move seen in random plays raises the measure are looked for by the perceptron rule: a move
//! that does not raise it is added to them, until none is left.
//! Source: Rosenblatt, "The perceptron" (1958); it ends if there are such weights (Novikoff 1962).
//! Cost: some thousand expansions; a bounded number of corrections.
//! Invariant: nothing is taken on trust. Who searches asks [`Measure::rises`] of every move he follows, so that what was
//! not in the sample is learned or found out, and never gives a wrong value.
//! Not taken: a proof from the circuit. It would have to know that moves go to empty cells, which rules say in many ways,
//! and the question costs next to nothing beside a move.

use rustc_hash::FxHashSet;

use crate::base::limits::Limits;
use crate::circuit::Position;
use crate::exec::walk::Xorshift;
use crate::exec::{Runner, Status};

/// So many games are played at random.
const GAMES: usize = 24;
/// A game longer than this is broken off.
const PLIES: usize = 300;
/// So many different changes are kept. The others are learned when they are met.
const CHANGES: usize = 4000;
/// So many steps are made in looking for weights before it is given up.
const STEPS: u64 = 20_000_000;
/// The games are the same in every run.
const SEED: u64 = 0x6d65_6173_7572_6501;

/// Weights of the bits of a state.
#[derive(Clone, Debug)]
pub struct Measure {
    weights: Vec<i64>,
    changes: Vec<Change>,
    known: FxHashSet<Change>,
    steps: u64,
}

/// The bits that a move changes, in order; and whether it sets them.
type Change = Box<[(u32, bool)]>;

impl Measure {
    /// A measure for play from here; none where none was found, or a limit was reached.
    pub fn of(runner: &dyn Runner, from: &Position, limits: &Limits) -> Option<Measure> {
        let weights = vec![1; 64 * from.words.len()];
        let mut measure = Measure { weights, changes: Vec::new(), known: FxHashSet::default(), steps: 0 };
        let mut random = Xorshift::new(SEED);
        let mut children = Vec::new();
        for _ in 0..GAMES {
            let mut at = from.clone();
            for _ in 0..PLIES {
                if limits.check().is_some() {
                    return None;
                }
                children.clear();
                match runner.expand(&at, &mut children) {
                    Ok(Status::Open) if !children.is_empty() => {}
                    _ => break,
                }
                for child in &children {
                    measure.note(&at.words, &child.position.words)?;
                }
                at = children.swap_remove(random.below(children.len() as u32) as usize).position;
            }
        }
        measure.settle().then_some(measure)
    }

    /// Keeps a change that was not known. None where it is known that it can be undone.
    fn note(&mut self, from: &[u64], to: &[u64]) -> Option<()> {
        if from == to || self.changes.len() >= CHANGES {
            return Some(());
        }
        let change = change(from, to);
        if self.known.contains(&change) {
            return Some(());
        }
        let undone: Change = change.iter().map(|&(bit, set)| (bit, !set)).collect();
        if self.known.contains(&undone) {
            return None;
        }
        self.known.insert(change.clone());
        self.changes.push(change);
        Some(())
    }

    /// Corrects the weights until all changes known raise the measure; whether that came about.
    fn settle(&mut self) -> bool {
        loop {
            let mut right = true;
            for change in &self.changes {
                self.steps += change.len() as u64;
                if sum(&self.weights, change) < 1 {
                    right = false;
                    for &(bit, set) in change {
                        let weight = &mut self.weights[bit as usize];
                        *weight += if set { 1 } else { -1 };
                    }
                }
            }
            if right || self.steps > STEPS {
                return right;
            }
        }
    }

    /// Whether a move between these states raises the measure.
    pub fn rises(&self, from: &[u64], to: &[u64]) -> bool {
        let mut sum = 0;
        for ((&from, &to), weights) in from.iter().zip(to).zip(self.weights.chunks_exact(64)) {
            let mut changed = from ^ to;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                let weight = weights[bit as usize];
                sum += if to >> bit & 1 == 1 { weight } else { -weight };
                changed &= changed - 1;
            }
        }
        sum > 0
    }

    /// Takes in a move that does not raise the measure; whether there is a measure that it raises, too.
    pub fn learn(&mut self, from: &[u64], to: &[u64]) -> bool {
        let room = self.changes.len() < 2 * CHANGES;
        if room && self.changes.len() >= CHANGES {
            let change = change(from, to);
            self.known.insert(change.clone());
            self.changes.push(change);
            return self.settle();
        }
        room && self.note(from, to).is_some() && self.settle()
    }
}

fn change(from: &[u64], to: &[u64]) -> Change {
    let mut bits = Vec::new();
    for ((&from, &to), word) in from.iter().zip(to).zip(0u32..) {
        let mut changed = from ^ to;
        while changed != 0 {
            let bit = changed.trailing_zeros();
            bits.push((64 * word + bit, to >> bit & 1 == 1));
            changed &= changed - 1;
        }
    }
    bits.into()
}

fn sum(weights: &[i64], change: &[(u32, bool)]) -> i64 {
    let signed = |&(bit, set): &(u32, bool)| if set { weights[bit as usize] } else { -weights[bit as usize] };
    change.iter().map(signed).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty(words: usize) -> Measure {
        Measure { weights: vec![1; 64 * words], changes: Vec::new(), known: FxHashSet::default(), steps: 0 }
    }

    #[test]
    fn what_falls_can_be_measured_and_what_goes_round_cannot() {
        // A number of three bits that grows by one: no bit only grows.
        let mut counter = empty(1);
        for n in 0..7u64 {
            counter.note(&[n], &[n + 1]).expect("never undone");
        }
        assert!(counter.settle());
        assert!((0..7u64).all(|n| counter.rises(&[n], &[n + 1]) && !counter.rises(&[n + 1], &[n])));
        assert!((0..7u64).all(|n| (n + 1..8).all(|m| counter.rises(&[n], &[m]))));
        // Three places one after another and back to the first: no step undoes another.
        let mut round = empty(1);
        for (from, to) in [(1u64, 2u64), (2, 4), (4, 1)] {
            round.note(&[from], &[to]).expect("never undone");
        }
        assert!(!round.settle());
        assert_eq!(empty(2).note(&[1, 0], &[1, 0]), Some(()));
        let mut back = empty(2);
        assert_eq!(back.note(&[0, 1], &[0, 2]), Some(()));
        assert_eq!(back.note(&[3, 2], &[3, 1]), None);
    }

    #[test]
    fn a_move_not_seen_before_is_learned() {
        let mut measure = empty(1);
        measure.note(&[0], &[1]).expect("never undone");
        assert!(measure.settle());
        assert!(!measure.rises(&[2], &[0]));
        assert!(measure.learn(&[2], &[0]));
        assert!(measure.rises(&[2], &[0]) && measure.rises(&[0], &[1]));
        assert!(!measure.learn(&[0], &[2]));
    }
}
