//! W0123 for a column, row or level that counts from 0: `Cell(i, 1)` with `i: 0..5`, `Seat((c.col + k) mod 6, 1)`.

use super::decided::{decision, literal, mirrored};
use crate::analyzer::Analyzer;
use crate::locals::Locals;
use bouton_base::source::Span;
use bouton_rules::{BoardId, Expr, ExprKind};
use bouton_syntax::ast::{self, BinaryOp, CmpOp};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Warns about the coordinates of a cell, some of which are 0 where the greatest one falls short of the board.
    pub(super) fn counted_from_zero(
        &mut self,
        id: BoardId,
        words: &[ast::Expr],
        made: &[Expr],
        locals: &Locals,
    ) {
        let board = &self.rules.boards[id];
        let axes =
            [(board.col.clone(), "columns"), (board.row.clone(), "rows"), (board.level.clone(), "levels")];
        for ((words, made), (axis, what)) in words.iter().zip(made).zip(axes) {
            let (Some((0, high)), Some((1, last))) = (made.ty.interval(), axis.interval()) else { continue };
            if high + 1 != last || self.leaves_zero_out(words, high) {
                continue;
            }
            let remainder = self.remainder_in_words(words);
            let shown = print_expr(words.bare());
            let title = format!("{what} count from 1: with `{shown}` = 0 this is no cell");
            let found = Diagnostic::new(Code::W0123, title, words.span, format!("0..{high}"));
            let found = match remainder {
                Some((number, divisor)) => found.help(format!(
                    "to go round from {last} to 1, take 1 away first and add it at the end: `{} mod {divisor} + 1`",
                    less_one(&number)
                )),
                None if matches!(&*made.kind, ExprKind::Var(var) if !locals.vars[*var].name.is_empty()) => {
                    found.help(format!("let `{shown}` range over `1..{last}`"))
                }
                None => continue,
            };
            let is_known = |known: &Diagnostic| known.code == Code::W0123 && known.title == found.title;
            if !self.diagnostics.iter().any(is_known) {
                self.report(found);
            }
        }
    }

    /// The number and the divisor of a remainder, also of one that a `let` gives a name.
    fn remainder_in_words(&self, words: &ast::Expr) -> Option<(ast::Expr, String)> {
        let words = words.bare();
        if let ast::ExprKind::Binary(BinaryOp::Mod, number, divisor) = &*words.kind {
            return Some((number.clone(), print_expr(divisor)));
        }
        let value = self.value_of_a_let(words.as_name()?, words.span)?;
        match &*value.bare().kind {
            ast::ExprKind::Binary(BinaryOp::Mod, number, divisor) => {
                Some((number.clone(), print_expr(divisor)))
            }
            _ => None,
        }
    }

    /// The value that the statement `let name = ...;` of the move around a place gives.
    fn value_of_a_let(&self, name: &str, span: Span) -> Option<&ast::Expr> {
        let ast::ItemKind::Move(of) = self.item_around(span)? else { return None };
        of.body.stmts.iter().find_map(|stmt| match &stmt.kind {
            ast::StmtKind::Let(ast::Pattern::Name(of), value) if of.text == name => Some(value),
            _ => None,
        })
    }

    /// Returns true if a comparison in the item around a term with the values 0..high leaves 0 out, or takes 0 alone.
    fn leaves_zero_out(&self, words: &ast::Expr, high: i64) -> bool {
        let term = print_expr(words.bare());
        let is_term = |side: &ast::Expr| print_expr(side.bare()) == term;
        let separates = |op: CmpOp, n: i64| {
            let holds = |value: i64| decision(op, n, [Some(value); 2]) == Some(true);
            !holds(0) || (1..=high).all(|value| !holds(value))
        };
        let tells = |left: &ast::Expr, op: CmpOp, right: &ast::Expr| match (literal(left), literal(right)) {
            _ if matches!(op, CmpOp::In | CmpOp::NotIn) => is_term(left),
            (None, Some(n)) => is_term(left) && separates(op, n),
            (Some(n), None) => is_term(right) && separates(mirrored(op), n),
            _ => false,
        };
        let Some((item, _)) = self.items().find(|(item, _)| item.span.covers(words.span)) else {
            return false;
        };
        self.has_part(item.span, &|expr| match &*expr.kind {
            ast::ExprKind::Compare(first, rest) => {
                let lefts = std::iter::once(first).chain(rest.iter().map(|(_, side)| side));
                lefts.zip(rest).any(|(left, (op, right))| tells(left, *op, right))
            }
            ast::ExprKind::Match(of, _) => is_term(of),
            _ => false,
        })
    }
}

/// A number less one, in words.
fn less_one(number: &ast::Expr) -> String {
    let number = number.bare();
    let shown = print_expr(number);
    match &*number.kind {
        ast::ExprKind::If(..)
        | ast::ExprKind::Match(..)
        | ast::ExprKind::Let(..)
        | ast::ExprKind::Quant(..) => {
            format!("(({shown}) - 1)")
        }
        _ => format!("({shown} - 1)"),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn helps(before: &str, column: &str) -> Vec<String> {
        let text = format!(
            "game \"Ring\"; param seats: 3..9 = 6; players A, B; board Seat = ring(seats);
             state {{ here: Seat = Seat(1, 1); left: 0..seats = seats; }}
             move go(k: 1..2, i: 0..5) as \"{{k}} {{i}}\" {{
               when left > i; {before} let to = Seat({column}, 1); here := to; left -= k; }}
             end {{ when here = Seat(seats, 1) => mover wins; when stuck => draw; }}"
        );
        let found = found(&text, Code::W0123);
        assert!(found.iter().all(|found| found.edits.is_empty()));
        found.into_iter().filter_map(|found| found.help).collect()
    }

    #[test]
    fn remainders_count_from_zero() {
        let round = "to go round from 6 to 1, take 1 away first and add it at the end: `(here.col + k - 1) mod seats + 1`";
        assert_eq!(helps("", "(here.col + k) mod seats"), [round]);
        assert_eq!(helps("let x = (here.col + k) mod seats;", "x"), [round]);
        for before in ["", "when i < 5;", "when i != 3;", "when 4 > i;"] {
            assert_eq!(helps(before, "i"), ["let `i` range over `1..6`"], "{before}");
        }
        for (before, column) in [
            ("", "(here.col + k - 1) mod seats + 1"),
            ("let x = (here.col + k) mod seats; when x > 0;", "x"),
            ("when (here.col + k) mod seats != 0;", "(here.col + k) mod seats"),
            ("when i >= 1;", "i"),
            ("when 0 < i;", "i"),
            ("when i in 1..5;", "i"),
            ("if i = 0 { left -= 1; }", "i"),
            ("", "(here.col + k) mod 3"),
            ("", "if left = 6 then 6 else i + 1"),
        ] {
            assert_eq!(helps(before, column), [""; 0], "{before} {column}");
        }
    }
}
