//! Advice on small letters that nothing binds where they stand: `all c in l: some l in S: ...`, `taken[j]` for
//! `taken[k]`.

use super::advice::Advice;
use crate::analyzer::Analyzer;
use crate::locals::{Local, Locals};
use bouton_base::source::Span;
use bouton_rules::Type;
use bouton_syntax::ast::{self, Binder, Expr, ExprKind, Pattern};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_expr, visit};

/// A quantifier with one variable, taken apart.
struct OneVariable<'e> {
    quantifier: ast::Quantifier,
    binder: &'e Binder,
    variable: &'e ast::Name,
    body: &'e Expr,
}

impl<'e> OneVariable<'e> {
    fn of(expr: &'e Expr) -> Option<OneVariable<'e>> {
        let ExprKind::Quant(quantifier, binders, body) = &*expr.kind else { return None };
        let [binder] = &binders[..] else { return None };
        let Pattern::Name(variable) = &binder.pattern else { return None };
        Some(OneVariable { quantifier: *quantifier, binder, variable, body })
    }

    /// The same quantifier with another binder and body.
    fn with(&self, binder: Binder, body: Expr, span: Span) -> Expr {
        Expr { kind: Box::new(ExprKind::Quant(self.quantifier, vec![binder], body)), span }
    }
}

impl<'a> Analyzer<'a> {
    /// Reports a small letter that is bound further to the right, or for which the only variable of the wanted type may
    /// be meant; returns true if it is that.
    pub(super) fn unbound_letter(
        &mut self,
        name: &str,
        span: Span,
        want: Option<&Type>,
        locals: &Locals,
    ) -> bool {
        let is_over = self.names.variable_before(name, span).is_some_and(|bound| {
            self.items().any(|(item, _)| item.span.covers(bound) && item.span.covers(span))
        });
        if !is_letter(name) || is_over || self.options.damaged {
            return false;
        }
        let found = Diagnostic::new(Code::E0101, format!("there is no `{name}` here"), span, "");
        if let Some(found) = self.unbound_domain(name, span, locals, found.clone()) {
            self.report(found);
            return true;
        }
        let Some(only) = want.and_then(|want| only_local_of(want, locals)) else { return false };
        let ty = match only.ty.base() {
            Type::Int(..) => format!("a number {}", self.rules.show_type(&only.ty)),
            _ => format!("a `{}`", self.rules.show_type(&only.ty)),
        };
        let mut found = found;
        found.labels[0].text = format!("did you mean `{}`, which is {ty}?", only.name);
        self.report(found.label(only.span, "bound here"));
        true
    }

    /// Reports small letters without a meaning that stand as the number that a field or a table needs as its key; returns
    /// true if one does.
    pub(super) fn unbound_keys(&mut self, keys: &[Expr], types: &[Type], locals: &mut Locals) -> bool {
        for (key, ty) in keys.iter().zip(types) {
            let (Some(name), Type::Int(..)) = (key.bare().as_name(), ty.base()) else { continue };
            let is_known = locals.has(name)
                || self.find(name, key.span).is_some()
                || self.members.contains_key(name)
                || self.unused_parameter(key.span, Some(ty), locals).is_some();
            if is_known || !is_letter(name) {
                continue;
            }
            if !self.unbound_letter(name, key.span, Some(ty), locals) {
                let wanted = format!("a number `{}`", self.rules.show_type(ty));
                self.unknown_name(name, key.span, &Self::local_names(locals), &wanted);
            }
            return true;
        }
        false
    }

    /// The diagnostic of a set behind `in` that is no name yet: two quantifiers, or the two names of one, are exchanged.
    fn unbound_domain(
        &self,
        name: &str,
        span: Span,
        locals: &Locals,
        mut found: Diagnostic,
    ) -> Option<Diagnostic> {
        let around = self.quantifier_with_domain(span)?;
        let outer = OneVariable::of(around)?;
        found.labels[0].text = "a set is needed; this name is bound nowhere before it".to_owned();
        let is_set = |local: &Local| local.ty.element().is_some();
        let hidden = locals.stack.iter().rev().find(|local| local.name == outer.variable.text);
        if hidden.is_some_and(is_set) {
            let named = |kind: &str| Expr { kind: Box::new(ExprKind::Name(kind.to_owned())), span };
            let variable = Pattern::Name(ast::Name { text: name.to_owned(), span });
            let domain = named(&outer.variable.text);
            let binder = Binder { pattern: variable, domain, ..outer.binder.clone() };
            let advice = Advice::new(format!(
                "the variable stands before `in`, the set behind it: write `{}`",
                print_expr(&outer.with(binder, outer.body.clone(), around.span))
            ));
            let exchange = advice.edit(outer.variable.span, name).edit(span, outer.variable.text.as_str());
            return Some(exchange.on(found));
        }
        let inner = OneVariable::of(outer.body.bare()).filter(|inner| inner.variable.text == name);
        if let Some(inner) = inner {
            let last = outer.with(outer.binder.clone(), inner.body.clone(), around.span);
            let exchanged = print_expr(&inner.with(inner.binder.clone(), last, around.span));
            found = found.label(inner.variable.span, "bound here, to the right");
            return Some(
                found.help(format!("a name is known to the right of its binder: write `{exchanged}`")),
            );
        }
        Some(found.help(
            "what is gone through is a set: `1..3`, a type, `lines(Cell, 3)`, `{ c in Cell where ... }`",
        ))
    }

    /// The quantifier whose set is the name at a place.
    fn quantifier_with_domain(&self, span: Span) -> Option<&'a Expr> {
        let mut around = None;
        let files =
            self.texts.iter().filter(|text| text.file.items.iter().any(|item| item.span.covers(span)));
        for text in files {
            visit::expressions(&text.file, &mut |expr| look_for_domain(expr, span, &mut around));
        }
        around
    }
}

/// Returns true for a name of one small letter, such as variables have.
fn is_letter(name: &str) -> bool {
    name.len() == 1 && name.starts_with(|c: char| c.is_ascii_lowercase())
}

fn look_for_domain<'e>(expr: &'e Expr, span: Span, around: &mut Option<&'e Expr>) {
    if !expr.span.covers(span) {
        return;
    }
    if let ExprKind::Quant(_, binders, _) = &*expr.kind
        && binders.iter().any(|binder| binder.domain.bare().span == span)
    {
        *around = Some(expr);
    }
    visit::children(expr, &mut |part| look_for_domain(part, span, around));
}

/// The only variable whose values are all of a wanted type.
fn only_local_of<'l>(want: &Type, locals: &'l Locals) -> Option<&'l Local> {
    let want = want.present().base();
    let fits = |local: &&Local| match (want, local.ty.base()) {
        (Type::Int(low, high), Type::Int(a, b)) => low <= a && b <= high,
        (Type::Sym(of), Type::Sym(other)) => of == other,
        _ => false,
    };
    let mut fitting = locals.stack.iter().filter(|local| !local.name.starts_with('_')).filter(fits);
    let only = fitting.next()?;
    // A number that may be any is no hint.
    let is_any = matches!(want, Type::Int(i64::MIN, _) | Type::Int(_, i64::MAX));
    (fitting.next().is_none() && !is_any).then_some(only)
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn of(items: &str, condition: &str) -> Vec<Diagnostic> {
        let text = format!(
            "game \"Letters\"; players A, B; board Cell = grid(3, 3); type Card = 1..4;
             const worth[k: Card]: 0..9 = k;
             state {{ at[c: Cell]: Player? = none; taken[k: Card]: Player? = none; score[p: Player]: 0..9 = 0; }}
             move put(c: Cell, k: Card) as \"{{c}}{{k}}\" {{ when {condition}; at[c] := me; taken[k] := me; }} {items}
             play normal;"
        );
        found(&text, Code::E0101)
    }

    fn help(items: &str) -> String {
        let found = of(items, "at[c] = none");
        found.into_iter().filter_map(|found| found.help).collect::<Vec<_>>().join(" ")
    }

    fn label(items: &str, condition: &str) -> String {
        let found = of(items, condition);
        found.into_iter().map(|found| found.labels[0].text.clone()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn quantifiers_are_exchanged() {
        let line = "`some l in lines(Cell, 3): all c in l: at[c] = p`";
        assert!(
            help("def line(p: Player) = all c in l: some l in lines(Cell, 3): at[c] = p;").ends_with(line)
        );
        let help = help("def line(p: Player) = some l in lines(Cell, 3): all l in c: at[c] = p;");
        assert!(help.ends_with("write `all c in l: at[c] = p`"), "{help}");
    }

    #[test]
    fn the_only_variable_of_a_type_is_meant() {
        assert_eq!(
            label("def over = all k in Card: taken[j] != none;", "true"),
            "did you mean `k`, which is a number 1..4?"
        );
        assert_eq!(
            label("", "taken[k] = none and worth[i] > 0"),
            "did you mean `k`, which is a number 1..4?"
        );
        assert_eq!(
            label("def total = sum p in Player: score[q];", "true"),
            "did you mean `p`, which is a `Player`?"
        );
    }
}
