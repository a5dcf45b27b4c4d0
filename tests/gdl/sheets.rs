//! The sheets of others: most of them load and play as the oracle does, and the invalid ones are refused with a place.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bouton_base::cancel;
use bouton_base::limits::Limits;
use bouton_search::game::Backend;

use crate::play::{Agreement, Extent, compare};
use crate::slow;

/// The folder of the sheets; `None` where it is absent.
fn folder() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/gdl");
    let folder = std::env::var_os("BOUTON_GDL").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let sheets = folder.join("sheets");
    if !sheets.is_dir() {
        eprintln!("skipped: there are no sheets in {}", folder.display());
        return None;
    }
    Some(sheets)
}

/// All sheets with their names, in order.
fn sheets() -> Vec<(String, String)> {
    let Some(folder) = folder() else { return Vec::new() };
    let mut found: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "kif"))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let bytes = std::fs::read(&path).expect("a file");
            (name, String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect();
    found.sort();
    found
}

/// The stack of a comparison: the oracle calls itself for each condition.
const STACK_BYTES: usize = 1 << 30;

/// Compares a sheet, on a thread with a large stack, within limits of time and memory.
fn agreement(name: &str, text: &str, plays: u32, time: Duration) -> Result<Agreement, String> {
    let extent = Extent { plays, moves: 60, until: Instant::now() + time, backend: Backend::Interp };
    let limits = Limits { deadline: Some(extent.until), memory_bytes: Some(6 << 30), ..Limits::default() };
    std::thread::scope(|scope| {
        let work = || cancel::run_within(&limits, || compare(name, text, extent));
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let ended = thread.expect("a thread").join();
        match ended {
            Ok(Ok(result)) => result,
            Ok(Err(hit)) => Err(format!("limit: {hit}")),
            Err(_) => Err("a panic".to_owned()),
        }
    })
}

/// The sheets of the fast run: small ones of every kind.
const SAMPLE: &[&str] = &[
    "2pffa.v1.kif",
    "3pttc.v1.kif",
    "aipsrovers01.kif",
    "asteroidsParallel.v1.kif",
    "atariGoVariant_7x7.kif",
    "blocks.kif",
    "blocksWorldParallel.kif",
    "blocksWorldSerial.v1.kif",
    "brain_teaser_extended.kif",
    "catcha_mouse.kif",
    "chiara-bandl3.kif",
    "chiara-hexworse3.kif",
    "chineseCheckers1.v1.kif",
    "circlesolitaire.kif",
    "coins.kif",
    "copolymer_4.kif",
    "disabled-rubiksCube.kif",
    "dresden-CHICKENTICTACTOE_S.3357418497.kif",
    "dresden-GORILLA.3361629202.kif",
    "dresden-HANOI_S.3357334769.kif",
    "dresden-LEMUR.3361622143.kif",
    "dresden-MAZE_S.3357334406.kif",
    "duplicateStateSmall.kif",
    "eightPuzzle.kif",
    "eotcatcit.kif",
    "eotcitcit.kif",
    "factoringEasyTurtleBrain.kif",
    "factoringMutuallyAssuredDestruction.kif",
    "nim1.kif",
    "tfl-tictactoe.kif",
];

#[test]
fn a_sample_of_sheets_agrees_with_the_oracle() {
    assert_eq!(SAMPLE.len(), 30);
    for (name, text) in sheets() {
        if SAMPLE.contains(&name.as_str()) {
            let agreed = agreement(&name, &text, 2, Duration::from_secs(60))
                .unwrap_or_else(|why| panic!("{name}: {why}"));
            assert!(agreed.positions > 0, "{name}: {agreed:?}");
        }
    }
}

/// The variable that selects sheets: parts of their names, separated by commas, the first ones first.
const FILTER: &str = "BOUTON_SHEET";

/// The variable that divides the sheets among several runs: `2/3` is the second of three.
const PART: &str = "BOUTON_PART";

/// The variable that names a file of results: sheets that are in it are done, and others are added.
const RESULTS: &str = "BOUTON_RESULTS";

/// The part of the sheets that this run compares: its number from 0, and the number of parts.
fn part() -> (usize, usize) {
    let written = std::env::var(PART).unwrap_or_else(|_| "1/1".to_owned());
    let numbers: Vec<usize> = written.split('/').filter_map(|number| number.parse().ok()).collect();
    match numbers[..] {
        [part, of] if part >= 1 && part <= of => (part - 1, of),
        _ => panic!("{PART} is a part and a number of parts, such as 1/2"),
    }
}

/// The names of the sheets in a file of results.
fn done(results: Option<&PathBuf>) -> Vec<String> {
    let text = results.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    text.lines().filter_map(|line| Some(line.split_once('\t')?.0.to_owned())).collect()
}

/// Adds a line to a file of results.
fn remember(results: Option<&PathBuf>, line: &str) {
    let Some(path) = results else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    writeln!(file.expect("a file of results"), "{line}").expect("a line is written");
}

#[test]
fn the_census_of_all_sheets() {
    if !slow() {
        return;
    }
    let filter = std::env::var(FILTER).unwrap_or_default();
    let plays = std::env::var("BOUTON_PLAYS").ok().and_then(|n| n.parse().ok()).unwrap_or(50);
    let seconds = std::env::var("BOUTON_SECONDS").ok().and_then(|n| n.parse().ok()).unwrap_or(120);
    let (mut agree, mut refused) = (0, 0);
    let mut wrong = Vec::new();
    let all = sheets();
    let all = filter.split(',').flat_map(|part| all.iter().filter(move |(name, _)| name.contains(part)));
    let results = std::env::var_os(RESULTS).map(PathBuf::from);
    let (done, (part, parts)) = (done(results.as_ref()), part());
    for (at, (name, text)) in all.enumerate() {
        if at % parts != part || done.contains(name) {
            continue;
        }
        let begun = Instant::now();
        let result = agreement(name, text, plays, Duration::from_secs(seconds));
        let line = format!("{name}\t{:.1}\t{result:?}", begun.elapsed().as_secs_f64());
        eprintln!("{line}");
        remember(results.as_ref(), &line);
        match result {
            Ok(_) => agree += 1,
            Err(why) if why.starts_with("refused") || why.starts_with("limit") => refused += 1,
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
    }
    eprintln!("{agree} agree, {refused} are refused, {} differ", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
