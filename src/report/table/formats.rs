//! Renders a table as text, Markdown, HTML, or comma-separated values.

use std::fmt::Write as _;

use maud::html;
use serde_json::Value as Json;

use super::{TableReport, TableRow};
use crate::page::document;
use crate::words::escape_markdown;

/// The number of rows below which a pattern may be missing for want of values.
const FEW_ROWS: usize = 30;

impl TableReport {
    /// Renders the table for a terminal: a grid for two parameters, rows otherwise.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n\n", self.title());
        let grid = self.cells();
        let widths: Vec<usize> = (0..grid[0].len())
            .map(|column| grid.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
            .collect();
        for row in &grid {
            let mut line = String::new();
            for (i, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                // Words are aligned to the left, numbers and single characters to the right.
                if self.is_grid() || i < self.over.len() {
                    let _ = write!(line, "{}{cell:>width$}", if i == 0 { "" } else { "  " });
                } else {
                    let _ = write!(line, "  {cell:<width$}");
                }
            }
            out += line.trim_end();
            out.push('\n');
        }
        out.push('\n');
        for line in self.remarks() {
            let _ = writeln!(out, "{line}");
        }
        out
    }

    /// Renders the table as a b-file of the On-Line Encyclopedia of Integer Sequences: a line `n a(n)` for each value of
    /// the parameter. `None` unless one parameter varies and each cell is a whole number.
    pub fn b_file(&self) -> Option<String> {
        let sequence = self.sequence.as_ref().filter(|_| self.over.len() == 1)?;
        let first = self.rows.first()?.tuple[0];
        let lines = (first..).zip(&sequence.terms).map(|(n, term)| format!("{n} {term}\n"));
        Some(lines.collect())
    }

    /// Renders the table as Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n\n", escape_markdown(&self.title()));
        for (i, row) in self.cells().iter().enumerate() {
            let cells: Vec<String> = row.iter().map(|cell| escape_markdown(cell)).collect();
            let _ = writeln!(out, "| {} |", cells.join(" | "));
            if i == 0 {
                let _ = writeln!(out, "|{}", "---|".repeat(row.len()));
            }
        }
        out.push('\n');
        for line in self.remarks() {
            let _ = writeln!(out, "* {}", escape_markdown(&line));
        }
        out
    }

    /// Renders the table as a self-contained HTML page.
    pub fn html(&self) -> String {
        let grid = self.cells();
        let body = html! {
            h1 { (self.title()) }
            table {
                @for (i, row) in grid.iter().enumerate() {
                    tr {
                        @for cell in row {
                            @if i == 0 { th { (cell) } } @else { td { (cell) } }
                        }
                    }
                }
            }
            @for line in self.remarks() { p { (line) } }
        };
        document(&self.title(), "", body)
    }

    /// Renders the table as comma-separated values, a line for each cell (RFC 4180). The columns about values of games
    /// are there only where such values are shown, and a column for each player only where some end gives payoffs.
    pub fn csv(&self) -> String {
        let has_games = self.rows.iter().any(|row| row.class.is_some());
        let games: &[&str] = if has_games { &["class", "game_value", "mean", "temperature"] } else { &[] };
        let with_payoffs = self.rows.iter().filter(|row| row.outcome == Some("payoff"));
        let players: Vec<String> = with_payoffs
            .filter_map(|row| row.value.as_ref())
            .take(1)
            .flat_map(|of| of.keys().cloned())
            .collect();
        let heads = ["status", "outcome", "winner", "remoteness", "nimber", "positions", "reason"];
        let heads = heads.into_iter().chain(games.iter().copied()).chain(players.iter().map(String::as_str));
        let mut lines =
            vec![self.over.iter().map(String::as_str).chain(heads).map(csv_quote).collect::<Vec<_>>()];
        for row in &self.rows {
            let number = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
            let rest = [
                row.status.to_string(),
                row.outcome.unwrap_or_default().to_string(),
                row.winner.clone().unwrap_or_default(),
                number(row.remoteness.map(u64::from)),
                number(row.nimber.map(u64::from)),
                number(row.positions),
                row.reason.clone().unwrap_or_default(),
            ];
            let of_game = [&row.class, &row.game_value, &row.mean, &row.temperature];
            let of_game = of_game.into_iter().take(games.len()).map(|cell| cell.clone().unwrap_or_default());
            let payoff = |player: &String| match row.value.as_ref().and_then(|of| of.get(player)) {
                Some(Json::String(fraction)) => fraction.clone(),
                Some(number) => number.to_string(),
                None => String::new(),
            };
            let params = row.tuple.iter().map(i64::to_string);
            let of_game = of_game.chain(players.iter().map(payoff));
            lines.push(params.chain(rest).chain(of_game).map(|cell| csv_quote(&cell)).collect());
        }
        lines.iter().map(|line| line.join(",") + "\n").collect()
    }

    fn title(&self) -> String {
        let fixed = self.fixed(&[]);
        let fixed = if fixed.is_empty() { fixed } else { format!(" ({fixed})") };
        let game = self.game.as_deref().unwrap_or("?");
        format!("{game}{fixed}: {} by {}", self.show, self.over.join(" and "))
    }

    fn is_grid(&self) -> bool {
        self.over.len() == 2
    }

    /// The cells with their heads: a grid of two parameters, the first going down, or a line for each cell.
    fn cells(&self) -> Vec<Vec<String>> {
        if !self.is_grid() {
            let head = self.over.iter().cloned().chain([self.show.to_string()]).collect();
            let line =
                |row: &TableRow| row.tuple.iter().map(i64::to_string).chain([row.words.clone()]).collect();
            return [head].into_iter().chain(self.rows.iter().map(line)).collect();
        }
        // The second parameter varies fastest, so rows with one value of the first are adjacent.
        let lines: Vec<&[TableRow]> = self.rows.chunk_by(|a, b| a.tuple[0] == b.tuple[0]).collect();
        let first = lines.first().copied().unwrap_or_default();
        let corner = format!("{} \\ {}", self.over[0], self.over[1]);
        let head = [corner].into_iter().chain(first.iter().map(|row| row.tuple[1].to_string())).collect();
        let line = |rows: &&[TableRow]| {
            [rows[0].tuple[0].to_string()]
                .into_iter()
                .chain(rows.iter().map(|row| row.sign.clone()))
                .collect()
        };
        [head].into_iter().chain(lines.iter().map(line)).collect()
    }

    /// The lines below the table.
    fn remarks(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.is_grid() {
            lines.extend(self.legend.iter().map(|(sign, words)| format!("{sign}  {words}")));
            lines.extend(self.payoff_legend());
        }
        if let Some(sequence) = &self.sequence {
            let terms: Vec<String> = sequence.terms.iter().map(i64::to_string).collect();
            lines.push(format!("sequence ({}): {}", sequence.of, terms.join(", ")));
        }
        match (&self.pattern.statement, &self.pattern.label) {
            (Some(statement), Some(label)) => lines.push(format!("pattern: {statement} ({label})")),
            _ if self.rows.len() < FEW_ROWS => {
                lines.push("pattern: none was found (more values may show one)".into());
            }
            _ => lines.push("pattern: none was found".into()),
        }
        lines
    }
}

fn csv_quote(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.into()
    }
}
