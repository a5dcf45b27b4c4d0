//! Steps off the board beside a condition that rules them out: `c + N in Cell and at[c + N] != me`.
//!
//! W0121 warns of a step that is compared with `!=`, since that is true off the board. The warning is dropped where
//! another condition of the same conjunction, of the same stage of a move, or of the same binder is false there, and
//! where the other side of an `or` holds at the border.

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{self, BinaryOp, CmpOp, ExprKind, ItemKind, StmtKind};
use bouton_syntax::diag::Code;
use bouton_syntax::{print_expr, visit};

/// The conditions that are known to hold around an expression.
#[derive(Clone, Default)]
struct Guards {
    /// The steps that stay on the board, as printed.
    steps: Vec<String>,
    /// The cells that are not at the border that the other side of an `or` names, as printed.
    inner_cells: Vec<String>,
}

impl Guards {
    fn with(&self, condition: &ast::Expr) -> Guards {
        let mut guards = self.clone();
        guards.add(condition);
        guards
    }

    /// Adds the steps that have a value wherever the condition holds.
    fn add(&mut self, condition: &ast::Expr) {
        match &*condition.kind {
            ExprKind::Paren(inner) => self.add(inner),
            ExprKind::Binary(BinaryOp::And, left, right) => {
                self.add(left);
                self.add(right);
            }
            ExprKind::Compare(first, rest) => {
                let mut left = first;
                for (op, right) in rest {
                    if !matches!(op, CmpOp::NotEqual | CmpOp::NotIn) {
                        self.add_steps(left);
                        self.add_steps(right);
                    }
                    left = right;
                }
            }
            ExprKind::Call(_, args) => args.iter().for_each(|arg| self.add_steps(arg)),
            _ => {}
        }
    }

    /// Adds the steps of a term that has a value.
    fn add_steps(&mut self, term: &ast::Expr) {
        match &*term.kind {
            ExprKind::Binary(BinaryOp::Add, left, right) => {
                self.steps.push(print_expr(term));
                self.add_steps(left);
                self.add_steps(right);
            }
            ExprKind::Index(_, keys) => keys.iter().for_each(|key| self.add_steps(key)),
            ExprKind::Part(of, _) | ExprKind::Paren(of) => self.add_steps(of),
            _ => {}
        }
    }

    /// Returns true if every step of a term stays on the board.
    fn cover(&self, term: &ast::Expr) -> bool {
        match &*term.kind {
            ExprKind::Binary(BinaryOp::Add, cell, _) => {
                self.steps.contains(&print_expr(term)) || self.inner_cells.contains(&print_expr(cell))
            }
            ExprKind::Index(_, keys) => keys.iter().all(|key| self.cover(key)),
            ExprKind::Part(of, _) | ExprKind::Paren(of) => self.cover(of),
            _ => true,
        }
    }
}

impl<'a> Analyzer<'a> {
    /// Drops the warnings of steps that another condition rules out.
    pub fn drop_guarded_steps(&mut self) {
        if !self.diagnostics.iter().any(|found| found.code == Code::W0121) {
            return;
        }
        let mut harmless = Vec::new();
        for (item, _) in self.items() {
            let guards = Guards::default();
            match &item.kind {
                ItemKind::Move(declared) => in_block(&declared.body, &guards, &mut harmless),
                ItemKind::EveryMove(body) | ItemKind::Effect { body, .. } => {
                    in_block(body, &guards, &mut harmless);
                }
                ItemKind::Def { body, .. } => in_expr(body, &guards, &mut harmless),
                ItemKind::Inductive { body, .. } => in_expr(body, &guards, &mut harmless),
                ItemKind::End(rules) => {
                    for rule in rules {
                        if let ast::EndCondition::When { binder, condition } = &rule.condition {
                            let guards = binder
                                .iter()
                                .fold(guards.clone(), |guards, b| in_binder(b, guards, &mut harmless));
                            in_expr(condition, &guards, &mut harmless);
                        }
                    }
                }
                ItemKind::Invariant { value, .. } => in_expr(value, &guards, &mut harmless),
                _ => {}
            }
        }
        self.diagnostics.retain(|found| found.code != Code::W0121 || !harmless.contains(&found.span()));
    }
}

/// Adds the comparisons of a stage, and of later ones, that are harmless.
fn in_block(block: &ast::StmtBlock, around: &Guards, harmless: &mut Vec<Span>) {
    let mut guards = around.clone();
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::When(condition) | StmtKind::Ensure(condition) => guards.add(condition),
            StmtKind::Let(_, value) => guards.add_steps(value),
            _ => {}
        }
    }
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::When(condition) | StmtKind::Ensure(condition) => in_expr(condition, &guards, harmless),
            StmtKind::Let(_, value) => in_expr(value, &guards, harmless),
            StmtKind::If(condition, yes, no) => {
                in_expr(condition, &guards, harmless);
                in_block(yes, &guards.with(condition), harmless);
                no.iter().for_each(|no| in_block(no, &guards, harmless));
            }
            StmtKind::For(binders, inner) => {
                let guards =
                    binders.iter().fold(guards.clone(), |guards, binder| in_binder(binder, guards, harmless));
                in_block(inner, &guards, harmless);
            }
            // A later stage reads another position.
            StmtKind::Then(inner) => in_block(inner, &Guards::default(), harmless),
            StmtKind::Effect(effect) => in_expr(&effect.value, &guards, harmless),
            _ => {}
        }
    }
}

/// Adds the harmless comparisons of a binder; returns the guards of its body.
fn in_binder(binder: &ast::Binder, guards: Guards, harmless: &mut Vec<Span>) -> Guards {
    in_expr(&binder.domain, &guards, harmless);
    let Some(condition) = &binder.condition else { return guards };
    in_expr(condition, &guards, harmless);
    guards.with(condition)
}

fn in_expr(expr: &ast::Expr, guards: &Guards, harmless: &mut Vec<Span>) {
    match &*expr.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            in_expr(left, &guards.with(right), harmless);
            in_expr(right, &guards.with(left), harmless);
        }
        ExprKind::Binary(BinaryOp::Or, left, right) => {
            for (side, other) in [(left, right), (right, left)] {
                let mut guards = guards.clone();
                guards.inner_cells.extend(border_cells(other));
                in_expr(side, &guards, harmless);
            }
        }
        ExprKind::Binary(BinaryOp::Implies, left, right) => {
            in_expr(left, guards, harmless);
            in_expr(right, &guards.with(left), harmless);
        }
        ExprKind::If(condition, yes, no) => {
            in_expr(condition, guards, harmless);
            in_expr(yes, &guards.with(condition), harmless);
            in_expr(no, guards, harmless);
        }
        ExprKind::Quant(_, binders, body) | ExprKind::Comprehension(body, binders) => {
            let guards =
                binders.iter().fold(guards.clone(), |guards, binder| in_binder(binder, guards, harmless));
            in_expr(body, &guards, harmless);
        }
        ExprKind::Compare(first, rest) => {
            let mut left = first;
            for (op, right) in rest {
                if *op == CmpOp::NotEqual && guards.cover(left) && guards.cover(right) {
                    harmless.push(left.span.to(right.span));
                    // The comparison alone has the span of the whole.
                    harmless.push(expr.span);
                }
                left = right;
            }
            visit::children(expr, &mut |part| in_expr(part, guards, harmless));
        }
        _ => visit::children(expr, &mut |part| in_expr(part, guards, harmless)),
    }
}

/// The cells whose coordinate a side of an `or` compares: c of `c.row = 1`.
fn border_cells(expr: &ast::Expr) -> Vec<String> {
    match &*expr.kind {
        ExprKind::Paren(inner) => border_cells(inner),
        ExprKind::Binary(BinaryOp::Or, left, right) => [border_cells(left), border_cells(right)].concat(),
        ExprKind::Compare(first, rest) => match (&*first.kind, &rest[..]) {
            (ExprKind::Part(cell, part), [(CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is, _)])
                if matches!(part.text.as_str(), "col" | "row" | "level") =>
            {
                vec![print_expr(cell)]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
