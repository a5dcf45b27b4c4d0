//! Terms.

use std::rc::Rc;
use std::sync::Arc;

use super::cx::{Cx, Number, Product, Static, Term};
use super::domain::Domain;
use super::known::{Knower, Known, arith};
use super::lanes::MANY_CASES;
use super::state::{FEW_CELLS, Held, MANY_VALUES};
use super::{Lower, Result, Stop, board_fn, unsupported};
use crate::circuit::ValueId;
use crate::rules::{
    Arith, Arm, ArmPattern, DefId, Expr, ExprKind, FieldId, Fold, Pattern, TableId, Tuple, Type, Value,
    cell_of,
};
use crate::source::Span;

/// Cases are not multiplied past this.
const MOST_CASES: usize = 4096;

impl<'r> Lower<'r> {
    /// A term.
    pub(super) fn term(&mut self, expr: &Expr, cx: &Cx) -> Result<Term> {
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
            // A condition as a value is always defined, unless it is a call without its arguments.
            let holds = self.formula(expr, cx)?;
            let not = self.negated(cx, holds);
            let called = self.has_arguments(expr, cx)?;
            let not = self.both(not, called);
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
                    // Of a set it is asked what its elements are: see `sets`.
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
                // Sets that are known are cases; others are asked for their elements.
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
            ExprKind::Tuple(record, parts) => {
                let parts: Result<Vec<Term>> = parts.iter().map(|part| self.term(part, cx)).collect();
                let parts = parts?;
                let mut defined = self.build.truth(true);
                for part in &parts {
                    let part = self.defined(part, cx);
                    defined = self.both(defined, part);
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

    /// A set that depends on the position, as it is written here.
    fn set_term(&mut self, expr: &Expr, cx: &Cx) -> Term {
        Term::Set(Rc::new((self.kept(expr), cx.clone())))
    }

    /// Binds what a pattern names; gives where the term is defined and fits.
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

    /// Where a term has a value; of a set, where all that it is made of has.
    pub(super) fn term_defined(&mut self, term: &Term, cx: &Cx) -> Result<ValueId> {
        match term {
            Term::Set(set) => {
                let inner = self.set_cx(&set.1, cx);
                self.set_defined(&set.0, &inner)
            }
            _ => Ok(self.defined(term, cx)),
        }
    }

    /// Where a term has a value.
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

    /// Where a term has a value that is not `none`: what a function of cells needs.
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
                let mask = crate::base::bits::BitSet::of(domain.width, places);
                let mask = self.build.bits(mask);
                let bits = self.build.and(*bits, mask);
                self.build.any(bits)
            }
            Term::Number(_) | Term::Set(_) => self.defined(term, cx),
        }
    }

    /// The same where a condition holds, otherwise undefined.
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
            Term::Set(_) => return Err(Stop::Varies),
        })
    }

    /// One term or another.
    pub(super) fn chosen(&mut self, c: ValueId, a: &Term, b: &Term, cx: &Cx, span: Span) -> Result<Term> {
        match (a, b) {
            (Term::Choice(da, x), Term::Choice(db, y))
                if da.values == db.values && self.build.width(c) == 1 =>
            {
                let bits = self.build.select(c, *x, *y);
                return Ok(Term::Choice(da.clone(), bits));
            }
            (Term::Number(_), _) | (_, Term::Number(_)) => {
                let c = match self.build.width(c) {
                    1 => c,
                    _ if cx.lane.is_some() => self.somewhere(cx, c),
                    _ => return Err(Stop::Varies),
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

    /// The cases of a term of finitely many values.
    pub(super) fn case_list(&mut self, term: &Term, cx: &Cx) -> Result<Vec<(Static, ValueId)>> {
        Ok(match self.as_cases(term, cx)? {
            Term::Cases(cases) => cases.to_vec(),
            Term::Static(of) => {
                let always = self.build.truth(true);
                vec![(of, always)]
            }
            _ => return Err(Stop::Varies),
        })
    }

    /// A term as cases, or known.
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
                    if found.len() > MOST_CASES {
                        return Err(Stop::Varies);
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
            Term::Number(_) | Term::Set(_) => Err(Stop::Varies),
        }
    }

    /// One bit of a vector.
    pub(super) fn bit(&mut self, vector: ValueId, place: u32) -> ValueId {
        let moved = self.build.shift(vector, -(place as i32));
        self.build.resize(moved, 1)
    }

    /// A part of a record or tuple.
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

    /// Undefined where it is `none`.
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
                    mask = mask.minus(&crate::base::bits::BitSet::of(domain.width, [place]));
                    let mask = self.build.bits(mask);
                    Term::Choice(domain.clone(), self.build.and(*bits, mask))
                }
                None => term.clone(),
            },
            Term::Number(_) | Term::Set(_) => term.clone(),
        })
    }

    /// A constant function of terms, strict in all of them.
    pub(super) fn applied(
        &mut self,
        args: &[Term],
        cx: &Cx,
        span: Span,
        function: &dyn Fn(&crate::rules::Rules, &[Value]) -> Option<Value>,
    ) -> Result<Term> {
        let rules = self.rules;
        // One dynamic scalar: its bit goes to where the function leads.
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
            if distinct.len() > MANY_CASES && !distinct.iter().any(|v| matches!(v, Value::Set(_))) {
                let to = Domain::new(rules, distinct);
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
            if lists.len() > MOST_CASES {
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

    /// A term as a number.
    pub(super) fn number(&mut self, term: &Term, cx: &Cx, span: Span) -> Result<Number> {
        match term {
            Term::Number(n) => Ok(*n),
            Term::Static(Static::One(Some(Value::Int(n)))) => {
                let (value, defined) = (self.build.int(*n), self.build.truth(true));
                Ok(Number { value, defined, low: *n, high: *n })
            }
            Term::Static(Static::One(None)) => {
                let (value, defined) = (self.build.int(0), self.build.truth(false));
                Ok(Number { value, defined, low: 0, high: 0 })
            }
            Term::Static(Static::Each(_)) | Term::Cases(_) if cx.lane.is_some() => {
                let settled = self.settled(cx, term)?;
                let cases = self.case_list(&settled, &Cx { lane: None, ..Cx::empty() })?;
                self.number_of_cases(&cases, span)
            }
            Term::Cases(cases) if !self.varies(term) => self.number_of_cases(&cases.to_vec(), span),
            Term::Choice(domain, bits) => {
                let table: Option<Vec<i64>> = domain.values.iter().map(Value::as_int).collect();
                let Some(table) = table else { return unsupported("a number", span) };
                let (low, high) = (*table.iter().min().unwrap_or(&0), *table.iter().max().unwrap_or(&0));
                let place = self.build.first(*bits);
                let value = self.build.lookup(place, table);
                let defined = self.build.any(*bits);
                Ok(Number { value, defined, low, high })
            }
            _ => Err(Stop::Varies),
        }
    }

    fn number_of_cases(&mut self, cases: &[(Static, ValueId)], span: Span) -> Result<Number> {
        let (mut value, mut defined) = (None, self.build.truth(false));
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        for (of, condition) in cases {
            let n = match of.at(0) {
                Some(Value::Int(n)) => *n,
                None => continue,
                Some(_) => return unsupported("a number", span),
            };
            (low, high) = (low.min(n), high.max(n));
            let n = self.build.int(n);
            value = Some(match value {
                None => n,
                Some(other) => self.build.select(*condition, n, other),
            });
            defined = self.either(defined, *condition);
        }
        let value = value.unwrap_or_else(|| self.build.int(0));
        Ok(Number { value, defined, low: low.min(high), high: high.max(low) })
    }

    pub(super) fn arith(&mut self, op: Arith, a: &Term, b: &Term, cx: &Cx, span: Span) -> Result<Term> {
        // Known numbers of the lanes, and cases of them, stay what they are.
        let few = |lower: &Self, t: &Term| match t {
            Term::Static(_) => true,
            Term::Cases(cases) => lower.varies(t) || cases.len() <= 4,
            _ => false,
        };
        if few(self, a) && few(self, b) {
            return self.applied(&[a.clone(), b.clone()], cx, span, &|_, values| match values {
                [Value::Int(a), Value::Int(b)] => arith(op, *a, *b),
                [a, b] if op == Arith::Min => Some(a.clone().min(b.clone())),
                [a, b] if op == Arith::Max => Some(a.clone().max(b.clone())),
                _ => None,
            });
        }
        if let (Arith::Min | Arith::Max, Term::Choice(domain, _), _)
        | (Arith::Min | Arith::Max, _, Term::Choice(domain, _)) = (op, a, b)
            && domain.values.iter().any(|v| v.as_int().is_none())
        {
            return Err(Stop::Varies);
        }
        let (x, y) = (self.number(a, cx, span)?, self.number(b, cx, span)?);
        let mut defined = self.both(x.defined, y.defined);
        let wide = |f: fn(i64, i64) -> i64| {
            let ends = [f(x.low, y.low), f(x.low, y.high), f(x.high, y.low), f(x.high, y.high)];
            (ends.into_iter().min().unwrap_or(0), ends.into_iter().max().unwrap_or(0))
        };
        let build = &mut self.build;
        let (value, (low, high)) = match op {
            Arith::Add => (build.plus(x.value, y.value), wide(i64::saturating_add)),
            Arith::Sub => (build.minus(x.value, y.value), wide(i64::saturating_sub)),
            Arith::Mul => (build.times(x.value, y.value), wide(i64::saturating_mul)),
            Arith::Min => (build.min(x.value, y.value), wide(i64::min)),
            Arith::Max => (build.max(x.value, y.value), wide(i64::max)),
            Arith::Div => {
                let most = x.low.saturating_abs().max(x.high.saturating_abs());
                (build.div(x.value, y.value), (-most.saturating_add(1), most))
            }
            Arith::Mod => {
                let most = y.low.saturating_abs().max(y.high.saturating_abs());
                (build.modulo(x.value, y.value), (0, most))
            }
        };
        if matches!(op, Arith::Div | Arith::Mod) {
            let zero = self.build.int(0);
            let none = self.build.equal(y.value, zero);
            defined = self.unless(defined, none);
        }
        Ok(Term::Number(Number { value, defined, low, high }))
    }

    fn matched(&mut self, scrutinee: &Expr, arms: &[Arm], cx: &Cx, span: Span) -> Result<Term> {
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

    /// The arms of a `match` that may fit, each with when it does; they exclude each other.
    pub(super) fn arms(&mut self, scrutinee: &Term, arms: &[Arm], cx: &Cx) -> Result<Vec<(ValueId, usize)>> {
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

    fn fits(&mut self, pattern: &ArmPattern, term: &Term, cx: &Cx) -> Result<ValueId> {
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
                        let knower = Knower { lower: self, turn: cx.turn };
                        let mut env: Vec<Known> = Vec::new();
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

    /// Where the arguments of a call have values, and those of the call that is all its definition says.
    fn has_arguments(&mut self, expr: &Expr, cx: &Cx) -> Result<ValueId> {
        let ExprKind::Call(def, args) = &*expr.kind else { return Ok(self.build.truth(true)) };
        let (inner, fits) = self.enter(*def, args, cx, expr.span)?;
        let of = &self.rules.defs[*def];
        if of.group.is_some() {
            return Ok(fits);
        }
        let inner = self.has_arguments(&of.body, &inner)?;
        Ok(self.both(fits, inner))
    }

    /// A definition applied.
    fn call(&mut self, def: DefId, args: &[Expr], cx: &Cx, span: Span) -> Result<Term> {
        let rules = self.rules;
        let of = &rules.defs[def];
        if of.group.is_some() {
            let holds = self.inductive(def, args, cx, span)?;
            let not = self.negated(cx, holds);
            let value = |b| Static::One(Some(Value::Bool(b)));
            return Ok(self.cases(vec![(value(true), holds), (value(false), not)]));
        }
        let (inner, fits) = self.enter(def, args, cx, span)?;
        let body = self.term(&of.body, &inner)?;
        let body = match (&body, &of.ty) {
            (Term::Set(_), _) => {
                return if self.build.constant_truth(fits) == Some(true) {
                    Ok(body)
                } else {
                    Err(Stop::Varies)
                };
            }
            (Term::Number(n), Type::Int(low, high)) => {
                let inside = self.inside(n, *low, *high);
                self.only_where(inside, &body, cx)?
            }
            (Term::Static(_) | Term::Cases(_), Type::Int(..)) => {
                self.applied(&[body], cx, span, &|_, v| {
                    Some(v[0].clone()).filter(|v| super::known::in_range(&of.ty, v))
                })?
            }
            _ => body,
        };
        self.only_where(fits, &body, cx)
    }

    /// Whether a number lies in a range; known where its bounds say so.
    pub(super) fn inside(&mut self, n: &Number, low: i64, high: i64) -> ValueId {
        let mut inside = self.build.truth(true);
        if n.low < low {
            let low = self.build.int(low);
            let under = self.build.less(n.value, low);
            inside = self.unless(inside, under);
        }
        if n.high > high {
            let high = self.build.int(high);
            let over = self.build.less(high, n.value);
            inside = self.unless(inside, over);
        }
        inside
    }

    /// The inside of a definition: its parameters bound, and where all arguments are values of them.
    pub(super) fn enter(&mut self, def: DefId, args: &[Expr], cx: &Cx, span: Span) -> Result<(Cx, ValueId)> {
        let rules = self.rules;
        let of = &rules.defs[def];
        let mut inner = Cx { env: vec![None; of.vars.len()], ..cx.clone() };
        let mut fits = self.build.truth(true);
        for (&param, arg) in of.params.iter().zip(args) {
            let ty = &of.vars[param].ty;
            let mut term = self.term(arg, cx)?;
            match &term {
                Term::Set(_) => {}
                Term::Number(n) => {
                    if let Some((low, high)) = ty.interval() {
                        let inside = self.inside(n, low, high);
                        fits = self.both(fits, inside);
                    }
                }
                _ if arg.ty == *ty => {}
                Term::Product(_) => {}
                _ => {
                    term = self.applied(&[term.clone()], cx, span, &|rules, values| {
                        Some(values[0].clone()).filter(|value| rules.has_value(ty, value))
                    })?;
                }
            }
            let defined = self.term_defined(&term, cx)?;
            fits = self.both(fits, defined);
            inner.bind(param, term);
        }
        Ok((inner, fits))
    }

    /// A cell of a field.
    pub(super) fn field(&mut self, field: FieldId, keys: &[Term], cx: &Cx, span: Span) -> Result<Term> {
        let rules = self.rules;
        let of = &rules.fields[field];
        match &self.state.held[field] {
            Held::Control => {
                let known = match (field, cx.turn.mover, cx.turn.phase) {
                    (crate::rules::MOVER, Some(mover), _) => rules.player(mover),
                    (crate::rules::PHASE, _, Some(phase)) => Value::Int(i64::from(phase)),
                    _ => return unsupported("the turn", span),
                };
                return Ok(Term::Static(Static::One(Some(known))));
            }
            Held::Constant(value) => {
                let value = value.clone();
                return self.applied(keys, cx, span, &|_, keys| of.cell(keys).map(|_| value.clone()));
            }
            Held::Members(_) => return Err(Stop::Varies),
            Held::Codes(_) | Held::Planes(_) => {}
        }
        if let Some(bits) = self.chosen_cell(field, keys)? {
            return self.cell_of_choice(field, bits, cx, span);
        }
        let cells = self.cells(field, keys, cx, span)?;
        if let [(cell, condition)] = &cells[..] {
            let term = self.cell(field, cell, cx)?;
            return self.only_where(*condition, &term, cx);
        }
        let mut result: Option<Term> = None;
        for (cell, condition) in cells {
            let term = self.cell(field, &cell, cx)?;
            let term = self.only_where(condition, &term, cx)?;
            result = Some(match result {
                None => term,
                Some(other) => self.chosen(condition, &term, &other, cx, span)?,
            });
        }
        Ok(result.unwrap_or(Term::Static(Static::One(None))))
    }

    /// The cell of a field held in planes that a scalar key means, as the bit of its place.
    pub(super) fn chosen_cell(&mut self, field: FieldId, keys: &[Term]) -> Result<Option<ValueId>> {
        let Held::Planes(planes) = &self.state.held[field] else { return Ok(None) };
        let (places, width) = (planes.places.clone(), planes.width);
        let choices: Vec<usize> = (0..keys.len()).filter(|&i| matches!(keys[i], Term::Choice(..))).collect();
        let [choice] = choices[..] else { return Ok(None) };
        let Term::Choice(domain, bits) = &keys[choice] else { return Ok(None) };
        let (domain, bits) = (domain.clone(), *bits);
        let mut rest = Vec::new();
        for (i, key) in keys.iter().enumerate() {
            match key {
                Term::Static(Static::One(Some(value))) => rest.push(value.clone()),
                _ if i == choice => rest.push(Value::None),
                _ => return Ok(None),
            }
        }
        let of = &self.rules.fields[field];
        let point: Vec<Option<u32>> = domain
            .values
            .iter()
            .map(|value| {
                rest[choice] = value.clone();
                of.cell(&rest).map(|cell| places[cell])
            })
            .collect();
        let inner = self.over(&domain, &Cx::empty());
        Ok(Some(self.scatter(&inner, bits, &point, width)))
    }

    /// What a field holds in the cell whose place is the bit.
    fn cell_of_choice(&mut self, field: FieldId, bits: ValueId, cx: &Cx, span: Span) -> Result<Term> {
        // Every place a lane, of which the bit is the one that matters.
        let Held::Planes(planes) = &self.state.held[field] else { return unsupported("a field", span) };
        let lanes = super::cx::Lanes::new(planes.places.clone(), planes.width, None);
        let cells: Vec<Option<usize>> = (0..planes.places.len()).map(Some).collect();
        let inner = Cx { lanes: Rc::new(lanes), lane: Some(bits), ..cx.clone() };
        let term = self.cell(field, &cells, &inner)?;
        if inner.is_unit() {
            return self.only_where(bits, &term, cx);
        }
        let settled = self.settled(&inner, &term)?;
        // What is the same in all lanes says nothing of whether there is one that matters.
        Ok(match settled {
            _ if !self.varies(&term) => {
                let there = self.build.any(bits);
                self.only_where(there, &settled, cx)?
            }
            Term::Product(p) => {
                let there = self.build.any(bits);
                let (defined, present) = (self.both(p.defined, there), self.both(p.present, there));
                Term::Product(Rc::new(Product { defined, present, ..(*p).clone() }))
            }
            settled => settled,
        })
    }

    /// The cells that keys may mean, lane by lane, each with when they do.
    #[allow(clippy::type_complexity)]
    pub(super) fn cells(
        &mut self,
        field: FieldId,
        keys: &[Term],
        cx: &Cx,
        span: Span,
    ) -> Result<Vec<(Vec<Option<usize>>, ValueId)>> {
        let of = &self.rules.fields[field];
        // A cell is a number here: cases of numbers are what `applied` makes.
        let place =
            self.applied_cases(keys, cx, span, &|_, keys| of.cell(keys).map(|c| Value::Int(c as i64)))?;
        Ok(place
            .into_iter()
            .map(|(value, condition)| {
                let cell = |lane: usize| value.at(lane).and_then(Value::as_int).map(|c| c as usize);
                ((0..cx.len()).map(cell).collect(), condition)
            })
            .collect())
    }

    fn applied_cases(
        &mut self,
        args: &[Term],
        cx: &Cx,
        span: Span,
        function: &dyn Fn(&crate::rules::Rules, &[Value]) -> Option<Value>,
    ) -> Result<Vec<(Static, ValueId)>> {
        let term = self.applied(args, cx, span, function)?;
        self.case_list(&term, cx)
    }

    /// What a field holds in the cell that each lane looks at.
    fn cell(&mut self, field: FieldId, cells: &[Option<usize>], cx: &Cx) -> Result<Term> {
        match &self.state.held[field] {
            Held::Codes(codes) => {
                let Some(first) = cells.iter().flatten().next().copied() else {
                    return Ok(Term::Static(Static::One(None)));
                };
                if cells.iter().any(|c| c.is_some_and(|c| c != first)) {
                    return self.cells_of_codes(field, cells, cx);
                }
                let (domain, low, count) = (codes.domain.clone(), codes.low, codes.count);
                let bits = cx.state[codes.slots[first].0 as usize];
                let code = self.build.unpack(bits);
                let there = self.known_truth(cx, |lane| cells[lane].is_some());
                if let Some(low) = low {
                    let offset = self.build.int(low);
                    let value = self.build.plus(code, offset);
                    let high = low + (count - 1) as i64;
                    return Ok(Term::Number(Number { value, defined: there, low, high }));
                }
                let term = if domain.values.len() > MANY_CASES {
                    let bits = self.build.one_hot(code, domain.mask());
                    Term::Choice(domain, bits)
                } else {
                    let mut cases = Vec::new();
                    for (value, &place) in domain.values.iter().zip(&domain.places) {
                        let place = self.build.int(i64::from(place));
                        let equal = self.build.equal(code, place);
                        cases.push((Static::One(Some(value.clone())), equal));
                    }
                    self.cases(cases)
                };
                self.only_where(there, &term, cx)
            }
            Held::Planes(planes) => {
                let look: Vec<Option<u32>> = cells.iter().map(|c| c.map(|c| planes.places[c])).collect();
                let (option, product) = (planes.option, planes.product);
                let parts: Vec<_> =
                    planes.parts.iter().map(|p| (p.values.clone(), p.slots.clone())).collect();
                let mask = self.plane_mask(field);
                let defined = self.known_truth(cx, |lane| cells[lane].is_some());
                let mut present = defined;
                let mut terms = Vec::new();
                for (i, (values, slots)) in parts.into_iter().enumerate() {
                    let planes: Vec<Option<ValueId>> =
                        slots.iter().map(|s| s.map(|s| cx.state[s.0 as usize])).collect();
                    let mut taken = self.build.zero(self.build.width(mask));
                    for plane in planes.iter().flatten() {
                        taken = self.build.or(taken, *plane);
                    }
                    let mut cases = Vec::new();
                    if i == 0 && option {
                        present = self.gather(cx, taken, &look);
                        if product.is_none() {
                            let none = self.build.and_not(mask, taken);
                            let none = self.gather(cx, none, &look);
                            cases.push((Static::One(Some(Value::None)), none));
                        }
                    }
                    for (value, plane) in values.iter().zip(&planes) {
                        let here = match plane {
                            Some(plane) => self.gather(cx, *plane, &look),
                            None => {
                                // What the other planes leave of those that hold anything.
                                let whole = if option && i > 0 { self.taken(field, cx) } else { mask };
                                let rest = self.build.and_not(whole, taken);
                                self.gather(cx, rest, &look)
                            }
                        };
                        cases.push((Static::One(Some(value.clone())), here));
                    }
                    terms.push(self.cases(cases));
                }
                Ok(match product {
                    None => terms.swap_remove(0),
                    Some(record) => {
                        Term::Product(Rc::new(Product { record, defined, present, parts: terms }))
                    }
                })
            }
            _ => Err(Stop::Varies),
        }
    }

    /// What a field of numbers holds in cells that differ from lane to lane: for each value, the cells that hold it are put
    /// together from the numbers.
    fn cells_of_codes(&mut self, field: FieldId, cells: &[Option<usize>], cx: &Cx) -> Result<Term> {
        let Held::Codes(codes) = &self.state.held[field] else { return Err(Stop::Varies) };
        let slots = codes.slots.clone();
        if codes.count > MANY_VALUES as u64 || slots.len() <= FEW_CELLS {
            return Err(Stop::Varies);
        }
        let values: Vec<(Value, i64)> = match codes.low {
            Some(_) => (0..codes.count).map(|code| (codes.value(code), code as i64)).collect(),
            None => {
                let places = codes.domain.values.iter().zip(&codes.domain.places);
                places.map(|(value, &place)| (value.clone(), i64::from(place))).collect()
            }
        };
        let mut met: Vec<usize> = cells.iter().flatten().copied().collect();
        met.sort_unstable();
        met.dedup();
        let look: Vec<Option<u32>> = cells.iter().map(|c| c.map(|c| c as u32)).collect();
        let width = slots.len() as u32;
        let mut cases = Vec::new();
        for (value, code) in values {
            let code = self.build.int(code);
            let mut plane = self.build.zero(width);
            for &cell in &met {
                let held = self.build.unpack(cx.state[slots[cell].0 as usize]);
                let equal = self.build.equal(held, code);
                let wide = self.build.resize(equal, width);
                let bit = self.build.shift(wide, cell as i32);
                plane = self.build.or(plane, bit);
            }
            let here = self.gather(cx, plane, &look);
            cases.push((Static::One(Some(value)), here));
        }
        Ok(self.cases(cases))
    }

    /// The places of a field's cells.
    pub(super) fn plane_mask(&mut self, field: FieldId) -> ValueId {
        let Held::Planes(planes) = &self.state.held[field] else { panic!("a field held in planes") };
        let mask = crate::base::bits::BitSet::of(planes.width, planes.places.iter().copied());
        self.build.bits(mask)
    }

    /// The cells of a field that hold something.
    fn taken(&mut self, field: FieldId, cx: &Cx) -> ValueId {
        let Held::Planes(planes) = &self.state.held[field] else { panic!("a field held in planes") };
        let slots: Vec<_> = planes.parts[0].slots.iter().flatten().copied().collect();
        let mut taken = self.build.zero(planes.width);
        for slot in slots {
            taken = self.build.or(taken, cx.state[slot.0 as usize]);
        }
        taken
    }
}

/// Whether a term of type `bool` is lowered as a formula.
fn is_condition(kind: &ExprKind) -> bool {
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
            | ExprKind::Call(..)
            | ExprKind::If(..)
            | ExprKind::Match(..)
            | ExprKind::Let(..)
    )
}
