//! The turn: the actor, or the outcome of an ended game (LANGUAGE.md section 7).

use std::cmp::Ordering;

use bouton_base::rational::Rational;

use super::Interpreter;
use super::compact::Compact;
use super::eval::{Context, StuckMeaning};
use super::node::{BinderNode, Node};
use super::number::order;
use super::prepare::Preparer;
use super::state::State;
use super::step::ActingSide;
use bouton_base::source::Span;
use bouton_rules::{
    EndRule, Fault, FaultKind, OutcomeExpr, OutcomeKind, PLAYER, Repeat, Rules, ToMove, play,
};

/// The rule index in outcomes of infinite play.
const INFINITE_PLAY_RULE: usize = usize::MAX;

/// A prepared end rule.
#[derive(Debug)]
pub struct EndNode {
    /// The number of slots of its variables.
    slots: usize,
    binder: Vec<BinderNode>,
    condition: Node,
    outcome: OutcomeNode,
}

/// The terms of an outcome: the player, or a term for each player.
#[derive(Debug)]
pub struct OutcomeNode {
    slots: usize,
    terms: Box<[Node]>,
}

impl EndNode {
    pub fn new(rules: &Rules, of: &EndRule) -> EndNode {
        let mut preparer = Preparer::new(rules, of.vars.len());
        let binder = of.binder.iter().map(|binder| preparer.binder(binder)).collect();
        let condition = preparer.node(&of.condition);
        let outcome = OutcomeNode::new(rules, &of.outcome);
        EndNode { slots: preparer.slots.max(outcome.slots), binder, condition, outcome }
    }
}

impl OutcomeNode {
    pub fn of_repeat(rules: &Rules, of: &Repeat) -> OutcomeNode {
        OutcomeNode::new(rules, &of.outcome)
    }

    fn new(rules: &Rules, of: &OutcomeExpr) -> OutcomeNode {
        let (terms, slots) = match of {
            OutcomeExpr::Draw | OutcomeExpr::SinglePlayer(_) => (&[][..], 0),
            OutcomeExpr::Player(player, _) => (std::slice::from_ref(player), 0),
            OutcomeExpr::ByScore(of, _) | OutcomeExpr::Payoff(of) => (of.values.as_slice(), of.vars.len()),
        };
        let mut preparer = Preparer::new(rules, slots);
        let terms = preparer.nodes(terms);
        OutcomeNode { slots: preparer.slots, terms }
    }
}

impl Interpreter {
    /// The actor, or the outcome if the game has ended: by the first end rule that holds, else by the first counted
    /// `repeat` whose number of occurrences this position has reached.
    pub fn turn(&self, state: &State) -> Result<ToMove, Fault> {
        self.turn_in(&mut self.context(state, None, StuckMeaning::Compute), state)
    }

    pub(super) fn turn_in(&self, context: &mut Context, state: &State) -> Result<ToMove, Fault> {
        for (place, (rule, node)) in self.rules.ends.iter().zip(&self.prepared.ends).enumerate() {
            // The variable of the rule is bound to the first value that satisfies the condition.
            let outer = context.enter(node.slots);
            let walk =
                context.for_each_binding(&node.binder, &mut |context, _| !context.truth(&node.condition));
            if walk.stopped {
                let outcome = self.outcome(context, &rule.outcome, &node.outcome, place, rule.span);
                return outcome.map(ToMove::Terminal);
            }
            context.leave(outer);
        }
        for (place, (repeat, node)) in self.rules.repeats.iter().zip(&self.prepared.repeats).enumerate() {
            if repeat.count.is_some_and(|count| self.occurrences(state, place) >= count as usize) {
                let place = self.rules.ends.len() + place;
                return self
                    .outcome(context, &repeat.outcome, node, place, repeat.span)
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
        let repeats = self.rules.repeats.iter().zip(&self.prepared.repeats);
        let (repeat, node) = repeats.into_iter().find(|(repeat, _)| repeat.count.is_none())?;
        let mut context = self.context(state, None, StuckMeaning::Compute);
        self.outcome(&mut context, &repeat.outcome, node, INFINITE_PLAY_RULE, repeat.span).ok()
    }

    /// The result of an outcome. A fault if an expression in it has no value.
    fn outcome(
        &self,
        context: &mut Context,
        outcome: &OutcomeExpr,
        node: &OutcomeNode,
        rule: usize,
        span: Span,
    ) -> Result<play::Outcome, Fault> {
        let no_result = Fault { kind: FaultKind::NoResult, span, play: None };
        let players = self.players();
        let all =
            |payoff: &dyn Fn(u32) -> i64| (0..players).map(|p| Rational::from_integer(payoff(p))).collect();
        let win = |payoffs| play::Outcome { payoffs, kind: OutcomeKind::Win, scores: None, rule };
        match outcome {
            OutcomeExpr::Draw => {
                Ok(play::Outcome { payoffs: all(&|_| 0), kind: OutcomeKind::Draw, scores: None, rule })
            }
            OutcomeExpr::SinglePlayer(wins) => Ok(win(all(&|_| sign(*wins)))),
            OutcomeExpr::Player(_, wins) => match node.terms.first().and_then(|player| context.value(player))
            {
                Some(Compact::Sym(player)) if player.of() == PLAYER => {
                    Ok(win(all(&|p| sign((p == player.number()) == *wins))))
                }
                _ => Err(no_result),
            },
            OutcomeExpr::ByScore(_, highest) => {
                let scores = values_per_player(context, node).ok_or(no_result)?;
                Ok(best(&scores, *highest, rule))
            }
            OutcomeExpr::Payoff(_) => {
                let payoffs = values_per_player(context, node);
                let payoffs = payoffs
                    .and_then(|payoffs| payoffs.iter().map(|payoff| payoff.to_value().as_ratio()).collect());
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
fn values_per_player(context: &mut Context, of: &OutcomeNode) -> Option<Vec<Compact>> {
    let outer = context.enter(of.slots);
    let values = of.terms.iter().map(|term| context.value(term)).collect();
    context.leave(outer);
    values
}

/// A win for the only player with the best score, against all others; a draw if several have it.
fn best(scores: &[Compact], highest: bool, rule: usize) -> play::Outcome {
    let better = if highest { Ordering::Greater } else { Ordering::Less };
    let is_best = |score: &Compact| !scores.iter().any(|other| order(other, score) == better);
    let winners = scores.iter().filter(|score| is_best(score)).count();
    let payoff = |score: &Compact| if winners == 1 { sign(is_best(score)) } else { 0 };
    play::Outcome {
        payoffs: scores.iter().map(|score| Rational::from_integer(payoff(score))).collect(),
        kind: if winners == 1 { OutcomeKind::Win } else { OutcomeKind::Draw },
        scores: scores.iter().map(Compact::as_int).collect(),
        rule,
    }
}
