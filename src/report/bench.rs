//! The result of `bench`: `bouton-bench/1`, the format that `--against` also reads.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::words::group_digits;

/// The object that `bench --json` prints.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct BenchReport {
    /// The name of the data format.
    pub schema: String,
    /// The version of Bouton.
    pub version: String,
    /// The number of runs of which each rate is the median.
    pub runs: u32,
    /// The measurements of the games, in the order given.
    pub games: Vec<GameBench>,
}

/// The name of the data format.
pub const SCHEMA: &str = "bouton-bench/1";

/// The measurements of a game.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct GameBench {
    pub game: String,
    /// The file as given.
    pub file: String,
    /// The parameters by name.
    pub params: Map<String, Value>,
    /// The reason why there is nothing to measure, or no machine code.
    pub reason: Option<String>,
    /// The number of bits of a state.
    pub state_bits: Option<u64>,
    /// The number of words that store a state.
    pub state_words: Option<u64>,
    /// The number of values of the circuit.
    pub values: Option<u64>,
    /// The duration of lowering the rules to a circuit.
    pub lower_seconds: Option<f64>,
    /// The duration of compiling the circuit to machine code.
    pub code_seconds: Option<f64>,
    /// The number of bytes of machine code.
    pub code_bytes: Option<u64>,
    /// The rates of the machine code.
    pub jit: RunnerRates,
    /// The rates of the circuit interpreter.
    pub interp: RunnerRates,
    /// With `--against`: each figure divided by that of the baseline.
    pub against: Option<Map<String, Value>>,
}

/// The speed of a runner with one thread.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Debug, Default)]
pub struct RunnerRates {
    /// The depth of perft in moves.
    pub perft_depth: Option<u32>,
    /// The number of perft leaves per second.
    pub perft_per_second: Option<f64>,
    /// The number of moves of random games per second.
    pub playout_moves_per_second: Option<f64>,
    /// The number of random games per second.
    pub playouts_per_second: Option<f64>,
}

impl BenchReport {
    pub fn new(runs: u32, games: Vec<GameBench>) -> BenchReport {
        let version = env!("CARGO_PKG_VERSION").to_string();
        BenchReport { schema: SCHEMA.into(), version, runs, games }
    }

    /// Sets the ratios of each game's figures to those of a baseline.
    pub fn compare(&mut self, baseline: &BenchReport) {
        for game in &mut self.games {
            let same = |old: &&GameBench| old.game == game.game && old.params == game.params;
            game.against = baseline.games.iter().find(same).map(|old| game.ratios(old));
        }
    }

    /// Renders a table, followed by the reasons for missing measurements.
    pub fn text(&self) -> String {
        let mut rows = vec![COLUMN_HEADS.map(str::to_string)];
        let mut notes = String::new();
        for game in &self.games {
            if let Some(reason) = &game.reason {
                // Writing to a string cannot fail.
                let _ = writeln!(notes, "{}: {reason}", game.name());
            }
            if game.values.is_some() {
                rows.push(game.row());
                rows.extend(game.ratio_row());
            }
        }
        if rows.len() == 1 {
            return notes;
        }
        table(&rows) + &notes
    }
}

/// The heads of the columns.
const COLUMN_HEADS: [&str; 9] =
    ["game", "bits", "values", "lower ms", "code ms", "perft/s", "(interp)", "random/s", "(interp)"];

impl GameBench {
    /// A game without measurements.
    pub fn new(game: &str, file: &str, params: Map<String, Value>) -> GameBench {
        GameBench {
            game: game.into(),
            file: file.into(),
            params,
            reason: None,
            state_bits: None,
            state_words: None,
            values: None,
            lower_seconds: None,
            code_seconds: None,
            code_bytes: None,
            jit: RunnerRates::default(),
            interp: RunnerRates::default(),
            against: None,
        }
    }

    fn name(&self) -> String {
        let params: Vec<String> = self.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if params.is_empty() { self.game.clone() } else { format!("{} {}", self.game, params.join(" ")) }
    }

    /// The figures to compare.
    fn figures(&self) -> [(&'static str, Option<f64>); 10] {
        let count = |n: Option<u64>| n.map(|n| n as f64);
        [
            ("state_bits", count(self.state_bits)),
            ("values", count(self.values)),
            ("lower_seconds", self.lower_seconds),
            ("code_seconds", self.code_seconds),
            ("code_bytes", count(self.code_bytes)),
            ("jit.perft_per_second", self.jit.perft_per_second),
            ("jit.playout_moves_per_second", self.jit.playout_moves_per_second),
            ("jit.playouts_per_second", self.jit.playouts_per_second),
            ("interp.perft_per_second", self.interp.perft_per_second),
            ("interp.playout_moves_per_second", self.interp.playout_moves_per_second),
        ]
    }

    /// Each figure that both games have, divided by the old one.
    fn ratios(&self, old: &GameBench) -> Map<String, Value> {
        let both = self.figures().into_iter().zip(old.figures());
        let ratio = |((name, new), (_, old)): ((&str, Option<f64>), (_, Option<f64>))| {
            let old = old.filter(|&old| old > 0.0)?;
            Some((name.to_string(), Value::from(new? / old)))
        };
        both.filter_map(ratio).collect()
    }

    fn row(&self) -> [String; 9] {
        let count = |n: Option<u64>| n.map_or("-".into(), group_digits);
        let time = |seconds: Option<f64>| seconds.map_or("-".into(), |s| format!("{:.1}", 1e3 * s));
        let rate = |rate: Option<f64>| rate.map_or("-".into(), |rate| group_digits(rate as u64));
        [
            self.name(),
            count(self.state_bits),
            count(self.values),
            time(self.lower_seconds),
            time(self.code_seconds),
            rate(self.jit.perft_per_second),
            rate(self.interp.perft_per_second),
            rate(self.jit.playout_moves_per_second),
            rate(self.interp.playout_moves_per_second),
        ]
    }

    fn ratio_row(&self) -> Option<[String; 9]> {
        let ratios = self.against.as_ref()?;
        let ratio = |name: &str| {
            let ratio = ratios.get(name).and_then(Value::as_f64);
            ratio.map_or("-".into(), |ratio| format!("x {ratio:.2}"))
        };
        Some([
            "  against the baseline".into(),
            ratio("state_bits"),
            ratio("values"),
            ratio("lower_seconds"),
            ratio("code_seconds"),
            ratio("jit.perft_per_second"),
            ratio("interp.perft_per_second"),
            ratio("jit.playout_moves_per_second"),
            ratio("interp.playout_moves_per_second"),
        ])
    }
}

/// Aligns the columns: the first to the left, numbers to the right.
fn table(rows: &[[String; 9]]) -> String {
    let wide = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..9).map(wide).collect();
    let mut text = String::new();
    for row in rows {
        text += &format!("{:width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            text += &format!("  {cell:>width$}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(perft: f64) -> GameBench {
        GameBench {
            values: Some(40),
            state_bits: Some(9),
            jit: RunnerRates { perft_per_second: Some(perft), ..RunnerRates::default() },
            ..GameBench::new("Cram", "cram.bou", Map::from_iter([("n".to_string(), Value::from(3))]))
        }
    }

    #[test]
    fn figures_are_compared_with_those_of_the_same_game() {
        let mut new = BenchReport::new(5, vec![bench(3e6), GameBench::new("Other", "other.bou", Map::new())]);
        new.games[1].reason = Some("no form".into());
        let text = serde_json::to_string(&BenchReport::new(5, vec![bench(2e6)])).unwrap();
        let old: BenchReport = serde_json::from_str(&text).unwrap();
        new.compare(&old);
        let ratios = new.games[0].against.as_ref().unwrap();
        assert_eq!(ratios["jit.perft_per_second"], 1.5);
        assert_eq!(ratios["values"], 1.0);
        assert_eq!(ratios.get("code_seconds"), None, "not known of both");
        assert_eq!(new.games[1].against, None);
        let lines: Vec<String> = new.text().lines().map(str::to_string).collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[1].starts_with("Cram n=3") && lines[1].contains("3,000,000"), "{lines:?}");
        assert!(lines[2].contains("x 1.50"), "{lines:?}");
        assert_eq!(lines[3], "Other: no form");
    }
}
