//! Gives the expressions of rules their types, for front ends that make them without ([`crate::builder`]).

use bouton_base::id::Id;

use crate::builder::truth;
use crate::typing::Typing;
use crate::{
    Actor, Binder, Block, Claim, Def, Domain, Expectation, Expr, ExprKind, OutcomeExpr, Pattern, PerPlayer,
    Rules, Stmt, StmtKind, TemplatePart, TestStep, Type, Var, Vars,
};

/// Gives each expression without a type ([`Type::Error`]) the one that follows from its parts, and each variable the
/// one of its values. Expressions that have no type stay as they are.
pub(crate) fn infer(rules: &mut Rules) {
    let known = &declarations(rules);
    for of in &mut rules.moves {
        for param in &of.params {
            let values = Domain::Fixed(param.values.clone());
            let ty = Typing { rules: known, vars: &of.vars }.domain(&values).unwrap_or(Type::Error);
            set_type(&mut of.vars, param.var, ty);
        }
    }
    for phase in &mut rules.phases {
        if let Actor::Player(player) = &mut phase.actor {
            in_item(known, &mut Vars::new(), |item| item.expr(player));
        }
    }
    for def in &mut rules.defs {
        in_item(known, &mut def.vars, |item| item.expr(&mut def.body));
    }
    for of in &mut rules.moves {
        in_item(known, &mut of.vars, |item| {
            of.by.iter_mut().for_each(|by| item.expr(by));
            item.block(&mut of.body);
            of.weight.iter_mut().chain(&mut of.prefer).for_each(|value| item.expr(value));
            for part in &mut of.template {
                if let TemplatePart::Placeholder(value) = part {
                    item.expr(value);
                }
            }
        });
    }
    if let Some(condition) = rules.pass.as_mut().and_then(|pass| pass.condition.as_mut()) {
        in_item(known, &mut Vars::new(), |item| item.expr(condition));
    }
    for rule in &mut rules.ends {
        in_item(known, &mut rule.vars, |item| {
            rule.binder.iter_mut().for_each(|binder| item.binder(binder));
            item.expr(&mut rule.condition);
            item.outcome(&mut rule.outcome);
        });
        outcome_values(known, &mut rule.outcome);
    }
    for repeat in &mut rules.repeats {
        if let Some((of, vars)) = &mut repeat.of {
            in_item(known, vars, |item| item.expr(of));
        }
        in_item(known, &mut Vars::new(), |item| item.outcome(&mut repeat.outcome));
        outcome_values(known, &mut repeat.outcome);
    }
    for forbid in &mut rules.forbids {
        in_item(known, &mut forbid.vars, |item| forbid.of.iter_mut().for_each(|value| item.expr(value)));
    }
    for invariant in &mut rules.invariants {
        in_item(known, &mut invariant.vars, |item| item.expr(&mut invariant.value));
    }
    for sees in &mut rules.sees {
        in_item(known, &mut sees.vars, |item| {
            item.expr(&mut sees.players);
            item.expr(&mut sees.value);
            sees.condition.iter_mut().for_each(|condition| item.expr(condition));
        });
    }
    rules.evaluate.iter_mut().for_each(|evaluate| per_player(known, evaluate));
    rules.expectations.iter_mut().for_each(|expectation| claim(known, expectation));
    for step in rules.tests.iter_mut().flat_map(|test| &mut test.steps) {
        match step {
            TestStep::Position(block, vars, _) => in_item(known, vars, |item| item.block(block)),
            TestStep::Play(_) => {}
            TestStep::Expect(expectation) => claim(known, expectation),
        }
    }
}

/// The rules without bodies and moves. The types that expressions look up are those of declarations, which do not change.
fn declarations(rules: &mut Rules) -> Rules {
    let moves = std::mem::take(&mut rules.moves);
    let take = |def: &mut Def| std::mem::replace(&mut def.body, truth(false));
    let bodies: Vec<Expr> = (&mut rules.defs).into_iter().map(take).collect();
    let known = rules.clone();
    rules.moves = moves;
    (&mut rules.defs).into_iter().zip(bodies).for_each(|(def, body)| def.body = body);
    known
}

fn claim(rules: &Rules, expectation: &mut Expectation) {
    if let Claim::Holds(value) = &mut expectation.claim {
        in_item(rules, &mut expectation.vars, |item| item.expr(value));
    }
}

fn outcome_values(rules: &Rules, outcome: &mut OutcomeExpr) {
    if let OutcomeExpr::ByScore(values, _) | OutcomeExpr::Payoff(values) = outcome {
        per_player(rules, values);
    }
}

fn per_player(rules: &Rules, of: &mut PerPlayer) {
    in_item(rules, &mut of.vars, |item| of.values.iter_mut().for_each(|value| item.expr(value)));
}

/// Gives types inside an item with these variables; those that nothing binds have no values.
fn in_item(rules: &Rules, vars: &mut Vars, give: impl FnOnce(&mut Inference<'_>)) {
    let mut item = Inference { rules, vars: std::mem::take(vars) };
    give(&mut item);
    *vars = item.vars;
    for id in vars.ids() {
        set_type(vars, id, Type::Never);
    }
}

/// Gives a variable without a type this one; adds the variable if there is none.
fn set_type(vars: &mut Vars, var: crate::VarId, ty: Type) {
    while vars.len() <= var.index() {
        vars.push(Var { name: format!("x{}", vars.len()), ty: Type::Error });
    }
    if vars[var].ty == Type::Error {
        vars[var].ty = ty;
    }
}

/// An item whose expressions are given their types.
struct Inference<'r> {
    rules: &'r Rules,
    vars: Vars,
}

impl Inference<'_> {
    fn typing(&self) -> Typing<'_> {
        Typing { rules: self.rules, vars: &self.vars }
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &mut *expr.kind {
            ExprKind::Quant(_, binders, body)
            | ExprKind::Fold(_, binders, body)
            | ExprKind::Collect(binders, body) => {
                binders.iter_mut().for_each(|binder| self.binder(binder));
                self.expr(body);
            }
            ExprKind::Let(pattern, value, body) => {
                self.expr(value);
                self.bind(pattern, value.ty.clone());
                self.expr(body);
            }
            _ => expr.each_part_mut(&mut |part| self.expr(part)),
        }
        let known = !matches!(&*expr.kind, ExprKind::Const(value) if !self.rules.knows(value));
        if expr.ty == Type::Error && known {
            expr.ty = self.typing().type_of(&expr.kind).unwrap_or(Type::Error);
        }
    }

    fn binder(&mut self, binder: &mut Binder) {
        if let Domain::Set(set) = &mut binder.domain {
            self.expr(set);
        }
        let ty = self.typing().domain(&binder.domain).unwrap_or(Type::Error);
        self.bind(&binder.pattern, ty);
        binder.condition.iter_mut().for_each(|condition| self.expr(condition));
    }

    fn bind(&mut self, pattern: &Pattern, ty: Type) {
        let mut bindings = Vec::new();
        if self.typing().bindings(pattern, &ty, &mut bindings).is_ok() {
            bindings.into_iter().for_each(|(var, ty)| set_type(&mut self.vars, var, ty));
        }
    }

    fn block(&mut self, block: &mut Block) {
        block.stmts.iter_mut().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Require(condition) | StmtKind::Next(condition) => self.expr(condition),
            StmtKind::Let(pattern, value) => {
                self.expr(value);
                self.bind(pattern, value.ty.clone());
            }
            StmtKind::If(condition, yes, no) => {
                self.expr(condition);
                self.block(yes);
                self.block(no);
            }
            StmtKind::For(binders, block) => {
                binders.iter_mut().for_each(|binder| self.binder(binder));
                self.block(block);
            }
            StmtKind::Then(block) => self.block(block),
            StmtKind::Effect(effect) => {
                effect.keys.iter_mut().chain([&mut effect.value]).for_each(|expr| self.expr(expr));
            }
            StmtKind::Stay(_) => {}
        }
    }

    fn outcome(&mut self, outcome: &mut OutcomeExpr) {
        if let OutcomeExpr::Player(player, _) = outcome {
            self.expr(player);
        }
    }
}
