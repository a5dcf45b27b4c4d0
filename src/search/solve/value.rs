//! The values of perfect play, and the solution of a position.
//!
//! A *value* is the result of perfect play; an [`IndexEffect`](crate::game::IndexEffect) is the result of the rules at
//! the end; a bound is neither.

use std::sync::Arc;

use bouton_base::rational::Rational;

use super::histogram::ValueHistogram;
use super::mixed::play::{MixedPlay, StrategyProfile};
use super::solved_graph::SolvedGraph;
use crate::game::{MoveInstance, State};
use bouton_base::limits::LimitHit;
use bouton_certificates::{DistanceLemma, InfinitePlay, Lemma};
use bouton_detect::decomposition::NotApplicable;

/// The result of perfect play for each player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// Each player's payoff; a win, draw, loss are 1, 0, -1.
    pub payoffs: Vec<Rational>,
    /// The kind, for display.
    pub kind: ValueKind,
}

/// The kind of a value, for display.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    /// This player wins.
    Win(u32),
    /// Nobody can win.
    Draw,
    /// Payoffs, or an expectation if the game has chance.
    Payoff,
    /// The only player wins; the remoteness is the fewest moves.
    Solved,
    /// The only player cannot win.
    Unsolvable,
}

/// Bounds of the first player's payoff; `None` on a side without a bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The payoff that he can guarantee.
    pub low: Option<Rational>,
    /// The payoff that the others can hold him to.
    pub high: Option<Rational>,
}

/// The largest distance of two bounds that count as an answer, as a fraction of 1: `1e-9`.
const ENCLOSURE_WIDTH: i64 = 1_000_000_000;

/// The status of the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The value is known.
    Solved,
    /// The bounds enclose the value to within `1e-9`: an answer, though not an exact one.
    Enclosed,
    /// Bounds tighter than those of the rules are known.
    Bounded,
    /// Nothing is known; the solution holds the reason.
    Unknown,
}

/// The reason why a method does not apply to a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Inapplicable {
    /// The reason, in one sentence.
    #[error("{0}")]
    Reason(String),
    /// A limit was reached first.
    #[error("{0}")]
    Limit(LimitHit),
}

impl From<String> for Inapplicable {
    fn from(reason: String) -> Inapplicable {
        Inapplicable::Reason(reason)
    }
}

impl From<&str> for Inapplicable {
    fn from(reason: &str) -> Inapplicable {
        Inapplicable::Reason(reason.into())
    }
}

impl From<NotApplicable> for Inapplicable {
    fn from(why: NotApplicable) -> Inapplicable {
        match why {
            NotApplicable::Reason(reason) => Inapplicable::Reason(reason),
            NotApplicable::Limit(hit) => Inapplicable::Limit(hit),
        }
    }
}

impl From<LimitHit> for Inapplicable {
    fn from(hit: LimitHit) -> Inapplicable {
        Inapplicable::Limit(hit)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenMove {
    pub play: MoveInstance,
    /// The notation of the move in the position before it.
    pub written: String,
}

/// The value of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveValue {
    pub made: WrittenMove,
    /// The value of the position after it; `None` if it is unknown.
    pub value: Option<Value>,
    /// The bounds of the first player's payoff, if they are close and the value is not known exactly.
    pub bounds: Option<Bounds>,
    /// Plies to the end under best play, the move itself included.
    pub remoteness: Option<u32>,
    /// The Grundy value of the position after it, if the method gives it.
    pub nimber: Option<u32>,
}

/// A position with a player's answer in a strategy.
#[derive(Clone, Debug)]
pub struct StrategyAnswer {
    pub at: State,
    pub play: MoveInstance,
    /// An upper bound of the plies to the end, if he must force one.
    pub rank: Option<u64>,
}

/// A strategy of a player as answers to all moves of the other.
#[derive(Clone, Debug)]
pub struct StrategyReplies {
    pub player: u32,
    /// The payoff that it guarantees.
    pub payoff: Rational,
    /// If positions may repeat: the reason why infinite play does not harm the guarantee.
    pub infinite_play: Option<InfinitePlay>,
    /// The length of the longest play by it in plies, if the search counted them.
    pub plies: Option<u64>,
    pub answers: Vec<StrategyAnswer>,
}

/// Bounds of the number of moves that solve a puzzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanBounds {
    /// No plan has fewer moves.
    pub least: u32,
    /// A plan has this number of moves, if one is known.
    pub most: Option<u32>,
}

/// The result of a solver for a position.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The status of the result.
    pub status: Status,
    /// The value, if solved.
    pub value: Option<Value>,
    /// The bounds of the first player's payoff, if not solved and a bound is known; with margins, of the first player's
    /// score minus the second's.
    pub bounds: Option<Bounds>,
    /// True if the players play for the difference of the scores.
    pub by_margin: bool,
    /// Plies under best play: the winner hurries, the loser delays. None for draws and payoffs.
    pub remoteness: Option<u32>,
    /// The expected plies to the end where chance acts, if requested: of the best moves, or the fewest of a single player.
    pub expected_length: Option<Rational>,
    /// The first player's score minus the second's under best play for the margin, if requested.
    pub margin: Option<Rational>,
    /// The Grundy value, if the method computes it.
    pub nimber: Option<u32>,
    /// The moves that keep the value and, where remoteness is known, win soonest or lose latest.
    pub best_moves: Vec<WrittenMove>,
    /// True if no other move is as good.
    pub best_moves_complete: bool,
    /// Every legal move with its value.
    pub moves: Vec<MoveValue>,
    /// The principal variation to the end, to a repetition or to the first chance node; deterministic.
    pub line: Vec<WrittenMove>,
    /// True if the line was not cut short by a limit.
    pub line_complete: bool,
    /// The name of the method on the command line.
    pub method: &'static str,
    /// The reason for the choice of the method, in one sentence.
    pub why: String,
    /// The number of visited positions.
    pub positions: u64,
    /// The peak memory in bytes.
    pub memory_bytes: u64,
    /// The limit that was reached, if one was.
    pub limit: Option<LimitHit>,
    /// The reason why it is not solved, in one sentence.
    pub reason: Option<String>,
    /// The number of plies within which no player can force a win, if that was the question.
    pub no_win_within: Option<u32>,
    /// The bounds of the number of moves of a shortest plan, if a search for one ended early.
    pub plan_bounds: Option<PlanBounds>,
    /// The values of all visited positions, if the graph was labelled.
    pub table: Option<Arc<SolvedGraph>>,
    /// True if each visited position represents its orbit under symmetry.
    pub folded: bool,
    /// The histogram of the positions by value, for a strong solution.
    pub tally: Option<ValueHistogram>,
    /// The strategies that prove the value, for a search without a table of all positions; or the reason why there are
    /// none. `None` if they were not requested.
    pub replies: Option<Result<Vec<StrategyReplies>, String>>,
    /// The lower bound of the moves of a plan, for a certificate.
    pub distance: Option<DistanceLemma>,
    /// The strategies that prove the value or the bounds without listing positions, if some were found.
    pub strategy: Vec<Lemma>,
    /// The mixed strategies, and the equilibria of simultaneous choices, if the method computes them.
    pub mixed: Option<Arc<MixedPlay>>,
    /// The strategies of three players or more where something is hidden, if they were found.
    pub several: Option<Arc<dyn StrategyProfile>>,
    /// The equilibria that all have the value, where players have interests of their own.
    pub compared: ComparedEquilibria,
}

/// Equilibria that were compared with each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ComparedEquilibria {
    /// All without empty threats (subgame-perfect).
    #[default]
    All,
    /// Those of them in which nobody draws lots.
    Pure,
    /// Those in which, besides, each choice depends on the position alone: some of them, where positions come back.
    PureStationary,
    /// There is nothing to compare: nobody ever has a choice.
    NoChoice,
}

impl Bounds {
    /// Returns true if the bounds are as close as an answer needs.
    pub fn are_close(&self) -> bool {
        let width = self.high.as_ref().zip(self.low.as_ref()).map(|(high, low)| high - low);
        width.is_some_and(|width| width <= Rational::new(1, ENCLOSURE_WIDTH))
    }

    /// Returns the bounds of the number with the other sign.
    pub fn negated(self) -> Bounds {
        Bounds { low: self.high.map(|high| -high), high: self.low.map(|low| -low) }
    }
}

impl Solution {
    /// Returns true if the value is known, exactly or very nearly.
    pub fn is_answered(&self) -> bool {
        matches!(self.status, Status::Solved | Status::Enclosed)
    }

    /// Returns the strategies of the players where something is hidden or players choose at once, if they were found.
    pub fn profile(&self) -> Option<&dyn StrategyProfile> {
        match &self.mixed {
            Some(play) if play.strategies.is_some() => Some(&**play),
            _ => self.several.as_deref(),
        }
    }

    /// Returns true if all equilibria of the first choice are known: an answer, though not one value.
    pub fn has_all_equilibria(&self) -> bool {
        self.mixed
            .as_ref()
            .and_then(|play| play.matrix.as_ref())
            .is_some_and(|matrix| matrix.equilibria.is_some())
    }

    /// Creates a solution without a result, since a method does not apply.
    pub fn inapplicable(method: &'static str, why: &str, reason: Inapplicable) -> Solution {
        let limit = match reason {
            Inapplicable::Limit(hit) => Some(hit),
            Inapplicable::Reason(_) => None,
        };
        Solution { limit, ..Solution::unknown(method, why, reason.to_string()) }
    }

    /// Creates a solution without a result, for this reason.
    pub fn unknown(method: &'static str, why: &str, reason: impl Into<String>) -> Solution {
        Solution {
            status: Status::Unknown,
            value: None,
            bounds: None,
            by_margin: false,
            remoteness: None,
            expected_length: None,
            margin: None,
            nimber: None,
            best_moves: Vec::new(),
            best_moves_complete: false,
            moves: Vec::new(),
            line: Vec::new(),
            line_complete: false,
            method,
            why: why.into(),
            positions: 0,
            memory_bytes: 0,
            limit: None,
            reason: Some(reason.into()),
            no_win_within: None,
            plan_bounds: None,
            table: None,
            folded: false,
            tally: None,
            replies: None,
            distance: None,
            strategy: Vec::new(),
            mixed: None,
            several: None,
            compared: ComparedEquilibria::All,
        }
    }
}
