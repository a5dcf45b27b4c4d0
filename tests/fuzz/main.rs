//! A short run of the targets of fuzzing (`fuzz/targets.rs`) on the files of `fuzz/corpus` and on mutations of them.
//!
//! Without settings the run is the same each time. `BOUTON_FUZZ_RUNS` is the number of mutations of a target, and
//! `BOUTON_SEED` the first seed.

#[path = "../../fuzz/targets.rs"]
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use bouton_base::random::SplitMix;

use targets::TARGETS;

/// The number of mutations without a setting.
const DEFAULT_RUNS: u64 = 500;

/// The largest number of changes of one mutation.
const MAX_CHANGES: u64 = 4;

/// Pieces that a mutation inserts.
const PIECES: &[&str] = &[
    "0",
    "1",
    "-1",
    "9223372036854775807",
    "-9223372036854775808",
    "4294967296",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "..",
    "\"",
    "//",
    "/*",
    "*/",
    "\n",
    "\r\n",
    "\t",
    " ",
    "é",
    "\u{feff}",
    "\0",
    "none",
    "some ",
    "all ",
    "not ",
    "= ",
    ":= ",
    "chunk lemma 1\n",
    "lemma 1 ",
    "First",
    "Second",
    "at-least ",
    "null",
    "true",
];

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

/// Returns the files of a folder of the corpus, in order of their names.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let entries = fs::read_dir(folder).expect("a corpus").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> = entries.collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths.into_iter().map(|path| fs::read(path).expect("a readable file")).collect()
}

/// Changes inputs at random.
struct Mutator<'c> {
    random: SplitMix,
    corpus: &'c [Vec<u8>],
}

impl Mutator<'_> {
    fn below(&mut self, end: usize) -> usize {
        (self.random.word() % end.max(1) as u64) as usize
    }

    /// Returns a short range of places in bytes.
    fn range(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(bytes.len() + 1);
        let length = 1 << self.below(8);
        start..(start + self.below(length) + 1).min(bytes.len()).max(start)
    }

    /// Returns a mutation of a file of the corpus.
    fn input(&mut self) -> Vec<u8> {
        let corpus = self.corpus;
        let mut bytes = corpus[self.below(corpus.len())].clone();
        for _ in 0..=self.random.word() % MAX_CHANGES {
            self.change(&mut bytes);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let range = self.range(bytes);
        match self.below(8) {
            0 if !range.is_empty() => bytes[range.start] ^= 1 << self.below(8),
            1 if !range.is_empty() => bytes[range.start] = self.random.word() as u8,
            2 => drop(bytes.drain(range)),
            3 => {
                let copy = bytes[range].to_vec();
                let place = self.below(bytes.len() + 1);
                bytes.splice(place..place, copy);
            }
            4 => {
                let corpus = self.corpus;
                let other = &corpus[self.below(corpus.len())];
                let part = self.range(other);
                bytes.splice(range, other[part].iter().copied());
            }
            5 => {
                let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
                let mut lines: Vec<Vec<u8>> = lines.into_iter().map(<[u8]>::to_vec).collect();
                let (a, b) = (self.below(lines.len()), self.below(lines.len()));
                lines.swap(a, b);
                *bytes = lines.join(&b'\n');
            }
            6 => {
                // A digit in place of another keeps the form of a number.
                let digits: Vec<usize> =
                    (0..bytes.len()).filter(|&at| bytes[at].is_ascii_hexdigit()).collect();
                if let Some(&at) = digits.get(self.below(digits.len())) {
                    bytes[at] = b"0123456789abcdef"[self.below(16)];
                }
            }
            _ => {
                let piece = PIECES[self.below(PIECES.len())];
                bytes.splice(range.start..range.start, piece.bytes());
            }
        }
    }
}

/// Runs a target on its corpus and on mutations; fails with the first input that it does not survive.
fn run(name: &str) {
    let (_, target) = TARGETS.iter().find(|(of, _)| *of == name).expect("a target");
    let corpus = corpus(name);
    let seed = setting("BOUTON_SEED").unwrap_or(1);
    let runs = setting("BOUTON_FUZZ_RUNS").unwrap_or(DEFAULT_RUNS);
    let mutations =
        (seed..seed + runs).map(|seed| Mutator { random: SplitMix::new(seed), corpus: &corpus }.input());
    let inputs = corpus.iter().cloned().chain(mutations);
    for (input, number) in inputs.zip(0..) {
        if catch_unwind(AssertUnwindSafe(|| target(&input))).is_err() {
            let seed = (seed + number).checked_sub(corpus.len() as u64);
            panic!("{name} fails, with the seed {seed:?}, on\n{}", input.escape_ascii());
        }
    }
}

#[test]
fn parser() {
    run("parser");
}

#[test]
fn formatter() {
    run("formatter");
}

#[test]
fn analysis() {
    run("analysis");
}

#[test]
fn certificates() {
    run("certificates");
}

#[test]
fn tables() {
    run("tables");
}

#[test]
fn checker() {
    run("checker");
}

#[test]
fn sheets() {
    run("sheets");
}

#[test]
fn messages() {
    run("messages");
}

#[test]
fn each_target_is_run() {
    let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    let run = ["parser", "formatter", "analysis", "certificates", "tables", "checker", "sheets", "messages"];
    assert_eq!(names, run);
}
