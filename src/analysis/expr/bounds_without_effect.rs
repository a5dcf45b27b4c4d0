//! W0125 for `max` and `min` with a number that the other term never passes: `max(4, x)` of an x in 0..4 is 4, and so is
//! `at := max(4, at + die)` of a field in 0..4, where nothing above 4 fits.

use super::decided::literal;
use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_rules::Expr;
use bouton_syntax::ast::{self, Access, EffectOp, ExprKind, ItemKind, TypeKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// The other one of the two functions, and the side on which it holds a number.
fn opposite(name: &str) -> (&'static str, &'static str) {
    if name == "max" { ("min", "above") } else { ("max", "below") }
}

impl Analyzer<'_> {
    /// Warns about `max(4, x)` where x is never above 4.
    pub(super) fn bound_never_passed(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        made: &Expr,
        locals: &Locals,
    ) {
        let [one, other] = args else { return };
        let is_own = self.items().any(|(item, own)| own && item.span.covers(made.span));
        if !is_own || self.options.damaged || locals.place == ExprPlace::Static || self.is_static(made) {
            return;
        }
        for (bound, term) in [(one, other), (other, one)] {
            let (Some(n), Some([low, high])) = (literal(bound), self.extent(term, locals)) else { continue };
            let is_passed = if name == "max" { high > n } else { low < n };
            if is_passed || low == high {
                continue;
            }
            let term = print_expr(term.bare());
            let (right, side) = opposite(name);
            let title = format!("this is always {n}: `{term}` is in {low}..{high}");
            let found = Diagnostic::new(Code::W0125, title, made.span, format!("always {n}"));
            self.report_once(found.help(format!(
                "`{right}` holds a number at a bound from {side}: `{right}({n}, {term})`; or write `{n}` alone"
            )));
            return;
        }
    }

    /// Warns about `at := max(4, x)` where the range of the field ends with 4.
    pub(crate) fn bound_on_the_wrong_side(&mut self, effect: &ast::Effect) {
        let ExprKind::Call(called, args) = &*effect.value.bare().kind else { return };
        let (Some(name @ ("max" | "min")), [one, other]) = (called.as_name(), &args[..]) else { return };
        let is_field_itself = matches!(&effect.target.path[..], [] | [Access::Index(_)]);
        let span = effect.value.span;
        let is_own = self.items().any(|(item, own)| own && item.span.covers(span));
        if effect.op != EffectOp::Set || !is_field_itself || !is_own || self.options.damaged {
            return;
        }
        let field = effect.target.name.text.as_str();
        let range = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::State(fields) => fields.iter().find(|of| of.name.text == field).map(|of| &of.ty),
            _ => None,
        });
        let Some(TypeKind::Expr(range)) = range.map(|range| &range.kind) else { return };
        let Some(numbers) = self.numbers_of(range) else { return };
        let [low, high] = numbers.ends.map(|end| print_expr(end.bare()));
        let end = if name == "max" { &high } else { &low };
        let (bound, term) = match [one, other].map(|arg| print_expr(arg.bare())) {
            [a, b] if a == *end => (a, b),
            [a, b] if b == *end => (b, a),
            _ => return,
        };
        let (right, side) = opposite(name);
        let title = format!("`{field}` holds {low}..{high}, so it is always set to {bound} here");
        let found = Diagnostic::new(Code::W0125, title, span, format!("{bound}, or does not fit"));
        let found = found.label(numbers.span, "its range");
        self.report_once(found.help(format!(
            "`{right}` holds a number at a bound from {side}: `{right}({bound}, {term})`; or write `{bound}` alone"
        )));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(effect: &str) -> Vec<(String, String)> {
        let text = format!(
            "game \"Road\"; players A, B; param length: 4..9 = 6; type Place = 0..4;
             state {{ at[p: Player]: 0..4 = 0; far: 0..length = 0; x: Place = 0; n: 0..9 = 0; }}
             move drive(d: 1..2) as \"{{d}}\" {{ when at[me] < 4 and far < length and x < 4; n := at[me] + far + x; {effect} }}
             end {{ when n = 9 => A wins; when stuck => draw; }}"
        );
        let found = found(&text, Code::W0125);
        assert!(found.iter().all(|found| found.edits.is_empty()), "{found:?}");
        found.into_iter().map(|found| (found.title, found.help.unwrap_or_default())).collect()
    }

    #[test]
    fn bounds_are_on_the_right_side() {
        for (effect, title, right) in [
            (
                "at[me] := max(4, at[me] + d);",
                "`at` holds 0..4, so it is always set to 4 here",
                "`min(4, at[me] + d)`",
            ),
            (
                "far := max(far + d, length);",
                "`far` holds 0..length, so it is always set to length here",
                "`min(length, far + d)`",
            ),
            ("x := max(4, x + d);", "`x` holds 0..4, so it is always set to 4 here", "`min(4, x + d)`"),
            (
                "at[me] := min(0, at[me] - d);",
                "`at` holds 0..4, so it is always set to 0 here",
                "`max(0, at[me] - d)`",
            ),
            ("n := max(5, at[me]);", "this is always 5: `at[me]` is in 0..4", "`min(5, at[me])`"),
            ("n := 1 + min(0, at[me]);", "this is always 0: `at[me]` is in 0..4", "`max(0, at[me])`"),
        ] {
            let [(found, help)] = &told(effect)[..] else { panic!("{effect}: {:?}", told(effect)) };
            assert_eq!(found, title);
            assert!(help.contains(right), "{help}");
        }
        for effect in [
            "at[me] := min(4, at[me] + d);",
            "at[me] := max(0, at[me] - d);",
            "far := min(length, far + d);",
            "at[me] := max(3, at[me]);",
            "n := max(1, d);",
            "n := max(2, d);",
        ] {
            assert_eq!(told(effect), [], "{effect}");
        }
    }
}
