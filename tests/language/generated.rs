//! Random games: sources from a grammar, each run by the definition and as a circuit. Sources that once showed a
//! difference are stored in the folder of this file's name.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bouton_backend::interp::Interpreter;
use bouton_backend::jit::{Jit, JitError, JitOptions};
use bouton_backend::{CountUnit, Runner};
use bouton_base::limits::{CancelToken, Limits};
use bouton_circuit::opt::PASSES;
use bouton_circuit::verify::{CircuitForm, verify};
use bouton_driver::load::{DriverError, GameSource};
use bouton_grounding::ground;
use bouton_search::game::{CompiledMachine, Machine, ReferenceMachine, circuit_of};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};

use super::machines::differ;
use super::slow;

mod maker;

/// The maximal number of values of a circuit that is compiled to machine code: a larger one would take seconds.
const MAX_COMPILED_VALUES: usize = 4000;

/// The result of a generated source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fate {
    /// All machines agree.
    Same { compiled: bool },
    /// The source has errors.
    Refused(String),
    /// The rules have no circuit, or none in time.
    NotLowered(String),
}

fn soon(seconds: u64) -> Limits {
    Limits { deadline: Some(Instant::now() + Duration::from_secs(seconds)), ..Limits::default() }
}

/// Runs a source on all machines; the error describes the first difference.
fn compare(source: &str, plies: u64) -> Result<Fate, String> {
    let mut text = GameSource::from_string("generated.bou", source);
    let rules = match text.game(None) {
        Ok(game) => game.rules,
        Err(DriverError::Errors(found)) => {
            let told = found.iter().map(|d| format!("{}: {}", d.code.name(), d.title));
            return Ok(Fate::Refused(told.collect::<Vec<String>>().join("; ")));
        }
        Err(other) => return Err(format!("{other:?}")),
    };
    if let Ok(ground) = ground(&rules, &soon(3)) {
        super::ground::agrees("written out", &rules, &ground, 2);
    }
    let reference = ReferenceMachine::new(rules.clone());
    let all: Vec<String> = PASSES.iter().map(|pass| pass.name.to_string()).collect();
    let mut counts = Vec::new();
    let mut fate = Fate::Same { compiled: true };
    for skipped in [&[], &all[..]] {
        let lowered = match circuit_of(&rules, skipped, &soon(3)) {
            Ok(lowered) => Arc::new(lowered),
            Err(why) => return Ok(Fate::NotLowered(why.what)),
        };
        let with = if skipped.is_empty() { "with passes" } else { "without passes" };
        verify(&lowered.circuit, CircuitForm::Scheduled).map_err(|error| format!("{with}: {error}"))?;
        let circuit = Arc::new(lowered.circuit.clone());
        let mut runners: Vec<(&str, Arc<dyn Runner>)> =
            vec![("interpreted", Arc::new(Interpreter::new(circuit.clone())))];
        if circuit.values.len() <= MAX_COMPILED_VALUES {
            match Jit::new(circuit.clone(), JitOptions::default()) {
                Ok(jit) => runners.push(("as machine code", Arc::new(jit))),
                // Few values may have many words.
                Err(JitError::TooLarge { .. }) => fate = Fate::Same { compiled: false },
                Err(error) => return Err(format!("{with}: {error}")),
            }
        } else {
            fate = Fate::Same { compiled: false };
        }
        for (how, runner) in runners {
            let at = &circuit.initial;
            let stop = CancelToken::default();
            counts.push(format!("{:?}", runner.perft(at, 2, CountUnit::Move, &stop)));
            let compiled = CompiledMachine::new(rules.clone(), lowered.clone(), runner);
            let reference = reference.with_limits(&soon(3)).expect("the definition hears limits");
            let found = differ(&rules, &*reference, &compiled, 2, plies);
            found.map_err(|difference| format!("{how} {with}{difference}"))?;
        }
    }
    match counts.iter().all(|count| *count == counts[0]) {
        true => Ok(fate),
        false => Err(format!("sequences are counted differently: {counts:?}")),
    }
}

/// Like [`compare`], with a panic as a difference.
fn compare_catching_panics(source: &str, plies: u64) -> Result<Fate, String> {
    let said = std::panic::catch_unwind(|| compare(source, plies));
    said.unwrap_or_else(|panic| {
        let told = panic.downcast_ref::<String>().cloned();
        Err(told.or_else(|| panic.downcast_ref::<&str>().map(|told| told.to_string())).unwrap_or_default())
    })
}

/// Returns the end of the group that the bracket at `open` starts, after its closing bracket; `None` if it is not
/// closed.
fn closed(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text[open..].char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open + at + 1);
        }
    }
    None
}

/// Shrinks a source that still shows a difference: omits statements and replaces terms by their parts.
fn smaller(text: String, plies: u64, until: Instant) -> String {
    let mut text = text;
    let mut at = 0;
    while at < text.len() && Instant::now() < until {
        let mut tried: Vec<String> = Vec::new();
        let with = |from: usize, to: usize, by: &str| [&text[..from], by, &text[to..]].concat();
        let begins_line = at == 0 || text.as_bytes()[at - 1] == b'\n';
        let line = at + text[at..].find('\n').unwrap_or(text.len() - at);
        if begins_line {
            // A line, with the block that it opens; or the block without the text around it.
            match text[at..line].find('{').and_then(|open| closed(&text, at + open)) {
                Some(end) if end > line => {
                    tried.push(with(at, end, ""));
                    tried.push(with(at, end, &text[line..end - 1]));
                }
                _ => tried.push(with(at, (line + 1).min(text.len()), "")),
            }
        }
        if let (b'(' | b'{', Some(end)) = (text.as_bytes()[at], closed(&text, at)) {
            tried.extend(["true", "Cell", "a1", "1"].map(|by| with(at, end, by)));
            let inner = text[at + 1..end].match_indices(['(', '{']);
            for from in inner.map(|(place, _)| at + 1 + place) {
                tried.extend(closed(&text, from).map(|to| with(at, end, &text[from..to])));
            }
        }
        let shorter =
            |tried: &String| tried.len() < text.len() && compare_catching_panics(tried, plies).is_err();
        match tried.into_iter().find(shorter) {
            Some(better) => text = better,
            None => at += 1,
        }
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    text
}

/// Returns the reason without the numbers, which differ from source to source.
fn gist(reason: &str) -> String {
    reason.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[test]
fn generated_games_are_the_same_on_all_machines() {
    let seed = std::env::var("BOUTON_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let cases = if slow() { 2000 } else { 120 };
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        max_shrink_time: 10_000,
        max_shrink_iters: 3000,
        ..Config::default()
    };
    let fates = RefCell::new(Vec::new());
    let choices = proptest::collection::vec(any::<u32>(), 0..700);
    let said = TestRunner::new(config).run(&choices, |given| {
        let text = maker::game(maker::ChoiceSequence::new(given));
        match compare_catching_panics(&text, 12) {
            Ok(fate) => {
                fates.borrow_mut().push((fate, text));
                Ok(())
            }
            Err(difference) => Err(TestCaseError::fail(difference)),
        }
    });
    if let Err(TestError::Fail(reason, given)) = said {
        let text = maker::game(maker::ChoiceSequence::new(given));
        let until = Instant::now() + Duration::from_secs(40);
        let text = smaller(smaller(text, 12, until), 12, until);
        panic!("{reason}\n\n{text}\n{:?}", compare_catching_panics(&text, 12));
    }
    let fates = fates.into_inner();
    let mut tally: Vec<(usize, String)> = Vec::new();
    for (fate, _) in &fates {
        let name = match fate {
            Fate::Same { .. } => format!("{fate:?}"),
            Fate::Refused(why) | Fate::NotLowered(why) => gist(why),
        };
        match tally.iter_mut().find(|(_, of)| *of == name) {
            Some((count, _)) => *count += 1,
            None => tally.push((1, name)),
        }
    }
    tally.sort_by(|a, b| b.cmp(a));
    let count = |of: fn(&Fate) -> bool| fates.iter().filter(|(fate, _)| of(fate)).count();
    let refused: Vec<_> = fates.iter().filter(|(fate, _)| matches!(fate, Fate::Refused(_))).collect();
    for (fate, text) in refused.iter().take(if slow() { 0 } else { 2 }) {
        println!("{fate:?}\n{text}");
    }
    tally.iter().for_each(|(count, name)| println!("{count:5} {name}"));
    assert!(refused.len() * 20 <= fates.len(), "the generator makes texts with errors");
    assert!(count(|fate| matches!(fate, Fate::Same { .. })) * 2 >= fates.len(), "few texts are lowered");
    assert!(
        count(|fate| *fate == Fate::Same { compiled: true }) * 3 >= fates.len(),
        "few texts are compiled"
    );
}

#[test]
fn texts_that_once_differed_do_not() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/language/generated");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "bou"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a text");
        let fate = compare_catching_panics(&text, 30)
            .unwrap_or_else(|difference| panic!("{}: {difference}", path.display()));
        assert_eq!(fate, Fate::Same { compiled: true }, "{}", path.display());
    }
}

/// The player who acts in a phase is named by a term with variables of its own.
#[test]
fn who_acts_may_depend_on_a_count() {
    let text = "game \"By\"; players Ann, Bob; board Cell = grid(2, 2);
        phases { turn by if (count x in Cell: at[x] != none) = 1 then Ann else mover;
                 more by { p in Player where at[a1] = p or { c in Cell where at[c] != none } = {} }; }
        state { at[c: Cell]: Player? = none; }
        move put(c: Cell) in turn { when at[c] = none; at[c] := me; if c = a1 { continue more; } }
        move mark(c: Cell) in more { when at[c] = none; at[c] := other(me); }
        end { when stuck => mover loses; }";
    let fate = compare_catching_panics(text, 12);
    assert_eq!(fate, Ok(Fate::NotLowered("a phase of a player who changes".into())));
    // Where nothing changes, it is known.
    let fixed = text.replace("at[x] != none) = 1", "x.row = 1) = 2").replace("at[a1] = p or", "p = Ann or");
    let fixed =
        fixed.replace("{ c in Cell where at[c] != none } = {}", "{ c in Cell where c.row > 2 } != {}");
    assert_eq!(compare_catching_panics(&fixed, 12), Ok(Fate::Same { compiled: true }));
}
