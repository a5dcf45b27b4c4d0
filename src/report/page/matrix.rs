//! The matrix of a simultaneous choice: the payoffs of each pair of choices with best responses marked, and a picture of
//! the payoffs.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use num_rational::BigRational;
use serde::Serialize;

use bouton_base::rational::Rational;
use bouton_search::solve::mixed::play::ChoiceMatrix;

/// The maximal number of rows and columns of a matrix to show.
const MAX_SIDE: usize = 12;
/// The width and the height of the picture.
const PICTURE_SIZE: f64 = 260.0;
/// The distance of the points from its border.
const PICTURE_MARGIN: f64 = 30.0;

/// A simultaneous choice of two players with the payoffs after it.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct PayoffMatrix {
    /// The player who chooses a row, and the one who chooses a column.
    pub players: [String; 2],
    /// The choices of the first player.
    pub rows: Vec<String>,
    /// The choices of the second player.
    pub columns: Vec<String>,
    /// The payoffs, by rows.
    pub cells: Vec<Vec<PayoffCell>>,
}

/// The payoffs of a pair of choices.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct PayoffCell {
    /// The payoff of each player, a fraction if it is no integer.
    pub payoffs: [String; 2],
    /// For each player, whether his choice is a best response to the other's.
    pub best_responses: [bool; 2],
    /// The payoffs as places in the picture.
    #[serde(skip)]
    point: [f64; 2],
}

impl PayoffMatrix {
    /// The matrix of a choice; `None` if it has more than 12 rows or columns.
    pub fn of(players: &[String], choice: &ChoiceMatrix) -> Option<PayoffMatrix> {
        let [rows, columns] = choice
            .choices
            .each_ref()
            .map(|all| -> Vec<String> { all.iter().map(|made| made.written.clone()).collect() });
        let [first, second, ..] = players else { return None };
        if rows.len().max(columns.len()) > MAX_SIDE {
            return None;
        }
        let cell = |i: usize, j: usize| {
            let payoffs = [&choice.game.first[i][j], &choice.game.second[i][j]];
            PayoffCell {
                payoffs: payoffs.map(BigRational::to_string),
                best_responses: [choice.game.is_best_row(i, j), choice.game.is_best_column(i, j)],
                point: payoffs.map(|payoff| Rational::from(payoff.clone()).to_f64()),
            }
        };
        let cells = (0..rows.len()).map(|i| (0..columns.len()).map(|j| cell(i, j)).collect()).collect();
        Some(PayoffMatrix { players: [first.clone(), second.clone()], rows, columns, cells })
    }

    /// The matrix in columns of text; a star marks a best response.
    pub fn lines(&self) -> Vec<String> {
        let mut grid: Vec<Vec<String>> =
            vec![[String::new()].into_iter().chain(self.columns.iter().cloned()).collect()];
        for (name, cells) in self.rows.iter().zip(&self.cells) {
            grid.push([name.clone()].into_iter().chain(cells.iter().map(PayoffCell::text)).collect());
        }
        let width = |j: usize| grid.iter().map(|line| line[j].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..=self.columns.len()).map(width).collect();
        let padded = |line: &Vec<String>| {
            let cells = line.iter().zip(&widths).map(|(text, &width)| format!("{text:<width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        grid.iter().map(padded).collect()
    }

    /// The choices of the players and the meaning of the marks, in a sentence.
    pub fn caption(&self) -> String {
        let [first, second] = &self.players;
        format!(
            "{first} chooses a row, {second} a column; {first}'s payoff stands first. A star marks a best response."
        )
    }

    /// The matrix as a table, and the picture of its payoffs.
    pub(super) fn html(&self) -> Markup {
        html! {
            table.matrix {
                tr { td {} @for name in &self.columns { th scope="col" { (name) } } }
                @for (name, cells) in self.rows.iter().zip(&self.cells) {
                    tr {
                        th scope="row" { (name) }
                        @for cell in cells { td class=[cell.class()] { (cell.text()) } }
                    }
                }
            }
            p.faint { (self.caption()) " Where both have one, the cell is coloured: nobody gains by another choice." }
            (PreEscaped(self.picture()))
        }
    }

    /// A picture of the payoffs, the first player's to the right and the second player's upwards, with a point for each
    /// pair of choices; empty where what one gains the other loses.
    fn picture(&self) -> String {
        let points: Vec<(&PayoffCell, String)> = self
            .rows
            .iter()
            .zip(&self.cells)
            .flat_map(|(row, cells)| {
                cells.iter().zip(&self.columns).map(move |(cell, column)| (cell, format!("{row}, {column}")))
            })
            .collect();
        let sum = |cell: &PayoffCell| cell.point[0] + cell.point[1];
        let Some((first, _)) = points.first() else { return String::new() };
        if points.iter().all(|(cell, _)| (sum(cell) - sum(first)).abs() < f64::EPSILON) {
            return String::new();
        }
        let ends = |player: usize| {
            let all = points.iter().map(|(cell, _)| cell.point[player]);
            (all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max))
        };
        let scaled = |player: usize, value: f64| {
            let (low, high) = ends(player);
            let part = if high > low { (value - low) / (high - low) } else { 0.5 };
            let along = PICTURE_MARGIN + part * (PICTURE_SIZE - 2.0 * PICTURE_MARGIN);
            if player == 0 { along } else { PICTURE_SIZE - along }
        };
        let [right, up] = &self.players;
        let title = format!(
            "Payoffs: {right}'s to the right, {up}'s upwards; filled where both choices are best responses"
        );
        let title = html! { (title) }.into_string();
        let mut svg = format!(
            "<svg class=\"payoffs\" viewBox=\"0 0 {PICTURE_SIZE} {PICTURE_SIZE}\" width=\"{PICTURE_SIZE}\" role=\"img\" \
             aria-label=\"{title}\"><title>{title}</title>"
        );
        let border = PICTURE_MARGIN / 2.0;
        let _ = write!(
            svg,
            "<path class=\"link\" fill=\"none\" d=\"M {border} {border} V {} H {}\"/>",
            PICTURE_SIZE - border,
            PICTURE_SIZE - border
        );
        let labels =
            [(PICTURE_SIZE - border, PICTURE_SIZE - 3.0, "end", right), (2.0, border - 4.0, "start", up)];
        for (x, y, anchor, player) in labels {
            let words = html! { (player) "'s payoff" }.into_string();
            let _ = write!(
                svg,
                "<text class=\"label\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{words}</text>"
            );
        }
        for (cell, name) in &points {
            let [x, y] = [0, 1].map(|player| scaled(player, cell.point[player]));
            let both = cell.class().is_some();
            let name = html! { (name) ": " (cell.payoffs[0]) ", " (cell.payoffs[1]) }.into_string();
            let _ = write!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" class=\"{}\"><title>{name}</title></circle>",
                if both { "point mutual" } else { "point" }
            );
            let anchor = if x > PICTURE_SIZE / 2.0 { "end" } else { "start" };
            let beside = if anchor == "end" { x - 9.0 } else { x + 9.0 };
            let _ = write!(
                svg,
                "<text class=\"label\" x=\"{beside:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}, {}</text>",
                y + 3.0,
                cell.payoffs[0],
                cell.payoffs[1]
            );
        }
        svg + "</svg>"
    }
}

impl PayoffCell {
    /// The payoffs as text, with a star at each best response.
    fn text(&self) -> String {
        let star = |player: usize| if self.best_responses[player] { "*" } else { "" };
        format!("{}{}, {}{}", self.payoffs[0], star(0), self.payoffs[1], star(1))
    }

    /// The class of a cell in which both choices are best responses.
    fn class(&self) -> Option<&'static str> {
        (self.best_responses == [true, true]).then_some("mutual")
    }
}
