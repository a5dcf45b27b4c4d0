//! Brackets without a partner. Indentation tells which one is meant: a `}` closes the line it stands under.

use super::signs::Sound;
use crate::diag::{Code, Diagnostic};
use crate::source::{FileId, Span};
use crate::syntax::lex::{Kind, Token};
use crate::syntax::words;

/// How many brackets are mended before the rest is left alone.
const MOST: usize = 50;

/// What is wrong with a bracket.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// The bracket at this word has no end; one is missing before that word (or at the end).
    Unclosed(usize, usize),
    /// The bracket at this word closes nothing.
    Stray(usize),
}

/// Gives every bracket a partner.
pub(super) fn balance(file: FileId, sound: &mut Sound) {
    for round in 0..MOST * 4 {
        let words: Vec<Token> = sound.tokens.iter().filter(|t| !t.is_comment()).copied().collect();
        let Some(fault) = find(&sound.text, &words) else { return };
        let finding = mend(file, sound, &words, fault);
        // past a cut, and past what people read, the bracket is mended in silence
        let hidden = sound.cut && matches!(fault, Fault::Unclosed(..));
        if !hidden && round < MOST {
            sound.diagnostics.push(finding);
        }
    }
    drop_rest(sound);
}

/// After too many faults only the soundly bracketed beginning is kept.
fn drop_rest(sound: &mut Sound) {
    let words: Vec<Token> = sound.tokens.iter().filter(|t| !t.is_comment()).copied().collect();
    let mut depth = 0_i32;
    let mut end = 0;
    for word in words {
        match word.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            break;
        }
        if depth == 0 && matches!(word.text(&sound.text), ";" | "}") {
            end = word.end;
        }
    }
    let all = sound.text.len();
    sound.replace(end..all, "");
    sound.cut = true;
}

fn mend(file: FileId, sound: &mut Sound, words: &[Token], fault: Fault) -> Diagnostic {
    match fault {
        Fault::Stray(at) => {
            let word = words[at];
            let sign = word.text(&sound.text).to_owned();
            let span = place(file, sound, word.start, word.end);
            sound.replace(word.start..word.end, "");
            Diagnostic::new(Code::E0003, format!("this `{sign}` closes nothing"), span, "")
                .help("take it away, or open it before")
                .edit(span, "")
        }
        Fault::Unclosed(open, before) => {
            let word = words[open];
            let sign = word.text(&sound.text).to_owned();
            let closer = partner(&sign);
            let at = before.checked_sub(1).map_or(0, |last| words[last].end);
            let span = place(file, sound, word.start, word.end);
            let insert = place(file, sound, at, at).at_end();
            let own_line = sign == "{"
                && begins_line(&sound.text, words, before)
                && sound.text[word.start..at].contains('\n');
            let new = match indent(&sound.text, word) {
                blanks if own_line => format!("\n{}{closer}", " ".repeat(blanks)),
                _ => closer.to_owned(),
            };
            sound.replace(at..at, &new);
            Diagnostic::new(Code::E0003, format!("this `{sign}` is never closed"), span, "it begins here")
                .label(insert, format!("a `{closer}` is missing here"))
                .help(format!("insert `{closer}`"))
                .edit(insert, new)
        }
    }
}

fn place(file: FileId, sound: &Sound, start: usize, end: usize) -> Span {
    let from = sound.offsets.start(start);
    Span::new(file, from, sound.offsets.end(end).max(from))
}

fn partner(open: &str) -> &'static str {
    match open {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

/// The first bracket without a partner, if there is one.
fn find(text: &str, words: &[Token]) -> Option<Fault> {
    let mut open: Vec<usize> = Vec::new();
    let mut odd_close = None;
    for at in 0..words.len() {
        let word = words[at].text(text);
        if !open.is_empty() && column(text, words[at]) == 0 && begins_item(text, words, at, open[0]) {
            // an item never stands inside another: what is open there is not closed
            return open.last().map(|&last| unclosed(text, words, last, at));
        }
        match words[at].kind {
            Kind::Open => open.push(at),
            Kind::Sign if word == ";" => {
                if let Some(&last) = open.last().filter(|&&last| words[last].text(text) != "{") {
                    return Some(unclosed(text, words, last, at));
                }
            }
            Kind::Close => match open.pop() {
                None => return Some(Fault::Stray(odd_close.unwrap_or(at))),
                Some(last) if partner(words[last].text(text)) != word => {
                    let meant = open.iter().any(|&outer| partner(words[outer].text(text)) == word);
                    return Some(if meant { unclosed(text, words, last, at) } else { Fault::Stray(at) });
                }
                Some(last) => {
                    if word == "}" && begins_line(text, words, at) {
                        let (inner, own) = (indent(text, words[last]), column(text, words[at]));
                        let outer = open.iter().rev().find(|&&outer| words[outer].text(text) == "{");
                        if own < inner && outer.is_some_and(|&outer| indent(text, words[outer]) == own) {
                            return Some(Fault::Unclosed(last, at));
                        }
                        if own > inner && odd_close.is_none() {
                            odd_close = Some(at);
                        }
                    }
                    if open.is_empty() && odd_close.is_some_and(|odd| odd < last) {
                        odd_close = None;
                    }
                }
            },
            _ => {}
        }
    }
    open.last().map(|&last| unclosed(text, words, last, words.len()))
}

/// Where the end of a bracket is missing: a parenthesis ends in its clause, a brace at the latest place.
fn unclosed(text: &str, words: &[Token], open: usize, limit: usize) -> Fault {
    if words[open].text(text) == "{" {
        return Fault::Unclosed(open, limit);
    }
    let mut depth = 0_usize;
    for at in open + 1..limit {
        let word = words[at].text(text);
        let ends = matches!(word, ";" | "}" | ":=" | "=>" | "then" | "as" | "wins" | "loses")
            || word == "{" && words[at - 1].end < words[at].start && is_block_after(text, words, at)
            || word == "=" && words[open].text(text) == "["
            || begins_line(text, words, at) && words::STATEMENTS.contains(&word);
        if depth == 0 && ends {
            return Fault::Unclosed(open, at);
        }
        match words[at].kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Fault::Unclosed(open, limit)
}

/// Whether a brace after an unclosed parenthesis is likely to begin a block.
fn is_block_after(text: &str, words: &[Token], at: usize) -> bool {
    let next = words.get(at + 1).map_or("", |word| word.text(text));
    words::STATEMENTS.contains(&next) || words.get(at + 1).is_some_and(|_| begins_line(text, words, at + 1))
}

fn begins_line(text: &str, words: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).map_or(0, |last| words[last].end);
    at == 0 || words.get(at).is_none_or(|word| text[before..word.start].contains('\n'))
}

/// Whether an item begins at this word, which is at the start of its line, though the bracket `outer` is open.
fn begins_item(text: &str, words: &[Token], at: usize, outer: usize) -> bool {
    let word = words[at].text(text);
    let next = words.get(at + 1);
    let named =
        next.is_some_and(|next| matches!(next.kind, Kind::Word | Kind::Str) || next.text(text) == "{");
    let start = (0..=outer).rev().find(|&at| column(text, words[at]) == 0);
    let in_test = start.is_some_and(|start| words[start].text(text) == "test");
    begins_line(text, words, at)
        && words::ITEMS.contains(&word)
        && !(words::begins_step(word) && in_test)
        && named
}

fn column(text: &str, word: Token) -> usize {
    word.start - text[..word.start].rfind('\n').map_or(0, |line| line + 1)
}

/// How far the line of a word is indented.
fn indent(text: &str, word: Token) -> usize {
    let line = text[..word.start].rfind('\n').map_or(0, |line| line + 1);
    text[line..].len() - text[line..].trim_start_matches([' ', '\t']).len()
}
