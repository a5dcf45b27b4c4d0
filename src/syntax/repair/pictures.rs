//! Pictures between other marks than three quotes: `'''`, or `"` and backticks around several lines.

use super::RepairSession;
use super::lexical::Damage;
use crate::ast::{Expr, ExprKind, ItemKind, TypeKind};
use crate::diag::{Code, Diagnostic};
use crate::lex::{Token, TokenKind};
use bouton_base::source::{FileId, Span};

/// The maximal number of bytes of a picture between marks of one character.
const MAX_PICTURE: usize = 4000;

/// The marks of other languages around a text of several lines, the longest first.
const MARKS: [&str; 4] = ["'''", "```", "`", "'"];

/// The damage of a picture between other marks.
pub(super) fn picture_in_other_quotes(file: FileId, text: &str, token: Token) -> Option<Damage> {
    let rest = &text[token.start..];
    let before = text[..token.start].trim_end();
    let is_diagram = before.ends_with("diagram");
    let is_value = is_diagram || before.ends_with('=') || before.ends_with("diagram(");
    let marks = match MARKS.into_iter().find(|marks| rest.starts_with(marks)) {
        Some(marks) if marks == "'''" || is_value => marks,
        None if token.kind == TokenKind::UnclosedStr && is_value => "\"",
        _ => return None,
    };
    let length = rest[marks.len()..].find(marks)?;
    let picture = &rest[marks.len()..marks.len() + length];
    // The picture may end in the three quotes that it lacks at its start.
    let is_closed = marks == "\"" && rest[marks.len() + length..].starts_with("\"\"\"");
    let closing = if is_closed { 3 } else { marks.len() };
    let end = token.start + marks.len() + length + closing;
    // A string of one line without its end meets the quotes of another line.
    let ends_value = text[end..].trim_start().starts_with([';', '{', ')']);
    let is_sure = marks == "'''" || is_diagram && marks == "\"";
    let is_spread = picture.contains('\n') && ends_value && length <= MAX_PICTURE;
    if picture.contains([';', '"']) || !is_sure && !is_spread {
        return None;
    }
    let place = |start: usize| Span::new(file, start, start + marks.len());
    let title = "a picture stands between three quotes on each side";
    let finding = Diagnostic::new(Code::E0013, title, place(token.start), "")
        .help("write `\"\"\"` before and after it")
        .edit(place(token.start), "\"\"\"");
    let finding = if is_closed { finding } else { finding.edit(place(end - marks.len()), "\"\"\"") };
    let replacement = format!("\"\"\"{picture}\"\"\"");
    Some(Damage { range: token.start..end, replacement, finding: Some(finding), group: None })
}

/// The lines of a picture that is written as a list of strings.
fn lines_of_a_list(value: &Expr) -> Option<Vec<&str>> {
    let ExprKind::List(lines) = &*value.kind else { return None };
    let texts = lines.iter().filter_map(|line| match &*line.kind {
        ExprKind::Str(text) => Some(text.as_str()),
        _ => None,
    });
    let texts: Vec<&str> = texts.collect();
    let is_plain = |text: &&str| {
        !text.is_empty() && text.trim().len() == text.len() && !text.contains(['"', '\\', '{', '\n'])
    };
    (texts.len() == lines.len() && texts.len() > 1 && texts.iter().all(is_plain)).then_some(texts)
}

impl RepairSession {
    /// Reports `param level: text = ["#..", "..#"];` and leaves out the list.
    pub fn mend_lists_of_lines(&mut self) {
        for item in &mut self.items {
            let (ty, value) = match &mut item.kind {
                ItemKind::Param { ty, default, .. } => (ty, default),
                ItemKind::Const { ty: Some(ty), value, .. } => (ty, value),
                _ => continue,
            };
            let is_text = matches!(&ty.kind, TypeKind::Expr(ty) if ty.as_name() == Some("text"));
            let Some(lines) = lines_of_a_list(value).filter(|_| is_text) else { continue };
            let new = format!("\"\"\"\n  {}\"\"\"", lines.join("\n  "));
            let title = "a text of several lines is one string, between three quotes on each side";
            let help = "write `\"\"\"` before the first line and after the last, and each line as it is, without quotes and \
                        commas";
            let found = Diagnostic::new(Code::E0201, title, value.span, "").help(help).edit(value.span, new);
            self.diagnostics.push(found);
            *value = Expr::new(ExprKind::Error, value.span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    fn text(marks: &str) -> String {
        format!(
            "param level: text = {marks}\n  . # .\n  P . F{marks};\nboard Cell = grid(level.columns, level.rows);\n"
        )
    }

    #[test]
    fn pictures_stand_between_three_quotes() {
        for marks in ["\"", "`", "```", "'", "'''"] {
            assert_eq!(
                titles(&text(marks)),
                ["a picture stands between three quotes on each side"],
                "{marks}"
            );
            assert_eq!(mended(&text(marks)), text("\"\"\""), "{marks}");
        }
        let last = "param level: text = \"\n  . #\n  P F\n\";\ngame \"x\";\n";
        assert_eq!(mended(last), last.replace("= \"", "= \"\"\"").replace("\n\";", "\n\"\"\";"));
    }

    #[test]
    fn a_picture_may_lack_quotes_at_its_start() {
        let picture = |mark: &str| {
            format!(
                "state {{ at[c: Cell]: Player? = diagram {mark}\n  a b\n  b a \"\"\" {{ \"a\" => A, \"b\" => B }}; }}\n"
            )
        };
        assert_eq!(mended(&picture("\"")), picture("\"\"\""));
        assert_eq!(titles(&picture("\"")).len(), 1);
    }

    #[test]
    fn a_string_of_one_line_without_its_end_is_no_picture() {
        let text = "param level: text = \"..#;\nparam other: text = \"..\";\n";
        assert!(titles(text)[0].contains("never closed"), "{:?}", titles(text));
    }

    #[test]
    fn a_list_of_lines_is_one_text() {
        let new = "param level: text = \"\"\"\n  #..\n  ..#\"\"\";\n";
        assert_eq!(mended("param level: text = [\"#..\", \"..#\"];\n"), new);
        assert_eq!(titles("param level: list of text = [\"#..\", \"..#\"];\n"), Vec::<String>::new());
    }
}
