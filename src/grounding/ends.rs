//! Ends of games: the condition of each result.

use bouton_base::rational::Rational;
use indexmap::IndexMap;

use super::binders::bind;
use super::eval::{DomainElements, Grounder, Result, SymbolicEnv};
use super::formula::{FALSE, Formula};
use super::{GroundEnd, GroundingError};
use bouton_reference::compare;
use bouton_rules::{OutcomeExpr, OutcomeKind, PerPlayer, Value};

/// Results, each with its condition.
type Results = Vec<(Vec<Rational>, OutcomeKind, Formula)>;

impl<'r> Grounder<'r> {
    /// Returns the results of the end rules, in order; an earlier rule takes precedence over a later one. Also returns
    /// the condition under which a rule holds and gives no result.
    pub(super) fn ends(&mut self) -> Result<(Vec<GroundEnd>, Formula)> {
        let rules = self.rules;
        let mut before = FALSE;
        let mut fault = FALSE;
        let mut ends: IndexMap<(Vec<Rational>, OutcomeKind), Formula> = IndexMap::new();
        for rule in &rules.ends {
            let mut envs = Vec::new();
            match &rule.binder {
                None => envs.push((SymbolicEnv::of(None), None)),
                Some(binder) => {
                    let mut env = SymbolicEnv::of(None);
                    let elements: Vec<(Value, Formula)> = match self.domain(&mut env, &binder.domain)? {
                        DomainElements::Fixed(values) => {
                            values.iter().map(|value| (value.clone(), super::TRUE)).collect()
                        }
                        DomainElements::Uncertain(members, _) => members,
                    };
                    for (element, when) in elements {
                        let mut env = SymbolicEnv::of(None);
                        if !bind(&mut env, &binder.pattern, &element) {
                            continue;
                        }
                        let kept = match &binder.condition {
                            Some(condition) => self.truth(&mut env, condition)?,
                            None => super::TRUE,
                        };
                        envs.push((env, Some(self.formulas.and([when, kept]))));
                    }
                }
            }
            for (mut env, when) in envs {
                let holds = self.truth(&mut env, &rule.condition)?;
                let holds = self.formulas.and([holds, when.unwrap_or(super::TRUE)]);
                let here = self.formulas.and_not(holds, before);
                if here == FALSE {
                    continue;
                }
                let results = self.results(&mut env, &rule.outcome)?;
                let given = self.formulas.or(results.iter().map(|(_, _, when)| *when));
                let none = self.formulas.and_not(here, given);
                fault = self.formulas.or([fault, none]);
                for (payoffs, kind, when) in results {
                    let when = self.formulas.and([here, when]);
                    if when == FALSE {
                        continue;
                    }
                    let end = ends.entry((payoffs, kind)).or_insert(FALSE);
                    *end = self.formulas.or([*end, when]);
                    self.check()?;
                }
                before = self.formulas.or([before, holds]);
                self.check()?;
            }
        }
        let ends =
            ends.into_iter().map(|((payoffs, kind), when)| GroundEnd { payoffs, kind, when }).collect();
        Ok((ends, fault))
    }

    /// Returns the results of an outcome, each with its condition.
    fn results(&mut self, env: &mut SymbolicEnv, outcome: &'r OutcomeExpr) -> Result<Results> {
        let players = self.rules.players().len() as u32;
        let all = |payoff: &dyn Fn(u32) -> i64| -> Vec<Rational> {
            (0..players).map(|player| Rational::from_integer(payoff(player))).collect()
        };
        Ok(match outcome {
            OutcomeExpr::Draw => vec![(all(&|_| 0), OutcomeKind::Draw, super::TRUE)],
            OutcomeExpr::SinglePlayer(wins) => vec![(all(&|_| sign(*wins)), OutcomeKind::Win, super::TRUE)],
            OutcomeExpr::Player(player, wins) => {
                let named = self.players_of(env, player)?;
                let each = named.into_iter().enumerate();
                each.map(|(who, when)| (all(&|p| sign((p == who as u32) == *wins)), OutcomeKind::Win, when))
                    .collect()
            }
            OutcomeExpr::Payoff(payoffs) => self
                .each_player(payoffs)?
                .into_iter()
                .filter_map(|(row, when)| {
                    let payoffs: Option<Vec<Rational>> = row.iter().map(Value::as_ratio).collect();
                    Some((payoffs?, OutcomeKind::Payoff, when))
                })
                .collect(),
            OutcomeExpr::ByScore(scores, highest) => self
                .each_player(scores)?
                .into_iter()
                .map(|(row, when)| {
                    let by_size = |a: &&Value, b: &&Value| compare(a, b);
                    let best = if *highest { row.iter().max_by(by_size) } else { row.iter().min_by(by_size) };
                    let best = best.cloned();
                    let wins = |score: &Value| Some(score) == best.as_ref();
                    let winners = row.iter().filter(|score| wins(score)).count();
                    let payoffs = row.iter().map(|score| if winners == 1 { sign(wins(score)) } else { 0 });
                    let payoffs = payoffs.map(Rational::from_integer).collect();
                    let kind = if winners == 1 { OutcomeKind::Win } else { OutcomeKind::Draw };
                    (payoffs, kind, when)
                })
                .collect(),
        })
    }

    /// Returns the combinations of the players' values.
    fn each_player(&mut self, of: &'r PerPlayer) -> Result<Vec<(Vec<Value>, Formula)>> {
        let Some(first) = of.values.first() else {
            return Err(GroundingError::new("a result for no player", None));
        };
        self.rows(&mut SymbolicEnv::of(None), &of.values, first)
    }
}

fn sign(won: bool) -> i64 {
    if won { 1 } else { -1 }
}
