//! Strategies by perfect matchings, by pairs of moves in misere play, and by half turns.

use bouton_certificates::{self as cert, Lemma};
use bouton_driver::load::GameSource;
use bouton_search::game::Game;
use bouton_search::solve::ValueKind;

use super::{accepts, by_strategy, proof};

fn game(text: &str, settings: &[&str]) -> Game {
    let settings: Vec<String> = settings.iter().map(|setting| (*setting).to_owned()).collect();
    let text = GameSource::from_string("game.bou", text).with_settings(&settings, None).expect("settings");
    super::of(text, &[])
}

/// Asserts that a method proves the winner, and returns the lemma.
fn proved(text: &str, settings: &[&str], method: &str, winner: u32) -> Lemma {
    let game = game(text, settings);
    let solution = by_strategy(&game, method);
    let kind = solution.value.as_ref().map(|value| value.kind);
    assert_eq!(kind, Some(ValueKind::Win(winner)), "{settings:?}: {:?}", solution.reason);
    let proof = proof(&game, &solution);
    assert_eq!(accepts(&game, &proof), Ok(()), "{settings:?}");
    assert_eq!(cert::parse(&cert::write(&proof)).as_ref(), Ok(&proof));
    proof.lemmas[0].clone()
}

/// A knight that may never return to a cell: the player who is put before a perfect matching loses (Fraenkel,
/// Scheinerman, Ullman 1993). The first move may place the knight, in a phase of its own, and the end may be written out.
#[test]
fn a_knight_follows_a_perfect_matching() {
    let placed = "game \"Knight\"; param n: 3..8 = 6; players Alice, Bob; board Cell = grid(n, n);
        state { knight: Cell? = none; been: set of Cell = {}; }
        move ride(c: Cell) as \"{c}\" {
          when c not in been and (knight = none or c in knight.leap(1, 2));
          knight := c; been |= { c };
        }
        play normal;";
    let fixed = "game \"Knight\"; param n: 3..8 = 6; players Bob, Alice; board Cell = grid(n, n);
        state { knight: Cell = a1; been: set of Cell = {a1}; }
        move ride(c: Cell) as \"{c}\" { when c in knight.leap(1, 2) and c not in been; knight := c; been |= { c }; }
        play normal;";
    let phases = "game \"Knight\"; param n: 3..8 = 6; players Alice, Bob; board Cell = grid(n, n);
        phases { setup start; ride; }
        state { knight: Cell? = none; been: set of Cell = {}; }
        move put(c: Cell) in start as \"{c}\" { knight := c; been |= { c }; }
        move ride_to(c: Cell) in ride as \"{c}\" {
          let here = knight;
          when c in here.leap(1, 2) and c not in been;
          knight := c; been |= { c };
        }
        end { when phase = ride and stuck => mover loses; }";
    for n in [4, 6, 8] {
        let n = &[&*format!("n={n}")];
        assert!(matches!(proved(placed, n, "pairing", 1), Lemma::Answers(_)));
        assert!(matches!(proved(fixed, n, "pairing", 0), Lemma::Answers(_)));
        assert!(matches!(proved(phases, n, "pairing", 1), Lemma::Answers(_)));
    }
    // On odd boards a cell is left over, and the first player begins there.
    for text in [placed, phases] {
        let solution = by_strategy(&game(text, &["n=5"]), "pairing");
        let kind = solution.value.map(|value| value.kind);
        assert_ne!(kind, Some(ValueKind::Win(1)));
    }
}

const NOTAKTO: &str = "game \"Notakto\"; players First, Second; board Cell = grid(3, 3);
    state { cross: set of Cell = {}; }
    def dead = some l in lines(Cell, 3): l in cross;
    move put(c: Cell) as \"{c}\" { when c not in cross and not dead; cross |= { c }; }
    play misere;";

/// The middle, and then a knight's move away from the other's cross (Plambeck and Whitehead 2013).
#[test]
fn notakto_is_won_by_the_middle_and_knights_moves() {
    let Lemma::Answers(lemma) = proved(NOTAKTO, &[], "pairing", 0) else { panic!("answers") };
    assert_eq!(lemma.opening.as_deref(), Some("put(b2)"));
    assert_eq!(lemma.pairs.len(), 8);
    let cell = |name: &str| {
        let name = name.trim_start_matches("put(").as_bytes();
        [name[0], name[1]]
    };
    for (made, answer) in &lemma.pairs {
        let ([a, b], [c, d]) = (cell(made), cell(answer));
        let mut steps = [a.abs_diff(c), b.abs_diff(d)];
        steps.sort_unstable();
        assert_eq!(steps, [1, 2], "{made} by {answer}");
    }
    // Changed strategies are refused: another opening, an answer less, or another answer.
    let game = game(NOTAKTO, &[]);
    let whole = proof(&game, &by_strategy(&game, "pairing"));
    let refused = |change: &dyn Fn(&mut bouton_certificates::AnswersLemma)| {
        let mut other = whole.clone();
        let Some(Lemma::Answers(lemma)) = other.lemmas.first_mut() else { panic!("answers") };
        change(lemma);
        accepts(&game, &other).expect_err("a changed strategy")
    };
    assert!(refused(&|lemma| lemma.opening = Some("put(a1)".into())).len() > 10);
    assert!(refused(&|lemma| drop(lemma.pairs.pop())).contains("has no answer"));
    let lines = refused(&|lemma| {
        // Neighbours along the edge: after two such pairs a line may be full.
        let ring = ["a1", "b1", "c1", "c2", "c3", "b3", "a3", "a2"].map(|cell| format!("put({cell})"));
        let pairs = (0..8).map(|place| (ring[place].clone(), ring[place ^ 1].clone()));
        lemma.pairs = pairs.collect();
        lemma.pairs.sort_unstable();
    });
    assert!(lines.contains("not always legal") || lines.contains("may be over"), "{lines}");
}

/// Node Kayles: a half turn serves where no cell is beside its image, although both may shut the same cells.
#[test]
fn half_turns_may_meet_in_what_both_shut() {
    let text = "game \"Node Kayles\"; param w: 1..16 = 3; param h: 1..4 = 3; players First, Second;
        board Point = grid(w, h);
        state { shut: set of Point = {}; }
        move choose(c: Point) as \"{c}\" { when c not in shut; shut |= { c } | c.neighbors; }
        play normal;";
    for (w, h) in [(4, 4), (6, 4), (6, 2), (16, 4)] {
        assert!(matches!(
            proved(text, &[&format!("w={w}"), &format!("h={h}")], "symmetry", 1),
            Lemma::Mirror(_)
        ));
    }
    // With both sides odd the middle comes first. In a row of even length the two middle cells are neighbours.
    assert!(matches!(proved(text, &["w=5", "h=3"], "symmetry", 0), Lemma::Mirror(_)));
    let solution = by_strategy(&game(text, &["w=5", "h=4"]), "symmetry");
    assert!(solution.value.is_none());
    // A move that changes back what its image changes does not commute with it.
    let text = text.replace(
        "shut |= { c } | c.neighbors;",
        "shut |= { c }; for d in c.neighbors { if d in shut { shut -= { d }; } }",
    );
    let solution = by_strategy(&game(&text, &["w=4", "h=4"]), "symmetry");
    assert!(solution.value.is_none());
}
