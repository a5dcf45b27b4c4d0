//! The condition that forbids a move which a test makes (E0601), with its values.

use crate::condition_values::{scope_before, values_in};
use crate::excluded_moves::ExcludingCondition;
use crate::load::GameSource;
use crate::position::find_move;
use bouton_base::source::Span;
use bouton_rules::{Expr, ExprKind, Move, MoveId, MoveRef, PHASE, StmtKind, Value};
use bouton_search::game::names::call_form;
use bouton_search::game::{Game, MoveInstance, State, ToMove};
use bouton_syntax::diag::{Code, Diagnostic};

/// The maximal number of moves whose names are compared.
const MAX_MOVES: usize = 5_000;

/// Adds to E0601 the condition because of which the first illegal move of a step is none.
pub(super) fn explain(
    text: &GameSource,
    game: &Game,
    state: &State,
    moves: &[(MoveRef, Span)],
    found: Diagnostic,
) -> Diagnostic {
    if found.code != Code::E0601 || text.gdl_names().is_some() {
        return found;
    }
    let mut state = state.clone();
    for (made, _) in moves {
        if let Ok(next) = find_move(game, &state, made) {
            state = next.state;
            continue;
        }
        let Some((id, args)) = instance_of(game, &state, made) else { return found };
        let place = forbidden_by(text, game, &state, id, &args);
        return match place {
            Some((span, label)) if span.is_placed() => found.label(span, label),
            _ => found,
        };
    }
    found
}

/// The move that a test means, with its arguments: by its call, or the only one with this name.
fn instance_of(game: &Game, state: &State, made: &MoveRef) -> Option<(MoveId, Vec<Value>)> {
    let name = match made {
        MoveRef::Applied(id, args) => return Some((*id, args.clone())),
        MoveRef::Notation(name) => name,
    };
    let mut left = MAX_MOVES;
    let mut known = Vec::new();
    for (id, mv) in game.rules.moves.entries().filter(|(_, mv)| !mv.chance) {
        let mut all: Vec<Vec<Value>> = vec![Vec::new()];
        for param in &mv.params {
            if all.len().saturating_mul(param.values.len()) > left {
                return None;
            }
            let longer = all.iter().flat_map(|args| {
                param.values.iter().map(|value| args.iter().cloned().chain([value.clone()]).collect())
            });
            all = longer.collect();
        }
        left = left.checked_sub(all.len())?;
        for args in all {
            let play = MoveInstance::Move(id, args.clone());
            if game.machine.notation(state, &play).is_ok_and(|of| of == *name) {
                known.push((id, args));
            }
        }
    }
    if known.len() == 1 { known.pop() } else { None }
}

/// The first condition that a move does not satisfy in a position, as a place with a label.
fn forbidden_by(
    text: &GameSource,
    game: &Game,
    state: &State,
    id: MoveId,
    args: &[Value],
) -> Option<(Span, String)> {
    let rules = &game.rules;
    let mv = &rules.moves[id];
    let call = call_form(rules, &MoveInstance::Move(id, args.to_vec()));
    if let Ok(ToMove::Terminal(_)) = game.machine.turn(state) {
        return None;
    }
    if let Value::Int(here) = game.machine.read(state, PHASE, 0)
        && !mv.phases.is_empty()
        && !mv.phases.iter().any(|phase| i64::from(phase.0) == here)
    {
        let phase = rules.phases.entries().find(|(id, _)| i64::from(id.0) == here);
        let name = phase.map(|(_, phase)| phase.name.as_str()).filter(|name| !name.is_empty())?;
        return Some((mv.span, format!("not a move of the phase `{name}`, which it is here")));
    }
    for stmt in &mv.body.stmts {
        let scope = scope_before(game, state, mv, stmt.span, args);
        match &stmt.kind {
            StmtKind::Let(_, value) if !scope.unknown.is_empty() || scope.value(value).is_none() => {
                return Some((stmt.span, format!("this has no value for `{call}`")));
            }
            StmtKind::Require(condition) if scope.value(condition) != Some(Value::Bool(true)) => {
                let fails = |part: &&Expr| scope.value(part) != Some(Value::Bool(true));
                let part = match &*condition.kind {
                    ExprKind::And(parts) => parts.iter().find(fails).filter(|part| part.span.is_placed()),
                    _ => None,
                };
                let place = part.map_or(stmt.span, |part| part.span);
                let values = values_in(text, game, state, &failed(mv, stmt.span, place, args));
                let values = values.map(|values| format!(": {values}")).unwrap_or_default();
                return Some((place, format!("this does not hold for `{call}`{values}")));
            }
            _ => {}
        }
    }
    None
}

/// The condition at a place, which excludes the move with these arguments.
fn failed(mv: &Move, span: Span, place: Span, args: &[Value]) -> ExcludingCondition {
    ExcludingCondition {
        name: mv.name.clone(),
        of: mv.span,
        span,
        place,
        is_later: false,
        is_undefined: false,
        left: 1,
        all: 1,
        examples: vec![args.to_vec()],
    }
}

#[cfg(test)]
mod tests {
    use bouton_base::limits::NoProgress;

    use crate::budget::Budget;
    use crate::load::GameSource;
    use crate::test::{TestOptions, test};

    /// The labels of the only failure of a test.
    fn labels(play: &str) -> Vec<String> {
        let source = format!(
            "game \"Strike\"; players A, B; phases {{ lead; act; }} state {{ open: set of 1..8 = {{ 1, 2, 3, 4 }}; }} move begin() in \
             lead as \"begin\" {{ continue act; }} move strike(i: 1..8) in act as \"{{i}}\" {{ when i in open; when i = min(open) \
             or i = max(open); open -= {{ i }}; continue act; }} end {{ when open = {{}} => mover loses; }} test \"t\" {{ play {play}; \
             expect open = {{}}; }}\n"
        );
        let options = TestOptions { all: false, budget: &Budget::default(), progress: &NoProgress };
        let report = test(&mut GameSource::from_string("game.bou", &source), &options);
        assert!(report.errors.is_empty(), "{:?}", report.errors);
        report.failures.iter().flat_map(|found| found.labels.iter().map(|label| label.text.clone())).collect()
    }

    #[test]
    fn the_condition_that_forbids_a_move_is_named() {
        assert_eq!(
            labels("\"begin\", \"2\""),
            ["not legal here", "this does not hold for `strike(2)`: `min(open)` is 1, `max(open)` is 4"]
        );
        assert_eq!(
            labels("\"begin\", strike(7)"),
            ["not legal here", "this does not hold for `strike(7)`: `open` is { 1, 2, 3, 4 }"]
        );
        assert_eq!(labels("\"1\""), ["not legal here", "not a move of the phase `lead`, which it is here"]);
        assert_eq!(labels("\"nothing\""), ["not legal here"]);
    }
}
