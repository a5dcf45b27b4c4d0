//! Counting up and down by two signs: `++n;`, `n := n++;`.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use crate::diag::Code;

impl FixFinder<'_> {
    /// Fixes and explanations of `++` and `--` before a field and in a value.
    pub fn steps_by_one(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.sign_before_a_field());
        fixes.extend(self.step_in_a_value().or_else(|| self.step_in_a_term()));
    }

    /// Returns true if a word and the next one are `++` or `--`.
    fn is_step(&self, at: usize) -> bool {
        let word = self.layout.text(at);
        matches!(word, "+" | "-") && self.layout.text(at + 1) == word && self.touches(at)
    }

    /// Rewrites `++n;` to `n += 1;`.
    fn sign_before_a_field(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_first = self.in_move() && self.bounds.at <= clause + 1 && self.is_step(clause);
        let end = self.end_of_operand(clause + 2).filter(|_| is_first)?;
        // Two dashes begin a comment in other languages.
        let is_sure =
            self.layout.text(clause) == "+" || self.outline().field(self.layout.text(clause + 2)).is_some();
        (self.layout.text(end) == ";" && self.is_name(clause + 2) && is_sure).then(|| {
            let (sign, target) = (self.layout.text(clause), self.text(clause + 2, end));
            let new = format!("{target} {sign}= 1");
            let range = (self.range(clause).0, self.range(end - 1).1);
            let title = format!("`{sign}{sign}{target}` is written `{new}`");
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{new};`"))
        })
    }

    /// Rewrites `n := n++;` and `n := ++n;` to `n := n + 1;`, and explains `m := n++;`.
    fn step_in_a_value(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let assign =
            self.outside_brackets(clause, &[":=", "=", "+=", "-=", ";"]).filter(|&sign| sign < at)?;
        let step = (at.saturating_sub(2)..=at).find(|&step| step > assign && self.is_step(step))?;
        let end = self.outside_brackets(clause, &[";"]).filter(|_| self.in_move())?;
        let (start, last) = if step == assign + 1 { (step + 2, end) } else { (assign + 1, step) };
        let is_alone = self.end_of_operand(start) == Some(last) && (last == end || step + 2 == end);
        if !is_alone || !self.is_name(start) || self.layout.text(assign) == ";" {
            return None;
        }
        let (sign, term, target) =
            (self.layout.text(step), self.text(start, last), self.text(clause, assign));
        let value = format!("{term} {sign} 1");
        let range = (self.range(assign + 1).0, self.range(end - 1).1);
        let title = format!("`{sign}{sign}` is no part of a value");
        if target == term && self.layout.text(assign) == ":=" {
            let fix = Fix::new(range, &value, Code::E0013, title);
            return Some(fix.help(format!("write `{target} := {value};`")));
        }
        let help = format!("write `{value}` for the value alone; `{term} {sign}= 1;` changes `{term}`, too");
        Some(explained(range, &value, &title, help))
    }

    /// Explains `word[n++]` and `when ++n < 3`.
    fn step_in_a_term(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let step = (at.saturating_sub(2)..=at).find(|&step| step > clause && self.is_step(step))?;
        let is_behind = self.ends_term(step - 1) && self.touches(step - 1);
        let begins_term = |at: usize| self.is_name(at) || self.is_number(at) || self.layout.text(at) == "(";
        let (start, end) = match is_behind {
            true if !begins_term(step + 2) => (self.start_of_term(step), step + 2),
            false if !self.ends_term(step - 1) && self.touches(step + 1) && self.is_name(step + 2) => {
                (step, self.end_of_operand(step + 2)?)
            }
            _ => return None,
        };
        let sign = self.layout.text(step);
        let term = if is_behind { self.text(start, step) } else { self.text(step + 2, end) };
        // `n++;` is an effect.
        if start <= clause || term.starts_with(|c: char| !c.is_ascii_alphabetic()) {
            return None;
        }
        let title = format!("`{sign}{sign}` is no part of a term");
        let help = format!(
            "write `{term}` for the value before or `{term} {sign} 1` for the one after; what \
             changes `{term}` is an effect \
             of its own, `{term} {sign}= 1;`"
        );
        let label = (self.range(step).0, self.range(step + 1).1);
        Some(explained((self.range(start).0, self.range(end - 1).1), term, &title, help).at(label))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(clause: &str) -> String {
        format!("state {{ heap[k: 1..3]: 0..9 = 0; }}\nmove up(k: 1..3) {{ {clause} }}\n")
    }

    #[test]
    fn steps_by_one_are_effects() {
        for (clause, new) in [
            ("++n;", "n += 1;"),
            ("--heap[k];", "heap[k] -= 1;"),
            ("n := n++;", "n := n + 1;"),
            ("n := n--;", "n := n - 1;"),
            ("n := ++n;", "n := n + 1;"),
        ] {
            assert_eq!(mended(&text(clause)), text(new), "{clause}");
            assert_eq!(titles(&text(clause)).len(), 1, "{clause}");
        }
    }

    #[test]
    fn terms_change_nothing() {
        for (clause, sign) in [
            ("heap[n++] := 3;", "++"),
            ("heap[++n] := 3;", "++"),
            ("when n-- > 0; m := 1;", "--"),
            ("when m = 1 and n++ < 3; m := 1;", "++"),
        ] {
            let old = text(clause);
            assert_eq!(titles(&old), [format!("`{sign}` is no part of a term")]);
            assert_eq!(mended(&old), old, "{clause}");
            let effect = format!("an effect of its own, `n {}= 1;`", &sign[1..]);
            assert!(helps(&old)[0].ends_with(&effect), "{:?}", helps(&old));
        }
    }

    #[test]
    fn a_step_of_another_field_has_two_effects() {
        let step = text("m := n++;");
        assert_eq!(mended(&step), step);
        assert!(helps(&step)[0].starts_with("write `n + 1` for the value alone"), "{:?}", helps(&step));
    }
}
