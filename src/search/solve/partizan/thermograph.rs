//! Thermographs: the worth of a value to either player under a tax on every move; they give its mean and temperature.
//!
//! Source: Conway (1976); Berlekamp, Conway and Guy (Winning Ways, 1982, chapter 6).
//! Invariant: it only shows which values are hot; no claim rests on it.

use num_rational::Rational64;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub};
use rustc_hash::FxHashMap;

use super::short_game::{ShortGame, ShortGameTable};

/// A function of the tax, from 0 on: linear between its corners, with a constant slope beyond the last.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Wall {
    /// The tax and the value at each corner; the first tax is 0.
    corners: Vec<(Rational64, Rational64)>,
    /// The slope beyond the last corner.
    slope: Rational64,
}

/// A thermograph: the walls of Left and Right, and the mast in which they meet, at the mean from the temperature on.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Thermograph {
    walls: [Wall; 2],
    mean: Rational64,
    temperature: Rational64,
}

/// Returns the mean of a value and its temperature; `None` if numbers become too large. The temperature of a number,
/// which is below 0, is reported as 0.
pub fn mean_and_temperature(shorts: &ShortGameTable, value: ShortGame) -> Option<(Rational64, Rational64)> {
    let of = thermograph(shorts, value, &mut FxHashMap::default())?;
    Some((of.mean, of.temperature))
}

fn thermograph(
    shorts: &ShortGameTable,
    value: ShortGame,
    known: &mut FxHashMap<ShortGame, Thermograph>,
) -> Option<Thermograph> {
    if let Some(known) = known.get(&value) {
        return Some(known.clone());
    }
    let zero = Rational64::default();
    let of = match shorts.number(value) {
        Some(mean) => {
            let mast = Wall { corners: vec![(zero, mean)], slope: zero };
            Thermograph { walls: [mast.clone(), mast], mean, temperature: zero }
        }
        None => {
            let form = shorts.form(value);
            let mut scaffolds: [Option<Wall>; 2] = [None, None];
            for (side, options) in [&form.left, &form.right].into_iter().enumerate() {
                // Each player pays a tax for a move: Left's lowers the value, Right's raises it.
                let tax = Rational64::from_integer(if side == 0 { -1 } else { 1 });
                for &option in options {
                    let taxed = thermograph(shorts, option, known)?.walls[1 - side].plus(tax)?;
                    scaffolds[side] = Some(match scaffolds[side].take() {
                        None => taxed,
                        Some(other) => other.outer(&taxed, side == 0)?,
                    });
                }
            }
            let [left, right] = scaffolds;
            let (left, right) = (left?, right?);
            let (temperature, mean) = left.meets(&right)?;
            let walls = [left, right].map(|wall| wall.up_to(temperature, mean));
            Thermograph { walls, mean, temperature }
        }
    };
    known.insert(value, of.clone());
    Some(of)
}

impl Wall {
    fn at(&self, tax: Rational64) -> Option<Rational64> {
        let place = self.corners.iter().rposition(|(corner, _)| *corner <= tax)?;
        let (from, value) = self.corners[place];
        value.checked_add(&self.slope_after(place)?.checked_mul(&tax.checked_sub(&from)?)?)
    }

    fn slope_after(&self, place: usize) -> Option<Rational64> {
        let (from, value) = self.corners[place];
        match self.corners.get(place + 1) {
            Some((to, next)) => next.checked_sub(&value)?.checked_div(&to.checked_sub(&from)?),
            None => Some(self.slope),
        }
    }

    /// Returns the wall with `slope` added for each unit of tax.
    fn plus(&self, slope: Rational64) -> Option<Wall> {
        let corner = |(tax, value): &(Rational64, Rational64)| {
            Some((*tax, value.checked_add(&slope.checked_mul(tax)?)?))
        };
        let corners: Option<Vec<_>> = self.corners.iter().map(corner).collect();
        Some(Wall { corners: corners?, slope: self.slope.checked_add(&slope)? })
    }

    /// Returns the taxes at the corners of both walls and at their crossings, in order.
    fn corners_with(&self, other: &Wall) -> Option<Vec<Rational64>> {
        let mut taxes: Vec<Rational64> =
            self.corners.iter().chain(&other.corners).map(|(tax, _)| *tax).collect();
        taxes.sort_unstable();
        taxes.dedup();
        let mut all = taxes.clone();
        for (place, &from) in taxes.iter().enumerate() {
            let last =
                |wall: &Wall| wall.slope_after(wall.corners.iter().rposition(|(corner, _)| *corner <= from)?);
            let apart = other.at(from)?.checked_sub(&self.at(from)?)?;
            let nearer = last(self)?.checked_sub(&last(other)?)?;
            if nearer == Rational64::default() {
                continue;
            }
            let crossing = from.checked_add(&apart.checked_div(&nearer)?)?;
            if crossing > from && taxes.get(place + 1).is_none_or(|next| crossing < *next) {
                all.push(crossing);
            }
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    /// Returns the greater of both walls at each tax, or the lesser.
    fn outer(&self, other: &Wall, greater: bool) -> Option<Wall> {
        let taxes = self.corners_with(other)?;
        let pick = |a: Rational64, b: Rational64| if greater { a.max(b) } else { a.min(b) };
        let corners: Option<Vec<_>> =
            taxes.iter().map(|&tax| Some((tax, pick(self.at(tax)?, other.at(tax)?)))).collect();
        let corners = corners?;
        // Beyond the last corner and crossing, the wall that is ahead a little later stays ahead.
        let later = corners.last()?.0.checked_add(&Rational64::from_integer(1))?;
        let slope = pick(self.at(later)?, other.at(later)?).checked_sub(&corners.last()?.1)?;
        Some(Wall { corners, slope })
    }

    /// Returns the least tax at which this left scaffold is no longer greater than the right one, with the value
    /// there.
    fn meets(&self, right: &Wall) -> Option<(Rational64, Rational64)> {
        let taxes = self.corners_with(right)?;
        for tax in taxes {
            let (here, there) = (self.at(tax)?, right.at(tax)?);
            if here <= there {
                return Some((tax, here));
            }
        }
        None
    }

    /// Returns the wall up to the foot of the mast.
    fn up_to(self, temperature: Rational64, mean: Rational64) -> Wall {
        let mut corners: Vec<_> = self.corners.into_iter().filter(|(tax, _)| *tax < temperature).collect();
        corners.push((temperature, mean));
        Wall { corners, slope: Rational64::default() }
    }
}

#[cfg(test)]
mod tests {
    use bouton_base::random::SplitMix;

    use super::*;
    use crate::solve::partizan::notation::parse;

    /// Means and temperatures worked out by hand.
    #[test]
    fn means_and_temperatures() {
        let ratio = |text: &str| {
            let (above, below) = text.split_once('/').unwrap_or((text, "1"));
            Rational64::new(above.parse().unwrap(), below.parse().unwrap())
        };
        for (name, mean, temperature) in [
            ("+-1", "0", "1"),
            ("{2|-1/2}", "3/4", "5/4"),
            ("{4||1|-1}", "2", "2"),
            ("{2|0||-1}", "0", "1"),
            ("{2||1|0}", "5/4", "3/4"),
            ("{3|1||-1|-3}", "0", "2"),
            ("{5|-1,+-2}", "2", "3"),
            ("^", "0", "0"),
            ("1*2", "1", "0"),
            ("{0||0|-2}", "0", "0"),
            ("5/8", "5/8", "0"),
        ] {
            let mut shorts = ShortGameTable::default();
            let value = parse(&mut shorts, name).unwrap_or_else(|why| panic!("{name}: {why}"));
            let found = mean_and_temperature(&shorts, value);
            assert_eq!(found, Some((ratio(mean), ratio(temperature))), "{name}");
        }
    }

    /// Returns the worth of a value to Left and to Right, who moves first, at a tax, by the definition.
    fn worth(shorts: &ShortGameTable, value: ShortGame, tax: Rational64) -> [Rational64; 2] {
        if let Some(number) = shorts.number(value) {
            return [number; 2];
        }
        let [left, right] = scaffold(shorts, value, tax);
        if left > right { [left, right] } else { [frozen(shorts, value).0; 2] }
    }

    /// Returns the worth of the best move of each player, less his tax.
    fn scaffold(shorts: &ShortGameTable, value: ShortGame, tax: Rational64) -> [Rational64; 2] {
        let form = shorts.form(value);
        let left = form.left.iter().map(|&option| worth(shorts, option, tax)[1] - tax).max();
        let right = form.right.iter().map(|&option| worth(shorts, option, tax)[0] + tax).min();
        [left.expect("a move of Left"), right.expect("a move of Right")]
    }

    /// Returns the mean and the least tax at which no player wants to move, in steps of 1/64.
    fn frozen(shorts: &ShortGameTable, value: ShortGame) -> (Rational64, Rational64) {
        let mut taxes = (0..).map(|step| Rational64::new(step, 64));
        let meets = |tax: &Rational64| {
            let [left, right] = scaffold(shorts, value, *tax);
            assert!(left >= right || *tax > Rational64::default(), "a number");
            left <= right
        };
        let tax = taxes.find(meets).expect("a tax");
        let [left, right] = scaffold(shorts, value, tax);
        assert_eq!(left, right, "the walls meet between two steps");
        (left, tax)
    }

    #[test]
    fn means_and_temperatures_of_random_values() {
        let mut hot = 0;
        for seed in 0..12 {
            let mut random = SplitMix::new(seed);
            let mut shorts = ShortGameTable::default();
            let names = ["0", "1", "-1", "2", "-2", "1/2", "*", "3"];
            let mut pool: Vec<ShortGame> =
                names.iter().map(|name| parse(&mut shorts, name).expect("a value")).collect();
            for _ in 0..20 {
                let mut some = || -> Vec<ShortGame> {
                    let count = 1 + random.word() % 2;
                    (0..count).map(|_| pool[(random.word() % pool.len() as u64) as usize]).collect()
                };
                let (left, right) = (some(), some());
                let value = shorts.value_of(left, right).expect("few values");
                if shorts.number(value).is_none() {
                    let found = mean_and_temperature(&shorts, value);
                    assert_eq!(found, Some(frozen(&shorts, value)), "seed {seed}");
                    hot += 1;
                }
                if pool.len() < 14 {
                    pool.push(value);
                }
            }
        }
        assert!(hot > 60, "{hot}");
    }
}
