//! A portfolio of methods that take turns with doubling budgets, so that no wrong guess of the best method, and no wrong
//! estimate of the number of positions, costs more than a small factor.
//!
//! Technique: in each round every method continues within the budget of the round; the first one with the value ends
//! the turns. Budgets count positions and not time, so the same method wins on every machine. A search keeps its table
//! from round to round; the graph is listed anew, which costs as much again.
//! Source: Huberman, Lukose, Hogg, "An economics approach to hard computational problems" (1997) for portfolios; Luby,
//! Sinclair, Zuckerman, "Optimal speedup of Las Vegas algorithms" (1993) for growing budgets.
//! Searches are slow where positions come back, since many ways lead to a position; so the graph is listed there as a
//! whole as soon as its estimated size is not far above the budget.
//! Cost: below that of the best method times twice their number.
//! Invariant: a limit of the user ends the turns; the budget of a round never appears in the result.

use super::solvers::SEARCHES;
use bouton_base::limits::{LimitHit, Limits};
use bouton_search::game::explore::FaultyPosition;
use bouton_search::solve::{Auto, ResumableSearch, Solution, SolveRequest, Solver, Status, ValueKind};

/// The number of positions that the graph may have in the first round, on compiled rules.
const FIRST_GRAPH_POSITIONS: u64 = 200_000;
/// The same number on rules that are interpreted, at a hundredth of the speed.
const FIRST_INTERPRETED_POSITIONS: u64 = 5_000;

/// The graph of a game in which positions come back may have this many times the budget of a round, if it is expected to
/// be complete then.
const EXPECTED_GRAPH_FACTOR: u64 = 8;

/// The number of moves of a position up to which it has the usual cost.
const USUAL_MOVES: u64 = 16;
/// The number of values of a circuit up to which a move has the usual cost.
const USUAL_VALUES: u64 = 1_000;
/// The graph may take one part in this number of the memory, as long as searches hold tables besides it.
const GRAPH_MEMORY_DIVISOR: u64 = 2;
/// Each search may take one part in this number of the memory.
const SEARCH_MEMORY_DIVISOR: u64 = 4;

/// A search of the portfolio that has no answer yet.
struct OpenSearch<'p> {
    solver: &'static dyn Solver,
    /// The number of positions that it visits in the time in which the graph takes in one.
    rate: u64,
    search: Box<dyn ResumableSearch + 'p>,
}

/// The methods that may solve a position, with what they know so far.
pub struct Portfolio<'p> {
    request: &'p SolveRequest<'p>,
    searches: Vec<OpenSearch<'p>>,
    /// True if the graph may still be completed within the memory limit.
    lists_graph: bool,
    /// The expected number of positions of the graph, if searches are likely to be slow.
    expected: Option<u64>,
    /// The budget of the last round, in positions of the graph.
    budget: u64,
    /// The best result without a value so far.
    best: Option<Solution>,
}

/// The state of a portfolio after some rounds.
pub enum Turns {
    /// A method has the value, or no method can continue: the result.
    Ended(Box<Solution>),
    /// The methods can continue.
    Open,
}

/// The number of positions to list before other methods: a share of [`first_budget`] that is the smaller the more the
/// circuit computes for a move.
pub fn first_listing(request: &SolveRequest<'_>) -> u64 {
    let values = request.game.compiled().map_or(0, |machine| machine.runner().circuit().values.len() as u64);
    first_budget(request) * USUAL_VALUES / values.max(USUAL_VALUES)
}

/// The unit of all budgets: the number of positions that the graph of the first round may have. A position costs the
/// more the more moves it has, so there are fewer of them where the first position has many.
pub fn first_budget(request: &SolveRequest<'_>) -> u64 {
    let most = match request.game.compiled() {
        Some(_) => FIRST_GRAPH_POSITIONS,
        None => FIRST_INTERPRETED_POSITIONS,
    };
    let bounded = request.game.with_limits(request.limits);
    let moves = bounded.machine.successors(request.state).map_or(0, |moves| moves.len() as u64);
    most * USUAL_MOVES / moves.max(USUAL_MOVES)
}

/// The limits of each search of a portfolio.
pub fn search_limits(limits: &Limits) -> Limits {
    let memory_bytes = limits.memory_bytes.map(|bytes| bytes / SEARCH_MEMORY_DIVISOR);
    Limits { memory_bytes, ..limits.clone() }
}

/// Solves a position by its graph of at most this many positions. The result is `None` if there are more and their
/// values matter.
pub fn solve_small(
    request: &SolveRequest<'_>,
    positions: u64,
) -> Result<Option<Solution>, Box<FaultyPosition>> {
    let within = request.limits.positions.is_none_or(|most| positions < most);
    let limits = Limits {
        positions: Some(request.limits.positions.map_or(positions, |most| most.min(positions))),
        ..request.limits.clone()
    };
    let solution = Auto.solve(&SolveRequest { limits: &limits, ..*request })?;
    let cut = within && (solution.limit == Some(LimitHit::Positions) || lacks_plies(request, &solution));
    Ok(Some(solution).filter(|_| !cut))
}

/// Returns true if plies are wanted and an open graph tells the winner without them.
fn lacks_plies(request: &SolveRequest<'_>, solution: &Solution) -> bool {
    let is_open = solution.table.as_ref().is_some_and(|table| !table.is_complete());
    let is_won = solution.value.as_ref().is_some_and(|value| matches!(value.kind, ValueKind::Win(_)));
    request.options.count_plies && is_open && is_won && solution.remoteness.is_none()
}

impl<'p> Portfolio<'p> {
    /// Prepares all methods that apply; `share` is the request with the limits of each search, `expected` the number of
    /// positions of the graph where searches are likely to be slow.
    pub fn new(
        request: &'p SolveRequest<'p>,
        share: &'p SolveRequest<'p>,
        expected: Option<u64>,
    ) -> Portfolio<'p> {
        let prepared = |(solver, rate): (&'static dyn Solver, u64)| {
            let search = solver.resumable(share)?;
            Some(OpenSearch { solver, rate, search })
        };
        let plies = request.options.count_plies;
        let fits = |solver: &&'static dyn Solver| !plies || solver.counts_plies();
        let searches = match request.game.compiled() {
            Some(_) => SEARCHES.into_iter().filter(|(solver, _)| fits(solver)).filter_map(prepared).collect(),
            None => Vec::new(),
        };
        let budget = first_budget(request);
        Portfolio { request, searches, lists_graph: true, expected, budget, best: None }
    }

    /// Returns true if a search may find the value without visiting all positions.
    pub fn searches(&self) -> bool {
        !self.searches.is_empty()
    }

    /// Runs this many rounds, or until one has the value or no method can continue.
    pub fn run(&mut self, rounds: u32) -> Result<Turns, Box<FaultyPosition>> {
        for _ in 0..rounds {
            if self.searches.is_empty() {
                return self.list_all().map(|solution| Turns::Ended(Box::new(solution)));
            }
            self.budget = self.budget.saturating_mul(2);
            if let Some(solution) = self.round()? {
                return Ok(Turns::Ended(Box::new(solution)));
            }
        }
        Ok(Turns::Open)
    }

    /// Lists the graph without a budget, after all searches have ended.
    fn list_all(&mut self) -> Result<Solution, Box<FaultyPosition>> {
        if let Some(ended) = self.best.take_if(|best| best.limit.is_some_and(|hit| hit != LimitHit::Memory)) {
            return Ok(ended);
        }
        let solution = Auto.solve(self.request)?;
        let best = self.best.take().filter(|_| solution.status == Status::Unknown);
        Ok(best.filter(|best| best.status == Status::Bounded).unwrap_or(solution))
    }

    /// Runs one round; returns the result if the turns are over.
    fn round(&mut self) -> Result<Option<Solution>, Box<FaultyPosition>> {
        let mut open = Vec::with_capacity(self.searches.len());
        for mut one in std::mem::take(&mut self.searches) {
            let Some(mut solution) = one.search.resume((self.budget / 2).saturating_mul(one.rate))? else {
                open.push(one);
                continue;
            };
            if let Some(reason) = one.solver.picked_reason() {
                solution.why = reason.into();
            }
            if self.ends(&solution) {
                return Ok(Some(solution));
            }
            self.keep(solution);
        }
        self.searches = open;
        if self.lists_graph && !self.searches.is_empty() {
            let memory_bytes = self.request.limits.memory_bytes.map(|bytes| bytes / GRAPH_MEMORY_DIVISOR);
            let limits = Limits { memory_bytes, ..self.request.limits.clone() };
            let within = self.budget.saturating_mul(EXPECTED_GRAPH_FACTOR);
            let expected = self.expected.filter(|expected| (self.budget..=within).contains(expected));
            let positions = expected.unwrap_or(self.budget);
            match solve_small(&SolveRequest { limits: &limits, ..*self.request }, positions)? {
                Some(solution) if self.ends(&solution) => return Ok(Some(solution)),
                Some(solution) => {
                    self.lists_graph = false;
                    self.keep(solution);
                }
                None => {}
            }
        }
        Ok(None)
    }

    /// Returns true if a result ends the turns: it has the value, or a limit that holds for every method was reached.
    fn ends(&self, solution: &Solution) -> bool {
        let over = matches!(solution.limit, Some(LimitHit::Time | LimitHit::Interrupted));
        solution.status == Status::Solved || over
    }

    /// Keeps a result without a value if it says more than the one before.
    fn keep(&mut self, solution: Solution) {
        if self.best.as_ref().is_none_or(|best| best.status == Status::Unknown) {
            self.best = Some(solution);
        }
    }
}
