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

use bouton_base::cancel;
use bouton_base::id::Id;
use bouton_grounding::{
    Action, ActionMaker, FALSE, FluentId, Formula, FormulaEvaluator, Ground, PairwiseReachability,
    ThreeValuedEvaluator, Transition, Values,
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

/// The budget of all searches together. To compose a move and its answer costs `COMPOSITION_COST`, and `PART_COST` for each
/// part of a formula that it visits.
const SEARCH_BUDGET: u64 = 16_000_000;
/// The budget of all matchings together: few have an answer to each first move, and these are mostly strategies.
const MATCHING_BUDGET: u64 = 60_000_000;
const COMPOSITION_COST: u64 = 500;
const PART_COST: u64 = 8;
/// The maximal number of moves of a player for the matching.
const MAX_MATCHED_MOVES: usize = 160;
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
    let Some(stuck) = result_of_stuck(&mut ground) else { return Vec::new() };
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
    let mut budgets = [MATCHING_BUDGET, SEARCH_BUDGET];
    for (place, (opening, holder, position)) in starts.iter().enumerate() {
        let Some(mut table) = AnswerSearch::of(&ground, position, *holder, stuck) else { continue };
        let left = (starts.len() - place) as u64;
        for (method, budget) in budgets.iter_mut().enumerate() {
            // No start takes all from the others.
            let share = if method == 0 { *budget / left.min(2) } else { *budget / left };
            table.budget = share;
            let pairs =
                if method == 0 { table.by_matching(&mut ground) } else { table.by_search(&mut ground) };
            *budget -= share - table.budget;
            if let Some(pairs) = pairs {
                let play = |action: usize| ground.actions[action].play.clone();
                let pairs = pairs.into_iter().map(|(made, answer)| (play(made), play(answer))).collect();
                found.push(AnswerProposal { holder: *holder, opening: opening.clone(), pairs });
            }
        }
        // Where one player has a strategy, the other has none.
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// The result of a player who has no move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ResultOfStuck {
    Loses,
    Wins,
}

/// Returns the result of a player who has no move, if the game is over only there and the result is always the same.
fn result_of_stuck(ground: &mut Ground) -> Option<ResultOfStuck> {
    let turn = ground.fluents.turn();
    let free = ground.formulas.or(ground.actions.iter().map(|action| action.legal));
    let stuck = ground.formulas.not(free);
    let mut found = None;
    for player in 0..2u8 {
        let stuck = ground.formulas.substitute(stuck, turn, player)?;
        if ground.formulas.substitute(ground.over, turn, player)? != stuck {
            return None;
        }
        for end in ground.ends.clone() {
            if ground.formulas.substitute(end.when, turn, player)? == FALSE {
                continue;
            }
            let (own, other) = (&end.payoffs[usize::from(player)], &end.payoffs[1 - usize::from(player)]);
            let result = match own.cmp(other) {
                std::cmp::Ordering::Less => ResultOfStuck::Loses,
                std::cmp::Ordering::Greater => ResultOfStuck::Wins,
                std::cmp::Ordering::Equal => return None,
            };
            if found.is_some_and(|found| found != result) {
                return None;
            }
            found = Some(result);
        }
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
    /// A cache of the conditions under which a move needs an answer.
    asking: FxHashMap<usize, Formula>,
    stuck: ResultOfStuck,
    budget: u64,
}

impl<'p> AnswerSearch<'p> {
    fn of(
        ground: &Ground,
        position: &'p [u8],
        holder: u32,
        stuck: ResultOfStuck,
    ) -> Option<AnswerSearch<'p>> {
        let possible = ground.delete_relaxation(position);
        let own = |player: u32| {
            let live = |number: &usize| {
                possible.actions[*number] && ground.actions[*number].maker == ActionMaker::Player(player)
            };
            (0..ground.actions.len()).filter(live).collect::<Vec<usize>>()
        };
        let moves = [own(1 - holder), own(holder)];
        let few = moves.iter().all(|moves| moves.len() <= MAX_MATCHED_MOVES);
        let (steps, asking) = (FxHashMap::default(), FxHashMap::default());
        few.then_some(AnswerSearch { position, moves, steps, asking, stuck, budget: 0 })
    }

    fn step(&mut self, ground: &mut Ground, made: usize, answer: usize) -> Option<Transition> {
        if let Some(known) = self.steps.get(&(made, answer)) {
            return Some(known.clone());
        }
        self.budget = self.budget.checked_sub(COMPOSITION_COST)?;
        let (first, second) = (ground.actions[made].clone(), ground.actions[answer].clone());
        let before = ground.formulas.work();
        let step = ground.compose(&first, &second)?;
        self.budget = self.budget.checked_sub((ground.formulas.work() - before) * PART_COST)?;
        self.steps.insert((made, answer), step.clone());
        Some(step)
    }

    /// Returns the condition under which a move of the opponent needs an answer: where it is legal and, if a player who
    /// is stuck wins, does not leave the holder stuck.
    fn asks(&mut self, ground: &mut Ground, made: usize) -> Option<Formula> {
        if let Some(known) = self.asking.get(&made) {
            return Some(*known);
        }
        let action = ground.actions[made].clone();
        let asks = match self.stuck {
            ResultOfStuck::Loses => action.legal,
            ResultOfStuck::Wins => {
                let ActionMaker::Player(opponent) = action.maker else { return None };
                let holder = ground.literal(ground.fluents.turn(), 1 << (1 - opponent));
                let won = ground.formulas.and([ground.over, holder]);
                let won = ground.formulas.regress(won, &action.updates)?;
                ground.formulas.and_not(action.legal, won)
            }
        };
        self.asking.insert(made, asks);
        Some(asks)
    }

    /// Returns true if the opponent may win in some of these positions, since he is stuck.
    fn may_lose(&mut self, ground: &Ground, joint: &PairwiseReachability) -> Option<bool> {
        match self.stuck {
            ResultOfStuck::Loses => Some(false),
            ResultOfStuck::Wins => joint.may_hold(ground, ground.over, &mut self.budget),
        }
    }

    /// Returns pairs of moves along a maximum matching.
    fn by_matching(&mut self, ground: &mut Ground) -> Option<Vec<(usize, usize)>> {
        let values = self.approximate_values(ground);
        let mut reading = ThreeValuedEvaluator::new(&ground.formulas, values.clone());
        let open = self.moves.clone().map(|moves| {
            let may = |number: &usize| reading.may_hold(ground.actions[*number].legal);
            moves.into_iter().filter(may).collect::<Vec<usize>>()
        });
        let mut answers: Vec<(usize, usize)> = Vec::new();
        for &made in &open[0] {
            cancel::step();
            self.budget = self.budget.checked_sub(open[1].len() as u64)?;
            let first = ground.actions[made].clone();
            let after = values_after_move(ground, &first, &values);
            let mut reading = ThreeValuedEvaluator::new(&ground.formulas, after);
            let may = |&&answer: &&usize| {
                let second = &ground.actions[answer];
                second.play != first.play && reading.may_hold(second.legal)
            };
            let likely: Vec<usize> = open[1].iter().filter(may).copied().collect();
            let mut rounds = Vec::new();
            for answer in likely {
                self.budget = self.budget.checked_sub(COMPOSITION_COST)?;
                let answered = ground.formulas.regress(ground.actions[answer].legal, &first.updates)?;
                rounds.push((answer, ground.formulas.and([first.legal, answered])));
            }
            let mut reading = ThreeValuedEvaluator::new(&ground.formulas, values.clone());
            let legal = rounds.into_iter().filter(|(_, legal)| reading.may_hold(*legal));
            answers.extend(legal.map(|(answer, _)| (made, answer)));
        }
        let pairs = matched(ground, &answers);
        // A first move without an answer shows at once that this is no strategy.
        for &made in &open[0] {
            let asks = self.asks(ground, made)?;
            let now = FormulaEvaluator::new(&ground.formulas, self.position).holds(asks);
            if now && !pairs.iter().any(|pair| pair.0 == made) {
                return None;
            }
        }
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
        if self.may_lose(ground, &joint)? {
            return None;
        }
        let mut needed = Vec::new();
        for made in self.moves[0].clone() {
            let asks = self.asks(ground, made)?;
            if joint.may_hold(ground, asks, &mut self.budget)? {
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
        let asks = self.asks(ground, made)?;
        let without = ground.formulas.and_not(asks, legal);
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
        if self.may_lose(ground, &joint)? {
            return Some(false);
        }
        for (made, answer) in pairs.clone() {
            if !self.is_certain(ground, &joint, made, answer)? {
                return Some(false);
            }
        }
        for made in self.moves[0].clone() {
            let asks = self.asks(ground, made)?;
            if pairs.iter().any(|pair| pair.0 == made) || !joint.may_hold(ground, asks, &mut self.budget)? {
                continue;
            }
            // If this move answers another one, that one is the first answer to try.
            let mut answers = self.moves[1].clone();
            let play = |action: usize| &ground.actions[action].play;
            let answered = |answer: usize| {
                pairs.iter().any(|pair| play(pair.1) == play(made) && play(pair.0) == play(answer))
            };
            answers.sort_by_key(|&answer| !answered(answer));
            for answer in answers {
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

/// Selects an answer to each move: along a maximum matching, and for a move that is no answer itself, if there is a move
/// with the same effects on the board that is one, the answer to that.
fn matched(ground: &Ground, answers: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let play = |number: usize| &ground.actions[number].play;
    let answering: FxHashSet<&MoveInstance> = answers.iter().map(|pair| play(pair.1)).collect();
    let mutual: FxHashSet<BoardEffects<'_>> = (answers.iter())
        .filter(|pair| answering.contains(play(pair.0)))
        .map(|pair| effects_on_board(ground, pair.0))
        .collect();
    let follows =
        |made: usize| !answering.contains(play(made)) && mutual.contains(&effects_on_board(ground, made));
    let (others, matchable): (Vec<_>, Vec<_>) = answers.iter().partition(|pair| follows(pair.0));
    let mut graph: UnGraph<(), ()> = UnGraph::default();
    let mut places: FxHashMap<&MoveInstance, NodeIndex> = FxHashMap::default();
    let mut edges = FxHashMap::default();
    for &(made, answer) in matchable {
        let ends =
            [made, answer].map(|number| *places.entry(play(number)).or_insert_with(|| graph.add_node(())));
        graph.update_edge(ends[0], ends[1], ());
        edges.insert((ends[0], ends[1]), (made, answer));
    }
    let matching = maximum_matching(&graph);
    let both = |(one, other)| [(one, other), (other, one)];
    let mut pairs: Vec<(usize, usize)> =
        matching.edges().flat_map(both).filter_map(|ends| edges.get(&ends).copied()).collect();
    let effects: FxHashMap<BoardEffects<'_>, usize> =
        pairs.iter().map(|&(made, answer)| (effects_on_board(ground, made), answer)).collect();
    for &(made, answer) in others {
        match pairs.iter_mut().find(|pair| pair.0 == made) {
            None => pairs.push((made, answer)),
            Some(pair) if effects.get(&effects_on_board(ground, made)) == Some(&answer) => pair.1 = answer,
            Some(_) => {}
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The effects of a move: the fluents that it changes, with their values and the conditions for these.
type BoardEffects<'g> = Vec<(FluentId, &'g [(u8, Formula)])>;

/// Returns the effects of a move on all fluents but the player to move and the phase.
fn effects_on_board(ground: &Ground, number: usize) -> BoardEffects<'_> {
    let (turn, phase) = (ground.fluents.turn(), ground.fluents.phase());
    let board = ground.actions[number].updates.iter().filter(|of| of.fluent != turn && of.fluent != phase);
    board.map(|of| (of.fluent, &of.values[..])).collect()
}

/// Returns the possible values of the fluents after a move.
fn values_after_move(ground: &Ground, action: &Action, values: &[Values]) -> Vec<Values> {
    let mut before = ThreeValuedEvaluator::new(&ground.formulas, values.to_vec());
    let mut after = values.to_vec();
    for update in &action.updates {
        let given = update.values.iter().filter(|(_, when)| before.may_hold(*when));
        after[update.fluent.index()] = given.fold(0, |all, (value, _)| all | 1 << value);
    }
    after
}
