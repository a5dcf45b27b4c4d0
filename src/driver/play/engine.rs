//! The engine that answers: perfect where the game can be solved, by Monte-Carlo tree search or a look ahead otherwise.
//!
//! The look ahead is max-n (Luckhardt and Irani 1986): each player takes what is best for himself, chance gives a
//! mean, and a position at the edge is worth what `evaluate` says, or nothing. Moves that are worth the same are
//! drawn by the seed. It is play, not analysis: nothing it says is a claim.

use std::time::Duration;

use super::Session;
use crate::base::limits::{LimitHit, Limits, Progress};
use crate::driver::budget::Budget;
use crate::game::{Game, Halt, State, Successor, Turn};
use crate::report::verdict::value_words;
use crate::solve::mcts::{self, Effort};
use crate::solve::{self, Method, Options, Solution, Status};

/// How long the first solving may take when nothing is said.
const SOLVE_TIME: Duration = Duration::from_secs(5);
/// How long a later one may take.
const MOVE_TIME: Duration = Duration::from_secs(2);
/// How many positions a look ahead may see.
const NODES: usize = 20_000;
/// How many positions a Monte-Carlo tree search may see.
const POSITIONS: u64 = 100_000;

/// How well the engine plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// As well as can be.
    Perfect,
    /// Looking so many moves ahead; 0: at random.
    Depth(u32),
}

impl Level {
    /// Reads `perfect` or a number.
    pub fn parse(text: &str) -> Result<Level, String> {
        match text {
            "perfect" => Ok(Level::Perfect),
            number => number.parse().map(Level::Depth).map_err(|_| {
                format!("`{text}` is no level: write `perfect` or how many moves to look ahead")
            }),
        }
    }
}

/// The engine.
pub struct Engine {
    level: Level,
    budget: Budget,
    solved: Option<Solution>,
}

/// A move with the reason for it.
pub struct Choice {
    /// The move.
    pub successor: Successor,
    /// Why, in one sentence.
    pub why: String,
}

impl Engine {
    /// An engine for games from this position; it says how well it will play.
    pub fn new(
        game: &Game,
        start: &State,
        level: Level,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> (Engine, String) {
        let mut engine = Engine { level, budget: budget.clone(), solved: None };
        let told = match level {
            Level::Depth(0) => "the engine plays at random".into(),
            Level::Depth(n) => format!("the engine looks {n} moves ahead"),
            Level::Perfect => match solve(game, start, &budget.limits(Some(SOLVE_TIME)), progress) {
                Ok(solution) => {
                    engine.solved = Some(solution);
                    "the engine plays perfectly: every position was solved".into()
                }
                Err(why) => format!(
                    "the engine plays by what random games tell, and perfectly once it can solve the rest ({why})"
                ),
            },
        };
        (engine, told)
    }

    /// The move the engine makes; none where there is no move.
    pub fn choose(&mut self, session: &mut Session) -> Option<Choice> {
        let successors = session.successors().ok()?;
        if successors.len() <= 1 {
            let successor = successors.into_iter().next()?;
            return Some(Choice { successor, why: "it is the only legal move".into() });
        }
        if self.level == Level::Perfect
            && let Some(choice) = self.perfect(session, &successors)
        {
            return Some(choice);
        }
        match self.level {
            Level::Perfect => sampled(session, &successors, &self.budget.limits(None)),
            Level::Depth(depth) => ahead(session, &successors, depth, &self.budget.limits(None)),
        }
    }

    fn perfect(&mut self, session: &Session, successors: &[Successor]) -> Option<Choice> {
        let (game, state) = (&session.game, session.state());
        let known = |s: &Solution| s.table.as_ref().is_some_and(|t| t.value(state).is_some());
        if !self.solved.as_ref().is_some_and(known) {
            let limits = self.budget.limits(Some(MOVE_TIME));
            self.solved = Some(solve(game, state, &limits, &crate::base::limits::Silent).ok()?);
        }
        let table = self.solved.as_ref()?.table.as_ref()?;
        let best = table.best_moves(state);
        let successor = successors.iter().find(|s| best.first().is_some_and(|b| b.play == s.play))?;
        let worth = value_words(&game.rules, &table.value(state)?, table.remoteness(state));
        let others = if best.len() == 1 { "no other move keeps it" } else { "it keeps that" };
        Some(Choice { successor: successor.clone(), why: format!("with best play: {worth}; {others}") })
    }

    /// What is known of a position.
    pub fn worth(&self, game: &Game, state: &State) -> Option<String> {
        let table = self.solved.as_ref()?.table.as_ref()?;
        Some(value_words(&game.rules, &table.value(state)?, table.remoteness(state)))
    }
}

/// A solution with a table; where there is none, the reason in words.
fn solve(game: &Game, state: &State, limits: &Limits, progress: &dyn Progress) -> Result<Solution, String> {
    let options = Options { line: 0, ..Options::default() };
    let solution = solve::solve(game, state, Method::Auto, &options, limits, progress)
        .map_err(|met| met.kind.to_string())?;
    if solution.status == Status::Solved && solution.table.is_some() {
        Ok(solution)
    } else {
        Err(solution.reason.unwrap_or_else(|| "it was not solved".into()))
    }
}

/// The best move as far as random games tell; where the limits end that early, any move.
fn sampled(session: &mut Session, successors: &[Successor], limits: &Limits) -> Option<Choice> {
    let Ok(Turn::Player(player)) = session.turn() else { return None };
    let effort = Effort { positions: POSITIONS, seed: session.pick(1 << 32) as u64 };
    let game = session.game.within(limits);
    match mcts::choose(&game, session.state(), effort, limits) {
        Ok(Some(found)) => {
            let worth = found.worth.get(player as usize).copied().unwrap_or_default();
            let why = match found.settled {
                true => format!("it is certain to give {worth}"),
                false => format!("it did best in {} random games, {worth:+.2} in the mean", found.games),
            };
            Some(Choice { successor: successors.get(found.chosen)?.clone(), why })
        }
        _ => ahead(session, successors, 0, limits),
    }
}

/// The best move as far as a look ahead tells; where the limits end it early, any move.
fn ahead(session: &mut Session, successors: &[Successor], depth: u32, limits: &Limits) -> Option<Choice> {
    let Ok(Turn::Player(player)) = session.turn() else { return None };
    let mut best: Vec<usize> = (0..successors.len()).collect();
    let mut why = "it was drawn at random".to_string();
    if depth > 0 {
        let mut look = Look { game: &session.game.within(limits), nodes: NODES };
        let own = |worth: Vec<f64>| worth.get(player as usize).copied().unwrap_or(0.0);
        let worth: Result<Vec<f64>, LimitHit> =
            successors.iter().map(|s| look.worth(&s.state, depth - 1).map(own)).collect();
        match worth {
            Ok(worth) => {
                let most = worth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                best.retain(|&i| worth[i] >= most);
                why = format!("it looked best {depth} moves ahead");
            }
            Err(hit) => why = format!("it was drawn at random: {hit}"),
        }
    }
    let chosen = best[session.pick(best.len())];
    Some(Choice { successor: successors[chosen].clone(), why })
}

struct Look<'a> {
    game: &'a Game,
    nodes: usize,
}

impl Look<'_> {
    /// What a position is worth to each player.
    fn worth(&mut self, state: &State, depth: u32) -> Result<Vec<f64>, LimitHit> {
        self.nodes = self.nodes.saturating_sub(1);
        let turn = match self.game.machine.turn(state) {
            Ok(Turn::Over(outcome)) => {
                // An end counts more than any guess at the edge.
                let worth = outcome.payoffs.iter().map(|p| 1e6 * *p.numer() as f64 / *p.denom() as f64);
                return Ok(worth.collect());
            }
            Ok(turn) => turn,
            Err(Halt::Fault(_)) => return Ok(self.nothing()),
            Err(Halt::Limit(hit)) => return Err(hit),
        };
        if depth == 0 || self.nodes == 0 {
            return self.guess(state);
        }
        let successors = match self.game.machine.successors(state) {
            Ok(successors) => successors,
            Err(Halt::Fault(_)) => Vec::new(),
            Err(Halt::Limit(hit)) => return Err(hit),
        };
        let mut values = Vec::new();
        for successor in &successors {
            values.push((successor, self.worth(&successor.state, depth - 1)?));
        }
        Ok(match turn {
            Turn::Player(player) => {
                let own = |v: &Vec<f64>| v.get(player as usize).copied().unwrap_or(0.0);
                let best =
                    values.into_iter().map(|(_, v)| v).reduce(|a, b| if own(&b) > own(&a) { b } else { a });
                best.unwrap_or_else(|| self.nothing())
            }
            _ => {
                let mut mean = self.nothing();
                let share = 1.0 / values.len().max(1) as f64;
                for (successor, value) in values {
                    let p = successor.probability;
                    let weight =
                        if turn == Turn::Chance { *p.numer() as f64 / *p.denom() as f64 } else { share };
                    mean.iter_mut().zip(value).for_each(|(m, v)| *m += weight * v);
                }
                mean
            }
        })
    }

    fn nothing(&self) -> Vec<f64> {
        vec![0.0; self.game.rules.players().len()]
    }

    /// What `evaluate` says.
    fn guess(&self, state: &State) -> Result<Vec<f64>, LimitHit> {
        let Some(evaluate) = &self.game.rules.evaluate else { return Ok(self.nothing()) };
        let value = |e| {
            let number = self.game.machine.eval(state, e)?.and_then(|v| v.as_ratio());
            Ok(number.map_or(0.0, |r| *r.numer() as f64 / *r.denom() as f64))
        };
        evaluate.values.iter().map(value).collect()
    }
}
