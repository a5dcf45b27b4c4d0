//! Exploration of a compiled game: threads expand chunks of a ply without making states, and one thread takes in the
//! results.

use std::ops::ControlFlow;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    ExpandResult, Exploration, ExploreEnd, FaultyPosition, IndexVisitor, IndexedPosition, expand,
    shortest_play,
};
use crate::game::arena::{PositionArena, hash};
use crate::game::compiled::{CompiledMachine, circuit_part, probabilities};
use crate::game::position_classes::PositionClasses;
use crate::game::{Acting, Game, Outcome, State, ToMove};
use bouton_backend::{Children, Status};
use bouton_base::limits::LimitHit;
use bouton_base::rational::Rational;
use bouton_circuit::Position;

/// The number of positions that one thread takes at a time.
const CHUNK_POSITIONS: usize = 256;

/// Some positions of a compiled game, expanded by one thread.
#[derive(Default)]
struct ExpandedChunk {
    met: Vec<ExpandedPosition>,
    /// The positions after the moves, in the order of moves.
    words: Vec<u64>,
    /// For each of these positions its hash, and its index if it was known before.
    known: Vec<(u32, Option<u32>)>,
    /// With classes of positions: for each of these positions, true if its players were exchanged.
    exchanged: Vec<bool>,
    /// True if an end and its image with exchanged players have different results.
    unequal_ends: bool,
}

/// An expanded position of a compiled game.
enum ExpandedPosition {
    /// This player acts, and has this number of moves.
    Player(u32, usize),
    /// Chance acts, with these probabilities.
    Chance(Arc<[Rational]>),
    Over(Outcome),
    /// The machine expanded a position that the circuit cannot decide.
    /// With classes of positions, the last part tells for each successor whether its players were exchanged.
    ByMachine(Box<(State, ExpandResult, Vec<bool>)>),
}

/// The probabilities by the weights of events: most chance positions of a game have the same few lists.
#[derive(Default)]
struct Distributions {
    weights: Vec<u64>,
    known: FxHashMap<Box<[u64]>, Arc<[Rational]>>,
}

impl Distributions {
    /// Returns the probabilities of events with these weights; `None` if a weight's share has no value.
    fn of(&mut self, weights: impl Iterator<Item = u64>) -> Option<Arc<[Rational]>> {
        self.weights.clear();
        self.weights.extend(weights);
        if let Some(known) = self.known.get(&*self.weights) {
            return Some(known.clone());
        }
        let shares: Arc<[Rational]> = probabilities(self.weights.iter().copied())?.into();
        self.known.insert(self.weights.as_slice().into(), shares.clone());
        Some(shares)
    }
}

impl ExpandedPosition {
    /// Returns the outcome, if the game is over.
    fn outcome(&self) -> Option<&Outcome> {
        match self {
            ExpandedPosition::Over(outcome) => Some(outcome),
            ExpandedPosition::ByMachine(expanded) => match &expanded.1 {
                ControlFlow::Continue(Ok((ToMove::Terminal(outcome), _))) => Some(outcome),
                _ => None,
            },
            ExpandedPosition::Player(..) | ExpandedPosition::Chance(_) => None,
        }
    }
}

impl ExpandedChunk {
    fn expand(
        game: &Game,
        machine: &CompiledMachine,
        arena: &PositionArena,
        classes: Option<&PositionClasses>,
        range: std::ops::Range<usize>,
    ) -> ExpandedChunk {
        let mut chunk = ExpandedChunk::default();
        let mut children = Children::default();
        let mut order: Vec<(u32, usize)> = Vec::new();
        let mut distributions = Distributions::default();
        for i in range {
            let words = arena.words(i as u32);
            let known = circuit_part(words).and_then(|(control, words)| {
                children.clear();
                let at = Position { control, words: words.into() };
                match machine.runner().children(&at, &mut children).ok()? {
                    Status::Over(ending) => Some(ExpandedPosition::Over(machine.outcome(&ending))),
                    // Nobody can move, and the machine reports the fault.
                    Status::Open if children.moves.is_empty() => None,
                    Status::Open => {
                        let rank = |(at, &(group, lane)): (usize, &(_, u32))| (machine.rank(group, lane), at);
                        order.clear();
                        order.extend(children.moves.iter().enumerate().map(rank));
                        order.sort_unstable();
                        match machine.acting(control) {
                            Acting::Player(player) => {
                                Some(ExpandedPosition::Player(player, children.moves.len()))
                            }
                            Acting::Chance => {
                                let weights = order.iter().map(|&(_, at)| children.weights[at]);
                                Some(ExpandedPosition::Chance(distributions.of(weights)?))
                            }
                            Acting::Each => None,
                        }
                    }
                }
            });
            if let Some(ExpandedPosition::Player(..) | ExpandedPosition::Chance(_)) = known {
                let width = words.len();
                for &(_, at) in &order {
                    let begin = chunk.words.len();
                    chunk.words.extend_from_slice(&children.words[at * width..(at + 1) * width]);
                    if let Some(classes) = classes {
                        let exchanged = classes.represent(&mut chunk.words[begin..]);
                        chunk.exchanged.push(exchanged);
                    }
                }
            }
            let known = known.unwrap_or_else(|| {
                let state = arena.state(i as u32);
                let mut found = expand(game, &state);
                let mut exchanged = Vec::new();
                if let (Some(classes), ControlFlow::Continue(Ok((_, successors)))) = (classes, &mut found) {
                    exchanged.extend(successors.iter_mut().map(|to| classes.represent(&mut to.state.0)));
                }
                ExpandedPosition::ByMachine(Box::new((state, found, exchanged)))
            });
            if let (Some(classes), Some(outcome)) = (classes, known.outcome()) {
                chunk.unequal_ends |= !classes.exchanges_payoffs(machine, words, outcome);
            }
            chunk.met.push(known);
        }
        // Table lookups take most of the time: here all threads do them.
        chunk.known = arena.find_all(&chunk.words, machine.runner().circuit().layout.words as usize + 1);
        chunk
    }
}

impl Exploration<'_> {
    /// Expands the next positions of a compiled game on all threads, then takes in the results one by one.
    pub(super) fn compiled_batch(
        &mut self,
        end: usize,
        machine: &CompiledMachine,
        marker: &mut dyn IndexVisitor,
    ) -> ControlFlow<ExploreEnd> {
        let (bounded, arena, classes, first) = (&self.bounded, &self.arena, self.classes, self.visited);
        let width = machine.runner().circuit().layout.words as usize + 1;
        let expand = |i: usize| {
            let start = first + i * CHUNK_POSITIONS;
            ExpandedChunk::expand(bounded, machine, arena, classes, start..end.min(start + CHUNK_POSITIONS))
        };
        let chunks: Vec<ExpandedChunk> =
            (0..(end - first).div_ceil(CHUNK_POSITIONS)).into_par_iter().map(expand).collect();
        let (mut next, mut swapped) = (Vec::new(), Vec::new());
        self.unequal_ends = chunks.iter().any(|chunk| chunk.unequal_ends);
        if self.unequal_ends {
            return ControlFlow::Break(ExploreEnd::Stopped);
        }
        for ExpandedChunk { met, words, known, exchanged, .. } in chunks {
            let mut exchanged = exchanged.into_iter();
            let new = known.iter().filter(|(_, index)| index.is_none());
            new.for_each(|&(hash, _)| self.arena.prefetch(hash));
            let mut reached = words.chunks_exact(width).zip(known);
            for met in met {
                let index = self.visited as u32;
                next.clear();
                swapped.clear();
                let mut probabilities: Arc<[Rational]> = Arc::default();
                let mut take_moves = |explored: &mut Self, moves| {
                    for (words, (hash, known)) in reached.by_ref().take(moves) {
                        next.push(known.or_else(|| explored.reach(hash, words, index))?);
                    }
                    swapped.extend(exchanged.by_ref().take(moves));
                    Some(())
                };
                let too_many = ControlFlow::Break(ExploreEnd::Limit(LimitHit::Memory));
                let turn =
                    match met {
                        ExpandedPosition::Over(outcome) => ToMove::Terminal(outcome),
                        ExpandedPosition::Player(player, moves) => {
                            if take_moves(self, moves).is_none() {
                                return too_many;
                            }
                            ToMove::Player(player)
                        }
                        ExpandedPosition::Chance(shares) => {
                            if take_moves(self, shares.len()).is_none() {
                                return too_many;
                            }
                            probabilities = shares;
                            ToMove::Chance
                        }
                        ExpandedPosition::ByMachine(odd) => {
                            let (state, found, exchanged) = *odd;
                            swapped = exchanged;
                            match found? {
                                Ok((turn, successors)) => {
                                    for successor in &successors {
                                        let Some(i) =
                                            self.reach(hash(&successor.state.0), &successor.state.0, index)
                                        else {
                                            return too_many;
                                        };
                                        next.push(i);
                                    }
                                    if turn == ToMove::Chance {
                                        probabilities = successors
                                            .into_iter()
                                            .map(|successor| successor.probability)
                                            .collect();
                                    }
                                    turn
                                }
                                Err(kind) => {
                                    self.visited += 1;
                                    let line = shortest_play(self.game, &self.arena, &self.parents, index);
                                    return ControlFlow::Break(ExploreEnd::Broken(Box::new(
                                        FaultyPosition { line, state, kind },
                                    )));
                                }
                            }
                        }
                    };
                self.visited += 1;
                let probabilities = &*probabilities;
                let (ply, exchanged) = (self.ply, &*swapped);
                let mark = IndexedPosition { index, ply, turn: &turn, probabilities, next: &next, exchanged };
                marker.mark(&mark).map_break(|()| ExploreEnd::Stopped)?;
            }
        }
        ControlFlow::Continue(())
    }
}
