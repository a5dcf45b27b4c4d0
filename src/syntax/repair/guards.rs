//! Conditions of moves and of loops in another place or form: `if f: illegal;`, `move m(c: Cell where f)`,
//! `for x in S when f { ... }`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

/// Ways to say in the body of an `if` that a move is not legal.
const ILLEGAL: [&str; 18] = [
    "illegal",
    "invalid",
    "forbidden",
    "impossible",
    "disallowed",
    "reject",
    "fail",
    "error",
    "abort",
    "not allowed",
    "not legal",
    "illegal move",
    "invalid move",
    "return false",
    "return illegal",
    "return invalid",
    "move illegal",
    "not possible",
];

const TITLE: &str = "what must hold for a move to be legal stands after `when`";

impl FixFinder<'_> {
    /// Fixes and explanations of conditions.
    pub fn guards(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.illegal_by_if(),
            self.illegal_with_a_condition(),
            self.effect_after_an_arrow(),
            self.effect_under_its_condition(),
            self.condition_of_a_parameter(),
            self.condition_before_the_braces(),
            self.filter_by_when(),
            self.loop_in_brackets(),
            self.branches_by_indentation(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Returns true if these words are one expression.
    fn is_term(&self, from: usize, to: usize) -> bool {
        let text = self.text(from, to);
        from < to && trial_parse(Rule::one_expr, text).is_ok_and(|end| end == text.len())
    }

    /// The opposite of a condition.
    pub(super) fn opposite(&self, from: usize, to: usize) -> String {
        let (from, to) = match self.layout.partner(from) {
            Some(close) if self.layout.text(from) == "(" && close + 1 == to => (from + 1, close),
            _ => (from, to),
        };
        let sign = self.end_of_operand(from).filter(|&sign| sign < to);
        if let Some(sign) = sign.filter(|&sign| self.end_of_operand(sign + 1) == Some(to)) {
            let (left, right) = (self.text(from, sign), self.text(sign + 1, to));
            match self.layout.text(sign) {
                "=" | "==" => return format!("{left} != {right}"),
                "!=" => return format!("{left} = {right}"),
                _ => {}
            }
        }
        if self.layout.text(from) == "not" && self.end_of_operand(from + 1) == Some(to) {
            return self.text(from + 1, to).to_owned();
        }
        format!("not ({})", self.text(from, to))
    }

    /// Rewrites `if f: illegal;`, `if f then illegal;` and `if f { illegal; }` to `when not (f);`.
    fn illegal_by_if(&self) -> Option<Fix> {
        if !self.in_move() {
            return None;
        }
        let inner = self.bracket_around(self.bounds.at, self.bounds.at);
        let outer = inner
            .filter(|&open| self.layout.text(open) == "{")
            .map(|open| self.layout.clause_start(self.bounds.first, open));
        let starts = [Some(self.bounds.clause), outer];
        let start = starts.into_iter().flatten().find(|&at| self.layout.text(at) == "if")?;
        let brace = self.outside_brackets(start + 1, &["{", ";"])?;
        let (from, to, last) = match self.layout.partner(brace).filter(|_| self.layout.text(brace) == "{") {
            Some(close) => {
                let end = close - usize::from(self.layout.text(close - 1) == ";");
                (brace + 1, end, close)
            }
            None => {
                let length = (1..=4).find(|&length| {
                    brace > start + length + 1
                        && self.says_illegal(brace - length, brace)
                        && matches!(self.layout.text(brace - length - 1), ":" | "then" | ")" | "," | "=>")
                })?;
                (brace - length, brace, brace)
            }
        };
        if !self.says_illegal(from, to) || self.layout.text(last + 1) == "else" {
            return None;
        }
        let end = from - usize::from(self.layout.text(from - 1) != ")");
        if !self.is_term(start + 1, end) {
            return None;
        }
        let new = format!("when {};", self.opposite(start + 1, end));
        let range = (self.range(start).0, self.range(last).1);
        let label = (self.range(from).0, self.range(to - 1).1);
        Some(Fix::new(range, &new, Code::E0013, TITLE).at(label).help(format!("write `{new}`")))
    }

    /// Returns true if these words say that a move is not legal, if need be with a reason: `throw "not yours"`.
    fn says_illegal(&self, from: usize, to: usize) -> bool {
        let words = self.plain_words(from, to).to_lowercase();
        let is_string =
            |at: usize| self.layout.words.get(at).is_some_and(|word| word.kind == crate::lex::TokenKind::Str);
        let throws = matches!(
            self.layout.text(from),
            "throw" | "raise" | "error" | "reject" | "abort" | "fail" | "illegal" | "invalid" | "panic"
        );
        let reason = (from + 1..to).filter(|&at| !matches!(self.layout.text(at), "(" | ")"));
        let mut reason = reason.peekable();
        ILLEGAL.contains(&words.as_str()) || throws && reason.peek().is_some() && reason.all(is_string)
    }

    /// Rewrites `illegal if f;` and `forbid f;` to `when not (f);`.
    fn illegal_with_a_condition(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_word = matches!(
            self.layout.text(clause),
            "illegal" | "invalid" | "forbid" | "forbidden" | "reject" | "disallow" | "prohibit" | "fail"
        );
        let has_if = matches!(self.layout.text(clause + 1), "if" | "when" | "where");
        let start = clause + 1 + usize::from(has_if);
        let end =
            self.outside_brackets(start, &[";"]).filter(|&end| is_word && self.in_move() && end > start)?;
        if !self.is_term(start, end) {
            return None;
        }
        let new = format!("when {}", self.opposite(start, end));
        let range = (self.range(clause).0, self.range(end - 1).1);
        Some(Fix::new(range, &new, Code::E0013, TITLE).at(self.range(clause)).help(format!("write `{new};`")))
    }

    /// Returns true if all other clauses of the block around the clause are conditions and names.
    fn is_only_effect(&self, end: usize) -> bool {
        let Some(open) = self.bracket_around(self.bounds.clause, self.bounds.clause) else { return false };
        let Some(close) = self.layout.partner(open) else { return false };
        let mut at = open + 1;
        while at < close {
            let is_condition = matches!(self.layout.text(at), "when" | "let" | "ensure" | "weight");
            if at != self.bounds.clause && !is_condition {
                return false;
            }
            let next = if at == self.bounds.clause { Some(end) } else { self.outside_brackets(at, &[";"]) };
            let Some(next) = next.filter(|&next| next < close) else { return false };
            at = next + 1;
        }
        self.layout.text(open) == "{" && self.bracket_around(open, open).is_none()
    }

    /// Rewrites `f => n += k;` to `when f; n += k;`, if it is the only effect of the move.
    fn effect_after_an_arrow(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let start = clause + usize::from(matches!(self.layout.text(clause), "when" | "if"));
        let arrow = self.outside_brackets(start, &["=>", "->", ";"]).filter(|_| self.in_move())?;
        // `hand->rank` is a part of a value.
        if arrow == clause || self.touches(arrow - 1) && self.layout.text(arrow) == "->" {
            return None;
        }
        let end = self.outside_brackets(arrow, &[";"]).filter(|&end| end > arrow + 1)?;
        let effect = self.text(arrow + 1, end + 1);
        let is_effect = trial_parse(Rule::stmt, effect).is_ok_and(|end| end == effect.len());
        if !is_effect || !self.is_term(start, arrow) {
            return None;
        }
        self.under_its_condition((start, arrow), effect, end)
    }

    /// Explains `if f then n += k;` as the only effect of a move.
    fn effect_under_its_condition(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_if = self.in_move() && self.word == "then" && self.layout.text(clause) == "if";
        let end = self.outside_brackets(self.bounds.at, &[";", "else"]).filter(|_| is_if)?;
        let effect = self.text(self.bounds.at + 1, end + 1);
        let is_effect = trial_parse(Rule::stmt, effect).is_ok_and(|end| end == effect.len());
        let is_single = is_effect && self.layout.text(end + 1) == "}" && self.is_only_effect(end);
        if !is_single || !self.is_term(clause + 1, self.bounds.at) {
            return None;
        }
        let (condition, new) = (self.text(clause + 1, self.bounds.at), format!(" {{ {effect} }}"));
        let help = format!(
            "write `when {condition}; {effect}` if the move is legal only then, `if {condition}{new}` if it may be made \
             without an effect"
        );
        let range = (self.gap().0, self.range(end).1);
        Some(explained(range, &new, "an `if` that changes the state has braces", help).at(self.here()))
    }

    /// The fix of an effect behind an arrow after its condition.
    fn under_its_condition(&self, condition: (usize, usize), effect: &str, end: usize) -> Option<Fix> {
        let condition = self.text(condition.0, condition.1);
        let range = (self.range(self.bounds.clause).0, self.range(end).1);
        let arrow = self.outside_brackets(self.bounds.clause, &["=>", "->"])?;
        let guarded = format!("when {condition}; {effect}");
        let fix = match self.is_only_effect(end) {
            true => Fix::new(range, &guarded, Code::E0013, TITLE).help(format!("write `{guarded}`")),
            false => {
                let chosen = format!("if {condition} {{ {effect} }}");
                let title = "an arrow does not lead from a condition to an effect";
                let help = format!("write `{chosen}`; if the move is legal only then, `when {condition};`");
                explained(range, &chosen, title, help)
            }
        };
        Some(fix.at(self.range(arrow)))
    }

    /// The brace that opens the body of the move or event, which ends the item.
    pub(super) fn body_of_the_move(&self) -> Option<usize> {
        let mut word = self.bounds.first;
        while matches!(self.layout.text(word), "mandatory" | "private" | "forcing")
            || self.layout.text(word).starts_with("///")
        {
            word += 1;
        }
        let is_move =
            matches!(self.layout.text(word), "move" | "chance") && self.bounds.place == ClauseContext::Top;
        let last = self.layout.item_end(self.bounds.first).checked_sub(1).filter(|_| is_move)?;
        let open = self.layout.partner(last)?;
        (self.layout.text(last) == "}" && open > self.bounds.at).then_some(open)
    }

    /// Rewrites `move mark(c: Cell where f) { ... }` to `move mark(c: Cell) { when f; ... }`.
    fn condition_of_a_parameter(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = matches!(self.word, "where" | "when" | "if" | "with");
        let open = self.bracket_around(at, at).filter(|&open| is_word && self.layout.text(open) == "(")?;
        let body = self.body_of_the_move()?;
        let close = self.layout.partner(open).filter(|&close| close < body)?;
        let end = self.outside_brackets(at + 1, &[","]).filter(|&end| end < close).unwrap_or(close);
        if !self.is_term(at + 1, end) {
            return None;
        }
        let condition = self.text(at + 1, end);
        let kept = self.layout.source.get(self.range(end - 1).1..self.range(body).1)?;
        let new = format!("{kept} when {condition};");
        let range = (self.gap().0, self.range(body).1);
        let title = "a condition on a parameter is a condition of the move";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{{ when {condition}; ... }}`")) })
    }

    /// Rewrites `move take(k: 1..3) when f { ... }` to `move take(k: 1..3) { when f; ... }`.
    fn condition_before_the_braces(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let start = match (self.word, self.layout.text(at + 1)) {
            ("only", "if" | "when") => at + 2,
            ("when" | "if" | "where" | "provided" | "requires" | "require" | "given" | "ensure", _) => at + 1,
            _ => return None,
        };
        let body = self.body_of_the_move().filter(|&body| body > start)?;
        let is_in_the_head = self.bracket_around(at, at).is_none();
        let next = self.outside_brackets(start, &["as", "by", "prefer"]).filter(|&next| next < body);
        let end = next.unwrap_or(body - usize::from(self.layout.text(body - 1) == ";"));
        if !is_in_the_head || !self.is_term(start, end) {
            return None;
        }
        let condition = self.text(start, end);
        let rest = next.map_or(String::new(), |next| format!("{} ", self.text(next, body)));
        let new = format!("{rest}{{ when {condition};");
        let range = (self.here().0, self.range(body).1);
        let title = "the conditions of a move stand in its braces";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{new} ... }}`")) })
    }

    /// Rewrites `for x in S when f { ... }` to `for x in S where f { ... }`, and `{ x in S if f }` likewise.
    fn filter_by_when(&self) -> Option<Fix> {
        let (at, clause) = (self.bounds.at, self.bounds.clause);
        let length = match (self.word, self.layout.text(at + 1)) {
            ("such", "that") => 2,
            ("when" | "if" | "with" | "having" | "unless", _) => 1,
            _ => return None,
        };
        let in_set = self.bracket_around(at, at).filter(|&open| {
            self.layout.text(open) == "{" && self.layout.text(open + 2) == "in" && !self.layout.is_block(open)
        });
        let is_loop = self.in_move()
            && self.layout.text(clause) == "for"
            && self.layout.text(clause + 2) == "in"
            && self.outside_brackets(at, &["{", ";"]).is_some_and(|at| self.layout.text(at) == "{");
        if in_set.is_none() && !is_loop || self.word == "unless" {
            return None;
        }
        let range = (self.here().0, self.range(at + length - 1).1);
        let title = "the condition on the elements of a set stands after `where`";
        let fix = Fix::new(range, "where", Code::E0013, title).help("write `where`");
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `for (x in S) { ... }` to `for x in S { ... }`.
    fn loop_in_brackets(&self) -> Option<Fix> {
        let open = self.bounds.clause + 1;
        let word = self.layout.text(self.bounds.clause);
        let first =
            open + 1 + usize::from(matches!(self.layout.text(open + 1), "let" | "var" | "const" | "auto"));
        let is_loop = self.in_move()
            && matches!(word, "for" | "foreach" | "forall")
            && self.layout.text(open) == "("
            && (matches!(self.layout.text(first + 1), "in" | "of" | ":") || self.layout.text(first) == "(");
        let close = self.layout.partner(open).filter(|&close| is_loop && close > first + 2)?;
        let inner = match self.layout.text(first + 1) {
            "of" | ":" => format!("{} in {}", self.layout.text(first), self.text(first + 2, close)),
            _ => self.text(first, close).to_owned(),
        };
        let begin = if word == "for" { self.range(open).0 } else { self.range(self.bounds.clause).0 };
        let range = (begin, self.range(close).1);
        let blank = |is_needed: bool| if is_needed { " " } else { "" };
        let before = if word == "for" { blank(self.touches(open - 1)) } else { "for " };
        let new = format!("{before}{inner}{}", blank(self.touches(close)));
        let title = "what a `for` goes through stands without brackets";
        let (has_block, rest) = match self.layout.text(close + 1) {
            "where" => (true, " where ..."),
            next => (next == "{", ""),
        };
        let help = format!("write `for {inner}{rest} {{ ... }}`");
        let fix = Fix::new(range, &new, Code::E0013, title).help(help);
        has_block.then_some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites the branches of Python, `if f:` with indented lines below it, to `if f { ... }`, and the same of `for`.
    fn branches_by_indentation(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let word = self.layout.text(clause);
        let is_block = self.in_move() && self.word == ":" && matches!(word, "if" | "for");
        if !is_block || !self.layout.begins_line(at + 1) || !self.layout.begins_line(clause) {
            return None;
        }
        let (new, end) = self.indented_branches(at, self.layout.column(clause))?;
        let range = (self.gap().0, self.range(end - 1).1);
        let title = match word {
            "if" => "an `if` that changes the state has braces",
            _ => "the effects of a `for` stand in braces",
        };
        let head: Vec<&str> = self.text(clause, at).split_whitespace().collect();
        let shown = new.split_whitespace().collect::<Vec<_>>().join(" ");
        let fix = Fix::new(range, &format!(" {new}"), Code::E0013, title).at(self.here());
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{} {shown}`", head.join(" "))) })
    }

    /// The branch behind the colon of a head in this column, in braces, and those after it; and the word behind them.
    fn indented_branches(&self, colon: usize, column: usize) -> Option<(String, usize)> {
        let start = colon + 1;
        if start >= self.layout.words.len() || self.layout.column(start) <= column {
            return None;
        }
        let inner = self.layout.column(start);
        let mut lines: Vec<String> = Vec::new();
        let mut at = start;
        while at < self.layout.words.len() && self.layout.text(at) != "}" && self.layout.column(at) > column {
            if self.layout.column(at) != inner {
                return None;
            }
            let end = self.next_line(at);
            let is_whole = (at..end).all(|at| match self.layout.partner(at) {
                Some(partner) => (start..end).contains(&partner),
                None => true,
            });
            let line = self.text(at, end).trim_end_matches(';');
            if end <= at || !is_whole || line.contains(['{', '}']) {
                return None;
            }
            lines.push(format!("{line};"));
            at = end;
        }
        let mut new = format!("{{ {} }}", lines.join(" "));
        let is_branch = matches!(self.layout.text(at), "else" | "elif") && self.layout.column(at) == column;
        if is_branch {
            let next = (at + 1..self.next_line(at)).rev().find(|&at| self.layout.text(at) == ":")?;
            let (rest, end) = self.indented_branches(next, column)?;
            let test = if self.layout.text(at) == "elif" { at + 1 } else { at + 2 };
            new += " else ";
            if next > test {
                new += &format!("if {} ", self.text(test, next));
            }
            new += &rest;
            at = end;
        }
        Some((new, at))
    }
}
