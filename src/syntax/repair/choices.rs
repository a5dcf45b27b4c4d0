//! Parameters that are given by their values: `move take(left | right)`, `move take(e = left)` and
//! `chance die(d = random(1, 4))`.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;

/// Functions of other languages that throw a die.
const RANDOM: [&str; 10] =
    ["random", "rand", "randint", "randrange", "roll", "dice", "die", "choice", "uniform", "sample"];

impl FixFinder<'_> {
    /// Explanations of parameters that are given by their values.
    pub fn choices(&self, fixes: &mut Vec<Fix>) {
        let Some((open, close)) = self.parameters_of_a_move() else { return };
        let Some((from, to)) = self.parameter_at(open, close) else { return };
        let all = [
            self.values_as_a_parameter(open, (from, to)),
            self.parameter_with_a_value((from, to)),
            self.parameter_by_chance((from, to)),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// The brackets of the parameters of the move or event, if the mistake is in them.
    fn parameters_of_a_move(&self) -> Option<(usize, usize)> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_word = |&word: &usize| matches!(self.layout.text(word), "move" | "chance");
        let head = (first..first + 4).find(is_word)?;
        let open = head + 2;
        let close = self.layout.partner(open).filter(|_| self.layout.text(open) == "(")?;
        (open < at && at < close).then_some((open, close))
    }

    /// The words of the parameter with the mistake: its first, and the one after its last.
    fn parameter_at(&self, open: usize, close: usize) -> Option<(usize, usize)> {
        let mut from = open + 1;
        loop {
            let end = self.outside_brackets(from, &[","]).filter(|&end| end < close).unwrap_or(close);
            if self.bounds.at <= end {
                return (from < end).then_some((from, end));
            }
            from = end + 1;
        }
    }

    /// Explains `move take(left | right)`, `move take(left or right)` and `move take({ left, right })`.
    fn values_as_a_parameter(&self, open: usize, words: (usize, usize)) -> Option<Fix> {
        let (from, to) = words;
        let bracket = self.layout.partner(from).filter(|&close| close + 1 == to);
        let (start, end) = match bracket {
            Some(_) => (from + 1, to - 1),
            None => (from, to),
        };
        let mut values = Vec::new();
        for at in start..end {
            let is_value = (at - start) % 2 == 0;
            let sign = match bracket {
                Some(_) => matches!(self.layout.text(at), "," | "|" | "or" | "/"),
                None => matches!(self.layout.text(at), "|" | "or" | "/" | "||"),
            };
            match is_value {
                true if self.is_name(at) || self.is_number(at) => values.push(self.layout.text(at)),
                false if sign => {}
                _ => return None,
            }
        }
        if values.len() < 2 || end == start || (end - start) % 2 == 0 {
            return None;
        }
        let name = self.parameter_in_use(open).unwrap_or("e");
        let set = format!("{{ {} }}", values.join(", "));
        let outline = self.outline();
        let whole = outline.enum_of(&values).filter(|(_, members)| members.len() == values.len());
        let whole = match whole {
            Some((ty, _)) => format!(", or `{name}: {ty}`: these are all its values"),
            None => String::new(),
        };
        let range = (self.range(from).0, self.range(to - 1).1);
        let title = "the choices of a move are the values of a parameter";
        Some(explained(range, &format!("{name}: {set}"), title, format!("write `{name}: {set}`{whole}")))
    }

    /// The name of a parameter that the notation of the move shows and the file does not declare.
    fn parameter_in_use(&self, open: usize) -> Option<&str> {
        let close = self.layout.partner(open)?;
        let end = self.outside_brackets(close + 1, &["{", ";"])?;
        let shown = (close + 1..end).find(|&at| self.layout.text(at) == "as")?;
        let text = self.layout.text(shown + 1);
        let inner = text.split_once('{')?.1.split(['}', '.', '[', ' ']).next()?;
        let is_name = keywords::starts_with_letter(inner)
            && inner.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
            && !keywords::is_reserved(inner);
        let outline = self.outline();
        let is_free = outline.field(inner).is_none() && !outline.declares(inner);
        let is_other = (open + 1..close).any(|at| self.layout.text(at) == inner);
        (is_name && is_free && !is_other).then_some(inner)
    }

    /// Explains `move take(e = left)`: a parameter has a type, not a value.
    fn parameter_with_a_value(&self, words: (usize, usize)) -> Option<Fix> {
        let (from, to) = words;
        let sign = from + 1;
        let is_sign = matches!(self.layout.text(sign), "=" | ":=" | "==");
        if !self.is_name(from) || !is_sign || to != sign + 2 || self.bounds.at < sign {
            return None;
        }
        let (name, value) = (self.layout.text(from), self.layout.text(sign + 1));
        let outline = self.outline();
        let ty = match outline.enum_of(&[value]) {
            Some((ty, _)) => ty,
            None if outline.players().contains(&value) => "Player",
            None if self.is_number(sign + 1) || matches!(value, "true" | "false" | "none") => "...",
            None => return None,
        };
        let set = format!("{{ {value} }}");
        let help = match ty {
            "..." => {
                format!("write `{name}: ...` with its type, or `{name}: {set}` if {value} is its only value")
            }
            _ => format!(
                "write `{name}: {ty}` for a choice, or `{name}: {set}` if `{value}` is its only value"
            ),
        };
        let new = if ty == "..." { format!("{name}: {set}") } else { format!("{name}: {ty}") };
        let range = (self.range(from).0, self.range(to - 1).1);
        let title = "a parameter has a type, the values among which it is chosen";
        Some(explained(range, &new, title, help).at(range))
    }

    /// Explains `chance die(d = random(1, 4))`: chance chooses among the values of a parameter.
    fn parameter_by_chance(&self, words: (usize, usize)) -> Option<Fix> {
        let (from, to) = words;
        let sign = from + 1;
        let is_sign = matches!(self.layout.text(sign), "=" | ":=" | ":" | "<-");
        let open = (sign + 1..to).find(|&at| self.layout.text(at) == "(")?;
        let is_call =
            RANDOM.contains(&self.layout.text(open - 1)) && self.layout.partner(open) == Some(to - 1);
        if !self.is_name(from) || !is_sign || !is_call || self.bounds.at < sign {
            return None;
        }
        let name = self.layout.text(from);
        let inner: Vec<&str> = (open + 1..to - 1).map(|at| self.layout.text(at)).collect();
        let (new, help) = match inner[..] {
            [low, "," | "..", high] => {
                let new = format!("{name}: {low}..{high}");
                (new.clone(), format!("write `{new}`: both ends belong to it"))
            }
            [count] if self.is_number(open + 1) => {
                let last = count.parse::<u32>().ok()?.checked_sub(1)?;
                (format!("{name}: 1..{count}"), format!("write `{name}: 1..{count}` or `{name}: 0..{last}`"))
            }
            [set] if self.is_name(open + 1) => {
                let new = format!("{name}: {set}");
                (new.clone(), format!("write `{new}`"))
            }
            _ => return None,
        };
        let is_chance = self.layout.text(self.bounds.first) == "chance";
        let title = match is_chance {
            true => "chance chooses among the values of a parameter",
            false => "what falls by chance is the parameter of a `chance`, not of a `move`",
        };
        let help = match is_chance {
            true => help,
            false => format!("{help}, in a `chance` of a phase `by chance`; a `move` lets the player choose"),
        };
        let range = (self.range(from).0, self.range(to - 1).1);
        Some(Fix { code: Code::E0013, ..explained(range, &new, title, help) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(parameter: &str) -> String {
        format!("enum End {{ left, right }}\nmove take({parameter}) as \"{{e}}\" {{ n := 1; }}\n")
    }

    #[test]
    fn choices_are_values_of_a_parameter() {
        for parameter in ["left | right", "left or right", "{ left, right }", "left / right"] {
            let text = text(parameter);
            assert_eq!(titles(&text), ["the choices of a move are the values of a parameter"], "{parameter}");
            let help = "write `e: { left, right }`, or `e: End`: these are all its values";
            assert_eq!(helps(&text), [help], "{parameter}");
            assert_eq!(mended(&text), text);
        }
        assert_eq!(helps(&text("{ left, up }")), ["write `e: { left, up }`"]);
    }

    #[test]
    fn a_parameter_has_no_value() {
        let help = "write `e: End` for a choice, or `e: { left }` if `left` is its only value";
        assert_eq!(helps(&text("e = left")), [help]);
        assert_eq!(mended(&text("e = left")), text("e = left"));
        // A type follows.
        assert_eq!(mended(&text("e = End")), text("e : End"));
        assert_eq!(titles(&text("e: End")), [""; 0]);
    }

    #[test]
    fn chance_chooses_a_parameter() {
        let text = "chance die(d = random(1, 4)) in roll as \"{d}\" { weight 1; n := d; }\n";
        assert_eq!(titles(text), ["chance chooses among the values of a parameter"]);
        assert_eq!(helps(text), ["write `d: 1..4`: both ends belong to it"]);
        let text = "chance die(d = roll(6)) in roll as \"{d}\" { weight 1; n := d; }\n";
        assert_eq!(helps(text), ["write `d: 1..6` or `d: 0..5`"]);
        let text = "move die(d = random(1, 4)) as \"{d}\" { n := d; }\n";
        assert!(helps(text)[0].contains("in a `chance`"));
        assert_eq!(mended(text), text);
    }
}
