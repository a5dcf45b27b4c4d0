//! Depth first: alpha-beta with a window of no width, a table of transpositions, and looking one move ahead.
//!
//! Technique: "is the value at least t?" is asked of the position, for one t after another, until two bounds meet. Each
//! test is alpha-beta with a null window, which fails softly: it gives a bound that may be better than t. What a test
//! finds out about a position stays in a table. Moves that end the game are seen from the position before them, so that
//! a win at once costs no search.
//! Source: Knuth and Moore, "An analysis of alpha-beta pruning" (1975); Pearl's TEST (1980); Plaat, Schaeffer, Pijls,
//! de Bruin, "Best-first fixed-depth minimax algorithms" (1996) for null windows with a memory; Pons, "Solving Connect
//! Four" (2015). Moves are tried in the order of Schaeffer's history heuristic (1983), killers first.
//! Where one thread has no answer after some time, two go on with the same question, in different orders of moves and
//! with one table; the first answer counts (as in "lazy SMP").
//! Cost: about the square root of the plays, less what transposes; the table has the size that is given.
//! Invariant: what stands in the table is true of its position whatever led there: a search that comes back to a
//! position on its way is given up and leaves nothing. A [measure](super::measure) sees to it that this never happens.
//! Not taken: recursion, since play may be longer than a stack is deep; iterative deepening, since only the end of the
//! game has a value; cycles, which are left to [retrograde](super::retrograde) analysis.

use num_rational::Rational64;

use self::search::{Asked, Halted, Search};
use super::choice::ASKED;
use super::measure::Measure;
use super::stakes::{self, Stakes};
use super::transpositions::{CONTROLS, GREATEST, LEAST, Transpositions};
use super::worth::{self, WON};
use super::{Bounds, Made, Method, MoveValue, Options, Solution, Status};
use crate::base::limits::{LimitHit, Limits, Progress};
use crate::circuit::Position;
use crate::game::explore::{Broken, BrokenKind};
use crate::game::{CompiledMachine, Game, Halt, Play, State, remembers};
use crate::rules;

mod search;

/// So many positions more than for the value may be looked at to tell of best moves and best play.
const TELLING: u64 = 100_000;
/// What the table holds where no limit says how much it may.
const TABLE_BYTES: u64 = 1 << 30;

const PICKED: &str = "the positions are too many to list them all, and play always raises a measure, so a depth-first \
                      search with a table of transpositions decides";

/// What this method can solve.
pub struct Fit<'g> {
    pub(super) machine: &'g CompiledMachine,
    pub(super) from: Position,
    pub(super) measure: Measure,
    pub(super) sum: Rational64,
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
    if options.distance && !is_plain(game, options) {
        return Err("plies are counted where the game is won, lost or drawn; here it has payoffs".into());
    }
    if remembers(&game.rules) {
        return Err(
            "this method is for games in which a position is all that counts, not how it came about".into()
        );
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
    if !machine.is_by_turns() {
        return Err("this method is for games without chance in which one player moves at a time".into());
    }
    let from = machine.position(state).filter(|_| machine.runner().circuit().controls.len() < CONTROLS);
    let from = from.ok_or(FOREIGN)?;
    let measure = Measure::of(machine.runner(), &from, limits);
    let measure = match (measure, limits.check()) {
        (Some(measure), _) => measure,
        (None, Some(hit)) => return Err(hit.to_string()),
        (None, None) => return Err(ENDLESS.into()),
    };
    Ok(Fit { machine, from, measure, sum })
}

/// Whether all is won, lost or drawn, so that it has a meaning to win soon.
fn is_plain(game: &Game, options: &Options) -> bool {
    let payoffs = game.rules.ends.iter().any(|end| matches!(end.outcome, rules::Outcome::Payoff(_)));
    !options.margin && !payoffs
}

const FOREIGN: &str = "the compiled rules cannot hold this position";

pub(super) const ENDLESS: &str = "no measure was found that play always raises, so positions may come back: this method needs play \
                       that ends";

/// Solves a position by this method; or says why it cannot.
pub fn solve(
    game: &Game,
    state: &State,
    picked: bool,
    options: &Options,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Solution, Box<Broken>> {
    match Solver::new(game, state, options, limits, progress) {
        Ok(mut solver) => {
            solver.why = if picked { PICKED } else { ASKED };
            solver.solve(state)
        }
        Err((limit, reason)) => {
            let why = if picked { PICKED } else { ASKED };
            Ok(Solution { limit, ..Solution::unknown(Method::AlphaBeta.name(), why, reason) })
        }
    }
}

/// Solves positions of a game one after another. What was found out of one helps with the next.
pub struct Solver<'a> {
    teller: Teller<'a>,
    options: Options,
    why: &'static str,
    /// Between these numbers lies what any end of the game is worth.
    wide: (i32, i32),
}

impl<'a> Solver<'a> {
    /// A solver for what play leads to from a position; or why there is none, and which limit was reached. The limits are
    /// those of all its work.
    pub fn new(
        game: &'a Game,
        from: &State,
        options: &Options,
        limits: &'a Limits,
        progress: &'a dyn Progress,
    ) -> Result<Solver<'a>, (Option<LimitHit>, String)> {
        let fit = fits(game, from, options, limits).map_err(|reason| (limits.check(), reason))?;
        let most = limits.memory_bytes.map_or(TABLE_BYTES, |bytes| bytes - bytes / 16);
        let memory = (Some(LimitHit::Memory), LimitHit::Memory.to_string());
        let table = Transpositions::new(fit.from.words.len(), most).ok_or(memory)?;
        let plies = options.distance;
        let wide = if plies { (-WON, WON) } else { worth::range(&game.rules, options) };
        let (machine, rules) = (fit.machine, &*game.rules);
        let plain = is_plain(game, options);
        let asked = Asked { machine, rules, margin: options.margin, plain, plies, range: wide };
        let search = Search::new(asked, (&fit.from, fit.measure, table), (limits, progress));
        let teller = Teller { game, search, sum: fit.sum, margin: options.margin, plies };
        Ok(Solver { teller, options: *options, why: ASKED, wide })
    }

    /// Solves a position: its value, with the moves asked for, best moves and best play.
    pub fn solve(&mut self, state: &State) -> Result<Solution, Box<Broken>> {
        self.run(state, true)
    }

    /// The value of a position, where plies are counted with them; no moves.
    pub fn value(&mut self, state: &State) -> Result<Solution, Box<Broken>> {
        self.run(state, false)
    }

    fn run(&mut self, state: &State, moves: bool) -> Result<Solution, Box<Broken>> {
        let mut solution = Solution::unknown(Method::AlphaBeta.name(), self.why, "");
        let teller = &mut self.teller;
        let Some(from) = teller.search.machine.position(state) else {
            solution.reason = Some(FOREIGN.into());
            return Ok(solution);
        };
        solution.reason = None;
        let began = teller.search.begin();
        let mut bounds = self.wide;
        let result = match teller.search.value(&from, &mut bounds) {
            Ok(()) => {
                teller.tell_value(bounds.0, &mut solution);
                if moves { teller.tell(&from, bounds.0, &self.options, &mut solution) } else { Ok(()) }
            }
            Err(halted) => {
                let told = |bound: i32| if teller.plies { bound.signum() } else { bound };
                if (told(bounds.0), told(bounds.1)) != (told(self.wide.0), told(self.wide.1)) {
                    solution.status = Status::Bounded;
                    let known = |bound: i32, none: i32| {
                        (bound != none).then(|| Rational64::from(i64::from(told(bound))))
                    };
                    solution.bounds =
                        Some(Bounds { low: known(bounds.0, LEAST), high: known(bounds.1, GREATEST) });
                }
                Err(halted)
            }
        };
        if let Err(halted) = result {
            teller.give_up(halted, &mut solution)?;
        }
        solution.positions = teller.search.nodes - began;
        solution.memory_bytes = teller.search.held_bytes();
        Ok(solution)
    }
}

/// Puts what a search found into words.
struct Teller<'a> {
    game: &'a Game,
    search: Search<'a>,
    sum: Rational64,
    margin: bool,
    plies: bool,
}

impl Teller<'_> {
    /// What a value of the search is worth, and in how many plies where they are counted.
    fn read(&self, value: i32) -> (Rational64, Option<u32>) {
        let (worth, plies) = match self.plies {
            true => (value.signum(), (value != 0).then(|| (WON - value.abs()) as u32)),
            false => (value, None),
        };
        (Rational64::from(i64::from(worth)), plies)
    }

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

    fn tell_value(&self, value: i32, solution: &mut Solution) {
        let stakes = self.stakes();
        let (number, remoteness) = self.read(value);
        solution.remoteness = remoteness;
        solution.status = Status::Solved;
        solution.value = Some(stakes.told(number, false));
        solution.margin = stakes.margin.map(|way| number * way);
    }

    /// Best moves and best play, as far as they cost no more than the value did.
    fn tell(
        &mut self,
        from: &Position,
        value: i32,
        options: &Options,
        solution: &mut Solution,
    ) -> Result<(), Halted> {
        let children = self.search.machine.children(from).unwrap_or_default();
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
            let worth = self.search.before(bounds.0);
            let (number, remoteness) = self.read(worth);
            told.value = Some(self.stakes().told(number, false));
            told.remoteness = remoteness;
            if worth == value {
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
        let (mut at, mut left) = (from.clone(), value);
        self.search.before.clear();
        while solution.line.len() < options.line {
            let maximises = self.search.machine.actor(at.control) == 0;
            let here = self.search.machine.children(&at).unwrap_or_default();
            self.search.before.push(at.clone());
            let mut best = None;
            for (play, to) in here {
                if self.search.keeps(&to, maximises, left)? {
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
            // Where plies are counted, one less is left.
            left += if self.plies { left.signum() } else { 0 };
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
            Halted::Enough | Halted::Learned | Halted::Long | Halted::Quit | Halted::Crowded => {
                (None, ENDLESS.into())
            }
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
        let path: Vec<Position> = search.way().into_iter().chain([at.clone()]).collect();
        let step = |pair: &[Position]| {
            let children = search.machine.children(&pair[0]).unwrap_or_default();
            children.into_iter().find(|(_, to)| *to == pair[1]).map(|(play, _)| play)
        };
        Ok(Broken { line: path.windows(2).filter_map(step).collect(), state, kind })
    }
}
