//! Games with simultaneous choices and nothing hidden, by backward induction over matrices.
//!
//! Technique: positions by plies, the last first. Where both players choose, the values after each pair of choices are a
//! matrix: if the players' interests are opposed, its value is that of the matrix game; otherwise it must have a single
//! equilibrium, which both play from there on (subgame perfection).
//! Source: Shapley (1953) and Everett (1957) for matrices of values; Selten (1965) for subgame perfection.
//! Cost: a matrix game for each position with simultaneous choices.
//! Invariant: the value is that of the strategies found, by their exact guarantees against best responses.
//! Not taken: pruning of matrices by bounds (Bosansky and others 2016), which large games would need.

use num_rational::BigRational;
use num_traits::{One, Zero};

use super::bimatrix::{Bimatrix, Equilibria, Equilibrium};
use super::game_tree::{Behaviour, GameTree, NONE, PLAYERS, TreeEdge};
use super::matrix_game::{self, Matrix};
use super::play::{Attempt, ChoiceMatrix, Enclosure, MixedPlay, MixedSolution, check_request, tree, written};
use crate::game::explore::FaultyPosition;
use crate::game::{Game, State};
use crate::solve::equilibrium::{ProfileNode, can_list, lemma};
use crate::solve::graph::{EnumerationScope, GameGraph};
use crate::solve::graph_labelling::REQUESTED_REASON;
use crate::solve::payoffs::PayoffModel;
use crate::solve::pure_equilibrium::endless_equilibrium;
use crate::solve::value::{Value, ValueKind};
use crate::solve::{Cost, Estimate, Inapplicable, Solution, SolveRequest, Solver, Status};
use bouton_base::limits::Limits;
use bouton_base::rational::Rational;
use bouton_certificates::{ChoiceProbabilities, Lemma};

/// Backward induction over matrices.
pub struct Matrices;

/// The reason for the method where nobody requested it.
const PICKED_REASON: &str =
    "players choose simultaneously, so each choice is a matrix of the values after it";
/// The maximal number of choices of a player for which all equilibria are computed.
const MAX_EQUILIBRIA_SIDE: usize = 12;

impl Solver for Matrices {
    fn name(&self) -> &'static str {
        "matrix"
    }

    fn description(&self) -> &'static str {
        "matrices of simultaneous choices, from the ends of the game backwards"
    }

    fn counts_plies(&self) -> bool {
        false
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        if request.game.rules.has_hidden_information() {
            return Err("something is hidden from players: `--method sequence-form` or `cfr` fits".into());
        }
        check_request(request)
    }

    fn cost(&self, reachable: &Estimate) -> Option<Cost> {
        Some(Cost::of_graph(reachable))
    }

    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        if let Err(reason) = self.applies(request) {
            return Ok(Solution::inapplicable(self.name(), "", reason));
        }
        let &SolveRequest { game, state, limits, progress, .. } = request;
        let scope = EnumerationScope::default();
        let graph = GameGraph::build(game, std::slice::from_ref(state), scope, limits, progress)?;
        if graph.limit().is_none() && !graph.is_simultaneous() {
            let reason = "players never choose simultaneously: other methods fit";
            return Ok(Solution::inapplicable(self.name(), "", reason.into()));
        }
        solve_graph(request, &graph, REQUESTED_REASON)
    }
}

/// Solves a game whose graph was enumerated, because players choose simultaneously.
pub fn solve_picked(request: &SolveRequest<'_>, graph: &GameGraph) -> Result<Solution, Box<FaultyPosition>> {
    if let Err(reason) = Matrices.applies(request) {
        return Ok(Solution::inapplicable(Matrices.name(), "", reason));
    }
    let solution = solve_graph(request, graph, PICKED_REASON)?;
    let is_open = solution.status == Status::Unknown && graph.is_complete();
    if is_open && request.game.rules.players().len() == PLAYERS && graph.topological().is_none() {
        // The interests of the players may not be opposed.
        return Ok(endless_equilibrium(graph, request).map_or(solution, |found| Solution {
            positions: graph.expanded() as u64,
            memory_bytes: graph.held_bytes(),
            ..found
        }));
    }
    Ok(solution)
}

fn solve_graph(
    request: &SolveRequest<'_>,
    graph: &GameGraph,
    why: &str,
) -> Result<Solution, Box<FaultyPosition>> {
    let name = Matrices.name();
    let found = match graph.limit() {
        Some(hit) => Ok(Err(hit.into())),
        None if graph.topological().is_none() => super::recursive::solve(request, graph, why),
        None => solve_finite(request, why),
    };
    let (positions, memory_bytes) = (graph.expanded() as u64, graph.held_bytes());
    Ok(match found? {
        Ok(solution) => Solution { positions, memory_bytes, ..solution },
        Err(reason) => Solution { positions, memory_bytes, ..Solution::inapplicable(name, why, reason) },
    })
}

fn solve_finite(request: &SolveRequest<'_>, why: &str) -> Attempt<Solution> {
    let tree = match tree(request)? {
        Ok(tree) => tree,
        Err(reason) => return Ok(Err(reason)),
    };
    request.progress.phase("solving matrices");
    Ok(solve_tree(request, tree, why))
}

fn solve_tree(request: &SolveRequest<'_>, tree: GameTree, why: &str) -> Result<Solution, Inapplicable> {
    let &SolveRequest { game, limits, .. } = request;
    let (method, why) = (Matrices.name(), why.to_owned());
    let induction = Induction::run(&tree, limits)?;
    let matrix = induction.start_matrix(&tree, game, limits)?;
    if let Some((_, several)) = &induction.several {
        let mut solution = Solution::unknown(method, &why, several.clone());
        solution.strategy = induction.first_choice_lemmas(&tree, request, matrix.as_ref());
        solution.mixed =
            Some(std::sync::Arc::new(MixedPlay { tree, strategies: None, matrix, beaten: None }));
        return Ok(solution);
    }
    if tree.sum.is_some() {
        let enclosure = Enclosure::of(&tree, &induction.strategies, limits)?;
        let play = MixedPlay { tree, strategies: Some(induction.strategies), matrix, beaten: None };
        return Ok(MixedSolution { method, why, enclosure, play }.solution());
    }
    let listed = can_list(request, tree.nodes.len());
    let lemmas = listed.then(|| lemma(request, &induction.profile(&tree, request))).flatten();
    let payoffs = &induction.values[0];
    let payoffs = rationals(payoffs);
    let mut solution = Solution::unknown(method, &why, "");
    solution.reason = None;
    solution.status = Status::Solved;
    solution.value = Some(Value { payoffs, kind: ValueKind::Payoff });
    solution.strategy.extend(lemmas);
    let play = MixedPlay { tree, strategies: Some(induction.strategies), matrix, beaten: None };
    solution.mixed = Some(std::sync::Arc::new(play));
    Ok(solution)
}

/// The values of all nodes, with a strategy of each player.
struct Induction {
    values: Vec<[BigRational; PLAYERS]>,
    strategies: [Behaviour; PLAYERS],
    /// A node with several equilibria, and the reason why there is no single value. Nodes before it have no values.
    several: Option<(u32, String)>,
}

impl Induction {
    fn run(tree: &GameTree, limits: &Limits) -> Result<Induction, Inapplicable> {
        let strategies = [0, 1].map(|player| vec![Vec::new(); tree.sets[player].len()]);
        let values = vec![Default::default(); tree.nodes.len()];
        let mut induction = Induction { values, strategies, several: None };
        for at in (0..tree.nodes.len() as u32).rev() {
            if let Some(hit) = limits.check() {
                return Err(hit.into());
            }
            if let Some(several) = induction.node(tree, at, limits)? {
                let reason = match at {
                    0 if tree.sets.iter().all(|sets| sets.len() <= 1) => several,
                    0 => format!("at the first choice, {several}"),
                    _ => format!("in a position that play can reach, {several}"),
                };
                induction.several = Some((at, reason));
                break;
            }
        }
        Ok(induction)
    }

    /// Computes the value of a node; returns the reason if it has several.
    fn node(&mut self, tree: &GameTree, at: u32, limits: &Limits) -> Result<Option<String>, Inapplicable> {
        let value = match (tree.payoffs_at(at), tree.nodes[at as usize].sets) {
            (Some(payoffs), _) => payoffs.clone(),
            (None, [NONE, NONE]) => self.mean(tree, at),
            (None, [_, NONE]) => match self.best(tree, at, 0) {
                Some(value) => value,
                None => return Ok(Some(EQUAL_MOVES.into())),
            },
            (None, [NONE, _]) => match self.best(tree, at, 1) {
                Some(value) => value,
                None => return Ok(Some(EQUAL_MOVES.into())),
            },
            (None, sets) => {
                let game = self.matrix(tree, at)?;
                if tree.sum.is_some() {
                    let found = matrix_game::solve(&game.first, limits)?;
                    let value = expected(&game, &found.rows, &found.columns);
                    self.strategies[0][sets[0] as usize] = found.rows;
                    self.strategies[1][sets[1] as usize] = found.columns;
                    value
                } else {
                    let found = equilibria(&game, limits)?;
                    // Mixtures of equilibria with the same payoffs have them, too.
                    let first = found.extreme.first();
                    let alike = |of: &Equilibrium| Some(&of.payoffs) == first.map(|first| &first.payoffs);
                    let Some(first) = first.filter(|_| found.extreme.iter().all(alike)) else {
                        return Ok(Some(several(&found)));
                    };
                    self.strategies[0][sets[0] as usize] = first.rows.clone();
                    self.strategies[1][sets[1] as usize] = first.columns.clone();
                    first.payoffs.clone()
                }
            }
        };
        self.values[at as usize] = value;
        Ok(None)
    }

    fn mean(&self, tree: &GameTree, at: u32) -> [BigRational; PLAYERS] {
        let mut sums: [BigRational; PLAYERS] = Default::default();
        for edge in tree.edges_of(at) {
            for (sum, value) in sums.iter_mut().zip(&self.values[edge.to as usize]) {
                *sum += tree.probability(edge) * value;
            }
        }
        sums
    }

    /// Selects a player's best move, the first of several; `None` if best moves give the other player different
    /// payoffs.
    fn best(&mut self, tree: &GameTree, at: u32, player: usize) -> Option<[BigRational; PLAYERS]> {
        let set = tree.nodes[at as usize].sets[player];
        let edges = tree.edges_of(at);
        let worth = |to: u32| &self.values[to as usize][player];
        let most = edges.iter().map(|edge| worth(edge.to)).max()?.clone();
        let mut best = edges.iter().filter(|edge| *worth(edge.to) == most);
        let first = best.next()?;
        let value = self.values[first.to as usize].clone();
        if best.any(|other| self.values[other.to as usize] != value) {
            return None;
        }
        let shares = |i: usize| if i == first.actions[player] as usize { One::one() } else { Zero::zero() };
        self.strategies[player][set as usize] = (0..edges.len()).map(shares).collect();
        Some(value)
    }

    /// The matrix of the values after each pair of choices.
    fn matrix(&self, tree: &GameTree, at: u32) -> Result<Bimatrix, Inapplicable> {
        let sets = tree.nodes[at as usize].sets;
        let count = |player: usize| tree.sets[player][sets[player] as usize].actions.len();
        let (rows, columns) = (count(0), count(1));
        let edges = tree.edges_of(at);
        let mut cells: Vec<Option<u32>> = vec![None; rows * columns];
        for edge in edges {
            let [row, column] = edge.actions.map(|action| action as usize);
            cells[row * columns + column] = Some(edge.to);
        }
        let Some(cells) = cells.into_iter().collect::<Option<Vec<u32>>>() else {
            return Err("some pairs of simultaneous choices are not legal together".into());
        };
        let side = |player: usize| -> Matrix {
            let line = |row: &[u32]| row.iter().map(|&to| self.values[to as usize][player].clone()).collect();
            cells.chunks(columns).map(line).collect()
        };
        Ok(Bimatrix { first: side(0), second: side(1) })
    }

    /// Returns the strategies in all positions.
    fn profile(&self, tree: &GameTree, request: &SolveRequest<'_>) -> Vec<ProfileNode> {
        let mut states: Vec<Option<State>> = vec![None; tree.nodes.len()];
        states[0] = Some(tree.start.clone());
        let mut profile = Vec::with_capacity(tree.nodes.len());
        for at in 0..tree.nodes.len() as u32 {
            // Every node but the first one is after an earlier one.
            let Some(state) = states[at as usize].take() else { break };
            let edges = tree.edges_of(at);
            if !edges.is_empty() {
                let after = request.game.machine.successors(&state).unwrap_or_default();
                after.into_iter().zip(edges).for_each(|(made, edge)| {
                    states[edge.to as usize].get_or_insert(made.state);
                });
            }
            let sets = tree.nodes[at as usize].sets;
            let shares = |player: usize| match sets[player] {
                NONE => None,
                set => Some(&self.strategies[player][set as usize]),
            };
            let is_made = |edge: &TreeEdge| {
                (0..PLAYERS).all(|player| {
                    let share =
                        |shares: &Vec<BigRational>| shares.get(edge.actions[player] as usize).cloned();
                    shares(player).and_then(share).is_none_or(|share| !share.is_zero())
                })
            };
            profile.push(ProfileNode {
                state,
                payoffs: rationals(&self.values[at as usize]),
                choices: (0..PLAYERS)
                    .filter_map(shares)
                    .map(|of| ChoiceProbabilities(rationals(of)))
                    .collect(),
                moves: edges.iter().map(|edge| (edge.to, is_made(edge))).collect(),
            });
        }
        profile
    }

    /// Returns a lemma for each equilibrium of the simultaneous choice at the start, if it alone has several.
    fn first_choice_lemmas(
        &self,
        tree: &GameTree,
        request: &SolveRequest<'_>,
        matrix: Option<&ChoiceMatrix>,
    ) -> Vec<Lemma> {
        let equilibria = matrix.and_then(|matrix| matrix.equilibria.as_ref());
        let listed = can_list(request, tree.nodes.len()) && matches!(self.several, Some((0, _)));
        let Some(equilibria) = equilibria.filter(|_| listed) else {
            return Vec::new();
        };
        let sets = tree.nodes[0].sets;
        let mut profile = self.profile(tree, request);
        let mut lemmas = Vec::new();
        for equilibrium in &equilibria.extreme {
            let both = [&equilibrium.rows, &equilibrium.columns];
            let made = |edge: &TreeEdge| {
                (0..PLAYERS).all(|player| !both[player][edge.actions[player] as usize].is_zero())
            };
            let Some(first) = profile.first_mut().filter(|_| !sets.contains(&NONE)) else { break };
            first.payoffs = rationals(&equilibrium.payoffs);
            first.choices = both.iter().map(|shares| ChoiceProbabilities(rationals(shares))).collect();
            first.moves = tree.edges_of(0).iter().map(|edge| (edge.to, made(edge))).collect();
            lemmas.extend(lemma(request, &profile));
        }
        lemmas
    }

    /// The simultaneous choice at the start, if play begins with one and the values after it are known.
    fn start_matrix(
        &self,
        tree: &GameTree,
        game: &Game,
        limits: &Limits,
    ) -> Result<Option<ChoiceMatrix>, Inapplicable> {
        let sets = tree.nodes[0].sets;
        // With several equilibria, the induction may have ended before the positions after the first choice.
        let known =
            tree.edges_of(0).iter().all(|edge| self.several.is_none() || tree.payoffs_at(edge.to).is_some());
        if sets.contains(&NONE) || !known {
            return Ok(None);
        }
        let choices = [0, 1].map(|player| {
            let set = &tree.sets[player][sets[player] as usize];
            set.actions.iter().map(|play| written(game, &set.example, player, play)).collect()
        });
        let matrix = self.matrix(tree, 0)?;
        // Elsewhere the payoffs after a choice hold only if both go on to play as the induction says.
        let ends_at_once = tree.edges_of(0).iter().all(|edge| tree.payoffs_at(edge.to).is_some());
        let opposed = tree.sum.is_some();
        let mixtures = opposed.then(|| [0, 1].map(|p| self.strategies[p][sets[p] as usize].clone()));
        let small = matrix.first.len().max(matrix.first[0].len()) <= MAX_EQUILIBRIA_SIDE;
        Ok(Some(ChoiceMatrix {
            choices,
            mixtures,
            equilibria: if opposed || !small { None } else { Some(matrix.equilibria(limits)?) },
            dominated: if small { matrix.iterated_dominance(limits)? } else { Vec::new() },
            security: if opposed || !ends_at_once { [None, None] } else { matrix.security_levels(limits)? },
            game: matrix,
        }))
    }
}

/// Returns numbers as those of values and certificates.
fn rationals(numbers: &[BigRational]) -> Vec<Rational> {
    numbers.iter().cloned().map(Rational::from).collect()
}

/// The reason why a game without opposed interests has no single value.
const EQUAL_MOVES: &str = "a player has several best moves that are not equally good for the other: perfect play has \
    no single value";

fn equilibria(game: &Bimatrix, limits: &Limits) -> Result<Equilibria, Inapplicable> {
    let (rows, columns) = game.size();
    if rows.max(columns) > MAX_EQUILIBRIA_SIDE {
        let reason =
            "the players' interests are not opposed, and there are too many choices to find all equilibria";
        return Err(reason.into());
    }
    Ok(game.equilibria(limits)?)
}

fn expected(game: &Bimatrix, rows: &[BigRational], columns: &[BigRational]) -> [BigRational; PLAYERS] {
    [&game.first, &game.second].map(|payoffs| {
        let line =
            |line: &Vec<BigRational>| line.iter().zip(columns).map(|(a, b)| a * b).sum::<BigRational>();
        payoffs.iter().zip(rows).map(|(of, share)| line(of) * share).sum()
    })
}

/// The maximal number of equilibria to list.
const MAX_LISTED: usize = 6;

/// The reason why several equilibria give no single value.
fn several(found: &Equilibria) -> String {
    let mut pairs: Vec<(&[BigRational; PLAYERS], usize)> = Vec::new();
    for of in &found.extreme {
        match pairs.iter_mut().find(|(payoffs, _)| **payoffs == of.payoffs) {
            Some((_, times)) => *times += 1,
            None => pairs.push((&of.payoffs, 1)),
        }
    }
    let listed: Vec<String> = pairs
        .iter()
        .take(MAX_LISTED)
        .map(|([first, second], times)| match times {
            1 => format!("({first}, {second})"),
            2 => format!("({first}, {second}) twice"),
            times => format!("({first}, {second}) {times} times"),
        })
        .collect();
    let more = if pairs.len() > MAX_LISTED { " and others" } else { "" };
    let (extreme, between) = match found.components.len() < found.extreme.len() {
        true => ("extreme ", ", and mixtures of them"),
        false => ("", ""),
    };
    format!(
        "perfect play has no single value, since the players' interests are not opposed: there are {} {extreme}equilibria, \
         worth {}{more}{between}",
        found.extreme.len(),
        listed.join(", ")
    )
}

/// Returns the payoffs of a graph's ends to the first player, and of play without end.
pub(super) fn payoffs(request: &SolveRequest<'_>, graph: &GameGraph) -> Result<PayoffModel, Inapplicable> {
    PayoffModel::of(&request.game.with_limits(request.limits), graph, false, true)
}
