//! The goals of two players, for rules that check the ends one after the other: "the player with a line wins" is a
//! line of the first, or a line of the second and none of the first, although both players have the same goal.

use bouton_base::rational::Rational;

use super::Ground;
use super::formula::{Formula, FormulaNode, Formulas};

impl Ground {
    /// Returns by player the condition that keeps the other player's payoff below the bound, without the exception for
    /// earlier ends. In a position in which at most one goal holds, the game is over exactly where a goal holds.
    pub fn goals(&mut self, bound: Rational) -> [Formula; 2] {
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
    /// Returns the formula whose conjunction with the absence of the exception is this formula; `None` if the form of
    /// the formula does not show it.
    fn but_for(&mut self, formula: Formula, exception: Formula) -> Option<Formula> {
        let absent = self.not(exception);
        let left_out = self.conjuncts(absent);
        let own: Vec<Formula> =
            self.conjuncts(formula).into_iter().filter(|part| !left_out.contains(part)).collect();
        let own = self.and(own);
        (own != formula && self.and([own, absent]) == formula).then_some(own)
    }

    /// Returns the conjuncts of a formula.
    pub fn conjuncts(&self, formula: Formula) -> Vec<Formula> {
        match self.node(formula) {
            FormulaNode::And(parts) => parts.to_vec(),
            _ => vec![formula],
        }
    }
}
