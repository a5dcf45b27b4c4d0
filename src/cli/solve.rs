//! `bouton solve FILE`: solves a position.

use std::time::Instant;

use clap::Args;

use super::Global;
use super::common::{PositionArgs, begin, budget, load, position_fault, refusal};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_base::limits::Limits;
use bouton_driver::load::GameSource;
use bouton_driver::position::StartPosition;
use bouton_driver::proof::{self, ProofRequest};
use bouton_driver::size;
use bouton_driver::solve::{self as driver, Approach, SolveRequest};
use bouton_driver::table_file::{self, TableTarget};
use bouton_report::proof::Proof;
use bouton_report::solve::{SolveReport, SolvedPosition};
use bouton_report::verdict;
use bouton_search::solve::{Method, Solution, SolveOptions, Status, SymmetryMode, strong};

/// The cost estimate may take one part in this number of the time, if there is a time limit.
const ESTIMATE_TIME_DIVISOR: u32 = 10;
/// A strategy that can be described without positions may take one part in this number of the time, if other methods
/// remain.
const STRATEGY_TIME_DIVISOR: u32 = 4;

/// Solve a position: the winner, the distance and the moves
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton solve hex.bou --set n=3\n  bouton solve tictactoe.bou --moves \"a1 b2\" --all-moves\n  bouton solve othello.bou --margin --json"
)]
pub struct SolveArgs {
    /// The file, or - for standard input
    file: String,
    /// The method: auto, retrograde, dp, and-or, breadth-first, interval, grundy, partizan, scores; alphabeta (or
    /// negamax), dfpn, dfpn-plus, widening, pds, pn-star, pns, pn2, focused, lambda, dual-lambda; a strategy
    /// described without positions: symmetry, pairing, nim, product, parity, automaton, steal
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    method: String,
    #[command(flatten)]
    at: PositionArgs,
    /// No longer needed: the output always states why the method was chosen
    #[arg(long)]
    explain_choice: bool,
    /// The value of this position (the default)
    #[arg(long, conflicts_with = "strong")]
    weak: bool,
    /// The value of every reachable position
    #[arg(long)]
    strong: bool,
    /// Also count the plies to the end
    #[arg(long)]
    distance: bool,
    /// The players play for the difference of the scores (in JSON: the first player's score less the second's)
    #[arg(long)]
    margin: bool,
    /// The value of every legal move
    #[arg(long)]
    all_moves: bool,
    /// Write a certificate that `bouton verify` can check; the exit code is 3 if there is none, 4 if a limit was
    /// reached first
    #[arg(long, value_name = "OUT")]
    certificate: Option<String>,
    /// With --strong: start from every position in which EXPR and the invariants hold, reachable or not, and add the
    /// positions that moves lead to
    #[arg(long, value_name = "EXPR", requires = "strong", conflicts_with = "certificate")]
    universe: Option<String>,
    /// Store the table of all positions in FILE; resume an unfinished table, only read a finished one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["certificate", "margin"])]
    table: Option<String>,
}

/// Solves the position.
pub fn run(args: &SolveArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let method = driver::method(&args.method).map_err(CommandError::usage)?;
    if args.distance && method.is_proof_number() {
        let name = method.name();
        let what = format!(
            "the method `{name}` does not count plies: omit --distance, or use `--method retrograde`"
        );
        return Err(CommandError::Usage(what));
    }
    if args.table.is_some() && !matches!(method, Method::Auto | Method::Retrograde) {
        let what = "--table stores all positions, by retrograde analysis: omit --method";
        return Err(CommandError::Usage(what.into()));
    }
    let budget = budget(global, terminal)?;
    let mut text = load(&args.file, global, &budget.command_limits(None))?;
    if let Some(words) = &args.universe {
        text.add_invariant("--universe", words).map_err(|refused| refusal(&mut text, refused))?;
    }
    let options = &options(args, global);
    // One time limit for all attempts.
    let limits = &budget.command_limits(None);
    let begin = begin(&mut text, &args.at, &budget, terminal)?;
    let clock = Instant::now();
    let compile_time = text.compile_time.get();
    // A table of all positions stores no moves that a certificate could name.
    let universe = args.universe.is_some();
    let named = args.certificate.is_some() && args.strong;
    let free = !universe && args.table.is_none() && method == Method::Auto && !named;
    let way = if free {
        driver::select_approach(&begin.game, &begin.state, options, limits)
    } else {
        Approach::Graph
    };
    // Without a time limit the estimated cost is shown before the search, else only if the time was too short.
    let timeless = global.time.is_none();
    let listed = !universe && !way.avoids_enumeration() && !method.is_search() && !method.is_strategy();
    let price = match timeless {
        true if listed => size::cost_estimate(&mut text, &begin, limits),
        false if !universe => {
            size::cost_estimate(&mut text, &begin, &limits.with_time_share(ESTIMATE_TIME_DIVISOR))
        }
        _ => None,
    };
    let tell_price = |text: &GameSource| terminal.diagnostics(&text.sources, price.as_slice());
    if timeless {
        tell_price(&text);
    }
    let dear = timeless && price.is_some();
    let limited = global.time.is_some() || global.memory.is_some();
    let refused = !limited && price.as_ref().is_some_and(|found| size::is_refused(found, &begin));
    let plain =
        method == Method::Auto && args.table.is_none() && !args.all_moves && !args.margin && !args.strong;
    let remembered = (plain && !universe && (way.avoids_enumeration() || dear))
        .then(|| {
            driver::by_strategy(&begin.game, &begin.state, &limits.with_time_share(STRATEGY_TIME_DIVISOR))
        })
        .flatten();
    let solution = match remembered {
        Some(solution) => solution,
        None if refused => driver::refused_solution(&begin.game, &begin.state, method, limits),
        None if let Some(path) = &args.table => {
            let target = TableTarget { path, universe: args.universe.as_deref() };
            solve(terminal, &begin, options, limits, |request| table_file::solve(request, target))
                .map_err(CommandError::usage)?
        }
        None if universe => solve(terminal, &begin, options, limits, |request| {
            let SolveRequest { game, state, options, limits, progress } = request;
            strong::solve_universe(game, state, options, limits, progress)
        }),
        None => solve(terminal, &begin, options, limits, |request| driver::solve(request, method, way))
            .map_err(|met| position_fault(&mut text, &begin.game, &begin.state, &met))?,
    };
    let time = clock.elapsed();
    if !timeless && solution.limit.is_some() {
        tell_price(&text);
    }
    let proof = prove(args, &text, &begin, &solution, limits)?;
    let solved = SolvedPosition {
        game: &begin.game,
        file: &args.file,
        state: &begin.state,
        solution: &solution,
        proof: &proof,
        all_moves: args.all_moves,
        time,
        compile_time,
    };
    print_solution(args, global, terminal, &solved);
    if args.certificate.is_some() && proof.certificate.is_none() {
        let why = proof.result.as_ref().err();
        terminal.error(&format!(
            "no certificate was written{}",
            why.map(|w| format!(": {w}")).unwrap_or_default()
        ));
        // A limit is no failure.
        let limited = refused || solution.limit.is_some() || limits.check().is_some();
        return Ok(if limited { Exit::Unknown } else { Exit::Failed });
    }
    let missing = args.strong && solution.tally.is_none();
    Ok(if solution.status == Status::Solved && !missing { Exit::Done } else { Exit::Unknown })
}

/// The proof of the solution, within the remaining time.
fn prove(
    args: &SolveArgs,
    text: &GameSource,
    begin: &StartPosition,
    solution: &Solution,
    limits: &Limits,
) -> Result<Proof, CommandError> {
    if solution.status != Status::Solved && solution.strategy.is_empty() {
        return Ok(Proof::unproved("it is not solved"));
    }
    if args.universe.is_some() {
        return Ok(Proof::unproved("a certificate cannot cover a universe"));
    }
    let request = ProofRequest { out: args.certificate.as_deref(), strong: args.strong, limits };
    proof::prove(text, begin, solution, &request).map_err(CommandError::usage)
}

fn options(args: &SolveArgs, global: &Global) -> SolveOptions {
    let SolveArgs { strong, all_moves, margin, distance, .. } = *args;
    // All listed replies are checked; without a certificate only as many are listed as can be checked in passing.
    let replies = if args.certificate.is_some() { usize::MAX } else { proof::MAX_UNREQUESTED_POSITIONS };
    let symmetry =
        if args.certificate.is_some() || global.no_symmetry { SymmetryMode::Off } else { SymmetryMode::Auto };
    SolveOptions {
        strong,
        all_moves,
        margin,
        count_plies: distance,
        max_strategy_positions: replies,
        symmetry,
        ..SolveOptions::default()
    }
}

/// Runs a solver on the position, with its progress on the terminal.
fn solve<T>(
    terminal: &Console,
    begin: &StartPosition,
    options: &SolveOptions,
    limits: &Limits,
    solver: impl FnOnce(SolveRequest<'_>) -> T,
) -> T {
    let progress = terminal.progress("solving");
    let request =
        SolveRequest { game: &begin.game, state: &begin.state, options, limits, progress: &progress };
    let solved = solver(request);
    progress.finish();
    solved
}

fn print_solution(args: &SolveArgs, global: &Global, terminal: &Console, solved: &SolvedPosition<'_>) {
    let SolvedPosition { game, state, solution, .. } = solved;
    if global.json {
        terminal.json(&SolveReport::new(solved));
        return;
    }
    if global.quiet {
        terminal.line(&verdict::headline(game, state, solution));
        return;
    }
    terminal.print(&verdict::render(solved));
    if !args.strong {
        return;
    }
    let what = if args.universe.is_some() { "position of the universe" } else { "reachable position" };
    match &solution.tally {
        Some(tally) => {
            terminal.line(&format!("  every {what}:"));
            terminal.print(&verdict::histogram(&game.rules, tally));
        }
        None => {
            let reason = solution.reason.as_deref();
            let reason = reason.unwrap_or("this method computes the value of one position");
            terminal.line(&format!("  not every {what} has a value: {reason}"));
        }
    }
}
