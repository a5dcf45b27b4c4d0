//! Terms with all their parts, through the definitions that they call.

use bouton_base::source::Span;
use bouton_rules::{DefId, Expr, ExprKind, Rules, StmtKind};

/// Goes through terms, their parts, and the bodies of the definitions that they call, each definition once.
pub(super) struct TermsBelow<'r> {
    rules: &'r Rules,
    open: Vec<&'r Expr>,
    called: Vec<DefId>,
    /// True for a term whose parts are gone through as well.
    enters: fn(&ExprKind) -> bool,
}

impl<'r> TermsBelow<'r> {
    fn new(rules: &'r Rules, terms: Vec<&'r Expr>) -> TermsBelow<'r> {
        TermsBelow { rules, open: terms, called: Vec::new(), enters: |_| true }
    }

    /// Goes through the conditions of all end rules.
    pub fn of_ends(rules: &'r Rules) -> TermsBelow<'r> {
        TermsBelow::new(rules, rules.ends.iter().map(|rule| &rule.condition).collect())
    }

    /// Goes through the condition of the end rule at a place, or the guards and local names of the move there.
    pub fn of_place(rules: &'r Rules, place: Span) -> TermsBelow<'r> {
        let ends = rules.ends.iter().filter(|rule| rule.span == place).map(|rule| &rule.condition);
        let moves = rules.moves.iter().filter(|mv| mv.span == place).flat_map(|mv| &mv.body.stmts);
        let guards = moves.filter_map(|stmt| match &stmt.kind {
            StmtKind::Require(term) | StmtKind::Let(_, term) => Some(term),
            _ => None,
        });
        TermsBelow::new(rules, ends.chain(guards).collect())
    }

    /// Leaves out the parts of terms for which this is false.
    pub fn entering(self, enters: fn(&ExprKind) -> bool) -> TermsBelow<'r> {
        TermsBelow { enters, ..self }
    }
}

impl<'r> Iterator for TermsBelow<'r> {
    type Item = &'r Expr;

    fn next(&mut self) -> Option<&'r Expr> {
        let term = self.open.pop()?;
        if !(self.enters)(&term.kind) {
            return Some(term);
        }
        if let ExprKind::Call(def, _) = &*term.kind
            && !self.called.contains(def)
        {
            self.called.push(*def);
            self.open.push(&self.rules.defs[*def].body);
        }
        term.each_part(&mut |part| self.open.push(part));
        Some(term)
    }
}
