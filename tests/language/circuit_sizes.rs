//! The sizes of the circuits of all games, in a snapshot: a change that makes a game's circuit several times larger makes
//! its searches as much slower, and nothing else shows it.

use std::fmt::Write as _;

use bouton_base::limits::Limits;
use bouton_circuit::opt::optimise;
use bouton_driver::load::{GameSource, LoadRequest};
use bouton_lower::lower_with;
use bouton_search::game::Backend;

/// Settings under which fields have more values, or boards more cells, than by default.
const LARGER: [(&str, &[&str]); 6] = [
    ("breakthrough", &["cols=8", "rows=8"]),
    ("connect_four", &["cols=7", "rows=6"]),
    ("hex", &["n=6"]),
    ("kalah", &["m=4", "s=4"]),
    ("kalah", &["m=6", "s=4"]),
    ("nim", &["heaps=[31, 30, 29, 28]"]),
];

/// Returns a line: the game with its settings, the bits of a position, and the values of its circuit.
fn line(name: &str, settings: &[&str]) -> String {
    let path = format!("{}/games/{name}.bou", env!("CARGO_MANIFEST_DIR"));
    let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
    let request = LoadRequest { path: &path, settings: &settings, preset: None };
    let mut source = GameSource::read(&request).expect("a game that can be read");
    source.backend = Backend::Reference;
    let rules = source.game(None).expect("a game without errors").rules;
    let title = [&[name.to_owned()], settings.as_slice()].concat().join(" ");
    match lower_with(&rules, Default::default(), &Limits::default(), &|draft| optimise(draft, &[])) {
        Ok(lowered) => {
            let bits: u32 = lowered.circuit.layout.slots.iter().map(|slot| slot.width()).sum();
            format!("{title:40} {bits:5} bits {:7} values", lowered.circuit.values.len())
        }
        Err(why) => format!("{title:40} no circuit: {}", why.what),
    }
}

#[test]
fn sizes_are_as_before() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/games");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the games")
        .filter_map(|entry| {
            entry.expect("an entry").file_name().into_string().ok()?.strip_suffix(".bou").map(str::to_owned)
        })
        .collect();
    names.sort();
    let mut table = String::new();
    for name in &names {
        writeln!(table, "{}", line(name, &[])).unwrap();
    }
    for (name, settings) in LARGER {
        writeln!(table, "{}", line(name, settings)).unwrap();
    }
    insta::assert_snapshot!(table);
}
