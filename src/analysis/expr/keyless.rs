//! Fields that are declared without a key, and used as if they had one.

use crate::analyzer::Analyzer;
use crate::locals::Locals;
use bouton_base::source::Span;
use bouton_rules::{ConstTable, EnumKind, PLAYER, Type};
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};

/// The most tables that a message names.
const MAX_SHOWN_TABLES: usize = 3;

impl<'a> Analyzer<'a> {
    /// Reports `at[c]` of a field without a key, once for each field; returns true if it is one.
    pub fn field_without_a_key(
        &mut self,
        name: &str,
        keys: &[ast::Expr],
        span: Span,
        locals: &mut Locals,
    ) -> bool {
        let Some((id, field)) = self.rules.fields.entries().find(|(_, field)| field.name == name) else {
            return false;
        };
        if !field.keys.is_empty()
            || matches!(field.ty.present().base(), Type::Set(_) | Type::Tuple(_) | Type::Record(_))
        {
            return false;
        }
        if !self.keyless_fields.insert(id) {
            return true;
        }
        let (declared, ty) = (field.span, field.ty.clone());
        let types: Vec<Type> = keys
            .iter()
            .map(|key| self.quiet_type(key, locals).map_or(Type::Error, |ty| ty.present().clone()))
            .collect();
        let title = format!("the field `{name}` has no key, and is used with one");
        let found = Diagnostic::new(Code::E0104, title, span, "one of several values");
        let found = found.label(declared, "one value");
        let mut binds =
            keys.iter().zip(&types).map(|(key, ty)| self.key_for(key, ty)).collect::<Option<Vec<String>>>();
        if let (Some([bind]), Some(unknown)) =
            (binds.as_deref_mut(), self.unknown_in_the_initial_value(declared))
            && let Some((_, of)) = bind.split_once(": ")
        {
            *bind = format!("{unknown}: {of}");
        }
        self.report(match binds {
            None if keys.iter().all(is_place_in_a_word)
                && let Some(help) = self.parts_of_members(name, &ty) =>
            {
                found.help(format!(
                    "{help}; if several are kept, declare it with a key: `{name}[i: 1..3]: ...`"
                ))
            }
            None if types.iter().all(|ty| matches!(ty.base(), Type::Int(..))) => {
                found.help(format!("declare it with a range as its key, as in `{name}[i: 1..3]: ...`"))
            }
            None => found.help(format!("declare it with a key, as in `{name}[p: Player]: ...`")),
            Some(binds) => {
                let (binds, ty) = (binds.join(", "), self.rules.show_type(&ty));
                let init = self.initial_words(declared).map_or(String::new(), |init| format!(" = {init}"));
                found.help(format!("declare it with a key: `{name}[{binds}]: {ty}{init};`"))
            }
        });
        true
    }

    /// The only unknown name in the initial value of a field, which may be its missing key; its message is dropped.
    fn unknown_in_the_initial_value(&mut self, declared: Span) -> Option<String> {
        let init = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::State(fields) => {
                fields.iter().find(|field| field.name.span == declared).and_then(|field| field.init.as_ref())
            }
            _ => None,
        })?;
        let is_unknown = |found: &Diagnostic| found.code == Code::E0101 && init.span.covers(found.span());
        let mut places = self.diagnostics.iter().filter(|found| is_unknown(found)).map(Diagnostic::span);
        let place = places.next().filter(|_| places.next().is_none())?;
        let name = name_at(init, place)?.to_owned();
        self.diagnostics.retain(|found| !is_unknown(found));
        Some(name)
    }

    /// Advice where a part of a member of an `enum` is read by its number, such as the first letter of a
    /// word.
    pub(super) fn parts_of_members(&self, term: &str, ty: &Type) -> Option<String> {
        let Type::Sym(id) = ty.present().base() else { return None };
        let of = &self.rules.enums[*id];
        if of.kind != EnumKind::User {
            return None;
        }
        let is_of_members =
            |table: &&ConstTable| matches!(&table.keys[..], [key] if *key.ty.base() == Type::Sym(*id));
        let tables: Vec<String> = self
            .rules
            .tables
            .iter()
            .filter(is_of_members)
            .filter(|table| self.symbols.contains_key(table.name.as_str()))
            .take(MAX_SHOWN_TABLES)
            .map(|table| format!("`{}[{term}]`", table.name))
            .collect();
        let key = of.name.chars().next().map_or('x', |c| c.to_ascii_lowercase());
        let advice = match tables.is_empty() {
            true => format!("as in `const part[{key}: {}]: ... = match {key} {{ ... }};`", of.name),
            false => format!("here {}", tables.join(" or ")),
        };
        Some(format!("a `{}` has no letters or parts: a table tells what belongs to it, {advice}", of.name))
    }

    /// A key of a declaration for a term that is used as one: `c: Cell`.
    fn key_for(&self, key: &ast::Expr, ty: &Type) -> Option<String> {
        let shown = match ty.base() {
            Type::Sym(_) => self.rules.show_type(ty),
            Type::Int(low, high) if low < high => self.rules.show_type(ty),
            _ => return None,
        };
        let name = match key.bare().as_name() {
            _ if *ty.base() == Type::Sym(PLAYER) => "p".to_owned(),
            Some(word) if !crate::expr::BUILT_IN_NAMES.contains(&word) && word.len() < 3 => word.to_owned(),
            _ => shown
                .chars()
                .next()
                .filter(char::is_ascii_alphabetic)
                .map_or('i', |c| c.to_ascii_lowercase())
                .to_string(),
        };
        Some(format!("{name}: {shown}"))
    }

    /// The initial value of a field as it is written, by the place of its name.
    fn initial_words(&self, declared: Span) -> Option<String> {
        self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::State(fields) => {
                let field = fields.iter().find(|field| field.name.span == declared)?;
                field.init.as_ref().map(bouton_syntax::print_expr)
            }
            _ => None,
        })
    }
}

/// Returns true for `0`, `-1`, and other numbers as they are written.
fn is_place_in_a_word(key: &ast::Expr) -> bool {
    match &*key.bare().kind {
        ast::ExprKind::Number(_) => true,
        ast::ExprKind::Unary(_, inner) => is_place_in_a_word(inner),
        _ => false,
    }
}

/// The name that stands at a place within an expression.
fn name_at(expr: &ast::Expr, place: Span) -> Option<&str> {
    if expr.span == place {
        return expr.as_name();
    }
    let mut found = None;
    bouton_syntax::visit::children(expr, &mut |part| found = found.or_else(|| name_at(part, place)));
    found
}

#[cfg(test)]
mod tests {
    use crate::testing::diagnostics;

    #[test]
    fn members_have_no_letters() {
        let helps = |condition: &str, table: &str| {
            let text = format!(
                "game \"Words\"; players A, B; enum Word {{ ant, ten }} {table}
                 state {{ last: Word? = none; }}
                 move say(w: Word) as \"{{w}}\" {{ when {condition}; last := w; }} play normal;"
            );
            diagnostics(&text).into_iter().filter_map(|found| found.help).collect::<Vec<_>>()
        };
        let head = "const head[w: Word]: 1..2 = match w { ant => 1, ten => 2 };";
        let [first, field] = &helps("w[0] = last[-1]", head)[..] else { panic!("two messages") };
        let none = "a `Word` has no letters or parts: a table tells what belongs to it";
        assert_eq!(*first, format!("{none}, here `head[w]`"));
        assert!(field.starts_with(&format!("{none}, here `head[last]`; if several are kept")), "{field}");
        let [made] = &helps("w[0] = 1", "")[..] else { panic!("one message") };
        assert!(made.starts_with(&format!("{none}, as in `const part[w: Word]")), "{made}");
    }
}
