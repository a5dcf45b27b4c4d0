//! Fields whose first value is a dictionary: `coins = {A: 4, B: 4};`, `coins: {A: 4, B: 3};`.

use super::edits::{Fix, FixFinder};
use super::entries::MISSING_TYPE;
use super::layout::ClauseContext;
use super::phrases::explained;

/// The title of the messages.
const TITLE: &str = "a field with a value for each key has the key in square brackets, and a type";

impl FixFinder<'_> {
    /// Explains `coins = {A: 4, B: 4};` and `coins: {A: 4, B: 4};` in a state, for keys that are the values of a type.
    pub(super) fn field_of_a_dictionary(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let name = clause + usize::from(self.layout.text(clause) == "transient");
        let (sign, open) = (name + 1, name + 2);
        let is_field = self.bounds.place == ClauseContext::State
            && self.is_name(name)
            && matches!(self.layout.text(sign), "=" | ":" | ":=")
            && self.layout.text(open) == "{";
        let close = self.layout.partner(open).filter(|&close| is_field && close > open + 1)?;
        let is_ended = matches!(self.layout.text(close + 1), ";" | "}" | "hidden" | "visible");
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        let mut at = open + 1;
        while at < close {
            let end = self.outside_brackets(at, &[","]).filter(|&end| end < close).unwrap_or(close);
            if !matches!(self.layout.text(at + 1), ":" | "=>" | "=") || at + 2 >= end {
                return None;
            }
            keys.push(self.layout.text(at).trim_matches('"'));
            values.push(self.text(at + 2, end).trim_matches('"'));
            at = end + 1;
        }
        let (key, of) =
            self.key_over(&keys).filter(|_| is_ended && (name..=close).contains(&self.bounds.at))?;
        let (ty, is_guess) = self.type_of_values(&values)?;
        let value = match values.iter().all(|value| *value == values[0]) {
            true => values[0].to_owned(),
            false => {
                let arms: Vec<String> =
                    keys.iter().zip(&values).map(|(key, value)| format!("{key} => {value}")).collect();
                format!("match {key} {{ {} }}", arms.join(", "))
            }
        };
        let head = format!("{}[{key}: {of}]", self.layout.text(name));
        let note = if is_guess { ", with the values that it may have" } else { "" };
        let help = format!("write `{head}: {ty} = {value};`{note}");
        let range = (self.range(name).0, self.range(close).1);
        let fix = explained(range, &format!("{head}{MISSING_TYPE} = {value}"), TITLE, help);
        Some(Fix { accepts_partial: true, ..fix.at((self.range(name).0, self.range(name).1)) })
    }

    /// The type of the values, with true if it may be larger.
    fn type_of_values(&self, values: &[&str]) -> Option<(String, bool)> {
        let outline = self.outline();
        let numbers: Option<Vec<i64>> = values.iter().map(|value| value.parse().ok()).collect();
        if let Some(numbers) = numbers {
            let (low, high) = (*numbers.iter().min()?, *numbers.iter().max()?);
            return Some((format!("{}..{}", low.min(0), high.max(9)), true));
        }
        let some: Vec<&str> = values.iter().copied().filter(|value| *value != "none").collect();
        let option = if some.len() < values.len() { "?" } else { "" };
        if some.is_empty() {
            return None;
        }
        if some.iter().all(|value| matches!(*value, "true" | "false")) {
            return Some((format!("bool{option}"), false));
        }
        if some.iter().all(|value| outline.players().contains(value)) {
            return Some((format!("Player{option}"), false));
        }
        let (of, _) = outline.enum_of(&some)?;
        Some((format!("{of}{option}"), false))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn first_values_by_keys_have_a_type() {
        for (theirs, ours) in [
            (
                "coins = {A: 4, B: 4};",
                "write `coins[p: Player]: 0..9 = 4;`, with the values that it may have",
            ),
            ("coins: {A: 4, B: 4};", "write `coins[p: Player]: 0..9 = 4;`, with the values that it may have"),
            (
                "coins = {\"A\": 4, \"B\": 13};",
                "write `coins[p: Player]: 0..13 = match p { A => 4, B => 13 };`, with the values that it may have",
            ),
            (
                "coins = {A: low, B: high};",
                "write `coins[p: Player]: Kind = match p { A => low, B => high };`",
            ),
            (
                "coins = {A: low, B: none};",
                "write `coins[p: Player]: Kind? = match p { A => low, B => none };`",
            ),
            ("coins = {low: true, high: true};", "write `coins[k: Kind]: bool = true;`"),
            (
                "coins = {1: 3, 2: 5};",
                "write `coins[i: 1..2]: 0..9 = match i { 1 => 3, 2 => 5 };`, with the values that it may have",
            ),
        ] {
            let text = format!(
                "players A, B;\nenum Kind {{ low, high }}\nstate {{ m: 0..3 = 0; {theirs} n: 0..1 = 0; }}\n"
            );
            assert_eq!(titles(&text), [super::TITLE], "{theirs}: {:?}", helps(&text));
            assert_eq!(helps(&text), [ours]);
            assert_eq!(mended(&text), text);
        }
    }
}
