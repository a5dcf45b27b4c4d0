//! E0201 for a field that begins with a set, and whose type is that of one element: `used: Word = {};`.

use super::analyzer::Analyzer;
use super::emptied_reads::effects_in;
use bouton_rules::Type;
use bouton_syntax::ast::{EffectOp, Expr, ExprKind, FieldDecl, ItemKind, TypeKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl<'a> Analyzer<'a> {
    /// Reports a field that begins with a set and has the type of an element; returns the type of the set,
    /// for which the rest of the text is probably written.
    pub(super) fn set_without_the_word(&mut self, field: &FieldDecl, ty: &Type) -> Option<Type> {
        let init = field.init.as_ref()?;
        let ExprKind::Set(elements) = &*init.bare().kind else { return None };
        let mut element = &field.ty;
        while let TypeKind::Option(inner) = &element.kind {
            element = inner;
        }
        let TypeKind::Expr(words) = &element.kind else { return None };
        let is_plain = matches!(ty.present().base(), Type::Sym(_) | Type::Int(..));
        let is_set = self.is_set_by_its_uses(&field.name.text);
        if !is_plain || !is_set && elements.is_empty() && ty.is_option() {
            return None;
        }
        let (words, kind) = (print_expr(words), self.describe_type(ty));
        let title = format!("expected {kind}, found a set");
        let found = Diagnostic::new(Code::E0201, title, init.span, "this is a set");
        let found = found.label(field.ty.span, "the type of one value");
        let form = format!("set of {words}");
        let first = match &elements[..] {
            [] => "none".to_owned(),
            [first, ..] => print_expr(first),
        };
        self.report(match (is_set, &elements[..]) {
            (true, _) => {
                found.help(format!("a field that holds a set has the type `{form}`")).edit(field.ty.span, form)
            }
            (false, []) => found.help(format!(
                "if it holds a set, its type is `{form}`; if one value that is missing at first, write `{words}? = none`"
            )),
            _ => found.help(format!("if it holds a set, its type is `{form}`; if one value, write `= {first}`")),
        });
        Some(Type::set(ty.present().clone()))
    }

    /// Returns true if an effect puts elements into a field.
    fn is_set_by_its_uses(&self, name: &str) -> bool {
        let mut effects = Vec::new();
        for (item, _) in self.items() {
            match &item.kind {
                ItemKind::Move(of) => effects_in(&of.body, &mut effects),
                ItemKind::EveryMove(body) | ItemKind::Effect { body, .. } => effects_in(body, &mut effects),
                _ => {}
            }
        }
        let is_element = |value: &Expr| matches!(&*value.bare().kind, ExprKind::Set(_) | ExprKind::Filter(_));
        effects.iter().any(|effect| {
            effect.target.name.text == name
                && (effect.op == EffectOp::Insert
                    || effect.op == EffectOp::Subtract && is_element(&effect.value))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, diagnostics};
    use bouton_syntax::diag::{Code, Diagnostic};

    fn text(ty: &str, init: &str, body: &str) -> String {
        format!(
            "game \"Words\"; players A, B; enum Word {{ ant, ten, net }}
             state {{ used: {ty} = {init}; last: Word = ant; }}
             move say(w: Word) as \"{{w}}\" {{ {body} last := w; }} play normal;"
        )
    }

    fn only(ty: &str, init: &str, body: &str) -> Diagnostic {
        let found = diagnostics(&text(ty, init, body));
        let [only] = &found[..] else { panic!("{found:?}") };
        assert_eq!(only.code, Code::E0201);
        only.clone()
    }

    #[test]
    fn fields_of_sets_are_sets() {
        let body = "when w not in used; used |= { w };";
        for ty in ["Word", "Word?"] {
            let told = only(ty, "{}", body);
            assert!(told.title.ends_with(", found a set"), "{}", told.title);
            assert_eq!(told.edits[0].text, "set of Word");
        }
        assert!(!codes(&text("set of Word", "{}", body)).contains(&Code::E0201));
        let told = only("Word", "{ ten }", "when w not in used; used := { w };");
        assert_eq!(
            told.help.as_deref(),
            Some("if it holds a set, its type is `set of Word`; if one value, write `= ten`")
        );
        assert!(told.edits.is_empty());
        let told = only("Word", "{}", "when w not in used;");
        assert!(
            told.help.is_some_and(|help| help.ends_with("write `Word? = none`")) && told.edits.is_empty()
        );
    }
}
