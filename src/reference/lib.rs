//! The reference interpreter. It *is* the definition of the language: naive, and the same as LANGUAGE.md, rule
//! by rule.
//!
//! *Invariant:* this module knows nothing of bits, circuits or search, and shares nothing with lowering.
//!
//! A position is a [`State`]. An [`Interpreter`] gives its actor or outcome (`end`), its legal moves and successors
//! (`step`, built from `instances`, `stage` and `effects`), the observations of the players (`observe`) and the written
//! form of moves (`notation`). `eval` gives expressions their meaning and needs no interpreter for constants.

#![forbid(unsafe_code)]

use std::sync::Arc;

use bouton_base::id::IdVec;
use bouton_base::limits::{Fuel, LimitHit, Limits};
use bouton_rules::{Block, Expr, Fault, FieldId, MoveId, Rules, Value, Vars};

mod binders;
mod board_fn;
mod chance;
mod effects;
mod end;
mod env;
mod eval;
mod fixpoint;
mod history;
mod instances;
mod notation;
mod number;
mod observe;
mod pack;
mod simultaneous;
mod stack;
mod stage;
mod state;
mod step;
#[cfg(test)]
mod tests;

pub use effects::with_part;
pub use env::Env;
pub use eval::{Context, Position, eval_const, eval_partial};
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
    layout: state::Layout,
    /// The encoding of the values of each field.
    codes: Vec<pack::ValueCode>,
    /// The number of words for the cells.
    words: usize,
    watches: Vec<history::RepetitionWatch>,
    schedules: Arc<IdVec<MoveId, instances::Schedule>>,
    patience: Fuel,
}

impl Interpreter {
    pub fn new(rules: Arc<Rules>) -> Interpreter {
        let schedules = rules.moves.iter().map(|of| instances::Schedule::new(&rules, of)).collect();
        Interpreter::with_schedules(rules, schedules)
    }

    fn with_schedules(rules: Arc<Rules>, schedules: IdVec<MoveId, instances::Schedule>) -> Interpreter {
        let codes: Vec<pack::ValueCode> =
            rules.fields.iter().map(|field| pack::ValueCode::of(&rules, &field.ty)).collect();
        let bits: usize =
            rules.fields.iter().zip(&codes).map(|(field, code)| field.cells() * code.bits()).sum();
        // At least one word, so that the key of every position has words.
        let words = bits.div_ceil(64).max(1);
        let watches = history::RepetitionWatch::all(&rules, words);
        Interpreter {
            layout: state::Layout::new(&rules),
            codes,
            words,
            watches,
            schedules: Arc::new(schedules),
            patience: Fuel::default(),
            rules,
        }
    }

    /// An interpreter of the same rules that gives up when one of these limits is reached.
    pub fn within(&self, limits: &Limits) -> Interpreter {
        Interpreter {
            rules: self.rules.clone(),
            layout: self.layout.clone(),
            codes: self.codes.clone(),
            words: self.words,
            watches: self.watches.clone(),
            schedules: self.schedules.clone(),
            patience: Fuel::within(limits),
        }
    }

    /// An interpreter of the same rules that gives up after `steps` steps: at the same place on every machine.
    pub fn for_steps(&self, steps: u64) -> Interpreter {
        Interpreter { patience: Fuel::with_steps(steps), ..self.within(&Limits::default()) }
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
        let cells = self.rules.fields.iter().flat_map(|field| field.init.iter().cloned()).collect();
        State { cells, history: vec![Vec::new(); self.watches.len()] }
    }

    /// The value of a cell of a field; `none` if there is no such cell.
    pub fn read(&self, state: &State, field: FieldId, cell: usize) -> Value {
        let there = self.rules.fields.get(field).is_some_and(|field| cell < field.cells());
        let value = there.then(|| state.cells.get(self.layout.index(field, cell))).flatten();
        value.cloned().unwrap_or(Value::None)
    }

    /// The value of a term or formula without free variables; `None` if it is undefined. `me` has no value.
    pub fn eval(&self, state: &State, expr: &Expr) -> Option<Value> {
        let at = state::PositionView::new(self, state, state::StuckMeaning::Compute);
        at.context(None).value(&mut Env::new(0), expr)
    }

    /// The position after effects that belong to no player: one stage and its `then`s, no conditions, no turn
    /// (LANGUAGE.md section 10, `position { }`). They may set `mover` and `phase` like fields.
    pub fn edit(&self, state: &State, block: &Block, vars: &Vars) -> Result<State, Fault> {
        let at = state::PositionView::new(self, state, state::StuckMeaning::Meaningless);
        let context = at.context(None);
        let mut runs = [stage::BodyRun::new(&context, 0, block, Env::new(vars.len()))];
        let made = self.execute(state, &mut runs, stage::Conditions::AlreadyDecided)?;
        Ok(made.map_or_else(|| state.clone(), |made| made.state))
    }
}
