//! The condition of a move as an `if` with a colon that holds all its effects, as in Python: `if k <= n:` and
//! then the effects.

use super::edits::{Fix, FixFinder};
use super::foreign::foreign_value;
use super::phrases::explained;
use crate::diag::Code;

/// The title of the messages.
const TITLE: &str = "a condition of a move ends with `;`, and its effects follow";

/// The title of messages about such a condition before another one.
const GUARD_TITLE: &str = "a condition of a move is a `when`, and ends with `;`";

/// The maximal number of bytes of the effects that a message quotes.
const MAX_QUOTED_EFFECTS: usize = 60;

impl FixFinder<'_> {
    /// Explains `if f:` that holds all effects of a move.
    pub(super) fn guard_by_if(&self) -> Option<Fix> {
        let colon = self.bounds.at;
        let heads = ["move", "chance", "private", "mandatory", "forcing"];
        let is_move = heads.contains(&self.layout.text(self.bounds.first)) && self.word == ":";
        let open = self.bracket_around(colon, colon).filter(|_| is_move)?;
        let is_body = self.layout.text(open) == "{" && self.bracket_around(open, open).is_none();
        let clause = self.behind_lets(open + 1).filter(|&clause| is_body && colon > clause + 1)?;
        let close = self.layout.partner(open).filter(|&close| close > colon + 1)?;
        if self.layout.text(clause) != "if" {
            return None;
        }
        let effects = self.effects_behind(clause, colon, close)?;
        let condition = self.condition_in_our_words(clause + 1, colon);
        let shown = effects.split_whitespace().collect::<Vec<_>>().join(" ");
        let (after_when, in_braces) = match shown.len() <= MAX_QUOTED_EFFECTS {
            true => (format!("; {shown}"), format!("{{ {shown} }}")),
            false => (";".to_owned(), "{ ... }".to_owned()),
        };
        let help = format!(
            "write `when {condition}{after_when}` if the move is legal only then, `if {condition} {in_braces}` if it is \
             legal anyway"
        );
        let range = (self.gap().0, self.range(close - 1).1);
        let fix = explained(range, &format!(" {{ {effects} }}"), TITLE, help).at(self.here());
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `if f:` before a `when` in the same column to `when f;`, and explains it before an indented one.
    pub(super) fn guard_before_a_guard(&self) -> Option<Fix> {
        let (clause, colon) = (self.bounds.clause, self.bounds.at);
        let is_if = self.word == ":" && self.layout.text(clause) == "if" && colon > clause + 1;
        let is_guard = is_if && self.in_move() && self.layout.text(colon + 1) == "when";
        let open = self.bracket_around(clause, clause).filter(|_| is_guard)?;
        let end = self.outside_brackets(colon + 1, &[";"])?;
        if self.layout.text(open) != "{" || self.bracket_around(open, open).is_some() {
            return None;
        }
        let mut at = open + 1;
        while at < clause && matches!(self.layout.text(at), "let" | "when") {
            at = self.outside_brackets(at, &[";"])? + 1;
        }
        if at != clause {
            return None;
        }
        let condition = self.condition_in_our_words(clause + 1, colon);
        let is_in_column = self.layout.begins_line(colon + 1)
            && self.layout.begins_line(clause)
            && self.layout.column(colon + 1) <= self.layout.column(clause);
        let range = (self.range(clause).0, self.range(colon).1);
        let new = format!("when {condition};");
        if is_in_column {
            let fix = Fix::new(range, &new, Code::E0013, GUARD_TITLE).at(self.here());
            return Some(Fix { accepts_partial: true, ..fix.help(format!("write `{new}`")) });
        }
        let other = self.condition_in_our_words(colon + 2, end);
        let help = format!(
            "write `{new}` if the move is legal only then, `when {condition} implies {other};` if `{other}` is asked only then"
        );
        let fix = explained(range, &new, GUARD_TITLE, help).at(self.here());
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// The word behind the statements from this one on that only name values.
    fn behind_lets(&self, from: usize) -> Option<usize> {
        let mut at = from;
        while self.layout.text(at) == "let" {
            at = self.outside_brackets(at, &[";"])? + 1;
        }
        Some(at)
    }

    /// The effects between a colon and the end of the move, each with its `;`: all indented, all in the
    /// column of the `if`, or all on its line.
    fn effects_behind(&self, clause: usize, colon: usize, close: usize) -> Option<String> {
        let start = colon + 1;
        let column = self.layout.column(clause);
        let begins = |at: &usize| self.layout.begins_line(*at);
        let lines: Vec<usize> = (start..close).filter(begins).collect();
        let is_in_lines = match lines.first() {
            Some(&first) => first == start,
            None => true,
        };
        let indented = lines.iter().filter(|&&at| self.layout.column(at) > column).count();
        let has_branch = (start..close).any(|at| {
            matches!(self.layout.text(at), "else" | "elif" | "elsif" | "elseif" | "end" | "fi" | ":")
        });
        let signs = [":=", "+=", "-=", "|=", "<-", "=", "[", "(", "."];
        let is_effect = self.is_name(start) && signs.contains(&self.layout.text(start + 1));
        if !is_in_lines || has_branch || !is_effect {
            return None;
        }
        // With other lines below them, the indented ones are a branch.
        if indented > 0 && indented < lines.len() {
            return None;
        }
        let ends: Vec<usize> = lines.iter().skip(1).copied().chain([close]).collect();
        let starts: Vec<usize> = if lines.is_empty() { vec![start] } else { lines };
        let effects = starts.iter().zip(ends).map(|(&start, end)| {
            let line = self.text(start, end);
            let is_ended = line.ends_with([';', '{', '}', ',', '(', '[']);
            if is_ended { line.to_owned() } else { format!("{line};") }
        });
        Some(effects.collect::<Vec<_>>().join(" "))
    }

    /// A condition with the signs and values of this language.
    fn condition_in_our_words(&self, from: usize, to: usize) -> String {
        let mut condition = String::new();
        let mut last = self.range(from).0;
        for at in from..to {
            let (start, end) = self.range(at);
            condition += self.layout.source.get(last..start).unwrap_or_default();
            let word = self.layout.text(at);
            condition += match word {
                "==" => "=",
                "None" | "null" | "nil" | "True" | "False" if !self.outline().declares(word) => {
                    foreign_value(word).unwrap_or(word)
                }
                _ => word,
            };
            last = end;
        }
        condition.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn a_guard_by_if_has_two_readings() {
        let text = |body: &str| format!("move take(k: 1..3) as \"{{k}}\" {{\n{body}}}\n");
        for body in [
            "  if k <= n:\n    n -= k;\n",
            "  if k <= n:\n    n -= k\n",
            "  if k <= n:\n  n -= k;\n",
            "  if k <= n: n -= k;\n",
            "  if k == n:\n    n -= k;\n    last := me;\n",
        ] {
            let text = text(body);
            assert_eq!(titles(&text), [super::TITLE], "{body}");
            assert!(helps(&text)[0].starts_with("write `when k "), "{body}: {:?}", helps(&text));
            assert!(helps(&text)[0].contains("only then, `if k "), "{body}");
            assert_eq!(mended(&text), text, "{body}");
        }
        let help = "write `when at[k] = none; n -= k;` if the move is legal only then, `if at[k] = none { n -= k; }` if \
                    it is legal anyway";
        assert_eq!(helps(&text("  if at[k] == None:\n    n -= k;\n")), [help]);
    }

    #[test]
    fn a_guard_stands_before_other_guards() {
        let text = |body: &str| format!("move grow(b: Bed) as \"{{b}}\" {{\n{body}  n -= 1;\n}}\n");
        for (theirs, ours) in [
            ("  if n > 0:\n  when at[b] = none;\n", "  when n > 0;\n  when at[b] = none;\n"),
            (
                "  when m > 0;\n  if n > 0:\n  when at[b] = none;\n",
                "  when m > 0;\n  when n > 0;\n  when at[b] = none;\n",
            ),
        ] {
            assert_eq!(titles(&text(theirs)), [super::GUARD_TITLE], "{theirs}");
            assert_eq!(mended(&text(theirs)), text(ours));
        }
        let indented = text("  if n > 0:\n    when m > 0;\n");
        assert_eq!(titles(&indented), [super::GUARD_TITLE]);
        assert_eq!(mended(&indented), indented);
        let help = "write `when n > 0;` if the move is legal only then, `when n > 0 implies m > 0;` if `m > 0` is asked \
                    only then";
        assert_eq!(helps(&indented), [help]);
    }

    #[test]
    fn what_is_not_legal_is_told_elsewhere() {
        for body in ["if k > n: return; n -= k;", "if k > n: illegal; n -= k;"] {
            let text = format!("move take(k: 1..3) {{ {body} }}\n");
            assert!(titles(&text).iter().all(|title| title != super::TITLE), "{body}");
        }
    }

    #[test]
    fn branches_beside_other_effects_keep_their_reading() {
        let text = |body: &str| format!("move take(k: 1..3) as \"{{k}}\" {{\n{body}}}\n");
        for (body, new) in [
            ("  if k > 1:\n    m += 1\n  n -= k;\n", "  if k > 1 { m += 1; }\n  n -= k;\n"),
            ("  n -= k;\n  if k > 1:\n    m += 1;\n", "  n -= k;\n  if k > 1 { m += 1; }\n"),
        ] {
            let end = |text: String| text.split_whitespace().collect::<String>();
            assert_eq!(end(mended(&text(body))), end(text(new)), "{body}");
        }
    }
}
