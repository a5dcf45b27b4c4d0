//! Plays a game: the first player by the solution, the other at random: `cargo run --example play -- GAME SEED`.

use bouton::{Error, Project, SolveOptions, Turn};

fn main() -> Result<(), Error> {
    let path = std::env::args().nth(1).unwrap_or("games/nim.bou".into());
    let seed = std::env::args().nth(2).and_then(|seed| seed.parse().ok()).unwrap_or(1);
    print!("{}", play(&path, seed)?);
    Ok(())
}

/// Returns the moves of a game, and its last position.
pub fn play(path: &str, seed: u64) -> Result<String, Error> {
    let game = Project::open(path)?.load()?;
    let solution = game.solve(&SolveOptions::default())?;
    let (mut position, mut random, mut moves) = (game.start(), seed, Vec::new());
    loop {
        let best = solution.strategy().map(|strategy| strategy.best_moves(&position)).unwrap_or_default();
        let name = match position.turn()? {
            Turn::Over(value) => return Ok(format!("{}: {value}\n{position}", moves.join(" "))),
            Turn::Player(player) if player == game.players()[0] && !best.is_empty() => best[0].clone(),
            _ => {
                // A linear congruential generator, of which the high bits are random enough.
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let legal = position.moves()?;
                legal[(random >> 33) as usize % legal.len()].name.clone()
            }
        };
        position = position.play(&name)?;
        moves.push(name);
    }
}
