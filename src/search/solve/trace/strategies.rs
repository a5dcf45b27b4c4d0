//! The tree of a game in which something is hidden or players choose at once, with information sets and the strategies
//! that a solver found: the extensive form of textbooks.

use num_rational::BigRational;
use num_traits::{One, Zero};

use super::{TraceError, TraceLimits, TraceNode, TraceNodeKind};
use crate::game::explore::PositionFault;
use crate::game::{Game, MachineError, State, ToMove};
use crate::solve::graph_labelling::Auto;
use crate::solve::mixed::game_tree::{NONE, PLAYERS};
use crate::solve::mixed::hidden;
use crate::solve::mixed::play::MixedPlay;
use crate::solve::value::WrittenMove;
use crate::solve::{SolveOptions, SolveRequest, Solver};
use bouton_base::limits::{Limits, NoProgress};
use bouton_base::rational::Rational;
use bouton_rules::Actor;

/// Returns the tree with the best strategies.
pub fn trace(
    game: &Game,
    state: &State,
    extent: &TraceLimits,
    limits: &Limits,
) -> Result<TraceNode, TraceError> {
    let options = SolveOptions { max_line_moves: 0, ..SolveOptions::default() };
    let request = SolveRequest::new(game, state, &options, limits, &NoProgress);
    let solved = match game.rules.has_hidden_information() {
        true => hidden::solve_by_tree(&request),
        false => Auto.solve(&request),
    };
    let solution = solved.map_err(|faulty| match faulty.kind {
        PositionFault::Fault(fault) => TraceError::Halt(MachineError::Fault(fault)),
        PositionFault::Stuck => {
            TraceError::NotApplicable("in some position nobody can move, and the game is not over".into())
        }
    })?;
    let Some(play) = solution.mixed.as_ref().filter(|play| play.strategies.is_some()) else {
        let chooses_at_once = game.rules.phases.iter().any(|phase| matches!(phase.actor, Actor::Each));
        let reason = solution.reason.unwrap_or_else(|| match game.rules.players().len() {
            1 | 2 if chooses_at_once => {
                "players choose at once, and positions may come back, so the tree has no end: `solve` gives the value, `report` \
                 how to play"
                    .into()
            }
            1 | 2 => "nothing is hidden and nobody chooses at once: `--method minimax` draws the tree".into(),
            _ => "information sets are drawn for two players: `solve --all-moves` gives the values of the moves, \
                  `report` the strategy"
                .into(),
        });
        return Err(TraceError::NotApplicable(reason));
    };
    let mut tree = StrategyTree { game, play, extent, limits, count: 0 };
    tree.node(Place { node: 0, depth: 0 }, state, None)
}

/// A node of the tree of histories, with its depth.
#[derive(Clone, Copy)]
struct Place {
    node: u32,
    depth: usize,
}

struct StrategyTree<'a> {
    game: &'a Game,
    play: &'a MixedPlay,
    extent: &'a TraceLimits,
    limits: &'a Limits,
    count: usize,
}

impl StrategyTree<'_> {
    fn node(
        &mut self,
        place: Place,
        state: &State,
        made: Option<WrittenMove>,
    ) -> Result<TraceNode, TraceError> {
        self.count += 1;
        self.extent.check_node(self.count, place.depth, self.limits)?;
        let tree = &self.play.tree;
        let (turn, successors) = self.game.machine.expand(state).map_err(TraceError::Halt)?;
        let is_cut = self.extent.depth.is_some_and(|depth| depth == place.depth);
        let kind = match &turn {
            ToMove::Terminal(_) => TraceNodeKind::End,
            ToMove::Chance => TraceNodeKind::Chance,
            ToMove::Player(player) => TraceNodeKind::Player(*player),
            ToMove::Simultaneous => TraceNodeKind::Simultaneous,
        };
        let sets = tree.nodes[place.node as usize].sets;
        // Where nothing is hidden, each node is a set of its own.
        let numbers: Vec<(u32, u32)> = (0..PLAYERS as u32)
            .filter(|&player| tree.hidden && sets[player as usize] != NONE)
            .map(|player| (player, sets[player as usize] + 1))
            .collect();
        let mut node = TraceNode::new(made, kind);
        node.visited = Some(self.count);
        node.sets = numbers;
        if kind == TraceNodeKind::End {
            node.value = tree.payoff(place.node).cloned().map(Rational::from);
            return Ok(node);
        }
        if is_cut {
            node.kind = TraceNodeKind::DepthLimit;
            return Ok(node);
        }
        let mut value = Some(Rational::ZERO);
        for (edge, next) in tree.edges_of(place.node).to_vec().into_iter().zip(successors) {
            let share = self.share(&sets, &edge.actions) * tree.probability(&edge);
            let written = self.game.notation(state, &next.play);
            let made = WrittenMove { play: next.play.clone(), written };
            let below = Place { node: edge.to, depth: place.depth + 1 };
            let child = self.node(below, &next.state, Some(made))?;
            let share = Rational::from(share);
            value = value.zip(child.value.as_ref()).map(|(sum, value)| sum + value * &share);
            node.children.push(TraceNode { probability: Some(share), ..child });
        }
        node.value = value;
        Ok(node)
    }

    /// The probability that the players choose these actions in their information sets.
    fn share(&self, sets: &[u32; PLAYERS], actions: &[u32; PLAYERS]) -> BigRational {
        let Some(strategies) = &self.play.strategies else { return BigRational::zero() };
        let of = |player: usize| match sets[player] {
            NONE => BigRational::one(),
            set => strategies[player][set as usize][actions[player] as usize].clone(),
        };
        of(0) * of(1)
    }
}
