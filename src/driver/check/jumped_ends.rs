//! End rules that wait for one number of a field over which play passes, and that nothing reaches (W0532).

use bouton_base::source::Span;
use bouton_rules::{DefId, EndRule, Expr, ExprKind, FieldId, Rules, Type, Value};
use bouton_search::game::explore::Explored;
use bouton_search::game::{Game, State};
use bouton_syntax::diag::{Code, Diagnostic, Label};

use super::dead_rules::HOLDS_NOWHERE;
use super::fault_advice::is_race;
use crate::load::GameSource;

/// The maximal number of explored positions that are looked at.
const MAX_POSITIONS: u32 = 20_000;

/// An equation of an end rule with a number of a field, in a game whose play passes over the number.
struct Jumped {
    span: Span,
    /// The number that is asked for, and those before and behind it that a play has.
    asked: i64,
    from: i64,
    to: i64,
    /// The equation with `>=` or `<=` in place of `=`.
    wider: String,
    name: String,
}

/// Adds the number that play passes over to end rules that hold nowhere.
pub(super) fn explain(text: &GameSource, game: &Game, seen: &Explored, found: &mut [Diagnostic]) {
    if seen.visited > MAX_POSITIONS {
        return;
    }
    for diagnostic in found.iter_mut().filter(|found| found.code == Code::W0532) {
        let Some(help) = diagnostic.help.clone().filter(|help| help.starts_with(HOLDS_NOWHERE)) else {
            continue;
        };
        let Some(rule) = game.rules.ends.iter().find(|rule| rule.span == diagnostic.span()) else { continue };
        let Some(Jumped { span, asked, from, to, wider, name }) = jumped(text, game, seen, rule) else {
            continue;
        };
        let label = format!("play passes over {asked}: `{name}` goes from {from} to {to}");
        diagnostic.labels.retain(|label| !span.covers(label.span));
        diagnostic.labels.push(Label { span, text: label });
        diagnostic.help =
            Some(format!("{help}; if the rule is to hold past {asked} as well, write `{wider}`"));
    }
}

/// The equation of a rule with a number that a play passes over, if no position has the number.
fn jumped(text: &GameSource, game: &Game, seen: &Explored, rule: &EndRule) -> Option<Jumped> {
    let rules = &game.rules;
    equations(rules, &rule.condition).into_iter().find_map(|(term, id, number)| {
        let Type::Int(..) = rules.fields[id].ty else { return None };
        let (span, words) = (term.span, text.words(term.span));
        // The words of one equation and no more.
        let is_plain = words.matches('=').count() == 1 && !words.contains(['<', '>', '!', ':']);
        if !span.is_placed() || !is_plain || words.len() > 60 || !is_race(rules, id) {
            return None;
        }
        let (from, to) = step_over(game, seen, id, number)?;
        let (left, right) = words.split_once('=')?;
        let is_first = left.trim_start().starts_with(rules.fields[id].name.as_str());
        let compare = if (from < to) == is_first { ">=" } else { "<=" };
        let wider = format!("{} {compare} {}", left.trim(), right.trim());
        Some(Jumped { span, asked: number, from, to, wider, name: rules.fields[id].name.clone() })
    })
}

/// The equations of a field with a number that must hold for a condition.
fn equations<'r>(rules: &'r Rules, condition: &'r Expr) -> Vec<(&'r Expr, FieldId, i64)> {
    let mut seen: Vec<DefId> = Vec::new();
    let (mut terms, mut found) = (vec![condition], Vec::new());
    while let Some(term) = terms.pop() {
        match &*term.kind {
            ExprKind::Equal(a, b) => {
                let of = |field: &Expr, number: &Expr| match (&*field.kind, number.constant()) {
                    (ExprKind::Field(id, _), Some(Value::Int(number))) => Some((*id, *number)),
                    _ => None,
                };
                found.extend(of(a, b).or_else(|| of(b, a)).map(|(id, number)| (term, id, number)));
            }
            ExprKind::And(parts) => terms.extend(parts),
            ExprKind::Quant(_, _, body) => terms.push(body),
            ExprKind::Call(def, _) if !seen.contains(def) => {
                seen.push(*def);
                terms.push(&rules.defs[*def].body);
            }
            _ => {}
        }
    }
    found
}

/// The numbers of a cell of a field before and after a move that passes over a number, if no cell ever has
/// that number.
fn step_over(game: &Game, seen: &Explored, id: FieldId, number: i64) -> Option<(i64, i64)> {
    let cells = game.rules.fields[id].cells();
    let read = |state: &State| -> Vec<i64> {
        game.machine.read_all(state, id, cells).iter().filter_map(Value::as_int).collect()
    };
    let all: Vec<State> = (0..seen.visited).map(|at| seen.arena.state(at)).collect();
    if all.iter().any(|state| read(state).contains(&number)) {
        return None;
    }
    all.iter().find_map(|state| {
        let before = read(state);
        let successors = game.machine.successors(state).ok()?;
        successors.iter().find_map(|next| {
            let after = read(&next.state);
            let is_over = |(from, to): &(&i64, &i64)| (**from < number) != (**to < number);
            before.iter().zip(&after).find(is_over).map(|(from, to)| (*from, *to))
        })
    })
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_number_that_play_always_passes_over_is_told() {
        let told = |asked: &str| {
            let rest = format!(
                "state {{ left: 0..8 = 8; got[p: Player]: 0..8 = 0; }} move take(k: 1..2) as \"{{k}}\" {{ when 2 * k <= left; left -= \
                 2 * k; got[me] += 2 * k; }} end {{ for p in Player when {asked} => p wins; when stuck => draw; }}"
            );
            let found = findings_of_two(&rest, Code::W0532).into_iter().next();
            let words = |found: bouton_syntax::diag::Diagnostic| {
                (
                    found.labels.last().map(|label| label.text.clone()).unwrap_or_default(),
                    found.help.unwrap_or_default(),
                )
            };
            found.map(words).unwrap_or_default()
        };
        let (label, help) = told("got[p] = 5");
        assert_eq!(label, "play passes over 5: `got` goes from 2 to 6");
        assert!(help.ends_with("if the rule is to hold past 5 as well, write `got[p] >= 5`"), "{help}");
        assert!(told("5 = got[p]").1.ends_with("write `5 <= got[p]`"));
        assert_eq!(told("got[p] = 4"), Default::default());
    }
}
