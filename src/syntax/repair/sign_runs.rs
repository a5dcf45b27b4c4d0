//! Operators of other languages that are lexed as several signs of this one: `=/=`, `=!=`, `==>`.

use super::lexical::LexicalRepair;
use crate::diag::{Code, Diagnostic};
use crate::lex::{Token, TokenKind};
use bouton_base::source::{FileId, Span};

/// The maximal number of runs that are joined, since each one lexes the whole text again.
const MAX_RUNS: usize = 20;

/// Writes the operators of this language for runs of signs.
pub(super) fn join(file: FileId, sound: &mut LexicalRepair) {
    for _ in 0..MAX_RUNS {
        let Some((range, ours)) = first_run(&sound.text, &sound.tokens) else { return };
        let text = &sound.text;
        let blank = |touches: bool| if touches { " " } else { "" };
        let before = blank(!text[..range.start].ends_with(char::is_whitespace));
        let after = blank(!text[range.end..].starts_with(char::is_whitespace));
        let new = format!("{before}{ours}{after}");
        let from = sound.offsets.start(range.start);
        let span = Span::new(file, from, sound.offsets.end(range.end).max(from));
        let title = format!("`{}` is written `{ours}` here", &text[range.clone()]);
        let found = Diagnostic::new(Code::E0013, title, span, "").help(format!("write `{ours}`"));
        sound.diagnostics.push(found.edit(span, new.clone()));
        sound.replace(range, &new);
    }
}

/// The first run of signs that is an operator of another language, and the operator here.
fn first_run(text: &str, tokens: &[Token]) -> Option<(std::ops::Range<usize>, &'static str)> {
    let is_sign = |at: usize| tokens.get(at).is_some_and(|token| token.kind == TokenKind::Punctuation);
    let is_joined = |at: usize| is_sign(at) && is_sign(at + 1) && tokens[at].end == tokens[at + 1].start;
    (0..tokens.len()).filter(|&at| is_joined(at)).find_map(|at| {
        if at > 0 && is_joined(at - 1) {
            return None;
        }
        let last = (at + 1..tokens.len()).find(|&last| !is_joined(last))?;
        let range = tokens[at].start..tokens[last].end;
        let ours = match &text[range.clone()] {
            "=/=" | "=!=" => "!=",
            "==>" | "===>" if leads_to_a_value(text, tokens, (at, last)) => "=>",
            "==>" | "===>" => "implies",
            _ => return None,
        };
        Some((range, ours))
    })
}

/// Returns true if an arrow leads to an outcome, or to the value of an arm, and is no implication.
fn leads_to_a_value(text: &str, tokens: &[Token], arrow: (usize, usize)) -> bool {
    let word = |at: usize| tokens[at].text(text);
    let mut depth = 0_usize;
    let open = (0..arrow.0).rev().find(|&at| match tokens[at].kind {
        TokenKind::Close => {
            depth += 1;
            false
        }
        TokenKind::Open if depth > 0 => {
            depth -= 1;
            false
        }
        kind => kind == TokenKind::Open,
    });
    let Some(open) = open.filter(|&open| word(open) == "{") else { return false };
    let mut rest = (arrow.1 + 1..tokens.len()).map(word).take_while(|sign| !matches!(*sign, ";" | "}"));
    let mut head = (0..open).rev().map(word).take_while(|sign| !matches!(*sign, ";" | "{" | "}"));
    let is_last = !rest.any(|sign| matches!(sign, "=>" | "==>"));
    let is_rule = head.next() == Some("end") && is_last;
    is_rule || head.any(|word| matches!(word, "match" | "diagram" | "display"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(sign: &str) -> String {
        format!("move m(k: 1..2) {{ when last {sign} me; n += k; }}\n")
    }

    #[test]
    fn inequalities_of_other_languages() {
        for sign in ["=/=", "=!=", "=\\=", "=~="] {
            assert_eq!(titles(&text(sign)), [format!("`{sign}` is written `!=` here")], "{sign}");
            assert_eq!(helps(&text(sign)), ["write `!=`"], "{sign}");
            let words: Vec<String> = mended(&text(sign)).split_whitespace().map(str::to_owned).collect();
            assert_eq!(words.join(" "), text("!=").trim_end(), "{sign}");
        }
        assert_eq!(mended("move m() { when n=/=1; n += 1; }"), "move m() { when n != 1; n += 1; }");
        assert!(titles("// a =/= b\ngame \"a =/= b ==> c\";\n").is_empty());
    }

    #[test]
    fn a_long_arrow_is_an_implication_or_leads_to_a_value() {
        let new = mended("move m() { when n = 0 ==> k = 1; n += 1; }");
        assert_eq!(new, "move m() { when n = 0 implies k = 1; n += 1; }");
        assert_eq!(titles("end { when n = 3 ==> mover loses; }").len(), 1);
        let new = mended("end { when n = 3 ==> mover loses; }");
        assert_eq!(new, "end { when n = 3 => mover loses; }");
        let new = mended("end { when n = 3 ==> k = 1 => mover loses; }");
        assert_eq!(new, "end { when n = 3 implies k = 1 => mover loses; }");
        let new = mended("def f(e: End) = match e { left ==> 1, right ==> 2 };");
        assert_eq!(new, "def f(e: End) = match e { left => 1, right => 2 };");
    }
}
