//! The effects of the last move before an invariant fails (E0504), as labels.

use crate::faults::effects;
use bouton_base::source::Span;
use bouton_rules::{Expr, ExprKind, FieldId, Invariant, Rules};
use bouton_search::game::{Game, MoveInstance};
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
    }
}
