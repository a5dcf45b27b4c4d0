//! The recording of a first minute at the terminal, `docs/pictures/first-minute.svg`: the commands are run, and their
//! output appears step by step.
//!
//! `BOUTON_BLESS=1 cargo test --test docs recording` writes it; otherwise the test compares.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use anstyle_svg::Term;

use crate::{folder, root, words};

/// The columns of the terminal.
const COLUMNS: usize = 100;
/// The rules with the condition of the move, and without it.
const CONDITION: &str = "  when stones <= pile;      // the move is legal only if this holds\n";
/// The commands, each with the seconds after which the next one begins.
const STEPS: [(&str, u32); 5] = [
    ("bouton new nim", 3),
    ("bouton solve nim.bou", 6),
    ("bouton test nim.bou", 3),
    ("sed -i '/when stones/d' nim.bou   # and without a rule?", 2),
    ("bouton check nim.bou", 10),
];

/// Runs a command of `bouton` in colours; what it prints on both channels, without times.
fn output(folder: &Path, command: &str) -> String {
    let run = Command::new(env!("CARGO_BIN_EXE_bouton"))
        .args(words(command.strip_prefix("bouton ").expect("a command of bouton")))
        .args(["--color", "always"])
        .env("COLUMNS", COLUMNS.to_string())
        .current_dir(folder)
        .output()
        .expect("bouton runs");
    let text = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    let timeless = |line: &str| match line.split_once(" positions in ") {
        Some((before, after)) => {
            let after = after.split_once(" s, ").map_or(after, |(_, after)| after);
            format!("{before} positions, {after}")
        }
        None => line.to_owned(),
    };
    text.lines().map(timeless).collect::<Vec<_>>().join("\n")
}

/// Breaks a line where the terminal does; escape sequences take no room.
fn wrapped(line: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let (mut column, mut is_escape) = (0, false);
    for letter in line.chars() {
        if column == COLUMNS && !is_escape && letter != '\x1b' {
            lines.push(String::new());
            column = 0;
        }
        lines.last_mut().expect("a line").push(letter);
        is_escape |= letter == '\x1b';
        column += usize::from(!is_escape);
        is_escape &= letter != 'm';
    }
    lines
}

/// The recording: every line with the second at which it appears.
fn recorded(folder: &Path) -> (Vec<(u32, String)>, u32) {
    let mut lines = Vec::new();
    let mut second = 1;
    for (command, duration) in STEPS {
        lines.extend(wrapped(&format!("$ {command}")).into_iter().map(|line| (second, line)));
        if command.starts_with("bouton") {
            let text = output(folder, command);
            lines.extend(text.lines().flat_map(wrapped).map(|line| (second + 1, line)));
        } else {
            let rules = fs::read_to_string(folder.join("nim.bou")).expect("rules");
            assert!(rules.contains(CONDITION), "{rules}");
            fs::write(folder.join("nim.bou"), rules.replace(CONDITION, "")).expect("rules are written");
        }
        lines.push((second + 1, String::new()));
        second += duration;
    }
    (lines, second)
}

/// Draws the recording as SVG whose lines appear at their times, again and again.
fn drawn(lines: &[(u32, String)], duration: u32) -> String {
    let text: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
    let svg = Term::new().min_width_px(COLUMNS * 84 / 10).render_svg(&text.join("\n"));
    let mut style = String::from("    @media (prefers-reduced-motion: no-preference) {\n");
    let mut times: Vec<u32> = lines.iter().map(|(second, _)| *second).collect();
    times.dedup();
    for second in times {
        let share = 100 * second / duration;
        let _ = writeln!(
            style,
            "      .at{second} {{ animation: at{second} {duration}s step-end infinite; }}\n      \
             @keyframes at{second} {{ 0% {{ visibility: hidden; }} {share}% {{ visibility: visible; }} }}"
        );
    }
    style.push_str("    }\n  </style>");
    let svg = svg.replacen("  </style>", &style, 1);
    // Each line is an element with a place of its own; the library ends it on a line that follows.
    let mut parts = svg.split("<tspan x=");
    let mut drawn = parts.next().expect("a beginning").to_owned();
    let parts: Vec<&str> = parts.collect();
    assert_eq!(parts.len(), lines.len(), "no line has a background");
    for ((second, _), part) in lines.iter().zip(parts) {
        let _ = write!(drawn, "<tspan class=\"at{second}\" x={part}");
    }
    drawn
}

#[test]
fn the_recording_is_what_the_commands_print() {
    let folder = folder("recording", Path::new("README.md"));
    let _ = fs::remove_file(folder.join("nim.bou"));
    let (lines, duration) = recorded(&folder);
    let expected = drawn(&lines, duration);
    let path = root().join("docs/pictures/first-minute.svg");
    if std::env::var_os("BOUTON_BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, &expected).expect("the recording is written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == expected,
        "the recording is old: BOUTON_BLESS=1 cargo test --test docs recording\n{expected}"
    );
}
