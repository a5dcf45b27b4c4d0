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
use num_rational::Rational64;

use super::depth_limited::evaluation::{ExpandedNode, StaticEvaluator};
use super::depth_limited::forcing::{ForcingDegree, ForcingMoveFinder};
use super::depth_limited::{DepthLimitedOptions, averaging};
use super::leaf_value;
use super::payoffs;
use super::proof_number::numbers::ProofNumbers;
use super::value::WrittenMove;
use crate::game::{Game, MachineError, State, Successor, ToMove};
use bouton_base::limits::{LimitHit, Limits};
use bouton_rules::{Actor, Rules};

mod backward_induction;
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

/// The remaining depth of a node.
#[derive(Clone, Copy)]
struct RemainingDepth {
    /// The plies to the depth limit; `None` without a limit.
    depth: Option<usize>,
    /// The remaining plies of quiescence search beyond the limit.
    quiet: u32,
    /// The plies from the root.
    ply: usize,
    /// True if only the first move of the node is searched.
    first_alone: bool,
}

impl RemainingDepth {
    fn next(self) -> RemainingDepth {
        let depth = self.depth.map(|depth| depth - 1);
        RemainingDepth { depth, ply: self.ply + 1, first_alone: false, ..self }
    }
}

struct Tracer<'a> {
    game: &'a Game,
    method: TracedSearch,
    plan: DepthLimitedOptions,
    guesser: StaticEvaluator<'a>,
    forcing: ForcingMoveFinder<'a>,
    nodes: usize,
    limits: &'a Limits,
    /// The player to move at the root.
    root: u32,
    met: usize,
    visits: usize,
    /// The constant sum of the players' payoffs.
    sum: Option<Rational>,
    /// For alpha-beta at chance nodes: the least and the greatest payoff of the first player by the rules, if all values
    /// come from ends of the game.
    range: Option<(Rational, Rational)>,
    /// True if one move after each event of chance is searched first.
    probes: bool,
    /// The payoffs of infinite play, if the rules give them without any position and chance does not act: where a
    /// position comes back on a path, they may replace all play from there on (Ehrenfeucht and Mycielski 1979).
    endless: Option<Vec<Rational>>,
    /// The positions from the root to the node being searched, if infinite play has payoffs.
    path: Vec<State>,
}

/// The bounds of the values after the events of a chance node.
struct EventBounds {
    probabilities: Vec<Rational>,
    bounds: Vec<(Rational, Rational)>,
}

impl EventBounds {
    /// Returns the least and the greatest mean.
    fn mean(&self) -> (Rational, Rational) {
        let each = || self.probabilities.iter().zip(&self.bounds);
        (
            each().map(|(share, (least, _))| share * least).sum(),
            each().map(|(share, (_, most))| share * most).sum(),
        )
    }

    /// Returns a bound of the mean that lies outside of the window.
    fn outside(&self, window: &Window) -> Option<Rational> {
        let (least, most) = self.mean();
        match window {
            (Some(low), _) if most <= *low => Some(most),
            (_, Some(high)) if least >= *high => Some(least),
            _ => None,
        }
    }

    /// Returns what the bounds of the other events leave of the window for this one.
    fn within(&self, event: usize, window: &Window) -> Window {
        let (least, most) = self.mean();
        let (share, (own_least, own_most)) = (&self.probabilities[event], &self.bounds[event]);
        let left =
            |bound: &Rational, mean: &Rational, own: &Rational| (bound - &(mean - &(share * own))) / share;
        (
            window.0.as_ref().map(|low| left(low, &most, own_most)),
            window.1.as_ref().map(|high| left(high, &least, own_least)),
        )
    }
}

impl Tracer<'_> {
    fn node(&mut self, made: Option<WrittenMove>, kind: TraceNodeKind) -> Result<TraceNode, TraceError> {
        self.met += 1;
        if self.met > self.nodes {
            return Err(TraceError::TooLarge(self.nodes));
        }
        Ok(TraceNode::new(made, kind))
    }

    fn visit(
        &mut self,
        state: &State,
        made: Option<WrittenMove>,
        place: RemainingDepth,
        window: Window,
    ) -> Result<TraceNode, TraceError> {
        if let Some(hit) = self.limits.check() {
            return Err(TraceError::Limit(hit));
        }
        if place.ply > MAX_TREE_DEPTH {
            return Err(TraceError::TooDeep);
        }
        let (turn, successors) = self.game.machine.expand(state).map_err(TraceError::Halt)?;
        let here = ExpandedNode { state, turn: &turn, successors: &successors };
        let place = self.extended(here, place);
        let edge = place.depth == Some(0) && (place.quiet == 0 || !matches!(turn, ToMove::Player(_)));
        let comes_back = self.path.contains(state);
        let kind = match &turn {
            ToMove::Terminal(_) => TraceNodeKind::End,
            _ if comes_back => TraceNodeKind::Repeated,
            _ if edge => TraceNodeKind::DepthLimit,
            ToMove::Player(player) => TraceNodeKind::Player(*player),
            ToMove::Chance if self.method != TracedSearch::AndOr => TraceNodeKind::Chance,
            ToMove::Chance => {
                return Err(TraceError::NotApplicable("And-Or trees do not support chance".into()));
            }
            ToMove::Simultaneous => {
                return Err(TraceError::NotApplicable(
                    "players choose simultaneously: `--method mixed` draws the best strategies".into(),
                ));
            }
        };
        let mut node = self.node(made, kind)?;
        self.visits += 1;
        node.visited = Some(self.visits);
        node.window = (self.method == TracedSearch::AlphaBeta).then_some(window.clone());
        match (kind, &turn) {
            (TraceNodeKind::End, ToMove::Terminal(outcome)) => node.value = Some(self.end(&outcome.payoffs)?),
            (TraceNodeKind::DepthLimit, _) => self.edge(here, &mut node)?,
            (TraceNodeKind::Chance, _) => self.average(state, &mut node, successors, place, window)?,
            (TraceNodeKind::Repeated, _) => {
                let payoffs = self.endless.clone().unwrap_or_default();
                node.value = Some(self.end(&payoffs)?);
            }
            _ => {
                self.path.extend(self.endless.is_some().then(|| state.clone()));
                let chosen = self.choose(state, &mut node, successors, place, window);
                self.path.pop();
                chosen?;
            }
        }
        Ok(node)
    }

    /// Searches the events of a chance node. Alpha-beta stops where the bounds of the rules on all payoffs show that the
    /// mean is outside of the window, and passes on what the other events leave of it (Star1; Ballard 1983).
    fn average(
        &mut self,
        state: &State,
        node: &mut TraceNode,
        successors: Vec<Successor>,
        place: RemainingDepth,
        window: Window,
    ) -> Result<(), TraceError> {
        let mut mean = Some(Rational::ZERO);
        let mut events = self.range.clone().map(|range| EventBounds {
            probabilities: successors.iter().map(|next| next.probability.clone()).collect(),
            bounds: vec![range; successors.len()],
        });
        let mut probed = vec![None; successors.len()];
        if let Some(events) = events.as_mut().filter(|_| self.probes && window != (None, None)) {
            for (number, next) in successors.iter().enumerate() {
                if events.outside(&window).is_none() {
                    probed[number] = self.probe(next, place, events.within(number, &window))?;
                    events.bounds[number] = narrowed(probed[number].as_ref(), &events.bounds[number]);
                }
            }
        }
        for (number, next) in successors.into_iter().enumerate() {
            let made = self.made(state, next.play.clone());
            if let Some(bound) = events.as_ref().and_then(|events| events.outside(&window)) {
                // The events that remain count as worth their bounds.
                let left = match probed[number].take() {
                    Some(probed) => TraceNode { made: Some(made), ..probed },
                    None => self.node(Some(made), TraceNodeKind::Cut)?,
                };
                node.children.push(TraceNode { probability: Some(next.probability), ..left });
                node.value = Some(bound);
                continue;
            }
            let within = events.as_ref().map_or((None, None), |events| events.within(number, &window));
            let child = match probed[number].take() {
                Some(probed) => {
                    self.resume(&next, TraceNode { made: Some(made), ..probed }, place, within)?
                }
                None => self.visit(&next.state, Some(made), place.next(), within)?,
            };
            match (&child.value, &mut events) {
                (Some(value), Some(events)) => events.bounds[number] = (value.clone(), value.clone()),
                (None, _) => events = None,
                _ => {}
            }
            mean = mean.zip(child.value.as_ref()).map(|(sum, value)| sum + value * &next.probability);
            node.is_estimate |= child.is_estimate;
            node.children.push(TraceNode { probability: Some(next.probability), ..child });
        }
        if node.value.is_none() {
            node.value = mean;
        }
        Ok(())
    }

    /// Searches the first move after an event, if a player chooses there (Star2; Ballard 1983).
    fn probe(
        &mut self,
        next: &Successor,
        place: RemainingDepth,
        window: Window,
    ) -> Result<Option<TraceNode>, TraceError> {
        let ToMove::Player(player) = self.game.machine.turn(&next.state).map_err(TraceError::Halt)? else {
            return Ok(None);
        };
        let mut node =
            self.visit(&next.state, None, RemainingDepth { first_alone: true, ..place.next() }, window)?;
        if node.children.len() > 1 {
            node.probe = Some(if player == 0 { Ordering::Greater } else { Ordering::Less });
        }
        Ok(Some(node))
    }

    /// Searches the moves of a node whose first one was searched before, with a window that is no wider.
    fn resume(
        &mut self,
        next: &Successor,
        mut node: TraceNode,
        place: RemainingDepth,
        window: Window,
    ) -> Result<TraceNode, TraceError> {
        let (_, successors) = self.game.machine.expand(&next.state).map_err(TraceError::Halt)?;
        node.children.truncate(1);
        (node.value, node.best, node.probe, node.is_estimate) = (None, None, None, false);
        node.window = Some(window.clone());
        self.choose(&next.state, &mut node, successors, place.next(), window)?;
        Ok(node)
    }

    fn made(&self, state: &State, play: crate::game::MoveInstance) -> WrittenMove {
        let written = self.game.notation(state, &play);
        WrittenMove { play, written }
    }

    /// Returns the value of a terminal; fails if the players' interests are not opposed.
    fn end(&mut self, payoffs: &[Rational]) -> Result<Rational, TraceError> {
        let sum: Rational = payoffs.iter().sum();
        if payoffs.len() > 1 && *self.sum.get_or_insert(sum.clone()) != sum {
            return Err(TraceError::NotOpposed);
        }
        if !matches!(self.method, TracedSearch::AndOr | TracedSearch::Pns) {
            return Ok(payoffs[0].clone());
        }
        let won = payoffs[self.root as usize] > Rational::default();
        Ok(Rational::from_integer(i64::from(won)))
    }

    /// Evaluates a node at the depth limit.
    fn edge(&mut self, here: ExpandedNode<'_>, node: &mut TraceNode) -> Result<(), TraceError> {
        let guess = match self.method {
            TracedSearch::AndOr => None,
            _ => self.guesser.evaluate(here).map_err(TraceError::Halt)?,
        };
        let guess = guess.and_then(|each| each.first().cloned());
        if guess.is_none() && self.method == TracedSearch::AlphaBeta {
            let what = "alpha-beta needs a value at this depth: add an `evaluate` to the rules, or increase \
                the depth";
            return Err(TraceError::NotApplicable(what.into()));
        }
        (node.value, node.is_estimate) = (guess.clone(), guess.is_some());
        Ok(())
    }

    /// Searches the moves of a node where a player chooses.
    fn choose(
        &mut self,
        state: &State,
        node: &mut TraceNode,
        successors: Vec<Successor>,
        place: RemainingDepth,
        window: Window,
    ) -> Result<(), TraceError> {
        let TraceNodeKind::Player(player) = node.kind else { return Ok(()) };
        let (mut low, mut high) = window;
        let highest = if self.method == TracedSearch::AndOr { player == self.root } else { player == 0 };
        let here = ExpandedNode { state, turn: &ToMove::Player(player), successors: &successors };
        let (followed, next) = self.followed(here, player, place, node)?;
        if let Some(value) = node.value.clone() {
            if highest {
                low = low.max(Some(value));
            } else {
                high = Some(high.map_or(value.clone(), |old| old.min(value)));
            }
        }
        let mut unknown = successors.is_empty();
        let mut seen: Vec<(f64, bool)> = node.value.iter().map(|value| (value.to_f64(), false)).collect();
        let mut first = std::mem::take(&mut node.children).into_iter().next();
        for (successor, followed) in successors.into_iter().zip(followed) {
            let made = self.made(state, successor.play);
            let closed = self.method == TracedSearch::AlphaBeta
                && low.clone().zip(high.clone()).is_some_and(|(low, high)| low >= high)
                || place.first_alone && !node.children.is_empty();
            if closed || !followed {
                let cut = self.node(Some(made), TraceNodeKind::Cut)?;
                node.children.push(cut);
                continue;
            }
            let child = match first.take() {
                Some(first) => first,
                None => self.visit(&successor.state, Some(made), next, (low.clone(), high.clone()))?,
            };
            match &child.value {
                None => unknown = true,
                Some(value) => {
                    // Of two equal values, prefer an exact one.
                    let sure = node.best.is_some_and(|best| !node.children[best].is_estimate);
                    let better = node.value.as_ref().is_none_or(|best| {
                        let surer = value == best && !sure && !child.is_estimate && child.bound().is_none();
                        surer || if highest { value > best } else { value < best }
                    });
                    if better {
                        (node.value, node.best) = (Some(value.clone()), Some(node.children.len()));
                    }
                    if highest {
                        low = low.max(Some(value.clone()));
                    } else {
                        high = high.map_or(Some(value.clone()), |old| Some(old.min(value.clone())));
                    }
                    seen.push((value.to_f64(), !child.is_estimate));
                }
            }
            node.is_estimate |= child.is_estimate;
            node.children.push(child);
        }
        // A won move, or a lost reply, decides regardless of unknown values.
        let certain = i64::from(highest);
        let decided =
            self.method == TracedSearch::AndOr && node.value == Some(Rational::from_integer(certain));
        if unknown && !decided {
            (node.value, node.best) = (None, None);
        }
        // Likewise a proved win is the best possible value, whatever other moves were evaluated at.
        let won = node.best.is_some_and(|best| !node.children[best].is_estimate)
            && node.value == Some(Rational::from_integer(if highest { 1 } else { -1 }));
        node.is_estimate &= !(won && leaf_value::is_win_loss_draw(&self.game.rules, false));
        if let Some((m, n)) = self.plan.average.filter(|_| node.is_estimate && node.value.is_some()) {
            let worth = averaging::back_up(seen, highest, if highest { m } else { n });
            node.value = worth.and_then(Rational64::approximate_float).map(Rational::from);
        }
        Ok(())
    }

    /// Extends the depth by a ply if the player has no choice.
    fn extended(&mut self, here: ExpandedNode<'_>, place: RemainingDepth) -> RemainingDepth {
        let ExpandedNode { state, turn, successors } = here;
        let longest = 2 * self.plan.depth as usize;
        let ToMove::Player(player) = *turn else { return place };
        let extends = self.plan.extends && self.method != TracedSearch::AndOr && place.ply < longest;
        let forced =
            extends && (successors.len() == 1 || self.forcing.is_threatened(state, 1 - player.min(1)));
        RemainingDepth { depth: place.depth.map(|depth| depth.saturating_add(usize::from(forced))), ..place }
    }

    /// Returns the moves of a player to follow, and the depth after them. A node beyond the depth limit first gets its
    /// stand-pat value, that of no forcing move.
    fn followed(
        &mut self,
        here: ExpandedNode<'_>,
        player: u32,
        place: RemainingDepth,
        node: &mut TraceNode,
    ) -> Result<(Vec<bool>, RemainingDepth), TraceError> {
        let ExpandedNode { state, successors, .. } = here;
        let mut all = vec![true; successors.len()];
        let past = place.depth == Some(0);
        let next = match past {
            true => RemainingDepth { quiet: place.quiet - 1, ply: place.ply + 1, ..place },
            false => place.next(),
        };
        if past && !self.forcing.is_threatened(state, 1 - player.min(1)) {
            self.edge(here, node)?;
            let force = self.forcing.degrees(state, player, successors);
            return Ok((force.into_iter().map(|force| force > ForcingDegree::None).collect(), next));
        }
        let width =
            self.plan.width.filter(|&width| width < successors.len() && self.method != TracedSearch::AndOr);
        if let Some(width) = width.filter(|_| !past) {
            let mut promise = Vec::with_capacity(successors.len());
            for (number, successor) in successors.iter().enumerate() {
                let (turn, moves) = self.game.machine.expand(&successor.state).map_err(TraceError::Halt)?;
                let first = match &turn {
                    ToMove::Terminal(outcome) => Some(self.end(&outcome.payoffs)?),
                    _ => {
                        let after = ExpandedNode { state: &successor.state, turn: &turn, successors: &moves };
                        let guess = self.guesser.evaluate(after);
                        guess.map_err(TraceError::Halt)?.and_then(|each| each.first().cloned())
                    }
                };
                let first = first.unwrap_or_default();
                promise.push((if player == 0 { -first } else { first }, number));
            }
            promise.sort_unstable();
            promise[width..].iter().for_each(|&(_, number)| all[number] = false);
            // A pruned move may have been better.
            node.is_estimate = true;
        }
        Ok((all, next))
    }
}

/// Returns the bounds of an event whose first move was searched: its value is a bound for the player who chooses, and
/// exact if there is no other move.
fn narrowed(probed: Option<&TraceNode>, bounds: &(Rational, Rational)) -> (Rational, Rational) {
    let (least, most) = bounds.clone();
    let Some(TraceNode { kind: TraceNodeKind::Player(player), value: Some(value), children, .. }) = probed
    else {
        return (least, most);
    };
    // The value of the move itself may be a bound, and the wrong one.
    match (player, children.first().and_then(TraceNode::bound)) {
        (0, Some(Ordering::Less)) | (1.., Some(Ordering::Greater)) => (least, most),
        (_, None) if children.len() == 1 => (value.clone(), value.clone()),
        (0, _) => (least.max(value.clone()), most),
        _ => (least, most.min(value.clone())),
    }
}
