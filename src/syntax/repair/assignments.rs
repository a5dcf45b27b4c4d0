//! Effects in the form of other languages: `n *= k;`, `a, b := b, a;`, `UPDATE at SET c = me;`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;

impl FixFinder<'_> {
    /// Fixes and explanations of effects.
    pub fn effects(&self, fixes: &mut Vec<Fix>) {
        if self.bounds.place != ClauseContext::Move && self.bounds.place != ClauseContext::Position {
            return;
        }
        let all = [
            self.operator_with_assignment(),
            self.several_targets(),
            self.update_of_a_table(),
            self.effect_after_a_heading(),
            self.value_in_words(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `n *= k;` to `n := n * k;`.
    fn operator_with_assignment(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let last = match (self.word, self.layout.text(at + 1)) {
            ("*" | "/" | "&" | "mod" | "and" | "or" | "|", "=" | "==") => at + 1,
            // `||=`
            ("|", "|=") => at + 1,
            _ => return None,
        };
        let operator = if self.layout.text(last) == "|=" { "or" } else { self.word };
        let end = self.outside_brackets(last + 1, &[";"]).filter(|&end| at > clause && end > last + 1)?;
        let target = self.text(clause, at);
        let operand = match end - last {
            2 => self.text(last + 1, end).to_owned(),
            _ => format!("({})", self.text(last + 1, end)),
        };
        let new = format!("{target} := {target} {operator} {operand}");
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = "of the operators only `+`, `-` and `|` are joined with `=`";
        let fix = Fix::new(range, &new, Code::E0013, title).at((self.here().0, self.range(last).1));
        Some(fix.help(format!("write `{new};`")))
    }

    /// Rewrites `a, b := b, a;` to `a := b; b := a;`.
    fn several_targets(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let sign = self.outside_brackets(clause, &[":=", "=", ";"])?;
        let end = self.outside_brackets(sign, &[";"]).filter(|_| self.word == ",")?;
        if self.layout.text(sign) == ";" || self.bounds.at > sign {
            return None;
        }
        let (targets, values) = (self.items_between(clause, sign)?, self.items_between(sign + 1, end)?);
        if targets.len() != values.len() || targets.len() < 2 {
            return None;
        }
        let effects: Vec<String> =
            targets.iter().zip(&values).map(|(target, value)| format!("{target} := {value}")).collect();
        let new = effects.join("; ");
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = "an effect sets one value, and all effects happen at once";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        Some(fix.help(format!("write `{new};`: each reads the values before the move")))
    }

    /// The terms between two words, which commas separate; `None` if one of them is empty.
    fn items_between(&self, from: usize, to: usize) -> Option<Vec<&str>> {
        let mut items = Vec::new();
        let mut start = from;
        while start < to {
            let end = self.outside_brackets(start, &[","]).filter(|&end| end < to).unwrap_or(to);
            items.push(self.text(start, end));
            start = end + 1;
        }
        (!items.is_empty() && items.iter().all(|item| !item.is_empty())).then_some(items)
    }

    /// Explains `UPDATE at SET c = me;`.
    fn update_of_a_table(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = self.layout.text(clause).to_ascii_lowercase();
        let second = self.layout.text(clause + 1).to_ascii_lowercase();
        let is_statement = match word.as_str() {
            "update" => self.layout.text(clause + 2).eq_ignore_ascii_case("set"),
            "insert" => second == "into",
            "delete" => second == "from",
            _ => false,
        };
        is_statement.then(|| {
            let name = self.layout.text(clause + 1 + usize::from(word != "update"));
            let (title, help) = match word.as_str() {
                "update" => (
                    "a field changes by `:=`, cell by cell",
                    format!("write `{name}[c] := me;` for one cell, `for c in Cell where f {{ {name}[c] := me; }}` for several"),
                ),
                "insert" => ("an element is put into a set by `|=`", format!("write `{name} |= {{ x }};`")),
                _ => (
                    "an element is taken out of a set by `-=`",
                    format!("write `{name} -= {{ x }};`, or `{name}[c] := none;` for a cell of a field"),
                ),
            };
            explained(self.whole_clause(), "", title, help).at(self.range(clause))
        })
    }

    /// Rewrites `effect: n -= k;` to `n -= k;`, and explains `effect: on(x, y);`.
    fn effect_after_a_heading(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_heading = matches!(
            self.layout.text(clause),
            "effect" | "effects" | "action" | "result" | "do" | "post" | "postcondition"
        ) && self.layout.text(clause + 1) == ":";
        let end = self.outside_brackets(clause + 2, &[";"]).filter(|&end| is_heading && end > clause + 2)?;
        let title = "the effects of a move stand in its braces without a heading";
        let label = (self.range(clause).0, self.range(clause + 1).1);
        if (clause + 2..end).any(|at| matches!(self.layout.text(at), ":=" | "+=" | "-=" | "|=" | "<-")) {
            let range = (self.range(clause).0, self.range(clause + 2).0);
            return Some(Fix::new(range, "", Code::E0013, title).at(label).help("leave it out"));
        }
        let fact = self.text(clause + 2, end);
        let help = match fact.strip_suffix(')').and_then(|fact| fact.split_once('(')) {
            Some(("not", fact)) => match fact.trim_end_matches(')').split_once('(') {
                Some((name, keys)) => {
                    format!("write `{name}[{keys}] := false;` for a condition that no longer holds")
                }
                None => format!("write `{fact} := false;` for a condition that no longer holds"),
            },
            Some((name, keys)) => {
                format!("write `{name}[{keys}] := true;` for a condition that holds from now on")
            }
            None => format!("write `{fact} := ...;`, with the new value"),
        };
        Some(explained(self.whole_clause(), "", title, help).at(label))
    }

    /// Explains `n becomes 3;`.
    fn value_in_words(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_target = self.bounds.at > clause && self.end_of_operand(clause) == Some(self.bounds.at);
        let ours = match (self.word, self.layout.text(self.bounds.at + 1)) {
            ("becomes" | "gets" | "goes", _) | ("moves" | "jumps" | "turns" | "changes", "to") => ":=",
            ("increases" | "grows" | "rises", "by") if is_target => "+=",
            ("decreases" | "shrinks" | "falls" | "drops", "by") if is_target => "-=",
            _ => return None,
        };
        let is_word = self.bounds.at > clause && (self.in_move() || ours == ":=");
        let end = self.outside_brackets(self.bounds.at + 1, &[";"]).filter(|_| is_word)?;
        let from =
            self.bounds.at + 1 + usize::from(matches!(self.layout.text(self.bounds.at + 1), "to" | "by"));
        if from >= end {
            return None;
        }
        let title = format!("`{}` is written `{ours}`", self.word);
        let new = format!("{ours} {}", self.text(from, end));
        let range = (self.here().0, self.range(end - 1).1);
        let is_plain = !self.text(from, end).contains(DAMAGE_MARKER);
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        is_plain.then(|| fix.help(format!("write `{} {new};`", self.text(clause, self.bounds.at))))
    }
}
