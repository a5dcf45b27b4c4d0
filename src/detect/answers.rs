//! Answers that depend on the opponent's move alone: the other half of a domino, the complement to a full number.
//!
//! Technique: first a maximum matching (Jack Edmonds 1965) of moves in which one can be answered by the other; then,
//! for few moves, a backtracking search that assigns an answer to a move when it is first needed and retracts answers
//! that turn out not to be legal.
//! Cost: bounded by a number of steps. Not taken: the set of Tutte and Berge that proves a matching maximal, which the
//! checker does not need.

use petgraph::algo::maximum_matching;
use petgraph::graph::{NodeIndex, UnGraph};
use rustc_hash::{FxHashMap, FxHashSet};

use bouton_base::id::Id;
use bouton_grounding::{
    ActionMaker, FluentId, Formula, FormulaEvaluator, Ground, PairwiseReachability, ThreeValuedEvaluator,
    Transition, Values,
};
use bouton_rules::MoveInstance;

/// A candidate strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnswerProposal {
    /// The player whose strategy it is.
    pub holder: u32,
    /// The holder's first move, if he begins.
    pub opening: Option<MoveInstance>,
    /// The opponent's moves with their answers.
    pub pairs: Vec<(MoveInstance, MoveInstance)>,
}

/// The budget of all proposals together; `COMPOSITION_COST` is the cost of composing a move and its answer.
const SEARCH_BUDGET: u64 = 6_000_000;
const COMPOSITION_COST: u64 = 500;
/// The maximal number of moves of a player for the matching.
const MAX_MATCHED_MOVES: usize = 80;
/// The maximal number of moves of a player for the search.
const MAX_SEARCHED_MOVES: usize = 12;
/// The maximal number of openings.
const MAX_OPENINGS: usize = 40;

/// Returns the candidate strategies for a position, those without an opening first.
pub fn proposals(ground: &Ground, position: &[u8]) -> Vec<AnswerProposal> {
    let turn = ground.fluents.turn().index();
    let mover = u32::from(position[turn]);
    let mut reading = FormulaEvaluator::new(&ground.formulas, position);
    if ground.rules.players().len() != 2 || mover > 1 || reading.holds(ground.over) {
        return Vec::new();
    }
    let mut ground = ground.clone();
    let mut found = Vec::new();
    let mut starts = vec![(None, 1 - mover, position.to_vec())];
    for action in
        ground.actions.iter().filter(|action| action.maker == ActionMaker::Player(mover)).take(MAX_OPENINGS)
    {
        let mut reading = FormulaEvaluator::new(&ground.formulas, position);
        if reading.holds(action.legal) {
            let after = ground.successor(&mut reading, position, action);
            if u32::from(after[turn]) != mover {
                starts.push((Some(action.play.clone()), mover, after));
            }
        }
    }
    let mut budget = SEARCH_BUDGET;
    for (opening, holder, position) in starts {
        let Some(mut table) = AnswerSearch::of(&ground, &position, holder, budget) else { continue };
        for pairs in [table.by_matching(&mut ground), table.by_search(&mut ground)].into_iter().flatten() {
            let play = |action: usize| ground.actions[action].play.clone();
            let pairs = pairs.into_iter().map(|(made, answer)| (play(made), play(answer))).collect();
            found.push(AnswerProposal { holder, opening: opening.clone(), pairs });
        }
        budget = table.budget;
    }
    found
}

/// The moves of the two players, by their indices among the actions.
struct AnswerSearch<'p> {
    position: &'p [u8],
    /// The moves of the opponent, then those of the holder.
    moves: [Vec<usize>; 2],
    /// A cache of composed steps, by move and answer.
    steps: FxHashMap<(usize, usize), Transition>,
    budget: u64,
}

impl<'p> AnswerSearch<'p> {
    fn of(ground: &Ground, position: &'p [u8], holder: u32, budget: u64) -> Option<AnswerSearch<'p>> {
        let possible = ground.delete_relaxation(position);
        let own = |player: u32| {
            let live = |number: &usize| {
                possible.actions[*number] && ground.actions[*number].maker == ActionMaker::Player(player)
            };
            (0..ground.actions.len()).filter(live).collect::<Vec<usize>>()
        };
        let moves = [own(1 - holder), own(holder)];
        let few = moves.iter().all(|moves| moves.len() <= MAX_MATCHED_MOVES);
        few.then(|| AnswerSearch { position, moves, steps: FxHashMap::default(), budget })
    }

    fn step(&mut self, ground: &mut Ground, made: usize, answer: usize) -> Option<Transition> {
        if let Some(known) = self.steps.get(&(made, answer)) {
            return Some(known.clone());
        }
        self.budget = self.budget.checked_sub(COMPOSITION_COST)?;
        let (first, second) = (ground.actions[made].clone(), ground.actions[answer].clone());
        let step = ground.compose(&first, &second)?;
        self.steps.insert((made, answer), step.clone());
        Some(step)
    }

    /// Returns pairs of moves along a maximum matching.
    fn by_matching(&mut self, ground: &mut Ground) -> Option<Vec<(usize, usize)>> {
        let values = self.approximate_values(ground);
        let mut graph: UnGraph<(), ()> = UnGraph::default();
        let mut places: FxHashMap<MoveInstance, NodeIndex> = FxHashMap::default();
        let open = self.moves.clone().map(|moves| {
            let may = |number: &usize| may_hold(ground, ground.actions[*number].legal, &values);
            moves.into_iter().filter(may).collect::<Vec<usize>>()
        });
        let mut edges = FxHashMap::default();
        for &made in &open[0] {
            for &answer in &open[1] {
                let plays = [made, answer].map(|number| ground.actions[number].play.clone());
                if plays[0] == plays[1] {
                    continue;
                }
                let step = self.step(ground, made, answer)?;
                if may_hold(ground, step.legal, &values) {
                    let ends = plays.map(|play| *places.entry(play).or_insert_with(|| graph.add_node(())));
                    graph.update_edge(ends[0], ends[1], ());
                    edges.insert((ends[0], ends[1]), (made, answer));
                }
            }
        }
        let matching = maximum_matching(&graph);
        let mut pairs = Vec::new();
        for (one, other) in matching.edges() {
            pairs.extend(
                [(one, other), (other, one)].into_iter().filter_map(|ends| edges.get(&ends).copied()),
            );
        }
        pairs.sort_unstable();
        self.needed(ground, pairs)
    }

    /// Returns an approximation of the values of fluents when a move that may be legal is made: a fluent in the
    /// conditions of a single move keeps its initial value.
    fn approximate_values(&self, ground: &Ground) -> Vec<Values> {
        let mut asked: FxHashMap<FluentId, FxHashSet<&MoveInstance>> = FxHashMap::default();
        for &number in self.moves.iter().flatten() {
            let action = &ground.actions[number];
            for fluent in ground.support(action.legal, &[]) {
                asked.entry(fluent).or_default().insert(&action.play);
            }
        }
        let mut values = ground.delete_relaxation(self.position).values;
        for (fluent, _) in asked.iter().filter(|(_, plays)| plays.len() == 1) {
            values[fluent.index()] = 1 << self.position[fluent.index()];
        }
        values[ground.fluents.turn().index()] = 3;
        values
    }

    /// Returns the subset of these answers that is needed; `None` if one is missing or not always legal.
    fn needed(&mut self, ground: &mut Ground, pairs: Vec<(usize, usize)>) -> Option<Vec<(usize, usize)>> {
        let joint = self.joint(ground, &pairs)?;
        let mut needed = Vec::new();
        for made in self.moves[0].clone() {
            let legal = ground.actions[made].legal;
            if joint.may_hold(ground, legal, &mut self.budget)? {
                let pair = *pairs.iter().find(|pair| pair.0 == made)?;
                if !self.is_certain(ground, &joint, pair.0, pair.1)? {
                    return None;
                }
                needed.push(pair);
            }
        }
        Some(needed)
    }

    /// Returns the pairwise reachability under rounds of these moves and answers.
    fn joint(&mut self, ground: &mut Ground, pairs: &[(usize, usize)]) -> Option<PairwiseReachability> {
        let steps: Option<Vec<Transition>> =
            pairs.iter().map(|&(made, answer)| self.step(ground, made, answer)).collect();
        ground.pairwise_reachability(self.position, &steps?, &mut self.budget)
    }

    /// Returns true if an answer is legal wherever its move is.
    fn is_certain(
        &mut self,
        ground: &mut Ground,
        joint: &PairwiseReachability,
        made: usize,
        answer: usize,
    ) -> Option<bool> {
        let legal = self.step(ground, made, answer)?.legal;
        let without = ground.formulas.and_not(ground.actions[made].legal, legal);
        Some(!joint.may_hold(ground, without, &mut self.budget)?)
    }

    /// Returns answers found by backtracking.
    fn by_search(&mut self, ground: &mut Ground) -> Option<Vec<(usize, usize)>> {
        let few = self.moves.iter().all(|moves| (1..=MAX_SEARCHED_MOVES).contains(&moves.len()));
        let mut pairs = Vec::new();
        (few && self.search(ground, &mut pairs)?).then_some(pairs)
    }

    fn search(&mut self, ground: &mut Ground, pairs: &mut Vec<(usize, usize)>) -> Option<bool> {
        let joint = self.joint(ground, pairs)?;
        for (made, answer) in pairs.clone() {
            if !self.is_certain(ground, &joint, made, answer)? {
                return Some(false);
            }
        }
        for made in self.moves[0].clone() {
            let legal = ground.actions[made].legal;
            if pairs.iter().any(|pair| pair.0 == made) || !joint.may_hold(ground, legal, &mut self.budget)? {
                continue;
            }
            for answer in self.moves[1].clone() {
                if self.is_certain(ground, &joint, made, answer)? {
                    pairs.push((made, answer));
                    if self.search(ground, pairs)? {
                        return Some(true);
                    }
                    pairs.pop();
                }
            }
            return Some(false);
        }
        Some(true)
    }
}

/// Returns true if a formula may hold for these possible values of the fluents.
fn may_hold(ground: &Ground, formula: Formula, values: &[Values]) -> bool {
    ThreeValuedEvaluator::new(&ground.formulas, values.to_vec()).may_hold(formula)
}
