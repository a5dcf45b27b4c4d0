//! Arms of a `match` whose values have different types.

use crate::analyzer::Analyzer;
use bouton_rules::{Arm, Expr, Type};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Reports an arm whose value has another type than those before it, which are given with theirs: of
    /// both, the one that is not of the wanted type.
    pub(super) fn arms_differ(&mut self, before: &[Arm], ty: &Type, value: &Expr, want: Option<&Type>) {
        let fits = |ty: &Type| want.is_some_and(|want| Type::join(ty, want).is_some());
        if let Some(want) = want.filter(|_| fits(&value.ty)) {
            let known = self.diagnostics.len();
            for arm in before.iter().filter(|arm| !fits(&arm.value.ty)) {
                self.coerce(arm.value.clone(), want);
            }
            if self.diagnostics.len() > known {
                return;
            }
        }
        let (a, b) = (self.describe_type(ty), self.describe_type(&value.ty));
        let title = format!("the arms differ: {a} and {b}");
        let found = Diagnostic::new(Code::E0201, title, value.span, format!("this is {b}"));
        self.report(match before.first().filter(|_| want.is_none()) {
            Some(arm) => found.label(arm.value.span, format!("and this is {a}")),
            None => found,
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn the_declared_type_tells_the_wrong_arm() {
        let told = |ty: &str, arms: &str| {
            let text = format!(
                "game \"Arms\"; players A, B; enum Kind {{ a, b, c }} const worth[k: Kind]{ty} = match k {{ {arms} }};
                 state {{ n: 0..9 = 9; }}
                 move go(k: Kind) as \"{{k}}\" {{ when n > 3 and worth[k] = worth[a]; n -= 1; }} play normal;"
            );
            let found = found(&text, Code::E0201);
            let shown: Vec<_> =
                found[0].labels.iter().map(|label| &text[label.span.range()]).map(str::to_owned).collect();
            assert_eq!(found.len(), 1);
            (shown, found[0].title.clone())
        };
        // Strings and other plain values are told before types are known.
        let found = "expected a number (1..3), found a condition (true or false)".to_owned();
        assert_eq!(told(": 1..3", "a => k = b, b => 2, c => 3"), (vec!["k = b".to_owned()], found));
        let differ = |a: &str, b: &str| format!("the arms differ: {a} and {b}");
        let found = differ("the number 1", "a condition (true or false)");
        assert_eq!(told(": 1..3", "a => 1, b => k = b, c => 3"), (vec!["k = b".to_owned()], found));
        let found = differ("a string", "the number 2");
        assert_eq!(told("", "a => \"1\", b => 2, c => 3"), (vec!["2".to_owned(), "\"1\"".to_owned()], found));
    }

    #[test]
    fn numbers_between_quotes() {
        let of = |value: &str| {
            let text = format!(
                "game \"Quotes\"; players A, B; const most: 1..3 = {value}; state {{ n: 0..9 = 9; }}
                 move go(k: 1..2) as \"{{k}}\" {{ when n >= k + most; n -= k; }} play normal;"
            );
            found(&text, Code::E0201)
        };
        assert_eq!(of("\"2\"")[0].edits[0].text, "2");
        assert!(of("\"7\"")[0].edits.is_empty() && of("2").is_empty());
    }

    #[test]
    fn words_for_sets_of_letters() {
        let text = |word: &str| {
            format!(
                "game \"Rack\"; players A, B; enum Letter {{ R, A, T }} enum Word {{ art, rat }}
                 const needs[w: Word]: set of Letter = \"{word}\";
                 state {{ rack: set of Letter = {{}}; }}
                 move take(x: Letter) as \"{{x}}\" {{ when x not in rack and x in needs[art]; rack |= {{ x }}; }} play normal;"
            )
        };
        let told = found(&text("ART"), Code::E0201);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].edits[0].text, "{ A, R, T }");
        for word in ["ARS", "ARTA", ""] {
            assert!(found(&text(word), Code::E0201)[0].edits.is_empty(), "{word}");
        }
    }
}
