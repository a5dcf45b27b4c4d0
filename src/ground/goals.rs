//! What each of two players plays for, where the ends are told one after the other: "who has a line wins" is a line of
//! the first, or a line of the second and none of the first, though it is the same for both.

use num_rational::Rational64;

use super::Ground;
use super::formula::{Formula, Formulas, Node};

impl Ground {
    /// By player: what keeps the other player from getting as much as the bound, without the exception of what comes
    /// first. In a position where not both goals are reached the game is over by either just where it is reached.
    pub fn goals(&mut self, bound: Rational64) -> [Formula; 2] {
        let ends = [0, 1].map(|player: usize| {
            let keeps = self.ends.iter().filter(|end| end.payoffs[1 - player] < bound);
            let keeps: Vec<Formula> = keeps.map(|end| end.when).collect();
            self.formulas.or(keeps)
        });
        let [first, second] = ends;
        for (goal, later, place) in [(first, second, 1), (second, first, 0)] {
            if let Some(own) = self.formulas.but_for(later, goal) {
                let mut goals = ends;
                goals[place] = own;
                return goals;
            }
        }
        ends
    }
}

impl Formulas {
    /// The formula that together with the absence of an exception is this one; none where it does not show that it is
    /// made so.
    fn but_for(&mut self, formula: Formula, exception: Formula) -> Option<Formula> {
        let absent = self.not(exception);
        let left_out = self.parts(absent);
        let own: Vec<Formula> =
            self.parts(formula).into_iter().filter(|part| !left_out.contains(part)).collect();
        let own = self.and(own);
        (own != formula && self.and([own, absent]) == formula).then_some(own)
    }

    /// What all must hold for the formula to.
    fn parts(&self, formula: Formula) -> Vec<Formula> {
        match self.node(formula) {
            Node::And(parts) => parts.to_vec(),
            _ => vec![formula],
        }
    }
}
