//! Successors in an abstraction, for 64 positions at a time.
//!
//! Technique: the formulas of the grounded rules are evaluated in Kleene logic, bit by bit for 64 positions: each
//! formula has a word of the positions in which it may hold, and one of those in which it may fail. The effects of a
//! move are evaluated only if the move may be made in one of the positions.
//! Source: Kleene (1952) for three-valued logic.
//! Cost: two words for each part of a formula and 64 positions.
//! Invariant: a block that is not among the results cannot hold the new value.

use rustc_hash::{FxHashMap, FxHashSet};

use super::abstraction::{Layout, Partition};
use super::task::PlanningTask;
use bouton_base::id::Id;
use bouton_grounding::{Formula, FormulaNode, Formulas, Subject, Values};

/// The number of positions in a batch.
pub const BATCH: usize = 64;
/// The maximal number of successors of one position by one move of an abstraction.
const MAX_BRANCHES: usize = 64;

/// The words of a formula: the positions in which it may hold, and those in which it may fail.
type Truth = [u64; 2];

/// A reference to a computed formula.
type Slot = u32;
const NEVER: Slot = 0;
const ALWAYS: Slot = 1;
const OPEN: Slot = 2;
const CONSTANTS: [Truth; 3] = [[0, !0], [!0, 0], [!0, !0]];

/// An operation that computes a formula.
#[derive(Clone, Debug)]
enum Op {
    /// A fluent has one of some values: the blocks with such values, and those with others, as masks.
    Literal {
        holds: Vec<u32>,
        fails: Vec<u32>,
    },
    And(Vec<Slot>),
    Or(Vec<Slot>),
    /// The number of these formulas that hold is one of these.
    Count(Vec<Slot>, Values),
}

/// The positions in which a move costs one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Charge {
    Never,
    Always,
    /// True where this fluent has one of these values.
    Where {
        fluent: u32,
        values: Values,
    },
}

/// A move in the abstraction.
#[derive(Clone, Debug)]
struct CompiledAction {
    legal: Slot,
    /// The operations that only its effects need, as a range of `ops`.
    own: std::ops::Range<usize>,
    updates: Vec<CompiledUpdate>,
    /// The masks of the blocks in which it costs one; `None` if it always does.
    charged: Option<Vec<u32>>,
}

/// The effect of a move on a fluent: the possible blocks, each with the formulas of its values.
#[derive(Clone, Debug)]
struct CompiledUpdate {
    fluent: usize,
    blocks: Vec<(u8, Vec<Slot>)>,
}

/// An abstraction whose moves can be computed.
pub struct AbstractGame {
    pub layout: Layout,
    first_mask: Vec<u32>,
    masks: Vec<u64>,
    ops: Vec<Op>,
    truths: Vec<Truth>,
    common: usize,
    actions: Vec<CompiledAction>,
    win: Slot,
    over: Slot,
    fault: Slot,
}

/// A successor of a position of a batch.
#[derive(Clone, Copy, Debug)]
pub struct AbstractSuccessor {
    /// The index of the position in the batch.
    pub lane: u32,
    /// The index of the move among those of the task.
    pub action: u32,
    /// The cost of the move: 0 or 1.
    pub cost: u32,
}

/// The successors of a batch of positions.
#[derive(Default, Debug)]
pub struct Expansion {
    /// The positions that may be won.
    pub won: u64,
    /// The positions in which the game may be over.
    pub over: u64,
    /// The positions in which the rules may have a fault.
    pub faulty: u64,
    /// The positions that have a successor.
    pub mobile: u64,
    pub successors: Vec<AbstractSuccessor>,
    /// The words of the successors, one after the other.
    pub keys: Vec<u64>,
}

/// An abstraction in which a move has too many possible results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooVague;

/// The compilation of formulas to operations.
struct Compiler<'t> {
    formulas: &'t Formulas,
    partition: &'t Partition,
    first_mask: &'t [u32],
    ops: Vec<Op>,
    slots: FxHashMap<Formula, Slot>,
}

impl Compiler<'_> {
    fn emit(&mut self, op: Op) -> Slot {
        self.ops.push(op);
        (self.ops.len() + CONSTANTS.len() - 1) as Slot
    }

    /// Compiles a formula; its parts come first.
    fn formula(&mut self, formula: Formula) -> Slot {
        if let Some(&slot) = self.slots.get(&formula) {
            return slot;
        }
        let formulas = self.formulas;
        let slot = match formulas.node(formula) {
            FormulaNode::False => NEVER,
            FormulaNode::True => ALWAYS,
            // A recursive definition: nothing is known.
            FormulaNode::Name(..) => OPEN,
            FormulaNode::Lit(subject, values) => match formulas.subject(*subject).0 {
                Subject::Fluent(fluent) => self.literal(fluent.index(), *values),
                Subject::Count(parts) => {
                    let parts: Vec<Slot> = parts.iter().map(|part| self.formula(*part)).collect();
                    if parts.iter().all(|part| *part == OPEN) {
                        OPEN
                    } else {
                        self.emit(Op::Count(parts, *values))
                    }
                }
            },
            FormulaNode::And(parts) => self.junction(parts, NEVER, ALWAYS, Op::And),
            FormulaNode::Or(parts) => self.junction(parts, ALWAYS, NEVER, Op::Or),
        };
        self.slots.insert(formula, slot);
        slot
    }

    fn junction(&mut self, parts: &[Formula], settles: Slot, neutral: Slot, op: fn(Vec<Slot>) -> Op) -> Slot {
        let mut slots: Vec<Slot> = parts.iter().map(|part| self.formula(*part)).collect();
        if slots.contains(&settles) {
            return settles;
        }
        slots.retain(|slot| *slot != neutral);
        slots.sort_unstable();
        slots.dedup();
        match slots[..] {
            [] => neutral,
            [only] => only,
            _ => self.emit(op(slots)),
        }
    }

    fn literal(&mut self, fluent: usize, values: Values) -> Slot {
        let sets = &self.partition.sets[fluent];
        let first = self.first_mask[fluent];
        let masks = |wanted: Values| -> Vec<u32> {
            (first..).zip(sets).filter(|(_, set)| **set & wanted != 0).map(|(mask, _)| mask).collect()
        };
        let (holds, fails) = (masks(values), masks(!values));
        match (holds.len() == sets.len(), fails.len() == sets.len()) {
            (true, true) => OPEN,
            _ if holds.is_empty() => NEVER,
            _ if fails.is_empty() => ALWAYS,
            _ => self.emit(Op::Literal { holds, fails }),
        }
    }
}

impl AbstractGame {
    /// Compiles an abstraction of a task; `charges` has the cost of each move.
    pub fn new(task: &PlanningTask, partition: &Partition, charges: &[Charge]) -> AbstractGame {
        let mut first_mask = Vec::with_capacity(partition.sets.len());
        let mut masks = 0u32;
        for sets in &partition.sets {
            first_mask.push(masks);
            masks += sets.len() as u32;
        }
        let formulas = &task.ground.formulas;
        let mut compiler = Compiler {
            formulas,
            partition,
            first_mask: &first_mask,
            ops: Vec::new(),
            slots: FxHashMap::default(),
        };
        let [win, over, fault] =
            [task.win, task.ground.over, task.ground.fault].map(|formula| compiler.formula(formula));
        let legal: Vec<Slot> = task.actions.iter().map(|action| compiler.formula(action.legal)).collect();
        // The parts of effects that several moves need are computed for every batch.
        let mut uses: FxHashMap<Formula, u32> = FxHashMap::default();
        for action in &task.actions {
            let mut own = FxHashSet::default();
            for (_, when) in action.updates.iter().flat_map(|update| &update.values) {
                collect_parts(formulas, *when, &mut own);
            }
            own.into_iter().for_each(|part| *uses.entry(part).or_default() += 1);
        }
        let mut shared: Vec<Formula> =
            uses.into_iter().filter(|(_, count)| *count > 1).map(|(part, _)| part).collect();
        shared.sort_unstable();
        for part in shared {
            compiler.formula(part);
        }
        let common = compiler.ops.len();
        let mut actions = Vec::with_capacity(task.actions.len());
        for ((action, charge), legal) in task.actions.iter().zip(charges).zip(legal) {
            let begin = compiler.ops.len();
            let mut updates = Vec::new();
            for update in &action.updates {
                let fluent = update.fluent.index();
                let sets = &partition.sets[fluent];
                if sets.len() <= 1 {
                    continue;
                }
                let mut blocks: Vec<(u8, Vec<Slot>)> = Vec::new();
                for (value, when) in &update.values {
                    let Some(block) = sets.iter().position(|set| set >> value & 1 == 1) else { continue };
                    let slot = compiler.formula(*when);
                    if slot == NEVER {
                        continue;
                    }
                    match blocks.iter_mut().find(|(of, _)| usize::from(*of) == block) {
                        Some((_, slots)) => slots.push(slot),
                        None => blocks.push((block as u8, vec![slot])),
                    }
                }
                updates.push(CompiledUpdate { fluent, blocks });
            }
            let charged = match charge {
                Charge::Always => None,
                Charge::Never => Some(Vec::new()),
                Charge::Where { fluent, values } => {
                    let (first, sets) = (first_mask[*fluent as usize], &partition.sets[*fluent as usize]);
                    let within = (first..).zip(sets).filter(|(_, set)| **set & !values == 0);
                    Some(within.map(|(mask, _)| mask).collect())
                }
            };
            actions.push(CompiledAction { legal, own: begin..compiler.ops.len(), updates, charged });
        }
        let ops = compiler.ops;
        let mut truths = vec![[0; 2]; CONSTANTS.len() + ops.len()];
        truths[..CONSTANTS.len()].copy_from_slice(&CONSTANTS);
        AbstractGame {
            layout: Layout::new(partition),
            first_mask,
            masks: vec![0; masks as usize],
            ops,
            truths,
            common,
            actions,
            win,
            over,
            fault,
        }
    }

    fn compute(&mut self, range: std::ops::Range<usize>) {
        let AbstractGame { ops, truths, masks, .. } = self;
        let any = |list: &[u32]| list.iter().fold(0, |all, mask| all | masks[*mask as usize]);
        for number in range {
            truths[number + CONSTANTS.len()] = match &ops[number] {
                Op::Literal { holds, fails } => [any(holds), any(fails)],
                Op::And(parts) => parts.iter().fold([!0, 0], |all: Truth, part| {
                    let part = truths[*part as usize];
                    [all[0] & part[0], all[1] | part[1]]
                }),
                Op::Or(parts) => parts.iter().fold([0, !0], |all: Truth, part| {
                    let part = truths[*part as usize];
                    [all[0] | part[0], all[1] & part[1]]
                }),
                Op::Count(parts, numbers) => count(parts, *numbers, truths),
            };
        }
    }

    /// Computes the successors of at most 64 positions, whose words come one after the other.
    pub fn expand(&mut self, keys: &[u64], into: &mut Expansion) -> Result<(), TooVague> {
        let width = self.layout.width();
        let lanes = keys.len() / width;
        let all = if lanes == BATCH { !0 } else { (1u64 << lanes) - 1 };
        into.successors.clear();
        into.keys.clear();
        self.masks.fill(0);
        for (lane, key) in keys.chunks_exact(width).enumerate() {
            for (fluent, block) in self.layout.blocks(key) {
                self.masks[self.first_mask[fluent] as usize + block] |= 1 << lane;
            }
        }
        self.compute(0..self.common);
        let truth = |game: &AbstractGame, slot: Slot| game.truths[slot as usize];
        into.won = truth(self, self.win)[0] & all;
        let over = truth(self, self.over);
        into.over = over[0] & all;
        into.faulty = truth(self, self.fault)[0] & all;
        into.mobile = 0;
        let open = over[1] & all;
        for action in 0..self.actions.len() {
            let lanes = truth(self, self.actions[action].legal)[0] & open;
            if lanes != 0 {
                self.compute(self.actions[action].own.clone());
                self.make(action, lanes, keys, into)?;
            }
        }
        Ok(())
    }

    /// Makes a move in these positions of the batch.
    fn make(&self, number: usize, lanes: u64, keys: &[u64], into: &mut Expansion) -> Result<(), TooVague> {
        let width = self.layout.width();
        let action = &self.actions[number];
        let charged = match &action.charged {
            None => !0,
            Some(masks) => masks.iter().fold(0, |all, mask| all | self.masks[*mask as usize]),
        };
        // The first successor of each position goes into a row of its own, which the effects then change.
        let begin = into.successors.len();
        let mut row_of = [0u32; BATCH];
        for lane in ones(lanes) {
            row_of[lane] = (into.successors.len() - begin) as u32;
            let cost = (charged >> lane & 1) as u32;
            into.successors.push(AbstractSuccessor { lane: lane as u32, action: number as u32, cost });
            into.keys.extend_from_slice(&keys[lane * width..(lane + 1) * width]);
        }
        let base = begin * width;
        let mut live = lanes;
        // Further results of effects that have several: the position, the fluent and the block.
        let mut more: Vec<(usize, usize, u8)> = Vec::new();
        for update in &action.updates {
            let mut some = 0;
            for (block, slots) in &update.blocks {
                let may = lanes & slots.iter().fold(0, |all, slot| all | self.truths[*slot as usize][0]);
                more.extend(ones(may & some).map(|lane| (lane, update.fluent, *block)));
                for lane in ones(may & !some) {
                    let row = base + row_of[lane] as usize * width;
                    self.layout.set_block(&mut into.keys[row..row + width], update.fluent, *block);
                }
                some |= may;
            }
            // No new value: the values of the blocks do not occur together.
            live &= some;
        }
        into.mobile |= live;
        more.retain(|(lane, ..)| live >> lane & 1 == 1);
        self.branch(&more, begin, &row_of, into)?;
        if live != lanes {
            self.remove(!live, begin, into);
        }
        Ok(())
    }

    /// Adds the successors in which effects have their further results, in all combinations.
    fn branch(
        &self,
        more: &[(usize, usize, u8)],
        begin: usize,
        row_of: &[u32; BATCH],
        into: &mut Expansion,
    ) -> Result<(), TooVague> {
        let width = self.layout.width();
        let mut lanes: Vec<usize> = more.iter().map(|(lane, ..)| *lane).collect();
        lanes.sort_unstable();
        lanes.dedup();
        for lane in lanes {
            let mut own: Vec<(usize, u8)> = more
                .iter()
                .filter(|(of, ..)| *of == lane)
                .map(|(_, fluent, block)| (*fluent, *block))
                .collect();
            own.sort_unstable();
            let first = begin + row_of[lane] as usize;
            let mut rows = vec![into.keys[first * width..(first + 1) * width].to_vec()];
            for group in own.chunk_by(|a, b| a.0 == b.0) {
                let so_far = rows.len();
                for (fluent, block) in group {
                    for row in 0..so_far {
                        let mut next = rows[row].clone();
                        self.layout.set_block(&mut next, *fluent, *block);
                        rows.push(next);
                    }
                }
                if rows.len() > MAX_BRANCHES {
                    return Err(TooVague);
                }
            }
            let successor = into.successors[first];
            for row in &rows[1..] {
                into.successors.push(successor);
                into.keys.extend_from_slice(row);
            }
        }
        Ok(())
    }

    /// Removes the successors from `begin` on of these positions.
    fn remove(&self, lanes: u64, begin: usize, into: &mut Expansion) {
        let width = self.layout.width();
        let mut kept = begin;
        for row in begin..into.successors.len() {
            if lanes >> into.successors[row].lane & 1 == 0 {
                into.successors[kept] = into.successors[row];
                into.keys.copy_within(row * width..(row + 1) * width, kept * width);
                kept += 1;
            }
        }
        into.successors.truncate(kept);
        into.keys.truncate(kept * width);
    }
}

/// Iterates over the numbers of the bits that are 1.
pub fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

fn count(parts: &[Slot], numbers: Values, truths: &[Truth]) -> Truth {
    let (mut least, mut most) = ([0u8; BATCH], [0u8; BATCH]);
    for part in parts {
        let [holds, fails] = truths[*part as usize];
        ones(holds).for_each(|lane| most[lane] += 1);
        ones(holds & !fails).for_each(|lane| least[lane] += 1);
    }
    let mut truth = [0; 2];
    for lane in 0..BATCH {
        let upper = if most[lane] >= 127 { Values::MAX } else { (1 << (most[lane] + 1)) - 1 };
        let among = upper & !((1 << least[lane]) - 1);
        truth[0] |= u64::from(among & numbers != 0) << lane;
        truth[1] |= u64::from(among & !numbers != 0) << lane;
    }
    truth
}

/// Collects a formula and its parts.
pub fn collect_parts(formulas: &Formulas, formula: Formula, into: &mut FxHashSet<Formula>) {
    if !into.insert(formula) {
        return;
    }
    match formulas.node(formula) {
        FormulaNode::And(parts) | FormulaNode::Or(parts) => {
            parts.iter().for_each(|part| collect_parts(formulas, *part, into));
        }
        FormulaNode::Lit(subject, _) => {
            if let Subject::Count(parts) = formulas.subject(*subject).0 {
                parts.iter().for_each(|part| collect_parts(formulas, *part, into));
            }
        }
        _ => {}
    }
}
