//! The indentation of lines: two blanks per open bracket; a continuation line is indented by at least two more.

use super::{Line, SpacedToken};
use crate::keywords;
use crate::lex::TokenKind;

/// An open bracket, or the whole file.
struct BracketFrame {
    /// The indent of the line of the bracket, and the author's.
    line: (isize, isize),
    /// True if the clauses in the bracket are on lines of their own, indented by two more than its line.
    is_block: bool,
    /// The indent of the current clause, and the author's; `None` before a clause.
    clause: Option<(isize, isize)>,
}

/// Sets the indent of each line.
pub(super) fn indent(lines: &mut [Line]) {
    let mut frames = vec![BracketFrame { line: (-2, -2), is_block: true, clause: None }];
    let mut last = String::new();
    for line in lines {
        let given = line.given_indent as isize;
        let indent = indent_of(line, &mut frames, &last, given);
        line.indent = usize::try_from(indent).unwrap_or(0);
        if let Some(comment) = line.comment.as_mut().filter(|_| line.words.is_empty()) {
            comment.column = line.indent;
            line.indent = 0;
        }
        for at in 0..line.words.len() {
            let ends_line = at + 1 == line.words.len();
            step(&mut frames, &line.words[at], ends_line, (indent, given));
            last.clone_from(&line.words[at].text);
        }
    }
}

/// The indent of a line, given the open brackets before it.
fn indent_of(line: &Line, frames: &mut [BracketFrame], last: &str, given: isize) -> isize {
    let first = line.words.first();
    let depth = frames.len() - 1;
    if first.is_some_and(|word| word.kind == TokenKind::Close) && depth > 0 {
        return frames[depth].line.0;
    }
    let word = first.map_or("", |word| word.text.as_str());
    let frame = &mut frames[depth];
    // a block ends its clause unless something continues the clause
    let goes_on = keywords::follows_bracket(word) && word != "for" && word != "then" && word != "when"
        || is_infix(word);
    if last == "}" && !goes_on {
        frame.clause = None;
    }
    let inside = frame.line.0 + 2;
    if !frame.is_block {
        return frame.line.0 + (given - frame.line.1).max(2);
    }
    match frame.clause {
        None => inside,
        Some(clause) if word == "else" && last == "}" || word == "{" => clause.0,
        Some(clause) => clause.0 + (given - clause.1).max(2),
    }
}

fn is_infix(word: &str) -> bool {
    matches!(
        word,
        "+" | "-"
            | "*"
            | "/"
            | "|"
            | "&"
            | "="
            | "!="
            | "<"
            | ">"
            | "<="
            | ">="
            | "=>"
            | "."
            | ".."
            | ":"
            | ":="
            | ";"
            | ","
            | "{"
            | "["
            | "("
    )
}

/// Updates the open brackets for one token.
fn step(frames: &mut Vec<BracketFrame>, word: &SpacedToken, ends_line: bool, line: (isize, isize)) {
    let last = frames.len() - 1;
    match word.kind {
        TokenKind::Open => {
            frames[last].clause.get_or_insert(line);
            frames.push(BracketFrame { line, is_block: ends_line, clause: None });
        }
        TokenKind::Close => {
            if last > 0 {
                frames.pop();
            }
        }
        TokenKind::Punctuation if word.text == ";" => frames[last].clause = None,
        TokenKind::Punctuation if word.text == "," && last > 0 => frames[last].clause = None,
        TokenKind::Doc | TokenKind::LineComment | TokenKind::BlockComment => {}
        _ => {
            frames[last].clause.get_or_insert(line);
        }
    }
}
