//! The language from the users' view: every page of `bouton explain`, mistakes beyond them, every game, libraries,
//! published figures, damaged source files.
//!
//! Slow tests run only with `BOUTON_SLOW=1`.

mod ahead;
mod chance;
mod circuit_sizes;
mod compiling;
mod damage;
mod depth_first;
mod examples;
mod faults;
mod figures;
mod folding;
mod front_end;
mod gallery;
mod games;
mod generated;
mod graph_games;
mod ground;
mod hidden_teams;
mod kept;
mod libraries;
mod limits;
mod loops;
mod machines;
mod matchings;
mod methods;
mod mistakes;
mod mixed;
mod numbers;
mod pages;
mod partizan;
mod passes;
mod products;
mod public_cases;
mod puzzle_certificates;
mod puzzles;
mod reports;
mod router;
mod rows;
mod sampling;
mod scores;
mod scouts;
mod several_players;
mod soundness;
mod stealing;
mod strategies;
mod strong;
mod sums;
mod sure_win;
mod tables;
mod traces;
mod undominated;

use std::time::Duration;

use bouton_base::heap::CountingAllocator;
use bouton_base::limits::{Limits, NoProgress};
use bouton_certificates::{self as cert, Certificate};
use bouton_checker::{Verdict, verify};
use bouton_driver::budget::Budget;
use bouton_driver::check::{self, with_deadline};
use bouton_driver::load::GameSource;
use bouton_driver::{solvers, test};
use bouton_search::game::{Backend, Game, State};
use bouton_search::solve::certify::{CertificateOptions, certificate};
use bouton_search::solve::{Solution, SolveOptions, SolveRequest, Solver};
use bouton_syntax::diag::Severity;

/// Returns the solver of that name.
fn method(name: &str) -> &'static dyn Solver {
    solvers::named(name).expect("a method")
}

/// Solves a position by one method, without a plan.
fn solved(
    game: &Game,
    state: &State,
    method: &'static dyn Solver,
    options: &SolveOptions,
    limits: &Limits,
) -> Solution {
    method.solve(&SolveRequest::new(game, state, options, limits, &NoProgress)).expect("sound rules")
}

/// Solves the first position of a game by a strategy of one kind.
fn by_strategy(game: &Game, name: &str) -> Solution {
    solved(game, &game.machine.initial(), method(name), &SolveOptions::default(), &Limits::default())
}

/// Counts the memory of compilation, as in the binary.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Returns true if the slow tests run, too.
fn slow() -> bool {
    std::env::var_os("BOUTON_SLOW").is_some()
}

/// Returns true if tests run that take minutes each, too.
fn all_day() -> bool {
    std::env::var_os("BOUTON_SLOW").is_some_and(|value| value == "2")
}

/// Returns all findings of `check`, exploring at most `explore` positions.
fn checked(text: &mut GameSource, explore: u64) -> check::CheckReport {
    let limits = with_deadline(&Limits::default(), Duration::from_secs(120));
    check::check(text, &check::CheckOptions { explore, limits: &limits, progress: &NoProgress })
}

/// Returns the verdicts of `test`, with the limit `time` for each expectation.
fn tested(text: &mut GameSource, time: Duration) -> test::TestRunReport {
    let budget = Budget { time: Some(time), memory: Some(1 << 30), ..Budget::default() };
    let mut report =
        test::test(text, &test::TestOptions { all: false, budget: &budget, progress: &NoProgress });
    report.silence(text);
    report
}

/// Returns a game of the folder `games/`.
fn game(name: &str) -> GameSource {
    let path = format!("{}/games/{name}.bou", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("a game of games/");
    GameSource::from_string(&format!("games/{name}.bou"), &text)
}

/// Returns a game of the folder `games/` with settings, on one of the machines.
fn set(name: &str, settings: &[&str], backend: Backend) -> Game {
    let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
    let mut text = game(name).with_settings(&settings, None).unwrap_or_else(|e| panic!("{name}: {e}"));
    text.backend = backend;
    text.game(None).unwrap_or_else(|e| panic!("{e:?}"))
}

/// Returns the game of a source with settings.
fn of(text: GameSource, settings: &[&str]) -> Game {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    text.with_settings(&settings, None).expect("settings").game(None).expect("sound rules")
}

/// Returns the certificate of a solution of the first position, which is read as it was written.
fn proof(game: &Game, solution: &Solution) -> Certificate {
    let limits = Limits::default();
    let wanted = CertificateOptions { strong: false, positions: None, limits: &limits };
    let made = certificate(game, &game.machine.initial(), solution, &wanted).expect("a certificate");
    assert_eq!(cert::parse(&cert::write(&made)).as_ref(), Ok(&made), "{}", game.rules.name);
    made
}

/// Verifies a certificate; the error is the reason for the refusal.
fn accepts(game: &Game, certificate: &Certificate) -> Result<(), String> {
    match verify(&game.rules, certificate, &Limits::default(), None) {
        Verdict::Accepted(_) => Ok(()),
        Verdict::Rejected(rejection) => Err(rejection.reason),
        Verdict::Limit(hit) => Err(hit.to_string()),
    }
}

/// Returns the names of all games of the folder `games/`, in order.
fn names() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/games");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the games")
        .filter_map(|entry| {
            let name = entry.expect("an entry").file_name();
            name.to_string_lossy().strip_suffix(".bou").map(str::to_owned)
        })
        .collect();
    names.sort();
    names
}

/// Returns the codes of findings that are more than notes.
fn serious(found: &[bouton_syntax::diag::Diagnostic]) -> Vec<&'static str> {
    found.iter().filter(|d| d.severity() > Severity::Note).map(|d| d.code.name()).collect()
}

/// Compares a string with its snapshot in `snapshots/`.
fn assert_text_snapshot(name: &str, text: &str) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}
