//! The reachable positions, explored breadth first.
//!
//! A [`Visitor`] receives the positions and the moves themselves. A [`Marker`] receives only their indices: then a
//! compiled game makes neither states nor moves one by one.
//!
//! Positions have indices in the order of discovery, so those of a ply follow those of the ply before. The indices are
//! the same at any number of threads: threads only expand positions, and one thread takes in the results in order.

use std::ops::ControlFlow;
use std::sync::Arc;

use rayon::prelude::*;

use num_rational::Rational64;

use super::arena::{Arena, hash};
use super::canonical::Canonical;
use super::closure::{self, Closure, Expander};
use super::compiled::CompiledMachine;
use super::ranked::{Ranked, Unranked, Wanted};
use super::ranking::Ranking;
use super::{Fault, Game, Halt, Outcome, Play, State, Successor, Turn};
use crate::base::limits::{LimitHit, Limits, Progress, held_with};
use crate::exec::Ending;

mod compiled;

/// The number of positions expanded together; small enough that a slow machine still notices a cancellation.
const BATCH: usize = 256;
/// The maximal number of positions of a compiled game that are expanded together.
const COMPILED_BATCH: usize = 4096;

/// A position in which the rules have no meaning, with a shortest play to it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{kind}")]
pub struct Broken {
    /// The moves from the start of exploration; the move that a fault names comes after them.
    pub line: Vec<Play>,
    pub state: State,
    /// The kind of fault.
    pub kind: BrokenKind,
}

/// The kind of fault in a position.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum BrokenKind {
    /// The rules contradict themselves in this position.
    #[error("{0}")]
    Fault(Fault),
    /// E0501: the game is not over and nobody can move.
    #[error("the game is not over and there is no move")]
    Stuck,
}

/// A position as a [`Visitor`] receives it.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// Its index.
    pub index: u32,
    /// The least number of moves to it.
    pub ply: u32,
    pub state: &'a State,
    /// The player or chance to act, or the outcome.
    pub turn: &'a Turn,
    /// The legal moves, in the order of the machine.
    pub successors: &'a [Successor],
    /// The indices of the positions after the moves.
    pub next: &'a [u32],
}

/// A receiver of positions. `Break` ends the exploration.
pub trait Visitor {
    /// Receives a position; each comes once, in the order of indices.
    fn visit(&mut self, visit: &Visit<'_>) -> ControlFlow<()>;
    /// Receives a position without meaning, at its place in the order.
    fn broken(&mut self, _index: u32, _kind: &BrokenKind) -> ControlFlow<()> {
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

/// A position by its index, as a [`Marker`] receives it.
#[derive(Clone, Copy, Debug)]
pub struct Mark<'a> {
    /// Its index.
    pub index: u32,
    /// The least number of moves to it.
    pub ply: u32,
    /// The player or chance to act, or the outcome.
    pub turn: &'a Turn,
    /// The probability of each move if chance acts; otherwise empty.
    pub probabilities: &'a [Rational64],
    /// The indices of the positions after the moves, in the machine's order of moves.
    pub next: &'a [u32],
}

/// A receiver of indices of positions. `Break` ends the exploration, and so does a position without meaning.
pub trait Marker {
    /// Receives a position; each comes once, in the order of indices.
    fn mark(&mut self, mark: &Mark<'_>) -> ControlFlow<()>;
    /// Signals that all positions of this ply were visited.
    fn layer(&mut self, _ply: u32) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// Forgets everything: positions come from the first again. Called only with a [`Folding`].
    fn restart(&mut self) {}
    /// Returns the number of bytes that the marker will hold after `extra` more positions.
    fn held_bytes(&self, _extra: usize) -> u64 {
        0
    }
}

/// Symmetry reduction that starts during the exploration, when it pays.
pub struct Folding<'a> {
    /// Finds the symmetries; called at most once.
    pub find: &'a dyn Fn() -> Option<Canonical>,
    /// The number of visited positions before which it does not start.
    pub from: usize,
}

impl Folding<'_> {
    /// Returns true if restarting up to symmetry pays after `visited` of `known` positions: the restart must never take
    /// more than a fifth longer, even if no further positions exist.
    fn pays(order: usize, visited: usize, known: usize) -> bool {
        // An image for each symmetry costs about a sixteenth of the other work for a position.
        let each = (1.0 + order as f64 / 16.0) / order as f64;
        visited as f64 + known as f64 * each <= 1.2 * known as f64
    }
}

/// A marker that receives fully expanded positions.
struct ByNumber<'a>(&'a mut dyn Marker);

impl Visitor for ByNumber<'_> {
    fn visit(&mut self, visit: &Visit<'_>) -> ControlFlow<()> {
        let &Visit { index, ply, turn, next, .. } = visit;
        let by_chance = visit.successors.iter().filter(|_| *turn == Turn::Chance);
        let probabilities: Vec<Rational64> = by_chance.map(|s| s.probability).collect();
        self.0.mark(&Mark { index, ply, turn, probabilities: &probabilities, next })
    }

    fn layer(&mut self, ply: u32) -> ControlFlow<()> {
        self.0.layer(ply)
    }

    fn held_bytes(&self, extra: usize) -> u64 {
        self.0.held_bytes(extra)
    }
}

/// The receiver of the exploration.
enum Look<'a> {
    /// It receives positions and moves.
    Visitor(&'a mut dyn Visitor),
    /// It receives the indices of the positions of a compiled game.
    Marker(&'a CompiledMachine, &'a mut dyn Marker),
}

/// A request to restart the exploration up to these symmetries.
struct Anew(Canonical);

impl Look<'_> {
    fn layer(&mut self, ply: u32) -> ControlFlow<()> {
        match self {
            Look::Visitor(visitor) => visitor.layer(ply),
            Look::Marker(_, marker) => marker.layer(ply),
        }
    }

    fn held_bytes(&self, extra: usize) -> u64 {
        match self {
            Look::Visitor(visitor) => visitor.held_bytes(extra),
            Look::Marker(_, marker) => marker.held_bytes(extra),
        }
    }

    /// Returns the number of positions expanded together after `visited` positions: few at first, because memory for
    /// many more may be missing.
    fn batch(&self, visited: usize) -> usize {
        match self {
            Look::Visitor(_) => BATCH,
            Look::Marker(..) => (visited / 8).clamp(BATCH, COMPILED_BATCH),
        }
    }
}

/// The reason why the exploration ended.
#[derive(Clone, Debug)]
pub enum Ended {
    /// Every position was visited.
    Complete,
    /// The visitor stopped it.
    Stopped,
    /// A limit was reached.
    Limit(LimitHit),
    /// The visitor stopped at a position without meaning.
    Broken(Box<Broken>),
}

/// The reachable positions found. Those from index [`visited`](Self::visited) on were reached, but not visited.
#[derive(Clone)]
pub struct Explored {
    pub arena: Arena,
    /// The reason why the exploration ended.
    pub ended: Ended,
    /// The number of visited positions; they come first in the arena.
    pub visited: u32,
    game: Game,
    /// The position from which each position was first reached; a start position is its own parent.
    parents: Vec<u32>,
    /// The first position of each ply.
    layers: Vec<u32>,
    /// The symmetries, if positions represent their orbits.
    canonical: Option<Arc<Canonical>>,
}

impl Explored {
    /// Returns the index of a position or of its representative; `None` if neither was reached.
    pub fn find(&self, state: &State) -> Option<u32> {
        match &self.canonical {
            Some(canonical) => {
                let mut words = state.0.clone();
                canonical.represent(&mut words);
                self.arena.find_words(hash(&words), &words)
            }
            None => self.arena.find(state),
        }
    }

    /// Returns true if positions represent their orbits under symmetry.
    pub fn is_up_to_symmetry(&self) -> bool {
        self.canonical.is_some()
    }

    /// Returns the number of positions that this one represents.
    pub fn orbit(&self, index: u32) -> u64 {
        self.canonical.as_ref().map_or(1, |canonical| canonical.orbit(&self.arena.state(index)))
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
    pub fn shortest_play(&self, index: u32) -> Vec<Play> {
        shortest_play(&self.game, &self.arena, &self.parents, index)
    }

    pub fn held_bytes(&self) -> u64 {
        let canonical = self.canonical.as_ref().map_or(0, |canonical| canonical.held_bytes());
        self.arena.held_bytes(0) + held_with(&self.parents, 0) + canonical
    }
}

/// Follows the parents back. They do not store the moves, so the machine generates them again.
fn shortest_play(game: &Game, arena: &Arena, parents: &[u32], index: u32) -> Vec<Play> {
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
    match run(game, from, limits, progress, (&mut Look::Visitor(visitor), None), None) {
        Ok(explored) => explored,
        Err(Anew(_)) => unreachable!("nothing is folded"),
    }
}

/// Visits every reachable position like [`explore`], but gives only indices: faster if the game is compiled.
pub fn enumerate(
    game: &Game,
    from: &[State],
    limits: &Limits,
    progress: &dyn Progress,
    mut folding: Option<&Folding<'_>>,
    marker: &mut dyn Marker,
) -> Explored {
    let Some(machine) = game.compiled() else {
        return explore(game, from, limits, progress, &mut ByNumber(marker));
    };
    let mut folded = None;
    loop {
        let look = &mut Look::Marker(machine, marker);
        match run(game, from, limits, progress, (look, folding), folded.clone()) {
            // Plays between representatives are no plays of the game, so a fault needs a search without symmetry.
            Ok(explored) if folded.is_some() && matches!(explored.ended, Ended::Broken(_)) => folded = None,
            Ok(explored) => return explored,
            Err(Anew(canonical)) => folded = Some(Arc::new(canonical)),
        }
        folding = None;
        marker.restart();
    }
}

fn run(
    game: &Game,
    from: &[State],
    limits: &Limits,
    progress: &dyn Progress,
    (look, mut folding): (&mut Look<'_>, Option<&Folding<'_>>),
    canonical: Option<Arc<Canonical>>,
) -> Result<Explored, Anew> {
    let bounded = game.within(limits);
    let mut work = Work {
        game,
        bounded,
        arena: Arena::default(),
        parents: Vec::new(),
        visited: 0,
        ply: 0,
        canonical: canonical.as_deref(),
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
                break Ended::Stopped;
            }
            if layer_end == work.arena.len() {
                break Ended::Complete;
            }
            layers.push(layer_end as u32);
            work.ply += 1;
            layer_end = work.arena.len();
        }
        if let Some(hit) = work.limit(limits, look) {
            break Ended::Limit(hit);
        }
        if let Some(told) = folding.filter(|_| work.visited >= next_look) {
            next_look = (2 * work.visited).max(1);
            let canonical: &Option<Canonical> = found.get_or_insert_with(|| (told.find)());
            match canonical {
                Some(canonical) if Folding::pays(canonical.order(), work.visited, work.arena.len()) => {
                    return Err(Anew(found.flatten().expect("it was found")));
                }
                Some(_) => {}
                None => folding = None,
            }
        }
        let end = layer_end.min(work.visited + look.batch(work.visited));
        let end = limits.positions.map_or(end, |n| end.min(usize::try_from(n).unwrap_or(usize::MAX)));
        let flow = match look {
            Look::Visitor(visitor) => work.batch(end, *visitor),
            Look::Marker(machine, marker) => work.compiled_batch(end, machine, *marker),
        };
        if let ControlFlow::Break(ended) = flow {
            break ended;
        }
        progress.positions(work.visited as u64, work.arena.held_bytes(0) + look.held_bytes(0));
    };
    if work.arena.len() > layer_end {
        layers.push(layer_end as u32);
    }
    let Work { arena, parents, visited, .. } = work;
    Ok(Explored { arena, ended, visited: visited as u32, game: game.clone(), parents, layers, canonical })
}

struct Work<'a> {
    game: &'a Game,
    /// The game on a machine that stops at the limits.
    bounded: Game,
    arena: Arena,
    parents: Vec<u32>,
    visited: usize,
    ply: u32,
    /// The symmetries, if positions represent their orbits.
    canonical: Option<&'a Canonical>,
}

impl Work<'_> {
    fn represent(&self, state: &mut [u64]) {
        if let Some(canonical) = self.canonical {
            canonical.represent(state);
        }
    }

    fn limit(&self, limits: &Limits, look: &Look<'_>) -> Option<LimitHit> {
        if limits.positions.is_some_and(|n| self.visited as u64 >= n) {
            return Some(LimitHit::Positions);
        }
        let batch = look.batch(self.visited);
        let extra = batch * 8;
        let held = self.arena.held_bytes(extra) + held_with(&self.parents, extra);
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
    fn batch(&mut self, end: usize, visitor: &mut dyn Visitor) -> ControlFlow<Ended> {
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
                            return ControlFlow::Break(Ended::Limit(LimitHit::Memory));
                        };
                        next.push(i);
                    }
                    self.visited += 1;
                    let visit = Visit {
                        index,
                        ply: self.ply,
                        state: &state,
                        turn: &turn,
                        successors: &successors,
                        next: &next,
                    };
                    visitor.visit(&visit).map_break(|()| Ended::Stopped)
                }
                Err(kind) => {
                    self.visited += 1;
                    visitor.broken(index, &kind).map_break(|()| {
                        let line = shortest_play(self.game, &self.arena, &self.parents, index);
                        Ended::Broken(Box::new(Broken { line, state, kind }))
                    })
                }
            };
            flow?;
        }
        ControlFlow::Continue(())
    }
}

type Expanded = ControlFlow<Ended, Result<(Turn, Vec<Successor>), BrokenKind>>;

/// Returns the turn and moves of a position, or the kind of fault; breaks if a limit is reached first.
fn expand(game: &Game, state: &State) -> Expanded {
    ControlFlow::Continue(match game.machine.expand(state) {
        Ok((turn, successors)) if successors.is_empty() && !matches!(turn, Turn::Over(_)) => {
            Err(BrokenKind::Stuck)
        }
        Ok(found) => Ok(found),
        Err(Halt::Fault(fault)) => Err(BrokenKind::Fault(fault)),
        Err(Halt::Limit(hit)) => return ControlFlow::Break(Ended::Limit(hit)),
    })
}

/// The number of reachable positions.
#[derive(Clone, PartialEq, Debug)]
pub struct Count {
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
) -> Result<Count, Box<Broken>> {
    if let Some(machine) = game.compiled().filter(|_| limits.positions.is_none())
        && let Some(count) = count_keys(machine, from, limits, progress)
    {
        return Ok(count);
    }
    let mut counter = Counter::default();
    let explored = enumerate(game, std::slice::from_ref(from), limits, progress, None, &mut counter);
    let limit = match &explored.ended {
        Ended::Broken(broken) => return Err(broken.clone()),
        Ended::Limit(hit) => Some(*hit),
        Ended::Complete | Ended::Stopped => None,
    };
    Ok(counter.count(explored.visited as u64, explored.max_ply(), limit))
}

/// Counts the positions of a compiled game in any order; `None` if the circuit alone cannot decide every position.
fn count_keys(
    machine: &Arc<CompiledMachine>,
    from: &State,
    limits: &Limits,
    progress: &dyn Progress,
) -> Option<Count> {
    let (met, ended) = match count_numbers(machine, from, limits, progress) {
        Some(counted) => counted,
        None => {
            let (expander, from) = (Expander::new(machine), std::slice::from_ref(from));
            let (_, met, ended) = Closure::<()>::gather(&expander, from, None, limits, progress);
            (met, ended)
        }
    };
    let limit = match ended {
        closure::Ended::Odd => return None,
        closure::Ended::Limit(hit) => Some(hit),
        closure::Ended::Complete | closure::Ended::Left => None,
    };
    let mut counter = Counter::default();
    let mut endings: Vec<(&Ending, u64)> = met.endings.iter().map(|(ending, n)| (ending, *n)).collect();
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
) -> Option<(closure::Met, closure::Ended)> {
    let ranking = Ranking::of(machine.runner().circuit(), &machine.position(from)?)?;
    let mut goes_on = |_: &Ranked, _| ControlFlow::Continue(());
    match Ranked::begin(ranking).gather(machine, Wanted::ONCE, limits, progress, &mut goes_on) {
        Ok(met) => Some((met, closure::Ended::Complete)),
        Err((Unranked::Sparse, _)) => None,
        Err((Unranked::Ended(ended), met)) => Some((met, ended)),
    }
}

#[derive(Default)]
struct Counter {
    outcomes: Vec<(Outcome, u64)>,
}

impl Counter {
    fn add(&mut self, outcome: &Outcome, n: u64) {
        let same = |o: &Outcome| o.payoffs == outcome.payoffs && o.kind == outcome.kind;
        match self.outcomes.iter_mut().find(|(o, _)| same(o)) {
            Some((_, count)) => *count += n,
            None => self.outcomes.push((outcome.clone(), n)),
        }
    }

    fn count(mut self, positions: u64, max_ply: u32, limit: Option<LimitHit>) -> Count {
        self.outcomes.sort_by(|(a, _), (b, _)| b.payoffs.cmp(&a.payoffs));
        Count {
            positions,
            terminal: self.outcomes.iter().map(|(_, n)| n).sum(),
            terminal_by_outcome: self.outcomes,
            max_ply,
            complete: limit.is_none(),
            limit,
        }
    }
}

impl Marker for Counter {
    fn mark(&mut self, mark: &Mark<'_>) -> ControlFlow<()> {
        if let Turn::Over(outcome) = mark.turn {
            self.add(outcome, 1);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::toy::Toy;
    use super::*;
    use crate::base::limits::Silent;

    /// A ladder of `n` rungs whose every node has two edges on, the last a win or a loss, with an edge back to the
    /// start.
    fn ladder(n: usize) -> Game {
        let mut toy = Toy::new(2);
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
        let count = count_positions(&game, &start, &Limits::default(), &Silent).unwrap();
        assert_eq!((count.positions, count.terminal, count.max_ply), (101, 2, 50));
        assert!(count.complete);
        assert!(count.terminal_by_outcome[0].0.payoffs > count.terminal_by_outcome[1].0.payoffs);
        let limits = Limits { positions: Some(10), ..Limits::default() };
        let count = count_positions(&game, &start, &limits, &Silent).unwrap();
        assert_eq!((count.positions, count.complete), (10, false));
        assert_eq!(count.limit, Some(LimitHit::Positions));
        let limits = Limits { memory_bytes: Some(1000), ..Limits::default() };
        let count = count_positions(&game, &start, &limits, &Silent).unwrap();
        assert_eq!(count.limit, Some(LimitHit::Memory));
    }

    struct Order(Vec<(u32, u32, Vec<u32>)>);

    impl Visitor for Order {
        fn visit(&mut self, visit: &Visit<'_>) -> ControlFlow<()> {
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
            let explored = pool.install(|| explore(&game, &from, &Limits::default(), &Silent, &mut order));
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
        let mut toy = Toy::new(2);
        for (from, to) in [(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)] {
            toy.edge(from, to);
        }
        toy.fault(2);
        let game = toy.game();
        let error = count_positions(&game, &game.machine.initial(), &Limits::default(), &Silent).unwrap_err();
        assert_eq!((error.line.len(), error.state), (2, Toy::state(2)));
    }
}
