//! Whole clauses written as in other languages: `unless`, an `if` without braces, a type before its name.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use crate::diag::Code;
use crate::keywords::STATEMENT_KEYWORDS;
use crate::lex::TokenKind;

impl FixFinder<'_> {
    /// Rewrites clauses in the form of other languages.
    pub fn idioms(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.unless(),
            self.if_without_braces(),
            self.for_without_braces(),
            self.condition_with_then(),
            self.state_without_braces(),
            self.visibility_before_name(),
            self.visibility_before_value(),
            self.hidden_and_visible(),
            self.body_of_a_definition(),
            self.binder_over_a_type(),
            self.players_in_brackets(),
            self.prefix_of_a_string(),
            self.part_by_number(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// The text from one word up to another, the latter excluded.
    pub(super) fn text(&self, from: usize, to: usize) -> &str {
        self.layout.source.get(self.range(from).0..self.range(to.saturating_sub(1)).1).unwrap_or_default()
    }

    /// The first of the words from `from` on that is one of `wanted`, outside of brackets.
    pub(super) fn outside_brackets(&self, from: usize, wanted: &[&str]) -> Option<usize> {
        let mut at = from;
        while at < self.layout.words.len() {
            if wanted.contains(&self.layout.text(at)) {
                return Some(at);
            }
            match self.layout.words[at].kind {
                TokenKind::Close => return None,
                TokenKind::Open => at = self.layout.partner(at)?,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Leaves out the terms `pair.1`: parts of a tuple have no numbers.
    fn part_by_number(&self) -> Option<Fix> {
        let dot = self.bounds.at.checked_sub(1)?;
        let is_part = |dot: usize| {
            let number = self.layout.text(dot + 1);
            let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            self.layout.text(dot) == "." && is_number && self.range(dot).1 == self.range(dot + 1).0
        };
        if !is_part(dot) {
            return None;
        }
        // All of them in the clause, since it cannot be read with any.
        let start = self.range(self.start_of_term(dot)).0;
        let (mut new, mut kept) = (DAMAGE_MARKER.to_owned(), self.here().1);
        for at in dot + 2..self.layout.words.len() {
            match self.layout.text(at) {
                ";" | "{" | "}" => break,
                _ if is_part(at) => {
                    let next = self.range(self.start_of_term(at)).0.max(kept);
                    new += self.layout.source.get(kept..next).unwrap_or_default();
                    new += DAMAGE_MARKER;
                    kept = self.range(at + 1).1;
                }
                _ => {}
            }
        }
        let whole = self.layout.source.get(start..self.range(dot).0).unwrap_or_default();
        let title = "the parts of a tuple have no numbers";
        let fix = Fix::new((start, kept), &new, Code::E0013, title);
        let help = format!(
            "take it apart, as in `let (a, b) = {whole};`, or declare a record, whose parts have names"
        );
        Some(Fix { is_correction: false, ..fix.at((self.range(dot).0, self.here().1)).help(help) })
    }

    /// The first word of the term that ends before this word: `at` of `at[c].`.
    pub(super) fn start_of_term(&self, end: usize) -> usize {
        let last = end.saturating_sub(1);
        let first = match self.layout.words[last].kind {
            TokenKind::Close => self.layout.partner(last).unwrap_or(last),
            _ => last,
        };
        let touches = first > 0 && self.range(first - 1).1 == self.range(first).0;
        match self.layout.text(first.saturating_sub(1)) {
            "." if touches => self.start_of_term(first - 1),
            before if touches && first < last && before.ends_with(|c: char| c.is_alphanumeric()) => first - 1,
            _ => first,
        }
    }

    /// Rewrites `unless c;` to `when not (c);`.
    fn unless(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.outside_brackets(clause + 1, &[";", "=>"])?;
        let is_unless = self.layout.text(clause) == "unless" && end > clause + 1;
        let new = is_unless.then(|| format!("when not ({})", self.text(clause + 1, end)))?;
        let range = (self.range(clause).0, self.range(end - 1).1);
        let fix = Fix::new(range, &new, Code::E0013, "`unless` is written `when not`").at(self.range(clause));
        Some(fix.help(format!("write `{new}`")))
    }

    /// Rewrites `if c then a := 1;` and `if (c) a := 1;` to `if c { a := 1; }`.
    fn if_without_braces(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        // The clause of `} else if c then ...` begins with `else`.
        let clause = clause + usize::from(self.layout.text(clause) == "else");
        let is_if = self.bounds.place == ClauseContext::Move && self.layout.text(clause) == "if";
        let first = match self.word {
            "then" | ":" if is_if => at + 1,
            // `if f, a := 1;`
            "," if is_if && self.layout.text(self.outside_brackets(at, &["{", ";"])?) == ";" => at + 1,
            _ if is_if && self.layout.partner(clause + 1) == at.checked_sub(1) && self.last == ")" => at,
            _ => return None,
        };
        if let Some(end) = self.outside_brackets(first, &["end", "fi", "endif"]) {
            // `if c then a := 1 end` as in Lua
            let body = self.text(first, end).trim_end_matches(';');
            let new = format!("{{ {body}; }}");
            let is_plain = self.outside_brackets(first, &["else", "elseif"]).is_none_or(|other| other > end);
            let title = "an `if` that changes the state has braces";
            let last = end + usize::from(self.layout.text(end + 1) == ";");
            let fix = Fix::new((self.here().0, self.range(last).1), &new, Code::E0013, title).at(self.here());
            let is_single = self.outside_brackets(first, &[";"]).is_none_or(|at| at + 1 >= end);
            let fix = Fix { is_correction: is_single, ..fix };
            return (is_plain && end > first)
                .then(|| fix.help(format!("write `if {} {new}`", self.text(clause + 1, at))));
        }
        let title = "an `if` that changes the state has braces";
        if self.layout.text(first) == "{" {
            // `if c then { a := 1; }`
            let fix = Fix::new((self.gap().0, self.here().1), "", Code::E0013, title).at(self.here());
            let help = format!("write `if {} {{ ... }}`", self.text(clause + 1, at));
            return Some(Fix { accepts_partial: true, ..fix.help(help) });
        }
        let (new, last) = self.branches_in_braces(first)?;
        let range = (self.gap().0, self.range(last).1);
        let fix = Fix::new(range, &format!(" {new}"), Code::E0013, title).at(self.here());
        // In C, `if (c) a; b;` has one effect.
        let is_of_c = !matches!(self.word, "then" | ":" | ",") && !self.layout.begins_line(last + 1);
        let is_correction = is_of_c || self.ends_a_body(clause, last);
        let help = match is_correction {
            true => format!("write `if {} {new}`", self.text(clause + 1, at)),
            false => format!(
                "write `if {} {{ ... }}`, with all its effects in the braces",
                self.text(clause + 1, at)
            ),
        };
        Some(Fix { accepts_partial: true, is_correction, ..fix.help(help) })
    }

    /// Returns true if the statement that ends with this word is the last one that may belong to a clause without braces:
    /// what follows closes the block, or begins a line and is not indented more than the clause.
    fn ends_a_body(&self, clause: usize, last: usize) -> bool {
        let next = last + 1;
        if next >= self.layout.words.len() || self.layout.text(next) == "}" {
            return true;
        }
        let column = |word: usize| {
            let start = self.range(word).0;
            let before = self.layout.source.get(..start).unwrap_or_default();
            start - before.rfind('\n').map_or(0, |line| line + 1)
        };
        self.layout.begins_line(next) && column(next) <= column(clause)
    }

    /// Writes the branches of an `if` in braces: `a := 1; else if d then b := 2; else c := 3;`, and the same with `else`
    /// before the semicolon. Returns the new text and the last word of the old one.
    fn branches_in_braces(&self, first: usize) -> Option<(String, usize)> {
        let end = self.outside_brackets(first, &[";"])?;
        if let Some(other) = self.outside_brackets(first, &["else"]).filter(|&other| other < end) {
            // The last branch may lack its semicolon: then the next statement begins a line.
            let next = (other + 2..end).find(|&at| self.begins_statement_line(at));
            let (branch, last) = next.map_or((end, end), |next| (next, next - 1));
            let (one, two) = (self.assignment(first, other), self.assignment(other + 1, branch));
            let new = format!("{{ {one}; }} else {{ {two}; }}");
            return Some((new, last));
        }
        let mut new = format!("{{ {}; }}", self.text(first, end));
        if self.layout.text(end + 1) != "else" {
            return Some((new, end));
        }
        let mut other = end + 2 + usize::from(self.layout.text(end + 2) == ":");
        if self.layout.text(other) == "if" {
            let condition = other + 1;
            let then = self.outside_brackets(condition, &["then", ":", ";"])?;
            if self.layout.text(then) != ";" {
                let (rest, last) = self.branches_in_braces(then + 1)?;
                new += &format!(" else if {} {rest}", self.text(condition, then));
                return Some((new, last));
            }
            other = end + 2;
        }
        let last = self.outside_brackets(other, &[";"])?;
        new += &format!(" else {{ {}; }}", self.text(other, last));
        Some((new, last))
    }

    /// The words of an effect, with `:=` for its `=`.
    fn assignment(&self, from: usize, to: usize) -> String {
        let sign = self.outside_brackets(from, &[":=", "+=", "-=", "|=", "<-", "=", ";"]);
        match sign.filter(|&sign| sign < to && self.layout.text(sign) == "=" && self.is_name(from)) {
            Some(sign) => format!("{} := {}", self.text(from, sign), self.text(sign + 1, to)),
            None => self.text(from, to).to_owned(),
        }
    }

    /// Returns true if a word begins a line and a statement.
    fn begins_statement_line(&self, at: usize) -> bool {
        let word = self.layout.text(at);
        self.layout.begins_line(at) && STATEMENT_KEYWORDS.contains(&word)
    }

    /// Rewrites `for x in S: a := 1;` to `for x in S { a := 1; }`.
    fn for_without_braces(&self) -> Option<Fix> {
        let is_for =
            self.bounds.place == ClauseContext::Move && self.layout.text(self.bounds.clause) == "for";
        let first = self.bounds.at + 1;
        let end =
            self.outside_brackets(first, &[";"]).filter(|&end| is_for && self.word == ":" && end > first)?;
        let new = format!(" {{ {}; }}", self.text(first, end));
        let title = "the effects of a `for` stand in braces";
        let fix = Fix::new((self.gap().0, self.range(end).1), &new, Code::E0013, title).at(self.here());
        let head: Vec<&str> = self.text(self.bounds.clause, self.bounds.at).split_whitespace().collect();
        let is_correction = self.ends_a_body(self.bounds.clause, end);
        let help = match is_correction {
            true => format!("write `{}{new}`", head.join(" ")),
            false => format!("write `{} {{ ... }}`, with all its effects in the braces", head.join(" ")),
        };
        Some(Fix { is_correction, ..fix.help(help) })
    }

    /// Rewrites `when c then a := 1;` to `when c; a := 1;`.
    fn condition_with_then(&self) -> Option<Fix> {
        let is_when =
            self.bounds.place == ClauseContext::Move && self.layout.text(self.bounds.clause) == "when";
        let title = "a condition ends with `;`, and the effects follow it";
        (is_when && self.word == "then").then(|| {
            let fix = Fix::new((self.gap().0, self.here().1), ";", Code::E0013, title);
            fix.at(self.here()).help("write `;`")
        })
    }

    /// Rewrites `state n: 0..9 = 0;` to `state { n: 0..9 = 0; }`.
    fn state_without_braces(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_field = self.layout.text(first) == "state" && self.bounds.at == first + 1;
        let end = self.outside_brackets(first + 1, &[";"]).filter(|_| is_field)?;
        let new = format!("{{ {} }}", self.text(first + 1, end + 1));
        let range = (self.here().0, self.range(end).1);
        let fix = Fix::new(range, &new, Code::E0013, "the fields of the state stand in braces");
        Some(fix.at(self.here()).help(format!("write `state {new}`")))
    }

    /// Explains `private card: ...` in a state: who sees a field is said at its end.
    fn visibility_before_name(&self) -> Option<Fix> {
        let at = self.bounds.at.checked_sub(1)?;
        let is_word = matches!(self.last, "private" | "hidden" | "secret" | "visible");
        let begins = matches!(self.layout.text(at.checked_sub(1)?), "{" | ";");
        let is_field = matches!(self.layout.text(self.bounds.at + 1), ":" | "[");
        (is_word && begins && is_field).then(|| {
            let title = "who sees a field is said at its end";
            let help = format!(
                "write `{}: ... = ... hidden;` if nobody sees it, `... visible to p;` if a player does; all others are \
                 public",
                self.word
            );
            let fix = Fix::new((self.range(at).0, self.here().0), "", Code::E0013, title).help(help);
            Fix { is_correction: false, ..fix.at(self.range(at)) }
        })
    }

    /// Rewrites `deck: set of Card hidden = Card;` to `deck: set of Card = Card hidden;`.
    fn visibility_before_value(&self) -> Option<Fix> {
        let at = self.bounds.at.checked_sub(1)?;
        if self.word != "=" || self.last != "hidden" {
            return None;
        }
        let end = self.outside_brackets(self.bounds.at, &[";"])?;
        let new = format!("{} hidden", self.text(self.bounds.at, end));
        let range = (self.range(at).0, self.range(end).0);
        let fix = Fix::new(range, &new, Code::E0013, "the initial value of a field stands before `hidden`");
        Some(fix.at(self.range(at)).help(format!("write `{new};`")))
    }

    /// Rewrites `hidden visible to Ann` to `visible to Ann`, and `hidden except Ann` likewise.
    fn hidden_and_visible(&self) -> Option<Fix> {
        let at = self.bounds.at.checked_sub(1).filter(|_| self.last == "hidden")?;
        let (end, new) = match self.word {
            "visible" => (self.here().0, ""),
            "except" => (self.here().1, "visible to"),
            _ => return None,
        };
        let title = "a field that somebody sees is hidden from all others";
        let fix = Fix::new((self.range(at).0, end), new, Code::E0013, title).at(self.range(at));
        Some(fix.help("write `visible to p`, without `hidden`"))
    }

    /// Rewrites `def f() { return e; }` to `def f() = e;`.
    fn body_of_a_definition(&self) -> Option<Fix> {
        let is_body = matches!(self.layout.text(self.bounds.first), "def" | "inductive" | "function" | "fn");
        // `-> bool` before the braces
        let has_type = matches!(self.word, "->" | "=>") && self.layout.text(self.bounds.at + 2) == "{";
        let open = self.bounds.at + if has_type { 2 } else { 0 };
        let close = self.layout.partner(open).filter(|_| is_body && self.layout.text(open) == "{")?;
        let start = open + 1 + usize::from(self.layout.text(open + 1) == "return");
        let end = close - usize::from(self.layout.text(close - 1) == ";");
        if start >= end || (start..end).any(|at| self.layout.text(at) == ";") {
            return None;
        }
        let new = format!("= {};", self.text(start, end));
        let range = (self.here().0, self.range(close).1);
        let fix = Fix::new(range, &new, Code::E0013, "a definition is one expression after `=`");
        Some(fix.at(self.here()).help(format!("write `{new}`")))
    }

    /// Explains `some s in set of Cell: ...`: a binder goes through a set, not through a type.
    fn binder_over_a_type(&self) -> Option<Fix> {
        let at = self.bounds.at.checked_sub(1)?;
        let is_type = self.word == "of" && matches!(self.last, "set" | "list");
        (is_type && self.layout.text(at.checked_sub(1)?) == "in").then(|| {
            let element = self.layout.text(self.bounds.at + 1);
            let title = format!("`{} of {element}` is a type, and here a set is needed", self.last);
            let help = format!(
                "write `in {element}` to go through its elements; only a parameter of a move can be any set: \
                 `move m(s: set of {element})`"
            );
            let fix = Fix::new((self.range(at).0, self.here().1), "", Code::E0013, title).help(help);
            Fix { is_correction: false, ..fix }
        })
    }

    /// Rewrites `players [A, B];` to `players A, B;`.
    fn players_in_brackets(&self) -> Option<Fix> {
        let close = self.layout.partner(self.bounds.at)?;
        let are_players = self.bounds.at == self.bounds.first + 1 && self.last == "players";
        are_players.then(|| {
            let names = self.text(self.bounds.at + 1, close);
            let range = (self.here().0, self.range(close).1);
            let new = format!("{names}{}", if self.layout.text(close + 1) == ";" { "" } else { ";" });
            let fix = Fix::new(range, &new, Code::E0013, "players are listed without brackets");
            fix.at(self.here()).help(format!("write `players {names};`"))
        })
    }

    /// Removes the prefix of `f"..."`.
    fn prefix_of_a_string(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_string = self.layout.words.get(at + 1).is_some_and(|next| {
            matches!(next.kind, TokenKind::Str | TokenKind::Text) && next.start == self.here().1
        });
        let title = format!("a string needs no `{}`: every string may have placeholders", self.word);
        (is_string && matches!(self.word, "f" | "r" | "b" | "F"))
            .then(|| Fix::new(self.here(), "", Code::E0013, title).help("leave it out"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::mended;

    #[test]
    fn the_last_branch_may_lack_its_semicolon() {
        let text = |choice: &str| format!("move m(d: 1..3) {{\n  {choice}\n  next other(me);\n}}\n");
        assert_eq!(
            mended(&text("if d > 1 then n := min(6, n + d) else n = 0")),
            text("if d > 1 { n := min(6, n + d); } else { n := 0; }")
        );
    }
}
