//! Quantifiers, folds and comprehensions: iteration over their domains, element by element, each with the formula
//! under which it is an element.

use super::GroundingError;
use super::eval::{DomainElements, Grounder, Result, SymbolicEnv};
use super::formula::{FALSE, Formula, TRUE};
use super::term::{SetTerm, SymbolicTerm};
use bouton_reference::compare;
use bouton_rules::{Arith, Binder, Expr, ExprKind, Fold, Pattern, Quant, Type, Value};

/// A callback for each combination of elements: receives the variables, the elements, and the condition of the
/// combination.
type Visitor<'v, 'g> =
    &'v mut dyn FnMut(&mut Grounder<'g>, &mut SymbolicEnv, &[Value], Formula) -> Result<()>;

/// The maximal number of values of a sum.
const MAX_SUM_VALUES: usize = 1024;

/// The progress of a visit of combinations.
#[derive(Default)]
struct CombinationWalk {
    /// The elements of the binders so far.
    trail: Vec<Value>,
    /// The conditions under which a domain on the way is undefined.
    undefined: Vec<Formula>,
}

impl<'r> Grounder<'r> {
    /// Visits the possible combinations of elements; returns the condition under which a domain on the way is
    /// undefined.
    pub fn each(
        &mut self,
        env: &mut SymbolicEnv,
        binders: &'r [Binder],
        path: Formula,
        visit: Visitor<'_, 'r>,
    ) -> Result<Formula> {
        let mut walk = CombinationWalk::default();
        self.for_each_combination(env, binders, path, &mut walk, visit)?;
        Ok(self.formulas.or(walk.undefined))
    }

    fn for_each_combination(
        &mut self,
        env: &mut SymbolicEnv,
        binders: &'r [Binder],
        path: Formula,
        walk: &mut CombinationWalk,
        visit: Visitor<'_, 'r>,
    ) -> Result<()> {
        let Some((binder, rest)) = binders.split_first() else {
            return visit(self, env, &walk.trail, path);
        };
        let elements: Vec<(Value, Formula)> = match self.domain(env, &binder.domain)? {
            DomainElements::Fixed(values) => values.iter().map(|value| (value.clone(), TRUE)).collect(),
            DomainElements::Uncertain(members, never) => {
                walk.undefined.push(self.formulas.and([path, never]));
                members
            }
        };
        for (element, when) in elements {
            if !bind(env, &binder.pattern, &element) {
                continue;
            }
            let mut here = self.formulas.and([path, when]);
            if here == FALSE {
                continue;
            }
            if let Some(condition) = &binder.condition {
                let holds = self.truth(env, condition)?;
                here = self.formulas.and([here, holds]);
            }
            if here != FALSE {
                walk.trail.push(element);
                self.for_each_combination(env, rest, here, walk, &mut *visit)?;
                walk.trail.pop();
            }
        }
        self.check()
    }

    pub(super) fn quantify(
        &mut self,
        env: &mut SymbolicEnv,
        quant: Quant,
        binders: &'r [Binder],
        body: &'r Expr,
    ) -> Result<Formula> {
        let mut found = Vec::new();
        let undefined = self.each(env, binders, TRUE, &mut |this, env, _, path| {
            let holds = this.truth(env, body)?;
            found.push(match quant {
                Quant::Some | Quant::No => this.formulas.and([path, holds]),
                Quant::All => this.formulas.and_not(path, holds),
            });
            Ok(())
        })?;
        let found = self.formulas.or(found);
        Ok(match quant {
            Quant::Some => found,
            Quant::All | Quant::No => {
                let against = self.formulas.or([found, undefined]);
                self.formulas.not(against)
            }
        })
    }

    /// Returns the values of the body for each combination, each defined under the condition of the combination; and
    /// the condition under which a domain is undefined.
    pub(super) fn bodies(
        &mut self,
        env: &mut SymbolicEnv,
        binders: &'r [Binder],
        body: &'r Expr,
    ) -> Result<(Vec<SymbolicTerm>, Formula)> {
        let mut found = Vec::new();
        let undefined = self.each(env, binders, TRUE, &mut |this, env, _, path| {
            let term = this.value(env, body)?;
            found.push(term.when(&mut this.formulas, path));
            Ok(())
        })?;
        Ok((found, undefined))
    }

    pub(super) fn fold(
        &mut self,
        env: &mut SymbolicEnv,
        fold: Fold,
        binders: &'r [Binder],
        body: &'r Expr,
        at: &Expr,
    ) -> Result<SymbolicTerm> {
        if matches!(fold, Fold::Count | Fold::One) {
            let mut found: Vec<(Value, Formula)> = Vec::new();
            let undefined = self.each(env, binders, TRUE, &mut |this, env, trail, path| {
                let holds = this.truth(env, body)?;
                let element = match trail {
                    [only] => only.clone(),
                    several => Value::tuple(several.to_vec()),
                };
                found.push((element, this.formulas.and([path, holds])));
                Ok(())
            })?;
            let defined = self.formulas.not(undefined);
            let holds: Vec<Formula> = found.iter().map(|(_, when)| *when).collect();
            if fold == Fold::Count {
                return self.number(&holds, defined, at);
            }
            let many = || GroundingError::new("there are too many elements here", Some(at.span));
            let single = self.formulas.count(&holds, 0b10).ok_or_else(many)?;
            let single = self.formulas.and([single, defined]);
            let cases: Vec<(Value, Formula)> = found
                .into_iter()
                .map(|(element, when)| (element, self.formulas.and([when, single])))
                .collect();
            return Ok(SymbolicTerm::cases(&mut self.formulas, cases));
        }
        let (bodies, undefined) = self.bodies(env, binders, body)?;
        let defined = self.formulas.not(undefined);
        let term = match fold {
            Fold::Sum => self.sum(bodies, at)?,
            Fold::Min | Fold::Max => self.extreme(bodies, fold == Fold::Max, at)?,
            Fold::Union | Fold::Count | Fold::One => {
                let mut members = Vec::new();
                for body in bodies {
                    members.extend(body.into_set(&mut self.formulas).members);
                }
                let members = super::term::merge_cases(&mut self.formulas, members);
                SymbolicTerm::Set(SetTerm { defined: TRUE, members })
            }
        };
        Ok(term.when(&mut self.formulas, defined))
    }

    /// Returns the sum of the defined terms.
    fn sum(&mut self, bodies: Vec<SymbolicTerm>, at: &Expr) -> Result<SymbolicTerm> {
        let zero = Expr::new(ExprKind::Const(Value::Int(0)), Type::Error, at.span);
        let mut total = vec![(Value::Int(0), TRUE)];
        for body in bodies {
            let cases = self.cases(body, at)?;
            let defined = self.formulas.or(cases.iter().map(|(_, when)| *when));
            let absent = self.formulas.not(defined);
            let mut next = Vec::new();
            for (sum, so_far) in total {
                for (value, when) in &cases {
                    let both = self.formulas.and([so_far, *when]);
                    if both != FALSE {
                        next.extend(self.arith(Arith::Add, &sum, value, &zero).map(|sum| (sum, both)));
                    }
                }
                next.push((sum, self.formulas.and([so_far, absent])));
            }
            total = super::term::merge_cases(&mut self.formulas, next);
            if total.len() > MAX_SUM_VALUES {
                return Err(GroundingError::new("a sum has too many values", Some(at.span)));
            }
            self.check()?;
        }
        Ok(SymbolicTerm::Cases(total))
    }

    /// Adds or subtracts two numbers by the definition.
    pub(super) fn arith(&mut self, op: Arith, a: &Value, b: &Value, like: &Expr) -> Option<Value> {
        let constant = |value: &Value| Expr::new(ExprKind::Const(value.clone()), Type::Error, like.span);
        let kind = ExprKind::Arith { op, exact: false, left: constant(a), right: constant(b) };
        let sum = Expr::new(kind, Type::Error, like.span);
        bouton_reference::eval_partial(self.rules, &[], &sum, &Default::default()).flatten()
    }

    /// Returns the greatest or least of the defined terms.
    fn extreme(&mut self, bodies: Vec<SymbolicTerm>, greatest: bool, at: &Expr) -> Result<SymbolicTerm> {
        let mut all = Vec::new();
        for body in bodies {
            all.extend(self.cases(body, at)?);
        }
        let mut all = super::term::merge_cases(&mut self.formulas, all);
        // `compare` orders fractions and whole numbers by size, other values in their usual order.
        all.sort_by(|(a, _), (b, _)| compare(a, b));
        if greatest {
            all.reverse();
        }
        let mut cases = Vec::new();
        let mut open = TRUE;
        for (value, when) in all {
            cases.push((value, self.formulas.and([open, when])));
            open = self.formulas.and_not(open, when);
        }
        Ok(SymbolicTerm::cases(&mut self.formulas, cases))
    }
}

/// Binds the variables of a pattern to a value; returns false if the value does not match the pattern.
pub(super) fn bind(env: &mut SymbolicEnv, pattern: &Pattern, value: &Value) -> bool {
    match (pattern, value) {
        (Pattern::Var(var), _) => {
            env.set(*var, SymbolicTerm::constant(value.clone()));
            true
        }
        (Pattern::Tuple(patterns), Value::Tuple(tuple)) => {
            patterns.len() == tuple.parts.len()
                && patterns.iter().zip(&tuple.parts).all(|(pattern, part)| bind(env, pattern, part))
        }
        (Pattern::Tuple(_), _) => false,
    }
}
