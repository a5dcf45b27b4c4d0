//! The tree of backward induction: at each node the payoffs of all players, of whom each wants the most for himself.
//!
//! Source: Zermelo (1913) and Kuhn (1953) for two players and more; Luckhart and Irani, "An algorithmic solution of
//! n-person games" (1986), for searches (max^n).
//! Invariant: of moves with the same payoff to the player who chooses, the first one decides. Another choice among them
//! may give other players other payoffs.

use bouton_base::limits::Limits;
use bouton_base::rational::Rational;

use super::{TraceError, TraceLimits, TraceNode, TraceNodeKind};
use crate::game::{Game, State, Successor, ToMove};
use crate::solve::depth_limited::evaluation::{ExpandedNode, StaticEvaluator};
use crate::solve::value::WrittenMove;

/// Returns the tree from a position.
pub fn trace(
    game: &Game,
    state: &State,
    extent: &TraceLimits,
    limits: &Limits,
) -> Result<TraceNode, TraceError> {
    let evaluator = StaticEvaluator::new(game, extent.plan.playouts, limits);
    Inductor { game, evaluator, extent, limits, visits: 0 }.node(state, None, 0)
}

struct Inductor<'a> {
    game: &'a Game,
    evaluator: StaticEvaluator<'a>,
    extent: &'a TraceLimits,
    limits: &'a Limits,
    visits: usize,
}

impl Inductor<'_> {
    /// Returns the tree below a move; `ply` is the number of plies from the root.
    fn node(
        &mut self,
        state: &State,
        made: Option<WrittenMove>,
        ply: usize,
    ) -> Result<TraceNode, TraceError> {
        self.visits += 1;
        self.extent.check_node(self.visits, ply, self.limits)?;
        let visited = Some(self.visits);
        let (turn, successors) = self.game.machine.expand(state).map_err(TraceError::Halt)?;
        let kind = match &turn {
            ToMove::Terminal(_) => TraceNodeKind::End,
            _ if self.extent.depth == Some(ply) => TraceNodeKind::DepthLimit,
            ToMove::Player(player) => TraceNodeKind::Player(*player),
            ToMove::Chance => TraceNodeKind::Chance,
            ToMove::Simultaneous => {
                return Err(TraceError::NotApplicable("players choose simultaneously".into()));
            }
        };
        let mut node = TraceNode { visited, ..TraceNode::new(made, kind) };
        match (&turn, kind) {
            (ToMove::Terminal(outcome), _) => node.payoffs = outcome.payoffs.clone(),
            (_, TraceNodeKind::DepthLimit) => {
                let here = ExpandedNode { state, turn: &turn, successors: &successors };
                node.payoffs = self.evaluator.evaluate(here).map_err(TraceError::Halt)?.unwrap_or_default();
                node.is_estimate = !node.payoffs.is_empty();
            }
            _ => self.choose(state, &mut node, successors, ply)?,
        }
        Ok(node)
    }

    /// Adds the moves, or the events, of a node.
    fn choose(
        &mut self,
        state: &State,
        node: &mut TraceNode,
        successors: Vec<Successor>,
        ply: usize,
    ) -> Result<(), TraceError> {
        let players = self.game.rules.players().len();
        let mut mean = vec![Rational::ZERO; players];
        let mut known = !successors.is_empty();
        for Successor { play, state: next, probability } in successors {
            let written = self.game.notation(state, &play);
            let made = WrittenMove { play, written };
            let mut child = self.node(&next, Some(made), ply + 1)?;
            known &= child.payoffs.len() == players;
            node.is_estimate |= child.is_estimate;
            if node.kind == TraceNodeKind::Chance {
                for (sum, payoff) in mean.iter_mut().zip(&child.payoffs) {
                    *sum = &*sum + &(payoff * &probability);
                }
                child.probability = Some(probability);
            }
            node.children.push(child);
        }
        if !known {
            return Ok(());
        }
        node.payoffs = match node.kind {
            TraceNodeKind::Player(player) => {
                let payoff = |number: usize| &node.children[number].payoffs[player as usize];
                // The first of equal ones.
                let best =
                    (0..node.children.len()).rev().max_by(|&one, &other| payoff(one).cmp(payoff(other)));
                node.best = best;
                best.map_or(mean, |best| node.children[best].payoffs.clone())
            }
            _ => mean,
        };
        Ok(())
    }
}
