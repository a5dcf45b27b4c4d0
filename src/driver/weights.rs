//! The weights of chance that have no meaning in a position (E0324): the term, its value, and a condition of the event.

use super::load::GameSource;
use super::out_of_range::bracketed;
use super::repeated_effects::has_name;
use super::undefined_terms::Scope;
use bouton_base::words::count_with_noun;
use bouton_rules::{Expr, Move, Pattern, StmtKind, Value, VarId};
use bouton_search::game::{Fault, FaultKind, Game, MoveInstance, State};
use bouton_syntax::diag::Diagnostic;

/// The maximal length of a weight that is repeated.
const MAX_WORDS: usize = 40;

/// Adds to E0324 the weight, its value in the position, and the ways out.
pub(super) fn explain(
    text: &GameSource,
    game: &Game,
    state: &State,
    fault: &Fault,
    found: Diagnostic,
) -> Diagnostic {
    if !matches!(fault.kind, FaultKind::Weights) {
        return found;
    }
    match fault.play.as_deref() {
        Some(MoveInstance::Move(id, args)) => {
            let of = &game.rules.moves[*id];
            match &of.weight {
                Some(weight) => negative(&Weighed { text, game, state, of, weight }, args, found),
                None => found,
            }
        }
        _ => all_zero(text, game, fault, found),
    }
}

/// An event with its weight in a position.
struct Weighed<'a> {
    text: &'a GameSource,
    game: &'a Game,
    state: &'a State,
    of: &'a Move,
    weight: &'a Expr,
}

/// A weight below 0, with the values that make it so.
fn negative(of: &Weighed<'_>, args: &[Value], mut found: Diagnostic) -> Diagnostic {
    let rules = &of.game.rules;
    let mut scope = Scope::of(of.game, of.state, of.of, args);
    for stmt in &of.of.body.stmts {
        if let StmtKind::Let(pattern, value) = &stmt.kind {
            scope.bind(pattern, value);
        }
    }
    let value = scope.value(of.weight).map(|value| rules.show(&value));
    let named = of.of.params.iter().zip(args).filter(|(param, _)| has_name(of.weight, &[param.var]));
    let named: Vec<String> = named
        .map(|(param, value)| format!("{} = {}", of.of.vars[param.var].name, rules.show(value)))
        .collect();
    let with = if named.is_empty() { String::new() } else { format!(" with {}", named.join(" and ")) };
    found.title = match &value {
        Some(value) => format!("a weight of chance is negative: {value}{with}"),
        None => "a weight of chance is negative".to_owned(),
    };
    if let (Some(label), Some(value)) = (found.labels.first_mut(), &value) {
        label.text = format!("this is {value}{with}");
    }
    let words = of.text.words(of.weight.span);
    if !of.weight.span.is_placed() || words.is_empty() || words.len() > MAX_WORDS {
        return found.help("a weight is 0 or more: correct it, or leave the event out here by a `when`");
    }
    let told = format!("a weight is 0 or more: correct `{words}`");
    // A name that a `let` binds is known below it alone.
    let mut bound: Vec<VarId> = Vec::new();
    for stmt in &of.of.body.stmts {
        if let StmtKind::Let(pattern, _) = &stmt.kind {
            super::repeated_effects::vars_of(pattern, &mut bound);
        }
    }
    let below = if has_name(of.weight, &bound) { " below its `let`" } else { "" };
    found.help(format!(
        "{told}; if the event does not happen here, write `when {} >= 0;` in `{}`{below}, or `weight max(0, {words});`",
        bracketed_sum(&words),
        of.of.name
    ))
}

/// The words of a term as the left side of a comparison: a sum needs no brackets, and an `if` does.
fn bracketed_sum(words: &str) -> String {
    let is_loose =
        words.split(' ').any(|word| ["if", "match", "let", "sum", "count", "min", "max"].contains(&word));
    if is_loose { bracketed(words) } else { words.to_owned() }
}

/// Weights that are all 0.
fn all_zero(text: &GameSource, game: &Game, fault: &Fault, mut found: Diagnostic) -> Diagnostic {
    let Some(first) = game.rules.moves.iter().find(|mv| mv.chance && mv.span == fault.span) else {
        return found;
    };
    found.title = "the weights of this throw of chance are all 0".to_owned();
    if let Some(label) = found.labels.first_mut().filter(|label| label.text.is_empty()) {
        label.text =
            format!("each event that may happen here has the weight 0, so `{}` cannot happen", first.name);
    }
    let weighed: Vec<&Move> = game
        .rules
        .moves
        .iter()
        .filter(|mv| mv.chance && mv.phases.iter().any(|phase| first.phases.contains(phase)))
        .collect();
    for weight in weighed.iter().filter_map(|mv| mv.weight.as_ref()).filter(|weight| weight.span.is_placed())
    {
        if found.labels.iter().all(|label| label.span != weight.span) {
            let always = match is_always_zero(game, first, weight) {
                true => format!("this is 0 for {}", count_of_values(first)),
                false => "this is 0 here".to_owned(),
            };
            found = found.label(weight.span, always);
        }
    }
    let words = first.weight.as_ref().map(|weight| text.words(weight.span)).unwrap_or_default();
    let correct = match words.is_empty() || words.len() > MAX_WORDS {
        true => "correct a weight".to_owned(),
        false => format!("correct `{words}`"),
    };
    found.help(format!(
        "an event of weight 0 does not happen: {correct}, so that one event at least is above 0 here; without `weight`, all \
         events have the same"
    ))
}

/// Returns true for a weight that is 0 for each value of the only parameter, whatever the position.
fn is_always_zero(game: &Game, of: &Move, weight: &Expr) -> bool {
    let [param] = &of.params[..] else { return false };
    let reads = |kind: &bouton_rules::ExprKind| matches!(kind, bouton_rules::ExprKind::Field(..));
    let initial = game.machine.initial();
    !game.rules.mentions(weight, &reads)
        && param.values.iter().all(|value| {
            let constant = Expr::new(
                bouton_rules::ExprKind::Const(value.clone()),
                bouton_rules::Type::Error,
                weight.span,
            );
            let bound = weight.clone().with(Pattern::Var(param.var), constant);
            let value = game.machine.eval(&initial, &bound).ok().flatten();
            value.and_then(|value| value.as_ratio()).is_some_and(|value| value.is_zero())
        })
}

fn count_of_values(of: &Move) -> String {
    let count = of.params.first().map_or(1, |param| param.values.len());
    format!("each of the {}", count_with_noun(count as u64, "value", "values"))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    /// The title, the labels and the help of E0324.
    fn told(event: &str) -> (String, Vec<String>, String) {
        let rest = format!(
            "phases {{ act; roll by chance; }} state {{ n: 0..9 = 0; }} move go() in act as \"go\" {{ when n < 6; continue roll; \
             }} chance throw(d: 0..3) in roll as \"({{d}})\" {{ {event} n := min(9, n + d + 1); next other(mover); }} end {{ \
             when n >= 6 => draw; }}"
        );
        let found = findings_of_two(&rest, Code::E0324).into_iter().next();
        let of = |found: bouton_syntax::diag::Diagnostic| {
            let labels = found.labels.iter().map(|label| label.text.clone()).collect();
            (found.title, labels, found.help.unwrap_or_default())
        };
        found.map(of).unwrap_or_default()
    }

    #[test]
    fn a_negative_weight_is_told_with_its_value() {
        let (title, labels, help) = told("weight 2 - d;");
        assert_eq!(title, "a weight of chance is negative: -1 with d = 3");
        assert_eq!(labels, ["this is -1 with d = 3"]);
        assert_eq!(
            help,
            "a weight is 0 or more: correct `2 - d`; if the event does not happen here, write `when 2 - d >= 0;` in `throw`, or \
             `weight max(0, 2 - d);`"
        );
        assert_eq!(told("when 2 - d >= 0; weight 2 - d;").0, "");
        assert_eq!(told("weight max(0, 2 - d);").0, "");
    }

    #[test]
    fn weights_that_are_all_0_are_told() {
        let (title, labels, help) = told("weight d * 0;");
        assert_eq!(title, "the weights of this throw of chance are all 0");
        assert_eq!(labels.last().map(String::as_str), Some("this is 0 for each of the 4 values"));
        assert!(help.contains("correct `d * 0`"), "{help}");
    }

    #[test]
    fn two_effects_of_an_event_speak_of_no_range() {
        let rest = "phases { setup deal by chance; act; } enum Card { gold, clay } state { hand[p: Player]: Card? = none; n: \
                    0..2 = 0; } chance give(a: Card, b: Card) in deal as \"g\" { weight if a = gold then 2 else 1; hand[A] := a; \
                    hand[A] := b; continue act; } move on() in act as \"on\" { n += 1; } end { when n = 2 => draw; }";
        let found = crate::check::testing::findings_of_two(rest, bouton_syntax::diag::Code::E0310);
        let help = found.into_iter().next().and_then(|found| found.help).unwrap_or_default();
        assert!(!help.is_empty() && !help.contains("range"), "{help}");
    }
}
