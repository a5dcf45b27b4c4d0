//! Renders search trees as text, DOT, SVG and pages.

use std::cmp::Ordering;
use std::fmt::Write as _;

use bouton_base::rational::Rational;
use maud::{Markup, PreEscaped, html};

use super::page::document;
use super::words::{listed_with, move_sequence};
use bouton_rules::Rules;
use bouton_search::solve::proof_number::numbers::{INFINITE, ProofNumbers};
use bouton_search::solve::trace::{PathLength, TraceNode, TraceNodeKind, TracedSearch, Window};

/// The minimal distance between leaves in the picture; leaves with long texts are further apart.
const MIN_LEAF_DISTANCE: i64 = 56;
/// The distance between levels.
const LEVEL_DISTANCE: i64 = 84;
/// The margin around nodes.
const NODE_MARGIN: i64 = 40;
/// Half of the width of a triangle.
const HALF_TRIANGLE_WIDTH: i64 = 22;
/// The distance of a node's window from the middle of the node.
const WINDOW_OFFSET: i64 = 27;
/// The width of a character of a window, in tenths.
const WINDOW_CHAR_WIDTH: i64 = 54;
/// The width of a character of a move's name, in tenths.
const MOVE_CHAR_WIDTH: i64 = 60;
/// The width of a character of a value, in tenths.
const VALUE_CHAR_WIDTH: i64 = 78;

/// A tree with its method and rules, for rendering.
pub struct TreeDrawing<'a> {
    pub root: &'a TraceNode,
    /// The search method.
    pub method: TracedSearch,
    pub rules: &'a Rules,
}

/// A node with its place in the picture.
struct PlacedNode<'a> {
    node: &'a TraceNode,
    x: i64,
    y: i64,
    /// The index of the parent.
    parent: Option<usize>,
    /// True if the parent's value comes from this node.
    best: bool,
    /// The step at which the node appears.
    came: usize,
    /// The step at which its value is known.
    known: usize,
}

impl TreeDrawing<'_> {
    /// Renders indented lines: the move, the player, the value, the window.
    pub fn text(&self) -> String {
        let mut out = self.title() + "\n\n";
        self.lines(self.root, 0, false, &mut out);
        out
    }

    fn lines(&self, node: &TraceNode, depth: usize, best: bool, out: &mut String) {
        let mut line = "  ".repeat(depth);
        if node.made.is_some() {
            let _ = write!(line, "{}: ", name(node));
        }
        line += &self.words(node);
        if best {
            line += "  *";
        }
        let _ = writeln!(out, "{}", line.trim_end());
        for (i, child) in node.children.iter().enumerate() {
            self.lines(child, depth + 1, node.best == Some(i), out);
        }
    }

    /// The player, the value and the window of a node.
    fn words(&self, node: &TraceNode) -> String {
        let who = match node.kind {
            TraceNodeKind::Player(player) => {
                self.rules.players().get(player as usize).map_or("?", String::as_str)
            }
            TraceNodeKind::Chance => "chance",
            TraceNodeKind::Simultaneous => "all at once",
            TraceNodeKind::End => "",
            TraceNodeKind::DepthLimit => "...",
            TraceNodeKind::Cut => "cut off",
            TraceNodeKind::Repeated if node.path.is_some() => "met before",
            TraceNodeKind::Repeated => "comes back",
        };
        let window = node.window.as_ref().map_or(String::new(), |w| format!("  in {}", window(w.clone())));
        let step = match node.visited {
            Some(step) if node.numbers.is_some() || node.path.is_some() => format!("  step {step}"),
            _ => String::new(),
        };
        let next = if node.marked { "  most-proving" } else { "" };
        let sets = self.sets(node).map_or(String::new(), |sets| format!("  {sets}"));
        let words = format!("{who} {}{window}{sets}{step}{next}", self.value(node));
        words.trim().to_string()
    }

    /// The information sets of a node: `set 2`, or `sets 1 and 1` where two players choose at once.
    fn sets(&self, node: &TraceNode) -> Option<String> {
        match node.sets[..] {
            [] => None,
            [(_, set)] => Some(format!("set {set}")),
            [(_, one), (_, other), ..] => Some(format!("sets {one} and {other}")),
        }
    }

    /// The text beside a node: its window, or its information sets.
    fn note(&self, node: &TraceNode) -> Option<String> {
        node.window.as_ref().map(|of| window(of.clone())).or_else(|| self.sets(node))
    }

    fn value(&self, node: &TraceNode) -> String {
        if let Some(of) = node.numbers {
            return numbers(of);
        }
        if let Some(path) = node.path {
            let end = match &node.value {
                Some(value) if value.is_positive() => " won",
                Some(_) => " lost",
                None => "",
            };
            return length(path) + end;
        }
        if !node.payoffs.is_empty() {
            let each: Vec<String> = node.payoffs.iter().map(short).collect();
            return format!("{}({})", if node.is_estimate { "~" } else { "" }, each.join(", "));
        }
        let mark = if node.is_estimate { "~" } else { "" };
        match &node.value {
            None => String::new(),
            Some(value) if self.method == TracedSearch::AndOr => {
                if value.is_positive() {
                    "T".into()
                } else {
                    "F".into()
                }
            }
            Some(value) => {
                let bound = match node.bound() {
                    Some(Ordering::Less) => "≤",
                    Some(_) => "≥",
                    None => "",
                };
                format!("{mark}{bound}{}", short(value))
            }
        }
    }

    fn title(&self) -> String {
        let players = self.rules.players();
        let first = players.first().map_or("?", |p| p);
        let minimizes = players.get(1).map_or(String::new(), |second| format!(", {second} minimizes"));
        let how = match self.method {
            TracedSearch::Minimax => format!("minimax: {first} maximizes{minimizes}"),
            TracedSearch::AlphaBeta => {
                format!("alpha-beta: {first} maximizes{minimizes}; windows are [alpha, beta]")
            }
            TracedSearch::BackwardInduction => {
                let ties = match decides_ties(self.root) {
                    true => "; of moves that are equally good for him, the first one counts",
                    false => "",
                };
                let players = listed_with(players, "and");
                format!("backward induction: the payoffs of {players}, each the best for who chooses{ties}")
            }
            TracedSearch::BreadthFirst => "breadth-first search: the number of moves to each position".into(),
            TracedSearch::AStar => {
                "A*: the number of moves to each position + a bound of the moves to come".into()
            }
            TracedSearch::AndOr => "And-Or: T where the player to move at the root wins, F where not".into(),
            TracedSearch::Mixed => {
                let sets = match self.rules.has_hidden_information() {
                    true => "; nodes of one set look alike to the player who chooses there",
                    false => "",
                };
                format!("mixed strategies: each move with its probability, values to {first}{sets}")
            }
            TracedSearch::Pns => {
                "proof-number search: proof and disproof numbers of a win of the player to move at the root"
                    .into()
            }
        };
        let estimates = if has_estimates(self.root) { "; ~ marks what rests on an estimate" } else { "" };
        format!("{}, {how}{estimates}", self.rules.name)
    }

    /// Renders the tree for Graphviz.
    pub fn dot(&self) -> String {
        let mut out = String::from("digraph tree {\n  node [fontname=\"monospace\"];\n");
        for (number, placed) in self.placed().iter().enumerate() {
            let node = placed.node;
            let shape = match node.kind {
                TraceNodeKind::Player(0) => "triangle",
                TraceNodeKind::Player(_) => "invtriangle",
                TraceNodeKind::Chance => "circle",
                TraceNodeKind::Simultaneous => "diamond",
                TraceNodeKind::End | TraceNodeKind::DepthLimit => "box",
                TraceNodeKind::Cut => "point",
                TraceNodeKind::Repeated => "plaintext",
            };
            let window = self.note(node).map_or(String::new(), |note| format!("\n{note}"));
            let label = quoted(&format!("{}{window}", self.value(node)));
            let marked = if node.marked { ", penwidth=3" } else { "" };
            let _ = writeln!(out, "  n{number} [shape={shape}, label={label}{marked}];");
            if let Some(parent) = placed.parent {
                let style = match (node.kind, placed.best) {
                    (TraceNodeKind::Cut | TraceNodeKind::Repeated, _) => ", style=dashed",
                    (_, true) => ", style=bold",
                    _ => "",
                };
                let _ = writeln!(out, "  n{parent} -> n{number} [label={}{style}];", quoted(&name(node)));
            }
        }
        out + "}\n"
    }

    /// Renders the tree as a picture that includes its style.
    pub fn svg(&self) -> String {
        self.picture(true).into_string() + "\n"
    }

    /// Renders the tree as a page: the picture, and the steps of the search one by one.
    pub fn html(&self) -> String {
        let mut steps = Vec::new();
        self.steps(self.root, &mut Vec::new(), &mut steps);
        steps.sort();
        let buttons = [
            ("first", "|◀", "to the start"),
            ("back", "◀", "back"),
            ("on", "▶", "forward"),
            ("last", "▶|", "to the end"),
        ];
        let body = html! {
            h1 { (self.rules.name) }
            p { (self.title()) }
            div.tree { (self.picture(false)) }
            h2 { "Step by step" }
            // Without scripts this stays hidden: the whole tree and the list are visible anyway.
            div.stepping hidden="" {
                @for (name, sign, words) in buttons {
                    button type="button" name=(name) aria-label=(words) title=(words) { (sign) }
                }
                input type="range" min="0" max=(steps.len()) value=(steps.len()) aria-label="step";
                output {}
            }
            ol.steps { @for (_, words) in &steps { li { (words) } } }
            script { (PreEscaped(STEPPING_SCRIPT)) }
        };
        document(&self.rules.name, TREE_STYLE, body)
    }

    /// The visited nodes in order, with the path to each.
    fn steps(&self, node: &TraceNode, way: &mut Vec<String>, out: &mut Vec<(usize, String)>) {
        if let Some(visit) = node.visited {
            let place = if way.is_empty() { "the root".to_string() } else { move_sequence(way) };
            let cut = node.children.iter().filter(|child| child.kind == TraceNodeKind::Cut).count();
            let cut = if cut == 0 { String::new() } else { format!("; {cut} cut off") };
            let words = match node.root_after {
                Some(root) => format!("{place} is expanded; the root has {}", numbers(root)),
                None => format!("{place}: {}{cut}", self.words(node)),
            };
            out.push((visit, words));
        }
        for child in &node.children {
            way.extend(child.made.as_ref().map(|made| made.written.clone()));
            self.steps(child, way, out);
            way.pop();
        }
    }

    /// The nodes with their places, parents first, leaves side by side.
    fn placed(&self) -> Vec<PlacedNode<'_>> {
        fn place<'n>(
            node: &'n TraceNode,
            from: PlacedNode<'n>,
            next: &mut (i64, i64),
            out: &mut Vec<PlacedNode<'n>>,
        ) -> (i64, usize) {
            let (number, y) = (out.len(), from.y + LEVEL_DISTANCE);
            let came = (node.number_history.first().map(|(step, _)| *step))
                .or(node.path.map(|path| path.found))
                .or(node.visited)
                .unwrap_or(from.came);
            let mut known = came;
            out.push(PlacedNode { node, came, known, ..from });
            let mut ends = Vec::new();
            for (i, child) in node.children.iter().enumerate() {
                let (parent, best) = (Some(number), node.best == Some(i));
                // A child that was cut off appears when the last visited child is done.
                let start = PlacedNode { node: child, x: 0, y, parent, best, came: known, known };
                let (x, done) = place(child, start, next, out);
                ends.push(x);
                known = known.max(done);
            }
            let x = match (ends.first(), ends.last()) {
                (Some(first), Some(last)) => (first + last) / 2,
                _ => {
                    next.0 += next.1;
                    next.0 - next.1
                }
            };
            (out[number].x, out[number].known) = (x, known);
            (x, known)
        }
        let mut out = Vec::new();
        let root = PlacedNode {
            node: self.root,
            x: 0,
            y: NODE_MARGIN,
            parent: None,
            best: false,
            came: 0,
            known: 0,
        };
        place(self.root, root, &mut (NODE_MARGIN, self.apart(self.root)), &mut out);
        out
    }

    /// The distance between leaves that leaves room for the texts at them.
    fn apart(&self, node: &TraceNode) -> i64 {
        let name = wide(&name(node), MOVE_CHAR_WIDTH) * 3 / 2;
        let window = self.note(node).map_or(0, |note| wide(&note, WINDOW_CHAR_WIDTH));
        // A window beside a node ends before the next node begins.
        let window =
            if node.children.is_empty() { window } else { window + WINDOW_OFFSET + HALF_TRIANGLE_WIDTH };
        let own = name.max(window).max(wide(&self.value(node), VALUE_CHAR_WIDTH)).max(MIN_LEAF_DISTANCE);
        node.children.iter().map(|child| self.apart(child)).fold(own, i64::max)
    }

    /// The horizontal extent of a node, including its texts and the name on the edge above.
    fn reach(&self, placed: &PlacedNode<'_>, above: Option<&PlacedNode<'_>>) -> (i64, i64) {
        let mut reach = (placed.x - NODE_MARGIN, placed.x + NODE_MARGIN);
        let mut take_in = |from: i64, to: i64| reach = (reach.0.min(from), reach.1.max(to));
        let mut around = |x: i64, width: i64| take_in(x - width / 2, x + width / 2);
        around(placed.x, wide(&self.value(placed.node), VALUE_CHAR_WIDTH));
        if let Some(above) = above {
            around(label(above, placed).0, wide(&name(placed.node), MOVE_CHAR_WIDTH));
        }
        if let Some(note) = self.note(placed.node) {
            let width = wide(&note, WINDOW_CHAR_WIDTH);
            match placed.node.children.is_empty() {
                true => around(placed.x, width),
                false => take_in(placed.x, placed.x + WINDOW_OFFSET + width),
            }
        }
        reach
    }

    fn picture(&self, alone: bool) -> Markup {
        let all = self.placed();
        let above = |placed: &PlacedNode<'_>| placed.parent.and_then(|parent| all.get(parent));
        let reach = || all.iter().map(|placed| self.reach(placed, above(placed)));
        let left = reach().map(|reach| reach.0).min().unwrap_or(0).min(0);
        let width = reach().map(|reach| reach.1).max().unwrap_or(0) - left;
        let bottom = all.iter().map(|p| p.y).max().unwrap_or(0) + NODE_MARGIN;
        html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("{left} 0 {width} {bottom}")) width=(width)
                height=(bottom) role="img" aria-label=(self.title()) {
                @if alone { style { (PreEscaped(STANDALONE_STYLE)) (PreEscaped(TREE_STYLE)) } }
                @for placed in &all {
                    @if let Some(parent) = above(placed) { (edge(parent, placed)) }
                }
                @for placed in &all { (self.mark(placed)) }
            }
        }
    }

    fn mark(&self, placed: &PlacedNode<'_>) -> Markup {
        let (x, y, node) = (placed.x, placed.y, placed.node);
        let class = if node.marked { "cell marked" } else { "cell" };
        let points = |up: i64| {
            format!(
                "{x},{} {},{} {},{}",
                y - 20 * up,
                x - HALF_TRIANGLE_WIDTH,
                y + 14 * up,
                x + HALF_TRIANGLE_WIDTH,
                y + 14 * up
            )
        };
        // The numbers of each step, or the value from the step at which it is known.
        let changes: Vec<String> = match &node.number_history[..] {
            [] => vec![format!("{} {}", placed.known, self.value(node))],
            became => became.iter().map(|(step, of)| format!("{step} {}", numbers(*of))).collect(),
        };
        // The numbers in a triangle are where it is wide; windows are below leaves, and beside nodes that have edges
        // below.
        let sign = match node.kind {
            TraceNodeKind::Player(0) => y + 10,
            TraceNodeKind::Player(_) => y + 1,
            _ => y + 5,
        };
        let beside = !node.children.is_empty();
        let (window_at, class_of_window) =
            if beside { ((x + WINDOW_OFFSET, y - 6), "window beside") } else { ((x, y + 30), "window") };
        let shape = html! {
            @match node.kind {
                TraceNodeKind::Player(0) => polygon class=(class) points=(points(1)) {},
                TraceNodeKind::Player(_) => polygon class=(class) points=(points(-1)) {},
                TraceNodeKind::Chance => circle class="cell" cx=(x) cy=(y) r="16" {},
                TraceNodeKind::Simultaneous => circle class="cell" cx=(x) cy=(y) r="18" {},
                TraceNodeKind::End | TraceNodeKind::DepthLimit => rect class="cell" x=(x - 16) y=(y - 13) width="32" height="26" {},
                TraceNodeKind::Cut => circle class="cut" cx=(x) cy=(y) r="3" {},
                TraceNodeKind::Repeated => {},
            }
            text class="sign" x=(x) y=(sign) data-signs=(changes.join(";")) { (self.value(node)) }
            @if let Some(note) = self.note(node) {
                text class=(class_of_window) x=(window_at.0) y=(window_at.1) { (note) }
            }
        };
        html! { g data-came=(placed.came) data-visited=[node.visited] { (shape) } }
    }
}

/// Returns true if some value rests on an estimate.
fn has_estimates(node: &TraceNode) -> bool {
    node.is_estimate || node.children.iter().any(has_estimates)
}

/// Returns true if a player chooses in some node between moves that are worth the same to him, and not to others.
fn decides_ties(node: &TraceNode) -> bool {
    let ties = match (node.kind, node.best) {
        (TraceNodeKind::Player(player), Some(best)) => {
            let best = &node.children[best].payoffs;
            let is_tie = |payoffs: &Vec<Rational>| {
                payoffs.get(player as usize) == best.get(player as usize) && payoffs != best
            };
            node.children.iter().any(|child| is_tie(&child.payoffs))
        }
        _ => false,
    };
    ties || node.children.iter().any(decides_ties)
}

/// The width of a string, for characters of `each` tenths.
fn wide(text: &str, each: i64) -> i64 {
    text.chars().count() as i64 * each / 10 + 8
}

/// The place of a move's name: two thirds of the way down its edge, where edges are apart.
fn label(from: &PlacedNode<'_>, to: &PlacedNode<'_>) -> (i64, i64) {
    ((from.x + 2 * to.x) / 3, (from.y + 2 * to.y) / 3 - 6)
}

fn edge(from: &PlacedNode<'_>, to: &PlacedNode<'_>) -> Markup {
    let class = match (to.node.kind, to.best) {
        (TraceNodeKind::Cut | TraceNodeKind::Repeated, _) => "dashed",
        (_, true) => "best",
        _ => "link",
    };
    let (x, y) = label(from, to);
    html! {
        g data-came=(to.came) data-known=(from.known) {
            line class=(class) x1=(from.x) y1=(from.y) x2=(to.x) y2=(to.y) {}
            text class="label" x=(x) y=(y) { (name(to.node)) }
        }
    }
}

/// The name of the move that leads to a node, with the probability of an event of chance: `(2) 1/6`. Empty at the root.
fn name(node: &TraceNode) -> String {
    let made = node.made.as_ref().map_or("", |made| &made.written);
    match &node.probability {
        Some(probability) => format!("{made} {}", fraction(probability)),
        None => made.to_owned(),
    }
}

/// The maximal length of a fraction in a tree; a longer one is rounded.
const MAX_FRACTION_LENGTH: usize = 5;
/// The digits after the point of a rounded number.
const DECIMAL_PLACES: u32 = 4;

/// A number that fits beside a node: a short fraction, or a decimal.
fn fraction(number: &Rational) -> String {
    let exact = number.to_string();
    let fits = exact.len() <= MAX_FRACTION_LENGTH || !exact.contains('/');
    if fits { exact } else { number.to_decimal(DECIMAL_PLACES) }
}

/// A number that fits beside a node: a short decimal where that is exact.
fn short(number: &Rational) -> String {
    let scaled = number * &Rational::from_integer(10i64.pow(DECIMAL_PLACES));
    if scaled.as_i64().is_some() { number.to_decimal(DECIMAL_PLACES) } else { fraction(number) }
}

/// The moves to a node, and the bound of the moves to come: `3+2`.
fn length(path: PathLength) -> String {
    match path.bound {
        None => path.moves.to_string(),
        Some(u16::MAX) => format!("{}+∞", path.moves),
        Some(bound) => format!("{}+{bound}", path.moves),
    }
}

/// The proof number and the disproof number: `2/1`.
fn numbers(of: ProofNumbers) -> String {
    let number = |number: u32| if number == INFINITE { "∞".to_string() } else { number.to_string() };
    format!("{}/{}", number(of.proof), number(of.disproof))
}

/// The window in brackets: `[-∞, 3]`.
fn window(window: Window) -> String {
    let (low, high) = window;
    let bound = |bound: &Option<Rational>, none: &str| bound.as_ref().map_or(none.to_string(), short);
    format!("[{}, {}]", bound(&low, "-∞"), bound(&high, "∞"))
}

/// Quotes a string for DOT.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// The style of trees, in addition to that of pages.
const TREE_STYLE: &str = "
svg .best { stroke: #b23a3a; stroke-width: 3; } svg .dashed { stroke: #8a8a8a; stroke-dasharray: 4 3; }
svg .cut { fill: #8a8a8a; } svg .marked { stroke: #b23a3a; stroke-width: 3; }
svg .window, svg .label { paint-order: stroke; stroke: var(--paper, #fdfcf9); stroke-width: 3px; }
svg .window { font-size: 9px; } svg .sign { font-size: 13px; } svg .window, svg .label { text-anchor: middle; }
svg .beside { text-anchor: start; }
.tree { overflow-x: auto; } .tree svg { max-width: none; }
svg .later { opacity: .12; } svg .open .best { stroke: #8a8a8a; stroke-width: 2; }
svg .now .cell { stroke: #2f6fd0; stroke-width: 3; } .steps li { cursor: pointer; } .steps .now { font-weight: bold; }
.stepping button { min-width: 2.6rem; min-height: 2.2rem; } .stepping input { width: 100%; margin: .6rem 0; }
.stepping output { display: block; min-height: 3em; }
";
/// The script that steps through the picture.
const STEPPING_SCRIPT: &str = include_str!("trace/stepping.js");
/// The part of the pages' style that a picture alone needs.
const STANDALONE_STYLE: &str = "
svg { font-family: monospace; } svg .cell { fill: #f4f0e6; stroke: #6b6b6b; } svg .link { stroke: #6b6b6b; stroke-width: 1; }
svg .label { font-size: 10px; fill: #6b6b6b; } svg .sign { font-weight: bold; text-anchor: middle; }
";
