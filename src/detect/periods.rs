//! Periods of the Grundy values of octal games: rows in which a move fills a block of free cells.
//!
//! Technique: compute the values up to larger and larger lengths, until they repeat for as long as the theorem of Guy
//! and Smith (1956) requires; see `checker/periodic.rs`.
//! Cost: the square of the length for each block length. Not taken: arithmetic periodicity (periods with an
//! increment), which needs another theorem.

use bouton_base::limits::Limits;

/// Grundy values with their period.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Period {
    /// The least length for which the period holds.
    pub from: u32,
    pub period: u32,
    /// The values of rows of 0, 1, ... cells, up to the end of the first period.
    pub values: Vec<u32>,
}

impl Period {
    /// Returns the value of a row of `cells` cells.
    pub fn value(&self, cells: u64) -> u32 {
        let from = u64::from(self.from);
        let place = if cells < from { cells } else { from + (cells - from) % u64::from(self.period) };
        self.values[place as usize]
    }
}

/// The lengths up to which values are computed, one after the other; the last is the limit.
const LENGTH_STEPS: [usize; 4] = [128, 512, 1024, 2048];

/// Returns the least period that the values show; `None` if they show none up to the limit. `digits` is the code
/// of the game: a digit for blocks of 1, 2, ... cells, of which the last is not 0.
pub fn period(digits: &[u32], limits: &Limits) -> Option<Period> {
    let mut values: Vec<u32> = Vec::new();
    for end in LENGTH_STEPS {
        while values.len() < end {
            if limits.check().is_some() {
                return None;
            }
            values.push(next(&values, digits));
        }
        if let Some((from, period)) = repeats(&values, digits) {
            values.truncate(from + period);
            return Some(Period { from: from as u32, period: period as u32, values });
        }
    }
    None
}

/// Returns the value of the row one longer than the known ones.
pub fn next(values: &[u32], digits: &[u32]) -> u32 {
    let mut options = Vec::new();
    let mut add = |value: u32| {
        let value = value as usize;
        if options.len() <= value {
            options.resize(value + 1, false);
        }
        options[value] = true;
    };
    for (length, digit) in (1..).zip(digits) {
        let Some(left) = values.len().checked_sub(length) else { continue };
        if left == 0 && digit & 1 > 0 {
            add(0);
        }
        if left > 0 && digit & 2 > 0 {
            add(values[left]);
        }
        if digit & 4 > 0 {
            (1..=left / 2).for_each(|a| add(values[a] ^ values[left - a]));
        }
    }
    options.iter().position(|there| !there).unwrap_or(options.len()) as u32
}

fn repeats(values: &[u32], digits: &[u32]) -> Option<(usize, usize)> {
    let longest = digits.len();
    // Where a move depends on a row that is left being empty, the theorem needs a row that is not.
    let first = usize::from(!digits.iter().all(|digit| [0, 7].contains(digit)));
    (1..values.len() / 2).find_map(|period| {
        let differs = (period..values.len()).rev().find(|&n| values[n] != values[n - period]);
        let from = differs.map_or(0, |n| n - period + 1).max(first);
        (2 * from + 2 * period + longest <= values.len()).then_some((from, period))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published periods of rows in which 1 to k cells are filled, of Dawson's Kayles, and none for k = 3; and of
    /// octal games (Gangolf and others, OEIS A125924, A071434, A125920): the last exceptions are 6, 140 and 23.
    #[test]
    fn published_periods() {
        let of = |digits: &[u32]| period(digits, &Limits::default()).map(|found| (found.from, found.period));
        assert_eq!(of(&[3, 4]), Some((7, 8)));
        assert_eq!(of(&[1, 3, 7, 7]), Some((141, 24)));
        assert_eq!(of(&[1, 7, 6]), Some((24, 8)));
        let up_to = |k: usize| vec![7; k];
        assert_eq!(of(&up_to(1)), Some((0, 2)));
        assert_eq!(of(&up_to(2)), Some((71, 12)));
        assert_eq!(of(&up_to(4)), Some((142, 24)));
        assert_eq!(of(&up_to(6)), Some((16, 28)));
        assert_eq!(of(&up_to(8)), Some((284, 48)));
        assert_eq!(of(&up_to(12)), Some((32, 56)));
        assert_eq!(of(&[0, 7]), Some((53, 34)));
        assert_eq!(of(&up_to(3)), None);
    }
}
