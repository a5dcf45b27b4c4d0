//! Every feature on a file with three errors.

use serde_json::{Value, json};

use crate::client::{Client, Place, edited, slice};

const URI: &str = "file:///games/three.bou";

/// A game with three mistakes: an unknown name, a misspelt type, a value that does not fit.
const TEXT: &str = "//! A game with three mistakes.
game \"Three\";

players Red, Blue;
param n: 1..9 = 4;
board Cell = grid(3, 3);
enum Kind { man, king }
record Piece(owner: Player, kind: Kind);
const top = n + 2;
const up[p: Player]: Dir = match p { Red => N, Blue => S };

state {
  /// The men and kings.
  at[c: Cell]: Piece? = none;
  heap: 0..9 = n;
}

/// A piece of p is on c.
def mine(c: Cell, p: Player) = at[c].owner = p;
def broken = heap + unknown_name;

move put(c: Cell, k: 1..3) as \"\u{1f600}{c}\" { when at[c] = none; let rest = heap - k; heap := rest; at[c] := Piece(me, man); }
move wrong(c: Cel) { when at[c] = none; at[c] := Piece(me, king); }
move crown(c: Cell) {
  when mine(c, me) and at[c].kind = man;
  at[c].kind := 12;
  heap := top;
}

end {
  for p in Player when (count c in Cell: mine(c, p)) > 2 => p wins;
}

play normal;

expect first wins;
test \"crowned\" {
  play put(a1, 1);
  expect heap = 3;
}
";

fn opened() -> (Client, Vec<Value>) {
    let mut client = Client::new();
    let found = client.open(URI, TEXT);
    (client, found)
}

fn place(words: &str, skip: usize) -> Place<'static> {
    Place::of(URI, TEXT, words, skip)
}

fn labels(completion: &Value) -> Vec<&str> {
    let mut items: Vec<&Value> = completion.as_array().expect("proposals").iter().collect();
    items.sort_by_key(|item| item["sortText"].as_str());
    items.iter().map(|item| item["label"].as_str().expect("a label")).collect()
}

#[test]
fn diagnostics_have_places_reasons_and_fixes() {
    let (mut client, found) = opened();
    let errors: Vec<_> = found.iter().filter(|of| of["severity"] == 1).collect();
    let marked: Vec<&str> = errors.iter().map(|of| slice(TEXT, &of["range"])).collect();
    assert_eq!(marked, ["unknown_name", "Cel", "12"], "{found:#?}");
    assert!(errors.iter().all(|of| of["source"] == "bouton" && of["code"].as_str().is_some()));
    // The fix of the misspelt type, from the diagnostic itself.
    let range = &errors[1]["range"];
    let actions = client.request(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } }),
    );
    let [fix] = &actions.as_array().expect("actions")[..] else { panic!("{actions:#}") };
    assert_eq!(fix["title"], "Replace `Cel` by `Cell`");
    assert_eq!(fix["diagnostics"][0], *errors[1]);
    let mended = edited(TEXT, &fix["edit"]["changes"][URI]);
    assert_eq!(mended, TEXT.replace("c: Cel)", "c: Cell)"));
    client.change(URI, 2, &mended);
    let found = client.diagnostics(URI, 2);
    assert_eq!(found.iter().filter(|of| of["severity"] == 1).count(), 2, "{found:#?}");
    // All fixes at once.
    client.change(URI, 3, TEXT);
    let all = client.request(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": URI }, "range": range,
                "context": { "diagnostics": [], "only": ["source.fixAll"] } }),
    );
    assert_eq!(edited(TEXT, &all[0]["edit"]["changes"][URI]), mended, "{all:#}");
}

#[test]
fn columns_are_utf16_units_behind_an_emoji() {
    let (mut client, _) = opened();
    let hover = client.at("textDocument/hover", &place("rest = heap", 1));
    assert_eq!(slice(TEXT, &hover["range"]), "rest");
    assert!(hover["contents"]["value"].as_str().expect("text").contains("rest: "), "{hover}");
}

#[test]
fn hover_shows_declarations_types_values_and_boards() {
    let (mut client, _) = opened();
    let mut shown = |words: &str, skip: usize| {
        let hover = client.at("textDocument/hover", &place(words, skip));
        hover["contents"]["value"].as_str().unwrap_or_else(|| panic!("{words}: {hover}")).to_owned()
    };
    assert_eq!(
        shown("mine(c, me)", 0),
        "```bou\ndef mine(c: Cell, p: Player): bool\n```\n\nA piece of p is on c."
    );
    assert_eq!(shown("at[c] = none", 0), "```bou\nat[c: Cell]: Piece?\n```\n\nThe men and kings.");
    assert_eq!(shown(":= top", 3), "```bou\nconst top: 6..6\n```\n\nValue: `6`");
    assert!(shown("up[p", 0).contains("Red => N\nBlue => S"));
    let board = shown("Cell = grid", 0);
    assert!(board.contains("9 cells: a1, b1, c1") && board.contains("3 columns, 3 rows"), "{board}");
    assert_eq!(shown("k; heap", 0), "```bou\nk: 1..3\n```");
    assert_eq!(shown("king)", 0), "```bou\nKind.king\n```");
    assert_eq!(shown("owner = p", 0), "```bou\nowner: Player\n```");
    assert!(shown("put(c", 0).starts_with("```bou\nmove put(c: Cell, k: 1..3) as "));
    assert!(shown("normal", 0).contains("cannot move loses"));
    assert!(shown("me, man", 0).contains("makes the move"));
    assert_eq!(client.at("textDocument/hover", &place("= 4", 2)), json!(null));
}

#[test]
fn definitions_references_and_highlights() {
    let (mut client, _) = opened();
    let definition = client.at("textDocument/definition", &place("mine(c, me)", 2));
    assert_eq!(definition["uri"], URI);
    assert_eq!(
        definition["range"],
        json!({ "start": place("mine(c: Cell", 0).position(), "end": place("mine(c: Cell", 4).position() })
    );
    let mut params = place("heap: 0..9", 0).params();
    params["context"] = json!({ "includeDeclaration": true });
    let found = client.request("textDocument/references", params);
    let all = found.as_array().expect("references");
    assert!(all.iter().all(|of| slice(TEXT, &of["range"]) == "heap"), "{found:#}");
    // Its declaration, `broken`, `put` twice, `crown`, and the test.
    assert_eq!(all.len(), 6, "{found:#}");
    let highlights = client.at("textDocument/documentHighlight", &place("heap: 0..9", 0));
    assert_eq!(highlights.as_array().map(Vec::len), Some(6));
    assert_eq!(client.at("textDocument/definition", &place("play normal", 1)), json!(null));
}

#[test]
fn completion_proposes_names_by_type_and_keywords_by_place() {
    let (mut client, _) = opened();
    let mut version = 1;
    let mut complete = |before: &str, typed: &str| {
        // The text with something typed at the place.
        let at = TEXT.find(before).unwrap_or_else(|| panic!("no `{before}`")) + before.len();
        let text = format!("{}{typed}{}", &TEXT[..at], &TEXT[at..]);
        version += 1;
        client.change(URI, version, &text);
        let place = Place { uri: URI, text: &text, offset: at + typed.len() };
        client.at("textDocument/completion", &place)
    };
    let members = complete("heap := top;\n", "  at[c].kind := ");
    assert_eq!(labels(&members)[..2], ["king", "man"]);
    let cells = complete("heap := top;\n", "  at[");
    assert_eq!(labels(&cells)[0], "c");
    let arguments = complete("heap := top;\n", "  when mine(c, ");
    assert_eq!(labels(&arguments)[..3], ["Blue", "Red", "me"]);
    let parts = complete("heap := top;\n", "  when at[c].");
    assert_eq!(labels(&parts), ["kind", "owner"]);
    let of_cell = complete("heap := top;\n", "  when c.");
    assert!(labels(&of_cell).contains(&"neighbors") && !labels(&of_cell).contains(&"owner"));
    let statements = complete("heap := top;\n", "  w");
    assert!(labels(&statements).contains(&"when") && labels(&statements).contains(&"heap"));
    assert!(!labels(&statements).contains(&"board"));
    let items = complete("play normal;\n", "");
    assert!(labels(&items).contains(&"board") && !labels(&items).contains(&"heap"));
    let board = items.as_array().and_then(|all| all.iter().find(|of| of["label"] == "board"));
    let board = board.expect("a snippet");
    assert_eq!(
        (board["insertTextFormat"].as_i64(), &board["textEdit"]["newText"]),
        (Some(2), &json!("board ${1:Cell} = grid(${2:3}, ${3:3});"))
    );
    let types = complete("heap: 0..9 = n;\n", "  other: ");
    assert!(labels(&types).contains(&"Kind") && labels(&types).contains(&"bool"));
    assert!(!labels(&types).contains(&"heap"));
    let moves = complete("play put(a1, 1);\n", "  play ");
    assert_eq!(labels(&moves), ["crown", "put", "wrong"]);
    let claims = complete("play normal;\n", "expect ");
    assert!(labels(&claims).contains(&"perft") && labels(&claims).contains(&"Red"));
    let outcomes = complete("end {\n", "  when true => ");
    assert!(labels(&outcomes).contains(&"draw") && labels(&outcomes).contains(&"Blue"));
    let locals = complete("end {\n", "  for q in Player when some x in Cell: ");
    assert!(labels(&locals).contains(&"q") && labels(&locals).contains(&"x"), "{locals:#}");
    assert!(!labels(&locals).contains(&"p"));
    let library = complete("game \"Three\";\n", "use ");
    assert_eq!(labels(&library), ["\"std/lines\""]);
    assert_eq!(complete("game \"Three\";\n", "// he"), json!(null));
    assert_eq!(labels(&complete("game \"Three\";\n", "def ")), Vec::<&str>::new());
}

#[test]
fn signatures_name_the_current_parameter() {
    let (mut client, _) = opened();
    let help = client.at("textDocument/signatureHelp", &place("mine(c, me)", 8));
    assert_eq!(help["signatures"][0]["label"], "mine(c: Cell, p: Player): bool");
    assert_eq!(help["activeParameter"], 1);
    let help = client.at("textDocument/signatureHelp", &place("at[c] = none", 3));
    assert_eq!(help["signatures"][0]["label"], "at[c: Cell]: Piece?");
    let help = client.at("textDocument/signatureHelp", &place("grid(3, 3)", 8));
    assert_eq!(
        (&help["signatures"][0]["label"], &help["activeParameter"]),
        (&json!("grid(w, h)"), &json!(1))
    );
    assert_eq!(client.at("textDocument/signatureHelp", &place("play normal", 0)), json!(null));
}

#[test]
fn formatting_edits_lines_and_leaves_damaged_files() {
    let (mut client, _) = opened();
    let untidy =
        TEXT.replace("param n: 1..9 = 4;", "param   n:1..9=4 ;").replace("play normal;", "play  normal ;");
    client.change(URI, 2, &untidy);
    let params = json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 2, "insertSpaces": true } });
    let edits = client.request("textDocument/formatting", params.clone());
    let tidy = bouton_syntax::format(TEXT).expect("it parses");
    assert_eq!(edited(&untidy, &edits), tidy);
    assert!(edits.as_array().is_some_and(|edits| edits.len() > 1), "edits by lines: {edits}");
    client.change(URI, 3, &tidy);
    assert_eq!(client.request("textDocument/formatting", params.clone()), json!([]));
    client.change(URI, 4, "game \"x\"; state {");
    assert_eq!(client.request("textDocument/formatting", params), json!(null));
}

#[test]
fn symbols_folds_and_tokens() {
    let (mut client, _) = opened();
    let params = json!({ "textDocument": { "uri": URI } });
    let symbols = client.request("textDocument/documentSymbol", params.clone());
    let name = |of: &Value| of["name"].as_str().expect("a name").to_owned();
    let names: Vec<String> = symbols.as_array().expect("symbols").iter().map(name).collect();
    assert_eq!(names[..4], ["Three", "players", "n", "Cell"]);
    assert!(names.contains(&"wrong".to_owned()) && names.contains(&"crowned".to_owned()), "{names:?}");
    let state =
        symbols.as_array().and_then(|all| all.iter().find(|of| of["name"] == "state")).expect("state");
    assert_eq!(
        state["children"].as_array().expect("fields").iter().map(name).collect::<Vec<_>>(),
        ["at", "heap"]
    );
    let folds = client.request("textDocument/foldingRange", params.clone());
    let line = |words: &str| place(words, 0).position()["line"].clone();
    let fold = |fold: &Value| (fold["startLine"].clone(), fold["endLine"].clone());
    let folds: Vec<_> = folds.as_array().expect("folds").iter().map(fold).collect();
    assert!(folds.contains(&(line("state {"), line("heap: 0..9"))), "{folds:?}");
    let tokens = client.request("textDocument/semanticTokens/full", params);
    let data: Vec<u64> =
        tokens["data"].as_array().expect("numbers").iter().map(|of| of.as_u64().expect("a number")).collect();
    let (mut at, mut painted) = ((0, 0), Vec::new());
    for token in data.chunks(5) {
        at = if token[0] > 0 { (at.0 + token[0], token[1]) } else { (at.0, at.1 + token[1]) };
        let start = json!({ "line": at.0, "character": at.1 });
        let end = json!({ "line": at.0, "character": at.1 + token[2] });
        painted.push((slice(TEXT, &json!({ "start": start, "end": end })), token[3], token[4]));
    }
    // Keyword, declared enum member, struct, field in a string's placeholder, function.
    for expected in [
        ("players", 0, 0),
        ("Red", 11, 1),
        ("Piece", 8, 0),
        ("c", 5, 0),
        ("mine", 12, 1),
        ("neighbors", 0, 0),
    ] {
        assert_eq!(painted.contains(&expected), expected.0 != "neighbors", "{expected:?} in {painted:?}");
    }
    assert!(painted.windows(2).any(|two| two[0].0 == "\"\u{1f600}{" && two[1].0 == "c"), "{painted:?}");
}

#[test]
fn hints_show_types_and_lenses_have_commands() {
    let (mut client, _) = opened();
    let end = crate::client::position(TEXT, TEXT.len());
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": end });
    let hints =
        client.request("textDocument/inlayHint", json!({ "textDocument": { "uri": URI }, "range": range }));
    let shown: Vec<(Value, &str)> = hints
        .as_array()
        .expect("hints")
        .iter()
        .map(|hint| (hint["position"].clone(), hint["label"].as_str().expect("a label")))
        .collect();
    assert!(shown.contains(&(place("rest = heap", 4).position(), ": -3..8")), "{shown:?}");
    assert!(shown.contains(&(place("p: Player) = at", 10).position(), ": bool")), "{shown:?}");
    assert!(shown.contains(&(place("top = n", 3).position(), ": 6..6")), "{shown:?}");
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    let titles: Vec<_> =
        lenses.as_array().expect("lenses").iter().map(|of| of["command"]["title"].clone()).collect();
    let expected =
        ["Solve", "Play", "Report", "Test all", "Decide", "Run test", "Solve from here", "Play from here"];
    assert_eq!(titles, expected);
}

#[test]
fn names_are_renamed_where_nothing_else_has_the_new_one() {
    let (mut client, _) = opened();
    let prepared = client.at("textDocument/prepareRename", &place("heap := rest", 1));
    assert_eq!(prepared["placeholder"], "heap");
    let mut rename = |text: &str, version: i32, words: &str, new: &str| {
        client.change(URI, version, text);
        let place = Place::of(URI, text, words, 1);
        let mut params = place.params();
        params["newName"] = json!(new);
        let id = client.ask("textDocument/rename", params);
        let answer = client.await_answer(id);
        match answer.get("error") {
            Some(error) => Err(error["message"].as_str().expect("a message").to_owned()),
            None => Ok(edited(text, &answer["result"]["changes"][URI])),
        }
    };
    // Beside errors, names whose uses are all known.
    let renamed = rename(TEXT, 2, "mine(c: Cell", "owns");
    assert_eq!(renamed, Ok(TEXT.replace("mine(", "owns(")));
    let renamed = rename(TEXT, 3, "king }", "queen");
    assert_eq!(renamed.map(|text| text.matches("queen").count()), Ok(2));
    let taken = rename(TEXT, 4, "mine(c: Cell", "heap");
    assert!(taken.as_ref().is_err_and(|why| why.contains("`heap`")), "{taken:?}");
    let reserved = rename(TEXT, 5, "mine(c: Cell", "when");
    assert!(reserved.as_ref().is_err_and(|why| why.contains("reserved")), "{reserved:?}");
    // A variable that would capture another.
    let captured = rename(TEXT, 6, "k: 1..3", "c");
    assert!(captured.is_err(), "{captured:?}");
    let renamed = rename(TEXT, 7, "k: 1..3", "many");
    assert_eq!(renamed, Ok(TEXT.replace("k: 1..3", "many: 1..3").replace("heap - k", "heap - many")));
    let nothing = rename(TEXT, 8, "play normal", "x");
    assert!(nothing.is_err(), "{nothing:?}");
}
