//! Advice on players in square brackets where a player or a set of players is needed: `visible to [p]`, `by [A, B]`.

use super::advice::Advice;
use super::set_words::in_braces;
use crate::analyzer::Analyzer;
use bouton_rules::{PLAYER, Type};
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::Code;
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Adds to the report of a list of several players, in a clause that takes a set of players, how the set is
    /// written. In a phase one player acts.
    pub(crate) fn players_in_braces(&mut self, words: &ast::Expr, ty: &Type) {
        let (ast::ExprKind::List(players), true) = (&*words.bare().kind, is_list_of_players(ty)) else {
            return;
        };
        let is_of_phase = matches!(self.item_around(words.span), Some(ItemKind::Phases(_)));
        let is_it = self.diagnostics.last().is_some_and(|found| {
            found.code == Code::E0201 && found.span() == words.span && found.help.is_none()
        });
        if is_it
            && !is_of_phase
            && players.len() > 1
            && let Some(found) = self.diagnostics.pop()
        {
            let set = in_braces(players);
            let advice = Advice::new(format!("a set of players stands in braces: write `{set}`"));
            self.report(advice.edit(words.bare().span, set).on(found));
        }
    }
}

/// Advice on `[p]` where a player is needed.
pub(super) fn listed_player(words: &ast::Expr, ty: &Type, want: &Type) -> Option<Advice> {
    let ast::ExprKind::List(players) = &*words.bare().kind else { return None };
    let [only] = &players[..] else { return None };
    let is_it = is_list_of_players(ty) && *want.present().base() == Type::Sym(PLAYER);
    let player = print_expr(only.bare());
    is_it.then(|| {
        Advice::new(format!("a player stands without square brackets: write `{player}`"))
            .edit(words.bare().span, player)
    })
}

fn is_list_of_players(ty: &Type) -> bool {
    matches!(ty.base(), Type::List(inner) if *inner.present().base() == Type::Sym(PLAYER))
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    /// Titles, helps and edits for clauses of a field, a move, a phase and the `sees` of a game.
    fn told(visible: &str, by: &str, rest: &str) -> Vec<[String; 3]> {
        let text = format!(
            "game \"Card\"; players Ann, Bob; phases {{ setup deal by chance; call {by}; }} const both = [Ann, Bob];
             state {{ card[p: Player]: 0..2 = 0 {visible}; said: 0..2 = 0; }}
             private chance give(n: 1..2) in deal as \"{{n}}\" {{ card[Ann] := n; continue call; }}
             {rest} end {{ when said > 0 => payoff p: if (said = card[Ann]) = (p = both[1]) then 1 else -1; }}"
        );
        let texts = |found: bouton_syntax::diag::Diagnostic| {
            let edits: Vec<&str> = found.edits.iter().map(|edit| edit.text.as_str()).collect();
            [found.title, found.help.unwrap_or_default(), edits.join(" ")]
        };
        found(&text, Code::E0201).into_iter().map(texts).collect()
    }

    const SAY: &str = "move say(n: 1..2) in call as \"say {n}\" { said := n; }";

    #[test]
    fn players_in_square_brackets_are_told() {
        let list = "expected a player or a set of players, found a `list of Player`";
        let one = |name: &str| {
            let help = format!("a player stands without square brackets: write `{name}`");
            [list.to_owned(), help, name.to_owned()]
        };
        let both = [list, "a set of players stands in braces: write `{ Ann, Bob }`", "{ Ann, Bob }"];
        assert_eq!(told("visible to [p]", "", SAY), [one("p")]);
        assert_eq!(told("visible to ([Ann])", "", SAY), [one("Ann")]);
        assert_eq!(told("visible to [Ann, Bob]", "", SAY), [both]);
        assert_eq!(told("visible to both", "", SAY)[0][0], list);
        let by = |clause: &str| SAY.replace(" as ", &format!(" by {clause} as "));
        assert_eq!(told("visible to p", "", &by("[Ann]")), [one("Ann")]);
        assert_eq!(told("visible to p", "", &by("[Ann, Bob]")), [both]);
        assert_eq!(told("visible to p", "by [Ann]", SAY), [one("Ann")]);
        assert_eq!(told("visible to p", "by [Ann, Bob]", SAY), [[list, "", ""]]);
        let sees = |who: &str| format!("{SAY} sees {who}: card[Bob] when said > 0;");
        assert_eq!(told("visible to p", "", &sees("[Ann]")), [one("Ann")]);
        assert_eq!(told("visible to p", "", &sees("[Ann, Bob]")), [both]);
        let next = SAY.replace("said := n;", "said := n; next [opponent];");
        assert_eq!(told("visible to p", "", &next)[0][1..], one("opponent")[1..]);
    }

    #[test]
    fn players_and_sets_of_players_see_fields() {
        for visible in
            ["p", "{ p }", "Ann", "{ Ann, Bob }", "Player", "other(p)", "{ q in Player where q != p }"]
        {
            assert!(told(&format!("visible to {visible}"), "", SAY).is_empty(), "{visible}");
        }
    }
}
