//! W0120: `a and x = 1 or x = 2` without brackets, which reads as `(a and x = 1) or x = 2`.
//!
//! Both sides of the `or` compare the same term, so a reader takes them for one condition beside the `and`.

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{self, BinaryOp, CmpOp, Expr, ExprKind, ItemKind, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Warns about conditions of moves, definitions and end rules that mix `and` and `or`, where both sides of the `or` compare one term.
    pub fn mixed_connectives(&mut self) {
        let mut found = Vec::new();
        for (item, own) in self.items() {
            match &item.kind {
                ItemKind::Move(declared) if own => in_block(&declared.body, &mut found),
                ItemKind::EveryMove(body) if own => in_block(body, &mut found),
                ItemKind::Def { body, .. } if own => found.extend(mixed(body)),
                ItemKind::End(rules) if own => {
                    for rule in rules {
                        if let ast::EndCondition::When { condition, .. } = &rule.condition {
                            found.extend(mixed(condition));
                        }
                    }
                }
                _ => {}
            }
        }
        for diagnostic in found {
            self.report(diagnostic);
        }
    }
}

/// Finds the conditions of a block, and of the blocks in it.
fn in_block(block: &ast::StmtBlock, found: &mut Vec<Diagnostic>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::When(condition) | StmtKind::Ensure(condition) => found.extend(mixed(condition)),
            StmtKind::Then(inner) | StmtKind::For(_, inner) => in_block(inner, found),
            StmtKind::If(_, yes, no) => {
                in_block(yes, found);
                no.iter().for_each(|no| in_block(no, found));
            }
            _ => {}
        }
    }
}

/// The diagnostic of `a and x = 1 or x = 2`.
fn mixed(condition: &Expr) -> Option<Diagnostic> {
    let mut alternatives = Vec::new();
    let mut first = condition;
    while let ExprKind::Binary(BinaryOp::Or, left, right) = &*first.kind {
        alternatives.push(right);
        first = left;
    }
    alternatives.reverse();
    let ExprKind::Binary(BinaryOp::And, before, last) = &*first.kind else { return None };
    let term = compared_term(last)?;
    let is_alike = |side: &&Expr| compared_term(side).is_some_and(|of| of == term);
    if alternatives.is_empty() || !alternatives.iter().all(is_alike) {
        return None;
    }
    let others: Vec<String> = alternatives.iter().map(|side| print_expr(side)).collect();
    let others = others.join(" or ");
    let span = alternatives[0].span.to(alternatives[alternatives.len() - 1].span);
    let title = format!("`and` binds before `or`: this holds wherever `{others}`");
    let found = Diagnostic::new(Code::W0120, title, span, "enough without the conditions before `and`");
    let joined = Span { start: before.span.start, ..first.span };
    let (before, last) = (print_expr(before), print_expr(last));
    Some(found.label(joined, "one of the two sides of `or`").help(format!(
        "brackets show which is meant: `{before} and ({last} or {others})`, or `({before} and {last}) or {others}`"
    )))
}

/// The left side of a comparison with a value, as printed.
fn compared_term(expr: &Expr) -> Option<String> {
    let ExprKind::Compare(left, rest) = &*expr.kind else { return None };
    let [(CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is | CmpOp::NotEqual | CmpOp::In, _)] = &rest[..] else {
        return None;
    };
    matches!(&*left.kind, ExprKind::Index(..) | ExprKind::Name(_) | ExprKind::Part(..))
        .then(|| print_expr(left))
}
