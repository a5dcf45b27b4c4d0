//! A hidden deal by chance in the first phase, without `setup`: play comes back to it after each move.

use super::analyzer::Analyzer;
use bouton_base::id::Id;
use bouton_rules::{Actor, PhaseId};
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Reports E0321 for a player's move without `in`, if its phase is a hidden deal that lacks `setup`. The first move
    /// tells of all of them. Returns true if the move is reported.
    pub fn is_turn_of_a_deal(&mut self, m: &ast::MoveDecl) -> bool {
        let turn = self.rules.turn_phase();
        if m.chance || !m.phases.is_empty() || !self.is_deal_of_each_turn() {
            return false;
        }
        if self.awaited_phases.contains(&turn) {
            return true;
        }
        let deal = &self.rules.phases[turn];
        let (name, place) = (&deal.name, deal.span);
        let mut others = self.rules.phases.iter().filter(|phase| !phase.setup);
        let next = others.nth(1).map_or("", |phase| phase.name.as_str());
        let title = format!(
            "each turn begins with `{name}`, and so `{}`, which names no phase, is in it",
            m.name.text
        );
        let label = "the first phase without `setup`: play comes back to it after each move";
        let found = Diagnostic::new(Code::E0321, title, place, label);
        let found = found.label(m.name.span, "in no phase by name");
        let found = found.help(format!(
            "if it comes once, before the first move, write `setup {name} by chance`; if all is dealt anew before each \
             move, `move {}(...) in {next}`",
            m.name.text
        ));
        let found = found.edit(place.at_start(), "setup ");
        self.awaited_phases.push(turn);
        self.report(found);
        true
    }

    /// Reports E0321 for a hidden deal before the phase with `setup`, to which each of its events goes on: play begins
    /// behind the deal.
    pub(super) fn deals_before_the_setup(&mut self) {
        let phases: Vec<_> = self.rules.phases.iter().collect();
        let [first, second, others @ ..] = &phases[..] else { return };
        let is_chance = |of: &bouton_rules::Phase| matches!(of.actor, Actor::Chance);
        let others_come_once = others.iter().any(|phase| phase.setup);
        if first.setup || !is_chance(first) || !second.setup || is_chance(second) || others_come_once {
            return;
        }
        let events = self.items().filter_map(|(item, _)| match &item.kind {
            ItemKind::Move(m) if m.chance => Some(m),
            _ => None,
        });
        let mut events = events.peekable();
        let goes_on =
            |event: &ast::MoveDecl| {
                event.body.stmts.iter().any(
                    |stmt| matches!(&stmt.kind, ast::StmtKind::Continue(phase) if phase.text == second.name),
                )
            };
        let is_hidden = |event: &ast::MoveDecl| event.private || self.fills_hidden_field(event);
        let is_empty = events.peek().is_none();
        if is_empty || self.options.damaged || !events.all(|event| is_hidden(event) && goes_on(event)) {
            return;
        }
        let (name, next) = (first.name.clone(), second.name.clone());
        let title = format!("play begins in `{next}`, the phase with `setup`, behind the deal `{name}`");
        let found = Diagnostic::new(Code::E0321, title, second.span, "comes once, before all others");
        let found = found.label(first.span, "comes after it");
        let found = found.help(format!(
            "if the deal comes once, before the first move, `setup` stands before it: `phases {{ setup {name} by chance; {next}; \
             ... }}`"
        ));
        self.report(found);
    }

    /// Returns true if the first phase is by chance and has no `setup`, the next one is a player's, and each event of
    /// the first is private or puts something into a field that not all players see.
    fn is_deal_of_each_turn(&self) -> bool {
        let turn = self.rules.turn_phase();
        let mut played = self.rules.phases.iter().filter(|phase| !phase.setup);
        let (Some(first), Some(second)) = (played.next(), played.next()) else { return false };
        if turn != PhaseId::new(0)
            || !matches!(first.actor, Actor::Chance)
            || matches!(second.actor, Actor::Chance)
        {
            return false;
        }
        let name = &first.name;
        let is_of_deal = |m: &&ast::MoveDecl| {
            m.chance && (m.phases.is_empty() || m.phases.iter().any(|phase| phase.text == *name))
        };
        let events = self.items().filter_map(|(item, _)| match &item.kind {
            ItemKind::Move(m) => Some(m),
            _ => None,
        });
        let mut events = events.filter(is_of_deal).peekable();
        events.peek().is_some() && events.all(|event| event.private || self.fills_hidden_field(event))
    }

    /// Returns true if an effect of an event sets a field that not all players see.
    fn fills_hidden_field(&self, event: &ast::MoveDecl) -> bool {
        event.body.stmts.iter().any(|stmt| {
            let ast::StmtKind::Effect(effect) = &stmt.kind else { return false };
            self.field_of(&effect.target.name.text).is_some_and(|field| !self.all_see(field))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn findings(phases: &str, event: &str, seen: &str) -> Vec<Diagnostic> {
        let text = format!(
            "game \"Cards\"; players Ann, Bob; phases {{ {phases} }}
             state {{ hand[p: Player]: 1..3 = 1 {seen}; n: 0..4 = 0; }}
             {event} dealt(a: 1..3) in deal as \"deal {{a}}\" {{ hand[Ann] := a; continue bet; }}
             move hold() as \"hold\" {{ n += 1; }}
             move bet() as \"bet\" {{ n += 1; }}
             end {{ when n = 4 => payoff p: hand[p] - hand[other(p)]; }}"
        );
        found(&text, Code::E0321)
    }

    #[test]
    fn a_hidden_deal_comes_once() {
        let told = findings("deal by chance; bet;", "private chance", "visible to p");
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].help.as_deref().is_some_and(|help| help.contains("`setup deal by chance`")),
            "{told:?}"
        );
        assert_eq!(told[0].edits[0].text, "setup ");
        assert!(findings("setup deal by chance; bet;", "private chance", "visible to p").is_empty());
    }

    #[test]
    fn play_begins_with_the_deal() {
        let told = |phases: &str, event: &str, seen: &str| {
            let text = format!(
                "game \"Cards\"; players Ann, Bob; phases {{ {phases} }}
                 state {{ hand[p: Player]: 1..3 = 1 {seen}; n: 0..4 = 0; }}
                 {event} dealt(a: 1..3) in deal as \"deal {{a}}\" {{ hand[Ann] := a; continue bet; }}
                 move hold() in bet as \"hold\" {{ n += 1; }}
                 move raise() in bet as \"raise\" {{ n += 1; }}
                 end {{ when n = 4 => payoff p: hand[p] - hand[other(p)]; }}"
            );
            found(&text, Code::E0321).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        let title = ["play begins in `bet`, the phase with `setup`, behind the deal `deal`"];
        let behind = "deal by chance; setup bet;";
        assert_eq!(told(behind, "private chance", "visible to p"), title);
        assert_eq!(told(behind, "chance", "visible to p"), title);
        assert_eq!(told(behind, "chance", ""), [""; 0]);
        assert_eq!(told("setup deal by chance; bet;", "private chance", "visible to p"), [""; 0]);
        assert_eq!(told("deal by chance; bet;", "private chance", "visible to p"), [""; 0]);
    }

    #[test]
    fn an_open_throw_comes_before_each_move() {
        let told = findings("deal by chance; bet;", "chance", "");
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].help.as_deref().is_some_and(|help| help.contains("in bet")), "{told:?}");
    }
}
