//! Symmetry detection: renamings of fluents, their values, players and moves under which the rules are invariant
//! (Stephan Schiffel 2010; here on grounded rules, in which equivalent formulations of a rule are equal).
//!
//! The symmetries for reduction are those that fix the initial position: they map reachable positions to reachable
//! positions. Each is checked against the graph of the rules before it is returned, and again, value by value, where
//! it is used.

use bouton_base::rational::Rational;
use rustc_hash::{FxHashMap, FxHashSet};

use super::automorphisms::{ColoredGraph, Permutation};
use bouton_base::id::Id;
use bouton_grounding::{
    ActionMaker, DeleteRelaxation, Fluent, FluentId, Formula, FormulaNode, Ground, NameId, Renaming, Subject,
    Values, all_values, value_numbers,
};
use bouton_rules::{MOVER, MoveInstance, OutcomeExpr, OutcomeKind, Repeat};

/// The maximal order of a group whose elements are enumerated.
pub const MAX_GROUP_ORDER: usize = 1024;

/// A symmetry: the images of fluents, values, players and actions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GameSymmetry {
    /// A permutation of the fluents, and for each fluent a bijection of its values onto those of its image.
    /// Unreachable values map, in their order, to the unreachable values of the image.
    pub board: Renaming,
    /// The image of each player.
    pub players: Vec<u32>,
    /// The image of each action.
    pub actions: Vec<u32>,
}

/// The symmetry group of a game, by generators.
#[derive(Clone, Debug)]
pub struct SymmetryGroup {
    pub generators: Vec<GameSymmetry>,
    /// The order of the group, the identity included; `None` if it exceeds `u128`.
    pub order: Option<u128>,
    /// True if the group is complete; false if the search was cut short and there may be more symmetries.
    pub complete: bool,
}

/// The maximal number of refinement rounds over the graph of the rules.
const MAX_ROUNDS: u64 = 20_000;

/// The maximal number of vertices of the graph of the rules.
const MAX_GRAPH_VERTICES: usize = 400_000;

impl GameSymmetry {
    /// Composes two symmetries: this one first, then the other.
    pub fn then(&self, other: &GameSymmetry) -> GameSymmetry {
        GameSymmetry {
            board: composed(&self.board, &other.board),
            players: self.players.iter().map(|&to| other.players[to as usize]).collect(),
            actions: self.actions.iter().map(|&to| other.actions[to as usize]).collect(),
        }
    }
}

/// Returns the relaxed reachability of the set of all positions, reachable or not.
pub fn relaxation_anywhere(ground: &Ground) -> DeleteRelaxation {
    let all = |(_, fluent): (_, &Fluent)| all_values(fluent.values.len() as u32);
    ground.relaxation_of(ground.fluents.iter().map(all).collect())
}

/// Composes two renamings: the first one first.
pub(crate) fn composed(first: &Renaming, second: &Renaming) -> Renaming {
    let through = |(fluent, values): (usize, &Vec<u8>)| {
        let to = first.fluents[fluent].index();
        values.iter().map(|&value| second.values[to][usize::from(value)]).collect()
    };
    Renaming {
        fluents: first.fluents.iter().map(|to| second.fluents[to.index()]).collect(),
        values: first.values.iter().enumerate().map(through).collect(),
    }
}

impl SymmetryGroup {
    /// Returns all symmetries, in a fixed order; `None` if there are more than `most`, or no generator.
    pub fn elements(&self, most: usize) -> Option<Vec<GameSymmetry>> {
        let first = self.generators.first()?;
        if self.order.is_none_or(|order| order > most as u128) {
            return None;
        }
        let identity = GameSymmetry {
            board: Renaming::identity(&first.board),
            players: (0..first.players.len() as u32).collect(),
            actions: (0..first.actions.len() as u32).collect(),
        };
        let mut known: FxHashSet<GameSymmetry> = FxHashSet::default();
        let mut all = vec![identity.clone()];
        known.insert(identity);
        let mut at = 0;
        while at < all.len() {
            for generator in &self.generators {
                let next = all[at].then(generator);
                if !known.contains(&next) {
                    if all.len() >= most {
                        return None;
                    }
                    known.insert(next.clone());
                    all.push(next);
                }
            }
            at += 1;
        }
        Some(all)
    }
}

/// Finds the symmetries of a game that fix its initial position.
pub fn symmetries(ground: &Ground) -> SymmetryGroup {
    symmetries_from(ground, &ground.initial)
}

/// Finds the symmetries of play from a position on that fix this position.
pub fn symmetries_from(ground: &Ground, position: &[u8]) -> SymmetryGroup {
    group(ground, &ground.delete_relaxation(position), Some(position))
}

/// Finds the symmetries of the rules, which may move the initial position.
pub fn symmetries_of_rules(ground: &Ground) -> SymmetryGroup {
    symmetries_of_possible(ground, &ground.delete_relaxation(&ground.initial))
}

/// Finds the symmetries of the rules on the positions of a relaxation, which may move its first position.
pub fn symmetries_of_possible(ground: &Ground, possible: &DeleteRelaxation) -> SymmetryGroup {
    group(ground, possible, None)
}

/// Finds the symmetries of the rules on all positions, unreachable ones included.
pub fn symmetries_anywhere(ground: &Ground) -> SymmetryGroup {
    group(ground, &relaxation_anywhere(ground), None)
}

fn group(ground: &Ground, possible: &DeleteRelaxation, keep: Option<&[u8]>) -> SymmetryGroup {
    let none = SymmetryGroup { generators: Vec::new(), order: Some(1), complete: false };
    let Some(drawn) = RulesGraph::of(ground, possible, keep) else { return none };
    let found = drawn.graph.clone().automorphisms(MAX_ROUNDS);
    let generators: Vec<GameSymmetry> =
        found.generators.iter().map(|permutation| drawn.read(ground, permutation)).collect();
    SymmetryGroup { generators, order: found.order, complete: found.complete }
}

/// The rules as a coloured graph, whose automorphisms are the symmetries.
struct RulesGraph {
    graph: ColoredGraph,
    players: Vec<u32>,
    /// The vertex of each fluent; `None` for those that never change.
    fluents: Vec<Option<u32>>,
    /// The vertex of each value, by fluent; `None` for unreachable values, and for all values of a fluent that never
    /// changes.
    values: Vec<Vec<Option<u32>>>,
    /// The vertex of each action; `None` for those that are never legal.
    actions: Vec<Option<u32>>,
    /// The possible values, by fluent.
    possible: Vec<Values>,
    /// The value sets of literals of counts, each numbered for its colour.
    counts: FxHashMap<Values, u64>,
}

/// The colours of the kinds of vertices.
mod color {
    pub const PLAYER: u64 = 1;
    pub const FLUENT: u64 = 2;
    pub const TURN: u64 = 3;
    pub const VALUE: u64 = 4;
    pub const ACTION: u64 = 5;
    pub const ALL: u64 = 6;
    pub const CHOICE: u64 = 7;
    pub const EFFECT: u64 = 8;
    pub const TRUE: u64 = 9;
    pub const FALSE: u64 = 10;
    pub const AND: u64 = 11;
    pub const OR: u64 = 12;
    pub const LITERAL: u64 = 13;
    pub const COUNT: u64 = 14;
    pub const NAME: u64 = 15;
    pub const NAMED: u64 = 16;
    pub const NOT_NAMED: u64 = 17;
    pub const WIN: u64 = 18;
    pub const DRAW: u64 = 19;
    pub const PAYOFF: u64 = 20;
    pub const FIRST: u64 = 21;
    pub const INFINITE: u64 = 22;
    pub const NUMBERS: u64 = 23;
    pub const FAULT: u64 = 24;

    /// Returns a separate colour for each number below 2^56 - 1.
    pub fn of(kind: u64, number: u64) -> u64 {
        kind | (number + 1) << 8
    }
}

impl RulesGraph {
    /// Draws the rules restricted to possible values, and a position to fix; `None` if the graph is too large, or if
    /// the outcome of infinite play depends on the position.
    fn of(ground: &Ground, possible: &DeleteRelaxation, keep: Option<&[u8]>) -> Option<RulesGraph> {
        let constant = |repeat: &Repeat| match &repeat.outcome {
            OutcomeExpr::Draw | OutcomeExpr::SinglePlayer(_) => true,
            OutcomeExpr::Player(player, _) => player.constant().is_some(),
            OutcomeExpr::Payoff(each) | OutcomeExpr::ByScore(each, _) => {
                each.values.iter().all(|value| value.constant().is_some())
            }
        };
        if !ground.rules.repeats.iter().all(constant) {
            return None;
        }
        let mut graph = ColoredGraph::default();
        let count = ground.rules.players().len();
        // Players may be exchanged only if the outcome of infinite play does not distinguish them.
        let alike = ground.rules.repeats.iter().all(|repeat| matches!(repeat.outcome, OutcomeExpr::Draw));
        let players: Vec<u32> = (0..count as u64)
            .map(|p| graph.vertex(if alike { color::PLAYER } else { color::of(color::INFINITE, p) }))
            .collect();
        let mut relaxed = ground.relaxed_evaluator(possible);
        let mut fluents = Vec::new();
        let mut values = Vec::new();
        for (id, fluent) in ground.fluents.iter() {
            let turn = fluent.field == MOVER;
            if possible.values[id.index()].count_ones() == 1 {
                fluents.push(None);
                values.push(vec![None; fluent.values.len()]);
                continue;
            }
            // Values map to values, unreachable ones included: so only fluents with the same number of values are
            // alike.
            let size = fluent.values.len() as u64;
            let own = graph.vertex(if turn { color::TURN } else { color::of(color::FLUENT, size) });
            let each = (0..fluent.values.len()).map(|value| {
                (possible.values[id.index()] >> value & 1 == 1).then(|| {
                    let vertex = graph.vertex(color::VALUE);
                    graph.arc(own, vertex);
                    if turn && value < count {
                        graph.arc(vertex, players[value]);
                    }
                    vertex
                })
            });
            values.push(each.collect());
            fluents.push(Some(own));
        }
        let mut drawing = RulesGraph {
            graph,
            players,
            fluents,
            values,
            actions: Vec::new(),
            possible: possible.values.clone(),
            counts: FxHashMap::default(),
        };
        let mut formulas = FormulaVertices::default();
        let all = drawing.graph.vertex(color::ALL);
        let mut choices: FxHashMap<(u32, &MoveInstance), u32> = FxHashMap::default();
        for (action, legal) in ground.actions.iter().zip(&possible.actions) {
            if !legal {
                drawing.actions.push(None);
                continue;
            }
            let vertex = drawing.graph.vertex(color::ACTION);
            drawing.actions.push(Some(vertex));
            match action.maker {
                ActionMaker::Player(player) => drawing.graph.arc(vertex, drawing.players[player as usize]),
                ActionMaker::All => drawing.graph.arc(vertex, all),
            }
            if let MoveInstance::Joint(plays) = &action.play {
                for (player, play) in plays {
                    let choice = *choices.entry((*player, play)).or_insert_with(|| {
                        let choice = drawing.graph.vertex(color::CHOICE);
                        drawing.graph.arc(choice, drawing.players[*player as usize]);
                        choice
                    });
                    drawing.graph.arc(vertex, choice);
                }
            }
            let legal = formulas.draw(&mut drawing, ground, action.legal);
            drawing.graph.arc(vertex, legal);
            for becomes in &action.updates {
                for (value, when) in &becomes.values {
                    let to = drawing.values[becomes.fluent.index()][usize::from(*value)];
                    let Some(to) = to.filter(|_| relaxed.may_hold(*when)) else { continue };
                    let effect = drawing.graph.vertex(color::EFFECT);
                    drawing.graph.arc(vertex, effect);
                    drawing.graph.arc(effect, to);
                    let when = formulas.draw(&mut drawing, ground, *when);
                    drawing.graph.arc(effect, when);
                }
            }
            if drawing.graph_size() > MAX_GRAPH_VERTICES {
                return None;
            }
        }
        let mut payoffs: FxHashMap<Rational, u64> = FxHashMap::default();
        for end in &ground.ends {
            let kind = match end.kind {
                OutcomeKind::Win => color::WIN,
                OutcomeKind::Draw => color::DRAW,
                OutcomeKind::Payoff => color::NUMBERS,
            };
            let vertex = drawing.graph.vertex(kind);
            let when = formulas.draw(&mut drawing, ground, end.when);
            drawing.graph.arc(vertex, when);
            for (player, payoff) in end.payoffs.iter().enumerate() {
                let fresh = payoffs.len() as u64;
                let number = *payoffs.entry(payoff.clone()).or_insert(fresh);
                let given = drawing.graph.vertex(color::of(color::PAYOFF, number));
                drawing.graph.arc(vertex, given);
                drawing.graph.arc(given, drawing.players[player]);
            }
        }
        if relaxed.may_hold(ground.fault) {
            let vertex = drawing.graph.vertex(color::FAULT);
            let when = formulas.draw(&mut drawing, ground, ground.fault);
            drawing.graph.arc(vertex, when);
        }
        if let Some(position) = keep {
            let first = drawing.graph.vertex(color::FIRST);
            for (fluent, &value) in position.iter().enumerate() {
                if let Some(value) = drawing.values[fluent][usize::from(value)] {
                    drawing.graph.arc(first, value);
                }
            }
        }
        (drawing.graph_size() <= MAX_GRAPH_VERTICES).then_some(drawing)
    }

    fn graph_size(&self) -> usize {
        self.graph.len()
    }

    /// Translates a permutation of the vertices into a symmetry.
    fn read(&self, ground: &Ground, image: &Permutation) -> GameSymmetry {
        let fluents: Vec<FluentId> = moved(&self.fluents, image).into_iter().map(FluentId).collect();
        let values = ground.fluents.iter().map(|(id, _)| {
            let there = &self.values[fluents[id.index()].index()];
            // In order, so that the composition of two symmetries is the symmetry of the composed permutations.
            let mut never_taken =
                (0..).zip(there).filter(|(_, vertex)| vertex.is_none()).map(|(place, _)| place);
            let to = |vertex: &Option<u32>| match vertex {
                Some(vertex) => {
                    let vertex = Some(image[*vertex as usize]);
                    there.iter().position(|v| *v == vertex).map(|place| place as u8)
                }
                None => never_taken.next(),
            };
            let values: Option<Vec<u8>> = self.values[id.index()].iter().map(to).collect();
            values.expect("a permutation of the graph takes a fluent to one with as many values of each kind")
        });
        let players: Vec<Option<u32>> = self.players.iter().map(|&vertex| Some(vertex)).collect();
        GameSymmetry {
            players: moved(&players, image),
            actions: moved(&self.actions, image),
            board: Renaming { values: values.collect(), fluents },
        }
    }
}

/// Returns the permutation of the items behind some vertices; items without a vertex stay.
fn moved(vertices: &[Option<u32>], image: &Permutation) -> Vec<u32> {
    let places: FxHashMap<u32, u32> =
        (0..).zip(vertices).filter_map(|(place, vertex)| Some(((*vertex)?, place))).collect();
    let to =
        |(place, vertex): (u32, &Option<u32>)| vertex.map_or(place, |vertex| places[&image[vertex as usize]]);
    (0..).zip(vertices).map(to).collect()
}

/// The formulas drawn so far. Formulas with the same parts share a vertex, even if they differ in unreachable values:
/// otherwise such vertices could be exchanged, and would count as symmetries.
#[derive(Default)]
struct FormulaVertices {
    formulas: FxHashMap<Formula, u32>,
    names: FxHashMap<NameId, u32>,
    /// The vertices by colour and the sorted targets of their arcs.
    vertices: FxHashMap<(u64, Vec<u32>), u32>,
}

impl FormulaVertices {
    fn draw(&mut self, drawing: &mut RulesGraph, ground: &Ground, formula: Formula) -> u32 {
        if let Some(&known) = self.formulas.get(&formula) {
            return known;
        }
        let vertex = match ground.formulas.node(formula) {
            FormulaNode::False => self.vertex(drawing, color::FALSE, Vec::new()),
            FormulaNode::True => self.vertex(drawing, color::TRUE, Vec::new()),
            FormulaNode::And(parts) => self.compound(drawing, ground, color::AND, parts),
            FormulaNode::Or(parts) => self.compound(drawing, ground, color::OR, parts),
            FormulaNode::Lit(subject, values) => match &ground.formulas.subject(*subject).0 {
                Subject::Fluent(fluent) => self.literal(drawing, *fluent, *values),
                Subject::Count(of) => {
                    let fresh = drawing.counts.len() as u64;
                    let which = *drawing.counts.entry(*values).or_insert(fresh);
                    let counted = self.compound(drawing, ground, color::COUNT, of);
                    self.vertex(drawing, color::of(color::COUNT, which), vec![counted])
                }
            },
            FormulaNode::Name(name, holds) => {
                let vertex = drawing.graph.vertex(if *holds { color::NAMED } else { color::NOT_NAMED });
                self.formulas.insert(formula, vertex);
                let named = match self.names.get(name) {
                    Some(&known) => known,
                    None => {
                        let named = drawing.graph.vertex(color::NAME);
                        self.names.insert(*name, named);
                        let body = self.draw(drawing, ground, ground.formulas.definition(*name));
                        drawing.graph.arc(named, body);
                        named
                    }
                };
                drawing.graph.arc(vertex, named);
                vertex
            }
        };
        self.formulas.insert(formula, vertex);
        vertex
    }

    fn compound(&mut self, drawing: &mut RulesGraph, ground: &Ground, color: u64, parts: &[Formula]) -> u32 {
        let mut parts: Vec<u32> = parts.iter().map(|&part| self.draw(drawing, ground, part)).collect();
        parts.sort_unstable();
        self.vertex(drawing, color, parts)
    }

    fn literal(&mut self, drawing: &mut RulesGraph, fluent: FluentId, values: Values) -> u32 {
        let Some(own) = drawing.fluents[fluent.index()] else {
            let holds = values & drawing.possible[fluent.index()] != 0;
            return self.vertex(drawing, if holds { color::TRUE } else { color::FALSE }, Vec::new());
        };
        let taken = value_numbers(values).filter_map(|value| drawing.values[fluent.index()][value as usize]);
        // A literal of unreachable values still depends on its fluent.
        let parts = taken.chain([own]).collect();
        self.vertex(drawing, color::LITERAL, parts)
    }

    fn vertex(&mut self, drawing: &mut RulesGraph, color: u64, parts: Vec<u32>) -> u32 {
        *self.vertices.entry((color, parts)).or_insert_with_key(|(color, parts)| {
            let vertex = drawing.graph.vertex(*color);
            parts.iter().for_each(|&part| drawing.graph.arc(vertex, part));
            vertex
        })
    }
}
