//! Published problems: `test` decides within ten seconds a claim what `solve` decides.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use bouton_base::limits::{Limits, NoProgress};
use bouton_driver::budget::Budget;
use bouton_driver::load::GameSource;
use bouton_driver::planner::{Plan, Question};
use bouton_driver::test::{TestOptions, test};
use bouton_rules::Claim;
use bouton_search::solve::{SolveOptions, Status};

/// The time for each claim, and for `solve`.
const CLAIM_TIME: Duration = Duration::from_secs(10);

#[test]
fn claims_are_decided_as_positions_are_solved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/public");
    let Ok(files) = fs::read_dir(&folder) else {
        eprintln!("skipped: there is no folder {}", folder.display());
        return;
    };
    if !super::slow() {
        return;
    }
    let mut paths: Vec<_> = files.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut missed = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ext| ext == "bou")) {
        let source = fs::read_to_string(path).expect("a text");
        let name = path.display().to_string();
        let mut text = GameSource::from_string(&name, &source);
        let budget = Budget { time: Some(CLAIM_TIME), memory: Some(4 << 30), ..Budget::default() };
        let report = test(&mut text, &TestOptions { all: true, budget: &budget, progress: &NoProgress });
        if !report.failures.is_empty() {
            missed.push(format!("{name}: {:?}", report.failures));
        }
        for group in 0..text.outline.groups {
            let Ok(game) = text.game(Some(group)) else { continue };
            let is_unknown = |span| report.unknown.iter().any(|claim| claim.span == span);
            let open = game.rules.expectations.iter().filter(|claim| is_unknown(claim.span));
            let is_outcome = |claim: &&bouton_rules::Expectation| {
                matches!(claim.claim, Claim::Draw | Claim::Player { plies: None, .. })
            };
            let open: Vec<_> = open.filter(is_outcome).collect();
            if open.is_empty() {
                continue;
            }
            let deadline = Some(Instant::now() + CLAIM_TIME);
            let limits = Limits { deadline, memory_bytes: Some(4 << 30), ..Limits::default() };
            let (start, options) = (game.machine.initial(), SolveOptions::default());
            let solved = Plan::new(Question::new(&game, &start, &options, &limits)).run(&NoProgress);
            if solved.is_ok_and(|answer| answer.solution.status == Status::Solved) {
                missed.push(format!("{name}: {} {:?}", open.len(), game.rules.params));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
