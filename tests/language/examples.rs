//! Worked examples that need a certificate and have no strategy in a sentence: enumeration of the positions solves
//! each, and the checker accepts the claim.

use bouton_base::limits::{Limits, NoProgress};
use bouton_certificates::{Claim, Lemma, Tier};
use bouton_search::game::Game;
use bouton_search::game::random::{Random, random_play};
use bouton_search::solve::{Auto, Solution, SolveOptions, SolveRequest, Solver, ValueKind};

use super::{accepts, of, proof};

fn solved(game: &Game) -> Solution {
    let limits = Limits::default();
    Auto.solve(&SolveRequest::new(
        game,
        &game.machine.initial(),
        &SolveOptions::default(),
        &limits,
        &NoProgress,
    ))
    .expect("sound rules")
}

/// Returns the winner, after the checker accepts the claim by a table or a strategy.
fn proved(name: &str, settings: &[&str]) -> u32 {
    let game = of(super::game(name), settings);
    let solution = solved(&game);
    let Some(ValueKind::Win(winner)) = solution.value.as_ref().map(|value| value.kind) else {
        panic!("{name} {settings:?}: {:?}", solution.reason)
    };
    let proof = proof(&game, &solution);
    assert_eq!(accepts(&game, &proof), Ok(()), "{name} {settings:?}");
    assert!(matches!(proof.header.claim, Claim::Wins { player, plies: Some(_) } if player == winner));
    assert!(matches!(&proof.lemmas[..], [Lemma::Reply(_)]) && proof.header.tier == Tier::Explicit);
    winner
}

/// Rows of eight cells, some of them filled: the number of single free cells before the first longer run decides.
#[test]
fn rows_of_eight_cells() {
    let cases: &[(&str, u32)] = &[
        ("........", 0),
        (".#......", 1),
        (".#.#....", 0),
        (".#.#.#..", 1),
        (".#.#.#.#", 1),
        ("#.#.#.#.", 1),
        ("..#.#.#.", 0),
        ("..#.#.##", 0),
        (".##.##.#", 0),
        ("#.##..#.", 1),
        ("#######.", 0),
        ("...##...", 0),
    ];
    for (row, winner) in cases {
        let filled: Vec<String> = (1..)
            .zip(row.chars())
            .filter(|(_, c)| *c == '#')
            .map(|(cell, _): (u32, _)| cell.to_string())
            .collect();
        let setting = format!("filled=[{}]", filled.join(","));
        assert_eq!(proved("row_of_cells", &[&setting]), *winner, "{row}");
        let free: Vec<usize> = row.split('#').map(str::len).filter(|length| *length > 0).collect();
        let single = free.iter().take_while(|length| **length == 1).count();
        let told = u32::from((single % 2 == 0) != (single < free.len()));
        assert_eq!(told, *winner, "{row}");
    }
}

/// Treblecross: among strips of up to 16 cells, those of six and twelve are lost for the first player.
#[test]
fn treblecross() {
    for n in 3..=if super::slow() { 14 } else { 11 } {
        let winner = proved("treblecross", &[&format!("n={n}")]);
        assert_eq!(winner, u32::from(n == 6 || n == 12), "{n}");
    }
}

/// A bar of n squares takes n - 1 breaks, however it is broken.
#[test]
fn chocolate_takes_as_long_whatever_is_played() {
    for (cols, rows) in [(2, 2), (3, 2), (4, 3), (5, 5), (7, 4)] {
        let game = of(super::game("chocolate"), &[&format!("cols={cols}"), &format!("rows={rows}")]);
        let mut random = Random::new(3);
        for _ in 0..5 {
            let play = random_play(&game, &game.machine.initial(), &mut random, 200);
            assert_eq!(play.expect("sound rules").plays.len(), cols * rows - 1, "{cols} by {rows}");
        }
    }
}
