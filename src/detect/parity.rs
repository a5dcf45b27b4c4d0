//! Conserved sums: weights of the values of fluents such that no move changes their sum modulo a prime, and that the sum
//! distinguishes the ends.
//!
//! Technique: the weights are the unknowns of a linear system over the integers modulo a prime, with an equation for every
//! possible change of the relevant values by a move (the colouring argument of puzzles, found by elimination).
//! Cost: the number of these changes times the square of the number of unknowns. Not taken: sums modulo other numbers.

use rustc_hash::FxHashMap;

use bouton_base::cancel;
use bouton_base::id::Id;
use bouton_grounding::{
    FALSE, FluentId, Formula, FormulaNode, Formulas, Ground, PairwiseReachability, Subject, Transition,
    Values, value_numbers, values_after,
};

/// The budget of the analysis.
const SEARCH_BUDGET: u64 = 4_000_000;
/// The size of the formulas of an effect whose evaluation costs about as much as the rest of a case: the budget counts
/// cases, and shrinks where effects are larger than this.
const COMMON_EFFECT_SIZE: u64 = 64;
/// The maximal number of cases of an end.
const MAX_END_CASES: usize = 64;

/// The values that weigh something, each as often as it weighs, by fluent, in order.
pub type WeightList = Vec<(FluentId, Vec<u8>)>;

/// The primes that sums are taken modulo.
pub const MODULI: [u8; 4] = [2, 3, 5, 7];

/// Weights whose sum modulo a number stays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConservedSum {
    pub modulus: u8,
    pub weights: WeightList,
}

/// The reason why there are no weights: a sentence without a full stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParityError {
    #[error("the rules have too many cases to look for a parity in")]
    TooManyCases,
    #[error("no sum modulo a small prime stays and decides the result of the game")]
    NoSum,
}

/// Returns weights whose sum, modulo the first of these primes for which there are some, makes positions with `end`
/// unreachable from a position.
pub fn conserved_sum(
    ground: &Ground,
    position: &[u8],
    end: Formula,
    moduli: &[u8],
) -> Result<ConservedSum, ParityError> {
    let steps: Vec<Transition> = ground.actions.iter().map(Transition::from).collect();
    let mut budget = SEARCH_BUDGET / (1 + mean_effect_size(ground, &steps) / COMMON_EFFECT_SIZE);
    let joint =
        ground.pairwise_reachability(position, &steps, &mut budget).ok_or(ParityError::TooManyCases)?;
    let mut cases = Vec::new();
    split(ground, &joint, end, &mut cases).ok_or(ParityError::TooManyCases)?;
    // Only fluents that every case of the end constrains can have a weight.
    let settled = |fluent: usize| {
        let open = |case: &Vec<Values>| case[fluent] == joint.values[fluent];
        joint.values[fluent].count_ones() > 1 && !cases.iter().any(open)
    };
    let mut unknowns: FxHashMap<(FluentId, u8), usize> = FxHashMap::default();
    for fluent in (0..position.len()).filter(|&fluent| settled(fluent)) {
        // The first value of a fluent has the weight 0: only differences count.
        for value in value_numbers(joint.values[fluent]).skip(1) {
            unknowns.insert((FluentId::new(fluent), value as u8), unknowns.len());
        }
    }
    let term = |fluent: FluentId, value: u8, factor: i8| {
        unknowns.get(&(fluent, value)).map(|unknown| (*unknown, factor))
    };
    // The sum in each case of the end less that in the position, and weights that are the same.
    let (mut differences, mut same): (Vec<Terms>, Vec<Terms>) = Default::default();
    for case in &cases {
        let mut difference = Terms::new();
        for fluent in (0..position.len()).map(FluentId::new) {
            let mut allowed = value_numbers(case[fluent.index()]).map(|value| value as u8);
            let Some(first) = allowed.next() else { continue };
            difference.extend(term(fluent, first, 1));
            difference.extend(term(fluent, position[fluent.index()], -1));
            same.extend(allowed.map(|other| {
                [term(fluent, first, 1), term(fluent, other, -1)].into_iter().flatten().collect()
            }));
        }
        differences.push(difference);
    }
    let mut systems: Vec<LinearSystem> = moduli
        .iter()
        .map(|modulus| LinearSystem { modulus: *modulus, size: unknowns.len(), rows: Vec::new() })
        .collect();
    systems.retain_mut(|system| {
        // The first difference is 1, as all multiples of weights serve as well; modulo 2 the others are, too.
        let known = if system.modulus == 2 { differences.len() } else { differences.len().min(1) };
        same.iter().all(|terms| system.add(terms, 0))
            && differences[..known].iter().all(|terms| system.add(terms, 1))
    });
    for step in &steps {
        if systems.is_empty() {
            return Err(ParityError::NoSum);
        }
        let mut equations: Vec<Terms> = Vec::new();
        changes(ground, &joint, step, &mut budget, &mut |changes| {
            let terms =
                changes.iter().flat_map(|&(fluent, from, to)| [term(fluent, to, 1), term(fluent, from, -1)]);
            equations.push(terms.flatten().collect());
        })
        .ok_or(ParityError::TooManyCases)?;
        equations.sort_unstable();
        equations.dedup();
        systems.retain_mut(|system| equations.iter().all(|terms| system.add(terms, 0)));
    }
    systems.retain_mut(|system| {
        let modulus = system.modulus;
        let mut later = differences.iter().skip(1);
        // The first value that fits the differences before.
        later.all(|terms| (1..modulus).any(|difference| system.add(terms, difference)))
    });
    let system = systems.first().ok_or(ParityError::NoSum)?;
    let solution = system.solution();
    let mut weights: FxHashMap<FluentId, Vec<u8>> = FxHashMap::default();
    for ((fluent, value), unknown) in unknowns.into_iter().filter(|(_, unknown)| solution[*unknown] > 0) {
        let of = weights.entry(fluent).or_default();
        of.extend(std::iter::repeat_n(value, solution[unknown].into()));
    }
    weights.values_mut().for_each(|values| values.sort_unstable());
    let mut weights: WeightList = weights.into_iter().collect();
    weights.sort_unstable();
    Ok(ConservedSum { modulus: system.modulus, weights })
}

/// Returns the mean size of the formulas of a step's effects, written out as trees.
fn mean_effect_size(ground: &Ground, steps: &[Transition]) -> u64 {
    let mut known = FxHashMap::default();
    let conditions = steps.iter().flat_map(|step| &step.becomes).flat_map(|of| &of.values);
    let total = conditions.fold(0, |total: u64, (_, when)| {
        total.saturating_add(tree_size(&ground.formulas, *when, &mut known))
    });
    total / steps.len().max(1) as u64
}

/// Returns the number of nodes of a formula, written out as a tree.
fn tree_size(formulas: &Formulas, formula: Formula, known: &mut FxHashMap<Formula, u64>) -> u64 {
    if let Some(&size) = known.get(&formula) {
        return size;
    }
    let parts: &[Formula] = match formulas.node(formula) {
        FormulaNode::And(parts) | FormulaNode::Or(parts) => parts,
        FormulaNode::Lit(subject, _) => match &formulas.subject(*subject).0 {
            Subject::Count(of) => of,
            Subject::Fluent(_) => &[],
        },
        _ => &[],
    };
    let size = parts.iter().fold(1, |size: u64, part| size.saturating_add(tree_size(formulas, *part, known)));
    known.insert(formula, size);
    size
}

/// Splits an end into cases, each as the values that fluents may have there.
fn split(
    ground: &Ground,
    joint: &PairwiseReachability,
    end: Formula,
    cases: &mut Vec<Vec<Values>>,
) -> Option<()> {
    if end == FALSE {
        return Some(());
    }
    let parts: &[Formula] = match ground.formulas.node(end) {
        FormulaNode::Or(parts) => {
            return parts.iter().try_for_each(|part| split(ground, joint, *part, cases));
        }
        FormulaNode::And(parts) => parts,
        _ => &[end],
    };
    let mut case = joint.values.clone();
    for part in parts {
        if let FormulaNode::Lit(subject, values) = ground.formulas.node(*part)
            && let Subject::Fluent(fluent) = ground.formulas.subject(*subject).0
        {
            case[fluent.index()] &= values;
        }
    }
    if !case.contains(&0) {
        cases.push(case);
    }
    (cases.len() <= MAX_END_CASES).then_some(())
}

/// A fluent with its values before and after.
type FluentChange = (FluentId, u8, u8);

/// Visits the possible changes of fluents by a step: the changed fluents, with their values before and after.
fn changes(
    ground: &Ground,
    joint: &PairwiseReachability,
    step: &Transition,
    budget: &mut u64,
    visit: &mut dyn FnMut(&[FluentChange]),
) -> Option<()> {
    let whens: Vec<Formula> =
        step.becomes.iter().flat_map(|of| of.values.iter().map(|(_, when)| *when)).collect();
    let mut of = ground.support(step.legal, &whens);
    let more: Vec<FluentId> = step.becomes.iter().map(|of| of.fluent).filter(|id| !of.contains(id)).collect();
    of.extend(more);
    let mut clear = true;
    joint.cases(&ground.formulas, step.legal, &of, budget, &mut |here| {
        cancel::step();
        let mut changed = Vec::new();
        for becomes in &step.becomes {
            let from = here[becomes.fluent.index()].trailing_zeros() as u8;
            match values_after(&ground.formulas, &becomes.values, here)[..] {
                [to] => changed.push((becomes.fluent, from, to)),
                // It stays.
                [] => {}
                _ => clear = false,
            }
        }
        visit(&changed);
    })?;
    clear.then_some(())
}

/// The coefficients of unknowns in an equation.
type Terms = Vec<(usize, i8)>;

/// Linear equations modulo a prime below 128. The last entry of a row is the right side.
struct LinearSystem {
    modulus: u8,
    size: usize,
    /// The rows, each with its pivot: the first unknown in it after reduction by the earlier rows, with the factor 1.
    rows: Vec<(usize, Vec<u8>)>,
}

impl LinearSystem {
    /// Adds an equation; returns false if it contradicts the others, which then stay as they are.
    fn add(&mut self, terms: &[(usize, i8)], right: u8) -> bool {
        let modulus = self.modulus;
        let mut row = vec![0; self.size + 1];
        for &(unknown, factor) in terms {
            row[unknown] = (i16::from(row[unknown]) + i16::from(factor)).rem_euclid(modulus.into()) as u8;
        }
        row[self.size] = right % modulus;
        for (first, known) in &self.rows {
            cancel::step();
            let times = (modulus - row[*first]) % modulus;
            add_multiple(&mut row, known, times, modulus);
        }
        let Some(first) = row.iter().position(|factor| *factor != 0) else { return true };
        if first == self.size {
            return false;
        }
        let factor = row[first];
        let inverse = (1..modulus).find(|of| u16::from(*of) * u16::from(factor) % u16::from(modulus) == 1);
        let scaled = row.clone();
        add_multiple(&mut row, &scaled, inverse.unwrap_or(1) - 1, modulus);
        self.rows.push((first, row));
        true
    }

    /// Returns a solution, with the free unknowns 0.
    fn solution(&self) -> Vec<u8> {
        let modulus = u32::from(self.modulus);
        let mut solution = vec![0; self.size];
        for (first, row) in self.rows.iter().rev() {
            let others =
                row.iter().zip(&solution).map(|(factor, value)| u32::from(*factor) * u32::from(*value));
            let others = others.sum::<u32>() % modulus;
            solution[*first] = ((u32::from(row[self.size]) + modulus - others) % modulus) as u8;
        }
        solution
    }
}

/// Adds a row some times to another one.
fn add_multiple(row: &mut [u8], known: &[u8], times: u8, modulus: u8) {
    for _ in 0..times {
        for (entry, more) in row.iter_mut().zip(known) {
            let sum = *entry + *more;
            *entry = if sum >= modulus { sum - modulus } else { sum };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares random systems with all assignments.
    #[test]
    fn systems_have_solutions_just_where_an_assignment_fits() {
        let mut seed = 7u64;
        let mut below = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) % n
        };
        for modulus in [2, 3, 5] {
            let mut solved = [0, 0];
            for _ in 0..200 {
                let mut system = LinearSystem { modulus, size: 4, rows: Vec::new() };
                let equations: Vec<(Terms, u8)> = (0..5)
                    .map(|_| {
                        let terms = (0..4).map(|unknown| (unknown, below(5) as i8 - 2));
                        (terms.collect(), below(modulus.into()) as u8)
                    })
                    .collect();
                let values = |mut number: u64| -> Vec<u8> {
                    let digit = |_| {
                        let digit = number % u64::from(modulus);
                        number /= u64::from(modulus);
                        digit as u8
                    };
                    (0..4).map(digit).collect()
                };
                let fits = |values: &[u8]| {
                    equations.iter().all(|(terms, right)| {
                        let sum = terms
                            .iter()
                            .map(|(unknown, factor)| i32::from(*factor) * i32::from(values[*unknown]));
                        (sum.sum::<i32>() - i32::from(*right)).rem_euclid(modulus.into()) == 0
                    })
                };
                let sound = equations.iter().all(|(terms, right)| system.add(terms, *right));
                let all = u64::from(modulus).pow(4);
                assert_eq!(sound, (0..all).any(|number| fits(&values(number))));
                if sound {
                    assert!(fits(&system.solution()));
                }
                solved[usize::from(sound)] += 1;
            }
            assert!(solved[0] > 20 && solved[1] > 20, "{modulus}: {solved:?}");
        }
    }
}
