//! Values of perfect play, and numbers.

use bouton::{Number, Outcome};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The result of a game under perfect play, or of a finished one.
///
/// >>> value = bouton.load("games/nim.bou").solve().value
/// >>> value.outcome, value.winner, value.plies, str(value)
/// ('win', 'First', 11, 'First wins in 11 plies')
/// >>> value.payoffs
/// {'First': Fraction(1, 1), 'Second': Fraction(-1, 1)}
#[pyclass(frozen, eq, name = "Value", module = "bouton")]
#[derive(Clone, PartialEq)]
pub struct PyValue(pub bouton::Value);

#[pymethods]
impl PyValue {
    /// The kind of the result: `win`, `draw`, `payoff`, `solved` or `unsolvable`.
    #[getter]
    fn outcome(&self) -> &'static str {
        match &self.0.outcome {
            Outcome::Win(_) => "win",
            Outcome::Draw => "draw",
            Outcome::Payoff => "payoff",
            Outcome::Solved => "solved",
            Outcome::Unsolvable => "unsolvable",
            _ => "other",
        }
    }

    /// The name of the player who wins; None if nobody does.
    #[getter]
    fn winner(&self) -> Option<&str> {
        match &self.0.outcome {
            Outcome::Win(winner) => Some(winner),
            _ => None,
        }
    }

    /// The payoff of each player as an exact fraction; a win, draw, loss are 1, 0, -1.
    #[getter]
    fn payoffs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let payoffs = PyDict::new(py);
        for (name, payoff) in &self.0.payoffs {
            payoffs.set_item(name, fraction(py, payoff)?)?;
        }
        Ok(payoffs)
    }

    /// The plies to the end: the winner hurries, the loser delays. None if they are not counted.
    #[getter]
    fn plies(&self) -> Option<u32> {
        self.0.plies
    }

    /// The first player's score less the second's, if they play for it.
    #[getter]
    fn margin<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.margin.as_ref().map(|margin| fraction(py, margin)).transpose()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Value: {}>", self.0)
    }
}

/// The number as an exact `fractions.Fraction`.
pub fn fraction<'py>(py: Python<'py>, number: &Number) -> PyResult<Bound<'py, PyAny>> {
    py.import("fractions")?.getattr("Fraction")?.call1((number.to_string(),))
}
