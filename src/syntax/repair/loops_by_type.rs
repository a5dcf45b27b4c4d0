//! Loops that name the type before the variable, as programs and everyday words do: `for player p { ... }`,
//! `for each player p { ... }`, `for Cell c { ... }`, `foreach (p in S) if (f) { ... }`.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use crate::diag::Code;

impl FixFinder<'_> {
    /// Fixes and explanations of loops that name their type first, and of loops around an `if` without
    /// braces.
    pub fn loops_by_type(&self, fixes: &mut Vec<Fix>) {
        if self.in_move() {
            let all = [self.loop_by_its_type(), self.typed_variable(), self.loop_around_an_if()];
            fixes.extend(all.into_iter().flatten());
        }
    }

    /// The type of the file that a word names: `player`, `players`, `Player`, `cells`.
    fn type_of_a_word(&self, word: &str) -> Option<String> {
        let mut letters = word.chars();
        let capital: String =
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect();
        let is_type = |name: &&str| *name == "Player" || self.outline().declares_type(name);
        [capital.as_str(), capital.strip_suffix('s').unwrap_or_default()]
            .into_iter()
            .filter(|name| !name.is_empty())
            .find(is_type)
            .map(str::to_owned)
    }

    /// Rewrites `for player p { ... }` and `for each player p { ... }` to `for p in Player { ... }`.
    fn loop_by_its_type(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let text = |at: usize| self.layout.text(at);
        let word = match text(clause) {
            "foreach" | "forall" | "forEach" => clause + 1,
            "for" => clause + 1 + usize::from(matches!(text(clause + 1), "each" | "all" | "every" | "any")),
            _ => return None,
        };
        let ty = self.type_of_a_word(text(word)).filter(|_| text(word + 1) != "in")?;
        let is_named = self.is_name(word + 1);
        let open = word + 1 + usize::from(is_named);
        if text(open) != "{" || !self.layout.is_block(open) || self.bounds.at > open {
            return None;
        }
        let range = (self.range(clause).0, self.range(open - 1).1);
        let title = "a `for` names its variable, and then the set that it goes through";
        if !is_named {
            let help = format!("write `for x in {ty} {{ ... }}`, with a name for each element");
            let fix = explained(range, &format!("for _ in {ty}"), title, help);
            return Some(Fix { accepts_partial: true, ..fix });
        }
        let new = format!("for {} in {ty}", text(word + 1));
        let help = format!("write `{new} {{ ... }}`");
        Some(Fix { accepts_partial: true, ..Fix::new(range, &new, Code::E0013, title).help(help) })
    }

    /// Rewrites `for (Player p : players) { ... }` to `for p in Player { ... }`.
    fn typed_variable(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let text = |at: usize| self.layout.text(at);
        let open = clause + 1;
        let is_loop = matches!(text(clause), "for" | "foreach" | "forEach") && text(open) == "(";
        let close = self.layout.partner(open).filter(|_| is_loop && self.bounds.at > open)?;
        let sign = open + 3;
        let is_typed =
            self.is_name(open + 1) && self.is_name(open + 2) && matches!(text(sign), ":" | "in" | "of");
        let ty = self.type_of_a_word(text(open + 1)).filter(|_| is_typed && text(close + 1) == "{")?;
        let set = self.text(sign + 1, close);
        let set = match self.type_of_a_word(set) {
            Some(all) if close == sign + 2 && all == ty && !self.outline().declares(set) => ty,
            _ => set.to_owned(),
        };
        if close == sign + 1 || self.bounds.at > close {
            return None;
        }
        let new = format!("for {} in {set}", text(open + 2));
        let range = (self.range(clause).0, self.range(close).1);
        let title = "a `for` names its variable without a type, and then the set that it goes through";
        let help = format!("write `{new} {{ ... }}`");
        Some(Fix { accepts_partial: true, ..Fix::new(range, &new, Code::E0013, title).help(help) })
    }

    /// Rewrites `foreach (p in S) if (f) { ... }` to `for p in S { if (f) { ... } }`.
    fn loop_around_an_if(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let text = |at: usize| self.layout.text(at);
        let open = clause + 1;
        let is_loop = matches!(text(clause), "for" | "foreach" | "forEach") && text(open) == "(";
        let close = self.layout.partner(open).filter(|_| is_loop)?;
        let name = open + 1 + usize::from(matches!(text(open + 1), "let" | "var" | "const" | "auto"));
        let is_in = matches!(text(name + 1), "in" | "of" | ":") && self.is_name(name);
        if !is_in || close < name + 3 || text(close + 1) != "if" || self.bounds.at < open {
            return None;
        }
        let end = self.end_of_branches(close + 1)?;
        let head = format!("for {} in {}", text(name), self.text(name + 2, close));
        let new = format!("{head} {{ {} }}", self.branches_with_braces(close + 1, end)?);
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = "what a `for` goes through is a set without brackets, and its effects stand in braces";
        let fix = Fix::new(range, &new, Code::E0013, title).at((self.range(clause).0, self.range(close).1));
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{head} {{ if ... {{ ... }} }}`")) })
    }

    /// The word behind the branches of the `if` at this word.
    fn end_of_branches(&self, start: usize) -> Option<usize> {
        let mut at = start;
        loop {
            let open = self.outside_brackets(at, &["{", ";"])?;
            if self.layout.text(open) == ";" {
                // `if (f) n := 1;` is the last branch.
                return (at == start).then_some(open + 1);
            }
            let end = self.layout.partner(open)? + 1;
            if self.layout.text(end) != "else" {
                return Some(end);
            }
            at = end + 1;
        }
    }

    /// The branches between two words, with braces around the effect of `if (f) n := 1;`.
    fn branches_with_braces(&self, from: usize, to: usize) -> Option<String> {
        let close = self.layout.partner(from + 1).filter(|_| self.layout.text(from + 1) == "(");
        if self.layout.text(to - 1) != ";" {
            return Some(self.text(from, to).to_owned());
        }
        let close = close?;
        Some(format!("{} {{ {} }}", self.text(from, close + 1), self.text(close + 1, to)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(stmt: &str) -> String {
        format!("board Cell = grid(2, 2);\nmove go(k: 1..3) {{\n  when n > 0;\n  {stmt}\n  n += 1;\n}}\n")
    }

    #[test]
    fn the_variable_stands_before_its_set() {
        for (old, new) in [
            ("for player p { got[p] := k; }", "for p in Player { got[p] := k; }"),
            ("for each player p { got[p] := k; }", "for p in Player { got[p] := k; }"),
            ("for all players p { got[p] := k; }", "for p in Player { got[p] := k; }"),
            ("foreach player p { got[p] := k; }", "for p in Player { got[p] := k; }"),
            ("for every cell c { at[c] := none; }", "for c in Cell { at[c] := none; }"),
            ("for (Player p : players) { got[p] := k; }", "for p in Player { got[p] := k; }"),
            ("foreach (Cell c in line) { at[c] := none; }", "for c in line { at[c] := none; }"),
            ("for Cell c { at[c] := none; }", "for c in Cell { at[c] := none; }"),
        ] {
            assert_eq!(mended(&text(old)), text(new), "{old}: {:?}", titles(&text(old)));
            assert_eq!(titles(&text(old)).len(), 1, "{old}: {:?}", titles(&text(old)));
        }
        let old = text("for each player { got[me] := k; }");
        assert_eq!(helps(&old), ["write `for x in Player { ... }`, with a name for each element"]);
        assert_eq!(mended(&old), old);
    }

    #[test]
    fn loops_around_an_if_have_braces() {
        for (old, new) in [
            (
                "foreach (p in Player) if (got[p] > k) { got[p] -= k; }",
                "for p in Player { if (got[p] > k) { got[p] -= k; } }",
            ),
            (
                "for (p in Player) if (got[p] > k) { got[p] -= k; } else { m := 1; }",
                "for p in Player { if (got[p] > k) { got[p] -= k; } else { m := 1; } }",
            ),
            (
                "for (p of Player) if (got[p] > k) got[p] -= k;",
                "for p in Player { if (got[p] > k) { got[p] -= k; } }",
            ),
        ] {
            assert_eq!(mended(&text(old)), text(new), "{old}: {:?}", titles(&text(old)));
            assert_eq!(titles(&text(old)).len(), 1, "{old}: {:?}", titles(&text(old)));
        }
    }
}
