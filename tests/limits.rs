//! Every command stops at a limit or when it is cancelled, whatever it is doing then.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// All triples of cells of a large board: compiling them takes very long, and so does evaluating the definition.
const TRIPLES: &str = "game \"Triples\";\nplayers A, B;\nboard Cell = grid(64, 64);\n\
    state { s: set of Cell = {}; }\nmove m(a: Cell) { when a not in s; s |= {a}; }\n\
    end { when all a in Cell, b in Cell, c in Cell: a in s or b in s or c in s => A wins; when stuck => B wins; }\n\
    expect first wins;\n";

fn file(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("limits");
    std::fs::create_dir_all(&folder).expect("a folder for tests");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file for tests");
    path
}

fn command(args: &[&str], path: &PathBuf) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bouton"));
    command.arg(args[0]).arg(path).args(&args[1..]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn output_text(output: &Output) -> String {
    let both = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    both.concat()
}

/// Commands that compile the rules and ask for the winner or for counts.
const COMMANDS: &[&[&str]] = &[
    &["solve"],
    &["solve", "--json"],
    &["perft", "--depth", "2"],
    &["positions"],
    &["test"],
    &["report"],
    &["bench"],
    &["dump", "--stage", "circuit"],
];

#[test]
fn every_command_stops_when_its_time_is_over_while_it_compiles() {
    let path = file("time.bou", TRIPLES);
    for args in COMMANDS {
        let output = command(args, &path).args(["--time", "200ms"]).output().expect("the binary runs");
        let said = output_text(&output);
        // An expectation that is undecided in time fails no test.
        let code = if args[0] == "test" { 0 } else { 4 };
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains("time"), "{args:?}: {said}");
    }
}

#[test]
fn memory_of_compilation_counts() {
    let path = file("memory.bou", TRIPLES);
    let args = ["dump", "--stage", "circuit", "--memory", "40M", "--time", "10m"];
    let output = command(&args, &path).output().expect("the binary runs");
    let said = output_text(&output);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("the memory limit was reached"), "{said}");
}

#[cfg(unix)]
#[test]
fn every_command_stops_when_it_is_asked_to_while_it_compiles() {
    let path = file("signal.bou", TRIPLES);
    for (args, signal) in COMMANDS.iter().zip(["-INT", "-TERM"].into_iter().cycle()) {
        let child = command(args, &path).spawn().expect("the binary runs");
        // Before the program installs its handler, a signal kills it: a busy machine may take long to start it.
        sleep(Duration::from_millis(1500));
        let pid = child.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().expect("a signal is sent");
        assert!(sent.success(), "{args:?} ended by itself");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(4), "{args:?} {signal}: {}", output_text(&output));
    }
}
