//! Puzzles of one player: shortest plans, their lower bounds, and certificates of both.

use super::{accepts, game, method, of, proof, set, slow, solved};
use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_certificates::{Certificate, Claim, Lemma};
use bouton_driver::load::GameSource;
use bouton_search::game::explore::count_positions;
use bouton_search::game::perft::{PlyUnit, perft};
use bouton_search::game::{Backend, Game};
use bouton_search::solve::{Solution, SolveOptions, Status, ValueKind};

/// Korf's instance 79 of the fifteen puzzle (1985), with the hole last.
const KORF_79: &str = "start=[1, 6, 10, 8, 14, 12, 4, 2, 13, 11, 3, 5, 9, 7, 15, 0]";
/// Half a turn of the other of the two hardest positions of the eight puzzle.
const OTHER_HARDEST: &str = "start=[6, 4, 7, 8, 5, 0, 3, 2, 1]";

fn listed(game: &Game, name: &str, limits: &Limits) -> Solution {
    let options = SolveOptions { max_strategy_positions: usize::MAX, ..SolveOptions::default() };
    solved(game, &game.machine.initial(), method(name), &options, limits)
}

fn plan(game: &Game) -> Solution {
    listed(game, "astar", &Limits::default())
}

/// Puzzles with few positions, with things of each sort: values, cells, and none that moves alone.
const SMALL: &[(&str, &[&str])] = &[
    ("blocks_world", &[]),
    ("hanoi", &["n=4"]),
    ("hanoi", &["n=4", "pegs=4"]),
    ("lights_out", &[]),
    ("maze", &[]),
    ("missionaries", &[]),
    ("missionaries", &["n=4"]),
    ("pancakes", &[]),
    ("peg_solitaire", &["hole=4"]),
    ("sliding_puzzle", &["n=2", "start=[3, 2, 1, 0]"]),
    ("sliding_puzzle", &["n=3", "start=[1, 2, 3, 4, 8, 0, 7, 6, 5]"]),
    ("sokoban", &[]),
];

#[test]
fn plans_are_as_short_as_breadth_first_ones_and_proved() {
    for (name, settings) in SMALL {
        let game = set(name, settings, Backend::Jit);
        let wanted = listed(&game, "breadth-first", &Limits::default());
        for how in ["astar", "ida-star"] {
            let found = listed(&game, how, &Limits::default());
            let at = format!("{how}: {name} {settings:?}: {:?}", found.reason);
            assert_eq!((found.status, found.remoteness), (wanted.status, wanted.remoteness), "{at}");
            let kind = |solution: &Solution| solution.value.as_ref().map(|value| value.kind);
            assert_eq!(kind(&found), kind(&wanted), "{at}");
            let certificate = proof(&game, &found);
            assert_eq!(accepts(&game, &certificate), Ok(()), "{at}");
            let claim = found.remoteness.map_or(Claim::Unsolvable, |moves| Claim::SolvedIn(u64::from(moves)));
            assert_eq!(certificate.header.claim, claim, "{at}");
            assert_eq!(found.line.len() as u32, found.remoteness.unwrap_or(0), "{at}");
        }
    }
}

#[test]
fn a_search_depth_first_goes_on_where_the_memory_is_full() {
    let game = set("pocket_cube", &["half=true"], Backend::Jit);
    let by_memory = |memory_bytes: u64| {
        let limits = Limits { memory_bytes: Some(memory_bytes), ..Limits::default() };
        let found = listed(&game, "astar", &limits);
        assert!(found.memory_bytes <= memory_bytes, "{}", found.memory_bytes);
        found
    };
    let (full, little) = (by_memory(1 << 30), by_memory(2000 << 10));
    assert!(!full.why.contains("IDA*"), "{}", full.why);
    assert!(little.why.contains("IDA*"), "{} {:?}", little.why, little.reason);
    for found in [full, little] {
        assert_eq!((found.status, found.remoteness), (Status::Solved, Some(11)), "{:?}", found.reason);
    }
    // Too little for any database.
    let none = by_memory(100 << 10);
    assert_eq!((none.status, none.limit), (Status::Unknown, Some(LimitHit::Memory)));
}

/// Changes each distance of a certificate and expects a refusal, or a lower bound that holds all the same.
fn mutated(game: &Game, certificate: &Certificate) -> usize {
    let mut refused = 0;
    let place =
        certificate.lemmas.iter().position(|lemma| matches!(lemma, Lemma::Distance(_))).expect("a bound");
    let Lemma::Distance(sound) = &certificate.lemmas[place] else { unreachable!("a bound") };
    for number in (0..sound.distances.len()).step_by(1 + sound.distances.len() / 40) {
        let mut lemma = sound.clone();
        lemma.distances[number].least += 1;
        let mut lemmas = certificate.lemmas.clone();
        lemmas[place] = Lemma::Distance(lemma);
        refused += usize::from(accepts(game, &Certificate { lemmas, ..certificate.clone() }).is_err());
    }
    // A false claim: one move fewer, with the same lists.
    let mut fewer = certificate.clone();
    let Claim::SolvedIn(moves) = fewer.header.claim else { unreachable!("a plan") };
    fewer.header.claim = Claim::SolvedIn(moves - 1);
    assert!(accepts(game, &fewer).is_err(), "a plan has as many moves as it has");
    refused
}

#[test]
fn changed_distances_are_refused() {
    for (name, settings) in
        [("hanoi", &["n=3"][..]), ("pancakes", &[]), ("sliding_puzzle", &["n=2", "start=[0, 3, 2, 1]"])]
    {
        let game = set(name, settings, Backend::Jit);
        let certificate = proof(&game, &plan(&game));
        assert_eq!(accepts(&game, &certificate), Ok(()), "{name}");
        assert!(mutated(&game, &certificate) > 5, "{name}");
    }
}

#[test]
fn the_hardest_eight_puzzles_need_few_positions() {
    for settings in [&[][..], &[OTHER_HARDEST]] {
        let found = plan(&set("sliding_puzzle", settings, Backend::Jit));
        assert_eq!((found.status, found.remoteness), (Status::Solved, Some(31)), "{settings:?}");
        assert!(found.positions <= 6_755, "{}", found.positions);
    }
}

#[test]
fn the_hardest_rush_hour_takes_fifty_one_moves() {
    let found = plan(&set("rush_hour", &[], Backend::Jit));
    assert_eq!((found.status, found.remoteness), (Status::Solved, Some(51)));
}

/// Korf's instance 1, with the hole last.
const KORF_1: &str = "start=[13, 6, 8, 12, 15, 14, 0, 10, 11, 7, 4, 5, 9, 1, 3, 2]";

#[test]
fn a_fifteen_puzzle_of_fifty_seven_moves_is_solved_in_much_and_in_little_memory() {
    if !slow() {
        return;
    }
    let game = set("sliding_puzzle", &["n=4", KORF_1], Backend::Jit);
    for memory in [1 << 30, 120 << 20] {
        let limits = Limits { memory_bytes: Some(memory), ..Limits::default() };
        let found = listed(&game, "astar", &limits);
        assert_eq!((found.status, found.remoteness), (Status::Solved, Some(57)), "{:?}", found.reason);
        assert!(found.memory_bytes <= memory, "{}", found.memory_bytes);
    }
}

#[test]
fn a_fifteen_puzzle_of_forty_two_moves_is_solved() {
    if !slow() {
        return;
    }
    let found = plan(&set("sliding_puzzle", &["n=4", KORF_79], Backend::Jit));
    assert_eq!((found.status, found.remoteness), (Status::Solved, Some(42)));
    assert!(found.positions < 65_000, "{}", found.positions);
}

/// Returns the numbers of positions by their distance to a win, over all positions that can be reached.
fn by_distance(game: &Game) -> Vec<u64> {
    let options = SolveOptions { strong: true, count_plies: true, ..SolveOptions::default() };
    let found = solved(game, &game.machine.initial(), method("retrograde"), &options, &Limits::default());
    let tally = found.tally.unwrap_or_else(|| panic!("{:?}", found.reason));
    let [all] = &tally.groups[..] else { panic!("not all positions can be solved") };
    all.by_remoteness.clone()
}

/// The eight puzzle: the positions by distance from the goal, from an independent enumeration.
const EIGHT: [u64; 32] = [
    1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878, 16993,
    17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2,
];
/// The cube of 2 by 2 by 2: the positions by quarter turns, and with half turns as one move.
const QUARTER_TURNS: [u64; 15] =
    [1, 6, 27, 120, 534, 2256, 8969, 33058, 114149, 360508, 930588, 1350852, 782536, 90280, 276];
const HALF_TURNS: [u64; 12] = [1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644];

#[test]
fn positions_have_the_published_distances() {
    let small = set("sliding_puzzle", &["n=2", "start=[1, 2, 0, 3]"], Backend::Jit);
    assert_eq!(by_distance(&small), [1, 2, 2, 2, 2, 2, 1]);
    let eight = set("sliding_puzzle", &[], Backend::Jit);
    assert_eq!(by_distance(&eight), EIGHT);
    // OEIS A058986: the most flips; 1 position needs none, and n - 1 need one.
    for (n, most) in (2..).zip([1, 3, 4, 5, 7, 8, 9]) {
        let start: Vec<String> = (2..=n).chain([1]).map(|pancake: usize| pancake.to_string()).collect();
        let settings = [format!("n={n}"), format!("start=[{}]", start.join(", "))];
        let flips = by_distance(&set("pancakes", &settings.each_ref().map(String::as_str), Backend::Jit));
        assert_eq!((flips.len() - 1, flips[..2].to_vec()), (most, vec![1, n as u64 - 1]), "{n}");
        assert_eq!(flips.iter().sum::<u64>(), (1..=n as u64).product::<u64>(), "{n}");
    }
}

#[test]
fn the_pocket_cube_takes_fourteen_quarter_turns() {
    if !slow() {
        return;
    }
    assert_eq!(by_distance(&set("pocket_cube", &[], Backend::Jit)), QUARTER_TURNS);
    assert_eq!(by_distance(&set("pocket_cube", &["half=true"], Backend::Jit)), HALF_TURNS);
}

#[test]
fn the_tower_of_hanoi_takes_as_many_moves_as_proved() {
    // Lucas (1883) for three pegs; Bousch (2014) for four.
    for (n, four) in (1..).zip([1, 3, 5, 9, 13, 17, 25]) {
        let n = n as u32;
        let game = set("hanoi", &[&format!("n={n}")], Backend::Jit);
        assert_eq!(plan(&game).remoteness, Some((1 << n) - 1), "{n}");
        assert_eq!(by_distance(&game).iter().sum::<u64>(), 3u64.pow(n), "{n}");
        let game = set("hanoi", &[&format!("n={n}"), "pegs=4"], Backend::Jit);
        assert_eq!(plan(&game).remoteness, Some(four), "{n}");
    }
}

/// Peg solitaire on the triangle: solutions and positions by the empty hole, in order of the rows.
#[test]
fn the_triangle_of_fifteen_holes_has_the_known_solutions() {
    let (corner, beside, middle, inner) = ((29_760, 3016), (14_880, 2377), (85_258, 4237), (1550, 1651));
    let holes = [
        [corner, beside, middle, beside, corner].to_vec(),
        [beside, inner, inner, beside].to_vec(),
        [middle, inner, middle, beside, beside, corner].to_vec(),
    ];
    for (number, (solutions, positions)) in (1..).zip(holes.concat()) {
        let game = set("peg_solitaire", &[&format!("hole={number}")], Backend::Jit);
        let start = game.machine.initial();
        // Thirteen jumps leave one peg.
        let plays = perft(&game, &start, 13, PlyUnit::Move, &Limits::default()).expect("sound rules");
        assert_eq!(plays.by_depth.last().copied(), Some(solutions), "{number}");
        let count = count_positions(&game, &start, &Limits::default(), &NoProgress).expect("sound rules");
        assert_eq!(count.positions, positions, "{number}");
    }
}

/// A press lights a lamp for four moves, and four of 25 lamps have to be lit at once.
const FADING_LAMPS: &str = r#"game "Fading lamps";
player Robot;
state { left[x: 1..5, y: 1..5]: 0..4 = 0; }
move press(x: 1..5, y: 1..5) {
  for i in 1..5, j in 1..5 { if left[i, j] > 0 and not (i = x and j = y) { left[i, j] := left[i, j] - 1; } }
  left[x, y] := 4;
}
end { when left[1, 1] > 0 and left[1, 2] > 0 and left[2, 1] > 0 and left[2, 2] > 0 => win; }
"#;

#[test]
fn databases_that_say_no_more_wait_for_the_search() {
    let game = of(GameSource::from_string("lamps.bou", FADING_LAMPS), &[]);
    let found = listed(&game, "astar", &Limits::default());
    assert_eq!(found.remoteness, Some(4));
    // The next databases would have two million positions each.
    assert!(
        !found.why.contains("2,000,000") && found.positions < 1_000_000,
        "{} {}",
        found.positions,
        found.why
    );
}

#[test]
fn rush_hour_and_lights_out_have_the_known_counts() {
    // The published count goes on past the exit.
    let text =
        include_str!("../../games/rush_hour.bou").replace("when at[1] = 6 - lengths[1] =>", "when stuck =>");
    let game = of(GameSource::from_string("a game", &text), &[]);
    let count = count_positions(&game, &game.machine.initial(), &Limits::default(), &NoProgress);
    assert_eq!(count.expect("sound rules").positions, 4780);
    // Anderson and Feil (1998) for 5 by 5 lamps.
    for (n, presses) in [(2, 4), (3, 5), (4, 4), (5, 15)].into_iter().take(if slow() { 4 } else { 3 }) {
        let game = set("lights_out", &[&format!("n={n}")], Backend::Jit);
        assert_eq!(plan(&game).remoteness, Some(presses), "{n}");
    }
}

#[test]
fn a_limit_leaves_bounds_that_hold() {
    let game = set("sliding_puzzle", &[], Backend::Jit);
    for positions in [1, 10, 100, 500] {
        let limits = Limits { positions: Some(positions), ..Limits::default() };
        let found = listed(&game, "astar", &limits);
        assert_eq!((found.status, found.limit), (Status::Unknown, Some(LimitHit::Positions)), "{positions}");
        let reason = found.reason.expect("a reason");
        let least = reason.split("fewer than ").nth(1).and_then(|rest| rest.split(' ').next());
        let least: u32 = least.and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{reason}"));
        assert!((1..=31).contains(&least), "{reason}");
    }
    let limits = Limits::default();
    limits.cancel.cancel();
    assert_eq!(listed(&game, "astar", &limits).limit, Some(LimitHit::Interrupted));
}

#[test]
fn games_that_are_no_puzzles_are_refused() {
    for (name, reason) in
        [("tictactoe", "one player"), ("snakes_and_ladders", "one player"), ("incredible", "won or lost")]
    {
        let game = game(name).game(None).expect("a sound game");
        let found = plan(&game);
        assert_eq!(found.status, Status::Unknown, "{name}");
        assert!(found.reason.as_ref().is_some_and(|why| why.contains(reason)), "{name}: {:?}", found.reason);
    }
}

/// A counter that may pass its limit: the rules have a fault in a position past the shortest win.
const FAULTY: &str = "game \"Counter\"; player P; state { n: 0..4 = 0; m: 0..3 = 0; }\n\
    move add_two() { n += 2; }\nmove add_one() { m += 1; }\nend { when n = 4 => win; when m = 3 and n = 3 => lose; }\n";

#[test]
fn a_fault_in_a_reached_position_ends_the_search() {
    let game = of(GameSource::from_string("a game", FAULTY), &[]);
    let found = plan(&game);
    // Either no position with a fault was reached, or the search gave up.
    match found.status {
        Status::Solved => assert_eq!(found.remoteness, Some(2)),
        _ => assert!(found.reason.as_ref().is_some_and(|why| why.contains("meaning")), "{:?}", found.reason),
    }
    let stuck = FAULTY.replace("n += 2;", "when n < 2; n += 2;").replace("m += 1;", "when m < 1; m += 1;");
    let game = of(GameSource::from_string("a game", &stuck), &[]);
    let found = plan(&game);
    assert_ne!(found.value.map(|value| value.kind), Some(ValueKind::Solved), "nobody can win");
}

/// The fifteen puzzle before its last move.
const NEARLY_SOLVED: &str = "start=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0, 15]";
/// The fifteen puzzle of Sam Loyd (about 1890): two tiles in the wrong order.
const LOYD: &str = "start=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 14, 0]";

#[test]
fn puzzles_with_the_other_parity_cannot_be_solved() {
    let odd_lamp: String = (1..25).map(|lamp| lamp.to_string()).collect::<Vec<_>>().join(", ");
    let dark = format!("dark={{ {odd_lamp} }}");
    for (name, settings, solvable, how) in [
        ("sliding_puzzle", ["n=4", LOYD], ["n=4", NEARLY_SOLVED], "permutation"),
        ("lights_out", ["n=5", &dark], ["n=5", "dark={}"], "parity"),
    ] {
        let game = set(name, &settings, Backend::Jit);
        let found = listed(&game, how, &Limits::default());
        assert_eq!(
            found.value.as_ref().map(|value| value.kind),
            Some(ValueKind::Unsolvable),
            "{:?}",
            found.reason
        );
        let certificate = proof(&game, &found);
        assert_eq!(certificate.header.claim, Claim::Unsolvable, "{name}");
        assert_eq!(accepts(&game, &certificate), Ok(()), "{name}");
        // A position that can be solved has no such proof.
        let game = set(name, &solvable, Backend::Jit);
        let solvable = Certificate { header: proof_header(&game, &certificate), ..certificate };
        assert!(accepts(&game, &solvable).is_err(), "{name}");
    }
}

/// Lamps of three colours: a press changes a lamp and its neighbours to the next colour. On 2 by 2 lamps each press
/// changes three, so the sum of the colours never changes modulo 3, and no sum with two values stays.
const THREE_COLOURS: &str = "game \"Three colours\"; player P; board Cell = grid(2, 2); param start: list of 0..2 = [1, 0, 0, 0];\n\
    state { lamp[c: Cell]: 0..2 = start[c.reading]; }\n\
    move press(c: Cell) { for x in c.neighbors | { c } { lamp[x] := (lamp[x] + 1) mod 3; } }\n\
    end { when all c in Cell: lamp[c] = 0 => win; }\n";

#[test]
fn sums_modulo_three_show_that_puzzles_cannot_be_solved() {
    let game = |start: &str| of(GameSource::from_string("a game", THREE_COLOURS), &[start]);
    for start in ["start=[1, 0, 0, 0]", "start=[2, 2, 1, 0]"] {
        let game = game(start);
        let found = listed(&game, "parity", &Limits::default());
        assert_eq!(found.value.as_ref().map(|value| value.kind), Some(ValueKind::Unsolvable), "{start}");
        let certificate = proof(&game, &found);
        assert_eq!(accepts(&game, &certificate), Ok(()), "{start}");
        let [Lemma::Parity(sum)] = &certificate.lemmas[..] else { panic!("a sum") };
        assert_eq!(sum.modulus.0, 3, "{start}");
        let read = bouton_certificates::parse(&bouton_certificates::write(&certificate));
        assert_eq!(read.as_ref(), Ok(&certificate), "{start}");
    }
    for start in ["start=[1, 2, 0, 0]", "start=[2, 2, 2, 0]"] {
        let game = game(start);
        assert_eq!(listed(&game, "parity", &Limits::default()).status, Status::Unknown, "{start}");
        assert!(plan(&game).remoteness.is_some(), "{start}");
    }
}

#[test]
fn the_central_game_of_english_solitaire_is_solved() {
    let game = set("english_solitaire", &[], Backend::Jit);
    let found = listed(&game, "astar", &Limits::default());
    assert_eq!((found.status, found.line.len()), (Status::Solved, 31), "{:?}", found.reason);
    // Every play was made by the rules; without the lower bound, the plan is proved as a plan.
    let plan = Solution { distance: None, ..found };
    assert_eq!(accepts(&game, &proof(&game, &plan)), Ok(()));
}

/// The last peg of the central game of English solitaire ends in the middle, or three holes from it (Reiss 1857).
#[test]
fn the_last_peg_of_english_solitaire_has_its_class() {
    for (last, possible) in
        [("d4", true), ("d1", true), ("g4", true), ("d3", false), ("c3", false), ("e1", false)]
    {
        let text = include_str!("../../games/english_solitaire.bou");
        let end = "peg[d4] and (count c in Cell: peg[c]) = 1";
        assert!(text.contains(end));
        let text = text.replace(end, &format!("all c in Cell: peg[c] = (c = {last})"));
        let game = of(GameSource::from_string("a game", &text), &[]);
        let found = listed(&game, "parity", &Limits::default());
        let unsolvable = found.value.as_ref().map(|value| value.kind) == Some(ValueKind::Unsolvable);
        assert_eq!(unsolvable, !possible, "{last}: {:?}", found.reason);
        if unsolvable {
            assert_eq!(accepts(&game, &proof(&game, &found)), Ok(()), "{last}");
        }
    }
}

/// Returns the header of a certificate with the rules of another game.
fn proof_header(game: &Game, certificate: &Certificate) -> bouton_certificates::Header {
    let rules = &game.rules;
    let params = rules.params.iter().map(|(name, value)| (name.clone(), rules.show(value))).collect();
    let digest = bouton_certificates::Digest::of_rules(rules);
    bouton_certificates::Header { rules: digest, params, ..certificate.header.clone() }
}
