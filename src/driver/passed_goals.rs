//! The end rules that wait for one number, which play has passed over: likely why nobody can move (E0501).

use super::faults::effects;
use super::stuck::Cause;
use bouton_rules::{Arith, EffectOp, EndRule, Expr, ExprKind, FieldId, Fold, Quant, Rules, Type, Value};
use bouton_search::game::{Game, State};

/// An end rule that waits for one number of a term which all moves raise, or all lower, and which has gone past it. What
/// else the rule asks for holds.
pub(super) fn passed_goal(game: &Game, state: &State) -> Option<Cause> {
    game.rules.ends.iter().find_map(|rule| {
        let condition = match &*rule.condition.kind {
            ExprKind::Call(def, args) if args.is_empty() => &game.rules.defs[*def].body,
            _ => &rule.condition,
        };
        let parts = match &*condition.kind {
            ExprKind::And(parts) => &parts[..],
            _ => std::slice::from_ref(condition),
        };
        let is_alone = |place: usize| holds_without(game, state, rule, parts, place);
        (0..parts.len()).find_map(|place| passed(game, state, &parts[place]).filter(|_| is_alone(place)))
    })
}

/// Returns true if the parts of the condition of a rule hold in a position, but for the one at this place.
fn holds_without(game: &Game, state: &State, rule: &EndRule, parts: &[Expr], place: usize) -> bool {
    let rest: Vec<Expr> =
        parts.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, part)| part.clone()).collect();
    if rest.is_empty() {
        return true;
    }
    let span = rule.condition.span;
    let all = Expr::new(ExprKind::And(rest), Type::Bool, span);
    let all = match &rule.binder {
        Some(binder) => Expr::new(ExprKind::Quant(Quant::Some, vec![binder.clone()], all), Type::Bool, span),
        None => all,
    };
    matches!(game.machine.eval(state, &all), Ok(Some(Value::Bool(true))))
}

/// The cause for an equation of a term with a number that lies between the first value of the term and the one here.
fn passed(game: &Game, state: &State, condition: &Expr) -> Option<Cause> {
    let (rules, initial) = (&game.rules, game.machine.initial());
    let ExprKind::Equal(a, b) = &*condition.kind else { return None };
    let (term, goal) = if b.constant().is_some() { (a, b) } else { (b, a) };
    let Some(Value::Int(goal)) = goal.constant() else { return None };
    let name = match &*term.kind {
        ExprKind::Field(id, keys) if keys.is_empty() => &rules.fields[*id].name,
        ExprKind::Call(id, args) if args.is_empty() && is_sum(rules, &rules.defs[*id].body) => {
            &rules.defs[*id].name
        }
        _ => return None,
    };
    let read = |state: &State| match game.machine.eval(state, term) {
        Ok(Some(Value::Int(number))) => Some(number),
        _ => None,
    };
    let (first, here) = (read(&initial)?, read(state)?);
    let (op, compare) = match (first < *goal, *goal < here) {
        (true, true) => (EffectOp::Add, ">="),
        (false, false) if first > *goal && *goal > here => (EffectOp::Subtract, "<="),
        _ => return None,
    };
    let mut changes = rules.moves.iter().flat_map(|mv| effects(&mv.body));
    let is_read =
        |id: FieldId| rules.mentions(term, &|kind| matches!(kind, ExprKind::Field(of, _) if *of == id));
    if !changes.all(|(effect, _)| effect.op == op || !is_read(effect.field)) || !condition.span.is_placed() {
        return None;
    }
    Some(Cause {
        span: condition.span,
        label: format!("`{name}` is {here} here, past {goal}"),
        help: format!(
            "`{name}` went past {goal}, and this rule waits for {goal} alone: to end the game there as well, write \
             `{name} {compare} {goal}`"
        ),
    })
}

/// Returns true for a term that grows wherever one of the fields that it reads does.
fn is_sum(rules: &Rules, body: &Expr) -> bool {
    let is_other = |kind: &ExprKind| match kind {
        ExprKind::Arith { op, .. } => !matches!(op, Arith::Add),
        ExprKind::Fold(fold, ..) => !matches!(fold, Fold::Sum),
        ExprKind::If(..) | ExprKind::Match(..) | ExprKind::Call(..) => true,
        _ => false,
    };
    !rules.mentions(body, &is_other)
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_sum_that_passes_the_number_of_an_end_rule_is_told() {
        let told = |end: &str| {
            let rest = format!(
                "state {{ heap[i: 1..2]: 0..2 = 2; last: Player = A; }} def left = sum i in 1..2: heap[i]; move take(i: 1..2) \
                 as \"{{i}}\" {{ when heap[i] = 2; heap[i] -= 2; last := me; }} end {{ for p in Player when {end} => p wins; }}"
            );
            let found = findings_of_two(&rest, Code::E0501).into_iter().next();
            let words = |found: bouton_syntax::diag::Diagnostic| {
                let labels: Vec<String> = found.labels.into_iter().map(|label| label.text).collect();
                (labels.join("; "), found.help.unwrap_or_default())
            };
            found.map(words).unwrap_or_default()
        };
        let (labels, help) = told("left = 1 and last = p");
        assert!(labels.contains("`left` is 0 here, past 1"), "{labels}");
        assert!(help.contains("write `left <= 1`"), "{help}");
        assert!(!told("left = 1 and last = p and p = A").0.contains("past 1"));
        assert!(!told("left + 1 = 2 and last = p").0.contains("past"));
    }
}
