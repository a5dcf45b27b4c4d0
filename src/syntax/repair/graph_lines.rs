//! Lines of a graph with a word for the edge: `edge(a, b);`, `connect a b;`, `a to b;`, `a => b;`.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use crate::diag::Code;

/// Words for an edge that is used both ways.
const EDGES: [&str; 8] = ["edge", "edges", "connect", "link", "links", "join", "road", "path"];

impl FixFinder<'_> {
    /// Fixes and explanations of the lines of a graph.
    pub fn graph_lines(&self, fixes: &mut Vec<Fix>) {
        let Some((open, close)) = self.graph_around() else { return };
        fixes.extend(self.edges_by_a_word(open, close));
        fixes.extend(self.edge_by_an_arrow(open));
        fixes.extend(self.straight_line(open));
    }

    /// The braces of the graph around the mistake.
    fn graph_around(&self) -> Option<(usize, usize)> {
        let open = self.bracket_around(self.bounds.at, self.bounds.at)?;
        let open = match self.layout.text(open) {
            "(" | "[" => self.bracket_around(open, self.bounds.at)?,
            _ => open,
        };
        let is_graph = self.layout.text(self.bounds.first) == "board"
            && self.layout.text(open) == "{"
            && self.layout.text(open.checked_sub(1)?) == "graph";
        Some((open, self.layout.partner(open).filter(|_| is_graph)?))
    }

    /// The points of the line `edge(a, b)` or `edge a b` between two words.
    fn points_of_an_edge(&self, from: usize, end: usize) -> Option<Vec<&str>> {
        let is_word = EDGES.contains(&self.layout.text(from));
        let (start, last) = match self.layout.text(from + 1) {
            "(" | "[" | "{" => {
                (from + 2, self.layout.partner(from + 1).filter(|&last| is_word && last + 1 == end)?)
            }
            _ => (from + 1, end),
        };
        let is_joint = |at: &usize| matches!(self.layout.text(*at), "," | "to" | "and" | "with");
        let points: Vec<usize> = (start..last).filter(|at| !is_joint(at)).collect();
        let are_apart = (start + 1..last).all(|at| !is_joint(&at) || !is_joint(&(at - 1)));
        let are_names = points.iter().all(|&at| self.is_name(at));
        let names = points.iter().map(|&at| self.layout.text(at)).collect();
        (is_word && are_apart && are_names && points.len() > 1).then_some(names)
    }

    /// Rewrites the lines `edge(a, b); edge b c;` of a graph to `a - b; b - c;`.
    fn edges_by_a_word(&self, open: usize, close: usize) -> Option<Fix> {
        let (mut new, mut kept, mut range, mut help) = (String::new(), 0, None, None);
        let mut at = open + 1;
        while at < close {
            let end = self.outside_brackets(at, &[";"]).filter(|&end| end < close).unwrap_or(close);
            if let Some(points) = self.points_of_an_edge(at, end) {
                let (start, stop) = (self.range(at).0, self.range(end - 1).1);
                let line = points.join(" - ");
                new += self.layout.source.get(if range.is_some() { kept } else { start }..start)?;
                new += &line;
                range = Some((range.map_or(start, |(first, _)| first), stop));
                help.get_or_insert((line, self.range(at)));
                kept = stop;
            }
            at = end + 1;
        }
        let (range, (line, label)) = (range?, help?);
        let title = "the points of a graph are joined by `-`";
        let fix = Fix::new(range, &new, Code::E0013, title).at(label);
        Some(fix.help(format!("write `{line};`; `->` joins one way only")))
    }

    /// Rewrites `lines a - b - c;` to `line a - b - c;`: a path along it is straight.
    fn straight_line(&self, open: usize) -> Option<Fix> {
        let word = self.bounds.at.checked_sub(1).filter(|&word| word > open)?;
        let is_line = matches!(self.layout.text(word), "lines" | "Line" | "straight" | "row");
        let end = self.outside_brackets(word + 1, &[";"]).filter(|_| is_line)?;
        let length = end - word - 1;
        let is_chain = (word + 1..end).all(|at| match (at - word) % 2 {
            1 => self.is_name(at),
            _ => matches!(self.layout.text(at), "-" | "->"),
        });
        (is_chain && length % 2 == 1 && length > 3 && self.layout.text(word + 1) != "-").then(|| {
            let title = "a straight line of a graph begins with `line`";
            let help = format!("write `line {};`", self.text(word + 1, end));
            let fix = Fix::new(self.range(word), "line", Code::E0013, title).help(help);
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Explains the point `red buoy` in `mole - red buoy;`.
    pub(super) fn point_of_two_words(&self, at: usize) -> Option<Fix> {
        let (_, close) = self.graph_around()?;
        let ends = |at: usize| at == close || matches!(self.layout.text(at), ";" | "-" | "->");
        let (one, two) = (self.layout.text(at), self.layout.text(at + 1));
        (ends(at + 2) && self.layout.text(at - 1) != ";").then(|| {
            let title = format!("`{one} {two}` is two names: a point of a graph has one");
            let help = format!(
                "write `{one}_{two}` for one point, here and wherever it stands; `{one} - {two}` if \
                 these are two that are \
                 joined, `{one}; {two}` if not"
            );
            let range = (self.range(at).0, self.range(at + 1).1);
            explained(range, &format!("{one}_{two}"), &title, help)
        })
    }

    /// Rewrites `a => b;` to `a -> b;`, and explains `a to b;`.
    fn edge_by_an_arrow(&self, open: usize) -> Option<Fix> {
        let at = self.bounds.at;
        let is_between = at > open + 1 && self.is_name(at - 1) && self.is_name(at + 1);
        let (from, to) = (self.last, self.layout.text(at + 1));
        let title = "`-` joins two points both ways, `->` one way";
        match self.word {
            "=>" if is_between => {
                let fix = Fix::new(self.here(), "->", Code::E0013, title).help("write `->`");
                Some(Fix { accepts_partial: true, ..fix })
            }
            "to" if is_between => {
                let help = format!("write `{from} - {to};` or `{from} -> {to};`");
                let fix = explained(self.here(), "-", title, help);
                Some(Fix { accepts_partial: true, ..fix })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    fn text(lines: &str) -> String {
        format!("board P = graph {{ {lines} }};\n")
    }

    #[test]
    fn edges_have_no_word() {
        for lines in [
            "edge(ann, bob); edge(bob, carl);",
            "edge ann bob; edge bob carl;",
            "connect(ann, bob); connect(bob, carl);",
            "link ann, bob; link bob to carl;",
        ] {
            assert_eq!(mended(&text(lines)), text("ann - bob; bob - carl;"), "{lines}");
            assert_eq!(titles(&text(lines)), ["the points of a graph are joined by `-`"], "{lines}");
        }
        let mixed = mended(&text("edge(ann, bob); bob - dora; edge(bob, carl); edge;"));
        assert_eq!(mixed, text("ann - bob; bob - dora; bob - carl; edge;"));
    }

    #[test]
    fn lines_keep_their_straightness() {
        let old = text("lines ann - bob - carl; carl - dora;");
        assert_eq!(mended(&old), text("line ann - bob - carl; carl - dora;"));
        assert_eq!(titles(&old), ["a straight line of a graph begins with `line`"]);
    }

    #[test]
    fn points_have_one_name() {
        let old = text("ann - red bob; bob - carl;");
        assert_eq!(mended(&old), old);
        assert_eq!(titles(&old), ["`red bob` is two names: a point of a graph has one"]);
    }

    #[test]
    fn arrows_join_one_way() {
        assert_eq!(mended(&text("ann => bob; bob - carl;")), text("ann -> bob; bob - carl;"));
        let lines = "ann to bob; bob - carl;";
        assert_eq!(mended(&text(lines)), text(lines));
        assert_eq!(titles(&text(lines)), ["`-` joins two points both ways, `->` one way"]);
    }

    #[test]
    fn edges_in_brackets_stay_edges() {
        let lines = "nodes: ann, bob, carl; edges: (ann, bob), (bob, carl);";
        assert_eq!(mended(&text(lines)), text("ann - bob; bob - carl;"));
    }
}
