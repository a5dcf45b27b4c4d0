//! The end of a stage, where all its changes happen simultaneously, and the end of a move.

use std::rc::Rc;

use super::changes::{ChangeKind, FieldChange};
use super::{BodyRun, NextTurn};
use crate::cx::Number;
use crate::numbers::bounds;
use crate::state::FieldLayout;
use crate::{Lower, LowerError, Result};
use bouton_base::bits::BitSet;
use bouton_circuit::{SlotId, StateUpdate, Stmt, StmtBlock, ValueId};
use bouton_rules::{EffectOp, FieldId};

impl<'r> Lower<'r> {
    /// Applies all changes of a stage simultaneously.
    pub(super) fn end_stage(&mut self, run: &mut BodyRun<'r>, out: &mut StmtBlock) -> Result<()> {
        let changes = std::mem::take(&mut run.changes);
        out.stmts.append(&mut run.wrong.stmts);
        let saying = std::mem::take(&mut run.saying);
        run.said =
            NextTurn { mover: saying.mover.or(run.said.mover), phase: saying.phase.or(run.said.phase) };
        self.conflicts(&changes, out);
        let mut state = run.cx.state.to_vec();
        let mut order: Vec<&FieldChange> = changes.iter().collect();
        // The whole before its parts, and additions after assignments.
        order.sort_by_key(|change| {
            (
                matches!(change.op, EffectOp::Add | EffectOp::Subtract | EffectOp::Insert),
                change.op == EffectOp::Remove,
                change.part,
            )
        });
        let before = run.cx.state.clone();
        let mut numbers: Vec<(SlotId, FieldId, ValueId, i64, i64, ValueId)> = Vec::new();
        for change in order {
            let transient = self.rules.fields[change.field].transient;
            match &change.kind {
                ChangeKind::Planes { target, puts } => {
                    if change.part.is_some() {
                        self.no_part(change.field, *target, &state, out);
                    }
                    for (slot, put) in puts {
                        let index = slot.0 as usize;
                        let kept = self.build.and_not(state[index], *target);
                        state[index] = self.build.or(kept, *put);
                        if transient {
                            run.assigned.push((*slot, *target));
                        }
                    }
                }
                ChangeKind::Code { slot, when, value, low, high } => {
                    let FieldLayout::Codes(codes) = &self.state.fields[change.field] else { continue };
                    let (offset, count) = (codes.low.unwrap_or(0), codes.count);
                    let found = numbers.iter().position(|n| n.0 == *slot);
                    let at = found.unwrap_or_else(|| {
                        let code = self.build.unpack(before[slot.0 as usize]);
                        let offset_value = self.build.int(offset);
                        let old = self.build.plus(code, offset_value);
                        let never = self.build.truth(false);
                        numbers.push((*slot, change.field, old, offset, offset + (count - 1) as i64, never));
                        numbers.len() - 1
                    });
                    let (_, _, old, old_low, old_high, any) = numbers[at];
                    let [low, high] = [*low, *high].map(i128::from);
                    let [least, greatest] = [old_low, old_high].map(i128::from);
                    let (value, low, high) = match change.op {
                        EffectOp::Add => (self.build.plus(old, *value), least + low, greatest + high),
                        EffectOp::Subtract => (self.build.minus(old, *value), least - high, greatest - low),
                        _ => (*value, low, high),
                    };
                    let (low, high) = bounds([low, high], self.rules.fields[change.field].span)?;
                    let always = self.build.constant_truth(*when) == Some(true);
                    let entry = &mut numbers[at];
                    entry.2 = self.build.select(*when, value, old);
                    entry.3 = if always { low } else { low.min(old_low) };
                    entry.4 = if always { high } else { high.max(old_high) };
                    entry.5 = self.build.or(any, *when);
                }
                ChangeKind::Members { slot, places, elements } => {
                    let index = slot.0 as usize;
                    state[index] = match change.op {
                        EffectOp::Insert => self.build.or(state[index], *elements),
                        EffectOp::Remove => self.build.and_not(state[index], *elements),
                        _ => {
                            let kept = self.build.and_not(state[index], *places);
                            self.build.or(kept, *elements)
                        }
                    };
                    if transient {
                        run.assigned.push((*slot, *places));
                    }
                }
            }
        }
        for (slot, field, value, low, high, any) in numbers {
            let FieldLayout::Codes(codes) = &self.state.fields[field] else { continue };
            let (offset, most) = (codes.low.unwrap_or(0), codes.low.unwrap_or(0) + (codes.count - 1) as i64);
            let n = Number { value, defined: any, low, high };
            let inside = self.inside(&n, offset, most);
            let outside = self.unless(any, inside);
            self.fault(outside, out);
            let offset = self.build.int(offset);
            let code = self.build.minus(value, offset);
            let width = self.state.layout.slots[slot].width();
            state[slot.0 as usize] = self.build.pack(code, width);
            if self.rules.fields[field].transient {
                run.assigned.push((slot, any));
            }
        }
        run.cx.state = Rc::new(state);
        Ok(())
    }

    /// Adds a fault for a change of a part in a cell that holds `none`.
    fn no_part(&mut self, field: FieldId, target: ValueId, state: &[ValueId], out: &mut StmtBlock) {
        let FieldLayout::Planes(planes) = &self.state.fields[field] else { return };
        if !planes.option {
            return;
        }
        let mut taken = self.build.zero(planes.width);
        let slots: Vec<SlotId> = planes.parts[0].slots.iter().flatten().copied().collect();
        for slot in slots {
            taken = self.build.or(taken, state[slot.0 as usize]);
        }
        let missing = self.build.and_not(target, taken);
        let missing = self.build.any(missing);
        self.fault(missing, out);
    }

    /// Adds a fault for two changes that set one cell to different values, which is a mistake in the rules.
    fn conflicts(&mut self, changes: &[FieldChange], out: &mut StmtBlock) {
        for (i, a) in changes.iter().enumerate() {
            for b in &changes[..i] {
                if a.field != b.field || a.part.is_some() && b.part.is_some() && a.part != b.part {
                    continue;
                }
                let apart = match (&a.cells, &b.cells) {
                    (Some(x), Some(y)) => {
                        x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x != y || x.is_none())
                    }
                    _ => false,
                };
                let agree = a.known.is_some() && a.known == b.known && a.part == b.part;
                if apart || agree {
                    continue;
                }
                let differ = match (&a.kind, &b.kind) {
                    (
                        ChangeKind::Planes { target: t, puts: p },
                        ChangeKind::Planes { target: u, puts: q },
                    ) => {
                        let overlap = self.build.and(*t, *u);
                        if self.build.maybe(overlap).is_empty() {
                            continue;
                        }
                        let mut differ = self.build.zero(self.build.width(overlap));
                        for (slot, put) in p {
                            if let Some((_, other)) = q.iter().find(|(s, _)| s == slot) {
                                let here = self.build.xor(*put, *other);
                                differ = self.build.or(differ, here);
                            }
                        }
                        let differ = self.build.and(differ, overlap);
                        self.build.any(differ)
                    }
                    (
                        ChangeKind::Code { slot: s, when: w, value: x, .. },
                        ChangeKind::Code { slot: t, when: v, value: y, .. },
                    ) if s == t && a.op == EffectOp::Set && b.op == EffectOp::Set => {
                        let both = self.build.and(*w, *v);
                        let equal = self.build.equal(*x, *y);
                        self.build.and_not(both, equal)
                    }
                    (
                        ChangeKind::Members { elements: x, places: p, .. },
                        ChangeKind::Members { elements: y, places: q, .. },
                    ) => {
                        let overlap = match (a.op, b.op) {
                            (EffectOp::Insert, EffectOp::Remove) | (EffectOp::Remove, EffectOp::Insert) => {
                                self.build.and(*x, *y)
                            }
                            (EffectOp::Set, EffectOp::Set) => {
                                let differ = self.build.xor(*x, *y);
                                let both = self.build.and(*p, *q);
                                self.build.and(differ, both)
                            }
                            _ => continue,
                        };
                        self.build.any(overlap)
                    }
                    _ => continue,
                };
                self.fault(differ, out);
            }
        }
    }

    /// Lowers the end of a move: transient cells that were not assigned are reset, and the turn passes.
    pub(super) fn finish(&mut self, run: BodyRun, out: &mut StmtBlock) -> Result<()> {
        let mut state = run.cx.state.to_vec();
        self.reset(&mut state, &run.assigned);
        let players = self.rules.players().len().max(1) as u32;
        let turn = run.cx.turn;
        let Some(mover) = turn.mover else { return Err(LowerError::Varies) };
        let mover = match (run.said.mover, run.said.phase, turn.me) {
            (Some(next), _, _) => next,
            (None, None, Some(me)) => (me + 1) % players,
            // After a chance event, and after simultaneous moves, the mover stays the same.
            (None, Some(_), _) | (None, None, None) => mover,
        };
        let phase = run.said.phase.unwrap_or(self.rules.turn_phase().0);
        let mut slots = Vec::new();
        for (id, value) in state.into_iter().enumerate() {
            let slot = SlotId(id as u32);
            if self.build.slot(slot) != value {
                slots.push((slot, value));
            }
        }
        out.stmts.push(Stmt::Yield(StateUpdate { slots, to: self.control_of(mover, phase), weight: None }));
        Ok(())
    }

    fn reset(&mut self, state: &mut [ValueId], assigned: &[(SlotId, ValueId)]) {
        let rules = self.rules;
        let initial = self.state.write(&|field, cell| rules.fields[field].init[cell].clone());
        for (id, field) in rules.fields.entries() {
            if !field.transient {
                continue;
            }
            let slots: Vec<SlotId> = match &self.state.fields[id] {
                FieldLayout::Control | FieldLayout::Constant(_) => continue,
                FieldLayout::Codes(codes) => codes.slots.clone(),
                FieldLayout::Planes(planes) => {
                    planes.parts.iter().flat_map(|p| p.slots.iter().flatten().copied()).collect()
                }
                FieldLayout::Members(members) => vec![members.slot],
            };
            for slot in slots {
                let bits: BitSet = self.state.layout.get(slot, &initial);
                let width = bits.len();
                let first = self.build.bits(bits);
                let mut kept = self.build.zero(width);
                for (_, here) in assigned.iter().filter(|(s, _)| *s == slot) {
                    let here = if self.build.width(*here) == width {
                        *here
                    } else {
                        self.build.spread(*here, width)
                    };
                    kept = self.build.or(kept, here);
                }
                let index = slot.0 as usize;
                let stays = self.build.and(state[index], kept);
                let goes = self.build.and_not(first, kept);
                state[index] = self.build.or(stays, goes);
            }
        }
    }
}
