//! `bouton perft FILE -d N`: counts the sequences of moves.

use std::time::Instant;

use clap::{Args, ValueEnum};

use super::Global;
use super::common::{PositionArgs, begin, budget, load, position_fault, whole_number};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_report::perft::PerftReport;
use bouton_report::words::group_digits;
use bouton_search::game::perft::{self, PerftError};

/// Count sequences of moves
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton perft chess.bou -d 3 --divide\n  bouton perft amazons.bou -d 2 --by turn"
)]
pub struct PerftArgs {
    /// The file, or - for standard input
    file: String,
    /// The number of moves
    #[arg(short, long, value_name = "N", value_parser = whole_number::<u32>)]
    depth: u32,
    /// Also print the count for each first move
    #[arg(long)]
    divide: bool,
    /// The unit to count: a move, or a turn (all moves until the mover changes)
    #[arg(long, value_enum, default_value_t = CountBy::Move)]
    by: CountBy,
    /// Count the moves of the last ply without making them, if possible
    #[arg(long)]
    bulk: bool,
    #[command(flatten)]
    at: PositionArgs,
}

/// The depth of the count that compiles the machine code.
const WARM_UP_DEPTH: u32 = 2;

/// The unit of counting.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum CountBy {
    /// Every move.
    Move,
    /// All moves until the mover changes.
    Turn,
}

/// Runs the count.
pub fn run(args: &PerftArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let budget = budget(global, terminal)?;
    let mut text = load(&args.file, global, &budget.command_limits(None))?;
    let begin = begin(&mut text, &args.at, &budget, terminal)?;
    let limits = budget.command_limits(None);
    let by = match args.by {
        CountBy::Move => perft::PlyUnit::Move,
        CountBy::Turn => perft::PlyUnit::Turn,
    };
    let count = if args.bulk { perft::count } else { perft::perft };
    // A short count compiles the machine code, whose time is no part of the rate.
    if args.depth > WARM_UP_DEPTH {
        let _ = count(&begin.game, &begin.state, WARM_UP_DEPTH, by, &limits);
    }
    let clock = Instant::now();
    let counted = count(&begin.game, &begin.state, args.depth, by, &limits);
    let counted = counted.map_err(|error| match error {
        PerftError::Broken(met) => position_fault(&mut text, &begin.game, &begin.state, &met),
        other => CommandError::LimitReached(format!("no count: {other}")),
    })?;
    let report = PerftReport::new(&counted, args.depth, clock.elapsed());
    if global.json {
        terminal.json(&report);
        return Ok(Exit::Done);
    }
    if args.divide {
        for (name, count) in &counted.divide {
            terminal.line(&format!("{name}: {}", group_digits(*count)));
        }
    }
    for (depth, count) in counted.by_depth.iter().enumerate().skip(1) {
        terminal.line(&format!("perft {depth} = {count}"));
    }
    terminal.note(&format!(
        "{:.3} s, {} leaves/s",
        report.seconds,
        group_digits(report.leaves_per_second as u64)
    ));
    Ok(Exit::Done)
}
