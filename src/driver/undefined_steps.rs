//! Steps of an effect that lead off the board (E0330): `c + d` where the board ends.

use bouton_rules::{BoardFn, Expr, ExprKind, Value};

use super::undefined_terms::{Scope, UndefinedKind, UndefinedTerm};

/// Returns the first step off the board in a term, the innermost first. Terms behind binders and cases are
/// left out.
pub(super) fn off_board(scope: &Scope<'_>, term: &Expr) -> Option<UndefinedTerm> {
    if matches!(
        &*term.kind,
        ExprKind::If(..)
            | ExprKind::Match(..)
            | ExprKind::Let(..)
            | ExprKind::Quant(..)
            | ExprKind::Fold(..)
            | ExprKind::Collect(..)
            | ExprKind::Defined(_)
            | ExprKind::And(_)
            | ExprKind::Or(_)
    ) {
        return None;
    }
    let mut found = None;
    term.each_part(&mut |part| found = found.take().or_else(|| off_board(scope, part)));
    let ExprKind::Board(BoardFn::Step, id, args) = &*term.kind else { return found };
    found.or_else(|| {
        let values: Vec<Value> = args.iter().map(|arg| scope.value(arg)).collect::<Option<_>>()?;
        let shown: Vec<String> = values.iter().map(|value| scope.game.rules.show(value)).collect();
        let board = &scope.game.rules.boards[*id].name;
        let reason = format!("{} is no cell of `{board}`", shown.join(" + "));
        let is_off = scope.value(term).is_none() && term.span.is_placed();
        is_off.then_some(UndefinedTerm { span: term.span, reason, kind: UndefinedKind::Step })
    })
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn the_step_off_the_board_is_named() {
        let told = |effect: &str| {
            let rest = format!(
                "board Cell = strip(4); state {{ at: Cell = a1; eaten: set of Cell = {{}}; n: 0..5 = 0; }} move go() as \"go\" {{ let \
                 to = at + E; when n < 5; at := to; n += 1; {effect} }} end {{ when stuck => draw; when n = 5 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0330).into_iter().next();
            found
                .map(|found| (found.labels[0].text.clone(), found.help.unwrap_or_default()))
                .unwrap_or_default()
        };
        let (label, help) = told("eaten := eaten | { at + E + E };");
        assert_eq!(label, "d1 + E is no cell of `Cell`");
        assert!(help.starts_with("bind a term that may have no value first"), "{help}");
        assert_eq!(told("eaten := eaten | { at };"), Default::default());
    }
}
