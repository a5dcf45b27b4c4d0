//! Sums: positions that fall apart into independent components, at once or in the course of play, with their Grundy
//! values.
//!
//! Technique: a component is gone through once, whatever it is part of and wherever it lies (Sprague 1935, Grundy 1939;
//! Guy and Smith 1956 for rows).
//! Cost: the components that differ, where the game has positions for all their combinations. Not taken: components that
//! are the same but for a turn by a right angle or a reflection are gone through each.

use rustc_hash::FxHashSet;

use crate::base::limits::Limits;
use crate::ground::{Apart, Ground, Types, Unfit};

/// No more components are gone through.
const MOST_TYPES: usize = 20_000;

/// A game as a sum.
pub struct Sums<'g> {
    apart: Apart<'g>,
    /// The components of the position and of all that come of it.
    pub types: Types,
    /// What they are worth, in the same order: the least that no option is worth.
    pub nimbers: Vec<u32>,
}

/// The game as a sum from a position, or why it is none. The moves of both players must be the same; that who cannot
/// move loses is for the checker to see.
pub fn sums<'g>(ground: &'g mut Ground, position: &[u8], limits: &Limits) -> Result<Sums<'g>, Unfit> {
    let itself = || Unfit::Reason("moves depend on what is defined by itself".into());
    let first = ground.board_moves(0).ok_or_else(itself)?;
    let second = ground.board_moves(1).ok_or_else(itself)?;
    let one: FxHashSet<_> = first.iter().collect();
    let other: FxHashSet<_> = second.iter().collect();
    if one != other {
        return Err(Unfit::Reason("the players do not have the same moves".into()));
    }
    let mut apart = Apart::new(ground, first, position)?;
    let types = Types::of(&mut apart, position, MOST_TYPES, limits)?;
    if !types.falls_apart() {
        return Err(Unfit::Reason("the game does not fall apart into independent parts".into()));
    }
    let mut nimbers: Vec<u32> = Vec::with_capacity(types.list.len());
    for of in &types.list {
        let options: FxHashSet<u32> = of.options.iter().map(|option| worth(&nimbers, option)).collect();
        nimbers.push((0..).find(|n| !options.contains(n)).unwrap_or_default());
    }
    Ok(Sums { apart, types, nimbers })
}

fn worth(nimbers: &[u32], types: &[u32]) -> u32 {
    types.iter().fold(0, |total, &number| total ^ nimbers[number as usize])
}

impl Sums<'_> {
    /// What the position is worth.
    pub fn total(&self) -> u32 {
        worth(&self.nimbers, &self.types.start)
    }

    /// The types of the components of a position that may come of it.
    pub fn types_in(&mut self, position: &[u8]) -> Option<Vec<u32>> {
        self.types.in_position(&mut self.apart, position)
    }

    /// What a position is worth that may come of it.
    pub fn worth(&mut self, position: &[u8]) -> Option<u32> {
        let types = self.types_in(position)?;
        Some(worth(&self.nimbers, &types))
    }
}
