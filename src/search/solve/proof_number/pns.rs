//! PNS: best-first proof-number search with the tree in memory; and PN², which searches each leaf by a second PNS.
//!
//! Technique: the search expands the most-proving node, the leaf that a proof as well as a disproof of the root must
//! pass, until the root is answered. PN² does not just expand it: a second search, as large as the first tree is by
//! now, computes the numbers of its moves, and PN² then discards the second tree.
//! Source: Allis, van der Meulen, van den Herik (1994); Allis (1994) for PN²; Breuker, Uiterwijk, van den Herik, "The
//! PN²-search algorithm" (2001). The search detects a move that ends the game when it expands the position before
//! (immediate evaluation) or, as an option, when it expands the terminal itself (delayed evaluation). It evaluates
//! other positions when it expands them, or at once with [`InitialNumbers::Mobility`].
//! Cost: the tree must fit in memory, so memory ends the search before time does. PN² needs about the square root of
//! that memory, and takes a few times longer.
//! If positions repeat, a move back to a position above its node is answered at once by the payoff of infinite play: a
//! tree whose paths contain each position at most once has the value of the game at its root (see
//! [`dfpn`](super::dfpn)), and so has the tree of a second search, which begins with a path of its own.
//! Invariant: the trees hold no more nodes than memory allows; answered nodes have no subtree.
//! Not taken: Breuker's logistic growth of the second search, which needs two parameters tuned for each game; merging
//! transpositions.

use super::numbers::{PhiDelta, ProofNumbers};
use super::question::{ExpansionResult, PositionExpander, from_words, to_words};
use super::tree::{NO_NODE, ProofNumberNode, ProofNumberTree};
use super::{InitialNumbers, PnSearchOptions, QuestionSolver};
use crate::solve::extract::SearchInterrupted;
use bouton_base::limits::LimitHit;
use bouton_circuit::Position;

/// A proof-number tree with the positions of its nodes.
struct PnsTree {
    tree: ProofNumberTree,
    /// By node: the words of its position, the control behind them, and then the controls of the positions before it
    /// since the ranking function last rose, as bits.
    words: Vec<u64>,
    /// The number of words of a node there.
    size: usize,
}

impl PnsTree {
    fn new(root: &[u64], turns: u64, proves: bool, tuning: &PnSearchOptions) -> PnsTree {
        let words: Vec<u64> = root.iter().copied().chain([turns]).collect();
        PnsTree { tree: ProofNumberTree::new(proves, tuning.aggregation), size: words.len(), words }
    }

    /// Returns the words of a node's position with the control behind them.
    fn at(&self, node: u32) -> &[u64] {
        let first = node as usize * self.size;
        &self.words[first..first + self.size - 1]
    }

    fn turns(&self, node: u32) -> u64 {
        self.words[(node as usize + 1) * self.size - 1]
    }

    /// Gives a node its moves: their numbers, and the concatenated words of their positions.
    fn expand(&mut self, node: u32, moves: &[(ProofNumbers, bool)], words: &[u64]) {
        self.tree.expand(node, moves);
        self.words.resize(self.tree.allocated_nodes() * self.size, 0);
        let first = self.tree.node(node).first as usize;
        for (place, child) in words.chunks_exact(self.size - 1).enumerate() {
            let at = (first + place) * self.size;
            self.words[at..at + self.size - 1].copy_from_slice(child);
            self.words[at + self.size - 1] = 0;
        }
    }

    fn held_bytes(&self) -> u64 {
        (self.tree.allocated_nodes() * (size_of::<ProofNumberNode>() + 8 * self.size)) as u64
    }

    /// Returns true if a position, given by its words, is that of a node or of an ancestor of it.
    fn is_on_path(&self, node: u32, to: &[u64]) -> bool {
        let above = |&at: &u32| Some(self.tree.node(at).parent).filter(|&parent| parent != NO_NODE);
        std::iter::successors(Some(node), above).any(|at| self.at(at) == to)
    }

    /// Returns the positions from the root to a node.
    fn way(&self, node: u32) -> Vec<Position> {
        let mut way: Vec<Position> = std::iter::successors(Some(node), |&at| {
            Some(self.tree.node(at).parent).filter(|&p| p != NO_NODE)
        })
        .map(|at| from_words(self.at(at)))
        .collect();
        way.reverse();
        way
    }
}

/// A best-first proof-number search.
pub struct Pns<'a> {
    eyes: PositionExpander<'a>,
    tuning: PnSearchOptions,
    /// True for PN²: a second search evaluates the leaves.
    two_level: bool,
    /// The maximal number of nodes.
    max_nodes: usize,
    /// The peak memory in bytes.
    peak: u64,
    /// The words of a position, followed by those of its moves.
    scratch: Vec<u64>,
    /// The path to the position that ended the search.
    way: Vec<Position>,
}

impl<'a> Pns<'a> {
    /// Creates a search within a memory budget of `most` bytes.
    pub fn new(mut eyes: PositionExpander<'a>, tuning: PnSearchOptions, twice: bool, most: u64) -> Pns<'a> {
        eyes.one_ply_lookahead = !tuning.delayed_evaluation;
        let node = size_of::<ProofNumberNode>() + 8 * (eyes.size() + 2);
        let most = usize::try_from(most).unwrap_or(usize::MAX) / node;
        Pns { eyes, tuning, two_level: twice, max_nodes: most, peak: 0, scratch: Vec::new(), way: Vec::new() }
    }

    fn search(&mut self, at: &Position, t: i32) -> Result<bool, SearchInterrupted> {
        let proves = self.eyes.is_first(at.control.0);
        let mut first = PnsTree::new(&to_words(at), 0, proves, &self.tuning);
        let mut from = 0;
        loop {
            if let Some(yes) = first.tree.node(0).numbers.answer() {
                return Ok(yes);
            }
            let leaf = first.tree.most_proving(from);
            let result = if self.two_level {
                self.second_level_search(&mut first, leaf, t)
            } else {
                self.expand(&mut first, leaf, t, 0)
            };
            if let Err(halted) = result {
                self.way.splice(0..0, first.way(leaf));
                // The last position is the one of the failure itself, which the path excludes.
                self.way.pop();
                return Err(halted);
            }
            from = first.tree.update(leaf);
        }
    }

    /// Runs the second search of PN² from a leaf: the moves of the leaf get their numbers from it.
    fn second_level_search(
        &mut self,
        first: &mut PnsTree,
        leaf: u32,
        t: i32,
    ) -> Result<(), SearchInterrupted> {
        let held = first.tree.allocated_nodes();
        let turns = self.enter(first, leaf)?;
        let proves = first.tree.node(leaf).proves;
        let mut second = PnsTree::new(first.at(leaf), turns, proves, &self.tuning);
        let most = held.min(self.max_nodes.saturating_sub(held));
        let mut from = 0;
        loop {
            let node = second.tree.most_proving(from);
            match self.expand(&mut second, node, t, held) {
                Ok(()) => {}
                // If memory runs out, the numbers so far suffice.
                Err(SearchInterrupted::Limit(LimitHit::Memory)) if second.tree.node(0).moves > 0 => break,
                Err(halted) => {
                    self.way = second.way(node);
                    return Err(halted);
                }
            }
            from = second.tree.update(node);
            if let Some(yes) = second.tree.node(0).numbers.answer() {
                first.tree.set(leaf, ProofNumbers::answered(yes));
                return Ok(());
            }
            if second.tree.live_nodes() >= most {
                break;
            }
        }
        let moves = second.tree.moves(0);
        let endless = self.eyes.infinite_payoff();
        let numbers = moves.clone().map(|one| {
            let node = second.tree.node(one);
            match endless {
                Some(endless) if first.is_on_path(leaf, second.at(one)) => {
                    (ProofNumbers::answered(endless >= t), node.proves)
                }
                _ => (node.numbers, node.proves),
            }
        });
        let numbers: Vec<_> = numbers.collect();
        let words: Vec<u64> = moves.flat_map(|one| second.at(one).iter().copied()).collect();
        self.check_capacity(held + numbers.len())?;
        first.expand(leaf, &numbers, &words);
        Ok(())
    }

    /// Stores in a node the result of [`PositionExpander::follow`] for the move to it, and returns that result.
    fn enter(&mut self, grown: &mut PnsTree, node: u32) -> Result<u64, SearchInterrupted> {
        let parent = grown.tree.node(node).parent;
        if parent == NO_NODE {
            return Ok(grown.turns(node));
        }
        let turns = self.eyes.check_rank(grown.at(parent), grown.at(node), grown.turns(parent))?;
        let place = (node as usize + 1) * grown.size - 1;
        grown.words[place] = turns;
        Ok(turns)
    }

    /// Expands a node: gives it its moves, or its answer. `elsewhere` is the number of nodes in other trees.
    fn expand(
        &mut self,
        grown: &mut PnsTree,
        node: u32,
        t: i32,
        elsewhere: usize,
    ) -> Result<(), SearchInterrupted> {
        self.enter(grown, node)?;
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.extend_from_slice(grown.at(node));
        let bytes = grown.held_bytes() + (elsewhere * (size_of::<ProofNumberNode>() + 8 * grown.size)) as u64;
        self.peak = self.peak.max(bytes);
        let size = grown.size - 1;
        match self.eyes.expand(&mut scratch, 0, t, bytes)? {
            ExpansionResult::Answered(yes) => grown.tree.set(node, ProofNumbers::answered(yes)),
            ExpansionResult::Open(moves) => {
                self.check_capacity(elsewhere + grown.tree.allocated_nodes() + moves)?;
                let mut numbers = Vec::with_capacity(moves);
                for place in 1..=moves {
                    let to = place * size;
                    numbers.push(match self.eyes.infinite_payoff() {
                        Some(endless) if grown.is_on_path(node, &scratch[to..to + size]) => {
                            let proves = self.eyes.is_first(scratch[to + self.eyes.size()] as u32);
                            (ProofNumbers::answered(endless >= t), proves)
                        }
                        _ => self.initial(&mut scratch, to, t, bytes)?,
                    });
                }
                grown.expand(node, &numbers, &scratch[size..]);
            }
        }
        self.scratch = scratch;
        Ok(())
    }

    /// Returns the initial numbers of a position, and true if its mover wants a yes.
    fn initial(
        &mut self,
        scratch: &mut Vec<u64>,
        at: usize,
        t: i32,
        bytes: u64,
    ) -> Result<(ProofNumbers, bool), SearchInterrupted> {
        let proves = self.eyes.is_first(scratch[at + self.eyes.size()] as u32);
        let one = ProofNumbers { proof: 1, disproof: 1 };
        if self.tuning.initial != InitialNumbers::Mobility {
            return Ok((one, proves));
        }
        let top = scratch.len();
        let seen = self.eyes.expand(scratch, at, t, bytes)?;
        scratch.truncate(top);
        Ok(match seen {
            ExpansionResult::Answered(yes) => (ProofNumbers::answered(yes), proves),
            ExpansionResult::Open(moves) => {
                (ProofNumbers::from_phi_delta(PhiDelta { phi: 1, delta: moves as u32 }, proves), proves)
            }
        })
    }

    fn check_capacity(&self, nodes: usize) -> Result<(), SearchInterrupted> {
        if nodes > self.max_nodes { Err(SearchInterrupted::Limit(LimitHit::Memory)) } else { Ok(()) }
    }
}

impl<'a> QuestionSolver<'a> for Pns<'a> {
    fn answer(&mut self, at: &Position, t: i32) -> Result<bool, SearchInterrupted> {
        loop {
            self.way.clear();
            match self.search(at, t) {
                Err(SearchInterrupted::Restart) => {}
                result => return result,
            }
        }
    }

    fn expander(&self) -> &PositionExpander<'a> {
        &self.eyes
    }

    fn expander_mut(&mut self) -> &mut PositionExpander<'a> {
        &mut self.eyes
    }

    fn held_bytes(&self) -> u64 {
        self.peak
    }

    fn path(&self) -> Vec<Position> {
        self.way.clone()
    }
}
