//! Lines of a graph with a list of neighbours: `mill: [inn, pond];`, `mill -> [inn, pond];`, `{ "mill": ["inn"] }`.

use super::edits::{Fix, FixFinder};
use crate::diag::Code;
use crate::keywords;

/// A point of a graph with the points to which it is joined.
struct Neighbours<'a> {
    from: &'a str,
    edge: &'static str,
    ends: Vec<&'a str>,
    /// True if the sign leaves open whether the edges lead both ways.
    is_unsure: bool,
    /// The word after the line.
    end: usize,
}

impl Neighbours<'_> {
    /// The edges in the form of this language.
    fn edges(&self) -> String {
        match &self.ends[..] {
            [] => format!("{};", self.from),
            ends => {
                let edges = ends.iter().map(|to| format!("{} {} {to};", self.from, self.edge));
                edges.collect::<Vec<_>>().join(" ")
            }
        }
    }
}

/// Words that head a list of points or of edges.
const HEADINGS: [&str; 10] =
    ["nodes", "points", "vertices", "cells", "places", "edges", "links", "lines", "line", "spots"];

impl<'a> FixFinder<'a> {
    /// Fixes and explanations of lines of a graph with lists of neighbours.
    pub fn graph_neighbours(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.lists_of_points());
    }

    /// The name of the point at a word, which may stand between quotes.
    fn point(&self, at: usize) -> Option<&'a str> {
        let word = self.layout.text(at);
        let Some(name) = word.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
            return self.is_name(at).then_some(word);
        };
        let is_name = keywords::starts_with_letter(name)
            && !keywords::is_reserved(name)
            && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
        is_name.then_some(name)
    }

    /// Returns true if a graph has edges by `->`, so that another sign is for edges both ways.
    fn has_arrows(&self, open: usize, close: usize) -> bool {
        (open + 2..close)
            .any(|at| self.layout.text(at) == "->" && self.is_name(at - 1) && self.is_name(at + 1))
    }

    /// The line `mill: [inn, pond];` that begins at a word.
    fn neighbours_at(&self, at: usize) -> Option<Neighbours<'a>> {
        let from = self.point(at).filter(|from| !HEADINGS.contains(from))?;
        let sign = self.layout.text(at + 1);
        let is_listed = matches!(self.layout.text(at + 2), "[" | "{" | "(");
        let (edge, is_unsure) = match sign {
            ":" | "=" => ("-", true),
            "->" | "=>" if is_listed => ("->", false),
            "-" if is_listed => ("-", false),
            _ => return None,
        };
        let mut ends = Vec::new();
        let mut end = at + 2;
        if is_listed {
            let close = self.layout.partner(end)?;
            for word in (end + 1..close).filter(|&word| self.layout.text(word) != ",") {
                ends.push(self.point(word)?);
            }
            end = close + 1;
        } else {
            loop {
                ends.push(self.point(end)?);
                end += 1;
                if self.layout.text(end) != "," || matches!(self.layout.text(end + 2), ":" | "=") {
                    break;
                }
                end += 1;
            }
            if !matches!(self.layout.text(end), ";" | "," | "}") {
                return None;
            }
        }
        end += usize::from(matches!(self.layout.text(end), "," | ";"));
        Some(Neighbours { from, edge, ends, is_unsure, end })
    }

    /// Rewrites `mill -> [inn, pond];` to `mill -> inn; mill -> pond;`, and explains `mill: [inn, pond];`.
    fn lists_of_points(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let open = (first..=at).find(|&open| self.layout.text(open) == "{")?;
        let close = self.layout.partner(open).filter(|_| self.layout.text(first) == "board")?;
        let is_graph = self.layout.text(open - 1) == "graph";
        if !is_graph && (self.layout.text(open - 1) != "=" || open != first + 3) {
            return None;
        }
        let has_arrows = self.has_arrows(open, close);
        let (mut new, mut kept, mut start) = (String::new(), 0, None);
        let (mut shown, mut is_exact) = (None, true);
        let mut next = open + 1;
        while next < close {
            let Some(line) = self.neighbours_at(next) else {
                if !is_graph {
                    return None;
                }
                next = self.outside_brackets(next, &[";"]).filter(|&end| end < close).unwrap_or(close) + 1;
                continue;
            };
            let (from, to) = (self.range(next).0, self.range(line.end - 1).1);
            new += self.layout.source.get(if start.is_some() { kept } else { from }..from)?;
            new += &line.edges();
            start.get_or_insert(from);
            (kept, next) = (to, line.end);
            is_exact &= !line.is_unsure || has_arrows;
            if shown.is_none() && line.end > at {
                shown = Some(line);
            }
        }
        let shown = shown?;
        let edges = shown.edges();
        let help = match shown.is_unsure && !shown.ends.is_empty() {
            true if has_arrows => format!("write `{edges}`: `->` is for the ways that lead there only"),
            true => format!("write `{edges}`, with `->` in place of `-` where the way leads there only"),
            false => format!("write `{edges}`"),
        };
        let range = match is_graph {
            true => (start?, kept),
            false => {
                new = format!("graph {{ {new} }}");
                (self.range(open).0, self.range(close).1)
            }
        };
        let help = if is_graph { help } else { help.replacen('`', "`graph { ", 1).replacen(";`", "; }`", 1) };
        let title = "the points of a graph are joined by `-`";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here()).help(help);
        Some(Fix { is_correction: is_exact && is_graph, ..fix })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(lines: &str) -> String {
        format!("board P = graph {{ {lines} }};\n")
    }

    #[test]
    fn lists_of_neighbours_are_edges() {
        for (line, help) in [
            ("mill: [inn, pond];", "write `mill - inn; mill - pond;`, with"),
            ("mill: inn, pond;", "write `mill - inn; mill - pond;`, with"),
            ("\"mill\": [\"inn\", \"pond\"], \"inn\": [\"pond\"]", "write `mill - inn; mill - pond;`, with"),
            ("mill: {inn, pond}", "write `mill - inn; mill - pond;`, with"),
            ("inn: [], mill: [inn]", "write `inn;`"),
        ] {
            for before in ["", "well - forge; "] {
                let text = text(&format!("{before}{line}"));
                assert_eq!(titles(&text), ["the points of a graph are joined by `-`"], "{line}");
                assert!(helps(&text)[0].starts_with(help), "{:?}", helps(&text));
                assert_eq!(mended(&text), text);
            }
        }
    }

    #[test]
    fn beside_arrows_other_signs_lead_both_ways() {
        let old = text("a - b; b: c; c: [d]; d -> a;");
        assert_eq!(mended(&old), text("a - b; b - c; c - d; d -> a;"));
        assert_eq!(titles(&old).len(), 1);
    }

    #[test]
    fn arrows_to_a_list_are_arrows() {
        let old = text("a - b; mill -> [inn, pond]; inn - pond; inn -> [a];");
        assert_eq!(mended(&old), text("a - b; mill -> inn; mill -> pond; inn - pond; inn -> a;"));
        assert_eq!(helps(&old), ["write `mill -> inn; mill -> pond;`"]);
        assert_eq!(mended(&text("mill - [inn, pond];")), text("mill - inn; mill - pond;"));
    }

    #[test]
    fn a_board_of_lists_is_a_graph() {
        let text = "board P = { \"mill\": [\"inn\", \"pond\"], \"inn\": [] };\n";
        assert_eq!(titles(text), ["the points of a graph are joined by `-`"]);
        assert!(
            helps(text)[0].starts_with("write `graph { mill - inn; mill - pond; }`"),
            "{:?}",
            helps(text)
        );
    }
}
