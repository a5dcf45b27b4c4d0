//! Turns that rotate, where fluents such as `(turn white move)` and `(turn white shoot)`, or the steps 1, 3,
//! 5, ..., say whose turn it is: each move gives the turn to the next player, or the same player goes on.
//!
//! The rules show it if each rule for such a fluent needs another one, and if those that a move needs all
//! lead the same way.

use std::collections::{BTreeMap, BTreeSet};

use bouton_base::cancel;

use super::{Importer, head_of};
use crate::exclusive::go_round;
use crate::ground::AtomId;
use crate::terms::Symbol;

/// The maximal number of sentences that are replaced by their rules, one after the other.
const MAX_DEPTH: usize = 4;

impl Importer<'_> {
    /// Returns true if a proof shows that the turn goes round by itself, where a fluent of each player says
    /// whose turn it is.
    pub(super) fn turns_go_round(&self) -> bool {
        let of = &self.sheet.keywords;
        let control = |role: usize| {
            let (term, _) = self.names.controls.iter().find(|(_, player)| *player as usize == role)?;
            let is_own = |fluent: &AtomId| {
                self.game.terms.render(&self.sheet.symbols, self.game.facts.args(*fluent)[0]) == *term
            };
            self.game.possible(of.true_).into_iter().find(is_own)
        };
        let controls: Option<Vec<AtomId>> = self.role_order().into_iter().map(control).collect();
        controls.is_some_and(|controls| go_round(self.game, of, &controls))
    }

    /// The moves after which the same player moves again, if the turns rotate otherwise; `None` if the rules
    /// do not show it.
    pub(super) fn find_rotation(&self) -> Option<BTreeSet<Symbol>> {
        let of = &self.sheet.keywords;
        if !self.names.controls.is_empty() || self.names.chooses.is_empty() || self.at_once() {
            return None;
        }
        if self.chooses_otherwise().is_some() {
            return None;
        }
        let owners: BTreeMap<&str, u32> =
            self.names.chooses.iter().map(|(term, player)| (term.as_str(), *player)).collect();
        let mut turns: BTreeMap<AtomId, u32> = BTreeMap::new();
        for atom in self.game.possible(of.true_) {
            let term = self.game.terms.render(&self.sheet.symbols, self.game.facts.args(atom)[0]);
            turns.extend(owners.get(term.as_str()).map(|&player| (atom, player)));
        }
        // The players to whom each fluent leads.
        let mut leads: BTreeMap<AtomId, BTreeSet<u32>> = BTreeMap::new();
        for (&fluent, &player) in &turns {
            let Some(next) = self.game.find(of.next, self.game.facts.args(fluent)) else { continue };
            for before in self.needed_turns(next, &turns, MAX_DEPTH)? {
                leads.entry(before).or_default().insert(player);
            }
        }
        let count = self.names.roles.len() as u32;
        let mut again: BTreeMap<Symbol, bool> = BTreeMap::new();
        for made in &self.names.moves {
            cancel::step();
            let function = self.sheet.symbols.find(head_of(&made.term))?;
            let role = &self.names.roles[made.role as usize];
            let is_it = |&atom: &AtomId| {
                let args = self.game.facts.args(atom);
                self.game.terms.render(&self.sheet.symbols, args[1]) == made.term
                    && self.game.terms.render(&self.sheet.symbols, args[0]) == *role
            };
            let does = self.moves_of(function).into_iter().find(is_it)?;
            let legal = self.game.find(of.legal, self.game.facts.args(does))?;
            for before in self.needed_turns(legal, &turns, MAX_DEPTH)? {
                for &after in leads.get(&before).into_iter().flatten() {
                    let goes_on = after == made.role;
                    if !goes_on && after != (made.role + 1) % count
                        || turns[&before] != made.role
                        || *again.entry(function).or_insert(goes_on) != goes_on
                    {
                        return None;
                    }
                }
            }
        }
        Some(again.into_iter().filter(|&(_, goes_on)| goes_on).map(|(function, _)| function).collect())
    }

    /// The moves of a function.
    fn moves_of(&self, function: Symbol) -> Vec<AtomId> {
        let all = self.game.possible(self.sheet.keywords.does).into_iter();
        all.filter(|&atom| self.game.terms.get(self.game.facts.args(atom)[1]).name == function).collect()
    }

    /// The fluents of turns of which each rule of a sentence needs one; `None` if one of its rules needs
    /// none. Sentences that the rules need are replaced by their rules, up to this depth.
    fn needed_turns(
        &self,
        sentence: AtomId,
        turns: &BTreeMap<AtomId, u32>,
        depth: usize,
    ) -> Option<BTreeSet<AtomId>> {
        let of = &self.sheet.keywords;
        let relation = self.game.facts.relation(sentence);
        if turns.contains_key(&sentence) {
            return Some(BTreeSet::from([sentence]));
        }
        if depth == 0 || [of.true_, of.does].contains(&relation) {
            return None;
        }
        match self.game.certain(sentence) {
            Some(false) => return Some(BTreeSet::new()),
            Some(true) => return None,
            None => {}
        }
        let mut found = BTreeSet::new();
        for body in self.game.bodies(sentence) {
            cancel::step();
            // The condition with the fewest fluents says the most.
            let needed = body.iter().filter(|literal| literal.holds());
            let needed = needed.filter_map(|literal| self.needed_turns(literal.atom(), turns, depth - 1));
            found.extend(needed.min_by_key(BTreeSet::len)?);
        }
        Some(found)
    }
}
