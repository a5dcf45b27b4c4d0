//! Terms with `one` that have no value in a position, since none or several elements fit.

use std::sync::Arc;

use super::undefined_terms::{Scope, UndefinedKind, UndefinedTerm};
use bouton_rules::{Binder, Expr, ExprKind, Fold, Pattern, Type, Value};

/// The term, if it has no value in the position of a scope.
pub(super) fn undefined(
    scope: &Scope<'_>,
    term: &Expr,
    binders: &[Binder],
    body: &Expr,
) -> Option<UndefinedTerm> {
    let counted = ExprKind::Fold(Fold::Count, binders.to_vec(), body.clone());
    let counted = Expr::new(counted, Type::Int(0, i64::MAX), term.span);
    let Value::Int(count) = scope.value(&counted)? else { return None };
    let reason = match count {
        0 => "finds none here".to_owned(),
        1 => return None,
        several => format!("finds {several} here, and `one` asks for one only"),
    };
    let [Binder { pattern: Pattern::Var(_), .. }] = binders else { return None };
    let reason = match found_elements(scope, term, binders, body) {
        Some(elements) if count > 1 => format!("{reason}: {elements}"),
        _ => reason,
    };
    Some(UndefinedTerm { span: term.span, reason, kind: UndefinedKind::One })
}

/// The maximal number of elements that are named.
const MAX_ELEMENTS: usize = 3;

/// The elements that fit, as words, if they are few.
fn found_elements(scope: &Scope<'_>, term: &Expr, binders: &[Binder], body: &Expr) -> Option<String> {
    let [binder @ Binder { pattern: Pattern::Var(var), .. }] = binders else { return None };
    let is_fitting = match &binder.condition {
        Some(condition) => ExprKind::And(vec![condition.clone(), body.clone()]),
        None => *body.kind.clone(),
    };
    let condition = Some(Expr::new(is_fitting, Type::Bool, body.span));
    let binder = Binder { condition, ..binder.clone() };
    let element = Expr::new(ExprKind::Var(*var), term.ty.clone(), term.span);
    let set = Type::Set(Arc::new(term.ty.clone()));
    let all = scope.value(&Expr::new(ExprKind::Collect(vec![binder], element), set, term.span))?;
    let mut names: Vec<String> = all.as_set()?.iter().map(|value| scope.game.rules.show(value)).collect();
    if names.len() > MAX_ELEMENTS {
        return None;
    }
    let last = names.pop()?;
    Some(format!("{} and {last}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings;

    #[test]
    fn one_that_finds_none_is_named() {
        let of = |value: &str| {
            let rest = format!(
                "player A; board Cell = strip(3); enum T {{ s, t }} state {{ at[c: Cell]: T? = {value}; here: Cell? = none; }} \
                 def begin = one c in Cell: at[c] = s; move enter() as \"enter\" {{ when here = none; here := begin; }} \
                 move on() as \"on\" {{ let to = here + E; here := to; at[to] := none; }} end {{ when here = c1 => win; }}"
            );
            let found = findings(&rest, Code::E0330).into_iter().next();
            found
                .map(|found| {
                    let last = found.labels.last().map(|label| label.text.clone());
                    (last.unwrap_or_default(), found.help.clone().unwrap_or_default())
                })
                .unwrap_or_default()
        };
        let (label, help) = of("if c = a1 then t else none");
        assert_eq!(label, "finds none here");
        assert!(help.starts_with("`one` has a value where exactly one element fits"), "{help}");
        assert_eq!(of("if c = c1 then t else s").0, "finds 2 here, and `one` asks for one only: a1 and b1");
        assert_eq!(of("if c = a1 then s else none").0, "");
    }
}
