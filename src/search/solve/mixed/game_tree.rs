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

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use rustc_hash::FxHashMap;

use super::beliefs::first_alike;
use super::sure_win::SurePlan;
use crate::game::explore::{FaultyPosition, PositionFault};
use crate::game::information::{own_choice, own_choices, seen_parts};
use crate::game::{Game, MachineError, MoveInstance, OutcomeKind, State, Successor, ToMove};
use crate::solve::Inapplicable;
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::rational::Rational;
use bouton_rules::Value;

/// The number of players of a tree.
pub const PLAYERS: usize = 2;
/// The number of an information set or payoff where there is none.
pub const NONE: u32 = u32::MAX;
/// The sequence of a player who has not chosen yet.
pub const EMPTY_SEQUENCE: u32 = 0;

/// A node: a position with an information set of each player who chooses in it.
#[derive(Clone, Copy, Debug)]
pub struct TreeNode {
    first_edge: u32,
    /// The information set of each player who chooses here; [`NONE`] for others.
    pub sets: [u32; PLAYERS],
    /// The number of the payoff at an end; otherwise [`NONE`].
    payoff: u32,
    /// The sequence of each player's own choices before the node. With several ways to a node, which only games
    /// without hidden information have, that of the first.
    pub sequences: [u32; PLAYERS],
}

/// A move of a node.
#[derive(Clone, Copy, Debug)]
pub struct TreeEdge {
    /// The node after it.
    pub to: u32,
    /// The action of each player who chooses, as a number within his information set; otherwise 0.
    pub actions: [u32; PLAYERS],
    /// The number of its probability, if chance acts; otherwise that of 1.
    probability: u32,
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
pub struct GameTree {
    /// The position of the first node.
    pub start: State,
    pub nodes: Vec<TreeNode>,
    pub edges: Vec<TreeEdge>,
    /// The information sets of each player.
    pub sets: [Vec<InformationSet>; PLAYERS],
    /// The number of sequences of each player, with the empty one.
    pub sequences: [u32; PLAYERS],
    /// The first node of each ply, and the number of all nodes.
    pub plies: Vec<u32>,
    /// The distinct payoffs, of the first and of the second player. A single player plays against a second one who has
    /// no choices and the opposite payoff.
    pub payoffs: Vec<[BigRational; PLAYERS]>,
    /// The distinct probabilities; the first is 1.
    pub probabilities: Vec<BigRational>,
    /// The numbers of the moves among the legal ones, by edge, if the tree does not have all of them.
    pub move_numbers: Option<Vec<u32>>,
    /// The sum of both players' payoffs at every end; `None` if it is not always the same.
    pub sum: Option<BigRational>,
    /// The number of players of the rules: 1 or 2.
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

/// The approximate number of bytes of a node besides its position, while the tree grows.
const NODE_BYTES: u64 = 160;
/// The number of nodes between two checks of the limits.
const POLL_INTERVAL: usize = 128;

impl GameTree {
    /// Enumerates the tree below a position of a game of one player or two.
    pub fn build(game: &Game, from: &State, limits: &Limits) -> Result<GameTree, NoTree> {
        GameTree::enumerate(TreeBuilder::new(&game.with_limits(limits), from), from, limits)
    }

    /// Enumerates the tree with the information sets of a player who remembers all, also where what he believes is the
    /// same in several of them.
    pub fn with_all_memory(game: &Game, from: &State, limits: &Limits) -> Result<GameTree, NoTree> {
        let bounded = game.with_limits(limits);
        let builder = TreeBuilder { compares_beliefs: false, ..TreeBuilder::new(&bounded, from) };
        GameTree::enumerate(builder, from, limits)
    }

    /// Enumerates the positions of a game in which nothing is hidden and positions can come back: each is one node, and
    /// edges may lead back. The nodes have the numbers of the positions in the graph of the game.
    pub fn with_cycles(game: &Game, from: &State, limits: &Limits) -> Result<GameTree, NoTree> {
        let bounded = game.with_limits(limits);
        let known = Some([(from.clone(), 0)].into_iter().collect());
        GameTree::enumerate(TreeBuilder { known, ..TreeBuilder::new(&bounded, from) }, from, limits)
    }

    /// Enumerates the tree in which a player keeps to a plan, with the plan as a strategy. Information sets have all
    /// actions.
    pub fn along_plan(
        game: &Game,
        from: &State,
        plan: &SurePlan,
        limits: &Limits,
    ) -> Result<(GameTree, Behaviour), NoTree> {
        let bounded = game.with_limits(limits);
        let mut builder =
            TreeBuilder { plan: Some(PlanFollower::new(plan)), ..TreeBuilder::new(&bounded, from) };
        builder.tree.move_numbers = Some(Vec::new());
        builder.enumerate_all(from, limits)?;
        let chosen = builder.plan.take().map(|plan| plan.by_set).unwrap_or_default();
        let tree = builder.finished();
        let sets = tree.sets[plan.player as usize].iter().zip(chosen);
        let shares = |(set, chosen): (&InformationSet, u32)| -> Vec<BigRational> {
            let share = |action: u32| BigRational::from_integer(u8::from(action == chosen).into());
            (0..set.actions.len() as u32).map(share).collect()
        };
        let strategy = sets.map(shares).collect();
        Ok((tree, strategy))
    }

    fn enumerate(mut builder: TreeBuilder<'_>, from: &State, limits: &Limits) -> Result<GameTree, NoTree> {
        builder.enumerate_all(from, limits)?;
        Ok(builder.finished())
    }

    /// Returns the edge of the move with this number among the legal ones.
    pub fn edge_of_move(&self, node: u32, number: usize) -> Option<&TreeEdge> {
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
    pub fn edges_of(&self, node: u32) -> &[TreeEdge] {
        &self.edges[self.edge_range(node)]
    }

    /// Returns both players' payoffs at an end; `None` for other nodes.
    pub fn payoffs_at(&self, node: u32) -> Option<&[BigRational; PLAYERS]> {
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
    pub fn probability(&self, edge: &TreeEdge) -> &BigRational {
        &self.probabilities[edge.probability as usize]
    }

    /// Returns the sequence that ends with a player's action in a move of this node; the empty one if he does not
    /// choose.
    pub fn sequence_of(&self, player: usize, node: u32, edge: &TreeEdge) -> u32 {
        match self.nodes[node as usize].sets[player] {
            NONE => EMPTY_SEQUENCE,
            set => self.sets[player][set as usize].first_sequence + edge.actions[player],
        }
    }

    /// Returns the tree in which each player has only the actions of each information set that are `kept`, at least
    /// one, and for each player the sets of this tree that its information sets come from.
    pub fn restricted(&self, kept: &[Vec<Vec<bool>>; PLAYERS]) -> (GameTree, [Vec<u32>; PLAYERS]) {
        let has = |at: u32, edge: &TreeEdge| {
            (0..PLAYERS).all(|player| match self.nodes[at as usize].sets[player] {
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
        let (mut sets, mut origins) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        let mut sequences = [1; PLAYERS];
        let mut set_numbers = [0, 1].map(|player| vec![NONE; self.sets[player].len()]);
        let mut sequence_numbers = [0, 1].map(|player| vec![EMPTY_SEQUENCE; self.sequences[player] as usize]);
        let mut action_numbers = sequence_numbers.clone();
        for player in 0..PLAYERS {
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
                sets: [number(0), number(1)],
                payoff: node.payoff,
                sequences: [0, 1].map(|player| sequence_numbers[player][node.sequences[player] as usize]),
            });
            for edge in self.edges_of(at).iter().filter(|edge| has(at, edge)) {
                let action = |player: usize| match node.sets[player] {
                    NONE => 0,
                    _ => action_numbers[player][self.sequence_of(player, at, edge) as usize],
                };
                edges.push(TreeEdge {
                    to: numbers[edge.to as usize],
                    actions: [action(0), action(1)],
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

/// A player's view of a move in a game with hidden information: the class of his histories before, the parts of the
/// move that he sees, and his observation afterwards.
type View = (u32, Vec<MoveInstance>, Value);

/// A node of the current ply.
struct FrontierNode {
    state: State,
    /// The class of histories of each player.
    classes: [u32; PLAYERS],
    sequences: [u32; PLAYERS],
    /// The probability that chance leads to it by the player's own choices, if beliefs are compared.
    weight: Rational,
}

/// A player who keeps to a plan.
struct PlanFollower<'p> {
    plan: &'p SurePlan,
    /// The number of his choice in each class of histories of the current ply.
    by_class: FxHashMap<u32, u32>,
    /// The same for each of his information sets.
    by_set: Vec<u32>,
}

impl<'p> PlanFollower<'p> {
    fn new(plan: &'p SurePlan) -> PlanFollower<'p> {
        PlanFollower { plan, by_class: FxHashMap::default(), by_set: Vec::new() }
    }

    fn player(&self) -> u32 {
        self.plan.player
    }

    /// Reads the plan for the positions that he holds possible in a ply.
    fn enter(&mut self, ply: &[FrontierNode]) {
        let mut possible: FxHashMap<u32, Vec<&State>> = FxHashMap::default();
        for node in ply {
            possible.entry(node.classes[self.player() as usize]).or_default().push(&node.state);
        }
        let choice = |(class, possible): (u32, Vec<&State>)| Some((class, self.plan.choice(&possible)?));
        self.by_class = possible.into_iter().filter_map(choice).collect();
    }

    /// Returns true if the plan makes this choice at a node, or its player does not choose there.
    fn makes(
        &mut self,
        at: &FrontierNode,
        node: &TreeNode,
        tree: &GameTree,
        choice: Option<&MoveInstance>,
    ) -> bool {
        let player = self.player() as usize;
        let Some(choice) = choice else { return true };
        let chosen = self.by_class.get(&at.classes[player]).copied().unwrap_or(0);
        let set = node.sets[player] as usize;
        if self.by_set.len() <= set {
            self.by_set.resize(set + 1, chosen);
        }
        tree.sets[player][set].actions.get(chosen as usize) == Some(choice)
    }
}

/// A move of a node, while the tree grows.
struct MadeMove<'m> {
    at: &'m FrontierNode,
    node: &'m TreeNode,
    turn: &'m ToMove,
    successor: &'m Successor,
    /// The number of the node.
    from: u32,
    /// The number of the move among those of the node.
    number: u32,
}

struct TreeBuilder<'a> {
    game: &'a Game,
    tree: GameTree,
    frontier: Vec<FrontierNode>,
    /// The number of nodes of the frontier that were expanded.
    done: usize,
    /// The parent of each node and the number of the move from there.
    origins: Vec<(u32, u32)>,
    /// True if the classes of histories in which a single player believes the same are one.
    compares_beliefs: bool,
    /// The plan to which a player keeps, if he does.
    plan: Option<PlanFollower<'a>>,
    /// The nodes of all positions, if each position is one node; otherwise `None`.
    known: Option<FxHashMap<State, u32>>,
    payoff_numbers: FxHashMap<[Rational; PLAYERS], u32>,
    probability_numbers: FxHashMap<Rational, u32>,
}

impl<'a> TreeBuilder<'a> {
    fn new(game: &'a Game, from: &State) -> TreeBuilder<'a> {
        let one = Rational::ONE;
        let tree = GameTree {
            start: from.clone(),
            nodes: Vec::new(),
            edges: Vec::new(),
            sets: [Vec::new(), Vec::new()],
            sequences: [1, 1],
            plies: Vec::new(),
            payoffs: Vec::new(),
            probabilities: vec![one.to_big()],
            move_numbers: None,
            sum: None,
            players: game.rules.players().len(),
            hidden: game.rules.has_hidden_information(),
            win_loss: true,
            bytes: 0,
        };
        let compares_beliefs = tree.hidden && tree.players == 1;
        let first = FrontierNode {
            state: from.clone(),
            classes: [0; PLAYERS],
            sequences: [0; PLAYERS],
            weight: Rational::ONE,
        };
        TreeBuilder {
            game,
            tree,
            frontier: vec![first],
            done: 0,
            origins: vec![(NONE, 0)],
            compares_beliefs,
            plan: None,
            known: None,
            payoff_numbers: FxHashMap::default(),
            probability_numbers: [(one, 0)].into_iter().collect(),
        }
    }

    fn enumerate_all(&mut self, from: &State, limits: &Limits) -> Result<(), NoTree> {
        while self.frontier.len() > self.done {
            self.ply(from, limits)?;
        }
        Ok(())
    }

    fn finished(mut self) -> GameTree {
        self.tree.plies.push(self.tree.nodes.len() as u32);
        self.tree
    }

    /// Expands all nodes of a ply; the frontier then has those of the next one.
    fn ply(&mut self, start: &State, limits: &Limits) -> Result<(), NoTree> {
        let first = self.tree.nodes.len() as u32;
        let first_edge = self.tree.edges.len();
        self.tree.plies.push(first);
        let frontier = std::mem::take(&mut self.frontier);
        if let Some(plan) = &mut self.plan {
            plan.enter(&frontier);
        }
        let after = first + frontier.len() as u32;
        let mut next = NextPly { first: after, ..NextPly::default() };
        let mut sets: [FxHashMap<u32, u32>; PLAYERS] = Default::default();
        for (place, at) in frontier.iter().enumerate() {
            if place.is_multiple_of(POLL_INTERVAL) {
                self.check(limits, next.nodes.len())?;
            }
            let node = first + place as u32;
            let (turn, moves) = match self.game.machine.expand(&at.state) {
                Ok(found) => found,
                Err(MachineError::Limit(hit)) => return Err(hit.into()),
                Err(MachineError::Fault(fault)) => {
                    return Err(self.faulty(start, node, PositionFault::Fault(fault)));
                }
            };
            let mut made = TreeNode {
                first_edge: self.tree.edges.len() as u32,
                sets: [NONE; PLAYERS],
                payoff: NONE,
                sequences: at.sequences,
            };
            if let ToMove::Terminal(outcome) = &turn {
                made.payoff = self.end(&outcome.payoffs)?;
                self.tree.win_loss &= outcome.kind != OutcomeKind::Payoff;
            } else if moves.is_empty() {
                return Err(self.faulty(start, node, PositionFault::Stuck));
            }
            for (player, sets) in sets.iter_mut().enumerate().take(self.tree.players) {
                let own = own_choices(&turn, &moves, player as u32);
                if own.is_empty() {
                    continue;
                }
                let class = if self.tree.hidden { at.classes[player] } else { node };
                let known = sets.get(&class).copied();
                made.sets[player] = match known {
                    Some(set) => set,
                    None => self.new_set(player, at, &own),
                };
                sets.insert(class, made.sets[player]);
                let set = &mut self.tree.sets[player][made.sets[player] as usize];
                if set.actions != own {
                    let name = &self.game.rules.players()[player];
                    return Err(other_moves(name).into());
                }
                set.nodes.push(node);
            }
            self.tree.nodes.push(made);
            for (number, successor) in moves.iter().enumerate() {
                let number = number as u32;
                if let Some(plan) = &mut self.plan
                    && !plan.makes(at, &made, &self.tree, own_choice(&turn, &successor.play, plan.player()))
                {
                    continue;
                }
                let edge = MadeMove { at, node: &made, turn: &turn, successor, from: node, number };
                self.edge(&edge, &mut next)?;
            }
        }
        self.frontier = if self.compares_beliefs { self.with_beliefs(next, first_edge) } else { next.nodes };
        Ok(())
    }

    /// Returns the nodes of the next ply with one class for each belief; the edges from `first_edge` on lead to them.
    fn with_beliefs(&mut self, next: NextPly, first_edge: usize) -> Vec<FrontierNode> {
        let alike = first_alike(next.nodes.iter().map(|node| (node.classes[0], &node.state, &node.weight)));
        let mut nodes: Vec<FrontierNode> = Vec::with_capacity(next.nodes.len());
        let mut numbers: FxHashMap<(State, u32), u32> = FxHashMap::default();
        let mut places = Vec::with_capacity(next.nodes.len());
        let origins = self.origins.split_off(next.first as usize);
        for (mut node, origin) in next.nodes.into_iter().zip(origins) {
            let class = alike[&node.classes[0]];
            let new = nodes.len() as u32;
            let place = *numbers.entry((node.state.clone(), class)).or_insert(new);
            places.push(place);
            if place == new {
                node.classes[0] = class;
                nodes.push(node);
                self.origins.push(origin);
            } else {
                nodes[place as usize].weight += node.weight;
            }
        }
        for edge in &mut self.tree.edges[first_edge..] {
            edge.to = next.first + places[(edge.to - next.first) as usize];
        }
        nodes
    }

    fn new_set(&mut self, player: usize, at: &FrontierNode, own: &[MoveInstance]) -> u32 {
        let sets = &mut self.tree.sets[player];
        let number = sets.len() as u32;
        sets.push(InformationSet {
            nodes: Vec::new(),
            actions: own.to_vec(),
            ply: self.tree.plies.len() as u32 - 1,
            parent: at.sequences[player],
            first_sequence: self.tree.sequences[player],
            example: at.state.clone(),
        });
        self.tree.sequences[player] += own.len() as u32;
        number
    }

    /// Adds a move; the node after it is new unless it was reached before.
    fn edge(&mut self, made: &MadeMove<'_>, next: &mut NextPly) -> Result<(), NoTree> {
        let &MadeMove { at, node, turn, successor, from, number } = made;
        let mut edge = TreeEdge { to: 0, actions: [0; PLAYERS], probability: 0 };
        let (mut classes, mut sequences) = ([0; PLAYERS], at.sequences);
        for player in 0..self.tree.players.min(PLAYERS) {
            if let Some(choice) = own_choice(turn, &successor.play, player as u32) {
                let set = &self.tree.sets[player][node.sets[player] as usize];
                let action = set.actions.iter().position(|action| action == choice).unwrap_or(0) as u32;
                edge.actions[player] = action;
                sequences[player] = set.first_sequence + action;
            }
            if self.tree.hidden {
                let seen = seen_parts(self.game, turn, &successor.play, player as u32);
                let observed = self.game.machine.observation(&successor.state, player as u32)?;
                let views = &mut next.views[player];
                let new = views.len() as u32;
                classes[player] = *views.entry((at.classes[player], seen, observed)).or_insert(new);
            }
        }
        if *turn == ToMove::Chance {
            edge.probability = self.probability(&successor.probability);
        }
        let new = || {
            let (state, weight) = (successor.state.clone(), Rational::ZERO);
            next.nodes.push(FrontierNode { state, classes, sequences, weight });
            self.origins.push((from, number));
            next.first + next.nodes.len() as u32 - 1
        };
        edge.to = match &mut self.known {
            Some(known) => *known.entry(successor.state.clone()).or_insert_with(new),
            None => *next.numbers.entry((successor.state.clone(), classes)).or_insert_with(new),
        };
        if self.compares_beliefs {
            let share = if *turn == ToMove::Chance { &successor.probability } else { &Rational::ONE };
            next.nodes[(edge.to - next.first) as usize].weight += &at.weight * share;
        }
        if self.tree.edges.len() >= NONE as usize - 1 {
            return Err(LimitHit::Memory.into());
        }
        self.tree.edges.push(edge);
        if let Some(numbers) = &mut self.tree.move_numbers {
            numbers.push(number);
        }
        Ok(())
    }

    fn end(&mut self, payoffs: &[Rational]) -> Result<u32, NoTree> {
        let payoffs = match payoffs {
            [only] => [only.clone(), -only],
            [first, second] => [first.clone(), second.clone()],
            _ => return Err("the tree is one of a single player or of two".into()),
        };
        let new = self.tree.payoffs.len() as u32;
        let number = *self.payoff_numbers.entry(payoffs.clone()).or_insert(new);
        if number == new {
            let payoffs = payoffs.map(|payoff| payoff.to_big());
            let sum = &payoffs[0] + &payoffs[1];
            if new == 0 {
                self.tree.sum = Some(sum);
            } else if self.tree.sum.as_ref() != Some(&sum) {
                self.tree.sum = None;
            }
            self.tree.payoffs.push(payoffs);
        }
        Ok(number)
    }

    fn probability(&mut self, share: &Rational) -> u32 {
        let new = self.tree.probabilities.len() as u32;
        let number = *self.probability_numbers.entry(share.clone()).or_insert(new);
        if number == new {
            self.tree.probabilities.push(share.to_big());
        }
        number
    }

    fn check(&mut self, limits: &Limits, waiting: usize) -> Result<(), NoTree> {
        let tree = &mut self.tree;
        let nodes = (tree.nodes.len() + waiting) as u64;
        if limits.positions.is_some_and(|most| nodes > most) {
            return Err(LimitHit::Positions.into());
        }
        tree.bytes = NODE_BYTES * nodes + 16 * tree.edges.len() as u64;
        limits.check_held(tree.bytes).map_or(Ok(()), |hit| Err(hit.into()))
    }

    /// The fault of a node, with a shortest play to it.
    fn faulty(&self, start: &State, node: u32, kind: PositionFault) -> NoTree {
        let mut numbers = Vec::new();
        let mut at = node;
        while let Some(&(parent, number)) = self.origins.get(at as usize)
            && parent != NONE
        {
            numbers.push(number);
            at = parent;
        }
        let (mut state, mut line) = (start.clone(), Vec::new());
        for &number in numbers.iter().rev() {
            let Ok(mut moves) = self.game.machine.successors(&state) else { break };
            let made = moves.swap_remove(number as usize);
            line.push(made.play);
            state = made.state;
        }
        NoTree::Faulty(Box::new(FaultyPosition { line, state, kind }))
    }
}

/// The nodes of the next ply.
#[derive(Default)]
struct NextPly {
    /// The number of its first node.
    first: u32,
    nodes: Vec<FrontierNode>,
    numbers: FxHashMap<(State, [u32; PLAYERS]), u32>,
    views: [FxHashMap<View, u32>; PLAYERS],
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
