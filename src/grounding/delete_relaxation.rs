//! Delete relaxation: an upper bound of the reachable positions, fluent by fluent (from planning: Drew McDermott 1996;
//! Blai Bonet and Héctor Geffner 2001).

use super::Ground;
use super::formula::{Formula, FormulaNode, Formulas, Subject, Values};
use bouton_base::cancel;
use bouton_base::id::Id;

/// The relaxed reachability of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeleteRelaxation {
    /// The values that each fluent may take, the present one among them, by fluent.
    pub values: Vec<Values>,
    /// True if the action may ever be legal, by action.
    pub actions: Vec<bool>,
}

impl Ground {
    /// Returns the relaxed reachability of a position. All positions reachable from it have only such values, and all
    /// moves legal in them are such actions.
    pub fn delete_relaxation(&self, position: &[u8]) -> DeleteRelaxation {
        self.possible_of(position.iter().map(|&value| 1 << value).collect())
    }

    /// Returns the relaxed reachability of the set of all positions, reachable or not.
    pub fn delete_relaxation_anywhere(&self) -> DeleteRelaxation {
        let all = |values: usize| Values::MAX >> (Values::BITS as usize - values);
        self.possible_of(self.fluents.iter().map(|(_, fluent)| all(fluent.values.len())).collect())
    }

    fn possible_of(&self, values: Vec<Values>) -> DeleteRelaxation {
        let mut possible = DeleteRelaxation { values, actions: vec![false; self.actions.len()] };
        loop {
            let mut more = possible.values.clone();
            let mut reading = RelaxedEvaluator::new(&self.formulas, &possible.values);
            for (action, legal) in self.actions.iter().zip(&mut possible.actions) {
                cancel::step();
                *legal = *legal || reading.may_hold(action.legal);
                if !*legal {
                    continue;
                }
                for becomes in &action.updates {
                    for (value, when) in &becomes.values {
                        if reading.may_hold(*when) {
                            more[becomes.fluent.index()] |= 1 << value;
                        }
                    }
                }
            }
            if more == possible.values {
                return possible;
            }
            possible.values = more;
        }
    }

    /// Evaluates formulas in the relaxation in which each fluent has any of these values.
    pub fn relaxed_evaluator_of_values<'a>(&'a self, values: &'a [Values]) -> RelaxedEvaluator<'a> {
        RelaxedEvaluator::new(&self.formulas, values)
    }

    /// Evaluates formulas in this relaxation.
    pub fn relaxed_evaluator<'a>(&'a self, possible: &'a DeleteRelaxation) -> RelaxedEvaluator<'a> {
        RelaxedEvaluator::new(&self.formulas, &possible.values)
    }
}

/// A memoizing evaluator of formulas in a relaxation in which each fluent has any of its possible values.
pub struct RelaxedEvaluator<'a> {
    formulas: &'a Formulas,
    values: &'a [Values],
    known: Vec<Option<bool>>,
}

impl<'a> RelaxedEvaluator<'a> {
    fn new(formulas: &'a Formulas, values: &'a [Values]) -> RelaxedEvaluator<'a> {
        RelaxedEvaluator { formulas, values, known: vec![None; formulas.len()] }
    }

    /// Returns true if the formula may hold somewhere. Literals of names and counts always may.
    pub fn may_hold(&mut self, formula: Formula) -> bool {
        if let Some(known) = self.known[formula.index()] {
            return known;
        }
        let formulas = self.formulas;
        let may = match formulas.node(formula) {
            FormulaNode::False => false,
            FormulaNode::True | FormulaNode::Name(..) => true,
            FormulaNode::Lit(subject, values) => match formulas.subject(*subject).0 {
                Subject::Fluent(fluent) => self.values[fluent.index()] & values != 0,
                Subject::Count(_) => true,
            },
            FormulaNode::And(parts) => parts.iter().all(|&part| self.may_hold(part)),
            FormulaNode::Or(parts) => parts.iter().any(|&part| self.may_hold(part)),
        };
        self.known[formula.index()] = Some(may);
        may
    }
}
