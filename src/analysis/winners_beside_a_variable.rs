//! W0111 for `for p in Player when f(p) => mover wins;`, where the condition finds a player, and the outcome
//! names another one.

use super::analyzer::Analyzer;
use bouton_rules::{Binder, Domain, Expr, ExprKind, OutcomeExpr, PLAYER, Pattern, Value};
use bouton_syntax::ast::{self, OutcomeKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// The condition and the outcome of a rule with a variable, as written and elaborated.
pub(super) struct RuleOfEach<'r> {
    pub binder: (&'r ast::Binder, &'r Binder),
    pub condition: (&'r ast::Expr, &'r Expr),
    pub outcome: (&'r OutcomeKind, &'r OutcomeExpr),
}

impl Analyzer<'_> {
    /// Warns about a rule that goes through all players and whose outcome does not name the one that it finds. A
    /// condition that speaks of the winner as well as of the variable joins the two.
    pub(super) fn winner_beside_the_variable(&mut self, rule: RuleOfEach<'_>) {
        let (words, made) = rule.binder;
        let (asked, condition) = rule.condition;
        let (OutcomeKind::Wins(named) | OutcomeKind::Loses(named)) = rule.outcome.0 else { return };
        let (ast::Pattern::Name(name), Pattern::Var(variable)) = (&words.pattern, &made.pattern) else {
            return;
        };
        let OutcomeExpr::Player(winner, wins) = rule.outcome.1 else { return };
        let is_own = self.items().any(|(item, own)| own && item.span.covers(asked.span));
        let is_of_all = matches!(&made.domain, Domain::Fixed(values) if values.len() > 1
            && values.len() == self.rules.players().len()
            && values.iter().all(|value| matches!(value, Value::Sym(PLAYER, _))));
        if !is_of_all || !is_own || words.condition.is_some() || self.options.damaged {
            return;
        }
        let is_found = |kind: &ExprKind| matches!(kind, ExprKind::Var(var) if var == variable);
        let is_variable = |kind: &ExprKind| matches!(kind, ExprKind::Var(_));
        if !self.rules.mentions(condition, &is_found)
            || self.rules.mentions(winner, &is_variable)
            || self.is_spoken_of(winner, condition)
        {
            return;
        }
        let (p, who) = (&name.text, print_expr(named));
        let verb = if *wins { "wins" } else { "loses" };
        let title = format!("the outcome does not name `{p}`: `{who}` {verb}, whoever `{p}` is");
        let found = Diagnostic::new(Code::W0111, title, named.span, format!("not `{p}`"));
        let found = found.label(name.span, "only the condition speaks of it");
        let f = print_expr(asked);
        self.report_once(found.help(format!(
            "if the player who is found {verb}, write `=> {p} {verb}`; if it does not matter who it is, `when some {p} in \
             Player: {f} => {who} {verb};`"
        )));
    }

    /// Returns true if a condition reads what the outcome names: a field or the player to move, or names a
    /// player itself.
    fn is_spoken_of(&self, winner: &Expr, condition: &Expr) -> bool {
        let is_player = |kind: &ExprKind| matches!(kind, ExprKind::Const(Value::Sym(PLAYER, _)));
        if self.rules.mentions(condition, &is_player) {
            return true;
        }
        self.rules.fields.ids().any(|field| {
            let is_it = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == field);
            self.rules.mentions(winner, &is_it) && self.rules.mentions(condition, &is_it)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(rule: &str) -> Vec<(String, String)> {
        let text = format!(
            "game \"Late\"; players A, B; board C = grid(3, 1);
             state {{ at[c: C]: Player? = none; last: Player = A; got[p: Player]: 0..3 = 0; }}
             def has(p: Player) = at[a1] = p and at[b1] = p;
             def just(p: Player) = has(p) and last = p;
             move put(c: C) as \"{{c}}\" {{ when at[c] = none; at[c] := me; last := me; got[me] += 1; }}
             end {{ {rule} when got[A] + got[B] = 3 and just(last) => draw; when stuck => last wins; }}"
        );
        let found = found(&text, Code::W0111);
        assert!(found.iter().all(|found| found.edits.is_empty()));
        found.into_iter().map(|found| (found.title, found.help.unwrap_or_default())).collect()
    }

    #[test]
    fn outcomes_name_the_player_who_is_found() {
        let [(title, help)] = &told("for p in Player when has(p) => mover wins;")[..] else { panic!("one") };
        assert_eq!(title, "the outcome does not name `p`: `mover` wins, whoever `p` is");
        assert!(help.contains("write `=> p wins`"), "{help}");
        assert!(help.ends_with("`when some p in Player: has(p) => mover wins;`"), "{help}");
        for rule in [
            "for p in Player when at[a1] = p and at[b1] = p => other(mover) wins;",
            "for q in Player when got[q] > 1 => A loses;",
            "for p in Player when got[p] > 1 => last wins;",
        ] {
            assert_eq!(told(rule).len(), 1, "{rule}");
        }
    }

    #[test]
    fn conditions_may_join_both() {
        for rule in [
            "for p in Player when has(p) => p wins;",
            "for p in Player when has(p) => other(p) loses;",
            "for p in Player when got[p] > 1 => draw;",
            "for p in Player when got[p] > 1 => highest got;",
            "for p in Player when got[p] > 1 => payoff q: if q = A then 1 else -1;",
            "for p in Player when just(p) => last wins;",
            "for p in Player when got[p] > 1 and p != mover => mover wins;",
            "for p in Player when got[p] > 1 and p != A => A wins;",
            "for p in Player where p != A when got[p] > 1 => A wins;",
            "for c in C when at[c] = A and c.col = 2 => mover wins;",
            "when some p in Player: has(p) => mover wins;",
        ] {
            assert_eq!(told(rule), [], "{rule}");
        }
    }
}
