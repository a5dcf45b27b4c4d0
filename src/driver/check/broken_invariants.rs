//! The effects of the last move before an invariant fails (E0504), as labels.

use crate::faults::effects;
use bouton_base::source::Span;
use bouton_rules::{Expr, ExprKind, FieldId, Invariant, Rules, Value};
use bouton_search::game::{Game, MoveInstance, State};
use bouton_syntax::diag::Diagnostic;

/// The maximal number of effects that are marked.
const MAX_EFFECTS: usize = 4;

/// Marks the effects of the last move on the fields that an invariant reads.
pub(super) fn with_effects(
    game: &Game,
    invariant: &Invariant,
    line: &[MoveInstance],
    found: Diagnostic,
) -> Diagnostic {
    let rules = &*game.rules;
    let Some(play) = line.last() else { return found };
    let parts: Vec<&MoveInstance> = match play {
        MoveInstance::Joint(parts) => parts.iter().map(|(_, part)| part).collect(),
        alone => vec![alone],
    };
    let mut marked: Vec<(Span, FieldId)> = Vec::new();
    for part in parts {
        let MoveInstance::Move(id, _) = part else { continue };
        let mut of_move: Vec<(Span, FieldId)> = effects(&rules.moves[*id].body)
            .into_iter()
            .filter(|(effect, place)| place.is_placed() && reads(rules, &invariant.value, effect.field))
            .map(|(effect, place)| (place, effect.field))
            .collect();
        of_move.sort_by_key(|(place, _)| place.range().start);
        marked.extend(of_move);
    }
    let mut known: Vec<Span> = Vec::new();
    marked.retain(|(place, _)| {
        let is_new = !known.contains(place);
        known.push(*place);
        is_new
    });
    let sides = match &*invariant.value.kind {
        ExprKind::Equal(a, b) | ExprKind::Less(a, b) | ExprKind::LessEqual(a, b) => Some((a, b)),
        _ => None,
    };
    let found = match (sides, found.help.clone()) {
        (Some((a, b)), Some(help)) => match changes(game, line, [a, b]) {
            Some(words) => found.help(format!("the last move {words}: {help}")),
            None => found,
        },
        _ => found,
    };
    marked.into_iter().take(MAX_EFFECTS).fold(found, |found, (place, field)| {
        let name = &rules.fields[field].name;
        let side = sides.map(|(a, b)| (reads(rules, a, field), reads(rules, b, field)));
        let side = match side {
            Some((true, false)) => " on the left",
            Some((false, true)) => " on the right",
            _ => "",
        };
        found.label(place, format!("the last move changes `{name}`{side}"))
    })
}

/// The changes of two sides by the last move of a play, in words, if they are numbers.
fn changes(game: &Game, line: &[MoveInstance], sides: [&Expr; 2]) -> Option<String> {
    let (last, before) = line.split_last()?;
    let mut state = game.machine.initial();
    for play in before {
        state = game.machine.make(&state, play).ok()??;
    }
    let after = game.machine.make(&state, last).ok()??;
    let number = |state: &State, side: &Expr| match game.machine.eval(state, side) {
        Ok(Some(Value::Int(number))) => Some(number),
        _ => None,
    };
    let [left, right] = sides.map(|side| Some((number(&state, side)?, number(&after, side)?)));
    let ((left, new_left), (right, new_right)) = (left?, right?);
    let words = |name: &str, from: i64, to: i64| match to - from {
        0 => format!("leaves the {name} side at {from}"),
        _ => format!("takes the {name} side from {from} to {to}"),
    };
    Some(format!("{} and {}", words("left", left, new_left), words("right", right, new_right)))
}

fn reads(rules: &Rules, term: &Expr, field: FieldId) -> bool {
    rules.mentions(term, &|kind| matches!(kind, ExprKind::Field(of, _) if *of == field))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn the_effects_of_the_last_move_are_marked() {
        let rest = "state { n: 0..4 = 4; taken: 0..9 = 0; k: 0..9 = 0; } move single() as \"1\" { when n > 0; n -= 1; taken += 1; k \
                    += 1; } move pair() as \"2\" { when n > 1; n -= 2; taken += 1; k += 1; } end { when n = 0 => draw; } invariant \
                    kept: taken + n = 4;";
        let found = findings_of_two(rest, Code::E0504);
        let labels: Vec<&str> =
            found.iter().flat_map(|found| found.labels.iter().map(|label| label.text.as_str())).collect();
        let wanted = [
            "here: 3 on the left, 4 on the right",
            "the last move changes `n` on the left",
            "the last move changes `taken` on the left",
        ];
        assert_eq!(labels, wanted);
        let help = found[0].help.as_deref().unwrap_or_default();
        assert!(
            help.starts_with(
                "the last move takes the left side from 4 to 3 and leaves the right side at 4: fix the move"
            ),
            "{help}"
        );
    }
}
