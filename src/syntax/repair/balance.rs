//! Repairs brackets without a partner. Indentation decides which bracket is meant: a `}` closes the line above it with
//! the same indent.

use super::lexical::LexicalRepair;
use crate::diag::{Code, Diagnostic};
use crate::keywords;
use crate::lex::{Token, TokenKind};
use crate::limits;
use bouton_base::source::{FileId, Span};

/// The maximal number of repaired brackets; the text after them is dropped.
const MAX_BRACKET_REPAIRS: usize = 50;

/// The size in bytes of a large text. It gets fewer repairs, since each one lexes the whole text again.
const LARGE_TEXT_BYTES: usize = 1 << 18;

/// The maximal number of words between a `match` and its brace.
const MAX_MATCHED_WORDS: usize = 30;

/// The title of messages about a block that begins with a colon and ends with a brace.
const BLOCK_BY_COLON: &str = "the block that this `:` begins stands in braces";

/// A mistake in the brackets; the numbers are indices of words.
#[derive(Clone, Copy, Debug)]
enum BracketError {
    /// The bracket at the first word is never closed; its partner is missing before the second word (or at the end).
    Unclosed(usize, usize),
    /// The bracket at this word closes nothing.
    Stray(usize),
}

/// Gives every bracket a partner.
pub(super) fn balance(file: FileId, sound: &mut LexicalRepair) {
    // Such a text has one message, about its depth.
    if matches!(limits::nesting_depth(&sound.text, &sound.tokens), Err(limits::NestingError::TooDeep(_))) {
        return;
    }
    let rounds =
        if sound.text.len() > LARGE_TEXT_BYTES { MAX_BRACKET_REPAIRS / 5 } else { MAX_BRACKET_REPAIRS };
    for _ in 0..rounds {
        let words: Vec<Token> = sound.tokens.iter().filter(|t| !t.is_comment()).copied().collect();
        if is_balanced(&sound.text, &words) {
            return;
        }
        if let Some(range) = quotient_comment(&sound.text, &sound.tokens) {
            sound.diagnostics.push(whole_quotient(file, range.clone(), sound));
            sound.replace(range, "/ ");
            continue;
        }
        let search = BracketSearch::new(&sound.text, &words);
        let Some(fault) = search.fault() else { return };
        if let BracketError::Stray(at) = fault
            && let Some((head, colon)) = search.sign_before_the_block(at)
        {
            let (start, sign) = (words[head].start, words[colon]);
            let text = sound.text[start..sign.start].trim_end();
            let title = match sign.text(&sound.text) {
                "then" => "an `if` that changes the state has braces",
                "do" => "the effects of a `for` stand in braces",
                _ => BLOCK_BY_COLON,
            };
            let span = place(file, sound, sign.start, sign.end);
            let new = if start + text.len() == sign.start { " {" } else { "{" };
            let found = Diagnostic::new(Code::E0013, title, span, "")
                .help(format!("write `{text} {{ ... }}`"))
                .edit(span, new);
            sound.replace(sign.start..sign.end, new);
            sound.diagnostics.push(found);
            continue;
        }
        if let BracketError::Stray(at) = fault
            && let Some(then) = search.then_of_a_choice(at).or_else(|| search.colon_of_a_choice(at))
        {
            let word = words[then];
            let span = place(file, sound, word.start, word.end);
            let (title, new) = match word.text(&sound.text) {
                ":" if words[then - 1].end == word.start => (BLOCK_BY_COLON, " {"),
                ":" => (BLOCK_BY_COLON, "{"),
                _ => ("an `if` that changes the state has braces", "{"),
            };
            let help = format!(
                "write `{{` in place of this `{}`: the `}}` behind the effects closes it",
                word.text(&sound.text)
            );
            let found = Diagnostic::new(Code::E0013, title, span, "").help(help).edit(span, new);
            sound.replace(word.start..word.end, new);
            sound.diagnostics.push(found);
            continue;
        }
        let blanks = match fault {
            BracketError::Unclosed(open, before)
                if search.begins_line(before) || search.text(open) == "{" && search.text(before) == ";" =>
            {
                Some(search.indent(open))
            }
            _ => None,
        };
        let head = match fault {
            BracketError::Stray(at) => search.head_without_brace(at).map(|head| search.text(head)),
            BracketError::Unclosed(..) => None,
        };
        let head = head.map(str::to_owned);
        let mut finding = mend(file, sound, &words, fault, blanks);
        if let Some(head) = head {
            finding.edits.clear();
            finding.help =
                Some(format!("write `{{` where the block of the `{head}` above begins, or take it away"));
        }
        // report no unclosed brackets in an incomplete text
        let hidden = sound.is_incomplete && matches!(fault, BracketError::Unclosed(..));
        if !hidden {
            sound.diagnostics.push(finding);
        }
    }
    drop_rest(sound);
}

/// The `//` of a comment in the middle of a clause that closes more brackets than it opens, as in `{ n := n // 2; }`:
/// a quotient in Python, since the brackets lack their partners without it.
fn quotient_comment(text: &str, tokens: &[Token]) -> Option<std::ops::Range<usize>> {
    let is_quotient = |token: &&Token| {
        let comment = token.text(text);
        let before = text[..token.start].trim_end_matches([' ', '\t']);
        let ends_term =
            before.ends_with(|c: char| c == '_' || c.is_ascii_alphanumeric() || c == ')' || c == ']');
        let rest = comment[2..].trim_start();
        let begins_term = rest.starts_with(|c: char| c == '(' || c == '_' || c.is_ascii_alphanumeric());
        let count = |signs: [char; 3]| rest.chars().filter(|c| signs.contains(c)).count();
        ends_term && begins_term && rest.contains(';') && count(['}', ')', ']']) > count(['{', '(', '['])
    };
    let found = tokens.iter().find(|token| token.kind == TokenKind::LineComment && is_quotient(token))?;
    Some(found.start..found.start + 2)
}

/// The diagnostic about the `//` of a quotient.
fn whole_quotient(file: FileId, range: std::ops::Range<usize>, sound: &LexicalRepair) -> Diagnostic {
    let span = Span::new(file, sound.offsets.start(range.start), sound.offsets.end(range.end));
    let title = "`//` begins a comment, and the rest of this line is part of it";
    let found = Diagnostic::new(Code::E0013, title, span, "a comment from here on");
    found.help("a quotient is written `/`: the greatest whole number that is not above it").edit(span, "/")
}

/// Returns true if each bracket has its partner; then indentation does not matter.
fn is_balanced(text: &str, words: &[Token]) -> bool {
    let mut open = Vec::new();
    for word in words {
        match word.kind {
            TokenKind::Open => open.push(partner(word.text(text))),
            TokenKind::Close if open.pop() != Some(word.text(text)) => return false,
            _ => {}
        }
    }
    open.is_empty()
}

/// Keeps only the balanced beginning of a text with too many mistakes.
fn drop_rest(sound: &mut LexicalRepair) {
    let words: Vec<Token> = sound.tokens.iter().filter(|t| !t.is_comment()).copied().collect();
    let mut depth = 0_i32;
    let mut end = 0;
    for word in words {
        match word.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
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
    sound.is_incomplete = true;
}

/// The operators before which a bracket may end.
const OPERATORS: [&str; 17] =
    ["+", "-", "*", "/", "mod", "and", "or", "implies", "iff", "=", "!=", "<", "<=", ">", ">=", "&", "|"];

/// The signs between two values that a condition compares.
const COMPARISONS: [&str; 8] = ["=", "==", "!=", "<", "<=", ">", ">=", "in"];

/// Repairs a mistake. A missing brace at the end of a line goes on a line of its own, indented by `blanks`.
fn mend(
    file: FileId,
    sound: &mut LexicalRepair,
    words: &[Token],
    fault: BracketError,
    blanks: Option<usize>,
) -> Diagnostic {
    match fault {
        BracketError::Stray(at) => {
            let word = words[at];
            let sign = word.text(&sound.text).to_owned();
            let span = place(file, sound, word.start, word.end);
            // Of two brackets, or before the end of a clause, one is too much; elsewhere the opening one may be missing.
            let is_second = at.checked_sub(1).is_some_and(|last| words[last].text(&sound.text) == sign)
                || words.get(at + 1).is_none_or(|next| matches!(next.text(&sound.text), ";" | "}"));
            sound.replace(word.start..word.end, "");
            let found = Diagnostic::new(Code::E0003, format!("this `{sign}` closes nothing"), span, "")
                .help("take it away, or open it before");
            if is_second || sign == "}" { found.edit(span, "") } else { found }
        }
        BracketError::Unclosed(open, before) => {
            let word = words[open];
            let sign = word.text(&sound.text).to_owned();
            let closer = partner(&sign);
            // A `;` on a line of its own follows the brace.
            let is_end = |word: &&Token| {
                let line = sound.text[..word.start].trim_end_matches([' ', '\t']);
                word.text(&sound.text) == ";" && line.ends_with('\n') && sign == "{"
            };
            let end = words.get(before).filter(is_end).map(|end| end.start);
            let at = end.unwrap_or_else(|| before.checked_sub(1).map_or(0, |last| words[last].end));
            let blanks = blanks.filter(|_| end.is_none());
            let span = place(file, sound, word.start, word.end);
            let insert = place(file, sound, at, at).at_end();
            let spread = sign == "{" && sound.text[word.start..at].contains('\n');
            let new = match blanks.filter(|_| spread) {
                Some(blanks) => format!("\n{}{closer}", " ".repeat(blanks)),
                None => closer.to_owned(),
            };
            // The bracket may end before an operator.
            let inside = words[open + 1..before].iter().map(|word| word.text(&sound.text));
            let operators = inside.filter(|word| OPERATORS.contains(word)).count();
            let follows = words.get(before).map_or("", |word| word.text(&sound.text));
            let called = open.checked_sub(1).map(|name| words[name]);
            let is_call = called
                .is_some_and(|name| name.end == word.start && name.kind == TokenKind::Word && sign == "(");
            let is_compared = is_call && COMPARISONS.contains(&follows);
            let is_sure = sign == "{" || operators < 2 && !is_compared;
            sound.replace(at..at, &new);
            let found = Diagnostic::new(
                Code::E0003,
                format!("this `{sign}` is never closed"),
                span,
                "it begins here",
            );
            match is_sure {
                true => found
                    .label(insert, format!("a `{closer}` is missing here"))
                    .help(format!("insert `{closer}`"))
                    .edit(insert, new),
                false => found.help(format!("write `{closer}` where the term in brackets ends")),
            }
        }
    }
}

fn place(file: FileId, sound: &LexicalRepair, start: usize, end: usize) -> Span {
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

/// The search for a bracket without a partner.
struct BracketSearch<'a> {
    text: &'a str,
    words: &'a [Token],
    /// The column of each word, the indent of its line, and true if it is the first word of the line.
    places: Vec<(usize, usize, bool)>,
}

impl<'a> BracketSearch<'a> {
    fn new(text: &'a str, words: &'a [Token]) -> Self {
        let mut places = Vec::with_capacity(words.len());
        let (mut end, mut line, mut indent) = (0, 0, 0);
        for word in words {
            let broken = text[end..word.start].rfind('\n').map(|at| end + at + 1);
            let begins = broken.is_some() || end == 0;
            if begins {
                line = broken.unwrap_or(0);
                indent = word.start - line;
            }
            places.push((word.start - line, indent, begins));
            end = word.end;
        }
        BracketSearch { text, words, places }
    }

    fn text(&self, at: usize) -> &'a str {
        self.words.get(at).map_or("", |word| word.text(self.text))
    }

    fn column(&self, at: usize) -> usize {
        self.places[at].0
    }

    /// The indent of the line of a word.
    fn indent(&self, at: usize) -> usize {
        self.places[at].1
    }

    fn begins_line(&self, at: usize) -> bool {
        self.places.get(at).is_none_or(|place| place.2)
    }

    /// The first word and the last sign of the head of the block that the brace at this word closes: a head that ends
    /// with `:`, `then` or `do` in place of `{`, and indented lines.
    fn sign_before_the_block(&self, close: usize) -> Option<(usize, usize)> {
        let (head, line) = self.head_above(close)?;
        // `} else:`
        let is_branch = self.text(head) == "}" && matches!(self.text(head + 1), "else" | "elif" | "elsif");
        let head = head + usize::from(is_branch);
        let word = self.text(head);
        let is_block = match self.text(line - 1) {
            ":" => {
                keywords::ITEM_KEYWORDS.contains(&word)
                    || matches!(word, "if" | "for" | "then" | "else" | "elif" | "elsif" | "private")
                    || matches!(word, "mandatory" | "forcing" | "init" | "repeat")
            }
            "then" => word == "if",
            "do" => word == "for",
            _ => false,
        };
        is_block.then_some((head, line - 1))
    }

    /// The `then` of the first `if f then n := 1; }` in the item that the stray brace at this word ends: an `if` with a
    /// closing brace and no opening one.
    fn then_of_a_choice(&self, close: usize) -> Option<usize> {
        let is_item = |&at: &usize| self.begins_line(at) && keywords::ITEM_KEYWORDS.contains(&self.text(at));
        let item = (0..close).rev().find(is_item).filter(|_| self.text(close) == "}")?;
        (item + 1..close).find(|&then| {
            let is_end = |&at: &usize| matches!(self.text(at), ";" | "{" | "}");
            let start = (item..then).rev().find(is_end).map_or(item, |end| end + 1);
            let first = start + usize::from(self.text(start) == "else");
            let end = (then + 1..close).find(is_end);
            let is_effect = |at: usize| matches!(self.text(at), ":=" | "+=" | "-=" | "|=" | "<-");
            self.text(then) == "then"
                && self.text(first) == "if"
                && end.is_some_and(|end| {
                    let is_followed = self.text(end) == ";" && self.text(end + 1) == "}";
                    is_followed && (then..end).any(is_effect)
                })
        })
    }

    /// The colon of the first `if f: n := 1; }` or `else: n := 1; }`, all in one line, in the item that the stray brace at
    /// this word ends.
    fn colon_of_a_choice(&self, close: usize) -> Option<usize> {
        let is_item = |&at: &usize| self.begins_line(at) && keywords::ITEM_KEYWORDS.contains(&self.text(at));
        let item = (0..close).rev().find(is_item).filter(|_| self.text(close) == "}")?;
        (item + 1..close).find(|&colon| {
            let is_end = |&at: &usize| matches!(self.text(at), ";" | "{" | "}");
            let start = (item..colon).rev().find(is_end).map_or(item, |end| end + 1);
            let is_head = matches!(self.text(start), "if" | "else" | "for") && start < colon;
            let end = (colon + 1..close).find(is_end).filter(|&end| self.text(end) == ";");
            let is_effect = |at: usize| matches!(self.text(at), ":=" | "+=" | "-=" | "|=" | "<-");
            self.text(colon) == ":"
                && is_head
                && end.is_some_and(|end| {
                    let is_last = (colon + 1..end).all(|at| self.text(at) != ":");
                    let in_line = (colon..=end + 1).all(|at| !self.begins_line(at));
                    let is_closed = self.text(end + 1) == "}";
                    is_last && in_line && is_closed && (colon..end).any(is_effect)
                })
        })
    }

    /// The first word of the choice or loop above a brace at the beginning of a line, if no block begins in its line.
    fn head_without_brace(&self, close: usize) -> Option<usize> {
        let (head, line) = self.head_above(close)?;
        let is_head = matches!(self.text(head), "if" | "else" | "for") && line > head + 1;
        let is_head = is_head || self.text(head) == "else";
        (is_head && (head..line).all(|at| self.text(at) != "{")).then_some(head)
    }

    /// The first word of the line above a brace that is not indented more, and of the indented line after it.
    fn head_above(&self, close: usize) -> Option<(usize, usize)> {
        if self.text(close) != "}" || !self.begins_line(close) {
            return None;
        }
        let column = self.column(close);
        let is_indented = |&at: &usize| !self.begins_line(at) || self.column(at) > column;
        let head =
            (0..close).rev().find(|at| !is_indented(at)).filter(|&head| self.column(head) == column)?;
        let line = (head + 1..close).find(|&at| self.begins_line(at))?;
        Some((head, line))
    }

    /// The first mistake in the brackets, if there is one.
    fn fault(&self) -> Option<BracketError> {
        let mut open: Vec<usize> = Vec::new();
        let (mut odd_close, mut in_test) = (None, false);
        for at in 0..self.words.len() {
            if self.begins_line(at) && self.column(at) == 0 {
                // items do not nest: brackets that are open at the next item are never closed
                if !open.is_empty() && self.begins_item(at, in_test) {
                    return open.last().map(|&last| self.unclosed(last, self.end_before(at, last)));
                }
                in_test = self.text(at) == "test" || in_test && !open.is_empty();
            }
            match self.words[at].kind {
                TokenKind::Open => open.push(at),
                TokenKind::Punctuation if self.text(at) == ";" => {
                    if let Some(&last) = open.last().filter(|&&last| self.text(last) != "{") {
                        return Some(self.unclosed(last, at));
                    }
                }
                TokenKind::Close => {
                    let Some(last) = open.pop() else {
                        return Some(BracketError::Stray(odd_close.unwrap_or(at)));
                    };
                    if let Some(fault) = self.mismatch(last, at, &open) {
                        return Some(fault);
                    }
                    if self.text(at) == "}" && self.begins_line(at) && self.column(at) > self.indent(last) {
                        odd_close = odd_close.or(Some(at));
                    }
                    if open.is_empty() && odd_close.is_some_and(|odd| odd < last && self.ends_item(odd)) {
                        odd_close = None;
                    }
                }
                _ => {}
            }
        }
        open.last().map(|&last| self.unclosed(last, self.words.len()))
    }

    /// Returns true if what follows the brace at this word may be another item: no clause of the block around it.
    fn ends_item(&self, close: usize) -> bool {
        let next = close + 1;
        let is_outside = self.begins_line(next) && next < self.words.len();
        keywords::ITEM_KEYWORDS.contains(&self.text(next))
            || is_outside && self.column(next) < self.column(close)
    }

    /// The word before which a bracket that is open at the item `at` ends at the latest: the documentation belongs to
    /// the item, and the `;` behind the arms of a `match` to the clause around them.
    fn end_before(&self, at: usize, open: usize) -> usize {
        let is_doc = |&before: &usize| self.words[before].kind == TokenKind::Doc && before > open;
        let at = (0..at).rev().take_while(is_doc).last().unwrap_or(at);
        let last = at - 1;
        let begins = (0..open)
            .rev()
            .take(MAX_MATCHED_WORDS)
            .find(|&word| matches!(self.text(word), "match" | ";" | "{" | "}" | "=>"));
        let is_match = begins.is_some_and(|word| {
            self.text(word) == "match" && word > 0 && !matches!(self.text(word - 1), ";" | "{" | "}")
        });
        let is_only = (open..last).all(|word| self.text(word) != ";");
        if is_match && self.text(open) == "{" && self.text(last) == ";" && is_only { last } else { at }
    }

    /// The mistake if the bracket at `close` follows the one at `last`; `open` are the brackets around them.
    fn mismatch(&self, last: usize, close: usize, open: &[usize]) -> Option<BracketError> {
        let word = self.text(close);
        if partner(self.text(last)) != word {
            let meant = open.iter().any(|&outer| partner(self.text(outer)) == word);
            return Some(if meant { self.unclosed(last, close) } else { BracketError::Stray(close) });
        }
        if word != "}" || !self.begins_line(close) {
            return None;
        }
        let outer = open.iter().rev().find(|&&outer| self.text(outer) == "{")?;
        let own = self.column(close);
        (own < self.indent(last) && self.indent(*outer) == own).then_some(BracketError::Unclosed(last, close))
    }

    /// The position of the missing partner: a parenthesis ends within its clause, a brace as late as possible.
    fn unclosed(&self, open: usize, limit: usize) -> BracketError {
        if self.text(open) == "{" {
            return BracketError::Unclosed(open, limit);
        }
        // In `at[c: Cell: Player?` the second colon leads to the type of the field.
        let mut has_key = false;
        let mut depth = 0_usize;
        for at in open + 1..limit {
            let word = self.text(at);
            let is_colon = word == ":" && depth == 0 && self.text(open) == "[";
            if is_colon && has_key && self.text(at - 2) != "," {
                return BracketError::Unclosed(open, at);
            }
            has_key |= is_colon && at == open + 2;
            let ends = matches!(word, ";" | "}" | ":=" | "=>" | "then" | "as" | "wins" | "loses")
                || word == "{" && self.words[at - 1].end < self.words[at].start && self.may_be_block(at)
                || word == "=" && self.text(open) == "["
                || self.begins_line(at) && keywords::STATEMENT_KEYWORDS.contains(&word);
            if depth == 0 && (ends || self.compares_the_whole(open, at) || self.compares_a_tuple(open, at)) {
                return BracketError::Unclosed(open, at);
            }
            match self.words[at].kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        BracketError::Unclosed(open, limit)
    }

    /// Returns true if the sign at this word compares the sum, least or greatest value that begins after a bracket.
    fn compares_the_whole(&self, open: usize, at: usize) -> bool {
        let is_term = matches!(self.text(open + 1), "sum" | "min" | "max") && self.text(open) == "(";
        if !is_term || !matches!(self.text(at), "=" | "==" | "!=" | "<" | "<=" | ">" | ">=") {
            return false;
        }
        let is_choice = |word: &str| {
            matches!(word, "if" | "match" | "let" | "count" | "some" | "all" | "no" | "one" | "and" | "or")
        };
        let colon = (open..at).find(|&at| self.text(at) == ":");
        colon.is_some_and(|colon| (colon..at).all(|at| !is_choice(self.text(at))))
    }

    /// Returns true if the sign at this word compares the tuple, or the value of the call, that begins after a bracket:
    /// `(a, b, c in words;`.
    fn compares_a_tuple(&self, open: usize, at: usize) -> bool {
        let is_sign = |at: usize| COMPARISONS.contains(&self.text(at));
        if self.text(open) != "(" || !is_sign(at) {
            return false;
        }
        let (mut depth, mut has_comma) = (0_usize, false);
        for at in open + 1..at {
            match self.text(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                "," if depth == 0 => has_comma = true,
                ":" | "where" | "some" | "all" | "no" | "one" | "count" | "sum" | "if" | "match" | "let"
                | "for" | "and" | "or" | "implies" | "iff"
                    if depth == 0 =>
                {
                    return false;
                }
                _ if depth == 0 && is_sign(at) => return false,
                _ => {}
            }
        }
        has_comma
    }

    /// Returns true if a brace after an unclosed parenthesis probably begins a block.
    fn may_be_block(&self, at: usize) -> bool {
        keywords::STATEMENT_KEYWORDS.contains(&self.text(at + 1))
            || at + 1 < self.words.len() && self.begins_line(at + 1)
    }

    /// Returns true if an item begins at this word, the first of its line, although a bracket is open.
    fn begins_item(&self, at: usize, in_test: bool) -> bool {
        let word = self.text(at);
        let next = self.words.get(at + 1);
        let named = next.is_some_and(|next| matches!(next.kind, TokenKind::Word | TokenKind::Str))
            || self.text(at + 1) == "{";
        keywords::ITEM_KEYWORDS.contains(&word) && !(keywords::begins_step(word) && in_test) && named
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    #[test]
    fn a_brace_ends_before_the_documentation_of_the_next_item() {
        let text = |brace: &str, doc: &str| {
            format!(
                "def most(k: 0..5) = match k {{\n  0 => 0,\n  _ => 2{brace};\n{doc}move take() as \"t\" {{ n := 1; }}\n"
            )
        };
        for doc in ["", "/// Take one.\n/// Or two.\n"] {
            for (theirs, ours) in [("\n", "\n}"), ("", "\n}")] {
                let old = text(theirs, doc);
                assert_eq!(mended(&old), text(ours, doc));
                assert_eq!(titles(&old), ["this `{` is never closed"], "{old}");
            }
        }
        let block = |brace: &str| {
            format!(
                "move up() as \"u\" {{\n  n := 1;\n{brace}/// Takes.\nmove take() as \"t\" {{ n := 1; }}\n"
            )
        };
        assert_eq!(mended(&block("")), block("}\n"));
        assert_eq!(titles(&block("")).len(), 1);
    }

    #[test]
    fn a_brace_too_many_closes_a_choice() {
        let text =
            |[a, b]: [&str; 2]| format!("move go() as \"go\" {{ if n < 2 {a} m := 0; }}{b}n += 1; }}\n");
        for gap in [" ", "\n  "] {
            let old = text(["then", gap]);
            assert_eq!(mended(&old), text(["{", gap]));
            assert_eq!(titles(&old), ["an `if` that changes the state has braces"]);
        }
    }

    #[test]
    fn a_brace_too_many_closes_a_block_by_colon() {
        let text = |body: &str| format!("chance die(d: 1..6) in throw {{\n{body}  next other(mover);\n}}\n");
        for (theirs, ours) in [
            (
                "  if g = a:\n    n := 1;\n  } else {\n    if d = 6 { n := 0; } else { n := 2; }\n  }\n",
                "  if g = a {\n    n := 1;\n  } else {\n    if d = 6 { n := 0; } else { n := 2; }\n  }\n",
            ),
            (
                "  if g = a:\n    n := 1;\n  } else:\n    n := 2;\n  }\n",
                "  if g = a {\n    n := 1;\n  } else {\n    n := 2;\n  }\n",
            ),
            (
                "  for c in Cell:\n    at[c] := none;\n  }\n  if d = 6 { n := 1; }\n",
                "  for c in Cell {\n    at[c] := none;\n  }\n  if d = 6 { n := 1; }\n",
            ),
            ("  if d = 6: n := 1; }\n", "  if d = 6 { n := 1; }\n"),
            ("  if d = 6 { n := 1; } else: n := 2; }\n", "  if d = 6 { n := 1; } else { n := 2; }\n"),
        ] {
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}");
            assert!(titles(&text(theirs)).iter().all(|title| title == super::BLOCK_BY_COLON), "{theirs}");
        }
        let text =
            |sign: &str| format!("move take(k: 1..3) as \"{{k}}\"{sign}\n  when k <= n;\n  n -= k;\n}}\n");
        assert_eq!(mended(&text(":")), text(" {"));
    }

    #[test]
    fn a_tuple_ends_before_its_comparison() {
        let text = |end: &str| format!("def word = (tile[1], tile[2], tile[3]{end} in words;\n");
        assert_eq!(mended(&text("")), text(")"));
        assert_eq!(titles(&text("")).len(), 1);
        let text = |end: &str| format!("def same = (n, m{end} = (k, l);\n");
        assert_eq!(mended(&text("")), text(")"));
        // The argument of a call may be a condition.
        let call = "def word = near(n, m in words;\n";
        assert_eq!(titles(call), ["this `(` is never closed"]);
        assert_eq!(mended(call), call);
        let sum = "def f = min(n, count s in Step: coins[s] = 2;\n";
        assert_eq!(mended(sum), "def f = min(n, count s in Step: coins[s] = 2);\n");
    }

    #[test]
    fn a_sum_ends_before_its_comparison() {
        let text = |end: &str, last: &str| {
            format!(
                "invariant whole: m + (sum s in Step: coins[s]{end} = total{last};\ninvariant next_one: m = 1;\n"
            )
        };
        assert_eq!(mended(&text("", "")), text(")", ""));
        assert_eq!(titles(&text("", "")).len(), 1);
        let count = |last: &str| format!("def f = (count s in Step: coins[s] = 2{last};\n");
        assert_eq!(mended(&count("")), count(")"));
    }

    #[test]
    fn choices_of_terms_keep_their_then() {
        let text =
            "def f = if n < 2 then 1 else 2;\nmove go() as \"go\" { n := if n < 2 then 1 else 2; } }\n";
        assert_eq!(titles(text), ["this `}` closes nothing"]);
    }
}
