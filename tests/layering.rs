//! The modules of the source and their layers (`docs/architecture.md`): a module imports only modules of lower layers,
//! modules of one layer do not import each other, and nothing below `driver` uses the environment.

use std::fs;
use std::path::{Path, PathBuf};

/// The table: each module with its layer.
const MODULES: &[(&str, u32)] = &[
    ("base", 0),
    ("source", 1),
    ("patterns", 1),
    ("diag", 2),
    ("syntax", 3),
    ("rules", 4),
    ("reference", 5),
    ("analyze", 6),
    ("circuit", 6),
    ("ground", 6),
    ("lower", 7),
    ("opt", 7),
    ("exec", 8),
    ("game", 9),
    ("cert", 10),
    ("verify", 11),
    ("detect", 12),
    ("solve", 13),
    ("report", 14),
    ("driver", 15),
    ("cli", 16),
];

/// Modules with an allow-list: they may import no other modules, even of lower layers. The checker and the format of
/// certificates share nothing with the code that the checker checks.
const ALLOWED_IMPORTS: &[(&str, &[&str])] =
    &[("cert", &["base", "rules"]), ("verify", &["base", "rules", "reference", "ground", "cert"])];

/// Macros with their defining module: `crate::` paths name them at the root of the crate.
const MACROS: &[(&str, &str)] = &[("define_id", "base")];

/// Uses of the environment, allowed from `driver` up.
const ENVIRONMENT: &[&str] =
    &["std::fs", "std::io", "std::env", "std::process", "std::net", "println!", "print!", "eprint!", "dbg!"];

fn layer(room: &str) -> Option<u32> {
    MODULES.iter().find(|(name, _)| *name == room).map(|&(_, floor)| floor)
}

/// Returns every Rust file of the library with its module.
fn files() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for entry in fs::read_dir(&root).expect("src is there").flatten() {
        let path = entry.path();
        let room = path.file_stem().expect("a name").to_string_lossy().to_string();
        if path.is_dir() {
            collect(&path, &room, &mut found);
        } else if room != "lib" && room != "main" {
            found.push((room, path));
        }
    }
    found.sort();
    assert!(!found.is_empty());
    found
}

fn collect(folder: &Path, room: &str, found: &mut Vec<(String, PathBuf)>) {
    for entry in fs::read_dir(folder).expect("a readable folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, room, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push((room.to_string(), path));
        }
    }
}

/// Returns the source without comments on lines of their own.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a readable file");
    let lines = text.lines().map(|line| if line.trim_start().starts_with("//") { "" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the modules that `crate::x` and `use crate::{x, y::z}` name, with the line of each.
fn imports(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let line = text[..at].matches('\n').count() + 1;
        let rest = &text[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(heads(group).into_iter().map(|head| (head, line))),
            None => found.push((word(rest), line)),
        }
    }
    found
}

/// Returns the first names of the paths of a group, up to its closing brace.
fn heads(group: &str) -> Vec<String> {
    let mut heads = Vec::new();
    let mut depth = 0;
    let mut start = true;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => start = true,
            c if start && !c.is_whitespace() => {
                heads.push(word(&group[at..]));
                start = false;
            }
            _ => {}
        }
    }
    heads
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[test]
fn a_module_imports_only_lower_layers() {
    let mut wrong = Vec::new();
    for (room, path) in files() {
        let Some(own) = layer(&room) else {
            wrong.push(format!("{}: the room `{room}` is not in the table", path.display()));
            continue;
        };
        for (name, line) in imports(&code(&path)) {
            if room == "solve" && name == "verify" {
                wrong.push(format!("{}:{line}: solvers do not know who checks them", path.display()));
            }
            let target = MACROS.iter().find(|(m, _)| *m == name).map_or(name.as_str(), |&(_, room)| room);
            match layer(target) {
                _ if target == room => {}
                Some(other) if other < own => {}
                Some(_) => {
                    wrong.push(format!("{}:{line}: `{room}` may not import `{target}`", path.display()))
                }
                None => wrong.push(format!("{}:{line}: `crate::{target}` is no room", path.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_checker_stands_alone() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (room, path) in files() {
        let Some((_, allowed)) = ALLOWED_IMPORTS.iter().find(|(name, _)| *name == room) else { continue };
        // The checker's tests may make their inputs by any means.
        if path.file_stem().is_some_and(|name| name == "tests") {
            continue;
        }
        for (name, line) in imports(&code(&path)) {
            seen += 1;
            if name != room && !allowed.contains(&name.as_str()) {
                wrong.push(format!("{}:{line}: `{room}` may not import `{name}`", path.display()));
            }
        }
    }
    assert!(wrong.is_empty() && seen > 0, "{}", wrong.join("\n"));
}

#[test]
fn the_environment_enters_at_the_driver() {
    let mut wrong = Vec::new();
    for (room, path) in files() {
        if layer(&room) >= layer("driver") {
            continue;
        }
        for (number, line) in code(&path).lines().enumerate() {
            for word in ENVIRONMENT {
                if line.contains(word) {
                    wrong.push(format!("{}:{}: `{word}`", path.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn groups_of_imports_are_read() {
    let text = "use crate::{base::id::{Id, IdVec}, rules};\nlet x = crate::solve::run();";
    let names: Vec<String> = imports(text).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["base", "rules", "solve"]);
}
