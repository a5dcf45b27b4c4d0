//! The definition of the language against the grounded rules: both agree on random plays of every game.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bouton_base::limits::{Limits, NoProgress};
use bouton_detect::symmetry::symmetries;
use bouton_driver::load::GameSource;
use bouton_driver::orbits::count_orbits;
use bouton_grounding::{ActionMaker, FormulaEvaluator, Ground, Transition, ground};
use bouton_reference::Interpreter;
use bouton_rules::{MoveInstance, Rules, ToMove};
use bouton_search::game::random::Random;

use super::{game, names, slow};

/// Asserts that the moves, the ends, the successors and the faults are those of the definition, on random plays.
pub fn agrees(name: &str, rules: &Arc<Rules>, ground: &Ground, plays: u64) {
    let definition = Interpreter::new(rules.clone());
    // An upper bound on the reachable positions, if its computation stays within its limit.
    let steps: Vec<Transition> = ground.actions.iter().map(Transition::from).collect();
    let bound = ground.pairwise_reachability(&ground.initial, &steps, &mut 3_000_000);
    for seed in 0..plays {
        let mut random = Random::new(seed);
        let mut state = definition.initial();
        for ply in 0..60 {
            let at = |what: &str| format!("{name}, play {seed}, ply {ply}: {what}");
            let position = ground.fluents.position(&definition.cells(&state)).expect("a position");
            assert_eq!(ground.fluents.cells(&position), definition.cells(&state), "{}", at("the cells"));
            assert!(bound.as_ref().is_none_or(|bound| bound.allows(&position)), "{}", at("the bound"));
            let mut reading = FormulaEvaluator::new(&ground.formulas, &position);
            let expanded = definition.expand(&state);
            assert_eq!(reading.holds(ground.fault), expanded.is_err(), "{}", at("a fault"));
            let Ok((turn, moves)) = expanded else { break };
            let over: Vec<_> = ground.ends.iter().filter(|end| reading.holds(end.when)).collect();
            assert_eq!(reading.holds(ground.over), matches!(turn, ToMove::Terminal(_)), "{}", at("the end"));
            if let ToMove::Terminal(outcome) = &turn {
                let given: Vec<_> = over.iter().map(|end| (&end.payoffs, end.kind)).collect();
                assert_eq!(given, [(&outcome.payoffs, outcome.kind)], "{}", at("the result"));
                break;
            }
            let legal: Vec<_> = ground.actions.iter().filter(|action| reading.holds(action.legal)).collect();
            let own = |maker: &ActionMaker| match turn {
                ToMove::Player(player) => *maker == ActionMaker::Player(player),
                _ => *maker == ActionMaker::All,
            };
            assert!(legal.iter().all(|action| own(&action.maker)), "{}", at("who moves"));
            let plays: Vec<&MoveInstance> = legal.iter().map(|action| &action.play).collect();
            let expected: Vec<&MoveInstance> = moves.iter().map(|(play, _, _)| play).collect();
            assert_eq!(plays, expected, "{}", at("the moves"));
            for (action, (_, after, _)) in legal.iter().zip(&moves) {
                let made = ground.successor(&mut reading, &position, action);
                assert_eq!(
                    ground.fluents.cells(&made),
                    definition.cells(after),
                    "{}: {:?}",
                    at("after"),
                    action.play
                );
            }
            if moves.is_empty() {
                break;
            }
            state = moves[random.below(moves.len() as u64) as usize].1.clone();
        }
    }
}

/// Games that cannot be grounded, with the reason.
const REFUSED: &[(&str, &str)] = &[
    ("bear_off", "grounding does not support chance"),
    ("chess", "its rules are too large when grounded"),
    ("coin_toss", "grounding does not support chance"),
    ("dice_race", "grounding does not support chance"),
    ("einstein", "grounding does not support chance"),
    ("go", "`forbid repeat` depends on the history"),
    ("go_ladder", "its rules are too large when grounded"),
    ("hypergammon", "grounding does not support chance"),
    ("kalah", "its rules are too large when grounded"),
    ("kuhn_poker", "grounding does not support chance"),
    ("leduc_holdem", "grounding does not support chance"),
    ("liars_dice", "grounding does not support chance"),
    ("mastermind", "grounding does not support chance"),
    ("monty_hall", "grounding does not support chance"),
    ("pig", "grounding does not support chance"),
    ("ring_of_rents", "grounding does not support chance"),
    ("snakes_and_ladders", "grounding does not support chance"),
    ("truel", "grounding does not support chance"),
    ("two_tricks", "grounding does not support chance"),
];

#[test]
fn every_game_is_written_out_as_it_is_played() {
    let mut refused = Vec::new();
    for name in names() {
        let rules = game(&name).game(None).unwrap_or_else(|_| panic!("{name}")).rules.clone();
        match ground(&rules, &Limits::default()) {
            Ok(ground) => agrees(&name, &rules, &ground, if slow() { 20 } else { 2 }),
            Err(refusal) => refused.push((name, refusal.to_string())),
        }
    }
    let refused: Vec<(&str, &str)> = refused.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(refused, REFUSED);
}

/// Returns the order of the symmetry group of a game at these settings.
fn order(name: &str, settings: &[&str]) -> Option<u128> {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    let mut text = game(name).with_settings(&settings, None).expect("settings");
    let rules = text.game(None).unwrap_or_else(|_| panic!("{name}")).rules.clone();
    let ground = ground(&rules, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let group = symmetries(&ground);
    assert!(group.complete, "{name}");
    group.order
}

#[test]
fn symmetry_groups() {
    let groups: &[(&str, &[&str], u128)] = &[
        ("tictactoe", &[], 8),
        ("tic_tic_toe", &[], 16),
        ("connect_four", &[], 2),
        ("nine_mens_morris", &[], 16),
        ("three_mens_morris", &[], 8),
        ("hatch", &[], 2),
        ("nim", &["heaps=[2,2,4,7]"], 2),
        ("cram", &["cols=4", "rows=4"], 8),
        ("chomp", &["cols=3", "rows=3"], 2),
        // The symmetries that keep the four discs of the first position.
        ("othello", &[], 4),
        ("gomoku", &[], 8),
        // More than turns and reflections: the middle columns and rows may change places, and the outer ones.
        ("gomoku", &["m=4", "n=4", "k=4"], 32),
    ];
    for (name, settings, expected) in groups {
        assert_eq!(order(name, settings), Some(*expected), "{name} {settings:?}");
    }
}

#[test]
fn positions_up_to_symmetry() {
    let mut counted = vec![("tictactoe", &[][..], 5478, 765)];
    if slow() {
        // Published with their groups: four by four, and Connect Four on that board.
        counted.push(("connect_four", &["cols=4", "rows=4"][..], 161_029, 80_541));
    }
    for (name, settings, positions, expected) in counted {
        let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
        let game =
            game(name).with_settings(&settings, None).expect("settings").game(None).expect("sound rules");
        let orbits = count_orbits(&game, positions, &Limits::default(), &NoProgress);
        assert_eq!(orbits, Some(expected), "{name}");
    }
}

/// Checks that every symmetry permutes the values of each field, including values that never occur, and that the count
/// of orbits agrees. Fields with different numbers of values are not equivalent.
#[test]
fn symmetries_of_fields_of_several_kinds() {
    let of = |state: &str, moves: &str, ends: &str| {
        let text = format!("game \"Kinds\"; players A, B; state {{ {state} }} {moves} {ends}");
        GameSource::from_string("kinds.bou", &text).game(None).unwrap_or_else(|e| panic!("{text}: {e:?}"))
    };
    let (normal, grow) = ("play normal;", "move grow(i: 59..62) { when i not in s; s |= { i }; }");
    let rise = "move rise(i: 59..62) { when i not in t; t |= { i }; }";
    let cases: &[(&str, &str, &str, u128, u64)] = &[
        (
            "g: 0..3 = 0; flag: bool = false;",
            "move a() { when g = 0; g := 3; } move b() { when not flag; flag := true; }",
            normal,
            1,
            4,
        ),
        // Fields of the same sizes, with other values that never occur.
        (
            "q: 0..5 = 0; r: 0..5 = 5;",
            "move a() { when q = 0; q := 3; } move b() { when r = 5; r := 1; }",
            normal,
            2,
            3,
        ),
        (
            "q: 0..2 = 0; p: Player? = none;",
            "move a() { when q = 0; q := 2; } move b() { when p = none; p := A; }",
            normal,
            2,
            3,
        ),
        // Elements of a set and two booleans, one of them true from the beginning.
        (
            "s: set of 1..2 = { 2 }; f: bool = false; g: bool = true;",
            "move a() { when 1 not in s; s |= { 1 }; } move b() { when 2 in s; s -= { 2 }; }\
             move c() { when not f; f := true; } move d() { when g; g := false; }",
            normal,
            24,
            5,
        ),
        // 60 and 61 are no more alike than other numbers, and elements that are always in a set make no symmetries.
        (
            "s: set of 1..62 = 1..58; t: set of 1..62 = 1..58;",
            &format!("{grow} {rise}"),
            "end { when #s = 60 => A wins; when #t = 61 => A wins; }",
            576,
            11,
        ),
    ];
    for (state, moves, ends, expected, orbits_expected) in cases {
        let game = of(state, moves, ends);
        let ground = ground(&game.rules, &Limits::default()).expect("small rules");
        let group = symmetries(&ground);
        assert_eq!(group.order, Some(*expected), "{state}");
        for generator in &group.generators {
            let board = &generator.board;
            for (from, (to, values)) in board.fluents.iter().zip(&board.values).enumerate() {
                let mut values = values.clone();
                values.sort_unstable();
                assert!(
                    values.into_iter().eq(0..ground.fluents.get(*to).values.len() as u8),
                    "{state}: {from}"
                );
            }
        }
        // Without symmetries the answer is the number of positions that is given.
        let counted = count_orbits(&game, *orbits_expected, &Limits::default(), &NoProgress);
        assert_eq!(counted, Some(*orbits_expected), "{state}");
    }
}

/// Permutations of 34 cells: their number, times that of the positions, exceeds 128 bits.
#[test]
fn more_images_than_numbers_are_not_counted() {
    let text = "game \"Pick\"; players A, B; state { picked[c: 1..34]: bool = false; }\n\
         move pick(c: 1..34) { when no d in 1..34: picked[d]; picked[c] := true; } play normal;";
    let game = GameSource::from_string("pick.bou", text).game(None).expect("sound rules");
    let ground = ground(&game.rules, &Limits::default()).expect("small rules");
    assert_eq!(symmetries(&ground).order, Some((1..=34).product()));
    assert_eq!(count_orbits(&game, 35, &Limits::default(), &NoProgress), None);
}

/// Limits also stop grounding inside one large formula: here the results of a count of all cells, for each player.
#[test]
fn writing_rules_out_ends_with_its_limits() {
    let text = "game \"Wide\"; players A, B, C; state { got[p: Player]: 0..30 = 0; left: 0..30 = 9; }\n\
         move take(k: 1..3) { when k <= left; left -= k; got[me] += k; }\n\
         end { when left = 0 => payoff p: 100 * got[p] - got[p] * got[p] + (if p = mover then 7 else 3); }\n";
    let rules = GameSource::from_string("wide.bou", text).game(None).expect("sound rules").rules;
    let limits = Limits { deadline: Some(Instant::now() + Duration::from_millis(20)), ..Limits::default() };
    let refused = ground(&rules, &limits).map(|_| ()).expect_err("it takes longer");
    assert!(refused.reason.contains("time limit"), "{refused}");
    let refused = ground(&rules, &Limits::default()).map(|_| ()).expect_err("it is too large");
    assert!(refused.reason.contains("too large"), "{refused}");
}
