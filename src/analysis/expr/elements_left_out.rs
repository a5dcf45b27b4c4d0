//! W0123 for elements that a list does not have, read for each number of a range: `sum i in 0..2: v[i]` of
//! three elements leaves `v[0]` out in silence, and never comes to the last one.

use std::collections::HashSet;

use super::decided::literal;
use crate::analyzer::{Analyzer, Resolution};
use crate::lints::expr_names;
use crate::locals::Locals;
use crate::symbols::{ConstValue, SymbolKind};
use bouton_base::source::Span;
use bouton_rules::{Binder, Domain, Value};
use bouton_syntax::ast::{self, BinaryOp, ItemKind, TypeKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_expr, visit};

/// A range of numbers that a variable goes through.
pub(crate) struct Numbers<'e> {
    /// The ends as they are written.
    pub ends: [&'e ast::Expr; 2],
    pub span: Span,
    /// The name of the type, if it is declared as one.
    pub alias: Option<&'e str>,
}

impl Numbers<'_> {
    /// The range with both ends one greater.
    pub fn shifted(&self) -> String {
        let [low, high] = self.ends.map(|end| match (literal(end), &*end.bare().kind) {
            (Some(n), _) => (n + 1).to_string(),
            (None, ast::ExprKind::Binary(BinaryOp::Subtract, most, one)) if literal(one) == Some(1) => {
                print_expr(most)
            }
            (None, _) => format!("{} + 1", print_expr(end)),
        });
        format!("{low}..{high}")
    }
}

/// An element of a list whose number is a variable, or one that is some more or less.
struct Element<'e> {
    list: &'e str,
    /// The number that is added to the variable.
    shift: i64,
    span: Span,
    /// The place of the list's name.
    at: Span,
}

impl<'a> Analyzer<'a> {
    /// Runs the check of a term for each combination of the variables of these binders; `what` says what
    /// becomes of an element without a value, such as "the `sum` leaves out".
    pub(super) fn elements_left_out(
        &mut self,
        what: &str,
        binders: (&[ast::Binder], &[Binder]),
        body: &ast::Expr,
        locals: &Locals,
    ) {
        for (binder, made) in binders.0.iter().zip(binders.1) {
            let ast::Pattern::Name(name) = &binder.pattern else { continue };
            let Domain::Fixed(values) = &made.domain else { continue };
            let (Some(Value::Int(low)), Some(Value::Int(high))) = (values.first(), values.last()) else {
                continue;
            };
            let (low, high) = (*low, *high);
            let Some(numbers) = self.numbers_of(&binder.domain) else { continue };
            let restricts = |binder: &ast::Binder| {
                binder.condition.as_ref().is_some_and(|condition| mentions(condition, &name.text))
            };
            if binders.0.iter().any(restricts) {
                continue;
            }
            let mut found = Vec::new();
            elements(body, &name.text, &mut found);
            for element in &found {
                let is_only =
                    found.iter().all(|other| other.list != element.list || other.shift == element.shift);
                let Some(length) = self.length_of_list(element, locals).filter(|_| is_only) else { continue };
                let (first, last) = (low.saturating_add(element.shift), high.saturating_add(element.shift));
                let missing = match () {
                    () if first < 1 && literal(numbers.ends[0]).is_some() => low,
                    () if last > length && self.is_sure_length(element.list, numbers.ends[1]) => high,
                    () => continue,
                };
                let is_shifted = (first, last) == (0, length - 1);
                let uses = count_uses(body, &name.text);
                let is_all = is_shifted && element.shift == 0 && uses == found.len();
                let n = missing + element.shift;
                let list = element.list;
                let title = format!("`{list}` has no element {n}: {what} `{} = {missing}`", name.text);
                let label = format!("`{list}` counts from 1 to {length}");
                let report = Diagnostic::new(Code::W0123, title, element.span, label);
                let report = report.label(numbers.span, "its range");
                let range = if is_shifted { numbers.shifted() } else { format!("1..#{list}") };
                self.report_once(match numbers.alias {
                    Some(_) if first >= 1 => report.help(format!(
                        "give `{list}` an element {last}, or let this range end with {length}"
                    )),
                    Some(alias) => report.help(format!(
                        "count from 1, `type {alias} = {range};`, and look at each use of `{alias}`"
                    )),
                    None if is_all => {
                        report.help(format!("count from 1: write `{range}`")).edit(numbers.span, range)
                    }
                    None => report
                        .help(format!("count from 1, `{} in {range}`, or read another element", name.text)),
                });
                break;
            }
        }
    }

    /// The range that a term or the type of that name is.
    pub(crate) fn numbers_of<'e>(&self, domain: &'e ast::Expr) -> Option<Numbers<'e>>
    where
        'a: 'e,
    {
        let domain = domain.bare();
        if let ast::ExprKind::Range(low, high) = &*domain.kind {
            return Some(Numbers { ends: [low, high], span: domain.span, alias: None });
        }
        let of = domain.as_name()?;
        self.items().find_map(|(item, own)| {
            let ItemKind::TypeAlias { name, ty, .. } = &item.kind else { return None };
            let TypeKind::Expr(range) = &ty.kind else { return None };
            match &*range.bare().kind {
                ast::ExprKind::Range(low, high) if own && name.text == of => {
                    Some(Numbers { ends: [low, high], span: range.span, alias: Some(&name.text) })
                }
                _ => None,
            }
        })
    }

    /// The length of the list that an element is read of, if it is a constant or a parameter.
    fn length_of_list(&self, element: &Element<'_>, locals: &Locals) -> Option<i64> {
        if locals.has(element.list) {
            return None;
        }
        let key = self.find(element.list, element.at)?;
        let value = match &self.symbols[key].kind {
            SymbolKind::Const { value: Resolution::Resolved(ConstValue::Plain(made)), .. }
            | SymbolKind::Param { value: Resolution::Resolved(made), .. } => made.constant()?,
            _ => return None,
        };
        match value {
            Value::List(items) if !items.is_empty() => Some(items.len() as i64),
            _ => None,
        }
    }

    /// Returns true if neither the length of a list nor the end of a range depends on a parameter.
    fn is_sure_length(&self, list: &str, end: &ast::Expr) -> bool {
        let is_sure = self.items().any(|(item, own)| match &item.kind {
            ItemKind::Const { name, value, .. } => {
                own && name.text == list && !self.depends_on_a_parameter(value)
            }
            _ => false,
        });
        is_sure && !self.depends_on_a_parameter(end)
    }
}

/// Collects the elements of lists by a variable that nothing guards: no condition on the variable stands
/// before them. Returns false once one stands there.
fn elements<'e>(term: &'e ast::Expr, name: &str, found: &mut Vec<Element<'e>>) -> bool {
    use ast::ExprKind as A;
    match &*term.kind {
        A::Index(of, keys) => {
            if let (Some(list), [key]) = (of.as_name(), &keys[..])
                && let Some(shift) = shift_of(key, name)
            {
                found.push(Element { list, shift, span: key.span, at: of.span });
                return true;
            }
            keys.iter().all(|key| elements(key, name, found))
        }
        A::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Implies, left, right) => {
            elements(left, name, found) && !asks_about(left, name) && elements(right, name, found)
        }
        A::If(condition, yes, no) => {
            elements(condition, name, found)
                && !asks_about(condition, name)
                && elements(yes, name, found)
                && elements(no, name, found)
        }
        A::Match(subject, arms) => {
            !mentions(subject, name) && arms.iter().all(|arm| elements(&arm.value, name, found))
        }
        A::Let(..) | A::Quant(..) | A::Filter(..) | A::Comprehension(..) => false,
        _ => {
            let mut is_open = true;
            visit::children(term, &mut |part| is_open = is_open && elements(part, name, found));
            is_open
        }
    }
}

/// Returns true if a condition uses a variable other than as the number of an element.
pub(super) fn asks_about(condition: &ast::Expr, name: &str) -> bool {
    if let ast::ExprKind::Index(_, keys) = &*condition.kind
        && keys.iter().all(|key| shift_of(key, name).is_some() || !mentions(key, name))
    {
        return false;
    }
    let mut asks = condition.as_name() == Some(name);
    visit::children(condition, &mut |part| asks = asks || asks_about(part, name));
    asks
}

/// The number that is added to a variable: 0 for `i`, -1 for `i - 1`.
fn shift_of(key: &ast::Expr, name: &str) -> Option<i64> {
    match &*key.bare().kind {
        ast::ExprKind::Name(of) => (of == name).then_some(0),
        ast::ExprKind::Binary(BinaryOp::Add, a, b) if a.as_name() == Some(name) => literal(b),
        ast::ExprKind::Binary(BinaryOp::Subtract, a, b) if a.as_name() == Some(name) => {
            literal(b).map(|n| -n)
        }
        _ => None,
    }
}

/// Returns true if a term uses a name.
fn mentions(term: &ast::Expr, name: &str) -> bool {
    let mut names = HashSet::new();
    expr_names(term, &mut names);
    names.contains(name)
}

/// The number of places where a term uses a name.
fn count_uses(term: &ast::Expr, name: &str) -> usize {
    let mut uses = usize::from(term.as_name() == Some(name));
    visit::children(term, &mut |part| uses += count_uses(part, name));
    uses
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(items: &str, term: &str) -> Vec<String> {
        let text = format!(
            "game \"Sum\"; players A, B; const v = [3, 5, 7]; param w: list of 0..9 = [1, 2, 3]; {items} const most = {term};
             state {{ n: 0..99 = 20; }}
             move go(k: 1..2) as \"{{k}}\" {{ when n >= k and w[k] + v[k] > 0 and most != 0; n -= k; }} play normal;"
        );
        let text = if term.starts_with('{') { text.replace("most != 0", "#most > 0") } else { text };
        let text = if term.starts_with("some") || term.starts_with("all") {
            text.replace("most != 0", "most")
        } else {
            text
        };
        let found = found(&text, Code::W0123).into_iter();
        found
            .map(|found| {
                format!("{} / {} / {}", found.title, found.help.unwrap_or_default(), found.edits.len())
            })
            .collect()
    }

    #[test]
    fn elements_out_of_the_list() {
        assert_eq!(
            told("", "sum s in 0..2: v[s]"),
            ["`v` has no element 0: the `sum` leaves out `s = 0` / count from 1: write `1..3` / 1"]
        );
        assert_eq!(
            told("", "sum s in 1..4: v[s]"),
            [
                "`v` has no element 4: the `sum` leaves out `s = 4` / count from 1, `s in 1..#v`, or read another element / 0"
            ]
        );
        assert_eq!(
            told("type Step = 0..#w - 1;", "sum s in Step: w[s]"),
            [
                "`w` has no element 0: the `sum` leaves out `s = 0` / count from 1, `type Step = 1..#w;`, and look at each use of \
              `Step` / 0"
            ]
        );
        for term in [
            "max s in 0..2: v[s] + s",
            "count s in 0..2: v[s] > 3",
            "{ v[s] for s in 0..2 }",
            "some s in 0..3: v[s] = 9",
            "all s in 0..2: v[s] > 0",
            "sum s in 1..3: v[s - 1]",
            "sum s in 0..2, t in 1..2: v[s] * t",
        ] {
            assert_eq!(told("", term).len(), 1, "{term}");
        }
    }

    #[test]
    fn guarded_elements() {
        for term in [
            "sum s in 1..3: v[s]",
            "sum s in 0..2 where s > 0: v[s]",
            "sum s in 0..2: if s = 0 then 0 else v[s]",
            "count s in 0..2: s > 0 and v[s] > 3",
            "count s in 0..2: s = 0 or v[s] > 3",
            "count s in 1..3: v[s] < v[s + 1]",
            "sum s in 1..4: w[s]",
            "sum s in 1..#w: w[s]",
            "sum s in 0..2: v[s + 1]",
        ] {
            assert_eq!(told("", term), [""; 0], "{term}");
        }
    }
}
