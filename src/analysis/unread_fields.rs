//! W0111 for fields that effects write and no rule reads, though claims may.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use super::lints::{claim_names, step_names};
use bouton_base::source::Span;
use bouton_rules::{FieldId, PLAYER, Type};
use bouton_syntax::ast::{ItemKind, TestStep};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// W0111 for a field that no rule reads.
    pub(super) fn unread_field(&self, id: FieldId) -> Diagnostic {
        let field = &self.rules.fields[id];
        let (name, span) = (&field.name, field.span);
        let times = match (field.cells(), self.rules.type_size(&field.ty)) {
            (1, Some(n)) => format!("it multiplies the positions by up to {n}"),
            _ => "it multiplies the positions".to_string(),
        };
        let Some(claim) = self.claim_on(name) else {
            let title = format!("the field `{name}` is written and never read");
            let found = Diagnostic::new(Code::W0111, title, span, "never read");
            let reader = match self.is_score(id) {
                true => format!("an end rule is missing, such as `when ... => highest {name};`"),
                false => format!("a rule that reads `{name}` is missing"),
            };
            return found.help(format!("if it is to count, {reader}; otherwise remove it: {times}"));
        };
        let title = format!("the rules never read the field `{name}`: only claims do");
        let found =
            Diagnostic::new(Code::W0111, title, span, "changes nothing in play").label(claim, "read here");
        let rule = match self.is_score(id) {
            true => format!("an end rule is missing, such as `when ... => highest {name};`"),
            false => "a rule that reads it is missing".to_owned(),
        };
        found.help(format!(
            "if it is to count, {rule}; if it is there for the claims alone, call it `_{name}`: {times}"
        ))
    }

    /// Returns true for a number of each player.
    fn is_score(&self, id: FieldId) -> bool {
        let field = &self.rules.fields[id];
        matches!(field.ty.present(), Type::Int(..))
            && matches!(&field.keys[..], [key] if *key.ty.base() == Type::Sym(PLAYER))
    }

    /// The first claim that names a field.
    fn claim_on(&self, name: &str) -> Option<Span> {
        self.items().find_map(|(item, _)| {
            let mut names = HashSet::new();
            match &item.kind {
                ItemKind::Expect(expect) => {
                    claim_names(expect, &mut names);
                    names.contains(name).then_some(expect.claim.span)
                }
                ItemKind::Test(test) => test.steps.iter().find_map(|step| {
                    step_names(step, &mut names);
                    names.contains(name).then_some(match step {
                        TestStep::Expect(expect) => expect.claim.span,
                        TestStep::Play(_, span) | TestStep::Position(_, span) => *span,
                    })
                }),
                _ => None,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(end: &str, claim: &str) -> Vec<String> {
        let text = format!(
            "game \"Coins\"; players A, B; state {{ n: 0..4 = 0; purse[p: Player]: 0..9 = 0; }}
             move take(k: 1..2) as \"{{k}}\" {{ when n < 4; n += 1; purse[me] += k; }}
             end {{ when n = 4 => {end}; }} test \"one\" {{ play take(1); {claim} }}"
        );
        found(&text, Code::W0111).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn readers_may_be_missing() {
        let text = "game \"Coins\"; players A, B;
             state { n: 0..4 = 0; last: 0..2 = 0; purse[p: Player]: 0..9 = 0; }
             move take(k: 1..2) as \"{k}\" { when n < 4; n += 1; last := k; purse[me] += k; }
             end { when n = 4 => draw; }";
        let helps: Vec<String> =
            found(text, Code::W0111).into_iter().filter_map(|found| found.help).collect();
        assert_eq!(helps.len(), 2);
        assert!(
            helps[0]
                .starts_with("if it is to count, a rule that reads `last` is missing; otherwise remove it")
        );
        assert!(
            helps[1].starts_with("if it is to count, an end rule is missing, such as `when ... => highest")
        );
    }

    #[test]
    fn claims_are_no_rules() {
        assert_eq!(titles("highest purse", "expect purse[A] = 1;"), [""; 0]);
        assert_eq!(titles("draw", "expect n = 1;"), ["the field `purse` is written and never read"]);
        let claimed = ["the rules never read the field `purse`: only claims do"];
        assert_eq!(titles("draw", "expect n = 1 and purse[A] = 1;"), claimed);
    }
}
