//! Exploration of a compiled game: threads expand chunks of a ply without making states, and one thread takes in the
//! results.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::{Broken, Ended, Expanded, Mark, Marker, Work, expand, shortest_play};
use crate::base::limits::LimitHit;
use crate::circuit::Position;
use crate::exec::{Children, Status};
use crate::game::arena::{Arena, hash};
use crate::game::canonical::Canonical;
use crate::game::compiled::{CompiledMachine, held};
use crate::game::{Acting, Game, Outcome, State, Turn};

/// The number of positions that one thread takes at a time.
const CHUNK: usize = 256;

/// Some positions of a compiled game, expanded by one thread.
#[derive(Default)]
struct Chunk {
    met: Vec<Met>,
    /// The positions after the moves, in the order of moves.
    words: Vec<u64>,
    /// For each of these positions its hash, and its index if it was known before.
    known: Vec<(u32, Option<u32>)>,
}

/// An expanded position of a compiled game.
enum Met {
    /// This player acts, and has this number of moves.
    Player(u32, usize),
    Over(Outcome),
    /// The machine expanded a position that the circuit cannot decide.
    Odd(Box<(State, Expanded)>),
}

impl Chunk {
    fn expand(
        game: &Game,
        machine: &CompiledMachine,
        arena: &Arena,
        canonical: Option<&Canonical>,
        range: std::ops::Range<usize>,
    ) -> Chunk {
        let mut chunk = Chunk::default();
        let mut children = Children::default();
        let mut order: Vec<(u32, usize)> = Vec::new();
        for i in range {
            let words = arena.words(i as u32);
            let known = held(words).and_then(|(control, words)| {
                children.moves.clear();
                children.words.clear();
                let at = Position { control, words: words.into() };
                match machine.runner().children(&at, &mut children).ok()? {
                    Status::Over(ending) => Some(Met::Over(machine.outcome(&ending))),
                    // Nobody can move, and the machine reports the fault.
                    Status::Open if children.moves.is_empty() => None,
                    Status::Open => match machine.acting(control) {
                        Acting::Player(player) => Some(Met::Player(player, children.moves.len())),
                        Acting::Each | Acting::Chance => None,
                    },
                }
            });
            if let Some(Met::Player(..)) = known {
                let rank = |(at, &(group, lane)): (usize, &(_, u32))| (machine.rank(group, lane), at);
                order.clear();
                order.extend(children.moves.iter().enumerate().map(rank));
                order.sort_unstable();
                let width = words.len();
                for &(_, at) in &order {
                    let begin = chunk.words.len();
                    chunk.words.extend_from_slice(&children.words[at * width..(at + 1) * width]);
                    if let Some(canonical) = canonical {
                        canonical.represent(&mut chunk.words[begin..]);
                    }
                }
            }
            chunk.met.push(known.unwrap_or_else(|| {
                let state = arena.state(i as u32);
                let mut found = expand(game, &state);
                if let (Some(canonical), ControlFlow::Continue(Ok((_, successors)))) = (canonical, &mut found)
                {
                    successors.iter_mut().for_each(|to| canonical.represent(&mut to.state.0));
                }
                Met::Odd(Box::new((state, found)))
            }));
        }
        // Table lookups take most of the time: here the cache misses of many positions overlap, on every thread.
        let known = |words: &[u64]| {
            let hash = hash(words);
            (hash, arena.find_words(hash, words))
        };
        let width = machine.runner().circuit().layout.words as usize + 1;
        chunk.known = chunk.words.chunks_exact(width).map(known).collect();
        chunk
    }
}

impl Work<'_> {
    /// Expands the next positions of a compiled game on all threads, then takes in the results one by one.
    pub(super) fn compiled_batch(
        &mut self,
        end: usize,
        machine: &CompiledMachine,
        marker: &mut dyn Marker,
    ) -> ControlFlow<Ended> {
        let (bounded, arena, canonical, first) = (&self.bounded, &self.arena, self.canonical, self.visited);
        let width = machine.runner().circuit().layout.words as usize + 1;
        let expand = |i: usize| {
            let start = first + i * CHUNK;
            Chunk::expand(bounded, machine, arena, canonical, start..end.min(start + CHUNK))
        };
        let chunks: Vec<Chunk> = (0..(end - first).div_ceil(CHUNK)).into_par_iter().map(expand).collect();
        let mut next = Vec::new();
        for Chunk { met, words, known } in chunks {
            let mut reached = words.chunks_exact(width).zip(known);
            for met in met {
                let index = self.visited as u32;
                next.clear();
                let mut probabilities = Vec::new();
                let turn = match met {
                    Met::Over(outcome) => Turn::Over(outcome),
                    Met::Player(player, moves) => {
                        for (words, (hash, known)) in reached.by_ref().take(moves) {
                            let Some(i) = known.or_else(|| self.reach(hash, words, index)) else {
                                return ControlFlow::Break(Ended::Limit(LimitHit::Memory));
                            };
                            next.push(i);
                        }
                        Turn::Player(player)
                    }
                    Met::Odd(odd) => {
                        let (state, found) = *odd;
                        match found? {
                            Ok((turn, successors)) => {
                                for successor in &successors {
                                    let Some(i) =
                                        self.reach(hash(&successor.state.0), &successor.state.0, index)
                                    else {
                                        return ControlFlow::Break(Ended::Limit(LimitHit::Memory));
                                    };
                                    next.push(i);
                                    if turn == Turn::Chance {
                                        probabilities.push(successor.probability);
                                    }
                                }
                                turn
                            }
                            Err(kind) => {
                                self.visited += 1;
                                let line = shortest_play(self.game, &self.arena, &self.parents, index);
                                return ControlFlow::Break(Ended::Broken(Box::new(Broken {
                                    line,
                                    state,
                                    kind,
                                })));
                            }
                        }
                    }
                };
                self.visited += 1;
                let probabilities = &probabilities;
                let mark = Mark { index, ply: self.ply, turn: &turn, probabilities, next: &next };
                marker.mark(&mark).map_break(|()| Ended::Stopped)?;
            }
        }
        ControlFlow::Continue(())
    }
}
