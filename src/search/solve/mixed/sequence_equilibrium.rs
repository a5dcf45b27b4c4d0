//! One equilibrium of games of two players with hidden information and interests of their own.
//!
//! Technique: the sequence form as a problem of complements: an action loses nothing against the best one, or is not
//! played. Each player first expects that the other one chooses evenly everywhere; the weight of this expectation falls
//! to 0 along a path of complementary pivots, while that of the strategies grows. The path starts at the best responses to
//! the expectation, which make a feasible basis. It cannot leave the bounded set of plans, so it ends at an equilibrium.
//! Source: Koller, Megiddo, von Stengel (1996) for the sequence form with Lemke's method; von Stengel, van den Elzen,
//! Talman (2002) for the path from an expectation.
//! Cost: the square of the number of both players' sequences for each pivot, with numbers that grow; exponentially many
//! pivots at worst, about as many as there are sequences in practice.
//! Invariant: all arithmetic is exact. Where play by the strategies does not come to an information set, the player
//! chooses what is best in a game in which he comes there with a very small probability.
//! Not taken: the matrix of plans, of which there are exponentially many; all equilibria.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::dictionary::Dictionary;
use super::game_tree::{Behaviour, EMPTY_SEQUENCE, GameTree, InformationSet, PLAYERS};
use super::numbers::common_denominator;
use super::plan_equilibria::PlanEquilibrium;
use super::program::Affine;
use super::sequence_form::{SequencePayoffs, behaviour, check};
use bouton_base::limits::{LimitHit, Limits};

/// The maximal number of entries of the problem.
const MAX_ENTRIES: usize = 1_500_000;

/// Finds an equilibrium; `None` if the problem is too large.
pub fn find(tree: &GameTree, limits: &Limits) -> Result<Option<PlanEquilibrium>, LimitHit> {
    let pairs = tree.sequences.iter().map(|&sequences| sequences as usize - 1).sum::<usize>();
    if tree.players != PLAYERS || (pairs + 1) * (pairs + 2) > MAX_ENTRIES {
        return Ok(None);
    }
    let payoffs = [SequencePayoffs::of(tree, 0, limits)?, SequencePayoffs::of(tree, 1, limits)?];
    let problem = Complements::of(tree, &payoffs, limits)?;
    let mut dictionary = problem.dictionary();
    let complement = |variable: usize| problem.complement[variable];
    if !dictionary.follow_complements(problem.share, problem.rest(), complement, limits)? {
        return Ok(None);
    }
    Ok(Some(problem.equilibrium(tree, &payoffs, &dictionary)))
}

/// The problem of complements of a tree.
struct Complements {
    /// The rows, as functions of the columns: first the losses by actions that are not best against the expectation, then
    /// the weights of those that are, then the weight of the expectation.
    rows: Vec<Affine>,
    /// The variable of the share of the strategies: 1 less the weight of the expectation.
    share: usize,
    /// The variable of the weight of each sequence in its player's plan; the empty sequence has none.
    weights: [Vec<usize>; PLAYERS],
    /// The weight of the empty sequence of each player in the end, which makes the expectation whole.
    units: [BigInt; PLAYERS],
    /// For each variable the one that is 0 where it is not.
    complement: Vec<usize>,
}

impl Complements {
    fn of(tree: &GameTree, payoffs: &[SequencePayoffs; PLAYERS], limits: &Limits) -> Result<Self, LimitHit> {
        let even = [0, 1].map(|player| even_plan(&tree.sets[player], tree.sequences[player] as usize));
        let best = [0, 1].map(|player| best_sequences(tree, player, &payoffs[player], &even[1 - player]));
        let pairs = best.iter().map(|best| best.len() - 1).sum::<usize>();
        let share = pairs;
        let mut numbers = Numbers::of(&best);
        numbers.complement.extend([(share, numbers.next), (numbers.next, share)]);
        let mut rows = vec![Affine::default(); pairs + 1];
        let row_of = |variable: usize| variable - (pairs + 1);
        // A plan of each player, and what the other one expects of him: the rest of an even plan besides.
        let mut expected: [Vec<Affine>; PLAYERS] = Default::default();
        for player in 0..PLAYERS {
            let mut weights = vec![Affine::default(); best[player].len()];
            weights[EMPTY_SEQUENCE as usize].add(&Affine::variable(share), &even[player][0]);
            for set in &tree.sets[player] {
                check(limits)?;
                let mut rest = weights[set.parent as usize].clone();
                let mut chosen = 0;
                for sequence in sequences(set) {
                    if best[player][sequence] {
                        chosen = sequence;
                        continue;
                    }
                    weights[sequence] = Affine::variable(numbers.weights[player][sequence]);
                    rest.add(&weights[sequence], &BigInt::from(-1));
                }
                rows[row_of(numbers.weights[player][chosen])] = rest.clone();
                weights[chosen] = rest;
            }
            let mut rest = Affine::constant(1);
            rest.add(&Affine::variable(share), &BigInt::from(-1));
            weights.iter_mut().zip(&even[player]).for_each(|(weight, even)| weight.add(&rest, even));
            expected[player] = weights;
            rows[pairs] = rest;
        }
        for player in 0..PLAYERS {
            let mut worth = vec![Affine::default(); best[player].len()];
            for (pair, payoff) in &payoffs[player].payoffs {
                check(limits)?;
                let pair = [pair.0 as usize, pair.1 as usize];
                worth[pair[player]].add(&expected[1 - player][pair[1 - player]], payoff);
            }
            // Later sets first: the value of a set is known when its parent's sequence is needed.
            for set in tree.sets[player].iter().rev() {
                check(limits)?;
                let Some(chosen) = sequences(set).find(|&sequence| best[player][sequence]) else { continue };
                let mut value = worth[chosen].clone();
                value.add(&Affine::variable(numbers.losses[player][chosen]), &BigInt::one());
                for sequence in sequences(set).filter(|&sequence| sequence != chosen) {
                    let mut loss = value.clone();
                    loss.add(&worth[sequence], &BigInt::from(-1));
                    rows[row_of(numbers.losses[player][sequence])] = loss;
                }
                worth[set.parent as usize].add(&value, &BigInt::one());
            }
        }
        let mut complement = vec![0; 2 * (pairs + 1)];
        numbers.complement.into_iter().for_each(|(variable, other)| complement[variable] = other);
        let units = even.map(|plan| plan[EMPTY_SEQUENCE as usize].clone());
        Ok(Complements { rows, share, weights: numbers.weights, units, complement })
    }

    /// The variable of the weight of the expectation.
    fn rest(&self) -> usize {
        self.complement[self.share]
    }

    fn dictionary(&self) -> Dictionary<BigInt> {
        let columns = self.rows.len();
        let line = |row: &Affine| {
            let mut line = vec![BigInt::zero(); columns + 1];
            line[0] = row.constant.clone();
            row.terms.iter().for_each(|(&column, n)| line[column + 1] = n.clone());
            line
        };
        Dictionary::new(self.rows.iter().map(line).collect(), vec![BigInt::zero(); columns + 1])
    }

    /// Reads the strategies at the end of the path.
    fn equilibrium(
        &self,
        tree: &GameTree,
        payoffs: &[SequencePayoffs; PLAYERS],
        end: &Dictionary<BigInt>,
    ) -> PlanEquilibrium {
        let values = end.primal();
        let mut is_basic = vec![false; values.len()];
        end.basic().iter().for_each(|&variable| is_basic[variable] = true);
        let plan = |player: usize| -> Vec<BigRational> {
            let unit = &self.units[player] * end.denominator();
            let weight = |&variable: &usize| match values.get(variable) {
                Some(value) => BigRational::new(value.clone(), unit.clone()),
                None => BigRational::one(),
            };
            self.weights[player].iter().map(weight).collect()
        };
        let plans = [plan(0), plan(1)];
        let strategy = |player: usize| -> Behaviour {
            let unreached = |set: &InformationSet| {
                let is_played = |&sequence: &usize| is_basic[self.weights[player][sequence]];
                sequences(set).find(is_played).map_or(0, |sequence| sequence - set.first_sequence as usize)
            };
            behaviour(&tree.sets[player], &plans[player], unreached)
        };
        let worth = |player: usize| -> BigRational {
            let ends = payoffs[player].payoffs.iter();
            let sum: BigRational =
                ends.map(|((a, b), payoff)| &plans[0][*a as usize] * &plans[1][*b as usize] * payoff).sum();
            sum / &payoffs[player].scale
        };
        PlanEquilibrium {
            strategies: [strategy(0), strategy(1)],
            payoffs: [worth(0), worth(1)],
            others_differ: false,
        }
    }
}

/// The numbers of the variables.
struct Numbers {
    /// The weight of each sequence in its player's plan.
    weights: [Vec<usize>; PLAYERS],
    /// The loss by each sequence against the best one of its set.
    losses: [Vec<usize>; PLAYERS],
    /// Pairs of variables of which one is 0, in both orders.
    complement: Vec<(usize, usize)>,
    /// The first number that is left.
    next: usize,
}

impl Numbers {
    /// Gives each action a column and a row: a best one loses nothing and has its weight in the row, another one has
    /// the weight 0 and its loss in the row.
    fn of(best: &[Vec<bool>; PLAYERS]) -> Numbers {
        let none = || [0, 1].map(|player: usize| vec![usize::MAX; best[player].len()]);
        let (mut weights, mut losses) = (none(), none());
        let all = || (0..PLAYERS).flat_map(|player| (1..best[player].len()).map(move |s| (player, s)));
        for (column, (player, sequence)) in all().enumerate() {
            let of = if best[player][sequence] { &mut losses } else { &mut weights };
            of[player][sequence] = column;
        }
        let mut next = all().count() + 1;
        for is_best in [false, true] {
            for (player, sequence) in all().filter(|&(player, sequence)| best[player][sequence] == is_best) {
                let of = if is_best { &mut weights } else { &mut losses };
                of[player][sequence] = next;
                next += 1;
            }
        }
        let pair = |(player, sequence): (usize, usize)| (weights[player][sequence], losses[player][sequence]);
        let complement =
            all().map(pair).flat_map(|(weight, loss)| [(weight, loss), (loss, weight)]).collect();
        Numbers { weights, losses, complement, next }
    }
}

/// The sequences that end with an action of a set.
fn sequences(set: &InformationSet) -> std::ops::Range<usize> {
    let first = set.first_sequence as usize;
    first..first + set.actions.len()
}

/// The plan that chooses evenly in every set, as whole weights of its sequences.
fn even_plan(sets: &[InformationSet], count: usize) -> Vec<BigInt> {
    let mut weights = vec![BigRational::one(); count];
    for set in sets {
        let share = &weights[set.parent as usize] / BigInt::from(set.actions.len());
        sequences(set).for_each(|sequence| weights[sequence] = share.clone());
    }
    let unit = BigRational::from_integer(common_denominator(weights.iter()));
    weights.into_iter().map(|weight| (weight * &unit).to_integer()).collect()
}

/// For each sequence of a player, true if its last action is the best one of its set against a plan of the other player:
/// the first one of several.
fn best_sequences(tree: &GameTree, player: usize, payoffs: &SequencePayoffs, other: &[BigInt]) -> Vec<bool> {
    let count = tree.sequences[player] as usize;
    let mut worth = vec![BigInt::zero(); count];
    for (pair, payoff) in &payoffs.payoffs {
        let pair = [pair.0 as usize, pair.1 as usize];
        worth[pair[player]] += payoff * &other[pair[1 - player]];
    }
    let mut best = vec![false; count];
    for set in tree.sets[player].iter().rev() {
        let better = |a: usize, b: usize| if worth[b] > worth[a] { b } else { a };
        let Some(chosen) = sequences(set).reduce(better) else { continue };
        best[chosen] = true;
        let value = worth[chosen].clone();
        worth[set.parent as usize] += value;
    }
    best
}
