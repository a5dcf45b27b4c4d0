//! Parity: 0/1 weights of the values of fluents such that no move changes the parity of their sum, and that the parity
//! distinguishes the ends.
//!
//! Technique: the weights are the unknowns of a linear system over GF(2), with an equation for every possible change
//! of the relevant values by a move (the colouring argument of puzzles, found by elimination).
//! Cost: the number of these changes times the square of the number of unknowns over 64. Not taken: sums modulo other
//! numbers.

use rustc_hash::FxHashMap;

use bouton_base::id::Id;
use bouton_grounding::{
    FALSE, FluentId, Formula, FormulaNode, Ground, PairwiseReachability, Subject, Transition, Values,
    value_numbers, values_after,
};

/// The budget of the analysis.
const SEARCH_BUDGET: u64 = 4_000_000;
/// The maximal number of cases of an end.
const MAX_END_CASES: usize = 64;

/// The values of weight 1, by fluent, in order.
pub type WeightList = Vec<(FluentId, Vec<u8>)>;

/// The reason why there are no weights: a sentence without a full stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParityError {
    #[error("the rules have too many cases to look for a parity in")]
    TooManyCases,
    #[error("no sum stays even or odd and decides the result of the game")]
    NoSum,
}

/// Returns weights whose parity makes positions with `end` unreachable from a position.
pub fn weights(ground: &Ground, position: &[u8], end: Formula) -> Result<WeightList, ParityError> {
    let mut budget = SEARCH_BUDGET;
    let steps: Vec<Transition> = ground.actions.iter().map(Transition::from).collect();
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
    let mut system = LinearSystem { size: unknowns.len(), rows: Vec::new() };
    for case in &cases {
        let mut sum = system.row();
        for fluent in (0..position.len()).map(FluentId::new) {
            let mut allowed = value_numbers(case[fluent.index()]).map(|value| value as u8);
            let Some(first) = allowed.next() else { continue };
            flip(&mut sum, &unknowns, fluent, first);
            flip(&mut sum, &unknowns, fluent, position[fluent.index()]);
            for other in allowed {
                let mut same = system.row();
                flip(&mut same, &unknowns, fluent, first);
                flip(&mut same, &unknowns, fluent, other);
                system.add(same, false).ok_or(ParityError::NoSum)?;
            }
        }
        system.add(sum, true).ok_or(ParityError::NoSum)?;
    }
    for step in &steps {
        let mut equations: Vec<Vec<u64>> = Vec::new();
        changes(ground, &joint, step, &mut budget, &mut |changes| {
            let mut row = system.row();
            for &(fluent, from, to) in changes {
                flip(&mut row, &unknowns, fluent, from);
                flip(&mut row, &unknowns, fluent, to);
            }
            equations.push(row);
        })
        .ok_or(ParityError::TooManyCases)?;
        equations.sort_unstable();
        equations.dedup();
        for row in equations {
            system.add(row, false).ok_or(ParityError::NoSum)?;
        }
    }
    let solution = system.solution();
    let mut weights: FxHashMap<FluentId, Vec<u8>> = FxHashMap::default();
    for ((fluent, value), _) in unknowns.into_iter().filter(|(_, unknown)| solution[*unknown]) {
        weights.entry(fluent).or_default().push(value);
    }
    let mut weights: WeightList = weights.into_iter().collect();
    weights.sort_unstable();
    weights.iter_mut().for_each(|(_, values)| values.sort_unstable());
    Ok(weights)
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

fn flip(row: &mut [u64], unknowns: &FxHashMap<(FluentId, u8), usize>, fluent: FluentId, value: u8) {
    if let Some(unknown) = unknowns.get(&(fluent, value)) {
        row[unknown / 64] ^= 1 << (unknown % 64);
    }
}

/// Linear equations over GF(2). The last bit of a row is the right side.
struct LinearSystem {
    size: usize,
    /// The rows, each with its pivot, the first unknown in it after reduction by the earlier rows.
    rows: Vec<(usize, Vec<u64>)>,
}

impl LinearSystem {
    fn row(&self) -> Vec<u64> {
        vec![0; self.size / 64 + 1]
    }

    /// Adds an equation; `None` if it contradicts the others.
    fn add(&mut self, mut row: Vec<u64>, right: bool) -> Option<()> {
        if right {
            row[self.size / 64] ^= 1 << (self.size % 64);
        }
        for (first, known) in &self.rows {
            if row[first / 64] >> (first % 64) & 1 == 1 {
                row.iter_mut().zip(known).for_each(|(a, b)| *a ^= b);
            }
        }
        let first = (0..=self.size).find(|unknown| row[unknown / 64] >> (unknown % 64) & 1 == 1);
        match first {
            None => Some(()),
            Some(first) if first == self.size => None,
            Some(first) => {
                self.rows.push((first, row));
                Some(())
            }
        }
    }

    /// Returns a solution, with the free unknowns 0.
    fn solution(&self) -> Vec<bool> {
        let mut solution = vec![false; self.size + 1];
        solution[self.size] = true;
        for (first, row) in self.rows.iter().rev() {
            let others = (0..=self.size).filter(|u| u != first && row[u / 64] >> (u % 64) & 1 == 1);
            solution[*first] = others.filter(|&unknown| solution[unknown]).count() % 2 == 1;
        }
        solution.truncate(self.size);
        solution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares random systems with all assignments.
    #[test]
    fn systems_have_solutions_just_where_an_assignment_fits() {
        let mut seed = 7u64;
        let mut bits = |n: u32| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) & ((1 << n) - 1)
        };
        let mut solved = [0, 0];
        for _ in 0..300 {
            let equations: Vec<(u64, bool)> = (0..6).map(|_| (bits(5), bits(1) == 1)).collect();
            let fits = |values: u64| {
                equations.iter().all(|(row, right)| ((row & values).count_ones() % 2 == 1) == *right)
            };
            let mut system = LinearSystem { size: 5, rows: Vec::new() };
            let sound = equations.iter().try_for_each(|&(row, right)| system.add(vec![row], right)).is_some();
            assert_eq!(sound, (0..32).any(fits));
            if sound {
                let found = (0..).zip(system.solution()).fold(0, |all, (i, one)| all | u64::from(one) << i);
                assert!(fits(found));
            }
            solved[usize::from(sound)] += 1;
        }
        assert!(solved[0] > 20 && solved[1] > 20, "{solved:?}");
    }
}
