//! Solutions of positions.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use bouton_report::solve::{SolveReport, SolvedPosition};
use bouton_report::verdict;
use bouton_search::solve::solved_graph::SolvedGraph;
use bouton_search::solve::{self, StrategyReplies};
use serde::{Serialize, Serializer};

use crate::{Certificate, Error, Game, Limit, Number, Position, Positions, SolveOptions, Value};

/// The solution of a position.
///
/// It is displayed as one sentence, with `{:#}` as the whole text that `bouton solve` prints, and serialises to the
/// JSON of `bouton solve --json`.
///
/// ```
/// let game = bouton::Project::open("games/nim.bou")?.load()?;
/// let solution = game.solve(&bouton::SolveOptions::default())?;
/// assert_eq!(solution.to_string(), "Nim (heaps = [3, 4, 5]): the first player, First, wins in 11 plies.");
/// let json = serde_json::to_value(&solution).expect("a solution is valid JSON");
/// assert_eq!(json["best_moves"], serde_json::json!(["1-2"]));
/// # Ok::<(), bouton::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solution {
    report: SolveReport,
    sentence: String,
    text: String,
    status: Status,
    value: Option<Value>,
    moves: Vec<MoveValue>,
    limit: Option<Limit>,
    proof: Option<String>,
    certificate: Option<Certificate>,
    strategy: Option<Strategy>,
}

/// The status of a solution.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Status {
    /// The value is known.
    Solved,
    /// The first player's payoff is known to within 1e-9: it lies between these bounds.
    Enclosed { low: Number, high: Number },
    /// The first player's payoff, or his lead if the players play for the margin, lies between these bounds.
    Bounded { low: Option<Number>, high: Option<Number> },
    /// Nothing is known.
    Unknown,
}

/// A legal move with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MoveValue {
    /// The name, in the notation of the game.
    pub name: String,
    /// The value of the move; its plies include the move. `None` if it is not known.
    pub value: Option<Value>,
}

impl Solution {
    pub(crate) fn new(at: &Position, options: &SolveOptions, solved: &SolvedPosition<'_>) -> Solution {
        let SolvedPosition { game, solution, proof, .. } = solved;
        let rules = &game.rules;
        let margin = solution.margin.clone().map(Number::from);
        let value = solution
            .value
            .as_ref()
            .map(|value| Value { margin, ..Value::of_play(rules, value, solution.remoteness) });
        let status = match (solution.status, solution.bounds.clone()) {
            (solve::Status::Solved, _) => Status::Solved,
            (solve::Status::Enclosed, Some(solve::Bounds { low: Some(low), high: Some(high) })) => {
                Status::Enclosed { low: low.into(), high: high.into() }
            }
            (solve::Status::Enclosed | solve::Status::Bounded, Some(bounds)) => {
                Status::Bounded { low: bounds.low.map(Number::from), high: bounds.high.map(Number::from) }
            }
            (_, None) | (solve::Status::Unknown, _) => Status::Unknown,
        };
        let moves = solution.moves.iter().map(|of| MoveValue {
            name: of.made.written.clone(),
            value: of.value.as_ref().map(|value| Value::of_play(rules, value, of.remoteness)),
        });
        let written = proof.text.as_ref().filter(|_| proof.result.is_ok() || options.certificate);
        Solution {
            report: SolveReport::new(solved),
            sentence: verdict::headline(game, solved.state, solution),
            text: verdict::render(solved),
            status,
            value,
            moves: moves.collect(),
            limit: solution.limit.map(Limit::from),
            proof: proof.result.as_ref().ok().map(|accepted| accepted.claim.clone()),
            certificate: written.map(|text| Certificate::from(text.as_str())),
            strategy: Strategy::of(at, solution),
        }
    }

    /// The status: solved, or the bounds that are known.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Returns the value, or the reason why it is not known: a limit, or no method applies.
    ///
    /// ```
    /// use bouton::{Error, Limit, Limits, Project, SolveOptions};
    ///
    /// let options = SolveOptions {
    ///     limits: Limits { positions: Some(100), ..Limits::default() },
    ///     ..SolveOptions::default()
    /// };
    /// let solution = Project::open("games/tictactoe.bou")?.load()?.solve(&options)?;
    /// assert!(matches!(solution.value(), Err(Error::Limit { limit: Limit::Positions, .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn value(&self) -> Result<&Value, Error> {
        let reason = || self.report.why.clone();
        match (&self.value, self.limit) {
            (Some(value), _) => Ok(value),
            (None, Some(limit)) => Err(Error::Limit { limit, message: reason() }),
            (None, None) => Err(Error::NotSolved(reason())),
        }
    }

    /// The name of the player who wins; `None` if nobody does, or the value is not known.
    pub fn winner(&self) -> Option<&str> {
        self.report.winner.as_deref()
    }

    /// The Grundy value, if the method `grundy` computed it.
    pub fn nimber(&self) -> Option<u32> {
        self.report.nimber
    }

    /// The moves that keep the value and, if plies are counted, win soonest or lose latest. Empty if they are not known.
    pub fn best_moves(&self) -> &[String] {
        self.report.best_moves.as_deref().unwrap_or_default()
    }

    /// Every legal move with its value, if [`all_moves`](SolveOptions::all_moves) was set and the method gives them.
    pub fn moves(&self) -> &[MoveValue] {
        &self.moves
    }

    /// A line of best play.
    pub fn line(&self) -> &[String] {
        self.report.line.as_deref().unwrap_or_default()
    }

    /// The name of the method that found the result, and the reason for the result or for a missing value.
    pub fn method(&self) -> (&str, &str) {
        (self.report.method, &self.report.why)
    }

    /// The claim that the independent checker accepted; `None` if the result is computed but not proved. The claim may
    /// state less than the result.
    pub fn proof(&self) -> Option<&str> {
        self.proof.as_deref()
    }

    /// The certificate of the proof, if it is small or [`certificate`](SolveOptions::certificate) was set. A limit may
    /// have ended its check.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    /// All positions that play reaches as arrays, if the method stored them, as it does for
    /// [`strong`](SolveOptions::strong).
    ///
    /// ```
    /// let game = bouton::Project::open("games/nim.bou")?.set("heaps", "[1, 2]").load()?;
    /// let solution = game.solve(&bouton::SolveOptions { strong: true, ..Default::default() })?;
    /// let all = solution.positions().expect("all positions were stored");
    /// assert_eq!((all.values[0], all.remoteness[0]), (1.0, 3));
    /// assert_eq!(&all.moves[..all.starts[1] as usize], [1, 2, 3]);
    /// assert_eq!(&all.states[..all.words], game.start().as_ref());
    /// # Ok::<(), bouton::Error>(())
    /// ```
    pub fn positions(&self) -> Option<Positions> {
        self.strategy.as_ref()?.table.as_ref().map(|table| table.positions_as_arrays())
    }

    /// The best moves of all positions that play reaches, if the method stored them.
    pub fn strategy(&self) -> Option<&Strategy> {
        self.strategy.as_ref()
    }
}

impl Display for Solution {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if f.alternate() { &self.text } else { &self.sentence })
    }
}

impl Serialize for Solution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.report.serialize(serializer)
    }
}

/// The best moves of many positions of a game.
#[derive(Clone, Debug)]
pub struct Strategy {
    game: Game,
    table: Option<Arc<SolvedGraph>>,
    replies: Arc<Vec<StrategyReplies>>,
}

impl Strategy {
    fn of(at: &Position, solution: &solve::Solution) -> Option<Strategy> {
        let replies = solution.replies.as_ref().and_then(|replies| replies.as_ref().ok());
        let replies = Arc::new(replies.cloned().unwrap_or_default());
        let table = solution.table.clone();
        let known = table.is_some() || !replies.is_empty();
        known.then(|| Strategy { game: at.game.clone(), table, replies })
    }

    /// Returns the names of the best moves in a position; empty if the strategy does not cover it, or nobody chooses
    /// there. A strategy that a search lists covers the positions that the player whom it serves may reach.
    ///
    /// ```
    /// let start = bouton::Project::open("games/nim.bou")?.load()?.start();
    /// let solution = start.solve(&bouton::SolveOptions::default())?;
    /// let strategy = solution.strategy().expect("all positions were listed");
    /// let after = start.play("1-2")?.play("3-5")?;
    /// assert_eq!(strategy.best_moves(&after), ["2-3"]);
    /// # Ok::<(), bouton::Error>(())
    /// ```
    pub fn best_moves(&self, position: &Position) -> Vec<String> {
        if !self.game.is_same(&position.game) {
            return Vec::new();
        }
        let listed = self.table.as_ref().map(|table| table.best_moves(&position.state)).unwrap_or_default();
        let listed = listed.into_iter().map(|made| made.written);
        let answers = self.replies.iter().flat_map(|of| &of.answers).filter(|of| of.at == position.state);
        let game = &self.game.parts().game;
        listed.chain(answers.map(|of| game.notation(&of.at, &of.play))).collect()
    }
}
