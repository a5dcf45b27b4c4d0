//! Solutions, strategies, and the arguments of solving.

use std::sync::{Arc, Mutex, PoisonError};

use bouton::{CancelToken, Limits, Progress, Solution, SolveOptions, Status};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use serde::Serialize;
use serde_json::Value as Json;

use crate::position::PyPosition;
use crate::value::{PyValue, fraction};
use crate::work;

/// The exception that a function for progress raised.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn set(&self, raised: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(raised);
    }

    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The arguments of a call that solves.
pub struct SolveArguments {
    pub options: SolveOptions,
    pub failed: Raised,
}

impl SolveArguments {
    /// Reads keyword arguments; those that a `**` collected have no order.
    pub fn read(arguments: Option<&Bound<'_, PyDict>>) -> PyResult<SolveArguments> {
        let mut options = SolveOptions::default();
        let (failed, cancel) = (Raised::default(), CancelToken::default());
        let (mut time, mut memory, mut positions) = (None, None, None);
        for (name, value) in arguments.into_iter().flatten() {
            let name: String = name.extract()?;
            match name.as_str() {
                "time" => time = value.extract()?,
                "memory" => memory = value.extract()?,
                "positions" => positions = value.extract()?,
                "method" => options.method = value.extract()?,
                "strong" => options.strong = value.extract()?,
                "all_moves" => options.all_moves = value.extract()?,
                "count_plies" => options.count_plies = value.extract()?,
                "margin" => options.margin = value.extract()?,
                "certificate" => options.certificate = value.extract()?,
                "threads" => options.threads = value.extract()?,
                "progress" if value.is_none() => {}
                "progress" => {
                    let (function, failed, cancel) = (value.unbind(), failed.clone(), cancel.clone());
                    options.progress = Some(Arc::new(move |now: &Progress| {
                        let report = (now.phase.as_str(), now.positions, now.memory);
                        // An exception of the function ends the work.
                        if let Err(raised) = Python::attach(|py| function.call1(py, report)) {
                            failed.set(raised);
                            cancel.cancel();
                        }
                    }));
                }
                _ => {
                    let what = format!("solve() got an unexpected keyword argument '{name}'");
                    return Err(PyTypeError::new_err(what));
                }
            }
        }
        options.limits = Limits { cancel, ..work::limits(time, memory, positions)? };
        Ok(SolveArguments { options, failed })
    }
}

/// The solution of a position.
///
/// >>> answer = bouton.load("games/nim.bou").solve()
/// >>> answer
/// <Answer: Nim (heaps = [3, 4, 5]): the first player, First, wins in 11 plies.>
/// >>> answer.winner, answer.plies, answer.best_moves, answer.status
/// ('First', 11, ['1-2'], 'proved')
#[pyclass(frozen, name = "Answer", module = "bouton")]
pub struct PyAnswer {
    pub position: PyPosition,
    pub solution: Solution,
    data: Json,
}

impl PyAnswer {
    pub fn new(position: PyPosition, solution: Solution) -> PyAnswer {
        let data = serde_json::to_value(&solution).unwrap_or_default();
        PyAnswer { position, solution, data }
    }
}

#[pymethods]
impl PyAnswer {
    /// The position that was solved.
    #[getter]
    fn position(&self) -> PyPosition {
        self.position.clone()
    }

    /// The status: `proved` if the checker accepted a proof, `computed` if the value is known without one, `bounded` if
    /// only bounds are known, else `unknown`. `proof` has the claim that is proved.
    #[getter]
    fn status(&self) -> &'static str {
        match self.solution.status() {
            Status::Solved if self.solution.proof().is_some() => "proved",
            Status::Solved => "computed",
            Status::Enclosed { .. } | Status::Bounded { .. } => "bounded",
            _ => "unknown",
        }
    }

    /// The value; None if it is not known, for the reason in `reason`.
    #[getter]
    fn value(&self) -> Option<PyValue> {
        self.solution.value().ok().cloned().map(PyValue)
    }

    /// The bounds of the first player's payoff where only they are known; each is None if it is not.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let (low, high) = match self.solution.status() {
            Status::Enclosed { low, high } => (Some(low), Some(high)),
            Status::Bounded { low, high } => (low.as_ref(), high.as_ref()),
            _ => return Ok(None),
        };
        let bound = |number: Option<&_>| number.map(|number| fraction(py, number)).transpose();
        Ok(Some((bound(low)?, bound(high)?).into_pyobject(py)?))
    }

    /// The name of the player who wins; None if nobody does, or the value is not known.
    #[getter]
    fn winner(&self) -> Option<&str> {
        self.solution.winner()
    }

    /// The plies to the end under perfect play; None if they are not counted.
    #[getter]
    fn plies(&self) -> Option<u32> {
        self.solution.value().ok().and_then(|value| value.plies)
    }

    /// The Grundy value, if the method `grundy` computed it.
    #[getter]
    fn nimber(&self) -> Option<u32> {
        self.solution.nimber()
    }

    /// The moves that keep the value and, if plies are counted, win soonest or lose latest.
    #[getter]
    fn best_moves(&self) -> Vec<String> {
        self.solution.best_moves().to_vec()
    }

    /// Every move with its value, where `all_moves` was set; the value of a move is None if it is not known.
    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let moves = PyDict::new(py);
        for of in self.solution.moves() {
            moves.set_item(&of.name, of.value.clone().map(PyValue))?;
        }
        Ok(moves)
    }

    /// A line of best play.
    #[getter]
    fn line(&self) -> Vec<String> {
        self.solution.line().to_vec()
    }

    /// The method that found the result.
    #[getter]
    fn method(&self) -> &str {
        self.solution.method().0
    }

    /// The reason for the result, or for a missing value.
    #[getter]
    fn reason(&self) -> &str {
        self.solution.method().1
    }

    /// The claim that the independent checker accepted; None if nothing is proved.
    #[getter]
    fn proof(&self) -> Option<&str> {
        self.solution.proof()
    }

    /// The certificate of the proof, which `bouton.verify` checks; None if there is none.
    #[getter]
    fn certificate<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let certificate = self.solution.certificate()?;
        Some(PyBytes::new(py, AsRef::<str>::as_ref(certificate).as_bytes()))
    }

    /// The strategy: in words if a person can remember it, and the best moves of the positions that the method stored.
    /// None if there is neither.
    #[getter]
    pub fn strategy(&self) -> Option<PyStrategy> {
        let statement = self.data["strategy"]["statement"].as_str().map(str::to_owned);
        let moves = self.solution.strategy().cloned();
        (statement.is_some() || moves.is_some()).then_some(PyStrategy { statement, moves })
    }

    /// All positions as arrays of numpy, if the method stored them, as it does for `strong`; else None.
    fn positions<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("bouton._arrays")?.getattr("positions_of_answer")?.call1((slf,))
    }

    /// The buffers of `positions`, as bytes.
    fn _positions<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(all) = py.detach(|| self.solution.positions()) else { return Ok(None) };
        let buffers = PyDict::new(py);
        buffers.set_item("words", all.words)?;
        buffers.set_item("up_to_symmetry", all.up_to_symmetry)?;
        buffers.set_item("states", words_to_bytes(py, &all.states, u64::to_le_bytes)?)?;
        buffers.set_item("to_move", words_to_bytes(py, &all.to_move, i8::to_le_bytes)?)?;
        buffers.set_item("values", words_to_bytes(py, &all.values, f64::to_le_bytes)?)?;
        buffers.set_item("remoteness", words_to_bytes(py, &all.remoteness, i32::to_le_bytes)?)?;
        buffers.set_item("starts", words_to_bytes(py, &all.starts, u64::to_le_bytes)?)?;
        buffers.set_item("moves", words_to_bytes(py, &all.moves, u32::to_le_bytes)?)?;
        Ok(Some(buffers))
    }

    /// Draws the position as SVG, with the values of the moves on their cells, if they are known.
    fn svg(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.position.0.svg(self.solution.moves()))
    }

    /// The whole text that `bouton solve` prints.
    fn text(&self) -> String {
        format!("{:#}", self.solution)
    }

    /// The data, as `bouton solve --json` prints it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.data)
    }

    fn __str__(&self) -> String {
        self.solution.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Answer: {}>", self.solution)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("bouton._html")?.getattr("answer")?.call1((slf,))
    }
}

/// The best moves of many positions, and a statement in words if a person can remember the strategy.
///
/// >>> strategy = bouton.load("games/hatch.bou").strategy()
/// >>> strategy.statement is not None
/// True
#[pyclass(frozen, name = "Strategy", module = "bouton")]
#[derive(Clone)]
pub struct PyStrategy {
    statement: Option<String>,
    moves: Option<bouton::Strategy>,
}

#[pymethods]
impl PyStrategy {
    /// The strategy in words; None if it is only a list of moves.
    #[getter]
    fn statement(&self) -> Option<&str> {
        self.statement.as_deref()
    }

    /// The names of the best moves in a position; empty if the strategy does not list it, or nobody chooses there.
    #[pyo3(signature = (position, /))]
    fn best_moves(&self, py: Python<'_>, position: &PyPosition) -> Vec<String> {
        py.detach(|| self.moves.as_ref().map(|moves| moves.best_moves(&position.0)).unwrap_or_default())
    }

    fn __str__(&self) -> &str {
        self.statement.as_deref().unwrap_or("a list of moves")
    }

    fn __repr__(&self) -> String {
        format!("<Strategy: {}>", self.__str__())
    }
}

/// The bytes of numbers, in the order of little-endian machines.
pub fn words_to_bytes<'py, T: Copy, const N: usize>(
    py: Python<'py>,
    words: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, words.len() * N, |buffer| {
        for (to, word) in buffer.chunks_exact_mut(N).zip(words) {
            to.copy_from_slice(&bytes(*word));
        }
        Ok(())
    })
}

/// Dictionaries and lists with the data of a serialisation to JSON.
pub fn to_python<'py>(py: Python<'py>, data: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(data).map_err(|why| PyValueError::new_err(why.to_string()))?;
    py.import("json")?.getattr("loads")?.call1((text,))
}
