//! Symmetry reduction: the symmetries of the rules as permutations of the bits of positions.
//!
//! Rules with chance are grounded with events as moves. An exchange of the players is a symmetry that need not fix the
//! first position.
//!
//! Technique: positions that differ in one fluent show the meaning of each bit; a symmetry maps a bit to the one with
//! the same meaning for the image of the fluent.
//! Source: symmetries as in Schiffel (2010); one position for each orbit as in Culberson, Schaeffer (1998) and
//! others.
//! Cost: the encoding of a position for each fluent and value, once.
//! Invariant: only symmetries that fix the players and the turn, so that values do not change, and exchanges of two
//! players whose payoffs have a constant sum; events keep their weights. If one of the former is no permutation of
//! bits, none is used. The results of exchanged ends are compared where ends are visited.

use std::sync::Arc;

use crate::game::canonical::Canonicalizer;
use crate::game::position_classes::{PositionClasses, PositionExchange};
use crate::game::{CompiledMachine, Game, State};
use bouton_base::cancel;
use bouton_base::id::Id;
use bouton_base::limits::Limits;
use bouton_circuit::Position;
use bouton_detect::chance::events_as_moves;
use bouton_detect::exchange::without_results;
use bouton_detect::symmetry::{
    GameSymmetry, SymmetryGroup, relaxation_anywhere, symmetries_anywhere, symmetries_from,
    symmetries_of_possible,
};
use bouton_grounding::{DeleteRelaxation, FluentId, Ground, Renaming, ground_with_work_limit};
use bouton_rules::Rules;

/// The number of positions from which symmetry reduction pays: below it, a certificate of all positions is checked in
/// passing.
pub(super) const SYMMETRY_MIN_POSITIONS: usize = 1 << 20;

/// The maximal order of the symmetry group, since each position costs work for each element.
const MAX_SYMMETRIES: usize = 64;

/// The budget of work for grounding the rules for this purpose: a fraction of a second.
const GROUNDING_BUDGET: u64 = 1_250_000;

/// Returns the classes of the positions that play reaches from one; `None` if no usable symmetry is found. With
/// `exchange`, players may be exchanged.
pub(super) fn classes(
    game: &Game,
    state: &State,
    exchange: bool,
    limits: &Limits,
) -> Option<PositionClasses> {
    let find = || {
        let rules = events_as_moves(&game.rules)?;
        let symmetries = GroundedRules::of(game, &rules, limits).and_then(|rules| {
            let position = rules.position(state)?;
            let possible = rules.ground.delete_relaxation(&position);
            rules.canonicalizer(&possible, &symmetries_from(&rules.ground, &position))
        });
        let exchange_of =
            || GroundedRules::of(game, &Arc::new(without_results(&rules)), limits)?.exchange(state);
        PositionClasses::new(symmetries, exchange.then(exchange_of).flatten())
    };
    cancel::run_within(limits, find).ok()?
}

/// Returns the canonical forms of all positions; `None` if no usable symmetry is found.
pub(super) fn canonical_anywhere(game: &Game, limits: &Limits) -> Option<Canonicalizer> {
    let find = || {
        let rules = GroundedRules::of(game, &events_as_moves(&game.rules)?, limits)?;
        rules.canonicalizer(&relaxation_anywhere(&rules.ground), &symmetries_anywhere(&rules.ground))
    };
    cancel::run_within(limits, find).ok()?
}

/// The grounded rules of a compiled game, with events of chance as moves.
struct GroundedRules<'g> {
    game: &'g Game,
    machine: &'g CompiledMachine,
    ground: Ground,
}

impl<'g> GroundedRules<'g> {
    /// Grounds rules that have the fields of the game first.
    fn of(game: &'g Game, rules: &Arc<Rules>, limits: &Limits) -> Option<GroundedRules<'g>> {
        let machine = game.compiled()?;
        let ground = ground_with_work_limit(rules, limits, GROUNDING_BUDGET).ok()?;
        Some(GroundedRules { game, machine, ground })
    }

    /// Returns a position as values of fluents. Fields that the game does not have hold their first values.
    fn position(&self, state: &State) -> Option<Vec<u8>> {
        let further = self.ground.rules.fields.iter().skip(self.game.rules.fields.len());
        let mut cells = self.game.cells(state);
        cells.extend(further.flat_map(|field| field.init.iter().cloned()));
        self.ground.fluents.position(&cells)
    }

    fn canonicalizer(&self, possible: &DeleteRelaxation, group: &SymmetryGroup) -> Option<Canonicalizer> {
        let elements = group.elements(MAX_SYMMETRIES)?;
        let moves_nobody = |symmetry: &&GameSymmetry| {
            symmetry.players.iter().enumerate().all(|(from, &to)| from == to as usize)
                && self.keeps(self.ground.fluents.turn(), symmetry)
                && self.keeps_play(symmetry)
                && symmetry.board != Renaming::identity(&symmetry.board)
        };
        let elements: Vec<&GameSymmetry> = elements.iter().filter(moves_nobody).collect();
        if elements.is_empty() {
            return None;
        }
        let bits = BitMeanings::of(self, possible)?;
        let renamings =
            elements.into_iter().map(|symmetry| bits.renaming(symmetry)).collect::<Option<Vec<_>>>()?;
        Some(Canonicalizer::new(bits.words, &renamings))
    }

    /// Returns an exchange of the two players, if there is one: of the positions that may be reachable, otherwise of all
    /// positions.
    fn exchange(&self, state: &State) -> Option<PositionExchange> {
        let possible = self.ground.delete_relaxation(&self.position(state)?);
        let anywhere = || relaxation_anywhere(&self.ground);
        self.exchange_within(state, &possible).or_else(|| self.exchange_within(state, &anywhere()))
    }

    fn exchange_within(&self, state: &State, possible: &DeleteRelaxation) -> Option<PositionExchange> {
        let elements = symmetries_of_possible(&self.ground, possible).elements(MAX_SYMMETRIES)?;
        let exchanges = |symmetry: &&GameSymmetry| symmetry.players == [1, 0] && self.keeps_play(symmetry);
        let mut exchanges = elements.iter().filter(exchanges).peekable();
        exchanges.peek()?;
        let bits = BitMeanings::of(self, possible)?;
        exchanges.find_map(|symmetry| PositionExchange::new(self.machine, state, bits.renaming(symmetry)?))
    }

    /// Returns true if a symmetry fixes the phase and the fields that the game does not have.
    fn keeps_play(&self, symmetry: &GameSymmetry) -> bool {
        let first = self.game.rules.fields.len();
        let further = self.ground.fluents.iter().filter(|(_, fluent)| fluent.field.index() >= first);
        further.map(|(id, _)| id).chain([self.ground.fluents.phase()]).all(|id| self.keeps(id, symmetry))
    }

    /// Returns true if a symmetry fixes a fluent with all its values.
    fn keeps(&self, id: FluentId, symmetry: &GameSymmetry) -> bool {
        let values = &symmetry.board.values[id.index()];
        symmetry.board.fluents[id.index()] == id
            && values.iter().enumerate().all(|(from, &to)| from == usize::from(to))
    }
}

/// The meaning of the bits of positions.
struct BitMeanings {
    /// The number of words of a position.
    words: usize,
    /// By fluent: the bits that depend on it, each with its value for every value of the fluent; `None` for a value
    /// that never occurs.
    by_fluent: Vec<Vec<(u32, Vec<Option<bool>>)>>,
}

impl BitMeanings {
    /// Returns `None` if a bit depends on several fluents, or the circuit cannot hold a value that may occur.
    fn of(rules: &GroundedRules<'_>, possible: &DeleteRelaxation) -> Option<BitMeanings> {
        let GroundedRules { game, machine, ground } = rules;
        let cells: usize = game.rules.fields.iter().map(|field| field.cells()).sum();
        let words = machine.runner().circuit().layout.words as usize;
        let mut taken = vec![false; 64 * words];
        let mut of = Vec::new();
        for (id, fluent) in ground.fluents.iter() {
            let values = (0..fluent.values.len()).map(|value| {
                let mut position = ground.initial.clone();
                position[id.index()] = value as u8;
                let mut all = ground.fluents.cells(&position);
                all.truncate(cells);
                machine.position_with_cells(all)
            });
            let values: Vec<_> = values.collect();
            let known =
                |value: usize| possible.values[id.index()] >> value & 1 == 0 || values[value].is_some();
            if !(0..values.len()).all(known) {
                return None;
            }
            let says = |bit: u32| -> Vec<Option<bool>> {
                let of = |at: &Position| at.words[(bit / 64) as usize] >> (bit % 64) & 1 == 1;
                values.iter().map(|at| at.as_ref().map(of)).collect()
            };
            let mut bits = Vec::new();
            for bit in 0..64 * words as u32 {
                let said = says(bit);
                if said.contains(&Some(true)) && said.contains(&Some(false)) {
                    if std::mem::replace(&mut taken[bit as usize], true) {
                        return None;
                    }
                    bits.push((bit, said));
                }
            }
            of.push(bits);
        }
        Some(BitMeanings { words, by_fluent: of })
    }

    /// Returns the image of each bit; `None` if some bit has no counterpart with the same meaning in the new place.
    fn renaming(&self, symmetry: &GameSymmetry) -> Option<Vec<u32>> {
        let mut to: Vec<u32> = (0..64 * self.words as u32).collect();
        for (fluent, bits) in self.by_fluent.iter().enumerate() {
            let image = &self.by_fluent[symmetry.board.fluents[fluent].index()];
            let mut free = vec![true; image.len()];
            for (bit, said) in bits {
                let mut wanted = vec![None; said.len()];
                for (value, &there) in symmetry.board.values[fluent].iter().enumerate() {
                    *wanted.get_mut(usize::from(there))? = said[value];
                }
                let found = image.iter().enumerate().position(|(i, (_, says))| free[i] && *says == wanted)?;
                free[found] = false;
                to[*bit as usize] = image[found].0;
            }
            if free.contains(&true) {
                return None;
            }
        }
        Some(to)
    }
}
