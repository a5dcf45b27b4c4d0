//! The Position API: games, states, moves and their names. Backend-neutral.
//!
//! *Invariant:* nobody above this room knows which machine runs the rules.

use std::sync::Arc;

use num_rational::Rational64;

use crate::rules::{Rules, Value};

mod compiled;
mod reference;

pub use crate::rules::play::{Clash, Fault, FaultKind, Outcome, OutcomeKind, Play, Turn};
pub use compiled::CompiledMachine;
pub use reference::ReferenceMachine;

/// A position: words whose meaning is the machine's. Equal positions have equal words, history included where the
/// rules make it part of the position.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State(pub Box<[u64]>);

/// A legal move with what it leads to.
#[derive(Clone, PartialEq, Debug)]
pub struct Successor {
    /// The move.
    pub play: Play,
    /// The position after it.
    pub state: State,
    /// For chance, its probability; otherwise 1.
    pub probability: Rational64,
}

/// Something that runs rules: the reference interpreter, a circuit interpreter, machine code.
pub trait Machine: Send + Sync {
    /// The first position.
    fn initial(&self) -> State;
    /// Who acts, or how the game ended.
    fn turn(&self, state: &State) -> Result<Turn, Fault>;
    /// All legal moves in a fixed order: moves as declared, arguments in order, the pass last. Empty where the game
    /// is over, and where nobody can move though it is not.
    fn successors(&self, state: &State) -> Result<Vec<Successor>, Fault>;
    /// Who acts and what he may do, in one: what a search asks of each position.
    fn expand(&self, state: &State) -> Result<(Turn, Vec<Successor>), Fault> {
        Ok((self.turn(state)?, self.successors(state)?))
    }
    /// The written form of a move in the position it is made in (the template, or `name(arguments)`).
    fn written(&self, state: &State, play: &Play) -> String;
    /// A cell of a field (cells as in [`crate::rules::Field`], the last key fastest).
    fn read(&self, state: &State, field: crate::rules::FieldId, cell: usize) -> Value;
    /// The value of a condition without variables, or of a term; none where undefined.
    fn eval(&self, state: &State, expr: &crate::rules::Expr) -> Option<Value>;
    /// The position that effects in one stage make of this one (a `position { }`).
    fn edit(
        &self,
        state: &State,
        block: &crate::rules::Block,
        vars: &crate::rules::Vars,
    ) -> Result<State, Fault>;
    /// What this player sees in this position: visible fields and `sees`, as a value that can be compared.
    fn observation(&self, state: &State, player: u32) -> Value;
}

/// Rules with a machine that runs them.
#[derive(Clone)]
pub struct Game {
    /// The rules.
    pub rules: Arc<Rules>,
    /// What runs them.
    pub machine: Arc<dyn Machine>,
}

impl Game {
    /// Rules run by their definition, the reference interpreter.
    pub fn on_reference(rules: Rules) -> Game {
        let rules = Arc::new(rules);
        Game { machine: Arc::new(ReferenceMachine::new(rules.clone())), rules }
    }
}

pub mod arena;
pub mod draw;
pub mod explore;
pub mod names;
pub mod perft;
pub mod random;
#[cfg(test)]
pub(crate) mod toy;
