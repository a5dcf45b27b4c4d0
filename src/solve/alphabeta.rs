//! Depth first: alpha-beta with a window of no width, a table of transpositions, and looking one move ahead.
//!
//! Technique: "is the value at least t?" is asked of the position, for one t after another, until two bounds meet. Each
//! test is alpha-beta with a null window, which fails softly: it gives a bound that may be better than t. What a test
//! finds out about a position stays in a table. Moves that end the game are seen from the position before them, so that
//! a win at once costs no search.
//! Source: Knuth and Moore, "An analysis of alpha-beta pruning" (1975); Pearl's TEST (1980); Plaat, Schaeffer, Pijls,
//! de Bruin, "Best-first fixed-depth minimax algorithms" (1996) for null windows with a memory; Pons, "Solving Connect
//! Four" (2015). Moves are tried in the order of Schaeffer's history heuristic (1983), killers first.
//! Cost: about the square root of the plays, less what transposes; the table has the size that is given.
//! Invariant: what stands in the table is true of its position whatever led there: a search that comes back to a
//! position on its way is given up and leaves nothing. A [measure](super::measure) sees to it that this never happens.
//! Not taken: recursion, since play may be longer than a stack is deep; iterative deepening, since only the end of the
//! game has a value; cycles, which are left to [retrograde](super::retrograde) analysis.

use num_rational::Rational64;
use rustc_hash::FxHashMap;

use super::choice::ASKED;
use super::measure::{Measure, Step};
use super::stakes::{self, Stakes};
use super::transpositions::{CONTROLS, GREATEST, Known, LEAST, Transpositions, hash};
use super::{Bounds, Made, Method, MoveValue, Options, Solution, Status};
use crate::base::limits::{LimitHit, Limits, Progress};
use crate::circuit::{ControlId, GroupId, Position};
use crate::exec::{Ahead, Ending, PASS, Runner, Status as Stands};
use crate::game::explore::{Broken, BrokenKind};
use crate::game::{CompiledMachine, Game, Halt, Play, State};
use crate::rules;

/// How many positions are looked at between two looks at the limits.
const GLANCE: u64 = 1 << 12;
/// So many positions more than for the value may be looked at to tell of best moves and best play.
const TELLING: u64 = 100_000;
/// What the table holds where no limit says how much it may.
const TABLE_BYTES: u64 = 1 << 30;

const PICKED: &str = "the positions are too many to list them all, and play always raises a measure, so a depth-first \
                      search with a table of transpositions decides";

/// What this method can solve.
pub struct Fit<'g> {
    machine: &'g CompiledMachine,
    from: Position,
    measure: Measure,
    sum: Rational64,
}

/// Whether this method can solve a position; or why not, in one sentence.
pub fn fits<'g>(
    game: &'g Game,
    state: &State,
    options: &Options,
    limits: &Limits,
) -> Result<Fit<'g>, String> {
    if let Some(reason) = stakes::refusal(&game.rules) {
        return Err(reason);
    }
    if game.rules.players().len() != 2 {
        return Err("this method is for two players".into());
    }
    if options.strong {
        return Err("this method forgets: it does not give the value of every position".into());
    }
    let sum = if options.margin { Rational64::default() } else { stakes::fixed_sum(&game.rules)? };
    let machine = match (game.compiled(), game.fallback()) {
        (Some(machine), _) => machine,
        (None, Some(why)) => {
            return Err(format!(
                "this method runs compiled rules, and these have no circuit: {}",
                why.reason
            ));
        }
        (None, None) => return Err("this method runs compiled rules, not their definition".into()),
    };
    let from = machine.position(state).filter(|_| machine.runner().circuit().controls.len() < CONTROLS);
    let from = from.ok_or("the compiled rules cannot hold this position")?;
    let measure = Measure::of(machine.runner(), &from, limits);
    let measure = match (measure, limits.check()) {
        (Some(measure), _) => measure,
        (None, Some(hit)) => return Err(hit.to_string()),
        (None, None) => return Err(ENDLESS.into()),
    };
    Ok(Fit { machine, from, measure, sum })
}

const ENDLESS: &str = "no measure was found that play always raises, so positions may come back: this method needs play \
                       that ends";

/// Why a search ended early.
enum Halted {
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
struct Worth<'a> {
    machine: &'a CompiledMachine,
    rules: &'a rules::Rules,
    margin: bool,
    /// With margins: which way scores are better.
    way: Option<i64>,
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

struct Search<'a> {
    machine: &'a CompiledMachine,
    runner: &'a dyn Runner,
    limits: &'a Limits,
    progress: &'a dyn Progress,
    worth: Worth<'a>,
    measure: Measure,
    table: Transpositions,
    /// How many words a state has.
    size: usize,
    /// What the first player gets at least and at most wherever the game ends.
    range: (i32, i32),
    /// The position looked at.
    here: Position,
    /// The positions before the one that is searched.
    before: Vec<Position>,
    frames: Vec<Frame>,
    moves: Vec<Candidate>,
    /// The words of positions, each with its control behind it.
    words: Vec<u64>,
    ahead: Ahead,
    /// By group and lane, how much work a move has saved.
    history: Vec<Vec<u64>>,
    /// By ply, the last two moves that were good enough.
    killers: Vec<[(GroupId, u32); 2]>,
    nodes: u64,
    /// How many may be looked at.
    most: u64,
}

/// What a first look at a position gives.
enum Look {
    /// This bound.
    Bound(i32),
    /// It has to be searched: there is a frame for it.
    Deeper,
}

impl<'a> Search<'a> {
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

    fn held_bytes(&self) -> u64 {
        self.table.held_bytes() + 8 * self.words.capacity() as u64
    }

    /// What a position is worth between these bounds, closed in on as far as limits allow.
    fn value(&mut self, at: &Position, (low, high): &mut (i32, i32)) -> Result<(), Halted> {
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
    fn keeps(&mut self, to: &Position, maximises: bool, value: i32) -> Result<bool, Halted> {
        let t = if maximises { value } else { value + 1 };
        Ok((self.test(to, t)? >= t) == maximises)
    }
}

/// The bound that answers whether a position is worth at least `t`, if what is known does.
fn decides(known: Known, t: i32) -> Option<i32> {
    if known.low >= t { Some(known.low) } else { (known.high < t).then_some(known.high) }
}

/// Solves a position by this method; or says why it cannot.
pub fn solve(
    game: &Game,
    state: &State,
    picked: bool,
    options: &Options,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Solution, Box<Broken>> {
    let method = Method::AlphaBeta.name();
    let why = if picked { PICKED } else { ASKED };
    let fit = match fits(game, state, options, limits) {
        Ok(fit) => fit,
        Err(reason) => {
            let limit = limits.check();
            return Ok(Solution { limit, ..Solution::unknown(method, why, reason) });
        }
    };
    let most = limits.memory_bytes.map_or(TABLE_BYTES, |bytes| bytes - bytes / 16);
    let Some(table) = Transpositions::new(fit.from.words.len(), most) else {
        let hit = LimitHit::Memory;
        return Ok(Solution { limit: Some(hit), ..Solution::unknown(method, why, hit.to_string()) });
    };
    let range = stakes::range(&game.rules).filter(|_| !options.margin);
    let mut bounds = match range.map(|(low, high)| (low.floor().to_integer(), high.ceil().to_integer())) {
        Some((low, high)) => {
            let within = |n: i64| n.clamp(i64::from(LEAST), i64::from(GREATEST)) as i32;
            (within(low), within(high))
        }
        None => (LEAST, GREATEST),
    };
    let wide = bounds;
    let mut search = Search {
        machine: fit.machine,
        runner: fit.machine.runner(),
        limits,
        progress,
        worth: Worth {
            machine: fit.machine,
            rules: &game.rules,
            margin: options.margin,
            way: None,
            known: Vec::new(),
        },
        measure: fit.measure,
        table,
        size: fit.from.words.len(),
        range: bounds,
        here: fit.from.clone(),
        before: Vec::new(),
        frames: Vec::new(),
        moves: Vec::new(),
        words: Vec::new(),
        ahead: Ahead::default(),
        history: Vec::new(),
        killers: Vec::new(),
        nodes: 0,
        most: u64::MAX,
    };
    progress.phase("searching");
    let mut solution = Solution::unknown(method, why, "");
    solution.reason = None;
    let halted = search.value(&fit.from, &mut bounds).err();
    let mut teller = Teller { game, search, sum: fit.sum, margin: options.margin };
    let result = match halted {
        None => teller.tell(&fit.from, bounds.0, options, &mut solution),
        Some(halted) => {
            if bounds != wide {
                solution.status = Status::Bounded;
                let known =
                    |bound: i32, none: i32| (bound != none).then(|| Rational64::from(i64::from(bound)));
                solution.bounds =
                    Some(Bounds { low: known(bounds.0, LEAST), high: known(bounds.1, GREATEST) });
            }
            Err(halted)
        }
    };
    if let Err(halted) = result {
        teller.give_up(halted, &mut solution)?;
    }
    solution.positions = teller.search.nodes;
    solution.memory_bytes = teller.search.held_bytes();
    Ok(solution)
}

/// Puts what a search found into words.
struct Teller<'a> {
    game: &'a Game,
    search: Search<'a>,
    sum: Rational64,
    margin: bool,
}

impl Teller<'_> {
    fn stakes(&self) -> Stakes {
        let payoffs = self.game.rules.ends.iter().any(|e| matches!(e.outcome, rules::Outcome::Payoff(_)));
        Stakes {
            ends: Vec::new(),
            sum: self.sum,
            infinite: None,
            range: None,
            win_loss: !self.margin && !payoffs,
            players: 2,
            margin: self.margin.then(|| self.search.worth.way.unwrap_or(1)),
        }
    }

    fn made(&self, at: &Position, play: Play) -> Made {
        let written = self.game.written(&self.search.machine.state(at), &play);
        Made { play, written }
    }

    /// The value with best moves and best play, as far as they cost no more than it did.
    fn tell(
        &mut self,
        from: &Position,
        value: i32,
        options: &Options,
        solution: &mut Solution,
    ) -> Result<(), Halted> {
        let number = Rational64::from(i64::from(value));
        let children = self.search.machine.children(from).unwrap_or_default();
        let stakes = self.stakes();
        solution.status = Status::Solved;
        solution.value = Some(stakes.told(number, false));
        solution.margin = stakes.margin.map(|way| number * way);
        let mut told = match options.all_moves {
            true => self.all_moves(from, value, &children, solution),
            false => Ok(()),
        };
        if told.is_ok() {
            self.search.most = self.search.nodes.saturating_mul(2).saturating_add(TELLING);
            told = self.best_play(from, value, &children, options, solution);
        }
        match told {
            Err(halted @ Halted::Broken(_)) => Err(halted),
            // The value is known all the same.
            _ => Ok(()),
        }
    }

    fn all_moves(
        &mut self,
        from: &Position,
        value: i32,
        children: &[(Play, Position)],
        solution: &mut Solution,
    ) -> Result<(), Halted> {
        let moves = children.iter().map(|(play, _)| self.made(from, play.clone()));
        let moves = moves.map(|made| MoveValue { made, value: None, remoteness: None });
        solution.moves = moves.collect();
        self.search.before = vec![from.clone()];
        for ((_, to), told) in children.iter().zip(&mut solution.moves) {
            let mut bounds = self.search.range;
            self.search.value(to, &mut bounds)?;
            told.value = Some(self.stakes().told(Rational64::from(i64::from(bounds.0)), false));
            if bounds.0 == value {
                solution.best_moves.push(told.made.clone());
            }
        }
        Ok(())
    }

    fn best_play(
        &mut self,
        from: &Position,
        value: i32,
        children: &[(Play, Position)],
        options: &Options,
        solution: &mut Solution,
    ) -> Result<(), Halted> {
        let mut at = from.clone();
        self.search.before.clear();
        while solution.line.len() < options.line {
            let maximises = self.search.machine.actor(at.control) == 0;
            let here = self.search.machine.children(&at).unwrap_or_default();
            self.search.before.push(at.clone());
            let mut best = None;
            for (play, to) in here {
                if self.search.keeps(&to, maximises, value)? {
                    best = Some((play, to));
                    break;
                }
            }
            let Some((play, to)) = best else { break };
            let made = self.made(&at, play);
            if at == *from && solution.best_moves.is_empty() {
                solution.best_moves.push(made.clone());
            }
            solution.line.push(made);
            at = to;
        }
        // What is left is for the other moves that are as good.
        self.search.before = vec![from.clone()];
        let maximises = self.search.machine.actor(from.control) == 0;
        for (play, to) in children {
            let known = solution.best_moves.iter().any(|made| made.play == *play);
            if !options.all_moves && !known && self.search.keeps(to, maximises, value)? {
                let made = self.made(from, play.clone());
                solution.best_moves.push(made);
            }
        }
        Ok(())
    }

    /// What is said of a search that ended early.
    fn give_up(&mut self, halted: Halted, solution: &mut Solution) -> Result<(), Box<Broken>> {
        let (limit, reason) = match halted {
            Halted::Limit(hit) => (Some(hit), hit.to_string()),
            Halted::Wrong(reason) => (None, reason),
            Halted::Broken(at) => match self.broken(&at) {
                Ok(broken) => return Err(Box::new(broken)),
                Err(hit) => (Some(hit), hit.to_string()),
            },
            Halted::Enough | Halted::Learned => (None, ENDLESS.into()),
        };
        if limit.is_none() {
            solution.status = Status::Unknown;
            solution.bounds = None;
        }
        solution.limit = limit;
        solution.reason = Some(reason);
        Ok(())
    }

    /// A position without meaning, with the play that led to it.
    fn broken(&self, at: &Position) -> Result<Broken, LimitHit> {
        let search = &self.search;
        let state = search.machine.state(at);
        let kind = match self.game.within(search.limits).machine.expand(&state) {
            Err(Halt::Fault(fault)) => BrokenKind::Fault(fault),
            Err(Halt::Limit(hit)) => return Err(hit),
            Ok(_) => BrokenKind::Stuck,
        };
        let frame = |frame: &Frame| {
            let here = &search.words[frame.at..=frame.at + search.size];
            Position { control: ControlId(here[search.size] as u32), words: here[..search.size].into() }
        };
        let path = search.before.iter().cloned().chain(search.frames.iter().map(frame));
        let path: Vec<Position> = path.chain([at.clone()]).collect();
        let step = |pair: &[Position]| {
            let children = search.machine.children(&pair[0]).unwrap_or_default();
            children.into_iter().find(|(_, to)| *to == pair[1]).map(|(play, _)| play)
        };
        Ok(Broken { line: path.windows(2).filter_map(step).collect(), state, kind })
    }
}
