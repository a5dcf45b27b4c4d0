//! An `if` in the result of an end rule that never holds where the rule ends play: W0533. `if x = y then A else B`, where
//! chance never deals the same to both, gives one player every win.

use super::reasons::unfolded;
use bouton_base::limits::Limits;
use bouton_base::source::Span;
use bouton_rules::{EndRule, Expr, ExprKind, OutcomeExpr, Rules, Type, Value};
use bouton_search::game::explore::Explored;
use bouton_search::game::{Game, ToMove};
use bouton_syntax::diag::{Code, Diagnostic};

/// The maximal number of positions that are looked at.
const MAX_POSITIONS: u32 = 20_000;
/// The minimal number of ends, below which a condition may just be general.
const MIN_ENDS: u64 = 2;
/// The maximal depth of calls of definitions around a condition.
const MAX_DEPTH: usize = 8;

/// The condition of an `if` in the result of a rule.
struct ResultCondition {
    /// The index of the rule.
    rule: usize,
    span: Span,
    /// The forms of the condition, one for each player if it speaks of him: each with what leads to this `if`.
    forms: Vec<Expr>,
}

/// Finds the conditions in results that no end of the explored positions, which are all, satisfies.
pub fn find(game: &Game, seen: &Explored, limits: &Limits, found: &mut Vec<Diagnostic>) {
    if seen.visited > MAX_POSITIONS {
        return;
    }
    let mut open: Vec<ResultCondition> =
        game.rules.ends.iter().enumerate().flat_map(|(at, rule)| conditions(&game.rules, at, rule)).collect();
    let mut ends = vec![0; game.rules.ends.len()];
    for at in 0..seen.visited {
        if open.is_empty() || limits.check().is_some() {
            return;
        }
        let state = seen.arena.state(at);
        let Ok(ToMove::Terminal(outcome)) = game.machine.turn(&state) else { continue };
        let Some(count) = ends.get_mut(outcome.rule) else { continue };
        *count += 1;
        open.retain(|of| {
            let is_true = |form: &Expr| match game.machine.eval(&state, form) {
                Ok(value) => value == Some(Value::Bool(true)),
                Err(_) => true,
            };
            of.rule != outcome.rule || !of.forms.iter().any(is_true)
        });
    }
    let is_sure = |of: &&ResultCondition| ends[of.rule] >= MIN_ENDS;
    found.extend(open.iter().filter(is_sure).map(|of| describe(of, ends[of.rule])));
}

/// The conditions of a rule's result that speak of the position alone.
fn conditions(rules: &Rules, at: usize, rule: &EndRule) -> Vec<ResultCondition> {
    let mut all: Vec<(Span, Expr)> = Vec::new();
    let mut search = |value: &Expr| search(rules, value, &[], MAX_DEPTH, &mut all);
    match &rule.outcome {
        OutcomeExpr::Player(player, _) if rule.binder.is_none() => search(player),
        OutcomeExpr::ByScore(scores, _) | OutcomeExpr::Payoff(scores) if rule.binder.is_none() => {
            scores.values.iter().for_each(search);
        }
        _ => {}
    }
    let mut found: Vec<ResultCondition> = Vec::new();
    for (span, form) in all {
        match found.iter_mut().find(|of| of.span == span) {
            Some(of) => of.forms.push(form),
            None => found.push(ResultCondition { rule: at, span, forms: vec![form] }),
        }
    }
    // Conditions on parameters alone are there for other sizes of the game.
    let asks_state = |of: &ResultCondition| of.forms.iter().any(|form| asks_of_state(rules, form));
    found.retain(|of| of.span.is_placed() && asks_state(of));
    found
}

fn asks_of_state(rules: &Rules, form: &Expr) -> bool {
    rules.mentions(form, &|kind| matches!(kind, ExprKind::Field(..)))
}

/// Collects the conditions of a term with those that lead to them; `around` are these.
fn search(rules: &Rules, term: &Expr, around: &[Expr], depth: usize, found: &mut Vec<(Span, Expr)>) {
    match &*term.kind {
        ExprKind::If(condition, yes, no) => {
            let holds = [around, std::slice::from_ref(condition)].concat();
            let fails = Expr::new(ExprKind::Not(condition.clone()), Type::Bool, condition.span);
            let fails = [around, &[fails]].concat();
            found.push((condition.span, Expr::new(ExprKind::And(holds.clone()), Type::Bool, condition.span)));
            search(rules, condition, around, depth, found);
            search(rules, yes, &holds, depth, found);
            search(rules, no, &fails, depth, found);
        }
        ExprKind::Call(id, args) if depth > 0 => {
            if let Some(body) = unfolded(rules, *id, args) {
                search(rules, &body, around, depth - 1, found);
            }
        }
        ExprKind::Let(pattern, value, body) => {
            let mut inner = Vec::new();
            search(rules, body, &[], depth, &mut inner);
            found.extend(inner.into_iter().map(|(span, form)| {
                let form = form.with(pattern.clone(), value.clone());
                let all = around.iter().cloned().chain([form]).collect();
                (span, Expr::new(ExprKind::And(all), Type::Bool, span))
            }));
        }
        ExprKind::Equal(..) | ExprKind::Not(_) | ExprKind::Negate(_) => {
            term.each_part(&mut |part| search(rules, part, around, depth, found));
        }
        _ => {}
    }
}

fn describe(of: &ResultCondition, ends: u64) -> Diagnostic {
    let label = format!("false in each of the {ends} positions in which this rule ends the game");
    let found = Diagnostic::new(Code::W0533, "this `if` of a result never holds", of.span, label);
    found.help("correct the condition; if no end is to take this branch, leave it out")
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    fn told(best: &str, end: &str) -> usize {
        let rest = format!(
            "phases {{ setup deal by chance; act; }} state {{ x: 1..3 = 1; y: 1..3 = 1; over: bool = false; }}
             chance hand(a: 1..3, b: 1..3) in deal as \"{{a}}{{b}}\" {{ when a != b; x := a; y := b; continue act; }}
             def best = {best}; move stop() in act {{ over := true; }} move stay() in act {{ over := true; x := y; y := x; }}
             end {{ when over => {end}; }}"
        );
        let found = findings_of_two(&rest, Code::W0533);
        found.iter().filter(|found| found.title == "this `if` of a result never holds").count()
    }

    #[test]
    fn a_result_that_no_end_takes_is_told() {
        assert_eq!(told("if x = y then A else B", "best wins"), 1);
        assert_eq!(told("A", "payoff p: if x = y then 0 else if p = A then x else -x"), 1);
        assert_eq!(
            told("if x > y then A else if x < y then B else none", "payoff p: if p = best then 1 else -1"),
            0
        );
        assert_eq!(told("if x > y then A else B", "best wins"), 0);
    }

    #[test]
    fn a_branch_of_one_player_alone_is_left_alone() {
        assert_eq!(
            told(
                "if x > y then A else B",
                "payoff p: if p = best and x = 3 then 2 else if p = best then 1 else -1"
            ),
            0
        );
        assert_eq!(told("if x = y then B else A", "payoff p: if p = best then 1 else -1"), 1);
    }
}
