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

use crate::game::{CompiledMachine, Game, MoveInstance, State, Successor, ToMove};
use crate::solve::SolveOptions;
use crate::solve::leaf_value::{SearchObjective, best_endings};
use bouton_backend::lookahead::{POSITION_WORD, ReplyHint};
use bouton_backend::{Lookahead, LookaheadRecord, LookaheadResult, PositionRef};
use bouton_circuit::{ControlId, Position};

/// The degree to which a move forces.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ForcingDegree {
    /// The move does not force.
    None,
    /// The other side has to answer.
    NeedsAnswer,
    /// The move ends the game.
    Ends,
}

/// Finds forcing moves.
pub struct ForcingMoveFinder<'a> {
    game: &'a Game,
    lookahead: Option<ThreatLookahead<'a>>,
}

struct ThreatLookahead<'a> {
    machine: &'a CompiledMachine,
    scout: Arc<dyn Lookahead + 'a>,
    /// True if the lookahead counts the ways in which a move threatens to win, now or later.
    hinted: bool,
    records: Vec<u64>,
}

/// The result of a lookahead for one move.
struct MoveLookahead {
    position: Position,
    /// True if the move ends the game.
    ends: bool,
    /// True if another move of the same player may win.
    may_threaten: bool,
}

impl<'a> ForcingMoveFinder<'a> {
    /// Creates a finder for a game. It sees threats only in compiled rules for two players who take turns.
    pub fn new(game: &'a Game) -> ForcingMoveFinder<'a> {
        let two = game.rules.players().len() == 2;
        let eyes = game.compiled().filter(|machine| two && machine.is_by_turns()).map(|machine| {
            let asked = SearchObjective::of(machine, game, &SolveOptions::default(), false);
            let scout = machine.runner().lookahead(&best_endings(asked));
            let groups = &machine.runner().circuit().groups;
            let hinted = groups.ids().any(|group| !scout.completions(group).is_empty());
            ThreatLookahead { machine, scout, hinted, records: Vec::new() }
        });
        ForcingMoveFinder { game, lookahead: eyes }
    }

    /// Returns for each move of a player in a position the degree to which it forces.
    pub fn degrees(&mut self, state: &State, player: u32, successors: &[Successor]) -> Vec<ForcingDegree> {
        let rules = &self.game.rules;
        let marked =
            |play: &MoveInstance| matches!(play, MoveInstance::Move(id, _) if rules.moves[*id].forcing);
        let force = |play| if marked(play) { ForcingDegree::NeedsAnswer } else { ForcingDegree::None };
        let mut force: Vec<ForcingDegree> = successors.iter().map(|next| force(&next.play)).collect();
        let Some(eyes) = &mut self.lookahead else {
            for (force, next) in force.iter_mut().zip(successors) {
                let ends = matches!(self.game.machine.turn(&next.state), Ok(ToMove::Terminal(_)));
                *force = if ends { ForcingDegree::Ends } else { *force };
            }
            return force;
        };
        let seen = eyes.moves(state);
        let at: Vec<_> = successors.iter().map(|next| eyes.machine.position(&next.state)).collect();
        for ((force, next), at) in force.iter_mut().zip(successors).zip(at) {
            let of = |one: &&MoveLookahead| at.as_ref() == Some(&one.position);
            let Some(seen) = seen.iter().find(of) else { continue };
            if seen.ends {
                *force = ForcingDegree::Ends;
            } else if *force == ForcingDegree::None
                && seen.may_threaten
                && self.is_threatened(&next.state, player)
            {
                *force = ForcingDegree::NeedsAnswer;
            }
        }
        force
    }

    /// Returns true if a player could end the game at once were he to move in a position of the other.
    pub fn is_threatened(&mut self, state: &State, by: u32) -> bool {
        let Some(eyes) = &mut self.lookahead else { return false };
        let Some(passed) = self.game.machine.with_mover(state, by) else { return false };
        eyes.moves(&passed).iter().any(|one| one.ends)
    }
}

impl ThreatLookahead<'_> {
    /// Returns a record for each move of a position; none if the position is terminal or the circuit cannot hold it.
    fn moves(&mut self, state: &State) -> Vec<MoveLookahead> {
        let Some(at) = self.machine.position(state) else { return Vec::new() };
        let room = self.scout.max_output_words(at.control);
        if self.records.len() < room {
            self.records.resize(room, 0);
        }
        let Ok(LookaheadResult::Open(children)) =
            self.scout.look_ahead(PositionRef::of(&at), &mut self.records)
        else {
            return Vec::new();
        };
        let size = at.words.len();
        let seen = |record: &[u64]| {
            let record = LookaheadRecord(record);
            let words = &record.0[POSITION_WORD..][..=size];
            let position = Position { control: ControlId(words[size] as u32), words: words[..size].into() };
            let promises =
                !self.hinted || matches!(record.reply_hint(size), ReplyHint::Plays { threats: 1.., .. });
            MoveLookahead { position, ends: record.end(size).is_some(), may_threaten: promises }
        };
        self.records.chunks_exact(self.scout.record_words()).take(children).map(seen).collect()
    }
}
