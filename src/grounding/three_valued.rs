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

/// A memoizing three-valued evaluator. A decided result holds for all values of the fluents among the given ones.
pub struct ThreeValuedEvaluator<'g> {
    formulas: &'g Formulas,
    possible: Vec<Values>,
    /// The truth value of each formula, with the epoch in which it was computed.
    known: Vec<(u32, ThreeValued)>,
    now: u32,
}

impl<'g> ThreeValuedEvaluator<'g> {
    /// Makes an evaluator; [`set_position`](Self::set_position) gives it the values of the fluents.
    pub fn new(formulas: &'g Formulas) -> ThreeValuedEvaluator<'g> {
        ThreeValuedEvaluator {
            formulas,
            possible: Vec::new(),
            known: vec![(0, ThreeValued::Open); formulas.len()],
            now: 0,
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
        let (when, truth) = self.known[formula.index()];
        if when == self.now {
            return truth;
        }
        let formulas = self.formulas;
        let truth = match formulas.node(formula) {
            FormulaNode::False => ThreeValued::Never,
            FormulaNode::True => ThreeValued::Always,
            FormulaNode::Name(..) => ThreeValued::Open,
            FormulaNode::Lit(subject, values) => match formulas.subject(*subject).0 {
                Subject::Fluent(fluent) => among(self.possible[fluent.index()], *values),
                Subject::Count(of) => {
                    let (mut least, mut most) = (0, 0);
                    for &part in of.iter() {
                        let truth = self.evaluate(part);
                        least += u32::from(truth == ThreeValued::Always);
                        most += u32::from(truth != ThreeValued::Never);
                    }
                    among((least..=most).fold(0, |all, number| all | 1 << number), *values)
                }
            },
            FormulaNode::And(parts) => self.all(parts, ThreeValued::Never, ThreeValued::Always),
            FormulaNode::Or(parts) => self.all(parts, ThreeValued::Always, ThreeValued::Never),
        };
        self.known[formula.index()] = (self.now, truth);
        truth
    }

    /// Returns `settles` if one part has this value, `otherwise` if all parts are decided, and open else.
    fn all(&mut self, parts: &[Formula], settles: ThreeValued, otherwise: ThreeValued) -> ThreeValued {
        let mut truth = otherwise;
        for &part in parts {
            match self.evaluate(part) {
                here if here == settles => return settles,
                ThreeValued::Open => truth = ThreeValued::Open,
                _ => {}
            }
        }
        truth
    }
}

fn among(possible: Values, values: Values) -> ThreeValued {
    match (possible & values, possible & !values) {
        (0, _) => ThreeValued::Never,
        (_, 0) => ThreeValued::Always,
        _ => ThreeValued::Open,
    }
}
