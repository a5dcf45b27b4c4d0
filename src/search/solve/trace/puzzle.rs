//! The tree of a search for the fewest moves of a single player: breadth-first search, or A* with the bounds of the
//! [planner](super::super::planning).
//!
//! Technique: each position stands once in the tree, below the fewest moves that lead to it; where it is met again, the
//! node is a leaf. Breadth-first search ends when a won position is found, A* when one would be expanded. Of the open
//! positions with the least sum of moves and bound, A* expands the latest.
//! Source: Moore (1959); Hart, Nilsson, Raphael (1968).

use bouton_base::limits::{Limits, NoProgress};
use bouton_base::rational::Rational;
use rustc_hash::FxHashMap;

use super::{PathLength, TraceError, TraceLimits, TraceNode, TraceNodeKind, TracedSearch};
use crate::game::{Game, State, Successor, ToMove};
use crate::solve::planning::PlanLengthBound;
pub use crate::solve::planning::misfit;
use crate::solve::value::WrittenMove;
use crate::solve::{Inapplicable, SolveOptions, SolveRequest};

/// Returns the tree of a search from a position.
pub fn trace(
    game: &Game,
    state: &State,
    method: TracedSearch,
    extent: &TraceLimits,
    limits: &Limits,
) -> Result<TraceNode, TraceError> {
    if let Some(reason) = misfit(&game.rules) {
        let what = format!("{reason}: `--method minimax` draws the tree of all moves");
        return Err(TraceError::NotApplicable(what));
    }
    let options = SolveOptions::default();
    let request = SolveRequest::new(game, state, &options, limits, &NoProgress);
    let bound = match method {
        TracedSearch::AStar => Some(PlanLengthBound::new(&request).map_err(|reason| match reason {
            Inapplicable::Limit(hit) => TraceError::Limit(hit),
            other => TraceError::NotApplicable(other.to_string()),
        })?),
        _ => None,
    };
    let mut search = PuzzleTracer {
        game,
        bound,
        extent,
        limits,
        nodes: Vec::new(),
        owners: FxHashMap::default(),
        open: Vec::new(),
    };
    let goal = search.run(state)?;
    Ok(search.drawn(goal))
}

/// A node of the tree, with its parent.
struct PuzzleNode {
    state: State,
    parent: Option<usize>,
    children: Vec<usize>,
    drawn: TraceNode,
}

struct PuzzleTracer<'a> {
    game: &'a Game,
    bound: Option<PlanLengthBound>,
    extent: &'a TraceLimits,
    limits: &'a Limits,
    nodes: Vec<PuzzleNode>,
    /// The node of each position.
    owners: FxHashMap<State, usize>,
    /// The open nodes, in the order in which they were found.
    open: Vec<usize>,
}

impl PuzzleTracer<'_> {
    /// Grows the tree until a won position is found, and returns its node; `None` if there is none.
    fn run(&mut self, state: &State) -> Result<Option<usize>, TraceError> {
        let mut goal = self.add(state.clone(), None, 0)?;
        let mut step = 0;
        while goal.is_none()
            && let Some(at) = self.next()
        {
            step += 1;
            let node = &mut self.nodes[at];
            node.drawn.visited = Some(step);
            // A* knows that no plan is shorter when it expands a won position.
            if node.drawn.kind == TraceNodeKind::End {
                return Ok(Some(at));
            }
            let here = node.state.clone();
            let (_, successors) = self.game.machine.expand(&here).map_err(TraceError::Halt)?;
            for Successor { play, state, .. } in successors {
                let written = self.game.notation(&here, &play);
                let found = self.add(state, Some((at, WrittenMove { play, written })), step)?;
                goal = goal.or(found);
            }
        }
        Ok(goal)
    }

    /// Takes the next node to expand: the earliest, or for A* the latest of those with the least sum.
    fn next(&mut self) -> Option<usize> {
        let sum = |at: usize| {
            let path = self.nodes[at].drawn.path;
            path.map_or(0, |path| path.moves + usize::from(path.bound.unwrap_or(0)))
        };
        let nodes = self.open.iter().copied().enumerate();
        let (place, at) = match self.bound {
            None => nodes.into_iter().next()?,
            Some(_) => nodes.rev().min_by_key(|&(_, at)| sum(at))?,
        };
        self.open.remove(place);
        Some(at)
    }

    /// Adds a position below a move. Returns its node if a search that ends there has found a won position.
    fn add(
        &mut self,
        state: State,
        made: Option<(usize, WrittenMove)>,
        step: usize,
    ) -> Result<Option<usize>, TraceError> {
        let (parent, made) = made.unzip();
        let moves = parent.map_or(0, |parent| self.moves(parent) + 1);
        self.extent.check_node(self.nodes.len() + 1, moves, self.limits)?;
        let at = self.nodes.len();
        let turn = self.game.machine.turn(&state).map_err(TraceError::Halt)?;
        let bound = self.bound.as_mut().map(|bound| bound.of(&self.game.cells(&state)).unwrap_or(u16::MAX));
        let won = match &turn {
            ToMove::Terminal(outcome) => outcome.payoffs.first().map(Rational::is_positive),
            _ => None,
        };
        let mut kind = match won {
            Some(_) => TraceNodeKind::End,
            None if self.extent.depth.is_some_and(|most| moves >= most) => TraceNodeKind::DepthLimit,
            None => TraceNodeKind::Player(0),
        };
        let mut is_open = match self.bound {
            Some(_) => kind != TraceNodeKind::DepthLimit && won != Some(false) && bound != Some(u16::MAX),
            None => kind == TraceNodeKind::Player(0),
        };
        match self.owners.get(&state).copied() {
            Some(owner) if self.moves(owner) <= moves => {
                kind = TraceNodeKind::Repeated;
                is_open = false;
            }
            // A shorter path: the bound is consistent, so the node that had the position is still open.
            Some(owner) => {
                self.nodes[owner].drawn.kind = TraceNodeKind::Repeated;
                self.open.retain(|&open| open != owner);
            }
            None => {}
        }
        if kind != TraceNodeKind::Repeated {
            self.owners.insert(state.clone(), at);
        }
        let drawn = TraceNode {
            path: Some(PathLength { moves, bound, found: step }),
            value: won.filter(|_| kind == TraceNodeKind::End).map(|won| Rational::from_integer(won.into())),
            ..TraceNode::new(made, kind)
        };
        self.nodes.push(PuzzleNode { state, parent, children: Vec::new(), drawn });
        if let Some(parent) = parent {
            self.nodes[parent].children.push(at);
        }
        if is_open {
            self.open.push(at);
        }
        Ok((self.bound.is_none() && won == Some(true) && kind == TraceNodeKind::End).then_some(at))
    }

    fn moves(&self, at: usize) -> usize {
        self.nodes[at].drawn.path.map_or(0, |path| path.moves)
    }

    /// Returns the tree, in which the moves to the won position are the best ones.
    fn drawn(mut self, goal: Option<usize>) -> TraceNode {
        let mut at = goal;
        while let Some(number) = at {
            at = self.nodes[number].parent;
            if let Some(parent) = at {
                let place = self.nodes[parent].children.iter().position(|&child| child == number);
                self.nodes[parent].drawn.best = place;
            }
        }
        // Children come after their parents.
        let mut trees: Vec<Option<TraceNode>> = self.nodes.iter().map(|_| None).collect();
        for (number, node) in self.nodes.into_iter().enumerate().rev() {
            let children = node.children.iter().filter_map(|&child| trees[child].take()).collect();
            trees[number] = Some(TraceNode { children, ..node.drawn });
        }
        trees[0].take().unwrap_or_else(|| TraceNode::new(None, TraceNodeKind::Player(0)))
    }
}
