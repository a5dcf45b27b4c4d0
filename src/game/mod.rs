//! The Position API: games, states, moves and their names. Backend-neutral.
//!
//! *Invariant:* nobody above this room knows which machine runs the rules.

use std::sync::Arc;

use num_rational::Rational64;

use crate::base::cancel;
use crate::base::limits::{LimitHit, Limits};
use crate::exec::Runner;
use crate::exec::interp::Interpreter;
use crate::exec::jit::{Jit, Options};
use crate::lower::{self, Lowered, Unsupported, lower_with};
use crate::opt::optimise;
use crate::rules::{
    Block, Effect, EffectOp, Expr, ExprKind, MOVER, PLAYER, Rules, Stmt, StmtKind, Type, Value, Vars,
};
use crate::source::{FileId, Span};

mod compiled;
mod history;
mod reference;

pub use crate::lower::Acting;
pub use crate::rules::play::{Clash, Fault, FaultKind, Outcome, OutcomeKind, Play, Turn};
pub use compiled::CompiledMachine;
pub use history::remembers;
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

/// Why a machine does not answer.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Halt {
    /// The rules contradict themselves here.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A limit was reached first.
    #[error("{0}")]
    Limit(LimitHit),
}

impl From<LimitHit> for Halt {
    fn from(hit: LimitHit) -> Halt {
        Halt::Limit(hit)
    }
}

/// Something that runs rules: the reference interpreter, a circuit interpreter, machine code.
///
/// Limits are reached only by machines that were made [`within`](Self::within) some; others answer however long it
/// takes.
pub trait Machine: Send + Sync {
    /// A machine for the same rules that gives up in the middle of a position where these limits are reached, and from
    /// then on. None: no answer takes long enough to be worth it.
    fn within(&self, _limits: &Limits) -> Option<Arc<dyn Machine>> {
        None
    }
    /// The first position.
    fn initial(&self) -> State;
    /// Who acts, or how the game ended.
    fn turn(&self, state: &State) -> Result<Turn, Halt>;
    /// All legal moves in a fixed order: moves as declared, arguments in order, the pass last. Empty where the game
    /// is over, and where nobody can move though it is not.
    fn successors(&self, state: &State) -> Result<Vec<Successor>, Halt>;
    /// Who acts and what he may do, in one: what a search asks of each position.
    fn expand(&self, state: &State) -> Result<(Turn, Vec<Successor>), Halt> {
        Ok((self.turn(state)?, self.successors(state)?))
    }
    /// The written form of a move in the position it is made in (the template, or `name(arguments)`).
    fn written(&self, state: &State, play: &Play) -> Result<String, LimitHit>;
    /// A cell of a field (cells as in [`crate::rules::Field`], the last key fastest).
    fn read(&self, state: &State, field: crate::rules::FieldId, cell: usize) -> Value;
    /// The cells of a field, of which there are so many.
    fn read_all(&self, state: &State, field: crate::rules::FieldId, cells: usize) -> Vec<Value> {
        (0..cells).map(|cell| self.read(state, field, cell)).collect()
    }
    /// The value of a condition without variables, or of a term; none where undefined.
    fn eval(&self, state: &State, expr: &crate::rules::Expr) -> Result<Option<Value>, LimitHit>;
    /// The position that effects in one stage make of this one (a `position { }`).
    fn edit(
        &self,
        state: &State,
        block: &crate::rules::Block,
        vars: &crate::rules::Vars,
    ) -> Result<State, Halt>;
    /// The same position with this player to move; none where it has no meaning.
    fn with_mover(&self, state: &State, player: u32) -> Option<State> {
        self.edit(state, &moves_next(player), &Vars::new()).ok()
    }
    /// The position in the words of the definition.
    fn packed(&self, state: &State) -> Box<[u64]> {
        state.0.clone()
    }
    /// What this player sees in this position: visible fields and `sees`, as a value that can be compared.
    fn observation(&self, state: &State, player: u32) -> Result<Value, LimitHit>;
}

/// The effect after which this player is to move.
fn moves_next(player: u32) -> Block {
    let span = Span::new(FileId(0), 0, 0);
    let value = Expr::new(ExprKind::Const(Value::Sym(PLAYER, player)), Type::Sym(PLAYER), span);
    let effect = Effect { field: MOVER, keys: Vec::new(), path: Vec::new(), op: EffectOp::Set, value };
    Block { stmts: vec![Stmt { kind: StmtKind::Effect(effect), span }] }
}

/// What runs rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// Machine code.
    Jit,
    /// The interpreter of circuits.
    Interp,
    /// The interpreter that is the definition.
    #[default]
    Reference,
}

impl std::fmt::Display for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Backend::Jit => "machine code",
            Backend::Interp => "the interpreter of circuits",
            Backend::Reference => "the reference interpreter",
        })
    }
}

/// Why rules do not run on what was asked for.
#[derive(Clone, Debug)]
pub struct Fallback {
    /// The reason.
    pub reason: String,
    /// The place in the rules that stands against it, if it is one.
    pub span: Option<Span>,
}

/// Rules as a circuit that went through the passes of the optimiser, but for those named.
pub fn circuit_of(rules: &Rules, skipped: &[String], limits: &Limits) -> Result<Lowered, Unsupported> {
    lower_with(rules, lower::Options::default(), limits, &|draft| optimise(draft, skipped))
}

/// Rules as a circuit with what runs it.
struct Compiled {
    lowered: Arc<Lowered>,
    runner: Arc<dyn Runner>,
    backend: Backend,
    fallback: Option<Fallback>,
}

/// Compiles rules for the machine asked for, or the next best; or says why there is no circuit.
fn compile(
    rules: &Rules,
    backend: Backend,
    skipped: &[String],
    limits: &Limits,
) -> Result<Compiled, Fallback> {
    let lowered = circuit_of(rules, skipped, limits)
        .map_err(|why| Fallback { reason: why.what, span: Some(why.span) })?;
    let lowered = Arc::new(lowered);
    let circuit = Arc::new(lowered.circuit.clone());
    let jit = (backend == Backend::Jit).then(|| {
        // Machine code that needs too much memory or time is done without, as that which is too large.
        match cancel::run_within(limits, || Jit::new(circuit.clone(), Options::default())) {
            Ok(made) => made.map_err(|why| why.to_string()),
            Err(hit) => Err(format!("there is no machine code: {hit}")),
        }
    });
    let (runner, backend, fallback): (Arc<dyn Runner>, _, _) = match jit {
        Some(Ok(jit)) => (Arc::new(jit), Backend::Jit, None),
        Some(Err(reason)) => {
            let fallback = Fallback { reason, span: None };
            (Arc::new(Interpreter::new(circuit)), Backend::Interp, Some(fallback))
        }
        None => (Arc::new(Interpreter::new(circuit)), Backend::Interp, None),
    };
    Ok(Compiled { lowered, runner, backend, fallback })
}

/// Rules with a machine that runs them.
#[derive(Clone)]
pub struct Game {
    /// The rules.
    pub rules: Arc<Rules>,
    /// What runs them.
    pub machine: Arc<dyn Machine>,
    compiled: Option<Arc<CompiledMachine>>,
    backend: Backend,
    fallback: Option<Fallback>,
}

impl Game {
    /// What all cells of a position hold, field by field, the last key fastest.
    pub fn cells(&self, state: &State) -> Vec<Value> {
        let fields = self.rules.fields.entries();
        fields.flat_map(|(id, field)| self.machine.read_all(state, id, field.cells())).collect()
    }

    /// Rules with whatever runs them.
    pub fn new(rules: Arc<Rules>, machine: Arc<dyn Machine>) -> Game {
        Game { rules, machine, compiled: None, backend: Backend::Reference, fallback: None }
    }

    /// Rules run by their definition, the reference interpreter.
    pub fn on_reference(rules: Rules) -> Game {
        let rules = Arc::new(rules);
        Game::new(rules.clone(), Arc::new(ReferenceMachine::new(rules)))
    }

    /// Rules on the machine asked for, or on the next best that they have a form for. Compiling is given up where the
    /// limits are reached.
    pub fn on(rules: Rules, backend: Backend, skipped: &[String], limits: &Limits) -> Game {
        if backend == Backend::Reference {
            return Game::on_reference(rules);
        }
        let rules = Arc::new(rules);
        let (own, left_out, within) = (rules.clone(), skipped.to_vec(), limits.clone());
        let compiled = cancel::run_apart(limits, move || compile(&own, backend, &left_out, &within));
        let machine = match compiled {
            Ok(Ok(machine)) => machine,
            Ok(Err(fallback)) => return Game::falling_back(rules, fallback),
            Err(hit) => {
                let fallback = Fallback { reason: hit.to_string(), span: None };
                return Game::falling_back(rules, fallback);
            }
        };
        let Compiled { lowered, runner, backend, fallback } = machine;
        let compiled = Arc::new(CompiledMachine::new(rules.clone(), lowered, runner));
        let counts = Some(compiled.clone()).filter(|compiled| compiled.is_without_past());
        Game { rules, machine: compiled, compiled: counts, backend, fallback }
    }

    /// Rules on their definition, for this reason.
    fn falling_back(rules: Arc<Rules>, fallback: Fallback) -> Game {
        let machine = Arc::new(ReferenceMachine::new(rules.clone()));
        Game { fallback: Some(fallback), ..Game::new(rules, machine) }
    }

    /// The machine as a compiled one, for who counts or enumerates and has no use for the names of moves; none where a
    /// position is more than the circuit holds.
    pub fn compiled(&self) -> Option<&Arc<CompiledMachine>> {
        self.compiled.as_ref()
    }

    /// What the rules run on.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Why that is not what was asked for; none where it is.
    pub fn fallback(&self) -> Option<&Fallback> {
        self.fallback.as_ref()
    }

    /// The same game on a machine that gives up where these limits are reached.
    pub fn within(&self, limits: &Limits) -> Game {
        if let Some(compiled) = &self.compiled {
            let compiled = Arc::new(compiled.bounded(limits));
            return Game { machine: compiled.clone(), compiled: Some(compiled), ..self.clone() };
        }
        let machine = self.machine.within(limits).unwrap_or_else(|| self.machine.clone());
        Game { machine, ..self.clone() }
    }

    /// A move in words, for people: its written form, or `name(arguments)` where a limit is reached first.
    pub fn written(&self, state: &State, play: &Play) -> String {
        self.machine.written(state, play).unwrap_or_else(|_| names::call_form(&self.rules, play))
    }
}

pub mod arena;
pub mod canonical;
pub mod closure;
pub mod draw;
pub mod explore;
pub mod keys;
pub mod names;
pub mod perft;
pub mod picture;
pub mod random;
pub mod ranked;
pub mod ranking;
#[cfg(test)]
pub(crate) mod toy;
