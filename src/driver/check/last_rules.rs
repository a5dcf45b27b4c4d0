//! The last end rule of a game as the rule of all positions in which no move is left, such as a full board: that it holds
//! where an earlier rule decides is no contradiction.

use super::ends::answers;
use super::late_rules::is_stuck;
use bouton_base::limits::LimitHit;
use bouton_rules::{Expr, ExprKind, OutcomeExpr, Rules, Type, Value};
use bouton_search::game::{Game, Outcome, State};

/// The last end rule, as long as no finished position contradicts that it is one of all positions without a move.
pub struct LastRule {
    /// Its index; `None` if there is nothing to ask.
    rule: Option<usize>,
}

impl LastRule {
    pub fn of(rules: &Rules) -> LastRule {
        let last = rules.ends.len().checked_sub(1).filter(|&last| {
            let rule = &rules.ends[last];
            // A draw and a comparison of scores contradict no rule before them.
            !matches!(rule.outcome, OutcomeExpr::Draw | OutcomeExpr::ByScore(..))
                && last > 0
                && rule.binder.is_none()
                && !rules.mentions(&rule.condition, &is_stuck)
        });
        LastRule { rule: last }
    }

    /// Receives a finished position.
    pub fn visit(&mut self, game: &Game, state: &State, outcome: &Outcome) -> Result<(), LimitHit> {
        let Some(last) = self.rule else { return Ok(()) };
        let decides = outcome.rule == last;
        let rule = &game.rules.ends[last];
        let holds = decides || !answers(game, state, rule)?.is_empty();
        let stuck = Expr::new(ExprKind::Stuck, Type::Bool, rule.condition.span);
        let has_moves = game.machine.eval(state, &stuck)? != Some(Value::Bool(true));
        if holds && has_moves && !decides || !holds && !has_moves {
            self.rule = None;
        }
        Ok(())
    }

    /// Returns true if the rule with this index is the last one, and has held in all positions in which no move was left,
    /// and beside another rule in these alone.
    pub fn is_of_no_moves(&self, rule: usize) -> bool {
        self.rule == Some(rule)
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_rule_of_the_full_board_contradicts_no_other() {
        let clashes = |last: &str| {
            let rest = format!(
                "board Cell = strip(5); state {{ at[c: Cell]: Player? = none; }} move put(c: Cell) as \"{{c}}\" {{ when at[c] = none; \
                 at[c] := me; }} end {{ when some l in lines(Cell, 2): all c in l: at[c] = A => A wins; when {last} => B wins; }}"
            );
            findings_of_two(&rest, Code::W0530).len()
        };
        assert_eq!(clashes("all c in Cell: at[c] != none"), 0);
        assert_eq!(clashes("no c in Cell: at[c] = none"), 0);
        assert_eq!(clashes("at[e1] != none"), 1);
    }
}
