//! The conditions that exclude all moves of a position in which nobody can move.
//!
//! The conditions of a move are taken one after the other, without its effects, and the definition counts the moves that
//! pass those so far. The first condition that none passes is the one to look at.

use std::sync::Arc;

use bouton_base::source::Span;
use bouton_reference::Interpreter;
use bouton_rules::{Block, Expr, ExprKind, Move, MoveInstance, Rules, Stmt, StmtKind, ToMove, Value};
use bouton_search::game::{Game, State};

/// A condition of a move that no instance passes in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExcludingCondition {
    /// The name of the move.
    pub name: String,
    /// The place of the move's name.
    pub of: Span,
    /// The place of the statement.
    pub span: Span,
    /// The place of the part of its `and` that excludes the rest; otherwise that of the statement.
    pub place: Span,
    /// True if the condition stands in a later stage, `then { ... }`.
    pub is_later: bool,
    /// True if a term has no value; false if a formula does not hold.
    pub is_undefined: bool,
    /// The number of instances that pass the conditions before.
    pub left: usize,
    /// The number of all instances.
    pub all: usize,
    /// The arguments of the first instances that pass the conditions before.
    pub examples: Vec<Vec<Value>>,
}

impl ExcludingCondition {
    /// Describes the condition, as a label of its place.
    pub fn label(&self) -> String {
        let ExcludingCondition { name, is_later, is_undefined, left, all, .. } = self;
        let fails = if *is_undefined { "this has no value" } else { "this does not hold" };
        let of = if *is_later { "after" } else { "for" };
        let moves =
            if *all == 1 { format!("the move `{name}`") } else { format!("the {all} moves `{name}`") };
        match (*all, *left) {
            (1, _) => format!("{fails} {of} {moves}"),
            (all, left) if all == left => format!("{fails} {of} any of {moves}"),
            (_, 1) => format!("{fails} {of} the only one of {moves} that the conditions before leave"),
            (_, left) => {
                format!("{fails} {of} any of the {left} of {moves} that the conditions before leave")
            }
        }
    }
}

/// The maximal number of conditions to return.
const MAX_CONDITIONS: usize = 3;
/// The maximal number of instances to keep for a condition.
const MAX_EXAMPLES: usize = 64;
/// The steps of the definition for each count.
const MAX_STEPS: u64 = 1_000_000;

/// Returns the first condition of each move that no instance passes, for the first moves of the player to move; empty if
/// all choose at once, or if other rules exclude the moves.
pub fn excluding_conditions(game: &Game, state: &State) -> Vec<ExcludingCondition> {
    if !matches!(game.machine.turn(state), Ok(ToMove::Player(_) | ToMove::Chance)) {
        return Vec::new();
    }
    let cells = game.cells(state);
    let moves = game.rules.moves.iter();
    moves.filter_map(|of| first_condition(&game.rules, of, &cells)).take(MAX_CONDITIONS).collect()
}

fn first_condition(rules: &Rules, of: &Move, cells: &[Value]) -> Option<ExcludingCondition> {
    let is_condition = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Require(_) | StmtKind::Let(..));
    let statements = of.body.stmts.iter().filter(is_condition);
    let (conditions, wholes): (Vec<Stmt>, Vec<Span>) =
        statements.flat_map(|stmt| parts(stmt).into_iter().map(|part| (part, stmt.span))).unzip();
    let (all, mut examples) = passing(rules, of, Vec::new(), cells).filter(|(all, _)| *all > 0)?;
    let name = of.name.clone();
    let mut left = all;
    let own =
        conditions.iter().zip(wholes).enumerate().map(|(place, (condition, span))| {
            (conditions[..=place].to_vec(), condition.clone(), span, false)
        });
    // The effects of the stages before belong to the position that a later condition reads.
    let later = later_prefixes(&of.body.stmts).into_iter();
    let later = later.map(|(body, condition)| (body, condition.clone(), condition.span, true));
    for (body, condition, span, is_later) in own.chain(later) {
        let (passing, first) = passing(rules, of, body, cells)?;
        if passing == 0 {
            let is_undefined = matches!(condition.kind, StmtKind::Let(..));
            let (of, place) = (of.span, condition.span);
            return Some(ExcludingCondition {
                name,
                of,
                span,
                place,
                is_later,
                is_undefined,
                left,
                all,
                examples,
            });
        }
        (left, examples) = (passing, first);
    }
    None
}

/// The parts of a condition that joins several by `and`, as conditions; otherwise the statement itself.
fn parts(stmt: &Stmt) -> Vec<Stmt> {
    if let StmtKind::Require(condition) = &stmt.kind
        && let ExprKind::And(parts) = &*condition.kind
        && parts.iter().all(|part| part.span.is_placed())
        && parts.windows(2).all(|pair| pair[0].span != pair[1].span)
    {
        let part = |part: &Expr| Stmt { kind: StmtKind::Require(part.clone()), span: part.span };
        return parts.iter().map(part).collect();
    }
    vec![stmt.clone()]
}

/// The statements of a move up to each condition of its later stages, with that condition.
fn later_prefixes(stmts: &[Stmt]) -> Vec<(Vec<Stmt>, &Stmt)> {
    let mut found = Vec::new();
    for (at, stmt) in stmts.iter().enumerate() {
        let StmtKind::Then(inner) = &stmt.kind else { continue };
        for (place, condition) in inner.stmts.iter().enumerate() {
            if !matches!(condition.kind, StmtKind::Require(_) | StmtKind::Let(..)) {
                continue;
            }
            let mut stage = stmt.clone();
            stage.kind = StmtKind::Then(Block { stmts: inner.stmts[..=place].to_vec() });
            let body = stmts[..at].iter().cloned().chain([stage]).collect();
            found.push((body, condition));
        }
    }
    found
}

/// Counts the instances of a move that pass these conditions and effects, with the arguments of the first; `None` if that takes
/// too long, or the move is made by others or in other phases.
fn passing(
    rules: &Rules,
    of: &Move,
    conditions: Vec<Stmt>,
    cells: &[Value],
) -> Option<(usize, Vec<Vec<Value>>)> {
    let mut only = Move { mandatory: false, prefer: None, weight: None, ..of.clone() };
    only.body.stmts = conditions;
    let rules = Rules {
        moves: [only].into_iter().collect(),
        pass: None,
        ends: Vec::new(),
        forbids: Vec::new(),
        ..rules.clone()
    };
    let interpreter = Interpreter::new(Arc::new(rules)).for_steps(MAX_STEPS);
    let found = interpreter.successors(&interpreter.with_cells(cells));
    interpreter.unless_limited(()).ok()?;
    let found = found.ok()?;
    let args = found.iter().take(MAX_EXAMPLES).filter_map(|(made, ..)| match made {
        MoveInstance::Move(_, args) => Some(args.to_vec()),
        _ => None,
    });
    Some((found.len(), args.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::GameSource;

    fn conditions(text: &str) -> Vec<String> {
        let mut text = GameSource::from_string("a game", text);
        let game = text.game_with(&[]).expect("a game");
        let found = excluding_conditions(&game, &game.machine.initial());
        let told = |of: &ExcludingCondition| format!("{}: {}", text.sources.slice(of.place), of.label());
        found.iter().map(told).collect()
    }

    #[test]
    fn the_first_condition_that_no_move_passes_is_found() {
        let take = |conditions: &str| {
            conditions_of(&format!("move take(k: 1..3) as \"{{k}}\" {{ {conditions} n := k; }}"))
        };
        fn conditions_of(moves: &str) -> Vec<String> {
            conditions(&format!(
                "game \"g\"; players A, B; state {{ left: 0..9 = 2; n: 0..3 = 0; }} {moves} end {{ when left > 8 => draw; }}"
            ))
        }
        assert_eq!(take("when k > 3;"), ["when k > 3;: this does not hold for any of the 3 moves `take`"]);
        assert_eq!(
            take("when k <= left; when k + left = 9;"),
            [
                "when k + left = 9;: this does not hold for any of the 2 of the 3 moves `take` that the conditions before leave"
            ]
        );
        assert_eq!(
            take("when k = 1; let half = one h in 1..9: h + h = left + k;"),
            [
                "let half = one h in 1..9: h + h = left + k;: this has no value for the only one of the 3 moves `take` that \
              the conditions before leave"
            ]
        );
        assert_eq!(
            take("when k <= left and k + left = 9 and n = 0;"),
            [
                "k + left = 9: this does not hold for any of the 2 of the 3 moves `take` that the conditions before leave"
            ]
        );
        // One move is legal, and effects exclude none.
        assert_eq!(take("when k = 1;"), [""; 0]);
        // A later stage reads the position after the effects.
        assert_eq!(
            take("when k < 3; left += 1 + k; then { ensure left > 8; }"),
            [
                "ensure left > 8;: this does not hold after any of the 2 of the 3 moves `take` that the conditions before leave"
            ]
        );
        assert_eq!(take("left := 9 - k; then { ensure left > 7; }"), [""; 0]);
        assert_eq!(
            conditions_of("move wait() as \"wait\" { when left = 0; }"),
            ["when left = 0;: this does not hold for the move `wait`"]
        );
    }
}
