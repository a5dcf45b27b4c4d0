//! State enumeration: all positions that satisfy the invariants of the rules, reachable or not, as the start of endgame
//! tables.
//!
//! Technique: backtracking over the cells of the state. Invariants that count cells (`(count c in Cell: at[c] = X) =
//! 1`, also with `no`, `some`, `all`, `#{ }` and inequalities) bound the search: an assignment is pruned once a count
//! can no longer be met. Parts of invariants that read one cell alone restrict its domain. A circuit tests each
//! complete assignment: its only ends are the parts of the invariants, cheapest first, so the order in the rules does
//! not matter.
//! Source: bounds of counts are the propagation of cardinality constraints, Régin, "Generalized arc consistency for
//! global cardinality constraint" (1996), in its simplest form.
//! Cost: if all restrictive invariants are counts, about one step for each cell of each position.
//! With symmetry reduction, the result holds only representatives, and the enumeration checks that the invariants hold
//! for all positions of an orbit, or for none.
//! Invariant: a count only prunes; every position of the result was tested against every invariant.

mod counts;

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::game::canonical::Canonicalizer;
use crate::game::keys::KeyShape;
use crate::game::reachable_set::{Expander, PositionMark, ReachabilitySearch, ReachableSet, StartReceiver};
use crate::game::{Backend, CompiledMachine, Game, Machine, State};
use bouton_backend::{PositionRef, Status};
use bouton_base::limits::{LimitHit, Limits};
use bouton_certificates::Digest;
use bouton_circuit::ControlId;
use bouton_rules::{
    Binder, Block, Domain, Effect, EffectOp, EndRule, Expr, ExprKind, FieldId, MOVER, OutcomeExpr, PHASE,
    Pattern, Quant, Rules, Stmt, StmtKind, Type, Value, VarId, Vars, keys_of,
};

use counts::{CountContributions, counts, derive_remainder};

/// The maximal number of values of a cell for enumeration.
const MAX_CELL_VALUES: usize = 1 << 12;
/// The cost estimate of a loop over a set that is not constant.
const NONCONSTANT_LOOP_COST: u64 = 64;
/// The number of assignments between two checks of the limits.
const POLL_INTERVAL: u64 = 1 << 12;
/// The minimal number of tasks, if there are as many.
const MIN_TASKS: usize = 1 << 11;

/// The reason why there is no universe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EnumerationError {
    /// The reason, in one sentence.
    Reason(String),
    Limit(LimitHit),
    /// The invariants hold for some but not all positions of an orbit.
    Asymmetric,
    /// The callback at a barrier stopped the enumeration.
    Stopped,
}

/// The progress of the enumeration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EnumerationProgress {
    /// The hash of the task list: a checkpoint is valid only for the same list.
    of: String,
    /// The number of completed tasks.
    tasks: usize,
    /// The number of positions that satisfied the invariants.
    held: u64,
    /// The sum of the orbit sizes of the representatives.
    stood_for: u64,
}

/// The callback at a barrier, while all threads are at rest; `Break` stops the enumeration.
pub type EnumerationCallback<'r, M> =
    dyn FnMut(&ReachableSet<M>, &EnumerationProgress) -> ControlFlow<()> + 'r;

fn no<T>(reason: impl Into<String>) -> Result<T, EnumerationError> {
    Err(EnumerationError::Reason(reason.into()))
}

/// A cell of the state with several values, and the bits of each value in the words.
struct Cell {
    bits: Vec<Vec<u64>>,
    /// By value, its contributions to the counts.
    adds: Vec<Vec<u32>>,
}

/// A count that an invariant bounds.
struct CardinalityBound {
    low: u32,
    high: u32,
    /// By cell: the maximal and the minimal further contribution of the cells from it on.
    most: Vec<u32>,
    least: Vec<u32>,
}

impl From<LimitHit> for EnumerationError {
    fn from(hit: LimitHit) -> EnumerationError {
        EnumerationError::Limit(hit)
    }
}

/// The enumeration problem.
struct StateEnumeration<'a> {
    machine: &'a CompiledMachine,
    /// The circuit whose only ends are the invariants; then pairs of the machine's controls and the filter's.
    filter: &'a CompiledMachine,
    controls: Vec<(ControlId, ControlId)>,
    /// The number of parts of the invariants; the ending with this index says that all hold.
    parts: usize,
    cells: Vec<Cell>,
    counts: Vec<CardinalityBound>,
    /// The words without the bits of any cell.
    words: Vec<u64>,
    limits: &'a Limits,
    /// The canonicalization of positions, with symmetry reduction.
    canonical: Option<&'a Canonicalizer>,
}

/// A partial assignment: values of the first cells.
struct PartialAssignment<'s> {
    search: &'s StateEnumeration<'s>,
    words: Vec<u64>,
    /// The index of the value of each assigned cell.
    values: Vec<usize>,
    /// Their contributions to each count.
    sums: Vec<u32>,
    tried: u64,
    /// The words of the canonical representative of the assignment.
    least: Vec<u64>,
    /// A buffer for moves that stays empty, since the filter always ends.
    none: Vec<u64>,
    /// The number of positions that satisfied the invariants.
    kept: u64,
    /// The sum of the orbit sizes of the representatives.
    stood_for: u64,
}

/// Prepares a gathering that begins with every position that satisfies the invariants; resumes from an earlier part.
pub fn begin<'e, M: PositionMark>(
    game: &Game,
    expander: &'e Expander,
    so_far: Option<(ReachableSet<M>, EnumerationProgress)>,
    limits: &Limits,
    at_rest: &mut EnumerationCallback<'_, M>,
) -> Result<ReachabilitySearch<'e, M>, EnumerationError> {
    let Some(machine) = game.compiled() else { return no("the rules are not compiled") };
    let parts = parts(&game.rules);
    let filter = filter(&game.rules, &parts, game.backend(), limits);
    let Some(filter) = filter.compiled() else {
        return match limits.check() {
            Some(hit) => Err(EnumerationError::Limit(hit)),
            None => no("the invariants are not compiled"),
        };
    };
    let of = |control: ControlId| {
        let turn = machine.lowered().turns[control.0 as usize];
        let same = filter.lowered().turns.iter().position(|other| *other == turn)?;
        Some((control, ControlId(same as u32)))
    };
    let controls = machine.runner().circuit().controls.ids().map(of).collect::<Option<Vec<_>>>();
    let Some(controls) = controls else { return no("the invariants are not compiled for every turn") };
    let (mut cells, words, mut places) = cells(&game.rules, machine)?;
    restrict_domains(machine, &parts, limits, &mut cells, &mut places)?;
    let counts = counts(machine, &places, limits)?;
    let mut search = StateEnumeration {
        machine,
        filter,
        controls,
        parts: parts.len(),
        counts: Vec::new(),
        cells,
        words,
        limits,
        canonical: expander.canonical(),
    };
    search.put_counts(counts);
    let tasks = search.tasks();
    let bits: Vec<_> = search.cells.iter().map(|cell| &cell.bits).collect();
    let of = Digest::of(format!("{tasks:?} {:?} {bits:?}", search.words).as_bytes()).to_string();
    let (mut gathering, mut listed) = match so_far {
        None => {
            let listed = EnumerationProgress { of, tasks: 0, held: 0, stood_for: 0 };
            (ReachabilitySearch::new(expander, Some(search.shape())), listed)
        }
        Some((closure, listed)) if listed.of == of => {
            (ReachabilitySearch::resume(expander, closure, None), listed)
        }
        Some(_) => return no("the list was begun in another order: remove the table and solve anew"),
    };
    let give = |task: usize, first: &mut StartReceiver<'_>| {
        let mut assigned = PartialAssignment::new(&search);
        tasks[task].iter().for_each(|&value| assigned.push(value));
        assigned.go_on(search.cells.len(), &mut |assigned| assigned.keep(first))?;
        Ok((assigned.kept, assigned.stood_for))
    };
    gathering.add_starts(listed.tasks..tasks.len(), limits, give, |closure, found| {
        listed.tasks += found.len();
        for (held, stood_for) in found {
            listed.held += held;
            listed.stood_for += stood_for;
        }
        let goes_on = listed.tasks == tasks.len() || at_rest(closure, &listed).is_continue();
        if goes_on { Ok(()) } else { Err(EnumerationError::Stopped) }
    })?;
    // The representative of each enumerated position is in the set, too. If the orbit sizes add up to the number of
    // positions, the set consists of full orbits.
    let alike = search.canonical.is_none() || listed.stood_for == listed.held;
    if alike { Ok(gathering) } else { Err(EnumerationError::Asymmetric) }
}

/// A part of an invariant, with the variables of the invariant.
type InvariantPart<'r> = (&'r Vars, Expr);

/// Returns the conjuncts of the invariants, with each `all` over single cells instantiated, cheapest first.
fn parts(rules: &Rules) -> Vec<InvariantPart<'_>> {
    fn split<'r>(rules: &Rules, vars: &'r Vars, formula: &Expr, parts: &mut Vec<InvariantPart<'r>>) {
        if let ExprKind::And(both) = &*formula.kind {
            both.iter().for_each(|part| split(rules, vars, part, parts));
        } else if let Some(each) =
            instances(formula).filter(|each| each.iter().all(|one| cell_of(rules, one).is_some()))
        {
            parts.extend(each.into_iter().map(|one| (vars, one)));
        } else {
            parts.push((vars, formula.clone()));
        }
    }
    let mut parts = Vec::new();
    rules.invariants.iter().for_each(|invariant| split(rules, &invariant.vars, &invariant.value, &mut parts));
    parts.sort_by_key(|(_, formula)| cost(formula));
    parts
}

/// Returns the instances of an `all` over a constant domain.
fn instances(formula: &Expr) -> Option<Vec<Expr>> {
    let ExprKind::Quant(Quant::All, binders, body) = &*formula.kind else { return None };
    let [Binder { pattern, domain: Domain::Fixed(all), condition: None }] = binders.as_slice() else {
        return None;
    };
    let one = |value: &Value| {
        let value = Expr::new(ExprKind::Const(value.clone()), Type::Error, body.span);
        Expr::new(ExprKind::Let(pattern.clone(), value, body.clone()), Type::Bool, body.span)
    };
    Some(all.iter().map(one).collect())
}

/// Estimates the cost of a test of a formula: one step for each of its parts, times the sizes of the loops around it.
fn cost(formula: &Expr) -> u64 {
    let mut inner = 0u64;
    formula.each_part(&mut |part| inner = inner.saturating_add(cost(part)));
    match &*formula.kind {
        ExprKind::Quant(_, binders, _) | ExprKind::Fold(_, binders, _) | ExprKind::Collect(binders, _) => {
            let of = |domain: &Domain| {
                if let Domain::Fixed(all) = domain { all.len() as u64 } else { NONCONSTANT_LOOP_COST }
            };
            binders.iter().fold(inner, |cost, binder| cost.saturating_mul(of(&binder.domain)))
        }
        ExprKind::Call(..) | ExprKind::Flood(..) => {
            inner.saturating_add(NONCONSTANT_LOOP_COST * NONCONSTANT_LOOP_COST)
        }
        ExprKind::Stuck | ExprKind::StuckPlayer(_) => {
            inner.saturating_add(NONCONSTANT_LOOP_COST * NONCONSTANT_LOOP_COST * NONCONSTANT_LOOP_COST)
        }
        _ => inner.saturating_add(1),
    }
}

/// Returns rules with other ends: one for each violated part of an invariant, and a last one for all parts satisfied.
fn filter(rules: &Rules, parts: &[InvariantPart<'_>], backend: Backend, limits: &Limits) -> Game {
    let mut rules = rules.clone();
    let end = |vars, condition: Expr| EndRule {
        span: condition.span,
        vars,
        binder: None,
        condition,
        outcome: OutcomeExpr::Draw,
    };
    let broken = parts.iter().map(|(vars, part)| {
        let Expr { ty, span, .. } = part;
        end((*vars).clone(), Expr::new(ExprKind::Not(part.clone()), ty.clone(), *span))
    });
    let span = rules.fields[MOVER].span;
    let sound = Expr::new(ExprKind::Const(Value::Bool(true)), Type::Bool, span);
    rules.ends = broken.chain([end(Default::default(), sound)]).collect();
    // Passes that assume reachability do not apply: these positions are arbitrary.
    Game::on_backend(rules, backend, &["constants".into(), "settled".into()], limits)
}

/// The field, the cell and the values of each assigned cell.
type CellDomains = Vec<(FieldId, usize, Vec<Value>)>;

/// Returns the cells with several values, and the words without any of their bits.
fn cells(
    rules: &Rules,
    machine: &CompiledMachine,
) -> Result<(Vec<Cell>, Vec<u64>, CellDomains), EnumerationError> {
    let of = |field: FieldId| rules.type_values(&rules.fields[field].ty, MAX_CELL_VALUES);
    let mut first = Vec::new();
    for (id, field) in rules.fields.entries() {
        let Some(values) = of(id).filter(|values| !values.is_empty()) else {
            return no(format!("`{}` has too many values to enumerate", field.name));
        };
        first.push(values[0].clone());
    }
    let state = &machine.lowered().state;
    let write = |at: Option<(FieldId, usize, &Value)>| {
        state.write(&|field, cell| match at {
            Some((f, c, value)) if (f, c) == (field, cell) => value.clone(),
            _ => first[field.0 as usize].clone(),
        })
    };
    let base = write(None);
    let (mut cells, mut places, mut free) = (Vec::new(), Vec::new(), base.clone());
    for (id, field) in rules.fields.entries().filter(|(id, _)| *id != MOVER && *id != PHASE) {
        let values = of(id).unwrap_or_default();
        for cell in 0..field.cells() {
            let all: Vec<Vec<u64>> = values.iter().map(|value| write(Some((id, cell, value)))).collect();
            let mask: Vec<u64> = (0..base.len())
                .map(|word| all.iter().fold(0, |mask, words| mask | (words[word] ^ base[word])))
                .collect();
            let own = |words: &Vec<u64>| words.iter().zip(&mask).map(|(word, mask)| word & mask).collect();
            if values.len() > 1 {
                cells.push(Cell { bits: all.iter().map(own).collect(), adds: Vec::new() });
                places.push((id, cell, values.clone()));
            }
            free.iter_mut().zip(&mask).for_each(|(word, mask)| *word &= !mask);
        }
    }
    Ok((cells, free, places))
}

/// Returns the cell of the state that a formula reads, if it reads no other.
fn cell_of(rules: &Rules, formula: &Expr) -> Option<(FieldId, usize)> {
    /// Collects the cells read, under bindings of known variables; `None` stands for an unknown cell.
    fn reads(
        rules: &Rules,
        expr: &Expr,
        known: &[(VarId, &Value)],
        found: &mut Vec<Option<(FieldId, usize)>>,
    ) {
        let mut inner = known.to_vec();
        match &*expr.kind {
            ExprKind::Field(field, keys) => {
                let key = |key: &Expr| match *key.kind {
                    ExprKind::Var(var) => {
                        known.iter().find(|(of, _)| *of == var).map(|(_, value)| (*value).clone())
                    }
                    _ => key.constant().cloned(),
                };
                let keys: Option<Vec<Value>> = keys.iter().map(key).collect();
                let of = &rules.fields[*field];
                found.push(keys.and_then(|keys| {
                    (0..of.cells()).find(|&cell| keys_of(&of.keys, cell) == keys).map(|cell| (*field, cell))
                }));
            }
            // The reads of these are not analysed.
            ExprKind::Call(..) | ExprKind::Stuck | ExprKind::StuckPlayer(_) | ExprKind::Me => {
                found.push(None)
            }
            ExprKind::Let(Pattern::Var(var), value, _) => {
                inner.extend(value.constant().map(|value| (*var, value)))
            }
            _ => {}
        }
        expr.each_part(&mut |part| reads(rules, part, &inner, found));
    }
    let mut found = Vec::new();
    reads(rules, formula, &[], &mut found);
    found.dedup();
    if let [one] = found[..] { one } else { None }
}

/// Restricts the domain of each cell by the parts of invariants that read it alone.
fn restrict_domains(
    machine: &CompiledMachine,
    parts: &[InvariantPart<'_>],
    limits: &Limits,
    cells: &mut [Cell],
    places: &mut CellDomains,
) -> Result<(), EnumerationError> {
    let rules = machine.rules();
    let machine = machine.with_limits(limits);
    for (_, part) in parts {
        let Some(of) = cell_of(rules, part).filter(|(field, _)| *field != MOVER && *field != PHASE) else {
            continue;
        };
        let Some(at) = places.iter().position(|(field, cell, _)| (*field, *cell) == of) else { continue };
        let (field, cell, values) = &mut places[at];
        let keys = keys_of(&rules.fields[*field].keys, *cell);
        let allowed = |value: &Value| {
            let Some(state) = with(&machine, *field, &keys, value) else { return Ok(true) };
            match machine.eval(&state, part) {
                Ok(value) => Ok(value == Some(Value::Bool(true))),
                Err(hit) => Err(EnumerationError::Limit(hit)),
            }
        };
        let kept: Vec<bool> = values.iter().map(allowed).collect::<Result<_, EnumerationError>>()?;
        let mut of = kept.iter();
        values.retain(|_| of.next() == Some(&true));
        let mut of = kept.iter();
        cells[at].bits.retain(|_| of.next() == Some(&true));
    }
    Ok(())
}

/// Returns the initial position with another value in one cell; `None` if the cell cannot hold it.
fn with(machine: &CompiledMachine, field: FieldId, keys: &[Value], value: &Value) -> Option<State> {
    let of = &machine.rules().fields[field];
    let constant = |value: &Value, ty: &Type| Expr::new(ExprKind::Const(value.clone()), ty.clone(), of.span);
    let keys = keys.iter().zip(&of.keys).map(|(key, of)| constant(key, &of.ty)).collect();
    let effect = Effect { field, keys, path: Vec::new(), op: EffectOp::Set, value: constant(value, &of.ty) };
    let block = Block { stmts: vec![Stmt { kind: StmtKind::Effect(effect), span: of.span }] };
    machine.edit(&machine.initial(), &block, &Default::default()).ok()
}

impl StateEnumeration<'_> {
    fn put_counts(&mut self, mut counts: CountContributions) {
        let derived: CountContributions =
            counts.iter().filter_map(|whole| derive_remainder(whole, &counts)).collect();
        counts.extend(derived);
        for cell in &mut self.cells {
            cell.adds = vec![Vec::new(); cell.bits.len()];
        }
        for (_, adds) in &counts {
            for (cell, adds) in self.cells.iter_mut().zip(adds) {
                cell.adds.iter_mut().zip(adds).for_each(|(all, add)| all.push(*add));
            }
        }
        // A value whose contribution alone exceeds a count is impossible.
        for cell in &mut self.cells {
            let fits = |adds: &Vec<u32>| adds.iter().zip(&counts).all(|(add, ((_, high), _))| add <= high);
            let kept: Vec<bool> = cell.adds.iter().map(fits).collect();
            let mut of = kept.iter();
            cell.bits.retain(|_| of.next() == Some(&true));
            let mut of = kept.iter();
            cell.adds.retain(|_| of.next() == Some(&true));
        }
        let cells = self.cells.len();
        for (n, ((low, high), _)) in counts.iter().enumerate() {
            let (mut most, mut least) = (vec![0; cells + 1], vec![0; cells + 1]);
            for (i, cell) in self.cells.iter().enumerate().rev() {
                let adds = || cell.adds.iter().map(|adds| adds[n]);
                most[i] = most[i + 1] + adds().max().unwrap_or(0);
                least[i] = least[i + 1] + adds().min().unwrap_or(0);
            }
            self.counts.push(CardinalityBound { low: *low, high: *high, most, least });
        }
    }

    /// Returns the common bits of all assignments.
    fn shape(&self) -> KeyShape {
        let mut masks = self.words.clone();
        for bits in self.cells.iter().flat_map(|cell| &cell.bits) {
            masks.iter_mut().zip(bits).for_each(|(mask, bits)| *mask |= bits);
        }
        KeyShape::within(&masks)
    }

    /// Divides the enumeration into some thousands of tasks: each is an assignment of the first cells.
    fn tasks(&self) -> Vec<Vec<usize>> {
        let mut tasks = vec![Vec::new()];
        for cells in 1..=self.cells.len() {
            let longer = tasks.len() * self.cells[cells - 1].bits.len();
            if tasks.len() >= MIN_TASKS || longer > MAX_CELL_VALUES * MIN_TASKS / 64 {
                break;
            }
            let mut longer = Vec::new();
            let mut note = |assigned: &mut PartialAssignment<'_>| {
                longer.push(assigned.values.clone());
                Ok(())
            };
            let begun = PartialAssignment::new(self).go_on(cells, &mut note);
            begun.expect("a list of values");
            tasks = longer;
        }
        tasks
    }
}

impl<'s> PartialAssignment<'s> {
    /// The empty assignment.
    fn new(search: &'s StateEnumeration<'s>) -> PartialAssignment<'s> {
        PartialAssignment {
            search,
            words: search.words.clone(),
            values: Vec::new(),
            sums: vec![0; search.counts.len()],
            tried: 0,
            least: Vec::new(),
            none: Vec::new(),
            kept: 0,
            stood_for: 0,
        }
    }

    /// Extends the assignment to `cells` cells in every way that the counts allow.
    fn go_on(
        &mut self,
        cells: usize,
        each: &mut impl FnMut(&mut Self) -> Result<(), EnumerationError>,
    ) -> Result<(), EnumerationError> {
        if self.values.len() == cells {
            return each(self);
        }
        for value in 0..self.search.cells[self.values.len()].bits.len() {
            if self.fits(value) {
                self.push(value);
                self.go_on(cells, each)?;
                self.pop();
            }
        }
        Ok(())
    }

    /// Returns true if all counts can still be met once the next cell has a value.
    fn fits(&self, value: usize) -> bool {
        let cell = self.values.len();
        let adds = self.search.cells[cell].adds[value].iter();
        self.search.counts.iter().zip(&self.sums).zip(adds).all(|((count, sum), add)| {
            let sum = sum + add;
            sum + count.least[cell + 1] <= count.high && sum + count.most[cell + 1] >= count.low
        })
    }

    /// Assigns a value to the next cell.
    fn push(&mut self, value: usize) {
        let cell = &self.search.cells[self.values.len()];
        self.values.push(value);
        self.words.iter_mut().zip(&cell.bits[value]).for_each(|(word, bits)| *word |= bits);
        self.sums.iter_mut().zip(&cell.adds[value]).for_each(|(sum, add)| *sum += add);
    }

    /// Undoes the last assignment.
    fn pop(&mut self) {
        let value = self.values.pop().expect("a cell that has a value");
        let cell = &self.search.cells[self.values.len()];
        self.words.iter_mut().zip(&cell.bits[value]).for_each(|(word, bits)| *word &= !bits);
        self.sums.iter_mut().zip(&cell.adds[value]).for_each(|(sum, add)| *sum -= add);
    }

    /// Tests the complete assignment, for every turn.
    fn keep(&mut self, first: &mut StartReceiver<'_>) -> Result<(), EnumerationError> {
        let search = self.search;
        self.tried += 1;
        if self.tried.is_multiple_of(POLL_INTERVAL)
            && let Some(hit) = search.limits.check()
        {
            return Err(hit.into());
        }
        self.least.clone_from(&self.words);
        if let Some(canonical) = search.canonical {
            canonical.canonicalize_words(&mut self.least);
        }
        for &(control, filter) in &search.controls {
            if !self.holds(filter, false)? {
                continue;
            }
            self.kept += 1;
            if self.least != self.words {
                if self.holds(filter, true)? {
                    continue;
                }
                return Err(EnumerationError::Asymmetric);
            }
            self.stood_for += search.canonical.map_or(1, |canonical| canonical.orbit_of(&self.words));
            let circuit = search.machine.runner().circuit();
            let position = bouton_circuit::Position { control, words: self.words[..].into() };
            if !circuit.admits(&position) {
                return no("some position is one that the compiled rules cannot hold");
            }
            first.add(control, &self.words);
        }
        Ok(())
    }

    /// Returns true if the invariants hold for the assignment, or for its representative if `least`.
    fn holds(&mut self, filter: ControlId, least: bool) -> Result<bool, EnumerationError> {
        let words = if least { &self.least } else { &self.words };
        let at = PositionRef { control: filter, words };
        match self.search.filter.runner().records(at, &mut self.none) {
            Ok(Status::Over(ending)) => Ok(self.search.filter.rule(&ending) == self.search.parts),
            _ => no("an invariant has no meaning in some position"),
        }
    }
}
