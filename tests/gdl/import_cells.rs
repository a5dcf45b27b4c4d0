//! Imported texts where cells, roles and choices may be missing: conditions hold only where the sheet has the fluent.

use bouton_base::limits::{Limits, NoProgress};
use bouton_driver::check::{CheckOptions, check};
use bouton_driver::gdl_import::import;
use bouton_driver::load::GameSource;

use crate::own::solution;

/// The findings of a check of a sheet or a text, with their titles.
fn findings(name: &str, text: &str) -> Vec<String> {
    let limits = Limits::default();
    let options = CheckOptions { explore: 1000, limits: &limits, progress: &NoProgress };
    let found = check(&mut GameSource::from_string(name, text), &options).diagnostics;
    found.into_iter().map(|of| format!("{}: {}", of.code, of.title)).collect()
}

fn imported(sheet: &str) -> String {
    import(&mut GameSource::from_string("sheet.kif", sheet), &Limits::default()).expect("a text")
}

/// Asserts that the text of a sheet has these words, and the value of the sheet.
fn assert_words(sheet: &str, words: &[&str]) {
    let text = imported(sheet);
    for word in words {
        assert!(text.contains(word), "no `{word}` in\n{text}");
    }
    let (wanted, found) = (solution("sheet.kif", sheet), solution("text.bou", &text));
    assert_eq!(wanted.value, found.value, "{text}");
}

/// Two lamps, and days that go on beyond their number; one condition is to be about lamps.
const LAMPS: &str = "(role r) (init (day 1)) (init (lamp 1 dark)) (init (lamp 2 dark))
    (after 1 2) (after 2 3) (after 3 4)
    (<= (legal r (light ?x)) (true (lamp ?x dark))) (legal r sleep)
    (<= (next (lamp ?x lit)) (does r (light ?x)))
    (<= (next (lamp ?x ?v)) (true (lamp ?x ?v)) (not (does r (light ?x))))
    (<= (next (day ?n)) (true (day ?m)) (after ?m ?n))
    (<= terminal (true (day 3))) (<= (goal r 100) warm) (<= (goal r 30) (not warm))";

#[test]
fn cells_beyond_the_keys_of_a_field_have_no_value() {
    let rules = [
        (
            "(<= warm (after ?a ?x) (true (lamp ?x ?v)) (distinct ?v dark))",
            "a + 1 <= 2 and lamp[a + 1] != dark",
        ),
        (
            "(<= warm (after ?a ?x) (true (lamp ?a ?v)) (true (lamp ?x ?w)) (distinct ?v ?w))",
            "a + 1 <= 2 and",
        ),
        (
            "(<= (on ?x) (true (lamp ?x ?v)) (distinct ?v dark)) (<= warm (true (day ?d)) (on ?d))",
            "x <= 2 and",
        ),
        (
            "(<= warm (after ?x ?y) (true (lamp ?x ?v)) (not (same ?x ?v)))
             (<= (same ?x ?v) (true (lamp ?x ?v)) (true (lamp 1 ?v)))",
            "some x in 1..2: not same(x, lamp[x])",
        ),
        (
            "(<= warm (true (lamp ?x lit)) (after ?x ?y) (true (lamp ?y ?v)) (or (distinct ?v lit) (true (day 4))))",
            "x + 1 <= 2 and",
        ),
    ];
    for (rule, words) in rules {
        assert_words(&format!("{LAMPS} {rule}"), &[words]);
    }
}

#[test]
fn a_condition_that_plays_hardly_reach_is_bounded_as_well() {
    // Queens in two rows: the third number is no row.
    let sheet =
        "(role r) (init (row 1)) (place 1) (place 2) (good 1 1) (good 2 2) (next_to 0 1) (next_to 1 2)
        (next_to 2 3) (<= (legal r (put ?y)) (place ?y))
        (<= (next (queen ?x ?y)) (true (row ?x)) (place ?x) (does r (put ?y)))
        (<= (next (queen ?x ?y)) (true (queen ?x ?y)))
        (<= (next (row ?y)) (true (row ?x)) (next_to ?x ?y))
        (<= bad (true (queen ?x ?y)) (not (good ?x ?y)))
        (<= terminal (true (row 3))) (<= (goal r 100) (not bad)) (<= (goal r 0) bad)";
    assert_words(sheet, &["some x in 1..2: queen[x] != none and not ("]);
}

#[test]
fn holes_of_a_board_are_no_empty_cells() {
    let sheet = |empty: &str| {
        format!(
            "(role white) (role black) (init (control white)) (init (wall a 1 {empty})) (init (wall b 2 {empty}))
             (init (day 1)) (after 1 2) (after 2 3) (after 3 4)
             (<= (legal ?p (build ?x ?y)) (true (control ?p)) (true (wall ?x ?y {empty})))
             (<= (legal ?p wait) (true (control ?p)))
             (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
             (<= (next (wall ?x ?y ?p)) (does ?p (build ?x ?y)))
             (<= (built ?x ?y) (does ?p (build ?x ?y)))
             (<= (next (wall ?x ?y ?v)) (true (wall ?x ?y ?v)) (not (built ?x ?y)))
             (<= (next (control white)) (true (control black))) (<= (next (control black)) (true (control white)))
             (<= (next (day ?n)) (true (day ?m)) (after ?m ?n)) (<= terminal (true (day 4)))
             (<= (mine ?p) (role ?p) (true (wall ?x ?y ?p)))
             (<= (goal ?p 100) (mine ?p)) (<= (goal ?p 0) (role ?p) (not (mine ?p)))"
        )
    };
    for empty in ["none", "b"] {
        let words = ["wall[x, y] = none and is_wall(x, y)", "mine(p2: Player)", "Player? = none;"];
        assert_words(&sheet(empty), &words);
    }
}

#[test]
fn choices_that_clash_are_read_only_where_both_are_made() {
    let sheet = |rule: &str| {
        format!(
            "(role red) (role blue) (init (day 1)) (n 1) (n 2) (opp red blue) (opp blue red)
             (<= (legal ?p (mark ?x)) (role ?p) (n ?x) (not (full ?x))) (<= (full ?x) (true (cell ?x ?p)))
             {rule} (<= (next (cell ?x ?p)) (true (cell ?x ?p)))
             (<= (clash ?x) (does red (mark ?x)) (does blue (mark ?x)))
             (<= (next (day 2)) (true (day 1))) (<= terminal (true (day 2)))
             (<= (goal ?p 100) (role ?p) (true (cell 1 ?p)))
             (<= (goal ?p 0) (role ?p) (not (true (cell 1 ?p))))"
        )
    };
    for rule in [
        "(<= (next (cell ?x ?p)) (does ?p (mark ?x)) (not (clash ?x)))",
        "(<= (next (cell ?x ?p)) (does ?p (mark ?x)) (opp ?p ?q) (not (does ?q (mark ?x))))",
    ] {
        let text = imported(&sheet(rule));
        assert!(text.contains("if chosen[p2] != none and not "), "{text}");
    }
}

#[test]
fn texts_have_no_words_that_check_warns_of() {
    // The last day is the end, roles are numbers, and one goal is the last one under another condition.
    let sheet = "(role 0) (role 1) (init (control 0)) (init (day 1)) (init (heap 3)) (after 1 2) (after 2 3)
        (after 3 4) (after 4 5) (less 3 2) (less 2 1) (less 1 0)
        (<= (legal ?p take) (true (control ?p)) (true (heap ?n)) (less ?n ?m))
        (<= (legal ?p keep) (true (control ?p)))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= (next (heap ?m)) (does ?p take) (true (heap ?n)) (less ?n ?m))
        (<= (next (heap ?n)) (does ?p keep) (true (heap ?n)))
        (<= (next (control 0)) (true (control 1))) (<= (next (control 1)) (true (control 0)))
        (<= (next (day ?n)) (true (day ?m)) (after ?m ?n)) (<= terminal (true (day 5)))
        (<= (goal ?p 70) (role ?p) (true (heap 0))) (<= (goal ?p 40) (role ?p) (true (heap 1)))
        (<= (goal ?p 40) (role ?p) (not (true (heap 0))) (not (true (heap 1))))";
    assert_words(sheet, &["players P0, P1;", "  day := day + 1;", "then 70 else 40;"]);
    // The goals have other sums than 100, in the sheet as well.
    let found = findings("text.bou", &imported(sheet));
    assert!(found.iter().all(|of| of.starts_with("W0340")), "{found:?}");
}

#[test]
fn a_move_that_is_never_legal_has_no_name_that_the_sheet_does_not_have() {
    let sheet = "(role red) (role blue) (init (control red)) (init (day 1)) (after 1 2) (after 2 3) (after 3 4) (n 1) (n 2)
        (<= (legal ?p (go ?x)) (true (control ?p)) (n ?x)) (<= (legal blue stuck) (true (control blue)) (true (day 3)))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p)))) (<= (next (won)) (does blue stuck))
        (<= (next (control red)) (true (control blue))) (<= (next (control blue)) (true (control red)))
        (<= (next (day ?n)) (true (day ?m)) (after ?m ?n)) (<= terminal (true (day 4)))
        (<= (goal blue 100) (true (won))) (<= (goal blue 0) (not (true (won))))
        (<= (goal red 0) (true (won))) (<= (goal red 100) (not (true (won))))";
    let sheet = sheet.replace("(won)", "won");
    assert_eq!(findings("sheet.kif", &sheet), ["W0531: this rule never makes a move legal"]);
}

#[test]
fn goals_that_no_end_has_do_not_hide_a_win() {
    let sheet = "(role red) (role blue) (init (control red)) (init (heap 3)) (less 3 2) (less 2 1) (less 1 0)
        (<= (legal ?p take) (true (control ?p))) (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= (next (heap ?m)) (true (heap ?n)) (less ?n ?m))
        (<= (next (control red)) (true (control blue))) (<= (next (control blue)) (true (control red)))
        (<= open (not (true (heap 0)))) (<= terminal (not open))
        (<= (goal ?p 100) (role ?p) (not open) (not (true (control ?p)))) (<= (goal ?p 0) (true (control ?p)))
        (<= (goal ?p 0) (role ?p) open)";
    assert_words(sheet, &["for p in Player when", "p wins;"]);
}
