//! The command line. One file for each command; text for people, exit codes for scripts.
//!
//! *Invariant:* results go to standard output, everything else to standard error; there is no algorithm here.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

mod assets;
mod bench;
mod check;
mod common;
mod completions;
mod dump;
mod exit;
mod expand;
mod explain;
mod export;
mod fmt;
mod games;
mod ggp_player;
mod import;
mod lsp;
mod man;
mod new;
mod perft;
mod play;
mod playground;
mod positions;
mod report;
mod serve;
mod solve;
mod table;
mod terminal;
mod test;
mod tips;
mod trace;
mod verify;

use exit::{CommandError, Exit};
use terminal::Console;

/// Bouton reads the rules of a finite game and determines who wins.
#[derive(Parser)]
#[command(name = "bouton", version, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: Global,
}

const EXAMPLES: &str = "\
Examples:
  bouton new nim                     write nim.bou, a commented starter
  bouton check nim.bou               find its mistakes
  bouton solve nim.bou --set n=12    say who wins
  bouton play nim.bou --as First     play against it

Exit codes: 0 done; 1 the file has errors; 2 usage; 3 an expectation, an invariant, a semantic check or a
certificate failed; 4 a limit was hit and the answer is unknown; 101 a bug of bouton.";

/// The flags of every command.
#[derive(Args, Clone, Debug)]
struct Global {
    /// Set a parameter of the game; repeatable, lists as [3,4,5]
    #[arg(long = "set", value_name = "NAME=VALUE", global = true)]
    set: Vec<String>,
    /// Use a named variant of the file
    #[arg(long, value_name = "NAME", global = true)]
    preset: Option<String>,
    /// The number of threads [default: all]
    #[arg(long, value_name = "N", global = true, value_parser = common::whole_number::<usize>)]
    threads: Option<usize>,
    /// The memory limit, such as 800M or 8G [default: half of the machine's]
    #[arg(long, value_name = "SIZE", global = true)]
    memory: Option<String>,
    /// The time limit, such as 500ms, 60s, 5m [default: no limit]
    #[arg(long, value_name = "TIME", global = true)]
    time: Option<String>,
    /// The back end that runs the rules; rules without machine code run on the next best
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Backend::Jit, global = true)]
    backend: Backend,
    /// Do not use symmetry
    #[arg(long, global = true)]
    no_symmetry: bool,
    /// Skip a pass of the optimiser: constant_propagation, condition_propagation, column_merging, stacking,
    /// lane_split, group_fusion, run_doubling, dead_terminals, short_circuit
    #[arg(long, value_name = "NAME", global = true)]
    skip_pass: Vec<String>,
    /// The seed of all random choices [default: 0; of `play` a new one each time, which it prints]
    #[arg(long, value_name = "N", global = true, value_parser = common::whole_number::<u64>)]
    seed: Option<u64>,
    /// Print the result as JSON
    #[arg(long, global = true)]
    json: bool,
    /// Print only results and errors
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Print details
    #[arg(short, long, global = true)]
    verbose: bool,
    /// When to use colour; NO_COLOR is honoured
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto, global = true)]
    color: ColorChoice,
}

/// The choices for colour.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The back ends that run the rules.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Backend {
    /// Machine code.
    Jit,
    /// The circuit's interpreter.
    Interp,
    /// The reference interpreter, which defines the language.
    Reference,
}

#[derive(Subcommand)]
enum Command {
    New(new::NewArgs),
    Check(check::CheckArgs),
    Test(test::TestArgs),
    Solve(solve::SolveArgs),
    Verify(verify::VerifyArgs),
    Fmt(fmt::FmtArgs),
    Report(report::ReportArgs),
    Table(table::TableArgs),
    Trace(trace::TraceArgs),
    Perft(perft::PerftArgs),
    Positions(positions::PositionsArgs),
    Play(play::PlayArgs),
    Bench(bench::BenchArgs),
    Expand(expand::ExpandArgs),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
    Dump(dump::DumpArgs),
    Explain(explain::ExplainArgs),
    Lsp(lsp::LspArgs),
    Serve(serve::ServeArgs),
    Playground(playground::PlaygroundArgs),
    GgpPlayer(ggp_player::GgpPlayerArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// The flags of [`Global`] that each command reads, apart from those that all commands read; its help shows no others.
const USED_FLAGS: [(&str, &[&str]); 24] = {
    const RULES: &[&str] = &["set", "preset", "memory", "time"];
    const POSITIONS: &[&str] = &["set", "preset", "memory", "time", "threads", "backend", "skip_pass"];
    const DATA: &[&str] = &["set", "preset", "memory", "time", "threads", "backend", "skip_pass", "json"];
    const ALL: &[&str] = &[
        "set",
        "preset",
        "memory",
        "time",
        "threads",
        "backend",
        "skip_pass",
        "json",
        "no_symmetry",
        "seed",
    ];
    [
        ("new", &[]),
        ("check", DATA),
        ("test", DATA),
        ("solve", ALL),
        ("verify", &["set", "preset", "memory", "time", "threads", "json"]),
        ("fmt", &[]),
        ("report", DATA),
        ("table", DATA),
        ("trace", POSITIONS),
        ("perft", DATA),
        (
            "positions",
            &["set", "preset", "memory", "time", "threads", "backend", "skip_pass", "json", "no_symmetry"],
        ),
        ("play", &["set", "preset", "memory", "time", "threads", "backend", "skip_pass", "seed"]),
        ("bench", ALL),
        ("expand", RULES),
        ("export", POSITIONS),
        ("import", &["memory", "time", "backend"]),
        ("dump", RULES),
        ("explain", &["json"]),
        ("lsp", &["threads"]),
        ("serve", &[]),
        ("playground", &[]),
        ("ggp-player", &["memory", "threads", "backend"]),
        ("completions", &[]),
        ("man", &[]),
    ]
};

/// Prints the help of the command that the arguments name; returns false if they name none.
fn print_help() -> bool {
    let mut command = command_with_used_flags();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.iter().find(|argument| USED_FLAGS.iter().any(|(name, _)| name == argument));
    let Some(of) = name.and_then(|name| command.find_subcommand_mut(name)) else { return false };
    let is_long = !arguments.iter().any(|argument| argument == "-h");
    let help = if is_long { of.render_long_help() } else { of.render_help() };
    let mut out = std::io::stdout();
    let text = if out.is_terminal() { help.ansi().to_string() } else { help.to_string() };
    // A closed pipe is no reason to complain about help that nobody reads.
    let _ = writeln!(out, "{}", text.trim_end());
    true
}

/// The command line for its help, where each command shows the flags that it reads. All flags are accepted by all
/// commands, so that scripts may give the same flags to each.
fn command_with_used_flags() -> clap::Command {
    let global = Global::augment_args(clap::Command::new(""));
    let flags: Vec<String> = global.get_arguments().map(|arg| arg.get_id().to_string()).collect();
    let mut command = Cli::command();
    // Afterwards, the commands have the flags as arguments of their own.
    command.build();
    for (name, used) in USED_FLAGS {
        let unused = flags.iter().filter(|flag| {
            !used.contains(&flag.as_str()) && !["quiet", "verbose", "color"].contains(&flag.as_str())
        });
        for flag in unused {
            command = command.mut_subcommand(name, |of| of.mut_arg(flag, |arg| arg.hide(true)));
        }
    }
    command
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(exit::report_bug));
    // Deeply nested files need a deep stack, which a spawned thread can have and the main thread cannot.
    let worker = std::thread::Builder::new().name("bouton".into()).stack_size(512 << 20).spawn(run);
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(_)) => ExitCode::from(101),
        Err(error) => {
            eprintln!("error: no thread could be started: {error}");
            ExitCode::from(101)
        }
    }
}

/// Parses the arguments, runs the command, and returns the exit code.
fn run() -> u8 {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.kind() == ErrorKind::DisplayHelp && print_help() => return Exit::Done as u8,
        Err(mut error) => {
            let arguments: Vec<String> = std::env::args().skip(1).collect();
            let tip = tips::of(&error, &arguments);
            tips::keep_good_suggestions(&mut error, tip.is_some());
            // A closed pipe is no reason to complain about help that nobody reads.
            let _ = error.print();
            if let Some(tip) = tip {
                eprintln!("tip: {tip}");
            }
            return error.exit_code() as u8;
        }
    };
    let terminal = Console::new(&cli.global);
    let result =
        common::prepare(&cli.global, &terminal).and_then(|()| dispatch(&cli.command, &cli.global, &terminal));
    // In a game the players take their time.
    if !matches!(cli.command, Command::Play(_)) {
        terminal.tell_what_was_slow();
    }
    result.unwrap_or_else(|stop| stop.report(&terminal)) as u8
}

fn dispatch(command: &Command, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    match command {
        Command::New(args) => new::run(args, terminal),
        Command::Check(args) => check::run(args, global, terminal),
        Command::Test(args) => test::run(args, global, terminal),
        Command::Solve(args) => solve::run(args, global, terminal),
        Command::Verify(args) => verify::run(args, global, terminal),
        Command::Fmt(args) => fmt::run(args, terminal),
        Command::Report(args) => report::run(args, global, terminal),
        Command::Table(args) => table::run(args, global, terminal),
        Command::Trace(args) => trace::run(args, global, terminal),
        Command::Perft(args) => perft::run(args, global, terminal),
        Command::Positions(args) => positions::run(args, global, terminal),
        Command::Play(args) => play::run(args, global, terminal),
        Command::Bench(args) => bench::run(args, global, terminal),
        Command::Expand(args) => expand::run(args, global, terminal),
        Command::Export(args) => export::run(args, global, terminal),
        Command::Import(args) => import::run(args, global, terminal),
        Command::Dump(args) => dump::run(args, global, terminal),
        Command::Explain(args) => explain::run(args, global, terminal),
        Command::Lsp(_) => lsp::run(),
        Command::Serve(args) => serve::run(args, global, terminal),
        Command::Playground(args) => playground::run(args, terminal),
        Command::GgpPlayer(args) => ggp_player::run(args, global, terminal),
        Command::Completions(args) => completions::run(args, terminal),
        Command::Man(args) => man::run(args, terminal),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_flags_are_consistent() {
        super::Cli::command().debug_assert();
    }

    #[test]
    fn the_help_of_a_command_shows_the_flags_that_it_reads() {
        let mut command = super::command_with_used_flags();
        let mut help =
            |name: &str| command.find_subcommand_mut(name).expect("a command").render_long_help().to_string();
        assert!(help("solve").contains("--no-symmetry") && help("solve").contains("--json"));
        assert!(!help("fmt").contains("--time") && !help("play").contains("--json"));
        let names: Vec<_> =
            super::Cli::command().get_subcommands().map(|c| c.get_name().to_owned()).collect();
        let listed: Vec<_> = super::USED_FLAGS.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(names, listed);
    }

    #[test]
    fn every_command_shows_an_example() {
        for command in super::Cli::command().get_subcommands().filter(|c| c.get_name() != "help") {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Example"), "{} has no example", command.get_name());
        }
    }
}
