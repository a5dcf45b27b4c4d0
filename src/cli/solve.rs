//! `bouton solve FILE`: solves a position.

use std::time::Instant;

use clap::Args;

use super::Global;
use super::common::{PositionArgs, begin, broken, budget, load, stop};
use super::stop::{Exit, Stop};
use super::terminal::Terminal;
use crate::base::limits::Limits;
use crate::driver::kept;
use crate::driver::load::Text;
use crate::driver::position::Start;
use crate::driver::proof::{self, Request};
use crate::driver::size;
use crate::driver::solve::{self as driver, Way};
use crate::game::explore::Broken;
use crate::report::proof::Proof;
use crate::report::solve::{SolveReport, Solved};
use crate::report::verdict;
use crate::solve::{Method, Options, Solution, Status, Symmetry, strong};

/// The cost estimate may take one part in this number of the time, if there is a time limit.
const PRICED: u32 = 10;
/// A strategy that can be described without positions may take one part in this number of the time, if other methods
/// remain.
const REMEMBERED: u32 = 4;

/// Say who wins, how far it is, and by which moves
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton solve hex.bou --set n=3\n  bouton solve tictactoe.bou --moves \"a1 b2\" --all-moves\n  bouton solve othello.bou --margin --json"
)]
pub struct SolveArgs {
    /// The file, or - for standard input
    file: String,
    /// How to solve: auto, retrograde, dp, and-or, breadth-first, interval, grundy, partizan, scores; alphabeta (or
    /// negamax), dfpn, dfpn-plus, widening, pds, pn-star, pns, pn2, focused, lambda, dual-lambda; a strategy to remember:
    /// symmetry, pairing, nim, product, parity, automaton, steal
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    method: String,
    #[command(flatten)]
    at: PositionArgs,
    /// No longer needed: text and JSON always say why the method was chosen
    #[arg(long)]
    explain_choice: bool,
    /// The value of this position (the default)
    #[arg(long, conflicts_with = "strong")]
    weak: bool,
    /// The value of every reachable position
    #[arg(long)]
    strong: bool,
    /// Also how many plies it takes
    #[arg(long)]
    distance: bool,
    /// The players play for the difference of the scores (in JSON: the first player's score less the second's)
    #[arg(long)]
    margin: bool,
    /// The value of every legal move
    #[arg(long)]
    all_moves: bool,
    /// Write a certificate that `bouton verify` can check; the exit code is 3 where there is none to write, 4 where a limit
    /// came first
    #[arg(long, value_name = "OUT")]
    certificate: Option<String>,
    /// With --strong: begin with every position in which EXPR and the invariants hold, whether play can reach it or not,
    /// and add what moves lead to
    #[arg(long, value_name = "EXPR", requires = "strong", conflicts_with = "certificate")]
    universe: Option<String>,
    /// Keep the table of all positions in FILE, go on with one that is not done, and only read one that is
    #[arg(long, value_name = "FILE", conflicts_with_all = ["certificate", "margin"])]
    table: Option<String>,
}

/// Solves the position.
pub fn run(args: &SolveArgs, global: &Global, terminal: &Terminal) -> Result<Exit, Stop> {
    let method = driver::method(&args.method).map_err(Stop::Usage)?;
    if args.distance && method.is_proof_number() {
        let name = method.name();
        let what = format!(
            "the method `{name}` does not count plies: leave --distance out, or ask for `--method retrograde`"
        );
        return Err(Stop::Usage(what));
    }
    if args.table.is_some() && !matches!(method, Method::Auto | Method::Retrograde) {
        let what = "a table is kept of all positions, by retrograde analysis: leave --method out";
        return Err(Stop::Usage(what.into()));
    }
    let budget = budget(global, terminal)?;
    let mut text = load(&args.file, global, &budget.whole(None))?;
    if let Some(words) = &args.universe {
        text.add_invariant("--universe", words).map_err(|refused| stop(&mut text, refused))?;
    }
    let options = &options(args, global);
    // One time limit for all attempts.
    let limits = &budget.whole(None);
    let begin = begin(&mut text, &args.at, &budget, terminal)?;
    let clock = Instant::now();
    let compile_time = text.compile_time.get();
    // A table of all positions stores no moves that a certificate could name.
    let universe = args.universe.is_some();
    let named = args.certificate.is_some() && args.strong;
    let free = !universe && args.table.is_none() && method == Method::Auto && !named;
    let way = if free { driver::pick(&begin.game, &begin.state, options, limits) } else { Way::Graph };
    // Without a time limit the estimated cost is shown before the search, else only if the time was too short.
    let timeless = global.time.is_none();
    let listed = !universe && !way.forgets() && !method.is_search() && !method.is_strategy();
    let price = match timeless {
        true if listed => size::price(&mut text, &begin, limits),
        false if !universe => size::price(&mut text, &begin, &limits.part(PRICED)),
        _ => None,
    };
    let tell_price = |text: &Text| terminal.diagnostics(&text.sources, price.as_slice());
    if timeless {
        tell_price(&text);
    }
    let dear = timeless && price.is_some();
    let limited = global.time.is_some() || global.memory.is_some();
    let refused = !limited && price.as_ref().is_some_and(|found| size::refuses(found, &begin));
    let plain =
        method == Method::Auto && args.table.is_none() && !args.all_moves && !args.margin && !args.strong;
    let remembered = (plain && !universe && (way.forgets() || dear))
        .then(|| driver::by_strategy(&begin.game, &begin.state, &limits.part(REMEMBERED)))
        .flatten();
    let solution = match remembered {
        Some(solution) => solution,
        None if refused => driver::refused(&begin.game, &begin.state, method, limits),
        None if args.table.is_some() => solve_kept(args, terminal, &begin, options, limits)?,
        None if universe => solve_universe(terminal, &begin, options, limits),
        None => solve(terminal, &begin, (method, way), options, limits)
            .map_err(|met| broken(&mut text, &begin.game, &begin.state, &met))?,
    };
    let time = clock.elapsed();
    if !timeless && solution.limit.is_some() {
        tell_price(&text);
    }
    let proof = prove(args, &text, &begin, &solution, limits)?;
    let solved = Solved {
        game: &begin.game,
        file: &args.file,
        state: &begin.state,
        solution: &solution,
        proof: &proof,
        all_moves: args.all_moves,
        time,
        compile_time,
    };
    tell(args, global, terminal, &solved);
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
    text: &Text,
    begin: &Start,
    solution: &Solution,
    limits: &Limits,
) -> Result<Proof, Stop> {
    if solution.status != Status::Solved && solution.strategy.is_empty() {
        return Ok(Proof::none("it is not solved"));
    }
    if args.universe.is_some() {
        return Ok(Proof::none("no certificate speaks of a universe"));
    }
    let request = Request { out: args.certificate.as_deref(), strong: args.strong, limits };
    proof::prove(text, begin, solution, &request).map_err(Stop::Usage)
}

fn options(args: &SolveArgs, global: &Global) -> Options {
    let SolveArgs { strong, all_moves, margin, distance, .. } = *args;
    // All listed replies are checked; without a certificate only as many are listed as can be checked in passing.
    let replies = if args.certificate.is_some() { usize::MAX } else { proof::POSITIONS };
    let symmetry =
        if args.certificate.is_some() || global.no_symmetry { Symmetry::Off } else { Symmetry::Pays };
    Options { strong, all_moves, margin, distance, replies, symmetry, ..Options::default() }
}

fn solve(
    terminal: &Terminal,
    begin: &Start,
    method: (Method, Way),
    options: &Options,
    limits: &Limits,
) -> Result<Solution, Box<Broken>> {
    let progress = terminal.progress("solving");
    let result = driver::solve(&begin.game, &begin.state, method, options, limits, &progress);
    progress.finish();
    result
}

fn solve_kept(
    args: &SolveArgs,
    terminal: &Terminal,
    begin: &Start,
    options: &Options,
    limits: &Limits,
) -> Result<Solution, Stop> {
    let progress = terminal.progress("solving");
    let file = (args.table.as_deref().unwrap_or_default(), args.universe.as_deref());
    let solved = kept::solve(&begin.game, &begin.state, file, options, limits, &progress);
    progress.finish();
    solved.map_err(Stop::Usage)
}

fn solve_universe(terminal: &Terminal, begin: &Start, options: &Options, limits: &Limits) -> Solution {
    let progress = terminal.progress("solving");
    let solution = strong::solve_universe(&begin.game, &begin.state, options, limits, &progress);
    progress.finish();
    solution
}

fn tell(args: &SolveArgs, global: &Global, terminal: &Terminal, solved: &Solved<'_>) {
    let Solved { game, state, solution, .. } = solved;
    if global.json {
        terminal.json(&SolveReport::new(solved));
        return;
    }
    if global.quiet {
        terminal.line(&verdict::headline(game, state, solution));
        return;
    }
    terminal.print(&verdict::text(solved));
    if !args.strong {
        return;
    }
    let what = if args.universe.is_some() { "position of the universe" } else { "reachable position" };
    match &solution.tally {
        Some(tally) => {
            terminal.line(&format!("  every {what}:"));
            terminal.print(&verdict::tally(&game.rules, tally));
        }
        None => {
            let reason = solution.reason.as_deref();
            let reason = reason.unwrap_or("this method tells the value of one position");
            terminal.line(&format!("  not every {what} has a value: {reason}"));
        }
    }
}
