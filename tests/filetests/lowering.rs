//! Filetests of lowering: rules, and the circuit that they become without passes.

mod runner;

use bouton_base::limits::Limits;
use bouton_circuit::print::print;
use bouton_circuit::verify::{CircuitForm, verify};
use bouton_lower::{CellLayout, LowerOptions, lower_with};
use bouton_project::RuleFiles;

/// The line that selects a number for each cell.
const CODES: &str = "// cells: codes";

#[test]
fn rules_become_circuits_as_expected() {
    runner::run("lower", |file| {
        let analysis = RuleFiles::from_string("g.bou", &file.input).analyze(None);
        let findings =
            || analysis.diagnostics.iter().map(|found| format!("{}: {}", found.code.name(), found.title));
        let rules = analysis.rules.as_ref().ok_or_else(|| findings().collect::<Vec<_>>().join("\n"))?;
        let codes = file.input.lines().any(|line| line == CODES);
        let options = LowerOptions { cells: if codes { CellLayout::Codes } else { CellLayout::Planes } };
        let circuit =
            lower_with(rules, options, &Limits::default(), &|_| {}).map_err(|why| why.what)?.circuit;
        verify(&circuit, CircuitForm::Scheduled).map_err(|why| why.to_string())?;
        Ok(print(&circuit))
    });
}
