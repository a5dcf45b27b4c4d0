//! The value of every position of a large set at a few bytes each: games of two players that are won, lost or drawn.
//!
//! Technique: the positions are gathered as keys in a table, with two bytes each. Where every move leads from a ply to
//! the next, the plies are gone through from the last to the first, and each position is looked at once. Where it is
//! proved that a position comes at one ply only, each ply has a table of its own. Where positions come back, those that
//! are decided in n plies tell the positions before them, by lists of the moves backwards. Where there is no room for the
//! lists, the table is gone through again and again: the n-th pass finds the positions that are decided in n plies, from
//! those that the passes before it found. A pass looks at no control of which no move leads to one where the pass before
//! found something. What is left in the end is drawn by play without end.
//! Where positions are numbers without gaps, as stones on places that fill up, those numbers take the place of keys
//! (`numbered`), as long as play reaches a part of them that is not too small.
//! Source: Bellman, "On the application of dynamic programming to the determination of optimal play in chess and
//! checkers" (1965) and Thompson, "Retrograde analysis of certain endgames" (1986) for the passes; Gasser, "Solving Nine
//! Men's Morris" (1996) for tables of all positions.
//! Cost: the key and two bytes a position, at a third to seven tenths full. With lists, four bytes a move and ten a slot,
//! and three times the moves of each position. In passes, each undecided position is expanded in each of them: the time
//! is that of enumeration times the plies of the longest win, at most.
//! Invariant: the n-th pass heeds only what takes fewer than n plies, so what it finds does not depend on the order in
//! which positions are looked at; nor does it on the number of threads. Lists and passes find the same.
//! Not taken: moves taken back, which not every rule has.

mod backwards;
mod counting;
pub mod kept;
mod numbered;
mod passes;
mod walk;

use std::cmp::Ordering;
use std::ops::ControlFlow;

use num_rational::Rational64;
use rustc_hash::FxHashSet;

use super::stakes;
use super::tally::Tally;
use super::universe::{self, Listed, NoUniverse};
use super::value::{Made, MoveValue, Solution, Status, Value, ValueKind};
use super::{Method, Options, Symmetry, folding};
use crate::base::limits::{LimitHit, Limits, Progress};
use crate::base::mem::{Table, hash};
use crate::circuit::filling::Filling;
use crate::exec::Ending;
use crate::game::closure::{Closure, Ended, Expander, Gathering, Mark, Met, Reached};
use crate::game::{CompiledMachine, Game, State, Turn};
use crate::rules;
use kept::{Held, Kept, Known, Labelled, Stage};
use numbered::Numbered;
use passes::Work;

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

    /// While positions are gathered.
    fn ply(self) -> Option<u32> {
        let stamp = self.0 & LOWER;
        (1..FARTHEST).contains(&stamp).then(|| u32::from(stamp) - 1)
    }
}

impl Worth {
    fn won(player: u32, plies: u16) -> Worth {
        Worth(KNOWN | plies << 1 | player as u16)
    }

    /// A win in so many plies, if two bytes hold it.
    fn won_in(player: u32, plies: u16) -> Result<Worth, Failed> {
        if plies < FARTHEST / 2 { Ok(Worth::won(player, plies)) } else { Err(Failed::Far) }
    }

    /// What a position is worth in which the game has ended so.
    fn of_end(machine: &CompiledMachine, ending: &Ending) -> Worth {
        let first = machine.outcome(ending).payoffs.first().copied().unwrap_or_default();
        match first.cmp(&Rational64::default()) {
            Ordering::Greater => Worth::won(0, 0),
            Ordering::Less => Worth::won(1, 0),
            Ordering::Equal => DRAW,
        }
    }

    /// What a position is worth for who moves there, by what it is worth after each move, if only wins in fewer plies
    /// than these are heeded; none where that is not known yet.
    #[inline]
    fn by_moves(player: u32, to: impl Iterator<Item = Worth>, below: u16) -> Result<Option<Worth>, Failed> {
        let (mut soonest, mut latest, mut drawn, mut open) = (None, None, false, false);
        for worth in to {
            match worth.win() {
                Some((_, plies)) if plies >= below => open = true,
                Some((winner, plies)) if winner == player => {
                    soonest = Some(soonest.map_or(plies, |other: u16| other.min(plies)));
                }
                Some((_, plies)) => latest = Some(latest.map_or(plies, |other: u16| other.max(plies))),
                None if worth.is_draw() => drawn = true,
                None => open = true,
            }
        }
        Ok(match (soonest, latest) {
            (Some(plies), _) => Some(Worth::won_in(player, plies + 1)?),
            _ if open => None,
            (None, Some(plies)) if !drawn => Some(Worth::won_in(1 - player, plies + 1)?),
            _ => Some(DRAW),
        })
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

/// The end that was met last, and what it is worth: most games end alike.
#[derive(Default)]
struct LastEnd(Option<(Ending, Worth)>);

impl LastEnd {
    /// What a position is worth in which the game has ended so.
    #[inline]
    fn worth(&mut self, machine: &CompiledMachine, ending: &Ending) -> Worth {
        match &self.0 {
            Some((last, worth)) if last.is(ending) => *worth,
            _ => {
                let worth = Worth::of_end(machine, ending);
                self.0 = Some((ending.clone(), worth));
                worth
            }
        }
    }
}

/// Of which positions the values are wanted.
#[derive(Clone, Copy, Debug)]
pub enum Of<'s> {
    /// Of those that moves lead to from this one.
    Position(&'s State),
    /// Of those that satisfy the invariants, and of those that moves lead to from them.
    Universe,
}

/// What gives the moves, for a set that is to be gathered or was, then by so many symmetries.
fn expander(
    game: &Game,
    symmetry: Symmetry,
    known: Option<&Known>,
    limits: &Limits,
) -> Result<Expander, Failed> {
    let machine = game.compiled().ok_or(Failed::Odd)?;
    let wanted = known.map(|known| known.symmetries);
    let canonical = match (wanted, symmetry) {
        (Some(1), _) | (None, Symmetry::Off) => None,
        _ => folding::canonical_anywhere(game, limits),
    };
    let expander =
        canonical.map_or_else(|| Expander::new(machine), |canonical| Expander::folded(machine, canonical));
    match wanted {
        Some(wanted) if wanted != expander.symmetries() => {
            let found = expander.symmetries();
            Err(Failed::File(format!(
                "the table has positions by {wanted} symmetries, and {found} are found"
            )))
        }
        _ => Ok(expander),
    }
}

/// Keeps what is known so far where that is wanted, while all threads are at rest.
struct Resting<'a, 'k> {
    kept: Option<&'a mut Kept<'k>>,
    symmetries: usize,
    /// Why nothing could be kept.
    failed: Option<String>,
}

impl Resting<'_, '_> {
    /// Keeps it if it is time; whether to go on.
    fn rest(&mut self, held: Held<'_>, stage: impl FnOnce() -> Stage) -> ControlFlow<()> {
        if let Some(kept) = self.kept.as_mut()
            && kept.keeper.is_due(held.bytes())
        {
            self.failed = kept.keep(self.symmetries, held, stage()).err();
        }
        if self.failed.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Keeps positions by their numbers, at a stage of their labelling.
    fn keep(&mut self, numbered: &Numbered, stage: &Labelled) -> Result<(), Failed> {
        let Some(kept) = self.kept.as_mut() else { return Ok(()) };
        kept.keep(self.symmetries, numbered.held(), Stage::Labelling(stage.clone())).map_err(Failed::File)
    }

    /// Why somebody did not go on.
    fn failed(&mut self) -> Failed {
        Failed::File(self.failed.take().unwrap_or_default())
    }
}

/// Whether it is proved that each position that moves lead to from this one comes at one ply only, which a mark can tell.
/// One that stands for others does so, too, where no symmetry leads away from the first.
fn comes_once(expander: &Expander, words: &[u64]) -> bool {
    let filling = Filling::of(expander.machine().runner().circuit());
    filling.is_some_and(|filling| filling.takes_one() && filling.left(words) + 2 <= u32::from(FARTHEST))
        && expander.canonical().is_none_or(|canonical| canonical.orbit_of(words) == 1)
}

/// Where gathering begins, with what was listed of a universe so far.
fn begin<'e>(
    (game, of): (&Game, Of<'_>),
    expander: &'e Expander,
    listed: Option<(Closure<Worth>, Listed)>,
    resting: &mut Resting<'_, '_>,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Gathering<'e, Worth>, Failed> {
    match of {
        Of::Position(state) => {
            let at = expander.machine().position(state).ok_or(Failed::Odd)?;
            let mut gathering = match comes_once(expander, &at.words) {
                true => Gathering::apart(expander),
                false => Gathering::new(expander, None),
            };
            gathering.begin(at.control, &at.words);
            Ok(gathering)
        }
        Of::Universe => {
            progress.phase("listing the universe");
            let mut at_rest = |closure: &Closure<Worth>, listed: &Listed| {
                resting.rest(Held::Hashed(closure), || Stage::Listing(listed.clone()))
            };
            universe::begin(game, expander, listed, limits, &mut at_rest).map_err(|why| match why {
                NoUniverse::Reason(reason) => Failed::NoUniverse(reason),
                NoUniverse::Limit(hit) => Failed::Limit(hit),
                NoUniverse::Unlike => Failed::Unlike,
                NoUniverse::Left => resting.failed(),
            })
        }
    }
}

/// Gathers the positions.
fn gather(
    gathering: Gathering<'_, Worth>,
    resting: &mut Resting<'_, '_>,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<(Closure<Worth>, Met), Failed> {
    progress.phase("enumerating positions");
    let mut at_rest = |closure: &Closure<Worth>, reached: Reached| {
        // What is gone on with has to tell the positions that are looked at from those that they lead to.
        let told = reached.ply + 1 < u32::from(FARTHEST) - 1;
        if told {
            resting.rest(Held::Hashed(closure), || Stage::Gathering(reached))
        } else {
            ControlFlow::Continue(())
        }
    };
    let (closure, met, ended) = gathering.run(None, limits, progress, &mut at_rest);
    match ended {
        Ended::Complete => Ok((closure, met)),
        Ended::Limit(hit) => {
            Err(Failed::Unsettled { hit, positions: closure.len(), held_bytes: met.held_bytes })
        }
        Ended::Left => Err(resting.failed()),
        Ended::Odd => Err(Failed::Odd),
    }
}

/// Positions, with what is known of them.
#[derive(Debug)]
enum Set {
    /// By their keys.
    Hashed(Closure<Worth>),
    /// By numbers without gaps.
    Numbered(Numbered),
}

/// The values of a set of positions that is closed under moves.
pub struct Strong {
    expander: Expander,
    set: Set,
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
        write!(f, "Strong of {} positions", self.len())
    }
}

/// Why there are no values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failed {
    /// A limit was reached.
    Limit(LimitHit),
    /// A limit was reached when so many positions were gathered and so many bytes held at most, and not all were decided.
    Unsettled { hit: LimitHit, positions: u64, held_bytes: u64 },
    /// The circuit does not know enough of a position.
    Odd,
    /// Play can go on for ever, or drawn positions cannot be told from such; no rule says what that is worth.
    Endless,
    /// A win takes more plies than two bytes hold.
    Far,
    /// The universe does not have all positions that stand for one another.
    Unlike,
    /// There are no positions to begin with, for this reason.
    NoUniverse(String),
    /// The table could not be kept, for this reason.
    File(String),
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failed::Limit(hit) | Failed::Unsettled { hit, .. } => hit.fmt(f),
            Failed::Odd => f.write_str(
                "there is a position in which nobody can move though the game is not over, or the rules have no meaning",
            ),
            Failed::Endless => {
                f.write_str("play can go on for ever, and no `repeat` rule says what that is worth")
            }
            Failed::Unlike => f.write_str("the universe does not have all positions that stand for one another"),
            Failed::Far => f.write_str("a win takes more plies than the table can hold"),
            Failed::NoUniverse(reason) | Failed::File(reason) => f.write_str(reason),
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
        Strong::of(game, (Of::Position(state), Symmetry::Off), None, limits, progress)
    }

    /// Finds the values of all positions that satisfy the invariants, and of those that moves lead to from them. The
    /// game's machine takes nothing for granted of what play leads to.
    pub fn of_universe(game: &Game, limits: &Limits, progress: &dyn Progress) -> Result<Strong, Failed> {
        Strong::of(game, (Of::Universe, Symmetry::Off), None, limits, progress)
    }

    /// Finds the values of these positions, and keeps them where that is wanted; goes on with what was kept.
    pub fn of<'k>(
        game: &Game,
        (of, symmetry): (Of<'_>, Symmetry),
        mut kept: Option<Kept<'k>>,
        limits: &'k Limits,
        progress: &'k dyn Progress,
    ) -> Result<Strong, Failed> {
        let machine = game.compiled().ok_or(Failed::Odd)?;
        let by_numbers = |known: &mut Known| matches!(known.set, Set::Numbered(_));
        let numbered = match kept.as_mut().and_then(|kept| kept.known.take_if(by_numbers)) {
            Some(Known { set: Set::Numbered(numbered), stage, .. }) => Some((numbered, Some(stage))),
            _ if kept.as_ref().is_some_and(|kept| kept.known.is_some()) => None,
            _ => Numbered::begin(machine, of).map(|numbered| (numbered, None)),
        };
        if let Some(numbered) = numbered
            && let Some(strong) = Strong::by_numbers(machine, numbered, &mut kept, limits, progress)?
        {
            return Ok(strong);
        }
        Strong::by_keys(game, (of, symmetry), kept, limits, progress)
    }

    /// The same by keys, also where positions are numbers without gaps.
    pub fn by_keys<'k>(
        game: &Game,
        (of, symmetry): (Of<'_>, Symmetry),
        mut kept: Option<Kept<'k>>,
        limits: &'k Limits,
        progress: &'k dyn Progress,
    ) -> Result<Strong, Failed> {
        let draws = game.rules.repeats.is_empty();
        let known = kept.as_mut().and_then(|kept| kept.known.take());
        let expander = expander(game, symmetry, known.as_ref(), limits)?;
        let symmetries = expander.symmetries();
        let mut resting = Resting { kept: kept.as_mut(), symmetries, failed: None };
        let mut begin = |listed| begin((game, of), &expander, listed, &mut resting, limits, progress);
        let gathering = match known {
            Some(Known { set: Set::Hashed(closure), stage: Stage::Labelling(stage), .. }) => {
                let held = closure.held_bytes();
                let work = Work {
                    expander,
                    closure,
                    limits,
                    progress,
                    draws,
                    done: 0,
                    held,
                    kept,
                    lists: Vec::new(),
                };
                return Strong::label(work, stage, of);
            }
            Some(Known { set: Set::Hashed(closure), stage: Stage::Gathering(reached), .. }) => {
                Ok(Gathering::again(&expander, closure, Some(reached)))
            }
            Some(Known { set: Set::Hashed(closure), stage: Stage::Listing(listed), .. }) => {
                begin(Some((closure, listed)))
            }
            Some(Known { set: Set::Numbered(_), .. }) | None => begin(None),
        };
        if matches!(gathering, Err(Failed::Unlike)) {
            drop(gathering);
            return Strong::by_keys(game, (of, Symmetry::Off), kept, limits, progress);
        }
        let (closure, met) = gather(gathering?, &mut resting, limits, progress)?;
        let held = met.held_bytes;
        let mut work =
            Work { expander, closure, limits, progress, draws, done: 0, held, kept, lists: Vec::new() };
        let stage = work.first_stage(met.plies.len() as u32);
        work.keep(&stage)?;
        Strong::label(work, stage, of)
    }

    /// Labels the positions that were gathered, from where an earlier run had got to.
    fn label(mut work: Work<'_>, stage: Labelled, of: Of<'_>) -> Result<Strong, Failed> {
        let passes = work.run(stage).map_err(|why| match why {
            Failed::Limit(hit) => {
                Failed::Unsettled { hit, positions: work.closure.len(), held_bytes: work.held }
            }
            other => other,
        })?;
        let Work { expander, closure, held: held_bytes, draws, .. } = work;
        let unknown = |part: &Table<Worth>| {
            part.values().iter().any(|worth| *worth != Worth::default() && !worth.is_known())
        };
        if draws && closure.parts.iter().any(unknown) {
            return Err(Failed::Endless);
        }
        let tally = Tally::default();
        let only_first = matches!(of, Of::Universe);
        let mut strong =
            Strong { expander, set: Set::Hashed(closure), passes, held_bytes, tally, only_first };
        strong.tally = strong.count();
        Ok(strong)
    }

    /// How many positions there are.
    pub fn len(&self) -> u64 {
        match &self.set {
            Set::Hashed(closure) => closure.len(),
            Set::Numbered(numbered) => numbered.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a position is worth, and the plies of a win; none where it is not in the set.
    pub fn value(&self, state: &State) -> Option<(Value, Option<u32>)> {
        Some(self.told(self.worth(state)?))
    }

    fn worth(&self, state: &State) -> Option<Worth> {
        let at = self.expander.machine().position(state)?;
        match &self.set {
            Set::Hashed(closure) => {
                let key = self.expander.key(&closure.keys, at.control, &at.words)?;
                closure.get(hash(&key), &key)
            }
            Set::Numbered(numbered) => numbered.get(&at),
        }
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
    match Strong::of(game, (Of::Position(state), options.symmetry), None, limits, progress) {
        Ok(strong) => Some(tell(&strong, game, state, options)),
        Err(why @ (Failed::Limit(_) | Failed::Unsettled { .. })) => Some(unknown(&why)),
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
    solve_kept(game, (state, Of::Universe), options, None, limits, progress)
}

/// Solves these positions by this method alone, and keeps the table where that is wanted; says what it says of one.
pub fn solve_kept<'k>(
    game: &Game,
    (state, of): (&State, Of<'_>),
    options: &Options,
    kept: Option<Kept<'k>>,
    limits: &'k Limits,
    progress: &'k dyn Progress,
) -> Solution {
    let refusal = stakes::refusal(&game.rules).or_else(|| refusal(game, options).map(str::to_owned));
    let solved = match refusal {
        Some(reason) => Err(Failed::NoUniverse(reason)),
        None => Strong::of(game, (of, options.symmetry), kept, limits, progress),
    };
    match solved {
        Ok(strong) => tell(&strong, game, state, options),
        Err(why) => unknown(&why),
    }
}

fn unknown(why: &Failed) -> Solution {
    let (limit, positions, memory_bytes) = match *why {
        Failed::Limit(hit) => (Some(hit), 0, 0),
        Failed::Unsettled { hit, positions, held_bytes } => (Some(hit), positions, held_bytes),
        _ => (None, 0, 0),
    };
    let unknown = Solution::unknown(Method::Retrograde.name(), "", why.to_string());
    Solution { limit, positions, memory_bytes, ..unknown }
}

fn tell(strong: &Strong, game: &Game, state: &State, options: &Options) -> Solution {
    let why = match strong.passes {
        None if matches!(strong.set, Set::Numbered(_)) => {
            "each move takes a place for good, so positions are numbers, and values are worked out ply by ply from \
             the last"
                .into()
        }
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
    solution.folded = strong.expander.symmetries() > 1;
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
