//! Games, and their loading.

use bouton::{Certificate, Error, Project};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::{PyAnswer, PyStrategy, SolveArguments, to_python};
use crate::certificate::PyVerdict;
use crate::document::PyDocument;
use crate::errors::OrRaise;
use crate::position::PyPosition;
use crate::work;

/// Rules as the package passes them: a path, or a name and a text; a preset; settings of parameters in the syntax of
/// the language.
#[derive(Clone, FromPyObject)]
pub struct RulesArgument(String, Option<String>, Option<String>, Vec<(String, String)>);

impl RulesArgument {
    pub fn project(self) -> Result<Project, Error> {
        let RulesArgument(path, text, preset, settings) = self;
        let mut project = match text {
            Some(text) => Project::from_text(&path, &text),
            None => Project::open(path)?,
        };
        for (name, value) in settings {
            project = project.set(&name, value);
        }
        Ok(match preset {
            Some(preset) => project.preset(&preset),
            None => project,
        })
    }
}

/// Reads and compiles rules.
#[pyfunction]
pub fn load(py: Python<'_>, rules: RulesArgument) -> PyResult<PyGame> {
    let limits = work::limits(None, None, None)?;
    let cancel = limits.cancel.clone();
    let loaded = work::run(py, &cancel, || {
        let project = rules.project()?;
        let game = project.clone().limits(limits).load()?;
        Ok((project, game))
    });
    loaded.map(|(project, game)| PyGame { project, game })
}

/// A game that is ready to be played and solved. `bouton.load` and `bouton.loads` make it.
///
/// >>> game = bouton.load("games/nim.bou", heaps=[1, 2])
/// >>> game.name, game.players, game.params
/// ('Nim', ['First', 'Second'], {'heaps': '[1, 2]'})
#[pyclass(frozen, name = "Game", module = "bouton")]
pub struct PyGame {
    project: Project,
    game: bouton::Game,
}

#[pymethods]
impl PyGame {
    /// The name in the rules.
    #[getter]
    fn name(&self) -> &str {
        self.game.name()
    }

    /// The names of the players, in order.
    #[getter]
    fn players(&self) -> Vec<String> {
        self.game.players().to_vec()
    }

    /// The parameters with their values, in the syntax of the language.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let params = PyDict::new(py);
        for (name, value) in self.game.params() {
            params.set_item(name, value)?;
        }
        Ok(params)
    }

    /// The first position.
    fn initial(&self) -> PyPosition {
        PyPosition(self.game.start())
    }

    /// Sets up a position: the name of a test, or effects on the first position.
    ///
    /// >>> game = bouton.load("games/nim.bou")
    /// >>> len(game.position("size[1] := 0; mover := Second;").moves())
    /// 9
    #[pyo3(signature = (description, /))]
    fn position(&self, py: Python<'_>, description: &str) -> PyResult<PyPosition> {
        py.detach(|| self.game.position(description)).or_raise(py).map(PyPosition)
    }

    /// Solves the first position.
    ///
    /// `time` is in seconds, `memory` in bytes, `positions` the most positions to visit; if a limit is reached, the
    /// answer holds what is known. Without a limit, a game that is too large is refused. `method` is a method of
    /// `bouton solve --method`. `all_moves` computes the value of every move, `strong` that of every reachable
    /// position. `count_plies` counts the plies to the end, also by a method that does not need them. `margin` lets the
    /// players play for the difference of the scores. `certificate` makes a certificate of any size. `threads` is the
    /// number of threads, and `progress` is called now and then with the phase, the number of positions and the bytes
    /// in use.
    ///
    /// >>> answer = bouton.load("games/tictactoe.bou").solve(all_moves=True)
    /// >>> answer.status, str(answer.value), len(answer.moves)
    /// ('proved', 'draw', 9)
    #[pyo3(
        signature = (**arguments),
        text_signature = "($self, *, time=None, memory=None, positions=None, method=None, strong=False, all_moves=False, count_plies=False, margin=False, certificate=False, threads=None, progress=None)"
    )]
    fn solve(&self, py: Python<'_>, arguments: Option<&Bound<'_, PyDict>>) -> PyResult<PyAnswer> {
        self.initial().solve_with(py, SolveArguments::read(arguments)?)
    }

    /// Solves the first position and returns the strategy; None if there is none. The arguments are those of `solve`.
    ///
    /// >>> game = bouton.load("games/nim.bou")
    /// >>> strategy = game.strategy()
    /// >>> strategy.best_moves(game.initial())
    /// ['1-2']
    #[pyo3(
        signature = (**arguments),
        text_signature = "($self, *, time=None, memory=None, positions=None, method=None, strong=False, all_moves=False, count_plies=False, margin=False, certificate=False, threads=None, progress=None)"
    )]
    fn strategy(
        &self,
        py: Python<'_>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<PyStrategy>> {
        Ok(self.solve(py, arguments)?.strategy())
    }

    /// Solves the game for many values of its parameters and searches for a pattern, as `bouton table` does.
    ///
    /// A parameter takes a range or any integers: `n=range(1, 20)`; an axis in words, such as `"heaps[1]=0..7"`, comes
    /// first. `show` is one of `outcome`, `nimber`, `remoteness`, `positions`, `class`, `value`, `mean` and
    /// `temperature`. `time` is for each game, ten seconds by default.
    ///
    /// >>> table = bouton.load("games/hatch.bou").table(n=range(1, 5), k=[1, 2], show="outcome")
    /// >>> [row["winner"] for row in table.to_dict()["rows"]][:4]
    /// ['First', 'First', 'Second', 'First']
    #[pyo3(
        signature = (*axes, **arguments),
        text_signature = "($self, *axes, show='outcome', time=None, memory=None, **params)"
    )]
    fn table(
        &self,
        py: Python<'_>,
        mut axes: Vec<String>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyDocument> {
        let (mut show, mut time, mut memory) = (String::from("outcome"), None, None);
        for (name, value) in arguments.into_iter().flatten() {
            let name: String = name.extract()?;
            match name.as_str() {
                "show" => show = value.extract()?,
                "time" => time = value.extract()?,
                "memory" => memory = value.extract()?,
                _ => {
                    let values = value.try_iter()?.map(|value| Ok(value?.extract::<i64>()?.to_string()));
                    axes.push(format!("{name}={}", values.collect::<PyResult<Vec<_>>>()?.join(",")));
                }
            }
        }
        let limits = work::limits(time, memory, None)?;
        let cancel = limits.cancel.clone();
        let project = self.project.clone().limits(limits);
        let axes: Vec<&str> = axes.iter().map(String::as_str).collect();
        work::run(py, &cancel, || project.table(&axes, &show)).map(PyDocument)
    }

    /// Makes a report on the first position as `bouton report` does: the result, its proof, pictures and plays.
    ///
    /// >>> report = bouton.load("games/nim.bou").report()
    /// >>> report.to_dict()["verdict"]
    /// 'Nim (heaps = [3, 4, 5]): the first player, First, wins in 11 plies.'
    #[pyo3(signature = (*, time = None, memory = None))]
    fn report(&self, py: Python<'_>, time: Option<f64>, memory: Option<u64>) -> PyResult<PyDocument> {
        let limits = work::limits(time, memory, None)?;
        let start = self.game.start();
        work::run(py, &limits.cancel.clone(), || start.report(&limits)).map(PyDocument)
    }

    /// Solves the game, and returns all positions that play reaches as arrays of numpy. The arguments are those of
    /// `solve`.
    ///
    /// >>> nim = bouton.load("games/nim.bou", heaps=[1, 2])
    /// >>> everything = nim.positions()
    /// >>> len(everything), float(everything.values[0]), int(everything.remoteness[0])
    /// (8, 1.0, 3)
    #[pyo3(
        signature = (**arguments),
        text_signature = "($self, *, time=None, memory=None, positions=None, method=None, strong=True, all_moves=False, count_plies=False, margin=False, certificate=False, threads=None, progress=None)"
    )]
    fn positions<'py>(
        slf: &Bound<'py, Self>,
        arguments: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("bouton._arrays")?.getattr("positions_of")?.call((slf,), arguments)
    }

    /// The calls of all moves that players may ever make, in a fixed order.
    ///
    /// >>> bouton.load("games/tictactoe.bou").actions()[:3]
    /// ['mark(a1)', 'mark(b1)', 'mark(c1)']
    fn actions<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("bouton._actions")?.getattr("actions")?.call1((slf,))
    }

    /// Checks the text of a certificate against the rules with their settings; `bouton.verify` does so for all forms of
    /// certificates.
    #[pyo3(signature = (certificate, /, *, time = None, memory = None))]
    fn verify(
        &self,
        py: Python<'_>,
        certificate: String,
        time: Option<f64>,
        memory: Option<u64>,
    ) -> PyResult<PyVerdict> {
        let limits = work::limits(time, memory, None)?;
        let cancel = limits.cancel.clone();
        let project = self.project.clone().limits(limits);
        work::run(py, &cancel, || project.verify(&Certificate::from(certificate))).map(PyVerdict)
    }

    /// A description for programs: the name, the players, the parameters, if something is hidden from a player, the
    /// moves with the values of their parameters, and if the rules have a pass.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.game)
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __repr__(&self) -> String {
        let params = self.game.params();
        let params: Vec<String> = params.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        match &params[..] {
            [] => format!("<Game: {}>", self.game.name()),
            all => format!("<Game: {} ({})>", self.game.name(), all.join(", ")),
        }
    }

    fn _repr_svg_(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.game.start().svg(&[]))
    }
}
