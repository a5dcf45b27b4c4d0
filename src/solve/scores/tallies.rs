//! The analysis for additive scores: only the end of the game reads the scores, and moves only add amounts to them that
//! do not depend on them.
//!
//! Technique: a dataflow analysis derives the dependence of each circuit value on the scores from its operation, once.
//! Range checks of a score may read it, since the bound on the remaining score tells in advance if they can fail.

use rustc_hash::FxHashMap;

use crate::circuit::{Block, Circuit, Op, SlotId, Stmt, Ty, ValueId, Yield};

/// The slots of the two players' scores, with the maximum of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tallies {
    pub slots: [SlotId; 2],
    pub most: [i64; 2],
    /// By player: the word of the slot, its lowest bit there, and the mask of its bits after a shift to the lowest
    /// ones.
    pub places: [(usize, u32, u64); 2],
}

/// The dependence of a value on the scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// No dependence.
    Free,
    /// The bits of the score, with or without an amount added.
    Bits(SlotId),
    /// The score itself.
    Score(SlotId),
    /// The score plus an amount that is not below 0.
    More(SlotId),
    /// A comparison, true if the score, with or without an amount added, exceeds this bound.
    Above(SlotId, i64),
    /// Any other dependence.
    Bound,
}

impl Tallies {
    /// Analyses a circuit; returns `None` if scores do more than add up.
    pub fn of(circuit: &Circuit) -> Option<Tallies> {
        let mut looking =
            Looking { circuit, slots: Vec::new(), most: FxHashMap::default(), known: FxHashMap::default() };
        let blocks = || {
            let groups = circuit.groups.iter().flat_map(|group| [&group.lets, &group.setup, &group.body]);
            circuit.controls.iter().flat_map(|control| [&control.before, &control.stuck]).chain(groups)
        };
        blocks().for_each(|block| looking.find(block));
        let &[a, b] = &looking.slots[..] else { return None };
        let width = |slot: SlotId| circuit.layout.slots[slot].width();
        let narrow = [a, b].into_iter().all(|slot| width(slot) < 32);
        let held = circuit.controls.iter().any(|c| c.holds.iter().any(|(slot, _)| [a, b].contains(slot)));
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
        Some(Tallies { slots: [a, b], most, places })
    }
}

struct Looking<'c> {
    circuit: &'c Circuit,
    slots: Vec<SlotId>,
    /// The maximum of each score, where a rule gives one.
    most: FxHashMap<SlotId, i64>,
    known: FxHashMap<ValueId, Kind>,
}

impl Looking<'_> {
    /// Collects the slots that the ends compare.
    fn find(&mut self, block: &Block) {
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
        self.kind(value) == Kind::Free
    }

    /// Returns true if the only uses of scores in a block are additions to them and the comparison at the end.
    fn adds_up(&mut self, block: &Block) -> bool {
        block.stmts.iter().all(|stmt| match stmt {
            Stmt::Let(_) => true,
            Stmt::Fix(_, block) => self.adds_up(block),
            Stmt::If(when, yes, no) => self.is_free(*when) && self.adds_up(yes) && self.adds_up(no),
            Stmt::Require(value) => self.is_free(*value),
            Stmt::Over(over) => {
                let compared: Vec<Kind> = over.scores.iter().map(|&score| self.kind(score)).collect();
                let scores: Vec<Kind> = self.slots.iter().map(|&slot| Kind::Score(slot)).collect();
                self.is_free(over.when) && compared == scores
            }
            Stmt::Fault(value) => match self.kind(*value) {
                Kind::Free => true,
                Kind::Above(slot, most) => {
                    let least = self.most.get(&slot).map_or(most, |&known| known.min(most));
                    self.most.insert(slot, least);
                    true
                }
                _ => false,
            },
            Stmt::Yield(Yield { slots, weight, .. }) => {
                let fits = |&(slot, value): &(SlotId, ValueId)| {
                    let kind = self.kind(value);
                    kind == if self.slots.contains(&slot) { Kind::Bits(slot) } else { Kind::Free }
                };
                weight.is_none() && slots.iter().all(fits)
            }
        })
    }

    fn kind(&mut self, value: ValueId) -> Kind {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let kind = self.look(value);
        self.known.insert(value, kind);
        kind
    }

    fn look(&mut self, value: ValueId) -> Kind {
        let circuit = self.circuit;
        match circuit.values[value].op {
            Op::Slot(slot) if self.slots.contains(&slot) => Kind::Bits(slot),
            Op::Unpack(bits) => match (self.kind(bits), &circuit.values[bits].op) {
                (Kind::Bits(slot), Op::Slot(_)) => Kind::Score(slot),
                (Kind::Bits(slot), _) => Kind::More(slot),
                (Kind::Free, _) => Kind::Free,
                _ => Kind::Bound,
            },
            Op::Add(a, b) => match (self.kind(a), self.kind(b)) {
                (Kind::Free, Kind::Free) => Kind::Free,
                (Kind::Score(slot) | Kind::More(slot), Kind::Free) if self.counts(b) => Kind::More(slot),
                (Kind::Free, Kind::Score(slot) | Kind::More(slot)) if self.counts(a) => Kind::More(slot),
                _ => Kind::Bound,
            },
            Op::Pack(number) => match self.kind(number) {
                Kind::Score(slot) | Kind::More(slot)
                    if circuit.values[value].ty == Ty::Bits(circuit.layout.slots[slot].width()) =>
                {
                    Kind::Bits(slot)
                }
                Kind::Free => Kind::Free,
                _ => Kind::Bound,
            },
            Op::Select(which, yes, no) => match (self.kind(which), self.kind(yes), self.kind(no)) {
                (Kind::Free, a, b) if a == b && !matches!(a, Kind::Above(..)) => a,
                (Kind::Free, Kind::Score(a) | Kind::More(a), Kind::Score(b) | Kind::More(b)) if a == b => {
                    Kind::More(a)
                }
                _ => Kind::Bound,
            },
            Op::Less(a, b) => match (&circuit.values[a].op, self.kind(a), self.kind(b)) {
                (_, Kind::Free, Kind::Free) => Kind::Free,
                (&Op::Int(most), _, Kind::Score(slot) | Kind::More(slot)) => Kind::Above(slot, most),
                _ => Kind::Bound,
            },
            Op::Fixed(fix, _) => {
                let fix = &circuit.fixes[fix];
                let all = fix.vars.iter().map(|&(_, first)| first).chain(fix.next.iter().copied());
                let all: Vec<ValueId> = all.collect();
                if all.into_iter().all(|value| self.is_free(value)) { Kind::Free } else { Kind::Bound }
            }
            ref op => {
                let mut operands = Vec::new();
                op.each_operand(|operand| operands.push(operand));
                if operands.into_iter().all(|operand| self.is_free(operand)) {
                    Kind::Free
                } else {
                    Kind::Bound
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
