//! Renders positions as SVG, with the overlay of a strategy.

use std::collections::BTreeSet;

use maud::{Markup, html};
use serde::Serialize;

use super::html::STYLE;
use super::pieces::content;
use bouton_search::game::picture::{Cell, CellShape, Panel, Picture};

/// The width of a cell.
const CELL_SIZE: i64 = 40;
/// The margin around a panel.
const PANEL_MARGIN: i64 = 8;
/// The space between panels that stand beside each other.
const PANEL_GAP: i64 = 24;
/// The width of a row of panels, unless one alone is wider.
const ROW_WIDTH: i64 = 12 * CELL_SIZE;
/// The height of a panel's name above it.
const PANEL_NAME_HEIGHT: i64 = 22;
/// The width of a character of a panel's name.
const NAME_LETTER_WIDTH: i64 = 8;
/// Half of the width of a side of a box.
const SIDE_WIDTH: i64 = 7;
/// The height of a row of hexagons, in hundredths of the width of one.
const HEX_ROW: i64 = 87;

/// A drawing over the first panel. Cells are numbered as in the panel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Overlay {
    /// Nothing.
    #[default]
    None,
    /// The value of a move to each of these cells.
    Values(Vec<(u32, MoveOutcome)>),
    /// Pairs of cells that belong together: each pair has a letter.
    Pairs(Vec<(u32, u32)>),
    /// Each cell with its image; cells that are their own image stay blank.
    Mirror(Vec<(u32, u32)>),
    /// Parts of the board, as cells: each part has a shade and a letter.
    Regions(Vec<Vec<u32>>),
    /// Heaps by name, listed in binary beside the board.
    Heaps(Vec<(String, u64)>),
}

/// The value of a move for the player who makes it.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum MoveOutcome {
    /// It wins.
    Win,
    /// Nobody wins, or a payoff that is neither his best nor his worst.
    Draw,
    /// It loses.
    Loss,
    /// The value is not known.
    Unknown,
}

impl MoveOutcome {
    fn class(self) -> &'static str {
        match self {
            MoveOutcome::Win => "win",
            MoveOutcome::Draw => "draw",
            MoveOutcome::Loss => "loss",
            MoveOutcome::Unknown => "",
        }
    }

    /// The sign that says the same as the colour.
    fn sign(self) -> Option<&'static str> {
        match self {
            MoveOutcome::Win => Some("+"),
            MoveOutcome::Draw => Some("="),
            MoveOutcome::Loss => Some("\u{2212}"),
            MoveOutcome::Unknown => None,
        }
    }
}

/// The part of an overlay in one cell.
#[derive(Default)]
struct CellMark {
    /// The CSS class; empty if there is none.
    class: &'static str,
    letter: Option<String>,
}

impl Overlay {
    /// The meaning of the marks.
    pub fn legend(&self) -> Vec<String> {
        match self {
            Overlay::None => Vec::new(),
            Overlay::Values(_) => {
                let legend = "A move to a blue cell with + wins for the player to move, to an orange one with \u{2212} \
                              loses, to one with = draws or gives something in between.";
                vec![legend.into()]
            }
            // The pairs of the strategy may be moves that are no cells.
            Overlay::Pairs(pairs) if pairs.iter().all(|(a, b)| a == b) => Vec::new(),
            Overlay::Pairs(_) => vec!["Cells with the same letter are a pair.".into()],
            Overlay::Mirror(_) => {
                vec![
                    "Cells with the same letter are each other's mirror images; the broken line or ring is the axis."
                        .into(),
                ]
            }
            Overlay::Regions(_) => {
                vec!["Cells with the same letter are one part; parts do not touch each other.".into()]
            }
            Overlay::Heaps(heaps) => binary(heaps),
        }
    }

    /// Returns true if the overlay is useful without a picture.
    pub fn has_text_form(&self) -> bool {
        matches!(self, Overlay::Heaps(_))
    }

    /// The mark of a cell.
    fn mark(&self, cell: u32) -> CellMark {
        let lettered = |pairs: &[(u32, u32)]| {
            let at = pairs.iter().filter(|(a, b)| a != b).position(|&(a, b)| a == cell || b == cell);
            CellMark { class: "", letter: at.map(letter) }
        };
        match self {
            Overlay::None | Overlay::Heaps(_) => CellMark::default(),
            Overlay::Values(values) => {
                let worth = values.iter().find(|(c, _)| *c == cell);
                CellMark {
                    class: worth.map_or("", |(_, worth)| worth.class()),
                    letter: worth.and_then(|(_, worth)| worth.sign()).map(Into::into),
                }
            }
            Overlay::Pairs(pairs) | Overlay::Mirror(pairs) => lettered(pairs),
            Overlay::Regions(regions) => match regions.iter().position(|region| region.contains(&cell)) {
                Some(at) => {
                    let class = ["part0", "part1", "part2"][at % 3];
                    CellMark { class, letter: Some(letter(at)) }
                }
                None => CellMark::default(),
            },
        }
    }
}

/// The letters of a number: a, b, ..., z, aa, ab, ...
fn letter(number: usize) -> String {
    let last = char::from(b'a' + (number % 26) as u8);
    match number / 26 {
        0 => last.to_string(),
        rest => letter(rest - 1) + &last.to_string(),
    }
}

/// Heaps in binary below each other, with the parity of the ones of each column.
fn binary(heaps: &[(String, u64)]) -> Vec<String> {
    let sum = heaps.iter().fold(0, |sum, (_, n)| sum ^ n);
    let most = heaps.iter().map(|(_, n)| *n).max().unwrap_or(0);
    let width = (64 - most.leading_zeros()).max(1) as usize;
    let wide = heaps.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(7);
    let line = |name: &str, n: u64, what: &str| format!("{name:<wide$}  {n:>width$b}{what}");
    let mut lines: Vec<String> =
        heaps.iter().map(|(name, n)| line(name, *n, &format!("  ({n})")).replace(' ', "\u{a0}")).collect();
    let told = if sum == 0 {
        "  every column has an even number of ones"
    } else {
        "  1: this column has an odd number of ones"
    };
    lines.push(format!("{}{told}", format!("{:<wide$}  {sum:0>width$b}", "columns").replace(' ', "\u{a0}")));
    lines
}

/// Arranges panels in rows: the places of their corners, and the width and height of the picture.
///
/// A panel stands beside the one before it as long as the row stays within [`ROW_WIDTH`].
fn arrangement(panels: &[Panel]) -> (Vec<[i64; 2]>, [i64; 2]) {
    let mut places = Vec::new();
    let mut size = [120 + 2 * PANEL_MARGIN, 0];
    let (mut left, mut top) = (PANEL_MARGIN, PANEL_MARGIN);
    for panel in panels {
        let far = |axis: usize| {
            let middles = panel.cells.iter().map(|cell| <[i64; 2]>::from(middle(panel, cell))[axis]);
            middles.max().unwrap_or(0) + CELL_SIZE / 2
        };
        let width = far(0).max(NAME_LETTER_WIDTH * panel.name.chars().count() as i64);
        if left > PANEL_MARGIN && left + width > ROW_WIDTH {
            (left, top) = (PANEL_MARGIN, size[1]);
        }
        places.push([left, top + PANEL_NAME_HEIGHT]);
        left += width + PANEL_MARGIN;
        size[0] = size[0].max(left);
        size[1] = size[1].max(top + PANEL_NAME_HEIGHT + far(1) + PANEL_MARGIN + 14);
        left += PANEL_GAP;
    }
    (places, size)
}

/// Renders a position as SVG; `None` if it has no panels.
pub fn svg(picture: &Picture, overlay: &Overlay) -> Option<Markup> {
    if picture.panels.is_empty() {
        return None;
    }
    let (placed, [width, height]) = arrangement(&picture.panels);
    let mark = |panel: usize, cell: usize| match panel {
        0 => overlay.mark(cell as u32),
        _ => CellMark::default(),
    };
    Some(html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}"))
            width=(width * 3 / 2) height=(height * 3 / 2)
            role="img" aria-label=(picture.status) {
            @for (i, (panel, [x, y])) in picture.panels.iter().zip(&placed).enumerate() {
                g transform=(format!("translate({x} {y})")) {
                    text class="name" x="0" y="-8" { (panel.name) }
                    @for caption in &panel.captions {
                        @let (x, y) = middle(panel, caption);
                        text class="caption" x=(x) y=(y + 4) { (caption.name) }
                    }
                    @for (x, y) in corners(panel) { circle class="dot" cx=(x) cy=(y) r="4" {} }
                    @for &(a, b) in &panel.links { (line(panel, a, b, "link")) }
                    @for (number, cell) in panel.cells.iter().enumerate() {
                        (drawn(panel, cell, mark(i, number)))
                    }
                    @if let (0, Overlay::Mirror(pairs)) = (i, overlay) { (axis(panel, pairs)) }
                }
            }
        }
    })
}

/// Renders a position as SVG that needs no page around it: the style of pictures in pages is inside.
pub fn standalone_svg(picture: &Picture, overlay: &Overlay) -> Option<String> {
    let drawn = svg(picture, overlay)?.into_string();
    let mut style = String::from(":root { background: var(--paper); }\n");
    let mut inside = false;
    for line in STYLE.lines() {
        let begins = ["svg", ":root", "@media (prefers-color-scheme"].iter().any(|it| line.starts_with(it));
        inside = begins || inside && line.starts_with(' ');
        if inside {
            style.push_str(line);
            style.push('\n');
        }
    }
    let style = style.replace("svg", "svg.bouton").replace(":root", "svg.bouton");
    let drawn = drawn.replacen("<svg", "<svg class=\"bouton\"", 1);
    Some(drawn.replacen('>', &format!("><style>{style}</style>"), 1))
}

/// The middle of a cell.
fn middle(panel: &Panel, cell: &Cell) -> (i64, i64) {
    let row = match panel.cell_shape {
        CellShape::Hexagons => CELL_SIZE * HEX_ROW / 100,
        CellShape::Sides => CELL_SIZE / 2,
        CellShape::Squares | CellShape::Points => CELL_SIZE,
    };
    (cell.x * CELL_SIZE / 2 + CELL_SIZE / 2, cell.y * row + CELL_SIZE / 2)
}

/// The ends of all sides, each once.
fn corners(panel: &Panel) -> BTreeSet<(i64, i64)> {
    let sides = panel.cells.iter().filter(|_| panel.cell_shape == CellShape::Sides);
    let ends = |side: &Cell| {
        let ((x, y), half) = (middle(panel, side), CELL_SIZE / 2);
        if is_upright(side) { [(x, y - half), (x, y + half)] } else { [(x - half, y), (x + half, y)] }
    };
    sides.flat_map(ends).collect()
}

/// Returns true if a side is the left or right one of a box.
fn is_upright(side: &Cell) -> bool {
    side.x % 2 == 0
}

fn line(panel: &Panel, a: u32, b: u32, class: &str) -> Markup {
    let at = |c: u32| panel.cells.get(c as usize).map_or((0, 0), |cell| middle(panel, cell));
    let ((x1, y1), (x2, y2)) = (at(a), at(b));
    html! { line class=(class) x1=(x1) y1=(y1) x2=(x2) y2=(y2) {} }
}

fn drawn(panel: &Panel, cell: &Cell, mark: CellMark) -> Markup {
    let (x, y) = middle(panel, cell);
    let half = CELL_SIZE / 2;
    let class = match (panel.cell_shape, cell.symbol.is_empty()) {
        (CellShape::Sides, true) => format!("cell side {}", mark.class),
        (CellShape::Sides, false) => format!("cell side drawn {}", mark.class),
        _ => format!("cell {}", mark.class),
    };
    // A side is as long as a box without its corners.
    let (wide, high) = if is_upright(cell) { (SIDE_WIDTH, half - 5) } else { (half - 5, SIDE_WIDTH) };
    // Points have their names beside them, so that the lines stay visible.
    let name = match panel.cell_shape {
        CellShape::Points => (x + 11, y - 9),
        CellShape::Squares => (x - half + 3, y + half - 3),
        CellShape::Hexagons => (x - 7, y + half - 5),
        CellShape::Sides => (x, y),
    };
    let letter = match panel.cell_shape {
        CellShape::Sides => (x - 3, y + 4),
        _ => (x + half - 11, y - half + 12),
    };
    let place = format!("translate({x} {y})");
    html! {
        @match panel.cell_shape {
            CellShape::Squares => rect class=(class) x=(x - half) y=(y - half) width=(CELL_SIZE) height=(CELL_SIZE) {},
            CellShape::Points => circle class=(class) cx=(x) cy=(y) r="11" {},
            CellShape::Sides => rect class=(class) x=(x - wide) y=(y - high) width=(2 * wide) height=(2 * high) rx="3" {},
            CellShape::Hexagons => polygon class=(class) points=(hexagon(x, y)) {},
        }
        text class="label" x=(name.0) y=(name.1) { (cell.name) }
        @if !cell.symbol.is_empty() { g class="held" transform=(place) { (content(cell, panel.cell_shape)) } }
        @if let Some(text) = mark.letter { text class="letter" x=(letter.0) y=(letter.1) { (text) } }
    }
}

/// The corners of a hexagon that stands on one of them.
fn hexagon(x: i64, y: i64) -> String {
    let (half, quarter, tall) = (CELL_SIZE / 2, CELL_SIZE * 29 / 100, CELL_SIZE * 58 / 100);
    let corners =
        [(0, -tall), (half, -quarter), (half, quarter), (0, tall), (-half, quarter), (-half, -quarter)];
    corners.map(|(dx, dy)| format!("{},{}", x + dx, y + dy)).join(" ")
}

/// The axis of a mirror: the line through the midpoints of cells and their images, if these are collinear; a ring
/// around them if they are one point.
fn axis(panel: &Panel, pairs: &[(u32, u32)]) -> Markup {
    let at = |c: u32| panel.cells.get(c as usize).map(|cell| middle(panel, cell));
    let mut middles: Vec<(i64, i64)> = pairs
        .iter()
        .filter_map(|&(a, b)| {
            let ((x1, y1), (x2, y2)) = (at(a)?, at(b)?);
            Some(((x1 + x2) / 2, (y1 + y2) / 2))
        })
        .collect();
    middles.sort_unstable();
    middles.dedup();
    let (Some(&first), Some(&last)) = (middles.first(), middles.last()) else { return html! {} };
    if first == last {
        return html! { circle class="axis" cx=(first.0) cy=(first.1) r="6" {} };
    }
    let (dx, dy) = (last.0 - first.0, last.1 - first.1);
    let straight = |&(x, y): &(i64, i64)| (x - first.0) * dy == (y - first.1) * dx;
    if !middles.iter().all(straight) {
        return html! {};
    }
    // The line goes a little beyond the first and the last midpoint.
    let length = dx.abs().max(dy.abs());
    let (ex, ey) = (dx * CELL_SIZE / 2 / length, dy * CELL_SIZE / 2 / length);
    html! { line class="axis" x1=(first.0 - ex) y1=(first.1 - ey) x2=(last.0 + ex) y2=(last.1 + ey) {} }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(cells: i64) -> Picture {
        let cell =
            |i: i64| Cell { name: format!("<{i}>"), symbol: String::new(), piece: None, x: 2 * i, y: 0 };
        let panel = Panel {
            name: "strip".into(),
            cell_shape: CellShape::Squares,
            cells: (0..cells).map(cell).collect(),
            links: vec![],
            captions: vec![],
        };
        Picture { panels: vec![panel], symbols: vec![], facts: vec![], status: "A to move".into() }
    }

    fn drawn(overlay: &Overlay) -> String {
        svg(&strip(4), overlay).expect("a picture").into_string()
    }

    /// The contents of the elements of a class, in order.
    fn texts(svg: &str, class: &str) -> Vec<String> {
        let tree = roxmltree::Document::parse(svg).expect("well-formed");
        let nodes = tree.descendants().filter(|n| n.attribute("class") == Some(class));
        nodes.map(|n| n.text().unwrap_or_default().to_string()).collect()
    }

    #[test]
    fn a_picture_can_stand_alone() {
        let alone = standalone_svg(&strip(2), &Overlay::None).expect("a picture");
        let tree = roxmltree::Document::parse(&alone).expect("well-formed");
        let style = tree.descendants().find(|node| node.has_tag_name("style")).and_then(|node| node.text());
        let style = style.expect("a style");
        assert!(style.contains("svg.bouton .cell {") && style.contains("--win: #1d4f7c"), "{style}");
        let others = ["body", "table", "tr.", "40rem", ":root"].into_iter().filter(|of| style.contains(of));
        assert_eq!(others.collect::<Vec<_>>(), [""; 0], "nothing for the page around it");
        assert_eq!(style.matches('{').count(), style.matches('}').count());
    }

    #[test]
    fn overlays_are_drawn() {
        let plain = drawn(&Overlay::None);
        assert_eq!(texts(&plain, "label"), ["<0>", "<1>", "<2>", "<3>"]);
        assert_eq!(texts(&drawn(&Overlay::Pairs(vec![(0, 2), (1, 3)])), "letter"), ["a", "b", "a", "b"]);
        let mirror = drawn(&Overlay::Mirror(vec![(0, 3), (1, 2)]));
        assert_eq!(texts(&mirror, "letter"), ["a", "b", "b", "a"]);
        assert!(mirror.contains("<circle class=\"axis\""), "the middles are one point");
        assert_eq!(texts(&drawn(&Overlay::Regions(vec![vec![0, 1], vec![3]])), "letter"), ["a", "a", "b"]);
        assert!(drawn(&Overlay::Values(vec![(2, MoveOutcome::Loss)])).contains("cell loss"));
        assert_eq!(
            (letter(0), letter(25), letter(26), letter(27)),
            ("a".into(), "z".into(), "aa".into(), "ab".into())
        );
    }

    #[test]
    fn heaps_are_told_in_binary() {
        let heap = |name: &str, n| (name.to_string(), n);
        let lines = Overlay::Heaps(vec![heap("1", 2), heap("2", 4), heap("3", 7)]).legend();
        let plain: Vec<String> = lines.iter().map(|line| line.replace('\u{a0}', " ")).collect();
        assert_eq!(plain[0], "1         10  (2)");
        assert_eq!(plain[3], "columns  001  1: this column has an odd number of ones");
    }
}
