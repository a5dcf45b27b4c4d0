//! Mutants of the project. A copy of the project gets small changes, each behind a switch, and is built once.
//!
//! * Mutants of the crates that are not trusted (solvers, detectors, compilers, back ends, the planner) solve small games:
//!   none may make a certificate with a false claim that the checker accepts.
//! * Conditions of the checker and of the reader of certificates are left out one by one: the tests with false
//!   certificates say which of them then accept one.
//!
//! Both are slow: `BOUTON_SLOW=1 cargo test --release --test mutants -- --nocapture`, with `BOUTON_MUTANTS` as the number
//! of mutants and `BOUTON_SEED` as the seed of their choice. Figures are in `docs/certificates.md`.

mod cases;
mod copy;
mod rewrite;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bouton_base::random::SplitMix;
use serde_json::Value;

use cases::{CASES, Truth};
use copy::{Copy, Ended};
use rewrite::Sort;

/// The crates that find and compute, and are not trusted.
const UNTRUSTED: &[&str] =
    &["src/backend/", "src/circuit/", "src/detect/", "src/driver/", "src/lower/", "src/search/"];
/// The crates whose conditions refuse certificates.
const CONDITIONS: &[&str] = &["src/certificates/", "src/checker/", "src/obligations/"];
/// The tests that have false certificates, for cargo.
const CONDITION_TESTS: &[&str] = &[
    "-p",
    "bouton-certificates",
    "-p",
    "bouton-checker",
    "-p",
    "bouton-obligations",
    "-p",
    "bouton-verify",
    "--lib",
    "--test",
    "false_certificates",
];
/// The number of mutants unless `BOUTON_MUTANTS` gives another.
const MUTANTS: usize = 300;
/// The number of cases that a mutant solves, among those that reach it.
const CASES_A_MUTANT: usize = 4;
/// The time of all cases of a mutant.
const TIME: Duration = Duration::from_secs(60);

fn is_slow() -> bool {
    let slow = std::env::var_os("BOUTON_SLOW").is_some();
    if !slow {
        println!("skipped: BOUTON_SLOW is not set");
    }
    slow
}

fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Returns some of these, in random order.
fn sample<T: Clone>(from: &[T], count: usize, rng: &mut SplitMix) -> Vec<T> {
    let mut left = from.to_vec();
    let mut taken = Vec::new();
    while taken.len() < count && !left.is_empty() {
        taken.push(left.swap_remove((rng.word() % left.len() as u64) as usize));
    }
    taken
}

/// The effects of mutants on the answers of the cases that reach them.
#[derive(Default, Debug)]
struct Tally {
    mutants: usize,
    cases: usize,
    /// Mutants after which all answers are as before.
    same: usize,
    /// Mutants after which an answer is another, none, or unproved.
    different: usize,
    /// Mutants after which the program ends in a panic or a crash.
    crashed: usize,
    /// Mutants after which the program does not end in time.
    late: usize,
    /// Mutants that state a false value, which the checker was not asked to accept or refused.
    false_values: usize,
}

#[test]
fn no_mutant_proves_a_falsehood() {
    if !is_slow() {
        return;
    }
    let (count, seed) = (number("BOUTON_MUTANTS", MUTANTS), number("BOUTON_SEED", 1));
    println!("BOUTON_MUTANTS={count} BOUTON_SEED={seed}");
    let copy = Copy::build("untrusted", UNTRUSTED, Sort::Token, &["--example", "probe"]);
    let probe = copy.root.join("target/debug/examples/probe");
    let traced = copy.root.join("target/reached");
    let _ = std::fs::remove_file(&traced);
    // All cases in one process, without a mutant.
    let Ended::Normally(output) =
        copy.run(&probe, CASES, &[("BOUTON_REACHED", &traced.display().to_string())], 20 * TIME)
    else {
        panic!("the copy does not solve the cases")
    };
    let answers: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), CASES.len(), "{output}");
    let truths = Truth::of_cases(&answers);
    let mut cases_of: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (case, line) in std::fs::read_to_string(&traced).expect("a trace").lines().enumerate() {
        for id in line.split_whitespace() {
            cases_of.entry(id.parse().expect("a number")).or_default().push(case);
        }
    }
    println!("{} mutants, {} of them reached by {} cases", copy.mutants.len(), cases_of.len(), CASES.len());
    let reached: Vec<u32> = cases_of.keys().copied().collect();
    let mut rng = SplitMix::new(seed as u64);
    let (mut tally, mut falsehoods) = (Tally::default(), Vec::new());
    for id in sample(&reached, count, &mut rng) {
        let chosen = sample(&cases_of[&id], CASES_A_MUTANT, &mut rng);
        let arguments: Vec<&str> = chosen.iter().map(|&case| CASES[case]).collect();
        let ended = copy.run(&probe, &arguments, &[("BOUTON_MUTANT", &id.to_string())], TIME);
        tally.mutants += 1;
        tally.cases += arguments.len();
        let output = match &ended {
            Ended::Normally(output) | Ended::Crashed(output) | Ended::Late(output) => output,
        };
        let (mut different, mut lies) = (false, false);
        for (&case, line) in chosen.iter().zip(output.lines()) {
            let Ok(answer) = serde_json::from_str::<Value>(line) else { continue };
            different |= answer != answers[case];
            lies |= truths[case].denies_value(&answer);
            if let Some(claim) = truths[case].falsehood(&answer) {
                falsehoods.push(format!("{}: {}: {claim}", copy.describe(id), CASES[case]));
            }
        }
        match ended {
            Ended::Crashed(_) => tally.crashed += 1,
            Ended::Late(_) => tally.late += 1,
            Ended::Normally(_) if different => tally.different += 1,
            Ended::Normally(_) => tally.same += 1,
        }
        tally.false_values += usize::from(lies);
    }
    println!("{tally:?}");
    assert!(
        falsehoods.is_empty(),
        "{} false claims were accepted:\n{}",
        falsehoods.len(),
        falsehoods.join("\n")
    );
}

/// The outcome of the tests without a condition, the clearest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    /// A false or ill-formed certificate is accepted.
    Accepted,
    /// A test of the checker's own fails.
    Noticed,
    /// Another condition refuses the certificate, later or for another reason.
    RefusedOtherwise,
    /// The check ends in a panic, which refuses nothing and accepts nothing.
    Panicked,
    /// The check does not end in time.
    Late,
    /// No test notices.
    Unnoticed,
}

impl Outcome {
    /// The outcome of a test, with what the checker said instead of the reason.
    fn of(ended: Ended) -> (Outcome, String) {
        let output = match ended {
            Ended::Normally(_) => return (Outcome::Unnoticed, String::new()),
            Ended::Late(_) => return (Outcome::Late, String::new()),
            Ended::Crashed(output) => output,
        };
        let given =
            |prefix| output.lines().find_map(|line| line.split_once("given:    ")?.1.strip_prefix(prefix));
        match (given("accepted: "), given("")) {
            (Some(claim), _) => (Outcome::Accepted, format!("\n        {claim}")),
            (None, Some(reason)) => (Outcome::RefusedOtherwise, format!("\n        {reason}")),
            (None, None) if output.contains("panicked at src/checker/") && !output.contains("assertion") => {
                (Outcome::Panicked, String::new())
            }
            (None, None) => (Outcome::Noticed, String::new()),
        }
    }
}

#[test]
fn conditions_left_out_accept_false_certificates() {
    if !is_slow() {
        return;
    }
    let copy = Copy::build("conditions", CONDITIONS, Sort::Condition, CONDITION_TESTS);
    let tests = copy.test_binaries(CONDITION_TESTS);
    for test in &tests {
        assert!(matches!(copy.run(test, &[], &[], TIME), Ended::Normally(_)), "{} fails", test.display());
    }
    let mut by_outcome: BTreeMap<Outcome, BTreeSet<String>> = BTreeMap::new();
    for id in 0..copy.mutants.len() as u32 {
        let outcome = |test| Outcome::of(copy.run(test, &[], &[("BOUTON_MUTANT", &id.to_string())], TIME));
        let (clearest, given) = tests.iter().map(|test| outcome(test)).min().expect("a test");
        by_outcome.entry(clearest).or_default().insert(format!("{}{given}", copy.describe(id)));
    }
    for (outcome, conditions) in &by_outcome {
        println!("{outcome:?}: {}", conditions.len());
        for condition in conditions {
            println!("    {condition}");
        }
    }
    assert!(by_outcome.contains_key(&Outcome::Accepted));
}
