//! Characters without a meaning of their own that belong to their neighbours: the `'` of `k isn't in S`, and the
//! symbols of a diagram without quotes, `$ => crate`.

use super::lexical::Damage;
use crate::diag::{Code, Diagnostic};
use crate::lex::{Token, TokenKind};
use bouton_base::source::{FileId, Span};

/// The maximal number of bytes of a legend before a symbol.
const MAX_LEGEND: usize = 2000;

/// The title of the message about symbols without quotes.
pub(super) const SYMBOLS_IN_QUOTES: &str =
    "each symbol of a diagram stands between quotes, and `=>` leads to its value";

/// The damage of an unreadable character that belongs to its neighbours.
pub(super) fn part_of_more(file: FileId, text: &str, token: Token) -> Option<Damage> {
    if token.kind != TokenKind::Unknown {
        return None;
    }
    negated_verb(file, text, token).or_else(|| symbol_of_a_diagram(file, text, token))
}

/// Rewrites `isn't in` to `not in`, and another `isn't` to `!=`.
fn negated_verb(file: FileId, text: &str, token: Token) -> Option<Damage> {
    let is_apostrophe = matches!(token.text(text), "'" | "\u{2019}");
    let rest = text[token.end..].strip_prefix('t').filter(|_| is_apostrophe)?;
    let before = &text[..token.start];
    let verb = ["isn", "aren", "wasn"].into_iter().find(|verb| before.ends_with(verb))?;
    let start = token.start - verb.len();
    let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
    if text[..start].ends_with(is_word) || rest.starts_with(is_word) {
        return None;
    }
    let next = rest.trim_start();
    let is_in = next.strip_prefix("in").is_some_and(|rest| !rest.starts_with(is_word));
    let ours = if is_in { "not" } else { "!=" };
    let range = start..token.end + 1;
    let span = Span::new(file, range.start, range.end);
    let shown = if is_in { "not in" } else { "!=" };
    let theirs = if is_in { "isn't in" } else { "isn't" };
    let found = Diagnostic::new(Code::E0013, format!("`{theirs}` is written `{shown}` here"), span, "");
    let found = found.help(format!("write `{shown}`")).edit(span, ours);
    Some(Damage { range, replacement: ours.to_owned(), finding: Some(found), group: None })
}

/// Rewrites `$ => crate` in the legend of a diagram to `"$" => crate`.
fn symbol_of_a_diagram(file: FileId, text: &str, token: Token) -> Option<Damage> {
    let symbol = token.text(text);
    let has_arrow = text[token.end..].trim_start().starts_with("=>");
    let from = (token.start.saturating_sub(MAX_LEGEND)..).find(|&at| text.is_char_boundary(at))?;
    let before = &text[from..token.start];
    let open = before.rfind('{').filter(|_| has_arrow && !matches!(symbol, "\"" | "\\"))?;
    let (head, arms) = (before[..open].trim_end(), before[open + 1..].trim_end());
    let mut words = head.split_whitespace().rev();
    let is_named = words.next().is_some() && words.next() == Some("diagram");
    let begins = arms.is_empty() || arms.ends_with(',');
    if !(is_named || head.ends_with("\"\"\"")) || !begins || arms.contains(['}', ';']) {
        return None;
    }
    let new = format!("\"{symbol}\"");
    let span = Span::new(file, token.start, token.end);
    let found = Diagnostic::new(Code::E0013, SYMBOLS_IN_QUOTES, span, "");
    let found = found.help(format!("write `{new} => ...`, and so for each symbol")).edit(span, new.clone());
    let group = Some(SYMBOLS_IN_QUOTES.to_owned());
    Some(Damage { range: token.start..token.end, replacement: new, finding: Some(found), group })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};
    use super::SYMBOLS_IN_QUOTES;

    #[test]
    fn negated_verbs_are_signs() {
        let text = |condition: &str| format!("move m(k: 1..3) {{ when {condition}; n := k; }}\n");
        for (theirs, ours) in [
            ("k isn't in S", "k not in S"),
            ("k isn\u{2019}t in S and k = 1", "k not in S and k = 1"),
            ("at[k] isn't none", "at[k] != none"),
            ("they aren't in S", "they not in S"),
        ] {
            assert_eq!(titles(&text(theirs)).len(), 1, "{theirs}: {:?}", titles(&text(theirs)));
            assert_eq!(mended(&text(theirs)), text(ours));
        }
    }

    #[test]
    fn symbols_stand_in_quotes() {
        let text = |legend: &str| format!("const map[c: Cell]: T? = diagram level {{ {legend} }};\n");
        let new = text("\"$\" => crate, \"@\" => man, \"#\" => wall");
        let old = text("$ => crate, @ => man, \"#\" => wall");
        assert_eq!((titles(&old), mended(&old)), (vec![SYMBOLS_IN_QUOTES.to_owned()], new.clone()));
        assert_eq!(mended(&text("# => wall, \".\" => none")), text("\"#\" => wall, \".\" => none"));
        assert!(titles(&text("# a wall\n \"#\" => wall"))[0].contains("does not begin a comment"));
    }
}
