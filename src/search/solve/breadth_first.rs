//! Breadth-first search: the fewest moves in which a single player wins.
//!
//! Technique: positions are visited ply by ply, so the first win found is a nearest one, and no position past it is
//! needed. The labels are those of retrograde analysis (`retrograde`).
//! Source: Moore, "The shortest path through a maze" (1959).
//! Cost: the positions up to the nearest win.
//! Invariant: without a win among the visited positions, the ply of the first open position is a lower bound.
//! Not taken: iterative deepening (IDA*), since memory mostly holds the positions.

use bouton_base::rational::Rational;

use super::graph_labelling::GraphSolver;
use super::labels::BoundLabels;
use super::retrograde;
use super::solver::no_win_in_fewer;

/// Breadth-first search.
pub const BREADTH_FIRST: GraphSolver = GraphSolver {
    name: "breadth-first",
    description: "breadth-first search: the fewest moves of a single player",
    misfit: |shape| {
        let reason = "the fewest moves need one player and no chance";
        shape.needs_finite_chance().or((!shape.one_player || shape.chance).then_some(reason))
    },
    picked: |shape| {
        (shape.one_player && shape.win_loss && !shape.chance)
            .then_some("one player wants the fewest moves, which a breadth-first search gives")
    },
    labels: |task| {
        let low = retrograde::label(task.graph, task.stakes, &task.low);
        // The first win is the nearest, whatever remains open.
        if !task.graph.is_complete() && low.value(0).is_some_and(Rational::is_positive) {
            let horizon = low.steps(0);
            return Some(BoundLabels { low, high: None, horizon });
        }
        task.bounds(low, |open| Some(retrograde::label(task.graph, task.stakes, open)))
    },
    stops_at_win: true,
    open_reason: |ply| no_win_in_fewer(ply?),
};
