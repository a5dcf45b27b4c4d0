//! The comparison that asks for any player, `owner[w] != none`, in a definition whose player is never used.

use super::analyzer::Analyzer;
use super::expr::EqualityTest;
use super::locals::Locals;
use bouton_base::source::Span;
use bouton_rules::{PLAYER, Type};
use bouton_syntax::ast::{self, ExprKind, ItemKind};
use bouton_syntax::{print_expr, visit};

impl Analyzer<'_> {
    /// The only comparison `at[c] != none` of a field of players in a definition, and the term in it.
    pub(super) fn question_of_anyone(&self, item: &ItemKind) -> Option<(Span, String)> {
        let ItemKind::Def { body, .. } = item else { return None };
        let mut asked = Vec::new();
        self.questions_in(body, &mut asked);
        match &asked[..] {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// Collects the comparisons of fields of players with `none`.
    fn questions_in(&self, expr: &ast::Expr, asked: &mut Vec<(Span, String)>) {
        if let Some(EqualityTest { left, right, is_unequal: true }) = EqualityTest::of(expr) {
            let sides = [(left, right), (right, left)];
            let term = sides.into_iter().find(|(_, none)| matches!(&*none.bare().kind, ExprKind::None));
            if let Some((term, _)) = term.filter(|(term, _)| self.is_field_of_players(term)) {
                asked.push((expr.span, print_expr(term.bare())));
            }
        }
        visit::children(expr, &mut |inner| self.questions_in(inner, asked));
    }

    /// Returns true for a cell of a field whose values are players.
    fn is_field_of_players(&self, term: &ast::Expr) -> bool {
        let base = match &*term.bare().kind {
            ExprKind::Index(base, _) => base,
            _ => term,
        };
        let name = self.declared(base, &Locals::constant());
        let field = name.and_then(|name| self.field_of(name));
        field.is_some_and(|id| *self.rules.fields[id].ty.present().base() == Type::Sym(PLAYER))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn definitions_of_a_player_ask_for_him() {
        let help = |body: &str| {
            let text = format!(
                "game \"Words\"; players A, B; state {{ owner[w: 1..3]: Player? = none; left: 0..3 = 3; }}
                 def has(p: Player) = {body};
                 move pick(w: 1..3) as \"{{w}}\" {{ when owner[w] = none; owner[w] := me; left -= 1; }}
                 end {{ for p in Player when has(p) and left < 2 => p wins; when left = 0 => draw; }}"
            );
            found(&text, Code::W0111).pop().and_then(|found| found.help).unwrap_or_default()
        };
        let meant = "is `owner[w] = p` meant? Otherwise remove the parameter, or begin its name with `_`";
        assert_eq!(help("(count w in 1..3: owner[w] != none) >= 2"), meant);
        let other = "remove it, or begin its name with `_`";
        assert_eq!(help("left > 1"), other);
        assert_eq!(help("owner[1] != none and owner[2] != none"), other);
        assert_eq!(help("owner[1] != none and owner[2] = p"), "");
    }
}
