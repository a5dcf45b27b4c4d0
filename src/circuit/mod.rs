//! Floor 6: a game as operations on bit vectors and small integers, as data.
//!
//! A [`Circuit`] has a [`Layout`] of the state, values, and one [`Control`] for each way a turn can stand (who moves, in
//! which phase). A control says when the game is over and gives its moves in groups: a set of lanes, and what is done
//! for each lane in the set.
//!
//! *Invariant:* nothing here knows rules, or on what machine a circuit runs. Values are in static single assignment:
//! each is defined once, by its operation, its operands have smaller ids (but for the rounds of a [`Fix`]), and equal
//! operations on equal operands are one value.

use std::sync::Arc;

use crate::base::bits::BitSet;
use crate::base::id::IdVec;
use crate::define_id;

pub mod build;
pub mod draft;
pub mod draw;
pub mod filling;
pub mod print;
pub mod read;
pub mod schedule;
pub mod verify;

define_id!(ValueId, "v", "A value.");
define_id!(SlotId, "s", "A part of the state.");
define_id!(ControlId, "k", "Who moves, in which phase.");
define_id!(GroupId, "g", "A group of moves.");
define_id!(FixId, "x", "A fixpoint.");

/// A game as a circuit.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// How a state is laid out in words.
    pub layout: Layout,
    /// The values.
    pub values: IdVec<ValueId, Node>,
    /// The fixpoints.
    pub fixes: IdVec<FixId, Fix>,
    /// The controls.
    pub controls: IdVec<ControlId, Control>,
    /// The groups of moves of all controls.
    pub groups: IdVec<GroupId, Group>,
    /// What is piled up in all positions that play leads to. Nobody may begin elsewhere.
    pub piles: Vec<Pile>,
    /// Where play begins.
    pub initial: Position,
}

/// Places that are taken one after another, as discs fall onto each other: if one of them has a bit in some slot, the
/// place `step` before it has one, too, where that is one of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pile {
    /// The slots, of one width.
    pub slots: Vec<SlotId>,
    /// The places.
    pub places: BitSet,
    /// How far it is to the next.
    pub step: i32,
}

/// A state with its control.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// Who moves, in which phase.
    pub control: ControlId,
    /// The words of the layout. Bits that belong to no slot are 0.
    pub words: Box<[u64]>,
}

/// How a state is laid out in words. The control is no part of these words.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The parts of the state.
    pub slots: IdVec<SlotId, Slot>,
    /// How many words there are.
    pub words: u32,
}

/// A part of the state: some bits that follow each other.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its name in dumps.
    pub name: String,
    /// The word of its lowest bit.
    pub word: u32,
    /// The place of its lowest bit in that word. A slot of more than 64 bits begins at 0 and has its words to itself;
    /// any other lies in one word.
    pub bit: u32,
    /// The bits that may be 1; its length is the width of the slot.
    pub maybe: BitSet,
}

impl Slot {
    /// How many bits it has.
    pub fn width(&self) -> u32 {
        self.maybe.len()
    }
}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    /// So many bits, at least one. A truth value is one bit.
    Bits(u32),
    /// A whole number of 64 bits with a sign.
    Int,
}

impl Ty {
    /// A truth value.
    pub const TRUTH: Ty = Ty::Bits(1);
}

/// A value.
#[derive(Clone, Debug)]
pub struct Node {
    /// How it comes about.
    pub op: Op,
    /// Its type.
    pub ty: Ty,
}

/// How a value comes about. `a` and `b` of one width unless said otherwise.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// These bits.
    Bits(BitSet),
    /// This number.
    Int(i64),
    /// What the state holds.
    Slot(SlotId),
    /// Given by the group or the fixpoint it belongs to. Numbered, so that no two are equal.
    Param(u32),
    /// `a & b`
    And(ValueId, ValueId),
    /// `a | b`
    Or(ValueId, ValueId),
    /// `a ^ b`
    Xor(ValueId, ValueId),
    /// `a & !b`
    AndNot(ValueId, ValueId),
    /// The bits that `a` has not, within its width.
    Not(ValueId),
    /// Moved up by so many places, down where negative; zeros come in, what leaves the width is lost.
    Shift(ValueId, i32),
    /// With another width: zeros are added above, or bits cut off.
    Resize(ValueId),
    /// All bits like the one bit of `a`.
    Spread(ValueId),
    /// One bit: whether any bit is 1.
    Any(ValueId),
    /// The number of ones.
    Count(ValueId),
    /// The place of the lowest one; the width where there is none.
    First(ValueId),
    /// The lowest one alone.
    Lowest(ValueId),
    /// The highest one alone.
    Highest(ValueId),
    /// The places below the lowest one; all where there is none.
    Below(ValueId),
    /// The places above the highest one; all where there is none.
    Above(ValueId),
    /// The bit whose place this number is; no bit where it is negative or not below the width.
    OneHot(ValueId),
    /// The second where the first, one bit, is 1, otherwise the third; of any type.
    Select(ValueId, ValueId, ValueId),
    /// The low bits of a number.
    Pack(ValueId),
    /// The bits, at most 63, as a number that is not negative.
    Unpack(ValueId),
    /// `a + b`, wrapping
    Add(ValueId, ValueId),
    /// `a - b`, wrapping
    Sub(ValueId, ValueId),
    /// `a * b`, wrapping
    Mul(ValueId, ValueId),
    /// The greatest whole number not above the quotient; 0 where `b` is 0.
    Div(ValueId, ValueId),
    /// What the division leaves, never negative; 0 where `b` is 0.
    Mod(ValueId, ValueId),
    /// The smaller number.
    Min(ValueId, ValueId),
    /// The greater number.
    Max(ValueId, ValueId),
    /// One bit: `a < b` of numbers.
    Less(ValueId, ValueId),
    /// One bit: `a = b` of numbers.
    Equal(ValueId, ValueId),
    /// The entry at this number; 0 where there is none.
    Lookup(ValueId, Arc<[i64]>),
    /// What a variable of a fixpoint holds in the end.
    Fixed(FixId, u32),
}

/// The least fixpoint of some sets: the variables start as their first values and become the next ones, all at once,
/// until nothing changes. The next values contain the present ones, so that it ends.
#[derive(Clone, Debug)]
pub struct Fix {
    /// Each variable with its first value.
    pub vars: Vec<(ValueId, ValueId)>,
    /// What each becomes.
    pub next: Vec<ValueId>,
}

/// Who moves, in which phase: when the game is over, and the moves.
///
/// A machine runs `before`; where an `Over` holds, the game is over. Then it runs the groups in order. Where no group
/// that is no pass yields, the mover is stuck and it runs `stuck`, which may end the game or yield a pass.
#[derive(Clone, Debug)]
pub struct Control {
    /// Its name in dumps.
    pub name: String,
    /// The player to move: a turn lasts as long as it stays the same.
    pub mover: u32,
    /// Whether chance acts: then each move has a weight, and is as likely as its share of the sum of weights.
    pub chance: bool,
    /// What these slots hold in all positions that play leads to. Nobody may begin elsewhere.
    pub holds: Vec<(SlotId, BitSet)>,
    /// When the game is over whatever the moves are.
    pub before: Block,
    /// The moves, in the order of their ids.
    pub groups: Vec<GroupId>,
    /// What is done where there is no move.
    pub stuck: Block,
}

/// Moves of one kind: one for each lane of a set, unless a `Require` forbids it.
#[derive(Clone, Debug)]
pub struct Group {
    /// The values that the set needs and nothing else.
    pub lets: Block,
    /// The lanes.
    pub set: ValueId,
    /// The parameter that is, in the body, the bit of the lane. It has the type of the set.
    pub bit: ValueId,
    /// Whether it is a pass: then the mover may be stuck nevertheless.
    pub pass: bool,
    /// What the body needs and is the same for all lanes.
    pub setup: Block,
    /// What is done for each lane.
    pub body: Block,
}

/// Statements in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// The value is computed here. Put in by [`schedule`](schedule::schedule); lowering writes none.
    Let(ValueId),
    /// The fixpoint is computed here; each round runs the block. Put in by scheduling.
    Fix(FixId, Block),
    /// The game is over if this holds.
    Over(Over),
    /// One or the other.
    If(ValueId, Block, Block),
    /// The lane is no legal move unless this holds: the body ends.
    Require(ValueId),
    /// The rules have no meaning here if this holds: everything ends.
    Fault(ValueId),
    /// The position after the move: the body ends.
    Yield(Yield),
}

/// An end of the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Over {
    /// When.
    pub when: ValueId,
    /// If the mover is stuck, `stuck` decides instead. (An end rule that comes after one about being stuck.)
    pub unless_stuck: bool,
    /// It never comes by a move: it was looked for before, and moves change nothing that it depends on. It is asked
    /// where play begins.
    pub settled: bool,
    /// Which end: known to whoever made the circuit.
    pub ending: u32,
    /// Numbers that belong to it.
    pub scores: Vec<ValueId>,
}

/// The position after a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Yield {
    /// The slots that change.
    pub slots: Vec<(SlotId, ValueId)>,
    /// Who moves then.
    pub to: ControlId,
    /// Of a move of chance its weight, a number above 0; none of others.
    pub weight: Option<ValueId>,
}

/// Visits the operands of an operation, as they are borrowed.
macro_rules! for_operands {
    ($op:expr, $visit:ident) => {{
        let mut visit = $visit;
        match $op {
            Op::Bits(_) | Op::Int(_) | Op::Slot(_) | Op::Param(_) | Op::Fixed(..) => {}
            Op::Not(a)
            | Op::Shift(a, _)
            | Op::Resize(a)
            | Op::Spread(a)
            | Op::Any(a)
            | Op::Count(a)
            | Op::First(a)
            | Op::Lowest(a)
            | Op::Highest(a)
            | Op::Below(a)
            | Op::Above(a)
            | Op::OneHot(a)
            | Op::Pack(a)
            | Op::Unpack(a)
            | Op::Lookup(a, _) => visit(a),
            Op::And(a, b)
            | Op::Or(a, b)
            | Op::Xor(a, b)
            | Op::AndNot(a, b)
            | Op::Add(a, b)
            | Op::Sub(a, b)
            | Op::Mul(a, b)
            | Op::Div(a, b)
            | Op::Mod(a, b)
            | Op::Min(a, b)
            | Op::Max(a, b)
            | Op::Less(a, b)
            | Op::Equal(a, b) => [a, b].into_iter().for_each(visit),
            Op::Select(a, b, c) => [a, b, c].into_iter().for_each(visit),
        }
    }};
}

impl Op {
    /// Visits the operands. A fixpoint's are those of [`Fix`].
    pub fn each_operand(&self, mut visit: impl FnMut(ValueId)) {
        let visit = |operand: &ValueId| visit(*operand);
        for_operands!(self, visit);
    }

    /// Visits the operands to change them.
    pub fn each_operand_mut(&mut self, visit: impl FnMut(&mut ValueId)) {
        for_operands!(self, visit);
    }
}

impl Block {
    /// Whether this holds of all its statements, and of those in them.
    pub fn all(&self, holds: &dyn Fn(&Stmt) -> bool) -> bool {
        self.stmts.iter().all(|stmt| stmt.all(holds))
    }

    /// The positions that its statements may lead to, in their order.
    pub fn yields(&self) -> Vec<&Yield> {
        let mut found = Vec::new();
        for stmt in &self.stmts {
            match stmt {
                Stmt::Yield(after) => found.push(after),
                Stmt::If(_, yes, no) => [yes, no].into_iter().for_each(|block| found.extend(block.yields())),
                _ => {}
            }
        }
        found
    }
}

impl Stmt {
    /// Whether this holds of the statement and of those in it.
    pub fn all(&self, holds: &dyn Fn(&Stmt) -> bool) -> bool {
        let inside = match self {
            Stmt::If(_, yes, no) => yes.all(holds) && no.all(holds),
            _ => true,
        };
        inside && holds(self)
    }
}

impl Circuit {
    /// The width of a vector.
    pub fn width(&self, value: ValueId) -> u32 {
        match self.values[value].ty {
            Ty::Bits(width) => width,
            Ty::Int => panic!("{value} is a number"),
        }
    }

    /// How many moves a control has at most, but for one that `stuck` yields.
    pub fn lanes(&self, control: &Control) -> usize {
        let lanes = control.groups.iter().map(|&group| match self.values[self.groups[group].set].ty {
            Ty::Bits(width) => width as usize,
            Ty::Int => 0,
        });
        lanes.sum()
    }

    /// Whether a position holds what all positions of its control hold.
    pub fn admits(&self, at: &Position) -> bool {
        let holds = &self.controls[at.control].holds;
        holds.iter().all(|(slot, bits)| self.layout.get(*slot, &at.words) == *bits)
            && self.piles.iter().all(|pile| pile.stands(&self.layout, &at.words))
    }
}

impl Pile {
    /// Whether a state has it so.
    pub fn stands(&self, layout: &Layout, words: &[u64]) -> bool {
        let slots = self.slots.iter().map(|&slot| layout.get(slot, words));
        let free = slots.fold(self.places.clone(), |free, taken| free.and(&taken.not()));
        free.shift(self.step).and(&self.places).is_subset(&free)
    }
}

impl Layout {
    /// What a slot holds in a state.
    pub fn get(&self, slot: SlotId, words: &[u64]) -> BitSet {
        let slot = &self.slots[slot];
        let first = slot.word as usize;
        if slot.width() > 64 {
            BitSet::from_words(slot.width(), &words[first..])
        } else {
            BitSet::from_words(slot.width(), &[words[first] >> slot.bit])
        }
    }

    /// Writes a slot of a state.
    pub fn set(&self, slot: SlotId, words: &mut [u64], value: &BitSet) {
        let slot = &self.slots[slot];
        let first = slot.word as usize;
        if slot.width() > 64 {
            words[first..first + value.words().len()].copy_from_slice(value.words());
        } else {
            let mask = BitSet::full(slot.width()).words()[0];
            words[first] = words[first] & !(mask << slot.bit) | value.words()[0] << slot.bit;
        }
    }
}
