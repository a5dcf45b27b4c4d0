//! The last resort of lowering with lanes: a formula without a form for all lanes at once is lowered for one lane after
//! the other, and the results become the bits of a vector.
//!
//! The cost is the formula's size times the lanes. So a game is lowered without this first, and with it only if it has
//! no circuit otherwise.

use std::rc::Rc;

use super::cx::{Cx, Lanes, Number, Product, Static, Term};
use super::{Lower, LowerError, Result};
use bouton_base::cancel;
use bouton_circuit::ValueId;

/// The maximal number of lanes that a formula is lowered for one by one.
const MAX_LANES_ONE_BY_ONE: usize = 1 << 10;

impl<'r> Lower<'r> {
    /// Lowers a condition for one lane after the other.
    pub(super) fn lane_by_lane(
        &mut self,
        cx: &Cx,
        condition: &mut dyn FnMut(&mut Self, LaneView<'_>) -> Result<ValueId>,
    ) -> Result<ValueId> {
        if cx.len() > MAX_LANES_ONE_BY_ONE {
            return Err(LowerError::Varies);
        }
        let mut found = self.build.zero(cx.lanes.width);
        for lane in 0..cx.len() {
            cancel::step();
            let inner = self.cx_in_lane(cx, cx, lane);
            let here = condition(self, LaneView { cx: &inner, outer: cx, lane })?;
            let bit = self.build.resize(here, cx.lanes.width);
            let bit = self.build.shift(bit, cx.lanes.places[lane] as i32);
            found = self.build.or(found, bit);
        }
        Ok(found)
    }

    /// Returns a context in which the variables have their values in a lane of `outer`, and no lanes are left.
    fn cx_in_lane(&mut self, cx: &Cx, outer: &Cx, lane: usize) -> Cx {
        let env = cx.env.iter().map(|term| term.as_ref().map(|term| self.term_in_lane(term, outer, lane)));
        let env = env.collect();
        Cx { lanes: Rc::new(Lanes::unit()), env, lane: None, ..cx.clone() }
    }

    /// Returns the value of a term in a lane.
    pub(super) fn term_in_lane(&mut self, term: &Term, cx: &Cx, lane: usize) -> Term {
        // A variable that is no longer used may remain from other lanes, fewer than these.
        let of = |s: &Static| match s {
            Static::One(_) => s.clone(),
            Static::Each(values) => Static::One(values.get(lane).cloned().flatten()),
        };
        let place = cx.lanes.places[lane];
        match term {
            Term::Static(s) => Term::Static(of(s)),
            Term::Cases(cases) => {
                let cases = cases.iter().map(|(value, c)| (of(value), self.truth_in_lane(*c, place)));
                let cases = cases.collect();
                self.cases(cases)
            }
            Term::Product(p) => Term::Product(Rc::new(Product {
                record: p.record,
                defined: self.truth_in_lane(p.defined, place),
                present: self.truth_in_lane(p.present, place),
                parts: p.parts.iter().map(|part| self.term_in_lane(part, cx, lane)).collect(),
            })),
            Term::Number(n) => Term::Number(Number { defined: self.truth_in_lane(n.defined, place), ..*n }),
            Term::Choice(..) => term.clone(),
            Term::Set(set) => Term::Set(Rc::new((set.0, self.cx_in_lane(&set.1, cx, lane)))),
        }
    }

    /// Returns a condition in the lane at a place.
    fn truth_in_lane(&mut self, condition: ValueId, place: u32) -> ValueId {
        if self.build.width(condition) == 1 { condition } else { self.bit(condition, place) }
    }
}

/// A context without lanes, for one lane of another context.
pub(super) struct LaneView<'c> {
    /// The context without lanes.
    pub cx: &'c Cx,
    /// The context with lanes.
    pub outer: &'c Cx,
    /// The lane, by its index.
    pub lane: usize,
}
