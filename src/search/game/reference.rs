//! The reference interpreter as a machine: its states are the words that the interpreter packs.

use std::sync::Arc;

use super::{Choices, Fault, Machine, MachineError, MoveInstance, State, Successor, ToMove};
use bouton_base::limits::{LimitHit, Limits};
use bouton_reference::Interpreter;
use bouton_rules::{Block, Expr, FieldId, Rules, Value, Vars};

/// A machine that runs rules by their definition. It is slow, and every other machine is compared with it.
pub struct ReferenceMachine {
    interpreter: Interpreter,
}

impl ReferenceMachine {
    /// Creates a machine for these rules.
    pub fn new(rules: Arc<Rules>) -> ReferenceMachine {
        ReferenceMachine { interpreter: Interpreter::new(rules) }
    }

    /// Creates a machine that reaches its time limit after this number of steps, at the same place everywhere.
    pub fn for_steps(rules: Arc<Rules>, steps: u64) -> ReferenceMachine {
        ReferenceMachine { interpreter: Interpreter::new(rules).for_steps(steps) }
    }

    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    fn answer<T>(&self, said: Result<T, Fault>) -> Result<T, MachineError> {
        Ok(self.interpreter.unless_limited(said)??)
    }
}

impl Machine for ReferenceMachine {
    fn with_limits(&self, limits: &Limits) -> Option<Arc<dyn Machine>> {
        Some(Arc::new(ReferenceMachine { interpreter: self.interpreter.within(limits) }))
    }

    fn initial(&self) -> State {
        State(self.interpreter.pack(&self.interpreter.initial()))
    }

    fn turn(&self, state: &State) -> Result<ToMove, MachineError> {
        self.answer(self.interpreter.turn(&self.interpreter.unpack(&state.0)))
    }

    fn successors(&self, state: &State) -> Result<Vec<Successor>, MachineError> {
        Ok(self.expand(state)?.1)
    }

    fn expand(&self, state: &State) -> Result<(ToMove, Vec<Successor>), MachineError> {
        let (turn, successors) = self.answer(self.interpreter.expand(&self.interpreter.unpack(&state.0)))?;
        let pack = |(play, state, probability)| Successor {
            play,
            state: State(self.interpreter.pack(&state)),
            probability,
        };
        let successors = successors.into_iter().map(pack).take_while(|_| self.interpreter.limit().is_none());
        let successors = successors.collect();
        Ok((turn, self.interpreter.unless_limited(successors)?))
    }

    fn choices(&self, state: &State) -> Result<Option<Choices>, MachineError> {
        self.answer(self.interpreter.choices_by_player(&self.interpreter.unpack(&state.0)))
    }

    fn make(&self, state: &State, play: &MoveInstance) -> Result<Option<State>, MachineError> {
        let made = self.answer(self.interpreter.make(&self.interpreter.unpack(&state.0), play))?;
        Ok(made.map(|made| State(self.interpreter.pack(&made))))
    }

    fn notation(&self, state: &State, play: &MoveInstance) -> Result<String, LimitHit> {
        self.interpreter
            .unless_limited(self.interpreter.render_move(&self.interpreter.unpack(&state.0), play))
    }

    fn read(&self, state: &State, field: FieldId, cell: usize) -> Value {
        self.interpreter.read(&self.interpreter.unpack(&state.0), field, cell)
    }

    fn read_all(&self, state: &State, field: FieldId, cells: usize) -> Vec<Value> {
        let state = self.interpreter.unpack(&state.0);
        (0..cells).map(|cell| self.interpreter.read(&state, field, cell)).collect()
    }

    fn eval(&self, state: &State, expr: &Expr) -> Result<Option<Value>, LimitHit> {
        self.interpreter.unless_limited(self.interpreter.eval(&self.interpreter.unpack(&state.0), expr))
    }

    fn edit(&self, state: &State, block: &Block, vars: &Vars) -> Result<State, MachineError> {
        let edited = self.answer(self.interpreter.edit(&self.interpreter.unpack(&state.0), block, vars))?;
        Ok(State(self.interpreter.pack(&edited)))
    }

    fn observation(&self, state: &State, player: u32) -> Result<Value, LimitHit> {
        self.interpreter
            .unless_limited(self.interpreter.observation(&self.interpreter.unpack(&state.0), player))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouton_rules::builder::{RulesBuilder, add, effect, get, int, ints, less, var, when};
    use bouton_rules::{EffectOp, Type};

    #[test]
    fn the_machine_says_in_words_what_the_interpreter_says() {
        let mut builder = RulesBuilder::new(&["A", "B"]);
        let n = builder.field("n", &[], Type::Int(0, 9), Value::Int(7));
        let fits = when(less(add(get(n, &[]), var(0)), int(10)));
        builder.action("add", &[ints(1..=3)], vec![fits, effect(EffectOp::Add, n, &[], var(0))]);
        let machine = ReferenceMachine::new(Arc::new(builder.rules));
        let start = machine.initial();
        assert_eq!(machine.turn(&start), Ok(ToMove::Player(0)));
        let successors = machine.successors(&start).unwrap();
        let written: Vec<_> = successors.iter().map(|s| machine.notation(&start, &s.play)).collect();
        assert_eq!(written, [Ok("add(1)".into()), Ok("add(2)".into())]);
        let choices = successors.iter().map(|s| s.play.clone()).collect();
        assert_eq!(machine.choices(&start), Ok(Some((ToMove::Player(0), vec![(0, choices)]))));
        for successor in &successors {
            assert_eq!(machine.make(&start, &successor.play), Ok(Some(successor.state.clone())));
        }
        let last = &successors[1].state;
        assert_eq!(machine.read(last, n, 0), Value::Int(9));
        assert_eq!(machine.eval(last, &add(get(n, &[]), int(1))), Ok(Some(Value::Int(10))));
        assert_eq!(
            machine.observation(last, 0),
            Ok(Value::tuple(vec![Value::Sym(bouton_rules::PLAYER, 1), Value::Int(0), Value::Int(9)]))
        );
        assert_eq!(machine.successors(last), Ok(Vec::new()));
        assert_eq!(machine.choices(last), Ok(Some((ToMove::Player(1), vec![(1, Vec::new())]))));
    }
}
