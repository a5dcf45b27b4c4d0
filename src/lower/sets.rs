//! Sets that depend on the position: they are not built, but lowered by the membership of their elements. Over a whole
//! domain the results form a vector.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::cx::{Cx, Lanes, Static, Term};
use super::domain::BitDomain;
use super::state::FieldLayout;
use super::{Lower, LowerError, Result, unsupported};
use bouton_base::source::Span;
use bouton_circuit::ValueId;
use bouton_rules::{
    Binder, BoardFn, BoardId, Domain as Range, Expr, ExprKind, Fold, Pattern, SetOp, Type, Value,
};

/// The maximal number of possible elements of a set.
const MAX_SET_ELEMENTS: usize = 4096;
/// The maximal number of distances by which a scalar's bit is shifted; for more, a table gives the result.
const MAX_SHIFTS: usize = 3;

/// A function of a board with its arguments.
#[derive(Clone, Copy)]
struct BoardTerm<'e> {
    function: BoardFn,
    board: BoardId,
    args: &'e [Expr],
    span: Span,
}

impl<'r> Lower<'r> {
    /// Returns the context of a set's expression, with the lanes of the context that uses it.
    pub(super) fn set_cx(&self, set: &Cx, asking: &Cx) -> Cx {
        Cx { lanes: asking.lanes.clone(), lane: asking.lane, ..set.clone() }
    }

    /// Returns the condition that an element belongs to a set; false if one of them is undefined.
    pub(super) fn member(&mut self, element: &Term, set: &'r Expr, cx: &Cx) -> Result<ValueId> {
        match self.member_in_lanes(element, set, cx) {
            Err(LowerError::Varies) if self.one_lane_at_a_time && !cx.is_unit() => {
                self.lane_by_lane(cx, &mut |lower, lane| {
                    let element = lower.term_in_lane(element, lane.outer, lane.lane);
                    lower.member(&element, set, lane.cx)
                })
            }
            inside => inside,
        }
    }

    /// Returns for all lanes at once the condition that an element belongs to a set.
    fn member_in_lanes(&mut self, element: &Term, set: &'r Expr, cx: &Cx) -> Result<ValueId> {
        if self.is_known(set, cx) {
            let set = self.known_term(set, cx)?;
            return self.member_of_known(element, &set, cx);
        }
        match &*set.kind {
            ExprKind::Var(var) => match cx.env.get(var.0 as usize) {
                Some(Some(Term::Set(of))) => {
                    let of = of.clone();
                    let inner = self.set_cx(&of.1, cx);
                    self.member(element, self.exprs.get(of.0), &inner)
                }
                Some(Some(term)) => {
                    let term = term.clone();
                    self.member_of_term(element, &term, cx)
                }
                _ => unsupported("a variable without a value", set.span),
            },
            ExprKind::Field(field, keys) => {
                let field = *field;
                let FieldLayout::Members(_) = &self.state.fields[field] else {
                    let term = self.term(set, cx)?;
                    return self.member_of_term(element, &term, cx);
                };
                let keys: Result<Vec<Term>> = keys.iter().map(|key| self.term(key, cx)).collect();
                let cells = self.cells(field, &keys?, cx, set.span)?;
                let FieldLayout::Members(members) = &self.state.fields[field] else { unreachable!() };
                let (elements, slot, single) = (members.elements.clone(), members.slot, members.cells == 1);
                let plane = cx.state[slot.0 as usize];
                if let (Term::Choice(domain, bits), true) = (element, single) {
                    let bits = self.recast(domain, *bits, &elements);
                    let both = self.build.and(bits, plane);
                    return Ok(self.build.any(both));
                }
                let mut found = self.build.truth(false);
                for (value, condition) in self.case_list(element, cx)? {
                    for (cell, there) in &cells {
                        let look: Vec<Option<u32>> = (0..cx.len())
                            .map(|lane| {
                                Some(cell[lane]? as u32 * elements.width + elements.place(value.at(lane)?)?)
                            })
                            .collect();
                        let here = self.gather(cx, plane, &look);
                        let here = self.both(here, condition);
                        let here = self.both(here, *there);
                        found = self.either(found, here);
                    }
                }
                Ok(found)
            }
            ExprKind::SetOp(op, a, b) => {
                let (x, y) = (self.member(element, a, cx)?, self.member(element, b, cx)?);
                let inside = match op {
                    SetOp::Union => self.either(x, y),
                    SetOp::Intersect => self.both(x, y),
                    SetOp::Minus => self.unless(x, y),
                };
                let (x, y) = (self.set_defined(a, cx)?, self.set_defined(b, cx)?);
                let defined = self.both(x, y);
                let element = self.defined(element, cx);
                let defined = self.both(defined, element);
                Ok(self.both(inside, defined))
            }
            ExprKind::SetOf(items) => {
                let mut found = self.build.truth(false);
                let mut defined = self.build.truth(true);
                for item in items {
                    let term = self.term(item, cx)?;
                    let there = self.defined(&term, cx);
                    defined = self.both(defined, there);
                    let equal = self.equal_terms(element, &term, cx, item.span)?;
                    found = self.either(found, equal);
                }
                Ok(self.both(found, defined))
            }
            ExprKind::Range(low, high) => {
                let (low, high) = (self.term(low, cx)?, self.term(high, cx)?);
                let above = self.ordered_terms(&low, element, false, cx, set.span)?;
                let below = self.ordered_terms(element, &high, false, cx, set.span)?;
                Ok(self.both(above, below))
            }
            ExprKind::Collect(binders, body) => {
                if let ([Binder { pattern: Pattern::Var(var), domain, condition }], ExprKind::Var(of)) =
                    (&binders[..], &*body.kind)
                    && var == of
                {
                    // The elements that satisfy a condition: the condition is lowered for this element.
                    let inside = match domain {
                        Range::Fixed(values) => {
                            let set = Static::One(Some(Value::Set(values.clone())));
                            self.member_of_known(element, &set, cx)?
                        }
                        Range::Set(set) => self.member(element, set, cx)?,
                    };
                    if self.build.maybe(inside).is_empty() {
                        return Ok(inside);
                    }
                    let Some(condition) = condition else { return Ok(inside) };
                    let kept = self.formula(condition, &cx.with(*var, element.clone()))?;
                    return Ok(self.both(inside, kept));
                }
                // The element is a variable here, too, so that its lanes are known.
                let (same, inner) = self.element_is(element, body, cx);
                let found = self.exists(binders, &[(same, true)], &inner)?;
                self.unless_undefined_inside(found, binders, cx)
            }
            ExprKind::Fold(Fold::Union, binders, body) => {
                if let Some(found) = self.union_in_sight(element, set, cx)? {
                    return Ok(found);
                }
                // The element is a variable, so that its relation to the others is recognized.
                let (inside, inner) = self.element_in(element, body, cx);
                let found = self.exists(binders, &[(inside, true)], &inner)?;
                self.unless_undefined_inside(found, binders, cx)
            }
            ExprKind::Call(def, args) => {
                let (inner, fits) = self.enter(*def, args, cx, set.span)?;
                let body = &self.rules.defs[*def].body;
                if let Some(found) = self.union_in_sight(element, body, &inner)? {
                    return Ok(self.both(found, fits));
                }
                // For lines of sight, the scalar is lowered without lifting, if that has a form.
                if self.looks_along_lines(body) {
                    match self.member(element, body, &inner) {
                        Err(LowerError::Varies) => {}
                        inside => {
                            let inside = inside?;
                            return Ok(self.both(inside, fits));
                        }
                    }
                }
                // The element is a variable, so that its relation to a scalar is recognized.
                let (asked, with) = self.element_in(element, body, &inner);
                let inside = match self.lifted(asked, &with, &mut |lower, cx| lower.formula(asked, cx))? {
                    Some(lifted) => lifted,
                    None => self.member(element, body, &inner)?,
                };
                Ok(self.both(inside, fits))
            }
            ExprKind::If(c, a, b) => {
                let c = self.formula(c, cx)?;
                match self.build.constant_truth(c) {
                    Some(true) => self.member(element, a, cx),
                    Some(false) => self.member(element, b, cx),
                    None => {
                        let (a, b) = (self.member(element, a, cx)?, self.member(element, b, cx)?);
                        let (yes, no) = (self.both(c, a), self.unless(b, c));
                        Ok(self.either(yes, no))
                    }
                }
            }
            ExprKind::Match(scrutinee, arms) => {
                let scrutinee = self.term(scrutinee, cx)?;
                let mut found = self.build.truth(false);
                for (condition, arm) in self.arms(&scrutinee, arms, cx)? {
                    let inside = self.member(element, &arms[arm].value, cx)?;
                    let here = self.both(condition, inside);
                    found = self.either(found, here);
                }
                Ok(found)
            }
            ExprKind::Let(pattern, bound, body) => {
                let bound = self.term(bound, cx)?;
                let mut inner = cx.clone();
                let fits = self.bind(pattern, &bound, &mut inner, set.span)?;
                let inside = self.member(element, body, &inner)?;
                Ok(self.both(fits, inside))
            }
            ExprKind::Board(function, board, args) => {
                let term = BoardTerm { function: *function, board: *board, args, span: set.span };
                self.member_of_board(element, term, cx)
            }
            ExprKind::Flood(board, from, within) => {
                let (cells, bits) = self.flood(*board, from, within, cx)?;
                let choice = (cells, bits);
                self.member_of_bits(element, &choice.0, choice.1, cx)
            }
            _ => {
                let term = self.term(set, cx)?;
                self.member_of_term(element, &term, cx)
            }
        }
    }

    /// Binds an element to a new variable, and returns the formula that it is in a set.
    fn element_in(&mut self, element: &Term, set: &'r Expr, cx: &Cx) -> (&'r Expr, Cx) {
        let var = bouton_rules::VarId(cx.env.len().max(64) as u32);
        let exprs = &self.exprs;
        let inside = self.membership_formulas.entry((exprs.id(set), var)).or_insert_with(|| {
            let ty = set.ty.element().cloned().unwrap_or(Type::Never);
            let of = Expr::new(ExprKind::Var(var), ty, set.span);
            exprs.make(Expr::new(ExprKind::In(of, set.clone()), Type::Bool, set.span))
        });
        (*inside, cx.with(var, element.clone()))
    }

    /// Binds an element to a new variable, and returns the formula that it is the value of a term.
    fn element_is(&mut self, element: &Term, term: &'r Expr, cx: &Cx) -> (&'r Expr, Cx) {
        let var = bouton_rules::VarId(cx.env.len().max(64) as u32);
        let exprs = &self.exprs;
        let same = self.equality_formulas.entry((exprs.id(term), var)).or_insert_with(|| {
            let of = Expr::new(ExprKind::Var(var), term.ty.clone(), term.span);
            exprs.make(Expr::new(ExprKind::Equal(of, term.clone()), Type::Bool, term.span))
        });
        (*same, cx.with(var, element.clone()))
    }

    /// Returns the condition that an element is in a set given as bits over a domain.
    pub(super) fn member_of_bits(
        &mut self,
        element: &Term,
        domain: &BitDomain,
        bits: ValueId,
        cx: &Cx,
    ) -> Result<ValueId> {
        if let Term::Choice(of, choice) = element {
            let choice = self.recast(of, *choice, domain);
            let both = self.build.and(choice, bits);
            return Ok(self.build.any(both));
        }
        let mut found = self.build.truth(false);
        for (value, condition) in self.case_list(element, cx)? {
            let look: Vec<Option<u32>> = (0..cx.len()).map(|l| domain.place(value.at(l)?)).collect();
            let here = self.gather(cx, bits, &look);
            let here = self.both(here, condition);
            found = self.either(found, here);
        }
        Ok(found)
    }

    /// Returns the condition that an element is in a set given as a term: one of some known sets, or a set's
    /// expression.
    fn member_of_term(&mut self, element: &Term, set: &Term, cx: &Cx) -> Result<ValueId> {
        match set {
            Term::Static(set) => self.member_of_known(element, set, cx),
            Term::Cases(cases) => {
                let mut found = self.build.truth(false);
                for (set, condition) in cases.clone().iter() {
                    let inside = self.member_of_known(element, set, cx)?;
                    let here = self.both(inside, *condition);
                    found = self.either(found, here);
                }
                Ok(found)
            }
            Term::Set(set) => {
                let inner = self.set_cx(&set.1, cx);
                self.member(element, self.exprs.get(set.0), &inner)
            }
            _ => Err(LowerError::Varies),
        }
    }

    fn member_of_known(&mut self, element: &Term, set: &Static, cx: &Cx) -> Result<ValueId> {
        let contains = |set: Option<&Value>, value: Option<&Value>| match (set, value) {
            (Some(Value::Set(items)), Some(value)) => items.binary_search(value).is_ok(),
            (Some(Value::List(items)), Some(value)) => items.contains(value),
            _ => false,
        };
        match element {
            Term::Choice(domain, bits) => {
                if let Static::One(set) = set {
                    let inside = domain.values.iter().zip(&domain.places);
                    let inside = inside.filter(|(v, _)| contains(set.as_ref(), Some(v))).map(|(_, &p)| p);
                    let inside = bouton_base::bits::BitSet::of(domain.width, inside);
                    let inside = self.build.bits(inside);
                    let inside = self.build.and(*bits, inside);
                    return Ok(self.build.any(inside));
                }
                // The elements of each lane are known: no other values matter.
                let mut groups = Displacements::default();
                for lane in 0..cx.len() {
                    let items = match set.at(lane) {
                        Some(Value::Set(items) | Value::List(items)) => &items[..],
                        _ => &[],
                    };
                    for place in items.iter().filter_map(|item| domain.place(item)) {
                        displace(&mut groups, cx, lane, place);
                    }
                }
                self.image_along(groups, domain.width, *bits, cx)
            }
            Term::Number(n) => {
                let Static::One(Some(Value::Set(items))) = set else {
                    let cases = self.as_cases(element, cx)?;
                    return self.member_of_known(&cases, set, cx);
                };
                // A range takes two comparisons, any other set one for each number.
                let numbers: Vec<i64> = items.iter().filter_map(Value::as_int).collect();
                let (Some(&low), Some(&high)) = (numbers.first(), numbers.last()) else {
                    return Ok(self.build.truth(false));
                };
                if high - low + 1 == numbers.len() as i64 {
                    let inside = self.inside(n, low, high);
                    return Ok(self.both(inside, n.defined));
                }
                let mut found = self.build.truth(false);
                for number in numbers {
                    let number = self.build.int(number);
                    let equal = self.build.equal(n.value, number);
                    found = self.either(found, equal);
                }
                Ok(self.both(found, n.defined))
            }
            Term::Static(of) => Ok(self.known_truth(cx, |lane| contains(set.at(lane), of.at(lane)))),
            _ => {
                let mut found = self.build.truth(false);
                for (value, condition) in self.case_list(element, cx)? {
                    let inside = self.known_truth(cx, |lane| contains(set.at(lane), value.at(lane)));
                    let here = self.both(inside, condition);
                    found = self.either(found, here);
                }
                Ok(found)
            }
        }
    }

    /// Returns the lanes that are related to the value of a scalar: moves its bit to those lanes.
    pub(super) fn image(
        &mut self,
        domain: &BitDomain,
        bits: ValueId,
        cx: &Cx,
        related: &dyn Fn(usize, &Value) -> bool,
    ) -> Result<ValueId> {
        self.image_along(displacements(domain, cx, related), domain.width, bits, cx)
    }

    fn image_along(&mut self, groups: Displacements, width: u32, bits: ValueId, cx: &Cx) -> Result<ValueId> {
        if groups.len() > MAX_SHIFTS && cx.lanes.width <= 64 && width <= 4096 {
            // By the place of the value, the lanes that it is related to; the last entry is for no value.
            let mut table = vec![0u64; width as usize + 1];
            for (by, look) in &groups {
                for lane in (0..cx.len()).filter(|&lane| look[lane].is_some()) {
                    let place = cx.lanes.places[lane];
                    table[(place as i32 + by) as usize] |= 1 << place;
                }
            }
            return Ok(self.looked_up(bits, &table, cx.lanes.width));
        }
        self.moved_along(groups, bits, cx)
    }

    /// Returns the lanes that are related to some element of a set.
    pub(super) fn image_of_set(
        &mut self,
        domain: &BitDomain,
        bits: ValueId,
        cx: &Cx,
        related: &dyn Fn(usize, &Value) -> bool,
    ) -> Result<ValueId> {
        self.moved_along(displacements(domain, cx, related), bits, cx)
    }

    fn moved_along(&mut self, groups: Displacements, bits: ValueId, cx: &Cx) -> Result<ValueId> {
        let mut found = self.build.truth(false);
        for look in groups.into_values() {
            let here = self.gather(cx, bits, &look);
            found = self.either(found, here);
        }
        Ok(found)
    }

    /// Looks up the bits for the place of the one bit of a vector in a table, whose last entry is for no bit.
    pub(super) fn looked_up(&mut self, bit: ValueId, table: &[u64], width: u32) -> ValueId {
        let place = self.build.first(bit);
        let bits = self.build.lookup(place, table.iter().map(|&bits| bits as i64).collect());
        self.build.pack(bits, width)
    }

    /// Returns the condition that an element belongs to a set that a function of a board gives.
    fn member_of_board(&mut self, element: &Term, set: BoardTerm<'r>, cx: &Cx) -> Result<ValueId> {
        let BoardTerm { function, board, args, span } = set;
        let (rules, boards) = (self.rules, self.boards.clone());
        let terms: Result<Vec<Term>> = args.iter().map(|arg| self.term(arg, cx)).collect();
        let terms = terms?;
        let choices: Vec<usize> =
            (0..terms.len()).filter(|&i| matches!(terms[i], Term::Choice(..))).collect();
        let [choice] = choices[..] else {
            let term =
                self.applied(&terms, cx, span, &|rules, args| boards.apply(rules, function, board, args))?;
            return self.member_of_term(element, &term, cx);
        };
        let Term::Choice(domain, bits) = terms[choice].clone() else { unreachable!() };
        let known: Vec<Option<Static>> = terms
            .iter()
            .map(|t| match t {
                Term::Static(s) => Some(s.clone()),
                _ => None,
            })
            .collect();
        if known.iter().enumerate().any(|(i, k)| k.is_none() && i != choice) {
            return Err(LowerError::Varies);
        }
        let sets = |lane: usize, value: &Value| {
            let args: Option<Vec<Value>> = known
                .iter()
                .map(|k| match k {
                    Some(of) => of.at(lane).cloned(),
                    None => Some(value.clone()),
                })
                .collect();
            boards.apply(rules, function, board, &args?)
        };
        let contains = |set: Option<Value>, value: Option<&Value>| match (set, value) {
            (Some(Value::Set(items)), Some(value)) => items.binary_search(value).is_ok(),
            _ => false,
        };
        match element {
            Term::Static(of) => {
                self.image(&domain, bits, cx, &|lane, value| contains(sets(lane, value), of.at(lane)))
            }
            Term::Choice(other, at) => {
                // All values related to the one scalar, then the condition that the other is among them.
                let inner = Cx {
                    lanes: Rc::new(Lanes::new(other.places.clone(), other.width, other.stride)),
                    lane: None,
                    ..Cx::empty()
                };
                if !known.iter().flatten().all(|k| matches!(k, Static::One(_))) {
                    return Err(LowerError::Varies);
                }
                let image = self.image(&domain, bits, &inner, &|lane, value| {
                    contains(sets(0, value), Some(&other.values[lane]))
                })?;
                let image = self.vector(&inner, image);
                let both = self.build.and(image, *at);
                Ok(self.build.any(both))
            }
            _ => {
                let mut found = self.build.truth(false);
                for (of, condition) in self.case_list(element, cx)? {
                    let here = self
                        .image(&domain, bits, cx, &|lane, value| contains(sets(lane, value), of.at(lane)))?;
                    let here = self.both(here, condition);
                    found = self.either(found, here);
                }
                Ok(found)
            }
        }
    }

    /// Returns the values that the elements of a set may have.
    pub(super) fn elements(&mut self, set: &'r Expr) -> Result<Vec<Value>> {
        match set.ty.element().and_then(|ty| self.rules.type_values(ty, MAX_SET_ELEMENTS)) {
            Some(values) => Ok(values),
            None => unsupported("a set of very many possible elements", set.span),
        }
    }

    /// Returns a set whose elements do not vary from lane to lane, as bits over all possible elements.
    pub(super) fn set_bits(&mut self, set: &'r Expr, cx: &Cx) -> Result<(Arc<BitDomain>, ValueId)> {
        let vars = self.info(set).vars;
        let inner = self
            .project_cx(cx, &vars)
            .or_else(|stop| if self.varies_any(&vars, cx) { Err(stop) } else { Ok(cx.clone()) })?;
        if let ExprKind::Field(field, keys) = &*set.kind
            && keys.is_empty()
            && let FieldLayout::Members(members) = &self.state.fields[*field]
        {
            return Ok((members.elements.clone(), cx.state[members.slot.0 as usize]));
        }
        let values = self.elements(set)?;
        let domain = Arc::new(BitDomain::new(self.rules, values));
        let over = self.over(&domain, &inner);
        let element = Term::Static(Static::each(domain.values.iter().cloned().map(Some).collect()));
        let bits = self.member(&element, set, &over)?;
        let bits = self.vector(&over, bits);
        Ok((domain, bits))
    }

    /// Returns a context with a lane for each value of a domain.
    pub(super) fn over(&self, domain: &BitDomain, cx: &Cx) -> Cx {
        let lanes = Lanes::new(domain.places.clone(), domain.width, domain.stride);
        Cx { lanes: Rc::new(lanes), lane: None, ..cx.clone() }
    }

    /// Lowers `A = B` for sets.
    pub(super) fn equal_sets(&mut self, a: &'r Expr, b: &'r Expr, cx: &Cx) -> Result<ValueId> {
        let (x, y) = (self.set_defined(a, cx)?, self.set_defined(b, cx)?);
        let defined = self.both(x, y);
        let differs = self.differs(a, b, cx, false)?;
        Ok(self.unless(defined, differs))
    }

    /// Lowers `A in B` for sets.
    pub(super) fn subset(&mut self, a: &'r Expr, b: &'r Expr, cx: &Cx) -> Result<ValueId> {
        let (x, y) = (self.set_defined(a, cx)?, self.set_defined(b, cx)?);
        let defined = self.both(x, y);
        let differs = self.differs(a, b, cx, true)?;
        Ok(self.unless(defined, differs))
    }

    /// Returns the condition that an element is in the first set and not in the second, or, unless `one_way`, vice
    /// versa.
    fn differs(&mut self, a: &'r Expr, b: &'r Expr, cx: &Cx, one_way: bool) -> Result<ValueId> {
        let vars: Vec<_> = self.info(a).vars.iter().chain(self.info(b).vars.iter()).copied().collect();
        if !self.varies_any(&vars, cx) || cx.lane.is_some() {
            let (d, x) = self.set_bits(a, cx)?;
            let (e, y) = self.set_bits(b, cx)?;
            // A value in neither domain is in neither set.
            let mut values: Vec<Value> = d.values.iter().chain(&e.values).cloned().collect();
            values.sort_unstable();
            values.dedup();
            let all = BitDomain::new(self.rules, values);
            let (x, y) = (self.recast(&d, x, &all), self.recast(&e, y, &all));
            let differ = if one_way { self.build.and_not(x, y) } else { self.build.xor(x, y) };
            return Ok(self.build.any(differ));
        }
        // The sets vary: searches for an element of one set that is not in the other, in each direction needed.
        let none = |set: &Expr| matches!(set.constant(), Some(Value::Set(items)) if items.is_empty());
        let mut found = self.build.truth(false);
        for (from, to, wanted) in [(a, b, true), (b, a, !one_way)] {
            if !wanted || none(from) {
                continue;
            }
            let here = self.some_element(from, if none(to) { None } else { Some(to) }, cx)?;
            found = self.either(found, here);
        }
        Ok(found)
    }

    /// Returns the condition that a set has an element, one that is not in another set if `without` gives one.
    fn some_element(&mut self, set: &'r Expr, without: Option<&'r Expr>, cx: &Cx) -> Result<ValueId> {
        if without.is_none() {
            match &*set.kind {
                ExprKind::SetOp(SetOp::Union, a, b) => {
                    let (x, y) = (self.some_element(a, None, cx)?, self.some_element(b, None, cx)?);
                    return Ok(self.either(x, y));
                }
                ExprKind::Collect(binders, _) => {
                    return self.exists(binders, &[], cx);
                }
                ExprKind::Fold(Fold::Union, binders, body) => {
                    return self
                        .exists_where(binders, &[], cx, &mut |lower, cx| lower.some_element(body, None, cx));
                }
                ExprKind::Call(def, args) => {
                    let (inner, fits) = self.enter(*def, args, cx, set.span)?;
                    let found = self.some_element(&self.rules.defs[*def].body, None, &inner)?;
                    return Ok(self.both(found, fits));
                }
                _ if self.is_known(set, cx) => {
                    let known = self.known_term(set, cx)?;
                    return Ok(self.known_truth(
                        cx,
                        |lane| matches!(known.at(lane), Some(Value::Set(items)) if !items.is_empty()),
                    ));
                }
                _ => {}
            }
        }
        let values = self.elements(set)?;
        let var = bouton_rules::VarId(cx.env.len().max(64) as u32);
        let ty = set.ty.element().cloned().unwrap_or(Type::Never);
        let of = |ty: &Type| Expr::new(ExprKind::Var(var), ty.clone(), set.span);
        let member =
            |set: &Expr| self.exprs.make(Expr::new(ExprKind::In(of(&ty), set.clone()), Type::Bool, set.span));
        let mut conditions = vec![(member(set), true)];
        if let Some(other) = without {
            conditions.push((member(other), false));
        }
        let binder =
            Binder { pattern: Pattern::Var(var), domain: Range::Fixed(values.into()), condition: None };
        self.exists(self.exprs.make_binder(binder), &conditions, cx)
    }

    /// Lowers the cardinality `#S`.
    pub(super) fn cardinality(&mut self, set: &'r Expr, cx: &Cx) -> Result<Term> {
        let vars = self.info(set).vars;
        if self.varies_any(&vars, cx) && cx.lane.is_none() {
            return Err(LowerError::Varies);
        }
        let defined = self.set_defined(set, cx)?;
        let defined = self.any_lane(cx, defined);
        let (domain, bits) = self.set_bits(set, cx)?;
        let value = self.build.count(bits);
        let high = domain.values.len() as i64;
        Ok(Term::Number(super::cx::Number { value, defined, low: 0, high }))
    }
}

/// For each distance from lane to value, the place of the value that each lane is related to.
type Displacements = BTreeMap<i32, Vec<Option<u32>>>;

fn displacements(domain: &BitDomain, cx: &Cx, related: &dyn Fn(usize, &Value) -> bool) -> Displacements {
    let mut groups = Displacements::default();
    for lane in 0..cx.len() {
        for (value, &place) in domain.values.iter().zip(&domain.places) {
            if related(lane, value) {
                displace(&mut groups, cx, lane, place);
            }
        }
    }
    groups
}

/// Records that a lane is related to the value at a place.
fn displace(groups: &mut Displacements, cx: &Cx, lane: usize, place: u32) {
    let by = place as i32 - cx.lanes.places[lane] as i32;
    groups.entry(by).or_insert_with(|| vec![None; cx.len()])[lane] = Some(place);
}
