//! Memoised calls: a definition called again with the same arguments is lowered once.
//!
//! Definitions that call each other more than once unfold to exponentially many calls. Only those that unfold to many
//! are cached: for the others a lookup would cost more than it saves.
//! *Invariant:* a key owns everything that it compares, so no address in it is reused while the key exists.

use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use by_address::ByAddress;
use rustc_hash::FxHashMap;

use super::cx::{Cx, Lanes, Static, Term};
use super::domain::BitDomain;
use super::partial_eval::{KnownTurn, PartialValue};
use super::{ExprId, Lower, LowerError, Result};
use bouton_circuit::ValueId;
use bouton_rules::{self as rules, Binder, DefId, Expr, ExprKind, Type, Value};

/// The number of calls above which a definition that unfolds to them is cached.
const MIN_UNFOLDED_CALLS: u64 = 512;
/// The number of expressions above which what is known of a call is cached.
const MIN_UNFOLDED_EXPRESSIONS: u64 = 64;
/// The assumed number of elements of a set of unknown size.
const ASSUMED_ELEMENTS: u64 = 8;
/// The maximal number of values of a parameter for all of which a definition is lowered at once.
const MAX_NUMBERS: i64 = 1 << 12;
/// The minimal number of values of a parameter for which a definition of a few calls is lowered once for all of them.
const MIN_SHARED: i64 = 16;
/// The minimal number of calls that such a definition unfolds to.
const MIN_SHARED_CALLS: u64 = 3;
/// The maximal number of entries of a cache; a full cache is cleared.
const MAX_ENTRIES: usize = 1 << 16;

/// A call whose known arguments are known by value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PartialCallKey {
    pub def: DefId,
    pub turn: KnownTurn,
    pub args: Vec<PartialValue>,
    /// The element whose membership in the set that the call gives is the question.
    pub element: Option<PartialValue>,
}

/// The cached results of partial evaluation, by call.
#[derive(Debug, Default)]
pub struct PartialCallCache {
    pub truths: FxHashMap<PartialCallKey, Option<bool>>,
    pub values: FxHashMap<PartialCallKey, PartialValue>,
}

/// Adds to a cache; clears it first if it is full.
pub fn cache_insert<K: Eq + Hash, V>(cache: &mut FxHashMap<K, V>, key: K, value: V) {
    if cache.len() >= MAX_ENTRIES {
        cache.clear();
    }
    cache.insert(key, value);
}

/// The depth to which sets that occur in other sets are compared by structure. Deeper ones are compared by address,
/// since a set may be made of exponentially many.
const MAX_SET_DEPTH: u32 = 3;

/// Lanes, compared by their places.
#[derive(Debug)]
struct LanesKey(Rc<Lanes>);

impl PartialEq for LanesKey {
    fn eq(&self, other: &Self) -> bool {
        let of = |lanes: &Rc<Lanes>| (lanes.width, lanes.stride);
        Rc::ptr_eq(&self.0, &other.0) || of(&self.0) == of(&other.0) && self.0.places == other.0.places
    }
}

impl Eq for LanesKey {}

impl Hash for LanesKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0.width, self.0.stride, &self.0.places).hash(state);
    }
}

/// A domain, compared by its values and their places.
#[derive(Debug)]
struct DomainKey(Arc<BitDomain>);

impl PartialEq for DomainKey {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.0, &other.0);
        Arc::ptr_eq(a, b)
            || (a.width, a.stride, &a.places, &a.values) == (b.width, b.stride, &b.places, &b.values)
    }
}

impl Eq for DomainKey {}

impl Hash for DomainKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0.width, self.0.stride, &self.0.places).hash(state);
    }
}

/// A term as part of a key.
#[derive(PartialEq, Eq, Hash, Debug)]
enum TermKey {
    Static(Static),
    Cases(Vec<(Static, ValueId)>),
    Product(Option<rules::RecordId>, ValueId, ValueId, Vec<TermKey>),
    Number(ValueId, ValueId, i64, i64),
    Choice(DomainKey, ValueId),
    Set(ExprId, Box<CxKey>),
    DeepSet(ByAddress<Rc<(ExprId, Cx)>>),
}

impl TermKey {
    fn of(term: &Term, depth: u32) -> TermKey {
        match term {
            Term::Static(of) => TermKey::Static(of.clone()),
            Term::Cases(cases) => TermKey::Cases(cases.to_vec()),
            Term::Product(of) => {
                let parts = of.parts.iter().map(|part| TermKey::of(part, depth)).collect();
                TermKey::Product(of.record, of.defined, of.present, parts)
            }
            Term::Number(n) => TermKey::Number(n.value, n.defined, n.low, n.high),
            Term::Choice(domain, value) => TermKey::Choice(DomainKey(domain.clone()), *value),
            Term::Set(of) if depth < MAX_SET_DEPTH => {
                TermKey::Set(of.0, Box::new(CxKey::of(&of.1, depth + 1)))
            }
            Term::Set(of) => TermKey::DeepSet(ByAddress(of.clone())),
        }
    }
}

/// A context as part of a key.
#[derive(PartialEq, Eq, Hash, Debug)]
struct CxKey {
    lanes: LanesKey,
    state: Rc<Vec<ValueId>>,
    turn: KnownTurn,
    lane: Option<ValueId>,
    env: Vec<Option<TermKey>>,
}

impl CxKey {
    fn of(cx: &Cx, depth: u32) -> CxKey {
        CxKey {
            lanes: LanesKey(cx.lanes.clone()),
            state: cx.state.clone(),
            turn: cx.turn,
            lane: cx.lane,
            env: cx.env.iter().map(|term| term.as_ref().map(|term| TermKey::of(term, depth))).collect(),
        }
    }
}

/// A call with everything that its circuit depends on.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct LoweredCallKey {
    def: DefId,
    stuck: Option<bool>,
    inner: CxKey,
}

/// A call without arguments in a position: it is the same in all lanes.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct PlainCallKey {
    def: DefId,
    stuck: Option<bool>,
    turn: KnownTurn,
    state: ByAddress<Rc<Vec<ValueId>>>,
}

/// The cached circuits of calls.
#[derive(Debug, Default)]
pub struct LoweredCallCache {
    plain: FxHashMap<PlainCallKey, Result<ValueId>>,
    /// The values of definitions of one number, for all numbers.
    vectors: FxHashMap<PlainCallKey, Result<ValueId>>,
    formulas: FxHashMap<LoweredCallKey, Result<ValueId>>,
    terms: FxHashMap<LoweredCallKey, Result<Term>>,
}

impl<'r> Lower<'r> {
    /// Returns true if a definition unfolds to so many calls that caching its results pays.
    pub(super) fn is_memoised(&self, def: DefId) -> bool {
        self.unfolded_calls(def) > MIN_UNFOLDED_CALLS
    }

    /// Returns true if a definition unfolds to so many expressions that caching what is known of a call pays.
    pub(super) fn is_long(&self, def: DefId) -> bool {
        self.unfolded_expressions(def) > MIN_UNFOLDED_EXPRESSIONS
    }

    /// Returns the number of expressions that a definition unfolds to.
    fn unfolded_expressions(&self, def: DefId) -> u64 {
        if let Some(&size) = self.unfolded_sizes.borrow().get(&def) {
            return size;
        }
        let of = &self.rules.defs[def];
        let size = if of.group.is_some() { 1 } else { self.expressions_in(&of.body) };
        self.unfolded_sizes.borrow_mut().insert(def, size);
        size
    }

    fn expressions_in(&self, expr: &'r Expr) -> u64 {
        let mut size = match &*expr.kind {
            ExprKind::Call(def, _) => 1 + self.unfolded_expressions(*def),
            _ => 1,
        };
        expr.each_part(&mut |part| size = size.saturating_add(self.expressions_in(part)));
        size
    }

    /// Returns roughly the number of calls that a definition unfolds to: calls under binders count for each element.
    fn unfolded_calls(&self, def: DefId) -> u64 {
        if let Some(&calls) = self.unfolded.borrow().get(&def) {
            return calls;
        }
        // A definition of an inductive group does not unfold: its relation is a fixpoint, which is built once.
        let of = &self.rules.defs[def];
        let calls = if of.group.is_some() { 1 } else { self.calls_in(&of.body).saturating_add(1) };
        self.unfolded.borrow_mut().insert(def, calls);
        calls
    }

    fn calls_in(&self, expr: &'r Expr) -> u64 {
        let elements = |binders: &[Binder]| {
            binders.iter().fold(1u64, |product, binder| {
                product.saturating_mul(match &binder.domain {
                    rules::Domain::Fixed(values) => values.len() as u64,
                    rules::Domain::Set(_) => ASSUMED_ELEMENTS,
                })
            })
        };
        let own = match &*expr.kind {
            ExprKind::Call(def, _) => self.unfolded_calls(*def),
            _ => 0,
        };
        let mut parts = 0u64;
        expr.each_part(&mut |part| parts = parts.saturating_add(self.calls_in(part)));
        let times = match &*expr.kind {
            ExprKind::Quant(_, binders, _)
            | ExprKind::Fold(_, binders, _)
            | ExprKind::Collect(binders, _) => elements(binders),
            _ => 1,
        };
        own.saturating_add(parts.saturating_mul(times))
    }

    /// Returns the key of a call whose parameters are bound in `inner`; `None` if the call is not cached.
    fn call_key(&self, def: DefId, inner: &Cx) -> Option<LoweredCallKey> {
        // Results that use a relation under construction hold for its variable alone.
        let is_costly = self.is_memoised(def) || self.looks_around(&self.rules.defs[def].body);
        if !self.open_relations.is_empty() || !is_costly {
            return None;
        }
        Some(LoweredCallKey { def, stuck: self.stuck, inner: CxKey::of(inner, 0) })
    }

    /// Returns the formula of a definition without parameters, lowered once for a position.
    pub(super) fn plain_formula(&mut self, def: DefId, cx: &Cx) -> Result<ValueId> {
        let (turn, state) = (cx.turn, cx.state.clone());
        let key = PlainCallKey { def, stuck: self.stuck, turn, state: ByAddress(state.clone()) };
        // Results that use a relation under construction hold for its variable alone.
        let is_final = self.open_relations.is_empty();
        if is_final && let Some(made) = self.lowered.plain.get(&key) {
            return made.clone();
        }
        let of = &self.rules.defs[def];
        let env = vec![None; of.vars.len()];
        let inner = Cx { lanes: Rc::new(Lanes::unit()), env, turn, state, lane: None };
        let made = self.unfolded(&of.body, &inner);
        if is_final {
            cache_insert(&mut self.lowered.plain, key, made.clone());
        }
        made
    }

    /// Returns the formula of a definition of one number that is known in each lane. Definitions that unfold to many
    /// calls, or to several and have many numbers, are lowered once for all numbers, and each call takes its values from
    /// there: otherwise calls such as `count(k - 1)` in the definition of the next `count`, or `line(k + 8)` of a place
    /// on a board, would each be lowered for lanes of their own. `None` if the definition has no such form.
    pub(super) fn formula_of_number(&mut self, def: DefId, inner: &Cx) -> Result<Option<ValueId>> {
        let of = &self.rules.defs[def];
        let &[param] = &of.params[..] else { return Ok(None) };
        let (&Type::Int(low, high), Some(Some(Term::Static(arg)))) =
            (&of.vars[param].ty, inner.env.get(param.0 as usize))
        else {
            return Ok(None);
        };
        let width = high.saturating_sub(low).saturating_add(1);
        let is_shared =
            self.is_memoised(def) || width >= MIN_SHARED && self.unfolded_calls(def) >= MIN_SHARED_CALLS;
        if !self.open_relations.is_empty() || !is_shared || !(1..=MAX_NUMBERS).contains(&width) {
            return Ok(None);
        }
        let domain = BitDomain::new(self.rules, (low..=high).map(Value::Int).collect());
        let look: Vec<Option<u32>> =
            (0..inner.len()).map(|lane| arg.at(lane).and_then(|value| domain.place(value))).collect();
        let (turn, state) = (inner.turn, inner.state.clone());
        let key = PlainCallKey { def, stuck: self.stuck, turn, state: ByAddress(state.clone()) };
        let known = self.lowered.vectors.get(&key).cloned();
        let made = known.unwrap_or_else(|| {
            let lanes = Rc::new(Lanes::new(domain.places.clone(), domain.width, domain.stride));
            let mut all = Cx { lanes, env: vec![None; of.vars.len()], turn, state, lane: None };
            let values = domain.values.iter().cloned().map(Some).collect();
            all.bind(param, Term::Static(Static::each(values)));
            let made = self.unfolded(&of.body, &all).map(|made| self.vector(&all, made));
            cache_insert(&mut self.lowered.vectors, key, made.clone());
            made
        });
        match made {
            Ok(vector) => Ok(Some(self.gather(inner, vector, &look))),
            Err(LowerError::Unsupported(why)) => Err(LowerError::Unsupported(why)),
            Err(LowerError::Varies | LowerError::VariesIn(_)) => Ok(None),
        }
    }

    /// Returns the formula of a call, which `make` creates on the first call.
    pub(super) fn memoised_formula(
        &mut self,
        def: DefId,
        inner: &Cx,
        make: impl FnOnce(&mut Self) -> Result<ValueId>,
    ) -> Result<ValueId> {
        let Some(key) = self.call_key(def, inner) else { return make(self) };
        if let Some(made) = self.lowered.formulas.get(&key) {
            return made.clone();
        }
        let made = make(self);
        cache_insert(&mut self.lowered.formulas, key, made.clone());
        made
    }

    /// Returns the term of a call, which `make` creates on the first call.
    pub(super) fn memoised_term(
        &mut self,
        def: DefId,
        inner: &Cx,
        make: impl FnOnce(&mut Self) -> Result<Term>,
    ) -> Result<Term> {
        let Some(key) = self.call_key(def, inner) else { return make(self) };
        if let Some(made) = self.lowered.terms.get(&key) {
            return made.clone();
        }
        let made = make(self);
        cache_insert(&mut self.lowered.terms, key, made.clone());
        made
    }
}
