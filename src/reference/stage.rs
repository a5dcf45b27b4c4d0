//! Stages: statements that read one state and whose effects happen together (LANGUAGE.md section 6).

use super::Interpreter;
use super::compact::Compact;
use super::effects::CellChange;
use super::eval::{Context, Frame, StuckMeaning};
use super::node::{BlockNode, EffectNode, Node, PatternNode, StmtNode, StmtNodeKind};
use super::state::State;
use bouton_base::source::Span;
use bouton_rules::{ConflictKind, Fault, FaultKind, PLAYER, PhaseId};

/// The execution of a body: its first stage, then the stages after it, the next one last.
pub struct BodyRun<'r, 'c, 'a> {
    /// The context of the position before the move, which the first stage reads, with the parameters bound in its
    /// current frame.
    first: &'c mut Context<'a>,
    /// The index of its move among simultaneous moves.
    move_index: usize,
    body: Option<&'r BlockNode>,
    pending: Vec<(&'r BlockNode, Frame)>,
}

impl<'r, 'c, 'a> BodyRun<'r, 'c, 'a> {
    /// The execution of a body.
    pub fn new(first: &'c mut Context<'a>, place: usize, body: &'r BlockNode) -> BodyRun<'r, 'c, 'a> {
        BodyRun { first, move_index: place, body: Some(body), pending: Vec::new() }
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
    /// The cells that were assigned, if the rules have transient cells.
    pub assigned: Vec<usize>,
}

/// The requests of a move about the turn. A later stage overrides an earlier one.
#[derive(Clone, Default)]
pub struct TurnControl {
    /// `next e`
    pub mover: Option<TurnRequest<Compact>>,
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
struct Collector<'r, 'i> {
    interpreter: &'i Interpreter,
    phase: PhaseId,
    conditions: Conditions,
    place: usize,
    changes: Vec<CellChange<'r>>,
    control: Vec<TurnRequest<TurnWord>>,
    thens: Vec<(&'r BlockNode, Frame)>,
    /// The first mistake; it counts only if the stage's conditions hold.
    fault: Option<Fault>,
}

enum TurnWord {
    Mover(Compact),
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
        if self.patience.spend(1 + self.prepared.layout.cells as u64 / 16) {
            return Ok(None);
        }
        let mut made =
            BodyResult { state: state.clone(), control: TurnControl::default(), assigned: Vec::new() };
        while runs.iter().any(|run| run.body.is_some() || !run.pending.is_empty()) {
            let Some((changes, control)) = self.stage(&made.state, runs, conditions)? else {
                return Ok(None);
            };
            if !self.prepared.layout.transient.is_empty() {
                made.assigned.extend(changes.iter().map(|change| change.cell));
            }
            self.apply(&mut made.state, changes)?;
            made.control.mover = control.mover.or(made.control.mover);
            made.control.phase = control.phase.or(made.control.phase);
        }
        Ok(Some(made))
    }

    /// Runs one stage of each body. Returns the changes and the requests about the turn; `None` if the move is not
    /// legal.
    fn stage<'r>(
        &self,
        state: &State,
        runs: &mut [BodyRun<'r, '_, '_>],
        conditions: Conditions,
    ) -> Result<Option<(Vec<CellChange<'r>>, TurnControl)>, Fault> {
        let (mut changes, mut said) = (Vec::new(), Vec::new());
        for run in runs {
            let mut collector = Collector {
                interpreter: self,
                phase: self.prepared.layout.phase(state),
                conditions,
                place: run.move_index,
                changes: Vec::new(),
                control: Vec::new(),
                thens: Vec::new(),
                fault: None,
            };
            let done = if let Some(body) = run.body.take() {
                collector.block(run.first, body)
            } else if let Some((block, frame)) = run.pending.pop() {
                let mut later = self.context(state, run.first.me, StuckMeaning::Meaningless);
                later.frame = frame;
                collector.block(&mut later, block)
            } else {
                continue;
            };
            if done.is_err() {
                return Ok(None);
            }
            if let Some(fault) = collector.fault {
                return Err(fault);
            }
            changes.append(&mut collector.changes);
            said.append(&mut collector.control);
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
                    set_request(&mut control.mover, player, place, span, |player| {
                        self.rules.show(&player.to_value())
                    })?;
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

impl<'r> Collector<'r, '_> {
    fn block(&mut self, context: &mut Context, block: &'r BlockNode) -> Result<(), Illegal> {
        block.stmts.iter().try_for_each(|stmt| self.stmt(context, stmt))
    }

    fn stmt(&mut self, context: &mut Context, stmt: &'r StmtNode) -> Result<(), Illegal> {
        match &stmt.kind {
            StmtNodeKind::Require(condition) => {
                let holds = self.conditions == Conditions::AlreadyDecided || context.truth(condition);
                return if holds { Ok(()) } else { Err(Illegal) };
            }
            StmtNodeKind::Let(pattern, bound) => return self.bind(context, pattern, bound, stmt.span),
            StmtNodeKind::If(condition, then, otherwise) => {
                let holds = context.truth(condition);
                return self.block(context, if holds { then } else { otherwise });
            }
            StmtNodeKind::For(binders, body) => {
                let mut result = Ok(());
                let walk = context.for_each_binding(binders, &mut |context, _| {
                    result = self.block(context, body);
                    result.is_ok()
                });
                result?;
                if walk.undefined {
                    self.undefined("what `for` ranges over", stmt.span);
                }
            }
            StmtNodeKind::Then(block) => self.thens.push((block, context.current_frame().to_vec())),
            StmtNodeKind::Effect(effect) => self.effect(context, effect, stmt.span),
            StmtNodeKind::Stay(phase) => {
                self.request(TurnWord::Phase(phase.unwrap_or(self.phase)), stmt.span);
            }
            StmtNodeKind::Next(player) => match context.value(player) {
                Some(player) if player.as_sym().is_some_and(|(of, _)| of == PLAYER) => {
                    self.request(TurnWord::Mover(player), stmt.span);
                }
                _ => self.undefined("the next player", stmt.span),
            },
        }
        Ok(())
    }

    fn bind(
        &mut self,
        context: &mut Context,
        pattern: &PatternNode,
        bound: &Node,
        span: Span,
    ) -> Result<(), Illegal> {
        if context.value(bound).is_some_and(|value| context.bind(pattern, &value)) {
            return Ok(());
        }
        if self.conditions == Conditions::Decide {
            return Err(Illegal);
        }
        self.undefined("the value of `let`", span);
        Ok(())
    }

    /// Records a change: the cell, the part and the operator. The target and the operand must have values.
    fn effect(&mut self, context: &mut Context, effect: &'r EffectNode, span: Span) {
        let layout = &self.interpreter.prepared.layout;
        let name = || &self.interpreter.rules.fields[effect.field].name;
        let keys: Option<Vec<Compact>> = effect.keys.iter().map(|key| context.value(key)).collect();
        let Some(cell) = keys.and_then(|keys| layout.cell(effect.field, &keys)) else {
            let what = format!("which cell of `{}`", name());
            return self.undefined(&what, span);
        };
        let Some(value) = context.value(&effect.value) else {
            let what = format!("the value for `{}`", name());
            return self.undefined(&what, span);
        };
        let cell = layout.index(effect.field, cell);
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
