//! The values that are known in the course of an evaluation, of positions or of components.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::Inapplicable;
use super::short_game::ShortGame;
use bouton_base::limits::{LimitHit, Limits};

/// The maximal number of values, a limit of positions.
const MAX_VALUES: usize = 1_000_000;

/// The maximal number of successive moves.
const MAX_PLIES: usize = 1000;

/// The values by key, with the limits of an evaluation that goes from a key to those of its options.
pub(super) struct KnownValues<'g, K> {
    /// The values; `None` while a key is being evaluated.
    values: FxHashMap<K, Option<ShortGame>>,
    limits: &'g Limits,
    /// The subject of the sentence `... come back`.
    endless: &'static str,
}

impl<'g, K: Eq + Hash + Clone> KnownValues<'g, K> {
    pub fn new(limits: &'g Limits, endless: &'static str) -> KnownValues<'g, K> {
        KnownValues { values: FxHashMap::default(), limits, endless }
    }

    /// Returns the value of a key if it is known; otherwise its evaluation begins, after this number of moves.
    pub fn begin(&mut self, key: &K, deep: usize) -> Result<Option<ShortGame>, Inapplicable> {
        match self.values.get(key) {
            Some(Some(known)) => return Ok(Some(*known)),
            Some(None) => return Err(format!("{} come back", self.endless).into()),
            None => {}
        }
        if let Some(hit) = self.limits.check() {
            return Err(hit.into());
        }
        if self.values.len() >= MAX_VALUES {
            return Err(LimitHit::Positions.into());
        }
        if deep >= MAX_PLIES {
            return Err("the game takes too many moves".into());
        }
        self.values.insert(key.clone(), None);
        Ok(None)
    }

    /// Keeps the value of a key whose evaluation began.
    pub fn finish(&mut self, key: K, value: ShortGame) {
        self.values.insert(key, Some(value));
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.values.len()
    }
}
