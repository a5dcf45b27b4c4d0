//! Intervals of mathematics, one end of which is left out: `k in (bid, 9]`, `k in [1, 9)`, `k in ]1, 9[`.

use super::lexical::LexicalRepair;
use crate::diag::{Code, Diagnostic};
use crate::lex::{Token, TokenKind};
use bouton_base::source::{FileId, Span};

/// The maximal number of intervals that are rewritten, since each one lexes the whole text again.
const MAX_INTERVALS: usize = 20;

/// The indices of the first and the last bracket of an interval, and of its comma.
struct Interval {
    open: usize,
    comma: usize,
    close: usize,
}

/// Writes ranges for intervals, before each bracket gets a partner.
pub(super) fn ranges(file: FileId, sound: &mut LexicalRepair) {
    for _ in 0..MAX_INTERVALS {
        let words: Vec<Token> = sound.tokens.iter().filter(|token| !token.is_comment()).copied().collect();
        let text = &sound.text;
        let found = (1..words.len()).find_map(|open| interval_at(text, &words, open));
        let Some(found) = found else { return };
        let part = |from: usize, to: usize| &text[words[from].end..words[to].start];
        let low = part(found.open, found.comma).trim();
        let high = part(found.comma, found.close).trim();
        let low = if words[found.open].text(text) == "[" { low.to_owned() } else { moved(low, 1) };
        let high = if words[found.close].text(text) == "]" { high.to_owned() } else { moved(high, -1) };
        let new = format!("{low}..{high}");
        let range = words[found.open].start..words[found.close].end;
        let from = sound.offsets.start(range.start);
        let span = Span::new(file, from, sound.offsets.end(range.end).max(from));
        let title = "an interval is a range of whole numbers, with both of its ends";
        let finding = Diagnostic::new(Code::E0013, title, span, "").help(format!("write `{new}`"));
        sound.diagnostics.push(finding.edit(span, new.clone()));
        sound.replace(range, &new);
    }
}

/// The next greater or lower number, or the sum that says so.
fn moved(bound: &str, by: i64) -> String {
    match bound.parse::<i64>() {
        Ok(number) if number + by >= 0 => (number + by).to_string(),
        _ if by > 0 => format!("{bound} + 1"),
        _ => format!("{bound} - 1"),
    }
}

/// The interval that begins with this bracket: its brackets are no pair, and those around it are.
fn interval_at(text: &str, words: &[Token], open: usize) -> Option<Interval> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text(text));
    let sign = word(open);
    if !matches!(word(open - 1), "in" | ":") || !matches!(sign, "(" | "[" | "]") {
        return None;
    }
    let mut pending = Vec::new();
    let mut comma = None;
    let mut at = open + 1;
    let close = loop {
        match word(at) {
            "" | ";" | "{" | "}" | "=>" | "and" | "or" | "in" | ":" | ".." | "if" => return None,
            "," if pending.is_empty() && comma.is_some() => return None,
            "," if pending.is_empty() => comma = Some(at),
            ")" | "]" if pending.is_empty() => break at,
            "[" if pending.is_empty() && comma.is_some() && ends_term(words, text, at + 1) => break at,
            bracket @ ("(" | "[") => pending.push(if bracket == "(" { ")" } else { "]" }),
            bracket @ (")" | "]") if pending.pop() != Some(bracket) => return None,
            _ => {}
        }
        at += 1;
    };
    let comma = comma.filter(|&comma| open + 1 < comma && comma + 1 < close)?;
    let is_pair = matches!((sign, word(close)), ("(", ")") | ("[", "]"));
    let is_half_open = matches!((sign, word(close)), ("(", "]") | ("[", ")" | "[") | ("]", "]" | "["));
    (!is_pair && is_half_open && is_balanced_around(text, words, open, close)).then_some(Interval {
        open,
        comma,
        close,
    })
}

/// Returns true if no term goes on at this word.
fn ends_term(words: &[Token], text: &str, at: usize) -> bool {
    let word = words.get(at).map_or("", |word| word.text(text));
    matches!(
        word,
        ";" | ")"
            | ","
            | ":"
            | "=>"
            | "{"
            | "}"
            | "and"
            | "or"
            | "implies"
            | "iff"
            | "then"
            | "else"
            | "where"
            | "="
    )
}

/// Returns true if the round and square brackets of the clause around these words are pairs.
fn is_balanced_around(text: &str, words: &[Token], open: usize, close: usize) -> bool {
    let is_edge = |at: &usize| matches!(words[*at].text(text), ";" | "{" | "}" | "=>");
    let start = (0..open).rev().find(is_edge).map_or(0, |edge| edge + 1);
    let end = (close + 1..words.len()).find(is_edge).unwrap_or(words.len());
    let mut pending = Vec::new();
    for at in (start..open).chain(close + 1..end) {
        match (words[at].kind, words[at].text(text)) {
            (TokenKind::Open, "(") => pending.push(")"),
            (TokenKind::Open, _) => pending.push("]"),
            // Another interval of the clause begins or ends with brackets that are no pair.
            (TokenKind::Close, bracket) if pending.pop() != Some(bracket) => return false,
            _ => {}
        }
    }
    pending.is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(set: &str) -> String {
        format!("move m(k: 1..9) as \"{{k}}\" {{ when (k in {set}) and at[k] = none; bid := k; }}\n")
    }

    #[test]
    fn intervals_are_ranges() {
        for (theirs, ours) in [
            ("(bid, 9]", "bid + 1..9"),
            ("[1, 9)", "1..8"),
            ("[1, f(n, 2))", "1..f(n, 2) - 1"),
            ("]1, 9[", "2..8"),
            ("]at[me], 9]", "at[me] + 1..9"),
            ("[1, at[me][", "1..at[me] - 1"),
        ] {
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}");
            assert_eq!(titles(&text(theirs)).len(), 1, "{theirs}");
            assert_eq!(helps(&text(theirs)), [format!("write `{ours}`")]);
        }
        let ty = |range: &str| format!("move m(k: {range}) as \"{{k}}\" {{ bid := k; }}\n");
        assert_eq!(mended(&ty("(0, 9]")), ty("1..9"));
    }

    #[test]
    fn lost_brackets_are_no_intervals() {
        for condition in ["(k in [1, 9) and n = 2", "f(k in [n, 9)", "k in (1, 9) and (n, k] = 2"] {
            let text = format!("def f = {condition};\n");
            assert!(!titles(&text).iter().any(|title| title.contains("interval")), "{condition}");
        }
        for whole in ["def f = k in [1, 9];\n", "def f = (k, n) in S;\n", "def f = k in at[(1, 2)];\n"] {
            assert!(titles(whole).is_empty(), "{whole}: {:?}", titles(whole));
        }
    }
}
