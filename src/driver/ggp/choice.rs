//! The choice of a move in a match: exact where the position is solved, by Monte-Carlo tree search elsewhere. Where moves
//! are hidden, it depends on what the player saw alone.

use std::collections::BTreeMap;
use std::thread;

use bouton_base::limits::{CancelToken, Limits, NoProgress};
use bouton_search::game::information::{own_choice, own_choices};
use bouton_search::game::{Game, MoveInstance, State, Successor, ToMove};
use bouton_search::solve::information_set_search::{self, PastPlay};
use bouton_search::solve::mcts::{self, MctsBudget};
use bouton_search::solve::{Solution, SolveOptions};

use crate::planner::{Plan, Question, Route};
use crate::play::Session;
use crate::play::mixed_player::MixedPlayer;

/// The results of earlier searches of a match.
#[derive(Default)]
pub struct Knowledge {
    /// The values of all positions.
    solved: Option<Solution>,
    /// The best moves of single positions.
    moves: BTreeMap<State, MoveInstance>,
    /// The mixed strategies of simultaneous choices.
    mixed: Option<MixedPlayer>,
}

/// The number of positions that a search may visit: more than any clock allows.
const MAX_POSITIONS: u64 = 1 << 40;

/// The share of the preparation that goes into the values of all positions, before other methods are tried.
const TABLE_TIME_DIVISOR: u32 = 2;

impl Knowledge {
    /// Prepares for a match from this position within limits, of which half go into the values of all positions.
    pub fn prepare(&mut self, game: &Game, start: &State, limits: &Limits) {
        let within = limits.with_time_share(TABLE_TIME_DIVISOR);
        if !game.rules.has_hidden_information()
            && let Some(solution) = solve(game, start, Route::GraphOnly, &within)
        {
            self.learn(game, start, solution, limits);
        }
        if self.solved.is_none()
            && self.mixed.is_none()
            && limits.check().is_none()
            && let Some(solution) = solve(game, start, Route::Any, limits)
        {
            self.learn(game, start, solution, limits);
        }
    }

    /// Returns a sentence on how well the moves will be chosen.
    pub fn describe(&self) -> &'static str {
        match self {
            Knowledge { solved: Some(_), .. } => "every position is solved",
            Knowledge { mixed: Some(_), .. } => "mixed strategies are computed",
            Knowledge { moves, .. } if !moves.is_empty() => "the first position is solved",
            _ => "moves are chosen by search",
        }
    }

    /// Keeps a solution: its values of all positions, its line of best play, or its mixed strategies.
    fn learn(&mut self, game: &Game, state: &State, solution: Solution, limits: &Limits) {
        if solution.mixed.is_some() {
            self.mixed = MixedPlayer::new(game, state, solution, limits);
            return;
        }
        let line =
            solution.line.iter().chain(solution.best_moves.first().filter(|_| solution.line.is_empty()));
        let mut here = state.clone();
        for made in line {
            let Ok(successors) = game.machine.successors(&here) else { break };
            let Some(next) = successors.into_iter().find(|next| next.play == made.play) else { break };
            self.moves.insert(std::mem::replace(&mut here, next.state), made.play.clone());
        }
        if solution.table.is_some() {
            self.solved = Some(solution);
        }
    }

    /// Returns the best move of a position that is known.
    fn best(&self, state: &State) -> Option<MoveInstance> {
        let table = self.solved.as_ref().and_then(|solution| solution.table.as_ref());
        let of_table = table.and_then(|table| table.best_moves(state).into_iter().next());
        of_table.map(|best| best.play).or_else(|| self.moves.get(state).cloned())
    }

    /// Chooses a move for a player: the index of a successor that contains it, and how it was found. `session` holds
    /// the match so far. The search ends with the limits.
    pub fn choose(
        &mut self,
        session: &mut Session,
        player: u32,
        limits: &Limits,
    ) -> Option<(Successor, &'static str)> {
        let game = session.game.with_limits(limits);
        let state = session.state().clone();
        let (turn, mut successors) = game.machine.expand(&state).ok()?;
        let has_choice = match &turn {
            ToMove::Player(mover) => *mover == player && successors.len() > 1,
            _ => own_choices(&turn, &successors, player).len() > 1,
        };
        if !has_choice {
            return (!successors.is_empty()).then(|| (successors.swap_remove(0), "the only move"));
        }
        if let Some(drawn) = self.mixed.as_ref().and_then(|mixed| mixed.choose(session, &successors)) {
            return Some((drawn.successor, "drawn by a mixed strategy"));
        }
        let seed = session.made().len() as u64;
        let effort = MctsBudget { positions: MAX_POSITIONS, seed };
        if game.rules.has_hidden_information() {
            let moves: Vec<MoveInstance> = session.made().iter().map(|made| made.play.clone()).collect();
            let past = PastPlay { start: &session.start, moves: &moves };
            let found = information_set_search::choose(&game, past, player, effort, limits).ok()??;
            let makes = |next: &Successor| own_choice(&turn, &next.play, player) == Some(&found.choice);
            let at = successors.iter().position(makes)?;
            return Some((successors.swap_remove(at), "by random games from what was seen"));
        }
        if let Some(best) = self.best(&state)
            && let Some(at) = successors.iter().position(|next| next.play == best)
        {
            return Some((successors.swap_remove(at), "known to be best"));
        }
        // Each of the two searches ends the other one when its result is certain.
        let own = |limits: &Limits| Limits { cancel: CancelToken::default(), ..limits.clone() };
        let (sampling, solving) = (own(limits), own(limits));
        let (solution, sampled) = thread::scope(|scope| {
            let exact = || {
                let found = match turn {
                    ToMove::Player(_) => solve(&game, &state, Route::Any, &solving),
                    _ => None,
                };
                if found.is_some() {
                    sampling.cancel.cancel();
                }
                found
            };
            let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, exact);
            let sampled = mcts::choose_in_time(&game, &state, player, effort, &sampling);
            if sampled.as_ref().is_some_and(|found| found.settled) {
                solving.cancel.cancel();
            }
            (thread.ok().and_then(|thread| thread.join().ok().flatten()), sampled)
        });
        if let Some(solution) = solution {
            self.learn(&game, &state, solution, limits);
            if let Some(best) = self.moves.get(&state)
                && let Some(at) = successors.iter().position(|next| next.play == *best)
            {
                return Some((successors.swap_remove(at), "solved"));
            }
        }
        let chosen = sampled.filter(|found| found.chosen < successors.len())?.chosen;
        Some((successors.swap_remove(chosen), "by random games"))
    }
}

/// The stack of threads that solve, since rules may be deeply nested. Only the used part takes memory.
pub const STACK_BYTES: usize = 512 << 20;

/// Solves a position within limits; `None` if its value is not found.
fn solve(game: &Game, state: &State, route: Route, limits: &Limits) -> Option<Solution> {
    let options = SolveOptions::default();
    let question = Question { route, ..Question::new(game, state, &options, limits) };
    let answer = Plan::new(question).run(&NoProgress).ok()?;
    Some(answer.solution).filter(Solution::is_answered)
}
