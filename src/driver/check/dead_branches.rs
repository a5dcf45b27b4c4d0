//! Branches of an `if` that no move takes in any position: W0533.
//!
//! A branch is taken if its move is no longer legal somewhere once the branch is forbidden.

use crate::faults::effects;
use bouton_base::limits::Limits;
use bouton_base::source::Span;
use bouton_rules::{Block, Effect, Expr, ExprKind, Move, MoveId, Rules, StmtKind, Type, Value};
use bouton_search::game::explore::Explored;
use bouton_search::game::{Game, MoveInstance, State};
use bouton_syntax::diag::{Code, Diagnostic};

/// The maximal number of positions: each branch is tried in each of them.
const MAX_POSITIONS: u32 = 1_000;

/// A branch of an `if`, with the game in which it is forbidden.
struct Branch<'g> {
    mv: &'g Move,
    condition: &'g Expr,
    /// The place of the `then` around it.
    stage: Option<Span>,
    without: Game,
}

/// Finds the branches that no move takes in the explored positions, which are all.
pub fn find(game: &Game, seen: &Explored, limits: &Limits, found: &mut Vec<Diagnostic>) {
    if seen.visited > MAX_POSITIONS {
        return;
    }
    let mut open = branches(&game.rules);
    for at in 0..seen.visited {
        let state = seen.arena.state(at);
        let Ok(legal) = game.machine.successors(&state) else { return };
        // The choices of all at once are tried alone as well.
        let is_joint = legal.iter().any(|next| matches!(next.play, MoveInstance::Joint(_)));
        if open.is_empty() || is_joint || limits.check().is_some() {
            return;
        }
        open.retain(|branch| {
            let here = State(game.machine.packed_state(&state));
            branch.without.machine.successors(&here).is_ok_and(|left| {
                left.len() == legal.len() && left.iter().zip(&legal).all(|(one, two)| one.play == two.play)
            })
        });
    }
    found.extend(open.iter().map(|branch| describe(&game.rules, branch)));
}

/// The branches of all moves whose conditions read what an earlier stage changed, or the parameters alone. A condition on
/// the position before the move may be there for completeness.
fn branches(rules: &Rules) -> Vec<Branch<'_>> {
    let mut found = Vec::new();
    for (id, mv) in rules.moves.entries() {
        let mut all = Vec::new();
        conditions(&mv.body, None, &mut all);
        let spans: Vec<Span> = all.iter().map(|(condition, _)| condition.span).collect();
        for (condition, stage) in all {
            let is_single = spans.iter().filter(|span| **span == condition.span).count() == 1;
            let is_likely = compares_parameters(rules, condition)
                || changed_before(rules, mv, condition, stage).is_some();
            if is_single && condition.span.is_placed() && is_likely {
                let without = Game::on_reference(forbidden(rules, id, condition.span));
                found.push(Branch { mv, condition, stage, without });
            }
        }
    }
    found
}

/// Collects the conditions of a block, with the place of the `then` around each.
fn conditions<'b>(block: &'b Block, stage: Option<Span>, found: &mut Vec<(&'b Expr, Option<Span>)>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::If(condition, yes, no) => {
                if !yes.stmts.is_empty() {
                    found.push((condition, stage));
                }
                conditions(yes, stage, found);
                conditions(no, stage, found);
            }
            StmtKind::For(_, inner) => conditions(inner, stage, found),
            StmtKind::Then(inner) => conditions(inner, Some(stmt.span), found),
            _ => {}
        }
    }
}

/// The rules in which a move is illegal wherever it takes a branch.
fn forbidden(rules: &Rules, id: MoveId, branch: Span) -> Rules {
    let mut rules = rules.clone();
    forbid(&mut rules.moves[id].body, branch);
    rules
}

fn forbid(block: &mut Block, branch: Span) {
    for stmt in &mut block.stmts {
        let place = stmt.span;
        match &mut stmt.kind {
            StmtKind::If(condition, yes, no) => {
                if condition.span == branch
                    && let Some(first) = yes.stmts.first().cloned()
                {
                    let never = Expr::new(ExprKind::Const(Value::Bool(false)), Type::Bool, place);
                    let mut forbidden = first;
                    forbidden.kind = StmtKind::Require(never);
                    yes.stmts.insert(0, forbidden);
                }
                forbid(yes, branch);
                forbid(no, branch);
            }
            StmtKind::For(_, inner) | StmtKind::Then(inner) => forbid(inner, branch),
            _ => {}
        }
    }
}

/// The effect of an earlier stage on a field that a condition reads, with its place.
fn changed_before<'m>(
    rules: &Rules,
    mv: &'m Move,
    condition: &Expr,
    stage: Option<Span>,
) -> Option<(&'m Effect, Span)> {
    effects(&mv.body).into_iter().find(|(effect, place)| {
        let is_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == effect.field);
        stage.is_some_and(|stage| !stage.covers(*place)) && rules.mentions(condition, &is_field)
    })
}

/// Returns true for a comparison of the parameters alone.
fn compares_parameters(rules: &Rules, condition: &Expr) -> bool {
    let is_state = |kind: &ExprKind| matches!(kind, ExprKind::Field(..) | ExprKind::Me);
    let is_var = |kind: &ExprKind| matches!(kind, ExprKind::Var(_));
    let is_comparison =
        matches!(&*condition.kind, ExprKind::Equal(..) | ExprKind::Less(..) | ExprKind::LessEqual(..));
    is_comparison && rules.mentions(condition, &is_var) && !rules.mentions(condition, &is_state)
}

fn describe(rules: &Rules, branch: &Branch<'_>) -> Diagnostic {
    let Branch { mv, condition, stage, .. } = branch;
    let title = format!("this `if` of `{}` never holds", mv.name);
    let found = Diagnostic::new(Code::W0533, title, condition.span, "false wherever the move is made");
    let earlier = changed_before(rules, branch.mv, condition, *stage);
    match earlier {
        Some((effect, place)) => {
            let name = &rules.fields[effect.field].name;
            found.label(place, format!("`{name}` is changed by the stage before")).help(format!(
                "to read `{name}` before the move, take the `if` out of `then {{ ... }}`; otherwise correct the condition"
            ))
        }
        None => found.help("correct the condition, or leave out the branch"),
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_branch_that_is_never_taken_is_told() {
        let told = |body: &str| {
            let rest = format!(
                "state {{ n: 0..4 = 0; last: 1..3? = none; hits[p: Player]: 0..4 = 0; }} move go(k: 1..3) as \"{{k}}\" {{ when k \
                 != last; n += 1; last := none; {body} then {{ then {{ last := k; }} }} }} end {{ when n = 4 => highest hits; }}"
            );
            let found = findings_of_two(&rest, Code::W0533).into_iter().next();
            found.map(|found| (found.title, found.help.unwrap_or_default())).unwrap_or_default()
        };
        let (title, help) = told("then { if last = k { hits[me] += 1; } else { hits[opponent] += 1; } }");
        assert_eq!(title, "this `if` of `go` never holds");
        assert!(help.starts_with("to read `last` before the move, take the `if` out"), "{help}");
        assert_eq!(told("then { if k = 2 { hits[me] += 1; } else { hits[opponent] += 1; } }").0, "");
    }

    #[test]
    fn a_branch_that_other_parameters_take_is_left_alone() {
        let told = |claim: &str| {
            let rest = format!(
                "param top: 2..4 = 2; state {{ n: 0..4 = 0; hits[p: Player]: 0..4 = 0; }} move go(k: 1..4) as \"{{k}}\" {{ when k \
                 <= top; n += 1; if k = 3 {{ hits[me] += 1; }} else {{ hits[opponent] += 1; }} }} end {{ when n = 4 => highest \
                 hits; }} {claim}"
            );
            findings_of_two(&rest, Code::W0533)
                .into_iter()
                .filter(|found| found.title.contains("`if`"))
                .count()
        };
        assert_eq!(told(""), 1);
        assert_eq!(told("expect perft 1 = 3 with top = 3;"), 0);
    }
}
