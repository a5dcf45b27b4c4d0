//! Alpha-beta, depth first: null windows, a transposition table and a one-ply lookahead.
//!
//! Technique: a sequence of tests of a position, "is the value at least t?", for one t after another, until two
//! bounds meet. Each test is fail-soft alpha-beta with a null window: it gives a bound that may be better than t. A
//! transposition table stores the result of a test for every position visited. The lookahead sees moves that end the
//! game from the position before them, so that an immediate win costs no search.
//! Source: Knuth and Moore, "An analysis of alpha-beta pruning" (1975); Pearl's TEST (1980); Plaat, Schaeffer, Pijls,
//! de Bruin, "Best-first fixed-depth minimax algorithms" (1996) for null windows with a memory; Pons, "Solving
//! Connect Four" (2015). `search/moves.rs` has the order of the moves, with its sources.
//! Cost: about the square root of the plays, reduced by transpositions; the table has the given size.
//! Invariant: an entry of the table is true of its position whatever path led there, so there is no graph-history
//! interaction: a search that returns to a position on its own path is given up and stores nothing. A ranking
//! function ([`ranking_function`](super::ranking_function)) ensures that this never happens.
//! Not taken: recursion, since a play may be longer than a stack is deep; iterative deepening, since only the end of
//! the game has a value; cycles, which are left to [retrograde](super::retrograde) analysis; a second thread on the same
//! table ("lazy SMP"), which visited twice the positions and took longer.

use bouton_base::rational::Rational;

use self::null_windows::{Bisection, DriverFactory};
use self::search::AlphaBetaSearch;
use super::extract::{MAY_REPEAT_REASON, SearchEngine, SearchProgress, SolutionBuilder};
use super::graph_labelling::REQUESTED_REASON;
use super::leaf_value::{self, SearchObjective};
use super::payoffs;
use super::ranking_function::RankingFunction;
use super::solver::{ResumableSearch, SolveRequest, Solver};
use super::symmetry_state::SymmetryState;
use super::transpositions::{MAX_CONTROLS, TranspositionTable};
use super::{Inapplicable, Solution, SolveOptions};
use crate::game::explore::FaultyPosition;
use crate::game::{CompiledMachine, Game, State, needs_history};
use bouton_base::limits::{LimitHit, Progress};
use bouton_circuit::Position;

mod captures;
pub(super) mod null_windows;
mod search;

pub(super) use self::search::wins_are_own;

/// The size of the transposition table, if no limit gives one.
const TABLE_BYTES: u64 = 1 << 30;

/// A position that this method can solve, with the machine, the ranking function and the sum of the payoffs.
struct AlphaBetaProblem<'g> {
    machine: &'g CompiledMachine,
    from: Position,
    measure: RankingFunction,
    sum: Rational,
}

/// Checks that this method can solve a position; the error gives the reason why not, in one sentence.
fn check_applicable<'g>(request: &SolveRequest<'g>) -> Result<AlphaBetaProblem<'g>, Inapplicable> {
    let limits = request.limits;
    let (machine, from, sum) = value_search_input(request.game, request.state, request.options)?;
    let measure = RankingFunction::find(machine.runner(), &from, limits);
    let measure = match (measure, limits.check()) {
        (Some(measure), _) => measure,
        (None, Some(hit)) => return Err(hit.into()),
        (None, None) => return Err(MAY_REPEAT_REASON.into()),
    };
    Ok(AlphaBetaProblem { machine, from, measure, sum })
}

/// Returns the machine, the position and the sum of the players' payoffs, for methods that keep only the values of
/// positions; the error gives the reason why none of them can solve the position, in one sentence.
pub(super) fn value_search_input<'g>(
    game: &'g Game,
    state: &State,
    options: &SolveOptions,
) -> Result<(&'g CompiledMachine, Position, Rational), Inapplicable> {
    payoffs::check_supported(&game.rules)?;
    if game.rules.players().len() != 2 {
        return Err("this method is for two players".into());
    }
    if options.strong {
        return Err("this method does not store the value of every position".into());
    }
    if options.count_plies && !leaf_value::is_win_loss_draw(&game.rules, options.margin) {
        return Err("only games that are won, lost or drawn count plies; this game has payoffs".into());
    }
    if needs_history(&game.rules) {
        return Err("this method is for games whose rules do not depend on earlier positions".into());
    }
    let machine = match (game.compiled(), game.fallback()) {
        (Some(machine), _) => machine,
        (None, Some(why)) => {
            let no_circuit = "this method runs compiled rules, and these have no circuit";
            return Err(format!("{no_circuit}: {}", why.reason).into());
        }
        (None, None) => return Err("this method runs compiled rules, not their definition".into()),
    };
    if !machine.is_by_turns() {
        return Err("this method is for games without chance in which one player moves at a time".into());
    }
    let sum = if options.margin { Rational::default() } else { payoffs::rules_constant_sum(&game.rules)? };
    let from = machine.position(state).filter(|_| machine.runner().circuit().controls.len() < MAX_CONTROLS);
    Ok((machine, from.ok_or(NOT_REPRESENTABLE)?, sum))
}

const NOT_REPRESENTABLE: &str = "the compiled rules cannot hold this position";

/// Alpha-beta with a transposition table.
pub struct AlphaBeta;

impl Solver for AlphaBeta {
    fn name(&self) -> &'static str {
        "alphabeta"
    }

    fn aliases(&self) -> &'static [&'static str] {
        // Negamax is the form of alpha-beta for players who take turns.
        &["negamax"]
    }

    fn description(&self) -> &'static str {
        "alpha-beta, depth first, with a transposition table"
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        check_applicable(request).map(|_| ())
    }

    fn picked_reason(&self) -> Option<&'static str> {
        Some(
            "the positions are too many to list first, and a ranking function increases along every play, so a \
             depth-first search with a transposition table looks for the value",
        )
    }

    fn resumable<'a>(&self, request: &SolveRequest<'a>) -> Option<Box<dyn ResumableSearch + 'a>> {
        let solver = AlphaBetaSolver::new(request).ok()?;
        let from = solver.teller.search.machine().position(request.state)?;
        Some(Box::new(ResumableAlphaBeta { solver, from }))
    }

    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        solve(request, self.name(), Bisection::begin)
    }
}

/// Solves a position by tests with these drivers, as a method of this name.
pub(super) fn solve(
    request: &SolveRequest<'_>,
    method: &'static str,
    driver: DriverFactory,
) -> Result<Solution, Box<FaultyPosition>> {
    let solution = match AlphaBetaSolver::new(request) {
        Ok(solver) => solver.with_driver(driver).solve(request.state)?,
        Err((limit, reason)) => Solution { limit, ..Solution::unknown(method, REQUESTED_REASON, reason) },
    };
    Ok(Solution { method, ..solution })
}

/// Solves positions of a game one after another. The results for one help with the next.
pub struct AlphaBetaSolver<'a> {
    teller: SolutionBuilder<'a, AlphaBetaSearch<'a>>,
    options: SolveOptions,
    progress: &'a dyn Progress,
}

impl<'a> AlphaBetaSolver<'a> {
    /// Creates a solver for all positions that play reaches from the position of the request; the error gives the
    /// reason why there is none, with the limit that was reached. The limits are those of all its work together.
    pub fn new(request: &SolveRequest<'a>) -> Result<AlphaBetaSolver<'a>, (Option<LimitHit>, String)> {
        let &SolveRequest { game, options, limits, progress, .. } = request;
        let fit = check_applicable(request).map_err(|reason| (limits.check(), reason.to_string()))?;
        let most = limits.memory_bytes.map_or(TABLE_BYTES, |bytes| bytes - bytes / 16);
        let memory = (Some(LimitHit::Memory), LimitHit::Memory.to_string());
        let table = TranspositionTable::new(fit.from.words.len(), most).ok_or(memory)?;
        let plies = options.count_plies;
        let asked = SearchObjective::of(fit.machine, game, options, plies);
        let symmetries = SymmetryState::new(game, options, limits);
        let search =
            AlphaBetaSearch::new(asked, fit.measure, table, limits, progress).with_symmetries(symmetries);
        let teller = SolutionBuilder {
            game,
            search,
            sum: fit.sum,
            margin: options.margin,
            plies,
            before: Vec::new(),
            value_nodes: u64::MAX,
        };
        Ok(AlphaBetaSolver { teller, options: *options, progress })
    }

    /// Returns the same solver with other drivers of its tests.
    fn with_driver(mut self, driver: DriverFactory) -> AlphaBetaSolver<'a> {
        self.teller.search = self.teller.search.with_driver(driver);
        self
    }

    /// Solves a position: its value, best moves and best play, and the values of the moves if the options want them.
    pub fn solve(&mut self, state: &State) -> Result<Solution, Box<FaultyPosition>> {
        self.run(state, true)
    }

    /// Returns the value of a position, with the plies if the options want them, but without moves.
    pub fn value(&mut self, state: &State) -> Result<Solution, Box<FaultyPosition>> {
        self.run(state, false)
    }

    fn run(&mut self, state: &State, moves: bool) -> Result<Solution, Box<FaultyPosition>> {
        let mut solution = Solution::unknown(AlphaBeta.name(), REQUESTED_REASON, "");
        let teller = &mut self.teller;
        let Some(from) = teller.search.machine().position(state) else {
            solution.reason = Some(NOT_REPRESENTABLE.into());
            return Ok(solution);
        };
        self.progress.phase("searching");
        teller.search.begin();
        teller.solve(&from, &self.options, moves, &mut solution)?;
        Ok(solution)
    }
}

/// A search of one position that can be resumed.
struct ResumableAlphaBeta<'a> {
    solver: AlphaBetaSolver<'a>,
    from: Position,
}

impl ResumableSearch for ResumableAlphaBeta<'_> {
    fn resume(&mut self, positions: u64) -> Result<Option<Solution>, Box<FaultyPosition>> {
        let AlphaBetaSolver { teller, options, progress } = &mut self.solver;
        let mut solution = Solution::unknown(AlphaBeta.name(), REQUESTED_REASON, "");
        progress.phase("searching");
        teller.value_nodes = positions;
        let state = teller.solve(&self.from, options, true, &mut solution)?;
        solution.positions = teller.search.nodes();
        Ok((state == SearchProgress::Ended).then_some(solution))
    }
}
