//! The number of reachable positions up to symmetry.

use rustc_hash::FxHashSet;

use crate::game::{Game, MachineError, State};
use bouton_base::id::Id;
use bouton_base::limits::{Limits, Progress};
use bouton_detect::symmetry::{GameSymmetry, MAX_GROUP_ORDER, SymmetryGroup};
use bouton_grounding::Ground;

/// Counts the orbits of the reachable positions under symmetries that fix the initial position. `None` if a limit is
/// reached or the group is trivial or too large.
pub fn count_orbits(
    game: &Game,
    ground: &Ground,
    group: &SymmetryGroup,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Option<u64>, MachineError> {
    let Some(elements) = group.elements(MAX_GROUP_ORDER) else { return Ok(None) };
    let read = |state: &State| -> Option<Vec<u8>> {
        Some(canonicalize(&elements, &ground.fluents.position(&game.cells(state))?))
    };
    let first = game.machine.initial();
    let Some(key) = read(&first) else { return Ok(None) };
    let mut known: FxHashSet<Vec<u8>> = FxHashSet::default();
    let fluents = key.len() as u64;
    known.insert(key);
    // Any position represents its orbit: symmetries map successors to successors.
    let mut waiting = vec![first];
    while let Some(state) = waiting.pop() {
        let held = known.len() as u64 * (fluents + 32) + waiting.len() as u64 * 40;
        if limits.check_held(held).is_some() {
            return Ok(None);
        }
        progress.positions(known.len() as u64, held);
        for successor in game.machine.successors(&state)? {
            let Some(key) = read(&successor.state) else { return Ok(None) };
            if known.insert(key) {
                waiting.push(successor.state);
            }
        }
    }
    Ok(Some(known.len() as u64))
}

/// Canonicalizes a position: returns the least of its images.
pub fn canonicalize(elements: &[GameSymmetry], position: &[u8]) -> Vec<u8> {
    elements.iter().map(|symmetry| symmetry.board.image(position)).min().unwrap_or_else(|| position.to_vec())
}

/// Renders a symmetry as cycles of players and fluents, with the values that it exchanges.
pub fn show(ground: &Ground, symmetry: &GameSymmetry) -> String {
    let rules = &ground.rules;
    let mut parts = Vec::new();
    let cycles = |image: &dyn Fn(usize) -> usize, size: usize| {
        let mut seen = vec![false; size];
        let mut cycles: Vec<Vec<usize>> = Vec::new();
        for first in 0..size {
            let mut cycle = Vec::new();
            let mut at = first;
            while !std::mem::replace(&mut seen[at], true) {
                cycle.push(at);
                at = image(at);
            }
            if cycle.len() > 1 {
                cycles.push(cycle);
            }
        }
        cycles
    };
    let written = |cycles: Vec<Vec<usize>>, name: &dyn Fn(usize) -> String| -> Vec<String> {
        let one = |cycle: Vec<usize>| {
            let arrow = if cycle.len() == 2 { " <-> " } else { " -> " };
            cycle.into_iter().map(name).collect::<Vec<_>>().join(arrow)
        };
        cycles.into_iter().map(one).collect()
    };
    let players = cycles(&|p| symmetry.players[p] as usize, symmetry.players.len());
    parts.extend(written(players, &|p| rules.players()[p].clone()));
    let fluents = cycles(&|f| symmetry.board.fluents[f].index(), symmetry.board.fluents.len());
    parts.extend(written(fluents, &|f| ground.fluents.show(rules, Id::new(f))));
    for (id, fluent) in ground.fluents.iter() {
        let values = &symmetry.board.values[id.index()];
        let moved = cycles(&|v| usize::from(values[v]), values.len());
        if symmetry.board.fluents[id.index()] == id {
            let name = |v: usize| rules.show(&fluent.values[v]);
            let own = ground.fluents.show(rules, id);
            parts.extend(written(moved, &name).into_iter().map(|cycle| format!("{own}: {cycle}")));
        }
    }
    parts.join(", ")
}
