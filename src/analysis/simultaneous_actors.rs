//! The players who act in phases `by each`: one alone who has moves, and a pass for a turn that nobody has.

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::{Actor, Expr, Value};
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Reports E0323: a phase `by each` in which one player alone has moves, since each is `by` this player.
    pub(super) fn phases_of_all_with_one_player(&mut self) {
        let mut found = Vec::new();
        for (id, phase) in self.rules.phases.entries().filter(|(_, phase)| matches!(phase.actor, Actor::Each))
        {
            let moves = self.rules.moves.iter().filter(|mv| mv.phases.contains(&id));
            let actors: Option<Vec<&Expr>> = moves.map(|mv| mv.by.as_ref()).collect();
            let Some(actors) = actors else { continue };
            let Some(player) = only_player(&actors) else { continue };
            if self.rules.players().len() < 2 {
                continue;
            }
            let (name, player) = (phase.name.clone(), self.rules.show(player).to_string());
            let title = format!("all players choose in `{name}`, and {player} alone has moves there");
            let diagnostic = Diagnostic::new(Code::E0323, title, actors[0].span, "the others have no move")
                .label(phase.span, "`by each`")
                .help(format!(
                    "leave `by {player}` out: then each player may make the move; if {player} alone acts, declare the phase \
                     as `{name} by {player}`"
                ));
            found.push((diagnostic, actors.iter().map(|by| by.span).collect::<Vec<Span>>()));
        }
        for (mut diagnostic, places) in found {
            let edits: Option<Vec<Span>> = places.iter().map(|place| self.clause_of_actor(*place)).collect();
            for clause in edits.unwrap_or_default() {
                diagnostic = diagnostic.edit(clause, "");
            }
            self.report(diagnostic);
        }
    }

    /// The clause ` by P` of a move behind its `in`, for the place of `P`.
    fn clause_of_actor(&self, place: Span) -> Option<Span> {
        self.items().find_map(|(item, own)| match &item.kind {
            ItemKind::Move(m) if own && item.span.covers(place) => {
                let phase = m.phases.last().filter(|phase| phase.span.end < place.start)?;
                matches!(&m.by, Some(ast::Actor::Player(e)) if e.span.covers(place))
                    .then(|| Span { start: phase.span.end, ..place })
            }
            _ => None,
        })
    }

    /// W0531: a pass in a game where no phase is the turn of one player.
    pub(super) fn passes_without_a_turn(&mut self) {
        let Some(pass) = &self.rules.pass else { return };
        let span = pass.span;
        let mut phases = self.rules.phases.iter();
        let is_of_nobody = |actor: &Actor| matches!(actor, Actor::Each | Actor::Chance);
        if !phases.all(|phase| is_of_nobody(&phase.actor)) {
            return;
        }
        let title = "the pass is never legal: all players choose at once";
        let found = Diagnostic::new(Code::W0531, title, span, "in no phase");
        self.report(found.help(
            "a pass gives the turn away, and in a phase `by each` nobody has it: leave it out; who may do nothing there \
             chooses a move that changes nothing, `move wait() in ... as \"wait\" { }`",
        ));
    }
}

/// The player of constant actors, if it is the same for all.
fn only_player<'e>(actors: &[&'e Expr]) -> Option<&'e Value> {
    let mut players = actors.iter().map(|by| match by.constant()? {
        Value::Set(members) => match &members[..] {
            [only] => Some(only),
            _ => None,
        },
        value => Some(value),
    });
    let first = players.next()??;
    players.all(|player| player == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn findings(code: Code, moves: &str) -> Vec<Diagnostic> {
        let text = format!(
            "game \"Both\"; players A, B; phases {{ pick by each; }} state {{ pick_of[p: Player]: 0..3 = 0; }} {moves}
             end {{ when pick_of[A] > 0 => payoff p: pick_of[p] - pick_of[other(p)]; }}"
        );
        found(&text, code)
    }

    #[test]
    fn one_player_alone_is_not_each() {
        let told = findings(Code::E0323, "move show(k: 1..3) in pick by A as \"{k}\" { pick_of[me] := k; }");
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].title.contains("A alone"), "{told:?}");
        assert_eq!(told[0].edits.len(), 1, "{told:?}");
        let both = "move show(k: 1..3) in pick by A as \"{k}\" { pick_of[A] := k; }
                    move tell(k: 2..3) in pick by B as \"{k}\" { pick_of[B] := k; }";
        assert!(findings(Code::E0323, both).is_empty());
    }

    #[test]
    fn nobody_passes_where_all_choose() {
        let pick = "move show(k: 1..3) in pick as \"{k}\" { pick_of[me] := k; }";
        assert_eq!(findings(Code::W0531, &format!("{pick} pass always;")).len(), 1);
        assert!(findings(Code::W0531, pick).is_empty());
    }
}
