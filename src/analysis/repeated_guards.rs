//! W0126 for a condition of a move that another one around it says already: the same `when` twice, and a
//! `when` or an `if` within an `if` of that condition.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use super::guards::conjuncts;
use super::lints::expr_names;
use bouton_syntax::ast::{self, ExprKind, ItemKind, Pattern, StmtBlock, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// A condition that holds, and its words.
#[derive(Clone)]
pub(super) struct Held<'e> {
    pub condition: &'e ast::Expr,
    pub text: String,
}

impl<'a> Analyzer<'a> {
    /// Runs the lints of this module.
    pub(super) fn repeated_guards(&mut self) {
        let mut found = Vec::new();
        for (item, own) in self.items() {
            match &item.kind {
                ItemKind::Move(ast::MoveDecl { body, .. })
                | ItemKind::EveryMove(body)
                | ItemKind::Effect { body, .. }
                    if own =>
                {
                    repeated_in(body, Vec::new(), &mut found);
                    self.contrary_in(body, Vec::new(), &mut found);
                }
                _ => {}
            }
        }
        for found in found {
            let is_known = |d: &Diagnostic| d.code == Code::W0126 && d.span() == found.span();
            if !self.diagnostics.iter().any(is_known) {
                self.report(found);
            }
        }
    }
}

/// Collects the reports on the conditions of a block that repeat those that hold around it.
fn repeated_in<'e>(block: &'e StmtBlock, mut held: Vec<Held<'e>>, found: &mut Vec<Diagnostic>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::When(condition) => held = told_and_held(condition, held, "when", found),
            StmtKind::If(condition, yes, no) => {
                let inside = told_and_held(condition, held.clone(), "if", found);
                repeated_in(yes, inside, found);
                no.iter().for_each(|no| repeated_in(no, held.clone(), found));
            }
            // Another variable of this name.
            StmtKind::Let(pattern, _) => forget(pattern, &mut held),
            StmtKind::For(binders, inner) => {
                let mut inside = held.clone();
                binders.iter().for_each(|binder| forget(&binder.pattern, &mut inside));
                repeated_in(inner, inside, found);
            }
            // A later stage reads another position.
            StmtKind::Then(inner) => repeated_in(inner, Vec::new(), found),
            _ => {}
        }
    }
}

/// Reports the parts of a condition that hold already, and adds the others.
fn told_and_held<'e>(
    condition: &'e ast::Expr,
    mut held: Vec<Held<'e>>,
    word: &str,
    found: &mut Vec<Diagnostic>,
) -> Vec<Held<'e>> {
    let mut parts = Vec::new();
    conjuncts(condition, &mut parts);
    let before = held.clone();
    for part in parts.into_iter().filter(|part| !matches!(&*part.kind, ExprKind::Bool(_))) {
        let text = print_expr(part);
        if let Some(first) = before.iter().find(|first| first.text == text) {
            let title = format!("this is always true here: `{text}` is asked for above");
            let told = Diagnostic::new(Code::W0126, title, part.span, format!("repeated behind `{word}`"));
            let help = "leave one of them out, or write the other condition that is meant";
            found.push(told.label(first.condition.span, "the first").help(help));
        } else {
            held.push(Held { condition: part, text });
        }
    }
    held
}

/// Removes the conditions on names that a pattern binds anew.
pub(super) fn forget(pattern: &Pattern, held: &mut Vec<Held<'_>>) {
    match pattern {
        Pattern::Name(name) => held.retain(|held| {
            let mut names = HashSet::new();
            expr_names(held.condition, &mut names);
            !names.contains(name.text.as_str())
        }),
        Pattern::Tuple(parts, _) => parts.iter().for_each(|part| forget(part, held)),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(body: &str) -> Vec<String> {
        let text = format!(
            "game \"Twice\"; players A, B; type I = 1..4; state {{ open: set of I = I; last: 0..4 = 0; }}
             move go(i: I) as \"{{i}}\" {{ {body} open -= {{ i }}; last := i; }} play normal;"
        );
        found(&text, Code::W0126).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn conditions_are_asked_for_once() {
        let always = ["this is always true here: `i in open` is asked for above"];
        assert_eq!(told("when i in open; when i in open;"), always);
        assert_eq!(
            told("when i in open and last < 3; when (i in open) or last > 9; when i in open;").len(),
            2
        );
        assert_eq!(told("when i in open; if i = min(open) { when i in open; }"), always);
        assert_eq!(told("when i in open; if i in open { open -= { max(open) }; }"), always);
        assert_eq!(told("if i in open { when last < i; if i in open { open -= { max(open) }; } }"), always);
    }

    #[test]
    fn other_conditions_are_no_repetition() {
        for body in [
            "when i in open; when i + 1 in open or last = 0;",
            "if last = 3 { when i in open; } else { when i in open; }",
            "when i in open; then { if i in open { open -= { max(open) }; } }",
            "if last > 2 { open -= { max(open) }; } when last > 2;",
            "when all j in I: j in open or j < 4; for j in I where j > 3 { when j in open or j < 4; }",
        ] {
            assert_eq!(told(body), [""; 0], "{body}");
        }
    }
}
