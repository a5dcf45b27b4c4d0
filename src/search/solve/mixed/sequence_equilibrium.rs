//! One equilibrium of games of two players with hidden information and interests of their own.
//!
//! Technique: the sequence form as a problem of complements: an action loses nothing against the best one, or is not
//! played. Each player first expects that the other one chooses about evenly everywhere; the weight of this expectation falls
//! to 0 along a path of complementary pivots, while that of the strategies grows. The path starts at the best responses to
//! the expectation, which make a feasible basis. It cannot leave the bounded set of plans, so it ends at an equilibrium.
//! All actions have a small probability besides, smaller by a power for each action of the player before them, so that
//! each information set is reached; what remains of the strategies as it falls to 0 is best there as well (an equilibrium
//! in sequential rationality).
//! Source: Koller, Megiddo, von Stengel (1996) for the sequence form with Lemke's method; von Stengel, van den Elzen,
//! Talman (2002) for the path from an expectation; Miltersen, Sorensen (2010) for small probabilities as symbols; Kreps,
//! Wilson (1982) for rational choices where play does not come to.
//! Cost: the square of the number of both players' sequences for each pivot, with numbers that grow; exponentially many
//! pivots at worst, about as many as there are sequences in practice.
//! Invariant: all arithmetic is exact, that with small numbers too: they are columns and are compared as symbols.
//! Not taken: the matrix of plans, of which there are exponentially many; all equilibria.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::dictionary::Dictionary;
use super::game_tree::{Behaviour, EMPTY_SEQUENCE, GameTree, InformationSet, PLAYERS};
use super::numbers::common_denominator;
use super::plan_equilibria::PlanEquilibrium;
use super::program::Affine;
use super::sequence_form::{SequencePayoffs, check};
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::random::SplitMix;

/// The maximal number of actions of both players together.
pub const MAX_ACTIONS: usize = 2_000;
/// The maximal number of expectations to start from: one that makes two actions alike by accident does not serve.
const MAX_EXPECTATIONS: u64 = 8;
/// The bytes of an entry of the problem, about.
const BYTES_PER_ENTRY: u64 = 48;

/// Returns the number of actions of both players in all their information sets.
pub fn actions(tree: &GameTree) -> usize {
    tree.sequences.iter().map(|&sequences| sequences as usize - 1).sum()
}

/// Finds an equilibrium; `None` if the problem is too large.
pub fn find(tree: &GameTree, limits: &Limits) -> Result<Option<PlanEquilibrium>, LimitHit> {
    let pairs = actions(tree);
    if tree.players != PLAYERS || pairs > MAX_ACTIONS {
        return Ok(None);
    }
    if let Some(hit) = limits.check_held(tree.bytes + BYTES_PER_ENTRY * (pairs * pairs) as u64) {
        return Err(hit);
    }
    let payoffs = [SequencePayoffs::of(tree, 0, limits)?, SequencePayoffs::of(tree, 1, limits)?];
    for seed in 1..=MAX_EXPECTATIONS {
        let problem = Complements::of(tree, &payoffs, seed, limits)?;
        let mut dictionary = problem.dictionary();
        let complement = |variable: usize| problem.complement[variable];
        let small = problem.small();
        if dictionary.is_feasible(&small)
            && dictionary.follow_complements(problem.share, problem.rest(), complement, &small, limits)?
        {
            return Ok(Some(problem.equilibrium(tree, &payoffs, &dictionary)));
        }
    }
    Ok(None)
}

/// The problem of complements of a tree.
struct Complements {
    /// The rows, as functions of the columns: first the losses by actions that are not best against the expectation, then
    /// the weights of those that are, then the weight of the expectation.
    rows: Vec<Affine>,
    /// The number of columns: one for each action, the share, and the powers of the small probability.
    columns: usize,
    /// The variable of the share of the strategies: 1 less the weight of the expectation.
    share: usize,
    /// The variable of the weight of each sequence in its player's plan, above its small probability; the empty sequence
    /// has none.
    weights: [Vec<usize>; PLAYERS],
    /// The number of a player's own actions in each sequence.
    depths: [Vec<usize>; PLAYERS],
    /// The weight of the empty sequence of each player in the end, which makes the expectation whole.
    units: [BigInt; PLAYERS],
    /// For each variable the one that is 0 where it is not.
    complement: Vec<usize>,
}

impl Complements {
    fn of(
        tree: &GameTree,
        payoffs: &[SequencePayoffs; PLAYERS],
        seed: u64,
        limits: &Limits,
    ) -> Result<Self, LimitHit> {
        let mut random = SplitMix::new(seed);
        let even =
            [0, 1].map(|player| even_plan(&tree.sets[player], tree.sequences[player] as usize, &mut random));
        let best = [0, 1].map(|player| best_sequences(tree, player, &payoffs[player], &even[1 - player]));
        let pairs = best.iter().map(|best| best.len() - 1).sum::<usize>();
        let share = pairs;
        let depths = [0, 1].map(|player| depths(&tree.sets[player], best[player].len()));
        // The powers of the small probability: the first one for the empty sequences.
        let powers = depths.iter().flatten().max().map_or(1, |depth| depth + 1);
        let small = |depth: usize| Affine::variable(share + 1 + depth);
        let columns = pairs + 1 + powers;
        let mut numbers = Numbers::of(&best, columns);
        numbers.complement.extend([(share, numbers.next), (numbers.next, share)]);
        let mut rows = vec![Affine::default(); pairs + 1];
        let row_of = |variable: usize| variable - columns;
        let minus = BigInt::from(-1);
        // A plan of each player, and what the other one expects of him: the rest of an even plan besides.
        let mut expected: [Vec<Affine>; PLAYERS] = Default::default();
        for player in 0..PLAYERS {
            let mut weights = vec![Affine::default(); best[player].len()];
            weights[EMPTY_SEQUENCE as usize].add(&Affine::variable(share), &even[player][0]);
            weights[EMPTY_SEQUENCE as usize].add(&small(0), &BigInt::one());
            for set in &tree.sets[player] {
                check(limits)?;
                let mut rest = weights[set.parent as usize].clone();
                let least = small(depths[player][set.first_sequence as usize]);
                let mut chosen = 0;
                for sequence in set.sequences() {
                    if best[player][sequence] {
                        chosen = sequence;
                        continue;
                    }
                    weights[sequence] = Affine::variable(numbers.weights[player][sequence]);
                    weights[sequence].add(&least, &BigInt::one());
                    rest.add(&weights[sequence], &minus);
                }
                weights[chosen] = rest.clone();
                rest.add(&least, &minus);
                rows[row_of(numbers.weights[player][chosen])] = rest;
            }
            let mut rest = Affine::constant(1);
            rest.add(&Affine::variable(share), &minus);
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
                let Some(chosen) = set.sequences().find(|&sequence| best[player][sequence]) else { continue };
                let mut value = worth[chosen].clone();
                value.add(&Affine::variable(numbers.losses[player][chosen]), &BigInt::one());
                for sequence in set.sequences().filter(|&sequence| sequence != chosen) {
                    let mut loss = value.clone();
                    loss.add(&worth[sequence], &minus);
                    rows[row_of(numbers.losses[player][sequence])] = loss;
                }
                worth[set.parent as usize].add(&value, &BigInt::one());
            }
        }
        let mut complement = vec![0; columns + pairs + 1];
        numbers.complement.into_iter().for_each(|(variable, other)| complement[variable] = other);
        let units = even.map(|plan| plan[EMPTY_SEQUENCE as usize].clone());
        let weights = numbers.weights;
        Ok(Complements { rows, columns, share, weights, depths, units, complement })
    }

    /// The variables that count as greater by small numbers: the powers of the small probability first, then losses and
    /// weights.
    fn small(&self) -> Vec<usize> {
        let rows = self.columns..self.columns + self.rows.len() - 1;
        (self.share + 1..self.columns).chain(rows).collect()
    }

    /// The variable of the weight of the expectation.
    fn rest(&self) -> usize {
        self.complement[self.share]
    }

    fn dictionary(&self) -> Dictionary<BigInt> {
        let line = |row: &Affine| {
            let mut line = vec![BigInt::zero(); self.columns + 1];
            line[0] = row.constant.clone();
            row.terms.iter().for_each(|(&column, n)| line[column + 1] = n.clone());
            line
        };
        Dictionary::new(self.rows.iter().map(line).collect(), vec![BigInt::zero(); self.columns + 1])
    }

    /// Reads the strategies at the end of the path.
    fn equilibrium(
        &self,
        tree: &GameTree,
        payoffs: &[SequencePayoffs; PLAYERS],
        end: &Dictionary<BigInt>,
    ) -> PlanEquilibrium {
        let parts = end.parts(&self.small());
        // For each sequence its weight, and the parts of it that come from small numbers, in their order.
        let plan = |player: usize| -> Vec<Vec<BigInt>> {
            let weight = |(&variable, depth): (&usize, &usize)| {
                let own = parts.get(variable).cloned();
                let mut own = own.unwrap_or_else(|| {
                    let mut whole = vec![BigInt::zero(); parts[0].len()];
                    whole[0] = &self.units[player] * end.denominator();
                    whole
                });
                own[1 + depth] += end.denominator();
                own
            };
            self.weights[player].iter().zip(&self.depths[player]).map(weight).collect()
        };
        let plans = [plan(0), plan(1)];
        let strategy = |player: usize| -> Behaviour {
            let of = |set: &InformationSet| {
                let parent = &plans[player][set.parent as usize];
                let first = parent.iter().position(|part| !part.is_zero()).unwrap_or(0);
                let share = |sequence: usize| {
                    BigRational::new(plans[player][sequence][first].clone(), parent[first].clone())
                };
                set.sequences().map(share).collect()
            };
            tree.sets[player].iter().map(of).collect()
        };
        let whole = |player: usize, sequence: u32| {
            let unit = &self.units[player] * end.denominator();
            BigRational::new(plans[player][sequence as usize][0].clone(), unit)
        };
        let worth = |player: usize| -> BigRational {
            let ends = payoffs[player].payoffs.iter();
            let sum: BigRational = ends.map(|((a, b), payoff)| whole(0, *a) * whole(1, *b) * payoff).sum();
            sum / &payoffs[player].scale
        };
        PlanEquilibrium { strategies: [strategy(0), strategy(1)], payoffs: [worth(0), worth(1)] }
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
    fn of(best: &[Vec<bool>; PLAYERS], columns: usize) -> Numbers {
        let none = || [0, 1].map(|player: usize| vec![usize::MAX; best[player].len()]);
        let (mut weights, mut losses) = (none(), none());
        let all = || (0..PLAYERS).flat_map(|player| (1..best[player].len()).map(move |s| (player, s)));
        for (column, (player, sequence)) in all().enumerate() {
            let of = if best[player][sequence] { &mut losses } else { &mut weights };
            of[player][sequence] = column;
        }
        let mut next = columns;
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

/// The number of a player's own actions in each sequence.
fn depths(sets: &[InformationSet], count: usize) -> Vec<usize> {
    let mut depths = vec![0; count];
    for set in sets {
        let depth = depths[set.parent as usize] + 1;
        set.sequences().for_each(|sequence| depths[sequence] = depth);
    }
    depths
}

/// The denominator of the shares of a plan that chooses about evenly.
const EVEN_DENOMINATOR: usize = 1 << 16;

/// A plan that chooses about evenly in every set, as whole weights of its sequences. Its shares are a little uneven, at
/// random, so that no two actions are worth the same against it by accident.
fn even_plan(sets: &[InformationSet], count: usize, random: &mut SplitMix) -> Vec<BigInt> {
    let mut weights = vec![BigRational::one(); count];
    for set in sets {
        let actions = set.actions.len();
        let mut left = EVEN_DENOMINATOR.max(8 * actions);
        let unit = BigInt::from(left);
        let even = left / actions;
        for sequence in set.sequences() {
            let is_last = sequence + 1 == set.first_sequence as usize + actions;
            let less = random.word() as usize % (even / 4);
            let own = if is_last { left } else { even - less };
            left -= own;
            weights[sequence] = &weights[set.parent as usize] * BigRational::new(own.into(), unit.clone());
        }
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
        let Some(chosen) = set.sequences().reduce(better) else { continue };
        best[chosen] = true;
        let value = worth[chosen].clone();
        worth[set.parent as usize] += value;
    }
    best
}
