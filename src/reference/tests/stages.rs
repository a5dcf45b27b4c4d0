//! Effects that happen together, and stages one after the other.

use super::*;

/// Two players, cells v[1..3] with 1, 2, 3 in them, each in 0..9.
fn three() -> (RulesBuilder, FieldId) {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let v = builder.field("v", &[Type::Int(1, 3)], Type::Int(0, 9), Value::Int(0));
    builder.rules.fields[v].init = ints(1..=3);
    (builder, v)
}

/// The cells of v after the only legal move.
fn after(builder: &RulesBuilder, field: FieldId) -> Vec<Value> {
    let interpreter = interpret(builder);
    let successors = interpreter.successors(&interpreter.initial()).unwrap();
    assert_eq!(successors.len(), 1);
    let cells = builder.rules.fields[field].cells();
    (0..cells).map(|cell| interpreter.read(&successors[0].1, field, cell)).collect()
}

fn numbers(values: [i64; 3]) -> Vec<Value> {
    values.map(Value::Int).to_vec()
}

#[test]
fn effects_read_the_state_before_them() {
    let (mut builder, v) = three();
    let swap = vec![set(v, &[int(1)], get(v, &[int(2)])), set(v, &[int(2)], get(v, &[int(1)]))];
    builder.action("swap", &[], swap);
    assert_eq!(after(&builder, v), numbers([2, 1, 3]));
}

#[test]
fn increments_come_on_top_of_what_is_assigned_and_add_up() {
    let (mut builder, v) = three();
    let body = vec![
        effect(EffectOp::Add, v, &[int(1)], int(2)),
        set(v, &[int(1)], int(5)),
        effect(EffectOp::Subtract, v, &[int(1)], int(1)),
        effect(EffectOp::Add, v, &[int(2)], int(3)),
        effect(EffectOp::Add, v, &[int(2)], int(4)),
        // Outside the range in between, inside it at the end.
        effect(EffectOp::Subtract, v, &[int(3)], int(9)),
        effect(EffectOp::Add, v, &[int(3)], int(8)),
    ];
    builder.action("count", &[], body);
    assert_eq!(after(&builder, v), numbers([6, 9, 2]));
}

#[test]
fn assignments_of_one_cell_agree_or_conflict() {
    let (mut builder, v) = three();
    builder.action("agree", &[], vec![set(v, &[int(1)], int(4)), set(v, &[int(1)], int(4))]);
    assert_eq!(after(&builder, v), numbers([4, 2, 3]));
    let (mut builder, v) = three();
    builder.action("conflict", &[], vec![set(v, &[int(1)], int(4)), set(v, &[int(1)], int(5))]);
    let clash = ConflictKind::Cell { cell: "v[1]".into(), first: Value::Int(4), second: Value::Int(5) };
    assert_eq!(fault(&builder), FaultKind::Conflict { clash, other: at(1), joint: false });
}

#[test]
fn a_value_must_be_one_of_the_field() {
    let (mut builder, v) = three();
    builder.action("over", &[], vec![effect(EffectOp::Add, v, &[int(2)], int(8))]);
    let range = "0..9".into();
    assert_eq!(fault(&builder), FaultKind::OutOfRange { cell: "v[2]".into(), value: Value::Int(10), range });
}

#[test]
fn a_fault_counts_only_in_a_legal_move_and_names_it() {
    let (mut builder, v) = three();
    let body = vec![set(v, &[int(7)], int(1)), when(eq(var(0), int(2)))];
    builder.action("off", &[ints(1..=2)], body);
    let interpreter = interpret(&builder);
    let fault = interpreter.successors(&interpreter.initial()).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Undefined { what: "which cell of `v`".into() });
    assert_eq!(fault.play, Some(MoveInstance::Move(MoveId(0), ints(2..=2)).into()));
    let (mut builder, v) = three();
    builder.action("off", &[], vec![set(v, &[int(7)], int(1)), when(truth(false))]);
    builder.action("on", &[], vec![]);
    assert_eq!(moves(&interpret(&builder), &interpret(&builder).initial()), ["on"]);
}

#[test]
fn sets_take_in_and_give_up() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let s = builder.field("s", &[], Type::set(Type::Int(1, 5)), Value::set(ints(1..=2)));
    let of = |range| val(Value::set(ints(range)));
    let body = vec![effect(EffectOp::Insert, s, &[], of(2..=4)), effect(EffectOp::Remove, s, &[], of(1..=1))];
    builder.action("change", &[], body);
    assert_eq!(after(&builder, s), [Value::set(ints(2..=4))]);
    let body = vec![effect(EffectOp::Insert, s, &[], of(2..=4)), effect(EffectOp::Remove, s, &[], of(4..=5))];
    builder.action("clash", &[], body);
    let clash = ConflictKind::Elements { cell: "s".into(), elements: Value::set(ints(4..=4)) };
    assert_eq!(fault(&builder), FaultKind::Conflict { clash, other: at(1), joint: false });
}

#[test]
fn parts_of_a_record_change_side_by_side() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let parts = vec![("x".to_string(), Type::Int(0, 9)), ("y".to_string(), Type::Int(0, 9))];
    let record = builder.rules.records.push(Record { name: "P".into(), parts });
    let pair = |x, y| Value::record(record, vec![Value::Int(x), Value::Int(y)]);
    let p = builder.field("p", &[Type::Int(1, 2)], Type::option(Type::Record(record)), pair(1, 2));
    builder.rules.fields[p].init[1] = Value::None;
    let first = [int(1)];
    let body = vec![
        part_effect(EffectOp::Set, p, &first, &[1], int(7)),
        part_effect(EffectOp::Add, p, &first, &[0], int(3)),
    ];
    let good = builder.action("good", &[], body);
    assert_eq!(after(&builder, p), [pair(4, 7), Value::None]);
    let part_and_whole =
        vec![set(p, &first, val(pair(5, 5))), part_effect(EffectOp::Set, p, &first, &[1], int(6))];
    builder.rules.moves[good].body.stmts = part_and_whole;
    assert!(matches!(fault(&builder), FaultKind::Conflict { .. }));
    builder.rules.moves[good].body.stmts = vec![part_effect(EffectOp::Set, p, &[int(2)], &[1], int(6))];
    assert!(matches!(fault(&builder), FaultKind::Undefined { .. }));
}

#[test]
fn stages_follow_in_the_order_met_each_with_its_own_first() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let log = builder.field("log", &[], Type::Int(0, 999_999), Value::Int(0));
    // Each stage appends its digit to those before.
    let note = |digit| set(log, &[], add(arith(Arith::Mul, get(log, &[]), int(10)), digit));
    let loop_body = vec![then(vec![note(var(0))])];
    let body = vec![
        then(vec![then(vec![note(int(2))]), note(int(1))]),
        for_(over(0, ints(3..=4)), loop_body),
        if_(truth(true), vec![then(vec![note(int(5))])]),
    ];
    builder.action("log", &[], body);
    assert_eq!(after(&builder, log), [Value::Int(12345)]);
}

#[test]
fn a_condition_of_a_later_stage_makes_the_move_illegal() {
    let (mut builder, v) = three();
    let body = vec![set(v, &[int(1)], var(0)), then(vec![when(less(get(v, &[int(1)]), get(v, &[int(2)])))])];
    builder.action("put", &[ints(0..=3)], body);
    let interpreter = interpret(&builder);
    assert_eq!(moves(&interpreter, &interpreter.initial()), ["put(0)", "put(1)"]);
}

#[test]
fn a_let_without_a_value_is_not_legal() {
    let (mut builder, v) = three();
    let body = vec![let_(1, get(v, &[var(0)])), set(v, &[int(1)], var(1))];
    builder.action("copy", &[ints(2..=5)], body);
    let interpreter = interpret(&builder);
    assert_eq!(moves(&interpreter, &interpreter.initial()), ["copy(2)", "copy(3)"]);
}

#[test]
fn transient_cells_go_back_unless_a_stage_sets_them() {
    let (mut builder, v) = three();
    builder.rules.fields[v].transient = true;
    let keep = then(vec![set(v, &[int(2)], get(v, &[int(2)]))]);
    builder.action("touch", &[], vec![set(v, &[int(1)], int(9)), keep]);
    builder.action("rest", &[], vec![]);
    let interpreter = interpret(&builder);
    let one = play(&interpreter, &interpreter.initial(), "touch");
    assert_eq!(interpreter.read(&one, v, 0), Value::Int(9));
    let two = play(&interpreter, &one, "rest");
    assert_eq!(interpreter.read(&two, v, 0), Value::Int(1));
}

#[test]
fn editing_is_a_stage_by_nobody() {
    let (builder, v) = three();
    let stmts = vec![
        set(v, &[int(1)], int(8)),
        set(MOVER, &[], val(player(1))),
        when(truth(false)),
        effect(EffectOp::Add, v, &[int(2)], int(1)),
    ];
    let interpreter = interpret(&builder);
    let edited = interpreter.edit(&interpreter.initial(), &Block { stmts }, &Vars::new()).unwrap();
    assert_eq!(interpreter.cells(&edited)[2..], [8, 3, 3].map(Value::Int));
    assert_eq!(interpreter.turn(&edited), Ok(ToMove::Player(1)));
}
