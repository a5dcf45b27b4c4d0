//! Proofs about positions that can be reached: conditions that never hold together there, such as the lines
//! of two players, of whom only one moves; and turns that go round.

use std::collections::BTreeSet;

use bouton_base::cancel;

use super::Refuter;
use super::remains::Proved;
use crate::ground::{AtomId, GroundLiteral};
use crate::sheet::Keywords;
use crate::simplify::Propositions;
use crate::turns::{is_initial, next_of};

/// The maximal number of conjunctions of fluents that conditions stand for.
const MAX_CONJUNCTIONS: usize = 5_000;

/// A search for contradictions in positions that can be reached.
pub struct Reached<'g> {
    game: &'g Propositions,
    keywords: &'g Keywords,
    /// The proofs about the position itself.
    here: Refuter<'g>,
    /// The proofs about the position before the last move.
    before: Refuter<'g>,
}

impl<'g> Reached<'g> {
    pub fn new(game: &'g Propositions, keywords: &'g Keywords, proved: Proved<'_>) -> Reached<'g> {
        let here = Refuter::with(game, keywords, proved);
        let mut before = Refuter::with(game, keywords, proved);
        before.add_moves();
        Reached { game, keywords, here, before }
    }

    /// Returns true if a proof shows that these conditions never hold together.
    pub fn excludes(&mut self, conditions: &[GroundLiteral]) -> bool {
        !self.here.can_hold_in_cases(conditions) || self.excludes_after_a_move(conditions)
    }

    /// Returns true if these conditions hold together neither in the first position nor after any move.
    fn excludes_after_a_move(&mut self, conditions: &[GroundLiteral]) -> bool {
        let Some(conjunctions) = self.unfolded(conditions) else { return false };
        let end = self.game.find(self.keywords.terminal, &[]);
        for conjunction in conjunctions {
            cancel::step();
            let fluents: Vec<GroundLiteral> = conjunction
                .iter()
                .copied()
                .filter(|literal| self.game.facts.relation(literal.atom()) == self.keywords.true_)
                .collect();
            let begins = |of: &GroundLiteral| is_initial(self.game, self.keywords, of.atom()) == of.holds();
            if fluents.iter().all(begins) {
                return false;
            }
            let mut all: Vec<GroundLiteral> = Vec::new();
            let mut may_come = true;
            for literal in fluents {
                match next_of(self.game, self.keywords, literal.atom()) {
                    Some(next) => all.push(GroundLiteral::new(next, literal.holds())),
                    None => may_come &= !literal.holds(),
                }
            }
            all.extend(end.map(|end| GroundLiteral::new(end, false)));
            if may_come && self.before.can_hold_in_cases(&all) {
                return false;
            }
        }
        true
    }

    /// The conjunctions of which one holds where these conditions do, without sentences that hold by rules;
    /// `None` if there are too many.
    fn unfolded(&self, conditions: &[GroundLiteral]) -> Option<Vec<Vec<GroundLiteral>>> {
        let mut open = vec![conditions.to_vec()];
        let (mut found, mut steps) = (Vec::new(), 0);
        while let Some(mut here) = open.pop() {
            cancel::step();
            steps += 1;
            if steps > MAX_CONJUNCTIONS {
                return None;
            }
            let is_derived =
                |literal: &GroundLiteral| literal.holds() && !self.game.bodies(literal.atom()).is_empty();
            match here.iter().position(is_derived) {
                None => found.push(here),
                Some(at) => {
                    let derived = here.swap_remove(at);
                    for body in self.game.bodies(derived.atom()) {
                        let mut more = here.clone();
                        more.extend(body.iter().filter(|literal| !here.contains(literal)));
                        let opposite = |of: &GroundLiteral| GroundLiteral::new(of.atom(), !of.holds());
                        if !more.iter().any(|literal| more.contains(&opposite(literal))) {
                            open.push(more);
                        }
                    }
                }
            }
        }
        Some(found)
    }
}

/// Returns true if a proof shows that each of these fluents, of which one holds in each position, gives way
/// to the next one of them by every move, and the last one to the first.
pub fn go_round(game: &Propositions, keywords: &Keywords, fluents: &[AtomId]) -> bool {
    let nothing = BTreeSet::new();
    let mut before = Refuter::with(game, keywords, Proved { alone: &nothing, remaining: &nothing });
    before.add_moves();
    let end = game.find(keywords.terminal, &[]);
    (0..fluents.len()).all(|at| {
        let Some(next) = next_of(game, keywords, fluents[(at + 1) % fluents.len()]) else { return false };
        let mut all: Vec<GroundLiteral> =
            (0..fluents.len()).map(|other| GroundLiteral::new(fluents[other], other == at)).collect();
        all.push(GroundLiteral::new(next, false));
        all.extend(end.map(|end| GroundLiteral::new(end, false)));
        !before.can_hold_in_cases(&all)
    })
}
