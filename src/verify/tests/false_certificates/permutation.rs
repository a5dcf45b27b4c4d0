//! The kind PERMUTATION, and PARITY for a single player: puzzles that cannot be solved.

use std::sync::Arc;

use bouton_certificates::parity::Modulus;
use bouton_certificates::{Lemma, ParityLemma, PayoffBound, PermutationLemma};
use bouton_rules::Rules;

use super::{Mismatches, rules};

/// The puzzle of three tiles on two by two cells, in an order that no play brings about.
const TILES: &str = "game \"Tiles\"; player P; board Cell = grid(2, 2);\n\
    state { tile[c: Cell]: 0..3 = match c.reading { 1 => 2, 2 => 1, 3 => 3, _ => 0 }; }\n\
    def hole = one c in Cell: tile[c] = 0;\n\
    move slide(from: Cell) { when from in hole.neighbors; tile[hole] <- tile[from]; }\n\
    end { when all c in Cell: tile[c] = c.reading mod 4 => win; }\n";

/// Two lamps that are switched together, of which only one is lit.
const LAMPS: &str = "game \"Lamps\"; player P; type Lamp = 1..2;\n\
    state { lit[x: Lamp]: bool = x = 1; }\n\
    move switch() { for x in Lamp { lit[x] := not lit[x]; } }\n\
    end { when all x in Lamp: lit[x] => win; }\n";

fn lost() -> PayoffBound {
    PayoffBound { holder: None, payoff: (-1).into() }
}

/// Returns the sound lemma about [`TILES`]: its cells, after the player to move and the phase, with the colours of a
/// chessboard.
fn sound() -> PermutationLemma {
    PermutationLemma { bound: lost(), hole: 0, cells: vec![(2, 0), (3, 1), (4, 1), (5, 0)] }
}

fn refuse(rules: &Arc<Rules>, expected: &str, change: impl Fn(&mut PermutationLemma)) {
    let mut lemma = sound();
    change(&mut lemma);
    Mismatches::default().lemma(expected, rules, [Lemma::Permutation(lemma)]);
}

#[test]
fn arrangements_that_can_be_reached() {
    let tiles = rules(TILES);
    refuse(&tiles, "accepted: it cannot be solved", |_| {});
    let win = "a win with the same parity is not excluded";
    let solvable = rules(&TILES.replace("1 => 2, 2 => 1", "1 => 1, 2 => 2"));
    refuse(&solvable, win, |_| {});
    let open = rules(&TILES.replace("all c in Cell: tile[c] = c.reading mod 4", "tile[a1] = 0"));
    refuse(&open, win, |_| {});
}

#[test]
fn cells_that_are_no_arrangement() {
    let tiles = rules(TILES);
    refuse(&tiles, "a cell is of a fluent that does not exist", |of| of.cells[3].0 = 99);
    refuse(&tiles, "a colour is neither 0 nor 1", |of| of.cells[3].1 = 2);
    refuse(&tiles, "no cell holds the hole", |of| of.hole = 7);
    let twice = rules(&TILES.replace("1 => 2, 2 => 1", "1 => 3, 2 => 1"));
    refuse(&twice, "two cells hold the same thing", |_| {});
    refuse(&tiles, "a move exchanges the hole with a cell of the same colour", |of| of.cells[3].1 = 1);
}

#[test]
fn moves_that_do_more_than_exchange() {
    let more = "a move does more than to exchange the hole with another cell";
    refuse(&rules(TILES), more, |of| of.hole = 1);
    let turns =
        "move turn() { for c in Cell { tile[c] := tile[one d in Cell: d.reading = 5 - c.reading]; } }\nend";
    refuse(&rules(&TILES.replace("end", turns)), more, |_| {});
    let filled = rules(&TILES.replace("tile[hole] <- tile[from];", "tile[hole] := 1;"));
    refuse(&filled, "a move fills the hole and leaves no other", |_| {});
    let fault =
        rules(&TILES.replace("tile[hole] <- tile[from];", "tile[hole] <- tile[from]; tile[a1] += 1;"));
    refuse(&fault, "the rules alone do not show that they have a meaning in every position", |_| {});
}

#[test]
fn bounds_of_any_play() {
    let tiles = rules(TILES);
    refuse(&tiles, "it bounds the payoff of any play", |of| of.bound.holder = Some(0));
    let endless = rules(&TILES.replace("=> win;", "=> win; repeat => win;"));
    refuse(&endless, "a rule gives the value of endless play", |_| {});
    let lamps = |weights: Vec<(u32, Vec<u8>)>, expected: &str, rules: &Arc<Rules>| {
        let lemma = Lemma::Parity(ParityLemma { bound: lost(), modulus: Modulus(2), weights });
        Mismatches::default().lemma(expected, rules, [lemma]);
    };
    let both = vec![(2, vec![1]), (3, vec![1])];
    lamps(both.clone(), "accepted: it cannot be solved", &rules(LAMPS));
    let end = "the sum does not rule out an end that gives the holder less";
    lamps(both.clone(), end, &rules(&LAMPS.replace("x = 1", "false")));
    lamps(
        both.clone(),
        "a rule gives the value of endless play",
        &rules(&LAMPS.replace("=> win;", "=> win; repeat => win;")),
    );
    lamps(vec![(2, vec![1])], "`{name}` changes the sum", &rules(LAMPS));
}

/// Three heaps of one, two and three coins; a move takes one coin of two heaps and adds two to the third.
const HEAPS: &str = "game \"Heaps\"; player P; type Heap = 1..3;\n\
    state { coins[x: Heap]: 0..6 = x; }\n\
    move shift(to: Heap) { when coins[to] <= 4 and all x in Heap where x != to: coins[x] > 0;\n\
    for x in Heap { coins[x] += if x = to then 2 else -1; } }\n\
    end { when coins[1] = 0 and coins[2] = 0 and coins[3] = 6 => win; }\n";

/// Returns the weights of the heaps, each coin as often as these factors.
fn coins(factors: [usize; 3]) -> Vec<(u32, Vec<u8>)> {
    let of = |factor: usize| (1..=6).flat_map(|coins| vec![coins; factor * usize::from(coins)]).collect();
    (2..).zip(factors.map(of)).filter(|(_, values): &(u32, Vec<u8>)| !values.is_empty()).collect()
}

#[test]
fn sums_modulo_other_numbers() {
    let heaps = rules(HEAPS);
    let modulo = |number: u32, factors: [usize; 3], expected: &str, rules: &Arc<Rules>| {
        let lemma = ParityLemma { bound: lost(), modulus: Modulus(number), weights: coins(factors) };
        Mismatches::default().lemma(expected, rules, [Lemma::Parity(lemma)]);
    };
    // The first heap less the second modulo 3: -1 at first, 0 at the end.
    modulo(3, [1, 2, 0], "accepted: it cannot be solved", &heaps);
    modulo(0, [1, 2, 0], "a sum is taken modulo 0", &heaps);
    let changes = "`{name}` changes the sum";
    modulo(2, [1, 2, 0], changes, &heaps);
    modulo(3, [1, 1, 0], changes, &heaps);
    modulo(6, [1, 2, 0], changes, &heaps);
    modulo(9, [1, 2, 0], changes, &heaps);
    let end = "the sum does not rule out an end that gives the holder less";
    // Two coins in each heap: two moves solve it.
    let solvable = rules(&HEAPS.replace("= x;", "= 2;"));
    for (number, factors) in [(1, [1, 2, 0]), (3, [0, 0, 0]), (3, [1, 1, 1]), (3, [1, 2, 0])] {
        modulo(number, factors, end, &solvable);
    }
}
