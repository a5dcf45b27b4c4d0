//! The last resort if no edit helps: a message, and the removal of the damage so that parsing continues.

use super::MistakeContext;
use super::edits::Fix;
use super::layout::{ClauseContext, Layout};
use super::trial::{ParseFailure, trial_parse};
use crate::diag::{Code, Diagnostic};
use crate::grammar::Rule;
use crate::keywords;
use crate::lex::TokenKind;
use crate::offsets::OffsetMap;
use bouton_base::source::{FileId, Span};

/// The character in place of an irreparable term.
pub(super) const DAMAGE_MARKER: &str = "\u{1A}";
/// The maximal length in bytes of a clause that is tried as a misplaced clause.
const MAX_MISPLACED_BYTES: usize = 1 << 14;
/// The maximal length in bytes of an end rule that a message quotes.
const MAX_QUOTED_RULE: usize = 60;
/// The maximal number of words that are tried as the beginning of the damage.
const MAX_DAMAGE_STARTS: usize = 12;

/// Removes a clause that is sound but belongs elsewhere.
pub(super) fn misplaced(layout: &Layout, bounds: &MistakeContext) -> Vec<Fix> {
    let elsewhere = belongs_elsewhere(layout, bounds).map(|said| without_clause(layout, bounds, &said));
    counting_loop(layout, bounds).into_iter().flatten().chain(elsewhere).collect()
}

/// The name and the range of the loop `(i = 0; i < n; i++)` in these brackets.
fn range_of_loop<'a>(layout: &Layout<'a>, open: usize, close: usize) -> Option<(&'a str, String)> {
    let text = |from: usize, to: usize| {
        let start = layout.words.get(from)?.start;
        let end = layout.words.get(to.checked_sub(1)?)?.end;
        layout.source.get(start..end).filter(|_| from < to)
    };
    let ends: Vec<usize> = (open..close).filter(|&at| layout.text(at) == ";").collect();
    let [first, second] = ends[..] else { return None };
    let sign = (open + 2..first).find(|&at| matches!(layout.text(at), "=" | ":="))?;
    let name = layout.text(sign - 1);
    let (begin, limit) = (text(sign + 1, first)?, text(first + 3, second)?);
    let shifted = |by: i64| match limit.parse::<i64>() {
        Ok(number) => (number + by).to_string(),
        Err(_) if by < 0 => format!("{limit} - 1"),
        Err(_) => format!("{limit} + 1"),
    };
    let has =
        |step: &str| (second..close).any(|at| matches!(layout.text(at), word if word.starts_with(step)));
    let is_by_one = !(second..close).any(|at| layout.text(at).parse::<u32>().is_ok_and(|step| step != 1));
    let range = match layout.text(first + 2) {
        "<=" if has("+") => format!("{begin}..{limit}"),
        "<" | "!=" if has("+") => format!("{begin}..{}", shifted(-1)),
        ">=" if has("-") => format!("{limit}..{begin}"),
        ">" if has("-") => format!("{}..{begin}", shifted(1)),
        _ => return None,
    };
    (layout.text(first + 1) == name && is_by_one).then_some((name, range))
}

/// Rewrites or removes `for (i = 0; i < n; i++) { ... }`.
fn counting_loop(layout: &Layout, bounds: &MistakeContext) -> Option<Vec<Fix>> {
    let round = |at: usize| layout.text(at) == "for" && layout.text(at + 1) == "(";
    let first = (bounds.clause..=bounds.at).rev().find(|&at| round(at))?;
    let close = layout.partner(first + 1).filter(|&close| close >= bounds.at)?;
    let last = match layout.text(close + 1) {
        "{" => layout.partner(close + 1)?,
        _ => close,
    };
    let (start, end) = (layout.words[first].start, layout.words[last].end);
    let found = range_of_loop(layout, first + 1, close);
    let new = found.map(|(name, range)| format!("for {name} in {range}"));
    let shown = new.as_deref().unwrap_or("for i in 0..2");
    let said = Message {
        code: Code::E0013,
        title: "`for` goes through a set: there are no loops that count".to_owned(),
        label: (start, layout.words[close].end),
        note: String::new(),
        help: Some(format!("write `{shown} {{ ... }}`; what is done for each element is done at once")),
    };
    let head = new.filter(|_| last > close).map(|new| removal(&said, start, layout.words[close].end, &new));
    Some(head.into_iter().chain([removal(&said, start, end, "")]).collect())
}

fn without_clause(layout: &Layout, bounds: &MistakeContext, said: &Message) -> Fix {
    let start = layout.words.get(bounds.clause).map_or(layout.source.len(), |word| word.start);
    let last = bounds.end.checked_sub(1).and_then(|last| layout.words.get(last));
    removal(said, start, last.map_or(0, |word| word.end).max(start), "")
}

fn removal(said: &Message, start: usize, end: usize, new: &str) -> Fix {
    Fix {
        start,
        end,
        new: new.to_owned(),
        closing: None,
        code: said.code,
        title: said.title.clone(),
        label: said.label,
        note: said.note.clone(),
        help: said.help.clone(),
        is_correction: false,
        accepts_partial: false,
    }
}

/// The edits that remove the damage, the smallest first: a term, then the clause.
pub(super) fn removals(layout: &Layout, bounds: &MistakeContext, stop: &ParseFailure) -> Vec<Fix> {
    let said = explain(layout, bounds, stop);
    let byte = |at: usize| layout.words.get(at).map_or(layout.source.len(), |word| word.start);
    let end_of =
        |at: usize| at.checked_sub(1).and_then(|last| layout.words.get(last)).map_or(0, |word| word.end);
    let last = bounds.end.checked_sub(1).filter(|&last| last >= bounds.at && layout.text(last) == ";");
    let mut fixes = Vec::new();
    if said.code != Code::E0006 {
        for start in (bounds.clause..=bounds.at).rev().take(MAX_DAMAGE_STARTS) {
            for end in ends(layout, bounds, last) {
                let keeps_brackets = (start..end)
                    .all(|at| layout.partner(at).is_none_or(|partner| (start..end).contains(&partner)));
                if start <= end && keeps_brackets && byte(start) < end_of(end).max(byte(start) + 1) {
                    let until = end_of(end).max(byte(start));
                    fixes.push(removal(&said, byte(start), until, DAMAGE_MARKER));
                }
            }
        }
    }
    if let Some((start, end, stub)) = super::stubs::stub_of_parameters(layout, bounds) {
        fixes.push(removal(&said, byte(start), byte(end), &stub));
    }
    if let Some(body) = body_of_move(layout, bounds) {
        let params = (bounds.first..bounds.at).find(|&at| layout.text(at) == "(");
        let close = params.and_then(|open| layout.partner(open)).filter(|&close| close < bounds.at);
        let is_clause = |&at: &usize| matches!(layout.text(at), "by" | "in" | "as" | "prefer");
        let next = (bounds.at + 1..body).find(is_clause);
        for end in next.into_iter().chain([body]) {
            for start in close.map_or(0..0, |close| close + 1..bounds.at + 1).rev().take(MAX_DAMAGE_STARTS) {
                fixes.push(removal(&said, byte(start), end_of(end).max(byte(start)), ""));
            }
        }
    }
    if let Some((start, end, stub)) = super::stubs::stub_of_item(layout, bounds) {
        fixes.push(removal(&said, byte(start), end_of(end), &stub));
    }
    fixes.push(without_clause(layout, bounds, &said));
    fixes
}

/// The brace of the body of a move whose head is damaged: the move is kept without the damaged clause, so that its name
/// is known.
fn body_of_move(layout: &Layout, bounds: &MistakeContext) -> Option<usize> {
    let is_move = |at: &usize| matches!(layout.text(*at), "move" | "chance");
    let is_head = bounds.place == ClauseContext::Top && bounds.first < layout.words.len();
    let first = (bounds.first..bounds.at).take(3).find(|at| is_head && is_move(at))?;
    let end = layout.item_end(bounds.first);
    (bounds.at.max(first)..end).find(|&at| layout.is_block(at) && layout.partner(at) == Some(end - 1))
}

/// The possible ends of the damage: before a bracket, comma or arrow that ends the damaged construct, or with the
/// clause.
fn ends(layout: &Layout, bounds: &MistakeContext, last: Option<usize>) -> Vec<usize> {
    let mut ends = Vec::new();
    let limit = last.unwrap_or(bounds.end);
    for at in bounds.at..limit {
        if matches!(layout.text(at), ")" | "]" | "}" | "," | "=>" | "{") && ends.len() < 6 {
            ends.push(at);
        }
    }
    ends.push(limit);
    ends
}

/// The message about a damaged position.
struct Message {
    code: Code,
    title: String,
    label: (usize, usize),
    note: String,
    help: Option<String>,
}

/// Diagnoses an unreadable text that is no item.
pub(crate) fn unreadable(
    file: FileId,
    layout: &Layout,
    stop: &ParseFailure,
    offsets: &OffsetMap,
) -> Diagnostic {
    let at = layout.word_at(stop.at);
    let bounds = MistakeContext { first: usize::MAX, at, clause: at, end: at, place: ClauseContext::Other };
    irreparable(file, layout, &bounds, stop, offsets)
}

/// Diagnoses irreparable damage.
pub(super) fn irreparable(
    file: FileId,
    layout: &Layout,
    bounds: &MistakeContext,
    stop: &ParseFailure,
    offsets: &OffsetMap,
) -> Diagnostic {
    let said = explain(layout, bounds, stop);
    let start = offsets.start(said.label.0);
    let span = Span::new(file, start, offsets.end(said.label.1).max(start));
    let mut found = Diagnostic::new(said.code, said.title, span, said.note);
    found.help = said.help;
    found
}

fn explain(layout: &Layout, bounds: &MistakeContext, stop: &ParseFailure) -> Message {
    if let Some(said) = belongs_elsewhere(layout, bounds) {
        return said;
    }
    let help = expected(layout, bounds, stop);
    let word = layout.text(bounds.at);
    if word.is_empty() {
        let last = layout.words.last().map_or((0, 0), |word| (word.start, word.end));
        let title = match layout.is_followed {
            true => "the next item begins before this one is complete".to_owned(),
            false => "the file ends before this is complete".to_owned(),
        };
        return Message { code: Code::E0013, title, label: last, note: "the last word".to_owned(), help };
    }
    // The parser read a keyword for the beginning of a name.
    let last = bounds.at.checked_sub(1).and_then(|last| layout.words.get(last)).copied();
    let is_letter = |sign: &String| matches!(sign.as_str(), "_" | "a name");
    if let Some(last) = last.filter(|last| last.end == stop.at && stop.expected.iter().all(is_letter))
        && keywords::is_reserved(layout.text(bounds.at - 1))
    {
        let title = format!("`{}` cannot stand here: it is a reserved word", layout.text(bounds.at - 1));
        let help = Some("a name is expected here".to_owned());
        return Message {
            code: Code::E0013,
            title,
            label: (last.start, last.end),
            note: String::new(),
            help,
        };
    }
    let here = layout.words[bounds.at];
    let shown = shorten(word);
    let wants_term = is_term_expected(stop) && matches!(word, ";" | ")" | "]" | "}" | "," | "=>" | ":" | "{");
    if matches!(word, "=" | "==") && stop.expected.iter().any(|sign| sign == ":=") {
        let title = format!("`{word}` compares; write `:=` to change the state");
        let help = Some("write `:=`".to_owned());
        let label = (here.start, here.end);
        return Message { code: Code::E0002, title, label, note: String::new(), help };
    }
    let touches = last.is_some_and(|last| last.end == here.start);
    if is_number_expected(stop) && here.kind == TokenKind::Word && !touches && !keywords::is_reserved(word) {
        let title = format!("`{shown}` stands where a number is written in digits");
        let help = Some("write the number itself: no name or term can stand for it here".to_owned());
        let label = (here.start, here.end);
        return Message { code: Code::E0013, title, label, note: String::new(), help };
    }
    if let Some((title, help)) = super::other_languages::of_other_languages(layout, bounds) {
        let label = (here.start, here.end);
        return Message { code: Code::E0013, title, label, note: String::new(), help: Some(help) };
    }
    let title = match word {
        _ if wants_term => format!("a term is missing before this `{word}`"),
        _ if word.starts_with("///") => {
            "documentation stands before items, fields, rules and clauses only".to_owned()
        }
        _ if word.starts_with("//!") => {
            "`//!` stands at the top of a file only; `///` is for the next item".to_owned()
        }
        _ if bounds.at == bounds.first => format!("`{shown}` begins no item"),
        _ => format!("`{shown}` cannot stand here"),
    };
    let help =
        if bounds.at == bounds.first { Some(allowed_clauses(ClauseContext::Top).to_owned()) } else { help };
    Message { code: Code::E0013, title, label: (here.start, here.end), note: String::new(), help }
}

/// Returns true if a term ends before the mistake and another one begins there.
pub(super) fn are_two_terms(layout: &Layout, bounds: &MistakeContext) -> bool {
    let last = bounds.at.saturating_sub(1);
    let is_number = |at: usize| layout.text(at).starts_with(|c: char| c.is_ascii_digit());
    let is_name = keywords::starts_with_letter(layout.text(bounds.at))
        && !keywords::is_reserved(layout.text(bounds.at))
        && matches!(layout.text(bounds.at + 1), "[" | "(" | "." | ";");
    let is_function = layout.partner(last).and_then(|open| open.checked_sub(1)).is_some_and(|word| {
        matches!(layout.text(word), "sum" | "count" | "union" | "some" | "all" | "no" | "one" | "min" | "max")
    });
    let ends = matches!(layout.text(last), ")" | "]") || is_number(last);
    let is_term = matches!(bounds.place, ClauseContext::Move | ClauseContext::End)
        || matches!(layout.text(bounds.first), "def" | "inductive" | "const" | "invariant");
    ends && is_term && !is_function && (is_name || is_number(bounds.at)) && !layout.begins_line(bounds.at)
}

/// Returns true for two words that can only be names.
pub(super) fn are_two_names(last: &str, word: &str) -> bool {
    let is_name = |word: &str| {
        keywords::starts_with_letter(word)
            && !keywords::is_reserved(word)
            && !keywords::STATEMENT_KEYWORDS.contains(&word)
            && !keywords::ITEM_KEYWORDS.contains(&word)
            && !keywords::OTHER_KEYWORDS.contains(&word)
    };
    is_name(last) && is_name(word)
}

/// Shortens a long word.
pub(super) fn shorten(word: &str) -> String {
    let line = word.lines().next().unwrap_or("");
    if line.chars().count() <= 24 && line.len() == word.len() {
        return word.to_owned();
    }
    line.chars().take(20).chain("...".chars()).collect()
}

/// The message for a clause that is sound but belongs elsewhere.
fn belongs_elsewhere(layout: &Layout, bounds: &MistakeContext) -> Option<Message> {
    // An unfinished item is not a misplaced clause of itself.
    if bounds.clause == bounds.first && bounds.place != ClauseContext::Top {
        return None;
    }
    let last = bounds.end.checked_sub(1).filter(|&last| last >= bounds.clause)?;
    let (start, end) = (layout.words.get(bounds.clause)?.start, layout.words.get(last)?.end);
    let clause = layout.source.get(start..end).filter(|clause| clause.len() <= MAX_MISPLACED_BYTES)?;
    let word = layout.text(bounds.clause);
    let fits = |rule: Rule| trial_parse(rule, clause).is_ok_and(|length| clause[length..].trim().is_empty());
    let is_item =
        || keywords::ITEM_KEYWORDS.contains(&word) && (keywords::is_reserved(word) || fits(Rule::item));
    let elsewhere = match bounds.place {
        ClauseContext::Top => {
            let outcome = matches!(word, "win" | "wins" | "lose" | "loses" | "draw" | "winner");
            outcome
                || !keywords::ITEM_KEYWORDS.contains(&word)
                    && [Rule::stmt, Rule::field, Rule::end_rule].into_iter().any(fits)
        }
        ClauseContext::State => fits(Rule::stmt) || fits(Rule::end_rule) || is_item(),
        ClauseContext::Move => fits(Rule::field) || fits(Rule::end_rule) || is_item(),
        ClauseContext::End => fits(Rule::stmt) || fits(Rule::field) || is_item(),
        ClauseContext::Test | ClauseContext::Position => fits(Rule::stmt) || fits(Rule::field) || is_item(),
        ClauseContext::Display | ClauseContext::Preset | ClauseContext::Phases => {
            fits(Rule::stmt) || is_item()
        }
        ClauseContext::Other => false,
    };
    if !elsewhere {
        return None;
    }
    let first = layout.words[bounds.clause];
    if bounds.place == ClauseContext::Top {
        let rule = clause.trim();
        let shows_rule = fits(Rule::end_rule) && rule.len() <= MAX_QUOTED_RULE && !rule.contains('\n');
        let rule = if shows_rule { rule } else { "when ... => ...;" };
        let (home, help) = match () {
            () if fits(Rule::end_rule) || !fits(Rule::stmt) && !fits(Rule::field) => {
                ("an end rule belongs in `end { ... }`", format!("write `end {{ {rule} }}`"))
            }
            () if fits(Rule::stmt) && word == "when" && rule.len() <= MAX_QUOTED_RULE => (
                "it belongs into a move",
                format!(
                    "write `every move {{ {clause} }}` if all moves have this condition, `invariant {condition}` if it holds \
                     in all positions",
                    clause = clause.trim(),
                    condition = clause.trim().trim_start_matches("when").trim_start(),
                ),
            ),
            () if fits(Rule::stmt) => {
                ("it belongs into a move", "write `move name() { ... }` around it".to_owned())
            }
            () => ("a field belongs in `state { ... }`", "write `state { ... }` around it".to_owned()),
        };
        let title = format!("`{}` here? {home}", shorten(word));
        let label = (first.start, first.end);
        return Some(Message { code: Code::E0006, title, label, note: String::new(), help: Some(help) });
    }
    let help = match block(bounds.place) {
        _ if bounds.place == ClauseContext::Move && word == "invariant" => {
            super::claims::claim_in_a_move(clause)
        }
        None if bounds.place == ClauseContext::Move && word == "pass" && fits(Rule::item) => {
            "`pass` begins an item: write it outside of the move".to_owned()
        }
        Some(block) if keywords::ITEM_KEYWORDS.contains(&word) && fits(Rule::item) => {
            format!("`{word}` begins an item: write it outside of {block}")
        }
        _ => allowed_clauses(bounds.place).to_owned(),
    };
    Some(Message {
        code: Code::E0006,
        title: format!("`{}` here? {}", shorten(word), short(bounds.place)),
        label: (first.start, first.end),
        note: String::new(),
        help: Some(help),
    })
}

/// The block of a place in which no item stands.
fn block(place: ClauseContext) -> Option<&'static str> {
    Some(match place {
        ClauseContext::State => "`state { ... }`",
        ClauseContext::End => "`end { ... }`",
        ClauseContext::Display => "`display { ... }`",
        ClauseContext::Phases => "`phases { ... }`",
        _ => return None,
    })
}

/// A short description of the contents of a place.
fn short(place: ClauseContext) -> &'static str {
    match place {
        ClauseContext::Top => "it belongs inside an item",
        ClauseContext::State => "the state has fields",
        ClauseContext::Move => "a move's body has `when`, `let`, effects, `then`",
        ClauseContext::End => "`end` has rules, `when ... => outcome;`",
        ClauseContext::Test => "a test has `position`, `play` and `expect`",
        ClauseContext::Position => "a position has effects, `at[c] := X;`",
        ClauseContext::Display => "`display` has hints, `cell at { ... };`",
        ClauseContext::Preset => "a preset has parameters, `n = 3;`",
        ClauseContext::Phases => "`phases` has names",
        ClauseContext::Other => "something else is expected",
    }
}

/// The clauses that a place takes, in words.
fn allowed_clauses(place: ClauseContext) -> &'static str {
    match place {
        ClauseContext::Top => {
            "a file has items: `game`, `param`, `players`, `board`, `enum`, `phases`, `state`, `const`, `def`, `move`, `end`, \
             `play`, `invariant`, `symmetry`, `display`, `expect`, `test` and others"
        }
        ClauseContext::State => {
            "a field is written `name[key: Type]: Type = value;`; the effects of a move belong in `move name() { ... }`"
        }
        ClauseContext::Move => {
            "this place takes `when`, `let`, `ensure`, `if`, `for`, `then { ... }`, `again`, `continue`, `next` and effects \
             such as `at[c] := me;`; fields belong in `state { ... }`, end rules in `end { ... }`"
        }
        ClauseContext::End => {
            "a rule is written `when stuck => mover loses;`, `for p in Player when f => p wins;` or `repeat => draw;`"
        }
        ClauseContext::Test => "this place takes `position { ... }`, `play m, n;` and `expect ...;`",
        ClauseContext::Position => {
            "this place takes effects on the initial state: `at[a1] := X; mover := O;`"
        }
        ClauseContext::Display => "a hint is written `cell at { X => \"X\", none => \".\" };`",
        ClauseContext::Preset => "a preset gives parameters values: `n = 3;`",
        ClauseContext::Phases => "a phase is written `name;`, `setup name;` or `name by chance;`",
        ClauseContext::Other => "",
    }
}

/// Describes the expected tokens.
fn expected(layout: &Layout, bounds: &MistakeContext, stop: &ParseFailure) -> Option<String> {
    let has = |sign: &str| stop.expected.iter().any(|expected| expected == sign);
    let term = is_term_expected(stop);
    // Right behind a word the parser could go on with its letters.
    let last = bounds.at.checked_sub(1).and_then(|last| layout.words.get(last));
    let continues = last
        .is_some_and(|last| last.end == stop.at && matches!(last.kind, TokenKind::Word | TokenKind::Number));
    let is_number = is_number_expected(stop);
    let operator = has("*") && has("+");
    let effect = has(":=") && has("<-");
    let mut words: Vec<String> = Vec::new();
    if term {
        words.push("a term".to_owned());
    }
    if operator {
        words.push("an operator".to_owned());
    }
    if effect {
        words.push("`:=`".to_owned());
    }
    for sign in &stop.expected {
        let of_term = term && (is_term_sign(sign) || sign == "a name");
        let of_operator = operator && is_operator_sign(sign);
        let of_effect = effect && matches!(sign.as_str(), ":=" | "+=" | "-=" | "|=" | "<-");
        let of_name = sign == "_" && has("a name") || continues && sign == "a name";
        let blank = sign.trim().is_empty() || sign.starts_with("//") || sign.starts_with("/*");
        if of_term || of_operator || of_effect || of_name || blank || sign.chars().any(char::is_control) {
            continue;
        }
        words.push(match sign.as_str() {
            "a name" if is_number => "a number".to_owned(),
            "a name" => sign.clone(),
            _ => format!("`{sign}`"),
        });
    }
    words.dedup();
    if words.len() > 8 {
        words.truncate(7);
        words.push("others".to_owned());
    }
    let last = words.pop()?;
    Some(if words.is_empty() {
        format!("expected here: {last}")
    } else {
        format!("expected here: {} or {last}", words.join(", "))
    })
}

/// Returns true if a number in digits may stand there, and no name.
fn is_number_expected(stop: &ParseFailure) -> bool {
    let has = |sign: &str| stop.expected.iter().any(|expected| expected == sign);
    has("a name") && !has("_")
}

fn is_term_expected(stop: &ParseFailure) -> bool {
    ["#", "if"].iter().all(|sign| stop.expected.iter().any(|expected| expected == sign))
}

fn is_term_sign(sign: &str) -> bool {
    matches!(
        sign,
        "-" | "#"
            | "{"
            | "["
            | "("
            | "\""
            | "\"\"\""
            | "_"
            | "some"
            | "all"
            | "no"
            | "one"
            | "count"
            | "sum"
            | "min"
            | "max"
            | "union"
            | "not"
            | "if"
            | "match"
            | "let"
            | "diagram"
            | "true"
            | "false"
            | "none"
    )
}

fn is_operator_sign(sign: &str) -> bool {
    matches!(
        sign,
        "+" | "-"
            | "|"
            | "*"
            | "/"
            | "&"
            | "mod"
            | "="
            | "=="
            | "!="
            | "<"
            | "<="
            | ">"
            | ">="
            | "in"
            | "not"
            | "is"
            | "and"
            | "or"
            | "implies"
            | "iff"
            | ".."
            | "."
            | "("
            | "["
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, titles};
    use crate::ast::ItemKind;

    #[test]
    fn loops_go_through_their_bounds() {
        let said = "what is done for each element is done at once";
        for (head, set) in [
            ("i = 1; i <= n; i += 1", "i in 1..n"),
            ("int i = 0; i < 6; i++", "i in 0..5"),
            ("j = 0; j < n; ++j", "j in 0..n - 1"),
            ("i = 5; i > 0; i--", "i in 1..5"),
            ("i = 0; i < n; i += 2", "i in 0..2"),
        ] {
            let text = format!("move sow() {{ for ({head}) {{ seeds[2] += 1; }} }}");
            assert_eq!(helps(&text), [format!("write `for {set} {{ ... }}`; {said}")], "{head}");
        }
    }

    #[test]
    fn operators_stand_between_terms() {
        let title = "between two terms stands an operator, and none stands before `n`";
        assert_eq!(titles("end { when stuck => payoff p: n[p] n[other(p)]; }"), [title]);
    }

    #[test]
    fn an_item_ends_before_the_next_one() {
        let found = titles("state { n: 0..3 = 0; }\nconst home: Cell\n\nplayers X, O;\n");
        assert!(found.iter().all(|title| !title.contains("the file ends")), "{found:?}");
    }

    #[test]
    fn the_other_clauses_of_a_damaged_head_are_kept() {
        let text = "chance give(a: Card) forsooth in deal as \"{a}\" { card := a; }\n";
        let mut sources = bouton_base::source::Sources::new();
        let file = sources.add("text", text);
        let parsed = crate::parse(&sources, file);
        assert_eq!(parsed.diagnostics.len(), 1, "{:?}", parsed.diagnostics);
        let ItemKind::Move(event) = &parsed.file.items[0].kind else { panic!("an event") };
        assert_eq!(event.phases.len(), 1);
    }

    #[test]
    fn a_move_with_a_damaged_head_is_kept() {
        let text = "move take(k: 1..3) as \"{k}\" forsooth k + { n := k; }\n";
        let mut sources = bouton_base::source::Sources::new();
        let file = sources.add("text", text);
        let parsed = crate::parse(&sources, file);
        assert_eq!(parsed.diagnostics.len(), 1, "{:?}", parsed.diagnostics);
        assert_eq!(parsed.file.items.len(), 1);
    }

    #[test]
    fn a_place_for_a_number_takes_no_name() {
        for text in ["end { repeat n => draw; }\n", "forbid repeat within n;\n"] {
            let found = super::super::testing::titles(text);
            assert_eq!(found, ["`n` stands where a number is written in digits"], "{text}");
        }
    }

    #[test]
    fn no_edit_reaches_the_item_before() {
        assert!(!titles("invariant a[A] case wins + 1 <= n;\n auto;\n").is_empty());
    }
}
