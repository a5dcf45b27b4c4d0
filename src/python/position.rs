//! Positions and moves.

use std::hash::{DefaultHasher, Hash, Hasher};

use bouton::Turn;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::answer::{PyAnswer, SolveArguments, words_to_bytes};
use crate::document::PyDocument;
use crate::errors::OrRaise;
use crate::value::{PyValue, fraction};
use crate::work;

/// A position of a game. Making a move gives another position; nothing is changed.
///
/// >>> position = bouton.load("games/tictactoe.bou").initial().apply("b2")
/// >>> position.to_move, position.moves()
/// ('O', ['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'b3', 'c3'])
/// >>> print(position, end="")
/// 3 . . .
/// 2 . X .
/// 1 . . .
///   a b c
/// O to move
#[pyclass(frozen, eq, hash, name = "Position", module = "bouton")]
#[derive(Clone, PartialEq, Eq)]
pub struct PyPosition(pub bouton::Position);

impl Hash for PyPosition {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash(hasher);
    }
}

/// A legal move, or an event of chance.
///
/// >>> race = bouton.load("games/dice_race.bou").initial()
/// >>> [str(move.probability) for move in race.legal_moves()]
/// ['1/3', '1/3', '1/3']
#[pyclass(frozen, eq, name = "Move", module = "bouton")]
#[derive(Clone, PartialEq)]
pub struct PyMove(bouton::Move);

#[pymethods]
impl PyMove {
    /// The name, in the notation of the game.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// The name of the move with its arguments, as in `mark(b2)`: the same move has the same in every position.
    #[getter]
    fn call(&self) -> &str {
        &self.0.call
    }

    /// The position after the move.
    #[getter]
    fn position(&self) -> PyPosition {
        PyPosition(self.0.position.clone())
    }

    /// The probability as an exact fraction, if chance moves; otherwise 1.
    #[getter]
    fn probability<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        fraction(py, &self.0.probability)
    }

    fn __str__(&self) -> &str {
        &self.0.name
    }

    fn __repr__(&self) -> String {
        format!("<Move: {}>", self.0.name)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.call.hash(&mut hasher);
        hasher.finish()
    }
}

impl PyPosition {
    fn turn(&self, py: Python<'_>) -> PyResult<Turn> {
        py.detach(|| self.0.turn()).or_raise(py)
    }

    fn legal(&self, py: Python<'_>) -> PyResult<Vec<bouton::Move>> {
        py.detach(|| self.0.moves()).or_raise(py)
    }

    /// Solves the position with these arguments of a call.
    pub fn solve_with(&self, py: Python<'_>, arguments: SolveArguments) -> PyResult<PyAnswer> {
        let SolveArguments { options, failed } = arguments;
        let cancel = options.limits.cancel.clone();
        let solved = work::run(py, &cancel, || self.0.solve(&options));
        if let Some(raised) = failed.take() {
            return Err(raised);
        }
        Ok(PyAnswer::new(self.clone(), solved?))
    }
}

#[pymethods]
impl PyPosition {
    /// The name of the player to move; `chance` if chance moves, `everybody` if all players move at once, and None if
    /// the game is over.
    #[getter]
    fn to_move(&self, py: Python<'_>) -> PyResult<Option<String>> {
        Ok(match self.turn(py)? {
            Turn::Player(name) => Some(name),
            Turn::Everybody => Some("everybody".into()),
            Turn::Chance => Some("chance".into()),
            _ => None,
        })
    }

    /// True if the game is over.
    #[getter]
    fn is_over(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(matches!(self.turn(py)?, Turn::Over(_)))
    }

    /// The result; None if the game is not over.
    #[getter]
    fn result(&self, py: Python<'_>) -> PyResult<Option<PyValue>> {
        Ok(match self.turn(py)? {
            Turn::Over(value) => Some(PyValue(value)),
            _ => None,
        })
    }

    /// Each player's payoff as an exact fraction; None if the game is not over.
    #[getter]
    fn payoffs<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Turn::Over(value) = self.turn(py)? else { return Ok(None) };
        let payoffs = PyDict::new(py);
        for (name, payoff) in &value.payoffs {
            payoffs.set_item(name, fraction(py, payoff)?)?;
        }
        Ok(Some(payoffs))
    }

    /// The words of the position, as a row of `Positions.states` has them: eight bytes each, the lowest first.
    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        words_to_bytes(py, self.0.as_ref(), u64::to_le_bytes)
    }

    /// The names of the legal moves in a fixed order, or of the events of chance; empty if the game is over.
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.legal(py)?.into_iter().map(|to| to.name).collect())
    }

    /// The legal moves in the same order, each with the position after it.
    fn legal_moves(&self, py: Python<'_>) -> PyResult<Vec<PyMove>> {
        Ok(self.legal(py)?.into_iter().map(PyMove).collect())
    }

    /// Makes a move, given by its name without regard to spaces and case, by its call, or as a `Move`.
    #[pyo3(signature = (r#move, /))]
    fn apply(&self, py: Python<'_>, r#move: &Bound<'_, PyAny>) -> PyResult<PyPosition> {
        let name = if let Ok(of) = r#move.cast::<PyMove>() {
            of.get().0.call.clone()
        } else if let Ok(name) = r#move.extract::<String>() {
            name
        } else {
            let kind = r#move.get_type().name()?;
            return Err(PyTypeError::new_err(format!("a move is a name or a Move, not {kind}")));
        };
        py.detach(|| self.0.play(&name)).or_raise(py).map(PyPosition)
    }

    /// Draws the position as the commands do: boards, other fields, the player to move.
    fn text(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.to_string())
    }

    /// Draws the position as SVG, with the values of the moves of an answer on their cells; None if nothing can be
    /// drawn but text.
    #[pyo3(signature = (answer = None))]
    fn svg(&self, py: Python<'_>, answer: Option<&PyAnswer>) -> Option<String> {
        let moves = answer.filter(|answer| answer.position == *self).map(|answer| answer.solution.moves());
        py.detach(|| self.0.svg(moves.unwrap_or_default()))
    }

    /// Solves the position; the arguments are those of `Game.solve`.
    #[pyo3(
        signature = (**arguments),
        text_signature = "($self, *, time=None, memory=None, positions=None, method=None, strong=False, all_moves=False, count_plies=False, margin=False, certificate=False, threads=None, progress=None)"
    )]
    fn solve(&self, py: Python<'_>, arguments: Option<&Bound<'_, PyDict>>) -> PyResult<PyAnswer> {
        self.solve_with(py, SolveArguments::read(arguments)?)
    }

    /// Makes a report as `bouton report` does: the result, its proof, pictures and plays.
    #[pyo3(signature = (*, time = None, memory = None))]
    fn report(&self, py: Python<'_>, time: Option<f64>, memory: Option<u64>) -> PyResult<PyDocument> {
        let limits = work::limits(time, memory, None)?;
        work::run(py, &limits.cancel.clone(), || self.0.report(&limits)).map(PyDocument)
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __str__(&self, py: Python<'_>) -> String {
        self.text(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let text = self.text(py);
        format!("<Position: {}>", text.lines().last().unwrap_or_default())
    }

    fn _repr_svg_(&self, py: Python<'_>) -> Option<String> {
        self.svg(py, None)
    }
}
