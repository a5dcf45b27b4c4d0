//! Conditions on the position after every move that are false in the first position already: what they forbid is there
//! from the start, so few moves may be legal.

use super::dead_rules::HOLDS_NOWHERE;
use bouton_rules::{Block, Expr, ExprKind, Move, Stmt, StmtKind, Value};
use bouton_search::game::Game;
use bouton_syntax::diag::{Code, Diagnostic, Label};

/// Adds to the findings of end rules that are never reached the condition on all moves that the first position breaks.
pub(super) fn explain(game: &Game, found: &mut [Diagnostic]) {
    let Some(broken) = false_at_first(game) else { return };
    let is_open = |found: &&mut Diagnostic| {
        found.code == Code::W0532 && found.help.as_ref().is_some_and(|help| help.starts_with(HOLDS_NOWHERE))
    };
    for diagnostic in found.iter_mut().filter(is_open) {
        let label = "false in the first position already, and asked for after every move";
        diagnostic.labels.push(Label { span: broken.span, text: label.to_owned() });
        let help = diagnostic.help.take().unwrap_or_default();
        diagnostic.help =
            Some(format!("look at the condition on every move first: it allows few of them; else, {help}"));
    }
}

/// The condition that all moves of players ask for after their effects, and that the first position does not satisfy.
fn false_at_first(game: &Game) -> Option<&Expr> {
    let rules = &game.rules;
    let mut moves = rules.moves.iter().filter(|of| !of.chance);
    let first = moves.next()?;
    let others: Vec<&Move> = moves.collect();
    let initial = game.machine.initial();
    let is_me = |kind: &ExprKind| matches!(kind, ExprKind::Me);
    let is_broken = |condition: &&Expr| {
        let is_same =
            |of: &&Move| later_conditions(&of.body).iter().any(|other| other.span == condition.span);
        condition.span.is_placed()
            && others.iter().all(is_same)
            && !rules.mentions(condition, &is_me)
            && game.machine.eval(&initial, condition) == Ok(Some(Value::Bool(false)))
    };
    (!others.is_empty()).then(|| later_conditions(&first.body).into_iter().find(is_broken))?
}

/// The conditions of the later stages of a move, where no `let` gives them a name.
fn later_conditions(body: &Block) -> Vec<&Expr> {
    let is_let = |kind: &StmtKind| matches!(kind, StmtKind::Let(..));
    let stages = body.stmts.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Then(stage) if !stage.any(&is_let) => Some(stage),
        _ => None,
    });
    stages.flat_map(|stage| stage.stmts.iter().filter_map(condition)).collect()
}

/// The condition that a statement asks for.
fn condition(stmt: &Stmt) -> Option<&Expr> {
    match &stmt.kind {
        StmtKind::Require(condition) => Some(condition),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings;

    #[test]
    fn what_is_broken_at_first_is_told() {
        let help = |condition: &str| {
            let rest = format!(
                "player P; state {{ at[b: 1..3]: bool = false; boat: bool = false; }}
                 move row(b: 1..3) as \"{{b}}\" {{ when at[b] = boat; at[b] := not boat; boat := not boat; }}
                 move back() as \"back\" {{ boat := not boat; }}
                 every move {{ then {{ ensure {condition}; }} }}
                 end {{ when all b in 1..3: at[b] => win; repeat => lose; }}"
            );
            let found = findings(&rest, Code::W0532).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        assert!(help("at[1] != at[2]").starts_with("look at the condition on every move first"));
        assert!(!help("at[1] = at[2] and not at[3]").starts_with("look at"));
    }
}
