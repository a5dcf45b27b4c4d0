//! Visitors of every expression of a tree.

use super::ast::{
    Access, Actor, Bind, Binder, BoardForm, ClaimKind, Effect, EndCondition, Expect, Expr, ExprKind, File,
    ItemKind, MoveDecl, OutcomeKind, Stmt, StmtBlock, StmtKind, SymmetryClause, TemplatePart, TestStep, Type,
    TypeKind, Visibility,
};

/// Calls `see` with the outermost expressions of a file, in order; [`children`] visits deeper ones.
pub fn expressions<'t>(file: &'t File, see: &mut dyn FnMut(&'t Expr)) {
    for item in &file.items {
        item_expressions(&item.kind, see);
    }
}

fn item_expressions<'t>(item: &'t ItemKind, see: &mut dyn FnMut(&'t Expr)) {
    match item {
        ItemKind::Game(_)
        | ItemKind::Use { .. }
        | ItemKind::Players(_)
        | ItemKind::Enum { .. }
        | ItemKind::Play { .. } => {}
        ItemKind::Param { ty, default, condition, .. } => {
            in_type(ty, see);
            see(default);
            condition.iter().for_each(see);
        }
        ItemKind::Preset { settings, .. } => settings.iter().for_each(|setting| see(&setting.value)),
        ItemKind::Const { keys, ty, value, .. } => {
            in_binds(keys, see);
            ty.iter().for_each(|ty| in_type(ty, see));
            see(value);
        }
        ItemKind::Record { parts, .. } => in_binds(parts, see),
        ItemKind::TypeAlias { ty, .. } => in_type(ty, see),
        ItemKind::Board { form, condition, .. } => {
            if let BoardForm::Expr(expr) = form {
                see(expr);
            }
            condition.iter().for_each(see);
        }
        ItemKind::Phases(phases) => {
            for actor in phases.iter().filter_map(|phase| phase.actor.as_ref()) {
                in_actor(actor, see);
            }
        }
        ItemKind::State(fields) => {
            for field in fields {
                in_binds(&field.keys, see);
                in_type(&field.ty, see);
                field.init.iter().for_each(&mut *see);
                if let Visibility::To(expr) = &field.visibility {
                    see(expr);
                }
            }
        }
        ItemKind::Def { formals, ty, body, .. } => {
            in_binds(formals.as_deref().unwrap_or_default(), see);
            ty.iter().for_each(|ty| in_type(ty, see));
            see(body);
        }
        ItemKind::Inductive { formals, body, .. } => {
            in_binds(formals, see);
            see(body);
        }
        ItemKind::Move(item) => in_move(item, see),
        ItemKind::Effect { formals, body, .. } => {
            in_binds(formals, see);
            in_block(body, see);
        }
        ItemKind::Evaluate { value, .. } | ItemKind::Invariant { value, .. } => see(value),
        ItemKind::Pass(condition) => condition.iter().for_each(see),
        ItemKind::EveryMove(body) => in_block(body, see),
        ItemKind::ForbidRepeat { of, .. } => of.iter().for_each(see),
        ItemKind::End(rules) => {
            for rule in rules {
                in_end_condition(&rule.condition, see);
                in_outcome(&rule.outcome.kind, see);
            }
        }
        ItemKind::Symmetry(SymmetryClause::Of(exprs)) => exprs.iter().for_each(see),
        ItemKind::Symmetry(_) => {}
        ItemKind::Sees { player, value, condition } => {
            see(player);
            see(value);
            condition.iter().for_each(see);
        }
        ItemKind::Display(hints) => {
            for hint in hints {
                hint.subject.iter().for_each(&mut *see);
                hint.arms.iter().for_each(|arm| {
                    see(&arm.value);
                    see(&arm.sign);
                });
            }
        }
        ItemKind::Expect(expect) => in_expect(expect, see),
        ItemKind::Test(test) => {
            test.settings.iter().for_each(|setting| see(&setting.value));
            for step in &test.steps {
                match step {
                    TestStep::Position(effects, _) => {
                        effects.iter().for_each(|effect| in_effect(effect, see))
                    }
                    TestStep::Play(moves, _) => moves.iter().for_each(&mut *see),
                    TestStep::Expect(expect) => in_expect(expect, see),
                }
            }
        }
    }
}

fn in_move<'t>(item: &'t MoveDecl, see: &mut dyn FnMut(&'t Expr)) {
    in_binds(&item.params, see);
    item.by.iter().for_each(|actor| in_actor(actor, see));
    for part in item.template.iter().flat_map(|template| &template.parts) {
        if let TemplatePart::Placeholder(expr) = part {
            see(expr);
        }
    }
    item.prefer.iter().for_each(&mut *see);
    in_block(&item.body, see);
}

fn in_actor<'t>(actor: &'t Actor, see: &mut dyn FnMut(&'t Expr)) {
    if let Actor::Player(expr) = actor {
        see(expr);
    }
}

fn in_binds<'t>(binds: &'t [Bind], see: &mut dyn FnMut(&'t Expr)) {
    binds.iter().for_each(|bind| in_type(&bind.ty, see));
}

fn in_type<'t>(ty: &'t Type, see: &mut dyn FnMut(&'t Expr)) {
    match &ty.kind {
        TypeKind::Bool => {}
        TypeKind::Set(inner) | TypeKind::List(inner) | TypeKind::Option(inner) => in_type(inner, see),
        TypeKind::Tuple(members) => members.iter().for_each(|member| in_type(member, see)),
        TypeKind::Expr(expr) => see(expr),
    }
}

fn in_block<'t>(block: &'t StmtBlock, see: &mut dyn FnMut(&'t Expr)) {
    block.stmts.iter().for_each(|stmt| statement(stmt, see));
}

/// Calls `see` with the outermost expressions of a statement, in order.
pub fn statement<'t>(stmt: &'t Stmt, see: &mut dyn FnMut(&'t Expr)) {
    match &stmt.kind {
        StmtKind::When(expr)
        | StmtKind::Let(_, expr)
        | StmtKind::Ensure(expr)
        | StmtKind::Weight(expr)
        | StmtKind::Next(expr) => see(expr),
        StmtKind::Then(body) => in_block(body, see),
        StmtKind::If(condition, then, otherwise) => {
            see(condition);
            in_block(then, see);
            otherwise.iter().for_each(|body| in_block(body, see));
        }
        StmtKind::For(binders, body) => {
            in_binders(binders, see);
            in_block(body, see);
        }
        StmtKind::Again | StmtKind::Continue(_) => {}
        StmtKind::Call(_, arguments) => arguments.iter().for_each(&mut *see),
        StmtKind::Effect(effect) => in_effect(effect, see),
    }
}

fn in_effect<'t>(effect: &'t Effect, see: &mut dyn FnMut(&'t Expr)) {
    for access in &effect.target.path {
        if let Access::Index(keys) = access {
            keys.iter().for_each(&mut *see);
        }
    }
    see(&effect.value);
}

fn in_end_condition<'t>(condition: &'t EndCondition, see: &mut dyn FnMut(&'t Expr)) {
    match condition {
        EndCondition::When { binder, condition } => {
            binder.iter().for_each(|binder| in_binder(binder, see));
            see(condition);
        }
        EndCondition::Repeat { of, condition, .. } => of.iter().chain(condition).for_each(see),
    }
}

fn in_outcome<'t>(outcome: &'t OutcomeKind, see: &mut dyn FnMut(&'t Expr)) {
    match outcome {
        OutcomeKind::Draw | OutcomeKind::Win | OutcomeKind::Lose => {}
        OutcomeKind::Wins(expr)
        | OutcomeKind::Loses(expr)
        | OutcomeKind::Highest(expr)
        | OutcomeKind::Lowest(expr)
        | OutcomeKind::Payoff(_, expr) => see(expr),
    }
}

fn in_expect<'t>(expect: &'t Expect, see: &mut dyn FnMut(&'t Expr)) {
    match &expect.claim.kind {
        ClaimKind::Perft { .. } | ClaimKind::Draw | ClaimKind::SolvedIn(_) => {}
        ClaimKind::Positions(_, expr)
        | ClaimKind::Nimber(_, expr)
        | ClaimKind::Value(_, expr)
        | ClaimKind::Moves(expr)
        | ClaimKind::Legal(expr)
        | ClaimKind::Illegal(expr)
        | ClaimKind::Holds(expr)
        | ClaimKind::Wins { player: expr, .. }
        | ClaimKind::Loses { player: expr, .. } => see(expr),
    }
    expect.settings.iter().for_each(|setting| see(&setting.value));
}

fn in_binders<'t>(binders: &'t [Binder], see: &mut dyn FnMut(&'t Expr)) {
    binders.iter().for_each(|binder| in_binder(binder, see));
}

fn in_binder<'t>(binder: &'t Binder, see: &mut dyn FnMut(&'t Expr)) {
    see(&binder.domain);
    binder.condition.iter().for_each(see);
}

/// Calls `see` with the direct subexpressions of an expression, in order.
pub fn children<'t>(expr: &'t Expr, see: &mut dyn FnMut(&'t Expr)) {
    match &*expr.kind {
        ExprKind::Name(_)
        | ExprKind::Number(_)
        | ExprKind::Str(_)
        | ExprKind::Text(_)
        | ExprKind::Bool(_)
        | ExprKind::None
        | ExprKind::Error => {}
        ExprKind::Unary(_, inner) | ExprKind::Part(inner, _) | ExprKind::Paren(inner) => see(inner),
        ExprKind::Binary(_, left, right) | ExprKind::Range(left, right) => {
            see(left);
            see(right);
        }
        ExprKind::Compare(first, rest) => {
            see(first);
            rest.iter().for_each(|(_, expr)| see(expr));
        }
        ExprKind::Call(head, arguments) | ExprKind::Index(head, arguments) => {
            see(head);
            arguments.iter().for_each(see);
        }
        ExprKind::Quant(_, binders, body) => {
            in_binders(binders, see);
            see(body);
        }
        ExprKind::If(condition, then, otherwise) => [condition, then, otherwise].into_iter().for_each(see),
        ExprKind::Match(subject, arms) => {
            see(subject);
            for arm in arms {
                arm.pattern.iter().for_each(&mut *see);
                see(&arm.value);
            }
        }
        ExprKind::Let(_, value, body) => {
            see(value);
            see(body);
        }
        ExprKind::Diagram(_, signs) => signs.iter().for_each(|(_, value)| see(value)),
        ExprKind::Set(elements) | ExprKind::List(elements) | ExprKind::Tuple(elements) => {
            elements.iter().for_each(see)
        }
        ExprKind::Filter(binder) => in_binder(binder, see),
        ExprKind::Comprehension(element, binders) => {
            see(element);
            in_binders(binders, see);
        }
    }
}
