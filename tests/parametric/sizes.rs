//! Numbers past 64 bits: they are undefined in a game, and exact in a proof for all values of its parameters.

use bouton_base::limits::Limits;
use bouton_driver::row_periods;

use crate::games::{given, proved};

/// A heap of n of which a move takes one to three.
fn heap(range: &str, when: &str, effect: &str) -> String {
    format!(
        "game \"Heap\"; param n: {range} = 5; players A, B; state {{ heap: 0..n = n; }}\n\
         move take(k: 1..3) {{ when {when}; {effect} }}\nplay normal;\n"
    )
}

/// A row of n cells of which a move fills one.
fn row(declared: &str, when: &str) -> String {
    format!(
        "game \"Row\"; param n: 1..200 = 4; players A, B; {declared} type Cell = 1..n;\n\
         state {{ full: set of Cell = {{}}; }}\n\
         move put(c: Cell) {{ when c not in full; when {when}; full |= {{ c }}; }}\nplay normal;\n"
    )
}

#[test]
fn each_number_of_a_proof_fits_in_64_bits() {
    let takes = "heap -= k;";
    let multiples = |factor: &str| format!("{factor} * heap >= {factor} * k");
    for text in [
        heap("0..200", "3 * heap >= 3 * k", takes),
        heap("0..200", "46116860184273879 * heap >= 46116860184273879 * k", takes),
        heap("0..3000000000000000000", "3 * heap >= 3 * k", takes),
        heap("0..9223372036854775807", "heap >= k", takes),
        row("", "46116860184273879 * c >= 1"),
        row("const corner = 3;", "c >= 1"),
    ] {
        assert!(proved(&text, &[]).is_ok(), "{text}\n{:?}", proved(&text, &[]).err());
    }
    let large = "its numbers do not fit in 64 bits for all values of the parameters";
    for (text, why) in [
        // 33 times the factor is past 64 bits, so a heap of 33 is lost at once.
        (heap("0..200", &multiples("307445734561825860"), takes), large),
        (heap("0..3100000000000000000", &multiples("3"), takes), large),
        (
            heap("0..200", "k <= heap", "heap := 307445734561825860 * heap - 307445734561825859 * heap - k;"),
            large,
        ),
        (
            heap("0..200", "k <= heap", "heap += 307445734561825860 * heap - 307445734561825860 * heap - k;"),
            large,
        ),
        (heap("0..9223372036854775807", "heap + 1 > k", takes), large),
        (heap("0..9223372036854775807", "-heap - 2 <= -k - 2", takes), large),
        (row("", "307445734561825860 * c >= 1"), large),
        (row("", "307445734561825860 * n >= c"), large),
        // Without its constant or board there is no game of more than 30 cells.
        (row("const most: 0..30 = n;", "c >= 1"), "a constant depends on the parameters"),
        (row("const left = 100 / (150 - n);", "c >= 1"), "a constant depends on the parameters"),
        (row("board Other = grid(31 - n, 2);", "c >= 1"), "a board may have no cells"),
        (row("type Other = 1 .. 100 / (150 - n);", "c >= 1"), "beyond what is supported"),
    ] {
        match proved(&text, &[]) {
            Err(reason) => assert!(reason.contains(why), "{text}\n{reason}"),
            Ok(proved) => panic!("{text}\n{}", proved.accepted.claim),
        }
    }
}

#[test]
fn the_cells_beside_the_last_one_fit_in_64_bits() {
    let kayles = |longest: &str| {
        let text = format!(
            "game \"Kayles\"; param n: 1..{longest} = 4; players A, B; type Cell = 1..n;\n\
             state {{ up: set of Cell = Cell; }}\n\
             move single(c: Cell) {{ when c in up; up -= {{ c }}; }}\n\
             move double(c: Cell) {{ when c in up and c + 1 in up; up -= {{ c, c + 1 }}; }}\nplay normal;\n"
        );
        let found = row_periods::prove(&mut given(&text, &[]), "n", &Limits::default());
        found.map(|found| found.period.period).map_err(|why| why.to_string())
    };
    assert_eq!(kayles("9223372036854770000"), Ok(12));
    assert_eq!(kayles("9223372036854775807"), Err("a number is too large".into()));
}
