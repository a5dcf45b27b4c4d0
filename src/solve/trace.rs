//! The tree that a search walks through, kept node by node as a textbook draws it: for learning, not for speed.
//!
//! Technique: minimax with means at chance; alpha-beta with the window of each node and the moves that it cuts off;
//! And-Or labelling, where a position is won for the side at the root if one of its moves, or each of the other's, leads
//! to a won one; proof-number search, with its numbers.
//! Source: Shannon (1950) for minimax; Knuth and Moore, "An analysis of alpha-beta pruning" (1975), fail-soft.
//! Cost: the tree itself, one node a line of play; so it has at most as many nodes as are asked for.
//! Invariant: a value is exact, or marked as resting on a guess of `evaluate`, or absent; in alpha-beta one outside of the
//! window of its node is a bound where moves were cut off below it. No transpositions are joined.

use num_rational::Rational64;

use super::proof_number::numbers::Numbers;
use super::value::Made;
use crate::base::limits::{LimitHit, Limits};
use crate::game::{Game, Halt, State, Turn};

mod pns;

/// Which search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Every node.
    Minimax,
    /// What cannot matter is cut off.
    AlphaBeta,
    /// Won or not.
    AndOr,
    /// Won or not, where the fewest positions decide.
    Pns,
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// This player chooses.
    Player(u32),
    /// Chance acts.
    Chance,
    /// The game is over.
    End,
    /// The depth is reached.
    Edge,
    /// Not visited: it was cut off.
    Cut,
}

/// What the first player is sure of on the way here at least, and at most; none where there is no bound.
pub type Window = (Option<Rational64>, Option<Rational64>);

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// The move that leads here; none at the root.
    pub made: Option<Made>,
    /// What it is.
    pub kind: Kind,
    /// What it is worth to the first player; of And-Or trees and of proof numbers 1 where the side at the root wins and 0
    /// where not. None where that is not known.
    pub value: Option<Rational64>,
    /// Whether the value rests on a guess.
    pub guessed: bool,
    /// The window it was entered with, of alpha-beta.
    pub window: Option<Window>,
    /// In which order it was visited (by proof numbers: expanded), from 1; none where it was not.
    pub visited: Option<usize>,
    /// The child that decides; the first of equal ones.
    pub best: Option<usize>,
    /// Its proof and disproof number.
    pub numbers: Option<Numbers>,
    /// Those of the root after it was expanded.
    pub after: Option<Numbers>,
    /// Whether it is the most-proving node, which would be expanded next.
    pub marked: bool,
    /// What its moves lead to, in the order of the moves.
    pub children: Vec<Node>,
}

/// Why there is no tree.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum NoTree {
    /// The search cannot be drawn for these rules.
    #[error("{0}")]
    Unfit(String),
    /// The tree is larger than asked for.
    #[error("the tree has more than {0} nodes: `--depth` makes it smaller")]
    TooLarge(usize),
    /// A limit was reached.
    #[error("{0}")]
    Limit(LimitHit),
    /// The rules have no meaning somewhere.
    #[error("{0}")]
    Halt(Halt),
}

/// The tree of a search from a position.
pub fn trace(
    game: &Game,
    state: &State,
    method: Method,
    depth: Option<usize>,
    nodes: usize,
    limits: &Limits,
) -> Result<Node, NoTree> {
    if game.rules.players().len() != 2 {
        return Err(NoTree::Unfit("these trees are drawn for two players".into()));
    }
    let root = match game.machine.turn(state).map_err(NoTree::Halt)? {
        Turn::Player(player) => player,
        _ => 0,
    };
    let mut search = Search { game, method, nodes, limits, root, met: 0, visits: 0, sum: None };
    match method {
        Method::Pns => search.by_numbers(state, depth),
        _ => search.visit(state, None, depth, (None, None)),
    }
}

struct Search<'a> {
    game: &'a Game,
    method: Method,
    nodes: usize,
    limits: &'a Limits,
    /// Who is to move at the root.
    root: u32,
    met: usize,
    visits: usize,
    /// What the players get together at every end.
    sum: Option<Rational64>,
}

impl Search<'_> {
    fn node(&mut self, made: Option<Made>, kind: Kind) -> Result<Node, NoTree> {
        self.met += 1;
        if self.met > self.nodes {
            return Err(NoTree::TooLarge(self.nodes));
        }
        Ok(Node {
            made,
            kind,
            value: None,
            guessed: false,
            window: None,
            visited: None,
            best: None,
            numbers: None,
            after: None,
            marked: false,
            children: Vec::new(),
        })
    }

    fn visit(
        &mut self,
        state: &State,
        made: Option<Made>,
        depth: Option<usize>,
        window: Window,
    ) -> Result<Node, NoTree> {
        if let Some(hit) = self.limits.check() {
            return Err(NoTree::Limit(hit));
        }
        let (turn, successors) = self.game.machine.expand(state).map_err(NoTree::Halt)?;
        let kind = match &turn {
            Turn::Over(_) => Kind::End,
            _ if depth == Some(0) => Kind::Edge,
            Turn::Player(player) => Kind::Player(*player),
            Turn::Chance if self.method != Method::AndOr => Kind::Chance,
            Turn::Chance => return Err(NoTree::Unfit("And-Or trees have no chance".into())),
            Turn::Each => return Err(NoTree::Unfit("players choose at once".into())),
        };
        let mut node = self.node(made, kind)?;
        self.visits += 1;
        node.visited = Some(self.visits);
        node.window = (self.method == Method::AlphaBeta).then_some(window);
        match (kind, &turn) {
            (Kind::End, Turn::Over(outcome)) => node.value = Some(self.end(&outcome.payoffs)?),
            (Kind::Edge, _) => self.edge(state, &mut node)?,
            (Kind::Chance, _) => {
                let mut mean = Some(Rational64::default());
                for next in successors {
                    let made = self.made(state, next.play);
                    let child = self.visit(&next.state, Some(made), depth.map(|d| d - 1), (None, None))?;
                    mean = mean.zip(child.value).map(|(sum, value)| sum + value * next.probability);
                    node.guessed |= child.guessed;
                    node.children.push(child);
                }
                node.value = mean;
            }
            _ => self.choose(state, &mut node, successors, depth, window)?,
        }
        Ok(node)
    }

    fn made(&self, state: &State, play: crate::game::Play) -> Made {
        let written = self.game.written(state, &play);
        Made { play, written }
    }

    /// What an end is worth; players whose interests are not opposed have no such tree.
    fn end(&mut self, payoffs: &[Rational64]) -> Result<Rational64, NoTree> {
        let sum: Rational64 = payoffs.iter().sum();
        if *self.sum.get_or_insert(sum) != sum {
            return Err(NoTree::Unfit("the players' interests are not opposed".into()));
        }
        if !matches!(self.method, Method::AndOr | Method::Pns) {
            return Ok(payoffs[0]);
        }
        let won = payoffs[self.root as usize] > Rational64::default();
        Ok(Rational64::from_integer(i64::from(won)))
    }

    /// A position past which nothing is looked at.
    fn edge(&self, state: &State, node: &mut Node) -> Result<(), NoTree> {
        let first = self.game.rules.evaluate.as_ref().and_then(|e| e.values.first());
        let guess = match first.filter(|_| self.method != Method::AndOr) {
            Some(expr) => {
                self.game.machine.eval(state, expr).map_err(NoTree::Limit)?.and_then(|v| v.as_ratio())
            }
            None => None,
        };
        if guess.is_none() && self.method == Method::AlphaBeta {
            let what = "alpha-beta needs a value at the depth asked for: the rules may have an `evaluate`, or the depth \
                        be greater";
            return Err(NoTree::Unfit(what.into()));
        }
        (node.value, node.guessed) = (guess, guess.is_some());
        Ok(())
    }

    fn choose(
        &mut self,
        state: &State,
        node: &mut Node,
        successors: Vec<crate::game::Successor>,
        depth: Option<usize>,
        (mut low, mut high): Window,
    ) -> Result<(), NoTree> {
        let Kind::Player(player) = node.kind else { return Ok(()) };
        let highest = if self.method == Method::AndOr { player == self.root } else { player == 0 };
        let mut unknown = successors.is_empty();
        for next in successors {
            let made = self.made(state, next.play);
            let closed =
                self.method == Method::AlphaBeta && low.zip(high).is_some_and(|(low, high)| low >= high);
            if closed {
                let cut = self.node(Some(made), Kind::Cut)?;
                node.children.push(cut);
                continue;
            }
            let child = self.visit(&next.state, Some(made), depth.map(|d| d - 1), (low, high))?;
            match child.value {
                None => unknown = true,
                Some(value) => {
                    let better =
                        node.value.is_none_or(|best| if highest { value > best } else { value < best });
                    if better {
                        (node.value, node.best) = (Some(value), Some(node.children.len()));
                    }
                    if highest {
                        low = low.max(Some(value));
                    } else {
                        high = high.map_or(Some(value), |old| Some(old.min(value)));
                    }
                }
            }
            node.guessed |= child.guessed;
            node.children.push(child);
        }
        // Of won and not won, the better one is certain whatever the unknown ones are.
        let certain = i64::from(highest);
        let decided = self.method == Method::AndOr && node.value == Some(Rational64::from_integer(certain));
        if unknown && !decided {
            (node.value, node.best) = (None, None);
        }
        Ok(())
    }
}
