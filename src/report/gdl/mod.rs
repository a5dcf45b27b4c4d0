//! Games as sheets in the Game Description Language (Love, Hinrichs, Haley, Schkufza, Genesereth: *General Game
//! Playing: Game Description Language Specification*, 2008).
//!
//! There are two forms. The form by fields (`fields`) has the grounded rules: a fluent for each value of a cell, and
//! moves with their conditions and effects. Rules that have no grounded form (chance, the past, `prefer`) are written
//! by positions (`positions`): all reachable positions are numbered, and the sheet lists their moves. Chance is the
//! role `random` of GDL-II, whose moves are equally likely.

use std::collections::BTreeMap;

use bouton_base::limits::{LimitHit, Limits};
use bouton_base::rational::Rational;
use bouton_rules::OutcomeKind;
use bouton_search::game::{Game, MachineError, State};

mod atoms;
mod fields;
mod positions;

pub use atoms::Atoms;

/// A game as a sheet.
#[derive(Debug)]
pub struct GdlSheet {
    pub text: String,
    /// The names of players and moves in the sheet.
    pub atoms: Atoms,
    pub scale: GoalScale,
    /// Sentences about parts of the rules for which GDL has no form.
    pub notes: Vec<String>,
}

/// The reason why a game has no sheet.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum GdlError {
    #[error("it has hidden information, for which GDL-I has no form")]
    Hidden,
    #[error("the outcomes of chance are not equally likely ({probabilities}), as GDL requires")]
    UnequalChance {
        /// Two of the probabilities.
        probabilities: String,
    },
    #[error("its payoffs have no form as goals, which are whole numbers from 0 to 100: {payoffs}")]
    Payoffs {
        /// Some of the payoffs.
        payoffs: String,
    },
    #[error("{reason}, and it has more than {MAX_POSITIONS} positions to write one by one")]
    TooManyPositions {
        /// The reason why there is no form by fields.
        reason: String,
    },
    #[error("a position has neither a legal move nor a result")]
    Stuck,
    #[error("the rules have no meaning in a position that play reaches: {0}")]
    Fault(#[from] bouton_rules::Fault),
    #[error("{0}")]
    Limit(LimitHit),
}

impl From<MachineError> for GdlError {
    fn from(error: MachineError) -> GdlError {
        match error {
            MachineError::Fault(fault) => GdlError::Fault(fault),
            MachineError::Limit(hit) => GdlError::Limit(hit),
        }
    }
}

/// The maximal number of positions that are written one by one.
pub const MAX_POSITIONS: usize = 20_000;

/// The affine map from payoffs to goals: `factor * payoff + offset`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GoalScale {
    pub factor: Rational,
    pub offset: Rational,
}

impl GoalScale {
    /// Finds the map for these payoffs: a win, a draw and a loss are 100, 50 and 0, goals stay as they are, and all
    /// other payoffs are shifted and stretched as little as possible.
    fn of(payoffs: &[Rational], kinds: &[OutcomeKind]) -> Result<GoalScale, GdlError> {
        let whole = Rational::from_integer;
        if !kinds.contains(&OutcomeKind::Payoff) {
            return Ok(GoalScale { factor: whole(50), offset: whole(50) });
        }
        let least = payoffs.iter().min().cloned().unwrap_or_default();
        let greatest = payoffs.iter().max().cloned().unwrap_or_default();
        let range = greatest.clone() - least.clone();
        let stretched = whole(100).checked_div(&range).unwrap_or_else(|| whole(1));
        let candidates = [
            GoalScale { factor: whole(1), offset: whole(0) },
            GoalScale { offset: -(stretched.clone() * least.clone()), factor: stretched },
            GoalScale { factor: whole(1), offset: -least.clone() },
        ];
        let fits = |scale: &GoalScale| payoffs.iter().all(|payoff| scale.goal(payoff).is_some());
        if let Some(found) = candidates.into_iter().find(fits) {
            return Ok(found);
        }
        // The least multiple that makes all differences whole numbers.
        let multiples = (2..=100)
            .map(|factor| GoalScale { factor: whole(factor), offset: -(whole(factor) * least.clone()) });
        multiples.into_iter().find(fits).ok_or_else(|| {
            let mut some: Vec<&Rational> = payoffs.iter().collect();
            some.sort();
            some.dedup();
            let some: Vec<String> = some.iter().take(4).map(ToString::to_string).collect();
            GdlError::Payoffs { payoffs: some.join(", ") }
        })
    }

    /// Returns the goal of a payoff, if it is a whole number from 0 to 100.
    pub fn goal(&self, payoff: &Rational) -> Option<i64> {
        let goal = self.factor.clone() * payoff.clone() + self.offset.clone();
        goal.as_i64().filter(|goal| (0..=100).contains(goal))
    }

    /// Says how goals follow from payoffs; `None` if they are the same.
    fn note(&self) -> Option<String> {
        let one = Rational::from_integer(1);
        match (self.factor == one, self.offset.is_zero()) {
            (true, true) => None,
            (false, true) => Some(format!("A goal is {} times the payoff.", self.factor)),
            (true, false) => Some(format!("A goal is the payoff plus {}.", self.offset)),
            (false, false) => {
                Some(format!("A goal is {} times the payoff, plus {}.", self.factor, self.offset))
            }
        }
    }
}

/// Writes a game that begins in this position as a sheet.
pub fn sheet(game: &Game, state: &State, limits: &Limits) -> Result<GdlSheet, GdlError> {
    if game.rules.has_hidden_information() || !game.rules.sees.is_empty() {
        return Err(GdlError::Hidden);
    }
    match bouton_grounding::ground(&game.rules, limits) {
        Ok(ground) => fields::write(game, state, ground, limits),
        Err(refused) => match limits.check() {
            Some(hit) => Err(GdlError::Limit(hit)),
            None => positions::write(game, state, &refused.reason, limits),
        },
    }
}

/// The text of a sheet while it is written.
#[derive(Default)]
struct Sheet {
    text: String,
}

/// The maximal length of a rule that stands in one line.
const LINE_LENGTH: usize = 100;

impl Sheet {
    /// Begins with the name and the description of the game.
    fn begin(game: &Game, notes: &[String]) -> Sheet {
        let mut sheet = Sheet::default();
        sheet.comment(&game.rules.name);
        game.rules.doc.iter().for_each(|line| sheet.comment(line));
        if !notes.is_empty() {
            sheet.comment("");
            notes.iter().for_each(|line| sheet.comment(line));
        }
        sheet
    }

    fn comment(&mut self, line: &str) {
        for line in line.split(['\n', '\r']) {
            let written = format!("; {line}");
            self.text += written.trim_end();
            self.text.push('\n');
        }
    }

    /// Begins a section.
    fn heading(&mut self, line: &str) {
        self.text.push('\n');
        self.comment(line);
    }

    /// Writes a rule, or a fact if there are no conditions.
    fn rule(&mut self, head: &str, body: &[String]) {
        if body.is_empty() {
            self.text += head;
        } else {
            let length = head.len() + body.iter().map(|part| part.len() + 1).sum::<usize>() + 5;
            let between = if length > LINE_LENGTH { "\n    " } else { " " };
            self.text += &format!("(<= {head}");
            for part in body {
                self.text += between;
                self.text += part;
            }
            self.text.push(')');
        }
        self.text.push('\n');
    }

    fn fact(&mut self, head: &str) {
        self.rule(head, &[]);
    }

    /// Writes the roles.
    fn roles(&mut self, roles: &[String]) {
        self.heading("The roles");
        roles.iter().for_each(|role| self.fact(&format!("(role {role})")));
    }
}

/// A name for each combination of goals: `x_wins`, `draw`, `50_30`.
#[derive(Default)]
struct ResultNames {
    by_goals: BTreeMap<Vec<i64>, String>,
}

impl ResultNames {
    /// Returns the name of a combination, and true if it is new.
    fn name(&mut self, goals: &[i64], kind: OutcomeKind, roles: &[String]) -> (String, bool) {
        if let Some(known) = self.by_goals.get(goals) {
            return (known.clone(), false);
        }
        let mut winners = roles.iter().zip(goals).filter(|(_, goal)| **goal == 100);
        let mut name = match (kind, winners.next(), winners.next()) {
            (OutcomeKind::Win, Some((role, _)), None) => format!("{role}_wins"),
            (OutcomeKind::Win, None, _) if roles.len() == 1 => "lost".to_owned(),
            (OutcomeKind::Draw, _, _) => "draw".to_owned(),
            _ => goals.iter().map(ToString::to_string).collect::<Vec<_>>().join("_"),
        };
        while self.by_goals.values().any(|other| *other == name) {
            name.push('_');
        }
        self.by_goals.insert(goals.to_vec(), name.clone());
        (name, true)
    }
}

/// Returns the goals of the payoffs of a result.
fn goals(scale: &GoalScale, payoffs: &[Rational]) -> Vec<i64> {
    payoffs.iter().filter_map(|payoff| scale.goal(payoff)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payoffs_become_goals() {
        let scaled = |payoffs: &[(i64, i64)], kind| {
            let payoffs: Vec<Rational> = payoffs.iter().map(|&(n, d)| Rational::new(n, d)).collect();
            let scale = GoalScale::of(&payoffs, &[kind]).ok()?;
            Some(goals(&scale, &payoffs))
        };
        assert_eq!(scaled(&[(1, 1), (-1, 1)], OutcomeKind::Win), Some(vec![100, 0]));
        assert_eq!(scaled(&[(3, 1), (30, 1)], OutcomeKind::Payoff), Some(vec![3, 30]));
        assert_eq!(scaled(&[(-1, 1), (1, 1), (0, 1)], OutcomeKind::Payoff), Some(vec![0, 100, 50]));
        assert_eq!(scaled(&[(-3, 1), (4, 1)], OutcomeKind::Payoff), Some(vec![0, 100]));
        assert_eq!(scaled(&[(-3, 1), (0, 1), (4, 1)], OutcomeKind::Payoff), Some(vec![0, 3, 7]));
        assert_eq!(scaled(&[(-1, 2), (1, 3), (1, 1)], OutcomeKind::Payoff), Some(vec![0, 5, 9]));
        assert_eq!(scaled(&[(0, 1), (1, 1), (1000, 1)], OutcomeKind::Payoff), None);
    }
}
