//! Recognises files of other kinds: documents, data, programs.

use std::ops::Range;

use super::lex::{TokenKind, lex};

/// A file that is no text of rules.
pub(super) struct Document {
    /// The place that shows it.
    pub range: Range<usize>,
    pub title: String,
    pub help: &'static str,
}

/// The encoding of a file that is no UTF-8 text, as far as its bytes show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// UTF-16.
    Utf16,
    /// Probably Latin-1, or another encoding with a byte for each letter.
    Latin1,
    /// No text at all.
    Binary,
    /// Nothing shows what it is.
    Unknown,
}

impl Encoding {
    /// The fact about the file: the title of a message.
    pub fn title(self) -> &'static str {
        match self {
            Encoding::Utf16 => "this file is in UTF-16",
            Encoding::Latin1 => "this file is not UTF-8 text: it looks like Latin-1",
            Encoding::Binary => "this is no text file",
            Encoding::Unknown => "this file is not UTF-8 text",
        }
    }

    /// The way out: the help of a message.
    pub fn help(self) -> &'static str {
        match self {
            Encoding::Utf16 => "save it as UTF-8, for instance by `iconv -f utf-16 -t utf-8 OLD > NEW`",
            Encoding::Latin1 => "save it as UTF-8, for instance by `iconv -f latin1 -t utf-8 OLD > NEW`",
            Encoding::Binary => "rules are plain text in UTF-8",
            Encoding::Unknown => "save the file as UTF-8",
        }
    }
}

/// Tells the encoding of a file that is no UTF-8 text, from its text with U+FFFD in place of the invalid bytes.
pub fn guess_encoding(text: &str) -> Encoding {
    let nulls = text.bytes().filter(|&byte| byte == 0).count();
    // The byte order mark of UTF-16 is two invalid bytes; of plain letters every second byte is 0, never two in a row.
    let has_mark = text.starts_with("\u{fffd}\u{fffd}") && nulls > 0;
    if has_mark || 3 * nulls > text.len() && !text.contains("\0\0") {
        return Encoding::Utf16;
    }
    let is_binary = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}');
    if text.chars().any(is_binary) {
        return Encoding::Binary;
    }
    let is_row = text.contains("\u{fffd}\u{fffd}\u{fffd}");
    match text.contains('\u{fffd}') && !is_row {
        true => Encoding::Latin1,
        false => Encoding::Unknown,
    }
}

/// Beginnings of files, with the kind of file and a way out.
const BEGINNINGS: [(&str, &str, &str); 28] = [
    ("bouton-certificate ", "a certificate", CERTIFICATE),
    ("(init ", "a game in standard GDL (KIF)", SHEET),
    ("[Event \"", "a record of games (PGN)", RECORD),
    ("[Site \"", "a record of games (PGN)", RECORD),
    ("(;", "a record of a game (SGF)", RECORD),
    ("digraph ", "a graph in the language of Graphviz (dot)", GRAPH),
    ("strict graph ", "a graph in the language of Graphviz (dot)", GRAPH),
    ("%!PS", "a PostScript document", PLAIN_TEXT),
    ("EFG ", "a game tree in Gambit's format", RULES),
    ("NFG ", "a matrix game in Gambit's format", RULES),
    ("{\\rtf", "a rich-text document (RTF)", PLAIN_TEXT),
    ("%PDF", "a PDF document", PLAIN_TEXT),
    ("<!DOCTYPE", "a web page (HTML)", PLAIN_TEXT),
    ("<html", "a web page (HTML)", PLAIN_TEXT),
    ("<?xml", "an XML document", PLAIN_TEXT),
    ("<svg", "a picture (SVG)", PLAIN_TEXT),
    ("{\"", "data in JSON", RULES),
    ("[{", "data in JSON", RULES),
    ("(role ", "a game in standard GDL (KIF)", SHEET),
    ("(game ", "a game in Ludii's language", RULES),
    ("(define ", "a text in PDDL, the language of planners", RULES),
    ("#players", "a game in the language of Regular Boardgames", RULES),
    ("role(", "a game in GDL, written as in Prolog", RULES),
    ("---\n", "data in YAML", RULES),
    ("(version ", "a game of Zillions of Games", RULES),
    ("\\documentclass", "a document in LaTeX", PLAIN_TEXT),
    ("CREATE TABLE", "a script for a database (SQL)", RULES),
    ("SELECT ", "a script for a database (SQL)", RULES),
];

/// Beginnings of lines that programs have and rules have not, with the name of the language.
const PROGRAM_LINES: [(&str, &str); 22] = [
    ("import ", "Python"),
    ("from ", "Python"),
    ("class ", "Python"),
    ("def __", "Python"),
    ("if __name__", "Python"),
    ("#include", "C"),
    ("#define", "C"),
    ("using namespace", "C++"),
    ("package ", "Java or Go"),
    ("public ", "Java"),
    ("fn main", "Rust"),
    ("impl ", "Rust"),
    ("pub fn ", "Rust"),
    ("console.log", "JavaScript"),
    ("module.exports", "JavaScript"),
    ("export default", "JavaScript"),
    ("function ", "JavaScript or Lua"),
    ("local ", "Lua"),
    ("module ", "Haskell"),
    ("(defun ", "Lisp"),
    ("#!/", "a shell"),
    ("CREATE TABLE", "SQL"),
];

const PLAIN_TEXT: &str = "copy the rules into a file of plain text, as a text editor saves it";
const SHEET: &str = "give the file a name that ends in `.kif`: all commands read such sheets, and `bouton import` writes them as rules";
const CERTIFICATE: &str = "`bouton verify FILE` checks it; the rules are a file that ends in `.bou`";
const RECORD: &str = "it tells moves, not rules: the moves of a game stand in `test \"name\" { play ...; }`";
const GRAPH: &str = "a file of rules begins with `game \"Name\";`, and declares such a board by `board Point = graph { a - b; c -> d; };`";
const RULES: &str =
    "a file of rules begins with `game \"Name\";` and says the rules: `bouton new` writes one to start from";

/// Returns the kind of a file that has no `game` and looks like something else. A file with readable items, which may be a
/// library, counts as a program only for two lines.
pub(super) fn recognize(text: &str, has_items: bool) -> Option<Document> {
    let start = start_behind_comments(text);
    let rest = &text[start..];
    let squeezed: String = rest.chars().take(64).filter(|c| !c.is_whitespace() || *c == ' ').collect();
    let compact = squeezed.replace("{ \"", "{\"").replace("[ {", "[{");
    let first_line = || start..start + rest.lines().next().unwrap_or_default().trim_end().len();
    let is_of_zillions =
        rest.starts_with("(game") && (text.contains("(title \"") || text.contains("(turn-order"));
    if is_of_zillions {
        let title = "this file is a game of Zillions of Games".to_owned();
        return Some(Document { range: first_line(), title, help: RULES });
    }
    for (beginning, kind, help) in BEGINNINGS {
        if compact.starts_with(beginning) {
            let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
            return Some(Document {
                range: start..start + length,
                title: format!("this file is {kind}"),
                help,
            });
        }
    }
    if let Some(marks) = copied_marks(text).or_else(|| words_before_rules(text)) {
        return Some(marks);
    }
    if text.lines().any(|line| line.trim_start().starts_with("game \"")) {
        return None;
    }
    if rest.starts_with("graph ") && text.contains("--") {
        let title = "this file is a graph in the language of Graphviz (dot)".to_owned();
        return Some(Document { range: first_line(), title, help: GRAPH });
    }
    if let Some(kind) = kind_by_lines(text) {
        return Some(Document { range: first_line(), title: format!("this file is {kind}"), help: RULES });
    }
    let mut lines = program_lines(text);
    let (range, language) = lines.next()?;
    if has_items && lines.next().is_none() {
        return None;
    }
    let title = format!("this file looks like a program ({language}), not like rules");
    Some(Document { range, title, help: RULES })
}

/// The number of lines from which on numbers before all of them are no part of the text.
const MIN_NUMBERED_LINES: usize = 3;

/// Marks that a program has left in a text: of a merge, of a patch, of a mail, or the numbers of the lines.
fn copied_marks(text: &str) -> Option<Document> {
    let line_at = |start: usize| start..start + text[start..].lines().next().unwrap_or_default().len();
    let starts = || std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let document = |start: usize, title: &str, help: &'static str| {
        Some(Document { range: line_at(start), title: title.to_owned(), help })
    };
    let begins = |marks: &[&str]| starts().find(|&at| marks.iter().any(|mark| text[at..].starts_with(mark)));
    if let (Some(start), Some(_)) = (begins(&["<<<<<<< ", "<<<<<<<\n"]), begins(&[">>>>>>> ", ">>>>>>>\n"])) {
        let help = "keep one of the two versions, or both, and delete the lines with `<<<<<<<`, `=======` and `>>>>>>>`";
        return document(start, "here are the marks of a merge that is not finished", help);
    }
    let is_patch = begins(&["@@ -"]).is_some() && begins(&["+++ ", "diff "]).is_some();
    if let Some(start) = begins(&["diff ", "--- ", "@@ -"]).filter(|_| is_patch) {
        let help = "it changes a file of rules: apply it there, by `git apply FILE` or `patch < FILE`";
        return document(start, "this file is a patch (diff), not the rules themselves", help);
    }
    let lines: Vec<(usize, &str)> =
        starts().map(|at| (at, &text[line_at(at)])).filter(|(_, line)| !line.trim().is_empty()).collect();
    let &(first, _) = lines.first()?;
    if lines.len() >= 2 && lines.iter().all(|(_, line)| line.trim_start().starts_with('>')) {
        let help = "delete the `>` at the beginning of each line";
        return document(first, "each line begins with `>`, as in a quoted mail", help);
    }
    let number = |line: &str| -> Option<usize> {
        let line = line.trim_start();
        let length = line.bytes().take_while(u8::is_ascii_digit).count();
        let is_apart =
            line[length..].is_empty() || line[length..].starts_with([' ', '\t', ':', '|', '.', ')']);
        line[..length].parse().ok().filter(|_| is_apart)
    };
    let numbers: Option<Vec<usize>> = lines.iter().map(|(_, line)| number(line)).collect();
    let numbers = numbers.filter(|numbers| numbers.len() >= MIN_NUMBERED_LINES)?;
    if numbers.windows(2).all(|pair| pair[0] < pair[1]) {
        let help = "delete the numbers at the beginning of the lines";
        return document(first, "the lines begin with their numbers", help);
    }
    None
}

/// A sentence above the rules, as a program that has written them begins its answer.
fn words_before_rules(text: &str) -> Option<Document> {
    let is_game = |line: &str| line.trim_start().starts_with("game \"");
    let start = text.len() - text.trim_start().len();
    let before: Vec<&str> = text[start..].lines().take_while(|line| !is_game(line)).collect();
    let has_game = text[start..].lines().any(is_game);
    let words = before.iter().flat_map(|line| line.split_whitespace());
    let is_word = |word: &&str| word.chars().all(|c| c.is_alphabetic() || ".,'!?:-\u{2019}".contains(c));
    let first = before.first()?.split_whitespace().next()?;
    let is_item = crate::keywords::ITEM_KEYWORDS.contains(&first) || !first.starts_with(char::is_alphabetic);
    let is_text = words.clone().count() >= 3 && words.filter(|word| !is_word(word)).count() == 0;
    (has_game && is_text && !is_item).then(|| Document {
        range: start..start + before[0].trim_end().len(),
        title: "words stand before the rules".to_owned(),
        help: "delete what stands before `game \"...\";`, or write `//` before each line of it",
    })
}

/// The kind of a file in a language of specification, by its lines.
fn specification(text: &str, lines: &[&str]) -> Option<&'static str> {
    let count = |is: &dyn Fn(&str) -> bool| lines.iter().filter(|line| is(line)).count();
    let begins =
        |words: &'static [&'static str]| count(&|line: &str| words.iter().any(|word| line.starts_with(word)));
    if lines.first()?.starts_with("----") && text.contains(" MODULE ") {
        return Some("a specification in TLA+");
    }
    if begins(&["solve satisfy", "solve minimize", "solve maximize"]) > 0 {
        return Some("a model in MiniZinc");
    }
    let has_types = count(&|line: &str| line.starts_with("inductive ") && line.ends_with(" where")) > 0;
    if has_types || begins(&["theorem ", "lemma ", "import Mathlib", "#eval ", "#check "]) >= 2 {
        return Some("a text in Lean, a language of proofs");
    }
    if begins(&["sig ", "one sig ", "abstract sig "]) > 0 && begins(&["fact ", "pred ", "run ", "open "]) > 0
    {
        return Some("a model in Alloy");
    }
    if begins(&["proctype ", "active proctype", "active [", "init {"]) > 0 {
        return Some("a model in Promela, the language of SPIN");
    }
    let is_chain = matches!(*lines.first()?, "dtmc" | "ctmc" | "mdp" | "pta" | "pomdp" | "smg" | "csg");
    if count(&|line| line == "endmodule") > 0 && (is_chain || text.contains("->")) {
        return Some("a model in PRISM");
    }
    if count(&|line| line == "MODULE main") > 0 && begins(&["VAR", "ASSIGN", "INIT", "TRANS", "DEFINE"]) > 0 {
        return Some("a model in SMV");
    }
    let has_rules = count(&|line| line.ends_with('.') && line.contains(":-")) > 0;
    if has_rules
        && (begins(&["#show ", "#const ", "#minimize", "#maximize", "#program "]) > 0
            || begins(&[":- ", "{"]) >= 2)
    {
        return Some("an answer set program");
    }
    (begins(&["(declare-", "(assert ", "(check-sat)"]) >= 2).then_some("a problem in SMT-LIB")
}

/// The first character that is no blank, behind the comments of a sheet in GDL, `; ...`, if it begins with some.
fn start_behind_comments(text: &str) -> usize {
    let first = text.len() - text.trim_start().len();
    let mut start = first;
    while text[start..].starts_with(';') {
        let rest = &text[start..];
        let line = rest.find('\n').map_or(rest.len(), |end| end + 1);
        start += line + rest[line..].len() - rest[line..].trim_start().len();
    }
    if text[start..].starts_with('(') { start } else { first }
}

/// The sections of a game of PuzzleScript.
const SECTIONS: [&str; 7] =
    ["OBJECTS", "LEGEND", "SOUNDS", "COLLISIONLAYERS", "RULES", "WINCONDITIONS", "LEVELS"];

/// The kind of a file, by the forms of its lines.
fn kind_by_lines(text: &str) -> Option<&'static str> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let first = *lines.first()?;
    let count = |is: &dyn Fn(&str) -> bool| lines.iter().filter(|line| is(line)).count();
    if count(&|line| SECTIONS.contains(&line.to_ascii_uppercase().as_str())) >= 2 {
        return Some("a game of PuzzleScript");
    }
    if let Some(kind) = specification(text, &lines) {
        return Some(kind);
    }
    let has_clauses = text.contains(';');
    let is_pair = |line: &str, sign: char| {
        let key = line.trim_start_matches(['-', ' ']).split_once(sign);
        key.is_some_and(|(key, _)| {
            !key.trim().is_empty()
                && key.trim().chars().all(|c| c == '_' || c == '"' || c.is_ascii_alphanumeric())
        })
    };
    let is_table = |line: &str| line.starts_with('[') && line.ends_with(']') && !line.contains(',');
    if !has_clauses && is_table(first) && count(&|line| is_pair(line, '=')) >= 1 {
        return Some("data in TOML");
    }
    let is_entry = |line: &str| {
        line.strip_prefix("- ")
            .is_some_and(|entry| entry.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()))
    };
    let pairs = count(&|line| is_pair(line, ':'));
    let entries = count(&|line| is_entry(line));
    if !has_clauses && pairs >= 2 && (pairs + entries) * 4 >= lines.len() * 3 {
        return Some("data in YAML");
    }
    let is_prolog = text.contains(":-") && count(&|line| line.ends_with('.')) * 2 > lines.len();
    if is_prolog && !has_clauses && lines.len() >= 2 {
        return Some("a program in Prolog");
    }
    let is_row = |line: &str| line.matches(',').count() == first.matches(',').count();
    if !text.contains([';', '{', '=', '('])
        && first.contains(',')
        && lines.len() >= 2
        && count(&is_row) == lines.len()
    {
        return Some("a table of values separated by commas (CSV)");
    }
    if text.contains(":-") && count(&|line| line.ends_with(").")) >= 2 {
        return Some("a program in Prolog");
    }
    let is_heading = first.starts_with("# ") || first.starts_with("## ");
    if !has_clauses && is_heading {
        return Some("a document in Markdown");
    }
    let words =
        text.split_whitespace().filter(|word| word.chars().all(|c| c.is_alphabetic() || ".,'-".contains(c)));
    let is_prose = !text.contains(['{', ';', '=', '(']) && words.count() >= 8 && text.contains('.');
    is_prose.then_some("a text in plain words, for people")
}

/// The lines that programs have, outside of comments, each with the name of the language.
fn program_lines(text: &str) -> impl Iterator<Item = (Range<usize>, &'static str)> {
    let begins_line = |start: usize| {
        let before = text[..start].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', '\r'])
    };
    let tokens = lex(text).into_iter().filter(|token| !token.is_comment() && token.kind != TokenKind::Doc);
    tokens.filter(move |token| begins_line(token.start)).filter_map(|token| {
        let line = text[token.start..].lines().next().unwrap_or_default();
        let (_, language) = PROGRAM_LINES.iter().find(|(beginning, _)| line.starts_with(beginning))?;
        Some((token.start..token.start + line.trim_end().len(), *language))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_told_apart() {
        let guess = |bytes: &[u8]| guess_encoding(&String::from_utf8_lossy(bytes));
        assert_eq!(guess(b"\xff\xfeg\0a\0m\0e\0"), Encoding::Utf16);
        assert_eq!(guess(b"\0g\0a\0m\0e"), Encoding::Utf16);
        assert_eq!(guess(b"game \"f\xfcr\";\n"), Encoding::Latin1);
        assert_eq!(guess(b"\x7fELF\x02\x01\xff"), Encoding::Binary);
        assert_eq!(guess(b"\x7fELF\x02\0\0\0\0\0\0\x90"), Encoding::Binary);
    }

    #[test]
    fn files_of_other_kinds_are_recognized() {
        let title = |text: &str| recognize(text, false).map(|found| found.title);
        assert!(title("{\\rtf1\\ansi game \"X\"; }").is_some_and(|title| title.contains("RTF")));
        assert!(title("\n { \"a\": 1 }").is_some_and(|title| title.contains("JSON")));
        let python = "x = 1\nimport random\n";
        let found = recognize(python, false).expect("a program");
        assert_eq!(&python[found.range], "import random");
        assert_eq!(title("game \"G\";\nimport x"), None);
        assert_eq!(title("players X, O;\n\ngame \"G\";\n"), None);
        assert_eq!(title("// one\ngame \"G\";\n"), None);
        assert_eq!(title("def f(n: 0..3) = n;\n"), None, "a library");
        assert_eq!(title("// from here on\n/* a\nimport x */ def f = 1;\n"), None, "comments");
        let kinds = [
            ("title A\n\nOBJECTS\nWall\n\nLEGEND\n. = Wall\n", "PuzzleScript"),
            ("(game\n  (title \"A\")\n)", "Zillions"),
            ("(game \"A\" (players 2))", "Ludii"),
            ("(define (domain a))", "PDDL"),
            ("#players = white(100)\n", "Regular Boardgames"),
            ("p(a).\nq(X) :- p(X).\nr(X) :- q(X), p(X).\n", "Prolog"),
            ("game: A\nplayers: [X, O]\n", "YAML"),
            ("[game]\nname = \"A\"\n", "TOML"),
            ("# A\n\nTwo players.\n", "Markdown"),
            ("move(X, Y) :- X > 0, Y is X - 1.\nwin(X) :- move(X, Y), \\+ win(Y).\n", "Prolog"),
            ("player,move\nA,1\nB,2\n", "CSV"),
            ("\\documentclass{article}\n\\begin{document}\nNim.\n", "LaTeX"),
            ("CREATE TABLE board (x INT);\nSELECT COUNT(*) FROM board;\n", "SQL"),
            ("module Nim where\nmoves n = [n - 1]\n", "Haskell"),
            ("local game = {}\nfunction game.moves(n) end\n", "Lua"),
            ("const game = { pile: 9 };\nmodule.exports = game;\n", "JavaScript"),
            ("struct Nim { pile: u8 }\nimpl Nim { }\n", "Rust"),
            ("[Event \"A\"]\n[White \"B\"]\n\n1. e4 e5 1-0\n", "PGN"),
            ("(;FF[4]SZ[9];B[ee];W[ec])\n", "SGF"),
            ("---- MODULE Nim ----\nVARIABLES n\nInit == n = 5\n====\n", "TLA+"),
            ("int: n = 8;\nvar 1..n: q;\nconstraint q > 2;\nsolve satisfy;\n", "MiniZinc"),
            ("game: A\nplayers:\n  - X\n  - O\nboard:\n  size: [3, 3]\n", "YAML"),
            ("graph G {\n  a -- b;\n}\n", "Graphviz"),
            ("inductive Player where\n  | X | O\n\ndef f : Player -> Player\n", "Lean"),
            ("sig Cell {}\npred f { no Cell }\nrun f for 3\n", "Alloy"),
            ("mtype = { X };\nactive proctype game() {\n  do\n  od\n}\n", "Promela"),
            ("dtmc\nmodule die\n  s : [0..2];\n  [] s=0 -> (s'=1);\nendmodule\n", "PRISM"),
            ("MODULE main\nVAR n : 0..3;\nASSIGN init(n) := 3;\n", "SMV"),
            ("#const n=3.\n{ mark(X) : cell(X) } = 1 :- turn(P).\n#show mark/1.\n", "answer set"),
            ("(declare-const n Int)\n(assert (> n 2))\n(check-sat)\n", "SMT-LIB"),
            ("--- a/x.bou\n+++ b/x.bou\n@@ -1,2 +1,2 @@\n game \"A\";\n-players X, Y;\n", "patch"),
            ("game \"A\";\n<<<<<<< HEAD\nplayers X, Y;\n=======\n>>>>>>> b\n", "merge"),
            ("  1 game \"A\";\n  2 players X, Y;\n  3 \n  4 play normal;\n", "numbers"),
            ("> game \"A\";\n> players X, Y;\n", "`>`"),
            ("Sure! Here are the rules:\n\ngame \"A\";\nplayers X, Y;\n", "before the rules"),
            ("Two players take turns on a board. The last one to move wins.\n", "plain words"),
        ];
        for (text, kind) in kinds {
            assert!(title(text).is_some_and(|title| title.contains(kind)), "{kind}: {:?}", title(text));
        }
        let twice = "import os\nfrom x import y\n";
        assert!(recognize("from 3 on;\n", true).is_none() && recognize(twice, true).is_some());
    }
}
