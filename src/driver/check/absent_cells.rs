//! Cells by number that are on no place of the board: `Hill(4, k)` on a board of three columns (W0531, W0532).

use super::terms_below::TermsBelow;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{BoardFn, Expr, ExprKind, Rules, Type, Value};
use bouton_syntax::diag::{Code, Diagnostic};

/// Tells first of such a cell in the rule or move of a finding.
pub(super) fn explain(text: &GameSource, rules: &Rules, found: &mut [Diagnostic]) {
    let is_open = |found: &&mut Diagnostic| [Code::W0531, Code::W0532].contains(&found.code);
    for diagnostic in found.iter_mut().filter(is_open) {
        let mut terms = TermsBelow::of_place(rules, diagnostic.span()).entering(is_no_case);
        let Some(AbsentCell { span, numbers, low, high }) = terms.find_map(|term| absent(rules, term)) else {
            continue;
        };
        let words = text.words(span);
        let told = format!("`{words}` is never a cell: the {numbers} are {low} to {high}");
        diagnostic.labels.push(bouton_syntax::diag::Label { span, text: "never a cell".to_owned() });
        let help = format!("{told}, and the column stands before the row: correct the number or the order");
        diagnostic.help = Some(match diagnostic.help.take() {
            Some(rest) if rest.starts_with("its condition holds in none") => help,
            Some(rest) => format!("{help}; otherwise, {rest}"),
            None => help,
        });
    }
}

/// A cell by numbers of which one is outside the board.
struct AbsentCell {
    span: Span,
    /// `columns` or `rows`.
    numbers: &'static str,
    low: i64,
    high: i64,
}

/// False for a term that a case of its own may leave without a value: there, nothing is wrong.
fn is_no_case(kind: &ExprKind) -> bool {
    !matches!(kind, ExprKind::Or(_) | ExprKind::If(..) | ExprKind::Match(..) | ExprKind::Defined(_))
}

/// The cell, if one of its numbers is none of the board whatever the names in it stand for.
fn absent(rules: &Rules, term: &Expr) -> Option<AbsentCell> {
    let ExprKind::Board(BoardFn::At, id, args) = &*term.kind else { return None };
    let ([col, row], true) = (&args[..], term.span.is_placed()) else { return None };
    let board = &rules.boards[*id];
    [(col, &board.col, "columns"), (row, &board.row, "rows")].into_iter().find_map(|(arg, range, numbers)| {
        let Type::Int(low, high) = *range else { return None };
        let (least, most) = match arg.constant() {
            Some(Value::Int(number)) => (*number, *number),
            _ => arg.ty.interval()?,
        };
        (most < low || least > high).then_some(AbsentCell { span: term.span, numbers, low, high })
    })
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_cell_that_is_not_on_the_board_is_named() {
        let help = |cell: &str| {
            let rest = format!(
                "board Hill = grid(3, 4); state {{ lit[h: Hill]: Player? = none; n: 0..3 = 0; }} move light(h: Hill) as \"{{h}}\" {{ \
                 when lit[h] = none and n < 3; lit[h] := me; n += 1; }} end {{ for p in Player when some k in 1..3: \
                 lit[{cell}] = p and n = 2 => p wins; when n = 3 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::W0532).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("Hill(4, k)");
        assert!(
            told.starts_with("`Hill(4, k)` is never a cell: the columns are 1 to 3, and the column"),
            "{told}"
        );
        assert!(!help("Hill(k, 4)").contains("never a cell"));
    }
}
