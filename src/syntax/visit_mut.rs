//! A visitor that may change every term of an item.

use super::ast::{
    Access, Actor, Bind, Binder, BoardForm, ClaimKind, Effect, EndCondition, EndRule, Expect, Expr, ExprKind,
    ItemKind, OutcomeKind, Pattern, Setting, Stmt, StmtBlock, StmtKind, SymmetryClause, TemplatePart,
    TestStep, Type, TypeKind, Visibility,
};

/// The calls of a visit, in the order of the item.
pub(crate) trait TermVisitor {
    /// Sees a variable, with the set that it goes through if it has one.
    fn variable(&mut self, _name: &str, _set: Option<&Expr>) {}

    /// Changes the statements of a block, whose terms follow.
    fn block(&mut self, _stmts: &mut Vec<Stmt>) {}

    /// Changes a term whose parts were changed before.
    fn term(&mut self, _term: &mut Expr) {}
}

/// Visits the terms of an item.
pub(crate) fn visit_item(item: &mut ItemKind, to: &mut dyn TermVisitor) {
    match item {
        ItemKind::Game(_)
        | ItemKind::Use { .. }
        | ItemKind::Players(_)
        | ItemKind::Enum { .. }
        | ItemKind::Play { .. } => {}
        ItemKind::Param { ty, default, condition, .. } => {
            in_type(ty, to);
            in_terms([default].into_iter().chain(condition), to);
        }
        ItemKind::Preset { settings, .. } => in_settings(settings, to),
        ItemKind::Const { keys, ty, value, .. } => {
            in_binds(keys, to);
            ty.iter_mut().for_each(|ty| in_type(ty, to));
            in_term(value, to);
        }
        ItemKind::Record { parts, .. } => parts.iter_mut().for_each(|part| in_type(&mut part.ty, to)),
        ItemKind::TypeAlias { ty, .. } => in_type(ty, to),
        ItemKind::Board { form, condition, .. } => {
            if let BoardForm::Expr(expr) = form {
                in_term(expr, to);
            }
            in_terms(condition, to);
        }
        ItemKind::Phases(phases) => {
            phases.iter_mut().for_each(|phase| in_actor(phase.actor.as_mut(), to));
        }
        ItemKind::State(fields) => {
            for field in fields {
                in_binds(&mut field.keys, to);
                in_type(&mut field.ty, to);
                in_terms(&mut field.init, to);
                if let Visibility::To(expr) = &mut field.visibility {
                    in_term(expr, to);
                }
            }
        }
        ItemKind::Def { formals, ty, body, .. } => {
            in_binds(formals.as_deref_mut().unwrap_or_default(), to);
            ty.iter_mut().for_each(|ty| in_type(ty, to));
            in_term(body, to);
        }
        ItemKind::Inductive { formals, body, .. } => {
            in_binds(formals, to);
            in_term(body, to);
        }
        ItemKind::Move(item) => {
            in_binds(&mut item.params, to);
            in_actor(item.by.as_mut(), to);
            for part in item.template.iter_mut().flat_map(|template| &mut template.parts) {
                if let TemplatePart::Placeholder(expr) = part {
                    in_term(expr, to);
                }
            }
            in_terms(&mut item.prefer, to);
            in_block(&mut item.body, to);
        }
        ItemKind::Effect { formals, body, .. } => {
            in_binds(formals, to);
            in_block(body, to);
        }
        ItemKind::Evaluate { player, value } => {
            to.variable(&player.text, None);
            in_term(value, to);
        }
        ItemKind::Invariant { value, .. } => in_term(value, to),
        ItemKind::Pass(condition) => in_terms(condition, to),
        ItemKind::EveryMove(body) => in_block(body, to),
        ItemKind::ForbidRepeat { of, .. } => in_terms(of, to),
        ItemKind::End(rules) => rules.iter_mut().for_each(|rule| in_rule(rule, to)),
        ItemKind::Symmetry(SymmetryClause::Of(exprs)) => in_terms(exprs, to),
        ItemKind::Symmetry(_) => {}
        ItemKind::Sees { player, value, condition } => {
            if let Some(name) = player.as_name() {
                to.variable(name, None);
            }
            in_terms([player, value].into_iter().chain(condition), to);
        }
        ItemKind::Display(hints) => {
            for hint in hints {
                in_terms(&mut hint.subject, to);
                in_terms(hint.arms.iter_mut().flat_map(|arm| [&mut arm.value, &mut arm.sign]), to);
            }
        }
        ItemKind::Expect(expect) => in_expect(expect, to),
        ItemKind::Test(test) => {
            in_settings(&mut test.settings, to);
            for step in &mut test.steps {
                match step {
                    TestStep::Position(effects, _) => {
                        effects.iter_mut().for_each(|effect| in_effect(effect, to))
                    }
                    TestStep::Play(moves, _) => in_terms(moves, to),
                    TestStep::Expect(expect) => in_expect(expect, to),
                }
            }
        }
    }
}

fn in_settings(settings: &mut [Setting], to: &mut dyn TermVisitor) {
    in_terms(settings.iter_mut().map(|setting| &mut setting.value), to);
}

fn in_actor(actor: Option<&mut Actor>, to: &mut dyn TermVisitor) {
    if let Some(Actor::Player(expr)) = actor {
        in_term(expr, to);
    }
}

fn in_binds(binds: &mut [Bind], to: &mut dyn TermVisitor) {
    for bind in binds {
        let set = if let TypeKind::Expr(set) = &bind.ty.kind { Some(set) } else { None };
        to.variable(&bind.name.text, set);
        in_type(&mut bind.ty, to);
    }
}

fn in_type(ty: &mut Type, to: &mut dyn TermVisitor) {
    match &mut ty.kind {
        TypeKind::Bool => {}
        TypeKind::Set(inner) | TypeKind::List(inner) | TypeKind::Option(inner) => in_type(inner, to),
        TypeKind::Tuple(members) => members.iter_mut().for_each(|member| in_type(member, to)),
        TypeKind::Expr(expr) => in_term(expr, to),
    }
}

fn in_block(block: &mut StmtBlock, to: &mut dyn TermVisitor) {
    to.block(&mut block.stmts);
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            StmtKind::When(expr) | StmtKind::Ensure(expr) | StmtKind::Weight(expr) | StmtKind::Next(expr) => {
                in_term(expr, to);
            }
            StmtKind::Let(pattern, expr) => {
                in_pattern(pattern, None, to);
                in_term(expr, to);
            }
            StmtKind::Then(body) => in_block(body, to),
            StmtKind::If(condition, then, otherwise) => {
                in_term(condition, to);
                in_block(then, to);
                otherwise.iter_mut().for_each(|body| in_block(body, to));
            }
            StmtKind::For(binders, body) => {
                in_binders(binders, to);
                in_block(body, to);
            }
            StmtKind::Again | StmtKind::Continue(_) => {}
            StmtKind::Call(_, arguments) => in_terms(arguments, to),
            StmtKind::Effect(effect) => in_effect(effect, to),
        }
    }
}

fn in_effect(effect: &mut Effect, to: &mut dyn TermVisitor) {
    for access in &mut effect.target.path {
        if let Access::Index(keys) = access {
            in_terms(keys, to);
        }
    }
    in_term(&mut effect.value, to);
}

fn in_rule(rule: &mut EndRule, to: &mut dyn TermVisitor) {
    match &mut rule.condition {
        EndCondition::When { binder, condition } => {
            in_binders(binder.as_mut_slice(), to);
            in_term(condition, to);
        }
        EndCondition::Repeat { of, condition, .. } => in_terms(of.iter_mut().chain(condition), to),
    }
    match &mut rule.outcome.kind {
        OutcomeKind::Draw | OutcomeKind::Win | OutcomeKind::Lose => {}
        OutcomeKind::Payoff(player, expr) => {
            to.variable(&player.text, None);
            in_term(expr, to);
        }
        OutcomeKind::Wins(expr)
        | OutcomeKind::Loses(expr)
        | OutcomeKind::Highest(expr)
        | OutcomeKind::Lowest(expr) => in_term(expr, to),
    }
}

fn in_expect(expect: &mut Expect, to: &mut dyn TermVisitor) {
    match &mut expect.claim.kind {
        ClaimKind::Perft { .. } | ClaimKind::Draw | ClaimKind::SolvedIn(_) => {}
        ClaimKind::Positions(_, expr)
        | ClaimKind::Nimber(_, expr)
        | ClaimKind::Value(_, expr)
        | ClaimKind::Moves(expr)
        | ClaimKind::Legal(expr)
        | ClaimKind::Illegal(expr)
        | ClaimKind::Holds(expr)
        | ClaimKind::Wins { player: expr, .. }
        | ClaimKind::Loses { player: expr, .. } => in_term(expr, to),
    }
    in_settings(&mut expect.settings, to);
}

fn in_binders(binders: &mut [Binder], to: &mut dyn TermVisitor) {
    for binder in binders {
        in_pattern(&binder.pattern, Some(&binder.domain), to);
        in_term(&mut binder.domain, to);
        in_terms(&mut binder.condition, to);
    }
}

fn in_pattern(pattern: &Pattern, set: Option<&Expr>, to: &mut dyn TermVisitor) {
    match pattern {
        Pattern::Name(name) => to.variable(&name.text, set),
        Pattern::Tuple(patterns, _) => patterns.iter().for_each(|inner| in_pattern(inner, None, to)),
    }
}

fn in_terms<'t>(terms: impl IntoIterator<Item = &'t mut Expr>, to: &mut dyn TermVisitor) {
    terms.into_iter().for_each(|term| in_term(term, to));
}

fn in_term(term: &mut Expr, to: &mut dyn TermVisitor) {
    match &mut *term.kind {
        ExprKind::Name(_)
        | ExprKind::Number(_)
        | ExprKind::Str(_)
        | ExprKind::Text(_)
        | ExprKind::Bool(_)
        | ExprKind::None
        | ExprKind::Error => {}
        ExprKind::Unary(_, inner) | ExprKind::Part(inner, _) | ExprKind::Paren(inner) => in_term(inner, to),
        ExprKind::Binary(_, left, right) | ExprKind::Range(left, right) => in_terms([left, right], to),
        ExprKind::Compare(first, rest) => {
            in_terms([first].into_iter().chain(rest.iter_mut().map(|(_, expr)| expr)), to);
        }
        ExprKind::Call(head, arguments) | ExprKind::Index(head, arguments) => {
            in_terms([head].into_iter().chain(arguments), to);
        }
        ExprKind::Quant(_, binders, body) => {
            in_binders(binders, to);
            in_term(body, to);
        }
        ExprKind::If(condition, then, otherwise) => in_terms([condition, then, otherwise], to),
        ExprKind::Match(subject, arms) => {
            in_term(subject, to);
            for arm in arms {
                in_terms(arm.pattern.iter_mut().chain([&mut arm.value]), to);
            }
        }
        ExprKind::Let(pattern, value, body) => {
            in_pattern(pattern, None, to);
            in_terms([value, body], to);
        }
        ExprKind::Diagram(_, signs) => in_terms(signs.iter_mut().map(|(_, value)| value), to),
        ExprKind::Set(elements) | ExprKind::List(elements) | ExprKind::Tuple(elements) => {
            in_terms(elements, to);
        }
        ExprKind::Filter(binder) => in_binders(std::slice::from_mut(binder), to),
        ExprKind::Comprehension(element, binders) => {
            in_binders(binders, to);
            in_term(element, to);
        }
    }
    to.term(term);
}
