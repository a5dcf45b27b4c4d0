//! Games played side by side: their components, their joint value, and the cases in which the product is refused.

use bouton_base::limits::{Limits, NoProgress};
use bouton_base::rational::Rational;
use bouton_certificates::{self as cert, Lemma, Tier};
use bouton_driver::dump::{CompilationStage, dump};
use bouton_driver::load::GameSource;
use bouton_search::game::Game;
use bouton_search::solve::{Auto, Solution, SolveOptions, SolveRequest, Solver, Status};

use super::{accepts, proof};

fn of(mut text: GameSource) -> Game {
    text.game(None).expect("sound rules")
}

fn by_product(game: &Game) -> Solution {
    super::by_strategy(game, "product")
}

fn components(mut text: GameSource) -> String {
    let game = text.game(None).expect("sound rules");
    dump(&text, &game, CompilationStage::Sum, &Limits::default()).expect("components")
}

#[test]
fn components_of_games() {
    let double = components(super::game("double_tictactoe"));
    let lines: Vec<&str> = double.lines().collect();
    assert_eq!(lines.len(), 4, "{double}");
    assert_eq!((lines[0], lines[3]), ("2 components", "162 of 198 moves belong to several at once"));
    for (number, half) in [(1, "left"), (2, "right")] {
        let cells = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"];
        let named = cells.map(|cell| format!("at[{half}, {cell}]")).join(", ");
        assert_eq!(lines[number], format!("  {number}: {named}"));
    }
    let nim = super::game("nim").with_settings(&["heaps=[2,2,4,7]".into()], None).expect("settings");
    assert_eq!(
        components(nim),
        "4 components\n  1: size[1]\n  2: size[2]\n  3: size[3]\n  4: size[4]\neach move belongs to one of them\n"
    );
    assert!(components(super::game("tictactoe")).starts_with("1 component\n"));
}

/// A game of two strips, on each of which two in a row win the given amount; a turn marks a cell on each that is not
/// over.
fn strips(left: u32, right: u32, [one, other]: [i32; 2]) -> String {
    format!(
        "game \"Strips\"; players X, O; enum Half {{ left, right }}\n\
         const twin[h: Half]: Half = match h {{ left => right, right => left }};\n\
         const size[h: Half]: 1..5 = match h {{ left => {left}, right => {right} }};\n\
         const worth[h: Half]: -9..9 = match h {{ left => {one}, right => {other} }};\n\
         state {{ at[h: Half, c: 1..5]: Player? = none; }}\n\
         def two(h: Half, p: Player) = some c in 1..4: at[h, c] = p and at[h, c + 1] = p;\n\
         def over(h: Half) = two(h, X) or two(h, O) or (all c in 1..5: c > size[h] or at[h, c] != none);\n\
         def score(h: Half, p: Player) = if two(h, p) then worth[h] else if two(h, other(p)) then -worth[h] else 0;\n\
         move both(c: 1..5, d: 1..5) {{ when not over(left) and not over(right);\n\
           when c <= size[left] and d <= size[right] and at[left, c] = none and at[right, d] = none;\n\
           at[left, c] := me; at[right, d] := me; }}\n\
         move single(h: Half, c: 1..5) {{ when over(twin[h]) and not over(h) and c <= size[h] and at[h, c] = none;\n\
           at[h, c] := me; }}\n\
         end {{ when over(left) and over(right) => payoff p: score(left, p) + score(right, p); }}\n"
    )
}

fn first_gets(solution: &Solution) -> Option<Rational> {
    solution.value.as_ref().map(|value| value.payoffs[0].clone())
}

/// The joint value of strips equals the value by enumeration.
#[test]
fn values_add_up() {
    let mut met = Vec::new();
    for (left, right, worth) in
        [(2, 3, [1, 1]), (3, 3, [2, 5]), (4, 2, [3, -1]), (3, 4, [-2, 1]), (5, 3, [1, 4])]
    {
        let game = of(GameSource::from_string("strips.bou", &strips(left, right, worth)));
        let limits = Limits::default();
        let all = Auto.solve(&SolveRequest::new(
            &game,
            &game.machine.initial(),
            &SolveOptions::default(),
            &limits,
            &NoProgress,
        ));
        let all = first_gets(&all.expect("sound rules"));
        let found = by_product(&game);
        assert!(all.is_some());
        assert_eq!(first_gets(&found), all, "{left}, {right}, {worth:?}: {:?}", found.reason);
        assert_eq!(accepts(&game, &proof(&game, &found)), Ok(()));
        met.extend(all);
    }
    met.sort_unstable();
    met.dedup();
    assert!(met.len() > 2, "{met:?}");
}

/// Two boards of noughts and crosses are worth 0 together, which their 5478 positions each show.
#[test]
fn double_tic_tac_toe() {
    let game = of(super::game("double_tictactoe"));
    let solution = by_product(&game);
    assert_eq!(first_gets(&solution), Some(Rational::default()), "{:?}", solution.reason);
    let told = "to X at[left, a1] to at[left, c3] is worth 0 and at[right, a1] to at[right, c3] is worth 0";
    assert!(solution.why.contains(told), "{}", solution.why);
    let whole = proof(&game, &solution);
    assert_eq!(whole.header.tier, Tier::Ground);
    assert_eq!(accepts(&game, &whole), Ok(()));
    assert_eq!(cert::parse(&cert::write(&whole)).as_ref(), Ok(&whole));
    // It is no Nim sum: a player who cannot move has not lost.
    let sum = super::by_strategy(&game, "nim");
    assert!(sum.reason.is_some_and(|why| why.contains("does not end just where")));
    let refuse = |change: &dyn Fn(&mut cert::ProductLemma)| {
        let mut other = whole.clone();
        let Lemma::Product(lemma) = &mut other.lemmas[0] else { panic!("a product") };
        change(lemma);
        assert!(accepts(&game, &other).is_err(), "{:?}", other.lemmas);
    };
    refuse(&|of| of.components[0].value += Rational::ONE);
    refuse(&|of| (of.components[0].value, of.components[1].value) = (1.into(), (-1).into()));
    refuse(&|of| drop(of.components.pop()));
    refuse(&|of| of.components.swap(0, 1));
    refuse(&|of| of.components[1].fluents[3] += 1);
    refuse(&|of| of.components[1].fluents.truncate(8));
    // A cell of one board counts as one of the other.
    refuse(&|of| {
        let moved = of.components[1].fluents.remove(0);
        of.components[0].fluents.push(moved);
    });
}

#[test]
fn what_is_not_played_in_step() {
    let strips = strips(3, 3, [1, 1]);
    let changed = |what: &str, to: &str| {
        assert!(strips.contains(what));
        GameSource::from_string("strips.bou", &strips.replace(what, to))
    };
    let sum = "score(left, p) + score(right, p)";
    let cases: Vec<(GameSource, &str)> = vec![
        (super::game("tictactoe"), "does not consist of several"),
        (super::game("nim"), "left alone also before they are over"),
        (changed(sum, "score(left, p) * (1 + score(right, X) * score(right, X))"), "is no sum"),
        (
            changed("over(left) and over(right) =>", "over(left) or over(right) =>"),
            "does not consist of several",
        ),
        (
            changed("c <= size[left] and d", "c != d and c <= size[left] and d"),
            "on one component depend on the moves",
        ),
        (changed("when over(twin[h]) and not over(h)", "when not over(h)"), ""),
        (changed(sum, "score(left, p) + score(right, X)"), "do not add up to 0"),
    ];
    for (text, reason) in cases {
        let solution = by_product(&of(text));
        assert_eq!(solution.status, Status::Unknown, "{reason}");
        let why = solution.reason.unwrap_or_default();
        assert!(why.contains(reason), "{reason}: {why}");
    }
}
