//! Lowering of `some x in S: f`, and with it of `all` and `no`: a variable becomes lanes, or is replaced by its values.
//!
//! If `f` does not vary, `x` gets lanes of its own, and the result is true if any lane is set. If it does, only some
//! values of `x` matter to a lane; pairs of a lane and a value at one distance form a group, so that one shift moves
//! the bits from the values to the lanes for the whole group. A knight has eight such distances, a queen on eight by
//! eight 56.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::cx::{Cx, Lanes, Static, Term};
use super::domain::BitDomain;
use super::partial_eval::{PartialEvaluator, PartialValue};
use super::{ExprId, Lower, LowerError, Result, unsupported};
use bouton_base::cancel;
use bouton_circuit::ValueId;
use bouton_rules::{Binder, Domain as Range, EnumKind, Expr, ExprKind, Pattern, Value, VarId};

/// A condition, and the truth value that it must have.
pub(super) type Condition<'e> = (&'e Expr, bool);

/// A further condition on each combination of values, beyond the conditions.
type PairCondition<'f, 'r> = &'f mut dyn FnMut(&mut Lower<'r>, &Cx) -> Result<ValueId>;

/// The maximal number of groups of one quantifier.
const MAX_PAIR_GROUPS: usize = 1024;
/// The maximal number of distances for one move; with more, its lane becomes a scalar instead.
const MAX_DISTANCES: usize = 100;
/// The maximal number of integers that are replaced one by one; more get lanes.
const MAX_LISTED_INTEGERS: usize = 3;

/// The minimal number of distances at which a quantifier asks for places, for these to get the lanes.
const MIN_EQUATIONS: usize = 4;

/// Groups of lanes, with the value that each lane looks at.
type PairGroups = Vec<(Vec<usize>, Vec<Value>)>;

/// The cache key of a search for pairs.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct PairGroupsKey {
    asked: super::lanes::ExprKey,
    of: Vec<(ExprId, u32)>,
    var: VarId,
    values: Vec<Value>,
    lanes: Vec<u32>,
}

/// The cache of groups of pairs.
pub type PairGroupsCache = rustc_hash::FxHashMap<PairGroupsKey, Rc<PairGroups>>;

/// The values that a binder's variable may take: these, or those of them in a set.
struct Candidates<'e> {
    values: Vec<Value>,
    inside: Option<&'e Expr>,
}

/// A search for values: the binders whose variables have none yet, and the conditions on all values.
#[derive(Clone, Copy)]
struct BinderSearch<'e, 'r> {
    binders: &'r [Binder],
    conditions: &'e [Condition<'r>],
    /// The sets that variables must be in.
    inside: &'e [(VarId, &'r Expr)],
}

/// Counts the equations of a sum of this variable and a number with another variable.
fn equations(expr: &Expr, var: VarId) -> usize {
    let is_sum = |of: &Expr| match &*of.kind {
        ExprKind::Var(of) => *of == var,
        ExprKind::Arith { left, right, .. } => {
            matches!(*left.kind, ExprKind::Var(of) if of == var) && right.constant().is_some()
        }
        _ => false,
    };
    match &*expr.kind {
        ExprKind::Equal(a, b) => {
            usize::from(is_sum(a) && matches!(*b.kind, ExprKind::Var(other) if other != var))
        }
        ExprKind::And(parts) | ExprKind::Or(parts) => parts.iter().map(|part| equations(part, var)).sum(),
        _ => 0,
    }
}

impl<'r> Lower<'r> {
    /// Returns the condition that some values of the binders satisfy their conditions and these.
    pub(super) fn exists(
        &mut self,
        binders: &'r [Binder],
        conditions: &[Condition<'r>],
        cx: &Cx,
    ) -> Result<ValueId> {
        let search = BinderSearch { binders, conditions, inside: &[] };
        self.search(search, cx, &mut |lower, _| Ok(lower.build.truth(true)))
    }

    /// Lowers like [`exists`](Self::exists), with the further condition `last`.
    pub(super) fn exists_where(
        &mut self,
        binders: &'r [Binder],
        conditions: &[Condition<'r>],
        cx: &Cx,
        last: PairCondition<'_, 'r>,
    ) -> Result<ValueId> {
        self.search(BinderSearch { binders, conditions, inside: &[] }, cx, last)
    }

    fn search(
        &mut self,
        search: BinderSearch<'_, 'r>,
        cx: &Cx,
        last: PairCondition<'_, 'r>,
    ) -> Result<ValueId> {
        let BinderSearch { binders, conditions, inside } = search;
        let Some((binder, rest)) = binders.split_first() else {
            return self.conjunction(conditions, inside, cx, last);
        };
        let candidates = self.candidates(&binder.domain, cx)?;
        let var = match &binder.pattern {
            Pattern::Var(var) => *var,
            Pattern::Tuple(_) => {
                let rest = BinderSearch { binders: rest, ..search };
                return self.each_value(binder, &candidates, rest, cx, last);
            }
        };
        let mut conditions: Vec<Condition<'r>> = conditions.to_vec();
        conditions.extend(binder.condition.iter().map(|c| (c, true)));
        let mut inside = inside.to_vec();
        inside.extend(candidates.inside.map(|set| (var, set)));

        let mut vars: Vec<VarId> = Vec::new();
        for (condition, _) in &conditions {
            vars.extend(self.info(condition).vars.iter());
        }
        for (of, set) in &inside {
            vars.push(*of);
            vars.extend(self.info(set).vars.iter());
        }
        for binder in rest {
            if let Range::Set(set) = &binder.domain {
                vars.extend(self.info(set).vars.iter());
            }
            if let Some(condition) = &binder.condition {
                vars.extend(self.info(condition).vars.iter());
            }
        }
        vars.retain(|v| *v != var);
        vars.sort_unstable();
        vars.dedup();

        let rest = BinderSearch { binders: rest, conditions: &conditions, inside: &inside };
        if self.varies_any(&vars, cx) {
            if rest.binders.is_empty()
                && let Some(found) = self.exists_in_sight(var, &conditions, &inside, cx, last)?
            {
                return Ok(found);
            }
            let near = self.distances(var, &candidates.values, rest, cx).len() <= MAX_DISTANCES;
            if cx.lane.is_some() && !near {
                let known: Vec<VarId> = (0..cx.env.len() as u32).map(VarId).collect();
                match self.project_cx(cx, &known) {
                    Ok(settled) => {
                        let conditions = conditions_without(&conditions, binder);
                        let inside = inside_without(&inside, var);
                        let again = BinderSearch { binders, conditions: &conditions, inside: &inside };
                        return self.search(again, &settled, last);
                    }
                    Err(LowerError::Varies) => {}
                    Err(stop) => return Err(stop),
                }
            }
            return self.each_distance(var, &candidates.values, rest, cx, last);
        }
        if self.has_lanes(&candidates.values) {
            match self.each_lane(var, &candidates.values, rest, cx, last) {
                Err(LowerError::Varies) => {}
                done => return done,
            }
        }
        let mut found = self.build.truth(false);
        for value in &candidates.values {
            if self.build.constant_truth(found) == Some(true) {
                break;
            }
            let cx = cx.with(var, Term::Static(Static::One(Some(value.clone()))));
            let here = self.search(rest, &cx, last)?;
            found = self.either(found, here);
        }
        Ok(found)
    }

    /// Lowers a formula about one scalar of the position, which is a bit at its place: its places become the lanes; or
    /// if there are lanes, each distance from them is a group. `None` if the formula is not about exactly one scalar.
    pub(super) fn lifted(
        &mut self,
        expr: &'r Expr,
        cx: &Cx,
        ask: PairCondition<'_, 'r>,
    ) -> Result<Option<ValueId>> {
        let vars = self.info(expr).vars;
        let scalars: Vec<VarId> = vars
            .iter()
            .filter(|var| matches!(cx.env.get(var.0 as usize), Some(Some(Term::Choice(..)))))
            .copied()
            .collect();
        let [var] = scalars[..] else { return Ok(None) };
        let Some(Some(Term::Choice(domain, bits))) = cx.env.get(var.0 as usize).cloned() else {
            return Ok(None);
        };
        if !self.has_lanes(&domain.values) {
            return Ok(None);
        }
        let values = || domain.values.iter().cloned().map(Some).collect();
        if !self.varies_any(&vars, cx) {
            let mut inner = Cx { lane: Some(bits), ..self.over(&domain, cx) };
            inner.bind(var, Term::Static(Static::each(values())));
            return match ask(self, &inner) {
                Ok(found) if self.build.width(found) == 1 => {
                    let there = self.build.any(bits);
                    Ok(Some(self.both(found, there)))
                }
                Ok(found) => {
                    let found = self.build.and(found, bits);
                    Ok(Some(self.build.any(found)))
                }
                Err(LowerError::Varies) => Ok(None),
                Err(stop) => Err(stop),
            };
        }
        let formula = BinderSearch { binders: &[], conditions: &[(expr, true)], inside: &[] };
        let groups = self.distances(var, &domain.values, formula, cx);
        if groups.len() > MAX_PAIR_GROUPS {
            return Ok(None);
        }
        let mut found = self.build.truth(false);
        for (lanes, values) in groups.iter() {
            let (lanes, values) = (lanes.clone(), values.clone());
            let inner_lanes = Rc::new(cx.lanes.only(&lanes));
            let mut inner = self.restrict_cx(cx, &lanes, &inner_lanes);
            let look: Vec<Option<u32>> = values.iter().map(|v| domain.place(v)).collect();
            let there = self.gather(&inner, bits, &look);
            inner.bind(var, Term::Static(Static::each(values.into_iter().map(Some).collect())));
            let here = match ask(self, &inner) {
                Ok(here) => here,
                Err(LowerError::Varies) => return Ok(None),
                Err(stop) => return Err(stop),
            };
            let here = self.both(here, there);
            let here = self.vector(&inner, here);
            found = self.either(found, here);
        }
        Ok(Some(found))
    }

    /// Returns true if a formula asks for some place at one of many distances from another one, as in `some t: (t - 1 = k
    /// or t + 8 = k or ...) and f(t)`. Then the places get the lanes, even if `k` is a scalar: its bit moves to the lanes
    /// at those distances, whatever `f` is. Otherwise `k` would get them, and `f` would move by each distance.
    pub(super) fn looks_around(&self, expr: &'r Expr) -> bool {
        match &*expr.kind {
            ExprKind::And(parts) => parts.iter().any(|part| self.looks_around(part)),
            ExprKind::Quant(_, binders, body) => match &binders[..] {
                [Binder { pattern: Pattern::Var(var), domain: Range::Fixed(values), .. }] => {
                    matches!(values.first(), Some(Value::Int(_))) && equations(body, *var) >= MIN_EQUATIONS
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns true if `all` over these binders is lowered lane by lane, because the elements are known in each lane.
    pub(super) fn is_each_of_few(&self, binders: &'r [Binder], cx: &Cx) -> bool {
        let [Binder { pattern: Pattern::Var(_), domain: Range::Set(set), condition: None }] = binders else {
            return false;
        };
        self.is_known(set, cx) && self.varies_any(&self.info(set).vars, cx)
    }

    /// Lowers `all x in S: f` if S is known in each lane: elements with the same relative position form one group.
    pub(super) fn every(&mut self, binder: &'r Binder, body: &'r Expr, cx: &Cx) -> Result<ValueId> {
        let (Pattern::Var(var), Range::Set(set)) = (&binder.pattern, &binder.domain) else {
            return Err(LowerError::Varies);
        };
        let candidates = self.candidates(&binder.domain, cx)?;
        let refutation = BinderSearch { binders: &[], conditions: &[(body, false)], inside: &[(*var, set)] };
        let groups = self.distances(*var, &candidates.values, refutation, cx);
        let mut holds = self.build.truth(true);
        for (lanes, values) in groups.iter() {
            let (lanes, values) = (lanes.clone(), values.clone());
            let whole = lanes.len() == cx.len();
            let inner_lanes = if whole { cx.lanes.clone() } else { Rc::new(cx.lanes.only(&lanes)) };
            let mut inner = if whole { cx.clone() } else { self.restrict_cx(cx, &lanes, &inner_lanes) };
            inner.bind(*var, Term::Static(Static::each(values.into_iter().map(Some).collect())));
            let here = self.formula(body, &inner)?;
            holds = if whole {
                self.both(holds, here)
            } else {
                let not = self.negated(&inner, here);
                let not = self.vector(&inner, not);
                self.unless(holds, not)
            };
        }
        Ok(holds)
    }

    /// Returns the condition that all conditions hold.
    fn conjunction(
        &mut self,
        conditions: &[Condition<'r>],
        inside: &[(VarId, &'r Expr)],
        cx: &Cx,
        last: PairCondition<'_, 'r>,
    ) -> Result<ValueId> {
        let mut conditions: Vec<Condition<'r>> = conditions.to_vec();
        conditions.sort_by_key(|(condition, _)| !self.is_known(condition, cx));
        let mut holds = self.build.truth(true);
        for (condition, positive) in conditions {
            if self.build.maybe(holds).is_empty() {
                return Ok(holds);
            }
            let here = self.formula(condition, cx)?;
            holds = if positive { self.both(holds, here) } else { self.unless(holds, here) };
        }
        for (var, set) in inside {
            if self.build.maybe(holds).is_empty() {
                return Ok(holds);
            }
            let Some(Some(element)) = cx.env.get(var.0 as usize).cloned() else {
                return unsupported("a variable without a value", set.span);
            };
            let here = self.member(&element, set, cx)?;
            holds = self.both(holds, here);
        }
        if self.build.maybe(holds).is_empty() {
            return Ok(holds);
        }
        let here = last(self, cx)?;
        Ok(self.both(holds, here))
    }

    fn candidates(&mut self, domain: &'r Range, cx: &Cx) -> Result<Candidates<'r>> {
        let set = match domain {
            Range::Fixed(values) => return Ok(Candidates { values: values.to_vec(), inside: None }),
            Range::Set(set) => set,
        };
        if self.is_known(set, cx) {
            return Ok(match self.known_term(set, cx)? {
                Static::One(None) => Candidates { values: Vec::new(), inside: None },
                Static::One(Some(Value::Set(items) | Value::List(items))) => {
                    Candidates { values: items.to_vec(), inside: None }
                }
                Static::One(Some(_)) => return unsupported("a set", set.span),
                Static::Each(sets) => {
                    let mut values: Vec<Value> =
                        sets.iter().flatten().filter_map(Value::as_set).flatten().cloned().collect();
                    values.sort_unstable();
                    values.dedup();
                    Candidates { values, inside: Some(set) }
                }
            });
        }
        Ok(Candidates { values: self.elements(set)?, inside: Some(set) })
    }

    /// Returns true if values have places: cells and similar values do, and so do more than a few numbers.
    fn has_lanes(&self, values: &[Value]) -> bool {
        match values.first() {
            Some(Value::Sym(id, _)) => {
                matches!(
                    self.rules.enums[*id].kind,
                    EnumKind::Cells(_) | EnumKind::Sides(_) | EnumKind::Edges(_)
                )
            }
            Some(Value::Int(_)) => values.len() > MAX_LISTED_INTEGERS,
            Some(Value::Set(_)) => values.iter().all(|value| self.cells_of(value).is_some()),
            _ => false,
        }
    }

    /// Returns the places of a set of cells.
    fn cells_of(&self, value: &Value) -> Option<(Vec<u32>, BitDomain)> {
        let Value::Set(items) = value else { return None };
        let Some(Value::Sym(id, _)) = items.first() else { return None };
        let EnumKind::Cells(_) = self.rules.enums[*id].kind else { return None };
        let domain = BitDomain::new(self.rules, items.to_vec());
        Some((domain.places.clone(), domain))
    }

    /// Searches with a lane for each value.
    fn each_lane(
        &mut self,
        var: VarId,
        values: &[Value],
        rest: BinderSearch<'_, 'r>,
        cx: &Cx,
        last: PairCondition<'_, 'r>,
    ) -> Result<ValueId> {
        let mut found = self.build.truth(false);
        for (lanes, values) in self.lanes_of(values) {
            let mut inner = Cx { lanes: Rc::new(lanes), lane: None, ..cx.clone() };
            inner.bind(var, Term::Static(Static::each(values.into_iter().map(Some).collect())));
            let here = self.search(rest, &inner, last)?;
            let here = if self.build.width(here) == 1 { here } else { self.any_lane(&inner, here) };
            found = self.either(found, here);
        }
        Ok(found)
    }

    /// Returns the lanes of values: one group, or for sets of cells one for each shape, at the place of the first cell.
    pub(super) fn lanes_of(&self, values: &[Value]) -> Vec<(Lanes, Vec<Value>)> {
        if values.is_empty() {
            return Vec::new();
        }
        if !matches!(values.first(), Some(Value::Set(_))) {
            let domain = BitDomain::new(self.rules, values.to_vec());
            return vec![(Lanes::new(domain.places, domain.width, domain.stride), domain.values)];
        }
        type Lot = (u32, Option<u32>, Vec<u32>, Vec<Value>);
        let mut shapes: BTreeMap<Vec<i64>, Lot> = BTreeMap::new();
        for value in values {
            let Some((places, domain)) = self.cells_of(value) else { continue };
            let first = places[0];
            let shape = self.shape(first, &places, domain.stride);
            let entry =
                shapes.entry(shape).or_insert_with(|| (domain.width, domain.stride, Vec::new(), Vec::new()));
            entry.2.push(first);
            entry.3.push(value.clone());
        }
        shapes
            .into_values()
            .map(|(width, stride, places, values)| (Lanes::new(places, width, stride), values))
            .collect()
    }

    /// Returns the places relative to another place.
    fn shape(&self, from: u32, places: &[u32], stride: Option<u32>) -> Vec<i64> {
        let by = |&p: &u32| {
            let column = stride.map_or(0, |s| i64::from(p % s) - i64::from(from % s));
            [i64::from(p) - i64::from(from), column]
        };
        places.iter().flat_map(by).collect()
    }

    /// Searches with values in groups of the same position relative to their lanes.
    fn each_distance(
        &mut self,
        var: VarId,
        values: &[Value],
        rest: BinderSearch<'_, 'r>,
        cx: &Cx,
        last: PairCondition<'_, 'r>,
    ) -> Result<ValueId> {
        let groups = self.distances(var, values, rest, cx);
        if groups.len() > MAX_PAIR_GROUPS {
            return Err(LowerError::Varies);
        }
        let mut found = self.build.truth(false);
        for (lanes, values) in groups.iter() {
            let (lanes, values) = (lanes.clone(), values.clone());
            let whole = lanes.len() == cx.len();
            let inner_lanes = if whole { cx.lanes.clone() } else { Rc::new(cx.lanes.only(&lanes)) };
            let mut inner = if whole { cx.clone() } else { self.restrict_cx(cx, &lanes, &inner_lanes) };
            inner.bind(var, Term::Static(Static::each(values.into_iter().map(Some).collect())));
            let here = self.search(rest, &inner, last)?;
            let here = if whole { here } else { self.vector(&inner, here) };
            found = self.either(found, here);
        }
        Ok(found)
    }

    /// Returns the pairs of a lane and a value that may satisfy the conditions of a search, in groups of equal
    /// distance, the nearest first.
    fn distances(
        &mut self,
        var: VarId,
        values: &[Value],
        search: BinderSearch<'_, 'r>,
        cx: &Cx,
    ) -> Rc<PairGroups> {
        let BinderSearch { conditions, inside, .. } = search;
        let mut vars: Vec<VarId> = vec![var];
        for (condition, _) in conditions {
            vars.extend(self.info(condition).vars.iter());
        }
        for (of, set) in inside {
            vars.push(*of);
            vars.extend(self.info(set).vars.iter());
        }
        vars.sort_unstable();
        vars.dedup();
        vars.retain(|v| *v != var);
        let Some(first) = conditions.first().map(|c| c.0).or(inside.first().map(|i| i.1)) else {
            return Rc::new(self.find_distances(var, values, &vars, search, cx));
        };
        let key = PairGroupsKey {
            asked: self.expr_key(first, &vars, cx),
            of: conditions
                .iter()
                .map(|(c, positive)| (self.exprs.id(c), u32::from(*positive)))
                .chain(inside.iter().map(|(var, set)| (self.exprs.id(set), 2 + var.0)))
                .collect(),
            var,
            values: values.to_vec(),
            lanes: cx.lanes.places.clone(),
        };
        if let Some(groups) = self.pair_groups.get(&key) {
            return groups.clone();
        }
        let groups = Rc::new(self.find_distances(var, values, &vars, search, cx));
        self.pair_groups.insert(key, groups.clone());
        groups
    }

    fn find_distances(
        &self,
        var: VarId,
        values: &[Value],
        vars: &[VarId],
        search: BinderSearch<'_, 'r>,
        cx: &Cx,
    ) -> PairGroups {
        let BinderSearch { conditions, inside, .. } = search;
        let knower = PartialEvaluator { lower: self, turn: cx.turn };
        let mut vars = vars.to_vec();
        vars.push(var);
        vars.sort_unstable();
        let domain = match values.first() {
            Some(Value::Sym(id, _)) if matches!(self.rules.enums[*id].kind, EnumKind::Cells(_)) => {
                Some(BitDomain::new(self.rules, values.to_vec()))
            }
            _ => None,
        };
        type Key = (u64, usize, Vec<i64>);
        let mut groups: BTreeMap<Key, (Vec<usize>, Vec<Value>)> = BTreeMap::new();
        for lane in 0..cx.len() {
            let mut env = self.known_env(cx, &vars, lane);
            let place = cx.lanes.places[lane];
            // A set that is known without the value excludes most of the values.
            env[var.0 as usize] = PartialValue::Unknown;
            let own = inside.iter().filter(|(of, _)| *of == var);
            let sets: Vec<PartialValue> = own.map(|(_, set)| knower.value(set, &mut env)).collect();
            let left_out = |value: &Value| {
                let lacks = |set: &PartialValue| match set {
                    PartialValue::Value(Value::Set(items)) => items.binary_search(value).is_err(),
                    _ => false,
                };
                sets.iter().any(lacks)
            };
            for (i, value) in values.iter().enumerate() {
                cancel::step();
                if left_out(value) {
                    continue;
                }
                env[var.0 as usize] = PartialValue::Value(value.clone());
                let excluded =
                    conditions.iter().any(|(c, positive)| knower.truth(c, &mut env) == Some(!positive))
                        || inside.iter().any(|(of, set)| {
                            let element = env[of.0 as usize].clone();
                            knower.member(&element, set, &mut env) == Some(false)
                        });
                if excluded {
                    continue;
                }
                let key: Key = match (&domain, self.cells_of(value)) {
                    (Some(domain), _) if domain.stride == cx.lanes.stride || domain.stride.is_none() => {
                        let shape = self.shape(place, &[domain.places[i]], domain.stride);
                        (shape[0].unsigned_abs(), 0, shape)
                    }
                    (_, Some((places, of))) => (0, 0, self.shape(place, &places, of.stride)),
                    _ => (0, i, Vec::new()),
                };
                let group = groups.entry(key).or_default();
                group.0.push(lane);
                group.1.push(value.clone());
            }
        }
        groups.into_values().collect()
    }

    /// Searches with the values one by one.
    fn each_value(
        &mut self,
        binder: &'r Binder,
        candidates: &Candidates<'r>,
        rest: BinderSearch<'_, 'r>,
        cx: &Cx,
        last: PairCondition<'_, 'r>,
    ) -> Result<ValueId> {
        let mut conditions: Vec<Condition<'r>> = rest.conditions.to_vec();
        conditions.extend(binder.condition.iter().map(|c| (c, true)));
        let mut found = self.build.truth(false);
        for value in &candidates.values {
            let term = Term::Static(Static::One(Some(value.clone())));
            let mut inner = cx.clone();
            let span =
                conditions.first().map_or_else(|| self.rules.fields[bouton_rules::MOVER].span, |c| c.0.span);
            self.bind(&binder.pattern, &term, &mut inner, span)?;
            let mut here = self.search(BinderSearch { conditions: &conditions, ..rest }, &inner, last)?;
            if let Some(set) = candidates.inside {
                let member = self.member(&term, set, cx)?;
                here = self.both(here, member);
            }
            found = self.either(found, here);
        }
        Ok(found)
    }
}

/// Removes the condition of a binder, which the search will add again.
fn conditions_without<'e>(conditions: &[Condition<'e>], binder: &Binder) -> Vec<Condition<'e>> {
    let mut conditions = conditions.to_vec();
    if binder.condition.is_some() {
        conditions.pop();
    }
    conditions
}

fn inside_without<'e>(inside: &[(VarId, &'e Expr)], var: VarId) -> Vec<(VarId, &'e Expr)> {
    inside.iter().filter(|(of, _)| *of != var).copied().collect()
}
