//! The values of hints in a lookahead kernel. Values that all moves share are computed once.

use cranelift_codegen::ir::Value;
use cranelift_frontend::FunctionBuilder;
use rustc_hash::FxHashSet;

use super::lanes::Lane;
use super::values::{BindingKey, JitScope, KnownWord, vector};
use crate::threats::{MoveHint, MoveHints};
use bouton_circuit::{GroupId, ValueId};

/// The values of hints, in the position of a function.
pub(super) struct HintValues<'a> {
    pub hints: &'a MoveHints,
    /// The values computed so far.
    pub known: JitScope<'a>,
    /// The values that hold for the whole position; then those that hold for one lane only.
    always: FxHashSet<ValueId>,
    here: FxHashSet<ValueId>,
}

impl<'a> HintValues<'a> {
    /// Returns no values yet, for a position of these words.
    pub fn new(hints: &'a MoveHints, words: Vec<Value>) -> HintValues<'a> {
        let known = JitScope::new(&hints.circuit, words);
        HintValues { hints, known, always: FxHashSet::default(), here: FxHashSet::default() }
    }

    /// Returns the hint about the moves of a group.
    pub fn of(&self, group: GroupId) -> Option<&'a MoveHint> {
        self.hints.by_group.get(group)?.as_ref()
    }

    /// Computes the operands of a hint's values that all moves share.
    pub fn group(&mut self, b: &mut FunctionBuilder, hint: &MoveHint, of: impl IntoIterator<Item = ValueId>) {
        let order = self.hints.needed(of);
        let varying = self.hints.varying(&order, hint.bit);
        for value in order {
            if !varying.contains(&value) && self.always.insert(value) {
                self.known.compute(b, value);
            }
        }
    }

    /// Starts a move of the group to which the hint belongs. Returns the mark for [`leave`](Self::leave).
    pub fn enter(&mut self, b: &mut FunctionBuilder, hint: &MoveHint, lane: &Lane) -> usize {
        let mark = self.known.mark();
        let bit = vector(b, self.hints.circuit.width(hint.bit), lane.bit.clone());
        self.known.bind(BindingKey::Value(hint.bit), bit);
        mark
    }

    /// Computes these values for the current move, or for the whole position outside of moves.
    pub fn compute(&mut self, b: &mut FunctionBuilder, of: impl IntoIterator<Item = ValueId>) {
        for value in self.hints.needed(of) {
            if !self.always.contains(&value) && self.here.insert(value) {
                self.known.compute(b, value);
            }
        }
    }

    /// Forgets the values of the current move.
    pub fn leave(&mut self, mark: usize) {
        self.known.restore(mark);
        self.here.clear();
    }

    /// Returns the words of a computed vector, without those that are always 0.
    pub fn words(&self, b: &mut FunctionBuilder, value: ValueId) -> Vec<KnownWord> {
        let mut words = self.known.masked_words(b, value);
        words.retain(|word| word.maybe != 0);
        words
    }
}
