//! The result of a game all of whose plays end alike: nobody's choices decide it.

use bouton_base::rational::Rational;
use bouton_rules::{OutcomeExpr, Rules};
use bouton_search::game::Outcome;

/// The result of all finished positions so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum EqualEnds {
    /// No position is finished.
    #[default]
    Unknown,
    /// These are the payoffs at all ends.
    Of(Vec<Rational>),
    /// There are several results.
    Varied,
}

impl EqualEnds {
    /// Adds the outcome of a finished position.
    pub fn add(&mut self, outcome: &Outcome) {
        match self {
            EqualEnds::Unknown => *self = EqualEnds::Of(outcome.payoffs.clone()),
            EqualEnds::Of(payoffs) if *payoffs != outcome.payoffs => *self = EqualEnds::Varied,
            _ => {}
        }
    }

    /// Tells the draw in which all plays end, if all positions were explored; `None` if some may end otherwise.
    pub fn words(&self, rules: &Rules) -> Option<&'static str> {
        let EqualEnds::Of(payoffs) = self else { return None };
        let is_draw = payoffs.iter().all(Rational::is_zero);
        let may_repeat = rules.repeats.iter().any(|rule| !matches!(rule.outcome, OutcomeExpr::Draw));
        (is_draw && !may_repeat && payoffs.len() > 1).then_some("every play ends in a draw")
    }
}

#[cfg(test)]
mod tests {
    use bouton_base::limits::{Limits, NoProgress};

    use crate::check::{CheckOptions, check};
    use crate::load::GameSource;

    #[test]
    fn a_game_of_draws_alone_is_told() {
        let explored = |end: &str| {
            let source = format!(
                "game \"Six\";\nplayers A, B;\nstate {{ n: 0..4 = 0; }}\nmove go(k: 1..2) as \"{{k}}\" {{ when n + k <= 4; n += k; \
                 }}\nend {{ {end} }}\n"
            );
            let limits = Limits::default();
            let options = CheckOptions { explore: 1_000, limits: &limits, progress: &NoProgress };
            check(&mut GameSource::from_string("game.bou", &source), &options).explored.unwrap_or_default()
        };
        assert_eq!(explored("when stuck => draw;"), "all 8 positions; every play ends in a draw");
        assert_eq!(explored("when stuck => mover loses;"), "all 8 positions");
    }
}
