//! Random circuits: every operation, every statement, sets of many words, and ends and faults in unusual places.

use proptest::prelude::*;

use super::games::{CircuitMaker, LetScheduler};
use super::{agree, machines};
use bouton_base::bits::BitSet;
use bouton_circuit::build::CircuitBuilder;
use bouton_circuit::{
    Circuit, Control, ControlId, MoveGroup, Position, SlotId, Stmt, TerminalTest, Ty, ValueId,
};

/// A list of random choices, fixed in advance so that a failing case shrinks; 0 after its end.
struct Dice {
    given: Vec<u32>,
    at: usize,
}

impl Dice {
    fn below(&mut self, n: u32) -> u32 {
        self.at += 1;
        self.given.get(self.at - 1).map_or(0, |given| given % n)
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    fn bits(&mut self, width: u32) -> BitSet {
        let words: Vec<u64> = (0..width.div_ceil(64))
            .map(|_| {
                let word = u64::from(self.below(u32::MAX)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                if self.below(2) == 0 { word & word >> 7 & word >> 13 } else { word }
            })
            .collect();
        BitSet::from_words(width, &words)
    }
}

/// The values to choose from.
#[derive(Clone)]
struct Pool {
    sets: Vec<ValueId>,
    truths: Vec<ValueId>,
    numbers: Vec<ValueId>,
}

impl Pool {
    fn add(&mut self, b: &CircuitBuilder, value: ValueId) {
        match b.ty(value) {
            Ty::Int => self.numbers.push(value),
            Ty::TRUTH => self.truths.push(value),
            Ty::Bits(_) => self.sets.push(value),
        }
    }

    /// Chooses a set of this width.
    fn set(&self, b: &mut CircuitBuilder, dice: &mut Dice, width: u32) -> ValueId {
        let set = if dice.below(6) == 0 { dice.of(&self.truths) } else { dice.of(&self.sets) };
        match width {
            1 => b.any(set),
            _ => b.resize(set, width),
        }
    }

    /// Adds a value of a random kind.
    fn grow(&mut self, b: &mut CircuitBuilder, dice: &mut Dice) {
        let x = dice.of(&self.sets);
        let width = b.width(x);
        let y = self.set(b, dice, width);
        let (n, m) = (dice.of(&self.numbers), dice.of(&self.numbers));
        let (p, q) = (dice.of(&self.truths), dice.of(&self.truths));
        let value = match dice.below(38) {
            0 => b.and(x, y),
            1 => b.or(x, y),
            2 => b.xor(x, y),
            3 => b.and_not(x, y),
            4 => b.not(x),
            5 | 6 => {
                let by = dice.below(2 * width) as i32 - width as i32;
                b.shift(x, by)
            }
            7 => b.shift(x, 1),
            8 => {
                let width = dice.of(&[2, 7, 31, 64, 65, 128, 140]);
                b.resize(x, width)
            }
            9 => b.spread(p, width),
            10 => b.any(x),
            11 => b.count(x),
            12 => b.first(x),
            13 => b.one_hot(n, BitSet::full(width)),
            14 => b.select(p, x, y),
            15 => b.select(p, n, m),
            16 => {
                let width = dice.of(&[1, 3, 20, 64, 70]);
                b.pack(n, width)
            }
            17 => {
                let narrow = b.resize(x, width.min(63));
                b.unpack(narrow)
            }
            18 => b.plus(n, m),
            19 => b.minus(n, m),
            20 => b.times(n, m),
            21 => b.div(n, m),
            22 => b.modulo(n, m),
            23 => {
                let by = dice.of(&[i64::MIN, -3, -2, -1, 0, 1, 2, 3, 8, i64::MAX]);
                let by = b.int(by);
                if dice.below(2) == 0 { b.div(n, by) } else { b.modulo(n, by) }
            }
            24 => b.min(n, m),
            25 => b.max(n, m),
            26 => b.less(n, m),
            27 => b.equal(n, m),
            28 => {
                let entries =
                    (0..dice.below(5)).map(|i| i64::from(dice.below(99)) - 40 * i64::from(i)).collect();
                b.lookup(n, entries)
            }
            29 => match dice.below(5) {
                0 => b.and(p, q),
                1 => b.or(p, q),
                2 => b.xor(p, q),
                3 => b.and_not(p, q),
                _ => b.not(p),
            },
            30 => {
                let bits = dice.bits(width);
                let bits = b.bits(bits);
                b.and(x, bits)
            }
            31 => {
                let n = dice.of(&[i64::MIN, -7, -1, 0, 1, 5, 64, 1 << 40, i64::MAX]);
                b.int(n)
            }
            32 => {
                // Two sets that grow into each other.
                let (u, v) = (b.param(BitSet::full(width)), b.param(BitSet::full(width)));
                let up = b.shift(u, dice.of(&[1, 3, 9]));
                let down = b.shift(v, -1);
                let (up, down) = (b.and(up, y), b.and(down, y));
                let up = b.or(up, v);
                let next = [b.or(u, down), b.or(v, up)];
                let fixed = b.fix(vec![(u, x), (v, y)], next.to_vec());
                fixed[dice.below(2) as usize]
            }
            33 => b.lowest(x),
            34 => b.highest(x),
            35 => b.below(x),
            36 => b.above(x),
            _ => b.resize(p, width),
        };
        self.add(b, value);
    }
}

/// The bounds of a random body.
#[derive(Clone, Copy)]
struct BodyBounds {
    /// The number of controls that it may lead to.
    controls: u32,
    /// The maximal depth of nested conditions.
    depth: u32,
}

/// Builds the body of a move: statements with or without a `Yield`.
fn body(
    m: &mut CircuitMaker,
    dice: &mut Dice,
    pool: &mut Pool,
    above: &[&LetScheduler],
    bounds: BodyBounds,
) -> LetScheduler {
    let mut lets = LetScheduler::new(above);
    (0..dice.below(4)).for_each(|_| pool.grow(&mut m.b, dice));
    match dice.below(12) {
        0..3 => {
            let holds = dice.of(&pool.truths);
            lets.need(&m.b, holds);
            lets.stmts.push(Stmt::Require(holds));
        }
        3 => {
            // A condition that rarely holds.
            let seldom = [dice.of(&pool.truths), dice.of(&pool.truths), dice.of(&pool.truths)];
            let holds = m.b.and(seldom[0], seldom[1]);
            let holds = m.b.and(holds, seldom[2]);
            lets.need(&m.b, holds);
            lets.stmts.push(Stmt::Fault(holds));
        }
        4..6 if bounds.depth > 0 => {
            let when = dice.of(&pool.truths);
            lets.need(&m.b, when);
            let mut inner = || {
                let mut pool = pool.clone();
                let bounds = BodyBounds { depth: bounds.depth - 1, ..bounds };
                body(m, dice, &mut pool, &[&lets], bounds).block()
            };
            let (yes, no) = (inner(), inner());
            lets.stmts.push(Stmt::If(when, yes, no));
        }
        _ => {}
    }
    if dice.below(8) > 0 {
        let slots: Vec<SlotId> = m.b.layout.slots.ids().collect();
        let mut changed = Vec::new();
        for slot in slots {
            let width = m.b.layout.slots[slot].width();
            let value = pool.set(&mut m.b, dice, width);
            if dice.below(3) > 0 {
                changed.push((slot, value));
            }
        }
        lets.yields(&m.b, changed, ControlId(dice.below(bounds.controls)));
    }
    lets
}

fn over(m: &mut CircuitMaker, dice: &mut Dice, pool: &Pool, lets: &mut LetScheduler, unless_stuck: bool) {
    let (x, y) = (dice.of(&pool.truths), dice.of(&pool.truths));
    let when = m.b.and(x, y);
    let scores = (0..dice.below(3)).map(|_| dice.of(&pool.numbers)).collect();
    lets.over(
        &m.b,
        TerminalTest { when, unless_stuck, dead_after_move: false, ending: dice.below(9), scores },
    );
}

fn circuit(dice: &mut Dice) -> Circuit {
    // Slots of at most one word share words.
    let (mut word, mut bit) = (0, 0);
    let mut slots = Vec::new();
    for _ in 0..1 + dice.below(4) {
        let width = dice.of(&[1, 2, 5, 9, 20, 33, 63, 64, 65, 100, 130]);
        if bit > 0 && bit + width > 64 {
            (word, bit) = (word + 1, 0);
        }
        slots.push(("s", word, bit, BitSet::full(width)));
        bit += width;
        if width > 64 {
            (word, bit) = (word + width.div_ceil(64), 0);
        }
    }
    let words = word + u32::from(bit > 0);
    let mut m = CircuitMaker::new(words, &slots);
    let mut pool = Pool { sets: Vec::new(), truths: Vec::new(), numbers: Vec::new() };
    for slot in m.b.layout.slots.ids() {
        let value = m.b.slot(slot);
        pool.add(&m.b, value);
        if m.b.width(value) == 1 {
            let wide = m.b.resize(value, 12);
            pool.sets.push(wide);
        }
    }
    let set = pool.sets[0];
    let values = [m.b.any(set), m.b.count(set), m.b.first(set)];
    values.into_iter().for_each(|value| pool.add(&m.b, value));
    (0..dice.below(30)).for_each(|_| pool.grow(&mut m.b, dice));

    let controls = 1 + dice.below(3);
    for control in 0..controls {
        let mut pool = pool.clone();
        (0..dice.below(6)).for_each(|_| pool.grow(&mut m.b, dice));
        let mut before = LetScheduler::new(&[]);
        for _ in 0..dice.below(3) {
            let unless_stuck = dice.below(2) == 0;
            over(&mut m, dice, &pool, &mut before, unless_stuck);
        }
        let mut groups = Vec::new();
        for _ in 0..1 + dice.below(3) {
            let set = if dice.below(6) == 0 { dice.of(&pool.truths) } else { dice.of(&pool.sets) };
            // This keeps the number of lanes low.
            let few = dice.bits(m.b.width(set));
            let few = m.b.bits(few);
            let set = m.b.and(set, few);
            let mut own = LetScheduler::new(&[&before]);
            own.need(&m.b, set);
            let bit = m.b.param(m.b.maybe(set).clone());
            let mut setup = LetScheduler::new(&[&own]);
            if dice.below(2) == 0 {
                let value = dice.of(&pool.sets);
                setup.need(&m.b, value);
                if dice.below(6) == 0 {
                    let holds = dice.of(&pool.truths);
                    setup.need(&m.b, holds);
                    setup.stmts.push(Stmt::Fault(holds));
                }
            }
            let mut inside = LetScheduler::new(&[&setup]);
            inside.know(bit);
            let mut inner = pool.clone();
            for _ in 0..3 {
                inner.add(&m.b, bit);
            }
            let bounds = BodyBounds { controls, depth: 2 };
            let body = body(&mut m, dice, &mut inner, &[&inside], bounds);
            let pass = dice.below(4) == 0;
            groups.push(m.groups.push(MoveGroup {
                lets: own.block(),
                set,
                bit,
                pass,
                setup: setup.block(),
                body: body.block(),
            }));
        }
        let mut stuck = LetScheduler::new(&[&before]);
        if dice.below(2) == 0 {
            over(&mut m, dice, &pool, &mut stuck, false);
        }
        if dice.below(2) == 0 {
            let slot = SlotId(0);
            let width = m.b.layout.slots[slot].width();
            let value = pool.set(&mut m.b, dice, width);
            stuck.yields(&m.b, vec![(slot, value)], ControlId(dice.below(controls)));
        }
        m.controls.push(Control {
            constant_slots: Vec::new(),
            name: format!("{control}"),
            mover: dice.below(2),
            chance: false,
            before: before.block(),
            groups,
            stuck: stuck.block(),
        });
    }
    let words: Vec<u64> = vec![0; words as usize];
    let mut start = m.finish(&words);
    start.initial = position(&start, dice);
    start
}

fn position(circuit: &Circuit, dice: &mut Dice) -> Position {
    let mut words = vec![0; circuit.layout.words as usize];
    for (id, slot) in circuit.layout.slots.entries() {
        let bits = dice.bits(slot.width());
        circuit.layout.set(id, &mut words, &bits);
    }
    Position { control: ControlId(dice.below(circuit.controls.len() as u32)), words: words.into() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn machine_code_agrees_with_the_interpreter(given in proptest::collection::vec(any::<u32>(), 0..400)) {
        let mut dice = Dice { given, at: 0 };
        let circuit = circuit(&mut dice);
        let places: Vec<Position> = (0..4).map(|_| position(&circuit, &mut dice)).collect();
        let (interpreter, jits) = machines(circuit);
        for at in &places {
            agree(&interpreter, &jits, at, 2);
        }
    }
}
