//! Quantifiers, calls and choices whose parts stand in another form: `all at != none`, `number of p in S where f`,
//! `some c in S | f`, `switch p { case A: 1 }`, `lambda p: f`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::outline::term_of_words;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::keywords;

/// The quantifiers.
pub(super) const QUANTIFIERS: [&str; 9] = ["some", "all", "no", "one", "count", "sum", "min", "max", "union"];

/// The words that end a condition of which no other condition is a part.
const ENDS: [&str; 9] = ["and", "or", "implies", "iff", "=>", ";", ")", "}", ","];

/// The maximal number of uses of a name that tell its type.
const MAX_USES: usize = 20;
/// The maximal number of words of a condition that is rewritten for a name of the elements.
const MAX_BODY_WORDS: usize = 60;

impl FixFinder<'_> {
    /// Fixes and explanations of quantifiers, calls and choices.
    pub fn bindings(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.quantifier_over_a_field(),
            self.quantifier_over_an_element(),
            self.quantifier_without_its_set(),
            self.number_of_some(),
            self.condition_after_a_bar(),
            self.set_after_a_colon(),
            self.counted_where(),
            self.element_where(),
            self.quantifier_without_its_condition(),
            self.arms_by_case(),
            self.arm_by_else(),
            self.definition_by_lambda(),
            self.arguments_by_name(),
            self.parameter_by_a_list(),
            self.sum_of_two_dice(),
            self.die_by_its_letter(),
            self.template_by_a_call(),
            self.template_in_brackets(),
            self.string_in_a_placeholder(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `all at != none` to `all c in Cell: at[c] != none`.
    fn quantifier_over_a_field(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let word = at.checked_sub(2)?;
        let quantifier = self.layout.text(word);
        let is_known = matches!(quantifier, "some" | "all" | "no" | "count" | "one");
        let is_sign = matches!(self.word, "=" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "==");
        let outline = self.outline();
        let field = (is_known && is_sign).then(|| outline.field(self.last)).flatten()?;
        let [(key, ty)] = &field.keys[..] else { return None };
        let is_taken = (self.bounds.clause..self.bounds.end).any(|at| self.layout.text(at) == *key);
        let key = if is_taken { "x" } else { key };
        let new = format!("{quantifier} {key} in {}: {}[{key}]", ty.join(" "), self.last);
        let range = (self.range(word).0, self.range(at - 1).1);
        let title = format!("`{quantifier}` goes through a set, one element after the other");
        // In `count at = X = 3` the second sign compares the number.
        let next = self.end_of_operand(at + 1).filter(|&next| {
            quantifier == "count" && matches!(self.layout.text(next), "=" | "!=" | "<" | "<=" | ">" | ">=")
        });
        if let Some(next) = next.filter(|_| ty.len() == 1) {
            let new = format!("({new} {})", self.text(at, next));
            let range = (self.range(word).0, self.range(next - 1).1);
            return Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")));
        }
        let value = self.layout.text(at + 1);
        let fix =
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{new} {} {value}`", self.word));
        (ty.len() == 1).then_some(fix)
    }

    /// Explains `when all crates in truck => win`: what holds of each element is missing.
    fn quantifier_without_its_condition(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let first = at.checked_sub(4)?;
        let word = self.layout.text(first);
        let is_quantifier = matches!(word, "all" | "some" | "no") && self.layout.text(first + 2) == "in";
        let ends = matches!(self.word, "=>" | ";" | ")" | "and" | "or" | "," | "}");
        let [name, set] = [self.layout.text(first + 1), self.layout.text(first + 3)];
        (is_quantifier && ends && self.is_name(first + 1) && self.is_name(first + 3)).then(|| {
            let title = format!("what holds of {word} elements stands after `:`");
            let help = format!(
                "write `{word} {name} in {set}: ...` if `{set}` is the set; if it is a value, go through the keys of a field: \
                 `{word} x in S: f[x] = {set}`"
            );
            let range = (self.range(first).0, self.range(at - 1).1);
            explained(self.gap(), ": true", &title, help).at(range)
        })
    }

    /// Rewrites `let hole = p in Point where at[p] = none;` to `let hole = one p in Point: at[p] = none;`.
    fn element_where(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let first =
            clause + 3 + usize::from(matches!(self.layout.text(clause + 3), "the" | "choose" | "any" | "a"));
        let is_let = self.layout.text(clause) == "let" && self.layout.text(clause + 2) == "=";
        let is_element = is_let && self.is_name(first) && self.layout.text(first + 1) == "in";
        let is_where = matches!(self.word, "where" | "with" | "when" | "if" | "such" | "|") && at > first + 2;
        let end = self.outside_brackets(at, &[";"]).filter(|&end| is_element && is_where && end > at + 1)?;
        let start = at + 1 + usize::from(self.word == "such" && self.layout.text(at + 1) == "that");
        let new = format!("one {}: {}", self.text(first, at), self.text(start, end));
        let range = (self.range(clause + 3).0, self.range(end - 1).1);
        let title = "the only element of a set with a property is asked for by `one`";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        Some(fix.help(format!("write `{new}`; for the least of several `min`, for the greatest `max`")))
    }

    /// Rewrites `all at[c] != none` to `all c in Cell: at[c] != none`.
    fn quantifier_over_an_element(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let word = at.checked_sub(2).filter(|_| self.word == "[")?;
        let quantifier = self.layout.text(word);
        let is_known = matches!(quantifier, "some" | "all" | "no" | "count" | "one");
        let name = self.layout.text(at + 1);
        let is_single = self.layout.partner(at) == Some(at + 2) && self.is_name(at + 1);
        let is_bound = (self.bounds.first..word).any(|at| self.layout.text(at) == name);
        let outline = self.outline();
        let field = (is_known && is_single && !is_bound).then(|| outline.field(self.last)).flatten()?;
        let [(_, ty)] = &field.keys[..] else { return None };
        let new = format!("{quantifier} {name} in {}: {}[{name}]", term_of_words(ty), self.last);
        let range = (self.range(word).0, self.range(at + 2).1);
        let title = format!("`{quantifier}` goes through a set, one element after the other");
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new} ...`")))
    }

    /// Rewrites `some c: at[c] = X` to `some c in Cell: at[c] = X`.
    fn quantifier_without_its_set(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let word = at.checked_sub(2).filter(|_| self.word == ":" && self.is_name(at - 1))?;
        let quantifier = self.layout.text(word);
        let end = self.outside_brackets(at + 1, &[";", "=>"]).unwrap_or(self.bounds.end);
        let ty = QUANTIFIERS
            .contains(&quantifier)
            .then(|| self.type_from_use(self.last, at + 1, end))
            .flatten()?;
        let title = format!("`{quantifier}` needs the set that `{}` goes through", self.last);
        let help = format!("write `{quantifier} {} in {ty}: ...`", self.last);
        let fix = Fix::new(self.gap(), &format!(" in {ty}"), Code::E0013, title);
        Some(fix.at((self.range(word).0, self.range(at - 1).1)).help(help))
    }

    /// Rewrites `number of x in S where f` to `(count x in S: f)`.
    fn number_of_some(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let start = match (self.last, self.word) {
            ("number", "of") | ("how", "many") | ("amount", "of") => at - 1,
            _ => return None,
        };
        let binder = at + 1 + usize::from(self.layout.text(at + 1) == "the");
        let is_binder =
            keywords::starts_with_letter(self.layout.text(binder)) && self.layout.text(binder + 1) == "in";
        let place =
            self.outside_brackets(binder + 2, &["where", ":", "with", "such"]).filter(|_| is_binder)?;
        let body = place + 1 + usize::from(self.layout.text(place) == "such");
        let end = self.outside_brackets(body, &ENDS)?;
        // In `number of x in S where f > 3 = 1` the last sign compares the number.
        let is_sign =
            |at: &usize| matches!(self.layout.text(*at), "=" | "!=" | "<" | "<=" | ">" | ">=" | "==");
        let signs: Vec<usize> = (body..end).filter(is_sign).collect();
        let last = *signs.last()?;
        let to = if signs.len() > 1 && self.is_number(last + 1) && last + 2 == end { last } else { end };
        let is_in_brackets = self.text_before_word(start) == "(" && self.layout.text(to) == ")";
        let new = format!("count {}: {}", self.text(binder, place), self.text(body, to));
        let new = if is_in_brackets { new } else { format!("({new})") };
        let range = (self.range(start).0, self.range(to - 1).1);
        let title = "a number of elements is given by `count`";
        let shown = format!(
            "{new}{}{}",
            if to < end { " " } else { "" },
            if to < end { self.text(to, end) } else { "" }
        );
        Some(
            Fix::new(range, &new, Code::E0013, title)
                .at((self.range(start).0, self.here().1))
                .help(format!("write `{shown}`")),
        )
    }

    /// Rewrites `some c in S | f` to `some c in S: f`.
    fn condition_after_a_bar(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let wants_colon = self.stop.expected.iter().any(|sign| sign == ":") || self.word == "->";
        let bar = (clause..=at).rev().find(|&at| matches!(self.layout.text(at), "|" | "->" | "=>"))?;
        let word = (clause..bar).rev().find(|&at| QUANTIFIERS.contains(&self.layout.text(at)))?;
        let is_binder = self.layout.text(word + 2) == "in" && bar > word + 3;
        let has_colon = (word..at).any(|at| self.layout.text(at) == ":");
        let is_end = self.layout.text(bar) == "=>" && self.bounds.place == ClauseContext::End;
        if !wants_colon || !is_binder || has_colon || is_end {
            return None;
        }
        let quantifier = self.layout.text(word);
        let title = format!("`:` leads from `{quantifier}` to what it says of each element");
        let help = format!("write `{}: ...`", self.text(word, bar));
        let range = (self.range(bar - 1).1, self.range(bar).1);
        Some(Fix::new(range, ":", Code::E0013, title).at(self.range(bar)).help(help))
    }

    /// Rewrites `some c: Cell: f` to `some c in Cell: f`.
    fn set_after_a_colon(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let word = at.checked_sub(2).filter(|_| self.word == ":" && self.is_name(at - 1))?;
        let is_quantifier = QUANTIFIERS.contains(&self.layout.text(word))
            || self.layout.text(word) == "for" && self.bounds.place != ClauseContext::Top;
        let is_type =
            self.layout.text(at + 1).starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
        let next = self.outside_brackets(at + 1, &[":", ",", "where", "{", "when", ";"])?;
        let is_binder = matches!(self.layout.text(next), ":" | "where" | "{" | "when") && next > at + 1;
        (is_quantifier && is_type && is_binder).then(|| {
            let range = (self.gap().0, self.here().1);
            let title = "the set that a variable goes through stands after `in`";
            let help =
                format!("write `{} {} in {}`", self.layout.text(word), self.last, self.text(at + 1, next));
            let fix = Fix::new(range, " in", Code::E0013, title).at(self.here());
            Fix { accepts_partial: true, ..fix.help(help) }
        })
    }

    /// Rewrites `count(c.neighbors where at = me)` to `(count x in c.neighbors: at[x] = me)`.
    fn counted_where(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let open = self.bracket_around(at, at).filter(|&open| self.layout.text(open) == "(")?;
        let quantifier = self.layout.text(open.checked_sub(1)?);
        let is_known = matches!(quantifier, "count" | "some" | "all" | "no" | "one");
        let close = self.layout.partner(open).filter(|_| is_known)?;
        let place = self.outside_brackets(open + 1, &["where", "in", ":"]).filter(|&at| at < close)?;
        let set_end = place;
        if self.layout.text(place) != "where"
            || place + 1 >= close
            || place < open + 2
            || close - place > MAX_BODY_WORDS
        {
            return None;
        }
        let outline = self.outline();
        let name = ["x", "y", "z"]
            .into_iter()
            .find(|name| !(self.bounds.first..self.bounds.end).any(|at| self.layout.text(at) == *name))?;
        let (mut body, mut is_about) = (String::new(), false);
        for at in place + 1..close {
            if at > place + 1 {
                body += self.layout.source.get(self.range(at - 1).1..self.range(at).0)?;
            }
            let word = self.layout.text(at);
            body += word;
            let is_bare = !matches!(self.layout.text(at + 1), "[" | "(") && self.layout.text(at - 1) != ".";
            if is_bare && outline.field(word).is_some_and(|field| field.keys.len() == 1) {
                body += &format!("[{name}]");
                is_about = true;
            }
        }
        let new = format!("({quantifier} {name} in {}: {body})", self.text(open + 1, set_end));
        let range = (self.range(open - 1).0, self.range(close).1);
        let title = format!("`{quantifier}` goes through a set by a name for its elements");
        is_about.then(|| {
            Fix::new(range, &new, Code::E0013, title).at(self.range(open - 1)).help(format!("write `{new}`"))
        })
    }

    /// Rewrites `switch p { case A: 1 case B: 2 }` in a term to `match p { A => 1, B => 2 }`.
    fn arms_by_case(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word =
            |at: &usize| matches!(self.layout.text(*at), "switch" | "case" | "select" | "choose" | "match");
        let word = (self.bounds.clause..=at).find(is_word)?;
        let open = self.outside_brackets(word + 1, &["{", ";"]).filter(|&open| open > word + 1)?;
        let close = self.layout.partner(open).filter(|_| self.layout.text(open) == "{")?;
        let in_term = !(self.in_move() && word == self.bounds.clause);
        let mut starts: Vec<usize> = Vec::new();
        let mut next = open + 1;
        while next < close {
            let is_start = matches!(self.layout.text(next), "case" | "default" | "when" | "of")
                || self.layout.text(next) == "else" && starts.last().is_some_and(|&last| last < next);
            if is_start {
                starts.push(next);
            }
            next = self.layout.partner(next).filter(|&partner| partner > next).unwrap_or(next) + 1;
        }
        if !in_term || starts.first() != Some(&(open + 1)) || at > close {
            return None;
        }
        let mut arms = Vec::new();
        for (index, &start) in starts.iter().enumerate() {
            let mut end = starts.get(index + 1).copied().unwrap_or(close);
            while matches!(self.layout.text(end - 1), ";" | "," | "break") {
                end -= 1;
            }
            let is_default = self.layout.text(start) != "case" && self.layout.text(start) != "when";
            let sign = match is_default {
                true => start + 1,
                false => {
                    self.outside_brackets(start + 1, &[":", "=>", "->", "then"]).filter(|&sign| sign < end)?
                }
            };
            let has_sign = matches!(self.layout.text(sign), ":" | "=>" | "->" | "then");
            let from = sign + usize::from(has_sign);
            let from = from + usize::from(self.layout.text(from) == "return");
            if from >= end {
                return None;
            }
            let pattern = if is_default { "_" } else { self.text(start + 1, sign) };
            arms.push(format!("{pattern} => {}", self.text(from, end)));
        }
        let subject = self.text(word + 1, open);
        let new = format!("match {subject} {{ {} }}", arms.join(", "));
        let range = (self.range(word).0, self.range(close).1);
        let title = "a choice between values is made by `match`, with `value => result` for each";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.range(word)).help(format!("write `{new}`")))
    }

    /// Rewrites the arm `else => x` of a `match` to `_ => x`.
    fn arm_by_else(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let word = [at, at.saturating_sub(1)]
            .into_iter()
            .find(|&at| matches!(self.layout.text(at), "else" | "otherwise" | "default"))?;
        let sign = word + 1;
        let open = self.bracket_around(word, word).filter(|&open| self.layout.text(open) == "{")?;
        let is_match = (self.bounds.first..open)
            .rev()
            .take_while(|&at| !matches!(self.layout.text(at), ";" | "}" | "{"))
            .any(|at| self.layout.text(at) == "match");
        let begins = matches!(self.layout.text(word - 1), "," | "{" | ";");
        let has_sign = matches!(self.layout.text(sign), "=>" | ":" | "->");
        (is_match && begins).then(|| {
            let end = if has_sign { sign } else { word };
            let range = (self.range(word).0, self.range(end).1);
            let title = "the arm for all other values of a `match` is `_`";
            Fix::new(range, "_ =>", Code::E0013, title).at(self.range(word)).help("write `_ => ...`")
        })
    }

    /// Rewrites `def line = lambda p: f;` to `def line(p: Player) = f;`.
    fn definition_by_lambda(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_lambda = matches!(self.layout.text(first), "def" | "const")
            && self.layout.text(first + 2) == "="
            && matches!(self.layout.text(first + 3), "lambda" | "fun" | "function" | "fn");
        let colon = self
            .outside_brackets(first + 4, &[":", "->", "=>", "."])
            .filter(|&colon| is_lambda && colon > first + 4)?;
        let end = self.outside_brackets(colon, &[";"]).filter(|&end| end > colon + 1)?;
        let mut parameters = Vec::new();
        for at in first + 4..colon {
            if matches!(self.layout.text(at), "," | "(" | ")") {
                continue;
            }
            let name = self.layout.text(at);
            let ty = self.type_from_use(name, colon + 1, end).filter(|_| self.is_name(at))?;
            parameters.push(format!("{name}: {ty}"));
        }
        let new = format!(
            "def {}({}) = {}",
            self.layout.text(first + 1),
            parameters.join(", "),
            self.text(colon + 1, end)
        );
        let range = (self.range(first).0, self.range(end - 1).1);
        let title = "a definition has its parameters behind its name";
        (!parameters.is_empty()).then(|| {
            Fix::new(range, &new, Code::E0013, title)
                .at(self.range(first + 3))
                .help(format!("write `{new};`"))
        })
    }

    /// The type of a name that these words use: that of a key, or of what it is compared with.
    pub(super) fn type_from_use(&self, name: &str, from: usize, to: usize) -> Option<String> {
        let outline = self.outline();
        let mut types: Vec<String> = Vec::new();
        let is_use = |&at: &usize| self.layout.text(at) == name && self.layout.text(at - 1) != ".";
        for at in (from.max(2)..to).filter(is_use).take(MAX_USES) {
            let (before, after) = (self.layout.text(at - 1), self.layout.text(at + 1));
            let touches = |at: usize| self.touches(at);
            match (before, after) {
                ("[", "]") if at >= 2 && touches(at - 2) => {
                    if let Some(field) = outline.field(self.layout.text(at - 2))
                        && let [(_, ty)] = &field.keys[..]
                    {
                        types.push(term_of_words(ty));
                    }
                }
                ("(", ")") if at >= 2 && self.layout.text(at - 2) == "other" => {
                    types.push("Player".to_owned())
                }
                (_, ".")
                    if matches!(
                        self.layout.text(at + 2),
                        "neighbors" | "diagonals" | "around" | "row" | "col" | "sides" | "leap"
                    ) =>
                {
                    types.extend(outline.board().map(str::to_owned));
                }
                ("=" | "!=", _) if self.layout.text(at - 2) == "]" => {
                    let open = self.layout.partner(at - 2)?;
                    let is_end = !matches!(after, "." | "[" | "(" | "+" | "-" | "*" | "/");
                    if let Some(field) =
                        outline.field(self.layout.text(open.wrapping_sub(1))).filter(|_| is_end)
                    {
                        types.push(field.type_name().to_owned());
                    }
                }
                (_, "in") => {
                    let set =
                        self.end_of_operand(at + 2).map(|end| self.text(at + 2, end)).unwrap_or_default();
                    if set.ends_with(".neighbors") || set.ends_with(".diagonals") || set.ends_with(".around")
                    {
                        types.extend(outline.board().map(str::to_owned));
                    }
                    let is_plain = matches!(before, "when" | "and" | ";");
                    if is_plain && matches!(set, "Dir" | "Orthogonal" | "Diagonal") {
                        types.push(set.to_owned());
                    }
                }
                _ => {}
            }
        }
        types.sort();
        types.dedup();
        let [only] = &types[..] else { return None };
        (!only.is_empty()).then(|| only.clone())
    }

    /// Rewrites `line(p: X)` to `line(X)`, with the arguments in the order of the declaration.
    fn arguments_by_name(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_named = matches!(self.word, ":" | "=" | ":=") && self.is_name(at.checked_sub(1)?);
        let open = self.bracket_around(at, at).filter(|&open| is_named && self.layout.text(open) == "(")?;
        let callee = self.layout.text(open.checked_sub(1)?);
        let before = self.layout.text(open.checked_sub(2)?);
        let is_head =
            matches!(before, "record" | "move" | "def" | "enum" | "chance" | "effect" | "inductive");
        let close = self.layout.partner(open).filter(|_| !is_head)?;
        let outline = self.outline();
        let mut order = outline.parts_of(callee);
        let is_record = !order.is_empty();
        if !is_record {
            order = outline.parameter_names(callee);
        }
        let mut values = Vec::new();
        let mut start = open + 1;
        while start < close {
            let end = self.outside_brackets(start, &[","]).filter(|&comma| comma < close).unwrap_or(close);
            if !matches!(self.layout.text(start + 1), ":" | "=" | ":=") || start + 2 >= end {
                return None;
            }
            values.push((self.layout.text(start), self.text(start + 2, end)));
            start = end + 1;
        }
        let is_unknown = order.is_empty() && callee.starts_with(|c: char| c.is_ascii_uppercase());
        let in_order: Option<Vec<&str>> = match is_unknown {
            true => Some(values.iter().map(|(_, value)| *value).collect()),
            false => order
                .iter()
                .map(|part| values.iter().find(|(name, _)| name == part).map(|(_, value)| *value))
                .collect(),
        };
        let in_order = in_order.filter(|all| !all.is_empty() && all.len() == values.len())?;
        let new = format!("{callee}({})", in_order.join(", "));
        let range = (self.range(open - 1).0, self.range(close).1);
        let title = match is_record || is_unknown {
            true => "the parts of a record are given in their order, without names",
            false => "arguments are given in the order of the declaration, without names",
        };
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `move take(k: 1, 2)` to `move take(k: 1..2)`, and `k: 1, 3` to `k: { 1, 3 }`.
    fn parameter_by_a_list(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let open = self.bracket_around(at, at).filter(|&open| matches!(self.layout.text(open), "(" | "["))?;
        let is_head = matches!(self.bounds.place, ClauseContext::Top | ClauseContext::State);
        let start = (open + 1..=at).rev().find(|&at| self.layout.text(at) == ":").filter(|_| is_head)? + 1;
        let mut numbers: Vec<i64> = Vec::new();
        let mut next = start;
        while self.is_number(next) {
            numbers.push(self.layout.text(next).parse().ok()?);
            if !matches!(self.layout.text(next + 1), "," | "or" | "and" | "|") {
                next += 1;
                break;
            }
            next += 2;
        }
        // `k: 1, 2, d: Dir` has a comma behind the numbers.
        let end = if self.layout.text(next - 1) == "," { next - 1 } else { next };
        if numbers.len() < 2
            || at < start
            || at > next + 1
            || !matches!(self.layout.text(end), "," | ")" | "]")
        {
            return None;
        }
        let is_row = numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
        let new = match (is_row, numbers.first(), numbers.last()) {
            (true, Some(low), Some(high)) => format!("{low}..{high}"),
            _ => {
                let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                format!("{{ {} }}", numbers.join(", "))
            }
        };
        let range = (self.range(start).0, self.range(end - 1).1);
        let title = "several numbers are a range or a set";
        let name = self.layout.text(start.saturating_sub(2));
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{name}: {new}`")))
    }

    /// Rewrites the die `1d6` to `1..6`, and explains `2d6`.
    fn die_by_its_letter(&self) -> Option<Fix> {
        let at = self.bounds.at.checked_sub(1)?;
        let sides =
            self.word.strip_prefix(['d', 'D', 'w', 'W']).filter(|sides| sides.parse::<u32>().is_ok())?;
        let is_die = self.is_number(at) && self.touches(at) && self.layout.text(at.checked_sub(1)?) == ":";
        let name = self.layout.text(at.checked_sub(2).filter(|_| is_die)?);
        let range = (self.range(at).0, self.here().1);
        if self.last == "1" {
            let new = format!("1..{sides}");
            let title = "a die is a parameter of the numbers on its sides";
            let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{name}: {new}`"));
            return Some(Fix { accepts_partial: true, ..fix });
        }
        let other = ["e", "f", "second"].into_iter().find(|other| *other != name)?;
        let help = format!(
            "write `{name}: 1..{sides}, {other}: 1..{sides}`, one for each die, and add them where they are used"
        );
        let fix = explained(
            range,
            super::fallback::DAMAGE_MARKER,
            "each die is a parameter of the numbers on its sides",
            help,
        );
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Explains `chance throw(d: 1..6 + 1..6)`.
    fn sum_of_two_dice(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let open = self.bracket_around(at, at).filter(|&open| self.layout.text(open) == "(")?;
        let close = self.layout.partner(open)?;
        let colon = (open + 1..at).rev().find(|&at| self.layout.text(at) == ":")?;
        let end = self.outside_brackets(colon, &[","]).filter(|&end| end < close).unwrap_or(close);
        let plus = (colon + 1..end).find(|&at| matches!(self.layout.text(at), "+" | "and"))?;
        let ranges =
            |from: usize, to: usize| (from..to).filter(|&at| self.layout.text(at) == "..").count() == 1;
        let is_head = (self.bounds.first..open).any(|at| matches!(self.layout.text(at), "chance" | "move"));
        if !is_head || self.bounds.place != ClauseContext::Top || !ranges(colon, plus) || !ranges(plus, end) {
            return None;
        }
        let name = self.layout.text(colon - 1);
        let other = ["e", "f", "second"].into_iter().find(|other| *other != name)?;
        let (one, two) = (self.text(colon + 1, plus), self.text(plus + 1, end));
        let help = format!("write `{name}: {one}, {other}: {two}`, and `{name} + {other}` for their sum");
        let range = (self.range(plus - 1).1, self.range(end - 1).1);
        Some(explained(range, "", "two dice are two parameters", help).at((self.range(colon + 1).0, range.1)))
    }

    /// Rewrites `as str(k)` to `as "{k}"`, and `as format("take {}", k)` to `as "take {k}"`.
    fn template_by_a_call(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_call = matches!(
            self.word.to_lowercase().as_str(),
            "str"
                | "string"
                | "text"
                | "format"
                | "fmt"
                | "repr"
                | "tostring"
                | "to_string"
                | "concat"
                | "print"
                | "f"
        );
        let open = at + 1;
        let close = self
            .layout
            .partner(open)
            .filter(|_| is_call && self.last == "as" && self.layout.text(open) == "(")?;
        let new = self.template_of(open + 1, close, "")?;
        let is_whole = matches!(self.layout.text(close + 1), "{" | "in" | "by" | "prefer");
        let range = (self.here().0, self.range(close).1);
        let title = "the name of a move is a string, with its parts in braces";
        is_whole.then(|| Fix::new(range, &new, Code::E0013, title).help(format!("write `as {new}`")))
    }

    /// Rewrites `as ("take", k)` to `as "take {k}"`.
    fn template_in_brackets(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_bracket = self.last == "as" && matches!(self.word, "(" | "[");
        let close = self.layout.partner(at).filter(|_| is_bracket)?;
        let new = self.template_of(at + 1, close, " ")?;
        let range = (self.here().0, self.range(close).1);
        let title = "the name of a move is a string, with its parts in braces";
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `as {new}`")))
    }

    /// The template of strings and terms between these words, with this text between two of them.
    fn template_of(&self, from: usize, to: usize, between: &str) -> Option<String> {
        let (mut new, mut start, mut is_first) = (String::new(), from, true);
        while start < to {
            let end = self.outside_brackets(start, &[","]).filter(|&end| end < to).unwrap_or(to);
            let part = self.text(start, end);
            let inner = part.strip_prefix('"').and_then(|part| part.strip_suffix('"'));
            let is_term = trial_parse(Rule::one_expr, part).is_ok_and(|length| length == part.len());
            match inner {
                Some(text) if !text.contains('"') => {
                    new += if is_first { "" } else { between };
                    new += text;
                }
                None if is_term && !part.contains('"') => match new.find("{}") {
                    Some(hole) => new.replace_range(hole..hole + 2, &format!("{{{part}}}")),
                    None => {
                        new += if is_first { "" } else { between };
                        new += &format!("{{{part}}}");
                    }
                },
                _ => return None,
            }
            is_first = false;
            start = end + 1;
        }
        (!new.is_empty() && !new.contains("{}")).then(|| format!("\"{new}\""))
    }

    /// Explains `as "{if f then "x" else "-"}"`, where the quote of the inner string ends the template.
    fn string_in_a_placeholder(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let first = at.checked_sub(1).filter(|&first| self.text_before_word(first) == "as")?;
        let is_open = |text: &str| text.matches('{').count() > text.matches('}').count();
        let begin = self.range(first).0;
        if !self.last.starts_with('"') || !is_open(self.last) || self.bounds.place != ClauseContext::Top {
            return None;
        }
        let line = self.layout.source.get(begin..)?.lines().next()?;
        let brace = self.last.rfind('{')?;
        let close = line.get(brace..)?.find('}')? + brace;
        let inner = line.get(brace + 1..close)?;
        let end = line.get(close..)?.find('"')? + close + 1;
        let template = format!("{}{}", line.get(..brace)?, line.get(close + 1..end)?);
        if !trial_parse(Rule::one_expr, inner).is_ok_and(|length| length == inner.len()) {
            return None;
        }
        let open = (self.bounds.first..first).find(|&at| self.layout.text(at) == "(")?;
        let parameters: Vec<&str> = self
            .parts_between(open + 1, self.layout.partner(open)?)
            .into_iter()
            .filter(|part| {
                let name = part.split(':').next().unwrap_or_default().trim();
                inner.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()).any(|word| word == name)
            })
            .collect();
        let names: Vec<&str> =
            parameters.iter().map(|part| part.split(':').next().unwrap_or_default().trim()).collect();
        let title = "the quote of a string in a placeholder ends the template";
        let head = if parameters.is_empty() { String::new() } else { format!("({})", parameters.join(", ")) };
        let call = if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) };
        let help = format!("write `def shown{head} = {inner};`, and `{{shown{call}}}` in the template");
        let label = (begin + brace, begin + close + 1);
        Some(explained((begin, begin + end), &template, title, help).at(label))
    }

    /// The words before a word.
    fn text_before_word(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.layout.text(before))
    }

    /// The parts between commas of a list.
    pub(super) fn parts_between(&self, from: usize, to: usize) -> Vec<&str> {
        let (mut parts, mut start) = (Vec::new(), from);
        while start < to {
            let end = self.outside_brackets(start, &[","]).filter(|&end| end < to).unwrap_or(to);
            parts.push(self.text(start, end));
            start = end + 1;
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended};

    #[test]
    fn dice_have_the_numbers_of_their_sides() {
        let text = "chance throw(d: 1d6) in roll { n := d; }";
        assert_eq!(mended(text), text.replace("1d6", "1..6"));
        let help = "write `d: 1..6, e: 1..6`, one for each die, and add them where they are used";
        assert_eq!(helps("chance throw(d: 2d6) in roll { n := d; }"), [help]);
    }
}
