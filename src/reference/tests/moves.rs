//! Legality of moves, and their written form.

use super::*;

/// Two players and a move `add(n)` that adds 1..3 to a counter of 0..9 and never past 9.
fn counter() -> (RulesBuilder, FieldId, MoveId) {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let n = builder.field("n", &[], Type::Int(0, 9), Value::Int(0));
    let fits = less(add(get(n, &[]), var(0)), int(10));
    let id = builder.action("add", &[ints(1..=3)], vec![when(fits), effect(EffectOp::Add, n, &[], var(0))]);
    (builder, n, id)
}

fn start(builder: &RulesBuilder, field: FieldId, value: i64) -> (Interpreter, State) {
    let mut builder = RulesBuilder { rules: builder.rules.clone() };
    builder.rules.fields[field].init = ints(value..=value);
    let interpreter = interpret(&builder);
    let state = interpreter.initial();
    (interpreter, state)
}

#[test]
fn instances_come_in_order_and_the_turn_goes_round() {
    let (mut builder, n, _) = counter();
    builder.action("pair", &[ints(1..=2), ints(1..=2)], vec![]);
    let (interpreter, state) = start(&builder, n, 8);
    assert_eq!(
        moves(&interpreter, &state),
        ["add(1)", "pair(1, 1)", "pair(1, 2)", "pair(2, 1)", "pair(2, 2)"]
    );
    let next = play(&interpreter, &state, "add(1)");
    assert_eq!(interpreter.turn(&next), Ok(ToMove::Player(1)));
    let next = play(&interpreter, &next, "pair(1, 1)");
    assert_eq!(interpreter.turn(&next), Ok(ToMove::Player(0)));
}

#[test]
fn mandatory_moves_exclude_all_others() {
    let (mut builder, n, _) = counter();
    builder.rules.pass = Some(PassRule { condition: None, span: at(0) });
    let must = builder.action("reset", &[], vec![when(eq(get(n, &[]), int(5))), set(n, &[], int(0))]);
    builder.rules.moves[must].mandatory = true;
    let (interpreter, state) = start(&builder, n, 5);
    assert_eq!(moves(&interpreter, &state), ["reset"]);
    let (interpreter, state) = start(&builder, n, 7);
    assert_eq!(moves(&interpreter, &state), ["add(1)", "add(2)", "pass"]);
}

#[test]
fn only_the_most_preferred_stay() {
    let (mut builder, n, id) = counter();
    // 2 / (3 - x): 1, 2, undefined.
    let preference = arith(Arith::Div, int(2), arith(Arith::Sub, int(3), var(0)));
    builder.rules.moves[id].prefer = Some(preference);
    builder.action("rest", &[], vec![]);
    let (interpreter, state) = start(&builder, n, 0);
    assert_eq!(moves(&interpreter, &state), ["add(2)", "rest"]);
    let (interpreter, state) = start(&builder, n, 8);
    assert_eq!(moves(&interpreter, &state), ["add(1)", "rest"]);
}

#[test]
fn a_pass_when_stuck_is_for_those_without_another_move() {
    let (mut builder, n, _) = counter();
    builder.rules.pass = Some(PassRule { condition: Some(e(ExprKind::Stuck)), span: at(0) });
    let (interpreter, state) = start(&builder, n, 8);
    assert_eq!(moves(&interpreter, &state), ["add(1)"]);
    let (interpreter, state) = start(&builder, n, 9);
    assert_eq!(moves(&interpreter, &state), ["pass"]);
    let next = play(&interpreter, &state, "pass");
    assert_eq!((interpreter.mover(&next), interpreter.read(&next, n, 0)), (1, Value::Int(9)));
}

#[test]
fn stuck_asks_for_the_mover_or_for_a_player() {
    let (mut builder, n, id) = counter();
    builder.rules.moves[id].by = Some(val(Value::set([player(1)])));
    let (interpreter, state) = start(&builder, n, 0);
    let stuck = |player: Option<u32>| {
        let kind = player.map_or(ExprKind::Stuck, |p| ExprKind::StuckPlayer(val(super::player(p))));
        interpreter.eval(&state, &e(kind)) == Some(Value::Bool(true))
    };
    assert!(stuck(None) && stuck(Some(0)) && !stuck(Some(1)));
    assert_eq!(interpreter.successors(&state), Ok(Vec::new()));
}

#[test]
fn a_move_knows_its_maker_and_who_may_make_it() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let by = builder.action("mine", &[], vec![when(eq(me(), val(player(0))))]);
    builder.rules.moves[by].by = Some(get(MOVER, &[]));
    let other = builder.action("other", &[], vec![]);
    builder.rules.moves[other].by = Some(val(player(1)));
    let interpreter = interpret(&builder);
    let state = interpreter.initial();
    assert_eq!(moves(&interpreter, &state), ["mine"]);
    assert_eq!(moves(&interpreter, &play(&interpreter, &state, "mine")), ["other"]);
}

#[test]
fn moves_are_written_by_their_template() {
    let (mut builder, n, id) = counter();
    let hole = |expr| TemplatePart::Placeholder(expr);
    builder.rules.moves[id].body.stmts.push(let_(5, add(get(n, &[]), var(0))));
    let text = |text: &str| TemplatePart::Text(text.into());
    let string = |words: &str| hole(val(Value::Text(words.into())));
    let template = vec![
        hole(get(n, &[])),
        text("->"),
        hole(var(5)),
        text(" "),
        hole(e(ExprKind::Undefined)),
        string(" so\n\"so\""),
    ];
    builder.rules.moves[id].template = template;
    let (interpreter, state) = start(&builder, n, 4);
    let play = MoveInstance::Move(id, ints(2..=2));
    assert_eq!(interpreter.render_move(&state, &play), "4->6 ? so \"so\"", "a string stands without quotes");
    assert_eq!(interpreter.call_form(&play), "add(2)");
    assert_eq!(
        interpreter.call_form(&MoveInstance::Joint(vec![(0, play), (1, MoveInstance::Pass)])),
        "(add(2), pass)"
    );
}
