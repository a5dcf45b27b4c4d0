//! Fields, parameters and definitions that lack a part of their declaration: `at[a1] = Wolf;`, `left = 7;`, `def f(a, b)`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;

/// The placeholder for a missing type.
pub(super) const MISSING_TYPE: &str = ": \u{1A}";

/// The number of values of single keys that a message quotes.
const QUOTED_VALUES: usize = 6;

/// The type of the numbers from 0 up to a number, or of those around 0.
fn range_of(number: i64) -> String {
    match number {
        0 => "0..9".to_owned(),
        1.. => format!("0..{number}"),
        _ => format!("{number}..{}", -number),
    }
}

/// The numbers of a list `[3, 4, 5]`.
fn numbers_of(value: &str) -> Option<Vec<i64>> {
    let inner = value.strip_prefix('[')?.strip_suffix(']')?;
    inner.split(',').map(|number| number.trim().parse().ok()).collect()
}

/// The names in words: `a`, `b` and `c`.
fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}

impl FixFinder<'_> {
    /// Explanations of incomplete declarations.
    pub fn entries(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.values_below_the_field(),
            self.field_without_type(),
            self.parameter_without_type(),
            self.parameters_without_types(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Adds the missing name of a type: `at[Cell]`, `heap[0..2]`, `move put(Cell)`.
    pub(super) fn keys(&self, fixes: &mut Vec<Fix>) {
        let at = match self.word {
            "]" | ")" | "," if self.last.starts_with(|c: char| c.is_ascii_uppercase()) => self.bounds.at - 1,
            _ => self.bounds.at,
        };
        let (opens, ty) = (self.layout.text(at.wrapping_sub(1)), self.layout.text(at));
        let first = ty.chars().next().unwrap_or(' ').to_ascii_lowercase();
        let name = match first {
            'a'..='z' if at < self.bounds.at => first,
            '0'..='9' => 'i',
            _ => return,
        };
        // The key of one value of a table is no type.
        let outline = self.outline();
        if outline.players().contains(&ty) || outline.enum_of(&[ty]).is_some() {
            return;
        }
        if at > self.bounds.first && matches!(opens, "[" | "(" | ",") {
            let start = self.range(at).0;
            let end = (at..self.bounds.end).find(|&at| matches!(self.layout.text(at), "]" | ")" | ","));
            let ty = end.map_or(ty, |end| self.layout.source[start..self.range(end).0].trim_end());
            let title = "a key or parameter has a name before its type";
            fixes.push(
                Fix::new((start, start), &format!("{name}: "), Code::E0013, title)
                    .at(self.range(at))
                    .help(format!("write `{name}: {ty}`")),
            );
        }
    }

    /// Adds the missing type of a name.
    pub(super) fn types(&self, fixes: &mut Vec<Fix>) {
        let wanted = self.stop.expected.iter().any(|sign| sign == ":");
        if !wanted || !matches!(self.word, "=" | ")" | "," | ";" | "]") || self.bounds.at == self.bounds.first
        {
            return;
        }
        // What is missing in the body of a definition is no type.
        let is_body = self.in_definition()
            && self.outside_brackets(self.bounds.first, &["="]).is_some_and(|sign| sign < self.bounds.at);
        if is_body {
            return;
        }
        // `let x = e in body` lacks a colon of its own.
        if (self.bounds.clause..self.bounds.at).any(|at| self.layout.text(at) == "in" && self.is_let_in(at)) {
            return;
        }
        let is_parameter = matches!(self.word, "," | ")") && self.is_name(self.bounds.at - 1);
        let end = self.layout.item_end(self.bounds.first);
        let used = is_parameter.then(|| self.type_from_use(self.last, self.bounds.at + 1, end));
        if let Some(ty) = used.flatten() {
            let title = format!("the type of `{}` is missing", self.last);
            let help = format!("write `{}: {ty}`", self.last);
            let fix = Fix::new(self.gap(), &format!(": {ty}"), Code::E0013, title);
            let fix = fix.at(self.range(self.bounds.at - 1)).help(help);
            fixes.push(Fix { accepts_partial: true, ..fix });
            return;
        }
        let of = match self.last {
            "]" => "this field".to_owned(),
            name if keywords::starts_with_letter(name) => format!("`{name}`"),
            _ => return,
        };
        let hinted = self.outline().type_of_name(self.last).filter(|_| is_parameter);
        let mut fix = Fix::new(self.gap(), MISSING_TYPE, Code::E0013, format!("the type of {of} is missing"))
            .at(self.range(self.bounds.at - 1))
            .help(match self.layout.text(self.bounds.first) {
                "param" if self.word == "=" => {
                    format!("write `param {}: 1..9 = ...;`, with the values that it may have", self.last)
                }
                _ if hinted.is_some() => {
                    format!(
                        "write it after `:`, for instance `{}: {}`",
                        self.last,
                        hinted.unwrap_or_default()
                    )
                }
                _ => {
                    let (one, other) = self.example_types();
                    format!("write it after `:`, for instance `{one}` or `{other}`")
                }
            });
        fix.is_correction = false;
        // The next parameter may lack its type as well.
        fix.accepts_partial = matches!(self.word, "," | ")");
        fixes.push(fix);
    }

    /// The values of single keys in a row, `at[a1] = X; at[b2] = O;`, with their keys, and the last word of the row.
    pub(super) fn values_of_single_keys(&self, name: &str, from: usize) -> (Vec<(&str, &str)>, usize) {
        let (mut at, mut last) = (from, from);
        let mut values = Vec::new();
        while self.layout.text(at) == name && self.layout.text(at + 1) == "[" {
            let Some(close) = self.layout.partner(at + 1) else { break };
            let end = self.outside_brackets(close + 1, &[";"]);
            let is_value = matches!(self.layout.text(close + 1), "=" | ":=");
            let Some(end) = end.filter(|&end| is_value && end > close + 2) else { break };
            values.push((self.text(at + 2, close), self.text(close + 2, end)));
            last = end;
            at = end + 1;
        }
        (values, last)
    }

    /// Explains `at[a1] = Wolf; at[c3] = Sheep;` below the declaration of `at` in a state.
    fn values_below_the_field(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let name = self.layout.text(clause);
        let is_field = |&at: &usize| {
            let close = self.layout.partner(at + 1).filter(|_| self.layout.text(at + 1) == "[");
            self.layout.text(at) == name && close.is_some_and(|close| self.layout.text(close + 1) == ":")
        };
        let in_state = self.bounds.place == ClauseContext::State && self.is_name(clause);
        let field = (self.bounds.first..clause).find(is_field).filter(|_| in_state)?;
        let (values, last) = self.values_of_single_keys(name, clause);
        // `at[c] := me;` is an effect of a move.
        let is_effect = |(_, value): &(&str, &str)| matches!(*value, "me" | "opponent");
        if values.is_empty() || self.bounds.at > last || values.iter().any(is_effect) {
            return None;
        }
        let help = format!("write `{}`", self.field_by_match(field, &values)?);
        let range = (self.range(clause).0, self.range(last).1);
        let title = "a field is declared once; its initial value tells each cell";
        let first = self.outside_brackets(clause, &[";"])?;
        Some(explained(range, "", title, help).at((range.0, self.range(first - 1).1)))
    }

    /// The declaration of the field at `field` with these values of single keys.
    fn field_by_match(&self, field: usize, values: &[(&str, &str)]) -> Option<String> {
        let open = field + 1;
        let close = self.layout.partner(open)?;
        let keys: Vec<&str> = (open + 1..close)
            .filter(|&at| self.layout.text(at + 1) == ":" && matches!(self.layout.text(at - 1), "[" | ","))
            .map(|at| self.layout.text(at))
            .collect();
        let end = self.outside_brackets(close + 1, &[";"])?;
        let equals = self.outside_brackets(close + 1, &["=", ";"])?;
        let ty = self.text(close + 2, equals.min(end));
        let default = match equals < end {
            true => self.text(equals + 1, end),
            false if ty.ends_with('?') => "none",
            false => "...",
        };
        let in_brackets = |keys: &str| if keys.contains(',') { format!("({keys})") } else { keys.to_owned() };
        let mut arms: Vec<String> = values
            .iter()
            .take(QUOTED_VALUES)
            .map(|(key, value)| format!("{} => {value}", in_brackets(key)))
            .collect();
        if values.len() > QUOTED_VALUES {
            arms.push("...".to_owned());
        }
        let is_complete = self.text(open + 1, close).ends_with(&format!(": 1..{}", values.len()));
        if !is_complete {
            arms.push(format!("_ => {default}"));
        }
        let head = self.text(field, close + 1);
        Some(format!("{head}: {ty} = match {} {{ {} }};", in_brackets(&keys.join(", ")), arms.join(", ")))
    }

    /// The words of the initial value behind the sign at the mistake.
    fn initial_value(&self) -> Option<&str> {
        let start = self.bounds.at + 1;
        let end = self.outside_brackets(start, &[";", "hidden", "visible", "where"])?;
        (end > start).then(|| self.text(start, end))
    }

    /// Explains `left = 7;`, `left := 7;` and `got[p: Player] = 0;` in a state.
    fn field_without_type(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let keys = self.layout.partner(clause + 1).filter(|_| self.layout.text(clause + 1) == "[");
        let last = keys.unwrap_or(clause);
        let is_field = self.bounds.place == ClauseContext::State && self.is_name(clause) && at == last + 1;
        if !is_field || !matches!(self.word, "=" | ":=") {
            return None;
        }
        let value = self.initial_value()?;
        let head = self.text(clause, at);
        let help = match (value.parse::<i64>(), value) {
            (Ok(number), _) => {
                format!("write `{head}: {} = {value};`, with the values that it may have", range_of(number))
            }
            (_, "true" | "false") => format!("write `{head}: bool = {value};`"),
            (_, value) if value.starts_with("diagram") => {
                let ty = self.type_of_a_diagram(at + 1);
                let example = if ty.is_none() { ", with the type of the values of its signs" } else { "" };
                format!("write `{head}: {} = diagram ...`{example}", ty.as_deref().unwrap_or("TYPE"))
            }
            (_, "none") => {
                format!("write `{head}: TYPE? = none;`, with the type of its other values, such as `Player?`")
            }
            _ => match numbers_of(value).filter(|numbers| keys.is_none() && !numbers.is_empty()) {
                Some(numbers) => {
                    let most = numbers.iter().copied().max().unwrap_or_default();
                    let arms: Vec<String> = numbers
                        .iter()
                        .enumerate()
                        .map(|(at, number)| format!("{} => {number}", at + 1))
                        .collect();
                    format!(
                        "write `{head}[i: 1..{}]: {} = match i {{ {} }};`: several values have a key",
                        numbers.len(),
                        range_of(most),
                        arms.join(", ")
                    )
                }
                None => {
                    format!("write `{head}: TYPE = {value};`, for instance with `0..9` or the name of a type")
                }
            },
        };
        let title = match keys {
            Some(_) => "the type of this field is missing".to_owned(),
            None => format!("the type of `{head}` is missing"),
        };
        let fix = explained(self.here(), &format!("{MISSING_TYPE} ="), &title, help);
        Some(Fix { accepts_partial: true, ..fix.at(self.range(last)) })
    }

    /// The type of the values that the signs of the diagram at this word stand for.
    fn type_of_a_diagram(&self, diagram: usize) -> Option<String> {
        let open = self.outside_brackets(diagram + 1, &["{", ";"])?;
        let close = self.layout.partner(open)?;
        let arrows = (open + 1..close).filter(|&at| self.layout.text(at) == "=>");
        let mut values: Vec<&str> = arrows.map(|at| self.layout.text(at + 1)).collect();
        let count = values.len();
        values.retain(|value| *value != "none");
        let sign = if values.len() < count { "?" } else { "" };
        let players = self.outline().players();
        let ty = match () {
            () if values.is_empty() => return None,
            () if values.iter().all(|value| players.contains(value)) => "Player",
            () => self.outline().enum_of(&values)?.0,
        };
        Some(format!("{ty}{sign}"))
    }

    /// Explains `param n = 20;` and `param heaps = [3, 4, 5];`.
    fn parameter_without_type(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_param = self.layout.text(first) == "param" && self.bounds.at == first + 2;
        if !is_param || !matches!(self.word, "=" | ":=") {
            return None;
        }
        let value = self.initial_value()?;
        let name = self.last;
        let help = match (value.parse::<i64>(), value, numbers_of(value)) {
            (Ok(number), ..) => {
                format!(
                    "write `param {name}: {} = {value};`, with the values that it may have",
                    range_of(number)
                )
            }
            (_, "true" | "false", _) => format!("write `param {name}: bool = {value};`"),
            _ if value.starts_with('"') => {
                let picture = if value.contains('\n') { "\"\"\"...\"\"\"" } else { value };
                let help = format!(
                    "write `param {name}: text = {picture};`, or `const {name} = {picture};` if it \
                     never changes"
                );
                let fix =
                    Fix::new(self.gap(), ": text", Code::E0013, format!("the type of `{name}` is missing"));
                return Some(fix.at(self.range(self.bounds.at - 1)).help(help));
            }
            (_, _, Some(numbers)) => {
                let most = numbers.iter().copied().max().unwrap_or_default().max(9);
                format!(
                    "write `param {name}: list of 0..{most} = {value};`, with the numbers that may be in it"
                )
            }
            _ => return None,
        };
        let title = format!("the type of `{name}` is missing");
        let fix = explained(self.here(), &format!("{MISSING_TYPE} ="), &title, help);
        Some(fix.at(self.range(self.bounds.at - 1)))
    }

    /// Explains `def cell(col, row) = ...;`, once for all parameters.
    fn parameters_without_types(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_wanted = self.stop.expected.iter().any(|sign| sign == ":") && matches!(self.word, "," | ")");
        let open = self.bracket_around(at, at).filter(|_| is_wanted && self.is_name(at - 1))?;
        let close = self.layout.partner(open)?;
        let ends = |at: usize| at == close || self.layout.text(at) == ",";
        let (mut names, mut new, mut heads, mut from) = (Vec::new(), String::new(), Vec::new(), open + 1);
        let mut is_known = true;
        while let Some(end) = (from..=close).find(|&at| ends(at)) {
            let part = self.text(from, end);
            let body = self.layout.item_end(self.bounds.first);
            if end == from + 1 && self.is_name(from) {
                names.push(part);
                match self.type_from_use(part, close + 1, body) {
                    Some(ty) => {
                        heads.push(format!("{part}: {ty}"));
                        new += &format!("{part}: {ty}");
                    }
                    None => {
                        is_known = false;
                        heads.push(format!("{part}: ..."));
                        new += &format!("{part}{MISSING_TYPE}");
                    }
                }
            } else {
                heads.push(part.to_owned());
                new += part;
            }
            new += if end < close { ", " } else { "" };
            from = end + 1;
        }
        if names.len() < 2 || self.layout.text(open) != "(" {
            return None;
        }
        let title = format!("the types of {} are missing", listed(&names));
        let head = self.layout.text(open.wrapping_sub(1));
        let head = if keywords::starts_with_letter(head) { head } else { "" };
        let mut help = format!("write `{head}({})`", heads.join(", "));
        let hinted = names.iter().map(|name| Some((name, self.outline().type_of_name(name)?)));
        if let Some(hinted) = hinted.collect::<Option<Vec<_>>>().filter(|_| !is_known) {
            for (name, ty) in hinted {
                help = help.replace(&format!("{name}: ..."), &format!("{name}: {ty}"));
            }
            help += ", or with other types";
        } else if !is_known {
            let (one, other) = self.example_types();
            help += &format!(", each with its type after `:`, for instance `{one}` or `{other}`");
        }
        let range = (self.range(open).1, self.range(close).0);
        let fix = explained(range, &new, &title, help).at((self.range(at - 1).0, range.1));
        Some(Fix { accepts_partial: true, is_correction: is_known, ..fix })
    }

    /// Two parameters with types of the text, for messages about types that are missing.
    pub(super) fn example_types(&self) -> (String, &'static str) {
        let outline = self.outline();
        let ty = outline.board().or_else(|| outline.strings_after(&["enum"]).first().copied());
        let ty = ty.filter(|ty| keywords::starts_with_letter(ty)).unwrap_or("Player");
        let name = ty.chars().next().unwrap_or('c').to_ascii_lowercase();
        let name = if outline.board() == Some(ty) { 'c' } else { name };
        (format!("{name}: {ty}"), "n: 0..9")
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended};

    #[test]
    fn missing_types_are_told_with_those_of_the_text() {
        let state = "players A, B;\nenum Hold { fore, aft }\nstate { bid: 0..3 = 0; }\n";
        for (item, help) in [
            (
                "def most(h, k) = g(h) + k;\nmove unload(h: Hold, k: 1..2) as \"{k}\" { n := 1; }\n",
                "write `most(h: Hold, k: 1..2)`, or with other types",
            ),
            ("move bid_it(k) as \"{k}\" { bid := k; }\n", "write it after `:`, for instance `k: 0..3`"),
            (
                "move bid_it(k) as \"{k}\" { n := k + 1; }\n",
                "write it after `:`, for instance `h: Hold` or `n: 0..9`",
            ),
        ] {
            let text = format!("{state}{item}");
            assert_eq!(helps(&text), [help]);
            assert_eq!(mended(&text), text);
        }
    }
}
