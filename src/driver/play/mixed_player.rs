//! Plays by mixed strategies: draws a move with the probabilities of a solution.
//!
//! *Invariant:* the probabilities depend on what the player knows alone, so drawing by them reveals nothing else.

use super::Session;
use super::engine::EngineMove;
use bouton_base::limits::Limits;
use bouton_base::rational::Rational;
use bouton_checker::{Verdict, verify};
use bouton_search::game::information::own_choice;
use bouton_search::game::{Game, MoveInstance, State, Successor, ToMove};
use bouton_search::solve::certify::{CertificateOptions, certificate};
use bouton_search::solve::mixed::play::odds;
use bouton_search::solve::{Solution, Status, Value};

/// A solution by mixed strategies, with its status.
pub struct MixedPlayer {
    solution: Solution,
    proved: bool,
}

/// The number of equal parts from which a draw selects.
const DRAW_PARTS: usize = 1 << 30;

impl MixedPlayer {
    /// Makes a player by a solution; `None` if it has no mixed strategies. The checker examines the strategies within
    /// the limits.
    pub fn new(game: &Game, start: &State, solution: Solution, limits: &Limits) -> Option<MixedPlayer> {
        solution.mixed.as_ref()?.strategies.as_ref()?;
        let wanted = CertificateOptions { strong: false, positions: None, limits };
        let made = certificate(game, start, &solution, &wanted);
        let proved =
            made.is_ok_and(|made| matches!(verify(&game.rules, &made, limits, None), Verdict::Accepted(_)));
        Some(MixedPlayer { solution, proved })
    }

    /// A sentence on how well the player plays.
    pub fn introduction(&self) -> String {
        let how = match (self.proved, self.solution.status) {
            (true, Status::Solved) => "the engine draws its moves by a strategy that is proved to be optimal",
            (true, _) => "the engine draws its moves by a strategy that is proved to be nearly optimal",
            (false, _) => "the engine draws its moves by a mixed strategy that was computed, not proved",
        };
        how.into()
    }

    /// The value of the position that play began with, if it is known.
    pub fn value(&self) -> Option<&Value> {
        self.solution.value.as_ref()
    }

    /// Describes how the strategy of a player chooses in the current position, by what he knows alone: `bet one time in
    /// three, check two times in three`.
    pub fn advice(&self, session: &Session, player: u32) -> Option<String> {
        let play = self.solution.mixed.as_ref()?;
        let node = play.node_after(numbers(session)?)?;
        let choices = play.choices_at(node, player as usize)?;
        let told = choices.iter().filter(|(_, share)| share.is_positive()).map(|(choice, share)| {
            format!("{} {}", session.game.notation(session.state(), choice), odds(&share.to_big()))
        });
        Some(told.collect::<Vec<_>>().join(", "))
    }

    /// Draws a move of the players whom the user does not move, among these.
    pub fn choose(&self, session: &mut Session, successors: &[Successor]) -> Option<EngineMove> {
        let play = self.solution.mixed.clone()?;
        let node = play.node_after(numbers(session)?)?;
        let turn = session.turn().ok()?;
        let mut fitting: Vec<&Successor> = successors.iter().collect();
        let players = session.game.rules.players().len() as u32;
        for player in 0..players {
            if session.is_human(player) && turn != ToMove::Player(player) {
                continue;
            }
            let Some(choices) = play.choices_at(node, player as usize) else { continue };
            let drawn = draw(&choices, session.random_below(DRAW_PARTS))?;
            fitting.retain(|made| own_choice(&turn, &made.play, player) == Some(drawn));
        }
        let why = match self.proved {
            true => "it was drawn by a proved strategy",
            false => "it was drawn by a mixed strategy that is a guess",
        };
        Some(EngineMove { successor: (*fitting.first()?).clone(), why: why.into() })
    }
}

/// The moves of a session as numbers among the legal ones.
fn numbers(session: &Session) -> Option<Vec<usize>> {
    let number = |before: &State, play: &MoveInstance| {
        let moves = session.game.machine.successors(before).ok()?;
        moves.iter().position(|made| made.play == *play)
    };
    session.made().iter().map(|made| number(&made.before, &made.play)).collect()
}

/// Selects the choice in which this part of all probability lies.
fn draw(choices: &[(MoveInstance, Rational)], part: usize) -> Option<&MoveInstance> {
    let mut left = (part as f64 + 0.5) / DRAW_PARTS as f64;
    for (choice, share) in choices {
        left -= share.to_f64();
        if left < 0.0 {
            return Some(choice);
        }
    }
    choices.iter().rev().find(|(_, share)| share.is_positive()).map(|(choice, _)| choice)
}
