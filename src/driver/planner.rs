//! The planner: selects the solvers for a position by their estimated cost, and tries one after the other within the
//! same limits. All commands reach their answers this way.
//!
//! *Invariants:* the number of reachable positions is estimated at most once for a plan, and strategies are searched
//! for at most once, unless a limit ended the search.

use std::cell::OnceCell;

use super::budget::UserLimits;
use super::load::GameSource;
use super::size::{GameSize, Price};
use super::solvers::STRATEGIES;
use super::strategy::{self, AcceptedStrategy};
use super::table_file::{self, StoredTableError, TableTarget};
use bouton_base::limits::{LimitHit, Limits, NoProgress, Progress};
use bouton_search::game::explore::FaultyPosition;
use bouton_search::game::{Game, State};
use bouton_search::solve::additive_scores::Scores;
use bouton_search::solve::alphabeta::AlphaBeta;
use bouton_search::solve::proof_number::DFPN;
use bouton_search::solve::strong::{self, Table};
use bouton_search::solve::{Auto, Solution, SolveOptions, SolveRequest, Solver, Status};
use bouton_syntax::diag::Diagnostic;

/// The cost estimate may take one part in this number of the time, if there is a time limit.
const ESTIMATE_TIME_DIVISOR: u32 = 10;
/// A strategy that can be described without positions may take one part in this number of the time, if other methods
/// remain.
const STRATEGY_TIME_DIVISOR: u32 = 4;

/// The routes to an answer by any method.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Route {
    /// The solver of the least cost.
    #[default]
    Any,
    /// First the graph, whose labels count plies.
    GraphFirst,
    /// Only the graph, whose values of all positions are needed.
    GraphOnly,
}

/// A position to solve, with the method and the limits that the user set.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    pub game: &'a Game,
    pub state: &'a State,
    pub options: &'a SolveOptions,
    pub limits: &'a Limits,
    /// The requested method.
    pub method: &'static dyn Solver,
    pub route: Route,
    /// The description of the universe to solve; `None` for the reachable positions.
    pub universe: Option<&'a str>,
    pub user_limits: UserLimits,
}

impl<'a> Question<'a> {
    /// A question for any method on any route; the limits count as set by the user.
    pub fn new(game: &'a Game, state: &'a State, options: &'a SolveOptions, limits: &'a Limits) -> Self {
        Question {
            game,
            state,
            options,
            limits,
            method: &Auto,
            route: Route::Any,
            universe: None,
            user_limits: UserLimits::Time,
        }
    }

    fn request<'r>(&'r self, progress: &'r dyn Progress) -> SolveRequest<'r> {
        SolveRequest::new(self.game, self.state, self.options, self.limits, progress)
    }

    /// Returns true if any solver may answer.
    fn is_open(&self) -> bool {
        self.method.is(&Auto) && self.universe.is_none() && !self.options.strong
    }

    /// Returns true if a strategy, which has no values of moves and no margin, is an answer.
    fn accepts_strategy(&self) -> bool {
        self.is_open() && self.route != Route::GraphOnly && !self.options.all_moves && !self.options.margin
    }
}

/// A solution, with the strategy that it follows from if it follows from one.
pub struct Answer {
    pub solution: Solution,
    pub strategy: Option<AcceptedStrategy>,
}

impl From<Solution> for Answer {
    fn from(solution: Solution) -> Answer {
        Answer { solution, strategy: None }
    }
}

impl From<AcceptedStrategy> for Answer {
    fn from(found: AcceptedStrategy) -> Answer {
        Answer { solution: found.solution.clone(), strategy: Some(found) }
    }
}

/// A plan for the solution of a position.
pub struct Plan<'a> {
    asked: Question<'a>,
    /// The solver to begin with.
    solver: &'static dyn Solver,
    size: GameSize<'a>,
    /// The result of the search for strategies, if it is complete.
    strategy: OnceCell<Option<AcceptedStrategy>>,
}

impl<'a> Plan<'a> {
    /// Makes a plan: selects the solver to begin with.
    pub fn new(asked: Question<'a>) -> Plan<'a> {
        let share = asked.limits.with_time_share(ESTIMATE_TIME_DIVISOR);
        let size = GameSize::new(asked.game, asked.state, share);
        let picks = asked.method.is(&Auto) && asked.universe.is_none() && asked.route == Route::Any;
        let solver = if picks { pick(&asked.request(&NoProgress), &size) } else { asked.method };
        Plan { asked, solver, size, strategy: OnceCell::new() }
    }

    /// The solver to begin with.
    pub fn solver(&self) -> &'static dyn Solver {
        self.solver
    }

    /// The price of the answer, if it takes long. Within a time limit, that of all positions by whatever solver.
    fn price(&self) -> Option<Price> {
        let timed = self.asked.user_limits == UserLimits::Time;
        let solver = if timed { &Auto as &dyn Solver } else { self.solver };
        if self.asked.universe.is_some() { None } else { self.size.price(solver) }
    }

    /// The price of the answer in words, if it takes long.
    pub fn describe_price(&self, text: &mut GameSource) -> Option<Diagnostic> {
        self.size.diagnostic(&self.price()?, text)
    }

    /// Returns true if the answer is announced to take long.
    fn is_dear(&self) -> bool {
        self.asked.user_limits != UserLimits::Time && self.price().is_some()
    }

    /// Returns true if the answer is refused, since the game is too large.
    pub fn is_refused(&self) -> bool {
        self.asked.user_limits == UserLimits::None
            && self.price().is_some_and(|price| self.size.is_refused(&price))
    }

    /// Searches for a strategy that can be described without positions, unless that was done before.
    fn search_strategies(&self, limits: &Limits) -> Option<&AcceptedStrategy> {
        if self.strategy.get().is_none() {
            let found = strategy::find_best(self.asked.game, self.asked.state, limits);
            // With more time there may be one.
            if found.is_some() || limits.check().is_none() {
                return self.strategy.get_or_init(|| found).as_ref();
            }
        }
        self.strategy.get()?.as_ref()
    }

    /// A strategy that can be described without positions and gives the value, if the checker accepts one.
    pub fn strategy(&self, limits: &Limits) -> Option<&AcceptedStrategy> {
        self.search_strategies(limits).filter(|found| found.solution.status == Status::Solved)
    }

    /// Answers the question.
    pub fn run(&self, progress: &dyn Progress) -> Result<Answer, Box<FaultyPosition>> {
        match self.shortcut() {
            Some(answer) => Ok(answer),
            None => self.solve(&self.asked.request(progress)),
        }
    }

    /// Answers the question with the table of all positions in a file.
    pub fn run_on_table(&self, path: &str, progress: &dyn Progress) -> Result<Answer, StoredTableError> {
        let target = TableTarget { path, universe: self.asked.universe };
        match self.shortcut() {
            Some(answer) => Ok(answer),
            None => table_file::solve(self.asked.request(progress), target).map(Answer::from),
        }
    }

    /// An answer without visiting positions, where visiting them takes long or is refused.
    fn shortcut(&self) -> Option<Answer> {
        let asked = &self.asked;
        let wanted = asked.accepts_strategy() || self.strategy.get().is_some();
        if wanted && (!self.solver.enumerates() || self.is_dear()) {
            let share = asked.limits.with_time_share(STRATEGY_TIME_DIVISOR);
            if let Some(found) = self.strategy(&share) {
                return Some(found.clone().into());
            }
        }
        self.is_refused().then(|| self.refusal())
    }

    /// The answer for a game that is too large: a bound, if one is found without visiting positions.
    fn refusal(&self) -> Answer {
        let reason = "the game is too large to solve exactly (E0401)";
        let Question { game, state, limits, method, .. } = self.asked;
        let bound = match self.strategy.get() {
            Some(found) => found.clone(),
            None => strategy::steal::STEAL.find(game, state, limits).ok(),
        };
        match bound.filter(|found| found.solution.status == Status::Bounded) {
            Some(mut found) => {
                found.solution.reason = Some(reason.into());
                found.into()
            }
            None => Solution::unknown(method.name(), "", reason).into(),
        }
    }

    /// Solves with the selected solver as far as it applies, then with the requested method, then with what remains.
    fn solve(&self, request: &SolveRequest<'_>) -> Result<Answer, Box<FaultyPosition>> {
        let &SolveRequest { game, state, limits, .. } = request;
        let method = self.asked.method;
        if self.asked.universe.is_some() {
            return Ok(strong::solve_universe(request).into());
        }
        let picked = !self.solver.is(method);
        // A game that the solver turns out not to fit is left to the other methods.
        if picked && let Some(solution) = solve_picked(self.solver, request)? {
            return Ok(solution.into());
        }
        if let Some(strategy) = STRATEGIES.into_iter().find(|strategy| strategy.name() == method.name()) {
            return Ok(match strategy.find(game, state, limits) {
                Ok(found) => found.into(),
                Err(reason) => Solution::inapplicable(method.name(), "", reason).into(),
            });
        }
        let solution = method.solve(request)?;
        if !self.asked.is_open() || self.asked.route == Route::GraphOnly {
            return Ok(solution.into());
        }
        // There were more positions than estimated, and memory did not hold them.
        if !picked
            && solution.limit == Some(LimitHit::Memory)
            && game.compiled().is_some()
            && let Some(other) = pick_search(request, || true)
            && let Some(searched) = solve_picked(other, request)?
            && searched.status == Status::Solved
        {
            return Ok(searched.into());
        }
        // No solver may fit the game, such as one with simultaneous choices.
        let searches = self.asked.accepts_strategy() && solution.limit.is_none();
        if solution.status == Status::Unknown && (searches || self.strategy.get().is_some()) {
            let found = self.strategy(limits);
            return Ok(found.map_or_else(|| solution.into(), |found| found.clone().into()));
        }
        Ok(solution.into())
    }
}

/// Selects the solver for a position that any method may solve. If its positions are too many to enumerate: a search
/// that applies. If the values of many positions are requested: a table.
fn pick(request: &SolveRequest<'_>, size: &GameSize<'_>) -> &'static dyn Solver {
    if request.game.compiled().is_none() {
        &Auto
    } else if request.options.strong {
        if Table.applies(request).is_ok() && size.prefers_table() { &Table } else { &Auto }
    } else if size.exceeds_enumeration() {
        pick_search(request, || size.exceeds_memory()).unwrap_or(&Auto)
    } else {
        &Auto
    }
}

/// Selects a solver that does not enumerate the positions; `None` if none applies. Proof-number search is too costly if
/// memory does hold the positions.
fn pick_search(request: &SolveRequest<'_>, overflows: impl Fn() -> bool) -> Option<&'static dyn Solver> {
    let applies = |solver: &&'static dyn Solver| solver.applies(request).is_ok();
    let first: [&'static dyn Solver; 2] = [&Scores, &AlphaBeta];
    let last = || overflows().then_some(&DFPN as &dyn Solver);
    first.into_iter().find(applies).or_else(|| last().filter(applies))
}

/// Solves with a solver that the planner picked; `None` if it turned out not to apply.
fn solve_picked(
    solver: &dyn Solver,
    request: &SolveRequest<'_>,
) -> Result<Option<Solution>, Box<FaultyPosition>> {
    let mut solution = solver.solve(request)?;
    if let Some(reason) = solver.picked_reason() {
        solution.why = reason.into();
    }
    Ok(Some(solution).filter(|of| of.status != Status::Unknown || of.limit.is_some()))
}
