//! E0107 for `me` and `opponent` in a rule that speaks of a player by a variable: `payoff p: if p = me then
//! -2 else 1`.
//!
//! The variable takes the place of `me` only where the comparison around it can then be true and false. A
//! field that a move sets to `me` keeps the player who moved, so it is the other reading.

use super::super::analyzer::Analyzer;
use super::super::emptied_reads::effects_in;
use bouton_base::source::Span;
use bouton_rules::{PLAYER, Type};
use bouton_syntax::ast::{CmpOp, Effect, EffectOp, EndCondition, Expr, ExprKind, ItemKind, OutcomeKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_expr, visit};

/// An effect `last := me`.
struct Keeper<'a> {
    field: &'a str,
    place: Span,
}

impl<'a> Analyzer<'a> {
    /// Reports `me` or `opponent` where no player moves, and a variable is a player.
    pub(super) fn no_me_beside(&mut self, word: &str, variable: &str, span: Span) {
        let is_of_two = self.rules.players().len() == 2;
        let title = format!("nobody moves here: the player that this rule speaks of is `{variable}`");
        let found = Diagnostic::new(Code::E0107, title, span, format!("`{word}` belongs to moves"));
        let keeper = self.keeper_of_the_mover();
        let compared = self.comparison_around(span);
        let is_settled = compared.is_some_and(|sides| is_settled(sides, word, variable));
        let is_beside_keeper = |field: &str| {
            compared.is_some_and(|sides| sides.iter().any(|side| side.bare().as_name() == Some(field)))
        };
        let keeper = keeper.filter(|keeper| is_settled || !is_beside_keeper(keeper.field));
        if word == "opponent" && !is_of_two {
            self.report(found.help(format!(
                "of several others none is the opponent: all of them are `q in Player where q != {variable}`"
            )));
            return;
        }
        let of_keeper = |field: &str| match word {
            "opponent" => format!("other({field})"),
            _ => field.to_owned(),
        };
        let plain = if word == "opponent" { format!("other({variable})") } else { variable.to_owned() };
        let (found, help) = match keeper {
            Some(Keeper { field, place }) if is_settled => {
                let help = format!(
                    "write `{}` if the player whom this effect keeps is meant",
                    of_keeper(field)
                );
                (found.label(place, format!("`{field}` keeps the player who makes this move")), help)
            }
            Some(Keeper { field, place }) => {
                let help = format!(
                    "write `{plain}`; if the player whom `{field}` keeps is meant, write `{}`",
                    of_keeper(field)
                );
                (found.label(place, format!("`{field}` keeps the player who makes this move")), help)
            }
            None if is_settled && is_of_two => {
                let (who, alternating) = match word {
                    "opponent" => ("the other player than the last one to move", "mover"),
                    _ => ("the player who has just moved", "other(mover)"),
                };
                let kept = of_keeper("last");
                let help = format!(
                    "if {who} is meant, write `{alternating}` where turns alternate; otherwise keep who moved in a field, \
                     `last: Player? = none;` in `state` and `last := me;` in the moves, and write `{kept}`"
                );
                (found, help)
            }
            None if is_settled => (
                found,
                "if the player who has just moved is meant, keep who moved in a field, `last: Player? = none;` in `state` and \
                 `last := me;` in the moves, and write `last`"
                    .to_owned(),
            ),
            None => (found, format!("write `{plain}`")),
        };
        self.report(found.help(help));
    }

    /// The first effect of the moves that sets a field without keys to `me`, if all of them set the same
    /// field.
    fn keeper_of_the_mover(&self) -> Option<Keeper<'a>> {
        let mut effects: Vec<&'a Effect> = Vec::new();
        for (item, _) in self.items() {
            match &item.kind {
                ItemKind::Move(of) => effects_in(&of.body, &mut effects),
                ItemKind::EveryMove(body) | ItemKind::Effect { body, .. } => effects_in(body, &mut effects),
                _ => {}
            }
        }
        let keeps = |effect: &Effect| {
            let name = effect.target.name.text.as_str();
            effect.op == EffectOp::Set
                && effect.target.path.is_empty()
                && effect.value.bare().as_name() == Some("me")
                && self.rules.fields.iter().any(|field| {
                    field.name == name
                        && field.keys.is_empty()
                        && *field.ty.present().base() == Type::Sym(PLAYER)
                })
        };
        let mut keepers = effects.into_iter().filter(|effect| keeps(effect));
        let first = keepers.next()?;
        let place = first.target.span.to(first.value.span);
        let field = first.target.name.text.as_str();
        keepers.all(|effect| effect.target.name.text == field).then_some(Keeper { field, place })
    }

    /// The two sides of the innermost comparison of a rule around a place.
    fn comparison_around(&self, place: Span) -> Option<[&'a Expr; 2]> {
        let mut parts: Vec<&'a Expr> = Vec::new();
        match self.item_around(place)? {
            ItemKind::End(rules) => {
                for rule in rules.iter().filter(|rule| rule.span.covers(place)) {
                    if let EndCondition::When { binder, condition } = &rule.condition {
                        parts.extend(binder.iter().flat_map(|binder| &binder.condition));
                        parts.push(condition);
                    }
                    if let OutcomeKind::Payoff(_, of) | OutcomeKind::Highest(of) | OutcomeKind::Lowest(of) =
                        &rule.outcome.kind
                    {
                        parts.push(of);
                    }
                }
            }
            ItemKind::Invariant { value, .. } => parts.push(value),
            _ => {}
        }
        let mut found = None;
        let mut around = parts.into_iter().find(|part| part.span.covers(place));
        while let Some(expr) = around {
            if let ExprKind::Compare(first, rest) = &*expr.kind {
                let mut left = first;
                for (op, right) in rest {
                    let is_of_values = !matches!(op, CmpOp::In | CmpOp::NotIn);
                    if is_of_values && (left.span.covers(place) || right.span.covers(place)) {
                        found = Some([left, right]);
                    }
                    left = right;
                }
            }
            let mut inner = None;
            visit::children(expr, &mut |part| {
                if part.span.covers(place) {
                    inner = Some(part);
                }
            });
            around = inner;
        }
        found
    }
}

/// Returns true if a comparison is decided with the variable in place of the word: `p = me`, `score[p] >
/// score[me]`, or `p = opponent`.
fn is_settled([left, right]: [&Expr; 2], word: &str, variable: &str) -> bool {
    if word == "opponent" {
        let names = [left.bare().as_name(), right.bare().as_name()];
        return names.contains(&Some(word)) && names.contains(&Some(variable));
    }
    let renamed = |side: &Expr| with_name(&print_expr(side.bare()), word, variable);
    renamed(left) == renamed(right)
}

/// A text with another name in place of a word.
pub(crate) fn with_name(text: &str, word: &str, name: &str) -> String {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut parts: Vec<String> = vec![String::new()];
    for c in text.chars() {
        let last = parts.last_mut().expect("a part");
        match last.chars().next_back() {
            Some(before) if is_of_name(before) != is_of_name(c) => parts.push(c.to_string()),
            _ => last.push(c),
        }
    }
    parts.into_iter().map(|part| if part == word { name.to_owned() } else { part }).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn of(effect: &str, rule: &str, players: &str) -> Diagnostic {
        let text = format!(
            "game \"Last\"; players {players};
             state {{ n: 0..3 = 3; score[p: Player]: 0..3 = 0; last: Player? = none; }}
             move take(k: 1..2) as \"{{k}}\" {{ when n >= k; n -= k; score[me] += k; {effect} }}
             end {{ {rule} }}"
        );
        let found = found(&text, Code::E0107);
        let [only] = &found[..] else { panic!("{found:?}") };
        assert!(only.edits.is_empty());
        only.clone()
    }

    fn help(effect: &str, rule: &str, players: &str) -> String {
        of(effect, rule, players).help.unwrap_or_default()
    }

    #[test]
    fn comparisons_with_the_variable_itself_are_not_meant() {
        let drinks = "when n = 0 => payoff p: if p = me then -2 else 1;";
        let found = of("last := me;", drinks, "A, B, C");
        assert_eq!(found.labels.len(), 2);
        let kept = "write `last` if the player whom this effect keeps is meant";
        assert_eq!(found.help.as_deref(), Some(kept));
        assert!(help("", drinks, "A, B, C").contains("keep who moved in a field"));
        assert!(help("", drinks, "A, B").contains("write `other(mover)` where turns alternate"));
        let others = "when n = 0 => payoff p: if opponent = p then -1 else 1;";
        assert!(help("", others, "A, B").contains("write `mover` where turns alternate"));
        assert_eq!(help("last := me;", "for p in Player when score[p] > score[me] => p wins;", "A, B"), kept);
    }

    #[test]
    fn both_players_are_named() {
        let paid = "when n = 0 => payoff p: score[me];";
        assert_eq!(help("", paid, "A, B"), "write `p`");
        assert_eq!(
            help("last := me;", paid, "A, B"),
            "write `p`; if the player whom `last` keeps is meant, write `last`"
        );
        let last = "for p in Player when n = 0 and last = me => p wins;";
        assert_eq!(help("last := me;", last, "A, B"), "write `p`");
    }
}
