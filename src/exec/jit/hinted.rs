//! The values of hints in a kernel that looks ahead: what of them is the same for all moves is worked out once.

use cranelift_codegen::ir::Value;
use cranelift_frontend::FunctionBuilder;
use rustc_hash::FxHashSet;

use super::lanes::Lane;
use super::values::{Name, Scope, Word, vector};
use crate::circuit::{GroupId, ValueId};
use crate::exec::threats::{Hint, Hints};

/// Values of hints, in the position that a function looks at.
pub(super) struct Hinted<'a> {
    pub hints: &'a Hints,
    /// Those that were worked out.
    pub known: Scope<'a>,
    /// Those that hold for the whole position, and those that hold for a lane alone.
    always: FxHashSet<ValueId>,
    here: FxHashSet<ValueId>,
}

impl<'a> Hinted<'a> {
    /// None yet, in a position of these words.
    pub fn new(hints: &'a Hints, words: Vec<Value>) -> Hinted<'a> {
        let known = Scope::new(&hints.circuit, words);
        Hinted { hints, known, always: FxHashSet::default(), here: FxHashSet::default() }
    }

    /// What is known of the moves of a group.
    pub fn of(&self, group: GroupId) -> Option<&'a Hint> {
        self.hints.of.get(group)?.as_ref()
    }

    /// Works out what these values of a hint need that is the same for all moves.
    pub fn group(&mut self, b: &mut FunctionBuilder, hint: &Hint, of: impl IntoIterator<Item = ValueId>) {
        let order = self.hints.needed(of);
        let varying = self.hints.varying(&order, hint.bit);
        for value in order {
            if !varying.contains(&value) && self.always.insert(value) {
                self.known.compute(b, value);
            }
        }
    }

    /// Begins with a move, of whose group this is the hint. Gives what [`leave`](Self::leave) needs.
    pub fn enter(&mut self, b: &mut FunctionBuilder, hint: &Hint, lane: &Lane) -> usize {
        let mark = self.known.mark();
        let bit = vector(b, self.hints.circuit.width(hint.bit), lane.bit.clone());
        self.known.bind(Name::Value(hint.bit), bit);
        mark
    }

    /// Works out these values for the move that was begun with, or for the whole position where none was.
    pub fn compute(&mut self, b: &mut FunctionBuilder, of: impl IntoIterator<Item = ValueId>) {
        for value in self.hints.needed(of) {
            if !self.always.contains(&value) && self.here.insert(value) {
                self.known.compute(b, value);
            }
        }
    }

    /// Forgets what belongs to the move that was begun with.
    pub fn leave(&mut self, mark: usize) {
        self.known.restore(mark);
        self.here.clear();
    }

    /// The words of a vector that was worked out, without those in which no bit can be.
    pub fn words(&self, b: &mut FunctionBuilder, value: ValueId) -> Vec<Word> {
        let mut words = self.known.clean(b, value);
        words.retain(|word| word.maybe != 0);
        words
    }
}
