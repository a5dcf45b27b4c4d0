//! A game at a terminal: its turns and its display.

use std::collections::HashSet;

use super::input::Input;
use crate::cli::common::PositionArgs;
use crate::cli::terminal::Console;
use bouton_driver::faults::fault_diagnostic;
use bouton_driver::load::GameSource;
use bouton_driver::play::engine::Engine;
use bouton_driver::play::view::{self, View};
use bouton_driver::play::{Session, joint_choices};
use bouton_search::game::draw::describe_outcome;
use bouton_search::game::{MachineError, MoveInstance, Successor, ToMove};

/// The maximal number of moves to list with each position.
const MAX_SHOWN_MOVES: usize = 60;
/// The number of columns of a list of moves.
const LINE_WIDTH: usize = 100;

/// The continuation after a command.
#[derive(PartialEq, Eq)]
pub enum AfterCommand {
    /// Play goes on.
    On,
    /// The user leaves.
    Quit,
}

/// A game being played at a terminal.
pub struct InteractiveGame<'a> {
    pub session: Session,
    /// The user's opponent.
    pub engine: Engine,
    /// The output.
    pub terminal: &'a Console,
    /// The file of the game.
    pub text: &'a GameSource,
    /// The flags of the initial position.
    pub at: &'a PositionArgs,
    /// The source of the user's lines.
    pub input: Input,
    /// The reason for the engine's last move.
    pub why: Option<String>,
    /// The choices of the user's players so far, in a phase `by each`.
    pub chosen: Vec<(u32, MoveInstance)>,
    /// True if the current position has been displayed.
    pub displayed: bool,
    /// The player who was last asked for a move, where several at one terminal hide something from each other.
    pub viewer: Option<u32>,
}

impl InteractiveGame<'_> {
    /// Plays until the user leaves.
    pub fn play(&mut self) {
        loop {
            self.advance_to_user();
            if !self.displayed {
                if !self.hand_over() {
                    return;
                }
                self.show();
            }
            let prompt = format!("{}> ", self.choosing_player().map_or(String::new(), |p| self.name(p)));
            let Some(line) = self.input.line(&prompt, self.terminal) else { return };
            if self.command(line.trim()) == AfterCommand::Quit {
                return;
            }
        }
    }

    /// Returns true if several users at this terminal hide something from each other.
    fn is_shared(&self) -> bool {
        self.session.human.len() > 1 && self.session.game.rules.has_hidden_information()
    }

    /// Asks for a change of seats before a player sees what the rules hide from the one before him. Returns false at
    /// the end of the input.
    fn hand_over(&mut self) -> bool {
        let Some(player) = self.choosing_player().filter(|_| self.is_shared()) else { return true };
        if self.viewer.replace(player) == Some(player) || !self.input.is_terminal() {
            return true;
        }
        let prompt = format!("{} is next and the others look away: press Enter> ", self.name(player));
        self.input.line(&prompt, self.terminal).is_some()
    }

    /// The view that is displayed: that of the player who is to choose, of all of the user's, or everything at the end.
    fn view(&self) -> View {
        match self.session.turn() {
            Ok(ToMove::Terminal(_)) => View::Everything,
            _ if self.is_shared() => View::Of(self.viewer.into_iter().collect()),
            _ => View::Of(self.session.human.clone()),
        }
    }

    /// Makes the moves of chance and of the engine until it is the user's turn, or until the moves of the engine alone
    /// come back to a position.
    fn advance_to_user(&mut self) {
        let mut seen = HashSet::new();
        loop {
            let turn = match self.session.turn() {
                Ok(turn) => turn,
                Err(halt) => return self.halted(&halt),
            };
            let successors = match self.session.successors() {
                Ok(successors) => successors,
                Err(halt) => return self.halted(&halt),
            };
            let made = match turn {
                _ if successors.is_empty() => return,
                ToMove::Terminal(_) => return,
                ToMove::Chance => {
                    seen.clear();
                    self.session.random_chance(&turn, &successors)
                }
                ToMove::Player(player) if !self.session.is_human(player) => {
                    if !seen.insert(self.session.state().clone()) {
                        self.terminal.line(
                            "these moves come back to an earlier position: play would go on without end",
                        );
                        return;
                    }
                    let choice = self.engine.choose(&mut self.session);
                    choice.map(|choice| {
                        self.why = Some(choice.why);
                        choice.successor
                    })
                }
                // None of the user's players chooses here.
                ToMove::Simultaneous
                    if self.session.human.iter().all(|&p| joint_choices(&successors, p).is_empty()) =>
                {
                    self.engine.complete(&mut self.session, &successors)
                }
                ToMove::Player(_) | ToMove::Simultaneous => return,
            };
            let Some(successor) = made else { return };
            let maker = match turn {
                ToMove::Player(player) => Some(player),
                _ => None,
            };
            self.make(successor, maker, false);
        }
    }

    pub(super) fn make(&mut self, successor: Successor, maker: Option<u32>, chosen: bool) {
        let made = self.session.make(successor, chosen).clone();
        let players = if self.is_shared() { maker.into_iter().collect() } else { self.session.human.clone() };
        let view = View::Of(players);
        let told = view::render_move(&self.session.game, &made, maker, &view);
        let who = maker.map_or("chance".to_string(), |p| self.name(p));
        let who = if matches!(made.play, MoveInstance::Joint(_)) { "all".to_string() } else { who };
        if !chosen || matches!(made.play, MoveInstance::Joint(_)) {
            self.terminal.line(&format!("{who}: {}", told.as_deref().unwrap_or("(hidden)")));
        }
        self.displayed = false;
    }

    pub(super) fn name(&self, player: u32) -> String {
        self.session.game.rules.players().get(player as usize).cloned().unwrap_or_default()
    }

    /// The user's player who is to choose now.
    pub(super) fn choosing_player(&self) -> Option<u32> {
        match self.session.turn() {
            Ok(ToMove::Player(player)) => Some(player),
            Ok(ToMove::Simultaneous) => {
                let successors = self.session.successors().ok()?;
                let chose = |p: u32| self.chosen.iter().any(|(who, _)| *who == p);
                let open = |p: u32| !chose(p) && !joint_choices(&successors, p).is_empty();
                self.session.human.iter().copied().find(|&p| open(p))
            }
            _ => None,
        }
    }

    /// The written forms of the moves that the user may choose from.
    pub(super) fn choices(&self) -> Result<Vec<String>, Box<MachineError>> {
        let state = self.session.state();
        let game = &self.session.game;
        let successors = self.session.successors()?;
        Ok(match self.session.turn()? {
            ToMove::Simultaneous => match self.choosing_player() {
                Some(player) => {
                    let written = |play: &MoveInstance| game.choice_notation(state, player, play);
                    joint_choices(&successors, player).iter().map(written).collect()
                }
                None => Vec::new(),
            },
            ToMove::Player(_) => successors.iter().map(|s| game.notation(state, &s.play)).collect(),
            _ => Vec::new(),
        })
    }

    fn show(&mut self) {
        self.displayed = true;
        let session = &self.session;
        self.terminal
            .print(&format!("\n{}", view::render_position(&session.game, session.state(), &self.view())));
        match session.turn() {
            Ok(ToMove::Terminal(outcome)) => {
                let outcome = describe_outcome(&session.game.rules, &outcome);
                self.terminal.line(&format!(
                    "The game is over: {outcome}. `review` shows mistakes, `new` begins again."
                ));
            }
            Ok(_) => self.list(MAX_SHOWN_MOVES),
            Err(_) => {}
        }
    }

    /// Lists the moves that the user may choose from, at most `most` of them.
    pub(super) fn list(&self, most: usize) {
        let choices = match self.choices() {
            Ok(choices) => choices,
            Err(halt) => return self.halted(&halt),
        };
        if choices.is_empty() {
            self.terminal.line("Nobody can move, and the game is not over (bouton explain E0501).");
            return;
        }
        let number = |place: usize| (place + 1).to_string();
        // Numbers that are the names themselves would say everything twice.
        let plain = choices.iter().enumerate().all(|(place, name)| *name == number(place));
        let mut numbered: Vec<String> = choices
            .iter()
            .take(most)
            .enumerate()
            .map(|(place, name)| if plain { name.clone() } else { format!("{}) {name}", number(place)) })
            .collect();
        let who = match self.session.turn() {
            Ok(ToMove::Simultaneous) => {
                self.choosing_player().map_or(String::new(), |p| format!("{} chooses among ", self.name(p)))
            }
            _ if plain => "moves: ".to_owned(),
            _ => String::new(),
        };
        if let Some(rest) = choices.len().checked_sub(most).filter(|&rest| rest > 0) {
            numbered.push(format!("and {rest} more: `moves` lists them all"));
        }
        self.terminal.print(&wrapped(&who, &numbered));
    }

    pub(super) fn halted(&self, halt: &MachineError) {
        self.terminal.line(&match halt {
            MachineError::Fault(fault) => {
                let found = fault_diagnostic(&self.session.game, fault);
                format!("the rules have no meaning here: {}: {}", found.code, found.title)
            }
            MachineError::Limit(hit) => format!("the moves are not known: {hit}"),
        });
    }
}

/// Items in lines of at most [`LINE_WIDTH`] columns, after a heading.
fn wrapped(head: &str, items: &[String]) -> String {
    let mut text = String::from(head);
    let mut width = head.chars().count();
    for (place, item) in items.iter().enumerate() {
        let length = item.chars().count();
        if place > 0 && width + 2 + length > LINE_WIDTH {
            text.push('\n');
            width = 0;
        } else if place > 0 {
            text.push_str("  ");
            width += 2;
        }
        text.push_str(item);
        width += length;
    }
    text + "\n"
}
