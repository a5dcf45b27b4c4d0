//! What a move does, for the one lane that is the move; and what several moves do that are made at once.
//!
//! The effects of a stage read the position before it and happen together; `then` blocks follow. Whatever says who
//! moves next parts the ways, so that at each end it is known; all else is done under a condition.

use std::rc::Rc;

use super::cx::{Cx, Number, Static, Term};
use super::domain::Domain;
use super::state::Held;
use super::{Lower, Result, Stop, unsupported};
use crate::base::bits::BitSet;
use crate::circuit::{Block, SlotId, Stmt, ValueId, Yield};
use crate::rules::{
    self, Binder, Domain as Range, Effect, EffectOp, FieldId, MOVER, PHASE, Pattern, StmtKind, Value,
};
use crate::source::Span;

/// A change of a position.
#[derive(Clone, Debug)]
struct Change {
    field: FieldId,
    op: EffectOp,
    /// Which part of what the cell holds.
    part: Option<u32>,
    what: What,
    /// Of a change in the lane that is the move: the cells it changes in each lane.
    cells: Option<Vec<Option<usize>>>,
    /// The value, where it is known and the same for all cells.
    known: Option<Value>,
}

#[derive(Clone, Debug)]
enum What {
    /// In these cells each of these planes becomes what is given.
    Planes { target: ValueId, puts: Vec<(SlotId, ValueId)> },
    /// Under a condition this number.
    Code { slot: SlotId, when: ValueId, value: ValueId, low: i64, high: i64 },
    /// These elements; of a `:=` the cell's places as well.
    Members { slot: SlotId, places: ValueId, elements: ValueId },
}

/// Bodies being run, in step.
#[derive(Clone)]
struct Run<'b> {
    cx: Cx,
    /// The statements of this stage still to come, the next one last.
    todo: Vec<(&'b rules::Stmt, Cx)>,
    changes: Vec<Change>,
    bodies: Vec<Body<'b>>,
    /// The `then` blocks met in this stage.
    thens: Vec<(&'b rules::Block, Cx)>,
    /// What is wrong in this stage, if its conditions hold.
    wrong: Block,
    /// What was said about the turn in the stages before, and in this one.
    said: Said,
    saying: Said,
    first: bool,
    /// Whether conditions were decided before.
    settled: bool,
    /// Where transient fields were assigned.
    assigned: Vec<(SlotId, ValueId)>,
}

/// One of the bodies that are run in step.
#[derive(Clone)]
struct Body<'b> {
    /// Who makes the move: by this its blocks are told from those of others.
    me: Option<u32>,
    /// How many variables are known at the top of its first stage.
    vars: usize,
    /// The lane that is the move.
    lane: Option<ValueId>,
    /// The stages still to come, the next one last.
    waiting: Vec<(&'b rules::Block, Cx)>,
}

/// What was said about the turn.
#[derive(Clone, Copy, Default)]
struct Said {
    mover: Option<u32>,
    phase: Option<u32>,
}

impl<'r> Lower<'r> {
    /// The statements of a move's body. `cx` has the lane that is the move; the conditions of the first stage hold.
    pub(super) fn body(&mut self, block: &rules::Block, cx: &Cx) -> Result<Block> {
        self.bodies(&[(block, cx.clone())], cx, false)
    }

    /// The statements of moves of different players that are made at once, each legal by itself.
    pub(super) fn joint(&mut self, moves: &[(&rules::Block, Cx)], cx: &Cx) -> Result<Block> {
        self.bodies(moves, cx, true)
    }

    fn bodies(&mut self, moves: &[(&rules::Block, Cx)], cx: &Cx, settled: bool) -> Result<Block> {
        let bodies = moves.iter().map(|&(block, ref cx)| Body {
            me: cx.turn.me,
            vars: cx.env.len(),
            lane: cx.lane,
            waiting: vec![(block, cx.clone())],
        });
        let run = Run {
            cx: cx.clone(),
            todo: Vec::new(),
            changes: Vec::new(),
            bodies: bodies.collect(),
            thens: Vec::new(),
            wrong: Block::default(),
            said: Said::default(),
            saying: Said::default(),
            first: true,
            settled,
            assigned: Vec::new(),
        };
        let mut out = Block::default();
        self.next_stage(run, &mut out)?;
        Ok(out)
    }

    /// A pass: only the turn and transient cells change.
    pub(super) fn pass(&mut self, cx: &Cx) -> Result<Block> {
        self.body(&rules::Block::default(), cx)
    }

    /// The next stage of each body, or the end of the moves.
    fn next_stage(&mut self, mut run: Run, out: &mut Block) -> Result<()> {
        let stages: Vec<_> = run.bodies.iter_mut().map(|body| body.waiting.pop()).collect();
        if stages.iter().all(Option::is_none) {
            return self.finish(run, out);
        }
        for (block, cx) in stages.into_iter().rev().flatten() {
            let cx = Cx { state: run.cx.state.clone(), ..cx };
            run.todo.extend(block.stmts.iter().rev().map(|stmt| (stmt, cx.clone())));
        }
        self.run(run, out)
    }

    /// What is left of a stage, and the stages after it.
    fn run(&mut self, mut run: Run, out: &mut Block) -> Result<()> {
        while let Some((stmt, cx)) = run.todo.pop() {
            if self.statement(&mut run, stmt, cx, out)? {
                return Ok(());
            }
        }
        self.end_stage(&mut run, out)?;
        for (block, cx) in std::mem::take(&mut run.thens).into_iter().rev() {
            if let Some(body) = run.bodies.iter_mut().find(|body| body.me == cx.turn.me) {
                body.waiting.push((block, cx));
            }
        }
        run.first = false;
        self.next_stage(run, out)
    }

    /// Runs one statement; true where the ways have parted and nothing is left to do here.
    fn statement<'b>(
        &mut self,
        run: &mut Run<'b>,
        stmt: &'b rules::Stmt,
        cx: Cx,
        out: &mut Block,
    ) -> Result<bool> {
        match &stmt.kind {
            StmtKind::Require(_) | StmtKind::Let(..) if run.first && is_top(run, &cx) => {
                // Decided by the set of lanes, and bound.
            }
            StmtKind::Require(_) if run.settled => {}
            StmtKind::Require(condition) => {
                let holds = self.formula(condition, &cx)?;
                let holds = self.somewhere(&cx, holds);
                out.stmts.push(Stmt::Require(holds));
            }
            StmtKind::Let(pattern, bound) => {
                let term = self.term(bound, &cx)?;
                let mut inner = cx.clone();
                let fits = self.bind(pattern, &term, &mut inner, stmt.span)?;
                let fits = self.somewhere(&cx, fits);
                if run.settled {
                    let missing = self.build.not(fits);
                    self.fault(missing, &mut run.wrong);
                } else if self.build.constant_truth(fits) != Some(true) {
                    out.stmts.push(Stmt::Require(fits));
                }
                // What follows in the same block sees it.
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
                    let holds = self.somewhere(&cx, holds);
                    let with = |run: &Run<'b>, block: &'b rules::Block| {
                        let mut run = run.clone();
                        run.first = run.first && block.stmts.is_empty();
                        let mut inner = cx.clone();
                        // Inside a branch the conditions are still to be asked.
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
                            let (mut a, mut b) = (Block::default(), Block::default());
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
                let mut wrong = std::mem::take(&mut run.wrong);
                self.effects(then, &cx, yes, run, &mut wrong)?;
                self.effects(otherwise, &cx, no, run, &mut wrong)?;
                run.wrong = wrong;
            }
            StmtKind::For(..) | StmtKind::Effect(_) => {
                let active = self.active(&cx);
                let mut wrong = std::mem::take(&mut run.wrong);
                self.effect_stmt(stmt, &cx, active, run, &mut wrong)?;
                run.wrong = wrong;
            }
            StmtKind::Then(block) => run.thens.push((block, cx)),
            StmtKind::Stay(phase) => {
                let phase = phase.map(|p| p.0).or(cx.turn.phase);
                self.say(run, Said { phase, ..Said::default() });
            }
            StmtKind::Next(player) => {
                let term = self.term(player, &cx)?;
                let term = self.settled(&cx, &term)?;
                let defined = self.defined(&term, &cx);
                let undefined = self.build.not(defined);
                self.fault(undefined, &mut run.wrong);
                let cases = self.case_list(&term, &Cx { lane: None, ..Cx::empty() })?;
                let Some(((last, _), rest)) = cases.split_last() else { return Ok(false) };
                let index = |of: &Static| of.at(0).and_then(Value::as_sym);
                let mut block = Block::default();
                let mut ways = Vec::new();
                for (player, condition) in rest {
                    let mut way = run.clone();
                    self.say(&mut way, Said { mover: index(player), ..Said::default() });
                    let mut inner = Block::default();
                    self.run(way, &mut inner)?;
                    ways.push((*condition, inner));
                }
                if ways.is_empty() {
                    self.say(run, Said { mover: index(last), ..Said::default() });
                    return Ok(false);
                }
                let mut way = run.clone();
                self.say(&mut way, Said { mover: index(last), ..Said::default() });
                self.run(way, &mut block)?;
                for (condition, inner) in ways.into_iter().rev() {
                    block = Block { stmts: vec![Stmt::If(condition, inner, block)] };
                }
                out.stmts.extend(block.stmts);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Something is said about the turn: it must agree with what was said in the same stage.
    fn say(&mut self, run: &mut Run, said: Said) {
        let differ = |a: Option<u32>, b: Option<u32>| a.is_some() && b.is_some() && a != b;
        if differ(run.saying.mover, said.mover) || differ(run.saying.phase, said.phase) {
            let always = self.build.truth(true);
            self.fault(always, &mut run.wrong);
        }
        run.saying.mover = said.mover.or(run.saying.mover);
        run.saying.phase = said.phase.or(run.saying.phase);
    }

    /// The lane that is the move, or everywhere where there is but one.
    fn active(&mut self, cx: &Cx) -> ValueId {
        match cx.lane {
            Some(lane) => lane,
            None => self.build.truth(true),
        }
    }

    pub(super) fn fault(&mut self, when: ValueId, out: &mut Block) {
        if !self.build.maybe(when).is_empty() {
            out.stmts.push(Stmt::Fault(when));
        }
    }

    /// The effects of a block under a condition.
    fn effects(
        &mut self,
        block: &rules::Block,
        cx: &Cx,
        active: ValueId,
        run: &mut Run,
        out: &mut Block,
    ) -> Result<()> {
        let mut cx = cx.clone();
        for stmt in &block.stmts {
            if let StmtKind::Let(pattern, bound) = &stmt.kind {
                let term = self.term(bound, &cx)?;
                let mut inner = cx.clone();
                let fits = self.bind(pattern, &term, &mut inner, stmt.span)?;
                if self.build.constant_truth(fits) != Some(true) {
                    return Err(Stop::Varies);
                }
                cx = inner;
                continue;
            }
            self.effect_stmt(stmt, &cx, active, run, out)?;
        }
        Ok(())
    }

    fn effect_stmt(
        &mut self,
        stmt: &rules::Stmt,
        cx: &Cx,
        active: ValueId,
        run: &mut Run,
        out: &mut Block,
    ) -> Result<()> {
        if self.build.maybe(active).is_empty() {
            return Ok(());
        }
        match &stmt.kind {
            StmtKind::Effect(effect) => self.effect(effect, cx, active, run, stmt.span, out),
            StmtKind::If(condition, then, otherwise) => {
                let holds = self.formula(condition, cx)?;
                let yes = self.both(active, holds);
                let not = self.negated(cx, holds);
                let no = self.both(active, not);
                self.effects(then, cx, yes, run, out)?;
                self.effects(otherwise, cx, no, run, out)
            }
            StmtKind::For(binders, block) => self.each(binders, block, cx, active, run, out, stmt.span),
            _ => unsupported("a statement inside `for` that is no effect", stmt.span),
        }
    }

    /// `for`: the first variable becomes lanes where that has a form, otherwise it is replaced by its values.
    #[allow(clippy::too_many_arguments)]
    fn each(
        &mut self,
        binders: &[Binder],
        block: &rules::Block,
        cx: &Cx,
        active: ValueId,
        run: &mut Run,
        out: &mut Block,
        span: Span,
    ) -> Result<()> {
        let Some((binder, rest)) = binders.split_first() else {
            return self.effects(block, cx, active, run, out);
        };
        if let Range::Set(set) = &binder.domain {
            let defined = self.set_defined(set, cx)?;
            let undefined = self.unless(active, defined);
            let undefined = self.somewhere(cx, undefined);
            self.fault(undefined, out);
        }
        if let (Pattern::Var(var), []) = (&binder.pattern, rest) {
            let (changes, stmts) = (run.changes.len(), out.stmts.len());
            match self.each_in_lanes(*var, binder, block, cx, active, run, out) {
                Err(Stop::Varies) => {
                    run.changes.truncate(changes);
                    out.stmts.truncate(stmts);
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
                self.each(rest, block, &inner, active, run, out, span)?;
            }
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn each_in_lanes(
        &mut self,
        var: rules::VarId,
        binder: &Binder,
        block: &rules::Block,
        cx: &Cx,
        active: ValueId,
        run: &mut Run,
        out: &mut Block,
    ) -> Result<()> {
        let values = match &binder.domain {
            Range::Fixed(values) => values.to_vec(),
            Range::Set(set) => self.elements(set)?,
        };
        let places = matches!(values.first(), Some(Value::Sym(..) | Value::Int(_)));
        if !places || values.len() <= 2 {
            return Err(Stop::Varies);
        }
        let known: Vec<rules::VarId> = (0..cx.env.len() as u32).map(rules::VarId).collect();
        let settled = self.settled_cx(cx, &known)?;
        let active = self.somewhere(cx, active);
        let domain = Domain::new(self.rules, values);
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
        self.effects(block, &inner, met, run, out)
    }

    fn effect(
        &mut self,
        effect: &Effect,
        cx: &Cx,
        active: ValueId,
        run: &mut Run,
        span: Span,
        out: &mut Block,
    ) -> Result<()> {
        let field = effect.field;
        if field == MOVER || field == PHASE {
            return unsupported("setting the turn", span);
        }
        let keys: Result<Vec<Term>> = effect.keys.iter().map(|key| self.term(key, cx)).collect();
        let keys = keys?;
        if effect.path.is_empty()
            && effect.op == EffectOp::Set
            && let Some(bits) = self.chosen_cell(field, &keys)?
        {
            return self.choice_effect(effect, bits, cx, active, run, out);
        }
        let cells = self.cells(field, &keys, cx, span)?;
        let mut target = self.build.truth(false);
        for (cell, condition) in &cells {
            let there = self.known_truth(cx, |lane| cell[lane].is_some());
            let there = self.both(there, *condition);
            target = self.either(target, there);
        }
        let nowhere = self.unless(active, target);
        let nowhere = self.somewhere(cx, nowhere);
        self.fault(nowhere, out);
        if matches!(self.state.held[field], Held::Members(_)) {
            return self.member_effect(effect, cx, active, &cells, run, out);
        }
        let value = self.term(&effect.value, cx)?;
        let defined = self.defined(&value, cx);
        let undefined = self.unless(active, defined);
        let undefined = self.somewhere(cx, undefined);
        self.fault(undefined, out);
        let known = match &value {
            Term::Static(Static::One(value)) => value.clone(),
            _ => None,
        };
        let part = match effect.path[..] {
            [] => None,
            [part] => Some(part),
            _ => return unsupported("a part of a part", span),
        };
        match &self.state.held[field] {
            Held::Constant(_) => Ok(()),
            Held::Planes(planes) => {
                if effect.op != EffectOp::Set {
                    return Err(Stop::Varies);
                }
                let (places, width, product, option) =
                    (planes.places.clone(), planes.width, planes.product, planes.option);
                let parts: Vec<_> =
                    planes.parts.iter().map(|p| (p.values.clone(), p.slots.clone())).collect();
                let present = if option { self.present(&value)? } else { value.clone() };
                let mut target = self.build.zero(width);
                let mut puts: Vec<(SlotId, ValueId)> = Vec::new();
                for (cell, condition) in &cells {
                    let point: Vec<Option<u32>> = cell.iter().map(|c| c.map(|c| places[c])).collect();
                    let here = self.both(active, *condition);
                    let here = self.in_lane(cx, here);
                    let at = self.scatter(cx, here, &point, width);
                    target = self.build.or(target, at);
                    for (i, (values, slots)) in parts.iter().enumerate() {
                        let of = match (part, product) {
                            (Some(part), _) if part as usize != i => continue,
                            (Some(_), _) | (None, None) => present.clone(),
                            (None, Some(_)) => self.part(&present, i as u32, cx, span)?,
                        };
                        for (value, slot) in values.iter().zip(slots) {
                            let Some(slot) = slot else { continue };
                            let wanted = Term::Static(Static::One(Some(value.clone())));
                            let equal = self.equal_terms(&of, &wanted, cx, span)?;
                            let here = self.both(here, equal);
                            let put = self.scatter(cx, here, &point, width);
                            match puts.iter_mut().find(|(s, _)| s == slot) {
                                Some((_, bits)) => *bits = self.build.or(*bits, put),
                                None => puts.push((*slot, put)),
                            }
                        }
                    }
                }
                let lanes = match &cells[..] {
                    [(cell, _)] if cx.lane.is_some() || cx.is_unit() => Some(cell.clone()),
                    _ => None,
                };
                if cx.lane.is_none() && !cx.is_unit() && known.is_none() {
                    // Several lanes that change one cell would have to agree.
                    let mut seen = std::collections::BTreeSet::new();
                    let alone =
                        |(cell, _): &(Vec<Option<usize>>, _)| cell.iter().flatten().all(|c| seen.insert(*c));
                    if cells.len() > 1 || !cells.iter().all(alone) {
                        return Err(Stop::Varies);
                    }
                }
                run.changes.push(Change {
                    field,
                    op: effect.op,
                    part,
                    what: What::Planes { target, puts },
                    cells: lanes,
                    known,
                });
                Ok(())
            }
            Held::Codes(codes) => {
                if part.is_some() {
                    return unsupported("a part of a number", span);
                }
                let slots = codes.slots.clone();
                for (cell, condition) in &cells {
                    let mut distinct: Vec<usize> = cell.iter().flatten().copied().collect();
                    distinct.sort_unstable();
                    distinct.dedup();
                    for of in distinct {
                        let here = self.known_truth(cx, |lane| cell[lane] == Some(of));
                        let here = self.both(here, *condition);
                        let here = self.both(here, active);
                        if cx.lane.is_none() && !cx.is_unit() {
                            // Lanes of a `for` that meet in one number would have to be added up.
                            return Err(Stop::Varies);
                        }
                        let when = self.somewhere(cx, here);
                        if self.build.maybe(when).is_empty() {
                            continue;
                        }
                        let (value, low, high) = self.code_of(field, effect.op, &value, cx, span)?;
                        run.changes.push(Change {
                            field,
                            op: effect.op,
                            part,
                            what: What::Code { slot: slots[of], when, value, low, high },
                            cells: None,
                            known: known.clone(),
                        });
                    }
                }
                Ok(())
            }
            Held::Control | Held::Members(_) => unsupported("setting this field", span),
        }
    }

    /// A cell that is a scalar of the position is set.
    fn choice_effect(
        &mut self,
        effect: &Effect,
        bits: ValueId,
        cx: &Cx,
        active: ValueId,
        run: &mut Run,
        out: &mut Block,
    ) -> Result<()> {
        let active = match (cx.lane, cx.is_unit()) {
            (None, false) => return Err(Stop::Varies),
            _ => self.somewhere(cx, active),
        };
        let there = self.build.any(bits);
        let nowhere = self.unless(active, there);
        self.fault(nowhere, out);
        let value = self.term(&effect.value, cx)?;
        let value = self.settled(cx, &value)?;
        let unit = Cx { lane: None, ..Cx::empty() };
        let defined = self.defined(&value, &unit);
        let undefined = self.unless(active, defined);
        self.fault(undefined, out);
        let Held::Planes(planes) = &self.state.held[effect.field] else { return Err(Stop::Varies) };
        let (width, product, option) = (planes.width, planes.product, planes.option);
        let parts: Vec<_> = planes.parts.iter().map(|p| (p.values.clone(), p.slots.clone())).collect();
        let present = if option { self.present(&value)? } else { value.clone() };
        let spread = self.build.spread(active, width);
        let target = self.build.and(bits, spread);
        let mut puts = Vec::new();
        for (i, (values, slots)) in parts.iter().enumerate() {
            let of = if product.is_some() {
                self.part(&present, i as u32, &unit, effect.value.span)?
            } else {
                present.clone()
            };
            for (value, slot) in values.iter().zip(slots) {
                let Some(slot) = slot else { continue };
                let wanted = Term::Static(Static::One(Some(value.clone())));
                let equal = self.equal_terms(&of, &wanted, &unit, effect.value.span)?;
                let spread = self.build.spread(equal, width);
                puts.push((*slot, self.build.and(target, spread)));
            }
        }
        let known = match value {
            Term::Static(Static::One(value)) => value,
            _ => None,
        };
        run.changes.push(Change {
            field: effect.field,
            op: EffectOp::Set,
            part: None,
            what: What::Planes { target, puts },
            cells: None,
            known,
        });
        Ok(())
    }

    /// A condition in the one lane that is the move, as a vector.
    fn in_lane(&mut self, cx: &Cx, condition: ValueId) -> ValueId {
        match cx.lane {
            Some(lane) => self.both(condition, lane),
            None => self.vector(cx, condition),
        }
    }

    /// A value as the number that is held: whole numbers as they are, others by their codes.
    fn code_of(
        &mut self,
        field: FieldId,
        op: EffectOp,
        value: &Term,
        cx: &Cx,
        span: Span,
    ) -> Result<(ValueId, i64, i64)> {
        let Held::Codes(codes) = &self.state.held[field] else { return Err(Stop::Varies) };
        if codes.low.is_some() {
            let value = self.settled(cx, value)?;
            let n: Number = self.number(&value, cx, span)?;
            return Ok((n.value, n.low, n.high));
        }
        if op != EffectOp::Set {
            return unsupported("a change of what is no number", span);
        }
        let codes = codes.domain.clone();
        let value = self.settled(cx, value)?;
        let most = i64::from(codes.width) - 1;
        if let Term::Choice(domain, bits) = &value {
            let table: Vec<i64> = {
                let mut table = vec![0; domain.width as usize];
                for (value, &place) in domain.values.iter().zip(&domain.places) {
                    table[place as usize] = codes.place(value).map_or(0, i64::from);
                }
                table
            };
            let place = self.build.first(*bits);
            let places = domain.places.iter().map(|&place| place as usize);
            let consecutive = places.into_iter().all(|i| table[i] == i as i64);
            let code = if consecutive { place } else { self.build.lookup(place, table) };
            return Ok((code, 0, most));
        }
        let cases = self.case_list(&value, &Cx { lane: None, ..Cx::empty() })?;
        let mut code = None;
        for (of, condition) in cases {
            let Some(place) = of.at(0).and_then(|v| codes.place(v)) else { continue };
            let place = self.build.int(i64::from(place));
            code = Some(match code {
                None => place,
                Some(other) => self.build.select(condition, place, other),
            });
        }
        let code = code.unwrap_or_else(|| self.build.int(0));
        Ok((code, 0, most))
    }

    /// A change of a set.
    fn member_effect(
        &mut self,
        effect: &Effect,
        cx: &Cx,
        active: ValueId,
        cells: &[(Vec<Option<usize>>, ValueId)],
        run: &mut Run,
        out: &mut Block,
    ) -> Result<()> {
        let Held::Members(members) = &self.state.held[effect.field] else { return Err(Stop::Varies) };
        let (domain, slot, width) = (members.elements.clone(), members.slot, members.width);
        let cell = match cells {
            [(cell, _)] => cell.first().copied().flatten(),
            _ => None,
        };
        let Some(cell) = cell.filter(|c| cells[0].0.iter().all(|other| *other == Some(*c))) else {
            return unsupported("a set in a cell that is not known", effect.value.span);
        };
        let defined = self.set_defined(&effect.value, cx)?;
        let undefined = self.unless(active, defined);
        let undefined = self.somewhere(cx, undefined);
        self.fault(undefined, out);
        let elements = if self.is_known(&effect.value, cx) && !cx.is_unit() {
            // Known in each lane: the lanes point at their elements.
            let sets = self.known_term(&effect.value, cx)?;
            let here = self.in_lane(cx, active);
            let mut found = self.build.zero(domain.width);
            let most =
                (0..cx.len()).filter_map(|l| sets.at(l)?.as_set().map(<[Value]>::len)).max().unwrap_or(0);
            for n in 0..most {
                let point: Vec<Option<u32>> =
                    (0..cx.len()).map(|lane| domain.place(sets.at(lane)?.as_set()?.get(n)?)).collect();
                let at = self.scatter(cx, here, &point, domain.width);
                found = self.build.or(found, at);
            }
            found
        } else if cx.lane.is_none() && !cx.is_unit() {
            // In the lanes of a `for`: all elements of all that are met.
            let values = domain.values.clone();
            if values.len() > 64 {
                return Err(Stop::Varies);
            }
            let mut found = self.build.zero(domain.width);
            for (value, &place) in values.iter().zip(&domain.places) {
                let term = Term::Static(Static::One(Some(value.clone())));
                let inside = self.member(&term, &effect.value, cx)?;
                let inside = self.both(inside, active);
                let inside = self.somewhere(cx, inside);
                let bit = self.build.resize(inside, domain.width);
                let bit = self.build.shift(bit, place as i32);
                found = self.build.or(found, bit);
            }
            found
        } else {
            let (of, bits) = self.set_bits(&effect.value, cx)?;
            let bits = self.recast(&of, bits, &domain);
            let active = self.somewhere(cx, active);
            let spread = self.build.spread(active, domain.width);
            self.build.and(bits, spread)
        };
        let active = self.somewhere(cx, active);
        let spread = self.build.spread(active, domain.width);
        let mask = self.build.bits(domain.mask());
        let places = self.build.and(spread, mask);
        let place = |lower: &mut Self, bits| {
            let wide = lower.build.resize(bits, width);
            lower.build.shift(wide, (cell as u32 * domain.width) as i32)
        };
        let (places, elements) = (place(self, places), place(self, elements));
        run.changes.push(Change {
            field: effect.field,
            op: effect.op,
            part: None,
            what: What::Members { slot, places, elements },
            cells: None,
            known: None,
        });
        Ok(())
    }

    /// All changes of a stage happen at once.
    fn end_stage(&mut self, run: &mut Run, out: &mut Block) -> Result<()> {
        let changes = std::mem::take(&mut run.changes);
        out.stmts.append(&mut run.wrong.stmts);
        let saying = std::mem::take(&mut run.saying);
        run.said = Said { mover: saying.mover.or(run.said.mover), phase: saying.phase.or(run.said.phase) };
        self.conflicts(&changes, out);
        let mut state = run.cx.state.to_vec();
        let mut order: Vec<&Change> = changes.iter().collect();
        // The whole before its parts, and what is added on top of what is set.
        order.sort_by_key(|change| {
            (
                matches!(change.op, EffectOp::Add | EffectOp::Subtract | EffectOp::Insert),
                change.op == EffectOp::Remove,
                change.part,
            )
        });
        let before = run.cx.state.clone();
        let mut numbers: Vec<(SlotId, FieldId, ValueId, i64, i64, ValueId)> = Vec::new();
        for change in order {
            let transient = self.rules.fields[change.field].transient;
            match &change.what {
                What::Planes { target, puts } => {
                    if change.part.is_some() {
                        self.no_part(change.field, *target, &state, out);
                    }
                    for (slot, put) in puts {
                        let index = slot.0 as usize;
                        let kept = self.build.and_not(state[index], *target);
                        state[index] = self.build.or(kept, *put);
                        if transient {
                            run.assigned.push((*slot, *target));
                        }
                    }
                }
                What::Code { slot, when, value, low, high } => {
                    let Held::Codes(codes) = &self.state.held[change.field] else { continue };
                    let (offset, count) = (codes.low.unwrap_or(0), codes.count);
                    let found = numbers.iter().position(|n| n.0 == *slot);
                    let at = found.unwrap_or_else(|| {
                        let code = self.build.unpack(before[slot.0 as usize]);
                        let offset_value = self.build.int(offset);
                        let old = self.build.plus(code, offset_value);
                        let never = self.build.truth(false);
                        numbers.push((*slot, change.field, old, offset, offset + (count - 1) as i64, never));
                        numbers.len() - 1
                    });
                    let (_, _, old, old_low, old_high, any) = numbers[at];
                    let (value, low, high) = match change.op {
                        EffectOp::Add => (
                            self.build.plus(old, *value),
                            old_low.saturating_add(*low),
                            old_high.saturating_add(*high),
                        ),
                        EffectOp::Subtract => (
                            self.build.minus(old, *value),
                            old_low.saturating_sub(*high),
                            old_high.saturating_sub(*low),
                        ),
                        _ => (*value, *low, *high),
                    };
                    let always = self.build.constant_truth(*when) == Some(true);
                    let entry = &mut numbers[at];
                    entry.2 = self.build.select(*when, value, old);
                    entry.3 = if always { low } else { low.min(old_low) };
                    entry.4 = if always { high } else { high.max(old_high) };
                    entry.5 = self.build.or(any, *when);
                }
                What::Members { slot, places, elements } => {
                    let index = slot.0 as usize;
                    state[index] = match change.op {
                        EffectOp::Insert => self.build.or(state[index], *elements),
                        EffectOp::Remove => self.build.and_not(state[index], *elements),
                        _ => {
                            let kept = self.build.and_not(state[index], *places);
                            self.build.or(kept, *elements)
                        }
                    };
                    if transient {
                        run.assigned.push((*slot, *places));
                    }
                }
            }
        }
        for (slot, field, value, low, high, any) in numbers {
            let Held::Codes(codes) = &self.state.held[field] else { continue };
            let (offset, most) = (codes.low.unwrap_or(0), codes.low.unwrap_or(0) + (codes.count - 1) as i64);
            let n = Number { value, defined: any, low, high };
            let inside = self.inside(&n, offset, most);
            let outside = self.unless(any, inside);
            self.fault(outside, out);
            let offset = self.build.int(offset);
            let code = self.build.minus(value, offset);
            let width = self.state.layout.slots[slot].width();
            state[slot.0 as usize] = self.build.pack(code, width);
            if self.rules.fields[field].transient {
                run.assigned.push((slot, any));
            }
        }
        run.cx.state = Rc::new(state);
        Ok(())
    }

    /// A part of what a cell does not hold cannot be changed.
    fn no_part(&mut self, field: FieldId, target: ValueId, state: &[ValueId], out: &mut Block) {
        let Held::Planes(planes) = &self.state.held[field] else { return };
        if !planes.option {
            return;
        }
        let mut taken = self.build.zero(planes.width);
        let slots: Vec<SlotId> = planes.parts[0].slots.iter().flatten().copied().collect();
        for slot in slots {
            taken = self.build.or(taken, state[slot.0 as usize]);
        }
        let missing = self.build.and_not(target, taken);
        let missing = self.build.any(missing);
        self.fault(missing, out);
    }

    /// Two changes that set one cell to different values are a mistake in the rules.
    fn conflicts(&mut self, changes: &[Change], out: &mut Block) {
        for (i, a) in changes.iter().enumerate() {
            for b in &changes[..i] {
                if a.field != b.field || a.part.is_some() && b.part.is_some() && a.part != b.part {
                    continue;
                }
                let apart = match (&a.cells, &b.cells) {
                    (Some(x), Some(y)) => {
                        x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x != y || x.is_none())
                    }
                    _ => false,
                };
                let agree = a.known.is_some() && a.known == b.known && a.part == b.part;
                if apart || agree {
                    continue;
                }
                let differ = match (&a.what, &b.what) {
                    (What::Planes { target: t, puts: p }, What::Planes { target: u, puts: q }) => {
                        let overlap = self.build.and(*t, *u);
                        if self.build.maybe(overlap).is_empty() {
                            continue;
                        }
                        let mut differ = self.build.zero(self.build.width(overlap));
                        for (slot, put) in p {
                            if let Some((_, other)) = q.iter().find(|(s, _)| s == slot) {
                                let here = self.build.xor(*put, *other);
                                differ = self.build.or(differ, here);
                            }
                        }
                        let differ = self.build.and(differ, overlap);
                        self.build.any(differ)
                    }
                    (
                        What::Code { slot: s, when: w, value: x, .. },
                        What::Code { slot: t, when: v, value: y, .. },
                    ) if s == t && a.op == EffectOp::Set && b.op == EffectOp::Set => {
                        let both = self.build.and(*w, *v);
                        let equal = self.build.equal(*x, *y);
                        self.build.and_not(both, equal)
                    }
                    (
                        What::Members { elements: x, places: p, .. },
                        What::Members { elements: y, places: q, .. },
                    ) => {
                        let overlap = match (a.op, b.op) {
                            (EffectOp::Insert, EffectOp::Remove) | (EffectOp::Remove, EffectOp::Insert) => {
                                self.build.and(*x, *y)
                            }
                            (EffectOp::Set, EffectOp::Set) => {
                                let differ = self.build.xor(*x, *y);
                                let both = self.build.and(*p, *q);
                                self.build.and(differ, both)
                            }
                            _ => continue,
                        };
                        self.build.any(overlap)
                    }
                    _ => continue,
                };
                self.fault(differ, out);
            }
        }
    }

    /// The end of a move: transient cells that were not assigned go back, and the turn passes.
    fn finish(&mut self, run: Run, out: &mut Block) -> Result<()> {
        let mut state = run.cx.state.to_vec();
        self.reset(&mut state, &run.assigned);
        let players = self.rules.players().len().max(1) as u32;
        let turn = run.cx.turn;
        let Some(mover) = turn.mover else { return Err(Stop::Varies) };
        let mover = match (run.said.mover, run.said.phase, turn.me) {
            (Some(next), _, _) => next,
            (None, None, Some(me)) => (me + 1) % players,
            // After an event of chance, and after moves made at once, he stays who he was.
            (None, Some(_), _) | (None, None, None) => mover,
        };
        let phase = run.said.phase.unwrap_or(self.rules.turn_phase().0);
        let mut slots = Vec::new();
        for (id, value) in state.into_iter().enumerate() {
            let slot = SlotId(id as u32);
            if self.build.slot(slot) != value {
                slots.push((slot, value));
            }
        }
        out.stmts.push(Stmt::Yield(Yield { slots, to: self.control_of(mover, phase), weight: None }));
        Ok(())
    }

    fn reset(&mut self, state: &mut [ValueId], assigned: &[(SlotId, ValueId)]) {
        let rules = self.rules;
        let initial = self.state.write(&|field, cell| rules.fields[field].init[cell].clone());
        for (id, field) in rules.fields.entries() {
            if !field.transient {
                continue;
            }
            let slots: Vec<SlotId> = match &self.state.held[id] {
                Held::Control | Held::Constant(_) => continue,
                Held::Codes(codes) => codes.slots.clone(),
                Held::Planes(planes) => {
                    planes.parts.iter().flat_map(|p| p.slots.iter().flatten().copied()).collect()
                }
                Held::Members(members) => vec![members.slot],
            };
            for slot in slots {
                let bits: BitSet = self.state.layout.get(slot, &initial);
                let width = bits.len();
                let first = self.build.bits(bits);
                let mut kept = self.build.zero(width);
                for (_, here) in assigned.iter().filter(|(s, _)| *s == slot) {
                    let here = if self.build.width(*here) == width {
                        *here
                    } else {
                        self.build.spread(*here, width)
                    };
                    kept = self.build.or(kept, here);
                }
                let index = slot.0 as usize;
                let stays = self.build.and(state[index], kept);
                let goes = self.build.and_not(first, kept);
                state[index] = self.build.or(stays, goes);
            }
        }
    }
}

/// Whether a statement stands at the top of the first stage. Branches mark their contexts by a longer environment.
fn is_top(run: &Run, cx: &Cx) -> bool {
    let at_top = |body: &Body| body.me == cx.turn.me && body.lane == cx.lane && body.vars == cx.env.len();
    run.bodies.iter().any(at_top)
}

/// Whether a block says who moves next, asks conditions or has further stages: then what follows is run for each way.
fn parts_ways(block: &rules::Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Stay(_)
        | StmtKind::Next(_)
        | StmtKind::Then(_)
        | StmtKind::Require(_)
        | StmtKind::Let(..) => true,
        StmtKind::If(_, a, b) => parts_ways(a) || parts_ways(b),
        StmtKind::For(_, body) => parts_ways(body),
        StmtKind::Effect(_) => false,
    })
}
