//! A tree of proof numbers, held whole: what best-first search grows.
//!
//! Source: Allis, "Searching for solutions in games and artificial intelligence" (1994), chapter 2: selection, update that
//! ends where nothing changes, deletion of what is below answered nodes.
//! Cost: a few words a node.
//! Invariant: the numbers of a node with moves are those that [`Together`] gives; an answered node has no moves, but where
//! the [whole](Tree::whole) tree is wanted.

use super::numbers::{Numbers, Together};

/// Stands for no node.
pub const NONE: u32 = u32::MAX;

/// A node.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Its numbers.
    pub numbers: Numbers,
    /// The node before; [`NONE`] at the root.
    pub parent: u32,
    /// Its moves are so many nodes from this one on.
    pub first: u32,
    /// See [`first`](Self::first); 0 where it was not expanded.
    pub moves: u32,
    /// Whether its mover wants the answer to be yes.
    pub proves: bool,
}

/// The tree. Its root is node 0.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    /// By length: where runs of nodes begin that are free.
    free: Vec<Vec<u32>>,
    held: usize,
    together: Together,
    /// Whether what is below answered nodes is kept.
    whole: bool,
}

impl Tree {
    /// A tree of one node.
    pub fn new(proves: bool, together: Together) -> Tree {
        let numbers = Numbers { proof: 1, disproof: 1 };
        let root = Node { numbers, parent: NONE, first: 0, moves: 0, proves };
        Tree { nodes: vec![root], free: Vec::new(), held: 1, together, whole: false }
    }

    /// The same tree, from which nothing is deleted.
    pub fn whole(self) -> Tree {
        Tree { whole: true, ..self }
    }

    /// A node.
    pub fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    /// The moves of a node.
    pub fn moves(&self, at: u32) -> std::ops::Range<u32> {
        let node = self.node(at);
        node.first..node.first + node.moves
    }

    /// How many nodes are held.
    pub fn held(&self) -> usize {
        self.held
    }

    /// One more than the greatest number of a node that was ever held.
    pub fn room(&self) -> usize {
        self.nodes.len()
    }

    /// The most-proving node below a node: where both numbers of the root can change.
    pub fn most_proving(&self, from: u32) -> u32 {
        let mut at = from;
        while self.node(at).moves > 0 {
            let proves = self.node(at).proves;
            at = self.moves(at).min_by_key(|&one| self.node(one).numbers.seen(proves).0).unwrap_or(at);
        }
        at
    }

    /// Gives a node its moves, by their numbers and whether the mover there wants a yes. Its own numbers are not updated.
    pub fn expand(&mut self, at: u32, moves: &[(Numbers, bool)]) {
        let first = self.room_for(moves.len());
        for (place, &(numbers, proves)) in moves.iter().enumerate() {
            self.nodes[first as usize + place] = Node { numbers, parent: at, first: 0, moves: 0, proves };
        }
        let node = &mut self.nodes[at as usize];
        (node.first, node.moves) = (first, moves.len() as u32);
    }

    /// Gives a node without moves other numbers.
    pub fn set(&mut self, at: u32, numbers: Numbers) {
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
        let nothing =
            Node { numbers: Numbers::answered(false), parent: NONE, first: 0, moves: 0, proves: false };
        self.nodes.resize(first + count, nothing);
        first as u32
    }

    /// Works out the numbers from a node up, until one does not change; gives that node, below which the most-proving node
    /// still is. The root is changed last.
    pub fn update(&mut self, from: u32) -> u32 {
        let mut at = from;
        loop {
            let node = *self.node(at);
            let mut numbers = node.numbers;
            if node.moves > 0 {
                let seen = self.moves(at).map(|one| self.node(one).numbers.seen(node.proves));
                numbers = Numbers::from_seen(self.together.of(seen).held(), node.proves);
            }
            if numbers == node.numbers && at != from {
                return at;
            }
            self.nodes[at as usize].numbers = numbers;
            if numbers.answer().is_some() && !self.whole {
                self.prune(at);
            }
            if node.parent == NONE {
                return at;
            }
            at = node.parent;
        }
    }

    /// Deletes what is below a node.
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
        let one = Numbers { proof: 1, disproof: 1 };
        let mut tree = Tree::new(true, Together::Sum);
        tree.expand(0, &[(one, false), (one, false)]);
        assert_eq!(tree.update(0), 0);
        assert_eq!(tree.node(0).numbers, Numbers { proof: 1, disproof: 2 });
        // The first move has three answers, the other one.
        tree.expand(1, &[(one, true), (one, true), (one, true)]);
        tree.update(1);
        assert_eq!(tree.node(1).numbers, Numbers { proof: 3, disproof: 1 });
        assert_eq!(tree.most_proving(0), 2);
        tree.expand(2, &[(one, true)]);
        tree.update(2);
        assert_eq!((tree.node(0).numbers, tree.held()), (Numbers { proof: 1, disproof: 2 }, 7));
        tree.set(6, Numbers::answered(false));
        tree.update(6);
        assert_eq!((tree.node(0).numbers, tree.held()), (Numbers { proof: 3, disproof: 1 }, 6));
        // The room of what was below the second move is taken again.
        tree.expand(3, &[(one, false)]);
        assert_eq!((tree.room(), tree.node(6).parent), (7, 3));
        for answer in [6, 4, 5] {
            tree.set(answer, Numbers::answered(true));
            tree.update(answer);
        }
        assert_eq!((tree.node(0).numbers.answer(), tree.held()), (Some(true), 1));
    }
}
