//! Terms with keys in square brackets: elements of fields, of constant tables and of lists.

use std::sync::Arc;

use super::calls::count;
use crate::analyzer::Analyzer;
use crate::locals::Locals;
use crate::symbols::{ConstValue, SymbolKind, UseKind};
use bouton_base::source::Span;
use bouton_rules::{ConstTable, Expr, ExprKind, KeyDomain, TableId, Type, Value};
use bouton_syntax::ast;
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl<'a> Analyzer<'a> {
    /// `f[e, ...]`: an element of a field, a table or a constant list.
    pub fn index(&mut self, base: &ast::Expr, keys: &[ast::Expr], span: Span, locals: &mut Locals) -> Expr {
        if let Some(name) = self.declared(base, locals) {
            match self.symbols[name].kind.clone() {
                SymbolKind::Field { id } => return self.field_at(name, id, keys, span, locals),
                SymbolKind::Const { .. } => {
                    self.use_symbol(name, UseKind::Read);
                    if let Some(ConstValue::Table(table)) = self.const_value(name, base.span) {
                        let made = self.table_at(table, keys, span, locals);
                        let types = self.rules.tables[table].keys.iter().map(|key| key.ty.clone());
                        self.missing_key(name, keys, &types.collect::<Vec<_>>(), locals);
                        return made;
                    }
                }
                SymbolKind::Def { .. } | SymbolKind::Inductive { .. } => {
                    let declared = self.symbols[name].span;
                    let title = format!("`{name}` is a definition: call it, `{name}(...)`");
                    let found = Diagnostic::new(Code::E0102, title, base.span, "round brackets");
                    self.report(found.label(declared, "declared here").help(format!("write `{name}(...)`")));
                    return self.poison(span);
                }
                _ => {}
            }
        }
        if let Some(name) = base.as_name().filter(|name| !locals.has(name))
            && matches!(
                name,
                "min" | "max" | "other" | "ray" | "lines" | "between" | "beyond" | "dir" | "flood" | "stuck"
            )
            && self.find(name, base.span).is_none()
        {
            let title = format!("`{name}` is a function: its arguments stand in round brackets");
            let found = Diagnostic::new(Code::E0102, title, base.span, "round brackets");
            let open =
                keys.first().map_or(span, |key| Span { start: base.span.end, end: key.span.start, ..span });
            let close = keys.last().map_or(span, |key| Span { start: key.span.end, ..span });
            let found = found.help(format!("write `{name}(...)`"));
            self.report(match keys.is_empty() {
                true => found,
                false => found.edit(open, "(").edit(close, ")"),
            });
            return self.poison(span);
        }
        if let ast::ExprKind::Index(field, first) = &*base.kind
            && let Some(SymbolKind::Field { id: Some(id) }) =
                self.declared(field, locals).map(|name| self.symbols[name].kind.clone())
            && self.keys_in_two_brackets(id, first, keys, field.span)
        {
            return self.poison(span);
        }
        if self.cell_in_square_brackets(base, keys, span, locals) || self.near_field(base, keys, locals) {
            return self.poison(span);
        }
        let made = self.expr(base, None, locals);
        match made.constant() {
            Some(Value::List(items)) => {
                let items = items.clone();
                self.missing_element(base, items.len(), keys, locals);
                self.element_by_a_variable(base, keys, locals);
                let table = self.list_table(&items, &made);
                let made = self.table_at(table, keys, span, locals);
                if matches!(&*made.kind, ExprKind::Undefined) {
                    self.missing_elements.push(span);
                }
                made
            }
            _ if made.ty == Type::Error => made,
            _ if matches!(made.ty.base(), Type::Int(..)) => {
                let title = "a number has no keys";
                let found = Diagnostic::new(Code::E0201, title, base.span, "this is a number");
                self.report(
                    found.help("a field of several cells has its key after its name: `left[i: 1..3]: 0..20`"),
                );
                self.poison(span)
            }
            _ if matches!(made.ty.base(), Type::Set(_)) => {
                let title = "the elements of a set have no numbers";
                // `l[1]` is followed by `l[2]` and `l[3]`, which is one mistake.
                let is_told = self.diagnostics.last().is_some_and(|last| {
                    last.title == title
                        && last.span().file == span.file
                        && span.start < last.span().start + 200
                });
                if is_told {
                    return self.poison(span);
                }
                let found = Diagnostic::new(Code::E0201, title, base.span, "this is a set");
                let found = found.help(
                    "`all x in S: f` and `some x in S: f` go through the elements; only a list, `[3, 4, 5]`, has a first one",
                );
                self.report(self.set_at_a_constant(base, found));
                self.poison(span)
            }
            _ => {
                self.wrong_type(base.span, "a field, a table or a list", &made.ty.clone());
                self.parts_for_numbers(&bouton_syntax::print_expr(base), &made.ty);
                self.poison(span)
            }
        }
    }

    fn field_at(
        &mut self,
        name: &'a str,
        id: Option<bouton_rules::FieldId>,
        keys: &[ast::Expr],
        span: Span,
        locals: &mut Locals,
    ) -> Expr {
        self.use_symbol(name, UseKind::Read);
        if !self.needs_state(&format!("the field `{name}`"), span, locals) {
            return self.poison(span);
        }
        let Some(id) = id else { return self.poison(span) };
        self.read_fields.insert(id);
        if self.element_as_a_key(name, keys, span, locals) {
            return self.poison(span);
        }
        let types: Vec<Type> = self.rules.fields[id].keys.iter().map(|k| k.ty.clone()).collect();
        let ty = self.rules.fields[id].ty.clone();
        self.missing_key(name, keys, &types, locals);
        let Some(keys) = self.key_arguments(name, keys, &types, span, locals) else {
            if types.is_empty() {
                self.parts_for_numbers(name, &ty);
            }
            return self.poison(span);
        };
        self.node(ExprKind::Field(id, keys), ty, span)
    }

    fn table_at(&mut self, id: TableId, keys: &[ast::Expr], span: Span, locals: &mut Locals) -> Expr {
        let table = &self.rules.tables[id];
        let (name, ty) = (table.name.clone(), table.ty.clone());
        let types: Vec<Type> = table.keys.iter().map(|k| k.ty.clone()).collect();
        let Some(keys) = self.key_arguments(&name, keys, &types, span, locals) else {
            return self.poison(span);
        };
        self.node(ExprKind::Table(id, keys), ty, span)
    }

    /// Reports `at[x][y]` of a field with two keys, or with the cells of a board as its key. Returns true if it is one.
    pub fn keys_in_two_brackets(
        &mut self,
        id: bouton_rules::FieldId,
        first: &[ast::Expr],
        second: &[ast::Expr],
        field: Span,
    ) -> bool {
        let types: Vec<Type> = self.rules.fields[id].keys.iter().map(|k| k.ty.clone()).collect();
        let ([.., before], [after, ..]) = (first, second) else { return false };
        let between = Span { start: before.span.end, end: after.span.start, ..before.span };
        let name = self.rules.fields[id].name.clone();
        if types.len() == first.len() + second.len() {
            let title = "all keys of a field stand in one pair of brackets, with commas between them";
            let keys: Vec<String> = first.iter().chain(second).map(bouton_syntax::print_expr).collect();
            let help = format!("write `{name}[{}]`", keys.join(", "));
            let found = Diagnostic::new(Code::E0104, title, field.to(after.span), "");
            self.report(found.help(help).edit(between, ", "));
            return true;
        }
        if matches!(self.rules.fields[id].ty.present(), Type::Tuple(_)) && types.len() == first.len() {
            let title = "the parts of a tuple have no numbers";
            let found = Diagnostic::new(Code::E0104, title, field.to(after.span), "");
            self.report(found.help(format!(
                "take it apart, as in `let (a, b) = {name}[...];`, or declare a record, whose parts have names: \
                 `record Piece(owner: Player, kind: Kind);`"
            )));
            return true;
        }
        match (&types[..], first, second) {
            ([key], [column], [row]) if self.board_of(key).is_some() => {
                self.cell_by_coordinates(&name, key, column, row);
                true
            }
            _ => false,
        }
    }

    /// Reports a column and a row in the place of a cell.
    fn cell_by_coordinates(&mut self, field: &str, key: &Type, column: &ast::Expr, row: &ast::Expr) {
        let between = Span { start: column.span.end, end: row.span.start, ..column.span };
        let board = self.rules.show_type(key);
        let title = "a cell is one key: its column and row make a cell";
        let found = Diagnostic::new(Code::E0104, title, column.span.to(row.span), "");
        let (start, end) = (column.span.start, row.span.end);
        self.report(
            found
                .help(format!("write `{field}[{board}(column, row)]`, counted from 1"))
                .edit(Span { start, end: start, ..between }, format!("{board}("))
                .edit(between, ", ")
                .edit(Span { start: end, end, ..between }, ")"),
        );
    }

    /// The keys of a field or table. They must be of the right kind, but a number outside the domain only makes the
    /// term undefined.
    pub fn key_arguments(
        &mut self,
        name: &str,
        keys: &[ast::Expr],
        types: &[Type],
        span: Span,
        locals: &mut Locals,
    ) -> Option<Vec<Expr>> {
        if let ([key], [column, row]) = (types, keys)
            && self.board_of(key).is_some()
        {
            self.cell_by_coordinates(name, key, column, row);
            return None;
        }
        if self.is_several_keys(name, keys, types) {
            return None;
        }
        if let ([Type::Int(..), Type::Int(..)], [cell]) = (types, keys)
            && let Some(word) = cell.as_name()
            && locals.find(word).is_some_and(|of| self.board_of(&of.ty).is_some())
        {
            let form = format!("{name}[{}]", self.render_types(types));
            let found = self.wrong_number_of(name, "2 keys", 1, span, form);
            let help = format!(
                "write `{name}[{word}.col, {word}.row]`, or declare the field with the cells as its key, `{name}[c: Cell]`"
            );
            self.report(found.help(help));
            return None;
        }
        if types.is_empty() && self.field_without_a_key(name, keys, span, locals)
            || self.keys_read_in_two_brackets(name, keys, types, span)
        {
            return None;
        }
        if keys.len() != types.len() {
            let words = self.render_types(types);
            let form = if words.is_empty() { name.to_string() } else { format!("{name}[{words}]") };
            let found = self.wrong_number_of(name, &count(types.len(), "key"), keys.len(), span, form);
            let whole = self.with_the_missing_key(keys, types, locals);
            let whole = whole.map(|(keys, is_mover)| (format!("{name}[{keys}]"), is_mover));
            self.report(match whole {
                Some((whole, true)) => found.help(format!("write `{whole}`")).edit(span, whole),
                Some((whole, false)) => found.help(format!("write `{whole}`")),
                None => found,
            });
            return None;
        }
        let wide: Vec<Type> = types
            .iter()
            .map(|t| match t.base() {
                Type::Int(..) => Type::Int(i64::MIN, i64::MAX),
                other => other.clone(),
            })
            .collect();
        if self.unbound_keys(keys, types, locals) {
            return None;
        }
        let before = self.diagnostics.len();
        let made = self.coerce_all(name, keys, &wide, locals);
        if made.is_none() {
            let help = self.values_by_key(name);
            let bare = |found: &&mut Diagnostic| found.code == Code::E0201 && found.help.is_none();
            if let Some(found) = self.diagnostics[before..].iter_mut().find(bare) {
                let is_set = found.title.contains("found a `set of");
                found.help = match keys {
                    [key] if is_set => help.map(|help| {
                        let set = print_expr(key);
                        format!(
                            "{help}: for each element of a set write `for x in {set} {{ {name}[x] := ...; }}` in a move, `all x \
                             in {set}: {name}[x]` in a condition"
                        )
                    }),
                    _ => help,
                };
            }
        }
        made
    }

    /// The keys with the one that is missing, if each other fits in its place and just one value in scope fits there;
    /// with true if that is `me`.
    fn with_the_missing_key(
        &mut self,
        keys: &[ast::Expr],
        types: &[Type],
        locals: &mut Locals,
    ) -> Option<(String, bool)> {
        if keys.len() + 1 != types.len() || keys.is_empty() {
            return None;
        }
        let own: Vec<Type> = keys.iter().map(|key| self.quiet_type(key, locals)).collect::<Option<_>>()?;
        let fits = |missing: &usize| {
            let others = types.iter().enumerate().filter(|(at, _)| at != missing);
            others.zip(&own).all(|((_, ty), own)| ty.base() == own.present().base())
        };
        let mut places = (0..types.len()).filter(fits);
        let missing = places.next().filter(|_| places.next().is_none())?;
        let domain = KeyDomain { name: "k".into(), ty: types[missing].clone(), values: Arc::default() };
        let here = self.keys_in_scope(&[domain], locals)?;
        let is_mover = here == "me";
        let mut words: Vec<String> = keys.iter().map(print_expr).collect();
        words.insert(missing, here);
        Some((words.join(", "), is_mover))
    }

    /// Reports `at[a1..c1]`, `at[a1, b1, c1]` and `at[{ a1, b1 }]`, where one key is needed: the values of several keys are
    /// no value.
    fn is_several_keys(&mut self, name: &str, keys: &[ast::Expr], types: &[Type]) -> bool {
        let [ty] = types else { return false };
        if matches!(ty.base(), Type::Set(_) | Type::Tuple(_)) {
            return false;
        }
        let is_number = matches!(ty.base(), Type::Int(..));
        let plain = |key: &ast::Expr| match &*key.bare().kind {
            ast::ExprKind::Name(word) | ast::ExprKind::Number(word) => Some(word.clone()),
            _ => None,
        };
        let listed = |keys: &[ast::Expr]| {
            let words: Option<Vec<String>> = keys.iter().map(plain).collect();
            words.map_or("{ ... }".to_owned(), |words| format!("{{ {} }}", words.join(", ")))
        };
        let set = match keys {
            [key] => match &*key.bare().kind {
                ast::ExprKind::Range(low, high) => match (plain(low), plain(high)) {
                    (Some(low), Some(high)) if is_number => format!("{low}..{high}"),
                    (Some(low), Some(high)) => cells_between(&low, &high).unwrap_or("{ ... }".to_owned()),
                    _ => "{ ... }".to_owned(),
                },
                ast::ExprKind::Set(elements) if !elements.is_empty() => listed(elements),
                _ => return false,
            },
            [_, _, _, ..] => listed(keys),
            _ => return false,
        };
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return false };
        let title = format!("`{name}` has a value for one key at a time");
        let found = Diagnostic::new(Code::E0201, title, first.span.to(last.span), "several keys");
        let variable = if is_number { "i" } else { "x" };
        let help = format!(
            "write `all {variable} in {set}: {name}[{variable}] = ...` for a condition on all of them, `some` for one of them"
        );
        self.report(found.help(help));
        true
    }

    /// The values that a field or table has by its only key: "`at` has a `Cell` for each `Player`".
    fn values_by_key(&self, name: &str) -> Option<String> {
        let field = self.rules.fields.iter().find(|field| field.name == name);
        let table = self.rules.tables.iter().find(|table| table.name == name);
        let (keys, ty) = match (field, table) {
            (Some(field), _) => (&field.keys, &field.ty),
            (None, table) => (&table?.keys, &table?.ty),
        };
        let [key] = &keys[..] else { return None };
        let (key, value) = (self.rules.show_type(&key.ty), self.rules.show_type(ty));
        Some(format!("`{name}` has a value of type `{value}` for each `{key}`"))
    }

    /// The table of a constant list, indexed from 1; equal lists share one table.
    fn list_table(&mut self, items: &Arc<Vec<Value>>, made: &Expr) -> TableId {
        let values: Vec<Option<Value>> = items.iter().cloned().map(Some).collect();
        let known = self.rules.tables.entries().find(|(_, t)| t.name == "list" && t.values == values);
        if let Some((id, _)) = known {
            return id;
        }
        let n = items.len() as i64;
        let keys = vec![KeyDomain {
            name: "i".into(),
            ty: Type::Int(1, n),
            values: Arc::new((1..=n).map(Value::Int).collect()),
        }];
        let element = made.ty.element().cloned().unwrap_or(Type::Never);
        let ints = items.iter().filter_map(Value::as_int);
        let ty = match (ints.clone().min(), ints.max()) {
            (Some(lo), Some(hi)) => Type::Int(lo, hi),
            _ => element,
        };
        self.rules.tables.push(ConstTable { name: "list".into(), keys, ty, values, span: made.span })
    }
}

/// Lists the cells from one to another of the same row or column, as `{ a1, b1, c1 }`, if both are named so.
fn cells_between(low: &str, high: &str) -> Option<String> {
    let parts = |name: &str| {
        let (column, row) = name.split_at_checked(1)?;
        Some((column.bytes().next().filter(u8::is_ascii_lowercase)?, row.parse::<u32>().ok()?))
    };
    let ((left, lower), (right, upper)) = (parts(low)?, parts(high)?);
    let column = |letter: u8| char::from(letter);
    let cells: Vec<String> = if lower == upper && left < right {
        (left..=right).map(|letter| format!("{}{lower}", column(letter))).collect()
    } else if left == right && lower < upper && upper - lower < 26 {
        (lower..=upper).map(|row| format!("{}{row}", column(left))).collect()
    } else {
        return None;
    };
    Some(format!("{{ {} }}", cells.join(", ")))
}
