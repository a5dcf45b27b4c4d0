//! Strict comparisons that leave no move, although one would be legal where both sides are equal: `k < left` in place of
//! `k <= left`.

use super::excluded_moves::ExcludingCondition;
use super::load::GameSource;
use super::tried_guards;
use bouton_base::source::Span;
use bouton_rules::{Expr, ExprKind, Move, Rules, Stmt, StmtKind, ToMove};
use bouton_search::game::{Game, State};

/// A comparison that may be too strong.
pub struct StrongGuard<'r> {
    /// The name of the move.
    pub name: &'r str,
    /// The words of the weaker comparison.
    pub weaker: String,
}

/// Returns the first comparison in these conditions with which the position would have a move if it were not strict.
pub fn find<'g>(
    text: &GameSource,
    game: &'g Game,
    state: &State,
    conditions: &[ExcludingCondition],
) -> Option<StrongGuard<'g>> {
    if !matches!(game.machine.turn(state), Ok(ToMove::Player(_))) {
        return None;
    }
    conditions.iter().find_map(|condition| {
        let (id, mv) = game.rules.moves.entries().find(|(_, mv)| mv.span == condition.of)?;
        let place = mv.body.stmts.iter().position(|stmt| stmt.span == condition.span)?;
        let strict = strict_parts(&mv.body.stmts[place]);
        let part = strict.into_iter().find(|part| {
            let mut rules = (*game.rules).clone();
            weaken(&mut rules.moves[id], place, part.span);
            has_move(rules.clone(), game, state) && tried_guards::is_sound(rules, false)
        })?;
        Some(StrongGuard { name: &mv.name, weaker: weaker_words(text, part)? })
    })
}

/// The strict comparisons of two terms that a condition is, or joins by `and`. One with a number is left out: it is a
/// bound that somebody has chosen.
fn strict_parts(stmt: &Stmt) -> Vec<&Expr> {
    let StmtKind::Require(condition) = &stmt.kind else { return Vec::new() };
    let is_strict = |part: &&Expr| match &*part.kind {
        ExprKind::Less(low, high) => {
            part.span.is_placed() && low.constant().is_none() && high.constant().is_none()
        }
        _ => false,
    };
    match &*condition.kind {
        ExprKind::And(parts) => parts.iter().filter(is_strict).collect(),
        _ => Some(condition).filter(is_strict).into_iter().collect(),
    }
}

/// Makes a comparison of a condition true of equal sides as well.
fn weaken(mv: &mut Move, place: usize, span: Span) {
    let StmtKind::Require(condition) = &mut mv.body.stmts[place].kind else { return };
    let admit = |part: &mut Expr| {
        if let ExprKind::Less(low, high) = &*part.kind
            && part.span == span
        {
            *part.kind = ExprKind::LessEqual(low.clone(), high.clone());
        }
    };
    match &mut *condition.kind {
        ExprKind::And(parts) => parts.iter_mut().for_each(admit),
        _ => admit(condition),
    }
}

/// Returns true if the rules give a position legal moves, and no fault.
pub(super) fn has_move(rules: Rules, game: &Game, state: &State) -> bool {
    let weaker = Game::on_reference(rules);
    let here = State(game.machine.packed_state(state));
    weaker.machine.successors(&here).is_ok_and(|moves| !moves.is_empty())
}

/// The words of a strict comparison, with the sign that admits equal sides.
fn weaker_words(text: &GameSource, comparison: &Expr) -> Option<String> {
    let words = text.words(comparison.span);
    let mut signs = words.match_indices(['<', '>']);
    let (at, sign) = signs.next()?;
    if signs.next().is_some() || words.len() > 60 {
        return None;
    }
    let (before, after) = words.split_at(at + sign.len());
    (!after.starts_with(['=', '-'])).then(|| format!("{before}={after}"))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_comparison_that_forbids_the_last_is_named() {
        let help = |condition: &str, end: &str| {
            let rest = format!(
                "state {{ left: 0..5 = 5; }} move take(k: 1..2) as \"{{k}}\" {{ when {condition}; left -= k; }} end {{ when \
                 {end} => mover loses; }}"
            );
            let found = findings_of_two(&rest, Code::E0501).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("k < left", "left = 0");
        assert!(told.starts_with("with `k <= left` in `take` there would be a move here"), "{told}");
        let told = help("left > k", "left = 0");
        assert!(told.starts_with("with `left >= k` in `take`"), "{told}");
        // This one would leave the range.
        let rest = "state { left: 0..2 = 2; n: 0..2 = 0; } move take() as \"t\" { when left > n - n; left -= 1; n += 1; } end { \
                    when n = 1 and left = 0 => mover loses; }";
        let found = findings_of_two(rest, Code::E0501).into_iter().next();
        let told = found.and_then(|found| found.help).unwrap_or_default();
        assert!(!told.contains("there would be a move"), "{told}");
        assert!(help("k <= left", "left = 0").is_empty());
    }
}
