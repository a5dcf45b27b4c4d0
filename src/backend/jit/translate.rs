//! Translates a control, that is a turn, to blocks of Cranelift.
//!
//! The kernels differ in their treatment of ends and moves: their [`KernelGoal`].

use cranelift_codegen::ir::{Block as Place, BlockArg, InstBuilder, Value, types::I8, types::I64};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::exclusive_groups::{self, GroupRun, GuardedGroups};
use super::lanes::Lane;
use super::values::{BindingKey, JitScope, KnownWord, constant, mask, or_all, truth_of_word, vector};
use crate::PASS_GROUP;
use bouton_base::bits::words_for;
use bouton_circuit::{
    Circuit, ControlId, FixId, GroupId, Op, StateUpdate, Stmt, StmtBlock, TerminalTest, Ty, ValueId,
};

/// The kernel-specific part of the translation: the code for each outcome of a turn. Each method except `pending`,
/// `group` and `stuck` ends the current block.
pub(super) trait KernelGoal {
    /// True if the goal distinguishes a stuck mover even in controls with an empty `stuck` block.
    const DETECTS_STUCK: bool = false;
    /// True if the goal uses values computed for one group in later ones: then no group may be skipped.
    const REUSES_GROUP_VALUES: bool = false;
    /// Handles a stuck mover in a game that is not over. The code continues after the position.
    fn stuck(&mut self, _b: &mut FunctionBuilder) {}
    /// Handles the end of the game.
    fn over(&mut self, b: &mut FunctionBuilder, scope: &JitScope, over: &TerminalTest);
    /// Handles an end that holds unless the mover is stuck: the first such end of the turn.
    fn pending(&mut self, _b: &mut FunctionBuilder, _scope: &JitScope, _over: &TerminalTest) {}
    /// Handles a mover who is not stuck while an end is pending.
    fn over_pending(&mut self, b: &mut FunctionBuilder);
    /// Prepares a group that runs with this set; returns true if its lanes are to run.
    fn group(&mut self, _b: &mut FunctionBuilder, _group: GroupId, _set: &[KnownWord]) -> bool {
        true
    }
    /// Returns true if the goal allows filler lanes in a group, announced by [`Lane::beside`].
    fn allows_filler_lanes(&self, _group: GroupId) -> bool {
        false
    }
    /// Handles a move to a position.
    fn child(&mut self, b: &mut FunctionBuilder, scope: &JitScope, lane: &Lane, after: &StateUpdate);
    /// Handles a fault: the rules have no meaning here.
    fn fault(&mut self, b: &mut FunctionBuilder);
}

/// Returns true if every path through a body ends in a `Yield` or a fault.
pub(super) fn always_yields(block: &StmtBlock) -> bool {
    for stmt in &block.stmts {
        match stmt {
            Stmt::Yield(_) => return true,
            Stmt::Require(_) | Stmt::Over(_) => return false,
            Stmt::If(_, yes, no) => match (always_yields(yes), always_yields(no)) {
                (true, true) => return true,
                _ if may_end_early(yes) || may_end_early(no) => return false,
                _ => {}
            },
            Stmt::Let(_) | Stmt::Fix(..) | Stmt::Fault(_) => {}
        }
    }
    false
}

/// Returns true if a block may reject its lane or end the game.
fn may_end_early(block: &StmtBlock) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Require(_) | Stmt::Over(_) => true,
        Stmt::If(_, yes, no) => may_end_early(yes) || may_end_early(no),
        Stmt::Yield(_) | Stmt::Let(_) | Stmt::Fix(..) | Stmt::Fault(_) => false,
    })
}

/// Returns true if a block has a `Fault`.
pub(super) fn may_fault(block: &StmtBlock) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Fault(_) => true,
        Stmt::If(_, yes, no) => may_fault(yes) || may_fault(no),
        _ => false,
    })
}

/// Returns true if a block has an `Over` that waits for the moves.
pub(super) fn may_be_pending(block: &StmtBlock) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Over(over) => over.unless_stuck,
        Stmt::If(_, yes, no) => may_be_pending(yes) || may_be_pending(no),
        _ => false,
    })
}

/// Returns the number of words of a block's values.
pub(super) fn words_of_block(scope: &JitScope, block: &StmtBlock) -> usize {
    let stmts = block.stmts.iter().map(|stmt| match stmt {
        Stmt::Let(value) => words_of(scope.circuit, *value),
        Stmt::If(_, yes, no) => 1 + words_of_block(scope, yes) + words_of_block(scope, no),
        Stmt::Fix(_, block) => words_of_block(scope, block),
        Stmt::Yield(after) => after.slots.len(),
        _ => 1,
    });
    stmts.sum()
}

/// Returns the number of words of a value.
pub(super) fn words_of(circuit: &Circuit, value: ValueId) -> usize {
    match circuit.values[value].ty {
        Ty::Bits(width) => words_for(width),
        Ty::Int => 1,
    }
}

/// A translation of statements: the state that they read, and the goal for their outcomes.
pub(super) struct TurnTranslator<'a, 'c, G> {
    pub scope: JitScope<'c>,
    pub goal: &'a mut G,
    /// The flag that an end is pending; `None` if the control has no such end.
    waits: Option<Variable>,
    /// True if a move has led here, so that dead terminal tests can be skipped.
    moved_here: bool,
}

impl<'a, 'c, G: KernelGoal> TurnTranslator<'a, 'c, G> {
    /// Starts a turn in this state.
    pub fn new(scope: JitScope<'c>, goal: &'a mut G) -> Self {
        TurnTranslator { scope, goal, waits: None, moved_here: false }
    }

    /// Starts a turn in a state that a move has led to, from one where the game was not over.
    pub fn after_a_move(scope: JitScope<'c>, goal: &'a mut G) -> Self {
        TurnTranslator { moved_here: true, ..TurnTranslator::new(scope, goal) }
    }

    /// Translates a whole control. At the end the code jumps to `done`, unless the goal leaves elsewhere.
    pub fn control(&mut self, b: &mut FunctionBuilder, id: ControlId, done: Place) {
        let control = &self.scope.circuit.controls[id];
        self.before(b, id);
        if let Some(waits) = self.waits {
            let (wait, open) = (b.create_block(), b.create_block());
            b.set_cold_block(wait);
            let waiting = b.use_var(waits);
            b.ins().brif(waiting, wait, &[], open, &[]);
            b.switch_to_block(wait);
            let over = b.create_block();
            // This runs every lane that might fault.
            let moved = self.can_move(b, id, None);
            b.ins().brif(moved, over, &[], open, &[]);
            b.switch_to_block(over);
            self.goal.over_pending(b);
            b.switch_to_block(open);
        }
        let says = !control.stuck.stmts.is_empty();
        let passes = control.groups.iter().any(|&group| self.scope.circuit.groups[group].pass);
        // A mover who is stuck may lose by it, and then passes do not count. So the test precedes the passes.
        let first = G::DETECTS_STUCK && passes;
        let passed = MovedFlag::new(b, first);
        if first && says {
            let (none, some) = (b.create_block(), b.create_block());
            let moved = self.can_move(b, id, None);
            b.ins().brif(moved, some, &[], none, &[]);
            b.switch_to_block(none);
            let circuit = self.scope.circuit;
            let scope = std::mem::replace(&mut self.scope, JitScope::new(circuit, Vec::new()));
            let mut goal = RecordingGoal { goal: &mut *self.goal, moved: &passed };
            let mut inner =
                TurnTranslator { scope, goal: &mut goal, waits: None, moved_here: self.moved_here };
            let lane = Lane { group: PASS_GROUP, bit: Vec::new(), filler_count: None, next: some };
            let mark = inner.scope.mark();
            if inner.block(b, &control.stuck, &lane) {
                b.ins().jump(some, &[]);
            }
            inner.scope.restore(mark);
            self.scope = inner.scope;
            b.switch_to_block(some);
        }
        let asked = G::DETECTS_STUCK || says;
        let flags = MoveFlags { moved: MovedFlag::new(b, asked), passed };
        let runs = exclusive_groups::arrange(self.scope.circuit, &control.groups, |gate| {
            !G::REUSES_GROUP_VALUES && self.scope.knows(gate)
        });
        self.runs(b, &control.groups, &runs, &flags);
        if !asked {
            b.ins().jump(done, &[]);
            return;
        }
        let stuck = b.create_block();
        let moved = flags.moved.get(b);
        b.ins().brif(moved, done, &[], stuck, &[]);
        b.switch_to_block(stuck);
        if !first {
            return self.stuck(b, id, done);
        }
        let none = b.create_block();
        let passed = flags.passed.get(b);
        b.ins().brif(passed, done, &[], none, &[]);
        b.switch_to_block(none);
        self.goal.stuck(b);
        b.ins().jump(done, &[]);
    }

    /// Translates the terminal tests that do not depend on the moves.
    pub fn before(&mut self, b: &mut FunctionBuilder, id: ControlId) {
        let before = &self.scope.circuit.controls[id].before;
        if may_be_pending(before) {
            let waits = b.declare_var(I8);
            let no = b.ins().iconst(I8, 0);
            b.def_var(waits, no);
            self.waits = Some(waits);
        }
        self.main(b, before);
    }

    /// Returns the flag that an end is pending, if the control has such an end.
    pub fn waiting(&self) -> Option<Variable> {
        self.waits
    }

    /// Translates the `stuck` block.
    pub fn stuck(&mut self, b: &mut FunctionBuilder, id: ControlId, done: Place) {
        let lane = Lane { group: PASS_GROUP, bit: Vec::new(), filler_count: None, next: done };
        let control = &self.scope.circuit.controls[id];
        if self.block(b, &control.stuck, &lane) {
            self.goal.stuck(b);
            b.ins().jump(done, &[]);
        }
    }

    /// Translates statements outside of moves, which only ends and faults leave.
    pub fn main(&mut self, b: &mut FunctionBuilder, block: &StmtBlock) {
        let after = b.create_block();
        let lane = Lane { group: PASS_GROUP, bit: Vec::new(), filler_count: None, next: after };
        if self.block(b, block, &lane) {
            b.ins().jump(after, &[]);
        }
        b.switch_to_block(after);
    }

    /// Translates groups in order, and records in the flags whether a move or a pass was made.
    fn runs(&mut self, b: &mut FunctionBuilder, groups: &[GroupId], runs: &[GroupRun], flags: &MoveFlags) {
        for run in runs {
            match run {
                GroupRun::One(i) if self.scope.circuit.groups[groups[*i]].pass => {
                    self.group(b, groups[*i], &flags.passed)
                }
                GroupRun::One(i) => self.group(b, groups[*i], &flags.moved),
                GroupRun::Guarded(behind) => {
                    let (open, on) = (b.create_block(), b.create_block());
                    let shut = if behind.if_false.is_empty() { on } else { b.create_block() };
                    self.scope.branch(b, behind.gate, open, shut);
                    for (here, holds) in [(open, true), (shut, false)] {
                        if here == on {
                            continue;
                        }
                        b.switch_to_block(here);
                        let mark = self.scope.mark();
                        self.assume_gate(b, groups, behind, holds);
                        self.runs(b, groups, behind.runs_if(holds), flags);
                        self.scope.restore(mark);
                        b.ins().jump(on, &[]);
                    }
                    b.switch_to_block(on);
                }
            }
        }
    }

    /// Recomputes the values that depend on the condition of guarded groups, given its outcome, in the sets of the
    /// groups that may then have moves.
    pub fn assume_gate(
        &mut self,
        b: &mut FunctionBuilder,
        groups: &[GroupId],
        guarded: &GuardedGroups,
        holds: bool,
    ) {
        let circuit = self.scope.circuit;
        let gate = guarded.gate;
        let known = b.ins().iconst(I64, i64::from(holds));
        let known = truth_of_word(b, known);
        self.scope.bind(BindingKey::Value(gate), known);
        let sets =
            exclusive_groups::all(guarded.runs_if(holds)).into_iter().map(|i| circuit.groups[groups[i]].set);
        for value in exclusive_groups::dependent_values(circuit, gate, sets) {
            match circuit.values[value].op {
                _ if !self.scope.knows(value) || !self.scope.can_compute(value) => {}
                Op::Spread(of) if of == gate => {
                    let all = constant(b, if holds { !0 } else { 0 });
                    let all = vector(b, circuit.width(value), vec![all; words_of(circuit, value)]);
                    self.scope.bind(BindingKey::Value(value), all);
                }
                _ => self.scope.compute(b, value),
            }
        }
    }

    fn group(&mut self, b: &mut FunctionBuilder, id: GroupId, moved: &MovedFlag) {
        let group = &self.scope.circuit.groups[id];
        self.main(b, &group.lets);
        let set = self.scope.masked_words(b, group.set);
        let sure = always_yields(&group.body);
        if sure {
            moved.add(b, &set);
        }
        if self.goal.group(b, id, &set) {
            let moved = if sure { &MovedFlag { seen: None } } else { moved };
            self.lanes(b, id, &set, |turn, b, lane| {
                turn.body(b, &lane, |goal| RecordingGoal { goal, moved });
            });
        }
    }

    /// Translates the body of a group for a lane, with a goal made from this one.
    fn body<'g, H: KernelGoal>(
        &'g mut self,
        b: &mut FunctionBuilder,
        lane: &Lane,
        goal: impl FnOnce(&'g mut G) -> H,
    ) {
        let circuit = self.scope.circuit;
        let scope = std::mem::replace(&mut self.scope, JitScope::new(circuit, Vec::new()));
        let mut inner =
            TurnTranslator { scope, goal: &mut goal(self.goal), waits: None, moved_here: self.moved_here };
        if inner.block(b, &circuit.groups[lane.group].body, lane) {
            b.ins().jump(lane.next, &[]);
        }
        self.scope = inner.scope;
    }

    /// Computes a flag that a group yields, passes excluded. With `sets`, it tests only the lanes in them and stops at
    /// the first; without, it runs every lane that might fault.
    pub fn can_move(
        &mut self,
        b: &mut FunctionBuilder,
        id: ControlId,
        sets: Option<&[Vec<KnownWord>]>,
    ) -> Value {
        let control = &self.scope.circuit.controls[id];
        let moved = MovedFlag::new(b, true);
        let found = b.create_block();
        let mark = self.scope.mark();
        for (i, &id) in control.groups.iter().enumerate() {
            let group = &self.scope.circuit.groups[id];
            let faults = may_fault(&group.body) || may_fault(&group.setup);
            if group.pass && (sets.is_some() || !faults) {
                continue;
            }
            let set = match sets {
                Some(sets) => sets[i].clone(),
                None => {
                    self.main(b, &group.lets);
                    self.scope.masked_words(b, group.set)
                }
            };
            if always_yields(&group.body) && !faults {
                moved.add(b, &set);
                if sets.is_some() {
                    let on = b.create_block();
                    let any = or_all(b, &set);
                    b.ins().brif(any.value, found, &[], on, &[]);
                    b.switch_to_block(on);
                }
                continue;
            }
            let found = sets.is_some().then_some(found);
            let moved = if group.pass { &MovedFlag { seen: None } } else { &moved };
            self.lanes(b, id, &set, |turn, b, lane| {
                turn.body(b, &lane, |goal| ProbeGoal { goal, moved, found });
            });
        }
        self.scope.restore(mark);
        b.ins().jump(found, &[]);
        b.switch_to_block(found);
        moved.get(b)
    }

    /// Translates the statements of a block in order. Returns true if a path reaches its end.
    pub fn block(&mut self, b: &mut FunctionBuilder, block: &StmtBlock, lane: &Lane) -> bool {
        let (mut at, parts, guards) = (0, self.scope.parts.clone(), self.scope.guards.clone());
        while let Some(stmt) = block.stmts.get(at) {
            if let Some(parts) = &parts
                && let Some(end) = parts.call(b, &mut self.scope, block, at)
            {
                at = end;
                continue;
            }
            if let Some(run) = guards.get(block, at) {
                self.scope.run(b, &run.steps);
                at = run.end;
                continue;
            }
            at += 1;
            match stmt {
                Stmt::Let(value) => self.scope.compute(b, *value),
                Stmt::Fix(fix, block) => self.fix(b, *fix, block),
                Stmt::Over(over) => self.over(b, over, lane),
                Stmt::Require(holds) => {
                    let on = b.create_block();
                    self.scope.branch(b, *holds, on, lane.next);
                    b.switch_to_block(on);
                }
                Stmt::Fault(holds) => {
                    let (fault, on) = (b.create_block(), b.create_block());
                    b.set_cold_block(fault);
                    self.scope.branch(b, *holds, fault, on);
                    b.switch_to_block(fault);
                    self.goal.fault(b);
                    b.switch_to_block(on);
                }
                Stmt::Yield(after) => {
                    self.goal.child(b, &self.scope, lane, after);
                    return false;
                }
                Stmt::If(when, yes, no) => {
                    if !self.choice(b, *when, yes, no, lane) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn choice(
        &mut self,
        b: &mut FunctionBuilder,
        when: ValueId,
        yes: &StmtBlock,
        no: &StmtBlock,
        lane: &Lane,
    ) -> bool {
        let on = b.create_block();
        let yes_at = b.create_block();
        let no_at = if no.stmts.is_empty() { on } else { b.create_block() };
        self.scope.branch(b, when, yes_at, no_at);
        let mut reached = no.stmts.is_empty();
        for (block, at) in [(yes, yes_at), (no, no_at)] {
            if at != on {
                b.switch_to_block(at);
                let mark = self.scope.mark();
                if self.block(b, block, lane) {
                    b.ins().jump(on, &[]);
                    reached = true;
                }
                self.scope.restore(mark);
            }
        }
        if reached {
            b.switch_to_block(on);
        }
        reached
    }

    fn over(&mut self, b: &mut FunctionBuilder, over: &TerminalTest, lane: &Lane) {
        if over.dead_after_move && self.moved_here {
            return;
        }
        let (ends, on) = (b.create_block(), b.create_block());
        b.set_cold_block(ends);
        if lane.group != PASS_GROUP || !lane.bit.is_empty() {
            panic!("a move that ends the game without a position after it");
        }
        if !over.unless_stuck {
            self.scope.branch(b, over.when, ends, on);
            b.switch_to_block(ends);
            self.goal.over(b, &self.scope, over);
        } else if let Some(waits) = self.waits {
            self.scope.branch(b, over.when, ends, on);
            b.switch_to_block(ends);
            // Only the first pending end counts.
            let first = b.create_block();
            let waiting = b.use_var(waits);
            b.ins().brif(waiting, on, &[], first, &[]);
            b.switch_to_block(first);
            let yes = b.ins().iconst(I8, 1);
            b.def_var(waits, yes);
            self.goal.pending(b, &self.scope, over);
            b.ins().jump(on, &[]);
        } else {
            // A `stuck` block has no moves to wait for.
            b.ins().jump(on, &[]);
            b.switch_to_block(ends);
            b.ins().jump(on, &[]);
        }
        b.switch_to_block(on);
    }

    fn fix(&mut self, b: &mut FunctionBuilder, id: FixId, block: &StmtBlock) {
        let circuit = self.scope.circuit;
        let fix = &circuit.fixes[id];
        let (head, on) = (b.create_block(), b.create_block());
        let mut first: Vec<BlockArg> = Vec::new();
        let mut now: Vec<Vec<KnownWord>> = Vec::new();
        for &(_, start) in &fix.vars {
            let start = self.scope.masked_words(b, start);
            let Ty::Bits(width) = circuit.values[fix.vars[now.len()].0].ty else {
                panic!("{id} is of numbers")
            };
            first.extend(start.iter().map(|word| BlockArg::Value(word.value)));
            let words = (0..start.len()).map(|i| (b.append_block_param(head, I64), mask(width, i)));
            now.push(words.map(|(value, maybe)| KnownWord { value, maybe }).collect());
        }
        b.ins().jump(head, &first);
        b.switch_to_block(head);
        for ((&(var, _), words), i) in fix.vars.iter().zip(&now).zip(0..) {
            let Ty::Bits(width) = circuit.values[var].ty else { continue };
            let val = vector(b, width, words.clone());
            self.scope.bind(BindingKey::Value(var), val.clone());
            self.scope.bind(BindingKey::Fixed(id, i), val);
        }
        let mark = self.scope.mark();
        self.main(b, block);
        let next: Vec<KnownWord> =
            fix.next.iter().flat_map(|&next| self.scope.masked_words(b, next)).collect();
        self.scope.restore(mark);
        let both = now.iter().flatten().zip(&next);
        let changes: Vec<KnownWord> = both
            .map(|(now, next)| KnownWord { value: b.ins().bxor(now.value, next.value), maybe: now.maybe })
            .collect();
        let changed = or_all(b, &changes);
        let next: Vec<BlockArg> = next.iter().map(|word| BlockArg::Value(word.value)).collect();
        b.ins().brif(changed.value, head, &next, on, &[]);
        b.switch_to_block(on);
    }
}

/// The flags of a turn.
struct MoveFlags {
    /// The flag that a move was made that is no pass.
    moved: MovedFlag,
    /// The flag that a pass was made.
    passed: MovedFlag,
}

/// A flag that a move was made.
struct MovedFlag {
    /// A word that is 0 if no move was made; `None` if nobody reads the flag.
    seen: Option<Variable>,
}

impl MovedFlag {
    /// Creates the flag, unset.
    fn new(b: &mut FunctionBuilder, asked: bool) -> MovedFlag {
        let seen = asked.then(|| {
            let seen = b.declare_var(I64);
            let no = b.ins().iconst(I64, 0);
            b.def_var(seen, no);
            seen
        });
        MovedFlag { seen }
    }

    /// Sets the flag if this set is not empty, for groups whose lanes all yield.
    fn add(&self, b: &mut FunctionBuilder, set: &[KnownWord]) {
        if let Some(seen) = self.seen {
            let so_far = KnownWord { value: b.use_var(seen), maybe: !0 };
            let all = or_all(b, set);
            let all = or_all(b, &[all, so_far]);
            b.def_var(seen, all.value);
        }
    }

    /// Sets the flag.
    fn now(&self, b: &mut FunctionBuilder) {
        if let Some(seen) = self.seen {
            let yes = b.ins().iconst(I64, 1);
            b.def_var(seen, yes);
        }
    }

    /// Returns a word that is 0 if no move was made.
    fn get(&self, b: &mut FunctionBuilder) -> Value {
        match self.seen {
            Some(seen) => b.use_var(seen),
            None => b.ins().iconst(I64, 0),
        }
    }
}

/// A goal for moves that sets the flag and then calls another goal.
struct RecordingGoal<'a, G> {
    goal: &'a mut G,
    moved: &'a MovedFlag,
}

impl<G: KernelGoal> KernelGoal for RecordingGoal<'_, G> {
    fn over(&mut self, b: &mut FunctionBuilder, scope: &JitScope, over: &TerminalTest) {
        self.goal.over(b, scope, over);
    }
    fn over_pending(&mut self, b: &mut FunctionBuilder) {
        self.goal.over_pending(b);
    }
    fn child(&mut self, b: &mut FunctionBuilder, scope: &JitScope, lane: &Lane, after: &StateUpdate) {
        self.moved.now(b);
        self.goal.child(b, scope, lane, after);
    }
    fn fault(&mut self, b: &mut FunctionBuilder) {
        self.goal.fault(b);
    }
}

/// A goal that only tests whether there is a move.
struct ProbeGoal<'a, G> {
    goal: &'a mut G,
    moved: &'a MovedFlag,
    /// The block to jump to at the first move; `None` to run all lanes.
    found: Option<Place>,
}

impl<G: KernelGoal> KernelGoal for ProbeGoal<'_, G> {
    fn over(&mut self, b: &mut FunctionBuilder, scope: &JitScope, over: &TerminalTest) {
        self.goal.over(b, scope, over);
    }
    fn over_pending(&mut self, b: &mut FunctionBuilder) {
        self.goal.over_pending(b);
    }
    fn child(&mut self, b: &mut FunctionBuilder, _: &JitScope, lane: &Lane, _: &StateUpdate) {
        self.moved.now(b);
        b.ins().jump(self.found.unwrap_or(lane.next), &[]);
    }
    fn fault(&mut self, b: &mut FunctionBuilder) {
        self.goal.fault(b);
    }
}
