//! Names of several words: `total count: 0..9`, `pile-a: 0..5`, `players Player One, Player Two;`.
//!
//! A name is one word. Where a declaration has more, they are joined by `_`, there and wherever they stand side by side
//! in the file, and one message is reported for each name. No readable file has such a declaration.

use super::bare_keys::second_word_as_a_key;
use super::lexical::LexicalRepair;
use crate::diag::{Code, Diagnostic};
use crate::keywords;
use crate::lex::{Token, TokenKind};
use bouton_base::source::{FileId, Span};

/// The maximal number of words of a name.
const MAX_WORDS: usize = 4;
/// The maximal number of names of several words that are reported for a file.
const MAX_NAMES: usize = 20;

/// Joins the names of several words that a text declares, and reports them.
pub(super) fn join(file: FileId, sound: &mut LexicalRepair) {
    leave_out_turns(file, sound);
    for _ in 0..MAX_NAMES {
        let words = words_of(&sound.tokens);
        let Some(name) = (NameFinder { text: &sound.text, words: &words }).first() else { return };
        report(file, sound, &words, &name);
    }
}

/// The tokens without comments and documentation.
fn words_of(tokens: &[Token]) -> Vec<Token> {
    let is_word = |token: &&Token| !token.is_comment() && token.kind != TokenKind::Doc;
    tokens.iter().filter(is_word).copied().collect()
}

/// Words of other languages before the name of a field.
const MARKS_OF_FIELDS: [&str; 8] = ["var", "let", "val", "mut", "int", "integer", "auto", "local"];

/// Words behind the names of the players that say what is so by itself.
const TURN_WORDS: [&[&str]; 9] = [
    &["alternating"],
    &["alternate"],
    &["alternately"],
    &["alternatingly"],
    &["in", "turn"],
    &["in", "turns"],
    &["take", "turns"],
    &["taking", "turns"],
    &["by", "turns"],
];

/// Leaves out `alternating` in `players X, O alternating;`, and reports it.
fn leave_out_turns(file: FileId, sound: &mut LexicalRepair) {
    let words = words_of(&sound.tokens);
    let finder = NameFinder { text: &sound.text, words: &words };
    let begins = |at: &usize| {
        let is_first = at.checked_sub(1).is_none_or(|last| matches!(finder.word(last), ";" | "}"));
        is_first && finder.word(*at) == "players"
    };
    let Some(first) = (0..words.len()).find(begins) else { return };
    let Some(end) = (first..words.len()).find(|&at| finder.word(at) == ";") else { return };
    let found = TURN_WORDS.iter().find_map(|turns| {
        let start = end.checked_sub(turns.len()).filter(|&start| start > first + 1)?;
        let follows_name = words[start - 1].kind == TokenKind::Word && finder.word(start - 1) != "players";
        (follows_name && (start..end).map(|at| finder.word(at)).eq(turns.iter().copied())).then_some(start)
    });
    let Some(start) = found else { return };
    let (from, to) = (words[start - 1].end, words[end - 1].end);
    let shown = sound.text[words[start].start..to].to_owned();
    let span = |from: usize, to: usize| Span::new(file, sound.offsets.start(from), sound.offsets.end(to));
    let title = "turns alternate by themselves, in the order in which the players are named";
    let found = Diagnostic::new(Code::E0013, title, span(words[start].start, to), "")
        .help(format!("leave `{shown}` out"))
        .edit(span(from, to), "");
    sound.diagnostics.push(found);
    sound.replace(from..to, "");
}

/// A name of several words: its words with the hyphens between them, and the index of its declaration.
struct SplitName {
    parts: Vec<String>,
    at: usize,
}

struct NameFinder<'a> {
    text: &'a str,
    words: &'a [Token],
}

impl NameFinder<'_> {
    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.text(self.text))
    }

    /// The first declared name of several words.
    fn first(&self) -> Option<SplitName> {
        let mut depth = 0usize;
        let mut in_state = false;
        for at in 0..self.words.len() {
            let (before, word) = (at.checked_sub(1).map_or("", |last| self.word(last)), self.word(at));
            match self.words[at].kind {
                TokenKind::Open => {
                    in_state |= depth == 0 && before == "state";
                    depth += 1;
                }
                TokenKind::Close => {
                    depth = depth.saturating_sub(1);
                    in_state &= depth > 0;
                }
                _ => {}
            }
            let name = match (before, word) {
                (_, "players" | "player") if depth == 0 && matches!(before, ";" | "}" | "") => {
                    self.player(at + 1)
                }
                ("const", _) if depth == 0 && second_word_as_a_key(|next| self.word(at + next)).is_some() => {
                    None
                }
                ("param" | "const" | "def" | "type" | "board", _) if depth == 0 => {
                    self.name_at(at, &[":", "=", "[", "("], before == "def")
                }
                ("move" | "chance" | "effect" | "inductive", _) if depth == 0 => {
                    self.name_at(at, &["(", "{", "as"], true)
                }
                ("{" | ";", _) if in_state && depth == 1 && !MARKS_OF_FIELDS.contains(&word) => {
                    self.name_at(at, &[":", "["], false)
                }
                _ => None,
            };
            if name.is_some() {
                return name;
            }
        }
        None
    }

    /// The first player of several words in the list that begins at `at`. In a list without commas, commas are missing.
    fn player(&self, at: usize) -> Option<SplitName> {
        let ends = self.words.get(at..)?.iter().position(|word| word.text(self.text) == ";")?;
        if !(at..at + ends).map(|place| self.word(place)).any(|word| word == "," || word == "-") {
            return None;
        }
        let mut start = at;
        loop {
            let name = self.name_at(start, &[",", ";"], false);
            if name.is_some() {
                return name;
            }
            let is_plain = self.is_name_word(start) && self.word(start + 1) == ",";
            start = if is_plain { start + 2 } else { return None };
        }
    }

    /// The name that begins at `at` and ends before one of `signs`, if it has several words or hyphens. Hyphens touch the
    /// words on both sides.
    fn name_at(&self, at: usize, signs: &[&str], hyphens_only: bool) -> Option<SplitName> {
        if !self.is_name_word(at) || keywords::ITEM_KEYWORDS.contains(&self.word(at)) {
            return None;
        }
        let mut parts = vec![self.word(at).to_owned()];
        let mut next = at + 1;
        let mut count = 1;
        while !signs.contains(&self.word(next)) {
            if self.word(next) == "-" && self.touches(next - 1) && self.touches(next) {
                parts.push("-".to_owned());
                next += 1;
            } else if hyphens_only {
                return None;
            }
            let is_number = parts.last().is_some_and(|part| part == "-")
                && self.word(next).bytes().all(|b| b.is_ascii_digit());
            let is_word = self.words.get(next).is_some_and(|word| word.kind == TokenKind::Word);
            if !(is_word && keywords::starts_with_letter(self.word(next)) || is_number) || count == MAX_WORDS
            {
                return None;
            }
            // Words on two lines are two clauses, of which the first has no semicolon.
            if self.text[self.words[next - 1].end..self.words[next].start].contains('\n') {
                return None;
            }
            parts.push(self.word(next).to_owned());
            next += 1;
            count += 1;
        }
        // `hidden card: ...`, `int n: ...` and `params in ...` have messages of their own, and `prefer max f(c)` is a clause.
        let is_modifier = [
            "hidden",
            "visible",
            "private",
            "public",
            "secret",
            "transient",
            "set",
            "list",
            "int",
            "bool",
            "prefer",
        ]
        .contains(&parts[0].as_str());
        // A word that stands twice, and `board Cell grid(3, 3)`, in which a sign is missing, are no names.
        let is_doubled = parts.windows(2).any(|pair| pair[0] == pair[1]);
        let is_call =
            self.word(next) == "(" && at.checked_sub(1).is_some_and(|word| self.word(word) == "board");
        let has_sign_word = is_doubled
            || is_call
            || parts[1..].iter().any(|part| {
                matches!(
                    part.as_str(),
                    "in" | "is"
                        | "of"
                        | "and"
                        | "or"
                        | "by"
                        | "with"
                        | "to"
                        | "for"
                        | "where"
                        | "hidden"
                        | "visible"
                )
            });
        (count > 1 && !is_modifier && !has_sign_word).then_some(SplitName { parts, at })
    }

    fn is_name_word(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| word.kind == TokenKind::Word)
            && keywords::starts_with_letter(self.word(at))
            && !keywords::is_reserved(self.word(at))
            && self.word(at) != "unless"
    }

    fn touches(&self, at: usize) -> bool {
        self.words.get(at).map(|word| word.end) == self.words.get(at + 1).map(|next| next.start)
    }

    /// Returns true if the words of a name begin at `at`.
    fn stands_at(&self, name: &SplitName, at: usize) -> bool {
        let is_spelled = name.parts.iter().enumerate().all(|(ahead, part)| self.word(at + ahead) == part);
        let mut hyphens = (at..at + name.parts.len()).filter(|&sign| self.word(sign) == "-");
        // The first part of a name is a word, so a hyphen has a word before it.
        is_spelled && hyphens.all(|sign| self.touches(sign - 1) && self.touches(sign))
    }
}

/// Replaces a name wherever it stands, and reports it once.
fn report(file: FileId, sound: &mut LexicalRepair, words: &[Token], name: &SplitName) {
    let new: String =
        name.parts.iter().filter(|part| *part != "-").map(String::as_str).collect::<Vec<_>>().join("_");
    let finder = NameFinder { text: &sound.text, words };
    let places: Vec<std::ops::Range<usize>> = (0..words.len())
        .filter(|&at| finder.stands_at(name, at))
        .map(|at| words[at].start..words[at + name.parts.len() - 1].end)
        .collect();
    let has_hyphen = name.parts.iter().any(|part| part == "-");
    let shown = sound.text[words[name.at].start..words[name.at + name.parts.len() - 1].end].to_owned();
    let title = match has_hyphen {
        true => format!("`{shown}` is a difference: names have no `-`"),
        false => format!("`{shown}` is two names: a name is one word"),
    };
    let title =
        if name.parts.len() > 2 && !has_hyphen { title.replace("two names", "several names") } else { title };
    let place = |range: &std::ops::Range<usize>| {
        Span::new(file, sound.offsets.start(range.start), sound.offsets.end(range.end))
    };
    let declared = words[name.at].start;
    let label = places.iter().find(|range| range.start == declared).map(place);
    let mut found = Diagnostic::new(Code::E0013, title, label.unwrap_or(place(&places[0])), "")
        .help(format!("write `{new}`, here and wherever it is used"));
    for range in &places {
        found = found.edit(place(range), new.clone());
    }
    sound.diagnostics.push(found);
    for range in places.into_iter().rev() {
        sound.replace(range, &new);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::mended;

    #[test]
    fn a_mark_of_a_field_is_no_part_of_its_name() {
        let text = "state { n: 0..9 = 0; var m: 0..9 = 3; }\n";
        assert_eq!(mended(text), text.replace("var ", ""));
        let text = "state { total count: 0..9 = 0; }\n";
        assert_eq!(mended(text), text.replace("total count", "total_count"));
    }
}
