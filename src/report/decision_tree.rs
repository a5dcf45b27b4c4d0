//! Positions divided by a few conditions on their cells, so that those of a part have a move in common.
//!
//! Technique: the positions are divided by one cell after the other (a decision tree: Breiman, Friedman, Olshen, Stone,
//! "Classification and Regression Trees", 1984). Where several moves are best, any of them serves. Where tests of single
//! cells give too many parts, two numbers are compared as well: `heads > tails + 1`.

use std::collections::{BTreeMap, BTreeSet};

use bouton_rules::{FieldId, PHASE, Rules, Value};
use bouton_search::game::Game;
use serde::Serialize;

use super::mixed::cell_name;

/// The maximal number of best moves that are counted for a division.
const MAX_STEPS: usize = 20_000_000;
/// The maximal number of cells with numbers that are compared with each other.
const MAX_COMPARED: usize = 8;
/// The maximal number of rules that test single cells and are told as they are.
const FEW_RULES: usize = 3;
/// The maximal number of values of all comparisons in all positions.
const MAX_COMPARISONS: usize = 1_000_000;

/// The move of a rule about positions in which all moves are best.
const ANY_MOVE: &str = "any move";

/// A best move in some positions.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct PolicyRule {
    /// The conditions on the position, all of which hold; empty if there are none.
    pub when: Vec<String>,
    /// The move as written; `any move` if all are best.
    #[serde(rename = "move")]
    pub made: String,
}

impl PolicyRule {
    /// The rule in words: `with die >= 5: stop`.
    pub fn words(&self) -> String {
        match self.when.is_empty() {
            true if self.made == ANY_MOVE => self.made.clone(),
            true => format!("{} always", self.made),
            false => format!("with {}: {}", self.when.join(", "), self.made),
        }
    }
}

/// The positions in which a player moves, with the values of their cells and his moves by number.
pub(super) struct Decisions {
    /// For each cell its values in some of the positions, in order.
    values: Vec<Vec<Value>>,
    /// The moves as written, in order.
    moves: Vec<String>,
    pub(super) positions: Vec<Decision>,
}

impl Decisions {
    /// Numbers the values of the cells of positions, and their moves.
    pub(super) fn of(cells: usize, found: Vec<(Vec<Value>, BTreeSet<String>, Decision)>) -> Decisions {
        let in_order = |values: BTreeSet<Value>| values.into_iter().collect::<Vec<_>>();
        let values: Vec<Vec<Value>> = (0..cells)
            .map(|cell| in_order(found.iter().map(|(values, ..)| values[cell].clone()).collect()))
            .collect();
        let moves: BTreeSet<&String> = found.iter().flat_map(|(_, best, _)| best).collect();
        let moves: Vec<String> = moves.into_iter().cloned().collect();
        let numbered = |(own, best, decision): (Vec<Value>, BTreeSet<String>, Decision)| {
            let cells =
                own.iter().zip(&values).filter_map(|(value, all)| all.binary_search(value).ok()).collect();
            let best = best.iter().filter_map(|made| moves.binary_search(made).ok()).collect();
            Decision { cells, best, ..decision }
        };
        let positions = found.into_iter().map(numbered).collect();
        Decisions { values, moves, positions }
    }
}

/// A position in which the player moves.
#[derive(Clone)]
pub(super) struct Decision {
    /// The number of the value of each cell, and of each comparison after them.
    cells: Vec<usize>,
    pub(super) has_choice: bool,
    /// The numbers of the best moves, in order.
    best: Vec<usize>,
    /// True if all moves are best.
    all_best: bool,
}

impl Decision {
    /// A position whose cells and best moves are numbered later.
    pub(super) fn new(has_choice: bool, all_best: bool) -> Decision {
        Decision { cells: Vec::new(), has_choice, best: Vec::new(), all_best }
    }
}

/// A cell of a field.
pub(super) type FieldCell = (FieldId, usize);

/// The value that a test reads.
#[derive(Clone, Copy)]
enum Column {
    Cell(FieldCell),
    /// One cell less another, each multiplied by its number of times; a test of it compares the two.
    Difference {
        times: (i64, i64),
        of: (FieldCell, FieldCell),
    },
}

/// A condition on a cell or a comparison: its value by number.
#[derive(Clone, Copy, PartialEq)]
enum Test {
    AtMost(usize),
    Equals(usize),
}

impl Test {
    fn holds(self, value: usize) -> bool {
        match self {
            Test::AtMost(most) => value <= most,
            Test::Equals(wanted) => value == wanted,
        }
    }
}

/// Returns at most that many rules that divide positions, given by the values of these cells, so that those of a part have
/// the same words; `None` if so few do not suffice.
pub(super) fn rules_of_words(
    game: &Game,
    cells: &[FieldCell],
    positions: Vec<(Vec<Value>, String)>,
    most: usize,
) -> Option<Vec<PolicyRule>> {
    let of_words = |(values, words)| (values, BTreeSet::from([words]), Decision::new(true, false));
    let found = positions.into_iter().map(of_words);
    let decisions = Decisions::of(cells.len(), found.collect());
    let all: Vec<&Decision> = decisions.positions.iter().collect();
    let columns: Vec<Column> = cells.iter().map(|&cell| Column::Cell(cell)).collect();
    rules_by(game, &columns, &decisions, &all, most)
}

/// Returns at most that many rules for these positions, which test single cells or compare two numbers; `None` if so few do
/// not suffice.
pub(super) fn divided(
    game: &Game,
    cells: &[FieldCell],
    decisions: &Decisions,
    positions: &[&Decision],
    most: usize,
) -> Option<Vec<PolicyRule>> {
    let columns: Vec<Column> = cells.iter().map(|&cell| Column::Cell(cell)).collect();
    let by_cells = rules_by(game, &columns, decisions, positions, most);
    if by_cells.as_ref().is_some_and(|rules| rules.len() <= FEW_RULES) {
        return by_cells;
    }
    let compared = with_comparisons(cells, decisions, positions).and_then(|(columns, compared)| {
        rules_by(game, &columns, &compared, &compared.positions.iter().collect::<Vec<_>>(), most)
    });
    // Tests of single cells are read faster.
    let conditions = |rules: &[PolicyRule]| rules.iter().map(|rule| rule.when.len()).sum::<usize>();
    let is_shorter = |of: &Vec<PolicyRule>| {
        by_cells
            .as_ref()
            .is_none_or(|cells| 2 * conditions(of) <= conditions(cells) && of.len() < cells.len())
    };
    compared.filter(is_shorter).or(by_cells)
}

/// Returns at most that many rules that test these columns.
fn rules_by(
    game: &Game,
    columns: &[Column],
    decisions: &Decisions,
    positions: &[&Decision],
    most: usize,
) -> Option<Vec<PolicyRule>> {
    let values = |column: usize| positions.iter().map(|of| of.cells[column]).collect();
    let values = (0..columns.len()).map(values).collect();
    let mut told = Tree { game, columns, decisions, values, most, steps: 0, rules: Vec::new() };
    told.divide(positions, &mut Vec::new())?;
    Some(told.rules)
}

/// The cells with comparisons of every two that are numbers in all these positions; `None` if there are none, or too many.
fn with_comparisons(
    cells: &[FieldCell],
    decisions: &Decisions,
    positions: &[&Decision],
) -> Option<(Vec<Column>, Decisions)> {
    let varied_number = |&cell: &usize| {
        let is_number = |of: &&Decision| matches!(decisions.values[cell][of.cells[cell]], Value::Int(_));
        let varies = positions.iter().any(|of| of.cells[cell] != positions[0].cells[cell]);
        cells[cell].0 != PHASE && varies && positions.iter().all(is_number)
    };
    let numbers: Vec<usize> = (0..cells.len()).filter(varied_number).take(MAX_COMPARED + 1).collect();
    let pairs =
        || numbers.iter().enumerate().flat_map(|(at, &i)| numbers[at + 1..].iter().map(move |&j| (i, j)));
    let compared = pairs().flat_map(|of| [(1, 1), (2, 1), (1, 2)].map(|times| (times, of)));
    let compared: Vec<((i64, i64), (usize, usize))> = compared.collect();
    if compared.is_empty()
        || numbers.len() > MAX_COMPARED
        || compared.len() * positions.len() > MAX_COMPARISONS
    {
        return None;
    }
    let mut columns: Vec<Column> = cells.iter().map(|&cell| Column::Cell(cell)).collect();
    let mut values = decisions.values.clone();
    let mut positions: Vec<Decision> = positions.iter().map(|&of| of.clone()).collect();
    for (times, of) in compared {
        let number = |position: &Decision, cell: usize| decisions.values[cell][position.cells[cell]].as_int();
        let difference = |position: &Decision| {
            let first = number(position, of.0)?.checked_mul(times.0)?;
            first.checked_sub(number(position, of.1)?.checked_mul(times.1)?)
        };
        let differences: Vec<i64> = positions.iter().map(difference).collect::<Option<_>>()?;
        let all: Vec<i64> = differences.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        for (position, difference) in positions.iter_mut().zip(&differences) {
            position.cells.push(all.binary_search(difference).ok()?);
        }
        values.push(all.into_iter().map(Value::Int).collect());
        columns.push(Column::Difference { times, of: (cells[of.0], cells[of.1]) });
    }
    Some((columns, Decisions { values, moves: decisions.moves.clone(), positions }))
}

/// True for the phase: its number is a name.
fn is_phase(column: Column) -> bool {
    matches!(column, Column::Cell((PHASE, _)))
}

/// A division of positions by their cells and comparisons.
struct Tree<'a> {
    game: &'a Game,
    columns: &'a [Column],
    decisions: &'a Decisions,
    /// The values that each column has in some of all positions.
    values: Vec<BTreeSet<usize>>,
    /// The maximal number of rules.
    most: usize,
    /// The number of best moves that were counted.
    steps: usize,
    rules: Vec<PolicyRule>,
}

/// Positions counted by their best moves.
#[derive(Clone)]
struct MoveCounts {
    positions: usize,
    by_move: Vec<usize>,
}

impl MoveCounts {
    fn new(moves: usize) -> MoveCounts {
        MoveCounts { positions: 0, by_move: vec![0; moves] }
    }

    fn add(&mut self, of: &MoveCounts) {
        self.positions += of.positions;
        self.by_move.iter_mut().zip(&of.by_move).for_each(|(sum, count)| *sum += count);
    }

    /// Returns the number of positions in this part that lack its most common best move, and of those in the rest of all
    /// that lack the most common one of the rest.
    fn lacking(&self, all: &MoveCounts) -> usize {
        let rest = self.by_move.iter().zip(&all.by_move).map(|(part, all)| all - part);
        let most = |counts: Option<usize>| counts.unwrap_or(0);
        all.positions - most(self.by_move.iter().copied().max()) - most(rest.max())
    }
}

impl Tree<'_> {
    /// Adds rules for these positions, on which these tests hold or fail; `None` if there are too many rules.
    fn divide(&mut self, here: &[&Decision], path: &mut Vec<(usize, Test, bool)>) -> Option<()> {
        let Some(first) = here.first() else { return Some(()) };
        let moves = &self.decisions.moves;
        let common = match here.iter().all(|of| of.all_best) {
            true => Some(ANY_MOVE),
            false => {
                let is_common = |made: &&usize| here.iter().all(|of| of.best.binary_search(made).is_ok());
                first.best.iter().find(is_common).map(|&made| &moves[made][..])
            }
        };
        if let Some(made) = common {
            self.rules.push(PolicyRule { when: self.conditions(path, here), made: made.to_owned() });
            return (self.rules.len() <= self.most).then_some(());
        }
        // Each test on the path has positions on both sides, and these need a rule each.
        if path.len() >= self.most {
            return None;
        }
        let (cell, test) = self.best_test(here)?;
        let (those, others): (Vec<&Decision>, Vec<&Decision>) =
            here.iter().copied().partition(|of| test.holds(of.cells[cell]));
        for (part, holds) in [(those, true), (others, false)] {
            path.push((cell, test, holds));
            self.divide(&part, path)?;
            path.pop();
        }
        Some(())
    }

    /// The test after which the fewest positions lack the most common best move of their part; of these the first. `None`
    /// if there is none, or if the count takes too long.
    fn best_test(&mut self, here: &[&Decision]) -> Option<(usize, Test)> {
        let moves = self.decisions.moves.len();
        let mut best: Option<(usize, usize, Test)> = None;
        for cell in 0..self.columns.len() {
            let mut by_value: BTreeMap<usize, MoveCounts> = BTreeMap::new();
            let mut all = MoveCounts::new(moves);
            for of in here {
                for counts in
                    [by_value.entry(of.cells[cell]).or_insert_with(|| MoveCounts::new(moves)), &mut all]
                {
                    counts.positions += 1;
                    of.best.iter().for_each(|&made| counts.by_move[made] += 1);
                }
                self.steps += 1 + of.best.len();
            }
            self.steps += by_value.len() * moves;
            if self.steps > MAX_STEPS {
                return None;
            }
            if by_value.len() < 2 {
                continue;
            }
            let is_number = |value: &usize| matches!(self.decisions.values[cell][*value], Value::Int(_));
            let last = by_value.keys().last().copied();
            // A phase is no number, and `none` is on no side of a bound: it is split off first.
            let is_phase = is_phase(self.columns[cell]);
            let are_numbers = by_value.keys().all(is_number);
            let mut until = MoveCounts::new(moves);
            for (&value, counts) in &by_value {
                until.add(counts);
                let (test, part) = match is_number(&value) && !is_phase {
                    true if !are_numbers || Some(value) == last => continue,
                    true => (Test::AtMost(value), &until),
                    false => (Test::Equals(value), counts),
                };
                let lacking = part.lacking(&all);
                if best.as_ref().is_none_or(|(least, ..)| lacking < *least) {
                    best = Some((lacking, cell, test));
                }
            }
        }
        best.map(|(_, cell, test)| (cell, test))
    }

    /// The conditions that tests hold or fail, one for each cell.
    /// The conditions of a rule, no wider than the values in its positions.
    fn conditions(&self, path: &[(usize, Test, bool)], here: &[&Decision]) -> Vec<String> {
        let cells: BTreeSet<usize> = path.iter().map(|(cell, ..)| *cell).collect();
        cells.into_iter().map(|cell| self.condition(cell, path, here)).collect()
    }

    fn condition(&self, column: usize, path: &[(usize, Test, bool)], here: &[&Decision]) -> String {
        match self.columns[column] {
            Column::Cell(cell) => self.condition_of_cell(column, cell, path, here),
            Column::Difference { times, of } => {
                let [first, second] = [(times.0, of.0), (times.1, of.1)].map(|(times, cell)| {
                    let name = self.name(cell);
                    if times == 1 { name } else { format!("{times} * {name}") }
                });
                comparison(&first, &second, self.bounds(column, path))
            }
        }
    }

    fn name(&self, cell: FieldCell) -> String {
        let (field, key) = cell;
        let rules = &self.game.rules;
        cell_name(rules, &rules.fields[field], key)
    }

    /// The least and the greatest number that the tests of a column allow, as far as they say.
    fn bounds(&self, column: usize, path: &[(usize, Test, bool)]) -> (Option<i64>, Option<i64>) {
        let (mut least, mut most) = (None, None);
        for (_, test, holds) in path.iter().filter(|(of, ..)| *of == column) {
            let Test::AtMost(value) = *test else { continue };
            let number = self.decisions.values[column][value].as_int().unwrap_or_default();
            match holds {
                true => most = Some(most.map_or(number, |known: i64| known.min(number))),
                false => least = Some(least.map_or(number + 1, |known: i64| known.max(number + 1))),
            }
        }
        (least, most)
    }

    fn condition_of_cell(
        &self,
        column: usize,
        cell: FieldCell,
        path: &[(usize, Test, bool)],
        here: &[&Decision],
    ) -> String {
        let (field, _) = cell;
        let rules = &self.game.rules;
        let name = self.name(cell);
        let of = &self.decisions.values[column];
        let (mut equal, mut others) = (None, Vec::new());
        for (_, test, holds) in path.iter().filter(|(of, ..)| *of == column) {
            match (*test, holds) {
                (Test::Equals(value), true) => equal = Some(shown(rules, field, &of[value])),
                (Test::Equals(value), false) => others.push(shown(rules, field, &of[value])),
                (Test::AtMost(_), _) => {}
            }
        }
        let (least, most) = self.bounds(column, path);
        let met = || here.iter().filter_map(|of| self.decisions.values[column][of.cells[column]].as_int());
        let (least, most) = (least.and(met().min()), most.and(met().max()));
        // The bounds as far as values reach.
        let end = |value: Option<&usize>| value.and_then(|&value| of[value].as_int());
        let (first, last) = (end(self.values[column].first()), end(self.values[column].last()));
        match (least, most, equal) {
            (_, _, Some(value)) => format!("{name} = {value}"),
            (Some(least), most, _) if most.or(last) == Some(least) => format!("{name} = {least}"),
            (None, Some(most), _) if first == Some(most) => format!("{name} = {most}"),
            (Some(least), Some(most), _) => format!("{name} from {least} to {most}"),
            (Some(least), None, _) => format!("{name} >= {least}"),
            (None, Some(most), _) => format!("{name} <= {most}"),
            (None, None, None) => {
                let left = self.values[column].iter().map(|&value| shown(rules, field, &of[value]));
                let left: Vec<String> = left.filter(|value| !others.contains(value)).collect();
                match &left[..] {
                    [only] => format!("{name} = {only}"),
                    _ => {
                        let others = others.iter().map(|value| format!("{name} != {value}"));
                        others.collect::<Vec<_>>().join(", ")
                    }
                }
            }
        }
    }
}

/// Says that the first number less the second lies between two bounds: `heads > tails + 1`.
fn comparison(first: &str, second: &str, bounds: (Option<i64>, Option<i64>)) -> String {
    let (least, most) = bounds;
    let compared = |sign: &str, more: i64| match more {
        0 => format!("{first} {sign} {second}"),
        1.. => format!("{first} {sign} {second} + {more}"),
        _ => format!("{first} {sign} {second} - {}", more.unsigned_abs()),
    };
    if let (Some(least), Some(most)) = (least, most)
        && least == most
    {
        return compared("=", most);
    }
    // `a < b` reads better than `a <= b - 1`.
    let above = least.map(|least| compared(">", least.saturating_sub(1)));
    let below = most.map(|most| if most < 0 { compared("<", most + 1) } else { compared("<=", most) });
    above.into_iter().chain(below).collect::<Vec<_>>().join(", ")
}

/// The value of a field in words: a phase by its name.
fn shown(rules: &Rules, field: FieldId, value: &Value) -> String {
    let phase = value.as_int().filter(|_| field == PHASE).and_then(|phase| usize::try_from(phase).ok());
    phase
        .and_then(|phase| rules.phases.as_slice().get(phase))
        .map_or_else(|| rules.show(value), |phase| phase.name.clone())
}

#[cfg(test)]
mod tests {
    use super::comparison;

    #[test]
    fn two_numbers_are_compared_in_words() {
        let told = |least, most| comparison("heads", "2 * tails", (least, most));
        assert_eq!(told(Some(1), None), "heads > 2 * tails");
        assert_eq!(told(Some(3), None), "heads > 2 * tails + 2");
        assert_eq!(told(Some(-1), None), "heads > 2 * tails - 2");
        assert_eq!(told(None, Some(0)), "heads <= 2 * tails");
        assert_eq!(told(None, Some(-1)), "heads < 2 * tails");
        assert_eq!(told(Some(2), Some(2)), "heads = 2 * tails + 2");
        assert_eq!(told(Some(1), Some(4)), "heads > 2 * tails, heads <= 2 * tails + 4");
    }
}
