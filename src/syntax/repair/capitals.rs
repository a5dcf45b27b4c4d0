//! Texts whose keywords are all written in capitals.

use super::lexical::LexicalRepair;
use crate::diag::{Code, Diagnostic};
use crate::keywords::{ITEM_KEYWORDS, OTHER_KEYWORDS, STATEMENT_KEYWORDS};
use crate::lex::TokenKind;
use bouton_base::source::{FileId, Span};

/// The least number of keywords in capitals for one message about all of them.
const MIN_KEYWORDS: usize = 6;

/// Words without a declaration that are no keywords.
const BUILT_IN: [&str; 24] = [
    "me",
    "opponent",
    "mover",
    "other",
    "grid",
    "hex",
    "ring",
    "lines",
    "stuck",
    "first",
    "second",
    "value",
    "normal",
    "misere",
    "auto",
    "perft",
    "positions",
    "nimber",
    "solved",
    "setup",
    "prefer",
    "always",
    "lose",
    "win",
];

/// The word of the language that a word in capitals stands for.
fn small(word: &str, begins_line: bool) -> Option<String> {
    let is_capital = word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let word = word.to_ascii_lowercase();
    let is_known = [&ITEM_KEYWORDS[..], &STATEMENT_KEYWORDS, &OTHER_KEYWORDS, &BUILT_IN]
        .iter()
        .any(|list| list.contains(&word.as_str()));
    (is_capital && is_known).then(|| match word.as_str() {
        "player" if !begins_line => "Player".to_owned(),
        _ => word,
    })
}

/// Writes the keywords of a text in small letters, if all of them are in capitals, with one diagnostic.
pub(super) fn lower(file: FileId, sound: &mut LexicalRepair) {
    let text = &sound.text;
    let words = sound.tokens.iter().filter(|token| token.kind == TokenKind::Word);
    let mut capitals: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    let mut keywords = 0;
    for token in words {
        let word = token.text(text);
        if ITEM_KEYWORDS.contains(&word) || STATEMENT_KEYWORDS.contains(&word) {
            return;
        }
        let begins_line = token.start == 0 || text[..token.start].ends_with('\n');
        let Some(new) = small(word, begins_line) else { continue };
        keywords += usize::from(!BUILT_IN.contains(&new.as_str()));
        capitals.push((token.start..token.end, new));
    }
    let is_item = |new: &str| ITEM_KEYWORDS.contains(&new);
    let Some((first, new)) = capitals.first().filter(|(_, new)| keywords >= MIN_KEYWORDS && is_item(new))
    else {
        return;
    };
    let span = Span::new(file, first.start, first.end);
    let found =
        Diagnostic::new(Code::E0004, "the keywords are written in small letters", span, "in capitals");
    let mut found = found.help(format!("write `{new}`, and so all other keywords"));
    for (range, new) in &capitals {
        found = found.edit(Span::new(file, range.start, range.end), new.clone());
    }
    // The length stays, so the offsets do as well.
    let mut lowered = text.clone();
    for (range, new) in capitals {
        lowered.replace_range(range, &new);
    }
    sound.tokens = crate::lex::lex(&lowered);
    sound.text = lowered;
    sound.diagnostics.push(found);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{diagnostics, mended};

    #[test]
    fn one_message_tells_of_all_capitals() {
        let text = "GAME \"Heap\";\nPLAYERS A, B;\nSTATE { N: 0..9 = 9; LAST: PLAYER? = NONE; }\nMOVE TAKE(K: 1..2) AS \"{K}\" { WHEN K <= N; \
                    N -= K; LAST := ME; }\nEND { WHEN N = 0 => LAST WINS; }\n";
        assert_eq!(diagnostics(text).len(), 1);
        let new = mended(text);
        assert!(diagnostics(&new).is_empty(), "{new}");
        assert!(new.contains("LAST: Player? = none;"), "{new}");
    }
}
