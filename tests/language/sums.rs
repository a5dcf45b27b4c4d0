//! Positions that decompose: the values of the components, the winner, and positions whose values must not be added.

use std::sync::Arc;

use bouton_base::limits::{Limits, NoProgress};
use bouton_certificates::sum::ListedComponent;
use bouton_certificates::{self as cert, Certificate, Claim, Lemma, Tier};
use bouton_checker::{Verdict, Verifier};
use bouton_driver::load::GameSource;
use bouton_driver::row_periods;
use bouton_search::game::Game;
use bouton_search::solve::certify::header;
use bouton_search::solve::{Auto, Solution, SolveOptions, SolveRequest, Solver, ValueKind};

use super::{accepts, method, of, proof};

fn by_sum(game: &Game) -> Solution {
    super::by_strategy(game, "nim")
}

fn sum(certificate: &Certificate) -> &cert::SumLemma {
    match &certificate.lemmas[..] {
        [Lemma::Sum(sum)] => sum,
        other => panic!("{other:?} is no sum"),
    }
}

/// Game, settings, the nimber, the first of the moves to 0, and the number of distinct components.
type SumCase<'a> = (&'a str, &'a [&'a str], u32, &'a [&'a str], usize);

#[test]
fn positions_that_fall_apart() {
    let cases: &[SumCase<'_>] = &[
        ("nim", &["heaps=[2,2,4,7]"], 3, &["1-1", "2-1", "4-3"], 7),
        ("nim", &["heaps=[3,4,5]"], 2, &["1-2"], 5),
        ("nim", &["heaps=[2,3,4,5]"], 0, &[], 5),
        ("nim", &["heaps=[1,1,2]"], 2, &["3-2"], 2),
        ("nim", &["heaps=[31,30,29,28,7]"], 7, &["1-7", "2-5", "3-3", "4-1", "5-7"], 31),
        ("kayles", &["n=40"], 1, &["2x2", "8x2", "10x2"], 40),
        ("dawsons_kayles", &["n=40"], 3, &["3", "10", "13", "20", "27", "30", "37"], 38),
        ("dawsons_kayles", &["n=29"], 0, &[], 27),
        // Each kind of heap is listed, also those of 1 and 2, which have no moves.
        ("grundy", &["n=30"], 3, &["30=4+26", "30=7+23", "30=10+20"], 30),
        ("grundy", &["n=7"], 0, &[], 7),
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
        assert_eq!(cert::parse(&cert::write(&proof)).as_ref(), Ok(&proof));
    }
    let why = by_sum(&of(super::game("nim"), &["heaps=[2,2,4,7]"])).why;
    assert!(why.contains("worth 2, 2, 4, 7 (in binary 010, 010, 100, 111)"), "{why}");
    assert!(why.contains("makes the number of ones in every column even"), "{why}");
}

/// At each size that enumeration can solve, the values and the moves are the same.
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
        let all = method("grundy").solve(&SolveRequest::new(
            &game,
            &game.machine.initial(),
            &SolveOptions::default(),
            &limits,
            &NoProgress,
        ));
        let all = all.expect("sound rules");
        let sum = by_sum(&game);
        assert!(all.nimber.is_some(), "{name} {settings:?}");
        // Small rows do not fall apart.
        if sum.reason.as_deref().is_some_and(|why| why.contains("does not split")) {
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

/// Games that decompose, whose values must not or need not be added.
#[test]
fn where_values_are_not_added() {
    let head = "players A, B; type Heap = 1..2;";
    let limited = format!(
        "game \"Limited Nim\"; {head} state {{ size[h: Heap]: 0..3 = 3; left: 0..3 = 3; }}\n\
         move take(h: Heap, k: 1..3) {{ when k <= size[h] and left > 0; size[h] -= k; left -= 1; }}\nplay normal;\n"
    );
    // Two ones can be made of a two, and ones are counted to three.
    let overflow = "game \"Splitting\"; players A, B; state { ones: 0..3 = 3; twos: 0..1 = 1; lamp: bool = true; }\n\
        move split() { when twos > 0; twos -= 1; ones += 2; }\n\
        move take() { when ones > 0; ones -= 1; }\n\
        move put_out() { when lamp; lamp := false; }\nplay normal;\n";
    let back = "game \"Back\"; players A, B; type Lamp = 1..2; state { on[l: Lamp]: bool = true; }\n\
        move turn(l: Lamp) { on[l] := not on[l]; }\nplay normal;\n";
    for (game, reason) in [
        (of(GameSource::from_string("limited.bou", &limited), &[]), "does not split"),
        (of(GameSource::from_string("overflow.bou", overflow), &[]), "have a meaning in every position"),
        (of(GameSource::from_string("fits.bou", &overflow.replace("0..3 = 3", "0..5 = 3")), &[]), ""),
        (of(GameSource::from_string("back.bou", back), &[]), "come back"),
        (of(super::game("double_tictactoe"), &[]), "does not end just where"),
        (of(super::game("treblecross"), &[]), "does not end just where"),
        (of(super::game("domineering"), &[]), "do not have the same moves"),
        (of(super::game("wythoff"), &[]), "does not split"),
        (of(super::game("hatch"), &["n=3", "k=3"]), ""),
    ] {
        let why = by_sum(&game).reason.unwrap_or_default();
        assert!(why.contains(reason), "{}: {why}", game.rules.name);
    }
}

/// The checker refuses the same claims in a forged certificate.
#[test]
fn values_that_are_added_where_they_must_not_be_are_refused() {
    let text = |convention: &str| {
        format!(
            "game \"Nim\"; players A, B; type Heap = 1..2; state {{ size[h: Heap]: 0..3 = if h = 1 then 1 else 2; }}\n\
             move take(h: Heap, k: 1..3) {{ when k <= size[h]; size[h] -= k; }}\nplay {convention};\n"
        )
    };
    let normal = of(GameSource::from_string("nim.bou", &text("normal")), &[]);
    let misere = of(GameSource::from_string("nim.bou", &text("misere")), &[]);
    let mut proof = proof(&normal, &by_sum(&normal));
    assert_eq!(accepts(&normal, &proof), Ok(()));
    proof.header.rules = cert::Digest::of_rules(&misere.rules);
    proof.header.convention = cert::Convention::of(&misere.rules);
    let why = accepts(&misere, &proof).expect_err("misere play is another game");
    assert!(why.contains("does not always give the holder that much"), "{why}");
}

/// A change of a listed component after which it is none of the position.
#[derive(Clone, Copy)]
enum ComponentChange {
    MoreFluents,
    FewerFluents,
    /// The other player is to move in its position; the turn is the lowest bit.
    Turn,
    /// The first fluent stands as a count of heaps.
    Heap,
}

fn change_component(component: &mut ListedComponent, by: ComponentChange) {
    match (component, by) {
        (ListedComponent::Region { fluents, .. }, ComponentChange::MoreFluents) => {
            fluents.extend(fluents.last().map(|last| last + 1));
        }
        (ListedComponent::Region { fluents, .. }, ComponentChange::FewerFluents) => {
            fluents.pop();
        }
        (ListedComponent::Region { position, .. }, ComponentChange::Turn) => position.0[0] ^= 1,
        (region, ComponentChange::Heap) => {
            let fluent = fluents(region)[0];
            *region = ListedComponent::Heap { fluent };
        }
        (ListedComponent::Heap { fluent }, ComponentChange::FewerFluents) => *fluent -= 1,
        (ListedComponent::Heap { fluent }, _) => *fluent += 1,
    }
}

/// Returns the fluents of a component.
fn fluents(component: &ListedComponent) -> &[u32] {
    match component {
        ListedComponent::Region { fluents, .. } => fluents,
        ListedComponent::Heap { fluent } => std::slice::from_ref(fluent),
    }
}

/// A wrong value, component or player is refused.
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
        let mut refuse = |change: &dyn Fn(&mut cert::SumLemma), what: &str| {
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
            let change = |by: ComponentChange| {
                move |sum: &mut cert::SumLemma| change_component(&mut sum.components[place].component, by)
            };
            refuse(&change(ComponentChange::MoreFluents), "a fluent more");
            refuse(&change(ComponentChange::FewerFluents), "a fluent less");
            if matches!(of.component, ListedComponent::Region { .. }) {
                refuse(&change(ComponentChange::Turn), "another player to move");
                refuse(&change(ComponentChange::Heap), "a region as a heap");
            }
            for other in [0, 1, 2, 3, of.nimber + 1, u32::MAX].into_iter().filter(|other| *other != of.nimber)
            {
                refuse(&|sum| sum.components[place].nimber = other, "another value");
            }
        }
        let holder = sum(&whole).bound.holder.map(|holder| 1 - holder);
        refuse(&|sum| sum.bound.holder = holder, "the other player");
        refuse(&|sum| sum.components.clear(), "no component");
        refuse(&|sum| sum.components.reverse(), "components before those that moves on them lead to");
    }
    assert!(changed > 500, "{changed}");
}

/// Proves the period of a game's rows by their length.
fn period(mut text: GameSource, settings: &[&str]) -> Result<row_periods::PeriodProof, String> {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    text = text.with_settings(&settings, None).expect("settings");
    row_periods::prove(&mut text, "n", &Limits::default()).map_err(|why| why.to_string())
}

/// Verifies a certificate about rows of every length.
fn of_rows(mut text: GameSource, settings: &[&str], certificate: &Certificate) -> Result<(), String> {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    text = text.with_settings(&settings, None).expect("settings");
    let rules = text.rules_with(&[]).expect("sound rules");
    let family = bouton_verify::SourceFamily::new(&mut text, &rules);
    match Verifier::of_family(&Arc::new(rules), &family).verify(certificate, &Limits::default(), None) {
        Verdict::Accepted(_) => Ok(()),
        Verdict::Rejected(rejection) => Err(rejection.reason),
        Verdict::Limit(hit) => Err(hit.to_string()),
    }
}

/// Game, settings, the start of the period, the period, and the first values.
type PeriodCase<'a> = (&'a str, &'a [&'a str], u32, u32, &'a [u32]);

/// The published periods, proved for rows of every length.
#[test]
fn periods_of_rows() {
    let cases: &[PeriodCase<'_>] = &[
        ("kayles", &[], 71, 12, &[0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7]),
        ("dawsons_kayles", &[], 53, 34, &[0, 0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0]),
        ("hatch", &["k=1"], 0, 2, &[0, 1]),
        ("hatch", &["k=2"], 71, 12, &[0, 1, 2, 3, 1, 4, 3, 2]),
        ("hatch", &["k=4"], 142, 24, &[0, 1, 2, 3, 4, 5, 6, 7, 3, 2, 8, 9, 7]),
    ];
    for (name, settings, from, every, values) in cases {
        let found = period(super::game(name), settings).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!((found.period.from, found.period.period), (*from, *every), "{name} {settings:?}");
        assert!(found.period.values.starts_with(values), "{name} {settings:?}: {:?}", found.period.values);
        let value = |n: u64| found.period.value(n);
        assert!((u64::from(*from)..400).all(|n| value(n + u64::from(*every)) == value(n)));
        assert_eq!(found.certificate.header.tier, Tier::Parametric);
        let read = cert::parse(&cert::write(&found.certificate)).expect("what was written");
        assert_eq!(read, found.certificate);
        assert_eq!(of_rows(super::game(name), settings, &read), Ok(()));
        // Without the source, a certificate cannot be about rows of every length.
        let game = of(super::game(name), settings);
        assert!(accepts(&game, &read).is_err_and(|why| why.contains("rows of every length")));
    }
}

/// Rules that may differ between lengths, and rows without a period within the limit.
#[test]
fn rows_without_a_period() {
    let row = |moves: &str, play: &str| {
        let text = format!(
            "game \"Row\"; param n: 1..99 = 9; param far: 1..9 = 2; players A, B; type Cell = 1..n;\n\
             state {{ full: set of Cell = {{}}; }}\n{moves}\nplay {play};\n"
        );
        GameSource::from_string("row.bou", &text)
    };
    let fill = |when: &str| {
        format!("move fill(c: Cell, k: 1..2) {{ let run = c .. c + k - 1; when {when}; full |= run; }}")
    };
    let sound = "c + k - 1 <= n and run & full = {}";
    assert!(period(row(&fill(sound), "normal"), &[]).is_ok());
    let other = |when: &str| period(row(&fill(&format!("{sound} and {when}")), "normal"), &[]).err();
    let cases = [
        (period(super::game("hatch"), &["k=3"]).err(), "no period was found"),
        (period(row(&fill(sound), "misere"), &[]).err(), "more than a row"),
        (period(super::game("treblecross"), &[]).err(), "more than a row"),
        (period(super::game("grundy"), &[]).err(), "not a row of cells"),
        (period(super::game("row_of_cells"), &[]).err(), "more than a row"),
        // Rules that depend on the ends of the row, on its length, on the number of full cells.
        (other("c > 1"), "rows of every length"),
        (other("n < 20"), "rows of every length"),
        (other("#full < 20"), "rows of every length"),
        (other("(all d in Cell: d not in full)"), "rows of every length"),
        // The cell at some distance must be free, too: no longer a block.
        (other("c + far + 1 not in full"), "not just blocks of these lengths"),
        (other("c < n"), "not just blocks of these lengths"),
        (
            period(row("move two(c: Cell, d: Cell) { when c not in full; full |= { c }; }", "normal"), &[])
                .err(),
            "not of one cell that is chosen",
        ),
    ];
    for (number, (why, reason)) in cases.into_iter().enumerate() {
        let why = why.unwrap_or_default();
        assert!(why.contains(reason), "{number}: {why}");
    }
}

/// A move that looks at no neighbour may be made beside free cells as well as alone: no digit of a row of one cell.
#[test]
fn moves_without_a_window_have_the_digit_of_all_neighbours() {
    let text = "game \"Ones\"; param n: 1..200 = 9; players A, B; type Cell = 1..n; state { up: set of Cell = Cell; }
        move take(p: Cell) as \"{p}\" { when p in up; up -= { p }; } play normal;";
    let source = || GameSource::from_string("ones.bou", text);
    let proof = period(source(), &[]).expect("a period");
    assert_eq!((proof.period.from, proof.period.period), (0, 2));
    for digit in 1..7 {
        let mut forged = proof.certificate.clone();
        let Some(cert::Lemma::Periodic(of)) = forged.lemmas.last_mut() else { panic!("of a period") };
        of.digits = vec![digit];
        assert!(of_rows(source(), &[], &forged).is_err(), "the digit {digit}");
    }
}

/// Octal games in which a block may be filled only where its neighbours are free, or not; the periods are published
/// (OEIS A125924, A071434).
#[test]
fn octal_games_have_periods() {
    let there = "def there(p: -1..202) = p in Pin and p not in gone;";
    let octal = |moves: &str| {
        let text = format!(
            "game \"Octal\"; param n: 1..200 = 10; players A, B; type Pin = 1..n;\n\
             state {{ gone: set of Pin = {{}}; }}\n{there}\n{moves}\nplay normal;\n"
        );
        GameSource::from_string("octal.bou", &text)
    };
    let flanigan =
        "move single(a: Pin) { when there(a) and not (there(a - 1) and there(a + 1)); gone |= { a }; }
        move pair(a: Pin) {
          when there(a - 1) and there(a) and there(a + 1) and there(a + 2);
          gone |= { a, a + 1 };
        }";
    let runs =
        "move single(a: Pin) { when there(a) and not there(a - 1) and not there(a + 1); gone |= { a }; }
        move pair(a: Pin) {
          when there(a) and there(a + 1) and not (there(a - 1) and there(a + 2));
          gone |= { a, a + 1 };
        }
        move more(a: Pin, k: 3..4) {
          when a + k - 1 <= n and (a .. a + k - 1) & gone = {};
          gone |= a .. a + k - 1;
        }";
    for (moves, from, every) in [(flanigan, 7, 8), (runs, 141, 24)] {
        let proof = period(octal(moves), &[]).unwrap_or_else(|why| panic!("{moves}: {why}"));
        assert_eq!((proof.period.from, proof.period.period), (from, every), "{moves}");
        assert!(of_rows(octal(moves), &[], &proof.certificate).is_ok(), "{moves}");
        // Read back, it says the same.
        let read = cert::parse(&cert::write(&proof.certificate)).expect("a certificate");
        assert_eq!(read.lemmas, proof.certificate.lemmas);
        for place in 0..2 {
            let mut other = proof.certificate.clone();
            let Some(Lemma::Periodic(lemma)) = other.lemmas.first_mut() else { panic!("a period") };
            lemma.digits[place] ^= 1;
            assert!(of_rows(octal(moves), &[], &other).is_err(), "{moves}: another digit {place}");
        }
    }
    // A definition that is not defined as far as moves need it, one side only, and a call in a call for ever.
    for (moves, reason) in [
        (flanigan.replace("a + 2", "a + 3"), "rows of every length"),
        (flanigan.replace("and there(a + 1))", ")"), "not just blocks of these lengths"),
    ] {
        let why = period(octal(&moves), &[]).err().unwrap_or_default();
        assert!(why.contains(reason), "{moves}: {why}");
    }
}

/// A false period, or any other change, is refused.
#[test]
fn changed_periods_are_refused() {
    let whole = period(super::game("kayles"), &[]).unwrap_or_else(|why| panic!("{why}")).certificate;
    let mut changed = 0;
    let mut refuse = |change: &dyn Fn(&mut cert::PeriodicLemma, &mut Claim), what: &str| {
        let mut other = whole.clone();
        let Some(Lemma::Periodic(lemma)) = other.lemmas.first_mut() else { panic!("a period") };
        change(lemma, &mut other.header.claim);
        assert!(of_rows(super::game("kayles"), &[], &other).is_err(), "{what}");
        changed += 1;
    };
    let claim = |from: u32, period: u32| Claim::Period { param: "n".into(), from, period };
    for from in [0, 12, 59, 69, 70, 72] {
        refuse(&|_, of| *of = claim(from, 12), "another claim");
        refuse(&|lemma, of| (lemma.from, *of) = (from, claim(from, 12)), "another beginning");
    }
    for every in [0, 1, 6, 11, 24, 34] {
        refuse(
            &|lemma, of| {
                (lemma.period, *of) = (every, claim(71, every));
                lemma.values.resize(71 + every as usize, 4);
            },
            "another period",
        );
    }
    for place in 0..83 {
        refuse(&|lemma, _| lemma.values[place] ^= 1, "another value");
    }
    refuse(&|lemma, _| lemma.values.truncate(82), "a value less");
    for digits in [vec![], vec![7], vec![0, 7], vec![7, 0], vec![7; 3], vec![7, 3], vec![15, 7], vec![7; 40]]
    {
        refuse(&|lemma, _| lemma.digits.clone_from(&digits), "other digits");
    }
    refuse(&|lemma, _| lemma.param = "k".into(), "another parameter");
    assert!(changed > 100, "{changed}");
    // The same numbers do not prove a period of another game.
    let mut other = whole.clone();
    let mut hatch = super::game("hatch").with_settings(&["k=3".into()], None).expect("settings");
    other.header = header(&hatch.rules_with(&[]).expect("sound"), None, claim(71, 12), Tier::Parametric);
    let why = of_rows(super::game("hatch"), &["k=3"], &other).expect_err("blocks of three");
    assert!(why.contains("not just blocks of these lengths"), "{why}");
    let Some(Lemma::Periodic(lemma)) = other.lemmas.first_mut() else { panic!("a period") };
    lemma.digits = vec![7; 3];
    let why = of_rows(super::game("hatch"), &["k=3"], &other).expect_err("other values");
    assert!(why.contains("the value of a row of"), "{why}");
}

/// Returns the rules of misère Kayles with one row of pins.
fn misere_rows(pins: u32) -> String {
    format!(
        "game \"Misere Kayles\"; players First, Second; type Pin = 1..{pins}; state {{ up: set of Pin = Pin; }}\n\
         move bowl(p: Pin, k: 1..2) as \"{{p}}x{{k}}\" {{ let hit = p .. p + k - 1; when hit in up; up -= hit; }}\n\
         play misere;\n"
    )
}

fn misere_nim(heaps: &str) -> String {
    format!(
        "game \"Misere Nim\"; param heaps: list of 0..9 = {heaps}; players First, Second; type Heap = 1..#heaps;\n\
         state {{ size[h: Heap]: 0..9 = heaps[h]; }}\n\
         move take(h: Heap, k: 1..9) as \"{{h}}-{{k}}\" {{ when k <= size[h]; size[h] -= k; }}\nplay misere;\n"
    )
}

/// Misère play by a quotient: the winner and the moves equal those by enumeration.
#[test]
fn misere_play_of_sums() {
    // By Nim's rule for misère play: as in normal play while a heap of two or more is left, then an odd number of ones.
    for (heaps, best) in [("[1, 1, 2]", &["3-1"][..]), ("[3, 4, 5]", &["1-2"]), ("[2, 3, 4, 5]", &[])] {
        let nim = of(GameSource::from_string("nim.bou", &misere_nim(heaps)), &[]);
        let written: Vec<String> = by_sum(&nim).best_moves.iter().map(|made| made.written.clone()).collect();
        assert_eq!(written, best, "{heaps}");
    }
    let mut cases: Vec<String> =
        ["[1, 1]", "[1, 1, 1]", "[2, 2]", "[2, 3, 1]", "[5, 4, 1]", "[3, 4, 5]", "[7, 1, 1]", "[2, 3, 4, 5]"]
            .map(misere_nim)
            .to_vec();
    cases.extend([3, 4, 5, 6, 7, 8].map(misere_rows));
    for text in cases {
        let game = of(GameSource::from_string("misere.bou", &text), &[]);
        let limits = Limits::default();
        let options = SolveOptions { all_moves: true, ..SolveOptions::default() };
        let all =
            Auto.solve(&SolveRequest::new(&game, &game.machine.initial(), &options, &limits, &NoProgress));
        let all = all.expect("sound rules");
        let found = by_sum(&game);
        let kind = |of: &Solution| of.value.as_ref().map(|value| value.kind);
        assert_eq!(kind(&found), kind(&all), "{text}: {:?}", found.reason);
        let wins: Vec<String> = all
            .moves
            .iter()
            .filter(|of| of.value.as_ref().map(|value| value.kind) == Some(ValueKind::Win(0)))
            .map(|of| of.made.written.clone())
            .collect();
        let best: Vec<String> = found.best_moves.iter().map(|made| made.written.clone()).collect();
        assert_eq!(best, wins, "{text}");
        let proof = proof(&game, &found);
        assert_eq!(accepts(&game, &proof), Ok(()));
        assert_eq!(cert::parse(&cert::write(&proof)).as_ref(), Ok(&proof));
    }
}

/// Returns the rules of Notakto: crosses on some boards, of which a board with a whole line is dead.
fn notakto(boards: u32) -> String {
    format!(
        "game \"Notakto\"; players First, Second; type Board = 1..{boards}; board Cell = grid(3, 3);\n\
         state {{ crossed[b: Board]: set of Cell = {{}}; }}\n\
         def full(b: Board) = some line in lines(Cell, 3): line in crossed[b];\n\
         move cross(b: Board, c: Cell) as \"{{b}}{{c}}\" {{\n\
           when not full(b) and c not in crossed[b]; crossed[b] |= {{ c }};\n\
         }}\nplay misere;\n"
    )
}

/// The quotient of Notakto has 18 elements, of which 4 are lost (Plambeck and Whitehead, "The secrets of Notakto", 2013).
#[test]
fn notakto_on_several_boards() {
    for (boards, winner) in [(2, 1), (3, 0)] {
        let game = of(GameSource::from_string("notakto.bou", &notakto(boards)), &[]);
        let found = by_sum(&game);
        let kind = found.value.as_ref().map(|value| value.kind);
        assert_eq!(kind, Some(ValueKind::Win(winner)), "{boards}: {:?}", found.reason);
        let proof = proof(&game, &found);
        let [Lemma::Quotient(quotient)] = &proof.lemmas[..] else { panic!("a quotient") };
        assert_eq!((quotient.products.len(), quotient.lost.len()), (18, 4));
        assert_eq!(accepts(&game, &proof), Ok(()));
    }
}

/// Rows of five pins are wild in misère play: with rows of up to four counting as heaps of Nim, a row of five counts as
/// none.
#[test]
fn five_pins_count_as_no_heap() {
    let four = of(GameSource::from_string("kayles.bou", &misere_rows(4)), &[]);
    let whole = proof(&four, &by_sum(&four));
    let [Lemma::Quotient(tame)] = &whole.lemmas[..] else { panic!("a quotient") };
    let element = |pins: usize| {
        tame.components.iter().find(|of| fluents(&of.component).len() == pins).map(|of| of.element)
    };
    let misere = of(GameSource::from_string("kayles.bou", &misere_rows(5)), &[]);
    let normal = misere_rows(5).replace("play misere", "play normal");
    let normal = of(GameSource::from_string("kayles.bou", &normal), &[]);
    let rows = &proof(&normal, &by_sum(&normal)).lemmas;
    let [Lemma::Sum(rows)] = &rows[..] else { panic!("a sum") };
    assert_eq!(rows.components.len(), 5);
    for five in 0..tame.products.len() as u8 {
        for holder in 0..2 {
            let counted = |of: &cert::sum::ValuedComponent| cert::quotient::ComponentElement {
                component: of.component.clone(),
                element: element(fluents(&of.component).len()).unwrap_or(five),
            };
            let mut lemma = tame.clone();
            lemma.components = rows.components.iter().map(counted).collect();
            lemma.bound.holder = Some(holder);
            let claim = Claim::Wins { player: holder, plies: None };
            let header = header(&misere.rules, None, claim, Tier::Ground);
            let forged = Certificate { header, lemmas: vec![Lemma::Quotient(lemma)], text: None };
            let why = accepts(&misere, &forged).expect_err("rows of five are wild");
            // The refusal is about the element of the row, not about the components or the rules.
            assert!(!why.contains("components") && !why.contains("rules"), "{why}");
        }
    }
}

/// The rule of normal play, another element or product, and rows of five: refused.
#[test]
fn changed_quotients_are_refused() {
    let game = of(GameSource::from_string("nim.bou", &misere_nim("[1, 2, 3]")), &[]);
    let whole = proof(&game, &by_sum(&game));
    let [Lemma::Quotient(quotient)] = &whole.lemmas[..] else { panic!("a quotient") };
    assert_eq!((quotient.products.len(), &quotient.lost[..]), (6, &[1, 2][..]));
    let mut changed = 0;
    let mut refuse = |change: &dyn Fn(&mut cert::QuotientLemma), what: &str| {
        let mut other = whole.clone();
        let Some(Lemma::Quotient(lemma)) = other.lemmas.first_mut() else { panic!("a quotient") };
        change(lemma);
        let refused = accepts(&game, &other);
        assert!(refused.is_err(), "{what}");
        changed += 1;
        refused.unwrap_err()
    };
    let why = refuse(
        &|lemma| {
            lemma.products = (0..4).map(|a: u8| (0..4).map(|b| a ^ b).collect()).collect();
            lemma.lost = vec![0];
            for (place, of) in lemma.components.iter_mut().enumerate() {
                of.element = place as u8 + 1;
            }
        },
        "the rule of normal play",
    );
    assert!(why.contains("where no component can move"), "{why}");
    for (place, of) in quotient.components.iter().enumerate() {
        for element in (0..8).filter(|element| *element != of.element) {
            refuse(&|lemma| lemma.components[place].element = element, "another element");
        }
        refuse(&|lemma| drop(lemma.components.remove(place)), "a component less");
        for by in [ComponentChange::MoreFluents, ComponentChange::FewerFluents, ComponentChange::Turn] {
            refuse(
                &|lemma| change_component(&mut lemma.components[place].component, by),
                "another component",
            );
        }
    }
    for a in 0..6 {
        for b in 0..6 {
            refuse(&|lemma| lemma.products[a][b] = (lemma.products[a][b] + 1) % 6, "another product");
        }
        refuse(&|lemma| drop(lemma.products.remove(a)), "an element less");
    }
    for lost in [vec![], vec![0], vec![1], vec![2], vec![1, 3], vec![0, 1, 2], vec![2, 1], vec![1, 2, 9]] {
        refuse(&|lemma| lemma.lost.clone_from(&lost), "others lost");
    }
    refuse(&|lemma| lemma.bound.holder = lemma.bound.holder.map(|holder| 1 - holder), "the other player");
    assert!(changed > 70, "{changed}");
}
