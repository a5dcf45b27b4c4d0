//! Solves a position within limits.

use super::{size, strategy};
use bouton_base::limits::{LimitHit, Limits, Progress};
use bouton_search::game::explore::FaultyPosition;
use bouton_search::game::{Game, State};
use bouton_search::solve::proof_number::{self, PnSearchRequest};
use bouton_search::solve::{
    self, Method, Solution, SolveOptions, Status, additive_scores, alphabeta, strong,
};

/// The methods that the command line knows and this version does not implement.
const UNIMPLEMENTED_METHODS: &[&str] = &["minimax", "expectiminimax", "matrix", "cfr", "plan"];

/// The reason why there is no method of a name: a sentence with the methods that there are.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MethodError {
    #[error("the method `{0}` is not in this version yet; there are {names}", names = method_names())]
    Unimplemented(String),
    #[error("there is no method `{0}`; there are {names}", names = method_names())]
    Unknown(String),
}

fn method_names() -> String {
    Method::ALL.map(Method::name).join(", ")
}

/// Returns the method of that name.
pub fn method(name: &str) -> Result<Method, MethodError> {
    Method::from_name(name).ok_or_else(|| {
        if UNIMPLEMENTED_METHODS.contains(&name) {
            MethodError::Unimplemented(name.to_owned())
        } else {
            MethodError::Unknown(name.to_owned())
        }
    })
}

/// The solution of a game that is too large to try: a bound, if one is found without enumerating positions.
pub fn refused_solution(game: &Game, state: &State, method: Method, limits: &Limits) -> Solution {
    let reason = "the game is too large to solve exactly (E0401)";
    match strategy::stealing_bound(game, state, limits) {
        Some(found) => Solution { reason: Some(reason.into()), ..found },
        None => Solution::unknown(method.name(), "", reason),
    }
}

/// A position to solve, with the options and limits of its solution.
#[derive(Clone, Copy)]
pub struct SolveRequest<'a> {
    pub game: &'a Game,
    pub state: &'a State,
    pub options: &'a SolveOptions,
    pub limits: &'a Limits,
    /// The receiver of progress reports.
    pub progress: &'a dyn Progress,
}

/// The approach to a position that any method may solve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Approach {
    /// The graph of its positions, or as the method prescribes.
    Graph,
    /// Depth-first search (alpha-beta).
    DepthFirst,
    /// Proof-number search.
    ProofNumbers,
    /// A table of remaining scores.
    RemainingScores,
    /// A table of all positions, a few bytes each.
    Table,
}

impl Approach {
    /// Returns true if the approach does not enumerate the positions.
    pub fn avoids_enumeration(self) -> bool {
        matches!(self, Approach::DepthFirst | Approach::ProofNumbers | Approach::RemainingScores)
    }
}

/// Selects the approach to a position that any method may solve. If its positions are too many to enumerate: remaining
/// scores, or else depth-first search, if that method applies; or else proof numbers, if the positions exceed memory.
/// If the values of many positions are requested: a table.
pub fn select_approach(game: &Game, state: &State, options: &SolveOptions, limits: &Limits) -> Approach {
    if game.compiled().is_none() {
        Approach::Graph
    } else if options.strong {
        let fits = strong::not_applicable_reason(game, options).is_none()
            && size::prefers_table(game, state, limits);
        if fits { Approach::Table } else { Approach::Graph }
    } else if size::exceeds_enumeration(game, state, limits) {
        select_search(game, state, options, limits, || size::exceeds_memory(game, state, limits))
            .unwrap_or(Approach::Graph)
    } else {
        Approach::Graph
    }
}

/// The approach to a position whose reachable positions are too many to enumerate; `None` if they must be enumerated.
/// Proof-number search is too costly if memory does hold the positions.
fn select_search(
    game: &Game,
    state: &State,
    options: &SolveOptions,
    limits: &Limits,
    overflows: impl Fn() -> bool,
) -> Option<Approach> {
    if additive_scores::check_applicable(game, state, options, limits).is_ok() {
        Some(Approach::RemainingScores)
    } else if alphabeta::check_applicable(game, state, options, limits).is_ok() {
        Some(Approach::DepthFirst)
    } else if overflows() && proof_number::check_applicable(game, state, options, limits).is_ok() {
        Some(Approach::ProofNumbers)
    } else {
        None
    }
}

/// A strategy that can be described without positions, if the checker accepts one: the first attempt at a game that is
/// too large to enumerate.
pub fn by_strategy(game: &Game, state: &State, limits: &Limits) -> Option<Solution> {
    strategy::find_any(game, state, limits).map(|found| found.solution)
}

/// Tries a strategy that can be described if no solver fits the game, such as one with simultaneous choices.
fn or_by_strategy(game: &Game, state: &State, solution: Solution, limits: &Limits) -> Solution {
    if solution.status != Status::Unknown || solution.limit.is_some() {
        return solution;
    }
    by_strategy(game, state, limits).unwrap_or(solution)
}

/// Solves with the selected approach as far as it applies, then with the method.
pub fn solve(
    request: SolveRequest<'_>,
    method: Method,
    way: Approach,
) -> Result<Solution, Box<FaultyPosition>> {
    let SolveRequest { game, state, options, limits, progress } = request;
    // A game that the approach turns out not to fit is left to the other methods.
    let solution = solve_by_approach(request, way)?;
    if let Some(solution) = solution.filter(|s| s.status != Status::Unknown || s.limit.is_some()) {
        return Ok(solution);
    }
    if method.is_strategy() {
        return Ok(strategy::solve(game, state, method, limits));
    }
    let solution = solve::solve(game, state, &options.with_method(method), limits, progress)?;
    if method != Method::Auto || options.strong {
        return Ok(solution);
    }
    // There were more positions than estimated, and memory did not hold them.
    if way == Approach::Graph
        && solution.limit == Some(LimitHit::Memory)
        && game.compiled().is_some()
        && let Some(way) = select_search(game, state, options, limits, || true)
        && let Some(searched) = solve_by_approach(request, way)?
        && searched.status == Status::Solved
    {
        return Ok(searched);
    }
    let plain = !options.all_moves && !options.margin;
    Ok(if plain { or_by_strategy(game, state, solution, limits) } else { solution })
}

/// Solves with the selected approach; returns `None` if it leaves that to a method.
fn solve_by_approach(
    request: SolveRequest<'_>,
    way: Approach,
) -> Result<Option<Solution>, Box<FaultyPosition>> {
    let SolveRequest { game, state, options, limits, progress } = request;
    Ok(match way {
        Approach::Graph => None,
        Approach::DepthFirst => {
            let solution = alphabeta::solve(game, state, options, limits, progress)?;
            Some(Solution { why: alphabeta::PICKED_REASON.into(), ..solution })
        }
        Approach::ProofNumbers => {
            let request = PnSearchRequest::for_method(Method::Dfpn, options);
            let solution = proof_number::solve(game, state, &request, limits, progress)?;
            Some(Solution { why: proof_number::PICKED_REASON.into(), ..solution })
        }
        Approach::RemainingScores => {
            let solution = additive_scores::solve(game, state, options, limits, progress)?;
            Some(Solution { why: additive_scores::PICKED_REASON.into(), ..solution })
        }
        Approach::Table => strong::solve(game, state, options, limits, progress),
    })
}
