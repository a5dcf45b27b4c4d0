//! `bouton positions FILE`: counts the reachable positions.

use std::time::Instant;

use clap::Args;

use super::Global;
use super::common::{PositionArgs, begin, budget, load, position_fault};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_driver::orbits::count_orbits;
use bouton_report::positions::PositionsReport;
use bouton_report::words::{count_with_noun, group_digits};
use bouton_search::game::explore::count_positions;

/// Count the reachable positions
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  bouton positions tictactoe.bou")]
pub struct PositionsArgs {
    /// The file, or - for standard input
    file: String,
    #[command(flatten)]
    at: PositionArgs,
}

/// Runs the count.
pub fn run(args: &PositionsArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let budget = budget(global, terminal)?;
    let mut text = load(&args.file, global, &budget.command_limits(None))?;
    let begin = begin(&mut text, &args.at, &budget, terminal)?;
    let limits = budget.command_limits(None);
    let progress = terminal.progress("counting");
    let clock = Instant::now();
    let result = count_positions(&begin.game, &begin.state, &limits, &progress);
    let count = result.map_err(|met| position_fault(&mut text, &begin.game, &begin.state, &met));
    // The symmetries are those of the initial position, so they apply only there.
    let symmetric = !global.no_symmetry && begin.state == begin.game.machine.initial();
    let orbits = match &count {
        Ok(count) if count.complete && symmetric => {
            count_orbits(&begin.game, count.positions, &limits, &progress)
        }
        _ => None,
    };
    progress.finish();
    let count = count?;
    let report = PositionsReport::new(&count, orbits, clock.elapsed());
    if global.json {
        terminal.json(&report);
    } else if count.complete {
        terminal.line(&format!("positions: {}", group_digits(count.positions)));
        if let Some(orbits) = orbits {
            terminal.line(&format!("orbits:    {}", group_digits(orbits)));
        }
        terminal.line(&format!("finished:  {}", group_digits(count.terminal)));
        for (outcome, n) in &count.terminal_by_outcome {
            let words = bouton_search::game::draw::describe_outcome(&begin.game.rules, outcome);
            terminal.line(&format!("  {words}: {}", group_digits(*n)));
        }
        terminal.line(&format!("farthest:  {}", count_with_noun(u64::from(count.max_ply), "ply", "plies")));
    }
    match count.limit {
        None => Ok(Exit::Done),
        Some(hit) => {
            terminal.note(&format!("at least {} positions: {hit}", group_digits(count.positions)));
            Ok(Exit::Unknown)
        }
    }
}
