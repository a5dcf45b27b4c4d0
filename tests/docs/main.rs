//! Checks of the documents: their examples have no errors and their claims hold, the commands that they show exist and
//! print the output shown, the tables of diagnostics and methods are complete, and no link is dead.
//!
//! A fenced block of a document that begins with three backquotes and `bou` is a source file. Marks after it, separated
//! by commas, say more:
//!
//! * `bench`: the file that fragments of this document extend;
//! * `fragment`: items that are read after the bench;
//! * `fails CODE`: the file must raise that code;
//! * `file NAME`: the file is stored under that name, for the commands shown after it.
//!
//! A block `console` shows commands (`$ bouton ...`) with their output, in order; `...` stands for omitted lines. In a
//! game against the engine, `Red> a1` is typed input.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use bouton_base::limits::{Limits, NoProgress};
use bouton_driver::budget::Budget;
use bouton_driver::load::{GameSource, LoadRequest};
use bouton_driver::{check, solvers, test};
use bouton_search::solve::Solver;
use bouton_syntax::diag::{CODES, Diagnostic, Severity};

mod recording;

/// The number of positions of a file that are visited for a code that only exploration raises.
const MAX_EXPLORED_POSITIONS: u64 = 20_000;

struct FencedBlock {
    /// The document and line, for messages.
    place: String,
    /// The marks after the backquotes: the language first.
    marks: Vec<String>,
    text: String,
}

impl FencedBlock {
    fn is(&self, mark: &str) -> bool {
        self.marks.iter().any(|m| m == mark)
    }

    /// Returns the argument of a mark: the code of `fails`, the name of `file`.
    fn argument(&self, mark: &str) -> Option<&str> {
        self.marks.iter().find_map(|m| m.strip_prefix(mark)?.strip_prefix(' '))
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns `README.md` and the pages of `docs/`.
fn documents() -> Vec<PathBuf> {
    let pages = fs::read_dir(root().join("docs")).expect("the folder docs").flatten().map(|e| e.path());
    let mut found: Vec<PathBuf> = pages.filter(|p| p.extension().is_some_and(|e| e == "md")).collect();
    found.push(root().join("README.md"));
    found.sort();
    assert!(found.len() > 4, "the documents are there");
    found
}

fn name(document: &Path) -> String {
    document.file_stem().expect("a name").to_string_lossy().to_string()
}

fn blocks(document: &Path) -> Vec<FencedBlock> {
    let whole = fs::read_to_string(document).expect("a readable document");
    let mut found: Vec<FencedBlock> = Vec::new();
    let mut open = false;
    for (number, line) in whole.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(marks) if !open => {
                open = true;
                let marks = marks.split(',').map(|m| m.trim().to_string()).collect();
                let place = format!("{}:{}", document.display(), number + 1);
                found.push(FencedBlock { place, marks, text: String::new() });
            }
            Some(_) => open = false,
            None if open => {
                let text = &mut found.last_mut().expect("an open block").text;
                text.push_str(line);
                text.push('\n');
            }
            None => {}
        }
    }
    assert!(!open, "{}: a block is never closed", document.display());
    found
}

/// Returns the blocks that are source files, each with its complete source: a fragment has the bench in front.
fn texts(document: &Path) -> Vec<(FencedBlock, String)> {
    let mut bench = String::new();
    let mut found = Vec::new();
    for block in blocks(document) {
        if !block.is("bou") {
            continue;
        }
        if block.is("bench") {
            bench.clone_from(&block.text);
        }
        let whole = if block.is("fragment") { format!("{bench}{}", block.text) } else { block.text.clone() };
        found.push((block, whole));
    }
    found
}

/// Makes a folder of this test for one document.
fn folder(use_of_it: &str, document: &Path) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(use_of_it).join(name(document));
    fs::create_dir_all(&folder).expect("a folder for texts");
    folder
}

/// Loads the source as the commands do.
fn load(path: &Path, whole: &str) -> GameSource {
    fs::write(path, whole).expect("a text is written");
    let path = path.to_string_lossy().to_string();
    GameSource::read(&LoadRequest { path: &path, settings: &[], preset: None }).expect("a text is read")
}

fn describe_findings(found: &[Diagnostic]) -> String {
    found.iter().map(|d| format!("\n    {} {}", d.code, d.title)).collect()
}

#[test]
fn the_texts_have_no_errors_but_those_announced() {
    let mut wrong = String::new();
    for document in documents() {
        let folder = folder("check", &document);
        for (number, (block, whole)) in texts(&document).into_iter().enumerate() {
            let mut text = load(&folder.join(format!("{number}.bou")), &whole);
            let code = block.argument("fails");
            let limits = Limits::default();
            let explore = if code.is_some() { MAX_EXPLORED_POSITIONS } else { 0 };
            let found = check::check(
                &mut text,
                &check::CheckOptions { explore, limits: &limits, progress: &NoProgress },
            );
            let errors = found.diagnostics.iter().filter(|d| d.severity() == Severity::Error).count();
            let good = match code {
                Some(code) => found.diagnostics.iter().any(|d| d.code.name() == code),
                None => errors == 0,
            };
            if !good {
                let wanted = code.unwrap_or("no error");
                wrong +=
                    &format!("\n{}: {wanted} expected{}", block.place, describe_findings(&found.diagnostics));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_claims_of_the_texts_hold() {
    let mut wrong = String::new();
    for document in documents() {
        let folder = folder("test", &document);
        for (number, (block, whole)) in texts(&document).into_iter().enumerate() {
            if block.argument("fails").is_some() {
                continue;
            }
            let mut text = load(&folder.join(format!("{number}.bou")), &whole);
            let budget = Budget { time: Some(Duration::from_secs(60)), ..Budget::default() };
            let report = test::test(
                &mut text,
                &test::TestOptions { all: false, budget: &budget, progress: &NoProgress },
            );
            let failures = [report.errors, report.failures].concat();
            let unknown = report.unknown.iter().filter(|u| !u.reason.contains("--all"));
            let unknown: String = unknown.map(|u| format!("\n    {}: {}", u.text, u.reason)).collect();
            if !failures.is_empty() || !unknown.is_empty() {
                wrong += &format!("\n{}:{}{unknown}", block.place, describe_findings(&failures));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Returns the commands of a block, in order, without `$ bouton`.
fn commands(block: &FencedBlock) -> impl Iterator<Item = &str> {
    block.text.lines().filter_map(|line| line.strip_prefix("$ bouton"))
}

fn run(folder: &Path, words: &[String], typed: &str) -> (String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bouton"))
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bouton starts");
    // The typed input may continue after the end of the game.
    let _ = child.stdin.take().expect("an input").write_all(typed.as_bytes());
    let output = child.wait_with_output().expect("bouton ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).to_string();
    (text(&output.stdout), text(&output.stderr))
}

/// Splits a command into its arguments and removes quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (place, part) in command.split(['"', '\'']).enumerate() {
        if place % 2 == 1 {
            words.push(part.to_string());
        } else {
            words.extend(part.split_whitespace().map(str::to_string));
        }
    }
    words
}

#[test]
fn the_commands_exist_with_their_flags() {
    let (help, _) = run(root(), &["--help".into()], "");
    let mut wrong = String::new();
    for document in documents() {
        for block in blocks(&document) {
            for command in commands(&block) {
                let words = words(command);
                let Some(name) = words.first() else { continue };
                let known = help
                    .lines()
                    .any(|l| l.strip_prefix("  ").is_some_and(|l| l.starts_with(&format!("{name} "))));
                if !known {
                    wrong += &format!("\n{}: there is no command `{name}`", block.place);
                    continue;
                }
                let (own, _) = run(root(), &[name.clone(), "--help".into()], "");
                for flag in words.iter().filter(|w| w.starts_with("--")) {
                    if !own.split_whitespace().any(|w| w.trim_end_matches(',') == flag) {
                        wrong += &format!("\n{}: `{name}` has no `{flag}`", block.place);
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Checks that the lines shown occur in the output in this order; the error is the first line that does not.
fn occur(shown: &[&str], output: &str) -> Result<(), String> {
    let mut lines = output.lines().map(str::trim_end);
    for line in shown.iter().map(|l| l.trim_end()).filter(|l| !l.is_empty() && *l != "...") {
        if !lines.any(|l| l == line) {
            return Err(line.to_string());
        }
    }
    Ok(())
}

/// Returns the input that a player types in a line such as `Red> a1`.
fn typed(line: &str) -> Option<&str> {
    let (player, words) = line.split_once("> ")?;
    (!player.is_empty() && player.chars().all(char::is_alphanumeric)).then_some(words)
}

/// Copies the games, for commands such as `bouton solve games/nim.bou`.
fn copy_games(folder: &Path) {
    let to = folder.join("games");
    fs::create_dir_all(&to).expect("a folder for the games");
    for entry in fs::read_dir(root().join("games")).expect("the games").flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).expect("a game is copied");
    }
}

#[test]
fn the_commands_print_what_is_shown() {
    let mut wrong = String::new();
    for document in documents() {
        let folder = folder("console", &document);
        copy_games(&folder);
        for block in blocks(&document) {
            if let Some(name) = block.argument("file") {
                fs::write(folder.join(name), &block.text).expect("a text is written");
            }
            if !block.is("console") {
                continue;
            }
            let lines: Vec<&str> = block.text.lines().collect();
            let starts: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].starts_with("$ ")).collect();
            for (i, &start) in starts.iter().enumerate() {
                let end = starts.get(i + 1).copied().unwrap_or(lines.len());
                let Some(command) = lines[start].strip_prefix("$ bouton") else { continue };
                let input: String =
                    lines[start..end].iter().filter_map(|l| typed(l)).map(|w| format!("{w}\n")).collect();
                let shown: Vec<&str> =
                    lines[start + 1..end].iter().copied().filter(|l| typed(l).is_none()).collect();
                let (results, rest) = run(&folder, &words(command), &input);
                let both = [format!("{rest}\n{results}"), format!("{results}\n{rest}")];
                if let [Err(line), Err(_)] = both.each_ref().map(|output| occur(&shown, output)) {
                    wrong += &format!(
                        "\n{}: `bouton{command}` does not print this line in its place:\n{line}\n--- but\n{}",
                        block.place, both[0]
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_table_of_diagnostics_is_the_catalogue() {
    let page = fs::read_to_string(root().join("docs/diagnostics.md")).expect("docs/diagnostics.md");
    let first_word =
        |row: &str| row.trim_start_matches('|').split_whitespace().next().unwrap_or("").to_string();
    let is_code = |word: &String| {
        word.len() == 5 && word.starts_with(['E', 'W', 'N']) && word[1..].chars().all(|c| c.is_ascii_digit())
    };
    let mut listed: Vec<String> =
        page.lines().filter(|l| l.starts_with('|')).map(first_word).filter(is_code).collect();
    let mut known: Vec<String> = CODES.iter().map(|(code, _)| code.name().to_string()).collect();
    listed.sort();
    known.sort();
    assert_eq!(listed, known);
}

#[test]
fn the_table_of_methods_is_the_registry() {
    let page = fs::read_to_string(root().join("docs/solvers.md")).expect("docs/solvers.md");
    let row = |solver: &dyn Solver| format!("| `{}` | {} |\n", solver.name(), solver.description());
    let table: String = solvers::all().map(row).collect();
    assert!(page.contains(&format!("|---|---|\n{table}\n")), "docs/solvers.md lacks this table:\n{table}");
}

#[test]
fn links_lead_somewhere() {
    let mut wrong = String::new();
    for document in documents() {
        let whole = fs::read_to_string(&document).expect("a readable document");
        for (number, line) in whole.lines().enumerate() {
            for rest in line.split("](").skip(1) {
                let target = rest.split(')').next().unwrap_or("");
                let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
                if target.contains("://") {
                    continue;
                }
                let path = if file.is_empty() { document.clone() } else { document.with_file_name(file) };
                let place = format!("{}:{}", document.display(), number + 1);
                match fs::read_to_string(&path) {
                    Ok(page)
                        if anchor.is_empty()
                            || page.lines().any(|l| heading_anchor(l).is_some_and(|h| h == anchor)) => {}
                    Ok(_) => wrong += &format!("\n{place}: no heading `#{anchor}`"),
                    // Folders and pictures have no headings.
                    Err(_) if anchor.is_empty() && path.exists() => {}
                    Err(_) => wrong += &format!("\n{place}: no file `{file}`"),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Returns the anchor of a heading.
fn heading_anchor(line: &str) -> Option<String> {
    let words = line.starts_with('#').then(|| line.trim_start_matches('#').trim())?;
    let kept = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    Some(kept.collect::<String>().to_lowercase().replace(' ', "-"))
}

#[test]
fn lines_are_short() {
    let mut wrong = String::new();
    for document in documents() {
        let whole = fs::read_to_string(&document).expect("a readable document");
        for (number, line) in whole.lines().enumerate() {
            if line.chars().count() > 120 && !line.starts_with('|') {
                wrong += &format!("\n{}:{}", document.display(), number + 1);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
