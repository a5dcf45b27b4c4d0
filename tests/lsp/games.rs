//! Properties on all games: each name is proposed where it stands, and can be renamed.

use std::path::{Path, PathBuf};

use bouton_base::limits::{Limits, NoProgress};
use bouton_driver::check::{CheckOptions, check};
use bouton_driver::load::GameSource;
use bouton_project::{Definition, Index};
use serde_json::{Value, json};

use crate::client::{Client, edited, position};

/// In a run of all tests, one in this number of the definitions is renamed; with `BOUTON_SLOW=1` all are.
const RENAMED_DIVISOR: usize = 40;

/// The games with their texts.
fn games() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let entries = std::fs::read_dir(folder).expect("games").flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "bou")).collect();
    paths.sort();
    assert!(paths.len() > 50);
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).expect("a game"))).collect()
}

/// The names of a text, found without the server.
fn index(path: &Path, text: &str) -> Index {
    let mut source = GameSource::from_string(&path.display().to_string(), text);
    let limits = Limits::default();
    check(&mut source, &CheckOptions { explore: 0, limits: &limits, progress: &NoProgress }).index
}

/// The definitions in the game's own file.
fn own(index: &Index) -> Vec<&Definition> {
    let mut found: Vec<&Definition> = index.definitions().collect();
    found.retain(|of| of.span.file.0 == 0);
    found
}

#[test]
fn each_name_is_proposed_where_it_stands() {
    let mut client = Client::new();
    let (mut asked, mut missing) = (0, Vec::new());
    for (path, text) in games() {
        let uri = format!("file://{}", path.display());
        client.open(&uri, &text);
        let index = index(&path, &text);
        for reference in index.references().filter(|of| of.span.file.0 == 0) {
            let range = reference.span.range();
            // The placeholders of strings are inside of a string.
            if text[..range.start].rsplit('\n').next().is_some_and(|line| line.matches('"').count() % 2 == 1)
            {
                continue;
            }
            let written = &text[range.clone()];
            let name = written.rsplit('.').next().unwrap_or_default();
            let at = range.end - name.len();
            let params = json!({ "textDocument": { "uri": uri }, "position": position(&text, at) });
            let proposed = client.request("textDocument/completion", params);
            asked += 1;
            let is_it = |item: &Value| item["label"] == name || item["label"] == written;
            if !proposed.as_array().is_some_and(|items| items.iter().any(is_it)) {
                let line = text[..at].matches('\n').count() + 1;
                missing.push(format!("{}:{line}: {name}", path.display()));
            }
        }
    }
    println!("{asked} names");
    assert!(asked > 3000 && missing.is_empty(), "{} of {asked}:\n{}", missing.len(), missing.join("\n"));
}

#[test]
fn names_of_games_are_renamed_without_another_change() {
    let divisor = if std::env::var_os("BOUTON_SLOW").is_some() { 1 } else { RENAMED_DIVISOR };
    let mut client = Client::new();
    let (mut number, mut refused) = (0, Vec::new());
    for (path, text) in games() {
        let index = index(&path, &text);
        let uri = format!("file://{}", path.display());
        for definition in own(&index) {
            number += 1;
            if number % divisor != 0 {
                continue;
            }
            client.open(&uri, &text);
            let at = position(&text, definition.span.range().start);
            let new = if definition.name.starts_with(|c: char| c.is_ascii_uppercase()) {
                "Renamed"
            } else {
                "renamed"
            };
            let params = json!({ "textDocument": { "uri": uri }, "position": at, "newName": new });
            let id = client.ask("textDocument/rename", params);
            let answer = client.await_answer(id);
            let Some(changes) = answer["result"]["changes"].as_object() else {
                refused.push(format!(
                    "{}: {}: {}",
                    path.display(),
                    definition.name,
                    answer["error"]["message"]
                ));
                continue;
            };
            let after = edited(&text, &changes[&uri]);
            let uses = index.references_to(definition).len();
            assert_eq!(
                after.matches(new).count() - text.matches(new).count(),
                uses + 1,
                "{}",
                definition.name
            );
        }
    }
    println!("{number} names");
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
