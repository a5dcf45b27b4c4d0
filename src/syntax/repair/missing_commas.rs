//! Commas that are missing before a bracket, which the parser takes for a call: `match x { (a, b) => 0 (b, a) => 1 }`.

use super::edits::{Fix, FixFinder};
use crate::diag::Code;
use crate::lex::TokenKind;

/// The title of a message about a missing comma.
pub(in super::super) const MISSING_COMMA: &str = "a `,` is missing here";

impl FixFinder<'_> {
    /// Adds the commas that are missing between arms whose patterns stand in brackets.
    pub fn missing_commas(&self, fixes: &mut Vec<Fix>) {
        let at = self.bounds.at;
        let open = self.bracket_around(at, at).filter(|_| self.word == "=>" && self.last == ")");
        let Some(open) = open.filter(|&open| self.layout.text(open) == "{" && !self.layout.is_block(open))
        else {
            return;
        };
        let gaps = self.gaps_before_patterns(open);
        let (Some(&first), Some(&last)) = (gaps.first(), gaps.last()) else { return };
        let mut new = String::new();
        for pair in gaps.windows(2) {
            new.push(',');
            new += self.layout.source.get(self.range(pair[0]).1..self.range(pair[1]).1).unwrap_or_default();
        }
        new.push(',');
        let end = self.range(first).1;
        let help = match gaps.len() {
            1 => "insert `,` before the next arm",
            _ => "insert `,` before the next arm, here and below",
        };
        let fix = Fix::new((end, self.range(last).1), &new, Code::E0013, MISSING_COMMA);
        let fix = fix.at(self.range(first)).help(help);
        fixes.push(Fix { accepts_partial: true, ..fix });
    }

    /// The words between the braces at `open` after which an arm begins with a bracket, without a comma.
    fn gaps_before_patterns(&self, open: usize) -> Vec<usize> {
        let mut gaps = Vec::new();
        let mut arrow = self.outside_brackets(open + 1, &["=>"]);
        while let Some(before) = arrow {
            arrow = self.outside_brackets(before + 1, &["=>"]);
            let close = arrow.and_then(|arrow| arrow.checked_sub(1));
            let pattern = close.and_then(|close| self.layout.partner(close)).filter(|&at| at > before + 1);
            let Some(end) = pattern.map(|pattern| pattern - 1) else { continue };
            let kind = self.layout.words[end].kind;
            let is_bracket = self.layout.text(end + 1) == "(";
            let ends = matches!(kind, TokenKind::Number | TokenKind::Str | TokenKind::Close)
                || self.is_name(end)
                || matches!(self.layout.text(end), "none" | "true" | "false");
            if is_bracket && ends {
                gaps.push(end);
            }
        }
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};
    use super::MISSING_COMMA;

    fn choice(arms: &str) -> String {
        format!("def f(a: D, b: D) = match (a, b) {{ {arms} }};\n")
    }

    #[test]
    fn arms_are_parted_before_a_bracket() {
        for (arms, new) in [
            ("(s, s) => 0 (s, w) => 1, _ => 2", "(s, s) => 0, (s, w) => 1, _ => 2"),
            ("(s, s) => 0\n  (s, w) => -1\n  (w, w) => f(b)\n  _ => 2", ""),
            ("(s, s) => true (s, w) => false", "(s, s) => true, (s, w) => false"),
            ("(s, s) => x[a] (s, w) => x (w, w) => none", "(s, s) => x[a], (s, w) => x, (w, w) => none"),
        ] {
            let text = choice(arms);
            if !new.is_empty() {
                assert_eq!(titles(&text), [MISSING_COMMA], "{text}");
                assert_eq!(mended(&text), choice(new));
            }
            assert!(titles(&mended(&text)).is_empty() || new.is_empty(), "{}", mended(&text));
        }
        assert!(titles(&choice("(s, s) => f(b), (s, w) => 1, _ => 2")).is_empty());
    }

    #[test]
    fn arms_begin_with_their_values() {
        let text = choice("case (s, s) => 0, (s, w) => 1, case (w, w) => 2");
        assert_eq!(titles(&text), ["an arm of a `match` begins with its value, without `case`"]);
        assert_eq!(mended(&text), choice("(s, s) => 0, (s, w) => 1, (w, w) => 2"));
        // A name for a value.
        assert!(titles(&choice("case => 0, _ => 1")).is_empty());
    }

    #[test]
    fn elements_are_parted_before_a_bracket() {
        let text = |set: &str| format!("const good = {{ {set} }};\n");
        for (set, new) in [
            ("(1, 2) (2, 3), (3, 4)", "(1, 2), (2, 3), (3, 4)"),
            ("(1, 2)(2, 3) (3, 4)", "(1, 2),(2, 3), (3, 4)"),
            ("(1, 2) (2, 3), (3, 4) (4, 5)", "(1, 2), (2, 3), (3, 4), (4, 5)"),
        ] {
            assert_eq!(titles(&text(set)), [MISSING_COMMA], "{set}");
            assert_eq!(mended(&text(set)), text(new));
        }
        // A product may be meant.
        assert!(titles(&text("2 (n)")).is_empty());
        assert!(titles(&text("f(1, 2), (2, 3)")).is_empty());
    }
}
