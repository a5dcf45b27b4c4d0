//! The search itself: tests of one position, frame by frame.

use rustc_hash::FxHashMap;

use super::ENDLESS;
use crate::base::limits::{LimitHit, Limits, Progress};
use crate::circuit::{ControlId, GroupId, Position};
use crate::exec::{Ahead, Ending, PASS, Runner, Status as Stands};
use crate::game::CompiledMachine;
use crate::rules;
use crate::solve::measure::{Measure, Step};
use crate::solve::stakes;
use crate::solve::transpositions::{GREATEST, Known, LEAST, Transpositions, hash};

/// How many positions are looked at between two looks at the limits.
const GLANCE: u64 = 1 << 12;

/// Why a search ended early.
pub(super) enum Halted {
    Limit(LimitHit),
    /// The positions that telling of best moves may take were looked at.
    Enough,
    /// The rules have no meaning in this position.
    Broken(Position),
    /// It was not the right method, in one sentence.
    Wrong(String),
    /// A move did not raise the measure. There is a new one now, and the test is to be made again.
    Learned,
}

/// A move to be searched.
#[derive(Clone, Copy)]
struct Candidate {
    /// Where the words of the position it leads to begin; behind them is its control.
    at: usize,
    hash: u64,
    /// What is tried first.
    promise: u64,
    /// Its number among all moves.
    index: u32,
    made: (GroupId, u32),
}

/// A position being searched.
struct Frame {
    /// Where its words begin.
    at: usize,
    hash: u64,
    /// Its moves, those searched first.
    first: usize,
    next: usize,
    /// Where the words of its moves begin.
    words: usize,
    /// Whether the first player moves.
    maximises: bool,
    /// The best bound of the moves done with.
    best: i32,
    /// The positions looked at before it.
    began: u64,
    /// The controls of the positions before it since the measure last rose.
    turns: u64,
}

/// What the ends of the game are worth, in whole numbers.
pub(super) struct Worth<'a> {
    machine: &'a CompiledMachine,
    rules: &'a rules::Rules,
    margin: bool,
    /// With margins: which way scores are better.
    pub way: Option<i64>,
    known: Vec<FxHashMap<Box<[i64]>, i32>>,
}

impl Worth<'_> {
    fn of(&mut self, ending: u32, scores: &[i64]) -> Result<i32, Halted> {
        let index = ending as usize;
        if let Some(&worth) = self.known.get(index).and_then(|known| known.get(scores)) {
            return Ok(worth);
        }
        let outcome = self.machine.outcome(&Ending { ending, scores: scores.to_vec() });
        let number = if self.margin {
            let (way, differences) =
                stakes::margins(self.rules, std::slice::from_ref(&outcome)).map_err(Halted::Wrong)?;
            if self.way.replace(way).is_some_and(|old| old != way) {
                return Err(Halted::Wrong("the game has both a highest and a lowest score".into()));
            }
            differences[0][0]
        } else {
            outcome.payoffs[0]
        };
        let whole = number.is_integer().then(|| i32::try_from(number.to_integer()).ok()).flatten();
        let worth = whole.filter(|n| (LEAST + 1..GREATEST).contains(n)).ok_or_else(|| {
            Halted::Wrong("this method needs payoffs that are whole numbers and not too large".into())
        })?;
        self.known.resize(self.known.len().max(index + 1), FxHashMap::default());
        self.known[index].insert(scores.into(), worth);
        Ok(worth)
    }
}

/// What is kept from one test to the next, and the way to the position looked at.
pub(super) struct Search<'a> {
    pub machine: &'a CompiledMachine,
    runner: &'a dyn Runner,
    pub limits: &'a Limits,
    progress: &'a dyn Progress,
    pub worth: Worth<'a>,
    measure: Measure,
    table: Transpositions,
    /// How many words a state has.
    size: usize,
    /// What the first player gets at least and at most wherever the game ends.
    pub range: (i32, i32),
    /// The position looked at.
    here: Position,
    /// The positions before the one that is searched.
    pub before: Vec<Position>,
    frames: Vec<Frame>,
    moves: Vec<Candidate>,
    /// The words of positions, each with its control behind it.
    words: Vec<u64>,
    ahead: Ahead,
    /// By group and lane, how much work a move has saved.
    history: Vec<Vec<u64>>,
    /// By ply, the last two moves that were good enough.
    killers: Vec<[(GroupId, u32); 2]>,
    /// How many positions were looked at.
    pub nodes: u64,
    /// How many may be looked at.
    pub most: u64,
}

/// What a first look at a position gives.
enum Look {
    /// This bound.
    Bound(i32),
    /// It has to be searched: there is a frame for it.
    Deeper,
}

impl<'a> Search<'a> {
    /// A search from a position, by this measure, with this table. The first player gets something in this range.
    pub fn new(
        (machine, rules, margin): (&'a CompiledMachine, &'a rules::Rules, bool),
        (from, measure, table): (&Position, Measure, Transpositions),
        range: (i32, i32),
        (limits, progress): (&'a Limits, &'a dyn Progress),
    ) -> Search<'a> {
        Search {
            machine,
            runner: machine.runner(),
            limits,
            progress,
            worth: Worth { machine, rules, margin, way: None, known: Vec::new() },
            measure,
            table,
            size: from.words.len(),
            range,
            here: from.clone(),
            before: Vec::new(),
            frames: Vec::new(),
            moves: Vec::new(),
            words: Vec::new(),
            ahead: Ahead::default(),
            history: Vec::new(),
            killers: Vec::new(),
            nodes: 0,
            most: u64::MAX,
        }
    }

    /// The positions on the way of a search that ended early, from where play began.
    pub fn way(&self) -> Vec<Position> {
        let frame = |frame: &Frame| {
            let here = &self.words[frame.at..=frame.at + self.size];
            Position { control: ControlId(here[self.size] as u32), words: here[..self.size].into() }
        };
        self.before.iter().cloned().chain(self.frames.iter().map(frame)).collect()
    }

    /// Whether the first player gets at least `t`: at least what is given if that is not below `t`, else at most.
    fn test(&mut self, at: &Position, t: i32) -> Result<i32, Halted> {
        if t <= self.range.0 {
            return Ok(self.range.0);
        }
        if t > self.range.1 {
            return Ok(self.range.1);
        }
        loop {
            self.frames.clear();
            self.moves.clear();
            self.words.clear();
            self.words.extend_from_slice(&at.words);
            self.words.push(u64::from(at.control.0));
            let key = hash(&at.words, at.control.0);
            match self.descend((0, key, 0), t) {
                Err(Halted::Learned) => {}
                result => return result,
            }
        }
    }

    fn descend(&mut self, root: (usize, u64, u64), t: i32) -> Result<i32, Halted> {
        let mut look = self.look(root, t)?;
        loop {
            let bound = match look {
                Look::Bound(bound) => Some(bound),
                Look::Deeper => None,
            };
            let Some(frame) = self.frames.last_mut() else { return Ok(bound.unwrap_or(LEAST)) };
            if let Some(bound) = bound {
                let done = self.moves[frame.next - 1];
                let enough = if frame.maximises { bound >= t } else { bound < t };
                if enough {
                    self.reward(done.made);
                    look = Look::Bound(self.leave(bound, Some(done.index), t));
                    continue;
                }
                frame.best = if frame.maximises { frame.best.max(bound) } else { frame.best.min(bound) };
            }
            let Some(&next) = self.moves.get(frame.next) else {
                let best = frame.best;
                look = Look::Bound(self.leave(best, None, t));
                continue;
            };
            frame.next += 1;
            let turns = self.follow(next.at)?;
            look = self.look((next.at, next.hash, turns), t)?;
        }
    }

    /// Makes sure that the move from the last frame to these words does not come back to a position: none where the
    /// measure rises; else the controls since it last rose, among which the new one may not be.
    fn follow(&mut self, to: usize) -> Result<u64, Halted> {
        let Some(frame) = self.frames.last() else { return Ok(0) };
        let (from, to) = (&self.words[frame.at..], &self.words[to..]);
        let (here, there) = (from[self.size], to[self.size]);
        let (from, to) = (&from[..self.size], &to[..self.size]);
        match self.measure.step(from, to) {
            Step::Up => Ok(0),
            Step::Level => {
                let seen = frame.turns | 1u64.checked_shl(here as u32).unwrap_or(!0);
                let again = there >= 64 || here >= 64 || seen >> there & 1 == 1;
                if again { Err(Halted::Wrong(ENDLESS.into())) } else { Ok(seen) }
            }
            Step::Wrong => {
                let of = |words: &[u64], control: u64| Position {
                    control: ControlId(control as u32),
                    words: words.into(),
                };
                let learned = self.measure.learn(&of(from, here), &of(to, there));
                Err(if learned { Halted::Learned } else { Halted::Wrong(ENDLESS.into()) })
            }
        }
    }

    /// Looks at a position, of which the words are there already.
    fn look(&mut self, (at, key, turns): (usize, u64, u64), t: i32) -> Result<Look, Halted> {
        self.count()?;
        let control = ControlId(self.words[at + self.size] as u32);
        self.here.control = control;
        self.here.words.copy_from_slice(&self.words[at..at + self.size]);
        let known = self.table.get(key, &self.here.words, control.0);
        if let Some(bound) = known.and_then(|known| decides(known, t)) {
            return Ok(Look::Bound(bound));
        }
        match self.runner.ahead(&self.here, &mut self.ahead) {
            Ok(Stands::Over(end)) => return Ok(Look::Bound(self.worth.of(end.ending, &end.scores)?)),
            Ok(Stands::Open) if !self.ahead.is_empty() => {}
            _ => return Err(Halted::Broken(self.here.clone())),
        }
        let maximises = self.machine.actor(control) == 0;
        let mut frame = Frame {
            at,
            hash: key,
            first: self.moves.len(),
            next: self.moves.len(),
            words: self.words.len(),
            maximises,
            best: if maximises { LEAST } else { GREATEST },
            began: self.nodes - 1,
            turns,
        };
        let enough = self.moves_of(&mut frame, known, t)?;
        let bound = match enough {
            Some(bound) => bound,
            None if self.moves.len() == frame.first => {
                let (low, high) = if frame.best >= t { (frame.best, GREATEST) } else { (LEAST, frame.best) };
                self.table.put(key, (&self.here.words, control.0), Known { low, high, best: None }, 1);
                frame.best
            }
            None => {
                self.frames.push(frame);
                return Ok(Look::Deeper);
            }
        };
        self.moves.truncate(frame.first);
        self.words.truncate(frame.words);
        Ok(Look::Bound(bound))
    }

    /// Puts the moves that have to be searched in order; or gives the bound if one is enough without search.
    fn moves_of(&mut self, frame: &mut Frame, known: Option<Known>, t: i32) -> Result<Option<i32>, Halted> {
        let enough = |bound: i32| if frame.maximises { bound >= t } else { bound < t };
        for index in 0..self.ahead.len() {
            if let Some((ending, scores)) = self.ahead.end(index) {
                let worth = self.worth.of(ending, scores)?;
                if enough(worth) {
                    return Ok(Some(worth));
                }
                frame.best = if frame.maximises { frame.best.max(worth) } else { frame.best.min(worth) };
            }
        }
        let ply = self.frames.len();
        let killers = self.killers.get(ply).copied().unwrap_or([(PASS, 0); 2]);
        let best = known.and_then(|known| known.best);
        let children = self.ahead.children.words.chunks_exact(self.size + 1);
        for (index, (child, &made)) in children.zip(&self.ahead.children.moves).enumerate() {
            if self.ahead.end(index).is_some() {
                continue;
            }
            let (words, control) = (&child[..self.size], child[self.size] as u32);
            let key = hash(words, control);
            if let Some(bound) = self.table.get(key, words, control).and_then(|known| decides(known, t)) {
                if enough(bound) {
                    return Ok(Some(bound));
                }
                frame.best = if frame.maximises { frame.best.max(bound) } else { frame.best.min(bound) };
                continue;
            }
            let index = index as u32;
            let past = self.history.get(made.0.0 as usize).and_then(|lanes| lanes.get(made.1 as usize));
            let promise = match killers.iter().position(|&killer| killer == made) {
                _ if best == Some(index) => u64::MAX,
                Some(place) => u64::MAX - 1 - place as u64,
                None => past.copied().unwrap_or(0),
            };
            self.moves.push(Candidate { at: self.words.len(), hash: key, promise, index, made });
            self.words.extend_from_slice(child);
        }
        self.moves[frame.first..].sort_by_key(|candidate| std::cmp::Reverse(candidate.promise));
        Ok(None)
    }

    /// Is done with the last frame; gives what it found out.
    fn leave(&mut self, bound: i32, best: Option<u32>, t: i32) -> i32 {
        let Some(frame) = self.frames.pop() else { return bound };
        let (low, high) = if bound >= t { (bound, GREATEST) } else { (LEAST, bound) };
        let here = &self.words[frame.at..=frame.at + self.size];
        let key = (&here[..self.size], here[self.size] as u32);
        self.table.put(frame.hash, key, Known { low, high, best }, self.nodes - frame.began);
        self.moves.truncate(frame.first);
        self.words.truncate(frame.words);
        bound
    }

    /// A move was good enough: it is tried early elsewhere.
    fn reward(&mut self, made: (GroupId, u32)) {
        let Some(frame) = self.frames.last() else { return };
        let effort = self.nodes - frame.began;
        let ply = self.frames.len() - 1;
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [(PASS, 0); 2]);
        }
        let killers = &mut self.killers[ply];
        if killers[0] != made {
            *killers = [made, killers[0]];
        }
        let (group, lane) = (made.0.0 as usize, made.1 as usize);
        if made.0 == PASS {
            return;
        }
        self.history.resize(self.history.len().max(group + 1), Vec::new());
        let lanes = &mut self.history[group];
        lanes.resize(lanes.len().max(lane + 1), 0);
        lanes[lane] = lanes[lane].saturating_add(effort).min(1 << 60);
    }

    /// One more position, unless a limit is reached.
    fn count(&mut self) -> Result<(), Halted> {
        if self.nodes >= self.most {
            return Err(Halted::Enough);
        }
        if self.limits.positions.is_some_and(|most| self.nodes >= most) {
            return Err(Halted::Limit(LimitHit::Positions));
        }
        if self.nodes.is_multiple_of(GLANCE) {
            if let Some(hit) = self.limits.check_held(self.held_bytes()) {
                return Err(Halted::Limit(hit));
            }
            self.progress.positions(self.nodes, self.held_bytes());
        }
        self.nodes += 1;
        Ok(())
    }

    /// The bytes held.
    pub fn held_bytes(&self) -> u64 {
        self.table.held_bytes() + 8 * self.words.capacity() as u64
    }

    /// What a position is worth between these bounds, closed in on as far as limits allow.
    pub fn value(&mut self, at: &Position, (low, high): &mut (i32, i32)) -> Result<(), Halted> {
        let mut step = 1;
        while low < high {
            // Where nothing is known on one side, one looks further and further.
            let t = match (*low == LEAST, *high == GREATEST) {
                (true, true) => 0,
                (true, false) => high.saturating_sub(step - 1).max(LEAST + 1),
                (false, true) => low.saturating_add(step).min(GREATEST),
                (false, false) => *low + (*high - *low + 1) / 2,
            };
            step = step.saturating_mul(2);
            let bound = self.test(at, t)?;
            if bound >= t {
                *low = bound.max(*low);
            } else {
                *high = bound.min(*high);
            }
        }
        Ok(())
    }

    /// Whether a move to this position keeps a value for the player who makes it.
    pub fn keeps(&mut self, to: &Position, maximises: bool, value: i32) -> Result<bool, Halted> {
        let t = if maximises { value } else { value + 1 };
        Ok((self.test(to, t)? >= t) == maximises)
    }
}

/// The bound that answers whether a position is worth at least `t`, if what is known does.
fn decides(known: Known, t: i32) -> Option<i32> {
    if known.low >= t { Some(known.low) } else { (known.high < t).then_some(known.high) }
}
