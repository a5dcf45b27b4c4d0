//! W0125 for arithmetic whose form alone gives its value: `x - x`, `0 * x`, `min(x, x)`.

use super::compare::same_terms;
use super::decided::literal;
use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_base::source::Span;
use bouton_rules::{BoardFn as F, Expr, ExprKind, Type};
use bouton_syntax::ast::{self, BinaryOp};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Warns about arithmetic on a term that cancels; `made` is what came of it.
    pub(super) fn cancelled_term(
        &mut self,
        op: BinaryOp,
        words: [&ast::Expr; 2],
        made: &Expr,
        locals: &Locals,
    ) {
        let [left, right] = words;
        let is_same = same_terms(left, right);
        let of_both = |term: &ast::Expr| format!("both sides are `{}`", print_expr(term.bare()));
        let (value, why) = match op {
            BinaryOp::Subtract if is_same => ("0", of_both(left)),
            BinaryOp::Divide if is_same => ("1", of_both(left)),
            BinaryOp::Mod if is_same => ("0", of_both(left)),
            BinaryOp::Multiply if [left, right].iter().any(|side| literal(side) == Some(0)) => {
                ("0", "a number times 0 is 0".to_owned())
            }
            _ => return,
        };
        // What reads no state may be a sum that is written out, or depend on a parameter.
        let is_open = self.is_open_to_advice(made, locals) && !self.hides_a_player(made.span);
        if !is_open || self.is_static(made) {
            return;
        }
        let title = format!("this is always {value}: {why}");
        let found = Diagnostic::new(Code::W0125, title, made.span, format!("always {value}"));
        self.report_once(found.help(match is_same {
            true => format!("write the other term that is meant on one of the sides, or `{value}` alone"),
            false => format!("write the number that is meant, or `{value}` alone"),
        }));
    }

    /// Warns about `x + y - x`, where a term of a sum is added and taken away.
    pub(super) fn cancelled_in_a_sum(
        &mut self,
        op: BinaryOp,
        words: [&ast::Expr; 2],
        made: &Expr,
        locals: &Locals,
    ) {
        let mut terms = Vec::new();
        signed_terms(words[0], false, &mut terms);
        let before = terms.len();
        // `x - x` alone is told by its value.
        if before == 1 && op == BinaryOp::Subtract && same_terms(words[0], words[1]) {
            return;
        }
        signed_terms(words[1], op == BinaryOp::Subtract, &mut terms);
        let (first, last) = terms.split_at(before);
        let pair = last.iter().find_map(|(again, sign)| {
            let is_opposite = |(term, of): &&(&ast::Expr, bool)| of != sign && same_terms(term, again);
            first.iter().find(is_opposite).map(|(term, _)| (term.span, *again))
        });
        let Some((first, again)) = pair.filter(|_| self.is_open_to_advice(made, locals)) else { return };
        let is_known = |known: &Diagnostic| known.code == Code::W0125 && known.span() == again.span;
        let is_number = made.ty.interval().is_some();
        if !is_number
            || self.hides_a_player(made.span)
            || self.is_static(made)
            || self.diagnostics.iter().any(is_known)
        {
            return;
        }
        let term = print_expr(again.bare());
        let title = format!("this sum adds `{term}` and takes it away");
        let found =
            Diagnostic::new(Code::W0125, title, again.span, "the two cancel").label(first, "the same");
        self.report(
            found.help("write the other term that is meant in one of the two places, or leave both out"),
        );
    }

    /// Warns about `min(x, x)`, which is x.
    pub(super) fn least_of_one_term(&mut self, name: &str, args: &[ast::Expr], made: &Expr, locals: &Locals) {
        let pairs = args.iter().enumerate();
        let mut again = pairs.filter_map(|(place, arg)| {
            let first = args[..place].iter().find(|before| same_terms(before, arg))?;
            Some((first.span, arg))
        });
        let Some((first, again)) = again.next_back().filter(|_| self.is_open_to_advice(made, locals)) else {
            return;
        };
        if self.is_static(made) {
            return;
        }
        let term = print_expr(again.bare());
        let title = format!("this `{name}` has `{term}` twice");
        let found = Diagnostic::new(Code::W0125, title, again.span, "the same again");
        let alone = if args.len() == 2 { format!(", or `{term}` alone") } else { String::new() };
        self.report_once(
            found
                .label(first, "the first")
                .help(format!("write the other term that is meant in one of the two places{alone}")),
        );
    }

    /// Warns about `orthogonal(f, f)`, `between(f, f)` and their like, where both cells are one.
    pub(super) fn one_cell_twice(&mut self, name: &str, args: &[ast::Expr], made: &Expr, locals: &Locals) {
        let [first, second] = args else { return };
        if !same_terms(first, second) || !self.is_open_to_advice(made, locals) {
            return;
        }
        let Some(decided) = self.of_each_cell_with_itself(made) else { return };
        let term = print_expr(first.bare());
        let (code, title, label) = match decided {
            ItselfGives::Truth(true) => return,
            ItselfGives::Truth(false) => {
                let why = format!("a cell is not `{name}` with itself");
                (Code::W0126, format!("this is never true: {why}"), "never true")
            }
            ItselfGives::Nothing => {
                let title =
                    format!("this never has a value: `{name}` is about two cells, not a cell and itself");
                (Code::W0123, title, "always undefined")
            }
        };
        let found = Diagnostic::new(code, title, made.span, label).label(second.span, "the same cell");
        let others = self.other_cells(&term, &made_cell(made), made.span, locals);
        self.report_once(found.help(match &others[..] {
            [] => format!("both places name `{term}`: write the other cell that is meant in one of them"),
            [other] => format!("both places name `{term}`: is one of them meant to be `{other}`?"),
            [.., a, b] => format!("both places name `{term}`: is one of them meant to be `{a}` or `{b}`?"),
        }));
    }

    /// Returns true where a warning about the form of a term is of use: outside of constants and damaged
    /// files.
    fn is_open_to_advice(&self, made: &Expr, locals: &Locals) -> bool {
        let is_own = self.items().any(|(item, own)| own && item.span.covers(made.span));
        is_own && !self.options.damaged && made.ty != Type::Error && locals.place != ExprPlace::Static
    }

    /// Returns true in a rule of the end with W0112, whose payoff names each player in turn: its terms are
    /// not what they seem.
    fn hides_a_player(&self, place: Span) -> bool {
        let Some(ast::ItemKind::End(rules)) = self.item_around(place) else { return false };
        let Some(rule) = rules.iter().find(|rule| rule.span.covers(place)) else { return false };
        self.diagnostics.iter().any(|found| found.code == Code::W0112 && rule.span.covers(found.span()))
    }

    /// The value of a function of two cells for a cell and itself, if it is the same for all cells of its
    /// board.
    fn of_each_cell_with_itself(&self, made: &Expr) -> Option<ItselfGives> {
        let ExprKind::Board(function, board, _) = &*made.kind else { return None };
        let board = &self.rules.boards[*board];
        let value = |cell: u32| match function {
            F::Aligned => Some(ItselfGives::Truth(board.aligned(cell, cell))),
            F::Diagonal => Some(ItselfGives::Truth(board.diagonal_pair(cell, cell))),
            F::Orthogonal => Some(ItselfGives::Truth(board.orthogonal_pair(cell, cell))),
            F::Between => board.between(cell, cell).is_none().then_some(ItselfGives::Nothing),
            F::Beyond => board.beyond(cell, cell).is_none().then_some(ItselfGives::Nothing),
            F::Dir => board.dir(cell, cell).is_none().then_some(ItselfGives::Nothing),
            _ => None,
        };
        let mut values = (0..board.len() as u32).map(value);
        let first = values.next()??;
        values.all(|value| value == Some(first)).then_some(first)
    }
}

/// Collects the terms of a sum, with true for those that are taken away.
fn signed_terms<'e>(sum: &'e ast::Expr, is_taken: bool, found: &mut Vec<(&'e ast::Expr, bool)>) {
    match &*sum.bare().kind {
        ast::ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
            signed_terms(left, is_taken, found);
            signed_terms(right, is_taken != (*op == BinaryOp::Subtract), found);
        }
        ast::ExprKind::Unary(ast::UnaryOp::Negate, inner) => signed_terms(inner, !is_taken, found),
        _ => found.push((sum, is_taken)),
    }
}

/// The outcome of a function of two cells for a cell and itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItselfGives {
    Truth(bool),
    /// It is undefined.
    Nothing,
}

/// The type of the cells of a function of boards.
fn made_cell(made: &Expr) -> Type {
    match &*made.kind {
        ExprKind::Board(_, _, args) => args.first().map_or(Type::Error, |cell| cell.ty.clone()),
        _ => Type::Error,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::diagnostics;

    fn told(term: &str) -> Vec<String> {
        let text = format!(
            "game \"Race\"; players A, B; const side = 3; board Cell = grid(3, 3);
             state {{ n: 0..9 = 0; score[p: Player]: 0..9 = 0; at: Cell = a1; }}
             def value(p: Player, k: 1..3, f: Cell, g: Cell) = {term};
             move go(k: 1..3, f: Cell) as \"{{k}} {{f}}\" {{
               when n + k <= 9 and value(me, k, at, f) = value(opponent, k, f, at); n += k; score[me] := k; at := f; }}
             end {{ when n = 9 => highest score; }}"
        );
        let is_it = |found: &bouton_syntax::diag::Diagnostic| {
            let title = &found.title;
            title.starts_with("this is")
                || title.starts_with("this sum")
                || title.starts_with("this never")
                || title.ends_with(" twice")
        };
        let found: Vec<_> = diagnostics(&text).into_iter().filter(is_it).collect();
        assert!(found.iter().all(|found| found.edits.is_empty()));
        found.into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn terms_do_not_cancel() {
        let both = "both sides are `score[p]`";
        for (term, title) in [
            ("score[p] - score[p]", format!("this is always 0: {both}")),
            (
                "score[p] / max(1, k) - score[p] / max(1, k)",
                "this is always 0: both sides are `score[p] / max(1, k)`".into(),
            ),
            ("0 * score[p]", "this is always 0: a number times 0 is 0".into()),
            (
                "n mod max(1, n) + max(1, n) mod max(1, n)",
                "this is always 0: both sides are `max(1, n)`".into(),
            ),
            ("score[p] + n - score[p] - k", "this sum adds `score[p]` and takes it away".into()),
            ("n - score[p] + k + score[p]", "this sum adds `score[p]` and takes it away".into()),
            ("k - (n - k + score[p]) - (4 - n)", "this sum adds `n` and takes it away".into()),
            ("min(n, n)", "this `min` has `n` twice".into()),
            ("max(n, 3, n)", "this `max` has `n` twice".into()),
        ] {
            assert_eq!(told(term), [title], "{term}");
        }
        for term in [
            "score[p] - score[other(p)]",
            "score[p] + n - score[other(p)] - k",
            "n + 1 + k - 1",
            "n - (k - score[p]) - (k + 2 * score[p])",
            "n - side * 0",
            "n + (3 - 3)",
            "n mod 2",
            "min(n, 3)",
            "max(n, score[p])",
            "2 * score[p]",
        ] {
            assert_eq!(told(term), [""; 0], "{term}");
        }
    }

    #[test]
    fn functions_of_two_cells_have_two() {
        for (term, title) in [
            ("orthogonal(f, f)", "this is never true: a cell is not `orthogonal` with itself"),
            ("f != g and aligned(g, g)", "this is never true: a cell is not `aligned` with itself"),
            (
                "all x in between(f, f): n > x.row",
                "this never has a value: `between` is about two cells, not a cell and itself",
            ),
            ("dir(f, f)", "this never has a value: `dir` is about two cells, not a cell and itself"),
        ] {
            assert_eq!(told(term), [title], "{term}");
        }
        for term in ["orthogonal(f, g)", "all x in between(f, g): n > x.row", "dir(f, g)"] {
            assert_eq!(told(term), [""; 0], "{term}");
        }
    }
}
