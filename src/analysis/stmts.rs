//! Statements of moves: conditions, bindings, stages, control.

use super::analyzer::Analyzer;
use super::foreign_names;
use super::index::DefinitionKind;
use super::locals::Locals;
use super::symbols::{SymbolKind, UseKind};
use bouton_base::source::Span;
use bouton_rules::{Actor, Block, Expr, ExprKind, PLAYER, PhaseId, Stmt, StmtKind, Type, Value};
use bouton_syntax::ast;
use bouton_syntax::diag::{self, Code, Diagnostic};

/// The maximal depth of calls of effects; a deeper call is reported as a cycle.
const CALL_LIMIT: usize = 32;
/// The maximal number of statements that calls of effects expand to in one analysis: thirty effects, each of which
/// calls the next twice, would exceed the memory.
const EXPANSION_LIMIT: usize = 1 << 18;

/// The move around a statement.
pub(super) struct MoveScope<'s> {
    /// The phases of the move.
    pub phases: &'s [PhaseId],
    /// The effects being expanded, each with its call.
    pub calls: Vec<(String, Span)>,
}

/// A call of an effect.
#[derive(Clone, Copy)]
struct EffectCall<'e> {
    name: &'e ast::Name,
    args: &'e [ast::Expr],
    /// The whole call.
    span: Span,
}

/// Returns true if a formula holds in no position: it is the constant false, or its numbers are of ranges that exclude it.
fn never_holds(formula: &Expr) -> bool {
    let ranges = |left: &Expr, right: &Expr| Some((left.ty.interval()?, right.ty.interval()?));
    match &*formula.kind {
        ExprKind::Const(value) => *value == Value::Bool(false),
        ExprKind::And(parts) => parts.iter().any(never_holds),
        ExprKind::Or(parts) => parts.iter().all(never_holds),
        ExprKind::Less(left, right) => ranges(left, right).is_some_and(|(left, right)| left.0 >= right.1),
        ExprKind::LessEqual(left, right) => ranges(left, right).is_some_and(|(left, right)| left.0 > right.1),
        ExprKind::Equal(left, right) => {
            ranges(left, right).is_some_and(|(left, right)| left.0 > right.1 || left.1 < right.0)
        }
        _ => false,
    }
}

impl<'a> Analyzer<'a> {
    /// Elaborates a block; its names end with it.
    pub fn block(&mut self, block: &ast::StmtBlock, locals: &mut Locals, scope: &mut MoveScope) -> Block {
        let depth = locals.stack.len();
        let made = self.stmts(&block.stmts, locals, scope);
        self.unused_lets(locals, depth);
        self.leave(locals, depth);
        made
    }

    /// Elaborates statements whose names stay in scope.
    pub fn stmts(&mut self, stmts: &[ast::Stmt], locals: &mut Locals, scope: &mut MoveScope) -> Block {
        let mut made = Block::default();
        let outer = self.never_reached;
        for stmt in stmts {
            self.stmt(stmt, locals, scope, &mut made.stmts);
        }
        self.never_reached = outer;
        made
    }

    fn stmt(&mut self, stmt: &ast::Stmt, locals: &mut Locals, scope: &mut MoveScope, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        self.expanded_stmts = self.expanded_stmts.saturating_add(usize::from(!scope.calls.is_empty()));
        let mut add = |kind| out.push(Stmt { kind, span });
        match &stmt.kind {
            ast::StmtKind::When(e) | ast::StmtKind::Ensure(e) => {
                let e = self.formula(e, locals);
                self.never_reached |= never_holds(&e);
                add(StmtKind::Require(e));
            }
            ast::StmtKind::Let(pattern, value) => {
                let value = self.expr(value, None, locals);
                let pattern = self.bind_pattern(pattern, &value.ty.clone(), locals);
                add(StmtKind::Let(pattern, value));
            }
            // The weight of an event has already been taken out of the body.
            ast::StmtKind::Weight(e) => {
                self.error(
                    Code::E0006,
                    "`weight` belongs to chance events, outside of any block",
                    e.span,
                    "",
                );
            }
            ast::StmtKind::Then(block) => {
                let block = self.block(block, locals, scope);
                add(StmtKind::Then(block));
            }
            ast::StmtKind::If(condition, yes, no) => {
                let condition = self.formula(condition, locals);
                let outer = self.never_reached;
                self.never_reached |= never_holds(&condition);
                let yes = self.block(yes, locals, scope);
                self.never_reached = outer;
                let no = no.as_ref().map_or_else(Block::default, |b| self.block(b, locals, scope));
                add(StmtKind::If(condition, yes, no));
            }
            ast::StmtKind::For(binders, block) => {
                let depth = locals.stack.len();
                if let Some(made) = self.binders(binders, locals) {
                    let heads: Vec<bool> = locals.stack[depth..]
                        .iter_mut()
                        .map(|local| std::mem::take(&mut local.used))
                        .collect();
                    let body = self.block(block, locals, scope);
                    if !block.stmts.is_empty() {
                        self.same_effects_for_each(&locals.stack[depth..], &heads, binders, block);
                    }
                    for (local, used) in locals.stack[depth..].iter_mut().zip(heads) {
                        local.used |= used;
                    }
                    if !block.stmts.is_empty() {
                        self.unused_binders(locals, depth, "the effects are the same for every");
                    }
                    add(StmtKind::For(made, body));
                }
                self.leave(locals, depth);
            }
            ast::StmtKind::Again => {
                self.check_again(span, scope);
                self.kept_phases.extend(scope.phases.iter().map(|&phase| (phase, span)));
                add(StmtKind::Stay(None));
            }
            ast::StmtKind::Continue(name) => {
                if let Some(phase) = self.phase_named(name) {
                    match scope.phases == [phase] {
                        true => self.kept_phases.push((phase, span)),
                        false => self.entered_phases.push(phase),
                    }
                    add(StmtKind::Stay(Some(phase)));
                }
            }
            ast::StmtKind::Next(e) if self.is_effect_on_next(e) || self.is_turn_passed(e, span, locals) => {}
            ast::StmtKind::Next(e) => {
                let e = self.expr_of(e, &Type::Sym(PLAYER), locals);
                add(StmtKind::Next(e));
            }
            ast::StmtKind::Call(name, args) => {
                self.effect_call(EffectCall { name, args, span }, locals, scope, out);
            }
            ast::StmtKind::Effect(effect) => self.effect(effect, span, locals, out),
        }
    }

    /// Reports `next(n) = n + 1;`, an effect as GDL has it; returns true if the statement is one.
    fn is_effect_on_next(&mut self, e: &ast::Expr) -> bool {
        let ast::ExprKind::Compare(target, rest) = &*e.kind else { return false };
        let [(ast::CmpOp::Equal | ast::CmpOp::DoubleEqual, value)] = &rest[..] else { return false };
        let named = match &*target.bare().kind {
            ast::ExprKind::Index(of, _) => of.as_name(),
            _ => target.bare().as_name(),
        };
        let Some(name) = named.filter(|name| self.field_of(name).is_some()) else { return false };
        let effect =
            format!("{} := {};", bouton_syntax::print_expr(target.bare()), bouton_syntax::print_expr(value));
        let title = format!("an effect says at once what `{name}` becomes; `next` names the next player");
        let found = Diagnostic::new(Code::E0201, title, e.span, "no player");
        self.report(found.help(format!("write `{effect}`")));
        true
    }

    /// Reports `again` where all players move at once, since nobody has a turn to keep.
    fn check_again(&mut self, span: Span, scope: &MoveScope) {
        let each = |id: &&PhaseId| matches!(self.rules.phases[**id].actor, Actor::Each);
        let Some(&phase) = scope.phases.iter().find(each) else { return };
        let title = "all players move at once here: nobody has a turn that `again` could keep";
        let phase = &self.rules.phases[phase];
        let help = format!("write `continue {};` to stay in this phase", phase.name);
        let found = Diagnostic::new(Code::E0323, title, span, "in a phase `by each`");
        let declared = phase.span;
        self.report(found.label(declared, "this phase").help(help));
    }

    /// The phase with this name; reports a name that is no phase.
    pub fn phase_named(&mut self, name: &ast::Name) -> Option<PhaseId> {
        let found = self.rules.phases.entries().find(|(_, p)| p.name == name.text);
        let found = found.map(|(id, phase)| {
            self.names.refer(name.span, phase.span);
            id
        });
        if found.is_none() {
            let names: Vec<String> =
                self.rules.phases.iter().map(|p| p.name.clone()).filter(|n| !n.is_empty()).collect();
            let title = format!("there is no phase `{}`", name.text);
            let mut diagnostic = Diagnostic::new(Code::E0322, title, name.span, "no such phase");
            diagnostic = match diag::nearest(&name.text, names.iter().map(String::as_str)) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")).edit(name.span, near),
                None if names.is_empty() => diagnostic.help(format!(
                    "declare the phase, `phases {{ {0}; }}`, or leave out `in {0}`: without phases there is only the turn",
                    name.text
                )),
                None => match self.phase_of_the_move(&name.text) {
                    Some(phase) => diagnostic
                        .help(format!("`{}` is a move, which is made in the phase `{phase}`: write `{phase}`", name.text))
                        .edit(name.span, phase),
                    None => diagnostic.help(format!("the phases are {}", names.join(", "))),
                },
            };
            self.report(diagnostic);
        }
        found
    }

    /// The only phase in which the move of this name is made.
    fn phase_of_the_move(&self, name: &str) -> Option<&'a str> {
        self.items().find_map(|(item, _)| match &item.kind {
            ast::ItemKind::Move(of) if of.name.text == name => match &of.phases[..] {
                [only] => Some(only.text.as_str()),
                _ => None,
            },
            _ => None,
        })
    }

    /// Advice on `letter.append(x)`, where the field has a value for each key.
    fn element_of_a_keyed_field(&self, path: &str, span: Span) -> Option<String> {
        let (field, word) = path.split_once('.')?;
        let is_it =
            matches!(word, "add" | "insert" | "append" | "push" | "remove" | "delete" | "discard" | "pop");
        let field = &self.rules.fields[self.field_of(self.find(field, span)?)?];
        let [first, ..] = &field.keys[..] else { return None };
        let name = &field.name;
        let value = match (field.ty.base(), word) {
            (Type::Bool, "add" | "insert" | "append" | "push") => "true",
            (Type::Bool, _) => "false",
            _ => "...",
        };
        is_it.then(|| {
            format!(
                "`{name}` has a value for each `{0}`: one of them is set by `{name}[{0}] := {value};`",
                first.name
            )
        })
    }

    /// Expands an effect in the place of its call.
    fn effect_call(
        &mut self,
        call: EffectCall,
        locals: &mut Locals,
        scope: &mut MoveScope,
        out: &mut Vec<Stmt>,
    ) {
        let EffectCall { name, args, span } = call;
        let key = self.find_path(&name.text, name.span);
        if key.is_none() && !self.options.damaged && self.set_changed_by_a_method(name, args, span, locals) {
            return;
        }
        if key.is_none() && self.cell_emptied_by_a_call(name, args, span, locals) {
            return;
        }
        let (key, item) = match key.map(|key| (key, &self.symbols[key].kind)) {
            Some((key, SymbolKind::Effect { item })) => (key, *item),
            // The declaration may be in a damaged part of the file.
            _ if self.options.damaged => return,
            Some((_, SymbolKind::Def { .. } | SymbolKind::Inductive { .. })) => {
                let title = format!("there is no effect `{}`", name.text);
                let found = Diagnostic::new(Code::E0101, title, name.span, "a definition has a value");
                self.report(found.help(format!(
                    "it changes nothing: a condition of the move is `when {}(...);`, and a value is assigned by `:=`",
                    name.text
                )));
                return;
            }
            _ => {
                let effects: Vec<&str> = self
                    .symbols
                    .iter()
                    .filter(|(_, s)| matches!(s.kind, SymbolKind::Effect { .. }))
                    .map(|(n, _)| *n)
                    .collect();
                let title = format!("there is no effect `{}`", name.text);
                let mut found = Diagnostic::new(Code::E0101, title, name.span, "no `effect` of that name");
                if let Some(near) = diag::nearest(&name.text, effects) {
                    found = found.help(format!("did you mean `{near}`?")).edit(name.span, near);
                } else if let Some(help) = self.element_of_a_keyed_field(&name.text, span) {
                    found = found.help(help);
                } else if let Some(help) = foreign_names::effect_help(&name.text) {
                    found = found.help(help);
                }
                self.report(found);
                return;
            }
        };
        let ast::ItemKind::Effect { formals, body, .. } = &item.kind else { return };
        self.use_symbol(key, UseKind::Read);
        if scope.calls.iter().any(|(n, _)| n == key) || scope.calls.len() >= CALL_LIMIT {
            let title = format!("the effect `{key}` calls itself");
            let mut found = Diagnostic::new(Code::E0109, title, span, "called again here");
            for (_, at) in &scope.calls {
                found = found.label(*at, "called here");
            }
            self.report(found.help("effects are written out where they are called, so they cannot go round"));
            return;
        }
        if self.expanded_stmts > EXPANSION_LIMIT {
            self.report_expansion_limit(name, span);
            return;
        }
        let types: Vec<Type> = formals.iter().map(|f| self.ty(&f.ty)).collect();
        let Some(args) = self.arguments(key, args, &types, span, locals) else { return };
        // The body sees its own parameters and the player who moves, not the names at the call.
        let outer = std::mem::take(&mut locals.stack);
        for ((formal, ty), arg) in formals.iter().zip(types).zip(args) {
            self.names.define(&formal.name, DefinitionKind::Variable, &ty);
            let var = locals.add(&formal.name.text, ty, formal.name.span);
            let span = arg.span;
            out.push(Stmt { kind: StmtKind::Let(bouton_rules::Pattern::Var(var), arg), span });
        }
        scope.calls.push((key.to_string(), span));
        let made = self.stmts(&body.stmts, locals, scope);
        scope.calls.pop();
        self.unused_params(locals, formals);
        locals.stack = outer;
        out.extend(made.stmts);
    }

    /// Reports E0403 once; later omissions are not reported again.
    fn report_expansion_limit(&mut self, name: &ast::Name, span: Span) {
        if self.expanded_stmts == usize::MAX {
            return;
        }
        self.expanded_stmts = usize::MAX;
        let title = format!("the calls of effects write out more than {EXPANSION_LIMIT} statements");
        let label = format!("`{}` is one too many", name.text);
        let found = Diagnostic::new(Code::E0403, title, span, label);
        self.report(
            found.help("an effect is written out where it is called: let `for` repeat what is the same"),
        );
    }

    /// Warns about each `let` that nothing reads.
    fn unused_lets(&mut self, locals: &Locals, depth: usize) {
        let unused: Vec<(String, Span)> = locals.stack[depth..]
            .iter()
            .filter(|l| !l.used && !l.name.starts_with('_'))
            .map(|l| (l.name.clone(), l.span))
            .collect();
        for (name, span) in unused {
            let found = Diagnostic::new(Code::W0111, format!("`{name}` is never used"), span, "not used");
            self.report(found.help(
                "remove it; if it only makes the move illegal where it is undefined, say so with `when`",
            ));
        }
    }

    /// The truth value of a formula, if it is constant.
    pub fn constant_truth(expr: &Expr) -> Option<bool> {
        expr.constant().and_then(Value::as_bool)
    }
}
