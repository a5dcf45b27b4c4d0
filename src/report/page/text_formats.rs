//! Renders a page as text for a terminal, and as Markdown.

use std::fmt::Write as _;

use super::{Page, SamplePlay, StrategyBranch};
use crate::words::{count_with_noun, escape_markdown, group_digits};

/// The maximal width of text.
const TEXT_WIDTH: usize = 96;
/// The number of plies of the tree that text shows.
const TREE_PLIES: usize = 3;
/// The maximal number of lines of the tree.
const MAX_TREE_LINES: usize = 40;
/// The number of blanks between two positions.
const BOARD_GAP: usize = 3;
/// The width of the longest bar.
const BAR_WIDTH: u64 = 40;

impl Page {
    /// Renders the page for a terminal.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n\n", self.game);
        for line in &self.about {
            let _ = writeln!(out, "{line}");
        }
        if !self.about.is_empty() {
            out.push('\n');
        }
        out += &wrapped(&self.verdict, 0);
        if !self.standing.short.is_empty() {
            out += &wrapped(&self.standing.short, 0);
        }
        for (title, body) in self.sections(&|text| text.to_string()) {
            let _ = write!(out, "\n{}\n", title.to_uppercase());
            for part in body {
                match part {
                    SectionPart::Words(words) => out += &wrapped(&words, 2),
                    SectionPart::Item(words) => out += &wrapped(&format!("- {words}"), 2),
                    SectionPart::Rows(rows) => out += &columns(&rows),
                    SectionPart::Lines(lines) => out.extend(lines.iter().map(|line| format!("  {line}\n"))),
                }
            }
        }
        out
    }

    /// Renders the page as Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n\n", escape_markdown(&self.game));
        if !self.about.is_empty() {
            let _ = writeln!(
                out,
                "{}\n",
                self.about.iter().map(|l| escape_markdown(l)).collect::<Vec<_>>().join("\n")
            );
        }
        let short = match self.standing.short.as_str() {
            "" => String::new(),
            short => format!(" {}", escape_markdown(short)),
        };
        let _ = writeln!(out, "**{}**{short}", escape_markdown(&self.verdict));
        for (title, body) in self.sections(&escape_markdown) {
            let _ = write!(out, "\n## {title}\n");
            // Consecutive items form one list.
            let mut listing = false;
            for part in body {
                let item = matches!(part, SectionPart::Item(_));
                if !(item && listing) {
                    out.push('\n');
                }
                listing = item;
                match part {
                    SectionPart::Words(words) => out += &format!("{words}\n"),
                    SectionPart::Item(words) => out += &format!("* {words}\n"),
                    SectionPart::Lines(lines) => out += &format!("```text\n{}\n```\n", lines.join("\n")),
                    SectionPart::Rows(rows) => {
                        for (i, row) in rows.iter().enumerate() {
                            let _ = writeln!(out, "| {} |", row.join(" | "));
                            if i == 0 {
                                let _ = writeln!(out, "|{}", "---|".repeat(row.len()));
                            }
                        }
                    }
                }
            }
        }
        out
    }

    /// The sections with their titles; `told` escapes a string for the output format.
    fn sections(&self, told: &dyn Fn(&str) -> String) -> Vec<(String, Vec<SectionPart>)> {
        let words = |all: &[String]| vec![SectionPart::Words(told(&all.join(" ")))];
        let items = |all: &[String]| all.iter().map(|item| SectionPart::Item(told(item))).collect::<Vec<_>>();
        let mut sections = Vec::new();
        let board = self.board.text.lines().map(String::from).collect();
        let legend =
            self.strategy.overlay.legend().into_iter().filter(|_| self.strategy.overlay.has_text_form());
        sections.push((
            "The position".to_owned(),
            [SectionPart::Lines(board)]
                .into_iter()
                .chain(legend.map(|line| SectionPart::Lines(vec![line])))
                .collect(),
        ));
        if let Some(matrix) = &self.matrix {
            let parts = vec![SectionPart::Lines(matrix.lines()), SectionPart::Words(told(&matrix.caption()))];
            sections.push(("The choices".into(), parts));
        }
        let how = &self.strategy.sentences;
        sections.push(("How to play".into(), if self.strategy.is_list { items(how) } else { words(how) }));
        if !self.strategy.why.is_empty() {
            sections.push(("Why it works".into(), words(&self.strategy.why)));
        }
        if !self.figures.is_empty() {
            sections.push(("Figures of play".into(), items(&self.figures)));
        }
        if !self.moves.is_empty() {
            let head = ["move", "gives", ""].map(String::from).to_vec();
            let row = |row: &super::MoveRow| {
                vec![told(&row.names), told(&row.words), if row.best { "best".into() } else { String::new() }]
            };
            let rows = [head].into_iter().chain(self.move_rows().iter().map(row)).collect();
            sections.push(("First moves".into(), vec![SectionPart::Rows(rows)]));
        }
        for play in &self.plays {
            let head = ["", "player", "move", ""].map(String::from).to_vec();
            let row = |(i, ply): (usize, &super::SamplePly)| {
                vec![(i + 1).to_string(), told(&ply.player), told(&ply.name), told(&ply.remark)]
            };
            let rows = [head].into_iter().chain(play.plies.iter().enumerate().map(row)).collect();
            let mut parts = vec![SectionPart::Rows(rows)];
            if !play.boards.is_empty() {
                parts.push(SectionPart::Lines(play.board_rows()));
            }
            parts.push(SectionPart::Words(told(&play.end)));
            sections.push((play.title.clone(), parts));
        }
        if let Some(tree) = &self.tree {
            let mut lines = Vec::new();
            outline(tree, 0, &mut lines);
            sections.push(("The strategy as a tree".into(), vec![SectionPart::Lines(lines)]));
        }
        if !self.histogram.is_empty() {
            let most = self.histogram.iter().map(|bar| bar.positions).max().unwrap_or(1).max(1);
            let head = ["value", "to the end", "positions", ""].map(String::from).to_vec();
            let row = |bar: &super::HistogramBar| {
                vec![
                    told(&bar.value),
                    bar.remoteness
                        .map_or(String::new(), |plies| count_with_noun(u64::from(plies), "ply", "plies")),
                    group_digits(bar.positions),
                    "=".repeat((1 + BAR_WIDTH * bar.positions / most) as usize),
                ]
            };
            let rows = [head].into_iter().chain(self.histogram.iter().map(row)).collect();
            sections.push(("All positions".into(), vec![SectionPart::Rows(rows)]));
        }
        if !self.otherwise.is_empty() {
            sections.push(("Other beginnings, other rules".into(), items(&self.otherwise)));
        }
        let mut checked = words(std::slice::from_ref(&self.standing.words));
        checked.extend(items(&self.checked));
        if !self.unchecked.is_empty() {
            checked.push(SectionPart::Words("Not checked:".into()));
            checked.extend(items(&self.unchecked));
        }
        if let Some(hash) = &self.certificate {
            checked.push(SectionPart::Words(format!("Hash of the certificate: {hash}")));
        }
        sections.push(("What was checked, and what was not".into(), checked));
        sections.push(("To reproduce it".into(), vec![SectionPart::Lines(self.commands.clone())]));
        sections
    }
}

impl SamplePlay {
    /// The positions of the play side by side, in rows of at most [`TEXT_WIDTH`], each with its move above it.
    pub(super) fn board_rows(&self) -> Vec<String> {
        let heads = self.plies.iter().enumerate().map(|(at, ply)| format!("{}. {}", at + 1, ply.name));
        let boards: Vec<Vec<String>> = heads
            .zip(&self.boards)
            .map(|(head, board)| std::iter::once(head).chain(board.lines().map(str::to_owned)).collect())
            .collect();
        let widest = boards.iter().flatten().map(|line| line.chars().count()).max().unwrap_or(0) + BOARD_GAP;
        let mut lines = Vec::new();
        for row in boards.chunks((TEXT_WIDTH / widest).max(1)) {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            for at in 0..row.iter().map(Vec::len).max().unwrap_or(0) {
                let parts = row.iter().map(|board| {
                    let part = board.get(at).map_or("", String::as_str);
                    format!("{part:<widest$}")
                });
                lines.push(parts.collect::<String>().trim_end().to_owned());
            }
        }
        lines
    }
}

/// A part of a section.
enum SectionPart {
    /// A paragraph.
    Words(String),
    /// An item of a list.
    Item(String),
    /// A table; the first row is its head.
    Rows(Vec<Vec<String>>),
    /// Preformatted lines.
    Lines(Vec<String>),
}

/// Renders the tree as indented lines.
fn outline(branch: &StrategyBranch, depth: usize, lines: &mut Vec<String>) {
    for next in &branch.then {
        if lines.len() >= MAX_TREE_LINES {
            return;
        }
        let more = if next.cut || (depth + 1 == TREE_PLIES && !next.then.is_empty()) { " ..." } else { "" };
        lines.push(format!("{}{}: {}  {}{more}", "  ".repeat(depth), next.player, next.name, next.words));
        if lines.len() == MAX_TREE_LINES {
            lines.push("...".into());
        } else if depth + 1 < TREE_PLIES {
            outline(next, depth + 1, lines);
        }
    }
}

/// Wraps a paragraph to lines of [`TEXT_WIDTH`], with an indent.
fn wrapped(text: &str, indent: usize) -> String {
    let mut out = String::new();
    let mut line = " ".repeat(indent);
    for word in text.split(' ') {
        if line.chars().count() + word.chars().count() + 1 > TEXT_WIDTH && line.trim() != "" {
            out += line.trim_end();
            out.push('\n');
            line = " ".repeat(indent + if text.starts_with("- ") { 2 } else { 0 });
        }
        line += word;
        line.push(' ');
    }
    out += line.trim_end();
    out.push('\n');
    out
}

/// Aligns rows in columns.
fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max();
    let widths: Vec<usize> = (0..count).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}
