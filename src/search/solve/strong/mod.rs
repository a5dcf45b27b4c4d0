//! Strong solution: the value of every position of a large set at a few bytes each, by retrograde analysis, for games
//! of two players with wins, losses and draws.
//!
//! Technique: the solver gathers the reachable set as keys in a table, with two bytes each. If every move leads from a
//! ply to the next, it processes the plies from the last to the first, and visits each position once. If it is proved
//! that a position occurs at one ply only, each ply has a table of its own. If positions may repeat, the positions
//! decided in n plies update their predecessors, by lists of reverse edges. If memory does not suffice for the lists,
//! the solver makes passes over the table: the n-th pass finds the positions decided in n plies, from those that the
//! passes before found. A pass skips each control whose moves lead to no control where the pass before found something.
//! The positions that remain undecided are draws by infinite play.
//! If positions have a dense index, such as stones on cells that fill up, the indices replace the keys (`numbered`), as
//! long as the reachable fraction of them is not too small.
//! Source: Bellman, "On the application of dynamic programming to the determination of optimal play in chess and
//! checkers" (1965) and Thompson, "Retrograde analysis of certain endgames" (1986) for the passes; Gasser, "Solving
//! Nine Men's Morris" (1996) for tables of all positions.
//! Cost: the key and two bytes a position, at a load of a third to seven tenths. With lists, four bytes a move and ten
//! a slot, and three move generations for each position. In passes, each pass expands every undecided position: the
//! time is at most that of enumeration times the plies of the longest win.
//! Invariant: the n-th pass uses only results of fewer than n plies, so its results depend neither on the order of the
//! visits nor on the number of threads. Lists and passes give the same results.
//! Not taken: unmoves, which not every game has.

mod batched_lookup;
mod histogram;
mod indexed_table;
mod passes;
mod reverse_edges;
pub mod table_file;

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use bouton_base::rational::Rational;
use rustc_hash::FxHashSet;

use super::histogram::ValueHistogram;
use super::payoffs;
use super::retrograde::RETROGRADE;
use super::solver::{Cost, Estimate, SolveRequest, Solver};
use super::state_enumeration::{self, EnumerationError, EnumerationProgress};
use super::value::{MoveValue, Solution, Status, Value, ValueKind, WrittenMove};
use super::{Inapplicable, SolveOptions, SymmetryMode, symmetry_reduction};
use crate::game::explore::FaultyPosition;
use crate::game::reachable_set::{
    Expander, PositionMark, ReachStats, ReachabilitySearch, ReachableSet, SearchEnd, SearchProgress,
};
use crate::game::{CompiledMachine, Game, State, ToMove};
use bouton_backend::CircuitEnding;
use bouton_base::key_table::{KeyTable, hash};
use bouton_base::limits::{LimitHit, Limits, Progress};
use bouton_circuit::placement::PlacementGame;
use bouton_rules as rules;
use indexed_table::IndexedTable;
use passes::StrongLabelling;
use table_file::{
    ByteError, CheckpointError, Checkpointing, LabellingStage, LoadedTable, StoreView, TableStage,
};

/// The state of a position in two bytes. 0: no information. With [`KNOWN_BIT`]: the value. Otherwise the lower bits are
/// 1 plus the first ply at which the position occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct PackedValue(u16);

/// The bit of a known value.
const KNOWN_BIT: u16 = 0x8000;
/// The bit of a position that occurs at several plies, during gathering.
const REPEATED_BIT: u16 = 0x4000;
/// The bit of a position that gathering began with.
const SEED_BIT: u16 = 0x2000;
/// The mask of the bits below these.
const LOW_BITS: u16 = SEED_BIT - 1;
/// Twice the exclusive bound of the plies of a win, and the exclusive bound of distinguishable plies.
const MAX_STAMP: u16 = LOW_BITS - 1;
/// A draw. Any other known value is twice the plies of the win, plus 1 if the second player wins.
const PACKED_DRAW: PackedValue = PackedValue(KNOWN_BIT | LOW_BITS);

impl PositionMark for PackedValue {
    fn reached(&mut self, ply: u32, new: bool) {
        // Plies beyond the bound share one stamp: then positions count as repeated.
        let stamp = ply.min(u32::from(MAX_STAMP) - 1) as u16 + 1;
        if new {
            self.0 = stamp | if ply == 0 { SEED_BIT } else { 0 };
        } else if self.0 & LOW_BITS != stamp {
            self.0 |= REPEATED_BIT;
        }
        if stamp == MAX_STAMP {
            self.0 |= REPEATED_BIT;
        }
    }

    /// The first ply of a position, during gathering.
    fn ply(self) -> Option<u32> {
        let stamp = self.0 & LOW_BITS;
        (1..MAX_STAMP).contains(&stamp).then(|| u32::from(stamp) - 1)
    }
}

impl PackedValue {
    fn won(player: u32, plies: u16) -> PackedValue {
        PackedValue(KNOWN_BIT | plies << 1 | player as u16)
    }

    /// A win in this number of plies, if two bytes hold it.
    fn won_in(player: u32, plies: u16) -> Result<PackedValue, StrongError> {
        if plies < MAX_STAMP / 2 {
            Ok(PackedValue::won(player, plies))
        } else {
            Err(StrongError::TooManyPlies)
        }
    }

    /// Returns the value of a terminal with this ending.
    fn of_end(machine: &CompiledMachine, ending: &CircuitEnding) -> PackedValue {
        let first = machine.outcome(ending).payoffs.first().cloned().unwrap_or_default();
        match first.cmp(&Rational::default()) {
            Ordering::Greater => PackedValue::won(0, 0),
            Ordering::Less => PackedValue::won(1, 0),
            Ordering::Equal => PACKED_DRAW,
        }
    }

    /// Returns the value of a position for its mover from the values after its moves, using only wins in fewer plies
    /// than `below`; `None` if it is not decided yet.
    #[inline]
    fn by_moves(
        player: u32,
        to: impl Iterator<Item = PackedValue>,
        below: u16,
    ) -> Result<Option<PackedValue>, StrongError> {
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
            (Some(plies), _) => Some(PackedValue::won_in(player, plies + 1)?),
            _ if open => None,
            (None, Some(plies)) if !drawn => Some(PackedValue::won_in(1 - player, plies + 1)?),
            _ => Some(PACKED_DRAW),
        })
    }

    fn is_known(self) -> bool {
        self.0 & KNOWN_BIT != 0
    }

    fn is_draw(self) -> bool {
        self.0 & !SEED_BIT == PACKED_DRAW.0
    }

    /// Returns the winner and the plies; `None` for draws and unknown values.
    fn win(self) -> Option<(u32, u16)> {
        let won = self.is_known() && !self.is_draw();
        won.then_some((u32::from(self.0 & 1), (self.0 & LOW_BITS) >> 1))
    }
}

/// A cache of the last ending and its value: most games end alike.
#[derive(Default)]
struct EndingCache(Option<(CircuitEnding, PackedValue)>);

impl EndingCache {
    /// Returns the value of a terminal with this ending.
    #[inline]
    fn worth(&mut self, machine: &CompiledMachine, ending: &CircuitEnding) -> PackedValue {
        match &self.0 {
            Some((last, worth)) if last.equals(ending) => *worth,
            _ => {
                let worth = PackedValue::of_end(machine, ending);
                self.0 = Some((ending.clone(), worth));
                worth
            }
        }
    }
}

/// The positions to solve.
#[derive(Clone, Copy, Debug)]
pub enum PositionSet<'s> {
    /// The positions reachable from this one.
    Position(&'s State),
    /// The positions that satisfy the invariants, and those reachable from them.
    Universe,
}

/// The positions to solve, and the use of symmetry reduction among them.
#[derive(Clone, Copy, Debug)]
pub struct StrongRequest<'s> {
    pub positions: PositionSet<'s>,
    pub symmetry: SymmetryMode,
}

/// Creates the expander for a set. A loaded table fixes the number of symmetries.
fn expander(
    game: &Game,
    symmetry: SymmetryMode,
    known: Option<&LoadedTable>,
    limits: &Limits,
) -> Result<Expander, StrongError> {
    let machine = game.compiled().ok_or(StrongError::RulesFault)?;
    let wanted = known.map(|known| known.symmetries);
    let canonical = match (wanted, symmetry) {
        (Some(1), _) | (None, SymmetryMode::Off) => None,
        _ => symmetry_reduction::canonical_anywhere(game, limits),
    };
    let expander = canonical
        .map_or_else(|| Expander::new(machine), |canonical| Expander::with_symmetries(machine, canonical));
    match wanted {
        Some(wanted) if wanted != expander.symmetries() => {
            let found = expander.symmetries();
            Err(StrongError::Checkpoint(CheckpointError::Symmetries { wanted, found }))
        }
        _ => Ok(expander),
    }
}

/// Writes a checkpoint at a barrier, if checkpointing is on.
struct CheckpointBarrier<'a, 'k> {
    kept: Option<&'a mut Checkpointing<'k>>,
    symmetries: usize,
    /// The reason why the last checkpoint failed.
    failed: Option<CheckpointError>,
}

impl CheckpointBarrier<'_, '_> {
    /// Writes a checkpoint if one is due; `Break` if that failed.
    fn rest(&mut self, held: StoreView<'_>, stage: impl FnOnce() -> TableStage) -> ControlFlow<()> {
        if let Some(kept) = self.kept.as_mut()
            && kept.store.is_due(held.bytes())
        {
            self.failed = kept.keep(self.symmetries, held, stage()).err();
        }
        if self.failed.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Writes a checkpoint of an indexed table, at a stage of its labelling.
    fn keep(&mut self, numbered: &IndexedTable, stage: &LabellingStage) -> Result<(), StrongError> {
        let Some(kept) = self.kept.as_mut() else { return Ok(()) };
        kept.keep(self.symmetries, numbered.held(), TableStage::Labelling(stage.clone()))
            .map_err(StrongError::Checkpoint)
    }

    /// Returns the error of a failed checkpoint.
    fn failed(&mut self) -> StrongError {
        let nothing = || CheckpointError::Store(ByteError(String::new()));
        StrongError::Checkpoint(self.failed.take().unwrap_or_else(nothing))
    }
}

/// Returns true if each position reachable from this one provably occurs at one ply only, and the stamp can represent
/// it. With symmetry reduction, the same holds for representatives if no symmetry moves the root.
fn occurs_at_one_ply(expander: &Expander, words: &[u64]) -> bool {
    let filling = PlacementGame::of(expander.machine().runner().circuit());
    filling.is_some_and(|filling| {
        filling.single_placement() && filling.free_places(words) + 2 <= u32::from(MAX_STAMP)
    }) && expander.canonical().is_none_or(|canonical| canonical.orbit_of(words) == 1)
}

/// Prepares the gathering of the positions reachable from this one.
fn begin_position<'e>(
    expander: &'e Expander,
    state: &State,
) -> Result<ReachabilitySearch<'e, PackedValue>, StrongError> {
    let at = expander.machine().position(state).ok_or(StrongError::RulesFault)?;
    let mut gathering = match occurs_at_one_ply(expander, &at.words) {
        true => ReachabilitySearch::with_parts_per_ply(expander),
        false => ReachabilitySearch::new(expander, None),
    };
    gathering.add_start(at.control, &at.words);
    Ok(gathering)
}

/// Prepares the gathering of a universe, from the part of it that was enumerated so far.
fn begin_universe<'e>(
    game: &Game,
    expander: &'e Expander,
    listed: Option<(ReachableSet<PackedValue>, EnumerationProgress)>,
    resting: &mut CheckpointBarrier<'_, '_>,
    limits: &Limits,
) -> Result<ReachabilitySearch<'e, PackedValue>, StrongError> {
    let mut at_rest = |closure: &ReachableSet<PackedValue>, listed: &EnumerationProgress| {
        resting.rest(StoreView::Hashed(closure), || TableStage::Listing(listed.clone()))
    };
    state_enumeration::begin(game, expander, listed, limits, &mut at_rest).map_err(|why| match why {
        EnumerationError::Reason(reason) => StrongError::NoUniverse(reason),
        EnumerationError::Limit(hit) => StrongError::Limit(hit),
        EnumerationError::Asymmetric => StrongError::Asymmetric,
        EnumerationError::Stopped => resting.failed(),
    })
}

/// Gathers the reachable set.
fn gather(
    gathering: ReachabilitySearch<'_, PackedValue>,
    resting: &mut CheckpointBarrier<'_, '_>,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<(ReachableSet<PackedValue>, ReachStats), StrongError> {
    progress.phase("enumerating positions");
    let mut at_rest = |closure: &ReachableSet<PackedValue>, reached: SearchProgress| {
        // A checkpoint must distinguish the expanded positions from their successors by their stamps.
        let told = reached.ply + 1 < u32::from(MAX_STAMP) - 1;
        if told {
            resting.rest(StoreView::Hashed(closure), || TableStage::Gathering(reached))
        } else {
            ControlFlow::Continue(())
        }
    };
    let (closure, met, ended) = gathering.run(None, limits, progress, &mut at_rest);
    match ended {
        SearchEnd::Complete => Ok((closure, met)),
        SearchEnd::Limit(hit) => {
            Err(StrongError::Unfinished { hit, positions: closure.len(), held_bytes: met.held_bytes })
        }
        SearchEnd::Stopped => Err(resting.failed()),
        SearchEnd::Undecided => Err(StrongError::RulesFault),
    }
}

/// Positions with their states.
#[derive(Debug)]
enum StrongStore {
    Hashed(ReachableSet<PackedValue>),
    /// By dense indices.
    Indexed(IndexedTable),
}

/// The values of a set of positions that is closed under moves: a strong solution.
pub struct StrongSolution {
    expander: Expander,
    set: StrongStore,
    /// `None` if the positions were labelled ply by ply, else the number of passes.
    pub passes: Option<u32>,
    /// The peak memory in bytes.
    pub held_bytes: u64,
    /// The histogram of all positions by value; for a universe only of those that satisfy the invariants.
    pub tally: ValueHistogram,
    only_seeds: bool,
    /// The number of positions, once counted.
    size: OnceLock<u64>,
}

impl std::fmt::Debug for StrongSolution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Strong of {} positions", self.len())
    }
}

/// The reason why there are no values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StrongError {
    Limit(LimitHit),
    /// A limit was reached before all values were known; with the number of gathered positions and the peak memory.
    Unfinished {
        hit: LimitHit,
        positions: u64,
        held_bytes: u64,
    },
    /// The compiled rules cannot represent some position, or have no move or a fault there.
    RulesFault,
    /// Play can be infinite, or drawn positions cannot be distinguished from such; no rule gives infinite play a
    /// payoff.
    InfinitePlay,
    /// A win takes more plies than two bytes hold.
    TooManyPlies,
    /// The universe is not closed under symmetry.
    Asymmetric,
    /// There is no universe, for this reason.
    NoUniverse(String),
    /// A checkpoint failed.
    Checkpoint(CheckpointError),
}

impl std::fmt::Display for StrongError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StrongError::Limit(hit) | StrongError::Unfinished { hit, .. } => hit.fmt(f),
            StrongError::RulesFault => f.write_str(
                "there is a position in which nobody can move though the game is not over, or the rules have no meaning",
            ),
            StrongError::InfinitePlay => {
                f.write_str(payoffs::NO_ENDLESS_VALUE)
            }
            StrongError::Asymmetric => f.write_str("the universe does not have all positions that stand for one another"),
            StrongError::TooManyPlies => f.write_str("a win takes more plies than the table can hold"),
            StrongError::NoUniverse(reason) => f.write_str(reason),
            StrongError::Checkpoint(error) => error.fmt(f),
        }
    }
}

/// Returns the reason why this method cannot solve these rules; `None` if it can.
pub fn not_applicable_reason(game: &Game, options: &SolveOptions) -> Option<&'static str> {
    let rules = &game.rules;
    let payoff = |end: &rules::EndRule| matches!(end.outcome, rules::OutcomeExpr::Payoff(_));
    let other = |repeat: &rules::Repeat| !matches!(repeat.outcome, rules::OutcomeExpr::Draw);
    let Some(machine) = game.compiled() else { return Some("the rules are not compiled") };
    if !machine.is_by_turns() {
        Some("the method is for games without chance in which one player moves at a time")
    } else if rules.players().len() != 2 || rules.ends.iter().any(payoff) || options.margin {
        Some("the method is for two players who win, lose or draw")
    } else if rules.repeats.iter().any(other) {
        Some("the method supports infinite play only as a draw")
    } else {
        None
    }
}

impl StrongSolution {
    /// Solves all positions reachable from this one.
    pub fn of_position(
        game: &Game,
        state: &State,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Result<StrongSolution, StrongError> {
        let request = StrongRequest { positions: PositionSet::Position(state), symmetry: SymmetryMode::Off };
        StrongSolution::of(game, request, None, limits, progress)
    }

    /// Solves all positions that satisfy the invariants, and those reachable from them. The game's machine must not
    /// assume that positions are reachable from the start.
    pub fn of_universe(
        game: &Game,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Result<StrongSolution, StrongError> {
        let request = StrongRequest { positions: PositionSet::Universe, symmetry: SymmetryMode::Off };
        StrongSolution::of(game, request, None, limits, progress)
    }

    /// Solves these positions, with checkpoints if `kept` is given; resumes from the checkpoint that was read.
    pub fn of<'k>(
        game: &Game,
        request: StrongRequest<'_>,
        mut kept: Option<Checkpointing<'k>>,
        limits: &'k Limits,
        progress: &'k dyn Progress,
    ) -> Result<StrongSolution, StrongError> {
        let machine = game.compiled().ok_or(StrongError::RulesFault)?;
        let by_numbers = |known: &mut LoadedTable| matches!(known.set, StrongStore::Indexed(_));
        let numbered = match kept.as_mut().and_then(|kept| kept.loaded.take_if(by_numbers)) {
            Some(LoadedTable { set: StrongStore::Indexed(numbered), stage, .. }) => {
                Some((numbered, Some(stage)))
            }
            _ if kept.as_ref().is_some_and(|kept| kept.loaded.is_some()) => None,
            _ => IndexedTable::begin(machine, request.positions).map(|numbered| (numbered, None)),
        };
        if let Some((numbered, stage)) = numbered
            && let Some(strong) = numbered.solve(machine, stage, &mut kept, limits, progress)?
        {
            return Ok(strong);
        }
        StrongSolution::solve_hashed(game, request, kept, limits, progress)
    }

    /// Solves by keys, even if positions have a dense index.
    pub fn solve_hashed<'k>(
        game: &Game,
        request: StrongRequest<'_>,
        mut kept: Option<Checkpointing<'k>>,
        limits: &'k Limits,
        progress: &'k dyn Progress,
    ) -> Result<StrongSolution, StrongError> {
        let draws = game.rules.repeats.is_empty();
        let known = kept.as_mut().and_then(|kept| kept.loaded.take());
        let expander = expander(game, request.symmetry, known.as_ref(), limits)?;
        let symmetries = expander.symmetries();
        let mut resting = CheckpointBarrier { kept: kept.as_mut(), symmetries, failed: None };
        let mut begin = |listed| match request.positions {
            PositionSet::Position(state) => begin_position(&expander, state),
            PositionSet::Universe => {
                progress.phase("listing the universe");
                begin_universe(game, &expander, listed, &mut resting, limits)
            }
        };
        let gathering = match known {
            Some(LoadedTable {
                set: StrongStore::Hashed(closure),
                stage: TableStage::Labelling(stage),
                ..
            }) => {
                let held = closure.held_bytes();
                let work = StrongLabelling {
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
                return StrongSolution::label(work, stage, request.positions);
            }
            Some(LoadedTable {
                set: StrongStore::Hashed(closure),
                stage: TableStage::Gathering(reached),
                ..
            }) => Ok(ReachabilitySearch::resume(&expander, closure, Some(reached))),
            Some(LoadedTable {
                set: StrongStore::Hashed(closure),
                stage: TableStage::Listing(listed),
                ..
            }) => begin(Some((closure, listed))),
            Some(LoadedTable { set: StrongStore::Indexed(_), .. }) | None => begin(None),
        };
        if matches!(gathering, Err(StrongError::Asymmetric)) {
            drop(gathering);
            let request = StrongRequest { symmetry: SymmetryMode::Off, ..request };
            return StrongSolution::solve_hashed(game, request, kept, limits, progress);
        }
        let (closure, met) = gather(gathering?, &mut resting, limits, progress)?;
        let held = met.held_bytes;
        let mut work = StrongLabelling {
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
        let stage = work.first_stage(met.plies.len() as u32);
        work.keep(&stage)?;
        StrongSolution::label(work, stage, request.positions)
    }

    /// Labels the gathered positions, from the stage of an earlier run on.
    fn label(
        mut work: StrongLabelling<'_>,
        stage: LabellingStage,
        of: PositionSet<'_>,
    ) -> Result<StrongSolution, StrongError> {
        let passes = work.run(stage).map_err(|why| match why {
            StrongError::Limit(hit) => {
                StrongError::Unfinished { hit, positions: work.closure.len(), held_bytes: work.held }
            }
            other => other,
        })?;
        let StrongLabelling { expander, closure, held: held_bytes, draws, .. } = work;
        let unknown = |part: &KeyTable<PackedValue>| {
            part.values().iter().any(|worth| *worth != PackedValue::default() && !worth.is_known())
        };
        if draws && closure.parts.iter().any(unknown) {
            return Err(StrongError::InfinitePlay);
        }
        let tally = ValueHistogram::default();
        let only_first = matches!(of, PositionSet::Universe);
        let mut strong = StrongSolution {
            expander,
            set: StrongStore::Hashed(closure),
            passes,
            held_bytes,
            tally,
            only_seeds: only_first,
            size: OnceLock::new(),
        };
        strong.tally = strong.count();
        Ok(strong)
    }

    /// The number of positions.
    pub fn len(&self) -> u64 {
        *self.size.get_or_init(|| match &self.set {
            StrongStore::Hashed(closure) => closure.len(),
            StrongStore::Indexed(numbered) => numbered.len(),
        })
    }

    /// Returns true if there are no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of a position, and the plies of a win; `None` if it is not in the set.
    pub fn value(&self, state: &State) -> Option<(Value, Option<u32>)> {
        Some(self.told(self.worth(state)?))
    }

    /// Returns the solution of a position by the values that are known.
    pub fn solution(&self, game: &Game, state: &State, options: &SolveOptions) -> Solution {
        let why = match self.passes {
            None if matches!(self.set, StrongStore::Indexed(_)) => {
                "each move takes a place for good, so positions are numbers, and the solver computes values ply \
                 by ply from the last"
                    .into()
            }
            None => "each move leads from a ply to the next, so the solver computes values ply by ply from the \
                 last"
                .into(),
            Some(passes) => {
                format!(
                    "a position may occur at several plies, so each of {passes} passes labelled the positions one ply \
                     farther from an end"
                )
            }
        };
        let mut solution = Solution { reason: None, ..Solution::unknown(RETROGRADE.name(), &why, "") };
        solution.status = Status::Solved;
        solution.positions = self.len();
        solution.memory_bytes = self.held_bytes;
        solution.tally = Some(self.tally.clone());
        solution.folded = self.expander.symmetries() > 1;
        // A universe need not contain the initial position.
        if let Some((value, remoteness)) = self.value(state) {
            solution.value = Some(value);
            solution.remoteness = remoteness;
            solution.best_moves_complete = true;
            solution.best_moves = self.best(game, state).into_iter().map(|(made, _)| made).collect();
            solution.line = self.line(game, state, options.max_line_moves);
            solution.line_complete = remoteness.is_none_or(|plies| plies == solution.line.len() as u32)
                && options.max_line_moves > 0;
            if options.all_moves {
                let worth = |(made, _, worth): (WrittenMove, State, PackedValue)| {
                    let (value, plies) = self.told(worth);
                    let remoteness = plies.map(|plies| plies + 1);
                    MoveValue { made, value: Some(value), bounds: None, remoteness, nimber: None }
                };
                solution.moves = self.moves(game, state).into_iter().map(worth).collect();
            }
        }
        solution
    }

    fn worth(&self, state: &State) -> Option<PackedValue> {
        let at = self.expander.machine().position(state)?;
        match &self.set {
            StrongStore::Hashed(closure) => {
                let key = self.expander.key(&closure.keys, at.control, &at.words)?;
                closure.get(hash(&key), &key)
            }
            StrongStore::Indexed(numbered) => numbered.get(&at),
        }
    }

    fn told(&self, worth: PackedValue) -> (Value, Option<u32>) {
        let result = |first: i64| vec![Rational::from_integer(first), Rational::from_integer(-first)];
        match worth.win() {
            Some((player, plies)) => {
                let first = if player == 0 { 1 } else { -1 };
                let value = Value { payoffs: result(first), kind: ValueKind::Win(player) };
                (value, Some(u32::from(plies)))
            }
            None => (Value { payoffs: result(0), kind: ValueKind::Draw }, None),
        }
    }

    /// Returns every legal move with the value of the position after it.
    fn moves(&self, game: &Game, state: &State) -> Vec<(WrittenMove, State, PackedValue)> {
        let successors = game.machine.successors(state).unwrap_or_default();
        let each = successors.into_iter().filter_map(|successor| {
            let worth = self.worth(&successor.state)?;
            let written = game.notation(state, &successor.play);
            Some((WrittenMove { play: successor.play, written }, successor.state, worth))
        });
        each.collect()
    }

    /// Returns the moves that keep the value and win soonest or lose latest.
    fn best(&self, game: &Game, state: &State) -> Vec<(WrittenMove, State)> {
        let (Some(worth), Ok(ToMove::Player(player))) = (self.worth(state), game.machine.turn(state)) else {
            return Vec::new();
        };
        let winner = worth.win().map(|(winner, _)| winner);
        let mut kept = self.moves(game, state);
        kept.retain(|(_, _, after)| after.win().map(|(winner, _)| winner) == winner);
        let plies = |after: &PackedValue| after.win().map_or(0, |(_, plies)| plies);
        let all = kept.iter().map(|(_, _, after)| plies(after));
        let wanted = if winner == Some(player) { all.min() } else { all.max() };
        kept.retain(|(_, _, after)| Some(plies(after)) == wanted);
        kept.into_iter().map(|(made, next, _)| (made, next)).collect()
    }

    fn line(&self, game: &Game, state: &State, limit: usize) -> Vec<WrittenMove> {
        let (mut line, mut seen, mut at) = (Vec::new(), FxHashSet::default(), state.clone());
        while line.len() < limit && seen.insert(at.clone()) {
            let Some((made, next)) = self.best(game, &at).into_iter().next() else { break };
            line.push(made);
            at = next;
        }
        line
    }
}

/// A table of all reachable positions, a few bytes each.
pub struct Table;

impl Solver for Table {
    fn name(&self) -> &'static str {
        RETROGRADE.name()
    }

    fn description(&self) -> &'static str {
        "a table of all positions, a few bytes each"
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        check_applicable(request.game, request.options).map_err(|why| why.to_string().into())
    }

    fn cost(&self, reachable: &Estimate) -> Option<Cost> {
        Some(Cost::of_graph(reachable))
    }

    /// The solution has neither a value nor a limit if another method must report a fault of the rules.
    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        Ok(solve_positions(request, PositionSet::Position(request.state)))
    }
}

/// Solves all positions that satisfy the invariants; reports the value of the requested one.
pub fn solve_universe(request: &SolveRequest<'_>) -> Solution {
    solve_positions(request, PositionSet::Universe)
}

fn solve_positions(request: &SolveRequest<'_>, positions: PositionSet<'_>) -> Solution {
    let &SolveRequest { game, state, options, limits, progress } = request;
    let strong = StrongRequest { positions, symmetry: options.symmetry };
    let solved = check_applicable(game, options)
        .and_then(|()| StrongSolution::of(game, strong, None, limits, progress));
    position_solution(solved, game, state, options)
}

/// Checks that this method can solve these rules; the error holds the reason why not.
pub fn check_applicable(game: &Game, options: &SolveOptions) -> Result<(), StrongError> {
    payoffs::check_supported(&game.rules).map_err(|why| StrongError::NoUniverse(why.to_string()))?;
    not_applicable_reason(game, options).map_or(Ok(()), |why| Err(StrongError::NoUniverse(why.to_owned())))
}

/// Returns the solution of a position by a strong solution, or the reason why there is none.
pub fn position_solution(
    solved: Result<StrongSolution, StrongError>,
    game: &Game,
    state: &State,
    options: &SolveOptions,
) -> Solution {
    match solved {
        Ok(strong) => strong.solution(game, state, options),
        Err(why) => unknown(&why),
    }
}

fn unknown(why: &StrongError) -> Solution {
    let (limit, positions, memory_bytes) = match *why {
        StrongError::Limit(hit) => (Some(hit), 0, 0),
        StrongError::Unfinished { hit, positions, held_bytes } => (Some(hit), positions, held_bytes),
        _ => (None, 0, 0),
    };
    let unknown = Solution::unknown(RETROGRADE.name(), "", why.to_string());
    Solution { limit, positions, memory_bytes, ..unknown }
}
