//! Fields that are declared without a key, and used as if they had one.

use crate::analyzer::Analyzer;
use crate::locals::Locals;
use bouton_base::source::Span;
use bouton_rules::{PLAYER, Type};
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};

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
        let binds =
            keys.iter().zip(&types).map(|(key, ty)| self.key_for(key, ty)).collect::<Option<Vec<String>>>();
        self.report(match binds {
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
