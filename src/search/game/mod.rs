//! The position API: games, states, moves and their names, independent of the back end.
//!
//! *Invariant:* all machines for the same rules give the same moves in the same order. Code that works on the circuit
//! itself gets it from [`Game::compiled`].

use std::cell::LazyCell;
use std::sync::Arc;

use bouton_base::rational::Rational;

use bouton_backend::Runner;
use bouton_backend::interp::Interpreter;
use bouton_backend::jit::{Jit, JitOptions};
use bouton_base::cancel;
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::source::Span;
use bouton_circuit::opt::optimise;
use bouton_lower::{self as lower, Lowered, Unsupported, lower_with};
use bouton_rules::{
    Block, Effect, EffectOp, Expr, ExprKind, FieldId, MOVER, PHASE, PLAYER, Rules, Stmt, StmtKind, Type,
    Value, Vars,
};

mod compiled;
mod history;
mod reference;
mod small;

pub use bouton_lower::Acting;
pub use bouton_reference::Choices;
pub use bouton_rules::play::{ConflictKind, Fault, FaultKind, MoveInstance, Outcome, OutcomeKind, ToMove};
pub use compiled::CompiledMachine;
pub use history::needs_history;
pub use reference::ReferenceMachine;

/// A position as words that only its machine interprets. Equal positions have equal words, which include the history
/// where the rules make it part of the position.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State(pub Box<[u64]>);

/// A legal move with the position that it leads to.
#[derive(Clone, PartialEq, Debug)]
pub struct Successor {
    pub play: MoveInstance,
    /// The position after the move.
    pub state: State,
    /// The probability of a chance move; otherwise 1.
    pub probability: Rational,
}

/// The reason why a machine gives no answer.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum MachineError {
    /// The rules contradict themselves in this position.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A limit was reached first.
    #[error("{0}")]
    Limit(LimitHit),
}

impl From<LimitHit> for MachineError {
    fn from(hit: LimitHit) -> MachineError {
        MachineError::Limit(hit)
    }
}

/// A machine that runs rules: the reference interpreter, a circuit interpreter, or machine code.
///
/// Only machines made by [`with_limits`](Self::with_limits) observe limits; the others answer however long it takes.
pub trait Machine: Send + Sync {
    /// Returns a machine for the same rules that gives up in the middle of a position when these limits are reached,
    /// and from then on; `None` if no answer of this machine takes long enough to need one.
    fn with_limits(&self, _limits: &Limits) -> Option<Arc<dyn Machine>> {
        None
    }
    /// Returns the initial position.
    fn initial(&self) -> State;
    /// Returns the player or chance to act, or the outcome of a finished game.
    fn turn(&self, state: &State) -> Result<ToMove, MachineError>;
    /// Returns all legal moves in a fixed order: moves as declared, arguments in order, the pass last. The list is
    /// empty if the game is over, and if it is not over but nobody can move.
    fn successors(&self, state: &State) -> Result<Vec<Successor>, MachineError>;
    /// Returns the turn and the legal moves in one call, as a search needs them for each position.
    fn expand(&self, state: &State) -> Result<(ToMove, Vec<Successor>), MachineError> {
        Ok((self.turn(state)?, self.successors(state)?))
    }
    /// Returns the turn and the legal moves of each player who acts, without the positions after them; `None` if
    /// [`expand`](Self::expand) is as fast, or alone has the moves. A fault that one of the moves leads to may be found
    /// only when it is made.
    fn choices(&self, _state: &State) -> Result<Option<Choices>, MachineError> {
        Ok(None)
    }
    /// Returns the position after a legal move.
    fn make(&self, state: &State, play: &MoveInstance) -> Result<Option<State>, MachineError> {
        let successors = self.successors(state)?.into_iter();
        Ok(successors.filter(|next| next.play == *play).map(|next| next.state).next())
    }
    /// Returns the notation of a move in the position before it (the template, or `name(arguments)`).
    fn notation(&self, state: &State, play: &MoveInstance) -> Result<String, LimitHit>;
    /// Reads a cell of a field (cells as in [`bouton_rules::Field`], the last key fastest).
    fn read(&self, state: &State, field: bouton_rules::FieldId, cell: usize) -> Value;
    /// Reads the first `cells` cells of a field; `cells` is the number of cells of the field.
    fn read_all(&self, state: &State, field: bouton_rules::FieldId, cells: usize) -> Vec<Value> {
        (0..cells).map(|cell| self.read(state, field, cell)).collect()
    }
    /// Evaluates a condition without variables, or a term; `None` if its value is undefined.
    fn eval(&self, state: &State, expr: &bouton_rules::Expr) -> Result<Option<Value>, LimitHit>;
    /// Applies effects to a position in one stage (a `position { }`) and returns the result.
    fn edit(
        &self,
        state: &State,
        block: &bouton_rules::Block,
        vars: &bouton_rules::Vars,
    ) -> Result<State, MachineError>;
    /// Returns the same position with this player to move; `None` if it has no meaning.
    fn with_mover(&self, state: &State, player: u32) -> Option<State> {
        self.edit(state, &moves_next(player), &Vars::new()).ok()
    }
    /// Returns the same position in this phase; `None` if it has no meaning.
    fn with_phase(&self, state: &State, phase: u32) -> Option<State> {
        let phase = i64::from(phase);
        self.edit(state, &sets(PHASE, Value::Int(phase), Type::Int(phase, phase)), &Vars::new()).ok()
    }
    /// Returns the position in the words of the definition (the reference interpreter's packing).
    fn packed_state(&self, state: &State) -> Box<[u64]> {
        state.0.clone()
    }
    /// Returns the observation of this player in this position: visible fields and `sees`, as a value that can be
    /// compared.
    fn observation(&self, state: &State, player: u32) -> Result<Value, LimitHit>;
}

/// Returns the block whose effect makes this player the mover.
fn moves_next(player: u32) -> Block {
    sets(MOVER, Value::Sym(PLAYER, player), Type::Sym(PLAYER))
}

/// Returns the block whose effect gives a field without keys this value.
fn sets(field: FieldId, value: Value, ty: Type) -> Block {
    let span = Span::unplaced(0);
    let value = Expr::new(ExprKind::Const(value), ty, span);
    let effect = Effect { field, keys: Vec::new(), path: Vec::new(), op: EffectOp::Set, value };
    Block { stmts: vec![Stmt { kind: StmtKind::Effect(effect), span }] }
}

/// A back end that runs rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    Jit,
    /// The interpreter of circuits.
    Interp,
    /// The reference interpreter, which is the definition of the language.
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

/// The reason why rules do not run on the requested back end.
#[derive(Clone, Debug)]
pub struct Fallback {
    pub reason: String,
    /// The place in the rules that prevents it, if there is one.
    pub span: Option<Span>,
}

/// Lowers rules to a circuit and optimises it, without the passes named in `skipped`.
pub fn circuit_of(rules: &Rules, skipped: &[String], limits: &Limits) -> Result<Lowered, Unsupported> {
    lower_with(rules, lower::LowerOptions::default(), limits, &|draft| optimise(draft, skipped))
}

/// A circuit with the runner that executes it.
struct CompiledRules {
    lowered: Arc<Lowered>,
    runner: Arc<dyn Runner>,
    backend: Backend,
    fallback: Option<Fallback>,
}

/// The number of steps of lowering, some tenths of a second, after which it matters if the game is small.
const MAX_SMALL_LOWERING_STEPS: u64 = 2_000_000;
/// The number of words of values of a circuit that are compiled in some tenths of a second. A larger circuit of a small
/// game is interpreted.
const MAX_SMALL_CODE_WORDS: usize = 10_000;

/// The games that are worth their compilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompiledGames {
    /// All, since positions are wanted that play from the first one may not reach.
    All,
    /// Those that are not so small that the definition lists their positions sooner.
    Large,
}

/// Compiles rules for the requested back end or the next best one; `None` if the definition is as fast, since the game
/// is small and its circuit is not. The error gives the reason why there is no circuit.
fn compile(
    rules: &Arc<Rules>,
    backend: Backend,
    skipped: &[String],
    limits: &Limits,
    games: CompiledGames,
) -> Result<Option<CompiledRules>, Fallback> {
    let (lower, is_small) = (
        || circuit_of(rules, skipped, limits),
        LazyCell::new(|| games == CompiledGames::Large && small::is_small(rules)),
    );
    let lowered = match cancel::run_in_steps(MAX_SMALL_LOWERING_STEPS, lower) {
        Some(lowered) => lowered,
        None if *is_small => return Ok(None),
        None => lower(),
    };
    let lowered = lowered.map_err(|why| Fallback { reason: why.what, span: Some(why.span) })?;
    let lowered = Arc::new(lowered);
    let circuit = Arc::new(lowered.circuit.clone());
    let wants_code = || Jit::work(&circuit) <= MAX_SMALL_CODE_WORDS || !*is_small;
    let jit = (backend == Backend::Jit && wants_code()).then(|| {
        // If machine code needs too much memory or time, the interpreter replaces it, as for circuits that are too
        // large.
        match cancel::run_within(limits, || Jit::new(circuit.clone(), JitOptions::default())) {
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
    Ok(Some(CompiledRules { lowered, runner, backend, fallback }))
}

/// Rules with a machine that runs them.
#[derive(Clone)]
pub struct Game {
    pub rules: Arc<Rules>,
    /// The machine that runs them.
    pub machine: Arc<dyn Machine>,
    compiled: Option<Arc<CompiledMachine>>,
    backend: Backend,
    fallback: Option<Fallback>,
}

impl Game {
    /// Returns the values of all cells of a position, field by field, the last key fastest.
    pub fn cells(&self, state: &State) -> Vec<Value> {
        let fields = self.rules.fields.entries();
        fields.flat_map(|(id, field)| self.machine.read_all(state, id, field.cells())).collect()
    }

    /// Combines rules with any machine that runs them.
    pub fn new(rules: Arc<Rules>, machine: Arc<dyn Machine>) -> Game {
        Game { rules, machine, compiled: None, backend: Backend::Reference, fallback: None }
    }

    /// Runs rules on the reference interpreter, which is their definition.
    pub fn on_reference(rules: Rules) -> Game {
        let rules = Arc::new(rules);
        Game::new(rules.clone(), Arc::new(ReferenceMachine::new(rules)))
    }

    /// Returns the game on the reference interpreter.
    pub fn on_definition(&self) -> Game {
        Game::new(self.rules.clone(), Arc::new(ReferenceMachine::new(self.rules.clone())))
    }

    /// Runs rules on the requested back end, or on the next best one that supports them. Gives up compiling when the
    /// limits are reached.
    pub fn on_backend(rules: Rules, backend: Backend, skipped: &[String], limits: &Limits) -> Game {
        Game::compiled_if(rules, backend, skipped, limits, CompiledGames::All)
    }

    /// Same as [`on_backend`](Self::on_backend) for these games; others run by their definition, or are interpreted.
    pub fn compiled_if(
        rules: Rules,
        backend: Backend,
        skipped: &[String],
        limits: &Limits,
        games: CompiledGames,
    ) -> Game {
        if backend == Backend::Reference {
            return Game::on_reference(rules);
        }
        let rules = Arc::new(rules);
        let (own, left_out, within) = (rules.clone(), skipped.to_vec(), limits.clone());
        let compiled = cancel::run_apart(limits, move || compile(&own, backend, &left_out, &within, games));
        let machine = match compiled {
            Ok(Ok(Some(machine))) => machine,
            Ok(Ok(None)) => return Game::new(rules.clone(), Arc::new(ReferenceMachine::new(rules))),
            Ok(Err(fallback)) => return Game::falling_back(rules, fallback),
            Err(hit) => {
                let fallback = Fallback { reason: hit.to_string(), span: None };
                return Game::falling_back(rules, fallback);
            }
        };
        let CompiledRules { lowered, runner, backend, fallback } = machine;
        let compiled = Arc::new(CompiledMachine::new(rules.clone(), lowered, runner));
        let counts = Some(compiled.clone()).filter(|compiled| compiled.is_history_free());
        Game { rules, machine: compiled, compiled: counts, backend, fallback }
    }

    /// Runs rules on the reference interpreter and records the reason.
    fn falling_back(rules: Arc<Rules>, fallback: Fallback) -> Game {
        let machine = Arc::new(ReferenceMachine::new(rules.clone()));
        Game { fallback: Some(fallback), ..Game::new(rules, machine) }
    }

    /// Returns the compiled machine, for counting and enumeration that need no names of moves; `None` if the rules are
    /// not compiled, or if a position is more than the circuit's words (rules that depend on the history).
    pub fn compiled(&self) -> Option<&Arc<CompiledMachine>> {
        self.compiled.as_ref()
    }

    /// Returns the back end that the rules run on.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Returns the reason why that is not the requested back end; `None` if it is.
    pub fn fallback(&self) -> Option<&Fallback> {
        self.fallback.as_ref()
    }

    /// Returns the same game on a machine that gives up when these limits are reached.
    pub fn with_limits(&self, limits: &Limits) -> Game {
        if let Some(compiled) = &self.compiled {
            let compiled = Arc::new(compiled.with_limits(limits));
            return Game { machine: compiled.clone(), compiled: Some(compiled), ..self.clone() };
        }
        let machine = self.machine.with_limits(limits).unwrap_or_else(|| self.machine.clone());
        Game { machine, ..self.clone() }
    }

    /// Returns the notation of a move for people, or `name(arguments)` if a limit is reached first.
    pub fn notation(&self, state: &State, play: &MoveInstance) -> String {
        self.machine.notation(state, play).unwrap_or_else(|_| names::call_form(&self.rules, play))
    }

    /// Returns the notation of a player's own choice; also where all choose at once, `me` in it is this player.
    pub fn choice_notation(&self, state: &State, player: u32, play: &MoveInstance) -> String {
        let joint = MoveInstance::Joint(vec![(player, play.clone())]);
        let written = self.notation(state, &joint);
        let own = written.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        own.map_or_else(|| self.notation(state, play), str::to_owned)
    }
}

pub mod arena;
pub mod bitmap_search;
pub mod canonical;
pub mod dense_index;
pub mod draw;
pub mod explore;
pub mod information;
pub mod keys;
pub mod names;
pub mod perft;
pub mod picture;
pub mod pieces;
pub mod position_classes;
pub mod random;
pub mod reachable_set;
#[cfg(test)]
pub(crate) mod toy;
