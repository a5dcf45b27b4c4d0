//! A compiled game as a machine: states are the words of its circuit and, last, the number of its control.
//!
//! What is rare (the written form of a move, positions of a test, what a player sees) is asked of the definition.

use std::sync::Arc;

use num_rational::Rational64;

use super::{Fault, Halt, Machine, Outcome, Play, State, Successor, Turn};
use crate::base::limits::{LimitHit, Limits};
use crate::circuit::{ControlId, Position};
use crate::exec::{Child, Ending, Runner, Status};
use crate::lower::{Lowered, Plays};
use crate::reference::{self, Interpreter};
use crate::rules::{Block, Expr, FieldId, MOVER, PHASE, Rules, Value, Vars};

/// Runs a circuit.
pub struct CompiledMachine {
    rules: Arc<Rules>,
    lowered: Arc<Lowered>,
    runner: Arc<dyn Runner>,
    interpreter: Interpreter,
}

impl CompiledMachine {
    /// A machine for these rules, lowered, and what runs their circuit.
    pub fn new(rules: Arc<Rules>, lowered: Arc<Lowered>, runner: Arc<dyn Runner>) -> CompiledMachine {
        CompiledMachine { interpreter: Interpreter::new(rules.clone()), rules, lowered, runner }
    }

    /// What runs the circuit.
    pub fn runner(&self) -> &dyn Runner {
        &*self.runner
    }

    /// The rules as a circuit.
    pub fn lowered(&self) -> &Lowered {
        &self.lowered
    }

    /// A state as the circuit has it.
    pub fn position(&self, state: &State) -> Position {
        let (control, words) = state.0.split_last().expect("a state ends with its control");
        Position { control: ControlId(*control as u32), words: words.into() }
    }

    /// A position of the circuit as a state.
    pub fn state(&self, position: &Position) -> State {
        State(position.words.iter().copied().chain([u64::from(position.control.0)]).collect())
    }

    fn turn_of(&self, control: ControlId) -> (u32, u32) {
        self.lowered.turns[control.0 as usize]
    }

    fn to_reference(&self, state: &State) -> reference::State {
        let at = self.position(state);
        let turn = self.turn_of(at.control);
        let read = |field, cell| self.lowered.state.read(&self.rules, &at.words, field, cell, turn);
        let fields = self.rules.fields.entries();
        let cells = fields.flat_map(|(id, field)| (0..field.cells()).map(move |cell| (id, cell)));
        reference::State { cells: cells.map(|(id, cell)| read(id, cell)).collect(), history: Vec::new() }
    }

    fn of_reference(&self, state: &reference::State) -> State {
        let read = |field: FieldId, cell: usize| self.interpreter.read(state, field, cell);
        let words = self.lowered.state.write(&read);
        let mover = read(MOVER, 0).as_sym().unwrap_or(0);
        let phase = read(PHASE, 0).as_int().unwrap_or(0) as u32;
        let control = self.lowered.turns.iter().position(|&turn| turn == (mover, phase)).unwrap_or(0);
        State(words.into_iter().chain([control as u64]).collect())
    }

    fn answer<T>(&self, said: Result<T, Fault>) -> Result<T, Halt> {
        Ok(self.interpreter.meant(said)??)
    }

    fn outcome(&self, ending: &Ending) -> Outcome {
        let of = &self.lowered.endings[ending.ending as usize];
        let (payoffs, kind) = of.payoffs(&ending.scores);
        let scores = of.compares().then(|| ending.scores.clone());
        Outcome { payoffs, kind, scores, rule: of.rule }
    }

    fn play(&self, child: &Child) -> Play {
        match self.lowered.plays(child.group) {
            Plays::Pass => Play::Pass,
            Plays::Move(id, args) => {
                Play::Move(*id, args[child.lane as usize].clone().expect("a lane of the set has arguments"))
            }
        }
    }
}

impl Machine for CompiledMachine {
    fn within(&self, limits: &Limits) -> Option<Arc<dyn Machine>> {
        Some(Arc::new(CompiledMachine {
            rules: self.rules.clone(),
            lowered: self.lowered.clone(),
            runner: self.runner.clone(),
            interpreter: self.interpreter.within(limits),
        }))
    }

    fn initial(&self) -> State {
        self.state(&self.runner.circuit().initial)
    }

    fn turn(&self, state: &State) -> Result<Turn, Halt> {
        Ok(self.expand(state)?.0)
    }

    fn successors(&self, state: &State) -> Result<Vec<Successor>, Halt> {
        Ok(self.expand(state)?.1)
    }

    fn expand(&self, state: &State) -> Result<(Turn, Vec<Successor>), Halt> {
        let at = self.position(state);
        let mut children = Vec::new();
        let Ok(status) = self.runner.expand(&at, &mut children) else {
            // The definition says what is wrong, and where.
            let (turn, successors) = self.answer(self.interpreter.expand(&self.to_reference(state)))?;
            let successors = successors.into_iter().map(|(play, state, probability)| Successor {
                play,
                state: self.of_reference(&state),
                probability,
            });
            return Ok((turn, successors.collect()));
        };
        if let Status::Over(ending) = status {
            return Ok((Turn::Over(self.outcome(&ending)), Vec::new()));
        }
        let one = Rational64::from_integer(1);
        let mut successors: Vec<Successor> = children
            .iter()
            .map(|child| Successor {
                play: self.play(child),
                state: self.state(&child.position),
                probability: one,
            })
            .collect();
        successors.sort_by(|a, b| a.play.cmp(&b.play));
        Ok((Turn::Player(self.lowered.actors[at.control.0 as usize]), successors))
    }

    fn written(&self, state: &State, play: &Play) -> Result<String, LimitHit> {
        self.interpreter.meant(self.interpreter.written(&self.to_reference(state), play))
    }

    fn read(&self, state: &State, field: FieldId, cell: usize) -> Value {
        if self.rules.fields.get(field).is_none_or(|of| cell >= of.cells()) {
            return Value::None;
        }
        let at = self.position(state);
        self.lowered.state.read(&self.rules, &at.words, field, cell, self.turn_of(at.control))
    }

    fn eval(&self, state: &State, expr: &Expr) -> Result<Option<Value>, LimitHit> {
        self.interpreter.meant(self.interpreter.eval(&self.to_reference(state), expr))
    }

    fn edit(&self, state: &State, block: &Block, vars: &Vars) -> Result<State, Halt> {
        let edited = self.answer(self.interpreter.edit(&self.to_reference(state), block, vars))?;
        Ok(self.of_reference(&edited))
    }

    fn observation(&self, state: &State, player: u32) -> Result<Value, LimitHit> {
        self.interpreter.meant(self.interpreter.observation(&self.to_reference(state), player))
    }
}
