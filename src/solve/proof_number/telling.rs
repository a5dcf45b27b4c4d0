//! What a search found, put into words: the value, best moves, best play; or why it ended early.

use num_rational::Rational64;

use super::question::Halted;
use super::{ENDLESS, Prover};
use crate::base::limits::LimitHit;
use crate::circuit::Position;
use crate::game::explore::{Broken, BrokenKind};
use crate::game::{Game, Halt, Play};
use crate::rules;
use crate::solve::stakes::Stakes;
use crate::solve::{Made, MoveValue, Options, Solution, Status};

/// So many positions more than for the value may be looked at to tell of best moves and best play.
const TELLING: u64 = 100_000;

/// Puts what a search found into words.
pub struct Teller<'a, 'p> {
    /// The game.
    pub game: &'a Game,
    /// The search.
    pub prover: Box<dyn Prover<'a> + 'p>,
    /// What the players get together.
    pub sum: Rational64,
    /// Whether they play for the difference of the scores.
    pub margin: bool,
    /// What the first player gets at least and at most wherever the game ends.
    pub range: (i32, i32),
    /// The positions before the one that is searched.
    pub before: Vec<Position>,
}

impl Teller<'_, '_> {
    fn stakes(&mut self) -> Stakes {
        let payoffs = self.game.rules.ends.iter().any(|e| matches!(e.outcome, rules::Outcome::Payoff(_)));
        Stakes {
            ends: Vec::new(),
            sum: self.sum,
            infinite: None,
            range: None,
            win_loss: !self.margin && !payoffs,
            players: 2,
            margin: self.margin.then(|| self.prover.eyes().way.unwrap_or(1)),
        }
    }

    fn made(&mut self, at: &Position, play: Play) -> Made {
        let written = self.game.written(&self.prover.eyes().machine.state(at), &play);
        Made { play, written }
    }

    fn children(&mut self, at: &Position) -> Vec<(Play, Position)> {
        self.prover.eyes().machine.children(at).unwrap_or_default()
    }

    /// Whether a move to this position keeps a value for the player who makes it.
    fn keeps(&mut self, to: &Position, maximises: bool, value: i32) -> Result<bool, Halted> {
        let t = if maximises { value } else { value + 1 };
        if t <= self.range.0 || t > self.range.1 {
            return Ok(true);
        }
        Ok(self.prover.ask(to, t)? == maximises)
    }

    /// The value with best moves and best play, as far as they cost no more than it did.
    pub fn tell(
        &mut self,
        from: &Position,
        value: i32,
        options: &Options,
        solution: &mut Solution,
    ) -> Result<(), Halted> {
        let number = Rational64::from(i64::from(value));
        let children = self.children(from);
        let stakes = self.stakes();
        solution.status = Status::Solved;
        solution.value = Some(stakes.told(number, false));
        solution.margin = stakes.margin.map(|way| number * way);
        let mut told = match options.all_moves {
            true => self.all_moves(from, value, &children, solution),
            false => Ok(()),
        };
        if told.is_ok() {
            let eyes = self.prover.eyes();
            eyes.most = eyes.nodes.saturating_mul(2).saturating_add(TELLING);
            told = self.best_play(from, value, &children, options, solution);
        }
        match told {
            Err(halted @ Halted::Broken(_)) => Err(halted),
            // The value is known all the same.
            _ => Ok(()),
        }
    }

    fn all_moves(
        &mut self,
        from: &Position,
        value: i32,
        children: &[(Play, Position)],
        solution: &mut Solution,
    ) -> Result<(), Halted> {
        for (play, _) in children {
            let made = self.made(from, play.clone());
            solution.moves.push(MoveValue { made, value: None, remoteness: None });
        }
        self.before = vec![from.clone()];
        for ((_, to), told) in children.iter().zip(&mut solution.moves) {
            let mut bounds = self.range;
            self.prover.close_in(to, &mut bounds)?;
            told.value = Some(self.stakes().told(Rational64::from(i64::from(bounds.0)), false));
            if bounds.0 == value {
                solution.best_moves.push(told.made.clone());
            }
        }
        Ok(())
    }

    fn best_play(
        &mut self,
        from: &Position,
        value: i32,
        children: &[(Play, Position)],
        options: &Options,
        solution: &mut Solution,
    ) -> Result<(), Halted> {
        let mut at = from.clone();
        self.before.clear();
        while solution.line.len() < options.line {
            let maximises = self.prover.eyes().is_first(at.control.0);
            self.before.push(at.clone());
            let mut best = None;
            for (play, to) in self.children(&at) {
                if self.keeps(&to, maximises, value)? {
                    best = Some((play, to));
                    break;
                }
            }
            let Some((play, to)) = best else { break };
            let made = self.made(&at, play);
            if at == *from && solution.best_moves.is_empty() {
                solution.best_moves.push(made.clone());
            }
            solution.line.push(made);
            at = to;
        }
        // What is left is for the other moves that are as good.
        self.before = vec![from.clone()];
        let maximises = self.prover.eyes().is_first(from.control.0);
        for (play, to) in children {
            let known = solution.best_moves.iter().any(|made| made.play == *play);
            if !options.all_moves && !known && self.keeps(to, maximises, value)? {
                let made = self.made(from, play.clone());
                solution.best_moves.push(made);
            }
        }
        Ok(())
    }

    /// What is said of a search that ended early.
    pub fn give_up(&mut self, halted: Halted, solution: &mut Solution) -> Result<(), Box<Broken>> {
        let (limit, reason) = match halted {
            Halted::Limit(hit) => (Some(hit), hit.to_string()),
            Halted::Wrong(reason) => (None, reason),
            Halted::Broken(at) => match self.broken(&at) {
                Ok(broken) => return Err(Box::new(broken)),
                Err(hit) => (Some(hit), hit.to_string()),
            },
            Halted::Enough | Halted::Learned => (None, ENDLESS.into()),
        };
        if limit.is_none() {
            solution.status = Status::Unknown;
            solution.bounds = None;
        }
        solution.limit = limit;
        solution.reason = Some(reason);
        Ok(())
    }

    /// A position without meaning, with the play that led to it.
    fn broken(&mut self, at: &Position) -> Result<Broken, LimitHit> {
        let way = self.prover.way();
        let eyes = self.prover.eyes();
        let state = eyes.machine.state(at);
        let kind = match self.game.within(eyes.limits).machine.expand(&state) {
            Err(Halt::Fault(fault)) => BrokenKind::Fault(fault),
            Err(Halt::Limit(hit)) => return Err(hit),
            Ok(_) => BrokenKind::Stuck,
        };
        let path: Vec<Position> = self.before.iter().cloned().chain(way).chain([at.clone()]).collect();
        let mut line = Vec::new();
        for pair in path.windows(2) {
            let step = self.children(&pair[0]).into_iter().find(|(_, to)| *to == pair[1]);
            line.extend(step.map(|(play, _)| play));
        }
        Ok(Broken { line, state, kind })
    }
}
