//! Values of a circuit as values of Cranelift.
//!
//! A vector is one value for each of its words. A truth value has two forms, a condition and a word; an unused form
//! costs nothing. Every word has a static mask of the bits that may be 1. So a word may hold garbage above the width of
//! its vector until an operation reads it: most masks after shifts and complements are never applied.

use std::rc::Rc;
use std::sync::Arc;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types::I8, types::I64};
use cranelift_frontend::FunctionBuilder;
use rustc_hash::FxHashMap;

use super::guarded_runs::GuardedRuns;
use super::numbers;
use super::outlining::CallableParts;
use bouton_base::bits::{BitSet, words_for};
use bouton_circuit::{Circuit, FixId, Op, SlotId, Ty, ValueId};

/// A word of a vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownWord {
    /// The Cranelift value.
    pub value: Value,
    /// The bits that may be 1.
    pub maybe: u64,
}

/// A value of a circuit, in Cranelift values.
#[derive(Clone, Debug)]
pub(super) enum JitValue {
    /// A number of 64 bits.
    Int(Value),
    /// A truth value, 0 or 1, as a condition of 8 bits and as a word.
    Truth { flag: Value, word: Value },
    /// The words of a vector that is no truth value.
    Vector(Vec<KnownWord>),
}

/// The words of a state and the values computed from them so far.
pub(super) struct JitScope<'c> {
    pub circuit: &'c Circuit,
    /// The state.
    pub words: Vec<Value>,
    /// The outlined parts that can be called.
    pub parts: Option<Rc<CallableParts>>,
    /// The runs of computations with guards.
    pub guards: Arc<GuardedRuns>,
    known: FxHashMap<BindingKey, JitValue>,
    /// The undo log: each binding in order, with the one that it replaced.
    log: Vec<(BindingKey, Option<JitValue>)>,
}

/// The key of a binding.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum BindingKey {
    Value(ValueId),
    /// The present value of a variable of a fixpoint; the final value after the loop.
    Fixed(FixId, u32),
}

/// Returns the mask of the `i`-th word of a vector of this width.
pub(super) fn mask(width: u32, i: usize) -> u64 {
    match width.saturating_sub(64 * i as u32) {
        0 => 0,
        n @ 1..64 => (1 << n) - 1,
        _ => !0,
    }
}

/// Builds a constant word.
pub(super) fn constant(b: &mut FunctionBuilder, bits: u64) -> KnownWord {
    KnownWord { value: b.ins().iconst(I64, bits as i64), maybe: bits }
}

/// Converts a condition of Cranelift to a truth value.
pub(super) fn truth_of_flag(b: &mut FunctionBuilder, flag: Value) -> JitValue {
    let word = b.ins().uextend(I64, flag);
    JitValue::Truth { flag, word }
}

/// Converts a word that is 0 or 1 to a truth value.
pub(super) fn truth_of_word(b: &mut FunctionBuilder, word: Value) -> JitValue {
    let flag = b.ins().ireduce(I8, word);
    JitValue::Truth { flag, word }
}

/// Wraps the words of a vector of this width; they may hold garbage above it.
pub(super) fn vector(b: &mut FunctionBuilder, width: u32, words: Vec<KnownWord>) -> JitValue {
    if width > 1 {
        return JitValue::Vector(words);
    }
    let word = masked(b, words[0], 1);
    truth_of_word(b, word.value)
}

/// Applies a mask to a word, unless the word has no bits outside of it.
fn masked(b: &mut FunctionBuilder, word: KnownWord, mask: u64) -> KnownWord {
    if word.maybe & !mask == 0 {
        return word;
    }
    match word.maybe & mask {
        0 => constant(b, 0),
        maybe => KnownWord { value: b.ins().band_imm_u(word.value, mask as i64), maybe },
    }
}

/// Builds `a | b`, without an instruction if one is always 0.
fn or(b: &mut FunctionBuilder, x: KnownWord, y: KnownWord) -> KnownWord {
    match (x.maybe, y.maybe) {
        (0, _) => y,
        (_, 0) => x,
        (p, q) => KnownWord { value: b.ins().bor(x.value, y.value), maybe: p | q },
    }
}

/// Combines all words by `or`: the result is not 0 if any word is not.
pub(super) fn or_all(b: &mut FunctionBuilder, words: &[KnownWord]) -> KnownWord {
    let mut words = words.iter().copied().filter(|word| word.maybe != 0);
    match words.next() {
        None => constant(b, 0),
        Some(first) => words.fold(first, |all, word| or(b, all, word)),
    }
}

/// Builds a bitwise operation of two words.
fn bitwise(b: &mut FunctionBuilder, op: &Op, x: KnownWord, y: KnownWord) -> KnownWord {
    let maybe = match op {
        Op::And(..) => x.maybe & y.maybe,
        Op::AndNot(..) => x.maybe,
        _ => x.maybe | y.maybe,
    };
    match op {
        _ if maybe == 0 => constant(b, 0),
        Op::And(..) => KnownWord { value: b.ins().band(x.value, y.value), maybe },
        Op::AndNot(..) if x.maybe & y.maybe == 0 => x,
        Op::AndNot(..) => KnownWord { value: b.ins().band_not(x.value, y.value), maybe },
        Op::Xor(..) if x.maybe != 0 && y.maybe != 0 => {
            KnownWord { value: b.ins().bxor(x.value, y.value), maybe }
        }
        _ => or(b, x, y),
    }
}

impl<'c> JitScope<'c> {
    /// Returns a scope with a state in these words and no computed values.
    pub fn new(circuit: &'c Circuit, words: Vec<Value>) -> JitScope<'c> {
        JitScope {
            circuit,
            words,
            parts: None,
            guards: Arc::default(),
            known: FxHashMap::default(),
            log: Vec::new(),
        }
    }

    /// Returns the scope with parts to call and guards.
    pub fn calling(self, parts: Option<Rc<CallableParts>>, guards: Arc<GuardedRuns>) -> JitScope<'c> {
        JitScope { parts, guards, ..self }
    }

    /// Binds a name to a value.
    pub fn bind(&mut self, name: BindingKey, val: JitValue) {
        let before = self.known.insert(name, val);
        self.log.push((name, before));
    }

    /// Returns a mark for [`restore`](Self::restore).
    pub fn mark(&self) -> usize {
        self.log.len()
    }

    /// Undoes the bindings since the mark: other paths have not computed those values.
    pub fn restore(&mut self, mark: usize) {
        for (name, before) in self.log.drain(mark..).rev() {
            match before {
                Some(val) => self.known.insert(name, val),
                None => self.known.remove(&name),
            };
        }
    }

    /// Returns true if a value is bound.
    pub fn knows(&self, value: ValueId) -> bool {
        self.known.contains_key(&BindingKey::Value(value))
    }

    /// Returns true if all operands of a value are constant or bound.
    pub fn can_compute(&self, value: ValueId) -> bool {
        let mut all = true;
        self.circuit.values[value].op.each_operand(|operand| {
            all &= self.knows(operand)
                || matches!(self.circuit.values[operand].op, Op::Int(_) | Op::Bits(_) | Op::Fixed(..));
        });
        all
    }

    /// Computes a value and binds it.
    pub fn compute(&mut self, b: &mut FunctionBuilder, value: ValueId) {
        let val = self.make(b, value);
        self.bind(BindingKey::Value(value), val);
    }

    /// Returns a value that is constant or bound.
    pub fn get(&self, b: &mut FunctionBuilder, value: ValueId) -> JitValue {
        if let Some(val) = self.known.get(&BindingKey::Value(value)) {
            return val.clone();
        }
        match &self.circuit.values[value].op {
            Op::Int(n) => JitValue::Int(b.ins().iconst(I64, *n)),
            Op::Bits(bits) => {
                let words = bits.words().iter().map(|&word| constant(b, word)).collect();
                vector(b, bits.len(), words)
            }
            Op::Fixed(fix, var) => self.known[&BindingKey::Fixed(*fix, *var)].clone(),
            op => panic!("{value} = {op:?} is used before it is computed"),
        }
    }

    /// Returns a number; panics if the value has another type.
    pub fn int(&self, b: &mut FunctionBuilder, value: ValueId) -> Value {
        match self.get(b, value) {
            JitValue::Int(n) => n,
            other => panic!("{value} is no number but {other:?}"),
        }
    }

    /// Returns a truth value as a condition.
    pub fn flag(&self, b: &mut FunctionBuilder, value: ValueId) -> Value {
        match self.get(b, value) {
            JitValue::Truth { flag, .. } => flag,
            other => panic!("{value} is no truth value but {other:?}"),
        }
    }

    /// Returns the words of a vector, maybe with garbage above its width.
    fn words_with_garbage(&self, b: &mut FunctionBuilder, value: ValueId) -> Vec<KnownWord> {
        match self.get(b, value) {
            JitValue::Truth { word, .. } => vec![KnownWord { value: word, maybe: 1 }],
            JitValue::Vector(words) => words,
            JitValue::Int(_) => panic!("{value} is a number"),
        }
    }

    /// Returns the words of a vector, with 0 above its width.
    pub fn masked_words(&self, b: &mut FunctionBuilder, value: ValueId) -> Vec<KnownWord> {
        let words = self.words_with_garbage(b, value);
        let width = self.circuit.width(value);
        words.into_iter().enumerate().map(|(i, word)| masked(b, word, mask(width, i))).collect()
    }

    /// Branches on a truth value.
    pub fn branch(&self, b: &mut FunctionBuilder, when: ValueId, yes: Block, no: Block) {
        match self.circuit.values[when].op {
            Op::Not(opposite) if self.knows(opposite) => self.branch(b, opposite, no, yes),
            _ => {
                let flag = self.flag(b, when);
                b.ins().brif(flag, yes, &[], no, &[]);
            }
        }
    }

    fn make(&self, b: &mut FunctionBuilder, value: ValueId) -> JitValue {
        let node = &self.circuit.values[value];
        match node.ty {
            Ty::Int => JitValue::Int(self.make_int(b, value)),
            Ty::Bits(width) => self.make_bits(b, value, width),
        }
    }

    fn make_int(&self, b: &mut FunctionBuilder, value: ValueId) -> Value {
        let op = &self.circuit.values[value].op;
        match *op {
            Op::Count(a) => {
                let words: Vec<KnownWord> =
                    self.masked_words(b, a).into_iter().filter(|word| word.maybe != 0).collect();
                let counts: Vec<Value> = words.iter().map(|word| b.ins().popcnt(word.value)).collect();
                counts.into_iter().reduce(|x, y| b.ins().iadd(x, y)).unwrap_or_else(|| b.ins().iconst(I64, 0))
            }
            Op::First(a) => {
                let words = self.masked_words(b, a);
                first(b, self.circuit.width(a), &words)
            }
            Op::Unpack(a) => self.masked_words(b, a)[0].value,
            Op::Select(choice, x, y) => {
                let (flag, x, y) = (self.flag(b, choice), self.int(b, x), self.int(b, y));
                b.ins().select(flag, x, y)
            }
            Op::Lookup(place, ref table) => {
                let inside = match self.circuit.values[place].op {
                    Op::First(of) => (self.circuit.width(of) as usize) < table.len(),
                    _ => false,
                };
                let place = self.int(b, place);
                numbers::lookup(b, place, table, inside)
            }
            Op::Add(x, y)
            | Op::Sub(x, y)
            | Op::Mul(x, y)
            | Op::Min(x, y)
            | Op::Max(x, y)
            | Op::Div(x, y)
            | Op::Mod(x, y) => {
                let by = match self.circuit.values[y].op {
                    Op::Int(n) => Some(n),
                    _ => None,
                };
                let (x, y) = (self.int(b, x), self.int(b, y));
                numbers::arithmetic(b, op, x, y, by)
            }
            _ => match self.get(b, value) {
                JitValue::Int(n) => n,
                other => panic!("{value} is no number but {other:?}"),
            },
        }
    }

    fn make_bits(&self, b: &mut FunctionBuilder, value: ValueId, width: u32) -> JitValue {
        let op = &self.circuit.values[value].op;
        let words: Vec<KnownWord> = match *op {
            Op::Slot(slot) => self.slot(b, slot),
            Op::Less(x, y) | Op::Equal(x, y) => {
                let test = if matches!(op, Op::Less(..)) { IntCC::SignedLessThan } else { IntCC::Equal };
                let (x, y) = (self.int(b, x), self.int(b, y));
                let flag = b.ins().icmp(test, x, y);
                return truth_of_flag(b, flag);
            }
            Op::Any(a) => return self.any(b, a, IntCC::NotEqual),
            Op::And(x, y) | Op::Or(x, y) | Op::Xor(x, y) | Op::AndNot(x, y) if width == 1 => {
                let (x, y) = (self.flag(b, x), self.flag(b, y));
                let flag = match op {
                    Op::And(..) => b.ins().band(x, y),
                    Op::Or(..) => b.ins().bor(x, y),
                    Op::Xor(..) => b.ins().bxor(x, y),
                    _ => b.ins().band_not(x, y),
                };
                return truth_of_flag(b, flag);
            }
            Op::And(x, y) if let Some(beside) = self.beside_one(b, x, y) => vec![beside],
            Op::And(x, y) | Op::Or(x, y) | Op::Xor(x, y) | Op::AndNot(x, y) => {
                let (x, y) = (self.words_with_garbage(b, x), self.words_with_garbage(b, y));
                x.into_iter().zip(y).map(|(x, y)| bitwise(b, op, x, y)).collect()
            }
            Op::Not(a) if width == 1 => {
                if let Op::Any(x) = self.circuit.values[a].op
                    && self.knows(x)
                {
                    return self.any(b, x, IntCC::Equal);
                }
                let flag = self.flag(b, a);
                let flag = b.ins().bxor_imm_u(flag, 1);
                return truth_of_flag(b, flag);
            }
            Op::Not(a) => {
                let words = self.words_with_garbage(b, a).into_iter().enumerate();
                let not = |(i, word): (usize, KnownWord)| {
                    let full = mask(width, i);
                    let value = b.ins().bxor_imm_u(word.value, full as i64);
                    KnownWord { value, maybe: full | word.maybe }
                };
                words.map(not).collect()
            }
            Op::Shift(a, by) => {
                let words = if by < 0 { self.masked_words(b, a) } else { self.words_with_garbage(b, a) };
                shift(b, &words, by)
            }
            Op::Resize(a) => {
                let mut words = if self.circuit.width(a) < width {
                    self.masked_words(b, a)
                } else {
                    self.words_with_garbage(b, a)
                };
                while words.len() < words_for(width) {
                    words.push(constant(b, 0));
                }
                words.truncate(words_for(width));
                words
            }
            Op::Spread(a) => {
                let JitValue::Truth { word, .. } = self.get(b, a) else { panic!("{a} is no truth value") };
                // `bmask` spreads a nonzero test in two instructions.
                let value = match self.circuit.values[a].op {
                    Op::Any(of) if self.knows(of) => {
                        let words = self.masked_words(b, of);
                        let all = or_all(b, &words);
                        b.ins().bmask(I64, all.value)
                    }
                    _ => b.ins().ineg(word),
                };
                vec![KnownWord { value, maybe: !0 }; words_for(width)]
            }
            Op::Lowest(a) => {
                let words = self.masked_words(b, a);
                up_to_first(
                    b,
                    &words,
                    |word| word.maybe,
                    |b, word| {
                        let negative = b.ins().ineg(word);
                        b.ins().band(word, negative)
                    },
                )
            }
            Op::Highest(a) => {
                let mut words = self.masked_words(b, a);
                words.reverse();
                let mut one = up_to_first(
                    b,
                    &words,
                    |word| word.maybe,
                    |b, word| {
                        // For 0 the shift distance is 64, which Cranelift takes as 0; the `and` then clears the bit.
                        let zeros = b.ins().clz(word);
                        let highest = b.ins().iconst(I64, i64::MIN);
                        let bit = b.ins().ushr(highest, zeros);
                        b.ins().band(word, bit)
                    },
                );
                one.reverse();
                one
            }
            Op::Below(a) => {
                let words = self.masked_words(b, a);
                up_to_first(
                    b,
                    &words,
                    |_| !0,
                    |b, word| {
                        let less = b.ins().iadd_imm_s(word, -1);
                        b.ins().band_not(less, word)
                    },
                )
            }
            Op::Above(a) => {
                let mut words = self.masked_words(b, a);
                words.reverse();
                let mut above = up_to_first(
                    b,
                    &words,
                    |_| !0,
                    |b, word| {
                        // For 0 the shift distance is 64, which Cranelift takes as 0; the `select` handles that case.
                        let zeros = b.ins().clz(word);
                        let all = b.ins().iconst(I64, -1);
                        let down = b.ins().ushr(all, zeros);
                        let above = b.ins().bnot(down);
                        b.ins().select(word, above, all)
                    },
                );
                above.reverse();
                above
            }
            Op::OneHot(place) => {
                let place = self.int(b, place);
                one_hot(b, place, width)
            }
            Op::Select(choice, x, y) => {
                let flag = self.flag(b, choice);
                let (x, y) = (self.words_with_garbage(b, x), self.words_with_garbage(b, y));
                let each = x.into_iter().zip(y);
                each.map(|(x, y)| {
                    let value = b.ins().select(flag, x.value, y.value);
                    KnownWord { value, maybe: x.maybe | y.maybe }
                })
                .collect()
            }
            Op::Pack(a) => {
                let value = self.int(b, a);
                let mut words = vec![KnownWord { value, maybe: !0 }];
                while words.len() < words_for(width) {
                    words.push(constant(b, 0));
                }
                words
            }
            _ => return self.get(b, value),
        };
        vector(b, width, words)
    }

    /// Simplifies `Below(x) & Spread(Any(x))`, and the same with `Above`, for an `x` of one word with at most one bit:
    /// `x - 1`, or `-2x`, which are both 0 if `x` is.
    fn beside_one(&self, b: &mut FunctionBuilder, x: ValueId, y: ValueId) -> Option<KnownWord> {
        let of = |value: ValueId| &self.circuit.values[value].op;
        let (side, there) = if matches!(of(y), Op::Spread(_)) { (x, y) } else { (y, x) };
        let Op::Spread(there) = *of(there) else { return None };
        let Op::Any(bit) = *of(there) else { return None };
        if self.circuit.width(bit) > 64 || !self.knows(bit) || !self.is_one_at_most(bit) {
            return None;
        }
        let word = |b: &mut FunctionBuilder| self.masked_words(b, bit)[0].value;
        let value = match *of(side) {
            Op::Below(of) if of == bit => {
                let bit = word(b);
                let less = b.ins().bmask(I64, bit);
                b.ins().iadd(bit, less)
            }
            Op::Above(of) if of == bit => {
                let bit = word(b);
                let next = b.ins().iadd(bit, bit);
                b.ins().ineg(next)
            }
            _ => return None,
        };
        Some(KnownWord { value, maybe: !0 })
    }

    /// Returns true if a vector provably has at most one bit.
    fn is_one_at_most(&self, value: ValueId) -> bool {
        match self.circuit.values[value].op {
            Op::Lowest(_) | Op::Highest(_) | Op::OneHot(_) => true,
            Op::And(x, y) => self.is_one_at_most(x) || self.is_one_at_most(y),
            Op::AndNot(x, _) | Op::Shift(x, _) => self.is_one_at_most(x),
            _ => false,
        }
    }

    fn any(&self, b: &mut FunctionBuilder, a: ValueId, test: IntCC) -> JitValue {
        let words = self.masked_words(b, a);
        let all = or_all(b, &words);
        let flag = b.ins().icmp_imm_u(test, all.value, 0);
        truth_of_flag(b, flag)
    }

    /// Reads a slot: shifts it down, and masks it only if there may be bits above it.
    fn slot(&self, b: &mut FunctionBuilder, id: SlotId) -> Vec<KnownWord> {
        let layout = &self.circuit.layout;
        let slot = &layout.slots[id];
        let at = slot.word as usize;
        if slot.width() > 64 {
            let masks = slot.maybe.words().iter().enumerate();
            return masks.map(|(i, &maybe)| KnownWord { value: self.words[at + i], maybe }).collect();
        }
        let above = (layout.slots.iter())
            .filter(|other| other.word == slot.word && other.width() <= 64 && other.bit > slot.bit)
            .fold(0, |bits, other| bits | first_word(&other.maybe) << other.bit);
        let maybe = first_word(&slot.maybe) | above >> slot.bit;
        let value = if slot.bit == 0 {
            self.words[at]
        } else {
            b.ins().ushr_imm_u(self.words[at], i64::from(slot.bit))
        };
        vec![masked(b, KnownWord { value, maybe }, mask(slot.width(), 0))]
    }

    /// Returns the words of the state with these slots replaced.
    pub fn replaced(&self, b: &mut FunctionBuilder, slots: &[(SlotId, ValueId)]) -> Vec<Value> {
        let layout = &self.circuit.layout;
        // The bits of each word that stay, and the new ones.
        let mut stays: Vec<u64> = vec![0; self.words.len()];
        for slot in layout.slots.iter().filter(|slot| slot.width() > 0) {
            for (i, &bits) in slot.maybe.words().iter().enumerate() {
                stays[slot.word as usize + i] |= bits << if slot.width() > 64 { 0 } else { slot.bit };
            }
        }
        let whole = stays.clone();
        let mut parts: Vec<Option<KnownWord>> = vec![None; self.words.len()];
        for &(id, value) in slots {
            let slot = &layout.slots[id];
            for (i, word) in self.masked_words(b, value).into_iter().enumerate() {
                let at = slot.word as usize + i;
                let bit = if slot.width() > 64 { 0 } else { slot.bit };
                stays[at] &= !(mask(slot.width(), i) << bit);
                let part = match (bit, word.maybe) {
                    (0, _) | (_, 0) => word,
                    (_, maybe) => KnownWord {
                        value: b.ins().ishl_imm_u(word.value, i64::from(bit)),
                        maybe: maybe << bit,
                    },
                };
                parts[at] = Some(parts[at].map_or(part, |other| or(b, other, part)));
            }
        }
        let each = parts.into_iter().zip(stays).zip(whole).zip(&self.words);
        each.map(|(((part, stays), whole), &old)| {
            let Some(part) = part else { return old };
            let old = masked(b, KnownWord { value: old, maybe: whole }, stays);
            or(b, old, part).value
        })
        .collect()
    }
}

fn first_word(bits: &BitSet) -> u64 {
    bits.words().first().copied().unwrap_or(0)
}

/// Builds the index of the lowest one; the width if there is none.
pub(super) fn first(b: &mut FunctionBuilder, width: u32, words: &[KnownWord]) -> Value {
    if let [word] = words {
        // A sentinel bit above the width handles the empty word; at a width of 64, `ctz` gives 64 for it.
        let word = match width {
            64 => word.value,
            _ => b.ins().bor_imm_u(word.value, 1 << width),
        };
        return b.ins().ctz(word);
    }
    let mut place = b.ins().iconst(I64, i64::from(width));
    for (i, word) in words.iter().enumerate().rev().filter(|(_, word)| word.maybe != 0) {
        let own = b.ins().ctz(word.value);
        let own = b.ins().iadd_imm_s(own, 64 * i as i64);
        place = b.ins().select(word.value, own, place);
    }
    place
}

/// Applies `part` to the words up to the first nonzero one; the words after that are 0. `maybe` gives the bits that a
/// result may have.
fn up_to_first(
    b: &mut FunctionBuilder,
    words: &[KnownWord],
    maybe: impl Fn(&KnownWord) -> u64,
    mut part: impl FnMut(&mut FunctionBuilder, Value) -> Value,
) -> Vec<KnownWord> {
    let zero = b.ins().iconst(I64, 0);
    let mut before: Option<KnownWord> = None;
    words
        .iter()
        .map(|word| {
            let maybe = maybe(word);
            if maybe == 0 {
                return *word;
            }
            let own = part(b, word.value);
            let value = before.map_or(own, |before| b.ins().select(before.value, zero, own));
            before = Some(before.map_or(*word, |before| or(b, before, *word)));
            KnownWord { value, maybe }
        })
        .collect()
}

/// Shifts a vector up, or down where negative.
fn shift(b: &mut FunctionBuilder, words: &[KnownWord], by: i32) -> Vec<KnownWord> {
    let (far, near) = (by.unsigned_abs() / 64, by.unsigned_abs() % 64);
    let word = |i: Option<usize>| i.and_then(|i| words.get(i)).copied();
    let up = |b: &mut FunctionBuilder, word: KnownWord, n: u32| KnownWord {
        value: if n == 0 { word.value } else { b.ins().ishl_imm_u(word.value, i64::from(n)) },
        maybe: word.maybe << n,
    };
    let down = |b: &mut FunctionBuilder, word: KnownWord, n: u32| KnownWord {
        value: if n == 0 { word.value } else { b.ins().ushr_imm_u(word.value, i64::from(n)) },
        maybe: word.maybe >> n,
    };
    (0..words.len())
        .map(|i| {
            // The word that gives most of the bits, and the adjacent one that gives the rest.
            let (main, beyond) = if by < 0 {
                (word(i.checked_add(far as usize)), word(i.checked_add(far as usize + 1)))
            } else {
                (word(i.checked_sub(far as usize)), word(i.checked_sub(far as usize + 1)))
            };
            let mut parts = Vec::new();
            if let Some(main) = main {
                parts.push(if by < 0 { down(b, main, near) } else { up(b, main, near) });
            }
            if let Some(beyond) = beyond.filter(|_| near > 0) {
                parts.push(if by < 0 { up(b, beyond, 64 - near) } else { down(b, beyond, 64 - near) });
            }
            or_all(b, &parts)
        })
        .collect()
}

/// Builds the vector with the bit at this index; empty if the index is out of range.
fn one_hot(b: &mut FunctionBuilder, place: Value, width: u32) -> Vec<KnownWord> {
    let one = b.ins().iconst(I64, 1);
    let zero = b.ins().iconst(I64, 0);
    // Cranelift takes the distance modulo 64.
    let bit = b.ins().ishl(one, place);
    (0..words_for(width))
        .map(|i| {
            let from = b.ins().iadd_imm_s(place, -64 * i as i64);
            let there =
                b.ins().icmp_imm_u(IntCC::UnsignedLessThan, from, i64::from(mask(width, i).count_ones()));
            KnownWord { value: b.ins().select(there, bit, zero), maybe: mask(width, i) }
        })
        .collect()
}
