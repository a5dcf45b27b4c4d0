//! W0123 for elements of lists, tables and fields whose number is written and lies outside: `coins[0]`, `coins[-1]`.

use super::decided::literal;
use crate::analyzer::{Analyzer, Resolution};
use crate::locals::{ExprPlace, Locals};
use crate::symbols::{ConstValue, SymbolKind};
use bouton_base::source::Span;
use bouton_rules::Type;
use bouton_syntax::ast::{self, ItemKind, TypeKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_expr, visit};

/// Returns true for a list, and for a set without numbers: their values bound nothing.
fn is_list_or_set_of_names(ty: &Type) -> bool {
    fn has_numbers(ty: &Type) -> bool {
        match ty.present().base() {
            Type::Sym(_) => false,
            Type::Tuple(parts) => parts.iter().any(has_numbers),
            _ => true,
        }
    }
    match ty.base() {
        Type::List(_) => true,
        Type::Set(element) => !has_numbers(element),
        _ => false,
    }
}

impl Analyzer<'_> {
    /// Warns about `coins[0]` and `coins[7]` of a list of six elements. `#coins >= 7 and coins[7] = 1` is sound.
    pub(super) fn missing_element(
        &mut self,
        list: &ast::Expr,
        length: usize,
        keys: &[ast::Expr],
        locals: &Locals,
    ) {
        let [key] = keys else { return };
        let Some(n) = literal(key).filter(|n| usize::try_from(*n).map_or(true, |n| n == 0 || n > length))
        else {
            return;
        };
        if length == 0 || locals.place == ExprPlace::Static || n > 0 && self.depends_on_sizes(key.span) {
            return;
        }
        let list = print_expr(list);
        let title = format!("`{list}` has no element {n}, so this never has a value");
        let found =
            Diagnostic::new(Code::W0123, title, key.span, format!("`{list}` counts from 1 to {length}"));
        self.report_once(
            found.help(format!("the first element is `{list}[1]`, the last one `{list}[#{list}]`")),
        );
    }

    /// Warns about `size[0]` of a field or table with the keys 1..3.
    pub(super) fn missing_key(&mut self, name: &str, keys: &[ast::Expr], types: &[Type], locals: &Locals) {
        if locals.place == ExprPlace::Static {
            return;
        }
        for (at, (key, ty)) in keys.iter().zip(types).enumerate() {
            let (Some(n), Type::Int(low, high)) = (literal(key), ty.base()) else { continue };
            if low > high || (*low..=*high).contains(&n) || self.depends_on_sizes(key.span) {
                continue;
            }
            if !self.is_sure_end(name, at, n < *low) {
                continue;
            }
            let title = format!("{n} is no key of `{name}`, so this never has a value");
            let found = Diagnostic::new(Code::W0123, title, key.span, format!("its keys are {low}..{high}"));
            self.report_once(found.help("write a key that it has, or give it more keys"));
        }
    }

    /// Returns true if no parameter changes the least key of a field or table, or the greatest one.
    fn is_sure_end(&self, name: &str, at: usize, is_least: bool) -> bool {
        let keys = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::State(fields) => {
                fields.iter().find(|field| field.name.text == name).map(|field| &field.keys)
            }
            ItemKind::Const { name: of, keys, .. } if of.text == name => Some(keys),
            _ => None,
        });
        let Some(TypeKind::Expr(words)) = keys.and_then(|keys| keys.get(at)).map(|key| &key.ty.kind) else {
            return true;
        };
        let alias = words.bare().as_name().and_then(|of| {
            self.items().find_map(|(item, _)| match &item.kind {
                ItemKind::TypeAlias { name, ty, .. } if name.text == of => match &ty.kind {
                    TypeKind::Expr(words) => Some(words),
                    _ => None,
                },
                _ => None,
            })
        });
        match &*alias.unwrap_or(words).bare().kind {
            ast::ExprKind::Range(low, high) => {
                !self.depends_on_a_parameter(if is_least { low } else { high })
            }
            _ => !self.depends_on_a_parameter(words),
        }
    }

    /// Returns true if the item around a place names a size that others may be chosen for, a parameter, a constant or the
    /// length of a list: its conditions may keep the place out of play.
    fn depends_on_sizes(&self, span: Span) -> bool {
        if self.group.as_ref().is_some_and(|group| !group.settings.is_empty()) {
            return true;
        }
        let Some(item) = self.items().find(|(item, _)| item.span.covers(span)).map(|(item, _)| item.span)
        else {
            return true;
        };
        let is_size = |name: &str| {
            let is_value = |kind: &SymbolKind<'_>| match kind {
                SymbolKind::Const { value: Resolution::Resolved(ConstValue::Plain(made)), .. }
                | SymbolKind::Param { value: Resolution::Resolved(made), .. } => {
                    !is_list_or_set_of_names(&made.ty)
                }
                _ => false,
            };
            self.find(name, span).is_some_and(|key| self.is_kind(key, is_value))
        };
        let is_one = |expr: &ast::Expr| match &*expr.kind {
            ast::ExprKind::Unary(ast::UnaryOp::Count, _) => true,
            ast::ExprKind::Name(name) => is_size(name),
            _ => false,
        };
        self.has_part(item, &is_one)
    }

    /// Returns true if a condition is true of an expression within a place, or of a part of one.
    pub(crate) fn has_part(&self, place: Span, is_it: &dyn Fn(&ast::Expr) -> bool) -> bool {
        fn part(expr: &ast::Expr, is_it: &dyn Fn(&ast::Expr) -> bool) -> bool {
            let mut has = is_it(expr);
            visit::children(expr, &mut |inner| has = has || part(inner, is_it));
            has
        }
        let mut has = false;
        for text in self.texts.iter() {
            visit::expressions(&text.file, &mut |expr| {
                has = has || place.covers(expr.span) && part(expr, is_it);
            });
        }
        has
    }

    /// The number of terms of the game's own file, parts of others included, of which a condition is true.
    pub(crate) fn count_parts(&self, is_it: &dyn Fn(&ast::Expr) -> bool) -> usize {
        fn count(expr: &ast::Expr, is_it: &dyn Fn(&ast::Expr) -> bool) -> usize {
            let mut number = usize::from(is_it(expr));
            visit::children(expr, &mut |inner| number += count(inner, is_it));
            number
        }
        let mut number = 0;
        visit::expressions(self.texts.own(), &mut |expr| number += count(expr, is_it));
        number
    }

    /// Reports what is not known at its place yet.
    pub(crate) fn report_once(&mut self, found: Diagnostic) {
        let is_known = |known: &Diagnostic| known.code == found.code && known.span() == found.span();
        if !self.diagnostics.iter().any(is_known) {
            self.report(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, found_in_group};
    use bouton_syntax::diag::Code;

    fn titles(condition: &str) -> Vec<String> {
        let text = format!(
            "game \"Row\"; param coins: list of 1..9 = [3, 1, 2]; param n: 1..9 = 3; const worth[i: 1..3]: 0..9 = i;
             players A, B; state {{ left: 0..9 = 9; cups[i: 1..3]: 0..9 = 1; }}
             move go(i: 1..3) as \"{{i}}\" {{ when left >= i or {condition}; left -= 1; cups[i] := worth[i]; }} play normal;"
        );
        let found = found(&text, Code::W0123);
        assert!(found.iter().all(|found| found.edits.is_empty() && found.help.is_some()));
        found.into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn numbers_of_elements_are_in_their_range() {
        for n in ["0", "-1", "4"] {
            let title = format!("`coins` has no element {n}, so this never has a value");
            assert_eq!(titles(&format!("coins[{n}] > 1")), [title]);
            let title = format!("{n} is no key of `cups`, so this never has a value");
            assert_eq!(titles(&format!("cups[{n}] > 1")), [title]);
        }
        assert_eq!(titles("#coins > 3 and coins[0] = 1").len(), 1);
        for condition in [
            "coins[1] = coins[3]",
            "coins[i] = 1",
            "cups[1] = 3 and worth[3] = 1",
            "#coins > 3 and coins[4] = 1",
            "n > 3 and cups[4] = 1",
        ] {
            assert_eq!(titles(condition), [""; 0], "{condition}");
        }
    }

    #[test]
    fn keys_are_told_in_definitions_too() {
        let titles = |range: &str, key: &str| {
            let text = format!(
                "game \"Row\"; param size: 3..9 = 3; players A, B; type Level = {range};
                 state {{ left: 0..9 = 9; cups[h: Level]: 0..9 = 1; }} def same = all h in Level: cups[h] = cups[{key}];
                 move go(h: Level) as \"{{h}}\" {{ when left >= 1; left -= 1; cups[h] := left; }}
                 end {{ when same and left < 3 => mover wins; when left = 0 => draw; }}"
            );
            let mut all = found(&text, Code::W0123);
            assert_eq!(all.len(), found_in_group(&text, Code::W0123, 0).len());
            all.pop().map(|found| found.title)
        };
        let told = |key: &str| Some(format!("{key} is no key of `cups`, so this never has a value"));
        assert_eq!(titles("1..3", "0"), told("0"));
        assert_eq!(titles("1..3", "4"), told("4"));
        assert_eq!(titles("1..size", "0"), told("0"));
        assert_eq!(titles("1..size", "4"), None);
        assert_eq!(titles("1..size", "1"), None);
    }

    #[test]
    fn effects_are_told_without_a_play_too() {
        let count = |body: &str| {
            let text = format!(
                "game \"Row\"; const worth = [3, 1]; players A, B; state {{ left: 0..9 = 9; cups[i: 1..3]: 0..9 = 1; }}
                 move go(i: 1..3) as \"{{i}}\" {{ when left > 1; left -= 1; {body} }} play normal;"
            );
            found(&text, Code::W0123).len()
        };
        assert_eq!(count("cups[i] += worth[0] + cups[0];"), 2);
        assert_eq!(count("cups[i] := 2; when worth[0] = 1 or cups[0] = 1;"), 2);
    }

    #[test]
    fn constants_count_from_one() {
        let text = "game \"Row\"; param coins: list of 1..9 = [3, 1]; players A, B; const first = coins[0];
                    state { left: 0..9 = 9; } move go() as \"go\" { when left > first; left -= 1; } play normal;";
        let found = found(text, Code::E0201);
        let help = found.into_iter().filter_map(|found| found.help).collect::<Vec<_>>();
        assert_eq!(help, ["a list is counted from 1: `l[1]` is its first element, `l[#l]` its last"]);
    }

    #[test]
    fn constant_sets_of_names_are_no_sizes() {
        let told = |words: &str| {
            let text = format!(
                "game \"Words\"; players A, B; enum L {{ P, Q }} const words = {words};
                 state {{ full[s: 1..3]: L? = none; n: 0..3 = 0; }}
                 move fill(s: 1..3, l: L) as \"{{s}}{{l}}\" {{ when full[s] = none; full[s] := l; n += 1; }}
                 end {{ when (full[0], n) in words => mover wins; when stuck => draw; }}"
            );
            found(&text, Code::W0123).len()
        };
        assert_eq!(told("{ (P, 1), (Q, 3) }"), 0);
        let text = "game \"Words\"; players A, B; enum L { P, Q } const words = { (P, Q), (Q, P) };
             state { full[s: 1..3]: L? = none; }
             move fill(s: 1..3, l: L) as \"{s}{l}\" { when full[s] = none; full[s] := l; }
             end { when (full[0], full[1]) in words => mover wins; when stuck => draw; }";
        assert_eq!(found(text, Code::W0123).len(), 1);
    }
}
