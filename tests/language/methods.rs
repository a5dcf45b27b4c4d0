//! Every applicable method gives the same values: one table of small games.

use std::collections::BTreeMap;

use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_driver::solvers::SOLVERS;
use bouton_search::game::Backend;
use bouton_search::solve::proof_number::{PNS, PnSearchOptions};
use bouton_search::solve::{MoveValue, Solution, SolveOptions, SolveRequest, Status, ValueKind};

use super::{accepts, method, names, proof, set, slow, solved};

/// The games of the folder at sizes small enough to be labelled.
const SMALL_GAMES: &[(&str, &[&str])] = &[
    ("amazons", &["n=3"]),
    ("bear_off", &[]),
    ("blocks_world", &["n=3"]),
    ("breakthrough", &["cols=3", "rows=4"]),
    ("breakthrough", &["cols=2", "rows=5"]),
    ("chomp", &[]),
    ("coin_toss", &[]),
    ("connect_four", &["cols=4", "rows=3"]),
    ("connect_four", &["cols=4", "rows=3", "k=3"]),
    ("connect_four", &["cols=4", "rows=3", "k=3", "gravity=false"]),
    ("cram", &[]),
    ("dawsons_kayles", &[]),
    ("dice_race", &["length=4", "faces=2"]),
    ("dodgem", &["n=2"]),
    ("domineering", &["cols=4", "rows=4"]),
    ("dots_and_boxes", &[]),
    ("gomoku", &["m=4", "n=3", "k=3"]),
    ("grundy", &[]),
    ("hanoi", &["n=3"]),
    ("hare_and_hounds", &[]),
    ("hatch", &[]),
    ("hex", &["n=3"]),
    ("hex", &["n=3", "swap=true"]),
    ("isola", &["cols=3", "rows=3"]),
    ("kalah", &["m=2", "s=2"]),
    ("kayles", &[]),
    ("lights_out", &["n=2"]),
    ("maze", &[]),
    ("missionaries", &[]),
    ("nim", &[]),
    ("one_rack", &[]),
    ("othello", &[]),
    ("pig", &["goal=4"]),
    ("row_of_cells", &[]),
    ("snakes_and_ladders", &[]),
    ("subtraction", &[]),
    ("three_mens_morris", &[]),
    ("tictactoe", &[]),
    ("toads_and_frogs", &[]),
    ("treblecross", &[]),
    ("two_plies", &[]),
    ("wythoff", &[]),
];

/// The limit on positions of each method.
const MAX_POSITIONS: u64 = 400_000;

/// Returns the first difference between two solutions, irrespective of their cost. A method that gives only bounds may
/// leave values of moves open, as may one that has reached the limit on positions.
fn differ(one: &Solution, other: &Solution) -> Option<String> {
    if one.value != other.value || one.margin != other.margin {
        return Some(format!("{:?}, not {:?}", one.value, other.value));
    }
    let open = one.method == "interval" || one.positions >= MAX_POSITIONS;
    let differs = |(a, b): &(&MoveValue, &MoveValue)| {
        a.made != b.made || a.value != b.value && !(open && a.value.is_none())
    };
    let (a, b) = one.moves.iter().zip(&other.moves).find(differs)?;
    Some(format!("{}: {:?}, not {:?}", a.made.written, a.value, b.value))
}

#[test]
fn every_method_that_fits_gives_the_same_values() {
    let options = SolveOptions { all_moves: true, ..SolveOptions::default() };
    let limits = Limits { positions: Some(MAX_POSITIONS), ..Limits::default() };
    let mut fits: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rounds: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, settings) in SMALL_GAMES {
        let game = set(name, settings, Backend::Jit);
        let start = game.machine.initial();
        let picked = solved(&game, &start, method("auto"), &options, &limits);
        if picked.status != Status::Solved {
            wrong.push(format!("{name} {settings:?}: {:?}", picked.reason));
            continue;
        }
        let mut told = format!("{name} {settings:?}: {} {}", picked.method, picked.positions);
        let round = picked.method == "retrograde";
        for method in SOLVERS {
            let solution = solved(&game, &start, method, &options, &limits);
            if solution.status != Status::Solved {
                // Trees without transpositions exceed the limit where tables do not.
                let outgrown = solution.limit == Some(LimitHit::Positions);
                let fine = solution.limit.is_none() || outgrown && !method.counts_plies();
                if !fine || solution.reason.is_none() {
                    wrong.push(format!("{name} {settings:?} {method:?}: {:?}", solution.reason));
                }
                continue;
            }
            *fits.entry(method.name()).or_default() += 1;
            if round {
                rounds.entry(method.name()).or_default().push(name);
            }
            told += &format!(", {} {}", method.name(), solution.positions);
            assert_eq!(solution.moves.len(), picked.moves.len(), "{name} {method:?}");
            if let Some(what) = differ(&solution, &picked) {
                wrong.push(format!("{name} {settings:?} {method:?}: {what}"));
            }
        }
        println!("{told}");
    }
    println!("{fits:?} {rounds:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    let known: Vec<&str> = SMALL_GAMES.iter().map(|(name, _)| *name).collect();
    // The others have hidden information, simultaneous moves, no exact value, or no small size.
    let left: Vec<String> = names().into_iter().filter(|name| !known.contains(&name.as_str())).collect();
    assert_eq!(
        left,
        [
            "arimaa",
            "battleship",
            "chameleons",
            "chess",
            "chicken",
            "chocolate",
            "double_tictactoe",
            "einstein",
            "english_draughts",
            "english_solitaire",
            "fox_and_geese",
            "go",
            "go_ladder",
            "goofspiel",
            "havannah",
            "hypergammon",
            "incredible",
            "kuhn_poker",
            "leduc_holdem",
            "liars_dice",
            "lines_of_action",
            "mastermind",
            "matching_pennies",
            "monty_hall",
            "morra",
            "nine_mens_morris",
            "pancakes",
            "parallel_tictactoe",
            "peg_solitaire",
            "pirates",
            "pocket_cube",
            "prisoners_dilemma",
            "ring_of_rents",
            "rock_paper_scissors",
            "rush_hour",
            "six_mens_morris",
            "sliding_puzzle",
            "sliding_squares",
            "sokoban",
            "stag_hunt",
            "tic_tic_toe",
            "truel",
            "tsume_shogi",
            "two_tricks"
        ]
    );
    // Also where positions repeat.
    for method in ["dfpn", "lambda", "dual-lambda"] {
        assert_eq!(rounds.get(method), rounds.get("retrograde"), "{method}");
    }
    // No small game has chance, an evaluation, simultaneous choices or hidden information, which these need; plans and
    // guarantees give no values of all moves.
    let others = [
        "interval",
        "dfpn-plus",
        "widening",
        "pure-equilibrium",
        "matrix",
        "sure-win",
        "sequence-form",
        "cfr",
        "common-plan",
        "best-responses",
        "astar",
        "ida-star",
        "paranoid",
    ];
    for method in SOLVERS.iter().map(|solver| solver.name()).filter(|name| !others.contains(name)) {
        assert!(fits.get(method).is_some_and(|&games| games > 0), "{method}: {fits:?}");
    }
}

#[test]
fn a_tree_whose_ends_are_known_late_has_the_same_value() {
    let limits = Limits { positions: Some(MAX_POSITIONS), ..Limits::default() };
    let mut later = 0;
    for (name, settings) in [("tictactoe", &[][..]), ("kalah", &[]), ("hare_and_hounds", &[]), ("nim", &[])] {
        let game = set(name, settings, Backend::Jit);
        let start = game.machine.initial();
        let solve = |tuning| {
            let options = SolveOptions::default();
            let request = SolveRequest::new(&game, &start, &options, &limits, &NoProgress);
            PNS.with_tuning(tuning).value(&request).expect("no fault")
        };
        let plain = PNS.tuning;
        let (at_once, delayed) = (solve(plain), solve(PnSearchOptions { delayed_evaluation: true, ..plain }));
        assert_eq!(differ(&delayed, &at_once), None, "{name}: {:?}", delayed.reason);
        assert_eq!(delayed.status, Status::Solved, "{name}");
        later += u64::from(delayed.positions > at_once.positions);
    }
    assert!(later >= 3, "ends have to be looked at by themselves");
}

#[test]
fn four_in_a_row_on_six_by_five_is_won_by_who_begins() {
    let game = set("gomoku", &["m=6", "n=5", "k=4"], Backend::Jit);
    let start = game.machine.initial();
    // Without an evaluation of moves before the search, it takes 4 million.
    let limits = Limits { positions: Some(500_000), ..Limits::default() };
    let solution = solved(&game, &start, method("dfpn"), &SolveOptions::default(), &limits);
    assert_eq!(solution.value.map(|value| value.kind), Some(ValueKind::Win(0)), "{:?}", solution.reason);
    if !slow() {
        return;
    }
    // The strategy has some ten thousand positions.
    let options =
        SolveOptions { max_strategy_positions: usize::MAX, max_line_moves: 0, ..SolveOptions::default() };
    let solution = solved(&game, &start, method("dfpn"), &options, &Limits::default());
    let listed = solution.replies.as_ref().and_then(|replies| replies.as_ref().ok());
    println!(
        "{:?} positions, {} looked at",
        listed.map(|listed| listed[0].answers.len()),
        solution.positions
    );
    assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()));
}
