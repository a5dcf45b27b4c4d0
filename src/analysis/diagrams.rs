//! Diagrams: pictures of a board, the top row first, that give the values of a field.

use super::analyzer::Analyzer;
use super::excluded_cells::ExcludedSign;
use super::locals::Locals;
use super::symbols::{ConstValue, SymbolKind, UseKind};
use bouton_base::source::Span;
use bouton_rules::{BoardId, KeyDomain, Type, Value};
use bouton_syntax::ast;
use bouton_syntax::diag::{self, Code, Diagnostic};
use bouton_syntax::visit;

/// A symbol of a diagram (one character, or several between spaces) with its place.
struct DiagramSymbol<'t> {
    text: &'t str,
    span: Span,
}

impl<'a> Analyzer<'a> {
    /// The values that a diagram gives to a field or table with these keys.
    pub fn diagram_by_keys(
        &mut self,
        keys: &[KeyDomain],
        whole: &ast::Expr,
        picture: &ast::Picture,
        arms: &[(ast::Str, ast::Expr)],
        want: Option<&Type>,
    ) -> (Type, Vec<Option<Value>>) {
        let cells: usize = keys.iter().map(|k| k.values.len()).product();
        let damaged = (Type::Error, vec![None; cells]);
        // A board that was reported has no cells.
        if keys.iter().any(|key| *key.ty.present().base() == Type::Error) {
            return damaged;
        }
        let board = match keys {
            [key] => self.board_of(&key.ty),
            _ => None,
        };
        let Some(board) = board else {
            let title = "a diagram gives a value for each cell of one board";
            self.error(
                Code::E0009,
                title,
                whole.span,
                "here there is no board, or there are more keys than its cells",
            );
            return damaged;
        };
        let Some((ty, signs)) = self.symbol_values(arms, want) else { return damaged };
        let Some(text) = self.picture_text(picture) else { return damaged };
        let rows = picture_rows(&text, has_blank_arm(arms));
        match self.picture(board, &text, rows, &signs) {
            Some(values) => (ty, values.into_iter().map(Some).collect()),
            None => damaged,
        }
    }

    /// The text of a picture, with the place where it is written.
    fn picture_text(&mut self, picture: &ast::Picture) -> Option<ast::Str> {
        let name = match picture {
            ast::Picture::Text(text) => return Some(text.clone()),
            ast::Picture::Named(name) => name,
        };
        let found = self.find(&name.text, name.span);
        let value = match found {
            Some(key) if self.is_kind(key, |k| matches!(k, SymbolKind::Param { .. })) => {
                self.use_symbol(key, UseKind::Read);
                self.param(key, name.span)
            }
            Some(key) if self.is_kind(key, |k| matches!(k, SymbolKind::Const { .. })) => {
                self.use_symbol(key, UseKind::Read);
                match self.const_value(key, name.span) {
                    Some(ConstValue::Plain(value)) => value,
                    Some(ConstValue::Table(_)) | None => self.poison(name.span),
                }
            }
            Some(_) => self.poison(name.span),
            None => {
                let locals = Locals::constant();
                self.unknown_name(&name.text, name.span, &Self::local_names(&locals), "a string");
                return None;
            }
        };
        match value.constant() {
            Some(Value::Text(text)) => Some(ast::Str { text: text.to_string(), span: value.span }),
            _ => {
                let title = format!("`{}` holds no picture", name.text);
                let found = Diagnostic::new(Code::E0201, title, name.span, "a string is needed here");
                let help = "declare it as `param level: text = \"\"\" ... \"\"\";`";
                self.report(found.help(help));
                None
            }
        }
    }

    /// The number of rows of a picture and of the symbols in its longest row. Blanks are symbols if they are in some
    /// diagram of the files.
    pub fn picture_size(&self, text: &str) -> (usize, usize) {
        let span = Span::unplaced(0);
        let text = ast::Str { text: text.to_owned(), span };
        let rows = picture_rows(&text, self.texts.iter().any(|text| has_blank_symbols(&text.file)));
        (rows.len(), rows.iter().map(Vec::len).max().unwrap_or(0))
    }

    /// The value of each symbol, and their common type.
    fn symbol_values(
        &mut self,
        arms: &[(ast::Str, ast::Expr)],
        want: Option<&Type>,
    ) -> Option<(Type, Vec<(String, Value)>)> {
        let mut ty = Type::Never;
        let mut signs = Vec::new();
        let is_blank = |text: &str| text.trim().is_empty() && text != BLANK;
        if let Some((blank, _)) = arms.iter().find(|(sign, _)| is_blank(&sign.text)) {
            self.blank_symbol(blank);
            return None;
        }
        for (index, (sign, words)) in arms.iter().enumerate() {
            if arms[..index].iter().any(|(earlier, _)| earlier.text == sign.text) {
                let label = format!("an arm before it says what `{}` means", sign.text);
                self.error(Code::W0221, "this arm is never reached", sign.span, label);
            }
            let mut locals = Locals::constant();
            let made = match want {
                Some(want) => self.expr_of(words, want, &mut locals),
                None => self.expr(words, None, &mut locals),
            };
            let made = self.must_be_constant(made, "the meaning of a symbol");
            ty = self.joined(&ty, &made.ty, made.span);
            signs.push((sign.text.clone(), made.constant()?.clone()));
        }
        (ty != Type::Error).then(|| (want.cloned().unwrap_or(ty), signs))
    }

    /// Reads the picture; reports rows of the wrong length (E0009) and unknown symbols (E0010).
    fn picture(
        &mut self,
        board: BoardId,
        text: &ast::Str,
        rows: Vec<Vec<DiagramSymbol<'_>>>,
        signs: &[(String, Value)],
    ) -> Option<Vec<Value>> {
        let wanted = self.rules.boards[board].reading_rows();
        let name = self.rules.boards[board].name.clone();
        let (w, h) = (wanted.iter().map(Vec::len).max().unwrap_or(0), wanted.len());
        if rows.len() != h {
            let title = format!("this diagram has {} rows; `{name}` has {h}", rows.len());
            let label = format!("{h} rows are needed, the top one first");
            let found = Diagnostic::new(Code::E0009, title, text.span, label);
            let is_turned = rows.len() == w && rows.iter().all(|row| row.len() == h);
            self.report(match self.sizes_of_grid(&name).filter(|_| is_turned) {
                Some(sizes) => found.label(sizes, format!("{w} columns, {h} rows")).help(format!(
                    "the columns come first: a board that is {h} wide and {w} high is `grid({h}, {w})`; if the board is \
                     right, turn the picture"
                )),
                None => found,
            });
            return None;
        }
        let lengths: Vec<usize> = rows.iter().map(Vec::len).collect();
        let mut values = vec![None; self.rules.boards[board].len()];
        let mut good = true;
        let mut excluded = Vec::new();
        for ((y, row), cells) in rows.iter().enumerate().zip(&wanted) {
            let present = cells.iter().filter(|c| c.is_some()).count();
            // A row may include the missing cells of a masked board, or leave them out.
            let targets: Vec<Option<u32>> = match row.len() {
                n if n == cells.len() => cells.clone(),
                n if n == present => cells.iter().filter(|c| c.is_some()).copied().collect(),
                _ => {
                    self.wrong_row(&lengths, row, w, &name);
                    return None;
                }
            };
            for ((x, sign), cell) in row.iter().enumerate().zip(targets) {
                let Some(cell) = cell else {
                    excluded.push(ExcludedSign { text: sign.text, span: sign.span, place: [x, y] });
                    continue;
                };
                match signs.iter().find(|(s, _)| s == sign.text) {
                    Some((_, value)) => values[cell as usize] = Some(value.clone()),
                    None if good => {
                        good = false;
                        self.unknown_symbol(sign, signs);
                    }
                    None => {}
                }
            }
        }
        let shown = rows.iter().flatten().map(|sign| sign.text).collect();
        good &= !self.men_on_excluded_cells(board, &excluded, signs, shown);
        good.then(|| values.into_iter().flatten().collect())
    }

    /// The place of the form of a board that is a grid.
    fn sizes_of_grid(&self, board: &str) -> Option<Span> {
        self.items().find_map(|(item, _)| match &item.kind {
            ast::ItemKind::Board { name, form: ast::BoardForm::Expr(form), .. } if name.text == board => {
                let ast::ExprKind::Call(of, sizes) = &*form.kind else { return None };
                (of.as_name() == Some("grid") && sizes.len() == 2).then_some(form.span)
            }
            _ => None,
        })
    }

    fn wrong_row(&mut self, lengths: &[usize], row: &[DiagramSymbol], w: usize, name: &str) {
        let words: Vec<String> = lengths.iter().map(usize::to_string).collect();
        let title = format!("the rows of this diagram have {} cells; `{name}` is {w} wide", words.join(", "));
        let span = row.first().map(|s| s.span).zip(row.last().map(|s| s.span));
        let span = span.map_or(self.game_span(), |(a, b)| a.to(b));
        let found = Diagnostic::new(Code::E0009, title, span, format!("{} here", row.len()));
        let is_long = |sign: &DiagramSymbol| sign.text.chars().count() > 1;
        self.report(match row.iter().any(is_long) {
            true => found.help(
                "in a row with blanks, each blank separates two cells. If blanks are cells of the picture, add an arm \
                 `\" \" => none`: then every character is a cell",
            ),
            false => found,
        });
    }

    /// Reports a symbol that is empty or of several blanks.
    fn blank_symbol(&mut self, sign: &ast::Str) {
        let title = "a symbol of a diagram is empty, or consists of several blanks";
        let found = Diagnostic::new(Code::E0010, title, sign.span, "no character of a row");
        self.report(found.help("write `\" \"` for a blank: then every character of a row is a cell"));
    }

    fn unknown_symbol(&mut self, sign: &DiagramSymbol, signs: &[(String, Value)]) {
        let title = format!("the symbol `{}` of the diagram has no meaning here", sign.text);
        let known: Vec<String> = signs.iter().map(|(s, _)| format!("`{s}`")).collect();
        let found = Diagnostic::new(Code::E0010, title, sign.span, "no arm for it");
        let help = match diag::nearest(sign.text, signs.iter().map(|(s, _)| s.as_str())) {
            Some(near) => format!("did you mean `{near}`? Otherwise add an arm `\"{}\" => ...`", sign.text),
            None if matches!(sign.text, "." | "_" | "-") => format!(
                "add an arm for what is empty, `\"{}\" => none`; the symbols are {}",
                sign.text,
                known.join(", ")
            ),
            None => format!("add an arm `\"{}\" => ...`; the symbols are {}", sign.text, known.join(", ")),
        };
        self.report(found.help(help));
    }
}

/// The symbol that makes every character of a picture a symbol.
const BLANK: &str = " ";

/// Returns true if a blank is a symbol of a diagram.
fn has_blank_arm(arms: &[(ast::Str, ast::Expr)]) -> bool {
    arms.iter().any(|(sign, _)| sign.text == BLANK)
}

/// Returns true if a blank is a symbol of some diagram of a file.
fn has_blank_symbols(file: &ast::File) -> bool {
    fn look(expr: &ast::Expr, found: &mut bool) {
        *found |= matches!(&*expr.kind, ast::ExprKind::Diagram(_, arms) if has_blank_arm(arms));
        visit::children(expr, &mut |inner| look(inner, found));
    }
    let mut found = false;
    visit::expressions(file, &mut |expr| look(expr, &mut found));
    found
}

/// The rows of a picture in which every character is a symbol. The blanks that begin all rows are left out, blank rows
/// at the top and at the bottom too, and short rows end with blanks.
fn rows_of_characters<'t>(lines: &[&'t str], place: &dyn Fn(&str) -> Span) -> Vec<Vec<DiagramSymbol<'t>>> {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let is_full = |line: &str| !line.is_empty();
    let first = lines.iter().position(|line| is_full(line)).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| is_full(line)).map_or(first, |last| last + 1);
    let lines = &lines[first..last];
    let indent = |line: &str| line.len() - line.trim_start_matches(BLANK).len();
    let margin = lines.iter().copied().filter(|line| is_full(line)).map(indent).min().unwrap_or(0);
    let rows = lines.iter().map(|line| &line[margin.min(line.len())..]);
    let width = rows.clone().map(|row| row.chars().count()).max().unwrap_or(0);
    let symbols = |row: &'t str| {
        let own = row.char_indices().map(|(i, c)| &row[i..i + c.len_utf8()]);
        let mut symbols: Vec<DiagramSymbol> =
            own.map(|text| DiagramSymbol { text, span: place(text) }).collect();
        symbols.resize_with(width, || DiagramSymbol { text: BLANK, span: place(row) });
        symbols
    };
    rows.map(symbols).collect()
}

/// The rows of a picture: symbols between white space, or single characters if a row has no white space or `blanks` are
/// symbols.
fn picture_rows(text: &ast::Str, blanks: bool) -> Vec<Vec<DiagramSymbol<'_>>> {
    // The quotes of a literal are part of its span; a file that holds a picture has none.
    let length = (text.span.end - text.span.start) as usize;
    let quotes = length.saturating_sub(text.text.len()) / 2;
    // A string with escapes, or one that was computed, has no places for its symbols.
    let is_literal = length == text.text.len() + 2 * quotes && (quotes == 0 || quotes == 3);
    let sign = |part: &str| {
        if !is_literal {
            return text.span;
        }
        let at = text.span.start as usize + quotes + (part.as_ptr() as usize - text.text.as_ptr() as usize);
        Span::new(text.span.file, at, at + part.len())
    };
    if blanks {
        return rows_of_characters(&text.text.split('\n').collect::<Vec<_>>(), &sign);
    }
    let mut rows = Vec::new();
    for line in text.text.split('\n') {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        let row: Vec<DiagramSymbol> = if trimmed.contains(char::is_whitespace) {
            trimmed.split_whitespace().map(|part| DiagramSymbol { text: part, span: sign(part) }).collect()
        } else {
            let ends = trimmed.char_indices().map(|(i, c)| &trimmed[i..i + c.len_utf8()]);
            ends.map(|part| DiagramSymbol { text: part, span: sign(part) }).collect()
        };
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn columns_come_first() {
        let help = |size: &str| {
            let text = format!(
                "game \"Signs\"; players A, B; board Cell = grid({size});
                 state {{ at[c: Cell]: Player? = diagram \"\"\"\n x .\n . .\n . x \"\"\" {{ \"x\" => A, \".\" => none }}; }}
                 move go(c: Cell) as \"{{c}}\" {{ when at[c] = none; at[c] := me; }} play normal;"
            );
            let found = found(&text, Code::E0009);
            assert!(found.iter().all(|found| found.edits.is_empty()));
            found.into_iter().map(|found| found.help.unwrap_or_default()).collect::<Vec<_>>()
        };
        assert!(help("3, 2")[0].contains("is `grid(2, 3)`"), "{:?}", help("3, 2"));
        assert_eq!(help("2, 2"), [""]);
        assert!(help("2, 3").is_empty());
    }

    #[test]
    fn boards_that_were_reported_are_told_once() {
        let text = "game \"Signs\"; players A, B; board Cell = square(2);
                    state { at[c: Cell]: Player? = diagram \"\"\"x .\"\"\" { \"x\" => A, \".\" => none }; }
                    move go(c: Cell) as \"{c}\" { when at[c] = none; at[c] := me; } play normal;
                    display { cell at { A => \"A\", B => \"B\", none => \".\" }; }";
        assert_eq!(found(text, Code::E0101).len(), 1);
    }

    #[test]
    fn a_symbol_has_one_meaning() {
        let arms = |arms: &str| {
            let text = format!(
                "game \"Signs\"; players A, B; board Cell = grid(2, 1);
                 state {{ at[c: Cell]: Player? = diagram \"\"\"x .\"\"\" {{ {arms} }}; }}
                 move go(c: Cell) as \"{{c}}\" {{ when at[c] = none; at[c] := me; }} play normal;"
            );
            found(&text, Code::W0221).len()
        };
        assert_eq!(arms("\"x\" => A, \".\" => none"), 0);
        assert_eq!(arms("\"x\" => A, \"x\" => B, \".\" => none"), 1);
    }
}
