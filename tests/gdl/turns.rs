//! Games in turns: what says whose turn it is may need a longer proof.

use bouton_base::limits::Limits;
use bouton_base::rational::Rational;
use bouton_driver::gdl_import::import;
use bouton_driver::load::GameSource;

use crate::own::solution;

/// Two take counters from a row in two steps: one says how many, and takes them. The fluents of the turn exclude each
/// other only together with those of the step.
const STEPS: &str = "(role a) (role b) (init (turn a)) (init (step say)) (init (left 5)) (number 1) (number 2)
    (minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0) (minus 5 2 3) (minus 4 2 2) (minus 3 2 1)
    (minus 2 2 0)
    (<= (fits ?n) (true (left ?m)) (minus ?m ?n ?k))
    (<= (legal ?p (say ?n)) (true (turn ?p)) (true (step say)) (number ?n) (fits ?n))
    (<= (legal ?p take) (true (turn ?p)) (true (step take)))
    (<= (legal a wait) (true (turn b))) (<= (legal b wait) (true (turn a)))
    (<= (next (said ?n)) (does ?p (say ?n)))
    (<= (next (left ?k)) (true (left ?m)) (true (step take)) (true (said ?n)) (minus ?m ?n ?k))
    (<= (next (left ?m)) (true (left ?m)) (true (step say)))
    (<= (next (step take)) (true (step say))) (<= (next (step say)) (true (step take)))
    (<= (next (turn ?p)) (true (turn ?p)) (true (step say)))
    (<= (next (turn a)) (true (turn b)) (true (step take))) (<= (next (turn b)) (true (turn a)) (true (step take)))
    (<= terminal (true (left 0)))
    (<= (goal ?p 0) (role ?p) (true (turn ?p))) (<= (goal ?p 100) (role ?p) (not (true (turn ?p))))";

/// Two sow seeds around four pits, and whoever ends in the last pit sows again: a recursive relation decides it.
const SOWING: &str =
    "(role a) (role b) (init (turn a)) (init (seeds p 2)) (init (seeds q 3)) (init (seeds r 0))
    (after p q) (after q r) (after r p) (plus 0 1) (plus 1 2) (plus 2 3) (plus 3 4) (plus 4 5)
    (<= (legal ?p (sow ?h)) (true (turn ?p)) (pit ?h) (true (seeds ?h ?n)) (distinct ?n 0)) (pit p) (pit q)
    (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
    (<= (hand ?g ?n) (does ?p (sow ?h)) (true (seeds ?h ?n)) (after ?h ?g))
    (<= (hand ?g ?m) (hand ?h ?n) (plus ?m ?n) (distinct ?m 0) (after ?h ?g))
    (<= (drop ?h) (hand ?h ?n)) (<= (sown ?h) (does ?p (sow ?h))) (<= again (hand r 1))
    (<= (next (seeds ?h 0)) (sown ?h) (not (drop ?h))) (<= (next (seeds ?h 1)) (sown ?h) (drop ?h))
    (<= (next (seeds ?h ?m)) (true (seeds ?h ?n)) (drop ?h) (not (sown ?h)) (plus ?n ?m))
    (<= (next (seeds ?h ?n)) (true (seeds ?h ?n)) (not (drop ?h)) (not (sown ?h)))
    (<= (next (turn ?p)) (true (turn ?p)) again)
    (<= (next (turn b)) (true (turn a)) (not again)) (<= (next (turn a)) (true (turn b)) (not again))
    (<= empty (true (seeds p 0)) (true (seeds q 0))) (<= terminal empty) (<= terminal (true (seeds r 4)))
    (<= (goal ?p 0) (role ?p) (true (turn ?p))) (<= (goal ?p 100) (role ?p) (not (true (turn ?p))))";

/// Two take from a heap; it is the turn of whoever has none now. Exactly one has it, which each rule needs.
const NOBODY_ELSE: &str = "(role a) (role b) (init (turn a)) (init (heap 5)) (other a b) (other b a)
    (minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0) (minus 5 2 3) (minus 4 2 2) (minus 3 2 1)
    (minus 2 2 0) (number 1) (number 2)
    (<= (fits ?n) (true (heap ?m)) (minus ?m ?n ?k))
    (<= (legal ?p (take ?n)) (true (turn ?p)) (number ?n) (fits ?n))
    (<= (legal ?p wait) (other ?p ?q) (true (turn ?q)))
    (<= (next (heap ?k)) (does ?p (take ?n)) (true (heap ?m)) (minus ?m ?n ?k))
    (<= (next (turn ?p)) (role ?p) (not (true (turn ?p))))
    (<= terminal (true (heap 0)))
    (<= (goal ?p 0) (role ?p) (true (turn ?p))) (<= (goal ?p 100) (role ?p) (not (true (turn ?p))))";

/// Each turn has two parts, which the fluent of the turn tells: a piece is moved, and a square is shut.
const PARTS: &str = "(role a) (role b) (init (turn a go)) (init (at a 1)) (init (at b 4)) (other a b) (other b a)
    (beside 1 2) (beside 2 3) (beside 3 4) (beside 4 5) (beside 2 1) (beside 3 2) (beside 4 3) (beside 5 4)
    (place 1) (place 2) (place 3) (place 4) (place 5)
    (<= (taken ?x) (true (at ?p ?x))) (<= (taken ?x) (true (shut ?x)))
    (<= (legal ?p (go ?y)) (true (turn ?p go)) (true (at ?p ?x)) (beside ?x ?y) (not (taken ?y)))
    (<= (legal ?p (shut ?x)) (true (turn ?p shut)) (place ?x) (not (taken ?x)))
    (<= (legal ?p wait) (other ?p ?q) (true (turn ?q ?part)))
    (<= (next (at ?p ?x)) (does ?p (go ?x))) (<= (went ?p) (does ?p (go ?x)))
    (<= (next (at ?p ?x)) (true (at ?p ?x)) (not (went ?p)))
    (<= (next (shut ?x)) (does ?p (shut ?x))) (<= (next (shut ?x)) (true (shut ?x)))
    (<= (next (turn ?p shut)) (true (turn ?p go))) (<= (next (turn ?q go)) (true (turn ?p shut)) (other ?p ?q))
    (<= (moves ?p) (true (at ?p ?x)) (beside ?x ?y) (not (taken ?y)))
    (<= terminal (true (turn ?p go)) (not (moves ?p)))
    (<= (goal ?p 0) (role ?p) (true (turn ?p go))) (<= (goal ?p 100) (role ?p) (not (true (turn ?p go))))";

#[test]
fn turns_are_found_by_a_longer_proof() {
    let all = [(STEPS, "next me;"), (SOWING, "move sow("), (NOBODY_ELSE, "move take("), (PARTS, "again;")];
    for (sheet, choice) in all {
        let mut source = GameSource::from_string("sheet.kif", sheet);
        assert!(source.gdl_names().is_some_and(|names| !names.simultaneous), "choices at once");
        let of_sheet = solution("sheet.kif", sheet);
        let text = import(&mut source, &Limits::default());
        let text = text.expect("a text");
        assert!(text.contains(choice) && !text.contains("by each"), "{text}");
        let of_text = solution("text.bou", &text);
        assert_eq!((of_sheet.value, of_sheet.remoteness), (of_text.value, of_text.remoteness), "{text}");
    }
}

/// Two take from a heap; in the second step, `b` may leave the heap to the other instead, by a move that names no turn.
const SWAP: &str = "(role a) (role b) (init (turn a)) (init (step 1)) (init (heap 3)) (next_to 0 1) (next_to 1 2)
    (next_to 2 3) (<= (less ?x ?y) (next_to ?x ?y)) (<= (less ?x ?z) (next_to ?x ?y) (less ?y ?z))
    (<= (legal ?p (leave ?m)) (true (turn ?p)) (true (heap ?n)) (less ?m ?n)) (<= (legal b swap) (true (step 2)))
    (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
    (<= (next (heap ?m)) (does ?p (leave ?m))) (<= (next (heap ?n)) (true (heap ?n)) (does b swap))
    (<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
    (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2))) (<= (next (step 3)) (true (step 3)))
    (<= terminal (true (heap 0)))
    (<= (goal ?p 0) (true (turn ?p))) (<= (goal ?p 100) (role ?p) (not (true (turn ?p))))";

/// It is the turn of `x` while a fluent holds, and of `o` otherwise.
const FLIP: &str = "(role x) (role o) (init (heap 5)) (init odd) (number 1) (number 2)
    (minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0) (minus 5 2 3) (minus 4 2 2) (minus 3 2 1)
    (minus 2 2 0) (<= (legal ?p (take ?k)) (acts ?p) (number ?k) (true (heap ?n)) (minus ?n ?k ?m))
    (<= (legal ?p wait) (role ?p) (not (acts ?p)))
    (<= (next odd) (not (true odd))) (<= (acts x) (true odd)) (<= (acts o) (not (true odd)))
    (<= (next (heap ?m)) (does ?p (take ?k)) (true (heap ?n)) (minus ?n ?k ?m)) (<= terminal (true (heap 0)))
    (<= (goal ?p 0) (acts ?p)) (<= (goal ?p 100) (role ?p) (not (acts ?p)))";

#[test]
fn turns_without_a_fluent_for_each_move_are_found() {
    for (sheet, words) in [(SWAP, "move swap() {"), (FLIP, "turn by (if odd then X else O)")] {
        let mut source = GameSource::from_string("sheet.kif", sheet);
        assert!(source.gdl_names().is_some_and(|names| !names.simultaneous), "choices at once");
        let of_sheet = solution("sheet.kif", sheet);
        let text = import(&mut source, &Limits::default()).expect("a text");
        assert!(text.contains(words) && !text.contains("by each") && !text.contains("move wait"), "{text}");
        let of_text = solution("text.bou", &text);
        assert_eq!((of_sheet.value, of_sheet.remoteness), (of_text.value, of_text.remoteness), "{text}");
    }
}

/// A player rolls or stops; while the die rolls, the fluent of the turn still holds, and players wait.
const DIE: &str =
    "(role random) (role one) (role two) (init (turn one)) (init (round 0)) (opp one two) (opp two one)
    (<= (legal ?p roll) (true (turn ?p)) (not (true rolling)))
    (<= (legal ?p stop) (true (turn ?p)) (not (true rolling)))
    (<= (legal ?p wait) (opp ?p ?q) (not (true (turn ?p)))) (<= (legal ?p wait) (opp ?p ?q) (true rolling))
    (<= (legal random (die ?d)) (true rolling) (face ?d)) (face 0) (face 1)
    (<= (legal random wait) (not (true rolling)))
    (<= (next rolling) (does ?p roll)) (<= (next (turn ?p)) (does ?p roll))
    (<= (next (turn ?q)) (true rolling) (true (turn ?p)) (opp ?p ?q))
    (<= (next (turn ?q)) (does ?p stop) (opp ?p ?q))
    (<= (next (has ?p)) (does random (die 1)) (true (turn ?p))) (<= (next (has ?p)) (true (has ?p)))
    (<= (next (round ?y)) (true (round ?x)) (then ?x ?y)) (then 0 1) (then 1 2) (then 2 3) (then 3 4)
    (<= terminal (true (round 4)))
    (<= (goal ?p 100) (opp ?p ?q) (true (has ?p)) (not (true (has ?q))))
    (<= (goal ?p 0) (opp ?p ?q) (not (true (has ?p))) (true (has ?q)))
    (<= (goal ?p 50) (opp ?p ?q) (true (has ?p)) (true (has ?q)))
    (<= (goal ?p 50) (opp ?p ?q) (not (true (has ?p))) (not (true (has ?q))))";

#[test]
fn chance_may_move_while_the_turn_of_a_player_holds() {
    let source = GameSource::from_string("sheet.kif", DIE);
    assert!(source.gdl_names().is_some_and(|names| !names.simultaneous && names.chance), "choices at once");
    // Both roll, and each has a point with an even chance.
    let payoffs = solution("sheet.kif", DIE).value.map(|value| value.payoffs);
    assert_eq!(payoffs, Some(vec![Rational::from_integer(50); 2]));
}
