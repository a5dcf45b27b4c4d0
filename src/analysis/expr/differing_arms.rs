//! Arms of a `match` whose values have different types.

use crate::analyzer::Analyzer;
use bouton_rules::{Arm, Expr, Type};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Reports an arm whose value has another type than those before it, which are given with theirs: of both, the one
    /// that is not of the wanted type.
    pub(super) fn arms_differ(&mut self, (before, ty): (&[Arm], &Type), value: &Expr, want: Option<&Type>) {
        let fits = |ty: &Type| want.is_some_and(|want| Type::join(ty, want).is_some());
        let wrong = before.iter().find(|arm| !fits(&arm.value.ty)).filter(|_| fits(&value.ty));
        let (a, b) = (self.describe_type(ty), self.describe_type(&value.ty));
        let title = format!("the arms differ: {a} and {b}");
        self.report(match (wrong, want) {
            (Some(arm), Some(want)) => {
                let found = Diagnostic::new(Code::E0201, title, arm.value.span, format!("this is {a}"));
                found.help(format!("each arm gives {}", self.describe_type(want)))
            }
            _ => {
                let found = Diagnostic::new(Code::E0201, title, value.span, format!("this is {b}"));
                match before.first() {
                    Some(arm) if want.is_none() => found.label(arm.value.span, format!("and this is {a}")),
                    _ => found,
                }
            }
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
            (shown, found[0].help.clone())
        };
        let help = Some("each arm gives a number (1..3)".to_owned());
        assert_eq!(told(": 1..3", "a => \"1\", b => 2, c => 3"), (vec!["\"1\"".to_owned()], help));
        assert_eq!(told(": 1..3", "a => 1, b => \"2\", c => 3"), (vec!["\"2\"".to_owned()], None));
        assert_eq!(told("", "a => \"1\", b => 2, c => 3"), (vec!["2".to_owned(), "\"1\"".to_owned()], None));
    }
}
