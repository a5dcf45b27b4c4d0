//! Solves cases, one a line of the arguments: a file, a method, settings. Prints a line of JSON a case: the value, the
//! claim that was called proved, and the verdict of the checker on the certificate.

use std::time::Duration;

use bouton::{Limits, Project, SolveOptions, Solution, verify};
use bouton_base::heap::CountingAllocator;

#[global_allocator]
static HEAP: CountingAllocator = CountingAllocator;

fn main() {
    for case in std::env::args().skip(1) {
        let report = match solve(&case) {
            Ok(solution) => describe(&solution),
            Err(error) => serde_json::json!({ "error": error.to_string() }),
        };
        println!("{report}");
        bouton_base::mutants::write_reached();
    }
}

fn solve(case: &str) -> Result<Solution, bouton::Error> {
    let mut words = case.split_whitespace();
    let (file, method) = (words.next().expect("a file"), words.next().expect("a method"));
    let mut project = Project::open(file)?;
    for setting in words {
        let (name, value) = setting.split_once('=').expect("a setting");
        project = project.set(name, value);
    }
    let limits = Limits { time: Some(Duration::from_secs(20)), memory: Some(1 << 30), ..Limits::default() };
    let options = SolveOptions {
        method: Some(method.into()),
        certificate: true,
        threads: Some(1),
        limits,
        ..SolveOptions::default()
    };
    project.load()?.solve(&options)
}

fn describe(solution: &Solution) -> serde_json::Value {
    let json = serde_json::to_value(solution).expect("JSON");
    let limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
    let verdict = solution.certificate().map(|certificate| verify(certificate, &limits));
    let accepted = match &verdict {
        Some(Ok(verdict)) if verdict.accepted => verdict.claim.clone(),
        _ => None,
    };
    serde_json::json!({
        "value": json["value"],
        "status": json["status"],
        "remoteness": json["remoteness"],
        "called_proved": solution.proof(),
        "accepted": accepted,
    })
}
