//! Constant lists that do not fit the numbers they are read by: W0123 for elements that a list does not have,
//! and W0111 for those that nothing reads.

use super::extents::{Declared, Extent};
use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_base::source::Span;
use bouton_syntax::ast::{self, ExprKind, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};

/// A read of an element of a constant list.
pub(crate) struct ListRead {
    list: String,
    span: Span,
    /// The greatest number of the element, if its range says.
    last: Option<i64>,
    /// The least one.
    first: Option<i64>,
}

impl<'a> Analyzer<'a> {
    /// Notes that an element of a list is read, and warns of a variable whose range goes beyond the list.
    pub(super) fn element_by_a_variable(&mut self, base: &ast::Expr, keys: &[ast::Expr], locals: &Locals) {
        let (Some(name), [key]) = (base.as_name().filter(|name| !locals.has(name)), keys) else { return };
        let Some(elements) = self.list_of_constant(name) else { return };
        let length = elements.len() as i64;
        let extent = self.extent(key, locals);
        self.list_reads.push(ListRead {
            list: name.to_owned(),
            span: key.span,
            last: extent.map(|extent| extent[1]),
            first: extent.map(|extent| extent[0]),
        });
        let Some([low, high]) = extent.filter(|[low, high]| low < high && (*low < 1 || *high > length))
        else {
            return;
        };
        let is_play = locals.place != ExprPlace::Static && !self.options.damaged;
        let Some(variable) = key.bare().as_name().filter(|_| is_play) else { return };
        let Some(local) = locals.stack.iter().rev().find(|local| local.name == variable) else { return };
        let declared = match self.declaration_of(local.span) {
            Some(Declared::Typed(ty)) => ty.span,
            // Sets that are written where they are gone through are looked at with all that is read of them.
            Some(Declared::Among(set)) if self.numbers_of(set).is_none() => set.span,
            _ => return,
        };
        let Some(item) = self.items().find(|(item, own)| *own && item.span.covers(key.span)) else { return };
        // A condition may rule the other numbers out.
        let asks = |expr: &ast::Expr| {
            matches!(&*expr.kind, ExprKind::Compare(..) | ExprKind::Match(..))
                && super::elements_left_out::asks_about(expr, variable)
        };
        let start = format!("`{name}` has no element ");
        if self.has_part(item.0.span, &asks)
            || self.diagnostics.iter().any(|d| d.code == Code::W0123 && d.title.starts_with(&start))
        {
            return;
        }
        let n = if low < 1 { low } else { high };
        let title = format!("{start}{n}, so `{name}[{variable}]` has no value for `{variable} = {n}`");
        let found =
            Diagnostic::new(Code::W0123, title, key.span, format!("`{name}` counts from 1 to {length}"));
        let help = match low < 1 {
            true => format!(
                "a list is counted from 1: let the range of `{variable}` begin with 1, as in `1..#{name}`"
            ),
            false => {
                format!("give the list an element {high}, or let the range of `{variable}` end with {length}")
            }
        };
        self.report(found.label(declared, format!("`{variable}` is {low}..{high}")).help(help));
    }

    /// Returns true for a constant of the game's own file that is a list.
    pub(crate) fn has_list(&self, name: &str) -> bool {
        self.list_of_constant(name).is_some()
    }

    /// The elements of a constant of the game's own file that is a list, as they are written.
    fn list_of_constant(&self, name: &str) -> Option<&'a [ast::Expr]> {
        self.items().find_map(|(item, own)| match &item.kind {
            ItemKind::Const { name: of, keys, value, .. } if own && of.text == name && keys.is_empty() => {
                match &*value.bare().kind {
                    ExprKind::List(elements) => Some(&elements[..]),
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// W0111: the last elements of lists that no variable reaches.
    pub(crate) fn elements_never_read(&mut self) {
        let mut found = Vec::new();
        for (item, own) in self.items() {
            let ItemKind::Const { name, keys, .. } = &item.kind else { continue };
            let Some(elements) = self.list_of_constant(&name.text).filter(|_| own && keys.is_empty()) else {
                continue;
            };
            let reads: Vec<&ListRead> =
                self.list_reads.iter().filter(|read| read.list == name.text).collect();
            let mut places: Vec<u32> = reads.iter().map(|read| read.span.start).collect();
            places.sort_unstable();
            places.dedup();
            let uses = self.count_parts(&|part| part.as_name() == Some(&name.text));
            let lasts: Option<Vec<i64>> = reads.iter().map(|read| read.last).collect();
            let Some(last) = lasts.and_then(|lasts| lasts.into_iter().max()) else { continue };
            let Some(first) = usize::try_from(last).ok().and_then(|last| elements.get(last)) else {
                continue;
            };
            // Single elements may be picked on purpose.
            let is_counted = last > 1 && self.list_reads.iter().any(|read| read.last == Some(last));
            // Where a range begins with 0, the cause is told there.
            let is_shifted = reads.iter().any(|read| read.first.is_some_and(|first| first < 1));
            if uses != places.len() || !is_counted || is_shifted {
                continue;
            }
            let span = first.span.to(elements[elements.len() - 1].span);
            let title = format!(
                "`{}` has {} elements, and only the first {last} are read",
                name.text,
                elements.len()
            );
            found.push(Diagnostic::new(Code::W0111, title, span, "never read").help(format!(
                "leave out what is too much, or let the numbers that `{0}` is read by go to `#{0}`",
                name.text
            )));
        }
        found.into_iter().for_each(|found| self.report(found));
    }

    /// W0123: a field whose first value is outside its range for some value of a parameter.
    pub(crate) fn first_values_of_parameters(&mut self) {
        let none = Locals::constant();
        let mut reports = Vec::new();
        for (item, own) in self.items() {
            let ItemKind::State(fields) = &item.kind else { continue };
            for field in fields.iter().filter(|_| own) {
                let ast::TypeKind::Expr(range) = &field.ty.kind else { continue };
                if self.depends_on_a_parameter(range) {
                    continue;
                }
                let mut values = Vec::new();
                field.init.iter().for_each(|init| self.first_values(init, &mut values));
                let report = values.into_iter().find_map(|value| {
                    let (param, given) = self.only_parameter(value)?;
                    let ([a, b], [low, high]) =
                        (self.extent(value, &none)?, self.extent_of_type(&field.ty, 9)?);
                    let is_wide = a < low || b > high;
                    is_wide.then_some((field, value.span, param, given, [a.min(low), b.max(high)]))
                });
                reports.extend(report);
            }
        }
        for (field, init, (param, range), [least, most], [low, high]) in reports {
            let name = &field.name.text;
            let declared = field.ty.span;
            let shown = self.extent_of_type(&field.ty, 9).map_or([low, high], |extent: Extent| extent);
            let n = if high > shown[1] { most } else { least };
            let title = format!(
                "with `{param} = {n}` there is no first position: `{name}` would be outside its range"
            );
            let found = Diagnostic::new(Code::W0123, title, init, format!("`{param}` is {least}..{most}"));
            let found = found.label(declared, format!("holds {}..{}", shown[0], shown[1]));
            self.report(found.label(range, "its range").help(format!(
                "widen the range of `{name}` to `{low}..{high}`, or make that of `{param}` smaller"
            )));
        }
    }

    /// Collects the values of the arms of an initial value, whatever its key, or the initial value itself.
    fn first_values<'e>(&self, init: &'e ast::Expr, values: &mut Vec<&'e ast::Expr>) {
        match &*init.bare().kind {
            ast::ExprKind::Match(of, arms) if !self.depends_on_a_parameter(of) => {
                arms.iter().for_each(|arm| self.first_values(&arm.value, values));
            }
            _ => values.push(init),
        }
    }

    /// The only parameter that a term names, once, with the place and the ends of its range, if it has no
    /// condition.
    pub(super) fn only_parameter(&self, term: &ast::Expr) -> Option<((&'a str, Span), Extent)> {
        let mut params = self.items().filter_map(|(item, _)| match &item.kind {
            ItemKind::Param { name, ty, condition, .. } => Some((name, ty, condition.is_none())),
            _ => None,
        });
        let (name, ty, is_free) = params.find(|(name, ..)| uses(term, &name.text) > 0)?;
        let is_only = uses(term, &name.text) == 1 && params.all(|(other, ..)| uses(term, &other.text) == 0);
        let extent = self.extent_of_type(ty, 9)?;
        (is_free && is_only).then_some(((name.text.as_str(), ty.span), extent))
    }
}

/// The number of places where a term uses a name.
fn uses(term: &ast::Expr, name: &str) -> usize {
    let mut number = usize::from(term.as_name() == Some(name));
    bouton_syntax::visit::children(term, &mut |part| number += uses(part, name));
    number
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(list: &str, range: &str, condition: &str, code: Code) -> Vec<String> {
        let text = format!(
            "game \"Lists\"; players A, B; const word = {list}; type D = {range};
             state {{ open: set of D = D; n: 0..9 = 0; }} def left = {{ word[i] for i in open }};
             move go(i: D) as \"{{i}}\" {{ when i in open and {condition}; open -= {{ i }}; n := word[i]; }}
             end {{ when left = {{}} => draw; when stuck => draw; }}"
        );
        let found = found(&text, code).into_iter();
        found.map(|found| format!("{} / {}", found.title, found.help.unwrap_or_default())).collect()
    }

    #[test]
    fn lists_have_the_elements_that_are_read() {
        let of = |list: &str, range: &str| told(list, range, "n < 9", Code::W0123);
        assert_eq!(
            of("[3, 4, 5]", "0..#word - 1"),
            [
                "`word` has no element 0, so `word[i]` has no value for `i = 0` / a list is counted from 1: let the range of `i` \
              begin with 1, as in `1..#word`"
            ]
        );
        assert_eq!(
            of("[3, 4, 5]", "1..4"),
            [
                "`word` has no element 4, so `word[i]` has no value for `i = 4` / give the list an element 4, or let the range of \
              `i` end with 3"
            ]
        );
        assert!(of("[3, 4, 5]", "1..3").is_empty() && of("[3, 4, 5]", "1..#word").is_empty());
    }

    #[test]
    fn elements_are_read() {
        let of = |list: &str, condition: &str| told(list, "1..3", condition, Code::W0111);
        let help = "leave out what is too much, or let the numbers that `word` is read by go to `#word`";
        assert_eq!(
            of("[3, 4, 5, 6]", "n < 9"),
            [format!("`word` has 4 elements, and only the first 3 are read / {help}")]
        );
        for (list, condition) in [
            ("[3, 4, 5]", "n < 9"),
            ("[3, 4, 5, 6]", "n < #word"),
            ("[3, 4, 5, 6]", "n != word[i + 1]"),
            ("[3, 4, 5, 6]", "n != word[n]"),
        ] {
            assert_eq!(of(list, condition), [""; 0], "{list} {condition}");
        }
    }

    #[test]
    fn parameters_fit_the_fields_that_they_start() {
        let of = |param: &str, field: &str| {
            let text = format!(
                "game \"Start\"; param stones: {param}; players A, B; state {{ n: {field}; m: 0..9 = 9; }}
                 move go(k: 1..2) as \"{{k}}\" {{ when k <= n; n -= k; m := n; }} end {{ when m = 1 => draw; when stuck => draw; }}"
            );
            let found = found(&text, Code::W0123).into_iter();
            found
                .map(|found| format!("{} / {}", found.title, found.help.unwrap_or_default()))
                .collect::<Vec<_>>()
        };
        let title = |n: i64| {
            format!("with `stones = {n}` there is no first position: `n` would be outside its range / ")
        };
        let help =
            |range: &str| format!("widen the range of `n` to `{range}`, or make that of `stones` smaller");
        assert_eq!(of("1..5 = 2", "0..4 = stones"), [title(5) + &help("0..5")]);
        assert_eq!(of("0..5 = 2", "0..9 = stones - 1"), [title(0) + &help("-1..9")]);
        for (param, field) in [
            ("1..4 = 2", "0..4 = stones"),
            ("1..5 = 2", "0..stones = stones"),
            ("1..5 = 2", "0..4 = min(stones, 4)"),
            ("1..5 = 2 where stones < 5", "0..4 = stones"),
        ] {
            assert_eq!(of(param, field), [""; 0], "{param} {field}");
        }
    }
}
