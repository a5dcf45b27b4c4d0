//! Comparisons of a column or a row with a table that holds numbers the board does not have: `c.col =
//! bank[p]`, where `bank` is that of rows (W0531, W0532, W0534).

use super::terms_below::TermsBelow;
use bouton_base::source::Span;
use bouton_rules::{BoardFn, Expr, ExprKind, Rules, TableId, Type, Value};
use bouton_syntax::diag::{Code, Diagnostic, Label};

/// Adds such a comparison to findings about rules and moves that contain it, and to no other.
pub(super) fn explain(rules: &Rules, found: &mut [Diagnostic]) {
    let is_open = |found: &&mut Diagnostic| [Code::W0531, Code::W0532, Code::W0534].contains(&found.code);
    for diagnostic in found.iter_mut().filter(is_open) {
        let terms = TermsBelow::of_place(rules, diagnostic.span());
        let Some(OffBoard { span, entry, words, other }) = first_of(rules, terms) else {
            continue;
        };
        diagnostic.labels.push(Label { span, text: format!("{entry}: there is no such {words}") });
        let part = if other == "row" { "row" } else { "col" };
        let more =
            format!("{entry}, and the board has no such {words}: if the {other} is meant, write `.{part}`");
        diagnostic.help = Some(match diagnostic.help.take() {
            Some(help) if diagnostic.code == Code::W0534 => format!("{more}; otherwise, {help}"),
            Some(help) => format!("{help}; {more}"),
            None => more,
        });
    }
}

/// A comparison with a number that the board does not have.
struct OffBoard {
    span: Span,
    /// The entry of the table with its number, in words.
    entry: String,
    /// `column` or `row`.
    words: &'static str,
    /// The other of the two, which all numbers of the table fit.
    other: &'static str,
}

fn first_of(rules: &Rules, mut terms: TermsBelow<'_>) -> Option<OffBoard> {
    terms.find_map(|term| match &*term.kind {
        ExprKind::Equal(a, b) => {
            off_board(rules, term.span, [a, b]).or_else(|| off_board(rules, term.span, [b, a]))
        }
        _ => None,
    })
}

/// The comparison of a column or a row with an entry of a table, if some entry is none of the board and
/// others are.
fn off_board(rules: &Rules, span: Span, [part, entry]: [&Expr; 2]) -> Option<OffBoard> {
    let ExprKind::Board(of, board, _) = &*part.kind else { return None };
    let ExprKind::Table(table, _) = &*entry.kind else { return None };
    let board = &rules.boards[*board];
    let (own, across, words, other) = match of {
        BoardFn::Col => (&board.col, &board.row, "column", "row"),
        BoardFn::Row => (&board.row, &board.col, "row", "column"),
        _ => return None,
    };
    let (Type::Int(low, high), Type::Int(low_across, high_across)) = (own, across) else { return None };
    let numbers = numbers(rules, *table)?;
    let fits = |low: i64, high: i64| move |(_, number): &&(String, i64)| (low..=high).contains(number);
    let (shown, number) = numbers.iter().find(|number| !fits(*low, *high)(number))?;
    // A number that stands for nowhere is meant so.
    let is_swapped = numbers.iter().all(|number| fits(*low_across, *high_across)(&number));
    (is_swapped && span.is_placed()).then(|| OffBoard {
        span,
        entry: format!("`{}[{shown}]` is {number}", rules.tables[*table].name),
        words,
        other,
    })
}

/// The entries of a table of numbers with one key.
fn numbers(rules: &Rules, table: TableId) -> Option<Vec<(String, i64)>> {
    let table = &rules.tables[table];
    let [key] = &table.keys[..] else { return None };
    let entries = key.values.iter().zip(&table.values);
    let number = |(key, value): (&Value, &Option<Value>)| Some((rules.show(key), value.as_ref()?.as_int()?));
    entries.map(number).collect()
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_column_that_the_board_does_not_have_is_told() {
        let told = |part: &str, code: Code| {
            let rest = format!(
                "board C = grid(3, 4); const bank[p: Player]: 1..4 = match p {{ A => 4, B => 1 }}; const fwd[p: Player]: Dir = \
                 match p {{ A => N, B => S }}; state {{ on[c: C]: Player? = if c = b1 then A else if c = c4 then B else none; }} \
                 move go(a: C) as \"{{a}}\" {{ let b = a + fwd[me]; when on[a] = me and on[b] = none; on[b] <- on[a]; }} end {{ \
                 for p in Player when some c in C: c.{part} = bank[p] and on[c] = p => p wins; when stuck => draw; }}"
            );
            let found = findings_of_two(&rest, code).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let wanted = "`bank[A]` is 4, and the board has no such column: if the row is meant, write `.row`";
        assert!(told("col", Code::W0532).ends_with(wanted), "{}", told("col", Code::W0532));
        assert!(!told("row", Code::W0532).contains("no such"), "{}", told("row", Code::W0532));
    }
}
