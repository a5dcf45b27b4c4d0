//! Values of partizan games: their arithmetic, their names, and the values of positions of normal play.

use bouton_base::limits::{Limits, NoProgress};
use bouton_driver::load::GameSource;
use bouton_rules::MOVER;
use bouton_search::game::{Game, State};
use bouton_search::solve::partizan::compare;
use bouton_search::solve::partizan::notation::{ValueNames, parse};
use bouton_search::solve::partizan::short_game::{ShortGame, ShortGameTable, ZERO};
use bouton_search::solve::{Solution, SolveOptions, SolveRequest, Solver, Status, ValueKind};

use super::{method, of};

fn by(game: &Game, state: &State, method: &'static dyn Solver) -> Solution {
    method
        .solve(&SolveRequest::new(game, state, &SolveOptions::default(), &Limits::default(), &NoProgress))
        .expect("sound rules")
}

/// Returns the value of a position, by name.
fn value_name(game: &Game, state: &State) -> Result<String, String> {
    let compared = compare(game, state, "0", &Limits::default());
    compared.map(|compared| compared.expect("a name").name).map_err(|why| why.to_string())
}

#[test]
fn names_are_read_as_they_are_written() {
    let mut shorts = ShortGameTable::default();
    let names = ValueNames::new(&mut shorts).expect("few");
    for name in [
        "0",
        "1",
        "-3",
        "1/2",
        "-5/8",
        "*",
        "*4",
        "^",
        "v",
        "^*",
        "v2",
        "^2*3",
        "1*",
        "-1/2^",
        "3v2*",
        "+-1",
        "+-1/2",
        "{2|-1/2}",
        "{1|*}",
        "{0||0|-2}",
        "{2|0||0}",
        "+-{3|1}",
        "+-(0,{{2|0},{2||2|0}|{2|0},{2|0||0}})",
        "{1|0,*}",
        "{2|||1||0|-1}",
        "{0|v*}",
    ] {
        let value = parse(&mut shorts, name).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(names.name(&mut shorts, value).as_deref(), Ok(name));
    }
    // The same values by other games.
    for (one, other) in [
        ("{|}", "0"),
        ("{0|}", "1"),
        ("{-1|1}", "0"),
        ("{0|1}", "1/2"),
        ("{-3|5/2}", "0"),
        ("{1|5/2}", "2"),
        ("{*|*}", "0"),
        ("{0|*}", "^"),
        ("{^|v}", "{0|v}"),
        ("{0|^}", "^2*"),
        ("{0,*|0}", "^*"),
        ("{0|0}", "*"),
        ("{0,*|0,*}", "*2"),
        ("{1|-1}", "+-1"),
        ("{0|{0|-2}}", "{0||0|-2}"),
        ("{1|1}", "1*"),
        ("{{1|0}|-1}", "{1|0||-1}"),
        ("{1/2,{1|-7}|3}", "1"),
        ("{-1|-1}", "-1*"),
    ] {
        let [a, b] =
            [one, other].map(|name| parse(&mut shorts, name).unwrap_or_else(|why| panic!("{name}: {why}")));
        assert_eq!(a, b, "{one} and {other}");
    }
    for wrong in [
        "", "1/3", "x", "{1|2", "1|2", "{1,|0}", "{1|2|3}", "^0", "**", "+-", "*99", "{1|0}*", "1/0", "--1",
        "{(|)}",
    ] {
        let misread = parse(&mut shorts, wrong);
        assert!(misread.is_err() || wrong == "{wrong}: {misread:?}");
    }
}

/// Comparisons from the literature.
#[test]
fn small_values_compare_as_they_should() {
    let mut shorts = ShortGameTable::default();
    let mut compared = |one: &str, other: &str| {
        let [a, b] = [one, other].map(|name| parse(&mut shorts, name).expect(name));
        (shorts.is_at_most(a, b).expect("few"), shorts.is_at_most(b, a).expect("few"))
    };
    for (less, more) in [
        ("0", "^"),
        ("^", "1/512"),
        ("*", "^2"),
        ("{0||0|-2}", "^"),
        ("0", "{0||0|-2}"),
        ("{0||0|-3}", "{0||0|-2}"),
        ("v", "0"),
        ("-1", "*"),
        ("+-1", "2"),
        ("1/2", "1/2^"),
        ("{1|-1}", "1^"),
        ("^", "^2"),
        ("v*", "*"),
    ] {
        assert_eq!(compared(less, more), (true, false), "{less} < {more}");
    }
    for (one, other) in
        [("*", "0"), ("^", "*"), ("+-1", "0"), ("+-1", "1"), ("*", "*2"), ("^*", "0"), ("{2|-1/2}", "1")]
    {
        assert_eq!(compared(one, other), (false, false), "{one} || {other}");
    }
}

/// The number of values by birthday: 1, 4, 22 and 1474 (Siegel 2013, III.1).
#[test]
fn values_by_their_birthday() {
    let mut shorts = ShortGameTable::default();
    let mut born = vec![ZERO];
    for count in [4, 22, 1474] {
        // Sets of options in which no option is at least another; every value has such a form.
        let mut sets: Vec<Vec<ShortGame>> = vec![Vec::new()];
        for &option in &born {
            for place in 0..sets.len() {
                let confused = |shorts: &mut ShortGameTable, other: ShortGame| {
                    !shorts.is_at_most(option, other).expect("few")
                        && !shorts.is_at_most(other, option).expect("few")
                };
                if sets[place].clone().into_iter().all(|other| confused(&mut shorts, other)) {
                    let mut more = sets[place].clone();
                    more.push(option);
                    sets.push(more);
                }
            }
        }
        let mut next = Vec::new();
        for left in &sets {
            for right in &sets {
                next.push(shorts.value_of(left.clone(), right.clone()).expect("few"));
            }
        }
        next.sort_unstable();
        next.dedup();
        assert_eq!(next.len(), count);
        born = next;
    }
    // They are a group: each with its negative is 0, and addition is associative.
    for (place, &one) in born.iter().enumerate().step_by(7) {
        let negative = shorts.negative(one).expect("few");
        assert_eq!(shorts.sum(one, negative), Ok(ZERO));
        let (two, three) = (born[(place * 5 + 3) % born.len()], born[(place * 11 + 8) % born.len()]);
        let a = shorts.sum(one, two).and_then(|sum| shorts.sum(sum, three)).expect("few");
        let b = shorts.sum(two, three).and_then(|sum| shorts.sum(sum, one)).expect("few");
        assert_eq!(a, b);
        // The order is preserved by addition.
        let [with, without] = [one, two].map(|of| shorts.sum(of, three).expect("few"));
        assert_eq!(shorts.is_at_most(one, two), shorts.is_at_most(with, without));
    }
}

/// The published outcomes of Domineering, rows by columns, with the value of each.
#[test]
fn domineering() {
    let outcomes = [
        (1, 1, 'P'),
        (1, 2, 'R'),
        (1, 3, 'R'),
        (1, 4, 'R'),
        (1, 5, 'R'),
        (2, 1, 'L'),
        (2, 2, 'N'),
        (2, 3, 'N'),
        (2, 4, 'R'),
        (2, 5, 'L'),
        (3, 1, 'L'),
        (3, 2, 'N'),
        (3, 3, 'N'),
        (3, 4, 'R'),
        (3, 5, 'R'),
        (4, 1, 'L'),
        (4, 2, 'L'),
        (4, 3, 'L'),
        (4, 4, 'N'),
        (4, 5, 'L'),
        (2, 6, 'N'),
        (2, 7, 'N'),
        (2, 8, 'R'),
        (3, 6, 'R'),
        (5, 2, 'R'),
        (6, 2, 'N'),
    ];
    for (rows, cols, outcome) in outcomes {
        let game = of(super::game("domineering"), &[&format!("rows={rows}"), &format!("cols={cols}")]);
        let start = game.machine.initial();
        let compared = compare(&game, &start, "0", &Limits::default()).expect("a value").expect("a name");
        let found = match (compared.at_most, compared.at_least) {
            (true, true) => 'P',
            (true, false) => 'R',
            (false, true) => 'L',
            (false, false) => 'N',
        };
        assert_eq!(found, outcome, "{rows} by {cols}: {}", compared.name);
        // The rotated board is the game with the players exchanged.
        if rows <= 4 && cols <= 4 {
            let turned = of(super::game("domineering"), &[&format!("rows={cols}"), &format!("cols={rows}")]);
            let name = value_name(&turned, &turned.machine.initial()).expect("a value");
            let mut shorts = ShortGameTable::default();
            let [one, other] = [&name, &compared.name].map(|name| parse(&mut shorts, name).expect("a name"));
            assert_eq!(shorts.negative(one), Ok(other));
        }
    }
}

/// The winner by values is the winner by enumeration, in positions of several games, with either player to move.
#[test]
fn values_say_who_wins() {
    let games = [
        of(super::game("domineering"), &["cols=4", "rows=3"]),
        of(super::game("domineering"), &["cols=2", "rows=4"]),
        of(super::game("toads_and_frogs"), &["toads=3", "gap=2", "frogs=2"]),
        of(super::game("kayles"), &["n=7"]),
        of(super::game("cram"), &["cols=3", "rows=3"]),
    ];
    let mut seed = 7usize;
    let mut compared = 0;
    for game in games {
        for _ in 0..if super::slow() { 6 } else { 2 } {
            let mut state = game.machine.initial();
            loop {
                let mover = game.machine.read(&state, MOVER, 0).as_sym().expect("a player");
                for mover in [mover, 1 - mover] {
                    let here = game.machine.with_mover(&state, mover).expect("a player");
                    let all = by(&game, &here, method("auto"));
                    let found = by(&game, &here, method("partizan"));
                    let kind = |of: &Solution| of.value.as_ref().map(|value| value.kind);
                    assert!(matches!(kind(&all), Some(ValueKind::Win(_))));
                    assert_eq!(kind(&found), kind(&all), "{}: {:?}", game.rules.name, found.reason);
                    let best = |of: &Solution| -> Vec<String> {
                        of.best_moves.iter().map(|made| made.written.clone()).collect()
                    };
                    // All winning moves, of which enumeration gives the quickest.
                    if kind(&all) == Some(ValueKind::Win(mover)) {
                        assert!(best(&all).iter().all(|name| best(&found).contains(name)));
                    }
                    compared += 1;
                }
                let next = game.machine.successors(&state).expect("sound rules");
                if next.is_empty() {
                    break;
                }
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                state = next[(seed >> 33) % next.len()].state.clone();
            }
        }
    }
    assert!(compared > 90, "{compared}");
}

/// Impartial games have their nimbers as values.
#[test]
fn nimbers_are_values() {
    for (name, settings, value) in [
        ("nim", &["heaps=[3,5]"][..], "*6"),
        ("kayles", &["n=12"], "*4"),
        ("hatch", &["n=10", "k=2"], "*2"),
        ("cram", &["cols=4", "rows=4"], "0"),
        ("wythoff", &["x0=1", "y0=2"], "0"),
    ] {
        let game = of(super::game(name), settings);
        assert_eq!(value_name(&game, &game.machine.initial()).as_deref(), Ok(value), "{name}");
    }
}

/// Cakes that one player cuts along and the other across. That a count of cakes stays in its range follows from their
/// area, not from the conditions of the moves.
const CUTCAKE: &str = "game \"Cutcake\"; param w: 1..8 = 4; param h: 1..8 = 3; players Lefty, Rita;
    state { cakes[i: 1..w, j: 1..h]: 0..w * h = if i = w and j = h then 1 else 0; }
    move along(i: 2..w, j: 1..h, k: 1..w) by Lefty {
      when k < i and cakes[i, j] > 0;
      cakes[i, j] -= 1; cakes[k, j] += 1; cakes[i - k, j] += 1;
    }
    move across(i: 1..w, j: 2..h, k: 1..h) by Rita {
      when k < j and cakes[i, j] > 0;
      cakes[i, j] -= 1; cakes[i, k] += 1; cakes[i, j - k] += 1;
    }
    play normal;";

#[test]
fn positions_that_are_not_decomposed_have_values() {
    // The player who cuts the side with more bits has floor(side / 2^k) - 1 moves ahead, where the other side has k + 1
    // bits (Berlekamp, Conway and Guy, Winning Ways, 1982, chapter 2).
    for (w, h) in (1..=4u32).flat_map(|w| (1..=4u32).map(move |h| (w, h))) {
        let ahead = |long: u32, short: u32| (long >> short.ilog2()) as i32 - 1;
        let expected = match w.ilog2().cmp(&h.ilog2()) {
            std::cmp::Ordering::Greater => ahead(w, h),
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Less => -ahead(h, w),
        };
        let size = [format!("w={w}"), format!("h={h}")];
        let game = of(GameSource::from_string("a game", CUTCAKE), &size.each_ref().map(String::as_str));
        let name = value_name(&game, &game.machine.initial());
        assert_eq!(name, Ok(expected.to_string()), "{w} by {h}");
    }
}

#[test]
fn what_has_no_value_as_a_game() {
    let walk = |moves: &str, play: &str| {
        let text = format!(
            "game \"Walk\"; players A, B; state {{ a: 0..3 = 3; b: 0..3 = 3; }}\n{moves}\nplay {play};\n"
        );
        of(GameSource::from_string("walk.bou", &text), &[])
    };
    let down =
        "move down() { when me = A and a > 0; a -= 1; } move less() { when me = B and b > 0; b -= 1; }";
    let start = |game: &Game| value_name(game, &game.machine.initial());
    assert_eq!(start(&walk(down, "normal")).as_deref(), Ok("0"));
    let again = down.replace("a -= 1;", "a -= 1; if a = 1 { again; }");
    let back = format!("{down} move up() {{ when me = A and a < 3; a += 1; }}");
    for (game, reason) in [
        (walk(down, "misere"), "do not say that the game ends"),
        (of(super::game("tictactoe"), &[]), "do not say that the game ends"),
        (walk(&again, "normal"), "alternate"),
        (walk(&back, "normal"), "come back"),
        (walk(&format!("{down} pass always;"), "normal"), "changes nothing"),
        (of(super::game("chess"), &[]), "do not say that the game ends"),
    ] {
        let why = start(&game).expect_err("no value");
        assert!(why.contains(reason), "{}: {why}", game.rules.name);
        let solution = by(&game, &game.machine.initial(), method("partizan"));
        assert_eq!((solution.status, solution.reason.as_deref()), (Status::Unknown, Some(why.as_str())));
    }
}
