//! Values that a move of an endless loop sets and no end rule asks for, beside others that one does: `talk = call`, where a
//! rule ends play at `talk = fold` alone.

use super::terms_below::TermsBelow;
use crate::faults::effects;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{DIR, EffectOp, Expr, ExprKind, FieldId, Move, Rules, Type, Value};
use bouton_search::game::{Game, State};
use bouton_syntax::diag::Diagnostic;

/// The maximal number of values that the effect may set.
const MAX_CHOICES: usize = 4;

/// Tells first of a value that the loop takes and no end rule asks for, where no other cause is known.
pub(super) fn explain(
    text: &GameSource,
    game: &Game,
    in_loop: (&[&Move], &[State]),
    found: Diagnostic,
) -> Diagnostic {
    let rest = found.help.clone().filter(|help| help.starts_with("if play may come back"));
    let (Some(rest), Some(unasked)) = (rest, find(game, in_loop)) else { return found };
    let (words, value) = (text.words(unasked.asked), game.rules.show(&unasked.value));
    let (name, mv) = (&game.rules.fields[unasked.field].name, &unasked.mv.name);
    found.label(unasked.effect, format!("`{name}` becomes {value} here, and no end rule asks for that")).help(format!(
        "a rule ends the game at `{words}`, and none at `{name} = {value}`, which `{mv}` sets as well: write one, `when {name} \
         = {value} => ...;`; otherwise, {rest}"
    ))
}

/// A value that a move sets and no end rule asks for.
struct UnaskedValue<'r> {
    field: FieldId,
    value: Value,
    mv: &'r Move,
    effect: Span,
    /// The place of a condition that asks for another value of the same effect.
    asked: Span,
}

fn find<'r>(game: &'r Game, in_loop: (&[&'r Move], &[State])) -> Option<UnaskedValue<'r>> {
    let (moves, states) = in_loop;
    moves.iter().find_map(|mv| {
        effects(&mv.body).into_iter().find_map(|(effect, place)| {
            let ExprKind::Var(var) = &*effect.value.kind else { return None };
            let param = mv.params.iter().find(|param| param.var == *var)?;
            let is_whole = effect.op == EffectOp::Set && effect.keys.is_empty() && place.is_placed();
            let is_whole = is_whole && is_of_few_words(&game.rules, effect.field, param.values.len());
            let asked = asked_values(&game.rules, effect.field).filter(|_| is_whole)?;
            let other = asked.iter().find(|(value, _)| param.values.contains(value))?;
            let taken = |value: &Value| {
                states.iter().any(|state| game.machine.read(state, effect.field, 0) == *value)
            };
            let is_unasked = |value: &&Value| !asked.iter().any(|(of, _)| of == *value) && taken(value);
            let value = param.values.iter().find(is_unasked)?.clone();
            Some(UnaskedValue { field: effect.field, value, mv, effect: place, asked: other.1 })
        })
    })
}

/// Returns true for a field of an enum of the text, of which a move sets one of few members. A piece that goes from cell to
/// cell is not asked for at each.
fn is_of_few_words(rules: &Rules, field: FieldId, choices: usize) -> bool {
    let Type::Sym(of) = *rules.fields[field].ty.present().base() else { return false };
    let is_cells = rules.boards.iter().any(|board| board.cells == of);
    of != DIR && !is_cells && choices <= MAX_CHOICES
}

/// The values that end rules compare a field with, each with the place of the comparison; `None` if they read the field in
/// another way.
fn asked_values(rules: &Rules, field: FieldId) -> Option<Vec<(Value, Span)>> {
    let is_field = |term: &Expr| matches!(&*term.kind, ExprKind::Field(of, _) if *of == field);
    let (mut asked, mut reads) = (Vec::new(), 0);
    for term in TermsBelow::of_ends(rules) {
        reads += usize::from(is_field(term));
        let ExprKind::Equal(a, b) = &*term.kind else { continue };
        let value = match (a.constant(), b.constant()) {
            (None, Some(value)) if is_field(a) => value,
            (Some(value), None) if is_field(b) => value,
            _ => continue,
        };
        asked.push((value.clone(), term.span));
    }
    (reads == asked.len() && asked.iter().all(|(_, place)| place.is_placed())).then_some(asked)
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn an_answer_without_an_end_rule_is_told() {
        let help = |end: &str| {
            let rest = format!(
                "enum Talk {{ raise, call, fold }} phases {{ open; reply; }} state {{ talk: Talk? = none; }} move bid() in open as \
                 \"raise\" {{ talk := raise; continue reply; next B; }} move answer(t: {{ call, fold }}) in reply as \"{{t}}\" {{ \
                 talk := t; }} end {{ {end} }}"
            );
            let found = findings_of_two(&rest, Code::E0505).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let wanted = "a rule ends the game at `talk = fold`, and none at `talk = call`, which `answer` sets as well: write one, \
                      `when talk = call => ...;`; otherwise, if play may come back";
        assert!(
            help("when talk = fold => A wins;").starts_with(wanted),
            "{}",
            help("when talk = fold => A wins;")
        );
        assert_eq!(help("when talk = fold => A wins; when talk = call => B wins;"), "");
    }
}
