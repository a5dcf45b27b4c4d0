//! Calls: definitions, constructors, the functions of boards.

use crate::analyzer::Analyzer;
use crate::foreign_names;
use crate::locals::{ExprPlace, Locals};
use crate::symbols::{SymbolKind, UseKind};
use bouton_base::source::Span;
use bouton_rules::{Arith, BoardFn, BoardId, Expr, ExprKind, Fold, PLAYER, Type};
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
    pub(super) fn coerce_all(
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
            self.show_type_of_parameter(name, place, arg.span, first);
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
        let is_fixpoint = matches!(self.symbols[name].kind, SymbolKind::Inductive { .. });
        if reads_state && is_fixpoint && locals.place == ExprPlace::Static {
            let title = format!("`{name}` is computed in play: an `inductive` has no value before");
            let label = "constants, types and initial values are known before play begins";
            let help = "read it where the constant is read, or write its values as a table: `const ... = match ... { ... };`";
            self.report(Diagnostic::new(Code::E0201, title, span, label).help(help));
            return self.poison(span);
        }
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
        self.bound_never_passed(name, args, &made, locals);
        made
    }
}

pub(super) fn count(n: usize, noun: &str) -> String {
    match n {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}
