//! The turn: the actor, or the outcome of an ended game (LANGUAGE.md section 7).

use std::cmp::Ordering;

use num_rational::Rational64;

use super::number::compare;
use super::state::{PositionView, State, StuckMeaning};
use super::step::ActingSide;
use super::{Context, Env, Interpreter};
use bouton_base::source::Span;
use bouton_rules::{
    EndRule, Fault, FaultKind, OutcomeExpr, OutcomeKind, PLAYER, PerPlayer, ToMove, Value, play,
};

/// The rule index in outcomes of infinite play.
const INFINITE_PLAY_RULE: usize = usize::MAX;

impl Interpreter {
    /// The actor, or the outcome if the game has ended: by the first end rule that holds, else by the first counted
    /// `repeat` whose number of occurrences this position has reached.
    pub fn turn(&self, state: &State) -> Result<ToMove, Fault> {
        let at = PositionView::new(self, state, StuckMeaning::Compute);
        let context = at.context(None);
        for (place, rule) in self.rules.ends.iter().enumerate() {
            if let Some(mut env) = self.satisfying_env(&context, rule) {
                return self
                    .outcome(&context, &mut env, &rule.outcome, place, rule.span)
                    .map(ToMove::Terminal);
            }
        }
        for (place, repeat) in self.rules.repeats.iter().enumerate() {
            if repeat.count.is_some_and(|count| self.occurrences(state) >= count as usize) {
                let place = self.rules.ends.len() + place;
                let mut env = Env::new(0);
                return self
                    .outcome(&context, &mut env, &repeat.outcome, place, repeat.span)
                    .map(ToMove::Terminal);
            }
        }
        Ok(match self.acting(state)? {
            ActingSide::Player(player) => ToMove::Player(player),
            ActingSide::Each => ToMove::Simultaneous,
            ActingSide::Chance => ToMove::Chance,
        })
    }

    /// The outcome of infinite play by the first `repeat` without a number, evaluated in this position (`mover wins`
    /// depends on it). `None` if there is no such rule or if it gives no result here.
    pub fn infinite_outcome(&self, state: &State) -> Option<play::Outcome> {
        let repeat = self.rules.repeats.iter().find(|repeat| repeat.count.is_none())?;
        let at = PositionView::new(self, state, StuckMeaning::Compute);
        self.outcome(&at.context(None), &mut Env::new(0), &repeat.outcome, INFINITE_PLAY_RULE, repeat.span)
            .ok()
    }

    /// The variables of a rule if it holds; its own variable is bound to the first value that satisfies the condition.
    fn satisfying_env(&self, context: &Context, rule: &EndRule) -> Option<Env> {
        let mut env = Env::new(rule.vars.len());
        let binder = rule.binder.as_slice();
        let walk =
            context.for_each_binding(&mut env, binder, &mut |env, _| !context.truth(env, &rule.condition));
        walk.stopped.then_some(env)
    }

    /// The result of an outcome. A fault if an expression in it has no value.
    fn outcome(
        &self,
        context: &Context,
        env: &mut Env,
        outcome: &OutcomeExpr,
        rule: usize,
        span: Span,
    ) -> Result<play::Outcome, Fault> {
        let no_result = Fault { kind: FaultKind::NoResult, span, play: None };
        let players = self.players();
        let all =
            |payoff: &dyn Fn(u32) -> i64| (0..players).map(|p| Rational64::from_integer(payoff(p))).collect();
        let win = |payoffs| play::Outcome { payoffs, kind: OutcomeKind::Win, scores: None, rule };
        match outcome {
            OutcomeExpr::Draw => {
                Ok(play::Outcome { payoffs: all(&|_| 0), kind: OutcomeKind::Draw, scores: None, rule })
            }
            OutcomeExpr::SinglePlayer(wins) => Ok(win(all(&|_| sign(*wins)))),
            OutcomeExpr::Player(player, wins) => match context.value(env, player) {
                Some(Value::Sym(PLAYER, player)) => Ok(win(all(&|p| sign((p == player) == *wins)))),
                _ => Err(no_result),
            },
            OutcomeExpr::ByScore(scores, highest) => {
                let scores = values_per_player(context, scores).ok_or(no_result)?;
                Ok(best(&scores, *highest, rule))
            }
            OutcomeExpr::Payoff(payoffs) => {
                let payoffs = values_per_player(context, payoffs);
                let payoffs = payoffs.and_then(|payoffs| payoffs.iter().map(Value::as_ratio).collect());
                let payoffs = payoffs.ok_or(no_result)?;
                Ok(play::Outcome { payoffs, kind: OutcomeKind::Payoff, scores: None, rule })
            }
        }
    }
}

/// 1 for a win, -1 for a loss.
fn sign(won: bool) -> i64 {
    if won { 1 } else { -1 }
}

/// The value for each player; `None` if one is undefined.
fn values_per_player(context: &Context, of: &PerPlayer) -> Option<Vec<Value>> {
    let mut env = Env::new(of.vars.len());
    of.values.iter().map(|value| context.value(&mut env, value)).collect()
}

/// A win for the only player with the best score, against all others; a draw if several have it.
fn best(scores: &[Value], highest: bool, rule: usize) -> play::Outcome {
    let better = if highest { Ordering::Greater } else { Ordering::Less };
    let is_best = |score: &Value| !scores.iter().any(|other| compare(other, score) == better);
    let winners = scores.iter().filter(|score| is_best(score)).count();
    let payoff = |score: &Value| if winners == 1 { sign(is_best(score)) } else { 0 };
    play::Outcome {
        payoffs: scores.iter().map(|score| Rational64::from_integer(payoff(score))).collect(),
        kind: if winners == 1 { OutcomeKind::Win } else { OutcomeKind::Draw },
        scores: scores.iter().map(Value::as_int).collect(),
        rule,
    }
}
