//! Forcing moves: the other side has to answer them, so a depth-limited search should not stop after one.
//!
//! Technique: a move forces if the rules mark it (`forcing move`), if it ends the game, or if its player could end
//! the game at once were he to move again; a one-ply lookahead on the position in which the other side has passed
//! finds that. The end rules, where they have a form for it (`exec::threats`), show for all moves together which ones
//! are worth this lookahead.
//! Source: Shannon (1950) for positions that should not be evaluated before they are quiet; Allis, van den Herik,
//! Huntjens, "Go-Moku solved by new search techniques" (1996) for threats as the moves that force.
//! Cost: one lookahead for a position, and one more for each move that may threaten.
//! Invariant: a heuristic that chooses moves to search; no claim rests on it.

use std::sync::Arc;

use crate::circuit::{ControlId, Position};
use crate::exec::scout::{Next, POSITION};
use crate::exec::{Looked, Record, Scout};
use crate::game::{CompiledMachine, Game, Play, State, Successor, Turn};
use crate::solve::Options;
use crate::solve::worth::{Asked, best};

/// The degree to which a move forces.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Force {
    /// The move does not force.
    None,
    /// The other side has to answer.
    Asks,
    /// The move ends the game.
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
    /// True if the lookahead counts the ways in which a move threatens to win, now or later.
    hinted: bool,
    records: Vec<u64>,
}

/// The result of a lookahead for one move.
struct Seen {
    position: Position,
    /// True if the move ends the game.
    ends: bool,
    /// True if another move of the same player may win.
    promises: bool,
}

impl<'a> Forcing<'a> {
    /// Creates a finder for a game. It sees threats only in compiled rules for two players who take turns.
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

    /// Returns for each move of a player in a position the degree to which it forces.
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

    /// Returns true if a player could end the game at once were he to move in a position of the other.
    pub fn is_threatened(&mut self, state: &State, by: u32) -> bool {
        let Some(eyes) = &mut self.eyes else { return false };
        let Some(passed) = self.game.machine.with_mover(state, by) else { return false };
        eyes.look(&passed).iter().any(|one| one.ends)
    }
}

impl Eyes<'_> {
    /// Returns a record for each move of a position; none if the position is terminal or the circuit cannot hold it.
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
