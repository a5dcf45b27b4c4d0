//! All positions that play can reach, breadth first.
//!
//! Who looks at positions and moves themselves is a [`Visitor`], who needs only their numbers a [`Marker`]: then a
//! compiled game makes neither states nor moves one by one.
//!
//! Positions are numbered as they are found, so those of a ply follow those of the ply before, and the numbers are
//! the same at any number of threads: threads only expand, one hand takes the results in order.

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

/// How many positions are expanded together; small enough that a slow machine still notices an interruption.
const BATCH: usize = 256;
/// The same for compiled games, at most.
const COMPILED_BATCH: usize = 4096;

/// A position in which the rules have no meaning, with a shortest play to it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{kind}")]
pub struct Broken {
    /// The moves from where exploring began; the move a fault speaks of comes after them.
    pub line: Vec<Play>,
    /// The position.
    pub state: State,
    /// What is wrong with it.
    pub kind: BrokenKind,
}

/// What is wrong with a position.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum BrokenKind {
    /// The rules contradict themselves here.
    #[error("{0}")]
    Fault(Fault),
    /// E0501: the game is not over and nobody can move.
    #[error("the game is not over and there is no move")]
    Stuck,
}

/// A position as it is visited.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// Its number.
    pub index: u32,
    /// The fewest moves to it.
    pub ply: u32,
    /// The position.
    pub state: &'a State,
    /// Who acts.
    pub turn: &'a Turn,
    /// The moves, as the machine orders them.
    pub successors: &'a [Successor],
    /// The numbers of the positions they lead to.
    pub next: &'a [u32],
}

/// Who looks at the positions. `Break` ends exploring.
pub trait Visitor {
    /// A position; each comes once, in the order of the numbers.
    fn visit(&mut self, visit: &Visit<'_>) -> ControlFlow<()>;
    /// A position without meaning, in its place in the order.
    fn broken(&mut self, _index: u32, _kind: &BrokenKind) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
    /// All positions of this ply were visited.
    fn layer(&mut self, _ply: u32) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// The bytes the visitor will hold after so many more positions.
    fn held_bytes(&self, _extra: usize) -> u64 {
        0
    }
}

/// A position by its number.
#[derive(Clone, Copy, Debug)]
pub struct Mark<'a> {
    /// Its number.
    pub index: u32,
    /// The fewest moves to it.
    pub ply: u32,
    /// Who acts.
    pub turn: &'a Turn,
    /// Where chance acts, the probability of each move; otherwise empty.
    pub probabilities: &'a [Rational64],
    /// The numbers of the positions that the moves lead to, as the machine orders the moves.
    pub next: &'a [u32],
}

/// Who needs only the numbers of positions. `Break` ends exploring, and so does a position without meaning.
pub trait Marker {
    /// A position; each comes once, in the order of the numbers.
    fn mark(&mut self, mark: &Mark<'_>) -> ControlFlow<()>;
    /// All positions of this ply were visited.
    fn layer(&mut self, _ply: u32) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// Everything is to be forgotten: positions come from the first again. Only with a [`Folding`].
    fn restart(&mut self) {}
    /// The bytes the marker will hold after so many more positions.
    fn held_bytes(&self, _extra: usize) -> u64 {
        0
    }
}

/// Positions may be taken together that a symmetry of the game takes to each other, once it is seen that this pays.
pub struct Folding<'a> {
    /// What tells which; asked once.
    pub find: &'a dyn Fn() -> Option<Canonical>,
    /// Not before so many positions were visited.
    pub from: usize,
}

impl Folding<'_> {
    /// Beginning anew is worth it if so many positions were visited and so many are known to come: it must never take
    /// more than a fifth longer, even if no more are found.
    fn pays(order: usize, visited: usize, known: usize) -> bool {
        // An image for each symmetry costs about a sixteenth of what else is done for a position.
        let each = (1.0 + order as f64 / 16.0) / order as f64;
        visited as f64 + known as f64 * each <= 1.2 * known as f64
    }
}

/// A marker that is shown everything.
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

/// Who looks, and at what.
enum Look<'a> {
    /// At positions and moves.
    Visitor(&'a mut dyn Visitor),
    /// At the numbers of the positions of a compiled game.
    Marker(&'a CompiledMachine, &'a mut dyn Marker),
}

/// All is to begin anew, up to these symmetries.
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

    /// How many positions are expanded together once so many were: few at first, where room for many more may be
    /// missing.
    fn batch(&self, visited: usize) -> usize {
        match self {
            Look::Visitor(_) => BATCH,
            Look::Marker(..) => (visited / 8).clamp(BATCH, COMPILED_BATCH),
        }
    }
}

/// Why exploring ended.
#[derive(Clone, Debug)]
pub enum Ended {
    /// Every position was visited.
    Complete,
    /// The visitor had enough.
    Stopped,
    /// A limit was reached.
    Limit(LimitHit),
    /// The visitor stopped at a position without meaning.
    Broken(Box<Broken>),
}

/// The positions found. Those from [`visited`](Self::visited) on were reached and not looked at.
#[derive(Clone)]
pub struct Explored {
    /// The positions.
    pub arena: Arena,
    /// Why it ended.
    pub ended: Ended,
    /// How many positions were visited; they are the first.
    pub visited: u32,
    game: Game,
    /// From where each position was first reached; itself for those exploring began with.
    parents: Vec<u32>,
    /// The first position of each ply.
    layers: Vec<u32>,
    /// Where positions stand for others, too: for which.
    canonical: Option<Arc<Canonical>>,
}

impl Explored {
    /// The number of a position, or of the one that stands for it; none where neither came.
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

    /// Whether positions stand for others that are like them.
    pub fn is_up_to_symmetry(&self) -> bool {
        self.canonical.is_some()
    }

    /// How many positions one stands for.
    pub fn orbit(&self, index: u32) -> u64 {
        self.canonical.as_ref().map_or(1, |canonical| canonical.orbit(&self.arena.state(index)))
    }

    /// The fewest moves to a position.
    pub fn ply(&self, index: u32) -> u32 {
        self.layers.partition_point(|&first| first <= index).saturating_sub(1) as u32
    }

    /// The greatest number of plies to a visited position.
    pub fn max_ply(&self) -> u32 {
        self.visited.checked_sub(1).map_or(0, |last| self.ply(last))
    }

    /// A shortest play to a position: always the same one.
    pub fn shortest_play(&self, index: u32) -> Vec<Play> {
        shortest_play(&self.game, &self.arena, &self.parents, index)
    }

    /// The bytes held.
    pub fn held_bytes(&self) -> u64 {
        let canonical = self.canonical.as_ref().map_or(0, |canonical| canonical.held_bytes());
        self.arena.held_bytes(0) + held_with(&self.parents, 0) + canonical
    }
}

/// Only the parents are kept; which move it was is asked of the machine again.
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

/// Visits every position that can be reached from these, as far as the limits allow.
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

/// The same for who needs only numbers: faster where the game is compiled.
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
            // Play from a position that stands for another cannot be told: a mistake is looked for without.
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
    /// What stands for what.
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

    /// The number of a position that the position of this number leads to; none where the numbers are used up.
    fn reach(&mut self, hash: u32, words: &[u64], from: u32) -> Option<u32> {
        let i = self.arena.intern_words(hash, words)?;
        if i as usize == self.parents.len() {
            self.parents.push(from);
        }
        Some(i)
    }

    /// Expands the next positions up to `end` on all threads, then takes them in one by one.
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

/// What is there, or what is wrong with the position; it breaks off where a limit is reached first.
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

/// How many positions there are.
#[derive(Clone, PartialEq, Debug)]
pub struct Count {
    /// Positions visited, the first among them.
    pub positions: u64,
    /// Those where the game is over.
    pub terminal: u64,
    /// The same by what the game gave (payoffs and words; rules and scores are not told apart), best for the first
    /// player first.
    pub terminal_by_outcome: Vec<(Outcome, u64)>,
    /// The greatest number of moves that a position needs.
    pub max_ply: u32,
    /// Whether these are all.
    pub complete: bool,
    /// The limit that was reached, if one was.
    pub limit: Option<LimitHit>,
}

/// Counts the positions that can be reached; the first that has no meaning is an error.
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

/// The same for a compiled game, where nobody asks in which order positions come; none where the circuit alone does not
/// know everything.
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

/// The same where positions are numbers without gaps, as far as these are not too many.
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

    /// A ladder of `n` rungs whose every node has two ways on, the last a win or a loss, with a way back to the start.
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
