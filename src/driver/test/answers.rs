//! A cache of solutions for one game: claims about a position, and about positions reachable from it, are answered
//! once.

use rustc_hash::FxHashMap;

use bouton_base::rational::Rational;

use crate::planner::{Plan, Question};
use crate::size;
use bouton_base::limits::{Limits, Progress};
use bouton_search::game::explore::FaultyPosition;
use bouton_search::game::{Game, State};
use bouton_search::solve::{PlanBounds, Solution, SolveOptions, Status, Value, WrittenMove};

/// The result for a position.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The value, if known.
    pub value: Option<Value>,
    /// The number of plies to the end.
    pub remoteness: Option<u32>,
    /// The bounds of the number of moves of a puzzle, if a search for the fewest ended early.
    pub plan_bounds: Option<PlanBounds>,
    /// A line of best play.
    pub line: Vec<WrittenMove>,
    /// The lower and the upper bound of the first player's payoff, if the value is not known.
    pub bounds: (Option<Rational>, Option<Rational>),
    /// The reason why the value is not known.
    pub reason: String,
}

impl Answer {
    /// The result of a solution.
    pub fn of(game: &Game, solution: &Solution) -> Answer {
        let bounds = solution.bounds.clone().map_or((None, None), |b| (b.low, b.high));
        let mut reason = solution.reason.clone().unwrap_or_else(|| "a limit was reached".into());
        if solution.limit.is_some()
            && let Some(large) = size::too_large(&game.rules)
        {
            reason = format!("{reason}; {large}");
        }
        Answer {
            value: solution.value.clone().filter(|_| solution.status == Status::Solved),
            remoteness: solution.remoteness,
            plan_bounds: solution.plan_bounds,
            line: solution.line.clone(),
            bounds,
            reason,
        }
    }
}

/// The solutions so far, by position.
#[derive(Default)]
pub struct AnswerCache {
    solved: FxHashMap<State, Solution>,
}

impl AnswerCache {
    /// Returns the result for a position, solving it if necessary.
    pub fn get_or_solve(
        &mut self,
        game: &Game,
        state: &State,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Result<Answer, Box<FaultyPosition>> {
        if let Some(known) = self.solved.get(state) {
            return Ok(Answer::of(game, known));
        }
        if let Some(answer) = self.tabled(state) {
            return Ok(answer);
        }
        let options = SolveOptions { max_line_moves: 12, exchange_players: true, ..SolveOptions::default() };
        let plan = Plan::new(Question::new(game, state, &options, limits));
        let solution = plan.run(progress)?.solution;
        let answer = Answer::of(game, &solution);
        self.solved.insert(state.clone(), solution);
        Ok(answer)
    }

    /// The result for a position by the table of another position's solution.
    fn tabled(&self, state: &State) -> Option<Answer> {
        self.solved.values().filter_map(|s| s.table.as_ref()).find_map(|table| {
            Some(Answer {
                value: Some(table.value(state)?),
                remoteness: table.remoteness(state),
                plan_bounds: None,
                line: table.line(state, 12).moves,
                bounds: (None, None),
                reason: String::new(),
            })
        })
    }
}
