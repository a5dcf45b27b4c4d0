//! The builder of the tree of a game with hidden information or simultaneous moves: breadth first, ply by ply.

use std::array::from_fn;
use std::hash::BuildHasher;

use num_rational::BigRational;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::beliefs::first_alike;
use super::game_tree::{
    Behaviour, GameTree, InformationSet, NONE, NoTree, PLAYERS, TreeEdge, TreeNode, other_moves,
};
use super::sure_win::SurePlan;
use crate::game::explore::{FaultyPosition, PositionFault};
use crate::game::information::{SeenPart, own_choice, own_choices, seen_parts};
use crate::game::{Game, MachineError, MoveInstance, OutcomeKind, State, Successor, ToMove};
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::rational::Rational;
use bouton_rules::Value;

/// The approximate number of bytes of a node besides its position, while the tree grows.
const NODE_BYTES: u64 = 160;
/// The number of nodes between two checks of the limits.
pub(super) const POLL_INTERVAL: usize = 128;

impl<const N: usize> GameTree<N> {
    /// Enumerates the tree below a position of a game of `N` players, or of a single one if it has two.
    pub fn build(game: &Game, from: &State, limits: &Limits) -> Result<GameTree<N>, NoTree> {
        GameTree::enumerate(TreeBuilder::new(&game.with_limits(limits), from), limits)
    }

    /// Enumerates the tree with the information sets of a player who remembers all, also where what he believes is the
    /// same in several of them.
    pub fn with_all_memory(game: &Game, from: &State, limits: &Limits) -> Result<GameTree<N>, NoTree> {
        let bounded = game.with_limits(limits);
        let builder = TreeBuilder { compares_beliefs: false, ..TreeBuilder::new(&bounded, from) };
        GameTree::enumerate(builder, limits)
    }

    /// Enumerates the positions of a game in which nothing is hidden and positions can come back: each is one node, and
    /// edges may lead back. The nodes have the numbers of the positions in the graph of the game.
    pub fn with_cycles(game: &Game, from: &State, limits: &Limits) -> Result<GameTree<N>, NoTree> {
        let bounded = game.with_limits(limits);
        let known = Some([(from.clone(), 0)].into_iter().collect());
        GameTree::enumerate(TreeBuilder { known, ..TreeBuilder::new(&bounded, from) }, limits)
    }

    /// Enumerates the tree in which a player keeps to a plan, with the plan as a strategy. Information sets have all
    /// actions.
    pub fn along_plan(
        game: &Game,
        from: &State,
        plan: &SurePlan,
        limits: &Limits,
    ) -> Result<(GameTree<N>, Behaviour), NoTree> {
        let bounded = game.with_limits(limits);
        let mut builder =
            TreeBuilder { plan: Some(PlanFollower::new(plan)), ..TreeBuilder::new(&bounded, from) };
        builder.tree.move_numbers = Some(Vec::new());
        builder.enumerate_all(limits)?;
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

    fn enumerate(mut builder: TreeBuilder<'_, N>, limits: &Limits) -> Result<GameTree<N>, NoTree> {
        builder.enumerate_all(limits)?;
        Ok(builder.finished())
    }
}

/// A player's view of a move in a game with hidden information: the class of his histories before, the parts of the
/// move that he sees, and his observation afterwards.
type View = (u32, Vec<SeenPart>, Value);

/// A node of the current ply.
struct FrontierNode<const N: usize> {
    state: State,
    /// The class of histories of each player.
    classes: [u32; N],
    sequences: [u32; N],
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
    fn enter<const N: usize>(&mut self, ply: &[FrontierNode<N>]) {
        let mut possible: FxHashMap<u32, Vec<&State>> = FxHashMap::default();
        for node in ply {
            possible.entry(node.classes[self.player() as usize]).or_default().push(&node.state);
        }
        let choice = |(class, possible): (u32, Vec<&State>)| Some((class, self.plan.choice(&possible)?));
        self.by_class = possible.into_iter().filter_map(choice).collect();
    }

    /// Returns true if the plan makes this choice at a node, or its player does not choose there.
    fn makes<const N: usize>(
        &mut self,
        at: &FrontierNode<N>,
        node: &TreeNode<N>,
        tree: &GameTree<N>,
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
struct MadeMove<'m, const N: usize> {
    at: &'m FrontierNode<N>,
    node: &'m TreeNode<N>,
    turn: &'m ToMove,
    successor: &'m Successor,
    /// The number of the node.
    from: u32,
    /// The number of the move among those of the node.
    number: u32,
}

/// The move by which the enumeration came to a node, with the hash of its position.
struct Origin {
    parent: u32,
    /// The number of the move among those of the parent.
    number: u32,
    /// The hash of the position.
    hash: u64,
}

impl Origin {
    fn new(parent: u32, number: u32, state: &State) -> Origin {
        Origin { parent, number, hash: FxBuildHasher.hash_one(state) }
    }
}

struct TreeBuilder<'a, const N: usize> {
    game: &'a Game,
    tree: GameTree<N>,
    frontier: Vec<FrontierNode<N>>,
    /// The number of nodes of the frontier that were expanded.
    done: usize,
    origins: Vec<Origin>,
    /// True if the classes of histories in which a single player believes the same are one.
    compares_beliefs: bool,
    /// The plan to which a player keeps, if he does.
    plan: Option<PlanFollower<'a>>,
    /// The nodes of all positions, if each position is one node; otherwise `None`.
    known: Option<FxHashMap<State, u32>>,
    payoff_numbers: FxHashMap<[Rational; N], u32>,
    probability_numbers: FxHashMap<Rational, u32>,
}

impl<'a, const N: usize> TreeBuilder<'a, N> {
    fn new(game: &'a Game, from: &State) -> TreeBuilder<'a, N> {
        let one = Rational::ONE;
        let tree = GameTree {
            start: from.clone(),
            nodes: Vec::new(),
            edges: Vec::new(),
            sets: from_fn(|_| Vec::new()),
            sequences: [1; N],
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
        let first =
            FrontierNode { state: from.clone(), classes: [0; N], sequences: [0; N], weight: Rational::ONE };
        TreeBuilder {
            game,
            tree,
            frontier: vec![first],
            done: 0,
            origins: vec![Origin::new(NONE, 0, from)],
            compares_beliefs,
            plan: None,
            known: None,
            payoff_numbers: FxHashMap::default(),
            probability_numbers: [(one, 0)].into_iter().collect(),
        }
    }

    fn enumerate_all(&mut self, limits: &Limits) -> Result<(), NoTree> {
        while self.frontier.len() > self.done {
            self.ply(limits)?;
        }
        Ok(())
    }

    fn finished(mut self) -> GameTree<N> {
        self.tree.plies.push(self.tree.nodes.len() as u32);
        self.tree
    }

    /// Expands all nodes of a ply; the frontier then has those of the next one.
    fn ply(&mut self, limits: &Limits) -> Result<(), NoTree> {
        let first = self.tree.nodes.len() as u32;
        let first_edge = self.tree.edges.len();
        self.tree.plies.push(first);
        let frontier = std::mem::take(&mut self.frontier);
        if let Some(plan) = &mut self.plan {
            plan.enter(&frontier);
        }
        let after = first + frontier.len() as u32;
        let mut next = NextPly::at(after);
        let mut sets: [FxHashMap<u32, u32>; N] = from_fn(|_| FxHashMap::default());
        for (place, at) in frontier.iter().enumerate() {
            if place.is_multiple_of(POLL_INTERVAL) {
                self.check(limits, next.nodes.len())?;
            }
            let node = first + place as u32;
            let (turn, moves) = match self.game.machine.expand(&at.state) {
                Ok(found) => found,
                Err(MachineError::Limit(hit)) => return Err(hit.into()),
                Err(MachineError::Fault(fault)) => {
                    return Err(self.faulty(node, PositionFault::Fault(fault)));
                }
            };
            let mut made = TreeNode {
                first_edge: self.tree.edges.len() as u32,
                sets: [NONE; N],
                payoff: NONE,
                sequences: at.sequences,
            };
            if let ToMove::Terminal(outcome) = &turn {
                made.payoff = self.end(&outcome.payoffs)?;
                self.tree.win_loss &= outcome.kind != OutcomeKind::Payoff;
            } else if moves.is_empty() {
                return Err(self.faulty(node, PositionFault::Stuck));
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
    fn with_beliefs(&mut self, next: NextPly<N>, first_edge: usize) -> Vec<FrontierNode<N>> {
        let alike = first_alike(next.nodes.iter().map(|node| (node.classes[0], &node.state, &node.weight)));
        let mut nodes: Vec<FrontierNode<N>> = Vec::with_capacity(next.nodes.len());
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

    fn new_set(&mut self, player: usize, at: &FrontierNode<N>, own: &[MoveInstance]) -> u32 {
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
    fn edge(&mut self, made: &MadeMove<'_, N>, next: &mut NextPly<N>) -> Result<(), NoTree> {
        let &MadeMove { at, node, turn, successor, from, number } = made;
        let mut edge = TreeEdge { to: 0, actions: [0; N], probability: 0 };
        let (mut classes, mut sequences) = ([0; N], at.sequences);
        for player in 0..self.tree.players.min(N) {
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
        let before = next.nodes.len();
        let new = || {
            let (state, weight) = (successor.state.clone(), Rational::ZERO);
            self.origins.push(Origin::new(from, number, &state));
            next.nodes.push(FrontierNode { state, classes, sequences, weight });
            next.first + next.nodes.len() as u32 - 1
        };
        edge.to = match &mut self.known {
            Some(known) => *known.entry(successor.state.clone()).or_insert_with(new),
            None => *next.numbers.entry((successor.state.clone(), classes)).or_insert_with(new),
        };
        if self.known.is_none() && next.nodes.len() > before && self.comes_back(edge.to, &successor.state) {
            return Err(
                "a position can come back, so play can go on for ever: this method needs a finite game"
                    .into(),
            );
        }
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
        let payoffs: [Rational; N] = match payoffs {
            // The second one beside a single player.
            [only] if N == PLAYERS => from_fn(|player| if player == 0 { only.clone() } else { -only }),
            payoffs if payoffs.len() == N => from_fn(|player| payoffs[player].clone()),
            _ => return Err(format!("the tree is one of {N} players").into()),
        };
        let new = self.tree.payoffs.len() as u32;
        let number = *self.payoff_numbers.entry(payoffs.clone()).or_insert(new);
        if number == new {
            let payoffs = payoffs.map(|payoff| payoff.to_big());
            let sum = payoffs.iter().sum::<BigRational>();
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

    /// Returns true if the position of a new node is that of a node on the way to it.
    fn comes_back(&self, node: u32, state: &State) -> bool {
        let hash = self.origins[node as usize].hash;
        let mut before = self.origins[node as usize].parent;
        while before != NONE {
            let origin = &self.origins[before as usize];
            if origin.hash == hash && self.play_to(before).1 == *state {
                return true;
            }
            before = origin.parent;
        }
        false
    }

    /// Returns a shortest play to a node, and its position.
    fn play_to(&self, node: u32) -> (Vec<MoveInstance>, State) {
        let mut numbers = Vec::new();
        let mut at = node;
        while let Some(origin) = self.origins.get(at as usize)
            && origin.parent != NONE
        {
            numbers.push(origin.number);
            at = origin.parent;
        }
        let (mut state, mut line) = (self.tree.start.clone(), Vec::new());
        for &number in numbers.iter().rev() {
            let Ok(mut moves) = self.game.machine.successors(&state) else { break };
            let made = moves.swap_remove(number as usize);
            line.push(made.play);
            state = made.state;
        }
        (line, state)
    }

    /// The fault of a node, with a shortest play to it.
    fn faulty(&self, node: u32, kind: PositionFault) -> NoTree {
        let (line, state) = self.play_to(node);
        NoTree::Faulty(Box::new(FaultyPosition { line, state, kind }))
    }
}

/// The nodes of the next ply.
struct NextPly<const N: usize> {
    /// The number of its first node.
    first: u32,
    nodes: Vec<FrontierNode<N>>,
    numbers: FxHashMap<(State, [u32; N]), u32>,
    views: [FxHashMap<View, u32>; N],
}

impl<const N: usize> NextPly<N> {
    /// A ply without nodes, the first of which will have this number.
    fn at(first: u32) -> NextPly<N> {
        NextPly {
            first,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            views: from_fn(|_| FxHashMap::default()),
        }
    }
}
