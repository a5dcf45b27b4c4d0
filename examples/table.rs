//! Solves a game for many values of a parameter: `cargo run --example table -- games/subtraction.bou n 12`.

use bouton::{Error, Project, SolveOptions};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or("games/subtraction.bou".into());
    let param = arguments.next().unwrap_or("n".into());
    let last = arguments.next().and_then(|last| last.parse().ok()).unwrap_or(12);
    print!("{}", table(&path, &param, last)?);
    Ok(())
}

/// Returns a line for each value of the parameter from 1 to `last`: the value and the nimber.
pub fn table(path: &str, param: &str, last: u32) -> Result<String, Error> {
    let project = Project::open(path)?;
    let options = SolveOptions { method: Some("grundy".into()), ..SolveOptions::default() };
    let mut lines = String::new();
    for n in 1..=last {
        let solution = project.clone().set(param, n).load()?.solve(&options)?;
        let nimber = solution.nimber().map_or("?".into(), |nimber| nimber.to_string());
        lines += &format!("{param} = {n:<3} nimber {nimber:<3} {}\n", solution.value()?);
    }
    Ok(lines)
}
