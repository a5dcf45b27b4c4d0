//! A star in place of a key: `purse[*] = 0`, `n + purse[*]`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::outline::term_of_words;
use super::phrases::explained;

impl FixFinder<'_> {
    /// Explains `purse[*] = 0`.
    pub(super) fn star_as_a_key(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let open =
            at.checked_sub(1).filter(|&open| open > self.bounds.first && self.layout.text(open) == "[")?;
        let name = self.layout.text(open - 1);
        let is_star = matches!(self.word, "*" | ":");
        let close = self.layout.partner(open).filter(|&close| is_star && close <= at + 1)?;
        let field = self.outline().field(name)?;
        let [(key, ty)] = &field.keys[..] else { return None };
        let ty = term_of_words(ty);
        let term = format!("{name}[{key}]");
        let help = match self.layout.text(close + 1) {
            sign @ ("=" | "!=" | "<" | "<=" | ">" | ">=") => format!(
                "write `(all {key} in {ty}: {term} {sign} ...)` if it holds for each, \
                 `(some {key} in {ty}: ...)` if for one"
            ),
            _ => format!(
                "write `(sum {key} in {ty}: {term})` for their sum, \
                 `(all {key} in {ty}: ...)` for each of them"
            ),
        };
        let title = "all elements of a field are named one by one, by a variable in place of the key";
        let range = (self.range(open - 1).0, self.range(close).1);
        let fix = explained(range, DAMAGE_MARKER, title, help).at((self.range(open).0, range.1));
        Some(Fix { accepts_partial: true, ..fix })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, titles};

    #[test]
    fn all_elements_are_named_one_by_one() {
        let text = |f: &str| format!("state {{ purse[p: Player]: 0..3 = 1; }}\ndef spent = {f};\n");
        for (term, part) in [
            ("purse[*] = 0", "write `(all p in Player: purse[p] = ...)`"),
            ("n = 2 and purse[*] <= 1", "write `(all p in Player: purse[p] <= ...)`"),
            ("purse[*] + 1", "write `(sum p in Player: purse[p])`"),
        ] {
            assert_eq!(titles(&text(term)).len(), 1, "{term}");
            assert!(helps(&text(term))[0].starts_with(part), "{:?}", helps(&text(term)));
        }
    }
}
