//! Stages: statements that read one state and whose effects happen together (LANGUAGE.md section 6).

use super::Interpreter;
use super::effects::CellChange;
use super::env::Env;
use super::eval::Context;
use super::state::{PositionView, State, StuckMeaning};
use bouton_base::source::Span;
use bouton_rules::{
    Block, ConflictKind, Effect, Expr, Fault, FaultKind, PLAYER, Pattern, PhaseId, Stmt, StmtKind, Value,
};

/// The execution of a body: its remaining stages, the next one last.
pub struct BodyRun<'r> {
    /// The context of the position before the move, which the first stage reads.
    first: &'r Context<'r>,
    /// The index of its move among simultaneous moves.
    move_index: usize,
    pending: Vec<(&'r Block, Env)>,
}

impl<'r> BodyRun<'r> {
    /// The execution of a whole body, its parameters bound.
    pub fn new(first: &'r Context<'r>, place: usize, body: &'r Block, env: Env) -> BodyRun<'r> {
        BodyRun { first, move_index: place, pending: vec![(body, env)] }
    }
}

/// The treatment of `when`, `ensure` and of a `let` without a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Conditions {
    /// They decide whether the move is legal.
    Decide,
    /// They are already decided (or there is no move): conditions are skipped, a `let` without a value is a fault.
    AlreadyDecided,
}

/// The result of running bodies.
pub struct BodyResult {
    /// The position after the last stage; turn and transient cells are as the effects left them.
    pub state: State,
    /// The requests about the turn.
    pub control: TurnControl,
    /// The cells that were assigned.
    pub assigned: Vec<usize>,
}

/// The requests of a move about the turn. A later stage overrides an earlier one.
#[derive(Clone, Default)]
pub struct TurnControl {
    /// `next e`
    pub mover: Option<TurnRequest<Value>>,
    /// `again` and `continue P`: the phase. The mover then stays unless `next` names another.
    pub phase: Option<TurnRequest<PhaseId>>,
}

/// A request by one of several simultaneous moves.
#[derive(Clone)]
pub struct TurnRequest<T> {
    pub value: T,
    place: usize,
    span: Span,
}

/// The error that a move is not legal.
struct Illegal;

/// The collected effects of one stage of one body.
struct Collector<'c, 'r> {
    context: &'c Context<'c>,
    interpreter: &'c Interpreter,
    phase: PhaseId,
    conditions: Conditions,
    place: usize,
    changes: Vec<CellChange<'r>>,
    control: Vec<TurnRequest<TurnWord>>,
    thens: Vec<(&'r Block, Env)>,
    /// The first mistake; it counts only if the stage's conditions hold.
    fault: Option<Fault>,
}

enum TurnWord {
    Mover(Value),
    Phase(PhaseId),
}

impl Interpreter {
    /// Runs bodies in lockstep: the next stage of each reads the same state, and all their effects happen together. A
    /// stage's `then` blocks come after it, each with all its own `then`s before the next. `None` if the move is not
    /// legal.
    pub(super) fn execute(
        &self,
        state: &State,
        runs: &mut [BodyRun],
        conditions: Conditions,
    ) -> Result<Option<BodyResult>, Fault> {
        // Even a small stage copies the position.
        if self.patience.spend(1 + state.cells.len() as u64 / 16) {
            return Ok(None);
        }
        let mut made =
            BodyResult { state: state.clone(), control: TurnControl::default(), assigned: Vec::new() };
        let mut first = true;
        while runs.iter().any(|run| !run.pending.is_empty()) {
            let Some((changes, control)) = self.stage(&made.state, runs, first, conditions)? else {
                return Ok(None);
            };
            made.assigned.extend(changes.iter().map(|change| change.cell));
            self.apply(&mut made.state, changes)?;
            made.control.mover = control.mover.or(made.control.mover);
            made.control.phase = control.phase.or(made.control.phase);
            first = false;
        }
        Ok(Some(made))
    }

    /// Runs one stage of each body. Returns the changes and the requests about the turn; `None` if the move is not
    /// legal.
    fn stage<'r>(
        &self,
        state: &State,
        runs: &mut [BodyRun<'r>],
        first: bool,
        conditions: Conditions,
    ) -> Result<Option<(Vec<CellChange<'r>>, TurnControl)>, Fault> {
        let at = PositionView::new(self, state, StuckMeaning::Meaningless);
        let (mut changes, mut said) = (Vec::new(), Vec::new());
        for run in runs {
            let Some((block, mut env)) = run.pending.pop() else { continue };
            let later = (!first).then(|| at.context(run.first.me));
            let mut collector = Collector {
                context: later.as_ref().unwrap_or(run.first),
                interpreter: self,
                phase: state.phase(),
                conditions,
                place: run.move_index,
                changes: Vec::new(),
                control: Vec::new(),
                thens: Vec::new(),
                fault: None,
            };
            if collector.block(&mut env, block).is_err() {
                return Ok(None);
            }
            if let Some(fault) = collector.fault {
                return Err(fault);
            }
            changes.extend(collector.changes);
            said.extend(collector.control);
            // Blocks run in the order of the statements, and before those that were already waiting.
            run.pending.extend(collector.thens.into_iter().rev());
        }
        Ok(Some((changes, self.agree(said)?)))
    }

    /// Combines the requests of one stage about the turn. They must agree, like effects on one cell.
    fn agree(&self, said: Vec<TurnRequest<TurnWord>>) -> Result<TurnControl, Fault> {
        let mut control = TurnControl::default();
        for TurnRequest { value: what, place, span } in said {
            match what {
                TurnWord::Mover(player) => {
                    set_request(&mut control.mover, player, place, span, |player| self.rules.show(player))?;
                }
                TurnWord::Phase(phase) => set_request(&mut control.phase, phase, place, span, |&phase| {
                    self.rules.phases.get(phase).map_or(phase.to_string(), |phase| phase.name.clone())
                })?,
            }
        }
        Ok(control)
    }
}

fn set_request<T: PartialEq>(
    slot: &mut Option<TurnRequest<T>>,
    what: T,
    place: usize,
    span: Span,
    show: impl Fn(&T) -> String,
) -> Result<(), Fault> {
    match slot {
        Some(earlier) if earlier.value != what => {
            let clash = ConflictKind::Turn { first: show(&earlier.value), second: show(&what) };
            let kind = FaultKind::Conflict { clash, other: earlier.span, joint: earlier.place != place };
            Err(Fault { kind, span, play: None })
        }
        Some(_) => Ok(()),
        None => {
            *slot = Some(TurnRequest { value: what, place, span });
            Ok(())
        }
    }
}

impl<'r> Collector<'_, 'r> {
    fn block(&mut self, env: &mut Env, block: &'r Block) -> Result<(), Illegal> {
        block.stmts.iter().try_for_each(|stmt| self.stmt(env, stmt))
    }

    fn stmt(&mut self, env: &mut Env, stmt: &'r Stmt) -> Result<(), Illegal> {
        match &stmt.kind {
            StmtKind::Require(condition) => {
                let holds =
                    self.conditions == Conditions::AlreadyDecided || self.context.truth(env, condition);
                return if holds { Ok(()) } else { Err(Illegal) };
            }
            StmtKind::Let(pattern, bound) => return self.bind(env, pattern, bound, stmt.span),
            StmtKind::If(condition, then, otherwise) => {
                let holds = self.context.truth(env, condition);
                return self.block(env, if holds { then } else { otherwise });
            }
            StmtKind::For(binders, body) => {
                let mut result = Ok(());
                let context = self.context;
                let walk = context.for_each_binding(env, binders, &mut |env, _| {
                    result = self.block(env, body);
                    result.is_ok()
                });
                result?;
                if walk.undefined {
                    self.undefined("what `for` ranges over", stmt.span);
                }
            }
            StmtKind::Then(block) => self.thens.push((block, env.clone())),
            StmtKind::Effect(effect) => self.effect(env, effect, stmt.span),
            StmtKind::Stay(phase) => self.request(TurnWord::Phase(phase.unwrap_or(self.phase)), stmt.span),
            StmtKind::Next(player) => match self.context.value(env, player) {
                Some(player @ Value::Sym(PLAYER, _)) => self.request(TurnWord::Mover(player), stmt.span),
                _ => self.undefined("the next player", stmt.span),
            },
        }
        Ok(())
    }

    fn bind(&mut self, env: &mut Env, pattern: &Pattern, bound: &Expr, span: Span) -> Result<(), Illegal> {
        let bound = self.context.value(env, bound);
        if bound.is_some_and(|value| env.bind(pattern, &value)) {
            return Ok(());
        }
        if self.conditions == Conditions::Decide {
            return Err(Illegal);
        }
        self.undefined("the value of `let`", span);
        Ok(())
    }

    /// Records a change: the cell, the part and the operator. The target and the operand must have values.
    fn effect(&mut self, env: &mut Env, effect: &'r Effect, span: Span) {
        let field = &self.interpreter.rules.fields[effect.field];
        let keys: Option<Vec<Value>> = effect.keys.iter().map(|key| self.context.value(env, key)).collect();
        let Some(cell) = keys.and_then(|keys| field.cell(&keys)) else {
            return self.undefined(&format!("which cell of `{}`", field.name), span);
        };
        let Some(value) = self.context.value(env, &effect.value) else {
            return self.undefined(&format!("the value for `{}`", field.name), span);
        };
        let cell = self.interpreter.layout.index(effect.field, cell);
        let (path, op, place) = (effect.path.as_slice(), effect.op, self.place);
        self.changes.push(CellChange { cell, path, op, value, span, move_index: place });
    }

    fn request(&mut self, what: TurnWord, span: Span) {
        self.control.push(TurnRequest { value: what, place: self.place, span });
    }

    fn undefined(&mut self, what: &str, span: Span) {
        let kind = FaultKind::Undefined { what: what.to_string() };
        self.fault.get_or_insert(Fault { kind, span, play: None });
    }
}
