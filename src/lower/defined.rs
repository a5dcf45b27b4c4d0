//! Definedness of sets: a set is defined if all its parts have values, and all sets that it iterates over are defined.

use super::cx::{Cx, Term};
use super::{Lower, LowerError, Result, binder_vars, unsupported};
use bouton_circuit::ValueId;
use bouton_rules::{Binder, BoardFn, Domain as Range, Expr, ExprKind, Fold};

impl<'r> Lower<'r> {
    /// Returns the condition that a set is defined: all its parts have values.
    pub(super) fn set_defined(&mut self, set: &'r Expr, cx: &Cx) -> Result<ValueId> {
        if self.is_known(set, cx) {
            let known = self.known_term(set, cx)?;
            return Ok(self.known_truth(cx, |lane| known.at(lane).is_some()));
        }
        match &*set.kind {
            ExprKind::Var(var) => match cx.env.get(var.0 as usize) {
                Some(Some(term)) => {
                    let term = term.clone();
                    self.term_defined(&term, cx)
                }
                _ => unsupported("a variable without a value", set.span),
            },
            ExprKind::Field(field, keys) => {
                let keys: Result<Vec<Term>> = keys.iter().map(|key| self.term(key, cx)).collect();
                let cells = self.cells(*field, &keys?, cx, set.span)?;
                let mut defined = self.build.truth(false);
                for (cell, condition) in cells {
                    let here = self.known_truth(cx, |lane| cell[lane].is_some());
                    let here = self.both(here, condition);
                    defined = self.either(defined, here);
                }
                Ok(defined)
            }
            ExprKind::SetOp(_, a, b) | ExprKind::Flood(_, a, b) => {
                let a = match a.ty.element() {
                    Some(_) => self.set_defined(a, cx)?,
                    None => {
                        let a = self.term(a, cx)?;
                        self.defined(&a, cx)
                    }
                };
                let b = self.set_defined(b, cx)?;
                Ok(self.both(a, b))
            }
            ExprKind::SetOf(items) | ExprKind::Board(_, _, items) => {
                let mut defined = self.build.truth(true);
                for item in items {
                    let item = self.term(item, cx)?;
                    let item = match &*set.kind {
                        ExprKind::Board(..) => self.is_something(&item, cx),
                        _ => self.defined(&item, cx),
                    };
                    defined = self.both(defined, item);
                }
                if let ExprKind::Board(BoardFn::Between, ..) = &*set.kind {
                    // `between` is undefined for cells that are not aligned.
                    let term = self.term(set, cx)?;
                    if matches!(term, Term::Set(_)) {
                        return Err(LowerError::Varies);
                    }
                    let there = self.defined(&term, cx);
                    defined = self.both(defined, there);
                }
                Ok(defined)
            }
            ExprKind::Range(a, b) => {
                let (a, b) = (self.term(a, cx)?, self.term(b, cx)?);
                let (a, b) = (self.defined(&a, cx), self.defined(&b, cx));
                Ok(self.both(a, b))
            }
            ExprKind::Collect(binders, _) | ExprKind::Fold(Fold::Union, binders, _) => {
                self.domains_defined(binders, cx)
            }
            ExprKind::Call(def, args) => {
                let (inner, fits) = self.enter(*def, args, cx, set.span)?;
                let defined = self.set_defined(&self.rules.defs[*def].body, &inner)?;
                Ok(self.both(fits, defined))
            }
            ExprKind::If(c, a, b) => {
                let c = self.formula(c, cx)?;
                let (a, b) = (self.set_defined(a, cx)?, self.set_defined(b, cx)?);
                let (yes, no) = (self.both(c, a), self.unless(b, c));
                Ok(self.either(yes, no))
            }
            ExprKind::Match(scrutinee, arms) => {
                let scrutinee = self.term(scrutinee, cx)?;
                let mut defined = self.build.truth(false);
                for (condition, arm) in self.arms(&scrutinee, arms, cx)? {
                    let here = self.set_defined(&arms[arm].value, cx)?;
                    let here = self.both(condition, here);
                    defined = self.either(defined, here);
                }
                Ok(defined)
            }
            ExprKind::Let(pattern, bound, body) => {
                let bound = self.term(bound, cx)?;
                let mut inner = cx.clone();
                let fits = self.bind(pattern, &bound, &mut inner, set.span)?;
                let body = self.set_defined(body, &inner)?;
                Ok(self.both(fits, body))
            }
            _ => {
                let term = self.term(set, cx)?;
                self.term_defined(&term, cx)
            }
        }
    }

    /// Returns the condition that all domains of binders are defined that are reached: an inner domain matters only for
    /// elements of those before it.
    pub(super) fn domains_defined(&mut self, binders: &'r [Binder], cx: &Cx) -> Result<ValueId> {
        let mut defined = self.build.truth(true);
        for (i, binder) in binders.iter().enumerate() {
            let Range::Set(set) = &binder.domain else { continue };
            let against = if let Some(against) = self.undefined_inside(&binders[..i], set, cx)? {
                against
            } else {
                let here = self.set_defined(set, cx)?;
                let undefined = self.negated(cx, here);
                if self.build.maybe(undefined).is_empty() {
                    continue;
                }
                let met = self.exists(&binders[..i], &[], cx)?;
                self.both(met, undefined)
            };
            defined = self.unless(defined, against);
        }
        Ok(defined)
    }

    /// Restricts a condition found over binders to the case that no domain that depends on earlier binders is undefined
    /// for any of their elements. If another domain is undefined, the search finds nothing.
    pub(super) fn unless_undefined_inside(
        &mut self,
        mut found: ValueId,
        binders: &'r [Binder],
        cx: &Cx,
    ) -> Result<ValueId> {
        for (i, binder) in binders.iter().enumerate() {
            if let Range::Set(set) = &binder.domain
                && !self.build.maybe(found).is_empty()
                && let Some(against) = self.undefined_inside(&binders[..i], set, cx)?
            {
                found = self.unless(found, against);
            }
        }
        Ok(found)
    }

    /// Returns the condition that a domain is undefined for some elements of the binders before it; `None` if it does
    /// not depend on them.
    fn undefined_inside(
        &mut self,
        before: &'r [Binder],
        domain: &'r Expr,
        cx: &Cx,
    ) -> Result<Option<ValueId>> {
        let mut bound = Vec::new();
        before.iter().for_each(|binder| binder_vars(&binder.pattern, &mut bound));
        if !bound.iter().any(|var| self.info(domain).vars.contains(var)) {
            return Ok(None);
        }
        let against = self.exists_where(before, &[], cx, &mut |lower, cx| {
            let here = lower.set_defined(domain, cx)?;
            Ok(lower.negated(cx, here))
        })?;
        Ok(Some(against))
    }
}
