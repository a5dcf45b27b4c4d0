//! Lowering of calls of definitions.

use super::cx::{Cx, Static, Term};
use super::{Lower, LowerError, Result};
use bouton_base::source::Span;
use bouton_circuit::ValueId;
use bouton_rules::{DefId, Expr, Type, Value};

impl<'r> Lower<'r> {
    /// Lowers a call to a term.
    pub(super) fn call(&mut self, def: DefId, args: &'r [Expr], cx: &Cx, span: Span) -> Result<Term> {
        let rules = self.rules;
        let of = &rules.defs[def];
        if of.group.is_some() {
            let holds = self.inductive(def, args, cx, span)?;
            let (_, fits) = self.enter(def, args, cx, span)?;
            let not = self.unless(fits, holds);
            let value = |b| Static::One(Some(Value::Bool(b)));
            return Ok(self.cases(vec![(value(true), holds), (value(false), not)]));
        }
        let (inner, fits) = self.enter(def, args, cx, span)?;
        let body = self.memoised_term(def, &inner, |lower| lower.term(&of.body, &inner))?;
        let body = match (&body, &of.ty) {
            (Term::Set(_), _) => {
                return if self.build.constant_truth(fits) == Some(true) {
                    Ok(body)
                } else {
                    Err(LowerError::Varies)
                };
            }
            (Term::Number(_) | Term::Choice(..), Type::Int(..)) => {
                let inside = self.within(&body, &of.ty, cx, span)?;
                self.only_where(inside, &body, cx)?
            }
            (Term::Static(_) | Term::Cases(_), Type::Int(..)) => {
                self.applied(&[body], cx, span, &|_, v| {
                    Some(v[0].clone()).filter(|v| super::partial_eval::in_range(&of.ty, v))
                })?
            }
            _ => body,
        };
        self.only_where(fits, &body, cx)
    }

    /// Enters a definition: returns the context with its parameters bound, and the condition that all arguments are
    /// values of them.
    pub(super) fn enter(
        &mut self,
        def: DefId,
        args: &'r [Expr],
        cx: &Cx,
        span: Span,
    ) -> Result<(Cx, ValueId)> {
        let rules = self.rules;
        let of = &rules.defs[def];
        let mut inner = Cx { env: vec![None; of.vars.len()], ..cx.clone() };
        let mut fits = self.build.truth(true);
        for (&param, arg) in of.params.iter().zip(args) {
            let ty = &of.vars[param].ty;
            let mut term = self.term(arg, cx)?;
            match &term {
                _ if self.surely_fits(arg, ty) => {}
                Term::Number(_) | Term::Product(_) | Term::Set(_) => {
                    let inside = self.within(&term, ty, cx, span)?;
                    fits = self.both(fits, inside);
                }
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
}
