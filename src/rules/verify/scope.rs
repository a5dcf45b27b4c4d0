//! Tests expressions and statements, with the variables that are bound around them.

use bouton_base::id::Id;

use super::{Requirement, Verifier};
use crate::typing::{Mismatch, Typing};
use crate::{
    ArmPattern, Binder, Block, Domain, Effect, EffectOp, Expr, ExprKind, Pattern, Stmt, StmtKind, Type, Var,
    VarId, Vars,
};

/// The place of an expression, which decides if it may mention the maker of a move and the legal moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Move,
    Def {
        uses_me: bool,
    },
    /// Ends, passes, invariants, claims and the like.
    Rule,
}

/// The variables of one item, and those that are bound at one place in it.
pub(super) struct Scope {
    vars: Vars,
    /// False for an item that does not list its variables; they have the types of what they are bound to.
    listed: bool,
    bound: Vec<VarId>,
    place: Place,
}

impl Scope {
    /// The scope of an item with these variables, none bound.
    pub fn new(vars: &Vars, place: Place) -> Scope {
        Scope { vars: vars.clone(), listed: true, bound: Vec::new(), place }
    }

    /// The scope of an item that does not list its variables.
    pub fn without_vars(place: Place) -> Scope {
        Scope { vars: Vars::new(), listed: false, bound: Vec::new(), place }
    }

    pub fn bind(&mut self, var: VarId) {
        self.bound.push(var);
    }
}

impl Verifier<'_> {
    /// Tests an expression, and that it has the type that its place needs.
    pub(super) fn typed(&mut self, scope: &mut Scope, expr: &Expr, ty: &Type) {
        self.tested(scope, expr, |typing| typing.must_be(expr, ty));
    }

    /// Tests an expression that must be a number.
    pub(super) fn number(&mut self, scope: &mut Scope, expr: &Expr) {
        self.tested(scope, expr, |typing| typing.number(expr).map(drop));
    }

    /// Tests an expression that must be a player or a set of players.
    pub(super) fn players(&mut self, scope: &mut Scope, expr: &Expr) {
        self.tested(scope, expr, |typing| typing.players(expr));
    }

    fn tested(
        &mut self,
        scope: &mut Scope,
        expr: &Expr,
        test: impl FnOnce(&Typing<'_>) -> Result<(), Mismatch>,
    ) {
        let before = self.found.len();
        self.expr(scope, expr);
        if self.found.len() == before
            && let Err(reason) = test(&self.typing(&scope.vars))
        {
            self.report(Requirement::Types, reason);
        }
    }

    /// Tests an expression and its parts; a part of a damaged expression is not reported again.
    pub(super) fn expr(&mut self, scope: &mut Scope, expr: &Expr) {
        let before = self.found.len();
        let depth = scope.bound.len();
        match &*expr.kind {
            ExprKind::Const(value) => {
                if self.rules.knows(value) {
                    self.ty(&expr.ty);
                }
                if self.found.len() == before {
                    self.value(value, &expr.ty);
                }
                return;
            }
            ExprKind::Quant(_, binders, body)
            | ExprKind::Fold(_, binders, body)
            | ExprKind::Collect(binders, body) => {
                binders.iter().for_each(|binder| self.binder(scope, binder));
                self.expr(scope, body);
            }
            ExprKind::Let(pattern, value, body) => {
                self.expr(scope, value);
                self.pattern(scope, pattern, Ok(value.ty.clone()));
                self.expr(scope, body);
            }
            ExprKind::Match(scrutinee, arms) => {
                self.expr(scope, scrutinee);
                for arm in arms {
                    self.arm(scope, &arm.pattern);
                    self.expr(scope, &arm.value);
                }
            }
            _ => {
                let mut parts = Vec::new();
                expr.each_part(&mut |part| parts.push(part));
                parts.into_iter().for_each(|part| self.expr(scope, part));
            }
        }
        self.names(scope, expr);
        if self.found.len() == before {
            self.ty(&expr.ty);
        }
        if self.found.len() == before {
            match self.typing(&scope.vars).type_of(&expr.kind) {
                Err(reason) => self.report(Requirement::Types, reason),
                Ok(ty) if ty.is_assignable_to(&expr.ty) => {}
                Ok(ty) => {
                    let (ty, has) = (self.rules.show_type(&ty), self.rules.show_type(&expr.ty));
                    self.report(Requirement::Types, format!("an expression of type {ty} has the type {has}"));
                }
            }
        }
        scope.bound.truncate(depth);
    }

    fn arm(&mut self, scope: &mut Scope, pattern: &ArmPattern) {
        match pattern {
            ArmPattern::Any => {}
            ArmPattern::Value(value) | ArmPattern::OneOf(value) => self.expr(scope, value),
            ArmPattern::Tuple(parts) => parts.iter().for_each(|part| self.arm(scope, part)),
        }
    }

    /// Tests that an expression mentions things that exist, in its place, with their number of arguments.
    fn names(&mut self, scope: &Scope, expr: &Expr) {
        let rules = self.rules;
        // The number of arguments that are needed and given; `None` for a name that does not exist.
        let arity = match &*expr.kind {
            ExprKind::Var(var) => {
                let bound = scope.bound.contains(var);
                self.require(Requirement::Variables, bound, &format!("the variable {var} is not bound here"));
                Some((0, 0))
            }
            ExprKind::Field(field, keys) => rules.fields.get(*field).map(|of| (of.keys.len(), keys.len())),
            ExprKind::Table(table, keys) => rules.tables.get(*table).map(|of| (of.keys.len(), keys.len())),
            ExprKind::Call(def, args) => rules.defs.get(*def).map(|of| (of.params.len(), args.len())),
            ExprKind::Tuple(Some(record), parts) => {
                rules.records.get(*record).map(|of| (of.parts.len(), parts.len()))
            }
            ExprKind::Board(function, board, args) => {
                rules.boards.get(*board).map(|_| (function.arity(args.len()), args.len()))
            }
            ExprKind::Flood(board, ..) => rules.boards.get(*board).map(|_| (0, 0)),
            _ => Some((0, 0)),
        };
        match arity {
            None => self.report(Requirement::Ids, "an expression mentions what does not exist"),
            Some((needed, given)) => {
                let reason = format!("{needed} arguments are needed, {given} are given");
                self.require(Requirement::Arguments, needed == given, &reason);
            }
        }
        let uses_me = match &*expr.kind {
            ExprKind::Me => true,
            ExprKind::Call(def, _) => rules.defs.get(*def).is_some_and(|of| of.uses_me),
            _ => false,
        };
        let maker = matches!(scope.place, Place::Move | Place::Def { uses_me: true });
        self.require(Requirement::Maker, maker || !uses_me, "nobody makes a move here");
        let stuck = matches!(&*expr.kind, ExprKind::Stuck | ExprKind::StuckPlayer(_));
        let legal = scope.place == Place::Rule || !stuck;
        self.require(Requirement::LegalMoves, legal, "the legal moves depend on this");
    }

    /// Tests a binder; its variables stay bound.
    pub(super) fn binder(&mut self, scope: &mut Scope, binder: &Binder) {
        let before = self.found.len();
        match &binder.domain {
            Domain::Fixed(values) => {
                let known = values.iter().all(|value| self.rules.knows(value));
                self.require(Requirement::Ids, known, "a value mentions what does not exist");
            }
            Domain::Set(set) => self.expr(scope, set),
        }
        let ty = if self.found.len() == before {
            self.typing(&scope.vars).domain(&binder.domain)
        } else {
            Ok(Type::Never)
        };
        self.pattern(scope, &binder.pattern, ty);
        binder.condition.iter().for_each(|condition| self.typed(scope, condition, &Type::Bool));
    }

    /// Tests that a pattern fits a type, and binds its variables.
    fn pattern(&mut self, scope: &mut Scope, pattern: &Pattern, ty: Result<Type, Mismatch>) {
        let mut bindings = Vec::new();
        let bound = ty.and_then(|ty| self.typing(&scope.vars).bindings(pattern, &ty, &mut bindings));
        if let Err(reason) = bound {
            self.report(Requirement::Types, reason);
        }
        for (var, ty) in bindings {
            while !scope.listed && scope.vars.len() <= var.index() {
                scope.vars.push(Var { name: "x".into(), ty: Type::Never });
            }
            if scope.vars.get(var).is_none() {
                self.report(Requirement::Ids, format!("the variable {var} does not exist"));
                continue;
            }
            if !scope.listed {
                scope.vars[var].ty = ty;
            } else if !ty.is_assignable_to(&scope.vars[var].ty) {
                let reason = format!("the variable {var} has another type than its values");
                self.report(Requirement::Types, reason);
            }
            scope.bind(var);
        }
    }

    /// Tests the statements of a block; the variables of its own `let`s stay bound.
    pub(super) fn stmts(&mut self, scope: &mut Scope, block: &Block) {
        block.stmts.iter().for_each(|stmt| self.stmt(scope, stmt));
    }

    fn block(&mut self, scope: &mut Scope, block: &Block) {
        let depth = scope.bound.len();
        self.stmts(scope, block);
        scope.bound.truncate(depth);
    }

    fn stmt(&mut self, scope: &mut Scope, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Require(condition) => self.typed(scope, condition, &Type::Bool),
            StmtKind::Let(pattern, value) => {
                self.expr(scope, value);
                self.pattern(scope, pattern, Ok(value.ty.clone()));
            }
            StmtKind::If(condition, yes, no) => {
                self.typed(scope, condition, &Type::Bool);
                self.block(scope, yes);
                self.block(scope, no);
            }
            StmtKind::For(binders, block) => {
                let depth = scope.bound.len();
                binders.iter().for_each(|binder| self.binder(scope, binder));
                self.stmts(scope, block);
                scope.bound.truncate(depth);
            }
            StmtKind::Then(block) => self.block(scope, block),
            StmtKind::Effect(effect) => self.effect(scope, effect),
            StmtKind::Stay(phase) => {
                let known = phase.is_none_or(|phase| phase.index() < self.rules.phases.len());
                self.require(Requirement::Ids, known, "the next phase does not exist");
            }
            StmtKind::Next(player) => self.typed(scope, player, &Type::Sym(crate::PLAYER)),
        }
    }

    fn effect(&mut self, scope: &mut Scope, effect: &Effect) {
        let Some(field) = self.rules.fields.get(effect.field) else {
            self.report(Requirement::Ids, "an effect changes a field that does not exist");
            return;
        };
        let before = self.found.len();
        effect.keys.iter().chain([&effect.value]).for_each(|expr| self.expr(scope, expr));
        let (needed, given) = (field.keys.len(), effect.keys.len());
        let reason = format!("the field `{}` has {needed} keys, {given} are given", field.name);
        self.require(Requirement::Arguments, needed == given, &reason);
        if self.found.len() > before {
            return;
        }
        let typing = self.typing(&scope.vars);
        let mut keys = effect.keys.iter().zip(&field.keys);
        let fits = keys
            .try_for_each(|(key, domain)| typing.must_be(key, &domain.ty))
            .and_then(|()| typing.part_at(&field.ty, &effect.path))
            .and_then(|target| match effect.op {
                EffectOp::Set => typing.must_be(&effect.value, &target),
                EffectOp::Add | EffectOp::Subtract => match target.base() {
                    Type::Int(..) => typing.number(&effect.value).map(drop),
                    _ => Err("what changes is no number".into()),
                },
                EffectOp::Insert => match target.base() {
                    Type::Set(_) => typing.must_be(&effect.value, &target),
                    _ => Err("what changes is no set".into()),
                },
                EffectOp::Remove => match target.element() {
                    Some(_) => typing.element(&effect.value).map(drop),
                    None => Err("what changes is no set".into()),
                },
            });
        if let Err(reason) = fits {
            self.report(Requirement::Effects, format!("an effect on `{}`: {reason}", field.name));
        }
    }
}
