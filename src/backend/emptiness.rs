//! Emptiness profiles: how often each value of a circuit is empty, measured in some random games. A compiler that knows
//! it can skip work that mostly gives nothing.

use std::sync::Arc;

use super::interp::Interpreter;
use super::traversal::Xorshift;
use bouton_base::id::IdVec;
use bouton_circuit::{Circuit, Control, ControlId, Stmt, StmtBlock, ValueId};

/// The number of values that all samples together compute, about.
const SAMPLED_VALUES: usize = 400_000;
/// The bounds of the number of sampled positions.
const MIN_POSITIONS: usize = 8;
const MAX_POSITIONS: usize = 256;
/// The maximal number of moves of a sampled game.
const MAX_GAME_MOVES: usize = 64;

/// For each value outside the moves of a circuit, the share of sampled positions in which it was empty: a vector
/// without ones, or the number 0.
///
/// The games begin in the circuit's initial position and draw their moves from a fixed seed, so that a circuit always
/// has the same profile. A profile is a measurement and proves nothing.
#[derive(Debug)]
pub(crate) struct EmptinessProfile {
    counts: IdVec<ValueId, EmptyCount>,
}

#[derive(Clone, Copy, Debug, Default)]
struct EmptyCount {
    /// The positions that computed the value.
    positions: u32,
    /// Those in which it was empty.
    empty: u32,
}

impl EmptinessProfile {
    /// Plays random games with a circuit.
    pub fn measure(circuit: &Arc<Circuit>) -> EmptinessProfile {
        let interpreter = Interpreter::new(circuit.clone());
        let values: IdVec<ControlId, Vec<ValueId>> = circuit
            .controls
            .iter()
            .map(|control| blocks_outside_moves(circuit, control).flat_map(values_of).collect())
            .collect();
        let mut counts: IdVec<ValueId, EmptyCount> =
            circuit.values.iter().map(|_| EmptyCount::default()).collect();
        let wanted = (SAMPLED_VALUES / circuit.values.len().max(1)).clamp(MIN_POSITIONS, MAX_POSITIONS);
        let mut random = Xorshift::new(1);
        let mut sampled = 0;
        while sampled < wanted {
            let moves = MAX_GAME_MOVES.min(wanted - sampled);
            let made = interpreter.sample(moves, &mut random, &mut |control, computed| {
                for &value in &values[control] {
                    counts[value].positions += 1;
                    counts[value].empty += u32::from(computed.is_empty(value));
                }
            });
            if made == 0 {
                break;
            }
            sampled += made;
        }
        EmptinessProfile { counts }
    }

    /// Returns the share of the positions in which the value was empty, from 0 to 1; 0 if none computed it.
    pub fn share(&self, value: ValueId) -> f64 {
        let EmptyCount { positions, empty } = self.counts[value];
        f64::from(empty) / f64::from(positions.max(1))
    }
}

/// Returns the blocks of a control that run once for a position, and not for each of its moves.
pub(crate) fn blocks_outside_moves<'c>(
    circuit: &'c Circuit,
    control: &'c Control,
) -> impl Iterator<Item = &'c StmtBlock> {
    let lets = control.groups.iter().map(|&group| &circuit.groups[group].lets);
    std::iter::once(&control.before).chain(lets)
}

/// Returns the values that a block computes outside of its nested blocks.
fn values_of(block: &StmtBlock) -> impl Iterator<Item = ValueId> {
    block.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Let(value) => Some(*value),
        _ => None,
    })
}
