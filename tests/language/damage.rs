//! Damaged source files: checking the parser's result neither panics nor runs on, and every finding has a place in the
//! file. The tests explore a few positions if the rules are still playable.

use std::time::Duration;

use bouton_base::limits::Limits;
use bouton_driver::check;
use bouton_driver::load::GameSource;
use bouton_syntax::diag::{render, to_json};
use proptest::prelude::*;

use super::{game, slow};

/// Small games that use most of the language.
const SEEDS: &[&str] =
    &["tictactoe", "kalah", "go", "dice_race", "kuhn_poker", "english_draughts", "dots_and_boxes", "nim"];

fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let same: fn(char) -> bool = if first.is_alphanumeric() || first == '_' {
            |c| c.is_alphanumeric() || c == '_'
        } else if first.is_whitespace() {
            char::is_whitespace
        } else {
            |_| false
        };
        let end = rest.find(|c| !same(c)).unwrap_or(rest.len()).max(first.len_utf8());
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

#[derive(Clone, Debug)]
enum Damage {
    Delete(usize),
    Double(usize),
    Swap(usize, usize),
    Number(usize, i64),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = 0usize..4096;
    prop_oneof![
        at.clone().prop_map(Damage::Delete),
        at.clone().prop_map(Damage::Double),
        (at.clone(), at.clone()).prop_map(|(a, b)| Damage::Swap(a, b)),
        (at, prop_oneof![Just(0), Just(-1), Just(i64::MAX), 0i64..100])
            .prop_map(|(a, n)| Damage::Number(a, n)),
    ]
}

fn apply(text: &str, damages: &[Damage]) -> String {
    let mut words: Vec<String> = tokens(text).into_iter().map(str::to_string).collect();
    for damage in damages {
        let n = words.len().max(1);
        match *damage {
            Damage::Delete(at) if !words.is_empty() => drop(words.remove(at % n)),
            Damage::Double(at) if !words.is_empty() => words.insert(at % n, words[at % n].clone()),
            Damage::Swap(a, b) if !words.is_empty() => words.swap(a % n, b % n),
            Damage::Number(at, value) => {
                let numbers: Vec<usize> = (0..words.len())
                    .filter(|&i| words[i].starts_with(|c: char| c.is_ascii_digit()))
                    .collect();
                if let Some(&i) = numbers.get(at % numbers.len().max(1)) {
                    words[i] = value.to_string();
                }
            }
            _ => {}
        }
    }
    words.concat()
}

fn survives(source: &str) {
    let mut text = GameSource::from_string("game.bou", source);
    let limits = check::with_deadline(&Limits::default(), Duration::from_millis(100));
    let progress = bouton_base::limits::NoProgress;
    let report =
        check::check(&mut text, &check::CheckOptions { explore: 30, limits: &limits, progress: &progress });
    for found in &report.diagnostics {
        assert!(!render(&text.sources, found, false).is_empty());
        assert!(to_json(&text.sources, found).is_object());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if slow() { 2000 } else { 60 }, ..ProptestConfig::default() })]

    #[test]
    fn damaged_games_are_survived(seed in 0..SEEDS.len(), damages in prop::collection::vec(damage(), 1..4)) {
        let text = game(SEEDS[seed]);
        let source = apply(&text.sources.get(text.file).text, &damages);
        survives(&source);
    }
}
