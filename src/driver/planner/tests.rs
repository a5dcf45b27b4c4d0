use std::time::Duration;

use super::*;
use crate::load::{GameSource, LoadRequest};
use bouton_base::clock::Instant;
use bouton_search::game::Game;
use bouton_search::solve::SolveOptions;

fn game(name: &str, settings: &[String]) -> Game {
    let path = format!("{}/../../games/{name}.bou", env!("CARGO_MANIFEST_DIR"));
    let request = LoadRequest { path: &path, settings, preset: None };
    let mut text = GameSource::read(&request).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    text.game(None).unwrap_or_else(|e| panic!("{name}: {e:?}"))
}

fn hour() -> Limits {
    Limits { deadline: Some(Instant::now() + Duration::from_secs(3600)), ..Limits::default() }
}

fn left(limits: &Limits) -> Duration {
    limits.deadline.expect("a deadline").saturating_duration_since(Instant::now())
}

#[test]
fn strategies_take_most_of_the_time_where_the_positions_are_too_many() {
    let (options, limits) = (SolveOptions::default(), hour());
    for (n, hopeless) in [(3, false), (11, true)] {
        let game = game("hex", &[format!("n={n}")]);
        let state = game.machine.initial();
        let plan = Plan::new(Question::new(&game, &state, &options, &limits));
        let part = left(&plan.strategy_limits(&limits));
        assert_eq!(part > Duration::from_secs(1800), hopeless, "n = {n}: {part:?}");
    }
}

#[test]
fn time_that_methods_leave_goes_to_strategies() {
    let game = game("hex", &["n=4".into()]);
    let (state, options) = (game.machine.initial(), SolveOptions::default());
    let answer = |limits: &Limits| {
        let plan = Plan::new(Question::new(&game, &state, &options, limits));
        plan.or_strategy(Solution::unknown("alphabeta", "", "the memory limit was reached"))
    };
    let found = answer(&hour());
    assert_eq!((found.solution.method, found.solution.status), ("steal", Status::Solved));
    let over = Limits { deadline: Some(Instant::now()), ..Limits::default() };
    assert_eq!(answer(&over).solution.method, "alphabeta");
    // A first search that was complete is not repeated.
    let limits = hour();
    let plan = Plan::new(Question::new(&game, &state, &options, &limits));
    plan.strategy.set(None).expect("a new plan");
    assert_eq!(plan.or_strategy(Solution::unknown("dfpn", "", "")).solution.method, "dfpn");
}

#[test]
fn no_strategy_is_searched_for_where_the_game_is_over() {
    let searched = |end: &str| {
        let rules = format!(
            "game \"Row\"; player P; state {{ n: 0..3 = 0; }} move up() as \"up\" {{ when n < 3; n += 1; }} end {{ when n = \
             {end} => win; when stuck => lose; }}"
        );
        let game = GameSource::from_string("row.bou", &rules).game(None).unwrap_or_else(|e| panic!("{e:?}"));
        let (state, options, limits) = (game.machine.initial(), SolveOptions::default(), hour());
        let asked = Question { goal: Goal::Play, ..Question::new(&game, &state, &options, &limits) };
        let plan = Plan::new(asked);
        let answer = plan.run(&bouton_base::limits::NoProgress).unwrap_or_else(|_| panic!("a fault"));
        assert_eq!(answer.solution.status, Status::Solved);
        plan.strategy.get().is_some()
    };
    assert!(!searched("0"));
    assert!(searched("2"));
}

#[test]
fn the_price_is_that_of_the_method_that_the_time_is_spent_on() {
    // After the time is over nothing is sampled, and the number of positions is unknown.
    let options = SolveOptions::default();
    let limits = Limits { deadline: Some(Instant::now()), ..Limits::default() };
    let has_price = |name: &str, settings: &[String], route| {
        let game = game(name, settings);
        let state = game.machine.initial();
        Plan::new(Question { route, ..Question::new(&game, &state, &options, &limits) }).price().is_some()
    };
    let start = "start=[1,6,2,3,10,0,15,13,5,9,7,8,12,11,4,14]";
    let fifteen = ["n=4".to_string(), start.to_string()];
    assert!(!has_price("sliding_puzzle", &fifteen, Route::Any), "a plan visits few positions");
    assert!(has_price("sliding_puzzle", &fifteen, Route::GraphOnly));
    assert!(has_price("connect_four", &[], Route::Any));
}
