//! A proof-number tree in memory: the tree of best-first search.
//!
//! Source: Allis, "Searching for solutions in games and artificial intelligence" (1994), chapter 2: selection, update
//! that stops at an unchanged node, deletion of the subtrees of answered nodes.
//! Cost: a few words a node.
//! Invariant: [`Aggregation`] gives the numbers of a node with moves; an answered node has no moves, unless the
//! whole tree is kept.

use super::numbers::{Aggregation, ProofNumbers};

/// The index of no node.
pub const NO_NODE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub struct ProofNumberNode {
    pub numbers: ProofNumbers,
    /// The index of the parent; [`NO_NODE`] at the root.
    pub parent: u32,
    /// The index of its first move; the moves are contiguous.
    pub first: u32,
    /// The number of moves; 0 before expansion.
    pub moves: u32,
    /// True if its mover wants the answer yes.
    pub proves: bool,
}

/// A tree of nodes in an arena. Its root is node 0.
#[derive(Clone, Debug)]
pub struct ProofNumberTree {
    nodes: Vec<ProofNumberNode>,
    /// Free lists: the first indices of free runs of nodes, by length.
    free: Vec<Vec<u32>>,
    held: usize,
    together: Aggregation,
    /// True if the subtrees of answered nodes are kept.
    whole: bool,
}

impl ProofNumberTree {
    /// Creates a tree of one node.
    pub fn new(proves: bool, together: Aggregation) -> ProofNumberTree {
        let numbers = ProofNumbers { proof: 1, disproof: 1 };
        let root = ProofNumberNode { numbers, parent: NO_NODE, first: 0, moves: 0, proves };
        ProofNumberTree { nodes: vec![root], free: Vec::new(), held: 1, together, whole: false }
    }

    /// Returns the same tree, which then keeps all subtrees.
    pub fn keeping_subtrees(self) -> ProofNumberTree {
        ProofNumberTree { whole: true, ..self }
    }

    pub fn node(&self, at: u32) -> &ProofNumberNode {
        &self.nodes[at as usize]
    }

    /// The indices of the moves of a node.
    pub fn moves(&self, at: u32) -> std::ops::Range<u32> {
        let node = self.node(at);
        node.first..node.first + node.moves
    }

    /// The number of live nodes.
    pub fn live_nodes(&self) -> usize {
        self.held
    }

    /// The number of allocated nodes, free ones included.
    pub fn allocated_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the most-proving node below a node: the leaf that can change both numbers of the root.
    pub fn most_proving(&self, from: u32) -> u32 {
        let mut at = from;
        while self.node(at).moves > 0 {
            let proves = self.node(at).proves;
            at = self.moves(at).min_by_key(|&one| self.node(one).numbers.phi_delta(proves).phi).unwrap_or(at);
        }
        at
    }

    /// Expands a node: gives it its moves, by their numbers and true if their mover wants a yes. Its own numbers stay
    /// as they are.
    pub fn expand(&mut self, at: u32, moves: &[(ProofNumbers, bool)]) {
        let first = self.room_for(moves.len());
        for (place, &(numbers, proves)) in moves.iter().enumerate() {
            self.nodes[first as usize + place] =
                ProofNumberNode { numbers, parent: at, first: 0, moves: 0, proves };
        }
        let node = &mut self.nodes[at as usize];
        (node.first, node.moves) = (first, moves.len() as u32);
    }

    /// Sets the numbers of a node without moves.
    pub fn set(&mut self, at: u32, numbers: ProofNumbers) {
        self.nodes[at as usize].numbers = numbers;
    }

    fn room_for(&mut self, count: usize) -> u32 {
        self.held += count;
        if let Some(length) = (count..self.free.len()).find(|&length| !self.free[length].is_empty())
            && let Some(first) = self.free[length].pop()
        {
            if length > count {
                self.free[length - count].push(first + count as u32);
            }
            return first;
        }
        let first = self.nodes.len();
        let nothing = ProofNumberNode {
            numbers: ProofNumbers::answered(false),
            parent: NO_NODE,
            first: 0,
            moves: 0,
            proves: false,
        };
        self.nodes.resize(first + count, nothing);
        first as u32
    }

    /// Recomputes the numbers from a node upwards, until one does not change; returns that node, below which the
    /// most-proving node still is. The root is the last to change.
    pub fn update(&mut self, from: u32) -> u32 {
        let mut at = from;
        loop {
            let node = *self.node(at);
            let mut numbers = node.numbers;
            if node.moves > 0 {
                let seen = self.moves(at).map(|one| self.node(one).numbers.phi_delta(node.proves));
                numbers =
                    ProofNumbers::from_phi_delta(self.together.aggregate(seen).saturated(), node.proves);
            }
            if numbers == node.numbers && at != from {
                return at;
            }
            self.nodes[at as usize].numbers = numbers;
            if numbers.answer().is_some() && !self.whole {
                self.prune(at);
            }
            if node.parent == NO_NODE {
                return at;
            }
            at = node.parent;
        }
    }

    /// Deletes the subtree of a node.
    fn prune(&mut self, at: u32) {
        let mut below = vec![at];
        while let Some(at) = below.pop() {
            let moves = self.moves(at);
            if moves.is_empty() {
                continue;
            }
            self.nodes[at as usize].moves = 0;
            self.held -= moves.len();
            self.free.resize(self.free.len().max(moves.len() + 1), Vec::new());
            self.free[moves.len()].push(moves.start);
            below.extend(moves);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_of_the_literature_has_its_numbers_and_gives_room_back() {
        let one = ProofNumbers { proof: 1, disproof: 1 };
        let mut tree = ProofNumberTree::new(true, Aggregation::Sum);
        tree.expand(0, &[(one, false), (one, false)]);
        assert_eq!(tree.update(0), 0);
        assert_eq!(tree.node(0).numbers, ProofNumbers { proof: 1, disproof: 2 });
        // The first move has three replies, the second one has one.
        tree.expand(1, &[(one, true), (one, true), (one, true)]);
        tree.update(1);
        assert_eq!(tree.node(1).numbers, ProofNumbers { proof: 3, disproof: 1 });
        assert_eq!(tree.most_proving(0), 2);
        tree.expand(2, &[(one, true)]);
        tree.update(2);
        assert_eq!((tree.node(0).numbers, tree.live_nodes()), (ProofNumbers { proof: 1, disproof: 2 }, 7));
        tree.set(6, ProofNumbers::answered(false));
        tree.update(6);
        assert_eq!((tree.node(0).numbers, tree.live_nodes()), (ProofNumbers { proof: 3, disproof: 1 }, 6));
        // The freed nodes below the second move are reused.
        tree.expand(3, &[(one, false)]);
        assert_eq!((tree.allocated_nodes(), tree.node(6).parent), (7, 3));
        for answer in [6, 4, 5] {
            tree.set(answer, ProofNumbers::answered(true));
            tree.update(answer);
        }
        assert_eq!((tree.node(0).numbers.answer(), tree.live_nodes()), (Some(true), 1));
    }
}
