//! Elements of lists that are asked for as in other languages: `coins.get(i)`, `sum x in coins: x`.

use crate::analyzer::Analyzer;
use crate::foreign_names;
use crate::locals::Locals;
use bouton_base::source::Span;
use bouton_rules::{Expr, Type, Value};
use bouton_syntax::ast::{self, ItemKind, Name};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Reports `coins.get(i)` and `coins.at(i)` of a list; returns true if it is that. Elsewhere lists begin with 0, so
    /// only the writer knows which element is meant.
    pub(super) fn element_by_a_method(
        &mut self,
        base: &ast::Expr,
        ty: &Type,
        part: &Name,
        args: &[ast::Expr],
    ) -> bool {
        let ([index], Type::List(_)) = (args, ty.base()) else { return false };
        if !foreign_names::is_element(&part.text) {
            return false;
        }
        let (list, index) = (print_expr(base), print_expr(index));
        let title = format!("an element of a list stands in square brackets, without `.{}`", part.text);
        let found = Diagnostic::new(Code::E0101, title, part.span, "no part of a list");
        self.report(found.help(format!("write `{list}[{index}]`; the first element is `{list}[1]`")));
        true
    }

    /// Reports a list that a variable goes through, as in `sum x in coins: x`. A set of its elements would hold equal
    /// ones once, so the way out goes through the places.
    pub(super) fn list_to_go_through(&mut self, binder: &ast::Binder, made: &Expr, locals: &Locals) {
        let is_written_out = matches!(&*binder.domain.bare().kind, ast::ExprKind::List(_));
        let are_distinct = match made.constant() {
            Some(Value::List(items)) => (1..items.len()).all(|n| !items[..n].contains(&items[n])),
            _ => false,
        };
        if is_written_out && are_distinct {
            self.no_set(made);
            return;
        }
        let list = print_expr(&binder.domain);
        let is_free = |name: &&str| !locals.has(name) && self.find(name, binder.domain.span).is_none();
        let place = ["i", "j", "k", "place"].into_iter().find(is_free).unwrap_or("i");
        let variable = match &binder.pattern {
            ast::Pattern::Name(name) => format!("`{}`", name.text),
            ast::Pattern::Tuple(..) => "the variables".to_owned(),
        };
        let title = format!("a set to go through is needed, and this is {}", self.describe_type(&made.ty));
        let label = "a list has places, and may name a value twice";
        let found = Diagnostic::new(Code::E0201, title, made.span, label);
        self.report(found.help(format!(
            "go through the places of the list: write `{place} in 1..#{list}`, and `{list}[{place}]` in place of {variable}"
        )));
    }
}

impl Analyzer<'_> {
    /// Reports a constant that is declared as a list, where a set is needed, once for all its uses; returns true if it is
    /// that.
    pub(super) fn list_at_a_constant(&mut self, made: &Expr) -> bool {
        let Some((name, value)) = self.plain_constant(made.span) else { return false };
        let ast::ExprKind::List(elements) = &*value.bare().kind else { return false };
        let is_told = |known: &Diagnostic| known.labels.iter().any(|label| label.span == value.span);
        if self.diagnostics.iter().any(is_told) {
            return true;
        }
        let title = format!("a set is needed, and `{}` is a list", name.text);
        let found = Diagnostic::new(Code::E0201, title, made.span, "a set is needed here");
        let elements: Vec<String> = elements.iter().map(print_expr).collect();
        let (name, set) = (&name.text, elements.join(", "));
        self.report(found.label(value.span, "square brackets make a list").help(format!(
            "write the constant as a set, `const {name} = {{ {set} }};`; if its order counts elsewhere, write here \
             `{{ {name}[i] for i in 1..#{name} }}`"
        )));
        true
    }

    /// Adds to the report of a set that is asked for an element by its number what its constant should be.
    pub(super) fn set_at_a_constant(&self, base: &ast::Expr, found: Diagnostic) -> Diagnostic {
        let constant = self.plain_constant(base.bare().span);
        let Some((name, value)) = constant else { return found };
        let ast::ExprKind::Set(elements) = &*value.bare().kind else { return found };
        // Pairs say what belongs to what: a table, or a relation.
        let arm = |element: &ast::Expr| match &*element.bare().kind {
            ast::ExprKind::Tuple(parts) => match &parts[..] {
                [key, value] => Some(format!("{} => {}", print_expr(key), print_expr(value))),
                _ => None,
            },
            _ => None,
        };
        let arms: Option<Vec<String>> = elements.iter().map(arm).collect();
        if let Some(arms) = arms.filter(|arms| !arms.is_empty()) {
            let name = &name.text;
            return found.label(value.span, "braces make a set of pairs").help(format!(
                "a table has a value for each key: `const {name}[k: TYPE] = match k {{ {} }};`; whether a pair is in the set is \
                 `(a, b) in {name}`",
                arms.join(", ")
            ));
        }
        let elements: Vec<String> = elements.iter().map(print_expr).collect();
        let list = elements.join(", ");
        found
            .label(value.span, "braces make a set, which has no order")
            .help(format!("write the constant as a list, `const {} = [{list}];`", name.text))
    }

    /// The declaration of the constant that a name stands for, and its value, if it has neither keys nor a written type.
    fn plain_constant(&self, at: Span) -> Option<(&Name, &ast::Expr)> {
        let declared = self.names.definition_of(at)?;
        self.items().find_map(|(item, own)| match &item.kind {
            ItemKind::Const { name, keys, ty: None, value }
                if own && name.span == declared && keys.is_empty() =>
            {
                Some((name, value))
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn elements_of_lists() {
        for method in ["get", "at", "elementAt", "nth"] {
            let text = format!(
                "game \"Row\"; players A, B; param coins: list of 1..9 = [3, 1]; state {{ n: 0..9 = 0; }}
                 move go(i: 1..2) as \"{{i}}\" {{ n := coins.{method}(i); }} end {{ when n = 9 => draw; when stuck => draw; }}"
            );
            let found = found(&text, Code::E0101);
            assert_eq!(found.len(), 1, "{method}");
            let help = found[0].help.as_deref();
            assert_eq!(help, Some("write `coins[i]`; the first element is `coins[1]`"));
        }
    }

    #[test]
    fn lists_are_told_at_their_constant() {
        let of = |hurdle: &str| {
            let text = format!(
                "game \"Run\"; players A, B; {hurdle} state {{ n: 0..9 = 0; }}
                 def is_free(k: 0..9) = k not in hurdle;
                 move go(k: 1..2) as \"{{k}}\" {{ when n + k not in hurdle and is_free(n); n += k; }} play normal;"
            );
            found(&text, Code::E0201)
        };
        let told = of("const hurdle = [3, 6];");
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].help.as_deref().is_some_and(|help| help.contains("`const hurdle = { 3, 6 };`")),
            "{told:?}"
        );
        assert_eq!(told[0].labels[1].text, "square brackets make a list");
        assert_eq!(of("param hurdle: list of 1..9 = [3, 6];").len(), 2);
        assert!(of("const hurdle = { 3, 6 };").is_empty());
    }

    #[test]
    fn sets_are_told_at_their_constant() {
        let of = |worth: &str| {
            let text = format!(
                "game \"Row\"; players A, B; {worth} state {{ n: 0..9 = 0; }}
                 move go(i: 1..2) as \"{{i}}\" {{ when n < 3; n += worth[i]; }} play normal;"
            );
            found(&text, Code::E0201)
        };
        let told = of("const worth = { 3, 6 };");
        assert_eq!(told[0].help.as_deref(), Some("write the constant as a list, `const worth = [3, 6];`"));
        let help = of("const worth = 3..6;").remove(0).help.unwrap_or_default();
        assert!(help.contains("go through the elements"), "{help}");
        assert!(of("const worth = [3, 6];").is_empty());
    }

    #[test]
    fn lists_are_gone_through_by_their_places() {
        let help = |items: &str, effect: &str| {
            let text = format!(
                "game \"Row\"; players A, B; param coins: list of 1..9 = [3, 1, 3]; {items}
                 state {{ n: 0..9 = 9; }} move go() as \"go\" {{ {effect} }} end {{ when n = 0 => draw; when stuck => draw; }}"
            );
            let mut found = found(&text, Code::E0201);
            assert_eq!(found.len(), 1, "{items} {effect}");
            assert!(found[0].edits.is_empty());
            found.remove(0).help.unwrap_or_default()
        };
        let places =
            "go through the places of the list: write `i in 1..#coins`, and `coins[i]` in place of `x`";
        assert_eq!(help("const most = sum x in coins: x;", "n := most;"), places);
        assert_eq!(help("", "when n > (count x in coins: x = 3); n -= 1;"), places);
        assert_eq!(help("", "for x in coins { n -= x; }"), places);
        assert_eq!(help("", "when all x in coins: x < n; n -= 1;"), places);
        let other =
            "go through the places of the list: write `j in 1..#coins`, and `coins[j]` in place of `x`";
        assert_eq!(help("const i = 3;", "for x in coins { n -= i * x; }"), other);
    }
}
