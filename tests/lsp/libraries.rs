//! Several documents: libraries that are open, on disk, missing, or of the language.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Client, Place, edited, errors, slice};

/// A temporary folder for one test, deleted on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("bouton-lsp-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("a file");
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.0.join(name).display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(Path::new(&self.0));
    }
}

const LIBRARY: &str =
    "/// Twice the number.\ndef double(k: 0..9) = 2 * k;\ndef quadruple(k: 0..4) = double(2 * k);\n";

const GAME: &str = "game \"G\";
use \"lib\" as l;
players A, B;
state { heap: 0..9 = 3; }
move take() { when l.double(heap) > 0; heap -= 1; }
move skip() { when l.quadruple(1) = 4 and heap = 0; }
play normal;
";

#[test]
fn names_of_a_library_on_disk_are_found_and_renamed() {
    let folder = Folder::new("disk");
    folder.write("lib.bou", LIBRARY);
    let (game, library) = (folder.uri("game.bou"), folder.uri("lib.bou"));
    let mut client = Client::new();
    assert_eq!(errors(&client.open(&game, GAME)), Vec::<&str>::new());
    let used = Place::of(&game, GAME, "double(heap)", 1);
    let definition = client.at("textDocument/definition", &used);
    assert_eq!((&definition["uri"], slice(LIBRARY, &definition["range"])), (&json!(library), "double"));
    let hover = client.at("textDocument/hover", &used);
    assert!(
        hover["contents"]["value"].as_str().is_some_and(|text| text.contains("Twice the number")),
        "{hover}"
    );
    let mut params = used.params();
    params["newName"] = json!("twice");
    let edit = client.request("textDocument/rename", params);
    assert_eq!(edited(GAME, &edit["changes"][&game]), GAME.replace("l.double", "l.twice"));
    assert_eq!(edited(LIBRARY, &edit["changes"][&library]), LIBRARY.replace("double(", "twice("));
    let text = GAME.replace("when l.double(heap) > 0", "when l.");
    client.change(&game, 2, &text);
    let proposed = client.at("textDocument/completion", &Place::of(&game, &text, "when l.", 7));
    let labels: Vec<&Value> = proposed.as_array().expect("proposals").iter().map(|of| &of["label"]).collect();
    assert_eq!(labels, ["double", "quadruple"]);
}

#[test]
fn an_unsaved_library_counts_as_it_is_typed() {
    let folder = Folder::new("unsaved");
    folder.write("lib.bou", "def other = 1;\n");
    let (game, library) = (folder.uri("game.bou"), folder.uri("lib.bou"));
    let mut client = Client::new();
    assert_eq!(errors(&client.open(&game, GAME)), ["E0101", "E0101"]);
    // Opening the library with another text checks the game anew.
    client.open(&library, LIBRARY);
    client.await_errors(&game, &[]);
    // A mistake in the library is published there.
    let broken = LIBRARY.replace("2 * k;", "2 * q;");
    client.change(&library, 2, &broken);
    let found = client.diagnostics(&library, 2);
    assert_eq!(errors(&found), ["E0101"]);
    assert_eq!(slice(&broken, &found[0]["range"]), "q");
    client.change(&library, 3, LIBRARY);
    client.diagnostics(&library, 3);
    // The uses in all open documents, asked for in the library.
    let mut params = Place::of(&library, LIBRARY, "double(k", 0).params();
    params["context"] = json!({ "includeDeclaration": false });
    let uses = client.request("textDocument/references", params);
    let of_uri = |uri: &str| uses.as_array().expect("uses").iter().filter(|of| of["uri"] == uri).count();
    assert_eq!((of_uri(&library), of_uri(&game)), (1, 1), "{uses:#}");
    // Without the document, the file counts.
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": library } }));
    client.await_errors(&game, &["E0101", "E0101"]);
    client.notifications.clear();
    folder.write("lib.bou", LIBRARY);
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": library, "type": 2 }] }));
    client.await_errors(&game, &[]);
}

#[test]
fn libraries_of_the_language_are_read_and_not_renamed() {
    let uri = "file:///games/lines.bou";
    let text = "game \"L\";\nuse \"std/lines\";\nplayers A, B;\nboard Cell = grid(3, 3);\n\
                state { at[c: Cell]: Player? = none; }\n\
                move mark(c: Cell) { when at[c] = none; at[c] := me; }\n\
                end { for p in Player when some l in lines(Cell, 3): all c in l: at[c] = p => p wins; }\nplay normal;\n";
    let mut client = Client::new();
    client.open(uri, text);
    let missing = text.replace("std/lines", "std/line");
    client.change(uri, 2, &missing);
    let found = client.diagnostics(uri, 2);
    assert_eq!(errors(&found), ["E0108"]);
    let action = client.request(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": uri }, "range": found[0]["range"], "context": { "diagnostics": [] } }),
    );
    assert_eq!(edited(&missing, &action[0]["edit"]["changes"][uri]), text);
}
