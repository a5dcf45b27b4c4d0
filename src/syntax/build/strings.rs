//! Builds strings: resolves escapes, and splits templates at their placeholders.

use super::{Builder, RulePair};
use crate::ast::{Expr, ExprKind, Str, Template, TemplatePart};
use crate::diag::{Code, Diagnostic};
use crate::offsets::OffsetMap;
use crate::parse;

impl Builder<'_> {
    /// Builds a string and resolves its escapes.
    pub(super) fn string(&mut self, node: RulePair) -> Str {
        let span = self.span(&node);
        let start = self.base + node.as_span().start() + 1;
        let raw = &node.as_str()[1..node.as_str().len() - 1];
        let mut text = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some((at, c)) = rest.char_indices().find(|&(_, c)| c == '\\') {
            text.push_str(&rest[..at]);
            let place = start + raw.len() - rest.len() + at;
            rest = self.escape(&rest[at + c.len_utf8()..], place, &mut text);
        }
        text.push_str(rest);
        Str { text, span }
    }

    /// Resolves the escape whose backslash is at `place`; returns the text after it.
    fn escape<'t>(&mut self, rest: &'t str, place: usize, text: &mut String) -> &'t str {
        let Some(c) = rest.chars().next() else { return rest };
        match c {
            '"' | '\\' | '{' => text.push(c),
            'n' => text.push('\n'),
            _ => {
                let span = self.place(place, place + 1 + c.len_utf8());
                self.diagnostics.push(
                    Diagnostic::new(Code::E0013, format!("`\\{c}` means nothing in a string"), span, "")
                        .help("write `\\\"`, `\\\\`, `\\n` or `\\{`; a stroke by itself is `\\\\`"),
                );
            }
        }
        &rest[c.len_utf8()..]
    }

    /// Builds a `"""text"""`, which has no escapes.
    pub(super) fn text_literal(&self, node: &RulePair) -> Str {
        let raw = node.as_str();
        Str { text: raw[3..raw.len() - 3].to_owned(), span: self.span(node) }
    }

    /// Builds a string with placeholders.
    pub(super) fn template(&mut self, node: RulePair) -> Template {
        let span = self.span(&node);
        let start = self.base + node.as_span().start() + 1;
        let raw = &node.as_str()[1..node.as_str().len() - 1];
        let mut parts = Vec::new();
        let mut words = String::new();
        let mut rest = raw;
        while let Some(c) = rest.chars().next() {
            let place = start + raw.len() - rest.len();
            match c {
                '\\' => rest = self.escape(&rest[1..], place, &mut words),
                '{' => {
                    let length = placeholder_length(rest);
                    let inner = rest[1..length].strip_suffix('}').unwrap_or(&rest[1..length]);
                    let closed = inner.len() + 2 == length;
                    if !words.is_empty() {
                        parts.push(TemplatePart::Text(std::mem::take(&mut words)));
                    }
                    parts.push(TemplatePart::Placeholder(self.placeholder(inner, place + 1, closed)));
                    rest = &rest[length..];
                }
                _ => {
                    words.push(c);
                    rest = &rest[c.len_utf8()..];
                }
            }
        }
        if !words.is_empty() {
            parts.push(TemplatePart::Text(words));
        }
        Template { parts, span }
    }

    /// Builds the expression of a placeholder whose first byte after the brace is at `place`.
    fn placeholder(&mut self, inner: &str, place: usize, closed: bool) -> Expr {
        let span = self.place(place - 1, place + inner.len() + usize::from(closed));
        if !closed {
            self.diagnostics.push(
                Diagnostic::new(Code::E0003, "this `{` is never closed", span, "the placeholder begins here")
                    .help("close the placeholder with `}`; a brace by itself is `\\{`"),
            );
            return Expr::new(ExprKind::Error, span);
        }
        if inner.trim().is_empty() {
            self.diagnostics.push(
                Diagnostic::new(Code::E0013, "this placeholder of the template is empty", span, "")
                    .help("write what is shown here, as in `\"{from}-{to}\"`; a brace by itself is `\\{`"),
            );
            return Expr::new(ExprKind::Error, span);
        }
        let offsets = OffsetMap::shifted(self.offsets.start(place));
        match parse::expression(self.file, inner, &offsets) {
            Ok((expr, mut found)) => {
                self.diagnostics.append(&mut found);
                expr
            }
            Err(_) if self.is_of_several_values(inner, &offsets) => {
                let new: Vec<String> = parts_of(inner).iter().map(|part| format!("{{{part}}}")).collect();
                let new = new.join(", ");
                let title = "a placeholder of a template shows one value";
                let found = Diagnostic::new(Code::E0013, title, span, "").help(format!("write `{new}`"));
                self.diagnostics.push(found.edit(span, new));
                Expr::new(ExprKind::Error, span)
            }
            Err(found) => match self.without_format(inner, place, &offsets) {
                Some(expr) => expr,
                None => {
                    self.diagnostics.push(*found);
                    Expr::new(ExprKind::Error, span)
                }
            },
        }
    }

    /// Returns true for a placeholder with several values, `{c, me}`.
    fn is_of_several_values(&self, inner: &str, offsets: &OffsetMap) -> bool {
        let parts = parts_of(inner);
        let is_value = |part: &&str| parse::expression(self.file, part, offsets).is_ok();
        parts.len() > 1 && parts.iter().all(is_value)
    }

    /// Builds the expression of a placeholder with a format behind it, `k:02d` or `k!r`, and reports the format.
    fn without_format(&mut self, inner: &str, place: usize, offsets: &OffsetMap) -> Option<Expr> {
        let at = inner.rfind([':', '!', '%'])?;
        let (value, format) = inner.split_at(at);
        let is_format = format.len() > 1
            && format.len() <= MAX_FORMAT_BYTES
            && format[1..].chars().all(|c| c.is_ascii_alphanumeric() || "<>^+-,_.#".contains(c));
        let (expr, mut found) = parse::expression(self.file, value, offsets).ok().filter(|_| is_format)?;
        self.diagnostics.append(&mut found);
        let span = self.place(place + at, place + inner.len());
        let found = Diagnostic::new(Code::E0013, "the placeholders of a template have no format", span, "")
            .help(format!("write `{{{}}}`", value.trim()))
            .edit(span, "");
        self.diagnostics.push(found);
        Some(expr)
    }
}

/// The maximal length in bytes of the format behind the value of a placeholder.
const MAX_FORMAT_BYTES: usize = 8;

/// The parts of a text between the commas outside of brackets.
fn parts_of(inner: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let is_comma = |c: char| {
        depth += i32::from(matches!(c, '(' | '[' | '{')) - i32::from(matches!(c, ')' | ']' | '}'));
        c == ',' && depth == 0
    };
    inner.split(is_comma).map(str::trim).collect()
}

/// The length in bytes of the placeholder at the start of `rest`, braces included; the whole rest if the placeholder is
/// not closed.
fn placeholder_length(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return at + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use bouton_base::source::Sources;

    use crate::diag::apply_edits;

    #[test]
    fn a_placeholder_shows_one_value() {
        let text = |words: &str| format!("move m(c: Cell) as \"{words}\" {{ n := c; }}\n");
        let old = text("{c, at[c, d]}");
        let mut sources = Sources::new();
        let file = sources.add("text", old.clone());
        let found = crate::parse(&sources, file).diagnostics;
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(apply_edits(&old, file, &found).0, text("{c}, {at[c, d]}"));
    }
}
