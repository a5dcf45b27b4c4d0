//! Random expressions: the builder's simplifications and the interpreter's results agree with a bit by bit definition.

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use bouton_base::bits::BitSet;
use bouton_base::id::{Id, IdVec};
use bouton_circuit::build::CircuitBuilder;
use bouton_circuit::verify::{CircuitForm, verify};
use bouton_circuit::{
    Control, FixId, Layout, MoveGroup, Op, Slot, SlotId, StateUpdate, Stmt, StmtBlock, Ty, ValueId,
};

/// A value of the circuit as a plain value.
#[derive(Clone, PartialEq, Eq, Debug)]
enum PlainValue {
    Bits(BitSet),
    Int(i64),
}

use PlainValue::{Bits, Int};

impl PlainValue {
    fn bits(&self) -> &BitSet {
        match self {
            Bits(bits) => bits,
            Int(_) => panic!("a number"),
        }
    }

    fn int(&self) -> i64 {
        match self {
            Bits(_) => panic!("a vector"),
            Int(n) => *n,
        }
    }

    fn truth(&self) -> bool {
        self.bits().contains(0)
    }
}

/// Returns the vector of this width with the places where `holds` is true.
fn places(width: u32, holds: impl Fn(u32) -> bool) -> PlainValue {
    Bits(BitSet::of(width, (0..width).filter(|&place| holds(place))))
}

fn truth(holds: bool) -> PlainValue {
    places(1, |_| holds)
}

/// A step of an expression; its operands are chosen among the values of the required type.
#[derive(Clone, Debug)]
struct ExpressionStep {
    kind: u32,
    operands: [Index; 3],
    width: Index,
    n: i64,
    mask: u64,
}

const WIDTHS: [u32; 8] = [1, 5, 9, 63, 64, 65, 128, 130];

/// The widths of the slots, and the bits that are never 1 in them: sentinels and gaps.
const SLOTS: [(u32, u64); 7] =
    [(9, 0), (9, 0b100_1000_1000), (64, 0), (130, 0xff00), (1, 0), (63, 0x5555), (65, 1 << 63)];

fn step() -> impl Strategy<Value = ExpressionStep> {
    let n = prop_oneof![4 => -3i64..4, 4 => -140i64..140, 1 => any::<i64>(), 1 => Just(i64::MIN)];
    let mask = prop_oneof![any::<u64>(), Just(u64::MAX), Just(0), (0..64u32).prop_map(|bit| 1 << bit)];
    (0..31u32, any::<[Index; 3]>(), any::<Index>(), n, mask)
        .prop_map(|(kind, operands, width, n, mask)| ExpressionStep { kind, operands, width, n, mask })
}

/// Returns a vector that repeats a word, rotated.
fn pattern(width: u32, word: u64) -> BitSet {
    BitSet::from_words(width, &[word, word.rotate_left(7), word.rotate_left(13)])
}

/// Expressions under construction: each value with its plain value in each of the states.
struct Expressions {
    b: CircuitBuilder,
    pool: Vec<(ValueId, Vec<PlainValue>)>,
}

type Value = (ValueId, Vec<PlainValue>);

impl Expressions {
    /// Returns a value of a fitting type, chosen by the index.
    fn pick(&self, index: &Index, fits: impl Fn(Ty) -> bool) -> Option<Value> {
        let fitting: Vec<&Value> = self.pool.iter().filter(|(v, _)| fits(self.b.ty(*v))).collect();
        if fitting.is_empty() { None } else { Some((*index.get(&fitting)).clone()) }
    }

    fn vector(&self, index: &Index) -> Option<Value> {
        self.pick(index, |ty| ty != Ty::Int)
    }

    fn number(&self, index: &Index) -> Option<Value> {
        self.pick(index, |ty| ty == Ty::Int)
    }

    /// Returns two vectors of one width.
    fn vectors(&self, operands: &[Index; 3]) -> Option<(Value, Value)> {
        let a = self.vector(&operands[0])?;
        let ty = self.b.ty(a.0);
        Some((a, self.pick(&operands[1], |other| other == ty)?))
    }

    fn numbers(&self, operands: &[Index; 3]) -> Option<(Value, Value)> {
        Some((self.number(&operands[0])?, self.number(&operands[1])?))
    }

    /// Adds the value of a step; `None` if its operands are missing.
    fn step(&mut self, step: &ExpressionStep, states: usize) -> Option<()> {
        let ExpressionStep { operands, n, mask, .. } = step;
        let (n, width) = (*n, *step.width.get(&WIDTHS));
        let each =
            |a: &[PlainValue], f: &dyn Fn(&PlainValue) -> PlainValue| a.iter().map(f).collect::<Vec<_>>();
        let both =
            |a: &[PlainValue], b: &[PlainValue], f: &dyn Fn(&PlainValue, &PlainValue) -> PlainValue| {
                a.iter().zip(b).map(|(a, b)| f(a, b)).collect::<Vec<_>>()
            };
        let bitwise = |f: fn(bool, bool) -> bool| {
            move |a: &PlainValue, b: &PlainValue| {
                let (a, b) = (a.bits(), b.bits());
                places(a.len(), |place| f(a.contains(place), b.contains(place)))
            }
        };
        let arith = |f: fn(i128, i128) -> i128| {
            move |a: &PlainValue, b: &PlainValue| Int(f(i128::from(a.int()), i128::from(b.int())) as i64)
        };
        let b = &mut self.b;
        let made = match step.kind {
            0 => (b.bits(pattern(width, *mask)), vec![Bits(pattern(width, *mask)); states]),
            1 => (b.int(n), vec![Int(n); states]),
            2..=5 => {
                let ((a, x), (c, y)) = self.vectors(operands)?;
                let b = &mut self.b;
                match step.kind {
                    2 => (b.and(a, c), both(&x, &y, &bitwise(|a, b| a && b))),
                    3 => (b.or(a, c), both(&x, &y, &bitwise(|a, b| a || b))),
                    4 => (b.xor(a, c), both(&x, &y, &bitwise(|a, b| a != b))),
                    _ => (b.and_not(a, c), both(&x, &y, &bitwise(|a, b| a && !b))),
                }
            }
            6 => {
                let (a, x) = self.vector(&operands[0])?;
                let flip = |a: &PlainValue| places(a.bits().len(), |place| !a.bits().contains(place));
                (self.b.not(a), each(&x, &flip))
            }
            // Shifts are frequent: moves on boards combine masks and shifts.
            7..=9 => {
                let (a, x) = self.vector(&operands[0])?;
                let by = (n % 140) as i32;
                let moved = |a: &PlainValue| {
                    let from = |place: u32| u32::try_from(i64::from(place) - i64::from(by)).ok();
                    places(a.bits().len(), |place| from(place).is_some_and(|from| a.bits().contains(from)))
                };
                (self.b.shift(a, by), each(&x, &moved))
            }
            10 => {
                let (a, x) = self.vector(&operands[0])?;
                let a = self.b.resize(a, width);
                (a, each(&x, &|a| places(width, |place| a.bits().contains(place))))
            }
            11 => {
                let (a, x) = self.pick(&operands[0], |ty| ty == Ty::TRUTH)?;
                (self.b.spread(a, width), each(&x, &|a| places(width, |_| a.truth())))
            }
            12 => {
                let (a, x) = self.vector(&operands[0])?;
                (self.b.any(a), each(&x, &|a| truth(a.bits().iter().next().is_some())))
            }
            13 => {
                let (a, x) = self.vector(&operands[0])?;
                (self.b.count(a), each(&x, &|a| Int(a.bits().iter().count() as i64)))
            }
            14 => {
                let (a, x) = self.vector(&operands[0])?;
                let first = |a: &PlainValue| Int(i64::from(a.bits().iter().next().unwrap_or(a.bits().len())));
                (self.b.first(a), each(&x, &first))
            }
            15 => {
                let (a, x) = self.number(&operands[0])?;
                let hot = |a: &PlainValue| places(width, |place| i64::from(place) == a.int());
                (self.b.one_hot(a, BitSet::full(width)), each(&x, &hot))
            }
            16 | 17 => {
                let (choice, z) = self.pick(&operands[2], |ty| ty == Ty::TRUTH)?;
                let ((a, x), (c, y)) =
                    if step.kind == 16 { self.vectors(operands)? } else { self.numbers(operands)? };
                let chosen = z.iter().zip(x.into_iter().zip(y));
                let plain = chosen.map(|(z, (x, y))| if z.truth() { x } else { y }).collect();
                (self.b.select(choice, a, c), plain)
            }
            18 => {
                let (a, x) = self.number(&operands[0])?;
                let low = |a: &PlainValue| places(width, |place| place < 64 && a.int() >> place & 1 == 1);
                (self.b.pack(a, width), each(&x, &low))
            }
            19 => {
                let (a, x) = self.pick(&operands[0], |ty| matches!(ty, Ty::Bits(n) if n <= 63))?;
                (self.b.unpack(a), each(&x, &|a| Int(a.bits().iter().map(|place| 1 << place).sum())))
            }
            20 => {
                let (a, x) = self.number(&operands[0])?;
                let table: Vec<i64> = (0..n.rem_euclid(70)).map(|i| i * i - n % 1000).collect();
                let entry = |a: &PlainValue| {
                    Int((0i64..).zip(&table).find(|(i, _)| *i == a.int()).map_or(0, |(_, &e)| e))
                };
                let plain = each(&x, &entry);
                (self.b.lookup(a, table.clone()), plain)
            }
            21 => {
                let ((a, x), (mask, y)) = self.vectors(operands)?;
                let by = if n % 140 == 0 { 1 } else { (n % 140) as i32 };
                (
                    self.spread_along(a, mask, by),
                    both(&x, &y, &|a, mask| Bits(reached(a.bits(), mask.bits(), by))),
                )
            }
            _ => {
                let ((a, x), (c, y)) = self.numbers(operands)?;
                let b = &mut self.b;
                match step.kind {
                    22 => (b.plus(a, c), both(&x, &y, &arith(|a, b| a + b))),
                    23 => (b.minus(a, c), both(&x, &y, &arith(|a, b| a - b))),
                    24 => (b.times(a, c), both(&x, &y, &arith(|a, b| a * b))),
                    25 => (b.div(a, c), both(&x, &y, &arith(floor_quotient))),
                    26 => (
                        b.modulo(a, c),
                        both(&x, &y, &arith(|a, b| if b == 0 { 0 } else { a.rem_euclid(b) })),
                    ),
                    27 => (b.min(a, c), both(&x, &y, &arith(|a, b| if a < b { a } else { b }))),
                    28 => (b.max(a, c), both(&x, &y, &arith(|a, b| if a < b { b } else { a }))),
                    29 => (b.less(a, c), both(&x, &y, &|a, b| truth(a.int() < b.int()))),
                    _ => (b.equal(a, c), both(&x, &y, &|a, b| truth(a.int() == b.int()))),
                }
            }
        };
        self.pool.push(made);
        Some(())
    }

    /// Builds the closure of `a` under steps within a mask: a fixpoint.
    fn spread_along(&mut self, a: ValueId, mask: ValueId, by: i32) -> ValueId {
        let b = &mut self.b;
        let maybe = reached(b.maybe(a), b.maybe(mask), by);
        let var = b.param(maybe);
        let moved = b.shift(var, by);
        let moved = b.and(moved, mask);
        let next = b.or(var, moved);
        b.fix(vec![(var, a)], vec![next])[0]
    }
}

fn floor_quotient(a: i128, b: i128) -> i128 {
    if b == 0 {
        return 0;
    }
    let (a, b) = if b < 0 { (-a, -b) } else { (a, b) };
    // The remainder is not negative here, so the division is exact.
    (a - a.rem_euclid(b)) / b
}

/// Computes the closure cell by cell.
fn reached(a: &BitSet, mask: &BitSet, by: i32) -> BitSet {
    let mut found = a.clone();
    let mut open: Vec<u32> = a.iter().collect();
    while let Some(place) = open.pop() {
        let next = u32::try_from(i64::from(place) + i64::from(by)).ok();
        if let Some(next) = next.filter(|&next| mask.contains(next) && !found.contains(next)) {
            found.insert(next);
            open.push(next);
        }
    }
    found
}

/// Returns a layout in which each slot begins a word.
fn layout(maybes: Vec<BitSet>) -> Layout {
    let mut layout = Layout::default();
    for maybe in maybes {
        let words = maybe.len().div_ceil(64);
        let name = layout.slots.len().to_string();
        layout.slots.push(Slot { name, word: layout.words, bit: 0, maybe });
        layout.words += words;
    }
    layout
}

/// Returns for each value the fixpoint on whose variable it depends. No expression uses such a value, so there is at
/// most one.
fn inside(b: &CircuitBuilder) -> IdVec<ValueId, Option<FixId>> {
    let mut inside: IdVec<ValueId, Option<FixId>> = IdVec::new();
    for (id, node) in b.values.entries() {
        let of = b.fixes.entries().find(|(_, fix)| fix.vars.iter().any(|&(var, _)| var == id));
        let mut of = of.map(|(fix, _)| fix);
        node.op.each_operand(|operand| of = of.or(inside[operand]));
        inside.push(of);
    }
    inside
}

/// Returns statements for all values in their order: a fixpoint is computed before its first result.
fn schedule(b: &CircuitBuilder) -> Vec<Stmt> {
    let inside = inside(b);
    let computed = |value: ValueId| !matches!(b.values[value].op, Op::Bits(_) | Op::Int(_) | Op::Param(_));
    let mut stmts = Vec::new();
    let mut ran = vec![false; b.fixes.len()];
    for (id, node) in b.values.entries() {
        if let Op::Fixed(fix, _) = node.op {
            if !std::mem::replace(&mut ran[fix.index()], true) {
                let rounds = b.values.ids().filter(|&v| inside[v] == Some(fix) && computed(v));
                stmts.push(Stmt::Fix(fix, StmtBlock { stmts: rounds.map(Stmt::Let).collect() }));
            }
        } else if inside[id].is_none() && computed(id) {
            stmts.push(Stmt::Let(id));
        }
    }
    stmts
}

/// Builds a circuit whose moves write each value outside of fixpoints into a slot of its own.
fn writing_all(mut b: CircuitBuilder, lanes: ValueId, bit: ValueId) -> (Circuit, Vec<(ValueId, SlotId)>) {
    let inside = inside(&b);
    let shown: Vec<ValueId> = b.values.ids().filter(|&value| inside[value].is_none()).collect();
    let outputs = shown.iter().map(|&value| match b.ty(value) {
        Ty::Int => BitSet::full(64),
        Ty::Bits(width) => BitSet::full(width),
    });
    let inputs = b.layout.slots.iter().map(|slot| slot.maybe.clone());
    let layout = layout(inputs.chain(outputs).collect());
    let written: Vec<(ValueId, SlotId)> =
        shown.into_iter().zip(layout.slots.ids().skip(SLOTS.len())).collect();
    b.layout = layout;
    let mut slots = Vec::new();
    for &(value, slot) in &written {
        let bits = if b.ty(value) == Ty::Int { b.pack(value, 64) } else { value };
        slots.push((slot, bits));
    }
    let k0 = ControlId(0);
    let mut body = schedule(&b);
    body.retain(|stmt| !matches!(stmt, Stmt::Let(value) if *value == lanes));
    body.push(Stmt::Yield(StateUpdate { slots, to: k0, weight: None }));
    let lets = StmtBlock { stmts: vec![Stmt::Let(lanes)] };
    let (setup, body) = (StmtBlock::default(), StmtBlock { stmts: body });
    let groups = IdVec::from_iter([MoveGroup { lets, set: lanes, bit, pass: false, setup, body }]);
    let (before, stuck) = (StmtBlock::default(), StmtBlock::default());
    let control = Control {
        name: "all".into(),
        mover: 0,
        chance: false,
        constant_slots: Vec::new(),
        before,
        groups: groups.ids().collect(),
        stuck,
    };
    let controls = IdVec::from_iter([control]);
    let initial = Position { control: k0, words: vec![0; b.layout.words as usize].into() };
    (
        Circuit {
            layout: b.layout,
            values: b.values,
            fixes: b.fixes,
            controls,
            groups,
            stackings: Vec::new(),
            initial,
        },
        written,
    )
}

/// Random contents of a state: words for the slots, masked to the bits that may be 1.
type Contents = Vec<u64>;

fn held(contents: &Contents, slot: usize, maybe: &BitSet) -> BitSet {
    pattern(maybe.len(), contents[slot]).and(maybe)
}

fn run(steps: &[ExpressionStep], contents: &[Contents]) -> Result<(), TestCaseError> {
    let maybes = SLOTS.iter().map(|&(width, never)| pattern(width, never).not()).collect();
    let mut e = Expressions { b: CircuitBuilder::new(layout(maybes)), pool: Vec::new() };
    for (slot, of) in e.b.layout.slots.clone().entries() {
        let plain = contents.iter().map(|c| Bits(held(c, slot.index(), &of.maybe))).collect();
        let value = e.b.slot(slot);
        e.pool.push((value, plain));
    }
    // The lanes are those of the first slot; if it is empty there is no move and nothing to check.
    let (lanes, lanes_plain) = e.pool[0].clone();
    let bit = e.b.param(e.b.maybe(lanes).clone());
    let lane = |plain: &PlainValue| plain.bits().iter().last();
    let bit_plain = lanes_plain.iter().map(|plain| Bits(BitSet::of(9, lane(plain)))).collect();
    e.pool.push((bit, bit_plain));
    for step in steps {
        // A step without operands is skipped.
        let _ = e.step(step, contents.len());
    }
    let maybe: Vec<Option<BitSet>> =
        e.b.values.ids().map(|v| (e.b.ty(v) != Ty::Int).then(|| e.b.maybe(v).clone())).collect();
    let (circuit, written) = writing_all(e.b, lanes, bit);
    prop_assert_eq!(verify(&circuit, CircuitForm::Scheduled), Ok(()));
    let game = Interpreter::new(Arc::new(circuit));
    let layout = &game.circuit.layout;
    for (i, content) in contents.iter().enumerate() {
        let mut at = game.circuit.initial.clone();
        for (slot, of) in layout.slots.entries().take(SLOTS.len()) {
            layout.set(slot, &mut at.words, &held(content, slot.index(), &of.maybe));
        }
        let mut children = Vec::new();
        prop_assert_eq!(game.expand(&at, &mut children), Ok(Status::Open));
        let Some(child) = children.last() else { continue };
        prop_assert_eq!(Some(child.lane), lane(&lanes_plain[i]));
        let get = |value: ValueId| {
            let (_, slot) = written.iter().find(|&&(v, _)| v == value).expect("every value is written");
            layout.get(*slot, &child.position.words)
        };
        for &(value, _) in &written {
            if let Some(maybe) = &maybe[value.index()] {
                prop_assert!(get(value).is_subset(maybe), "{}: {:?} in {:?}", value, get(value), maybe);
            }
        }
        for (value, plain) in &e.pool {
            let wanted = match &plain[i] {
                Bits(bits) => bits.clone(),
                Int(n) => BitSet::from_words(64, &[*n as u64]),
            };
            prop_assert_eq!(get(*value), wanted, "{}", value);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn expressions_keep_their_meaning(
        steps in prop::collection::vec(step(), 1..40),
        contents in prop::collection::vec(prop::collection::vec(any::<u64>(), SLOTS.len()), 4),
    ) {
        run(&steps, &contents)?;
    }
}
