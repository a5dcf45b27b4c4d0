//! The planner: determines the value of a position by the methods that fit it, within the same limits. All commands
//! reach their answers this way: few positions are listed; if there are more, a strategy that can be stated as a whole
//! is searched for; then the methods take turns.
//!
//! *Invariants:* the number of reachable positions is estimated at most once for a plan, and strategies are searched
//! for at most once, unless a limit ended the search.

mod question;
mod single_player;

pub use question::{Answer, Goal, Question, Route};
use single_player::{MAX_REFUSED_PLAN_POSITIONS, PLAN_TIME_DIVISOR};

use std::cell::{Cell, OnceCell};
use std::time::Duration;

use super::budget::UserLimits;
use super::load::GameSource;
use super::portfolio::{self, Portfolio, Turns};
use super::size::{GameSize, Price};
use super::solvers::STRATEGIES;
use super::strategy::product::PRODUCT;
use super::strategy::sums::MIN_POSITIONS_PER_PART;
use super::strategy::{self, AcceptedStrategy};
use super::table_file::{self, StoredTableError, TableTarget};
use bouton_base::clock::Instant;
use bouton_base::limits::{LimitHit, Limits, NoProgress, Progress};
use bouton_rules::{MOVER, Move, Rules, ToMove};
use bouton_search::game::explore::FaultyPosition;
use bouton_search::solve::additive_scores::Scores;
use bouton_search::solve::bounded_win::{self, BoundedWin};
use bouton_search::solve::nimber::Grundy;
use bouton_search::solve::planning::ASTAR;
use bouton_search::solve::strong::{self, Table};
use bouton_search::solve::{Auto, Solution, SolveRequest, Solver, Status, ValueKind, WrittenMove};
use bouton_syntax::diag::Diagnostic;

/// The cost estimate may take one part in this number of the time, if there is a time limit.
const ESTIMATE_TIME_DIVISOR: u32 = 10;
/// Few positions are listed within one part in this number of the time, so that strategies are tried in any case.
const LISTING_TIME_DIVISOR: u32 = 4;
/// A strategy that can be described without positions may take one part in this number of the time, if other methods
/// remain. Where the positions are too many for them, this part is left to the methods, and strategies take the rest.
const STRATEGY_TIME_DIVISOR: u32 = 4;
/// The same where something is hidden.
const HIDDEN_STRATEGY_DIVISOR: u32 = 16;
/// The number of instances of all moves up to which a strategy is searched for besides a value that is known: the rules
/// are then written out in milliseconds.
const MAX_EXTRA_INSTANCES: usize = 1000;
/// The time limit of that search, which only rules with very long conditions reach.
const EXTRA_STRATEGY_TIME: Duration = Duration::from_secs(20);
/// That search evaluates so many different parts of positions in any case.
const MIN_EXTRA_PARTS: u64 = 200;
/// The number of rounds of the methods in turns that take about a second: longer work is announced, and refused if the
/// game is too large.
const SHORT_ROUNDS: u32 = 2;
/// The number of rounds in which moves are searched for if a strategy shows who wins and not how, and the user set no
/// time limit.
const MOVES_ROUNDS: u32 = 3;
/// The maximal number of plies of a win whose strategy is searched for besides a graph up to symmetry.
const MAX_SHORT_WIN_PLIES: u32 = 15;
/// The maximal number of positions that this search visits.
const MAX_SHORT_WIN_POSITIONS: u64 = 100_000;
/// A search for a win within some plies visits one part in this number of the positions that would be listed, before
/// they are.
const SHORT_SEARCH_DIVISOR: u64 = 8;
/// Games played side by side are recognized before more than one part in this number of the positions that would be
/// listed: each has few, and together they have the product.
const COMPOUND_LISTING_DIVISOR: u64 = 64;
/// The time limit of that search.
const COMPOUND_TIME: Duration = Duration::from_secs(2);
/// If a game will be refused, the list of its first positions is shorter by this factor.
const REFUSED_DIVISOR: u64 = 8;
/// A search for a plan that comes before strategies expands one part in this number of the positions that are listed
/// first.
const FIRST_PLAN_DIVISOR: u64 = 2;
/// The search for moves, if a strategy shows who wins and not how, may take one part in this number of the time.
const MOVES_TIME_DIVISOR: u32 = 2;

/// A plan for the solution of a position.
pub struct Plan<'a> {
    asked: Question<'a>,
    size: GameSize<'a>,
    /// The result of the search for strategies, if it is complete.
    strategy: OnceCell<Option<AcceptedStrategy>>,
    /// True if the answer was refused.
    refused: Cell<bool>,
}

type Answered = Result<Answer, Box<FaultyPosition>>;

/// Names this move first among the best ones, if it is one of them, or if others were not searched.
fn with_best_move_first(mut solution: Solution, first: &WrittenMove) -> Solution {
    match solution.best_moves.iter().position(|best| best.written == first.written) {
        Some(at) => solution.best_moves[..=at].rotate_right(1),
        None if solution.best_moves_complete || solution.remoteness.is_some() => {}
        None => solution.best_moves.insert(0, first.clone()),
    }
    solution
}

impl<'a> Plan<'a> {
    /// Makes a plan.
    pub fn new(asked: Question<'a>) -> Plan<'a> {
        let share = asked.limits.with_time_share(ESTIMATE_TIME_DIVISOR);
        let size = GameSize::new(asked.game, asked.state, share);
        Plan { asked, size, strategy: OnceCell::new(), refused: Cell::new(false) }
    }

    /// The solver that visits the positions, if any method may answer: a table if the values of many are requested.
    fn listing_solver(&self) -> &'static dyn Solver {
        let Question { method, game, universe, options, .. } = self.asked;
        let many =
            options.strong && universe.is_none() && method.is(&Auto) && self.asked.route() == Route::Any;
        let tabled = || Table.applies(&self.asked.request(&NoProgress)).is_ok() && self.size.prefers_table();
        if many && game.compiled().is_some() && tabled() { &Table } else { method }
    }

    /// The price of the answer, if it takes long. Within a time limit, that of all positions by whatever solver; a
    /// search for a shortest plan, which is then the last method, visits few of them.
    fn price(&self) -> Option<Price> {
        let timed = self.asked.user_limits == UserLimits::Time;
        let plans = || {
            self.asked.is_open()
                && self.asked.route() == Route::Any
                && ASTAR.applies(&self.asked.request(&NoProgress)).is_ok()
        };
        let solver: &dyn Solver = match timed {
            true if plans() => &ASTAR,
            true => &Auto,
            false => self.listing_solver(),
        };
        if self.asked.universe.is_some() { None } else { self.size.price(solver) }
    }

    /// The price of the answer in words, if it takes long.
    pub fn describe_price(&self, text: &mut GameSource) -> Option<Diagnostic> {
        self.size.diagnostic(&self.price()?, text)
    }

    /// Returns true if the answer was refused, since the game is too large.
    pub fn is_refused(&self) -> bool {
        self.refused.get()
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

    /// The strategy that was found before, if it gives the value and the goal is not the margin.
    fn known_strategy(&self) -> Option<&AcceptedStrategy> {
        let found = self.strategy.get()?.as_ref()?;
        Some(found).filter(|found| found.solution.status == Status::Solved && !self.asked.options.margin)
    }

    /// Answers the question.
    pub fn run(&self, progress: &dyn Progress) -> Answered {
        self.run_announced(progress, &mut || {})
    }

    /// Answers the question; calls `announce` before work that takes longer than about a second.
    pub fn run_announced(&self, progress: &dyn Progress, announce: &mut dyn FnMut()) -> Answered {
        let request = self.asked.request(progress);
        let answer = match self.asked.goal {
            Goal::Nimber => self.nimber(&request)?,
            _ if let Some(plies) = self.asked.within => self.within(&request, plies)?,
            _ if self.asked.is_open() && self.asked.route() == Route::Any => self.any(&request, announce)?,
            _ => {
                announce();
                match self.refusal() {
                    Some(refused) => refused,
                    None => self.solve(&request)?,
                }
            }
        };
        Ok(self.with_strategy(self.with_short_win(answer, &request)).without_contradiction())
    }

    /// Answers the question with the table of all positions in a file.
    pub fn run_on_table(
        &self,
        path: &str,
        progress: &dyn Progress,
        announce: &mut dyn FnMut(),
    ) -> Result<Answer, StoredTableError> {
        announce();
        let target = TableTarget { path, universe: self.asked.universe };
        match self.refusal() {
            Some(answer) => Ok(answer),
            None => table_file::solve(self.asked.request(progress), target).map(Answer::from),
        }
    }

    /// Adds the strategy of a win in few plies, if the graph that shows it has one position for each symmetry class: such
    /// a graph gives no certificate.
    fn with_short_win(&self, answer: Answer, request: &SolveRequest<'_>) -> Answer {
        let Solution { folded, remoteness, ref value, .. } = answer.solution;
        let (Some(plies), Some(ValueKind::Win(winner))) =
            (remoteness, value.as_ref().map(|value| value.kind))
        else {
            return answer;
        };
        if !folded || self.asked.options.strong || plies > MAX_SHORT_WIN_PLIES {
            return answer;
        }
        let share = request.limits.with_time_share(STRATEGY_TIME_DIVISOR);
        let request = SolveRequest { limits: &share, ..*request };
        match bounded_win::search(&request, &[winner], plies, MAX_SHORT_WIN_POSITIONS) {
            BoundedWin::Wins(found) if found.remoteness == remoteness => {
                Answer { solution: Solution { replies: found.replies, ..answer.solution }, ..answer }
            }
            _ => answer,
        }
    }

    /// Adds a strategy in words that gives the same value, if one is soon found and play is the goal.
    fn with_strategy(&self, answer: Answer) -> Answer {
        let Question { game, state, goal, options, universe, limits, .. } = self.asked;
        let plain =
            goal == Goal::Play && !options.margin && universe.is_none() && self.asked.method.is(&Auto);
        let known = answer.strategy.is_some() || answer.solution.status != Status::Solved;
        // What proves a strategy in words shows that play ends by itself.
        let loops = || answer.solution.table.as_ref().is_some_and(|graph| graph.has_cycles());
        // Where the game is over nobody needs a strategy, and to write out its rules may take long.
        let is_over = || matches!(game.machine.turn(state), Ok(ToMove::Terminal(_)));
        if !plain
            || known
            || is_over()
            || loops()
            || instances(&game.rules) > MAX_EXTRA_INSTANCES && self.strategy.get().is_none()
        {
            return answer;
        }
        let share = limits.with_time_share(STRATEGY_TIME_DIVISOR);
        let soon = Instant::now().checked_add(EXTRA_STRATEGY_TIME);
        let deadline = [share.deadline, soon].into_iter().flatten().min();
        // Nearly as many parts as there are positions are no rule.
        let listed = answer.solution.table.as_ref().map(|_| answer.solution.positions);
        let positions = listed.map(|listed| (listed / MIN_POSITIONS_PER_PART).max(MIN_EXTRA_PARTS));
        let found = self.strategy(&Limits { deadline, positions, ..share });
        let same = |found: &AcceptedStrategy| found.is_rule && found.solution.value == answer.solution.value;
        let fits = |found: &&AcceptedStrategy| same(found) || found.contradicts(&answer.solution);
        let strategy = found.filter(fits).cloned();
        // A strategy that only shows who wins names no move.
        let tells_moves = strategy.as_ref().filter(|found| same(found) && found.names_moves);
        let opening = tells_moves.and_then(|found| found.solution.best_moves.first()).cloned();
        let solution = match opening {
            Some(opening) => with_best_move_first(answer.solution, &opening),
            None => answer.solution,
        };
        Answer { solution, strategy }
    }

    /// Returns true if the game is too large, by the estimate, and the user set no limits.
    fn would_refuse(&self) -> bool {
        let refused = |price: &Price| self.size.is_refused(price);
        self.asked.user_limits == UserLimits::None && self.price().as_ref().is_some_and(refused)
    }

    /// The answer for a game that is too large: a bound, if one is found without visiting positions. `None` if the game
    /// is not refused.
    fn refusal(&self) -> Option<Answer> {
        if !self.would_refuse() {
            return None;
        }
        self.refused.set(true);
        let reason = "the game is too large to solve exactly (E0401)";
        let Question { game, state, limits, method, .. } = self.asked;
        let bound = match self.strategy.get() {
            Some(found) => found.clone(),
            None => strategy::steal::STEAL.find(game, state, limits).ok(),
        };
        Some(match bound.filter(|found| found.solution.status == Status::Bounded) {
            Some(mut found) => {
                found.solution.reason = Some(reason.into());
                found.into()
            }
            None => Solution::unknown(method.name(), "", reason).into(),
        })
    }

    /// Determines the nimber: of a position with few successors by its graph, of others as a sum if it is one, or 0
    /// by a strategy against the player to move.
    fn nimber(&self, request: &SolveRequest<'_>) -> Answered {
        let few = portfolio::first_listing(request);
        let positions = request.limits.positions.map_or(few, |most| most.min(few));
        let limits = Limits { positions: Some(positions), ..request.limits.clone() };
        let listed = Grundy.solve(&SolveRequest { limits: &limits, ..*request })?;
        if listed.limit != Some(LimitHit::Positions) {
            return Ok(listed.into());
        }
        let part = || request.limits.with_time_share(STRATEGY_TIME_DIVISOR);
        if let Some(found) = self.strategy(&part()) {
            if found.solution.nimber.is_some() {
                return Ok(found.clone().into());
            }
            if self.mover_loses(found) && strategy::has_nimbers(request.game, request.limits) {
                let solution = Solution { nimber: Some(0), ..found.solution.clone() };
                return Ok(AcceptedStrategy { solution, ..found.clone() }.into());
            }
            // The strategy may have come before sums.
            if let Ok(found) = strategy::sums::NIM.find(request.game, request.state, &part())
                && found.solution.nimber.is_some()
            {
                return Ok(found.into());
            }
        }
        Ok(Grundy.solve(request)?.into())
    }

    /// Returns true if a strategy gives the win to the player who is not to move.
    fn mover_loses(&self, found: &AcceptedStrategy) -> bool {
        let mover = self.asked.game.machine.read(self.asked.state, MOVER, 0).as_sym();
        let winner = found.solution.value.as_ref().map(|value| value.kind);
        mover.is_some_and(|mover| winner == Some(ValueKind::Win(1 - mover.min(1))))
    }

    /// Answers by any method: lists few positions, searches for a strategy, and lets the methods take turns.
    fn any(&self, request: &SolveRequest<'_>, announce: &mut dyn FnMut()) -> Answered {
        // Of a game that will be refused, only a start is listed.
        let refused = self.would_refuse();
        let few = portfolio::first_listing(request) / if refused { REFUSED_DIVISOR } else { 1 };
        // Where something is hidden, positions say little, and hardly any strategy in words applies: the first answer
        // is the last one.
        let is_hidden = request.game.rules.has_hidden_information();
        let part = if is_hidden {
            request.limits.without_time_share(HIDDEN_STRATEGY_DIVISOR)
        } else {
            request.limits.with_time_share(LISTING_TIME_DIVISOR)
        };
        if let Some(answer) = self.by_compound(request, few)? {
            return Ok(answer);
        }
        let listed = match portfolio::solve_small(&SolveRequest { limits: &part, ..*request }, few)? {
            Some(listed) if listed.status == Status::Solved => return Ok(listed.into()),
            // Memory, and the rest of the time, may suffice for other methods.
            Some(listed) if listed.limit == Some(LimitHit::Memory) => None,
            Some(listed) if is_hidden => Some(listed),
            Some(listed) if listed.limit == Some(LimitHit::Time) && request.limits.check().is_none() => None,
            // The part of the time was over before the value was exact.
            Some(_) if part.check() == Some(LimitHit::Time) && request.limits.check().is_none() => None,
            Some(listed) if listed.limit.is_some() => return Ok(listed.into()),
            listed => listed,
        };
        if let Some(solution) = self.shortest_plan(request, few / FIRST_PLAN_DIVISOR)? {
            return Ok(solution.into());
        }
        let share = self.strategy_limits(request.limits);
        let accepts = self.asked.accepts_strategy();
        // The values of all moves do not follow from a strategy, but one that is known already is better than nothing.
        let known = if accepts { self.strategy(&share) } else { self.known_strategy() };
        if let Some(found) =
            known.filter(|found| accepts && (found.names_moves || self.asked.goal != Goal::Play))
        {
            return Ok(found.clone().into());
        }
        match (listed, known) {
            (None, None) => {}
            (None, Some(found)) => return self.with_moves(request, found),
            // No method that visits positions fits the game, such as one with simultaneous choices.
            (Some(_), Some(found)) => return Ok(found.clone().into()),
            (Some(solution), None) => return Ok(solution.into()),
        }
        // A plan says the value where the values of all moves take too long.
        let planned = match self.plan_beside_other_moves(request, refused)? {
            Some(solution) if refused => return Ok(solution.into()),
            planned => planned,
        };
        // The rest of the time is for the proof of the plan.
        let part = request.limits.with_time_share(PLAN_TIME_DIVISOR);
        let limits = if planned.is_some() { &part } else { request.limits };
        let answer = self.by_visiting(&SolveRequest { limits, ..*request }, refused, announce)?;
        Ok(match planned {
            Some(solution) if answer.solution.status != Status::Solved => solution.into(),
            _ => answer,
        })
    }

    /// Answers where very few positions are reachable, or where games are played side by side, each with few positions.
    fn by_compound(
        &self,
        request: &SolveRequest<'_>,
        few: u64,
    ) -> Result<Option<Answer>, Box<FaultyPosition>> {
        let game = self.asked.game;
        let applies = self.asked.accepts_strategy() && !game.rules.has_hidden_information();
        if !applies || instances(&game.rules) > MAX_EXTRA_INSTANCES {
            return Ok(None);
        }
        let part = request.limits.with_time_share(2 * LISTING_TIME_DIVISOR);
        let few = few / COMPOUND_LISTING_DIVISOR;
        let listed = portfolio::solve_small(&SolveRequest { limits: &part, ..*request }, few)?;
        // With more positions there may be plies, which an open graph does not have.
        let is_whole = |listed: &Solution| listed.table.as_ref().is_none_or(|table| table.is_complete());
        if let Some(listed) = listed.filter(|listed| listed.status == Status::Solved && is_whole(listed)) {
            return Ok(Some(listed.into()));
        }
        let share = request.limits.with_time_share(STRATEGY_TIME_DIVISOR);
        let soon = Instant::now().checked_add(COMPOUND_TIME);
        let deadline = [share.deadline, soon].into_iter().flatten().min();
        let limits = Limits { deadline, ..share };
        Ok(PRODUCT.find(game, self.asked.state, &limits).ok().map(Answer::from))
    }

    /// Answers by methods that visit positions: a search for a shortest plan, a table of scores, and all methods in turn.
    fn by_visiting(&self, request: &SolveRequest<'_>, refused: bool, announce: &mut dyn FnMut()) -> Answered {
        let planned = match refused {
            true => self.shortest_plan(request, MAX_REFUSED_PLAN_POSITIONS)?,
            false => self.plan_in_turns(request)?,
        };
        if let Some(solution) = planned {
            return Ok(solution.into());
        }
        if let Some(answer) = self.refusal().filter(|_| refused) {
            announce();
            return Ok(answer);
        }
        if Scores.applies(request).is_ok()
            && let Some(solution) = solve_picked(&Scores, request)?
        {
            return Ok(solution.into());
        }
        let limits = portfolio::search_limits(request.limits);
        let share = SolveRequest { limits: &limits, ..*request };
        let mut portfolio = Portfolio::new(request, &share, self.size.positions_with_cycles());
        let short = if portfolio.searches() { SHORT_ROUNDS } else { 0 };
        if let Turns::Ended(solution) = portfolio.run(short)? {
            return Ok(self.or_strategy(*solution));
        }
        // A search may visit few of many positions.
        if !portfolio.searches() || self.price().is_some_and(|price| !self.size.is_searchable(&price)) {
            announce();
        }
        Ok(match portfolio.run(u32::MAX)? {
            Turns::Ended(solution) => self.or_strategy(*solution),
            Turns::Open => self.or_strategy(Solution::unknown(Auto.name(), "", "all methods have ended")),
        })
    }

    /// The limits of strategies that come before other methods: the smaller part of the time where these may answer as
    /// well, and the larger one where the positions are too many for them.
    fn strategy_limits(&self, limits: &Limits) -> Limits {
        let hopeless = self.price().is_some_and(|price| !self.size.is_searchable(&price));
        if limits.deadline.is_some() && hopeless {
            limits.without_time_share(STRATEGY_TIME_DIVISOR)
        } else {
            limits.with_time_share(STRATEGY_TIME_DIVISOR)
        }
    }

    /// A strategy within the time that the methods left, if they gave up before it was over and the first search for
    /// strategies was cut short; otherwise the solution.
    fn or_strategy(&self, solution: Solution) -> Answer {
        let limits = self.asked.limits;
        let open = self.strategy.get().is_none() && self.asked.accepts_strategy();
        if solution.status == Status::Solved || !open || limits.check().is_some() {
            return solution.into();
        }
        self.strategy(limits).map_or_else(|| solution.into(), |found| found.clone().into())
    }

    /// The solution by the graph of few positions, if it shows the plies of a win.
    fn listed_with_plies(&self, request: &SolveRequest<'_>) -> Result<Option<Solution>, Box<FaultyPosition>> {
        let listed = portfolio::solve_small(request, portfolio::first_listing(request))?;
        // Not every graph with open positions counts the plies.
        Ok(listed.filter(|listed| match listed.value.as_ref().map(|value| value.kind) {
            Some(ValueKind::Win(_)) => listed.remoteness.is_some(),
            Some(ValueKind::Draw) => true,
            // Of payoffs, the graph does not say who wins.
            _ => false,
        }))
    }

    /// Searches for the shortest win of one of these players within some plies: shortly, then by the graph of few
    /// positions, then as long as the limits allow. The inner error is the solution if the graph has it.
    pub fn win_within(
        &self,
        players: &[u32],
        plies: u32,
        progress: &dyn Progress,
    ) -> Result<Result<BoundedWin, Solution>, Box<FaultyPosition>> {
        let request = self.asked.request(progress);
        let few = portfolio::first_budget(&request) / SHORT_SEARCH_DIVISOR;
        let found = bounded_win::search(&request, players, plies, few);
        if let BoundedWin::Wins(_) = found {
            return Ok(Ok(found));
        }
        // The graph also says who wins instead.
        Ok(match (self.listed_with_plies(&request)?, found) {
            (Some(listed), _) => Err(listed),
            (None, BoundedWin::Unknown(_)) => Ok(bounded_win::search(&request, players, plies, u64::MAX)),
            (None, found) => Ok(found),
        })
    }

    /// Determines if a player can force a win within some plies.
    fn within(&self, request: &SolveRequest<'_>, plies: u32) -> Answered {
        let solution = match self.win_within(&[0, 1], plies, request.progress)? {
            Ok(BoundedWin::Wins(found) | BoundedWin::NoWin(found) | BoundedWin::Unknown(found)) => *found,
            Err(listed) if listed.remoteness.is_some_and(|least| least <= plies) => listed,
            Err(listed) => {
                let reason = format!("nobody can force a win within {plies} plies");
                let Solution { method, positions, memory_bytes, .. } = listed;
                let unknown = Solution::unknown(method, "", reason);
                Solution { no_win_within: Some(plies), positions, memory_bytes, ..unknown }
            }
        };
        Ok(solution.into())
    }

    /// Searches for moves to play, if a strategy shows the value and names none: within a part of the time, or
    /// shortly if the user set no time limit.
    fn with_moves(&self, request: &SolveRequest<'_>, theorem: &AcceptedStrategy) -> Answered {
        let timed = self.asked.user_limits == UserLimits::Time;
        let part = request.limits.with_time_share(MOVES_TIME_DIVISOR);
        let request = SolveRequest { limits: &part, ..*request };
        let limits = portfolio::search_limits(&part);
        let share = SolveRequest { limits: &limits, ..request };
        let turns = Portfolio::new(&request, &share, self.size.positions_with_cycles()).run(if timed {
            u32::MAX
        } else {
            MOVES_ROUNDS
        })?;
        Ok(match turns {
            Turns::Ended(solution)
                if solution.value == theorem.solution.value || theorem.contradicts(&solution) =>
            {
                Answer { solution: *solution, strategy: Some(theorem.clone()) }
            }
            _ => theorem.clone().into(),
        })
    }

    /// Solves with the requested method, or by the graph, and then with what remains.
    fn solve(&self, request: &SolveRequest<'_>) -> Answered {
        let &SolveRequest { game, state, limits, .. } = request;
        if self.asked.universe.is_some() {
            return Ok(strong::solve_universe(request).into());
        }
        let (method, solver) = (self.asked.method, self.listing_solver());
        // A game that the solver turns out not to fit is left to the requested method.
        if !solver.is(method)
            && let Some(solution) = solve_picked(solver, request)?
        {
            return Ok(solution.into());
        }
        if let Some(strategy) = STRATEGIES.into_iter().find(|strategy| strategy.name() == method.name()) {
            return Ok(match strategy.find(game, state, limits) {
                Ok(found) => found.into(),
                Err(reason) => Solution::inapplicable(method.name(), "", reason).into(),
            });
        }
        let solution = method.solve(request)?;
        if !self.asked.is_open() || self.asked.route() == Route::GraphOnly {
            return Ok(solution.into());
        }
        // Memory did not hold the positions.
        if solution.limit == Some(LimitHit::Memory) {
            let limits = portfolio::search_limits(request.limits);
            let share = SolveRequest { limits: &limits, ..*request };
            let mut portfolio = Portfolio::new(request, &share, self.size.positions_with_cycles());
            if portfolio.searches()
                && let Turns::Ended(searched) = portfolio.run(u32::MAX)?
                && searched.status == Status::Solved
            {
                return Ok((*searched).into());
            }
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

/// The number of instances of all moves, legal or not.
fn instances(rules: &Rules) -> usize {
    let of = |made: &Move| made.params.iter().fold(1usize, |n, param| n.saturating_mul(param.values.len()));
    rules.moves.iter().map(of).fold(0, usize::saturating_add)
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

#[cfg(test)]
mod tests;
