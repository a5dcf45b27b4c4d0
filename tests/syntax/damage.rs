//! Damaged source files: one mistake, one message with the right code at the right word, and edits that fix it.

use std::path::Path;

use bouton_base::source::Sources;
use bouton_syntax::parse;

/// A sound source that the cases below damage.
pub const SOUND: &str = r#"game "T";
players X, O;
board Cell = grid(3, 3);
state {
  at[c: Cell]: Player? = none;
  score: 0..9 = 0;
}
move mark(c: Cell) as "{c}" {
  when at[c] = none;
  at[c] := me;
}
def line(p: Player) = some l in lines(Cell, 3): all c in l: at[c] = p;
end {
  for p in Player when line(p) => p wins;
  when all c in Cell: at[c] != none => draw;
}
play normal;
expect draw;
"#;

/// A change of the sound source: the replaced part, the replacement, the code that is raised, the words that it points
/// at, and whether its edits fix the source.
type DamageCase = (&'static str, &'static str, &'static str, &'static str, bool);

const CASES: &[DamageCase] = &[
    ("score: 0..9 = 0;", "score: 0..9 = 0", "E0001", "0", true),
    ("grid(3, 3);", "grid(3, 3)", "E0001", ")", true),
    ("  when at[c] = none;", "  when at[c] = none", "E0001", "e", true),
    ("play normal;", "play normal", "E0001", "l", true),
    ("expect draw;", "test \"x\" { play mark(a1); expect draw }", "E0001", "w", true),
    ("at[c] := me;", "at[c] = me;", "E0002", "=", true),
    ("at[c] := me;", "at[c] == me;", "E0002", "==", true),
    ("expect draw;", "const k := 3;", "E0002", ":=", true),
    ("expect draw;", "test \"x\" { position { mover = O; } }", "E0002", "=", true),
    ("  at[c] := me;\n}", "  at[c] := me;", "E0003", "{", true),
    ("  at[c] := me;\n}", "  at[c] := me;\n}}", "E0003", "}", true),
    ("  when at[c] = none;", "  if c = a1 {\n    at[c] := me;", "E0003", "{", true),
    ("(c: Cell) as", "(c: Cell as", "E0003", "(", true),
    ("at[c] := me;", "at[c := me;", "E0003", "[", true),
    ("at[c] := me;", "at[c] := me);", "E0003", ")", true),
    ("game \"T\";", "game \"T;", "E0003", "\"", true),
    ("expect draw;", "/* draw;", "E0003", "/*", false),
    ("move mark", "mvoe mark", "E0004", "mvoe", true),
    ("  when at[c] = none;", "  wen at[c] = none;", "E0004", "wen", true),
    ("play normal;", "play nromal;", "E0004", "nromal", true),
    ("expect draw;", "expect X win;", "E0004", "win", true),
    ("=> p wins", "-> p wins", "E0005", "->", true),
    ("=> p wins", "p wins", "E0005", "p", true),
    ("=> p wins", "then p wins", "E0005", "then", true),
    ("=> p wins", "=> p", "E0005", "p", true),
    ("=> draw", "=> tie", "E0005", "tie", true),
    ("Player when", "Player if", "E0005", "if", true),
    (
        "when all c in Cell: at[c] != none => draw",
        "draw when all c in Cell: at[c] != none",
        "E0005",
        "draw",
        true,
    ),
    ("score: 0..9 = 0;", "when at[c] = none;", "E0006", "when", false),
    ("score: 0..9 = 0;", "at[c] := me;", "E0006", "at", false),
    ("at[c] := me;", "at[c] := me;\n  state { n: 0..9 = 0; }", "E0006", "state", false),
    ("at[c] := me;", "n: 0..9 = 0;", "E0006", "n", false),
    ("play normal;", "when stuck => mover loses;", "E0006", "when", false),
    ("score: 0..9 = 0;", "when: 0..9 = 0;", "E0007", "when", true),
    ("score: 0..9 = 0;", "count: 0..9 = 0; n: 0..count = count;", "E0007", "count", true),
    ("move mark", "move count", "E0007", "count", true),
    ("at[c: Cell]: Player?", "at[c: Cell] Player?", "E0013", "Player", true),
    ("(Cell, 3): all", "(Cell, 3) all", "E0013", "all", true),
    ("move mark(c: Cell)", "move mark", "E0013", "mark", true),
    ("players X, O;", "players X O;", "E0013", "O", true),
    ("game \"T\";", "game T;", "E0013", "T", true),
    ("at[c] := me;", "at[c] := ;", "E0013", ";", false),
    ("at[c] = none;", "at[c] = none && true;", "E0013", "&&", true),
    ("at[c] = none;", "at[c] = none || true;", "E0013", "||", true),
    ("when at[c] = none;", "if c = a1 { again; } elif c = b1 { again; }", "E0013", "elif", true),
    ("expect draw;", "def f(x: Cell) = match x { a1: 3, _ => 4 };", "E0013", ":", true),
    ("expect draw;", "def f(x: Cell) = { c in Cell | at[c] = x };", "E0013", "|", true),
    ("}\ndef", "};\ndef", "E0013", ";", true),
    ("expect draw;", "expect draw;\n$$$", "E0013", "$", false),
    ("when at[c] = none;", "when at[c] equals none or so;", "E0013", "equals", false),
    ("as \"{c}\"", "as \"{c\"", "E0003", "{c", false),
    ("as \"{c}\"", "as \"{c +}\"", "E0013", "+", false),
];

/// Returns the codes and words of a source's findings, and the source after their edits.
fn findings(text: &str) -> (Vec<(&'static str, String)>, String) {
    let mut sources = Sources::new();
    let file = sources.add("text", text);
    let parsed = parse(&sources, file);
    let found =
        parsed.diagnostics.iter().map(|d| (d.code.name(), sources.slice(d.span()).to_owned())).collect();
    let mut edits: Vec<_> = parsed.diagnostics.iter().flat_map(|d| d.edits.clone()).collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut mended = text.to_owned();
    for edit in edits.iter().rev() {
        mended.replace_range(edit.span.range(), &edit.text);
    }
    (found, mended)
}

#[test]
fn one_mistake_gives_one_message() {
    let mut wrong = Vec::new();
    assert_eq!(findings(SOUND).0, [], "the sound text");
    for (old, new, code, word, mends) in CASES {
        assert_eq!(SOUND.matches(old).count(), 1, "{old} is to be replaced");
        let (found, mended) = findings(&SOUND.replace(old, new));
        if found != [(*code, (*word).to_owned())] {
            wrong.push(format!("{new:?}: {code} at {word:?} is due, not {found:?}"));
        } else if *mends && !findings(&mended).0.is_empty() {
            wrong.push(format!("{new:?}: the edits leave {:?}", findings(&mended).0));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn all_mistakes_of_a_text_are_told() {
    let text = "game \"Broken\";\nplayers X, O;\nboard Cell = grid(3, 3)\n\nstate {\n  at[c: Cell] Player? = none;\n}\n\
                move mark(c: Cell) {\n  when at[c] == none\n  at[c] = me;\n  at[c] := me;\n}\n\
                end {\n  when at[a1] = X -> X wins;\n  when at[a1] = O => O wins;\n}\n\
                mvoe put(c: Cell) { at[c] := me; }\nplay normal;\n";
    let (found, mended) = findings(text);
    let codes: Vec<_> = found.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, ["E0001", "E0013", "E0001", "E0002", "E0005", "E0004"]);
    assert_eq!(findings(&mended).0, []);
}

#[test]
fn an_item_that_is_mended_stays_in_the_tree() {
    for (old, new, ..) in CASES.iter().filter(|case| case.4) {
        let text = SOUND.replace(old, new);
        let items = super::read(&text).file.items.len();
        assert!(items >= 9, "{new:?} leaves {items} items");
    }
}

/// The wrong example on each page of a syntax code raises that code and no other.
#[test]
fn pages_show_what_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/syntax/diag/explain");
    for code in ["E0001", "E0002", "E0003", "E0004", "E0005", "E0006", "E0007", "E0011", "E0013", "W0120"] {
        let page = std::fs::read_to_string(folder.join(format!("{code}.md"))).expect("a page");
        let block = |title: &str| page.split(title).nth(1).and_then(|rest| rest.split("```").nth(1));
        if let Some(wrong) = block("## Wrong").and_then(|block| block.strip_prefix("bou")) {
            let codes: Vec<_> = findings(wrong).0.iter().map(|(code, _)| *code).collect();
            assert_eq!(codes, [code], "{wrong}");
        }
        if let Some(right) = block("## Right").and_then(|block| block.strip_prefix("bou")) {
            assert_eq!(findings(right).0, [], "{right}");
        }
    }
}

/// A `$` before a reserved word and letters that no name can have are damage of the same word.
#[test]
fn damages_of_one_word_do_not_overlap() {
    for text in ["$count\u{fc} += 1;", "$end\u{df}", "a \\+$count", "`${c}`$when\u{1f600}", "$count$count"] {
        assert!(!findings(text).0.is_empty(), "{text}");
        assert!(!findings(&SOUND.replace("at[c] := me;", text)).0.is_empty(), "{text}");
    }
}
