//! Rows of cells in which a small automaton determines the winner for every length.

use super::Found;
use crate::base::automaton::Automaton;
use crate::base::limits::Limits;
use crate::base::linear::Linear;
use crate::patterns::automata::learn;
use crate::rules::schema::{Area, Atom, CHOICE, Case, PARAM, Plan, Ranged, Schema};

/// The maximal length of the rows to learn from; `STATES` limits the states of an automaton.
const LENGTH: u32 = 9;
const STATES: usize = 12;
/// The maximal number of choices of a move in a row.
const CHOICES: usize = 4_000;

/// Returns a plan, if rows of a few lengths suggest one.
pub(super) fn plans(schema: &Schema, over: &[Ranged], limits: &Limits) -> Vec<Found> {
    let [range] = over else { return Vec::new() };
    if schema.board[..] != [Linear::var(PARAM)] || !schema.counters.is_empty() {
        return Vec::new();
    }
    let mut labels = Vec::new();
    for length in 1..=LENGTH {
        let Some(lost) = lost(schema, length, limits) else { return Vec::new() };
        let word = |row: u32| (0..length).map(|cell| (row >> cell & 1) as u8).collect::<Vec<u8>>();
        labels.extend(lost.into_iter().enumerate().map(|(row, lost)| (word(row as u32), lost)));
    }
    let Some(lost) = learn(&labels, 2, STATES) else { return Vec::new() };
    let Some(cases) = cases(&lost, range.low) else { return Vec::new() };
    vec![Found { over: over.to_vec(), cases, plan: Plan::Row { lost }, proofs: Vec::new() }]
}

/// Labels each row of a length as lost or not, by its number: cell 1 is the lowest bit. `None` if a move has too many
/// choices, a term has no value or a limit is reached.
fn lost(schema: &Schema, length: u32, limits: &Limits) -> Option<Vec<bool>> {
    // The moves: the cells that must have changed, those that must not, and those that it changes.
    let mut moves: Vec<(u32, u32, u32)> = Vec::new();
    for scheme in &schema.moves {
        let mut choices: Vec<Vec<i128>> = vec![Vec::new()];
        for (low, high) in &scheme.choices {
            let value = |term: &Linear| term.value(&|var| (var == PARAM).then_some(i128::from(length)));
            let (low, high) = (value(low)?, value(high)?);
            let longer = |chosen: &Vec<i128>| {
                let chosen = chosen.clone();
                (low..=high).map(move |choice| chosen.iter().copied().chain([choice]).collect())
            };
            choices = choices.iter().flat_map(longer).take(CHOICES + 1).collect();
        }
        if choices.len() > CHOICES || limits.check().is_some() {
            return None;
        }
        for chosen in &choices {
            let value = |term: &Linear| {
                term.value(&|var| match var.checked_sub(CHOICE) {
                    Some(choice) => chosen.get(choice as usize).copied(),
                    None => (var == PARAM).then_some(i128::from(length)),
                })
            };
            let cells = |areas: &[Area]| {
                areas.iter().try_fold(0u32, |cells, area| {
                    let (low, high) = (value(area.low.first()?)?.max(1), value(area.high.first()?)?);
                    let high = high.min(i128::from(length));
                    Some((low..=high).fold(cells, |cells, cell| cells | 1 << (cell - 1)))
                })
            };
            let mut legal = true;
            for guard in &scheme.guards {
                legal &= value(guard)? <= 0;
            }
            if legal {
                moves.push((cells(&scheme.touched)?, cells(&scheme.untouched)?, cells(&scheme.changed)?));
            }
        }
    }
    // Rows with more changed cells have larger numbers.
    let mut lost = vec![true; 1 << length];
    for row in (0..1u32 << length).rev() {
        lost[row as usize] = !moves.iter().any(|&(touched, untouched, changed)| {
            let after = row | changed;
            row & touched == touched && row & untouched == 0 && after != row && lost[after as usize]
        });
    }
    Some(lost)
}

/// Returns the winners of the rows without changed cells, by their length.
fn cases(lost: &Automaton, low: i128) -> Option<Vec<Case>> {
    let mut path = vec![0u32];
    let repeats = loop {
        let state = lost.after(*path.last()?, 0)?;
        match path.iter().position(|&other| other == state) {
            Some(from) => break from as i128,
            None => path.push(state),
        }
    };
    let (end, length) = (path.len() as i128, Linear::var(PARAM));
    let begins = |length: i128| {
        let at = if length < end { length } else { repeats + (length - repeats) % (end - repeats) };
        !lost.says[path[at as usize] as usize]
    };
    let from = low.max(repeats);
    let mut cases: Vec<Case> = Vec::new();
    for single in low..from {
        let when = vec![Atom::Zero(length.and(-single).ok()?)];
        cases.push(Case { when, begins: begins(single) });
    }
    let period =
        (1..=end - repeats).find(|p| (from..from + end - repeats).all(|n| begins(n) == begins(n + p)))?;
    for wins in [false, true] {
        let residues: Vec<u32> = (0..period)
            .filter(|rest| begins(from + (rest - from).rem_euclid(period)) == wins)
            .map(|r| r as u32)
            .collect();
        if residues.is_empty() {
            continue;
        }
        let mut when = Vec::new();
        if from > low {
            when.push(Atom::AtMost(Linear::number(from).minus(&length).ok()?));
        }
        if (residues.len() as i128) < period {
            when.push(Atom::Residue(length.clone(), period as u32, residues));
        }
        cases.push(Case { when, begins: wins });
    }
    // If all lengths have the same winner, a single case is enough.
    let alike = cases.iter().all(|case| case.begins == cases[0].begins);
    Some(if alike { vec![Case { when: Vec::new(), begins: cases[0].begins }] } else { cases })
}
