//! Monte-Carlo tree search (MCTS) with exact back-up, for play where no exact method fits.
//!
//! Technique: each game expands one position of the tree. Inside the tree, the search tries the move with the
//! greatest upper confidence bound, from its mean result and its number of trials; outside, it draws moves at random.
//! Certain results are backed up as such: a position is settled if its mover has a move with the greatest possible
//! payoff, or if all of its moves are settled, and the search does not enter a settled position again.
//! Source: Kocsis and Szepesvari, "Bandit based Monte-Carlo planning" (2006) for UCT; Coulom (2006) for the tree;
//! Winands, Bjoernsson, Saito, "Monte-Carlo tree search solver" (2008); for several players each maximizes his own
//! mean.
//! Cost: a fixed number of positions; the tree holds the successors of one position for each game.
//! Invariant: the same seed gives the same move on every machine, since the logarithm is computed from an integer
//! logarithm to base 2. Settled results follow from ends in the tree; the rest is a guess, and no claim rests on it.
//! Not taken: merging transpositions, whose means would have to be backed up along many paths.

use super::depth_limited::evaluation::ExpandedNode;
use super::playout::random_playout;
use crate::game::information::own_choice;
use crate::game::random::Random;
use crate::game::{Game, MachineError, MoveInstance, State, Successor, ToMove};
use bouton_base::limits::{LimitHit, Limits};

/// The exploration constant of UCT.
const EXPLORATION: f64 = 1.0;

/// The maximal number of nodes of the tree.
const MAX_NODES: usize = 4_000_000;

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct MctsResult {
    /// The index of the move among the successors.
    pub chosen: usize,
    /// The number of games played.
    pub games: u64,
    /// Each player's payoff by this move: certain, or the mean of the games that tried it.
    pub worth: Vec<f64>,
    /// True if the payoffs are certain.
    pub settled: bool,
}

/// The budget and the seed of a search.
#[derive(Clone, Copy, Debug)]
pub struct MctsBudget {
    /// The number of positions to visit, in the tree and in random games.
    pub positions: u64,
    /// The seed of the random games.
    pub seed: u64,
}

/// A position in the tree.
struct MctsNode {
    state: State,
    /// The turn; `None` if the node was never visited.
    turn: Option<ToMove>,
    /// The index of the first of its `moves` successors, which are consecutive nodes.
    first: usize,
    moves: usize,
    /// The probability, if a chance move leads here.
    probability: f64,
    visits: f64,
    /// By player: the sum of the results of the games through this node.
    sum: Vec<f64>,
    /// Each player's payoff, if certain.
    settled: Option<Vec<f64>>,
}

struct MctsSearch<'a> {
    game: &'a Game,
    nodes: Vec<MctsNode>,
    random: Random,
    players: usize,
    /// The greatest payoff of a player; `None` if the rules do not bound it.
    max_payoff: Option<f64>,
    /// The least and the greatest payoff so far: exploration is measured by them.
    range: (f64, f64),
    visited: u64,
}

/// Returns the move for the player to move; `None` if no player chooses, or the search could not try any move.
pub fn choose(
    game: &Game,
    state: &State,
    effort: MctsBudget,
    limits: &Limits,
) -> Result<Option<MctsResult>, LimitHit> {
    let mut search = MctsSearch::new(game, state, effort.seed);
    let (games, hit) = search.run(effort.positions, limits);
    match hit {
        Some(hit) => Err(hit),
        None => Ok(search.best(games)),
    }
}

/// Searches until a limit is reached, and returns the move that is best so far for a player who has a choice, alone or
/// together with others; `None` if no move was tried. If all players choose at once, the move contains the choice of
/// the player that did best against random choices of the others.
pub fn choose_in_time(
    game: &Game,
    state: &State,
    player: u32,
    effort: MctsBudget,
    limits: &Limits,
) -> Option<MctsResult> {
    let mut search = MctsSearch::new(game, state, effort.seed);
    let (games, _) = search.run(effort.positions, limits);
    match search.nodes[0].turn {
        Some(ToMove::Simultaneous) => search.best_choice(player, games),
        _ => search.best(games),
    }
}

impl<'a> MctsSearch<'a> {
    fn new(game: &'a Game, state: &State, seed: u64) -> MctsSearch<'a> {
        let payoffs =
            game.rules.ends.iter().any(|e| matches!(e.outcome, bouton_rules::OutcomeExpr::Payoff(_)));
        let mut search = MctsSearch {
            game,
            nodes: Vec::new(),
            random: Random::new(seed),
            players: game.rules.players().len(),
            max_payoff: (!payoffs).then_some(1.0),
            range: if payoffs { (f64::INFINITY, f64::NEG_INFINITY) } else { (-1.0, 1.0) },
            visited: 0,
        };
        search.push(state.clone(), 1.0);
        search
    }

    /// Plays games until this number of positions is visited, the root is settled or a limit is reached. Returns the
    /// number of games and the limit.
    fn run(&mut self, positions: u64, limits: &Limits) -> (u64, Option<LimitHit>) {
        let mut games = 0;
        // A game that ends in a settled position visits none, so games are limited as well.
        while self.visited.max(games) < positions
            && self.nodes[0].settled.is_none()
            && self.nodes.len() < MAX_NODES
        {
            if let Some(hit) = limits.check() {
                return (games, Some(hit));
            }
            match self.play() {
                Ok(()) => games += 1,
                Err(MachineError::Limit(hit)) => return (games, Some(hit)),
                // The rules have a fault in some position: the results so far must do.
                Err(MachineError::Fault(_)) => break,
            }
        }
        (games, None)
    }

    fn push(&mut self, state: State, likely: f64) {
        let sum = vec![0.0; self.players];
        self.nodes.push(MctsNode {
            state,
            turn: None,
            first: 0,
            moves: 0,
            probability: likely,
            visits: 0.0,
            sum,
            settled: None,
        });
    }

    /// Plays one game: down the tree, one new position, at random to the end, and back up.
    fn play(&mut self) -> Result<(), MachineError> {
        let mut way = vec![0];
        let result = loop {
            let at = way[way.len() - 1];
            if let Some(settled) = &self.nodes[at].settled {
                break settled.clone();
            }
            if self.nodes[at].turn.is_none() {
                break self.visit(at)?;
            }
            match self.select(at) {
                Some(next) => way.push(next),
                None => break vec![0.0; self.players],
            }
        };
        for &payoff in &result {
            self.range = (self.range.0.min(payoff), self.range.1.max(payoff));
        }
        for &at in way.iter().rev() {
            self.settle(at);
            let node = &mut self.nodes[at];
            node.visits += 1.0;
            node.sum.iter_mut().zip(&result).for_each(|(sum, one)| *sum += one);
        }
        Ok(())
    }

    /// Visits a position for the first time, and plays on from there.
    fn visit(&mut self, at: usize) -> Result<Vec<f64>, MachineError> {
        let state = self.nodes[at].state.clone();
        let (turn, successors) = self.expand(&state)?;
        if let ToMove::Terminal(outcome) = &turn {
            let payoffs = outcome.payoffs.iter().map(|payoff| payoff.to_f64());
            self.nodes[at].settled = Some(payoffs.collect());
        }
        self.nodes[at].first = self.nodes.len();
        self.nodes[at].moves = successors.len();
        for Successor { state, probability, .. } in &successors {
            self.push(state.clone(), probability.to_f64());
        }
        let result = match self.nodes[at].settled.clone() {
            Some(settled) => settled,
            None => {
                let from = ExpandedNode { state: &state, turn: &turn, successors: &successors };
                random_playout(self.game, &mut self.random, from, &mut self.visited)?
            }
        };
        self.nodes[at].turn = Some(turn);
        Ok(result)
    }

    fn expand(&mut self, state: &State) -> Result<(ToMove, Vec<Successor>), MachineError> {
        self.visited += 1;
        self.game.machine.expand(state)
    }

    /// Selects the move to try: for a player the one with the greatest upper confidence bound, for chance one by its
    /// probability, and for simultaneous moves any with equal probability.
    fn select(&mut self, at: usize) -> Option<usize> {
        let MctsNode { first, moves, visits, .. } = self.nodes[at];
        let moves = first..first + moves;
        let Some(ToMove::Player(player)) = self.nodes[at].turn else {
            // The unit is one part in 2^32: probabilities need not be exact, since no claim rests on them.
            let mut share = self.random.below(1 << 32) as f64 / (1u64 << 32) as f64;
            let chance = self.nodes[at].turn == Some(ToMove::Chance);
            let each = 1.0 / moves.len().max(1) as f64;
            let last = moves.end.checked_sub(1);
            for one in moves {
                share -= if chance { self.nodes[one].probability } else { each };
                if share < 0.0 {
                    return Some(one);
                }
            }
            return last;
        };
        let exploration = EXPLORATION * ((self.range.1 - self.range.0) / 2.0).max(0.0);
        let logarithm = f64::from((visits as u64 + 1).ilog2()) * std::f64::consts::LN_2;
        let hope = |one: usize| {
            let node = &self.nodes[one];
            match &node.settled {
                // A settled move is tried only if nothing promises more.
                Some(worth) => worth[player as usize],
                None if node.visits == 0.0 => f64::INFINITY,
                None => {
                    node.sum[player as usize] / node.visits
                        + exploration * (2.0 * logarithm / node.visits).sqrt()
                }
            }
        };
        // The first of equal moves wins.
        let mut best = None;
        for one in moves {
            let worth = hope(one);
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((one, worth));
            }
        }
        best.map(|(one, _)| one)
    }

    /// Settles a position if its settled moves determine its payoffs.
    fn settle(&mut self, at: usize) {
        let node = &self.nodes[at];
        if node.settled.is_some() || node.moves == 0 {
            return;
        }
        let moves = &self.nodes[node.first..node.first + node.moves];
        let all = moves.iter().all(|one| one.settled.is_some());
        let certain = moves.iter().filter_map(|one| one.settled.as_ref());
        let settled = match node.turn {
            Some(ToMove::Player(player)) => {
                let own = |worth: &&Vec<f64>| worth[player as usize];
                let best = certain.reduce(|a, b| if own(&b) > own(&a) { b } else { a });
                best.filter(|best| all || self.max_payoff.is_some_and(|most| own(best) >= most)).cloned()
            }
            Some(ToMove::Chance) if all => {
                let mut mean = vec![0.0; self.players];
                for (one, worth) in moves.iter().zip(certain) {
                    mean.iter_mut().zip(worth).for_each(|(sum, part)| *sum += one.probability * part);
                }
                Some(mean)
            }
            _ => None,
        };
        self.nodes[at].settled = settled;
    }

    /// Returns the move with the most visits; a settled move is compared by worth instead.
    fn best(&self, games: u64) -> Option<MctsResult> {
        let root = &self.nodes[0];
        let Some(ToMove::Player(player)) = root.turn else { return None };
        let own = player as usize;
        let worth = |node: &MctsNode| -> Vec<f64> {
            let mean = |sum: &f64| sum / node.visits.max(1.0);
            node.settled.clone().unwrap_or_else(|| node.sum.iter().map(mean).collect())
        };
        let moves = &self.nodes[root.first..root.first + root.moves];
        let mut best: Option<(usize, &MctsNode)> = None;
        for (number, node) in moves.iter().enumerate() {
            let better = best.is_none_or(|(_, old)| match (&node.settled, &old.settled) {
                (None, None) => node.visits > old.visits,
                _ => worth(node)[own] > worth(old)[own],
            });
            if better {
                best = Some((number, node));
            }
        }
        let (chosen, node) = best?;
        Some(MctsResult { chosen, games, worth: worth(node), settled: node.settled.is_some() })
    }

    /// Returns a move with the choice of a player whose mean result is best over all choices of the others.
    fn best_choice(&self, player: u32, games: u64) -> Option<MctsResult> {
        let root = &self.nodes[0];
        let successors = self.game.machine.successors(&root.state).ok()?;
        let choice = |next: &Successor| own_choice(&ToMove::Simultaneous, &next.play, player).cloned();
        let mut by_choice: Vec<(Option<MoveInstance>, usize, f64, Vec<f64>)> = Vec::new();
        for (number, next) in successors.iter().enumerate() {
            let node = &self.nodes[root.first + number];
            let choice = choice(next);
            let at = by_choice.iter().position(|(other, ..)| *other == choice).unwrap_or_else(|| {
                by_choice.push((choice, number, 0.0, vec![0.0; self.players]));
                by_choice.len() - 1
            });
            let (_, _, visits, sum) = &mut by_choice[at];
            *visits += node.visits;
            sum.iter_mut().zip(&node.sum).for_each(|(sum, one)| *sum += one);
        }
        let mean = |visits: f64, sum: &[f64]| sum[player as usize] / visits.max(1.0);
        let tried = by_choice.into_iter().filter(|(_, _, visits, _)| *visits > 0.0);
        let best = tried.reduce(|a, b| if mean(b.2, &b.3) > mean(a.2, &a.3) { b } else { a });
        let (_, chosen, visits, sum) = best?;
        let worth = sum.iter().map(|sum| sum / visits).collect();
        Some(MctsResult { chosen, games, worth, settled: false })
    }
}
