//! Effects: their target, operator and operand.

use super::analyzer::Analyzer;
use super::expr::parts::has_repeated;
use super::foreign_names;
use super::locals::{ExprPlace, Locals};
use super::symbols::{SymbolKind, UseKind, no_state};
use bouton_base::source::Span;
use bouton_rules::{
    Block, DIR, Effect, EffectOp, Expr, ExprKind, FieldId, MOVER, PHASE, PLAYER, Stmt, StmtKind, Type,
};
use bouton_syntax::ast::{self, Access};
use bouton_syntax::diag::{self, Code, Diagnostic};
use bouton_syntax::print_effect;

/// The part of a field that an effect changes.
struct EffectTarget {
    field: FieldId,
    keys: Vec<Expr>,
    /// The indices of parts of records, from the outside.
    path: Vec<u32>,
    /// The type of the changed part.
    ty: Type,
}

impl EffectTarget {
    /// Makes the effect that changes this part.
    fn changed_by(self, op: EffectOp, value: Expr) -> Effect {
        Effect { field: self.field, keys: self.keys, path: self.path, op, value }
    }
}

/// Advice where a part of a tuple is read or set by itself.
pub(super) const PARTS_OF_TUPLES: &str = "a tuple changes as a whole: `let (x, y) = pos;` takes it apart, `pos := (x + 1, y);` sets it; the parts of a \
     record have names";

impl<'a> Analyzer<'a> {
    /// Elaborates a change of the state; `a <- b` and a diagram become several effects.
    pub fn effect(&mut self, effect: &ast::Effect, span: Span, locals: &mut Locals, out: &mut Vec<Stmt>) {
        if self.turn_assigned(effect, span, locals)
            || self.assigned_without_field(effect, locals)
            || self.element_assigned(effect, locals)
            || self.player_as_a_place(effect, locals)
        {
            return;
        }
        let before = self.diagnostics.len();
        let Some((field, steps)) = self.target_field(&effect.target, locals) else {
            if let [found] = &self.diagnostics[before..]
                && found.code == Code::E0102
                && found.help.is_none()
                && let Some(advice) = self.field_for_effect(effect, locals)
                && let Some(found) = self.diagnostics.last_mut()
            {
                found.help = Some(advice);
            }
            if let [found] = &mut self.diagnostics[before..]
                && found.code == Code::E0102
                && found.title.ends_with("is a variable: only fields of the state change")
                && effect.target.path.is_empty()
                && self.rules.fields.iter().all(|field| field.name != effect.target.name.text)
            {
                let (name, value) = (&effect.target.name.text, bouton_syntax::print_expr(&effect.value));
                let value = match effect.op {
                    ast::EffectOp::Add => format!("{name} + {value}"),
                    ast::EffectOp::Subtract => format!("{name} - {value}"),
                    _ => value,
                };
                found.help = Some(format!(
                    "a new value has a name of its own: `let {name}2 = {value};`; what changes in play is a field of the state"
                ));
            }
            // A diagram is for the field that is missing, so there is nothing to say about it.
            if !matches!(&*effect.value.bare().kind, ast::ExprKind::Diagram(..)) {
                self.expr(&effect.value, None, locals);
            }
            return;
        };
        self.written_fields.entry(field).or_insert(effect.target.span);
        let name = self.rules.fields[field].name.clone();
        self.use_symbol(&name, UseKind::Write);
        let keyed = !self.rules.fields[field].keys.is_empty();
        if keyed && !matches!(steps.first(), Some(Access::Index(_))) {
            let is_diagram = matches!(&*effect.value.bare().kind, ast::ExprKind::Diagram(..));
            // A damaged diagram has already been reported.
            match steps.is_empty() {
                true if matches!(&*effect.value.kind, ast::ExprKind::Error) => {}
                true if effect.op == ast::EffectOp::Set && is_diagram => {
                    self.whole_field_effect(field, effect, span, out);
                }
                _ if self.value_by_an_unknown_call(effect, locals) => {}
                is_whole => self.effect_without_a_key(field, is_whole, effect, locals),
            }
            return;
        }
        if let (false, Some(Access::Index(keys))) = (keyed, steps.first())
            && self.field_without_a_key(&name, keys, effect.target.span, locals)
        {
            return;
        }
        let Some(target) = self.target_path(field, steps, effect.target.span, locals) else {
            self.expr(&effect.value, None, locals);
            return;
        };
        self.bound_on_the_wrong_side(effect);
        match effect.op {
            ast::EffectOp::Move => {
                let Some(effects) = self.move_contents(target, effect, locals) else { return };
                out.extend(effects.map(|made| Stmt { kind: StmtKind::Effect(made), span }));
            }
            op => {
                let Some((op, value)) = self.operand(op, &target.ty, effect, locals) else { return };
                let made = target.changed_by(op, value);
                out.push(Stmt { kind: StmtKind::Effect(made), span });
            }
        }
    }

    /// The field that an effect changes, and the access path into it; reports a target that is no field.
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
            let Some(key) = self.find_in(library, &part.text, part.span) else {
                self.not_in_library(&name.text, library, part);
                return None;
            };
            let field = self.field_of(key);
            if field.is_none() {
                self.not_a_field(key, name.span.to(part.span), "only fields of the state change");
            }
            return Some((field?, steps));
        }
        if let (None, [Access::Part(part), ..]) = (key, &target.path[..])
            && self.field_of_the_program(&name.text, name.span, part)
        {
            return None;
        }
        if let (None, [Access::Part(part), ..]) = (key, &target.path[..])
            && let Some(owner) = self.type_of_owner(&name.text, locals)
            && self.field_as_a_part(&owner, part, name.span, &name.text)
        {
            return None;
        }
        if let (None, [Access::Part(part), ..]) = (key, &target.path[..])
            && let Some(owner) = self.type_of_owner(&name.text, locals)
            && let Some(help) = self.one_value_for_all(&owner, &part.text, part.span)
        {
            let title = format!("{} has no part `{}`", self.describe_type(&owner), part.text);
            self.report(Diagnostic::new(Code::E0101, title, part.span, "a field of the state").help(help));
            return None;
        }
        let built_in = match name.text.as_str() {
            "mover" if key.is_none() => Some(MOVER),
            "phase" if key.is_none() => Some(PHASE),
            _ => None,
        };
        if let (Some(_), true) = (built_in, locals.place != ExprPlace::Position) {
            let title = format!("`{}` is not assigned in a move", name.text);
            if built_in == Some(PHASE) {
                // Any phase may be the one that is meant.
                let phases: Vec<_> = self.rules.phases.ids().collect();
                self.entered_phases.extend(phases);
            }
            self.report(match built_in {
                Some(PHASE) => Diagnostic::new(
                    Code::E0006,
                    title,
                    name.span,
                    "a move ends with `continue` if a phase follows",
                )
                .help(
                    "write `continue NAME;` with the name of the phase; without it the first phase follows",
                ),
                _ => Diagnostic::new(Code::E0006, title, name.span, "the turn passes by itself")
                    .help("write `again;`, `continue PHASE;` or `next PLAYER;`"),
            });
            return None;
        }
        let field = built_in.or_else(|| self.field_of(key?));
        if field.is_none()
            && key.is_none()
            && locals.place == ExprPlace::Position
            && foreign_names::is_player_to_move(&name.text)
        {
            let title = format!("there is no field `{}`", name.text);
            let found = Diagnostic::new(Code::E0101, title, name.span, "the player to move is `mover`");
            self.report(found.help("write `mover := ...;`").edit(name.span, "mover"));
            return None;
        }
        if field.is_none() {
            let known = key.unwrap_or(&name.text);
            self.not_a_field(known, name.span, "only fields of the state change");
        }
        Some((field?, &target.path))
    }

    /// The type of what has fields in other languages: a player, or a member of another type, by its name.
    fn type_of_owner(&self, name: &str, locals: &Locals) -> Option<Type> {
        match name {
            "me" | "opponent" | "mover" => Some(Type::Sym(PLAYER)),
            _ if locals.has(name) => None,
            _ => match self.members.get(name).map(Vec::as_slice) {
                Some([(of, _)]) => Some(Type::Sym(*of)),
                _ => None,
            },
        }
    }

    /// Advice on `me.round`, where `round` is a field without keys.
    pub(super) fn one_value_for_all(&self, owner: &Type, part: &str, span: Span) -> Option<String> {
        let Type::Sym(of) = *owner.present().base() else { return None };
        let field = self.find(part, span).and_then(|key| self.field_of(key))?;
        if !self.rules.fields[field].keys.is_empty() {
            return None;
        }
        let (all, key) = match of {
            PLAYER => ("for all players", "p: Player".to_owned()),
            _ => ("for all", format!("x: {}", self.rules.enums[of].name)),
        };
        Some(format!(
            "the field `{part}` has one value {all}: write `{part}`; for a value of each declare `{part}[{key}]`"
        ))
    }

    /// Reports a name that is no field where one is needed; `only` states the restriction to fields.
    pub fn not_a_field(&mut self, name: &str, span: Span, only: &str) {
        match self.symbols.get(name).map(|s| (s.kind.word_with_article(), s.span, s.kind.clone())) {
            // A damaged declaration of a field has already been reported.
            Some((_, _, SymbolKind::Field { .. })) => {}
            // A field whose name another declaration has was reported there.
            Some(_)
                if self
                    .diagnostics
                    .iter()
                    .any(|d| d.code == Code::E0103 && d.title.split('`').nth(1) == Some(name)) => {}
            Some((word, declared, _)) => {
                let title = format!("`{name}` is {word}: {only}");
                let found = Diagnostic::new(Code::E0102, title, span, word);
                self.report(found.label(declared, "declared here"));
            }
            // The declaration may be in a damaged part of the file.
            None if self.options.damaged => {}
            None => {
                let fields: Vec<String> = self.rules.fields.iter().map(|f| f.name.clone()).collect();
                let title = format!("there is no field `{name}`");
                let mut found = Diagnostic::new(Code::E0101, title, span, "no such field of the state");
                if let Some(near) = diag::nearest(name, fields.iter().map(String::as_str)) {
                    found = found.help(format!("did you mean `{near}`?")).edit(span, near);
                } else {
                    if !self.unknown_names.insert(name.to_string()) {
                        return;
                    }
                    found = found.help(match foreign_names::field_help(name) {
                        Some(help) => help.to_owned(),
                        None if self.has_no_fields() => no_state(name),
                        None => {
                            "fields are declared in `state { ... }`, each with a type and its first value"
                                .into()
                        }
                    });
                }
                self.report(found);
            }
        }
    }

    /// The changed part of a field, from the access path into it.
    fn target_path(
        &mut self,
        field: FieldId,
        steps: &[Access],
        span: Span,
        locals: &mut Locals,
    ) -> Option<EffectTarget> {
        let name = self.rules.fields[field].name.clone();
        let types: Vec<Type> = self.rules.fields[field].keys.iter().map(|k| k.ty.clone()).collect();
        let mut ty = self.rules.fields[field].ty.clone();
        let mut path = Vec::new();
        let mut steps = steps.iter();
        let keys = if types.is_empty() {
            Vec::new()
        } else {
            let Some(Access::Index(words)) = steps.next() else { return None };
            if let Some(Access::Index(more)) = steps.as_slice().first()
                && self.keys_in_two_brackets(field, words, more, span)
            {
                return None;
            }
            self.key_arguments(&name, words, &types, span, locals)?
        };
        for step in steps {
            let Access::Part(part) = step else {
                let found = Diagnostic::new(Code::E0102, "this has no keys", span, format!("a `{name}`"));
                self.report(match ty.present().base() {
                    Type::Tuple(_) => found.help(PARTS_OF_TUPLES),
                    _ => found,
                });
                return None;
            };
            let Type::Record(record) = *ty.present().base() else {
                if let Type::Tuple(_) = ty.present().base() {
                    let found =
                        Diagnostic::new(Code::E0201, "the parts of a tuple have no names", part.span, "");
                    self.report(found.help(PARTS_OF_TUPLES));
                    return None;
                }
                self.wrong_type(part.span, "a record", &ty);
                return None;
            };
            let parts = &self.rules.records[record].parts;
            let Some(index) = parts.iter().position(|(n, _)| *n == part.text) else {
                let names: Vec<String> = parts.iter().map(|(n, _)| n.clone()).collect();
                if has_repeated(&names) {
                    return None;
                }
                let title = format!("a `{}` has no part `{}`", self.rules.records[record].name, part.text);
                let found = Diagnostic::new(Code::E0101, title, part.span, "no such part");
                self.report(found.help(format!("it has {}", names.join(", "))));
                return None;
            };
            ty = parts[index].1.clone();
            self.refer_to_part(record, index, part.span);
            path.push(index as u32);
        }
        (ty != Type::Error).then_some(EffectTarget { field, keys, path, ty })
    }

    /// The operator and its operand, converted to the type of the target.
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
            ast::EffectOp::Set => {
                let before = self.diagnostics.len();
                let value = self.expr_of(&effect.value, ty, locals);
                if self.diagnostics.len() > before {
                    self.negative_value(effect);
                    self.range_of_the_field(effect);
                }
                if let Some(found) = self.diagnostics[before..].last_mut()
                    && found.edits.iter().any(|edit| edit.text == "{ ")
                    && found.span() == effect.value.span
                {
                    // The whole set, or one element more: only the writer knows.
                    found.edits.clear();
                    let (text, element) = (print_effect(effect), bouton_syntax::print_expr(&effect.value));
                    let target = text.split(" := ").next().unwrap_or_default();
                    found.help = Some(format!(
                        "to put it in beside the others, write `{target} |= {{ {element} }};`; to have it alone, \
                         `{target} := {{ {element} }};`"
                    ));
                }
                Some((EffectOp::Set, value))
            }
            ast::EffectOp::Insert if is_set => {
                Some((EffectOp::Insert, self.expr_of(&effect.value, ty, locals)))
            }
            ast::EffectOp::Subtract if is_set => {
                let value = self.expr(&effect.value, Some(ty), locals);
                let is_element = ty.element().is_some_and(|element| value.ty.is_assignable_to(element));
                let value = if is_element { self.coerce(value, ty) } else { self.as_set(value) };
                Some((EffectOp::Remove, value))
            }
            ast::EffectOp::Add | ast::EffectOp::Subtract if is_number => {
                let value = self.expr(&effect.value, None, locals);
                let is_condition = value.ty == Type::Bool;
                let value = self.as_number(value);
                if is_condition && let Some(found) = self.diagnostics.last_mut() {
                    let words = bouton_syntax::print_expr(&effect.value);
                    found.help = Some(format!(
                        "a condition counts as a number by `if {words} then 1 else 0`; a field gets a value by `:=`"
                    ));
                }
                let op = if op == ast::EffectOp::Add { EffectOp::Add } else { EffectOp::Subtract };
                Some((op, value))
            }
            _ => {
                let sign = match op {
                    ast::EffectOp::Insert => "|=",
                    ast::EffectOp::Add => "+=",
                    _ => "-=",
                };
                let kind = self.describe_type(ty);
                let title = format!("`{sign}` on a field that holds {kind}");
                let found = Diagnostic::new(Code::E0311, title, effect.op_span, "does not apply here");
                let help = match (is_set, is_number) {
                    (true, _) => "`|=` puts elements into a set, `-=` takes them out",
                    (_, true) => "`+=` and `-=` change numbers",
                    _ => "write `:=` to assign a value",
                };
                let mut found = found.help(help);
                if op == ast::EffectOp::Add && self.board_of(ty).is_some() {
                    let step = self.quiet_type(&effect.value, locals);
                    if step.is_some_and(|step| *step.present().base() == Type::Sym(DIR))
                        && let Some((target, step)) = print_effect(effect).split_once(" += ")
                    {
                        let new = format!("{target} := {target} + {step}");
                        found = found
                            .help(format!("a step is `{new};`"))
                            .edit(effect.target.name.span.to(effect.value.span), new);
                    }
                }
                let is_set_value =
                    matches!(&*effect.value.bare().kind, ast::ExprKind::Set(_) | ast::ExprKind::Filter(_));
                if is_set && is_set_value && sign == "+=" {
                    found = found.edit(effect.op_span, "|=");
                } else if is_set && let Some(new) = self.element_added(effect, ty, locals) {
                    let text = print_effect(effect);
                    let target = text.split(" += ").next().unwrap_or_default();
                    found = found.help(format!("an element is put in by `{target} {new}`"));
                    found = found.edit(effect.op_span.to(effect.value.span), new);
                }
                if let (false, "|=", ast::ExprKind::Set(elements)) =
                    (is_set || is_number, sign, &*effect.value.bare().kind)
                    && let [element] = &elements[..]
                {
                    let value = bouton_syntax::print_expr(element);
                    found = found.help(format!("the field holds one value: write `:= {value}`"));
                    found = found.edit(effect.op_span.to(effect.value.span), format!(":= {value}"));
                }
                self.report(found);
                None
            }
        }
    }

    /// `a <- b`: assigns the contents of b to a, and the empty value to b.
    fn move_contents(
        &mut self,
        target: EffectTarget,
        effect: &ast::Effect,
        locals: &mut Locals,
    ) -> Option<[Effect; 2]> {
        let value = self.expr_of(&effect.value, &target.ty, locals);
        if value.ty == Type::Error {
            return None;
        }
        let mut source = &value;
        while let ExprKind::Present(inner) = &*source.kind {
            source = inner;
        }
        let ExprKind::Field(from, from_keys) = &*source.kind else {
            let title = "`<-` moves the contents of one cell to another";
            let found = Diagnostic::new(Code::E0311, title, effect.value.span, "this is no cell of a field");
            self.report(found.help("write `:=` to assign a value"));
            return None;
        };
        let (from, from_keys) = (*from, from_keys.clone());
        let from_ty = self.rules.fields[from].ty.clone();
        let Some(empty) = from_ty.empty_value() else {
            let kind = self.describe_type(&from_ty);
            let title = format!("`<-` leaves the empty value behind, and {kind} has none");
            let found = Diagnostic::new(Code::E0311, title, effect.value.span, "what would be left here?");
            self.report(found.help("make it optional with `?`, or write the two effects out with `:=`"));
            return None;
        };
        self.written_fields.entry(from).or_insert(effect.value.span);
        let empty = self.value(empty, from_ty, effect.value.span);
        let emptied =
            Effect { field: from, keys: from_keys, path: Vec::new(), op: EffectOp::Set, value: empty };
        Some([target.changed_by(EffectOp::Set, value), emptied])
    }

    /// `at := diagram ...`: one effect for each cell.
    fn whole_field_effect(&mut self, id: FieldId, effect: &ast::Effect, span: Span, out: &mut Vec<Stmt>) {
        let field = &self.rules.fields[id];
        let (keys, ty) = (field.keys.clone(), field.ty.clone());
        let (_, values) = self.by_keys(&keys, &effect.value, Some(&ty), "a diagram", false);
        for (cell, value) in values.into_iter().enumerate() {
            let Some(value) = value else { continue };
            let at = bouton_rules::keys_of(&keys, cell).into_iter().zip(&keys);
            let at = at.map(|(part, key)| self.value(part, key.ty.clone(), span)).collect();
            let value = self.value(value, ty.clone(), effect.value.span);
            let made = Effect { field: id, keys: at, path: Vec::new(), op: EffectOp::Set, value };
            out.push(Stmt { kind: StmtKind::Effect(made), span });
        }
    }

    /// Elaborates the effects of a `position { }`.
    pub fn position_block(&mut self, effects: &[ast::Effect], locals: &mut Locals) -> Block {
        let mut made = Vec::new();
        for effect in effects {
            // An assignment of a position does not count as a change by play.
            let written = self.written_fields.clone();
            self.effect(effect, effect.target.span.to(effect.value.span), locals, &mut made);
            self.written_fields = written;
        }
        Block { stmts: made }
    }
}
