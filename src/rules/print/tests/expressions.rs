//! Prints one example of each kind of expression.

use ExprKind::*;
use bouton_base::rational::Rational;

use super::*;

fn said(kind: ExprKind) -> String {
    let vars = variables(&[("c", Type::Sym(CELL)), ("d", Type::Sym(DIR)), ("s", Type::set(Type::Sym(CELL)))]);
    words(&rules(), &vars, expr(kind))
}

fn over(i: usize, domain: Domain, condition: Option<Expr>) -> Binder {
    Binder { pattern: crate::Pattern::Var(VarId::new(i)), domain, condition }
}

fn at(c: Expr) -> Expr {
    let mut e = expr(Field(AT, vec![c]));
    e.ty = Type::option(Type::Record(RecordId(0)));
    e
}

#[test]
fn values() {
    assert_eq!(said(Const(Value::None)), "none");
    assert_eq!(said(Const(Value::Int(-3))), "-3");
    assert_eq!(said(Const(Value::ratio(Rational::new(-1, 2)))), "-1/2");
    assert_eq!(said(Const(Value::set((1..=4).map(Value::Int)))), "1..4");
    assert_eq!(said(Const(Value::set([1, 2, 4].map(Value::Int)))), "{ 1, 2, 4 }");
    assert_eq!(said(Const(Value::set([i64::MAX - 1, i64::MAX].map(Value::Int)))), {
        format!("{{ {}, {} }}", i64::MAX - 1, i64::MAX)
    });
    assert_eq!(said(Const(Value::set((0..4).map(cell)))), "Cell");
    assert_eq!(said(Const(Value::set((0..3).map(cell)))), "{ a1, b1, a2 }");
    assert_eq!(said(Const(Value::set([]))), "{}");
    assert_eq!(said(Const(Value::tuple(vec![cell(1), Value::Bool(true)]))), "(b1, true)");
    assert_eq!(said(Const(Value::record(RecordId(0), vec![player(1), Value::None]))), "Piece(Black, none)");
    assert_eq!(said(Const(Value::Text("say \"x\"".into()))), "\"say \\\"x\\\"\"");
    assert_eq!(said(Const(Value::Sym(CELL, 77))), "e2#77", "a member that is not there");
}

#[test]
fn fields_tables_and_boards() {
    let step = || expr(Board(BoardFn::Step, BoardId(0), vec![var(0), var(1)]));
    assert_eq!(said(Field(AT, vec![step()])), "at[c + d]");
    assert_eq!(said(Field(MOVER, vec![])), "mover");
    assert_eq!(said(Equal(step(), step())), "c + d = c + d");
    assert_eq!(said(Board(BoardFn::Col, BoardId(0), vec![step()])), "(c + d).col");
    assert_eq!(said(Board(BoardFn::Leap, BoardId(0), vec![var(0), int(1), int(2)])), "c.leap(1, 2)");
    assert_eq!(said(Board(BoardFn::Between, BoardId(0), vec![var(0), step()])), "between(c, c + d)");
    assert_eq!(said(Board(BoardFn::At, BoardId(0), vec![int(1), int(2)])), "Cell(1, 2)");
    assert_eq!(said(Board(BoardFn::Step, BoardId(0), vec![])), "step()", "not well formed, but shown");
    assert_eq!(said(Flood(BoardId(0), var(2), var(2))), "flood(s, s)");
    assert_eq!(said(Part(expr(Present(at(var(0)))), 0)), "at[c]!.1", "no record known");
    assert_eq!(said(Part(at(var(0)), 1)), "at[c].kind");
    assert_eq!(said(Call(DefId(9), vec![var(0)])), "d9(c)", "an id without entry");
    assert_eq!(said(StuckPlayer(expr(Me))), "stuck(me)");
}

#[test]
fn formulas() {
    let equal = || expr(Equal(var(0), int(1)));
    let member = || expr(In(var(0), var(2)));
    assert_eq!(said(Not(equal())), "c != 1");
    assert_eq!(said(Not(member())), "c not in s");
    assert_eq!(said(Not(expr(Not(equal())))), "not c != 1");
    assert_eq!(said(And(vec![equal(), expr(Or(vec![member(), equal()]))])), "c = 1 and (c in s or c = 1)");
    assert_eq!(said(And(vec![])), "true");
    assert_eq!(said(Or(vec![])), "false");
    assert_eq!(said(Not(expr(And(vec![member()])))), "not c in s");
    assert_eq!(said(Implies(equal(), expr(Iff(member(), equal())))), "c = 1 implies (c in s iff c = 1)");
    assert_eq!(said(Subset(var(2), var(2))), "s subset s");
    assert_eq!(said(Defined(at(var(0)))), "defined(at[c])");
}

#[test]
fn quantifiers() {
    let cells = || Domain::Fixed(all_of(CELL, 4));
    let some = |f| expr(Quant(crate::Quant::Some, vec![over(0, cells(), None)], f));
    let member = || expr(In(var(0), var(2)));
    assert_eq!(
        words(&rules(), &variables(&[("c", Type::Error)]), some(expr(Stuck))),
        "some c in Cell: stuck"
    );
    assert_eq!(said(And(vec![some(member()), expr(Stuck)])), "(some c in Cell: c in s) and stuck");
    assert_eq!(said(And(vec![expr(Stuck), some(member())])), "stuck and some c in Cell: c in s");
    assert_eq!(said(Not(some(member()))), "not some c in Cell: c in s");
    let binders = vec![over(0, Domain::Set(var(2)), Some(member())), over(1, cells(), None)];
    assert_eq!(
        said(Fold(crate::Fold::Count, binders, expr(Stuck))),
        "count c in s where c in s, d in Cell: stuck"
    );
    assert_eq!(
        said(Collect(vec![over(0, Domain::Set(var(2)), Some(member()))], var(0))),
        "{ c in s where c in s }"
    );
    assert_eq!(said(Collect(vec![over(0, Domain::Set(var(2)), None)], at(var(0)))), "{ at[c] for c in s }");
    assert_eq!(said(SetOf(vec![member()])), "{ (c in s) }", "no binder");
    assert_eq!(said(SetOf(vec![member(), member()])), "{ c in s, c in s }");
}

#[test]
fn terms() {
    let arith = |op, exact| ExprKind::Arith { op, exact, left: var(0), right: int(-1) };
    assert_eq!(said(arith(crate::Arith::Sub, false)), "c - -1");
    assert_eq!(said(arith(crate::Arith::Div, true)), "c / exact -1");
    assert_eq!(said(arith(crate::Arith::Min, false)), "min(c, -1)");
    assert_eq!(said(Card(expr(SetOp(crate::SetOp::Minus, var(2), var(2))))), "#(s - s)");
    assert_eq!(said(Range(int(1), int(3))), "1..3");
    assert_eq!(said(List(vec![int(1)])), "[1]");
    assert_eq!(said(Tuple(Some(RecordId(0)), vec![expr(Me), int(1)])), "Piece(me, 1)");
    assert_eq!(said(If(expr(Stuck), int(1), int(2))), "if stuck then 1 else 2");
    let pair = crate::Pattern::Tuple([0, 1].map(|i| crate::Pattern::Var(VarId::new(i))).to_vec());
    assert_eq!(said(Let(pair, var(2), var(0))), "let (c, d) = s: c");
    let arm = |pattern, value| Arm { pattern, value };
    let either = ArmPattern::Tuple(vec![ArmPattern::Value(int(1)), ArmPattern::Any]);
    let arms = vec![
        arm(either, int(1)),
        arm(ArmPattern::OneOf(constant(Value::set([cell(1), cell(2)]))), int(2)),
        arm(ArmPattern::Any, expr(Undefined)),
    ];
    assert_eq!(said(Match(var(0), arms)), "match c { (1, _) => 1, in { b1, a2 } => 2, _ => undefined }");
}

#[test]
fn namesakes_are_told_apart() {
    let vars = variables(&[("c", Type::Sym(CELL)), ("c", Type::Sym(CELL)), ("e", Type::Sym(CELL))]);
    let e = expr(SetOf(vec![var(0), var(1), var(2), var(3)]));
    assert_eq!(words(&rules(), &vars, e), "{ c_x0, c_x1, e, x3 }");
}
