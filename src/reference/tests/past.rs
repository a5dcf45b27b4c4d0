//! `forbid repeat` and `repeat n`.

use super::*;

/// A lamp that a move sets to 0..2; another move leaves it alone; a pass is always legal.
fn lamp() -> (RulesBuilder, FieldId) {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let lamp = builder.field("lamp", &[], Type::Int(0, 2), Value::Int(0));
    builder.action("put", &[ints(0..=2)], vec![set(lamp, &[], var(0))]);
    builder.rules.pass = Some(PassRule { condition: None, span: at(0) });
    (builder, lamp)
}

fn forbid(builder: &mut RulesBuilder, of: Option<Expr>, within: Option<u32>) {
    builder.rules.forbids.push(ForbidRepeat { of, within, vars: Vars::new(), span: at(0) });
}

fn typed(field: FieldId) -> Expr {
    Expr::new(ExprKind::Field(field, Vec::new()), Type::Int(0, 2), at(0))
}

fn line(interpreter: &Interpreter, plays: &[&str]) -> State {
    plays.iter().fold(interpreter.initial(), |state, written| play(interpreter, &state, written))
}

#[test]
fn a_value_may_stay_but_not_come_back() {
    let (mut builder, lamp) = lamp();
    forbid(&mut builder, Some(typed(lamp)), None);
    let interpreter = interpret(&builder);
    let state = line(&interpreter, &["put(0)", "put(1)", "pass", "pass"]);
    assert_eq!(moves(&interpreter, &state), ["put(1)", "put(2)", "pass"]);
    let state = line(&interpreter, &["put(1)", "put(2)"]);
    assert_eq!(moves(&interpreter, &state), ["put(2)", "pass"]);
    // The same lamps were lit and the same player moves: the same position in either order.
    assert_eq!(
        line(&interpreter, &["put(1)", "put(2)"]),
        line(&interpreter, &["put(1)", "pass", "put(2)", "pass"])
    );
}

#[test]
fn a_whole_field_may_not_come_back() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let v = builder.field("v", &[Type::Int(1, 2)], Type::Int(0, 2), Value::Int(0));
    builder.action("put", &[ints(1..=2), ints(0..=1)], vec![set(v, &[var(0)], var(1))]);
    let cell = |n| Expr::new(ExprKind::Field(v, vec![int(n)]), Type::Int(0, 2), at(0));
    let list = Type::List(Arc::new(Type::Int(0, 2)));
    forbid(&mut builder, Some(Expr::new(ExprKind::List(vec![cell(1), cell(2)]), list, at(0))), None);
    let interpreter = interpret(&builder);
    let state = line(&interpreter, &["put(1, 1)", "put(2, 1)"]);
    assert_eq!(moves(&interpreter, &state), ["put(1, 0)", "put(1, 1)", "put(2, 1)"]);
    assert_eq!(interpreter.unpack(&interpreter.pack(&state)), state);
}

#[test]
fn the_whole_position_may_not_come_back_by_a_move() {
    let (mut builder, _) = lamp();
    forbid(&mut builder, None, None);
    let interpreter = interpret(&builder);
    // Lamp 0 with B to move is new; with A to move it was the start.
    let state = line(&interpreter, &["put(1)"]);
    assert_eq!(moves(&interpreter, &state), ["put(1)", "put(2)", "pass"]);
    let state = line(&interpreter, &["put(1)", "pass"]);
    assert_eq!(moves(&interpreter, &state), ["put(0)", "put(2)", "pass"]);
    // A pass may come back to a position; the moves may not.
    assert_eq!(line(&interpreter, &["pass", "pass"]).words, interpreter.initial().words);
}

#[test]
fn within_forgets() {
    let (mut builder, lamp) = lamp();
    forbid(&mut builder, Some(typed(lamp)), Some(2));
    let interpreter = interpret(&builder);
    let state = line(&interpreter, &["put(1)"]);
    assert_eq!(moves(&interpreter, &state), ["put(1)", "put(2)", "pass"]);
    let state = line(&interpreter, &["put(1)", "put(2)"]);
    assert_eq!(moves(&interpreter, &state), ["put(0)", "put(2)", "pass"]);
}

#[test]
fn the_third_time_ends_the_game() {
    let (mut builder, _) = lamp();
    builder.end(truth(false), OutcomeExpr::Draw);
    builder.rules.repeats.push(Repeat { count: None, of: None, outcome: OutcomeExpr::Draw, span: at(0) });
    let outcome = OutcomeExpr::Player(get(MOVER, &[]), true);
    builder.rules.repeats.push(Repeat { count: Some(3), of: None, outcome, span: at(0) });
    let interpreter = interpret(&builder);
    let round = ["put(1)", "put(0)"];
    let twice = line(&interpreter, &round);
    assert_eq!(interpreter.turn(&twice), Ok(ToMove::Player(0)));
    let thrice = line(&interpreter, &[round, round].concat());
    let Ok(ToMove::Terminal(outcome)) = interpreter.turn(&thrice) else { panic!("not over") };
    assert_eq!((outcome.kind, outcome.rule), (OutcomeKind::Win, 2));
    assert_eq!(interpreter.unpack(&interpreter.pack(&thrice)), thrice);
}

#[test]
fn the_third_time_of_a_value_ends_the_game() {
    let (mut builder, lamp) = lamp();
    let clock = builder.field("clock", &[], Type::Int(0, 9), Value::Int(0));
    builder.action("tick", &[ints(0..=2)], vec![set(lamp, &[], var(0)), set(clock, &[], int(1))]);
    builder.end(truth(false), OutcomeExpr::Draw);
    let of = Some((typed(lamp), Vars::new()));
    builder.rules.repeats.push(Repeat { count: Some(3), of, outcome: OutcomeExpr::Draw, span: at(0) });
    let interpreter = interpret(&builder);
    // A pass and a move that leave the lamp alone are no occurrences, and the clock does not count.
    let twice = line(&interpreter, &["put(1)", "tick(0)", "pass", "put(0)"]);
    assert_eq!(interpreter.turn(&twice), Ok(ToMove::Player(0)));
    let thrice = line(&interpreter, &["put(1)", "tick(0)", "pass", "put(0)", "put(2)", "put(0)"]);
    let Ok(ToMove::Terminal(outcome)) = interpreter.turn(&thrice) else { panic!("not over") };
    assert_eq!((outcome.kind, outcome.rule), (OutcomeKind::Draw, 1));
    assert_eq!(interpreter.unpack(&interpreter.pack(&thrice)), thrice);
}

#[test]
fn rules_that_remember_nothing_have_no_history() {
    let (builder, _) = lamp();
    let interpreter = interpret(&builder);
    let state = line(&interpreter, &["put(1)", "put(0)"]);
    assert_eq!(state, interpreter.initial());
    assert_eq!(interpreter.pack(&state).len(), 1);
}
