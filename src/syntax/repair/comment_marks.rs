//! Comments of other languages: `# ...`, `% ...`, `-- ...`, `;; ...`, `' ...`, wherever a comment may stand.

use super::edits::{Fix, FixFinder};
use crate::diag::{Code, Diagnostic};
use crate::keywords;
use crate::lex::{Token, TokenKind, lex};
use bouton_base::source::{FileId, Span};

/// The end of the titles of these messages.
pub(super) const BEGINS_NO_COMMENT: &str = "does not begin a comment";

/// The number of words after a comment that the parser may read as part of a term with the comment.
const MAX_WORDS_AFTER: usize = 2;

/// The maximal length of the part of a line before a comment, in bytes: nobody writes longer ones.
const MAX_LINE: usize = 1_000;

/// Returns true if a comment may begin after this text: at the beginning of a line, after a clause or an element.
fn may_comment_after(before: &str) -> bool {
    let last = before.trim_end_matches([' ', '\t']).chars().next_back();
    last.is_none_or(|c| matches!(c, '\n' | ';' | '{' | '}' | ','))
}

/// The mark of a comment that a text begins with, of those that are characters of no other use.
fn foreign_mark(rest: &str) -> Option<&'static str> {
    let mark = ["%", "'"].into_iter().find(|mark| rest.starts_with(mark))?;
    // `'X'` is a string, and `'''` begins a picture.
    let line = rest.lines().next().unwrap_or_default();
    let is_comment = mark == "%" || line.starts_with("' ") || !line[1..].contains('\'');
    is_comment.then_some(mark)
}

/// Returns true for a line that begins with two names, which stand side by side in no term.
fn begins_with_two_names(line: &str) -> bool {
    let is_name = |token: &Token| {
        let word = token.text(line);
        token.kind == TokenKind::Word
            && !keywords::is_reserved(word)
            && !keywords::STATEMENT_KEYWORDS.contains(&word)
            && !keywords::OTHER_KEYWORDS.contains(&word)
    };
    let tokens = lex(line);
    tokens.len() >= 2 && tokens[..2].iter().all(is_name)
}

/// The mark of a comment that a text begins with, of those that have another meaning elsewhere.
fn ambiguous_mark(rest: &str) -> Option<&'static str> {
    // `# => wall` explains a symbol of a diagram.
    if rest.strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with("=>")) {
        return None;
    }
    ["# ", "-- ", ";; "].into_iter().find(|mark| rest.starts_with(mark)).map(str::trim_end)
}

/// The comment of another language that an unreadable token begins, or is part of: the range of its mark, and the
/// diagnostic. `tokens` are those of the text.
pub(super) fn comment_at(
    file: FileId,
    text: &str,
    tokens: &[Token],
    token: Token,
) -> Option<(std::ops::Range<usize>, Diagnostic)> {
    let near = &text.as_bytes()[token.start.saturating_sub(MAX_LINE)..token.start];
    let line = match near.iter().rposition(|&byte| byte == b'\n') {
        Some(end) => token.start - near.len() + end + 1,
        None if near.len() < MAX_LINE => 0,
        None => return None,
    };
    // A second `'` closes a string.
    let is_mark = token.kind == TokenKind::Unknown && !text[line..token.start].contains('\'');
    let rest = text[token.start..].lines().next().unwrap_or_default();
    let is_apart = rest.starts_with("' ") && rest.matches('\'').count() == 1 && !rest.contains('=');
    let is_apart = is_apart || rest.strip_prefix("% ").is_some_and(begins_with_two_names);
    let may_stand = may_comment_after(&text[..token.start]) || is_apart && text[..token.start].ends_with(' ');
    let begins = (is_mark && may_stand).then(|| foreign_mark(&text[token.start..])).flatten();
    let (start, mark) = match begins {
        Some(mark) => (token.start, mark),
        None => {
            let first = tokens.partition_point(|other| other.start < line);
            let before = tokens[first..].iter().take_while(|other| other.start < token.start);
            before
                .filter(|other| may_comment_after(&text[..other.start]))
                .find_map(|other| Some((other.start, ambiguous_mark(&text[other.start..])?)))?
        }
    };
    let range = start..start + mark.len();
    let span = Span::new(file, range.start, range.end);
    let found = Diagnostic::new(Code::E0013, format!("`{mark}` {BEGINS_NO_COMMENT}"), span, "");
    Some((range, found.help("write `//`").edit(span, "//")))
}

impl FixFinder<'_> {
    /// Fixes comments that begin with `#`, `--` or `;;`.
    pub fn comment_marks(&self, fixes: &mut Vec<Fix>) {
        let source = self.layout.source;
        let from = self.bounds.clause.min(self.bounds.at);
        for at in (from..=self.bounds.at).rev() {
            let (start, end) = self.range(at);
            let touches_next = end == self.range(at + 1).0;
            let mark = match (self.layout.text(at), self.layout.text(at + 1)) {
                ("#", _) => "#",
                ("-", "-" | "->") if touches_next => "--",
                (";", ";") if touches_next => ";;",
                _ => continue,
            };
            let before = source.get(..start).unwrap_or_default();
            let line = source.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
            let is_sign = mark == "#" && self.legend_around(at).is_some() && self.is_arrow_of_a_sign(at + 1);
            if is_sign || line.starts_with("#define") || line.starts_with("#include") {
                continue;
            }
            let has_words = !line[mark.len()..].trim().is_empty();
            // The parser stops within the comment, or shortly after it.
            let is_later = |word: &usize| self.range(*word).0 >= start + line.len();
            let stops_there = (at..self.bounds.at).filter(is_later).count() <= MAX_WORDS_AFTER;
            let is_apart = before.ends_with(' ') && line[mark.len()..].starts_with(' ');
            let may_stand = may_comment_after(before) || at == self.bounds.at && (is_apart || mark == "#");
            if may_stand && stops_there && (has_words || mark == "#") {
                let range = (start, start + mark.len());
                let fix = Fix::new(range, "//", Code::E0013, format!("`{mark}` {BEGINS_NO_COMMENT}"));
                fixes.push(Fix { accepts_partial: true, ..fix.help("write `//`") });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    #[test]
    fn comments_of_other_languages_stand_anywhere() {
        for mark in ["#", "--", ";;", "%", "'"] {
            let title = format!("`{mark}` does not begin a comment");
            let texts = [
                format!("players X, O; {mark} the first one\nparam n: 1..3 = 2;\n"),
                format!("{mark} it's mine\nplayers X, O;\n"),
                format!("display {{ cell at {{ X => \"X\", {mark} a cross\n O => \"O\" }}; }}\n"),
                format!("state {{ n: 0..3 = 0; {mark} how many\n k: 0..1 = 0; }}\n"),
            ];
            for text in texts {
                assert_eq!(titles(&text), std::slice::from_ref(&title), "{text}");
                assert_eq!(mended(&text), text.replacen(mark, "//", 1));
            }
        }
    }

    #[test]
    fn comments_stand_between_words() {
        for mark in ["#", "--", ";;", "'"] {
            let title = format!("`{mark}` does not begin a comment");
            let texts = [
                format!("enum Kind {{ man, {mark} a man\n king {mark} a king\n }}\n"),
                format!("move m(c: Cell) as \"{{c}}\" {mark} puts\n{{ n := c; }}\n"),
                format!("const v[p: Player] = match p {{ A => 1, {mark} one\n B => 2 }};\n"),
            ];
            for text in texts {
                assert_eq!(titles(&text), std::slice::from_ref(&title), "{text}");
                assert_eq!(mended(&text), text.replace(mark, "//"));
            }
        }
    }

    #[test]
    fn a_file_has_one_message_about_its_comments() {
        let text = "players X, O; # one\nparam n: 1..3 = 2; # two\nstate { k: 0..n = 0; # three\n }\n";
        assert_eq!(titles(text), ["`#` does not begin a comment"]);
        assert_eq!(mended(text), text.replace('#', "//"));
    }

    #[test]
    fn signs_within_terms_begin_no_comment() {
        assert!(titles("def f = max(1, #s, - -n);\n").is_empty());
        assert!(titles("def f = min(k,\n  #s,\n  #t);\n").is_empty());
        assert_eq!(mended("def f = n % k + a;\n"), "def f = n mod k + a;\n");
        let text = "enum Kind { man, king % of old\n }\n";
        assert_eq!(mended(text), text.replace('%', "//"));
        let strings = titles("move m(c: Cell) as '{c}' { n := c; }\n");
        assert!(strings.iter().all(|title| !title.contains("comment")), "{strings:?}");
    }
}
