//! Words and signs of heads and declarations in other places: `move saw by A (e: Cable)`,
//! `chance r(d: 1..4 weight 1/4)`, `once move kick()`, `may pass when stuck;`, `hide-out`, `param int w = 3;`, `0..`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::keywords;

impl FixFinder<'_> {
    /// Fixes and explanations of words of heads.
    pub fn head_words(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.actor_before_the_parameters(),
            self.weight_in_the_parameters(),
            self.move_made_once(),
            self.permission_to_pass(),
            self.name_with_a_hyphen(),
            self.type_before_a_parameter(),
            self.range_with_one_end(),
            self.step_of_a_range(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `move saw by A (e: Cable)` to `move saw(e: Cable) by A`.
    fn actor_before_the_parameters(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let head = (first..at).take(4).find(|&at| matches!(self.layout.text(at), "move" | "chance"))?;
        let is_head = matches!(self.word, "by" | "in") && at == head + 2;
        let mut open = at;
        while is_head && matches!(self.layout.text(open), "by" | "in") {
            open = match self.layout.partner(open + 1) {
                Some(close) if self.layout.text(open + 1) == "{" => close + 1,
                _ if self.is_name(open + 1) => open + 2,
                _ => return None,
            };
        }
        let close = self.layout.partner(open).filter(|_| is_head && self.layout.text(open) == "(")?;
        let (actor, parameters) = (self.text(at, open), self.text(open, close + 1));
        let new = format!("{parameters} {actor}");
        let range = (self.gap().0, self.range(close).1);
        let title = format!("the parameters of a move follow its name; `{}` stands after them", self.word);
        let fix = Fix::new(range, &new, Code::E0013, title).at((self.here().0, self.range(open - 1).1));
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{}{new}`", self.last)) })
    }

    /// Rewrites `chance r(d: 1..4 weight 1/4) { ... }` to `chance r(d: 1..4) { weight 1/4; ... }`.
    fn weight_in_the_parameters(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = matches!(self.word, "weight" | "probability") && self.is_event();
        let open = self.bracket_around(at, at).filter(|&open| is_word && open == self.bounds.first + 2)?;
        let close = self.layout.partner(open)?;
        let weight = self.text(at + 1, close);
        let is_term = trial_parse(Rule::one_expr, weight).is_ok_and(|length| length == weight.len());
        let end = self.layout.item_end(self.bounds.first);
        let body = (close..end).find(|&at| self.layout.text(at) == "{" && self.layout.is_block(at))?;
        is_term.then(|| {
            let rest = self.layout.source.get(self.range(close).0..self.range(body).1).unwrap_or_default();
            let new = format!("{rest} weight {weight};");
            let title = "how likely an event is stands after `weight` in its braces";
            let fix = Fix::new((self.gap().0, self.range(body).1), &new, Code::E0013, title);
            let fix = fix.at((self.here().0, self.range(close - 1).1));
            Fix { accepts_partial: true, ..fix.help(format!("write `{{ weight {weight}; ... }}`")) }
        })
    }

    /// Explains `once move kick()`.
    fn move_made_once(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_once = |at: usize| matches!(self.layout.text(at), "once" | "single" | "onetime" | "unique");
        let is_move = |at: usize| matches!(self.layout.text(at), "move" | "private" | "mandatory");
        let is_between = |at: usize| {
            let word = self.layout.text(at);
            is_once(at)
                || matches!(word, "per" | "game" | "player" | "each" | "every" | "a" | "at" | "most" | "only")
        };
        // Before the `move`, or behind it.
        let (start, end) = match is_move(first) {
            true => (first + 1, first + 2),
            false => (first, (first + 1..first + 6).find(|&at| is_move(at))?),
        };
        let are_words = (start..end).all(is_between) && (start..end).any(is_once);
        let is_head = start == first || self.is_name(end) && self.layout.text(end + 1) == "(";
        (are_words && is_head && self.bounds.at <= end + 1).then(|| {
            let title = "a move begins with `move`: how often it is made is a condition of it";
            let help = "write a field, `made: bool = false;`, and in the move `when not made; made := true;`; if each player \
                        may do it once, `made[p: Player]: bool = false;` and `made[me]`";
            let range = (self.range(start).0, self.range(end).0);
            let fix = explained(range, "", title, help).at((range.0, self.range(end - 1).1));
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `may pass when stuck;` to `pass when stuck;`.
    fn permission_to_pass(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let pass = (first + 1..first + 4).find(|&at| self.layout.text(at) == "pass")?;
        let is_word = |at: usize| {
            matches!(self.layout.text(at), "may" | "can" | "players" | "player" | "a" | "the" | "allow")
        };
        let is_item = matches!(self.layout.text(pass + 1), "when" | "always") && (first..pass).all(is_word);
        (is_item && self.bounds.at <= pass).then(|| {
            let range = (self.range(first).0, self.range(pass).0);
            let title = "that a player may pass begins with `pass`";
            let fix = Fix::new(range, "", Code::E0013, title);
            let shown = self.text(pass, pass + 2).to_owned();
            let shown = if shown.ends_with("always") { shown + ";" } else { shown + " ...;" };
            fix.at((range.0, self.range(pass - 1).1)).help(format!("write `{shown}`"))
        })
    }

    /// Rewrites the name `hide-out` to `hide_out` where no term can stand.
    fn name_with_a_hyphen(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_hyphen = self.word == "-" && at > self.bounds.first + 1 && self.touches(at);
        let is_part = |at: usize| {
            let word = self.layout.text(at);
            keywords::starts_with_letter(word) || self.is_number(at)
        };
        let begin =
            at.checked_sub(1).filter(|&last| is_hyphen && self.touches(last) && self.is_name(last))?;
        let before = self.layout.text(begin.checked_sub(1)?);
        let is_declared = match self.bounds.place {
            ClauseContext::Phases => matches!(before, "{" | ";" | "setup"),
            ClauseContext::State => matches!(before, "{" | ";" | "transient"),
            _ => {
                let is_head = matches!(
                    before,
                    "in" | "move"
                        | "chance"
                        | "def"
                        | "inductive"
                        | "effect"
                        | "const"
                        | "param"
                        | "continue"
                        | "enum"
                        | "record"
                        | "type"
                        | "invariant"
                );
                let is_member = self.layout.text(self.bounds.first) == "enum" && matches!(before, "{" | ",");
                is_head && before != "in" || is_member || before == "in" && self.outline().has_word("phases")
            }
        };
        if !is_declared || !is_part(at + 1) || self.layout.text(self.bounds.first) == "board" {
            return None;
        }
        let mut end = at + 1;
        while self.layout.text(end + 1) == "-"
            && self.touches(end)
            && self.touches(end + 1)
            && is_part(end + 2)
        {
            end += 2;
        }
        let new = self.text(begin, end + 1).replace('-', "_");
        let range = (self.range(begin).0, self.range(end).1);
        let title = format!("`{}` is a difference: names have no `-`", self.text(begin, end + 1));
        let fix = Fix::new(range, &new, Code::E0013, title);
        Some(Fix {
            accepts_partial: true,
            ..fix.help(format!("write `{new}`, here and wherever it is used"))
        })
    }

    /// Explains `param int w = 3;`.
    fn type_before_a_parameter(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let ty = self.layout.text(first + 1);
        let is_number = matches!(ty, "int" | "integer" | "number" | "nat" | "uint" | "i32" | "u32");
        let is_bool = matches!(ty, "bool" | "boolean");
        let is_parameter = self.layout.text(first) == "param"
            && self.is_name(first + 2)
            && self.layout.text(first + 3) == "="
            && (first + 1..first + 4).contains(&self.bounds.at)
            && (is_number || is_bool);
        let name = self.layout.text(first + 2);
        is_parameter.then(|| {
            let title = "the type of a parameter stands after its name";
            let range = (self.range(first + 1).0, self.range(first + 2).1);
            let fix = match is_bool {
                true => {
                    let new = format!("{name}: bool");
                    Fix::new(range, &new, Code::E0013, title).help(format!("write `param {new} = ...;`"))
                }
                false => {
                    let help = format!("write `param {name}: 0..9 = ...;` with the range of its values");
                    explained(range, &format!("{name}: 0..1000"), title, help)
                }
            };
            Fix { accepts_partial: true, ..fix.at(self.range(first + 1)) }
        })
    }

    /// Explains the type `0..`, which has no end.
    fn range_with_one_end(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let dots = [at, at.checked_sub(1)?].into_iter().find(|&at| self.layout.text(at) == "..")?;
        let start = dots.checked_sub(1).filter(|&start| start > self.bounds.clause)?;
        let ends = |at: usize| {
            matches!(self.layout.text(at), ";" | "=" | ")" | "," | "]" | "hidden" | "visible" | "?")
        };
        let begins = matches!(self.layout.text(start.checked_sub(1)?), "=" | ":" | "in" | "of");
        if begins && (self.is_number(start) || self.is_name(start)) && ends(dots + 1) {
            let low = self.layout.text(start);
            let title = "a range has two ends: the least and the greatest number";
            let help = format!("write `{low}..9`, with the greatest number that is needed");
            let range = (self.range(start).0, self.range(dots).1);
            return Some(explained(range, &format!("{low}..1000"), title, help));
        }
        let is_low = matches!(self.layout.text(start), "=" | ":" | "in" | "of") && self.is_number(dots + 1);
        if is_low && at == dots && ends(dots + 2) {
            let high = self.layout.text(dots + 1);
            let title = "a range has two ends: the least and the greatest number";
            let range = (self.range(dots).0, self.range(dots + 1).1);
            return Some(explained(
                range,
                &format!("0..{high}"),
                title,
                format!("write `0..{high}`, or `1..{high}`"),
            ));
        }
        None
    }

    /// Explains the step of `1..n..2`, where no condition takes its place.
    fn step_of_a_range(&self) -> Option<Fix> {
        let dots = self.second_dots().filter(|_| self.steps_of_a_range().is_none())?;
        let is_step = self.end_of_operand(dots + 1).is_some();
        is_step.then(|| {
            let title = "a range has no steps: a condition chooses the elements";
            let help =
                "write `x in 1..9 where x mod 2 = 1` for every second number, or a list of them, `[1, 3, 5]`";
            let end = self.end_of_operand(dots + 1).unwrap_or(dots + 2);
            explained((self.range(dots).0, self.range(end - 1).1), "", title, help)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    /// Checks that each text is mended to the other one, with one message.
    fn check(pairs: &[(&str, &str)]) {
        for (old, new) in pairs {
            assert_eq!(mended(old), *new);
            assert_eq!(titles(old).len(), 1, "{old}: {:?}", titles(old));
        }
    }

    #[test]
    fn parameters_follow_the_name() {
        let text = |head: &str| format!("players A, B;\nmove {head} as \"{{e}}\" {{ cut |= {{ e }}; }}\n");
        check(&[
            (&text("saw by A (e: Cable)"), &text("saw(e: Cable) by A")),
            (&text("saw by { A, B } in act (e: Cable)"), &text("saw(e: Cable) by { A, B } in act")),
        ]);
    }

    #[test]
    fn weights_stand_in_the_braces() {
        let text = |parameter: &str, weight: &str| {
            format!("chance r(d: 1..4{parameter}) in roll as \"({{d}})\" {{{weight} n := d; }}\n")
        };
        check(&[(&text(" weight 1/4", ""), &text("", " weight 1/4;"))]);
    }

    #[test]
    fn names_have_no_hyphens() {
        check(&[
            ("phases { hide-out by A; dig; }\n", "phases { hide_out by A; dig; }\n"),
            ("state { left-over-x: 0..3 = 3; }\n", "state { left_over_x: 0..3 = 3; }\n"),
            ("enum Kind { half-way, b }\n", "enum Kind { half_way, b }\n"),
            ("move take-all() as \"all\" { n := 1; }\n", "move take_all() as \"all\" { n := 1; }\n"),
        ]);
    }

    #[test]
    fn items_begin_with_their_word() {
        check(&[
            ("may pass when stuck;\n", "pass when stuck;\n"),
            ("param bool wide = true;\n", "param wide: bool = true;\n"),
        ]);
        for words in ["once per game move kick()", "at most once move kick()", "move once kick()"] {
            let text = format!("{words} as \"kick\" {{ n := 1; }}\n");
            check(&[(&text, &text)]);
            assert!(titles(&text)[0].starts_with("a move begins with `move`"), "{words}");
        }
        let once = "once move kick() as \"kick\" { n := 1; }\n";
        check(&[(once, once), ("param int w = 3;\n", "param int w = 3;\n")]);
    }

    #[test]
    fn ranges_have_two_ends() {
        for text in [
            "type Place = 0..;\n",
            "state { n: 0.. = 0; }\n",
            "type Place = ..9;\n",
            "type Odd = 1..n..2;\n",
            "move m(k: 1..) as \"{k}\" { n := k; }\n",
        ] {
            check(&[(text, text)]);
        }
        check(&[("def f = sum i in 1..n..2: a[i];\n", "def f = sum i in 1..n where i mod 2 = 1: a[i];\n")]);
    }
}
