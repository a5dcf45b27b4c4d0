//! Declarations whose first value says that there is none, or whose key stands nowhere: `last: Player = null;`,
//! `const up: Dir = match p { Red => N, Blue => S };`.

use super::RepairSession;
use super::declared_names::Declared;
use super::foreign::foreign_value;
use crate::ast::{Arm, Bind, BoardForm, Expr, ExprKind, FieldDecl, Item, ItemKind, Name, Type, TypeKind};
use crate::diag::{Code, Diagnostic};
use crate::print_expr;

impl RepairSession {
    /// Reports the fields `last: Player = null;`, and reads them as `last: Player? = none;`.
    pub fn mend_absent_values(&mut self) {
        let mut found = Vec::new();
        let mut items = std::mem::take(&mut self.items);
        let names = |items: &[Item], name: &str| {
            items.iter().any(|item| match &item.kind {
                ItemKind::Use { .. } => true,
                ItemKind::Board { form: BoardForm::Graph(lines), .. } => lines.iter().any(|line| {
                    line.first.text == name || line.rest.iter().any(|(_, point)| point.text == name)
                }),
                _ => false,
            })
        };
        let declared = Declared::of(&items);
        let foreign: Vec<String> = items
            .iter()
            .filter_map(|item| match &item.kind {
                ItemKind::State(fields) => Some(fields),
                _ => None,
            })
            .flatten()
            .filter_map(|field| field.init.as_ref()?.as_name())
            .filter(|name| foreign_value(name) == Some("none") && !declared.has(name) && !names(&items, name))
            .map(str::to_owned)
            .collect();
        for item in &mut items {
            if let ItemKind::State(fields) = &mut item.kind {
                found.extend(fields.iter_mut().filter_map(|field| absent_value(field, &foreign)));
            }
        }
        self.items = items;
        self.diagnostics.append(&mut found);
    }

    /// Reports the constants `up: Dir = match p { Red => N, Blue => S };`, and gives them the key that they lack.
    pub fn mend_tables_without_keys(&mut self) {
        let declared = Declared::of(&self.items);
        if self.items.iter().any(|item| matches!(item.kind, ItemKind::Use { .. })) {
            return;
        }
        for item in &mut self.items {
            self.diagnostics.extend(table_without_a_key(&mut item.kind, &declared));
        }
    }
}

/// The name of a type that is one word.
fn name_of(ty: &Type) -> Option<&str> {
    match &ty.kind {
        TypeKind::Expr(expr) => expr.as_name(),
        _ => None,
    }
}

/// Reads a field such as `last: Player = null;` as an optional one, and reports it.
fn absent_value(field: &mut FieldDecl, foreign: &[String]) -> Option<Diagnostic> {
    let init = field.init.as_mut()?;
    let name = init.as_name().filter(|name| foreign.iter().any(|known| known == name))?;
    if field.keys.iter().any(|key| key.name.text == name) {
        return None;
    }
    let title = format!("there is no `{name}` here: a field that may have no value has `?` after its type");
    let new = format!("{}? = none", name_of(&field.ty)?);
    let keys: Option<Vec<String>> = field
        .keys
        .iter()
        .map(|key| match &key.ty.kind {
            TypeKind::Expr(ty) => Some(format!("{}: {}", key.name.text, print_expr(ty))),
            _ => None,
        })
        .collect();
    let keys = match &keys?[..] {
        [] => String::new(),
        keys => format!("[{}]", keys.join(", ")),
    };
    let found = Diagnostic::new(Code::E0101, title, init.span, "");
    let found = found.help(format!("write `{}{keys}: {new};`", field.name.text));
    let found = found.edit(bouton_base::source::Span { end: init.span.end, ..field.ty.span }, new);
    *init.kind = ExprKind::None;
    let ty = Type { kind: field.ty.kind.clone(), span: field.ty.span };
    field.ty.kind = TypeKind::Option(Box::new(ty));
    Some(found)
}

/// The name of the one type that has all these members.
fn type_of<'d>(declared: &'d Declared, names: &[&str]) -> Option<&'d str> {
    let has_all = |members: &[String]| names.iter().all(|name| members.iter().any(|member| member == name));
    let mut types = declared.members.iter().filter(|(_, members)| has_all(members));
    let (name, _) = types.next().filter(|_| !names.is_empty())?;
    types.next().is_none().then_some(name.as_str())
}

/// The type of the values of some arms, if it is known.
fn type_of_values(declared: &Declared, arms: &[Arm]) -> Option<String> {
    let names: Option<Vec<&str>> = arms.iter().map(|arm| arm.value.bare().as_name()).collect();
    if let Some(names) = names {
        return type_of(declared, &names).map(str::to_owned);
    }
    let number = |arm: &Arm| match &*arm.value.bare().kind {
        ExprKind::Number(digits) => digits.parse::<u32>().ok(),
        _ => None,
    };
    let numbers: Option<Vec<u32>> = arms.iter().map(number).collect();
    let numbers = numbers?;
    Some(format!("{}..{}", numbers.iter().min()?, numbers.iter().max()?))
}

/// Gives `const up: Dir = match p { Red => N, Blue => S };` the key `p`, and reports it.
fn table_without_a_key(item: &mut ItemKind, declared: &Declared) -> Option<Diagnostic> {
    let ItemKind::Const { name, keys, ty: Some(ty), value } = item else { return None };
    let ExprKind::Match(subject, arms) = &*value.bare().kind else { return None };
    let key = subject.as_name().filter(|key| keys.is_empty() && !declared.has(key))?.to_owned();
    let patterns: Option<Vec<&str>> =
        arms.iter().filter_map(|arm| arm.pattern.as_ref()).map(|pattern| pattern.as_name()).collect();
    let of = type_of(declared, &patterns?)?.to_owned();
    let values = type_of_values(declared, arms);
    let is_type_of_the_key = name_of(ty) == Some(of.as_str()) && values.as_deref() != Some(of.as_str());
    let written = match &ty.kind {
        TypeKind::Expr(expr) => print_expr(expr),
        _ => return None,
    };
    let title = format!("there is no `{key}` here: the key of a table stands in brackets behind its name");
    let found = Diagnostic::new(Code::E0101, title, subject.span, "");
    let keyed = format!("[{key}: {of}]");
    let span = subject.span;
    let result = match is_type_of_the_key {
        true => values.clone(),
        false => Some(written),
    };
    let shown = result.as_deref().unwrap_or("...");
    let found = found.help(format!("write `const {}{keyed}: {shown} = ...;`", name.text));
    let found = match (&result, is_type_of_the_key) {
        (Some(result), true) => {
            let place = bouton_base::source::Span { end: ty.span.end, ..name.span };
            found.edit(place, format!("{}{keyed}: {result}", name.text))
        }
        (Some(_), false) => found.edit(name.span, format!("{}{keyed}", name.text)),
        (None, _) => found,
    };
    if is_type_of_the_key {
        // The values tell the type themselves.
        if let ItemKind::Const { ty, .. } = item {
            *ty = None;
        }
    }
    if let ItemKind::Const { keys, .. } = item {
        let set = Expr::new(ExprKind::Name(of), span);
        keys.push(Bind { name: Name { text: key, span }, ty: Type { kind: TypeKind::Expr(set), span } });
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn absent_values_need_an_optional_type() {
        for word in ["null", "None", "nil", "nobody", "undefined"] {
            let old = format!("state {{ last: Player = {word}; }}\n");
            assert_eq!(mended(&old), "state { last: Player? = none; }\n");
            assert_eq!(helps(&old), ["write `last: Player? = none;`"]);
        }
        let keyed = "state { at[c: Cell]: Player = null visible to me; }\n";
        assert_eq!(mended(keyed), "state { at[c: Cell]: Player? = none visible to me; }\n");
        for sound in ["enum E { empty, full }\nstate { e: E = empty; }\n", "state { n: 0..3 = null; }\n"] {
            assert_eq!(titles(sound), [""; 0], "{sound}");
        }
    }

    #[test]
    fn tables_have_keys() {
        let items = "players A, B;\nenum Card { low, high }\n";
        let new = format!("{items}const worth[p: Player]: Card = match p {{ A => low, B => high }};\n");
        for ty in ["Card", "Player"] {
            let old = format!("{items}const worth: {ty} = match p {{ A => low, B => high }};\n");
            assert_eq!(mended(&old), new);
            assert_eq!(helps(&old), ["write `const worth[p: Player]: Card = ...;`"]);
        }
        let numbers = format!("{items}const worth: Card = match c {{ low => 2, high => 5 }};\n");
        assert!(
            mended(&numbers).ends_with("const worth[c: Card]: 2..5 = match c { low => 2, high => 5 };\n")
        );
        assert_eq!(titles(&new), [""; 0]);
    }
}
