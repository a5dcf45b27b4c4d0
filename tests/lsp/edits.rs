//! Random edits of a long file: the server never ends, and after each edit its diagnostics are those of a fresh check.

use bouton_base::limits::{Limits, NoProgress};
use bouton_base::random::SplitMix;
use bouton_base::source::Span;
use bouton_driver::check::{CheckOptions, check};
use bouton_driver::load::GameSource;
use bouton_project::RuleFiles;
use serde_json::{Value, json};

use crate::client::{Client, position};

/// The number of edits in a run of all tests, and with `BOUTON_SLOW=1`.
const EDITS: u64 = 300;
const SLOW_EDITS: u64 = 10_000;
/// The number of edits after which the text is the original again.
const EDITS_PER_TEXT: u64 = 25;

/// The number of edits after which everything is asked for at a random place.
const EDITS_PER_QUESTION: u64 = 4;

const URI: &str = "untitled:chess.bou";
const GAME: &str = include_str!("../../games/chess.bou");

/// Pieces of text that a person types, sound and not.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ".",
    "=",
    ":=",
    "\"",
    "/*",
    "//",
    "\n",
    " ",
    "0",
    "9999999999",
    "at",
    "me",
    "move",
    "state {",
    "when ",
    "def f(x: Cell) = ",
    "some x in Cell: ",
    "none",
    "\u{e9}",
    "\u{1f600}",
    "\r\n",
    "use \"std/lines\";",
    "game \"Two\";",
    "White",
    "not ",
    "Piece(me, pawn)",
    "expect first wins;",
    "match p { _ => 1 }",
    "diagram \"\"\"",
];

/// A random number below a bound.
fn below(random: &mut SplitMix, bound: u64) -> u64 {
    random.word() % bound
}

/// A random change: a range with its new text.
fn random_edit(random: &mut SplitMix, text: &str) -> (usize, usize, String) {
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary(below(random, text.len() as u64 + 1) as usize);
    let length = match below(random, 4) {
        0 => below(random, 60) as usize,
        1 => below(random, 4) as usize,
        _ => 0,
    };
    let end = boundary((start + length).min(text.len())).max(start);
    let new = match below(random, 3) {
        0 => String::new(),
        1 => {
            let from = boundary(below(random, text.len() as u64 + 1) as usize);
            let to = boundary((from + below(random, 30) as usize).min(text.len())).max(from);
            text[from..to].to_owned()
        }
        _ => PIECES[below(random, PIECES.len() as u64) as usize].to_owned(),
    };
    (start, end, new)
}

/// The diagnostics of a fresh check as places, codes and titles.
fn fresh(text: &str) -> Vec<(Value, Value, String, String)> {
    // Trials of fixes change no diagnostic but its edits.
    let mut source = GameSource::from(RuleFiles::from_string(URI, text).without_trials());
    let limits = Limits::default();
    let options = CheckOptions { explore: 0, limits: &limits, progress: &NoProgress };
    let report = check(&mut source, &options);
    let place =
        |span: Span| (position(text, clipped(text, span.start)), position(text, clipped(text, span.end)));
    let shown = report.diagnostics.iter().map(|found| {
        // A mistake of a library of the language is shown at its `use`.
        let span = Some(found.span()).filter(|span| span.file == source.file);
        let (start, end) = span.map_or((json!(null), json!(null)), place);
        (start, end, found.code.name().to_owned(), found.title.clone())
    });
    shown.collect()
}

fn clipped(text: &str, offset: u32) -> usize {
    let mut at = (offset as usize).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The published diagnostics in the same form.
fn shown(found: &[Value]) -> Vec<(Value, Value, String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let one = |of: &Value| {
        let title = text(&of["message"]);
        let title = title.lines().next().unwrap_or_default().to_owned();
        (of["range"]["start"].clone(), of["range"]["end"].clone(), text(&of["code"]), title)
    };
    found.iter().map(one).collect()
}

#[test]
fn diagnostics_after_random_edits_are_those_of_a_fresh_check() {
    let edits = if std::env::var_os("BOUTON_SLOW").is_some() { SLOW_EDITS } else { EDITS };
    let mut random = SplitMix::new(35);
    let mut client = Client::new();
    let mut text = GAME.to_owned();
    assert_eq!(shown(&client.open(URI, &text)), fresh(&text));
    for edit in 0..edits {
        let version = edit as i32 + 2;
        let change = if edit % EDITS_PER_TEXT == EDITS_PER_TEXT - 1 {
            text = GAME.to_owned();
            json!({ "text": text })
        } else {
            let (start, end, new) = random_edit(&mut random, &text);
            let range = json!({ "start": position(&text, start), "end": position(&text, end) });
            text.replace_range(start..end, &new);
            json!({ "range": range, "text": new })
        };
        let document = json!({ "uri": URI, "version": version });
        client.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [change] }),
        );
        // The server works meanwhile.
        let expected = fresh(&text);
        let mut found = shown(&client.diagnostics(URI, version));
        for (found, expected) in found.iter_mut().zip(&expected).filter(|(_, expected)| expected.0.is_null())
        {
            (found.0, found.1) = (expected.0.clone(), expected.1.clone());
        }
        assert_eq!(found, expected, "edit {edit}:\n{text}");
        if edit % EDITS_PER_QUESTION == 0 {
            ask(&mut client, &mut random, &text);
        }
    }
    client.shut_down();
}

/// Asks for everything at a random place; no request may fail.
fn ask(client: &mut Client, random: &mut SplitMix, text: &str) {
    let at = clipped(text, below(random, text.len() as u64 + 1) as u32);
    let (document, position) = (json!({ "uri": URI }), position(text, at));
    for method in ["hover", "definition", "documentHighlight", "completion", "signatureHelp"] {
        let params = json!({ "textDocument": document, "position": position });
        client.request(&format!("textDocument/{method}"), params);
    }
    for method in ["documentSymbol", "foldingRange", "semanticTokens/full", "codeLens"] {
        client.request(&format!("textDocument/{method}"), json!({ "textDocument": document }));
    }
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": position });
    client.request("textDocument/inlayHint", json!({ "textDocument": document, "range": range }));
    let context = json!({ "diagnostics": [] });
    client.request(
        "textDocument/codeAction",
        json!({ "textDocument": document, "range": range, "context": context }),
    );
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    client.request("textDocument/formatting", json!({ "textDocument": document, "options": options }));
}
