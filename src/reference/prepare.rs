//! Preparation of expressions and statements.

use super::node::*;
use super::program::Memo;
use bouton_base::id::Id;
use bouton_rules::{
    ArmPattern, Binder, Block, Def, Domain, Expr, ExprKind, Pattern, Rules, Stmt, StmtKind, Type, VarId,
};

/// The preparation of the expressions of one definition, move or rule, whose variables share a frame.
pub struct Preparer<'r> {
    pub rules: &'r Rules,
    /// The number of slots so far.
    pub slots: usize,
}

/// Prepares an expression on its own. Its variables may be bound by others of `slots` slots.
pub fn body(rules: &Rules, slots: usize, expr: &Expr) -> Body {
    let mut preparer = Preparer::new(rules, slots);
    let node = preparer.node(expr);
    Body { slots: preparer.slots, node }
}

/// Prepares a definition.
pub fn def(rules: &Rules, def: &Def) -> DefNode {
    let mut preparer = Preparer::new(rules, def.vars.len());
    let param = |&param: &VarId| ParamNode { slot: param.index(), ty: def.vars[param].ty.clone() };
    let params = def.params.iter().map(param).collect();
    let node = preparer.node(&def.body);
    let range = match def.ty {
        Type::Int(low, high) => Some((low, high)),
        _ => None,
    };
    DefNode { params, body: Body { slots: preparer.slots, node }, range, group: def.group, memo: Memo::Never }
}

impl<'r> Preparer<'r> {
    pub fn new(rules: &'r Rules, slots: usize) -> Preparer<'r> {
        Preparer { rules, slots }
    }

    fn slot(&mut self, var: VarId) -> usize {
        self.slots = self.slots.max(var.index() + 1);
        var.index()
    }

    pub fn nodes(&mut self, exprs: &[Expr]) -> Box<[Node]> {
        exprs.iter().map(|expr| self.node(expr)).collect()
    }

    fn boxed(&mut self, expr: &Expr) -> Box<Node> {
        Box::new(self.node(expr))
    }

    fn pair(&mut self, a: &Expr, b: &Expr) -> Box<[Node; 2]> {
        Box::new([self.node(a), self.node(b)])
    }

    pub fn node(&mut self, expr: &Expr) -> Node {
        match &*expr.kind {
            ExprKind::Const(value) => Node::Const(value.into()),
            ExprKind::Undefined => Node::Undefined,
            ExprKind::Var(var) => Node::Var(self.slot(*var)),
            ExprKind::Me => Node::Me,
            ExprKind::Field(field, keys) => Node::Cell(*field, self.nodes(keys)),
            ExprKind::Table(table, args) => {
                let keys = self.rules.tables[*table].keys.iter().map(|key| KeyIndex::of(&key.values));
                Node::Table(TableNode { table: *table, keys: keys.collect(), args: self.nodes(args) }.into())
            }
            ExprKind::Call(def, args) => Node::Call(*def, self.nodes(args)),
            ExprKind::Board(function, board, args) => Node::Board(*function, *board, self.nodes(args)),
            ExprKind::Flood(board, from, within) => Node::Flood(*board, self.pair(from, within)),
            ExprKind::Stuck => Node::Stuck,
            ExprKind::StuckPlayer(player) => Node::StuckPlayer(self.boxed(player)),
            ExprKind::Not(a) => Node::Not(self.boxed(a)),
            ExprKind::And(parts) => Node::And(self.nodes(parts)),
            ExprKind::Or(parts) => Node::Or(self.nodes(parts)),
            ExprKind::Implies(a, b) => Node::Implies(self.pair(a, b)),
            ExprKind::Iff(a, b) => Node::Iff(self.pair(a, b)),
            ExprKind::Equal(a, b) => Node::Equal(self.pair(a, b)),
            ExprKind::Less(a, b) => Node::Less(self.pair(a, b)),
            ExprKind::LessEqual(a, b) => Node::LessEqual(self.pair(a, b)),
            ExprKind::In(a, b) => Node::In(self.pair(a, b)),
            ExprKind::Subset(a, b) => Node::Subset(self.pair(a, b)),
            ExprKind::Defined(a) => Node::Defined(self.boxed(a)),
            ExprKind::Quant(quant, binders, body) => Node::Quant(*quant, self.looped(binders, body)),
            ExprKind::Arith { op, exact, left, right } => Node::Arith(*op, *exact, self.pair(left, right)),
            ExprKind::Negate(a) => Node::Negate(self.boxed(a)),
            ExprKind::Card(a) => Node::Card(self.boxed(a)),
            ExprKind::SetOp(op, a, b) => Node::SetOp(*op, self.pair(a, b)),
            ExprKind::SetOf(items) => Node::SetOf(self.nodes(items)),
            ExprKind::Range(a, b) => Node::Range(self.pair(a, b)),
            ExprKind::Tuple(record, parts) => Node::Tuple(*record, self.nodes(parts)),
            ExprKind::List(items) => Node::List(self.nodes(items)),
            ExprKind::Part(a, n) => Node::Part(self.boxed(a), *n as usize),
            ExprKind::Present(a) => Node::Present(self.boxed(a)),
            ExprKind::Fold(fold, binders, body) => Node::Fold(*fold, self.looped(binders, body)),
            ExprKind::Collect(binders, body) => Node::Collect(self.looped(binders, body)),
            ExprKind::If(c, a, b) => Node::If(Box::new([self.node(c), self.node(a), self.node(b)])),
            ExprKind::Match(scrutinee, arms) => {
                let scrutinee = self.node(scrutinee);
                let arms = arms.iter().map(|arm| (self.arm(&arm.pattern), self.node(&arm.value)));
                let arms = arms.collect();
                Node::Match(Box::new((scrutinee, arms)))
            }
            ExprKind::Let(pattern, bound, body) => {
                Node::Let(Box::new((self.pattern(pattern), self.node(bound), self.node(body))))
            }
        }
    }

    fn looped(&mut self, binders: &[Binder], body: &Expr) -> Box<Loop> {
        Box::new(Loop { binders: self.binders(binders), body: self.node(body) })
    }

    fn binders(&mut self, binders: &[Binder]) -> Vec<BinderNode> {
        binders.iter().map(|binder| self.binder(binder)).collect()
    }

    pub fn binder(&mut self, binder: &Binder) -> BinderNode {
        BinderNode {
            pattern: self.pattern(&binder.pattern),
            domain: match &binder.domain {
                Domain::Fixed(values) => DomainNode::Fixed(Values::of(values)),
                Domain::Set(set) => DomainNode::Set(self.node(set)),
            },
            condition: binder.condition.as_ref().map(|condition| self.node(condition)),
        }
    }

    pub fn pattern(&mut self, pattern: &Pattern) -> PatternNode {
        match pattern {
            Pattern::Var(var) => PatternNode::Var(self.slot(*var)),
            Pattern::Tuple(parts) => {
                PatternNode::Tuple(parts.iter().map(|part| self.pattern(part)).collect())
            }
        }
    }

    fn arm(&mut self, pattern: &ArmPattern) -> ArmNode {
        match pattern {
            ArmPattern::Any => ArmNode::Any,
            ArmPattern::Value(value) => ArmNode::Value(self.node(value)),
            ArmPattern::OneOf(set) => ArmNode::OneOf(self.node(set)),
            ArmPattern::Tuple(parts) => ArmNode::Tuple(parts.iter().map(|part| self.arm(part)).collect()),
        }
    }

    pub fn block(&mut self, block: &Block) -> BlockNode {
        BlockNode { stmts: block.stmts.iter().map(|stmt| self.stmt(stmt)).collect() }
    }

    pub fn stmt(&mut self, stmt: &Stmt) -> StmtNode {
        let kind = match &stmt.kind {
            StmtKind::Require(condition) => StmtNodeKind::Require(self.node(condition)),
            StmtKind::Let(pattern, value) => StmtNodeKind::Let(self.pattern(pattern), self.node(value)),
            StmtKind::If(condition, then, otherwise) => {
                StmtNodeKind::If(self.node(condition), self.block(then), self.block(otherwise))
            }
            StmtKind::For(binders, body) => StmtNodeKind::For(self.binders(binders), self.block(body)),
            StmtKind::Then(block) => StmtNodeKind::Then(self.block(block)),
            StmtKind::Effect(effect) => StmtNodeKind::Effect(EffectNode {
                field: effect.field,
                keys: self.nodes(&effect.keys),
                path: effect.path.clone(),
                op: effect.op,
                value: self.node(&effect.value),
            }),
            StmtKind::Stay(phase) => StmtNodeKind::Stay(*phase),
            StmtKind::Next(player) => StmtNodeKind::Next(self.node(player)),
        };
        StmtNode { kind, span: stmt.span }
    }
}
