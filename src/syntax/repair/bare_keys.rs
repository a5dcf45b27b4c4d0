//! The key of a table behind its name without brackets: `const home p: 0..3 = match p { X => 3, O => 1 };`.

use super::edits::{Fix, FixFinder};
use super::entries::MISSING_TYPE;
use super::phrases::explained;
use crate::diag::Code;

/// The parts of the declaration of a constant whose name has two words.
pub(super) struct KeyReading {
    /// True if the value reads the second word.
    pub is_used: bool,
    /// True if the name of a type follows the second word.
    pub is_key_type: bool,
}

/// Reads the second word of `const home p: T = value;` as a key; the words begin at `home`.
pub(super) fn second_word_as_a_key<'a>(word: impl Fn(usize) -> &'a str) -> Option<KeyReading> {
    let is_type = |name: &str| name.starts_with(|c: char| c.is_ascii_uppercase());
    let key = word(1);
    if word(2) != ":" || is_type(word(0)) || is_type(key) {
        return None;
    }
    let sign = (3..12).take_while(|&at| !matches!(word(at), ";" | "")).find(|&at| word(at) == "=")?;
    let is_key_type = sign == 4 && is_type(word(3));
    let value = (sign + 1..).take_while(|&at| !matches!(word(at), ";" | "")).take(200);
    let is_used = value.clone().any(|at| word(at) == key && word(at - 1) != ".");
    let is_number = word(sign + 2) == ";" && word(sign + 1).bytes().all(|b| b.is_ascii_digit());
    (is_used || is_key_type && is_number).then_some(KeyReading { is_used, is_key_type })
}

impl FixFinder<'_> {
    /// Fixes and explanations of keys without brackets.
    pub fn bare_keys(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.key_of_a_constant());
    }

    /// Rewrites `const home p: 0..3 = match p { X => 3, O => 1 };` to `const home[p: Player]: 0..3 = ...;`.
    fn key_of_a_constant(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_table = self.layout.text(first) == "const" && at == first + 2 && self.is_name(at);
        let reading = second_word_as_a_key(|word| self.layout.text(first + 1 + word)).filter(|_| is_table)?;
        let (name, key) = (self.last, self.word);
        let title = "the key of a table stands in brackets behind its name, with its type";
        let sign = self.outside_brackets(at, &["=", ";"])?;
        let end = self.outside_brackets(sign, &[";"])?;
        let (ty, value) = (self.text(at + 2, sign), self.text(sign + 1, end));
        if reading.is_key_type {
            let help =
                format!("write `const {name}[{key}: {ty}]: 0..9 = {value};`, with the type of the values");
            let range = (self.gap().0, self.range(sign - 1).1);
            return Some(
                explained(range, &format!("[{key}: {ty}]{MISSING_TYPE}"), title, help).at(self.here()),
            );
        }
        let outline = self.outline();
        let of_players = (sign + 1..end).any(|at| outline.players().contains(&self.layout.text(at)));
        let is_table_of_players = of_players && self.layout.text(sign + 1) == "match" && reading.is_used;
        let range = (self.gap().0, self.here().1);
        if is_table_of_players {
            let fix = Fix::new(range, &format!("[{key}: Player]"), Code::E0013, title).at(self.here());
            return Some(fix.help(format!("write `const {name}[{key}: Player]: {ty} = ...;`")));
        }
        let help = format!("write `const {name}[{key}: Type]: {ty} = ...;`, with the type of `{key}`");
        Some(explained(range, &format!("[{key}{MISSING_TYPE}]"), title, help).at(self.here()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    const HEAD: &str = "players X, O;\n";

    #[test]
    fn keys_stand_in_brackets() {
        let old = format!("{HEAD}const home p: 0..3 = match p {{ X => 3, O => 1 }};\n");
        assert_eq!(mended(&old), old.replace("home p", "home[p: Player]"));
        assert_eq!(titles(&old).len(), 1);
        for (constant, help) in [
            ("const home p: Player = 3;", "write `const home[p: Player]: 0..9 = 3;`"),
            ("const twice k: 0..6 = 2 * k;", "write `const twice[k: Type]: 0..6 = ...;`"),
        ] {
            let old = format!("{HEAD}{constant}\n");
            assert_eq!(mended(&old), old);
            assert!(helps(&old)[0].starts_with(help), "{:?}", helps(&old));
            assert_eq!(titles(&old).len(), 1, "{:?}", titles(&old));
        }
    }

    #[test]
    fn names_of_two_words_are_joined() {
        let old = format!("{HEAD}const red home: 0..3 = 3;\n");
        assert_eq!(mended(&old), old.replace("red home", "red_home"));
    }
}
