//! The tree of a game with hidden information or simultaneous moves, as arrays.
//!
//! Technique: breadth-first enumeration, ply by ply. A player's information set has the histories that he cannot tell
//! apart: those that agree step by step in his own moves, in the moves that he saw and in his observations (perfect
//! recall). Histories that lead to one position and to one information set of each player are one node, since play goes
//! on the same way from all of them. For a single player, information sets of one ply in which he believes the same are
//! one set. If nothing is hidden, players need no memory: each node is a position at a ply and
//! an information set of its own.
//! Source: Kuhn (1953) for information sets and perfect recall.
//! Cost: time and memory linear in moves; 16 bytes a move and some 40 a node besides information sets.
//! Invariant: nodes are numbered in the order of discovery, those of a ply side by side, and each player's information
//! sets in the order of their first nodes: the checker numbers them in the same way.
//! Not taken: public states (Johanson and others 2011), since rules need not separate public events from private ones.

use std::array::from_fn;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use super::tree_builder::POLL_INTERVAL;
use crate::game::explore::FaultyPosition;
use crate::game::{MoveInstance, State};
use crate::solve::Inapplicable;
use bouton_base::limits::{LimitHit, Limits};

/// The number of players that most methods solve for: two, or a single one beside whom a second one never chooses.
pub const PLAYERS: usize = 2;
/// The number of an information set or payoff where there is none.
pub const NONE: u32 = u32::MAX;
/// The sequence of a player who has not chosen yet.
pub const EMPTY_SEQUENCE: u32 = 0;

/// A node: a position with an information set of each player who chooses in it.
#[derive(Clone, Copy, Debug)]
pub struct TreeNode<const N: usize = PLAYERS> {
    pub(super) first_edge: u32,
    /// The information set of each player who chooses here; [`NONE`] for others.
    pub sets: [u32; N],
    /// The number of the payoff at an end; otherwise [`NONE`].
    pub(super) payoff: u32,
    /// The sequence of each player's own choices before the node. With several ways to a node, which only games
    /// without hidden information have, that of the first.
    pub sequences: [u32; N],
}

/// A move of a node.
#[derive(Clone, Copy, Debug)]
pub struct TreeEdge<const N: usize = PLAYERS> {
    /// The node after it.
    pub to: u32,
    /// The action of each player who chooses, as a number within his information set; otherwise 0.
    pub actions: [u32; N],
    /// The number of its probability, if chance acts; otherwise that of 1.
    pub(super) probability: u32,
}

/// An information set of a player.
#[derive(Clone, Debug)]
pub struct InformationSet {
    pub nodes: Vec<u32>,
    /// The player's choices.
    pub actions: Vec<MoveInstance>,
    pub ply: u32,
    /// The sequence of the player's own choices before the set.
    pub parent: u32,
    /// The number of the sequence that ends with the first action; the others follow.
    pub first_sequence: u32,
    /// The position of its first node.
    pub example: State,
}

impl InformationSet {
    /// The sequences that end with its actions, in order.
    pub fn sequences(&self) -> std::ops::Range<usize> {
        let first = self.first_sequence as usize;
        first..first + self.actions.len()
    }
}

/// The tree of a game.
pub struct GameTree<const N: usize = PLAYERS> {
    /// The position of the first node.
    pub start: State,
    pub nodes: Vec<TreeNode<N>>,
    pub edges: Vec<TreeEdge<N>>,
    /// The information sets of each player.
    pub sets: [Vec<InformationSet>; N],
    /// The number of sequences of each player, with the empty one.
    pub sequences: [u32; N],
    /// The first node of each ply, and the number of all nodes.
    pub plies: Vec<u32>,
    /// The distinct payoffs of all players. A single player plays against a second one who has no choices and the
    /// opposite payoff.
    pub payoffs: Vec<[BigRational; N]>,
    /// The distinct probabilities; the first is 1.
    pub probabilities: Vec<BigRational>,
    /// The numbers of the moves among the legal ones, by edge, if the tree does not have all of them.
    pub move_numbers: Option<Vec<u32>>,
    /// The sum of all players' payoffs at every end; `None` if it is not always the same.
    pub sum: Option<BigRational>,
    /// The number of players of the rules: `N`, or 1 if `N` is 2.
    pub players: usize,
    /// True if something is hidden from a player.
    pub hidden: bool,
    /// True if every end is a win, a loss or a draw.
    pub win_loss: bool,
    /// The approximate number of bytes held.
    pub bytes: u64,
}

/// The reason why methods for opposed interests do not fit a game.
const OPEN_INTERESTS: &str = "the players' payoffs do not add up to one sum: their interests are not opposed, and \
    perfect play has no single value";

/// The reason why a player who learns from his moves what is hidden has no information sets.
pub(super) fn other_moves(name: &str) -> String {
    format!(
        "{name} has different moves in positions that {name} cannot tell apart (E0520): `bouton check` shows two plays"
    )
}

/// The reason why there is no tree.
pub enum NoTree {
    /// The rules have no meaning in some position.
    Faulty(Box<FaultyPosition>),
    /// The game has no tree that the methods fit.
    Inapplicable(Inapplicable),
}

impl<T: Into<Inapplicable>> From<T> for NoTree {
    fn from(reason: T) -> NoTree {
        NoTree::Inapplicable(reason.into())
    }
}

impl<const N: usize> GameTree<N> {
    /// Returns the edge of the move with this number among the legal ones.
    pub fn edge_of_move(&self, node: u32, number: usize) -> Option<&TreeEdge<N>> {
        let Some(numbers) = &self.move_numbers else { return self.edges_of(node).get(number) };
        let place = self.edge_range(node).find(|&edge| numbers[edge] as usize == number)?;
        self.edges.get(place)
    }

    /// Returns the number of a move among the legal ones by its place among the edges of a node.
    pub fn move_number(&self, node: u32, place: usize) -> u32 {
        match &self.move_numbers {
            Some(numbers) => numbers[self.edge_range(node).start + place],
            None => place as u32,
        }
    }

    /// Returns the numbers of the moves of a node.
    pub fn edge_range(&self, node: u32) -> std::ops::Range<usize> {
        let start = self.nodes[node as usize].first_edge as usize;
        let end = self.nodes.get(node as usize + 1).map_or(self.edges.len(), |next| next.first_edge as usize);
        start..end
    }

    /// Returns the moves of a node.
    pub fn edges_of(&self, node: u32) -> &[TreeEdge<N>] {
        &self.edges[self.edge_range(node)]
    }

    /// Returns all players' payoffs at an end; `None` for other nodes.
    pub fn payoffs_at(&self, node: u32) -> Option<&[BigRational; N]> {
        self.payoffs.get(self.nodes[node as usize].payoff as usize)
    }

    /// Returns the number of the payoffs at an end; [`NONE`] for other nodes.
    pub fn payoff_number(&self, node: u32) -> u32 {
        self.nodes[node as usize].payoff
    }

    /// Returns the first player's payoff at an end; `None` for other nodes.
    pub fn payoff(&self, node: u32) -> Option<&BigRational> {
        self.payoffs_at(node).map(|payoffs| &payoffs[0])
    }

    /// Returns the sum of both players' payoffs; the error says that it is not constant.
    pub fn constant_sum(&self) -> Result<&BigRational, Inapplicable> {
        self.sum.as_ref().ok_or_else(|| OPEN_INTERESTS.into())
    }

    /// Returns the probability of a move: 1 unless chance acts.
    pub fn probability(&self, edge: &TreeEdge<N>) -> &BigRational {
        &self.probabilities[edge.probability as usize]
    }

    /// Returns the sequence that ends with a player's action in a move of this node; the empty one if he does not
    /// choose.
    pub fn sequence_of(&self, player: usize, node: u32, edge: &TreeEdge<N>) -> u32 {
        match self.nodes[node as usize].sets[player] {
            NONE => EMPTY_SEQUENCE,
            set => self.sets[player][set as usize].first_sequence + edge.actions[player],
        }
    }

    /// Returns the tree in which each player has only the actions of each information set that are `kept`, at least
    /// one, and for each player the sets of this tree that its information sets come from.
    pub fn restricted(&self, kept: &[Vec<Vec<bool>>; N]) -> (GameTree<N>, [Vec<u32>; N]) {
        let has = |at: u32, edge: &TreeEdge<N>| {
            (0..N).all(|player| match self.nodes[at as usize].sets[player] {
                NONE => true,
                set => kept[player][set as usize][edge.actions[player] as usize],
            })
        };
        let mut numbers = vec![NONE; self.nodes.len()];
        numbers[0] = 0;
        for at in 0..self.nodes.len() as u32 {
            if numbers[at as usize] != NONE {
                let edges = self.edges_of(at).iter().filter(|edge| has(at, edge));
                edges.for_each(|edge| numbers[edge.to as usize] = 0);
            }
        }
        let reached: Vec<u32> =
            (0..self.nodes.len() as u32).filter(|&at| numbers[at as usize] != NONE).collect();
        reached.iter().enumerate().for_each(|(number, &at)| numbers[at as usize] = number as u32);
        let mut sets: [Vec<InformationSet>; N] = from_fn(|_| Vec::new());
        let mut origins: [Vec<u32>; N] = from_fn(|_| Vec::new());
        let mut sequences = [1; N];
        let mut set_numbers: [Vec<u32>; N] = from_fn(|player| vec![NONE; self.sets[player].len()]);
        let mut sequence_numbers: [Vec<u32>; N] =
            from_fn(|player| vec![EMPTY_SEQUENCE; self.sequences[player] as usize]);
        let mut action_numbers = sequence_numbers.clone();
        for player in 0..N {
            for (number, set) in self.sets[player].iter().enumerate() {
                let nodes: Vec<u32> =
                    set.nodes.iter().map(|&at| numbers[at as usize]).filter(|&at| at != NONE).collect();
                if nodes.is_empty() {
                    continue;
                }
                let mut actions = Vec::new();
                for (action, play) in set.actions.iter().enumerate() {
                    if kept[player][number][action] {
                        let sequence = set.first_sequence as usize + action;
                        action_numbers[player][sequence] = actions.len() as u32;
                        sequence_numbers[player][sequence] = sequences[player] + actions.len() as u32;
                        actions.push(play.clone());
                    }
                }
                let parent = sequence_numbers[player][set.parent as usize];
                let first_sequence = sequences[player];
                sequences[player] += actions.len() as u32;
                set_numbers[player][number] = sets[player].len() as u32;
                let example = set.example.clone();
                sets[player].push(InformationSet {
                    nodes,
                    actions,
                    ply: set.ply,
                    parent,
                    first_sequence,
                    example,
                });
                origins[player].push(number as u32);
            }
        }
        let (mut nodes, mut edges) = (Vec::with_capacity(reached.len()), Vec::new());
        for &at in &reached {
            let node = &self.nodes[at as usize];
            let number = |player: usize| match node.sets[player] {
                NONE => NONE,
                set => set_numbers[player][set as usize],
            };
            nodes.push(TreeNode {
                first_edge: edges.len() as u32,
                sets: from_fn(number),
                payoff: node.payoff,
                sequences: from_fn(|player| sequence_numbers[player][node.sequences[player] as usize]),
            });
            for edge in self.edges_of(at).iter().filter(|edge| has(at, edge)) {
                let action = |player: usize| match node.sets[player] {
                    NONE => 0,
                    _ => action_numbers[player][self.sequence_of(player, at, edge) as usize],
                };
                edges.push(TreeEdge {
                    to: numbers[edge.to as usize],
                    actions: from_fn(action),
                    probability: edge.probability,
                });
            }
        }
        let plies =
            self.plies.iter().map(|&first| reached.partition_point(|&at| at < first) as u32).collect();
        let part = GameTree {
            start: self.start.clone(),
            nodes,
            edges,
            sets,
            sequences,
            plies,
            payoffs: self.payoffs.clone(),
            probabilities: self.probabilities.clone(),
            move_numbers: None,
            sum: self.sum.clone(),
            ..*self
        };
        (part, origins)
    }

    /// Returns the nodes of each ply, the last ply first.
    pub fn plies_from_the_end(&self) -> impl Iterator<Item = std::ops::Range<u32>> + '_ {
        self.plies.windows(2).rev().map(|ends| ends[0]..ends[1])
    }
}

/// A behaviour strategy: for each information set of a player, the probabilities of its actions.
pub type Behaviour = Vec<Vec<BigRational>>;

/// Computes the payoff that a behaviour strategy guarantees its player: his payoff, or the first player's if he is the
/// second, against a best response of the other player, exactly.
pub fn guarantee(
    tree: &GameTree,
    player: usize,
    behaviour: &Behaviour,
    limits: &Limits,
) -> Result<BigRational, LimitHit> {
    Ok(best_response(tree, player, behaviour, limits)?.payoff)
}

/// A best response to a behaviour strategy.
pub struct BestResponse {
    /// The payoff of the first player.
    pub payoff: BigRational,
    /// The action chosen in each information set of the player who responds.
    pub actions: Vec<u32>,
}

/// Computes a best response of the other player to a behaviour strategy of this player, exactly.
///
/// It chooses, from the last ply to the first, the best action of each information set, weighted by the probability
/// that chance and the strategy reach its nodes.
pub fn best_response(
    tree: &GameTree,
    player: usize,
    behaviour: &Behaviour,
    limits: &Limits,
) -> Result<BestResponse, LimitHit> {
    let other = 1 - player;
    let share = |node: &TreeNode, edge: &TreeEdge| -> Option<BigRational> {
        let chance = tree.probability(edge);
        match node.sets[player] {
            NONE => Some(chance.clone()),
            set => {
                let own = &behaviour[set as usize][edge.actions[player] as usize];
                (!own.is_zero()).then(|| own * chance)
            }
        }
    };
    let mut weights = vec![BigRational::zero(); tree.nodes.len()];
    weights[0] = BigRational::from_integer(BigInt::from(1));
    for at in 0..tree.nodes.len() as u32 {
        if (at as usize).is_multiple_of(POLL_INTERVAL)
            && let Some(hit) = limits.check()
        {
            return Err(hit);
        }
        let weight = std::mem::take(&mut weights[at as usize]);
        if !weight.is_zero() {
            for edge in tree.edges_of(at) {
                if let Some(share) = share(&tree.nodes[at as usize], edge) {
                    weights[edge.to as usize] += &weight * share;
                }
            }
        }
        weights[at as usize] = weight;
    }
    let mut values = vec![BigRational::zero(); tree.nodes.len()];
    let mut open_sets = tree.sets[other].len();
    let mut actions = vec![0; open_sets];
    for nodes in tree.plies_from_the_end() {
        if let Some(hit) = limits.check() {
            return Err(hit);
        }
        // The value of a node if the other player chooses this action.
        let worth = |values: &[BigRational], at: u32, action: u32| {
            let node = &tree.nodes[at as usize];
            let mut sum = BigRational::zero();
            for edge in tree.edges_of(at) {
                if (node.sets[other] == NONE || edge.actions[other] == action)
                    && let Some(share) = share(node, edge)
                {
                    sum += share * &values[edge.to as usize];
                }
            }
            sum
        };
        for at in nodes.clone() {
            if let Some(payoff) = tree.payoff(at) {
                values[at as usize] = payoff.clone();
            } else if tree.nodes[at as usize].sets[other] == NONE && !weights[at as usize].is_zero() {
                values[at as usize] = worth(&values, at, 0);
            }
        }
        while open_sets > 0 && nodes.contains(&tree.sets[other][open_sets - 1].nodes[0]) {
            open_sets -= 1;
            if let Some(hit) = limits.check() {
                return Err(hit);
            }
            let set = &tree.sets[other][open_sets];
            let mut best: Option<(BigRational, Vec<BigRational>)> = None;
            for action in 0..set.actions.len() as u32 {
                let each: Vec<BigRational> = set
                    .nodes
                    .iter()
                    .map(|&at| {
                        if weights[at as usize].is_zero() {
                            BigRational::zero()
                        } else {
                            worth(&values, at, action)
                        }
                    })
                    .collect();
                let total: BigRational =
                    set.nodes.iter().zip(&each).map(|(&at, value)| &weights[at as usize] * value).sum();
                let better = best
                    .as_ref()
                    .is_none_or(|(most, _)| if other == 0 { total > *most } else { total < *most });
                if better {
                    best = Some((total, each));
                    actions[open_sets] = action;
                }
            }
            for (&at, value) in set.nodes.iter().zip(best.map(|(_, each)| each).unwrap_or_default()) {
                values[at as usize] = value;
            }
        }
    }
    Ok(BestResponse { payoff: values.swap_remove(0), actions })
}
