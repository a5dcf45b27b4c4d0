//! Calls: definitions, constructors, the functions of boards.

use std::sync::Arc;

use crate::analyzer::Analyzer;
use crate::foreign_names;
use crate::locals::Locals;
use crate::symbols::{ConstValue, SymbolKind, UseKind};
use bouton_base::source::Span;
use bouton_rules::{
    Arith, BoardFn, BoardId, ConstTable, Expr, ExprKind, Fold, KeyDomain, PLAYER, TableId, Type, Value,
};
use bouton_syntax::ast;
use bouton_syntax::diag::{self, Code, Diagnostic};

/// A call, apart from the name that is called.
#[derive(Clone, Copy)]
struct CallSite<'e> {
    args: &'e [ast::Expr],
    /// The place of the called name.
    callee: Span,
    /// The whole call.
    span: Span,
    /// The expected type, a hint.
    want: Option<&'e Type>,
}

impl<'a> Analyzer<'a> {
    /// `f(e, ...)`
    pub fn call(
        &mut self,
        callee: &ast::Expr,
        args: &[ast::Expr],
        span: Span,
        want: Option<&Type>,
        locals: &mut Locals,
    ) -> Expr {
        let site = CallSite { args, callee: callee.span, span, want };
        // A variable cannot be called, so it hides no name here.
        let declared = match callee.as_name() {
            Some(name) => self.find(name, callee.span),
            None => self.declared(callee, locals),
        };
        if declared.is_none() && self.direction_called_as_a_function(callee, args, span, locals) {
            return self.poison(span);
        }
        if let Some(key) = declared {
            return self.call_symbol(key, site, locals);
        }
        if let ast::ExprKind::Part(base, part) = &*callee.kind {
            return self.method(base, part, args, span, locals);
        }
        let Some(name) = callee.as_name() else {
            let label = "a name is needed before `(`";
            let found = Diagnostic::new(Code::E0102, "this cannot be called", callee.span, label);
            self.report(match foreign_names::called_term_help(callee) {
                Some(help) => found.help(help),
                None => found,
            });
            return self.poison(span);
        };
        self.call_built_in(name, site, locals)
    }

    fn call_symbol(&mut self, name: &'a str, site: CallSite, locals: &mut Locals) -> Expr {
        let CallSite { args, callee: at, span, .. } = site;
        match self.symbols[name].kind.clone() {
            SymbolKind::Def { .. } | SymbolKind::Inductive { .. } => {
                self.call_def(name, args.to_vec(), span, locals)
            }
            SymbolKind::Record { .. } => {
                self.use_symbol(name, UseKind::Read);
                let Some(id) = self.record(name, at) else { return self.poison(span) };
                let types: Vec<Type> = self.rules.records[id].parts.iter().map(|(_, t)| t.clone()).collect();
                let Some(args) = self.arguments(name, args, &types, span, locals) else {
                    return self.poison(span);
                };
                self.node(ExprKind::Tuple(Some(id), args), Type::Record(id), span)
            }
            SymbolKind::Board { .. } => {
                self.use_symbol(name, UseKind::Read);
                let Some(id) = self.board(name, at) else { return self.poison(span) };
                if self.step_by_coordinates(args, span, locals) {
                    return self.poison(span);
                }
                self.cell_at(name, id, args, span, locals)
            }
            _ if super::BUILT_IN_NAMES.contains(&name) && !self.is_callable(name) => {
                self.call_built_in(name, site, locals)
            }
            SymbolKind::Field { .. } if self.element_in_a_call(name, args, span, locals) => self.poison(span),
            kind => {
                let declared = self.symbols[name].span;
                let word = kind.word_with_article();
                let title = match kind {
                    SymbolKind::Effect { .. } => {
                        format!("`{name}` is {word}: its call is a statement, not a value")
                    }
                    _ => format!("`{name}` is {word}: it cannot be called"),
                };
                let mut found = Diagnostic::new(Code::E0102, title, at, word);
                found = found.label(declared, "declared here");
                if let SymbolKind::Effect { .. } = kind {
                    let words: Vec<String> = args.iter().map(bouton_syntax::print_expr).collect();
                    found = found.help(format!(
                        "in the body of a move write `{name}({});`; what is true or has a value is a `def`",
                        words.join(", ")
                    ));
                } else if matches!(kind, SymbolKind::Field { .. } | SymbolKind::Const { .. })
                    || kind.is_list_parameter()
                {
                    let words: Vec<String> = args.iter().map(bouton_syntax::print_expr).collect();
                    found = match (args.first(), args.last()) {
                        (Some(first), Some(last)) => found
                            .help(format!("write `{name}[{}]`", words.join(", ")))
                            .edit(Span { start: at.end, end: first.span.start, ..span }, "[")
                            .edit(Span { start: last.span.end, ..span }, "]"),
                        _ => found.help(format!("write `{name}[...]`")),
                    };
                } else if let Some(sum) = self.step_of_a_call(args, locals) {
                    found = found.help(format!("a step is written `{sum}`")).edit(span, sum);
                }
                self.report(found);
                self.poison(span)
            }
        }
    }

    fn is_callable(&self, name: &str) -> bool {
        self.is_kind(name, |k| {
            matches!(
                k,
                SymbolKind::Def { .. }
                    | SymbolKind::Inductive { .. }
                    | SymbolKind::Record { .. }
                    | SymbolKind::Board { .. }
            )
        })
    }

    /// The arguments, converted to the required types; reports a wrong number.
    pub fn arguments(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        types: &[Type],
        span: Span,
        locals: &mut Locals,
    ) -> Option<Vec<Expr>> {
        let is_unknown = |ty: &Type| *ty.present().base() == Type::Error;
        if args.len() != types.len() && types.iter().any(is_unknown) {
            return None;
        }
        if args.len() != types.len() {
            let form = format!("{name}({})", self.render_types(types));
            let mut found =
                self.wrong_number_of(name, &count(types.len(), "parameter"), args.len(), span, form);
            if let Some(surplus) = args.get(types.len()..).filter(|surplus| !surplus.is_empty()) {
                let ends = |arg: Option<&ast::Expr>| arg.map(|arg| arg.span);
                // Which of the arguments is too much only the writer knows.
                let last = ends(args.last()).unwrap_or(span);
                let first = surplus[0].span;
                let leave_out = match surplus.len() {
                    1 => "leave out the argument that is too much".to_owned(),
                    n => format!("leave out the {n} arguments that are too much"),
                };
                let help = match self.symbols.contains_key(name) && types.is_empty() {
                    true => format!("{leave_out}, or give `{name}` a parameter"),
                    false if self.symbols.contains_key(name) => {
                        format!("{leave_out}, or give `{name}` another parameter")
                    }
                    false => leave_out,
                };
                found = found.label(Span { end: last.end, ..first }, "without a parameter").help(help);
            } else {
                let missing = self.render_types(&types[args.len()..]);
                found = found.help(format!("add the rest, of the type {missing}"));
            }
            self.report(found);
            return None;
        }
        self.coerce_all(name, args, types, locals)
    }

    /// Reports a wrong number of arguments; `form` is a correct call.
    pub(super) fn wrong_number(
        &mut self,
        name: &str,
        wanted: &str,
        given: usize,
        span: Span,
        form: impl Into<String>,
    ) {
        let found = self.wrong_number_of(name, wanted, given, span, form.into());
        self.report(found);
    }

    pub(super) fn wrong_number_of(
        &self,
        name: &str,
        wanted: &str,
        given: usize,
        span: Span,
        form: String,
    ) -> Diagnostic {
        let are = if given == 1 { "1 is".to_string() } else { format!("{given} are") };
        let title = format!("`{name}` has {wanted}; {are} given");
        let mut found = Diagnostic::new(Code::E0104, title, span, form);
        if let Some(symbol) = self.symbols.get(name) {
            found = found.label(symbol.span, "declared here");
        }
        found
    }

    /// Elaborates the arguments of a name and converts each to its type.
    fn coerce_all(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        types: &[Type],
        locals: &mut Locals,
    ) -> Option<Vec<Expr>> {
        let before = self.diagnostics.len();
        let mut made = Vec::new();
        for (place, (arg, ty)) in args.iter().zip(types).enumerate() {
            let first = self.diagnostics.len();
            let value = self.expr_of(arg, ty, locals);
            made.push(self.among_other_values(arg, value, ty, locals));
            self.show_range_of_parameter(name, place, first);
            self.source_of_number(arg, ty, first);
        }
        if made.iter().all(|a| a.ty != Type::Error) {
            return Some(made);
        }
        let found = self.diagnostics.split_off(before);
        match self.exchanged(name, args, types, locals) {
            Some(exchanged) => self.report(exchanged),
            None => self.diagnostics.extend(found),
        }
        None
    }

    /// The types, separated by commas; `number` for integers without bounds.
    pub(super) fn render_types(&self, types: &[Type]) -> String {
        let word = |ty: &Type| match ty {
            Type::Int(i64::MIN, i64::MAX) => "number".to_string(),
            _ => self.rules.show_type(ty),
        };
        types.iter().map(word).collect::<Vec<_>>().join(", ")
    }

    /// Applies a definition.
    pub fn call_def(&mut self, name: &'a str, args: Vec<ast::Expr>, span: Span, locals: &mut Locals) -> Expr {
        self.use_symbol(name, UseKind::Read);
        let Some(id) = self.def(name, span) else {
            // The arguments may have mistakes of their own.
            for arg in &args {
                self.expr(arg, None, locals);
            }
            return self.poison(span);
        };
        let def = &self.rules.defs[id];
        let (ty, uses_me) = (def.ty.clone(), def.uses_me);
        let types: Vec<Type> = def.params.iter().map(|&p| def.vars[p].ty.clone()).collect();
        let reads_state = !self.static_defs.get(&id).copied().unwrap_or(false);
        let Some(args) = self.arguments(name, &args, &types, span, locals) else { return self.poison(span) };
        if reads_state && !self.needs_state(&format!("`{name}`"), span, locals) {
            return self.poison(span);
        }
        if uses_me && !self.moves_in_definition(name, span, locals) {
            return self.poison(span);
        }
        self.node(ExprKind::Call(id, args), ty, span)
    }

    /// `Cell(col, row)`
    fn cell_at(
        &mut self,
        name: &str,
        id: BoardId,
        args: &[ast::Expr],
        span: Span,
        locals: &mut Locals,
    ) -> Expr {
        let whole = Type::Int(i64::MIN, i64::MAX);
        let number = if self.rules.boards[id].level.interval().is_some_and(|(a, b)| a <= b) { 3 } else { 2 };
        if let ([only], 2) = (args, number) {
            self.cell_by_one_number(name, id, only, span);
            return self.poison(span);
        }
        let types = vec![whole; number];
        let words = args;
        let Some(args) = self.arguments(name, args, &types, span, locals) else { return self.poison(span) };
        self.counted_from_zero(id, words, &args, locals);
        self.row_before_column(name, words, span);
        let ty = Type::Sym(self.rules.boards[id].cells);
        let is_constant = args.iter().all(|arg| arg.constant().is_some());
        let made = self.node(ExprKind::Board(BoardFn::At, id, args), ty, span);
        if is_constant && made.constant().is_none() {
            self.off_the_board(name, id, span);
        }
        made
    }

    /// E0104: `Cell(3)`, in place of a column and a row.
    fn cell_by_one_number(&mut self, name: &str, id: BoardId, only: &ast::Expr, span: Span) {
        let form = format!("{name}(column, row)");
        let found = self.wrong_number_of(name, "2 parameters", 1, span, form);
        let shown = bouton_syntax::print_expr(only.bare());
        let is_row = self.rules.boards[id].row.interval() == Some((1, 1));
        self.report(match is_row && !shown.contains("damaged") {
            true => found.help(format!("write `{name}({shown}, 1)`: the board has one row")),
            false => found.help(format!(
                "cells have no numbers of their own: a column and a row give one, as in `{name}(1, 1)`; a cell that is \
                 known has a name, as `a1`; a value that is a cell already needs no conversion"
            )),
        });
    }

    /// W0123: coordinates that the board does not have.
    fn off_the_board(&mut self, name: &str, id: BoardId, span: Span) {
        let board = &self.rules.boards[id];
        let members = &self.rules.enums[board.cells].members;
        let title = "this cell is not on the board, so it never has a value";
        let mut found = Diagnostic::new(Code::W0123, title, span, "always undefined");
        if let (Some(first), Some(last)) = (members.first(), members.last()) {
            let help = format!("columns and rows count from 1: `{name}` has the cells `{first}` to `{last}`");
            found = found.help(help);
        }
        self.report(found);
    }

    fn call_built_in(&mut self, name: &str, site: CallSite, locals: &mut Locals) -> Expr {
        let CallSite { args, callee: at, span, want } = site;
        let player = Type::Sym(PLAYER);
        match name {
            "other" => match self.arguments(name, args, &[player], span, locals) {
                Some(mut args) => self.other(args.remove(0), span),
                None => self.poison(span),
            },
            "stuck" => match self.arguments(name, args, &[player], span, locals) {
                Some(mut args) => self.stuck(Some(args.remove(0)), span, locals),
                None => self.poison(span),
            },
            "dir" => self.board_call(name, BoardFn::Dir, args, span, locals),
            "aligned" => self.board_call(name, BoardFn::Aligned, args, span, locals),
            "diagonal" => self.board_call(name, BoardFn::Diagonal, args, span, locals),
            "orthogonal" => self.board_call(name, BoardFn::Orthogonal, args, span, locals),
            "between" => self.board_call(name, BoardFn::Between, args, span, locals),
            "beyond" => self.board_call(name, BoardFn::Beyond, args, span, locals),
            "ray" => self.board_call(name, BoardFn::Ray, args, span, locals),
            "flood" => self.flood(args, span, locals),
            "lines" => self.lines(args, span, locals),
            "sides" | "edges" => self.sides_or_edges(name, args, span, locals),
            "min" | "max" => self.min_max(name, args, span, want, locals),
            "range" if !self.options.damaged => self.range_call(args, at, span),
            "len" | "size" | "length" | "card" | "count" if self.size_by_a_call(args, at, span, locals) => {
                self.poison(span)
            }
            "abs" if !self.options.damaged && args.len() == 1 => self.absolute_value(&args[0], at, span),
            _ if !self.options.damaged
                && (self.rank_by_a_call(name, args, at, locals)
                    || self.part_as_a_function(name, args, [at, span], locals)
                    || self.foreign_function_of_cells(name, args, at, locals)
                    || self.pieces_by_a_call(name, args, [at, span], locals)
                    || self.word_called(name, args, [at, span], locals)) =>
            {
                self.poison(span)
            }
            _ => {
                let near = diag::nearest(name, self.symbols.keys().copied());
                let other = foreign_names::function_help(name).filter(|_| near.is_none());
                let help = foreign_names::game_language_help(name).or(other);
                match help.filter(|_| !self.options.damaged) {
                    Some(help) => {
                        let title = format!("there is no `{name}` here");
                        self.report(Diagnostic::new(Code::E0101, title, at, "").help(help));
                    }
                    None => {
                        let names = Self::local_names(locals);
                        self.unknown_name(name, at, &names, "a definition");
                    }
                }
                self.poison(span)
            }
        }
    }

    /// `min(a, b)` of numbers or of members of a type, `min(S)` of a set.
    fn min_max(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        span: Span,
        want: Option<&Type>,
        locals: &mut Locals,
    ) -> Expr {
        let min = name == "min";
        let [first, rest @ ..] = args else {
            self.wrong_number(name, "1 parameter or more", 0, span, format!("{name}(a, b)"));
            return self.poison(span);
        };
        if let (ast::ExprKind::List(values), []) = (&*first.bare().kind, rest)
            && let [one, .., last] = &values[..]
        {
            let title = format!("`{name}` compares values, without the brackets of a list");
            let found = Diagnostic::new(Code::E0201, title, first.span, "a list");
            let open = Span { end: one.span.start, ..first.span };
            let close = Span { start: last.span.end, ..first.span };
            self.report(found.help(format!("write `{name}(a, b)`")).edit(open, "").edit(close, ""));
            return self.poison(span);
        }
        let mut made = self.expr(first, want, locals);
        // Values that are no numbers are compared by the order of their type: those of a set, in which nothing is `none`.
        let is_ordered = !rest.is_empty()
            && matches!(
                made.ty.present().base(),
                Type::Sym(_) | Type::Tuple(_) | Type::Record(_) | Type::Bool
            );
        if is_ordered {
            let values = Type::set(made.ty.present().clone());
            made = self.set_literal(args, span, Some(&values), locals);
        }
        if rest.is_empty() || is_ordered {
            let set = self.as_set(made);
            let Some(element) = set.ty.element().cloned() else { return self.poison(span) };
            let var = locals.vars.push(bouton_rules::Var { name: "x".into(), ty: element.clone() });
            let binder = bouton_rules::Binder {
                pattern: bouton_rules::Pattern::Var(var),
                domain: bouton_rules::Domain::Set(set),
                condition: None,
            };
            let body = Expr::new(ExprKind::Var(var), element.clone(), span);
            let fold = if min { Fold::Min } else { Fold::Max };
            return self.node(ExprKind::Fold(fold, vec![binder], body), element, span);
        }
        for next in rest {
            let next = self.expr(next, want, locals);
            made = self.arith(if min { Arith::Min } else { Arith::Max }, made, next, span, locals);
        }
        self.least_of_one_term(name, args, &made, locals);
        made
    }

    /// `f[e, ...]`: an element of a field, a table or a constant list.
    pub fn index(&mut self, base: &ast::Expr, keys: &[ast::Expr], span: Span, locals: &mut Locals) -> Expr {
        if let Some(name) = self.declared(base, locals) {
            match self.symbols[name].kind.clone() {
                SymbolKind::Field { id } => return self.field_at(name, id, keys, span, locals),
                SymbolKind::Const { .. } => {
                    self.use_symbol(name, UseKind::Read);
                    if let Some(ConstValue::Table(table)) = self.const_value(name, base.span) {
                        let made = self.table_at(table, keys, span, locals);
                        let types = self.rules.tables[table].keys.iter().map(|key| key.ty.clone());
                        self.missing_key(name, keys, &types.collect::<Vec<_>>(), locals);
                        return made;
                    }
                }
                SymbolKind::Def { .. } | SymbolKind::Inductive { .. } => {
                    let declared = self.symbols[name].span;
                    let title = format!("`{name}` is a definition: call it, `{name}(...)`");
                    let found = Diagnostic::new(Code::E0102, title, base.span, "round brackets");
                    self.report(found.label(declared, "declared here").help(format!("write `{name}(...)`")));
                    return self.poison(span);
                }
                _ => {}
            }
        }
        if let Some(name) = base.as_name().filter(|name| !locals.has(name))
            && matches!(
                name,
                "min" | "max" | "other" | "ray" | "lines" | "between" | "beyond" | "dir" | "flood" | "stuck"
            )
            && self.find(name, base.span).is_none()
        {
            let title = format!("`{name}` is a function: its arguments stand in round brackets");
            let found = Diagnostic::new(Code::E0102, title, base.span, "round brackets");
            let open =
                keys.first().map_or(span, |key| Span { start: base.span.end, end: key.span.start, ..span });
            let close = keys.last().map_or(span, |key| Span { start: key.span.end, ..span });
            let found = found.help(format!("write `{name}(...)`"));
            self.report(match keys.is_empty() {
                true => found,
                false => found.edit(open, "(").edit(close, ")"),
            });
            return self.poison(span);
        }
        if let ast::ExprKind::Index(field, first) = &*base.kind
            && let Some(SymbolKind::Field { id: Some(id) }) =
                self.declared(field, locals).map(|name| self.symbols[name].kind.clone())
            && self.keys_in_two_brackets(id, first, keys, field.span)
        {
            return self.poison(span);
        }
        if self.cell_in_square_brackets(base, keys, span, locals) || self.near_field(base, keys, locals) {
            return self.poison(span);
        }
        let made = self.expr(base, None, locals);
        match made.constant() {
            Some(Value::List(items)) => {
                let items = items.clone();
                self.missing_element(base, items.len(), keys, locals);
                self.element_by_a_variable(base, keys, locals);
                let table = self.list_table(&items, &made);
                let made = self.table_at(table, keys, span, locals);
                if matches!(&*made.kind, ExprKind::Undefined) {
                    self.missing_elements.push(span);
                }
                made
            }
            _ if made.ty == Type::Error => made,
            _ if matches!(made.ty.base(), Type::Int(..)) => {
                let title = "a number has no keys";
                let found = Diagnostic::new(Code::E0201, title, base.span, "this is a number");
                self.report(
                    found.help("a field of several cells has its key after its name: `left[i: 1..3]: 0..20`"),
                );
                self.poison(span)
            }
            _ if matches!(made.ty.base(), Type::Set(_)) => {
                let title = "the elements of a set have no numbers";
                // `l[1]` is followed by `l[2]` and `l[3]`, which is one mistake.
                let is_told = self.diagnostics.last().is_some_and(|last| {
                    last.title == title
                        && last.span().file == span.file
                        && span.start < last.span().start + 200
                });
                if is_told {
                    return self.poison(span);
                }
                let found = Diagnostic::new(Code::E0201, title, base.span, "this is a set");
                let found = found.help(
                    "`all x in S: f` and `some x in S: f` go through the elements; only a list, `[3, 4, 5]`, has a first one",
                );
                self.report(self.set_at_a_constant(base, found));
                self.poison(span)
            }
            _ => {
                self.wrong_type(base.span, "a field, a table or a list", &made.ty.clone());
                self.parts_for_numbers(&bouton_syntax::print_expr(base), &made.ty);
                self.poison(span)
            }
        }
    }

    fn field_at(
        &mut self,
        name: &'a str,
        id: Option<bouton_rules::FieldId>,
        keys: &[ast::Expr],
        span: Span,
        locals: &mut Locals,
    ) -> Expr {
        self.use_symbol(name, UseKind::Read);
        if !self.needs_state(&format!("the field `{name}`"), span, locals) {
            return self.poison(span);
        }
        let Some(id) = id else { return self.poison(span) };
        self.read_fields.insert(id);
        if self.element_as_a_key(name, keys, span, locals) {
            return self.poison(span);
        }
        let types: Vec<Type> = self.rules.fields[id].keys.iter().map(|k| k.ty.clone()).collect();
        let ty = self.rules.fields[id].ty.clone();
        self.missing_key(name, keys, &types, locals);
        let Some(keys) = self.key_arguments(name, keys, &types, span, locals) else {
            if types.is_empty() {
                self.parts_for_numbers(name, &ty);
            }
            return self.poison(span);
        };
        self.node(ExprKind::Field(id, keys), ty, span)
    }

    fn table_at(&mut self, id: TableId, keys: &[ast::Expr], span: Span, locals: &mut Locals) -> Expr {
        let table = &self.rules.tables[id];
        let (name, ty) = (table.name.clone(), table.ty.clone());
        let types: Vec<Type> = table.keys.iter().map(|k| k.ty.clone()).collect();
        let Some(keys) = self.key_arguments(&name, keys, &types, span, locals) else {
            return self.poison(span);
        };
        self.node(ExprKind::Table(id, keys), ty, span)
    }

    /// Reports `at[x][y]` of a field with two keys, or with the cells of a board as its key. Returns true if it is one.
    pub fn keys_in_two_brackets(
        &mut self,
        id: bouton_rules::FieldId,
        first: &[ast::Expr],
        second: &[ast::Expr],
        field: Span,
    ) -> bool {
        let types: Vec<Type> = self.rules.fields[id].keys.iter().map(|k| k.ty.clone()).collect();
        let ([.., before], [after, ..]) = (first, second) else { return false };
        let between = Span { start: before.span.end, end: after.span.start, ..before.span };
        let name = self.rules.fields[id].name.clone();
        if types.len() == first.len() + second.len() {
            let title = "all keys of a field stand in one pair of brackets, with commas between them";
            let keys: Vec<String> = first.iter().chain(second).map(bouton_syntax::print_expr).collect();
            let help = format!("write `{name}[{}]`", keys.join(", "));
            let found = Diagnostic::new(Code::E0104, title, field.to(after.span), "");
            self.report(found.help(help).edit(between, ", "));
            return true;
        }
        if matches!(self.rules.fields[id].ty.present(), Type::Tuple(_)) && types.len() == first.len() {
            let title = "the parts of a tuple have no numbers";
            let found = Diagnostic::new(Code::E0104, title, field.to(after.span), "");
            self.report(found.help(format!(
                "take it apart, as in `let (a, b) = {name}[...];`, or declare a record, whose parts have names: \
                 `record Piece(owner: Player, kind: Kind);`"
            )));
            return true;
        }
        match (&types[..], first, second) {
            ([key], [column], [row]) if self.board_of(key).is_some() => {
                self.cell_by_coordinates(&name, key, column, row);
                true
            }
            _ => false,
        }
    }

    /// Reports a column and a row in the place of a cell.
    fn cell_by_coordinates(&mut self, field: &str, key: &Type, column: &ast::Expr, row: &ast::Expr) {
        let between = Span { start: column.span.end, end: row.span.start, ..column.span };
        let board = self.rules.show_type(key);
        let title = "a cell is one key: its column and row make a cell";
        let found = Diagnostic::new(Code::E0104, title, column.span.to(row.span), "");
        let (start, end) = (column.span.start, row.span.end);
        self.report(
            found
                .help(format!("write `{field}[{board}(column, row)]`, counted from 1"))
                .edit(Span { start, end: start, ..between }, format!("{board}("))
                .edit(between, ", ")
                .edit(Span { start: end, end, ..between }, ")"),
        );
    }

    /// The keys of a field or table. They must be of the right kind, but a number outside the domain only makes the
    /// term undefined.
    pub fn key_arguments(
        &mut self,
        name: &str,
        keys: &[ast::Expr],
        types: &[Type],
        span: Span,
        locals: &mut Locals,
    ) -> Option<Vec<Expr>> {
        if let ([key], [column, row]) = (types, keys)
            && self.board_of(key).is_some()
        {
            self.cell_by_coordinates(name, key, column, row);
            return None;
        }
        if self.is_several_keys(name, keys, types) {
            return None;
        }
        if let ([Type::Int(..), Type::Int(..)], [cell]) = (types, keys)
            && let Some(word) = cell.as_name()
            && locals.find(word).is_some_and(|of| self.board_of(&of.ty).is_some())
        {
            let form = format!("{name}[{}]", self.render_types(types));
            let found = self.wrong_number_of(name, "2 keys", 1, span, form);
            let help = format!(
                "write `{name}[{word}.col, {word}.row]`, or declare the field with the cells as its key, `{name}[c: Cell]`"
            );
            self.report(found.help(help));
            return None;
        }
        if types.is_empty() && self.field_without_a_key(name, keys, span, locals)
            || self.keys_read_in_two_brackets(name, keys, types, span)
        {
            return None;
        }
        if keys.len() != types.len() {
            let words = self.render_types(types);
            let form = if words.is_empty() { name.to_string() } else { format!("{name}[{words}]") };
            self.wrong_number(name, &count(types.len(), "key"), keys.len(), span, form);
            return None;
        }
        let wide: Vec<Type> = types
            .iter()
            .map(|t| match t.base() {
                Type::Int(..) => Type::Int(i64::MIN, i64::MAX),
                other => other.clone(),
            })
            .collect();
        if self.unbound_keys(keys, types, locals) {
            return None;
        }
        let before = self.diagnostics.len();
        let made = self.coerce_all(name, keys, &wide, locals);
        if made.is_none() {
            let help = self.values_by_key(name);
            let bare = |found: &&mut Diagnostic| found.code == Code::E0201 && found.help.is_none();
            if let Some(found) = self.diagnostics[before..].iter_mut().find(bare) {
                found.help = help;
            }
        }
        made
    }

    /// Reports `at[a1..c1]`, `at[a1, b1, c1]` and `at[{ a1, b1 }]`, where one key is needed: the values of several keys are
    /// no value.
    fn is_several_keys(&mut self, name: &str, keys: &[ast::Expr], types: &[Type]) -> bool {
        let [ty] = types else { return false };
        if matches!(ty.base(), Type::Set(_) | Type::Tuple(_)) {
            return false;
        }
        let is_number = matches!(ty.base(), Type::Int(..));
        let plain = |key: &ast::Expr| match &*key.bare().kind {
            ast::ExprKind::Name(word) | ast::ExprKind::Number(word) => Some(word.clone()),
            _ => None,
        };
        let listed = |keys: &[ast::Expr]| {
            let words: Option<Vec<String>> = keys.iter().map(plain).collect();
            words.map_or("{ ... }".to_owned(), |words| format!("{{ {} }}", words.join(", ")))
        };
        let set = match keys {
            [key] => match &*key.bare().kind {
                ast::ExprKind::Range(low, high) => match (plain(low), plain(high)) {
                    (Some(low), Some(high)) if is_number => format!("{low}..{high}"),
                    (Some(low), Some(high)) => cells_between(&low, &high).unwrap_or("{ ... }".to_owned()),
                    _ => "{ ... }".to_owned(),
                },
                ast::ExprKind::Set(elements) if !elements.is_empty() => listed(elements),
                _ => return false,
            },
            [_, _, _, ..] => listed(keys),
            _ => return false,
        };
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return false };
        let title = format!("`{name}` has a value for one key at a time");
        let found = Diagnostic::new(Code::E0201, title, first.span.to(last.span), "several keys");
        let variable = if is_number { "i" } else { "x" };
        let help = format!(
            "write `all {variable} in {set}: {name}[{variable}] = ...` for a condition on all of them, `some` for one of them"
        );
        self.report(found.help(help));
        true
    }

    /// The values that a field or table has by its only key: "`at` has a `Cell` for each `Player`".
    fn values_by_key(&self, name: &str) -> Option<String> {
        let field = self.rules.fields.iter().find(|field| field.name == name);
        let table = self.rules.tables.iter().find(|table| table.name == name);
        let (keys, ty) = match (field, table) {
            (Some(field), _) => (&field.keys, &field.ty),
            (None, table) => (&table?.keys, &table?.ty),
        };
        let [key] = &keys[..] else { return None };
        let (key, value) = (self.rules.show_type(&key.ty), self.rules.show_type(ty));
        Some(format!("`{name}` has a value of type `{value}` for each `{key}`"))
    }

    /// The table of a constant list, indexed from 1; equal lists share one table.
    fn list_table(&mut self, items: &Arc<Vec<Value>>, made: &Expr) -> TableId {
        let values: Vec<Option<Value>> = items.iter().cloned().map(Some).collect();
        let known = self.rules.tables.entries().find(|(_, t)| t.name == "list" && t.values == values);
        if let Some((id, _)) = known {
            return id;
        }
        let n = items.len() as i64;
        let keys = vec![KeyDomain {
            name: "i".into(),
            ty: Type::Int(1, n),
            values: Arc::new((1..=n).map(Value::Int).collect()),
        }];
        let element = made.ty.element().cloned().unwrap_or(Type::Never);
        let ints = items.iter().filter_map(Value::as_int);
        let ty = match (ints.clone().min(), ints.max()) {
            (Some(lo), Some(hi)) => Type::Int(lo, hi),
            _ => element,
        };
        self.rules.tables.push(ConstTable { name: "list".into(), keys, ty, values, span: made.span })
    }
}

pub(super) fn count(n: usize, noun: &str) -> String {
    match n {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// Lists the cells from one to another of the same row or column, as `{ a1, b1, c1 }`, if both are named so.
fn cells_between(low: &str, high: &str) -> Option<String> {
    let parts = |name: &str| {
        let (column, row) = name.split_at_checked(1)?;
        Some((column.bytes().next().filter(u8::is_ascii_lowercase)?, row.parse::<u32>().ok()?))
    };
    let ((left, lower), (right, upper)) = (parts(low)?, parts(high)?);
    let column = |letter: u8| char::from(letter);
    let cells: Vec<String> = if lower == upper && left < right {
        (left..=right).map(|letter| format!("{}{lower}", column(letter))).collect()
    } else if left == right && lower < upper && upper - lower < 26 {
        (lower..=upper).map(|row| format!("{}{row}", column(left))).collect()
    } else {
        return None;
    };
    Some(format!("{{ {} }}", cells.join(", ")))
}
