//! Solves a position within limits.

use super::{size, strategy};
use crate::base::limits::{LimitHit, Limits, Progress};
use crate::game::explore::Broken;
use crate::game::{Game, State};
use crate::solve::proof_number::{self, Tuning};
use crate::solve::{self, Method, Options, Solution, Status, alphabeta, scores, strong};

/// The methods that the command line knows and this version does not implement.
const LATER: &[&str] = &["minimax", "expectiminimax", "matrix", "cfr", "plan"];

/// Returns the method of that name, or a sentence that says why there is none.
pub fn method(name: &str) -> Result<Method, String> {
    let here = || Method::ALL.map(Method::name).join(", ");
    Method::named(name).ok_or_else(|| {
        if LATER.contains(&name) {
            format!("the method `{name}` is not in this version yet; there are {}", here())
        } else {
            format!("there is no method `{name}`; there are {}", here())
        }
    })
}

/// The solution of a game that is too large to try: a bound, if one is found without enumerating positions.
pub fn refused(game: &Game, state: &State, method: Method, limits: &Limits) -> Solution {
    let reason = "the game is too large to solve exactly (E0401)";
    match strategy::bound(game, state, limits) {
        Some(found) => Solution { reason: Some(reason.into()), ..found },
        None => Solution::unknown(method.name(), "", reason),
    }
}

/// The approach to a position that any method may solve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// The graph of its positions, or as the method prescribes.
    Graph,
    /// Depth-first search (alpha-beta).
    DepthFirst,
    /// Proof-number search.
    ProofNumbers,
    /// A table of remaining scores.
    Scores,
    /// A table of all positions, a few bytes each.
    Table,
}

impl Way {
    /// Returns true if the approach does not enumerate the positions.
    pub fn forgets(self) -> bool {
        matches!(self, Way::DepthFirst | Way::ProofNumbers | Way::Scores)
    }
}

/// Selects the approach to a position that any method may solve. If its positions are too many to enumerate: remaining
/// scores, or else depth-first search, if that method applies; or else proof numbers, if the positions exceed memory.
/// If the values of many positions are requested: a table.
pub fn pick(game: &Game, state: &State, options: &Options, limits: &Limits) -> Way {
    if game.compiled().is_none() {
        Way::Graph
    } else if options.strong {
        let fits = strong::refusal(game, options).is_none() && size::fills_table(game, state, limits);
        if fits { Way::Table } else { Way::Graph }
    } else if size::outgrows(game, state, limits) {
        forgetful(game, state, options, limits, || size::overflows(game, state, limits)).unwrap_or(Way::Graph)
    } else {
        Way::Graph
    }
}

/// The approach to a position whose reachable positions are too many to enumerate; `None` if they must be enumerated.
/// Proof-number search is too costly if memory does hold the positions.
fn forgetful(
    game: &Game,
    state: &State,
    options: &Options,
    limits: &Limits,
    overflows: impl Fn() -> bool,
) -> Option<Way> {
    if scores::fits(game, state, options, limits).is_ok() {
        Some(Way::Scores)
    } else if alphabeta::fits(game, state, options, limits).is_ok() {
        Some(Way::DepthFirst)
    } else if overflows() && proof_number::fits(game, state, options, limits).is_ok() {
        Some(Way::ProofNumbers)
    } else {
        None
    }
}

/// A strategy that can be described without positions, if the checker accepts one: the first attempt at a game that is
/// too large to enumerate.
pub fn by_strategy(game: &Game, state: &State, limits: &Limits) -> Option<Solution> {
    strategy::any(game, state, limits).map(|found| found.solution)
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
    game: &Game,
    state: &State,
    (method, way): (Method, Way),
    options: &Options,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Solution, Box<Broken>> {
    // A game that the approach turns out not to fit is left to the other methods.
    let solution = picked(game, state, way, options, limits, progress)?;
    if let Some(solution) = solution.filter(|s| s.status != Status::Unknown || s.limit.is_some()) {
        return Ok(solution);
    }
    if method.is_strategy() {
        return Ok(strategy::solve(game, state, method, limits));
    }
    let solution = solve::solve(game, state, method, options, limits, progress)?;
    if method != Method::Auto || options.strong {
        return Ok(solution);
    }
    // There were more positions than estimated, and memory did not hold them.
    if way == Way::Graph
        && solution.limit == Some(LimitHit::Memory)
        && game.compiled().is_some()
        && let Some(way) = forgetful(game, state, options, limits, || true)
        && let Some(searched) = picked(game, state, way, options, limits, progress)?
        && searched.status == Status::Solved
    {
        return Ok(searched);
    }
    let plain = !options.all_moves && !options.margin;
    Ok(if plain { or_by_strategy(game, state, solution, limits) } else { solution })
}

/// Solves with the selected approach; returns `None` if it leaves that to a method.
fn picked(
    game: &Game,
    state: &State,
    way: Way,
    options: &Options,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Option<Solution>, Box<Broken>> {
    Ok(match way {
        Way::Graph => None,
        Way::DepthFirst => Some(alphabeta::solve(game, state, true, options, limits, progress)?),
        Way::ProofNumbers => {
            let tuned = (Method::Dfpn, Tuning::of(Method::Dfpn), true);
            let solution = proof_number::solve(game, state, tuned, options, limits, progress)?;
            Some(Solution { why: proof_number::PICKED.into(), ..solution })
        }
        Way::Scores => Some(scores::solve(game, state, true, options, limits, progress)?),
        Way::Table => strong::solve(game, state, options, limits, progress),
    })
}
