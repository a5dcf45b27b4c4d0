//! Variants of a game: other parameters, and misère play.

use std::time::Duration;

use crate::load::GameSource;
use crate::planner::{Plan, Question, Route};
use crate::position::StartPosition;
use bouton_base::clock::Instant;
use bouton_base::limits::{Limits, NoProgress};
use bouton_certificates::Convention;
use bouton_report::verdict::value_words;
use bouton_rules::{OutcomeExpr, Rules, Value};
use bouton_search::game::Game;
use bouton_search::solve::{Solution, SolveOptions, Status};

/// The maximal number of positions of each variant: enough for small games, and the same on every machine.
const MAX_VARIANT_POSITIONS: u64 = 100_000;
/// The time limit of each variant, which matters only on very slow machines.
const VARIANT_TIME: Duration = Duration::from_secs(5);
/// The maximal number of parameters to vary.
const MAX_VARIED_PARAMETERS: usize = 3;

/// A sentence for each variant that could be solved. Only the first position has variants.
pub fn variants(
    text: &mut GameSource,
    start: &StartPosition,
    solution: &Solution,
    limits: &Limits,
) -> Vec<String> {
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
    for (name, n) in numbers.take(MAX_VARIED_PARAMETERS) {
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
fn misere(game: &Game, text: &GameSource, limits: &Limits) -> Option<String> {
    if Convention::of(&game.rules) != Convention::Normal {
        return None;
    }
    let mut rules: Rules = (*game.rules).clone();
    for end in &mut rules.ends {
        if let OutcomeExpr::Player(_, wins) = &mut end.outcome {
            *wins = !*wins;
        }
    }
    let other = Game::on_backend(rules, game.backend(), &text.skipped_passes, &within(limits));
    let words = solved(&other, limits)?;
    Some(format!("If the player who cannot move won instead of losing (misère play): {words}."))
}

fn within(limits: &Limits) -> Limits {
    let soon = Instant::now().checked_add(VARIANT_TIME);
    let deadline = [soon, limits.deadline].into_iter().flatten().min();
    Limits { deadline, positions: Some(MAX_VARIANT_POSITIONS), ..limits.clone() }
}

/// The value of a variant's first position in words, if it is solved within the limits.
fn solved(game: &Game, limits: &Limits) -> Option<String> {
    let options = SolveOptions { max_line_moves: 0, exchange_players: true, ..SolveOptions::default() };
    let state = game.machine.initial();
    let limits = within(limits);
    let asked = Question { route: Route::GraphOnly, ..Question::new(game, &state, &options, &limits) };
    let solution = Plan::new(asked).run(&NoProgress).ok()?.solution;
    let value = solution.value.filter(|_| solution.status == Status::Solved)?;
    Some(value_words(&game.rules, &value, solution.remoteness))
}
