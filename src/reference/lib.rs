//! The reference interpreter. It *is* the definition of the language, the same as LANGUAGE.md, rule by rule.
//!
//! *Invariant:* this module knows nothing of circuits or search, and shares nothing with lowering.
//!
//! The rules are prepared once (`prepare`, into the data of `node` and `program`): variables become slots, values are
//! held in a compact form, and each condition of a move knows when it can be tested.
//!
//! A position is a [`State`]. An [`Interpreter`] gives its actor or outcome (`end`), its legal moves and successors
//! (`step`, built from `instances`, `stage` and `effects`), the observations of the players (`observe`) and the written
//! form of moves (`notation`). `eval` gives expressions their meaning and needs no interpreter for constants.

#![forbid(unsafe_code)]

use std::sync::Arc;

use bouton_base::id::IdVec;
use bouton_base::limits::{Fuel, LimitHit, Limits};
use bouton_rules::{Actor, Block, Expr, Fault, FieldId, MoveId, PhaseId, Rules, Value, Vars};

mod binders;
mod board_fn;
mod chance;
mod choices;
mod compact;
mod effects;
mod end;
mod eval;
mod fixpoint;
mod history;
mod instances;
mod node;
mod notation;
mod number;
mod observe;
mod pack;
mod prepare;
mod program;
mod simultaneous;
mod stack;
mod stage;
mod state;
mod step;
#[cfg(test)]
mod tests;

pub use choices::Choices;
pub use effects::with_part;
pub use eval::{eval_const, eval_partial};
pub use fixpoint::MAX_INDUCTIVE_TUPLES;
pub use number::compare;
pub use state::State;
pub use step::LegalSuccessor;

/// Runs rules by their definition.
///
/// A result has a meaning only if [`unless_limited`](Self::unless_limited) passes it on: if the fuel is exhausted in
/// the middle of a position, the interpreter ends as soon as it can, with an arbitrary result.
pub struct Interpreter {
    rules: Arc<Rules>,
    prepared: Arc<Prepared>,
    program: Arc<program::Program>,
    patience: Fuel,
}

/// Prepared rules.
struct Prepared {
    layout: state::Layout,
    watches: Vec<history::RepetitionWatch>,
    moves: IdVec<MoveId, instances::MoveNode>,
    ends: Vec<end::EndNode>,
    /// The outcomes of repetition.
    repeats: Vec<end::OutcomeNode>,
    /// The condition of passing.
    pass: Option<node::Body>,
    /// The actor of each phase that names a player.
    actors: IdVec<PhaseId, Option<node::Body>>,
}

impl Interpreter {
    pub fn new(rules: Arc<Rules>) -> Interpreter {
        let moves = rules.moves.iter().map(|of| instances::MoveNode::new(&rules, of)).collect();
        Interpreter::with_moves(rules, moves)
    }

    fn with_moves(rules: Arc<Rules>, moves: IdVec<MoveId, instances::MoveNode>) -> Interpreter {
        let layout = state::Layout::new(&rules);
        let body = |expr: &Expr| prepare::body(&rules, 0, expr);
        let prepared = Prepared {
            watches: history::RepetitionWatch::all(&rules, layout.words),
            layout,
            moves,
            ends: rules.ends.iter().map(|rule| end::EndNode::new(&rules, rule)).collect(),
            repeats: rules.repeats.iter().map(|rule| end::OutcomeNode::of_repeat(&rules, rule)).collect(),
            pass: rules.pass.as_ref().and_then(|pass| pass.condition.as_ref()).map(body),
            actors: rules
                .phases
                .iter()
                .map(|phase| match &phase.actor {
                    Actor::Player(player) => Some(body(player)),
                    Actor::Mover | Actor::Each | Actor::Chance => None,
                })
                .collect(),
        };
        let program = program::Program::lasting(&rules).into();
        Interpreter { prepared: prepared.into(), program, patience: Fuel::default(), rules }
    }

    /// An interpreter of the same rules that gives up when one of these limits is reached.
    pub fn within(&self, limits: &Limits) -> Interpreter {
        Interpreter {
            rules: self.rules.clone(),
            prepared: self.prepared.clone(),
            program: self.program.clone(),
            patience: Fuel::within(limits),
        }
    }

    /// An interpreter of the same rules that gives up after `steps` steps: at the same place on every machine.
    pub fn for_steps(&self, steps: u64) -> Interpreter {
        // The steps must not depend on the values that another interpreter has found before.
        let program = program::Program::lasting(&self.rules).into();
        Interpreter { patience: Fuel::with_steps(steps), program, ..self.within(&Limits::default()) }
    }

    /// The limit that was reached. Results since then have no meaning.
    pub fn limit(&self) -> Option<LimitHit> {
        self.patience.hit()
    }

    /// Passes on a result that the interpreter just gave, unless a limit was reached.
    pub fn unless_limited<T>(&self, said: T) -> Result<T, LimitHit> {
        self.limit().map_or(Ok(said), Err)
    }

    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// The initial position: every field has its initial value, and the history is empty.
    pub fn initial(&self) -> State {
        let cells: Vec<Value> =
            self.rules.fields.iter().flat_map(|field| field.init.iter().cloned()).collect();
        State { history: vec![Vec::new(); self.prepared.watches.len()], ..self.with_cells(&cells) }
    }

    /// The value of a cell of a field; `none` if there is no such cell.
    pub fn read(&self, state: &State, field: FieldId, cell: usize) -> Value {
        let there = self.rules.fields.get(field).is_some_and(|field| cell < field.cells());
        if there { self.prepared.layout.read(state, field, cell).to_value() } else { Value::None }
    }

    /// The player to move.
    pub fn mover(&self, state: &State) -> u32 {
        self.prepared.layout.mover(state)
    }

    /// A context for evaluation in a position, with `me` as the actor.
    fn context<'a>(
        &'a self,
        state: &'a State,
        me: Option<u32>,
        stuck: eval::StuckMeaning,
    ) -> eval::Context<'a> {
        eval::Context::of(self, state, me, stuck)
    }

    /// The value of a term or formula without free variables; `None` if it is undefined. `me` has no value.
    pub fn eval(&self, state: &State, expr: &Expr) -> Option<Value> {
        let body = prepare::body(&self.rules, 0, expr);
        let value = self.context(state, None, eval::StuckMeaning::Compute).value_of(&body);
        value.map(|value| value.to_value())
    }

    /// The position after effects that belong to no player: one stage and its `then`s, no conditions, no turn
    /// (LANGUAGE.md section 10, `position { }`). They may set `mover` and `phase` like fields.
    pub fn edit(&self, state: &State, block: &Block, vars: &Vars) -> Result<State, Fault> {
        let mut preparer = prepare::Preparer::new(&self.rules, vars.len());
        let block = preparer.block(block);
        let mut context = self.context(state, None, eval::StuckMeaning::Meaningless);
        context.enter(preparer.slots);
        let mut runs = [stage::BodyRun::new(&mut context, 0, &block)];
        let made = self.execute(state, &mut runs, stage::Conditions::AlreadyDecided)?;
        Ok(made.map_or_else(|| state.clone(), |made| made.state))
    }
}
