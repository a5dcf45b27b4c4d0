//! A netlist of gates for 64 positions at once: each position has one bit of every word.
//!
//! *Invariants:* equal gates are one gate, and no gate but a negation has a constant operand. A program runs its gates
//! level by level and sorts each level by kind, so the inner loop does not branch on the kind of a gate.

use rustc_hash::FxHashMap;

/// The number of a gate.
pub type GateId = u32;
/// The gate that is 0 in all positions.
pub const ZERO_GATE: GateId = 0;
/// The gate that is 1 in all positions.
pub const ONE_GATE: GateId = 1;
/// The number of words that one pass computes together.
pub const LANE_WORDS: usize = 4;
/// The maximal number of gates in a netlist.
const MAX_GATES: usize = 1 << 16;

/// The words of a gate.
pub type GateWords = [u64; LANE_WORDS];

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum GateKind {
    /// An input or a constant.
    Given,
    And,
    Or,
    Xor,
}

/// Gates under construction. The constants come first, then the inputs.
pub(super) struct Netlist {
    inputs: u32,
    gates: Vec<(GateKind, GateId, GateId)>,
    known: FxHashMap<(GateKind, GateId, GateId), GateId>,
}

impl Netlist {
    pub fn new(inputs: u32) -> Netlist {
        let gates = vec![(GateKind::Given, ZERO_GATE, ZERO_GATE); inputs as usize + 2];
        Netlist { inputs, gates, known: FxHashMap::default() }
    }

    /// Returns true if there are more gates than the maximum.
    pub fn is_full(&self) -> bool {
        self.gates.len() > MAX_GATES
    }

    pub fn input(&self, number: u32) -> GateId {
        debug_assert!(number < self.inputs, "an input");
        number + 2
    }

    fn gate(&mut self, kind: GateKind, a: GateId, b: GateId) -> GateId {
        let gate = (kind, a.min(b), a.max(b));
        let next = self.gates.len() as GateId;
        let bit = *self.known.entry(gate).or_insert(next);
        if bit == next {
            self.gates.push(gate);
        }
        bit
    }

    /// Returns the operand of a negation.
    fn opposite(&self, a: GateId) -> Option<GateId> {
        match self.gates[a as usize] {
            (GateKind::Xor, ONE_GATE, other) => Some(other),
            _ => None,
        }
    }

    fn opposed(&self, a: GateId, b: GateId) -> bool {
        self.opposite(a) == Some(b) || self.opposite(b) == Some(a)
    }

    pub fn and(&mut self, a: GateId, b: GateId) -> GateId {
        match (a, b) {
            (ZERO_GATE, _) | (_, ZERO_GATE) => ZERO_GATE,
            (ONE_GATE, other) | (other, ONE_GATE) => other,
            _ if a == b => a,
            _ if self.opposed(a, b) => ZERO_GATE,
            _ => self.gate(GateKind::And, a, b),
        }
    }

    pub fn or(&mut self, a: GateId, b: GateId) -> GateId {
        match (a, b) {
            (ONE_GATE, _) | (_, ONE_GATE) => ONE_GATE,
            (ZERO_GATE, other) | (other, ZERO_GATE) => other,
            _ if a == b => a,
            _ if self.opposed(a, b) => ONE_GATE,
            _ => self.gate(GateKind::Or, a, b),
        }
    }

    pub fn xor(&mut self, a: GateId, b: GateId) -> GateId {
        match (a, b) {
            (ZERO_GATE, other) | (other, ZERO_GATE) => other,
            (ONE_GATE, ONE_GATE) => ZERO_GATE,
            _ if a == b => ZERO_GATE,
            (ONE_GATE, other) | (other, ONE_GATE) => {
                let double = self.opposite(other);
                double.unwrap_or_else(|| self.gate(GateKind::Xor, ONE_GATE, other))
            }
            _ if self.opposed(a, b) => ONE_GATE,
            _ => self.gate(GateKind::Xor, a, b),
        }
    }

    pub fn not(&mut self, a: GateId) -> GateId {
        self.xor(a, ONE_GATE)
    }

    pub fn and_not(&mut self, a: GateId, b: GateId) -> GateId {
        let not = self.not(b);
        self.and(a, not)
    }

    /// Returns `yes` where `which` is 1, otherwise `no`.
    pub fn select(&mut self, which: GateId, yes: GateId, no: GateId) -> GateId {
        if yes == no {
            return yes;
        }
        let (yes, no) = (self.and(which, yes), self.and_not(no, which));
        self.or(yes, no)
    }

    pub fn any(&mut self, bits: &[GateId]) -> GateId {
        bits.iter().fold(ZERO_GATE, |any, &bit| self.or(any, bit))
    }

    /// Compiles the gates that `wanted` needs, and renumbers `wanted` to the program's numbers.
    pub fn program<'b>(&self, wanted: impl Iterator<Item = &'b mut GateId>) -> GateProgram {
        let wanted: Vec<&mut GateId> = wanted.collect();
        let mut needed = vec![false; self.gates.len()];
        wanted.iter().for_each(|bit| needed[**bit as usize] = true);
        for (i, &(kind, a, b)) in self.gates.iter().enumerate().rev() {
            if needed[i] && kind != GateKind::Given {
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
        let mut numbers: Vec<GateId> = (0..self.gates.len() as GateId).collect();
        let mut program = GateProgram { given, runs: Vec::new(), operands: Vec::new() };
        let mut last = None;
        for i in order {
            let (kind, a, b) = self.gates[i];
            numbers[i] = (given + program.operands.len()) as GateId;
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
pub struct GateProgram {
    /// The number of words that are given: constants and inputs.
    given: usize,
    /// Runs of gates of one kind, with their lengths.
    runs: Vec<(GateKind, usize)>,
    operands: Vec<(GateId, GateId)>,
}

impl GateProgram {
    /// Allocates a buffer for the words of all gates.
    pub fn buffer(&self) -> Vec<GateWords> {
        let mut room = vec![[0; LANE_WORDS]; self.given + self.operands.len()];
        room[ONE_GATE as usize] = [u64::MAX; LANE_WORDS];
        room
    }

    /// Returns the inputs in the buffer.
    pub fn inputs<'r>(&self, room: &'r mut [GateWords]) -> &'r mut [GateWords] {
        &mut room[2..self.given]
    }

    /// Computes all gates from the inputs.
    pub fn run(&self, room: &mut [GateWords]) {
        let mut done = 0;
        for &(kind, many) in &self.runs {
            let operands = &self.operands[done..done + many];
            let (from, to) = room.split_at_mut(self.given + done);
            match kind {
                GateKind::And => each(from, to, operands, |a, b| a & b),
                GateKind::Or => each(from, to, operands, |a, b| a | b),
                GateKind::Xor | GateKind::Given => each(from, to, operands, |a, b| a ^ b),
            }
            done += many;
        }
    }
}

#[inline(always)]
fn each(
    from: &[GateWords],
    to: &mut [GateWords],
    operands: &[(GateId, GateId)],
    gate: impl Fn(u64, u64) -> u64,
) {
    for (to, &(a, b)) in to.iter_mut().zip(operands) {
        let (a, b) = (&from[a as usize], &from[b as usize]);
        for i in 0..LANE_WORDS {
            to[i] = gate(a[i], b[i]);
        }
    }
}
