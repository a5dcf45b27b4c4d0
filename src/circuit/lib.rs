//! The circuit IR: a game as operations on bit vectors and small integers, in static single assignment form.
//!
//! A [`Circuit`] has a [`Layout`] of the state, values, and one [`Control`] for each combination of the player to move
//! and the phase. A control tests for terminal positions and generates moves in groups: a set of lanes (one candidate
//! move each), and the statements for each lane in the set.
//!
//! *Invariant:* nothing here depends on the rules or on the machine that runs a circuit. Each value is defined once, by
//! its operation. Its operands have smaller ids (except in the rounds of a [`Fixpoint`]), and equal operations on equal
//! operands are one value (hash consing).

#![forbid(unsafe_code)]

use std::sync::Arc;

use bouton_base::bits::BitSet;
use bouton_base::define_id;
use bouton_base::id::IdVec;

pub mod build;
pub mod draft;
pub mod draw;
pub mod opt;
pub mod parse;
pub mod placement;
pub mod print;
pub mod schedule;
pub mod verify;

define_id!(ValueId, "v", "A value.");
define_id!(SlotId, "s", "A part of the state.");
define_id!(ControlId, "k", "Who moves, in which phase.");
define_id!(GroupId, "g", "A group of moves.");
define_id!(FixId, "x", "A fixpoint.");

/// A game in the circuit IR.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// The packing of a state into words.
    pub layout: Layout,
    /// All values, operands before their users.
    pub values: IdVec<ValueId, ValueNode>,
    pub fixes: IdVec<FixId, Fixpoint>,
    pub controls: IdVec<ControlId, Control>,
    /// The move groups of all controls.
    pub groups: IdVec<GroupId, MoveGroup>,
    /// The stacking invariants (gravity columns) that hold in all reachable positions. Play must not start from a
    /// position that violates one.
    pub stackings: Vec<Stacking>,
    pub initial: Position,
}

/// Stacking places (gravity columns): places that are taken one after another, as discs fall onto each other. If one of
/// them has a bit in some slot, so has the place `step` before it, where that is one of the places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stacking {
    /// The slots that hold the pieces, all of one width.
    pub slots: Vec<SlotId>,
    /// The places of the columns.
    pub places: BitSet,
    /// The distance from a place to the next one in its column.
    pub step: i32,
}

/// A state with its control.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// The player to move and the phase.
    pub control: ControlId,
    /// The words of the layout. Bits that belong to no slot are 0.
    pub words: Box<[u64]>,
}

/// The packing of a state into words. The control is no part of these words.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub slots: IdVec<SlotId, Slot>,
    /// The number of words.
    pub words: u32,
}

/// A part of the state: consecutive bits.
#[derive(Clone, Debug)]
pub struct Slot {
    /// The name in dumps.
    pub name: String,
    /// The word of the lowest bit.
    pub word: u32,
    /// The position of the lowest bit in that word. A slot of more than 64 bits begins at 0 and has its words to
    /// itself; any other lies in one word.
    pub bit: u32,
    /// The bits that may be 1; the length is the width of the slot.
    pub maybe: BitSet,
}

impl Slot {
    /// The number of bits of the slot.
    pub fn width(&self) -> u32 {
        self.maybe.len()
    }
}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    /// A vector of this number of bits, at least one. A truth value is one bit.
    Bits(u32),
    /// A signed integer of 64 bits.
    Int,
}

impl Ty {
    /// The type of truth values: one bit.
    pub const TRUTH: Ty = Ty::Bits(1);
}

/// A value: an operation and its type.
#[derive(Clone, Debug)]
pub struct ValueNode {
    /// The operation that computes the value.
    pub op: Op,
    pub ty: Ty,
}

/// An operation on values. `a` and `b` have one width unless the variant says otherwise.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A constant vector.
    Bits(BitSet),
    /// A constant number.
    Int(i64),
    /// The content of a slot of the state.
    Slot(SlotId),
    /// A parameter, bound by a group or a fixpoint. The number keeps parameters distinct.
    Param(u32),
    /// `a & b`
    And(ValueId, ValueId),
    /// `a | b`
    Or(ValueId, ValueId),
    /// `a ^ b`
    Xor(ValueId, ValueId),
    /// `a & !b`
    AndNot(ValueId, ValueId),
    /// The complement within the width of `a`.
    Not(ValueId),
    /// A shift up by this number of places, down where negative. Zeros come in; bits that leave the width are lost.
    Shift(ValueId, i32),
    /// Zero extension or truncation to the width of the type.
    Resize(ValueId),
    /// All bits equal to the one bit of `a` (a broadcast).
    Spread(ValueId),
    /// One bit: 1 if any bit of `a` is 1.
    Any(ValueId),
    /// The number of ones.
    Count(ValueId),
    /// The index of the lowest one; the width if there is none.
    First(ValueId),
    /// The lowest one alone.
    Lowest(ValueId),
    /// The highest one alone.
    Highest(ValueId),
    /// The places below the lowest one; all if there is none.
    Below(ValueId),
    /// The places above the highest one; all if there is none.
    Above(ValueId),
    /// The bit at the index that this number gives; no bit if the number is negative or not below the width.
    OneHot(ValueId),
    /// The second operand if the first, one bit, is 1, otherwise the third; of any type.
    Select(ValueId, ValueId, ValueId),
    /// The low bits of a number.
    Pack(ValueId),
    /// The bits, at most 63, as a nonnegative number.
    Unpack(ValueId),
    /// `a + b`, wrapping
    Add(ValueId, ValueId),
    /// `a - b`, wrapping
    Sub(ValueId, ValueId),
    /// `a * b`, wrapping
    Mul(ValueId, ValueId),
    /// The floored quotient; 0 where `b` is 0.
    Div(ValueId, ValueId),
    /// The Euclidean remainder, never negative; 0 where `b` is 0. For a negative `b` it is not the remainder that
    /// belongs to the floored quotient of [`Op::Div`].
    Mod(ValueId, ValueId),
    Min(ValueId, ValueId),
    Max(ValueId, ValueId),
    /// One bit: `a < b` of numbers.
    Less(ValueId, ValueId),
    /// One bit: `a = b` of numbers.
    Equal(ValueId, ValueId),
    /// The table entry at this index; 0 where there is none.
    Lookup(ValueId, Arc<[i64]>),
    /// The final value of a variable of a fixpoint, by its index.
    Fixed(FixId, u32),
}

/// The least fixpoint of some sets. The variables start at their initial values, and each round replaces all of them at
/// once by the next values, until nothing changes. The next values contain the present ones, so the iteration ends.
#[derive(Clone, Debug)]
pub struct Fixpoint {
    /// Each variable with its initial value.
    pub vars: Vec<(ValueId, ValueId)>,
    /// The next value of each variable.
    pub next: Vec<ValueId>,
}

/// The player to move and the phase, with the terminal tests and the moves.
///
/// A back end runs `before`; if an `Over` holds, the game is over. Then it runs the groups in order. If no group except
/// passes yields a move, the mover is stuck: it runs `stuck`, which may end the game or yield a pass.
#[derive(Clone, Debug)]
pub struct Control {
    /// The name in dumps.
    pub name: String,
    /// The player to move: a turn lasts as long as it stays the same.
    pub mover: u32,
    /// True if chance acts. Then each move has a weight, and its probability is its share of the sum of weights.
    pub chance: bool,
    /// Slots that are constant in all reachable positions of this control, with their contents. Play must not start
    /// from a position that differs.
    pub constant_slots: Vec<(SlotId, BitSet)>,
    /// The terminal tests that do not depend on the moves.
    pub before: StmtBlock,
    /// The move groups, in the order of their ids.
    pub groups: Vec<GroupId>,
    /// The statements that run if there is no move.
    pub stuck: StmtBlock,
}

/// Moves of one kind: one for each lane of a set, unless a `Require` rejects it.
#[derive(Clone, Debug)]
pub struct MoveGroup {
    /// The values that only the set needs.
    pub lets: StmtBlock,
    /// The set of lanes.
    pub set: ValueId,
    /// The parameter that stands for the bit of the lane in the body. It has the type of the set.
    pub bit: ValueId,
    /// True if the move is a pass. A mover whose only moves are passes counts as stuck.
    pub pass: bool,
    /// The values that the body needs and all lanes share.
    pub setup: StmtBlock,
    /// The statements for each lane.
    pub body: StmtBlock,
}

/// A sequence of statements.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StmtBlock {
    pub stmts: Vec<Stmt>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// Computes the value here. [`schedule`](schedule::schedule) inserts it; lowering writes none.
    Let(ValueId),
    /// Computes the fixpoint here; each round runs the block. Scheduling inserts it.
    Fix(FixId, StmtBlock),
    /// Ends the game if the condition holds.
    Over(TerminalTest),
    /// Runs the first block if the value is 1, otherwise the second.
    If(ValueId, StmtBlock, StmtBlock),
    /// Rejects the lane, and so ends the body, unless the value is 1.
    Require(ValueId),
    /// Faults if the value is 1: the rules have no meaning in this position, and everything ends.
    Fault(ValueId),
    /// Yields the successor and ends the body.
    Yield(StateUpdate),
}

/// A terminal test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TerminalTest {
    /// The condition, one bit.
    pub when: ValueId,
    /// True if the test does not apply to a stuck mover; `stuck` decides instead. (An end rule that comes after one
    /// about being stuck.)
    pub unless_stuck: bool,
    /// True if no move makes the condition hold: the preceding position was tested as well, and moves change none of
    /// its inputs. Only positions that start a game need the test.
    pub dead_after_move: bool,
    /// The end, as a number whose meaning is known to the maker of the circuit.
    pub ending: u32,
    /// The scores of this end, as numbers.
    pub scores: Vec<ValueId>,
}

/// The successor: the position after a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateUpdate {
    /// The changed slots with their new values.
    pub slots: Vec<(SlotId, ValueId)>,
    /// The control of the successor.
    pub to: ControlId,
    /// The weight of a chance move, a number above 0; `None` for other moves.
    pub weight: Option<ValueId>,
}

/// Visits the operands of an operation, by shared or mutable reference as `$op` is borrowed.
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
    /// Visits the operands. Those of a fixpoint are in [`Fixpoint`].
    pub fn each_operand(&self, mut visit: impl FnMut(ValueId)) {
        let visit = |operand: &ValueId| visit(*operand);
        for_operands!(self, visit);
    }

    /// Visits the operands mutably.
    pub fn each_operand_mut(&mut self, visit: impl FnMut(&mut ValueId)) {
        for_operands!(self, visit);
    }
}

impl StmtBlock {
    /// Returns true if `holds` is true of all statements, nested ones included.
    pub fn all(&self, holds: &dyn Fn(&Stmt) -> bool) -> bool {
        self.stmts.iter().all(|stmt| stmt.all(holds))
    }

    /// Returns the successors in the block, nested ones included, in order.
    pub fn yields(&self) -> Vec<&StateUpdate> {
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
    /// Returns true if `holds` is true of the statement and of all nested ones.
    pub fn all(&self, holds: &dyn Fn(&Stmt) -> bool) -> bool {
        let inside = match self {
            Stmt::If(_, yes, no) => yes.all(holds) && no.all(holds),
            _ => true,
        };
        inside && holds(self)
    }
}

impl Circuit {
    /// Returns the width of a vector.
    ///
    /// Panics if the value is a number.
    pub fn width(&self, value: ValueId) -> u32 {
        match self.values[value].ty {
            Ty::Bits(width) => width,
            Ty::Int => panic!("{value} is a number"),
        }
    }

    /// Returns the maximal number of moves of a control, not counting one that `stuck` yields.
    pub fn max_moves(&self, control: &Control) -> usize {
        let lanes = control.groups.iter().map(|&group| match self.values[self.groups[group].set].ty {
            Ty::Bits(width) => width as usize,
            Ty::Int => 0,
        });
        lanes.sum()
    }

    /// Returns true if a position satisfies the invariants of the circuit: the constant slots of its control and the
    /// stacking.
    pub fn admits(&self, at: &Position) -> bool {
        let holds = &self.controls[at.control].constant_slots;
        holds.iter().all(|(slot, bits)| self.layout.get(*slot, &at.words) == *bits)
            && self.stackings.iter().all(|stacking| stacking.is_satisfied(&self.layout, &at.words))
    }
}

impl Stacking {
    /// Returns true if a state satisfies the stacking invariant.
    pub fn is_satisfied(&self, layout: &Layout, words: &[u64]) -> bool {
        let slots = self.slots.iter().map(|&slot| layout.get(slot, words));
        let free = slots.fold(self.places.clone(), |free, taken| free.and(&taken.not()));
        free.shift(self.step).and(&self.places).is_subset(&free)
    }
}

impl Layout {
    /// Reads a slot of a state.
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
