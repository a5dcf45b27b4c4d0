//! Dense indices of positions, against the same positions by their keys.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rayon::ThreadPoolBuilder;

use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_circuit::Position;
use bouton_search::game::bitmap_search::{BitmapSearchEnd, BitmapSearchOptions, ReachableBitmap};
use bouton_search::game::dense_index::DenseIndex;
use bouton_search::game::random::Random;
use bouton_search::game::reachable_set::{Expander, ReachableSet};
use bouton_search::game::{Backend, Game, State};
use bouton_search::solve::SymmetryMode;
use bouton_search::solve::strong::{PositionSet, StrongError, StrongRequest, StrongSolution};

use super::{GameSource, set, slow};

/// Columns that fill up and boards on which stones are placed anywhere, of two kinds of stones and of one.
fn games() -> Vec<(&'static str, Game)> {
    let all: &[(&str, &[&str])] = &[
        ("tictactoe", &[]),
        ("connect_four", &["cols=4", "rows=4"]),
        ("connect_four", &["cols=3", "rows=5", "k=3"]),
        ("gomoku", &["m=4", "n=3", "k=3"]),
        ("hex", &["n=3"]),
    ];
    let one = compiled(
        "state { on[c: Cell]: bool = false; }
         move put(c: Cell) { when not on[c] and (c.col != 2 or not on[a1]); on[c] := true; }
         play normal;",
    );
    all.iter()
        .map(|(name, settings)| (*name, set(name, settings, Backend::Jit)))
        .chain([("stones", one)])
        .collect()
}

/// Compiles a game of two players on nine cells.
fn compiled(rules: &str) -> Game {
    let head = "game \"Stones\"; players A, B; board Cell = grid(3, 3);";
    let mut text = GameSource::from_string("stones.bou", &format!("{head} {rules}"));
    text.backend = Backend::Jit;
    let game = text.game(None).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(game.compiled().is_some());
    game
}

fn ranking(game: &Game, state: &State) -> Option<DenseIndex> {
    let machine = game.compiled().expect("a circuit");
    DenseIndex::of(machine.runner().circuit(), &machine.position(state).expect("it is held"))
}

/// Returns the position after some moves, always the first one.
fn played(game: &Game, moves: usize) -> State {
    let next = |at: State, _| game.machine.successors(&at).expect("sound rules").swap_remove(0).state;
    (0..moves).fold(game.machine.initial(), next)
}

#[test]
fn every_number_is_one_position() {
    for (name, game) in games() {
        for moves in [0, 3] {
            let ranking = ranking(&game, &played(&game, moves)).expect("numbers");
            for ply in 0..ranking.plies() {
                let mut cursor = ranking.cursor(ply);
                let size = ranking.size(ply).expect("few");
                // In order, and with leaps.
                for number in (0..size).chain((0..size).step_by(5)).chain([size - 1, 0, size / 2]) {
                    let (control, words) = cursor.at(number);
                    let position = Position { control, words: words.into() };
                    assert_eq!(ranking.index_of(&position), Some((ply, number)), "{name}");
                }
            }
            assert_eq!(ranking.size(ranking.plies()), None);
        }
    }
}

#[test]
fn other_positions_have_no_number() {
    let game = set("connect_four", &["cols=4", "rows=4"], Backend::Jit);
    let ranking = ranking(&game, &game.machine.initial()).expect("numbers");
    let mut cursor = ranking.cursor(5);
    let size = ranking.size(5).expect("few");
    for number in 0..size {
        let (control, words) = cursor.at(number);
        let position = Position { control, words: words.into() };
        // A stone taken out, put twice, put elsewhere, or another player to move.
        for bit in 0..64 {
            for word in 0..position.words.len() {
                let mut other = position.clone();
                other.words[word] ^= 1 << bit;
                assert_eq!(ranking.index_of(&other), None);
            }
        }
        let other = ranking.control(4);
        assert_eq!(ranking.index_of(&Position { control: other, ..position }), None);
    }
}

#[test]
fn gathered_by_numbers_and_by_keys_are_the_same_positions() {
    for (name, game) in games() {
        let machine = game.compiled().expect("a circuit");
        let from = [game.machine.initial()];
        let expander = Expander::new(machine);
        let (closure, by_keys, _) =
            ReachableSet::<()>::search(&expander, &from, None, &Limits::default(), &NoProgress);
        for threads in [1, 3] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let mut ranked = ReachableBitmap::begin(ranking(&game, &from[0]).expect("numbers"));
            let wanted = BitmapSearchOptions { all: true, ..BitmapSearchOptions::COUNT_ONLY };
            let mut rests = 0;
            let mut at_rest = |_: &ReachableBitmap, _: u32| {
                rests += 1;
                ControlFlow::Continue(())
            };
            let gather = || ranked.search(machine, wanted, &Limits::default(), &NoProgress, &mut at_rest);
            let by_numbers = pool.install(gather).expect("sound rules");
            assert_eq!(rests, by_keys.plies.len() - 1);
            let all = |met: &bouton_search::game::reachable_set::ReachStats| {
                (met.plies.clone(), met.expanded, met.moves)
            };
            assert_eq!(all(&by_numbers), all(&by_keys), "{name}");
            assert_eq!(by_numbers.endings, by_keys.endings, "{name}");
            assert_eq!(ranked.len(), closure.len());
            for (ply, bits) in ranked.plies.iter().enumerate() {
                let mut cursor = ranked.ranking.cursor(ply);
                let there = |&number: &usize| bits[number / 64] >> (number % 64) & 1 != 0;
                for number in (0..64 * bits.len()).filter(there) {
                    let (control, words) = cursor.at(number as u64);
                    let key = expander.key(&closure.keys, control, words).expect("a key");
                    assert!(closure.get(bouton_base::key_table::hash(&key), &key).is_some(), "{name}");
                }
            }
        }
    }
}

/// A request for all positions reachable from this one, without symmetry reduction.
fn reachable_from(start: &State) -> StrongRequest<'_> {
    StrongRequest { positions: PositionSet::Position(start), symmetry: SymmetryMode::Off }
}

#[test]
fn values_by_numbers_and_by_keys_are_the_same() {
    for (name, game) in games() {
        let limits = Limits::default();
        for moves in [0, 2] {
            let start = played(&game, moves);
            let request = reachable_from(&start);
            let by_keys = StrongSolution::solve_hashed(&game, request, None, &limits, &NoProgress)
                .expect("sound rules");
            for threads in [1, 3] {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                let solve = || StrongSolution::of(&game, request, None, &limits, &NoProgress);
                let by_numbers = pool.install(solve).expect("sound rules");
                assert_eq!(by_numbers.tally, by_keys.tally, "{name}");
                assert_eq!(by_numbers.len(), by_keys.len());
                let small = by_numbers.held_bytes < by_keys.held_bytes;
                assert!(small, "{name}: {} and {}", by_numbers.held_bytes, by_keys.held_bytes);
                // All positions close to the start, and some that play does not reach.
                let (mut layer, mut seen) = (BTreeMap::from([(start.0.clone(), start.clone())]), 0);
                for _ in 0..6 {
                    for state in layer.values() {
                        assert_eq!(by_numbers.value(state), by_keys.value(state), "{name}");
                        seen += u32::from(by_keys.value(state).is_some());
                    }
                    let next = |state: &State| game.machine.successors(state).unwrap_or_default();
                    let after = layer.values().flat_map(next).map(|successor| successor.state);
                    layer = after.map(|state| (state.0.clone(), state)).take(2000).collect();
                }
                assert!(seen > 10, "{name}: {seen}");
                let before = game.machine.initial();
                assert_eq!(by_numbers.value(&before).is_some(), moves == 0);
            }
        }
    }
}

/// A resumed enumeration includes the indices of earlier plies in its density test: those of ply 13 alone would not be
/// too many.
#[test]
fn what_is_gone_on_with_is_given_up_where_it_would_be_in_one_go() {
    let game = set("connect_four", &["cols=6", "rows=4"], Backend::Jit);
    let machine = game.compiled().expect("a circuit");
    let mut ranked = ReachableBitmap::begin(ranking(&game, &game.machine.initial()).expect("numbers"));
    let mut gather = |plies| {
        let mut goes_on = |_: &ReachableBitmap, _: u32| ControlFlow::Continue(());
        let wanted = BitmapSearchOptions { plies, all: true, sparse: 0 };
        let gathered = ranked.search(machine, wanted, &Limits::default(), &NoProgress, &mut goes_on);
        (gathered.map_err(|(why, _)| why).err(), ranked.plies.len())
    };
    assert_eq!(gather(Some(12)), (None, 13));
    assert_eq!(gather(None), (Some(BitmapSearchEnd::Sparse), 13));
}

/// Rules in which each turn places a stone, with a random place, kind and end.
fn drawn(random: &mut Random) -> String {
    let mut any = |all: &[&'static str]| all[random.below(all.len() as u64) as usize];
    let size = any(&["grid(2, 3)", "grid(3, 3)", "grid(4, 3)", "grid(3, 4)", "grid(2, 5)"]);
    let put = any(&[
        "put(c: Cell) { when at[c] = none;",
        "put(c: Cell) { when at[c] = none and (c.row = 1 or at[a1] != none);",
        "put(c: Cell) { when at[c] = none and (c.col != 2 or (count d in Cell: at[d] = me) < 2);",
        "put(c: Cell) { when at[c] = none and no d in Cell where orthogonal(c, d): at[d] = me;",
        "drop(x: 1..4) { let c = min d in Cell where at[d] = none and d.col = x: d;",
        "drop(x: 1..4) { let c = max d in Cell where at[d] = none and d.col = x: d;",
        "slide(y: 1..4) { let c = max d in Cell where at[d] = none and d.row = y: d;",
    ]);
    let kind = any(&["me", "me", "other(me)", "A"]);
    let end = any(&[
        "for p in Player when some l in lines(Cell, 3): all c in l: at[c] = p => p wins;",
        "for p in Player when some l in lines(Cell, 2): all c in l: at[c] = p => other(p) wins;",
        "when (count c in Cell: at[c] = A) >= 4 => B wins;",
        "for p in Player when (count c in Cell: at[c] = p and c.col = 1) >= 2 => p wins;",
    ]);
    let left = any(&["draw", "mover wins", "mover loses"]);
    format!(
        "game \"Drawn\"; players A, B; board Cell = {size}; state {{ at[c: Cell]: Player? = none; }}
         move {put} at[c] := {kind}; }}
         end {{ {end} when stuck => {left}; }}"
    )
}

#[test]
fn drawn_games_have_the_same_values_by_numbers_and_by_keys() {
    let (mut random, mut numbered, mut ends) = (Random::new(5), 0, BTreeMap::<String, u32>::new());
    let games = if slow() { 400 } else { 30 };
    for _ in 0..games {
        let rules = drawn(&mut random);
        let mut text = GameSource::from_string("drawn.bou", &rules);
        text.backend = Backend::Jit;
        let game = text.game(None).unwrap_or_else(|e| panic!("{rules}: {e:?}"));
        let start = played(&game, random.below(3) as usize);
        if game.compiled().is_none() || ranking(&game, &start).is_none() {
            continue;
        }
        numbered += 1;
        let (request, limits) = (reachable_from(&start), Limits::default());
        let by_keys = StrongSolution::solve_hashed(&game, request, None, &limits, &NoProgress);
        let by_keys = by_keys.map(|strong| strong.tally);
        let by_numbers = StrongSolution::of(&game, request, None, &limits, &NoProgress);
        let by_numbers = by_numbers.map(|strong| strong.tally);
        assert_eq!(by_numbers, by_keys, "{rules}");
        *ends
            .entry(by_keys.map_or_else(|why| why.to_string(), |tally| tally.groups.len().to_string()))
            .or_default() += 1;
    }
    println!("{numbered} of {games}: {ends:?}");
    assert!(4 * numbered > games && ends.len() > 2, "{numbered} of {games}: {ends:?}");
}

#[test]
fn numbers_without_room_are_given_up_before_they_are_labelled() {
    let game = set("connect_four", &["cols=4", "rows=4"], Backend::Jit);
    let start = game.machine.initial();
    let ranking = ranking(&game, &start).expect("numbers");
    let all: u64 = (0..ranking.plies()).map(|ply| ranking.size(ply).expect("few").next_multiple_of(64)).sum();
    let solve = |bytes: u64| {
        let limits = Limits { memory_bytes: Some(bytes), ..Limits::default() };
        StrongSolution::of_position(&game, &start, &limits, &NoProgress)
    };
    // The labelling of the first position also holds its bit.
    let strong = solve(all + 8).expect("room");
    assert_eq!(strong.held_bytes, all + 8);
    // By keys it takes more.
    let unseen = solve(all - 8).map(|strong| strong.held_bytes);
    let failed = matches!(unseen, Err(StrongError::Unfinished { hit: LimitHit::Memory, held_bytes, .. }) if held_bytes < all);
    assert!(failed, "{unseen:?}");
}

/// Stones that come in any order, more than two kinds, and other parts of a position.
#[test]
fn what_is_not_known_of_each_ply_has_no_numbers() {
    let cases = [
        "enum Colour { red, blue } state { at[c: Cell]: Colour? = none; }
         move put(c: Cell, s: Colour) { when at[c] = none; at[c] := s; } play normal;",
        "state { on[c: Cell]: bool = false; last: 0..2 = 0; }
         move put(c: Cell) { when not on[c] and c.row - 1 in 0..2; on[c] := true; last := c.row - 1; } play normal;",
    ];
    for rules in cases {
        let game = compiled(rules);
        assert!(ranking(&game, &game.machine.initial()).is_none(), "{rules}");
    }
    for name in ["othello", "breakthrough", "dodgem", "three_mens_morris", "domineering"] {
        let game = set(name, &[], Backend::Jit);
        assert!(ranking(&game, &game.machine.initial()).is_none(), "{name}");
    }
}

/// The first cells must be taken in one order, so that play reaches one set of places of each ply.
#[test]
fn numbers_that_hardly_any_position_has_are_given_up() {
    let mut text = GameSource::from_string(
        "row.bou",
        "game \"Row\"; players A, B; board Cell = grid(5, 6);
         state { at[c: Cell]: Player? = none; }
         def place(c: Cell) = 6 * c.row + c.col;
         move put(c: Cell) {
           when at[c] = none and all d in Cell: at[d] != none or place(d) >= place(c);
           at[c] := mover;
         }
         play normal;",
    );
    text.backend = Backend::Jit;
    let game = text.game(None).expect("sound rules");
    let machine = game.compiled().expect("a circuit");
    let ranking = ranking(&game, &game.machine.initial()).expect("numbers");
    let mut goes_on = |_: &ReachableBitmap, _: u32| ControlFlow::Continue(());
    let gathered = ReachableBitmap::begin(ranking).search(
        machine,
        BitmapSearchOptions::COUNT_ONLY,
        &Limits::default(),
        &NoProgress,
        &mut goes_on,
    );
    assert_eq!(gathered.map_err(|(why, _)| why).err(), Some(BitmapSearchEnd::Sparse));
    let strong = StrongSolution::of_position(&game, &game.machine.initial(), &Limits::default(), &NoProgress);
    assert_eq!(strong.expect("sound rules").len(), 31);
}
