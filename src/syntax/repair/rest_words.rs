//! Words for the last branch of a term: `if f then a otherwise b`, `match k { 1 => a, otherwise => b }`.

use super::RepairSession;
use super::edits::{Fix, FixFinder};
use crate::ast::{Expr, ExprKind};
use crate::diag::{Code, Diagnostic};
use crate::visit_mut::{TermVisitor, visit_item};

/// Words for the last branch.
const WORDS: [&str; 4] = ["otherwise", "default", "elsewise", "others"];

impl FixFinder<'_> {
    /// Rewrites `if f then a otherwise b` to `if f then a else b`.
    pub(super) fn last_branch_of_a_term(&self) -> Option<Fix> {
        let at = self.bounds.at;
        if !WORDS.contains(&self.word) || self.word == "others" || self.outline().declares(self.word) {
            return None;
        }
        let (mut thens, mut word) = (0_usize, at);
        while word > self.bounds.first + 1 {
            word -= 1;
            match self.layout.partner(word) {
                Some(open) if open < word => word = open,
                Some(_) => break,
                None => match self.layout.text(word) {
                    "then" => thens += 1,
                    "else" if thens == 0 => return None,
                    ";" | "=>" => break,
                    _ => {}
                },
            }
        }
        let is_term = thens == 1 && self.ends_term(at - 1) && self.layout.text(at + 1) != "{";
        is_term.then(|| {
            let title = format!("`{}` is written `else`", self.word);
            let help = format!("write `else {}`", self.layout.text(at + 1));
            let fix = Fix::new(self.here(), "else", Code::E0013, title).help(help);
            Fix { accepts_partial: true, ..fix }
        })
    }
}

/// The visitor of `match` terms, with the words that the file declares nowhere.
struct LastArms<'a> {
    words: &'a [&'static str],
    found: Vec<Diagnostic>,
}

impl TermVisitor for LastArms<'_> {
    fn term(&mut self, term: &mut Expr) {
        let ExprKind::Match(_, arms) = &mut *term.kind else { return };
        let Some(last) = arms.last_mut() else { return };
        let name =
            last.pattern.as_ref().and_then(|pattern| Some((pattern.as_name()?.to_owned(), pattern.span)));
        let Some((name, span)) = name.filter(|(name, _)| self.words.contains(&name.as_str())) else { return };
        let title = format!("the arm for all other values is written `_`, not `{name}`");
        let found = Diagnostic::new(Code::E0013, title, span, "").help("write `_ => ...`").edit(span, "_");
        self.found.push(found);
        last.pattern = None;
    }
}

impl RepairSession {
    /// Reports the last arms `otherwise => b` of `match` terms, and reads them as `_ => b`.
    pub fn mend_last_arms(&mut self) {
        let uses = |item: &crate::ast::Item| matches!(item.kind, crate::ast::ItemKind::Use { .. });
        if self.items.iter().any(uses) {
            return;
        }
        let declared = super::declared_names::Declared::of(&self.items);
        let words: Vec<&'static str> = WORDS
            .into_iter()
            .filter(|word| !declared.has(word) && !declared.definitions.contains(*word))
            .filter(|word| !self.may_declare(word))
            .collect();
        let mut arms = LastArms { words: &words, found: Vec::new() };
        for item in &mut self.items {
            visit_item(&mut item.kind, &mut arms);
        }
        self.diagnostics.append(&mut arms.found);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    #[test]
    fn the_last_branch_is_else() {
        let text = |term: &str| format!("move add(k: 1..3) {{ when n < 9; n := {term}; }}\n");
        for (theirs, ours) in [
            ("if k > 1 then k otherwise 0", "if k > 1 then k else 0"),
            ("if k > 1 then k + 2 otherwise k", "if k > 1 then k + 2 else k"),
            ("(if k > 1 then f(k) otherwise k) + 1", "(if k > 1 then f(k) else k) + 1"),
        ] {
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}: {:?}", titles(&text(theirs)));
            assert_eq!(titles(&text(theirs)), ["`otherwise` is written `else`"], "{theirs}");
        }
    }

    #[test]
    fn the_last_arm_has_a_line() {
        let text = |word: &str| format!("def f(k: 1..3) = match k {{ 1 => 0, {word} => 1 }};\n");
        for word in ["otherwise", "default"] {
            assert_eq!(mended(&text(word)), text("_"));
            let title = format!("the arm for all other values is written `_`, not `{word}`");
            assert_eq!(titles(&text(word)), [title]);
        }
        let own = format!("enum Kind {{ first, others }}\n{}", text("others"));
        assert!(titles(&own).is_empty());
    }
}
