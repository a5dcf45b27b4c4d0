//! Effects of a move in the lane of the move, and of several simultaneous moves.
//!
//! The effects of a stage read the position before it and happen simultaneously; `then` blocks follow. A statement
//! about the next turn splits the body into branches, so that the turn is known at each end; everything else happens
//! under a condition, also the `then` blocks inside `for`: one for each element, in their order.

use std::rc::Rc;

use super::cx::{Cx, Static, Term};
use super::domain::BitDomain;
use super::{Lower, LowerError, Result, unsupported};
use bouton_base::source::Span;
use bouton_circuit::{SlotId, Stmt, StmtBlock, ValueId};
use bouton_rules::{self as rules, Binder, Domain as Range, Effect, Pattern, StmtKind, Value};
use changes::FieldChange;
use rustc_hash::FxHashSet;

mod certain;
mod changes;
mod stages;

/// The state of bodies that run in lockstep.
#[derive(Clone)]
struct BodyRun<'b> {
    cx: Cx,
    /// The remaining statements of this stage, the next one last.
    todo: Vec<(&'b rules::Stmt, Cx)>,
    changes: Vec<FieldChange>,
    bodies: Vec<MoveBody<'b>>,
    /// The `then` blocks of this stage.
    thens: Vec<Stage<'b>>,
    /// The faults of this stage, if its conditions hold.
    wrong: StmtBlock,
    /// The next turn as set in the stages before, and in this one.
    said: NextTurn,
    saying: NextTurn,
    first: bool,
    /// True if the conditions are already decided.
    settled: bool,
    /// The conditions under which transient fields were assigned.
    assigned: Vec<(SlotId, ValueId)>,
    /// True if only the faults matter: then the effects of the last stage that are certainly none are left out.
    faults_only: bool,
    left_out: Rc<FxHashSet<*const Effect>>,
}

/// The use of lowered bodies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// A move of one player, whose conditions are tested.
    Move,
    /// The moves of several players, each legal by itself.
    Joint,
    /// The faults of a move of one player.
    Faults,
}

/// One of the bodies that run in lockstep.
#[derive(Clone)]
struct MoveBody<'b> {
    /// The player who makes the move; it distinguishes the blocks of one body from those of others.
    me: Option<u32>,
    /// The number of variables in scope at the top of its first stage.
    vars: usize,
    /// The lane of the move.
    lane: Option<ValueId>,
    /// The remaining stages, the next one last.
    waiting: Vec<Stage<'b>>,
}

/// A block whose effects happen simultaneously.
#[derive(Clone)]
struct Stage<'b> {
    block: &'b rules::Block,
    cx: Cx,
    /// The condition under which it happens, for a block of effects alone; `None` if it happens in any case.
    active: Option<ValueId>,
}

/// The maximal number of stages that the `then` blocks inside the `for` statements of a stage become: each costs a
/// position.
const MAX_LATER_STAGES: usize = 128;

/// A `for` statement, or the part of it from some binder on.
#[derive(Clone, Copy)]
struct ForLoop<'b> {
    binders: &'b [Binder],
    block: &'b rules::Block,
    span: Span,
}

/// The parts of the next turn that a body has set.
#[derive(Clone, Copy, Default)]
struct NextTurn {
    mover: Option<u32>,
    phase: Option<u32>,
}

impl<'r> Lower<'r> {
    /// Lowers the body of a move. `cx` has the lane of the move; the conditions of the first stage hold.
    pub(super) fn body(&mut self, block: &'r rules::Block, cx: &Cx) -> Result<StmtBlock> {
        self.bodies(&[(block, cx.clone())], cx, Purpose::Move)
    }

    /// Lowers the body of a move for its conditions and faults alone.
    pub(super) fn faults(&mut self, block: &'r rules::Block, cx: &Cx) -> Result<StmtBlock> {
        self.bodies(&[(block, cx.clone())], cx, Purpose::Faults)
    }

    /// Lowers the bodies of simultaneous moves of different players, each legal by itself.
    pub(super) fn joint(&mut self, moves: &[(&'r rules::Block, Cx)], cx: &Cx) -> Result<StmtBlock> {
        self.bodies(moves, cx, Purpose::Joint)
    }

    fn bodies(&mut self, moves: &[(&'r rules::Block, Cx)], cx: &Cx, purpose: Purpose) -> Result<StmtBlock> {
        let bodies = moves.iter().map(|&(block, ref cx)| MoveBody {
            me: cx.turn.me,
            vars: cx.env.len(),
            lane: cx.lane,
            waiting: vec![Stage { block, cx: cx.clone(), active: None }],
        });
        let run = BodyRun {
            cx: cx.clone(),
            todo: Vec::new(),
            changes: Vec::new(),
            bodies: bodies.collect(),
            thens: Vec::new(),
            wrong: StmtBlock::default(),
            said: NextTurn::default(),
            saying: NextTurn::default(),
            first: true,
            settled: purpose == Purpose::Joint,
            assigned: Vec::new(),
            faults_only: purpose == Purpose::Faults,
            left_out: Rc::default(),
        };
        let mut out = StmtBlock::default();
        self.next_stage(run, &mut out)?;
        Ok(out)
    }

    /// Lowers a pass: only the turn and transient cells change.
    pub(super) fn pass(&mut self, cx: &Cx) -> Result<StmtBlock> {
        static NO_EFFECTS: rules::Block = rules::Block { stmts: Vec::new() };
        self.body(&NO_EFFECTS, cx)
    }

    /// Lowers the next stage of each body, or the end of the moves.
    fn next_stage(&mut self, mut run: BodyRun<'r>, out: &mut StmtBlock) -> Result<()> {
        let stages: Vec<_> = run.bodies.iter_mut().map(|body| body.waiting.pop()).collect();
        if stages.iter().all(Option::is_none) {
            return self.finish(run, out);
        }
        if run.faults_only && run.bodies.iter().all(|body| body.waiting.is_empty()) {
            let blocks: Vec<&rules::Block> = stages.iter().flatten().map(|stage| stage.block).collect();
            run.left_out = Rc::new(self.certain_effects(&blocks));
        }
        for Stage { block, cx, active } in stages.into_iter().rev().flatten() {
            let cx = Cx { state: run.cx.state.clone(), ..cx };
            match active {
                Some(active) => self.effects(block, &cx, active, &mut run)?,
                None => run.todo.extend(block.stmts.iter().rev().map(|stmt| (stmt, cx.clone()))),
            }
        }
        self.run(run, out)
    }

    /// Lowers the rest of a stage, and the stages after it.
    fn run(&mut self, mut run: BodyRun<'r>, out: &mut StmtBlock) -> Result<()> {
        while let Some((stmt, cx)) = run.todo.pop() {
            if self.statement(&mut run, stmt, cx, out)? {
                return Ok(());
            }
        }
        self.end_stage(&mut run, out)?;
        for stage in std::mem::take(&mut run.thens).into_iter().rev() {
            if let Some(body) = run.bodies.iter_mut().find(|body| body.me == stage.cx.turn.me) {
                body.waiting.push(stage);
            }
        }
        run.first = false;
        self.next_stage(run, out)
    }

    /// Lowers one statement; returns true if it lowered the rest of the body in branches, so that nothing remains.
    fn statement(
        &mut self,
        run: &mut BodyRun<'r>,
        stmt: &'r rules::Stmt,
        cx: Cx,
        out: &mut StmtBlock,
    ) -> Result<bool> {
        match &stmt.kind {
            StmtKind::Require(_) | StmtKind::Let(..) if run.first && is_top(run, &cx) => {
                // The set of lanes has decided it, and its variables are bound.
            }
            StmtKind::Require(_) if run.settled => {}
            StmtKind::Require(condition) => {
                let holds = self.formula(condition, &cx)?;
                let holds = self.any_lane(&cx, holds);
                out.stmts.push(Stmt::Require(holds));
            }
            StmtKind::Let(pattern, bound) => {
                let term = self.term(bound, &cx)?;
                let mut inner = cx.clone();
                let fits = self.bind(pattern, &term, &mut inner, stmt.span)?;
                let fits = self.any_lane(&cx, fits);
                if run.settled {
                    let missing = self.build.not(fits);
                    self.fault(missing, &mut run.wrong);
                } else if self.build.constant_truth(fits) != Some(true) {
                    out.stmts.push(Stmt::Require(fits));
                }
                // Later statements of the same block see the variables.
                for (_, of) in run.todo.iter_mut().filter(|(_, of)| Rc::ptr_eq(&of.lanes, &cx.lanes)) {
                    let mut vars = Vec::new();
                    super::binder_vars(pattern, &mut vars);
                    for var in vars {
                        if let Some(Some(term)) = inner.env.get(var.0 as usize) {
                            of.bind(var, term.clone());
                        }
                    }
                }
            }
            StmtKind::If(condition, then, otherwise) => {
                let holds = self.formula(condition, &cx)?;
                if parts_ways(then) || parts_ways(otherwise) {
                    let holds = self.any_lane(&cx, holds);
                    let with = |run: &BodyRun<'r>, block: &'r rules::Block| {
                        let mut run = run.clone();
                        run.first = run.first && block.stmts.is_empty();
                        let mut inner = cx.clone();
                        // In a branch, the conditions are not decided yet.
                        inner.env.push(None);
                        run.todo.extend(block.stmts.iter().rev().map(|stmt| (stmt, inner.clone())));
                        run
                    };
                    let first = run.first;
                    match self.build.constant_truth(holds) {
                        Some(yes) => {
                            let mut inner = cx.clone();
                            inner.env.push(None);
                            let block = if yes { then } else { otherwise };
                            run.todo.extend(block.stmts.iter().rev().map(|stmt| (stmt, inner.clone())));
                            return Ok(false);
                        }
                        None => {
                            let (mut yes, mut no) = (with(run, then), with(run, otherwise));
                            (yes.first, no.first) = (first, first);
                            let (mut a, mut b) = (StmtBlock::default(), StmtBlock::default());
                            self.run(yes, &mut a)?;
                            self.run(no, &mut b)?;
                            out.stmts.push(Stmt::If(holds, a, b));
                            return Ok(true);
                        }
                    }
                }
                let active = self.active(&cx);
                let yes = self.both(active, holds);
                let not = self.negated(&cx, holds);
                let no = self.both(active, not);
                self.effects(then, &cx, yes, run)?;
                self.effects(otherwise, &cx, no, run)?;
            }
            StmtKind::For(..) | StmtKind::Effect(_) => {
                let active = self.active(&cx);
                self.effect_stmt(stmt, &cx, active, run)?;
            }
            StmtKind::Then(block) => run.thens.push(Stage { block, cx, active: None }),
            StmtKind::Stay(phase) => {
                let phase = phase.map(|p| p.0).or(cx.turn.phase);
                self.say(run, NextTurn { phase, ..NextTurn::default() });
            }
            StmtKind::Next(player) => {
                let term = self.term(player, &cx)?;
                let term = self.project_to_lane(&cx, &term)?;
                let defined = self.defined(&term, &cx);
                let undefined = self.build.not(defined);
                self.fault(undefined, &mut run.wrong);
                let cases = self.case_list(&term, &Cx { lane: None, ..Cx::empty() })?;
                let Some(((last, _), rest)) = cases.split_last() else { return Ok(false) };
                let index = |of: &Static| of.at(0).and_then(Value::as_sym);
                let mut block = StmtBlock::default();
                let mut ways = Vec::new();
                for (player, condition) in rest {
                    let mut way = run.clone();
                    self.say(&mut way, NextTurn { mover: index(player), ..NextTurn::default() });
                    let mut inner = StmtBlock::default();
                    self.run(way, &mut inner)?;
                    ways.push((*condition, inner));
                }
                if ways.is_empty() {
                    self.say(run, NextTurn { mover: index(last), ..NextTurn::default() });
                    return Ok(false);
                }
                let mut way = run.clone();
                self.say(&mut way, NextTurn { mover: index(last), ..NextTurn::default() });
                self.run(way, &mut block)?;
                for (condition, inner) in ways.into_iter().rev() {
                    block = StmtBlock { stmts: vec![Stmt::If(condition, inner, block)] };
                }
                out.stmts.extend(block.stmts);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Records a statement about the next turn: it must agree with the others of the same stage.
    fn say(&mut self, run: &mut BodyRun<'r>, said: NextTurn) {
        let differ = |a: Option<u32>, b: Option<u32>| a.is_some() && b.is_some() && a != b;
        if differ(run.saying.mover, said.mover) || differ(run.saying.phase, said.phase) {
            let always = self.build.truth(true);
            self.fault(always, &mut run.wrong);
        }
        run.saying.mover = said.mover.or(run.saying.mover);
        run.saying.phase = said.phase.or(run.saying.phase);
    }

    /// Returns the lane of the move, or true if there is only one lane.
    fn active(&mut self, cx: &Cx) -> ValueId {
        match cx.lane {
            Some(lane) => lane,
            None => self.build.truth(true),
        }
    }

    pub(super) fn fault(&mut self, when: ValueId, out: &mut StmtBlock) {
        if !self.build.maybe(when).is_empty() {
            out.stmts.push(Stmt::Fault(when));
        }
    }

    /// Lowers the effects of a block under a condition; the faults become those of the stage.
    fn effects(
        &mut self,
        block: &'r rules::Block,
        cx: &Cx,
        active: ValueId,
        run: &mut BodyRun<'r>,
    ) -> Result<()> {
        let mut cx = cx.clone();
        for stmt in &block.stmts {
            if let StmtKind::Let(pattern, bound) = &stmt.kind {
                let term = self.term(bound, &cx)?;
                let mut inner = cx.clone();
                let fits = self.bind(pattern, &term, &mut inner, stmt.span)?;
                if self.build.constant_truth(fits) != Some(true) {
                    return Err(LowerError::Varies);
                }
                cx = inner;
                continue;
            }
            self.effect_stmt(stmt, &cx, active, run)?;
        }
        Ok(())
    }

    fn effect_stmt(
        &mut self,
        stmt: &'r rules::Stmt,
        cx: &Cx,
        active: ValueId,
        run: &mut BodyRun<'r>,
    ) -> Result<()> {
        if self.build.maybe(active).is_empty() {
            return Ok(());
        }
        match &stmt.kind {
            StmtKind::Effect(effect) if run.left_out.contains(&std::ptr::from_ref(effect)) => Ok(()),
            StmtKind::Effect(effect) => self.effect(effect, cx, active, run, stmt.span),
            StmtKind::If(condition, then, otherwise) => {
                let holds = self.formula(condition, cx)?;
                let yes = self.both(active, holds);
                let not = self.negated(cx, holds);
                let no = self.both(active, not);
                self.effects(then, cx, yes, run)?;
                self.effects(otherwise, cx, no, run)
            }
            StmtKind::For(binders, block) => {
                self.each(ForLoop { binders, block, span: stmt.span }, cx, active, run)
            }
            StmtKind::Then(block) => {
                if run.thens.len() == MAX_LATER_STAGES {
                    return unsupported("a `then` inside `for` over so many elements", stmt.span);
                }
                run.thens.push(Stage { block, cx: cx.clone(), active: Some(active) });
                Ok(())
            }
            _ => unsupported("a statement inside `for` that is no effect", stmt.span),
        }
    }

    /// Lowers `for`: the first variable becomes lanes if that has a form, otherwise it is replaced by its values.
    fn each(&mut self, of: ForLoop<'r>, cx: &Cx, active: ValueId, run: &mut BodyRun<'r>) -> Result<()> {
        let ForLoop { binders, block, span } = of;
        let Some((binder, rest)) = binders.split_first() else {
            return self.effects(block, cx, active, run);
        };
        if let Range::Set(set) = &binder.domain {
            let defined = self.set_defined(set, cx)?;
            let undefined = self.unless(active, defined);
            let undefined = self.any_lane(cx, undefined);
            self.fault(undefined, &mut run.wrong);
        }
        if rest.is_empty() && !block.any(&|stmt| matches!(stmt, StmtKind::Then(_))) {
            let (changes, faults) = (run.changes.len(), run.wrong.stmts.len());
            match self.each_in_lanes(binder, block, cx, active, run) {
                Err(LowerError::Varies) => {
                    run.changes.truncate(changes);
                    run.wrong.stmts.truncate(faults);
                }
                done => return done,
            }
        }
        let (values, set) = match &binder.domain {
            Range::Fixed(values) => (values.to_vec(), None),
            Range::Set(set) => (self.elements(set)?, Some(set)),
        };
        for value in values {
            let term = Term::Static(Static::One(Some(value)));
            let mut inner = cx.clone();
            self.bind(&binder.pattern, &term, &mut inner, span)?;
            let mut active = active;
            if let Some(set) = set {
                let inside = self.member(&term, set, &inner)?;
                active = self.both(active, inside);
            }
            if let Some(condition) = &binder.condition {
                let kept = self.formula(condition, &inner)?;
                active = self.both(active, kept);
            }
            if !self.build.maybe(active).is_empty() {
                self.each(ForLoop { binders: rest, ..of }, &inner, active, run)?;
            }
        }
        Ok(())
    }

    /// Lowers `for` over one binder with a lane for each value of its variable.
    fn each_in_lanes(
        &mut self,
        binder: &'r Binder,
        block: &'r rules::Block,
        cx: &Cx,
        active: ValueId,
        run: &mut BodyRun<'r>,
    ) -> Result<()> {
        let Pattern::Var(var) = binder.pattern else { return Err(LowerError::Varies) };
        let values = match &binder.domain {
            Range::Fixed(values) => values.to_vec(),
            Range::Set(set) => self.elements(set)?,
        };
        let places = matches!(values.first(), Some(Value::Sym(..) | Value::Int(_)));
        if !places || values.len() <= 2 {
            return Err(LowerError::Varies);
        }
        let known: Vec<rules::VarId> = (0..cx.env.len() as u32).map(rules::VarId).collect();
        let settled = self.project_cx(cx, &known)?;
        let active = self.any_lane(cx, active);
        let domain = BitDomain::new(self.rules, values);
        let mut inner = self.over(&domain, &settled);
        let element = Term::Static(Static::each(domain.values.iter().cloned().map(Some).collect()));
        inner.bind(var, element.clone());
        let mut met = active;
        if let Range::Set(set) = &binder.domain {
            let inside = self.member(&element, set, &inner)?;
            met = self.both(met, inside);
        }
        if let Some(condition) = &binder.condition {
            let kept = self.formula(condition, &inner)?;
            met = self.both(met, kept);
        }
        let met = self.vector(&inner, met);
        self.effects(block, &inner, met, run)
    }
}

/// Returns true if a statement is at the top of the first stage. Branches mark their contexts by a longer environment.
fn is_top(run: &BodyRun, cx: &Cx) -> bool {
    let at_top = |body: &MoveBody| body.me == cx.turn.me && body.lane == cx.lane && body.vars == cx.env.len();
    run.bodies.iter().any(at_top)
}

/// Returns true if a block sets the next turn, has conditions or has further stages: then the rest is lowered for each
/// branch.
fn parts_ways(block: &rules::Block) -> bool {
    block.any(&|stmt| {
        matches!(
            stmt,
            StmtKind::Stay(_)
                | StmtKind::Next(_)
                | StmtKind::Then(_)
                | StmtKind::Require(_)
                | StmtKind::Let(..)
        )
    })
}
