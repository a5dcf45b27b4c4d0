//! Advice on a set of members that are written between quotes: `stem in { "tan", "ten" }`.

use crate::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::Type;
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{Code, Edit, Label};

impl Analyzer<'_> {
    /// Adds to the report of a value beside a set of strings that its members stand without quotes, if all strings are
    /// members of the type of the value. The set may be that of a constant.
    pub(super) fn members_in_quotes(&mut self, ty: &Type, set: &ast::Expr) {
        let Type::Sym(of) = *ty.present().base() else { return };
        let declared = set.bare().as_name().and_then(|name| {
            self.items().find_map(|(item, own)| match &item.kind {
                ItemKind::Const { name: of, value, ty: None, keys }
                    if own && of.text == name && keys.is_empty() =>
                {
                    Some(value)
                }
                _ => None,
            })
        });
        let Some(quoted) = quoted_elements(declared.unwrap_or(set)) else { return };
        let of = &self.rules.enums[of];
        if !quoted.iter().all(|(_, text)| of.members.iter().any(|member| **member == **text)) {
            return;
        }
        let words: Vec<&str> = quoted.iter().map(|(_, text)| *text).collect();
        let help =
            format!("members of `{}` stand without quotes: write `{{ {} }}`", of.name, words.join(", "));
        let Some(found) = self.diagnostics.last_mut().filter(|found| found.code == Code::E0202) else {
            return;
        };
        found.help = Some(help);
        if let Some(value) = declared {
            found.labels.push(Label { span: value.span, text: "strings".into() });
        }
        found.edits =
            quoted.iter().map(|(span, text)| Edit { span: *span, text: (*text).to_owned() }).collect();
    }
}

/// The places and the words of a written set of strings.
fn quoted_elements(set: &ast::Expr) -> Option<Vec<(Span, &str)>> {
    let ast::ExprKind::Set(elements) = &*set.bare().kind else { return None };
    let quoted = elements.iter().map(|element| match &*element.kind {
        ast::ExprKind::Str(text) => Some((element.span, text.as_str())),
        _ => None,
    });
    quoted.collect::<Option<Vec<_>>>().filter(|quoted| !quoted.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::testing::diagnostics;
    use bouton_syntax::diag::apply_edits;

    fn game(consts: &str, guard: &str) -> String {
        format!(
            "game \"Spell\"; players A, B; enum Word {{ tan, ten, net }} {consts}
             state {{ used: set of Word = {{}}; }}
             move say(w: Word) as \"{{w}}\" {{ when w not in used and {guard}; used |= {{ w }}; }} play normal;"
        )
    }

    /// The title and the help of the only finding, after a test that the text after its edits has none.
    fn told(text: &str) -> (String, String) {
        let found = diagnostics(text);
        let [only] = &found[..] else { panic!("{found:?}") };
        if !only.edits.is_empty() {
            let (mended, _) = apply_edits(text, only.labels[0].span.file, &found);
            assert!(diagnostics(&mended).is_empty(), "{mended} {:?}", diagnostics(&mended));
        }
        (only.title.clone(), only.help.clone().unwrap_or_default())
    }

    #[test]
    fn members_of_sets_stand_without_quotes() {
        let help = "members of `Word` stand without quotes: write `{ tan, net }`";
        assert_eq!(told(&game("const words = { \"tan\", \"net\" };", "w in words")).1, help);
        assert_eq!(told(&game("", "w in { \"tan\", \"net\" }")).1, help);
        assert_eq!(told(&game("", "w in { \"tan\", \"nut\" }")).1, "");
    }

    #[test]
    fn patterns_stand_without_quotes() {
        let text = |pattern: &str| {
            game(
                &format!("const is_long[w: Word]: bool = match w {{ {pattern} => true, _ => false }};"),
                "is_long[w]",
            )
        };
        let (title, help) = told(&text("\"tan\""));
        assert_eq!((&*title, &*help), ("a `Word` is never a string", "write `tan` without quotes"));
        assert_eq!(told(&text("\"tin\"")).1, "");
    }
}
