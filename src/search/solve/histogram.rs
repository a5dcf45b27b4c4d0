//! The histogram of a strong solution: the number of positions by mover, value and remoteness.

use bouton_base::rational::Rational;

use super::value::Value;

/// A group of positions with the same mover and value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueGroup {
    /// The player to move, or who would move if the game is over; `None` if chance or all players move.
    pub mover: Option<u32>,
    /// Their value.
    pub value: Value,
    /// Their number.
    pub positions: u64,
    /// The number of positions by plies to the end; empty if plies are not counted.
    pub by_remoteness: Vec<u64>,
}

impl ValueGroup {
    /// The longest distance to the end; `None` if plies are not counted.
    pub fn longest(&self) -> Option<u32> {
        self.by_remoteness.len().checked_sub(1).map(|plies| plies as u32)
    }
}

/// All positions of a strong solution by mover and value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ValueHistogram {
    /// The groups by player to move, those without one last; within a player the best value for the first player first.
    pub groups: Vec<ValueGroup>,
}

impl ValueHistogram {
    /// Adds positions of one group, with their plies to the end if known.
    pub fn add(&mut self, mover: Option<u32>, value: &Value, remoteness: Option<u32>, positions: u64) {
        let found = self.groups.iter().position(|kind| kind.mover == mover && kind.value == *value);
        let at = found.unwrap_or_else(|| {
            self.groups.push(ValueGroup {
                mover,
                value: value.clone(),
                positions: 0,
                by_remoteness: Vec::new(),
            });
            self.groups.len() - 1
        });
        let kind = &mut self.groups[at];
        kind.positions += positions;
        if let Some(plies) = remoteness {
            let plies = plies as usize;
            kind.by_remoteness.resize(kind.by_remoteness.len().max(plies + 1), 0);
            kind.by_remoteness[plies] += positions;
        }
    }

    /// Sorts the groups.
    pub fn sort(&mut self) {
        let worth = |kind: &ValueGroup| kind.value.payoffs.first().cloned().unwrap_or_else(Rational::default);
        let order = |kind: &ValueGroup| (kind.mover.is_none(), kind.mover, std::cmp::Reverse(worth(kind)));
        self.groups.sort_by_key(order);
    }

    /// Returns the number of positions by value, and by plies to the end if they are counted: the best value for the
    /// first player first, then the nearest end.
    pub fn histogram(&self) -> Vec<(Value, Option<u32>, u64)> {
        let mut bars: Vec<(Value, Option<u32>, u64)> = Vec::new();
        for kind in &self.groups {
            let counted = kind.by_remoteness.iter().sum::<u64>();
            let by_plies = kind.by_remoteness.iter().enumerate().map(|(plies, &n)| (Some(plies as u32), n));
            for (plies, positions) in by_plies.chain([(None, kind.positions - counted)]) {
                match bars.iter_mut().find(|(value, at, _)| *value == kind.value && *at == plies) {
                    Some((_, _, all)) => *all += positions,
                    None => bars.push((kind.value.clone(), plies, positions)),
                }
            }
        }
        bars.retain(|(_, _, positions)| *positions > 0);
        bars.sort_by(|(a, near, _), (b, far, _)| b.payoffs.cmp(&a.payoffs).then(near.cmp(far)));
        bars
    }

    /// Returns the number of positions by value, the best for the first player first.
    pub fn by_value(&self) -> Vec<(&Value, u64)> {
        let mut values: Vec<(&Value, u64)> = Vec::new();
        for kind in &self.groups {
            match values.iter_mut().find(|(value, _)| **value == kind.value) {
                Some((_, positions)) => *positions += kind.positions,
                None => values.push((&kind.value, kind.positions)),
            }
        }
        values.sort_by(|(a, _), (b, _)| b.payoffs.cmp(&a.payoffs));
        values
    }
}
