//! Symmetry reduction: the same answers from fewer positions.

use std::sync::Arc;

use bouton_base::limits::{Limits, NoProgress};
use bouton_driver::load::GameSource;
use bouton_driver::position::resolve_start;
use bouton_search::game::random::Random;
use bouton_search::game::{Backend, Game, State};
use bouton_search::solve::solved_graph::SolvedGraph;
use bouton_search::solve::strong::{PositionSet, StrongRequest, StrongSolution};
use bouton_search::solve::{Auto, Solution, SolveOptions, SolveRequest, Solver, SymmetryMode};

use super::{set, slow};

fn solved(game: &Game, symmetry: SymmetryMode) -> (Solution, Arc<SolvedGraph>) {
    let options = SolveOptions { all_moves: true, strong: true, symmetry, ..SolveOptions::default() };
    let (first, limits) = (game.machine.initial(), Limits::default());
    let solution =
        Auto.solve(&SolveRequest::new(game, &first, &options, &limits, &NoProgress)).expect("sound rules");
    let table = solution.table.clone().expect("a table");
    (solution, table)
}

/// Renders the parts of a solution that do not depend on how it was found.
fn describe(solution: &Solution) -> String {
    let Solution { value, remoteness, best_moves, moves, line, tally, .. } = solution;
    let moves: Vec<_> = moves.iter().map(|m| (&m.made.written, &m.value, m.remoteness)).collect();
    let line: Vec<_> = line.iter().map(|made| &made.written).collect();
    format!("{value:?} {remoteness:?} {best_moves:?} {moves:?} {line:?} {tally:?}")
}

/// Returns some positions of random plays from a position on.
fn some(game: &Game, first: &State, seed: u64) -> Vec<State> {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    for _ in 0..20 {
        let mut state = first.clone();
        for _ in 0..30 {
            let mut successors = game.machine.successors(&state).expect("sound rules");
            if successors.is_empty() {
                break;
            }
            state = successors.swap_remove(random.below(successors.len() as u64) as usize).state;
            all.push(state.clone());
        }
    }
    all
}

/// Solves with and without symmetry reduction, compares the results, and returns the number of positions of each.
fn compare(name: &str, settings: &[&str]) -> (usize, usize) {
    let game = set(name, settings, Backend::Jit);
    let (plain, all) = solved(&game, SymmetryMode::Off);
    let (folded, orbits) = solved(&game, SymmetryMode::On);
    assert!(!all.is_up_to_symmetry());
    assert_eq!(describe(&folded), describe(&plain), "{name} {settings:?}");
    assert_eq!(orbits.histogram(), all.histogram(), "{name} {settings:?}");
    for state in some(&game, &game.machine.initial(), 7) {
        assert_eq!(orbits.value(&state), all.value(&state), "{name} {settings:?}");
        assert_eq!(orbits.remoteness(&state), all.remoteness(&state), "{name} {settings:?}");
        assert_eq!(orbits.best_moves(&state), all.best_moves(&state), "{name} {settings:?}");
        let told = |table: &SolvedGraph| {
            format!("{:?} {:?}", table.moves(&state), table.line(&state, 3).moves.len())
        };
        assert_eq!(told(&orbits), told(&all), "{name} {settings:?}");
    }
    (orbits.len(), all.len())
}

#[test]
fn answers_are_the_same_from_fewer_positions() {
    assert_eq!(compare("tictactoe", &[]), (765, 5478));
    let (orbits, all) = compare("three_mens_morris", &[]);
    assert!(3 * orbits <= all, "{orbits} of {all}");
    let (orbits, all) = compare("connect_four", &["cols=4", "rows=4"]);
    assert!(19 * orbits <= 10 * all, "{orbits} of {all}");
    // Where a field holds a place, a symmetry is no permutation of bits, and all positions are visited.
    for (name, settings, least) in [
        ("gomoku", &["m=3", "n=3", "k=3"][..], 6),
        ("domineering", &["cols=4", "rows=3"], 3),
        ("cram", &["cols=4", "rows=3"], 3),
        ("hare_and_hounds", &[], 1),
        ("kayles", &[], 1),
        ("sliding_squares", &[], 1),
        ("breakthrough", &["cols=3", "rows=4"], 1),
        ("isola", &[], 1),
    ] {
        let (orbits, all) = compare(name, settings);
        assert!(least * orbits <= all, "{name} {settings:?}: {orbits} of {all}");
    }
}

/// Solves all positions strongly, with and without symmetry reduction, and returns the number of positions of each.
fn tables(game: &Game, of: PositionSet<'_>) -> (u64, u64) {
    let solved = |symmetry| {
        let request = StrongRequest { positions: of, symmetry };
        StrongSolution::solve_hashed(game, request, None, &Limits::default(), &NoProgress).expect("values")
    };
    let (folded, plain) = (solved(SymmetryMode::On), solved(SymmetryMode::Off));
    assert_eq!(folded.tally, plain.tally);
    for state in some(game, &game.machine.initial(), 11) {
        assert_eq!(folded.value(&state), plain.value(&state));
    }
    (folded.len(), plain.len())
}

#[test]
fn tables_are_the_same_from_fewer_positions() {
    for (name, settings, orbits) in [
        ("tictactoe", &[][..], Some(765)),
        ("three_mens_morris", &[], None),
        ("connect_four", &["cols=4", "rows=4"], None),
        ("dodgem", &[], None),
    ] {
        let game = set(name, settings, Backend::Jit);
        let (folded, all) = tables(&game, PositionSet::Position(&game.machine.initial()));
        assert!(orbits.is_none_or(|orbits| orbits == folded), "{name}: {folded}");
        assert!(folded < all || name == "dodgem", "{name}: {folded} of {all}");
    }
}

/// A universe that is invariant under symmetry, and one that is not.
#[test]
fn universes_are_folded_where_they_may_be() {
    let universe = |expr: &str| {
        let mut text = super::game("three_mens_morris");
        text.add_invariant("--universe", expr).expect("a condition");
        text.backend = Backend::Jit;
        tables(&text.game(None).expect("sound rules"), PositionSet::Universe)
    };
    let moving = "(all p in Player: hand[p] = 0 and (count c in Point: at[c] = p) = 3)";
    let (folded, all) = universe(moving);
    assert_eq!(all, 2 * 84 * 20);
    assert!(folded < all / 6, "{folded} of {all}");
    let (one, other) = universe(&format!("{moving} and at[a1] = White"));
    assert!(one == other && one > 0, "nothing is taken together: {one} and {other}");
}

/// A move that is impossible in play from the first position may be possible from another position, and breaks a
/// symmetry there.
#[test]
fn symmetries_are_those_of_the_position_asked_about() {
    let text = "game \"A lock\"; players A, B; state { s: set of 1..4 = {}; open: bool = false; }\
         move take(i: 1..4) { when i not in s; s |= { i }; } move both() { when open and not 1 in s; s |= { 1, 2 }; }\
         end { when #s = 4 => mover wins; }";
    let mut text = GameSource::from_string("lock.bou", text);
    text.backend = Backend::Jit;
    let limits = Limits::default();
    let start = resolve_start(&mut text, Some("open := true;"), None, &limits).expect("a position");
    let (game, state) = (start.game, start.state);
    let by = |symmetry| {
        let options = SolveOptions { all_moves: true, strong: true, symmetry, ..SolveOptions::default() };
        Auto.solve(&SolveRequest::new(&game, &state, &options, &limits, &NoProgress)).expect("sound rules")
    };
    let (plain, folded) = (by(SymmetryMode::Off), by(SymmetryMode::On));
    assert!(folded.table.as_ref().is_some_and(|table| table.is_up_to_symmetry()), "3 and 4 are alike");
    assert_eq!(describe(&folded), describe(&plain));
}

/// The payoff of infinite play may depend on the position: then there is no single value, even if each position has an
/// image with the same payoff.
#[test]
fn infinite_play_that_gives_one_result_is_looked_for_everywhere() {
    let text = "game \"Round\"; players A, B; state { s: set of 1..2 = {}; }\
         move put(i: 1..2) { when i not in s; s |= { i }; } move off(i: 1..2) { when i in s; s -= { i }; }\
         move stop() { when #s = 1; s := { 1, 2 }; } end { when #s = 2 => draw;\
         repeat => payoff p: if RULE then (if p = A then 1 else -1) else 0; }";
    for (rule, one) in [("1 in s", false), ("#s > 2", true)] {
        let mut text = GameSource::from_string("round.bou", &text.replace("RULE", rule));
        text.backend = Backend::Jit;
        let game = text.game(None).expect("sound rules");
        for symmetry in [SymmetryMode::Off, SymmetryMode::On] {
            let options = SolveOptions { symmetry, ..SolveOptions::default() };
            let (first, limits) = (game.machine.initial(), Limits::default());
            let found = Auto.solve(&SolveRequest::new(&game, &first, &options, &limits, &NoProgress));
            let found = found.expect("sound rules");
            assert_eq!(found.value.is_some(), one, "{rule} {symmetry:?}: {:?}", found.reason);
        }
    }
}

#[test]
fn four_in_line_has_six_times_fewer_positions() {
    if !slow() {
        return;
    }
    let (orbits, all) = compare("gomoku", &["m=4", "n=4", "k=4"]);
    assert!(6 * orbits <= all, "{orbits} of {all}");
}

/// Finding the symmetries of a large board takes a fraction of the time of a million positions.
#[test]
fn the_morris_board_is_folded() {
    let game = set("nine_mens_morris", &["men=3"], Backend::Jit);
    let options = SolveOptions { symmetry: SymmetryMode::On, ..SolveOptions::default() };
    let limits = Limits { positions: Some(5000), ..Limits::default() };
    let first = game.machine.initial();
    let solution =
        Auto.solve(&SolveRequest::new(&game, &first, &options, &limits, &NoProgress)).expect("sound rules");
    assert!(solution.table.is_some_and(|table| table.is_up_to_symmetry()));
}

/// Solves with positions for exchanged players and without, compares values, moves and bounds at positions of random
/// plays, and returns the number of positions of each.
fn compare_exchanged(game: &Game, first: &State) -> (usize, usize) {
    let limits = Limits::default();
    let by = |symmetry, limits: &Limits| {
        let options =
            SolveOptions { all_moves: true, exchange_players: true, symmetry, ..SolveOptions::default() };
        let solution = Auto.solve(&SolveRequest::new(game, first, &options, limits, &NoProgress));
        solution.expect("sound rules")
    };
    let (plain, folded) = (by(SymmetryMode::Off, &limits), by(SymmetryMode::On, &limits));
    let table = |solution: &Solution| solution.table.clone().expect("a table");
    let (all, classes) = (table(&plain), table(&folded));
    assert!(!all.is_up_to_symmetry());
    assert_eq!(describe(&folded), describe(&plain));
    let known = |state: &State| {
        let moves = all.moves(state);
        let values: Vec<_> = moves.iter().map(|of| (&of.made.written, &of.value)).collect();
        assert_eq!(
            classes.moves(state).iter().map(|of| (&of.made.written, &of.value)).collect::<Vec<_>>(),
            values
        );
        all.value(state).expect("every position was visited")
    };
    for state in some(game, first, 7) {
        let value = known(&state);
        assert_eq!(classes.value(&state), Some(value.clone()));
        assert_eq!(classes.best_moves(&state), all.best_moves(&state));
        for (player, payoff) in value.payoffs.iter().enumerate() {
            let keeping = |table: &SolvedGraph| table.keeping(&state, player as u32, payoff.clone());
            assert_eq!(keeping(&classes), keeping(&all));
        }
    }
    // Bounds where not all positions were visited.
    for positions in [10, all.len() as u64 / 3] {
        let cut = by(SymmetryMode::On, &Limits { positions: Some(positions), ..Limits::default() });
        let value = &plain.value.as_ref().expect("a value").payoffs[0];
        let Some(bounds) = cut.bounds else { continue };
        assert!(bounds.low.is_none_or(|low| low <= *value) && bounds.high.is_none_or(|high| high >= *value));
    }
    (classes.len(), all.len())
}

#[test]
fn positions_stand_for_those_with_exchanged_players() {
    let of = |name, settings: &[&str]| {
        let game = set(name, settings, Backend::Jit);
        compare_exchanged(&game, &game.machine.initial())
    };
    for (name, settings) in [("bear_off", &["low=1", "high=3"][..]), ("dice_race", &[])] {
        let (classes, all) = of(name, settings);
        assert!(8 * classes <= 7 * all, "{name}: {classes} of {all}");
    }
    // Positions come back, or no exchange is a permutation of bits.
    for name in ["einstein", "pig", "snakes_and_ladders", "coin_toss"] {
        of(name, &[]);
    }
}

/// Positions whose players are exchanged have the rest of the sum, whatever the sum; the first position may be one of
/// the second player's.
#[test]
fn exchanged_players_share_the_sum() {
    let text = "game \"Steps\"; players A, B; phases { throw by chance; act; }\
         state { at[p: Player]: 0..6 = 0; die: 0..2 = 0; }\
         chance roll(n: 1..2) in throw { weight WEIGHT; die := n; EVENT continue act; }\
         move step() in act { at[me] += min(die, 6 - at[me]); die := 0; }\
         move push() in act { when all p in Player: p = me or at[p] < 6; \
           for p in Player where p != me { at[p] += 1; } die := 0; }\
         end { for p in Player when at[p] = 6 => payoff q: \
           if q = p then 18 + at[other(q)] else 6 - at[q]; }";
    // With the last event both may be at the end, and the rules name the first of them.
    for (weight, event, exchanged) in [
        ("n", "", true),
        ("if mover = A then 1 else n", "", false),
        ("n", "if n = 2 { for p in Player where at[p] < 6 { at[p] += 1; } }", false),
    ] {
        let rules = text.replace("WEIGHT", weight).replace("EVENT", event);
        for edit in [None, Some("at[B] := 1; mover := B;"), Some("at[A] := 3; mover := B;")] {
            let mut text = GameSource::from_string("steps.bou", &rules);
            text.backend = Backend::Jit;
            let limits = Limits::default();
            let start = resolve_start(&mut text, edit, None, &limits).expect("a position");
            let (classes, all) = compare_exchanged(&start.game, &start.state);
            assert_eq!(4 * classes < 3 * all, exchanged, "{weight} {edit:?}: {classes} of {all}");
        }
    }
}

/// Returns the rules of a race at random: some are the same for both players, some are not, and some ends may hold for
/// both at once.
fn race(random: &mut Random) -> String {
    let mut one_of = |all: &[&str]| all[random.below(all.len() as u64) as usize].to_owned();
    let weight = one_of(&["n", "1", "4 - n", "at[mover] + n", "if mover = A then 1 else n"]);
    let event = one_of(&["", "", "if n = 2 { at[A] := at[B]; at[B] := at[A]; }", "if n = 3 { at[A] := 0; }"]);
    let moves = [
        one_of(&[
            "at[me] := min(4, at[me] + die);",
            "at[me] := min(4, at[me] + die); if die = 3 { next me; }",
        ]),
        one_of(&["at[other(me)] := max(0, at[other(me)] - die);", "at[me] := at[other(me)];"]),
        one_of(&["when at[me] > 0; at[me] -= 1;", "when me = A; at[A] := 2;", "when die = 1; again;"]),
    ];
    let end = one_of(&[
        "when clock = 5 => payoff p: at[p] - at[other(p)];",
        "when clock = 5 => payoff p: if at[A] = at[B] then 3 else if at[p] > at[other(p)] then 5 else 1;",
        "for p in Player when at[p] = 4 => p wins; when clock = 5 => draw;",
        "for p in Player when at[p] = 4 and clock > 2 => p wins; when clock = 5 => B wins;",
    ]);
    let moves: Vec<String> = moves
        .iter()
        .enumerate()
        .map(|(number, body)| format!("move m{number}() in act {{ {body} clock += 1; die := 0; }}"))
        .collect();
    format!(
        "game \"Race\"; players A, B; phases {{ throw by chance; act; }}\n\
         state {{ at[p: Player]: 0..4 = 0; die: 0..3 = 0; clock: 0..5 = 0; }}\n\
         chance roll(n: 1..3) in throw {{ weight {weight}; die := n; {event} continue act; }}\n\
         {}\nend {{ {end} }}\n",
        moves.join("\n")
    )
}

#[test]
fn races_at_random_have_the_same_values_with_exchanged_players() {
    let mut random = Random::new(33);
    let (mut exchanged, mut others) = (0, 0);
    for number in 0..if slow() { 300 } else { 30 } {
        let rules = race(&mut random);
        let mut text = GameSource::from_string("race.bou", &rules);
        text.backend = Backend::Jit;
        let game = text.game(None).unwrap_or_else(|why| panic!("{number}: {why:?}\n{rules}"));
        let (classes, all) = compare_exchanged(&game, &game.machine.initial());
        if 4 * classes < 3 * all { exchanged += 1 } else { others += 1 }
    }
    assert!(exchanged > 5 && others > 5, "{exchanged} with exchanged players, {others} without");
}
