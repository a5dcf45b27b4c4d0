//! Texts of small sheets; whole plays of imported texts are compared in `tests/gdl`.

use std::sync::Arc;

use bouton_base::source::FileId;
use bouton_reference::Interpreter;

use super::{Import, Samples, TextForm};

/// The number of positions of a sheet that are samples.
const SAMPLES: usize = 200;

/// The text of a sheet, by samples of plays that take the moves in turn.
fn imported(sheet: &str) -> String {
    imported_as(sheet, TextForm::default())
}

/// The text of a sheet in a form.
fn imported_as(sheet: &str, form: TextForm) -> String {
    let translation = crate::read(FileId(0), sheet).translation.expect("rules");
    let (names, interpreter) = (translation.names, Interpreter::new(Arc::new(translation.rules)));
    let mut samples = Samples::default();
    let mut state = interpreter.initial();
    for number in 0..SAMPLES {
        samples.positions.push(
            names.position(interpreter.mover(&state), &|field, cell| interpreter.read(&state, field, cell)),
        );
        let successors = interpreter.successors(&state).expect("no fault");
        state = match successors.len() {
            0 => interpreter.initial(),
            count => successors[number / 3 % count].1.clone(),
        };
    }
    let mut import = Import::new(sheet, "game").expect("a sheet");
    import.write(&samples, form).expect("a text").text
}

/// Two who place stones on a line; a piece is a role or blank.
const LINE: &str = "(role red) (role black) (init (control red))
    (init (cell 1 blank)) (init (cell 2 blank)) (init (cell 3 blank)) (init (cell 4 blank))
    (at 1 2) (at 2 3) (at 3 4)
    (<= (legal ?r (place ?x)) (true (control ?r)) (true (cell ?x blank)))
    (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
    (<= (next (cell ?x ?r)) (does ?r (place ?x)))
    (<= (next (cell ?x ?m)) (true (cell ?x ?m)) (does ?r (place ?y)) (distinct ?x ?y))
    (<= (next (control red)) (true (control black)))
    (<= (next (control black)) (true (control red)))
    (<= (line ?r) (true (cell ?a ?r)) (at ?a ?b) (true (cell ?b ?r)) (distinct ?r blank))
    (<= open (true (cell ?x blank)))
    (<= terminal (line ?r)) (<= terminal (not open))
    (<= (goal ?r 100) (line ?r))
    (<= (goal ?r 0) (role ?r) (line ?s) (distinct ?r ?s))
    (<= (goal ?r 50) (role ?r) (not (line red)) (not (line black)))";

#[test]
fn a_player_is_never_none() {
    let text = imported(LINE);
    assert!(
        text.contains("def line(r: Player) = (some a in 1..4: cell[a] = r and cell[a + 1] = r);"),
        "{text}"
    );
    // Roles whose capital is a name of the language have a capital as well.
    let named = LINE.replace("red", "n").replace("black", "s");
    let text = imported(&named);
    assert!(text.contains("players N2, S2;") && text.contains("// N2: n"), "{text}");
}

/// One who earns coins; grades depend on each other by name.
const COINS: &str = "(role robot) (init (coins 0)) (inc 0 1) (inc 1 2) (inc 2 3) (size 3)
    (legal robot earn) (legal robot stop)
    (<= (next (coins ?n)) (does robot earn) (true (coins ?m)) (inc ?m ?n))
    (<= (next (coins ?m)) (does robot stop) (true (coins ?m)))
    (<= (next stopped) (does robot stop))
    (<= terminal (true stopped)) (<= terminal (true (coins 3)))
    (<= (grade rich) (true (coins 3)))
    (<= (grade some) (true (coins ?n)) (distinct ?n 0) (not (grade rich)))
    (<= graded (grade ?g)) (<= terminal graded (true (coins 3)))
    (<= (goal robot 100) (grade rich)) (<= (goal robot 50) (grade some))
    (<= (goal robot 0) (not graded))";

#[test]
fn relations_are_split_by_constants() {
    let text = imported(COINS);
    assert!(text.contains("def grade_rich = coins = 3;"), "{text}");
    assert!(text.contains("def grade_some = coins != 0 and not grade_rich;"), "{text}");
    assert!(text.contains("def graded = grade_rich or grade_some;"), "{text}");
}

#[test]
fn ranges_of_one_number_are_that_number() {
    let sheet = COINS.replacen(
        "(<= (grade rich) (true (coins 3)))",
        "(<= (grade rich) (true (coins ?n)) (size ?n))",
        1,
    );
    let text = imported(&sheet);
    assert!(!text.contains("3..3") && text.contains("def grade_rich = coins = 3;"), "{text}");
}

#[test]
fn conditions_are_negated_once() {
    for (condition, opposite) in [
        ("open", "not (open)"),
        ("not open", "open"),
        ("not (a = 1)", "a = 1"),
        ("not (a = 1 or b = 2)", "(a = 1 or b = 2)"),
        ("not ((a = 1 or b = 2))", "(a = 1 or b = 2)"),
        ("not (a = 1) and open", "not (not (a = 1) and open)"),
        ("true", "false"),
    ] {
        assert_eq!(super::effects::negated(condition), opposite);
    }
}

/// Two who step or jump, and shoot then.
const SHOTS: &str = "(role white) (role black) (init (turn black move)) (init (n 0))
    (inc 0 1) (inc 1 2) (inc 2 3) (inc 3 4) (inc 4 5) (inc 5 6)
    (<= (legal ?p step) (true (turn ?p move)))
    (<= (legal ?p jump) (true (turn ?p move)))
    (<= (legal ?p (shoot ?k)) (true (turn ?p shoot)) (power ?k))
    (power 1) (power 2)
    (<= (legal white noop) (true (turn black ?ph))) (<= (legal black noop) (true (turn white ?ph)))
    (<= (next (n ?m)) (does ?p step) (true (n ?k)) (inc ?k ?m))
    (<= (next (n ?m)) (does ?p (shoot 1)) (true (n ?k)) (inc ?k ?m))
    (<= (next (n ?m)) (does ?p (shoot 2)) (true (n ?k)) (inc ?k ?j) (inc ?j ?m))
    (<= (next (n ?k)) (does ?p jump) (true (n ?k)))
    (<= (next (turn ?p shoot)) (true (turn ?p move)))
    (<= (next (turn white move)) (true (turn black shoot)))
    (<= (next (turn black move)) (true (turn white shoot)))
    (<= terminal (true (n 4))) (<= terminal (true (n 5))) (<= terminal (true (n 6)))
    (<= (goal ?p 0) (true (turn ?p ?ph))) (<= (goal ?q 100) (role ?q) (true (turn ?p ?ph)) (distinct ?p ?q))";

#[test]
fn turns_of_several_moves_rotate() {
    let text = imported(SHOTS);
    assert!(text.contains("players Black, White;") && !text.contains("phases"), "{text}");
    let again = text.matches("again;").count();
    let of_shots =
        text.split("move shoot").nth(1).and_then(|rest| rest.split('}').next()).unwrap_or_default();
    assert!(again == 2 && !of_shots.contains("again;"), "{text}");
    // Where a jump gives the turn away, and a step does not, the position says whose turn it is.
    let other = SHOTS.replacen(
        "(<= (next (turn ?p shoot)) (true (turn ?p move)))",
        "(<= (next (turn ?p shoot)) (true (turn ?p move)) (does ?p step))
         (<= (next (turn ?q move)) (true (turn ?p move)) (does ?p jump) (role ?q) (distinct ?p ?q))",
        1,
    );
    assert!(imported(&other).contains("phases { turn"), "{}", imported(&other));
}

/// Two who take stones from a heap in turns; who takes the last one wins.
const HEAP: &str = "(role left) (role right) (init (heap 3)) (init (control left))
    (sub 3 1 2) (sub 3 2 1) (sub 2 1 1) (sub 2 2 0) (sub 1 1 0)
    (<= (legal ?p (take ?k)) (true (control ?p)) (true (heap ?n)) (sub ?n ?k ?m))
    (<= (legal left noop) (true (control right)))
    (<= (legal right noop) (true (control left)))
    (<= (next (heap ?m)) (does ?p (take ?k)) (true (heap ?n)) (sub ?n ?k ?m))
    (<= (next (control right)) (true (control left)))
    (<= (next (control left)) (true (control right)))
    (<= terminal (true (heap 0)))
    (<= (goal ?p 100) (true (control ?p)) (true (heap 0)))
    (<= (goal ?p 0) (role ?p) (not (true (control ?p))))";

#[test]
fn a_draw_that_never_comes_is_not_written() {
    let draw = "(<= (goal ?p 50) (role ?p) (not (true (heap 0))))";
    let text = imported(&format!("{HEAP} {draw}"));
    assert!(text.contains("wins;") && !text.contains("draw"), "{text}");
    // This one may come.
    let other =
        HEAP.replacen("(true (control ?p)) (true (heap 0)))", "(true (control ?p)) (true (last 1)))", 1);
    let last = "(init (last 0)) (<= (next (last ?k)) (does ?p (take ?k)))
        (<= (goal ?p 50) (role ?p) (not (true (last 1))))";
    let text = imported(&format!("{other} {last}"));
    assert!(text.contains("draw"), "{text}");
}

/// One who carries things over a river.
const RIVER: &str = "(role farmer) (thing wolf) (thing goat) (init (side wolf left)) (init (side goat left))
    (init (side boat left)) (init (step 0)) (opp left right) (opp right left) (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal farmer (carry ?t)) (thing ?t) (true (side ?t ?s)) (true (side boat ?s))) (legal farmer alone)
    (<= (next (side boat ?o)) (true (side boat ?s)) (opp ?s ?o))
    (<= (next (side ?t ?o)) (does farmer (carry ?t)) (true (side ?t ?s)) (opp ?s ?o))
    (<= (next (side ?t ?s)) (thing ?t) (true (side ?t ?s)) (not (does farmer (carry ?t))))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= here (true (side ?t left))) (<= terminal (not here)) (<= terminal (true (step 3)))
    (<= (goal farmer 100) (not here)) (<= (goal farmer 0) here)";

#[test]
fn the_other_of_two_values_is_no_loop() {
    let text = imported(RIVER);
    assert!(text.contains("side[boat] := if side[boat] = left then right else left;"), "{text}");
    assert!(text.contains("side[t] := if side[t] = left then right else left;"), "{text}");
    assert!(!text.contains("for o"), "{text}");
}

/// Two who walk, and take a stone away then.
const WALKS: &str =
    "(role first) (role second) (init (control first)) (init (phase walk)) (init (n 0)) (size 1) (size 2)
    (inc 0 1) (inc 1 2) (inc 2 3) (inc 3 4) (inc 4 5) (inc 5 6)
    (<= (legal ?p (walk ?k)) (true (control ?p)) (true (phase walk)) (size ?k))
    (<= (legal ?p (take ?k)) (true (control ?p)) (true (phase take)) (size ?k))
    (<= (legal first noop) (true (control second))) (<= (legal second noop) (true (control first)))
    (<= (next (n ?m)) (does ?p (walk 1)) (true (n ?k)) (inc ?k ?m))
    (<= (next (n ?k)) (does ?p (walk 2)) (true (n ?k)))
    (<= (next (n ?m)) (does ?p (take ?s)) (true (n ?k)) (inc ?k ?m))
    (<= (next (phase take)) (true (phase walk))) (<= (next (phase walk)) (true (phase take)))
    (<= (next (control ?p)) (true (control ?p)) (true (phase walk)))
    (<= (next (control first)) (true (control second)) (true (phase take)))
    (<= (next (control second)) (true (control first)) (true (phase take)))
    (<= terminal (true (n 5))) (<= terminal (true (n 6)))
    (<= (goal ?p 0) (true (control ?p))) (<= (goal ?p 100) (role ?p) (not (true (control ?p))))";

#[test]
fn a_turn_that_passes_is_not_written() {
    let text = imported_as(WALKS, TextForm { states_turns: true, ..TextForm::default() });
    assert!(!text.contains("if me =") && text.contains("next me;"), "{text}");
}

/// One who opens a safe that a guard watches, who leaves once it is open: few plays show it.
const SAFE: &str = "(role thief) (init (step 0)) (init (guard ann 2)) (init (guard joe 1)) (init (lamp on))
    (<= (legal thief (type ?d)) (digit ?d))
    (digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6) (digit 7) (digit 8)
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (walk 1 2) (walk 2 3) (walk 3 1)
    (<= (next (typed ?n ?d)) (does thief (type ?d)) (true (step ?n)))
    (<= (next (typed ?n ?d)) (true (typed ?n ?d)))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= opened (true (typed 0 3)) (true (typed 1 1)) (true (typed 2 4)) (true (typed 3 1)))
    (<= (next (guard ?g ?y)) (true (guard ?g ?x)) (walk ?x ?y) (not opened))
    (<= (next (lamp on)) (does thief (type 1))) (<= (next (lamp off)) (does thief (type 2)))
    (<= (next (lamp ?l)) (true (lamp ?l)) (not (does thief (type 1))) (not (does thief (type 2))))
    (<= watched (true (guard joe ?x))) (<= lit (true (lamp ?l)))
    (<= terminal (true (step 5)))
    (<= (goal thief 100) (not watched) lit) (<= (goal thief 0) watched)";

#[test]
fn a_value_that_may_be_lost_is_none() {
    let text = imported(SAFE);
    assert!(text.contains("guard[k1: Guard]: 1..3? = ") && text.contains("guard[k1] := none;"), "{text}");
    assert!(text.contains("def watched = guard[joe] != none;"), "{text}");
    // These always have a value, by the rules.
    let (typed, step) = (text.find("typed[step] := d;"), text.find("step := step + 1;"));
    assert!(typed < step, "an effect that reads a field stands before those that change it\n{text}");
    assert!(text.contains("step: 0..5 = 0;") && text.contains("lamp: Lamp = on;"), "{text}");
    assert!(text.contains("def lit = true;"), "{text}");
}

/// Two who type in turns, until the safe is open, and nobody has the turn.
const VAULT: &str = "(role a) (role b) (init (step 0)) (init (ctl a))
    (<= (legal ?p (type ?d)) (true (ctl ?p)) (digit ?d))
    (<= (legal ?p noop) (role ?p) (not (true (ctl ?p))))
    (digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6)
    (s 0 1) (s 1 2) (s 2 3) (s 3 4) (s 4 5) (s 5 6)
    (<= (next (typed ?n ?d)) (does ?p (type ?d)) (true (step ?n)))
    (<= (next (typed ?n ?d)) (true (typed ?n ?d)))
    (<= (next (step ?m)) (true (step ?n)) (s ?n ?m))
    (<= opened (true (typed 0 3)) (true (typed 1 1)) (true (typed 2 4)) (true (typed 3 1)))
    (<= (next (ctl b)) (true (ctl a)) (not opened)) (<= (next (ctl a)) (true (ctl b)) (not opened))
    (<= terminal (true (step 6))) (<= terminal (true (step 5)) (not opened))
    (<= (goal a 100) opened) (<= (goal b 0) opened)
    (<= (goal a 0) (not opened)) (<= (goal b 100) (not opened))";

#[test]
fn a_turn_that_may_be_lost_is_that_of_the_first_player() {
    let text = imported(VAULT);
    assert!(text.contains("by (if ctl = A then A else if ctl = B then B else A);"), "{text}");
    assert!(text.contains("ctl: Player? = A;") && text.contains("move noop() {"), "{text}");
    // Here the turn never is lost, and goes round.
    let text = imported(
        &VAULT
            .replace("(true (ctl a)) (not opened)", "(true (ctl a))")
            .replace("(true (ctl b)) (not opened)", "(true (ctl b))"),
    );
    assert!(!text.contains("phases") && !text.contains("next ") && !text.contains("noop"), "{text}");
    // And here it stays where it is after a play that samples do not show.
    let stays = VAULT.replace("(true (ctl a)) (not opened)", "(true (ctl a))").replace(
        "(<= (next (ctl a)) (true (ctl b)) (not opened))",
        "(<= (next (ctl a)) (true (ctl b)) (not opened)) (<= (next (ctl b)) (true (ctl b)) opened)",
    );
    let text = imported(&stays);
    assert!(text.contains("next A;") && text.contains("next B;"), "{text}");
}

#[test]
fn goals_that_may_be_missing_or_doubled_are_not_those_that_plays_show() {
    // With an open vault both would have no goal.
    let missing = VAULT.replace(
        " opened) (<= (goal b 0) opened)",
        " (true (ctl a)) opened) (<= (goal b 0) (true (ctl a)) opened)",
    );
    let text = imported(&missing);
    assert!(text.contains("  when ended => draw;"), "{text}");
    // And here both have 100, as both rules say.
    let both = VAULT.replace("(<= (goal b 0) opened)", "(<= (goal b 100) opened)");
    let text = imported(&both);
    assert!(text.contains("  when ended and opened => payoff p: 100;"), "{text}");
    // Other goals: the highest counts.
    let others = VAULT
        .replace("(goal a 0)", "(goal a 30)")
        .replace("(<= (goal b 0) opened)", "(<= (goal b 40) opened (true (typed 4 1)))");
    let text = imported(&others);
    assert!(text.contains("else 0;"), "{text}");
}

#[test]
fn goals_by_proof_need_no_other_ends() {
    // Never do both have a line: only one of them places a stone.
    let text = imported(LINE);
    assert!(
        !text.contains("points") && text.contains("for p in Player when ended and line(p) => p wins;"),
        "{text}"
    );
}

#[test]
fn a_role_whose_turn_is_not_that_of_another_has_a_relation_of_its_own() {
    let sheet = "; First words of a long comment, longer than a title may be, about two who walk in turns
        ; and more words
        (role walker) (role ghost) (init (time 0)) (clock 0 1) (clock 1 2) (clock 2 3) (clock 3 4)
        (<= (legal ?r go) (shift ?r)) (<= (legal ?r stay) (shift ?r)) (<= (legal ?r noop) (role ?r) (not (shift ?r)))
        (<= (shift walker) (or (true (time 0)) (true (time 2)))) (<= (shift ghost) (not (shift walker)))
        (<= (next (went ?r)) (does ?r go)) (<= (next (went ?r)) (true (went ?r)))
        (<= (next (time ?b)) (true (time ?a)) (clock ?a ?b))
        (<= terminal (true (time 4)))
        (<= (goal ?r 100) (true (went ?r))) (<= (goal ?r 0) (role ?r) (not (true (went ?r))))";
    let text = imported(sheet);
    assert!(text.contains("def shift_ghost = not shift_walker;"), "{text}");
    // The title here is that of the test, so both lines are comments.
    assert!(
        text.contains("// First words of a long comment") && text.contains("// and more words"),
        "{text}"
    );
}

#[test]
fn what_is_kept_for_both_players_is_not_removed() {
    let sheet = "(role left) (role right) (init (mover left)) (init (robot left 1)) (init (robot right 1)) (init (k 0))
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
        (<= (legal ?p walk) (true (mover ?p))) (<= (legal ?p rest) (true (mover ?p)))
        (<= (legal ?p noop) (role ?p) (not (true (mover ?p))))
        (<= (next (robot ?p ?y)) (true (robot ?p ?x)) (does ?p walk) (succ ?x ?y) (distinct ?y 3))
        (<= (next (robot ?p ?x)) (true (robot ?p ?x)) (does ?p rest))
        (<= (next (robot ?p ?x)) (true (robot ?p ?x)) (does ?p noop))
        (<= (next (k ?b)) (true (k ?a)) (succ ?a ?b))
        (<= (next (mover left)) (true (mover right))) (<= (next (mover right)) (true (mover left)))
        (<= (lives ?p) (true (robot ?p ?x)))
        (<= terminal (true (k 5)))
        (<= (goal ?p 100) (lives ?p)) (<= (goal ?p 0) (role ?p) (not (lives ?p)))";
    let text = imported(sheet);
    let of = |name: &str| {
        let rest = text.split(&format!("move {name}")).nth(1);
        rest.and_then(|rest| rest.split("\n}").next()).unwrap_or_default().to_owned()
    };
    assert!(of("walk").contains("none") && !of("rest").contains("robot"), "{text}");
}
