//! Variants of a game: other parameters, and misère play.

use std::time::{Duration, Instant};

use crate::base::limits::{Limits, Silent};
use crate::cert::Convention;
use crate::driver::load::Text;
use crate::driver::position::Start;
use crate::game::Game;
use crate::report::verdict::value_words;
use crate::rules::{Outcome, Rules, Value};
use crate::solve::{self, Method, Options, Solution, Status};

/// The maximal number of positions of each variant: enough for small games, and the same on every machine.
const POSITIONS: u64 = 100_000;
/// The time limit of each variant, which matters only on very slow machines.
const TIME: Duration = Duration::from_secs(5);
/// The maximal number of parameters to vary.
const PARAMS: usize = 3;

/// A sentence for each variant that could be solved. Only the first position has variants.
pub fn variants(text: &mut Text, start: &Start, solution: &Solution, limits: &Limits) -> Vec<String> {
    let game = &start.game;
    if solution.status != Status::Solved || start.state != game.machine.initial() {
        return Vec::new();
    }
    let mut told = Vec::new();
    told.extend(misere(game, text, limits));
    let numbers = game.rules.params.iter().filter_map(|(name, value)| match value {
        Value::Int(n) => Some((name.clone(), *n)),
        _ => None,
    });
    for (name, n) in numbers.take(PARAMS) {
        for value in [n.checked_sub(1), n.checked_add(1)].into_iter().flatten() {
            text.limits = within(limits);
            let Ok(other) = text.game_with(&[format!("{name}={value}")]) else { continue };
            if let Some(words) = solved(&other, limits) {
                told.push(format!("With {name} = {value}: {words}."));
            }
        }
    }
    text.limits = limits.clone();
    told
}

/// The misère variant of a game in which the player who cannot move loses.
fn misere(game: &Game, text: &Text, limits: &Limits) -> Option<String> {
    if Convention::of(&game.rules) != Convention::Normal {
        return None;
    }
    let mut rules: Rules = (*game.rules).clone();
    for end in &mut rules.ends {
        if let Outcome::Player(_, wins) = &mut end.outcome {
            *wins = !*wins;
        }
    }
    let other = Game::on(rules, game.backend(), &text.skipped, &within(limits));
    let words = solved(&other, limits)?;
    Some(format!("If the player who cannot move won instead of losing (misère play): {words}."))
}

fn within(limits: &Limits) -> Limits {
    let soon = Instant::now().checked_add(TIME);
    let deadline = [soon, limits.deadline].into_iter().flatten().min();
    Limits { deadline, positions: Some(POSITIONS), ..limits.clone() }
}

/// The value of a variant's first position in words, if it is solved within the limits.
fn solved(game: &Game, limits: &Limits) -> Option<String> {
    let options = Options { line: 0, ..Options::default() };
    let state = game.machine.initial();
    let solution = solve::solve(game, &state, Method::Auto, &options, &within(limits), &Silent).ok()?;
    let value = solution.value.filter(|_| solution.status == Status::Solved)?;
    Some(value_words(&game.rules, &value, solution.remoteness))
}
