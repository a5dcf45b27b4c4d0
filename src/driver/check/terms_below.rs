//! Terms with all their parts, through the definitions that they call.

use bouton_rules::{DefId, Expr, ExprKind, Rules};

/// Goes through terms, their parts, and the bodies of the definitions that they call, each definition once.
pub(super) struct TermsBelow<'r> {
    rules: &'r Rules,
    open: Vec<&'r Expr>,
    called: Vec<DefId>,
}

impl<'r> TermsBelow<'r> {
    pub fn new(rules: &'r Rules, terms: Vec<&'r Expr>) -> TermsBelow<'r> {
        TermsBelow { rules, open: terms, called: Vec::new() }
    }

    /// Goes through the conditions of all end rules.
    pub fn of_ends(rules: &'r Rules) -> TermsBelow<'r> {
        TermsBelow::new(rules, rules.ends.iter().map(|rule| &rule.condition).collect())
    }
}

impl<'r> Iterator for TermsBelow<'r> {
    type Item = &'r Expr;

    fn next(&mut self) -> Option<&'r Expr> {
        let term = self.open.pop()?;
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
