//! Sums: parts of a game that no move has in common, with the Grundy values of their positions.
//!
//! Technique: fluents that one move reads or changes are in one part (Zhao, Schiffel, Thielscher 2009, on rules that are
//! written out; whose turn it is, is in none). Each part is gone through from its first position.
//! Cost: the positions of the parts added up, where the whole game has their product. Not taken: parts that only fall
//! apart in the course of play.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::id::Id;
use crate::ground::{Action, FALSE, FluentId, Ground, Maker, Reading};

/// Positions of a part, as value numbers in the order of its fluents, each with its Grundy value.
pub type Nimbers = FxHashMap<Vec<u8>, u32>;

/// A part of a game.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its fluents, in order.
    pub fluents: Vec<FluentId>,
    /// Its positions with their values.
    pub nimbers: Nimbers,
    /// The value in the position that was asked about.
    pub value: u32,
}

/// No parts of more positions together are gone through.
const MOST_POSITIONS: usize = 50_000;

/// The parts of a game in a position, in the order of their first fluents; or why there are none, as a sentence without
/// its stop.
pub fn parts(ground: &Ground, position: &[u8]) -> Result<Vec<Part>, String> {
    let mut ground = ground.clone();
    let turn = ground.fluents.turn();
    let possible = ground.possible(position);
    let changes = |fluent: &FluentId| *fluent != turn && possible.values[fluent.index()].count_ones() > 1;
    let mut joined = Joined::default();
    let mut moves: Vec<(FluentId, Action)> = Vec::new();
    let mover = u32::from(position[turn.index()]);
    for (action, live) in ground.actions.clone().into_iter().zip(&possible.actions) {
        if !live || action.maker != Maker::Player(mover) {
            continue;
        }
        let mut support = FxHashSet::default();
        let itself = || "moves depend on what is defined by itself".to_owned();
        let legal = ground.formulas.assuming(action.legal, turn, mover as u8).ok_or_else(itself)?;
        if legal == FALSE {
            continue;
        }
        ground.formulas.fluents_of(legal, &mut support);
        for becomes in action.becomes.iter().filter(|becomes| becomes.fluent != turn) {
            support.insert(becomes.fluent);
            becomes.values.iter().for_each(|(_, when)| ground.formulas.fluents_of(*when, &mut support));
        }
        let mut support: Vec<FluentId> = support.into_iter().filter(changes).collect();
        support.sort_unstable();
        let Some(&first) = support.first() else { continue };
        support.iter().for_each(|&fluent| joined.join(first, fluent));
        moves.push((first, action));
    }
    let mut by_part: FxHashMap<FluentId, (Vec<FluentId>, Vec<Action>)> = FxHashMap::default();
    let mut fluents: Vec<FluentId> = joined.above.keys().copied().collect();
    fluents.sort_unstable();
    for fluent in fluents {
        by_part.entry(joined.root(fluent)).or_default().0.push(fluent);
    }
    for (first, action) in moves {
        by_part.entry(joined.root(first)).or_default().1.push(action);
    }
    if by_part.len() < 2 {
        return Err("the game does not fall apart into independent parts".into());
    }
    let mut parts: Vec<(Vec<FluentId>, Vec<Action>)> = by_part.into_values().collect();
    parts.sort_unstable_by_key(|(fluents, _)| fluents[0]);
    let mut left = MOST_POSITIONS;
    let mut found = Vec::new();
    for (fluents, moves) in parts {
        let mut part = Part { fluents, nimbers: Nimbers::default(), value: 0 };
        let local: Vec<u8> = part.fluents.iter().map(|fluent| position[fluent.index()]).collect();
        part.value = part.nimber(&ground, position, &moves, &local, &mut left)?;
        found.push(part);
    }
    Ok(found)
}

impl Part {
    /// The value of a position of the part: the least that no move leads to.
    fn nimber(
        &mut self,
        ground: &Ground,
        position: &[u8],
        moves: &[Action],
        local: &[u8],
        left: &mut usize,
    ) -> Result<u32, String> {
        if let Some(&known) = self.nimbers.get(local) {
            return match known {
                OPEN => Err("positions of a part come back".into()),
                known => Ok(known),
            };
        }
        *left = left.checked_sub(1).ok_or("its parts have too many positions")?;
        self.nimbers.insert(local.to_vec(), OPEN);
        let mut here = position.to_vec();
        for (fluent, &value) in self.fluents.iter().zip(local) {
            here[fluent.index()] = value;
        }
        let mut reading = Reading::new(&ground.formulas, &here);
        let mut options = FxHashSet::default();
        let legal: Vec<&Action> = moves.iter().filter(|action| reading.holds(action.legal)).collect();
        for action in legal {
            let after = ground.after(&mut reading, &here, action);
            let local: Vec<u8> = self.fluents.iter().map(|fluent| after[fluent.index()]).collect();
            options.insert(self.nimber(ground, position, moves, &local, left)?);
        }
        let nimber = (0..).find(|n| !options.contains(n)).unwrap_or(OPEN);
        self.nimbers.insert(local.to_vec(), nimber);
        Ok(nimber)
    }

    /// The value of the part in another position.
    pub fn value_in(&self, position: &[u8]) -> Option<u32> {
        let local: Vec<u8> = self.fluents.iter().map(|fluent| position[fluent.index()]).collect();
        self.nimbers.get(&local).copied()
    }
}

/// The value of a position that is being worked out.
const OPEN: u32 = u32::MAX;

/// Sets of fluents that only ever grow together.
#[derive(Default)]
struct Joined {
    above: FxHashMap<FluentId, FluentId>,
}

impl Joined {
    fn root(&self, mut fluent: FluentId) -> FluentId {
        while let Some(&above) = self.above.get(&fluent).filter(|above| **above != fluent) {
            fluent = above;
        }
        fluent
    }

    fn join(&mut self, one: FluentId, other: FluentId) {
        for fluent in [one, other] {
            self.above.entry(fluent).or_insert(fluent);
        }
        let (one, other) = (self.root(one), self.root(other));
        self.above.insert(one.max(other), one.min(other));
    }
}
