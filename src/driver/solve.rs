//! Solving a position within limits.

use super::{size, strategy};
use crate::base::limits::{LimitHit, Limits, Progress};
use crate::game::explore::Broken;
use crate::game::{Game, State};
use crate::solve::proof_number::{self, Tuning};
use crate::solve::{self, Method, Options, Solution, Status, alphabeta, scores, strong};

/// The methods that the command line knows and this version does not have.
const LATER: &[&str] = &["minimax", "expectiminimax", "matrix", "cfr", "plan"];

/// The method of that name, or a sentence on why there is none.
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

/// What is said of a game that is too large to be tried: a bound, where one shows without positions.
pub fn refused(game: &Game, state: &State, method: Method, limits: &Limits) -> Solution {
    let reason = "the game is too large to solve exactly (E0401)";
    match strategy::bound(game, state, limits) {
        Some(found) => Solution { reason: Some(reason.into()), ..found },
        None => Solution::unknown(method.name(), "", reason),
    }
}

/// How a position is solved where any method may do it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// By the graph of its positions, or as the method says.
    Graph,
    /// Depth first.
    DepthFirst,
    /// By proof numbers.
    ProofNumbers,
    /// By a table of what is still to be scored.
    Scores,
    /// By a table of all positions, a few bytes each.
    Table,
}

impl Way {
    /// Whether positions are not listed.
    pub fn forgets(self) -> bool {
        matches!(self, Way::DepthFirst | Way::ProofNumbers | Way::Scores)
    }
}

/// How a position that may be solved by any method shall be. Where its positions are too many to be listed: by what is
/// still to be scored, or else depth first, if that method can solve it; or else by proof numbers, if they are so many
/// that memory does not hold them. If the values of many positions are wanted: by a table.
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

/// How a position is solved whose positions are too many to be listed; none where they have to be. Proof numbers ask too
/// much to be taken where memory does hold the positions.
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

/// A strategy that can be told without positions, where one is accepted: what is asked first of a game that is too large
/// to be listed.
pub fn by_strategy(game: &Game, state: &State, limits: &Limits) -> Option<Solution> {
    strategy::any(game, state, limits).map(|found| found.solution)
}

/// What no solver fits, such as a game of choices made at once, may still have a strategy that can be told.
fn or_by_strategy(game: &Game, state: &State, solution: Solution, limits: &Limits) -> Solution {
    if solution.status != Status::Unknown || solution.limit.is_some() {
        return solution;
    }
    by_strategy(game, state, limits).unwrap_or(solution)
}

/// Solves, in the way that was picked as far as it goes.
pub fn solve(
    game: &Game,
    state: &State,
    (method, way): (Method, Way),
    options: &Options,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Solution, Box<Broken>> {
    // What turns out not to fit is left to the other methods.
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
    // There were more positions than was thought, and memory did not hold them.
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

/// Solves in the way that was picked; none if that is left to a method.
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
