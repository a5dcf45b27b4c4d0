//! The solvers of games with hidden information: a linear program if it fits, regret minimization at any size.
//!
//! *Invariant:* a result rests on the exact guarantees of the strategies found: it is the value where the two guarantees
//! meet, and otherwise bounds. The tree, with perfect recall, is enumerated once.

use super::game_tree::{Behaviour, GameTree, PLAYERS};
use super::numbers::{probabilities, short_probabilities};
use super::play::{Enclosure, MixedPlay, MixedSolution, check_request, tree};
use super::{regret_matching, sequence_form};
use crate::game::explore::FaultyPosition;
use crate::solve::graph_labelling::REQUESTED_REASON;
use crate::solve::{Inapplicable, Solution, SolveRequest, Solver};
use bouton_base::limits::LimitHit;

/// A solver of games with hidden information.
pub struct HiddenInformationSolver {
    name: &'static str,
    description: &'static str,
    way: Way,
}

/// Linear programming over sequences.
pub const SEQUENCE_FORM: HiddenInformationSolver = HiddenInformationSolver {
    name: "sequence-form",
    description: "linear programming over sequences of choices, where something is hidden",
    way: Way::Program,
};

/// Regret minimization.
pub const CFR: HiddenInformationSolver = HiddenInformationSolver {
    name: "cfr",
    description: "counterfactual regret minimization, where something is hidden: bounds that close in",
    way: Way::Regret,
};

/// The way to propose strategies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Program,
    Regret,
}

const SEQUENCE_FORM_REASON: &str =
    "something is hidden from players, and a linear program over their sequences of choices fits";
const IDLE_REASON: &str = "something is hidden from players, and only one of them has choices";
const REGRET_REASON: &str = "something is hidden from players, and a linear program would be too large";

impl Solver for HiddenInformationSolver {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        self.description
    }

    fn counts_plies(&self) -> bool {
        false
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        check_hidden(request)
    }

    fn cost(&self, reachable: &crate::solve::Estimate) -> Option<crate::solve::Cost> {
        Some(crate::solve::Cost::of_graph(reachable))
    }

    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        solve(request, Some(self.way))
    }
}

/// Solves a game with hidden information by the way that fits.
pub fn solve_picked(request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
    solve(request, None)
}

/// Checks that something is hidden, and that the methods fit the rules.
pub fn check_hidden(request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
    if !request.game.rules.has_hidden_information() {
        return Err("nothing is hidden from any player".into());
    }
    check_request(request)
}

fn solve(request: &SolveRequest<'_>, requested: Option<Way>) -> Result<Solution, Box<FaultyPosition>> {
    let name = match requested {
        Some(Way::Regret) => CFR.name,
        _ => SEQUENCE_FORM.name,
    };
    if let Err(reason) = check_hidden(request) {
        return Ok(Solution::inapplicable(name, "", reason));
    }
    let tree = match tree(request)? {
        Ok(tree) => tree,
        Err(reason) => return Ok(Solution::inapplicable(name, "", reason)),
    };
    if let Err(reason) = tree.constant_sum() {
        return Ok(Solution::inapplicable(name, "", reason));
    }
    let (positions, memory_bytes) = (tree.nodes.len() as u64, tree.bytes);
    Ok(match strategies(request, &tree, requested) {
        Ok(found) => {
            let why = if requested.is_some() { REQUESTED_REASON } else { found.reason };
            let play = MixedPlay { tree, strategies: Some(found.strategies), matrix: None };
            let why = why.to_owned();
            MixedSolution { method: found.method, why, enclosure: found.enclosure, play }.solution()
        }
        Err(reason) => Solution { positions, memory_bytes, ..Solution::inapplicable(name, "", reason) },
    })
}

/// The bytes of an entry of a linear program.
const BYTES_PER_ENTRY: u64 = 8;

/// Strategies with their guarantees, and the method that found them.
struct Found {
    strategies: [Behaviour; PLAYERS],
    enclosure: Enclosure,
    method: &'static str,
    reason: &'static str,
}

fn strategies(
    request: &SolveRequest<'_>,
    tree: &GameTree,
    requested: Option<Way>,
) -> Result<Found, Inapplicable> {
    let entries = sequence_form::entries(tree);
    let idle = sequence_form::idle_player(tree).is_some();
    let fits = idle
        || entries <= sequence_form::MAX_ENTRIES
            && request.limits.check_held(tree.bytes + BYTES_PER_ENTRY * entries as u64).is_none();
    if requested == Some(Way::Program) && !fits {
        return Err("the linear program is too large: `--method cfr` needs less memory".into());
    }
    let limits = request.limits;
    if fits && requested != Some(Way::Regret) {
        request.progress.phase(if idle { "computing a best response" } else { "solving the linear program" });
        let share = limits.with_time_share(2);
        match sequence_form::solve(tree, &share) {
            Ok(Some(strategies)) => {
                let enclosure = Enclosure::of(tree, &strategies, limits)?;
                if enclosure.is_exact() || requested.is_some() {
                    let (method, reason) =
                        (SEQUENCE_FORM.name, if idle { IDLE_REASON } else { SEQUENCE_FORM_REASON });
                    return Ok(Found { strategies, enclosure, method, reason });
                }
            }
            Ok(None) if requested.is_some() => {
                return Err("rounding errors kept the linear program from its solution".into());
            }
            Err(hit) if requested.is_some() || limits.check().is_some() => return Err(hit.into()),
            Ok(None) | Err(_) => {}
        }
    }
    request.progress.phase("minimizing regret");
    Ok(by_regret(request, tree)?)
}

/// The number of moves of the tree that all rounds together may visit, if no time limit ends them.
const MAX_VISITS: u64 = 4_000_000_000;
/// The maximal number of rounds.
const MAX_ROUNDS: u64 = 20_000;
/// The gap at which the rounds end, for payoffs that differ by 1.
const TARGET_GAP: f64 = 2e-8;
/// The denominator of strategies rounded to bits.
const DENOMINATOR: u64 = 1 << 34;
/// The tolerances of short fractions, which are tried where there are few information sets.
const TOLERANCES: [f64; 3] = [1e-2, 1e-3, 1e-4];
/// The maximal number of information sets for short fractions.
const MAX_SHORT_SETS: usize = 500;

fn by_regret(request: &SolveRequest<'_>, tree: &GameTree) -> Result<Found, LimitHit> {
    let limits = request.limits;
    let span = {
        let firsts = || tree.payoffs.iter().map(|payoffs| super::numbers::float(&payoffs[0]));
        firsts().fold(f64::MIN, f64::max) - firsts().fold(f64::MAX, f64::min)
    };
    let rounds = (MAX_VISITS / (8 * tree.edges.len() as u64 + 1)).clamp(50, MAX_ROUNDS);
    let share = limits.with_time_share(2);
    let found = regret_matching::minimize(tree, TARGET_GAP * span.max(1e-9), rounds as u32, &share);
    let rounded = |round: &dyn Fn(&[f64]) -> Vec<num_rational::BigRational>| {
        found.averages.each_ref().map(|sets| sets.iter().map(|weights| round(weights)).collect::<Behaviour>())
    };
    let (method, reason) = (CFR.name, REGRET_REASON);
    if tree.sets[0].len() + tree.sets[1].len() <= MAX_SHORT_SETS {
        for tolerance in TOLERANCES {
            let strategies = rounded(&|weights| short_probabilities(weights, tolerance));
            let enclosure = Enclosure::of(tree, &strategies, limits)?;
            if enclosure.is_exact() {
                return Ok(Found { strategies, enclosure, method, reason });
            }
        }
    }
    let strategies = rounded(&|weights| probabilities(weights, DENOMINATOR));
    let enclosure = Enclosure::of(tree, &strategies, limits)?;
    Ok(Found { strategies, enclosure, method, reason })
}
