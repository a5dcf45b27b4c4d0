//! Lists every first move with its value: `cargo run --example first_moves -- games/nim.bou`.

use bouton::{Error, Project, SolveOptions};

fn main() -> Result<(), Error> {
    let path = std::env::args().nth(1).unwrap_or("games/nim.bou".into());
    print!("{}", first_moves(&path)?);
    Ok(())
}

/// Returns a line for each legal move of the first position.
pub fn first_moves(path: &str) -> Result<String, Error> {
    let options = SolveOptions { all_moves: true, ..SolveOptions::default() };
    let solution = Project::open(path)?.load()?.solve(&options)?;
    let mut lines = String::new();
    for of in solution.moves() {
        let value = of.value.as_ref().map_or("not known".into(), ToString::to_string);
        lines += &format!("{:<6} {value}\n", of.name);
    }
    Ok(lines)
}
