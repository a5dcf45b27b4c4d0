//! The extension for Visual Studio Code: its TextMate grammar is made from the keywords of `grammar/bouton.pest`, and
//! read by the editor's own library where node has it. The words that the editor of `bouton serve` colours are made from
//! the same lists.
//!
//! `BOUTON_BLESS=1 cargo test --test vscode` writes the grammar and the words; otherwise the test compares.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use bouton_syntax::keywords::{ITEM_KEYWORDS, OTHER_KEYWORDS, RESERVED_WORDS, STATEMENT_KEYWORDS};
use serde_json::{Value, json};

/// The grammar of the language.
const PEST: &str = include_str!("../grammar/bouton.pest");
/// The time after which packages are not waited for.
const INSTALL_TIME: Duration = Duration::from_secs(25);

fn extension() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar/vscode")
}

/// The keywords of the grammar: the words of rules that end with `!idc`, and of the quantifiers.
fn keywords() -> BTreeSet<&'static str> {
    let rules = PEST.lines().filter(|line| line.contains("~ !idc }") && line.contains('"'));
    let quoted = rules.flat_map(|line| line.split('"').skip(1).step_by(2));
    let words: BTreeSet<&str> =
        quoted.chain(RESERVED_WORDS).filter(|word| word.bytes().all(|b| b.is_ascii_lowercase())).collect();
    assert!(words.len() > 90, "{words:?}");
    words
}

/// The words that begin an item: the keywords and flags that the rules of `decl` begin with.
fn item_keywords(all: &BTreeSet<&'static str>) -> Vec<&'static str> {
    let begins = PEST.lines().filter(|line| line.contains("_decl = { "));
    let mut words = BTreeSet::new();
    for line in begins {
        let body = line.split_once("= { ").expect("a rule").1;
        let first = body.split('~').next().expect("a part");
        let names = first.split(|c: char| !c.is_ascii_alphabetic() && c != '_');
        words.extend(names.filter_map(|name| all.get(name.to_lowercase().as_str())));
        // Flags come before `move` and `chance`.
        if first.contains('*') {
            words.extend(
                ["MOVE", "CHANCE"]
                    .iter()
                    .filter(|word| line.contains(**word))
                    .filter_map(|word| all.get(word.to_lowercase().as_str())),
            );
        }
    }
    words.insert("player");
    words.into_iter().collect()
}

/// Words that are operators, values, types, and variables of the language.
const OPERATORS: [&str; 8] = ["and", "or", "not", "implies", "iff", "in", "is", "mod"];
const CONSTANTS: [&str; 3] = ["true", "false", "none"];
const TYPES: [&str; 3] = ["set", "list", "bool"];
const VARIABLES: [&str; 4] = ["me", "opponent", "mover", "phase"];

/// The keywords by their kind.
struct KeywordKinds {
    /// Words that begin an item.
    items: Vec<&'static str>,
    /// Reserved words of no special kind.
    reserved: Vec<&'static str>,
    /// Words that may be names.
    contextual: Vec<&'static str>,
}

impl KeywordKinds {
    fn new() -> KeywordKinds {
        let all = keywords();
        let items = item_keywords(&all);
        let special =
            |word: &str| OPERATORS.contains(&word) || CONSTANTS.contains(&word) || TYPES.contains(&word);
        let reserved =
            all.iter().copied().filter(|word| RESERVED_WORDS.contains(word) && !special(word)).collect();
        let contextual = all
            .iter()
            .copied()
            .filter(|word| !RESERVED_WORDS.contains(word) && !items.contains(word))
            .collect();
        KeywordKinds { items, reserved, contextual }
    }
}

/// The TextMate grammar: comments, strings, numbers, keywords by their kind.
fn textmate() -> Value {
    let KeywordKinds { items, reserved, contextual } = KeywordKinds::new();
    let words = |words: &[&str]| format!(r"\b({})\b", words.join("|"));
    json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "information": "Made from grammar/bouton.pest by `BOUTON_BLESS=1 cargo test --test vscode`.",
        "name": "Bouton",
        "scopeName": "source.bouton",
        "patterns": [
            { "include": "#comments" },
            { "include": "#strings" },
            { "name": "constant.numeric.bouton", "match": r"\b[0-9]+(\.[0-9]+)?\b" },
            { "name": "keyword.other.item.bouton", "match": format!(r"^\s*({})\b(?!\s*(:=|[\[(.:=]))", items.join("|")) },
            { "name": "keyword.operator.word.bouton", "match": words(&OPERATORS) },
            { "name": "constant.language.bouton", "match": words(&CONSTANTS) },
            { "name": "storage.type.bouton", "match": words(&TYPES) },
            { "name": "keyword.control.bouton", "match": words(&reserved) },
            // These words may be names: followed by a bracket, a colon or an equals sign they mostly are.
            { "name": "keyword.other.bouton", "match": format!(r"{}(?=\s+[\w\x22#{{-]|\s*[;{{])", words(&contextual)) },
            { "name": "variable.language.bouton", "match": words(&VARIABLES) },
            { "name": "entity.name.type.bouton", "match": r"\b[A-Z][A-Za-z0-9_]*\b" },
            { "name": "entity.name.function.bouton", "match": r"\b[A-Za-z_][A-Za-z0-9_]*(?=\()" },
            { "name": "keyword.operator.bouton", "match": r":=|\+=|-=|\|=|<-|->|=>|==|!=|<=|>=|\.\.|[-+*/|&=<>#?]" },
        ],
        "repository": {
            "comments": {
                "patterns": [
                    { "name": "comment.line.documentation.bouton", "match": r"//[/!](?!/).*$" },
                    { "name": "comment.line.double-slash.bouton", "match": r"//.*$" },
                    { "include": "#block_comment" },
                ],
            },
            "block_comment": {
                "name": "comment.block.bouton",
                "begin": r"/\*",
                "end": r"\*/",
                "patterns": [{ "include": "#block_comment" }],
            },
            "strings": {
                "patterns": [
                    { "name": "string.quoted.triple.bouton", "begin": "\"\"\"", "end": "\"\"\"" },
                    {
                        "name": "string.quoted.double.bouton",
                        "begin": "\"",
                        "end": "\"|$",
                        "patterns": [
                            { "name": "constant.character.escape.bouton", "match": r"\\." },
                            { "name": "meta.embedded.bouton", "match": r"\{[^{}\x22]*\}" },
                        ],
                    },
                ],
            },
        },
    })
}

#[test]
fn the_textmate_grammar_has_the_keywords_of_the_language() {
    let path = extension().join("syntaxes/bouton.tmLanguage.json");
    let expected = format!("{:#}\n", textmate());
    if std::env::var_os("BOUTON_BLESS").is_some() {
        fs::write(&path, &expected).expect("the grammar is written");
    }
    let written = fs::read_to_string(&path).expect("the grammar");
    assert!(written == expected, "the grammar is old: BOUTON_BLESS=1 cargo test --test vscode");
}

#[test]
fn the_editor_of_the_explorer_has_the_keywords_of_the_language() {
    let KeywordKinds { items, reserved, contextual } = KeywordKinds::new();
    let words = json!({
        "information": "Made from grammar/bouton.pest by `BOUTON_BLESS=1 cargo test --test vscode`.",
        "items": items,
        "reserved": reserved,
        "contextual": contextual,
        "types": TYPES,
        "constants": CONSTANTS,
        "operators": OPERATORS,
        "variables": VARIABLES,
    });
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/serve/editor/keywords.json");
    let expected = format!("{words:#}\n");
    if std::env::var_os("BOUTON_BLESS").is_some() {
        fs::write(&path, &expected).expect("the words are written");
    }
    let written = fs::read_to_string(&path).expect("the words");
    assert!(written == expected, "the words are old: BOUTON_BLESS=1 cargo test --test vscode");
}

#[test]
fn the_lists_of_keywords_are_those_of_the_grammar() {
    let all = keywords();
    let items = item_keywords(&all);
    let mut listed = ITEM_KEYWORDS.to_vec();
    listed.sort_unstable();
    assert_eq!(items, listed);
    let unknown: Vec<_> = [&STATEMENT_KEYWORDS[..], &OTHER_KEYWORDS[..]]
        .concat()
        .into_iter()
        .filter(|word| !all.contains(word))
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// True if the command runs.
fn is_there(command: &str) -> bool {
    let run = Command::new(command).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}

/// The folder with the editor's library for TextMate grammars; `None`, with a message, where it cannot be had.
fn textmate_library() -> Option<PathBuf> {
    if !is_there("node") || !is_there("npm") {
        println!("node or npm is not there: the grammar is not read by the editor's library");
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("textmate");
    fs::create_dir_all(&folder).expect("a folder");
    for name in ["package.json", "package-lock.json", "tokens.js"] {
        fs::copy(extension().join("test/textmate").join(name), folder.join(name)).expect("a copy");
    }
    if folder.join("node_modules/vscode-textmate").is_dir() {
        return Some(folder);
    }
    let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    let child = Command::new("npm")
        .args(install)
        .current_dir(&folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.expect("npm runs");
    let begun = Instant::now();
    while begun.elapsed() < INSTALL_TIME {
        match child.try_wait().expect("npm runs") {
            Some(status) if status.success() => return Some(folder),
            Some(_) => break,
            None => thread::sleep(Duration::from_millis(50)),
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    println!("npm has no vscode-textmate: the grammar is not read by the editor's library");
    None
}

/// Lines with the scopes that some of their words have.
const SAMPLE: &[(&str, &str, &str)] = &[
    ("board Cell = grid(3, 3);", "board", "keyword.other.item.bouton"),
    ("board Cell = grid(3, 3);", "Cell", "entity.name.type.bouton"),
    ("board Cell = grid(3, 3);", "grid", "entity.name.function.bouton"),
    ("  when board[c] = none;", "when", "keyword.control.bouton"),
    ("  when board[c] = none;", "none", "constant.language.bouton"),
    ("  hand: 0..9 = 9 visible to me;", "visible", "keyword.other.bouton"),
    ("  hand: 0..9 = 9 visible to me;", "me", "variable.language.bouton"),
    ("  x: set of 1..9 = {};", "set", "storage.type.bouton"),
    ("  d not in { N } mod 2 /* a /* b */ c */ 1", "mod", "keyword.operator.word.bouton"),
    ("  d not in { N } mod 2 /* a /* b */ c */ 1", " c ", "comment.block.bouton"),
    ("  d not in { N } mod 2 /* a /* b */ c */ 1", "1", "constant.numeric.bouton"),
    ("move go(a: Cell) as \"{a}\\\"x\" { }", "{a}", "meta.embedded.bouton"),
    ("move go(a: Cell) as \"{a}\\\"x\" { }", "x", "string.quoted.double.bouton"),
    ("/// The cells.", "/// The cells.", "comment.line.documentation.bouton"),
    ("//// A rule.", "//// A rule.", "comment.line.double-slash.bouton"),
    ("  value[c] := 1;", "value[c]", ""),
    ("play normal;", "normal", "keyword.other.bouton"),
    ("expect perft 3 = 504;", "perft", "keyword.other.bouton"),
];

#[test]
fn the_editor_reads_the_grammar() {
    let Some(folder) = textmate_library() else { return };
    let sample = folder.join("sample.bou");
    let lines: Vec<&str> = SAMPLE.iter().map(|(line, ..)| *line).collect();
    fs::write(&sample, lines.join("\n")).expect("a sample");
    let games = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("games")).expect("games");
    let mut files: Vec<PathBuf> = games.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "bou"));
    files.sort();
    files.insert(0, sample);
    let grammar = extension().join("syntaxes/bouton.tmLanguage.json");
    let run = Command::new("node").arg("tokens.js").arg(grammar).args(&files).current_dir(&folder).output();
    let run = run.expect("node runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let answers: Vec<Value> = serde_json::from_slice(&run.stdout).expect("JSON");
    for (index, (line, word, scope)) in SAMPLE.iter().enumerate() {
        let tokens = answers[0]["lines"][index].as_array().expect("tokens");
        let fits = |token: &&Value| token[0].as_str().is_some_and(|text| text.trim() == word.trim());
        let token = tokens.iter().rfind(fits).unwrap_or_else(|| panic!("no `{word}` in {tokens:?}"));
        let innermost = token[1].as_array().and_then(|scopes| scopes.last()).and_then(Value::as_str);
        assert_eq!(innermost.unwrap_or_default(), *scope, "`{word}` in {line}: {tokens:?}");
    }
    // No comment or string of a game stays open.
    for (file, answer) in files.iter().zip(&answers) {
        assert_eq!(answer["depth"], 1, "{}", file.display());
    }
}

#[test]
fn the_extension_registers_its_commands() {
    if !is_there("node") {
        println!("node is not there: the extension is not run");
        return;
    }
    let run = Command::new("node")
        .args(["--test", "test/extension.test.js"])
        .env("BOUTON_COMMAND", env!("CARGO_BIN_EXE_bouton"))
        .current_dir(extension())
        .output();
    let run = run.expect("node runs");
    assert!(
        run.status.success(),
        "{}{}",
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr)
    );
}
