//! The value of every position of a large set at a few bytes each: games of two players that are won, lost or drawn.
//!
//! Technique: the positions are gathered as keys in a table, with two bytes each. Where every move leads from a ply to
//! the next, the plies are gone through from the last to the first, and each position is looked at once. Where positions
//! come back, the table is gone through again and again: the n-th pass finds the positions that are decided in n plies,
//! from those that the passes before it found. A pass looks at no control of which no move leads to one where the pass
//! before found something. What is left in the end is drawn by play without end.
//! Source: Bellman, "On the application of dynamic programming to the determination of optimal play in chess and
//! checkers" (1965) and Thompson, "Retrograde analysis of certain endgames" (1986) for the passes; Gasser, "Solving Nine
//! Men's Morris" (1996) for tables of all positions.
//! Cost: the key and two bytes a position, at a third to seven tenths full. Each undecided position is expanded in each
//! pass: the time is that of enumeration times the plies of the longest win, at most.
//! Invariant: the n-th pass heeds only what takes fewer than n plies, so what it finds does not depend on the order in
//! which positions are looked at; nor does it on the number of threads.
//! Not taken: the moves kept as numbers (`retrograde`), which costs eight bytes a move and saves the passes; moves
//! backwards, which not every rule has.

use std::ops::Range;

use num_rational::Rational64;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::stakes;
use super::tally::Tally;
use super::universe::{self, NoUniverse};
use super::value::{Made, MoveValue, Solution, Status, Value, ValueKind};
use super::{Method, Options};
use crate::base::limits::{LimitHit, Limits, Progress};
use crate::base::mem::{Table, hash};
use crate::circuit::ControlId;
use crate::exec::Ending;
use crate::game::closure::{Closure, Ended, Expander, Gathering, Mark, Odd, Room};
use crate::game::{Game, State, Turn};
use crate::rules;

/// What is known of a position, in two bytes: 0 nothing. Else the lower bits are the ply at which it comes first, and 1
/// more; or what it is worth, where that is [`KNOWN`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Worth(u16);

/// Set where the value is known.
const KNOWN: u16 = 0x8000;
/// Set while positions are gathered: it was reached at another ply, too.
const AGAIN: u16 = 0x4000;
/// Set where gathering began with it.
const FIRST: u16 = 0x2000;
/// The bits below these.
const LOWER: u16 = FIRST - 1;
/// Twice as many plies as a win may take, and the plies that can be told apart.
const FARTHEST: u16 = LOWER - 1;
/// A draw. Any other known worth is twice the plies, and 1 more where the second player wins.
const DRAW: Worth = Worth(KNOWN | LOWER);

impl Mark for Worth {
    fn reached(&mut self, ply: u32, new: bool) {
        // Plies past the farthest pass for one ply: then positions seem to come back.
        let stamp = ply.min(u32::from(FARTHEST) - 1) as u16 + 1;
        if new {
            self.0 = stamp | if ply == 0 { FIRST } else { 0 };
        } else if self.0 & LOWER != stamp {
            self.0 |= AGAIN;
        }
        if stamp == FARTHEST {
            self.0 |= AGAIN;
        }
    }
}

impl Worth {
    fn won(player: u32, plies: u16) -> Worth {
        Worth(KNOWN | plies << 1 | player as u16)
    }

    fn is_known(self) -> bool {
        self.0 & KNOWN != 0
    }

    fn is_draw(self) -> bool {
        self.0 & !FIRST == DRAW.0
    }

    /// The winner and the plies; none of draws and where it is not known.
    fn win(self) -> Option<(u32, u16)> {
        let won = self.is_known() && !self.is_draw();
        won.then_some((u32::from(self.0 & 1), (self.0 & LOWER) >> 1))
    }
}

/// How many slots of a part one piece of work has.
const SLOTS: usize = 1 << 13;
/// So many pieces are worked at before what they found is written down.
const AT_ONCE: usize = 32;
/// The moves of so many positions are fetched together.
const TOGETHER: usize = 16;

/// The values of a set of positions that is closed under moves.
pub struct Strong {
    expander: Expander,
    closure: Closure<Worth>,
    /// How the positions were decided: by plies, or by so many passes.
    pub passes: Option<u32>,
    /// The most bytes held.
    pub held_bytes: u64,
    /// All positions by their values; of a universe only those that it began with.
    pub tally: Tally,
    only_first: bool,
}

impl std::fmt::Debug for Strong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Strong of {} positions", self.closure.len())
    }
}

/// Why there are no values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failed {
    /// A limit was reached.
    Limit(LimitHit),
    /// The circuit does not know enough of a position.
    Odd,
    /// Play can go on for ever, or drawn positions cannot be told from such; no rule says what that is worth.
    Endless,
    /// A win takes more plies than two bytes hold.
    Far,
    /// There are no positions to begin with, for this reason.
    NoUniverse(String),
}

impl From<NoUniverse> for Failed {
    fn from(why: NoUniverse) -> Failed {
        match why {
            NoUniverse::Reason(reason) => Failed::NoUniverse(reason),
            NoUniverse::Limit(hit) => Failed::Limit(hit),
        }
    }
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failed::Limit(hit) => hit.fmt(f),
            Failed::Odd => f.write_str(
                "there is a position in which nobody can move though the game is not over, or the rules have no meaning",
            ),
            Failed::Endless => {
                f.write_str("play can go on for ever, and no `repeat` rule says what that is worth")
            }
            Failed::Far => f.write_str("a win takes more plies than the table can hold"),
            Failed::NoUniverse(reason) => f.write_str(reason),
        }
    }
}

/// Why this method cannot solve these rules; none where it can.
pub fn refusal(game: &Game, options: &Options) -> Option<&'static str> {
    let rules = &game.rules;
    let payoff = |end: &rules::EndRule| matches!(end.outcome, rules::Outcome::Payoff(_));
    let other = |repeat: &rules::Repeat| !matches!(repeat.outcome, rules::Outcome::Draw);
    let Some(machine) = game.compiled() else { return Some("the rules are not compiled") };
    if !machine.is_by_turns() {
        Some("the method is for games without chance in which one player moves at a time")
    } else if rules.players().len() != 2 || rules.ends.iter().any(payoff) || options.margin {
        Some("the method is for two players who win, lose or draw")
    } else if rules.repeats.iter().any(other) {
        Some("the method knows no play without end but a draw")
    } else {
        None
    }
}

impl Strong {
    /// Finds the values of all positions that moves lead to from this one.
    pub fn of_position(
        game: &Game,
        state: &State,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Result<Strong, Failed> {
        let machine = game.compiled().ok_or(Failed::Odd)?;
        let at = machine.position(state).ok_or(Failed::Odd)?;
        let begin = |gathering: &mut Gathering<'_, Worth>| {
            gathering.begin(at.control, &at.words);
            Ok(())
        };
        Strong::solve(game, begin, false, limits, progress)
    }

    /// Finds the values of all positions that satisfy the invariants, and of those that moves lead to from them. The
    /// game's machine takes nothing for granted of what play leads to.
    pub fn of_universe(game: &Game, limits: &Limits, progress: &dyn Progress) -> Result<Strong, Failed> {
        progress.phase("listing the universe");
        let begin = |gathering: &mut Gathering<'_, Worth>| {
            universe::begin(game, gathering, limits)?;
            Ok(())
        };
        Strong::solve(game, begin, true, limits, progress)
    }

    fn solve(
        game: &Game,
        begin: impl FnOnce(&mut Gathering<'_, Worth>) -> Result<(), Failed>,
        only_first: bool,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Result<Strong, Failed> {
        let machine = game.compiled().ok_or(Failed::Odd)?;
        let expander = Expander::new(machine);
        let mut gathering = Gathering::new(&expander);
        begin(&mut gathering)?;
        progress.phase("enumerating positions");
        let (closure, met, ended) = gathering.run(None, limits, progress);
        match ended {
            Ended::Complete => {}
            Ended::Limit(hit) => return Err(Failed::Limit(hit)),
            Ended::Odd => return Err(Failed::Odd),
        }
        let draws = game.rules.repeats.is_empty();
        let mut work = Work { expander, closure, limits, progress, draws, done: 0 };
        let by_plies = !work.marks().any(|mark| mark.0 & AGAIN != 0);
        let passes = if by_plies {
            work.by_plies(met.plies.len() as u32)?;
            None
        } else {
            Some(work.by_passes()?)
        };
        let Work { expander, closure, .. } = work;
        let unknown = |part: &Table<Worth>| {
            part.values().iter().any(|worth| *worth != Worth::default() && !worth.is_known())
        };
        let endless = closure.parts.iter().any(unknown);
        if endless && game.rules.repeats.is_empty() {
            return Err(Failed::Endless);
        }
        let held_bytes = met.held_bytes;
        let tally = Tally::default();
        let mut strong = Strong { expander, closure, passes, held_bytes, tally, only_first };
        strong.tally = strong.count();
        Ok(strong)
    }

    /// How many positions there are.
    pub fn len(&self) -> u64 {
        self.closure.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.closure.is_empty()
    }

    /// What a position is worth, and the plies of a win; none where it is not in the set.
    pub fn value(&self, state: &State) -> Option<(Value, Option<u32>)> {
        Some(self.told(self.worth(state)?))
    }

    fn worth(&self, state: &State) -> Option<Worth> {
        let at = self.expander.machine().position(state)?;
        let mut key = vec![0; self.expander.keys().width()];
        self.expander.keys().pack(at.control, &at.words, &mut key);
        self.closure.get(hash(&key), &key)
    }

    fn told(&self, worth: Worth) -> (Value, Option<u32>) {
        let result = |first: i64| vec![Rational64::from_integer(first), Rational64::from_integer(-first)];
        match worth.win() {
            Some((player, plies)) => {
                let first = if player == 0 { 1 } else { -1 };
                let value = Value { payoffs: result(first), kind: ValueKind::Win(player) };
                (value, Some(u32::from(plies)))
            }
            None => (Value { payoffs: result(0), kind: ValueKind::Draw }, None),
        }
    }

    /// Every legal move with what the position after it is worth.
    fn moves(&self, game: &Game, state: &State) -> Vec<(Made, State, Worth)> {
        let successors = game.machine.successors(state).unwrap_or_default();
        let each = successors.into_iter().filter_map(|successor| {
            let worth = self.worth(&successor.state)?;
            let written = game.written(state, &successor.play);
            Some((Made { play: successor.play, written }, successor.state, worth))
        });
        each.collect()
    }

    /// The moves that keep the value and win soonest or lose latest.
    fn best(&self, game: &Game, state: &State) -> Vec<(Made, State)> {
        let (Some(worth), Ok(Turn::Player(player))) = (self.worth(state), game.machine.turn(state)) else {
            return Vec::new();
        };
        let winner = worth.win().map(|(winner, _)| winner);
        let mut kept = self.moves(game, state);
        kept.retain(|(_, _, after)| after.win().map(|(winner, _)| winner) == winner);
        let plies = |after: &Worth| after.win().map_or(0, |(_, plies)| plies);
        let all = kept.iter().map(|(_, _, after)| plies(after));
        let wanted = if winner == Some(player) { all.min() } else { all.max() };
        kept.retain(|(_, _, after)| Some(plies(after)) == wanted);
        kept.into_iter().map(|(made, next, _)| (made, next)).collect()
    }

    fn line(&self, game: &Game, state: &State, limit: usize) -> Vec<Made> {
        let (mut line, mut seen, mut at) = (Vec::new(), FxHashSet::default(), state.clone());
        while line.len() < limit && seen.insert(at.clone()) {
            let Some((made, next)) = self.best(game, &at).into_iter().next() else { break };
            line.push(made);
            at = next;
        }
        line
    }

    fn count(&self) -> Tally {
        let controls = self.expander.machine().runner().circuit().controls.len();
        let one = |part: &Table<Worth>| {
            // By the control and the worth; a finished game is one in 0 plies or, drawn, counts with its mover.
            let mut counts = vec![FxHashMap::<u16, u64>::default(); controls];
            let mut room = Room::default();
            for slot in 0..part.capacity() {
                if let Some(key) = part.key(slot) {
                    let worth = part.values()[slot];
                    if self.only_first && worth.0 & FIRST == 0 {
                        continue;
                    }
                    let worth = if worth.is_known() { Worth(worth.0 & !FIRST) } else { DRAW };
                    let control = self.expander.control(key, &mut room);
                    *counts[control.0 as usize].entry(worth.0).or_default() += 1;
                }
            }
            counts
        };
        let parts: Vec<_> = self.closure.parts.par_iter().map(one).collect();
        let mut tally = Tally::default();
        for counts in parts {
            for (control, counts) in counts.into_iter().enumerate() {
                let mover = self.expander.machine().actor(ControlId(control as u32));
                let mut counts: Vec<(u16, u64)> = counts.into_iter().collect();
                counts.sort_unstable();
                for (worth, positions) in counts {
                    let (value, plies) = self.told(Worth(worth));
                    tally.add(Some(mover), &value, plies, positions);
                }
            }
        }
        tally.sort();
        tally
    }
}

/// A table being solved.
struct Work<'a> {
    expander: Expander,
    closure: Closure<Worth>,
    limits: &'a Limits,
    progress: &'a dyn Progress,
    /// Whether draws are to be told from play without end, of which no rule speaks.
    draws: bool,
    /// How many positions were looked at.
    done: u64,
}

/// What a pass looks for.
#[derive(Clone, Copy)]
struct Pass<'a> {
    /// Only positions that come first at this ply.
    ply: Option<u32>,
    /// Only of these controls.
    controls: &'a [bool],
    /// Only what takes fewer plies is heeded.
    below: u16,
    /// Whether it is asked only which games are over.
    ends: bool,
    /// Whether a draw is something found.
    draws: bool,
}

impl Work<'_> {
    fn marks(&self) -> impl Iterator<Item = Worth> + '_ {
        self.closure.parts.iter().flat_map(|part| part.values().iter().copied())
    }

    /// Every move leads from a ply to the next: one look at each position, the last ply first.
    fn by_plies(&mut self, plies: u32) -> Result<(), Failed> {
        let all = vec![true; self.expander.machine().runner().circuit().controls.len()];
        for ply in (0..plies).rev() {
            self.progress.phase(&format!("labelling ply {ply}"));
            let pass = Pass { ply: Some(ply), controls: &all, below: u16::MAX, ends: false, draws: false };
            self.pass(pass)?;
        }
        Ok(())
    }

    /// Positions come back: passes, as long as they find something. Gives their number.
    fn by_passes(&mut self) -> Result<u32, Failed> {
        for part in &mut self.closure.parts {
            for mark in part.values_mut().iter_mut().filter(|mark| mark.0 != 0) {
                mark.0 = mark.0 & FIRST | 1;
            }
        }
        let circuit = self.expander.machine().runner().circuit();
        let leads: Vec<Vec<ControlId>> = circuit
            .controls
            .iter()
            .map(|control| {
                let bodies = control.groups.iter().map(|&group| &circuit.groups[group].body);
                let blocks = bodies.chain([&control.stuck]);
                blocks.flat_map(|block| block.yields()).map(|after| after.to).collect()
            })
            .collect();
        let mut controls = vec![true; leads.len()];
        for n in 0..=FARTHEST / 2 {
            self.progress.phase(&format!("pass {n}"));
            let pass = Pass { ply: None, controls: &controls, below: n, ends: n == 0, draws: self.draws };
            let found = self.pass(pass)?;
            controls = leads.iter().map(|to| to.iter().any(|to| found[to.0 as usize])).collect();
            if !controls.contains(&true) {
                return Ok(u32::from(n) + 1);
            }
        }
        Err(Failed::Far)
    }

    /// One pass over the table. Of which controls positions were decided.
    fn pass(&mut self, pass: Pass<'_>) -> Result<Vec<bool>, Failed> {
        let mut found = vec![false; pass.controls.len()];
        let pieces: Vec<(usize, Range<usize>)> = self
            .closure
            .parts
            .iter()
            .enumerate()
            .flat_map(|(i, part)| {
                let ends = (0..part.capacity()).step_by(SLOTS);
                ends.map(move |from| (i, from..part.capacity().min(from + SLOTS)))
            })
            .collect();
        for pieces in pieces.chunks(AT_ONCE) {
            if let Some(hit) = self.limits.check() {
                return Err(Failed::Limit(hit));
            }
            let run = |(part, slots): &(usize, Range<usize>)| -> Result<Found, Failed> {
                let mut piece = Piece::new(&self.expander, &self.closure, pass, found.len());
                piece.run(*part, slots.clone())?;
                Ok(Found { seen: piece.seen, controls: piece.found, decided: piece.decided })
            };
            let done: Vec<Found> = pieces.par_iter().map(run).collect::<Result<_, Failed>>()?;
            for ((part, _), of) in pieces.iter().zip(done) {
                self.done += of.seen;
                found.iter_mut().zip(of.controls).for_each(|(found, here)| *found |= here);
                let values = self.closure.parts[*part].values_mut();
                for (slot, worth) in of.decided {
                    values[slot].0 = worth.0 | values[slot].0 & FIRST;
                }
            }
            self.progress.positions(self.done, self.closure.held_bytes());
        }
        Ok(found)
    }
}

/// What a part of a pass found.
struct Found {
    /// How many positions it looked at.
    seen: u64,
    /// The controls of those that were decided.
    controls: Vec<bool>,
    /// Their slots and what they are worth.
    decided: Vec<(usize, Worth)>,
}

/// A part of a pass that one thread does.
struct Piece<'a> {
    expander: &'a Expander,
    closure: &'a Closure<Worth>,
    pass: Pass<'a>,
    room: Room,
    /// Positions that wait for what their moves lead to: the slot, the control, where the keys of the moves end.
    waiting: Vec<(usize, ControlId, usize)>,
    /// Those keys, and their hashes.
    keys: Vec<u64>,
    hashes: Vec<u64>,
    seen: u64,
    found: Vec<bool>,
    decided: Vec<(usize, Worth)>,
}

impl<'a> Piece<'a> {
    fn new(
        expander: &'a Expander,
        closure: &'a Closure<Worth>,
        pass: Pass<'a>,
        controls: usize,
    ) -> Piece<'a> {
        Piece {
            expander,
            closure,
            pass,
            room: Room::default(),
            waiting: Vec::new(),
            keys: Vec::new(),
            hashes: Vec::new(),
            seen: 0,
            found: vec![false; controls],
            decided: Vec::new(),
        }
    }

    fn run(&mut self, part: usize, slots: Range<usize>) -> Result<(), Failed> {
        let (table, pass) = (&self.closure.parts[part], self.pass);
        let wanted = |mark: Worth| match pass.ply {
            Some(ply) => !mark.is_known() && u32::from(mark.0 & LOWER) == ply + 1,
            None => mark.0 != 0 && !mark.is_known(),
        };
        for slot in slots {
            if !wanted(table.values()[slot]) {
                continue;
            }
            let key = table.key(slot).expect("a mark belongs to a key");
            let control = self.expander.control(key, &mut self.room);
            if !pass.controls[control.0 as usize] {
                continue;
            }
            self.seen += 1;
            let Piece { room, keys, hashes, .. } = self;
            let ends = pass.ends;
            let over = self.expander.children(key, room, |key| {
                if !ends {
                    let hash = hash(key);
                    self.closure.prefetch(hash);
                    hashes.push(hash);
                    keys.extend_from_slice(key);
                }
            });
            match over {
                Err(Odd) => return Err(Failed::Odd),
                Ok(Some(ending)) => self.decide(slot, control, self.ended(&ending)),
                Ok(None) if ends => {}
                Ok(None) => self.waiting.push((slot, control, self.hashes.len())),
            }
            if self.waiting.len() == TOGETHER {
                self.settle()?;
            }
        }
        self.settle()
    }

    fn decide(&mut self, slot: usize, control: ControlId, worth: Worth) {
        self.found[control.0 as usize] |= !worth.is_draw() || self.pass.draws;
        self.decided.push((slot, worth));
    }

    fn ended(&self, ending: &Ending) -> Worth {
        let outcome = self.expander.machine().outcome(ending);
        let first = outcome.payoffs.first().copied().unwrap_or_default();
        match first.cmp(&Rational64::default()) {
            std::cmp::Ordering::Greater => Worth::won(0, 0),
            std::cmp::Ordering::Less => Worth::won(1, 0),
            std::cmp::Ordering::Equal => DRAW,
        }
    }

    /// What the positions that wait are worth by what their moves lead to.
    fn settle(&mut self) -> Result<(), Failed> {
        let width = self.expander.keys().width();
        let mut from = 0;
        for (slot, control, to) in std::mem::take(&mut self.waiting) {
            let keys = self.keys[from * width..to * width].chunks_exact(width);
            let player = self.expander.machine().actor(control);
            let (mut soonest, mut latest, mut drawn, mut open) = (None, None, false, false);
            for (key, &hash) in keys.zip(&self.hashes[from..to]) {
                let worth = self.closure.get(hash, key).ok_or(Failed::Odd)?;
                match worth.win() {
                    Some((_, plies)) if plies >= self.pass.below => open = true,
                    Some((winner, plies)) if winner == player => {
                        soonest = Some(soonest.map_or(plies, |other: u16| other.min(plies)));
                    }
                    Some((_, plies)) => latest = Some(latest.map_or(plies, |other: u16| other.max(plies))),
                    None if worth.is_draw() => drawn = true,
                    None => open = true,
                }
            }
            from = to;
            let won = |player, plies: u16| match plies + 1 {
                plies if plies < FARTHEST / 2 => Ok(Worth::won(player, plies)),
                _ => Err(Failed::Far),
            };
            match (soonest, latest) {
                (Some(plies), _) => self.decide(slot, control, won(player, plies)?),
                _ if open => {}
                (None, Some(plies)) if !drawn => self.decide(slot, control, won(1 - player, plies)?),
                _ => self.decide(slot, control, DRAW),
            }
        }
        self.keys.clear();
        self.hashes.clear();
        Ok(())
    }
}

/// Solves the positions that a position leads to, by this method alone; none where it turns out not to fit, or where
/// another has to say what is wrong with the rules.
pub fn solve(
    game: &Game,
    state: &State,
    options: &Options,
    limits: &Limits,
    progress: &dyn Progress,
) -> Option<Solution> {
    if stakes::refusal(&game.rules).is_some() || refusal(game, options).is_some() {
        return None;
    }
    match Strong::of_position(game, state, limits, progress) {
        Ok(strong) => Some(tell(&strong, game, state, options)),
        Err(Failed::Limit(hit)) => Some(unknown(&Failed::Limit(hit))),
        Err(_) => None,
    }
}

/// Solves all positions that satisfy the invariants; says of the given one what it says of any of them.
pub fn solve_universe(
    game: &Game,
    state: &State,
    options: &Options,
    limits: &Limits,
    progress: &dyn Progress,
) -> Solution {
    let refusal = stakes::refusal(&game.rules).or_else(|| refusal(game, options).map(str::to_owned));
    let solved = match refusal {
        Some(reason) => Err(Failed::NoUniverse(reason)),
        None => Strong::of_universe(game, limits, progress),
    };
    match solved {
        Ok(strong) => tell(&strong, game, state, options),
        Err(why) => unknown(&why),
    }
}

fn unknown(why: &Failed) -> Solution {
    let limit = if let Failed::Limit(hit) = why { Some(*hit) } else { None };
    Solution { limit, ..Solution::unknown(Method::Retrograde.name(), "", why.to_string()) }
}

fn tell(strong: &Strong, game: &Game, state: &State, options: &Options) -> Solution {
    let why = match strong.passes {
        None => {
            "each move leads from a ply to the next, so values are worked out ply by ply from the last".into()
        }
        Some(passes) => {
            format!("positions can come back, so each of {passes} passes found what is a ply farther")
        }
    };
    let mut solution = Solution { reason: None, ..Solution::unknown(Method::Retrograde.name(), &why, "") };
    solution.status = Status::Solved;
    solution.positions = strong.len();
    solution.memory_bytes = strong.held_bytes;
    solution.tally = Some(strong.tally.clone());
    // A universe need not have the position in it that the game begins with.
    if let Some((value, remoteness)) = strong.value(state) {
        solution.value = Some(value);
        solution.remoteness = remoteness;
        solution.best_moves = strong.best(game, state).into_iter().map(|(made, _)| made).collect();
        solution.line = strong.line(game, state, options.line);
        if options.all_moves {
            let worth = |(made, _, worth): (Made, State, Worth)| {
                let (value, plies) = strong.told(worth);
                MoveValue { made, value: Some(value), remoteness: plies.map(|plies| plies + 1) }
            };
            solution.moves = strong.moves(game, state).into_iter().map(worth).collect();
        }
    }
    solution
}
