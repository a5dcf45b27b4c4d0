//! Search tree traces: the tree that a search visits, node by node as a textbook draws it, for teaching rather than for
//! speed.
//!
//! Technique: minimax with expectations at chance nodes; alpha-beta with the window of each node and the moves that it
//! cuts off; And-Or labelling, where a position is won for the side at the root if one of its moves, or each of the
//! other side's, leads to a won one; proof-number search, with its numbers.
//! Source: Shannon (1950) for minimax; Knuth and Moore, "An analysis of alpha-beta pruning" (1975), fail-soft.
//! Cost: the tree itself, one node for each line of play, so a limit bounds the number of nodes.
//! The tree also shows the options of [lookahead](super::ahead): quiescence search, extensions, forward pruning.
//! Invariant: a value is exact, or marked as resting on an evaluation, or absent; in alpha-beta a value outside of the
//! window of its node is a bound if moves were cut off below it. Transpositions are not merged.

use std::cmp::Ordering;

use num_rational::Rational64;

use super::ahead::forcing::{Force, Forcing};
use super::ahead::guess::Guesser;
use super::ahead::{Plan, averaging};
use super::proof_number::numbers::Numbers;
use super::value::{Made, float};
use super::worth;
use crate::base::limits::{LimitHit, Limits};
use crate::game::{Game, Halt, State, Successor, Turn};

mod pns;

/// The search whose tree is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Minimax over all nodes.
    Minimax,
    /// Alpha-beta pruning.
    AlphaBeta,
    /// And-Or search: won or not.
    AndOr,
    /// Proof-number search: won or not.
    Pns,
}

/// The kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A decision of this player.
    Player(u32),
    /// A chance node.
    Chance,
    /// A terminal.
    End,
    /// A node at the depth limit.
    Edge,
    /// A node that was not visited: cut off, or pruned because it did not look good or did not force.
    Cut,
}

/// The alpha-beta window: the lower and the upper bound that the first player has on the path; `None` for no bound.
pub type Window = (Option<Rational64>, Option<Rational64>);

/// A node of a search tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// The move that leads here; `None` at the root.
    pub made: Option<Made>,
    pub kind: Kind,
    /// The value to the first player; in And-Or trees and proof-number trees 1 if the side at the root wins and 0 if
    /// not. `None` if it is unknown.
    pub value: Option<Rational64>,
    /// True if the value rests on an evaluation.
    pub guessed: bool,
    /// The window on entry, for alpha-beta.
    pub window: Option<Window>,
    /// The order of the visit (for proof numbers: of the expansion), from 1; `None` without a visit.
    pub visited: Option<usize>,
    /// The index of the child that decides; the first of equal ones.
    pub best: Option<usize>,
    pub numbers: Option<Numbers>,
    /// The numbers of the root after this node's expansion.
    pub after: Option<Numbers>,
    /// The history of its numbers, each with its first step; the first entry is that of its creation.
    pub became: Vec<(usize, Numbers)>,
    /// True if it is the most-proving node, which the next step would expand.
    pub marked: bool,
    /// The children, in the order of the moves.
    pub children: Vec<Node>,
}

impl Node {
    /// Returns `Less` or `Greater` if the value is only an upper or a lower bound of the true one: if it lies outside
    /// of the window and moves were cut off below.
    pub fn bound(&self) -> Option<Ordering> {
        // A child of a chance node has no window.
        fn is_cut(node: &Node) -> bool {
            node.kind == Kind::Cut || (node.kind != Kind::Chance && node.children.iter().any(is_cut))
        }
        match (self.window?, self.value?) {
            ((Some(low), _), value) if value <= low && is_cut(self) => Some(Ordering::Less),
            ((_, Some(high)), value) if value >= high && is_cut(self) => Some(Ordering::Greater),
            _ => None,
        }
    }
}

/// The reason why there is no tree.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum NoTree {
    /// The trace does not support these rules.
    #[error("{0}")]
    Unfit(String),
    /// The tree exceeds the node limit.
    #[error("the tree has more than {0} nodes: `--depth` makes it smaller")]
    TooLarge(usize),
    #[error("{0}")]
    Limit(LimitHit),
    /// The rules have a fault at some node.
    #[error("{0}")]
    Halt(Halt),
}

/// The limits of a tree.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The depth limit in plies; `None` for none.
    pub depth: Option<usize>,
    /// The lookahead options, for minimax and alpha-beta.
    pub plan: Plan,
    /// The maximal number of nodes.
    pub nodes: usize,
}

/// Traces a search from a position.
pub fn trace(
    game: &Game,
    state: &State,
    method: Method,
    extent: &Extent,
    limits: &Limits,
) -> Result<Node, NoTree> {
    let &Extent { depth, plan, nodes } = extent;
    if game.rules.hides() {
        let what = "something is hidden from a player, and this tree would let everybody see it";
        return Err(NoTree::Unfit(what.into()));
    }
    if game.rules.players().len() != 2 {
        return Err(NoTree::Unfit("these trees are drawn for two players".into()));
    }
    let root = match game.machine.turn(state).map_err(NoTree::Halt)? {
        Turn::Player(player) => player,
        _ => 0,
    };
    let averages = plan.average.is_some() && method == Method::AlphaBeta;
    if averages {
        return Err(NoTree::Unfit("nothing can be cut off where moves are averaged: use minimax".into()));
    }
    let (guesser, forcing) = (Guesser::new(game, plan.games, limits), Forcing::new(game));
    let mut search =
        Search { game, method, plan, guesser, forcing, nodes, limits, root, met: 0, visits: 0, sum: None };
    match method {
        Method::Pns => search.by_numbers(state, depth),
        _ => {
            let quiet = if method == Method::AndOr { 0 } else { plan.quiescence };
            search.visit(state, None, Place { depth, quiet, ply: 0 }, (None, None))
        }
    }
}

/// The remaining depth of a node.
#[derive(Clone, Copy)]
struct Place {
    /// The plies to the depth limit; `None` without a limit.
    depth: Option<usize>,
    /// The remaining plies of quiescence search beyond the limit.
    quiet: u32,
    /// The plies from the root.
    ply: usize,
}

impl Place {
    fn next(self) -> Place {
        Place { depth: self.depth.map(|depth| depth - 1), ply: self.ply + 1, ..self }
    }
}

struct Search<'a> {
    game: &'a Game,
    method: Method,
    plan: Plan,
    guesser: Guesser<'a>,
    forcing: Forcing<'a>,
    nodes: usize,
    limits: &'a Limits,
    /// The player to move at the root.
    root: u32,
    met: usize,
    visits: usize,
    /// The constant sum of the players' payoffs.
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
            became: Vec::new(),
            marked: false,
            children: Vec::new(),
        })
    }

    fn visit(
        &mut self,
        state: &State,
        made: Option<Made>,
        place: Place,
        window: Window,
    ) -> Result<Node, NoTree> {
        if let Some(hit) = self.limits.check() {
            return Err(NoTree::Limit(hit));
        }
        let (turn, successors) = self.game.machine.expand(state).map_err(NoTree::Halt)?;
        let place = self.extended(state, (&turn, &successors), place);
        let edge = place.depth == Some(0) && (place.quiet == 0 || !matches!(turn, Turn::Player(_)));
        let kind = match &turn {
            Turn::Over(_) => Kind::End,
            _ if edge => Kind::Edge,
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
            (Kind::Edge, _) => self.edge(state, (&turn, &successors), &mut node)?,
            (Kind::Chance, _) => {
                let mut mean = Some(Rational64::default());
                for next in successors {
                    let made = self.made(state, next.play);
                    let child = self.visit(&next.state, Some(made), place.next(), (None, None))?;
                    mean = mean.zip(child.value).map(|(sum, value)| sum + value * next.probability);
                    node.guessed |= child.guessed;
                    node.children.push(child);
                }
                node.value = mean;
            }
            _ => self.choose(state, &mut node, (&turn, successors), place, window)?,
        }
        Ok(node)
    }

    fn made(&self, state: &State, play: crate::game::Play) -> Made {
        let written = self.game.written(state, &play);
        Made { play, written }
    }

    /// Returns the value of a terminal; fails if the players' interests are not opposed.
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

    /// Evaluates a node at the depth limit.
    fn edge(&mut self, state: &State, moves: (&Turn, &[Successor]), node: &mut Node) -> Result<(), NoTree> {
        let guess = match self.method {
            Method::AndOr => None,
            _ => self.guesser.guess(state, moves).map_err(NoTree::Halt)?,
        };
        let guess = guess.and_then(|each| each.first().copied());
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
        (turn, successors): (&Turn, Vec<Successor>),
        place: Place,
        (mut low, mut high): Window,
    ) -> Result<(), NoTree> {
        let Kind::Player(player) = node.kind else { return Ok(()) };
        let highest = if self.method == Method::AndOr { player == self.root } else { player == 0 };
        let (followed, next) = self.followed(state, player, (turn, &successors), place, node)?;
        if let Some(value) = node.value {
            if highest {
                low = low.max(Some(value))
            } else {
                high = Some(high.map_or(value, |h| h.min(value)))
            }
        }
        let mut unknown = successors.is_empty();
        let mut seen: Vec<(f64, bool)> = node.value.iter().map(|&value| (float(value), false)).collect();
        for (successor, followed) in successors.into_iter().zip(followed) {
            let made = self.made(state, successor.play);
            let closed =
                self.method == Method::AlphaBeta && low.zip(high).is_some_and(|(low, high)| low >= high);
            if closed || !followed {
                let cut = self.node(Some(made), Kind::Cut)?;
                node.children.push(cut);
                continue;
            }
            let child = self.visit(&successor.state, Some(made), next, (low, high))?;
            match child.value {
                None => unknown = true,
                Some(value) => {
                    // Of two equal values, prefer an exact one.
                    let sure = node.best.is_some_and(|best| !node.children[best].guessed);
                    let better = node.value.is_none_or(|best| {
                        let surer = value == best && !sure && !child.guessed && child.bound().is_none();
                        surer || if highest { value > best } else { value < best }
                    });
                    if better {
                        (node.value, node.best) = (Some(value), Some(node.children.len()));
                    }
                    if highest {
                        low = low.max(Some(value));
                    } else {
                        high = high.map_or(Some(value), |old| Some(old.min(value)));
                    }
                    seen.push((float(value), !child.guessed));
                }
            }
            node.guessed |= child.guessed;
            node.children.push(child);
        }
        // A won move, or a lost reply, decides regardless of unknown values.
        let certain = i64::from(highest);
        let decided = self.method == Method::AndOr && node.value == Some(Rational64::from_integer(certain));
        if unknown && !decided {
            (node.value, node.best) = (None, None);
        }
        // Likewise a proved win is the best possible value, whatever other moves were evaluated at.
        let won = node.best.is_some_and(|best| !node.children[best].guessed)
            && node.value == Some(Rational64::from_integer(if highest { 1 } else { -1 }));
        node.guessed &= !(won && worth::is_plain(&self.game.rules, false));
        if let Some((m, n)) = self.plan.average.filter(|_| node.guessed && node.value.is_some()) {
            let worth = averaging::back_up(seen, highest, if highest { m } else { n });
            node.value = worth.and_then(Rational64::approximate_float);
        }
        Ok(())
    }

    /// Extends the depth by a ply if the player has no choice.
    fn extended(&mut self, state: &State, (turn, moves): (&Turn, &[Successor]), place: Place) -> Place {
        let longest = 2 * self.plan.depth as usize;
        let Turn::Player(player) = *turn else { return place };
        let extends = self.plan.extends && self.method != Method::AndOr && place.ply < longest;
        let forced = extends && (moves.len() == 1 || self.forcing.is_threatened(state, 1 - player.min(1)));
        Place { depth: place.depth.map(|depth| depth.saturating_add(usize::from(forced))), ..place }
    }

    /// Returns the moves of a player to follow, and the depth after them. A node beyond the depth limit first gets its
    /// stand-pat value, that of no forcing move.
    fn followed(
        &mut self,
        state: &State,
        player: u32,
        (turn, successors): (&Turn, &[Successor]),
        place: Place,
        node: &mut Node,
    ) -> Result<(Vec<bool>, Place), NoTree> {
        let mut all = vec![true; successors.len()];
        let past = place.depth == Some(0);
        let next = match past {
            true => Place { quiet: place.quiet - 1, ply: place.ply + 1, ..place },
            false => place.next(),
        };
        if past && !self.forcing.is_threatened(state, 1 - player.min(1)) {
            self.edge(state, (turn, successors), node)?;
            let force = self.forcing.of(state, player, successors);
            return Ok((force.into_iter().map(|force| force > Force::None).collect(), next));
        }
        let width = self.plan.width.filter(|&width| width < successors.len() && self.method != Method::AndOr);
        if let Some(width) = width.filter(|_| !past) {
            let mut promise = Vec::with_capacity(successors.len());
            for (number, successor) in successors.iter().enumerate() {
                let (turn, moves) = self.game.machine.expand(&successor.state).map_err(NoTree::Halt)?;
                let first = match &turn {
                    Turn::Over(outcome) => Some(self.end(&outcome.payoffs)?),
                    _ => {
                        let guess = self.guesser.guess(&successor.state, (&turn, &moves));
                        guess.map_err(NoTree::Halt)?.and_then(|each| each.first().copied())
                    }
                };
                let first = first.unwrap_or_default();
                promise.push((if player == 0 { -first } else { first }, number));
            }
            promise.sort_unstable();
            promise[width..].iter().for_each(|&(_, number)| all[number] = false);
            // A pruned move may have been better.
            node.guessed = true;
        }
        Ok((all, next))
    }
}
