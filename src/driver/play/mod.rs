//! A game in progress: the moves made, the player to move, undo and redo. It knows no terminal.

use super::rendering;
use bouton_search::game::names::{self, LineError, NameError};
use bouton_search::game::random::Random;
use bouton_search::game::{Game, MachineError, MoveInstance, State, Successor, ToMove};

pub mod engine;
mod explanation;
mod guesses;
pub(crate) mod mixed_player;
pub mod view;

/// A move that was made.
#[derive(Clone, Debug)]
pub struct PlayedMove {
    /// The position before it.
    pub before: State,
    pub play: MoveInstance,
    /// The move as written.
    pub words: String,
    /// True if the user chose it; undo goes back to before such a move.
    pub by_user: bool,
    /// The position after it.
    pub after: State,
}

/// A game in progress.
#[derive(Clone)]
pub struct Session {
    pub game: Game,
    /// The position that play began with.
    pub start: State,
    /// The players that the user moves.
    pub human: Vec<u32>,
    made: Vec<PlayedMove>,
    undone: Vec<PlayedMove>,
    random: Random,
}

impl Session {
    /// Starts a game from a position; `seed` determines the outcomes of chance.
    pub fn new(game: Game, start: State, human: Vec<u32>, seed: u64) -> Session {
        Session { game, start, human, made: Vec::new(), undone: Vec::new(), random: Random::new(seed) }
    }

    /// The current position.
    pub fn state(&self) -> &State {
        self.made.last().map_or(&self.start, |m| &m.after)
    }

    /// The moves made so far.
    pub fn made(&self) -> &[PlayedMove] {
        &self.made
    }

    /// The player, players or chance to move, or the outcome.
    pub fn turn(&self) -> Result<ToMove, Box<MachineError>> {
        self.game.machine.turn(self.state()).map_err(Box::new)
    }

    /// The legal moves with their successors.
    pub fn successors(&self) -> Result<Vec<Successor>, Box<MachineError>> {
        self.game.machine.successors(self.state()).map_err(Box::new)
    }

    /// Returns true if the user moves this player.
    pub fn is_human(&self, player: u32) -> bool {
        self.human.contains(&player)
    }

    /// Makes a move; discards the undone moves unless it repeats the next of them.
    pub fn make(&mut self, successor: Successor, chosen: bool) -> &PlayedMove {
        let before = self.state().clone();
        let words = self.game.notation(&before, &successor.play);
        match self.undone.pop() {
            Some(next) if next.play == successor.play => {}
            _ => self.undone.clear(),
        }
        self.made.push(PlayedMove {
            before,
            play: successor.play,
            words,
            by_user: chosen,
            after: successor.state,
        });
        &self.made[self.made.len() - 1]
    }

    /// A random outcome of chance.
    pub fn random_chance(&mut self, turn: &ToMove, successors: &[Successor]) -> Option<Successor> {
        self.random.choose(turn, successors).cloned()
    }

    /// A uniformly distributed number below `count`.
    pub fn random_below(&mut self, count: usize) -> usize {
        self.random.below(count as u64) as usize
    }

    /// Draws a seed for the generator of other work.
    pub fn random_seed(&mut self) -> u64 {
        self.random.below(1 << 32)
    }

    /// The legal move of that name.
    pub fn find(&self, name: &str) -> Result<Successor, Box<NameError>> {
        names::find(&self.game, self.state(), name).map_err(Box::new)
    }

    /// Takes back the user's last move and all moves after it; returns their number.
    pub fn undo(&mut self) -> usize {
        let Some(last) = self.made.iter().rposition(|m| m.by_user) else { return 0 };
        let count = self.made.len() - last;
        while self.made.len() > last {
            self.undone.extend(self.made.pop());
        }
        count
    }

    /// Begins again from the first position; `redo` makes the moves again.
    pub fn restart(&mut self) {
        while let Some(made) = self.made.pop() {
            self.undone.push(made);
        }
    }

    /// Repeats undone moves, up to before the next move of the user; returns their number.
    pub fn redo(&mut self) -> usize {
        let mut count = 0;
        while let Some(next) = self.undone.pop_if(|m| count == 0 || !m.by_user) {
            self.made.push(next);
            count += 1;
        }
        count
    }

    /// The moves as a string that [`load`](Self::load) reads.
    pub fn save(&self, command: &str) -> String {
        let words: Vec<&str> = self.made.iter().map(|m| m.words.as_str()).collect();
        format!("// {command}\n{}\n", words.join("\n"))
    }

    /// Plays the moves of a string from the start. On an error nothing changes.
    pub fn load(&mut self, text: &str) -> Result<usize, Box<LineError>> {
        let lines: Vec<&str> = text.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
        let played = names::play_line(&self.game, &self.start, &lines.join("\n"))?;
        self.made.clear();
        self.undone.clear();
        let count = played.len();
        for successor in played {
            let chosen = match self.turn() {
                Ok(ToMove::Player(player)) => self.is_human(player),
                Ok(ToMove::Simultaneous) => true,
                _ => false,
            };
            self.make(successor, chosen);
        }
        Ok(count)
    }

    /// The moves made, in words.
    pub fn words(&self) -> Vec<String> {
        let plays: Vec<MoveInstance> = self.made.iter().map(|m| m.play.clone()).collect();
        rendering::render_play(&self.game, &self.start, &plays).words
    }
}

/// The choices of a player in a phase `by each`, given the joint moves.
pub fn joint_choices(successors: &[Successor], player: u32) -> Vec<MoveInstance> {
    let mut options: Vec<MoveInstance> = Vec::new();
    for successor in successors {
        if let MoveInstance::Joint(parts) = &successor.play {
            let own = parts.iter().find(|(who, _)| *who == player).map(|(_, play)| play);
            options.extend(own.filter(|play| !options.contains(play)).cloned());
        }
    }
    options
}

/// The joint moves that contain each of these choices.
pub fn with_choices(successors: Vec<Successor>, chosen: &[(u32, MoveInstance)]) -> Vec<Successor> {
    let fits = |successor: &Successor| match &successor.play {
        MoveInstance::Joint(parts) => chosen.iter().all(|part| parts.contains(part)),
        _ => false,
    };
    successors.into_iter().filter(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{GameSource, LoadRequest};

    fn session() -> Session {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../explorer/templates/starter.bou");
        let mut text = GameSource::read(&LoadRequest { path, settings: &[], preset: None }).unwrap();
        let game = text.game(None).unwrap_or_else(|e| panic!("{e:?}"));
        let start = game.machine.initial();
        Session::new(game, start, vec![0], 1)
    }

    #[test]
    fn taking_back_goes_to_the_users_move() {
        let mut session = session();
        for (name, chosen) in [("2", true), ("1", false), ("3", true), ("2", false)] {
            let successor = session.find(name).unwrap();
            session.make(successor, chosen);
        }
        assert_eq!(session.undo(), 2);
        assert_eq!(session.words(), ["2", "1"]);
        assert_eq!(session.redo(), 2);
        assert_eq!(session.words(), ["2", "1", "3", "2"]);
        assert_eq!((session.undo(), session.undo(), session.undo()), (2, 2, 0));
    }

    #[test]
    fn choices_of_others_made_at_once_stay_hidden() {
        let text = "game \"Picks\"; players A, B; phases { go by each; guess; } \
             state { mine[p: Player]: 1..2? = none visible to p; said: 1..2? = none; } \
             private move pick(x: 1..2) in go as \"{x}\" { mine[me] := x; then { continue guess; next A; } } \
             move say(x: 1..2) in guess as \"say {x}\" { said := x; } \
             end { when said != none and said = mine[B] => A wins; when said != none => B wins; }";
        let game = GameSource::from_string("picks", text).game_with(&[]).expect("a game");
        let start = game.machine.initial();
        let mut session = Session::new(game, start, vec![0], 1);
        let successor = session.find("(2, 1)").expect("a move");
        let made = session.make(successor, true).clone();
        let told = |players: &[u32]| {
            view::render_move(&session.game, &made, None, &view::View::Of(players.to_vec()))
        };
        assert_eq!(told(&[0]).as_deref(), Some("(2, ?)"));
        assert_eq!(told(&[1]).as_deref(), Some("(?, 1)"));
        assert_eq!(told(&[0, 1]).as_deref(), Some("(2, 1)"));
        assert_eq!(told(&[]).as_deref(), Some("(?, ?)"));
    }

    #[test]
    fn what_is_saved_is_loaded() {
        let mut session = session();
        for name in ["2", "1", "3"] {
            let successor = session.find(name).unwrap();
            session.make(successor, true);
        }
        let text = session.save("bouton play x.bou");
        let state = session.state().clone();
        session.undo();
        assert_eq!(session.load(&text), Ok(3));
        assert_eq!(*session.state(), state);
        assert!(session.load("9").is_err());
        assert_eq!(*session.state(), state);
    }
}
