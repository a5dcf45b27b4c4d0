//! Search tree traces: the tree that a search visits, node by node as a textbook draws it, for teaching rather than for
//! speed.
//!
//! Technique: minimax with expectations at chance nodes; alpha-beta with the window of each node and the moves that it
//! cuts off; And-Or labelling, where a position is won for the side at the root if one of its moves, or each of the
//! other side's, leads to a won one; proof-number search, with its numbers; breadth-first search and A* for puzzles;
//! backward induction where each player has a payoff of his own.
//! Source: Shannon (1950) for minimax; Knuth and Moore, "An analysis of alpha-beta pruning" (1975), fail-soft; Ballard,
//! "The *-minimax search procedure" (1983), for cuts at chance nodes (Star1) and probes before them (Star2).
//! Cost: the tree itself, one node for each line of play, so a limit bounds the number of nodes.
//! The tree also shows the options of [lookahead](super::depth_limited): quiescence search, extensions, forward
//! pruning.
//! Invariant: a value is exact, or marked as resting on an evaluation, or absent; in alpha-beta a value outside of the
//! window of its node is a bound if moves were cut off below it. Transpositions are not merged.

use std::cmp::Ordering;

use bouton_base::rational::Rational;

use super::depth_limited::DepthLimitedOptions;
use super::depth_limited::evaluation::StaticEvaluator;
use super::depth_limited::forcing::ForcingMoveFinder;
use super::payoffs;
use super::proof_number::numbers::ProofNumbers;
use super::value::WrittenMove;
use crate::game::{Game, MachineError, State, ToMove};
use bouton_base::limits::{LimitHit, Limits};
use bouton_rules::{Actor, Rules};
use minimax::{RemainingDepth, Tracer};

mod backward_induction;
mod minimax;
mod pns;
mod puzzle;
mod strategies;

/// The search whose tree is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TracedSearch {
    /// Minimax over all nodes.
    Minimax,
    /// Alpha-beta pruning.
    AlphaBeta,
    /// And-Or search: won or not.
    AndOr,
    /// Proof-number search: won or not.
    Pns,
    /// The best strategies where something is hidden or players choose at once, with information sets.
    Mixed,
    /// The payoffs of all players, each of whom wants the most for himself.
    BackwardInduction,
    /// Breadth-first search for the fewest moves of a single player.
    BreadthFirst,
    /// A* for the fewest moves of a single player.
    AStar,
}

impl TracedSearch {
    /// Returns the search that a textbook draws for such rules.
    fn suited(rules: &Rules, depth: Option<usize>) -> TracedSearch {
        let at_once = rules.phases.iter().any(|phase| matches!(phase.actor, Actor::Each));
        let chance = rules.moves.iter().any(|of| of.chance);
        match rules.players().len() {
            _ if rules.has_hidden_information() || at_once => TracedSearch::Mixed,
            1 if puzzle::misfit(rules).is_none() => TracedSearch::AStar,
            1 => TracedSearch::Minimax,
            // Alpha-beta needs a value at the limit of depth.
            2 if chance || depth.is_some() && rules.evaluate.is_none() => TracedSearch::Minimax,
            2 => TracedSearch::AlphaBeta,
            _ => TracedSearch::BackwardInduction,
        }
    }
}

/// The kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceNodeKind {
    /// A decision of this player.
    Player(u32),
    /// A chance node.
    Chance,
    /// A choice of all players at once.
    Simultaneous,
    /// A terminal.
    End,
    /// A node at the depth limit.
    DepthLimit,
    /// A node that was not visited: cut off, or pruned because it did not look good or did not force.
    Cut,
    /// A position that another node has: in the search of a puzzle one with as few moves before it, else one on the
    /// path to this node, so that the rules of infinite play give its value.
    Repeated,
}

/// The length of the path through a node in the search of a puzzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathLength {
    /// The number of moves to the node.
    pub moves: usize,
    /// A lower bound of the moves to come, for A*; [`u16::MAX`] if no win can be reached.
    pub bound: Option<u16>,
    /// The step in which the node was found.
    pub found: usize,
}

/// The alpha-beta window: the lower and the upper bound that the first player has on the path; `None` for no bound.
pub type Window = (Option<Rational>, Option<Rational>);

/// A node of a search tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceNode {
    /// The move that leads here; `None` at the root.
    pub made: Option<WrittenMove>,
    /// The probability of the move that leads here, where chance acts or strategies are drawn; otherwise `None`.
    pub probability: Option<Rational>,
    /// The players who choose here with the numbers of their information sets, from 1, where strategies are drawn.
    pub sets: Vec<(u32, u32)>,
    pub kind: TraceNodeKind,
    /// The value to the first player; in And-Or trees and proof-number trees 1 if the side at the root wins and 0 if
    /// not. `None` if it is unknown.
    pub value: Option<Rational>,
    /// The payoffs of all players, by backward induction; otherwise empty.
    pub payoffs: Vec<Rational>,
    /// The length of the path, in the search of a puzzle.
    pub path: Option<PathLength>,
    /// True if the value rests on an evaluation.
    pub is_estimate: bool,
    /// The window on entry, for alpha-beta.
    pub window: Option<Window>,
    /// `Less` or `Greater` if only the first move was searched, so that the value is an upper or a lower bound.
    pub probe: Option<Ordering>,
    /// The order of the visit (for proof numbers: of the expansion), from 1; `None` without a visit.
    pub visited: Option<usize>,
    /// The index of the child that decides; the first of equal ones.
    pub best: Option<usize>,
    pub numbers: Option<ProofNumbers>,
    /// The numbers of the root after this node's expansion.
    pub root_after: Option<ProofNumbers>,
    /// The history of its numbers, each with its first step; the first entry is that of its creation.
    pub number_history: Vec<(usize, ProofNumbers)>,
    /// True if it is the most-proving node, which the next step would expand.
    pub marked: bool,
    /// The children, in the order of the moves.
    pub children: Vec<TraceNode>,
}

impl TraceNode {
    fn new(made: Option<WrittenMove>, kind: TraceNodeKind) -> TraceNode {
        TraceNode {
            made,
            probability: None,
            sets: Vec::new(),
            kind,
            value: None,
            payoffs: Vec::new(),
            path: None,
            is_estimate: false,
            window: None,
            probe: None,
            visited: None,
            best: None,
            numbers: None,
            root_after: None,
            number_history: Vec::new(),
            marked: false,
            children: Vec::new(),
        }
    }

    /// Returns `Less` or `Greater` if the value is only an upper or a lower bound of the true one: if it lies outside
    /// of the window and moves were cut off below.
    pub fn bound(&self) -> Option<Ordering> {
        fn is_cut(node: &TraceNode) -> bool {
            // Children of a chance node without a window have their values, whatever was cut off below them.
            let windowed =
                |child: &TraceNode| child.window.as_ref().is_some_and(|window| *window != (None, None));
            let passes = node.kind != TraceNodeKind::Chance || node.children.iter().any(windowed);
            node.kind == TraceNodeKind::Cut
                || node
                    .children
                    .iter()
                    .any(|child| child.kind == TraceNodeKind::Cut || passes && is_cut(child))
        }
        if self.probe.is_some() {
            return self.probe;
        }
        match (self.window.clone()?, self.value.clone()?) {
            ((Some(low), _), value) if value <= low && is_cut(self) => Some(Ordering::Less),
            ((_, Some(high)), value) if value >= high && is_cut(self) => Some(Ordering::Greater),
            _ => None,
        }
    }
}

/// The maximal number of moves from the root to a node.
const MAX_TREE_DEPTH: usize = 300;

/// The reason why there is no tree.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum TraceError {
    /// The trace does not support these rules.
    #[error("{0}")]
    NotApplicable(String),
    /// The payoffs of the two players have no constant sum.
    #[error(
        "the players' interests are not opposed: `--method backward-induction` draws the payoffs of both"
    )]
    NotOpposed,
    /// The tree exceeds the node limit.
    #[error("the tree has more than {0} nodes: `--depth` makes it smaller")]
    TooLarge(usize),
    /// A line of play is too long.
    #[error(
        "a line of play has more than {MAX_TREE_DEPTH} moves, perhaps since positions come back: `--depth` makes it \
         shorter"
    )]
    TooDeep,
    #[error("{0}")]
    Limit(LimitHit),
    /// The rules have a fault at some node.
    #[error("{0}")]
    Halt(MachineError),
}

/// The limits of a tree.
#[derive(Clone, Copy, Debug)]
pub struct TraceLimits {
    /// The depth limit in plies; `None` for none.
    pub depth: Option<usize>,
    /// The lookahead options, for minimax and alpha-beta.
    pub plan: DepthLimitedOptions,
    /// The maximal number of nodes.
    pub nodes: usize,
    /// True if alpha-beta first searches one move after each event of chance (Star2).
    pub probes: bool,
}

impl TraceLimits {
    /// Fails if a node with this number, this many plies below the root, is past the limits of trees, or a limit of the
    /// search is reached.
    fn check_node(&self, number: usize, ply: usize, limits: &Limits) -> Result<(), TraceError> {
        match limits.check() {
            Some(hit) => Err(TraceError::Limit(hit)),
            None if ply > MAX_TREE_DEPTH => Err(TraceError::TooDeep),
            None if number > self.nodes => Err(TraceError::TooLarge(self.nodes)),
            None => Ok(()),
        }
    }
}

/// Traces a search from a position.
pub fn trace(
    game: &Game,
    state: &State,
    method: TracedSearch,
    extent: &TraceLimits,
    limits: &Limits,
) -> Result<TraceNode, TraceError> {
    let &TraceLimits { depth, plan, nodes, probes } = extent;
    if method == TracedSearch::Mixed {
        return strategies::trace(game, state, extent, limits);
    }
    if let TracedSearch::BreadthFirst | TracedSearch::AStar = method {
        return puzzle::trace(game, state, method, extent, limits);
    }
    if game.rules.has_hidden_information() {
        let what = "information is hidden from a player, and this search would read it: `--method mixed` draws the \
                    information sets, with the best strategies";
        return Err(TraceError::NotApplicable(what.into()));
    }
    if method == TracedSearch::BackwardInduction {
        return backward_induction::trace(game, state, extent, limits);
    }
    let players = game.rules.players().len();
    if players > 2 {
        let what =
            "this tree is drawn for two players: `--method backward-induction` draws the payoffs of all";
        return Err(TraceError::NotApplicable(what.into()));
    }
    if players == 1 && (plan.extends || plan.quiescence > 0) {
        return Err(TraceError::NotApplicable("a single player has no threats to look at".into()));
    }
    let root = match game.machine.turn(state).map_err(TraceError::Halt)? {
        ToMove::Player(player) => player,
        _ => 0,
    };
    let averages = plan.average.is_some() && method == TracedSearch::AlphaBeta;
    if averages {
        return Err(TraceError::NotApplicable(
            "alpha-beta cannot cut off averaged moves: use minimax".into(),
        ));
    }
    let (guesser, forcing) =
        (StaticEvaluator::new(game, plan.playouts, limits), ForcingMoveFinder::new(game));
    let ends_alone = method == TracedSearch::AlphaBeta && depth.is_none();
    let range = if ends_alone { payoffs::range(&game.rules) } else { None };
    let chance = game.rules.moves.iter().any(|of| of.chance);
    let endless = if chance { None } else { payoffs::constant_infinite_payoffs(&game.rules).ok().flatten() };
    let mut search = Tracer {
        game,
        method,
        plan,
        guesser,
        forcing,
        nodes,
        limits,
        root,
        met: 0,
        visits: 0,
        sum: None,
        range,
        probes,
        endless,
        path: Vec::new(),
    };
    match method {
        TracedSearch::Pns => search.by_numbers(state, depth),
        _ => {
            let quiet = if method == TracedSearch::AndOr { 0 } else { plan.quiescence };
            search.visit(
                state,
                None,
                RemainingDepth { depth, quiet, ply: 0, first_alone: false },
                (None, None),
            )
        }
    }
}

/// Traces the search that a textbook draws for such rules, and returns which one it is.
pub fn trace_suited(
    game: &Game,
    state: &State,
    extent: &TraceLimits,
    limits: &Limits,
) -> Result<(TracedSearch, TraceNode), TraceError> {
    let method = TracedSearch::suited(&game.rules, extent.depth);
    match trace(game, state, method, extent, limits) {
        // Only the ends that are reached tell.
        Err(TraceError::NotOpposed) => {
            let method = TracedSearch::BackwardInduction;
            Ok((method, trace(game, state, method, extent, limits)?))
        }
        tree => Ok((method, tree?)),
    }
}
