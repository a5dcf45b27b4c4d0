//! A netlist of gates for 64 positions at once: each position has one bit of every word.
//!
//! *Invariants:* equal gates are one gate, and no gate but a negation has a constant operand. A program runs its gates
//! level by level and sorts each level by kind, so the inner loop does not branch on the kind of a gate.

use rustc_hash::FxHashMap;

/// The number of a gate.
pub type Bit = u32;
/// The gate that is 0 in all positions.
pub const ZERO: Bit = 0;
/// The gate that is 1 in all positions.
pub const ONE: Bit = 1;
/// The number of words that one pass computes together.
pub const WORDS: usize = 4;
/// The maximal number of gates in a netlist.
const MOST_GATES: usize = 1 << 16;

/// The words of a gate.
pub type Lanes = [u64; WORDS];

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Kind {
    /// An input or a constant.
    Given,
    And,
    Or,
    Xor,
}

/// Gates under construction. The constants come first, then the inputs.
pub(super) struct Net {
    inputs: u32,
    gates: Vec<(Kind, Bit, Bit)>,
    known: FxHashMap<(Kind, Bit, Bit), Bit>,
}

impl Net {
    pub fn new(inputs: u32) -> Net {
        let gates = vec![(Kind::Given, ZERO, ZERO); inputs as usize + 2];
        Net { inputs, gates, known: FxHashMap::default() }
    }

    /// Returns true if there are more gates than the maximum.
    pub fn is_full(&self) -> bool {
        self.gates.len() > MOST_GATES
    }

    pub fn input(&self, number: u32) -> Bit {
        debug_assert!(number < self.inputs, "an input");
        number + 2
    }

    fn gate(&mut self, kind: Kind, a: Bit, b: Bit) -> Bit {
        let gate = (kind, a.min(b), a.max(b));
        let next = self.gates.len() as Bit;
        let bit = *self.known.entry(gate).or_insert(next);
        if bit == next {
            self.gates.push(gate);
        }
        bit
    }

    /// Returns the operand of a negation.
    fn opposite(&self, a: Bit) -> Option<Bit> {
        match self.gates[a as usize] {
            (Kind::Xor, ONE, other) => Some(other),
            _ => None,
        }
    }

    fn opposed(&self, a: Bit, b: Bit) -> bool {
        self.opposite(a) == Some(b) || self.opposite(b) == Some(a)
    }

    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        match (a, b) {
            (ZERO, _) | (_, ZERO) => ZERO,
            (ONE, other) | (other, ONE) => other,
            _ if a == b => a,
            _ if self.opposed(a, b) => ZERO,
            _ => self.gate(Kind::And, a, b),
        }
    }

    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        match (a, b) {
            (ONE, _) | (_, ONE) => ONE,
            (ZERO, other) | (other, ZERO) => other,
            _ if a == b => a,
            _ if self.opposed(a, b) => ONE,
            _ => self.gate(Kind::Or, a, b),
        }
    }

    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        match (a, b) {
            (ZERO, other) | (other, ZERO) => other,
            (ONE, ONE) => ZERO,
            _ if a == b => ZERO,
            (ONE, other) | (other, ONE) => {
                let double = self.opposite(other);
                double.unwrap_or_else(|| self.gate(Kind::Xor, ONE, other))
            }
            _ if self.opposed(a, b) => ONE,
            _ => self.gate(Kind::Xor, a, b),
        }
    }

    pub fn not(&mut self, a: Bit) -> Bit {
        self.xor(a, ONE)
    }

    pub fn and_not(&mut self, a: Bit, b: Bit) -> Bit {
        let not = self.not(b);
        self.and(a, not)
    }

    /// Returns `yes` where `which` is 1, otherwise `no`.
    pub fn select(&mut self, which: Bit, yes: Bit, no: Bit) -> Bit {
        if yes == no {
            return yes;
        }
        let (yes, no) = (self.and(which, yes), self.and_not(no, which));
        self.or(yes, no)
    }

    pub fn any(&mut self, bits: &[Bit]) -> Bit {
        bits.iter().fold(ZERO, |any, &bit| self.or(any, bit))
    }

    /// Compiles the gates that `wanted` needs, and renumbers `wanted` to the program's numbers.
    pub fn program<'b>(&self, wanted: impl Iterator<Item = &'b mut Bit>) -> Program {
        let wanted: Vec<&mut Bit> = wanted.collect();
        let mut needed = vec![false; self.gates.len()];
        wanted.iter().for_each(|bit| needed[**bit as usize] = true);
        for (i, &(kind, a, b)) in self.gates.iter().enumerate().rev() {
            if needed[i] && kind != Kind::Given {
                (needed[a as usize], needed[b as usize]) = (true, true);
            }
        }
        let given = self.inputs as usize + 2;
        let mut levels = vec![0u32; self.gates.len()];
        for (i, &(_, a, b)) in self.gates.iter().enumerate().skip(given) {
            levels[i] = 1 + levels[a as usize].max(levels[b as usize]);
        }
        let mut order: Vec<usize> = (given..self.gates.len()).filter(|&i| needed[i]).collect();
        order.sort_by_key(|&i| (levels[i], self.gates[i].0));
        let mut numbers: Vec<Bit> = (0..self.gates.len() as Bit).collect();
        let mut program = Program { given, runs: Vec::new(), operands: Vec::new() };
        let mut last = None;
        for i in order {
            let (kind, a, b) = self.gates[i];
            numbers[i] = (given + program.operands.len()) as Bit;
            program.operands.push((numbers[a as usize], numbers[b as usize]));
            if last != Some((levels[i], kind)) {
                program.runs.push((kind, 0));
                last = Some((levels[i], kind));
            }
            program.runs.last_mut().expect("a run").1 += 1;
        }
        for bit in wanted {
            *bit = numbers[*bit as usize];
        }
        program
    }
}

/// Gates in the order of computation.
#[derive(Clone, Debug)]
pub struct Program {
    /// The number of words that are given: constants and inputs.
    given: usize,
    /// Runs of gates of one kind, with their lengths.
    runs: Vec<(Kind, usize)>,
    operands: Vec<(Bit, Bit)>,
}

impl Program {
    /// Allocates a buffer for the words of all gates.
    pub fn room(&self) -> Vec<Lanes> {
        let mut room = vec![[0; WORDS]; self.given + self.operands.len()];
        room[ONE as usize] = [u64::MAX; WORDS];
        room
    }

    /// Returns the inputs in the buffer.
    pub fn inputs<'r>(&self, room: &'r mut [Lanes]) -> &'r mut [Lanes] {
        &mut room[2..self.given]
    }

    /// Computes all gates from the inputs.
    pub fn run(&self, room: &mut [Lanes]) {
        let mut done = 0;
        for &(kind, many) in &self.runs {
            let operands = &self.operands[done..done + many];
            let (from, to) = room.split_at_mut(self.given + done);
            match kind {
                Kind::And => each(from, to, operands, |a, b| a & b),
                Kind::Or => each(from, to, operands, |a, b| a | b),
                Kind::Xor | Kind::Given => each(from, to, operands, |a, b| a ^ b),
            }
            done += many;
        }
    }
}

#[inline(always)]
fn each(from: &[Lanes], to: &mut [Lanes], operands: &[(Bit, Bit)], gate: impl Fn(u64, u64) -> u64) {
    for (to, &(a, b)) in to.iter_mut().zip(operands) {
        let (a, b) = (&from[a as usize], &from[b as usize]);
        for i in 0..WORDS {
            to[i] = gate(a[i], b[i]);
        }
    }
}
