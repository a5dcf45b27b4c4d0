//! The lower bound of a search as a lemma of a certificate: the classes, costs and distances of its databases.
//!
//! Values that a fluent never has form classes of their own, so that the checker, which does not know which values
//! occur, finds the same moves.

use super::abstraction::Partition;
use super::batch::Charge;
use super::database::{Databases, PatternDatabase};
use super::task::PlanningTask;
use bouton_base::id::Id;
use bouton_certificates::DistanceLemma;
use bouton_certificates::distance::{PatternClasses, PatternCost, PatternDistance};
use bouton_grounding::{Values, value_numbers};

/// Returns the lemma that a win takes at least this number of moves, with the databases that were used; `None` if they
/// have more than `most` positions.
pub fn lemma(task: &PlanningTask, databases: &Databases, least: u64, most: usize) -> Option<DistanceLemma> {
    let used = databases.summands(task);
    if used.iter().map(|database| database.len()).sum::<usize>() > most {
        return None;
    }
    let mut lemma = DistanceLemma { least, ..DistanceLemma::default() };
    for (pattern, database) in (0..).zip(used) {
        add(task, &mut lemma, pattern, database);
    }
    lemma.classes.sort_unstable();
    lemma.costs.sort_unstable();
    lemma.distances.sort_unstable();
    Some(lemma)
}

fn add(task: &PlanningTask, lemma: &mut DistanceLemma, pattern: u32, database: &PatternDatabase) {
    let partition = &database.partition;
    let divided: Vec<usize> = (0..task.fluents())
        .filter(|fluent| size(task, *fluent) > 1 && divides(task, partition, *fluent))
        .collect();
    for &fluent in &divided {
        let sets = &partition.sets[fluent];
        let class =
            |value: usize| sets.iter().position(|set| set >> value & 1 == 1).unwrap_or(sets.len()) as u8;
        let classes = (0..size(task, fluent)).map(class).collect();
        lemma.classes.push(PatternClasses { pattern, fluent: fluent as u32, classes });
    }
    for ((number, action), charge) in task.action_numbers.iter().zip(&task.actions).zip(&database.charges) {
        let (fluent, values) = match charge {
            Charge::Never => continue,
            Charge::Where { fluent, values } => (*fluent, *values),
            // Whatever value the first written fluent has.
            Charge::Always => {
                let fluent = action.updates.first().map_or(0, |update| update.fluent.index());
                (fluent as u32, all_values(size(task, fluent)))
            }
        };
        let values: Vec<u8> = value_numbers(values).map(|value| value as u8).collect();
        if !values.is_empty() {
            lemma.costs.push(PatternCost { pattern, action: *number, fluent, values });
        }
    }
    for (key, distance) in database.distances() {
        let blocks: Vec<(usize, usize)> = database.layout.blocks(key).collect();
        // A fluent with one block of several possible ones is always in it.
        let class =
            |fluent: &usize| blocks.iter().find(|(of, _)| of == fluent).map_or(0, |(_, block)| *block as u8);
        let classes = divided.iter().map(class).collect();
        lemma.distances.push(PatternDistance { pattern, classes, least: u64::from(distance) });
    }
}

fn size(task: &PlanningTask, fluent: usize) -> usize {
    task.ground.fluents.get(Id::new(fluent)).values.len()
}

fn all_values(size: usize) -> Values {
    if size >= Values::BITS as usize { Values::MAX } else { (1 << size) - 1 }
}

/// Returns true if a pattern tells values of a fluent apart: reachable ones from each other, or from those that the
/// fluent never has.
fn divides(task: &PlanningTask, partition: &Partition, fluent: usize) -> bool {
    partition.sets[fluent].len() > 1 || task.possible[fluent] != all_values(size(task, fluent))
}
