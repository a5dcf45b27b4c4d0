//! Fields of the state and definitions over it.

use super::analyzer::{Analyzer, Resolution};
use super::index::DefinitionKind;
use super::locals::{ExprPlace, Locals};
use super::symbols::SymbolKind;
use bouton_base::id::Id;
use bouton_base::source::Span;
use bouton_reference::MAX_INDUCTIVE_TUPLES;
use bouton_rules::{Def, DefId, Expr, ExprKind, Field, FieldId, KeyDomain, PLAYER, Type, Value, Visibility};
use bouton_syntax::ast::{self, ItemKind, Name};
use bouton_syntax::diag::{Code, Diagnostic, Severity};

/// The maximal number of cells of all fields, and of one table. A game with more cannot be solved or even played, and
/// no author writes such a table down.
const CELL_LIMIT: usize = 1 << 20;

impl<'a> Analyzer<'a> {
    /// Elaborates all fields, in the order of the file.
    pub fn fields(&mut self) {
        self.built_in_fields();
        for (item, _) in self.items() {
            let ItemKind::State(fields) = &item.kind else { continue };
            for field in fields {
                // A second declaration of the name has already been reported.
                if self.symbols.get(self.global_name(&field.name)).is_some_and(|s| s.span == field.name.span)
                {
                    self.field(field);
                }
            }
        }
    }

    fn field(&mut self, field: &'a ast::FieldDecl) {
        let keys = self.keys(&field.keys);
        let mut ty = self.ty(&field.ty);
        if let Some(what) = unsupported_in_state(&ty) {
            let title = format!("{what} cannot be part of the state");
            let found =
                Diagnostic::new(Code::E0231, title, field.ty.span, "only finite types may change in play");
            self.report(match (list_by_numbers(field), set_for_a_list(field)) {
                (Some(help), _) => found.help(help),
                (None, Some(set)) => {
                    let help =
                        format!("its first value is a set, in which each value stands once: write `{set}`");
                    found.help(help).edit(field.ty.span, set)
                }
                (None, None) => {
                    found.help("model it as a field with a key, for instance `size[h: Heap]: 0..9`")
                }
            });
            ty = Type::Error;
        } else if ty != Type::Error
            && self.rules.type_size(&ty).is_none()
            && !matches!(ty.base(), Type::Set(_))
        {
            self.domain_values(&ty, field.ty.span);
            ty = Type::Error;
        }
        let Some(cells) = self.cells_of(&field.name, &keys, self.field_cells) else { return };
        if let Some(set) = self.set_without_the_word(field, &ty) {
            ty = set;
        }
        let init = self.initial(field, &keys, &ty, cells);
        let starts_empty =
            field.init.as_ref().is_some_and(|init| matches!(*init.bare().kind, ast::ExprKind::None));
        if starts_empty && ty != Type::Error && !ty.is_option() && !matches!(ty.base(), Type::Set(_)) {
            // Already reported; the rest of the file is probably written for this type.
            ty = Type::option(ty);
        }
        let visibility = self.visibility(field, &keys);
        if ty == Type::Error {
            // Its uses would only repeat the report; a name without an id is skipped silently.
            return;
        }
        let name = self.global_name(&field.name);
        let id = self.rules.fields.push(Field {
            name: name.to_string(),
            keys,
            ty,
            init,
            transient: field.transient,
            visibility,
            doc: field.doc.clone(),
            span: field.name.span,
        });
        self.field_cells += self.rules.fields[id].cells();
        if let Some(SymbolKind::Field { id: known }) = self.symbols.get_mut(name).map(|s| &mut s.kind) {
            *known = Some(id);
        }
    }

    /// The number of cells of a field or table with these keys; reports too many, counting the `others`.
    pub fn cells_of(&mut self, name: &Name, keys: &[KeyDomain], others: usize) -> Option<usize> {
        let cells = keys.iter().fold(1u128, |cells, key| cells.saturating_mul(key.values.len() as u128));
        if cells <= (CELL_LIMIT - others.min(CELL_LIMIT)) as u128 {
            return usize::try_from(cells).ok();
        }
        let label = match others {
            0 => format!("at most {CELL_LIMIT}"),
            _ => format!("all fields together have at most {CELL_LIMIT}"),
        };
        self.error(Code::E0403, format!("`{}` has {cells} cells", name.text), name.span, label);
        None
    }

    fn initial(
        &mut self,
        field: &'a ast::FieldDecl,
        keys: &[KeyDomain],
        ty: &Type,
        cells: usize,
    ) -> Vec<Value> {
        let Some(words) = &field.init else {
            let given = match ty.base() {
                Type::Int(..) => None,
                _ => ty.empty_value(),
            };
            if let (None, false, None) = (&given, *ty == Type::Error, value_after_viewer(field)) {
                let title = format!("`{}` has no initial value", field.name.text);
                let kind = self.describe_type(ty);
                let found = Diagnostic::new(Code::E0301, title, field.name.span, format!("holds {kind}"));
                let example = self.rules.type_values(ty, 1 << 16).and_then(|v| v.into_iter().next());
                let example = example.map_or("...".to_string(), |v| self.rules.show(&v));
                self.report(found.help(format!("give one: `= {example};`")));
            }
            return vec![given.unwrap_or(Value::None); cells];
        };
        let want = (*ty != Type::Error).then_some(ty);
        let (_, values) = self.by_keys(keys, words, want, "an initial value", false);
        values.into_iter().map(|v| v.unwrap_or(Value::None)).collect()
    }

    fn visibility(&mut self, field: &ast::FieldDecl, keys: &[KeyDomain]) -> Visibility {
        let who = match &field.visibility {
            ast::Visibility::Public => return Visibility::Public,
            ast::Visibility::Hidden => return Visibility::Hidden,
            ast::Visibility::To(who) => who,
        };
        if let Some((viewer, value)) = value_after_viewer(field) {
            let title = "the initial value of a field stands before `visible to`";
            let found = Diagnostic::new(Code::E0013, title, value.span, "this value comes first");
            self.report(
                found.label(viewer.span, "then who sees it").help("write `... = VALUE visible to PLAYER;`"),
            );
            return Visibility::Hidden;
        }
        if matches!(who.as_name(), Some("me" | "mover" | "owner" | "self" | "player"))
            && self.find(who.as_name().unwrap_or_default(), who.span).is_none()
            && !field.keys.iter().any(|key| Some(key.name.text.as_str()) == who.as_name())
        {
            let title = "who sees a field is the same in all positions: a player, or a key of the field";
            let found = Diagnostic::new(Code::E0107, title, who.span, "nobody in particular");
            self.report(found.help(format!(
                "write `{}[p: Player]: ... visible to p` for what each player sees of his own",
                field.name.text
            )));
            return Visibility::Hidden;
        }
        let before = self.diagnostics.len();
        let (ty, values) = self.by_keys(keys, who, None, "who sees a field", false);
        let players = |value: &Value| match value {
            Value::Set(items) => items.iter().filter_map(Value::as_sym).collect(),
            other => other.as_sym().into_iter().collect(),
        };
        let fits = match ty.base() {
            Type::Set(inner) => *inner.base() == Type::Sym(PLAYER),
            other => *other == Type::Sym(PLAYER),
        };
        if !fits && self.diagnostics.len() == before {
            self.wrong_type(who.span, "a player or a set of players", &ty);
            self.advise_on_value(who, &ty, &Type::Sym(PLAYER), &Locals::constant());
            self.players_in_braces(who, &ty);
        }
        Visibility::To(values.iter().map(|v| v.as_ref().map_or(Vec::new(), players)).collect())
    }

    /// Elaborates all definitions, to find the mistakes in unused ones as well.
    pub fn resolve_defs(&mut self) {
        let names: Vec<&'a str> = self.symbols.keys().copied().collect();
        for name in names {
            if self.is_kind(name, |k| matches!(k, SymbolKind::Def { .. } | SymbolKind::Inductive { .. })) {
                let span = self.symbols[name].span;
                self.def(name, span);
            }
        }
    }

    /// The definition with this name, elaborated on first use.
    pub fn def(&mut self, name: &'a str, span: Span) -> Option<DefId> {
        match self.symbols.get(name)?.kind.clone() {
            SymbolKind::Def { item, id } => match id {
                Resolution::Resolved(id) => Some(id),
                Resolution::InProgress => self.cycle(name, span),
                Resolution::Unresolved => {
                    let ItemKind::Def { name: declared, formals, ty, body } = &item.kind else { return None };
                    self.set_def(name, Resolution::InProgress);
                    self.in_progress.push((name, declared.span));
                    let empty = Vec::new();
                    let formals = formals.as_ref().unwrap_or(&empty);
                    let id = self.plain_def(declared, formals, ty.as_ref(), body, &item.doc);
                    self.in_progress.pop();
                    self.set_def(name, Resolution::Resolved(id));
                    Some(id)
                }
            },
            SymbolKind::Inductive { item, id } => match id {
                Resolution::Resolved(id) => Some(id),
                // Unreachable: an inductive definition is done before its body is elaborated.
                Resolution::InProgress => None,
                Resolution::Unresolved => {
                    let ItemKind::Inductive { name: declared, formals, body } = &item.kind else {
                        return None;
                    };
                    Some(self.inductive(name, declared, formals, body, &item.doc))
                }
            },
            _ => None,
        }
    }

    fn set_def(&mut self, name: &str, progress: Resolution<DefId>) {
        if let Some(SymbolKind::Def { id, .. } | SymbolKind::Inductive { id, .. }) =
            self.symbols.get_mut(name).map(|s| &mut s.kind)
        {
            *id = progress;
        }
    }

    /// Declares the parameters of a definition, move or effect.
    pub fn formals(&mut self, formals: &[ast::Bind], locals: &mut Locals) -> Vec<bouton_rules::VarId> {
        let mut params = Vec::new();
        for formal in formals {
            let ty = self.ty(&formal.ty);
            self.shadows(&formal.name, locals);
            self.names.define(&formal.name, DefinitionKind::Variable, &ty);
            params.push(locals.add(&formal.name.text, ty, formal.name.span));
        }
        params
    }

    /// Puts one report, of two parameters with one name, in place of the reports from `first`, if there are errors among
    /// them; returns true if there were.
    pub(super) fn parameters_of_one_name(&mut self, formals: &[ast::Bind], first: usize) -> bool {
        let names = || formals.iter().map(|formal| &formal.name).enumerate();
        let pair = names().find_map(|(at, second)| {
            let earlier = formals[..at].iter().map(|formal| &formal.name);
            earlier.into_iter().find(|name| name.text == second.text).map(|name| (name, second))
        });
        let Some((one, second)) = pair else { return false };
        if !self.diagnostics[first..].iter().any(|found| found.severity() == Severity::Error) {
            return false;
        }
        self.diagnostics.truncate(first);
        let title = format!("two parameters are called `{}`", second.text);
        let found = Diagnostic::new(Code::E0103, title, second.span, "the second");
        self.report(found.label(one.span, "the first").help("give one of them another name"));
        true
    }

    fn plain_def(
        &mut self,
        name: &'a Name,
        formals: &[ast::Bind],
        ty: Option<&ast::Type>,
        body: &ast::Expr,
        doc: &[String],
    ) -> DefId {
        let mut locals = Locals::new(ExprPlace::Def);
        let first = self.diagnostics.len();
        let params = self.formals(formals, &mut locals);
        let declared = ty.map(|t| self.ty(t));
        let body = match &declared {
            Some(ty) => self.expr_of(body, ty, &mut locals),
            None => self.expr(body, None, &mut locals),
        };
        self.unused_params(&locals, formals);
        self.parameters_of_one_name(formals, first);
        let ty = match declared {
            Some(declared) if body.ty != Type::Error => match body.ty.interval().zip(declared.interval()) {
                Some(((a, b), (c, d))) => Type::Int(a.max(c), b.min(d)),
                // A set or a tuple may have numbers that its declaration does not have.
                None if !self.rules.is_within(&body.ty, &declared) => body.ty.clone(),
                None => declared,
            },
            Some(declared) => declared,
            None => body.ty.clone(),
        };
        // The type is unknown only if the body is wrong; a call then gives no further message.
        let is_static = self.is_static(&body) && !locals.uses_me;
        let id = self.rules.defs.push(Def {
            name: self.global_name(name).to_string(),
            params,
            vars: locals.vars,
            ty,
            body,
            group: None,
            uses_me: locals.uses_me,
            doc: doc.to_vec(),
            span: name.span,
        });
        self.static_defs.insert(id, is_static);
        id
    }

    /// Elaborates an inductive definition, which is a formula. It is registered before its body, which may use it.
    fn inductive(
        &mut self,
        key: &'a str,
        name: &Name,
        formals: &[ast::Bind],
        body: &ast::Expr,
        doc: &[String],
    ) -> DefId {
        let mut locals = Locals::new(ExprPlace::Def);
        let params = self.formals(formals, &mut locals);
        let mut tuples = 1u128;
        for formal in formals {
            let ty = self.ty(&formal.ty);
            tuples = tuples.saturating_mul(self.domain_values(&ty, formal.ty.span).len() as u128);
        }
        if tuples > MAX_INDUCTIVE_TUPLES as u128 {
            let title = format!("the relation `{}` has {tuples} tuples", name.text);
            let found =
                Diagnostic::new(Code::E0403, title, name.span, format!("at most {MAX_INDUCTIVE_TUPLES}"));
            self.report(
                found.help("each is asked until none is added: give it fewer parameters, or smaller ranges"),
            );
        }
        let id = self.rules.defs.push(Def {
            name: key.to_string(),
            params,
            vars: locals.vars.clone(),
            ty: Type::Bool,
            body: Expr::new(ExprKind::Const(Value::Bool(false)), Type::Bool, body.span),
            group: Some(u32::MAX),
            uses_me: false,
            doc: doc.to_vec(),
            span: name.span,
        });
        self.static_defs.insert(id, false);
        self.set_def(key, Resolution::Resolved(id));
        let body = self.formula(body, &mut locals);
        self.unused_params(&locals, formals);
        let def = &mut self.rules.defs[id];
        def.body = body;
        def.vars = locals.vars;
        def.uses_me = locals.uses_me;
        id
    }

    /// Warns about parameters that the body does not use.
    pub fn unused_params(&mut self, locals: &Locals, formals: &[ast::Bind]) {
        for formal in formals {
            let used = locals.stack.iter().find(|l| l.span == formal.name.span).is_none_or(|l| l.used);
            // An effect is elaborated at each of its calls.
            let is_told = |d: &Diagnostic| d.code == Code::W0111 && d.span() == formal.name.span;
            if !used && !formal.name.text.starts_with('_') && !self.diagnostics.iter().any(is_told) {
                let title = format!("the parameter `{}` is never used", formal.name.text);
                let found = Diagnostic::new(Code::W0111, title, formal.name.span, "not used");
                let found = self.advise_on_unused(found, formal);
                self.report(found);
            }
        }
    }

    /// The field with this declared name, if it is one.
    pub fn field_of(&self, name: &str) -> Option<FieldId> {
        match self.symbols.get(name)?.kind {
            SymbolKind::Field { id } => id,
            _ => None,
        }
    }

    /// All definition ids, for passes over them.
    pub fn def_ids(&self) -> Vec<DefId> {
        (0..self.rules.defs.len()).map(DefId::new).collect()
    }
}

/// The field with numbers as keys that takes the place of `piles: list of 0..7 = [3, 4, 5]`.
fn list_by_numbers(field: &ast::FieldDecl) -> Option<String> {
    let (ast::TypeKind::List(of), Some(init)) = (&field.ty.kind, &field.init) else { return None };
    let (ast::TypeKind::Expr(element), ast::ExprKind::List(values)) = (&of.kind, &*init.bare().kind) else {
        return None;
    };
    if !field.keys.is_empty() || values.is_empty() {
        return None;
    }
    let (name, element) = (&field.name.text, bouton_syntax::print_expr(element));
    let key = format!("[i: 1..{}]", values.len());
    let list = bouton_syntax::print_expr(init.bare());
    Some(format!("write a field with the numbers as its keys: `{name}{key}: {element} = {list}[i];`"))
}

/// The type for the list of a field whose first value is written as a set.
fn set_for_a_list(field: &ast::FieldDecl) -> Option<String> {
    let (ast::TypeKind::List(of), Some(init)) = (&field.ty.kind, &field.init) else { return None };
    let ast::TypeKind::Expr(element) = &of.kind else { return None };
    let is_set = matches!(&*init.bare().kind, ast::ExprKind::Set(_) | ast::ExprKind::Range(..));
    is_set.then(|| format!("set of {}", bouton_syntax::print_expr(element)))
}

/// The description of a type that constants may have and fields may not; `None` for any other type.
pub(super) fn unsupported_in_state(ty: &Type) -> Option<&'static str> {
    match ty.base() {
        Type::List(_) => Some("a list"),
        Type::Text => Some("a string"),
        Type::Ratio => Some("a number without an end"),
        Type::Option(inner) | Type::Set(inner) => unsupported_in_state(inner),
        Type::Tuple(parts) => parts.iter().find_map(unsupported_in_state),
        _ => None,
    }
}

/// Returns the viewer and the initial value of a field that is declared in the wrong order, `visible to p = 0`.
fn value_after_viewer(field: &ast::FieldDecl) -> Option<(&ast::Expr, &ast::Expr)> {
    let ast::Visibility::To(who) = &field.visibility else { return None };
    match &*who.kind {
        ast::ExprKind::Compare(viewer, rest) => match &rest[..] {
            [(ast::CmpOp::Equal, value)] => Some((viewer, value)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{diagnostics, found};
    use bouton_syntax::diag::Code;

    #[test]
    fn a_list_with_a_set_as_its_value_is_a_set() {
        let text = |value: &str| {
            format!(
                "game \"Open\"; players A, B;
                 state {{ open: list of 1..4 = {value}; n: 0..9 = 3; }}
                 move take() as \"take\" {{ when n > 0; n -= 1; }}
                 end {{ when stuck => mover loses; }}"
            )
        };
        for (value, edits) in
            [("1..4", vec!["set of 1..4"]), ("{ 1, 3 }", vec!["set of 1..4"]), ("[1, 3]", vec![])]
        {
            let told = found(&text(value), Code::E0231);
            let [told] = &told[..] else { panic!("{told:?}") };
            let texts: Vec<&str> = told.edits.iter().map(|edit| edit.text.as_str()).collect();
            assert_eq!(texts, edits, "{value}");
        }
    }

    #[test]
    fn a_set_that_starts_with_none_is_empty() {
        let text = |value: &str| {
            format!(
                "game \"Docks\"; players A, B; type Dock = 1..3;
                 state {{ used[p: Player]: set of Dock = {value}; }}
                 move take(d: Dock) as \"{{d}}\" {{ when d not in used[me]; used[me] |= {{ d }}; }}
                 play normal;"
            )
        };
        let told = found(&text("none"), Code::E0203);
        let [told] = &told[..] else { panic!("{told:?}") };
        assert_eq!(told.help.as_deref(), Some("the empty set is `{}`"));
        assert_eq!(told.edits.iter().map(|edit| &edit.text[..]).collect::<Vec<_>>(), ["{}"]);
        assert!(diagnostics(&text("{}")).is_empty());
    }
}
