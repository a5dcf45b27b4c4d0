//! A lower bound of the moves to a win by counting: a win needs a number of conditions to hold (one peg is left, no
//! lamp is lit), and a move changes this number by at most so much.
//!
//! Cost: one pass over the conditions for each position.
//! Invariant: the bound is consistent, since the change by each move is bounded over all positions in which it is legal.

use super::abstraction::{Layout, Partition};
use super::task::PlanningTask;
use bouton_base::id::Id;
use bouton_grounding::{
    Formula, FormulaNode, Formulas, Subject, ThreeValued, ThreeValuedEvaluator, Values, value_numbers,
};

/// A condition of a win: the number of these literals that hold is one of these.
struct CountCondition {
    literals: Vec<(usize, Values)>,
    numbers: Values,
    /// The most by which a move raises the number, and by which it lowers it.
    raises: u32,
    lowers: u32,
}

/// The conditions of a win that count.
#[derive(Default)]
pub struct CountingBound {
    conditions: Vec<CountCondition>,
    /// The literals of each condition as blocks, by fluent: the conditions, each with the blocks as a bit set.
    of_fluent: Vec<Vec<(usize, Values)>>,
}

impl CountingBound {
    /// Finds the conditions of a win that count, in the positions of this layout.
    pub fn new(task: &PlanningTask, partition: &Partition) -> CountingBound {
        let formulas = &task.ground.formulas;
        let mut found = CountingBound { conditions: Vec::new(), of_fluent: vec![Vec::new(); task.fluents()] };
        let mut plain = Vec::new();
        for part in task.ground.formulas.conjuncts(task.win) {
            let FormulaNode::Lit(subject, values) = formulas.node(part) else { continue };
            match formulas.subject(*subject).0 {
                Subject::Fluent(fluent) => plain.push((fluent.index(), *values)),
                Subject::Count(parts) => {
                    let literals: Option<Vec<_>> =
                        parts.iter().map(|part| literal(formulas, *part)).collect();
                    if let Some(literals) = literals {
                        found.add(task, literals, *values);
                    }
                }
            }
        }
        if plain.len() > 1 && plain.len() < Values::BITS as usize {
            let all = 1 << plain.len();
            found.add(task, plain, all);
        }
        for (number, condition) in found.conditions.iter().enumerate() {
            for &(fluent, values) in &condition.literals {
                let sets = &partition.sets[fluent];
                let blocks = (0..).zip(sets).filter(|(_, set)| **set & values != 0);
                let blocks = blocks.fold(0, |all: Values, (block, _): (u32, _)| all | 1 << block);
                found.of_fluent[fluent].push((number, blocks));
            }
        }
        found
    }

    fn add(&mut self, task: &PlanningTask, literals: Vec<(usize, Values)>, numbers: Values) {
        let (mut raises, mut lowers) = (0, 0);
        for action in &task.actions {
            let (least, most) = change(task, action, &literals);
            raises = raises.max(most.max(0) as u32);
            lowers = lowers.max((-least).max(0) as u32);
        }
        self.conditions.push(CountCondition { literals, numbers, raises, lowers });
    }

    /// Returns the lower bound of the moves to a win; `None` if there is no win.
    pub fn bound(&self, layout: &Layout, key: &[u64]) -> Option<u16> {
        if self.conditions.is_empty() {
            return Some(0);
        }
        let mut numbers = vec![0u32; self.conditions.len()];
        let mut seen = vec![0u32; self.conditions.len()];
        for (fluent, block) in layout.blocks(key) {
            for (condition, blocks) in &self.of_fluent[fluent] {
                seen[*condition] += 1;
                numbers[*condition] += (blocks >> block & 1) as u32;
            }
        }
        let mut bound = 0;
        for (number, condition) in self.conditions.iter().enumerate() {
            // A fluent with one block takes no bits: its literals hold throughout or nowhere.
            let fixed = condition.literals.len() as u32 - seen[number];
            let holding = if fixed == 0 { 0 } else { self.fixed(layout, key, number) };
            let now = numbers[number] + holding;
            let steps = |wanted: u32| match wanted.cmp(&now) {
                std::cmp::Ordering::Equal => Some(0),
                std::cmp::Ordering::Greater => {
                    (condition.raises > 0).then(|| (wanted - now).div_ceil(condition.raises))
                }
                std::cmp::Ordering::Less => {
                    (condition.lowers > 0).then(|| (now - wanted).div_ceil(condition.lowers))
                }
            };
            bound = bound.max(value_numbers(condition.numbers).filter_map(steps).min()? as u16);
        }
        Some(bound)
    }

    /// Returns the number of literals of a condition that hold for fluents with one block.
    fn fixed(&self, layout: &Layout, key: &[u64], number: usize) -> u32 {
        let moving: Vec<usize> = layout.blocks(key).map(|(fluent, _)| fluent).collect();
        let rest = self.conditions[number].literals.iter().filter(|(fluent, _)| !moving.contains(fluent));
        rest.filter(|(fluent, _)| {
            self.of_fluent[*fluent].iter().any(|(of, blocks)| *of == number && blocks & 1 == 1)
        })
        .count() as u32
    }
}

fn literal(formulas: &Formulas, formula: Formula) -> Option<(usize, Values)> {
    match formulas.node(formula) {
        FormulaNode::Lit(subject, values) => match formulas.subject(*subject).0 {
            Subject::Fluent(fluent) => Some((fluent.index(), *values)),
            Subject::Count(_) => None,
        },
        _ => None,
    }
}

/// Returns the least and the greatest change of the number of literals that hold by a move.
fn change(
    task: &PlanningTask,
    action: &bouton_grounding::Action,
    literals: &[(usize, Values)],
) -> (i64, i64) {
    let formulas = &task.ground.formulas;
    let mut before = task.possible.clone();
    for part in formulas.conjuncts(action.legal) {
        if let Some((fluent, values)) = literal(formulas, part) {
            before[fluent] &= values;
        }
    }
    let mut reading = ThreeValuedEvaluator::new(formulas, before.clone());
    let (mut least, mut most) = (0, 0);
    for &(fluent, values) in literals {
        let Some(update) = action.updates.iter().find(|update| update.fluent == Id::new(fluent)) else {
            continue;
        };
        let mut after: Values = 0;
        for (value, when) in &update.values {
            if reading.evaluate(*when) != ThreeValued::Never {
                after |= 1 << value;
            }
        }
        let range = |of: Values| (i64::from(of & !values == 0), i64::from(of & values != 0));
        let (old, new) = (range(before[fluent]), range(after));
        least += new.0 - old.1;
        most += new.1 - old.0;
    }
    (least, most)
}
