//! Phases: actors, the effects of `again`, `continue` and `next`, chance, simultaneous moves, observations.

use bouton_base::rational::Rational;

use super::*;

fn stay(phase: Option<u32>) -> Stmt {
    stmt(StmtKind::Stay(phase.map(PhaseId)))
}

fn turn(interpreter: &Interpreter, state: &State) -> (u32, u32) {
    assert!(interpreter.turn(state).is_ok());
    (interpreter.mover(state), interpreter.prepared.layout.phase(state).0)
}

#[test]
fn the_turn_passes_unless_something_else_is_said() {
    let mut builder = RulesBuilder::new(&["A", "B", "C"]);
    let phases = [("lay", true), ("walk", false), ("shoot", false)];
    builder.phases(phases.map(|(name, setup)| (name, setup, Actor::Mover)).to_vec());
    let next = |n| stmt(StmtKind::Next(val(player(n))));
    let bodies: [(&str, Vec<Stmt>); 6] = [
        ("rest", vec![]),
        ("again", vec![stay(None)]),
        ("on", vec![stay(Some(2))]),
        ("next", vec![next(2)]),
        ("both", vec![next(2), stay(Some(2))]),
        ("late", vec![stay(Some(2)), then(vec![stay(Some(1))])]),
    ];
    for (name, body) in bodies {
        let id = builder.action(name, &[], body);
        builder.rules.moves[id].phases = vec![PhaseId(0), PhaseId(1), PhaseId(2)];
    }
    let interpreter = interpret(&builder);
    let after = |name| turn(&interpreter, &play(&interpreter, &interpreter.initial(), name));
    assert_eq!(after("rest"), (1, 1));
    assert_eq!(after("again"), (0, 0));
    assert_eq!(after("on"), (0, 2));
    assert_eq!(after("next"), (2, 1));
    assert_eq!(after("both"), (2, 2));
    assert_eq!(after("late"), (0, 1));
    let last = play(&interpreter, &play(&interpreter, &interpreter.initial(), "next"), "rest");
    assert_eq!(turn(&interpreter, &last), (0, 1));
    builder.action("torn", &[], vec![next(1), next(2)]);
    let clash = ConflictKind::Turn { first: "B".into(), second: "C".into() };
    assert_eq!(fault(&builder), FaultKind::Conflict { clash, other: at(1), joint: false });
}

#[test]
fn a_phase_may_name_its_player() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let one = val(Value::set([player(1)]));
    builder.phases(vec![("swap", false, Actor::Player(one))]);
    let id = builder.action("swap", &[], vec![when(eq(me(), val(player(1))))]);
    let interpreter = interpret(&builder);
    assert_eq!(interpreter.turn(&interpreter.initial()), Ok(ToMove::Player(1)));
    let next = play(&interpreter, &interpreter.initial(), "swap");
    assert_eq!(interpreter.mover(&next), 0);
    builder.rules.moves[id].body = Block::default();
    builder.rules.phases[PhaseId(0)].actor = Actor::Player(val(Value::set([player(0), player(1)])));
    let fault = interpret(&builder).turn(&next).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Undefined { .. }));
}

/// A die of faces 1..3 with this weight, and a field that stores the throw.
fn die(weight: Option<Expr>) -> (RulesBuilder, FieldId) {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    builder.phases(vec![("roll", false, Actor::Chance), ("act", false, Actor::Mover)]);
    let n = builder.field("n", &[], Type::Int(0, 3), Value::Int(0));
    let id = builder.action("throw", &[ints(1..=3)], vec![set(n, &[], var(0)), stay(Some(1))]);
    builder.rules.moves[id].chance = true;
    builder.rules.moves[id].weight = weight;
    (builder, n)
}

fn probabilities(builder: &RulesBuilder) -> Vec<(i64, i64)> {
    let interpreter = interpret(builder);
    let successors = interpreter.successors(&interpreter.initial()).unwrap();
    successors.iter().map(|(_, _, p): &(_, _, Rational)| p.as_small().unwrap()).collect()
}

#[test]
fn events_have_exact_probabilities() {
    let (builder, _) = die(None);
    assert_eq!(probabilities(&builder), [(1, 3), (1, 3), (1, 3)]);
    let interpreter = interpret(&builder);
    assert_eq!(interpreter.turn(&interpreter.initial()), Ok(ToMove::Chance));
    assert_eq!(turn(&interpreter, &play(&interpreter, &interpreter.initial(), "throw(2)")), (0, 1));
    // (x - 1) / 4: the first event is impossible.
    let quarter = |left| e(ExprKind::Arith { op: Arith::Div, exact: true, left, right: int(4) });
    assert_eq!(probabilities(&die(Some(quarter(add(var(0), int(-1))))).0), [(1, 3), (2, 3)]);
    assert_eq!(fault(&die(Some(int(0))).0), FaultKind::Weights);
    assert_eq!(fault(&die(Some(add(var(0), int(-2)))).0), FaultKind::Weights);
    assert!(matches!(fault(&die(Some(e(ExprKind::Undefined))).0), FaultKind::Undefined { .. }));
}

/// All players choose 1..2 at once; each choice is stored in the field at `cell`.
fn each(cell: Expr) -> (RulesBuilder, FieldId) {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    builder.phases(vec![("choose", false, Actor::Each)]);
    let n = builder.field("n", &[Type::Sym(PLAYER)], Type::Int(0, 9), Value::Int(0));
    builder.action("put", &[ints(1..=2)], vec![set(n, &[cell], var(0))]);
    (builder, n)
}

#[test]
fn simultaneous_moves_are_made_together() {
    let (mut builder, n) = each(me());
    let interpreter = interpret(&builder);
    let state = interpreter.initial();
    assert_eq!(interpreter.turn(&state), Ok(ToMove::Simultaneous));
    let all = ["(put(1), put(1))", "(put(1), put(2))", "(put(2), put(1))", "(put(2), put(2))"];
    assert_eq!(moves(&interpreter, &state), all);
    let next = play(&interpreter, &state, "(put(1), put(2))");
    assert_eq!(
        (interpreter.read(&next, n, 0), interpreter.read(&next, n, 1)),
        (Value::Int(1), Value::Int(2))
    );
    assert_eq!(turn(&interpreter, &next), (0, 0));
    // A later stage reads the effects of both; a condition is decided for each move alone.
    let both = add(get(n, &[val(player(0))]), get(n, &[val(player(1))]));
    let alone = when(less(both.clone(), int(3)));
    let put = MoveId(0);
    let mover = val(player(0));
    builder.rules.moves[put]
        .body
        .stmts
        .push(then(vec![alone, if_(eq(me(), mover.clone()), vec![set(n, &[mover], both)])]));
    let interpreter = interpret(&builder);
    let next = play(&interpreter, &state, "(put(2), put(2))");
    assert_eq!(
        (interpreter.read(&next, n, 0), interpreter.read(&next, n, 1)),
        (Value::Int(4), Value::Int(2))
    );
}

#[test]
fn simultaneous_moves_must_agree_and_the_stuck_take_no_part() {
    let (mut builder, _) = each(val(player(0)));
    assert!(matches!(fault(&builder), FaultKind::Conflict { joint: true, .. }));
    builder.rules.moves[MoveId(0)].by = Some(val(player(1)));
    let interpreter = interpret(&builder);
    assert_eq!(moves(&interpreter, &interpreter.initial()), ["(put(1))", "(put(2))"]);
    builder.rules.moves[MoveId(0)].by = Some(val(Value::set([])));
    let interpreter = interpret(&builder);
    assert_eq!(interpreter.successors(&interpreter.initial()), Ok(Vec::new()));
    assert_eq!(interpreter.eval(&interpreter.initial(), &e(ExprKind::Stuck)), Some(Value::Bool(true)));
}

#[test]
fn simultaneous_moves_may_lead_to_another_phase() {
    let (mut builder, n) = each(me());
    builder.phases(vec![("choose", false, Actor::Each), ("act", false, Actor::Mover)]);
    let high = less(int(1), var(0));
    // `continue` by one player and by both; then, in a later stage, `next` by both from the effects of both.
    builder.rules.moves[MoveId(0)].body.stmts.push(if_(high.clone(), vec![stay(Some(1))]));
    let after = |builder: &RulesBuilder, name| {
        let interpreter = interpret(builder);
        turn(&interpreter, &play(&interpreter, &interpreter.initial(), name))
    };
    assert_eq!(after(&builder, "(put(1), put(1))"), (0, 0));
    assert_eq!(after(&builder, "(put(1), put(2))"), (0, 1));
    assert_eq!(after(&builder, "(put(2), put(2))"), (0, 1));
    let second = val(player(1));
    let ahead = less(get(n, &[val(player(0))]), get(n, std::slice::from_ref(&second)));
    let winner = then(vec![if_(ahead, vec![stmt(StmtKind::Next(second))])]);
    builder.rules.moves[MoveId(0)].body.stmts.push(winner);
    assert_eq!(after(&builder, "(put(1), put(2))"), (1, 1));
    assert_eq!(after(&builder, "(put(2), put(2))"), (0, 1));
    // The two players continue in different phases: they do not agree.
    builder.rules.moves[MoveId(0)].body.stmts.push(if_(not(high), vec![stay(Some(0))]));
    let clash = ConflictKind::Turn { first: "choose".into(), second: "act".into() };
    assert_eq!(fault(&builder), FaultKind::Conflict { clash, other: at(1), joint: true });
}

#[test]
fn players_observe_what_is_visible_to_them() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let hand = builder.field("hand", &[Type::Sym(PLAYER)], Type::Int(1, 3), Value::Int(1));
    builder.rules.fields[hand].init = ints(1..=2);
    builder.rules.fields[hand].visibility = Visibility::To(vec![vec![0], vec![1]]);
    let deck = builder.field("deck", &[], Type::Int(0, 9), Value::Int(7));
    builder.rules.fields[deck].visibility = Visibility::Hidden;
    builder.rules.sees.push(Sees {
        players: val(player(1)),
        value: get(deck, &[]),
        condition: None,
        vars: Vars::new(),
        span: at(0),
    });
    let interpreter = interpret(&builder);
    let sees = |player| interpreter.observation(&interpreter.initial(), player);
    let turn = [player(0), Value::Int(0)];
    assert_eq!(sees(0), Value::tuple([turn.to_vec(), vec![Value::Int(1), Value::None]].concat()));
    let shown = Value::tuple(vec![Value::Int(7)]);
    assert_eq!(sees(1), Value::tuple([turn.to_vec(), vec![Value::Int(2), shown]].concat()));
}
