//! Clauses that lack a word or have one in another place: `const wall: { b2 };`, `prefer least k`,
//! `highest p: score[p]`, `then if ...`, `expect not draw;`, `count none in at[c]`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;
use crate::lex::lex;

/// Words that ask for the least value.
const LEAST: [&str; 7] = ["least", "lowest", "smallest", "min", "fewest", "minimal", "minimum"];
/// Words that ask for the greatest value.
const GREATEST: [&str; 8] =
    ["most", "greatest", "highest", "largest", "biggest", "maximal", "maximum", "longest"];
/// The colours of pieces.
pub(super) const COLOURS: [&str; 9] =
    ["black", "white", "red", "blue", "yellow", "green", "purple", "orange", "grey"];

/// A value with `p` in the place of a player, and `other(p)` in that of the other one of two.
fn in_terms_of_p(value: &str, name: &str, names: &[&str]) -> String {
    let mut new = String::new();
    let mut done = 0;
    for word in lex(value) {
        new += &value[done..word.start];
        new += match word.text(value) {
            text if text == name => "p",
            text if names.len() == 2 && names.contains(&text) => "other(p)",
            text => text,
        };
        done = word.end;
    }
    new
}

impl FixFinder<'_> {
    /// Fixes and explanations of clauses in another form.
    pub fn clause_forms(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.constant_with_a_colon(),
            self.constant_without_a_value(),
            self.preference_by_another_word(),
            self.stage_of_a_choice(),
            self.claim_of_no_draw(),
            self.counted_values(),
            self.look_without_characters(),
            self.look_in_quotes(),
            self.phases_of_a_move(),
            self.hints_with_commas(),
        ];
        fixes.extend(all.into_iter().flatten());
        if self.bounds.place == ClauseContext::End {
            let rules = [
                self.extreme_of_a_player(),
                self.payoff_of_each(),
                self.rule_with_two_binders(),
                self.binder_after_when(),
            ];
            fixes.extend(rules.into_iter().flatten());
        }
    }

    /// Rewrites `const wall: { b2 };` to `const wall = { b2 };`.
    fn constant_with_a_colon(&self) -> Option<Fix> {
        let name = self.bounds.first + 1;
        let keys = self.layout.partner(name + 1).filter(|_| self.layout.text(name + 1) == "[");
        let colon = keys.unwrap_or(name) + 1;
        let is_constant = self.layout.text(self.bounds.first) == "const"
            && self.layout.text(colon) == ":"
            && self.bounds.at > colon;
        let end = self.outside_brackets(colon + 1, &["=", ";"]).filter(|_| is_constant)?;
        // `const home: Cell;` has no value.
        let word = self.layout.text(colon + 1);
        // So has `const goal: 5..20;`.
        let is_type = matches!(word, "bool" | "set" | "list")
            || self.layout.text(colon + 2) == ".." && end == colon + 4
            || end == colon + 2
                && word.starts_with(|c: char| c.is_ascii_uppercase())
                && !self.outline().players().contains(&word)
                && self.outline().enum_of(&[word]).is_none();
        if self.layout.text(end) != ";" || end == colon + 1 || is_type {
            return None;
        }
        let head = self.text(self.bounds.first, colon);
        let range = (self.range(colon - 1).1, self.range(colon).1);
        let fix = Fix::new(range, " =", Code::E0013, "the value of a constant stands after `=`");
        Some(fix.at(self.range(colon)).help(format!("write `{head} = {};`", self.text(colon + 1, end))))
    }

    /// Explains `const goal: 5..20;`, which has no value.
    fn constant_without_a_value(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_constant = self.layout.text(first) == "const" && self.word == ";" && self.is_name(first + 1);
        let colon = self.outside_brackets(first, &[":", "=", ";"]).filter(|_| is_constant)?;
        if self.layout.text(colon) != ":" || colon + 1 >= at {
            return None;
        }
        let (head, ty) = (self.text(first + 1, colon), self.text(colon + 1, at));
        let title = format!("`{}` has no value", self.layout.text(first + 1));
        let param = match colon == first + 2 {
            true => format!("; what is chosen before the game is `param {head}: {ty} = ...;`"),
            false => String::new(),
        };
        let help = format!("write `const {head}: {ty} = ...;` with its value{param}");
        let new = format!("const {head}: {ty} = {DAMAGE_MARKER};");
        let found = explained((self.range(first).0, self.here().1), &new, &title, help);
        Some(found.at(self.range(first + 1)))
    }

    /// Rewrites `prefer k` to `prefer max k`, and `prefer least k` to `prefer max -k`.
    fn preference_by_another_word(&self) -> Option<Fix> {
        let at = self.bounds.at;
        if self.last != "prefer" || self.bounds.place != ClauseContext::Top || self.word == "max" {
            return None;
        }
        let is_least = LEAST.contains(&self.word);
        let start = at + usize::from(is_least || self.word == ":" || GREATEST.contains(&self.word));
        let end = self.outside_brackets(start, &["{", "in", "by", "as"]).filter(|&end| end > start)?;
        if self.word == "to" {
            let range = (self.range(at - 1).0, self.range(end - 1).1);
            let title = "a preference compares the values of a term, and says nothing of other moves";
            let help = "where a kind of move comes before all others, write `mandatory` before its `move`; among the moves of one \
                        kind, `prefer max TERM` leaves those with the greatest value";
            return Some(explained(range, "", title, help).at(range));
        }
        let term = self.text(start, end);
        let is_sum = self.outside_brackets(start, &["+", "-", "..", "{", "in", "by", "as"]) < Some(end);
        let new = match (is_least, is_sum) {
            (false, _) => format!("max {term}"),
            (true, false) => format!("max -{term}"),
            (true, true) => format!("max -({term})"),
        };
        let range = (self.range(at - 1).1, self.range(end - 1).1);
        let title = match is_least {
            true => {
                "a preference is for the greatest value: the least one is the greatest of the negated values"
            }
            false => "a preference is for the greatest value of a term, by `max`",
        };
        let label = (self.here().0, range.1);
        let fix = Fix::new(range, &format!(" {new}"), Code::E0013, title).at(label);
        Some(fix.help(format!("write `prefer {new}`")))
    }

    /// Rewrites `then if f a := x;` to `then { if f { a := x; } }`, and `if f a := x;` to `if f { a := x; }`.
    fn stage_of_a_choice(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_stage = self.layout.text(clause) == "then";
        let choice = clause + usize::from(is_stage);
        // The other forms of an `if` without braces have messages of their own.
        let is_other = matches!(self.word, "then" | ":" | ",") || self.last == ")";
        let is_choice = self.in_move() && self.layout.text(choice) == "if" && self.bounds.at >= choice;
        let is_choice = is_choice && (is_stage || !is_other && self.bounds.at > choice + 1);
        let end = self.outside_brackets(choice, &[";", "{"]).filter(|_| is_choice)?;
        if self.layout.text(end) != ";" {
            return None;
        }
        let signs = [":=", "+=", "-=", "|=", "<-", ";"];
        let sign = self.outside_brackets(choice, &signs).filter(|&sign| sign < end)?;
        let (condition, effect) = match self.outside_brackets(choice, &["then", ":"]) {
            Some(then) if then < sign => ((choice + 1, then), then + 1),
            _ => {
                let target = self.start_of_term(sign);
                ((choice + 1, target), target)
            }
        };
        let is_whole = condition.1 > condition.0 && effect < sign;
        let has_branches = self.outside_brackets(choice, &["else", ";"]) < Some(end);
        if !is_whole || has_branches || self.bounds.at > effect || self.layout.text(end + 1) == "else" {
            return None;
        }
        let inner = format!("if {} {{ {}; }}", self.text(condition.0, condition.1), self.text(effect, end));
        let new = if is_stage { format!("then {{ {inner} }}") } else { inner };
        let title = match is_stage {
            true => "a later stage and the effects of an `if` stand in braces",
            false => "an `if` that changes the state has braces",
        };
        let range = (self.range(clause).0, self.range(end).1);
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Explains `expect not draw;`.
    fn claim_of_no_draw(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_not = matches!(self.layout.text(clause + 1), "not" | "never" | "no");
        let is_claim = self.layout.text(clause) == "expect" && is_not;
        let is_draw = matches!(self.layout.text(clause + 2), "draw" | "a" | "drawn" | "draws");
        let end = self.outside_brackets(clause, &[";"]).filter(|_| is_claim && is_draw)?;
        let range = (self.range(clause).0, self.range(end).1);
        let label = (self.range(clause + 1).0, self.range(end - 1).1);
        let title = "a claim says what the result is, not what it is not";
        let help = "write `expect first wins;` or `expect second wins;`, by the player who wins; `expect value >= 0;` if the \
                    first player does not lose";
        Some(explained(range, "", title, help).at(label))
    }

    /// Rewrites `count none in at[c]` to `count c in Cell: at[c] = none`.
    fn counted_values(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let from = self.bounds.clause.max(at.saturating_sub(8));
        let is_count = |&count: &usize| {
            let value = self.layout.text(count + 1);
            matches!(self.layout.text(count), "count" | "some" | "all" | "no")
                && self.layout.text(count + 2) == "in"
                && (value == "none" || self.outline().players().contains(&value))
        };
        let count = (from..at).rev().find(is_count)?;
        let name = self.layout.text(count + 3);
        let field = self.outline().field(name)?;
        let [(key, ty)] = &field.keys[..] else { return None };
        let close = self.layout.partner(count + 4).filter(|_| self.layout.text(count + 4) == "[");
        let key = match close {
            Some(close) if close == count + 6 && self.is_name(count + 5) => self.layout.text(count + 5),
            None => key,
            Some(_) => return None,
        };
        let ty = super::outline::term_of_words(ty);
        let quantifier = self.layout.text(count);
        let new = format!("{quantifier} {key} in {ty}: {name}[{key}] = {}", self.layout.text(count + 1));
        let range = (self.range(count).0, self.range(close.unwrap_or(count + 3)).1);
        let title =
            format!("`{quantifier}` goes through the keys of a field, with a condition on the value of each");
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
    }

    /// Rewrites `X => red disc` in a display to `X => "X" as red disc`.
    fn look_without_characters(&self) -> Option<Fix> {
        let arrow = self.bounds.at.checked_sub(2).filter(|&arrow| self.layout.text(arrow) == "=>")?;
        let is_arm = self.bounds.place == ClauseContext::Display && COLOURS.contains(&self.last);
        let value = self.layout.text(arrow.checked_sub(1)?);
        let letter = value.chars().next().filter(|c| is_arm && c.is_ascii_alphabetic())?;
        let letter = if value == "none" { '.' } else { letter };
        let look = self.text(arrow + 1, self.bounds.at + 1);
        let new = format!("\"{letter}\" as {look}");
        let range = (self.range(arrow + 1).0, self.here().1);
        let title = "the characters of a value come first, its shape and colour after `as`";
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{value} => {new}`"));
        // The next value may have the same form.
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `as "red"` in a display to `as red`; explains `as "#ff0000"`.
    fn look_in_quotes(&self) -> Option<Fix> {
        let is_look = self.bounds.place == ClauseContext::Display && self.last == "as";
        let word = self.word.strip_prefix('"').and_then(|word| word.strip_suffix('"'));
        let word = word.filter(|_| is_look)?;
        let title = "the look of a piece is a colour and a shape by their names, without quotes";
        if word.split(' ').any(|word| COLOURS.contains(&word)) {
            return Some(Fix::new(self.here(), word, Code::E0013, title).help(format!("write `as {word}`")));
        }
        let help = format!("write `as red disc`, for instance; the colours are {}", COLOURS.join(", "));
        Some(explained((self.range(self.bounds.at - 1).0, self.here().1), "", title, help).at(self.here()))
    }

    /// Rewrites `move m() in act and roll` to `move m() in act, roll`.
    fn phases_of_a_move(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let before = at.checked_sub(2)?;
        let is_second = matches!(self.word, "and" | "or")
            && matches!(self.layout.text(before), "in" | ",")
            && self.bounds.place == ClauseContext::Top
            && (self.bounds.first..before).any(|at| matches!(self.layout.text(at), "move" | "chance"));
        let outline = self.outline();
        let (one, other) = (self.last, self.layout.text(at + 1));
        (is_second && outline.has_phase(one) && outline.has_phase(other)).then(|| {
            let title = "the phases of a move are a list after one `in`";
            let fix = Fix::new((self.gap().0, self.here().1), ",", Code::E0013, title).at(self.here());
            fix.help(format!("write `in {one}, {other}`"))
        })
    }

    /// Rewrites `display { cell at { ... }, cell on { ... }; }`: each hint ends with `;`.
    fn hints_with_commas(&self) -> Option<Fix> {
        let close = self.bounds.at.checked_sub(1)?;
        let is_hint = self.bounds.place == ClauseContext::Display && self.word == "," && self.last == "}";
        let has_next = self.is_name(self.bounds.at + 1);
        (is_hint && has_next && self.layout.partner(close).is_some()).then(|| {
            let title = "each part of a display ends with `;`";
            let fix = Fix::new(self.here(), ";", Code::E0013, title).help("write `;`");
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `highest p: score[p]` to `highest score`; explains `highest p: f`.
    fn extreme_of_a_player(&self) -> Option<Fix> {
        let arrow = self.outside_brackets(self.bounds.clause, &["=>", ";"])?;
        let (best, name) = (self.layout.text(arrow + 1), self.layout.text(arrow + 2));
        let is_extreme = matches!(best, "highest" | "lowest") && self.is_name(arrow + 2);
        let colon = self.outside_brackets(arrow + 2, &[":", ";"]);
        let colon = colon.filter(|&at| is_extreme && self.bounds.at <= at && self.layout.text(at) == ":")?;
        let end = self.outside_brackets(colon, &[";"]).filter(|&end| end > colon + 1)?;
        let range = (self.range(arrow + 1).0, self.range(end - 1).1);
        let title = format!("`{best}` has the name of a field or definition of each player");
        let of = self.layout.text(colon + 1);
        let is_plain = end == colon + 5
            && self.is_name(colon + 1)
            && self.layout.partner(colon + 2) == Some(colon + 4)
            && self.layout.text(colon + 3) == name;
        if is_plain {
            let new = format!("{best} {of}");
            return Some(Fix::new(range, &new, Code::E0005, title).help(format!("write `{new}`")));
        }
        let term = self.text(colon + 1, end);
        let help = format!("write `def total({name}: Player) = {term};`, and here `{best} total`");
        Some(Fix { code: Code::E0005, ..explained(range, "draw", &title, help) })
    }

    /// Rewrites `payoff (A, B): (score[A], score[B])` to `payoff p: score[p]`, and `payoff = score` likewise.
    fn payoff_of_each(&self) -> Option<Fix> {
        let arrow = self.outside_brackets(self.bounds.clause, &["=>", ";"])?;
        let end = self.outside_brackets(arrow, &[";"]).filter(|_| self.layout.text(arrow + 1) == "payoff")?;
        let players = self.outline().players();
        let close = self.layout.partner(arrow + 2).filter(|_| self.layout.text(arrow + 2) == "(");
        let names = match close {
            Some(close) => self.parts(arrow + 2, close),
            None => players.clone(),
        };
        let sign = close.unwrap_or(arrow + 1) + 1;
        let is_of_all = names.len() == players.len() && names.iter().all(|name| players.contains(name));
        if !is_of_all || !matches!(self.layout.text(sign), ":" | "=" | "=>") || self.bounds.at > end {
            return None;
        }
        let table = self.layout.text(sign + 1);
        let values_close = self.layout.partner(sign + 1).filter(|&last| last + 1 == end);
        let term = match values_close {
            Some(last) => {
                let values = self.parts(sign + 1, last);
                if values.len() != names.len() {
                    return None;
                }
                let terms: Vec<String> = names
                    .iter()
                    .zip(&values)
                    .map(|(name, value)| in_terms_of_p(value, name, &names))
                    .collect();
                let is_same = terms.iter().all(|term| *term == terms[0]);
                let names_no_player =
                    !lex(&terms[0]).iter().any(|word| players.contains(&word.text(&terms[0])));
                if is_same && names_no_player {
                    terms[0].clone()
                } else {
                    let arms: Vec<String> =
                        names.iter().zip(&values).map(|(name, value)| format!("{name} => {value}")).collect();
                    format!("match p {{ {} }}", arms.join(", "))
                }
            }
            None if end == sign + 2 && self.outline().has_table(table) => format!("{table}[p]"),
            None => return None,
        };
        let new = format!("payoff p: {term}");
        let range = (self.range(arrow + 1).0, self.range(end - 1).1);
        let title = "a payoff is one expression of a player, who has a name in it";
        Some(Fix::new(range, &new, Code::E0005, title).help(format!("write `{new}`")))
    }

    /// The texts between the commas of a bracket.
    fn parts(&self, open: usize, close: usize) -> Vec<&str> {
        let mut parts = Vec::new();
        let mut from = open + 1;
        while from < close {
            let end = self.outside_brackets(from, &[","]).filter(|&end| end < close).unwrap_or(close);
            parts.push(self.text(from, end));
            from = end + 1;
        }
        parts
    }

    /// Rewrites `for p in S, q in T when f => p wins;` to `for p in S when some q in T: f => p wins;`, and the same of
    /// `for p in S for q in T`.
    fn rule_with_two_binders(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_joined = matches!(self.word, "," | "for" | "and") && self.layout.text(clause) == "for";
        let start = at + 1 + usize::from(self.word != "for" && self.layout.text(at + 1) == "for");
        let is_rule = is_joined && self.is_name(start) && self.layout.text(start + 1) == "in";
        let when = self.outside_brackets(start, &["when", "if", ":", "=>", ";"]).filter(|_| is_rule)?;
        let is_condition = matches!(self.layout.text(when), "when" | "if" | ":");
        let arrow = self.outside_brackets(when + 1, &["=>", ";"]).filter(|_| is_condition)?;
        let end = self.rule_end(arrow);
        let name = self.layout.text(clause + 1);
        let verdict = self.layout.text(arrow + 2);
        let title = "a rule of the end is for one variable";
        let other = self.text(start, when).replace(", for ", ", ").replace(" for ", ", ");
        let is_other = |at: usize| {
            (start..when)
                .any(|own| self.layout.text(own) == self.layout.text(at) && self.layout.text(own + 1) == "in")
        };
        let rest = self.text(arrow + 3, end);
        let is_repeated = self.layout.text(arrow + 1) == name
            && matches!(verdict, "wins" | "loses")
            && (rest.starts_with(',') || rest.starts_with("and "));
        let range = (self.range(clause).0, self.range(end - 1).1);
        if !is_repeated && (arrow + 1..end).any(is_other) {
            let help = format!("write `when some {other}: ...` for the second one");
            let found = explained((range.0, self.range(end).1), "", title, help).at(self.here());
            return Some(Fix { code: Code::E0005, ..found });
        }
        let (outcome, reason) = match is_repeated {
            true => (format!("{name} {verdict}"), ": one outcome is enough"),
            false => (self.text(arrow + 1, end).to_owned(), ""),
        };
        let binder = self.text(clause, at);
        let new = format!("{binder} when some {other}: {} => {outcome}", self.text(when + 1, arrow));
        let fix = Fix::new(range, &new, Code::E0005, title).at(self.here());
        Some(fix.help(format!("write `{new};`{reason}")))
    }

    /// Rewrites `when for p in S: f => p wins;` to `for p in S when f => p wins;`.
    fn binder_after_when(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_rule = self.layout.text(clause) == "when" && self.layout.text(clause + 1) == "for";
        let colon = self.outside_brackets(clause + 2, &[":", "=>", ";"]).filter(|_| is_rule)?;
        if self.layout.text(colon) != ":" || self.bounds.at > colon {
            return None;
        }
        let new = format!("for {} when", self.text(clause + 2, colon));
        let range = (self.range(clause).0, self.range(colon).1);
        let title = "the `for` of a rule stands before `when`";
        let fix =
            Fix::new(range, &new, Code::E0005, title).at((self.range(clause).0, self.range(clause + 1).1));
        Some(fix.help(format!("write `{new} ...`")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn a_constant_has_its_value_after_a_sign() {
        assert_eq!(mended("const wall: { b2, c2 };\n"), "const wall = { b2, c2 };\n");
        assert_eq!(mended("const top: 12;\n"), "const top = 12;\n");
        assert_eq!(mended("const worth[k: 1..3]: k * k;\n"), "const worth[k: 1..3] = k * k;\n");
        assert!(helps("const home: Cell;\n").iter().all(|help| !help.contains("= Cell")));
        let titles = titles("const home: Cell\n\nplayers X, O;\n");
        assert!(titles.iter().all(|title| !title.contains("file ends")), "{titles:?}");
    }

    #[test]
    fn preferences_are_for_the_greatest() {
        let text = |prefer: &str| format!("move take(k: Card) as \"{{k}}\" {prefer} {{ n := k; }}\n");
        assert_eq!(mended(&text("prefer k")), text("prefer max k"));
        assert_eq!(mended(&text("prefer(k)")), text("prefer max (k)"));
        assert_eq!(mended(&text("prefer: k")), text("prefer max k"));
        assert_eq!(mended(&text("prefer highest k + 1")), text("prefer max k + 1"));
        assert_eq!(mended(&text("prefer least worth[k]")), text("prefer max -worth[k]"));
        assert_eq!(mended(&text("prefer lowest k + n")), text("prefer max -(k + n)"));
        let helps = helps(&text("prefer to take"));
        assert!(helps.len() == 1 && helps[0].contains("`mandatory`"), "{helps:?}");
    }

    #[test]
    fn choices_have_braces() {
        let text = |stmt: &str| format!("move m(k: Card) {{ a[k] := me; {stmt} }}\n");
        let new = text("then { if k > 2 { score[me] += worth[k]; } }");
        assert_eq!(mended(&text("then if k > 2 score[me] += worth[k];")), new);
        assert_eq!(mended(&text("then if k > 2 then score[me] += worth[k];")), new);
    }

    #[test]
    fn no_claim_is_negated() {
        for claim in ["not draw", "never draw", "no draw", "not a draw"] {
            let titles = titles(&format!("expect {claim};\n"));
            assert_eq!(titles, ["a claim says what the result is, not what it is not"], "{claim}");
        }
    }

    #[test]
    fn values_are_counted_by_their_keys() {
        let text = |count: &str| {
            format!("players X, O;\nstate {{ at[c: Cell]: Player?; }}\ndef free = ({count}) = 0;\n")
        };
        assert_eq!(mended(&text("count none in at[c]")), text("count c in Cell: at[c] = none"));
        assert_eq!(mended(&text("count X in at")), text("count c in Cell: at[c] = X"));
    }

    #[test]
    fn phases_are_a_list() {
        let text = |phases: &str| {
            format!("phases {{ act; roll; }}\nmove m(k: Card) {phases} as \"{{k}}\" {{ n := k; }}\n")
        };
        assert_eq!(mended(&text("in act and roll")), text("in act, roll"));
    }

    #[test]
    fn hints_end_with_semicolons() {
        let text = |sign: &str| format!("display {{ cell at {{ X => \"X\" }}{sign} cell on; }}\n");
        assert_eq!(mended(&text(",")), text(";"));
    }

    #[test]
    fn looks_have_names() {
        let text = |arm: &str| format!("display {{ cell at {{ {arm}, none => \".\" }}; }}\n");
        assert_eq!(mended(&text("X => red disc")), text("X => \"X\" as red disc"));
        assert_eq!(mended(&text("X => \"x\" as \"red\"")), text("X => \"x\" as red"));
        assert!(helps(&text("X => \"x\" as \"#ff0000\"")).iter().any(|help| help.contains("orange")));
    }

    #[test]
    fn payoffs_are_of_one_player() {
        let text = |rule: &str| format!("players A, B;\nend {{ when f => {rule}; }}\n");
        assert_eq!(mended(&text("payoff (A, B): (score[A], score[B])")), text("payoff p: score[p]"));
        assert_eq!(
            mended(&text("payoff (B, A) = (n[B] - n[A], n[A] - n[B])")),
            text("payoff p: n[p] - n[other(p)]")
        );
        assert_eq!(mended(&text("payoff (A, B): (1, -1)")), text("payoff p: match p { A => 1, B => -1 }"));
        let with_field = |rule: &str| format!("state {{ n[p: Player]: 0..9 = 0; }}\n{}", text(rule));
        assert_eq!(mended(&with_field("payoff = n")), with_field("payoff p: n[p]"));
    }

    #[test]
    fn rules_name_the_winner_once() {
        let text = |rule: &str| format!("end {{ {rule}; when n = 0 => draw; }}\n");
        assert_eq!(mended(&text("when f => highest p: score[p]")), text("when f => highest score"));
        let long = helps(&text("when f => highest p: score[p] + 1"));
        assert!(long.len() == 1 && long[0].contains("def total(p: Player) = score[p] + 1;"), "{long:?}");
        assert_eq!(
            mended(&text("for p in Player, q in Player when f(p, q) => p wins, q loses")),
            text("for p in Player when some q in Player: f(p, q) => p wins")
        );
        let new = text("for p in Player when some c in Cell: at[c] = p => other(p) loses");
        for binders in [", c in Cell when", " for c in Cell when", ", for c in Cell:", " and c in Cell if"] {
            let rule = format!("for p in Player{binders} at[c] = p => other(p) loses");
            assert_eq!(mended(&text(&rule)), new, "{binders}");
        }
        assert_eq!(
            mended(&text("for c in Cell, p in Player when f => p wins")),
            text("for c in Cell, p in Player when f => p wins")
        );
        assert_eq!(
            mended(&text("when for p in Player: f(p) => p wins")),
            text("for p in Player when f(p) => p wins")
        );
    }
}
