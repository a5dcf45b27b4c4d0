//! Policy iteration against all pairs of policies of small random games.

use proptest::prelude::*;

use super::POLICY;
use crate::game::toy::{ToyGame, number};
use crate::solve::interval::INTERVAL;
use crate::solve::{Auto, Solution, SolveOptions, SolveRequest, Solver, Status};
use bouton_base::limits::{Limits, NoProgress};
use bouton_base::rational::Rational;
use bouton_rules::{OutcomeExpr, PerPlayer, Vars};

/// A position: its end, or its owner (2 for chance) and its moves.
#[derive(Clone, Debug)]
enum Place {
    Over(i64),
    Moves(u32, Vec<usize>),
}

fn places(size: usize) -> impl Strategy<Value = Vec<Place>> {
    let place = (prop::bool::weighted(0.25), -2i64..=2, 0..3u32, prop::collection::vec(0..1000usize, 1..4));
    prop::collection::vec(place, 1..=size).prop_map(|raw| {
        let size = raw.len();
        let place = |(over, end, owner, to): (bool, i64, u32, Vec<usize>)| match over {
            true => Place::Over(end),
            false => Place::Moves(owner, to.into_iter().map(|to| to % size).collect()),
        };
        raw.into_iter().map(place).collect()
    })
}

/// Returns the probability of the k-th of these many events: in proportion to k.
fn share(k: usize, events: usize) -> Rational {
    Rational::new(k as i64 + 1, (events * (events + 1) / 2) as i64)
}

fn game(places: &[Place], infinite: Option<i64>) -> crate::game::Game {
    let mut toy = ToyGame::new(2);
    for (at, place) in places.iter().enumerate() {
        match place {
            Place::Over(value) => toy.payoffs(at, &[*value, -value]),
            Place::Moves(2, next) => {
                for (k, &to) in next.iter().enumerate() {
                    toy.chance(at, to, share(k, next.len()));
                }
            }
            Place::Moves(owner, next) => {
                toy.owner(at, *owner);
                next.iter().for_each(|&to| toy.edge(at, to));
            }
        }
    }
    toy.pays(-2, 2);
    if let Some(infinite) = infinite {
        let values = vec![number(infinite), number(-infinite)];
        toy.repeat(OutcomeExpr::Payoff(PerPlayer { values, vars: Vars::default() }));
    }
    toy.game()
}

/// Returns the values of play in which each position has these events.
fn values_of_chain(places: &[Place], choice: &[usize], infinite: i64) -> Vec<Rational> {
    let size = places.len();
    let events = |at: usize| -> Vec<(usize, Rational)> {
        match &places[at] {
            Place::Over(_) => Vec::new(),
            Place::Moves(2, next) => {
                next.iter().enumerate().map(|(k, &to)| (to, share(k, next.len()))).collect()
            }
            Place::Moves(_, next) => vec![(next[choice[at]], Rational::ONE)],
        }
    };
    let mut ends: Vec<bool> = places.iter().map(|place| matches!(place, Place::Over(_))).collect();
    for _ in 0..size {
        for at in 0..size {
            ends[at] |= events(at).iter().any(|&(to, _)| ends[to]);
        }
    }
    // Gauss and Jordan.
    let mut rows: Vec<Vec<Rational>> = (0..size)
        .map(|at| {
            let mut row = vec![Rational::ZERO; size + 1];
            row[at] = Rational::ONE;
            match &places[at] {
                Place::Over(value) => row[size] = Rational::from(*value),
                _ if !ends[at] => row[size] = Rational::from(infinite),
                _ => events(at).into_iter().for_each(|(to, share)| row[to] -= share),
            }
            row
        })
        .collect();
    for at in 0..size {
        let pivot = (at..size).find(|&row| !rows[row][at].is_zero()).expect("play ends");
        rows.swap(at, pivot);
        let own = rows[at].clone();
        for (other, row) in rows.iter_mut().enumerate() {
            let factor = &row[at] / &own[at];
            if other != at && !factor.is_zero() {
                row.iter_mut().zip(&own).for_each(|(value, own)| *value -= own * &factor);
            }
        }
    }
    (0..size).map(|at| &rows[at][size] / &rows[at][at]).collect()
}

/// Returns the values of all positions: the greatest, over the policies of the first player, of the least over those of
/// the second.
fn naive_values(places: &[Place], infinite: i64) -> Vec<Rational> {
    fn policies(places: &[Place], player: u32) -> Vec<Vec<usize>> {
        let mut all = vec![vec![0; places.len()]];
        for (at, place) in places.iter().enumerate() {
            if let Place::Moves(owner, next) = place
                && *owner == player
            {
                let with = |k: usize| {
                    all.iter().cloned().map(move |mut policy| {
                        policy[at] = k;
                        policy
                    })
                };
                all = (0..next.len()).flat_map(with).collect();
            }
        }
        all
    }
    let least = |first: &Vec<usize>| {
        let both =
            |second: &Vec<usize>| -> Vec<usize> { first.iter().zip(second).map(|(a, b)| a + b).collect() };
        let values =
            policies(places, 1).into_iter().map(|second| values_of_chain(places, &both(&second), infinite));
        values.reduce(|a, b| a.into_iter().zip(b).map(|(a, b)| a.min(b)).collect()).expect("a policy")
    };
    let values = policies(places, 0).into_iter().map(|first| least(&first));
    values.reduce(|a, b| a.into_iter().zip(b).map(|(a, b)| a.max(b)).collect()).expect("a policy")
}

fn run(game: &crate::game::Game, method: &dyn Solver) -> Solution {
    run_limited(game, method, None)
}

/// Solves a game of which this many positions may be expanded.
fn run_limited(game: &crate::game::Game, method: &dyn Solver, positions: Option<u64>) -> Solution {
    let options = SolveOptions { all_moves: true, ..SolveOptions::default() };
    let (start, limits) = (game.machine.initial(), Limits { positions, ..Limits::default() });
    let request = SolveRequest::new(game, &start, &options, &limits, &NoProgress);
    method.solve(&request).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_are_those_of_the_best_policies(places in places(7), infinite in -3i64..=3) {
        let game = game(&places, Some(infinite));
        let values = naive_values(&places, infinite);
        let solution = run(&game, &POLICY);
        prop_assert_eq!(solution.status, Status::Solved);
        let table = solution.table.unwrap();
        for (at, value) in values.iter().enumerate() {
            if let Some(found) = table.value(&ToyGame::state(at)) {
                prop_assert_eq!(&found.payoffs[0], value, "position {}", at);
            }
        }
    }

    /// Play by the best moves gets the value, also where the value allows a player to wait for ever, and where not all
    /// positions were searched.
    #[test]
    fn best_moves_make_progress(places in places(7), infinite in -3i64..=3, seen in 1..7u64) {
        let game = game(&places, Some(infinite));
        let values = naive_values(&places, infinite);
        for (method, seen) in [(&POLICY, None), (&INTERVAL, None), (&POLICY, Some(seen)), (&INTERVAL, Some(seen))] {
            let solution = run_limited(&game, method, seen);
            let known = solution.status == Status::Solved;
            let Some(table) = solution.table else { continue };
            // Each best move serves: the first ones, and the last ones.
            for last in [false, true].into_iter().filter(|_| known) {
                let mut choice = vec![0; places.len()];
                for (at, place) in places.iter().enumerate() {
                    let state = ToyGame::state(at);
                    if let Place::Moves(0 | 1, _) = place && table.value(&state).is_some() {
                        let best = table.best_moves(&state);
                        let made = table.moves(&state);
                        let told = if last { best.last() } else { best.first() };
                        let told = &told.expect("a best move").written;
                        choice[at] = made.iter().position(|of| of.made.written == *told).unwrap();
                    }
                }
                let played = values_of_chain(&places, &choice, infinite);
                prop_assert_eq!(&played[0], &values[0], "{} {:?}", method.name, seen);
            }
        }
    }
}

/// A move that keeps a won position is no best move, whichever bounds show the value, and a line does not end by it.
#[test]
fn a_move_that_puts_off_the_end_is_not_best() {
    let ends = [Place::Over(2), Place::Over(-2)];
    for (owner, infinite) in [(0, 0), (0, -2), (1, 0), (1, 2)] {
        let start = Place::Moves(owner, vec![0, 1 + owner as usize]);
        let game = game(&[&[start], &ends[..]].concat(), Some(infinite));
        for method in [&POLICY, &INTERVAL] {
            let solution = run(&game, method);
            let best: Vec<&str> = solution.best_moves.iter().map(|made| made.written.as_str()).collect();
            assert_eq!(best, [if owner == 0 { "0-1" } else { "0-2" }]);
            assert_eq!((solution.line.len(), solution.line_complete), (1, true));
            assert!(!solution.best_moves_complete);
        }
    }
}

/// Without a rule for infinite play there is a value only if each player can end play without loss.
#[test]
fn infinite_play_without_a_rule() {
    let toss = [Place::Moves(2, vec![3, 4]), Place::Over(1), Place::Over(-1)];
    let game_of = |first: Place, second: Place| game(&[&[first, second], &toss[..]].concat(), None);
    let both_may_wait = game_of(Place::Moves(0, vec![1, 2]), Place::Moves(1, vec![0, 2]));
    let solution = run(&both_may_wait, &Auto);
    assert_eq!(solution.value.map(|value| value.payoffs[0].clone()), Some(Rational::new(-1, 3)));
    let one_may_wait = game_of(Place::Moves(0, vec![1, 2]), Place::Moves(0, vec![0, 2]));
    assert_eq!(run(&one_may_wait, &Auto).status, Status::Bounded);
}
