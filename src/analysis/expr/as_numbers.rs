//! Cells and players that are taken for numbers.

use super::advice::{Advice, Mismatch, Side};
use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_base::source::Span;
use bouton_rules::{Arith, DIR, Expr, PLAYER, Type, Value};
use bouton_syntax::ast;
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// `pos[p] = 8`, where the cells of a board are compared with a number.
    pub(super) fn cell_as_a_number(
        &self,
        of: Mismatch<'_>,
        side: Side<'_>,
        other: Side<'_>,
    ) -> Option<Advice> {
        let board = self.board_of(side.ty)?;
        if !matches!(other.ty.present().base(), Type::Int(..)) {
            return None;
        }
        let term = print_expr(side.words.bare());
        let (columns, rows) = self.coordinates(board)?;
        let is_column = rows == 1 && matches!(other.value, Some(Value::Int(n)) if (1..=columns).contains(n));
        if !is_column {
            let help = format!(
                "a cell is no number: its column is `{term}.col`, its row `{term}.row`, both counted from 1"
            );
            return Some(Advice::new(help));
        }
        let number = print_expr(other.words.bare());
        let help = format!("a cell is no number, but its column is: `{term}.col {} {number}`", of.sign());
        let end = Span { start: side.words.span.end, ..side.words.span };
        Some(Advice::new(help).edit(end, ".col"))
    }

    /// Reports `pos[p] >= 8`, where the cells of a board are compared with a number; returns true if it is that.
    pub(super) fn cell_ordered_by_a_number(&mut self, words: [&ast::Expr; 2], made: [&Expr; 2]) -> bool {
        let is_cell = |made: &Expr| self.board_of(&made.ty).is_some();
        let is_number = |made: &Expr| matches!(made.ty.present().base(), Type::Int(..));
        let at = match made {
            [left, right] if is_cell(left) && is_number(right) => 0,
            [left, right] if is_number(left) && is_cell(right) => 1,
            _ => return false,
        };
        let term = print_expr(words[at].bare());
        let rows =
            self.board_of(&made[at].ty).and_then(|board| self.coordinates(board)).map(|(_, rows)| rows);
        let title = "a cell and a number cannot be compared: this is always false";
        let found = Diagnostic::new(Code::E0202, title, words[0].span.to(words[1].span), "");
        let found = found.label(words[at].span, "this is a cell");
        self.report(match rows {
            Some(1) => found
                .help(format!("a cell is no number, but its column is: `{term}.col`"))
                .edit(words[at].span.at_end(), ".col"),
            _ => found.help(format!(
                "a cell is no number: its column is `{term}.col`, its row `{term}.row`, both counted from 1"
            )),
        });
        true
    }

    /// The greatest column and the greatest row of a board, if it has both.
    pub(super) fn coordinates(&self, board: bouton_rules::BoardId) -> Option<(i64, i64)> {
        let board = &self.rules.boards[board];
        let (columns, rows) = (board.col.interval()?, board.row.interval()?);
        (columns.0 <= columns.1 && rows.0 <= rows.1).then_some((columns.1, rows.1))
    }

    /// `me = 1`, where a player is compared with a number.
    pub(super) fn player_as_a_number(
        &self,
        of: Mismatch<'_>,
        side: Side<'_>,
        other: Side<'_>,
        locals: &Locals,
    ) -> Option<Advice> {
        if *side.ty.present().base() != Type::Sym(PLAYER)
            || !matches!(other.ty.present().base(), Type::Int(..))
        {
            return None;
        }
        let term = print_expr(side.words.bare());
        let players = self.rules.players();
        let counted = match other.value {
            Some(Value::Int(n)) => usize::try_from(*n - 1).ok().and_then(|index| players.get(index)),
            _ => None,
        };
        let first = counted.or(players.first())?;
        Some(Advice::new(format!(
            "{}: write `{term} {} {first}`",
            self.names_of_players(locals.place),
            of.sign()
        )))
    }

    /// The advice that players have names, with those of this game.
    fn names_of_players(&self, place: ExprPlace) -> String {
        let names: Vec<String> = self.rules.players().iter().map(|player| format!("`{player}`")).collect();
        match place {
            ExprPlace::Move => {
                format!("players have names, {}, and the one who moves is `me`", names.join(", "))
            }
            _ => format!("players have names, {}", names.join(", ")),
        }
    }

    /// Advice on `score[1]`, where a player is needed.
    pub(super) fn number_for_a_player(&self, ty: &Type, want: &Type, locals: &Locals) -> Option<Advice> {
        let is_it = *want.base() == Type::Sym(PLAYER) && matches!(ty.base(), Type::Int(..));
        let is_it = is_it && !self.rules.players().is_empty();
        is_it.then(|| Advice::new(self.names_of_players(locals.place)))
    }

    /// Reports `p + 1` of a player; returns true if it is that.
    pub(super) fn next_player_as_a_sum(&mut self, op: Arith, left: &Expr, right: &Expr, span: Span) -> bool {
        let is_one = right.constant() == Some(&Value::Int(1));
        if !matches!(op, Arith::Add | Arith::Sub)
            || *left.ty.present().base() != Type::Sym(PLAYER)
            || !is_one
            || self.rules.players().len() != 2
        {
            return false;
        }
        let title = "a player is no number: players do not add up";
        let found = Diagnostic::new(Code::E0201, title, span, "not defined");
        let start = Span { end: left.span.start, ..left.span };
        let tail = Span { start: left.span.end, end: span.end, ..span };
        self.report(
            found.help("the other of two players is `other(...)`").edit(start, "other(").edit(tail, ")"),
        );
        true
    }

    /// Reports `-d` of a direction; returns true if it is that.
    pub(super) fn negative_direction(&mut self, made: &Expr, words: &ast::Expr, span: Span) -> bool {
        if *made.ty.present().base() != Type::Sym(DIR) {
            return false;
        }
        const OPPOSITES: &[(&str, &str)] = &[("N", "S"), ("E", "W"), ("NE", "SW"), ("NW", "SE"), ("U", "D")];
        let dirs = &self.rules.enums[DIR].members;
        let has = |name: &str| dirs.iter().any(|dir| dir == name);
        let pairs = OPPOSITES.iter().filter(|(one, other)| has(one) && has(other));
        let arms: Vec<String> =
            pairs.map(|(one, other)| format!("{one} => {other}, {other} => {one}")).collect();
        let title = "directions are no numbers, and have no negative";
        let found = Diagnostic::new(Code::E0201, title, span, "a direction");
        let word = print_expr(words);
        self.report(match arms.len() * 2 == dirs.len() && !arms.is_empty() {
            true => found.help(format!(
                "a table has the opposite ones, `const back[d: Dir]: Dir = match d {{ {} }};`: write `back[{word}]`",
                arms.join(", ")
            )),
            false => found.help(format!("a table has the opposite ones, and `back[{word}]` is the one of `{word}`")),
        });
        true
    }
}
