//! W0126 for `pass when stuck;` beside an end rule that holds where some player is stuck, the one to move
//! included. Of a plain `when stuck` the driver says that the pass is never legal.

use super::analyzer::Analyzer;
use super::guards::conjuncts;
use bouton_syntax::ast::{self, EndCondition, ExprKind, ItemKind, Quantifier};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Warns about a pass that no position of play allows, since an end rule holds there.
    pub(super) fn passes_never_legal(&mut self) {
        let rule = self.items().find_map(|(item, own)| match &item.kind {
            ItemKind::End(rules) if own => rules.iter().find_map(|rule| match &rule.condition {
                EndCondition::When { binder: None, condition } if is_some_stuck(condition.bare()) => {
                    Some(condition)
                }
                EndCondition::When { binder: Some(binder), condition }
                    if is_stuck_player(binder, condition) =>
                {
                    Some(condition)
                }
                _ => None,
            }),
            _ => None,
        });
        let pass = self.items().find_map(|(item, own)| match &item.kind {
            ItemKind::Pass(Some(condition)) if own => Some(condition),
            _ => None,
        });
        let (Some(rule), Some(pass)) = (rule, pass) else { return };
        let mut parts = Vec::new();
        conjuncts(pass, &mut parts);
        let Some(part) = parts.into_iter().find(|part| is_the_movers(part)) else { return };
        let title = "this is never true while play goes on: an end rule holds wherever the mover cannot move";
        let found = Diagnostic::new(Code::W0126, title, part.span, "so the pass is never legal");
        self.report(found.label(rule.span, "true there: play has ended").help(format!(
            "if play is to go on with a pass, the rule must ask for more than `{}`; otherwise leave the pass out",
            print_expr(rule)
        )));
    }
}

/// Returns true for `stuck` and `stuck(mover)`.
fn is_the_movers(condition: &ast::Expr) -> bool {
    match &*condition.bare().kind {
        ExprKind::Name(name) => name == "stuck",
        ExprKind::Call(of, args) => {
            of.as_name() == Some("stuck") && matches!(&args[..], [one] if one.as_name() == Some("mover"))
        }
        _ => false,
    }
}

/// Returns true for a condition that some player is stuck.
fn is_some_stuck(condition: &ast::Expr) -> bool {
    match &*condition.kind {
        ExprKind::Quant(Quantifier::Some, binders, body) => {
            matches!(&binders[..], [binder] if is_stuck_player(binder, body))
        }
        _ => false,
    }
}

/// Returns true for `p in Player` and `stuck(p)`.
fn is_stuck_player(binder: &ast::Binder, condition: &ast::Expr) -> bool {
    let ast::Pattern::Name(player) = &binder.pattern else { return false };
    let ExprKind::Call(of, args) = &*condition.bare().kind else { return false };
    let is_it = matches!(&args[..], [one] if one.as_name() == Some(&player.text));
    let is_all = binder.condition.is_none() && binder.domain.as_name() == Some("Player");
    of.as_name() == Some("stuck") && is_it && is_all
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn passes_are_legal_somewhere() {
        let told = |pass: &str, rule: &str| {
            let text = format!(
                "game \"Pass\"; players A, B; state {{ n: 0..7 = 0; }}
                 move go(k: 1..2) as \"{{k}}\" {{ when n + k <= 7 and n + k != 3; n += k; }}
                 pass when {pass}; end {{ {rule} }}"
            );
            found(&text, Code::W0126).len()
        };
        for rule in [
            "when some p in Player: stuck(p) => draw;",
            "for p in Player when stuck(p) => p loses;",
            "when n = 7 => mover wins; when (some q in Player: stuck(q)) => draw;",
        ] {
            assert_eq!(told("stuck", rule), 1, "{rule}");
        }
        assert_eq!(told("n > 3 and stuck", "for p in Player when stuck(p) => p loses;"), 1);
        assert_eq!(told("n > 3", "when stuck => draw;"), 0);
        for rule in [
            "when all p in Player: stuck(p) => draw;",
            "when stuck and n = 7 => draw;",
            "when n = 7 => draw;",
        ] {
            assert_eq!(told("stuck", rule), 0, "{rule}");
        }
    }
}
