//! `&` and `|` between values that are no sets: conditions, alternatives of a comparison, patterns of one arm.

use crate::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::{Expr, SetOp, Type};
use bouton_syntax::ast::{self, BinaryOp, CmpOp, ExprKind as A};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_expr, visit};

/// The place of a chain of `&` or `|` in the text.
enum Place<'t> {
    /// Between the signs of a comparison: `a != b & c > 0`.
    BetweenConditions,
    /// After the only sign of a comparison: `a = b | c`.
    Alternatives { left: &'t ast::Expr, op: CmpOp, values: Vec<&'t ast::Expr>, whole: Span },
    /// Before `=>` in a `match`.
    Pattern { values: Vec<&'t ast::Expr>, whole: Span },
}

impl<'a> Analyzer<'a> {
    /// Reports `a & b` and `a | b` of values that are no sets, as in `k <= n & k > 0`; returns true if it is that.
    pub(super) fn joined_values(&mut self, op: SetOp, left: &Expr, right: &Expr) -> bool {
        let is_value = |made: &Expr| {
            let ty = made.ty.present().base();
            !matches!(ty, Type::Set(_) | Type::List(_) | Type::Error | Type::Never)
        };
        let (sign, word, sets, binary) = match op {
            SetOp::Intersect => ("&", "and", "the intersection", BinaryOp::Intersect),
            SetOp::Union => ("|", "or", "the union", BinaryOp::Union),
            SetOp::Minus => return false,
        };
        // A further value of a chain that was reported.
        if left.ty == Type::Error && is_value(right) {
            return true;
        }
        // In `wall | (open & n = 0)`, the sign is a second mistake beside the one on the right.
        let is_sign_told = |told: &Diagnostic| {
            right.span.covers(told.span()) && told.title.contains("of sets; conditions are joined by `")
        };
        let is_damaged = right.ty == Type::Error && self.diagnostics.iter().any(is_sign_told);
        if !is_value(left) || !is_value(right) && !is_damaged {
            return false;
        }
        let between = Span { start: left.span.end, end: right.span.start, ..left.span };
        let title = format!("`{sign}` is {sets} of sets; conditions are joined by `{word}`");
        let found = Diagnostic::new(Code::E0201, title, between, "no sets stand here");
        let place = self.place_of_chain(binary, between);
        let can_join = |made: &Expr| matches!(made.ty.present().base(), Type::Bool | Type::Int(..));
        let is_condition = |made: &Expr| *made.ty.present().base() == Type::Bool;
        self.report(match place {
            _ if is_damaged => found.help(format!("write `{word}` between two conditions")),
            Some(Place::Pattern { values, whole }) if op == SetOp::Union => {
                let title = "several values of one arm stand in braces";
                let found = Diagnostic::new(Code::E0201, title, whole, "`|` is the union of sets");
                let set = in_braces(&values);
                found.help(format!("write `{set} => ...`")).edit(whole, set)
            }
            Some(Place::Alternatives { left: term, op: CmpOp::Equal, values, whole })
                if op == SetOp::Union && !is_condition(right) =>
            {
                let title = "the values that a term may have are a set, in braces";
                let found = Diagnostic::new(Code::E0201, title, between, "`|` is the union of sets");
                let text = format!("{} in {}", print_expr(term), in_braces(&values));
                found.help(format!("write `{text}`")).edit(whole, text)
            }
            Some(Place::BetweenConditions) => {
                found.help(format!("write `{word}`")).edit(between, format!(" {word} "))
            }
            _ if can_join(left) && can_join(right) => {
                found.help(format!("write `{word}`")).edit(between, format!(" {word} "))
            }
            _ => found.help(format!(
                "each side of `{word}` is a condition of its own, as in `x = a {word} y = b`; a set of values is `{{ a, b }}`"
            )),
        });
        true
    }

    /// The place of the chain of an operator around the place of one of its signs.
    fn place_of_chain(&self, op: BinaryOp, sign: Span) -> Option<Place<'a>> {
        let mut found = None;
        for text in self.texts.iter() {
            visit::expressions(&text.file, &mut |expr| place_within(expr, op, sign, &mut found));
        }
        found
    }
}

/// Looks for the innermost place of a chain in an expression.
fn place_within<'t>(expr: &'t ast::Expr, op: BinaryOp, sign: Span, found: &mut Option<Place<'t>>) {
    if !expr.span.covers(sign) {
        return;
    }
    let chain = |side: &'t ast::Expr| {
        let values = super::operands(op, side);
        (side.span.covers(sign) && values.len() > 1).then_some(values)
    };
    match &*expr.kind {
        A::Compare(first, rest) => {
            let last = rest.len() - 1;
            for (index, (sign, side)) in rest.iter().enumerate() {
                let Some(values) = chain(side) else { continue };
                *found = Some(match index == last {
                    false => Place::BetweenConditions,
                    true if last > 0 => return,
                    true => Place::Alternatives { left: first, op: plain(*sign), values, whole: expr.span },
                });
            }
        }
        A::Match(_, arms) => {
            for pattern in arms.iter().filter_map(|arm| arm.pattern.as_ref()) {
                if let Some(values) = chain(pattern) {
                    *found = Some(Place::Pattern { values, whole: pattern.span });
                }
            }
        }
        _ => {}
    }
    visit::children(expr, &mut |inner| place_within(inner, op, sign, found));
}

/// `=` for each sign of equality.
fn plain(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::DoubleEqual | CmpOp::Is => CmpOp::Equal,
        op => op,
    }
}

fn in_braces(values: &[&ast::Expr]) -> String {
    let words: Vec<String> = values.iter().map(|value| print_expr(value)).collect();
    format!("{{ {} }}", words.join(", "))
}

#[cfg(test)]
mod tests {
    use crate::testing::{diagnostics, found};
    use bouton_syntax::diag::{Code, Diagnostic};

    fn text(condition: &str) -> String {
        format!(
            "game \"Jugs\"; players A, B; enum Jug {{ small, large, huge }}
             state {{ water[j: Jug]: 0..5 = 5; open: bool = true; last: Jug = small; }}
             move pour(a: Jug, b: Jug) as \"{{a}} {{b}}\" {{
               when {condition}; water[a] -= 1; last := b; open := not open; }}
             end {{ when stuck => mover loses; }}"
        )
    }

    fn mended(text: &str, told: &[Diagnostic]) -> String {
        let mut text = text.to_owned();
        for edit in told.iter().flat_map(|told| &told.edits).rev() {
            text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
        }
        text
    }

    #[test]
    fn signs_between_conditions_are_words() {
        for (written, meant) in [
            ("a != b & water[a] > 0", "a != b and water[a] > 0"),
            ("a = b | water[a] > 0", "a = b or water[a] > 0"),
            ("water[a] > 0 & open", "water[a] > 0 and open"),
            ("water[a] > 0 and a = large | huge", "water[a] > 0 and a in { large, huge }"),
            ("water[a] > 0 and a = small | large | huge", "water[a] > 0 and a in { small, large, huge }"),
            (
                "water[a] > match b { small | large => 1, huge => 2 }",
                "water[a] > match b { { small, large } => 1, huge => 2 }",
            ),
        ] {
            let text = text(written);
            let told: Vec<Diagnostic> =
                diagnostics(&text).into_iter().filter(|found| found.code == Code::E0201).collect();
            assert_eq!(told.len(), 1, "{written}: {told:?}");
            assert!(mended(&text, &told).contains(meant), "{written}: {}", mended(&text, &told));
        }
    }

    #[test]
    fn both_signs_of_a_condition_are_told() {
        let told = found(&text("a = small | (b = small & water[a] > 0)"), Code::E0201);
        let titles: Vec<&str> = told.iter().map(|found| found.title.as_str()).collect();
        assert_eq!(titles.len(), 2, "{titles:?}");
        assert!(titles.iter().all(|title| title.contains("; conditions are joined by `")), "{titles:?}");
    }

    #[test]
    fn sets_are_joined_by_signs() {
        let open = found(&text("water[a] > 0 and a != large | huge"), Code::E0201);
        assert!(open.len() == 1 && open[0].edits.is_empty(), "{open:?}");
        let sets = "water[a] > 0 and a in { small } | { huge } and #({ a, b } & { small, large }) > 0";
        assert!(found(&text(sets), Code::E0201).is_empty());
    }
}
