//! Three-valued evaluation of formulas: each fluent has one of several values, and a formula holds always, never, or
//! is open.

use super::FluentId;
use super::formula::{Formula, FormulaNode, Formulas, Subject, Values};
use bouton_base::id::Id;

/// The truth value of a formula (Kleene logic).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreeValued {
    /// It holds for none of the values.
    Never,
    /// It holds for all of the values.
    Always,
    /// Undecided: it may hold or not, as far as the values of each fluent alone show.
    Open,
}

impl ThreeValued {
    /// Evaluates a formula for these values of the fluents, given the evaluation of its parts, which may give up.
    pub(super) fn of(
        formulas: &Formulas,
        formula: Formula,
        possible: &[Values],
        mut part: impl FnMut(Formula) -> Option<ThreeValued>,
    ) -> Option<ThreeValued> {
        let (parts, settles, otherwise) = match formulas.node(formula) {
            FormulaNode::False => return Some(ThreeValued::Never),
            FormulaNode::True => return Some(ThreeValued::Always),
            FormulaNode::Name(..) => return Some(ThreeValued::Open),
            FormulaNode::Lit(subject, values) => {
                let among = match formulas.subject(*subject).0 {
                    Subject::Fluent(fluent) => possible[fluent.index()],
                    Subject::Count(of) => {
                        let (mut least, mut most) = (0, 0);
                        for &one in of.iter() {
                            let truth = part(one)?;
                            least += u32::from(truth == ThreeValued::Always);
                            most += u32::from(truth != ThreeValued::Never);
                        }
                        (least..=most).fold(0, |all, number| all | 1 << number)
                    }
                };
                return Some(match (among & values, among & !values) {
                    (0, _) => ThreeValued::Never,
                    (_, 0) => ThreeValued::Always,
                    _ => ThreeValued::Open,
                });
            }
            FormulaNode::And(parts) => (parts, ThreeValued::Never, ThreeValued::Always),
            FormulaNode::Or(parts) => (parts, ThreeValued::Always, ThreeValued::Never),
        };
        // One part settles the whole; otherwise all have to be decided.
        let mut truth = otherwise;
        for &one in parts.iter() {
            match part(one)? {
                here if here == settles => return Some(settles),
                ThreeValued::Open => truth = ThreeValued::Open,
                _ => {}
            }
        }
        Some(truth)
    }
}

/// A memoizing three-valued evaluator. A decided result holds for all values of the fluents among the given ones.
pub struct ThreeValuedEvaluator<'g> {
    formulas: &'g Formulas,
    possible: Vec<Values>,
    /// The truth value of each formula, with the epoch in which it was computed.
    known: Vec<(u32, ThreeValued)>,
    now: u32,
}

impl<'g> ThreeValuedEvaluator<'g> {
    /// Makes an evaluator for these values of the fluents.
    pub fn new(formulas: &'g Formulas, possible: Vec<Values>) -> ThreeValuedEvaluator<'g> {
        ThreeValuedEvaluator {
            formulas,
            possible,
            known: vec![(0, ThreeValued::Open); formulas.len()],
            now: 1,
        }
    }

    /// Gives each fluent exactly its value in a position.
    pub fn set_position(&mut self, position: &[u8]) {
        self.possible.clear();
        self.possible.extend(position.iter().map(|value| 1 << value));
        self.forget();
    }

    /// Adds values to the possible ones.
    pub fn add_values(&mut self, more: &[(FluentId, u8)]) {
        more.iter().for_each(|(fluent, value)| self.possible[fluent.index()] |= 1 << value);
        self.forget();
    }

    /// Gives a fluent these possible values.
    pub fn set_values(&mut self, fluent: FluentId, values: Values) {
        self.possible[fluent.index()] = values;
        self.forget();
    }

    fn forget(&mut self) {
        self.now += 1;
        if self.now == u32::MAX {
            self.known.fill((0, ThreeValued::Open));
            self.now = 1;
        }
    }

    /// Returns the possible values of a fluent.
    pub fn possible(&self, fluent: FluentId) -> Values {
        self.possible[fluent.index()]
    }

    /// Returns true if a fluent has more than one possible value.
    pub fn may_change(&self, fluent: FluentId) -> bool {
        !self.possible[fluent.index()].is_power_of_two()
    }

    /// Evaluates a formula for the possible values of the fluents.
    pub fn evaluate(&mut self, formula: Formula) -> ThreeValued {
        memoized(self.formulas, &self.possible, formula, &mut self.known, self.now)
    }

    /// Returns true unless the formula holds for none of the possible values.
    pub fn may_hold(&mut self, formula: Formula) -> bool {
        self.evaluate(formula) != ThreeValued::Never
    }
}

fn memoized(
    formulas: &Formulas,
    possible: &[Values],
    formula: Formula,
    known: &mut [(u32, ThreeValued)],
    now: u32,
) -> ThreeValued {
    let (when, truth) = known[formula.index()];
    if when == now {
        return truth;
    }
    let part = |part| Some(memoized(formulas, possible, part, known, now));
    let truth = ThreeValued::of(formulas, formula, possible, part).unwrap_or(ThreeValued::Open);
    known[formula.index()] = (now, truth);
    truth
}
