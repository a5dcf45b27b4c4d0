//! `p in others`, `p in opponents`: the players other than oneself, in a word that the language lacks.

use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_rules::{PLAYER, Type};
use bouton_syntax::ast::{self, CmpOp};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// Returns true for a word for all players but one.
fn is_word_for_others(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
    matches!(plain.as_str(), "others" | "otherplayers" | "opponents" | "rivals" | "enemies" | "adversaries")
}

impl Analyzer<'_> {
    /// Reports `p in others` of a player; returns true if it is that.
    pub(super) fn other_players_by_a_word(
        &mut self,
        op: CmpOp,
        words: [&ast::Expr; 2],
        locals: &mut Locals,
    ) -> bool {
        let [left, right] = words;
        let Some(name) = right.bare().as_name().filter(|name| is_word_for_others(name)) else { return false };
        let is_known = locals.has(name)
            || self.find(name, right.span).is_some()
            || self.members.contains_key(name)
            || self.unknown_names.contains(name);
        if is_known || self.options.damaged {
            return false;
        }
        let is_player = |ty: Type| *ty.present().base() == Type::Sym(PLAYER);
        if !self.quiet_type(left, locals).is_some_and(is_player) {
            return false;
        }
        let player = print_expr(left);
        let sign = if op == CmpOp::NotIn { "=" } else { "!=" };
        let found = Diagnostic::new(Code::E0101, format!("there is no `{name}` here"), right.span, "");
        self.report(match locals.place {
            ExprPlace::Move => {
                let new = format!("{player} {sign} me");
                let help = format!("all others than the player who moves: write `{new}`");
                found.help(help).edit(left.span.to(right.span), new)
            }
            _ => found.help(format!(
                "write which player they are the others of: `{player} {sign} q`, or in a move `{player} {sign} me`"
            )),
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::diagnostics;
    use bouton_syntax::diag::apply_edits;

    fn game(guard: &str, end: &str) -> String {
        format!(
            "game \"Others\"; players A, B, C; state {{ hit: set of Player = {{}}; last: Player? = none; }}
             move strike(p: Player) as \"{{p}}\" {{ when {guard} and p not in hit; hit |= {{ p }}; last := p; }}
             end {{ when {end} => mover wins; when stuck => mover loses; }}"
        )
    }

    #[test]
    fn others_are_compared_with_me() {
        for (written, meant) in [
            ("p in others", "p != me"),
            ("p in opponents", "p != me"),
            ("p not in other_players", "p = me"),
            ("(p in rivals)", "(p != me)"),
        ] {
            let text = game(written, "hit = { A, B, C } and last = A");
            let found = diagnostics(&text);
            assert_eq!(found.len(), 1, "{found:?}");
            let (mended, _) = apply_edits(&text, found[0].span().file, &found);
            assert_eq!(mended, game(meant, "hit = { A, B, C } and last = A"));
        }
    }

    #[test]
    fn others_need_a_player_in_the_end_rules() {
        let found = diagnostics(&game("p != me", "some p in Player: p in others and last = p"));
        assert!(found.len() == 1 && found[0].edits.is_empty(), "{found:?}");
        let help = found[0].help.clone().unwrap_or_default();
        assert!(help.ends_with("`p != q`, or in a move `p != me`"), "{help}");
    }
}
