//! Several equilibria of each position where players choose at once: another one of a later position may leave nobody
//! tempted before it.
//!
//! Technique: from the ends backwards, each position gets the payoffs of its equilibria without chance, a few of
//! them. A combination of choices with payoffs after it is one if each other choice of a player leads to a position
//! with an equilibrium that gives him no more. Then one equilibrium of each position is fixed, from the first
//! position on.
//! Source: Benoit and Krishna, "Finitely repeated games" (1985), for threats by other equilibria of later stages.
//! Cost: the product of moves and equilibria of a position, within a bound.
//! Invariant: what is fixed is an equilibrium in each position. That there is none is told only if none was left out.
//! Not taken: all equilibria, of which there may be exponentially many.

use bouton_base::limits::LimitHit;
use bouton_base::rational::Rational;

use super::graph::{GameGraph, GraphNode};
use super::several_players::{Payoffs, payoffs_of};
use super::solver::SolveRequest;
use super::{Inapplicable, pure_equilibrium::joint_choices};

/// The maximal number of equilibria of a position.
const MAX_RESULTS: usize = 100;
/// The maximal number of comparisons of payoffs.
const MAX_STEPS: u64 = 5_000_000;

/// An equilibrium in each position.
pub(super) struct PureProfile {
    /// The number of the move by position.
    pub choice: Vec<usize>,
    pub payoffs: Vec<Payoffs>,
    /// The payoffs of the equilibria without chance of the first position that were found.
    pub results: Vec<Payoffs>,
    /// True if there are no others.
    pub is_complete: bool,
}

/// The reason why there is no equilibrium.
pub(super) enum NoProfile {
    /// There is none without chance.
    None,
    /// None was found within the bounds.
    Open,
    Inapplicable(Inapplicable),
}

impl From<LimitHit> for NoProfile {
    fn from(hit: LimitHit) -> NoProfile {
        NoProfile::Inapplicable(hit.into())
    }
}

/// An equilibrium of a position.
struct PureResult {
    payoffs: Payoffs,
    choice: usize,
    /// For each move the number of the equilibrium after it.
    after: Vec<usize>,
}

/// Searches an equilibrium without chance among several of each position; `order` is a topological one.
pub(super) fn search(
    graph: &GameGraph,
    order: &[u32],
    request: &SolveRequest<'_>,
) -> Result<PureProfile, NoProfile> {
    let mut search = ResultSearch { graph, results: Vec::new(), steps: 0, is_complete: true };
    search.results.resize_with(graph.len(), Vec::new);
    for &at in order.iter().rev() {
        if let Some(hit) = request.limits.check() {
            return Err(hit.into());
        }
        let found = match graph.node(at) {
            GraphNode::Over(outcome) => {
                vec![PureResult { payoffs: payoffs_of(graph, outcome), choice: 0, after: Vec::new() }]
            }
            GraphNode::Player(player) => {
                let count = graph.successors(at).len();
                let all: Vec<usize> = (0..count).collect();
                search.chosen(at, &|_| vec![(player as usize, all.clone())])
            }
            GraphNode::Each => {
                let joint = joint_choices(graph, at, request).map_err(NoProfile::Inapplicable)?;
                search.chosen(at, &|made| joint.alternatives(made))
            }
            GraphNode::Chance => search.means(at),
            GraphNode::Open => return Err(NoProfile::Open),
        };
        if search.steps > MAX_STEPS {
            return Err(NoProfile::Open);
        }
        if found.is_empty() {
            return Err(if search.is_complete { NoProfile::None } else { NoProfile::Open });
        }
        search.results[at as usize] = found;
    }
    search.fixed(order).ok_or(NoProfile::Open)
}

struct ResultSearch<'g> {
    graph: &'g GameGraph,
    /// The equilibria by position, with different payoffs.
    results: Vec<Vec<PureResult>>,
    steps: u64,
    /// False if some equilibria were left out.
    is_complete: bool,
}

impl ResultSearch<'_> {
    /// The equilibria of a position in which players choose; `alternatives` has, for a move, the players with the
    /// moves that each of them can make instead.
    fn chosen(
        &mut self,
        at: u32,
        alternatives: &dyn Fn(usize) -> Vec<(usize, Vec<usize>)>,
    ) -> Vec<PureResult> {
        let next = self.graph.successors(at);
        let mut found: Vec<PureResult> = Vec::new();
        // Strategies that remember more than the position may go on in different ways after two moves to one position.
        let may_remember =
            |(edge, to): (usize, &u32)| next[..edge].contains(to) && self.results[*to as usize].len() > 1;
        self.is_complete &= !next.iter().enumerate().any(may_remember);
        for choice in 0..next.len() {
            let others = alternatives(choice);
            self.steps += next.len() as u64;
            for number in 0..self.results[next[choice] as usize].len() {
                let payoffs = self.results[next[choice] as usize][number].payoffs.clone();
                if found.iter().any(|known| known.payoffs == payoffs) {
                    continue;
                }
                if found.len() == MAX_RESULTS || self.steps > MAX_STEPS {
                    self.is_complete = false;
                    return found;
                }
                if let Some(after) = self.harmless(next, choice, number, &others) {
                    found.push(PureResult { payoffs, choice, after });
                }
            }
        }
        found
    }

    /// Returns for each move an equilibrium after it, so that nobody gains by another move than this one with this
    /// equilibrium after it; `None` if there are none.
    fn harmless(
        &mut self,
        next: &[u32],
        choice: usize,
        number: usize,
        others: &[(usize, Vec<usize>)],
    ) -> Option<Vec<usize>> {
        let payoffs = &self.results[next[choice] as usize][number].payoffs;
        let mut after = vec![0; next.len()];
        for edge in 0..next.len() {
            if next[edge] == next[choice] {
                after[edge] = number;
                continue;
            }
            // Moves that lead to one position have one equilibrium after them.
            let leads = |of: &usize| next[*of] == next[edge];
            let tempted: Vec<usize> = others
                .iter()
                .filter(|(_, moves)| moves.iter().any(leads))
                .map(|(player, _)| *player)
                .collect();
            let results = &self.results[next[edge] as usize];
            self.steps += 1 + (results.len() * tempted.len()) as u64;
            let is_harmless =
                |of: &PureResult| tempted.iter().all(|&player| of.payoffs[player] <= payoffs[player]);
            after[edge] = results.iter().position(is_harmless)?;
        }
        Some(after)
    }

    /// The means over the equilibria after each event of chance.
    fn means(&mut self, at: u32) -> Vec<PureResult> {
        let (next, shares) = (self.graph.successors(at), self.graph.probabilities(at));
        let mut found = vec![PureResult { payoffs: Payoffs::new(), choice: 0, after: Vec::new() }];
        for (edge, (&to, share)) in next.iter().zip(shares).enumerate() {
            let known = next[..edge].iter().position(|&before| before == to);
            self.is_complete &= known.is_none() || self.results[to as usize].len() <= 1;
            let mut longer: Vec<PureResult> = Vec::new();
            for so_far in &found {
                for (number, result) in self.results[to as usize].iter().enumerate() {
                    if known.is_some_and(|before| so_far.after[before] != number) {
                        continue;
                    }
                    self.steps += 1;
                    let added = |(player, payoff): (usize, &Rational)| {
                        so_far.payoffs.get(player).cloned().unwrap_or_default() + payoff * share
                    };
                    let payoffs: Payoffs = result.payoffs.iter().enumerate().map(added).collect();
                    let after = [&so_far.after[..], &[number]].concat();
                    longer.push(PureResult { payoffs, choice: 0, after });
                }
            }
            if longer.len() > MAX_RESULTS {
                self.is_complete = false;
                longer.truncate(MAX_RESULTS);
            }
            found = longer;
        }
        found
    }

    /// Fixes one equilibrium of each position, the first of the first position that leaves one for each later one.
    fn fixed(&self, order: &[u32]) -> Option<PureProfile> {
        let first = &self.results[0];
        let is_better = |a: &PureResult, b: &PureResult| {
            a.payoffs != b.payoffs && a.payoffs.iter().zip(&b.payoffs).all(|(a, b)| a >= b)
        };
        let is_efficient = |number: &usize| !first.iter().any(|other| is_better(other, &first[*number]));
        let (efficient, others): (Vec<usize>, Vec<usize>) = (0..first.len()).partition(is_efficient);
        let numbers =
            efficient.into_iter().chain(others).find_map(|number| self.consistent(order, number))?;
        let result = |at: usize| &self.results[at][numbers[at]];
        Some(PureProfile {
            choice: (0..numbers.len()).map(|at| result(at).choice).collect(),
            payoffs: (0..numbers.len()).map(|at| result(at).payoffs.clone()).collect(),
            results: first.iter().map(|result| result.payoffs.clone()).collect(),
            is_complete: self.is_complete,
        })
    }

    /// Returns the number of the equilibrium of each position that this one of the first position needs; `None` if
    /// two of its moves need different ones of a later position.
    fn consistent(&self, order: &[u32], number: usize) -> Option<Vec<usize>> {
        let mut numbers: Vec<Option<usize>> = vec![None; self.results.len()];
        numbers[0] = Some(number);
        for &at in order {
            let result = &self.results[at as usize][numbers[at as usize].unwrap_or(0)];
            for (&to, &needed) in self.graph.successors(at).iter().zip(&result.after) {
                if *numbers[to as usize].get_or_insert(needed) != needed {
                    return None;
                }
            }
        }
        Some(numbers.into_iter().map(|number| number.unwrap_or(0)).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::Game;
    use crate::game::toy::ToyGame;
    use crate::solve::SolveOptions;
    use crate::solve::graph::EnumerationScope;
    use bouton_base::limits::{Limits, NoProgress};

    /// A position: its end, a choice of one player, or two choices of each of the first two players at once.
    #[derive(Clone, Debug)]
    enum Place {
        Over([i64; 3]),
        Moves(u32, Vec<usize>),
        Joint([usize; 4]),
    }

    fn game(places: &[Place]) -> Game {
        let mut toy = ToyGame::new(3);
        for (at, place) in places.iter().enumerate() {
            match place {
                Place::Over(payoffs) => toy.payoffs(at, payoffs),
                Place::Moves(owner, next) => {
                    next.iter().for_each(|&to| toy.edge(at, to));
                    toy.owner(at, *owner);
                }
                Place::Joint(next) => toy.joint(at, &[2, 2], next),
            }
        }
        toy.game()
    }

    /// Searches a game; the graph has the positions that can be reached.
    fn searched(game: &Game) -> (Result<PureProfile, NoProfile>, GameGraph) {
        let (start, limits) = (game.machine.initial(), Limits::default());
        let options = SolveOptions::default();
        let request = SolveRequest::new(game, &start, &options, &limits, &NoProgress);
        let from = std::slice::from_ref(&start);
        let graph =
            GameGraph::build(game, from, EnumerationScope::default(), &limits, &NoProgress).expect("a graph");
        let order = graph.topological().expect("a finite game");
        (search(&graph, &order, &request), graph)
    }

    /// Returns the payoffs by position if nobody gains by another choice in any of these positions.
    fn stable(places: &[Place], positions: &[usize], choice: &[usize]) -> Option<Vec<[i64; 3]>> {
        let mut worth = vec![[0; 3]; places.len()];
        for (at, place) in places.iter().enumerate().rev() {
            worth[at] = match place {
                Place::Over(payoffs) => *payoffs,
                Place::Moves(_, next) => worth[next[choice[at]]],
                Place::Joint(next) => worth[next[choice[at]]],
            };
        }
        let gains = |at: &usize| match &places[*at] {
            Place::Over(_) => false,
            Place::Moves(owner, next) => {
                let owner = *owner as usize;
                next.iter().any(|&to| worth[to][owner] > worth[*at][owner])
            }
            Place::Joint(next) => {
                let made = choice[*at];
                worth[next[made ^ 2]][0] > worth[*at][0] || worth[next[made ^ 1]][1] > worth[*at][1]
            }
        };
        (!positions.iter().any(gains)).then_some(worth)
    }

    fn places() -> impl Strategy<Value = Vec<Place>> {
        let place = (0..4u32, prop::array::uniform3(0..3i64), prop::array::uniform4(0..1000usize));
        prop::collection::vec(place, 2..8).prop_map(|raw| {
            let size = raw.len() + 4;
            let ends = [[2, 0, 1], [0, 2, 1], [1, 1, 0], [3, 1, 2]].map(Place::Over);
            let place = |(at, (kind, payoffs, to)): (usize, (u32, [i64; 3], [usize; 4]))| {
                let next = to.map(|to| at + 1 + to % (size - at - 1));
                match kind {
                    0 if at > 0 => Place::Over(payoffs),
                    1 => Place::Moves(payoffs[0] as u32, next[..2].to_vec()),
                    _ => Place::Joint(next),
                }
            };
            raw.into_iter().enumerate().map(place).chain(ends).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn profiles_are_equilibria_and_none_is_missed(places in places()) {
            let game = game(&places);
            let (found, graph) = searched(&game);
            let at = |index: u32| graph.explored.arena.state(index).0[0] as usize;
            let positions: Vec<usize> = (0..graph.len() as u32).map(at).collect();
            match found {
                Ok(found) => {
                    let mut choice = vec![0; places.len()];
                    positions.iter().zip(&found.choice).for_each(|(&at, &made)| choice[at] = made);
                    let worth = stable(&places, &positions, &choice);
                    prop_assert!(worth.is_some(), "{:?}", choice);
                    let told = worth.unwrap()[0].map(Rational::from_integer).to_vec();
                    prop_assert_eq!(&found.payoffs[0], &told);
                }
                Err(NoProfile::None) => {
                    let mut profiles = vec![vec![0; places.len()]];
                    for &at in &positions {
                        let count = match &places[at] {
                            Place::Over(_) => 1,
                            Place::Moves(_, next) => next.len(),
                            Place::Joint(next) => next.len(),
                        };
                        let with = |profile: Vec<usize>| {
                            (0..count).map(move |made| {
                                let mut longer = profile.clone();
                                longer[at] = made;
                                longer
                            })
                        };
                        profiles = profiles.into_iter().flat_map(with).collect();
                    }
                    prop_assert!(profiles.iter().all(|choice| stable(&places, &positions, choice).is_none()));
                }
                Err(_) => {}
            }
        }
    }

    /// After the first choices of both, one of two equilibria tempts nobody before it, the other one does.
    #[test]
    fn another_equilibrium_of_a_later_position_is_tried() {
        let over = |payoffs: [i64; 3]| Place::Over(payoffs);
        let places = [
            Place::Joint([1, 2, 3, 4]),
            Place::Joint([5, 6, 6, 7]),
            over([1, 1, 0]),
            over([0, 0, 0]),
            over([0, 1, 0]),
            over([-2, 3, 0]),
            over([-5, -5, 0]),
            over([2, 2, 0]),
        ];
        let (found, _) = searched(&game(&places));
        let Ok(found) = found else { panic!("an equilibrium") };
        assert_eq!(found.payoffs[0], [2, 2, 0].map(Rational::from_integer));
        assert_eq!(found.choice[..2], [0, 3]);
        // Matching pennies has none.
        let pennies = [Place::Joint([1, 2, 2, 1]), over([1, 0, 0]), over([0, 1, 0])];
        assert!(matches!(searched(&game(&pennies)).0, Err(NoProfile::None)));
    }
}
