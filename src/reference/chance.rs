//! Phases `by chance`: events and their probabilities (LANGUAGE.md sections 6 and 8).

use bouton_base::rational::Rational;

use super::Interpreter;
use super::eval::Context;
use super::state::State;
use super::step::{LegalMove, LegalSuccessor, undefined};
use bouton_rules::{Fault, FaultKind, MoveInstance};

impl Interpreter {
    /// The possible chance events with their probabilities: the weights (1 by default) divided by their sum.
    pub(super) fn events(&self, context: &mut Context, state: &State) -> Result<Vec<LegalSuccessor>, Fault> {
        let found = self.legal_instances(context, state, &|_| true).into_iter();
        let choices = found.map(|(id, args, after)| Ok(LegalMove { id, args, after: after? }));
        let choices = choices.collect::<Result<Vec<LegalMove>, Fault>>()?;
        let Some(first) = choices.first() else { return Ok(Vec::new()) };
        let span = self.rules.moves[first.id].span;
        let mut weighed = Vec::new();
        let mut total = Rational::ZERO;
        for choice in choices {
            let weight = self.weight(context, &choice)?;
            total = total + &weight;
            weighed.push((choice, weight));
        }
        let wrong = Fault { kind: FaultKind::Weights, span, play: None };
        weighed.retain(|(_, weight)| !weight.is_zero());
        let event = |(LegalMove { id, args, after }, weight): (_, Rational)| {
            (MoveInstance::Move(id, args), after, weight / &total)
        };
        if weighed.is_empty() { Err(wrong) } else { Ok(weighed.into_iter().map(event).collect()) }
    }

    fn weight(&self, context: &mut Context, choice: &LegalMove) -> Result<Rational, Fault> {
        let of = &self.rules.moves[choice.id];
        let Some(expr) = &of.weight else { return Ok(Rational::ONE) };
        let play = Some(Box::new(MoveInstance::Move(choice.id, choice.args.clone())));
        let node = &self.prepared.moves[choice.id];
        let weight =
            node.with_instance(context, &choice.args, |context| context.value(node.weight.as_ref()?));
        let weight = weight.and_then(|weight| weight.to_value().as_ratio());
        let weight =
            weight.ok_or_else(|| Fault { play: play.clone(), ..undefined("the weight", expr.span) })?;
        if weight.is_negative() {
            return Err(Fault { kind: FaultKind::Weights, span: expr.span, play });
        }
        Ok(weight)
    }
}
