//! `bouton solve FILE`: solves a position.

use std::ffi::OsStr;
use std::time::Instant;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Args};

use super::Global;
use super::common::{PositionArgs, begin, budget, load, position_fault, refusal};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_base::limits::Limits;
use bouton_driver::check;
use bouton_driver::load::GameSource;
use bouton_driver::planner::{Answer, Goal, Plan, Question, Route};
use bouton_driver::position::StartPosition;
use bouton_driver::proof::{self, ProofRequest};
use bouton_driver::solvers;
use bouton_driver::strategy::AcceptedStrategy;
use bouton_report::proof::Proof;
use bouton_report::solve::{SolveReport, SolvedPosition};
use bouton_report::verdict;
use bouton_search::solve::bounded_win::MAX_PLIES;
use bouton_search::solve::retrograde::RETROGRADE;
use bouton_search::solve::several_players::Paranoid;
use bouton_search::solve::{Auto, SolveOptions, Solver, SymmetryMode};

/// Solve a position: the winner, the distance and the moves
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton solve hex.bou --set n=3\n  bouton solve tictactoe.bou --moves \"a1 b2\" --all-moves\n  bouton solve othello.bou --margin --json"
)]
pub struct SolveArgs {
    /// The file, or - for standard input
    file: String,
    /// The method
    #[arg(long, value_name = "METHOD", default_value = Auto.name(), value_parser = MethodNames)]
    method: &'static dyn Solver,
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
    /// Only search for a win within N plies
    #[arg(long, value_name = "N", conflicts_with_all = ["strong", "margin", "all_moves", "table"],
          value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_PLIES)))]
    within: Option<u32>,
    /// The payoff that each player is sure of if all others play together against him
    #[arg(long, value_name = "WHOM", value_parser = ["all"],
          conflicts_with_all = ["method", "strong", "margin", "all_moves", "within", "certificate", "table"])]
    against: Option<String>,
    /// Write a certificate that `bouton verify` can check; the exit code is 0 if it was written, 3 if there is none, 4 if
    /// a limit was reached first
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

/// The names of `--method`, which the help lists with their descriptions.
#[derive(Clone)]
struct MethodNames;

impl TypedValueParser for MethodNames {
    type Value = &'static dyn Solver;

    fn parse_ref(
        &self,
        _command: &clap::Command,
        _argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        solvers::named(&value.to_string_lossy())
            .map_err(|why| clap::Error::raw(ErrorKind::InvalidValue, format!("{why}\n")))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let listed = |solver: &'static dyn Solver| {
            PossibleValue::new(solver.name()).aliases(solver.aliases()).help(solver.description())
        };
        Some(Box::new(solvers::all().map(listed)))
    }
}

/// Solves the position.
pub fn run(args: &SolveArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let method: &'static dyn Solver = if args.against.is_some() { &Paranoid } else { args.method };
    if args.distance && !method.counts_plies() {
        let name = method.name();
        let what = format!(
            "the method `{name}` does not count plies: omit --distance, or use `--method retrograde`"
        );
        return Err(CommandError::Usage(what));
    }
    if args.table.is_some() && !method.is(&Auto) && !method.is(&RETROGRADE) {
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
    let plan = Plan::new(Question {
        method,
        route: if args.table.is_some() { Route::GraphOnly } else { Route::Any },
        goal: Goal::Play,
        within: args.within,
        certificate: args.certificate.is_some(),
        universe: args.universe.as_deref(),
        user_limits: budget.user_limits(),
        ..Question::new(&begin.game, &begin.state, options, limits)
    });
    // Without a time limit the estimated cost is shown before the work, else only if the time was too short.
    let timed = budget.time.is_some();
    let progress = terminal.progress("solving");
    let mut announce = || {
        if !timed {
            let price = plan.describe_price(&mut text);
            terminal.diagnostics(&text.sources, price.as_slice());
        }
    };
    let answer = match &args.table {
        Some(path) => plan.run_on_table(path, &progress, &mut announce).map_err(CommandError::usage),
        None => plan
            .run_announced(&progress, &mut announce)
            .map_err(|met| position_fault(&mut text, &begin.game, &begin.state, &met)),
    };
    progress.finish();
    let answer = answer?;
    let solution = &answer.solution;
    let time = clock.elapsed();
    if timed && solution.limit.is_some() {
        let price = plan.describe_price(&mut text);
        terminal.diagnostics(&text.sources, price.as_slice());
    }
    let proof = prove(args, &text, &begin, &answer, limits)?;
    let solved = SolvedPosition {
        game: &begin.game,
        file: &args.file,
        state: &begin.state,
        solution,
        strategy: answer.strategy.as_ref().map(AcceptedStrategy::statement),
        proof: &proof,
        all_moves: args.all_moves,
        time,
        compile_time,
        runs_on: text.runs_on(&begin.game).sentence,
    };
    print_solution(args, global, terminal, &solved);
    tell_loose_end(&text, &begin, Limits { positions: Some(solution.positions), ..limits.clone() }, terminal);
    let missing = args.strong && solution.tally.is_none();
    // A limit is no failure.
    let limited = plan.is_refused() || solution.limit.is_some() || limits.check().is_some();
    if args.certificate.is_some() && proof.certificate.is_none() {
        let why = proof.result.as_ref().err();
        terminal.error(&format!(
            "no certificate was written{}",
            why.map(|w| format!(": {w}")).unwrap_or_default()
        ));
        return Ok(if limited { Exit::Unknown } else { Exit::Failed });
    }
    // The certificate of bounds is what was asked for, though the value is not known exactly.
    let is_written = proof.certificate.is_some() && !limited;
    let answered = is_written
        || solution.is_answered()
        || solution.has_all_equilibria()
        || solution.no_win_within.is_some();
    Ok(if answered && !missing { Exit::Done } else { Exit::Unknown })
}

/// Warns of a mistake of a sheet in a position that a play may end in; the search visited about as many positions.
fn tell_loose_end(text: &GameSource, begin: &StartPosition, limits: Limits, terminal: &Console) {
    if let Some(found) = check::loose_end(text, &begin.game, &begin.state, &limits) {
        let (code, title, path) = (found.code, &found.title, &text.path);
        terminal
            .note(&format!("warning: {code}: {title}, at an end of play (`bouton check {path}` shows it)"));
    }
}

/// The proof of the solution, within the remaining time.
fn prove(
    args: &SolveArgs,
    text: &GameSource,
    begin: &StartPosition,
    answer: &Answer,
    limits: &Limits,
) -> Result<Proof, CommandError> {
    let solution = &answer.solution;
    if !solution.is_answered() && solution.strategy.is_empty() {
        return Ok(Proof::unproved("it is not solved"));
    }
    if args.universe.is_some() {
        return Ok(Proof::unproved("a certificate cannot cover a universe"));
    }
    let request = ProofRequest { out: args.certificate.as_deref(), strong: args.strong, limits };
    proof::prove(text, begin, answer, &request).map_err(CommandError::usage)
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
        exchange_players: true,
        ..SolveOptions::default()
    }
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
    terminal.fields(&verdict::render(solved));
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
