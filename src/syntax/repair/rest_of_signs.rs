//! One arm for all other signs of a diagram: `diagram level { "b" => barge, else => none }`.

use super::edits::{Fix, FixFinder};
use super::outline::Outline;
use super::phrases::explained;
use crate::diag::Code;

/// Words for all that has no arm of its own.
const OTHERS: [&str; 6] = ["_", "else", "*", "otherwise", "default", "other"];
/// The maximal number of signs that a message names.
const MAX_SIGNS: usize = 12;

impl<'a> Outline<'a> {
    /// The pictures that parameters, presets and constants give to a name.
    fn pictures_of(&self, name: &str) -> Vec<&'a str> {
        let all = self.strings_after(&[name, "="]);
        let typed = self.strings_after(&[name, ":", "text", "="]);
        all.into_iter().chain(typed).filter(|word| word.starts_with("\"\"\"")).collect()
    }
}

impl FixFinder<'_> {
    /// Fixes and explanations of an arm for all other signs of a diagram.
    pub fn rest_of_signs(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.arm_for_the_rest());
    }

    /// The signs of the pictures of the diagram whose legend opens at a word, each once and sorted.
    fn signs_of_the_picture(&self, open: usize) -> Vec<char> {
        let word = self.layout.text(open - 1);
        let pictures = if word.starts_with("\"\"\"") { vec![word] } else { self.outline().pictures_of(word) };
        let is_sign = |c: &char| !c.is_whitespace() && *c != '"';
        let mut signs: Vec<char> = pictures.iter().flat_map(|text| text.chars()).filter(is_sign).collect();
        signs.sort_unstable();
        signs.dedup();
        signs
    }

    /// Rewrites `else => none` to an arm for each sign of the picture that has none.
    fn arm_for_the_rest(&self) -> Option<Fix> {
        let open = self.legend_around(self.bounds.at)?;
        let close = self.layout.partner(open)?;
        let begins = |at: usize| at == open + 1 || self.layout.text(at - 1) == ",";
        let other =
            (open + 1..=self.bounds.at).find(|&at| begins(at) && OTHERS.contains(&self.layout.text(at)))?;
        let end = self.outside_brackets(other, &[","]).filter(|&end| end < close).unwrap_or(close);
        let value = other + 1 + usize::from(self.is_arrow_of_a_sign(other + 1));
        let signs = self.signs_of_the_picture(open);
        let word = self.layout.text(other);
        // The word may be a sign of the picture itself.
        if value >= end || signs.iter().any(|sign| word == sign.to_string()) {
            return None;
        }
        let has_arm = |sign: &char| {
            let quoted = format!("\"{sign}\"");
            (open + 1..close).any(|at| begins(at) && self.layout.text(at) == quoted)
        };
        let value = self.text(value, end);
        let missing: Vec<String> = signs.iter().filter(|sign| !has_arm(sign)).map(char::to_string).collect();
        let arms: Vec<String> = missing.iter().map(|sign| format!("\"{sign}\" => {value}")).collect();
        let new = arms.join(", ");
        let range = (self.range(other).0, self.range(end - 1).1);
        let title = format!("a diagram has an arm for each sign: there is no `{word}`");
        if arms.is_empty() || arms.len() > MAX_SIGNS {
            let help = format!("write an arm `\"...\" => {value}` for each other sign of the picture");
            return Some(explained(range, "", &title, help).at(self.range(other)));
        }
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(other));
        Some(fix.help(format!("write `{new}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(arms: &str) -> String {
        format!(
            "param level: text = \"\"\"\n  #.#\n  #b_\"\"\";\nconst at[c: Cell] = diagram level {{ \
             {arms} }};\n"
        )
    }

    #[test]
    fn each_other_sign_has_an_arm() {
        let new = text("\"b\" => barge, \"#\" => none, \".\" => none, \"_\" => none");
        for other in ["else => none", "* => none", "otherwise: none", "else none"] {
            let old = text(&format!("\"b\" => barge, {other}"));
            assert_eq!(mended(&old), new, "{other}");
            assert_eq!(titles(&old).len(), 1, "{other}: {:?}", titles(&old));
        }
    }

    #[test]
    fn a_sign_of_the_picture_lacks_its_quotes() {
        let old = text("\"b\" => barge, \"#\" => none, \".\" => none, _ => none");
        assert_eq!(mended(&old), old.replace("_ =>", "\"_\" =>"));
    }

    #[test]
    fn signs_of_an_unknown_picture_are_not_named() {
        let old = "const at[c: Cell] = diagram level { \"b\" => barge, _ => none };\n";
        assert_eq!(mended(old), old);
        assert_eq!(helps(old), ["write an arm `\"...\" => none` for each other sign of the picture"]);
    }
}
