//! The binary as scripts see it: exit codes, the keys of the JSON in their order, and the output streams.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A temporary folder for one test, deleted on drop.
struct TempFolder(PathBuf);

impl TempFolder {
    fn new(name: &str) -> TempFolder {
        let path = std::env::temp_dir().join(format!("bouton-cli-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        TempFolder(path)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file in the temporary folder");
        path.display().to_string()
    }

    /// Writes the starter of `bouton new` and returns its path.
    fn starter(&self) -> String {
        let made = run(&self.0, &["new", "pile"], "");
        assert_eq!(code(&made), 0, "{}", err(&made));
        self.0.join("pile.bou").display().to_string()
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(folder: &Path, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bouton"))
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // A program that does not read its input closes the pipe.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the binary ends")
}

fn bouton(args: &[&str]) -> Output {
    run(Path::new("."), args, "")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&out(output)).unwrap_or_else(|e| panic!("{e}: {}{}", out(output), err(output)))
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

const STUCK: &str = "game \"Stuck\"; players A, B; state { left: 0..5 = 5; }
move take(k: 2..3) as \"{k}\" { when k <= left; left -= k; }
end { when left = 0 => mover loses; }
";

#[test]
fn help_and_usage() {
    assert_eq!(code(&bouton(&["--help"])), 0);
    assert_eq!(code(&bouton(&["solve", "--help"])), 0);
    assert_eq!(code(&bouton(&["--version"])), 0);
    assert_eq!(code(&bouton(&[])), 2);
    assert_eq!(code(&bouton(&["frobnicate"])), 2);
    assert_eq!(code(&bouton(&["solve", "no_such_file.bou"])), 2);
    assert_eq!(code(&bouton(&["explain", "E9999"])), 2);
    assert!(out(&bouton(&["explain", "e0501"])).starts_with("# E0501"));
    assert!(out(&bouton(&["completions", "bash"])).contains("bouton"));
    let page = out(&bouton(&["man", "solve"]));
    assert!(
        page.contains(".TH bouton-solve 1") && page.contains("distance") && !page.contains("divide"),
        "{page}"
    );
    assert!(out(&bouton(&["man"])).contains("bouton\\-serve(1)"));
    assert_eq!(code(&bouton(&["man", "frobnicate"])), 2);
}

#[test]
fn the_starter_passes_everything() {
    let folder = TempFolder::new("starter");
    let file = folder.starter();
    assert_eq!(code(&run(&folder.0, &["new", "pile"], "")), 2, "an old file is not written over");
    let checked = bouton(&["check", &file]);
    assert_eq!(code(&checked), 0, "{}", err(&checked));
    assert!(out(&checked).contains("no mistakes found"), "{}{}", out(&checked), err(&checked));
    let unexplored = bouton(&["check", &file, "--explore", "0"]);
    let wanted = "no mistakes found in the text; not checked by play: `--explore 0`";
    assert!(out(&unexplored).contains(wanted), "{}", out(&unexplored));
    let unexplored = json(&bouton(&["check", &file, "--explore", "0", "--json"]));
    let file_report = &unexplored["files"][0];
    assert_eq!(
        (&file_report["explored"], &file_report["unexplored"]),
        (&Value::Null, &"`--explore 0`".into())
    );
    let tested = bouton(&["test", &file, "--json"]);
    let report = json(&tested);
    let wanted = "schema files expectations passed failed unknown runs_slowly failures";
    assert_eq!(keys(&report), wanted.split(' ').collect::<Vec<_>>());
    assert_eq!(report["runs_slowly"], serde_json::json!([]));
    assert_eq!((code(&tested), &report["failed"], &report["unknown"]), (0, &0.into(), &0.into()), "{report}");
}

#[test]
fn solve_has_every_key_in_order() {
    let folder = TempFolder::new("solve");
    let file = folder.starter();
    let solved = bouton(&["solve", &file, "--set", "n=9", "--all-moves", "--json"]);
    let report = json(&solved);
    assert_eq!(code(&solved), 0);
    assert_eq!(
        keys(&report),
        [
            "schema",
            "game",
            "file",
            "params",
            "players",
            "mover",
            "status",
            "outcome",
            "winner",
            "value",
            "bounds",
            "remoteness",
            "margin",
            "nimber",
            "moves",
            "best_moves",
            "best_moves_complete",
            "line",
            "line_complete",
            "method",
            "why",
            "strategy",
            "proof",
            "positions",
            "seconds",
            "positions_per_second",
            "memory_bytes",
            "compile_seconds",
            "runs_on"
        ]
    );
    assert_eq!(report["params"]["n"], 9);
    assert_eq!((&report["outcome"], &report["winner"]), (&"win".into(), &"First".into()));
    assert_eq!(report["best_moves"], serde_json::json!(["1"]));
    assert_eq!(report["value"], serde_json::json!({"First": 1, "Second": -1}));
    assert_eq!(keys(&report["moves"][0]), ["move", "outcome", "winner", "value", "remoteness"]);
    assert_eq!(keys(&report["proof"]), ["tier", "scope", "checked", "certificate"]);
    assert_eq!((&report["proof"]["tier"], &report["proof"]["checked"]), (&"explicit".into(), &true.into()));
    let text = bouton(&["solve", &file]);
    assert!(out(&text).contains("the first player, First, wins in"), "{}", out(&text));
    assert!(out(&text).contains("proved: First wins within"), "{}", out(&text));
    // The output calls no result proved that the checker has not accepted.
    let nimber = bouton(&["solve", &file, "--method", "grundy"]);
    assert!(out(&nimber).contains("not checked") && !out(&nimber).contains("proved"), "{}", out(&nimber));
    let report = json(&bouton(&["solve", &file, "--method", "grundy", "--json"]));
    assert_eq!((&report["proof"]["tier"], &report["proof"]["checked"]), (&"none".into(), &false.into()));
}

#[test]
fn certificates_are_written_and_checked() {
    let folder = TempFolder::new("certificate");
    let file = folder.starter();
    let path = folder.0.join("pile.cert").display().to_string();
    let solved = bouton(&["solve", &file, "--set", "n=9", "--certificate", &path, "--json"]);
    assert_eq!(code(&solved), 0, "{}", err(&solved));
    let proof = &json(&solved)["proof"];
    assert_eq!((&proof["certificate"], &proof["scope"]), (&path.as_str().into(), &"n = 9, most = 3".into()));
    // The copy of the rules in the certificate, the file with the certificate's parameters, and the output for both.
    let own = bouton(&["verify", &path]);
    assert_eq!(code(&own), 0, "{}{}", out(&own), err(&own));
    assert!(out(&own).starts_with("accepted: Pile (n = 9, most = 3): First wins within "), "{}", out(&own));
    let report = json(&bouton(&["verify", &path, &file, "--json"]));
    let all = ["schema", "accepted", "claim", "position", "params", "tier", "steps", "failed_step", "reason"];
    assert_eq!(keys(&report), all);
    assert_eq!(report["position"], Value::Null);
    assert_eq!(report["params"], serde_json::json!({ "n": 9, "most": 3 }));
    assert_eq!((&report["schema"], &report["accepted"]), (&"bouton-verify/1".into(), &true.into()));
    assert_eq!((&report["tier"], &report["reason"]), (&"explicit".into(), &Value::Null));
    // Other parameters, other rules, rules with errors.
    let other = bouton(&["verify", &path, &file, "--set", "n=8", "--json"]);
    assert_eq!((code(&other), &json(&other)["failed_step"]), (3, &"header".into()));
    let stuck = folder.write("stuck.bou", STUCK);
    let refused = bouton(&["verify", &path, &stuck]);
    assert_eq!(code(&refused), 3, "{}", err(&refused));
    assert!(out(&refused).starts_with("refused: Pile (n = 9, most = 3): not proved"), "{}", out(&refused));
    let broken = folder.write("broken.bou", "game \"Pile\"; players");
    assert_eq!(code(&bouton(&["verify", &path, &broken])), 1);
    // A changed certificate, a truncated one, none at all.
    let text = std::fs::read_to_string(&path).expect("the certificate");
    let changed =
        folder.write("changed.cert", &text.replacen("lemma 1 reply First", "lemma 1 reply Second", 1));
    let report = json(&bouton(&["verify", &changed, "--json"]));
    assert_eq!((&report["accepted"], &report["claim"]), (&false.into(), &Value::Null));
    assert!(report["failed_step"].as_str().is_some_and(|step| step.starts_with("line ")), "{report}");
    assert_eq!(code(&bouton(&["verify", &folder.write("cut.cert", &text[..text.len() / 2])])), 3);
    assert_eq!(code(&bouton(&["verify", "no_such.cert"])), 2);
    assert_eq!(code(&bouton(&["verify", &path, "--time", "0ms"])), 4);
    // A result without a certificate says so, and leaves no file.
    let none = folder.0.join("none.cert").display().to_string();
    let unproved = bouton(&["solve", &file, "--method", "grundy", "--certificate", &none]);
    assert_eq!(code(&unproved), 3);
    assert!(err(&unproved).contains("no certificate was written"), "{}", err(&unproved));
    assert!(!Path::new(&none).exists());
}

#[test]
fn rules_in_several_files_must_be_named() {
    let folder = TempFolder::new("certificate-use");
    folder.write("common.bou", "def low(x: 0..5) = x < 2;\n");
    let text = format!("use \"common\";\n{}", STUCK.replace("left = 0", "low(left)"));
    let file = folder.write("game.bou", &text);
    let path = folder.0.join("game.cert").display().to_string();
    assert_eq!(code(&bouton(&["solve", &file, "--certificate", &path])), 0);
    let alone = bouton(&["verify", &path]);
    assert_eq!(code(&alone), 2);
    assert!(err(&alone).contains("name the game's file"), "{}", err(&alone));
    assert_eq!(code(&bouton(&["verify", &path, &file])), 0);
}

#[test]
fn wrong_settings_and_names_are_told_alone() {
    let folder = TempFolder::new("settings");
    let text = "game \"Row\";\nparam n: 2..4 = 3;\nplayers X, O;\nboard Cell = grid(n, 1);\nstate { at[c: Cell]: bool = \
                false; }\nmove mark(c: Cell) as \"{c}\" { when not at[c]; at[c] := true; }\nplay normal;\n";
    let file = folder.write("row.bou", text);
    for command in ["check", "solve"] {
        let wrong = bouton(&[command, &file, "--set", "n=three"]);
        assert_eq!(code(&wrong), 2, "{}", err(&wrong));
        assert!(!err(&wrong).contains("E0109") && err(&wrong).contains("there is no `three` here"));
        assert_eq!(code(&bouton(&[command, &file, "--set", "m=3"])), 2);
    }
    let missing = err(&run(&folder.0, &["check", "rows.bou"], ""));
    assert!(missing.contains("did you mean `row.bou`?"), "{missing}");
    let level = err(&bouton(&["play", &file, "--level", "perfekt"]));
    assert!(level.contains("did you mean `perfect`?"), "{level}");
    // Old files of the Macintosh have no line feeds.
    let old = folder.write("old.bou", &text.replace('\n', "\r"));
    assert_eq!(code(&bouton(&["check", &old])), 0);
}

#[test]
fn levels_are_read_from_files() {
    let folder = TempFolder::new("levels");
    let text = "game \"Way\";\nparam level: text = \"H\";\nplayer Walker;\n\
                board Cell = grid(level.columns, level.rows);\nenum Thing { wall, home }\n\
                const at[c: Cell]: Thing? = diagram level { \"#\" => wall, \"H\" => home, \".\" => none };\n\
                state { here: Cell = a1; }\n\
                move go(d: Orthogonal) as \"{d}\" { let to = here + d; when at[to] != wall; here := to; }\n\
                end { when at[here] = home => win; }\n";
    let file = folder.write("way.bou", text);
    folder.write("one.txt", ". # H\n. . .\n");
    folder.write("two.txt", "..#\r\n..H\r\n");
    folder.write("bad.txt", ". # H\n. ? .\n");
    let plies = |level: &str| {
        let solved = run(&folder.0, &["solve", &file, "--set", &format!("level=@{level}"), "--json"], "");
        (code(&solved), json(&solved)["remoteness"].as_u64())
    };
    assert_eq!((plies("one.txt"), plies("two.txt")), ((0, Some(3)), (0, Some(2))));
    let bad = run(&folder.0, &["check", &file, "--set", "level=@bad.txt"], "");
    assert_eq!(code(&bad), 2);
    assert!(
        err(&bad).contains("[--set level=@bad.txt:2:3]") && err(&bad).contains("symbol `?`"),
        "{}",
        err(&bad)
    );
    assert_eq!(code(&run(&folder.0, &["check", &file, "--set", "level=@no.txt"], "")), 2);
    // A certificate names the level itself, so that it is checked without the file.
    let made = run(&folder.0, &["solve", &file, "--set", "level=@one.txt", "--certificate", "one.cert"], "");
    assert_eq!(code(&made), 0, "{}", err(&made));
    let checked = run(&folder.0, &["verify", "one.cert"], "");
    assert_eq!(code(&checked), 0, "{}{}", out(&checked), err(&checked));
}

#[test]
fn positions_can_be_given() {
    let folder = TempFolder::new("positions");
    let file = folder.starter();
    let after = json(&bouton(&["solve", &file, "--moves", "2 1", "--json"]));
    assert_eq!((&after["mover"], &after["remoteness"]), (&"First".into(), &3.into()));
    let test = json(&bouton(&["solve", &file, "--position", "the last two stones", "--json"]));
    assert_eq!(test["remoteness"], 1);
    let effects = json(&bouton(&["solve", &file, "--position", "pile := 4;", "--json"]));
    assert_eq!(effects["winner"], "Second");
    assert_eq!(code(&bouton(&["solve", &file, "--moves", "9"])), 2);
    assert_eq!(code(&bouton(&["solve", &file, "--position", "the lost two stones"])), 2);
    assert_eq!(code(&bouton(&["solve", &file, "--set", "n"])), 2);
    assert_eq!(code(&bouton(&["solve", &file, "--set", "n=0"])), 2);
    assert_eq!(code(&bouton(&["solve", &file, "--preset", "small"])), 2);
    assert_eq!(code(&bouton(&["solve", &file, "--method", "planning"])), 2);
}

#[test]
fn counts_are_reported() {
    let folder = TempFolder::new("counts");
    let file = folder.starter();
    let perft = json(&bouton(&["perft", &file, "-d", "3", "--divide", "--json"]));
    assert_eq!(
        keys(&perft),
        ["schema", "depth", "leaves", "by_depth", "seconds", "leaves_per_second", "divide"]
    );
    assert_eq!(perft["by_depth"], serde_json::json!([1, 3, 9, 27]));
    assert_eq!(perft["divide"]["2"], 9);
    let positions = json(&bouton(&["positions", &file, "--json"]));
    assert_eq!(keys(&positions), ["schema", "positions", "orbits", "terminal", "max_ply", "seconds"]);
    assert_eq!(positions["terminal"], 2);
    let limited = bouton(&["positions", &file, "--set", "n=100", "--time", "0s", "--json"]);
    assert_eq!((code(&limited), &json(&limited)["positions"]), (4, &Value::Null));
}

#[test]
fn errors_and_failures_have_their_codes() {
    let folder = TempFolder::new("codes");
    let damaged = folder.write("damaged.bou", "game \"X\"; players A, B; board Cell = grid(Cel, 3);");
    let checked = bouton(&["check", &damaged]);
    assert_eq!(code(&checked), 1);
    assert!(err(&checked).contains("more: bouton explain E"), "{}", err(&checked));
    assert_eq!(code(&bouton(&["solve", &damaged])), 1);
    let stuck = folder.write("stuck.bou", STUCK);
    let checked = bouton(&["check", &stuck, "--message-format", "json"]);
    assert_eq!(code(&checked), 3);
    let found: Value = serde_json::from_str(out(&checked).lines().next().expect("a finding")).expect("JSON");
    assert_eq!(
        keys(&found),
        [
            "code",
            "severity",
            "title",
            "file",
            "line",
            "column",
            "end_line",
            "end_column",
            "help",
            "edits",
            "labels",
            "notes",
            "play",
            "next",
            "position"
        ]
    );
    assert_eq!((&found["play"][0], &found["next"]), (&"2".into(), &Value::Null));
    assert_eq!(found["code"], "E0501");
    assert_eq!(code(&bouton(&["check", &stuck, "--explore", "0"])), 0);
    assert_eq!(code(&bouton(&["solve", &stuck])), 3);
    let wrong = folder
        .write("wrong.bou", &STUCK.replace("end { when left = 0", "expect first wins; end { when stuck"));
    let tested = bouton(&["test", &wrong]);
    assert_eq!(code(&tested), 3, "{}", err(&tested));
    assert!(err(&tested).contains("E0601"), "{}", err(&tested));
    std::fs::write(folder.0.join("latin.bou"), b"game \"Caf\xe9\";").expect("a file");
    let latin = bouton(&["check", &folder.0.join("latin.bou").display().to_string()]);
    assert_eq!(code(&latin), 1);
    assert!(err(&latin).contains("E0012"), "{}", err(&latin));
}

#[test]
fn a_test_that_fails_goes_on_at_its_next_position() {
    let folder = TempFolder::new("tests");
    let text = "game \"Down\"; players A, B; state { n: 0..3 = 3; } \
         move down(k: 1..2) as \"{k}\" { when k <= n; n -= k; } play normal; \
         test \"steps\" { play \"3\"; play \"3\", \"2\"; expect n = 1; position { n := 2; } play \"2\"; expect n = 0; }";
    let output = bouton(&["test", &folder.write("down.bou", text), "--json"]);
    assert_eq!(code(&output), 3, "{}", err(&output));
    let report = json(&output);
    assert_eq!((&report["passed"], &report["failed"], &report["unknown"]), (&1.into(), &1.into(), &1.into()));
}

/// A game of 3^81 arrangements.
const WIDE: &str = "game \"Wide\"; param n: 2..9 = 9; players A, B; board Cell = grid(n, n); \
     state { at[c: Cell]: Player? = none; } move put(c: Cell) { when at[c] = none; at[c] := me; } play normal;";

#[test]
fn play_and_report_ask_a_table_that_was_kept() {
    let folder = TempFolder::new("asked");
    let game = &*folder.starter();
    let kept = |name: &str| folder.0.join(name).display().to_string();
    let (table, universe) = (&*kept("all.table"), &*kept("universe.table"));
    assert_eq!(code(&bouton(&["solve", game, "--strong", "--table", table])), 0);
    let more = ["--universe", "pile <= 3", "--table", universe];
    assert_eq!(code(&bouton(&[&["solve", game, "--strong"], &more[..]].concat())), 0);
    let played = run(&folder.0, &["play", game, "--as", "second", "--table", table], "why\n1\nwhy\n");
    assert_eq!(code(&played), 0, "{}", err(&played));
    let told = out(&played);
    assert!(told.contains("plays perfectly, by the table"), "{told}");
    assert!(told.contains("wins in") && told.contains("the engine's last move: by the table"), "{told}");
    // A table of a few positions has no entries for others, and is right where it has entries.
    let few = out(&run(&folder.0, &["play", game, "--as", "all", "--table", universe], "why\n"));
    assert!(!few.contains("(table"), "{few}");
    let position = ["--position", "pile := 3;"];
    let asked = [&["play", game, "--as", "all", "--table", universe][..], &position].concat();
    let few = out(&run(&folder.0, &asked, "why\n"));
    assert!(few.contains("(table"), "{few}");
    let by_table = json(&bouton(&["report", game, "--format", "json", "--table", table]));
    let solved = json(&bouton(&["report", game, "--format", "json"]));
    for key in ["verdict", "moves", "histogram"] {
        assert_eq!(by_table[key], solved[key], "{key}");
    }
    for wrong in ["pile.bou", "nothing.table"] {
        for command in ["play", "report"] {
            let refused = bouton(&[command, game, "--table", &kept(wrong)]);
            assert_eq!(code(&refused), 2, "{command} {wrong}: {}", err(&refused));
        }
    }
}

#[test]
fn a_table_is_kept_and_gone_on_with_after_a_kill() {
    let folder = TempFolder::new("kept");
    let game = &*game_of("connect_four");
    let path = |name: &str| folder.0.join(name).display().to_string();
    let sized = |cols: &str, table: &str| -> Vec<String> {
        let args = ["solve", game, "--set", cols, "--set", "rows=4", "--strong", "--json", "--table", table];
        args.map(str::to_owned).to_vec()
    };
    let solve =
        |cols: &str, table: &str| bouton(&sized(cols, table).iter().map(String::as_str).collect::<Vec<_>>());
    let (whole, broken) = (path("whole.table"), path("broken.table"));
    let first = solve("cols=5", &whole);
    assert_eq!(code(&first), 0, "{}", err(&first));
    let mut child = Command::new(env!("CARGO_BIN_EXE_bouton"))
        .args(sized("cols=5", &broken))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    while !Path::new(&broken).exists() && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().expect("it runs");
    assert!(!child.wait().expect("a child").success(), "it was killed before its end");
    assert!(std::fs::read(&broken).expect("a table") != std::fs::read(&whole).expect("a table"));
    let second = solve("cols=5", &broken);
    assert!(std::fs::read(&broken).expect("a table") == std::fs::read(&whole).expect("a table"));
    // A complete table is only read, and yields the same output.
    let third = solve("cols=5", &broken);
    let told = |output: &Output| {
        let told = json(output);
        ["status", "value", "best_moves", "positions", "tally"].map(|key| told[key].clone())
    };
    assert!(told(&first) == told(&second) && told(&first) == told(&third), "{}", out(&third));
    let other = solve("cols=4", &broken);
    assert_eq!(code(&other), 2);
    assert!(err(&other).contains("a table of other rules, or of other parameters"), "{}", err(&other));
    let mut bytes = std::fs::read(&broken).expect("a table");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 8;
    std::fs::write(&broken, bytes).expect("a file");
    let damaged = solve("cols=5", &broken);
    assert_eq!(code(&damaged), 2);
    assert!(err(&damaged).contains("it is damaged: the hash of ply"), "{}", err(&damaged));
    // A path at which no table can be written is reported before the work.
    let nowhere = solve("cols=5", &path("no/such/folder.table"));
    assert_eq!(code(&nowhere), 2);
    assert!(err(&nowhere).contains("cannot be written: there is no folder `"), "{}", err(&nowhere));
}

#[test]
fn what_is_too_large_to_list_is_searched_depth_first() {
    let game = game_of("domineering");
    let board = ["--set", "cols=6", "--set", "rows=5"];
    let solve = |more: &[&str]| bouton(&[&["solve", &game], &board[..], more].concat());
    let searched = json(&solve(&["--method", "negamax", "--json"]));
    assert_eq!((&searched["method"], &searched["status"]), (&"alphabeta".into(), &"solved".into()));
    assert!(searched["remoteness"].is_null() && searched["winner"].is_string(), "{searched}");
    assert_eq!(searched["proof"]["checked"], false);
    let small =
        bouton(&["solve", &game, "--set", "cols=4", "--set", "rows=4", "--method", "alphabeta", "--json"]);
    assert_eq!(json(&small)["proof"]["checked"], true);
    let few = solve(&["--method", "alphabeta", "--memory", "20K"]);
    assert_eq!(code(&few), 4);
    assert!(out(&few).contains("the memory limit was reached"), "{}", out(&few));
    let counted = ["alphabeta", "retrograde"].map(|method| {
        let small = ["solve", &game, "--set", "cols=4", "--set", "rows=4", "--distance", "--json"];
        json(&bouton(&[&small[..], &["--method", method]].concat()))["remoteness"].clone()
    });
    assert!(counted[0].is_u64() && counted[0] == counted[1], "{counted:?}");
    // 36 cells are too many to list, so the search is the default.
    let auto = bouton(&["solve", &game, "--set", "cols=6", "--set", "rows=6", "--json"]);
    let auto = json(&auto);
    assert_eq!((&auto["method"], &auto["winner"]), (&"alphabeta".into(), &"Left".into()));
    assert!(auto["why"].as_str().is_some_and(|why| why.contains("too many to list")), "{auto}");
}

/// With every method, memory limits those that list positions, and time those that discard them.
#[test]
fn what_does_not_fit_ends_at_its_limits() {
    let games: [(&str, &[&str]); 3] = [
        ("connect_four", &[]),
        ("othello", &["--set", "n=6"]),
        ("english_draughts", &["--set", "n=8", "--set", "ranks=3"]),
    ];
    let methods = ["auto", "retrograde", "alphabeta", "dfpn", "pns", "pn2", "lambda"];
    let ways = methods.map(|method| vec!["--method", method]);
    for (name, settings) in games {
        let game = game_of(name);
        for way in ways.iter().chain([&vec!["--strong"], &vec!["--distance"], &vec!["--all-moves"]]) {
            let limits = ["solve", &game, "--memory", "3M", "--time", "300ms"];
            let ended = bouton(&[&limits[..], settings, way].concat());
            assert_eq!(code(&ended), 4, "{name} {way:?}: {}", out(&ended));
            let reason = out(&ended);
            let cycles = name == "english_draughts" && reason.contains("positions may come back");
            assert!(reason.contains("limit was reached") || cycles, "{name} {way:?}: {reason}");
        }
    }
}

#[test]
fn what_is_not_known_is_null_and_no_count() {
    // Infinite play is cut off by the limit, yet the first position gets its value before that.
    let strong = bouton(&["solve", &game_of("go"), "--strong", "--memory", "8M"]);
    assert_eq!(code(&strong), 4, "{}", out(&strong));
    assert!(out(&strong).contains("not every reachable position has a value"), "{}", out(&strong));
    let nim = ["solve", &game_of("chomp"), "--method", "nim", "--all-moves", "--json"];
    let report = json(&bouton(&nim));
    assert_eq!((&report["status"], &report["moves"]), (&"solved".into(), &Value::Null), "{report}");
    let report = json(&bouton(&["solve", &game_of("tictactoe"), "--method", "pairing", "--json"]));
    assert!(report["why"].as_str().is_some_and(|why| why.contains("no pairs")), "{report}");
}

#[test]
fn searches_by_proof_numbers_are_asked_for_by_name() {
    let game = game_of("tictactoe");
    for method in ["dfpn", "pns", "pn2", "lambda"] {
        let told = json(&bouton(&["solve", &game, "--method", method, "--json"]));
        assert_eq!((&told["method"], &told["outcome"]), (&method.into(), &"draw".into()));
        assert_eq!(told["proof"]["checked"], true, "{told}");
        let plies = bouton(&["solve", &game, "--method", method, "--distance"]);
        assert!(code(&plies) == 2 && err(&plies).contains("does not count plies"), "{}", err(&plies));
    }
    let folder = TempFolder::new("searched");
    let file = folder.0.join("draw.cert").display().to_string();
    assert_eq!(code(&bouton(&["solve", &game, "--method", "dfpn", "--certificate", &file])), 0);
    assert_eq!(code(&bouton(&["verify", &file])), 0);
    let cycles = bouton(&["solve", &game_of("dodgem"), "--method", "alphabeta"]);
    assert!(code(&cycles) == 4 && out(&cycles).contains("positions may come back"), "{}", out(&cycles));
    let round = bouton(&["solve", &game_of("dodgem"), "--set", "n=2", "--method", "dfpn"]);
    assert!(code(&round) == 0 && out(&round).contains("wins with best play"), "{}", out(&round));
    let tree = bouton(&["trace", &game, "--moves", "a1 b2 c1 b1 b3", "--method", "pns"]);
    assert!(code(&tree) == 0 && out(&tree).contains("step 1"), "{}", out(&tree));
}

#[test]
fn what_is_too_large_is_refused_unless_limits_are_given() {
    let folder = TempFolder::new("wide");
    let file = folder.write("wide.bou", WIDE);
    let refused = bouton(&["solve", &file, "--method", "retrograde"]);
    assert_eq!(code(&refused), 4);
    assert!(err(&refused).contains("E0401") && err(&refused).contains("--set n=4"), "{}", err(&refused));
    assert!(out(&refused).contains("too large to solve exactly (E0401)"), "{}", out(&refused));
    assert_eq!(json(&bouton(&["solve", &file, "--method", "retrograde", "--json"]))["status"], "unknown");
    let tried = bouton(&["solve", &file, "--method", "retrograde", "--time", "100ms"]);
    assert_eq!(code(&tried), 4);
    assert!(out(&tried).contains("the time limit was reached"), "{}", out(&tried));
    assert!(err(&tried).contains("E0401"), "{}", err(&tried));
    let small = bouton(&["solve", &file, "--method", "retrograde", "--set", "n=2"]);
    assert_eq!((code(&small), err(&small)), (0, String::new()));
    assert_eq!(code(&bouton(&["check", &file, "--explore", "50"])), 0);
}

#[test]
fn a_game_can_come_from_standard_input() {
    let text = STUCK.replace("when left = 0", "when stuck");
    let solved = run(Path::new("."), &["solve", "-", "--json"], &text);
    assert_eq!(json(&solved)["game"], "Stuck");
}

#[test]
fn play_works_through_a_pipe() {
    let folder = TempFolder::new("play");
    let file = folder.starter();
    let saved = folder.0.join("saved.txt").display().to_string();
    let lines = format!("hint\n2\nwhy\nnonsense\nundo\nredo\nmoves\nsave {saved}\nquit\n");
    let played = run(&folder.0, &["play", &file, "--set", "n=6"], &lines);
    assert_eq!(code(&played), 0, "{}", err(&played));
    let text = out(&played);
    for words in [
        "plays perfectly",
        "2: from now on every move has its answer",
        "Second:",
        "2 moves taken back",
        "saved to",
    ] {
        assert!(text.contains(words), "{words} is missing in\n{text}");
    }
    let loaded = run(&folder.0, &["play", &file, "--set", "n=6"], &format!("load {saved}\n:quit\n"));
    assert!(out(&loaded).contains("2 moves loaded"), "{}", out(&loaded));
    let later = folder.0.join("later.txt").display().to_string();
    run(&folder.0, &["play", &file, "--set", "n=6", "--moves", "1"], &format!("save {later}\n:quit\n"));
    let head = std::fs::read_to_string(&later).expect("a file");
    assert!(head.lines().next().is_some_and(|line| line.ends_with("--set n=6 --moves 1")), "{head}");
    let over = run(&folder.0, &["play", &file, "--set", "n=3", "--as", "second"], "");
    assert!(out(&over).contains("The game is over: First wins"), "{}", out(&over));
}

/// Plays a game of `games/` with these lines on standard input and returns what it prints.
fn played(game: &str, flags: &[&str], lines: &str) -> String {
    let folder = TempFolder::new("played");
    let file = game_of(game);
    let played = run(&folder.0, &[&["play", &file, "--seed", "1"], flags].concat(), lines);
    assert_eq!(code(&played), 0, "{}", err(&played));
    out(&played)
}

#[test]
fn play_explains_by_threats_refutations_and_strategies() {
    for (game, moves, flags, reasons) in [
        (
            "hex",
            "b2 b1",
            &[][..],
            &["Red wins in 3 plies", "a1 wins, and Blue cannot stop both b3 and c3"][..],
        ),
        ("hex", "a1 b2", &[], &["a2 wins, and Blue cannot stop both a3 and b3"]),
        ("tictactoe", "b2", &[], &["a1, c1, a3 and c3 keep the draw; the other moves lose: "]),
        ("tictactoe", "b2 b1 a1", &[], &["every move loses: ", "are answered by c3"]),
        (
            "nim",
            "",
            &[],
            &[
                "1-2: it leaves parts worth 1, 4, 5: every binary column has an even number of ones",
                "the strategy: ",
            ],
        ),
        ("connect_four", "", &["--set", "cols=4", "--set", "rows=4", "--set", "k=3"], &["wins"]),
        ("hatch", "", &[], &["5x1: from now on every move has its answer", "5x1 wins, for example 5x1 "]),
        ("double_tictactoe", "", &["--time", "6s"], &["X gets 0, O gets 0", "the strategy: "]),
    ] {
        let flags = [&["--as", "all", "--moves", moves], flags].concat();
        let told = played(game, &flags, "why\n");
        for reason in reasons {
            assert!(told.contains(reason), "{game} {moves}: {reason} is missing in\n{told}");
        }
    }
}

#[test]
fn play_tells_mixed_strategies_and_the_interests_of_several() {
    let told = played("kuhn_poker", &[], "hint\nwhy\nreview\n");
    assert!(told.contains("by the mixed strategy: "), "{told}");
    assert!(told.contains("with best play from the start: Ann gets -1/18, Bob gets 1/18"), "{told}");
    assert!(told.contains("no single move is a mistake"), "{told}");
    let told = played("goofspiel", &[], "hint\nwhy\n");
    assert!(
        told.contains("1 one time in two, 2 one time in two") && told.contains("Ann gets 7/12"),
        "{told}"
    );
    let told = played("pirates", &[], "why\nhint\n");
    assert!(told.contains("if each player wants the most for himself: P1 gets 20"), "{told}");
}

#[test]
fn review_names_the_first_losing_move_of_each_player() {
    // The second move could have won, and the third one is the last that loses.
    let told = played("nim", &["--as", "all"], "3-1\n2-1\n3-1\nreview\n");
    assert!(told.contains("the first losing move of First: ply 1, 3-1"), "{told}");
    assert!(told.contains("the first losing move of Second: ply 2, 2-1"), "{told}");
    assert!(told.contains("ply 2, 2-1: before Second wins") && told.contains("would have kept it"), "{told}");
    let told = played("tictactoe", &["--as", "all"], "b2\na1\nreview\n");
    assert!(told.contains("none of your moves gave anything away") && !told.contains("losing"), "{told}");
}

#[test]
fn moves_are_listed_in_lines_of_limited_length() {
    let told = played("gomoku", &["--level", "0"], "moves\n");
    assert!(told.contains("and 165 more: `moves` lists them all") && told.contains("225) o15"), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 100), "{told}");
    let columns = played("connect_four", &["--level", "0"], "");
    assert!(columns.contains("moves: 1  2  3  4  5  6  7\n"), "{columns}");
}

#[test]
fn what_is_hidden_from_a_single_player_is_shown_at_the_end() {
    let begun = played("monty_hall", &[], "");
    assert!(begun.contains("car: ?") && !begun.contains("car: 3"), "{begun}");
    let over = played("monty_hall", &[], "1\n1\n");
    assert!(over.contains("car: ?") && over.contains("car: 3"), "{over}");
}

#[test]
fn rules_without_meaning_are_told_in_words() {
    let folder = TempFolder::new("fault");
    let file = folder.write(
        "below.bou",
        "game \"Below\"; players A, B; state { pile: 0..5 = 2; }\n\
         move take(k: 1..3) as \"{k}\" { pile -= k; } end { when pile = 0 => mover loses; }\n",
    );
    let played = run(&folder.0, &["play", &file], "1\n:quit\n");
    let text = out(&played);
    assert!(text.contains("E0503") && !text.contains("OutOfRange") && !text.contains("E0501"), "{text}");
    let library = folder.write("library.bou", "def low(x: 0..5) = x < 2;\n");
    let checked = bouton(&["check", &library]);
    assert!(out(&checked).contains("no `game` line"), "{}", out(&checked));
    let empty = folder.write("empty.bou", "");
    assert_eq!(code(&bouton(&["check", &empty])), 1, "an empty text is no game");
}

#[test]
fn libraries_lie_beside_the_game() {
    let folder = TempFolder::new("use");
    folder.write("common.bou", "def low(x: 0..5) = x < 2;\n");
    let file =
        folder.write("game.bou", &format!("use \"common\";\n{}", STUCK.replace("left = 0", "low(left)")));
    let solved = bouton(&["solve", &file]);
    assert_eq!(code(&solved), 0, "{}", err(&solved));
}

fn game_of(name: &str) -> String {
    format!("{}/games/{name}.bou", env!("CARGO_MANIFEST_DIR"))
}

/// Rules without a circuit.
const TURNS: &str = "game \"Turns\"; players A, B; phases { go by whose; } state { n: 0..3 = 0; }\n\
    def whose = if n mod 2 = 0 then A else B; move step() in go { n += 1; } end { when n = 3 => draw; }\n";

#[test]
fn what_runs_the_rules_is_chosen_and_told() {
    let folder = TempFolder::new("backends");
    let (boxes, turns) = (game_of("dots_and_boxes"), folder.write("turns.bou", TURNS));
    for (backend, on) in [
        ("jit", "runs on machine code"),
        ("interp", "runs on the interpreter of circuits"),
        ("reference", "runs on the reference interpreter"),
    ] {
        let counted =
            bouton(&["perft", &boxes, "-d", "3", "--by", "turn", "-v", "--json", "--backend", backend]);
        assert_eq!(code(&counted), 0, "{}", err(&counted));
        assert_eq!(json(&counted)["by_depth"], serde_json::json!([1, 12, 132, 1320]), "{backend}");
        assert!(err(&counted).contains(on), "{}", err(&counted));
        // Rules without a circuit run on the reference interpreter, whichever backend was requested, and it is said.
        let counted = bouton(&["perft", &turns, "-d", "1", "-v", "--json", "--backend", backend]);
        assert_eq!((code(&counted), &json(&counted)["leaves"]), (0, &1.into()), "{}", err(&counted));
        let why = "note: Turns runs slowly, on the reference interpreter, for lack of a faster form: a phase of a \
                   player who changes (";
        assert_eq!(err(&counted).contains(why), backend != "reference", "{}", err(&counted));
        let solved = json(&bouton(&["solve", &turns, "--json", "--backend", backend]));
        let on = solved["runs_on"].as_str().unwrap_or_default();
        assert_eq!(on.contains("runs slowly"), backend != "reference", "{on}");
    }
    let checked = bouton(&["check", &boxes, "--explore", "50", "-v"]);
    assert!(err(&checked).contains("runs on machine code"), "{}", err(&checked));
    // Three positions: without `-v` nobody needs to know.
    let solved = bouton(&["solve", &turns]);
    assert!(!err(&solved).contains("runs slowly"), "{}", err(&solved));
    let tested = bouton(&["test", &turns, "--json", "-v"]);
    assert!(err(&tested).contains("on the reference interpreter, for lack"), "{}", err(&tested));
    let slow = &json(&tested)["runs_slowly"];
    assert!(slow[0].as_str().is_some_and(|on| on.contains("turns.bou:1")), "{slow}");
}

#[test]
fn positions_and_plays_are_read_as_they_are_meant() {
    let (nim, tictactoe) = (game_of("nim"), game_of("tictactoe"));
    let solved = bouton(&["solve", &nim, "--position", "size[1] := 0; size[2] := 0"]);
    assert_eq!(code(&solved), 0, "{}", err(&solved));
    let compared = bouton(&["solve", &nim, "--position", "size[1] = 0"]);
    assert!(err(&compared).contains("write `:=`"), "{}", err(&compared));
    let over = bouton(&["solve", &tictactoe, "--moves", "a1 b1 a2 b2 a3 c3"]);
    assert!(err(&over).contains("the game is over"), "{}", err(&over));
}

/// A value that a condition excludes is a mistake of the command line if it stands there, and of the file if it stands
/// in a claim.
#[test]
fn conditions_of_parameters_end_with_the_code_of_their_place() {
    let folder = TempFolder::new("conditions");
    let text = "game \"G\"; param n: 1..9 = 3 where n != 4; players A, B; state { m: 0..9 = n; }\n\
        move take() { when m > 0; m -= 1; } play normal;\n";
    let file = folder.write("game.bou", text);
    let claimed = folder.write("claimed.bou", &format!("{text}expect first wins with n = 4;\n"));
    for (arguments, exit) in [
        (&["solve", &file, "--set", "n=4"][..], 2),
        (&["solve", &file, "--set", "n=40"], 2),
        (&["solve", &file, "--set", "n=5"], 0),
        (&["test", &claimed], 1),
    ] {
        let done = bouton(arguments);
        assert_eq!(code(&done), exit, "{arguments:?}: {}", err(&done));
        assert_eq!(err(&done).contains("E0404"), exit > 0, "{}", err(&done));
    }
}

/// It is an answer that nobody can force a win so soon.
#[test]
fn no_win_within_some_plies_is_an_answer() {
    for (game, plies) in [("tictactoe", "5"), ("nim", "3")] {
        let solved = bouton(&["solve", &game_of(game), "--within", plies]);
        assert_eq!(code(&solved), 0, "{}", err(&solved));
        let words = format!("nobody can force a win within {plies} plies.");
        assert!(out(&solved).lines().next().is_some_and(|line| line.ends_with(&words)), "{}", out(&solved));
    }
}

#[test]
fn a_count_in_machine_code_ends_when_its_time_is_over() {
    let clock = std::time::Instant::now();
    let counted = bouton(&["perft", &game_of("connect_four"), "-d", "40", "--time", "300ms", "--bulk"]);
    assert_eq!(code(&counted), 4);
    assert!(err(&counted).contains("no count: the time limit was reached"), "{}", err(&counted));
    assert!(clock.elapsed() < std::time::Duration::from_secs(20), "it took {:?}", clock.elapsed());
}

#[test]
fn benches_are_compared_with_older_ones() {
    let folder = TempFolder::new("bench");
    let file = folder.starter();
    let measured = bouton(&["bench", &file, "--json"]);
    assert_eq!(code(&measured), 0, "{}", err(&measured));
    let report = json(&measured);
    assert_eq!(keys(&report), ["schema", "version", "runs", "games"]);
    let game = &report["games"][0];
    assert!(game["jit"]["perft_per_second"].as_f64() > game["interp"]["perft_per_second"].as_f64(), "{game}");
    assert!(game["lower_seconds"].as_f64() > Some(0.0) && game["code_bytes"].as_u64() > Some(100), "{game}");
    let before = folder.write("before.json", &out(&measured));
    let again = bouton(&["bench", &file, &folder.write("turns.bou", TURNS), "--against", &before]);
    assert_eq!(code(&again), 0, "{}", err(&again));
    let text = out(&again);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[2].starts_with("  against the baseline") && lines[2].contains("x 1.00"), "{text}");
    assert!(lines[3].contains("there is no circuit: a phase of a player who changes"), "{text}");
    assert_eq!(code(&bouton(&["bench", &file, "--against", &file])), 2, "not a report");
    let cut = bouton(&["bench", &file, "--time", "50ms"]);
    assert_eq!(code(&cut), 4, "{}", err(&cut));
}

#[test]
fn every_stage_is_shown() {
    let file = game_of("tictactoe");
    let shown = |stage: &str| {
        let output = bouton(&["dump", &file, "--stage", stage]);
        assert_eq!(code(&output), 0, "{stage}: {}", err(&output));
        out(&output)
    };
    assert!(shown("layout").contains("18 of which may be 1"), "{}", shown("layout"));
    assert!(shown("layout").contains("at=X"), "{}", shown("layout"));
    let circuit = shown("circuit");
    assert!(circuit.contains("control k0 \"X\" mover 0 {") && circuit == shown("circuit"), "{circuit}");
    assert!(shown("clif").contains("; expand_1\nfunction ") && shown("asm").starts_with("; expand_0\n"));
    let turns = bouton(&["dump", &TempFolder::new("stages").write("turns.bou", TURNS), "--stage", "asm"]);
    assert_eq!(code(&turns), 2);
    assert!(err(&turns).contains("has no circuit: a phase of a player who changes"), "{}", err(&turns));
}

#[test]
fn what_is_proved_for_all_values_says_so() {
    let folder = TempFolder::new("parametric");
    let (file, path) = (game_of("hatch"), folder.0.join("hatch.cert").display().to_string());
    let solved = bouton(&[
        "solve",
        &file,
        "--set",
        "n=10",
        "--set",
        "k=4",
        "--method",
        "symmetry",
        "--certificate",
        &path,
        "--json",
    ]);
    assert_eq!(code(&solved), 0, "{}", err(&solved));
    let report = json(&solved);
    assert_eq!(report["winner"], "First");
    let proof = &report["proof"];
    assert_eq!((&proof["tier"], &proof["checked"]), (&"parametric".into(), &true.into()));
    assert_eq!(proof["scope"], "all n >= 1 and k >= 1");
    for file in [&[][..], &[file.as_str()]] {
        let verified = bouton(&[&["verify", &path], file].concat());
        assert_eq!(code(&verified), 0, "{}{}", out(&verified), err(&verified));
        assert!(
            out(&verified).contains("for all n >= 1 and k >= 1: Second wins where"),
            "{}",
            out(&verified)
        );
    }
    let shown = bouton(&["solve", &file, "--method", "symmetry"]);
    assert!(out(&shown).contains("proved: for all n >= 1 and k >= 1"), "{}", out(&shown));
    // A position in the middle of play has no parametric proof.
    let later = bouton(&["solve", &file, "--method", "symmetry", "--moves", "5x1", "--json"]);
    assert_ne!(json(&later)["proof"]["tier"], "parametric");
}

#[test]
fn table_has_every_key_in_order_and_its_exit_codes() {
    let folder = TempFolder::new("table");
    let file = folder.starter();
    let made = bouton(&["table", &file, "--over", "n=1..12", "--json"]);
    let report = json(&made);
    assert_eq!(code(&made), 0, "{}", err(&made));
    assert_eq!(keys(&report), ["schema", "game", "file", "show", "over", "rows", "sequence", "pattern"]);
    assert_eq!((&report["schema"], &report["over"]), (&"bouton-table/1".into(), &serde_json::json!(["n"])));
    let row = &report["rows"][0];
    let wanted = ["n", "status", "outcome", "winner", "value", "remoteness", "nimber", "positions", "reason"];
    assert_eq!(keys(row), wanted);
    assert_eq!((&row["n"], &row["outcome"], &row["winner"]), (&1.into(), &"win".into(), &"First".into()));
    assert_eq!(keys(&report["pattern"]), ["statement", "tier", "label"]);
    assert_eq!(report["pattern"]["tier"], "parametric");
    let label = "proved for all n >= 1 and most >= 1; the checker accepted a certificate (param)";
    assert_eq!(report["pattern"]["label"], label);
    assert_eq!(keys(&report["sequence"]), ["of", "terms"]);
    // The output has equal bytes at any number of threads.
    let one = bouton(&["table", &file, "--over", "n=1..12", "--json", "--threads", "1"]);
    assert_eq!(out(&one), out(&made));
    for (arguments, exit) in [
        (&["--over", "n=1..3", "--format", "csv"][..], 0),
        (&["--over", "n=1..3", "--show", "nimber", "--format", "html"], 0),
        (&["--over", "n=1..3", "--show", "nimber", "--format", "bfile"], 0),
        (&["--over", "n=1,3", "--show", "nimber", "--format", "bfile"], 2),
        (&["--over", "n=1..3", "--show", "class"], 0),
        (&["--over", "n=1..3", "--time", "0ms"], 4),
        (&["--over", "nn=1..3"], 2),
        (&["--over", "n=3..1"], 2),
        (&["--over", "n=1..3", "--show", "colour"], 2),
        (&[], 2),
    ] {
        let made = bouton(&[&["table", &file], arguments].concat());
        assert_eq!(code(&made), exit, "{arguments:?}: {}{}", out(&made), err(&made));
    }
}

#[test]
fn reports_are_written_in_the_form_that_the_name_says() {
    let folder = TempFolder::new("report");
    let file = folder.starter();
    let made = bouton(&["report", &file, "--set", "n=6", "--json"]);
    let report = json(&made);
    assert_eq!(code(&made), 0, "{}", err(&made));
    let wanted = "schema game file about params verdict standing strategy board matrix moves plays tree histogram figures \
                  otherwise checked unchecked certificate commands";
    assert_eq!(keys(&report), wanted.split(' ').collect::<Vec<_>>());
    assert_eq!(
        (&report["schema"], &report["standing"]["checked"]),
        (&"bouton-report/1".into(), &true.into())
    );
    // The hash is that of the certificate that the command in the report writes.
    let path = folder.0.join("pile.cert").display().to_string();
    bouton(&["solve", &file, "--set", "n=6", "--certificate", &path]);
    let written = std::fs::read_to_string(&path).expect("the certificate");
    let hash = report["certificate"].as_str().expect("a hash");
    assert!(written.ends_with(&format!("root {hash}\n")), "{hash}");
    let command = report["commands"][1].as_str().expect("a command");
    assert!(command.starts_with("bouton solve ") && command.contains("--set n=6"), "{command}");
    let page = folder.0.join("pile.html").display().to_string();
    assert_eq!(code(&bouton(&["report", &file, "-o", &page])), 0);
    let text = std::fs::read_to_string(&page).expect("the page");
    assert!(text.starts_with("<!DOCTYPE html>") && text.ends_with("</html>\n"));
    // An unsolved game: the report says that time ran out.
    let none = bouton(&["report", &file, "--time", "0ms"]);
    assert_eq!(code(&none), 4, "{}", err(&none));
    assert_eq!(code(&bouton(&["report", &file, "--format", "pdf"])), 2);
    assert_eq!(code(&bouton(&["report", &file, "-o", "/no/such/folder/x.html"])), 2);
}

/// The former names of passes are accepted as well, and mean the same.
#[test]
fn passes_have_two_names() {
    let circuit = |skipped: &[&str]| {
        let flags = skipped.iter().flat_map(|name| ["--skip-pass", name]);
        let args: Vec<&str> =
            ["dump", "games/tictactoe.bou", "--stage", "circuit-opt"].into_iter().chain(flags).collect();
        let made = bouton(&args);
        assert_eq!(code(&made), 0, "{}", err(&made));
        out(&made)
    };
    let standard = circuit(&["dead_terminals", "condition_propagation"]);
    assert_eq!(circuit(&["settled", "facts"]), standard);
    assert_ne!(circuit(&[]), standard);
    let unknown = bouton(&["dump", "games/tictactoe.bou", "--stage", "circuit-opt", "--skip-pass", "swift"]);
    assert_eq!(code(&unknown), 2);
    assert!(err(&unknown).contains("the passes are constant_propagation, "), "{}", err(&unknown));
}
