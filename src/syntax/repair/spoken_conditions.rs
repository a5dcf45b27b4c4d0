//! Conditions as English says them: `a and b differ`, `no keys`, `not blocked to`, `the Burglar wins`,
//! `count(at = none)`.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use crate::diag::Code;

/// Names of an element that a fix introduces, first the likeliest.
const ELEMENTS: [&str; 4] = ["x", "y", "element", "each_element"];

impl FixFinder<'_> {
    /// Fixes and explanations of conditions in English.
    pub fn spoken_conditions(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.values_that_differ(),
            self.quantity_of_a_field(),
            self.possession_of_a_field(),
            self.comparison_without_its_left_side(),
            self.argument_without_brackets(),
            self.name_with_an_article(),
            self.count_of_a_comparison(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `a and b differ` to `a != b`, and `a and b are equal` to `a = b`.
    fn values_that_differ(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let (sign, length) = match (self.word, self.layout.text(at + 1)) {
            ("differ", _) => ("!=", 1),
            ("are", "different" | "distinct" | "unequal") => ("!=", 2),
            ("are", "equal" | "identical") => ("=", 2),
            _ => return None,
        };
        let right = self.start_of_operand(at)?;
        let and = right.checked_sub(1).filter(|&and| self.layout.text(and) == "and")?;
        let left = self.start_of_operand(and).filter(|&left| left > self.bounds.clause)?;
        // In `f and a and b differ` the values are still `a` and `b`.
        let begins = matches!(
            self.layout.text(left - 1),
            "when" | "and" | "or" | "not" | "(" | "=" | ":" | "if" | "ensure" | "where" | "implies"
        );
        begins.then(|| {
            let new = format!("{} {sign} {}", self.text(left, and), self.text(right, at));
            let range = (self.range(left).0, self.range(at + length - 1).1);
            let title = format!(
                "that two values {} is written `{sign}`",
                if sign == "=" { "are equal" } else { "differ" }
            );
            let fix = Fix::new(range, &new, Code::E0013, title).at((self.here().0, range.1));
            Fix { accepts_partial: true, ..fix.help(format!("write `{new}`")) }
        })
    }

    /// Rewrites `no keys` to `keys = 0` and `some keys` to `keys > 0` for a field of numbers, and to the same
    /// for a set.
    fn quantity_of_a_field(&self) -> Option<Fix> {
        let end = self.bounds.at;
        let word = end.checked_sub(2).filter(|&word| word > self.bounds.clause)?;
        let quantifier = self.layout.text(word);
        let ends = matches!(self.word, ";" | ")" | "and" | "or" | "=>" | "{" | "," | "then");
        let outline = self.outline();
        let field = outline.field(self.last).filter(|field| ends && field.keys.is_empty())?;
        let is_number = field.ty.contains(&"..") && field.ty.first() != Some(&"set");
        let name = self.last;
        let new = match (field.ty.first(), quantifier) {
            (Some(&"set"), "no") => format!("{name} = {{}}"),
            (Some(&"set"), "some" | "any") => format!("{name} != {{}}"),
            (_, "no") if is_number => format!("{name} = 0"),
            (_, "some" | "any") if is_number => format!("{name} > 0"),
            (Some(&"bool"), "no") => format!("not {name}"),
            _ => return None,
        };
        let range = (self.range(word).0, self.gap().0);
        let title = format!("`{quantifier}` goes through a set of values, one after the other");
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `has keys` to `keys > 0` for a number, to `keys != {}` for a set, to `keys` for a `bool`.
    fn possession_of_a_field(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let begins = self.last == "has" && at > self.bounds.clause + 1 && !self.ends_term(at - 2);
        let ends = matches!(
            self.layout.text(at + 1),
            ";" | ")" | "and" | "or" | "=>" | "{" | "," | "then" | "implies"
        );
        let outline = self.outline();
        let field = outline.field(self.word).filter(|field| begins && ends && field.keys.is_empty())?;
        let name = self.word;
        let (new, title) = match field.ty.first() {
            Some(&"set") => (format!("{name} != {{}}"), "a set that has an element is not the empty one"),
            Some(&"bool") => (name.to_owned(), "a `bool` is a condition by itself"),
            _ if field.ty.contains(&"..") => (format!("{name} > 0"), "a number is compared"),
            _ => return None,
        };
        let range = (self.range(at - 1).0, self.here().1);
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `k <= heap and at most limit` and `k <= heap and <= limit` to `k <= heap and k <= limit`.
    fn comparison_without_its_left_side(&self) -> Option<Fix> {
        const SIGNS: [&str; 7] = ["=", "==", "!=", "<", "<=", ">", ">="];
        let from = self.bounds.at.saturating_sub(2).max(self.bounds.clause + 3);
        let is_joint = |&at: &usize| matches!(self.layout.text(at), "and" | "or");
        let joint = (from..=self.bounds.at).rev().find(is_joint)?;
        let (length, sign) = match self.layout.text(joint + 1) {
            word if SIGNS.contains(&word) => (1, word),
            _ => self.words_of_comparison(joint + 1)?,
        };
        let right = joint + 1 + length;
        self.end_of_operand(right)?;
        // The comparison before `and` stands between one sign and nothing else that is joined.
        let before = (self.bounds.clause + 1..joint).rev().find(|&at| {
            SIGNS.contains(&self.layout.text(at)) || matches!(self.layout.text(at), "and" | "or" | "(" | ")")
        })?;
        let is_sign = SIGNS.contains(&self.layout.text(before));
        let left = self.start_of_operand(before).filter(|&left| is_sign && left > self.bounds.clause)?;
        let left = left - usize::from(self.layout.text(left - 1) == "#");
        let begins = matches!(
            self.layout.text(left - 1),
            "when" | "and" | "or" | "(" | "=" | ":" | "if" | "ensure" | "where" | "implies"
        );
        let term = self.text(left, before);
        let new = format!("{term} {sign}");
        let range = (self.range(joint + 1).0, self.range(right - 1).1);
        let whole = format!("{new} {}", self.layout.text(right));
        let title = format!("behind `{}` stands a whole condition again", self.layout.text(joint));
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{whole}`"));
        begins.then_some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `blocked to` to `blocked(to)`, where `blocked` is a definition with one parameter.
    fn argument_without_brackets(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_term = at > self.bounds.clause + 1 && !self.layout.begins_line(at);
        let end = self.end_of_operand(at).filter(|_| is_term && self.is_name(at) && self.is_name(at - 1))?;
        (self.outline().parameters_of(self.last) == Some(1)).then(|| {
            let argument = self.text(at, end);
            let new = format!("({argument})");
            let title = format!("`{}` is a definition: its argument stands in brackets", self.last);
            let range = (self.gap().0, self.range(end - 1).1);
            let fix = Fix::new(range, &new, Code::E0013, title).at((self.range(at - 1).0, range.1));
            Fix { accepts_partial: true, ..fix.help(format!("write `{}{new}`", self.last)) }
        })
    }

    /// Rewrites `the Burglar` to `Burglar`.
    fn name_with_an_article(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_article = self.last == "the" && at > self.bounds.clause + 1;
        let outline = self.outline();
        let is_known = || {
            outline.players().contains(&self.word)
                || outline.field(self.word).is_some()
                || matches!(self.word, "mover" | "opponent" | "me")
        };
        (is_article && is_known() && !outline.declares("the")).then(|| {
            let range = (self.range(at - 1).0, self.here().0);
            let title = "a name has no article before it";
            let fix = Fix::new(range, "", Code::E0013, title).at(self.range(at - 1));
            Fix { accepts_partial: true, ..fix.help(format!("write `{}`, without `the`", self.word)) }
        })
    }

    /// Rewrites `count(at = none)` to `(count x in Cell: at[x] = none)`, where `at` has one key.
    fn count_of_a_comparison(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let open = at.checked_sub(2).filter(|&open| self.layout.text(open) == "(")?;
        let quantifier = self.layout.text(open.checked_sub(1)?);
        let is_sign = matches!(self.word, "=" | "==" | "!=" | "<" | "<=" | ">" | ">=");
        let is_known = matches!(quantifier, "count" | "some" | "all" | "no");
        let close = self.layout.partner(open).filter(|_| is_sign && is_known)?;
        let outline = self.outline();
        let field = outline.field(self.last)?;
        let [(_, ty)] = &field.keys[..] else { return None };
        let ty = super::outline::term_of_words(ty);
        let ty = ty.trim();
        let name = ELEMENTS.into_iter().find(|name| !outline.has_word(name))?;
        let sign = if self.word == "==" { "=" } else { self.word };
        let value = self.text(at + 1, close);
        let new = format!("({quantifier} {name} in {ty}: {}[{name}] {sign} {value})", self.last);
        let range = (self.range(open - 1).0, self.range(close).1);
        let title = format!("`{quantifier}` is no function: it names a variable and the set it goes through");
        if self.end_of_operand(at + 1) != Some(close) {
            let help = format!("write `({quantifier} {name} in {ty}: {}[{name}] {sign} ...)`", self.last);
            let fix = explained(range, super::fallback::DAMAGE_MARKER, &title, help).at(range);
            return Some(Fix { accepts_partial: true, ..fix });
        }
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    /// Checks that each condition of a move is mended to the other one.
    fn check(items: &str, pairs: &[(&str, &str)]) {
        for (condition, new) in pairs {
            let text = |condition: &str| {
                format!("{items}move go(a: 1..3, b: 1..3) {{ when {condition}; n := 1; }}\n")
            };
            assert_eq!(mended(&text(condition)), text(new));
            assert_eq!(titles(&text(condition)).len(), 1, "{condition}");
        }
    }

    #[test]
    fn equal_values_have_a_sign() {
        check(
            "",
            &[
                ("a and b differ", "a != b"),
                ("a and b differ and n > 0", "a != b and n > 0"),
                ("n > 0 and a and b are different", "n > 0 and a != b"),
                ("a and b are equal", "a = b"),
            ],
        );
    }

    #[test]
    fn numbers_are_compared() {
        let items = "state { keys: 0..3 = 0; held: set of 1..3 = {}; }\n";
        check(
            items,
            &[
                ("no keys", "keys = 0"),
                ("a = b and no keys", "a = b and keys = 0"),
                ("some held", "held != {}"),
            ],
        );
    }

    #[test]
    fn possession_is_a_comparison() {
        let items = "state { keys: 0..3 = 0; held: set of 1..3 = {}; lit: bool = true; }\n";
        check(
            items,
            &[
                ("has keys", "keys > 0"),
                ("a = b or has keys", "a = b or keys > 0"),
                ("has held and a = b", "held != {} and a = b"),
                ("not has lit", "not lit"),
                ("no lit", "not lit"),
            ],
        );
    }

    #[test]
    fn each_comparison_has_two_sides() {
        check(
            "state { n: 0..9 = 0; s: set of 1..3 = {}; }\n",
            &[
                ("a <= n and <= b", "a <= n and a <= b"),
                ("a > 1 and less than 3", "a > 1 and a < 3"),
                ("a + b > 1 and at most n", "a + b > 1 and a + b <= n"),
                ("n = 1 or = 3", "n = 1 or n = 3"),
                ("#s > 1 and < 3", "#s > 1 and #s < 3"),
            ],
        );
        // The denial may be meant of one or of both.
        let text = "move go(a: 1..3) { when not a > 1 and < 3; n := 1; }\n";
        assert_eq!(titles(text), ["this `<` is one too many"]);
    }

    #[test]
    fn arguments_stand_in_brackets() {
        let items = "def blocked(k: 1..3) = k = 2;\n";
        check(items, &[("not blocked a", "not blocked(a)"), ("blocked a and n = 1", "blocked(a) and n = 1")]);
    }

    #[test]
    fn a_count_names_its_variable() {
        let items = "state { at[c: Cell]: Player? = none; }\n";
        check(items, &[("count(at = none) = 0", "(count x in Cell: at[x] = none) = 0")]);
    }

    #[test]
    fn names_have_no_article() {
        let text = "players Officer, Burglar;\nend { when stuck => the Burglar wins; }\n";
        assert_eq!(mended(text), text.replace("the ", ""));
        assert_eq!(titles(text).len(), 1);
    }
}
