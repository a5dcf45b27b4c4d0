//! W0112 for a name that a field, a definition or a variable takes from a member of the type that is wanted: `k = king`,
//! where `king` is a field of the same enum.

use crate::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::{Expr, ExprKind, PLAYER, Type, Value};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Warns, once a name, if `found` is read where a member of its type could be meant, which has the same name.
    pub(super) fn hides_member(&mut self, name: &str, found: &Expr, want: Option<&Type>, what: (&str, Span)) {
        let (word, declared) = what;
        let Type::Sym(of) = *found.ty.present().base() else { return };
        if want.is_none_or(|want| *want.present().base() != Type::Sym(of)) {
            return;
        }
        let Some(member) = self.rules.enums[of].member(name) else { return };
        // A constant may be called as what it is, and `shadows` warns of variables called as players.
        let is_same = matches!(*found.kind, ExprKind::Const(Value::Sym(_, index)) if index == member);
        let Some(&place) = self.member_spans.get(&(of, member)).filter(|_| !is_same) else { return };
        if of == PLAYER && word == "variable" {
            return;
        }
        let title = format!("`{name}` is the {word} here, and hides the value `{name}`");
        if self.diagnostics.iter().any(|found| found.code == Code::W0112 && found.title == title) {
            return;
        }
        let owner = self.rules.enums[of].name.clone();
        let report = Diagnostic::new(Code::W0112, title, found.span, format!("the {word}"));
        let report =
            report.label(declared, format!("the {word}")).label(place, format!("the value of `{owner}`"));
        self.report(
            report.help(format!("write `{owner}.{name}` for the value, or give the {word} another name")),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(state: &str, rules: &str) -> Vec<String> {
        let text = format!(
            "game \"Kings\"; players A, B; enum Kind {{ man, king }}
             state {{ k: Kind = man; n: 0..3 = 0; {state} }} {rules}"
        );
        found(&text, Code::W0112).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn names_of_members_that_mean_something_else() {
        let hidden = ["`king` is the field here, and hides the value `king`"];
        let crown = "move crown() { k := king; n += 1; }";
        let end = "end { when n = 3 => A wins; }";
        assert_eq!(titles("king: Kind = man;", &format!("{crown} {end}")), hidden);
        assert_eq!(
            titles("king: Kind = man;", "move go() { n += 1; } end { when k = king => A wins; }"),
            hidden
        );
        let player = ["`A` is the field here, and hides the value `A`"];
        assert_eq!(titles("A: Player = B;", &format!("move go() {{ k := man; n += 1; }} {end}")), player);
        let variable = ["`king` is the variable here, and hides the value `king`"];
        let some = "move go() { when some king in Kind: k = king; n += 1; }";
        assert_eq!(titles("", &format!("{some} {end}")), variable);
    }

    #[test]
    fn names_that_take_nothing_away() {
        let end = "end { when n = 3 => A wins; }";
        let count = "move go() { when king < 2; k := Kind.king; n += 1; king += 1; }";
        assert_eq!(titles("king: 0..3 = 0;", &format!("{count} {end}")), [""; 0]);
        let constant = "const king = Kind.king; move go() { k := king; n += 1; }";
        assert_eq!(titles("", &format!("{constant} {end}")), [""; 0]);
    }
}
