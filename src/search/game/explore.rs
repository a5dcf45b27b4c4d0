//! The reachable positions, explored breadth first.
//!
//! A [`Visitor`] receives the positions and the moves themselves. A [`IndexVisitor`] receives only their indices: then
//! a compiled game makes neither states nor moves one by one.
//!
//! Positions have indices in the order of discovery, so those of a ply follow those of the ply before. The indices are
//! the same at any number of threads: threads only expand positions, and one thread takes in the results in order.

use std::ops::ControlFlow;
use std::sync::Arc;

use rayon::prelude::*;

use bouton_base::rational::Rational;

use super::arena::{PositionArena, hash};
use super::bitmap_search::{BitmapSearchEnd, BitmapSearchOptions, ReachableBitmap};
use super::compiled::CompiledMachine;
use super::dense_index::DenseIndex;
use super::position_classes::PositionClasses;
use super::reachable_set::{self, Expander, ReachableSet};
use super::{Fault, Game, MachineError, MoveInstance, Outcome, State, Successor, ToMove};
use bouton_backend::CircuitEnding;
use bouton_base::limits::{LimitHit, Limits, Progress, bytes_after_growth};

mod compiled;

/// The number of positions expanded together; small enough that a slow machine still notices a cancellation.
const BATCH: usize = 256;
/// The maximal number of positions of a compiled game that are expanded together.
const COMPILED_BATCH: usize = 4096;

/// A position in which the rules have no meaning, with a shortest play to it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{kind}")]
pub struct FaultyPosition {
    /// The moves from the start of exploration; the move that a fault names comes after them.
    pub line: Vec<MoveInstance>,
    pub state: State,
    /// The kind of fault.
    pub kind: PositionFault,
}

/// The kind of fault in a position.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PositionFault {
    /// The rules contradict themselves in this position.
    #[error("{0}")]
    Fault(Fault),
    /// E0501: the game is not over and nobody can move.
    #[error("the game is not over and there is no move")]
    Stuck,
}

/// A position as a [`Visitor`] receives it.
#[derive(Clone, Copy, Debug)]
pub struct VisitedPosition<'a> {
    pub index: u32,
    /// The least number of moves to it.
    pub ply: u32,
    pub state: &'a State,
    /// The player or chance to act, or the outcome.
    pub turn: &'a ToMove,
    /// The legal moves, in the order of the machine.
    pub successors: &'a [Successor],
    /// The indices of the positions after the moves.
    pub next: &'a [u32],
}

/// A receiver of positions. `Break` ends the exploration.
pub trait Visitor {
    /// Receives a position; each comes once, in the order of indices.
    fn visit(&mut self, visit: &VisitedPosition<'_>) -> ControlFlow<()>;
    /// Receives a position without meaning, at its place in the order.
    fn broken(&mut self, _index: u32, _kind: &PositionFault) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
    /// Signals that all positions of this ply were visited.
    fn layer(&mut self, _ply: u32) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// Returns the number of bytes that the visitor will hold after `extra` more positions.
    fn held_bytes(&self, _extra: usize) -> u64 {
        0
    }
}

/// A position by its index, as an [`IndexVisitor`] receives it.
#[derive(Clone, Copy, Debug)]
pub struct IndexedPosition<'a> {
    pub index: u32,
    /// The least number of moves to it.
    pub ply: u32,
    /// The player or chance to act, or the outcome.
    pub turn: &'a ToMove,
    /// The probability of each move if chance acts; otherwise empty.
    pub probabilities: &'a [Rational],
    /// The indices of the positions after the moves, in the machine's order of moves.
    pub next: &'a [u32],
    /// For each of these, true if it stands for the position after the move with exchanged players; empty if none does.
    pub exchanged: &'a [bool],
}

/// A position of an exploration as it stands for another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExploredPlace {
    pub index: u32,
    /// True if it stands for a position with exchanged players.
    pub exchanged: bool,
}

/// A receiver of indices of positions. `Break` ends the exploration, and so does a position without meaning.
pub trait IndexVisitor {
    /// Receives a position; each comes once, in the order of indices.
    fn mark(&mut self, mark: &IndexedPosition<'_>) -> ControlFlow<()>;
    /// Signals that all positions of this ply were visited.
    fn layer(&mut self, _ply: u32) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// Forgets everything: positions come from the first again. Called only with a [`SymmetryReduction`].
    fn restart(&mut self) {}
    /// Returns true if the moves so far lead back to some position. Called only with a [`SymmetryReduction`].
    fn has_cycle(&self) -> bool {
        false
    }
    /// Returns the number of bytes that the marker will hold after `extra` more positions.
    fn held_bytes(&self, _extra: usize) -> u64 {
        0
    }
}

/// Symmetry reduction that starts during the exploration, when it pays.
pub struct SymmetryReduction<'a> {
    /// Finds the classes of positions; called at most once. An exchange of the players is not used where the moves lead
    /// back to positions.
    pub find: &'a dyn Fn() -> Option<PositionClasses>,
    /// The number of visited positions before which it does not start.
    pub from: usize,
}

impl SymmetryReduction<'_> {
    /// Returns true if restarting up to symmetry pays after `visited` of `known` positions: the restart must never take
    /// more than a fifth longer, even if no further positions exist.
    fn pays(order: usize, visited: usize, known: usize) -> bool {
        // An image for each symmetry costs about a sixteenth of the other work for a position.
        let each = (1.0 + order as f64 / 16.0) / order as f64;
        visited as f64 + known as f64 * each <= 1.2 * known as f64
    }
}

/// A marker that receives fully expanded positions.
struct IndexVisitorAdapter<'a>(&'a mut dyn IndexVisitor);

impl Visitor for IndexVisitorAdapter<'_> {
    fn visit(&mut self, visit: &VisitedPosition<'_>) -> ControlFlow<()> {
        let &VisitedPosition { index, ply, turn, next, .. } = visit;
        let by_chance = visit.successors.iter().filter(|_| *turn == ToMove::Chance);
        let probabilities: Vec<Rational> = by_chance.map(|s| s.probability.clone()).collect();
        self.0.mark(&IndexedPosition {
            index,
            ply,
            turn,
            probabilities: &probabilities,
            next,
            exchanged: &[],
        })
    }

    fn layer(&mut self, ply: u32) -> ControlFlow<()> {
        self.0.layer(ply)
    }

    fn held_bytes(&self, extra: usize) -> u64 {
        self.0.held_bytes(extra)
    }
}

/// The positions that an exploration begins with, and the limits and reports of its work.
#[derive(Clone, Copy)]
pub struct ExplorationRequest<'a> {
    pub game: &'a Game,
    /// The start positions.
    pub from: &'a [State],
    pub limits: &'a Limits,
    pub progress: &'a dyn Progress,
}

/// The receiver of the exploration.
enum ExploreReceiver<'a> {
    /// It receives positions and moves.
    Visitor(&'a mut dyn Visitor),
    /// It receives the indices of the positions of a compiled game.
    Marker(&'a CompiledMachine, &'a mut dyn IndexVisitor),
}

/// A request to restart the exploration with representatives of these classes, or of none.
struct Restart(Option<Box<PositionClasses>>);

impl ExploreReceiver<'_> {
    fn layer(&mut self, ply: u32) -> ControlFlow<()> {
        match self {
            ExploreReceiver::Visitor(visitor) => visitor.layer(ply),
            ExploreReceiver::Marker(_, marker) => marker.layer(ply),
        }
    }

    fn has_cycle(&self) -> bool {
        match self {
            ExploreReceiver::Visitor(_) => false,
            ExploreReceiver::Marker(_, marker) => marker.has_cycle(),
        }
    }

    fn held_bytes(&self, extra: usize) -> u64 {
        match self {
            ExploreReceiver::Visitor(visitor) => visitor.held_bytes(extra),
            ExploreReceiver::Marker(_, marker) => marker.held_bytes(extra),
        }
    }

    /// Returns the number of positions expanded together after `visited` positions: few at first, because memory for
    /// many more may be missing.
    fn batch(&self, visited: usize) -> usize {
        match self {
            ExploreReceiver::Visitor(_) => BATCH,
            ExploreReceiver::Marker(..) => (visited / 8).clamp(BATCH, COMPILED_BATCH),
        }
    }
}

/// The reason why the exploration ended.
#[derive(Clone, Debug)]
pub enum ExploreEnd {
    /// Every position was visited.
    Complete,
    /// The visitor stopped it.
    Stopped,
    /// A limit was reached.
    Limit(LimitHit),
    /// The visitor stopped at a position without meaning.
    Broken(Box<FaultyPosition>),
}

/// The reachable positions found. Those from index [`visited`](Self::visited) on were reached, but not visited.
#[derive(Clone)]
pub struct Explored {
    pub arena: PositionArena,
    /// The reason why the exploration ended.
    pub ended: ExploreEnd,
    /// The number of visited positions; they come first in the arena.
    pub visited: u32,
    game: Game,
    /// The position from which each position was first reached; a start position is its own parent.
    parents: Vec<u32>,
    /// The first position of each ply.
    layers: Vec<u32>,
    /// The classes of positions, if a position represents its class.
    classes: Option<Arc<PositionClasses>>,
}

impl Explored {
    /// Returns the place of a position or of its representative; `None` if neither was reached.
    pub fn find(&self, state: &State) -> Option<ExploredPlace> {
        match &self.classes {
            Some(classes) => {
                let mut words = state.0.clone();
                let exchanged = classes.represent(&mut words);
                let index = self.arena.find_words(hash(&words), &words)?;
                Some(ExploredPlace { index, exchanged })
            }
            None => Some(ExploredPlace { index: self.arena.find(state)?, exchanged: false }),
        }
    }

    /// Returns true if a position represents all of its class.
    pub fn is_up_to_symmetry(&self) -> bool {
        self.classes.is_some()
    }

    /// Returns true if a position may represent positions with exchanged players.
    pub fn exchanges_players(&self) -> bool {
        self.classes.as_ref().is_some_and(|classes| classes.exchanges_players())
    }

    /// Returns the number of positions with the same players that this one represents.
    pub fn orbit(&self, index: u32) -> u64 {
        self.classes.as_ref().map_or(1, |classes| classes.orbit(&self.arena.state(index)))
    }

    /// Returns the least number of moves to a position.
    pub fn ply(&self, index: u32) -> u32 {
        self.layers.partition_point(|&first| first <= index).saturating_sub(1) as u32
    }

    /// Returns the greatest number of plies to a visited position.
    pub fn max_ply(&self) -> u32 {
        self.visited.checked_sub(1).map_or(0, |last| self.ply(last))
    }

    /// Returns a shortest play to a position: always the same one.
    pub fn shortest_play(&self, index: u32) -> Vec<MoveInstance> {
        shortest_play(&self.game, &self.arena, &self.parents, index)
    }

    pub fn held_bytes(&self) -> u64 {
        let classes = self.classes.as_ref().map_or(0, |classes| classes.held_bytes());
        self.arena.held_bytes(0) + bytes_after_growth(&self.parents, 0) + classes
    }
}

/// Follows the parents back. They do not store the moves, so the machine generates them again.
fn shortest_play(game: &Game, arena: &PositionArena, parents: &[u32], index: u32) -> Vec<MoveInstance> {
    let mut plays = Vec::new();
    let mut at = index;
    while parents[at as usize] != at {
        let parent = parents[at as usize];
        let words = arena.words(at);
        let successors = game.machine.successors(&arena.state(parent)).unwrap_or_default();
        plays.extend(successors.into_iter().find(|s| &*s.state.0 == words).map(|s| s.play));
        at = parent;
    }
    plays.reverse();
    plays
}

/// Visits every position reachable from these, as far as the limits allow.
pub fn explore(
    game: &Game,
    from: &[State],
    limits: &Limits,
    progress: &dyn Progress,
    visitor: &mut dyn Visitor,
) -> Explored {
    let request = ExplorationRequest { game, from, limits, progress };
    match request.run(&mut ExploreReceiver::Visitor(visitor), None, None) {
        Ok(explored) => explored,
        Err(Restart(_)) => unreachable!("nothing is folded"),
    }
}

/// Visits every reachable position like [`explore`], but gives only indices: faster if the game is compiled.
pub fn explore_indices(
    request: ExplorationRequest<'_>,
    mut folding: Option<&SymmetryReduction<'_>>,
    marker: &mut dyn IndexVisitor,
) -> Explored {
    let ExplorationRequest { game, from, limits, progress } = request;
    let Some(machine) = game.compiled() else {
        return explore(game, from, limits, progress, &mut IndexVisitorAdapter(marker));
    };
    let mut folded = None;
    loop {
        let look = &mut ExploreReceiver::Marker(machine, marker);
        match request.run(look, folding, folded.clone()) {
            // Plays between representatives are no plays of the game, so a fault needs a search without symmetry.
            Ok(explored) if folded.is_some() && matches!(explored.ended, ExploreEnd::Broken(_)) => {
                folded = None
            }
            Ok(explored) => return explored,
            Err(Restart(classes)) => folded = classes.map(|classes| Arc::new(*classes)),
        }
        folding = None;
        marker.restart();
    }
}

impl ExplorationRequest<'_> {
    /// Explores up to the given symmetries, if any; the error asks to restart up to others.
    fn run(
        self,
        look: &mut ExploreReceiver<'_>,
        mut folding: Option<&SymmetryReduction<'_>>,
        classes: Option<Arc<PositionClasses>>,
    ) -> Result<Explored, Restart> {
        let ExplorationRequest { game, from, limits, progress } = self;
        let bounded = game.with_limits(limits);
        let mut work = Exploration {
            game,
            bounded,
            arena: PositionArena::default(),
            parents: Vec::new(),
            visited: 0,
            ply: 0,
            classes: classes.as_deref(),
            unequal_ends: false,
        };
        let mut found = None;
        let mut next_look = folding.map_or(0, |folding| folding.from);
        let mut layers = vec![0];
        let mut from = from.to_vec();
        from.iter_mut().for_each(|state| work.represent(&mut state.0));
        for state in &from {
            if work.arena.intern(state).is_some_and(|i| i as usize == work.parents.len()) {
                work.parents.push(work.parents.len() as u32);
            }
        }
        let mut layer_end = work.arena.len();
        let ended = loop {
            if work.visited == layer_end {
                if look.layer(work.ply).is_break() {
                    break ExploreEnd::Stopped;
                }
                if layer_end == work.arena.len() {
                    break ExploreEnd::Complete;
                }
                layers.push(layer_end as u32);
                work.ply += 1;
                layer_end = work.arena.len();
            }
            if let Some(hit) = work.limit(limits, look) {
                break ExploreEnd::Limit(hit);
            }
            if let Some(told) = folding.filter(|_| work.visited >= next_look) {
                next_look = (2 * work.visited).max(1);
                let classes: &Option<PositionClasses> = found.get_or_insert_with(|| match (told.find)() {
                    Some(classes) if classes.exchanges_players() && look.has_cycle() => {
                        classes.without_exchange()
                    }
                    classes => classes,
                });
                match classes {
                    Some(classes)
                        if SymmetryReduction::pays(classes.order(), work.visited, work.arena.len()) =>
                    {
                        return Err(Restart(found.flatten().map(Box::new)));
                    }
                    Some(_) => {}
                    None => folding = None,
                }
            }
            let end = layer_end.min(work.visited + look.batch(work.visited));
            let end = limits.positions.map_or(end, |n| end.min(usize::try_from(n).unwrap_or(usize::MAX)));
            let flow = match look {
                ExploreReceiver::Visitor(visitor) => work.batch(end, *visitor),
                ExploreReceiver::Marker(machine, marker) => work.compiled_batch(end, machine, *marker),
            };
            if let ControlFlow::Break(ended) = flow {
                if work.unequal_ends {
                    let others = classes.and_then(|classes| (*classes).clone().without_exchange());
                    return Err(Restart(others.map(Box::new)));
                }
                break ended;
            }
            progress.positions(work.visited as u64, work.arena.held_bytes(0) + look.held_bytes(0));
        };
        if work.arena.len() > layer_end {
            layers.push(layer_end as u32);
        }
        let Exploration { arena, parents, visited, .. } = work;
        Ok(Explored { arena, ended, visited: visited as u32, game: game.clone(), parents, layers, classes })
    }
}

struct Exploration<'a> {
    game: &'a Game,
    /// The game on a machine that stops at the limits.
    bounded: Game,
    arena: PositionArena,
    parents: Vec<u32>,
    visited: usize,
    ply: u32,
    /// The classes of positions, if a position represents its class.
    classes: Option<&'a PositionClasses>,
    /// True if an end and its image with exchanged players have different results.
    unequal_ends: bool,
}

impl Exploration<'_> {
    fn represent(&self, state: &mut [u64]) {
        if let Some(classes) = self.classes {
            classes.represent(state);
        }
    }

    fn limit(&self, limits: &Limits, look: &ExploreReceiver<'_>) -> Option<LimitHit> {
        if limits.positions.is_some_and(|n| self.visited as u64 >= n) {
            return Some(LimitHit::Positions);
        }
        let batch = look.batch(self.visited);
        let extra = batch * 8;
        let held = self.arena.held_bytes(extra) + bytes_after_growth(&self.parents, extra);
        limits.check_held(held + look.held_bytes(batch))
    }

    /// Returns the index of a position reached from the position with index `from`; `None` if all indices are in use.
    fn reach(&mut self, hash: u32, words: &[u64], from: u32) -> Option<u32> {
        let i = self.arena.intern_words(hash, words)?;
        if i as usize == self.parents.len() {
            self.parents.push(from);
        }
        Some(i)
    }

    /// Expands the next positions up to `end` on all threads, then takes in the results one by one.
    fn batch(&mut self, end: usize, visitor: &mut dyn Visitor) -> ControlFlow<ExploreEnd> {
        let (bounded, arena) = (&self.bounded, &self.arena);
        let expand = |i: usize| {
            let state = arena.state(i as u32);
            let found = expand(bounded, &state);
            (state, found)
        };
        let results: Vec<_> = (self.visited..end).into_par_iter().with_min_len(8).map(expand).collect();
        let mut next = Vec::new();
        for (state, found) in results {
            let index = self.visited as u32;
            let flow = match found? {
                Ok((turn, successors)) => {
                    next.clear();
                    for successor in &successors {
                        let Some(i) = self.reach(hash(&successor.state.0), &successor.state.0, index) else {
                            return ControlFlow::Break(ExploreEnd::Limit(LimitHit::Memory));
                        };
                        next.push(i);
                    }
                    self.visited += 1;
                    let visit = VisitedPosition {
                        index,
                        ply: self.ply,
                        state: &state,
                        turn: &turn,
                        successors: &successors,
                        next: &next,
                    };
                    visitor.visit(&visit).map_break(|()| ExploreEnd::Stopped)
                }
                Err(kind) => {
                    self.visited += 1;
                    visitor.broken(index, &kind).map_break(|()| {
                        let line = shortest_play(self.game, &self.arena, &self.parents, index);
                        ExploreEnd::Broken(Box::new(FaultyPosition { line, state, kind }))
                    })
                }
            };
            flow?;
        }
        ControlFlow::Continue(())
    }
}

type ExpandResult = ControlFlow<ExploreEnd, Result<(ToMove, Vec<Successor>), PositionFault>>;

/// Returns the turn and moves of a position, or the kind of fault; breaks if a limit is reached first.
fn expand(game: &Game, state: &State) -> ExpandResult {
    ControlFlow::Continue(match game.machine.expand(state) {
        Ok((turn, successors)) if successors.is_empty() && !matches!(turn, ToMove::Terminal(_)) => {
            Err(PositionFault::Stuck)
        }
        Ok(found) => Ok(found),
        Err(MachineError::Fault(fault)) => Err(PositionFault::Fault(fault)),
        Err(MachineError::Limit(hit)) => return ControlFlow::Break(ExploreEnd::Limit(hit)),
    })
}

/// The number of reachable positions.
#[derive(Clone, PartialEq, Debug)]
pub struct PositionCount {
    /// The number of visited positions, the first one included.
    pub positions: u64,
    /// The number of terminal positions.
    pub terminal: u64,
    /// The terminal positions by outcome (payoffs and kind; rules and scores are not distinguished), best for the first
    /// player first.
    pub terminal_by_outcome: Vec<(Outcome, u64)>,
    /// The greatest number of moves that a position needs.
    pub max_ply: u32,
    /// True if these are all positions.
    pub complete: bool,
    /// The limit that was reached, if any.
    pub limit: Option<LimitHit>,
}

/// Counts the reachable positions; the first one without meaning is an error.
pub fn count_positions(
    game: &Game,
    from: &State,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<PositionCount, Box<FaultyPosition>> {
    if let Some(machine) = game.compiled().filter(|_| limits.positions.is_none())
        && let Some(count) = count_keys(machine, from, limits, progress)
    {
        return Ok(count);
    }
    let mut counter = OutcomeCounter::default();
    let request = ExplorationRequest { game, from: std::slice::from_ref(from), limits, progress };
    let explored = explore_indices(request, None, &mut counter);
    let limit = match &explored.ended {
        ExploreEnd::Broken(broken) => return Err(broken.clone()),
        ExploreEnd::Limit(hit) => Some(*hit),
        ExploreEnd::Complete | ExploreEnd::Stopped => None,
    };
    Ok(counter.count(explored.visited as u64, explored.max_ply(), limit))
}

/// Counts the positions of a compiled game in any order; `None` if the circuit alone cannot decide every position.
fn count_keys(
    machine: &Arc<CompiledMachine>,
    from: &State,
    limits: &Limits,
    progress: &dyn Progress,
) -> Option<PositionCount> {
    let (met, ended) = match count_numbers(machine, from, limits, progress) {
        Some(counted) => counted,
        None => {
            let (expander, from) = (Expander::new(machine), std::slice::from_ref(from));
            let (_, met, ended) = ReachableSet::<()>::search(&expander, from, None, limits, progress);
            (met, ended)
        }
    };
    let limit = match ended {
        reachable_set::SearchEnd::Undecided => return None,
        reachable_set::SearchEnd::Limit(hit) => Some(hit),
        reachable_set::SearchEnd::Complete | reachable_set::SearchEnd::Stopped => None,
    };
    let mut counter = OutcomeCounter::default();
    let mut endings: Vec<(&CircuitEnding, u64)> =
        met.endings.iter().map(|(ending, n)| (ending, *n)).collect();
    endings.sort_unstable_by(|(a, _), (b, _)| (a.ending, &a.scores).cmp(&(b.ending, &b.scores)));
    for (ending, n) in endings {
        counter.add(&machine.outcome(ending), n);
    }
    Some(counter.count(met.expanded, met.plies.len().saturating_sub(1) as u32, limit))
}

/// Counts the positions by a bitmap of dense indices; `None` if there are no such indices or too many.
fn count_numbers(
    machine: &Arc<CompiledMachine>,
    from: &State,
    limits: &Limits,
    progress: &dyn Progress,
) -> Option<(reachable_set::ReachStats, reachable_set::SearchEnd)> {
    let ranking = DenseIndex::of(machine.runner().circuit(), &machine.position(from)?)?;
    let mut goes_on = |_: &ReachableBitmap, _| ControlFlow::Continue(());
    match ReachableBitmap::begin(ranking).search(
        machine,
        BitmapSearchOptions::COUNT_ONLY,
        limits,
        progress,
        &mut goes_on,
    ) {
        Ok(met) => Some((met, reachable_set::SearchEnd::Complete)),
        Err((BitmapSearchEnd::Sparse, _)) => None,
        Err((BitmapSearchEnd::Ended(ended), met)) => Some((met, ended)),
    }
}

#[derive(Default)]
struct OutcomeCounter {
    outcomes: Vec<(Outcome, u64)>,
}

impl OutcomeCounter {
    fn add(&mut self, outcome: &Outcome, n: u64) {
        let same = |o: &Outcome| o.payoffs == outcome.payoffs && o.kind == outcome.kind;
        match self.outcomes.iter_mut().find(|(o, _)| same(o)) {
            Some((_, count)) => *count += n,
            None => self.outcomes.push((outcome.clone(), n)),
        }
    }

    fn count(mut self, positions: u64, max_ply: u32, limit: Option<LimitHit>) -> PositionCount {
        self.outcomes.sort_by(|(a, _), (b, _)| b.payoffs.cmp(&a.payoffs));
        PositionCount {
            positions,
            terminal: self.outcomes.iter().map(|(_, n)| n).sum(),
            terminal_by_outcome: self.outcomes,
            max_ply,
            complete: limit.is_none(),
            limit,
        }
    }
}

impl IndexVisitor for OutcomeCounter {
    fn mark(&mut self, mark: &IndexedPosition<'_>) -> ControlFlow<()> {
        if let ToMove::Terminal(outcome) = mark.turn {
            self.add(outcome, 1);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::toy::ToyGame;
    use super::*;
    use bouton_base::limits::NoProgress;

    /// A ladder of `n` rungs whose every node has two edges on, the last a win or a loss, with an edge back to the
    /// start.
    fn ladder(n: usize) -> Game {
        let mut toy = ToyGame::new(2);
        for i in 0..n {
            for side in 0..2 {
                toy.edge(2 * i + side, 2 * i + 3);
                toy.edge(2 * i + side, 2 * i + 2);
                toy.edge(2 * i + side, 0);
                toy.owner(2 * i + side, (i % 2) as u32);
            }
        }
        toy.over(2 * n, 1);
        toy.over(2 * n + 1, -1);
        toy.game()
    }

    #[test]
    fn positions_are_counted() {
        let game = ladder(50);
        let start = game.machine.initial();
        let count = count_positions(&game, &start, &Limits::default(), &NoProgress).unwrap();
        assert_eq!((count.positions, count.terminal, count.max_ply), (101, 2, 50));
        assert!(count.complete);
        assert!(count.terminal_by_outcome[0].0.payoffs > count.terminal_by_outcome[1].0.payoffs);
        let limits = Limits { positions: Some(10), ..Limits::default() };
        let count = count_positions(&game, &start, &limits, &NoProgress).unwrap();
        assert_eq!((count.positions, count.complete), (10, false));
        assert_eq!(count.limit, Some(LimitHit::Positions));
        let limits = Limits { memory_bytes: Some(1000), ..Limits::default() };
        let count = count_positions(&game, &start, &limits, &NoProgress).unwrap();
        assert_eq!(count.limit, Some(LimitHit::Memory));
    }

    struct Order(Vec<(u32, u32, Vec<u32>)>);

    impl Visitor for Order {
        fn visit(&mut self, visit: &VisitedPosition<'_>) -> ControlFlow<()> {
            self.0.push((visit.index, visit.ply, visit.next.to_vec()));
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn the_order_is_the_same_at_any_number_of_threads() {
        let game = ladder(2000);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut order = Order(Vec::new());
            let from = [game.machine.initial()];
            let explored =
                pool.install(|| explore(&game, &from, &Limits::default(), &NoProgress, &mut order));
            for (index, ply, _) in &order.0 {
                assert_eq!(explored.ply(*index), *ply);
            }
            (order.0, explored.shortest_play(999))
        };
        let (one, two) = (run(1), run(2));
        assert_eq!(one.1.len() as u32, one.0[999].1);
        assert_eq!(one, two);
    }

    #[test]
    fn broken_positions_come_with_a_shortest_play() {
        let mut toy = ToyGame::new(2);
        for (from, to) in [(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)] {
            toy.edge(from, to);
        }
        toy.fault(2);
        let game = toy.game();
        let error =
            count_positions(&game, &game.machine.initial(), &Limits::default(), &NoProgress).unwrap_err();
        assert_eq!((error.line.len(), error.state), (2, ToyGame::state(2)));
    }
}
