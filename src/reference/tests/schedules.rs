//! Early tests of conditions change nothing but the time.

use proptest::prelude::*;

use super::*;
use crate::instances::MoveNode;

/// The parameters are the variables 0, 1, 2; lets bind 3, 4; binders 5 and more.
const PARAMS: usize = 3;

/// Terms over the variables up to `vars`, and a field v[0..3].
fn term(vars: u32) -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![(-1i64..4).prop_map(int), (0..vars).prop_map(var)];
    leaf.prop_recursive(2, 6, 2, |inner| {
        let ops = prop::sample::select(vec![Arith::Add, Arith::Sub, Arith::Div, Arith::Mod]);
        prop_oneof![
            inner.clone().prop_map(|key| get(FieldId(2), &[key])),
            (ops, inner.clone(), inner).prop_map(|(op, a, b)| arith(op, a, b)),
        ]
    })
}

/// A call of the definition d0(a, b) or d1(a, b).
fn call(vars: u32) -> impl Strategy<Value = Expr> {
    let call = |(def, a, b)| e(ExprKind::Call(DefId(def), vec![a, b]));
    (0u32..2, term(vars), term(vars)).prop_map(call)
}

fn formula(vars: u32) -> impl Strategy<Value = Expr> {
    let atom = prop_oneof![
        (term(vars), term(vars)).prop_map(|(a, b)| eq(a, b)),
        (term(vars), term(vars)).prop_map(|(a, b)| less(a, b)),
        term(vars).prop_map(|a| {
            let binder = over_set(5, e(ExprKind::Range(int(0), a)));
            e(ExprKind::Quant(Quant::Some, vec![binder], eq(get(FieldId(2), &[var(5)]), int(1))))
        }),
    ];
    atom.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(not),
            prop::collection::vec(inner.clone(), 0..4).prop_map(|parts| and(&parts)),
            prop::collection::vec(inner, 0..4).prop_map(|parts| e(ExprKind::Or(parts))),
        ]
    })
}

/// A condition that holds more often than not, so that many moves have legal instances.
fn often(vars: u32) -> impl Strategy<Value = Expr> {
    let either = || (formula(vars), formula(vars)).prop_map(|(a, b)| e(ExprKind::Or(vec![a, not(b)])));
    (either(), either()).prop_map(|(a, b)| and(&[a, b]))
}

/// Statements in which two lets are followed by conditions that use them.
fn body() -> impl Strategy<Value = Vec<Stmt>> {
    let change = || (term(5), term(5)).prop_map(|(key, value)| set(FieldId(2), &[key], value));
    let nested = (formula(5), formula(5), change()).prop_map(|(c, r, s)| if_(c, vec![when(r), s]));
    let last = prop_oneof![change(), nested, formula(5).prop_map(|f| then(vec![when(f)]))];
    let early = (often(3), term(3), often(4), prop_oneof![term(4), call(4)]);
    let called = prop::option::of(prop_oneof![call(5), call(3)]);
    (early, (often(5), called), prop::collection::vec(last, 0..3)).prop_map(
        |((a, x, b, y), (c, called), last)| {
            let mut stmts = vec![when(a), let_(3, x), when(b), let_(4, y)];
            stmts.extend(last);
            stmts.push(when(c));
            stmts.extend(called.map(when));
            stmts
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn scheduled_and_naive_instances_agree(body in body(), defs in (often(2), often(2))) {
        let mut builder = RulesBuilder::new(&["A", "B"]);
        let v = builder.field("v", &[Type::Int(0, 3)], Type::Int(-9, 9), Value::Int(1));
        builder.rules.fields[v].init = ints(0..=3);
        for body in [defs.0, defs.1] {
            builder.def(&[Type::Int(0, 3), Type::Int(-9, 9)], Type::Bool, body, None);
        }
        builder.action("try", &vec![ints(0..=3); PARAMS], body);
        let scheduled = interpret(&builder);
        let rules = scheduled.rules().clone();
        let naive = rules.moves.iter().map(|of| MoveNode::naive(&rules, of)).collect();
        let naive = Interpreter::with_moves(rules, naive);
        let state = scheduled.initial();
        prop_assert_eq!(scheduled.successors(&state), naive.successors(&state));
    }
}
