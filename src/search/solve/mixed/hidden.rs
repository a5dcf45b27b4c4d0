//! The solvers of games with hidden information: linear programs over all sequences of choices or over those that
//! matter, and regret minimization at any size.
//!
//! *Invariant:* a result rests on the exact guarantees of the strategies found: it is the value where the two guarantees
//! meet, and otherwise bounds. The tree, with perfect recall, is enumerated once.

use std::sync::Arc;

use num_rational::BigRational;
use num_traits::Zero;

use super::game_tree::{Behaviour, GameTree, InformationSet, PLAYERS, other_moves};
use super::numbers::{float, probabilities, short_probabilities};
use super::plan_equilibria::{OtherEquilibria, PlanEquilibrium};
use super::play::{
    Enclosure, MixedPlay, MixedSolution, StrategyProfile, check_asks_value, check_request, tree, tree_of,
};
use super::sure_win::{self, NoPlan, PlanQuestion, SurePlan};
use super::{
    best_responses, common_interest, dominated_actions, double_oracle, plan_equilibria, regret_matching,
    sequence_equilibrium, sequence_form,
};
use crate::game::explore::FaultyPosition;
use crate::solve::graph_labelling::REQUESTED_REASON;
use crate::solve::payoffs::has_no_payoffs;
use crate::solve::{Bounds, Inapplicable, Solution, SolveRequest, Solver, Status, Value, ValueKind};
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::rational::Rational;
use bouton_certificates::profile::{ProfileLemma, ProfileSet};
use bouton_certificates::{ChoiceProbabilities, Lemma, PayoffBound, SurePlanLemma};
use bouton_rules::{Actor, Rules};

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

/// Common plans of players who want the same.
pub const COMMON_PLAN: HiddenInformationSolver = HiddenInformationSolver {
    name: "common-plan",
    description: "the best common plan of players who always get the same, where something is hidden",
    way: Way::CommonPlan,
};

/// Best responses in turns.
pub const BEST_RESPONSES: HiddenInformationSolver = HiddenInformationSolver {
    name: "best-responses",
    description: "one equilibrium of three to six players, where something is hidden or they choose at once: best responses in turns",
    way: Way::Responses,
};

/// Plans that win in every play.
pub const SURE_WIN: HiddenInformationSolver = HiddenInformationSolver {
    name: "sure-win",
    description: "a plan that wins in every play, where something is hidden: search over the positions held possible",
    way: Way::SureWin,
};

/// The way to propose strategies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    SureWin,
    Program,
    Regret,
    CommonPlan,
    Responses,
}

const SURE_WIN_REASON: &str =
    "something is hidden from players, and one of them has a plan that wins in every play";
const SEQUENCE_FORM_REASON: &str =
    "something is hidden from players, and a linear program over their sequences of choices fits";
const PARTS_REASON: &str =
    "something is hidden from players, and linear programs over the choices that matter fit";
const IDLE_REASON: &str = "something is hidden from players, and only one of them has choices";
const COMMON_PLAN_REASON: &str =
    "something is hidden from players, and all always get the same: they want the same plan";
const RESPONSES_REASON: &str =
    "something is hidden from players, and there are three or more with interests of their own";
const RESPONSES_AT_ONCE_REASON: &str = "three players or more choose at once, and no combination of choices without chance leaves nobody tempted";
const DIFFERENT_PAYOFFS: &str = "the players do not always get the same payoff";
const EQUILIBRIUM_REASON: &str =
    "something is hidden from players, and their plans are few enough to compare all of them";
const ONE_EQUILIBRIUM_REASON: &str =
    "something is hidden from players, and one equilibrium over their sequences of choices can be found";
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
        match self.way {
            Way::SureWin => check_sure_win(request),
            way => check_way(request, Some(way)),
        }
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
    if check_sure_win(request).is_ok()
        && let Ok(plan) = sure_plan(request, MAX_SURE_STEPS)
    {
        return Ok(sure_win(request, plan, SURE_WIN_REASON));
    }
    solve_by_tree(request)
}

/// Solves a game with hidden information by the tree of all histories.
pub fn solve_by_tree(request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
    solve(request, None)
}

/// Checks that something is hidden, and that a method fits the rules, or some method if none is requested.
fn check_way(request: &SolveRequest<'_>, way: Option<Way>) -> Result<(), Inapplicable> {
    let rules = &request.game.rules;
    let players = rules.players().len();
    match way {
        Some(Way::Responses) | None if players > PLAYERS && chooses_at_once(rules) => {}
        _ => check_something_hidden(request)?,
    }
    match way {
        Some(Way::Responses) if players <= PLAYERS => {
            Err("an equilibrium of one player or two is found by `sequence-form`".into())
        }
        Some(Way::CommonPlan | Way::Responses) | None if (PLAYERS..=MAX_PLAYERS).contains(&players) => {
            check_asks_value(request)
        }
        None if players > MAX_PLAYERS => {
            Err(format!("the game has {players} players, and where something is hidden, games of at most {MAX_PLAYERS} are solved").into())
        }
        _ => check_request(request),
    }
}

/// True if players choose at once in some phase.
fn chooses_at_once(rules: &Rules) -> bool {
    rules.phases.iter().any(|phase| matches!(phase.actor, Actor::Each))
}

fn check_something_hidden(request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
    match request.game.rules.has_hidden_information() {
        true => Ok(()),
        false => Err("nothing is hidden from any player".into()),
    }
}

/// Checks that a search for a sure win or the methods for trees of histories fit the rules.
pub fn check_applies(request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
    check_way(request, None).or_else(|reason| check_sure_win(request).map_err(|_| reason))
}

/// Checks that something is hidden, and that players win or lose.
fn check_sure_win(request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
    check_something_hidden(request)?;
    if request.options.margin || !has_no_payoffs(&request.game.rules) {
        return Err("the game ends with payoffs, and not with wins".into());
    }
    Ok(())
}

/// The maximal number of steps of the search for a plan of each player that no request asks for.
const MAX_SURE_STEPS: u64 = 4_000_000;
/// The maximal number of nodes of the tree that shows a plan.
const MAX_TOLD_NODES: u64 = 200_000;

/// Searches for a plan by which a player wins in every play, in this number of steps for each player.
fn sure_plan(request: &SolveRequest<'_>, max_steps: u64) -> Result<SurePlan, Inapplicable> {
    request.progress.phase("searching a plan that wins in every play");
    let limits = request.limits;
    let mut is_open = false;
    for player in 0..request.game.rules.players().len() as u32 {
        match sure_win::search(request.game, request.state, PlanQuestion { player, max_steps, limits }) {
            Ok(plan) => return Ok(plan),
            Err(NoPlan::None) => {}
            Err(NoPlan::Open) => is_open = true,
            Err(NoPlan::OtherMoves) => {
                let name = &request.game.rules.players()[player as usize];
                return Err(other_moves(name).into());
            }
            Err(NoPlan::Limit(hit)) => return Err(hit.into()),
        }
    }
    Err(match is_open {
        true => "no plan was found that wins in every play; there may be one".into(),
        false => "no player has a plan that wins in every play".into(),
    })
}

/// Describes a game that a player wins by a plan.
fn sure_win(request: &SolveRequest<'_>, plan: SurePlan, why: &str) -> Solution {
    let &SolveRequest { game, state, limits, .. } = request;
    let players = game.rules.players().len();
    let holder = plan.player;
    let mut solution = Solution::unknown(SURE_WIN.name, why, "");
    let kind = if players == 1 { ValueKind::Solved } else { ValueKind::Win(holder) };
    solution.status = Status::Solved;
    solution.reason = None;
    solution.value = Some(Value { payoffs: plan.payoffs.clone(), kind });
    (solution.positions, solution.memory_bytes) = (plan.visited, plan.bytes);
    let limits = Limits { positions: Some(MAX_TOLD_NODES), ..limits.clone() };
    if players <= PLAYERS
        && let Ok((tree, strategy)) = GameTree::along_plan(game, state, &plan, &limits)
    {
        let holder = holder as usize;
        let any = |set: &InformationSet| {
            let count = set.actions.len();
            vec![BigRational::new(1.into(), count.into()); count]
        };
        let mut strategies = [0, 1].map(|player| tree.sets[player].iter().map(any).collect::<Behaviour>());
        strategies[holder] = strategy;
        let play = MixedPlay { tree, strategies: Some(strategies), matrix: None, beaten: Some(1 - holder) };
        solution.mixed = Some(Arc::new(play));
    }
    let bound = PayoffBound { holder: Some(holder), payoff: Rational::ONE };
    solution.strategy = vec![Lemma::SurePlan(SurePlanLemma { bound, choices: plan.choices })];
    solution
}

fn solve(request: &SolveRequest<'_>, requested: Option<Way>) -> Result<Solution, Box<FaultyPosition>> {
    if requested == Some(Way::SureWin) {
        let plan = check_sure_win(request).and_then(|()| sure_plan(request, u64::MAX));
        return Ok(match plan {
            Ok(plan) => sure_win(request, plan, REQUESTED_REASON),
            Err(reason) => Solution::inapplicable(SURE_WIN.name, "", reason),
        });
    }
    let name = match requested {
        Some(Way::Regret) => CFR.name,
        Some(Way::CommonPlan) => COMMON_PLAN.name,
        Some(Way::Responses) => BEST_RESPONSES.name,
        _ => SEQUENCE_FORM.name,
    };
    if let Err(reason) = check_way(request, requested) {
        return Ok(Solution::inapplicable(name, "", reason));
    }
    match request.game.rules.players().len() {
        3 => return several_players::<3>(request, requested),
        4 => return several_players::<4>(request, requested),
        5 => return several_players::<5>(request, requested),
        6 => return several_players::<6>(request, requested),
        _ => {}
    }
    let tree = match tree(request)? {
        Ok(tree) => tree,
        Err(reason) => return Ok(Solution::inapplicable(name, "", reason)),
    };
    let is_common = common_interest::is_common(&tree) && tree.sum.is_none();
    if is_common && matches!(requested, None | Some(Way::CommonPlan)) {
        let why = if requested.is_some() { REQUESTED_REASON } else { COMMON_PLAN_REASON };
        let (solution, plans) = common_plan(request, &tree, why);
        let play = |plans| MixedPlay { tree, strategies: Some(plans), matrix: None, beaten: None };
        return Ok(Solution { mixed: plans.map(|plans| Arc::new(play(plans))), ..solution });
    }
    if requested == Some(Way::CommonPlan) {
        return Ok(Solution::inapplicable(name, "", DIFFERENT_PAYOFFS.into()));
    }
    if let Err(reason) = tree.constant_sum() {
        let (positions, memory_bytes) = (tree.nodes.len() as u64, tree.bytes);
        let unsolved =
            |reason| Solution { positions, memory_bytes, ..Solution::inapplicable(name, "", reason) };
        if requested == Some(Way::Regret) {
            return Ok(unsolved(reason));
        }
        return Ok(match equilibrium(request, &tree) {
            Ok(found) => one_equilibrium(request, tree, found),
            Err(reason) => unsolved(reason),
        });
    }
    let (positions, memory_bytes) = (tree.nodes.len() as u64, tree.bytes);
    Ok(match strategies(request, &tree, requested).map(|found| mended(found, &tree, request.limits)) {
        Ok(found) => {
            let why = if requested.is_some() { REQUESTED_REASON } else { found.reason };
            let play = MixedPlay { tree, strategies: Some(found.strategies), matrix: None, beaten: None };
            let why = why.to_owned();
            MixedSolution { method: found.method, why, enclosure: found.enclosure, play }.solution()
        }
        Err(reason) => Solution { positions, memory_bytes, ..Solution::inapplicable(name, "", reason) },
    })
}

/// The greatest number of players of a game with hidden information.
const MAX_PLAYERS: usize = 6;

/// Solves a game of three players or more: for the best common plan if all want the same, and otherwise for an
/// equilibrium.
fn several_players<const N: usize>(
    request: &SolveRequest<'_>,
    requested: Option<Way>,
) -> Result<Solution, Box<FaultyPosition>> {
    let is_wanted = |way: Way| requested.is_none_or(|requested| requested == way);
    let name = match requested {
        Some(Way::CommonPlan) => COMMON_PLAN.name,
        Some(_) => BEST_RESPONSES.name,
        // Not known before the tree.
        None => "auto",
    };
    let tree = match tree_of::<N>(request)? {
        Ok(tree) => tree,
        Err(reason) => return Ok(Solution::inapplicable(name, "", reason)),
    };
    let why = |of: &'static str| if requested.is_some() { REQUESTED_REASON } else { of };
    if common_interest::is_common(&tree) && is_wanted(Way::CommonPlan) {
        let (solution, plans) = common_plan(request, &tree, why(COMMON_PLAN_REASON));
        let several = plans.map(|plans| profile_of(tree, plans));
        return Ok(Solution { several, ..solution });
    }
    if requested == Some(Way::CommonPlan) {
        return Ok(Solution::inapplicable(name, "", DIFFERENT_PAYOFFS.into()));
    }
    let name = BEST_RESPONSES.name;
    request.progress.phase("taking best responses in turns");
    let (positions, memory_bytes) = (tree.nodes.len() as u64, tree.bytes);
    let found = match best_responses::find(&tree, request.limits) {
        Ok(found) => found,
        Err(hit) => {
            let stopped = Solution::inapplicable(name, "", hit.into());
            return Ok(Solution { positions, memory_bytes, ..stopped });
        }
    };
    let names = request.game.rules.players();
    let is_exact = found.gain.is_zero();
    let picked = match request.game.rules.has_hidden_information() {
        true => RESPONSES_REASON,
        false => RESPONSES_AT_ONCE_REASON,
    };
    let told: Vec<String> = names
        .iter()
        .zip(&found.payoffs)
        .map(|(name, payoff)| match is_exact {
            true => format!("{name} {payoff}"),
            false => format!("{name} {:.4}", float(payoff)),
        })
        .collect();
    let told = told.join(", ");
    let reason = match is_exact {
        true => format!(
            "the players have interests of their own: one equilibrium gives {told}; others may give other payoffs"
        ),
        false => format!(
            "no equilibrium was found exactly: nobody gains more than {:.2e} by leaving these strategies alone, which \
             give {told}",
            float(&found.gain)
        ),
    };
    let payoffs: Vec<Rational> = found.payoffs.into_iter().map(Rational::from).collect();
    let strategy = if is_exact { vec![profile(&found.strategies, payoffs)] } else { Vec::new() };
    let several = Some(profile_of(tree, found.strategies));
    Ok(Solution {
        positions,
        memory_bytes,
        strategy,
        several,
        ..Solution::unknown(name, why(picked), &reason)
    })
}

/// The strategies of several players for reports and for play.
fn profile_of<const N: usize>(tree: GameTree<N>, strategies: [Behaviour; N]) -> Arc<dyn StrategyProfile> {
    Arc::new(MixedPlay { tree, strategies: Some(strategies), matrix: None, beaten: None })
}

/// The strategies of an equilibrium as a lemma, with the payoffs that they give.
fn profile<const N: usize>(strategies: &[Behaviour; N], payoffs: Vec<Rational>) -> Lemma {
    let set = |player: usize, shares: &Vec<BigRational>| ProfileSet {
        player: player as u32,
        choices: ChoiceProbabilities(shares.iter().cloned().map(Rational::from).collect()),
    };
    let own = |player: usize| strategies[player].iter().map(move |shares| set(player, shares));
    Lemma::Profile(ProfileLemma { payoffs, sets: (0..N).flat_map(own).collect() })
}

/// An equilibrium of players with interests of their own.
struct FoundEquilibrium {
    found: PlanEquilibrium,
    others: OtherEquilibria,
    reason: &'static str,
}

/// Finds an equilibrium of players with interests of their own. The way depends on the game alone, and not on limits.
fn equilibrium(request: &SolveRequest<'_>, tree: &GameTree) -> Result<FoundEquilibrium, Inapplicable> {
    request.progress.phase("comparing plans");
    let compared = plan_equilibria::compare(tree, request.limits)?;
    let others = compared.as_ref().map_or(OtherEquilibria::Unknown, |compared| compared.others);
    if let Some(found) = compared.and_then(|compared| compared.credible) {
        return Ok(FoundEquilibrium { found, others, reason: EQUILIBRIUM_REASON });
    }
    request.progress.phase("following a path to an equilibrium");
    match sequence_equilibrium::find(tree, request.limits)? {
        Some(found) => Ok(FoundEquilibrium { found, others, reason: ONE_EQUILIBRIUM_REASON }),
        None => Err(too_many_actions(tree).into()),
    }
}

/// The reason why no equilibrium is looked for.
fn too_many_actions(tree: &GameTree) -> String {
    format!(
        "the players' payoffs do not add up to one sum, and an equilibrium is looked for where both have at most {} \
         choices together in their information sets, not {}",
        sequence_equilibrium::MAX_ACTIONS,
        sequence_equilibrium::actions(tree)
    )
}

/// Describes an equilibrium of players with interests of their own: the value if all others have the same payoffs.
fn one_equilibrium(request: &SolveRequest<'_>, tree: GameTree, equilibrium: FoundEquilibrium) -> Solution {
    let FoundEquilibrium { found, others, reason: why } = equilibrium;
    let players = request.game.rules.players();
    let payoffs: Vec<Rational> = found.payoffs.into_iter().map(Rational::from).collect();
    let told: Vec<String> =
        players.iter().zip(&payoffs).map(|(name, payoff)| format!("{name} {payoff}")).collect();
    let differ = match others {
        OtherEquilibria::Differ => "others give other payoffs",
        _ => "others may give other payoffs",
    };
    let reason = format!(
        "the players have interests of their own: one equilibrium gives {}; {differ}",
        told.join(", ")
    );
    let (positions, memory_bytes) = (tree.nodes.len() as u64, tree.bytes);
    let strategy = vec![profile(&found.strategies, payoffs.clone())];
    let play = MixedPlay { tree, strategies: Some(found.strategies), matrix: None, beaten: None };
    let solution = Solution {
        positions,
        memory_bytes,
        strategy,
        mixed: Some(Arc::new(play)),
        ..Solution::unknown(SEQUENCE_FORM.name, why, &reason)
    };
    match others {
        OtherEquilibria::Same => Solution {
            status: Status::Solved,
            value: Some(Value { payoffs, kind: ValueKind::Payoff }),
            reason: None,
            ..solution
        },
        _ => solution,
    }
}

/// Solves a game in which all players always get the same; returns their plans as well, if any were found.
fn common_plan<const N: usize>(
    request: &SolveRequest<'_>,
    tree: &GameTree<N>,
    why: &str,
) -> (Solution, Option<[Behaviour; N]>) {
    let name = COMMON_PLAN.name;
    let (positions, memory_bytes) = (tree.nodes.len() as u64, tree.bytes);
    request.progress.phase("searching a common plan");
    let found = match common_interest::solve(tree, request.limits) {
        Ok(found) => found,
        Err(hit) => {
            let stopped = Solution::inapplicable(name, "", hit.into());
            return (Solution { positions, memory_bytes, ..stopped }, None);
        }
    };
    let (low, high) = (Rational::from(found.payoff), Rational::from(found.bound));
    let mut solution = Solution { positions, memory_bytes, reason: None, ..Solution::unknown(name, why, "") };
    if low == high {
        solution.status = Status::Solved;
        // Who leaves the best plans gives all of them less.
        solution.strategy = vec![profile(&found.plans, vec![low.clone(); N])];
        solution.value = Some(Value { payoffs: vec![low; N], kind: ValueKind::Payoff });
    } else {
        solution.status = Status::Bounded;
        solution.bounds = Some(Bounds { low: Some(low), high: Some(high) });
        solution.reason = Some("the best plans found are not proved to be the best of all".to_owned());
    }
    (solution, Some(found.plans))
}

/// The maximal number of entries of a program over the whole tree; larger trees are solved from a part of it.
const MAX_WHOLE_ENTRIES: usize = 1_500_000;
/// The maximal number of entries of a program over a part of a tree.
const MAX_ENTRIES: usize = 30_000_000;
/// The bytes of an entry of a linear program.
const BYTES_PER_ENTRY: u64 = 8;

/// Strategies with their guarantees, and the method that found them.
struct GuaranteedStrategies {
    strategies: [Behaviour; PLAYERS],
    enclosure: Enclosure,
    method: &'static str,
    reason: &'static str,
}

impl GuaranteedStrategies {
    /// The width of the interval that the guarantees leave.
    fn width(&self) -> BigRational {
        &self.enclosure.high - &self.enclosure.low
    }
}

/// Returns the strategies without choices that lose whatever comes after them, also where only a mistake of the other
/// player leads to them. After a limit, they stay as they are.
fn mended(mut found: GuaranteedStrategies, tree: &GameTree, limits: &Limits) -> GuaranteedStrategies {
    let mut strategies = found.strategies.clone();
    if dominated_actions::leave_out(tree, &mut strategies, limits) {
        if found.enclosure.is_exact() {
            found.strategies = strategies;
        } else if let Ok(enclosure) = Enclosure::of(tree, &strategies, limits) {
            (found.strategies, found.enclosure) = (strategies, enclosure);
        }
    }
    found
}

fn strategies(
    request: &SolveRequest<'_>,
    tree: &GameTree,
    requested: Option<Way>,
) -> Result<GuaranteedStrategies, Inapplicable> {
    if requested == Some(Way::Regret) {
        return Ok(by_regret(request, tree)?);
    }
    let limits = request.limits;
    let idle = sequence_form::idle_player(tree).is_some();
    if idle || sequence_form::entries(tree) <= MAX_WHOLE_ENTRIES {
        request.progress.phase(if idle { "computing a best response" } else { "solving the linear program" });
        let share = limits.with_time_share(2);
        match sequence_form::solve(tree, &share) {
            Ok(Some(strategies)) => {
                let enclosure = Enclosure::of(tree, &strategies, limits)?;
                if enclosure.is_exact() {
                    let reason = if idle { IDLE_REASON } else { SEQUENCE_FORM_REASON };
                    return Ok(GuaranteedStrategies {
                        strategies,
                        enclosure,
                        method: SEQUENCE_FORM.name,
                        reason,
                    });
                }
            }
            Err(hit) if limits.check().is_some() => return Err(hit.into()),
            Ok(None) | Err(_) => {}
        }
    }
    let by_parts = by_parts(request, tree, requested.is_none());
    match by_parts {
        Some(found) if found.enclosure.is_exact() || requested.is_some() => Ok(found),
        None if requested.is_some() => {
            Err("a limit or rounding errors kept the linear program from its solution".into())
        }
        before => match (before, by_regret(request, tree)) {
            (Some(before), Ok(found)) if found.width() < before.width() => Ok(found),
            (Some(before), _) => Ok(before),
            (None, found) => Ok(found?),
        },
    }
}

/// The gap at which the first strategies for parts of a tree are good enough, for payoffs that differ by 1.
const FIRST_GAP: f64 = 1e-4;
/// The maximal number of rounds for them.
const FIRST_ROUNDS: u64 = 500;

/// Regret minimization has at least one part in this number of the time that the first strategies leave, if parts of the
/// tree give no exact value.
const REGRET_TIME_DIVISOR: u32 = 4;

/// Solves linear programs over parts of the tree, from the actions that regret minimization plays. `keeps_first` tells if
/// its own strategies are an answer where the programs give none that guarantees more.
fn by_parts(request: &SolveRequest<'_>, tree: &GameTree, keeps_first: bool) -> Option<GuaranteedStrategies> {
    let limits = request.limits;
    request.progress.phase("minimizing regret");
    let rounds = rounds(tree).min(FIRST_ROUNDS);
    let proposal =
        regret_matching::minimize(tree, FIRST_GAP * span(tree), rounds as u32, &limits.with_time_share(4));
    request.progress.phase("solving linear programs over parts of the tree");
    let fits = |entries: usize| limits.check_held(tree.bytes + BYTES_PER_ENTRY * entries as u64).is_none();
    let most_entries = if fits(MAX_ENTRIES) { MAX_ENTRIES } else { MAX_ENTRIES / 16 };
    let share = limits.without_time_share(REGRET_TIME_DIVISOR);
    // Where it takes little time, what the first strategies guarantee is kept.
    let is_cheap = keeps_first && tree.nodes.len() <= MAX_FIRST_NODES;
    let first = is_cheap.then(|| guaranteed(tree, &proposal, limits).ok()).flatten();
    match double_oracle::improve(tree, &proposal, most_entries, &share) {
        Some(double_oracle::Improved { strategies, enclosure }) => {
            let (method, reason) = (SEQUENCE_FORM.name, PARTS_REASON);
            let improved = GuaranteedStrategies { strategies, enclosure, method, reason };
            Some(first.filter(|first| first.width() < improved.width()).unwrap_or(improved))
        }
        None => first,
    }
}

/// The maximal number of nodes of a tree for which the guarantees of first strategies are computed.
const MAX_FIRST_NODES: usize = 50_000;

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

/// The difference between the largest and the least payoff.
fn span(tree: &GameTree) -> f64 {
    let firsts = || tree.payoffs.iter().map(|payoffs| super::numbers::float(&payoffs[0]));
    (firsts().fold(f64::MIN, f64::max) - firsts().fold(f64::MAX, f64::min)).max(1e-9)
}

/// The maximal number of rounds of regret minimization.
fn rounds(tree: &GameTree) -> u64 {
    (MAX_VISITS / (8 * tree.edges.len() as u64 + 1)).clamp(50, MAX_ROUNDS)
}

fn by_regret(request: &SolveRequest<'_>, tree: &GameTree) -> Result<GuaranteedStrategies, LimitHit> {
    let limits = request.limits;
    request.progress.phase("minimizing regret");
    let share = limits.with_time_share(2);
    let found = regret_matching::minimize(tree, TARGET_GAP * span(tree), rounds(tree) as u32, &share);
    guaranteed(tree, &found, limits)
}

/// Rounds strategies and computes what they guarantee.
fn guaranteed(
    tree: &GameTree,
    found: &regret_matching::Proposal,
    limits: &Limits,
) -> Result<GuaranteedStrategies, LimitHit> {
    let rounded = |round: &dyn Fn(&[f64]) -> Vec<BigRational>| {
        found.averages.each_ref().map(|sets| sets.iter().map(|weights| round(weights)).collect::<Behaviour>())
    };
    let (method, reason) = (CFR.name, REGRET_REASON);
    if tree.sets[0].len() + tree.sets[1].len() <= MAX_SHORT_SETS {
        for tolerance in TOLERANCES {
            let strategies = rounded(&|weights| short_probabilities(weights, tolerance));
            let enclosure = Enclosure::of(tree, &strategies, limits)?;
            if enclosure.is_exact() {
                return Ok(GuaranteedStrategies { strategies, enclosure, method, reason });
            }
        }
    }
    let strategies = rounded(&|weights| probabilities(weights, DENOMINATOR));
    let enclosure = Enclosure::of(tree, &strategies, limits)?;
    Ok(GuaranteedStrategies { strategies, enclosure, method, reason })
}
