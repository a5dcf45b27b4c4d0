//! Reachable sets and tables of all positions, against dense indices and the labelled graph.

use std::time::{Duration, Instant};

use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_search::game::explore::count_positions;
use bouton_search::game::reachable_set::{Expander, ReachableSet, SearchEnd};
use bouton_search::game::{Backend, Game, State};
use bouton_search::solve::strong::{StrongSolution, Table};
use bouton_search::solve::{
    Auto, Solution, SolveOptions, SolveRequest, Solver, Status, SymmetryMode, ValueKind, strong,
};

use super::{GameSource, game, set, slow};

/// Returns the solution by a table of all positions, unless another method must report why there is none.
fn tabulated(game: &Game, state: &State, options: &SolveOptions, limits: &Limits) -> Option<Solution> {
    let solution =
        Table.solve(&SolveRequest::new(game, state, options, limits, &NoProgress)).expect("no fault");
    (solution.status != Status::Unknown || solution.limit.is_some()).then_some(solution)
}

/// Games with and without cycles, whose moves lead from a ply to the next or past some.
const GAMES: &[(&str, &[&str])] = &[
    ("tictactoe", &[]),
    ("connect_four", &["cols=4", "rows=3"]),
    ("dodgem", &[]),
    ("three_mens_morris", &[]),
    ("nim", &[]),
    ("chomp", &[]),
    ("kayles", &[]),
    ("hex", &["n=3"]),
    ("breakthrough", &["cols=2", "rows=5"]),
    ("toads_and_frogs", &[]),
    ("domineering", &["cols=4", "rows=3"]),
    ("isola", &["cols=3", "rows=3"]),
    ("othello", &[]),
    ("amazons", &["n=3"]),
    ("six_mens_morris", &["men=3"]),
];

#[test]
fn positions_are_counted_alike_on_all_machines() {
    for (name, settings) in &GAMES[..9] {
        let count = |backend| {
            let game = set(name, settings, backend);
            let start = game.machine.initial();
            let count = count_positions(&game, &start, &Limits::default(), &NoProgress).expect("sound rules");
            // Several rules may give one result; the count names one of them.
            let ends = count.terminal_by_outcome.iter();
            let ends: Vec<_> = ends.map(|(outcome, n)| (outcome.payoffs.clone(), outcome.kind, *n)).collect();
            (count.positions, count.terminal, ends, count.max_ply, count.complete)
        };
        let said = count(Backend::Reference);
        assert_eq!(count(Backend::Jit), said, "{name} {settings:?}");
        assert_eq!(count(Backend::Interp), said, "{name} {settings:?}");
    }
}

/// Renders the parts of a solution that both methods give, for all positions and for the first.
fn describe(solution: &Solution) -> String {
    let Solution { status, value, remoteness, best_moves, moves, line, tally, .. } = solution;
    format!("{status:?} {value:?} {remoteness:?} {best_moves:?} {moves:?} {line:?} {tally:#?}")
}

#[test]
fn a_table_has_the_values_of_the_labelled_graph() {
    let symmetry = SymmetryMode::Off;
    let options = SolveOptions { strong: true, all_moves: true, symmetry, ..SolveOptions::default() };
    let mut solved = Vec::new();
    for (name, settings) in GAMES {
        let game = set(name, settings, Backend::Jit);
        let start = game.machine.initial();
        let limits = Limits::default();
        let Some(table) = tabulated(&game, &start, &options, &limits) else { continue };
        let graph = Auto
            .solve(&SolveRequest::new(&game, &start, &options, &limits, &NoProgress))
            .expect("sound rules");
        assert_eq!(describe(&table), describe(&graph), "{name} {settings:?}");
        assert_eq!(table.positions, graph.positions);
        solved.push((*name, table.why.contains("passes")));
    }
    assert!(solved.len() >= 13, "{solved:?}");
    assert!(solved.contains(&("tictactoe", false)) && solved.contains(&("dodgem", true)), "{solved:?}");
}

/// No figures were published: these are those of the table with and without symmetry reduction. For three men the
/// labelled graph agrees, above. Men a side; the numbers of positions won by White, drawn, won by Black; the most
/// plies.
#[test]
fn the_morris_of_two_squares_is_a_draw() {
    let known: &[(u32, [u64; 3], u32)] = &[
        (3, [103_356, 142_581, 128_312], 16),
        (4, [1_784_032, 500_801, 2_005_846], 42),
        (5, [8_651_034, 1_738_261, 9_038_138], 76),
        (6, [22_259_906, 3_541_817, 22_155_374], 122),
    ];
    for &(men, counts, longest) in &known[..if slow() { 4 } else { 2 }] {
        let game = set("six_mens_morris", &[&format!("men={men}")], Backend::Jit);
        let start = game.machine.initial();
        let both = men < if slow() { 5 } else { 4 };
        for symmetry in [SymmetryMode::On].into_iter().chain(both.then_some(SymmetryMode::Off)) {
            let options = SolveOptions { strong: true, symmetry, ..SolveOptions::default() };
            let solved = tabulated(&game, &start, &options, &Limits::default()).expect("a table");
            assert_eq!(solved.value.expect("a value").kind, ValueKind::Draw);
            let kinds = solved.tally.expect("counts").groups;
            let of = |value: ValueKind| {
                let such = kinds.iter().filter(|kind| kind.value.kind == value);
                such.map(|kind| kind.positions).sum::<u64>()
            };
            let found = [ValueKind::Win(0), ValueKind::Draw, ValueKind::Win(1)].map(of);
            let most = kinds.iter().filter_map(|kind| kind.longest()).max();
            assert_eq!((found, most), (counts, Some(longest)), "{men} men, {symmetry:?}");
        }
    }
}

#[test]
fn a_set_and_a_table_are_the_same_at_any_number_of_threads() {
    let game = set("dodgem", &[], Backend::Jit);
    let expander = Expander::new(game.compiled().expect("machine code"));
    let from = [game.machine.initial()];
    let options = SolveOptions { strong: true, ..SolveOptions::default() };
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let (set, met, ended) =
                ReachableSet::<()>::search(&expander, &from, None, &Limits::default(), &NoProgress);
            assert_eq!(ended, SearchEnd::Complete);
            let layout: Vec<Vec<Option<Vec<u64>>>> = set
                .parts
                .iter()
                .map(|part| (0..part.capacity()).map(|slot| part.key(slot).map(<[u64]>::to_vec)).collect())
                .collect();
            let solved = tabulated(&game, &from[0], &options, &Limits::default());
            (layout, met, describe(&solved.expect("a table")))
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn limits_end_the_gathering_and_the_labelling() {
    let game = set("dodgem", &["n=4"], Backend::Jit);
    let start = game.machine.initial();
    let options = SolveOptions { strong: true, ..SolveOptions::default() };
    let few = Limits { memory_bytes: Some(4 << 20), ..Limits::default() };
    let count = count_positions(&game, &start, &few, &NoProgress).expect("sound rules");
    assert_eq!((count.limit, count.complete), (Some(LimitHit::Memory), false));
    assert!(count.positions > 10_000, "{count:?}");
    let solution = tabulated(&game, &start, &options, &few).expect("an answer");
    assert_eq!((solution.status, solution.limit), (Status::Unknown, Some(LimitHit::Memory)));
    assert!(solution.positions > 1000 && (1..=4 << 20).contains(&solution.memory_bytes), "{solution:?}");
    let stopped = Limits::default();
    stopped.cancel.cancel();
    let solution = tabulated(&game, &start, &options, &stopped).expect("an answer");
    assert_eq!((solution.status, solution.limit), (Status::Unknown, Some(LimitHit::Interrupted)));
}

/// The known figures of a chess ending: the moves of the longest win of White to move; all positions; White to move and
/// winning, losing; Black to move and winning, losing.
struct ChessEnding {
    pieces: &'static [&'static str],
    longest: u32,
    counts: [u64; 5],
}

/// The condition for endings with these pieces, in which the king of the player who has just moved is not attacked.
fn universe(pieces: &[&str]) -> String {
    let mut counts = format!("(count c in Cell: at[c] != none) = {}", pieces.len());
    for piece in pieces {
        let n = pieces.iter().filter(|other| *other == piece).count();
        counts += &format!(" and (count c in Cell: at[c] = Piece({piece})) = {n}");
    }
    format!("{counts} and not in_check(other(mover))")
}

fn solved_ending(settings: &[&str], expr: &str) -> StrongSolution {
    let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
    let mut text = game("chess").with_settings(&settings, Some("endings")).expect("the preset");
    text.add_invariant("--universe", expr).unwrap_or_else(|e| panic!("{e:?}"));
    text.backend = Backend::Jit;
    let game = text.game(None).unwrap_or_else(|e| panic!("{e:?}"));
    StrongSolution::of_universe(&game, &Limits::default(), &NoProgress).unwrap_or_else(|e| panic!("{e}"))
}

fn check(ending: &ChessEnding) {
    let strong = solved_ending(&[], &universe(ending.pieces));
    let of = |mover, winner| {
        let mut kinds = strong.tally.groups.iter().filter(|kind| kind.mover == Some(mover));
        kinds.find(|kind| kind.value.kind == ValueKind::Win(winner))
    };
    let count = |mover, winner| of(mover, winner).map_or(0, |kind| kind.positions);
    let all = strong.tally.groups.iter().map(|kind| kind.positions).sum();
    let counts = [all, count(0, 0), count(0, 1), count(1, 1), count(1, 0)];
    let longest = of(0, 0).and_then(|kind| kind.longest()).map(|plies| plies.div_ceil(2));
    // Like pieces are interchangeable here: exchanging their squares gives the same position.
    let like = ending.pieces.iter().filter(|piece| ending.pieces.iter().filter(|p| p == piece).count() == 2);
    let ways = like.count().max(1) as u64;
    assert_eq!(
        (longest, counts),
        (Some(ending.longest), ending.counts.map(|n| n / ways)),
        "{:?}",
        ending.pieces
    );
}

/// The counts are by retrograde analysis, the lengths as in Nalimov's tables.
#[test]
fn chess_endings_have_the_known_counts_and_lengths() {
    let kings = ["White, king", "Black, king"];
    let queen = ChessEnding {
        pieces: &["White, king", "Black, king", "White, queen"],
        longest: 10,
        counts: [368_452, 144_508, 0, 0, 200_896],
    };
    let rook = ChessEnding {
        pieces: &["White, king", "Black, king", "White, rook"],
        longest: 16,
        counts: [399_112, 175_168, 0, 0, 201_700],
    };
    let slow_ones = [
        ChessEnding {
            pieces: &["White, king", "Black, king", "White, bishop", "White, bishop"],
            longest: 19,
            counts: [23_824_640, 5_007_216, 0, 0, 5_628_080],
        },
        ChessEnding {
            pieces: &["White, king", "Black, king", "White, bishop", "White, knight"],
            longest: 33,
            counts: [24_536_088, 10_822_184, 0, 0, 11_188_168],
        },
        ChessEnding {
            pieces: &["White, king", "Black, king", "White, queen", "Black, rook"],
            longest: 35,
            counts: [19_733_336, 8_863_768, 17_136, 3_090_088, 7_062_680],
        },
    ];
    check(&queen);
    if !slow() {
        return;
    }
    check(&rook);
    let pawns = "no c in Cell: at[c] = Piece(White, pawn) and c.row in { 1, 8 }";
    // A pawn may make its double step here, but no pawn has just made one.
    let expr = format!("passed = 0 and {} and {pawns}", universe(&[kings[0], kings[1], "White, pawn"]));
    let strong = solved_ending(&["double_step=true"], &expr);
    let of = |mover: u32| strong.tally.groups.iter().filter(move |kind| kind.mover == Some(mover));
    let won = |mover| of(mover).find(|kind| kind.value.kind == ValueKind::Win(0)).expect("wins");
    let all = |mover| of(mover).map(|kind| kind.positions).sum::<u64>();
    assert_eq!((all(0), won(0).positions, all(1), won(1).positions), (163_328, 124_960, 168_024, 97_604));
    assert_eq!(won(0).longest(), Some(2 * 28 - 1));
    slow_ones.iter().for_each(check);
}

#[test]
fn a_universe_of_all_that_the_rules_can_hold() {
    let mut text = game("tictactoe");
    text.backend = Backend::Jit;
    text.add_invariant("--universe", "#{ c in Cell where at[c] = X } <= 1 and no c in Cell: at[c] = O")
        .unwrap_or_else(|e| panic!("{e:?}"));
    let game = text.game(None).unwrap_or_else(|e| panic!("{e:?}"));
    let strong =
        StrongSolution::of_universe(&game, &Limits::default(), &NoProgress).unwrap_or_else(|e| panic!("{e}"));
    // No mark or one of nine, and either player to move.
    assert_eq!(strong.tally.groups.iter().map(|kind| kind.positions).sum::<u64>(), 20);
    assert!(strong.len() > 5478, "{}", strong.len());
    let limits = Limits::default();
    limits.cancel.cancel();
    assert!(matches!(
        StrongSolution::of_universe(&game, &limits, &NoProgress),
        Err(strong::StrongError::Limit(_))
    ));
}

/// The subsets of 64 cells cannot be listed: the universe must use the bounds of the count.
#[test]
fn a_count_is_bounded_by_a_range_or_a_set() {
    for bounds in ["1..1", "{1}", "{0, 1}"] {
        let mut text = GameSource::from_string(
            "walk.bou",
            "game \"Walk\"; players A, B; board Cell = grid(8, 8); state { on[c: Cell]: bool = c = a1; }
             move step(a: Cell, b: Cell) { when on[a] and not on[b]; on[a] := false; on[b] := true; }
             end { when stuck => mover loses; repeat => draw; }",
        );
        let universe = format!("(count c in Cell: on[c]) in {bounds}");
        text.add_invariant("--universe", &universe).expect("a condition");
        text.backend = Backend::Jit;
        let game = text.game(None).expect("sound rules");
        let limits =
            Limits { deadline: Instant::now().checked_add(Duration::from_secs(60)), ..Limits::default() };
        let strong = StrongSolution::of_universe(&game, &limits, &NoProgress)
            .unwrap_or_else(|e| panic!("{bounds}: {e}"));
        assert_eq!(strong.len(), if bounds == "{0, 1}" { 130 } else { 128 }, "{bounds}");
    }
}

#[test]
fn a_universe_does_not_depend_on_the_order_of_its_conditions() {
    let few = "#{ c in Cell where at[c] != none } <= 2";
    let whole = "(#{ c in Cell where at[c] = X } = #{ c in Cell where at[c] = O })";
    let parts = [few, "at[b2] = none", whole, "(no c in Cell: c.row = 1 and at[c] = O)"];
    let mut orders = vec![parts.to_vec(), parts.iter().rev().copied().collect()];
    orders.push(vec![parts[1], parts[3], parts[0], parts[2]]);
    for order in orders {
        let mut text = game("tictactoe");
        text.add_invariant("--universe", &order.join(" and ")).unwrap_or_else(|e| panic!("{e:?}"));
        text.backend = Backend::Jit;
        let game = text.game(None).unwrap_or_else(|e| panic!("{e:?}"));
        let strong = StrongSolution::of_universe(&game, &Limits::default(), &NoProgress)
            .unwrap_or_else(|e| panic!("{e}"));
        // Nothing, or an O on one of five cells and an X on one of seven others; and either player to move.
        let first: u64 = strong.tally.groups.iter().map(|kind| kind.positions).sum();
        assert_eq!(first, 2 * (1 + 5 * 7), "{order:?}");
    }
}
