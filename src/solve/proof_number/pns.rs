//! PNS: proof-number search best first, with the tree in memory; and PN², whose leaves are searched so in their turn.
//!
//! Technique: the most-proving node is expanded, the one that a yes as well as a no would have to go by, until the root is
//! answered. PN² does not just expand it but lets a second search, as large as the first tree is by now, tell the numbers
//! of its moves, and forgets that search.
//! Source: Allis, van der Meulen, van den Herik (1994); Allis (1994) for PN²; Breuker, Uiterwijk, van den Herik,
//! "The PN²-search algorithm" (2001). A move that ends the game is known when its position is expanded (immediate
//! evaluation), or if it is wanted so when it is expanded itself (delayed); other positions are looked at when they are
//! expanded, or with [`Initial::Mobility`] at once.
//! Cost: the tree has to be held, so memory ends the search before time does; PN² needs about the root of it, and takes
//! some times longer.
//! Where positions come back, a move back to a position above its node is answered at once, by what play without end is
//! worth: a tree whose plays have each position once has the value of the game at its root (see [`dfpn`](super::dfpn)),
//! and so has the tree of a second search, which begins with a way of its own.
//! Invariant: no more nodes are held than memory allows; answered nodes have nothing below them.
//! Not taken: Breuker's logistic growth of the second search, which needs two numbers chosen for each game; joining
//! transpositions.

use super::numbers::Numbers;
use super::question::{Eyes, Seen, position, words};
use super::tree::{NONE, Node, Tree};
use super::{Initial, Prover, Tuning};
use crate::base::limits::LimitHit;
use crate::circuit::Position;
use crate::solve::telling::Halted;

/// A tree with the positions of its nodes.
struct Grown {
    tree: Tree,
    /// By node: its words with the control behind them, and then the controls of the positions before it since the measure
    /// last rose.
    words: Vec<u64>,
    /// How many words a node has there.
    size: usize,
}

impl Grown {
    fn new(root: &[u64], turns: u64, proves: bool, tuning: &Tuning) -> Grown {
        let words: Vec<u64> = root.iter().copied().chain([turns]).collect();
        Grown { tree: Tree::new(proves, tuning.together), size: words.len(), words }
    }

    /// The words of a node's position with the control behind them.
    fn at(&self, node: u32) -> &[u64] {
        let first = node as usize * self.size;
        &self.words[first..first + self.size - 1]
    }

    fn turns(&self, node: u32) -> u64 {
        self.words[(node as usize + 1) * self.size - 1]
    }

    /// Gives a node its moves: their numbers, and their words one after another.
    fn expand(&mut self, node: u32, moves: &[(Numbers, bool)], words: &[u64]) {
        self.tree.expand(node, moves);
        self.words.resize(self.tree.room() * self.size, 0);
        let first = self.tree.node(node).first as usize;
        for (place, child) in words.chunks_exact(self.size - 1).enumerate() {
            let at = (first + place) * self.size;
            self.words[at..at + self.size - 1].copy_from_slice(child);
            self.words[at + self.size - 1] = 0;
        }
    }

    fn held_bytes(&self) -> u64 {
        (self.tree.room() * (size_of::<Node>() + 8 * self.size)) as u64
    }

    /// Whether a position, given by its words, is that of a node or stands above it.
    fn comes_back(&self, node: u32, to: &[u64]) -> bool {
        let above = |&at: &u32| Some(self.tree.node(at).parent).filter(|&parent| parent != NONE);
        std::iter::successors(Some(node), above).any(|at| self.at(at) == to)
    }

    /// The positions from the root to a node.
    fn way(&self, node: u32) -> Vec<Position> {
        let mut way: Vec<Position> =
            std::iter::successors(Some(node), |&at| Some(self.tree.node(at).parent).filter(|&p| p != NONE))
                .map(|at| position(self.at(at)))
                .collect();
        way.reverse();
        way
    }
}

/// The search.
pub struct Pns<'a> {
    eyes: Eyes<'a>,
    tuning: Tuning,
    /// Whether leaves are searched in their turn.
    twice: bool,
    /// How many nodes may be held.
    most: usize,
    /// The most bytes held.
    peak: u64,
    /// A position with its moves behind it.
    scratch: Vec<u64>,
    /// The way to the position that ended the search.
    way: Vec<Position>,
}

impl<'a> Pns<'a> {
    /// A search that holds so many bytes at most.
    pub fn new(mut eyes: Eyes<'a>, tuning: Tuning, twice: bool, most: u64) -> Pns<'a> {
        eyes.ahead = !tuning.delayed;
        let node = size_of::<Node>() + 8 * (eyes.size() + 2);
        let most = usize::try_from(most).unwrap_or(usize::MAX) / node;
        Pns { eyes, tuning, twice, most, peak: 0, scratch: Vec::new(), way: Vec::new() }
    }

    fn search(&mut self, at: &Position, t: i32) -> Result<bool, Halted> {
        let proves = self.eyes.is_first(at.control.0);
        let mut first = Grown::new(&words(at), 0, proves, &self.tuning);
        let mut from = 0;
        loop {
            if let Some(yes) = first.tree.node(0).numbers.answer() {
                return Ok(yes);
            }
            let leaf = first.tree.most_proving(from);
            let result = if self.twice {
                self.second(&mut first, leaf, t)
            } else {
                self.expand(&mut first, leaf, t, 0)
            };
            if let Err(halted) = result {
                self.way.splice(0..0, first.way(leaf));
                // The last one is the position itself.
                self.way.pop();
                return Err(halted);
            }
            from = first.tree.update(leaf);
        }
    }

    /// Searches a leaf in its turn: its moves get their numbers from there.
    fn second(&mut self, first: &mut Grown, leaf: u32, t: i32) -> Result<(), Halted> {
        let held = first.tree.room();
        let turns = self.enter(first, leaf)?;
        let proves = first.tree.node(leaf).proves;
        let mut second = Grown::new(first.at(leaf), turns, proves, &self.tuning);
        let most = held.min(self.most.saturating_sub(held));
        let mut from = 0;
        loop {
            let node = second.tree.most_proving(from);
            match self.expand(&mut second, node, t, held) {
                Ok(()) => {}
                // What was found so far will do.
                Err(Halted::Limit(LimitHit::Memory)) if second.tree.node(0).moves > 0 => break,
                Err(halted) => {
                    self.way = second.way(node);
                    return Err(halted);
                }
            }
            from = second.tree.update(node);
            if let Some(yes) = second.tree.node(0).numbers.answer() {
                first.tree.set(leaf, Numbers::answered(yes));
                return Ok(());
            }
            if second.tree.held() >= most {
                break;
            }
        }
        let moves = second.tree.moves(0);
        let endless = self.eyes.endless();
        let numbers = moves.clone().map(|one| {
            let node = second.tree.node(one);
            match endless {
                Some(endless) if first.comes_back(leaf, second.at(one)) => {
                    (Numbers::answered(endless >= t), node.proves)
                }
                _ => (node.numbers, node.proves),
            }
        });
        let numbers: Vec<_> = numbers.collect();
        let words: Vec<u64> = moves.flat_map(|one| second.at(one).iter().copied()).collect();
        self.full(held + numbers.len())?;
        first.expand(leaf, &numbers, &words);
        Ok(())
    }

    /// Notes in a node that it is on the way: what [`Eyes::follow`] gives.
    fn enter(&mut self, grown: &mut Grown, node: u32) -> Result<u64, Halted> {
        let parent = grown.tree.node(node).parent;
        if parent == NONE {
            return Ok(grown.turns(node));
        }
        let turns = self.eyes.follow(grown.at(parent), grown.at(node), grown.turns(parent))?;
        let place = (node as usize + 1) * grown.size - 1;
        grown.words[place] = turns;
        Ok(turns)
    }

    /// Looks at a node and gives it its moves, or its answer. So many nodes are held elsewhere.
    fn expand(&mut self, grown: &mut Grown, node: u32, t: i32, elsewhere: usize) -> Result<(), Halted> {
        self.enter(grown, node)?;
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.extend_from_slice(grown.at(node));
        let bytes = grown.held_bytes() + (elsewhere * (size_of::<Node>() + 8 * grown.size)) as u64;
        self.peak = self.peak.max(bytes);
        let size = grown.size - 1;
        match self.eyes.look(&mut scratch, 0, t, bytes)? {
            Seen::Answered(yes) => grown.tree.set(node, Numbers::answered(yes)),
            Seen::Open(moves) => {
                self.full(elsewhere + grown.tree.room() + moves)?;
                let mut numbers = Vec::with_capacity(moves);
                for place in 1..=moves {
                    let to = place * size;
                    numbers.push(match self.eyes.endless() {
                        Some(endless) if grown.comes_back(node, &scratch[to..to + size]) => {
                            let proves = self.eyes.is_first(scratch[to + self.eyes.size()] as u32);
                            (Numbers::answered(endless >= t), proves)
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

    /// The numbers of a position that was never looked at, and whether its mover wants a yes.
    fn initial(
        &mut self,
        scratch: &mut Vec<u64>,
        at: usize,
        t: i32,
        bytes: u64,
    ) -> Result<(Numbers, bool), Halted> {
        let proves = self.eyes.is_first(scratch[at + self.eyes.size()] as u32);
        let one = Numbers { proof: 1, disproof: 1 };
        if self.tuning.initial != Initial::Mobility {
            return Ok((one, proves));
        }
        let top = scratch.len();
        let seen = self.eyes.look(scratch, at, t, bytes)?;
        scratch.truncate(top);
        Ok(match seen {
            Seen::Answered(yes) => (Numbers::answered(yes), proves),
            Seen::Open(moves) => (Numbers::from_seen((1, moves as u32), proves), proves),
        })
    }

    fn full(&self, nodes: usize) -> Result<(), Halted> {
        if nodes > self.most { Err(Halted::Limit(LimitHit::Memory)) } else { Ok(()) }
    }
}

impl<'a> Prover<'a> for Pns<'a> {
    fn ask(&mut self, at: &Position, t: i32) -> Result<bool, Halted> {
        loop {
            self.way.clear();
            match self.search(at, t) {
                Err(Halted::Learned) => {}
                result => return result,
            }
        }
    }

    fn eyes(&self) -> &Eyes<'a> {
        &self.eyes
    }

    fn eyes_mut(&mut self) -> &mut Eyes<'a> {
        &mut self.eyes
    }

    fn held_bytes(&self) -> u64 {
        self.peak
    }

    fn way(&self) -> Vec<Position> {
        self.way.clone()
    }
}
