//! Tables and fields with a value for each key, in other forms: `const ahead[A] = N; const ahead[B] = S;`,
//! `pos: map Player to Cell`, `pile[3]: 0..7 = [3, 4, 5]`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::outline::term_of_words;
use super::phrases::explained;
use crate::diag::Code;

/// The title of the message about a table whose values stand one by one.
pub(super) const ONE_BY_ONE: &str = "a table is one item, with a value for each key";

/// The end of the title of the message about the first value of a field, which stands among the items.
pub(super) const FIRST_VALUE: &str = "stands in the state";

impl FixFinder<'_> {
    /// Fixes and explanations of tables.
    pub fn tables_of_keys(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.constants_of_single_keys(),
            self.constant_of_a_dictionary(),
            self.field_of_single_keys(),
            self.field_as_a_map(),
            self.field_of_a_size(),
            self.value_below_the_state(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// A key over these values, with its name and type, if they are all values of a type.
    pub(super) fn key_over(&self, values: &[&str]) -> Option<(String, String)> {
        let outline = self.outline();
        let is_all = |members: &[&str]| {
            members.len() == values.len() && members.iter().all(|member| values.contains(member))
        };
        if is_all(&outline.players()) {
            return Some(("p".to_owned(), "Player".to_owned()));
        }
        if let Some((name, members)) = outline.enum_of(values) {
            let key = name.chars().next()?.to_ascii_lowercase().to_string();
            return is_all(&members).then(|| (key, name.to_owned()));
        }
        let numbers: Option<Vec<i64>> = values.iter().map(|value| value.parse().ok()).collect();
        let numbers = numbers
            .filter(|numbers| numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1])))?;
        Some(("i".to_owned(), format!("{}..{}", numbers.first()?, numbers.last()?)))
    }

    /// The list between these words as a set, and false if an element of it stands there twice.
    pub(super) fn list_as_a_set(&self, start: usize, end: usize) -> Option<(String, bool)> {
        let is_list =
            self.layout.text(start) == "[" && self.layout.partner(start).map(|at| at + 1) == Some(end);
        let elements = Some(self.parts_between(start + 1, end.checked_sub(1)?)).filter(|_| is_list)?;
        let is_whole = (1..elements.len()).all(|at| !elements[..at].contains(&elements[at]));
        let set =
            if elements.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", elements.join(", ")) };
        Some((set, is_whole))
    }

    /// Rewrites `const ahead[A] = N; const ahead[B] = S;` to one table.
    fn constants_of_single_keys(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let (name, open) = (self.layout.text(first + 1), first + 2);
        let is_table = self.layout.text(first) == "const" && self.layout.text(open) == "[";
        let close = self.layout.partner(open).filter(|&close| is_table && close == open + 2)?;
        let end = self.outside_brackets(close + 1, &[";"]).filter(|_| self.bounds.at <= close + 1)?;
        let outline = self.outline();
        let values = outline.constants_of_keys(name);
        let keys: Vec<&str> = values.iter().map(|(key, _)| key.as_str()).collect();
        if keys.len() < 2 || !keys.contains(&self.layout.text(open + 1)) {
            return None;
        }
        let range = (self.range(first).0, self.range(end).1);
        let label = (self.range(first + 1).0, self.range(close).1);
        let arms: Vec<String> = values.iter().map(|(key, value)| format!("{key} => {value}")).collect();
        let Some((key, ty)) = self.key_over(&keys) else {
            let help =
                format!("write `const {name}[k: TYPE] = match k {{ {}, _ => ... }};`", arms.join(", "));
            return Some(explained(range, "", ONE_BY_ONE, help).at(label));
        };
        let new = format!("const {name}[{key}: {ty}] = match {key} {{ {} }};", arms.join(", "));
        let is_first = keys.first() == Some(&self.layout.text(open + 1));
        let fix = Fix::new(range, if is_first { &new } else { "" }, Code::E0013, ONE_BY_ONE);
        Some(fix.at(label).help(format!("write `{new}`")))
    }

    /// Rewrites `const most = { A: 1, B: 2 };` to a table.
    fn constant_of_a_dictionary(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let open = self.outside_brackets(first, &["="])? + 1;
        let end = self.outside_brackets(open, &[";"])?;
        let is_constant =
            self.layout.text(first) == "const" && self.is_name(first + 1) && self.layout.text(open) == "{";
        let arms = self.arms_of_a_dictionary(open, end).filter(|_| is_constant)?;
        let has_key = self.layout.text(first + 2) == "[";
        let keys: Vec<&str> = arms.iter().map(|(key, _)| *key).collect();
        let (key, ty) = self.key_over(&keys).filter(|_| !has_key && keys.len() > 1)?;
        let name = self.layout.text(first + 1);
        // A table has no length.
        if keys.first() == Some(&"1") && self.outline().has_words(&["#", name]) {
            let values: Vec<&str> = arms.iter().map(|(_, value)| *value).collect();
            let new = format!("const {name} = [{}];", values.join(", "));
            let range = (self.range(first).0, self.range(end).1);
            let title = "a value for each number from 1 is a list";
            return Some(
                Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")),
            );
        }
        let arms: Vec<String> = arms.iter().map(|(key, value)| format!("{key} => {value}")).collect();
        let new = format!("const {name}[{key}: {ty}] = match {key} {{ {} }};", arms.join(", "));
        let range = (self.range(first).0, self.range(end).1);
        let title = "a value for each key is a table";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Rewrites `pos[A]: Cell = a1; pos[B]: Cell = c3;` in a state to one field.
    fn field_of_single_keys(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let name = self.layout.text(clause);
        let is_field = self.bounds.place == ClauseContext::State && self.is_name(clause);
        let (mut at, mut last) = (clause, clause);
        let (mut keys, mut values, mut ty) = (Vec::new(), Vec::new(), "");
        while is_field && self.layout.text(at) == name && self.layout.text(at + 1) == "[" {
            let close = self.layout.partner(at + 1).filter(|&close| close == at + 3)?;
            let end = self.outside_brackets(close + 1, &[";"])?;
            let sign = self.outside_brackets(close + 1, &["="]).filter(|&sign| sign < end)?;
            let own = self.text(close + 2, sign);
            if self.layout.text(close + 1) != ":" || !ty.is_empty() && own != ty {
                return None;
            }
            ty = own;
            keys.push(self.layout.text(at + 2));
            values.push(self.text(sign + 1, end));
            last = end;
            at = end + 1;
        }
        let (key, domain) = self.key_over(&keys).filter(|_| keys.len() > 1)?;
        let arms: Vec<String> =
            keys.iter().zip(&values).map(|(key, value)| format!("{key} => {value}")).collect();
        let value = match &values[..] {
            [one, rest @ ..] if rest.iter().all(|other| other == one) => (*one).to_owned(),
            _ => format!("match {key} {{ {} }}", arms.join(", ")),
        };
        let new = format!("{name}[{key}: {domain}]: {ty} = {value};");
        let range = (self.range(clause).0, self.range(last).1);
        let title = format!("one field `{name}` has a value for each key");
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
    }

    /// Rewrites `pos: map Player to Cell = { A: a1, B: c3 };` to a field with a key.
    fn field_as_a_map(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_field = self.bounds.place == ClauseContext::State && self.layout.text(clause + 1) == ":";
        let end = self.outside_brackets(clause, &[";"]).filter(|_| is_field)?;
        let sign = self.outside_brackets(clause + 2, &["="]).filter(|&sign| sign < end).unwrap_or(end);
        let start = clause + 2;
        let is_map = matches!(
            self.layout.text(start).to_lowercase().as_str(),
            "map" | "dict" | "dictionary" | "mapping" | "table" | "hashmap" | "function"
        );
        let arrow = (start..sign).find(|&at| matches!(self.layout.text(at), "to" | "->" | "=>" | ","))?;
        let from = start + usize::from(is_map);
        let from = from + usize::from(matches!(self.layout.text(from), "from" | "of" | "<" | "[" | "("));
        let to = sign - usize::from(matches!(self.layout.text(sign - 1), ">" | "]" | ")"));
        let is_key =
            from + 1 == arrow && self.layout.text(from).starts_with(|c: char| c.is_ascii_uppercase());
        if !is_key || arrow + 1 >= to || !is_map {
            return None;
        }
        let name = self.layout.text(clause);
        let (domain, ty) = (self.layout.text(from), self.text(arrow + 1, to));
        let key = domain.chars().next()?.to_ascii_lowercase().to_string();
        let title = "what has a value for each key is a field with a key";
        let range = (self.range(clause).0, self.range(end - 1).1);
        let label = (self.range(start).0, self.range(sign - 1).1);
        let head = format!("{name}[{key}: {domain}]: {ty}");
        if sign == end {
            return Some(
                Fix::new(range, &head, Code::E0013, title).at(label).help(format!("write `{head};`")),
            );
        }
        let value = self.text(sign + 1, end);
        if matches!(value, "{}" | "[]") {
            let ty = ty.trim_end_matches('?');
            let new = format!("{name}[{key}: {domain}]: {ty}? = none");
            let fix = Fix::new(range, &new, Code::E0013, title).at(label).help(format!("write `{new};`"));
            return Some(Fix { is_correction: ty.starts_with(|c: char| c.is_ascii_uppercase()), ..fix });
        }
        let Some(arms) = self.arms_of_a_dictionary(sign + 1, end) else {
            let new = format!("{head} = {value}");
            return Some(Fix::new(range, &new, Code::E0013, title).at(label).help(format!("write `{new};`")));
        };
        let keys: Vec<&str> = arms.iter().map(|(key, _)| *key).collect();
        let is_whole = self.key_over(&keys).is_some_and(|(_, ty)| ty == domain);
        let mut arms: Vec<String> = arms.iter().map(|(key, value)| format!("{key} => {value}")).collect();
        if !is_whole && ty.ends_with('?') {
            arms.push("_ => none".to_owned());
        }
        let new = format!("{head} = match {key} {{ {} }}", arms.join(", "));
        let fix = Fix::new(range, &new, Code::E0013, title).at(label).help(format!("write `{new};`"));
        Some(Fix { is_correction: is_whole || ty.ends_with('?'), ..fix })
    }

    /// The keys and values of `{ A: 1, B: 2 }`.
    fn arms_of_a_dictionary(&self, open: usize, end: usize) -> Option<Vec<(&str, &str)>> {
        let close = self.layout.partner(open).filter(|&close| close + 1 == end)?;
        let mut arms = Vec::new();
        let mut at = open + 1;
        while at < close {
            let next = self.outside_brackets(at, &[","]).filter(|&next| next < close).unwrap_or(close);
            if !matches!(self.layout.text(at + 1), ":" | "=" | "=>" | "->") || at + 2 >= next {
                return None;
            }
            arms.push((self.layout.text(at), self.text(at + 2, next)));
            at = next + 1;
        }
        (!arms.is_empty()).then_some(arms)
    }

    /// Rewrites `pile[3]: 0..7 = [3, 4, 5];` to `pile[i: 1..3]: 0..7 = [3, 4, 5][i];`, and `at[3][3]` to cells of a board.
    fn field_of_a_size(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let open = clause + 1;
        let is_size = |open: usize| {
            self.layout.text(open) == "["
                && self.is_number(open + 1)
                && self.layout.partner(open) == Some(open + 2)
        };
        let is_field = self.bounds.place == ClauseContext::State && self.is_name(clause) && is_size(open);
        let end = self.outside_brackets(clause, &[";"]).filter(|_| is_field)?;
        let size = self.layout.text(open + 1);
        let name = self.layout.text(clause);
        if is_size(open + 3) {
            return self.field_of_rows(name, (size, self.layout.text(open + 4)), open + 5);
        }
        if self.layout.text(open + 3) != ":" {
            return None;
        }
        let sign = self.outside_brackets(open + 3, &["="]).filter(|&sign| sign < end);
        let list = sign.filter(|&sign| self.layout.text(sign + 1) == "[");
        let is_list = list.is_some_and(|sign| self.layout.partner(sign + 1) == Some(end - 1));
        let ty = self.text(open + 4, sign.unwrap_or(end));
        let value = sign.map_or(String::new(), |sign| format!(" = {}", self.text(sign + 1, end)));
        let index = if is_list { "[i]" } else { "" };
        let new = format!("{name}[i: 1..{size}]: {ty}{value}{index}");
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = "the key of a field has a name and a type";
        Some(
            Fix::new(range, &new, Code::E0013, title)
                .at(self.range(open + 1))
                .help(format!("write `{new};`")),
        )
    }

    /// The fix of `at[3][3]: Player?`, whose sizes end with the bracket at `close`.
    fn field_of_rows(&self, name: &str, size: (&str, &str), close: usize) -> Option<Fix> {
        let state = self.bounds.first;
        let outline = self.outline();
        let (columns, rows) = size;
        let (insert, board) = match outline.board() {
            Some(board) => (String::new(), board),
            None => (format!("board Cell = grid({columns}, {rows});\n"), "Cell"),
        };
        let before = self.layout.source.get(self.range(state).0..self.range(self.bounds.clause).0)?;
        let new = format!("{insert}{before}{name}[c: {board}]");
        let range = (self.range(state).0, self.range(close).1);
        let label = (self.range(self.bounds.clause).0, range.1);
        let title = "the cells of a board are the key of a field";
        let help = match insert.is_empty() {
            true => format!("write `{name}[c: {board}]`"),
            false => format!("write `{}` among the items, and `{name}[c: Cell]` here", insert.trim_end()),
        };
        let fix = Fix::new(range, &new, Code::E0013, title).at(label).help(help);
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Explains `n = 0;` among the items, the first value of the field `n`.
    fn value_below_the_state(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_init = matches!(self.layout.text(first), "init" | "setup" | "start" | "initial" | "begin");
        let start = first + if is_init && matches!(self.layout.text(first + 1), "{" | ":") { 2 } else { 0 };
        let name = self.layout.text(start);
        let sign = start + 1;
        let is_value = matches!(self.layout.text(sign), "=" | ":=") && self.is_name(start);
        let end = self.outside_brackets(sign, &[";"]).filter(|&end| is_value && end > sign + 1)?;
        let close = if start > first && self.layout.text(first + 1) == "{" {
            self.layout.partner(first + 1).filter(|&close| close == end + 1)?
        } else {
            end
        };
        let outline = self.outline();
        let field = outline.field(name).filter(|field| field.keys.is_empty() && self.bounds.at <= sign)?;
        let value = self.text(sign + 1, end);
        let title = format!("the first value of `{name}` {FIRST_VALUE}");
        let help = format!("write `{name}: {} = {value};` there", term_of_words(&field.ty));
        let range = (self.range(first).0, self.range(close).1);
        Some(explained(range, "", &title, help).at((self.range(first).0, self.range(end).1)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    #[test]
    fn values_with_a_length_are_a_list() {
        let text = |value: &str| {
            format!("const worth = {value};\nstate {{ lot: 1..#worth + 1 = 1; n: 0..3 = worth[1]; }}\n")
        };
        assert_eq!(mended(&text("{1: 1, 2: 3, 3: 2}")), text("[1, 3, 2]"));
        assert_eq!(titles(&text("{1: 1, 2: 3, 3: 2}")), ["a value for each number from 1 is a list"]);
    }
}
