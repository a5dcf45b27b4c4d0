//! Monte-Carlo tree search with exact back-up, for play where nothing exact fits.
//!
//! Technique: a tree grows by one position a game; in it, the move is tried whose mean result and number of trials leave
//! the most to hope for; outside of it, moves are drawn at random. What is known for certain is backed up as such: a
//! position is settled where its mover has a move that gives him the most there is, or all of its moves are settled, and
//! a settled position is not searched any more.
//! Source: Kocsis and Szepesvari, "Bandit based Monte-Carlo planning" (2006) for UCT; Coulom (2006) for the tree; Winands,
//! Bjoernsson, Saito, "Monte-Carlo tree search solver" (2008); for several players each takes his own mean.
//! Cost: a fixed number of positions; the tree holds one a game.
//! Invariant: the same seed gives the same move on every machine, as the logarithm is one of whole powers of two. What is
//! said to be settled is exact as far as the tree goes; the rest is a guess, and no claim rests on it.
//! Not taken: joining transpositions, whose means would have to be backed up along many ways.

use super::playout::at_random;
use super::value::float;
use crate::base::limits::{LimitHit, Limits};
use crate::game::random::Random;
use crate::game::{Game, Halt, State, Successor, Turn};

/// How much more a move that was tried little is hoped to be worth.
const HOPE: f64 = 1.0;

/// What the search found.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// The number of the move, among the successors.
    pub chosen: usize,
    /// How many games were played to find it.
    pub games: u64,
    /// What each player gets by it: for certain, or in the mean of the games that it was tried in.
    pub worth: Vec<f64>,
    /// Whether that is certain.
    pub settled: bool,
}

/// How much to search.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// So many positions are looked at, in the tree and in random games.
    pub positions: u64,
    /// Of the random games.
    pub seed: u64,
}

/// A position in the tree.
struct Node {
    state: State,
    /// Who acts; none where the node was never visited.
    turn: Option<Turn>,
    /// Its moves are so many nodes from this one on.
    first: usize,
    moves: usize,
    /// If chance leads here: how likely.
    likely: f64,
    visits: f64,
    /// The results of the games through it added up, by player.
    sum: Vec<f64>,
    /// What each player gets, where that is certain.
    settled: Option<Vec<f64>>,
}

struct Search<'a> {
    game: &'a Game,
    nodes: Vec<Node>,
    random: Random,
    players: usize,
    /// What a player gets at most; none where the rules do not tell.
    most: Option<f64>,
    looked: u64,
}

/// The move for who is to move; none where nobody chooses, or nothing could be tried.
pub fn choose(
    game: &Game,
    state: &State,
    effort: Effort,
    limits: &Limits,
) -> Result<Option<Found>, LimitHit> {
    let payoffs = game.rules.ends.iter().any(|e| matches!(e.outcome, crate::rules::Outcome::Payoff(_)));
    let mut search = Search {
        game,
        nodes: Vec::new(),
        random: Random::new(effort.seed),
        players: game.rules.players().len(),
        most: (!payoffs).then_some(1.0),
        looked: 0,
    };
    search.push(state.clone(), 1.0);
    let mut games = 0;
    while search.looked < effort.positions && search.nodes[0].settled.is_none() {
        if let Some(hit) = limits.check() {
            return Err(hit);
        }
        match search.play() {
            Ok(()) => games += 1,
            Err(Halt::Limit(hit)) => return Err(hit),
            // Rules without meaning somewhere: what was found so far will do.
            Err(Halt::Fault(_)) => break,
        }
    }
    Ok(search.best(games))
}

impl Search<'_> {
    fn push(&mut self, state: State, likely: f64) {
        let sum = vec![0.0; self.players];
        self.nodes.push(Node {
            state,
            turn: None,
            first: 0,
            moves: 0,
            likely,
            visits: 0.0,
            sum,
            settled: None,
        });
    }

    /// One game: down the tree, one position more, at random to the end, and back.
    fn play(&mut self) -> Result<(), Halt> {
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
        for &at in way.iter().rev() {
            self.settle(at);
            let node = &mut self.nodes[at];
            node.visits += 1.0;
            node.sum.iter_mut().zip(&result).for_each(|(sum, one)| *sum += one);
        }
        Ok(())
    }

    /// Looks at a position for the first time, and plays on from there.
    fn visit(&mut self, at: usize) -> Result<Vec<f64>, Halt> {
        let state = self.nodes[at].state.clone();
        let (turn, successors) = self.expand(&state)?;
        if let Turn::Over(outcome) = &turn {
            let payoffs = outcome.payoffs.iter().copied().map(float);
            self.nodes[at].settled = Some(payoffs.collect());
        }
        self.nodes[at].first = self.nodes.len();
        self.nodes[at].moves = successors.len();
        for Successor { state, probability, .. } in &successors {
            self.push(state.clone(), float(*probability));
        }
        let result = match self.nodes[at].settled.clone() {
            Some(settled) => settled,
            None => at_random(self.game, &mut self.random, (&turn, &successors), &mut self.looked)?,
        };
        self.nodes[at].turn = Some(turn);
        Ok(result)
    }

    fn expand(&mut self, state: &State) -> Result<(Turn, Vec<Successor>), Halt> {
        self.looked += 1;
        self.game.machine.expand(state)
    }

    /// The move to try: for a player the one that leaves most to hope for, for chance one by its probability.
    fn select(&mut self, at: usize) -> Option<usize> {
        let Node { first, moves, visits, .. } = self.nodes[at];
        let moves = first..first + moves;
        let Some(Turn::Player(player)) = self.nodes[at].turn else {
            // By 2^32 equal parts: probabilities need not be exact where nothing is claimed.
            let mut share = self.random.below(1 << 32) as f64 / (1u64 << 32) as f64;
            let chance = self.nodes[at].turn == Some(Turn::Chance);
            let each = 1.0 / moves.len().max(1) as f64;
            let last = moves.end.checked_sub(1);
            for one in moves {
                share -= if chance { self.nodes[one].likely } else { each };
                if share < 0.0 {
                    return Some(one);
                }
            }
            return last;
        };
        let logarithm = f64::from((visits as u64 + 1).ilog2()) * std::f64::consts::LN_2;
        let hope = |one: usize| {
            let node = &self.nodes[one];
            match &node.settled {
                // What is settled is tried only if nothing promises more.
                Some(worth) => worth[player as usize],
                None if node.visits == 0.0 => f64::INFINITY,
                None => {
                    node.sum[player as usize] / node.visits + HOPE * (2.0 * logarithm / node.visits).sqrt()
                }
            }
        };
        // The first of equal ones.
        let mut best = None;
        for one in moves {
            let worth = hope(one);
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((one, worth));
            }
        }
        best.map(|(one, _)| one)
    }

    /// Notes what is certain of a position by what is certain of its moves.
    fn settle(&mut self, at: usize) {
        let node = &self.nodes[at];
        if node.settled.is_some() || node.moves == 0 {
            return;
        }
        let moves = &self.nodes[node.first..node.first + node.moves];
        let all = moves.iter().all(|one| one.settled.is_some());
        let certain = moves.iter().filter_map(|one| one.settled.as_ref());
        let settled = match node.turn {
            Some(Turn::Player(player)) => {
                let own = |worth: &&Vec<f64>| worth[player as usize];
                let best = certain.reduce(|a, b| if own(&b) > own(&a) { b } else { a });
                best.filter(|best| all || self.most.is_some_and(|most| own(best) >= most)).cloned()
            }
            Some(Turn::Chance) if all => {
                let mut mean = vec![0.0; self.players];
                for (one, worth) in moves.iter().zip(certain) {
                    mean.iter_mut().zip(worth).for_each(|(sum, part)| *sum += one.likely * part);
                }
                Some(mean)
            }
            _ => None,
        };
        self.nodes[at].settled = settled;
    }

    /// The move that was tried most; one that is settled only if it is no worse.
    fn best(&self, games: u64) -> Option<Found> {
        let root = &self.nodes[0];
        let Some(Turn::Player(player)) = root.turn else { return None };
        let own = player as usize;
        let worth = |node: &Node| -> Vec<f64> {
            let mean = |sum: &f64| sum / node.visits.max(1.0);
            node.settled.clone().unwrap_or_else(|| node.sum.iter().map(mean).collect())
        };
        let moves = &self.nodes[root.first..root.first + root.moves];
        let mut best: Option<(usize, &Node)> = None;
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
        Some(Found { chosen, games, worth: worth(node), settled: node.settled.is_some() })
    }
}
