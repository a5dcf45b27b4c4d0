//! Tests of the printer on hand-made rules and expressions.

mod expressions;
mod parentheses;
mod whole;

use crate::*;
use bouton_base::id::{Id, IdVec};
use bouton_base::source::{FileId, Span};

fn span() -> Span {
    Span::new(FileId::new(0), 0, 0)
}

fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, Type::Error, span())
}

fn constant(value: Value) -> Expr {
    expr(ExprKind::Const(value))
}

fn int(i: i64) -> Expr {
    constant(Value::Int(i))
}

fn var(i: usize) -> Expr {
    expr(ExprKind::Var(VarId::new(i)))
}

fn variables(names: &[(&str, Type)]) -> Vars {
    names.iter().map(|(name, ty)| Var { name: name.to_string(), ty: ty.clone() }).collect()
}

const CELL: EnumId = EnumId(2);
const KIND: EnumId = EnumId(3);
const AT: FieldId = FieldId(2);

fn player(i: u32) -> Value {
    Value::Sym(PLAYER, i)
}

fn cell(i: u32) -> Value {
    Value::Sym(CELL, i)
}

fn all_of(id: EnumId, n: u32) -> std::sync::Arc<Vec<Value>> {
    std::sync::Arc::new((0..n).map(|i| Value::Sym(id, i)).collect())
}

fn key(name: &str, id: EnumId, n: u32) -> KeyDomain {
    KeyDomain { name: name.into(), ty: Type::Sym(id), values: all_of(id, n) }
}

fn field(name: &str, keys: Vec<KeyDomain>, ty: Type, init: Vec<Value>) -> Field {
    let (transient, visibility, doc) = (false, Visibility::Public, Vec::new());
    Field { name: name.into(), keys, ty, init, transient, visibility, doc, span: span() }
}

/// Rules with two players and a board of four cells, where pieces have an owner and a kind.
fn rules() -> Rules {
    let mut rules = Rules { name: "Small".into(), doc: vec!["A game.".into()], ..Rules::default() };
    let list = |names: &str| names.split(' ').map(String::from).collect::<Vec<_>>();
    let mut add = |name: &str, kind, members| rules.enums.push(Enum { name: name.into(), kind, members });
    add("Player", EnumKind::Player, list("White Black"));
    add("Dir", EnumKind::Dir, list("N NE E SE S SW W NW"));
    add("Cell", EnumKind::Cells(BoardId(0)), list("a1 b1 a2 b2"));
    add("Kind", EnumKind::User, list("man king"));
    rules.dirs = board::Dir::ALL[..8].to_vec();
    let parts = vec![("owner".into(), Type::Sym(PLAYER)), ("kind".into(), Type::Sym(KIND))];
    let piece = rules.records.push(Record { name: "Piece".into(), parts });
    let mut cells = Board::grid(2, 2, &|_, _| true).expect("a board");
    (cells.name, cells.cells) = ("Cell".into(), CELL);
    rules.boards.push(cells);
    rules.phases.push(Phase { name: String::new(), setup: false, actor: Actor::Mover, span: span() });
    rules.fields.push(field("mover", vec![], Type::Sym(PLAYER), vec![player(0)]));
    rules.fields.push(field("phase", vec![], Type::Int(0, 0), vec![Value::Int(0)]));
    let man = Value::record(piece, vec![player(0), Value::Sym(KIND, 0)]);
    let init = vec![man, Value::None, Value::None, Value::None];
    rules.fields.push(field("at", vec![key("c", CELL, 4)], Type::option(Type::Record(piece)), init));
    rules
}

fn words(rules: &Rules, vars: &Vars, e: Expr) -> String {
    print_expr(rules, vars, &e)
}
