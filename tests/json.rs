//! The data of every command against its description in `docs/json.md`: each key is described, each described key is
//! present, and the types agree.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// The keys of an object with their types, by the title of its table.
type Tables = BTreeMap<String, Vec<(String, String)>>;

/// Reads the tables of `docs/json.md`.
fn tables() -> Tables {
    let page = include_str!("../docs/json.md");
    let mut tables = Tables::new();
    let mut title = String::new();
    for line in page.lines() {
        if let Some(words) = line.strip_prefix('#') {
            title = words.trim_start_matches('#').trim().to_owned();
        } else if let Some((key, rest)) = line.strip_prefix("| `").and_then(|row| row.split_once("` | ")) {
            let ty = rest.split(" | ").next().expect("a type").to_owned();
            tables.entry(title.clone()).or_default().push((key.to_owned(), ty));
        }
    }
    tables
}

/// Returns the reason why a value is not of a type.
fn mismatch(tables: &Tables, ty: &str, value: &Value) -> Option<String> {
    let fits = |of: &str| -> Option<String> {
        let wrong = || Some(format!("{value} is no {of}"));
        if let Some(of) = of.strip_prefix("list of ") {
            let Some(items) = value.as_array() else { return wrong() };
            return items.iter().find_map(|item| mismatch(tables, of, item));
        }
        if let Some(name) = of.strip_prefix("**").and_then(|of| of.strip_suffix("**")) {
            return if value.is_object() { difference(tables, name, value) } else { wrong() };
        }
        let is_it = match of {
            "any" => true,
            "string" => value.is_string(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "map" => value.is_object(),
            "null" => value.is_null(),
            _ => panic!("the type `{of}` is not known"),
        };
        if is_it { None } else { wrong() }
    };
    let reasons: Vec<Option<String>> = ty.split(" or ").map(fits).collect();
    if reasons.iter().any(Option::is_none) { None } else { reasons.into_iter().flatten().next() }
}

/// Returns the first difference between an object and the table with this title.
fn difference(tables: &Tables, title: &str, value: &Value) -> Option<String> {
    let table = tables.get(title).unwrap_or_else(|| panic!("`{title}` is not described"));
    let object = value.as_object().expect("an object");
    for (key, ty) in table {
        let (is_optional, ty) = ty.strip_prefix("optional ").map_or((false, ty.as_str()), |ty| (true, ty));
        match object.get(key) {
            None if is_optional => {}
            None => return Some(format!("{title}: `{key}` is missing")),
            Some(value) => {
                if let Some(reason) = mismatch(tables, ty, value) {
                    return Some(format!("{title}: `{key}`: {reason}"));
                }
            }
        }
    }
    let unknown = object.keys().find(|key| !table.iter().any(|(known, _)| known == *key));
    unknown.map(|key| format!("{title}: `{key}` is not described"))
}

/// Runs a command and compares what it prints with the table of its schema.
fn described(tables: &Tables, folder: &std::path::Path, arguments: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bouton"));
    let output =
        command.args(arguments.split(' ')).arg("--json").current_dir(folder).output().expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    let value: Value =
        serde_json::from_str(&printed).unwrap_or_else(|e| panic!("{arguments}: {e}: {printed}"));
    let schema = value["schema"].as_str().unwrap_or_else(|| panic!("{arguments}: no schema")).to_owned();
    assert_eq!(difference(tables, &schema, &value), None, "{arguments}");
    schema
}

#[test]
fn all_data_is_as_described() {
    let tables = tables();
    let folder = std::env::temp_dir().join(format!("bouton-json-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    write(
        "pile.bou",
        "game \"Pile\"; param n: 0..40 = 7; players A, B; state { left: 0..40 = n; }\n\
         move take(k: 1..2) as \"{k}\" { when k <= left; left -= k; } play normal; expect first wins; expect draw;\n",
    );
    write(
        "stuck.bou",
        "game \"Stuck\"; players A, B; state { left: 0..5 = 5; }\n\
         move take(k: 2..3) as \"{k}\" { when k <= left; left -= k; } end { when left = 0 => mover loses; }\n",
    );
    write(
        "meeting.bou",
        "game \"Meeting\"; players A, B; phases { go by each; } state { at[p: Player]: 1..2? = none; }\n\
         move go(k: 1..2) in go as \"{k}\" { at[me] := k; }\n\
         end { when at[A] != none => payoff p: if at[A] != at[B] then 0 else if p = A then at[p] else 3 - at[p]; }\n",
    );
    write("damaged.bou", "game \"Damaged\"; players A, B; board Cell = grid(Cel, 3);\n");
    let commands = [
        "check pile.bou",
        "check stuck.bou damaged.bou missing.bou",
        "test pile.bou",
        "solve pile.bou --certificate pile.cert",
        "solve pile.bou --all-moves --strong",
        "solve meeting.bou --method pure-equilibrium",
        "solve pile.bou --time 0s",
        "verify pile.cert",
        "verify damaged.bou",
        "perft pile.bou --depth 3",
        "positions pile.bou",
        "positions pile.bou --time 0s",
        "table pile.bou --over n=1..9",
        "report pile.bou",
        "bench pile.bou",
        "explain E0101",
    ];
    let mut schemas: Vec<String> =
        commands.into_iter().map(|command| described(&tables, &folder, command)).collect();
    schemas.sort_unstable();
    schemas.dedup();
    let titles: Vec<&String> = tables.keys().filter(|title| title.starts_with("bouton-")).collect();
    assert_eq!(schemas.iter().collect::<Vec<_>>(), titles);
    let _ = std::fs::remove_dir_all(&folder);
}
