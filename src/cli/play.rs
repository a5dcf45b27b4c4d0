//! `bouton play FILE`: the user types moves, the engine answers.

use std::io::{BufRead, IsTerminal};
use std::path::Path;

use clap::Args;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use super::Global;
use super::common::{PositionArgs, budget, load, stop};
use super::stop::{Exit, Stop};
use super::terminal::Terminal;
use crate::driver::faults::fault_found;
use crate::driver::files::{self, Content};
use crate::driver::load::{Text, quoted};
use crate::driver::play::engine::{Engine, Level};
use crate::driver::play::{Session, view};
use crate::driver::position::start;
use crate::game::draw::ending;
use crate::game::{Fault, Play, Successor, Turn};
use crate::rules::Rules;

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
    /// How well the engine plays: `perfect`, or how many moves it looks ahead (0: at random)
    #[arg(long, value_name = "perfect|N", default_value = "perfect")]
    level: String,
    #[command(flatten)]
    at: PositionArgs,
}

const HELP: &str = "\
  a number or a name   make that move
  moves                list the legal moves
  hint                 the move the engine would make
  why                  what the position is worth, and why the engine moved so
  undo, redo           take back your last move; make it again
  save FILE, load FILE keep the moves; play them again
  help, quit           (with a `:` before it a word is always a command: `:quit`)";

/// Plays.
pub fn run(args: &PlayArgs, global: &Global, terminal: &Terminal) -> Result<Exit, Stop> {
    let mut text = load(&args.file, global)?;
    let level = Level::parse(&args.level).map_err(|e| Stop::Usage(format!("--level: {e}")))?;
    let begin = start(&mut text, args.at.position.as_deref(), args.at.moves.as_deref())
        .map_err(|refused| stop(&mut text, refused))?;
    let human = humans(&begin.game.rules, &args.player)?;
    let budget = budget(global, terminal)?;
    let alone = human.len() == begin.game.rules.players().len();
    let progress = terminal.progress("solving");
    let (engine, told) = Engine::new(&begin.game, &begin.state, level, &budget, &progress);
    progress.finish();
    terminal.line(&begin.game.rules.name);
    if !alone {
        terminal.line(&told);
    }
    let mut table = Table {
        session: Session::new(begin.game, begin.state, human, global.seed),
        engine,
        terminal,
        text: &text,
        input: Input::new(),
        why: None,
        chosen: Vec::new(),
        shown: false,
    };
    table.play();
    Ok(Exit::Done)
}

/// The players that the user moves.
fn humans(rules: &Rules, name: &str) -> Result<Vec<u32>, Stop> {
    let players = rules.players();
    if let Some(found) = players.iter().position(|p| p.eq_ignore_ascii_case(name)) {
        return Ok(vec![found as u32]);
    }
    match name {
        "first" => Ok(vec![0]),
        "second" if players.len() > 1 => Ok(vec![1]),
        "all" | "both" => Ok((0..players.len() as u32).collect()),
        _ => Err(Stop::Usage(format!(
            "--as: there is no player `{name}`; there are {}, and `all`",
            players.join(", ")
        ))),
    }
}

/// Lines from a terminal, with editing and history, or from a pipe.
enum Input {
    Editor(Box<DefaultEditor>),
    Pipe,
}

impl Input {
    fn new() -> Input {
        if !std::io::stdin().is_terminal() {
            return Input::Pipe;
        }
        DefaultEditor::new().map_or(Input::Pipe, |editor| Input::Editor(Box::new(editor)))
    }

    /// The next line; none at the end.
    fn line(&mut self, prompt: &str, terminal: &Terminal) -> Option<String> {
        match self {
            Input::Editor(editor) => match editor.readline(prompt) {
                Ok(line) => {
                    // History is a comfort; where it cannot be kept, play goes on.
                    let _ = editor.add_history_entry(&line);
                    Some(line)
                }
                Err(ReadlineError::Interrupted | ReadlineError::Eof) => None,
                Err(error) => {
                    terminal.error(&format!("the line cannot be read: {error}"));
                    None
                }
            },
            Input::Pipe => {
                let mut line = String::new();
                match std::io::stdin().lock().read_line(&mut line) {
                    Ok(0) | Err(_) => None,
                    Ok(_) => Some(line),
                }
            }
        }
    }
}

/// Whether play goes on.
#[derive(PartialEq, Eq)]
enum Next {
    On,
    Quit,
}

struct Table<'a> {
    session: Session,
    engine: Engine,
    terminal: &'a Terminal,
    text: &'a Text,
    input: Input,
    /// Why the engine made its last move.
    why: Option<String>,
    /// In a phase by each: what the user's players have chosen so far.
    chosen: Vec<(u32, Play)>,
    /// Whether the position now was drawn.
    shown: bool,
}

impl Table<'_> {
    fn play(&mut self) {
        loop {
            self.others();
            if !self.shown {
                self.show();
            }
            let prompt = format!("{}> ", self.asked().map_or(String::new(), |p| self.name(p)));
            let Some(line) = self.input.line(&prompt, self.terminal) else { return };
            if self.command(line.trim()) == Next::Quit {
                return;
            }
        }
    }

    /// Chance and the engine move until the user is asked.
    fn others(&mut self) {
        loop {
            let turn = match self.session.turn() {
                Ok(turn) => turn,
                Err(fault) => return self.fault(&fault),
            };
            let successors = match self.session.successors() {
                Ok(successors) => successors,
                Err(fault) => return self.fault(&fault),
            };
            let made = match turn {
                _ if successors.is_empty() => return,
                Turn::Over(_) => return,
                Turn::Chance => self.session.throw(&turn, &successors),
                Turn::Player(player) if !self.session.is_human(player) => {
                    let choice = self.engine.choose(&mut self.session);
                    choice.map(|choice| {
                        self.why = Some(choice.why);
                        choice.successor
                    })
                }
                Turn::Each if self.session.human.is_empty() => self.session.throw(&turn, &successors),
                Turn::Player(_) | Turn::Each => return,
            };
            let Some(successor) = made else { return };
            let maker = match turn {
                Turn::Player(player) => Some(player),
                _ => None,
            };
            self.make(successor, maker, false);
        }
    }

    fn make(&mut self, successor: Successor, maker: Option<u32>, chosen: bool) {
        let made = self.session.make(successor, chosen).clone();
        let human = &self.session.human;
        let told = view::told(&self.session.game, &made.play, &made.words, maker, human);
        let who = maker.map_or("chance".to_string(), |p| self.name(p));
        let who = if matches!(made.play, Play::Joint(_)) { "all".to_string() } else { who };
        if !chosen || matches!(made.play, Play::Joint(_)) {
            self.terminal.line(&format!("{who}: {}", told.as_deref().unwrap_or("(hidden)")));
        }
        self.shown = false;
    }

    fn name(&self, player: u32) -> String {
        self.session.game.rules.players().get(player as usize).cloned().unwrap_or_default()
    }

    /// The player of the user who is to choose now.
    fn asked(&self) -> Option<u32> {
        match self.session.turn() {
            Ok(Turn::Player(player)) => Some(player),
            Ok(Turn::Each) => {
                let open =
                    |p: &&u32| !self.chosen.iter().any(|(who, _)| who == *p) && !self.options(**p).is_empty();
                self.session.human.iter().find(open).copied()
            }
            _ => None,
        }
    }

    /// What a player may choose in a phase by each.
    fn options(&self, player: u32) -> Vec<Play> {
        let mut options: Vec<Play> = Vec::new();
        for successor in self.session.successors().unwrap_or_default() {
            if let Play::Joint(parts) = successor.play {
                let own = parts.into_iter().find(|(who, _)| *who == player).map(|(_, play)| play);
                options.extend(own.filter(|play| !options.contains(play)));
            }
        }
        options
    }

    /// The moves the user may choose from, in words.
    fn choices(&self) -> Vec<String> {
        let state = self.session.state();
        let written = |play: &Play| self.session.game.machine.written(state, play);
        match self.session.turn() {
            Ok(Turn::Each) => {
                self.asked().map_or(Vec::new(), |p| self.options(p).iter().map(written).collect())
            }
            Ok(Turn::Player(_)) => {
                self.session.successors().unwrap_or_default().iter().map(|s| written(&s.play)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn show(&mut self) {
        self.shown = true;
        let session = &self.session;
        self.terminal.print(&format!("\n{}", view::seen(&session.game, session.state(), &session.human)));
        match session.turn() {
            Ok(Turn::Over(outcome)) => {
                self.terminal.line(&format!("The game is over: {}.", ending(&session.game.rules, &outcome)));
            }
            Ok(_) => self.list(),
            Err(_) => {}
        }
    }

    fn list(&self) {
        let choices = self.choices();
        if choices.is_empty() {
            self.terminal.line("Nobody can move, and the game is not over (bouton explain E0501).");
            return;
        }
        let numbered: Vec<String> =
            choices.iter().enumerate().map(|(i, name)| format!("{}) {name}", i + 1)).collect();
        let who = match self.session.turn() {
            Ok(Turn::Each) => {
                self.asked().map_or(String::new(), |p| format!("{} chooses among ", self.name(p)))
            }
            _ => String::new(),
        };
        self.terminal.line(&format!("{who}{}", numbered.join("  ")));
    }

    fn command(&mut self, line: &str) -> Next {
        let (forced, words) = line.strip_prefix(':').map_or((false, line), |rest| (true, rest.trim()));
        if words.is_empty() {
            return Next::On;
        }
        if !forced && self.choices().iter().any(|name| name == words) {
            self.choose(words);
            return Next::On;
        }
        let (word, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        match (word, rest.trim()) {
            ("quit" | "exit" | "q", "") => return Next::Quit,
            ("help" | "?", "") => self.terminal.line(HELP),
            ("moves", "") => self.list(),
            ("hint", "") => self.hint(),
            ("why", "") => self.why(),
            ("undo", "") => {
                let count = if self.chosen.pop().is_some() { 1 } else { self.session.undo() };
                self.moved(count, "taken back");
            }
            ("redo", "") => {
                let count = self.session.redo();
                self.moved(count, "made again");
            }
            ("save", file) if !file.is_empty() => self.save(file),
            ("load", file) if !file.is_empty() => self.load(file),
            ("save" | "load", "") => self.terminal.line("which file?"),
            _ if forced => self.terminal.line(&format!("there is no command `{word}`; `help` lists them")),
            _ => self.choose(words),
        }
        Next::On
    }

    fn moved(&mut self, count: usize, what: &str) {
        let moves = crate::report::words::counted(count as u64, "move", "moves");
        self.terminal.line(&if count == 0 {
            format!("nothing to be {what}")
        } else {
            format!("{moves} {what}")
        });
        self.shown &= count == 0;
    }

    /// A move by its number or its name.
    fn choose(&mut self, words: &str) {
        match self.session.turn() {
            Ok(Turn::Each) => self.choose_part(words),
            Ok(Turn::Player(player)) => {
                let by_number = || {
                    let number: usize = words.parse().ok()?;
                    self.session.successors().ok()?.into_iter().nth(number.checked_sub(1)?)
                };
                // A name counts before a number: in many games moves are called 1, 2, 3.
                match self.session.find(words).or_else(|error| by_number().ok_or(error)) {
                    Ok(successor) => self.make(successor, Some(player), true),
                    Err(error) => self.terminal.line(&error.to_string()),
                }
            }
            Ok(Turn::Over(_)) => self.terminal.line("the game is over; `undo` takes back, `quit` leaves"),
            Ok(Turn::Chance) => {}
            Err(fault) => self.fault(&fault),
        }
    }

    /// One player's part of a simultaneous move; once all have chosen, it is made.
    fn choose_part(&mut self, words: &str) {
        let Some(player) = self.asked() else { return };
        let options = self.options(player);
        let choices = self.choices();
        let place = choices.iter().position(|name| name.eq_ignore_ascii_case(words)).or_else(|| {
            let number: usize = words.parse().ok()?;
            number.checked_sub(1).filter(|&i| i < choices.len())
        });
        let Some(place) = place else {
            self.terminal
                .line(&format!("no legal move is called `{words}`; there are {}", choices.join(", ")));
            return;
        };
        self.chosen.push((player, options[place].clone()));
        if self.asked().is_some() {
            self.shown = false;
            return;
        }
        let chosen = std::mem::take(&mut self.chosen);
        let fits = |s: &Successor| match &s.play {
            Play::Joint(parts) => chosen.iter().all(|part| parts.contains(part)),
            _ => false,
        };
        let fitting: Vec<Successor> =
            self.session.successors().unwrap_or_default().into_iter().filter(fits).collect();
        if !fitting.is_empty() {
            let place = self.session.pick(fitting.len());
            self.make(fitting[place].clone(), None, true);
        }
    }

    fn hint(&mut self) {
        match self.session.turn() {
            Ok(Turn::Player(_)) => match self.engine.choose(&mut self.session) {
                Some(choice) => {
                    let words =
                        self.session.game.machine.written(self.session.state(), &choice.successor.play);
                    self.terminal.line(&format!("{words}: {}", choice.why));
                }
                None => self.terminal.line("there is no move"),
            },
            Ok(Turn::Each) => self.terminal.line("no hint for simultaneous moves in this version"),
            _ => self.terminal.line("there is no move to hint at"),
        }
    }

    fn why(&self) {
        let worth = self.engine.worth(&self.session.game, self.session.state());
        match (&worth, &self.why) {
            (None, None) => self.terminal.line("nothing is known of this position"),
            (worth, why) => {
                if let Some(worth) = worth {
                    self.terminal.line(&format!("with best play from here: {worth}"));
                }
                if let Some(why) = why {
                    self.terminal.line(&format!("the engine's last move: {why}"));
                }
            }
        }
    }

    fn save(&self, file: &str) {
        let mut command = format!("bouton play {}", quoted(&self.text.path));
        for flag in &self.text.flags {
            command.push_str(&format!(" {flag}"));
        }
        let saved = self.session.save(&command);
        match files::create(Path::new(file), &saved) {
            Ok(()) => self.terminal.line(&format!("saved to {file}")),
            Err(why) => self.terminal.line(&why),
        }
    }

    fn load(&mut self, file: &str) {
        let loaded = match files::read(file) {
            Ok(Content::Text(text)) => self.session.load(&text),
            Ok(_) => Err(format!("{file} is no text of moves")),
            Err(why) => Err(why),
        };
        match loaded {
            Ok(count) => self.moved(count, "loaded"),
            Err(why) => self.terminal.line(&why),
        }
    }

    fn fault(&self, fault: &Fault) {
        let found = fault_found(&self.session.game, fault);
        self.terminal.line(&format!("the rules have no meaning here: {}: {}", found.code, found.title));
    }
}
