//! Lints of the weights of chance events that are no proportions of one whole: W0325.

use super::analyzer::Analyzer;
use bouton_base::rational::Rational;
use bouton_rules::{Block, Expr, ExprKind, Move, PhaseId, StmtKind, Value, VarId};
use bouton_syntax::diag::{Code, Diagnostic};

/// The most instances of an event whose weights are computed one by one.
const INSTANCES: i64 = 1000;

/// An event of a throw, with the number of its instances.
struct WeighedEvent<'r> {
    event: &'r Move,
    /// The greatest weight of an instance.
    weight: Rational,
    /// The sum of the weights of its instances.
    total: Rational,
    instances: i64,
}

impl<'a> Analyzer<'a> {
    /// W0325: fractions below 1 that do not sum to 1, and percentages beside fractions.
    pub fn weights_of_throws(&mut self) {
        let phases: Vec<PhaseId> = self.rules.phases.ids().collect();
        for phase in phases {
            let found = weighed_events(self.rules.moves.iter().filter(|mv| mv.phases.contains(&phase)))
                .and_then(|events| fractions_without_a_whole(&events).or_else(|| mixed_units(&events)));
            if let Some(found) = found
                && !self.diagnostics.iter().any(|d| d.code == found.code && d.span() == found.span())
            {
                self.report(found);
            }
        }
    }
}

/// The events with their weights, if all weights are constants and all instances are possible in every position.
fn weighed_events<'r>(moves: impl Iterator<Item = &'r Move>) -> Option<Vec<WeighedEvent<'r>>> {
    moves
        .map(|event| {
            let is_always_possible = !has_condition(&event.body);
            let sizes = event.params.iter().map(|param| param.values.len() as i64);
            let instances = sizes.fold(1i64, i64::saturating_mul);
            let (weight, total) = weight_and_total(event, instances)?;
            let is_counted = event.chance && event.by.is_none() && is_always_possible && weight.is_positive();
            is_counted.then_some(WeighedEvent { event, weight, total, instances })
        })
        .collect()
}

/// Returns true if a condition may rule out the event in some positions, in any of its blocks.
fn has_condition(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Require(_) | StmtKind::Let(..) => true,
        StmtKind::Then(inner) | StmtKind::For(_, inner) => has_condition(inner),
        StmtKind::If(_, yes, no) => has_condition(yes) || has_condition(no),
        _ => false,
    })
}

/// The greatest weight of an instance of an event, and the sum of all; `None` if a weight depends on the position.
fn weight_and_total(event: &Move, instances: i64) -> Option<(Rational, Rational)> {
    let weight = event.weight.as_ref()?;
    if let Some(weight) = weight.constant().and_then(Value::as_ratio) {
        let total = &weight * &Rational::from_integer(instances);
        return Some((weight, total));
    }
    let [param] = &event.params[..] else { return None };
    if instances > INSTANCES {
        return None;
    }
    let weights: Option<Vec<Rational>> =
        param.values.iter().map(|value| value_with(weight, param.var, value)?.as_ratio()).collect();
    let weights = weights?;
    let mut total = Rational::from_integer(0);
    for weight in &weights {
        total += weight.clone();
    }
    Some((weights.into_iter().max()?, total))
}

/// The value of a term of one variable that only compares it and chooses by `if`.
fn value_with(term: &Expr, var: VarId, value: &Value) -> Option<Value> {
    let of = |term| value_with(term, var, value);
    let order = |a, b| match (of(a)?, of(b)?) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(&b)),
        _ => None,
    };
    Some(match &*term.kind {
        ExprKind::Const(constant) => constant.clone(),
        ExprKind::Var(other) if *other == var => value.clone(),
        ExprKind::Equal(a, b) => Value::Bool(of(a)? == of(b)?),
        ExprKind::Less(a, b) => Value::Bool(order(a, b)?.is_lt()),
        ExprKind::LessEqual(a, b) => Value::Bool(order(a, b)?.is_le()),
        ExprKind::If(condition, yes, no) => match of(condition)? {
            Value::Bool(true) => of(yes)?,
            Value::Bool(false) => of(no)?,
            _ => return None,
        },
        _ => return None,
    })
}

fn sum_of(events: &[WeighedEvent<'_>]) -> Rational {
    let mut sum = Rational::from_integer(0);
    for event in events {
        sum += event.total.clone();
    }
    sum
}

fn fractions_without_a_whole(events: &[WeighedEvent<'_>]) -> Option<Diagnostic> {
    let one = Rational::from_integer(1);
    let (first, sum) = (events.first()?, sum_of(events));
    if sum == one || !events.iter().all(|event| event.weight < one) {
        return None;
    }
    let number = events.iter().map(|event| event.instances).fold(0, i64::saturating_add);
    if number == 1 {
        return None;
    }
    let title = format!("the weights of these {number} events sum to {sum}, not to 1");
    let weight = first.event.weight.as_ref()?;
    let label = match first.instances {
        1 => String::new(),
        _ if weight.constant().is_none() => "the weights of these events".to_owned(),
        n => format!("the weight of each of {n} events"),
    };
    let mut found = Diagnostic::new(Code::W0325, title, weight.span, label);
    for event in &events[1..] {
        found = found.label(event.event.weight.as_ref()?.span, "");
    }
    let share = first.weight.checked_div(&sum)?;
    Some(found.help(format!(
        "weights are proportions, so an event of weight {} comes with the probability {share}: let the fractions sum to 1",
        first.weight
    )))
}

/// Percentages beside fractions, which together are one whole.
fn mixed_units(events: &[WeighedEvent<'_>]) -> Option<Diagnostic> {
    let one = Rational::from_integer(1);
    let (percentages, fractions): (Vec<_>, Vec<_>) = events.iter().partition(|event| event.weight > one);
    let (percentage, fraction) = (percentages.first()?, fractions.first()?);
    if fractions.iter().any(|event| event.weight == one)
        || percentages.iter().any(|of| !of.weight.is_integer())
    {
        return None;
    }
    let hundredth = Rational::new(1, 100);
    let mut whole = Rational::from_integer(0);
    for event in events {
        whole += if event.weight > one { &event.total * &hundredth } else { event.total.clone() };
    }
    if whole != one {
        return None;
    }
    let (weight, other) = (percentage.event.weight.as_ref()?, fraction.event.weight.as_ref()?);
    let title = format!(
        "the weight {} stands beside the weight {}: weights are proportions",
        percentage.weight, fraction.weight
    );
    let share = percentage.weight.checked_div(&sum_of(events))?;
    let found =
        Diagnostic::new(Code::W0325, title, weight.span, format!("comes with the probability {share}"));
    let right = &percentage.weight * &hundredth;
    Some(
        found
            .label(other.span, "a fraction of 1")
            .help(format!("for percent write the fraction: `weight {right};`")),
    )
}
