//! `bouton play FILE`: the user types moves, the engine answers.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use clap::Args;

use super::Global;
use super::common::{PositionArgs, begin, budget, load, open_table};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_driver::play::Session;
use bouton_driver::play::engine::{Engine, EngineLevel, EngineOptions, NamedTable};
use bouton_rules::Rules;

mod commands;
mod input;
mod interactive;

use input::Input;
use interactive::InteractiveGame;

/// Play a game: you type moves, the engine answers
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton play hex.bou --as Red\n  bouton play chess.bou --level 2 --seed 7\n  bouton play tictactoe.bou --as all --moves \"a1 b2\""
)]
pub struct PlayArgs {
    /// The file
    file: String,
    /// The player you are: a name, `first`, `second`, or `all` for every side
    #[arg(long = "as", value_name = "PLAYER", default_value = "first")]
    player: String,
    /// The engine's level: `perfect`, or the number of moves it looks ahead (0: random moves); options follow,
    /// separated by commas: quiescence, quiescence=N, extend, width=N, average=M/N, games=N
    #[arg(long, value_name = "perfect|N[,OPTION...]", default_value = "perfect")]
    level: String,
    /// Play by the table that `solve --strong --table FILE` stored
    #[arg(long, value_name = "FILE")]
    table: Option<String>,
    #[command(flatten)]
    at: PositionArgs,
}

/// Plays the game.
pub fn run(args: &PlayArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    let budget = budget(global, terminal)?;
    let mut text = load(&args.file, global, &budget.command_limits(None))?;
    let level = EngineLevel::parse(&args.level).map_err(|e| CommandError::Usage(format!("--level: {e}")))?;
    let table = open_table(&mut text, args.table.as_deref())?;
    let begin = begin(&mut text, &args.at, &budget, terminal)?;
    let human = humans(&begin.game.rules, &args.player)?;
    let alone = human.len() == begin.game.rules.players().len();
    let progress = terminal.progress("solving");
    let table = table.map(|(table, path)| {
        let values = table.values(&begin.game, &budget.limits(None), &progress);
        values.map(|values| NamedTable { values: Arc::new(values), name: path.to_owned() })
    });
    let table = table.transpose().map_err(|why| {
        progress.finish();
        CommandError::usage(why)
    })?;
    let options = EngineOptions { level, table, budget };
    let (engine, told) = Engine::new(&begin.game, &begin.state, options, &progress);
    progress.finish();
    terminal.line(&begin.game.rules.name);
    if !alone {
        terminal.line(&told);
    }
    terminal.line("`help` lists the commands");
    let seed = global.seed.unwrap_or_else(new_seed);
    if global.seed.is_none() {
        terminal.note(&format!(
            "seed {seed}: `--seed {seed}` repeats this game's choices of chance and of the engine"
        ));
    }
    let mut table = InteractiveGame {
        session: Session::new(begin.game, begin.state, human, seed),
        engine,
        terminal,
        text: &text,
        at: &args.at,
        input: Input::new(),
        why: None,
        chosen: Vec::new(),
        displayed: false,
        viewer: None,
    };
    table.play();
    Ok(Exit::Done)
}

/// A seed that differs from run to run, short enough to be typed.
fn new_seed() -> u64 {
    // The standard library seeds its hash tables at random.
    RandomState::new().build_hasher().finish() % 1_000_000
}

/// The players that the user moves.
fn humans(rules: &Rules, name: &str) -> Result<Vec<u32>, CommandError> {
    let players = rules.players();
    if let Some(found) = players.iter().position(|p| p.eq_ignore_ascii_case(name)) {
        return Ok(vec![found as u32]);
    }
    match name {
        "first" => Ok(vec![0]),
        "second" if players.len() > 1 => Ok(vec![1]),
        "all" | "both" => Ok((0..players.len() as u32).collect()),
        _ => Err(CommandError::Usage(format!(
            "--as: there is no player `{name}`; use {}, or `all`",
            players.join(", ")
        ))),
    }
}
