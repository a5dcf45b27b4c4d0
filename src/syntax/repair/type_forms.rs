//! Types that parse, but are no sets of values: strings joined by `|`, and lists for ranges of numbers.

use super::RepairSession;
use crate::ast::{BinaryOp, Bind, Expr, ExprKind, FieldDecl, ItemKind, Name, Type, TypeKind};
use crate::diag::{Code, Diagnostic};
use crate::keywords;
use bouton_base::source::Span;

/// The directions of a board.
const DIRECTIONS: [&str; 8] = ["N", "S", "E", "W", "NE", "NW", "SE", "SW"];

/// The declarations of a file that values of a type may belong to.
struct Declared {
    /// The enumerations with their names.
    enums: Vec<(String, Vec<String>)>,
    has_board: bool,
}

impl RepairSession {
    /// Reports types of strings such as `d: "N" | "S"`, and parameters such as `k: [0, n]`.
    pub fn mend_types(&mut self) {
        let mut declared = Declared { enums: Vec::new(), has_board: false };
        for item in &self.items {
            match &item.kind {
                ItemKind::Enum { name, members } => {
                    let members = members.iter().map(|member| member.text.clone()).collect();
                    declared.enums.push((name.text.clone(), members));
                }
                ItemKind::Board { .. } => declared.has_board = true,
                _ => {}
            }
        }
        let mut found = Vec::new();
        for item in &mut self.items {
            for (ty, is_bound) in types_of(&mut item.kind) {
                found.extend(type_of_strings(ty, &declared));
                if is_bound {
                    found.extend(list_for_a_range(ty));
                }
                found.extend(range_in_a_list(ty));
                found.extend(range_by_a_dash(ty));
            }
            if let ItemKind::State(fields) = &mut item.kind {
                found.extend(fields.iter_mut().filter_map(keys_behind_a_range));
                found.extend(fields.iter_mut().filter_map(keys_in_the_type));
                found.extend(fields.iter_mut().filter_map(truth_of_a_number));
            }
        }
        self.diagnostics.append(&mut found);
    }
}

/// The types of an item, each with true if it is the type of a parameter.
fn types_of(item: &mut ItemKind) -> Vec<(&mut Type, bool)> {
    fn bound(binds: &mut [Bind]) -> Vec<(&mut Type, bool)> {
        binds.iter_mut().map(|bind| (&mut bind.ty, true)).collect()
    }
    match item {
        ItemKind::Param { ty, .. } | ItemKind::TypeAlias { ty, .. } => vec![(ty, false)],
        ItemKind::Record { parts, .. } => bound(parts),
        ItemKind::Const { keys, ty, .. } => {
            let mut types = bound(keys);
            types.extend(ty.iter_mut().map(|ty| (ty, false)));
            types
        }
        ItemKind::Def { formals, ty, .. } => {
            let mut types = bound(formals.as_deref_mut().unwrap_or_default());
            types.extend(ty.iter_mut().map(|ty| (ty, false)));
            types
        }
        ItemKind::Inductive { formals, .. } | ItemKind::Effect { formals, .. } => bound(formals),
        ItemKind::Move(item) => bound(&mut item.params),
        ItemKind::State(fields) => {
            let mut types = Vec::new();
            for field in fields {
                types.append(&mut bound(&mut field.keys));
                types.push((&mut field.ty, false));
            }
            types
        }
        _ => Vec::new(),
    }
}

/// The strings that `|` joins.
fn joined_strings<'e>(expr: &'e Expr, strings: &mut Vec<&'e str>) -> bool {
    match &*expr.kind {
        ExprKind::Str(text) => {
            strings.push(text);
            true
        }
        ExprKind::Binary(BinaryOp::Union, one, other) => {
            joined_strings(one, strings) && joined_strings(other, strings)
        }
        ExprKind::Paren(inner) => joined_strings(inner, strings),
        _ => false,
    }
}

/// The direction of a board that a word means.
fn direction(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "up" | "north" => "N",
        "down" | "south" => "S",
        "left" | "west" => "W",
        "right" | "east" => "E",
        _ => return None,
    })
}

/// Reports a type of strings, and leaves it out.
fn type_of_strings(ty: &mut Type, declared: &Declared) -> Option<Diagnostic> {
    let expr = match &mut ty.kind {
        TypeKind::Set(of) | TypeKind::List(of) | TypeKind::Option(of) => {
            return type_of_strings(of, declared);
        }
        TypeKind::Expr(expr) => expr,
        _ => return None,
    };
    let mut names = Vec::new();
    if !joined_strings(expr, &mut names) || names.len() < 2 {
        return None;
    }
    let has_all = |members: &[String]| names.iter().all(|name| members.iter().any(|own| own == name));
    let listed = format!("{{ {} }}", names.join(", "));
    let title = "no type is made of strings: its values have names, without quotes";
    let found = Diagnostic::new(Code::E0201, title, expr.span, "");
    let of_enum = declared.enums.iter().find(|(_, members)| has_all(members));
    let are_directions = declared.has_board && names.iter().all(|name| DIRECTIONS.contains(name));
    let words: Option<Vec<&str>> = names.iter().map(|name| direction(name)).collect();
    let found = match (of_enum, words) {
        (Some((name, members)), _) => {
            let new = if members.len() == names.len() { name } else { &listed };
            found.help(format!("write `{new}`")).edit(expr.span, new.clone())
        }
        _ if are_directions => found.help(format!("write `{listed}`")).edit(expr.span, listed),
        (_, Some(words)) if declared.has_board => {
            found.help(format!("the directions of a board are values: write `{{ {} }}`", words.join(", ")))
        }
        _ => {
            let are_names = names.iter().all(|name| {
                keywords::starts_with_letter(name)
                    && !keywords::is_reserved(name)
                    && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
            });
            let listed = if are_names { listed.as_str() } else { "{ one, other }" };
            found.help(format!("declare `enum Choice {listed}`, and write `Choice` here"))
        }
    };
    *expr = Expr::new(ExprKind::Error, expr.span);
    Some(found)
}

/// Reports a list of two numbers in the place of the type of a parameter, and leaves it out.
fn list_for_a_range(ty: &mut Type) -> Option<Diagnostic> {
    let TypeKind::Expr(expr) = &mut ty.kind else { return None };
    let ExprKind::List(values) = &*expr.kind else { return None };
    let [low, high] = &values[..] else { return None };
    let is_low = matches!(&*low.kind, ExprKind::Number(_));
    let is_high = matches!(&*high.kind, ExprKind::Number(_) | ExprKind::Name(_) | ExprKind::Binary(..));
    if !is_low || !is_high {
        return None;
    }
    let (low, high) = (crate::print_expr(low), crate::print_expr(high));
    let help = format!(
        "write `{low}..{high}` for the numbers from {low} to {high}, `{{ {low}, {high} }}` for these two alone"
    );
    let found = Diagnostic::new(Code::E0201, "a type is a range or a set of values, no list", expr.span, "");
    *expr = Expr::new(ExprKind::Error, expr.span);
    Some(found.help(help))
}

/// Reports a type such as `[1..n]`, and leaves it out.
fn range_in_a_list(ty: &mut Type) -> Option<Diagnostic> {
    let TypeKind::Expr(expr) = &mut ty.kind else { return None };
    let ExprKind::List(values) = &*expr.kind else { return None };
    let [range] = &values[..] else { return None };
    if !matches!(&*range.kind, ExprKind::Range(..)) {
        return None;
    }
    let range = crate::print_expr(range);
    let help = format!("write `{range}` for one of these numbers, `list of {range}` for a list of them");
    let found = Diagnostic::new(Code::E0201, "a range is a type without brackets around it", expr.span, "");
    *expr = Expr::new(ExprKind::Error, expr.span);
    Some(found.help(help))
}

/// Reports the type `1 - 8`, and reads it as `1..8`.
fn range_by_a_dash(ty: &mut Type) -> Option<Diagnostic> {
    let TypeKind::Expr(expr) = &mut ty.kind else { return None };
    let ExprKind::Binary(BinaryOp::Subtract, low, high) = &*expr.kind else { return None };
    let number = |expr: &Expr| match &*expr.kind {
        ExprKind::Number(digits) => digits.parse::<u32>().ok(),
        _ => None,
    };
    let first = number(low)?;
    if number(high).is_some_and(|last| last <= first) {
        return None;
    }
    let (low, high) = (low.clone(), high.clone());
    *expr.kind = ExprKind::Range(low, high);
    let new = crate::print_expr(expr);
    let found = Diagnostic::new(Code::E0201, "a range is written with two dots", expr.span, "");
    Some(found.help(format!("write `{new}`")).edit(expr.span, new))
}

/// Words of other languages for a field with keys.
const MAPS: [&str; 9] = ["map", "Map", "dict", "Dict", "HashMap", "dictionary", "hash", "table", "Record"];

/// Words of other languages for types with the type of their elements in brackets.
const GENERIC: [&str; 10] =
    ["Set", "List", "Array", "Option", "Optional", "Vec", "Seq", "Sequence", "FrozenSet", "Tuple"];

/// Reports the fields `n: map[Player, 0..9]` and `at: Player[Cell]`, whose keys stand in the type, and leaves
/// it out.
fn keys_in_the_type(field: &mut FieldDecl) -> Option<Diagnostic> {
    let (ty, is_option) = match &mut field.ty.kind {
        TypeKind::Option(inner) => (&mut **inner, true),
        _ => (&mut field.ty, false),
    };
    let TypeKind::Expr(expr) = &mut ty.kind else { return None };
    let ExprKind::Index(of, keys) = &*expr.kind else { return None };
    let ExprKind::Name(of) = &*of.kind else { return None };
    let begins_type = |word: &str| word.starts_with(|c: char| c.is_ascii_uppercase());
    let (keys, value) = match &keys[..] {
        [keys @ .., value] if MAPS.contains(&of.as_str()) && !keys.is_empty() => {
            (keys, crate::print_expr(value))
        }
        keys if begins_type(of) && !GENERIC.contains(&of.as_str()) && field.keys.is_empty() => {
            (keys, of.clone())
        }
        _ => return None,
    };
    let is_none = field.init.as_ref().is_some_and(|init| matches!(&*init.kind, ExprKind::None));
    let is_type = |key: &Expr| match &*key.kind {
        ExprKind::Name(name) => begins_type(name),
        ExprKind::Range(..) => true,
        _ => false,
    };
    if !keys.iter().all(is_type) {
        return None;
    }
    let named = keys.iter().zip(["x", "y", "z"]).map(|(key, letter)| {
        let key = crate::print_expr(key);
        let first = key.chars().next().filter(|c| keys.len() == 1 && c.is_ascii_alphabetic());
        format!("{}: {key}", first.map_or(letter.to_owned(), |c| c.to_ascii_lowercase().to_string()))
    });
    let named = named.collect::<Vec<_>>().join(", ");
    let sign = if is_option || is_none { "?" } else { "" };
    let title = "the keys of a field stand behind its name, and its type behind the `:`";
    let help = format!("write `{}[{named}]: {value}{sign} = ...;`", field.name.text);
    let found = Diagnostic::new(Code::E0201, title, expr.span, "").help(help);
    *expr = Expr::new(ExprKind::Error, expr.span);
    Some(found)
}

/// Reports the field `n: 0..3[Cell]`, whose key stands behind its type, and gives it that key.
fn keys_behind_a_range(field: &mut FieldDecl) -> Option<Diagnostic> {
    let TypeKind::Expr(range) = &mut field.ty.kind else { return None };
    let span = range.span;
    let ExprKind::Range(_, high) = &mut *range.kind else { return None };
    let ExprKind::Index(most, keys) = &*high.kind else { return None };
    let [key] = &keys[..] else { return None };
    let ExprKind::Name(of) = &*key.kind else { return None };
    let is_number = matches!(&*most.kind, ExprKind::Number(_));
    let first = of.chars().next().filter(char::is_ascii_uppercase)?.to_ascii_lowercase();
    if !is_number || !field.keys.is_empty() {
        return None;
    }
    let bind = Bind {
        name: Name { text: first.to_string(), span: key.span },
        ty: Type { kind: TypeKind::Expr(key.clone()), span: key.span },
    };
    let (name, of, most) = (field.name.clone(), of.clone(), most.clone());
    let brackets = Span::new(span.file, most.span.end as usize, high.span.end as usize);
    *high = most;
    field.keys = vec![bind];
    let title = "the keys of a field stand behind its name, and its type behind the `:`";
    let new = format!("[{first}: {of}]");
    let help = format!("write `{}{new}: {}`", name.text, crate::print_expr(range));
    let found = Diagnostic::new(Code::E0201, title, brackets, "").help(help);
    Some(found.edit(name.span.at_end(), new).edit(brackets, ""))
}

/// Reports the field `n: 0..1 = true`, whose first value belongs to another type, and leaves it out.
fn truth_of_a_number(field: &mut FieldDecl) -> Option<Diagnostic> {
    let TypeKind::Expr(range) = &field.ty.kind else { return None };
    let ExprKind::Range(low, high) = &*range.kind else { return None };
    let is_number = |expr: &Expr, wanted: &str| matches!(&*expr.kind, ExprKind::Number(n) if n == wanted);
    let init = field.init.as_mut().filter(|_| is_number(low, "0") && is_number(high, "1"))?;
    let ExprKind::Bool(value) = *init.kind else { return None };
    let number = u8::from(value);
    let help = format!(
        "write `{number}` if `{name}` is a number, or the type `bool` in place of `0..1` if it is a condition",
        name = field.name.text
    );
    let title = format!("the type `0..1` has numbers, and `{value}` is a condition");
    let found = Diagnostic::new(Code::E0201, title, init.span, "").help(help);
    *init = Expr::new(ExprKind::Error, init.span);
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn step(ty: &str, items: &str) -> String {
        format!("{items}move go(d: {ty}) as \"{{d}}\" {{ n := 1; }}\n")
    }

    #[test]
    fn values_of_a_type_have_no_quotes() {
        let board = "board Cell = grid(3, 3);\n";
        assert_eq!(mended(&step("\"N\" | \"S\"", board)), step("{ N, S }", board));
        let hands = "enum Hand { rock, paper, flint }\n";
        assert_eq!(mended(&step("\"rock\" | \"paper\"", hands)), step("{ rock, paper }", hands));
        assert_eq!(mended(&step("\"rock\" | \"paper\" | \"flint\"", hands)), step("Hand", hands));
    }

    #[test]
    fn words_may_lack_an_enumeration() {
        let text = step("\"up\" | \"down\"", "board Cell = grid(3, 3);\n");
        assert_eq!((mended(&text), titles(&text).len()), (text.clone(), 1));
        assert!(helps(&text)[0].contains("`{ N, S }`"), "{:?}", helps(&text));
        let text = "state { mode: \"fast\" | \"slow\"; }\n";
        assert!(helps(text)[0].contains("`enum Choice { fast, slow }`"), "{:?}", helps(text));
    }

    #[test]
    fn numbers_are_not_true() {
        let text = "state { skips[p: Player]: 0..1 = true; }\n";
        assert_eq!(mended(text), text);
        assert!(helps(text)[0].starts_with("write `1` if `skips` is a number"), "{:?}", helps(text));
        assert_eq!(titles("state { skips[p: Player]: bool = true; n: 0..1 = 1; }\n"), Vec::<String>::new());
    }

    #[test]
    fn keys_stand_behind_the_name() {
        for (field, help) in [
            ("n: map[Player, 0..9] = 0;", "write `n[p: Player]: 0..9 = ...;`"),
            ("at: Player[Cell] = none;", "write `at[c: Cell]: Player? = ...;`"),
            ("at: Player[Cell]? = none;", "write `at[c: Cell]: Player? = ...;`"),
            ("m: Dict[1..3, Kind] = man;", "write `m[x: 1..3]: Kind = ...;`"),
        ] {
            let text = format!("state {{ {field} }}\n");
            assert_eq!(helps(&text), [help], "{field}");
            assert_eq!(mended(&text), text);
        }
        assert_eq!(titles("state { at[c: Cell]: legs[2] = 1; }\n"), Vec::<String>::new());
    }

    #[test]
    fn keys_of_numbers_stand_behind_the_name() {
        let text = "state { n: 0..3[Cell] = 0; at: 0..most[2] = 1; }\n";
        let new = "state { n[c: Cell]: 0..3 = 0; at: 0..most[2] = 1; }\n";
        assert_eq!(mended(text), new);
        assert_eq!(helps(text), ["write `n[c: Cell]: 0..3`"]);
    }

    #[test]
    fn a_range_has_no_brackets() {
        let text = "type Tube = [1..tubes];\n";
        assert!(helps(text)[0].starts_with("write `1..tubes`"), "{:?}", helps(text));
    }

    #[test]
    fn ranges_have_two_dots() {
        for (old, new) in [("1 - 8", "1..8"), ("1 - #word", "1..#word"), ("0-n", "0..n")] {
            assert_eq!(mended(&format!("type Place = {old};\n")), format!("type Place = {new};\n"));
        }
        assert_eq!(titles("type Place = 8 - 1;\n"), Vec::<String>::new());
    }

    #[test]
    fn lists_are_no_ranges() {
        let text = step("[0, purse]", "");
        assert_eq!(mended(&text), text);
        assert!(helps(&text)[0].starts_with("write `0..purse`"), "{:?}", helps(&text));
        assert_eq!(titles(&step("[0, 2, 4]", "")), Vec::<String>::new());
    }
}
