//! Filetests of the passes over circuits, of folding and of scheduling, in the text of circuits.

mod pass_file;
mod runner;

use std::collections::BTreeMap;

use bouton_circuit::opt::PASSES;
use bouton_circuit::print::print;

use pass_file::PassTest;

/// The expected output if the last pass changes nothing.
const UNCHANGED: &str = "unchanged\n";

/// Returns the lines that define values.
fn values(circuit: &str) -> Vec<&str> {
    circuit.lines().filter(|line| line.starts_with('v')).collect()
}

#[test]
fn passes_change_circuits_as_expected() {
    runner::run("passes", |file| {
        let test = PassTest::new(&file.input)?;
        let built = print(&test.after(&[])?);
        let Some((_, others)) = test.passes.split_last() else { return Ok(built) };
        // Otherwise the output would show changes that no pass made.
        if values(&built) != values(&print(&test.circuit)) {
            return Err(format!("its values are folded or unused already before the passes:\n{built}"));
        }
        let (before, after) = (print(&test.after(others)?), print(&test.after(&test.passes)?));
        Ok(if after == before { UNCHANGED.to_owned() } else { after })
    });
}

#[test]
fn each_pass_has_files_that_it_changes_and_one_that_it_does_not() {
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for file in runner::filetests("passes") {
        let test = PassTest::new(&file.input).unwrap_or_else(|why| panic!("{}: {why}", file.path.display()));
        if let Some(last) = test.passes.last() {
            let (applies, other) = counts.entry(last.name).or_default();
            *if file.expected == UNCHANGED { other } else { applies } += 1;
        }
    }
    for pass in PASSES {
        let (applies, other) = counts.get(pass.name).copied().unwrap_or_default();
        assert!(applies >= 1 && other >= 1 && applies + other >= 3, "{}: {applies} and {other}", pass.name);
    }
}
