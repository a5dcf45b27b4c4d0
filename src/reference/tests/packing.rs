//! Packing of states to words, and unpacking.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;

/// An interpreter with a field of each kind of type, and rules that remember values and positions; the types.
fn mixed() -> (Interpreter, Vec<Type>) {
    let mut builder = RulesBuilder::new(&["A", "B", "C"]);
    let kinds = builder.enumeration("Kind", &["man", "king", "queen"]);
    let parts = vec![("owner".to_string(), Type::Sym(PLAYER)), ("kind".to_string(), Type::Sym(kinds))];
    let piece =
        Type::option(Type::Record(builder.rules.records.push(Record { name: "Piece".into(), parts })));
    let among = SubsetType { base: Type::Int(0, 99), values: [7, 30, 31].map(Value::Int).to_vec() };
    let pair = |a, b| Type::Tuple(Arc::new(vec![a, b]));
    let types = vec![
        piece,
        Type::Bool,
        Type::Int(-3, 12),
        Type::Subset(Arc::new(among)),
        Type::set(Type::Int(1, 7)),
        // Too many values to be listed: encoded part by part.
        Type::option(pair(Type::Int(0, 99), Type::Int(0, 63))),
        pair(Type::set(Type::Int(1, 7)), Type::Int(0, 63)),
        Type::option(Type::Sym(PLAYER)),
    ];
    for (i, ty) in types.iter().enumerate() {
        let init = builder.rules.type_values(ty, 1 << 18).unwrap()[0].clone();
        builder.field(&format!("f{i}"), &[Type::Int(1, 5)], ty.clone(), init);
    }
    let of = Expr::new(ExprKind::Field(FieldId(4), vec![int(1)]), Type::Int(-3, 12), at(0));
    for (of, within) in [(Some(of), None), (None, Some(3))] {
        builder.rules.forbids.push(ForbidRepeat { of, within, vars: Vars::new(), span: at(0) });
    }
    builder.rules.repeats.push(Repeat { count: Some(3), of: None, outcome: OutcomeExpr::Draw, span: at(0) });
    (interpret(&builder), types)
}

fn state(interpreter: &Interpreter, values: &[Vec<Value>], choice: &[usize], lengths: &[usize]) -> State {
    let mut choice = choice.iter().cycle();
    let mut cells = interpreter.cells(&interpreter.initial());
    for (cell, value) in cells.iter_mut().skip(2).enumerate() {
        let values = &values[cell / 5];
        *value = values[choice.next().unwrap() % values.len()].clone();
    }
    let mut state = interpreter.with_cells(&cells);
    assert_eq!(interpreter.cells(&state), cells);
    state.history = interpreter
        .prepared
        .watches
        .iter()
        .zip(lengths)
        .map(|(watch, &length)| {
            let entry = |_| (0..watch.width).map(|_| *choice.next().unwrap() as u64).collect();
            (0..length).map(entry).collect()
        })
        .collect();
    state
}

static MIXED: LazyLock<(Interpreter, Vec<Vec<Value>>)> = LazyLock::new(|| {
    let (interpreter, types) = mixed();
    let values = types.iter().map(|ty| interpreter.rules().type_values(ty, 1 << 18).unwrap()).collect();
    (interpreter, values)
});

proptest! {
    #[test]
    fn unpacking_undoes_packing(
        choice in prop::collection::vec(any::<usize>(), 40),
        lengths in prop::collection::vec(0usize..4, 3),
    ) {
        let (interpreter, values) = &*MIXED;
        let state = state(interpreter, values, &choice, &lengths);
        let words = interpreter.pack(&state);
        prop_assert_eq!(&interpreter.unpack(&words), &state);
        prop_assert_eq!(interpreter.unpack_checked(&words), Some(state));
        // Words that are no state still unpack to some state.
        for end in 0..words.len() {
            interpreter.unpack(&words[..end]);
        }
    }
}

#[test]
fn cells_take_as_many_bits_as_their_values_need() {
    let (interpreter, _) = mixed();
    let layout = &interpreter.prepared.layout;
    let bits: Vec<usize> = layout.fields().map(|field| field.code.bits()).collect();
    // Three players; one phase; 10 pieces; 2; 16; 3; a set of 7; 1 + 7 + 6; 7 + 6; none or three players.
    assert_eq!(bits, [2, 0, 4, 1, 4, 2, 7, 14, 13, 2]);
    assert_eq!(layout.words, (2 + 5 * (4 + 1 + 4 + 2 + 7 + 14 + 13 + 2usize)).div_ceil(64));
}

#[test]
fn there_is_no_cell_past_the_last() {
    let (interpreter, _) = mixed();
    let initial = interpreter.initial();
    assert_eq!(interpreter.unpack(&interpreter.pack(&initial)), initial);
    assert_eq!(interpreter.read(&initial, FieldId(3), 4), Value::Bool(false));
    assert_eq!(interpreter.read(&initial, FieldId(3), 5), Value::None);
    assert_eq!(interpreter.read(&initial, FieldId(99), 0), Value::None);
}
