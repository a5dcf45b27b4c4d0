//! Arguments that do not fit their parameters: in another order, or outside a range.

use crate::analyzer::Analyzer;
use crate::locals::Locals;
use crate::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::Type;
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic, Label};

impl<'a> Analyzer<'a> {
    /// The diagnostic of arguments that fit the types in exactly one order, which is another one.
    pub(super) fn exchanged(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        types: &[Type],
        locals: &mut Locals,
    ) -> Option<Diagnostic> {
        if !(2..=4).contains(&args.len()) {
            return None;
        }
        let trial = self.begin_trial()?;
        let made: Vec<Type> =
            args.iter().map(|arg| self.expr(arg, None, locals).ty.present().clone()).collect();
        let is_meaningful = self.end_trial(trial);
        if !is_meaningful || made.iter().any(|ty| matches!(ty.base(), Type::Error | Type::Never)) {
            return None;
        }
        let fits = |arg: usize, place: usize| made[arg].is_assignable_to(types[place].present());
        let mut orders = Vec::new();
        fitting_orders(&fits, &mut Vec::new(), args.len(), &mut orders);
        let [order] = &orders[..] else { return None };
        // In their own order it is a value, and no type, that does not fit.
        if order.iter().copied().eq(0..args.len()) {
            return None;
        }
        let words: Vec<String> = order.iter().map(|&arg| bouton_syntax::print_expr(&args[arg])).collect();
        let is_key = self.find(name, args[0].span).is_some_and(|key| {
            matches!(self.symbols[key].kind, SymbolKind::Field { .. } | SymbolKind::Const { .. })
        });
        let (what, [open, close]) = if is_key { ("keys", ["[", "]"]) } else { ("arguments", ["(", ")"]) };
        let form = format!("{name}{open}{}{close}", words.join(", "));
        let whole = args[0].span.to(args[args.len() - 1].span);
        let title = format!("the {what} of `{name}` are in another order");
        let label = format!("expected {}", self.render_types(types));
        let mut found = Diagnostic::new(Code::E0201, title, whole, label);
        if let Some(symbol) = self.symbols.get(name) {
            found = found.label(symbol.span, "declared here");
        }
        let trial = self.begin_trial()?;
        for (&arg, ty) in order.iter().zip(types) {
            self.expr_of(&args[arg], ty, locals);
        }
        let is_sound = self.end_trial(trial);
        Some(match is_sound {
            true => found.help(format!("write `{form}`")).edit(whole, words.join(", ")),
            false => found.help(format!(
                "the order is `{name}{open}{}{close}`, and not every value here is in its range",
                self.render_types(types)
            )),
        })
    }

    /// Marks the declared type of a parameter, by its place, in the reports from `first` that its argument does not have it.
    pub(super) fn show_type_of_parameter(&mut self, name: &str, place: usize, argument: Span, first: usize) {
        // A part of the argument may have a mistake of its own.
        let is_of_type = |found: &Diagnostic| {
            let is_whole = found.span() == argument && found.title.starts_with("expected ");
            found.labels.len() == 1 && (found.code == Code::E0210 || found.code == Code::E0201 && is_whole)
        };
        if !self.diagnostics[first..].iter().any(is_of_type) {
            return;
        }
        let Some(declared) = self.symbols.get(name).map(|symbol| symbol.span) else { return };
        let is_it = |of: &ast::Name| of.span == declared;
        let param = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Move(of) if is_it(&of.name) => of.params.get(place),
            ItemKind::Effect { name: of, formals, .. }
            | ItemKind::Inductive { name: of, formals, .. }
            | ItemKind::Record { name: of, parts: formals }
            | ItemKind::Def { name: of, formals: Some(formals), .. }
                if is_it(of) =>
            {
                formals.get(place)
            }
            _ => None,
        });
        let Some(param) = param else { return };
        for found in self.diagnostics[first..].iter_mut().filter(|found| is_of_type(found)) {
            let what = if found.code == Code::E0210 { "range" } else { "type" };
            if found.labels[0].text.starts_with("holds ") {
                found.labels[0].text = "outside its range".to_owned();
            }
            let text = format!("the {what} of `{}` of `{name}`", param.name.text);
            found.labels.push(Label { span: param.ty.span, text });
        }
    }
}

/// Collects the orders in which each of so many arguments fits its place; `order` has the arguments of the first places.
fn fitting_orders(
    fits: &dyn Fn(usize, usize) -> bool,
    order: &mut Vec<usize>,
    number: usize,
    found: &mut Vec<Vec<usize>>,
) {
    if order.len() == number {
        found.push(order.clone());
        return;
    }
    for arg in 0..number {
        if !order.contains(&arg) && fits(arg, order.len()) {
            order.push(arg);
            fitting_orders(fits, order, number, found);
            order.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, found_in_claims};
    use bouton_syntax::diag::{Code, Diagnostic};

    fn text(condition: &str, claim: &str) -> String {
        format!(
            "game \"Piles\"; param n: 1..9 = 5; players A, B; enum Side {{ left, right }} state {{ pile[s: Side]: 0..9 = n; }}
             def many(s: Side, k: 1..3) = pile[s] >= k;
             move take(s: Side, k: 1..3) as \"{{s}} {{k}}\" {{ when {condition}; when pile[s] >= k; pile[s] -= k; }}
             play normal; {claim}"
        )
    }

    fn titles(found: &[Diagnostic]) -> Vec<&str> {
        found.iter().map(|found| found.title.as_str()).collect()
    }

    #[test]
    fn a_value_outside_a_range_is_in_its_place() {
        let told = found(&text("many(s, 4)", ""), Code::E0210);
        assert_eq!(titles(&told), ["`4` is not in `1..3`"]);
        assert!(told[0].edits.is_empty());
        assert_eq!(told[0].labels[1].text, "the range of `k` of `many`");
        let claimed = found_in_claims(
            &text("k > 0", "test \"t\" with n = 4 { expect legal take(left, 4); }"),
            Code::E0210,
        );
        assert_eq!(titles(&claimed), ["`4` is not in `1..3`"]);
        assert_eq!(claimed[0].labels[1].text, "the range of `k` of `take`");
        assert_eq!(claimed[0].help, None);
        let claim = "test \"t\" with n = 4 { expect illegal take(left, 4); }";
        let forbidden = found_in_claims(&text("k > 0", claim), Code::E0210);
        let help = forbidden[0].help.as_deref().unwrap_or_default();
        assert!(help.starts_with("there is no such move"), "{help}");
    }

    #[test]
    fn another_order_is_one_that_fits() {
        let told = found(&text("many(3, s)", ""), Code::E0201);
        assert_eq!(titles(&told), ["the arguments of `many` are in another order"]);
        assert_eq!(told[0].edits[0].text, "s, 3");
        let outside = found(&text("many(4, s)", ""), Code::E0201);
        assert_eq!(titles(&outside), ["the arguments of `many` are in another order"]);
        assert!(outside[0].edits.is_empty());
    }
}
