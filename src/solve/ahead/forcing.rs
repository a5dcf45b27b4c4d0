//! Moves that the other side has to answer, after which a look ahead should not stop.
//!
//! Technique: a move forces if the rules mark it (`forcing move`), if it ends the game, or if who makes it would win at
//! once were he to move again: of the position in which the other side has passed, that is seen by a scout. Which moves
//! are worth that look is read off the end rules for all moves together, where they have a form for it (`exec::threats`).
//! Source: Shannon (1950) for positions that should not be evaluated before they are quiet; Allis, van den Herik, Huntjens,
//! "Go-Moku solved by new search techniques" (1996) for threats as the moves that force.
//! Cost: one look for a position, and one more for each move that may threaten.
//! Invariant: something to choose by, of which nothing follows.

use std::sync::Arc;

use crate::circuit::{ControlId, Position};
use crate::exec::scout::{Next, POSITION};
use crate::exec::{Looked, Record, Scout};
use crate::game::{CompiledMachine, Game, Play, State, Successor, Turn};
use crate::solve::Options;
use crate::solve::worth::{Asked, best};

/// How far a move forces.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Force {
    /// It does not.
    None,
    /// It has to be answered.
    Asks,
    /// It ends the game.
    Ends,
}

/// Finds forcing moves.
pub struct Forcing<'a> {
    game: &'a Game,
    eyes: Option<Eyes<'a>>,
}

struct Eyes<'a> {
    machine: &'a CompiledMachine,
    scout: Arc<dyn Scout + 'a>,
    /// Whether it tells in how many ways a move threatens to win, now or later.
    hinted: bool,
    records: Vec<u64>,
}

/// What is seen of the moves of a position.
struct Seen {
    position: Position,
    /// Whether it ends the game.
    ends: bool,
    /// Whether who has made it may win by another move.
    promises: bool,
}

impl<'a> Forcing<'a> {
    /// What finds the forcing moves of a game.
    pub fn new(game: &'a Game) -> Forcing<'a> {
        let two = game.rules.players().len() == 2;
        let eyes = game.compiled().filter(|machine| two && machine.is_by_turns()).map(|machine| {
            let asked = Asked::of(machine, &game.rules, &Options::default(), false);
            let scout = machine.runner().scout(&best(asked));
            let groups = &machine.runner().circuit().groups;
            let hinted = groups.ids().any(|group| !scout.ways(group).is_empty());
            Eyes { machine, scout, hinted, records: Vec::new() }
        });
        Forcing { game, eyes }
    }

    /// How far each of the moves of a player in a position forces.
    pub fn of(&mut self, state: &State, player: u32, successors: &[Successor]) -> Vec<Force> {
        let rules = &self.game.rules;
        let marked = |play: &Play| matches!(play, Play::Move(id, _) if rules.moves[*id].forcing);
        let force = |play| if marked(play) { Force::Asks } else { Force::None };
        let mut force: Vec<Force> = successors.iter().map(|next| force(&next.play)).collect();
        let Some(eyes) = &mut self.eyes else {
            for (force, next) in force.iter_mut().zip(successors) {
                let ends = matches!(self.game.machine.turn(&next.state), Ok(Turn::Over(_)));
                *force = if ends { Force::Ends } else { *force };
            }
            return force;
        };
        let seen = eyes.look(state);
        let at: Vec<_> = successors.iter().map(|next| eyes.machine.position(&next.state)).collect();
        for ((force, next), at) in force.iter_mut().zip(successors).zip(at) {
            let of = |one: &&Seen| at.as_ref() == Some(&one.position);
            let Some(seen) = seen.iter().find(of) else { continue };
            if seen.ends {
                *force = Force::Ends;
            } else if *force == Force::None && seen.promises && self.is_threatened(&next.state, player) {
                *force = Force::Asks;
            }
        }
        force
    }

    /// Whether a player would win at once if he were to move in a position of the other.
    pub fn is_threatened(&mut self, state: &State, by: u32) -> bool {
        let Some(eyes) = &mut self.eyes else { return false };
        let Some(passed) = self.game.machine.with_mover(state, by) else { return false };
        eyes.look(&passed).iter().any(|one| one.ends)
    }
}

impl Eyes<'_> {
    /// The moves of a position; none where there is nothing to see.
    fn look(&mut self, state: &State) -> Vec<Seen> {
        let Some(at) = self.machine.position(state) else { return Vec::new() };
        let room = self.scout.room(at.control);
        if self.records.len() < room {
            self.records.resize(room, 0);
        }
        let Ok(Looked::Open(children)) = self.scout.look((at.control, &at.words), &mut self.records) else {
            return Vec::new();
        };
        let size = at.words.len();
        let seen = |record: &[u64]| {
            let record = Record(record);
            let words = &record.0[POSITION..][..=size];
            let position = Position { control: ControlId(words[size] as u32), words: words[..size].into() };
            let promises = !self.hinted || matches!(record.next(size), Next::Plays { threats: 1.., .. });
            Seen { position, ends: record.end(size).is_some(), promises }
        };
        self.records.chunks_exact(self.scout.record()).take(children).map(seen).collect()
    }
}
