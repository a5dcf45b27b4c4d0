//! The check of PARAM: it derives the obligations of a plan from the source of the rules, and checks a proof of each.
//!
//! In addition it solves all small games by the definition: the moves of the schemes must be its moves in every
//! position, and the winners must be the claimed ones. That proves nothing about large games, but would reveal a
//! mistake in parsing the source; and a case without a small game is rejected, since a claim must not be vacuous.

use super::small_games::SmallGame;
use super::{Checked, Checker, Fact, RulesFamily, refutation, reject, reject_if};
use bouton_certificates::{Convention, ParamLemma};
use bouton_obligations::obligations;
use bouton_reference::State;
use bouton_rules::MOVER;
use bouton_rules::parametric::{ParamRange, ParametricRules, ParametricStrategy, first_values};

/// The maximal number of small games...
const MAX_SMALL_GAMES: usize = 60;

/// ... and of their positions together.
const MAX_SMALL_GAME_POSITIONS: u64 = 4_000;

impl Checker<'_> {
    /// Proves that the claimed player wins, for all the values.
    pub(super) fn param(&mut self, start: &State, param: &ParamLemma) -> Checked<Fact> {
        let family =
            self.family.ok_or("it is for all values of the parameters, and the rules given are of one")?;
        if *start != self.interpreter.initial() {
            return reject("it is for the first position, and not for this one");
        }
        self.check_normal_play()?;
        let mut free: Vec<String> = param.over.iter().map(|range| range.param.clone()).collect();
        free.dedup();
        let schema = family.schema(&free)?;
        let all = obligations(&schema, &param.over, &param.plan, &param.cases)?;
        reject_if(all.len() != param.proofs.len(), format_args!("{} proofs are needed", all.len()))?;
        for (place, (obligation, proof)) in all.iter().zip(&param.proofs).enumerate() {
            self.tick()?;
            self.visited += proof.len() as u64;
            if let Err(reason) = refutation::check_refutation(&obligation.problem, proof) {
                let what = &obligation.description;
                return reject(format!("proof {} does not show that {what}: {reason}", place + 1));
            }
        }
        if let ParametricStrategy::RowAutomaton { lost } = &param.plan {
            self.rows(&schema, &param.over, lost, &param.cases)?;
        }
        self.small_games(family, &schema, param)?;
        Ok(Fact::Always { over: param.over.clone(), cases: param.cases.clone() })
    }

    /// Checks that there are two players, that the first begins, and that the player without a move loses.
    pub(super) fn check_normal_play(&self) -> Checked<()> {
        let begins = self.rules.fields[MOVER].init.first().and_then(bouton_rules::Value::as_sym);
        if self.rules.players().len() != 2 || begins != Some(0) {
            return reject("it is not a game of two players that the first begins");
        }
        if Convention::of(self.rules) != Convention::Normal {
            return reject("it is not a game in which just who cannot move loses");
        }
        Ok(())
    }

    /// Checks all small games by the definition.
    fn small_games(
        &mut self,
        family: &dyn RulesFamily,
        schema: &ParametricRules,
        param: &ParamLemma,
    ) -> Checked<()> {
        let mut seen = vec![false; param.cases.len()];
        let mut left = MAX_SMALL_GAME_POSITIONS;
        for values in smallest(&param.over, &schema.params) {
            let cases: Vec<usize> = (0..param.cases.len())
                .filter(|&case| param.cases[case].when.iter().all(|atom| atom.holds_of(&values)))
                .collect();
            let settings = settings(&param.over, &values);
            let rules = family
                .instance(&settings)
                .or_else(|reason| reject(format!("{}: {reason}", settings.join(", "))))?;
            let small = SmallGame { rules: &rules, schema, values: &values, limits: self.limits };
            let step = self.step.clone();
            self.step = format!("{step}, {}", settings.join(", "));
            if let Some(begins) = small.first_wins(&mut left)? {
                if cases.iter().any(|&case| param.cases[case].first_player_wins != begins) {
                    return reject("the claimed winner loses, by the definition");
                }
                cases.into_iter().for_each(|case| seen[case] = true);
            }
            self.tick()?;
            self.step = step;
            if left == 0 {
                break;
            }
        }
        self.visited += MAX_SMALL_GAME_POSITIONS - left;
        reject_if(seen.contains(&false), "one of the cases has no small game to play through")?;
        Ok(())
    }
}

/// Returns the smallest values of the parameters by their sum, within the ranges of the claim and of the source.
fn smallest(over: &[ParamRange], text: &[ParamRange]) -> Vec<Vec<i128>> {
    let most = match over.len() {
        0 | 1 => 24,
        2 => 8,
        _ => 3,
    };
    let near = |(range, of): (&ParamRange, &ParamRange)| {
        let highs = [range.high, of.high].into_iter().flatten();
        range.low..=highs.fold(range.low.saturating_add(most), i128::min)
    };
    let mut all = first_values(over.iter().zip(text).map(near), 10_000);
    all.sort_by_key(|values| values.iter().fold(0, |sum: i128, value| sum.saturating_add(*value)));
    all.truncate(MAX_SMALL_GAMES);
    all
}

/// Renders the settings as `name=value`; a list has all its elements.
fn settings(over: &[ParamRange], values: &[i128]) -> Vec<String> {
    let mut settings: Vec<(&str, Vec<String>, bool)> = Vec::new();
    for (range, value) in over.iter().zip(values) {
        match settings.last_mut() {
            Some((name, elements, _)) if *name == range.param => elements.push(value.to_string()),
            _ => settings.push((&range.param, vec![value.to_string()], range.element.is_some())),
        }
    }
    let one = |(name, elements, list): (&str, Vec<String>, bool)| {
        if list {
            format!("{name}=[{}]", elements.join(", "))
        } else {
            format!("{name}={}", elements.join(""))
        }
    };
    settings.into_iter().map(one).collect()
}
