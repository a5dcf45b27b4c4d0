//! Effects `n += k` in moves whose condition `k <= n` lets through what may be taken from `n`.

use super::load::GameSource;
use bouton_rules::{Effect, EffectOp, Expr, ExprKind, Value};

/// Returns the first of these comparisons, with their lower and upper sides, that asks for as much in the cell of an
/// addition as it adds.
pub(super) fn guard<'e>(
    text: &GameSource,
    effect: &Effect,
    comparisons: &[(&'e Expr, &'e Expr, &'e Expr)],
) -> Option<&'e Expr> {
    if effect.op != EffectOp::Add {
        return None;
    }
    let is_same = |a: &Expr, b: &Expr| {
        let are_placed = a.span.is_placed() && b.span.is_placed();
        are_placed && text.words(a.span) == text.words(b.span)
    };
    let is_cell = |side: &Expr| match &*side.kind {
        ExprKind::Field(field, keys) => {
            *field == effect.field
                && keys.len() == effect.keys.len()
                && keys.iter().zip(&effect.keys).all(|(a, b)| is_same(a, b))
        }
        _ => false,
    };
    let asks = |whole: &Expr, low: &Expr| match (&*whole.kind, low.constant(), effect.value.constant()) {
        (ExprKind::Less(..), Some(Value::Int(low)), Some(Value::Int(added))) => low + 1 == *added,
        (_, Some(low), Some(added)) => low == added,
        (_, None, None) => is_same(low, &effect.value),
        _ => false,
    };
    comparisons.iter().find(|(whole, low, high)| is_cell(high) && asks(whole, low)).map(|(whole, ..)| *whole)
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn an_addition_under_the_condition_of_a_subtraction_is_named() {
        let help = |condition: &str, effect: &str| {
            let rest = format!(
                "state {{ n: 0..5 = 5; m: 0..9 = 5; }} move take(k: 1..2) as \"{{k}}\" {{ when {condition}; {effect} }} play \
                 normal;"
            );
            let found = findings_of_two(&rest, Code::E0503).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let wanted = |condition: &str, effect: &str| {
            format!(
                "the condition `{condition}` guards a subtraction: if the move takes from `n`, write `{effect}`; if the \
                 move is illegal here"
            )
        };
        for (condition, effect, taken) in [
            ("k <= n", "n += k;", "n -= k;"),
            ("n >= k", "n += k;", "n -= k;"),
            ("n > 0", "n += 1;", "n -= 1;"),
            ("n >= 2", "n += 2;", "n -= 2;"),
        ] {
            let told = help(condition, effect);
            assert!(told.starts_with(&wanted(condition, taken)), "{told}");
        }
        for (condition, effect) in [("k <= m", "n += k;"), ("n > 0", "n += k;"), ("n > 0", "n += 2;")] {
            let told = help(condition, effect);
            assert!(!told.contains("guards a subtraction"), "{told}");
        }
    }
}
