//! Conditions that the value of a term belongs to a type: the type of a field for an effect, or of a parameter for an
//! argument.

use std::rc::Rc;

use super::cx::{Cx, Product, Static, Term};
use super::domain::BitDomain;
use super::{Lower, LowerError, Result};
use bouton_base::source::Span;
use bouton_circuit::ValueId;
use bouton_rules::{Expr, ExprKind, Type, Value};

/// The maximal number of values of a type that a number is compared with one by one.
const MAX_LISTED: usize = 256;

impl<'r> Lower<'r> {
    /// Returns true if all values that an expression can have are values of this type.
    pub(super) fn surely_fits(&self, expr: &Expr, ty: &Type) -> bool {
        self.rules.is_within(&expr.ty, ty)
    }

    /// Returns the condition that the value of a term belongs to this type; any value if the term is undefined.
    pub(super) fn within(&mut self, term: &Term, ty: &Type, cx: &Cx, span: Span) -> Result<ValueId> {
        match term {
            Term::Static(of) => Ok(self.known_within(of, ty, cx)),
            Term::Cases(cases) => {
                let mut inside = self.build.truth(false);
                for (of, condition) in cases.iter() {
                    let fits = self.known_within(of, ty, cx);
                    let fits = self.both(fits, *condition);
                    inside = self.either(inside, fits);
                }
                Ok(inside)
            }
            Term::Number(n) => match ty.present() {
                Type::Int(low, high) => Ok(self.inside(n, *low, *high)),
                Type::Subset(among) if among.values.len() <= MAX_LISTED => {
                    let mut inside = self.build.truth(false);
                    for value in among.values.iter().filter_map(Value::as_int) {
                        let value = self.build.int(value);
                        let equal = self.build.equal(n.value, value);
                        inside = self.either(inside, equal);
                    }
                    Ok(inside)
                }
                _ => Err(LowerError::Varies),
            },
            Term::Choice(domain, bits) => {
                let domain = domain.clone();
                let fits = domain.values.iter().map(|value| self.rules.has_value(ty, value));
                let places =
                    domain.places.iter().zip(fits).filter(|(_, fits)| *fits).map(|(place, _)| *place);
                let fits = self.build.bits(bouton_base::bits::BitSet::of(domain.width, places));
                let inside = self.build.and(*bits, fits);
                Ok(self.build.any(inside))
            }
            Term::Product(product) => self.product_within(product, ty, cx, span),
            Term::Set(_) => Err(LowerError::Varies),
        }
    }

    /// Returns the condition that all elements of a set belong to a domain; false if the set is undefined.
    pub(super) fn has_only(&mut self, set: &'r Expr, domain: &BitDomain, cx: &Cx) -> Result<ValueId> {
        let all = ExprKind::Const(Value::set(domain.values.iter().cloned()));
        let all = Expr::new(all, set.ty.clone(), set.span);
        let inside = Expr::new(ExprKind::Subset(set.clone(), all), Type::Bool, set.span);
        self.formula(self.exprs.make(inside), cx)
    }

    fn known_within(&mut self, of: &Static, ty: &Type, cx: &Cx) -> ValueId {
        let rules = self.rules;
        self.known_truth(cx, |lane| of.at(lane).is_some_and(|value| rules.has_value(ty, value)))
    }

    fn product_within(&mut self, product: &Product, ty: &Type, cx: &Cx, span: Span) -> Result<ValueId> {
        let rules = self.rules;
        let parts: Vec<&Type> = match ty.present() {
            Type::Record(record) => rules.records[*record].parts.iter().map(|(_, ty)| ty).collect(),
            Type::Tuple(parts) => parts.iter().collect(),
            _ => {
                let cases = self.as_cases(&Term::Product(Rc::new(product.clone())), cx)?;
                return self.within(&cases, ty, cx, span);
            }
        };
        let mut inside = product.present;
        for (part, ty) in product.parts.iter().zip(parts) {
            let fits = self.within(part, ty, cx, span)?;
            inside = self.both(inside, fits);
        }
        if ty.is_option() {
            let none = self.unless(product.defined, product.present);
            inside = self.either(inside, none);
        }
        Ok(inside)
    }
}
