//! Loops over the lanes of a group: the moves in a set.
//!
//! Technique: the lowest bit of a set is the next lane, until none is left. For short bodies the loop is unrolled, so
//! that several lanes run between two loop tests.

use cranelift_codegen::ir::{Block as Place, BlockArg, InstBuilder, Value, types::I64};
use cranelift_frontend::FunctionBuilder;

use super::translate::{KernelGoal, TurnTranslator, words_of_block};
use super::values::{BindingKey, JitValue, KnownWord, constant, or_all, truth_of_word};
use bouton_circuit::{GroupId, Op, Stmt, Ty};

/// The maximal number of values in the bodies of all words of a set; above it one body serves all words.
const MAX_REPEATED_VALUES: usize = 4_000;

/// The maximal number of groups in a control whose loops are unrolled.
const MAX_BATCHED_GROUPS: usize = 12;

/// A move under construction.
pub(super) struct Lane {
    pub group: GroupId,
    /// The bit in the group's set.
    pub bit: Vec<KnownWord>,
    /// For a filler lane, which is no move: the number of times that it will run among the lanes.
    pub filler_count: Option<Value>,
    /// The block that continues with the next lane.
    pub next: Place,
}

/// The number of lanes between two loop tests. The exit of a loop is mostly mispredicted, which costs as much as some
/// lanes. The last lanes of a batch may not exist: then the filler runs in their place.
struct LaneBatch {
    /// A power of two.
    lanes: i64,
    /// The filler: a bit, or 0; `None` if each lane is one of the set.
    filler: Option<u64>,
}

impl LaneBatch {
    const ONE: LaneBatch = LaneBatch { lanes: 1, filler: None };
}

impl Lane {
    /// Computes the index of the bit.
    pub fn place(&self, b: &mut FunctionBuilder) -> Value {
        let mut words = self.bit.iter().enumerate().filter(|(_, word)| word.maybe != 0);
        let Some((i, word)) = words.next() else { return b.ins().iconst(I64, 0) };
        let place = b.ins().ctz(word.value);
        let mut place = b.ins().iadd_imm_s(place, 64 * i as i64);
        for (i, word) in words {
            let own = b.ins().ctz(word.value);
            let own = b.ins().iadd_imm_s(own, 64 * i as i64);
            place = b.ins().select(word.value, own, place);
        }
        place
    }
}

impl<G: KernelGoal> TurnTranslator<'_, '_, G> {
    /// Runs the setup of a group and then `each` for each lane of a set, from the lowest.
    pub(super) fn lanes(
        &mut self,
        b: &mut FunctionBuilder,
        id: GroupId,
        set: &[KnownWord],
        mut each: impl FnMut(&mut Self, &mut FunctionBuilder, Lane),
    ) {
        let group = &self.scope.circuit.groups[id];
        let all = or_all(b, set);
        if all.maybe == 0 {
            return;
        }
        let (some, after) = (b.create_block(), b.create_block());
        b.ins().brif(all.value, some, &[], after, &[]);
        b.switch_to_block(some);
        let mark = self.scope.mark();
        self.main(b, &group.setup);
        let words: Vec<usize> = (0..set.len()).filter(|&i| set[i].maybe != 0).collect();
        let narrow = self.scope.circuit.values[group.bit].ty == Ty::TRUTH;
        if let [i] = words[..]
            && set[i].maybe.is_power_of_two()
        {
            // The only possible lane.
            let mut bit: Vec<KnownWord> = set.iter().map(|_| constant(b, 0)).collect();
            bit[i] = constant(b, set[i].maybe);
            self.bind(b, id, narrow, &bit);
            each(self, b, Lane { group: id, bit, filler_count: None, next: after });
        } else if words.len() > 1
            && words.len() * words_of_block(&self.scope, &group.body) > MAX_REPEATED_VALUES
        {
            self.lanes_at_once(b, id, set, after, &mut each);
        } else {
            let mut one = |turn: &mut Self, b: &mut FunctionBuilder, (i, value): (usize, Value), beside| {
                let mut bit: Vec<KnownWord> = set.iter().map(|_| constant(b, 0)).collect();
                bit[i] = KnownWord { value, maybe: set[i].maybe };
                turn.bind(b, id, narrow, &bit);
                let next = b.create_block();
                each(turn, b, Lane { group: id, bit, filler_count: beside, next });
                b.switch_to_block(next);
            };
            let batch = if let [i] = words[..] { self.batch(id, set[i].maybe) } else { LaneBatch::ONE };
            let filler = batch.filler.map(|bit| b.ins().iconst(I64, bit as i64));
            if let (Some(filler), [i]) = (filler, &words[..]) {
                let lanes = b.ins().popcnt(all.value);
                let over = b.ins().ineg(lanes);
                let over = b.ins().band_imm_u(over, batch.lanes - 1);
                one(self, b, (*i, filler), Some(over));
            }
            for (n, &i) in words.iter().enumerate() {
                let end = if n + 1 == words.len() { after } else { b.create_block() };
                let head = b.create_block();
                let rest = b.append_block_param(head, I64);
                let whole = BlockArg::Value(set[i].value);
                if words.len() == 1 {
                    b.ins().jump(head, &[whole]);
                } else {
                    b.ins().brif(set[i].value, head, &[whole], end, &[]);
                }
                b.switch_to_block(head);
                let mut rest = rest;
                for n in 0..batch.lanes {
                    let lowest = b.ins().ineg(rest);
                    let lowest = b.ins().band(rest, lowest);
                    let bit = match filler {
                        Some(filler) if n > 0 && batch.filler != Some(0) => {
                            b.ins().select(rest, lowest, filler)
                        }
                        _ => lowest,
                    };
                    one(self, b, (i, bit), None);
                    rest = b.ins().bxor(rest, lowest);
                }
                b.ins().brif(rest, head, &[BlockArg::Value(rest)], end, &[]);
                if end != after {
                    b.switch_to_block(end);
                }
            }
        }
        self.scope.restore(mark);
        b.switch_to_block(after);
    }

    /// Chooses the batch for a set of one word, where the goal allows filler lanes.
    fn batch(&self, id: GroupId, set: u64) -> LaneBatch {
        let body = &self.scope.circuit.groups[id].body;
        let lanes = match words_of_block(&self.scope, body) {
            // A body this short ends before the loop's branch resolves.
            0..4 => 1,
            4..40 => 4,
            40..128 => 2,
            _ => 1,
        };
        let straight = body.stmts.iter().all(|stmt| matches!(stmt, Stmt::Let(_) | Stmt::Yield(_)));
        // A group among many mostly has one or two moves.
        let many = self
            .scope
            .circuit
            .controls
            .iter()
            .any(|c| c.groups.len() > MAX_BATCHED_GROUPS && c.groups.contains(&id));
        if lanes == 1 || many || set.count_ones() <= 4 || !straight || !self.goal.allows_filler_lanes(id) {
            return LaneBatch::ONE;
        }
        let looks_up = body.stmts.iter().any(
            |stmt| matches!(stmt, Stmt::Let(value) if matches!(self.scope.circuit.values[*value].op, Op::Lookup(..))),
        );
        // With the empty bit a lookup may read outside of its table.
        let filler = if looks_up { set & set.wrapping_neg() } else { 0 };
        LaneBatch { lanes, filler: Some(filler) }
    }

    /// Builds one loop for the lanes of all words, for bodies that are too long for a copy per word.
    fn lanes_at_once(
        &mut self,
        b: &mut FunctionBuilder,
        id: GroupId,
        set: &[KnownWord],
        after: Place,
        each: &mut impl FnMut(&mut Self, &mut FunctionBuilder, Lane),
    ) {
        let (head, next) = (b.create_block(), b.create_block());
        let rest: Vec<KnownWord> = set
            .iter()
            .map(|word| KnownWord { value: b.append_block_param(head, I64), maybe: word.maybe })
            .collect();
        let whole: Vec<BlockArg> = set.iter().map(|word| BlockArg::Value(word.value)).collect();
        b.ins().jump(head, &whole);
        b.switch_to_block(head);
        // The lowest bit of the first nonzero word.
        let zero = b.ins().iconst(I64, 0);
        let mut below: Option<Value> = None;
        let mut bit = Vec::new();
        for word in &rest {
            let lowest = b.ins().ineg(word.value);
            let lowest = b.ins().band(word.value, lowest);
            let own = below.map_or(lowest, |below| b.ins().select(below, zero, lowest));
            bit.push(KnownWord { value: own, maybe: word.maybe });
            below = Some(below.map_or(word.value, |below| b.ins().bor(below, word.value)));
        }
        self.bind(b, id, false, &bit);
        each(self, b, Lane { group: id, bit: bit.clone(), filler_count: None, next });
        b.switch_to_block(next);
        let less: Vec<KnownWord> = rest
            .iter()
            .zip(&bit)
            .map(|(rest, bit)| KnownWord { value: b.ins().bxor(rest.value, bit.value), maybe: rest.maybe })
            .collect();
        let any = or_all(b, &less);
        let args: Vec<BlockArg> = less.iter().map(|word| BlockArg::Value(word.value)).collect();
        b.ins().brif(any.value, head, &args, after, &[]);
    }

    /// Binds a group's parameter to its bit.
    pub fn bind(&mut self, b: &mut FunctionBuilder, id: GroupId, narrow: bool, bit: &[KnownWord]) {
        let val = if narrow { truth_of_word(b, bit[0].value) } else { JitValue::Vector(bit.to_vec()) };
        self.scope.bind(BindingKey::Value(self.scope.circuit.groups[id].bit), val);
    }
}
