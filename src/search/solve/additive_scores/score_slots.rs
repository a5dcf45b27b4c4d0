//! The analysis for additive scores: only the end of the game reads the scores, and moves only add amounts to them that
//! do not depend on them.
//!
//! Technique: a dataflow analysis derives the dependence of each circuit value on the scores from its operation, once.
//! Range checks of a score may read it, since the bound on the remaining score tells in advance if they can fail.

use rustc_hash::FxHashMap;

use bouton_circuit::{Circuit, Op, SlotId, StateUpdate, Stmt, StmtBlock, Ty, ValueId};

/// The slots of the two players' scores, with the maximum of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ScoreSlots {
    pub slots: [SlotId; 2],
    pub max_scores: [i64; 2],
    /// By player: the word of the slot, its lowest bit there, and the mask of its bits after a shift to the lowest
    /// ones.
    pub places: [(usize, u32, u64); 2],
}

/// The dependence of a value on the scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ScoreDependence {
    /// No dependence.
    Independent,
    /// The bits of the score, with or without an amount added.
    Bits(SlotId),
    /// The score itself.
    Score(SlotId),
    /// The score plus an amount that is not below 0.
    More(SlotId),
    /// A comparison, true if the score, with or without an amount added, exceeds this bound.
    Above(SlotId, i64),
    /// Any other dependence.
    Other,
}

impl ScoreSlots {
    /// Analyses a circuit; returns `None` if scores do more than add up.
    pub fn of(circuit: &Circuit) -> Option<ScoreSlots> {
        let mut looking = ScoreAnalysis {
            circuit,
            slots: Vec::new(),
            most: FxHashMap::default(),
            known: FxHashMap::default(),
        };
        let blocks = || {
            let groups = circuit.groups.iter().flat_map(|group| [&group.lets, &group.setup, &group.body]);
            circuit.controls.iter().flat_map(|control| [&control.before, &control.stuck]).chain(groups)
        };
        blocks().for_each(|block| looking.find(block));
        let &[a, b] = &looking.slots[..] else { return None };
        let width = |slot: SlotId| circuit.layout.slots[slot].width();
        let narrow = [a, b].into_iter().all(|slot| width(slot) < 32);
        let held =
            circuit.controls.iter().any(|c| c.constant_slots.iter().any(|(slot, _)| [a, b].contains(slot)));
        let chance = circuit.controls.iter().any(|control| control.chance);
        let sets = circuit.groups.iter().all(|group| looking.is_free(group.set));
        if !narrow || held || chance || !sets || !blocks().all(|block| looking.adds_up(block)) {
            return None;
        }
        let most = [a, b].map(|slot| {
            let room = (1i64 << width(slot)) - 1;
            looking.most.get(&slot).map_or(room, |&most| most.min(room))
        });
        let places = [a, b].map(|id| {
            let slot = &circuit.layout.slots[id];
            (slot.word as usize, slot.bit, (1 << slot.width()) - 1)
        });
        Some(ScoreSlots { slots: [a, b], max_scores: most, places })
    }
}

struct ScoreAnalysis<'c> {
    circuit: &'c Circuit,
    slots: Vec<SlotId>,
    /// The maximum of each score, where a rule gives one.
    most: FxHashMap<SlotId, i64>,
    known: FxHashMap<ValueId, ScoreDependence>,
}

impl ScoreAnalysis<'_> {
    /// Collects the slots that the ends compare.
    fn find(&mut self, block: &StmtBlock) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Over(over) if self.slots.is_empty() => {
                    let slot = |value: &ValueId| match self.circuit.values[*value].op {
                        Op::Unpack(bits) => match self.circuit.values[bits].op {
                            Op::Slot(slot) => Some(slot),
                            _ => None,
                        },
                        _ => None,
                    };
                    self.slots = over.scores.iter().filter_map(slot).collect();
                }
                Stmt::If(_, yes, no) => [yes, no].into_iter().for_each(|block| self.find(block)),
                _ => {}
            }
        }
    }

    fn is_free(&mut self, value: ValueId) -> bool {
        self.kind(value) == ScoreDependence::Independent
    }

    /// Returns true if the only uses of scores in a block are additions to them and the comparison at the end.
    fn adds_up(&mut self, block: &StmtBlock) -> bool {
        block.stmts.iter().all(|stmt| match stmt {
            Stmt::Let(_) => true,
            Stmt::Fix(_, block) => self.adds_up(block),
            Stmt::If(when, yes, no) => self.is_free(*when) && self.adds_up(yes) && self.adds_up(no),
            Stmt::Require(value) => self.is_free(*value),
            Stmt::Over(over) => {
                let compared: Vec<ScoreDependence> =
                    over.scores.iter().map(|&score| self.kind(score)).collect();
                let scores: Vec<ScoreDependence> =
                    self.slots.iter().map(|&slot| ScoreDependence::Score(slot)).collect();
                self.is_free(over.when) && compared == scores
            }
            Stmt::Fault(value) => match self.kind(*value) {
                ScoreDependence::Independent => true,
                ScoreDependence::Above(slot, most) => {
                    let least = self.most.get(&slot).map_or(most, |&known| known.min(most));
                    self.most.insert(slot, least);
                    true
                }
                _ => false,
            },
            Stmt::Yield(StateUpdate { slots, weight, .. }) => {
                let fits = |&(slot, value): &(SlotId, ValueId)| {
                    let kind = self.kind(value);
                    kind == if self.slots.contains(&slot) {
                        ScoreDependence::Bits(slot)
                    } else {
                        ScoreDependence::Independent
                    }
                };
                weight.is_none() && slots.iter().all(fits)
            }
        })
    }

    fn kind(&mut self, value: ValueId) -> ScoreDependence {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let kind = self.look(value);
        self.known.insert(value, kind);
        kind
    }

    fn look(&mut self, value: ValueId) -> ScoreDependence {
        let circuit = self.circuit;
        match circuit.values[value].op {
            Op::Slot(slot) if self.slots.contains(&slot) => ScoreDependence::Bits(slot),
            Op::Unpack(bits) => match (self.kind(bits), &circuit.values[bits].op) {
                (ScoreDependence::Bits(slot), Op::Slot(_)) => ScoreDependence::Score(slot),
                (ScoreDependence::Bits(slot), _) => ScoreDependence::More(slot),
                (ScoreDependence::Independent, _) => ScoreDependence::Independent,
                _ => ScoreDependence::Other,
            },
            Op::Add(a, b) => match (self.kind(a), self.kind(b)) {
                (ScoreDependence::Independent, ScoreDependence::Independent) => ScoreDependence::Independent,
                (
                    ScoreDependence::Score(slot) | ScoreDependence::More(slot),
                    ScoreDependence::Independent,
                ) if self.counts(b) => ScoreDependence::More(slot),
                (
                    ScoreDependence::Independent,
                    ScoreDependence::Score(slot) | ScoreDependence::More(slot),
                ) if self.counts(a) => ScoreDependence::More(slot),
                _ => ScoreDependence::Other,
            },
            Op::Pack(number) => match self.kind(number) {
                ScoreDependence::Score(slot) | ScoreDependence::More(slot)
                    if circuit.values[value].ty == Ty::Bits(circuit.layout.slots[slot].width()) =>
                {
                    ScoreDependence::Bits(slot)
                }
                ScoreDependence::Independent => ScoreDependence::Independent,
                _ => ScoreDependence::Other,
            },
            Op::Select(which, yes, no) => match (self.kind(which), self.kind(yes), self.kind(no)) {
                (ScoreDependence::Independent, a, b)
                    if a == b && !matches!(a, ScoreDependence::Above(..)) =>
                {
                    a
                }
                (
                    ScoreDependence::Independent,
                    ScoreDependence::Score(a) | ScoreDependence::More(a),
                    ScoreDependence::Score(b) | ScoreDependence::More(b),
                ) if a == b => ScoreDependence::More(a),
                _ => ScoreDependence::Other,
            },
            Op::Less(a, b) => match (&circuit.values[a].op, self.kind(a), self.kind(b)) {
                (_, ScoreDependence::Independent, ScoreDependence::Independent) => {
                    ScoreDependence::Independent
                }
                (&Op::Int(most), _, ScoreDependence::Score(slot) | ScoreDependence::More(slot)) => {
                    ScoreDependence::Above(slot, most)
                }
                _ => ScoreDependence::Other,
            },
            Op::Fixed(fix, _) => {
                let fix = &circuit.fixes[fix];
                let all = fix.vars.iter().map(|&(_, first)| first).chain(fix.next.iter().copied());
                let all: Vec<ValueId> = all.collect();
                if all.into_iter().all(|value| self.is_free(value)) {
                    ScoreDependence::Independent
                } else {
                    ScoreDependence::Other
                }
            }
            ref op => {
                let mut operands = Vec::new();
                op.each_operand(|operand| operands.push(operand));
                if operands.into_iter().all(|operand| self.is_free(operand)) {
                    ScoreDependence::Independent
                } else {
                    ScoreDependence::Other
                }
            }
        }
    }

    /// Returns true if a number is not below 0, as far as its operation shows.
    fn counts(&self, number: ValueId) -> bool {
        match &self.circuit.values[number].op {
            Op::Int(n) => *n >= 0,
            Op::Unpack(_) | Op::Count(_) | Op::First(_) | Op::Mod(..) => true,
            Op::Lookup(_, entries) => entries.iter().all(|&n| n >= 0),
            &Op::Add(a, b) | &Op::Mul(a, b) | &Op::Min(a, b) | &Op::Select(_, a, b) => {
                self.counts(a) && self.counts(b)
            }
            _ => false,
        }
    }
}
