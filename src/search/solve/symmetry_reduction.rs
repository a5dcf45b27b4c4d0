//! Symmetry reduction: the symmetries of the rules as permutations of the bits of positions.
//!
//! Technique: positions that differ in one fluent show the meaning of each bit; a symmetry maps a bit to the one with
//! the same meaning for the image of the fluent.
//! Source: symmetries as in Schiffel (2010); one position for each orbit as in Culberson, Schaeffer (1998) and
//! others.
//! Cost: the encoding of a position for each fluent and value, once.
//! Invariant: only symmetries that fix the players and the turn, so that values do not change. If one of them is no
//! permutation of bits, none is used.

use crate::game::canonical::Canonicalizer;
use crate::game::{CompiledMachine, Game, State};
use bouton_base::cancel;
use bouton_base::id::Id;
use bouton_base::limits::Limits;
use bouton_circuit::Position;
use bouton_detect::symmetry::{
    GameSymmetry, SymmetryGroup, relaxation_anywhere, symmetries_anywhere, symmetries_from,
};
use bouton_grounding::{DeleteRelaxation, FluentId, Ground, Renaming, ground_with_work_limit};

/// The number of positions from which symmetry reduction pays: below it, a certificate of all positions is checked in
/// passing.
pub(super) const SYMMETRY_MIN_POSITIONS: usize = 1 << 20;

/// The maximal order of the symmetry group, since each position costs work for each element.
const MAX_SYMMETRIES: usize = 64;

/// The budget of work for grounding the rules for this purpose: a fraction of a second.
const GROUNDING_BUDGET: u64 = 1_250_000;

/// Returns the canonical forms of the positions that play reaches from one; `None` if no usable symmetry is found.
pub(super) fn canonical(game: &Game, state: &State, limits: &Limits) -> Option<Canonicalizer> {
    let find = || {
        let ground = ground_with_work_limit(&game.rules, limits, GROUNDING_BUDGET).ok()?;
        let position = ground.fluents.position(&game.cells(state))?;
        canonical_for_group(
            game,
            &ground,
            &ground.delete_relaxation(&position),
            &symmetries_from(&ground, &position),
        )
    };
    cancel::run_within(limits, find).ok()?
}

/// Returns the canonical forms of all positions; `None` if no usable symmetry is found.
pub(super) fn canonical_anywhere(game: &Game, limits: &Limits) -> Option<Canonicalizer> {
    let find = || {
        let ground = ground_with_work_limit(&game.rules, limits, GROUNDING_BUDGET).ok()?;
        canonical_for_group(game, &ground, &relaxation_anywhere(&ground), &symmetries_anywhere(&ground))
    };
    cancel::run_within(limits, find).ok()?
}

fn canonical_for_group(
    game: &Game,
    ground: &Ground,
    possible: &DeleteRelaxation,
    group: &SymmetryGroup,
) -> Option<Canonicalizer> {
    let machine = game.compiled()?;
    let elements = group.elements(MAX_SYMMETRIES)?;
    let keeps = |id: FluentId, symmetry: &GameSymmetry| {
        let values = &symmetry.board.values[id.index()];
        symmetry.board.fluents[id.index()] == id
            && values.iter().enumerate().all(|(from, &to)| from == usize::from(to))
    };
    let quiet = |symmetry: &&GameSymmetry| {
        let turn = [ground.fluents.turn(), ground.fluents.phase()];
        symmetry.players.iter().enumerate().all(|(from, &to)| from == to as usize)
            && turn.into_iter().all(|id| keeps(id, symmetry))
            && symmetry.board != Renaming::identity(&symmetry.board)
    };
    let elements: Vec<&GameSymmetry> = elements.iter().filter(quiet).collect();
    if elements.is_empty() {
        return None;
    }
    let bits = BitMeanings::of(machine, ground, possible)?;
    let renamings =
        elements.into_iter().map(|symmetry| bits.renaming(symmetry)).collect::<Option<Vec<_>>>()?;
    Some(Canonicalizer::new(bits.words, &renamings))
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
    fn of(machine: &CompiledMachine, ground: &Ground, possible: &DeleteRelaxation) -> Option<BitMeanings> {
        let words = machine.runner().circuit().layout.words as usize;
        let mut taken = vec![false; 64 * words];
        let mut of = Vec::new();
        for (id, fluent) in ground.fluents.iter() {
            let values = (0..fluent.values.len()).map(|value| {
                let mut position = ground.initial.clone();
                position[id.index()] = value as u8;
                machine.position_with_cells(ground.fluents.cells(&position))
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
