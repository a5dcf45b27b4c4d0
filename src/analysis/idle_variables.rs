//! W0111 for a variable of `for` that decides nothing: a rule of the end whose condition does not speak of
//! the player who wins by it, and effects that are the same for all elements.

use super::analyzer::Analyzer;
use super::locals::Local;
use bouton_rules::Domain;
use bouton_syntax::ast::{self, EffectOp, ExprKind, OutcomeKind, StmtBlock, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_expr, visit};

impl Analyzer<'_> {
    /// Warns about `for p in Player when n = 0 => p wins;`, by which the first player always wins. The
    /// condition uses no variable of the rule.
    pub(super) fn first_is_always_taken(
        &mut self,
        binder: &ast::Binder,
        domain: &Domain,
        condition: &ast::Expr,
        outcome: &OutcomeKind,
    ) {
        let ast::Pattern::Name(name) = &binder.pattern else { return };
        let variable = name.text.as_str();
        let speaks = match outcome {
            OutcomeKind::Wins(e) | OutcomeKind::Loses(e) => e.as_name() == Some(variable),
            // A payoff with this name goes through the players by itself.
            OutcomeKind::Payoff(of, e) => of.text != variable && super::shared_payoffs::names(e, variable),
            _ => false,
        };
        let first = match domain {
            Domain::Fixed(values) if values.len() > 1 => Some(self.rules.show(&values[0])),
            Domain::Fixed(_) => return,
            Domain::Set(_) => None,
        };
        let is_own = self.items().any(|(item, own)| own && item.span.covers(condition.span));
        if !speaks || !is_own || self.options.damaged {
            return;
        }
        let taken = first.map_or("the first".to_owned(), |first| format!("the first, `{first}`,"));
        let title = format!("this condition is the same for every `{variable}`: {taken} is always taken");
        let label = format!("`{variable}` does not occur in it");
        let found = Diagnostic::new(Code::W0111, title, condition.span, label);
        let found = found.label(name.span, "this variable");
        let words = print_expr(condition);
        let is_stuck = has_word(condition, "stuck");
        let help = match outcome {
            OutcomeKind::Wins(_) | OutcomeKind::Loses(_) => {
                let word = if matches!(outcome, OutcomeKind::Wins(_)) { "wins" } else { "loses" };
                let before = match self.rules.players().len() {
                    2 => ", and `other(mover)` has just moved",
                    _ => "",
                };
                let stuck = match is_stuck {
                    true => format!(", as in `stuck({variable})`"),
                    false => String::new(),
                };
                format!(
                    "say in the condition for which `{variable}` it holds{stuck}; or name the player without `for`, `when \
                     {words} => mover {word};`: `mover` is to move next{before}"
                )
            }
            _ => format!("say in the condition for which `{variable}` it holds, or leave the `for` out"),
        };
        self.report_once(found.help(help));
    }

    /// Warns about `for g in S where f { x := e; }`, where the effects do not speak of g; `heads` tells
    /// which variables the head of the loop uses.
    pub(super) fn same_effects_for_each(
        &mut self,
        variables: &[Local],
        heads: &[bool],
        binders: &[ast::Binder],
        block: &StmtBlock,
    ) {
        let are_idle = variables.iter().all(|variable| !variable.used && !variable.name.starts_with('_'))
            && !variables.is_empty();
        // A variable that is used nowhere is reported as such.
        let are_of_the_head = heads.iter().all(|used| *used);
        let is_own = self.items().any(|(item, own)| own && item.span.covers(block.span));
        if !are_idle
            || !are_of_the_head
            || !is_own
            || self.options.damaged
            || !is_the_same_when_repeated(block)
        {
            return;
        }
        let names: Vec<String> = variables.iter().map(|variable| format!("`{}`", variable.name)).collect();
        let title = format!("the effects of this loop are the same for every {}", names.join(" and "));
        let Some(first) = variables.first() else { return };
        let label = format!("not in the effects, which are done if there is one {}", names.join(" and "));
        let found = Diagnostic::new(Code::W0111, title, first.span, label);
        let found = found.label(block.span, "the same each time");
        let head = match binders {
            [ast::Binder { pattern: ast::Pattern::Name(name), domain, condition: Some(condition), .. }] => {
                format!("some {} in {}: {}", name.text, print_expr(domain), print_expr(condition))
            }
            _ => "some ...".to_owned(),
        };
        self.report_once(found.help(format!(
            "if each one is to be changed, let the effects speak of {}; if one is enough, write `if {head} {{ ... }}`",
            names.join(" and ")
        )));
    }
}

/// Returns true if an expression contains a name, also as the name of a call.
fn has_word(e: &ast::Expr, word: &str) -> bool {
    let mut has = matches!(&*e.kind, ExprKind::Name(name) if name == word);
    visit::children(e, &mut |part| has |= has_word(part, word));
    has
}

/// Returns true for effects that come to the same if they are done again: none adds to a number.
fn is_the_same_when_repeated(block: &StmtBlock) -> bool {
    block.stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Effect(effect) => match effect.op {
            EffectOp::Set | EffectOp::Insert => true,
            EffectOp::Subtract => {
                matches!(&*effect.value.bare().kind, ExprKind::Set(_) | ExprKind::Filter(_))
            }
            EffectOp::Add | EffectOp::Move => false,
        },
        StmtKind::If(_, yes, no) => {
            is_the_same_when_repeated(yes) && no.as_ref().is_none_or(is_the_same_when_repeated)
        }
        StmtKind::Let(..) => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn told(text: &str) -> Vec<(String, String)> {
        let found: Vec<Diagnostic> = found(text, Code::W0111);
        assert!(found.iter().all(|found| found.edits.is_empty()));
        found.into_iter().map(|found| (found.title, found.help.unwrap_or_default())).collect()
    }

    fn of_rule(rule: &str) -> Vec<(String, String)> {
        told(&format!(
            "game \"Take\"; players A, B; state {{ n: 0..3 = 3; last: Player = A; }}
             def over(p: Player) = n = 0 and last = p;
             move take(k: 1..2) as \"{{k}}\" {{ when k <= n; n -= k; last := me; }}
             end {{ {rule} when over(A) => draw; }}"
        ))
    }

    #[test]
    fn conditions_say_who_wins() {
        let title = "this condition is the same for every `p`: the first, `A`, is always taken";
        let [(told, help)] = &of_rule("for p in Player when n = 0 => p wins;")[..] else {
            panic!("one message")
        };
        assert_eq!(told, title);
        let players = "`mover` is to move next, and `other(mover)` has just moved";
        assert!(help.ends_with(&format!("`when n = 0 => mover wins;`: {players}")), "{help}");
        let [(told, help)] = &of_rule("for p in Player when stuck => p loses;")[..] else {
            panic!("one message")
        };
        assert_eq!(told, title);
        assert!(help.contains("as in `stuck(p)`") && help.contains("`when stuck => mover loses;`"), "{help}");
        let of_payoff = of_rule("for p in Player when n = 0 => payoff q: if q = p then 1 else -1;");
        assert!(of_payoff.len() == 1 && of_payoff[0].0 == title, "{of_payoff:?}");
        for rule in [
            "for p in Player when over(p) => p wins;",
            "for p in Player when n = 0 and last != p => p wins;",
            "for p in Player where last = p when n = 0 => p wins;",
            "for p in Player when stuck(p) => p loses;",
            "when n = 0 => mover loses;",
        ] {
            assert_eq!(of_rule(rule), [], "{rule}");
        }
    }

    #[test]
    fn effects_speak_of_their_variable() {
        let of_loop = |effects: &str| {
            told(&format!(
                "game \"Grow\"; players A, B; board Cell = strip(4);
                 state {{ at[c: Cell]: Player? = none; n: 0..99 = 0; }}
                 move put(c: Cell) as \"{{c}}\" {{ when at[c] = none and n < 90; n += 1; {effects} }} play normal;"
            ))
        };
        let silent = of_loop("for g in c.neighbors where at[g] = none { at[c] := me; }");
        let [(title, help)] = &silent[..] else { panic!("{silent:?}") };
        assert_eq!(title, "the effects of this loop are the same for every `g`");
        assert!(help.ends_with("write `if some g in c.neighbors: at[g] = none { ... }`"), "{help}");
        for effects in [
            "for g in c.neighbors where at[g] = none { at[g] := me; }",
            "for g in c.neighbors where at[g] = none { n += 1; } at[c] := me;",
            "for g in c.neighbors where at[g] = none { if g.col = 1 { at[c] := me; } }",
            "if some g in c.neighbors: at[g] = none { at[c] := me; }",
        ] {
            assert_eq!(of_loop(effects), [], "{effects}");
        }
    }
}
