//! Rows of cells for which a small automaton determines the winner: the closed form is found, reported and checked in
//! every position.

use bouton_certificates::{self as cert, Lemma, Tier};
use bouton_driver::load::GameSource;
use bouton_search::game::Game;
use bouton_search::solve::{Solution, Status, ValueKind};

use super::{accepts, of, proof};

fn by(game: &Game) -> Solution {
    super::by_strategy(game, "automaton")
}

/// The design's closed form: k runs of one cell, and then a longer one or none.
fn wins(row: &[u8]) -> bool {
    let mut runs = row.split(|&cell| cell == 1).filter(|run| !run.is_empty()).map(<[u8]>::len);
    let singles = runs.by_ref().take_while(|&run| run == 1).count();
    let longer = row.split(|&cell| cell == 1).any(|run| run.len() > 1);
    (singles % 2 == 0) == longer
}

#[test]
fn the_row_of_eight_cells() {
    let game = of(super::game("row_of_cells"), &["n=8"]);
    let solution = by(&game);
    assert_eq!(solution.value.as_ref().map(|value| value.kind), Some(ValueKind::Win(0)));
    let why = &solution.why;
    assert!(
        why.contains(
            "read the row from left to right until \"..\" appears and count each \".\" that is first or comes after \
             \"#\"",
        )
            && why.contains("the player to move loses where the count is even"),
        "{why}"
    );
    let whole = proof(&game, &solution);
    assert_eq!(whole.header.tier, Tier::Explicit);
    assert_eq!(accepts(&game, &whole), Ok(()));
    assert_eq!(cert::parse(&cert::write(&whole)).as_ref(), Ok(&whole));
    let [Lemma::Automaton(automaton)] = &whole.lemmas[..] else { panic!("an automaton") };
    assert_eq!(automaton.lost.next.len(), 6);
    // 171 of the 256 rows are won by the player who moves, and those of the closed form.
    let rows = (0..256u32).map(|row| (0..8).map(|cell| (row >> cell & 1) as u8).collect::<Vec<u8>>());
    let won: Vec<Vec<u8>> =
        rows.clone().filter(|row| automaton.lost.accepts(row.iter().copied()) == Some(false)).collect();
    assert_eq!(won.len(), 171);
    assert_eq!(won, rows.filter(|row| wins(row)).collect::<Vec<_>>());
}

/// Some cells are full at first, as the file expects it.
#[test]
fn rows_with_full_cells() {
    for (filled, winner) in [("[2]", 1), ("[2, 4]", 0), ("[3, 5, 7]", 0), ("[2, 4, 6]", 1)] {
        let game = of(super::game("row_of_cells"), &["n=8", &format!("filled={filled}")]);
        let solution = by(&game);
        if solution.status != Status::Solved {
            // So few rows remain that an automaton would not be shorter than a list of them.
            let why = solution.reason.unwrap_or_default();
            assert!(why.contains("was found"), "{filled}: {why}");
            continue;
        }
        assert_eq!(solution.value.as_ref().map(|value| value.kind), Some(ValueKind::Win(winner)), "{filled}");
        assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()));
    }
}

#[test]
fn what_is_not_told_so_is_refused_with_its_reason() {
    let drawn = "game \"D\"; players A, B; type Cell = 1..4; state { full: set of Cell = {}; }\n\
                 move put(c: Cell) { when c not in full; full |= { c }; }\nend { when #full = 4 => draw; }\n";
    // The first cell is for one of the players alone.
    let turns = "game \"T\"; players A, B; type Cell = 1..4; state { full: set of Cell = {}; }\n\
                 move put(c: Cell) { when c not in full and (me = A or c >= 2); full |= { c }; }\n\
                 move two(c: 2..3) { let both = { c, c + 1 }; when both & full = {}; full |= both; }\nplay normal;\n";
    for (text, settings, reason) in [
        (super::game("kayles"), &["n=9"][..], "no automaton of at most 12 states was found"),
        (super::game("hatch"), &["n=9", "k=2"], "no automaton of at most 12 states was found"),
        (super::game("nim"), &[], "not a row of cells of a few kinds"),
        (super::game("tictactoe"), &[], "not a row of cells"),
        (super::game("kayles"), &["n=40"], "more than 20 cells"),
        (GameSource::from_string("drawn.bou", drawn), &[], "may be drawn"),
        (GameSource::from_string("turns.bou", turns), &[], "depends on the player to move"),
    ] {
        let solution = by(&of(text, settings));
        let why = solution.reason.unwrap_or_default();
        assert!(why.contains(reason), "{settings:?}: {why}");
    }
}

/// In misère play and in normal play with one cell a time, the parity decides.
#[test]
fn what_is_left_is_counted() {
    for (play, winner, lost) in [("normal", 0, "odd"), ("misere", 1, "even")] {
        let text = format!(
            "game \"One\"; players A, B; type Cell = 1..7; state {{ full: set of Cell = {{}}; }}\n\
             move put(c: Cell) as \"{{c}}\" {{ when c not in full; full |= {{ c }}; }}\nplay {play};\n"
        );
        let game = of(GameSource::from_string("one.bou", &text), &[]);
        let solution = by(&game);
        assert_eq!(solution.value.as_ref().map(|value| value.kind), Some(ValueKind::Win(winner)));
        let told = format!("the player to move loses where the count is {lost}");
        assert!(
            solution.why.contains("count each \"#\"") && solution.why.contains(&told),
            "{}",
            solution.method
        );
        assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()));
    }
}

#[test]
fn changed_automata_are_refused() {
    let game = of(super::game("row_of_cells"), &["n=8"]);
    let whole = proof(&game, &by(&game));
    let refuse = |change: &dyn Fn(&mut cert::AutomatonLemma)| {
        let mut other = whole.clone();
        let [Lemma::Automaton(of)] = &mut other.lemmas[..] else { panic!("an automaton") };
        change(of);
        accepts(&game, &other).expect_err("it is another one")
    };
    for state in 0..6 {
        refuse(&|of| of.lost.accepting[state] = !of.lost.accepting[state]);
        for letter in 0..2 {
            for by in 1..6 {
                refuse(&|of| of.lost.next[state][letter] = (of.lost.next[state][letter] + by) % 6);
            }
        }
    }
    let why = refuse(&|of| of.bound.holder = Some(1));
    assert!(why.contains("other player") || why.contains("claim") || why.contains("ended"), "{why}");
    refuse(&|of| of.lost.next[0][0] = 9);
    refuse(&|of| of.lost = Default::default());
}
