//! Steps on a board, also in the words of other languages: `d(from)`, `step(from, d)`, `here + up`, `pos + k`.

use super::parts::CELL_PARTS;
use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use crate::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::{Arith, BoardFn, BoardId, ConstTable, DIR, Expr, ExprKind, PLAYER, Type};
use bouton_syntax::ast::{self, Name};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl<'a> Analyzer<'a> {
    /// `a + b` of numbers, or a step from a cell in a direction.
    pub(super) fn add_or_step(
        &mut self,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
        locals: &mut Locals,
    ) -> Expr {
        let left_words = left;
        let left = self.expr(left, None, locals);
        let Some(board) = self.board_of(&left.ty) else {
            if matches!(left.ty.present().base(), Type::Set(_)) {
                let found = Diagnostic::new(
                    Code::E0201,
                    "sets are joined by `|`",
                    span,
                    "`+` adds numbers, or steps",
                );
                let (a, b) = (print_expr(left_words), print_expr(right));
                let of_element = left.ty.element().cloned();
                let is_element = self.quiet_type(right, locals).is_some_and(|ty| {
                    !matches!(ty.base(), Type::Set(_))
                        && of_element.is_some_and(|of| Type::join(&of, &ty).is_some())
                });
                if is_element {
                    let help = format!("write `{a} | {{ {b} }}`; as an effect, `{a} |= {{ {b} }};`");
                    self.report(found.help(help));
                    return self.poison(span);
                }
                self.report(found.help(format!(
                    "the union is `{a} | {b}`; of their numbers of elements the sum is `#{a} + #{b}`"
                )));
                return self.poison(span);
            }
            let right = self.expr(right, None, locals);
            return self.arith(Arith::Add, left, right, span, locals);
        };
        let cell = self.present(left);
        let dir = Type::Sym(DIR);
        if self.direction_by_a_word(right, locals) {
            return self.poison(span);
        }
        let words = [left_words, right];
        let right = self.expr(right, Some(&dir), locals);
        if let Type::Int(..) = right.ty.base() {
            let found =
                Diagnostic::new(Code::E0201, "a cell and a number have no sum", right.span, "a number");
            let dirs = &self.rules.enums[DIR].members;
            let help = match dirs.first() {
                Some(one) => {
                    format!("a step goes in a direction, as in `cell + {one}`; there are {}", dirs.join(", "))
                }
                None => "on a graph, `cell.neighbors` has the cells beside one".into(),
            };
            let sum = self.cell_by_a_number(board, "+", words);
            self.report(match sum {
                Some((sum, is_row)) => match self.direction_of_a_player() {
                    Some(table) => found.help(format!(
                        "a step goes in a direction: `{} + {table}[me]` in that of the mover; the cell in that column is \
                         `{sum}`",
                        print_expr(left_words)
                    )),
                    None => {
                        let found = found.help(format!("the cell in that column is `{sum}`; {help}"));
                        if is_row { found.edit(span, sum) } else { found }
                    }
                },
                None => found.help(help),
            });
            return self.poison(span);
        }
        if let Type::Tuple(_) = right.ty.base() {
            let found = Diagnostic::new(Code::E0201, "a cell and a tuple have no sum", right.span, "a tuple");
            let board = &self.rules.boards[board].name;
            self.report(found.help(format!(
                "a step goes in a direction, as in `c + N`; the cell at other coordinates is `{board}(c.col + 1, c.row)`"
            )));
            return self.poison(span);
        }
        let right = self.coerce(right, &dir);
        if right.ty == Type::Error {
            return self.poison(span);
        }
        let ty = cell.ty.base().clone();
        self.node(ExprKind::Board(BoardFn::Step, board, vec![cell, right]), ty, span)
    }

    /// Reports `here.d` of a cell and a variable that is a direction; returns true if it is that.
    pub(super) fn step_as_a_part(
        &mut self,
        cell: &Expr,
        base: &ast::Expr,
        part: &Name,
        locals: &mut Locals,
    ) -> bool {
        let Some(local) = locals.find(&part.text) else { return false };
        if *local.ty.present().base() != Type::Sym(DIR) {
            return false;
        }
        local.used = true;
        let declared = local.span;
        if self.board_of(&cell.ty).is_none() {
            return false;
        }
        let new = format!("{} + {}", print_expr(base), part.text);
        let title = format!("`{}` is a direction, not a part of a cell", part.text);
        let found =
            Diagnostic::new(Code::E0101, title, part.span, "a direction").label(declared, "bound here");
        let span = Span { start: base.span.start, ..part.span };
        self.report(found.help(format!("a step is written `{new}`")).edit(span, new));
        true
    }

    /// Reports `d(from)` of a variable that is a direction; returns true if it is that.
    pub(super) fn direction_called_as_a_function(
        &mut self,
        callee: &ast::Expr,
        args: &[ast::Expr],
        span: Span,
        locals: &mut Locals,
    ) -> bool {
        let (Some(name), [cell]) = (callee.as_name(), args) else { return false };
        let Some(local) = locals.find(name) else { return false };
        if *local.ty.present().base() != Type::Sym(DIR) {
            return false;
        }
        local.used = true;
        let declared = local.span;
        if self.quiet_type(cell, locals).is_none_or(|ty| self.board_of(&ty).is_none()) {
            return false;
        }
        let new = format!("{} + {name}", print_expr(cell));
        let title = format!("`{name}` is a direction, not a function");
        let found = Diagnostic::new(Code::E0102, title, callee.span, "a direction");
        let found = found.label(declared, "bound here");
        self.report(found.help(format!("a step is written `{new}`")).edit(span, new));
        true
    }

    /// Reports `Cell(here.x + d.x, here.y + d.y)` of a cell and a direction; returns true if it is that.
    pub(super) fn step_by_coordinates(
        &mut self,
        args: &[ast::Expr],
        span: Span,
        locals: &mut Locals,
    ) -> bool {
        let [column, row] = args else { return false };
        let (Some([cell, dir]), Some([other_cell, other_dir])) = (sum_of_parts(column), sum_of_parts(row))
        else {
            return false;
        };
        let [from, by] = [cell, dir].map(print_expr);
        if from != print_expr(other_cell) || by != print_expr(other_dir) {
            return false;
        }
        let is_cell = self.quiet_type(cell, locals).is_some_and(|ty| self.board_of(&ty).is_some());
        let is_dir = self.quiet_type(dir, locals).is_some_and(|ty| *ty.present().base() == Type::Sym(DIR));
        if !is_cell || !is_dir {
            return false;
        }
        for words in [cell, dir] {
            if let Some(local) = words.as_name().and_then(|name| locals.find(name)) {
                local.used = true;
            }
        }
        let new = format!("{from} + {by}");
        let title = format!("`{by}` is a direction, and has no numbers");
        let found = Diagnostic::new(Code::E0101, title, span, "a step in a direction");
        self.report(found.help(format!("a step is written `{new}`")).edit(span, new));
        true
    }

    /// Reports `from.step(d)` of a cell and a direction; returns true if it is that.
    pub(super) fn step_by_a_method(
        &mut self,
        base: &ast::Expr,
        part: &ast::Name,
        args: &[ast::Expr],
        span: Span,
        locals: &mut Locals,
    ) -> bool {
        let [dir] = args else { return false };
        if self.quiet_type(dir, locals).is_none_or(|ty| *ty.present().base() != Type::Sym(DIR)) {
            return false;
        }
        let new = format!("{} + {}", print_expr(base), print_expr(dir));
        let title = format!("a cell has no part `{}`", part.text);
        let found = Diagnostic::new(Code::E0101, title, part.span, "");
        self.report(found.help(format!("a step is written `{new}`")).edit(span, new));
        true
    }

    /// The sum for `step(from, d)` of a cell and a direction, in either order.
    pub(super) fn step_of_a_call(&mut self, args: &[ast::Expr], locals: &mut Locals) -> Option<String> {
        let [one, other] = args else { return None };
        let types = [self.quiet_type(one, locals)?, self.quiet_type(other, locals)?];
        let is_dir = |ty: &Type| *ty.present().base() == Type::Sym(DIR);
        let is_cell = |ty: &Type| self.board_of(ty).is_some();
        if is_cell(&types[0]) && is_dir(&types[1]) {
            return Some(format!("{} + {}", print_expr(one), print_expr(other)));
        }
        (is_dir(&types[0]) && is_cell(&types[1]))
            .then(|| format!("{} + {}", print_expr(other), print_expr(one)))
    }

    /// Reports `neighbors(c)` for the part `c.neighbors` of a cell; returns true if it is that.
    pub(super) fn part_as_a_function(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        places: [Span; 2],
        locals: &mut Locals,
    ) -> bool {
        let [callee, span] = places;
        let [cell] = args else { return false };
        let part = match name {
            "neighbours" | "adjacent" | "adjacents" | "adj" | "neighbor" | "neighbour" => "neighbors",
            "column" => "col",
            "surrounding" | "nearby" => "around",
            other => other,
        };
        let is_part = CELL_PARTS.iter().any(|(known, _)| *known == part);
        if !is_part || self.quiet_type(cell, locals).is_none_or(|ty| self.board_of(&ty).is_none()) {
            return false;
        }
        let new = format!("{}.{part}", print_expr(cell));
        let title = format!("`{part}` is a part of a cell, written behind it");
        let found = Diagnostic::new(Code::E0101, title, callee, "no function of this name");
        self.report(found.help(format!("write `{new}`")).edit(span, new));
        true
    }

    /// Reports `connected(a, b, p)` and `rows(Cell)`; returns true if it is one of them.
    pub(super) fn foreign_function_of_cells(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        callee: Span,
        locals: &mut Locals,
    ) -> bool {
        let plain: String = name.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
        let help = match (plain.as_str(), args) {
            (
                "connected" | "isconnected" | "areconnected" | "joined" | "path" | "haspath" | "reachable",
                [a, b, ..],
            ) => {
                let Some(board) = self.quiet_type(a, locals).and_then(|ty| self.board_of(&ty)) else {
                    return false;
                };
                let cells = Type::Sym(self.rules.boards[board].cells);
                let board = self.rules.boards[board].name.clone();
                let mut fields = self
                    .rules
                    .fields
                    .iter()
                    .filter(|field| matches!(&field.keys[..], [key] if *key.ty.base() == cells));
                let field = fields.next().map(|field| field.name.clone());
                let is_player = |local: &&crate::locals::Local| local.ty == Type::Sym(PLAYER);
                let who = match (args.get(2), locals.stack.iter().rev().find(is_player)) {
                    (Some(who), _) => print_expr(who),
                    (None, Some(local)) => local.name.clone(),
                    (None, None) if locals.place == ExprPlace::Move => "me".to_owned(),
                    _ => "mover".to_owned(),
                };
                let through = match field {
                    Some(field) => format!("{{ x in {board} where {field}[x] = {who} }}"),
                    None => board,
                };
                format!(
                    "cells that steps through a set join are `{} in flood({{ {} }}, {through})`; `.neighbors` are one step away",
                    print_expr(b),
                    print_expr(a)
                )
            }
            ("rows" | "columns" | "cols" | "diagonals" | "files" | "ranks", [board]) => {
                let declared = self.declared(board, locals);
                let is_board = |key| self.is_kind(key, |kind| matches!(kind, SymbolKind::Board { .. }));
                let Some(board) = declared.filter(|key| is_board(key)) else { return false };
                format!(
                    "`lines({board})` are its longest straight lines in all directions, `lines({board}, 3)` those of 3 cells; one \
                     row is `{{ x in {board} where x.row = 1 }}`"
                )
            }
            _ => return false,
        };
        let found = Diagnostic::new(
            Code::E0101,
            format!("there is no `{name}` here"),
            callee,
            "no function of this name",
        );
        self.report(found.help(help));
        true
    }

    /// Reports `here + up`, where a move or an effect has the name of a direction; returns true if it is that.
    pub(super) fn direction_by_a_word(&mut self, words: &ast::Expr, locals: &Locals) -> bool {
        let Some(name) = words.bare().as_name().filter(|name| !locals.has(name)) else { return false };
        let Some(key) = self.find(name, words.span) else { return false };
        let is_verb =
            self.is_kind(key, |kind| matches!(kind, SymbolKind::Move { .. } | SymbolKind::Effect { .. }));
        let Some(dir) = self.direction_called(name).filter(|_| is_verb) else { return false };
        let title = format!("a step goes in a direction, and `{name}` is the name of a move");
        let declared = self.symbols[key].span;
        let found =
            Diagnostic::new(Code::E0102, title, words.span, format!("did you mean the direction `{dir}`?"));
        self.report(found.label(declared, "the move").edit(words.span, dir));
        true
    }

    /// The constant table that has a direction for each player.
    fn direction_of_a_player(&self) -> Option<&str> {
        let is_it = |table: &&ConstTable| {
            matches!(&table.keys[..], [key] if *key.ty.base() == Type::Sym(PLAYER))
                && *table.ty.base() == Type::Sym(DIR)
                && self.symbols.contains_key(table.name.as_str())
        };
        self.rules.tables.iter().find(is_it).map(|table| table.name.as_str())
    }

    /// Reports `c - 1` of a cell and a number; returns true if it is that.
    pub(super) fn cell_minus_number(&mut self, words: [&ast::Expr; 2], made: [&Expr; 2], span: Span) -> bool {
        let Some(board) = self.board_of(&made[0].ty) else { return false };
        if !matches!(made[1].ty.present().base(), Type::Int(..)) {
            return false;
        }
        let title = "a cell and a number have no difference";
        let found = Diagnostic::new(Code::E0201, title, made[1].span, "a number");
        let dirs = &self.rules.enums[DIR].members;
        let help = match dirs.last() {
            Some(one) => {
                format!("a step goes in a direction, as in `cell + {one}`; there are {}", dirs.join(", "))
            }
            None => "on a graph, `cell.neighbors` has the cells beside one".into(),
        };
        self.report(match self.cell_by_a_number(board, "-", words) {
            Some((new, is_row)) => {
                let found = found.help(format!("the cell in that column is `{new}`; {help}"));
                if is_row { found.edit(span, new) } else { found }
            }
            None => found.help(help),
        });
        true
    }

    /// Advice on `pos + k` and `pos - k`, of a cell and a number, with true where it is a fix: on a board of one row.
    /// The sum wraps round where columns do.
    fn cell_by_a_number(
        &self,
        board: BoardId,
        sign: &str,
        [cell, number]: [&ast::Expr; 2],
    ) -> Option<(String, bool)> {
        let (columns, rows) = self.coordinates(board)?;
        let [wraps, ..] = self.rules.boards[board].shape.wraps();
        let name = &self.rules.boards[board].name;
        let side = if sign == "+" { "E" } else { "W" };
        let has_side = self.rules.enums[DIR].members.iter().any(|dir| dir == side);
        if rows == 1 && has_side && matches!(&*number.bare().kind, ast::ExprKind::Number(n) if n == "1") {
            return Some((format!("{} + {side}", print_expr(cell)), true));
        }
        let (cell, number) = (print_expr(cell), print_expr(number));
        let column = match wraps {
            true => {
                let columns = self.columns_in_words(name).unwrap_or(columns.to_string());
                format!("({cell}.col - 1 {sign} {number}) mod {columns} + 1")
            }
            false => format!("{cell}.col {sign} {number}"),
        };
        Some(match rows {
            1 => (format!("{name}({column}, 1)"), true),
            _ => (format!("{name}({column}, {cell}.row)"), false),
        })
    }

    /// The number of columns of a board, as its declaration writes it.
    fn columns_in_words(&self, board: &str) -> Option<String> {
        let SymbolKind::Board { item, .. } = self.symbols.get(board)?.kind else { return None };
        let ast::ItemKind::Board { form: ast::BoardForm::Expr(shape), .. } = &item.kind else { return None };
        let ast::ExprKind::Call(_, sizes) = &*shape.bare().kind else { return None };
        let columns = sizes.first()?.bare();
        Some(match &*columns.kind {
            ast::ExprKind::Number(_) | ast::ExprKind::Name(_) => print_expr(columns),
            _ => format!("({})", print_expr(columns)),
        })
    }
}

/// The terms whose parts a sum adds: `here` and `d` of `here.x + d.x`.
fn sum_of_parts(sum: &ast::Expr) -> Option<[&ast::Expr; 2]> {
    let ast::ExprKind::Binary(ast::BinaryOp::Add, left, right) = &*sum.bare().kind else { return None };
    match (&*left.bare().kind, &*right.bare().kind) {
        (ast::ExprKind::Part(one, _), ast::ExprKind::Part(other, _)) => Some([one, other]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, found};
    use bouton_syntax::diag::Code;

    /// The help for `here + k` on a board, and the text after its fix, which has no findings.
    fn sum_of_a_cell(board: &str) -> (String, Option<String>) {
        let text = format!(
            "game \"Ring\"; param seats: 3..9 = 6; players A, B; board Seat = {board};
             state {{ here: Seat = Seat(1, 1); left: 0..seats = seats; }}
             move go(k: 1..2) as \"{{k}}\" {{ when left > 0; let to = here + k; here := to; left -= 1; }}
             end {{ when here = Seat(seats, 1) => mover wins; when stuck => draw; }}"
        );
        let mut found = found(&text, Code::E0201);
        let found = found.remove(0);
        let fixed = found.edits.first().map(|edit| {
            let range = edit.span.start as usize..edit.span.end as usize;
            let mended = format!("{}{}{}", &text[..range.start], edit.text, &text[range.end..]);
            assert_eq!(codes(&mended), [], "{board}");
            edit.text.clone()
        });
        (found.help.unwrap_or_default(), fixed)
    }

    #[test]
    fn sums_of_cells_and_numbers_wrap_round() {
        let fixed = |board| sum_of_a_cell(board).1;
        let round = Some("Seat((here.col - 1 + k) mod seats + 1, 1)".to_owned());
        assert_eq!(fixed("ring(seats)"), round);
        assert_eq!(fixed("torus(seats, 1)"), round);
        let sum = Some("Seat((here.col - 1 + k) mod (seats + 1) + 1, 1)".to_owned());
        assert_eq!(fixed("ring(seats + 1)"), sum);
        assert_eq!(fixed("strip(seats)"), Some("Seat(here.col + k, 1)".to_owned()));
        let (help, fixed) = sum_of_a_cell("torus(seats, 2)");
        assert!(help.contains("`Seat((here.col - 1 + k) mod seats + 1, here.row)`"), "{help}");
        assert_eq!(fixed, None);
    }

    fn of_a_number(board: &str, term: &str) -> (String, Option<String>) {
        let text = format!(
            "game \"Minus\"; players A, B; board C = {board}; state {{ full: set of C = {{}}; }}
             move put(c: C) as \"{{c}}\" {{ when c not in full and {term} not in full; full |= {{ c }}; }}
             play normal;"
        );
        let mut found = found(&text, Code::E0201);
        assert!(found.len() == 1, "{found:?}");
        let found = found.remove(0);
        (found.help.unwrap_or_default(), found.edits.first().map(|edit| edit.text.clone()))
    }

    #[test]
    fn cells_and_numbers_have_no_difference() {
        let fixed = |board, term| of_a_number(board, term).1;
        assert_eq!(fixed("strip(5)", "c - 1"), Some("c + W".to_owned()));
        assert_eq!(fixed("ring(5)", "c - 1"), Some("c + W".to_owned()));
        assert_eq!(fixed("strip(5)", "c - 2"), Some("C(c.col - 2, 1)".to_owned()));
        assert_eq!(fixed("ring(5)", "c - 2"), Some("C((c.col - 1 - 2) mod 5 + 1, 1)".to_owned()));
        let (help, fixed) = of_a_number("grid(3, 3)", "c - 1");
        assert!(help.contains("`C(c.col - 1, c.row)`") && fixed.is_none(), "{help}");
    }

    #[test]
    fn cells_step_by_a_sum() {
        let fixed = |d: &str| {
            let text = format!(
                "game \"Step\"; players A, B; board C = strip(5); state {{ here: C = a1; }}
                 move go(d: {d}) as \"{{d}}\" {{ when here != e1; here += d; }} play normal;"
            );
            let found = found(&text, Code::E0311);
            found[0].edits.first().map(|edit| edit.text.clone())
        };
        assert_eq!(fixed("Dir"), Some("here := here + d".to_owned()));
        assert_eq!(fixed("{ E }"), Some("here := here + d".to_owned()));
        assert_eq!(fixed("1..2"), None);
    }

    #[test]
    fn steps_are_no_sums_of_coordinates() {
        let of = |to: &str| {
            let text = format!(
                "game \"Walk\"; players A, B; board Cell = grid(3, 3); state {{ here: Cell = a1; }}
                 move go(d: Orthogonal) as \"{{d}}\" {{ here := {to}; }} end {{ when here = c3 => draw; repeat => draw; }}"
            );
            found(&text, Code::E0101)
        };
        for to in ["Cell(here.x + d.x, here.y + d.y)", "Cell(here.col + d.dx, here.row + d.dy)"] {
            let told = of(to);
            assert_eq!(told.len(), 1, "{told:?}");
            assert_eq!(told[0].edits.iter().map(|edit| edit.text.as_str()).collect::<Vec<_>>(), ["here + d"]);
        }
        assert!(of("here + d").is_empty());
        assert_eq!(of("Cell(here.col + d.x, here.row)").len(), 1);
    }
}
