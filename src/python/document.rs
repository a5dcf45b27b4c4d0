//! Reports and tables.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::answer::to_python;

/// A report on a position, or a table of games. `str` gives it as text.
///
/// >>> table = bouton.load("games/subtraction.bou").table(n=range(9), show="nimber")
/// >>> table.to_dict()["sequence"]["terms"]
/// [0, 1, 2, 3, 0, 1, 2, 3, 0]
#[pyclass(frozen, name = "Document", module = "bouton")]
pub struct PyDocument(pub bouton::Document);

#[pymethods]
impl PyDocument {
    /// A page for a browser, which makes no network requests.
    #[getter]
    fn html(&self) -> &str {
        &self.0.html
    }

    /// The document as Markdown.
    #[getter]
    fn markdown(&self) -> &str {
        &self.0.markdown
    }

    /// The certificate of a pattern in a table that is proved for all values; None if there is none.
    #[getter]
    fn certificate<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let certificate = self.0.certificate.as_ref()?;
        Some(PyBytes::new(py, AsRef::<str>::as_ref(certificate).as_bytes()))
    }

    /// The data, as `bouton report --json` or `bouton table --json` prints it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let text = self.0.to_string();
        format!("<Document: {}>", text.lines().next().unwrap_or_default())
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("bouton._html")?.getattr("document")?.call1((slf,))
    }
}
