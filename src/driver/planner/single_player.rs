//! Shortest plans of a single player, beside the graph of all positions.

use super::super::portfolio;
use super::{Plan, solve_picked};
use bouton_base::limits::{LimitHit, Limits};
use bouton_search::game::explore::FaultyPosition;
use bouton_search::game::{Game, State};
use bouton_search::solve::planning::ASTAR;
use bouton_search::solve::{
    MoveValue, Solution, SolveOptions, SolveRequest, Solver, Status, ValueKind, WrittenMove,
};

/// A search for a plan expands at most this number of positions if the game will be refused, or before the values of all
/// moves without a time limit.
pub(super) const MAX_REFUSED_PLAN_POSITIONS: u64 = 2_000_000;
/// In turns with a search for a plan, the graph lists this number of positions for each that the search expands: they
/// cost that much less.
const LISTED_PER_EXPANDED: u64 = 16;
/// The factor by which the budgets of these turns grow: both methods begin anew.
const PLAN_TURNS_GROWTH: u64 = 4;
/// The search for a plan, if the values of all moves are requested, may take one part in this number of the time.
pub(super) const PLAN_TIME_DIVISOR: u32 = 2;

impl Plan<'_> {
    /// Searches for a shortest plan of a single player who wants the values of all moves, within a part of the time: the
    /// solution has the value of the position, and of the moves only what follows from it.
    pub(super) fn plan_beside_other_moves(
        &self,
        request: &SolveRequest<'_>,
        refused: bool,
    ) -> Result<Option<Solution>, Box<FaultyPosition>> {
        if !request.options.all_moves {
            return Ok(None);
        }
        let options = SolveOptions { all_moves: false, ..*request.options };
        let limits = request.limits.with_time_share(PLAN_TIME_DIVISOR);
        let open_ended = refused || limits.deadline.is_none();
        let most = if open_ended { MAX_REFUSED_PLAN_POSITIONS } else { u64::MAX };
        let plain = SolveRequest { options: &options, limits: &limits, ..*request };
        let found = self.shortest_plan(&plain, most)?.filter(|found| found.status == Status::Solved);
        Ok(found.map(|solution| with_values_of_moves(request.game, request.state, solution)))
    }

    /// Searches for a shortest plan of a single player, in turns with the graph if that may be completed; `None` if no
    /// search for a plan applies.
    pub(super) fn plan_in_turns(
        &self,
        request: &SolveRequest<'_>,
    ) -> Result<Option<Solution>, Box<FaultyPosition>> {
        if ASTAR.applies(request).is_ok() && self.size.can_be_listed() {
            let mut budget = portfolio::first_budget(request);
            loop {
                if let Some(found) = self.shortest_plan(request, budget)? {
                    return Ok(Some(found));
                }
                // Where the graph takes long, the search has the rest of the time.
                let part = request.limits.with_time_share(PLAN_TIME_DIVISOR);
                let listing = SolveRequest { limits: &part, ..*request };
                match portfolio::solve_small(&listing, budget.saturating_mul(LISTED_PER_EXPANDED))? {
                    Some(found) if found.status == Status::Solved => return Ok(Some(found)),
                    Some(_) => break,
                    None => budget = budget.saturating_mul(PLAN_TURNS_GROWTH),
                }
            }
        }
        self.shortest_plan(request, u64::MAX)
    }

    /// Searches for a shortest plan of a single player and expands at most this number of positions; `None` if it finds
    /// neither a plan nor that there is none, and another method may.
    pub(super) fn shortest_plan(
        &self,
        request: &SolveRequest<'_>,
        most: u64,
    ) -> Result<Option<Solution>, Box<FaultyPosition>> {
        if ASTAR.applies(request).is_err() {
            return Ok(None);
        }
        let positions = request.limits.positions.map_or(most, |limit| limit.min(most));
        let limits = Limits { positions: Some(positions), ..request.limits.clone() };
        let found = solve_picked(&ASTAR, &SolveRequest { limits: &limits, ..*request })?;
        Ok(found.filter(|solution| {
            let over = matches!(solution.limit, Some(LimitHit::Time | LimitHit::Interrupted));
            solution.status == Status::Solved || over
        }))
    }
}

/// The solution of a puzzle by a plan, with the values of the moves that follow from it: that of the plan's first move, or
/// of all moves of a puzzle that has no solution.
fn with_values_of_moves(game: &Game, state: &State, mut solution: Solution) -> Solution {
    let successors = game.machine.successors(state).unwrap_or_default();
    let is_unsolvable = solution.value.as_ref().is_some_and(|value| value.kind == ValueKind::Unsolvable);
    let first = solution.best_moves.first().map(|made| made.play.clone());
    let value = |made: WrittenMove| {
        let is_known = is_unsolvable || first.as_ref() == Some(&made.play);
        MoveValue {
            value: solution.value.clone().filter(|_| is_known),
            bounds: None,
            remoteness: solution.remoteness.filter(|_| is_known),
            nimber: None,
            made,
        }
    };
    let written = |play| WrittenMove { written: game.notation(state, &play), play };
    solution.moves = successors.into_iter().map(|to| value(written(to.play))).collect();
    solution
}
