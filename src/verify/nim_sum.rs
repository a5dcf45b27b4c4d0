//! The check of NIM-SUM: on the rules written out.

use rustc_hash::{FxHashMap, FxHashSet};

use super::written::OnBoard;
use super::{Checker, Proven, Stop, Sum};
use crate::base::id::Id;
use crate::cert::nim_sum::{NimSum, Part};
use crate::ground::{FluentId, Ground, Reading};
use crate::reference::State;

impl Checker<'_> {
    /// The holder makes sure of the bound: his nim sum is not 0 where he is to move, and 0 where the other is.
    pub(super) fn nim_sum(&mut self, start: &State, sum: &NimSum) -> Result<Proven, Stop> {
        let mut ground = self.written_out()?;
        let holder = self.of_two(&sum.bound)?;
        let position = self.numbered(&ground, start)?;
        let turn = ground.fluents.turn();
        let possible = ground.possible(&position);
        self.normal(&mut ground, &possible, 1 - holder, sum.bound)?;
        self.one_way(&mut ground, &possible)?;
        let moves = self.moves(&mut ground, &possible, turn)?;
        self.same_moves(&moves)?;
        let [first, _] = moves;
        let mut part_of: FxHashMap<FluentId, usize> = FxHashMap::default();
        for (number, part) in sum.parts.iter().enumerate() {
            for &fluent in &part.fluents {
                let id = FluentId(fluent);
                if id.index() >= ground.fluents.len() || part_of.insert(id, number).is_some() {
                    return self.reject("a fluent is in two parts, or is not there");
                }
            }
        }
        let mut moves: Vec<Vec<&OnBoard>> = vec![Vec::new(); sum.parts.len()];
        for of in &first {
            let parts: FxHashSet<Option<usize>> =
                of.reads.iter().chain(&of.writes).map(|fluent| part_of.get(fluent).copied()).collect();
            match parts.into_iter().collect::<Vec<_>>()[..] {
                [Some(part)] => moves[part].push(of),
                _ => return self.reject("a move is not in one part"),
            }
        }
        let mut total = 0;
        for (part, moves) in sum.parts.iter().zip(&moves) {
            total ^= self.part(&ground, &position, part, moves)?;
        }
        let to_move = u32::from(position[turn.index()]);
        if (total != 0) != (to_move == holder) {
            return self
                .reject(format!("the values add up to {total} without carrying: the other player wins"));
        }
        Ok(Proven::Bound { bound: sum.bound, plies: None, sum: Sum::default() })
    }

    /// The value of a part in the position, every value that is listed having been worked out again.
    fn part(
        &mut self,
        ground: &Ground,
        position: &[u8],
        part: &Part,
        moves: &[&OnBoard],
    ) -> Result<u32, Stop> {
        let value_of = |local: &[u8]| {
            let place = part.values.binary_search_by(|(other, _)| other.as_slice().cmp(local)).ok()?;
            Some(part.values[place].1)
        };
        for (local, nimber) in &part.values {
            self.looked += 1;
            if let Some(hit) = self.limits.check() {
                return Err(Stop::Limit(hit));
            }
            let Some(here) = self.within(ground, position, part, local) else {
                return self.reject("a position of a part has values that are not there");
            };
            let mut reading = Reading::new(&ground.formulas, &here);
            let mut options = FxHashSet::default();
            for of in moves.iter().filter(|of| reading.holds(of.legal)).collect::<Vec<_>>() {
                let mut after = here.clone();
                for ((fluent, value), when) in &of.becomes {
                    if reading.holds(*when) {
                        after[fluent.index()] = *value;
                    }
                }
                let local: Vec<u8> = part.fluents.iter().map(|&fluent| after[fluent as usize]).collect();
                match value_of(&local) {
                    Some(value) => options.insert(value),
                    None => return self.reject("a move leads to a position of its part that is not listed"),
                };
            }
            if options.contains(nimber) || (0..*nimber).any(|smaller| !options.contains(&smaller)) {
                return self.reject(format!("{nimber} is not the least value that no move leads to"));
            }
        }
        let local: Vec<u8> = part.fluents.iter().map(|&fluent| position[fluent as usize]).collect();
        match value_of(&local) {
            Some(value) => Ok(value),
            None => self.reject("the position of a part is not listed"),
        }
    }

    /// The position with other values in a part.
    fn within(&self, ground: &Ground, position: &[u8], part: &Part, local: &[u8]) -> Option<Vec<u8>> {
        let mut here = position.to_vec();
        if local.len() != part.fluents.len() {
            return None;
        }
        for (&fluent, &value) in part.fluents.iter().zip(local) {
            if usize::from(value) >= ground.fluents.get(FluentId(fluent)).values.len() {
                return None;
            }
            here[fluent as usize] = value;
        }
        Some(here)
    }
}
