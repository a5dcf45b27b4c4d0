//! W0343 for games whose result nothing changes, and for estimates and payoffs that are the same for all players.

use super::analyzer::Analyzer;
use super::locals::{ExprPlace, Locals};
use super::shared_payoffs::{names, with_name};
use super::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::{PLAYER, Type};
use bouton_syntax::ast::{self, BinaryOp, EndRule, ExprKind, ItemKind, OutcomeKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl<'a> Analyzer<'a> {
    /// W0343: games whose every rule of the end gives the same result, and puzzles that cannot be won.
    pub(super) fn settled_results(&mut self) {
        let mut rules: Vec<&'a EndRule> = Vec::new();
        for (item, _) in self.items() {
            match &item.kind {
                ItemKind::End(of) => rules.extend(of),
                ItemKind::Play { .. } => return,
                _ => {}
            }
        }
        let Some(first) = rules.first().filter(|_| !self.options.damaged) else { return };
        let at = first.outcome.span;
        match self.rules.players().len() {
            0 | 1 => {
                let is_loss = |rule: &&EndRule| matches!(rule.outcome.kind, OutcomeKind::Lose);
                if rules.iter().all(is_loss) {
                    let found =
                        Diagnostic::new(Code::W0343, "this puzzle cannot be won: no rule says `win`", at, "");
                    self.report(found.help("write the goal as a rule, `when ... => win;`"));
                }
            }
            _ => {
                let Some(result) = self.fixed_result(first) else { return };
                if rules.iter().all(|rule| self.fixed_result(rule).as_ref() == Some(&result)) {
                    self.same_result(&result, at);
                }
            }
        }
    }

    /// The outcome of a rule in words, if the position does not change it.
    fn fixed_result(&self, rule: &EndRule) -> Option<String> {
        let player = |e: &ast::Expr| {
            let name = e.as_name().filter(|name| self.find(name, e.span).is_none())?;
            self.rules.players().iter().any(|player| player == name).then(|| name.to_owned())
        };
        match &rule.outcome.kind {
            OutcomeKind::Draw => Some("draw".to_owned()),
            OutcomeKind::Wins(e) => Some(format!("{} wins", player(e)?)),
            OutcomeKind::Loses(e) => Some(format!("{} loses", player(e)?)),
            _ => None,
        }
    }

    /// Reports that all rules give one result. A game that is always drawn may be a sketch, unless it counts points.
    fn same_result(&mut self, result: &str, at: Span) {
        let points = self.points_of_players();
        if result == "draw" && points.is_none() {
            return;
        }
        let title = format!("every rule of `end` gives `{result}`: no move changes the result");
        let found = Diagnostic::new(Code::W0343, title, at, "the only result");
        self.report(found.help(match points {
            Some(points) => format!(
                "write `highest {points}` if the player with the most wins, or a rule for each result, such as `for p in \
                 Player when ... => p wins;`"
            ),
            None => "write a rule for each result, such as `for p in Player when ... => p wins;`".to_owned(),
        }));
    }

    /// The only field with a number for each player.
    pub(super) fn points_of_players(&self) -> Option<String> {
        let mut fields = self.rules.fields.iter().filter(|field| {
            let is_of_players = matches!(&field.keys[..], [key] if *key.ty.base() == Type::Sym(PLAYER));
            is_of_players && matches!(field.ty.base(), Type::Int(..))
        });
        let only = fields.next()?;
        fields.next().is_none().then(|| only.name.clone())
    }

    /// W0343: an estimate that does not read its player.
    pub(super) fn same_estimate_for_all(&mut self, player: &ast::Name, value: &ast::Expr) {
        let is_number = matches!(&*value.bare().kind, ExprKind::Number(_));
        if self.rules.players().len() < 2 || is_number || names(value, &player.text) || self.options.damaged {
            return;
        }
        let p = &player.text;
        let title = "every player gets this estimate";
        let found = Diagnostic::new(Code::W0343, title, value.span, format!("`{p}` does not occur in it"));
        self.report(found.help(match self.rules.players().len() {
            2 => format!("an estimate is good for its player `{p}`: write `score[{p}] - score[other({p})]`, with a field of yours"),
            _ => format!("an estimate is good for its player `{p}`: write `score[{p}]`, with a field of yours"),
        }));
    }

    /// W0343: a payoff without its player that is a number of either sign, of a field or a definition: `payoff p: flag`.
    pub(super) fn signed_payoff_of_all(&mut self, player: &ast::Name, words: &ast::Expr) {
        let ExprKind::Name(name) = &*words.bare().kind else { return };
        let mut locals = Locals::new(ExprPlace::Rule);
        let is_of_the_state =
            self.is_kind(name, |kind| matches!(kind, SymbolKind::Field { .. } | SymbolKind::Def { .. }));
        if self.options.damaged || !is_of_the_state {
            return;
        }
        let Some(ty) = self.quiet_type(words, &mut locals) else { return };
        if ty.interval().is_none_or(|(low, high)| low >= 0 || high <= 0) {
            return;
        }
        let (p, first) = (&player.text, self.rules.players()[0].clone());
        let title = "every player gets this payoff, whatever its sign";
        let found = Diagnostic::new(Code::W0343, title, words.span, format!("`{p}` does not occur in it"));
        let own = match self.rules.players().len() {
            2 => format!(
                "if one player loses what the other wins, write `payoff {p}: if {p} = {first} then {name} else -{name};`, or \
                 with the other player"
            ),
            _ => format!(
                "if each player has a number of his own, let it depend on `{p}`: `payoff {p}: score[{p}];`"
            ),
        };
        self.report(found.help(format!(
            "{own}; if all are to get `{name}` alike, since they play together, write `// allow(W0343): reason`"
        )));
    }

    /// W0343: `payoff p: score[p] + score[other(p)]`, which is the same for both players.
    pub(super) fn sum_of_both(&mut self, player: &ast::Name, words: &ast::Expr) {
        let ExprKind::Binary(BinaryOp::Add, own, theirs) = &*words.bare().kind else { return };
        let [own, theirs] = [own, theirs].map(|side| print_expr(side.bare()));
        let (p, other) = (player.text.as_str(), format!("other({})", player.text));
        let is_exchanged = |a: &str, b: &str| a != b && !a.contains(&other) && with_name(a, p, &other) == b;
        if self.rules.players().len() != 2 || !(is_exchanged(&own, &theirs) || is_exchanged(&theirs, &own)) {
            return;
        }
        let title = "both players get this payoff, the sum over the two";
        let found = Diagnostic::new(Code::W0343, title, words.span, "the same for each of them");
        let [own, theirs] = if is_exchanged(&own, &theirs) { [own, theirs] } else { [theirs, own] };
        self.report(found.help(format!(
            "`{own} - {theirs}` is what one player is ahead; if both are to get the sum, since they play together, write \
             `// allow(W0343): reason`"
        )));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(players: &str, items: &str) -> Vec<String> {
        let text = format!(
            "game \"Settled\"; players {players}; state {{ n: 0..9 = 0; score[p: Player]: 0..9 = 0; }}
             move go(k: 1..3) as \"{{k}}\" {{ when n + k <= 9; n += k; score[me] := k; }} {items}"
        );
        found(&text, Code::W0343).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn moves_change_the_result() {
        let of =
            |result: &str| vec![format!("every rule of `end` gives `{result}`: no move changes the result")];
        assert_eq!(titles("A, B", "end { when n = 9 => A wins; }"), of("A wins"));
        assert_eq!(titles("A, B", "end { when n = 9 => draw; when n = 8 => draw; }"), of("draw"));
        assert_eq!(
            titles("A", "end { when n = 9 => lose; }"),
            ["this puzzle cannot be won: no rule says `win`"]
        );
        for end in [
            "when n = 9 => A wins; when n = 8 => draw;",
            "when n = 9 => mover wins;",
            "when n = 9 => A wins; repeat => draw;",
        ] {
            assert_eq!(titles("A, B", &format!("end {{ {end} }}")), [""; 0], "{end}");
        }
    }

    #[test]
    fn estimates_and_payoffs_read_their_player() {
        let with = |payoff: &str, estimate: &str| {
            let items = format!(
                "end {{ when n = 9 => payoff p: {payoff}; }} evaluate p: {estimate};
                 const way[p: Player]: -1..1 = match p {{ A => 1, B => -1 }};
                 def lead = score[A] - score[B]; def ahead: -9..9 = 2 * n - 9;"
            );
            titles("A, B", &items)
        };
        let own = "score[p] - score[other(p)]";
        assert_eq!(with(own, "score[p]"), [""; 0]);
        assert_eq!(with(own, "score[A] - score[B]"), ["every player gets this estimate"]);
        let both = ["both players get this payoff, the sum over the two"];
        assert_eq!(with("score[p] + score[other(p)]", "score[p]"), both);
        assert_eq!(with("2 * score[p] + score[other(p)]", "score[p]"), [""; 0]);
        let signed = ["every player gets this payoff, whatever its sign"];
        assert_eq!(with("ahead", "score[p]"), signed);
        assert_eq!(with("(lead)", "score[p]"), signed);
        for payoff in ["n", "if p = A then lead else -lead", "way[p] * lead"] {
            assert_eq!(with(payoff, "score[p]"), [""; 0], "{payoff}");
        }
    }
}
