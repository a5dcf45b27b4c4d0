//! An unknown name with keys, `cards[p]`, that is nearly the name of a field or a table: a type or a player
//! with a name as near has no keys.

use crate::analyzer::Analyzer;
use crate::locals::Locals;
use crate::symbols::SymbolKind;
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{self, Code, Diagnostic};

impl Analyzer<'_> {
    /// Reports an unknown name with keys that is near to a field or a constant with as many keys. Returns
    /// true if it is one.
    pub(super) fn near_field(&mut self, base: &ast::Expr, keys: &[ast::Expr], locals: &Locals) -> bool {
        let Some(name) = base.as_name().filter(|name| !locals.has(name)) else { return false };
        let is_known = self.find(name, base.span).is_some()
            || self.members.contains_key(name)
            || self.unknown_names.contains(name)
            || self.names.variable_before(name, base.span).is_some()
            || self.texts.prefix_of(name, base.span).is_some()
            || super::BUILT_IN_NAMES.contains(&name);
        if is_known || self.options.damaged {
            return false;
        }
        // A definition may be called with square brackets, and a list has no keys where it is declared.
        let mut declared: Vec<(&str, bool)> = Vec::new();
        for (item, _) in self.items() {
            match &item.kind {
                ItemKind::State(fields) => declared
                    .extend(fields.iter().map(|field| (&*field.name.text, field.keys.len() == keys.len()))),
                ItemKind::Const { name, keys: of, .. } => {
                    declared.push((&name.text, of.len() == keys.len() || of.is_empty()));
                }
                ItemKind::Def { name, .. } | ItemKind::Param { name, .. } => {
                    declared.push((&name.text, true))
                }
                _ => {}
            }
        }
        let with_keys = declared.iter().filter(|(_, fits)| *fits).map(|(name, _)| *name);
        let Some(near) = diag::nearest(name, with_keys) else { return false };
        let is_field = |kind: &SymbolKind<'_>| matches!(kind, SymbolKind::Field { .. });
        let is_table = self.items().any(|(item, _)| match &item.kind {
            ItemKind::Const { name, keys, .. } => name.text == near && !keys.is_empty(),
            _ => false,
        });
        if !is_table && !self.is_kind(near, is_field) {
            return false;
        }
        let word = self.symbols.get(near).map_or("field", |symbol| symbol.kind.word());
        let title = format!("there is no `{name}` here");
        let label = format!("did you mean the {word} `{near}`?");
        let near = near.to_owned();
        self.report(Diagnostic::new(Code::E0101, title, base.span, label).edit(base.span, near));
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::{Code, apply_edits};

    fn text(condition: &str) -> String {
        format!(
            "game \"Near\"; players A, B; type Card = 1..4; const worth[c: Card]: 1..4 = c; const worths = 3;
             def lead(p: Player) = card[p] - card[other(p)];
             state {{ card[p: Player]: Card = 1; n: 0..2 = 0; }}
             move draw_one(c: Card) as \"{{c}}\" {{ when n < 2; card[me] := c; n += 1; }}
             end {{ for p in Player when n = 2 and {condition} => p wins; when n = 2 => draw; }}"
        )
    }

    fn label(condition: &str) -> String {
        let found = found(&text(condition), Code::E0101);
        assert_eq!(found.len(), 1);
        found[0].labels[0].text.clone()
    }

    #[test]
    fn names_with_keys_are_fields() {
        assert_eq!(label("cards[p] > worths"), "did you mean the field `card`?");
        assert_eq!(label("worht[card[p]] > worths"), "did you mean the constant `worth`?");
        assert_eq!(label("lea[p] > worths"), "did you mean the definition `lead`?");
        assert_eq!(label("card[p] > cards"), "did you mean the type `Card`?");
        for name in ["cards", "crad", "Cards"] {
            let text = text(&format!("{name}[p] > worths"));
            let told = found(&text, Code::E0101);
            let (mended, _) = apply_edits(&text, told[0].span().file, &told);
            assert!(mended.contains("and card[p] >"), "{mended}");
            assert!(found(&mended, Code::E0101).is_empty(), "{mended}");
        }
    }
}
