//! Says who wins: `cargo run --example who_wins -- games/hex.bou n=3`.

use bouton::{Error, Project, SolveOptions};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or("games/nim.bou".into());
    print!("{}", who_wins(&path, arguments)?);
    Ok(())
}

/// Returns the verdict on a game with settings, `name=value` each.
pub fn who_wins(path: &str, settings: impl Iterator<Item = String>) -> Result<String, Error> {
    let mut project = Project::open(path)?;
    for setting in settings {
        let (name, value) = setting.split_once('=').unwrap_or((&setting, "true"));
        project = project.set(name, value);
    }
    let solution = project.load()?.solve(&SolveOptions::default())?;
    let (method, why) = solution.method();
    let status = solution.proof().map_or("computed".into(), |claim| format!("proved: {claim}"));
    Ok(format!("{solution}\n{method}: {why}\n{status}\n"))
}
