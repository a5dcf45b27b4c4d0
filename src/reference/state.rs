//! Positions: the values of all cells, and the history that the rules read.

use super::Interpreter;
use super::eval::{Context, Position};
use super::history::HistoryEntry;
use bouton_base::id::{Id, IdVec};
use bouton_rules::{FieldId, MOVER, PHASE, PhaseId, Rules, Value};
use std::sync::OnceLock;

/// A position.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    /// The values of all fields, in the order of their declaration, the last key fastest.
    pub cells: Vec<Value>,
    /// The earlier entries of each watch in this play, in the order of `forbid repeat` and then the counted `repeat`.
    /// Empty if the rules read no history.
    pub history: Vec<Vec<HistoryEntry>>,
}

/// The index of each field's first cell among all cells.
#[derive(Clone, Debug)]
pub struct Layout {
    first: IdVec<FieldId, usize>,
    /// The number of cells.
    pub cells: usize,
    /// The cells that return to their initial value after a move that does not set them, with that value.
    pub transient: Vec<(usize, Value)>,
}

impl Layout {
    /// Lays the fields out one after another.
    pub fn new(rules: &Rules) -> Layout {
        let mut layout = Layout { first: IdVec::new(), cells: 0, transient: Vec::new() };
        for field in &rules.fields {
            let first = layout.cells;
            layout.first.push(first);
            layout.cells += field.cells();
            if field.transient {
                layout.transient.extend((first..layout.cells).zip(field.init.iter().cloned()));
            }
        }
        layout
    }

    /// The index of a cell of a field among all cells.
    pub fn index(&self, field: FieldId, cell: usize) -> usize {
        self.first[field] + cell
    }

    /// The field of a cell, and the index of the cell in the field.
    pub fn field(&self, index: usize) -> (FieldId, usize) {
        let after = self.first.as_slice().partition_point(|&first| first <= index);
        // A field without cells begins where the next one does, so the last that begins there is the right one.
        let field = FieldId::new(after.saturating_sub(1));
        (field, index - self.first[field])
    }
}

impl State {
    /// The player to move.
    pub fn mover(&self) -> u32 {
        self.cells[MOVER.index()].as_sym().unwrap_or(0)
    }

    pub fn phase(&self) -> PhaseId {
        let index = self.cells[PHASE.index()].as_int().and_then(|i| u32::try_from(i).ok());
        PhaseId(index.unwrap_or(0))
    }

    pub fn set_mover(&mut self, player: Value) {
        self.cells[MOVER.index()] = player;
    }

    pub fn set_phase(&mut self, phase: PhaseId) {
        self.cells[PHASE.index()] = Value::Int(i64::from(phase.0));
    }
}

/// A position as the evaluator reads it.
pub struct PositionView<'a> {
    interpreter: &'a Interpreter,
    state: &'a State,
    stuck: StuckMeaning,
    stuck_cache: OnceLock<bool>,
}

/// The meaning of `stuck` during an evaluation.
#[derive(Clone, Copy)]
pub enum StuckMeaning {
    /// Computed from the legal moves.
    Compute,
    /// Known: in the condition of a pass, true if there is no other move.
    Known(bool),
    /// Meaningless: the rule of a move cannot depend on the legal moves.
    Meaningless,
}

impl<'a> PositionView<'a> {
    /// A position with this meaning of `stuck`.
    pub fn new(interpreter: &'a Interpreter, state: &'a State, stuck: StuckMeaning) -> PositionView<'a> {
        PositionView { interpreter, state, stuck, stuck_cache: OnceLock::new() }
    }

    /// A context for evaluation in this position, with `me` as the actor.
    pub fn context(&self, me: Option<u32>) -> Context<'_> {
        Context::new(&self.interpreter.rules, Some(self), me, &self.interpreter.patience)
    }
}

impl Position for PositionView<'_> {
    fn cell(&self, field: FieldId, cell: usize) -> Option<&Value> {
        self.state.cells.get(self.interpreter.layout.index(field, cell))
    }

    fn stuck(&self, player: Option<u32>) -> Option<bool> {
        match (self.stuck, player) {
            (StuckMeaning::Meaningless, _) => None,
            (StuckMeaning::Known(stuck), None) => Some(stuck),
            (StuckMeaning::Compute, None) => {
                Some(*self.stuck_cache.get_or_init(|| self.interpreter.stuck(self.state)))
            }
            (StuckMeaning::Compute | StuckMeaning::Known(_), Some(player)) => {
                Some(self.interpreter.stuck_player(self.state, player))
            }
        }
    }
}
