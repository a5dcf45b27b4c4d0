//! An end asked by `=` at the bound of a field, over which play goes (E0503): the move goes from before the bound to
//! behind it.

use super::fault_advice::FaultCause;
use crate::faults::effects;
use crate::load::GameSource;
use bouton_rules::{EffectOp, Expr, ExprKind, Type, Value};
use bouton_search::game::{Fault, FaultKind, Game, MoveInstance, State};

/// Returns the end rule that waits for the bound of the field of a fault, if the move goes over it.
pub(super) fn cause(text: &GameSource, game: &Game, fault: &Fault, state: &State) -> Option<FaultCause> {
    let FaultKind::OutOfRange { value: Value::Int(value), .. } = fault.kind else { return None };
    let MoveInstance::Move(id, _) = fault.play.as_deref()? else { return None };
    let rules = &game.rules;
    let all = effects(&rules.moves[*id].body);
    let (effect, _) = all.into_iter().find(|(_, place)| *place == fault.span)?;
    let of = &rules.fields[effect.field];
    let Type::Int(low, high) = of.ty else { return None };
    let Value::Int(before) = game.machine.read(state, effect.field, 0) else { return None };
    let (bound, compare) = if value > high { (high, ">=") } else { (low, "<=") };
    let is_over = before != bound && (before < bound) == (bound < value);
    if !of.keys.is_empty() || effect.op == EffectOp::Set || !is_over {
        return None;
    }
    let asks = |part: &Expr| {
        let ExprKind::Equal(a, b) = &*part.kind else { return None };
        let (field, number) = if b.constant().is_some() { (a, b) } else { (b, a) };
        let is_field = matches!(&*field.kind, ExprKind::Field(of, _) if *of == effect.field);
        let is_it = is_field && number.constant() == Some(&Value::Int(bound));
        let is_placed = part.span.is_placed() && number.span.is_placed();
        (is_it && is_placed).then_some((part.span, number.span))
    };
    let (span, number) = rules.ends.iter().find_map(|rule| match &*rule.condition.kind {
        ExprKind::And(parts) => parts.iter().find_map(asks),
        _ => asks(&rule.condition),
    })?;
    let (name, number) = (&of.name, text.words(number));
    let (from, to) = (low.min(value), high.max(value));
    Some(FaultCause {
        span,
        label: format!("`{name}` goes from {before} to {value}, past {bound}"),
        help: format!(
            "if the game ends past {bound} as well, write `{name} {compare} {number}` in the end rule, and widen the range of \
             `{name}` to {from}..{to}"
        ),
        is_first_help: true,
    })
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn an_end_at_the_bound_that_play_goes_over_is_told() {
        let told = |step: &str, end: &str| {
            let rest = format!(
                "const bell = 10; state {{ time: 0..bell = 0; }} move go() as \"go\" {{ time += {step}; }} end {{ when {end} => \
                 mover loses; }}"
            );
            let found = findings_of_two(&rest, Code::E0503).into_iter().next();
            let words = |found: bouton_syntax::diag::Diagnostic| {
                let labels: Vec<String> = found.labels.into_iter().map(|label| label.text).collect();
                (labels.join("; "), found.help.unwrap_or_default())
            };
            found.map(words).unwrap_or_default()
        };
        let (labels, help) = told("3", "time = bell");
        assert!(labels.ends_with("; `time` goes from 9 to 12, past 10"), "{labels}");
        let wanted = "if the game ends past 10 as well, write `time >= bell` in the end rule, and widen the range of `time` to \
                      0..12; if the move is illegal here";
        assert!(help.starts_with(wanted), "{help}");
        assert_eq!(told("2", "time = bell"), Default::default());
        assert!(!told("3", "time = 4").0.contains("from 9"));
    }
}
