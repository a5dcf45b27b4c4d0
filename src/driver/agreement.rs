//! Compares a claim that the checker accepted with a computed solution of the same position.
//!
//! A proof may state less than the solution, but nothing else: where the two exclude each other, one of the programs
//! that computed the value has a bug, since the checker shares no code with them. Such a value is not reported.

use bouton_base::rational::Rational;
use bouton_certificates::Claim;
use bouton_search::solve::{Bounds, Solution};

/// An interval of payoffs; `None` on a side without a bound.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Interval {
    low: Option<Rational>,
    high: Option<Rational>,
}

impl Interval {
    fn exactly(payoff: &Rational) -> Interval {
        Interval { low: Some(payoff.clone()), high: Some(payoff.clone()) }
    }

    fn meets(&self, other: &Interval) -> bool {
        let below = |low: &Option<Rational>, high: &Option<Rational>| match (low, high) {
            (Some(low), Some(high)) => low <= high,
            _ => true,
        };
        below(&self.low, &other.high) && below(&other.low, &self.high)
    }
}

/// Returns true if the claim and the solution cannot both hold. Claims over many values of a parameter are left out.
pub fn contradicts(claim: &Claim, solution: &Solution) -> bool {
    let differs = solution.remoteness.map(u64::from).is_some_and(|remoteness| match claim {
        Claim::Wins { plies: Some(plies), .. } => remoteness > *plies,
        Claim::SolvedIn(moves) => remoteness != *moves,
        _ => false,
    });
    if differs {
        return true;
    }
    let players = solution.value.as_ref().map_or(2, |value| value.payoffs.len());
    (0..players).any(|player| !claimed(claim, player).meets(&computed(solution, player)))
}

/// The payoffs of a player that the claim allows. A win is a payoff of at least 1, as in the rules.
fn claimed(claim: &Claim, player: usize) -> Interval {
    let one = Rational::from_integer(1);
    let of = |holder: u32, payoff: &Rational| match holder as usize == player {
        true => Interval { low: Some(payoff.clone()), high: None },
        false => Interval::default(),
    };
    match claim {
        Claim::Wins { player, .. } => of(*player, &one),
        Claim::SolvedIn(_) => of(0, &one),
        Claim::AtLeast { player, payoff } => of(*player, payoff),
        Claim::Between { low, high } if player == 0 => {
            Interval { low: Some(low.clone()), high: Some(high.clone()) }
        }
        Claim::Value(payoffs) => payoffs.get(player).map_or_else(Interval::default, Interval::exactly),
        // A value is that of every equilibrium.
        Claim::Equilibria(all) => match &all[..] {
            [only] => only.get(player).map_or_else(Interval::default, Interval::exactly),
            _ => Interval::default(),
        },
        Claim::Unsolvable => Interval { low: None, high: Some(-one) },
        Claim::Between { .. } | Claim::Period { .. } | Claim::Always { .. } => Interval::default(),
    }
}

/// The payoffs of a player that the solution allows.
fn computed(solution: &Solution, player: usize) -> Interval {
    match (&solution.value, &solution.bounds) {
        (Some(value), _) => value.payoffs.get(player).map_or_else(Interval::default, Interval::exactly),
        // Bounds of a margin are no payoffs.
        (None, Some(Bounds { low, high })) if player == 0 && !solution.by_margin => {
            Interval { low: low.clone(), high: high.clone() }
        }
        _ => Interval::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouton_search::solve::{Status, Value, ValueKind};

    fn int(number: i64) -> Rational {
        Rational::from_integer(number)
    }

    fn solved(kind: ValueKind, payoffs: &[i64], remoteness: Option<u32>) -> Solution {
        let value = Value { payoffs: payoffs.iter().copied().map(int).collect(), kind };
        let unknown = Solution::unknown("retrograde", "", "");
        Solution { status: Status::Solved, value: Some(value), remoteness, ..unknown }
    }

    fn enclosed(low: i64, high: i64, by_margin: bool) -> Solution {
        let bounds = Some(Bounds { low: Some(int(low)), high: Some(int(high)) });
        Solution { status: Status::Bounded, bounds, by_margin, ..Solution::unknown("alphabeta", "", "") }
    }

    #[test]
    fn claims_exclude_solutions() {
        let first = |plies| Claim::Wins { player: 0, plies };
        let at_least = |player, payoff| Claim::AtLeast { player, payoff: int(payoff) };
        let value = |one, two| Claim::Value(vec![int(one), int(two)]);
        let between = |low, high| Claim::Between { low: int(low), high: int(high) };
        let won = |plies| solved(ValueKind::Win(0), &[1, -1], plies);
        let lost = solved(ValueKind::Win(1), &[-1, 1], None);
        let draw = solved(ValueKind::Draw, &[0, 0], None);
        let score = solved(ValueKind::Payoff, &[7, 3], None);
        let cases = [
            (first(None), won(None), false),
            (first(None), lost.clone(), true),
            (first(None), draw.clone(), true),
            (first(Some(5)), won(Some(5)), false),
            (first(Some(7)), won(Some(5)), false),
            (first(Some(5)), won(Some(7)), true),
            (at_least(0, 0), won(None), false),
            (at_least(1, 0), draw.clone(), false),
            (at_least(1, 0), won(None), true),
            (at_least(0, 8), score.clone(), true),
            (value(7, 3), score.clone(), false),
            (value(7, 4), score.clone(), true),
            (value(0, 0), draw, false),
            (between(6, 8), score.clone(), false),
            (between(8, 9), score, true),
            (between(2, 4), enclosed(3, 5, false), false),
            (between(2, 4), enclosed(5, 6, false), true),
            (between(2, 4), enclosed(5, 6, true), false),
            (Claim::Unsolvable, solved(ValueKind::Unsolvable, &[-1], None), false),
            (Claim::Unsolvable, solved(ValueKind::Solved, &[1], Some(3)), true),
            (Claim::SolvedIn(3), solved(ValueKind::Solved, &[1], Some(3)), false),
            (Claim::SolvedIn(4), solved(ValueKind::Solved, &[1], Some(3)), true),
            (Claim::SolvedIn(4), solved(ValueKind::Unsolvable, &[-1], None), true),
        ];
        for (claim, solution, excluded) in cases {
            assert_eq!(contradicts(&claim, &solution), excluded, "{claim:?} and {:?}", solution.value);
        }
    }
}
