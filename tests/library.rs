//! The library as a program uses it: its examples, the JSON that it shares with the commands, and bad input.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bouton::{
    CancelToken, Certificate, Error, Limit, Limits, Positions, Project, SolveOptions, Status, Turn, Value,
    verify,
};
use serde_json::json;

// Only `cargo run` calls their main functions.
#[allow(dead_code)]
#[path = "../examples/certify.rs"]
mod certify;
#[allow(dead_code)]
#[path = "../examples/first_moves.rs"]
mod first_moves;
#[allow(dead_code)]
#[path = "../examples/play.rs"]
mod play;
#[allow(dead_code)]
#[path = "../examples/table.rs"]
mod table;
#[allow(dead_code)]
#[path = "../examples/who_wins.rs"]
mod who_wins;

const NIM: &str = "games/nim.bou";
const TICTACTOE: &str = "games/tictactoe.bou";

fn in_time(time: Duration) -> Limits {
    Limits { time: Some(time), ..Limits::default() }
}

#[test]
fn who_wins_says_the_value_the_method_and_the_proof() {
    let shown = who_wins::who_wins("games/hex.bou", ["n=3".to_owned()].into_iter()).unwrap();
    insta::assert_snapshot!(shown, @r"
    Hex (n = 3, swap = false): the first player, Red, wins in 5 plies.
    and-or: the game is finite and has two results, so one And-Or pass from the ends decides
    proved: Red wins within 5 plies
    ");
}

#[test]
fn first_moves_have_values() {
    insta::assert_snapshot!(first_moves::first_moves("games/subtraction.bou").unwrap(), @r"
    1      First wins in 11 plies
    2      Second wins in 10 plies
    3      Second wins in 10 plies
    ");
}

#[test]
fn the_solution_never_loses_against_random_play() {
    insta::assert_snapshot!(play::play(NIM, 1).unwrap(), @r"
    1-2 2-4 3-4 3-1 1-1: First wins
          1 2 3
    size  0 0 0
    First wins
    ");
    for seed in 0..20 {
        assert!(play::play(NIM, seed).unwrap().contains(": First wins\n"));
        assert!(!play::play(TICTACTOE, seed).unwrap().contains(": O wins\n"));
    }
}

#[test]
fn a_table_has_a_line_for_each_value() {
    insta::assert_snapshot!(table::table("games/subtraction.bou", "n", 5).unwrap(), @r"
    n = 1   nimber 1   First wins
    n = 2   nimber 2   First wins
    n = 3   nimber 3   First wins
    n = 4   nimber 0   Second wins
    n = 5   nimber 1   First wins
    ");
}

#[test]
fn a_certificate_is_verified() {
    let out = std::env::temp_dir().join(format!("bouton-library-{}.cert", std::process::id()));
    let verdict = certify::certify(NIM, &out.display().to_string()).unwrap();
    let by_command = Command::new(env!("CARGO_BIN_EXE_bouton")).arg("verify").arg(&out).output().unwrap();
    std::fs::remove_file(&out).unwrap();
    assert_eq!(verdict, String::from_utf8(by_command.stdout).unwrap());
    assert!(
        verdict.starts_with("accepted: Nim (heaps = [3, 4, 5]): First wins within 11 plies\n"),
        "{verdict}"
    );
}

/// The JSON without the figures that depend on the clock.
fn timeless(mut json: serde_json::Value) -> serde_json::Value {
    for key in ["seconds", "positions_per_second", "compile_seconds"] {
        assert!(json[key].is_number(), "{json}");
        json[key] = json!(0);
    }
    json
}

#[test]
fn solutions_serialise_as_the_command_prints_them() {
    let plain = SolveOptions::default;
    // The settings are separated by semicolons.
    let cases = [
        (NIM, "", "", plain()),
        (NIM, "heaps=[1, 2, 3]", "--all-moves", SolveOptions { all_moves: true, ..plain() }),
        (TICTACTOE, "", "--strong", SolveOptions { strong: true, ..plain() }),
        (TICTACTOE, "", "--method nim", SolveOptions { method: Some("nim".into()), ..plain() }),
        ("games/hex.bou", "n=4", "", plain()),
        ("games/hatch.bou", "n=8; k=3", "--distance", SolveOptions { count_plies: true, ..plain() }),
        ("games/kuhn_poker.bou", "", "", plain()),
        ("games/dots_and_boxes.bou", "", "--margin", SolveOptions { margin: true, ..plain() }),
        ("games/gomoku.bou", "", "", plain()),
    ];
    for (path, settings, flags, options) in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bouton"));
        command.args(["solve", path, "--json"]).args(flags.split_whitespace());
        let mut project = Project::open(path).unwrap();
        for (name, value) in settings.split("; ").filter_map(|setting| setting.split_once('=')) {
            command.args(["--set", &format!("{name}={value}")]);
            project = project.set(name, value);
        }
        let printed = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let solution = project.load().unwrap().solve(&options).unwrap();
        let written = serde_json::to_string(&solution).unwrap();
        let [written, printed] =
            [&written, &printed].map(|text| timeless(serde_json::from_str(text).unwrap()));
        assert_eq!(written.to_string(), printed.to_string(), "{path} {flags}");
    }
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    let error = Project::open("games/nowhere.bou").unwrap_err();
    assert!(matches!(error, Error::File(_)));
    assert_eq!(error.to_string(), "games/nowhere.bou cannot be read: there is no such file or folder");
    assert!(matches!(Certificate::open("nowhere.cert"), Err(Error::File(_))));
}

#[test]
fn errors_of_rules_are_data_and_text() {
    let error = Project::open(NIM).unwrap().set("heapz", "[1, 2]").load().unwrap_err();
    insta::assert_snapshot!(error, @r"
      × E0101: there is no parameter `heapz`
       ╭─[--set heapz=...:1:1]
     1 │ [1, 2]
       · ──────
       ╰────
      help: did you mean `heaps`?
      more: bouton explain E0101
    ");
    let [found] = error.diagnostics() else { panic!("{error}") };
    assert_eq!(
        (found.code.as_str(), found.file.as_deref(), found.line, found.column),
        ("E0101", Some("--set heapz=..."), Some(1), Some(1))
    );
    let damaged = Project::from_text("damaged.bou", "game \"X\"\nplayers A B;\n\u{0}").load().unwrap_err();
    assert!(matches!(&damaged, Error::Rules(found) if !found.is_empty()), "{damaged:?}");
    assert!(matches!(Project::from_text("empty.bou", "").load(), Err(Error::Rules(_))));
    let error = Project::open(NIM).unwrap().preset("large").load().unwrap_err();
    assert_eq!(error.to_string(), "there is no preset `large` in games/nim.bou; the file has no presets");
}

#[test]
fn requests_that_cannot_be_fulfilled_are_errors() {
    let game = Project::open(TICTACTOE).unwrap().load().unwrap();
    let error = game.start().play("z9").unwrap_err();
    assert_eq!(error.to_string(), "no legal move is called `z9`; nearest: a1, b1, c1, a2, b2");
    assert!(matches!(&error, Error::IllegalMove { suggestions, .. } if suggestions.len() == 5));
    assert!(matches!(game.start().play("b2").unwrap().play("b2"), Err(Error::IllegalMove { .. })));
    let options = SolveOptions { method: Some("magic".into()), ..SolveOptions::default() };
    let error = game.solve(&options).unwrap_err();
    assert!(
        matches!(error, Error::Usage(_)) && error.to_string().starts_with("there is no method `magic`"),
        "{error}"
    );
    assert!(matches!(game.position("nowhere"), Err(Error::Usage(_))));
    assert!(matches!(game.position("at[z9] := X;"), Err(Error::Rules(_))));
    let options = SolveOptions { method: Some("nim".into()), ..SolveOptions::default() };
    let solution = game.solve(&options).unwrap();
    assert_eq!(solution.status(), &Status::Unknown);
    assert!(matches!(solution.value(), Err(Error::NotSolved(_))));
}

#[test]
fn a_fault_of_the_rules_is_found_while_playing_and_solving() {
    let rules =
        "game \"F\"; players A, B; state { n: 0..3 = 3; } move down() as \"down\" { n -= 2; } play normal;";
    let game = Project::from_text("fault.bou", rules).load().unwrap();
    let low = game.start().play("down").unwrap();
    let errors = [
        low.moves().unwrap_err(),
        low.play("down").unwrap_err(),
        game.solve(&SolveOptions::default()).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, Error::Fault(_)), "{error:?}");
        assert_eq!(error.diagnostics()[0].code, "E0503");
    }
}

#[test]
fn limits_end_the_work_with_what_is_known() {
    let game = Project::open("games/connect_four.bou").unwrap().load().unwrap();
    for limits in [
        in_time(Duration::from_millis(50)),
        Limits { positions: Some(1000), ..in_time(Duration::from_secs(60)) },
    ] {
        let solution = game.solve(&SolveOptions { limits, ..SolveOptions::default() }).unwrap();
        assert_ne!(solution.status(), &Status::Solved);
        assert!(matches!(solution.value(), Err(Error::Limit { .. })), "{solution:#}");
    }
    let project = Project::open(NIM).unwrap().limits(in_time(Duration::ZERO));
    assert!(matches!(project.load(), Err(Error::Limit { limit: Limit::Time, .. })));
    let solution = Project::open(NIM).unwrap().load().unwrap().solve(&SolveOptions::default()).unwrap();
    let late = verify(solution.certificate().unwrap(), &in_time(Duration::ZERO));
    assert!(matches!(late, Err(Error::Limit { limit: Limit::Time, .. })), "{late:?}");
}

#[test]
fn a_token_cancels_from_a_listener() {
    let game = Project::open("games/connect_four.bou").unwrap().load().unwrap();
    let (cancel, called) = (CancelToken::default(), Arc::new(AtomicBool::new(false)));
    let (own, seen) = (cancel.clone(), called.clone());
    let options = SolveOptions {
        method: Some("retrograde".into()),
        limits: Limits { cancel, ..Limits::default() },
        progress: Some(Arc::new(move |_| {
            seen.store(true, Ordering::Relaxed);
            own.cancel();
        })),
        ..SolveOptions::default()
    };
    let solution = game.solve(&options).unwrap();
    assert!(called.load(Ordering::Relaxed));
    assert!(matches!(solution.value(), Err(Error::Limit { limit: Limit::Cancelled, .. })), "{solution:#}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let game = Project::open(TICTACTOE).unwrap().load().unwrap();
    let solve = |threads| {
        let options = SolveOptions { threads, all_moves: true, strong: true, ..SolveOptions::default() };
        timeless(serde_json::to_value(game.solve(&options).unwrap()).unwrap())
    };
    assert_eq!(solve(Some(1)), solve(Some(3)));
    assert_eq!(solve(Some(1)), solve(None));
}

#[test]
fn values_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone + 'static>(value: T) -> T {
        value
    }
    let project = shared(Project::open("games/subtraction.bou").unwrap().set("n", 9));
    // A later setting replaces an earlier one.
    let game = shared(project.set("n", 5).load().unwrap());
    let position = shared(game.start());
    let solving = [1, 2].map(|threads| {
        let position = position.clone();
        let options = SolveOptions { threads: Some(threads), ..SolveOptions::default() };
        std::thread::spawn(move || position.solve(&options))
    });
    for solution in solving {
        let solution = shared(solution.join().unwrap().unwrap());
        assert_eq!((solution.winner(), solution.best_moves()), (Some("First"), &["1".to_owned()][..]));
    }
}

#[test]
fn values_of_several_kinds_are_read() {
    let value = |path: &str, method: Option<&str>| -> Value {
        let options = SolveOptions { method: method.map(String::from), ..SolveOptions::default() };
        Project::open(path).unwrap().load().unwrap().solve(&options).unwrap().value().unwrap().clone()
    };
    let maze = value("games/maze.bou", None);
    assert!(maze.to_string().starts_with("solved in "), "{maze}");
    let race = Project::open("games/dice_race.bou").unwrap().load().unwrap();
    assert_eq!(race.start().turn().unwrap(), Turn::Chance);
    let probabilities = race.start().moves().unwrap().into_iter().map(|to| to.probability.to_string());
    assert_eq!(probabilities.collect::<Vec<_>>(), ["1/3"; 3]);
    let options = SolveOptions { method: Some("interval".into()), ..SolveOptions::default() };
    let solution = race.solve(&options).unwrap();
    let Status::Enclosed { low, high } = solution.status() else { panic!("{solution}") };
    assert!(low < high && f64::from(high) - f64::from(low) < 1.1e-9, "{low} {high}");
    let boxes = Project::open("games/dots_and_boxes.bou").unwrap().load().unwrap();
    let solution = boxes.solve(&SolveOptions { margin: true, ..SolveOptions::default() }).unwrap();
    assert_eq!(solution.value().unwrap().margin.clone().map(|lead| lead.to_string()).as_deref(), Some("2"));
    assert_eq!(value(NIM, Some("grundy")).payoffs[1].1.to_string(), "-1");
}

#[test]
fn deeply_nested_rules_need_no_deep_stack_of_the_caller() {
    let nested = format!("{}n{}", "(1 - ".repeat(100), ")".repeat(100));
    // Rules that remember positions run on the definition where the circuit does not suffice.
    for repetition in ["", "end { repeat => draw; } "] {
        let rules = format!(
            "game \"D\"; players A, B; state {{ n: 0..1 = 1; }} def deep() = {nested} >= 0; \
             move down() as \"down\" {{ when n = 1 and deep(); n := 0; }} {repetition}play normal;"
        );
        let play = move || {
            let game = Project::from_text("deep.bou", &rules).load()?;
            assert!(game.start().to_string().contains("A to move"));
            game.start().play("down")?;
            game.solve(&SolveOptions::default()).map(|solution| solution.to_string())
        };
        let small = std::thread::Builder::new().stack_size(256 << 10);
        let solved = small.spawn(play).unwrap().join().unwrap().unwrap();
        assert_eq!(solved, "D: the first player, A, wins in 1 ply.");
    }
}

#[test]
fn tables_and_reports_are_those_of_the_commands() {
    let printed = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_bouton")).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let project = Project::open("games/subtraction.bou").unwrap().set("takes", "[1, 3, 4]");
    let table = project.table(&["n=0..14"], "nimber").unwrap();
    let arguments = [
        "table",
        "games/subtraction.bou",
        "--set",
        "takes=[1, 3, 4]",
        "--over",
        "n=0..14",
        "--show",
        "nimber",
    ];
    assert_eq!(table.to_string(), printed(&arguments));
    let json = serde_json::to_string(&table).unwrap() + "\n";
    assert_eq!(json, printed(&[&arguments[..], &["--json"]].concat()));
    assert_eq!(table.markdown, printed(&[&arguments[..], &["--format", "md"]].concat()));
    assert_eq!(table.html, printed(&[&arguments[..], &["--format", "html"]].concat()));

    let report = Project::open(NIM).unwrap().load().unwrap().start().report(&Limits::default()).unwrap();
    assert_eq!(report.to_string(), printed(&["report", NIM]));
    assert_eq!(report.markdown, printed(&["report", NIM, "--format", "md"]));
    assert_eq!(report.html, printed(&["report", NIM, "--format", "html"]));
}

#[test]
fn a_table_that_is_proved_has_a_certificate() {
    let project = Project::open("games/kayles.bou").unwrap();
    let table = project.table(&["n=0..20"], "nimber").unwrap();
    let json = serde_json::to_value(&table).unwrap();
    let certificate = table.certificate.expect("the period is proved");
    assert_eq!(json["pattern"]["tier"], "parametric");
    assert!(verify(&certificate, &Limits::default()).unwrap().accepted);
}

#[test]
fn wrong_tables_are_errors() {
    let project = Project::open(NIM).unwrap();
    for (axis, quantity, words) in [
        ("heaps", "outcome", "write name=1..20"),
        ("heaps[4]=1..2", "outcome", "`heaps` has 3 elements"),
        ("heaps[1]=1..2", "colour", "there is no quantity `colour`"),
    ] {
        let error = project.table(&[axis], quantity).unwrap_err();
        assert!(matches!(&error, Error::Usage(why) if why.contains(words)), "{error}");
    }
    assert!(matches!(project.table(&["nothing=1..2"], "outcome"), Err(Error::Rules(_))));
}

#[test]
fn all_positions_of_a_solution_are_arrays() {
    let game = Project::open(TICTACTOE).unwrap().load().unwrap();
    let options = SolveOptions { strong: true, ..SolveOptions::default() };
    let all = game.solve(&options).unwrap().positions().expect("all positions were stored");
    let count = all.values.len();
    assert_eq!((count, all.states.len(), all.starts.len()), (5478, count * all.words, count + 1));
    // Play by the arrays is play by the rules.
    let (mut position, mut index) = (game.start(), 0);
    loop {
        let moves = position.moves().unwrap();
        let row = &all.moves[all.starts[index] as usize..all.starts[index + 1] as usize];
        assert_eq!(
            (moves.len(), position.as_ref()),
            (row.len(), &all.states[index * all.words..][..all.words])
        );
        let Turn::Player(player) = position.turn().unwrap() else { break };
        assert_eq!(all.to_move[index], i8::from(player == "O"));
        let last = row.len() - 1;
        (position, index) = (moves[last].position.clone(), row[last] as usize);
    }
    assert_eq!(all.to_move[index], Positions::OVER);
    // What a limit leaves open is not known.
    let limits = Limits { positions: Some(500), ..Limits::default() };
    let method = Some("retrograde".into());
    let part = game.solve(&SolveOptions { limits, method, ..SolveOptions::default() }).unwrap();
    let part = part.positions().expect("some positions were stored");
    assert!(part.to_move.contains(&Positions::UNEXPANDED) && part.values.iter().any(|value| value.is_nan()));
    // A single player who can reach no end loses.
    let rules = "game \"S\"; player P; state { n: 0..3 = 1; } move turn() { n := if n = 1 then 2 else 1; } \
                 end { when n = 3 => win; }";
    let stuck = Project::from_text("stuck.bou", rules).load().unwrap().solve(&options).unwrap();
    assert_eq!(stuck.positions().map(|all| all.values), Some(vec![-1.0, -1.0]), "{stuck:#}");
}

#[test]
fn a_game_is_described_as_data() {
    let game = Project::open(NIM).unwrap().set("heaps", "[1, 2]").load().unwrap();
    let described = serde_json::to_value(&game).unwrap();
    assert_eq!(described["moves"][0]["move"], "take");
    assert_eq!(described["moves"][0]["parameters"][0], json!(["1", "2"]));
    assert_eq!((&described["hidden_information"], &described["pass"]), (&json!(false), &json!(false)));
    let call = |of: &bouton::Move| of.call.clone();
    assert_eq!(game.start().moves().unwrap().iter().map(call).collect::<Vec<_>>()[2], "take(2, 2)");
    let poker = Project::open("games/kuhn_poker.bou").unwrap().load().unwrap();
    assert_eq!(serde_json::to_value(&poker).unwrap()["hidden_information"], true);
}

#[test]
fn no_move_of_a_puzzle_without_a_solution_is_called_best() {
    let rules = "game \"Steps\"; player P; board Cell = strip(5); state { at: Cell = a1; }\n\
                 move step(d: { E, W }) as \"{d}\" { when at + d in Cell and at + d != e1; at := at + d; }\n\
                 end { when at = e1 => win; }";
    let game = Project::from_text("steps.bou", rules).load().unwrap();
    let solution = game.solve(&SolveOptions::default()).unwrap();
    let text = format!("{solution:#}");
    assert!(text.starts_with("Steps: it cannot be solved, however long one plays."), "{text}");
    assert!(!text.contains("best move") && !text.contains("\n  line"), "{text}");
}
