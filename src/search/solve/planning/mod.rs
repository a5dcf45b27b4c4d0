//! Plans: the fewest moves in which a single player wins, by search with lower bounds derived from the rules.
//!
//! Technique: A* on packed positions, with pattern databases as lower bounds. The databases and the search get larger in
//! stages, so that easy puzzles cost little; before the last stages, a greedy search finds a plan, which bounds the
//! length from above. Where A* has filled the memory, IDA* goes on from its lower bound.
//! Source: Hart, Nilsson, Raphael (1968) for A*; Korf (1985) for IDA*; Culberson and Schaeffer (1998), Korf and Felner
//! (2002) for pattern databases.
//! Cost: the positions of the databases, and those whose bound does not exclude a shorter plan.
//! Invariant: the plan is played by the rules before it is reported; a limit gives bounds, never a guess.
//! Not taken: landmarks, and bounds that only some puzzles have (linear conflicts), which databases subsume.

mod abstraction;
mod astar;
mod batch;
mod counting;
mod database;
mod ida_star;
mod pattern;
mod proof;
mod task;

use bouton_base::rational::Rational;
use bouton_base::words::group_digits;

use super::value::{StrategyAnswer, StrategyReplies};
use super::{
    Inapplicable, PlanBounds, Solution, SolveRequest, Solver, Status, Value, ValueKind, WrittenMove,
};
use crate::game::explore::FaultyPosition;
use crate::game::{State, ToMove};
use abstraction::{Layout, Partition};
use astar::{AStar, Bounds, SearchOptions, SearchResult};
use bouton_base::limits::LimitHit;
use bouton_certificates::DistanceLemma;
use counting::CountingBound;
use database::Databases;
use ida_star::IdaStar;
use pattern::Structure;
use task::PlanningTask;
pub use task::misfit;

/// The stages of a search: the maximal number of positions of a database, and of positions to expand.
const STAGES: [(usize, u64); 4] =
    [(20_000, 5_000), (200_000, 100_000), (2_000_000, 1_000_000), (10_000_000, u64::MAX)];
/// The share of the positions of the next stage's databases that a search expands first, where larger databases did not
/// raise the bound of the first position.
const STALLED_SHARE: u64 = 4;
/// The stage before which a greedy search looks for a plan.
const GREEDY_STAGE: usize = 2;
/// The weight of the bound in the greedy search.
const GREEDY_WEIGHT: u32 = 4;
/// The maximal number of positions that the greedy search expands.
const GREEDY_POSITIONS: u64 = 300_000;

/// A search for a shortest plan, with pattern databases.
pub struct Planner {
    name: &'static str,
    aliases: &'static [&'static str],
    description: &'static str,
    order: SearchOrder,
}

/// A* with pattern databases, and IDA* where the memory is full.
pub const ASTAR: Planner = Planner {
    name: "astar",
    aliases: &["plan"],
    description: "A* with pattern databases: the fewest moves of a single player",
    order: SearchOrder::BestFirst,
};

/// IDA* with pattern databases.
pub const IDA_STAR: Planner = Planner {
    name: "ida-star",
    aliases: &[],
    description: "IDA* with pattern databases: the fewest moves of a single player, in little memory",
    order: SearchOrder::DepthFirst,
};

/// The order in which a search expands positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SearchOrder {
    /// A*: holds all positions.
    BestFirst,
    /// IDA*: holds a path, and a table.
    DepthFirst,
}

/// The lower bound of the moves to a win with which A* begins.
pub struct PlanLengthBound {
    task: PlanningTask,
    layout: Layout,
    databases: Databases,
    counting: CountingBound,
    /// Scratch space.
    coarse: Vec<u64>,
}

impl PlanLengthBound {
    /// Derives the bound from the rules, for the positions that can be reached.
    pub fn new(request: &SolveRequest<'_>) -> Result<PlanLengthBound, Inapplicable> {
        let task = PlanningTask::new(request)?;
        let identity = Partition::identity(&task.possible);
        let layout = Layout::new(&identity);
        let counting = CountingBound::new(&task, &identity);
        let structure = Structure::of(&task);
        let databases = Databases::new(&task, &structure, &layout, STAGES[0].0, request.limits)?;
        Ok(PlanLengthBound { task, layout, databases, counting, coarse: Vec::new() })
    }

    /// Returns the bound of a position, given the values of its cells; `None` if no win can be reached from it.
    pub fn of(&mut self, cells: &[bouton_rules::Value]) -> Option<u16> {
        // What the fluents cannot hold is not bounded.
        let Some(values) = self.task.ground.fluents.position(cells) else { return Some(0) };
        let bounds = Bounds { databases: &self.databases, counting: Some(&self.counting) };
        bounds.of(&self.layout, &self.layout.key_of_values(&values), &mut self.coarse)
    }
}

/// The result of a planner.
struct Planned {
    result: PlanResult,
    /// The number of expanded positions.
    visited: u64,
    held: u64,
    /// The bounds that were used, in words.
    why: String,
    /// The lower bound for a certificate.
    distance: Option<DistanceLemma>,
}

/// The part of a result that says how long plans are.
enum PlanResult {
    /// A shortest plan, by the indices of moves in the task.
    Shortest(Vec<u32>),
    NoPlan,
    Open {
        least: u32,
        plan: Option<Vec<u32>>,
        limit: Option<LimitHit>,
    },
    Fault,
}

impl Solver for Planner {
    fn name(&self) -> &'static str {
        self.name
    }

    fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }

    fn description(&self) -> &'static str {
        self.description
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        let margin = request.options.margin.then_some("a plan is for a win, not for a margin");
        let many = (request.options.strong || request.options.all_moves)
            .then_some("a plan gives the value of one position: the graph gives those of others");
        margin.or(many).or(misfit(&request.game.rules)).map_or(Ok(()), |reason| Err(reason.into()))
    }

    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        let planned = self.applies(request).and_then(|()| {
            request.progress.phase("grounding");
            let task = PlanningTask::new(request)?;
            let planned = plan(&task, request, self.order)?;
            solution(&task, planned, request, self.name())
        });
        Ok(planned.unwrap_or_else(|reason| Solution::inapplicable(self.name(), "", reason)))
    }
}

/// Searches for a shortest plan in stages.
fn plan(
    task: &PlanningTask,
    request: &SolveRequest<'_>,
    mut order: SearchOrder,
) -> Result<Planned, Inapplicable> {
    let limits = request.limits;
    let structure = Structure::of(task);
    let identity = Partition::identity(&task.possible);
    let layout = Layout::new(&identity);
    let counting = CountingBound::new(task, &identity);
    let start = layout.key_of_values(&task.start);
    let counted = counting.bound(&layout, &start);
    let (mut visited, mut held, mut least) = (0, 0, 0);
    let mut known: Option<Vec<u32>> = None;
    let mut why = String::new();
    let mut last: Option<Databases> = None;
    let most = limits.positions.unwrap_or(u64::MAX);
    let mut bound_before = None;
    for (stage, (largest, stage_most)) in STAGES.into_iter().enumerate() {
        request.progress.phase("pattern databases");
        let databases = match (Databases::new(task, &structure, &layout, largest, limits), last.take()) {
            (Ok(databases), _) => databases,
            // The smaller databases of the stage before leave memory for IDA*.
            (Err(Inapplicable::Limit(LimitHit::Memory)), Some(databases)) => {
                order = SearchOrder::DepthFirst;
                databases
            }
            (Err(Inapplicable::Limit(limit)), _) => {
                let result = PlanResult::Open { least, plan: known, limit: Some(limit) };
                return Ok(Planned { result, visited, held, why, distance: None });
            }
            (Err(reason), _) => return Err(reason),
        };
        let bound = databases.bound(&start, &mut Vec::new());
        // Larger databases cost much where they say no more: first the search expands about as many positions.
        let is_stalled = bound_before.replace(bound) == Some(bound);
        let next_cost = STAGES.get(stage + 1).map_or(0, |(largest, _)| *largest * databases.count());
        let stage_most = match is_stalled {
            true => stage_most.max(next_cost as u64 / STALLED_SHARE),
            false => stage_most,
        };
        let counts = bound.zip(counted).is_some_and(|(bound, counted)| counted > bound) || counted.is_none();
        let bounds = || Bounds { databases: &databases, counting: counts.then_some(&counting) };
        request.progress.phase("searching for a plan");
        let base = SearchOptions { limits, weight: 1, most: 0, known: None, held: databases.held_bytes() };
        if stage == GREEDY_STAGE {
            let mut search = AStar::new(task, bounds());
            let most = GREEDY_POSITIONS.min(most.saturating_sub(visited));
            let result = search.run(&task.start, &SearchOptions { weight: GREEDY_WEIGHT, most, ..base });
            visited += search.visited;
            if let SearchResult::Plan(plan) = result {
                known = Some(plan);
            }
        }
        let length = known.as_ref().map(|plan| plan.len() as u32);
        let budget = stage_most.min(most.saturating_sub(visited));
        let mut options = SearchOptions { most: budget, known: length, ..base };
        let mut result = SearchResult::Open { least, limit: Some(LimitHit::Memory) };
        if order == SearchOrder::BestFirst {
            let mut search = AStar::new(task, bounds());
            result = search.run(&task.start, &options);
            visited += search.visited;
            held = held.max(search.held_bytes() + databases.held_bytes());
        }
        if let SearchResult::Open { least: now, limit: Some(LimitHit::Memory) } = result {
            least = least.max(now);
            if order == SearchOrder::BestFirst {
                order = SearchOrder::DepthFirst;
                options.most = most.saturating_sub(visited);
            }
            let mut search = IdaStar::new(task, bounds());
            result = search.run(&task.start, least, &options);
            visited += search.visited;
            held = held.max(search.held_bytes() + databases.held_bytes());
        }
        why = describe(&databases, counts);
        if order == SearchOrder::DepthFirst {
            why += "; the search is depth-first (IDA*)";
        }
        request.progress.positions(visited, held);
        let result = match result {
            SearchResult::Plan(plan) => PlanResult::Shortest(plan),
            SearchResult::NoWin => PlanResult::NoPlan,
            SearchResult::Fault => PlanResult::Fault,
            SearchResult::Open { least: now, limit } => {
                least = least.max(now);
                let over = visited >= most;
                match known.take_if(|plan| plan.len() as u32 <= least) {
                    Some(plan) => PlanResult::Shortest(plan),
                    None if limit.is_none() && !over => {
                        last = Some(databases);
                        continue;
                    }
                    None => PlanResult::Open {
                        least,
                        plan: known.take(),
                        limit: limit.or(Some(LimitHit::Positions)),
                    },
                }
            }
        };
        let distance = match &result {
            PlanResult::Shortest(plan) => {
                let most = request.options.max_strategy_positions;
                proof::lemma(task, &databases, plan.len() as u64, most)
            }
            _ => None,
        };
        return Ok(Planned { result, visited, held, why, distance });
    }
    let result = PlanResult::Open { least, plan: known, limit: Some(LimitHit::Positions) };
    Ok(Planned { result, visited, held, why, distance: None })
}

/// Describes the lower bounds of a search.
fn describe(databases: &Databases, counts: bool) -> String {
    let (count, positions) = (databases.count(), group_digits(databases.len() as u64));
    let counted = if counts { ", and counts of the conditions of a win" } else { "" };
    match count {
        0 if counts => "the fewest moves are bounded by counts of the conditions of a win".into(),
        0 => "no abstraction is small enough".into(),
        1 => format!("the fewest moves are bounded by an abstraction with {positions} positions{counted}"),
        _ => format!(
            "the fewest moves are bounded by {count} abstractions with {positions} positions{counted}"
        ),
    }
}

/// The reason why there is no plan if a position has a fault.
const FAULT_REASON: &str = "a plan needs rules that have a meaning in every position, and one was reached in which \
    they may have none: `--method breadth-first` shows it";

/// Builds the solution of a result.
fn solution(
    task: &PlanningTask,
    planned: Planned,
    request: &SolveRequest<'_>,
    method: &'static str,
) -> Result<Solution, Inapplicable> {
    let Planned { result, visited, held, why, distance } = planned;
    let mut solution = Solution::unknown(method, &why, "");
    solution.reason = None;
    solution.positions = visited;
    solution.memory_bytes = held;
    let one = Rational::from_integer(1);
    let (plan, shortest) = match result {
        PlanResult::Shortest(plan) => (plan, true),
        PlanResult::NoPlan => {
            solution.status = Status::Solved;
            solution.value = Some(Value { payoffs: vec![-one], kind: ValueKind::Unsolvable });
            solution.replies = Some(Ok(Vec::new()));
            return Ok(solution);
        }
        PlanResult::Fault => return Err(FAULT_REASON.into()),
        PlanResult::Open { least, plan, limit } => {
            let most = plan.as_ref().map(|plan| plan.len() as u32);
            solution.plan_bounds = Some(PlanBounds { least, most });
            let more = match &plan {
                Some(plan) => format!("a plan has {} moves, and none has fewer than {least}", plan.len()),
                None => super::solver::no_win_in_fewer(least).unwrap_or_default(),
            };
            solution.limit = limit;
            solution.reason = Some(match limit {
                Some(hit) if more.is_empty() => hit.to_string(),
                Some(hit) => format!("{hit}; {more}"),
                None => more.clone(),
            });
            match plan {
                Some(plan) => (plan, false),
                None => return Ok(solution),
            }
        }
    };
    let played = play(task, &plan, request)?;
    solution.status = Status::Solved;
    solution.value = Some(Value { payoffs: vec![one.clone()], kind: ValueKind::Solved });
    solution.remoteness = shortest.then_some(plan.len() as u32);
    solution.best_moves = played.iter().take(1).map(|(_, made)| made.clone()).collect();
    solution.line =
        played.iter().map(|(_, made)| made.clone()).take(request.options.max_line_moves).collect();
    solution.line_complete = solution.line.len() == plan.len();
    let answers = played.into_iter().map(|(at, made)| StrategyAnswer { at, play: made.play, rank: None });
    solution.replies = Some(Ok(vec![StrategyReplies {
        player: 0,
        payoff: one,
        infinite_play: None,
        plies: Some(plan.len() as u64),
        answers: answers.collect(),
    }]));
    solution.distance = distance;
    Ok(solution)
}

/// Plays a plan by the rules: the positions before its moves, with the moves.
fn play(
    task: &PlanningTask,
    plan: &[u32],
    request: &SolveRequest<'_>,
) -> Result<Vec<(State, WrittenMove)>, Inapplicable> {
    const DIFFERS: &str = "a bug of bouton: the rules do not allow the plan that was found";
    let game = request.game;
    let mut at = request.state.clone();
    let mut played = Vec::with_capacity(plan.len());
    for action in plan {
        let wanted = &task.actions[*action as usize].play;
        let moves = game.machine.successors(&at).map_err(|_| DIFFERS)?;
        let next = moves.into_iter().find(|next| next.play == *wanted).ok_or(DIFFERS)?;
        let written = game.notation(&at, wanted);
        played.push((std::mem::replace(&mut at, next.state), WrittenMove { play: next.play, written }));
    }
    let one = Rational::from_integer(1);
    match game.machine.turn(&at) {
        Ok(ToMove::Terminal(outcome)) if outcome.payoffs.first() == Some(&one) => Ok(played),
        _ => Err(DIFFERS.into()),
    }
}
