//! Optimal behaviour strategies of games with hidden information, by linear programming over sequences.
//!
//! Technique: a player's strategy is a plan that gives each sequence of his own choices the probability that he does
//! his part of it. The program maximizes the payoff of the first player against the best answer of the second. It starts
//! at the plan that always takes the first action, whose best answer makes a feasible basis, so there is no first phase.
//! Small programs are solved by exact pivoting, larger ones by a basis from floating point, or exactly if that finds
//! none. Where only one player has choices, his best response to chance is optimal, and there is no program.
//! Source: Romanovskii (1962), Koller, Megiddo, von Stengel (1994) for the sequence form.
//! Cost: the product of both players' numbers of sequences for each pivot; one pass over the tree where only one player
//! has choices.
//! Invariant: the strategies are exact; their guarantees are computed apart from the program, and where they meet is the
//! value.
//! Not taken: the matrix of pure strategies, of which there are exponentially many.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

use super::dictionary::NoOptimum;
use super::game_tree::{Behaviour, EMPTY_SEQUENCE, GameTree, InformationSet, PLAYERS, best_response};
use super::numbers::common_denominator;
use super::program::{Affine, LinearProgram, ProgramSolution};
use bouton_base::limits::{LimitHit, Limits};

/// The maximal number of entries of programs that are solved by exact pivoting at once.
const MAX_PIVOTED_ENTRIES: usize = 2_500;
/// The maximal number of entries for exact pivoting, where floating point finds no basis.
const MAX_EXACT_ENTRIES: usize = 40_000;

/// Returns the number of entries of a tree's program.
pub fn entries(tree: &GameTree) -> usize {
    let sequences = |player: usize| tree.sequences[player] as usize;
    sequences(0) * sequences(1)
}

/// Finds an optimal behaviour strategy of each player; `None` if rounding errors prevented it.
pub fn solve(tree: &GameTree, limits: &Limits) -> Result<Option<[Behaviour; PLAYERS]>, LimitHit> {
    if let Some(idle) = idle_player(tree) {
        return against_chance(tree, idle, limits).map(Some);
    }
    let form = SequenceForm::of(tree, limits)?;
    let entries = form.program.entries();
    let solved = match entries <= MAX_PIVOTED_ENTRIES {
        true => form.program.solve_exactly(limits),
        false => form.program.solve_by_basis(limits),
    };
    let solved = match solved {
        Err(NoOptimum::Stalled) if (MAX_PIVOTED_ENTRIES + 1..=MAX_EXACT_ENTRIES).contains(&entries) => {
            form.program.solve_exactly(limits)
        }
        solved => solved,
    };
    match solved {
        Ok(solution) => Ok(Some(form.strategies(tree, &solution))),
        Err(NoOptimum::Limit(hit)) => Err(hit),
        Err(NoOptimum::Unbounded | NoOptimum::Stalled) => Ok(None),
    }
}

/// Returns a player who never chooses: the second one of a game of one player.
pub fn idle_player(tree: &GameTree) -> Option<usize> {
    (0..PLAYERS).rev().find(|&player| tree.sets[player].is_empty())
}

/// Finds optimal strategies where one player never chooses: the other one's best response to chance.
fn against_chance(tree: &GameTree, idle: usize, limits: &Limits) -> Result<[Behaviour; PLAYERS], LimitHit> {
    let chosen = best_response(tree, idle, &Behaviour::new(), limits)?.actions;
    let mut strategies = [Behaviour::new(), Behaviour::new()];
    let sets = tree.sets[1 - idle].iter().zip(chosen);
    strategies[1 - idle] = sets
        .map(|(set, chosen)| {
            let share = |action| if action == chosen { BigRational::one() } else { BigRational::zero() };
            (0..set.actions.len() as u32).map(share).collect()
        })
        .collect();
    Ok(strategies)
}

/// The program of a tree.
struct SequenceForm {
    program: LinearProgram,
    /// The variable of each sequence of the first player: its probability in his plan.
    plan: Vec<usize>,
    /// The variable of each sequence of the second player: the loss if he plays it. Its multiplier is the probability
    /// of the sequence in his plan. The empty sequences have none.
    losses: Vec<usize>,
}

impl SequenceForm {
    fn of(tree: &GameTree, limits: &Limits) -> Result<SequenceForm, LimitHit> {
        let SequencePayoffs { payoffs, .. } = SequencePayoffs::of(tree, 0, limits)?;
        let [first, second] = &tree.sets;
        // The columns: each action of the first player but the first of its set, then a loss for each set of the
        // second. The rows: the first actions, then the other losses.
        let mut columns = 0;
        let mut plan = vec![usize::MAX; tree.sequences[0] as usize];
        let mut weights = vec![Affine::constant(0); tree.sequences[0] as usize];
        weights[EMPTY_SEQUENCE as usize] = Affine::constant(1);
        for set in first {
            let mut rest = weights[set.parent as usize].clone();
            for sequence in other_actions(set) {
                plan[sequence] = columns;
                weights[sequence] = Affine::variable(columns);
                rest.add(&weights[sequence], &BigInt::from(-1));
                columns += 1;
            }
            weights[set.first_sequence as usize] = rest;
        }
        let one = BigInt::one();
        let mut worth = vec![Affine::constant(0); tree.sequences[1] as usize];
        for ((ours, theirs), payoff) in &payoffs {
            check(limits)?;
            worth[*theirs as usize].add(&weights[*ours as usize], payoff);
        }
        let mut rows: Vec<Affine> = Vec::new();
        let all_columns = columns + second.len();
        let mut losses = vec![usize::MAX; tree.sequences[1] as usize];
        for set in first {
            let sequence = set.first_sequence as usize;
            plan[sequence] = all_columns + rows.len();
            rows.push(weights[sequence].clone());
        }
        // Later sets first: the value of a set is known when its parent's sequence is needed.
        for (number, set) in second.iter().enumerate().rev() {
            check(limits)?;
            let actions = set.sequences();
            let best = actions.clone().min_by_key(|&s| &worth[s].constant).unwrap_or(actions.start);
            let mut value = worth[best].clone();
            losses[best] = columns + number;
            value.add(&Affine::variable(columns + number), &BigInt::from(-1));
            for sequence in actions.filter(|&s| s != best) {
                let mut loss = worth[sequence].clone();
                loss.add(&value, &BigInt::from(-1));
                losses[sequence] = all_columns + rows.len();
                rows.push(loss);
            }
            worth[set.parent as usize].add(&value, &one);
        }
        let objective = worth.swap_remove(EMPTY_SEQUENCE as usize);
        let program = LinearProgram { columns: all_columns, rows, objective };
        Ok(SequenceForm { program, plan, losses })
    }

    fn strategies(&self, tree: &GameTree, solution: &ProgramSolution) -> [Behaviour; PLAYERS] {
        let values = |variables: &[usize], of: &[BigRational]| -> Vec<BigRational> {
            let value = |&variable: &usize| of.get(variable).cloned().unwrap_or_else(BigRational::one);
            variables.iter().map(value).collect()
        };
        [
            behaviour(&tree.sets[0], &values(&self.plan, &solution.primal)),
            behaviour(&tree.sets[1], &values(&self.losses, &solution.dual)),
        ]
    }
}

/// The sequences that end with an action of a set other than its first.
fn other_actions(set: &InformationSet) -> std::ops::Range<usize> {
    let all = set.sequences();
    all.start + 1..all.end
}

/// Converts a plan to a behaviour strategy; sets that the plan never reaches take their first action.
pub fn behaviour(sets: &[InformationSet], plan: &[BigRational]) -> Behaviour {
    let of = |set: &InformationSet| {
        let parent = &plan[set.parent as usize];
        let first = set.first_sequence as usize;
        (first..first + set.actions.len())
            .map(|sequence| match parent.is_zero() {
                true if sequence == first => BigRational::one(),
                true => BigRational::zero(),
                false => &plan[sequence] / parent,
            })
            .collect()
    };
    sets.iter().map(of).collect()
}

/// The payoffs of a player by pairs of sequences: the sum over the ends that both lead to, weighted by chance.
pub struct SequencePayoffs {
    /// The pairs in order, the first player's sequence first, each with its payoff times `scale`.
    pub payoffs: Vec<((u32, u32), BigInt)>,
    /// The factor that makes the payoffs whole.
    pub scale: BigInt,
}

impl SequencePayoffs {
    /// Computes the payoffs of a player.
    pub fn of(tree: &GameTree, player: usize, limits: &Limits) -> Result<SequencePayoffs, LimitHit> {
        let mut chances = vec![BigRational::zero(); tree.nodes.len()];
        chances[0] = BigRational::one();
        let mut sums: FxHashMap<(u32, u32), BigRational> = FxHashMap::default();
        for at in 0..tree.nodes.len() as u32 {
            check(limits)?;
            let chance = std::mem::take(&mut chances[at as usize]);
            if let Some(payoffs) = tree.payoffs_at(at) {
                let [ours, theirs] = tree.nodes[at as usize].sequences;
                *sums.entry((ours, theirs)).or_default() += &payoffs[player] * &chance;
            }
            for edge in tree.edges_of(at) {
                chances[edge.to as usize] += &chance * tree.probability(edge);
            }
        }
        let scale = common_denominator(sums.values());
        let factor = BigRational::from_integer(scale.clone());
        let mut payoffs: Vec<_> =
            sums.into_iter().map(|(pair, sum)| (pair, (sum * &factor).to_integer())).collect();
        payoffs.sort_unstable_by_key(|&(pair, _)| pair);
        Ok(SequencePayoffs { payoffs, scale })
    }
}

/// Returns an error if a limit was reached.
pub(super) fn check(limits: &Limits) -> Result<(), LimitHit> {
    limits.check().map_or(Ok(()), Err)
}
