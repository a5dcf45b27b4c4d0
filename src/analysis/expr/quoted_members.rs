//! Advice on a set of members that are written between quotes: `stem in { "tan", "ten" }`.

use crate::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::Type;
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic, Edit, Label};
use bouton_syntax::print_expr;

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

/// An element with members between quotes.
struct QuotedElement<'e> {
    element: &'e ast::Expr,
    strings: Vec<(Span, &'e str)>,
}

impl Analyzer<'_> {
    /// Reports elements with members between quotes beside those without: `{ ("P", "Q"), (P, P) }`, if the
    /// type of the others has all of the strings as its members. Returns true if it is that.
    pub(super) fn elements_in_quotes(&mut self, elements: &[ast::Expr], types: [&Type; 2]) -> bool {
        let quoted = types.into_iter().find_map(|ty| {
            let of_each = elements.iter().map(|element| {
                let mut strings = Vec::new();
                self.strings_for_members(element, ty, &mut strings)
                    .then_some(QuotedElement { element, strings })
            });
            let all: Option<Vec<QuotedElement<'_>>> = of_each.collect();
            let quoted: Vec<_> = all?.into_iter().filter(|of| !of.strings.is_empty()).collect();
            (!quoted.is_empty()).then_some(quoted)
        });
        let Some(quoted) = quoted.filter(|_| !self.options.damaged) else { return false };
        let QuotedElement { element, strings } = &quoted[0];
        let mut plain = print_expr(element.bare());
        strings.iter().for_each(|(_, text)| plain = plain.replace(&format!("\"{text}\""), text));
        let plain =
            if matches!(&*element.kind, ast::ExprKind::Paren(_)) { format!("({plain})") } else { plain };
        let title = "the elements differ: members stand without quotes";
        let mut found = Diagnostic::new(Code::E0201, title, element.span, "strings");
        for QuotedElement { element, .. } in &quoted[1..] {
            found = found.label(element.span, "strings");
        }
        found = found.help(format!("write `{plain}` without quotes"));
        for (span, text) in quoted.iter().flat_map(|of| &of.strings) {
            found = found.edit(*span, *text);
        }
        self.report(found);
        true
    }

    /// Collects the strings of an element that stand in the places of members of this type; false if one is
    /// no member.
    fn strings_for_members<'e>(
        &self,
        element: &'e ast::Expr,
        ty: &Type,
        strings: &mut Vec<(Span, &'e str)>,
    ) -> bool {
        match (&*element.bare().kind, ty.present().base()) {
            (ast::ExprKind::Str(text), Type::Sym(of)) => {
                strings.push((element.bare().span, text));
                self.rules.enums[*of].members.iter().any(|member| **member == **text)
            }
            (ast::ExprKind::Str(_), _) => false,
            (ast::ExprKind::Tuple(parts), Type::Tuple(types)) => {
                parts.len() == types.len()
                    && parts
                        .iter()
                        .zip(&types[..])
                        .all(|(part, ty)| self.strings_for_members(part, ty, strings))
            }
            _ => true,
        }
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
    fn elements_with_and_without_quotes() {
        let of_set = |set: &str| {
            told(&game(&format!("const pairs = {{ {set} }};"), "not some p in pairs: p = (w, w)"))
        };
        let title = "the elements differ: members stand without quotes";
        for (set, plain) in [
            ("(\"tan\", \"net\"), (tan, ten)", "(tan, net)"),
            ("(tan, ten), (\"tan\", \"net\"), (\"ten\", net)", "(tan, net)"),
            ("(tan, ten), (\"tan\", net)", "(tan, net)"),
        ] {
            assert_eq!(of_set(set), (title.to_owned(), format!("write `{plain}` without quotes")), "{set}");
        }
        assert_eq!(of_set("(tan, ten), (\"tin\", net)").1, "");
        let plain = told(&game("const words = { tan, \"net\" };", "w in words"));
        assert_eq!(plain, (title.to_owned(), "write `net` without quotes".to_owned()));
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
