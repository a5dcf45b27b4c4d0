//! Men of a diagram that stand where its board has no cell: what its mask excludes is not a place for them.

use super::analyzer::Analyzer;
use super::masks::coordinates;
use bouton_base::source::Span;
use bouton_rules::{BoardId, Value};
use bouton_syntax::ast::ItemKind;
use bouton_syntax::diag::{Code, Diagnostic};

/// A symbol of a diagram where the board has no cell.
pub(super) struct ExcludedSign<'t> {
    pub text: &'t str,
    pub span: Span,
    /// The column from the left and the row from the top, counted from 0.
    pub place: [usize; 2],
}

impl Analyzer<'_> {
    /// Reports the symbols where the board has no cell, if they mean more than an empty one; returns true if
    /// there are such. A symbol without an arm marks such a place, and so does the one that stands at all of
    /// them or at most.
    pub(super) fn men_on_excluded_cells(
        &mut self,
        board: BoardId,
        excluded: &[ExcludedSign<'_>],
        signs: &[(String, Value)],
        shown: Vec<&str>,
    ) -> bool {
        let is_empty = |text: &str| match signs.iter().find(|(sign, _)| sign == text) {
            Some((_, value)) => text.trim().is_empty() || is_empty_value(value),
            None => true,
        };
        let mut full: Vec<&ExcludedSign<'_>> = excluded.iter().filter(|sign| !is_empty(sign.text)).collect();
        let count = |text: &str| excluded.iter().filter(|sign| sign.text == text).count();
        let most = full.iter().map(|sign| sign.text).max_by_key(|text| count(text));
        // Without a value for nothing, the sign of most of these places is the one for them.
        let has_nothing = signs.iter().any(|(_, value)| is_empty_value(value));
        let is_filler = |text: &str| match has_nothing {
            true => count(text) > 1 && count(text) == excluded.len(),
            false => count(text) > 1 || full.len() == 1,
        };
        let filler = most.filter(|text| is_filler(text));
        full.retain(|sign| Some(sign.text) != filler);
        let Some(first) = full.first() else { return false };
        let of = &self.rules.boards[board];
        let height = of.reading_rows().len();
        let cell = self.name_at(board, first.place, height);
        let name = of.name.clone();
        let place = match &cell {
            Some(cell) => format!("the cell `{cell}`"),
            None => "a cell here".to_owned(),
        };
        let title = format!("`{}` stands where `{name}` has no cell: the diagram would lose it", first.text);
        let mask = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Board { name: of, condition: Some(condition), .. } if of.text == name => {
                Some(condition.span)
            }
            _ => None,
        });
        let label = match mask {
            Some(_) => format!("the `where` of `{name}` excludes {place}"),
            None => format!("no point of `{name}` is here"),
        };
        let mut found = Diagnostic::new(Code::E0009, title, first.span, label);
        for other in full[1..].iter().take(3).filter(|other| other.span != first.span) {
            found = found.label(other.span, "this one as well");
        }
        if let Some(mask) = mask {
            found = found.label(mask, "not true there");
        }
        let on_cells = shown.iter().filter(|sign| !is_empty(sign)).count() > full.len();
        let help = match mask {
            None => {
                "move it to a point; a place without one has a sign for what is empty, or one without an arm"
            }
            Some(_) if on_cells => {
                "move it to a cell, or let the `where` keep this one; a sign without an arm may stand where no cell is"
            }
            Some(_) => {
                "none of what the diagram shows stands on a cell: either the `where` is the wrong way round, or the picture \
                 is"
            }
        };
        self.report(found.help(help));
        true
    }

    /// The name that the cell at a place would have, if the cells are named by their columns and rows.
    fn name_at(&self, board: BoardId, [x, y]: [usize; 2], height: usize) -> Option<String> {
        let of = &self.rules.boards[board];
        let rows = of.reading_rows();
        let is_named = rows.iter().enumerate().all(|(y, row)| {
            row.iter().enumerate().all(|(x, cell)| {
                let wanted = (x as u32 + 1, (height - y) as u32);
                cell.is_none_or(|cell| coordinates(of.cell_name(cell)) == Some(wanted))
            })
        });
        let letter = u8::try_from(x).ok().filter(|x| *x < 26).map(|x| char::from(b'a' + x))?;
        is_named.then(|| format!("{letter}{}", height - y))
    }
}

/// Returns true for a value that says that a cell is empty.
fn is_empty_value(value: &Value) -> bool {
    match value {
        Value::None | Value::Bool(false) | Value::Int(0) => true,
        Value::Set(elements) => elements.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn told(mask: &str, picture: &str, arms: &str) -> Vec<Diagnostic> {
        let text = format!(
            "game \"Men\"; players A, B; enum Thing {{ tree, grass }} board Cell = grid(3, 3) where {mask};
             state {{ at[c: Cell]: Player? = none; }} const of[c: Cell] = diagram \"\"\"\n{picture}\"\"\" {{ {arms} }};
             move go(c: Cell) as \"{{c}}\" {{
               when at[c] = none and (some b in Cell: of[b] = of[c] and b != c); at[c] := me; }}
             play normal;"
        );
        found(&text, Code::E0009)
    }

    #[test]
    fn men_stand_on_cells() {
        let (checks, corner) = ("(col + row) mod 2 = 0", "col != 1 or row != 3");
        let arms = "\"x\" => A, \"o\" => B, \".\" => none";
        let on = |picture: &str, mask: &str| told(mask, picture, arms);
        assert!(on("x . .\n. . .\n. . o", checks).is_empty());
        assert!(on("x # .\n# . #\n. # o", checks).is_empty());
        assert!(on("x .\n.\n. o", checks).is_empty());
        assert!(on(". . x\n. . .\n. . o", corner).is_empty());
        let found = on(". o .\n. . .\nx . .", checks);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "`o` stands where `Cell` has no cell: the diagram would lose it");
        assert_eq!(found[0].labels[0].text, "the `where` of `Cell` excludes the cell `b3`");
        assert!(found[0].help.as_deref().is_some_and(|help| help.starts_with("move it to a cell")));
        let all = on(". o .\n. . .\n. x .", checks);
        assert!(all[0].help.as_deref().is_some_and(|help| help.contains("wrong way round")));
        assert_eq!(on("x . .\n. x .\n. . o", corner).len(), 1);
    }

    #[test]
    fn signs_fill_what_is_excluded() {
        let arms = "\"#\" => tree, \",\" => grass";
        let checks = "(col + row) mod 2 = 0";
        assert!(told(checks, ", # ,\n# # #\n# # ,", arms).is_empty());
        assert!(told("col != 1 or row != 3", "# , ,\n, # ,\n, , ,", arms).is_empty());
        assert_eq!(told(checks, ", # ,\n# # #\n# , ,", arms).len(), 1);
        let walls = "\"#\" => tree, \".\" => none";
        assert!(told(checks, ". # .\n# . #\n. # .", walls).is_empty());
    }
}
