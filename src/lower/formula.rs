//! Lowering of formulas: a bit for each lane.

use super::board_fn;
use super::cx::{Cx, Number, Static, Term};
use super::{Lower, LowerError, Result, unsupported};
use bouton_base::cancel;
use bouton_base::source::Span;
use bouton_circuit::ValueId;
use bouton_rules::{Expr, ExprKind, Quant, Value};

/// The maximal number of values of a circuit: machine code for a larger one would take too long to compile.
pub(super) const MAX_CIRCUIT_VALUES: usize = 1 << 18;
/// The maximal number of lanes of an entry of a table.
const MAX_TABLE_LANES: u32 = 63;
/// The maximal number of entries of the tables of a comparison.
const MAX_TABLE_ENTRIES: i64 = 1 << 16;

impl<'r> Lower<'r> {
    /// Lowers a formula: one bit for each lane, or one for all of them.
    pub(super) fn formula(&mut self, expr: &'r Expr, cx: &Cx) -> Result<ValueId> {
        match self.formula_in_lanes(expr, cx) {
            Err(LowerError::Varies) if self.one_lane_at_a_time && !cx.is_unit() => {
                self.lane_by_lane(cx, &mut |lower, lane| lower.formula(expr, lane.cx))
            }
            formula => formula,
        }
    }

    /// Lowers a formula for all lanes at once.
    fn formula_in_lanes(&mut self, expr: &'r Expr, cx: &Cx) -> Result<ValueId> {
        if self.is_known(expr, cx) {
            return self.known_formula(expr, cx);
        }
        cancel::step();
        if self.build.values.len() > MAX_CIRCUIT_VALUES {
            return unsupported(format!("a circuit of more than {MAX_CIRCUIT_VALUES} values"), expr.span);
        }
        if let Some(visible) = self.visible(expr, cx)? {
            return Ok(visible);
        }
        if matches!(&*expr.kind, ExprKind::Quant(..)) {
            // For lines of sight and the places around it, the scalar is lowered without lifting, if that has a form.
            if self.looks_along_lines(expr) || self.looks_around(expr) {
                match self.as_written(expr, cx) {
                    Err(LowerError::Varies) => {}
                    said => return said,
                }
            }
            if let Some(lifted) = self.lifted(expr, cx, &mut |lower, cx| lower.formula(expr, cx))? {
                return Ok(lifted);
            }
        }
        self.as_written(expr, cx)
    }

    /// Lowers the body of a definition with its parameters bound.
    pub(super) fn unfolded(&mut self, body: &'r Expr, inner: &Cx) -> Result<ValueId> {
        if self.looks_along_lines(body) || self.looks_around(body) {
            match self.formula(body, inner) {
                Err(LowerError::Varies) => {}
                formula => return formula,
            }
        }
        match self.lifted(body, inner, &mut |lower, cx| lower.formula(body, cx))? {
            Some(lifted) => Ok(lifted),
            None => self.formula(body, inner),
        }
    }

    fn as_written(&mut self, expr: &'r Expr, cx: &Cx) -> Result<ValueId> {
        match &*expr.kind {
            ExprKind::Not(a) => {
                let a = self.formula(a, cx)?;
                Ok(self.negated(cx, a))
            }
            ExprKind::And(parts) => {
                let mut parts: Vec<&Expr> = parts.iter().collect();
                // Known parts come first: if they exclude all lanes, the rest need not have a form.
                parts.sort_by_key(|part| !self.is_known(part, cx));
                let mut holds = self.build.truth(true);
                for part in parts {
                    if self.build.maybe(holds).is_empty() {
                        break;
                    }
                    let part = self.formula(part, cx)?;
                    holds = self.both(holds, part);
                }
                Ok(holds)
            }
            ExprKind::Or(parts) => {
                let mut holds = self.build.truth(false);
                for part in parts {
                    if self.build.constant_truth(holds) == Some(true) {
                        break;
                    }
                    let part = self.formula(part, cx)?;
                    holds = self.either(holds, part);
                }
                Ok(holds)
            }
            ExprKind::Implies(a, b) => {
                let a = self.formula(a, cx)?;
                if self.build.constant_truth(a) == Some(false) {
                    return Ok(self.build.truth(true));
                }
                let b = self.formula(b, cx)?;
                let not = self.negated(cx, a);
                Ok(self.either(not, b))
            }
            ExprKind::Iff(a, b) => {
                let (a, b) = (self.formula(a, cx)?, self.formula(b, cx)?);
                Ok(self.same(a, b, cx))
            }
            ExprKind::Equal(a, b) if a.ty.element().is_some() || b.ty.element().is_some() => {
                self.equal_sets(a, b, cx)
            }
            ExprKind::Equal(a, b) => {
                let (x, y) = (self.term(a, cx)?, self.term(b, cx)?);
                self.equal_terms(&x, &y, cx, expr.span)
            }
            ExprKind::Less(a, b) => self.ordered(a, b, true, cx, expr.span),
            ExprKind::LessEqual(a, b) => self.ordered(a, b, false, cx, expr.span),
            ExprKind::In(a, set) => {
                let a = self.term(a, cx)?;
                self.member(&a, set, cx)
            }
            ExprKind::Subset(a, b) => self.subset(a, b, cx),
            ExprKind::Defined(a) => {
                let a = self.term(a, cx)?;
                self.term_defined(&a, cx)
            }
            ExprKind::Quant(quant, binders, body) => match quant {
                Quant::Some => self.exists(binders, &[(body, true)], cx),
                Quant::All if self.is_each_of_few(binders, cx) => {
                    let every = self.every(&binders[0], body, cx)?;
                    let defined = self.domains_defined(binders, cx)?;
                    Ok(self.both(defined, every))
                }
                Quant::All => {
                    let against = self.exists(binders, &[(body, false)], cx)?;
                    let defined = self.domains_defined(binders, cx)?;
                    Ok(self.unless(defined, against))
                }
                Quant::No => {
                    let against = self.exists(binders, &[(body, true)], cx)?;
                    let defined = self.domains_defined(binders, cx)?;
                    Ok(self.unless(defined, against))
                }
            },
            ExprKind::Call(def, args) => {
                let of = &self.rules.defs[*def];
                if of.group.is_some() {
                    return self.inductive(*def, args, cx, expr.span);
                }
                if of.params.is_empty() {
                    return self.plain_formula(*def, cx);
                }
                let (inner, fits) = self.enter(*def, args, cx, expr.span)?;
                if self.build.maybe(fits).is_empty() {
                    return Ok(fits);
                }
                let body = match self.formula_of_number(*def, &inner)? {
                    Some(body) => body,
                    None => self.memoised_formula(*def, &inner, |lower| lower.unfolded(&of.body, &inner))?,
                };
                Ok(self.both(fits, body))
            }
            ExprKind::If(c, a, b) => {
                let c = self.formula(c, cx)?;
                match self.build.constant_truth(c) {
                    Some(true) => self.formula(a, cx),
                    Some(false) => self.formula(b, cx),
                    None => {
                        let (a, b) = (self.formula(a, cx)?, self.formula(b, cx)?);
                        let (yes, no) = (self.both(c, a), self.unless(b, c));
                        Ok(self.either(yes, no))
                    }
                }
            }
            ExprKind::Match(scrutinee, arms) => {
                let scrutinee = self.term(scrutinee, cx)?;
                let mut holds = self.build.truth(false);
                for (condition, arm) in self.arms(&scrutinee, arms, cx)? {
                    let value = self.formula(&arms[arm].value, cx)?;
                    let here = self.both(condition, value);
                    holds = self.either(holds, here);
                }
                Ok(holds)
            }
            ExprKind::Let(pattern, bound, body) => {
                let bound = self.term(bound, cx)?;
                let mut inner = cx.clone();
                let fits = self.bind(pattern, &bound, &mut inner, expr.span)?;
                let body = self.formula(body, &inner)?;
                Ok(self.both(fits, body))
            }
            ExprKind::Stuck => match self.stuck {
                Some(stuck) => Ok(self.build.truth(stuck)),
                None => unsupported("`stuck` where its value is not known", expr.span),
            },
            ExprKind::StuckPlayer(_) if !self.rules.forbids.is_empty() => {
                unsupported("`stuck` of a player where the history forbids moves", expr.span)
            }
            ExprKind::StuckPlayer(player) => {
                let player = self.term(player, cx)?;
                let mut holds = self.build.truth(false);
                for (value, condition) in self.case_list(&player, cx)? {
                    let Static::One(Some(value)) = value else { return Err(LowerError::Varies) };
                    let Some(player) = value.as_sym() else { continue };
                    let stuck = self.stuck_player(player, cx)?;
                    let here = self.both(condition, stuck);
                    holds = self.either(holds, here);
                }
                Ok(holds)
            }
            _ => {
                if let ExprKind::Board(function, board, args) = &*expr.kind
                    && board_fn::is_formula(*function)
                    && let Some(related) = self.related(*function, *board, args, cx)?
                {
                    return Ok(related);
                }
                if let ExprKind::Board(..) = &*expr.kind
                    && let Some(lifted) = self.lifted(expr, cx, &mut |lower, cx| lower.formula(expr, cx))?
                {
                    return Ok(lifted);
                }
                let term = self.term(expr, cx)?;
                let yes = Term::Static(Static::One(Some(Value::Bool(true))));
                self.equal_terms(&term, &yes, cx, expr.span)
            }
        }
    }

    /// Returns the condition that both conditions hold or neither does.
    pub(super) fn same(&mut self, a: ValueId, b: ValueId, cx: &Cx) -> ValueId {
        let (yes, either) = (self.both(a, b), self.either(a, b));
        let not = self.negated(cx, either);
        self.either(yes, not)
    }

    /// Returns the condition that two terms that are no sets have the same value.
    pub(super) fn equal_terms(&mut self, a: &Term, b: &Term, cx: &Cx, span: Span) -> Result<ValueId> {
        match (a, b) {
            (Term::Static(x), Term::Static(y)) => {
                Ok(self.known_truth(cx, |lane| x.at(lane).is_some() && x.at(lane) == y.at(lane)))
            }
            (Term::Static(s), Term::Choice(domain, bits)) | (Term::Choice(domain, bits), Term::Static(s)) => {
                let look: Vec<Option<u32>> =
                    (0..cx.len()).map(|lane| s.at(lane).and_then(|v| domain.place(v))).collect();
                Ok(self.gather(cx, *bits, &look))
            }
            (Term::Static(s), Term::Product(p)) | (Term::Product(p), Term::Static(s)) => {
                let mut equal = self.build.truth(false);
                for value in s.distinct() {
                    let here = self.known_truth(cx, |lane| s.at(lane) == Some(value));
                    let same = match value {
                        Value::None => self.unless(p.defined, p.present),
                        Value::Tuple(tuple) => {
                            let mut same = p.present;
                            for (part, value) in p.parts.iter().zip(&tuple.parts) {
                                let value = Term::Static(Static::One(Some(value.clone())));
                                let part = self.equal_terms(part, &value, cx, span)?;
                                same = self.both(same, part);
                            }
                            same
                        }
                        _ => continue,
                    };
                    let here = self.both(here, same);
                    equal = self.either(equal, here);
                }
                Ok(equal)
            }
            (Term::Product(x), Term::Product(y)) => {
                let mut same = self.both(x.present, y.present);
                for (p, q) in x.parts.iter().zip(&y.parts) {
                    let part = self.equal_terms(p, q, cx, span)?;
                    same = self.both(same, part);
                }
                let (no, none) = (self.unless(x.defined, x.present), self.unless(y.defined, y.present));
                let neither = self.both(no, none);
                Ok(self.either(same, neither))
            }
            (Term::Choice(d, x), Term::Choice(e, y)) => {
                let (d, x, e, y) = (d.clone(), *x, e.clone(), *y);
                let x = self.recast(&d, x, &e);
                let both = self.build.and(x, y);
                Ok(self.build.any(both))
            }
            // A number is not `none`.
            (Term::Number(_), Term::Static(Static::One(Some(value))))
            | (Term::Static(Static::One(Some(value))), Term::Number(_))
                if value.as_int().is_none() =>
            {
                Ok(self.build.truth(false))
            }
            (Term::Number(n), Term::Static(s)) | (Term::Static(s), Term::Number(n)) => {
                self.number_and_known(n, s, cx, span, |n, k| n == k)
            }
            (number @ Term::Number(_), other @ Term::Choice(domain, _))
            | (other @ Term::Choice(domain, _), number @ Term::Number(_))
                if domain.values.iter().any(|value| value.as_int().is_none()) =>
            {
                let cases = self.as_cases(other, cx)?;
                self.equal_terms(&cases, number, cx, span)
            }
            (Term::Number(n), Term::Choice(..)) | (Term::Choice(..), Term::Number(n)) => {
                let other = if matches!(a, Term::Number(_)) { b } else { a };
                let m = self.number(other, cx, span)?;
                self.numbers_equal(n, &m)
            }
            (Term::Number(n), Term::Number(m)) => self.numbers_equal(n, m),
            (Term::Cases(cases), other) | (other, Term::Cases(cases)) => {
                let mut equal = self.build.truth(false);
                for (value, condition) in cases.iter() {
                    let value = Term::Static(value.clone());
                    let same = self.equal_terms(&value, other, cx, span)?;
                    let here = self.both(*condition, same);
                    equal = self.either(equal, here);
                }
                Ok(equal)
            }
            (Term::Product(_), Term::Number(_) | Term::Choice(..))
            | (Term::Number(_) | Term::Choice(..), Term::Product(_)) => {
                let (x, y) = (self.as_cases(a, cx)?, self.as_cases(b, cx)?);
                self.equal_terms(&x, &y, cx, span)
            }
            (Term::Set(_), _) | (_, Term::Set(_)) => Err(LowerError::Varies),
        }
    }

    fn numbers_equal(&mut self, n: &Number, m: &Number) -> Result<ValueId> {
        let equal = self.build.equal(n.value, m.value);
        let defined = self.both(n.defined, m.defined);
        Ok(self.both(equal, defined))
    }

    /// Compares a number of the position with numbers known in each lane.
    fn number_and_known(
        &mut self,
        n: &Number,
        known: &Static,
        cx: &Cx,
        span: Span,
        holds: impl Fn(i64, i64) -> bool,
    ) -> Result<ValueId> {
        if let Static::One(value) = known {
            let Some(value) = value.as_ref().filter(|value| **value != Value::None) else {
                return Ok(self.build.truth(false));
            };
            let Some(k) = value.as_int() else { return unsupported("a number", span) };
            return self.number_and_constant(n, k, holds);
        }
        // For each value of the number, the lanes in which the comparison holds are known: a table gives them.
        let width = cx.lanes.width;
        let (values, parts) = (n.high.saturating_sub(n.low), width.div_ceil(MAX_TABLE_LANES));
        if values > 4096 || values.saturating_mul(i64::from(parts)) > MAX_TABLE_ENTRIES {
            return Err(LowerError::Varies);
        }
        let low = self.build.int(n.low);
        let place = self.build.minus(n.value, low);
        let mut found = self.build.zero(width);
        for first in (0..width).step_by(MAX_TABLE_LANES as usize) {
            let lanes = |value: i64| {
                let mut bits = 0u64;
                for (lane, &place) in cx.lanes.places.iter().enumerate() {
                    let here = place.checked_sub(first).filter(|place| *place < MAX_TABLE_LANES);
                    let Some(here) = here else { continue };
                    let inside = known.at(lane).and_then(Value::as_int).is_some_and(|k| holds(value, k));
                    bits |= u64::from(inside) << here;
                }
                bits as i64
            };
            let table: Vec<i64> = (n.low..=n.high).map(lanes).collect();
            let part = self.build.lookup(place, table);
            let part = self.build.pack(part, MAX_TABLE_LANES.min(width - first));
            let part = self.moved(part, first as i32, width);
            found = self.build.or(found, part);
        }
        let found = self.vector(cx, found);
        Ok(self.both(found, n.defined))
    }

    fn number_and_constant(
        &mut self,
        n: &Number,
        k: i64,
        holds: impl Fn(i64, i64) -> bool,
    ) -> Result<ValueId> {
        // The results below, at and above the constant identify the comparison.
        let (below, at, above) = (holds(k.wrapping_sub(1), k), holds(k, k), holds(k.wrapping_add(1), k));
        let k = {
            let (low, high) = (n.low, n.high);
            let certain = |t: bool| Some(t);
            let known = if high < k {
                certain(below)
            } else if low > k {
                certain(above)
            } else {
                None
            };
            if let Some(t) = known {
                let t = self.build.truth(t);
                return Ok(self.both(t, n.defined));
            }
            self.build.int(k)
        };
        let holds = match (below, at, above) {
            (false, true, false) => self.build.equal(n.value, k),
            (true, false, false) => self.build.less(n.value, k),
            (true, true, false) => {
                let over = self.build.less(k, n.value);
                self.build.not(over)
            }
            (false, false, true) => self.build.less(k, n.value),
            (false, true, true) => {
                let under = self.build.less(n.value, k);
                self.build.not(under)
            }
            _ => return Err(LowerError::Varies),
        };
        Ok(self.both(holds, n.defined))
    }

    /// Lowers `a < b` if strict, otherwise `a <= b`.
    fn ordered(&mut self, a: &'r Expr, b: &'r Expr, strict: bool, cx: &Cx, span: Span) -> Result<ValueId> {
        let (x, y) = (self.term(a, cx)?, self.term(b, cx)?);
        self.ordered_terms(&x, &y, strict, cx, span)
    }

    pub(super) fn ordered_terms(
        &mut self,
        x: &Term,
        y: &Term,
        strict: bool,
        cx: &Cx,
        span: Span,
    ) -> Result<ValueId> {
        let holds = move |m: i64, n: i64| if strict { m < n } else { m <= n };
        match (x, y) {
            (Term::Number(n), Term::Static(s)) => self.number_and_known(n, s, cx, span, holds),
            (Term::Static(s), Term::Number(n)) => {
                self.number_and_known(n, s, cx, span, move |n, k| holds(k, n))
            }
            (Term::Number(n), Term::Number(m)) => {
                let less = if strict {
                    self.build.less(n.value, m.value)
                } else {
                    let over = self.build.less(m.value, n.value);
                    self.build.not(over)
                };
                let defined = self.both(n.defined, m.defined);
                Ok(self.both(less, defined))
            }
            (Term::Number(n), Term::Cases(cases)) if !cx.is_unit() => {
                let (n, cases) = (*n, cases.clone());
                self.any_case(&cases, |lower, value| {
                    lower.ordered_terms(&Term::Number(n), value, strict, cx, span)
                })
            }
            (Term::Cases(cases), Term::Number(n)) if !cx.is_unit() => {
                let (n, cases) = (*n, cases.clone());
                self.any_case(&cases, |lower, value| {
                    lower.ordered_terms(value, &Term::Number(n), strict, cx, span)
                })
            }
            (Term::Number(_), _) | (_, Term::Number(_)) => {
                let (n, m) = (self.number(x, cx, span)?, self.number(y, cx, span)?);
                self.ordered_terms(&Term::Number(n), &Term::Number(m), strict, cx, span)
            }
            _ => {
                let (x, y) = (self.case_list(x, cx)?, self.case_list(y, cx)?);
                let mut less = self.build.truth(false);
                for (a, p) in &x {
                    for (b, q) in &y {
                        let here = self.known_truth(cx, |lane| match (a.at(lane), b.at(lane)) {
                            (Some(Value::None), _) | (_, Some(Value::None)) => false,
                            (Some(a), Some(b)) => a < b || !strict && a == b,
                            _ => false,
                        });
                        let both = self.both(*p, *q);
                        let here = self.both(here, both);
                        less = self.either(less, here);
                    }
                }
                Ok(less)
            }
        }
    }

    /// Returns the condition that a predicate holds for the case that applies.
    fn any_case(
        &mut self,
        cases: &[(Static, ValueId)],
        mut holds: impl FnMut(&mut Self, &Term) -> Result<ValueId>,
    ) -> Result<ValueId> {
        let mut found = self.build.truth(false);
        for (value, condition) in cases {
            let here = holds(self, &Term::Static(value.clone()))?;
            let here = self.both(*condition, here);
            found = self.either(found, here);
        }
        Ok(found)
    }
}
