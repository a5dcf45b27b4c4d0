//! Rules built by hand, without a source file: for front ends other than `.bou` files, and for tests.
//!
//! Expressions are made without types and places; [`RulesBuilder::finish`] finds the types and verifies the rules.

use std::ops::RangeInclusive;
use std::sync::Arc;

use bouton_base::id::{Id, IdVec};
use bouton_base::source::Span;

use crate::board::Board;
use crate::infer::infer;
use crate::verify::verify_declarations;
use crate::*;

/// A builder of rules. The field `mover` and one phase without a name exist from the start.
#[derive(Debug)]
pub struct RulesBuilder {
    pub rules: Rules,
}

/// The span of the `n`-th clause: it tells clauses apart and has no place.
pub fn at(n: u32) -> Span {
    Span::unplaced(n)
}

impl RulesBuilder {
    /// Gives expressions and variables their types, and returns the rules if they are well-formed.
    pub fn finish(mut self) -> Result<Rules, Vec<Violation>> {
        let mut violations = verify_declarations(&self.rules);
        if violations.is_empty() {
            infer(&mut self.rules);
            violations = verify(&self.rules);
        }
        if violations.is_empty() { Ok(self.rules) } else { Err(violations) }
    }

    /// Starts rules with these players.
    pub fn new(players: &[&str]) -> RulesBuilder {
        let mut rules = Rules::default();
        let members = players.iter().map(|p| p.to_string()).collect();
        rules.enums.push(Enum { name: "Player".into(), kind: EnumKind::Player, members });
        rules.enums.push(Enum { name: "Dir".into(), kind: EnumKind::Dir, members: Vec::new() });
        let mut builder = RulesBuilder { rules };
        builder.field("mover", &[], Type::Sym(PLAYER), player(0));
        builder.field("phase", &[], Type::Int(0, 0), Value::Int(0));
        builder.phases(vec![("", false, Actor::Mover)]);
        builder
    }

    /// Replaces the phases: name, true for a setup phase, actor.
    pub fn phases(&mut self, phases: Vec<(&str, bool, Actor)>) {
        self.rules.fields[PHASE].ty = Type::Int(0, phases.len() as i64 - 1);
        let made = |(name, setup, actor): (&str, bool, Actor)| Phase {
            name: name.into(),
            setup,
            actor,
            span: at(0),
        };
        self.rules.phases = phases.into_iter().map(made).collect();
    }

    /// Adds an enumeration.
    pub fn enumeration(&mut self, name: &str, members: &[&str]) -> EnumId {
        let members = members.iter().map(|m| m.to_string()).collect();
        self.rules.enums.push(Enum { name: name.into(), kind: EnumKind::User, members })
    }

    /// Adds a board and the enumeration of its cells; the rules take its directions.
    pub fn board(&mut self, mut board: Board) -> (BoardId, EnumId) {
        let id = self.rules.boards.next_id();
        let members = board.cell_names().to_vec();
        board.cells = self.rules.enums.push(Enum { name: "Cell".into(), kind: EnumKind::Cells(id), members });
        self.rules.dirs = board.directions().to_vec();
        self.rules.enums[DIR].members = self.rules.dirs.iter().map(|d| d.name().to_string()).collect();
        let cells = board.cells;
        (self.rules.boards.push(board), cells)
    }

    /// Adds a field with one value in all cells at the start.
    pub fn field(&mut self, name: &str, keys: &[Type], ty: Type, init: Value) -> FieldId {
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
    pub fn action(&mut self, name: &str, params: &[Vec<Value>], stmts: Vec<Stmt>) -> MoveId {
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
    pub fn def(&mut self, params: &[Type], ty: Type, body: Expr, group: Option<u32>) -> DefId {
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

    /// Adds an end rule.
    pub fn end(&mut self, condition: Expr, outcome: OutcomeExpr) {
        let vars = IdVec::new();
        self.rules.ends.push(EndRule { vars, binder: None, condition, outcome, span: at(0) });
    }
}

/// The value of the `n`-th player.
pub fn player(n: u32) -> Value {
    Value::Sym(PLAYER, n)
}

/// The numbers of a range, as values.
pub fn ints(values: RangeInclusive<i64>) -> Vec<Value> {
    values.map(Value::Int).collect()
}

/// An expression without a type or a place.
pub fn e(kind: ExprKind) -> Expr {
    Expr::new(kind, Type::Error, at(0))
}

/// A constant.
pub fn val(value: Value) -> Expr {
    e(ExprKind::Const(value))
}

/// A constant number.
pub fn int(i: i64) -> Expr {
    val(Value::Int(i))
}

/// The `n`-th variable.
pub fn var(n: u32) -> Expr {
    e(ExprKind::Var(VarId(n)))
}

/// The player who evaluates (`me`).
pub fn me() -> Expr {
    e(ExprKind::Me)
}

/// The value of a field.
pub fn get(field: FieldId, keys: &[Expr]) -> Expr {
    e(ExprKind::Field(field, keys.to_vec()))
}

/// Negation.
pub fn not(a: Expr) -> Expr {
    e(ExprKind::Not(a))
}

/// Conjunction.
pub fn and(parts: &[Expr]) -> Expr {
    e(ExprKind::And(parts.to_vec()))
}

/// Equality.
pub fn eq(a: Expr, b: Expr) -> Expr {
    e(ExprKind::Equal(a, b))
}

/// The comparison `a < b`.
pub fn less(a: Expr, b: Expr) -> Expr {
    e(ExprKind::Less(a, b))
}

/// An arithmetic operation.
pub fn arith(op: Arith, left: Expr, right: Expr) -> Expr {
    e(ExprKind::Arith { op, exact: false, left, right })
}

/// A sum.
pub fn add(left: Expr, right: Expr) -> Expr {
    arith(Arith::Add, left, right)
}

/// A constant truth value.
pub fn truth(b: bool) -> Expr {
    val(Value::Bool(b))
}

/// A binder of one variable over fixed values.
pub fn over(n: u32, values: Vec<Value>) -> Binder {
    Binder { pattern: Pattern::Var(VarId(n)), domain: Domain::Fixed(Arc::new(values)), condition: None }
}

/// A binder of one variable over a set.
pub fn over_set(n: u32, set: Expr) -> Binder {
    Binder { pattern: Pattern::Var(VarId(n)), domain: Domain::Set(set), condition: None }
}

/// A statement without a place.
pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: at(1) }
}

/// The statement `when condition;`.
pub fn when(condition: Expr) -> Stmt {
    stmt(StmtKind::Require(condition))
}

/// The statement `let x = value;`.
pub fn let_(n: u32, value: Expr) -> Stmt {
    stmt(StmtKind::Let(Pattern::Var(VarId(n)), value))
}

/// An effect on a cell of a field.
pub fn effect(op: EffectOp, field: FieldId, keys: &[Expr], value: Expr) -> Stmt {
    part_effect(op, field, keys, &[], value)
}

/// An effect on a part of a cell: `path` selects the part of a record.
pub fn part_effect(op: EffectOp, field: FieldId, keys: &[Expr], path: &[u32], value: Expr) -> Stmt {
    let (keys, path) = (keys.to_vec(), path.to_vec());
    stmt(StmtKind::Effect(Effect { field, keys, path, op, value }))
}

/// The effect `field[keys] = value;`.
pub fn set(field: FieldId, keys: &[Expr], value: Expr) -> Stmt {
    effect(EffectOp::Set, field, keys, value)
}

/// The statement `then { ... }`.
pub fn then(stmts: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::Then(Block { stmts }))
}

/// The statement `if condition { ... }`.
pub fn if_(condition: Expr, stmts: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::If(condition, Block { stmts }, Block::default()))
}

/// The statement `for ... { ... }`.
pub fn for_(binder: Binder, stmts: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::For(vec![binder], Block { stmts }))
}
