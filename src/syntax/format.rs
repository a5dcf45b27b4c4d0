//! The formatter: one style for all files. It works on tokens, not on the tree, so that comments and the author's line
//! breaks survive.
//!
//! It changes only blanks: between tokens, before lines, before aligned columns, before comments at the ends of lines.
//! It reduces consecutive empty lines to one. `==` becomes `=`. It does not change diagrams.

mod columns;
mod indent;
mod spacing;

use super::lex::{Token, TokenKind, lex};
use super::parse::parse;
use crate::diag::{Diagnostic, Severity};
use bouton_base::source::Sources;

/// A line of the file under formatting; a diagram in it may span several lines of text.
#[derive(Clone, Debug, Default)]
struct Line {
    /// The new indent, and the author's.
    indent: usize,
    given_indent: usize,
    words: Vec<SpacedToken>,
    /// A `// ...` comment at the end of the line, or a comment alone on its line.
    comment: Option<Comment>,
    /// True if an empty line precedes it.
    gap: bool,
}

/// A comment at the end of a line, or alone on it.
#[derive(Clone, Debug)]
struct Comment {
    text: String,
    /// The new column, and the author's.
    column: usize,
    given_column: usize,
}

/// A token with the blanks before it.
#[derive(Clone, Debug)]
struct SpacedToken {
    text: String,
    kind: TokenKind,
    /// The number of blanks before it, and the author's number.
    blanks: usize,
    given: usize,
    /// The number of brackets that are open around it.
    depth: usize,
}

impl Line {
    /// The column after the last token.
    fn width(&self) -> usize {
        self.words.iter().fold(self.indent, |at, word| after(at + word.blanks, &word.text))
    }

    /// The column of a token.
    fn column(&self, word: usize) -> usize {
        self.words[..word].iter().fold(self.indent, |at, word| after(at + word.blanks, &word.text))
            + self.words[word].blanks
    }
}

/// The column after a text that begins in column `at`.
fn after(at: usize, text: &str) -> usize {
    match text.rsplit_once('\n') {
        Some((_, last)) => last.chars().count(),
        None => at + text.chars().count(),
    }
}

/// Formats a file. For a file with errors, returns the errors instead.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let mut sources = Sources::new();
    let file = sources.add("text", text);
    let mut found = parse(&sources, file).diagnostics;
    found.retain(|finding| finding.severity() == Severity::Error);
    if !found.is_empty() {
        return Err(found);
    }
    let text = text.replace("\r\n", "\n");
    let mut lines = split(&text, &lex(&text));
    spacing::space(&mut lines);
    indent::indent(&mut lines);
    columns::align(&mut lines);
    columns::align_comments(&mut lines);
    Ok(join(&lines))
}

/// Splits tokens into lines.
fn split(text: &str, tokens: &[Token]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let (mut end, mut depth, mut line_start) = (0, 0_usize, 0);
    for (at, token) in tokens.iter().enumerate() {
        let between = &text[end..token.start];
        let breaks = between.matches('\n').count();
        if let Some(at) = between.rfind('\n') {
            line_start = end + at + 1;
        }
        let column = text[line_start..token.start].chars().count();
        if breaks > 0 || lines.is_empty() {
            lines.push(Line { gap: breaks > 1 && at > 0, given_indent: column, ..Line::default() });
        }
        end = token.end;
        if let Some(at) = token.text(text).rfind('\n') {
            line_start = token.start + at + 1;
        }
        let words = token.text(text).trim_end();
        if token.kind == TokenKind::Close {
            depth = depth.saturating_sub(1);
        }
        let last = lines.len() - 1;
        let line = &mut lines[last];
        let ends_line = tokens.get(at + 1).is_none_or(|next| text[token.end..next.start].contains('\n'));
        let is_comment = token.is_comment() || token.kind == TokenKind::Doc;
        if is_comment && ends_line && !words.contains('\n') {
            line.comment = Some(Comment { text: words.to_owned(), column, given_column: column });
        } else {
            let words = if words == "==" { "=" } else { words };
            let given = between.chars().count();
            line.words.push(SpacedToken {
                text: words.to_owned(),
                kind: token.kind,
                blanks: 0,
                given,
                depth,
            });
        }
        if token.kind == TokenKind::Open {
            depth += 1;
        }
    }
    lines
}

fn join(lines: &[Line]) -> String {
    let mut out = String::new();
    for line in lines {
        if line.gap {
            out.push('\n');
        }
        blanks(&mut out, line.indent);
        for word in &line.words {
            blanks(&mut out, word.blanks);
            out.push_str(&word.text);
        }
        if let Some(comment) = &line.comment {
            blanks(&mut out, comment.column.saturating_sub(line.width()));
            out.push_str(&comment.text);
        }
        out.push('\n');
    }
    out
}

fn blanks(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}

#[cfg(test)]
mod tests {
    use super::format;

    fn check(text: &str, expected: &str) {
        let formatted = format(text).unwrap_or_else(|found| panic!("{text}: {found:?}"));
        assert_eq!(formatted, expected);
        assert_eq!(format(&formatted).as_deref(), Ok(expected), "again");
    }

    #[test]
    fn blanks_are_normal() {
        check("def f( a :T )=a.b [ c ]+-#x*{1,2}|{ } ;", "def f(a: T) = a.b[c] + -#x * { 1, 2 } | { };\n");
        check(
            "def f=a==b and not(c in{d})or min (a,b)<1..n-1;",
            "def f = a = b and not (c in { d }) or min (a, b) < 1..n - 1;\n",
        );
        check("state{at[c:Cell]:Player?=none;}", "state { at[c: Cell]: Player? = none; }\n");
        check("board P=graph{line a-b->c;};", "board P = graph { line a - b -> c; };\n");
    }

    #[test]
    fn lines_are_indented_by_brackets() {
        check(
            "move m( )\n{\nwhen a\nor b;\n  if c {\nn:=1;\n  }\n      // why\n}\n",
            "move m()\n{\n  when a\n    or b;\n  if c {\n    n := 1;\n  }\n  // why\n}\n",
        );
        check("\n\n\nplay   normal;\n\n\n\n// end\n\n", "play normal;\n\n// end\n");
    }

    #[test]
    fn columns_stand_under_one_another_where_the_author_began_it() {
        check(
            "move m() {\n  a   := 1;\n  bcd := 2;\n  efghi := 3;\n}",
            "move m() {\n  a     := 1;\n  bcd   := 2;\n  efghi := 3;\n}\n",
        );
        check("move m() {\n  a := 1;\n  bcd := 2;\n}", "move m() {\n  a := 1;\n  bcd := 2;\n}\n");
        check(
            "players A, B; // one\nplay normal; // two\n",
            "players A, B;  // one\nplay normal;   // two\n",
        );
    }

    #[test]
    fn pictures_and_comments_stay() {
        let text = "state {\n  at[c: Cell]: T = diagram \"\"\"\n      X .\n        . X \"\"\" { \"X\" => X, \".\" => none };\n}\n";
        check(text, text);
        check("def f /* why */ = a; /* b */", "def f /* why */ = a; /* b */\n");
        assert!(format("def f = ;").is_err());
    }
}
