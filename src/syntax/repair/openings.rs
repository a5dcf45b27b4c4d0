//! Openings of items in another form: `game Nim;`, `terminal { ... }`, `normal play;`, `move take h, k { ... }`.

use super::edits::{Fix, FixFinder};
use super::entries::MISSING_TYPE;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;
use crate::lex::TokenKind;

/// Words for the block of the rules of the end.
const END_WORDS: [&str; 17] = [
    "terminal",
    "termination",
    "terminate",
    "ending",
    "endings",
    "finish",
    "goal",
    "goals",
    "rules",
    "win",
    "wins",
    "victory",
    "winner",
    "winning",
    "gameover",
    "outcome",
    "result",
];

/// Words for the block of the fields of a position.
const STATE_WORDS: [&str; 9] =
    ["init", "initial", "initially", "setup", "start", "fields", "vars", "variables", "position"];

/// Types of other languages.
const FOREIGN_TYPES: [&str; 8] = ["int", "Int", "Integer", "number", "string", "float", "char", "boolean"];

impl FixFinder<'_> {
    /// Fixes and explanations of the openings of items.
    pub fn openings(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.documentation_of_the_file(),
            self.block_by_another_word(),
            self.title_without_quotes(),
            self.board_by_numbers(),
            self.convention_turned_round(),
            self.template_without_quotes(),
            self.parameter_by_a_comparison(),
            self.parameters_without_brackets(),
            self.types_before_names(),
            self.item_without_its_word(),
            self.block_by_indentation(),
            self.legal_as_an_item(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `//!` below the top of a file to `//`.
    fn documentation_of_the_file(&self) -> Option<Fix> {
        let is_doc = |at: &usize| self.layout.text(*at).starts_with("//!");
        if !is_doc(&self.bounds.at) {
            return None;
        }
        let (mut new, mut kept, mut last) = (String::new(), self.here().0, self.bounds.at);
        for at in (self.bounds.at..self.layout.words.len()).take_while(is_doc) {
            new += self.layout.source.get(kept..self.range(at).0)?;
            new += &self.layout.text(at).replacen("//!", "//", 1);
            (kept, last) = (self.range(at).1, at);
        }
        let title = "`//!` stands at the top of a file only; `///` is for the next item";
        let fix = Fix::new((self.here().0, self.range(last).1), &new, Code::E0013, title).at(self.here());
        Some(Fix { accepts_partial: true, ..fix.help("write `//`, or move the line to the top") })
    }

    /// Rewrites `terminal { when f => draw; }` to `end { ... }`, and `init { n: 0..9 = 0; }` to `state { ... }`.
    fn block_by_another_word(&self) -> Option<Fix> {
        let open = self.bounds.first + 1;
        let extra = usize::from(matches!(self.layout.text(open), ":" | "="));
        let open = open + extra;
        let close = self.layout.partner(open).filter(|_| self.bounds.at == self.bounds.first)?;
        if self.layout.text(open) != "{" {
            return None;
        }
        let has = |sign: &str| (open + 1..close).any(|at| self.layout.text(at) == sign);
        let has_rules = has("=>") && !has("match");
        let is_field = |at: usize| {
            let key = self.layout.partner(at + 1).filter(|_| self.layout.text(at + 1) == "[").unwrap_or(at);
            self.is_name(at) && self.layout.text(key + 1) == ":"
        };
        let (new, title) = match self.word {
            word if END_WORDS.contains(&word) && has_rules => {
                ("end", "the rules of the end are `end { ... }`")
            }
            word if STATE_WORDS.contains(&word) && is_field(open + 1) => {
                ("state", "the fields of a position are `state { ... }`")
            }
            _ => return None,
        };
        let range = (self.here().0, self.range(open - 1).1);
        let fix = Fix::new(range, new, Code::E0013, title).help(format!("write `{new} {{ ... }}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `game Tic-tac-toe;` to `game "Tic-tac-toe";`.
    fn title_without_quotes(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_title = self.layout.text(first) == "game" && self.bounds.at == first + 1;
        let is_word = self.layout.words.get(first + 1).is_some_and(|word| word.kind == TokenKind::Word);
        let line = (first + 2..self.layout.words.len()).find(|&at| self.layout.begins_line(at));
        let line = line.unwrap_or(self.layout.words.len());
        let end = self.outside_brackets(first + 1, &[";"]).map_or(line, |end| end.min(line));
        let title = self.text(first + 1, end);
        if is_title && is_word && self.layout.text(first + 2) == "{" {
            return Some(self.title_before_a_brace(first + 2));
        }
        let is_plain = !title.contains(['"', '{', '}', '\\', ':', '=']);
        (is_title && is_word && is_plain && end > first + 1).then(|| {
            let new = format!("\"{title}\"");
            let range = (self.here().0, self.range(end - 1).1);
            Fix::new(range, &new, Code::E0013, "a title stands between quotes")
                .help(format!("write `game {new};`"))
        })
    }

    /// Rewrites `game Hop {` to `game "Hop";`, and explains it with its items up to `}`.
    fn title_before_a_brace(&self, open: usize) -> Fix {
        let (from, new) = (self.here().0, format!("\"{}\";", self.word));
        let title = "a title stands between quotes, and the items follow without braces around them";
        let help = format!("write `game {new}`");
        match self.layout.partner(open) {
            Some(close) => {
                let range = (from, self.range(close).1);
                let text = format!("\"{}\"; {}", self.word, self.text(open + 1, close));
                explained(range, &text, title, format!("{help}, and leave out the `}}` at the end"))
                    .at(self.here())
            }
            None => Fix::new((from, self.range(open).1), &new, Code::E0013, title).at(self.here()).help(help),
        }
    }

    /// Rewrites `board Cell = 3 x 3;` and `grid(3 by 3)` to `grid(3, 3)`.
    fn board_by_numbers(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_board = self.layout.text(self.bounds.first) == "board"
            && matches!(self.word, "x" | "X" | "by" | "\u{d7}");
        let is_size = |at: usize| self.is_number(at) || self.is_name(at);
        let width = at.checked_sub(1).filter(|&width| is_board && is_size(width) && is_size(at + 1))?;
        let (before, after) = (self.layout.text(width.checked_sub(1)?), self.layout.text(at + 2));
        let size = format!("{}, {}", self.last, self.layout.text(at + 1));
        let range = (self.range(width).0, self.range(at + 1).1);
        match (before, after) {
            ("(", ")") => {
                let title = "a comma stands between the columns and the rows of a board";
                let form = self.layout.text(width.wrapping_sub(2));
                Some(Fix::new(range, &size, Code::E0013, title).help(format!("write `{form}({size})`")))
            }
            ("=", ";" | "where" | "") => {
                let title = "a board is given by its form and its size";
                let new = format!("grid({size})");
                Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
            }
            _ => None,
        }
    }

    /// Rewrites `normal play;` to `play normal;`, and `play mis\u{e8}re;` to `play misere;`.
    fn convention_turned_round(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let convention = |word: &str| match word.to_lowercase().as_str() {
            "normal" | "normally" => Some("normal"),
            "misere" | "mis\u{e8}re" | "miser\u{e8}" => Some("misere"),
            _ => None,
        };
        let end = self.outside_brackets(first, &[";"])?;
        let words: Vec<&str> = (first..end).map(|at| self.layout.text(at)).collect();
        let new = match words[..] {
            [word, "play"] | [word, "play", "convention"] | ["play", word] => convention(word)?,
            ["play", "convention", word] | ["play", word, "convention"] => convention(word)?,
            _ => return None,
        };
        let new = format!("play {new}");
        let range = (self.range(first).0, self.range(end - 1).1);
        let title = "the convention of play stands after `play`";
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new};`")))
    }

    /// The names of the parameters between a bracket and its partner.
    fn parameters_between(&self, open: usize, close: usize) -> Vec<&str> {
        let is_parameter = |&at: &usize| {
            self.layout.text(at + 1) == ":"
                && matches!(self.layout.text(at - 1), "(" | ",")
                && self.is_name(at)
        };
        (open + 1..close).filter(is_parameter).map(|at| self.layout.text(at)).collect()
    }

    /// Rewrites `as c` to `as "{c}"`, and `as h-k` and `as {h}-{k}` to `as "{h}-{k}"`.
    fn template_without_quotes(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_start = self.word == "{" || keywords::starts_with_letter(self.word);
        if self.last != "as" || !is_start || self.bounds.place != ClauseContext::Top {
            return None;
        }
        let open = (self.bounds.first..at).find(|&at| self.layout.text(at) == "(")?;
        let params = self.parameters_between(open, self.layout.partner(open)?);
        let (mut new, mut end) = (String::new(), at);
        while !matches!(self.layout.text(end), "in" | "by" | "prefer" | ";" | "") {
            if end > at {
                new += self.layout.source.get(self.range(end - 1).1..self.range(end).0)?;
            }
            match self.layout.partner(end) {
                Some(close) if self.layout.text(end) == "{" => {
                    let is_body =
                        close == end + 1 || self.layout.is_block(end) || self.text(end, close).contains('\n');
                    if is_body {
                        break;
                    }
                    new += self.text(end, close + 1);
                    end = close + 1;
                }
                _ => {
                    let word = self.layout.text(end);
                    new += &if params.contains(&word) { format!("{{{word}}}") } else { word.to_owned() };
                    end += 1;
                }
            }
        }
        let new = format!("\"{}\"", new.trim());
        let is_plain = end > at && !new[1..new.len() - 1].contains(['"', '\n', '\\']);
        is_plain.then(|| {
            let range = (self.here().0, self.range(end - 1).1);
            let title = "the name of a move is a string, with its parts in braces";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `as {new}`"))
        })
    }

    /// The part of a list of parameters around the mistake: the first word and the index after the last.
    fn parameter_here(&self) -> Option<(usize, usize)> {
        let at = self.bounds.at;
        let is_head = matches!(self.bounds.place, ClauseContext::Top | ClauseContext::State);
        let open = self.bracket_around(at, at).filter(|_| is_head)?;
        let close = self.layout.partner(open)?;
        let is_list = self.layout.text(open) == "(" || self.layout.text(open) == "[";
        let start = (open + 1..=at).rev().find(|&at| matches!(self.layout.text(at - 1), "(" | "[" | ","))?;
        let end = self.outside_brackets(start, &[","]).filter(|&end| end < close).unwrap_or(close);
        (is_list && start < end && self.is_name(open.checked_sub(1)?)).then_some((start, end))
    }

    /// Rewrites `1 <= k <= 31` among parameters to `k: 1..31`, and explains `k <= 31`.
    fn parameter_by_a_comparison(&self) -> Option<Fix> {
        let (start, end) = self.parameter_here()?;
        self.compared_parameter(start, end)?;
        let (new, is_certain) =
            self.rewritten_parameters(|start, end| self.compared_parameter(start, end))?;
        let title = "the type of a parameter or key stands after `:`";
        let fix = Fix::new(self.range_of_parameters()?, &new, Code::E0013, title);
        let fix = fix.at((self.range(start).0, self.range(end - 1).1));
        let help = match is_certain {
            true => format!("write `{new}`"),
            false => format!("write `{new}`, with all values that it may have"),
        };
        Some(Fix { is_correction: is_certain, accepts_partial: true, ..fix.help(help) })
    }

    /// The declaration that stands for `1 <= k <= 31` or `k <= 31` as a parameter, and true if it is certain.
    fn compared_parameter(&self, start: usize, end: usize) -> Option<(String, bool)> {
        let signs: Vec<usize> =
            (start..end).filter(|&at| matches!(self.layout.text(at), "<" | "<=" | ">" | ">=")).collect();
        let moved = |from: usize, to: usize, sign: usize, by: i64| {
            let bound = self.text(from, to);
            match (bound.parse::<i64>(), self.layout.text(sign)) {
                (_, "<=" | ">=") => bound.to_owned(),
                (Ok(number), _) => number.saturating_add(by).to_string(),
                (_, _) if by > 0 => format!("{bound} + 1"),
                _ => format!("{bound} - 1"),
            }
        };
        let is_less = |sign: usize| self.layout.text(sign).starts_with('<');
        match signs[..] {
            [low, high] if is_less(low) && is_less(high) && high == low + 2 && self.is_name(low + 1) => {
                let (from, to) = (moved(start, low, low, 1), moved(high + 1, end, high, -1));
                let is_whole = start < low && high + 1 < end;
                is_whole.then(|| (format!("{}: {from}..{to}", self.layout.text(low + 1)), true))
            }
            [sign] if sign == start + 1 && self.is_name(start) && sign + 1 < end => {
                let name = self.layout.text(start);
                let range = match is_less(sign) {
                    true => format!("1..{}", moved(sign + 1, end, sign, -1)),
                    false => format!("{}..9", moved(sign + 1, end, sign, 1)),
                };
                Some((format!("{name}: {range}"), false))
            }
            _ => None,
        }
    }

    /// The range of the parameters around the mistake, without their brackets.
    fn range_of_parameters(&self) -> Option<(usize, usize)> {
        let open = self.bracket_around(self.bounds.at, self.bounds.at)?;
        Some((self.range(open).1, self.range(self.layout.partner(open)?).0))
    }

    /// The parameters around the mistake, of which `rewrite` has rewritten those that it can, and true if all of this is
    /// certain.
    fn rewritten_parameters(
        &self,
        rewrite: impl Fn(usize, usize) -> Option<(String, bool)>,
    ) -> Option<(String, bool)> {
        let open = self.bracket_around(self.bounds.at, self.bounds.at)?;
        let close = self.layout.partner(open)?;
        let (mut parts, mut start, mut is_certain) = (Vec::new(), open + 1, true);
        while start < close {
            let end = self.outside_brackets(start, &[","]).filter(|&end| end < close).unwrap_or(close);
            let rewritten = rewrite(start, end);
            is_certain &= rewritten.as_ref().is_none_or(|(_, is_certain)| *is_certain);
            parts.push(rewritten.map_or(self.text(start, end).to_owned(), |(part, _)| part));
            start = end + 1;
        }
        Some((parts.join(", "), is_certain))
    }

    /// Rewrites `move take h: Heap { ... }` to `move take(h: Heap) { ... }`, and explains `move take h, k { ... }`.
    fn parameters_without_brackets(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let word = (first..self.bounds.at).find(|&at| matches!(self.layout.text(at), "move" | "chance"))?;
        let is_head = self.bounds.at == word + 2 && self.is_name(word + 1) && self.is_name(word + 2);
        let end = self.outside_brackets(word + 2, &["{", "as", "by", "prefer", "(", ";", "when"])?;
        if !is_head || !matches!(self.layout.text(end), "{" | "as" | "by" | "prefer") {
            return None;
        }
        let end = (word + 2..end)
            .find(|&at| self.layout.text(at) == "in" && self.layout.text(at - 1) != ",")
            .unwrap_or(end);
        let name = self.last;
        let listed = self.text(word + 2, end);
        let range = (self.gap().0, self.range(end - 1).1);
        let label = (self.here().0, range.1);
        let title = "the parameters of a move stand in brackets, each with its type";
        if listed.contains(':') {
            let new = format!("({listed})");
            let fix = Fix::new(range, &new, Code::E0013, title).at(label);
            return Some(fix.help(format!("write `{name}{new}`")));
        }
        let names: Vec<&str> =
            (word + 2..end).map(|at| self.layout.text(at)).filter(|word| *word != ",").collect();
        let are_names = (word + 2..end).all(|at| self.is_name(at) || self.layout.text(at) == ",");
        let typed = |ty: &str| names.iter().map(|name| format!("{name}{ty}")).collect::<Vec<_>>().join(", ");
        let (one, other) = self.example_types();
        let help = format!("write `{name}({})`, for instance with `{one}` or `{other}`", typed(": ..."));
        are_names.then(|| explained(range, &format!("({})", typed(MISSING_TYPE)), title, help).at(label))
    }

    /// Rewrites `move put(Cell c, 1..3 k)` to `move put(c: Cell, k: 1..3)`, and explains `int k`.
    fn types_before_names(&self) -> Option<Fix> {
        let (start, end) = self.parameter_here()?;
        let ty = self.layout.text(start);
        let is_type = ty.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
        if !is_type && !FOREIGN_TYPES.contains(&ty) {
            return None;
        }
        self.turned_parameter(start, end)?;
        let (new, is_certain) = self.rewritten_parameters(|start, end| self.turned_parameter(start, end))?;
        let fix = Fix::new(self.range_of_parameters()?, &new, Code::E0013, "a name stands before its type");
        let help = match is_certain {
            true => format!("write `{new}`"),
            false => format!("write `{new}`, with the numbers that it may be"),
        };
        Some(Fix { is_correction: is_certain, accepts_partial: true, ..fix.help(help) })
    }

    /// The declaration that stands for `Cell c` as a parameter, and true if it is certain.
    fn turned_parameter(&self, start: usize, end: usize) -> Option<(String, bool)> {
        let is_typed = |at: usize| {
            matches!(self.layout.text(at), ":" | "in" | "=" | "and" | "or" | "->" | "of" | "-" | "<" | "<=")
        };
        let is_turned = end >= start + 2
            && self.is_name(end - 1)
            && self.range(end - 2).1 < self.range(end - 1).0
            && !(start..end).any(is_typed)
            && !matches!(self.layout.text(end - 2), ".." | "+" | "*" | "/");
        is_turned.then(|| {
            let ty = self.text(start, end - 1);
            let is_certain = !FOREIGN_TYPES.contains(&ty);
            (format!("{}: {}", self.layout.text(end - 1), if is_certain { ty } else { "0..9" }), is_certain)
        })
    }

    /// Rewrites `take(h: Heap) { ... }` to `move take(h: Heap) { ... }`, and `line(p: Player) = ...;` to `def ...`.
    fn item_without_its_word(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let open = first + 1;
        let is_head = self.bounds.at == first && self.is_name(first) && self.layout.text(open) == "(";
        let close = self.layout.partner(open).filter(|_| is_head)?;
        let is_typed = close > open + 1 && self.layout.text(open + 2) == ":";
        let word = match self.layout.text(close + 1) {
            "=" if is_typed => "def",
            "as" | "in" | "by" | "prefer" if is_typed || close == open + 1 => "move",
            "{" if is_typed => {
                let body = close + 2;
                let has_effects = self.layout.is_block(close + 1) && self.layout.text(body) != "return";
                match has_effects {
                    true if self.outline().is_called_as_effect(self.word) => "effect",
                    true => "move",
                    false => "def",
                }
            }
            _ => return None,
        };
        let start = self.here().0;
        let title = match word {
            "move" => "what a player may do begins with `move`",
            "effect" => "a named group of effects begins with `effect`",
            _ => "a name for a condition or a value begins with `def`",
        };
        let fix = Fix::new((start, start), &format!("{word} "), Code::E0013, title).at(self.here());
        let help = format!("write `{word} {}(...)`", self.word);
        Some(Fix { accepts_partial: true, ..fix.help(help) })
    }

    /// Rewrites `end:` with indented lines below it to `end { ... }`, and the same of other blocks.
    fn block_by_indentation(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let head = self.layout.text(first);
        let is_named = matches!(head, "move" | "chance" | "private" | "mandatory" | "forcing" | "every");
        let is_plain = matches!(head, "end" | "state" | "phases" | "display") && at == first + 1;
        let is_block = (is_named || is_plain) && self.bounds.place == ClauseContext::Top;
        if !is_block
            || self.word != ":"
            || !self.layout.begins_line(at + 1)
            || at + 1 >= self.layout.words.len()
        {
            return None;
        }
        let leaves =
            |&at: &usize| self.layout.begins_line(at) && self.layout.column(at) <= self.layout.column(first);
        let end = (at + 1..self.layout.words.len()).find(leaves).unwrap_or(self.layout.words.len());
        let is_whole = (at + 1..end).all(|at| match self.layout.words[at].kind {
            TokenKind::Open | TokenKind::Close => {
                self.layout.partner(at).is_some_and(|partner| partner < end)
            }
            _ => true,
        });
        if end <= at + 1 || !is_whole {
            return None;
        }
        let fix = Fix::new((self.gap().0, self.here().1), " {", Code::E0013, "blocks stand in braces");
        let help = format!("write `{} {{ ... }}`", self.text(first, at));
        let closing = Some((self.range(end - 1).1, "\n}"));
        Some(Fix { accepts_partial: true, closing, ..fix.at(self.here()).help(help) })
    }

    /// Explains `legal mark(c) if at[c] = none;` among the items.
    fn legal_as_an_item(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_word = matches!(self.word, "legal" | "illegal" | "legality" | "allowed" | "permitted");
        if !is_word || self.bounds.at != first || self.layout.text(first + 1) == "(" {
            return None;
        }
        let title = "what must hold for a move to be legal stands in its braces";
        let help = "write `move name(c: Cell) { when ...; field := ...; }`, with the condition after `when`";
        let range = (self.here().0, self.range(self.layout.item_end(first) - 1).1);
        Some(explained(range, "", title, help).at(self.here()))
    }
}
