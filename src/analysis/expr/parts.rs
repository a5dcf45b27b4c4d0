//! `e.name`: parts of records, properties of cells, members of types.

use super::decided::literal;
use crate::analyzer::Analyzer;
use crate::effects::PARTS_OF_TUPLES;
use crate::files::AnalyzedFile;
use crate::foreign_names;
use crate::locals::Locals;
use crate::symbols::{SymbolKind, UseKind};
use bouton_base::source::Span;
use bouton_rules::{BoardFn, BoardId, EnumKind, Expr, ExprKind, PLAYER, RecordId, Type, Value};
use bouton_syntax::ast::{self, Name};
use bouton_syntax::diag::{self, Code, Diagnostic};

/// The properties of a cell.
pub(super) const CELL_PARTS: &[(&str, BoardFn)] = &[
    ("col", BoardFn::Col),
    ("row", BoardFn::Row),
    ("level", BoardFn::Level),
    ("index", BoardFn::Index),
    ("reading", BoardFn::Reading),
    ("neighbors", BoardFn::Neighbors),
    ("diagonals", BoardFn::Diagonals),
    ("around", BoardFn::Around),
    ("transpose", BoardFn::Transpose),
    ("sides", BoardFn::Sides),
    ("edges", BoardFn::Edges),
];

/// The help on `c.forward`.
const NEXT_CELL: &str = "a step is written `+`: `c + d` is the next cell from `c` in the direction `d`; a direction for each \
    player is a table, `const ahead[p: Player]: Dir = match p { ... };`, and the step of the mover `c + ahead[me]`";

impl<'a> Analyzer<'a> {
    /// Reports `score.A` for `score[A]`; returns true if it is that.
    fn key_as_a_part(&mut self, name: &str, base: Span, part: &Name) -> bool {
        let Some(id) = self.find(name, base).and_then(|key| self.field_of(key)) else { return false };
        let [key] = &self.rules.fields[id].keys[..] else { return false };
        let Type::Sym(of) = key.ty.base() else { return false };
        if !self.rules.enums[*of].members.contains(&part.text) {
            return false;
        }
        let title = format!("the key of a field stands in brackets: `{name}[{}]`", part.text);
        let found = Diagnostic::new(Code::E0102, title, base.to(part.span), "");
        let between = Span { start: base.end, end: part.span.start, ..base };
        let end = Span { start: part.span.end, ..part.span };
        self.report(found.help(format!("write `{name}[{}]`", part.text)).edit(between, "[").edit(end, "]"));
        true
    }

    /// Reports `me.score` for `score[me]`, where `ty` is the type of the owner and `words` are its words; returns true if
    /// it is that.
    pub fn field_as_a_part(&mut self, ty: &Type, part: &Name, owner: Span, words: &str) -> bool {
        let Some(id) = self.find(&part.text, part.span).and_then(|key| self.field_of(key)) else {
            return false;
        };
        let [key] = &self.rules.fields[id].keys[..] else { return false };
        if !matches!(ty.base(), Type::Sym(_)) || ty.base() != key.ty.base() {
            return false;
        }
        let title = format!("values have no fields: the key of `{}` stands in brackets", part.text);
        let between = Span { start: owner.end, ..part.span };
        let found = Diagnostic::new(Code::E0102, title, owner.to(part.span), "");
        let found = found.help(format!("write `{}[{words}]`", part.text));
        self.report(
            found.edit(Span { end: owner.start, ..owner }, format!("{}[", part.text)).edit(between, "]"),
        );
        true
    }

    /// Reports `my.score` for `score[me]`; returns true if it is that.
    fn field_of_an_owner(&mut self, owner: &str, base: Span, part: &Name) -> bool {
        let player = match owner {
            "my" | "mine" | "own" | "our" | "My" => "me",
            "their" | "theirs" | "your" | "his" | "enemy" | "Their" => "opponent",
            _ => return false,
        };
        let Some(id) = self.find(&part.text, part.span).and_then(|key| self.field_of(key)) else {
            return false;
        };
        let [key] = &self.rules.fields[id].keys[..] else { return false };
        if *key.ty.base() != Type::Sym(PLAYER) || self.find(owner, base).is_some() {
            return false;
        }
        let new = format!("{}[{player}]", part.text);
        let title = format!("values have no fields: the key of `{}` stands in brackets", part.text);
        let span = base.to(part.span);
        self.report(
            Diagnostic::new(Code::E0102, title, span, "").help(format!("write `{new}`")).edit(span, new),
        );
        true
    }

    /// `e.name`
    pub fn part(&mut self, base: &ast::Expr, part: &Name, span: Span, locals: &mut Locals) -> Expr {
        if let Some(library) = self.library(base, locals) {
            return match self.declared_in(library, base, part) {
                Some(name) => self.symbol(name, span, locals),
                None => self.poison(span),
            };
        }
        if let Some(made) = self.member_of_type(base, part, span, locals) {
            return made;
        }
        if let Some(owner) = base.as_name().filter(|name| !locals.has(name))
            && self.field_of_the_program(owner, base.span, part)
        {
            return self.poison(span);
        }
        if let Some(owner) = base.as_name().filter(|name| !locals.has(name))
            && self.find(owner, base.span).is_none()
            && self.repetition_as_a_condition(&part.text, base.span)
        {
            return self.poison(span);
        }
        if let Some(name) = base.as_name().filter(|name| !locals.has(name))
            && (self.key_as_a_part(name, base.span, part) || self.field_of_an_owner(name, base.span, part))
        {
            return self.poison(span);
        }
        let made = self.expr(base, None, locals);
        let made = self.present(made);
        let is_property = CELL_PARTS.iter().any(|(name, _)| *name == part.text);
        if !is_property && self.field_as_a_part(&made.ty, part, base.span, &bouton_syntax::print_expr(base)) {
            return self.poison(span);
        }
        if !is_property && self.step_as_a_part(&made, base, part, locals) {
            return self.poison(span);
        }
        match made.ty.base().clone() {
            Type::Error => self.poison(span),
            Type::Record(id) => self.record_part(made, id, part, span),
            Type::Text => self.text_part(made, part, span),
            Type::Sym(id) => match self.rules.enums[id].kind.clone() {
                EnumKind::Cells(board) => self.cell_part(made, board, part, span),
                EnumKind::Sides(board) if part.text == "boxes" => {
                    let ty = Type::set(Type::Sym(self.rules.boards[board].cells));
                    self.node(ExprKind::Board(BoardFn::Boxes, board, vec![made]), ty, span)
                }
                EnumKind::Edges(board) if part.text == "ends" => {
                    let ty = Type::set(Type::Sym(self.rules.boards[board].cells));
                    self.node(ExprKind::Board(BoardFn::Ends, board, vec![made]), ty, span)
                }
                EnumKind::Edges(_) => self.no_part_of_an_edge(&made, base, part),
                EnumKind::Sides(_) => self.no_part(&made, part, &["boxes"]),
                _ => self.no_part(&made, part, &[]),
            },
            Type::Set(_) | Type::List(_) if is_size(&part.text) => {
                let form = super::foreign_calls::size_of(base);
                let found =
                    Diagnostic::new(Code::E0101, "the number of elements is written `#`", part.span, "");
                self.report(found.help(format!("write `{form}`")).edit(span, form));
                self.poison(span)
            }
            _ => {
                let no_part = self.no_part(&made, part, &[]);
                self.help_of_the_set(&made.ty, base);
                no_part
            }
        }
    }

    /// `l.name`: a name of a library with a prefix; reports a name that the library does not declare.
    fn declared_in(&mut self, library: &'a AnalyzedFile, base: &ast::Expr, part: &Name) -> Option<&'a str> {
        let name = self.find_in(library, &part.text, part.span);
        match name {
            Some(name) => self.use_symbol(name, UseKind::Read),
            None => self.not_in_library(base.as_name().unwrap_or_default(), library, part),
        }
        name
    }

    /// Reports `self.at`, `this.at`: fields have no owner. Returns true if that is what stands here.
    pub fn field_of_the_program(&mut self, owner: &str, at: Span, part: &Name) -> bool {
        let is_owner = matches!(owner, "self" | "this" | "state" | "game" | "board" | "position");
        let is_field = self.is_kind(&part.text, |kind| matches!(kind, SymbolKind::Field { .. }));
        if !is_owner || !is_field || self.find(owner, at).is_some() {
            return false;
        }
        let title = format!("a field is named without `{owner}.`");
        let found = Diagnostic::new(Code::E0101, title, at, "");
        let prefix = Span { end: part.span.start, ..at };
        self.report(found.help(format!("write `{}`", part.text)).edit(prefix, ""));
        true
    }

    /// `Cell.a1`, `Kind.king`: a member by its type.
    fn member_of_type(
        &mut self,
        base: &ast::Expr,
        part: &Name,
        span: Span,
        locals: &mut Locals,
    ) -> Option<Expr> {
        let is_record = |name| self.is_kind(name, |k| matches!(k, SymbolKind::Record { .. }));
        if self.declared(base, locals).is_some_and(is_record) {
            return None;
        }
        let Type::Sym(id) = self.named_type(base, locals)?.base().clone() else { return None };
        match self.rules.enums[id].member(&part.text) {
            Some(index) => {
                self.use_member((id, index), part.span);
                Some(self.value(Value::Sym(id, index), Type::Sym(id), span))
            }
            None => {
                let code = match self.rules.enums[id].kind {
                    EnumKind::Cells(_) => Code::E0106,
                    _ => Code::E0101,
                };
                let title = format!("`{}` has no member `{}`", self.rules.enums[id].name, part.text);
                let mut found = Diagnostic::new(code, title, part.span, "no such member");
                let is_made_of_a_board = matches!(part.text.as_str(), "edges" | "sides")
                    && matches!(self.rules.enums[id].kind, EnumKind::Cells(_));
                if is_made_of_a_board {
                    let form = format!("{}({})", part.text, bouton_syntax::print_expr(base));
                    found = found.help(format!("write `{form}`")).edit(base.span.to(part.span), form);
                    self.report(found);
                    return Some(self.poison(span));
                }
                let members = self.rules.enums[id].members.iter().map(String::as_str);
                if let Some(near) = diag::nearest(&part.text, members) {
                    found = found.help(format!("did you mean `{near}`?"));
                }
                self.report(found);
                Some(self.poison(span))
            }
        }
    }

    fn record_part(&mut self, made: Expr, id: RecordId, part: &Name, span: Span) -> Expr {
        let parts = &self.rules.records[id].parts;
        match parts.iter().position(|(name, _)| *name == part.text) {
            Some(index) => {
                let ty = parts[index].1.clone();
                self.refer_to_part(id, index, part.span);
                self.node(ExprKind::Part(made, index as u32), ty, span)
            }
            None => {
                let names: Vec<String> = parts.iter().map(|(n, _)| n.clone()).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                self.no_part(&made, part, &names)
            }
        }
    }

    /// `level.rows`, `level.columns`: the size of a picture in a string.
    fn text_part(&mut self, made: Expr, part: &Name, span: Span) -> Expr {
        let Some(Value::Text(text)) = made.constant() else { return self.poison(span) };
        let (rows, columns) = self.picture_size(text);
        let size = match part.text.as_str() {
            "rows" => rows as i64,
            "columns" => columns as i64,
            _ => return self.no_part(&made, part, &["rows", "columns"]),
        };
        self.value(Value::Int(size), Type::Int(size, size), span)
    }

    fn cell_part(&mut self, made: Expr, board: BoardId, part: &Name, span: Span) -> Expr {
        let Some(&(_, function)) = CELL_PARTS.iter().find(|(name, _)| *name == part.text) else {
            let of = &self.rules.boards[board];
            let is_missing = |function: BoardFn| match function {
                BoardFn::Col => has_no_value(&of.col),
                BoardFn::Row => has_no_value(&of.row),
                BoardFn::Level => has_no_value(&of.level),
                _ => false,
            };
            let known = CELL_PARTS.iter().filter(|(_, function)| !is_missing(*function));
            let names: Vec<&str> = known.map(|(name, _)| *name).collect();
            return self.no_part(&made, part, &names);
        };
        let of = &self.rules.boards[board];
        let cell = Type::Sym(of.cells);
        let cells = of.len() as i64;
        let ty = match function {
            BoardFn::Col => of.col.clone(),
            BoardFn::Row => of.row.clone(),
            BoardFn::Level => of.level.clone(),
            BoardFn::Index | BoardFn::Reading => Type::Int(1, cells),
            BoardFn::Transpose => cell,
            BoardFn::Sides | BoardFn::Edges => {
                Type::set(Type::Sym(self.sides_enum(board, function == BoardFn::Sides)))
            }
            _ => Type::set(cell),
        };
        if has_no_value(&ty) {
            let title = format!("the cells of `{}` have no `{}`", self.rules.boards[board].name, part.text);
            self.error(Code::E0101, title, part.span, "this board has no such coordinates");
            return self.poison(span);
        }
        if function == BoardFn::Diagonals {
            self.no_diagonals(board, part);
        }
        self.node(ExprKind::Board(function, board, vec![made]), ty, span)
    }

    /// `c.leap(i, j)`, the only part that can be called.
    pub fn method(
        &mut self,
        base: &ast::Expr,
        part: &Name,
        args: &[ast::Expr],
        span: Span,
        locals: &mut Locals,
    ) -> Expr {
        if let Some(library) = self.library(base, locals) {
            self.declared_in(library, base, part);
            return self.poison(span);
        }
        if let Some(module) = base.as_name()
            && matches!(module, "Math" | "math" | "random" | "Random" | "System" | "console" | "os" | "np")
            && self.declared(base, locals).is_none()
            && !self.options.damaged
        {
            let title = format!("there is no `{module}`: functions stand alone");
            let found = Diagnostic::new(Code::E0101, title, base.span, "");
            self.report(match (module, part.text.as_str()) {
                (_, function @ ("max" | "min")) => found.help(format!("write `{function}(a, b)`")),
                ("random" | "Random", _) | (_, "random") => found.help(foreign_names::CHANCE),
                (_, function) => match foreign_names::function_help(function) {
                    Some(help) => found.help(help),
                    None => found.help("numbers have `+`, `-`, `*`, `/`, `mod`, `min(a, b)` and `max(a, b)`"),
                },
            });
            return self.poison(span);
        }
        if self.function_of_a_board(base, part, args, span, locals) {
            return self.poison(span);
        }
        let made = self.expr(base, None, locals);
        let made = self.present(made);
        if made.ty == Type::Error {
            return made;
        }
        if matches!(made.ty.base(), Type::Set(_)) && self.contains_as_a_method(base, part, args, span) {
            return self.poison(span);
        }
        if self.element_by_a_method(base, &made.ty, part, args) {
            return self.poison(span);
        }
        if self.board_of(&made.ty).is_none() {
            let no_part = self.no_part(&made, part, &[]);
            self.help_of_the_set(&made.ty, base);
            return no_part;
        }
        if self.step_by_a_method(base, part, args, span, locals) {
            return self.poison(span);
        }
        if CELL_PARTS.iter().any(|(name, _)| *name == part.text) {
            let cell = bouton_syntax::print_expr(base);
            let title = format!("`{}` is a part of a cell, and is not called", part.text);
            let found = Diagnostic::new(Code::E0102, title, part.span, "without brackets");
            let help = match args {
                [one] if literal(one) == Some(2) && part.text == "neighbors" => format!(
                    "the cells two steps away are the neighbors of its neighbors: `some x in {cell}.neighbors: ... in \
                     x.neighbors`"
                ),
                [one] if part.text != "col" && part.text != "row" => {
                    format!("write `{} in {cell}.{}`", bouton_syntax::print_expr(one), part.text)
                }
                _ => format!("write `{cell}.{}`", part.text),
            };
            self.report(found.help(help));
            return self.poison(span);
        }
        let (Some(board), "leap") = (self.board_of(&made.ty), part.text.as_str()) else {
            return self.no_part(&made, part, &["leap"]);
        };
        let whole = Type::Int(i64::MIN, i64::MAX);
        let types = [whole.clone(), whole];
        let Some(mut args) = self.arguments("leap", args, &types, span, locals) else {
            return self.poison(span);
        };
        args.insert(0, made);
        let ty = Type::set(Type::Sym(self.rules.boards[board].cells));
        self.node(ExprKind::Board(BoardFn::Leap, board, args), ty, span)
    }

    /// Reports `e.from` of an edge, whose ends have no order.
    fn no_part_of_an_edge(&mut self, made: &Expr, base: &ast::Expr, part: &Name) -> Expr {
        if part.text == "boxes" && self.edges_for_sides(made, part) {
            return self.poison(made.span);
        }
        if diag::nearest(&part.text, ["ends"]).is_some() && part.text != "end" {
            return self.no_part(made, part, &["ends"]);
        }
        let (what, edge) = (self.describe_type(&made.ty), bouton_syntax::print_expr(base));
        let title = format!("{what} has no part `{}`", part.text);
        let found = Diagnostic::new(Code::E0101, title, part.span, "");
        let found = found.label(made.span, format!("this is {what}"));
        self.report(found.help(format!(
            "an edge has `.ends`, the set of its two points: `some a in {edge}.ends: ...` asks for one of them, `some a in \
             {edge}.ends: a != b and ...` for the one that is not `b`"
        )));
        self.poison(made.span)
    }

    /// Writes a set in place of the letter `S` in the help of the last report.
    fn help_of_the_set(&mut self, ty: &Type, base: &ast::Expr) {
        let Some(found) = self.diagnostics.last_mut().filter(|_| matches!(ty.base(), Type::Set(_))) else {
            return;
        };
        let Some(help) = found.help.as_mut().filter(|_| found.code == Code::E0101) else { return };
        let term = bouton_syntax::print_expr(base);
        for (letter, new) in [
            ("in S", format!("in {term}")),
            ("`S ", format!("`{term} ")),
            ("#S", format!("#{term}")),
            ("(S)", format!("({term})")),
        ] {
            *help = help.replace(letter, &new);
        }
    }

    /// Returns true for a word for the cell before a player, on a board with directions.
    fn is_next_cell(&self, ty: &Type, word: &str) -> bool {
        let is_step = matches!(
            word.to_ascii_lowercase().as_str(),
            "forward"
                | "forwards"
                | "ahead"
                | "front"
                | "in_front"
                | "backward"
                | "backwards"
                | "behind"
                | "back"
        );
        is_step && self.board_of(ty).is_some() && !self.rules.enums[bouton_rules::DIR].members.is_empty()
    }

    fn no_part(&mut self, made: &Expr, part: &Name, names: &[&str]) -> Expr {
        // A record with two parts of one name is reported where it is declared.
        if has_repeated(names) {
            return self.poison(made.span);
        }
        let what = self.describe_type(&made.ty);
        let title = format!("{what} has no part `{}`", part.text);
        let found = Diagnostic::new(Code::E0101, title, part.span, "");
        let found = found.label(made.span, format!("this is {what}"));
        if self.board_of(&made.ty).is_some()
            && let Some(dir) = self.direction_called(&part.text)
        {
            let help = format!("a step is written `+`: `... + {dir}` is the next cell in that direction");
            let tail = Span { start: made.span.end, ..part.span };
            self.report(found.help(help).edit(tail, format!(" + {dir}")));
            return self.poison(made.span);
        }
        if let Type::Tuple(types) = made.ty.present().base().clone() {
            if !self.tuple_for_a_record(&types, part, made.span) {
                self.report(found.help(PARTS_OF_TUPLES));
            }
            return self.poison(made.span);
        }
        if let Type::List(element) = made.ty.base()
            && matches!(part.text.to_ascii_lowercase().as_str(), "index" | "indexof" | "index_of" | "find")
            && matches!(element.base(), Type::Sym(_))
        {
            self.report(found.help(
                "members of an `enum` are ordered as they are declared: compare them, `a > b`, or give them numbers by a table, \
                 `const rank[k: KIND]: 0..9 = match k { ... };`",
            ));
            return self.poison(made.span);
        }
        if let Some(help) = self.rank_as_a_part(&made.ty, part) {
            self.report(found.help(help));
            return self.poison(made.span);
        }
        if let Some(help) = self.one_value_for_all(&made.ty, &part.text, part.span) {
            self.report(found.help(help));
            return self.poison(made.span);
        }
        let is_set = matches!(made.ty.base(), Type::Set(_));
        let help = foreign_names::part_help(&part.text, is_set, self.board_of(&made.ty).is_some());
        let found = match diag::nearest(&part.text, names.iter().copied()) {
            Some(near) => found.help(format!("did you mean `.{near}`?")).edit(part.span, near),
            None if self.is_next_cell(&made.ty, &part.text) => found.help(NEXT_CELL),
            None if help.is_some() => found.help(help.unwrap_or_default()),
            None if made.ty == Type::Text && matches!(part.text.as_str(), "width" | "height") => {
                let new = if part.text == "width" { "columns" } else { "rows" };
                found.help(format!("the {} of a picture is `.{new}`", part.text)).edit(part.span, new)
            }
            None if matches!(made.ty.present().base(), Type::Int(..)) => found.help(format!(
                "a number has no parts: leave `.{}` out, or name the field that has it",
                part.text
            )),
            None if names.is_empty() => found,
            None => found.help(format!("it has .{}", names.join(", ."))),
        };
        self.report(found);
        self.poison(made.span)
    }
}

/// Returns true for the type of a coordinate that a board does not have.
fn has_no_value(ty: &Type) -> bool {
    *ty == Type::Never || ty.interval().is_some_and(|(least, most)| least > most)
}

/// Returns true if two of the names of a record are the same.
pub(crate) fn has_repeated<T: PartialEq>(names: &[T]) -> bool {
    names.iter().enumerate().any(|(at, name)| names[..at].contains(name))
}

/// Returns true if a part is the number of elements in other languages.
fn is_size(part: &str) -> bool {
    matches!(part, "size" | "length" | "count" | "len" | "Length" | "Count")
}
