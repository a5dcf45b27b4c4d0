//! The result of `table`: `bouton-table/1`, with the pattern of the cells. `formats` renders it.

use bouton_base::rational::Rational;
use num_rational::Rational64;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::solve::BoundsReport;
use super::words::listed_with;
use super::{numbers, solve, verdict};
use bouton_certificates::{Certificate, Claim, describe_ranges};
use bouton_patterns::sequences::{self, SequenceLaw};
use bouton_patterns::{classes, formulas};
use bouton_rules::{Rules, Value as ParameterValue};
use bouton_search::game::draw::player_symbol;
use bouton_search::solve::partizan::GameValue;
use bouton_search::solve::{Bounds, Value, ValueKind};

mod formats;

/// The number of terms of a period of classes beyond those that state it and its beginning.
const MIN_CONFIRMING_TERMS: usize = 4;

/// The quantity that the cells show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableQuantity {
    /// The winner.
    Outcome,
    /// The Grundy value.
    Nimber,
    /// Plies to the end under best play.
    Remoteness,
    /// The number of reachable positions.
    Positions,
    /// The outcome class: N, P, L or R.
    Class,
    /// The value as a game, whoever is to move.
    GameValue,
    /// The mean of that value.
    Mean,
    /// The temperature of the position.
    Temperature,
}

impl TableQuantity {
    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            TableQuantity::Outcome => "outcome",
            TableQuantity::Nimber => "nimber",
            TableQuantity::Remoteness => "remoteness",
            TableQuantity::Positions => "positions",
            TableQuantity::Class => "class",
            TableQuantity::GameValue => "value",
            TableQuantity::Mean => "mean",
            TableQuantity::Temperature => "temperature",
        }
    }
}

/// The result of one cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CellResult {
    /// The cell was solved.
    Solved {
        value: Value,
        /// Plies to the end, if the method counts them.
        remoteness: Option<u32>,
        /// The Grundy value, if the method gives it.
        nimber: Option<u32>,
    },
    /// The value lies between bounds.
    Between {
        /// The bounds of the first player's payoff.
        bounds: Bounds,
        /// True if they are so close that they count as an answer.
        is_answer: bool,
        /// The bounds in words.
        words: String,
        /// The reason why the value is not exact.
        reason: String,
    },
    /// The number of reachable positions.
    Positions(u64),
    /// The value as a game.
    GameValue(GameValue),
    /// A limit was reached, or there is no such number; with the reason.
    Unknown(String),
    /// No game has these parameters; with the first of the errors.
    InvalidGame(String),
    /// The rules have no meaning in some position of the game; with the reason.
    Faulty(String),
}

/// The object that `table --json` prints; every key is always present.
#[derive(Serialize, Clone, Debug)]
pub struct TableReport {
    /// The name of the data format.
    pub schema: &'static str,
    /// The game's name; `None` if no cell has a game.
    pub game: Option<String>,
    /// The file as given.
    pub file: String,
    /// The quantity that the cells show.
    pub show: &'static str,
    /// The parameters that vary, in order; the last varies fastest.
    pub over: Vec<String>,
    /// The cells.
    pub rows: Vec<TableRow>,
    /// The numbers of the cells in a row, for look-up; `None` if a number is missing, or values are not in order.
    pub sequence: Option<SequenceReport>,
    /// The pattern of the cells.
    pub pattern: PatternReport,
    /// The proof of the pattern.
    #[serde(skip)]
    pub certificate: Option<Certificate>,
    /// The parameters that have one value in all cells, each with that value in words; `None` if no cell has a game.
    #[serde(skip)]
    fixed: Option<Vec<(String, String)>>,
    #[serde(skip)]
    kind: TableQuantity,
    /// The meaning of each grid entry that is not a number, in order of first appearance.
    #[serde(skip)]
    legend: Vec<(String, String)>,
}

/// A cell with its parameters.
#[derive(Serialize, Clone, Debug)]
pub struct TableRow {
    /// The values of the parameters that vary.
    #[serde(flatten)]
    pub params: Map<String, Json>,
    /// `solved`, `bounded`, `unknown`, or `invalid` if there is no such game.
    pub status: &'static str,
    /// As in `bouton-solve/1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// As in `bouton-solve/1`.
    pub outcome: Option<&'static str>,
    /// As in `bouton-solve/1`.
    pub winner: Option<String>,
    /// As in `bouton-solve/1`.
    pub value: Option<Map<String, Json>>,
    /// As in `bouton-solve/1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<BoundsReport>,
    /// As in `bouton-solve/1`.
    pub remoteness: Option<u32>,
    /// The Grundy value.
    pub nimber: Option<u32>,
    /// The number of reachable positions.
    pub positions: Option<u64>,
    /// The outcome class; present only if values of games are shown, as the next three.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The canonical form of the value as a game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game_value: Option<String>,
    /// The mean of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<String>,
    /// The temperature of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<String>,
    /// The reason why it is not solved.
    pub reason: Option<String>,
    #[serde(skip)]
    tuple: Vec<i64>,
    /// The entry in the grid.
    #[serde(skip)]
    sign: String,
    /// The entry in words.
    #[serde(skip)]
    words: String,
    /// The entry as a number; for outcomes, the payoff of the first player.
    #[serde(skip)]
    number: Option<i64>,
}

/// Numbers for look-up, in the On-Line Encyclopedia of Integer Sequences for example.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct SequenceReport {
    /// The meaning of the numbers, and their order.
    pub of: String,
    pub terms: Vec<i64>,
}

/// The pattern of the cells.
#[derive(Serialize, Clone, PartialEq, Eq, Debug, Default)]
pub struct PatternReport {
    /// The pattern in words; `None` if none was found.
    pub statement: Option<String>,
    /// `observed` or `parametric`; `None` if no pattern was found.
    pub tier: Option<&'static str>,
    /// The parameter values for which the pattern is observed but not proved, or those for which it is proved, and how.
    pub label: Option<String>,
}

impl TableRow {
    /// Returns true if a limit was reached before the cell had an answer.
    pub fn is_open(&self) -> bool {
        matches!(self.status, "unknown" | "bounded")
    }
}

impl TableReport {
    /// A table without cells.
    pub fn new(show: TableQuantity, file: &str, over: Vec<String>) -> TableReport {
        TableReport {
            schema: "bouton-table/1",
            game: None,
            file: file.to_string(),
            show: show.name(),
            over,
            rows: Vec::new(),
            sequence: None,
            pattern: PatternReport::default(),
            certificate: None,
            fixed: None,
            kind: show,
            legend: Vec::new(),
        }
    }

    /// Appends the next cell; `rules` is `None` if there is no such game.
    pub fn push(&mut self, tuple: Vec<i64>, cell: CellResult, rules: Option<&Rules>) {
        if let Some(rules) = rules {
            self.game.get_or_insert_with(|| rules.name.clone());
            self.keep_fixed(rules);
        }
        let params = self.over.iter().cloned().zip(tuple.iter().map(|n| json!(n))).collect();
        let mut row = TableRow {
            params,
            status: "solved",
            exact: None,
            outcome: None,
            winner: None,
            value: None,
            bounds: None,
            remoteness: None,
            nimber: None,
            positions: None,
            class: None,
            game_value: None,
            mean: None,
            temperature: None,
            reason: None,
            tuple,
            sign: String::new(),
            words: String::new(),
            number: None,
        };
        match (cell, rules) {
            (CellResult::Solved { value, remoteness, nimber }, Some(rules)) => {
                row.outcome = Some(solve::outcome(value.kind));
                row.winner = solve::winner(rules, &value);
                row.value = Some(numbers::payoffs(rules, &value.payoffs));
                (row.remoteness, row.nimber) = (remoteness, nimber);
                let words = verdict::value_words(rules, &value, None);
                let shown = match self.kind {
                    TableQuantity::Nimber => nimber,
                    TableQuantity::Remoteness => remoteness,
                    _ => None,
                };
                row.number = match self.kind {
                    TableQuantity::Outcome => value.payoffs.first().and_then(Rational::as_i64),
                    _ => shown.map(i64::from),
                };
                match shown {
                    Some(number) => {
                        row.sign = number.to_string();
                        row.words = format!("{number} ({words})");
                    }
                    None if self.kind == TableQuantity::Outcome => {
                        row.sign = sign(rules, &value);
                        row.words = words;
                    }
                    None if value.kind == ValueKind::Unsolvable => {
                        row.sign = sign(rules, &value);
                        row.words = words;
                    }
                    // Payoffs and results of chance have no plies, nor some winners.
                    None => {
                        row.sign = "?".into();
                        row.words = format!("{words} ({} not known)", self.show);
                    }
                }
            }
            (CellResult::Between { bounds, is_answer, words, reason }, Some(rules)) => {
                row.exact = is_answer.then_some(false);
                row.status = if is_answer { "solved" } else { "bounded" };
                row.sign = match (&bounds.low, &bounds.high) {
                    (Some(low), Some(high)) if is_answer => numbers::enclosed(low, high),
                    _ => "?".into(),
                };
                row.words = words;
                row.reason = Some(reason);
                row.bounds = Some(solve::bounds(rules, &bounds));
            }
            (CellResult::Positions(n), _) => {
                row.positions = Some(n);
                row.number = i64::try_from(n).ok();
                row.sign = n.to_string();
                row.words = n.to_string();
            }
            (CellResult::GameValue(value), _) => {
                let shown = |of: fn((Rational64, Rational64)) -> Rational64| {
                    value.mean_and_temperature.map(|both| of(both).to_string())
                };
                (row.mean, row.temperature) = (shown(|both| both.0), shown(|both| both.1));
                (row.class, row.game_value) = (Some(value.class.to_string()), Some(value.name));
                let entry = match self.kind {
                    TableQuantity::Class => &row.class,
                    TableQuantity::Mean => &row.mean,
                    TableQuantity::Temperature => &row.temperature,
                    _ => &row.game_value,
                };
                row.sign = entry.clone().unwrap_or_else(|| "?".into());
                row.number = row.sign.parse().ok();
                row.words = row.sign.clone();
            }
            (CellResult::Unknown(reason), _) => {
                (row.status, row.sign) = ("unknown", "?".into());
                row.words = format!("not known: {reason}");
                row.reason = Some(reason);
            }
            (CellResult::InvalidGame(reason), _) => {
                (row.status, row.sign) = ("invalid", "-".into());
                row.words = format!("no such game: {reason}");
                row.reason = Some(reason);
            }
            (CellResult::Faulty(reason), _) => {
                (row.status, row.sign) = ("invalid", "-".into());
                row.words = reason.clone();
                row.reason = Some(reason);
            }
            // Every solved cell has rules.
            (CellResult::Solved { .. } | CellResult::Between { .. }, None) => row.status = "unknown",
        }
        let is_value = row.game_value.is_some();
        if !is_value
            && row.sign.parse::<i64>().is_err()
            && !is_fraction(&row.sign)
            && !self.legend.iter().any(|(sign, _)| *sign == row.sign)
        {
            // What is known of a cell with bounds is not true of all cells with its sign.
            let words = if row.status == "bounded" { "not solved".into() } else { row.words.clone() };
            self.legend.push((row.sign.clone(), words));
        }
        self.rows.push(row);
    }

    /// Keeps the parameters that have the same value in the rules of one more cell.
    fn keep_fixed(&mut self, rules: &Rules) {
        let element = |name: &str, index: usize| format!("{name}[{}]", index + 1);
        let mut own: Vec<(String, String)> = Vec::new();
        for ((name, words), (_, value)) in numbers::parameters(rules).zip(&rules.params) {
            let parts = match value {
                ParameterValue::List(values) => &values[..],
                _ => &[],
            };
            let varies = |index: usize| self.over.contains(&element(name, index));
            if self.over.iter().any(|over| over == name) {
                continue;
            }
            match (0..parts.len()).any(varies) {
                false => own.push((name.to_owned(), words)),
                true => own.extend((0..parts.len()).filter(|index| !varies(*index)).map(|index| {
                    let shown = rules.show(&parts[index]);
                    (element(name, index), format!("{} = {shown}", element(name, index)))
                })),
            }
        }
        match &mut self.fixed {
            Some(fixed) => fixed.retain(|one| own.contains(one)),
            None => self.fixed = Some(own),
        }
    }

    /// The values of the parameters that do not vary, without these, in words; empty if there are none.
    fn fixed(&self, except: &[&str]) -> String {
        let fixed = self.fixed.iter().flatten().filter(|(name, _)| !except.contains(&name.as_str()));
        fixed.map(|(_, words)| words.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Shows draws as payoffs of 0 where other cells are payoffs of 0.
    fn show_draws_as_payoffs(&mut self) {
        let is_zero = |row: &&TableRow| row.outcome == Some("payoff") && row.number == Some(0);
        let Some((sign, words)) =
            self.rows.iter().find(is_zero).map(|row| (row.sign.clone(), row.words.clone()))
        else {
            return;
        };
        for row in self.rows.iter_mut().filter(|row| row.outcome == Some("draw")) {
            self.legend.retain(|(shown, _)| *shown != row.sign);
            (row.sign, row.words) = (sign.clone(), words.clone());
        }
    }

    /// Searches for a pattern and makes the sequence, once all cells are present.
    pub fn find_pattern(&mut self) {
        self.show_draws_as_payoffs();
        self.sequence = self.numbers();
        if let Some((statement, rows)) = self.law().or_else(|| self.formula()).or_else(|| self.classes()) {
            let label = self.label(&rows);
            self.pattern =
                PatternReport { statement: Some(statement), tier: Some("observed"), label: Some(label) };
        }
    }

    /// Makes the sequence, and states the result proved for every value of a parameter: the period of the nimbers, or
    /// the winner; `sole_winner` wins in every case.
    pub fn set_proof(&mut self, certificate: &Certificate, sole_winner: Option<&str>) {
        self.sequence = self.numbers();
        self.certificate = Some(certificate.clone());
        let header = &certificate.header;
        let varied: Vec<&str> = match &header.claim {
            Claim::Always { over, .. } => over.iter().map(|range| range.param.as_str()).collect(),
            _ => Vec::new(),
        };
        let fixed = self.fixed(&varied);
        let with = if fixed.is_empty() { fixed } else { format!(" with {fixed}") };
        if let Claim::Always { over, .. } = &header.claim {
            let words = header.claim.describe(&header.players, header.convention);
            let cases = || words.split_once(": ").map_or(words.clone(), |(_, cases)| cases.to_owned());
            let statement = sole_winner.map_or_else(cases, |winner| format!("{winner} wins"));
            let label = format!(
                "proved for all {}{with}; the checker accepted a certificate (param)",
                describe_ranges(over)
            );
            self.pattern =
                PatternReport { statement: Some(statement), tier: Some("parametric"), label: Some(label) };
        }
        let Claim::Period { param, from, period } = &header.claim else { return };
        let least = self.rows.iter().map(|row| row.tuple[0]).min().unwrap_or_default();
        let from =
            if i64::from(*from) <= least { String::new() } else { format!(" from {param} = {from} on") };
        let kinds = "the checker accepted a certificate (periodic)";
        self.pattern = PatternReport {
            statement: Some(format!("{}: period {period}{from}", self.show)),
            tier: Some("parametric"),
            label: Some(format!("proved for every {param}{with}; {kinds}")),
        };
    }

    /// The law of the sequence for one parameter, over the longest run of consecutive values that have a number.
    fn law(&self) -> Option<(String, Vec<&TableRow>)> {
        if self.over.len() != 1 || self.kind == TableQuantity::Outcome && !self.has_payoffs() {
            return None;
        }
        let follows = |a: &TableRow, b: &TableRow| {
            b.number.is_some() && a.number.is_some() && a.tuple[0].checked_add(1) == Some(b.tuple[0])
        };
        let runs = self.rows.chunk_by(follows).filter(|run| run[0].number.is_some());
        let run = runs.reduce(|a, b| if b.len() > a.len() { b } else { a })?;
        let terms: Vec<i64> = run.iter().filter_map(|row| row.number).collect();
        let first = run[0].tuple[0];
        let told = sequences::find(&terms, first)?.describe(&self.over[0], first, &terms);
        Some((format!("{}: {told}", self.quantity()), run.iter().collect()))
    }

    /// A formula for the numbers of several parameters.
    fn formula(&self) -> Option<(String, Vec<&TableRow>)> {
        if self.over.len() < 2 || self.kind == TableQuantity::Outcome && !self.has_payoffs() {
            return None;
        }
        let rows: Vec<&TableRow> = self.rows.iter().filter(|row| row.status == "solved").collect();
        // A solved cell that is no whole number fits no formula.
        let case = |row: &&TableRow| Some((row.tuple.clone(), row.number?));
        let cases: Vec<(Vec<i64>, i64)> = rows.iter().map(case).collect::<Option<_>>()?;
        let formula = formulas::find(&cases)?;
        Some((format!("{} = {}", self.quantity(), formula.describe(&self.over)), rows))
    }

    /// Returns true if the outcomes are payoffs that are more than won, drawn or lost.
    fn has_payoffs(&self) -> bool {
        self.kind == TableQuantity::Outcome && self.rows.iter().any(|row| row.outcome == Some("payoff"))
    }

    /// Returns true if a single player wins or loses.
    fn is_puzzle(&self) -> bool {
        !self.has_payoffs()
            && self.rows.iter().filter_map(|row| row.value.as_ref()).any(|value| value.len() == 1)
    }

    /// The name of the first player, for the numbers of outcomes.
    fn first_player(&self) -> &str {
        let first = self.rows.iter().find_map(|row| row.value.as_ref()?.keys().next());
        first.map_or("the first player", String::as_str)
    }

    /// The meaning of the numbers of the rows.
    fn quantity(&self) -> String {
        match self.has_payoffs() {
            true => format!("payoff of {}", self.first_player()),
            false => self.show.to_owned(),
        }
    }

    /// The sentence that explains payoffs in a grid; `None` if the grid has none that stand for both players.
    fn payoff_legend(&self) -> Option<String> {
        let of_both = |row: &&TableRow| {
            row.value.as_ref().is_some_and(|value| value.len() == 2)
                && row.outcome == Some("payoff")
                && !row.sign.contains(':')
        };
        let mut players = self.rows.iter().find(of_both)?.value.as_ref()?.keys();
        Some(format!("a number is what {} gets; {} gets its negative", players.next()?, players.next()?))
    }

    /// Conditions that separate the classes: winners; nimbers that are 0 or not; other numbers. There are at most four
    /// classes.
    fn classes(&self) -> Option<(String, Vec<&TableRow>)> {
        let is_told = |row: &&TableRow| row.status == "solved" && row.sign != "?";
        let rows: Vec<&TableRow> = self.rows.iter().filter(is_told).collect();
        let name = |row: &&TableRow| match (self.kind, row.number) {
            (TableQuantity::Outcome, _) => row.words.clone(),
            (TableQuantity::Nimber, Some(0)) => "nimber 0".into(),
            (TableQuantity::Nimber, _) => "nimber not 0".into(),
            _ => format!("{} {}", self.show, row.sign),
        };
        let mut names: Vec<String> = Vec::new();
        let mut cases = Vec::new();
        for row in &rows {
            let own = name(row);
            let class = names.iter().position(|n| *n == own).unwrap_or_else(|| {
                names.push(own);
                names.len() - 1
            });
            cases.push((row.tuple.clone(), class));
        }
        if names.len() > 4 {
            return None;
        }
        let told = classes::find(&cases).map(|list| match (self.kind, &names[..], rows.first()) {
            (TableQuantity::Nimber, [_], Some(row)) if row.number == Some(0) => {
                "the nimber is always 0".into()
            }
            (TableQuantity::Nimber, [_], _) => "the nimber is never 0".into(),
            _ => list.describe(&self.over, &names),
        });
        let told = told.or_else(|| self.rare_class(&cases, &names));
        Some((told.or_else(|| self.period_of_classes(&cases, &names))?, rows))
    }

    /// A period of the classes of consecutive values of one parameter, with the values before it and those where another
    /// class comes than mostly: `A wins from n = 1 on; B wins where n = 0`.
    fn period_of_classes(&self, cases: &[(Vec<i64>, usize)], names: &[String]) -> Option<String> {
        let [over] = self.over.as_slice() else { return None };
        let first = cases.first().filter(|_| are_consecutive(cases))?.0[0];
        let terms: Vec<i64> = cases.iter().map(|(_, class)| *class as i64).collect();
        let SequenceLaw::Periodic { preperiod, period, step: 0 } = sequences::find(&terms, first)? else {
            return None;
        };
        // Of few classes, some period of some terms comes by chance.
        if terms.len() < 3 * period + 2 * preperiod + MIN_CONFIRMING_TERMS {
            return None;
        }
        let begins = first + preperiod as i64;
        let cycle = &cases[preperiod..preperiod + period];
        let count = |class: usize| cycle.iter().filter(|(_, own)| *own == class).count();
        let most = (0..names.len()).max_by_key(|&class| (count(class), std::cmp::Reverse(class)))?;
        let any_of =
            |values: Vec<i64>| listed_with(&values.iter().map(i64::to_string).collect::<Vec<_>>(), "or");
        let mut told: Vec<String> = Vec::new();
        for class in (0..names.len()).filter(|&class| class != most && count(class) > 0) {
            let mut rest: Vec<i64> = cycle
                .iter()
                .filter(|(_, own)| *own == class)
                .map(|(tuple, _)| tuple[0].rem_euclid(period as i64))
                .collect();
            rest.sort_unstable();
            told.push(format!("{} where {over} mod {period} is {}", names[class], any_of(rest)));
        }
        let mostly = &names[most];
        let mut statement = match told.is_empty() {
            true => mostly.clone(),
            false => format!("{}; {mostly} elsewhere", told.join("; ")),
        };
        if preperiod > 0 {
            statement += &format!(" from {over} = {begins} on; before that, ");
            let early = (0..names.len()).filter_map(|class| {
                let own = cases[..preperiod].iter().filter(|(_, own)| *own == class);
                let values: Vec<i64> = own.map(|(tuple, _)| tuple[0]).collect();
                (!values.is_empty()).then(|| format!("{} where {over} is {}", names[class], any_of(values)))
            });
            statement += &early.collect::<Vec<_>>().join(", ");
        }
        Some(statement)
    }

    /// A law of the values of one parameter that belong to the smaller of two classes, such as the Fibonacci numbers.
    fn rare_class(&self, cases: &[(Vec<i64>, usize)], names: &[String]) -> Option<String> {
        let ([over], [_, _]) = (self.over.as_slice(), names) else { return None };
        let of = |class: usize| -> Vec<i64> {
            cases.iter().filter(|(_, own)| *own == class).map(|(tuple, _)| tuple[0]).collect()
        };
        let (rare, values) = [(0, of(0)), (1, of(1))].into_iter().min_by_key(|(_, values)| values.len())?;
        let last = cases.last().filter(|_| are_consecutive(cases))?.0[0];
        let told = sequences::describe_positions(&values, over, last)?;
        Some(format!("{} exactly where {told}; {} everywhere else", names[rare], names[1 - rare]))
    }

    /// The label of an observed pattern: `observed for n <= 12 and k <= 4, not proved`.
    fn label(&self, rows: &[&TableRow]) -> String {
        let range = |(i, name): (usize, &String)| {
            let mut values: Vec<i64> = rows.iter().map(|row| row.tuple[i]).collect();
            values.sort_unstable();
            values.dedup();
            match values.as_slice() {
                [only] => format!("{name} = {only}"),
                [low, .., high] if high.abs_diff(*low) as usize + 1 > values.len() => {
                    format!("{} values of {name} from {low} to {high}", values.len())
                }
                [low, .., high] => format!("{low} <= {name} <= {high}"),
                [] => String::new(),
            }
        };
        let ranges: Vec<String> = self.over.iter().enumerate().map(range).collect();
        let reaches = |row: &&TableRow| {
            row.tuple.iter().enumerate().all(|(i, value)| {
                rows.iter().any(|of| of.tuple[i] <= *value) && rows.iter().any(|of| of.tuple[i] >= *value)
            })
        };
        let is_left = |row: &&TableRow| row.is_open() || row.sign == "?";
        let left = self.rows.iter().filter(is_left).filter(reaches).count();
        let left = match (left, self.kind) {
            (0, _) => String::new(),
            (_, TableQuantity::Outcome) => format!(" without the cells not solved ({left})"),
            _ => format!(" without the cells whose {} is not known ({left})", self.show),
        };
        format!("observed for {}{left}, not proved", ranges.join(" and "))
    }

    /// The numbers in a row: in order for one parameter, by antidiagonals for two.
    fn numbers(&self) -> Option<SequenceReport> {
        let has_draws = self.rows.iter().any(|row| row.outcome == Some("draw"));
        let number = |row: &TableRow| match self.kind {
            TableQuantity::Outcome if !self.has_payoffs() && !has_draws => {
                row.value.as_ref().map(|_| i64::from(row.number.is_some_and(|n| n > 0)))
            }
            _ => row.number,
        };
        let all: Vec<i64> = self.rows.iter().map(number).collect::<Option<_>>()?;
        if !self.rows.is_sorted_by(|a, b| a.tuple < b.tuple) {
            return None;
        }
        let consecutive = |i: usize| {
            let mut values: Vec<i64> = self.rows.iter().map(|row| row.tuple[i]).collect();
            values.sort_unstable();
            values.dedup();
            values.windows(2).all(|pair| pair[0] + 1 == pair[1]).then_some((values[0], values.len()))
        };
        let what = match self.kind {
            TableQuantity::Outcome if self.is_puzzle() => "1 where it can be solved, else 0".into(),
            TableQuantity::Outcome if !self.has_payoffs() && has_draws => {
                format!("1 where {} wins, 0 for a draw, -1 where he loses", self.first_player())
            }
            TableQuantity::Outcome if !self.has_payoffs() => {
                format!("1 where {} wins, else 0", self.first_player())
            }
            _ => self.quantity(),
        };
        match self.over.as_slice() {
            [name] => {
                let (first, _) = consecutive(0)?;
                Some(SequenceReport { of: format!("{what}, from {name} = {first} on"), terms: all })
            }
            [down, across] => {
                let ((first, rows), (left, columns)) = (consecutive(0)?, consecutive(1)?);
                let diagonal = |d: usize| (0..=d).map(move |i| (i, d - i));
                let cells = (0..rows.min(columns)).flat_map(diagonal);
                let terms = cells.map(|(i, j)| all.get(i * columns + j).copied()).collect::<Option<_>>()?;
                let of = format!(
                    "{what}, by antidiagonals: ({down}, {across}) = ({first}, {left}), ({first}, {}), ({}, {left}), ...",
                    left + 1,
                    first + 1
                );
                Some(SequenceReport { of, terms })
            }
            _ => None,
        }
    }
}

/// Returns true if an entry of the grid is a fraction, such as `-1/2`.
fn is_fraction(sign: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = sign.strip_prefix('-').unwrap_or(sign);
    unsigned.split_once('/').is_some_and(|(a, b)| is_number(a) && is_number(b))
}

/// Returns true if these are the payoffs of two players whose sum is 0.
fn is_zero_sum_pair(payoffs: &[Rational]) -> bool {
    matches!(payoffs, [first, second] if *second == -first.clone())
}

/// The entry of a value in the grid.
fn sign(rules: &Rules, value: &Value) -> String {
    match value.kind {
        ValueKind::Win(player) => player_symbol(rules, player),
        ValueKind::Draw => "=".into(),
        ValueKind::Payoff if is_zero_sum_pair(&value.payoffs) => value.payoffs[0].to_string(),
        ValueKind::Payoff => {
            let payoffs: Vec<String> = value.payoffs.iter().map(|p| p.to_string()).collect();
            payoffs.join(":")
        }
        ValueKind::Solved => "+".into(),
        ValueKind::Unsolvable => "x".into(),
    }
}

/// Returns true if the values of the first parameter follow each other.
fn are_consecutive(cases: &[(Vec<i64>, usize)]) -> bool {
    cases.windows(2).all(|pair| pair[0].0[0].checked_add(1) == Some(pair[1].0[0]))
}
