//! E0403 for a graph that joins a point to itself, or passes it twice on a line, at the place in the graph.

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::board::GraphClause;
use bouton_syntax::ast::{GraphLine, Name};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Reports each `a - a` of a graph, and each `line` that comes back to a point that it has passed.
    pub(super) fn misjoined_points(&mut self, lines: &[GraphLine]) {
        for line in lines {
            let points: Vec<&Name> =
                [&line.first].into_iter().chain(line.rest.iter().map(|(_, p)| p)).collect();
            let loops: Vec<&[&Name]> =
                points.windows(2).filter(|pair| pair[0].text == pair[1].text).collect();
            for pair in &loops {
                self.point_joined_to_itself(pair[0], pair[0].span.to(pair[1].span));
            }
            if line.is_line && loops.is_empty() {
                self.point_passed_twice(&points);
            }
        }
    }

    fn point_joined_to_itself(&mut self, point: &Name, span: Span) {
        let name = &point.text;
        let title = format!("this board cannot be built: `{name}` is joined to itself");
        let found = Diagnostic::new(Code::E0403, title, span, "from a point to the same point");
        self.report(found.help(format!(
            "write the other point that is meant in one of the two places; a point that is joined to none stands alone, `{name};`, \
             and a move that stays at `{name}` is a matter of the moves"
        )));
    }

    /// Reports the first point that a `line` passes again. Its last point may be its first.
    fn point_passed_twice(&mut self, points: &[&Name]) {
        let is_closed = points.len() > 3
            && points.first().map(|point| &point.text) == points.last().map(|point| &point.text);
        let points = &points[..points.len() - usize::from(is_closed)];
        let again = points.iter().enumerate().find_map(|(place, point)| {
            let first = points[..place].iter().find(|before| before.text == point.text)?;
            Some((*first, *point))
        });
        let Some((first, again)) = again else { return };
        let name = &again.text;
        let title = format!("this board cannot be built: the line passes `{name}` twice");
        let found = Diagnostic::new(Code::E0403, title, again.span, "the second time");
        self.report(found.label(first.span, "the first time").help(
            "end the `line` before this point and begin another there; edges that are no line for `ray` stand without `line`",
        ));
    }
}

/// The edges of a graph without those from a point to itself, and without lines: all its points are there.
pub(super) fn points_alone(clauses: &[GraphClause]) -> Vec<GraphClause> {
    let without_loops = |clause: &GraphClause| {
        let mut points: Vec<String> = Vec::new();
        let mut one_way = Vec::new();
        for (place, point) in clause.points.iter().enumerate() {
            if points.last() == Some(point) {
                continue;
            }
            if let Some(before) = place.checked_sub(1) {
                one_way.push(clause.one_way.get(before).copied().unwrap_or(false));
            }
            points.push(point.clone());
        }
        GraphClause { is_line: false, points, one_way }
    };
    clauses.iter().map(without_loops).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::diagnostics;
    use bouton_syntax::diag::Code;

    fn told(lines: &str) -> Vec<(String, usize)> {
        let text = format!(
            "game \"Paths\"; player Dog; board Spot = graph {{ {lines} }};
             state {{ dog: Spot = mill; }}
             move walk(to: Spot) as \"{{to}}\" {{ when to in dog.neighbors; dog := to; }}
             end {{ when dog = pond => win; }}"
        );
        let place = text.find("graph").unwrap_or_default() + "graph { ".len();
        let found = diagnostics(&text);
        assert!(found.iter().all(|found| found.code == Code::E0403), "{found:?}");
        found.into_iter().map(|found| (found.title.clone(), found.span().start as usize - place)).collect()
    }

    #[test]
    fn points_are_joined_to_others() {
        let title = |why: &str| format!("this board cannot be built: {why}");
        assert_eq!(told("line mill - inn - pond;"), []);
        let itself = title("`inn` is joined to itself");
        assert_eq!(told("mill - inn; inn - inn; inn - pond;"), [(itself.clone(), 12)]);
        assert_eq!(told("line mill - inn - inn - pond;"), [(itself, 12)]);
        assert_eq!(told("mill - inn; pond - pond;"), [(title("`pond` is joined to itself"), 12)]);
        let twice = title("the line passes `inn` twice");
        assert_eq!(told("line mill - inn - pond - inn;"), [(twice, 25)]);
        assert_eq!(told("line mill - inn - pond - mill;"), []);
    }
}
