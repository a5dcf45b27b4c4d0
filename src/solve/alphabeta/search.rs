//! The search itself: tests of one position, with a stack of frames instead of recursion.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use self::moves::{LARGE, WORTH_A_GUESS};
use super::symmetries::{SOUGHT, Symmetries};
use super::taking::only_cleared;
use crate::base::limits::{LimitHit, Limits, Progress, Silent};
use crate::circuit::{Block, ControlId, GroupId, Over, Position, Stmt};
use crate::exec::{Looked, Scout};
use crate::game::{CompiledMachine, Game};
use crate::lower::{self, Lowered};
use crate::solve::measure::Measure;
use crate::solve::telling::{Halted, Searching};
use crate::solve::transpositions::{GREATEST, Known, LEAST, Transpositions, hash};
use crate::solve::worth::{Asked, WON, Worth, best};

mod moves;

/// The number of positions between two checks of the limits.
const GLANCE: u64 = 1 << 12;

/// The number of positions after which two threads make a test.
const ALONE: u64 = 1 << 21;

/// The number of random games that estimate the length of a game.
const GAMES: u64 = 16;
/// The maximal length of a random game, in plies; a longer one is broken off.
const LONGEST: u32 = 300;

/// A move to search.
#[derive(Clone, Copy)]
struct Candidate {
    /// The offset of the words of the position it leads to; its control follows them.
    at: usize,
    /// The priority: the search tries greater values first.
    promise: u64,
    /// The index of the move among all moves of its position.
    index: u32,
    made: (GroupId, u32),
}

/// A position on the path of the search.
struct Frame {
    /// The offset of its words.
    at: usize,
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
    began: u64,
    /// The set of the controls of the positions before it since the rank last rose.
    turns: u64,
}

/// The state of the search: the data that persist from one test to the next, and the path to the current position.
pub(super) struct Search<'a> {
    machine: &'a CompiledMachine,
    scout: Arc<dyn Scout + 'a>,
    limits: &'a Limits,
    progress: &'a dyn Progress,
    worth: Worth<'a>,
    measure: Measure,
    table: Arc<Transpositions>,
    /// The game, if its rules have an `evaluate`.
    guesses: Option<&'a Game>,
    symmetries: Symmetries<'a>,
    /// The number of words of a state, and of a record.
    size: usize,
    record: usize,
    /// By control: true if the first player acts.
    turns: Vec<bool>,
    /// True if players take turns and win by moves of their own only, so that the player to move wins in an odd
    /// number of plies and loses in an even one.
    odd: bool,
    /// By control: the bits that its moves only clear (captures).
    taken: Arc<[Vec<u64>]>,
    frames: Vec<Frame>,
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
    asked: (Vec<u64>, Vec<u64>),
    /// The number of positions visited.
    nodes: u64,
    /// The maximal number of positions to visit.
    most: u64,
    /// The number of positions after which another thread should help.
    alone: u64,
    /// A flag that the first of two threads with an answer sets.
    answered: Option<&'a AtomicBool>,
    /// True if this thread tries moves in another order than the first thread.
    other: bool,
    /// True if the next test searches its first position even if the table has the answer.
    anew: bool,
}

/// The state that a finished thread hands back.
struct Kept {
    frames: Vec<Frame>,
    words: Vec<u64>,
    measure: Measure,
    history: Vec<Vec<u64>>,
    killers: Vec<[(GroupId, u32); 2]>,
}

/// The result of visiting a position.
enum Look {
    /// The position has this bound.
    Bound(i32),
    /// The position needs a search: its frame is on the stack.
    Deeper,
}

impl Frame {
    /// Returns the offset where its part of the words begins.
    fn bottom(&self) -> usize {
        if self.key == self.at { self.records } else { self.key }
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

impl<'a> Search<'a> {
    /// Creates a search from a position, with this ranking function and this table.
    pub fn new(
        game: &'a Game,
        asked: Asked<'a>,
        (from, measure, table): (&Position, Measure, Transpositions),
        symmetries: Symmetries<'a>,
        (limits, progress): (&'a Limits, &'a dyn Progress),
    ) -> Search<'a> {
        let machine = asked.machine;
        let circuit = machine.runner().circuit();
        let turns = circuit.controls.ids().map(|id| machine.actor(id) == 0).collect();
        let scout = machine.runner().scout(&best(asked));
        Search {
            machine,
            size: from.words.len(),
            record: scout.record(),
            scout,
            limits,
            progress,
            worth: Worth::new(asked),
            measure,
            table: Arc::new(table),
            guesses: Some(game).filter(|game| game.rules.evaluate.is_some()),
            symmetries,
            turns,
            odd: wins_are_own(machine),
            taken: only_cleared(circuit).into(),
            frames: Vec::new(),
            moves: Vec::new(),
            words: Vec::new(),
            top: 0,
            history: Vec::new(),
            killers: Vec::new(),
            sizes: Vec::new(),
            asked: (Vec::new(), Vec::new()),
            nodes: 0,
            most: u64::MAX,
            alone: u64::MAX,
            answered: None,
            other: false,
            anew: false,
        }
    }

    /// Creates a search for another thread, with the same table.
    fn beside<'b>(&'b self, answered: &'b AtomicBool, other: bool) -> Search<'b> {
        Search {
            machine: self.machine,
            size: self.size,
            record: self.record,
            scout: self.scout.clone(),
            limits: self.limits,
            progress: if other { &Silent } else { self.progress },
            worth: self.worth.clone(),
            measure: self.measure.clone(),
            table: self.table.clone(),
            guesses: self.guesses,
            symmetries: self.symmetries.clone(),
            turns: self.turns.clone(),
            odd: self.odd,
            taken: self.taken.clone(),
            frames: Vec::new(),
            moves: Vec::new(),
            words: Vec::new(),
            top: 0,
            history: self.history.clone(),
            killers: self.killers.clone(),
            sizes: self.sizes.clone(),
            asked: (Vec::new(), Vec::new()),
            nodes: 0,
            most: self.most - self.nodes,
            alone: u64::MAX,
            answered: Some(answered),
            other,
            anew: false,
        }
    }

    /// Returns the state to keep from the thread that had the answer: its path (the position where it failed) and its
    /// learned weights and orders.
    fn kept(self) -> Kept {
        let Search { frames, words, measure, history, killers, .. } = self;
        Kept { frames, words, measure, history, killers }
    }

    /// Tests whether the first player gets at least `t`. The result is a lower bound of the value if it is at least
    /// `t`, and an upper bound otherwise.
    ///
    /// The bound may be better than the test requires: it holds all the same.
    fn test(&mut self, at: &Position, t: i32) -> Result<i32, Halted> {
        if t <= self.worth.asked.range.0 {
            return Ok(self.worth.asked.range.0);
        }
        if t > self.worth.asked.range.1 {
            return Ok(self.worth.asked.range.1);
        }
        let several =
            rayon::current_num_threads() > 1 && self.limits.positions.is_none() && !self.worth.asked.margin;
        self.alone = if several { self.nodes.saturating_add(ALONE) } else { u64::MAX };
        let answer = self.alone(at, t);
        self.alone = u64::MAX;
        match answer {
            Err(Halted::Long) => loop {
                self.owned().set_shared(true);
                let answer = self.together(at, t);
                self.owned().set_shared(false);
                match answer {
                    // The results so far are in the table: starting again costs next to nothing.
                    Err(Halted::Crowded) => self.owned().grow(),
                    answer => break answer,
                }
            },
            answer => answer,
        }
    }

    /// Begins a new question, as opposed to one of the tests that answer it.
    pub fn begin(&self) {
        self.table.begin();
    }

    /// Returns the table for exclusive access, while no other thread searches.
    fn owned(&mut self) -> &mut Transpositions {
        Arc::get_mut(&mut self.table).expect("the other thread is done with it")
    }

    /// Makes a test in this thread, and repeats it after each change of the ranking function.
    fn alone(&mut self, at: &Position, t: i32) -> Result<i32, Halted> {
        loop {
            self.frames.clear();
            self.moves.clear();
            self.words.clear();
            self.words.extend_from_slice(&at.words);
            self.words.push(u64::from(at.control.0));
            self.top = self.words.len();
            self.symmetries.meet(&at.words);
            match self.descend(t) {
                Err(Halted::Learned) => {}
                result => return result,
            }
        }
    }

    /// Makes a test in two threads. Both bounds hold, so the first one is the answer.
    fn together(&mut self, at: &Position, t: i32) -> Result<i32, Halted> {
        let answered = AtomicBool::new(false);
        let answer = |search: &mut Search| {
            let answer = search.alone(at, t);
            answered.store(true, Ordering::Relaxed);
            answer
        };
        let (answer, nodes, kept) = {
            let mut first = self.beside(&answered, false);
            let mut other = self.beside(&answered, true);
            let (mine, theirs) = rayon::join(|| answer(&mut first), || answer(&mut other));
            let nodes = first.nodes + other.nodes;
            match mine {
                Err(Halted::Quit) => (theirs, nodes, other.kept()),
                mine => (mine, nodes, first.kept()),
            }
        };
        self.nodes += nodes;
        Kept {
            frames: self.frames,
            words: self.words,
            measure: self.measure,
            history: self.history,
            killers: self.killers,
        } = kept;
        answer
    }

    fn descend(&mut self, t: i32) -> Result<i32, Halted> {
        let mut look = self.look((0, 0), t)?;
        loop {
            let bound = match look {
                Look::Bound(bound) => Some(bound),
                Look::Deeper => None,
            };
            let Some(frame) = self.frames.last() else { return Ok(bound.unwrap_or(LEAST)) };
            let (t, maximises) = (frame.t, frame.maximises);
            if let Some(bound) = bound {
                let bound = self.back(bound);
                let frame = self.frames.last_mut().expect("it was there");
                let done = self.moves[frame.next - 1];
                if maximises == (bound >= t) {
                    self.reward(done.made);
                    look = Look::Bound(self.leave(bound, Some(done.index)));
                    continue;
                }
                frame.best = if maximises { frame.best.max(bound) } else { frame.best.min(bound) };
            }
            let frame = self.frames.last_mut().expect("it was there");
            let Some(&next) = self.moves.get(frame.next) else {
                let best = frame.best;
                look = Look::Bound(self.leave(best, None));
                continue;
            };
            frame.next += 1;
            let turns = self.follow(next.at)?;
            look = self.look((next.at, turns), self.onward(t))?;
        }
    }

    /// Returns the worth of a move, given the worth of the position after it: one ply more, if plies count.
    fn back(&self, bound: i32) -> i32 {
        if self.worth.asked.plies { bound - bound.signum() } else { bound }
    }

    /// Returns the threshold for the position after a move that decides whether the move is worth at least `t`.
    fn onward(&self, t: i32) -> i32 {
        if self.worth.asked.plies { t + t.signum() } else { t }
    }

    /// Checks that the move from the last frame to these words does not return to an earlier position. Returns no
    /// controls if the rank rises; otherwise the controls since it last rose, among which the new one must not be.
    fn follow(&mut self, to: usize) -> Result<u64, Halted> {
        let Some(frame) = self.frames.last() else { return Ok(0) };
        let (from, to) = (frame.at..=frame.at + self.size, to..=to + self.size);
        Ok(self.measure.follow(&self.words[from], &self.words[to], frame.turns)?)
    }

    /// Visits a position whose words are already in place.
    fn look(&mut self, (at, turns): (usize, u64), t: i32) -> Result<Look, Halted> {
        self.count()?;
        let control = ControlId(self.words[at + self.size] as u32);
        let (key, records) = self.key(at);
        let hash = hash(&self.words[key..key + self.size], control.0);
        // The lookahead takes about as long as loading the cache line, and often makes the lookup in the table
        // unnecessary.
        self.table.prefetch(hash);
        let room = self.scout.room(control);
        if self.words.len() < records + room {
            self.words.resize((records + room) * 2, 0);
        }
        let (before, out) = self.words.split_at_mut(records);
        let children = match self.scout.look((control, &before[at..at + self.size]), out) {
            Ok(Looked::Over(end)) => return Ok(Look::Bound(self.worth(end.ending, &end.scores)?)),
            Ok(Looked::Open(children)) if children > 0 => children,
            _ => return Err(Halted::Broken(self.position(at))),
        };
        let maximises = self.turns[control.0 as usize];
        let mut frame = Frame {
            at,
            key,
            hash,
            first: self.moves.len(),
            next: self.moves.len(),
            records,
            t,
            maximises,
            best: if maximises { LEAST } else { GREATEST },
            began: self.nodes - 1,
            turns,
        };
        if let Some(bound) = self.moves_of(&mut frame, children)? {
            self.moves.truncate(frame.first);
            return Ok(Look::Bound(bound));
        }
        let known = self.table.get(hash, &self.words[key..key + self.size], control.0);
        let anew = std::mem::take(&mut self.anew);
        if let Some(bound) = known.and_then(|known| decides(known, t)).filter(|_| !anew) {
            self.moves.truncate(frame.first);
            return Ok(Look::Bound(bound));
        }
        let best = known.and_then(|known| known.best).filter(|_| self.is_key(&frame));
        let moves = &mut self.moves[frame.first..];
        if let Some(best) = best
            && let Some(first) = moves.iter_mut().find(|candidate| candidate.index == best)
        {
            first.promise = u64::MAX;
        }
        moves.sort_by_key(|candidate| std::cmp::Reverse(candidate.promise));
        self.top = records + children * self.record;
        let size = self.sizes.get(self.frames.len()).copied().unwrap_or(0);
        let found = if size > LARGE && !anew { self.transposed(&mut frame) } else { None };
        if size > WORTH_A_GUESS {
            self.order_by_guess(&frame);
        }
        self.frames.push(frame);
        Ok(found.map_or(Look::Deeper, |(bound, best)| Look::Bound(self.leave(bound, best))))
    }

    /// Returns the offset of the words that are the key of a position in the table, and the offset of its records.
    #[inline]
    fn key(&mut self, at: usize) -> (usize, usize) {
        let Some(symmetries) = self.symmetries.used() else { return (at, self.top) };
        let (key, records) = (self.top, self.top + self.size);
        if self.words.len() < records {
            self.words.resize(records * 2, 0);
        }
        self.words.copy_within(at..at + self.size, key);
        symmetries.least(&mut self.words[key..records]);
        (key, records)
    }

    /// Returns true if the key of a position in the table is its own words, so that moves have the same indices
    /// there.
    fn is_key(&self, frame: &Frame) -> bool {
        let words = |at: usize| &self.words[at..at + self.size];
        frame.key == frame.at || words(frame.key) == words(frame.at)
    }

    /// Returns true if a position may have this value, by the parity of the plies.
    fn may_be(&self, at: &Position, value: i32) -> bool {
        let odd = (WON - value.abs()) % 2 == 1;
        let maximises = self.turns[at.control.0 as usize];
        !self.worth.asked.plies || !self.odd || value == 0 || odd == ((value > 0) == maximises)
    }

    fn position(&self, at: usize) -> Position {
        let here = &self.words[at..=at + self.size];
        Position { control: ControlId(here[self.size] as u32), words: here[..self.size].into() }
    }

    /// Pops the last frame, stores its result in the table, and returns its bound.
    fn leave(&mut self, bound: i32, best: Option<u32>) -> i32 {
        let Some(frame) = self.frames.pop() else { return bound };
        let (low, high) = if bound >= frame.t { (bound, GREATEST) } else { (LEAST, bound) };
        let best = best.filter(|_| self.is_key(&frame));
        let key = (&self.words[frame.key..frame.key + self.size], self.words[frame.at + self.size] as u32);
        self.table.put(frame.hash, key, Known { low, high, best }, self.nodes - frame.began);
        self.moves.truncate(frame.first);
        self.top = frame.bottom();
        let (ply, size) = (self.frames.len(), self.nodes - frame.began);
        if self.sizes.len() <= ply {
            self.sizes.resize(ply + 1, 0);
        }
        // Recent searches count most.
        self.sizes[ply] = self.sizes[ply] - self.sizes[ply] / 8 + size / 8;
        bound
    }

    /// Counts one more position; fails if a limit is reached.
    fn count(&mut self) -> Result<(), Halted> {
        if self.nodes >= self.most {
            return Err(Halted::Enough);
        }
        if self.limits.positions.is_some_and(|most| self.nodes >= most) {
            return Err(Halted::Limit(LimitHit::Positions));
        }
        if self.nodes >= self.alone {
            return Err(Halted::Long);
        }
        if self.nodes.is_multiple_of(GLANCE) {
            if self.answered.is_some_and(|answered| answered.load(Ordering::Relaxed)) {
                return Err(Halted::Quit);
            }
            if let Some(hit) = self.limits.check_held(self.held_bytes()) {
                return Err(Halted::Limit(hit));
            }
            self.progress.positions(self.nodes, self.held_bytes());
            if self.nodes >= SOUGHT && self.symmetries.seek(self.limits) {
                self.symmetries.meet(&self.words[..self.size]);
            }
            if self.table.is_crowded() {
                match Arc::get_mut(&mut self.table) {
                    Some(table) => table.grow(),
                    None => return Err(Halted::Crowded),
                }
            }
        }
        self.nodes += 1;
        Ok(())
    }

    /// Returns the mean number of plies of a random game from here.
    fn usual(&self, at: &Position) -> i32 {
        let played = self.machine.runner().playouts(at, GAMES, 1, LONGEST, &self.limits.stop);
        played.ok().flatten().map_or(0, |played| played.states.div_ceil(GAMES)) as i32
    }

    /// Returns the least value that a position worth at least `t` may have.
    fn whole(&self, at: &Position, t: i32) -> i32 {
        t + i32::from(!self.may_be(at, t))
    }

    /// Returns the threshold that decides whether a move to this position keeps a value for the player who makes it.
    fn bound_kept(&self, to: &Position, maximises: bool, value: i32) -> i32 {
        self.whole(to, self.onward(if maximises { value } else { value + 1 }))
    }

    fn worth(&mut self, ending: u32, scores: &[i64]) -> Result<i32, Halted> {
        self.worth.of(ending, scores).map_err(Halted::Wrong)
    }
}

impl Searching for Search<'_> {
    fn machine(&self) -> &CompiledMachine {
        self.machine
    }

    fn limits(&self) -> &Limits {
        self.limits
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn stop_at(&mut self, nodes: u64) {
        self.most = nodes;
    }

    fn held_bytes(&self) -> u64 {
        let symmetries = self.symmetries.used().map_or(0, |symmetries| symmetries.held_bytes());
        self.table.held_bytes() + 8 * self.words.capacity() as u64 + symmetries
    }

    fn way_up(&self) -> Option<i64> {
        self.worth.way
    }

    fn range(&self) -> (i32, i32) {
        self.worth.asked.range
    }

    fn value(&mut self, at: &Position, (low, high): &mut (i32, i32)) -> Result<(), Halted> {
        let mut step = 1;
        // Short wins come first: the entries that they leave in the table help with the rest.
        let usual = if self.worth.asked.plies { self.usual(at) } else { 0 };
        let (mut sooner, mut lost) = (usual, true);
        loop {
            *low += i32::from(!self.may_be(at, *low));
            *high -= i32::from(!self.may_be(at, *high));
            if low >= high {
                return Ok(());
            }
            // While a value is unbounded on one side, the step doubles (exponential search).
            let t = match (*low == LEAST, *high == GREATEST) {
                (true, true) => 0,
                (true, false) => high.saturating_sub(step - 1).max(LEAST + 1),
                (false, true) => low.saturating_add(step).min(GREATEST),
                _ if sooner > 1 => {
                    let t = if lost { sooner + 1 - WON } else { WON - sooner };
                    lost = !lost;
                    sooner = if lost { (sooner + 2 * usual + 1) / 2 } else { sooner };
                    if sooner >= 2 * usual - 1 || *low > 0 || *high < 0 {
                        sooner = 0;
                    }
                    t.clamp(*low + 1, *high)
                }
                _ if self.worth.asked.plies && *low < 0 && *high >= 0 => 0,
                _ if self.worth.asked.plies && *low < 1 && *high >= 1 => 1,
                (false, false) => *low + (*high - *low + 1) / 2,
            };
            step = step.saturating_mul(2);
            let t = self.whole(at, t);
            let bound = self.test(at, t)?;
            if bound >= t {
                *low = bound.max(*low);
            } else {
                *high = bound.min(*high);
            }
        }
    }

    fn keeps(&mut self, to: &Position, maximises: bool, value: i32) -> Result<bool, Halted> {
        let t = self.bound_kept(to, maximises, value);
        Ok((self.test(to, t)? >= t) == maximises)
    }

    fn again(&mut self, at: &Position, maximises: bool, value: i32) -> Result<(), Halted> {
        let t = if maximises { value } else { value + 1 };
        self.anew = true;
        let searched = self.test(at, t);
        self.anew = false;
        searched.map(|_| ())
    }

    fn surely_keeps(&self, to: &Position, maximises: bool, value: i32) -> Option<u64> {
        let t = self.bound_kept(to, maximises, value);
        let mut words = to.words.clone();
        if let Some(symmetries) = self.symmetries.used() {
            symmetries.least(&mut words);
        }
        let known = self.table.get(hash(&words, to.control.0), &words, to.control.0);
        // The table does not store the work.
        known.filter(|known| if maximises { known.low >= t } else { known.high < t }).map(|_| 0)
    }

    fn before(&self, value: i32) -> i32 {
        self.back(value)
    }

    fn way(&self) -> Vec<Position> {
        self.frames.iter().map(|frame| self.position(frame.at)).collect()
    }
}

/// Returns true if players take turns and no move makes the other player win.
fn wins_are_own(machine: &CompiledMachine) -> bool {
    let Lowered { circuit, endings, .. } = machine.lowered();
    let won = |over: &Over, player: u32| match &endings[over.ending as usize].verdict {
        lower::Verdict::Payoffs(payoffs, _) => {
            (payoffs[0] > 0.into()) == (player == 0) && payoffs[0] != 0.into()
        }
        _ => true,
    };
    circuit.controls.entries().all(|(id, control)| {
        let actor = machine.actor(id);
        let bodies = control.groups.iter().map(|&group| &circuit.groups[group].body).chain([&control.stuck]);
        let turns = bodies.flat_map(Block::yields).all(|after| machine.actor(after.to) != actor);
        // The player to move must not have won by the previous move.
        let none = |stmt: &Stmt| !matches!(stmt, Stmt::Over(over) if !over.settled && won(over, actor));
        turns && control.before.all(&none) && control.stuck.all(&none)
    })
}

/// Returns the bound that answers whether a position is worth at least `t`, if the stored bounds do.
fn decides(known: Known, t: i32) -> Option<i32> {
    if known.low >= t { Some(known.low) } else { (known.high < t).then_some(known.high) }
}
