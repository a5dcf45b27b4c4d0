//! Small rules built by hand, and tests of their meaning in the language.

mod ends;
mod exprs;
mod moves;
mod packing;
mod past;
mod schedules;
mod stages;
mod turns;

use std::sync::Arc;

use super::{Interpreter, State};
use crate::base::id::{Id, IdVec};
use crate::rules::board::Board;
use crate::rules::*;
use crate::source::{FileId, Span};

/// A builder of rules. `mover` and one phase without a name exist from the start.
pub(crate) struct Builder {
    pub(crate) rules: Rules,
}

/// The n-th place of a file that does not exist; it tells clauses apart.
fn at(n: usize) -> Span {
    Span::new(FileId(0), n, n + 1)
}

impl Builder {
    pub(crate) fn new(players: &[&str]) -> Builder {
        let mut rules = Rules::default();
        let members = players.iter().map(|p| p.to_string()).collect();
        rules.enums.push(Enum { name: "Player".into(), kind: EnumKind::Player, members });
        rules.enums.push(Enum { name: "Dir".into(), kind: EnumKind::Dir, members: Vec::new() });
        let mut builder = Builder { rules };
        builder.field("mover", &[], Type::Sym(PLAYER), player(0));
        builder.field("phase", &[], Type::Int(0, 0), Value::Int(0));
        builder.phases(vec![("", false, Actor::Mover)]);
        builder
    }

    fn phases(&mut self, phases: Vec<(&str, bool, Actor)>) {
        self.rules.fields[PHASE].ty = Type::Int(0, phases.len() as i64 - 1);
        let made = |(name, setup, actor): (&str, bool, Actor)| Phase {
            name: name.into(),
            setup,
            actor,
            span: at(0),
        };
        self.rules.phases = phases.into_iter().map(made).collect();
    }

    fn enumeration(&mut self, name: &str, members: &[&str]) -> EnumId {
        let members = members.iter().map(|m| m.to_string()).collect();
        self.rules.enums.push(Enum { name: name.into(), kind: EnumKind::User, members })
    }

    fn board(&mut self, mut board: Board) -> (BoardId, EnumId) {
        let id = self.rules.boards.next_id();
        let members = board.cell_names().to_vec();
        board.cells = self.rules.enums.push(Enum { name: "Cell".into(), kind: EnumKind::Cells(id), members });
        self.rules.dirs = board.directions().to_vec();
        self.rules.enums[DIR].members = self.rules.dirs.iter().map(|d| d.name().to_string()).collect();
        let cells = board.cells;
        (self.rules.boards.push(board), cells)
    }

    pub(crate) fn field(&mut self, name: &str, keys: &[Type], ty: Type, init: Value) -> FieldId {
        let key = |ty: &Type| KeyDomain {
            name: "k".into(),
            ty: ty.clone(),
            values: Arc::new(self.rules.type_values(ty, 1000).unwrap()),
        };
        let keys: Vec<KeyDomain> = keys.iter().map(key).collect();
        let cells: usize = keys.iter().map(|key| key.values.len()).product();
        self.rules.fields.push(Field {
            name: name.into(),
            keys,
            ty,
            init: vec![init; cells],
            transient: false,
            visibility: Visibility::Public,
            doc: Vec::new(),
            span: at(0),
        })
    }

    /// Adds a move whose parameters have these values; they are its first variables, ten more are free.
    pub(crate) fn action(&mut self, name: &str, params: &[Vec<Value>], stmts: Vec<Stmt>) -> MoveId {
        let mut vars = Vars::new();
        for i in 0..params.len() + 10 {
            vars.push(Var { name: format!("x{i}"), ty: Type::Error });
        }
        let params = params.iter().enumerate();
        self.rules.moves.push(Move {
            name: name.into(),
            chance: false,
            mandatory: false,
            private: false,
            forcing: false,
            params: params.map(|(i, v)| Param { var: VarId::new(i), values: Arc::new(v.clone()) }).collect(),
            vars,
            by: None,
            phases: vec![PhaseId(0)],
            weight: None,
            prefer: None,
            template: Vec::new(),
            body: Block { stmts },
            doc: Vec::new(),
            span: at(0),
        })
    }

    /// Adds a definition; its parameters are its first variables.
    fn def(&mut self, params: &[Type], ty: Type, body: Expr, group: Option<u32>) -> DefId {
        let vars: Vars = params.iter().map(|ty| Var { name: "x".into(), ty: ty.clone() }).collect();
        self.rules.defs.push(Def {
            name: "d".into(),
            params: (0..params.len()).map(VarId::new).collect(),
            vars,
            ty,
            body,
            group,
            uses_me: false,
            doc: Vec::new(),
            span: at(0),
        })
    }

    fn end(&mut self, condition: Expr, outcome: OutcomeExpr) {
        let vars = IdVec::new();
        self.rules.ends.push(EndRule { vars, binder: None, condition, outcome, span: at(0) });
    }

    fn done(&self) -> Interpreter {
        Interpreter::new(Arc::new(self.rules.clone()))
    }
}

fn player(n: u32) -> Value {
    Value::Sym(PLAYER, n)
}

pub(crate) fn ints(values: std::ops::RangeInclusive<i64>) -> Vec<Value> {
    values.map(Value::Int).collect()
}

fn e(kind: ExprKind) -> Expr {
    Expr::new(kind, Type::Error, at(0))
}

fn val(value: Value) -> Expr {
    e(ExprKind::Const(value))
}

pub(crate) fn int(i: i64) -> Expr {
    val(Value::Int(i))
}

pub(crate) fn var(n: u32) -> Expr {
    e(ExprKind::Var(VarId(n)))
}

fn me() -> Expr {
    e(ExprKind::Me)
}

pub(crate) fn get(field: FieldId, keys: &[Expr]) -> Expr {
    e(ExprKind::Field(field, keys.to_vec()))
}

fn not(a: Expr) -> Expr {
    e(ExprKind::Not(a))
}

fn and(parts: &[Expr]) -> Expr {
    e(ExprKind::And(parts.to_vec()))
}

fn eq(a: Expr, b: Expr) -> Expr {
    e(ExprKind::Equal(a, b))
}

pub(crate) fn less(a: Expr, b: Expr) -> Expr {
    e(ExprKind::Less(a, b))
}

fn arith(op: Arith, left: Expr, right: Expr) -> Expr {
    e(ExprKind::Arith { op, exact: false, left, right })
}

pub(crate) fn add(left: Expr, right: Expr) -> Expr {
    arith(Arith::Add, left, right)
}

fn truth(b: bool) -> Expr {
    val(Value::Bool(b))
}

/// A binder of one variable over fixed values.
fn over(n: u32, values: Vec<Value>) -> Binder {
    Binder { pattern: Pattern::Var(VarId(n)), domain: Domain::Fixed(Arc::new(values)), condition: None }
}

fn over_set(n: u32, set: Expr) -> Binder {
    Binder { pattern: Pattern::Var(VarId(n)), domain: Domain::Set(set), condition: None }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: at(1) }
}

pub(crate) fn when(condition: Expr) -> Stmt {
    stmt(StmtKind::Require(condition))
}

fn let_(n: u32, value: Expr) -> Stmt {
    stmt(StmtKind::Let(Pattern::Var(VarId(n)), value))
}

pub(crate) fn effect(op: EffectOp, field: FieldId, keys: &[Expr], value: Expr) -> Stmt {
    part_effect(op, field, keys, &[], value)
}

fn part_effect(op: EffectOp, field: FieldId, keys: &[Expr], path: &[u32], value: Expr) -> Stmt {
    let (keys, path) = (keys.to_vec(), path.to_vec());
    stmt(StmtKind::Effect(Effect { field, keys, path, op, value }))
}

fn set(field: FieldId, keys: &[Expr], value: Expr) -> Stmt {
    effect(EffectOp::Set, field, keys, value)
}

fn then(stmts: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::Then(Block { stmts }))
}

fn if_(condition: Expr, stmts: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::If(condition, Block { stmts }, Block::default()))
}

fn for_(binder: Binder, stmts: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::For(vec![binder], Block { stmts }))
}

/// The legal moves in written form.
fn moves(interpreter: &Interpreter, state: &State) -> Vec<String> {
    let successors = interpreter.successors(state).unwrap();
    successors.iter().map(|(play, ..)| interpreter.render_move(state, play)).collect()
}

/// The state after the move with this written form.
fn play(interpreter: &Interpreter, state: &State, written: &str) -> State {
    let successors = interpreter.successors(state).unwrap();
    let found = successors.into_iter().find(|(play, ..)| interpreter.render_move(state, play) == written);
    found.unwrap_or_else(|| panic!("{written} is not legal")).1
}

/// The fault of the initial position.
fn fault(builder: &Builder) -> FaultKind {
    let interpreter = builder.done();
    interpreter.successors(&interpreter.initial()).unwrap_err().kind
}
