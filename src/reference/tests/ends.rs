//! End rules and their outcomes.

use super::*;
use bouton_rules::play;

fn over(builder: &RulesBuilder) -> play::Outcome {
    let interpreter = interpret(builder);
    match interpreter.turn(&interpreter.initial()) {
        Ok(ToMove::Terminal(outcome)) => outcome,
        other => panic!("{other:?}"),
    }
}

fn payoffs(outcome: &play::Outcome) -> Vec<i64> {
    outcome.payoffs.iter().map(|payoff| payoff.as_i64().unwrap()).collect()
}

fn scores(values: &[i64]) -> PerPlayer {
    PerPlayer { values: values.iter().map(|&v| int(v)).collect(), vars: Vars::new() }
}

#[test]
fn the_first_rule_that_holds_decides() {
    let mut builder = RulesBuilder::new(&["A", "B", "C"]);
    builder.end(truth(false), OutcomeExpr::Draw);
    builder.end(truth(true), OutcomeExpr::Player(get(MOVER, &[]), false));
    builder.end(truth(true), OutcomeExpr::Draw);
    let outcome = over(&builder);
    assert_eq!((payoffs(&outcome), outcome.kind, outcome.rule), (vec![-1, 1, 1], OutcomeKind::Win, 1));
    let interpreter = interpret(&builder);
    assert_eq!(interpreter.successors(&interpreter.initial()), Ok(Vec::new()));
}

#[test]
fn a_rule_for_each_player_holds_for_the_first_that_satisfies_it() {
    let mut builder = RulesBuilder::new(&["A", "B", "C"]);
    builder.end(not(eq(var(0), val(player(0)))), OutcomeExpr::Player(var(0), true));
    let players = vec![player(0), player(1), player(2)];
    builder.rules.ends[0].binder = Some(super::over(0, players));
    assert_eq!(payoffs(&over(&builder)), [-1, 1, -1]);
}

#[test]
fn the_best_alone_wins_and_several_draw() {
    let mut builder = RulesBuilder::new(&["A", "B", "C"]);
    builder.end(truth(true), OutcomeExpr::ByScore(scores(&[1, 3, 2]), true));
    let outcome = over(&builder);
    assert_eq!((payoffs(&outcome), outcome.kind), (vec![-1, 1, -1], OutcomeKind::Win));
    assert_eq!(outcome.scores, Some(vec![1, 3, 2]));
    builder.rules.ends[0].outcome = OutcomeExpr::ByScore(scores(&[3, 3, 2]), false);
    assert_eq!(payoffs(&over(&builder)), [-1, -1, 1]);
    builder.rules.ends[0].outcome = OutcomeExpr::ByScore(scores(&[3, 3, 2]), true);
    let outcome = over(&builder);
    assert_eq!((payoffs(&outcome), outcome.kind), (vec![0, 0, 0], OutcomeKind::Draw));
    assert_eq!(outcome.scores, Some(vec![3, 3, 2]));
}

#[test]
fn payoffs_are_given_as_they_are_or_not_at_all() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    builder.end(truth(true), OutcomeExpr::Payoff(scores(&[5, -2])));
    let outcome = over(&builder);
    assert_eq!((payoffs(&outcome), outcome.kind), (vec![5, -2], OutcomeKind::Payoff));
    let undefined = PerPlayer { values: vec![int(1), e(ExprKind::Undefined)], vars: Vars::new() };
    builder.rules.ends[0].outcome = OutcomeExpr::Payoff(undefined);
    let interpreter = interpret(&builder);
    assert_eq!(interpreter.turn(&interpreter.initial()).unwrap_err().kind, FaultKind::NoResult);
}

#[test]
fn one_player_wins_or_loses_alone() {
    let mut builder = RulesBuilder::new(&["Solver"]);
    builder.end(truth(true), OutcomeExpr::SinglePlayer(false));
    assert_eq!(payoffs(&over(&builder)), [-1]);
    builder.rules.ends[0].outcome = OutcomeExpr::SinglePlayer(true);
    assert_eq!(payoffs(&over(&builder)), [1]);
}

#[test]
fn infinite_play_is_judged_where_it_is_seen_from() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    builder.action("rest", &[], vec![]);
    let interpreter = interpret(&builder);
    assert_eq!(interpreter.infinite_outcome(&interpreter.initial()), None);
    let outcome = OutcomeExpr::Player(get(MOVER, &[]), true);
    builder.rules.repeats.push(Repeat { count: None, of: None, outcome, span: at(0) });
    let interpreter = interpret(&builder);
    let state = interpreter.initial();
    let seen = |state| payoffs(&interpreter.infinite_outcome(state).unwrap());
    assert_eq!(seen(&state), [1, -1]);
    assert_eq!(seen(&play(&interpreter, &state, "rest")), [-1, 1]);
    assert_eq!(interpreter.turn(&state), Ok(ToMove::Player(0)));
}

/// Calls the helper `play(...)`, which the module of outcomes hides here.
fn play(interpreter: &Interpreter, state: &State, written: &str) -> State {
    super::play(interpreter, state, written)
}
