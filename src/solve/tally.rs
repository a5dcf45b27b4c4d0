//! How many positions have which value: what a strong solution says in numbers.

use num_rational::Rational64;

use super::value::Value;

/// Positions of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Who is to move; none where chance or all players move, or the game is over.
    pub mover: Option<u32>,
    /// What they are worth.
    pub value: Value,
    /// How many there are.
    pub positions: u64,
    /// How many of them take so many plies, by the plies; empty where plies are not counted.
    pub by_remoteness: Vec<u64>,
}

impl Kind {
    /// The most plies that one of them takes; none where plies are not counted.
    pub fn longest(&self) -> Option<u32> {
        self.by_remoteness.len().checked_sub(1).map(|plies| plies as u32)
    }
}

/// All positions of a strong solution by who is to move and by what they are worth.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// By the player to move, finished games last; of each the best value for the first player first.
    pub kinds: Vec<Kind>,
}

impl Tally {
    /// Counts positions of one kind that take so many plies, where that is known.
    pub fn add(&mut self, mover: Option<u32>, value: &Value, remoteness: Option<u32>, positions: u64) {
        let found = self.kinds.iter().position(|kind| kind.mover == mover && kind.value == *value);
        let at = found.unwrap_or_else(|| {
            self.kinds.push(Kind { mover, value: value.clone(), positions: 0, by_remoteness: Vec::new() });
            self.kinds.len() - 1
        });
        let kind = &mut self.kinds[at];
        kind.positions += positions;
        if let Some(plies) = remoteness {
            let plies = plies as usize;
            kind.by_remoteness.resize(kind.by_remoteness.len().max(plies + 1), 0);
            kind.by_remoteness[plies] += positions;
        }
    }

    /// Puts the kinds in order.
    pub fn sort(&mut self) {
        let worth = |kind: &Kind| kind.value.payoffs.first().copied().unwrap_or_else(Rational64::default);
        let order = |kind: &Kind| (kind.mover.is_none(), kind.mover, std::cmp::Reverse(worth(kind)));
        self.kinds.sort_by_key(order);
    }

    /// How many positions have each value, by the plies to the end where they are counted: the best value for the first
    /// player first, then the nearest end.
    pub fn histogram(&self) -> Vec<(Value, Option<u32>, u64)> {
        let mut bars: Vec<(Value, Option<u32>, u64)> = Vec::new();
        for kind in &self.kinds {
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

    /// How many positions have each value, the best for the first player first.
    pub fn by_value(&self) -> Vec<(&Value, u64)> {
        let mut values: Vec<(&Value, u64)> = Vec::new();
        for kind in &self.kinds {
            match values.iter_mut().find(|(value, _)| **value == kind.value) {
                Some((_, positions)) => *positions += kind.positions,
                None => values.push((&kind.value, kind.positions)),
            }
        }
        values.sort_by(|(a, _), (b, _)| b.payoffs.cmp(&a.payoffs));
        values
    }
}
