//! E0104 for the keys of a field or table that stand in brackets of their own: `next_stem[stem][l]`.

use super::calls::count;
use crate::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::Type;
use bouton_syntax::ast::{self, ExprKind};
use bouton_syntax::{print_expr, visit};

impl Analyzer<'_> {
    /// Reports `table[a][b]` of a table with two keys; returns true if it is that.
    pub(super) fn keys_read_in_two_brackets(
        &mut self,
        name: &str,
        keys: &[ast::Expr],
        types: &[Type],
        span: Span,
    ) -> bool {
        let Some(first) = keys.first().filter(|_| keys.len() < types.len()) else { return false };
        let mut found = None;
        for text in self.texts.iter() {
            visit::expressions(&text.file, &mut |expr| outermost(expr, first.span, &mut found));
        }
        let Some((whole, all)) = found.filter(|(_, all)| all.len() == types.len()) else { return false };
        let form = format!("{name}[{}]", self.render_types(types));
        let found = self.wrong_number_of(name, &count(types.len(), "key"), keys.len(), span, form);
        let new = format!("{name}[{}]", all.iter().map(|key| print_expr(key)).collect::<Vec<_>>().join(", "));
        self.report(
            found.help(format!("all keys stand in one pair of brackets: write `{new}`")).edit(whole, new),
        );
        true
    }
}

/// Looks for the longest `x[a][b]` whose first key stands at a place, and all its keys.
fn outermost<'t>(expr: &'t ast::Expr, first: Span, found: &mut Option<(Span, Vec<&'t ast::Expr>)>) {
    if found.is_some() || !expr.span.covers(first) {
        return;
    }
    let mut keys: Vec<&ast::Expr> = Vec::new();
    let mut of = expr;
    while let ExprKind::Index(base, more) = &*of.kind {
        keys.splice(0..0, more);
        of = base;
    }
    if of.as_name().is_some() && keys.first().is_some_and(|key| key.span == first) {
        *found = Some((expr.span, keys));
        return;
    }
    visit::children(expr, &mut |part| outermost(part, first, found));
}

#[cfg(test)]
mod tests {
    use crate::testing::diagnostics;
    use bouton_syntax::diag::apply_edits;

    #[test]
    fn keys_stand_in_one_pair_of_brackets() {
        let text = |term: &str| {
            format!(
                "game \"Worth\"; players A, B; enum Row {{ low, high }}
                 const worth[r: Row, k: 1..2]: 1..3 = match r {{ low => k, high => k + 1 }};
                 state {{ left: 0..9 = 9; }}
                 move go(r: Row, k: 1..2) as \"{{r}}{{k}}\" {{ when left >= {term}; left -= worth[r, k]; }}
                 play normal;"
            )
        };
        let found = diagnostics(&text("worth[r][k]"));
        let [only] = &found[..] else { panic!("{found:?}") };
        let help = "all keys stand in one pair of brackets: write `worth[r, k]`";
        assert_eq!(only.help.as_deref(), Some(help));
        let (mended, _) = apply_edits(&text("worth[r][k]"), only.labels[0].span.file, &found);
        assert_eq!(mended, text("worth[r, k]"));
        assert!(diagnostics(&mended).is_empty());
        let one = diagnostics(&text("worth[r]"));
        assert!(one.iter().all(|found| found.edits.is_empty()), "{one:?}");
    }

    #[test]
    fn next_cells_are_steps() {
        let text = "game \"Up\"; players A, B; board F = grid(2, 3); state { on[f: F]: Player? = none; }
                    move go(f: F) as \"{f}\" { when on[f] = none and on[f.forward] = none; on[f] := me; } play normal;";
        let found = diagnostics(text);
        let [only] = &found[..] else { panic!("{found:?}") };
        assert!(
            only.help.as_deref().is_some_and(|help| help.starts_with("a step is written `+`")),
            "{only:?}"
        );
    }
}
