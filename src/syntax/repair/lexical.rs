//! Lexical repair of damage that no grammar can read: unknown characters, strings and comments without an end, brackets
//! without a partner. It runs first, so that later stages can rely on tokens and brackets.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::diag::{Code, Diagnostic};
use crate::lex::{Token, TokenKind, lex};
use crate::offsets::OffsetMap;
use bouton_base::source::{FileId, Span};

use super::arm_quotes::arm_without_a_quote;
use super::comment_marks::comment_at;
use super::head_slips::at_sign_in_a_head;
use super::math_signs::sign_by_its_place;
use super::negations::{NegatedField, negated_field};
use super::pictures::picture_in_other_quotes;
use super::quoted_names::{QUOTED_MEMBER, quoted_member};
use super::set_difference::set_difference;
use super::word_signs::part_of_more;
use super::{
    balance, brackets, capitals, functions, intervals, names, quoted_names, sign_runs, totals, unicode,
};
use crate::keywords;

/// A text with sound tokens and balanced brackets.
pub(crate) struct LexicalRepair {
    /// The repaired text.
    pub text: String,
    pub tokens: Vec<Token>,
    /// Maps offsets in the repaired text to offsets in the user's text.
    pub offsets: OffsetMap,
    /// The diagnostics of the repaired damage.
    pub diagnostics: Vec<Diagnostic>,
    /// True if the text is incomplete: its rest is one long string or comment, or has too many unbalanced brackets.
    pub is_incomplete: bool,
}

/// The maximal number of diagnostics about unreadable tokens.
const MAX_TOKEN_DIAGNOSTICS: usize = 100;

/// Repairs the unreadable tokens and the brackets of a text.
pub(crate) fn repair_tokens(file: FileId, text: &str) -> LexicalRepair {
    let mut sound = LexicalRepair {
        text: text.to_owned(),
        tokens: lex(text),
        offsets: OffsetMap::default(),
        diagnostics: Vec::new(),
        is_incomplete: false,
    };
    if sound.tokens.iter().any(is_damaged) {
        mend_signs(file, &mut sound);
    }
    sign_runs::join(file, &mut sound);
    capitals::lower(file, &mut sound);
    names::join(file, &mut sound);
    quoted_names::parts(file, &mut sound);
    functions::rules(file, &mut sound);
    totals::sums(file, &mut sound);
    brackets::exchange(file, &mut sound);
    intervals::ranges(file, &mut sound);
    balance::balance(file, &mut sound);
    sound
}

fn is_damaged(token: &Token) -> bool {
    matches!(
        token.kind,
        TokenKind::UnclosedStr | TokenKind::UnclosedText | TokenKind::UnclosedComment | TokenKind::Unknown
    )
}

impl LexicalRepair {
    /// Replaces a range and lexes the text again.
    pub(super) fn replace(&mut self, range: std::ops::Range<usize>, new: &str) {
        self.offsets = self.offsets.replaced(range.clone(), new.len());
        self.text.replace_range(range, new);
        self.tokens = lex(&self.text);
    }
}

/// An unreadable stretch of the text.
pub(super) struct Damage {
    pub range: std::ops::Range<usize>,
    /// The text in its place.
    pub replacement: String,
    /// The diagnostic; `None` for a stretch that continues the one before.
    pub finding: Option<Diagnostic>,
    /// The common characters of stretches for which one diagnostic is enough.
    pub group: Option<String>,
}

fn mend_signs(file: FileId, sound: &mut LexicalRepair) {
    let text = sound.text.clone();
    let mut new = String::with_capacity(text.len());
    let mut offsets = OffsetMap::default();
    let mut done = 0;
    // The index of the diagnostic about each kind of characters that is reported once.
    let mut reported: BTreeMap<String, usize> = BTreeMap::new();
    for damage in damages(file, &text, &sound.tokens) {
        new.push_str(&text[done..damage.range.start]);
        done = damage.range.end;
        let at = new.len();
        new.push_str(&damage.replacement);
        // Within characters of several bytes no place is one of the user's text.
        if damage.replacement.len() != damage.range.len() || !text[damage.range.clone()].is_ascii() {
            offsets.note(at..new.len(), damage.range.clone());
        }
        let Some(finding) = damage.finding else { continue };
        if let Some(&earlier) = damage.group.as_ref().and_then(|group| reported.get(group)) {
            sound.diagnostics[earlier].edits.extend(finding.edits);
        } else if sound.diagnostics.len() < MAX_TOKEN_DIAGNOSTICS {
            reported.extend(damage.group.map(|group| (group, sound.diagnostics.len())));
            sound.diagnostics.push(finding);
        }
    }
    new.push_str(&text[done..]);
    sound.is_incomplete = sound
        .tokens
        .iter()
        .any(|token| matches!(token.kind, TokenKind::UnclosedText | TokenKind::UnclosedComment));
    sound.tokens = lex(&new);
    sound.text = new;
    sound.offsets = offsets;
}

/// The unreadable stretches of a text, in order.
fn damages(file: FileId, text: &str, tokens: &[Token]) -> Vec<Damage> {
    let damaged: Vec<Token> = tokens.iter().filter(|t| is_damaged(t)).copied().collect();
    let quotes = paired_quotes(text, &damaged);
    let mut damages: Vec<Damage> = Vec::new();
    let outline = OnceCell::new();
    // After a picture in other quotes the rest of its last line was lexed the wrong way round.
    let mut resumes = 0;
    for token in damaged {
        if token.start < resumes {
            continue;
        }
        let last_end = damages.last().map_or(usize::MAX, |last| last.range.end);
        if token.start < last_end && last_end != usize::MAX {
            continue;
        }
        let range = token.start..token.end;
        let whole = |replacement: String, finding| Damage {
            range: range.clone(),
            replacement,
            finding: Some(finding),
            group: None,
        };
        let character = token.text(text).chars().next().filter(|_| token.kind == TokenKind::Unknown);
        let negated = (damages.len() < MAX_TOKEN_DIAGNOSTICS && token.text(text) == "!")
            .then(|| negated_field(text, tokens, token.start, &outline));
        let part = part_of_more(file, text, token);
        let line = arm_without_a_quote(file, text, token.start)
            .filter(|line| last_end == usize::MAX || line.range.start >= last_end);
        let mut damage = if let Some(line) = line {
            resumes = line.range.end;
            line
        } else if let Some(sign) = sign_by_its_place(file, text, token)
            .filter(|sign| last_end == usize::MAX || sign.range.start >= last_end)
        {
            resumes = sign.range.end;
            sign
        } else if let Some(negated) = negated.flatten() {
            negation(file, token.start, &negated)
        } else if let Some(part) = part.filter(|part| last_end == usize::MAX || part.range.start >= last_end)
        {
            part
        } else if let Some(line) = fence_at(text, token.start) {
            let span = Span::new(file, line.start, line.end);
            let title = "a line of Markdown is no part of the rules";
            let finding = Diagnostic::new(Code::E0013, title, span, "").help("delete it").edit(span, "");
            Damage {
                replacement: " ".repeat(line.len()),
                range: line,
                finding: Some(finding),
                group: Some(FENCE.to_owned()),
            }
        } else if text[token.start..].starts_with("^=") {
            let range = token.start..token.start + 2;
            let span = Span::new(file, range.start, range.end);
            let title = "`^=` is no operator: numbers have no bits, and a condition is switched by `not`";
            let finding = Diagnostic::new(Code::E0013, title, span, "").help("write `x := not x;`");
            Damage { range, replacement: ":=".to_owned(), finding: Some(finding), group: None }
        } else if let Some((length, ours)) = joined_minus(&text[token.start..]) {
            let range = token.start..token.start + length;
            let (replacement, finding) = translated(file, &text[range.clone()], range.clone(), ours);
            Damage { range, replacement, finding: Some(finding), group: None }
        } else if let Some(range) = unequal_around(text, token) {
            let (replacement, finding) = translated(file, &text[range.clone()], range.clone(), "!=");
            Damage { range, replacement, finding: Some(finding), group: None }
        } else if let Some((length, ours)) = prolog_operator(&text[token.start..]) {
            let range = token.start..token.start + length;
            let (replacement, finding) = translated(file, &text[range.clone()], range.clone(), ours);
            Damage { range, replacement, finding: Some(finding), group: None }
        } else if let Some(range) = unequal_reversed(text, token) {
            let (replacement, finding) = translated(file, &text[range.clone()], range.clone(), "!=");
            Damage { range, replacement, finding: Some(finding), group: None }
        } else if let Some(damage) = picture_in_other_quotes(file, text, token) {
            let end = damage.range.end;
            resumes = end + text[end..].find('\n').unwrap_or(text.len() - end);
            damage
        } else if let Some((range, finding)) = comment_at(file, text, tokens, token)
            .filter(|(range, _)| last_end == usize::MAX || range.start >= last_end)
        {
            let group = Some(finding.title.clone());
            resumes = range.end + text[range.end..].find('\n').unwrap_or(text.len() - range.end);
            Damage { range, replacement: "//".to_owned(), finding: Some(finding), group }
        } else if let Some((replacement, finding)) = percent(file, text, token) {
            Damage { range: range.clone(), replacement, finding, group: None }
        } else if let Some((replacement, finding)) = set_difference(file, text, token, &outline) {
            whole(replacement, finding)
        } else if text[token.start..].starts_with("${") && token.kind == TokenKind::Unknown {
            let span = Span::new(file, token.start, token.end);
            let title = "a placeholder is written in braces, without `$`";
            let finding = Diagnostic::new(Code::E0013, title, span, "").help("delete it").edit(span, "");
            whole(String::new(), finding)
        } else if let Some(damage) = dollar_before_name(file, text, token) {
            damage
        } else if let Some(&pair) = quotes.iter().find(|pair| pair.contains(&token)) {
            let member = quoted_member(file, text, pair, &outline);
            let group = member.as_ref().map(|_| QUOTED_MEMBER.to_owned());
            let mark = if member.is_some() { "" } else { "\"" };
            let finding = member.unwrap_or_else(|| nonstraight_quotes(file, pair));
            let first = (pair[0] == token).then(|| finding.clone());
            Damage { finding: first, group, ..whole(mark.to_owned(), finding) }
        } else if let Some(damage) = annotation(file, text, token) {
            damage
        } else if let Some(finding) = at_sign_in_a_head(file, text, token.start) {
            Damage { range, replacement: " ".to_owned(), finding, group: None }
        } else if let Some(damage) = wide_signs(file, text, token) {
            damage
        } else if let Some(c) = character.filter(|c| unicode::is_part_of_name(*c)) {
            foreign_name(file, text, damages.last().map_or(0, |last| last.range.end)..token.start, c)
        } else if let Some((c, invisible)) = character.and_then(|c| Some((c, unicode::invisible_name(c)?))) {
            let finding = invisible_character(Span::new(file, token.start, token.end), c, invisible);
            Damage { group: Some(c.to_string()), ..whole(" ".repeat(range.len()), finding) }
        } else {
            let (replacement, finding) = mend(file, text, token);
            let mut damage = whole(replacement, finding);
            // `"take %d" % k` is a template, and `[a] f -> (n' = 1)` a command: they have messages of their own.
            if token.text(text) == "%" && text[..token.start].trim_end().ends_with('"')
                || token.text(text) == "'" && is_in_command(text, token.start)
            {
                damage.finding = None;
            }
            damage
        };
        // The `$` of a placeholder has a message of its own even beside a quotation mark.
        if token.kind == TokenKind::Unknown
            && token.start == last_end
            && !text[token.start..].starts_with("${")
        {
            damage.finding = None;
        }
        damages.push(damage);
    }
    damages
}

/// Returns true if a byte is part of a line such as `[take] n > 0 -> (n' = n - 1);`.
fn is_in_command(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..at].trim_start().starts_with('[') && text[start..at].contains("->")
}

/// The damage of `@mandatory` before a move.
fn annotation(file: FileId, text: &str, token: Token) -> Option<Damage> {
    let rest = text[token.start..].strip_prefix('@')?;
    let length = rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let before = text[..token.start].trim_end_matches([' ', '\t']);
    if length == 0 || !(before.is_empty() || before.ends_with(['\n', ';', '}'])) {
        return None;
    }
    let word = &rest[..length];
    let finding = |end: usize, help: String| {
        let span = Span::new(file, token.start, end);
        let title =
            format!("`@{word}` is no part of the language: what is said of a move is a word without `@`");
        Diagnostic::new(Code::E0013, title, span, "").help(help).edit(Span::new(file, token.start, end), "")
    };
    Some(match word {
        "mandatory" | "private" | "forcing" => Damage {
            range: token.start..token.start + 1,
            replacement: " ".to_owned(),
            finding: Some(finding(token.start + 1, format!("write `{word} move ...`"))),
            group: None,
        },
        _ => {
            let arguments = rest[length..].starts_with('(').then(|| rest[length..].find(')')).flatten();
            let end = token.start + 1 + length + arguments.map_or(0, |close| close + 1);
            let help = "leave it out; `mandatory`, `private` and `forcing` are the words before `move`";
            Damage {
                range: token.start..end,
                replacement: " ".repeat(end - token.start),
                finding: Some(finding(end, help.to_owned())),
                group: None,
            }
        }
    })
}

/// The damage of full-width characters one after the other; all of a file have one message.
fn wide_signs(file: FileId, text: &str, token: Token) -> Option<Damage> {
    let wide: Vec<char> = text[token.start..].chars().take_while(|c| unicode::narrow(*c).is_some()).collect();
    let ours: String = wide.iter().filter_map(|c| unicode::narrow(*c)).collect();
    if token.kind != TokenKind::Unknown || ours.is_empty() {
        return None;
    }
    let range = token.start..token.start + wide.iter().map(|c| c.len_utf8()).sum::<usize>();
    let span = Span::new(file, range.start, range.end);
    let title = format!("`{}` is a full-width character: `{ours}` is meant", &text[range.clone()]);
    let help = format!("write `{ours}`, and the narrow form of every other full-width character");
    let finding = Diagnostic::new(Code::E0013, title, span, "").help(help).edit(span, ours.clone());
    Some(Damage { range, replacement: ours, finding: Some(finding), group: Some("full-width".to_owned()) })
}

/// The operator of Prolog, or `! =`, that a text begins with: its length, and the word of this language.
fn prolog_operator(text: &str) -> Option<(usize, &'static str)> {
    let operators = [("\\==", "!="), ("\\=", "!="), ("\\+", "not"), ("~=", "!="), ("! =", "!=")];
    let found = operators.into_iter().find(|(theirs, _)| text.starts_with(theirs));
    found.map(|(theirs, ours)| (theirs.len(), ours))
}

/// The range of `=\=` or `=~=` around its middle sign, in place of `!=`.
fn unequal_around(text: &str, token: Token) -> Option<std::ops::Range<usize>> {
    let before = text[..token.start].strip_suffix('=')?;
    let is_middle = text[token.start..].starts_with(['\\', '~']) && text[token.start + 1..].starts_with('=');
    let is_whole = !before.ends_with([':', '=', '<', '>', '+', '-', '*', '/', '|', '!']);
    (is_middle && is_whole).then(|| before.len()..token.start + 2)
}

/// The range of `=!` in a condition, in place of `!=`.
fn unequal_reversed(text: &str, token: Token) -> Option<std::ops::Range<usize>> {
    let rest = text[token.start..].strip_prefix('!')?;
    let before = text[..token.start].strip_suffix('=')?;
    let from = before.rfind([';', '{', '}']).map_or(0, |at| at + 1);
    let is_condition = before[from..].split_whitespace().any(|word| {
        matches!(word, "when" | "if" | "ensure" | "invariant" | "where" | "some" | "all" | "no" | "count")
    });
    let is_whole = !before.ends_with([':', '=', '<', '>', '+', '-', '*', '/', '|']);
    let is_apart = rest.starts_with(|c: char| c.is_whitespace() || c.is_ascii_digit());
    (is_condition && is_whole && is_apart).then(|| before.len()..token.start + 1)
}

/// The operator `-=` or `->` with a minus sign or a dash of typography that a text begins with: its length, and the
/// operator.
fn joined_minus(text: &str) -> Option<(usize, &'static str)> {
    let rest = text.strip_prefix(['\u{2212}', '\u{2013}', '\u{2014}'])?;
    let sign = rest.chars().next()?;
    let ours = match unicode::narrow(sign).unwrap_or(sign) {
        '=' => "-=",
        '>' => "->",
        _ => return None,
    };
    Some((text.len() - rest.len() + sign.len_utf8(), ours))
}

/// The title of the message about `70%`.
pub(super) const PERCENT: &str = "`%` is no part of a number";

/// The replacement of the `%` of `70%`.
fn percent(file: FileId, text: &str, token: Token) -> Option<(String, Option<Diagnostic>)> {
    let rest = text[token.start..].strip_prefix('%')?;
    let before = &text[..token.start];
    let span = Span::new(file, token.start, token.start + 1);
    let next = rest.trim_start();
    let word: String = next.chars().take_while(char::is_ascii_alphabetic).collect();
    // In `20 % if c then a else b` the `if` may be an operand.
    let is_operand =
        || next.split([';', '}']).next().unwrap_or_default().split_whitespace().any(|w| w == "then");
    let ends = next.starts_with([';', ',', ')', '}', '=', '<', '>', ':'])
        || matches!(word.as_str(), "else" | "then" | "and" | "or")
        || word == "if" && !is_operand();
    (before.trim_end_matches(' ').ends_with(|c: char| c.is_ascii_digit()) && ends).then(|| {
        let clause = before.rsplit([';', '}', '{']).next().unwrap_or_default();
        // The number of such a claim has a message of its own.
        let is_claim = clause.lines().any(|line| line.trim_start().starts_with("expect "))
            && clause.split_whitespace().any(|word| matches!(word, "wins" | "loses"));
        let title = PERCENT;
        let help = "weights count in proportion to each other: `weight 70;` beside `weight 30;`; a share is written `7 / 10`";
        let found = Diagnostic::new(Code::E0013, title, span, "").help(help);
        (" ".to_owned(), (!is_claim).then_some(found))
    })
}

/// The damage of `!at[c]`, where `at[c] = none` is meant.
fn negation(file: FileId, start: usize, negated: &NegatedField) -> Damage {
    let range = start..negated.end;
    let span = Span::new(file, range.start, range.end);
    let new = format!("{} = {}", negated.field, negated.value);
    let finding = Diagnostic::new(Code::E0013, "`!` negates conditions, and this is a value", span, "");
    let finding = finding.help(format!("write `{new}`")).edit(span, new.clone());
    Damage { range, replacement: new, finding: Some(finding), group: None }
}

/// The replacement of an operator of another language, and its diagnostic.
fn translated(file: FileId, theirs: &str, range: std::ops::Range<usize>, ours: &str) -> (String, Diagnostic) {
    let span = Span::new(file, range.start, range.end);
    let found = Diagnostic::new(Code::E0013, format!("`{theirs}` is written `{ours}` here"), span, "");
    (format!(" {ours} "), found.help(format!("write `{ours}`")).edit(span, format!(" {ours} ")))
}

/// The damage of `$count`, where the word without the `$` is reserved: one finding about both.
fn dollar_before_name(file: FileId, text: &str, token: Token) -> Option<Damage> {
    let rest = text[token.start..].strip_prefix('$')?;
    let length = rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let word = &rest[..length];
    // A name with other letters has a message of its own.
    let goes_on = |c: char| c.is_alphanumeric() || unicode::is_part_of_name(c);
    if !keywords::is_reserved(word) || rest[length..].starts_with(goes_on) {
        return None;
    }
    // A name of the file that begins with the word is more likely meant than a new one.
    let begins = |name: &&str| name.strip_prefix(word).is_some_and(|rest| rest.starts_with('_'));
    let known = lex(text).into_iter().map(|token| token.text(text)).find(begins);
    let range = token.start..token.start + 1 + length;
    let span = Span::new(file, range.start, range.end);
    let title = format!("`${word}` is no name: names have no `$`, and `{word}` is a reserved word");
    let found = Diagnostic::new(Code::E0007, title, span, "");
    let (replacement, found) = match known {
        Some(name) => (name.to_owned(), found.help(format!("write `{name}`, if that is meant"))),
        None => {
            let name = format!("{word}_");
            let help = format!("another name, such as `{name}`");
            (name.clone(), found.help(help).edit(span, name))
        }
    };
    Some(Damage { range, replacement, finding: Some(found), group: None })
}

/// The marks at the beginning and the end of a block of code in Markdown.
const FENCE: &str = "```";

/// The line that begins at `at` with a fence of Markdown, without its end.
fn fence_at(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    if !text[at..].starts_with(FENCE) {
        return None;
    }
    let starts_line = text[..at].trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|c| c == '\n');
    let length = text[at..].find(['\n', '\r']).unwrap_or(text.len() - at);
    starts_line.then_some(at..at + length)
}

/// The damage of a name with letters outside a to z, or of a picture in the place of a name. The name has the character
/// `c` at the end of the range `before_it`, and begins within it.
fn foreign_name(file: FileId, text: &str, before_it: std::ops::Range<usize>, c: char) -> Damage {
    let at = before_it.end;
    let in_name = |c: &char| *c == '_' || c.is_alphanumeric() || unicode::is_part_of_name(*c);
    let before: usize = text[before_it].chars().rev().take_while(in_name).map(char::len_utf8).sum();
    let after: usize = text[at..].chars().take_while(in_name).map(char::len_utf8).sum();
    let range = at - before..at + after;
    let name = &text[range.clone()];
    let ours = unicode::ascii_name(name);
    let span = Span::new(file, range.start, range.end);
    let finding = if c.is_alphabetic() {
        let title = format!("`{name}` has letters that no name can have");
        Diagnostic::new(Code::E0013, title, span, "").help(format!(
            "names are made of the letters a to z, digits and `_`: write `{ours}`, for instance; strings and comments \
             may have any letter"
        ))
    } else {
        let title = format!("`{name}` cannot be a name");
        Diagnostic::new(Code::E0013, title, span, "").help(format!(
            "names are made of the letters a to z, digits and `_`: write `{ours}`, for instance, and \
             `display {{ cell at {{ {ours} => \"{name}\" }}; }}` to show it like this"
        ))
    };
    let finding = finding.edit(span, ours.clone());
    Damage { range, replacement: ours, finding: Some(finding), group: Some(name.to_owned()) }
}

/// Diagnoses a character that cannot be seen.
fn invisible_character(span: Span, c: char, name: &str) -> Diagnostic {
    let title = format!("here stands {name} (U+{:04X})", c as u32);
    let code = if c == '\u{feff}' { Code::E0012 } else { Code::E0013 };
    let is_wide = c.is_whitespace();
    let (note, help, new) = if is_wide {
        ("it looks like a blank and is none", "write a blank in its place", " ")
    } else {
        ("it cannot be seen", "delete it", "")
    };
    Diagnostic::new(code, title, span, note).help(help).edit(span, new)
}

/// The pairs of quotation marks that are not straight, on lines with an even number of them.
fn paired_quotes(text: &str, damaged: &[Token]) -> Vec<[Token; 2]> {
    let quotes: Vec<Token> = damaged.iter().filter(|t| is_quote(t.text(text))).copied().collect();
    let same_line = |a: &Token, b: &Token| !text[a.start..b.start].contains('\n');
    let lines = quotes.chunk_by(same_line).filter(|line| line.len() % 2 == 0);
    lines.flat_map(|line| line.chunks(2)).map(|pair| [pair[0], pair[1]]).collect()
}

fn is_quote(word: &str) -> bool {
    matches!(word, "\u{201c}" | "\u{201d}" | "\u{201e}" | "\u{ab}" | "\u{bb}" | "'" | "`")
}

/// Diagnoses a string between quotation marks that are not straight.
fn nonstraight_quotes(file: FileId, [first, second]: [Token; 2]) -> Diagnostic {
    let place = |quote: Token| Span::new(file, quote.start, quote.end);
    Diagnostic::new(Code::E0013, "strings stand between straight quotes", place(first), "")
        .label(place(second), "")
        .help("write `\"...\"`")
        .edit(place(first), "\"")
        .edit(place(second), "\"")
}

/// The replacement of an unreadable token, and its diagnostic.
fn mend(file: FileId, text: &str, token: Token) -> (String, Diagnostic) {
    let span = Span::new(file, token.start, token.end);
    let word = token.text(text);
    let start = |length: usize| Span::new(file, token.start, token.start + length);
    match token.kind {
        TokenKind::UnclosedComment => {
            let title = "this comment is never closed";
            let found = Diagnostic::new(
                Code::E0003,
                title,
                start(2),
                "it begins here and runs to the end of the file",
            );
            (String::new(), found.help("close it with `*/`; comments nest, so each `/*` needs its own"))
        }
        TokenKind::UnclosedText => {
            let title = "this string is never closed";
            let found = Diagnostic::new(
                Code::E0003,
                title,
                start(3),
                "it begins here and runs to the end of the file",
            );
            (String::new(), found.help("close it with `\"\"\"`"))
        }
        TokenKind::UnclosedStr => {
            let length = string_length(word);
            let title = "this string is never closed";
            let at = Span::new(file, token.start + length, token.start + length);
            let found =
                Diagnostic::new(Code::E0003, title, start(1), "it begins here and must end on this line")
                    .help("close it with `\"`")
                    .edit(at, "\"");
            (format!("{}\"{}", &word[..length], &word[length..]), found)
        }
        _ => unknown(word, span),
    }
}

/// The likely length of an unclosed string, without the punctuation that ends most clauses.
fn string_length(word: &str) -> usize {
    let mut length = word.trim_end().len();
    while let Some(c) = word[..length].chars().next_back().filter(|c| ";,){ ".contains(*c)) {
        length -= c.len_utf8();
    }
    // a backslash before the new quotation mark would escape it
    let strokes = word[..length].len() - word[..length].trim_end_matches('\\').len();
    (length - strokes % 2).max(1)
}

/// Characters of other languages and mathematics, with their translations.
const FOREIGN_CHARACTERS: [(&str, &str); 28] = [
    ("&&", "and"),
    ("!", "not"),
    ("%", "mod"),
    ("\u{2264}", "<="),
    ("\u{2265}", ">="),
    ("\u{2260}", "!="),
    ("\u{2192}", "->"),
    ("\u{21d2}", "=>"),
    ("\u{2190}", "<-"),
    ("\u{d7}", "*"),
    ("\u{2212}", "-"),
    ("\u{2013}", "-"),
    ("\u{2026}", ".."),
    ("\u{2208}", "in"),
    ("\u{2227}", "and"),
    ("\u{2228}", "or"),
    ("\u{ac}", "not"),
    ("\u{2200}", "all"),
    ("\u{2203}", "some"),
    ("\u{2209}", "not in"),
    ("\u{222a}", "|"),
    ("\u{2229}", "&"),
    ("\u{2216}", "-"),
    ("\u{2205}", "{}"),
    ("\u{21d4}", "iff"),
    ("\u{2194}", "iff"),
    ("\u{f7}", "/"),
    ("\u{2254}", ":="),
];

fn unknown(word: &str, span: Span) -> (String, Diagnostic) {
    if let Some((_, ours)) = FOREIGN_CHARACTERS.iter().find(|(theirs, _)| *theirs == word) {
        let found = Diagnostic::new(Code::E0013, format!("`{word}` is written `{ours}` here"), span, "")
            .help(format!("write `{ours}`"))
            .edit(span, format!(" {ours} "));
        return (format!(" {ours} "), found);
    }
    if word == "^" {
        let found = Diagnostic::new(Code::E0013, "there are no powers in this language", span, "")
            .help("write the product, or a table: `const square[k: 0..9] = k * k;`");
        // With another operator, the term parses.
        return ("*".into(), found);
    }
    if word == "$" {
        let found = Diagnostic::new(Code::E0013, "names begin with a letter, not with `$`", span, "")
            .help("delete it")
            .edit(span, "");
        return (" ".into(), found);
    }
    if word == "~" {
        let title = "the character `~` has no meaning here";
        let help = "values are exact, such as `value = -1 / 3`; a condition is negated by `not`";
        return (" ".into(), Diagnostic::new(Code::E0013, title, span, "").help(help));
    }
    if word == "'" {
        let title = "a `'` is no part of a name";
        let help = "what a move changes is written `field := value;`; strings stand between straight quotes, `\"...\"`";
        return (" ".into(), Diagnostic::new(Code::E0013, title, span, "").help(help));
    }
    let c = word.chars().next().unwrap_or(' ');
    let shown = if c.is_control() { format!("U+{:04X}", c as u32) } else { format!("`{c}`") };
    let found = Diagnostic::new(Code::E0013, format!("the character {shown} has no meaning here"), span, "");
    let found = if matches!(c, '\u{201c}' | '\u{201d}' | '\u{201e}' | '\'' | '`') {
        found.help("strings stand between straight quotes: `\"...\"`")
    } else {
        found.help("it may appear only in strings and comments")
    };
    (" ".repeat(word.len()), found)
}
