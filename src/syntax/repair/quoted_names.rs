//! Names in quotation marks: `'T'` for a name of an enumeration, `on[c]["side"]` for a part of a record.

use std::cell::OnceCell;

use super::lexical::LexicalRepair;
use super::outline::Outline;
use crate::diag::{Code, Diagnostic};
use crate::keywords;
use crate::lex::{Token, TokenKind};
use bouton_base::source::{FileId, Span};

/// The title of the message about names of an enumeration, which is reported once.
pub(super) const QUOTED_MEMBER: &str = "a name of an enumeration stands without quotes";

/// The diagnostic about a name of an enumeration between these quotes, where no string can be meant.
pub(super) fn quoted_member<'a>(
    file: FileId,
    text: &'a str,
    [first, second]: [Token; 2],
    outline: &OnceCell<Outline<'a>>,
) -> Option<Diagnostic> {
    let name = text.get(first.end..second.start).filter(|name| keywords::starts_with_letter(name))?;
    let outline = outline.get_or_init(|| Outline::of(text));
    outline.enum_of(&[name])?;
    let before = text[..first.start].trim_end();
    let line = before.rfind(['\n', ';']).map_or(before, |end| &before[end..]);
    // In the arms of a picture and of a display strings stand beside names.
    let is_value = ["=", "=>", "(", ",", "[", "{"].iter().any(|sign| before.ends_with(sign));
    let has_arm =
        text[second.end..].trim_start().starts_with("=>") || item_word(text, first.start) == "display";
    let has_text =
        line.contains(": text") || matches!(item_word(text, first.start), "enum" | "game" | "test");
    let place = |quote: Token| Span::new(file, quote.start, quote.end);
    (is_value && !has_arm && !has_text).then(|| {
        Diagnostic::new(Code::E0013, QUOTED_MEMBER, Span::new(file, first.start, second.end), "")
            .help(format!("write `{name}`"))
            .edit(place(first), "")
            .edit(place(second), "")
    })
}

/// The keyword of the item around a byte: the last one at the beginning of a line.
fn item_word(text: &str, at: usize) -> &str {
    let word_of = |line: &str| line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len());
    let lines = text[..at].rsplit('\n').map(|line| {
        // the part of the line after the byte does not matter
        &line[..word_of(line)]
    });
    lines.into_iter().find(|word| keywords::ITEM_KEYWORDS.contains(word)).unwrap_or_default()
}

/// The maximal number of parts of records in quotes that are mended.
const MAX_PARTS: usize = 200;

/// Writes `on[c].side` for `on[c]["side"]`.
pub(super) fn parts(file: FileId, sound: &mut LexicalRepair) {
    let words: Vec<Token> = sound.tokens.iter().filter(|token| !token.is_comment()).copied().collect();
    let word = |at: usize| words[at].text(&sound.text);
    let is_quoted = |&at: &usize| {
        let touches = words[at - 1].end == words[at].start;
        let is_term = matches!(words[at - 1].kind, TokenKind::Word | TokenKind::Close) && word(at - 1) != "}";
        touches && is_term && word(at) == "[" && words[at + 1].kind == TokenKind::Str && word(at + 2) == "]"
    };
    let places: Vec<usize> = (1..words.len().saturating_sub(2)).filter(is_quoted).take(MAX_PARTS).collect();
    if places.is_empty() {
        return;
    }
    let outline = Outline::of(&sound.text);
    let mut found: Option<Diagnostic> = None;
    let mut edits = Vec::new();
    for at in places {
        let name = word(at + 1).trim_matches('"');
        if !outline.is_part(name) || outline.enum_of(&[name]).is_some() {
            continue;
        }
        let range = words[at].start..words[at + 2].end;
        let from = sound.offsets.start(range.start);
        let span = Span::new(file, from, sound.offsets.end(range.end).max(from));
        let new = format!(".{name}");
        let title = "a part of a record stands after a dot";
        let help = format!("write `{new}`");
        let report = found.take().unwrap_or_else(|| Diagnostic::new(Code::E0013, title, span, "").help(help));
        found = Some(report.edit(span, new.clone()));
        edits.push((range, new));
    }
    sound.diagnostics.extend(found);
    for (range, new) in edits.into_iter().rev() {
        sound.replace(range, &new);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    #[test]
    fn names_of_an_enumeration_have_no_quotes() {
        let text = |values: &str| {
            format!("enum Letter {{ A, T }}\nconst spelt[i: 1..3]: Letter = match i {{ {values} }};\n")
        };
        let old = text("1 => 'T', 2 => 'A', _ => T");
        assert_eq!(mended(&old), text("1 => T, 2 => A, _ => T"));
        assert_eq!(titles(&old), [super::QUOTED_MEMBER]);
    }

    #[test]
    fn strings_keep_their_quotes() {
        let text = |quote: &str| {
            format!(
                "enum Mark {{ X, O }}\nstate {{ at[c: Cell]: Mark? = diagram \"\"\"X.\"\"\" {{ {quote}X{quote} => X, \".\" => none }}; }}\n\
                 move put(c: Cell) as {quote}X{quote} {{ at[c] := X; }}\ndisplay {{ cell at {{ X => {quote}X{quote}, none => \".\" }}; }}\n"
            )
        };
        assert_eq!(mended(&text("'")), text("\""));
    }

    #[test]
    fn parts_of_a_record_follow_a_dot() {
        let text = |part: &str| {
            format!(
                "record Man(side: Player, kind: Kind);\nmove go(a: Cell) as \"{{a}}\" {{ when on[a]{part} = me; on[a]{part} := me; }}\n"
            )
        };
        assert_eq!(mended(&text("[\"side\"]")), text(".side"));
        assert_eq!(titles(&text("[\"side\"]")).len(), 1);
        assert_eq!(titles(&text("[\"rank\"]")), Vec::<String>::new());
    }
}
