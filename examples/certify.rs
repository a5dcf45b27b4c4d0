//! Makes a certificate and verifies it: `cargo run --example certify -- games/nim.bou nim.cert`.

use bouton::{Certificate, Error, Limits, Project, SolveOptions, verify};

fn main() -> Result<(), Error> {
    let path = std::env::args().nth(1).unwrap_or("games/nim.bou".into());
    let out = std::env::args().nth(2).unwrap_or("nim.cert".into());
    print!("{}", certify(&path, &out)?);
    Ok(())
}

/// Writes the certificate of a game, reads it back, and returns the verdict of the checker on it.
pub fn certify(path: &str, out: &str) -> Result<String, Error> {
    let project = Project::open(path)?;
    let options = SolveOptions { certificate: true, ..SolveOptions::default() };
    let solution = project.load()?.solve(&options)?;
    let certificate =
        solution.certificate().ok_or_else(|| Error::NotSolved("there is no certificate".into()))?;
    certificate.save(out)?;

    let read = Certificate::open(out)?;
    let (own, given) = (verify(&read, &Limits::default())?, project.verify(&read)?);
    assert_eq!(own.accepted, given.accepted, "the copy of the rules is that of the file");
    Ok(own.to_string())
}
