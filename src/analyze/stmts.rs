//! Statements of moves: conditions, bindings, effects, stages, control.

use super::cx::Cx;
use super::locals::{Locals, Place};
use super::symbols::{SymbolKind, Use};
use crate::diag::{self, Code, Diagnostic};
use crate::rules::{
    Block, Effect, EffectOp, Expr, ExprKind, FieldId, MOVER, PHASE, PLAYER, PhaseId, Stmt, StmtKind, Type,
    Value,
};
use crate::source::Span;
use crate::syntax::ast::{self, Access};

/// Effects call effects at most so deep; deeper they go round.
const CALL_LIMIT: usize = 32;
/// Calls of effects write out at most so many statements in one text: called twice in each of thirty, they are more
/// than memory holds.
const WRITTEN_LIMIT: usize = 1 << 18;

/// What is known of the move around a statement.
pub(super) struct MoveScope<'s> {
    /// The phases it belongs to.
    pub phases: &'s [PhaseId],
    /// Whether all players move at once in it.
    pub each: bool,
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
        self.written_out = self.written_out.saturating_add(usize::from(!scope.calls.is_empty()));
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
                self.no_control_for_all("again", span, scope);
                self.entered.extend_from_slice(scope.phases);
                add(StmtKind::Stay(None));
            }
            ast::StmtKind::Continue(name) => {
                self.no_control_for_all("continue", span, scope);
                if let Some(phase) = self.phase_named(name) {
                    self.entered.push(phase);
                    add(StmtKind::Stay(Some(phase)));
                }
            }
            ast::StmtKind::Next(e) => {
                self.no_control_for_all("next", span, scope);
                let e = self.expr_of(e, &Type::Sym(PLAYER), locals);
                add(StmtKind::Next(e));
            }
            ast::StmtKind::Call(name, args) => self.effect_call(name, args, span, locals, scope, out),
            ast::StmtKind::Effect(effect) => self.effect(effect, span, locals, out),
        }
    }

    fn no_control_for_all(&mut self, word: &str, span: Span, scope: &MoveScope) {
        if scope.each {
            let title = format!("all players move at once here: a single move cannot say `{word}`");
            let found = Diagnostic::new(Code::E0323, title, span, "in a phase `by each`");
            self.report(found.help("let the next phase be the first of the turn, or end the game by a rule"));
        }
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
        let item = match self.symbols.get(name.text.as_str()).map(|s| &s.kind) {
            Some(SymbolKind::Effect { item }) => *item,
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
        self.use_symbol(&name.text, Use::Read);
        if scope.calls.iter().any(|(n, _)| *n == name.text) || scope.calls.len() >= CALL_LIMIT {
            let title = format!("the effect `{}` calls itself", name.text);
            let mut found = Diagnostic::new(Code::E0109, title, span, "called again here");
            for (_, at) in &scope.calls {
                found = found.label(*at, "called here");
            }
            self.report(found.help("effects are written out where they are called, so they cannot go round"));
            return;
        }
        if self.written_out > WRITTEN_LIMIT {
            self.too_much_written(name, span);
            return;
        }
        let types: Vec<Type> = formals.iter().map(|f| self.ty(&f.ty)).collect();
        let Some(args) = self.arguments(&name.text, args, &types, span, locals) else { return };
        // The body sees its own parameters and the maker of the move, not the names where it is called.
        let outer = std::mem::take(&mut locals.stack);
        for ((formal, ty), arg) in formals.iter().zip(types).zip(args) {
            let var = locals.add(&formal.name.text, ty, formal.name.span);
            let span = arg.span;
            out.push(Stmt { kind: StmtKind::Let(crate::rules::Pattern::Var(var), arg), span });
        }
        scope.calls.push((name.text.clone(), span));
        let made = self.stmts(&body.stmts, locals, scope);
        scope.calls.pop();
        locals.stack = outer;
        out.extend(made.stmts);
    }

    /// E0403, once: what is left out after that is not reported again.
    fn too_much_written(&mut self, name: &ast::Name, span: Span) {
        if self.written_out == usize::MAX {
            return;
        }
        self.written_out = usize::MAX;
        let title = format!("the calls of effects write out more than {WRITTEN_LIMIT} statements");
        let label = format!("`{}` is one too many", name.text);
        let found = Diagnostic::new(Code::E0403, title, span, label);
        self.report(
            found.help("an effect is written out where it is called: let `for` repeat what is the same"),
        );
    }

    /// A change of the state; `a <- b` and a diagram become several.
    pub fn effect(&mut self, effect: &ast::Effect, span: Span, locals: &mut Locals, out: &mut Vec<Stmt>) {
        let Some(field) = self.target_field(effect, locals) else {
            self.expr(&effect.value, None, locals);
            return;
        };
        self.written.entry(field).or_insert(effect.target.span);
        self.use_symbol(&effect.target.name.text, Use::Write);
        let keyed = !self.rules.fields[field].keys.is_empty();
        if keyed && !matches!(effect.target.path.first(), Some(Access::Index(_))) {
            self.whole_field_effect(field, effect, span, out);
            return;
        }
        let Some((keys, path, ty)) = self.target_path(field, effect, locals) else {
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

    /// The field an effect changes; reports what is none.
    fn target_field(&mut self, effect: &ast::Effect, locals: &Locals) -> Option<FieldId> {
        let name = &effect.target.name;
        if let Some(field) = self.field_named(&name.text) {
            let free = locals.place == Place::Position;
            if (field == MOVER || field == PHASE) && !free {
                let title = format!("`{}` is not assigned in a move", name.text);
                let found = Diagnostic::new(Code::E0006, title, name.span, "the turn passes by itself");
                self.report(found.help("write `again;`, `continue PHASE;` or `next PLAYER;`"));
                return None;
            }
            return Some(field);
        }
        match self.symbols.get(name.text.as_str()).map(|s| (s.kind.word(), s.span, s.kind.clone())) {
            // A field whose declaration is damaged was reported there.
            Some((_, _, SymbolKind::Field { .. })) => {}
            Some((word, declared, _)) => {
                let title = format!("`{}` is a {word}: only fields of the state change", name.text);
                let found = Diagnostic::new(Code::E0102, title, name.span, format!("a {word}"));
                self.report(found.label(declared, "declared here"));
            }
            None => {
                let fields: Vec<String> = self.rules.fields.iter().map(|f| f.name.clone()).collect();
                let title = format!("there is no field `{}`", name.text);
                let mut found = Diagnostic::new(Code::E0101, title, name.span, "no such field of the state");
                if let Some(near) = diag::nearest(&name.text, fields.iter().map(String::as_str)) {
                    found = found.help(format!("did you mean `{near}`?")).edit(name.span, near);
                }
                self.report(found);
            }
        }
        None
    }

    /// Keys, path into a record, and the type of what is changed.
    fn target_path(
        &mut self,
        field: FieldId,
        effect: &ast::Effect,
        locals: &mut Locals,
    ) -> Option<(Vec<Expr>, Vec<u32>, Type)> {
        let target = &effect.target;
        let types: Vec<Type> = self.rules.fields[field].keys.iter().map(|k| k.ty.clone()).collect();
        let mut ty = self.rules.fields[field].ty.clone();
        let mut path = Vec::new();
        let mut steps = target.path.iter();
        let keys = if types.is_empty() {
            Vec::new()
        } else {
            let Some(Access::Index(words)) = steps.next() else { return None };
            self.key_arguments(&target.name.text, words, &types, target.span, locals)?
        };
        for step in steps {
            let Access::Part(part) = step else {
                self.error(Code::E0102, "this has no keys", target.span, format!("a `{}`", target.name.text));
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
    fn whole_field_effect(&mut self, id: FieldId, effect: &ast::Effect, span: Span, out: &mut Vec<Stmt>) {
        let field = &self.rules.fields[id];
        let (keys, ty) = (field.keys.clone(), field.ty.clone());
        let diagram = matches!(&*effect.value.bare().kind, ast::ExprKind::Diagram(..));
        if effect.op != ast::EffectOp::Set || !effect.target.path.is_empty() || !diagram {
            let names: Vec<&str> = keys.iter().map(|k| k.name.as_str()).collect();
            let form = format!("{}[{}]", effect.target.name.text, names.join(", "));
            let title = format!("`{}` is a field with keys: index it, `{form}`", effect.target.name.text);
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
