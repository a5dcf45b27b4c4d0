//! The conditions that hold wherever a move is made, as written: the conjuncts of the `when`s of its first stage.

use super::analyzer::Analyzer;
use super::expr::{EqualityTest, operands};
use bouton_base::source::Span;
use bouton_syntax::ast::{self, BinaryOp, Effect, EffectOp, ExprKind, ItemKind, StmtBlock, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_effect, print_expr};

/// The conjuncts of the conditions of a move, in order.
pub(super) fn conditions(body: &StmtBlock) -> Vec<&ast::Expr> {
    let whens = body.stmts.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::When(condition) => Some(condition),
        _ => None,
    });
    let mut found = Vec::new();
    whens.for_each(|condition| conjuncts(condition, &mut found));
    found
}

/// Collects the conjuncts of a condition.
pub(super) fn conjuncts<'e>(condition: &'e ast::Expr, found: &mut Vec<&'e ast::Expr>) {
    for side in operands(BinaryOp::And, condition.bare()) {
        match &*side.bare().kind {
            ExprKind::Binary(BinaryOp::And, ..) => conjuncts(side, found),
            _ => found.push(side.bare()),
        }
    }
}

/// The condition of a move that says that a term, as printed, is `none`.
fn emptiness<'e>(body: &'e StmtBlock, term: &str) -> Option<&'e ast::Expr> {
    conditions(body).into_iter().find(|condition| {
        EqualityTest::of(condition).is_some_and(|test| {
            let sides = [(test.left, test.right), (test.right, test.left)];
            !test.is_unequal
                && sides
                    .iter()
                    .any(|(a, b)| matches!(&*b.bare().kind, ExprKind::None) && print_expr(a.bare()) == term)
        })
    })
}

/// Returns true if a condition of a move says that a term, as printed, has a value: then one that says that it is `none`
/// is meant of another.
pub(super) fn is_occupied(body: &StmtBlock, term: &str) -> bool {
    conditions(body).into_iter().any(|condition| {
        EqualityTest::of(condition).is_some_and(|test| {
            let sides = [(test.left, test.right), (test.right, test.left)];
            let is_none = |side: &ast::Expr| matches!(&*side.bare().kind, ExprKind::None);
            sides.iter().any(|(a, b)| print_expr(a.bare()) == term && is_none(b) == test.is_unequal)
        })
    })
}

impl Analyzer<'_> {
    /// The condition of the move around a place that says that a term, as printed, is `none`.
    pub(super) fn known_to_be_empty(&self, place: Span, term: &str) -> Option<Span> {
        let ItemKind::Move(of) = self.item_around(place)? else { return None };
        Some(emptiness(&of.body, term)?.span)
    }

    /// W0312: `at[a] <- at[b]`, where a condition of the move says that `at[b]` is `none`.
    pub(super) fn moves_of_nothing(&mut self) {
        let mut found: Vec<(&Effect, Span, Span)> = Vec::new();
        for (item, own) in self.items() {
            if let ItemKind::Move(of) = &item.kind
                && own
            {
                let mut effects = Vec::new();
                moving_effects(&of.body, &mut effects);
                for (effect, span) in effects {
                    let source = print_expr(effect.value.bare());
                    let empty = emptiness(&of.body, &source).filter(|_| !is_occupied(&of.body, &source));
                    found.extend(empty.map(|condition| (effect, span, condition.span)));
                }
            }
        }
        for (effect, span, condition) in found {
            let text = print_effect(effect);
            let Some((target, source)) = text.split_once(" <- ") else { continue };
            let title = format!("this moves nothing: `{source}` is `none`");
            let found = Diagnostic::new(Code::W0312, title, span, format!("only empties `{target}`"));
            self.report(found.label(condition, "it is empty by this condition").help(format!(
                "the value goes from right to left: write `{source} <- {target};`, or `{target} := none;` to empty it"
            )));
        }
    }
}

/// Collects the effects `a <- b` of the first stage.
fn moving_effects<'e>(block: &'e StmtBlock, found: &mut Vec<(&'e Effect, Span)>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Effect(effect) if effect.op == EffectOp::Move => found.push((effect, stmt.span)),
            StmtKind::If(_, yes, no) => {
                moving_effects(yes, found);
                no.iter().for_each(|no| moving_effects(no, found));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn game(body: &str, code: Code) -> Vec<Diagnostic> {
        let text = format!(
            "game \"Steps\"; players A, B; board Cell = strip(4);
             state {{ at[c: Cell]: Player? = if c = a1 then A else if c = d1 then B else none; n: 0..9 = 0; }}
             move go(a: Cell, b: Cell) as \"{{a}}-{{b}}\" {{ n += 1; {body} }}
             end {{ when n = 9 => draw; when stuck => mover loses; }}"
        );
        found(&text, code)
    }

    #[test]
    fn nothing_is_moved() {
        let titles =
            |body: &str| game(body, Code::W0312).into_iter().map(|found| found.title).collect::<Vec<_>>();
        let empty = ["this moves nothing: `at[b]` is `none`"];
        assert_eq!(titles("when at[a] = me and at[b] = none; at[a] <- at[b];"), empty);
        assert_eq!(titles("when at[a] = me; when (none = at[b]); if n > 2 { at[a] <- at[b]; }"), empty);
        for body in [
            "when at[a] = me and at[b] = none; at[b] <- at[a];",
            "when at[a] = me and at[b] != none; at[a] <- at[b];",
            "when at[a] = me and (at[b] = none or n > 3); at[a] <- at[b];",
            "when at[a] = me and at[a] = none; at[b] <- at[a];",
            "when at[a] != none and at[a] = none; at[b] <- at[a];",
            "when at[a] = me and at[b] = none; at[b] <- at[a]; then { at[a] <- at[b]; }",
        ] {
            assert_eq!(titles(body), [""; 0], "{body}");
        }
    }

    #[test]
    fn empty_cells_are_no_values() {
        let advice = |body: &str| {
            let found = game(body, Code::E0202).remove(0);
            (found.help.unwrap_or_default(), found.edits.len())
        };
        let guarded = "when at[a] = me and at[b] = none; for c in Cell where at[c] = b { at[c] := me; }";
        let (help, edits) = advice(guarded);
        assert!(help.ends_with("write `at[c] = me` or `at[c] = opponent`"), "{help}");
        assert_eq!(edits, 0);
        let (help, edits) = advice("when at[a] = me; for c in Cell where at[c] = b { at[c] := me; }");
        assert!(help.ends_with("write `at[b] = at[c]`"), "{help}");
        assert_eq!(edits, 1);
    }
}
