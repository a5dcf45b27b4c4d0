//! Percepts of GDL-II: what players see of the moves that were made, by `sees`.
//!
//! Percepts that only tell each player all moves of the others hide nothing: the first position is known, and so is
//! each later one. Otherwise positions and the moves of others are hidden, and each player has a field that says what he
//! sees.

use bouton_rules::{Value, Visibility};
use rustc_hash::FxHashSet;

use super::Translator;
use crate::ground::AtomId;
use crate::names::{PerceptName, PerceptSource};
use crate::sheet::Sheet;
use crate::simplify::Propositions;
use crate::terms::TermId;
use crate::turns::RoleMoves;

/// Returns true if the sheet has percepts, and a player may not know a move that another role has made.
pub(super) fn hide_something(
    sheet: &Sheet,
    game: &Propositions,
    roles: &[TermId],
    moves: &[RoleMoves],
) -> bool {
    let of = &sheet.keywords;
    if sheet.clauses.iter().all(|clause| clause.head.relation != of.sees) {
        return false;
    }
    let percepts = game.possible(of.sees);
    let players = roles.iter().filter(|&&role| game.terms.get(role).name != of.random);
    players.into_iter().any(|&player| {
        let mut seen: FxHashSet<AtomId> = FxHashSet::default();
        for &atom in percepts.iter().filter(|&&atom| game.facts.args(atom)[0] == player) {
            match seen_move(sheet, game, atom) {
                Some(made) => seen.extend(made),
                None => return true,
            }
        }
        let others = roles.iter().zip(moves).filter(|(role, of)| **role != player && of.does.len() > 1);
        others.into_iter().any(|(_, of)| of.does.iter().any(|made| !seen.contains(made)))
    })
}

/// The move that a percept tells, in a list, which is empty if the player always has the percept; `None` if it is
/// another one.
fn seen_move(sheet: &Sheet, game: &Propositions, percept: AtomId) -> Option<Vec<AtomId>> {
    if game.certain(percept).is_some() {
        return Some(Vec::new());
    }
    let [body] = game.bodies(percept) else { return None };
    let [only] = &body[..] else { return None };
    let is_move = only.holds() && game.facts.relation(only.atom()) == sheet.keywords.does;
    is_move.then(|| vec![only.atom()])
}

impl Translator<'_> {
    /// Names what each player sees of the last moves, and makes fields for it where something is hidden.
    pub(super) fn percepts(&mut self) {
        for player in 0..self.builder.rules.players().len() {
            let of_player = |&atom: &AtomId| self.game.facts.args(atom)[0] == self.roles[player];
            let all = self.game.possible(self.sheet.keywords.sees).into_iter().filter(of_player);
            let (open, certain): (Vec<AtomId>, Vec<AtomId>) =
                all.partition(|&atom| self.game.certain(atom).is_none());
            let mut sources: Vec<(AtomId, PerceptSource)> = Vec::new();
            if self.names.hidden {
                sources.extend(self.percept_field(player, &open));
            } else {
                sources.extend(open.into_iter().filter_map(|atom| Some((atom, self.told_move(atom)?))));
            }
            let always = certain.into_iter().filter(|&atom| self.game.certain(atom) == Some(true));
            sources.extend(always.map(|atom| (atom, PerceptSource::Always)));
            for (atom, source) in sources {
                let term = self.render(self.game.facts.args(atom)[1]);
                self.names.percepts.push(PerceptName { player: player as u32, term, source });
            }
        }
    }

    /// The move that a percept tells.
    fn told_move(&self, percept: AtomId) -> Option<PerceptSource> {
        let made = *seen_move(self.sheet, self.game, percept)?.first()?;
        let args = self.game.facts.args(made);
        let role = self.roles.iter().position(|&role| role == args[0])?;
        Some(PerceptSource::Move { role, term: self.render(args[1]) })
    }

    /// Makes the field of the percepts of a player, with a cell for each.
    fn percept_field(&mut self, player: usize, atoms: &[AtomId]) -> Vec<(AtomId, PerceptSource)> {
        if atoms.is_empty() {
            return Vec::new();
        }
        let name = format!("{}_sees", self.names.roles[player]);
        let written = atoms.iter().map(|&atom| self.render(self.game.facts.args(atom)[1])).collect();
        let seen = Visibility::To(vec![vec![player as u32]; atoms.len()]);
        let init = vec![Value::Bool(false); atoms.len()];
        let field = self.truth_field(name, Some(written), atoms, init, seen);
        self.percepts.extend(atoms);
        let cells = atoms.iter().enumerate();
        cells.map(|(cell, &atom)| (atom, PerceptSource::Cell(field, cell))).collect()
    }
}
