//! Renders payoffs that do not always have the same sum: W0340, with two ends that differ.

use super::diagnostics::{ExploredGame, rules_for_goals};
use super::ends;
use super::visitor::{PaidEnd, PayoffSums};
use crate::faults::game_span;
use crate::load::GameSource;
use crate::rendering;
use bouton_report::words::move_sequence;
use bouton_rules::{Actor, ConstTable, EndRule, Expr, ExprKind, FieldId, OutcomeExpr, PLAYER, Type, Value};
use bouton_search::game::{Game, State};
use bouton_syntax::diag::{Code, Diagnostic};

/// W0340: payoffs that do not always have the same sum.
pub fn varying_sum(text: &GameSource, explored: ExploredGame<'_>, sums: &PayoffSums) -> Diagnostic {
    let ExploredGame { game, seen, .. } = explored;
    let PayoffSums { here, elsewhere, .. } = sums;
    let title = format!("payoffs sum to {} here and to {} elsewhere", here.sum, elsewhere.sum);
    let pays = |rule: &&EndRule| matches!(rule.outcome, OutcomeExpr::Payoff(_));
    let label = format!("{} here", listed(here));
    if text.gdl_names().is_some() {
        let help = "unless the goals always have the same sum, perfect play may have no single value";
        let found = match at_goals(text, game, here) {
            Some(found) => Diagnostic { title, ..found },
            None => {
                let names = text.gdl_names();
                let span = names.and_then(|names| names.loose_ends.spans).map(|(goal, _)| goal);
                let span = span.or_else(|| game.rules.ends.iter().find(pays).map(|rule| rule.span));
                Diagnostic::new(Code::W0340, title, span.unwrap_or_else(|| game_span(text, game)), label)
            }
        };
        return found.help(help);
    }
    let rule_of = |end: &PaidEnd| game.rules.ends.get(end.rule).filter(|rule| rule.span.is_placed());
    let span = rule_of(here).map_or(game_span(text, game), |rule| rule.span);
    let mut found = Diagnostic::new(Code::W0340, title, span, label);
    if let Some(other) = rule_of(elsewhere).filter(|_| here.rule != elsewhere.rule) {
        found = found.label(other.span, format!("{} at another end", listed(elsewhere)));
    }
    let initial = game.machine.initial();
    let play = rendering::render_play(game, &initial, &seen.shortest_play(elsewhere.position)).words;
    let after = if play.is_empty() { String::new() } else { format!(", after {}", move_sequence(&play)) };
    let results = ends::describe_payoffs(game, &elsewhere.payoffs);
    let found = found.note(format!("the other end: {results}{after}"));
    match case_of_equals(text, game, here, &seen.arena.state(here.position)) {
        Some(help) => found.help(help),
        None if let Some(table) = table_of_all_alike(text, game, here).filter(|_| is_shared(elsewhere)) => {
            let (name, value) = (&table.name, game.rules.show(table.values.iter().flatten().next().unwrap_or(&Value::None)));
            found.label(table.span, format!("{value} for each player")).help(format!(
                "all players get the same, since `{name}` is {value} for each of them: if what one wins the other loses, \
                 correct `{name}`"
            ))
        }
        None if is_choice_at_once(game, here) => {
            let one_sided = counted_for_one(text, game, here, &seen.arena.state(here.position));
            found.help(format!(
                "{one_sided}where all choose at once, payoffs need not sum to one number: if this is meant, write \
                 `// allow(W0340): reason`"
            ))
        }
        None if is_shared(here) && is_shared(elsewhere) => found.help(
            "all players get the same at these ends: if they are meant to play together, write `// allow(W0340): reason`",
        ),
        None => found.help(
            "unless the sum is always the same, perfect play may have no single value; `payoff p: e[p] - e[other(p)]` would \
             be zero-sum",
        ),
    }
}

/// W0340 at the rules of a sheet that give the goals of an end, still without its title; `None` if these are
/// not known.
fn at_goals(text: &GameSource, game: &Game, end: &PaidEnd) -> Option<Diagnostic> {
    let names = text.gdl_names()?;
    let goals: Vec<(&str, i64, String)> = game
        .rules
        .players()
        .iter()
        .zip(&end.payoffs)
        .map(|(role, payoff)| {
            let goal = names.goal(payoff);
            let number = goal.to_string().parse().ok()?;
            Some((role.as_str(), number, format!("gives {goal} here")))
        })
        .collect::<Option<_>>()?;
    let labels = rules_for_goals(text, goals.into_iter());
    let (first, others) = labels.split_first()?;
    let found = Diagnostic::new(Code::W0340, "", first.span, first.text.clone());
    Some(others.iter().fold(found, |found, other| found.label(other.span, other.text.clone())))
}

/// Returns true if all players choose at once, and the payoffs of an end are no mere scores.
fn is_choice_at_once(game: &Game, end: &PaidEnd) -> bool {
    let is_score = match game.rules.ends.get(end.rule).map(|rule| &rule.outcome) {
        Some(OutcomeExpr::Payoff(each)) => {
            each.values.iter().any(|value| matches!(*value.kind, ExprKind::Field(..)))
        }
        _ => true,
    };
    !is_score && game.rules.phases.iter().all(|phase| matches!(phase.actor, Actor::Each))
}

/// Advice on `payoff p: e[p] + f[p] - e[other(p)]`, where the `f` of the other player is not subtracted; empty if there is
/// no such field.
fn counted_for_one(text: &GameSource, game: &Game, end: &PaidEnd, state: &State) -> String {
    let rule = game.rules.ends.get(end.rule).filter(|rule| rule.binder.is_none());
    let Some(OutcomeExpr::Payoff(each)) = rule.map(|rule| &rule.outcome) else { return String::new() };
    let [first, _] = &each.values[..] else { return String::new() };
    let mut read: Vec<(FieldId, u32)> = Vec::new();
    cells_of_players(game, state, first, &mut read);
    let is_read = |field: FieldId, player: u32| read.contains(&(field, player));
    let own = || read.iter().filter(|(_, player)| *player == 0).map(|(field, _)| *field);
    let missing: Vec<FieldId> = own().filter(|field| !is_read(*field, 1)).collect();
    let is_difference = own().any(|field| is_read(field, 1));
    let words = rule.map_or("", |rule| text.sources.slice(rule.span));
    let name = words
        .split_once("payoff")
        .and_then(|(_, rest)| rest.split_once(':'))
        .map_or("p", |(name, _)| name.trim());
    match missing[..] {
        [field] if is_difference => format!(
            "`{0}[{name}]` counts, and `{0}[other({name})]` is not subtracted: if the difference is meant, subtract it as well; ",
            game.rules.fields[field].name
        ),
        _ => String::new(),
    }
}

/// A table of the text that an end's payoffs read, with the same value for all players, where all get the same.
fn table_of_all_alike<'g>(text: &GameSource, game: &'g Game, end: &PaidEnd) -> Option<&'g ConstTable> {
    let rule = game.rules.ends.get(end.rule).filter(|_| is_shared(end))?;
    if !matches!(rule.outcome, OutcomeExpr::Payoff(_)) {
        return None;
    }
    let words = text.sources.slice(rule.span);
    game.rules.tables.iter().find(|table| {
        let is_of_players = matches!(&table.keys[..], [key] if *key.ty.base() == Type::Sym(PLAYER));
        let is_alike = table.values.len() > 1
            && table.values[0].is_some()
            && table.values.windows(2).all(|pair| pair[0] == pair[1]);
        // The values of a table for the players have taken its place in the payoffs.
        let read = format!("{}[", table.name);
        let is_own =
            |(at, _): (usize, &str)| !words[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_read = words.match_indices(read.as_str()).any(is_own);
        table.span.is_placed() && is_of_players && is_alike && is_read
    })
}

/// Collects the fields that a term reads for a player, with the player.
fn cells_of_players(game: &Game, state: &State, term: &Expr, found: &mut Vec<(FieldId, u32)>) {
    if let ExprKind::Field(field, keys) = &*term.kind
        && let [key] = &keys[..]
        && let Ok(Some(Value::Sym(PLAYER, player))) = game.machine.eval(state, key)
        && !found.contains(&(*field, player))
    {
        found.push((*field, player));
    }
    term.each_part(&mut |part| cells_of_players(game, state, part, found));
}

/// Returns true if all players get the same at an end.
fn is_shared(end: &PaidEnd) -> bool {
    end.payoffs.windows(2).all(|pair| pair[0] == pair[1])
}

/// The payoffs of an end, as `(1, -1)`.
fn listed(end: &PaidEnd) -> String {
    let each: Vec<String> = end.payoffs.iter().map(ToString::to_string).collect();
    format!("({})", each.join(", "))
}

/// Advice on `payoff p: if e[p] > e[other(p)] then 1 else -1` at an end where the two terms are equal.
fn case_of_equals(text: &GameSource, game: &Game, end: &PaidEnd, state: &State) -> Option<String> {
    let rule = game.rules.ends.get(end.rule).filter(|rule| rule.binder.is_none())?;
    let OutcomeExpr::Payoff(each) = &rule.outcome else { return None };
    let is_equal = is_shared(end);
    let conditions: Vec<&Expr> =
        each.values.iter().map(strict_condition).collect::<Option<_>>().filter(|_| is_equal)?;
    let fails = |condition: &&Expr| game.machine.eval(state, condition) == Ok(Some(Value::Bool(false)));
    if !conditions.iter().all(fails) {
        return None;
    }
    let words = text.sources.slice(conditions.first()?.span);
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let payoff = end.payoffs.first()?;
    let sign = if words.contains(" > ") { " > " } else { " < " };
    let (left, right) = words.split_once(sign).filter(|(_, right)| !right.contains(sign))?;
    Some(format!(
        "`{words}` is false for both players here, so both get {payoff}: give a case of its own to `{left} = {right}`"
    ))
}

/// The comparison `a < b` on which alone a payoff depends: no other one follows for equal terms.
fn strict_condition(payoff: &Expr) -> Option<&Expr> {
    let ExprKind::If(condition, yes, no) = &*payoff.kind else { return None };
    let is_choice = |branch: &Expr| matches!(*branch.kind, ExprKind::If(..));
    let is_strict = matches!(*condition.kind, ExprKind::Less(..));
    (is_strict && !is_choice(yes) && !is_choice(no)).then_some(condition)
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_table_that_is_alike_for_all_players_is_named() {
        let help = |second: &str| {
            let rest = format!(
                "phases {{ pull by each; }} const way[p: Player]: -1..1 = match p {{ A => 1, B => {second} }}; state {{ flag: -2..2 \
                 = 0; used[p: Player]: 0..1 = 0; round: 0..2 = 0; }} move heave(k: 0..1) in pull as \"{{k}}\" {{ used[me] := k; \
                 then {{ if used[me] > used[opponent] {{ flag += way[me]; }} if me = A {{ round += 1; }} }} }} end {{ when round \
                 = 2 => payoff p: way[p] * flag; }}"
            );
            let found = findings_of_two(&rest, Code::W0340).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("1");
        assert!(told.starts_with("all players get the same, since `way` is 1 for each of them"), "{told}");
        assert_eq!(help("-1"), "");
    }

    #[test]
    fn choices_at_once_need_no_constant_sum() {
        let help = |payoff: &str| {
            let rest = format!(
                "phases {{ choose by each; }} state {{ act[p: Player]: 0..2 = 0; side[p: Player]: 0..2 = 0; }}
                 move pick(a: 1..2) in choose as \"{{a}}\" {{ act[me] := a; side[me] := 2 - a; }}
                 end {{ when act[A] > 0 => payoff p: {payoff}; }}"
            );
            let found = findings_of_two(&rest, Code::W0340).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        assert!(help("act[p] * act[other(p)]").contains("if this is meant"));
        let told = help("act[p] + side[p] - act[other(p)]");
        assert!(told.starts_with("`side[p]` counts, and `side[other(p)]` is not subtracted"), "{told}");
        assert!(help("act[p]").contains("would be zero-sum"));
        assert!(help("act[p] - act[other(p)]").is_empty());
    }
}
