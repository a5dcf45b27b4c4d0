//! Rules that hold in the first position because a set is empty there, and so in every other set (W0534).

use crate::load::GameSource;
use bouton_rules::{EndRule, Expr, ExprKind};
use bouton_search::game::Game;
use bouton_syntax::diag::Diagnostic;

/// Tells first of a part `a in b` of a rule that holds since `a` is empty in the first position.
pub(super) fn explain(text: &GameSource, game: &Game, rule: &EndRule, found: Diagnostic) -> Diagnostic {
    let initial = game.machine.initial();
    let is_empty = |set: &Expr| {
        let value = game.machine.eval(&initial, set).ok().flatten();
        value.is_some_and(|value| value.as_set().is_some_and(|members| members.is_empty()))
    };
    let parts = match &*rule.condition.kind {
        ExprKind::And(parts) => &parts[..],
        _ => std::slice::from_ref(&rule.condition),
    };
    let vacuous = parts.iter().find_map(|part| match &*part.kind {
        ExprKind::Subset(low, high) if rule.binder.is_none() && is_empty(low) && !is_empty(high) => {
            let are_placed = [part, low, high].iter().all(|term| term.span.is_placed());
            are_placed.then_some((part.span, text.words(low.span), text.words(high.span)))
        }
        _ => None,
    });
    let Some((span, low, high)) = vacuous.filter(|(_, low, high)| low.len() + high.len() < 60) else {
        return found;
    };
    let rest = found.help.clone().map(|rest| format!("; otherwise, {rest}")).unwrap_or_default();
    found.label(span, format!("`{low}` is `{{}}` here, which is in every set")).help(format!(
        "if all of `{high}` is to be in `{low}`, write `{high} in {low}`; if the two are to be the same, \
         `{low} = {high}`{rest}"
    ))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn an_empty_set_in_another_is_named() {
        let told = |end: &str| {
            let rest = format!(
                "const furs = {{ 1, 3 }}; state {{ got: set of 1..3 = {{}}; }} move take(k: 1..3) as \"{{k}}\" {{ when k not in got; \
                 got |= {{ k }}; }} end {{ when {end} => mover loses; when stuck => draw; }}"
            );
            let found = findings_of_two(&rest, Code::W0534).into_iter().next();
            let label =
                |found: &bouton_syntax::diag::Diagnostic| found.labels.last().map(|of| of.text.clone());
            found.map(|found| (label(&found), found.help.unwrap_or_default())).unwrap_or_default()
        };
        for end in ["got in furs", "got in furs and 1 not in got"] {
            let (label, help) = told(end);
            assert_eq!(label.as_deref(), Some("`got` is `{}` here, which is in every set"));
            assert!(
                help.starts_with("if all of `furs` is to be in `got`, write `furs in got`; if the two"),
                "{help}"
            );
        }
        assert_eq!(told("furs in got"), Default::default());
        assert!(!told("2 not in got").1.contains("if all of"));
    }
}
