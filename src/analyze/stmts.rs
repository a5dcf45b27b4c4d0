//! Statements of moves: conditions, bindings, effects, stages, control.

use super::cx::Cx;
use super::locals::{Locals, Place};
use super::symbols::{SymbolKind, Use};
use crate::diag::{self, Code, Diagnostic};
use crate::rules::{
    Actor, Block, Effect, EffectOp, Expr, ExprKind, FieldId, MOVER, PHASE, PLAYER, PhaseId, Stmt, StmtKind,
    Type, Value,
};
use crate::source::Span;
use crate::syntax::ast::{self, Access};

/// Effects call effects at most so deep; deeper they go round.
const CALL_LIMIT: usize = 32;

/// What is known of the move around a statement.
pub(super) struct MoveScope<'s> {
    /// The phases it belongs to.
    pub phases: &'s [PhaseId],
    /// Effects being expanded.
    pub calls: Vec<(String, Span)>,
}

impl<'a> Cx<'a> {
    /// A block; its names end with it.
    pub fn block(&mut self, block: &ast::Block, locals: &mut Locals, scope: &mut MoveScope) -> Block {
        let depth = locals.stack.len();
        let made = self.stmts(&block.stmts, locals, scope);
        self.unused_lets(locals, depth);
        self.leave(locals, depth);
        made
    }

    /// Statements whose names stay in scope.
    pub fn stmts(&mut self, stmts: &[ast::Stmt], locals: &mut Locals, scope: &mut MoveScope) -> Block {
        let mut made = Block::default();
        for stmt in stmts {
            self.stmt(stmt, locals, scope, &mut made.stmts);
        }
        made
    }

    fn stmt(&mut self, stmt: &ast::Stmt, locals: &mut Locals, scope: &mut MoveScope, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let mut add = |kind| out.push(Stmt { kind, span });
        match &stmt.kind {
            ast::StmtKind::When(e) | ast::StmtKind::Ensure(e) => {
                let e = self.formula(e, locals);
                add(StmtKind::Require(e));
            }
            ast::StmtKind::Let(pattern, value) => {
                let value = self.expr(value, None, locals);
                let pattern = self.bind_pattern(pattern, &value.ty.clone(), locals);
                add(StmtKind::Let(pattern, value));
            }
            // The weight of an event is taken out of the body before.
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
                let yes = self.block(yes, locals, scope);
                let no = no.as_ref().map_or_else(Block::default, |b| self.block(b, locals, scope));
                add(StmtKind::If(condition, yes, no));
            }
            ast::StmtKind::For(binders, block) => {
                let depth = locals.stack.len();
                if let Some(binders) = self.binders(binders, locals) {
                    let block = self.block(block, locals, scope);
                    add(StmtKind::For(binders, block));
                }
                self.leave(locals, depth);
            }
            ast::StmtKind::Again => {
                self.nobody_goes_again(span, scope);
                self.entered.extend_from_slice(scope.phases);
                add(StmtKind::Stay(None));
            }
            ast::StmtKind::Continue(name) => {
                if let Some(phase) = self.phase_named(name) {
                    self.entered.push(phase);
                    add(StmtKind::Stay(Some(phase)));
                }
            }
            ast::StmtKind::Next(e) => {
                let e = self.expr_of(e, &Type::Sym(PLAYER), locals);
                add(StmtKind::Next(e));
            }
            ast::StmtKind::Call(name, args) => self.effect_call(name, args, span, locals, scope, out),
            ast::StmtKind::Effect(effect) => self.effect(effect, span, locals, out),
        }
    }

    /// `again` keeps the turn, which nobody has where all move at once.
    fn nobody_goes_again(&mut self, span: Span, scope: &MoveScope) {
        let each = |id: &&PhaseId| matches!(self.rules.phases[**id].actor, Actor::Each);
        let Some(&phase) = scope.phases.iter().find(each) else { return };
        let title = "all players move at once here: nobody has a turn that `again` could keep";
        let phase = &self.rules.phases[phase];
        let help = format!("write `continue {};` to stay in this phase", phase.name);
        let found = Diagnostic::new(Code::E0323, title, span, "in a phase `by each`");
        let declared = phase.span;
        self.report(found.label(declared, "this phase").help(help));
    }

    /// The phase of that name; reports a name that is none.
    pub fn phase_named(&mut self, name: &ast::Name) -> Option<PhaseId> {
        let found = self.rules.phases.entries().find(|(_, p)| p.name == name.text).map(|(id, _)| id);
        if found.is_none() {
            let names: Vec<String> =
                self.rules.phases.iter().map(|p| p.name.clone()).filter(|n| !n.is_empty()).collect();
            let title = format!("there is no phase `{}`", name.text);
            let mut diagnostic = Diagnostic::new(Code::E0322, title, name.span, "no such phase");
            diagnostic = match diag::nearest(&name.text, names.iter().map(String::as_str)) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")).edit(name.span, near),
                None if names.is_empty() => diagnostic.help("declare the phases first: `phases { ... }`"),
                None => diagnostic.help(format!("the phases are {}", names.join(", "))),
            };
            self.report(diagnostic);
        }
        found
    }

    /// An effect called by name is written out in its place.
    fn effect_call(
        &mut self,
        name: &ast::Name,
        args: &[ast::Expr],
        span: Span,
        locals: &mut Locals,
        scope: &mut MoveScope,
        out: &mut Vec<Stmt>,
    ) {
        let key = self.find_path(&name.text, name.span);
        let (key, item) = match key.map(|key| (key, &self.symbols[key].kind)) {
            Some((key, SymbolKind::Effect { item })) => (key, *item),
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
                }
                self.report(found);
                return;
            }
        };
        let ast::ItemKind::Effect { formals, body, .. } = &item.kind else { return };
        self.use_symbol(key, Use::Read);
        if scope.calls.iter().any(|(n, _)| n == key) || scope.calls.len() >= CALL_LIMIT {
            let title = format!("the effect `{key}` calls itself");
            let mut found = Diagnostic::new(Code::E0109, title, span, "called again here");
            for (_, at) in &scope.calls {
                found = found.label(*at, "called here");
            }
            self.report(found.help("effects are written out where they are called, so they cannot go round"));
            return;
        }
        let types: Vec<Type> = formals.iter().map(|f| self.ty(&f.ty)).collect();
        let Some(args) = self.arguments(key, args, &types, span, locals) else { return };
        // The body sees its own parameters and the maker of the move, not the names where it is called.
        let outer = std::mem::take(&mut locals.stack);
        for ((formal, ty), arg) in formals.iter().zip(types).zip(args) {
            let var = locals.add(&formal.name.text, ty, formal.name.span);
            let span = arg.span;
            out.push(Stmt { kind: StmtKind::Let(crate::rules::Pattern::Var(var), arg), span });
        }
        scope.calls.push((key.to_string(), span));
        let made = self.stmts(&body.stmts, locals, scope);
        scope.calls.pop();
        locals.stack = outer;
        out.extend(made.stmts);
    }

    /// A change of the state; `a <- b` and a diagram become several.
    pub fn effect(&mut self, effect: &ast::Effect, span: Span, locals: &mut Locals, out: &mut Vec<Stmt>) {
        let Some((field, steps)) = self.target_field(&effect.target, locals) else {
            self.expr(&effect.value, None, locals);
            return;
        };
        self.written.entry(field).or_insert(effect.target.span);
        let name = self.rules.fields[field].name.clone();
        self.use_symbol(&name, Use::Write);
        let keyed = !self.rules.fields[field].keys.is_empty();
        if keyed && !matches!(steps.first(), Some(Access::Index(_))) {
            self.whole_field_effect(field, steps.is_empty(), effect, span, out);
            return;
        }
        let Some((keys, path, ty)) = self.target_path(field, steps, effect.target.span, locals) else {
            self.expr(&effect.value, None, locals);
            return;
        };
        match effect.op {
            ast::EffectOp::Move => self.move_contents(field, keys, path, ty, effect, span, locals, out),
            op => {
                let Some((op, value)) = self.operand(op, &ty, effect, locals) else { return };
                let made = Effect { field, keys, path, op, value };
                out.push(Stmt { kind: StmtKind::Effect(made), span });
            }
        }
    }

    /// The field an effect changes, and the steps into it; reports what is none.
    fn target_field<'t>(
        &mut self,
        target: &'t ast::Target,
        locals: &Locals,
    ) -> Option<(FieldId, &'t [Access])> {
        let name = &target.name;
        if let Some(local) = locals.stack.iter().rev().find(|l| l.name == name.text) {
            let title = format!("`{}` is a variable: only fields of the state change", name.text);
            let found = Diagnostic::new(Code::E0102, title, name.span, "a variable keeps its value");
            let found = found.label(local.span, "bound here");
            self.report(match self.find(&name.text, name.span).and_then(|key| self.field_of(key)) {
                Some(_) => found.help("it hides the field of that name: give the variable another name"),
                None => found
                    .help("what changes in play is a field of the state: `state { name: TYPE = value; }`"),
            });
            return None;
        }
        let key = self.find(&name.text, name.span);
        if let (None, Some(library), [Access::Part(part), steps @ ..]) =
            (key, self.texts.library(&name.text, name.span), &target.path[..])
        {
            let Some(key) = self.find_in(library, &part.text) else {
                self.not_in_library(&name.text, library, part);
                return None;
            };
            let field = self.field_of(key);
            if field.is_none() {
                self.not_a_field(key, name.span.to(part.span), "only fields of the state change");
            }
            return Some((field?, steps));
        }
        let built_in = match name.text.as_str() {
            "mover" if key.is_none() => Some(MOVER),
            "phase" if key.is_none() => Some(PHASE),
            _ => None,
        };
        if let (Some(_), true) = (built_in, locals.place != Place::Position) {
            let title = format!("`{}` is not assigned in a move", name.text);
            let found = Diagnostic::new(Code::E0006, title, name.span, "the turn passes by itself");
            self.report(found.help("write `again;`, `continue PHASE;` or `next PLAYER;`"));
            return None;
        }
        let field = built_in.or_else(|| self.field_of(key?));
        if field.is_none() {
            let known = key.unwrap_or(&name.text);
            self.not_a_field(known, name.span, "only fields of the state change");
        }
        Some((field?, &target.path))
    }

    /// Reports a name that is no field where one is needed; `only` says what fields alone do.
    pub fn not_a_field(&mut self, name: &str, span: Span, only: &str) {
        match self.symbols.get(name).map(|s| (s.kind.word(), s.span, s.kind.clone())) {
            // A field whose declaration is damaged was reported there.
            Some((_, _, SymbolKind::Field { .. })) => {}
            Some((word, declared, _)) => {
                let title = format!("`{name}` is a {word}: {only}");
                let found = Diagnostic::new(Code::E0102, title, span, format!("a {word}"));
                self.report(found.label(declared, "declared here"));
            }
            None => {
                let fields: Vec<String> = self.rules.fields.iter().map(|f| f.name.clone()).collect();
                let title = format!("there is no field `{name}`");
                let mut found = Diagnostic::new(Code::E0101, title, span, "no such field of the state");
                if let Some(near) = diag::nearest(name, fields.iter().map(String::as_str)) {
                    found = found.help(format!("did you mean `{near}`?")).edit(span, near);
                }
                self.report(found);
            }
        }
    }

    /// Keys, path into a record, and the type of what is changed.
    fn target_path(
        &mut self,
        field: FieldId,
        steps: &[Access],
        span: Span,
        locals: &mut Locals,
    ) -> Option<(Vec<Expr>, Vec<u32>, Type)> {
        let name = self.rules.fields[field].name.clone();
        let types: Vec<Type> = self.rules.fields[field].keys.iter().map(|k| k.ty.clone()).collect();
        let mut ty = self.rules.fields[field].ty.clone();
        let mut path = Vec::new();
        let mut steps = steps.iter();
        let keys = if types.is_empty() {
            Vec::new()
        } else {
            let Some(Access::Index(words)) = steps.next() else { return None };
            self.key_arguments(&name, words, &types, span, locals)?
        };
        for step in steps {
            let Access::Part(part) = step else {
                self.error(Code::E0102, "this has no keys", span, format!("a `{name}`"));
                return None;
            };
            let Type::Record(record) = *ty.present().base() else {
                self.wrong_type(part.span, "a record", &ty);
                return None;
            };
            let parts = &self.rules.records[record].parts;
            let Some(index) = parts.iter().position(|(n, _)| *n == part.text) else {
                let names: Vec<String> = parts.iter().map(|(n, _)| n.clone()).collect();
                let title = format!("a `{}` has no part `{}`", self.rules.records[record].name, part.text);
                let found = Diagnostic::new(Code::E0101, title, part.span, "no such part");
                self.report(found.help(format!("it has {}", names.join(", "))));
                return None;
            };
            ty = parts[index].1.clone();
            path.push(index as u32);
        }
        (ty != Type::Error).then_some((keys, path, ty))
    }

    /// The operator and its operand, fitted to the type of the target.
    fn operand(
        &mut self,
        op: ast::EffectOp,
        ty: &Type,
        effect: &ast::Effect,
        locals: &mut Locals,
    ) -> Option<(EffectOp, Expr)> {
        let is_set = matches!(ty.base(), Type::Set(_));
        let is_number = matches!(ty.base(), Type::Int(..));
        match op {
            ast::EffectOp::Set => Some((EffectOp::Set, self.expr_of(&effect.value, ty, locals))),
            ast::EffectOp::Insert if is_set => {
                Some((EffectOp::Insert, self.expr_of(&effect.value, ty, locals)))
            }
            ast::EffectOp::Subtract if is_set => {
                let value = self.expr(&effect.value, Some(ty), locals);
                let value = self.as_set(value);
                Some((EffectOp::Remove, value))
            }
            ast::EffectOp::Add | ast::EffectOp::Subtract if is_number => {
                let value = self.expr(&effect.value, None, locals);
                let value = self.as_number(value);
                let op = if op == ast::EffectOp::Add { EffectOp::Add } else { EffectOp::Subtract };
                Some((op, value))
            }
            _ => {
                let sign = match op {
                    ast::EffectOp::Insert => "|=",
                    ast::EffectOp::Add => "+=",
                    _ => "-=",
                };
                let kind = self.a_type(ty);
                let title = format!("`{sign}` on a field that holds {kind}");
                let found = Diagnostic::new(Code::E0311, title, effect.op_span, "does not apply here");
                let help = match (is_set, is_number) {
                    (true, _) => "`|=` puts elements into a set, `-=` takes them out",
                    (_, true) => "`+=` and `-=` change numbers",
                    _ => "write `:=` to assign a value",
                };
                self.report(found.help(help));
                None
            }
        }
    }

    /// `a <- b`: a gets what b holds, b its empty value.
    #[allow(clippy::too_many_arguments)]
    fn move_contents(
        &mut self,
        field: FieldId,
        keys: Vec<Expr>,
        path: Vec<u32>,
        ty: Type,
        effect: &ast::Effect,
        span: Span,
        locals: &mut Locals,
        out: &mut Vec<Stmt>,
    ) {
        let value = self.expr_of(&effect.value, &ty, locals);
        if value.ty == Type::Error {
            return;
        }
        let mut source = &value;
        while let ExprKind::Present(inner) = &*source.kind {
            source = inner;
        }
        let ExprKind::Field(from, from_keys) = &*source.kind else {
            let title = "`<-` moves the contents of one cell to another";
            let found = Diagnostic::new(Code::E0311, title, effect.value.span, "this is no cell of a field");
            self.report(found.help("write `:=` to assign a value"));
            return;
        };
        let (from, from_keys) = (*from, from_keys.clone());
        let from_ty = self.rules.fields[from].ty.clone();
        let Some(empty) = from_ty.empty_value() else {
            let kind = self.a_type(&from_ty);
            let title = format!("`<-` leaves the empty value behind, and {kind} has none");
            let found = Diagnostic::new(Code::E0311, title, effect.value.span, "what would be left here?");
            self.report(found.help("make it optional with `?`, or write the two effects out with `:=`"));
            return;
        };
        self.written.entry(from).or_insert(effect.value.span);
        let empty = self.value(empty, from_ty, effect.value.span);
        for made in [
            Effect { field, keys, path, op: EffectOp::Set, value },
            Effect { field: from, keys: from_keys, path: Vec::new(), op: EffectOp::Set, value: empty },
        ] {
            out.push(Stmt { kind: StmtKind::Effect(made), span });
        }
    }

    /// `at := diagram ...`: one effect for each cell.
    fn whole_field_effect(
        &mut self,
        id: FieldId,
        whole: bool,
        effect: &ast::Effect,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let field = &self.rules.fields[id];
        let (keys, ty) = (field.keys.clone(), field.ty.clone());
        let diagram = matches!(&*effect.value.bare().kind, ast::ExprKind::Diagram(..));
        if effect.op != ast::EffectOp::Set || !whole || !diagram {
            let names: Vec<&str> = keys.iter().map(|k| k.name.as_str()).collect();
            let form = format!("{}[{}]", field.name, names.join(", "));
            let title = format!("`{}` is a field with keys: index it, `{form}`", field.name);
            let found = Diagnostic::new(Code::E0102, title, effect.target.span, "which cell?");
            self.report(found.help(format!("write `{form}`, or assign a diagram to all cells at once")));
            return;
        }
        let (_, values) = self.by_keys(&keys, &effect.value, Some(&ty), "a diagram", false);
        for (cell, value) in values.into_iter().enumerate() {
            let Some(value) = value else { continue };
            let at = crate::rules::keys_of(&keys, cell).into_iter().zip(&keys);
            let at = at.map(|(part, key)| self.value(part, key.ty.clone(), span)).collect();
            let value = self.value(value, ty.clone(), effect.value.span);
            let made = Effect { field: id, keys: at, path: Vec::new(), op: EffectOp::Set, value };
            out.push(Stmt { kind: StmtKind::Effect(made), span });
        }
    }

    /// The effects of a `position { }`.
    pub fn position_block(&mut self, effects: &[ast::Effect], locals: &mut Locals) -> Block {
        let mut made = Vec::new();
        for effect in effects {
            // What a position sets is no sign that play changes it.
            let written = self.written.clone();
            self.effect(effect, effect.target.span.to(effect.value.span), locals, &mut made);
            self.written = written;
        }
        Block { stmts: made }
    }

    /// A `let` that nothing reads.
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

    /// The truth of a formula analysis knows.
    pub fn known(expr: &Expr) -> Option<bool> {
        expr.constant().and_then(Value::as_bool)
    }
}
