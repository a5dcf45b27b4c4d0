//! Terms and formulas, the undefined, binders, definitions.

use super::*;
use crate as reference;
use bouton_base::limits::Fuel;
use bouton_rules::board::Board;

fn eval(expr: Expr) -> Option<Value> {
    eval_const(&RulesBuilder::new(&["A", "B"]).rules, &[], &expr)
}

fn undefined() -> Expr {
    e(ExprKind::Undefined)
}

fn yes() -> Option<Value> {
    Some(Value::Bool(true))
}

fn no() -> Option<Value> {
    Some(Value::Bool(false))
}

fn quant(quant: Quant, binder: Binder, body: Expr) -> Expr {
    e(ExprKind::Quant(quant, vec![binder], body))
}

fn fold(fold: Fold, binder: Binder, body: Expr) -> Expr {
    e(ExprKind::Fold(fold, vec![binder], body))
}

fn even(n: u32) -> Expr {
    eq(arith(Arith::Mod, var(n), int(2)), int(0))
}

fn eval_const(rules: &Rules, env: &[(VarId, Value)], expr: &Expr) -> Option<Value> {
    reference::eval_const(rules, env, expr, &Fuel::default())
}

fn eval_known(rules: &Rules, env: &[(VarId, Value)], expr: &Expr) -> Option<Option<Value>> {
    reference::eval_partial(rules, env, expr, &Fuel::default())
}

#[test]
fn atoms_with_an_undefined_part_are_false_and_their_negations_true() {
    assert_eq!(eval(eq(undefined(), undefined())), no());
    assert_eq!(eval(not(eq(undefined(), int(1)))), yes());
    assert_eq!(eval(less(undefined(), int(1))), no());
    assert_eq!(eval(e(ExprKind::LessEqual(int(1), undefined()))), no());
    assert_eq!(eval(e(ExprKind::In(undefined(), val(Value::set([]))))), no());
    assert_eq!(eval(e(ExprKind::Subset(undefined(), val(Value::set([]))))), no());
    assert_eq!(eval(e(ExprKind::Defined(undefined()))), no());
    for q in [Quant::Some, Quant::All, Quant::No] {
        assert_eq!(eval(quant(q, over_set(0, undefined()), truth(true))), no(), "{q:?}");
    }
}

#[test]
fn none_is_a_value_but_has_no_place_in_an_order() {
    let none = || val(Value::None);
    assert_eq!(eval(eq(none(), none())), yes());
    assert_eq!(eval(less(none(), int(1))), no());
    assert_eq!(eval(e(ExprKind::LessEqual(none(), none()))), no());
    assert_eq!(eval(e(ExprKind::Present(none()))), None);
    assert_eq!(eval(e(ExprKind::Part(none(), 0))), None);
}

#[test]
fn an_undefined_truth_value_counts_as_false_but_has_no_value() {
    let off = || e(ExprKind::Match(int(1), Vec::new()));
    assert_eq!(eval(off()), None);
    assert_eq!(eval(not(off())), yes());
    assert_eq!(eval(e(ExprKind::If(off(), int(1), int(2)))), Some(Value::Int(2)));
    assert_eq!(eval(e(ExprKind::Iff(off(), truth(false)))), yes());
    assert_eq!(eval(e(ExprKind::Implies(off(), undefined()))), yes());
}

#[test]
fn literals_are_strict_and_comprehensions_skip() {
    assert_eq!(eval(e(ExprKind::SetOf(vec![int(1), undefined()]))), None);
    assert_eq!(eval(e(ExprKind::Tuple(None, vec![int(1), undefined()]))), None);
    let inverse = |n| arith(Arith::Div, int(6), var(n));
    let collected = eval(e(ExprKind::Collect(vec![over(0, ints(0..=3))], inverse(0))));
    assert_eq!(collected, Some(Value::set(ints(2..=3).into_iter().chain([Value::Int(6)]))));
    assert_eq!(eval(fold(Fold::Sum, over(0, ints(0..=3)), inverse(0))), Some(Value::Int(11)));
    assert_eq!(eval(fold(Fold::Max, over_set(0, undefined()), inverse(0))), None);
}

#[test]
fn folds() {
    let range = || over(0, ints(1..=5));
    assert_eq!(eval(fold(Fold::Count, range(), even(0))), Some(Value::Int(2)));
    assert_eq!(eval(fold(Fold::Min, range(), var(0))), Some(Value::Int(1)));
    assert_eq!(eval(fold(Fold::Max, over(0, Vec::new()), var(0))), None);
    assert_eq!(eval(fold(Fold::Sum, over(0, Vec::new()), var(0))), Some(Value::Int(0)));
    assert_eq!(eval(fold(Fold::One, range(), even(0))), None);
    assert_eq!(eval(fold(Fold::One, range(), eq(var(0), int(7)))), None);
    assert_eq!(eval(fold(Fold::One, range(), eq(var(0), int(4)))), Some(Value::Int(4)));
    let up_to = e(ExprKind::Range(int(1), var(0)));
    assert_eq!(eval(fold(Fold::Union, range(), up_to)), Some(Value::set(ints(1..=5))));
    let pairs = vec![over(0, ints(1..=5)), over(1, ints(1..=5))];
    let product = eq(arith(Arith::Mul, var(0), var(1)), int(20));
    let ordered = and(&[product, less(var(0), var(1))]);
    let pair = Value::tuple(vec![Value::Int(4), Value::Int(5)]);
    assert_eq!(eval(e(ExprKind::Fold(Fold::One, pairs, ordered))), Some(pair));
}

#[test]
fn a_witness_is_enough_for_some_and_no_undefined_domain_for_all() {
    // The inner domain, 1 / x .. 2, has no value for x = 0.
    let inner = || over_set(1, e(ExprKind::Range(arith(Arith::Div, int(1), var(0)), int(2))));
    let over_both = |q, body| eval(e(ExprKind::Quant(q, vec![over(0, ints(0..=1)), inner()], body)));
    assert_eq!(over_both(Quant::Some, eq(var(1), int(2))), yes());
    assert_eq!(over_both(Quant::All, truth(true)), no());
    assert_eq!(over_both(Quant::No, truth(false)), no());
}

#[test]
fn the_first_arm_that_fits() {
    let arms = vec![
        Arm { pattern: ArmPattern::Value(int(1)), value: int(10) },
        Arm { pattern: ArmPattern::OneOf(val(Value::set(ints(1..=3)))), value: int(20) },
        Arm { pattern: ArmPattern::Any, value: int(30) },
    ];
    let choose = |scrutinee| eval(e(ExprKind::Match(scrutinee, arms.clone())));
    assert_eq!(choose(int(1)), Some(Value::Int(10)));
    assert_eq!(choose(int(2)), Some(Value::Int(20)));
    assert_eq!(choose(int(4)), Some(Value::Int(30)));
    assert_eq!(choose(undefined()), None);
    let pair = e(ExprKind::Tuple(None, vec![int(1), int(2)]));
    let parts = vec![ArmPattern::Any, ArmPattern::Value(int(2))];
    let arm = Arm { pattern: ArmPattern::Tuple(parts), value: int(5) };
    assert_eq!(eval(e(ExprKind::Match(pair, vec![arm]))), Some(Value::Int(5)));
}

#[test]
fn constants_are_told_from_what_needs_a_position() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let n = builder.field("n", &[], Type::Int(0, 9), Value::Int(0));
    let rules = &builder.rules;
    let sum = add(var(0), int(1));
    assert_eq!(eval_const(rules, &[(VarId(0), Value::Int(4))], &sum), Some(Value::Int(5)));
    assert_eq!(eval_known(rules, &[], &sum), None);
    assert_eq!(eval_known(rules, &[], &eq(get(n, &[]), int(0))), None);
    assert_eq!(eval_known(rules, &[], &not(e(ExprKind::Stuck))), None);
    assert_eq!(eval_known(rules, &[], &eq(me(), val(player(0)))), None);
    assert_eq!(eval_known(rules, &[], &undefined()), Some(None));
    assert_eq!(eval_known(rules, &[], &and(&[truth(false), eq(get(n, &[]), int(0))])), Some(no()));
}

#[test]
fn calls_are_strict_and_know_their_domain() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let always = builder.def(&[Type::Int(1, 3)], Type::Bool, truth(true), None);
    let call = |arg| e(ExprKind::Call(always, vec![arg]));
    let eval = |expr| eval_const(&builder.rules, &[], &expr);
    assert_eq!(eval(call(int(2))), yes());
    assert_eq!(eval(call(int(4))), None);
    assert_eq!(eval(not(call(undefined()))), yes());
}

#[test]
fn a_board_gives_cells_and_nothing_off_it() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let (board, cells) = builder.board(Board::grid(3, 3, &|_, _| true).unwrap());
    let call = |f, args: &[Expr]| e(ExprKind::Board(f, board, args.to_vec()));
    let eval = |expr: Expr| eval_const(&builder.rules, &[], &expr);
    let cell = |c| Value::Sym(cells, c);
    let north = || val(Value::Sym(DIR, 0));
    assert_eq!(eval(call(BoardFn::Step, &[val(cell(0)), north()])), Some(cell(3)));
    assert_eq!(eval(call(BoardFn::Step, &[val(cell(6)), north()])), None);
    assert_eq!(eval(call(BoardFn::Dir, &[val(cell(0)), val(cell(3))])), Some(Value::Sym(DIR, 0)));
    assert_eq!(eval(call(BoardFn::At, &[int(2), int(3)])), Some(cell(7)));
    assert_eq!(eval(call(BoardFn::At, &[int(4), int(3)])), None);
    assert_eq!(eval(call(BoardFn::Neighbors, &[val(cell(0))])), Some(Value::set([cell(1), cell(3)])));
    assert_eq!(eval(call(BoardFn::Between, &[val(cell(0)), val(cell(8))])), Some(Value::set([cell(4)])));
    assert_eq!(eval(call(BoardFn::Between, &[val(cell(0)), val(cell(5))])), None);
    assert_eq!(eval(call(BoardFn::Aligned, &[val(cell(0)), undefined()])), no());
    let within = [0, 1, 4, 8].map(cell);
    let flood = |from| e(ExprKind::Flood(board, val(from), val(Value::set(within.clone()))));
    assert_eq!(eval(flood(cell(0))), Some(Value::set([0, 1, 4].map(cell))));
    assert_eq!(eval(flood(Value::set([cell(8), cell(3)]))), Some(Value::set([cell(8)])));
}

/// `inductive linked(a, b) = a = b or some x in a.neighbors: at[x] and linked(x, b)`
fn linked(builder: &mut RulesBuilder, board: BoardId, cells: EnumId, at: FieldId) -> DefId {
    let id = builder.rules.defs.next_id();
    let neighbors = e(ExprKind::Board(BoardFn::Neighbors, board, vec![var(0)]));
    let step = and(&[get(at, &[var(2)]), e(ExprKind::Call(id, vec![var(2), var(1)]))]);
    let some = quant(Quant::Some, over_set(2, neighbors), step);
    let body = e(ExprKind::Or(vec![eq(var(0), var(1)), some]));
    builder.def(&[Type::Sym(cells), Type::Sym(cells)], Type::Bool, body, Some(0))
}

#[test]
fn inductive_definitions_are_least_fixpoints() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let (board, cells) = builder.board(Board::grid(3, 3, &|_, _| true).unwrap());
    let cell = |c| Value::Sym(cells, c);
    let there = builder.field("at", &[Type::Sym(cells)], Type::Bool, Value::Bool(false));
    // A path along the left and upper edge: a1, a2, a3, b3.
    for c in [0, 3, 6, 7] {
        builder.rules.fields[there].init[c] = Value::Bool(true);
    }
    let linked = linked(&mut builder, board, cells, there);
    let interpreter = interpret(&builder);
    let holds = |a, b| {
        let call = e(ExprKind::Call(linked, vec![val(cell(a)), val(cell(b))]));
        interpreter.eval(&interpreter.initial(), &call) == yes()
    };
    assert!(holds(0, 7) && holds(7, 0) && holds(8, 8) && holds(8, 0));
    assert!(!holds(0, 8) && !holds(3, 4));
}

#[test]
fn a_long_chain_of_definitions_does_not_overflow_the_stack() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let mut last = builder.def(&[Type::Int(0, 9)], Type::Int(0, 9), var(0), None);
    for _ in 0..20_000 {
        let call = e(ExprKind::Call(last, vec![var(0)]));
        last = builder.def(&[Type::Int(0, 9)], Type::Int(0, 9), add(int(0), call), None);
    }
    let call = e(ExprKind::Call(last, vec![int(7)]));
    assert_eq!(eval_const(&builder.rules, &[], &call), Some(Value::Int(7)));
}

#[test]
fn deep_expressions_in_a_chain_of_definitions_do_not_overflow_the_stack() {
    let mut builder = RulesBuilder::new(&["A", "B"]);
    let mut last = builder.def(&[Type::Int(0, 9)], Type::Bool, truth(true), None);
    for _ in 0..60 {
        let mut body = e(ExprKind::Call(last, vec![var(0)]));
        for n in 1..128 {
            body = quant(Quant::Some, over(n, ints(1..=1)), body);
        }
        last = builder.def(&[Type::Int(0, 9)], Type::Bool, body, None);
    }
    let call = e(ExprKind::Call(last, vec![int(7)]));
    assert_eq!(eval_const(&builder.rules, &[], &call), yes());
}
