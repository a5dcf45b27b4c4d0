//! Conditions of moves that are false for want of a value: a key outside of its domain, in one of the first
//! positions.

use bouton_rules::{Move, StmtKind, Value};
use bouton_search::game::explore::Explored;
use bouton_search::game::{Game, State};

use crate::condition_values::scope_before;
use crate::undefined_terms::{UndefinedKind, UndefinedTerm, in_condition};

/// The maximal number of positions that are looked at.
const MAX_POSITIONS: u32 = 100;
/// The maximal number of instances of a move.
const MAX_INSTANCES: usize = 200;

/// The first term of a condition of a move whose key is outside of its domain where the conditions before it
/// hold, with the name of the move.
pub fn undefined_guard(game: &Game, seen: &Explored) -> Option<(String, UndefinedTerm)> {
    (0..seen.visited.min(MAX_POSITIONS)).find_map(|at| {
        let state = seen.arena.state(at);
        let mut moves = game.rules.moves.iter().filter(|mv| !mv.chance);
        moves.find_map(|mv| {
            let mut instances = instances(mv).into_iter();
            let term = instances.find_map(|args| in_move(game, &state, mv, &args))?;
            Some((mv.name.clone(), term))
        })
    })
}

/// The term in the conditions of one instance.
fn in_move(game: &Game, state: &State, mv: &Move, args: &[Value]) -> Option<UndefinedTerm> {
    for stmt in &mv.body.stmts {
        let StmtKind::Require(condition) = &stmt.kind else { continue };
        let term = in_condition(game, state, mv, stmt.span, args);
        let is_key = |term: &UndefinedTerm| {
            let kinds = [UndefinedKind::Key, UndefinedKind::CountFromZero];
            kinds.contains(&term.kind) && term.span.is_placed()
        };
        if let Some(term) = term.filter(is_key) {
            return Some(term);
        }
        let scope = scope_before(game, state, mv, stmt.span, args);
        if scope.value(condition) != Some(Value::Bool(true)) {
            return None;
        }
    }
    None
}

/// The first arguments of a move.
fn instances(mv: &Move) -> Vec<Vec<Value>> {
    let mut all: Vec<Vec<Value>> = vec![Vec::new()];
    for param in &mv.params {
        let longer = |args: &Vec<Value>| {
            let with = |value: &Value| args.iter().cloned().chain([value.clone()]).collect();
            param.values.iter().map(with).collect::<Vec<Vec<Value>>>()
        };
        all = all.iter().flat_map(longer).take(MAX_INSTANCES).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings;

    #[test]
    fn a_term_without_a_value_comes_before_another_quantifier() {
        let told = |level: &str| {
            let rest = format!(
                "player P; state {{ n[i: 1..2]: 0..2 = 2; full[i: 1..2, h: 1..2]: 0..1 = 1; k: 0..3 = 0; }} \
                 def top(i: 1..2) = full[i, {level}]; \
                 move take(i: 1..2) as \"{{i}}\" {{ when n[i] > 0 and k < 3; when top(i) = 1; \
                 full[i, n[i]] := 0; n[i] -= 1; k += 1; \
                 }} end {{ when all i in 1..2: n[i] = 0 => win; when stuck => lose; }}"
            );
            let found = findings(&rest, Code::W0532).into_iter().next();
            found.map(|found| (found.labels.len(), found.help.unwrap_or_default())).unwrap_or_default()
        };
        let (labels, help) = told("n[i]");
        assert_eq!(labels, 2);
        assert!(help.ends_with("if one is enough, write `some` in place of `all`"), "{help}");
    }
}
