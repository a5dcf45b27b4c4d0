//! Rows of cells in which a small automaton determines the winner for every length.

use super::ProvedPlan;
use bouton_base::automaton::Automaton;
use bouton_base::limits::Limits;
use bouton_base::linear::Linear;
use bouton_patterns::automaton_learning::learn;
use bouton_rules::parametric::{
    Area, Atom, CHOICE_BASE, PARAM_BASE, ParamRange, ParametricRules, ParametricStrategy, WinnerCase,
};

/// The maximal length of the rows to learn from; `MAX_STATES` limits the states of an automaton.
const MAX_LENGTH: u32 = 9;
const MAX_STATES: usize = 12;
/// The maximal number of choices of a move in a row.
const MAX_CHOICES: usize = 4_000;

/// Returns a plan, if rows of a few lengths suggest one.
pub(super) fn plans(schema: &ParametricRules, over: &[ParamRange], limits: &Limits) -> Vec<ProvedPlan> {
    let [range] = over else { return Vec::new() };
    if schema.board[..] != [Linear::var(PARAM_BASE)] || !schema.counters.is_empty() {
        return Vec::new();
    }
    let mut labels = Vec::new();
    for length in 1..=MAX_LENGTH {
        let Some(lost) = lost(schema, length, limits) else { return Vec::new() };
        let word = |row: u32| (0..length).map(|cell| (row >> cell & 1) as u8).collect::<Vec<u8>>();
        labels.extend(lost.into_iter().enumerate().map(|(row, lost)| (word(row as u32), lost)));
    }
    let Some(lost) = learn(&labels, 2, MAX_STATES) else { return Vec::new() };
    let Some(cases) = cases(&lost, range.low) else { return Vec::new() };
    vec![ProvedPlan {
        over: over.to_vec(),
        cases,
        plan: ParametricStrategy::RowAutomaton { lost },
        proofs: Vec::new(),
    }]
}

/// Labels each row of a length as lost or not, by its number: cell 1 is the lowest bit. `None` if a move has too many
/// choices, a term has no value or a limit is reached.
fn lost(schema: &ParametricRules, length: u32, limits: &Limits) -> Option<Vec<bool>> {
    // The moves: the cells that must have changed, those that must not, and those that it changes.
    let mut moves: Vec<(u32, u32, u32)> = Vec::new();
    for scheme in &schema.moves {
        let mut choices: Vec<Vec<i128>> = vec![Vec::new()];
        for (low, high) in &scheme.choices {
            let value = |term: &Linear| term.value(&|var| (var == PARAM_BASE).then_some(i128::from(length)));
            let (low, high) = (value(low)?, value(high)?);
            let longer = |chosen: &Vec<i128>| {
                let chosen = chosen.clone();
                (low..=high).map(move |choice| chosen.iter().copied().chain([choice]).collect())
            };
            choices = choices.iter().flat_map(longer).take(MAX_CHOICES + 1).collect();
        }
        if choices.len() > MAX_CHOICES || limits.check().is_some() {
            return None;
        }
        for chosen in &choices {
            let value = |term: &Linear| {
                term.value(&|var| match var.checked_sub(CHOICE_BASE) {
                    Some(choice) => chosen.get(choice as usize).copied(),
                    None => (var == PARAM_BASE).then_some(i128::from(length)),
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
fn cases(lost: &Automaton, low: i128) -> Option<Vec<WinnerCase>> {
    let mut path = vec![0u32];
    let repeats = loop {
        let state = lost.after(*path.last()?, 0)?;
        match path.iter().position(|&other| other == state) {
            Some(from) => break from as i128,
            None => path.push(state),
        }
    };
    let (end, length) = (path.len() as i128, Linear::var(PARAM_BASE));
    let begins = |length: i128| {
        let at = if length < end { length } else { repeats + (length - repeats) % (end - repeats) };
        !lost.accepting[path[at as usize] as usize]
    };
    let from = low.max(repeats);
    let mut cases: Vec<WinnerCase> = Vec::new();
    for single in low..from {
        let when = vec![Atom::Zero(length.plus_constant(-single).ok()?)];
        cases.push(WinnerCase { when, first_player_wins: begins(single) });
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
        cases.push(WinnerCase { when, first_player_wins: wins });
    }
    // If all lengths have the same winner, a single case is enough.
    let alike = cases.iter().all(|case| case.first_player_wins == cases[0].first_player_wins);
    Some(if alike {
        vec![WinnerCase { when: Vec::new(), first_player_wins: cases[0].first_player_wins }]
    } else {
        cases
    })
}
