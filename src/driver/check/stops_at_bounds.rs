//! Moves of an endless loop that change nothing, since a number stands at its bound already: `at[c] := min(3, at[c] + die)`
//! where `at[c]` is 3.

use super::endless_loops::ExploredLoop;
use crate::faults::effects;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{Arith, EffectOp, Expr, ExprKind, Move};
use bouton_search::game::MoveInstance;
use bouton_syntax::diag::Diagnostic;

/// An effect that stops at a bound.
struct BoundedEffect {
    place: Span,
    target: String,
    bound: String,
    is_upper: bool,
}

/// Tells first of a move of the loop whose number stands at its bound, where no other cause is known.
pub(super) fn explain(text: &GameSource, explored: ExploredLoop<'_>, found: Diagnostic) -> Diagnostic {
    let rest = found.help.clone().filter(|help| help.starts_with("if play may come back"));
    let (Some(rest), Some((mv, effect))) = (rest, find(text, explored)) else { return found };
    let BoundedEffect { place, target, bound, is_upper } = effect;
    let compare = if is_upper { "<" } else { ">" };
    let name = &mv.name;
    found.label(place, format!("stays at {bound} in the loop")).help(format!(
        "`{name}` changes nothing where `{target}` is {bound}: if it is illegal there, write `when {target} {compare} {bound};` \
         in `{name}`; otherwise, {rest}"
    ))
}

fn find<'r>(text: &GameSource, explored: ExploredLoop<'r>) -> Option<(&'r Move, BoundedEffect)> {
    let ExploredLoop { game, seen, ring } = explored;
    ring.iter().enumerate().find_map(|(place, &at)| {
        let (state, next) = (seen.arena.state(at), seen.arena.state(ring[(place + 1) % ring.len()]));
        let successors = game.machine.successors(&state).ok()?;
        let made = successors.into_iter().find(|successor| successor.state == next)?.play;
        let MoveInstance::Move(id, _) = made else { return None };
        let mv = &game.rules.moves[id];
        let bounded: Vec<BoundedEffect> = effects(&mv.body)
            .into_iter()
            .map(|(effect, place)| bounded(text, effect.op, &effect.value, place))
            .collect::<Option<_>>()?;
        let is_idle = !mv.chance && super::endless_loops::is_idle(game, &state, &next);
        // All effects of the move stop at bounds; the first one is told.
        Some((mv, bounded.into_iter().next().filter(|_| is_idle)?))
    })
}

/// The target and the bound of `x := min(3, x + k)`, as written.
fn bounded(text: &GameSource, op: EffectOp, value: &Expr, place: Span) -> Option<BoundedEffect> {
    let ExprKind::Arith { op: arith, left, right, .. } = &*value.kind else { return None };
    let is_upper = match arith {
        Arith::Min => true,
        Arith::Max => false,
        _ => return None,
    };
    let bound = [left, right].into_iter().find(|side| side.constant().is_some() && side.span.is_placed())?;
    let words = text.words(place);
    let (target, _) = words.split_once(":=")?;
    let (target, bound) = (target.trim().to_owned(), text.words(bound.span));
    (op == EffectOp::Set && place.is_placed() && target.len() < 40).then_some(BoundedEffect {
        place,
        target,
        bound,
        is_upper,
    })
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_move_at_the_bound_is_told() {
        let help = |guard: &str| {
            let rest = format!(
                "phases {{ roll by chance; go; }} state {{ at[p: Player, c: 1..2]: 0..3 = 0; die: 1..2 = 1; }} chance throw(d: 1..2) \
                 in roll as \"({{d}})\" {{ die := d; continue go; }} move drive(c: 1..2) in go as \"{{c}}\" {{ {guard} at[me, c] := \
                 min(3, at[me, c] + die); }} end {{ for p in Player when all c in 1..2: at[p, c] = 3 => p wins; }}"
            );
            let found = findings_of_two(&rest, Code::E0505).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let wanted = "`drive` changes nothing where `at[me, c]` is 3: if it is illegal there, write `when at[me, c] < 3;` in \
                      `drive`; otherwise, ";
        assert!(help("").starts_with(wanted), "{}", help(""));
        assert_eq!(help("when at[me, c] < 3;"), "");
    }

    #[test]
    fn moves_that_are_all_of_one_player_are_told() {
        let rest = "state { x: 0..3 = 0; y: 0..3 = 3; n: 0..6 = 0; } move run(to: 0..3) by A as \"{to}\" { when to != x; x := to; } \
                    move hunt(to: 0..3) by A as \"!{to}\" { when to != y; y := to; n += 1; } pass when stuck; end { when n = 6 => A \
                    wins; }";
        let found = findings_of_two(rest, Code::E0505).into_iter().next();
        let help = found.and_then(|found| found.help).unwrap_or_default();
        assert!(
            help.starts_with("every move is `by A`, so `B` never has one: write `by B` at the moves"),
            "{help}"
        );
    }
}
