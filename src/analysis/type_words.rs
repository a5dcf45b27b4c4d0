//! Types in the words of other languages: `int`, `Player | None`, `easy | hard`, `1 | 2 | 3`.

use super::analyzer::Analyzer;
use super::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::{DIR, PLAYER};
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// Names of values of which one may stand for true, and the other for false.
const TRUTH_WORDS: &[&str] = &["on", "off", "yes", "no", "open", "closed", "up", "down"];

/// The help for a type of other languages that this one lacks.
fn foreign_type_help(name: &str) -> Option<&'static str> {
    Some(match name {
        "int" | "Int" | "integer" | "Integer" | "number" | "Number" | "nat" | "natural" => {
            "whole numbers have a range: `0..9`"
        }
        "boolean" | "Boolean" | "Bool" => "write `bool`",
        "string" | "String" | "str" | "char" => {
            "a state holds no strings: name the values, `enum Colour { red, blue }`"
        }
        "float" | "Float" | "double" | "real" => "a state holds whole numbers, with a range: `0..9`",
        "player" | "players" => "write `Player`, the type of the players; `Player?` has `none` as well",
        "array" | "Array" | "vector" | "Vector" | "Vec" => "write a field with a key: `size[i: 1..3]: 0..9`",
        "dict" | "Dict" | "dictionary" | "map" | "Map" | "HashMap" | "hash" => {
            "write a field with a key, which has a value for each: `size[p: Player]: 0..9`"
        }
        _ => return None,
    })
}

/// Returns true for a word of other languages for whole numbers.
fn is_number_word(name: &str) -> bool {
    matches!(name, "int" | "Int" | "integer" | "Integer" | "number" | "Number" | "nat" | "natural")
}

impl<'a> Analyzer<'a> {
    /// Reports `string`, `int(0, 9)` and other foreign words for a type; returns true if it is one.
    pub(super) fn foreign_type(&mut self, expr: &ast::Expr) -> bool {
        if self.is_a_foreign_array(expr) {
            return true;
        }
        let call = match &*expr.bare().kind {
            ast::ExprKind::Call(called, bounds) => called.as_name().zip(Some(bounds)),
            _ => None,
        };
        let Some(name) = expr.as_name().or(call.map(|(name, _)| name)) else { return false };
        if self.find(name, expr.span).is_some() || self.options.damaged {
            return false;
        }
        if let Some((_, bounds)) = call {
            let [low, high] = &bounds[..] else { return false };
            if !is_number_word(name) {
                return false;
            }
            let new = format!("{}..{}", print_expr(low), print_expr(high));
            let title = "the type of a number is its range, from the least to the greatest";
            let found = Diagnostic::new(Code::E0201, title, expr.span, "");
            self.report(found.help(format!("write `{new}`")).edit(expr.span, new));
            return true;
        }
        let Some(help) = foreign_type_help(name) else { return false };
        let title = format!("there is no type `{name}`");
        let found = Diagnostic::new(Code::E0101, title, expr.span, "");
        let is_fixed =
            matches!(self.item_around(expr.span), Some(ItemKind::Param { .. } | ItemKind::Const { .. }));
        self.report(match name {
            "boolean" | "Boolean" | "Bool" => found.help(help).edit(expr.span, "bool"),
            "player" | "players" => found.help(help).edit(expr.span, "Player"),
            "string" | "String" | "str" if is_fixed => {
                found.help("write `text`, the type of the words between quotes").edit(expr.span, "text")
            }
            _ => found.help(help),
        });
        true
    }

    /// Reports the field `size: int[4] = 0` or `size: array[4] = 0`; returns true if it is that.
    fn is_a_foreign_array(&mut self, expr: &ast::Expr) -> bool {
        let ast::ExprKind::Index(called, sizes) = &*expr.bare().kind else { return false };
        let (Some(name), [size]) = (called.as_name(), &sizes[..]) else { return false };
        let is_array = matches!(name, "array" | "Array" | "vector" | "Vector" | "Vec" | "bool" | "boolean");
        let Some(ItemKind::State(fields)) = self.item_around(expr.span) else { return false };
        let field = fields.iter().find(|field| field.ty.span.covers(expr.span));
        let Some(field) = field.filter(|_| is_array || is_number_word(name)) else { return false };
        if self.find(name, expr.span).is_some() || self.options.damaged {
            return false;
        }
        let element = if name.starts_with("bool") { "bool" } else { "0..9" };
        let help = format!("write `{}[i: 1..{}]: {element} = ...;`", field.name.text, print_expr(size));
        let title = "a field of several values has a key, which stands behind its name";
        self.report(Diagnostic::new(Code::E0201, title, expr.span, "").help(help));
        true
    }

    /// Reports `{ easy, hard }` and `easy | hard` in the place of a type, where none of the names is declared.
    pub(super) fn lists_unknown_values(&mut self, expr: &ast::Expr) -> bool {
        fn names<'e>(expr: &'e ast::Expr, found: &mut Vec<&'e str>) -> bool {
            match &*expr.bare().kind {
                ast::ExprKind::Binary(ast::BinaryOp::Union, left, right) => {
                    names(left, found) && names(right, found)
                }
                ast::ExprKind::Set(elements) => elements.iter().all(|element| names(element, found)),
                ast::ExprKind::Name(name) => {
                    found.push(name);
                    true
                }
                ast::ExprKind::None => {
                    found.push("none");
                    true
                }
                _ => false,
            }
        }
        let mut listed = Vec::new();
        if !names(expr, &mut listed) || listed.len() < 2 || self.options.damaged {
            return false;
        }
        self.resolve_boards();
        let is_player = |name: &&str| self.rules.enums[PLAYER].members.iter().any(|member| member == name);
        let is_nothing = |name: &&str| *name == "none" || bouton_syntax::foreign_value(name) == Some("none");
        let is_type = |name: &&str| {
            *name == "Player"
                || self.find(name, expr.span).is_some_and(|key| {
                    self.is_kind(key, |kind| {
                        matches!(
                            kind,
                            SymbolKind::Enum(_)
                                | SymbolKind::Record { .. }
                                | SymbolKind::Alias { .. }
                                | SymbolKind::Board { .. }
                        )
                    })
                })
        };
        if let [one, other] = listed[..]
            && let Some(ty) = [(one, other), (other, one)]
                .into_iter()
                .find_map(|(ty, rest)| (is_type(&ty) && is_nothing(&rest)).then_some(ty))
        {
            let new = format!("{ty}?");
            let title = format!("a type whose values may be missing is written with `?`: `{new}`");
            let found = Diagnostic::new(Code::E0201, title, expr.span, "a type is needed");
            self.report(
                found.help(format!("write `{new}`; nothing is the value `none`")).edit(expr.span, new),
            );
            return true;
        }
        if listed.iter().any(is_player)
            && listed.iter().any(is_nothing)
            && listed.iter().all(|name| is_player(name) || is_nothing(name))
        {
            let title = "the type of a player or nothing is `Player?`";
            let found = Diagnostic::new(Code::E0201, title, expr.span, "a type is needed");
            self.report(
                found.help("write `Player?`; nothing is the value `none`").edit(expr.span, "Player?"),
            );
            return true;
        }
        let is_unknown =
            |name: &&str| self.find(name, expr.span).is_none() && !self.members.contains_key(*name);
        if !listed.iter().all(is_unknown)
            || listed.iter().any(|name| super::expr::BUILT_IN_NAMES.contains(name))
        {
            return false;
        }
        let is_direction = |name: &&str| {
            let plain = name.to_ascii_lowercase();
            ["north", "south", "east", "west", "up", "down", "left", "right"].contains(&plain.as_str())
        };
        let dirs = &self.rules.enums[DIR].members;
        if listed.iter().all(is_direction) && !dirs.is_empty() {
            let title = "the directions of a board have their names already";
            let found = Diagnostic::new(Code::E0101, title, expr.span, "these names are declared nowhere");
            let help = format!(
                "the directions are {}: write `Orthogonal` for the straight ones, or a set such as `{{ {}, {} }}`",
                dirs.join(", "),
                dirs[0],
                dirs[dirs.len() / 2]
            );
            self.report(found.help(help));
            return true;
        }
        let title = "the values of a type are declared by an `enum`";
        let found = Diagnostic::new(Code::E0101, title, expr.span, "these names are declared nowhere");
        // The alias that lists them, if that is all it says.
        let alias = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::TypeAlias { name, ty } if ty.span == expr.span => Some((name, item.span)),
            _ => None,
        });
        let members = listed.join(", ");
        let unnamed = match alias {
            Some((name, item)) => {
                let declared = format!("enum {} {{ {members} }}", name.text);
                found.help(format!("write `{declared}`")).edit(item, declared)
            }
            None => {
                let name = self.undeclared_type();
                self.unknown_names.extend(name.clone());
                let name = name.unwrap_or_else(|| "Kind".to_owned());
                let declared = format!("enum {name} {{ {members} }}");
                let item = self.items().find(|(item, own)| *own && item.span.covers(expr.span));
                let found = found.help(format!("write `{declared}` as an item, and `{name}` here"));
                match item {
                    // Where one of the two is true, a `bool` may be meant.
                    _ if listed.len() == 2 && listed.iter().all(|word| TRUTH_WORDS.contains(word)) => found,
                    Some((item, _)) if !self.symbols.contains_key(name.as_str()) => found
                        .edit(Span { end: item.span.start, ..item.span }, format!("{declared}\n"))
                        .edit(expr.span, name),
                    _ => found,
                }
            }
        };
        self.report(unnamed);
        self.unknown_names.extend(listed.into_iter().map(str::to_owned));
        true
    }

    /// Reports `1 | 2 | 3` and `A | B` in the place of a type: values one by one, of which none is a set.
    pub(super) fn looks_like_alternatives(&mut self, expr: &ast::Expr) -> bool {
        let mut values = Vec::new();
        let mut rest = expr.bare();
        while let ast::ExprKind::Binary(ast::BinaryOp::Union, left, right) = &*rest.kind {
            values.push(right.bare());
            rest = left.bare();
        }
        values.push(rest);
        let is_value = |value: &&ast::Expr| match &*value.kind {
            ast::ExprKind::Number(_) => true,
            ast::ExprKind::Name(name) => {
                self.find(name, value.span).is_none() && self.members.contains_key(&**name)
            }
            _ => false,
        };
        if values.len() < 2 || !values.iter().all(is_value) {
            return false;
        }
        let words: Vec<String> = values.iter().rev().map(|value| bouton_syntax::print_expr(value)).collect();
        let new = format!("{{ {} }}", words.join(", "));
        let found = Diagnostic::new(Code::E0201, "the values of a type are listed in braces", expr.span, "");
        self.report(found.help(format!("write `{new}`")).edit(expr.span, new));
        true
    }

    /// Reports `1..3 | none` in the place of a type; returns true if it is that.
    pub(super) fn is_a_range_or_none(&mut self, expr: &ast::Expr) -> bool {
        let is_none = |side: &ast::Expr| matches!(&*side.bare().kind, ast::ExprKind::None);
        let range = match &*expr.bare().kind {
            ast::ExprKind::Range(low, rest) => match &*rest.kind {
                ast::ExprKind::Binary(ast::BinaryOp::Union, high, none) if is_none(none) => Some((low, high)),
                _ => None,
            },
            ast::ExprKind::Binary(ast::BinaryOp::Union, left, right) => match &*left.bare().kind {
                ast::ExprKind::Range(low, high) if is_none(right) => Some((low, high)),
                _ => None,
            },
            _ => None,
        };
        let Some((low, high)) = range else { return false };
        let new = format!("{}..{}?", print_expr(low), print_expr(high));
        let title = "a type whose value may be `none` has a `?` at its end";
        let found = Diagnostic::new(Code::E0201, title, expr.span, "");
        self.report(found.help(format!("write `{new}`")).edit(expr.span, new));
        true
    }

    /// Reports `x..z` in the place of a type, where both are members of one `enum`, or players.
    pub(super) fn is_a_range_of_members(&mut self, ends: [&ast::Expr; 2], span: Span) -> bool {
        let [Some(first), Some(last)] = ends.map(|end| end.bare().as_name()) else { return false };
        let is_declared = [first, last].iter().any(|name| self.find(name, span).is_some());
        let (Some(of_first), Some(of_last)) = (self.members.get(first), self.members.get(last)) else {
            return false;
        };
        let Some(&(id, _)) = of_first.iter().find(|(id, _)| of_last.iter().any(|(of, _)| of == id)) else {
            return false;
        };
        let of = &self.rules.enums[id];
        let is_listed = id == PLAYER
            || self
                .items()
                .any(|(item, _)| matches!(&item.kind, ItemKind::Enum { name, .. } if name.text == of.name));
        if is_declared || !is_listed || self.options.damaged {
            return false;
        }
        let place = |name: &str| of.members.iter().position(|member| member == name);
        let (Some(low), Some(high)) = (place(first), place(last)) else { return false };
        let some = match low < high {
            true => of.members[low..=high].join(", "),
            false => format!("{first}, {last}"),
        };
        let what = if id == PLAYER { "players" } else { "values" };
        let title = format!("a range is one of numbers, and these are {what}");
        let help =
            format!("all {what} are the type `{}`; some of them stand in braces: `{{ {some} }}`", of.name);
        self.report(Diagnostic::new(Code::E0201, title, span, "a type is needed").help(help));
        true
    }

    /// Reports `0-9` and `[0, 9]` in the place of a type; returns true if the expression was one of them.
    pub(super) fn looks_like_a_range(&mut self, expr: &ast::Expr) -> bool {
        let number = |expr: &ast::Expr| match &*expr.bare().kind {
            ast::ExprKind::Number(digits) if !digits.contains('.') => Some(digits.clone()),
            _ => None,
        };
        let ends = match &*expr.bare().kind {
            ast::ExprKind::Binary(ast::BinaryOp::Subtract, low, high) => [number(low), number(high)],
            ast::ExprKind::List(ends) if ends.len() == 2 => [number(&ends[0]), number(&ends[1])],
            _ => return false,
        };
        let [Some(low), Some(high)] = ends else { return false };
        let is_empty = low.parse::<i64>().ok() >= high.parse::<i64>().ok();
        if is_empty && matches!(&*expr.bare().kind, ast::ExprKind::List(_)) {
            let title = "first values are no type";
            let found = Diagnostic::new(Code::E0201, title, expr.span, "a type is needed");
            let help = "a number for each player is a field with a key, its range and its first value: \
                        `n[p: Player]: 0..9 = 0;`";
            self.report(found.help(help));
            return true;
        }
        let new = format!("{low}..{high}");
        let found = Diagnostic::new(Code::E0201, "a range is written with two dots", expr.span, "");
        self.report(found.help(format!("write `{new}`")).edit(expr.span, new));
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::diagnostics;
    use bouton_syntax::diag::apply_edits;

    fn game(items: &str, field: &str) -> String {
        format!(
            "game \"Up\"; players A, B; {items}
             state {{ n: 0..9 = 0; {field} }}
             move up(k: 1..2) as \"{{k}}\" {{ when n + k <= 9; n += k; }}
             end {{ when stuck => mover loses; }}"
        )
    }

    /// The title and the help of the only finding, and the text after its edits.
    fn told(text: &str) -> (String, String, String) {
        let found = diagnostics(text);
        assert_eq!(found.len(), 1, "{found:?}");
        let (mended, _) = apply_edits(text, found[0].labels[0].span.file, &found);
        (found[0].title.clone(), found[0].help.clone().unwrap_or_default(), mended)
    }

    #[test]
    fn ranges_are_no_calls() {
        for (written, meant) in [("int(2, 9)", "2..9"), ("Integer(0, 3 * 4)", "0..3 * 4")] {
            let text = |ty: &str| game(&format!("param m: {ty} = 4;"), "");
            let (title, help, mended) = told(&text(written));
            assert_eq!(title, "the type of a number is its range, from the least to the greatest");
            assert_eq!((help, mended), (format!("write `{meant}`"), text(meant)));
        }
    }

    #[test]
    fn ranges_with_none_are_optional() {
        let free = "move free() as \"free\" { when m != none and n < top; m := none; }";
        for (written, meant) in
            [("1..3 | none", "1..3?"), ("(1..3) | none", "1..3?"), ("0..top + 1 | none", "0..top + 1?")]
        {
            let text = |ty: &str| game(&format!("param top: 1..4 = 2; {free}"), &format!("m: {ty} = 1;"));
            let (title, help, mended) = told(&text(written));
            assert_eq!(title, "a type whose value may be `none` has a `?` at its end");
            assert_eq!((help, &mended), (format!("write `{meant}`"), &text(meant)));
            assert!(diagnostics(&mended).is_empty(), "{:?}", diagnostics(&mended));
        }
    }

    #[test]
    fn members_have_no_range() {
        for (ty, what, help) in [
            ("x..z", "values", "all values are the type `K`; some of them stand in braces: `{ x, y, z }`"),
            ("z..x", "values", "all values are the type `K`; some of them stand in braces: `{ z, x }`"),
            (
                "A..B",
                "players",
                "all players are the type `Player`; some of them stand in braces: `{ A, B }`",
            ),
        ] {
            let text = game("enum K { x, y, z, w }", &format!("m: {ty} = {};", &ty[..1]));
            let (title, told, mended) = told(&text);
            assert_eq!(title, format!("a range is one of numbers, and these are {what}"));
            assert_eq!((told.as_str(), mended), (help, text));
        }
    }

    #[test]
    fn values_of_an_unknown_type_are_not_reported() {
        let (title, _, _) =
            told(&game("const worth[k: 1..2]: int = match k { 1 => 4, _ => 1 };", "m: 0..9 = worth[1];"));
        assert_eq!(title, "there is no type `int`");
    }

    #[test]
    fn words_between_quotes_are_a_text() {
        let text = |ty: &str| game(&format!("param w: {ty} = \"abc\";"), "");
        let (title, _, mended) = told(&text("string"));
        assert_eq!((title.as_str(), mended), ("there is no type `string`", text("text")));
        let state = game("", "w: string = \"abc\";");
        let (_, help, mended) = told(&state);
        assert!(help.starts_with("a state holds no strings"), "{help}");
        assert_eq!(mended, state);
    }

    #[test]
    fn dictionaries_and_arrays_are_fields_with_a_key() {
        for (field, way) in [
            ("m: dict = {};", "`size[p: Player]: 0..9`"),
            ("m: vector = 0;", "`size[i: 1..3]: 0..9`"),
            ("m: int[4] = 0;", "`m[i: 1..4]: 0..9 = ...;`"),
            ("m: array[2 * 3] = 0;", "`m[i: 1..2 * 3]: 0..9 = ...;`"),
        ] {
            let text = game("", field);
            let (_, help, mended) = told(&text);
            assert!(help.contains(way), "{help}");
            assert_eq!(mended, text);
        }
    }

    #[test]
    fn types_of_the_game_may_have_such_names() {
        assert!(diagnostics(&game("enum dict { old, new }", "m: dict = old;")).iter().all(|found| {
            found.code != bouton_syntax::diag::Code::E0101 && found.code != bouton_syntax::diag::Code::E0201
        }));
    }
}
