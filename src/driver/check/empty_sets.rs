//! Rules that hold in the first position because a set is empty there, and so in every other set (W0534).

use super::reasons::{MAX_DEPTH, unfolded};
use crate::load::GameSource;
use bouton_rules::{EndRule, Expr, ExprKind, Quant, Rules};
use bouton_search::game::Game;
use bouton_syntax::diag::Diagnostic;

/// Tells first of a part `a in b` of a rule that holds since `a` is empty in the first position.
pub(super) fn explain(text: &GameSource, game: &Game, rule: &EndRule, found: Diagnostic) -> Diagnostic {
    let initial = game.machine.initial();
    let is_empty = |set: &Expr| {
        let value = game.machine.eval(&initial, set).ok().flatten();
        value.is_some_and(|value| value.as_set().is_some_and(|members| members.is_empty()))
    };
    let vacuous = first_part(&game.rules, &rule.condition, 0, &|part| match &*part.kind {
        ExprKind::Subset(low, high) if is_empty(low) && !is_empty(high) => {
            let are_placed = [part, low, high].iter().all(|term| term.span.is_placed());
            are_placed.then(|| (part.span, text.words(low.span), text.words(high.span)))
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

/// The first answer about a part on which a condition rests: of `and`, of `some`, and of the definitions that it calls.
fn first_part<T>(rules: &Rules, formula: &Expr, depth: usize, ask: &dyn Fn(&Expr) -> Option<T>) -> Option<T> {
    ask(formula).or_else(|| match &*formula.kind {
        ExprKind::And(parts) => parts.iter().find_map(|part| first_part(rules, part, depth, ask)),
        ExprKind::Quant(Quant::Some, _, body) => first_part(rules, body, depth, ask),
        ExprKind::Call(id, args) if depth < MAX_DEPTH => {
            first_part(rules, &unfolded(rules, *id, args)?, depth + 1, ask)
        }
        _ => None,
    })
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
        let (label, help) = told("some k in 1..2: got in { k, 3 }");
        assert_eq!(label.as_deref(), Some("`got` is `{}` here, which is in every set"));
        assert!(
            help.starts_with("if all of `{ k, 3 }` is to be in `got`, write `{ k, 3 } in got`;"),
            "{help}"
        );
        assert_eq!(told("furs in got"), Default::default());
        assert!(!told("2 not in got").1.contains("if all of"));
    }
}
