//! Games as sheets: the sheet plays as the game, by the translation and by the oracle.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bouton_base::limits::Limits;
use bouton_base::random::SplitMix;
use bouton_driver::load::GameSource;
use bouton_report::gdl::{self, GdlError, GdlSheet};
use bouton_rules::{MOVER, ToMove};
use bouton_search::game::{Backend, Game, MachineError, Successor};

use crate::oracle::{Oracle, Term};

/// The game of a file of `games/`, on the definition.
pub fn game(name: &str, settings: &[&str]) -> Game {
    let path = format!("{}/games/{name}.bou", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("a game");
    let settings: Vec<String> = settings.iter().map(|setting| (*setting).to_owned()).collect();
    let source = GameSource::from_string(&format!("{name}.bou"), &text);
    let mut source = source.with_settings(&settings, None).expect("settings");
    source.game(None).unwrap_or_else(|_| panic!("{name} has errors"))
}

/// The sheet of a game from its first position.
pub fn sheet(game: &Game) -> Result<GdlSheet, GdlError> {
    gdl::sheet(game, &game.machine.initial(), &Limits::default())
}

/// The moves of all roles, as terms, for each successor.
fn joint_moves(game: &Game, sheet: &mut GdlSheet, turn: &ToMove, next: &[Successor]) -> Vec<Vec<String>> {
    next.iter().map(|next| sheet.atoms.joint_move(&game.rules, turn, &next.play)).collect()
}

/// Plays at random by the game and by the sheet that was read back, and compares ends, goals and moves.
fn compare_with_translation(name: &str, game: &Game, sheet: &mut GdlSheet, plays: u64) {
    let mut source = GameSource::from_string("sheet.kif", &sheet.text);
    let told: Vec<String> =
        source.diagnostics.iter().map(|found| format!("{} {}", found.code, found.title)).collect();
    assert!(told.is_empty(), "{name}: {told:?}\n{}", sheet.text);
    let names = source.gdl_names().expect("a sheet").clone();
    let rules = source.analyze(None).rules.expect("rules");
    let read = Game::on_backend(rules, Backend::Reference, &[], &Limits::default());
    for seed in 0..plays {
        let mut random = SplitMix::new(seed);
        let (mut here, mut there) = (game.machine.initial(), read.machine.initial());
        for ply in 0..40 {
            let at = |why: &str| format!("{name}, play {seed}, ply {ply}: {why}");
            let (turn, successors) = game.machine.expand(&here).expect("sound rules");
            let expanded: Result<_, MachineError> = read.machine.expand(&there);
            let (read_turn, read_successors) =
                expanded.unwrap_or_else(|why| panic!("{}", at(&why.to_string())));
            if let ToMove::Terminal(outcome) = &turn {
                let ToMove::Terminal(found) = &read_turn else { panic!("{}", at("no end")) };
                let goal = |payoff| sheet.scale.goal(payoff).expect("a goal").to_string();
                let wanted: Vec<String> = outcome.payoffs.iter().map(goal).collect();
                let found: Vec<String> = found.payoffs.iter().map(|p| names.goal(p).to_string()).collect();
                assert_eq!(found, wanted, "{}", at("goals"));
                break;
            }
            assert!(!matches!(read_turn, ToMove::Terminal(_)), "{}", at("an end"));
            let wanted = joint_moves(game, sheet, &turn, &successors);
            let mover = read.machine.read(&there, MOVER, 0).as_sym().unwrap_or(0);
            let joint = |next: &Successor| names.joint_move(mover, &next.play).expect("a move of the sheet");
            let found: Vec<Vec<String>> = read_successors.iter().map(joint).collect();
            let sorted = |moves: &[Vec<String>]| {
                let mut moves = moves.to_vec();
                moves.sort();
                moves
            };
            assert_eq!(sorted(&found), sorted(&wanted), "{}", at("moves"));
            let chosen = (random.word() % successors.len() as u64) as usize;
            let same = found.iter().position(|moves| *moves == wanted[chosen]).expect("compared above");
            here = successors[chosen].state.clone();
            there = read_successors[same].state.clone();
        }
    }
}

/// Plays at random by the game and by the oracle, and compares ends, goals and moves.
fn compare_with_oracle(name: &str, game: &Game, sheet: &mut GdlSheet, until: Instant) {
    let mut oracle = Oracle::new(&sheet.text);
    let roles = oracle.roles();
    let mut random = SplitMix::new(3);
    let (mut here, mut position) = (game.machine.initial(), oracle.initial());
    for ply in 0..40 {
        if Instant::now() > until {
            return;
        }
        let (turn, successors) = game.machine.expand(&here).expect("sound rules");
        let is_over = matches!(turn, ToMove::Terminal(_));
        assert_eq!(oracle.terminal(&position), is_over, "{name}, ply {ply}");
        if let ToMove::Terminal(outcome) = &turn {
            let goals = oracle.goals(&position);
            for (role, payoff) in roles.iter().zip(&outcome.payoffs) {
                let wanted = sheet.scale.goal(payoff).expect("a goal").to_string();
                let found: Vec<String> = goals[role].iter().map(Term::to_string).collect();
                assert_eq!(found, [wanted], "{name}, ply {ply}, {role}");
            }
            return;
        }
        let legal = oracle.legal(&position);
        let wanted = joint_moves(game, sheet, &turn, &successors);
        for (at, role) in roles.iter().enumerate() {
            let found: BTreeSet<String> = legal[role].iter().map(Term::to_string).collect();
            let wanted: BTreeSet<String> = wanted.iter().map(|moves| moves[at].clone()).collect();
            assert_eq!(found, wanted, "{name}, ply {ply}, {role}");
        }
        let chosen = (random.word() % successors.len() as u64) as usize;
        let moves: Vec<(Term, Term)> = roles
            .iter()
            .zip(&wanted[chosen])
            .map(|(role, made)| {
                let made = legal[role].iter().find(|term| term.to_string() == *made).expect("compared above");
                (role.clone(), made.clone())
            })
            .collect();
        position = oracle.next(&position, &moves);
        if oracle.steps == 0 {
            return;
        }
        here = successors[chosen].state.clone();
    }
}

/// Games whose sheets are compared with them, at these settings.
const SHEETS: &[(&str, &[&str])] = &[
    ("blocks_world", &[]),
    ("breakthrough", &[]),
    ("chicken", &[]),
    ("chocolate", &[]),
    ("chomp", &[]),
    ("coin_toss", &[]),
    ("connect_four", &[]),
    ("cram", &[]),
    ("dawsons_kayles", &[]),
    ("dodgem", &[]),
    ("domineering", &[]),
    ("dots_and_boxes", &[]),
    ("double_tictactoe", &[]),
    ("english_draughts", &[]),
    ("goofspiel", &[]),
    ("grundy", &[]),
    ("hanoi", &[]),
    ("hare_and_hounds", &[]),
    ("hatch", &[]),
    ("hex", &[]),
    ("incredible", &[]),
    ("isola", &[]),
    ("kayles", &[]),
    ("lights_out", &[]),
    ("matching_pennies", &[]),
    ("missionaries", &[]),
    ("morra", &[]),
    ("nim", &["heaps=[2, 3]"]),
    ("one_rack", &[]),
    ("othello", &[]),
    ("pancakes", &[]),
    ("pig", &[]),
    ("pirates", &[]),
    ("pocket_cube", &[]),
    ("prisoners_dilemma", &[]),
    ("ring_of_rents", &[]),
    ("rock_paper_scissors", &[]),
    ("row_of_cells", &[]),
    ("rush_hour", &[]),
    ("sliding_puzzle", &[]),
    ("snakes_and_ladders", &[]),
    ("sokoban", &[]),
    ("stag_hunt", &[]),
    ("subtraction", &[]),
    ("three_mens_morris", &[]),
    ("tic_tic_toe", &[]),
    ("tictactoe", &[]),
    ("toads_and_frogs", &[]),
    ("treblecross", &[]),
    ("two_plies", &[]),
    ("wythoff", &[]),
];

#[test]
fn sheets_play_as_their_games() {
    let plays = if crate::slow() { 50 } else { 3 };
    for (name, settings) in SHEETS {
        let game = game(name, settings);
        let mut sheet = sheet(&game).unwrap_or_else(|why| panic!("{name}: {why}"));
        compare_with_oracle(name, &game, &mut sheet, Instant::now() + Duration::from_secs(60));
        // GDL-II, with chance, is written and not read.
        if !sheet.text.contains("(role random)") {
            compare_with_translation(name, &game, &mut sheet, plays);
        }
    }
}

#[test]
fn games_without_a_sheet_are_refused_with_the_reason() {
    let why = |name| sheet(&game(name, &[])).expect_err("no sheet").to_string();
    assert_eq!(why("kuhn_poker"), "it has hidden information, for which GDL-I has no form");
    let unequal = "the outcomes of chance are not equally likely (1/36 and 1/18), as GDL requires";
    assert_eq!(why("bear_off"), unequal);
    let large = "grounding does not support chance, and it has more than 20000 positions to write one by one";
    assert_eq!(why("einstein"), large);
}

#[test]
fn a_sheet_begins_in_the_position_of_its_game() {
    let game = game("tictactoe", &[]);
    let next = game.machine.successors(&game.machine.initial()).expect("moves").swap_remove(4);
    let sheet = gdl::sheet(&game, &next.state, &Limits::default()).expect("a sheet");
    assert!(sheet.text.contains("(init (control o))") && sheet.text.contains("(init (at b2 x))"));
    let limits = Limits { memory_bytes: Some(100), ..Limits::default() };
    let stopped = gdl::sheet(&game, &next.state, &limits).map(|_| ());
    assert!(matches!(stopped, Err(GdlError::Limit(_))), "{stopped:?}");
}
