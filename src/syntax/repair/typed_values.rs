//! Values that parse, but whose form is not that of their declared type: `(1, 2, 3)` for a list, a string among the
//! arms of a set, `let (x, y) = here;` of a cell.

use std::collections::BTreeSet;

use super::RepairSession;
use super::declared_names::{Declared, Variables};
use crate::ast::{
    Expr, ExprKind, Item, ItemKind, Name, Pattern, Setting, Stmt, StmtKind, TestStep, Type, TypeKind, UnaryOp,
};
use crate::diag::{Code, Diagnostic};
use crate::print_expr;
use crate::visit_mut::{TermVisitor, visit_item};
use bouton_base::source::Span;

/// The title of the messages about lists in round brackets.
const LIST_IN_BRACKETS: &str = "a list stands in square brackets";

impl RepairSession {
    /// Reports values in the form of another type, and gives them the form of their own.
    pub fn mend_values(&mut self) {
        let declared = Declared::of(&self.items);
        self.mend_lists();
        for item in &mut self.items {
            let mut own = Variables::default();
            visit_item(&mut item.kind, &mut own);
            let values = ValueForms { declared: &declared, own: &own };
            for (ty, value) in typed_values(&mut item.kind) {
                self.diagnostics.extend(values.arms(ty, value));
            }
            let mut cells = CellPatterns { values, found: Vec::new() };
            visit_item(&mut item.kind, &mut cells);
            self.diagnostics.append(&mut cells.found);
        }
    }

    /// Reports `(1, 2, 3)` where a list is meant.
    fn mend_lists(&mut self) {
        let mut uses = ListUses::default();
        let mut lists = BTreeSet::new();
        for item in &mut self.items {
            visit_item(&mut item.kind, &mut uses);
            if let ItemKind::Param { name, ty, .. } = &item.kind
                && is_plain_list(ty)
            {
                lists.insert(name.text.clone());
            }
        }
        for Item { kind, .. } in &mut self.items {
            let found = match kind {
                ItemKind::Param { ty, default: value, .. } | ItemKind::Const { ty: Some(ty), value, .. }
                    if is_plain_list(ty) =>
                {
                    round_list(value).into_iter().collect()
                }
                ItemKind::Const { name, keys, ty: None, value }
                    if keys.is_empty() && uses.names.contains(&name.text) && has_only_numbers(value) =>
                {
                    round_list(value).into_iter().collect()
                }
                ItemKind::Preset { settings, .. } => round_settings(settings, &lists),
                ItemKind::Expect(expect) => round_settings(&mut expect.settings, &lists),
                ItemKind::Test(test) => {
                    let mut found = round_settings(&mut test.settings, &lists);
                    for step in &mut test.steps {
                        if let TestStep::Expect(expect) = step {
                            found.append(&mut round_settings(&mut expect.settings, &lists));
                        }
                    }
                    found
                }
                _ => Vec::new(),
            };
            self.diagnostics.extend(found);
        }
    }
}

/// The names that a file uses as lists: with an index, or `#` before them.
#[derive(Default)]
struct ListUses {
    names: BTreeSet<String>,
}

impl TermVisitor for ListUses {
    fn term(&mut self, term: &mut Expr) {
        let (ExprKind::Index(of, _) | ExprKind::Unary(UnaryOp::Count, of)) = &*term.kind else { return };
        self.names.extend(of.as_name().map(str::to_owned));
    }
}

/// Returns true for the type of a list whose elements are no tuples.
fn is_plain_list(ty: &Type) -> bool {
    matches!(&ty.kind, TypeKind::List(inner) if !matches!(inner.kind, TypeKind::Tuple(_)))
}

fn has_only_numbers(value: &Expr) -> bool {
    let is_number = |part: &Expr| matches!(&*part.kind, ExprKind::Number(_));
    matches!(&*value.kind, ExprKind::Tuple(parts) if parts.iter().all(is_number))
}

/// Reads `(1, 2)` as `[1, 2]`, and reports it.
fn round_list(value: &mut Expr) -> Option<Diagnostic> {
    let ExprKind::Tuple(elements) = &*value.kind else { return None };
    *value.kind = ExprKind::List(elements.clone());
    let new = print_expr(value);
    let found =
        Diagnostic::new(Code::E0201, LIST_IN_BRACKETS, value.span, "these are several values at once");
    Some(found.help(format!("write `{new}`")).edit(value.span, new))
}

fn round_settings(settings: &mut [Setting], lists: &BTreeSet<String>) -> Vec<Diagnostic> {
    let of_lists = settings.iter_mut().filter(|setting| lists.contains(&setting.name.text));
    of_lists.filter_map(|setting| round_list(&mut setting.value)).collect()
}

/// The values of an item that have a declared type.
fn typed_values(item: &mut ItemKind) -> Vec<(&Type, &mut Expr)> {
    match item {
        ItemKind::Param { ty, default: value, .. }
        | ItemKind::Const { ty: Some(ty), value, .. }
        | ItemKind::Def { ty: Some(ty), body: value, .. } => vec![(&*ty, value)],
        ItemKind::State(fields) => {
            fields.iter_mut().filter_map(|field| Some((&field.ty, field.init.as_mut()?))).collect()
        }
        _ => Vec::new(),
    }
}

/// The reading of values by their types.
struct ValueForms<'d> {
    declared: &'d Declared,
    own: &'d Variables,
}

/// A value that is none of its declared type.
struct WrongValue {
    /// The value in words.
    word: String,
    /// The value that is meant, if it is known.
    new: Option<ExprKind>,
}

impl ValueForms<'_> {
    /// Reports the arms and branches of a value that are none of its type, if others may be.
    fn arms(&self, ty: &Type, value: &mut Expr) -> Option<Diagnostic> {
        let mut leaves = Vec::new();
        if !matches!(&*value.bare().kind, ExprKind::If(..) | ExprKind::Match(..)) {
            return None;
        }
        results(value, &mut leaves);
        let wrong: Vec<Option<WrongValue>> = leaves.iter().map(|leaf| self.wrong_value(ty, leaf)).collect();
        let first = wrong.iter().position(Option::is_some)?;
        if wrong.iter().all(Option::is_some) {
            return None;
        }
        let shown = type_in_words(ty);
        let title = format!("{} is no value of the type `{shown}`", wrong[first].as_ref()?.word);
        let mut found = Diagnostic::new(Code::E0201, title, leaves[first].span, "this is the wrong one");
        found = found.label(ty.span, "the declared type");
        let is_sure = wrong.iter().flatten().all(|wrong| wrong.new.is_some());
        let mut help = None;
        for (leaf, wrong) in leaves.into_iter().zip(wrong) {
            let Some(wrong) = wrong else { continue };
            *leaf.kind = wrong.new.unwrap_or(ExprKind::Error);
            if is_sure {
                let new = print_expr(leaf);
                help = help.or_else(|| Some(format!("write `{new}`")));
                found = found.edit(leaf.span, new);
            }
        }
        Some(found.help(help.unwrap_or_else(|| self.help_about(ty))))
    }

    fn help_about(&self, ty: &Type) -> String {
        match &ty.kind {
            TypeKind::Set(_) => "a set has its elements in braces: `{ a, b }`".to_owned(),
            TypeKind::Bool => "a condition is `true` or `false`".to_owned(),
            TypeKind::Option(inner) => self.help_about(inner),
            TypeKind::Expr(name) => {
                let members = name.as_name().and_then(|name| self.declared.members.get(name));
                match members {
                    Some(members) => format!("its values are {}", members.join(", ")),
                    None => format!("write a number of {}", print_expr(name)),
                }
            }
            _ => "write a value of this type".to_owned(),
        }
    }

    /// The reason why a result is no value of a type; `None` where it may be one.
    fn wrong_value(&self, ty: &Type, value: &Expr) -> Option<WrongValue> {
        let word = match &*value.kind {
            ExprKind::Str(_) => "a string".to_owned(),
            ExprKind::Number(number) => format!("the number {number}"),
            ExprKind::Bool(truth) => format!("the condition `{truth}`"),
            ExprKind::List(_) => "a list".to_owned(),
            ExprKind::Name(name) => format!("`{name}`"),
            _ => return None,
        };
        let new = match &ty.kind {
            TypeKind::Option(inner) => return self.wrong_value(inner, value),
            TypeKind::Set(inner) => self.as_set(inner, value)?,
            TypeKind::Bool => match &*value.kind {
                ExprKind::Number(number) if number == "1" => Some(ExprKind::Bool(true)),
                ExprKind::Number(number) if number == "0" => Some(ExprKind::Bool(false)),
                ExprKind::Str(text) => text.parse().ok().map(ExprKind::Bool),
                ExprKind::Number(_) | ExprKind::List(_) => None,
                _ => return None,
            },
            TypeKind::Expr(of) => self.as_element(of, value)?,
            TypeKind::List(_) | TypeKind::Tuple(_) => return None,
        };
        Some(WrongValue { word, new })
    }

    /// The element of a type that a value stands for; `None` where it may be one itself.
    fn as_element(&self, of: &Expr, value: &Expr) -> Option<Option<ExprKind>> {
        if matches!(&*of.kind, ExprKind::Range(..)) {
            return match &*value.kind {
                ExprKind::Str(text) => {
                    Some(text.parse::<u32>().ok().map(|number| ExprKind::Number(number.to_string())))
                }
                ExprKind::Bool(_) | ExprKind::List(_) => Some(None),
                _ => None,
            };
        }
        let members = self.declared.members.get(of.as_name()?)?;
        match &*value.kind {
            ExprKind::Str(text) => Some(members.contains(text).then(|| ExprKind::Name(text.clone()))),
            ExprKind::Name(name) => {
                let is_other = self.declared.members.values().any(|others| others.contains(name));
                let is_declared = self.own.sets.contains_key(name)
                    || self.declared.values.contains_key(name)
                    || self.declared.others.contains(name);
                (is_other && !members.contains(name) && !is_declared).then_some(None)
            }
            _ => Some(None),
        }
    }

    /// The set that a value stands for; `None` where it may be one itself.
    fn as_set(&self, inner: &Type, value: &Expr) -> Option<Option<ExprKind>> {
        let TypeKind::Expr(of) = &inner.kind else { return None };
        let name_of = |name: &str| Expr::new(ExprKind::Name(name.to_owned()), value.span);
        let is_range = matches!(&*of.kind, ExprKind::Range(..));
        let members = of.as_name().and_then(|of| self.declared.members.get(of));
        let has = |name: &str| members.is_some_and(|members| members.iter().any(|member| member == name));
        Some(match &*value.kind {
            ExprKind::Str(text) if has(text) => Some(ExprKind::Set(vec![name_of(text)])),
            ExprKind::Str(text) => {
                let mut letters: Vec<String> = Vec::new();
                for letter in text.chars().map(String::from) {
                    if !letters.contains(&letter) {
                        letters.push(letter);
                    }
                }
                let are_members = !letters.is_empty() && letters.iter().all(|letter| has(letter));
                are_members.then(|| ExprKind::Set(letters.iter().map(|letter| name_of(letter)).collect()))
            }
            ExprKind::Number(_) => is_range.then(|| ExprKind::Set(vec![value.clone()])),
            ExprKind::List(elements) => Some(ExprKind::Set(elements.clone())),
            ExprKind::Bool(_) => None,
            _ => return None,
        })
    }

    /// Returns true for a name that is a cell of a board with columns and rows.
    fn is_cell(&self, name: &str) -> bool {
        let board = match (self.own.sets.get(name), self.declared.values.get(name)) {
            (Some(Some(set)), _) => Some(set.as_str()),
            (None, Some((_, Some(ty)))) => match &ty.kind {
                TypeKind::Expr(of) => of.as_name(),
                _ => None,
            },
            _ => None,
        };
        board.is_some_and(|board| self.declared.flat_boards.contains(board))
    }
}

/// Collects the results of a choice.
fn results<'e>(value: &'e mut Expr, leaves: &mut Vec<&'e mut Expr>) {
    let is_choice = matches!(
        &*value.kind,
        ExprKind::If(..) | ExprKind::Match(..) | ExprKind::Paren(_) | ExprKind::Let(..)
    );
    if !is_choice {
        leaves.push(value);
        return;
    }
    match &mut *value.kind {
        ExprKind::If(_, yes, no) => {
            results(yes, leaves);
            results(no, leaves);
        }
        ExprKind::Match(_, arms) => arms.iter_mut().for_each(|arm| results(&mut arm.value, leaves)),
        ExprKind::Paren(inner) | ExprKind::Let(_, _, inner) => results(inner, leaves),
        _ => {}
    }
}

/// A type as it is written.
fn type_in_words(ty: &Type) -> String {
    match &ty.kind {
        TypeKind::Bool => "bool".to_owned(),
        TypeKind::Set(inner) => format!("set of {}", type_in_words(inner)),
        TypeKind::List(inner) => format!("list of {}", type_in_words(inner)),
        TypeKind::Option(inner) => format!("{}?", type_in_words(inner)),
        TypeKind::Tuple(members) => {
            let members: Vec<String> = members.iter().map(type_in_words).collect();
            format!("({})", members.join(", "))
        }
        TypeKind::Expr(of) => print_expr(of),
    }
}

/// The search for cells that are taken apart.
struct CellPatterns<'d> {
    values: ValueForms<'d>,
    found: Vec<Diagnostic>,
}

/// The column and the row of a cell that a pattern names.
struct CellParts {
    /// The two names with their terms, in the order of the pattern.
    parts: [(Name, Expr); 2],
    found: Diagnostic,
}

impl CellPatterns<'_> {
    /// Reads `(x, y) = here` as `x = here.col` and `y = here.row`, with `join` between them.
    fn parts_of_a_cell(&self, pattern: &Pattern, value: &Expr, join: &str) -> Option<CellParts> {
        let Pattern::Tuple(names, span) = pattern else { return None };
        let [Pattern::Name(first), Pattern::Name(second)] = &names[..] else { return None };
        let cell = value.as_name().filter(|name| self.values.is_cell(name))?;
        let is_column = |name: &Name| name.text.to_ascii_lowercase().starts_with(['x', 'c']);
        let is_row = |name: &Name| name.text.to_ascii_lowercase().starts_with(['y', 'r']);
        let is_turned = is_row(first) && is_column(second);
        let is_sure = is_turned || is_column(first) && is_row(second);
        let words = if is_turned { ["row", "col"] } else { ["col", "row"] };
        let new = |name: &Name, part: &str| format!("{} = {cell}.{part}", name.text);
        let new = format!("{}{join} let {}", new(first, words[0]), new(second, words[1]));
        let title = "a cell is one value: its column and its row are parts of it";
        let found = Diagnostic::new(Code::E0201, title, *span, "");
        let found = match is_sure {
            true => found.help(format!("write `let {new}{join}`")).edit(span.to(value.span), new),
            false => found.help(format!("write `let {new}{join}`, or the other way round")),
        };
        let part = |name: &Name, part: &str| {
            let word = Name { text: part.to_owned(), span: value.span };
            (name.clone(), Expr::new(ExprKind::Part(value.clone(), word), value.span))
        };
        Some(CellParts { parts: [part(first, words[0]), part(second, words[1])], found })
    }
}

impl TermVisitor for CellPatterns<'_> {
    fn block(&mut self, stmts: &mut Vec<Stmt>) {
        let mut at = 0;
        while at < stmts.len() {
            let StmtKind::Let(pattern, value) = &stmts[at].kind else {
                at += 1;
                continue;
            };
            let Some(CellParts { parts, found }) = self.parts_of_a_cell(pattern, value, ";") else {
                at += 1;
                continue;
            };
            let span: Span = stmts[at].span;
            let new = parts.map(|(name, part)| Stmt { kind: StmtKind::Let(Pattern::Name(name), part), span });
            stmts.splice(at..=at, new);
            self.found.push(found);
            at += 2;
        }
    }

    fn term(&mut self, term: &mut Expr) {
        let ExprKind::Let(pattern, value, body) = &*term.kind else { return };
        let Some(CellParts { parts, found }) = self.parts_of_a_cell(pattern, value, ":") else { return };
        let [(first, column), (second, row)] = parts;
        let inner = Expr::new(ExprKind::Let(Pattern::Name(second), row, body.clone()), body.span);
        *term.kind = ExprKind::Let(Pattern::Name(first), column, inner);
        self.found.push(found);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn lists_stand_in_square_brackets() {
        let text = |value: &str| {
            format!(
                "param start: list of 0..4 = {value};\npreset small \"Small\" {{ start = {value}; }}\n\
                 expect first wins with start = {value};\n"
            )
        };
        assert_eq!(mended(&text("(1, 2, 3)")), text("[1, 2, 3]"));
        assert_eq!(titles(&text("(1, 2, 3)")).len(), 3);
        let constant = |value: &str| format!("const sizes = {value};\ndef f = sizes[1];\n");
        assert_eq!(mended(&constant("(1, 2, 3)")), constant("[1, 2, 3]"));
        for sound in
            ["const pair = (1, 2);\ndef f = pair = (1, 2);\n", "const l: list of (0..3, 0..3) = [(1, 2)];\n"]
        {
            assert!(titles(sound).is_empty(), "{sound}");
        }
    }

    #[test]
    fn arms_have_the_declared_type() {
        let text = |ty: &str, arms: [&str; 2]| {
            format!(
                "players Ann, Bob;\nenum Letter {{ A, R, T }}\nenum Kind {{ man, king }}\n\
                 const v[k: Kind]: {ty} = match k {{ man => {}, king => {} }};\n",
                arms[0], arms[1]
            )
        };
        for (ty, old, new) in [
            ("set of Letter", ["\"ART\"", "{ A }"], ["{ A, R, T }", "{ A }"]),
            ("set of 1..3", ["{ 2 }", "1"], ["{ 2 }", "{ 1 }"]),
            ("set of Letter", ["[A, T]", "{ A }"], ["{ A, T }", "{ A }"]),
            ("1..3", ["\"1\"", "2"], ["1", "2"]),
            ("Player", ["\"Ann\"", "Bob"], ["Ann", "Bob"]),
            ("Player?", ["none", "\"Bob\""], ["none", "Bob"]),
            ("bool", ["1", "false"], ["true", "false"]),
        ] {
            assert_eq!(mended(&text(ty, old)), text(ty, new));
            assert_eq!(titles(&text(ty, old)).len(), 1, "{old:?}");
            assert!(titles(&text(ty, new)).is_empty(), "{new:?}");
        }
        for (ty, arms) in
            [("Kind", ["Ann", "king"]), ("1..3", ["true", "2"]), ("set of 1..3", ["\"x\"", "{ 1 }"])]
        {
            assert_eq!(titles(&text(ty, arms)).len(), 1, "{arms:?}");
            assert_eq!(mended(&text(ty, arms)), text(ty, arms));
        }
        assert_eq!(helps(&text("Kind", ["Ann", "king"])), ["its values are man, king"]);
        let branch =
            |yes: &str| format!("players A, B;\ndef f(k: 1..3): Player = if k = 1 then {yes} else B;\n");
        assert_eq!(mended(&branch("\"A\"")), branch("A"));
    }

    #[test]
    fn cells_have_a_column_and_a_row() {
        let text = |clause: &str| {
            format!(
                "board Cell = grid(3, 3);\nstate {{ here: Cell = a1; }}\n\
                 move go(c: Cell) as \"{{c}}\" {{ {clause} here := c; }}\n"
            )
        };
        for (old, new) in [
            ("let (x, y) = here;", "let x = here.col; let y = here.row;"),
            ("let (row, col) = c;", "let row = c.row; let col = c.col;"),
            ("when let (x, y) = c: x > y;", "when let x = c.col: let y = c.row: x > y;"),
        ] {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)).len(), 1, "{old}");
        }
        let unsure = text("let (a, b) = here;");
        assert_eq!(mended(&unsure), unsure);
        assert!(helps(&unsure)[0].ends_with("or the other way round"), "{:?}", helps(&unsure));
        assert!(titles("def f(p: (1..3, 1..3)) = let (x, y) = p: x = y;\n").is_empty());
    }
}
