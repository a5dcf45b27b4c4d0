//! Games so small that their definition lists all positions sooner than they are compiled.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{Machine, MachineError, ReferenceMachine, State};
use bouton_rules::Rules;

/// The maximal number of positions of a small game.
const MAX_POSITIONS: usize = 3_000;
/// The maximal number of steps in which the definition lists them: a few hundredths of a second.
const MAX_STEPS: u64 = 1_000_000;

/// Returns true if the definition lists all reachable positions of these rules, which are few, in few steps. The result
/// is the same on every machine.
pub fn is_small(rules: &Arc<Rules>) -> bool {
    let machine = ReferenceMachine::for_steps(rules.clone(), MAX_STEPS);
    let first = machine.initial();
    let mut known: FxHashSet<State> = FxHashSet::from_iter([first.clone()]);
    let mut open = vec![first];
    while let Some(state) = open.pop() {
        match machine.successors(&state) {
            Ok(successors) => {
                open.extend(
                    successors.into_iter().map(|next| next.state).filter(|next| known.insert(next.clone())),
                );
            }
            // Play ends where the rules have no meaning.
            Err(MachineError::Fault(_)) => {}
            Err(MachineError::Limit(_)) => return false,
        }
        if known.len() > MAX_POSITIONS {
            return false;
        }
    }
    true
}
