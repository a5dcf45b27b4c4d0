//! Lints of the weights of chance events that are no proportions of one whole: W0325.

use super::analyzer::Analyzer;
use bouton_base::rational::Rational;
use bouton_rules::{Move, PhaseId, StmtKind, Value};
use bouton_syntax::diag::{Code, Diagnostic};

/// An event of a throw, with its weight and the number of its instances.
struct WeighedEvent<'r> {
    event: &'r Move,
    weight: Rational,
    instances: i64,
}

impl WeighedEvent<'_> {
    /// The sum of the weights of its instances.
    fn total(&self) -> Rational {
        &self.weight * &Rational::from_integer(self.instances)
    }
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
            let is_always_possible = !event
                .body
                .stmts
                .iter()
                .any(|stmt| matches!(stmt.kind, StmtKind::Require(_) | StmtKind::Let(..)));
            let weight = event.weight.as_ref()?.constant().and_then(Value::as_ratio)?;
            let sizes = event.params.iter().map(|param| param.values.len() as i64);
            let instances = sizes.fold(1i64, i64::saturating_mul);
            let is_counted = event.chance && event.by.is_none() && is_always_possible && weight.is_positive();
            is_counted.then_some(WeighedEvent { event, weight, instances })
        })
        .collect()
}

fn sum_of(events: &[WeighedEvent<'_>]) -> Rational {
    let mut sum = Rational::from_integer(0);
    for event in events {
        sum += event.total();
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
        whole += if event.weight > one { &event.total() * &hundredth } else { event.total() };
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
