//! Random games: a claim for all values holds for the values that are solved, also beyond the small games that the
//! checker enumerates.

use bouton_base::limits::{Limits, NoProgress};
use bouton_base::random::SplitMix;
use bouton_driver::load::GameSource;
use bouton_driver::parametric::prove;
use bouton_search::game::Game;
use bouton_search::solve::{Auto, SolveOptions, SolveRequest, Solver, ValueKind};

fn pick<'a>(random: &mut SplitMix, among: &[&'a str]) -> &'a str {
    among[(random.word() % among.len() as u64) as usize]
}

/// A row of cells in which moves fill blocks, or knock them down, under some conditions.
fn row(random: &mut SplitMix) -> String {
    let full = random.word().is_multiple_of(2);
    let (first, untouched, change) = match full {
        true => ("Cell", "block in cells", "cells -= block"),
        false => ("{}", "block & cells = {}", "cells |= block"),
    };
    let mut moves = String::new();
    for number in 0..1 + random.word() % 2 {
        let (choice, block, last) = match random.word() % 5 {
            0 => ("p: Cell", "{ p }", "p"),
            1 => ("p: Cell", "{ p, p + 1 }", "p + 1"),
            2 => ("p: Cell", "{ p, p + 2 }", "p + 2"),
            3 => ("p: Cell, l: 1..3", "p .. p + l - 1", "p + l - 1"),
            _ => ("p: Cell, l: 2..3", "p .. p + l - 1", "p + l - 1"),
        };
        let more = pick(
            random,
            &["", "", "", "", " and p >= 2", " and p != 3", " and 2 * p <= n", " and p <= n - 1"],
        );
        moves += &format!(
            "move fill{number}({choice}) {{ let block = {block}; when {last} <= n and {untouched}{more}; {change}; }}\n"
        );
    }
    format!(
        "game \"Row\"; param n: 1..40 = 5; players A, B; type Cell = 1..n;\nstate {{ cells: set of Cell = {first}; }}\n\
         {moves}play normal;\n"
    )
}

/// One heap or two, from which moves take some numbers.
fn heaps(random: &mut SplitMix) -> String {
    let takes =
        pick(random, &["{ 1, 2 }", "{ 1, 2, 3 }", "{ 2, 3 }", "{ 1, 4 }", "{ 2, 5 }", "1..4", "2..4"]);
    let more = pick(random, &["", "", "", " and heap >= k + 1", " and heap <= 20", " and 2 * k <= heap"]);
    if !random.word().is_multiple_of(3) {
        return format!(
            "game \"Heap\"; param n: 0..60 = 5; players A, B;\nstate {{ heap: 0..n = n; }}\n\
             move take(k: {takes}) {{ when k <= heap{more}; heap -= k; }}\nplay normal;\n"
        );
    }
    let second = pick(random, &["k <= y", "k <= y", "2 * k <= y", "k + 1 <= y", "k <= y and k <= x"]);
    format!(
        "game \"Heaps\"; param n: 0..12 = 5; param m: 0..12 = 5; players A, B;\n\
         state {{ x: 0..n = n; y: 0..m = m; }}\nmove left(k: 1..12) {{ when k <= x; x -= k; }}\n\
         move right(k: 1..12) {{ when {second}; y -= k; }}\nplay normal;\n"
    )
}

#[test]
fn what_is_claimed_for_all_values_holds_for_those_that_are_solved() {
    let mut random = SplitMix::new(20261122);
    let (mut claimed, mut refused, mut compared) = (0, 0, 0);
    for number in 0..48 {
        let text = if number % 2 == 0 { row(&mut random) } else { heaps(&mut random) };
        let given = |settings: &[String]| {
            GameSource::from_string("random", &text).with_settings(settings, None).expect("settings")
        };
        let Ok(proved) = prove(&mut given(&[]), &Limits::default()) else {
            refused += 1;
            continue;
        };
        claimed += 1;
        let two = text.contains("param m");
        let largest = if number % 2 == 0 { 10 } else { 40 };
        for n in (1..=largest).filter(|n| !two || *n <= 12) {
            let mut settings = vec![format!("n={n}")];
            if two {
                settings.push(format!("m={}", (n * 7 + 3) % 12));
            }
            let rules = given(&settings).rules_with(&[]).expect("rules without errors");
            let Some(claim) = proved.winner(&rules) else { continue };
            let game = Game::on_reference(rules);
            let start = game.machine.initial();
            let solution = Auto
                .solve(&SolveRequest::new(
                    &game,
                    &start,
                    &SolveOptions::default(),
                    &Limits::default(),
                    &NoProgress,
                ))
                .expect("no fault");
            let winner = solution.value.expect("a value").kind;
            assert_eq!(winner, ValueKind::Win(claim), "{text}{settings:?}: {}", proved.accepted.claim);
            compared += 1;
        }
    }
    assert!(claimed >= 10 && refused >= 5 && compared > 150, "{claimed} {refused} {compared}");
}
