//! Advice on the functions of the language without their brackets: `type Side = sides;` for `sides(Plot)`.

use crate::analyzer::Analyzer;
use crate::locals::Locals;
use crate::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::Type;
use bouton_syntax::diag::{Code, Diagnostic};

/// The form of a function, and its meaning.
fn form_of(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "min" => ("min(a, b)", "the smaller of two numbers; `min s` is the least element of a set"),
        "max" => ("max(a, b)", "the larger of two numbers; `max s` is the greatest element of a set"),
        "between" => ("between(a, b)", "the set of the cells between two"),
        "beyond" => ("beyond(a, b)", "the cell behind `b`, seen from `a`"),
        "ray" => ("ray(c, d)", "the set of the cells from `c` on in the direction `d`"),
        "dir" => ("dir(a, b)", "the direction from `a` to `b`"),
        "aligned" => ("aligned(a, b)", "true if one line goes through both cells"),
        "diagonal" => ("diagonal(a, b)", "true if one diagonal goes through both cells"),
        "orthogonal" => ("orthogonal(a, b)", "true if two cells share a row or a column"),
        "flood" => {
            ("flood(from, within)", "the set of the cells that are reached from `from` through `within`")
        }
        "lines" => ("lines(B)", "the set of the lines of the board `B`"),
        "sides" => ("sides(B)", "the set of the sides of the cells of the board `B`"),
        "edges" => ("edges(B)", "the set of the edges of the board `B`: its pairs of neighbors"),
        "other" => ("other(p)", "the other one of two players"),
        _ => return None,
    })
}

impl Analyzer<'_> {
    /// Reports a function of the language that stands without its brackets; returns true if it is that.
    pub(super) fn function_without_brackets(&mut self, name: &str, span: Span, locals: &Locals) -> bool {
        let Some((form, meaning)) = form_of(name) else { return false };
        if self.options.damaged || self.names.variable_before(name, span).is_some() {
            return false;
        }
        let title = format!("there is no `{name}` here: `{name}` is a function");
        let found = Diagnostic::new(Code::E0101, title, span, "its brackets are missing");
        let mut boards: Vec<&str> = self
            .symbols
            .iter()
            .filter(|(_, symbol)| matches!(symbol.kind, SymbolKind::Board { .. }))
            .map(|(board, _)| *board)
            .collect();
        boards.sort_unstable();
        let is_cell = |ty: &Type| self.board_of(ty).is_some();
        let cells: Vec<&str> =
            locals.stack.iter().filter(|l| is_cell(&l.ty)).map(|local| local.name.as_str()).collect();
        let is_of_a_board = form.ends_with("(B)");
        self.report(match (&boards[..], &cells[..]) {
            ([board], []) if is_of_a_board => {
                let meant = form.replace('B', board);
                found.help(format!("write `{meant}`")).edit(span, meant)
            }
            ([board], [.., cell]) if matches!(name, "sides" | "lines" | "edges") => found.help(format!(
                "`{}` is {}; those of one cell are `{cell}.{name}`",
                form.replace('B', board),
                meaning.replace("`B`", &format!("`{board}`"))
            )),
            (_, [a, b]) if form.ends_with("(a, b)") && is_of_cells(name) => found.help(format!(
                "`{name}({a}, {b})` is {}",
                meaning.replace("`a`", &format!("`{a}`")).replace("`b`", &format!("`{b}`"))
            )),
            _ => found.help(format!("`{form}` is {meaning}")),
        });
        true
    }
}

/// Returns true for a function of two cells.
fn is_of_cells(name: &str) -> bool {
    matches!(name, "between" | "beyond" | "dir" | "aligned" | "diagonal" | "orthogonal")
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, found};
    use bouton_syntax::diag::{Code, Diagnostic};

    fn text(side: &str, condition: &str) -> String {
        format!(
            "game \"Sides\"; players A, B; board Plot = grid(2, 2); type Side = {side};
             state {{ grown: set of Side = {{}}; n: 0..9 = 0; }}
             move lay(s: Side, a: Plot, b: Plot) as \"{{s}} {{a}} {{b}}\" {{
               when a != b and s not in grown and {condition}; grown |= {{ s }}; n := min(9, n + 1); }}
             end {{ when n > 8 => draw; when stuck => draw; }}"
        )
    }

    fn told(text: &str) -> Diagnostic {
        let mut all = found(text, Code::E0101);
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    #[test]
    fn functions_of_a_board_have_brackets() {
        for (wrong, right) in [("sides", "sides(Plot)"), ("edges", "edges(Plot)")] {
            let found = told(&text(wrong, "true"));
            assert_eq!(found.title, format!("there is no `{wrong}` here: `{wrong}` is a function"));
            assert_eq!(found.labels[0].text, "its brackets are missing");
            assert_eq!(found.edits[0].text, right);
            assert_eq!(codes(&text(right, "true")), []);
        }
        assert_eq!(told(&text("set of sides", "true")).edits[0].text, "sides(Plot)");
    }

    #[test]
    fn functions_of_cells_have_brackets() {
        let help = |condition: &str| {
            let found = told(&text("sides(Plot)", condition));
            assert!(found.edits.is_empty());
            found.help.unwrap_or_default()
        };
        assert_eq!(help("no x in between: x = a1"), "`between(a, b)` is the set of the cells between two");
        assert_eq!(help("beyond = a1"), "`beyond(a, b)` is the cell behind `b`, seen from `a`");
        assert!(help("n = min").starts_with("`min(a, b)` is the smaller of two numbers"));
        assert_eq!(
            help("s in sides"),
            "`sides(Plot)` is the set of the sides of the cells of the board `Plot`; those of one cell are `b.sides`"
        );
    }
}
