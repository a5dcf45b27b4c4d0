//! Renders a page as one HTML file that makes no network requests. Its content needs no script; one plays the game.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::playing::{BOARD_STYLE, PLAYING_STYLE};
use super::{HistogramBar, MoveOutcome, MoveRow, Page, SamplePly, StrategyBranch};
use crate::words::{count_with_noun, group_digits};

/// The style of pages and of the pictures in them: no external fonts or pictures, dark if the reader's system is dark.
/// Wins are blue and losses orange, which readers with any colour vision tell apart.
pub const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fdfcf9; --faint: #6b6b6b; --label: #4a4a4a; --rule: #d8d4ca;
  --win: #a9d1f2; --loss: #f6be8a; --draw: #dcd9e6; --cell: #f4f0e6;
  --line-dark: #1c1c1c; --line-light: #1c1c1c;
  --link: #1d5f99; --loss-ink: #a4500b; --part0: #d5e3f0; --part1: #f0dfd5; --part2: #e2d9ee; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e0; --paper: #1b1b1d; --faint: #a3a09a; --label: #d6d3cc; --rule: #4a4742;
  --win: #1d4f7c; --loss: #7a4512; --draw: #4b4860; --cell: #29282a;
  --line-dark: #0c0c0c; --line-light: #d6d3cc;
  --link: #8cc1f0; --loss-ink: #f0a35e; --part0: #2b4055; --part1: #55402b; --part2: #463657; } }
body { font: 16px/1.5 Georgia, serif; color: var(--ink); background: var(--paper); max-width: 46rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid var(--rule); }
.verdict { font-size: 1.15rem; font-weight: bold; } .faint, .remark { color: var(--faint); }
table { border-collapse: collapse; margin: .5rem 0; }
th, td { padding: .15rem .6rem; border: 1px solid var(--rule); text-align: left; }
td.number { text-align: right; } td.mutual { background: var(--win); }
code, pre, td, th, summary, .end { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .9rem; }
.column { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .9rem; white-space: pre-wrap; margin: 0; }
code { overflow-wrap: anywhere; } pre { overflow-x: auto; background: var(--cell); padding: .6rem; }
tr.win { background: var(--win); } tr.loss { background: var(--loss); } tr.draw { background: var(--draw); }
details { margin-left: 1.2rem; } summary { cursor: pointer; } .end { margin-left: 2.2rem; }
.bar { display: inline-block; width: calc(1px + min(200px, 14vw) * var(--of-most)); height: .8rem;
  background: var(--faint); vertical-align: middle; }
@media (max-width: 40rem) { table { display: block; overflow-x: auto; } }
svg { max-width: 100%; height: auto; font-family: ui-monospace, Menlo, Consolas, monospace; }
svg .cell { fill: var(--cell); stroke: var(--faint); } svg .link { stroke: var(--faint); stroke-width: 2; }
svg .win { fill: var(--win); } svg .loss { fill: var(--loss); } svg .draw { fill: var(--draw); }
svg .part0 { fill: var(--part0); } svg .part1 { fill: var(--part1); } svg .part2 { fill: var(--part2); }
svg .point { fill: var(--paper); stroke: var(--ink); } svg .mutual { fill: var(--win); }
svg .axis { stroke: #b23a3a; stroke-width: 2; stroke-dasharray: 5 3; fill: none; }
svg text { fill: var(--ink); } svg .label { font-size: 9px; fill: var(--label); } svg .name { font-size: 12px; }
svg .drawn { fill: var(--ink); } svg .dot { fill: var(--ink); } svg .side + .label { display: none; }
svg .caption { font-size: 11px; fill: var(--label); text-anchor: middle; }
svg .piece { stroke: var(--line-dark); stroke-width: 1.2; stroke-linejoin: round; }
svg .tint-black { fill: #343a44; } svg .tint-white { fill: #f7f2e4; } svg .tint-red { fill: #b63a26; } svg .tint-blue { fill: #2361a6; }
svg .tint-yellow { fill: #f2cf45; } svg .tint-green { fill: #1d7548; } svg .tint-purple { fill: #6b4799; }
svg .tint-orange { fill: #eda037; } svg .tint-grey { fill: #c9c9c9; } svg .tint-none { fill: var(--paper); }
svg :is(.tint-black, .tint-red, .tint-blue, .tint-green, .tint-purple) { stroke: var(--line-light); }
svg .piece .hollow { fill: none; } svg .piece text { stroke: none; }
svg :is(.tint-white, .tint-yellow, .tint-orange, .tint-grey) .sign { fill: #1c1c1c; }
svg :is(.tint-black, .tint-red, .tint-blue, .tint-green, .tint-purple) .sign { fill: #ffffff; }
svg .piece .sign.plain { fill: var(--ink); }
svg .piece .corner { font-size: 7.5px; text-anchor: end; fill: var(--label); }
svg .sign { font-size: 15px; font-weight: bold; text-anchor: middle; } svg .letter { font-size: 11px; font-style: italic; }
";

/// An HTML file; `style` is added to the style of all pages.
pub fn document(title: &str, style: &str, body: Markup) -> String {
    page(title, style, html! {}, body)
}

/// An HTML file with further elements at the end of its head.
fn page(title: &str, style: &str, head: Markup, body: Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) (PreEscaped(style)) }
                (head)
            }
            body { (body) }
        }
    };
    page.into_string() + "\n"
}

impl Page {
    /// Renders the page as HTML.
    pub fn html(&self) -> String {
        match &self.playable {
            Some(playable) => {
                let style = [BOARD_STYLE, PLAYING_STYLE].concat();
                page(&self.game, &style, playable.policy(), self.body())
            }
            None => document(&self.game, "", self.body()),
        }
    }

    fn body(&self) -> Markup {
        html! {
            h1 { (self.game) }
            @if !self.about.is_empty() { p.faint { (self.about.join(" ")) } }
            p.verdict { (self.verdict) }
            @if !self.standing.short.is_empty() { p { (self.standing.short) } }
            h2 { "The position" }
            @if self.board.svg.is_empty() {
                pre { (self.board.text) }
            } @else {
                (PreEscaped(&self.board.svg))
                @for line in &self.board.legend { p class=(legend(line)) { (line) } }
                details { summary { "as text" } pre { (self.board.text) } }
            }
            @if let Some(playable) = &self.playable { (playable.section()) }
            @if let Some(matrix) = &self.matrix { h2 { "The choices" } (matrix.html()) }
            h2 { "How to play" }
            @if self.strategy.is_list {
                (list(&self.strategy.sentences))
            } @else {
                (sentences(&self.strategy.sentences))
            }
            @if !self.strategy.why.is_empty() {
                h2 { "Why it works" }
                (sentences(&self.strategy.why))
            }
            @if !self.figures.is_empty() { h2 { "Figures of play" } (list(&self.figures)) }
            @if !self.moves.is_empty() {
                h2 { "First moves" }
                (moves(&self.move_rows()))
            }
            @for play in &self.plays {
                h2 { (play.title) }
                (plies(&play.plies))
                @if !play.boards.is_empty() { pre { (play.board_rows().join("\n")) } }
                p { (play.end) }
            }
            @if let Some(tree) = &self.tree {
                h2 { "The strategy as a tree" }
                p.faint { "One move of the side that keeps the value, all moves of the other." }
                @for branch in &tree.then { (branch_of(branch)) }
                @if tree.cut { p.end { "..." } }
            }
            @if !self.histogram.is_empty() { h2 { "All positions" } (histogram(&self.histogram)) }
            @if !self.otherwise.is_empty() { h2 { "Other beginnings, other rules" } (list(&self.otherwise)) }
            h2 { "What was checked, and what was not" }
            p { (self.standing.words) }
            @if !self.checked.is_empty() { (list(&self.checked)) }
            @if !self.unchecked.is_empty() { p { "Not checked:" } (list(&self.unchecked)) }
            @if let Some(hash) = &self.certificate { p { "Hash of the certificate: " code { (hash) } } }
            h2 { "To reproduce it" }
            pre { @for command in &self.commands { (command) "\n" } }
        }
    }
}

/// The class of a line of the legend: numbers below each other are lines of a column.
fn legend(line: &str) -> &'static str {
    if line.contains('\u{a0}') { "faint column" } else { "faint" }
}

fn sentences(all: &[String]) -> Markup {
    html! { p { (all.join(" ")) } }
}

fn list(all: &[String]) -> Markup {
    html! { ul { @for item in all { li { (item) } } } }
}

fn moves(rows: &[MoveRow]) -> Markup {
    html! {
        table {
            tr { th { "move" } th { "gives" } th { "" } }
            @for row in rows {
                tr class=(class(row.worth)) {
                    td { (row.names) }
                    td { (row.words) }
                    td { @if row.best { "best" } }
                }
            }
        }
    }
}

fn class(worth: MoveOutcome) -> &'static str {
    match worth {
        MoveOutcome::Win => "win",
        MoveOutcome::Draw => "draw",
        MoveOutcome::Loss => "loss",
        MoveOutcome::Unknown => "unknown",
    }
}

fn plies(all: &[SamplePly]) -> Markup {
    html! {
        table {
            @for (number, ply) in all.iter().enumerate() {
                tr {
                    td.number { (number + 1) }
                    td { (ply.player) }
                    td { (ply.name) }
                    td.remark { (ply.remark) }
                }
            }
        }
    }
}

fn branch_of(branch: &StrategyBranch) -> Markup {
    let head = html! { (branch.player) ": " b { (branch.name) } " " span.remark { (branch.words) } };
    html! {
        @if branch.then.is_empty() {
            div.end { (head) @if branch.cut { " ..." } }
        } @else {
            details {
                summary { (head) }
                @for next in &branch.then { (branch_of(next)) }
                @if branch.cut { div.end { "..." } }
            }
        }
    }
}

fn histogram(bars: &[HistogramBar]) -> Markup {
    let most = bars.iter().map(|bar| bar.positions).max().unwrap_or(1).max(1);
    html! {
        table {
            tr { th { "value" } th { "to the end" } th { "positions" } th { "" } }
            @for bar in bars {
                tr {
                    td { (bar.value) }
                    td { @if let Some(plies) = bar.remoteness { (count_with_noun(u64::from(plies), "ply", "plies")) } }
                    td.number { (group_digits(bar.positions)) }
                    td { span.bar style=(format!("--of-most:{:.3}", bar.positions as f64 / most as f64)) {} }
                }
            }
        }
    }
}
