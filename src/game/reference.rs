//! The reference interpreter as a machine: states are the words it packs them in.

use std::sync::Arc;

use super::{Fault, Machine, Play, State, Successor, Turn};
use crate::reference::Interpreter;
use crate::rules::{Block, Expr, FieldId, Rules, Value, Vars};

/// Runs rules by their definition. Slow, and what every other machine is compared with.
pub struct ReferenceMachine {
    interpreter: Interpreter,
}

impl ReferenceMachine {
    /// A machine for these rules.
    pub fn new(rules: Arc<Rules>) -> ReferenceMachine {
        ReferenceMachine { interpreter: Interpreter::new(rules) }
    }

    /// The interpreter inside.
    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }
}

impl Machine for ReferenceMachine {
    fn initial(&self) -> State {
        State(self.interpreter.pack(&self.interpreter.initial()))
    }

    fn turn(&self, state: &State) -> Result<Turn, Fault> {
        self.interpreter.turn(&self.interpreter.unpack(&state.0))
    }

    fn successors(&self, state: &State) -> Result<Vec<Successor>, Fault> {
        let successors = self.interpreter.successors(&self.interpreter.unpack(&state.0))?;
        let pack = |(play, state, probability)| Successor {
            play,
            state: State(self.interpreter.pack(&state)),
            probability,
        };
        Ok(successors.into_iter().map(pack).collect())
    }

    fn written(&self, state: &State, play: &Play) -> String {
        self.interpreter.written(&self.interpreter.unpack(&state.0), play)
    }

    fn read(&self, state: &State, field: FieldId, cell: usize) -> Value {
        self.interpreter.read(&self.interpreter.unpack(&state.0), field, cell)
    }

    fn eval(&self, state: &State, expr: &Expr) -> Option<Value> {
        self.interpreter.eval(&self.interpreter.unpack(&state.0), expr)
    }

    fn edit(&self, state: &State, block: &Block, vars: &Vars) -> Result<State, Fault> {
        let edited = self.interpreter.edit(&self.interpreter.unpack(&state.0), block, vars)?;
        Ok(State(self.interpreter.pack(&edited)))
    }

    fn observation(&self, state: &State, player: u32) -> Value {
        self.interpreter.observation(&self.interpreter.unpack(&state.0), player)
    }
}
