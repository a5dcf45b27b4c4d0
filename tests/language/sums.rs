//! Positions that fall apart: what the components are worth, who wins, and where values must not be added.

use bouton::base::limits::{Limits, Silent};
use bouton::cert::{self, Certificate, Lemma, Tier};
use bouton::driver::load::Text;
use bouton::driver::strategy;
use bouton::game::Game;
use bouton::solve::certify::{Wanted, certificate};
use bouton::solve::{Method, Options, Solution, ValueKind, solve};
use bouton::verify::{Verdict, verify};

fn of(text: Text, settings: &[&str]) -> Game {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    text.given(&settings, None).expect("settings").game(None).expect("sound rules")
}

fn by_sum(game: &Game) -> Solution {
    strategy::solve(game, &game.machine.initial(), Method::Nim, &Limits::default())
}

fn proof(game: &Game, solution: &Solution) -> Certificate {
    let limits = Limits::default();
    let wanted = Wanted { strong: false, positions: None, limits: &limits };
    certificate(game, &game.machine.initial(), solution, &wanted).expect("a certificate")
}

fn accepts(game: &Game, certificate: &Certificate) -> Result<(), String> {
    match verify(&game.rules, certificate, &Limits::default(), None) {
        Verdict::Accepted(_) => Ok(()),
        Verdict::Rejected(rejection) => Err(rejection.reason),
        Verdict::Limit(hit) => Err(hit.to_string()),
    }
}

fn sum(certificate: &Certificate) -> &cert::Sum {
    match &certificate.lemmas[..] {
        [Lemma::Sum(sum)] => sum,
        other => panic!("{other:?} is no sum"),
    }
}

/// The value, who wins, the moves that leave 0, and how many components differ.
type Case<'a> = (&'a str, &'a [&'a str], u32, &'a [&'a str], usize);

#[test]
fn positions_that_fall_apart() {
    let cases: &[Case<'_>] = &[
        ("nim", &["heaps=[2,2,4,7]"], 3, &["1-1", "2-1", "4-3"], 7),
        ("nim", &["heaps=[3,4,5]"], 2, &["1-2"], 5),
        ("nim", &["heaps=[2,3,4,5]"], 0, &[], 5),
        ("nim", &["heaps=[1,1,2]"], 2, &["3-2"], 2),
        ("nim", &["heaps=[31,30,29,28,7]"], 7, &["1-7", "2-5", "3-3", "4-1", "5-7"], 31),
        ("kayles", &["n=40"], 1, &["2x2", "8x2", "10x2"], 40),
        ("dawsons_kayles", &["n=40"], 3, &["3", "10", "13", "20", "27", "30", "37"], 38),
        ("dawsons_kayles", &["n=29"], 0, &[], 27),
        // Heaps of 1 and 2 have no moves: they are one component.
        ("grundy", &["n=30"], 3, &["30=4+26", "30=7+23", "30=10+20"], 29),
        ("grundy", &["n=7"], 0, &[], 6),
        ("hatch", &["n=40", "k=3"], 6, &["3x2", "10x2", "13x2"], 40),
    ];
    for (name, settings, nimber, best, components) in cases {
        let game = of(super::game(name), settings);
        let solution = by_sum(&game);
        assert_eq!(solution.nimber, Some(*nimber), "{name} {settings:?}: {:?}", solution.reason);
        let winner = ValueKind::Win(u32::from(*nimber == 0));
        assert_eq!(solution.value.as_ref().map(|value| value.kind), Some(winner));
        let written: Vec<&str> = solution.best_moves.iter().map(|made| made.written.as_str()).collect();
        assert!(written.starts_with(best), "{name} {settings:?}: {written:?}");
        assert_eq!(written.is_empty(), *nimber == 0);
        let proof = proof(&game, &solution);
        assert_eq!(proof.header.tier, Tier::Ground);
        assert_eq!(sum(&proof).components.len(), *components, "{name} {settings:?}");
        assert_eq!(accepts(&game, &proof), Ok(()));
        assert_eq!(cert::read(&cert::write(&proof)).as_ref(), Ok(&proof));
    }
}

/// Each size that can be gone through whole: the values and the moves are the same.
#[test]
fn sums_agree_with_going_through_all_positions() {
    let mut cases: Vec<(&str, Vec<String>)> = Vec::new();
    let most = if super::slow() { 14 } else { 10 };
    for n in 4..=most {
        cases.push(("kayles", vec![format!("n={n}")]));
        cases.push(("dawsons_kayles", vec![format!("n={n}")]));
        cases.push(("grundy", vec![format!("n={n}")]));
        cases.push(("nim", vec![format!("heaps=[{}, {}, 3]", n % 5, n / 2)]));
        cases.extend((1..=4).map(|k| ("hatch", vec![format!("n={n}"), format!("k={k}")])));
    }
    cases.extend(
        [(3, 3), (4, 3), (4, 4), (5, 2), (5, 3), (9, 1)]
            .map(|(cols, rows)| ("cram", vec![format!("cols={}", cols.min(8)), format!("rows={rows}")])),
    );
    let mut compared = 0;
    for (name, settings) in cases {
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let game = of(super::game(name), &settings);
        let limits = Limits::default();
        let all =
            solve(&game, &game.machine.initial(), Method::Grundy, &Options::default(), &limits, &Silent);
        let all = all.expect("sound rules");
        let sum = by_sum(&game);
        assert!(all.nimber.is_some(), "{name} {settings:?}");
        // Small rows do not fall apart.
        if sum.reason.as_deref().is_some_and(|why| why.contains("does not fall apart")) {
            continue;
        }
        compared += 1;
        assert_eq!(sum.nimber, all.nimber, "{name} {settings:?}: {:?}", sum.reason);
        if all.nimber != Some(0) {
            let moves = |of: &Solution| of.best_moves.iter().map(|m| m.written.clone()).collect::<Vec<_>>();
            assert_eq!(moves(&sum), moves(&all), "{name} {settings:?}");
        }
    }
    assert!(compared > 45, "{compared}");
}

/// The published values of Grundy's game.
#[test]
fn heaps_that_are_counted() {
    let values =
        [0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1, 3, 2, 4, 3, 0, 4, 3, 0, 4, 3, 0, 4, 1, 2, 3];
    for (n, value) in (5..).zip(&values[5..]) {
        let game = of(super::game("grundy"), &[&format!("n={n}")]);
        assert_eq!(by_sum(&game).nimber, Some(*value), "{n}");
    }
}

/// What falls apart, and may not be added up or needs not be.
#[test]
fn where_values_are_not_added() {
    let head = "players A, B; type Heap = 1..2;";
    let limited = format!(
        "game \"Limited Nim\"; {head} state {{ size[h: Heap]: 0..3 = 3; left: 0..3 = 3; }}\n\
         move take(h: Heap, k: 1..3) {{ when k <= size[h] and left > 0; size[h] -= k; left -= 1; }}\nplay normal;\n"
    );
    let misere = format!(
        "game \"Misere Nim\"; {head} state {{ size[h: Heap]: 0..3 = 3; }}\n\
         move take(h: Heap, k: 1..3) {{ when k <= size[h]; size[h] -= k; }}\nplay misere;\n"
    );
    // Two ones can be made of a two, and ones are counted to three.
    let overflow = "game \"Splitting\"; players A, B; state { ones: 0..3 = 3; twos: 0..1 = 1; lamp: bool = true; }\n\
        move split() { when twos > 0; twos -= 1; ones += 2; }\n\
        move take() { when ones > 0; ones -= 1; }\n\
        move put_out() { when lamp; lamp := false; }\nplay normal;\n";
    let back = "game \"Back\"; players A, B; type Lamp = 1..2; state { on[l: Lamp]: bool = true; }\n\
        move turn(l: Lamp) { on[l] := not on[l]; }\nplay normal;\n";
    for (game, reason) in [
        (of(Text::of("limited.bou", &limited), &[]), "does not fall apart"),
        (of(Text::of("misere.bou", &misere), &[]), "who cannot move does not lose"),
        (of(Text::of("overflow.bou", overflow), &[]), "have a meaning everywhere"),
        (of(Text::of("fits.bou", &overflow.replace("0..3 = 3", "0..5 = 3")), &[]), ""),
        (of(Text::of("back.bou", back), &[]), "come back"),
        (of(super::game("double_tictactoe"), &[]), "does not end just where"),
        (of(super::game("treblecross"), &[]), "does not end just where"),
        (of(super::game("domineering"), &[]), "do not have the same moves"),
        (of(super::game("wythoff"), &[]), "does not fall apart"),
        (of(super::game("hatch"), &["n=3", "k=3"]), ""),
    ] {
        let why = by_sum(&game).reason.unwrap_or_default();
        assert!(why.contains(reason), "{}: {why}", game.rules.name);
    }
}

/// The checker refuses the same claims whoever makes them.
#[test]
fn values_that_are_added_where_they_must_not_be_are_refused() {
    let text = |convention: &str| {
        format!(
            "game \"Nim\"; players A, B; type Heap = 1..2; state {{ size[h: Heap]: 0..3 = if h = 1 then 1 else 2; }}\n\
             move take(h: Heap, k: 1..3) {{ when k <= size[h]; size[h] -= k; }}\nplay {convention};\n"
        )
    };
    let normal = of(Text::of("nim.bou", &text("normal")), &[]);
    let misere = of(Text::of("nim.bou", &text("misere")), &[]);
    let mut proof = proof(&normal, &by_sum(&normal));
    assert_eq!(accepts(&normal, &proof), Ok(()));
    proof.header.rules = cert::Digest::of_rules(&misere.rules);
    proof.header.convention = cert::Convention::of(&misere.rules);
    let why = accepts(&misere, &proof).expect_err("misere play is another game");
    assert!(why.contains("does not always give the holder that much"), "{why}");
}

/// A value, a component or a player that is not as it should be is refused.
#[test]
fn changed_sums_are_refused() {
    let mut changed = 0;
    for (name, settings) in [
        ("nim", &["heaps=[2,2,4,7]"][..]),
        ("kayles", &["n=15"]),
        ("grundy", &["n=12"]),
        ("cram", &["cols=3", "rows=3"]),
    ] {
        let game = of(super::game(name), settings);
        let whole = proof(&game, &by_sum(&game));
        assert_eq!(accepts(&game, &whole), Ok(()));
        let mut refuse = |change: &dyn Fn(&mut cert::Sum), what: &str| {
            let mut other = whole.clone();
            let Some(Lemma::Sum(lemma)) = other.lemmas.first_mut() else { panic!("a sum") };
            change(lemma);
            assert!(accepts(&game, &other).is_err(), "{name}: {what}");
            changed += 1;
        };
        let components = &sum(&whole).components;
        for (place, of) in components.iter().enumerate() {
            refuse(&|sum| drop(sum.components.remove(place)), "a component less");
            refuse(&|sum| sum.components.insert(place, of.clone()), "a component twice");
            refuse(&|sum| sum.components[place].component.fluents[0] += 1, "another fluent");
            refuse(&|sum| sum.components[place].component.values[0] += 1, "another position");
            for other in [0, 1, 2, 3, of.nimber + 1, u32::MAX].into_iter().filter(|other| *other != of.nimber)
            {
                refuse(&|sum| sum.components[place].nimber = other, "another value");
            }
        }
        let holder = sum(&whole).bound.holder.map(|holder| 1 - holder);
        refuse(&|sum| sum.bound.holder = holder, "the other player");
        refuse(&|sum| sum.components.clear(), "no component");
    }
    assert!(changed > 500, "{changed}");
}
