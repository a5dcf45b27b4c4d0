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

#[test]
#[ignore]
fn tmp_print() {
    for path in std::env::var("KIFS").unwrap_or_default().split_whitespace() {
        let sheet = std::fs::read_to_string(path).expect("file");
        let start = std::time::Instant::now();
        let made = std::panic::catch_unwind(|| imported(&sheet));
        let out = format!("/tmp/w/k44new/{}.bou", path.rsplit('/').next().unwrap_or("x"));
        match made {
            Ok(text) => std::fs::write(&out, text).expect("written"),
            Err(_) => println!("FAILED {path}"),
        }
        println!("{path} {:?}", start.elapsed());
    }
}
