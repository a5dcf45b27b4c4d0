//! Signs of diagrams that lack one of their quotation marks: `." => grass`.

use super::lexical::Damage;
use crate::diag::{Code, Diagnostic};
use bouton_base::source::{FileId, Span};

/// The maximal length in bytes of a line that is read so.
const MAX_LINE_BYTES: usize = 2000;

/// The offset in a line at which a quotation mark is missing, with the sign beside it; `None` if each arm has both.
fn missing_quote(line: &str) -> Option<(usize, &str)> {
    let mut found = None;
    for (arrow, _) in line.match_indices("=>") {
        let key = line[..arrow].trim_end();
        let mut last = key.char_indices().rev();
        let ((end, closing), (middle, sign), third) = (last.next()?, last.next()?, last.next());
        let opening = third.map_or(' ', |(_, c)| c);
        let is_free = |c: char| c.is_whitespace() || matches!(c, '{' | ',');
        let gap = match (opening, sign, closing) {
            ('"', _, '"') => continue,
            (before, sign, '"') if is_free(before) && !sign.is_whitespace() => (middle, &line[middle..end]),
            (_, '"', sign) if is_free(opening) && !sign.is_whitespace() => (key.len(), &line[end..key.len()]),
            _ => continue,
        };
        if found.replace(gap).is_some() {
            return None;
        }
    }
    found
}

/// The damage of the line around a byte, one of whose arms lacks a quotation mark.
pub(super) fn arm_without_a_quote(file: FileId, text: &str, at: usize) -> Option<Damage> {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let line = text.get(start..end).filter(|line| line.len() <= MAX_LINE_BYTES)?;
    let is_odd = line.matches('"').count() % 2 == 1;
    if !is_odd || line.contains("\"\"\"") || line.contains('\\') {
        return None;
    }
    let (gap, sign) = missing_quote(line)?;
    let replacement = format!("{}\"{}", &line[..gap], &line[gap..]);
    let place = Span::new(file, start + gap, start + gap);
    let title = format!("a quotation mark is missing beside the sign `{sign}`");
    let found = Diagnostic::new(Code::E0003, title, Span::new(file, start + gap, start + gap + 1), "")
        .help(format!("write `\"{sign}\" => ...`"))
        .edit(place, "\"");
    Some(Damage { range: start..end, replacement, finding: Some(found), group: None })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    fn text(arms: &str) -> String {
        format!("const ground[c: Cell] = diagram level {{ {arms} }};\nend {{ when stuck => lose; }}\n")
    }

    #[test]
    fn signs_have_two_quotes() {
        let sound = text("\".\" => grass, \"#\" => hedge, \"@\" => shed");
        for arms in [
            ".\" => grass, \"#\" => hedge, \"@\" => shed",
            "\". => grass, \"#\" => hedge, \"@\" => shed",
            "\".\" => grass, #\" => hedge, \"@\" => shed",
            "\".\" => grass, \"#\" => hedge, \"@ => shed",
        ] {
            assert_eq!(mended(&text(arms)), sound, "{arms}");
            assert_eq!(titles(&text(arms)).len(), 1, "{arms}: {:?}", titles(&text(arms)));
        }
    }
}
