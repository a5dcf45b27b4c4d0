//! `bouton table`: solves a game for many values of its parameters.

use std::path::Path;
use std::time::Duration;

use bouton_base::rational::Rational;

use super::budget::Budget;
use super::files::{self, FileError};
use super::load::{DriverError, GameSource};
use super::planner::{Goal, Plan, Question, Route};
use super::{faults, parametric, row_periods};
use bouton_base::limits::{Limits, Progress};
use bouton_certificates::{self as cert, Certificate};
use bouton_report::table::{CellResult, PatternReport, TableQuantity, TableReport, TableRow};
use bouton_report::verdict;
use bouton_rules::{MOVER, Rules, Value};
use bouton_search::game::Game;
use bouton_search::game::explore::{FaultyPosition, count_positions};
use bouton_search::solve::{self, Bounds, Solution, SolveOptions, Status, ValueKind, partizan};
use bouton_syntax::diag::Diagnostic;

/// The default time limit of a cell.
pub const DEFAULT_CELL_TIME: Duration = Duration::from_secs(10);

/// The time limit of a cell beyond a table, by which a pattern is tested.
const TESTED_CELL_TIME: Duration = Duration::from_secs(1);
/// The maximal number of positions of such a cell.
const MAX_TESTED_POSITIONS: u64 = 50_000;
/// The maximal number of such cells.
const MAX_TESTED_CELLS: usize = 48;
/// The number of further values of a parameter that varies alone.
const TESTED_VALUES: i64 = 4;

/// The maximal number of cells of a table.
const MAX_CELLS: usize = 100_000;

/// The error of an axis that cannot be parsed, with its text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AxisError {
    #[error("`--over {0}`: write name=1..20, name=1,2,4, or name[1]=0..7 for an element of a list")]
    Form(String),
    #[error("`--over {text}`: {low} is above {high}; the least value comes first, `{high}..{low}`")]
    Reversed { text: String, low: i64, high: i64 },
}

/// A parameter with the values that it takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    pub param: String,
    /// The index, from 1, of the element that varies, if the parameter is a list.
    pub element: Option<usize>,
    /// The values, in order.
    pub values: Vec<i64>,
}

impl Axis {
    /// Parses `n=1..20`, `n=1,2,4`, `heaps[1]=0..7`.
    pub fn read(text: &str) -> Result<Axis, AxisError> {
        let bad = || AxisError::Form(text.to_owned());
        let (name, values) = text.split_once('=').ok_or_else(bad)?;
        let (param, element) = match name.trim().strip_suffix(']') {
            None => (name.trim(), None),
            Some(rest) => {
                let (param, index) = rest.split_once('[').ok_or_else(bad)?;
                let index = index.trim().parse::<usize>().ok().filter(|&i| i > 0).ok_or_else(bad)?;
                (param.trim(), Some(index))
            }
        };
        let number = |word: &str| word.trim().parse::<i64>().map_err(|_| bad());
        let mut all = Vec::new();
        for part in values.split(',') {
            let (low, high) = match part.split_once("..") {
                Some((low, high)) => (number(low)?, number(high)?),
                None => (number(part)?, number(part)?),
            };
            if high < low {
                return Err(AxisError::Reversed { text: text.to_owned(), low, high });
            }
            if high.abs_diff(low) >= MAX_CELLS as u64 {
                return Err(bad());
            }
            all.extend(low..=high);
        }
        if param.is_empty() || all.len() > MAX_CELLS {
            return Err(bad());
        }
        Ok(Axis { param: param.to_string(), element, values: all })
    }

    /// The values as written after `=`: `1..4`, or `1,2,4`.
    fn range(&self) -> String {
        match self.values[..] {
            [low, .., high]
                if self.values.is_sorted() && high.abs_diff(low) + 1 == self.values.len() as u64 =>
            {
                format!("{low}..{high}")
            }
            _ => self.values.iter().map(i64::to_string).collect::<Vec<_>>().join(","),
        }
    }

    /// The name of the axis in tables.
    pub fn name(&self) -> String {
        match self.element {
            None => self.param.clone(),
            Some(element) => format!("{}[{element}]", self.param),
        }
    }
}

/// The options of a table.
pub struct TableOptions<'a> {
    /// The quantity that each cell shows.
    pub show: TableQuantity,
    /// The resources of each cell.
    pub budget: &'a Budget,
    /// The receiver of progress reports.
    pub progress: &'a dyn Progress,
}

/// Solves a game for all values of the axes, the last fastest. The report notes values without a valid game; if no
/// values give one, the errors of the source are returned. After an interruption the remaining cells are unknown.
///
/// If the axis is the length of a row, and the period of the nimbers is proved for every length, the report says so. It
/// also names the winner for all values of the parameters, if that is proved and agrees with every cell.
pub fn table(
    text: &mut GameSource,
    axes: &[Axis],
    options: &TableOptions<'_>,
) -> Result<TableReport, DriverError> {
    let many = axes.iter().try_fold(1usize, |n, axis| n.checked_mul(axis.values.len()));
    let many = many
        .filter(|&n| n <= MAX_CELLS)
        .ok_or_else(|| DriverError::Usage(format!("a table has at most {MAX_CELLS} cells")))?;
    let lists = lists(text, axes)?;
    let over: Vec<String> = axes.iter().map(Axis::name).collect();
    let mut report = TableReport::new(options.show, &text.path, over.clone());
    let mut errors = None;
    let mut fault = None;
    // A proof for every length makes it unnecessary to solve each length.
    let proved = match axes {
        [Axis { param, element: None, .. }] if options.show == TableQuantity::Nimber => {
            row_periods::prove(text, param, &options.budget.limits(Some(DEFAULT_CELL_TIME))).ok()
        }
        _ => None,
    };
    for number in 0..many {
        let tuple = tuple(axes, number);
        let settings = settings(axes, &lists, &tuple);
        let name: Vec<String> = over.iter().zip(&tuple).map(|(name, n)| format!("{name} = {n}")).collect();
        let progress = NamedProgress {
            of: options.progress,
            name: format!("{} ({} of {many})", name.join(", "), number + 1),
        };
        progress.phase("compiling");
        let limits = options.budget.limits(Some(DEFAULT_CELL_TIME));
        text.limits = limits.clone();
        if let Some(hit) = limits.check() {
            report.push(tuple, CellResult::Unknown(hit.to_string()), None);
            continue;
        }
        if let Some(row_periods::PeriodProof { period, .. }) = &proved
            && let Some(rules) = text.rules_with(&settings)
        {
            let value = period.value(tuple[0] as u64);
            report.push(tuple, of_nimber(value, &rules), Some(&rules));
            continue;
        }
        let game = match text.game_with(&settings) {
            Ok(game) => game,
            Err(DriverError::Errors(found)) => {
                let why = found.first().map_or(String::new(), |d| placed_title(text, d));
                report.push(tuple, CellResult::InvalidGame(why), None);
                errors.get_or_insert(found);
                continue;
            }
            Err(DriverError::Limit(why)) => {
                report.push(tuple, CellResult::Unknown(why), None);
                continue;
            }
            Err(other) => return Err(other),
        };
        let cell = match cell(&game, options.show, &limits, &progress) {
            Ok(cell) => cell,
            Err(met) => {
                let first = || {
                    let found = faults::rules_fault_diagnostic(text, &game, &game.machine.initial(), &met);
                    Box::new(found.note(format!("with {}", name.join(", "))))
                };
                fault.get_or_insert_with(first);
                CellResult::Faulty(faults::describe(&game, &met.kind))
            }
        };
        report.push(tuple, cell, Some(&game.rules));
    }
    let has_game = report.rows.iter().any(|row| row.status != "invalid");
    match (errors, fault) {
        (Some(found), _) if !has_game => Err(DriverError::Errors(found)),
        (None, Some(found)) if !has_game => Err(DriverError::RulesFault(found)),
        _ => {
            report.find_pattern();
            if let Some(row_periods::PeriodProof { certificate, .. }) = &proved {
                report.set_proof(certificate, None);
            } else if options.show == TableQuantity::Outcome && report.rows.iter().all(|row| !row.is_open()) {
                prove_outcomes(text, &mut report, &options.budget.limits(Some(DEFAULT_CELL_TIME)));
            }
            if report.pattern.tier == Some("observed") {
                test_pattern(text, axes, &lists, options, &mut report);
            }
            Ok(report)
        }
    }
}

/// Compares an observed pattern with cells beyond the table. Of a pattern that does not hold there, nothing is reported, or
/// the one that does hold if all of them are known.
fn test_pattern(
    text: &mut GameSource,
    axes: &[Axis],
    lists: &[(String, Vec<String>)],
    options: &TableOptions<'_>,
    report: &mut TableReport,
) {
    let beyond = cells_beyond(axes);
    let step = beyond.len().div_ceil(MAX_TESTED_CELLS).max(1);
    let mut wider = report.clone();
    for tuple in beyond.iter().step_by(step) {
        let budget = options.budget.limits(Some(TESTED_CELL_TIME));
        let limits = Limits { positions: Some(MAX_TESTED_POSITIONS), ..budget };
        text.limits = limits.clone();
        let Ok(game) = text.game_with(&settings(axes, lists, tuple)) else { continue };
        if let Ok(found @ CellResult::Solved { .. }) = cell(&game, options.show, &limits, options.progress) {
            wider.push(tuple.clone(), found, Some(&game.rules));
        }
    }
    let known = wider.rows.len() - report.rows.len();
    if known == 0 {
        return;
    }
    wider.pattern = PatternReport::default();
    wider.find_pattern();
    if wider.pattern.statement != report.pattern.statement {
        report.pattern = if known == beyond.len() { wider.pattern } else { PatternReport::default() };
    }
}

/// The parameter values of the cells that a table has in addition with the next value of each parameter, or the next few of
/// its only one.
fn cells_beyond(axes: &[Axis]) -> Vec<Vec<i64>> {
    let more = if axes.len() == 1 { TESTED_VALUES } else { 1 };
    let last = |axis: &Axis| axis.values.iter().copied().max().unwrap_or_default();
    let lasts: Vec<i64> = axes.iter().map(last).collect();
    let wider = |(axis, last): (&Axis, &i64)| {
        let next = (1..=more).filter_map(|step| last.checked_add(step));
        Axis { values: axis.values.iter().copied().chain(next).collect(), ..axis.clone() }
    };
    let wide: Vec<Axis> = axes.iter().zip(&lasts).map(wider).collect();
    let count: usize = wide.iter().map(|axis| axis.values.len()).product();
    let is_beyond = |tuple: &Vec<i64>| tuple.iter().zip(&lasts).any(|(value, last)| value > last);
    (0..count).map(|number| tuple(&wide, number)).filter(is_beyond).collect()
}

/// The title of a diagnostic, with the place and the words that it speaks of if it calls them "this".
fn placed_title(text: &GameSource, found: &Diagnostic) -> String {
    let span = found.span();
    let Some(source) = text.sources.source_of(span).filter(|_| found.title.starts_with("this ")) else {
        return found.title.clone();
    };
    let words = text.words(span);
    let line = source.line_column(span.start).line;
    match words.is_empty() || words.chars().count() > 60 {
        true => format!("line {line}: {}", found.title),
        false => format!("line {line}, `{words}`: {}", found.title),
    }
}

/// Reports the winner for all values of the parameters instead of a pattern, if that is proved and covers all rows.
fn prove_outcomes(text: &mut GameSource, report: &mut TableReport, limits: &Limits) {
    text.limits = limits.clone();
    let Ok(proved) = parametric::prove(text, limits) else { return };
    let speaks = |row: &TableRow| {
        let value = |name: &str| row.params.get(name).and_then(serde_json::Value::as_i64);
        proved.winner_for(&value).and_then(|player| proved.certificate.header.players.get(player as usize))
    };
    let solved = || report.rows.iter().filter(|row| row.status == "solved");
    if solved().count() > 0 && solved().all(|row| row.winner.is_some() && row.winner.as_ref() == speaks(row))
    {
        report.set_proof(&proved.certificate, proved.sole_winner());
    }
}

fn cell(
    game: &Game,
    show: TableQuantity,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<CellResult, Box<FaultyPosition>> {
    let state = game.machine.initial();
    if show == TableQuantity::Positions {
        let count = count_positions(game, &state, limits, progress)?;
        return Ok(match count.limit {
            None => CellResult::Positions(count.positions),
            Some(hit) => CellResult::Unknown(hit.to_string()),
        });
    }
    if matches!(
        show,
        TableQuantity::Class | TableQuantity::GameValue | TableQuantity::Mean | TableQuantity::Temperature
    ) {
        return Ok(match partizan::game_value(game, &state, limits) {
            Ok(value) => CellResult::GameValue(value),
            Err(reason) => CellResult::Unknown(reason.to_string()),
        });
    }
    let options = SolveOptions { max_line_moves: 0, exchange_players: true, ..SolveOptions::default() };
    let asked = Question::new(game, &state, &options, limits);
    let asked = match show {
        TableQuantity::Outcome => asked,
        TableQuantity::Nimber => Question { goal: Goal::Nimber, ..asked },
        _ => Question { route: Route::GraphFirst, ..asked },
    };
    let solution = Plan::new(asked).run(progress)?.solution;
    Ok(match &solution.value {
        Some(value) if solution.status == Status::Solved => CellResult::Solved {
            value: value.clone(),
            remoteness: solution.remoteness,
            nimber: solution.nimber,
        },
        None if show == TableQuantity::Outcome => between(&game.rules, &solution),
        _ => CellResult::Unknown(solution.reason.unwrap_or_else(|| "it is not solved".into())),
    })
}

/// The cell of a game whose value is not exactly known: the bounds, if there are some.
fn between(rules: &Rules, solution: &Solution) -> CellResult {
    let reason = solution.reason.clone().unwrap_or_else(|| "it is not solved".into());
    let is_answer = solution.status == Status::Enclosed;
    let Some(bounds) = solution.bounds.clone().filter(|_| is_answer || solution.status == Status::Bounded)
    else {
        return CellResult::Unknown(reason);
    };
    let words = match &bounds {
        Bounds { low: Some(low), high: Some(high) } if is_answer => verdict::enclosed(rules, low, high),
        _ => verdict::bounded(rules, solution),
    };
    CellResult::Between { bounds, is_answer, words, reason }
}

/// Writes the certificate of a table.
pub fn write_certificate(certificate: &Certificate, out: &str) -> Result<(), FileError> {
    files::write(Path::new(out), &cert::write(certificate))
}

/// The cell of a game with a known nimber: the player to move wins if it is not 0.
fn of_nimber(nimber: u32, rules: &Rules) -> CellResult {
    let mover = rules.fields[MOVER].init[0].as_sym().unwrap_or_default();
    let winner = if nimber == 0 { 1 - mover.min(1) } else { mover };
    let payoff = |player| Rational::from_integer(if player == winner { 1 } else { -1 });
    let value = solve::Value { payoffs: (0..2).map(payoff).collect(), kind: ValueKind::Win(winner) };
    CellResult::Solved { value, remoteness: None, nimber: Some(nimber) }
}

/// The parameter values of one cell.
fn tuple(axes: &[Axis], number: usize) -> Vec<i64> {
    let mut rest = number;
    let mut tuple: Vec<i64> = axes
        .iter()
        .rev()
        .map(|axis| {
            let value = axis.values[rest % axis.values.len()];
            rest /= axis.values.len();
            value
        })
        .collect();
    tuple.reverse();
    tuple
}

/// The parameters that are lists, with their elements as the source or the settings give them.
fn lists(text: &mut GameSource, axes: &[Axis]) -> Result<Vec<(String, Vec<String>)>, DriverError> {
    let is_list = |axis: &&Axis| {
        let declared = text.outline.params.iter().find(|(name, _)| *name == axis.param);
        declared.is_some_and(|(_, ty)| text.sources.slice(*ty).starts_with("list"))
    };
    if let Some(whole) = axes.iter().filter(|axis| axis.element.is_none()).find(is_list) {
        let (name, range) = (&whole.param, whole.range());
        return Err(DriverError::Usage(format!(
            "--over {name}: `{name}` is a list, and one of its elements varies: `--over '{name}[1]={range}'`"
        )));
    }
    let mut lists: Vec<(String, Vec<String>)> = Vec::new();
    for axis in axes.iter().filter(|axis| axis.element.is_some()) {
        if lists.iter().any(|(name, _)| *name == axis.param) {
            continue;
        }
        let rules = text.game(None)?.rules;
        let value = rules.params.iter().find(|(name, _)| *name == axis.param).map(|(_, value)| value);
        let Some(Value::List(elements)) = value else {
            return Err(DriverError::Usage(format!(
                "--over {}: `{}` is not a list parameter",
                axis.name(),
                axis.param
            )));
        };
        lists.push((axis.param.clone(), elements.iter().map(|e| rules.show(e)).collect()));
    }
    for axis in axes {
        let length = lists.iter().find(|(name, _)| *name == axis.param).map(|(_, elements)| elements.len());
        if let (Some(length), Some(element)) = (length, axis.element)
            && element > length
        {
            let what = format!(
                "--over {}: `{}` has {length} elements; add more with --set",
                axis.name(),
                axis.param
            );
            return Err(DriverError::Usage(what));
        }
    }
    let same = |(i, axis): (usize, &Axis)| {
        axes[..i].iter().any(|a| {
            a.param == axis.param
                && (a.element.is_none() || axis.element.is_none() || a.element == axis.element)
        })
    };
    match axes.iter().enumerate().find(|&(i, axis)| same((i, axis))) {
        Some((_, twice)) => Err(DriverError::Usage(format!("--over {} is given twice", twice.name()))),
        None => Ok(lists),
    }
}

/// The settings of one cell, `name=value` each.
fn settings(axes: &[Axis], lists: &[(String, Vec<String>)], tuple: &[i64]) -> Vec<String> {
    let with = || axes.iter().zip(tuple);
    let plain =
        with().filter(|(axis, _)| axis.element.is_none()).map(|(axis, n)| format!("{}={n}", axis.param));
    let listed = lists.iter().map(|(name, elements)| {
        let mut elements = elements.clone();
        for (axis, n) in with().filter(|(axis, _)| axis.param == *name) {
            if let Some(element) = axis.element {
                elements[element - 1] = n.to_string();
            }
        }
        format!("{name}=[{}]", elements.join(", "))
    });
    plain.chain(listed).collect()
}

/// Forwards progress reports under the name of a cell.
struct NamedProgress<'a> {
    of: &'a dyn Progress,
    name: String,
}

impl Progress for NamedProgress<'_> {
    fn phase(&self, name: &str) {
        self.of.phase(&format!("{}: {name}", self.name));
    }

    fn positions(&self, positions: u64, held_bytes: u64) {
        self.of.positions(positions, held_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_read() {
        let axis = |param: &str, element, values: &[i64]| Axis {
            param: param.into(),
            element,
            values: values.to_vec(),
        };
        assert_eq!(Axis::read("n=1..4"), Ok(axis("n", None, &[1, 2, 3, 4])));
        assert_eq!(Axis::read("n = -1..1, 5"), Ok(axis("n", None, &[-1, 0, 1, 5])));
        assert_eq!(Axis::read("heaps[2]=0..1"), Ok(axis("heaps", Some(2), &[0, 1])));
        for bad in [
            "n",
            "n=",
            "n=4..1",
            "n=1..",
            "=1..2",
            "n[0]=1..2",
            "n[x]=1",
            "n]=1",
            "n=0..9999999999",
            "n=1..x",
        ] {
            assert!(Axis::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_last_axis_is_the_fastest() {
        let axes = [Axis::read("a=1..2").unwrap(), Axis::read("l[2]=5..7").unwrap()];
        let all: Vec<Vec<i64>> = (0..6).map(|i| tuple(&axes, i)).collect();
        assert_eq!(all, [[1, 5], [1, 6], [1, 7], [2, 5], [2, 6], [2, 7]]);
        let lists = [("l".to_string(), vec!["3".to_string(), "4".to_string()])];
        assert_eq!(settings(&axes, &lists, &all[5]), ["a=2", "l=[3, 7]"]);
    }
}
