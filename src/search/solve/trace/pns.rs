//! The tree of proof-number search with the numbers of its nodes, and their order of expansion.
//!
//! Technique: as [PNS](crate::solve::proof_number), on the same tree, but without deletions. The question is if the
//! player to move at the root wins; terminals are evaluated at the expansion of their parent (immediate evaluation).
//! Source: Allis, van der Meulen, van den Herik, "Proof-number search" (1994).

use bouton_base::rational::Rational;

use super::minimax::Tracer;
use super::{MAX_TREE_DEPTH, TraceError, TraceNode, TraceNodeKind};
use crate::game::{State, Successor, ToMove};
use crate::solve::proof_number::numbers::{Aggregation, ProofNumbers};
use crate::solve::proof_number::tree::{NO_NODE, ProofNumberTree};
use crate::solve::value::WrittenMove;

/// The data of a node besides its current numbers.
struct PnsTraceNode {
    state: State,
    made: Option<WrittenMove>,
    kind: TraceNodeKind,
    depth: usize,
    /// The step of its expansion, and the numbers of the root after it.
    expanded: Option<(usize, ProofNumbers)>,
    /// The history of its numbers, each with its first step.
    became: Vec<(usize, ProofNumbers)>,
}

impl Tracer<'_> {
    /// Grows the tree until the root is answered, or the most-proving node lies at the depth given.
    pub(super) fn by_numbers(
        &mut self,
        state: &State,
        depth: Option<usize>,
    ) -> Result<TraceNode, TraceError> {
        let (kind, numbers) = self.first_look(state)?;
        let became = vec![(0, numbers)];
        let root = PnsTraceNode { state: state.clone(), made: None, kind, depth: 0, expanded: None, became };
        let (mut tree, mut drawn) =
            (ProofNumberTree::new(true, Aggregation::Sum).keeping_subtrees(), vec![root]);
        tree.set(0, numbers);
        let mut steps = 0;
        let marked = loop {
            if tree.node(0).numbers.answer().is_some() {
                break None;
            }
            let leaf = tree.most_proving(0);
            if depth.is_some_and(|most| drawn[leaf as usize].depth >= most) {
                break Some(leaf);
            }
            if let Some(hit) = self.limits.check() {
                return Err(TraceError::Limit(hit));
            }
            if drawn[leaf as usize].depth >= MAX_TREE_DEPTH {
                return Err(TraceError::TooDeep);
            }
            let here = drawn[leaf as usize].state.clone();
            steps += 1;
            let (_, successors) = self.game.machine.expand(&here).map_err(TraceError::Halt)?;
            let mut moves = Vec::new();
            for Successor { play, state, .. } in successors {
                let (kind, numbers) = self.first_look(&state)?;
                moves.push((numbers, kind == TraceNodeKind::Player(self.root)));
                let (made, depth) = (Some(self.made(&here, play)), drawn[leaf as usize].depth + 1);
                let became = vec![(steps, numbers)];
                drawn.push(PnsTraceNode { state, made, kind, depth, expanded: None, became });
            }
            if moves.is_empty() {
                return Err(TraceError::NotApplicable("nobody can move though the game is not over".into()));
            }
            if drawn.len() > self.nodes {
                return Err(TraceError::TooLarge(self.nodes));
            }
            tree.expand(leaf, &moves);
            tree.update(leaf);
            drawn[leaf as usize].expanded = Some((steps, tree.node(0).numbers));
            let mut at = leaf;
            while at != NO_NODE {
                let numbers = tree.node(at).numbers;
                let became = &mut drawn[at as usize].became;
                if became.last().is_none_or(|&(_, last)| last != numbers) {
                    became.push((steps, numbers));
                }
                at = tree.node(at).parent;
            }
        };
        Ok(self.drawn(&tree, &mut drawn, 0, marked))
    }

    /// Returns the kind of a position, and its numbers before expansion.
    fn first_look(&mut self, state: &State) -> Result<(TraceNodeKind, ProofNumbers), TraceError> {
        match self.game.machine.turn(state).map_err(TraceError::Halt)? {
            ToMove::Terminal(outcome) => {
                let won = self.end(&outcome.payoffs)? > Rational::default();
                Ok((TraceNodeKind::End, ProofNumbers::answered(won)))
            }
            ToMove::Player(player) => {
                Ok((TraceNodeKind::Player(player), ProofNumbers { proof: 1, disproof: 1 }))
            }
            ToMove::Chance => Err(TraceError::NotApplicable("proof numbers do not support chance".into())),
            ToMove::Simultaneous => Err(TraceError::NotApplicable("players choose simultaneously".into())),
        }
    }

    fn drawn(
        &self,
        tree: &ProofNumberTree,
        drawn: &mut [PnsTraceNode],
        at: u32,
        marked: Option<u32>,
    ) -> TraceNode {
        let children = tree.moves(at).map(|child| self.drawn(tree, drawn, child, marked)).collect();
        let PnsTraceNode { made, kind, expanded, became, .. } = &mut drawn[at as usize];
        let numbers = tree.node(at).numbers;
        TraceNode {
            value: numbers.answer().map(|yes| Rational::from_integer(i64::from(yes))),
            visited: expanded.map(|(step, _)| step),
            numbers: Some(numbers),
            root_after: expanded.map(|(_, root)| root),
            number_history: std::mem::take(became),
            marked: marked == Some(at),
            children,
            ..TraceNode::new(made.take(), *kind)
        }
    }
}
