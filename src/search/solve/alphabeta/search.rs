//! The search itself: tests of one position, with a stack of frames instead of recursion.

use std::sync::Arc;

use self::moves::{ETC_MIN_NODES, EVALUATE_MIN_NODES};
use super::captures::only_cleared;
use super::null_windows::{Bisection, DriverFactory, WindowStart};
use crate::game::{CompiledMachine, Game};
use crate::solve::extract::{SearchEngine, SearchInterrupted};
use crate::solve::leaf_value::{LeafValues, SearchObjective, WIN_SCORE, best_endings};
use crate::solve::ranking_function::RankingFunction;
use crate::solve::symmetry_state::{SYMMETRY_AFTER_NODES, SymmetryState};
use crate::solve::transpositions::{SCORE_MAX, SCORE_MIN, TranspositionEntry, TranspositionTable, hash};
use bouton_backend::{Lookahead, LookaheadResult, PositionRef};
use bouton_base::limits::{LimitHit, Limits, Progress};
use bouton_circuit::{ControlId, GroupId, Position, Stmt, StmtBlock, TerminalTest};
use bouton_lower::{self as lower, Lowered};

mod moves;

/// The number of positions between two checks of the limits.
const POLL_INTERVAL: u64 = 1 << 12;

/// The number of random games that estimate the length of a game.
const LENGTH_SAMPLE_GAMES: u64 = 16;
/// The maximal length of a random game, in plies; a longer one is broken off.
const MAX_SAMPLE_PLIES: u32 = 300;

/// A move to search.
#[derive(Clone, Copy)]
struct Candidate {
    /// The offset of the words of the position it leads to; its control follows them.
    offset: usize,
    /// The priority: the search tries greater values first.
    priority: u64,
    /// The index of the move among all moves of its position.
    index: u32,
    made: (GroupId, u32),
}

/// A position on the path of the search.
struct AlphaBetaFrame {
    /// The offset of its words.
    offset: usize,
    /// The offset of the words that are its key in the table: its own, or those of its canonical form.
    key: usize,
    hash: u64,
    /// The index of its first move, and of the move to search next; the moves are sorted, the best first.
    first: usize,
    next: usize,
    /// The offset of the records of its moves.
    records: usize,
    /// The threshold of the test: does the first player get at least this?
    t: i32,
    /// True if the first player moves.
    maximises: bool,
    /// The best bound of the moves already searched.
    best: i32,
    /// The number of positions visited before it.
    nodes_before: u64,
    /// The set of the controls of the positions before it since the rank last rose.
    controls: u64,
}

/// The state of the search: the data that persist from one test to the next, and the path to the current position.
pub(super) struct AlphaBetaSearch<'a> {
    machine: &'a CompiledMachine,
    scout: Arc<dyn Lookahead + 'a>,
    limits: &'a Limits,
    progress: &'a dyn Progress,
    worth: LeafValues<'a>,
    measure: RankingFunction,
    table: TranspositionTable,
    /// Makes the driver of the tests for each value.
    driver: DriverFactory,
    /// The game, if its rules have an `evaluate`.
    guesses: Option<&'a Game>,
    symmetries: SymmetryState<'a>,
    /// The number of words of a state, and of a record.
    size: usize,
    record: usize,
    /// By control: true if the first player acts.
    turns: Vec<bool>,
    /// True if players take turns and win by moves of their own only, so that the player to move wins in an odd
    /// number of plies and loses in an even one.
    wins_are_own: bool,
    /// By control: the bits that its moves only clear (captures).
    captured_bits: Vec<Vec<u64>>,
    frames: Vec<AlphaBetaFrame>,
    moves: Vec<Candidate>,
    /// The position that the search begins with, followed by the keys and records of the frames.
    words: Vec<u64>,
    /// The offset of the next records.
    top: usize,
    /// By group and lane: the amount of work that a move has saved (history heuristic).
    history: Vec<Vec<u64>>,
    /// By ply: the last two moves that caused a cutoff (killers).
    killers: Vec<[(GroupId, u32); 2]>,
    /// By ply: a running mean of the number of positions that the search of one position there takes.
    sizes: Vec<u64>,
    /// A buffer for a batch of lookups in the table: the words of the keys, and their hashes.
    probe_buffer: (Vec<u64>, Vec<u64>),
    /// The number of positions visited.
    nodes: u64,
    /// The maximal number of positions to visit.
    max_nodes: u64,
    /// True if the next test searches its first position even if the table has the answer.
    search_root_again: bool,
}

/// The result of visiting a position.
enum VisitOutcome {
    /// The position has this bound.
    Bound(i32),
    /// The position needs a search: its frame is on the stack.
    Pushed,
}

impl AlphaBetaFrame {
    /// Returns the offset where its part of the words begins.
    fn bottom(&self) -> usize {
        if self.key == self.offset { self.records } else { self.key }
    }

    /// Returns the bound that answers the test, if it follows from the moves already searched and from the least and
    /// the greatest worth that the other moves can have for the player to move.
    fn answer(&self, least: i32, most: i32) -> Option<i32> {
        let (low, high) = match self.maximises {
            true => (self.best.max(least), self.best.max(most)),
            false => (self.best.min(-most), self.best.min(-least)),
        };
        if low >= self.t { Some(low) } else { (high < self.t).then_some(high) }
    }
}

impl<'a> AlphaBetaSearch<'a> {
    /// Creates a search with this ranking function and this table, without symmetries.
    pub fn new(
        asked: SearchObjective<'a>,
        measure: RankingFunction,
        table: TranspositionTable,
        limits: &'a Limits,
        progress: &'a dyn Progress,
    ) -> AlphaBetaSearch<'a> {
        let machine = asked.machine;
        let circuit = machine.runner().circuit();
        let turns = circuit.controls.ids().map(|id| machine.actor(id) == 0).collect();
        let scout = machine.runner().lookahead(&best_endings(asked));
        AlphaBetaSearch {
            machine,
            size: circuit.layout.words as usize,
            record: scout.record_words(),
            scout,
            limits,
            progress,
            worth: LeafValues::new(asked),
            measure,
            table,
            driver: Bisection::begin,
            guesses: Some(asked.game).filter(|game| game.rules.evaluate.is_some()),
            symmetries: SymmetryState::None,
            turns,
            wins_are_own: wins_are_own(machine),
            captured_bits: only_cleared(circuit),
            frames: Vec::new(),
            moves: Vec::new(),
            words: Vec::new(),
            top: 0,
            history: Vec::new(),
            killers: Vec::new(),
            sizes: Vec::new(),
            probe_buffer: (Vec::new(), Vec::new()),
            nodes: 0,
            max_nodes: u64::MAX,
            search_root_again: false,
        }
    }

    /// Returns the same search, which then uses these symmetries.
    pub fn with_symmetries(self, symmetries: SymmetryState<'a>) -> AlphaBetaSearch<'a> {
        AlphaBetaSearch { symmetries, ..self }
    }

    /// Returns the same search with other drivers of its tests.
    pub fn with_driver(self, driver: DriverFactory) -> AlphaBetaSearch<'a> {
        AlphaBetaSearch { driver, ..self }
    }

    /// Tests whether the first player gets at least `t`. The result is a lower bound of the value if it is at least
    /// `t`, and an upper bound otherwise.
    ///
    /// The bound may be better than the test requires: it holds all the same.
    fn test(&mut self, at: &Position, t: i32) -> Result<i32, SearchInterrupted> {
        if t <= self.worth.asked.range.0 {
            return Ok(self.worth.asked.range.0);
        }
        if t > self.worth.asked.range.1 {
            return Ok(self.worth.asked.range.1);
        }
        self.repeat_test(at, t)
    }

    /// Begins a new question, as opposed to one of the tests that answer it.
    pub fn begin(&mut self) {
        self.table.begin_question();
    }

    /// Makes a test, and repeats it after each change of the ranking function.
    fn repeat_test(&mut self, at: &Position, t: i32) -> Result<i32, SearchInterrupted> {
        loop {
            self.frames.clear();
            self.moves.clear();
            self.words.clear();
            self.words.extend_from_slice(&at.words);
            self.words.push(u64::from(at.control.0));
            self.top = self.words.len();
            self.symmetries.activate_for(&at.words);
            match self.descend(t) {
                Err(SearchInterrupted::Restart) => {}
                result => return result,
            }
        }
    }

    fn descend(&mut self, t: i32) -> Result<i32, SearchInterrupted> {
        let mut look = self.visit(0, 0, t)?;
        loop {
            let bound = match look {
                VisitOutcome::Bound(bound) => Some(bound),
                VisitOutcome::Pushed => None,
            };
            let Some(frame) = self.frames.last() else { return Ok(bound.unwrap_or(SCORE_MIN)) };
            let (t, maximises) = (frame.t, frame.maximises);
            if let Some(bound) = bound {
                let bound = self.parent_value(bound);
                let frame = self.frames.last_mut().expect("it was there");
                let done = self.moves[frame.next - 1];
                if maximises == (bound >= t) {
                    self.reward(done.made);
                    look = VisitOutcome::Bound(self.leave(bound, Some(done.index)));
                    continue;
                }
                frame.best = if maximises { frame.best.max(bound) } else { frame.best.min(bound) };
            }
            let frame = self.frames.last_mut().expect("it was there");
            let Some(&next) = self.moves.get(frame.next) else {
                let best = frame.best;
                look = VisitOutcome::Bound(self.leave(best, None));
                continue;
            };
            frame.next += 1;
            let turns = self.check_rank(next.offset)?;
            look = self.visit(next.offset, turns, self.child_threshold(t))?;
        }
    }

    /// Returns the worth of a move, given the worth of the position after it: one ply more, if plies count.
    fn parent_value(&self, bound: i32) -> i32 {
        if self.worth.asked.plies { bound - bound.signum() } else { bound }
    }

    /// Returns the threshold for the position after a move that decides whether the move is worth at least `t`.
    fn child_threshold(&self, t: i32) -> i32 {
        if self.worth.asked.plies { t + t.signum() } else { t }
    }

    /// Checks that the move from the last frame to these words does not return to an earlier position. Returns no
    /// controls if the rank rises; otherwise the controls since it last rose, among which the new one must not be.
    fn check_rank(&mut self, to: usize) -> Result<u64, SearchInterrupted> {
        let Some(frame) = self.frames.last() else { return Ok(0) };
        let (from, to) = (frame.offset..=frame.offset + self.size, to..=to + self.size);
        Ok(self.measure.check_move(&self.words[from], &self.words[to], frame.controls)?)
    }

    /// Visits a position whose words are already in place, from index `at` on; `turns` are the controls since the rank
    /// last rose.
    fn visit(&mut self, at: usize, turns: u64, t: i32) -> Result<VisitOutcome, SearchInterrupted> {
        self.count()?;
        let control = ControlId(self.words[at + self.size] as u32);
        let (key, records) = self.key(at);
        let hash = hash(&self.words[key..key + self.size], control.0);
        // The lookahead takes about as long as loading the cache line, and often makes the lookup in the table
        // unnecessary.
        self.table.prefetch(hash);
        let room = self.scout.max_output_words(control);
        if self.words.len() < records + room {
            self.words.resize((records + room) * 2, 0);
        }
        let (before, out) = self.words.split_at_mut(records);
        let position = PositionRef { control, words: &before[at..at + self.size] };
        let children = match self.scout.look_ahead(position, out) {
            Ok(LookaheadResult::Over(end)) => {
                return Ok(VisitOutcome::Bound(self.worth(end.ending, &end.scores)?));
            }
            Ok(LookaheadResult::Open(children)) if children > 0 => children,
            _ => return Err(SearchInterrupted::RulesFault(self.position(at))),
        };
        let maximises = self.turns[control.0 as usize];
        let mut frame = AlphaBetaFrame {
            offset: at,
            key,
            hash,
            first: self.moves.len(),
            next: self.moves.len(),
            records,
            t,
            maximises,
            best: if maximises { SCORE_MIN } else { SCORE_MAX },
            nodes_before: self.nodes - 1,
            controls: turns,
        };
        if let Some(bound) = self.moves_of(&mut frame, children)? {
            self.moves.truncate(frame.first);
            return Ok(VisitOutcome::Bound(bound));
        }
        let known = self.table.get(hash, &self.words[key..key + self.size], control.0);
        let anew = std::mem::take(&mut self.search_root_again);
        if let Some(bound) = known.and_then(|known| decides(known, t)).filter(|_| !anew) {
            self.moves.truncate(frame.first);
            return Ok(VisitOutcome::Bound(bound));
        }
        let best = known.and_then(|known| known.best).filter(|_| self.is_key(&frame));
        let moves = &mut self.moves[frame.first..];
        if let Some(best) = best
            && let Some(first) = moves.iter_mut().find(|candidate| candidate.index == best)
        {
            first.priority = u64::MAX;
        }
        moves.sort_by_key(|candidate| std::cmp::Reverse(candidate.priority));
        self.top = records + children * self.record;
        let size = self.sizes.get(self.frames.len()).copied().unwrap_or(0);
        let found = if size > ETC_MIN_NODES && !anew { self.probe_successors(&mut frame) } else { None };
        if size > EVALUATE_MIN_NODES {
            self.order_by_evaluation(&frame);
        }
        self.frames.push(frame);
        Ok(found.map_or(VisitOutcome::Pushed, |(bound, best)| VisitOutcome::Bound(self.leave(bound, best))))
    }

    /// Returns the offset of the words that are the key of a position in the table, and the offset of its records.
    #[inline]
    fn key(&mut self, at: usize) -> (usize, usize) {
        let Some(symmetries) = self.symmetries.active() else { return (at, self.top) };
        let (key, records) = (self.top, self.top + self.size);
        if self.words.len() < records {
            self.words.resize(records * 2, 0);
        }
        self.words.copy_within(at..at + self.size, key);
        symmetries.canonicalize_words(&mut self.words[key..records]);
        (key, records)
    }

    /// Returns true if the key of a position in the table is its own words, so that moves have the same indices
    /// there.
    fn is_key(&self, frame: &AlphaBetaFrame) -> bool {
        let words = |at: usize| &self.words[at..at + self.size];
        frame.key == frame.offset || words(frame.key) == words(frame.offset)
    }

    /// Returns true if a position may have this value, by the parity of the plies.
    fn may_be(&self, at: &Position, value: i32) -> bool {
        let odd = (WIN_SCORE - value.abs()) % 2 == 1;
        let maximises = self.turns[at.control.0 as usize];
        !self.worth.asked.plies || !self.wins_are_own || value == 0 || odd == ((value > 0) == maximises)
    }

    fn position(&self, at: usize) -> Position {
        let here = &self.words[at..=at + self.size];
        Position { control: ControlId(here[self.size] as u32), words: here[..self.size].into() }
    }

    /// Pops the last frame, stores its result in the table, and returns its bound.
    fn leave(&mut self, bound: i32, best: Option<u32>) -> i32 {
        let Some(frame) = self.frames.pop() else { return bound };
        let (low, high) = if bound >= frame.t { (bound, SCORE_MAX) } else { (SCORE_MIN, bound) };
        let best = best.filter(|_| self.is_key(&frame));
        self.table.put(
            frame.hash,
            &self.words[frame.key..frame.key + self.size],
            self.words[frame.offset + self.size] as u32,
            TranspositionEntry { low, high, best },
            self.nodes - frame.nodes_before,
        );
        self.moves.truncate(frame.first);
        self.top = frame.bottom();
        let (ply, size) = (self.frames.len(), self.nodes - frame.nodes_before);
        if self.sizes.len() <= ply {
            self.sizes.resize(ply + 1, 0);
        }
        // Recent searches count most.
        self.sizes[ply] = self.sizes[ply] - self.sizes[ply] / 8 + size / 8;
        bound
    }

    /// Counts one more position; fails if a limit is reached.
    fn count(&mut self) -> Result<(), SearchInterrupted> {
        if self.nodes >= self.max_nodes {
            return Err(SearchInterrupted::BudgetExhausted);
        }
        if self.limits.positions.is_some_and(|most| self.nodes >= most) {
            return Err(SearchInterrupted::Limit(LimitHit::Positions));
        }
        if self.nodes.is_multiple_of(POLL_INTERVAL) {
            if let Some(hit) = self.limits.check_held(self.held_bytes()) {
                return Err(SearchInterrupted::Limit(hit));
            }
            self.progress.positions(self.nodes, self.held_bytes());
            if self.nodes >= SYMMETRY_AFTER_NODES && self.symmetries.seek(self.limits) {
                self.symmetries.activate_for(&self.words[..self.size]);
            }
            if self.table.is_crowded() {
                self.table.grow();
            }
        }
        self.nodes += 1;
        Ok(())
    }

    /// Returns the mean number of plies of a random game from here.
    fn mean_playout_plies(&self, at: &Position) -> i32 {
        let played =
            self.machine.runner().playouts(at, LENGTH_SAMPLE_GAMES, 1, MAX_SAMPLE_PLIES, &self.limits.cancel);
        played.ok().flatten().map_or(0, |played| played.states.div_ceil(LENGTH_SAMPLE_GAMES)) as i32
    }

    /// Returns the least value that a position worth at least `t` may have.
    fn next_possible_value(&self, at: &Position, t: i32) -> i32 {
        t + i32::from(!self.may_be(at, t))
    }

    /// Returns the threshold that decides whether a move to this position keeps a value for the player who makes it.
    fn kept_threshold(&self, to: &Position, maximises: bool, value: i32) -> i32 {
        self.next_possible_value(to, self.child_threshold(if maximises { value } else { value + 1 }))
    }

    fn worth(&mut self, ending: u32, scores: &[i64]) -> Result<i32, SearchInterrupted> {
        Ok(self.worth.of(ending, scores)?)
    }
}

impl SearchEngine for AlphaBetaSearch<'_> {
    fn machine(&self) -> &CompiledMachine {
        self.machine
    }

    fn limits(&self) -> &Limits {
        self.limits
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn set_node_limit(&mut self, nodes: u64) {
        self.max_nodes = nodes;
    }

    fn held_bytes(&self) -> u64 {
        let symmetries = self.symmetries.active().map_or(0, |symmetries| symmetries.held_bytes());
        self.table.held_bytes() + 8 * self.words.capacity() as u64 + symmetries
    }

    fn score_sign(&self) -> Option<i64> {
        self.worth.score_sign
    }

    fn range(&self) -> (i32, i32) {
        self.worth.asked.range
    }

    fn value(&mut self, at: &Position, bounds: &mut (i32, i32)) -> Result<(), SearchInterrupted> {
        let (low, high) = bounds;
        let plies = self.worth.asked.plies;
        let usual_plies = if plies { self.mean_playout_plies(at) } else { 0 };
        let mut driver = (self.driver)(WindowStart { plies, usual_plies });
        let mut last = None;
        loop {
            *low += i32::from(!self.may_be(at, *low));
            *high -= i32::from(!self.may_be(at, *high));
            if low >= high {
                return Ok(());
            }
            let t = driver.threshold((*low, *high), last).clamp(*low + 1, *high);
            let t = self.next_possible_value(at, t);
            let bound = self.test(at, t)?;
            if bound >= t {
                *low = bound.max(*low);
            } else {
                *high = bound.min(*high);
            }
            last = Some(bound >= t);
        }
    }

    fn keeps_value(&mut self, to: &Position, maximises: bool, value: i32) -> Result<bool, SearchInterrupted> {
        let t = self.kept_threshold(to, maximises, value);
        Ok((self.test(to, t)? >= t) == maximises)
    }

    fn re_search(&mut self, at: &Position, maximises: bool, value: i32) -> Result<(), SearchInterrupted> {
        let t = if maximises { value } else { value + 1 };
        self.search_root_again = true;
        let searched = self.test(at, t);
        self.search_root_again = false;
        searched.map(|_| ())
    }

    fn known_to_keep_value(&self, to: &Position, maximises: bool, value: i32) -> Option<u64> {
        let t = self.kept_threshold(to, maximises, value);
        let mut words = to.words.clone();
        if let Some(symmetries) = self.symmetries.active() {
            symmetries.canonicalize_words(&mut words);
        }
        let known = self.table.get(hash(&words, to.control.0), &words, to.control.0);
        // The table does not store the work.
        known.filter(|known| if maximises { known.low >= t } else { known.high < t }).map(|_| 0)
    }

    fn value_before(&self, value: i32) -> i32 {
        self.parent_value(value)
    }

    fn path(&self) -> Vec<Position> {
        self.frames.iter().map(|frame| self.position(frame.offset)).collect()
    }
}

/// Returns true if players take turns and no move makes the other player win.
pub(in crate::solve) fn wins_are_own(machine: &CompiledMachine) -> bool {
    let Lowered { circuit, endings, .. } = machine.lowered();
    let won = |over: &TerminalTest, player: u32| match &endings[over.ending as usize].verdict {
        lower::EndingOutcome::Payoffs(payoffs, _) => {
            (payoffs[0] > 0.into()) == (player == 0) && payoffs[0] != 0.into()
        }
        _ => true,
    };
    circuit.controls.entries().all(|(id, control)| {
        let actor = machine.actor(id);
        let bodies = control.groups.iter().map(|&group| &circuit.groups[group].body).chain([&control.stuck]);
        let turns = bodies.flat_map(StmtBlock::yields).all(|after| machine.actor(after.to) != actor);
        // The player to move must not have won by the previous move.
        let none =
            |stmt: &Stmt| !matches!(stmt, Stmt::Over(over) if !over.dead_after_move && won(over, actor));
        turns && control.before.all(&none) && control.stuck.all(&none)
    })
}

/// Returns the bound that answers whether a position is worth at least `t`, if the stored bounds do.
fn decides(known: TranspositionEntry, t: i32) -> Option<i32> {
    if known.low >= t { Some(known.low) } else { (known.high < t).then_some(known.high) }
}
