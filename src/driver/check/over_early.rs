//! Rules that end the game too early: in the first position, after every first move, or one step before the last.

use super::late_rules::is_mover;
use super::never_legal;
use crate::load::GameSource;
use bouton_base::limits::Limits;
use bouton_base::source::Span;
use bouton_rules::{EndRule, Expr, ExprKind, MOVER, Move, PLAYER, Quant, Rules, StmtKind, Type, Value};
use bouton_search::game::{Game, State, ToMove};
use bouton_syntax::diag::{Code, Diagnostic, Label};

/// The title of a rule that ends every play after the first move.
const AFTER_A_MOVE: &str = "the game is over after the first move, whatever it is";

/// Returns true if a rule that holds in a position does so for want of legal moves alone: then the moves that are never
/// legal explain it.
pub fn is_for_want_of_moves(game: &Game, rule: &EndRule, state: &State) -> bool {
    if !is_about_moves(&rule.condition) {
        return false;
    }
    let mut condition = rule.condition.clone();
    without_stuck(&mut condition);
    let span = condition.span;
    let condition = match &rule.binder {
        None => condition,
        Some(binder) => {
            Expr::new(ExprKind::Quant(Quant::Some, vec![binder.clone()], condition), Type::Bool, span)
        }
    };
    !matches!(game.machine.eval(state, &condition), Ok(Some(Value::Bool(true))))
}

/// Returns true if a condition asks for legal moves, those of negations left out.
fn is_about_moves(condition: &Expr) -> bool {
    if matches!(*condition.kind, ExprKind::Not(_)) {
        return false;
    }
    let mut asks = matches!(*condition.kind, ExprKind::Stuck | ExprKind::StuckPlayer(_));
    condition.each_part(&mut |part| asks |= is_about_moves(part));
    asks
}

/// Puts a formula that is false in the place of `stuck`, but for negations.
fn without_stuck(condition: &mut Expr) {
    match &*condition.kind {
        ExprKind::Not(_) => {}
        ExprKind::Stuck | ExprKind::StuckPlayer(_) => {
            *condition.kind = ExprKind::Const(Value::Bool(false));
        }
        _ => condition.each_part_mut(&mut without_stuck),
    }
}

/// The help where a rule holds in the first position, and no longer if the two values of a table for each player that it
/// reads are exchanged: the goals of the players, or the picture of the board, are turned round.
pub fn exchanged_values(game: &Game, rule: &EndRule) -> Option<String> {
    let rules = &game.rules;
    let holds = |rules: Rules| {
        let Some(rule) = rules.ends.iter().find(|other| other.span == rule.span).cloned() else {
            return false;
        };
        let condition = match &rule.binder {
            None => rule.condition,
            Some(binder) => {
                let span = rule.condition.span;
                Expr::new(
                    ExprKind::Quant(Quant::Some, vec![binder.clone()], rule.condition),
                    Type::Bool,
                    span,
                )
            }
        };
        let game = Game::on_reference(rules);
        let initial = game.machine.initial();
        game.machine.eval(&initial, &condition).ok().flatten() == Some(Value::Bool(true))
    };
    rules.tables.entries().find_map(|(id, table)| {
        let is_of_players = matches!(&table.keys[..], [key] if *key.ty.base() == Type::Sym(PLAYER));
        let is_read = |kind: &ExprKind| matches!(kind, ExprKind::Table(of, _) if *of == id);
        if !is_of_players || *table.ty.base() == Type::Sym(PLAYER) || table.values.len() != 2 || !rules.mentions(&rule.condition, &is_read) {
            return None;
        }
        let [Some(first), Some(second)] = &table.values[..] else { return None };
        let mut exchanged = (**rules).clone();
        exchanged.tables[id].values.swap(0, 1);
        if first == second || !table.span.is_placed() || holds(exchanged) {
            return None;
        }
        let (one, two) = (rules.show(first), rules.show(second));
        let [player, other] = rules.players() else { return None };
        let name = &table.name;
        Some(format!(
            "with the values of `{name}` exchanged, {two} for {player} and {one} for {other}, it is false at the start: correct \
             `{name}`, or turn the first position round"
        ))
    })
}

/// W0534: a rule that ends every play after the first move, so that other rules are never reached.
pub fn after_a_move(game: &Game) -> Option<Diagnostic> {
    let (rule, _) = ends_every_move(game)?;
    let label = "this rule holds after every first move";
    let told = Diagnostic::new(Code::W0534, AFTER_A_MOVE, rule.span, label);
    Some(told.help(
        "the first rule that holds counts, and it is asked after every move: give this rule a condition that is false \
         until the play is to end",
    ))
}

/// The rule that ends the game after every first move of a player, with the positions after these moves.
fn ends_every_move(game: &Game) -> Option<(&EndRule, Vec<State>)> {
    let initial = game.machine.initial();
    if !matches!(game.machine.turn(&initial), Ok(ToMove::Player(_))) {
        return None;
    }
    let after: Vec<State> =
        game.machine.successors(&initial).ok()?.into_iter().map(|next| next.state).collect();
    let mut rules = after.iter().map(|state| match game.machine.turn(state) {
        Ok(ToMove::Terminal(outcome)) => Some(outcome.rule),
        _ => None,
    });
    let first = rules.next()??;
    let is_same = rules.all(|rule| rule == Some(first));
    let rule = game.rules.ends.get(first).filter(|_| is_same)?;
    Some((rule, after))
}

/// The advice for players who never move since a rule ends the game after every first move.
pub fn advice_for_others(text: &GameSource, game: &Game) -> Option<(Span, String)> {
    let (rule, _) = ends_every_move(game).filter(|(rule, _)| rule.span.is_placed())?;
    let words = text.words(rule.condition.span);
    let condition =
        if words.is_empty() || words.len() > 60 { "this rule".to_owned() } else { format!("`{words}`") };
    Some((rule.span, format!("{condition} {OVER_BEFORE_OTHERS}: correct the condition")))
}

/// The words of the advice for players who never move since the game is over.
const OVER_BEFORE_OTHERS: &str =
    "holds after every first move, so the game is over before anybody else moves";

/// Returns true for a finding about a player without a choice that other findings may explain.
pub fn follows(found: &Diagnostic) -> bool {
    found.help.as_ref().is_none_or(|help| help.contains(OVER_BEFORE_OTHERS))
}

/// Leaves out the findings that follow from a rule that ends the game after every first move, and names the conditions
/// that leave nobody a move then, if that is why it holds.
pub fn explain(text: &GameSource, game: &Game, limits: &Limits, found: &mut Vec<Diagnostic>) {
    if !found.iter().any(|found| found.code == Code::W0534 && found.title == AFTER_A_MOVE) {
        return;
    }
    found.retain(|found| ![Code::W0531, Code::W0532, Code::W0533, Code::W0541].contains(&found.code));
    let Some((rule, after)) = ends_every_move(game) else { return };
    if !after.iter().all(|state| is_for_want_of_moves(game, rule, state)) {
        return;
    }
    let bounded = game.with_limits(limits);
    let guards: Option<Vec<Label>> = bounded
        .rules
        .moves
        .iter()
        .filter(|mv| !mv.chance)
        .map(|mv| guard(text, &bounded, &after, mv, limits))
        .collect();
    let is_this = |told: &&mut Diagnostic| told.title == AFTER_A_MOVE && told.span() == rule.span;
    let (Some(mut labels), Some(told)) = (guards, found.iter_mut().find(is_this)) else { return };
    labels.push(Label { span: rule.span, text: "so this rule holds: no move is legal".to_owned() });
    told.labels = labels;
    told.help = Some(
        "no move is legal after the first one: correct the conditions of the moves, or what the first move changes"
            .to_owned(),
    );
}

/// The condition of a move that is false after every first move, as a label.
fn guard(text: &GameSource, game: &Game, after: &[State], mv: &Move, limits: &Limits) -> Option<Label> {
    let reason = never_legal::first_never_true_in(game, after.to_vec(), mv, limits)?;
    if !reason.span.is_placed() || reason.span.file != mv.span.file {
        return None;
    }
    let mut movers = after.iter().map(|state| game.machine.read(state, MOVER, 0));
    let first = movers.next()?;
    let asks_for_player = |kind: &ExprKind| matches!(kind, ExprKind::Me) || is_mover(kind);
    let names_player = mv.body.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Require(condition) => parts(condition)
            .iter()
            .any(|part| part.span == reason.span && game.rules.mentions(part, &asks_for_player)),
        _ => false,
    });
    let told = match reason.is_term {
        true => "has no value after any first move".to_owned(),
        false if names_player && movers.all(|mover| mover == first) => {
            let entries = entries_of(text, game, mv, reason.span, &first);
            format!("false after every first move: then `{}` is to move{entries}", game.rules.show(&first))
        }
        false => "false after every first move".to_owned(),
    };
    Some(Label { span: reason.span, text: told })
}

/// The entries for a player of the tables that a condition reads, as words: `ahead[me]` is N.
fn entries_of(text: &GameSource, game: &Game, mv: &Move, place: Span, player: &Value) -> String {
    fn tables(term: &Expr, found: &mut Vec<Expr>) {
        match &*term.kind {
            ExprKind::Table(_, keys) if keys.iter().all(|key| matches!(*key.kind, ExprKind::Me)) => {
                found.push(term.clone());
            }
            _ => term.each_part(&mut |part| tables(part, found)),
        }
    }
    let mut found = Vec::new();
    for stmt in &mv.body.stmts {
        if let StmtKind::Require(condition) = &stmt.kind {
            parts(condition)
                .iter()
                .filter(|part| part.span == place)
                .for_each(|part| tables(part, &mut found));
        }
    }
    let initial = game.machine.initial();
    let of_table = |term: Expr| {
        let words = text.words(term.span);
        let mut of_player = term;
        if let ExprKind::Table(_, keys) = &mut *of_player.kind {
            keys.iter_mut().for_each(|key| *key.kind = ExprKind::Const(player.clone()));
        }
        let value = game.machine.eval(&initial, &of_player).ok()??;
        words.ends_with(']').then(|| format!(", and `{words}` is {}", game.rules.show(&value)))
    };
    found.into_iter().filter(|term| term.span.is_placed()).filter_map(of_table).take(2).collect()
}

/// The parts of a conjunction.
fn parts(condition: &Expr) -> &[Expr] {
    match &*condition.kind {
        ExprKind::And(parts) => parts,
        _ => std::slice::from_ref(condition),
    }
}

/// The comparison of an end rule that is the opposite of this condition of a move but holds as well where both sides are
/// equal, with help.
pub fn ends_at_equality(text: &GameSource, rules: &Rules, condition: Span) -> Option<(Span, String)> {
    let words = |span: Span| text.words(span);
    let sides = |expr: &Expr| match &*expr.kind {
        ExprKind::LessEqual(low, high) if low.span.is_placed() && high.span.is_placed() => {
            Some((words(low.span), words(high.span)))
        }
        _ => None,
    };
    let of_moves = rules.moves.iter().flat_map(|mv| &mv.body.stmts);
    let asked = of_moves.into_iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Require(asked) if asked.span == condition => Some(asked),
        _ => None,
    })?;
    let (low, high) = sides(asked)?;
    let is_opposite = |part: &&Expr| sides(part).is_some_and(|(a, b)| a == high && b == low);
    let ends = rules.ends.iter().filter(|rule| rule.binder.is_none()).map(|rule| &rule.condition);
    let part = ends
        .flat_map(|condition| match &*condition.kind {
            ExprKind::Or(parts) => &parts[..],
            _ => std::slice::from_ref(condition),
        })
        .find(is_opposite)?;
    let said = words(part.span);
    let strict = match (said.matches(">=").count(), said.matches("<=").count()) {
        (1, 0) => said.replace(">=", ">"),
        (0, 1) => said.replace("<=", "<"),
        _ => return None,
    };
    let help = format!(
        "an end rule ends the game where `{said}`, also where both sides are equal: if play goes on there, write \
         `{strict}` in that rule; otherwise remove this condition, or state it as an `invariant`"
    );
    Some((part.span, help))
}

#[cfg(test)]
mod tests {
    use crate::check::testing::{findings, findings_of_two};
    use bouton_syntax::diag::{Code, Diagnostic};

    fn labels(found: Option<&Diagnostic>) -> Vec<String> {
        found.map(|found| found.labels.iter().map(|label| label.text.clone()).collect()).unwrap_or_default()
    }

    #[test]
    fn a_rule_that_holds_by_its_other_half_is_told() {
        let codes = |end: &str| {
            let rest = format!(
                "state {{ n: 0..3 = 3; }} move take() as \"t\" {{ when n > 0; n -= 1; }} end {{ when {end} => mover loses; }}"
            );
            let told = findings_of_two(&rest, Code::W0534);
            (findings_of_two(&rest, Code::W0531).len(), labels(told.first()))
        };
        let label = "this rule holds in the first position: `n` is 3".to_owned();
        assert_eq!(codes("stuck or n = 3"), (0, vec![label.clone()]));
        assert_eq!(codes("n = 3 or stuck"), (0, vec![label]));
        assert_eq!(codes("stuck or n = 0"), (0, vec![]));
        let never = "state { n: 0..3 = 3; } move take() as \"t\" { when n = 2; n -= 1; } \
                     end { when stuck or n = 0 => mover loses; }";
        assert_eq!(findings_of_two(never, Code::W0531).len(), 1);
        assert!(findings_of_two(never, Code::W0534).is_empty());
    }

    #[test]
    fn a_lone_rule_that_ends_every_first_move_is_told() {
        let help = |end: &str| {
            let rest = format!(
                "state {{ full[b: 1..3]: bool = true; got[p: Player]: 0..3 = 0; }} move carry(b: 1..3) as \"{{b}}\" {{ when \
                 full[b]; full[b] := false; got[me] += 1; }} end {{ when {end} => highest got; }}"
            );
            let found = findings_of_two(&rest, Code::W0541).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let wanted = "`some b in 1..3: not full[b]` holds after every first move, so the game is over before anybody else";
        assert!(
            help("some b in 1..3: not full[b]").starts_with(wanted),
            "{}",
            help("some b in 1..3: not full[b]")
        );
        assert_eq!(help("all b in 1..3: not full[b]"), "");
    }

    #[test]
    fn goals_that_are_exchanged_are_told() {
        let help = |goals: &str| {
            let rest = format!(
                "const goal[p: Player]: 1..4 = match p {{ {goals} }}; state {{ at[p: Player]: 1..4 = if p = A then 1 else 4; }} move \
                 go(k: 1..4) as \"{{k}}\" {{ when k != at[me]; at[me] := k; }} end {{ for p in Player when at[p] = goal[p] => p \
                 wins; repeat => draw; }}"
            );
            let found = findings_of_two(&rest, Code::W0534).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let wanted = "with the values of `goal` exchanged, 4 for A and 1 for B, it is false at the start";
        assert!(help("A => 1, B => 4").starts_with(wanted), "{}", help("A => 1, B => 4"));
        assert!(!help("A => 1, B => 1").contains("exchanged"));
        assert_eq!(help("A => 4, B => 1"), "");
    }

    #[test]
    fn a_field_that_leaves_nobody_a_move_is_told() {
        let rest = "state { pots[p: Player]: 0..6 = 0; n: 0..4 = 0; } move grow(k: 1..2) as \"{k}\" { when pots[me] > 0; \
                    when n + k <= 4; n += k; pots[me] -= 1; } play normal;";
        let found = findings_of_two(rest, Code::W0531).into_iter().next();
        let help = found.and_then(|found| found.help).unwrap_or_default();
        assert!(
            help.contains("`pots` is 0 for all its keys in the first position; begin with another value"),
            "{help}"
        );
    }

    #[test]
    fn the_conditions_that_leave_nobody_a_move_are_named() {
        let rules = "state { n: 0..3 = 0; } move up() as \"up\" { when me = A; when n < 3; n += 1; } \
                     move on() as \"on\" { when me = A and n < 3; n += 1; } \
                     end { when n = 3 => draw; when stuck => mover loses; }";
        let found = findings_of_two(rules, Code::W0534);
        let label = "false after every first move: then `B` is to move".to_owned();
        assert_eq!(
            labels(found.first()),
            [label.clone(), label, "so this rule holds: no move is legal".to_owned()]
        );
        let right = rules.replacen("me = A", "me = B", 1);
        assert!(findings_of_two(&right, Code::W0534).is_empty());
    }

    #[test]
    fn another_set_of_parameters_keeps_a_rule_after_the_first_move() {
        let told = |most: &str| {
            let rest = format!(
                "param most: 1..9 = 5; player P; state {{ n: 0..most = 0; near: 0..1 = 0; }} move go() as \"g\" {{ when near = 0 \
                 and n < most; near := 1; n += 1; }} move back() as \"b\" {{ when near = {most} and n < most; near := 0; \
                 n += 1; }} end {{ when n = most => win; when stuck => lose; }} expect solved in 5 with most = 6;"
            );
            findings(&rest, Code::W0534).len()
        };
        assert_eq!(told("0 and near = 1"), 1);
        assert_eq!(told("1"), 0);
    }

    #[test]
    fn a_rule_that_ends_at_equality_is_named() {
        let help = |end: &str| {
            let rest = format!(
                "state {{ low: 1..4 = 1; high: 0..3 = 3; }} move front() as \"f\" {{ when low <= high; low += 1; }} \
                 move back() as \"b\" {{ when low <= high; high -= 1; }} end {{ when {end} => mover loses; }}"
            );
            let found = findings_of_two(&rest, Code::W0533).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        assert!(help("low >= high").contains("write `low > high` in that rule"), "{}", help("low >= high"));
        assert!(help("high <= low").contains("write `high < low` in that rule"), "{}", help("high <= low"));
        assert_eq!(help("low > high"), "");
    }
}
