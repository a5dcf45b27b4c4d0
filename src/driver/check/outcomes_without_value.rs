//! The field that the outcome of an end rule reads and that is `none` (E0502).

use bouton_rules::{Expr, ExprKind, FieldId, OutcomeExpr, PHASE, StmtKind, Value};
use bouton_search::game::{Fault, FaultKind, Game, State};
use bouton_syntax::diag::Diagnostic;

/// The first words of the help.
const READS: &str = "the outcome reads";

/// Tells which field of the outcome is `none` in the position of a fault, and how it gets a value.
pub(super) fn explain(game: &Game, fault: &Fault, state: &State, found: Diagnostic) -> Diagnostic {
    if !matches!(fault.kind, FaultKind::NoResult) {
        return found;
    }
    let rules = &game.rules;
    let terms: Vec<&Expr> =
        match rules.ends.iter().find(|rule| rule.span == fault.span).map(|rule| &rule.outcome) {
            Some(OutcomeExpr::Player(player, _)) => vec![player],
            Some(OutcomeExpr::ByScore(scores, _) | OutcomeExpr::Payoff(scores)) => {
                scores.values.iter().collect()
            }
            _ => return found,
        };
    let Some((id, term)) = terms.into_iter().find_map(|term| empty_field(game, state, term)) else {
        return found;
    };
    let name = &rules.fields[id].name;
    let sets = |kind: &StmtKind| matches!(kind, StmtKind::Effect(effect) if effect.field == id);
    let help = match rules.moves.iter().any(|mv| mv.body.any(&sets)) {
        true => format!(
            "{READS} `{name}`, which is `none` here: set it before, or give the rule the condition `{name} != none` and add a \
             rule for the other case"
        ),
        false => format!(
            "{READS} `{name}`, which is `none` here, and which no move sets: an effect such as `{name} := me;` is missing"
        ),
    };
    let found = if term.span.is_placed() { found.label(term.span, "`none` here") } else { found };
    found.help(help)
}

/// Returns true if an error says that the outcome reads this field.
pub(super) fn names(error: &Diagnostic, field: &str) -> bool {
    error.help.as_ref().is_some_and(|help| help.starts_with(&format!("{READS} `{field}`,")))
}

/// The first field without keys in a term that is `none`.
fn empty_field<'e>(game: &Game, state: &State, term: &'e Expr) -> Option<(FieldId, &'e Expr)> {
    if let ExprKind::Field(id, keys) = &*term.kind
        && *id > PHASE
        && keys.is_empty()
    {
        let value = game.machine.read(state, *id, 0);
        return (value == Value::None).then_some((*id, term));
    }
    let mut parts = Vec::new();
    term.each_part(&mut |part| parts.push(part));
    parts.into_iter().find_map(|part| empty_field(game, state, part))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn the_field_of_the_outcome_is_named() {
        let game = |effect: &str, code: Code| {
            let rest = format!(
                "state {{ left: 0..3 = 3; last: Player? = none; }} move take(k: 1..2) as \"{{k}}\" {{ when k <= left; left -= k; \
                 {effect} }} end {{ when left = 0 => last wins; when stuck => draw; }}"
            );
            findings_of_two(&rest, code).into_iter().next().and_then(|found| found.help).unwrap_or_default()
        };
        let told = game("", Code::E0502);
        assert!(
            told.starts_with("the outcome reads `last`, which is `none` here, and which no move sets"),
            "{told}"
        );
        assert_eq!(game("", Code::W0410), "");
        let seldom = game("if k = 2 { last := me; }", Code::E0502);
        assert!(
            seldom.starts_with("the outcome reads `last`, which is `none` here: set it before"),
            "{seldom}"
        );
        assert_eq!(game("last := me;", Code::E0502), "");
    }
}
