//! Guarded runs: computations that give nothing while a set is empty, behind one branch on that set. Where no piece can
//! capture, no chain of captures needs to be computed; where there are no kings, none of their moves.
//!
//! Technique: if a value (the gate) is empty, constant propagation finds the values that are then empty as well, or
//! equal to others. They form a region, together with the values that only the region uses. The branch computes the
//! region if the gate is not empty; otherwise the known values take its place. Gates are chosen greedily by the work
//! that they save in an [`EmptinessProfile`], and again within the regions and around them.
//! Cost: for each candidate, one visit of each value that depends on it.
//! Not covered: runs within moves, which mostly compute something.
//!
//! *Invariant:* a region reads no value that depends on it from outside, so that the values around it can be computed
//! before it or after it. With or without guards, every value that is read later is the same.

use std::collections::BTreeSet;
use std::sync::Arc;

use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types::I64};
use cranelift_frontend::FunctionBuilder;
use rustc_hash::{FxHashMap, FxHashSet};

use super::GuardOptions;
use super::outlining::{PartStart, place};
use super::translate::words_of;
use super::values::{BindingKey, JitScope, JitValue, KnownWord, constant, or_all, truth_of_word};
use crate::emptiness::{EmptinessProfile, blocks_outside_moves};
use bouton_base::id::IdVec;
use bouton_circuit::schedule::each_use;
use bouton_circuit::{Circuit, Control, Op, Stmt, StmtBlock, Ty, ValueId};

/// The number of values that depend on a region from outside at which its gate is given up: so many, and a multiple of
/// the values of the region.
const MAX_LATE_VALUES: usize = 64;
const LATE_RATIO: usize = 4;
/// The maximal number of visits of values in the search for guards of a circuit.
const MAX_VISITS: usize = 1_000_000;

/// The guarded runs of a circuit.
#[derive(Default)]
pub(super) struct GuardedRuns {
    runs: FxHashMap<PartStart, GuardedRun>,
}

/// A run of computations with guards.
pub(super) struct GuardedRun {
    /// The index of the statement after the run.
    pub end: usize,
    pub steps: Vec<RunStep>,
}

/// A step of a guarded run.
pub(super) enum RunStep {
    Compute(ValueId),
    Guarded(GuardedRegion),
}

/// Computations that run only if a gate is not empty.
pub(super) struct GuardedRegion {
    pub gate: ValueId,
    pub steps: Vec<RunStep>,
    /// The values of the region that are read outside, with their replacements if the gate is empty.
    pub outputs: Vec<(ValueId, Replacement)>,
}

/// The known content of a value while a gate is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Replacement {
    /// No bit, or the number 0.
    Zero,
    /// A truth value that holds.
    True,
    /// The same as another value, computed before.
    Same(ValueId),
}

impl GuardedRuns {
    /// Finds the guards of a circuit. Plays random games only if it has a run that is long enough.
    pub fn of(circuit: &Arc<Circuit>, options: GuardOptions) -> GuardedRuns {
        let mut runs = FxHashMap::default();
        let mut profile = None;
        let mut visits = MAX_VISITS;
        for control in circuit.controls.iter() {
            let blocks = blocks_outside_moves(circuit, control);
            let found: Vec<(PartStart, Run)> =
                blocks.flat_map(|block| long_runs(circuit, block, options.min_run_words)).collect();
            if found.is_empty() {
                continue;
            }
            let profile = profile.get_or_insert_with(|| EmptinessProfile::measure(circuit));
            let uses = ValueUses::of(circuit, control);
            for (start, run) in found {
                let mut finder = GuardFinder {
                    circuit,
                    options,
                    profile,
                    uses: &uses,
                    visits,
                    poor: FxHashSet::default(),
                };
                let steps = finder.arrange(run.values);
                visits = finder.visits;
                if steps.iter().any(|step| matches!(step, RunStep::Guarded(_))) {
                    runs.insert(start, GuardedRun { end: run.end, steps });
                }
            }
        }
        GuardedRuns { runs }
    }

    /// Returns the run that begins at the statement `at` of a block.
    pub fn get(&self, block: &StmtBlock, at: usize) -> Option<&GuardedRun> {
        if self.runs.is_empty() { None } else { self.runs.get(&place(block, at)) }
    }
}

/// Computations in a row.
struct Run {
    values: Vec<ValueId>,
    /// The index of the statement after them.
    end: usize,
}

/// Returns the runs of a block that compute at least so many words.
fn long_runs(circuit: &Circuit, block: &StmtBlock, least: usize) -> Vec<(PartStart, Run)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < block.stmts.len() {
        let lets = block.stmts[at..].iter().map_while(|stmt| match stmt {
            Stmt::Let(value) => Some(*value),
            _ => None,
        });
        let values: Vec<ValueId> = lets.collect();
        let end = at + values.len();
        if values.iter().map(|&value| words_of(circuit, value)).sum::<usize>() >= least.max(1) {
            found.push((place(block, at), Run { values, end }));
        }
        at = end.max(at + 1);
    }
    found
}

/// The uses of values in a control.
struct ValueUses {
    /// For each value, the computed values that read it.
    readers: IdVec<ValueId, Vec<ValueId>>,
    /// The values that statements read.
    asked: FxHashSet<ValueId>,
}

impl ValueUses {
    fn of(circuit: &Circuit, control: &Control) -> ValueUses {
        let mut uses = ValueUses {
            readers: circuit.values.iter().map(|_| Vec::new()).collect(),
            asked: FxHashSet::default(),
        };
        let mut computed = FxHashSet::default();
        uses.add(circuit, &control.before, &mut computed);
        uses.add(circuit, &control.stuck, &mut computed);
        for group in control.groups.iter().map(|&group| &circuit.groups[group]) {
            uses.asked.insert(group.set);
            for block in [&group.lets, &group.setup, &group.body] {
                uses.add(circuit, block, &mut computed);
            }
        }
        for value in computed {
            circuit.values[value].op.each_operand(|operand| uses.readers[operand].push(value));
        }
        uses
    }

    /// Adds what a block reads, and the values that it computes.
    fn add(&mut self, circuit: &Circuit, block: &StmtBlock, computed: &mut FxHashSet<ValueId>) {
        for stmt in &block.stmts {
            each_use(stmt, &mut |value| {
                self.asked.insert(value);
            });
            match stmt {
                Stmt::Let(value) => {
                    computed.insert(*value);
                }
                Stmt::Fix(fix, inner) => {
                    let fix = &circuit.fixes[*fix];
                    self.asked
                        .extend(fix.vars.iter().map(|&(_, first)| first).chain(fix.next.iter().copied()));
                    self.add(circuit, inner, computed);
                }
                Stmt::If(_, yes, no) => {
                    [yes, no].into_iter().for_each(|block| self.add(circuit, block, computed))
                }
                _ => {}
            }
        }
    }
}

/// The search for guards in one run.
struct GuardFinder<'a> {
    circuit: &'a Circuit,
    options: GuardOptions,
    profile: &'a EmptinessProfile,
    uses: &'a ValueUses,
    /// The number of visits that are still allowed.
    visits: usize,
    /// The gates that saved too little in a longer run: they are not tried again in parts of it.
    poor: FxHashSet<ValueId>,
}

/// The values that a gate guards.
struct Region {
    /// The members, by their index in the run, with their replacements; `None` for those that only the region reads.
    members: FxHashMap<usize, Option<Replacement>>,
    /// The values of the run that depend on members without being members.
    late: FxHashSet<usize>,
    saved: f64,
}

impl GuardFinder<'_> {
    /// Arranges computations in an order in which operands come first, with the best guards.
    fn arrange(&mut self, run: Vec<ValueId>) -> Vec<RunStep> {
        let Some((gate, region)) = self.best(&run) else {
            return run.into_iter().map(RunStep::Compute).collect();
        };
        let (mut before, mut inside, mut after) = (Vec::new(), Vec::new(), Vec::new());
        let mut outputs = Vec::new();
        let inner: FxHashSet<ValueId> = region.members.keys().map(|&at| run[at]).collect();
        for (at, &value) in run.iter().enumerate() {
            if let Some(replacement) = region.members.get(&at) {
                inside.push(value);
                if let Some(replacement) = replacement
                    && self.is_read_outside(value, &inner)
                {
                    outputs.push((value, *replacement));
                }
            } else if region.late.contains(&at) {
                after.push(value);
            } else {
                before.push(value);
            }
        }
        let mut steps = self.arrange(before);
        let inside = self.arrange(inside);
        steps.push(RunStep::Guarded(GuardedRegion { gate, steps: inside, outputs }));
        steps.extend(self.arrange(after));
        steps
    }

    fn is_read_outside(&self, value: ValueId, inner: &FxHashSet<ValueId>) -> bool {
        self.uses.asked.contains(&value)
            || self.uses.readers[value].iter().any(|reader| !inner.contains(reader))
    }

    /// Returns the gate of a run that saves most, with its region; `None` if none saves enough.
    fn best(&mut self, run: &[ValueId]) -> Option<(ValueId, Region)> {
        let total: usize = run.iter().map(|&value| words_of(self.circuit, value)).sum();
        if (total as f64) < self.options.min_saved_words {
            return None;
        }
        let places: FxHashMap<ValueId, usize> =
            run.iter().enumerate().map(|(at, &value)| (value, at)).collect();
        let mut best: Option<(ValueId, Region)> = None;
        for (at, &gate) in run.iter().enumerate() {
            let share = self.profile.share(gate);
            if share < self.options.min_empty_share
                || matches!(self.circuit.values[gate].ty, Ty::Int)
                || self.poor.contains(&gate)
            {
                continue;
            }
            if self.visits == 0 {
                break;
            }
            // What equals another value while the gate is empty may stay outside: what reads it can then be a member.
            let [a, b] = [true, false].map(|equal| self.region(run, &places, at, equal));
            let region = if b.saved > a.saved { b } else { a };
            if region.saved < self.options.min_saved_words {
                self.poor.insert(gate);
            } else if !region.members.is_empty()
                && best.as_ref().is_none_or(|(_, before)| region.saved > before.saved)
            {
                best = Some((gate, region));
            }
        }
        best
    }

    /// Returns the region of the gate at this place of a run, with or without the values that equal others.
    fn region(
        &mut self,
        run: &[ValueId],
        places: &FxHashMap<ValueId, usize>,
        gate: usize,
        equal: bool,
    ) -> Region {
        let mut region = Region { members: FxHashMap::default(), late: FxHashSet::default(), saved: 0.0 };
        // Values that replace members are needed whether or not the gate is empty.
        let mut kept: FxHashSet<ValueId> = FxHashSet::from_iter([run[gate]]);
        let mut ahead: BTreeSet<usize> = BTreeSet::new();
        self.add_readers(run[gate], places, gate, &mut ahead);
        while let Some(at) = ahead.pop_first() {
            self.visits = self.visits.saturating_sub(1);
            let value = run[at];
            let replacement = self
                .replacement(value, run[gate], &region, places)
                .filter(|replacement| equal || !matches!(replacement, Replacement::Same(_)));
            let reads_late =
                self.reads(value, |operand| places.get(&operand).is_some_and(|at| region.late.contains(at)));
            let reads_member = self.reads(value, |operand| {
                places.get(&operand).is_some_and(|at| region.members.contains_key(at))
            });
            match replacement {
                Some(replacement) if !reads_late && self.stands_before(replacement, &region, places) => {
                    if let Replacement::Same(other) = replacement {
                        kept.insert(other);
                    }
                    region.members.insert(at, Some(replacement));
                }
                _ if reads_late || reads_member => {
                    region.late.insert(at);
                    if region.late.len() > MAX_LATE_VALUES + LATE_RATIO * region.members.len() {
                        return Region {
                            members: FxHashMap::default(),
                            late: FxHashSet::default(),
                            saved: 0.0,
                        };
                    }
                }
                // It reads only the gate itself, and says nothing if that is empty.
                _ => continue,
            }
            self.add_readers(value, places, gate, &mut ahead);
        }
        self.add_private(run, places, &kept, &mut region);
        let words = |at: &usize| words_of(self.circuit, run[*at]) as f64;
        let work: f64 = region.members.keys().map(words).sum();
        let inner: FxHashSet<ValueId> = region.members.keys().map(|&at| run[at]).collect();
        let outputs = region.members.keys().filter(|&&at| self.is_read_outside(run[at], &inner)).count();
        let share = self.profile.share(run[gate]);
        // A branch that often goes either way costs about as much as some operations.
        region.saved = share * work - outputs as f64 / 2.0 - 32.0 * share * (1.0 - share);
        region
    }

    /// Returns true if a condition holds of an operand of a value.
    fn reads(&self, value: ValueId, mut holds: impl FnMut(ValueId) -> bool) -> bool {
        let mut any = false;
        self.circuit.values[value].op.each_operand(|operand| any |= holds(operand));
        any
    }

    /// Adds the places of the values of the run that read this one.
    fn add_readers(
        &self,
        value: ValueId,
        places: &FxHashMap<ValueId, usize>,
        gate: usize,
        ahead: &mut BTreeSet<usize>,
    ) {
        let readers = self.uses.readers[value].iter().filter_map(|reader| places.get(reader));
        ahead.extend(readers.copied().filter(|&at| at > gate));
    }

    /// Returns true if a replacement can be computed before the region.
    fn stands_before(&self, of: Replacement, region: &Region, places: &FxHashMap<ValueId, usize>) -> bool {
        let Replacement::Same(other) = of else { return true };
        places.get(&other).is_none_or(|at| !region.members.contains_key(at) && !region.late.contains(at))
    }

    /// Adds the values that only members read, and that replace none.
    fn add_private(
        &mut self,
        run: &[ValueId],
        places: &FxHashMap<ValueId, usize>,
        kept: &FxHashSet<ValueId>,
        region: &mut Region,
    ) {
        let mut ahead = BTreeSet::new();
        let add_operands = |value: ValueId, ahead: &mut BTreeSet<usize>| {
            self.circuit.values[value].op.each_operand(|operand| ahead.extend(places.get(&operand)));
        };
        region.members.keys().for_each(|&at| add_operands(run[at], &mut ahead));
        let mut inner: FxHashSet<ValueId> = region.members.keys().map(|&at| run[at]).collect();
        let mut visits = 0;
        while let Some(at) = ahead.pop_last() {
            visits += 1;
            let value = run[at];
            if inner.contains(&value) || kept.contains(&value) || region.late.contains(&at) {
                continue;
            }
            if !self.is_read_outside(value, &inner) {
                inner.insert(value);
                region.members.insert(at, None);
                add_operands(value, &mut ahead);
            }
        }
        self.visits = self.visits.saturating_sub(visits);
    }

    /// Returns what replaces a value if the gate is empty; `None` if nothing is known.
    fn replacement(
        &self,
        value: ValueId,
        gate: ValueId,
        region: &Region,
        places: &FxHashMap<ValueId, usize>,
    ) -> Option<Replacement> {
        use Replacement::{Same, True, Zero};
        let node = &self.circuit.values[value];
        let truth = node.ty == Ty::TRUTH;
        let known = |operand: ValueId| {
            if operand == gate {
                return Zero;
            }
            let member = places.get(&operand).and_then(|at| region.members.get(at));
            member.copied().flatten().unwrap_or(Same(operand))
        };
        let is_zero = |operand: ValueId| known(operand) == Zero;
        match node.op {
            Op::And(a, b) => match (known(a), known(b)) {
                (Zero, _) | (_, Zero) => Some(Zero),
                (True, other) | (other, True) if truth => Some(other),
                _ => None,
            },
            Op::AndNot(a, b) => match (known(a), known(b)) {
                (Zero, _) => Some(Zero),
                (_, True) if truth => Some(Zero),
                (other, Zero) => Some(other),
                _ => None,
            },
            Op::Or(a, b) => match (known(a), known(b)) {
                (Zero, other) | (other, Zero) => Some(other),
                (True, _) | (_, True) if truth => Some(True),
                _ => None,
            },
            Op::Xor(a, b) | Op::Add(a, b) => match (known(a), known(b)) {
                (Zero, other) | (other, Zero) => Some(other),
                _ => None,
            },
            Op::Sub(a, b) if is_zero(b) => Some(known(a)),
            Op::Mul(a, b) if is_zero(a) || is_zero(b) => Some(Zero),
            Op::Not(a) if truth => match known(a) {
                Zero => Some(True),
                True => Some(Zero),
                Same(_) => None,
            },
            Op::Shift(a, _)
            | Op::Resize(a)
            | Op::Spread(a)
            | Op::Any(a)
            | Op::Count(a)
            | Op::Lowest(a)
            | Op::Highest(a)
            | Op::Pack(a)
            | Op::Unpack(a)
                if is_zero(a) =>
            {
                Some(Zero)
            }
            Op::Select(choice, a, b) => match (known(choice), known(a), known(b)) {
                (Zero, _, other) | (True, other, _) => Some(other),
                (_, Zero, Zero) => Some(Zero),
                _ => None,
            },
            _ => None,
        }
    }
}

impl JitScope<'_> {
    /// Computes the values of a guarded run, except those that only a region reads.
    pub fn run(&mut self, b: &mut FunctionBuilder, steps: &[RunStep]) {
        for step in steps {
            match step {
                RunStep::Compute(value) => self.compute(b, *value),
                RunStep::Guarded(region) => self.guarded(b, region),
            }
        }
    }

    fn guarded(&mut self, b: &mut FunctionBuilder, region: &GuardedRegion) {
        let (open, shut, on) = (b.create_block(), b.create_block(), b.create_block());
        let gate = self.masked_words(b, region.gate);
        let gate = or_all(b, &gate);
        b.ins().brif(gate.value, open, &[], shut, &[]);
        b.switch_to_block(open);
        let mark = self.mark();
        self.run(b, &region.steps);
        let computed: Vec<JitValue> = region.outputs.iter().map(|&(value, _)| self.get(b, value)).collect();
        let args: Vec<BlockArg> =
            computed.iter().flat_map(words_of_value).map(|word| word.value.into()).collect();
        b.ins().jump(on, &args);
        self.restore(mark);
        b.switch_to_block(shut);
        let mut known = Vec::new();
        for ((_, replacement), computed) in region.outputs.iter().zip(&computed) {
            known.push(match replacement {
                Replacement::Same(other) => words_of_value(&self.get(b, *other)),
                Replacement::True => vec![constant(b, 1)],
                Replacement::Zero => words_of_value(computed).iter().map(|_| constant(b, 0)).collect(),
            });
        }
        let args: Vec<BlockArg> = known.iter().flatten().map(|word| word.value.into()).collect();
        b.ins().jump(on, &args);
        let params: Vec<Vec<Value>> =
            known.iter().map(|words| words.iter().map(|_| b.append_block_param(on, I64)).collect()).collect();
        b.switch_to_block(on);
        for (i, &(value, _)) in region.outputs.iter().enumerate() {
            let joined = joined(b, (&computed[i], &known[i]), &params[i]);
            self.bind(BindingKey::Value(value), joined);
        }
    }
}

/// Returns the value that these words are after the branch, given what is known of both ways.
fn joined(b: &mut FunctionBuilder, ways: (&JitValue, &[KnownWord]), words: &[Value]) -> JitValue {
    match ways.0 {
        JitValue::Int(_) => JitValue::Int(words[0]),
        JitValue::Truth { .. } => truth_of_word(b, words[0]),
        JitValue::Vector(computed) => {
            let either = computed.iter().zip(ways.1).map(|(x, y)| x.maybe | y.maybe);
            let words = words.iter().zip(either);
            JitValue::Vector(words.map(|(&value, maybe)| KnownWord { value, maybe }).collect())
        }
    }
}

/// Returns the words of a value, as they are computed.
fn words_of_value(value: &JitValue) -> Vec<KnownWord> {
    match value {
        JitValue::Int(value) => vec![KnownWord { value: *value, maybe: !0 }],
        JitValue::Truth { word, .. } => vec![KnownWord { value: *word, maybe: 1 }],
        JitValue::Vector(words) => words.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouton_base::id::Id;
    use bouton_circuit::parse::parse;

    /// Men `v0` step up and, if there are kings `v1`, kings step down; `v10` is read by nothing.
    const PLAY: &str = "\
words 1
slot s0 \"men\" 0:0 bits<8> 0xff
slot s1 \"kings\" 0:8 bits<8> 0xff

v0: bits<8> = slot s0
v1: bits<8> = slot s1
v2: bits<8> = or v0, v1
v3: bits<8> = not v2
v4: bits<8> = shift v3, -1
v5: bits<8> = and v0, v4
v6: bits<8> = shift v3, 1
v7: bits<8> = and v1, v6
v8: bits<8> = or v5, v7
v9: bits<1> = any v7
v10: bits<1> = not v9
v11: bits<8> = and_not v5, v1
v12: bits<8> = param 0

control k0 \"turn\" mover 0 {
  before {
    let v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
    if v9 { over v9 ending 0 }
  }
  group g0 {
    set v8 bit v12
    body { yield k0 with s0 = v11, s1 = v7 }
  }
}

initial k0 0x1
";

    /// Prints steps: the values in order, and each region as `gate ? [steps] : outputs`.
    fn shown(steps: &[RunStep]) -> String {
        let of = |step: &RunStep| match step {
            RunStep::Compute(value) => value.to_string(),
            RunStep::Guarded(GuardedRegion { gate, steps, outputs }) => {
                format!("{gate} ? [{}] : {outputs:?}", shown(steps))
            }
        };
        steps.iter().map(of).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_needs_kings_stands_behind_a_guard() {
        let circuit = Arc::new(parse(PLAY).expect("a circuit"));
        let block = &circuit.controls[bouton_circuit::ControlId::new(0)].before;
        let options = GuardOptions { min_run_words: 1, min_empty_share: 1.0, min_saved_words: 2.0 };
        let guards = GuardedRuns::of(&circuit, options);
        let run = guards.get(block, 0).expect("a run");
        assert_eq!(run.end, 12);
        assert_eq!(
            shown(&run.steps),
            "v0 v1 v2 v3 v4 v5 v11 v1 ? [v6 v7 v9 v10] : [(v7, Zero), (v9, Zero)] v8"
        );
        assert!(guards.get(block, 1).is_none(), "a run begins at its first value");
        let none = GuardOptions { min_saved_words: 20.0, ..options };
        assert!(GuardedRuns::of(&circuit, none).get(block, 0).is_none(), "too little is saved");
    }
}
