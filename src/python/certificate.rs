//! The check of certificates.

use bouton::Certificate;
use pyo3::prelude::*;

use crate::answer::to_python;
use crate::game::RulesArgument;
use crate::work;

/// The verdict of the checker. It is true if the certificate was accepted.
///
/// >>> answer = bouton.load("games/nim.bou").solve()
/// >>> verdict = bouton.verify("games/nim.bou", answer.certificate)
/// >>> bool(verdict), verdict.claim
/// (True, 'First wins within 11 plies')
#[pyclass(frozen, name = "Verdict", module = "bouton")]
pub struct PyVerdict(pub bouton::Verdict);

#[pymethods]
impl PyVerdict {
    /// True if the claim is proved.
    #[getter]
    fn accepted(&self) -> bool {
        self.0.accepted
    }

    /// The claim in words; None if the certificate is damaged.
    #[getter]
    fn claim(&self) -> Option<&str> {
        self.0.claim.as_deref()
    }

    /// The reason why the certificate was not accepted.
    #[getter]
    fn reason(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }

    /// The data, as `bouton verify --json` prints it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }

    fn __bool__(&self) -> bool {
        self.0.accepted
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let words = self.0.to_string();
        format!("<Verdict: {}>", words.lines().next().unwrap_or_default())
    }
}

/// Checks the text of a certificate against rules, or against its own copy of them.
#[pyfunction]
#[pyo3(signature = (certificate, rules = None, time = None, memory = None))]
pub fn verify(
    py: Python<'_>,
    certificate: String,
    rules: Option<RulesArgument>,
    time: Option<f64>,
    memory: Option<u64>,
) -> PyResult<PyVerdict> {
    let limits = work::limits(time, memory, None)?;
    let certificate = Certificate::from(certificate);
    let verdict = work::run(py, &limits.cancel.clone(), || match rules {
        None => bouton::verify(&certificate, &limits),
        Some(rules) => rules.project()?.limits(limits.clone()).verify(&certificate),
    });
    verdict.map(PyVerdict)
}
