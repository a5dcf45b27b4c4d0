//! The lines that the user may type: moves, by number or name, and words such as `undo`.

use std::path::Path;

use super::interactive::{AfterCommand, InteractiveGame};
use bouton_driver::files::{self, Content};
use bouton_driver::load::shell_quote;
use bouton_driver::play::{PlayedMove, joint_choices, with_choices};
use bouton_report::words::listed_with;
use bouton_search::game::{MoveInstance, ToMove};

const HELP: &str = "\
  a number or a name   make that move
  moves                list the legal moves
  hint                 the move the engine would make
  why                  the value of the position with its reason, and the reason for the engine's move
  undo, redo           take back your last move; make it again
  review               the moves that gave something away, and the first losing move of each player
  new                  begin again
  save FILE, load FILE store the moves; replay them
  help, quit           (a word after `:` is always a command: `:quit`)";

/// The command that a word of another program stands for.
fn other_command(line: &str) -> Option<&'static str> {
    Some(match line.split_whitespace().next()?.to_ascii_lowercase().trim_end_matches(['?', '!', '.']) {
        "best" | "advice" | "advise" | "suggest" | "tip" => "hint",
        "back" | "takeback" | "u" => "undo",
        "legal" | "list" | "ls" | "options" | "show" => "moves",
        "explain" | "eval" | "value" | "score" | "analyse" | "analyze" => "why",
        "resign" | "bye" | "stop" | "end" | "leave" | "x" => "quit",
        "reset" | "again" | "start" => "new",
        "commands" | "h" | "moves?" | "man" => "help",
        _ => return None,
    })
}

impl InteractiveGame<'_> {
    /// Executes a line.
    pub(super) fn command(&mut self, line: &str) -> AfterCommand {
        let (forced, words) = line.strip_prefix(':').map_or((false, line), |rest| (true, rest.trim()));
        if words.is_empty() {
            return AfterCommand::On;
        }
        if !forced && self.choices().is_ok_and(|names| names.iter().any(|name| name == words)) {
            self.choose(words);
            return AfterCommand::On;
        }
        let (word, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        match (word, rest.trim()) {
            ("quit" | "exit" | "q", "") => return AfterCommand::Quit,
            ("help" | "?", "") => self.terminal.line(HELP),
            ("moves", "") => self.list(usize::MAX),
            ("hint", "") => self.hint(),
            ("why", "") => self.why(),
            ("review", "") => self.review(),
            ("new" | "restart", "") => {
                self.session.restart();
                self.chosen.clear();
                (self.why, self.viewer, self.displayed) = (None, None, false);
            }
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
            ("save" | "load", "") => self.terminal.line("give the name of a file"),
            (
                of @ ("quit" | "exit" | "help" | "moves" | "hint" | "why" | "review" | "new" | "undo"
                | "redo"),
                _,
            ) if forced || self.session.find(words).is_err() => {
                self.terminal.line(&format!("the command `{of}` stands alone on its line"));
            }
            _ if forced => self.terminal.line(&format!("there is no command `{word}`; `help` lists them")),
            _ => self.choose(words),
        }
        AfterCommand::On
    }

    fn moved(&mut self, count: usize, what: &str) {
        let moves = bouton_report::words::count_with_noun(count as u64, "move", "moves");
        self.terminal.line(&if count == 0 { format!("no moves {what}") } else { format!("{moves} {what}") });
        self.displayed &= count == 0;
    }

    /// Makes the move with this number or name.
    fn choose(&mut self, words: &str) {
        match self.session.turn() {
            Ok(ToMove::Simultaneous) => self.choose_part(words),
            Ok(ToMove::Player(player)) => {
                let successors = match self.session.successors() {
                    Ok(successors) => successors,
                    Err(halt) => return self.halted(&halt),
                };
                let count = successors.len();
                let by_number = || {
                    let number: usize = words.parse().ok()?;
                    successors.into_iter().nth(number.checked_sub(1)?)
                };
                // A name takes precedence over a number: in many games moves are called 1, 2, 3.
                match self.session.find(words).or_else(|error| by_number().ok_or(error)) {
                    Ok(successor) => self.make(successor, Some(player), true),
                    Err(error) => self.terminal.line(&match (words.parse::<i64>(), other_command(words)) {
                        (Ok(_), _) if count > 1 => {
                            format!("{error}; the moves have the numbers 1 to {count}")
                        }
                        (_, Some(command)) => format!("{error}; the command is `{command}`"),
                        _ => error.to_string(),
                    }),
                }
            }
            Ok(ToMove::Terminal(_)) => {
                self.terminal.line("the game is over; `undo` takes back a move, `quit` leaves")
            }
            Ok(ToMove::Chance) => {}
            Err(halt) => self.halted(&halt),
        }
    }

    /// Chooses one player's part of a simultaneous move; makes the move once all have chosen.
    fn choose_part(&mut self, words: &str) {
        let Some(player) = self.choosing_player() else { return };
        let successors = match self.session.successors() {
            Ok(successors) => successors,
            Err(halt) => return self.halted(&halt),
        };
        let options = joint_choices(&successors, player);
        let written =
            |play: &MoveInstance| self.session.game.choice_notation(self.session.state(), player, play);
        let choices: Vec<String> = options.iter().map(written).collect();
        let place = choices.iter().position(|name| name.eq_ignore_ascii_case(words)).or_else(|| {
            let number: usize = words.parse().ok()?;
            number.checked_sub(1).filter(|&i| i < choices.len())
        });
        let Some(place) = place else {
            self.terminal
                .line(&format!("no legal move is called `{words}`; choose from {}", choices.join(", ")));
            return;
        };
        self.chosen.push((player, options[place].clone()));
        if self.choosing_player().is_some() {
            self.displayed = false;
            return;
        }
        let chosen = std::mem::take(&mut self.chosen);
        let fitting = with_choices(successors, &chosen);
        if let Some(made) = self.engine.complete(&mut self.session, &fitting) {
            self.make(made, None, true);
        }
    }

    fn hint(&mut self) {
        let player = self.choosing_player();
        if let Some(advice) = player.and_then(|player| self.engine.advice(&self.session, player)) {
            return self.terminal.line(&format!("by the mixed strategy: {advice}"));
        }
        if player.is_none() {
            return self.terminal.line("there is no move to hint at");
        }
        if let Some(guess) = player.and_then(|player| self.engine.guess(&mut self.session, player)) {
            return self.terminal.line(&guess);
        }
        if self.engine.is_blind(&self.session.game) {
            return self.terminal.line("there are no hints, since the rules hide information from players");
        }
        match self.session.turn() {
            Ok(ToMove::Player(_)) => match self.engine.choose(&mut self.session) {
                Some(choice) => {
                    let words = self.session.game.notation(self.session.state(), &choice.successor.play);
                    self.terminal.line(&format!("{words}: {}", choice.why));
                }
                None => self.terminal.line("there is no move"),
            },
            _ => self.terminal.line("hints are not available for simultaneous moves"),
        }
    }

    fn why(&mut self) {
        let worth = self.engine.describe_value(&self.session.game, self.session.state());
        let mut lines: Vec<String> =
            worth.iter().map(|worth| format!("with best play from here: {worth}")).collect();
        if worth.is_some() && !self.engine.is_blind(&self.session.game) {
            lines.extend(self.engine.explain(&mut self.session));
        }
        if worth.is_none() {
            let (game, state) = (&self.session.game, self.session.state());
            let opening = self.engine.describe_opening(game);
            lines.extend(opening.map(|worth| format!("with best play from the start: {worth}")));
            let induced = self.engine.describe_induction(game, state);
            lines.extend(induced.map(|worth| format!("if each player wants the most for himself: {worth}")));
        }
        let advice = self.choosing_player().and_then(|player| self.engine.advice(&self.session, player));
        lines.extend(advice.map(|advice| format!("the mixed strategy here: {advice}")));
        lines.extend(self.why.iter().map(|why| format!("the engine's last move: {why}")));
        if lines.is_empty() {
            let is_over = matches!(self.session.turn(), Ok(ToMove::Terminal(_)));
            let unknown = if is_over { "the game is over" } else { "nothing is known about this position" };
            lines.push(self.searched_move().unwrap_or_else(|| unknown.into()));
        }
        for line in lines {
            self.terminal.line(&line);
        }
    }

    /// The move that the engine would make here, with its reason, where a player has a move and nothing is hidden.
    fn searched_move(&mut self) -> Option<String> {
        let is_open =
            matches!(self.session.turn(), Ok(ToMove::Player(_))) && !self.engine.is_blind(&self.session.game);
        let choice = is_open.then(|| self.engine.choose(&mut self.session)).flatten()?;
        let words = self.session.game.notation(self.session.state(), &choice.successor.play);
        Some(format!("{words}: {}", choice.why))
    }

    /// Shows the user's moves that gave away value, and the first losing move of each player.
    fn review(&mut self) {
        let made = self.session.made();
        let joint = |made: &PlayedMove| matches!(made.play, MoveInstance::Joint(_));
        let mixed = self.engine.is_blind(&self.session.game)
            || made.iter().any(|made| made.by_user) && made.iter().all(|made| joint(made) || !made.by_user);
        if mixed {
            return self.terminal.line(
                "no single move is a mistake where something is hidden or players choose at the same time; `hint` tells \
                 the odds of a mixed strategy",
            );
        }
        let (mistakes, is_complete) = self.engine.review(&self.session);
        let made = self.session.made();
        for mistake in mistakes.iter().filter(|mistake| mistake.by_user) {
            let better = match &mistake.better[..] {
                [] => String::new(),
                better => format!("; {} would have kept it", listed_with(better, "or")),
            };
            let number = mistake.ply + 1;
            let words = &made[mistake.ply].words;
            self.terminal.line(&format!(
                "ply {number}, {words}: before {}, afterwards {}{better}",
                mistake.before, mistake.after
            ));
        }
        let none = match (mistakes.iter().any(|mistake| mistake.by_user), is_complete) {
            _ if made.iter().all(|made| !made.by_user) => Some("you have made no move"),
            (false, true) => Some("none of your moves gave anything away"),
            (false, false) => {
                Some("no mistake is known, but the values of some positions are not known either")
            }
            (true, false) => Some("the values of other positions are not known"),
            (true, true) => None,
        };
        if let Some(none) = none {
            self.terminal.line(none);
        }
        let players = 0..self.session.game.rules.players().len() as u32;
        for first in
            players.filter_map(|player| mistakes.iter().find(|made| made.player == player && made.loses))
        {
            self.terminal.line(&format!(
                "the first losing move of {}: ply {}, {}",
                self.name(first.player),
                first.ply + 1,
                made[first.ply].words
            ));
        }
    }

    fn save(&self, file: &str) {
        let mut command = format!("bouton play {}", shell_quote(&self.text.path));
        for flag in &self.text.flags {
            command.push_str(&format!(" {flag}"));
        }
        let at = [("--position", &self.at.position), ("--moves", &self.at.moves)];
        for (flag, words) in at.into_iter().filter_map(|(flag, words)| Some((flag, words.as_ref()?))) {
            command.push_str(&format!(" {flag} {}", shell_quote(words)));
        }
        let saved = self.session.save(&command);
        match files::create(Path::new(file), &saved) {
            Ok(()) => self.terminal.line(&format!("saved to {file}")),
            Err(why) => self.terminal.line(&why.to_string()),
        }
    }

    fn load(&mut self, file: &str) {
        let loaded = match files::read(file) {
            Ok(Content::Text(text)) => self.session.load(&text).map_err(|why| why.to_string()),
            Ok(_) => Err(format!("{file} is not a file of moves")),
            Err(why) => Err(why.to_string()),
        };
        match loaded {
            Ok(count) => {
                self.chosen.clear();
                self.moved(count, "loaded");
            }
            Err(why) => self.terminal.line(&why),
        }
    }
}
