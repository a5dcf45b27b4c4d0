//! The derivation of the claim from the lemmas.
//!
//! A win is a bound of 1, the payoff of a win in the rules. A value is a table's; or, for two players, a bound for
//! each: if all ends in both traversals sum to the two bounds together, a player who leaves his strategy cannot gain,
//! so neither can be forced below his bound nor get above it (von Neumann 1928: a saddle point). For one player it is
//! a bound that he reaches and one that no play exceeds.

use num_rational::Rational64;

use super::{Checker, Proven, Stop, Sum, position};
use crate::cert::{Bound, Claim, Convention};
use crate::rules::schema::{Atom, Case};

impl Checker<'_> {
    /// Checks that the claim follows from the facts that the lemmas proved.
    pub(super) fn claim(&self, claim: &Claim, proven: &[Proven]) -> Result<(), Stop> {
        let players = self.rules.players().len();
        let payoffs = Convention::of(self.rules) == Convention::Payoff;
        if payoffs && !matches!(claim, Claim::Value(_) | Claim::AtLeast { .. }) {
            return self.reject("where games end with payoffs, nobody wins or loses");
        }
        let follows = match claim {
            Claim::Wins { player, plies } => proven.iter().any(|fact| wins(fact, *player, *plies)),
            Claim::AtLeast { player, payoff } => proven.iter().any(|fact| gets(fact, *player, *payoff)),
            Claim::Unsolvable => players == 1 && proven.iter().any(loses),
            Claim::Period { param, from, period } => proven.iter().any(|fact| {
                matches!(fact, Proven::Period { param: of, from: first, period: every }
                    if of == param && first == from && every == period)
            }),
            Claim::Always { over, cases } => {
                // The player who begins is the first one.
                let follows = |(when, player): &(Vec<Atom>, u32)| {
                    proven.iter().any(|fact| match fact {
                        Proven::Always { over: of, cases } if of == over => {
                            let says = |case: &Case| case.when == *when && u32::from(!case.begins) == *player;
                            cases.iter().any(says)
                        }
                        _ => false,
                    })
                };
                !cases.is_empty() && cases.iter().all(follows)
            }
            Claim::Value(payoffs) if payoffs.len() != players => {
                return self.reject("it does not say what each player gets");
            }
            Claim::Value(payoffs) => {
                let listed = |fact: &Proven| matches!(fact, Proven::Values(values) if values == payoffs);
                proven.iter().any(listed) || bounded(payoffs, proven)
            }
        };
        if follows { Ok(()) } else { self.reject("it does not follow from the lemmas") }
    }
}

/// Returns true if the fact proves the win; a claimed number of plies must equal the proved one.
fn wins(fact: &Proven, player: u32, claimed: Option<u64>) -> bool {
    let one = Rational64::from_integer(1);
    match fact {
        Proven::Bound { bound, plies, .. } => {
            bound.holder == Some(player) && bound.payoff >= one && (claimed.is_none() || claimed == *plies)
        }
        Proven::Values(values) => {
            claimed.is_none() && values.get(player as usize).is_some_and(|value| *value >= one)
        }
        Proven::Period { .. } | Proven::Always { .. } => false,
    }
}

fn gets(fact: &Proven, player: u32, payoff: Rational64) -> bool {
    match fact {
        Proven::Bound { bound, .. } => bound.holder == Some(player) && bound.payoff >= payoff,
        Proven::Values(values) => values.get(player as usize).is_some_and(|value| *value >= payoff),
        Proven::Period { .. } | Proven::Always { .. } => false,
    }
}

fn loses(fact: &Proven) -> bool {
    let lost = Rational64::from_integer(-1);
    matches!(fact, Proven::Bound { bound: Bound { holder: None, payoff }, .. } if *payoff == lost)
}

fn bounded(payoffs: &[Rational64], proven: &[Proven]) -> bool {
    let bound = |holder: Option<u32>, wanted: Rational64| {
        proven.iter().find_map(|fact| match fact {
            Proven::Bound { bound, sum, .. } if bound.holder == holder && bound.payoff == wanted => {
                Some(*sum)
            }
            _ => None,
        })
    };
    match *payoffs {
        [only] => bound(Some(0), only).is_some() && bound(None, only).is_some(),
        [first, second] => {
            let sum = position::sum(payoffs).map_or(Sum::Varies, Sum::Always);
            bound(Some(0), first) == Some(sum) && bound(Some(1), second) == Some(sum) && sum != Sum::Varies
        }
        _ => false,
    }
}
