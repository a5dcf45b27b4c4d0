//! Inputs that are too large, too deep or not UTF-8: clear messages in bounded time.

use std::time::{Duration, Instant};

use bouton_syntax::decode;

use crate::read;

/// Returns the codes of a source's findings, and asserts that they come in time.
fn codes(text: &str) -> Vec<&'static str> {
    let start = Instant::now();
    let codes = read(text).diagnostics.iter().map(|found| found.code.name()).collect();
    let beginning: String = text.chars().take(20).collect();
    assert!(start.elapsed() < Duration::from_secs(60), "{:?} for {beginning:?}...", start.elapsed());
    codes
}

#[test]
fn large_texts_are_refused() {
    assert_eq!(codes(&"players A, B;\n".repeat(800_000)), ["E0012"]);
    assert_eq!(codes(&"\u{e9}".repeat(3 << 20)), ["E0012"]);
}

#[test]
fn what_is_no_text_is_refused() {
    assert_eq!(codes("game \"a\0b\";"), ["E0012"]);
    assert_eq!(codes("game \"a\"; // x\rplayers A;"), ["E0012"]);
    assert_eq!(codes("\u{feff}game \"a\";"), ["E0012"]);
    assert_eq!(codes("game \"a\";\r\nplayers A;\r\n"), [] as [&str; 0]);
    assert_eq!(decode(b"\xef\xbb\xbfgame".to_vec()).as_deref(), Ok("game"));
    let error = decode(b"game\n \xE9".to_vec()).expect_err("Latin-1");
    assert_eq!((error.line, error.byte, error.offset), (2, 0xe9, 6));
}

#[test]
fn deep_texts_are_refused() {
    let nests = [
        ("(", "a", ")"),
        ("[", "a", "]"),
        ("{", "a", "}"),
        ("{ x in ", "S", "}"),
        ("f(", "a", ")"),
        ("not ", "a", ""),
        ("- ", "a", ""),
        ("#", "a", ""),
        ("let x = 1: ", "a", ""),
        ("if a then b else ", "a", ""),
        ("some x in S: ", "a", ""),
        ("some x in S, (y, z) in T: ", "a", ""),
        ("min x in ", "S", ": x"),
        ("match a { b => ", "a", "}"),
    ];
    for (open, middle, close) in nests {
        let text = |times: usize| format!("def f = {}{middle}{};", open.repeat(times), close.repeat(times));
        assert_eq!(codes(&text(60)), [] as [&str; 0], "{open}");
        assert_eq!(codes(&text(20_000)), ["E0011"], "{open}");
    }
    let stmts = |times: usize| format!("move m() {{ {}{} }}", "if a { n := 1; } else ".repeat(times), "{ }");
    assert_eq!(codes(&stmts(100)), [] as [&str; 0]);
    assert_eq!(codes(&stmts(20_000)), ["E0011"]);
    let types = |times: usize| format!("param f: {}bool{} = a;", "(".repeat(times), ")".repeat(times));
    assert_eq!(codes(&types(100)), [] as [&str; 0]);
    assert_eq!(codes(&format!("{}{}", "/*".repeat(20_000), "*/".repeat(20_000))), ["E0011"]);
    assert_eq!(codes(&format!("move m() as \"{}\" {{ }}", "{(".repeat(20_000))).len(), 1);
    assert_eq!(codes(&format!("def f = {}a;", "a + ".repeat(20_000))), ["E0011"]);
}

#[test]
fn numbers_of_any_length_are_read() {
    assert_eq!(codes(&format!("const n = {};", "9".repeat(100_000))), [] as [&str; 0]);
}

#[test]
fn heaps_of_damage_are_read_in_time() {
    let heaps = [
        "(",
        "}",
        "{",
        "[(",
        "\"",
        "\"a\n",
        "/*",
        "\"\"\"",
        "$",
        "a ",
        "a\n",
        ";",
        "game;",
        "game x\n",
        "move m() {\n",
        "{ x in ",
        "state { a; }\n",
        "\\",
        "\u{e9} ",
    ];
    for heap in heaps {
        let text = heap.repeat((64 << 10) / heap.len());
        assert!(!codes(&text).is_empty(), "{heap:?}");
    }
}
