//! The functions of boards: `dir`, `ray`, `flood`, `lines` and the like.

use crate::analyzer::Analyzer;
use crate::locals::Locals;
use crate::symbols::{SymbolKind, UseKind};
use bouton_base::source::Span;
use bouton_rules::{BoardFn, BoardId, DIR, Expr, ExprKind, Type, Value};
use bouton_syntax::ast;
use bouton_syntax::diag::{self, Code, Diagnostic};
use bouton_syntax::print_expr;

impl<'a> Analyzer<'a> {
    /// Applies a function of two cells (or of a cell and a direction), on the board of the first.
    pub(super) fn board_call(
        &mut self,
        name: &str,
        function: BoardFn,
        args: &[ast::Expr],
        span: Span,
        locals: &mut Locals,
    ) -> Expr {
        let [first, second] = args else {
            let form = format!("{name}(a, b)");
            let found = self.wrong_number_of(name, "2 parameters", args.len(), span, form);
            self.report(match &args.iter().map(print_expr).collect::<Vec<_>>()[..] {
                [a, b, c] if function == BoardFn::Between => found.help(format!(
                    "`between(a, b)` is the set of the cells between two: write `{b} in between({a}, {c})`, or `{a} in \
                     between({b}, {c})` if `{a}` is the one between"
                )),
                _ => found,
            });
            return self.poison(span);
        };
        let first = self.expr(first, None, locals);
        let first = self.present(first);
        if first.ty == Type::Error {
            return self.poison(span);
        }
        let Some(board) = self.board_of(&first.ty) else {
            if function == BoardFn::Ray && self.exchanged_ray(args, locals) {
                return self.poison(span);
            }
            self.wrong_type(first.span, "a cell of a board", &first.ty.clone());
            return self.poison(span);
        };
        let cell = Type::Sym(self.rules.boards[board].cells);
        let second_type = if function == BoardFn::Ray { Type::Sym(DIR) } else { cell.clone() };
        let second = self.expr_of(second, &second_type, locals);
        if second.ty == Type::Error {
            return self.poison(span);
        }
        let ty = match function {
            BoardFn::Dir => Type::Sym(DIR),
            BoardFn::Beyond => cell,
            BoardFn::Between | BoardFn::Ray => Type::set(cell),
            _ => Type::Bool,
        };
        let made = self.node(ExprKind::Board(function, board, vec![first, second]), ty, span);
        self.one_cell_twice(name, args, &made, locals);
        made
    }

    pub(super) fn flood(&mut self, args: &[ast::Expr], span: Span, locals: &mut Locals) -> Expr {
        let [from, within] = args else {
            let form = "flood(from, within): two sets of cells";
            self.wrong_number("flood", "2 parameters", args.len(), span, form);
            return self.poison(span);
        };
        let from = self.expr(from, None, locals);
        let from = self.as_set(from);
        if self.condition_for_a_set_of_cells(within, locals) {
            return self.poison(span);
        }
        let within = self.expr(within, Some(&from.ty.clone()), locals);
        let within = self.as_set(within);
        // `none` is no cell.
        let optional = |of: &&Expr| of.ty.element().is_some_and(|element| element.present() != element);
        if let Some(of) = [&from, &within].into_iter().find(optional) {
            self.wrong_type(of.span, "a set of cells", &of.ty.clone());
            return self.poison(span);
        }
        let Some(ty) = Type::join(&from.ty, &within.ty).filter(|t| *t != Type::Error) else {
            return self.poison(span);
        };
        let Some(board) = ty.element().and_then(|t| self.board_of(t)) else {
            self.wrong_type(from.span, "a set of cells", &from.ty.clone());
            return self.poison(span);
        };
        self.node(ExprKind::Flood(board, from, within), ty, span)
    }

    /// `lines(B)` and `lines(B, k)`: a constant set of sets.
    pub(super) fn lines(&mut self, args: &[ast::Expr], span: Span, locals: &mut Locals) -> Expr {
        let (Some(board), true) = (args.first(), args.len() <= 2) else {
            self.wrong_number("lines", "1 or 2 parameters", args.len(), span, "lines(B) or lines(B, k)");
            return self.poison(span);
        };
        let Some(id) = self.board_named(board, locals) else { return self.poison(span) };
        let k = match args.get(1) {
            Some(k) => match self.const_int(k, locals) {
                Some(k) => Some(usize::try_from(k).unwrap_or(0)),
                None => return self.poison(span),
            },
            None => None,
        };
        let board = &self.rules.boards[id];
        let lines = k.map_or_else(|| board.all_lines(), |k| board.lines(k));
        let longest = board.all_lines().iter().map(Vec::len).max().unwrap_or(0);
        if lines.is_empty() {
            let title = format!("no line of `{}` has that many cells: this set is empty", board.name);
            let found = Diagnostic::new(Code::W0123, title, span, "always empty");
            let help = format!("the longest lines of `{}` have {longest} cells", board.name);
            self.report(found.help(help));
        }
        let board = &self.rules.boards[id];
        let cells = board.cells;
        let set = |line: Vec<u32>| Value::set(line.into_iter().map(|c| Value::Sym(cells, c)));
        let ty = Type::set(Type::set(Type::Sym(cells)));
        self.value(Value::set(lines.into_iter().map(set)), ty, span)
    }

    /// Returns true for the name of a field without keys that is a set of cells.
    fn is_set_of_cells(&self, name: &str) -> bool {
        self.rules.fields.iter().any(|field| {
            field.name == name
                && field.keys.is_empty()
                && field.ty.element().is_some_and(|element| self.board_of(element).is_some())
        })
    }

    /// The board that a bare name refers to.
    pub(super) fn board_named(&mut self, expr: &ast::Expr, locals: &Locals) -> Option<BoardId> {
        if let Some(key) = self.declared(expr, locals)
            && self.is_kind(key, |k| matches!(k, SymbolKind::Board { .. }))
        {
            self.use_symbol(key, UseKind::Read);
            return self.board(key, expr.span);
        }
        if !self.options.damaged {
            let boards: Vec<String> = self.rules.boards.iter().map(|board| board.name.clone()).collect();
            let found =
                Diagnostic::new(Code::E0201, "the name of a board is needed here", expr.span, "not a board");
            let near = expr.as_name().and_then(|name| diag::nearest(name, boards.iter().map(String::as_str)));
            self.report(match (near, boards.first()) {
                (Some(near), _) => found.help(format!("did you mean `{near}`?")).edit(expr.span, near),
                (None, Some(board)) => found.help(match expr.as_name().filter(|name| self.is_set_of_cells(name)) {
                    Some(set) => format!(
                        "it takes the board and the length, `lines({board}, 3)`; that all cells of a line are in a set is \
                         `some l in lines({board}, 3): l in {set}`"
                    ),
                    None => format!("write `lines({board}, 3)`, with the board before the number"),
                }),
                (None, None) => found.help("declare one: `board Cell = grid(3, 3);`"),
            });
        }
        None
    }

    pub(super) fn sides_or_edges(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        span: Span,
        locals: &Locals,
    ) -> Expr {
        let [board] = args else {
            self.wrong_number(name, "1 parameter", args.len(), span, format!("{name}(B)"));
            return self.poison(span);
        };
        let Some(id) = self.board_named(board, locals) else { return self.poison(span) };
        let of = self.sides_enum(id, name == "sides");
        self.type_as_set(&Type::Sym(of), span)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn between_is_a_set_of_two_cells() {
        let text = "game \"Line\"; players A, B; board Cell = grid(3, 3);
             state { at[c: Cell]: Player? = none; }
             move put(c: Cell, d: Cell) as \"{c}{d}\" {
               when at[c] = none and (no x in Cell where between(c, x, d): at[x] = me); at[c] := me; }
             end { when stuck => mover loses; }";
        let told = found(text, Code::E0104);
        let [told] = &told[..] else { panic!("{told:?}") };
        let help = told.help.as_deref().unwrap_or_default();
        assert!(help.contains("`x in between(c, d)`, or `c in between(x, d)`"), "{help}");
        assert!(told.edits.is_empty());
    }
}
