//! Errors of the library as exceptions of Python.

use bouton::{Diagnostic, Error, Limit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Makes a `bouton.BoutonError`, or the exception that prevents it.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let fields = PyDict::new(py);
        fields.set_item("kind", kind(error))?;
        let found = error.diagnostics().iter().map(|found| diagnostic(py, found));
        fields.set_item("diagnostics", found.collect::<PyResult<Vec<_>>>()?)?;
        if let Error::IllegalMove { suggestions, .. } = error {
            fields.set_item("suggestions", suggestions)?;
        }
        if let Error::Limit { limit, .. } = error {
            fields.set_item("limit", limit_name(*limit))?;
        }
        let class = py.import("bouton._errors")?.getattr("BoutonError")?;
        Ok(PyErr::from_value(class.call((error.to_string(),), Some(&fields))?))
    };
    made().unwrap_or_else(|why| why)
}

/// Turns the error of a result into an exception.
pub trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

fn kind(error: &Error) -> &'static str {
    match error {
        Error::File(_) => "file",
        Error::Usage(_) => "usage",
        Error::Rules(_) => "rules",
        Error::Fault(_) => "fault",
        Error::IllegalMove { .. } => "illegal_move",
        Error::Limit { .. } => "limit",
        Error::NotSolved(_) => "not_solved",
        _ => "other",
    }
}

fn limit_name(limit: Limit) -> &'static str {
    match limit {
        Limit::Time => "time",
        Limit::Memory => "memory",
        Limit::Positions => "positions",
        Limit::Cancelled => "cancelled",
        _ => "other",
    }
}

fn diagnostic<'py>(py: Python<'py>, found: &Diagnostic) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    fields.set_item("code", &found.code)?;
    fields.set_item("message", &found.message)?;
    fields.set_item("file", &found.file)?;
    fields.set_item("line", found.line)?;
    fields.set_item("column", found.column)?;
    fields.set_item("help", &found.help)?;
    fields.set_item("rendered", &found.rendered)?;
    py.import("bouton._errors")?.getattr("Diagnostic")?.call((), Some(&fields))
}
