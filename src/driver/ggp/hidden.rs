//! The plays that a player of a match takes for possible where the rules hide moves (GDL-II): those in which it made
//! its own moves and saw what it was told.
//!
//! All of them are followed from message to message, at most [`MAX_PLAYS`]. If none of those is left, because a message
//! was lost or the true play was not among them, plays are searched for from the start, in depth, in a random order. If
//! there is none, what the manager tells is not what the sheet says, and the player's own move alone counts.

use bouton_base::clock::Instant;

use super::Board;
use super::message::Percepts;
use crate::play::Session;

/// The maximal number of plays that are kept.
const MAX_PLAYS: usize = 64;

/// The percepts of the player with each move of all roles, and the plays that agree with them.
#[derive(Clone, Default)]
pub struct PossiblePlays {
    /// By move of all roles; `None` if the message was lost.
    seen: Vec<Option<Percepts>>,
    /// The plays, up to the first `followed` moves.
    plays: Vec<Session>,
    followed: usize,
}

impl Board {
    /// Adds what a message told.
    pub(super) fn hear(&mut self, percepts: Percepts) {
        let turn = percepts.turn;
        let seen = &mut self.possible.seen;
        if let Some(last) = turn.checked_sub(1) {
            if seen.len() < turn && turn <= MAX_TURNS {
                seen.resize_with(turn, || None);
            }
            if let Some(place) = seen.get_mut(last) {
                *place = Some(percepts);
            }
        }
    }

    /// Finds plays that agree with all that was seen, until this time, and goes on with one of them. Returns false if
    /// none was found.
    pub(super) fn follow(&mut self, until: Instant) -> bool {
        let mut possible = std::mem::take(&mut self.possible);
        if possible.plays.is_empty() {
            possible.plays.push(self.beginning());
            possible.followed = 0;
        }
        while possible.followed < possible.seen.len() && !possible.plays.is_empty() {
            let seen = &possible.seen[..=possible.followed];
            let mut next = self.all_continued(&possible.plays, seen.last(), until);
            if next.is_empty() {
                next.extend(self.search(self.beginning(), seen, until));
            }
            if next.is_empty() {
                // The manager tells something else than the sheet: only the own move counts.
                let own = possible.seen[possible.followed]
                    .as_ref()
                    .map(|seen| Percepts { seen: None, ..seen.clone() });
                next = self.all_continued(&possible.plays, Some(&own), until);
            }
            while next.len() > MAX_PLAYS {
                let at = self.session.random_below(next.len());
                next.swap_remove(at);
            }
            possible.plays = next;
            possible.followed += 1;
        }
        let first = possible.plays.first().cloned();
        self.possible = possible;
        first.map(|play| self.session = play).is_some()
    }

    /// The play without moves.
    fn beginning(&self) -> Session {
        let of = &self.session;
        Session::new(of.game.clone(), of.start.clone(), of.human.clone(), u64::from(self.role))
    }

    /// The plays by one more move of all roles after one of these, until this time.
    fn all_continued(
        &self,
        plays: &[Session],
        seen: Option<&Option<Percepts>>,
        until: Instant,
    ) -> Vec<Session> {
        let mut next = Vec::new();
        for play in plays {
            if !next.is_empty() && Instant::now() >= until {
                break;
            }
            next.extend(self.continued(play, seen.and_then(Option::as_ref)));
        }
        next
    }

    /// The plays by one more move of all roles that agree with what was seen then.
    fn continued(&self, play: &Session, seen: Option<&Percepts>) -> Vec<Session> {
        let fits = |moves: &[String], next: &bouton_search::game::State| {
            seen.is_none_or(|seen| {
                moves[self.role as usize].eq_ignore_ascii_case(&seen.own)
                    && seen.seen.as_ref().is_none_or(|seen| self.percepts(moves, next) == *seen)
            })
        };
        let steps = self.steps(play.state()).into_iter();
        let fitting = steps.filter(|(moves, path)| path.last().is_some_and(|last| fits(moves, &last.state)));
        fitting
            .map(|(_, path)| {
                let mut play = play.clone();
                path.into_iter().for_each(|next| {
                    play.make(next, false);
                });
                play
            })
            .collect()
    }

    /// The terms that this player sees in a position after the moves of all roles, in lower case and in order.
    fn percepts(&self, moves: &[String], state: &bouton_search::game::State) -> Vec<String> {
        let read = |field, cell| self.session.game.machine.read(state, field, cell);
        let mut seen: Vec<String> = self
            .names
            .percepts(self.role, moves, &read)
            .into_iter()
            .map(|term| term.to_lowercase())
            .collect();
        seen.sort_unstable();
        seen
    }

    /// A play that agrees with all that was seen, by search in depth.
    fn search(&mut self, play: Session, seen: &[Option<Percepts>], until: Instant) -> Option<Session> {
        let mut open = vec![(play, 0)];
        while let Some((play, depth)) = open.pop() {
            if depth == seen.len() {
                return Some(play);
            }
            if Instant::now() >= until {
                return None;
            }
            let mut next = self.continued(&play, seen[depth].as_ref());
            while !next.is_empty() {
                let at = self.session.random_below(next.len());
                open.push((next.swap_remove(at), depth + 1));
            }
        }
        None
    }
}

/// The maximal number of moves of a match.
const MAX_TURNS: usize = 100_000;
