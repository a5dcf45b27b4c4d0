//! Sheets as texts: values are those of the sheets, and sheets without a text are refused with the reason.

use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_base::rational::Rational;
use bouton_driver::check::{CheckOptions, check};
use bouton_driver::gdl_import::{NotImported, import};
use bouton_driver::load::GameSource;

use crate::own::{DOORS, HEAPS, NESTED, ORDERS, PUSH, SIGNS, SILENT, TIDES, WELLS, solution};

fn imported(text: &str) -> Result<String, NotImported> {
    import(&mut GameSource::from_string("sheet.kif", text), &Limits::default())
}

#[test]
fn texts_are_those_that_a_person_would_write() {
    let heaps = imported(HEAPS).expect("a text");
    for line in
        ["players Left, Right;", "move take(h: Heap, to: 0..1) {", "  when to < heap[h];", "  heap[h] := to;"]
    {
        assert!(heaps.lines().any(|other| other == line), "{line}\n{heaps}");
    }
    // Frame axioms and the turn have no line.
    assert!(!heaps.contains("control") && !heaps.contains("noop") && !heaps.contains("{ heap["), "{heaps}");
    let doors = imported(DOORS).expect("a text");
    assert!(doors.contains("inductive way("), "{doors}");
}

#[test]
fn moves_at_once_store_their_choices_where_they_meet() {
    let signs = imported(SIGNS).expect("a text");
    for line in
        ["phases { turn by each; }", "  transient shown[k1: Player]: Beats? = none;", "  shown[me] := x;"]
    {
        assert!(signs.lines().any(|other| other == line), "{line}\n{signs}");
    }
    assert!(!signs.contains("chosen"), "one sign has no part in the other\n{signs}");
    let wells = imported(WELLS).expect("a text");
    for line in [
        "  chosen_draw2[me] := Draw2(w, hand2);",
        "  if round + 1 <= 5 { round := round + 1; }",
        "    for p in Player { chosen_draw2[p] := none; }",
    ] {
        assert!(wells.lines().any(|other| other == line), "{line}\n{wells}");
    }
    // Who rests changes nothing: nobody asks for that choice.
    assert!(!wells.contains("chosen_rest") && !wells.contains("chosen_idle"), "{wells}");
}

#[test]
fn terms_in_terms_become_their_parts() {
    let nested = imported(NESTED).expect("a text");
    let state = "  stands[k1: Player, k2: Stands, k3: 1..4]: 1..4?";
    assert!(nested.lines().any(|line| line.starts_with(state)), "{nested}");
    let orders = imported(ORDERS).expect("a text");
    for line in ["move go(o: 1..2) {", "move say(o: Order_say) {", "move stop() {", "  again;"] {
        assert!(orders.lines().any(|other| other == line), "{line}\n{orders}");
    }
}

#[test]
fn moves_say_whose_turn_it_is_where_turns_do_not_rotate() {
    // North begins, and two roles never choose.
    let silent = imported(SILENT).expect("a text");
    assert!(
        silent.contains("players North, Crowd, South, Judge;") && silent.contains("next South;"),
        "{silent}"
    );
    // The left player goes on after a move that empties a heap.
    let again = HEAPS
        .replace("(<= (next (control right)) (true (control left)))", "")
        .replace(
            "(<= (next (control left)) (true (control right)))",
            "(<= (next (control left)) (true (control right)))\n(<= (next (control left)) (does left (take ?h 0)))\n\
             (<= (next (control right)) (does left (take ?h ?n)) (distinct ?n 0))",
        );
    let text = imported(&again).expect("a text");
    assert!(text.contains("if me = Left and to = 0 { next Left; }") && !text.contains("phases"), "{text}");
}

#[test]
fn waiting_moves_have_the_effects_of_their_rules() {
    // The walker who waits stays: the rule for the moves of both keeps his place.
    let text = "(role a) (role b) (init (turn a)) (init (at a 1)) (init (at b 3)) (init (clock 1))
(after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6)
(before 2 1) (before 3 2) (before 4 3) (before 5 4) (before 6 5)
(<= (way on ?x ?y) (after ?x ?y)) (<= (way back ?x ?y) (before ?x ?y)) (<= (way here ?x ?x) (place ?x))
(place 1) (place 2) (place 3) (place 4) (place 5) (place 6)
(<= (legal ?p (go ?w)) (true (turn ?p)) (true (at ?p ?x)) (way ?w ?x ?y) (distinct ?w here))
(<= (legal ?p (go here)) (role ?p) (not (true (turn ?p))))
(<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
(<= (next (at ?p ?y)) (does ?p (go ?w)) (true (at ?p ?x)) (way ?w ?x ?y))
(<= (next (clock ?n)) (true (clock ?m)) (after ?m ?n))
(<= met (true (at a ?x)) (true (at b ?x)))
(<= terminal met) (<= terminal (true (clock 6)))
(<= (goal a 100) met) (<= (goal a 0) (not met)) (<= (goal b 0) met) (<= (goal b 100) (not met))";
    let made = imported(text).expect("a text");
    assert!(made.contains("at[me] := "), "{made}");
    assert!(made.contains(" - 1") && !made.contains("before"), "{made}");
}

#[test]
fn negated_moves_of_something_that_conditions_give_are_not_those_of_nobody() {
    // A lamp goes on while some key is not pressed, which is always so: there are two.
    let text = "(role r) (init (lit a)) (init (clock 1)) (key a) (key b) (after 1 2) (after 2 3) (after 3 4)
(<= (legal r (press ?k ?l)) (key ?k) (key ?l))
(<= (next (lit ?l)) (true (lit ?l)) (not (does r (press ?k ?l))) (key ?k))
(<= (next (lit ?l)) (does r (press a ?l)))
(<= (next (clock ?n)) (true (clock ?m)) (after ?m ?n))
(<= terminal (true (clock 4)))
(<= (goal r 100) (true (lit b))) (<= (goal r 0) (not (true (lit b))))";
    imported(text).expect("a text");
}

#[test]
fn equal_numbers_and_relations_without_facts_have_a_form() {
    let text = "(role r) (init (score 0)) (init (clock 1)) (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
(<= (same ?x ?x) (after ?x ?y)) (<= (odd left) (odd right)) (<= (odd right) (odd left))
(<= (legal r (take ?n)) (after ?n ?m) (same ?n ?n) (not (odd left)))
(<= (next (score ?n)) (does r (take ?m)) (true (score ?k)) (same ?k ?m) (after ?k ?n))
(<= (next (score ?n)) (does r (take ?m)) (true (score ?n)) (distinct ?n ?m))
(<= (next (clock ?n)) (true (clock ?m)) (after ?m ?n))
(<= terminal (true (clock 5)))
(<= (goal r ?g) (true (score ?s)) (same ?g ?s))";
    let made = imported(text).expect("a text");
    // No proof shows that play ends before the score is 5, for which the sheet has no goal.
    let goal = "payoff p: if score in 0..4 then score else 0";
    assert!(!made.contains("odd") && !made.contains("same") && made.contains(goal), "{made}");
}

/// Lamps that a robot switches; `pressed` gives the lamp its values.
const LAMPS: &str = "(role robot) (init (lit a)) (lamp a) (lamp b) (lamp c)
(<= (legal robot (press ?x)) (lamp ?x))
(<= (pressed ?x) (does robot (press ?x)))
(<= (pressed b) (does robot (press c)))
(<= (next (lit ?x)) (pressed ?x) (not (true (lit ?x))))
(<= (next (lit ?x)) (true (lit ?x)) (not (pressed ?x)))
(<= terminal (true (lit b)) (not (true (lit a))))
(<= (goal robot 100) (true (lit b)) (not (true (lit a))))
(<= (goal robot 0) (not (true (lit b))))
(<= (goal robot 0) (true (lit a)))";

#[test]
fn relations_that_depend_on_moves_are_unfolded() {
    let text = imported(LAMPS).expect("a text");
    assert!(text.contains("move press(") && !text.contains("pressed"), "{text}");
    // So are facts that give the values of goals.
    let counted = LAMPS
        .replace("(<= (goal robot 0) (true (lit a)))", "(worth lit 40) (worth dark 70)")
        .replace("(<= (goal robot 0) (not (true (lit b))))", "(<= (goal robot ?g) (state ?s) (worth ?s ?g))")
        .replace(
            "(<= (goal robot 100) (true (lit b)) (not (true (lit a))))",
            "(<= (state lit) (true (lit c)))",
        )
        + "(<= (state dark) (not (true (lit c))))";
    let text = imported(&counted).expect("a text");
    assert!(text.contains("40") && text.contains("70"), "{text}");
}

#[test]
fn captures_along_lines_read_the_stored_move() {
    let tides = imported(TIDES).expect("a text");
    for line in [
        "  chosen_surge := Surge(x, y);",
        "    for x in 1..5, y in 1..4 { if chosen_surge != none and turns(x, y) { wave[x, y] := mover; } }",
        "    chosen_surge := none;",
    ] {
        assert!(tides.lines().any(|other| other == line), "{line}\n{tides}");
    }
    assert!(tides.contains("inductive swept("), "{tides}");
    // What is swept changes sides: nothing is removed.
    assert!(!tides.contains("wave[k1, k2] := none"), "{tides}");
}

/// A row of lamps, whose number decides; it is found lamp by lamp.
const ROW: &str = "(role robot) (init (lit 2)) (init (left 3)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal robot (press ?x)) (left ?n) (lamp ?x)) (left 3) (lamp 1) (lamp 2) (lamp 3)
(<= (next (lit ?x)) (does robot (press ?x)))
(<= (next (lit ?x)) (true (lit ?x)))
(<= (next (left ?m)) (true (left ?n)) (succ ?m ?n))
(<= (bright 1 1) (true (lit 1)))
(<= (bright 1 0) (not (true (lit 1))))
(<= (bright ?y ?m) (succ ?x ?y) (bright ?x ?n) (true (lit ?y)) (succ ?n ?m))
(<= (bright ?y ?n) (succ ?x ?y) (bright ?x ?n) (not (true (lit ?y))))
(<= terminal (true (left 0)))
(<= (goal robot 100) (bright 3 3))
(<= (goal robot 30) (bright 3 ?n) (distinct ?n 3))";

#[test]
fn relations_that_count_become_counts() {
    let row = imported(ROW).expect("a text");
    assert!(row.contains("(count k1 in 1..3: lit[k1])") && !row.contains("bright"), "{row}");
}

#[test]
fn fluents_that_never_change_hold_where_the_sheet_says_so() {
    // The lamp that is a goal is a fluent, as in puzzles with targets.
    let aimed = LAMPS
        .replace("(lamp a)", "(init (target b)) (<= (next (target ?x)) (true (target ?x))) (lamp a)")
        .replace(
            "(<= terminal (true (lit b)) (not (true (lit a))))",
            "(<= missed (true (lit ?x)) (not (true (target ?x)))) (<= terminal (true (lit ?x)) (not missed))",
        );
    let text = imported(&aimed).expect("a text");
    assert!(text.contains("not (x in { b })"), "{text}");
}

#[test]
fn texts_have_the_values_of_their_sheets() {
    for text in [HEAPS, DOORS, LAMPS, SIGNS, WELLS, ORDERS, ROW] {
        let written = imported(text).expect("a text");
        let wanted = solution("sheet.kif", text);
        let found = solution("text.bou", &written);
        assert_eq!(found.value.map(|value| value.kind), wanted.value.map(|value| value.kind));
        assert_eq!(found.remoteness, wanted.remoteness);
        assert_eq!(found.positions, wanted.positions);
    }
}

#[test]
fn missing_goals_are_written_as_nothing() {
    // Without this rule who loses has no goal.
    let unfinished = HEAPS.replace("(<= (goal ?p 0) (true (control ?p)))", "");
    for text in [&unfinished, &HEAPS.replace("(<= (goal ?p 0)", "(<= (goal ?p 10)")] {
        let written = imported(text).expect("a text");
        let (wanted, found) = (solution("sheet.kif", text), solution("text.bou", &written));
        assert_eq!(found.value, wanted.value, "{written}");
    }
    let several = HEAPS.replace("(<= (goal ?p 0)", "(<= (goal ?p 30) (role ?p)) (<= (goal ?p 10)");
    let written = imported(&several).expect("a text");
    let (wanted, found) = (solution("sheet.kif", &several), solution("text.bou", &written));
    assert_eq!(found.value.map(|value| value.payoffs), wanted.value.map(|value| value.payoffs), "{written}");
}

#[test]
fn imported_texts_have_no_warnings_of_names() {
    let players = imported(HEAPS).expect("a text");
    assert!(players.contains("players Left, Right;"), "{players}");
    // Each place is an index: the condition says nothing beyond the type.
    let unused = HEAPS.replace(
        "(<= some (true",
        "(<= (odd ?h ?n) (at ?h) (true (heap ?h ?n)) (distinct ?n 0))
        (<= (anywhere ?h ?n) (at ?h) (odd a ?n)) (at a) (at b) (<= some (anywhere b ?k) (true",
    );
    let written = imported(&unused).expect("a text");
    assert!(written.contains("anywhere(_h"), "{written}");
    // A sole role with the name of a type, a parameter that decides nothing, and an end without an alternative.
    let idle = "(role player) (init (n 1)) (after 1 2) (after 2 3) (way left) (way right) (legal player stay)
        (<= (legal player (go ?w)) (way ?w)) (<= (next (n ?y)) (true (n ?x)) (after ?x ?y))
        (<= (next (went ?w)) (does player (go ?w))) (<= (next (went ?w)) (true (went ?w)))
        (<= terminal (true (n 3)))";
    let on_the_end = "(<= (goal player 100) (true (n 3))) (<= (goal player 0) (not (true (n 3))))";
    for goals in ["(goal player 100)", on_the_end] {
        let written = imported(&format!("{idle} {goals}")).expect("a text");
        let mut text = GameSource::from_string("idle.bou", &written);
        let limits = Limits::default();
        let options = CheckOptions { explore: 1000, limits: &limits, progress: &NoProgress };
        let found = check(&mut text, &options).diagnostics;
        assert!(found.is_empty(), "{found:?}\n{written}");
        // What was gone along is never read.
        assert!(!written.contains("went") && !written.contains("lose"), "{written}");
    }
}

/// A board in the shape of an L, on which a stone jumps over others.
const BOARD: &str = "(role robot) (init (at a 1 full)) (init (at a 2 full)) (init (at a 3 empty)) (init (at b 3 full))
(init (at c 3 full)) (init (at c 1 empty)) (next-row a b) (next-row b c) (next-col 1 2) (next-col 2 3)
(<= (legal robot (jump ?r ?x ?r ?z)) (true (at ?r ?x full)) (true (at ?r ?y full)) (true (at ?r ?z empty))
  (next-col ?x ?y) (next-col ?y ?z))
(<= (legal robot (jump ?p ?x ?r ?x)) (true (at ?p ?x full)) (true (at ?q ?x full)) (true (at ?r ?x empty))
  (next-row ?q ?p) (next-row ?r ?q))
(<= (legal robot (fill ?r ?x)) (true (at ?r ?x empty)))
(<= (next (at ?r ?x full)) (does robot (fill ?r ?x)))
(<= (next (at ?r ?x full)) (does robot (jump ?p ?y ?r ?x)))
(<= (next (at ?p ?x empty)) (does robot (jump ?p ?x ?r ?y)))
(<= (next (at ?p ?x ?v)) (true (at ?p ?x ?v)) (not (changed ?p ?x)))
(<= (changed ?r ?x) (does robot (fill ?r ?x)))
(<= (changed ?r ?x) (does robot (jump ?p ?y ?r ?x)))
(<= (changed ?p ?x) (does robot (jump ?p ?x ?r ?y)))
(<= open (true (at ?r ?x empty))) (<= terminal (not open)) (<= (goal robot 100) (not open)) (<= (goal robot 0) open)";

#[test]
fn boards_with_gaps_have_cells_without_values() {
    let written = imported(BOARD).expect("a text");
    assert!(written.contains("?") && written.contains("else none"), "{written}");
    let named = BOARD.replace(" 3", " c3").replace(" 2", " c2").replace(" 1 ", " c1 ");
    let written_by_names = imported(&named).expect("a text");
    assert!(written_by_names.contains("{ c1, c2, c3 }"), "{written_by_names}");
    assert_eq!(solution("text.bou", &written).remoteness, solution("sheet.kif", BOARD).remoteness);
}

#[test]
fn sheets_without_a_text_are_refused() {
    let why = |text: &str| imported(text).expect_err("no text").to_string();
    let numerals = "(role a) (init (n (s (s z)))) (<= (legal a go) (true (n (s ?x))))
        (<= (next (n ?x)) (true (n (s ?x)))) (<= terminal (true (n z))) (goal a 100)";
    assert!(why(numerals).starts_with("a term is nested in another one of its kind"), "{}", why(numerals));
    let chance = "(role a) (role random) (legal a go) (legal random x) (legal random y) (init (n 1))
        (<= (next (n ?m)) (does random ?m)) (<= terminal (not (true (n 1)))) (<= (goal a 100) (true (n x)))
        (<= (goal a 0) (not (true (n x))))";
    assert!(why(chance).contains("the role `random` is chance"), "{}", why(chance));
    // The goals have the sum of 100, and nobody has one at the first of two ends.
    let unfinished = HEAPS
        .replace("(<= (goal ?p 0)", "(<= terminal (true (heap a 1))) (<= (goal ?p 25) (true (heap a 0))")
        .replace("(<= (goal ?p 100)", "(<= (goal ?p 75) (true (heap a 0))");
    assert!(
        why(&unfinished).starts_with("the sheet has a mistake in a position of play"),
        "{}",
        why(&unfinished)
    );
    let limits = Limits::default();
    limits.cancel.cancel();
    let stopped = import(&mut GameSource::from_string("sheet.kif", HEAPS), &limits);
    assert_eq!(stopped, Err(NotImported::Limit(LimitHit::Interrupted)));
}

/// Twelve doors with a key each: whoever has the keys of the first two opens them in four moves. At random, two doors
/// are hardly ever open together.
const LOCKS: &str = "(role thief) (init (hour 1))
    (door 1) (door 2) (door 3) (door 4) (door 5) (door 6) (door 7) (door 8) (door 9) (door 10) (door 11) (door 12)
    (then 1 2) (then 2 3) (then 3 4) (then 4 5) (then 5 6)
    (<= (legal thief (take ?d)) (door ?d)) (<= (legal thief (unlock ?d)) (door ?d))
    (<= (next (key ?d)) (does thief (take ?d)))
    (<= (next (open ?d)) (does thief (unlock ?d)) (true (key ?d))) (<= (next (open ?d)) (true (open ?d)))
    (<= (next (hour ?j)) (true (hour ?i)) (then ?i ?j))
    (<= free (true (open 1)) (true (open 2))) (<= terminal free) (<= terminal (true (hour 6)))
    (<= (goal thief 100) free) (<= (goal thief 0) (not free))";

#[test]
fn one_value_for_each_key_is_proved() {
    let text = imported(LOCKS).expect("a text");
    // There is one hour and one key, since the last move alone gives it, and any number of open doors.
    for line in ["  hour: 1..6 = 1;", "  open[k1: 1..12]: bool;"] {
        assert!(text.lines().any(|other| other == line), "{line}\n{text}");
    }
    assert!(!text.contains("not proved"), "{text}");
    let (of_sheet, of_text) = (solution("locks.kif", LOCKS), solution("locks.bou", &text));
    assert_eq!(of_sheet.remoteness, Some(4));
    assert_eq!((of_sheet.value, of_sheet.remoteness), (of_text.value, of_text.remoteness));
}

/// A snail that leaves slime where it was, and ends the game where it meets it: a stone may have both.
const SNAILS: &str = "(role snail) (role bird) (init (on 3 snail)) (init (turns 1))
    (beside 1 2) (beside 2 3) (beside 3 4) (beside 4 5) (then 1 2) (then 2 3) (then 3 4)
    (<= (legal ?r up) (role ?r)) (<= (legal ?r down) (role ?r))
    (<= (next (on ?s slime)) (true (on ?s slime))) (<= (next (on ?s slime)) (true (on ?s snail)))
    (<= (next (on ?t snail)) (does snail up) (true (on ?s snail)) (beside ?s ?t))
    (<= (next (on ?t snail)) (does snail down) (true (on ?s snail)) (beside ?t ?s))
    (<= (next (turns ?j)) (true (turns ?i)) (then ?i ?j))
    (<= met (true (on ?s snail)) (true (on ?s slime))) (<= lost (not found))
    (<= found (true (on ?s snail))) (<= terminal met) (<= terminal lost) (<= terminal (true (turns 4)))
    (<= (goal snail 100) met) (<= (goal snail 0) (not met)) (<= (goal bird 0) met) (<= (goal bird 100) (not met))";

#[test]
fn a_frame_of_some_values_keeps_no_others() {
    let text = imported(SNAILS).expect("a text");
    let (of_sheet, of_text) = (solution("snails.kif", SNAILS), solution("snails.bou", &text));
    assert_eq!(of_sheet.value, of_text.value, "{text}");
}

/// The sheet and its text have the same value, in as many moves.
fn assert_same_value(sheet: &str, text: &str) {
    let (of_sheet, of_text) = (solution("sheet.kif", sheet), solution("text.bou", text));
    assert_eq!((of_sheet.value, of_sheet.remoteness), (of_text.value, of_text.remoteness), "{text}");
}

/// Two walkers on a corridor of two rows, one of whom may rest once. A fluent and a move have one name, and a walker has
/// one row and one column.
const WALKERS: &str = "(role a) (role b) (init (at a 1 1)) (init (at b 2 4)) (init (rest a)) (init (turn a))
    (next-to 1 2) (next-to 2 3) (next-to 3 4) (other a b) (other b a)
    (<= (beside ?i ?j) (next-to ?i ?j)) (<= (beside ?i ?j) (next-to ?j ?i))
    (<= (taken ?r ?c) (true (at ?p ?r ?c)))
    (<= (legal ?p (walk ?r ?d)) (true (turn ?p)) (true (at ?p ?r ?c)) (beside ?c ?d) (not (taken ?r ?d)))
    (<= (legal ?p (walk ?s ?c)) (true (turn ?p)) (true (at ?p ?r ?c)) (beside ?r ?s) (row ?s) (not (taken ?s ?c)))
    (row 1) (row 2)
    (<= (legal ?p rest) (true (turn ?p)) (true (rest ?p)))
    (<= (legal ?p rest) (true (turn ?p)) (not (true (rest ?p))) (true (at ?p 2 2)))
    (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
    (<= (next (rest ?p)) (true (rest ?p)) (not (does ?p rest)))
    (<= (walked ?p) (does ?p (walk ?r ?c))) (<= (next (at ?p ?r ?c)) (does ?p (walk ?r ?c)))
    (<= (next (at ?p ?r ?c)) (true (at ?p ?r ?c)) (not (walked ?p)))
    (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
    (init (time 1)) (<= (next (time ?j)) (true (time ?i)) (later ?i ?j))
    (later 1 2) (later 2 3) (later 3 4) (later 4 5) (later 5 6) (later 6 7)
    (<= home (true (at a ?r 4))) (<= home (true (at b ?r 1)))
    (<= terminal home) (<= terminal (true (time 7)))
    (<= (goal a 100) (true (at a ?r 4))) (<= (goal b 0) (true (at a ?r 4)))
    (<= (goal b 100) (true (at b ?r 1))) (<= (goal a 0) (true (at b ?r 1)))
    (<= (goal ?p 50) (role ?p) (not home))";

#[test]
fn a_fluent_and_a_move_of_one_name_are_told_apart() {
    let text = imported(WALKERS).expect("a text");
    for line in ["move do_rest() {", "  rest[me] := false;"] {
        assert!(text.lines().any(|other| other == line), "{line}\n{text}");
    }
    assert_same_value(WALKERS, &text);
}

/// Three take turns on a ring of four chairs; who waits or sits keeps the chair.
const CHAIRS: &str =
    "(role a) (role b) (role c) (init (on a 1)) (init (on b 2)) (init (on c 3)) (init (turn a))
    (after a b) (after b c) (after c a) (ring 1 2) (ring 2 3) (ring 3 4) (ring 4 1)
    (<= (used ?x) (true (on ?p ?x)))
    (<= (legal ?p (go ?y)) (true (turn ?p)) (true (on ?p ?x)) (ring ?x ?y) (not (used ?y)))
    (<= (legal ?p sit) (true (turn ?p)))
    (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
    (<= (next (on ?p ?x)) (does ?p (go ?x)))
    (<= (next (on ?p ?x)) (true (on ?p ?x)) (or (does ?p sit) (does ?p wait)))
    (<= (next (turn ?q)) (true (turn ?p)) (after ?p ?q))
    (init (time 1)) (<= (next (time ?j)) (true (time ?i)) (later ?i ?j))
    (later 1 2) (later 2 3) (later 3 4) (later 4 5) (later 5 6) (later 6 7)
    (<= terminal (true (time 7)))
    (<= (goal ?p 100) (true (on ?p 4))) (<= (goal ?p 30) (true (on ?p 1)))
    (<= (goal ?p 20) (true (on ?p 2))) (<= (goal ?p 10) (true (on ?p 3)))";

#[test]
fn several_who_wait_do_not_move() {
    let text = imported(CHAIRS).expect("a text");
    assert_same_value(CHAIRS, &text);
}

/// Counters are put on two shelves of two places, and a shelf is turned: what stands on it is found before it is turned.
const SHELVES: &str = "(role a) (role b) (turns 1 2) (turns 2 1) (shelf s) (shelf t)
    (init (holds s 1 free)) (init (holds s 2 free)) (init (holds t 1 free)) (init (holds t 2 free)) (init (turn a))
    (<= (legal ?p (put ?s ?i ?t)) (true (turn ?p)) (true (holds ?s ?i free)) (shelf ?t))
    (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
    (<= (put ?s ?i) (does ?p (put ?s ?i ?t)))
    (<= (then ?s ?i ?p) (does ?p (put ?s ?i ?t))) (<= (then ?s ?i ?v) (true (holds ?s ?i ?v)) (not (put ?s ?i)))
    (<= (next (holds ?s ?j ?v)) (does ?p (put ?r ?k ?s)) (then ?s ?i ?v) (turns ?i ?j))
    (<= (next (holds ?s ?i ?v)) (does ?p (put ?r ?k ?t)) (then ?s ?i ?v) (distinct ?s ?t))
    (<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
    (<= open (true (holds ?s ?i free)))
    (<= (pair ?p) (role ?p) (true (holds s 1 ?p)) (true (holds t 1 ?p)))
    (<= terminal (not open)) (<= terminal (pair ?p)) (<= none-has (not (pair a)) (not (pair b)))
    (<= (goal ?p 100) (pair ?p)) (<= (goal ?p 50) (role ?p) none-has)
    (<= (goal a 0) (pair b)) (<= (goal b 0) (pair a))";

#[test]
fn conditions_give_the_variables_of_relations_that_depend_on_moves() {
    let text = imported(SHELVES).expect("a text");
    assert!(!text.contains("chosen"), "{text}");
    assert_same_value(SHELVES, &text);
}

/// Coins that the higher bid pays to the other; the values of `won` are roles, those of `cell` may be `free`.
const BIDS: &str =
    "(role a) (role b) (other a b) (other b a) (init (coins a 1)) (init (coins b 1)) (init first)
    (init (cell 1 free)) (init (cell 2 free)) (init (has a)) (bid 0) (bid 1) (bid 2)
    (sum 0 0 0) (sum 0 1 1) (sum 1 0 1) (sum 0 2 2) (sum 1 1 2) (sum 2 0 2) (more 1 0) (more 2 0) (more 2 1)
    (<= (legal ?p (bid ?n)) (true first) (bid ?n) (true (coins ?p ?m)) (not (more ?n ?m)))
    (<= (legal ?p (mark ?c)) (true (won ?p)) (true (cell ?c free)))
    (<= (legal ?p wait) (role ?p) (not (true first)) (not (true (won ?p))))
    (<= level (does a (bid ?n)) (does b (bid ?n)))
    (<= (wins ?p ?n) (does ?p (bid ?n)) (does ?q (bid ?m)) (more ?n ?m))
    (<= (wins ?p ?n) level (true (has ?p)) (does ?p (bid ?n)))
    (<= (next (won ?p)) (wins ?p ?n))
    (<= (next (coins ?p ?k)) (wins ?p ?n) (true (coins ?p ?m)) (sum ?k ?n ?m))
    (<= (next (coins ?q ?k)) (wins ?p ?n) (other ?p ?q) (true (coins ?q ?m)) (sum ?m ?n ?k))
    (<= (next (coins ?p ?k)) (true (coins ?p ?k)) (not (true first)))
    (<= (next (has ?q)) level (true (has ?p)) (other ?p ?q)) (<= (next (has ?p)) (true (has ?p)) (not level))
    (<= (next first) (not (true first)))
    (<= (next (cell ?c ?p)) (does ?p (mark ?c))) (<= (marked ?c) (does ?p (mark ?c)))
    (<= (next (cell ?c ?v)) (true (cell ?c ?v)) (not (marked ?c)))
    (<= (row ?p) (role ?p) (true (cell 1 ?p)) (true (cell 2 ?p)))
    (<= full (not (true (cell 1 free))) (not (true (cell 2 free)))) (<= terminal full)
    (<= (goal ?p 100) (row ?p)) (<= (goal ?q 0) (row ?p) (other ?p ?q))
    (<= (goal ?p 50) (role ?p) (not (row a)) (not (row b)))";

#[test]
fn a_variable_stands_for_a_role_where_only_roles_occur() {
    let text = imported(BIDS).expect("a text");
    assert!(text.contains("for p2 in Player, n in 0..2 {"), "{text}");
    assert_same_value(BIDS, &text);
}

/// One hides a coin under a cup, and sees afterwards which cup the other lifts, in two ways.
const COINS: &str = "(role a) (role b) (cup s) (cup t) (init (stage hide))
    (<= (legal a (hide ?c)) (true (stage hide)) (cup ?c)) (<= (legal a wait) (true (stage lift)))
    (<= (legal b wait) (true (stage hide))) (<= (legal b (lift ?c)) (true (stage lift)) (cup ?c))
    (<= (sees a (lifted ?c)) (does b (lift ?c))) (<= (sees a (again ?c)) (does b (lift ?c)))
    (<= (next (coin ?c)) (does a (hide ?c))) (<= (next (coin ?c)) (true (coin ?c)))
    (<= (next (stage lift)) (true (stage hide))) (<= (next (stage over)) (true (stage lift)))
    (<= (next found) (does b (lift ?c)) (true (coin ?c))) (<= terminal (true (stage over)))
    (<= (goal b 100) (true found)) (<= (goal b 0) (not (true found)))
    (<= (goal a 0) (true found)) (<= (goal a 100) (not (true found)))";

#[test]
fn percepts_of_several_functions_hide_moves() {
    let refused = imported(COINS).expect_err("something is hidden").to_string();
    assert!(refused.contains("`sees` hides moves"), "{refused}");
    // The goals are those of the sheet, although each end is a win.
    let payoffs = solution("coins.kif", COINS).value.map(|value| value.payoffs);
    assert_eq!(payoffs, Some(vec![Rational::from_integer(50); 2]));
}

#[test]
fn relations_of_moves_that_depend_on_themselves_read_the_stored_move() {
    let text = imported(PUSH).expect("a text");
    assert!(text.contains("inductive moved("), "{text}");
    assert_same_value(PUSH, &text);
}

/// A square number of counters is taken, by facts for sums that rules derive.
const SQUARES: &str = "(role i) (role ii) (init (n 12)) (init (player i)) (square 1) (square 4) (square 9)
    (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8) (after 8 9)
    (after 9 10) (after 10 11) (after 11 12) (number 0) (<= (number ?y) (after ?x ?y))
    (<= (plus ?x 0 ?x) (number ?x)) (<= (plus ?x ?y ?z) (after ?u ?y) (after ?w ?z) (plus ?x ?u ?w))
    (<= (legal ?p (subtract ?s)) (true (player ?p)) (square ?s) (true (n ?m)) (plus ?r ?s ?m))
    (<= (legal ?p nothing) (role ?p) (true (player ?q)) (distinct ?p ?q))
    (<= (next (n ?r)) (does ?p (subtract ?s)) (true (n ?m)) (plus ?r ?s ?m))
    (<= (next (player ?p)) (role ?p) (not (true (player ?p)))) (<= terminal (true (n 0)))
    (<= (goal ?p 100) (role ?p) (not (true (player ?p)))) (<= (goal ?p 0) (true (player ?p)))";

#[test]
fn facts_of_sums_become_sums() {
    let text = imported(SQUARES).expect("a text");
    assert!(
        text.contains("n: 0..12 = 12;") && text.contains("n := n - s;") && !text.contains("plus"),
        "{text}"
    );
    assert_same_value(SQUARES, &text);
}

/// A domino is laid on a row, by the player whose turn the number of the step tells.
const PARITY: &str = "(role odd) (role even) (init (step 1)) (init (free 1)) (init (free 2)) (init (free 3))
    (s 1 2) (s 2 3) (s 3 4) (odd 1) (odd 3) (even 2) (even 4) (next_to 1 2) (next_to 2 3)
    (<= (moves odd) (true (step ?n)) (odd ?n)) (<= (moves even) (true (step ?n)) (even ?n))
    (<= (legal ?r (lay ?a ?b)) (moves ?r) (true (free ?a)) (true (free ?b)) (next_to ?a ?b))
    (<= (legal odd pass) (moves even)) (<= (legal even pass) (moves odd))
    (<= (covered ?a) (does ?r (lay ?a ?b))) (<= (covered ?b) (does ?r (lay ?a ?b)))
    (<= (next (free ?a)) (true (free ?a)) (not (covered ?a)))
    (<= (next (step ?m)) (true (step ?n)) (s ?n ?m))
    (<= can_move (true (free ?a)) (true (free ?b)) (next_to ?a ?b)) (<= terminal (not can_move))
    (<= (goal ?r 0) (moves ?r)) (<= (goal ?r 100) (role ?r) (not (moves ?r)))";

/// Whoever waits has the next turn; whoever may hit does not hit himself.
const HITS: &str = "(role a) (role b) (init (turn a)) (init (alive a)) (init (alive b))
    (<= (legal ?p (hit ?q)) (true (turn ?p)) (role ?q) (distinct ?p ?q) (true (alive ?q)))
    (<= (legal ?p rest) (true (turn ?p))) (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
    (<= (next (turn ?p)) (does ?p wait)) (<= (struck ?q) (does ?p (hit ?q)))
    (<= (next (alive ?q)) (true (alive ?q)) (not (struck ?q))) (<= (out ?p) (role ?p) (not (true (alive ?p))))
    (<= terminal (out ?p)) (<= (goal ?p 0) (out ?p)) (<= (goal ?p 100) (role ?p) (not (out ?p)))";

/// The cards above the one that is taken move down, and nothing comes to the place at the top.
const STACK: &str =
    "(role p) (init (cell 1 x)) (init (cell 2 o)) (init (cell 3 o)) (above 1 2) (above 2 3) (init (t 0))
    (next 0 1) (then 0 1) (then 1 2) (legal p pop) (legal p keep) (<= popped (does p pop))
    (<= (next (cell ?y ?v)) popped (above ?y ?z) (true (cell ?z ?v))) (<= (next (cell 3 x)) popped)
    (<= (next (cell ?y ?v)) (not popped) (true (cell ?y ?v))) (<= (next (t ?m)) (true (t ?n)) (then ?n ?m))
    (<= terminal (true (t 2))) (<= (goal p 100) (true (cell 1 x))) (<= (goal p 0) (true (cell 1 o)))";

#[test]
fn turns_of_steps_and_of_those_who_wait_are_turns() {
    for (sheet, words) in [
        (PARITY, "turn by (if step in { 1, 3 } then Odd else if step in { 2, 4 } then Even else Odd)"),
        (HITS, "me != q"),
    ] {
        let text = imported(sheet).expect("a text");
        assert!(text.contains(words) && !text.contains("by each"), "{text}");
        let source = GameSource::from_string("sheet.kif", sheet);
        assert!(source.gdl_names().is_some_and(|names| !names.simultaneous), "choices at once");
    }
    assert_same_value(PARITY, &imported(PARITY).expect("a text"));
}

#[test]
fn values_beyond_the_edge_are_not_taken() {
    let sheet = STACK.replace("(next 0 1) ", "");
    let text = imported(&sheet).expect("a text");
    assert_same_value(&sheet, &text);
}
