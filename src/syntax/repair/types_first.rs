//! The type of a field before its name: `Player? at[c: Cell] = none;`, `0..3 die = 0;`, `set of Path closed = {};`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

/// The maximal number of words of a type before a name.
const MAX_TYPE_WORDS: usize = 12;

impl FixFinder<'_> {
    /// Rewrites `Player? at[c: Cell] = none;` in a state to `at[c: Cell]: Player? = none;`.
    pub fn types_first(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.type_before_its_field());
    }

    fn type_before_its_field(&self) -> Option<Fix> {
        let is_mark = |at: &usize| {
            let word = self.layout.text(*at);
            word != "transient" && !word.starts_with("///")
        };
        let end = self.bounds.end.min(self.layout.words.len());
        let start = (self.bounds.clause..end).find(is_mark)?;
        if self.bounds.place != ClauseContext::State || self.bounds.at < start {
            return None;
        }
        let outline = self.outline();
        let is_type = |word: &str| word == "Player" || outline.declares_type(word);
        let word = self.layout.text(start);
        if !is_type(word) && !matches!(word, "set" | "list" | "bool") && !self.is_number(start) {
            return None;
        }
        let has_type = |name: &usize| {
            let ty = self.text(start, *name);
            self.is_name(*name)
                && !is_type(self.layout.text(*name))
                && trial_parse(Rule::one_type, ty).is_ok_and(|length| length == ty.len())
        };
        let name = (start + 1..end.min(start + MAX_TYPE_WORDS)).find(has_type)?;
        let after = match self.layout.text(name + 1) {
            "[" => self.layout.partner(name + 1)? + 1,
            _ => name + 1,
        };
        if !matches!(self.layout.text(after), "=" | ";" | "visible" | "hidden") || self.bounds.at > after {
            return None;
        }
        let new = format!("{}: {}", self.text(name, after), self.text(start, name));
        let range = (self.range(start).0, self.range(after - 1).1);
        let rest = self.outside_brackets(after, &[";"]).map_or(" ...", |end| self.text(after, end));
        let blank = if rest.is_empty() || rest.starts_with(' ') { "" } else { " " };
        let title = "a field is its name, its type after `:`, and its first value";
        let fix = Fix::new(range, &new, Code::E0013, title).at((range.0, self.range(name - 1).1));
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{new}{blank}{rest};`")) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(field: &str) -> String {
        format!(
            "board Cell = grid(2, 2);\nenum Kind {{ man, king }}\nstate {{ m: 0..2 = 0; {field} n: 0..3 = 0; }}\n"
        )
    }

    #[test]
    fn the_name_of_a_field_stands_first() {
        let cases = [
            ("Player? at[c: Cell] = none;", "at[c: Cell]: Player? = none;"),
            ("Player? at[c: Cell] = none visible to p;", "at[c: Cell]: Player? = none visible to p;"),
            ("0..3 die = 0;", "die: 0..3 = 0;"),
            ("set of Cell closed = {};", "closed: set of Cell = {};"),
            ("Cell walker = a1;", "walker: Cell = a1;"),
            ("transient Kind k[p: Player] = man;", "transient k[p: Player]: Kind = man;"),
            ("list of 0..3 hand = [];", "hand: list of 0..3 = [];"),
        ];
        for (theirs, ours) in cases {
            let title = "a field is its name, its type after `:`, and its first value";
            assert_eq!(titles(&text(theirs)), [title], "{theirs}");
            let shown = ours.trim_start_matches("transient ");
            assert_eq!(helps(&text(theirs)), [format!("write `{shown}`")], "{theirs}");
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}");
        }
        let two = mended(&text("Cell walker = a1; Kind k = man;"));
        assert_eq!(two, text("walker: Cell = a1; k: Kind = man;"));
    }

    #[test]
    fn a_name_before_its_type_lacks_its_colon() {
        assert_eq!(mended(&text("walker Cell = a1;")), text("walker: Cell = a1;"));
    }

    #[test]
    fn the_type_of_elements_stands_after_of() {
        let param = |ty: &str| format!("param coins: {ty} = [3, 7];\n");
        assert_eq!(mended(&param("list[1..9]")), param("list of 1..9"));
        assert_eq!(mended(&param("list(1..9)")), param("list of 1..9"));
        assert_eq!(mended(&text("s: set[Cell] = {};")), text("s: set of Cell = {};"));
        assert_eq!(mended(&param("list[3]")), param("list[3]"));
    }
}
