//! Comparisons of the conditions of moves that are tried with the other sign, `<` for `<=`: the play that follows has no
//! mistake. A help that proposes one leads to no other error.

use std::ops::ControlFlow;

use super::check::endless_play::PlayGraph;
use super::load::GameSource;
use bouton_base::limits::{Limits, NoProgress};
use bouton_base::source::Span;
use bouton_rules::{Expr, ExprKind, MoveId, Rules, Stmt, StmtKind, ToMove};
use bouton_search::game::explore::{ExploreEnd, PositionFault, VisitedPosition, Visitor, explore};
use bouton_search::game::{Fault, FaultKind, Game, State};

/// The maximal number of positions that are played with another condition.
const MAX_POSITIONS: u64 = 3_000;
/// The maximal number of comparisons that are tried.
const MAX_TRIED: usize = 8;

/// Returns true if no explored position of these rules has a fault; with `has_moves` also if one has no move, or if there
/// are too many positions, or if play can go on for ever without a rule about it.
pub(super) fn is_sound(rules: Rules, has_moves: bool) -> bool {
    let game = Game::on_reference(rules);
    let limits = Limits { positions: Some(MAX_POSITIONS), ..Limits::default() };
    let mut watch = FirstFault { counts_stuck: has_moves, is_faulty: false, graph: PlayGraph::default() };
    let seen = explore(&game, &[game.machine.initial()], &limits, &NoProgress, &mut watch);
    let ends = || {
        let is_complete = matches!(seen.ended, ExploreEnd::Complete);
        is_complete && (!game.rules.repeats.is_empty() || !watch.graph.has_cycle())
    };
    !watch.is_faulty && (!has_moves || ends())
}

/// Returns true if nobody can move in a position, and the game goes on, once a move has one more condition.
pub(super) fn leaves_nobody(game: &Game, state: &State, id: MoveId, condition: Expr) -> bool {
    let mut rules = (*game.rules).clone();
    let stmts = &mut rules.moves[id].body.stmts;
    let behind = stmts.iter().rposition(|stmt| matches!(stmt.kind, StmtKind::Let(..))).map_or(0, |at| at + 1);
    let span = condition.span;
    stmts.insert(behind, Stmt { kind: StmtKind::Require(condition), span });
    let game_with = Game::on_reference(rules);
    let here = State(game.machine.packed_state(state));
    let goes_on = !matches!(game_with.machine.turn(&here), Ok(ToMove::Terminal(_)) | Err(_));
    goes_on && game_with.machine.successors(&here).is_ok_and(|moves| moves.is_empty())
}

/// A visitor that stops at the first fault.
struct FirstFault {
    counts_stuck: bool,
    is_faulty: bool,
    /// The positions so far with their successors.
    graph: PlayGraph,
}

impl Visitor for FirstFault {
    fn visit(&mut self, visit: &VisitedPosition<'_>) -> ControlFlow<()> {
        self.graph.push(visit.next, *visit.turn == ToMove::Chance);
        ControlFlow::Continue(())
    }

    fn broken(&mut self, _: u32, broken: &PositionFault) -> ControlFlow<()> {
        self.is_faulty = self.counts_stuck || matches!(broken, PositionFault::Fault(_));
        if self.is_faulty { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn held_bytes(&self, _: usize) -> u64 {
        0
    }
}

/// A comparison that is too weak.
pub(super) struct WeakGuard<'r> {
    /// The place of the comparison.
    pub(super) span: Span,
    /// The name of its move.
    pub(super) name: &'r str,
    /// The words of the strict comparison.
    pub(super) stricter: String,
}

/// Returns the only comparison `a <= b` of two terms that play without any fault follows from if it is `a < b`, for a
/// number that leaves its range.
pub(super) fn too_weak<'g>(text: &GameSource, game: &'g Game, fault: &Fault) -> Option<WeakGuard<'g>> {
    if !matches!(fault.kind, FaultKind::OutOfRange { .. }) {
        return None;
    }
    let mut tried: Vec<(MoveId, usize, Span)> = Vec::new();
    for (id, mv) in game.rules.moves.entries().filter(|(_, mv)| !mv.chance) {
        for (place, stmt) in mv.body.stmts.iter().enumerate() {
            if let StmtKind::Require(condition) = &stmt.kind {
                let spans = weak_parts(condition).into_iter().map(|part| (id, place, part.span));
                tried.extend(spans);
            }
        }
    }
    if tried.len() > MAX_TRIED {
        return None;
    }
    let mut fitting = tried.into_iter().filter(|(id, place, span)| {
        let mut rules = (*game.rules).clone();
        if let StmtKind::Require(condition) = &mut rules.moves[*id].body.stmts[*place].kind {
            strengthen(condition, *span);
        }
        is_sound(rules, true)
    });
    let ((id, _, span), None) = (fitting.next()?, fitting.next()) else { return None };
    let stricter = stricter_words(&text.words(span))?;
    Some(WeakGuard { span, name: &game.rules.moves[id].name, stricter })
}

/// The comparisons `a <= b` of two terms that are no constants in a condition, or in its `and`.
fn weak_parts(condition: &Expr) -> Vec<&Expr> {
    let is_weak = |part: &&Expr| match &*part.kind {
        ExprKind::LessEqual(a, b) => {
            part.span.is_placed() && a.constant().is_none() && b.constant().is_none()
        }
        _ => false,
    };
    match &*condition.kind {
        ExprKind::And(parts) => parts.iter().filter(is_weak).collect(),
        _ => Some(condition).filter(is_weak).into_iter().collect(),
    }
}

fn strengthen(condition: &mut Expr, span: Span) {
    let make_strict = |part: &mut Expr| {
        if let ExprKind::LessEqual(a, b) = &*part.kind
            && part.span == span
        {
            *part.kind = ExprKind::Less(a.clone(), b.clone());
        }
    };
    match &mut *condition.kind {
        ExprKind::And(parts) => parts.iter_mut().for_each(make_strict),
        _ => make_strict(condition),
    }
}

/// The words of a comparison with the sign that equal sides do not satisfy.
fn stricter_words(words: &str) -> Option<String> {
    let mut signs = words.match_indices("<=").chain(words.match_indices(">="));
    let (at, sign) = signs.next()?;
    if signs.next().is_some() || words.len() > 60 {
        return None;
    }
    Some(format!("{}{}{}", &words[..at], &sign[..1], &words[at + sign.len()..]))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    /// The help of the first finding in an auction of two lots.
    fn help(sign: &str, code: Code) -> String {
        let rest = format!(
            "state {{ purse[p: Player]: 0..3 = 3; bid: 0..3 = 0; lot: 1..3 = 1; }} move more() as \"more\" {{ when bid {sign} \
             purse[me]; bid += 1; }} move drop() as \"drop\" {{ when bid > 0; purse[opponent] -= bid; bid := 0; lot += 1; }} \
             move skip() as \"skip\" {{ when bid = 0 and purse[me] = 0; lot += 1; }} end {{ when lot = 3 => draw; }}"
        );
        let found = findings_of_two(&rest, code).into_iter().next();
        found.and_then(|found| found.help).unwrap_or_default()
    }

    #[test]
    fn a_comparison_that_lets_too_much_through_is_named() {
        let told = help("<=", Code::E0503);
        assert!(told.starts_with("with `bid < purse[me]` in `more` this does not happen"), "{told}");
        assert_eq!(help("<", Code::E0503), "");
    }

    #[test]
    fn a_condition_that_leaves_nobody_a_move_is_told_so() {
        let help = |end: &str| {
            let rest = format!(
                "state {{ n: 0..3 = 0; }} move add() as \"add\" {{ n += 2; }} end {{ when n = 3 => draw; {end} }}"
            );
            let found = findings_of_two(&rest, Code::E0503).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("");
        assert!(told.contains("`when n + 2 <= 3;`") && told.contains("nobody can move here"), "{told}");
        let told = help("when stuck => mover loses;");
        assert!(told.contains("`when n + 2 <= 3;`") && !told.contains("nobody can move here"), "{told}");
    }

    #[test]
    fn a_comparison_that_leads_to_another_error_is_not_proposed() {
        let rest = "state { purse[p: Player]: 0..3 = 3; bid: 0..3 = 0; lot: 1..3 = 1; } move more() as \"more\" { when bid < \
                    purse[me]; bid += 1; } move drop() as \"drop\" { when bid > 0; purse[opponent] -= bid; bid := 0; lot += 1; } \
                    end { when lot = 3 => draw; }";
        let found = findings_of_two(rest, Code::E0501).into_iter().next();
        let told = found.and_then(|found| found.help).unwrap_or_default();
        assert!(!told.is_empty() && !told.contains("`bid <= purse[me]`"), "{told}");
    }
}
