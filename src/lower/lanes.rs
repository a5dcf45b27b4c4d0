//! Moves vectors between domains: brings a bit from the cell that has it to the lane that looks at the cell.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::cx::{Cx, Lanes, Product, Static, Term};
use super::domain::BitDomain;
use super::partial_eval::{KnownTurn, PartialEnv, PartialEvaluator, PartialValue};
use super::{ExprId, Lower, LowerError, Result, unsupported};
use bouton_base::bits::BitSet;
use bouton_base::cancel;
use bouton_circuit::ValueId;
use bouton_rules::{Expr, Value, VarId};

/// The number of values above which a scalar is one bit of a vector, not a list of cases.
pub const MAX_LISTED_CASES: usize = 8;

/// An expression with everything that its value depends on except the position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ExprKey {
    of: ExprId,
    turn: KnownTurn,
    env: Vec<(VarId, Option<Static>)>,
}

/// The cache of results found lane by lane.
#[derive(Debug, Default)]
pub struct StaticCache {
    truths: FxHashMap<ExprKey, Rc<Vec<bool>>>,
    terms: FxHashMap<ExprKey, Static>,
}

impl<'r> Lower<'r> {
    /// Returns the cache key of an expression in a context.
    pub(super) fn expr_key(&self, expr: &'r Expr, vars: &[VarId], cx: &Cx) -> ExprKey {
        let known = |var: &VarId| match cx.env.get(var.0 as usize) {
            Some(Some(Term::Static(of))) => (*var, Some(of.clone())),
            _ => (*var, None),
        };
        ExprKey { of: self.exprs.id(expr), turn: cx.turn, env: vars.iter().map(known).collect() }
    }

    /// Returns a condition that is known lane by lane.
    pub(super) fn known_truth(&mut self, cx: &Cx, holds: impl Fn(usize) -> bool) -> ValueId {
        let set = cx.lanes.set(holds);
        if set.is_empty() {
            self.build.truth(false)
        } else if set == cx.lanes.mask {
            self.build.truth(true)
        } else {
            self.build.bits(set)
        }
    }

    /// Brings two conditions to one width.
    fn level(&mut self, a: ValueId, b: ValueId) -> (ValueId, ValueId) {
        let (m, n) = (self.build.width(a), self.build.width(b));
        match (m, n) {
            _ if m == n => (a, b),
            (1, _) => (self.build.spread(a, n), b),
            (_, 1) => (a, self.build.spread(b, m)),
            _ => panic!("conditions over two domains"),
        }
    }

    /// Returns the conjunction of two conditions.
    pub(super) fn both(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (a, b) = self.level(a, b);
        self.build.and(a, b)
    }

    /// Returns the disjunction of two conditions.
    pub(super) fn either(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (a, b) = self.level(a, b);
        self.build.or(a, b)
    }

    /// Returns the condition that the first condition holds and the second does not.
    pub(super) fn unless(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (a, b) = self.level(a, b);
        self.build.and_not(a, b)
    }

    /// Returns the negation of a condition.
    pub(super) fn negated(&mut self, cx: &Cx, a: ValueId) -> ValueId {
        if self.build.width(a) == 1 {
            return self.build.not(a);
        }
        let mask = self.build.bits(cx.lanes.mask.clone());
        self.build.and_not(mask, a)
    }

    /// Returns a condition as a vector, restricted to the lanes.
    pub(super) fn vector(&mut self, cx: &Cx, a: ValueId) -> ValueId {
        let a = if self.build.width(a) == 1 { self.build.spread(a, cx.lanes.width) } else { a };
        let mask = self.build.bits(cx.lanes.mask.clone());
        self.build.and(a, mask)
    }

    /// Returns the condition that a condition holds in some lane, or in the one that matters if there is one.
    pub(super) fn any_lane(&mut self, cx: &Cx, a: ValueId) -> ValueId {
        if self.build.width(a) == 1 {
            return a;
        }
        let a = match cx.lane {
            Some(lane) => self.build.and(a, lane),
            None => self.vector(cx, a),
        };
        self.build.any(a)
    }

    /// Shifts a vector and brings it to a width.
    pub(super) fn moved(&mut self, vector: ValueId, by: i32, width: u32) -> ValueId {
        let wide = self.build.width(vector).max(width);
        let vector = self.build.resize(vector, wide);
        let vector = self.build.shift(vector, by);
        self.build.resize(vector, width)
    }

    /// Returns for each lane the bit of a vector at the place that it looks at; 0 if it looks nowhere.
    pub(super) fn gather(&mut self, cx: &Cx, vector: ValueId, look: &[Option<u32>]) -> ValueId {
        let maybe = self.build.maybe(vector).clone();
        let look: Vec<Option<u32>> = look.iter().map(|p| p.filter(|&p| maybe.contains(p))).collect();
        let Some(first) = look.iter().flatten().next().copied() else { return self.build.truth(false) };
        if let Some(bits) = self.build.constant(vector).cloned() {
            return self.known_truth(cx, |lane| look[lane].is_some_and(|p| bits.contains(p)));
        }
        if look.iter().flatten().all(|&p| p == first) {
            let down = self.moved(vector, -(first as i32), 1.max(self.build.width(vector) - first));
            let bit = self.build.resize(down, 1);
            let there = self.known_truth(cx, |lane| look[lane].is_some());
            return self.both(bit, there);
        }
        let groups = by_distance(cx, &look);
        let whole = groups.len() == 1 && look.iter().all(Option::is_some);
        let mut found = self.build.zero(cx.lanes.width);
        for (by, lanes) in groups {
            let mut part = self.moved(vector, -by, cx.lanes.width);
            if !whole {
                let mask = self.build.bits(lanes);
                part = self.build.and(part, mask);
            }
            found = self.build.or(found, part);
        }
        found
    }

    /// Returns the places that lanes point at, for the lanes in which a condition holds.
    pub(super) fn scatter(&mut self, cx: &Cx, lanes: ValueId, point: &[Option<u32>], width: u32) -> ValueId {
        let Some(first) = point.iter().flatten().next().copied() else { return self.build.zero(width) };
        if point.iter().flatten().all(|&p| p == first) && !cx.is_unit() {
            let there = self.known_truth(cx, |lane| point[lane].is_some());
            let lanes = self.both(lanes, there);
            let lanes = self.vector(cx, lanes);
            let any = self.build.any(lanes);
            return self.moved(any, first as i32, width);
        }
        let lanes = if self.build.width(lanes) == 1 { self.vector(cx, lanes) } else { lanes };
        let mut found = self.build.zero(width);
        for (by, of) in by_distance(cx, point) {
            let mask = self.build.bits(of);
            let part = self.build.and(lanes, mask);
            let part = self.moved(part, by, width);
            found = self.build.or(found, part);
        }
        found
    }

    /// Moves the bits of one domain to the places of another; drops values that are not in it.
    pub(super) fn recast(&mut self, from: &BitDomain, bits: ValueId, to: &BitDomain) -> ValueId {
        if from.width == to.width && from.values == to.values {
            return bits;
        }
        let cx =
            Cx { lanes: Rc::new(Lanes::new(from.places.clone(), from.width, from.stride)), ..Cx::empty() };
        let point: Vec<Option<u32>> = from.values.iter().map(|v| to.place(v)).collect();
        self.scatter(&cx, bits, &point, to.width)
    }

    /// Returns the known values of variables in a lane.
    pub(super) fn known_env(&self, cx: &Cx, vars: &[VarId], lane: usize) -> PartialEnv {
        // Binders inside an expression have variables of their own.
        cancel::step();
        let size = cx.env.len().max(vars.last().map_or(0, |v| v.0 as usize + 1));
        let mut env = vec![PartialValue::Unknown; size];
        for var in vars {
            if let Some(Some(Term::Static(of))) = cx.env.get(var.0 as usize) {
                env[var.0 as usize] =
                    of.at(lane).cloned().map_or(PartialValue::Undefined, PartialValue::Value);
            }
        }
        env
    }

    /// Returns true if an expression is known lane by lane.
    pub(super) fn is_known(&self, expr: &'r Expr, cx: &Cx) -> bool {
        let info = self.info(expr);
        !info.dynamic
            && info.vars.iter().all(|var| match cx.env.get(var.0 as usize) {
                Some(Some(term)) => matches!(term, Term::Static(_)),
                _ => true,
            })
    }

    /// Lowers a condition that does not depend on the position.
    pub(super) fn known_formula(&mut self, expr: &'r Expr, cx: &Cx) -> Result<ValueId> {
        let vars = self.info(expr).vars;
        let varies = self.varies_any(&vars, cx);
        let lanes = if varies { cx.len() } else { 1 };
        let asked = self.expr_key(expr, &vars, cx);
        if let Some(holds) = self.known.truths.get(&asked).cloned() {
            return Ok(self.known_truth(cx, |lane| holds[if varies { lane } else { 0 }]));
        }
        let mut holds = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            let knower = PartialEvaluator { lower: self, turn: cx.turn };
            let mut env = self.known_env(cx, &vars, lane);
            match knower.truth(expr, &mut env) {
                Some(t) => holds.push(t),
                None => return unsupported("a value that is not known before play", expr.span),
            }
        }
        self.known.truths.insert(asked, Rc::new(holds.clone()));
        Ok(self.known_truth(cx, |lane| holds[if varies { lane } else { 0 }]))
    }

    /// Evaluates a term that does not depend on the position.
    pub(super) fn known_term(&mut self, expr: &'r Expr, cx: &Cx) -> Result<Static> {
        let vars = self.info(expr).vars;
        let lanes = if self.varies_any(&vars, cx) { cx.len() } else { 1 };
        let asked = self.expr_key(expr, &vars, cx);
        if let Some(term) = self.known.terms.get(&asked) {
            return Ok(term.clone());
        }
        let mut values = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            let knower = PartialEvaluator { lower: self, turn: cx.turn };
            let mut env = self.known_env(cx, &vars, lane);
            match knower.value(expr, &mut env) {
                PartialValue::Value(value) => values.push(Some(value)),
                PartialValue::Undefined => values.push(None),
                PartialValue::Unknown => {
                    return unsupported("a value that is not known before play", expr.span);
                }
            }
        }
        let term = Static::each(values);
        self.known.terms.insert(asked, term.clone());
        Ok(term)
    }

    /// Returns true if one of these variables differs from lane to lane.
    pub(super) fn varies_any(&self, vars: &[VarId], cx: &Cx) -> bool {
        !cx.is_unit()
            && vars.iter().any(|var| match cx.env.get(var.0 as usize) {
                Some(Some(term)) => self.varies(term),
                _ => false,
            })
    }

    /// Returns true if a term differs from lane to lane.
    pub(super) fn varies(&self, term: &Term) -> bool {
        let wide = |v: ValueId| self.build.width(v) > 1;
        match term {
            Term::Static(of) => matches!(of, Static::Each(_)),
            Term::Cases(cases) => cases.iter().any(|(s, c)| matches!(s, Static::Each(_)) || wide(*c)),
            Term::Product(p) => wide(p.defined) || wide(p.present) || p.parts.iter().any(|t| self.varies(t)),
            Term::Number(n) => wide(n.defined),
            Term::Choice(..) => false,
            Term::Set(set) => self.varies_any(&self.info(self.exprs.get(set.0)).vars, &set.1),
        }
    }

    /// Restricts a term to some lanes. A variable that is no longer used may remain from other lanes, fewer or more
    /// than these.
    pub(super) fn restrict(&self, term: &Term, lanes: &[usize], of: &Rc<Lanes>) -> Term {
        let keep = |s: &Static| match s {
            Static::One(_) => s.clone(),
            Static::Each(values) => {
                Static::each(lanes.iter().map(|&l| values.get(l).cloned().flatten()).collect())
            }
        };
        match term {
            Term::Static(s) => Term::Static(keep(s)),
            Term::Cases(cases) => Term::Cases(Rc::new(cases.iter().map(|(s, c)| (keep(s), *c)).collect())),
            Term::Product(p) => Term::Product(Rc::new(Product {
                parts: p.parts.iter().map(|part| self.restrict(part, lanes, of)).collect(),
                ..(**p).clone()
            })),
            Term::Number(_) | Term::Choice(..) => term.clone(),
            Term::Set(set) => Term::Set(Rc::new((set.0, self.restrict_cx(&set.1, lanes, of)))),
        }
    }

    /// Restricts a context to some lanes.
    pub(super) fn restrict_cx(&self, cx: &Cx, lanes: &[usize], of: &Rc<Lanes>) -> Cx {
        if cx.is_unit() {
            return cx.clone();
        }
        let env = cx.env.iter().map(|term| term.as_ref().map(|t| self.restrict(t, lanes, of))).collect();
        Cx { lanes: of.clone(), env, ..cx.clone() }
    }

    /// Returns a term's value in the one lane that matters, the same in all lanes of any context.
    pub(super) fn project_to_lane(&mut self, cx: &Cx, term: &Term) -> Result<Term> {
        if !self.varies(term) {
            return Ok(term.clone());
        }
        let Some(lane) = cx.lane else { return Err(LowerError::Varies) };
        Ok(match term {
            Term::Static(of) => self.settled_static(cx, of, lane),
            Term::Cases(cases) => {
                let mut settled: Vec<(Static, ValueId)> = Vec::new();
                for (of, condition) in cases.iter() {
                    for value in of.distinct() {
                        let here = self.known_truth(cx, |l| of.at(l) == Some(value));
                        let here = self.both(here, *condition);
                        let here = self.any_lane(cx, here);
                        settled.push((Static::One(Some(value.clone())), here));
                    }
                }
                self.cases(settled)
            }
            Term::Product(p) => {
                let (defined, present) = (self.any_lane(cx, p.defined), self.any_lane(cx, p.present));
                let parts: Result<Vec<Term>> =
                    p.parts.iter().map(|part| self.project_to_lane(cx, part)).collect();
                Term::Product(Rc::new(Product { record: p.record, defined, present, parts: parts? }))
            }
            Term::Number(n) => {
                let defined = self.any_lane(cx, n.defined);
                Term::Number(super::cx::Number { defined, ..*n })
            }
            Term::Choice(..) => term.clone(),
            Term::Set(set) => {
                let inner = self.project_cx(
                    &Cx { lane: cx.lane, ..set.1.clone() },
                    &self.info(self.exprs.get(set.0)).vars,
                )?;
                Term::Set(Rc::new((set.0, inner)))
            }
        })
    }

    fn settled_static(&mut self, cx: &Cx, of: &Static, lane: ValueId) -> Term {
        let distinct: Vec<Value> = of.distinct().into_iter().cloned().collect();
        if distinct.len() > MAX_LISTED_CASES {
            let domain = BitDomain::new(self.rules, distinct);
            let point: Vec<Option<u32>> =
                (0..cx.len()).map(|l| of.at(l).and_then(|v| domain.place(v))).collect();
            let bits = self.scatter(cx, lane, &point, domain.width);
            return Term::Choice(Arc::new(domain), bits);
        }
        let mut cases = Vec::new();
        for value in distinct {
            let here = self.known_truth(cx, |l| of.at(l) == Some(&value));
            let here = self.both(here, lane);
            let here = self.any_lane(cx, here);
            cases.push((Static::One(Some(value)), here));
        }
        self.cases(cases)
    }

    /// Returns the context of the one lane that matters, with these variables, in a single lane.
    pub(super) fn project_cx(&mut self, cx: &Cx, vars: &[VarId]) -> Result<Cx> {
        let mut env = vec![None; cx.env.len()];
        for var in vars {
            if let Some(Some(term)) = cx.env.get(var.0 as usize) {
                env[var.0 as usize] = Some(self.project_to_lane(cx, &term.clone())?);
            }
        }
        Ok(Cx { lanes: Rc::new(Lanes::unit()), env, lane: None, ..cx.clone() })
    }

    /// Makes a term of cases, without those that never hold; equal values become one case.
    pub(super) fn cases(&mut self, cases: Vec<(Static, ValueId)>) -> Term {
        let mut kept: Vec<(Static, ValueId)> = Vec::new();
        for (value, condition) in cases {
            if self.build.maybe(condition).is_empty() {
                continue;
            }
            let same = kept.iter().position(|(of, _)| match (of, &value) {
                (Static::One(a), Static::One(b)) => a == b,
                (Static::Each(a), Static::Each(b)) => a == b,
                _ => false,
            });
            match same {
                Some(i) => kept[i].1 = self.either(kept[i].1, condition),
                None => kept.push((value, condition)),
            }
        }
        match &kept[..] {
            [(value, condition)] if self.build.constant_truth(*condition) == Some(true) => {
                Term::Static(value.clone())
            }
            _ => Term::Cases(Rc::new(kept)),
        }
    }
}

/// Groups the places of lanes by the distance at which they look, the farthest down first.
fn by_distance(cx: &Cx, look: &[Option<u32>]) -> Vec<(i32, BitSet)> {
    let mut groups: Vec<(i32, BitSet)> = Vec::new();
    // Adjacent lanes mostly look at the same distance.
    let mut last = 0;
    for (place, &from) in look.iter().zip(&cx.lanes.places) {
        let Some(place) = place else { continue };
        let by = *place as i32 - from as i32;
        if groups.get(last).is_none_or(|group| group.0 != by) {
            last = groups.binary_search_by_key(&by, |group| group.0).unwrap_or_else(|at| {
                groups.insert(at, (by, BitSet::empty(cx.lanes.width)));
                at
            });
        }
        groups[last].1.insert(from);
    }
    groups
}

impl Cx {
    /// Returns a context with one lane and no variables.
    pub fn empty() -> Cx {
        Cx {
            lanes: Rc::new(Lanes::unit()),
            env: Vec::new(),
            turn: super::partial_eval::KnownTurn::default(),
            state: Rc::new(Vec::new()),
            lane: None,
        }
    }
}
