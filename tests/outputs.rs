//! Destinations of output: pipes, devices and links, full disks, certificates that cannot be written, long lines.

#![cfg(unix)]

use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A temporary folder for one test, deleted on drop, with the starter of `bouton new` in it.
struct TempFolder(PathBuf);

impl TempFolder {
    fn new(name: &str) -> TempFolder {
        let path = std::env::temp_dir().join(format!("bouton-outputs-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        let folder = TempFolder(path);
        assert_eq!(code(&folder.bouton(&["new", "pile"])), 0);
        folder
    }

    fn bouton(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bouton"));
        command.args(args).current_dir(&self.0).env("NO_COLOR", "1").output().expect("the binary runs")
    }

    /// Runs a shell command in which `$BOUTON` is the binary.
    fn shell(&self, line: &str) -> Output {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(&self.0).env("BOUTON", env!("CARGO_BIN_EXE_bouton"));
        command.output().expect("the shell runs")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a text")
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a file in the temporary folder");
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
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

#[test]
fn what_is_no_file_is_written_into() {
    let folder = TempFolder::new("pipes");
    assert_eq!(code(&folder.shell("mkfifo pipe")), 0);
    for (command, begins) in [
        ("report pile.bou --format md -o pipe", "# Pile"),
        ("solve pile.bou --certificate pipe", "bouton-certificate 2"),
        ("table pile.bou --over n=1..12 --certificate pipe", "bouton-certificate 2"),
    ] {
        let reader = "cat pipe > got & reader=$!";
        let end = "code=$?; [ $code = 0 ] || kill $reader; wait; exit $code";
        let done = folder.shell(&format!("{reader}; \"$BOUTON\" {command}; {end}"));
        assert_eq!(code(&done), 0, "{command}: {}", err(&done));
        assert!(folder.read("got").starts_with(begins), "{command}");
        assert!(std::fs::metadata(folder.path("pipe")).is_ok_and(|pipe| pipe.file_type().is_fifo()));
    }
    // Standard output may be a file to which other programs write, too.
    let line =
        "{ echo before; \"$BOUTON\" -q report pile.bou --format md -o /dev/stdout; echo after; } > all";
    assert_eq!(code(&folder.shell(line)), 0);
    let all = folder.read("all");
    assert!(all.starts_with("before\n# Pile") && all.ends_with("\nafter\n"), "{all}");
    let line = "exec 3> third; echo before >&3; \"$BOUTON\" -q report pile.bou --format md -o /dev/fd/3";
    assert_eq!(code(&folder.shell(line)), 0);
    assert!(folder.read("third").starts_with("before\n# Pile"));
}

#[test]
fn devices_stay_devices() {
    let folder = TempFolder::new("devices");
    for (device, expected) in [("/dev/null", 0), ("/dev/full", 2)] {
        let is_device = || std::fs::metadata(device).is_ok_and(|there| there.file_type().is_char_device());
        if !is_device() {
            eprintln!("skipped: there is no {device}");
            continue;
        }
        for command in [["report", "-o"], ["solve", "--certificate"]] {
            let done = folder.bouton(&[command[0], "pile.bou", command[1], device]);
            assert_eq!(code(&done), expected, "{device}: {}", err(&done));
            assert!(expected == 0 || err(&done).contains("no space is left"), "{}", err(&done));
        }
        // These commands read their output file, so they need a regular file.
        folder.write("odd.bou", "game   \"x\";");
        symlink(device, folder.path("link")).expect("a link");
        for command in
            [&["solve", "pile.bou", "--table", "link"][..], &["solve", "pile.bou", "--table", device]]
        {
            let done = folder.bouton(command);
            assert_eq!(code(&done), 2);
            assert!(err(&done).contains("is not a regular file"), "{}", err(&done));
        }
        let printed = folder.shell(&format!("\"$BOUTON\" solve pile.bou > {device}"));
        assert_eq!(code(&printed), expected, "{}", err(&printed));
        std::fs::remove_file(folder.path("link")).expect("the link");
        assert!(is_device());
    }
    assert_eq!(
        code(&folder.shell("mkfifo pipe; cat pile.bou > pipe & \"$BOUTON\" fmt pipe")),
        0,
        "nothing to do"
    );
    let odd = folder.shell("echo 'game   \"x\"; ' > pipe & \"$BOUTON\" fmt pipe");
    assert_eq!(code(&odd), 2);
    assert!(err(&odd).contains("pipe is not a regular file"), "{}", err(&odd));
}

#[test]
fn links_and_permissions_stay() {
    let folder = TempFolder::new("links");
    let is_link = |name: &str| folder.path(name).symlink_metadata().is_ok_and(|there| there.is_symlink());
    std::fs::create_dir(folder.path("far")).expect("a folder");
    folder.write("far/page", "old");
    std::fs::set_permissions(folder.path("far/page"), PermissionsExt::from_mode(0o640)).expect("a mode");
    symlink("page", folder.path("far/one")).expect("a link");
    symlink("far/one", folder.path("two")).expect("a link");
    let done = folder.bouton(&["report", "pile.bou", "-o", "two"]);
    assert_eq!(code(&done), 0, "{}", err(&done));
    assert!(is_link("two") && is_link("far/one") && folder.read("far/page").starts_with("Pile"));
    let mode = std::fs::metadata(folder.path("far/page")).expect("the page").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    // A link to a missing file, and one that leads to itself.
    symlink("far/new", folder.path("three")).expect("a link");
    assert_eq!(code(&folder.bouton(&["solve", "pile.bou", "--certificate", "three"])), 0);
    assert!(is_link("three") && folder.read("far/new").starts_with("bouton-certificate"));
    symlink("round", folder.path("round")).expect("a link");
    assert_eq!(code(&folder.bouton(&["report", "pile.bou", "-o", "round"])), 2);
    assert!(is_link("round"));
    symlink("nowhere.bou", folder.path("other.bou")).expect("a link");
    assert_eq!(code(&folder.bouton(&["new", "other"])), 2);
    assert!(is_link("other.bou") && !Path::new(&folder.path("nowhere.bou")).exists());
    // `fmt` rewrites the target of a link in place.
    folder.write("far/odd.bou", &folder.read("pile.bou").replace("players First", "players     First"));
    symlink("far/odd.bou", folder.path("odd.bou")).expect("a link");
    assert_eq!(code(&folder.bouton(&["fmt", "odd.bou"])), 0);
    assert!(is_link("odd.bou") && folder.read("far/odd.bou") == folder.read("pile.bou"));
}

/// A file size limit stands for a full disk.
#[test]
fn a_full_disk_ends_with_2() {
    let folder = TempFolder::new("full");
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/games/tictactoe.bou");
    for command in ["--strong --table out", "--strong --certificate out"] {
        let limit = "trap '' XFSZ; ulimit -f 2;";
        let done = folder.shell(&format!("{limit} exec \"$BOUTON\" solve {game} {command}"));
        assert_eq!(code(&done), 2, "{command}: {}{}", out(&done), err(&done));
        assert!(err(&done).contains("out cannot be written"), "{}", err(&done));
    }
    let left: Vec<_> = std::fs::read_dir(&folder.0).expect("the folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

/// The exit code is 3 where there is no certificate to write, whatever the answer; 4 where a limit came first.
#[test]
fn the_exit_code_where_there_is_no_certificate() {
    let folder = TempFolder::new("none");
    let chance = "game \"Throw\"; players A; state { n: 0..6 = 0; }\
                  chance throw(k: 1..6) { when n = 0; n := k; } end { when n > 0 => payoff p: n; }";
    folder.write("throw.bou", chance);
    let golf = "game \"Golf\"; players A, B; state { got[p: Player]: 0..9 = 0; left: set of 1..3 = 1..3; }\
                move take(k: 1..3) { when k in left; left -= { k }; got[me] += k; }\
                end { when left = {} => lowest got; }";
    folder.write("golf.bou", golf);
    let games = concat!(env!("CARGO_MANIFEST_DIR"), "/games");
    for (command, expected) in [
        ("pile.bou --method grundy", 3),
        ("pile.bou --method symmetry", 3),
        ("pile.bou --method scores", 3),
        ("golf.bou --margin", 3),
        (&format!("{games}/pirates.bou --method paranoid"), 3),
        (&format!("{games}/dice_race.bou --method interval"), 3),
        (&format!("{games}/othello.bou --set n=8 --time 100ms"), 4),
        ("pile.bou --time 0ms", 4),
    ] {
        let done = folder.shell(&format!("\"$BOUTON\" solve {command} --certificate none"));
        assert_eq!(code(&done), expected, "{command}: {}{}", out(&done), err(&done));
        assert!(err(&done).contains("no certificate was written: "), "{command}: {}", err(&done));
        assert!(!folder.path("none").exists(), "{command}");
    }
    // A game of one player with chance may have a certificate.
    let thrown = folder.bouton(&["solve", "throw.bou", "--certificate", "some"]);
    assert_eq!(code(&thrown) == 0, folder.path("some").exists(), "{}{}", out(&thrown), err(&thrown));
}

/// Strategies from which nobody gains by leaving his own have certificates: in turn, at once, with chance and cycles.
#[test]
fn equilibria_are_proved() {
    let folder = TempFolder::new("equilibria");
    let games = concat!(env!("CARGO_MANIFEST_DIR"), "/games");
    for (name, expected) in [
        ("prisoners_dilemma", "there is an equilibrium in which Row gets -5, Col gets -5"),
        ("stag_hunt", "in which Ann gets 4, Bob gets 4; and in which Ann gets 3, Bob gets 3"),
        ("chicken", "in which Ann gets -1, Bob gets 1; and in which Ann gets -1/10, Bob gets -1/10"),
        ("pirates", "there is an equilibrium in which P1 gets 20, P2 gets 0, P3 gets 10"),
        ("truel", "there is an equilibrium in which A gets 25/63, B gets 8/21, C gets 2/9"),
    ] {
        let game = format!("{games}/{name}.bou");
        folder.bouton(&["solve", &game, "--certificate", name]);
        let done = folder.bouton(&["verify", name]);
        assert_eq!(code(&done), 0, "{name}: {}{}", out(&done), err(&done));
        assert!(out(&done).contains(expected), "{name}: {}", out(&done));
        let bare = folder.bouton(&["solve", &game]);
        assert!(out(&bare).contains("proved: there "), "{name}: {}", out(&bare));
    }
    // Each of three players pays for the bridge or not; it is built if two of them pay.
    folder.write(
        "bridge.bou",
        "game \"Bridge\"; players A, B, C; phases { give by each; } state { pays[p: Player]: bool? = none; }
         move pay(b: bool) as \"{b}\" { pays[me] := b; }
         def built = (count p in Player: pays[p] = true) >= 2;
         end { when all p in Player: pays[p] != none =>
           payoff p: (if built then 3 else 0) - (if pays[p] = true then 1 else 0); }",
    );
    let done = folder.bouton(&["solve", "bridge.bou", "--certificate", "bridge"]);
    assert!(
        out(&done).contains("one equilibrium gives A 3, B 2, C 2; all without chance have "),
        "{}",
        out(&done)
    );
    assert!(
        out(&done).contains("proved: there is an equilibrium in which A gets 3, B gets 2, C gets 2"),
        "{}",
        out(&done)
    );
    assert_eq!(code(&folder.bouton(&["verify", "bridge"])), 0);
    let told = folder.bouton(&["report", "bridge.bou"]);
    assert!(out(&told).contains("Proved: there is an equilibrium"), "{}", out(&told));
}

/// A plan of many lines is told in a few rules on what the player sees; the data has all of it.
#[test]
fn long_plans_are_told_by_rules() {
    let folder = TempFolder::new("plans");
    folder.write(
        "cards.bou",
        "game \"Keep or change\"; players A, B; phases { setup deal by chance; decide; last by chance; }
         state { card[p: Player]: 0..20 = 0 visible to p; changed: bool = false; over: bool = false; }
         private chance give(a: 1..20, b: 1..20) in deal {
           card[A] := a; card[B] := b; continue decide; next A;
         }
         move keep() in decide as \"keep\" { continue last; }
         move change() in decide as \"change\" { changed := true; continue last; }
         private chance deal_last(a: 1..20) in last { if changed { card[A] := a; } over := true; }
         end { when over => highest card; }",
    );
    let told = out(&folder.bouton(&["solve", "cards.bou"]));
    assert!(told.contains("A           with card[A] <= 10: change always\n"), "{told}");
    assert!(told.contains("            with card[A] >= 11: keep always\n"), "{told}");
    let data = out(&folder.bouton(&["solve", "cards.bou", "--json"]));
    let data: serde_json::Value = serde_json::from_str(&data).expect("data");
    assert_eq!(data["mixed"]["strategies"]["A"].as_array().map(Vec::len), Some(20), "{data}");
}

/// The margin names the winner: where the lower score wins, the winner has less; in JSON the margin is the first
/// player's score minus the second's.
#[test]
fn margins_name_who_wins() {
    let folder = TempFolder::new("margins");
    let golf = "game \"Golf\"; players A, B;\
                state { got[p: Player]: 0..40 = 0; left: set of { 1, 2, 3, 5 } = { 1, 2, 3, 5 }; }\
                move take(k: { 1, 2, 3, 5 }) as \"{k}\" { when k in left; left -= { k }; got[me] += k; }\
                end { when left = {} => BEST got; }";
    folder.write("lowest.bou", &golf.replace("BEST", "lowest"));
    folder.write("highest.bou", &golf.replace("BEST", "highest"));
    // A takes 1 and 3, B 2 and 5; or in descending order of the coins.
    for (file, moves, number, words) in [
        ("lowest.bou", "", -3, "A by 3"),
        ("highest.bou", "", 3, "A by 3"),
        ("lowest.bou", "1 2 3 5", -3, "A by 3"),
        ("lowest.bou", "5 2 1 3", 1, "B by 1"),
        ("highest.bou", "5 2 1 3", 1, "A by 1"),
    ] {
        for method in ["auto", "alphabeta", "scores", "dfpn"] {
            let args = ["solve", file, "--margin", "--moves", moves, "--method", method];
            let told = out(&folder.bouton(&args));
            assert!(told.contains(&format!("\n  margin      {words}\n")), "{file} {moves} {method}: {told}");
            let told = folder.bouton(&[&args[..], &["--json"]].concat());
            let told: serde_json::Value = serde_json::from_str(&out(&told)).expect("JSON");
            assert_eq!(told["margin"], number, "{file} {moves} {method}");
            assert_eq!(told["winner"], words[..1], "{file} {moves} {method}");
        }
    }
}

/// The renderer's formatter has no widths past 65,535.
#[test]
fn findings_on_long_lines_are_shown() {
    let folder = TempFolder::new("long");
    let blanks = " ".repeat(70_000);
    for (text, column) in [
        ("{".repeat(100_000), 128),
        (format!("game \"x\"; players A, B;{blanks}state {{ a: Foo = 0; }}"), 70_035),
        (format!("game \"x\"; players A, B;{}state {{ a: Foo = 0; }}", "\t".repeat(70_000)), 70_035),
        (format!("game \"{}\"; players A, B; state {{ a: Foo = 0; }}", "\u{4e2d}".repeat(70_000)), 70_035),
        (format!("game \"{}\"; players A, B; state {{ a: Foo = 0; }}", "\u{301}".repeat(70_000)), 70_035),
    ] {
        folder.write("long.bou", &text);
        for command in [&["check", "long.bou"][..], &["test", "long.bou"], &["solve", "long.bou"]] {
            let done = folder.bouton(command);
            assert_eq!(code(&done), 1, "{}", err(&done));
            assert!(err(&done).lines().all(|line| line.chars().count() < 300), "{}", err(&done));
            assert!(err(&done).contains(&format!("[long.bou:1:{column}]")), "{column}: {}", err(&done));
        }
        assert!(matches!(code(&folder.bouton(&["fmt", "--check", "long.bou"])), 0 | 1));
        assert!(matches!(code(&folder.bouton(&["expand", "long.bou"])), 0 | 1));
        let told = folder.bouton(&["check", "long.bou", "--message-format", "json"]);
        assert!(out(&told).contains(&format!("\"column\":{column},")), "{column}: {}", out(&told));
    }
}
