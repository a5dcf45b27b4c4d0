//! Checks of end rules beyond the first that holds: contradictory results, and payoffs that do not cancel.

use bouton_base::rational::Rational;

use super::late_rules::is_stuck;
use bouton_base::limits::LimitHit;
use bouton_rules::{
    self as rules, Domain, EffectOp, EndRule, Expr, ExprKind, FieldId, OutcomeExpr as Said, PLAYER,
    PerPlayer, Stmt, StmtKind, Type, Value,
};
use bouton_search::game::{Game, Outcome, State};

/// Finds an end rule that holds in a finished position and gives another result than the first: its index, the result
/// taken and the other result, in words. A draw after another result is no contradiction: "a player with a line wins; a
/// full board is a draw" relies on the order. So does a loss of a puzzle after a win, a rule about `stuck` after others,
/// which says how a game ends that nothing else has ended, a rule that compares scores, and a rule about the time that
/// has passed: "who gets home wins; after ten moves the other wins" is the end of games that nobody has won in time.
pub fn conflicting_result(
    game: &Game,
    state: &State,
    outcome: &Outcome,
) -> Result<Option<(usize, String, String)>, LimitHit> {
    let ends = &game.rules.ends;
    for (place, rule) in ends.iter().enumerate().skip(outcome.rule) {
        if place != outcome.rule && is_fallback(&game.rules, rule) {
            continue;
        }
        // A puzzle is won in its last move, also where there are no moves left: "solved; after ten moves it is lost".
        let verdicts = (ends.get(outcome.rule).map(|taken| &taken.outcome), &rule.outcome);
        if let (Some(Said::SinglePlayer(true)), Said::SinglePlayer(false)) = verdicts {
            continue;
        }
        for payoffs in answers(game, state, rule)? {
            let is_draw = payoffs.iter().all(Rational::is_zero);
            if payoffs != outcome.payoffs && !is_draw {
                // A verdict beside payoffs, or two payoffs, are compared by their numbers.
                let is_payoff = |rule: &EndRule| matches!(rule.outcome, Said::Payoff(_));
                let has_numbers = is_payoff(rule) || ends.get(outcome.rule).is_some_and(is_payoff);
                let words = |payoffs: &[Rational]| match has_numbers {
                    true => list_payoffs(game, payoffs),
                    false => describe_payoffs(game, payoffs),
                };
                return Ok(Some((place, words(&outcome.payoffs), words(&payoffs))));
            }
        }
    }
    Ok(None)
}

/// Returns true if a rule is meant for games that no rule before it has ended.
fn is_fallback(rules: &rules::Rules, rule: &EndRule) -> bool {
    matches!(rule.outcome, Said::ByScore(..))
        || rules.mentions(&rule.condition, &is_stuck)
        || is_deadline(rules, &rule.condition)
}

/// Returns true if a condition reads nothing of the position but how many moves have been made.
fn is_deadline(rules: &rules::Rules, condition: &Expr) -> bool {
    let reads_other = |kind: &ExprKind| match kind {
        ExprKind::Field(field, _) => !counts_moves(rules, *field),
        ExprKind::Me | ExprKind::Stuck | ExprKind::StuckPlayer(_) => true,
        _ => false,
    };
    let reads_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(..));
    rules.mentions(condition, &reads_field) && !rules.mentions(condition, &reads_other)
}

/// Returns true if each move of a player changes this field by a constant, whatever the position.
fn counts_moves(rules: &rules::Rules, field: FieldId) -> bool {
    let counts = |stmt: &Stmt| {
        matches!(&stmt.kind, StmtKind::Effect(effect) if effect.field == field
            && effect.keys.is_empty()
            && matches!(effect.op, EffectOp::Add | EffectOp::Subtract)
            && effect.value.constant().is_some())
    };
    let mut made = rules.moves.iter().filter(|mv| !mv.chance).peekable();
    made.peek().is_some() && made.all(|mv| mv.body.stmts.iter().any(counts))
}

/// The payoffs that a rule gives here: none if it does not hold, several if it holds for several values of its binder.
pub fn answers(game: &Game, state: &State, rule: &EndRule) -> Result<Vec<Vec<Rational>>, LimitHit> {
    let holds = |e: &Expr| Ok(game.machine.eval(state, e)? == Some(Value::Bool(true)));
    let Some(binder) = &rule.binder else {
        let payoffs = match holds(&rule.condition)? {
            true => payoffs(game, state, &rule.outcome, &|e| e.clone())?,
            false => None,
        };
        return Ok(payoffs.into_iter().collect());
    };
    let domain: Vec<Value> = match &binder.domain {
        Domain::Fixed(values) => values.to_vec(),
        Domain::Set(set) => match game.machine.eval(state, set)? {
            Some(Value::Set(values)) => values.to_vec(),
            _ => Vec::new(),
        },
    };
    let mut found = Vec::new();
    for value in domain {
        let bound = |e: &Expr| {
            let constant = Expr::new(ExprKind::Const(value.clone()), Type::Error, e.span);
            e.clone().with(binder.pattern.clone(), constant)
        };
        let kept = binder.condition.as_ref().map_or(Ok(true), |condition| holds(&bound(condition)))?;
        if kept && holds(&bound(&rule.condition))? {
            found.extend(payoffs(game, state, &rule.outcome, &bound)?);
        }
    }
    Ok(found)
}

/// The payoff of each player; `None` if the rule gives none.
fn payoffs(
    game: &Game,
    state: &State,
    outcome: &Said,
    bound: &dyn Fn(&Expr) -> Expr,
) -> Result<Option<Vec<Rational>>, LimitHit> {
    let players = game.rules.players().len();
    let one = Rational::from_integer(1);
    let values = |each: &PerPlayer| -> Result<Option<Vec<Rational>>, LimitHit> {
        let value = |e| Ok(game.machine.eval(state, &bound(e))?.and_then(|v| v.as_ratio()));
        each.values.iter().map(value).collect()
    };
    Ok(match outcome {
        Said::Draw => Some(vec![Rational::from_integer(0); players]),
        Said::SinglePlayer(wins) => Some(vec![if *wins { one } else { -one }]),
        Said::Player(who, wins) => match game.machine.eval(state, &bound(who))? {
            Some(Value::Sym(PLAYER, player)) => {
                let sign = |p: usize| if (p as u32 == player) == *wins { one.clone() } else { -&one };
                Some((0..players).map(sign).collect())
            }
            _ => None,
        },
        Said::ByScore(each, highest) => values(each)?.and_then(|scores| {
            let best = if *highest { scores.iter().max() } else { scores.iter().min() }?;
            let winners = scores.iter().filter(|s| *s == best).count();
            let sign = |s: &Rational| match (s == best, winners) {
                (true, 1) => one.clone(),
                (_, 1) => -&one,
                _ => Rational::from_integer(0),
            };
            Some(scores.iter().map(sign).collect())
        }),
        Said::Payoff(each) => values(each)?,
    })
}

/// Renders payoffs in words: `X wins`, `draw`, or the list. Nothing for anybody is no draw where rules give payoffs.
pub fn describe_payoffs(game: &Game, payoffs: &[Rational]) -> String {
    let players = game.rules.players();
    let one = Rational::from_integer(1);
    let winners: Vec<usize> = (0..payoffs.len()).filter(|&p| payoffs[p] == one).collect();
    let others_lose = payoffs.iter().all(|payoff| payoff.abs() == one);
    if payoffs.iter().all(Rational::is_zero) && !has_payoffs(&game.rules) {
        "draw".into()
    } else if let ([winner], true) = (winners.as_slice(), others_lose) {
        format!("{} wins", players[*winner])
    } else {
        list_payoffs(game, payoffs)
    }
}

/// The payoff of each player, with the names: `A 2, B -2`.
fn list_payoffs(game: &Game, payoffs: &[Rational]) -> String {
    let named = game.rules.players().iter().zip(payoffs);
    named.map(|(name, payoff)| format!("{name} {payoff}")).collect::<Vec<String>>().join(", ")
}

/// The sum of the payoffs of a two-player game.
pub fn payoff_sum(outcome: &Outcome) -> Option<Rational> {
    (outcome.payoffs.len() == 2).then(|| outcome.payoffs.iter().sum())
}

/// Returns true if some rule gives payoffs; otherwise the payoffs of two players always cancel.
pub fn has_payoffs(rules: &rules::Rules) -> bool {
    rules.ends.iter().any(|rule| matches!(rule.outcome, Said::Payoff(_)))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn two_results_are_shown_in_one_way() {
        let title = |second: &str| {
            let rest = format!(
                "state {{ n: 0..4 = 0; }} move go(k: 1..2) as \"{{k}}\" {{ when n < 3; n += k; }} end {{ when n = 3 => {second}; when n \
                 > 2 => payoff p: if p = A then 1 else -1; }}"
            );
            let found = findings_of_two(&rest, Code::W0530).into_iter().next();
            found.map(|found| found.title).unwrap_or_default()
        };
        // A special case before the rule of all others is meant so.
        assert_eq!(title("payoff p: 0"), "");
        let rest = "state { n: 0..4 = 0; last: 1..2 = 1; } move go(k: 1..2) as \"{k}\" { when n < 3; n += k; last := k; } end { when \
                    n = 3 => payoff p: 0; when n > 2 and last = 2 => payoff p: if p = A then 1 else -1; }";
        let title = findings_of_two(rest, Code::W0530).into_iter().next().map(|found| found.title);
        assert_eq!(title.as_deref(), Some("both `A 0, B 0` and `A 1, B -1` apply here; the first is taken"));
        let rest = "state { n: 0..4 = 0; last: 1..2 = 1; } move go(k: 1..2) as \"{k}\" { when n < 3; n += k; last := k; } end { when \
                    n = 3 => A wins; when n > 2 and last = 2 => B wins; }";
        let title = findings_of_two(rest, Code::W0530).into_iter().next().map(|found| found.title);
        assert_eq!(title.as_deref(), Some("both `A wins` and `B wins` apply here; the first is taken"));
    }
}
