//! Lowering of terms.

use std::rc::Rc;
use std::sync::Arc;

use super::cx::{Cx, Number, Product, Static, Term};
use super::domain::BitDomain;
use super::lanes::MAX_LISTED_CASES;
use super::partial_eval::{PartialEvaluator, PartialValue};
use super::{Lower, LowerError, Result, board_fn, unsupported};
use bouton_base::source::Span;
use bouton_circuit::ValueId;
use bouton_rules::{
    Arith, Arm, ArmPattern, Expr, ExprKind, Fold, Pattern, TableId, Tuple, Type, Value, cell_of,
};

/// The maximal number of cases of a term made of several terms with cases.
const MAX_TERM_CASES: usize = 4096;

impl<'r> Lower<'r> {
    /// Lowers a term.
    pub(super) fn term(&mut self, expr: &'r Expr, cx: &Cx) -> Result<Term> {
        if let ExprKind::Var(var) = &*expr.kind {
            return match cx.env.get(var.0 as usize) {
                Some(Some(term)) => Ok(term.clone()),
                _ => unsupported("a variable without a value", expr.span),
            };
        }
        if self.is_known(expr, cx) {
            return Ok(Term::Static(self.known_term(expr, cx)?));
        }
        if matches!(expr.ty.base(), Type::Bool) && is_condition(&expr.kind) {
            let holds = self.formula(expr, cx)?;
            let not = self.negated(cx, holds);
            let value = |b| Static::One(Some(Value::Bool(b)));
            return Ok(self.cases(vec![(value(true), holds), (value(false), not)]));
        }
        match &*expr.kind {
            ExprKind::Undefined => Ok(Term::Static(Static::One(None))),
            ExprKind::Field(field, keys) => {
                let keys: Result<Vec<Term>> = keys.iter().map(|key| self.term(key, cx)).collect();
                self.field(*field, &keys?, cx, expr.span)
            }
            ExprKind::Table(table, keys) => {
                let keys: Result<Vec<Term>> = keys.iter().map(|key| self.term(key, cx)).collect();
                let table: TableId = *table;
                self.applied(&keys?, cx, expr.span, &|rules, keys| {
                    let table = &rules.tables[table];
                    table.values.get(cell_of(&table.keys, keys)?)?.clone()
                })
            }
            ExprKind::Board(function, board, args) => {
                let args: Result<Vec<Term>> = args.iter().map(|arg| self.term(arg, cx)).collect();
                let (function, board) = (*function, *board);
                if expr.ty.element().is_some() {
                    // A set is not built; it is lowered by the membership of its elements: see `sets`.
                    let args = args?;
                    if args.iter().any(|arg| matches!(arg, Term::Choice(..))) {
                        return Ok(self.set_term(expr, cx));
                    }
                    let boards = self.boards.clone();
                    return self.applied(&args, cx, expr.span, &|rules, args| {
                        boards.apply(rules, function, board, args)
                    });
                }
                self.applied(&args?, cx, expr.span, &|rules, args| {
                    board_fn::apply(rules, function, board, args)
                })
            }
            ExprKind::Call(def, args) => self.call(*def, args, cx, expr.span),
            ExprKind::Arith { op, exact, left, right } => {
                if *exact && *op == Arith::Div {
                    return unsupported("an exact quotient", expr.span);
                }
                let (left, right) = (self.term(left, cx)?, self.term(right, cx)?);
                self.arith(*op, &left, &right, cx, expr.span)
            }
            ExprKind::Negate(a) => {
                let a = self.term(a, cx)?;
                let zero = Term::Static(Static::One(Some(Value::Int(0))));
                self.arith(Arith::Sub, &zero, &a, cx, expr.span)
            }
            ExprKind::Card(set) => self.cardinality(set, cx),
            ExprKind::If(c, a, b) if expr.ty.element().is_none() => {
                let c = self.formula(c, cx)?;
                match self.build.constant_truth(c) {
                    Some(true) => self.term(a, cx),
                    Some(false) => self.term(b, cx),
                    None => {
                        let (a, b) = (self.term(a, cx)?, self.term(b, cx)?);
                        self.chosen(c, &a, &b, cx, expr.span)
                    }
                }
            }
            ExprKind::If(c, a, b) => {
                // Known sets become cases; others are lowered by the membership of their elements.
                if self.is_known(a, cx) && self.is_known(b, cx) {
                    let c = self.formula(c, cx)?;
                    let (a, b) = (self.term(a, cx)?, self.term(b, cx)?);
                    self.chosen(c, &a, &b, cx, expr.span)
                } else {
                    Ok(self.set_term(expr, cx))
                }
            }
            ExprKind::Match(scrutinee, arms) => self.matched(scrutinee, arms, cx, expr.span),
            ExprKind::Let(pattern, bound, body) => {
                let bound = self.term(bound, cx)?;
                let mut inner = cx.clone();
                let fits = self.bind(pattern, &bound, &mut inner, expr.span)?;
                let body = self.term(body, &inner)?;
                self.only_where(fits, &body, cx)
            }
            ExprKind::Tuple(record, written) => {
                let parts: Result<Vec<Term>> = written.iter().map(|part| self.term(part, cx)).collect();
                let mut parts = parts?;
                let mut defined = self.build.truth(true);
                for part in &parts {
                    let part = self.defined(part, cx);
                    defined = self.both(defined, part);
                }
                // A record with a part outside its type is undefined.
                let rules = self.rules;
                let types = record.iter().flat_map(|&record| &rules.records[record].parts);
                for ((part, expr), (_, ty)) in parts.iter().zip(written).zip(types) {
                    if !self.surely_fits(expr, ty) {
                        let inside = self.within(part, ty, cx, expr.span)?;
                        defined = self.both(defined, inside);
                    }
                }
                // A tuple without a value has no parts.
                if self.build.constant_truth(defined) != Some(true) {
                    for part in &mut parts {
                        *part = self.only_where(defined, part, cx)?;
                    }
                }
                Ok(Term::Product(Rc::new(Product { record: *record, defined, present: defined, parts })))
            }
            ExprKind::Part(whole, n) => {
                let whole = self.term(whole, cx)?;
                self.part(&whole, *n, cx, expr.span)
            }
            ExprKind::Present(a) => {
                let a = self.term(a, cx)?;
                self.present(&a)
            }
            ExprKind::Fold(fold, binders, body) => match fold {
                Fold::Union => Ok(self.set_term(expr, cx)),
                _ => self.fold(*fold, binders, body, expr, cx),
            },
            ExprKind::Flood(..)
            | ExprKind::SetOp(..)
            | ExprKind::SetOf(_)
            | ExprKind::Range(..)
            | ExprKind::Collect(..) => Ok(self.set_term(expr, cx)),
            _ => unsupported("a term of this kind", expr.span),
        }
    }

    /// Returns a set that depends on the position, as its expression in this context.
    fn set_term(&mut self, expr: &'r Expr, cx: &Cx) -> Term {
        Term::Set(Rc::new((self.exprs.id(expr), cx.clone())))
    }

    /// Binds the variables of a pattern; returns the condition that the term is defined and fits.
    pub(super) fn bind(
        &mut self,
        pattern: &Pattern,
        term: &Term,
        cx: &mut Cx,
        span: Span,
    ) -> Result<ValueId> {
        match pattern {
            Pattern::Var(var) => {
                let defined = self.term_defined(term, cx)?;
                cx.bind(*var, term.clone());
                Ok(defined)
            }
            Pattern::Tuple(patterns) => {
                let mut fits = self.defined(term, cx);
                for (n, pattern) in patterns.iter().enumerate() {
                    let part = self.part(term, n as u32, cx, span)?;
                    let part = self.bind(pattern, &part, cx, span)?;
                    fits = self.both(fits, part);
                }
                Ok(fits)
            }
        }
    }

    /// Returns the condition that a term has a value; for a set, that all its parts have.
    pub(super) fn term_defined(&mut self, term: &Term, cx: &Cx) -> Result<ValueId> {
        match term {
            Term::Set(set) => {
                let inner = self.set_cx(&set.1, cx);
                self.set_defined(self.exprs.get(set.0), &inner)
            }
            _ => Ok(self.defined(term, cx)),
        }
    }

    /// Returns the condition that a term has a value. Sets count as defined.
    pub(super) fn defined(&mut self, term: &Term, cx: &Cx) -> ValueId {
        match term {
            Term::Static(Static::One(value)) => self.build.truth(value.is_some()),
            Term::Static(Static::Each(values)) => self.known_truth(cx, |lane| values[lane].is_some()),
            Term::Cases(cases) => {
                let mut defined = self.build.truth(false);
                for (of, condition) in cases.iter() {
                    let there = self.known_truth(cx, |lane| of.at(lane).is_some());
                    let there = self.both(there, *condition);
                    defined = self.either(defined, there);
                }
                defined
            }
            Term::Product(p) => p.defined,
            Term::Number(n) => n.defined,
            Term::Choice(_, bits) => self.build.any(*bits),
            Term::Set(_) => self.build.truth(true),
        }
    }

    /// Returns the condition that a term has a value other than `none`, as a function of cells needs.
    pub(super) fn is_something(&mut self, term: &Term, cx: &Cx) -> ValueId {
        let some = |value: Option<&Value>| value.is_some_and(|value| *value != Value::None);
        match term {
            Term::Static(of) => self.known_truth(cx, |lane| some(of.at(lane))),
            Term::Cases(cases) => {
                let mut something = self.build.truth(false);
                for (of, condition) in cases.iter() {
                    let there = self.known_truth(cx, |lane| some(of.at(lane)));
                    let there = self.both(there, *condition);
                    something = self.either(something, there);
                }
                something
            }
            Term::Product(p) => p.present,
            Term::Choice(domain, bits) => {
                let places = domain.values.iter().zip(&domain.places);
                let places = places.filter(|(value, _)| **value != Value::None).map(|(_, &place)| place);
                let mask = bouton_base::bits::BitSet::of(domain.width, places);
                let mask = self.build.bits(mask);
                let bits = self.build.and(*bits, mask);
                self.build.any(bits)
            }
            Term::Number(_) | Term::Set(_) => self.defined(term, cx),
        }
    }

    /// Returns the same term, undefined if a condition does not hold.
    pub(super) fn only_where(&mut self, condition: ValueId, term: &Term, cx: &Cx) -> Result<Term> {
        if self.build.constant_truth(condition) == Some(true) {
            return Ok(term.clone());
        }
        Ok(match term {
            Term::Static(of) => self.cases(vec![(of.clone(), condition)]),
            Term::Cases(cases) => {
                let kept = cases.iter().map(|(v, c)| (v.clone(), self.both(*c, condition))).collect();
                self.cases(kept)
            }
            Term::Product(p) => {
                let (defined, present) = (self.both(p.defined, condition), self.both(p.present, condition));
                let parts: Result<Vec<Term>> =
                    p.parts.iter().map(|t| self.only_where(condition, t, cx)).collect();
                Term::Product(Rc::new(Product { record: p.record, defined, present, parts: parts? }))
            }
            Term::Number(n) => Term::Number(Number { defined: self.both(n.defined, condition), ..*n }),
            Term::Choice(domain, bits) if self.build.width(condition) == 1 => {
                let spread = self.build.spread(condition, domain.width);
                Term::Choice(domain.clone(), self.build.and(*bits, spread))
            }
            Term::Choice(..) => {
                let cases = self.as_cases(term, cx)?;
                return self.only_where(condition, &cases, cx);
            }
            Term::Set(_) => return Err(LowerError::Varies),
        })
    }

    /// Returns the first term if the condition holds, otherwise the second.
    pub(super) fn chosen(&mut self, c: ValueId, a: &Term, b: &Term, cx: &Cx, span: Span) -> Result<Term> {
        match (a, b) {
            (Term::Choice(da, x), Term::Choice(db, y))
                if da.values == db.values && self.build.width(c) == 1 =>
            {
                let bits = self.build.select(c, *x, *y);
                return Ok(Term::Choice(da.clone(), bits));
            }
            // A number in bits has no `none`: beside a term that may be it, both become cases.
            (Term::Number(_), _) | (_, Term::Number(_)) if !may_be_none(a) && !may_be_none(b) => {
                let c = match self.build.width(c) {
                    1 => c,
                    _ if cx.lane.is_some() => self.any_lane(cx, c),
                    _ => return Err(LowerError::Varies),
                };
                let (x, y) = (self.number(a, cx, span)?, self.number(b, cx, span)?);
                let defined = if self.build.width(x.defined) == self.build.width(y.defined) {
                    self.build.select(c, x.defined, y.defined)
                } else {
                    // One has a value in some lanes, the other in all or in none.
                    let not = self.build.not(c);
                    let (first, other) = (self.both(x.defined, c), self.both(y.defined, not));
                    self.either(first, other)
                };
                return Ok(Term::Number(Number {
                    value: self.build.select(c, x.value, y.value),
                    defined,
                    low: x.low.min(y.low),
                    high: x.high.max(y.high),
                }));
            }
            _ => {}
        }
        let not = self.negated(cx, c);
        if let (Term::Product(x), Term::Product(y)) = (a, b) {
            let (x, y) = (x.clone(), y.clone());
            let pick = |lower: &mut Self, p, q| {
                let p = lower.both(p, c);
                let q = lower.both(q, not);
                lower.either(p, q)
            };
            let defined = pick(self, x.defined, y.defined);
            let present = pick(self, x.present, y.present);
            let parts = x
                .parts
                .iter()
                .zip(&y.parts)
                .map(|(s, t)| self.chosen(c, s, t, cx, span))
                .collect::<Result<_>>()?;
            return Ok(Term::Product(Rc::new(Product { record: x.record, defined, present, parts })));
        }
        let (a, b) = (self.case_list(a, cx)?, self.case_list(b, cx)?);
        let mut cases = Vec::new();
        for (list, condition) in [(a, c), (b, not)] {
            for (value, of) in list {
                let of = self.both(of, condition);
                cases.push((value, of));
            }
        }
        Ok(self.cases(cases))
    }

    /// Returns the cases of a term with finitely many values.
    pub(super) fn case_list(&mut self, term: &Term, cx: &Cx) -> Result<Vec<(Static, ValueId)>> {
        Ok(match self.as_cases(term, cx)? {
            Term::Cases(cases) => cases.to_vec(),
            Term::Static(of) => {
                let always = self.build.truth(true);
                vec![(of, always)]
            }
            _ => return Err(LowerError::Varies),
        })
    }

    /// Converts a term to cases, or to a static value.
    pub(super) fn as_cases(&mut self, term: &Term, cx: &Cx) -> Result<Term> {
        match term {
            Term::Static(_) | Term::Cases(_) => Ok(term.clone()),
            Term::Product(p) => {
                let mut found: Vec<(Vec<Static>, ValueId)> = vec![(Vec::new(), p.present)];
                for part in &p.parts {
                    let part = self.case_list(part, cx)?;
                    let mut next = Vec::new();
                    for (parts, condition) in &found {
                        for (value, of) in &part {
                            let both = self.both(*condition, *of);
                            if !self.build.maybe(both).is_empty() {
                                next.push((parts.iter().cloned().chain([value.clone()]).collect(), both));
                            }
                        }
                    }
                    found = next;
                    if found.len() > MAX_TERM_CASES {
                        return Err(LowerError::Varies);
                    }
                }
                let none = self.unless(p.defined, p.present);
                let mut cases = vec![(Static::One(Some(Value::None)), none)];
                for (parts, condition) in found {
                    let varies = parts.iter().any(|s| matches!(s, Static::Each(_)));
                    let lanes = if varies { cx.len() } else { 1 };
                    let value = |lane: usize| {
                        let parts: Option<Vec<Value>> = parts.iter().map(|s| s.at(lane).cloned()).collect();
                        Some(Value::Tuple(Tuple { record: p.record, parts: parts? }.into()))
                    };
                    cases.push((Static::each((0..lanes).map(value).collect()), condition));
                }
                Ok(self.cases(cases))
            }
            Term::Number(n) if n.high.saturating_sub(n.low) < 256 => {
                let mut cases = Vec::new();
                for value in n.low..=n.high {
                    let constant = self.build.int(value);
                    let equal = self.build.equal(n.value, constant);
                    let equal = self.both(equal, n.defined);
                    cases.push((Static::One(Some(Value::Int(value))), equal));
                }
                Ok(self.cases(cases))
            }
            Term::Choice(domain, bits) => {
                let mut cases = Vec::new();
                for (value, &place) in domain.values.iter().zip(&domain.places) {
                    let bit = self.bit(*bits, place);
                    cases.push((Static::One(Some(value.clone())), bit));
                }
                Ok(self.cases(cases))
            }
            Term::Number(_) | Term::Set(_) => Err(LowerError::Varies),
        }
    }

    /// Returns one bit of a vector.
    pub(super) fn bit(&mut self, vector: ValueId, place: u32) -> ValueId {
        let moved = self.build.shift(vector, -(place as i32));
        self.build.resize(moved, 1)
    }

    /// Returns a part of a record or tuple.
    pub(super) fn part(&mut self, whole: &Term, n: u32, cx: &Cx, span: Span) -> Result<Term> {
        let part = |value: &Value| match value {
            Value::Tuple(tuple) => tuple.parts.get(n as usize).cloned(),
            _ => None,
        };
        match whole {
            Term::Product(p) => Ok(p.parts[n as usize].clone()),
            _ => self.applied(std::slice::from_ref(whole), cx, span, &|_, values| part(&values[0])),
        }
    }

    /// Returns the same term, undefined if it is `none`.
    pub(super) fn present(&mut self, term: &Term) -> Result<Term> {
        let keep = |of: &Static| match of {
            Static::One(value) => Static::One(value.clone().filter(|v| *v != Value::None)),
            Static::Each(values) => {
                Static::each(values.iter().map(|v| v.clone().filter(|v| *v != Value::None)).collect())
            }
        };
        Ok(match term {
            Term::Static(of) => Term::Static(keep(of)),
            Term::Cases(cases) => {
                let kept = cases.iter().map(|(of, c)| (keep(of), *c));
                let kept = kept.filter(|(of, _)| !matches!(of, Static::One(None))).collect();
                self.cases(kept)
            }
            Term::Product(p) => Term::Product(Rc::new(Product { defined: p.present, ..(**p).clone() })),
            Term::Choice(domain, bits) => match domain.place(&Value::None) {
                Some(place) => {
                    let mut mask = domain.mask();
                    mask = mask.minus(&bouton_base::bits::BitSet::of(domain.width, [place]));
                    let mask = self.build.bits(mask);
                    Term::Choice(domain.clone(), self.build.and(*bits, mask))
                }
                None => term.clone(),
            },
            Term::Number(_) | Term::Set(_) => term.clone(),
        })
    }

    /// Applies a constant function to terms, strict in all of them.
    pub(super) fn applied(
        &mut self,
        args: &[Term],
        cx: &Cx,
        span: Span,
        function: &dyn Fn(&bouton_rules::Rules, &[Value]) -> Option<Value>,
    ) -> Result<Term> {
        let rules = self.rules;
        // For one dynamic scalar, its bit moves to the place of the function's value.
        let choices: Vec<usize> = (0..args.len()).filter(|&i| matches!(args[i], Term::Choice(..))).collect();
        let rest_is_one = |args: &[Term]| {
            args.iter().all(|arg| matches!(arg, Term::Choice(..) | Term::Static(Static::One(_))))
        };
        if let [choice] = choices[..]
            && rest_is_one(args)
            && let Term::Choice(domain, bits) = args[choice].clone()
        {
            let values: Vec<Option<Value>> = domain
                .values
                .iter()
                .map(|value| {
                    let args: Option<Vec<Value>> = args
                        .iter()
                        .map(|arg| match arg {
                            Term::Static(of) => of.at(0).cloned(),
                            _ => Some(value.clone()),
                        })
                        .collect();
                    function(rules, &args?)
                })
                .collect();
            let mut distinct: Vec<Value> = values.iter().flatten().cloned().collect();
            distinct.sort_unstable();
            distinct.dedup();
            let inner = Cx {
                lanes: Rc::new(super::cx::Lanes::new(domain.places.clone(), domain.width, domain.stride)),
                lane: None,
                ..Cx::empty()
            };
            if distinct.len() > MAX_LISTED_CASES && !distinct.iter().any(|v| matches!(v, Value::Set(_))) {
                let to = BitDomain::new(rules, distinct);
                let point: Vec<Option<u32>> = values.iter().map(|v| to.place(v.as_ref()?)).collect();
                let moved = self.scatter(&inner, bits, &point, to.width);
                return Ok(Term::Choice(Arc::new(to), moved));
            }
            let mut cases = Vec::new();
            for value in distinct {
                let here = inner.lanes.set(|lane| values[lane].as_ref() == Some(&value));
                let here = self.build.bits(here);
                let here = self.build.and(bits, here);
                let here = self.build.any(here);
                cases.push((Static::One(Some(value)), here));
            }
            return Ok(self.cases(cases));
        }
        let mut lists: Vec<(Vec<Static>, ValueId)> = vec![(Vec::new(), self.build.truth(true))];
        for arg in args {
            let arg = self.case_list(arg, cx)?;
            let mut next = Vec::new();
            for (values, condition) in &lists {
                for (value, of) in &arg {
                    let both = self.both(*condition, *of);
                    if !self.build.maybe(both).is_empty() {
                        next.push((values.iter().cloned().chain([value.clone()]).collect(), both));
                    }
                }
            }
            lists = next;
            if lists.len() > MAX_TERM_CASES {
                return unsupported("a function of too many possible values", span);
            }
        }
        let mut cases = Vec::new();
        for (values, condition) in lists {
            let lanes = if values.iter().any(|s| matches!(s, Static::Each(_))) { cx.len() } else { 1 };
            let result = |lane: usize| {
                let values: Option<Vec<Value>> = values.iter().map(|s| s.at(lane).cloned()).collect();
                function(rules, &values?)
            };
            let result = Static::each((0..lanes).map(result).collect());
            if !matches!(result, Static::One(None)) {
                cases.push((result, condition));
            }
        }
        Ok(self.cases(cases))
    }

    fn matched(&mut self, scrutinee: &'r Expr, arms: &'r [Arm], cx: &Cx, span: Span) -> Result<Term> {
        let scrutinee = self.term(scrutinee, cx)?;
        let mut result: Option<Term> = None;
        for (condition, arm) in self.arms(&scrutinee, arms, cx)? {
            let value = self.term(&arms[arm].value, cx)?;
            let value = self.only_where(condition, &value, cx)?;
            result = Some(match result {
                None => value,
                Some(other) => self.chosen(condition, &value, &other, cx, span)?,
            });
        }
        Ok(result.unwrap_or(Term::Static(Static::One(None))))
    }

    /// Returns the arms of a `match` that may fit, each with its condition; the conditions exclude each other.
    pub(super) fn arms(
        &mut self,
        scrutinee: &Term,
        arms: &'r [Arm],
        cx: &Cx,
    ) -> Result<Vec<(ValueId, usize)>> {
        let mut found: Vec<(ValueId, usize)> = Vec::new();
        let mut rest = self.defined(scrutinee, cx);
        for (i, arm) in arms.iter().enumerate() {
            if self.build.maybe(rest).is_empty() {
                break;
            }
            let fits = self.fits(&arm.pattern, scrutinee, cx)?;
            let here = self.both(rest, fits);
            rest = self.unless(rest, fits);
            if !self.build.maybe(here).is_empty() {
                found.push((here, i));
            }
        }
        Ok(found)
    }

    fn fits(&mut self, pattern: &'r ArmPattern, term: &Term, cx: &Cx) -> Result<ValueId> {
        match (pattern, term) {
            (ArmPattern::Any, _) => Ok(self.build.truth(true)),
            (ArmPattern::Tuple(patterns), Term::Product(p)) => {
                let mut fits = p.present;
                for (pattern, part) in patterns.iter().zip(&p.parts) {
                    let part = self.fits(pattern, part, cx)?;
                    fits = self.both(fits, part);
                }
                Ok(fits)
            }
            (ArmPattern::Value(expr), _) => {
                let value = self.term(expr, cx)?;
                self.equal_terms(term, &value, cx, expr.span)
            }
            (ArmPattern::OneOf(set), _) => self.member(term, set, cx),
            (ArmPattern::Tuple(_), _) => {
                let cases = self.case_list(term, cx)?;
                let mut fits = self.build.truth(false);
                for (value, condition) in cases {
                    let holds: Vec<bool> = {
                        let knower = PartialEvaluator { lower: self, turn: cx.turn };
                        let mut env: Vec<PartialValue> = Vec::new();
                        let lanes = if matches!(value, Static::Each(_)) { cx.len() } else { 1 };
                        (0..lanes)
                            .map(|lane| value.at(lane).is_some_and(|v| knower.fits(pattern, v, &mut env)))
                            .collect()
                    };
                    let here = self.known_truth(cx, |lane| holds[if holds.len() > 1 { lane } else { 0 }]);
                    let here = self.both(here, condition);
                    fits = self.either(fits, here);
                }
                Ok(fits)
            }
        }
    }
}

/// Returns true if a term may have the value `none`.
fn may_be_none(term: &Term) -> bool {
    let is_none = |value: &Option<Value>| *value == Some(Value::None);
    let has_none = |of: &Static| match of {
        Static::One(value) => is_none(value),
        Static::Each(values) => values.iter().any(is_none),
    };
    match term {
        Term::Static(of) => has_none(of),
        Term::Cases(cases) => cases.iter().any(|(value, _)| has_none(value)),
        Term::Choice(domain, _) => domain.values.contains(&Value::None),
        Term::Number(_) | Term::Product(_) | Term::Set(_) => false,
    }
}

/// Returns true if a term of type `bool` is lowered as a formula: it always has a value. Calls and choices have none
/// where their parts have none.
pub(super) fn is_condition(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Not(_)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Implies(..)
            | ExprKind::Iff(..)
            | ExprKind::Equal(..)
            | ExprKind::Less(..)
            | ExprKind::LessEqual(..)
            | ExprKind::In(..)
            | ExprKind::Subset(..)
            | ExprKind::Defined(_)
            | ExprKind::Quant(..)
            | ExprKind::Stuck
            | ExprKind::StuckPlayer(_)
    )
}
