//! The derivation of the claim from the lemmas.
//!
//! A win is a bound of 1, the payoff of a win in the rules. A value is a table's; or, for two players, a bound for
//! each: if all ends in both traversals sum to the two bounds together, a player who leaves his strategy cannot gain,
//! so neither can be forced below his bound nor get above it (von Neumann 1928: a saddle point). For one player it is
//! a bound that he reaches and one that no play exceeds.

use bouton_base::rational::Rational;

use super::{Checked, Checker, Fact, PayoffSum, reject, reject_if};
use bouton_certificates::{Claim, Convention, PayoffBound};
use bouton_rules::parametric::{Atom, WinnerCase};

impl Checker<'_> {
    /// Checks that the claim follows from the facts that the lemmas proved.
    pub(super) fn claim(&self, claim: &Claim, proven: &[Fact]) -> Checked<()> {
        let players = self.rules.players().len();
        let payoffs = Convention::of(self.rules) == Convention::Payoff;
        let of_payoffs = matches!(
            claim,
            Claim::Value(_) | Claim::Equilibria(_) | Claim::AtLeast { .. } | Claim::Between { .. }
        );
        reject_if(payoffs && !of_payoffs, "where games end with payoffs, nobody wins or loses")?;
        let follows = match claim {
            Claim::Wins { player, plies } => proven.iter().any(|fact| wins(fact, *player, *plies)),
            Claim::SolvedIn(moves) => {
                let no_fewer = |fact: &Fact| matches!(fact, Fact::Distance(least) if least == moves);
                proven.iter().any(|fact| wins(fact, 0, Some(*moves))) && proven.iter().any(no_fewer)
            }
            Claim::AtLeast { player, payoff } => proven.iter().any(|fact| gets(fact, *player, payoff)),
            Claim::Unsolvable => players == 1 && proven.iter().any(loses),
            Claim::Period { .. } => proven.iter().any(|fact| matches!(fact, Fact::Claim(of) if of == claim)),
            Claim::Always { over, cases } => {
                // The player who begins is the first one.
                let follows = |(when, player): &(Vec<Atom>, u32)| {
                    proven.iter().any(|fact| match fact {
                        Fact::Always { over: of, cases } if of == over => {
                            let says = |case: &WinnerCase| {
                                case.when == *when && u32::from(!case.first_player_wins) == *player
                            };
                            cases.iter().any(says)
                        }
                        _ => false,
                    })
                };
                !cases.is_empty() && cases.iter().all(follows)
            }
            Claim::Between { low, high } if players == 1 => {
                low <= high && bound(proven, Some(0), low).is_some() && bound(proven, None, high).is_some()
            }
            Claim::Between { low, high } => {
                let sum = proven.iter().find_map(|fact| match fact {
                    Fact::Bound { sum: PayoffSum::Always(sum), .. } => Some(sum),
                    _ => None,
                });
                let meet = |sum: &Rational| bounds_meet(&[low.clone(), sum - high], sum.clone(), proven);
                players == 2 && low <= high && sum.is_some_and(meet)
            }
            Claim::Equilibria(all) => {
                let shown = |wanted: &Vec<Rational>| {
                    proven.iter().any(|fact| matches!(fact, Fact::Equilibrium(payoffs) if payoffs == wanted))
                };
                !all.is_empty() && all.iter().all(shown)
            }
            Claim::Value(payoffs) if payoffs.len() != players => {
                return reject("it does not say what each player gets");
            }
            Claim::Value(payoffs) => {
                let listed = |fact: &Fact| matches!(fact, Fact::Values(values) if values == payoffs);
                proven.iter().any(listed) || bounded(payoffs, proven)
            }
        };
        if follows { Ok(()) } else { reject("it does not follow from the lemmas") }
    }
}

/// Returns true if the fact proves the win; a claimed number of plies must equal the proved one.
fn wins(fact: &Fact, player: u32, claimed: Option<u64>) -> bool {
    match fact {
        Fact::Bound { plies, .. } => {
            gets(fact, player, &Rational::ONE) && (claimed.is_none() || claimed == *plies)
        }
        fact => claimed.is_none() && gets(fact, player, &Rational::ONE),
    }
}

fn gets(fact: &Fact, player: u32, payoff: &Rational) -> bool {
    match fact {
        Fact::Bound { bound, .. } => bound.holder == Some(player) && bound.payoff >= *payoff,
        Fact::Values(values) => values.get(player as usize).is_some_and(|value| value >= payoff),
        Fact::Equilibrium(_) | Fact::Distance(_) | Fact::Claim(_) | Fact::Always { .. } => false,
    }
}

fn loses(fact: &Fact) -> bool {
    let lost = Rational::from_integer(-1);
    matches!(fact, Fact::Bound { bound: PayoffBound { holder: None, payoff }, .. } if *payoff == lost)
}

fn bounded(payoffs: &[Rational], proven: &[Fact]) -> bool {
    match payoffs {
        [only] => bound(proven, Some(0), only).is_some() && bound(proven, None, only).is_some(),
        [_, _] => bounds_meet(payoffs, payoffs.iter().sum(), proven),
        _ => false,
    }
}

/// Returns true if both players' bounds are proved over ends with this sum of payoffs.
fn bounds_meet(payoffs: &[Rational], sum: Rational, proven: &[Fact]) -> bool {
    let sum = PayoffSum::Always(sum);
    (0..).zip(payoffs).all(|(player, payoff)| bound(proven, Some(player), payoff) == Some(&sum))
}

/// Returns the sum of payoffs over the ends of the proof of a bound.
fn bound<'f>(proven: &'f [Fact], holder: Option<u32>, wanted: &Rational) -> Option<&'f PayoffSum> {
    proven.iter().find_map(|fact| match fact {
        Fact::Bound { bound, sum, .. } if bound.holder == holder && bound.payoff == *wanted => Some(sum),
        _ => None,
    })
}
