//! Breadth-first search for the reachable set, ply by ply.
//!
//! Technique: each step has two halves. First, threads expand some positions each and partition the successors by their
//! hash; then each part of the set inserts its own keys. So no two threads write to one table. Steps grow with the set,
//! and successors are partitioned more finely than the set: slots of a table follow the hash, so keys that are looked
//! up together lie close together, and stay in the cache until the next lookup.
//! Source: Stern, Dill, "Parallelizing the Murphi verifier" (1997) for partitioning by hash; Manegold, Boncz, Kersten,
//! "Optimizing main-memory join on modern hardware" (2002) for partitioning on one processor, too.
//! Cost: a key and a value for each position, in tables mostly more than half full, since the next ply is expected to
//! grow as the last one did; and the keys of two plies.
//! *Invariant:* steps are cut the same way on every machine, so the set, its layout and the point where a limit ends it
//! do not depend on the number of threads.
//! If each position comes at one ply only, each ply has its own parts, and lookups concern only those of the next ply.
//! Between two steps all threads are at a barrier, where the set can be saved as a checkpoint. A checkpoint needs only
//! the ply and the part being expanded: resuming expands the positions of that part again, which finds the same
//! successors and changes nothing.
//! Not taken: one table that all threads write to, since its layout depends on the order of the writes.

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;

use super::{
    EndingHistogram, ExpandError, ExpandScratch, Expander, PART_BITS, PARTS, PositionMark, ReachStats,
    ReachableSet, SearchEnd, SearchProgress, append, list, part,
};
use crate::game::keys::{KeyEncoding, KeyShape};
use bouton_base::key_table::{KeyTable, hash};
use bouton_base::limits::{LimitHit, Limits, Progress, bytes_after_growth};
use bouton_circuit::ControlId;

/// The maximal number of parts that grow at once: meanwhile both their old and their new slots are held.
const MAX_GROWING_PARTS: usize = 8;
/// The number of pieces of a step, which any thread may take.
const PIECES_PER_STEP: usize = 16;
/// The number of tasks for start positions that run before the set inserts their positions.
const START_TASKS_PER_ROUND: usize = 64;
/// The number of moves aimed at for a step while the set is small: they stay in the cache.
const SMALL_STEP_MOVES: u64 = 1 << 18;
/// If the set is large, the keys of a step may take the set's bytes divided by the first number, since a step may visit
/// the whole set; but at most the second number of bytes.
const STEP_BYTES_LIMIT: (u64, u64) = (4, 1 << 28);
/// The minimal number of positions of a step, and the divisor of its target number of moves that gives the maximal
/// number.
const STEP_POSITIONS_LIMIT: (u64, u64) = (64, 8);
/// The number of positions that a piece expands between two checks of the limits.
const POLL_INTERVAL: usize = 1 << 12;
/// The maximal factor by which a ply is expected to grow.
const MAX_PLY_GROWTH: f64 = 8.0;
/// The number of positions below which a step runs on one thread.
const MIN_PARALLEL_POSITIONS: usize = 256;

/// A callback at a barrier, where all threads are at rest: it receives the set and the progress, and decides whether
/// the search continues.
pub type BarrierCallback<'r, M> = dyn FnMut(&ReachableSet<M>, SearchProgress) -> ControlFlow<()> + 'r;

/// The positions of a ply: their keys by the parts of the set.
struct Frontier {
    keys: Vec<Vec<u64>>,
    /// True if keys are stored; positions that will never be expanded are only counted.
    listed: bool,
    positions: u64,
}

impl Frontier {
    fn new() -> Frontier {
        Frontier { keys: vec![Vec::new(); PARTS], listed: true, positions: 0 }
    }

    fn add(&mut self, part: usize, key: &[u64]) {
        append(&mut self.keys[part], key);
        self.positions += 1;
    }

    fn held_bytes(&self) -> u64 {
        self.keys.iter().map(|keys| bytes_after_growth(keys, 0)).sum()
    }

    /// Returns the part of the position with this index, counted through all parts; `None` past the last position.
    fn part_of(&self, width: usize, number: usize) -> Option<usize> {
        let mut end = 0;
        self.keys.iter().position(|keys| {
            end += keys.len() / width;
            number < end
        })
    }

    /// Translates the keys of the positions to another encoding.
    fn with_keys(&mut self, old: &KeyEncoding, new: &KeyEncoding) {
        let mut lists = vec![Vec::new(); PARTS];
        let mut again = KeyTranslator::new(old, new);
        for keys in &mut self.keys {
            for key in std::mem::take(keys).chunks_exact(old.width()) {
                let key = again.key(key);
                append(&mut lists[part(hash(key))], key);
            }
        }
        self.keys = lists;
    }

    /// Passes the keys of the positions in a range of indices, counted through all parts, to `run`, in runs.
    fn each<'a>(&'a self, width: usize, range: Range<usize>, mut run: impl FnMut(&'a [u64])) {
        let mut first = 0;
        for keys in &self.keys {
            let end = first + keys.len() / width;
            let (from, to) = (range.start.max(first), range.end.min(end));
            if from < to {
                run(&keys[(from - first) * width..(to - first) * width]);
            }
            first = end;
        }
    }
}

/// A translator of keys from one encoding to another.
struct KeyTranslator<'k> {
    old: &'k KeyEncoding,
    new: &'k KeyEncoding,
    words: Vec<u64>,
    key: Vec<u64>,
}

impl<'k> KeyTranslator<'k> {
    fn new(old: &'k KeyEncoding, new: &'k KeyEncoding) -> KeyTranslator<'k> {
        KeyTranslator { old, new, words: vec![0; old.words()], key: vec![0; new.width()] }
    }

    fn key(&mut self, key: &[u64]) -> &[u64] {
        let control = self.old.unpack(key, &mut self.words);
        let held = self.new.pack(control, &self.words, &mut self.key);
        assert!(held, "wider keys hold what the others did");
        &self.key
    }
}

/// A running search for the reachable set.
pub struct ReachabilitySearch<'a, M> {
    expander: &'a Expander,
    pub(super) closure: ReachableSet<M>,
    /// The keys that are new in this ply.
    fresh: Frontier,
    /// The keys of the ply being expanded.
    frontier: Frontier,
    /// The parts that insert the new keys.
    into: Range<usize>,
    pub(super) met: ReachStats,
}

impl<'a, M: PositionMark> ReachabilitySearch<'a, M> {
    /// Creates a search without positions. A shape describes the common bits of the first positions: then keys are
    /// packed, and become wider when moves lead beyond the shape.
    pub fn new(expander: &'a Expander, shape: Option<KeyShape>) -> ReachabilitySearch<'a, M> {
        let circuit = expander.circuit();
        let keys =
            shape.map_or_else(|| KeyEncoding::of(circuit), |shape| KeyEncoding::packed(circuit, &shape));
        ReachabilitySearch {
            closure: ReachableSet::empty(keys, None),
            expander,
            fresh: Frontier::new(),
            frontier: Frontier::new(),
            into: 0..PARTS,
            met: ReachStats::default(),
        }
    }

    /// Creates a search for a game in which each position comes at one ply only: each ply has its own parts, and
    /// lookups concern one ply.
    pub fn with_parts_per_ply(expander: &'a Expander) -> ReachabilitySearch<'a, M> {
        let keys = KeyEncoding::of(expander.circuit());
        ReachabilitySearch {
            closure: ReachableSet::empty(keys, Some(1)),
            ..ReachabilitySearch::new(expander, None)
        }
    }

    /// Resumes a search from a checkpoint; the marks tell the ply at which each position was first reached. Without
    /// `reached`, none of the start positions was expanded.
    pub fn resume(
        expander: &'a Expander,
        closure: ReachableSet<M>,
        reached: Option<SearchProgress>,
    ) -> ReachabilitySearch<'a, M> {
        let (mut frontier, mut fresh, mut plies) = (Frontier::new(), Frontier::new(), Vec::new());
        for (i, part) in closure.parts.iter().enumerate() {
            for (slot, mark) in part.values().iter().enumerate() {
                let (Some(key), Some(ply)) = (part.key(slot), mark.ply()) else { continue };
                let Some(reached) = reached.filter(|reached| ply <= reached.ply) else {
                    fresh.add(i % PARTS, key);
                    continue;
                };
                plies.resize(plies.len().max(ply as usize + 1), 0);
                plies[ply as usize] += 1;
                if ply == reached.ply && i % PARTS >= reached.part {
                    frontier.add(i % PARTS, key);
                }
            }
        }
        ReachabilitySearch {
            closure,
            expander,
            fresh,
            frontier,
            into: 0..PARTS,
            met: ReachStats { plies, ..ReachStats::default() },
        }
    }

    /// Adds a start position, or its representative.
    pub fn add_start(&mut self, control: ControlId, words: &[u64]) {
        let mut least = words.to_vec();
        if let Some(canonical) = &self.expander.canonical {
            canonical.canonicalize_words(&mut least);
        }
        let give = |_, first: &mut StartReceiver<'_>| {
            first.add(control, &least);
            Ok(())
        };
        let begun: Result<(), LimitHit> = self.add_starts(0..1, &Limits::default(), give, |_, _| Ok(()));
        begun.expect("nothing limits one position");
    }

    /// Adds the start positions that tasks give, in the order of the tasks; several tasks may run at once, and a task
    /// may run twice. `tell` receives their results at a barrier.
    pub fn add_starts<T: Send, E: From<LimitHit> + Send>(
        &mut self,
        tasks: Range<usize>,
        limits: &Limits,
        give: impl Fn(usize, &mut StartReceiver<'_>) -> Result<T, E> + Sync,
        mut tell: impl FnMut(&ReachableSet<M>, Vec<T>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut pieces: Vec<StepPiece> =
            (0..tasks.len().min(START_TASKS_PER_ROUND)).map(|_| StepPiece::default()).collect();
        let mut from = tasks.start;
        while from < tasks.end {
            let (finer, keys) = (self.closure.extra_bits(self.into.clone()), &self.closure.keys);
            let pieces = &mut pieces[..START_TASKS_PER_ROUND.min(tasks.end - from)];
            let run = |(i, piece): (usize, &mut StepPiece)| {
                piece.begin(finer);
                give(from + i, &mut StartReceiver { keys, piece, key: vec![0; keys.width()] })
            };
            let all = pieces.par_iter_mut().enumerate().with_max_len(1);
            let given: Vec<Result<T, E>> = all.map(run).collect();
            let given: Vec<T> = given.into_iter().collect::<Result<_, E>>()?;
            if self.widened(pieces) {
                continue;
            }
            if let Some(hit) = limits.check_held(self.held_after(pieces)) {
                return Err(hit.into());
            }
            self.take_in(pieces, 0);
            self.met.held_bytes = self.met.held_bytes.max(self.held_bytes(pieces));
            from += pieces.len();
            tell(&self.closure, given)?;
        }
        Ok(())
    }

    /// Widens the keys for the positions of the pieces that have no key yet; returns true if there were any.
    fn widened(&mut self, pieces: &mut [StepPiece]) -> bool {
        let outside: Vec<u64> =
            pieces.iter_mut().flat_map(|piece| std::mem::take(&mut piece.outside)).collect();
        if !outside.is_empty() {
            self.widen(&outside);
        }
        !outside.is_empty()
    }

    /// Widens the keys so that they encode these positions, too, given by their words.
    fn widen(&mut self, positions: &[u64]) {
        let ReachableSet { keys, parts, .. } = &self.closure;
        let keys = keys.wider(self.expander.circuit(), positions, |each| {
            let mut words = vec![0; keys.words()];
            for part in parts {
                for key in (0..part.capacity()).filter_map(|slot| part.key(slot)) {
                    keys.unpack(key, &mut words);
                    each(&words);
                }
            }
        });
        let wider = ReachableSet::empty(keys.clone(), self.closure.plies_apart());
        let mut old = std::mem::replace(&mut self.closure, wider);
        let mut again = KeyTranslator::new(&old.keys, &keys);
        for (i, table) in old.parts.iter_mut().enumerate() {
            let table = std::mem::replace(table, KeyTable::new(1, 0));
            let of = i / PARTS * PARTS;
            let mut lists = vec![(Vec::new(), Vec::new()); PARTS];
            for (slot, mark) in table.values().iter().enumerate() {
                if let Some(key) = table.key(slot) {
                    let key = again.key(key);
                    let (keys, marks) = &mut lists[part(hash(key))];
                    append(keys, key);
                    marks.push(*mark);
                }
            }
            drop(table);
            for (part, (keys, marks)) in self.closure.parts[of..of + PARTS].iter_mut().zip(lists) {
                let mut marks = marks.into_iter();
                part.insert_all(0..=u64::MAX, [&keys[..]].into_iter(), |_, mark, _| {
                    *mark = marks.next().expect("a mark for each key");
                });
            }
        }
        self.frontier.with_keys(&old.keys, &keys);
        self.fresh.with_keys(&old.keys, &keys);
    }

    /// Runs the search up to `plies` plies.
    pub fn run(
        mut self,
        plies: Option<u32>,
        limits: &Limits,
        progress: &dyn Progress,
        at_rest: &mut BarrierCallback<'_, M>,
    ) -> (ReachableSet<M>, ReachStats, SearchEnd) {
        let ended = self.gather(plies, limits, progress, at_rest);
        (self.closure, self.met, ended)
    }

    fn gather(
        &mut self,
        plies: Option<u32>,
        limits: &Limits,
        progress: &dyn Progress,
        at_rest: &mut BarrierCallback<'_, M>,
    ) -> SearchEnd {
        let mut pieces: Vec<StepPiece> = (0..PIECES_PER_STEP).map(|_| StepPiece::default()).collect();
        let left = |ply: u32| plies.map(|plies| plies.saturating_sub(ply));
        // A resumed search is in the middle of a ply.
        let first = self.met.plies.len().saturating_sub(1) as u32;
        if self.met.plies.is_empty() {
            self.next_ply(limits, left(first));
        }
        for ply in first.. {
            let positions = self.frontier.positions as usize;
            if positions == 0 || left(ply) == Some(0) {
                return SearchEnd::Complete;
            }
            self.into = self.closure.open(ply + 1);
            let before = self.met.clone();
            let mut from = 0;
            while from < positions {
                if let Some(hit) = limits.check_held(self.held_bytes(&pieces)) {
                    return SearchEnd::Limit(hit);
                }
                let to = positions.min(from + self.step(limits, &mut pieces));
                if let Some(ended) = self.expand(from..to, &mut pieces, limits) {
                    return ended;
                }
                if self.widened(&mut pieces) {
                    // Under other keys positions come in another order, so the ply starts again from its first
                    // position: it finds the same successors again, and changes nothing.
                    self.met = ReachStats { held_bytes: self.met.held_bytes, ..before.clone() };
                    from = 0;
                    continue;
                }
                if let Some(hit) = limits.check_held(self.held_after(&pieces)) {
                    return SearchEnd::Limit(hit);
                }
                self.take_in(&pieces, ply + 1);
                self.met.expanded += (to - from) as u64;
                from = to;
                let held = self.held_bytes(&pieces);
                self.met.held_bytes = self.met.held_bytes.max(held);
                progress.positions(self.met.expanded, held);
                let goes_on = from < positions || self.fresh.positions > 0;
                if goes_on && at_rest(&self.closure, self.reached(ply, from)).is_break() {
                    return SearchEnd::Stopped;
                }
            }
            self.next_ply(limits, left(ply + 1));
        }
        SearchEnd::Complete
    }

    /// Returns the progress after `looked_at` expanded positions of a ply.
    fn reached(&self, ply: u32, looked_at: usize) -> SearchProgress {
        match self.frontier.part_of(self.closure.keys.width(), looked_at) {
            Some(part) => SearchProgress { ply, part },
            None => SearchProgress { ply: ply + 1, part: 0 },
        }
    }

    /// Makes the new positions the frontier, if any plies are left. Only the set stores the keys of the ply after the
    /// last expanded one.
    fn next_ply(&mut self, limits: &Limits, left: Option<u32>) {
        let (done, last) = (left == Some(0), left == Some(1));
        std::mem::swap(&mut self.frontier, &mut self.fresh);
        let (before, now) = (self.met.plies.last().copied().unwrap_or(0), self.frontier.positions);
        self.fresh.positions = 0;
        self.fresh.listed = !last;
        // Large plies release their memory, small ones keep it.
        let room = if last {
            0
        } else {
            MIN_PARALLEL_POSITIONS.max(now as usize / PARTS) * self.closure.keys.width()
        };
        for keys in &mut self.fresh.keys {
            keys.clear();
            keys.shrink_to(room);
        }
        if now > 0 {
            self.met.plies.push(now);
            if self.closure.plies_apart().is_some() {
                // No more keys arrive in these parts.
                for parts in self.closure.parts[self.into.clone()].chunks_mut(MAX_GROWING_PARTS) {
                    parts.par_iter_mut().for_each(KeyTable::shrink_to_fit);
                }
            }
            self.into = self.closure.open(self.met.plies.len() as u32);
        }
        if !done {
            self.expect(limits, before, now);
        }
    }

    /// Reserves memory for the next ply as if it grew like this one, if the limits allow it.
    fn expect(&mut self, limits: &Limits, before: u64, now: u64) {
        let each = (now as f64 * (now as f64 / before.max(1) as f64).min(MAX_PLY_GROWTH)) as usize / PARTS;
        if before < SMALL_STEP_MOVES || each == 0 {
            return;
        }
        let parts = &self.closure.parts[self.into.clone()];
        let (all, olds): (Vec<u64>, Vec<u64>) = parts.iter().map(|part| part.held_reserved(each)).unzip();
        let more = all.iter().sum::<u64>() - self.closure.held_by(self.into.clone());
        if limits.check_held(self.held_bytes(&[]) + more + at_once(&olds)).is_none() {
            for parts in self.closure.parts[self.into.clone()].chunks_mut(MAX_GROWING_PARTS) {
                parts.par_iter_mut().for_each(|part| part.reserve(each));
            }
        }
    }

    /// Returns the maximal number of moves of a step if there is memory for them.
    fn large_step(&self) -> u64 {
        let bytes = (self.closure.held_by(self.into.clone()) / STEP_BYTES_LIMIT.0).min(STEP_BYTES_LIMIT.1);
        SMALL_STEP_MOVES.max(bytes / (8 * self.closure.keys.width() as u64))
    }

    /// Returns the number of positions of the next step, from the mean number of moves so far. If large steps may take
    /// too much memory, the pieces release theirs.
    fn step(&self, limits: &Limits, pieces: &mut [StepPiece]) -> usize {
        let mut moves = self.large_step();
        if moves > SMALL_STEP_MOVES {
            let each = moves as usize / PARTS;
            let parts = self.closure.parts[self.into.clone()].iter();
            let (parts, olds): (Vec<u64>, Vec<u64>) = parts.map(|part| part.held_with(each)).unzip();
            let lists = 3 * moves * 8 * self.closure.keys.width() as u64;
            let others = self.held_bytes(&[]) - self.closure.held_by(self.into.clone());
            let held = others + parts.iter().sum::<u64>();
            if limits.check_held(held + at_once(&olds) + lists).is_some() {
                moves = SMALL_STEP_MOVES;
                pieces.iter_mut().for_each(|piece| piece.to = Vec::new());
            }
        }
        let mean = self.met.moves / self.met.expanded.max(1) + 1;
        let known = if self.met.expanded == 0 { STEP_POSITIONS_LIMIT.0 } else { moves / mean };
        known.clamp(STEP_POSITIONS_LIMIT.0, moves / STEP_POSITIONS_LIMIT.1) as usize
    }

    fn held_bytes(&self, pieces: &[StepPiece]) -> u64 {
        let pieces: u64 = pieces.iter().map(StepPiece::held_bytes).sum();
        self.closure.held_bytes() + self.frontier.held_bytes() + self.fresh.held_bytes() + pieces
    }

    /// Returns the peak number of bytes held while the parts insert the keys of the pieces.
    fn held_after(&self, pieces: &[StepPiece]) -> u64 {
        let width = self.closure.keys.width();
        let mut olds = Vec::new();
        let mut sum = self.held_bytes(pieces);
        let parts = self.closure.parts[self.into.clone()].iter();
        for (i, (part, fresh)) in parts.zip(&self.fresh.keys).enumerate() {
            let words: usize = pieces.iter().flat_map(|piece| piece.of(i)).map(Vec::len).sum();
            let (bytes, old) = part.held_with(words / width);
            let listed = if self.fresh.listed { words } else { 0 };
            sum +=
                bytes - part.held_bytes() + bytes_after_growth(fresh, listed) - bytes_after_growth(fresh, 0);
            olds.push(old);
        }
        sum + at_once(&olds)
    }

    /// Expands some positions of the ply into the pieces; returns the reason why the search ends, if it does.
    fn expand(
        &mut self,
        range: Range<usize>,
        pieces: &mut [StepPiece],
        limits: &Limits,
    ) -> Option<SearchEnd> {
        let (expander, keys, frontier) = (self.expander, &self.closure.keys, &self.frontier);
        let (each, finer) =
            (range.len().div_ceil(PIECES_PER_STEP), self.closure.extra_bits(self.into.clone()));
        let run = |(i, piece): (usize, &mut StepPiece)| {
            piece.begin(finer);
            let from = range.start + i * each;
            frontier.each(keys.width(), from..range.end.min(from + each), |run| {
                piece.expand(expander, keys, run, limits);
            });
        };
        if range.len() < MIN_PARALLEL_POSITIONS {
            pieces.iter_mut().enumerate().for_each(run);
        } else {
            pieces.par_iter_mut().enumerate().with_max_len(1).for_each(run);
        }
        let mut ended = None;
        for piece in pieces {
            ended = ended.or(piece.ended.take());
            self.met.moves += piece.moves;
            piece.endings.drain_to(&mut self.met.endings);
        }
        ended
    }

    /// Inserts the keys of the pieces: each part takes its own.
    fn take_in(&mut self, pieces: &[StepPiece], ply: u32) {
        let listed = self.fresh.listed;
        let run = |(i, (part, fresh)): (usize, (&mut KeyTable<M>, &mut Vec<u64>))| {
            let before = part.len();
            // All pieces of one step are partitioned alike.
            let finer = pieces.first().map_or(0, |piece| piece.finer);
            for list in i << finer..(i + 1) << finer {
                let bits = PART_BITS + finer;
                let first = (list as u64) << (u64::BITS - bits);
                let lists = pieces.iter().map(|piece| &piece.to[list][..]);
                part.insert_all(first..=first | u64::MAX >> bits, lists, |key, mark, new| {
                    mark.reached(ply, new);
                    if new && listed {
                        append(fresh, key);
                    }
                });
            }
            (part.len() - before) as u64
        };
        let few = pieces.iter().map(|piece| piece.moves).sum::<u64>() < MIN_PARALLEL_POSITIONS as u64;
        let parts = self.closure.parts[self.into.clone()].chunks_mut(MAX_GROWING_PARTS);
        let parts = parts.zip(self.fresh.keys.chunks_mut(MAX_GROWING_PARTS));
        for (group, (parts, fresh)) in parts.enumerate() {
            let first = group * MAX_GROWING_PARTS;
            self.fresh.positions += if few {
                let all = parts.iter_mut().zip(fresh).enumerate();
                all.map(|(i, each)| run((first + i, each))).sum::<u64>()
            } else {
                let all = parts.par_iter_mut().zip(fresh).enumerate().with_max_len(1);
                all.map(|(i, each)| run((first + i, each))).sum()
            };
        }
    }
}

/// Returns the maximal number of bytes of old slots that are held at once while parts grow.
fn at_once(olds: &[u64]) -> u64 {
    olds.chunks(MAX_GROWING_PARTS).map(|olds| olds.iter().sum()).max().unwrap_or(0)
}

/// A receiver of start positions.
pub struct StartReceiver<'p> {
    keys: &'p KeyEncoding,
    piece: &'p mut StepPiece,
    key: Vec<u64>,
}

impl StartReceiver<'_> {
    /// Adds a position as it is, without canonicalizing it.
    pub fn add(&mut self, control: ControlId, words: &[u64]) {
        if self.keys.pack(control, words, &mut self.key) {
            self.piece.add(&self.key);
        } else {
            self.piece.outside.extend(words);
        }
    }
}

/// The successors of some positions, partitioned by `finer` more bits of the hash than the set.
#[derive(Default)]
struct StepPiece {
    to: Vec<Vec<u64>>,
    finer: u32,
    moves: u64,
    endings: EndingHistogram,
    /// The reason why the search ends.
    ended: Option<SearchEnd>,
    /// The words of positions that have no key of this encoding.
    outside: Vec<u64>,
    room: ExpandScratch,
}

impl StepPiece {
    fn begin(&mut self, finer: u32) {
        self.to.resize_with(PARTS << finer, Vec::new);
        self.to.iter_mut().for_each(Vec::clear);
        self.outside.clear();
        (self.finer, self.moves, self.ended) = (finer, 0, None);
    }

    /// Returns the lists of a part of the set: the hashes of one list are less than those of the next.
    fn of(&self, part: usize) -> &[Vec<u64>] {
        let lists = part << self.finer..(part + 1) << self.finer;
        self.to.get(lists).unwrap_or_default()
    }

    #[inline]
    fn add(&mut self, key: &[u64]) {
        self.moves += 1;
        append(&mut self.to[list(hash(key), self.finer)], key);
    }

    /// Adds the successors of the positions with these keys.
    fn expand(&mut self, expander: &Expander, keys: &KeyEncoding, run: &[u64], limits: &Limits) {
        let mut room = std::mem::take(&mut self.room);
        for run in run.chunks(POLL_INTERVAL * keys.width()) {
            if let Some(hit) = limits.check() {
                self.ended = Some(SearchEnd::Limit(hit));
                break;
            }
            for key in run.chunks_exact(keys.width()) {
                match expander.children(keys, key, &mut room, |key| self.add(key)) {
                    Ok(None) => {}
                    Ok(Some(ending)) => self.endings.add(ending),
                    Err(ExpandError::Undecided) => self.ended = Some(SearchEnd::Undecided),
                    Err(ExpandError::NoKey) => self.outside.extend(room.positions()),
                }
            }
        }
        self.room = room;
    }

    fn held_bytes(&self) -> u64 {
        self.to.iter().map(|to| bytes_after_growth(to, 0)).sum::<u64>()
            + bytes_after_growth(&self.room.records, 0)
    }
}
