//! Loops in the form of other languages: `S.forEach(x => { ... });`, `for (x in [a, b]) n[x] += 1;`,
//! `foreach x : S { ... }`, `for each x of S { ... }`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;

/// The title of the messages about methods that go through a set.
const METHOD: &str = "a set is gone through by `for`, and no method of it";

impl FixFinder<'_> {
    /// Fixes and explanations of loops of other languages.
    pub fn foreign_loops(&self, fixes: &mut Vec<Fix>) {
        if self.in_move() {
            let all = [
                self.loop_by_a_method(),
                self.loop_over_a_list(),
                self.loop_by_other_words(),
                self.loop_without_braces(),
            ];
            fixes.extend(all.into_iter().flatten());
        }
    }

    /// The variable of the function `x => ...` in the bracket at this word, and the word behind its arrow.
    fn arrow_in(&self, open: usize) -> Option<(&str, usize)> {
        let at = open + 1;
        let text = |at: usize| self.layout.text(at);
        let (name, arrow) = match () {
            () if text(at) == "function" && text(at + 1) == "(" && text(at + 3) == ")" => (at + 2, at + 3),
            () if text(at) == "(" && text(at + 2) == ")" => (at + 1, at + 3),
            () => (at, at + 1),
        };
        let is_arrow = matches!(text(arrow), "=>" | "->" | ")" | ":") && self.is_name(name);
        is_arrow.then(|| (text(name), arrow + 1))
    }

    /// Rewrites `S.filter(x => f).forEach(x => { ... });` to `for x in S where f { ... }`.
    fn loop_by_a_method(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_method = |&at: &usize| {
            matches!(self.layout.text(at), "forEach" | "foreach" | "for_each" | "each" | "forAll")
                && self.layout.text(at - 1) == "."
                && self.layout.text(at + 1) == "("
        };
        let mut at = clause + 2;
        while !is_method(&at) {
            at = self.layout.partner(at).filter(|&close| close > at).unwrap_or(at) + 1;
            if at >= self.layout.words.len() || matches!(self.layout.text(at), ";" | "}" | "") {
                return None;
            }
        }
        let close = self.layout.partner(at + 1)?;
        let range =
            (self.range(clause).0, self.range(close + usize::from(self.layout.text(close + 1) == ";")).1);
        let label = (self.range(clause).0, self.range(at).1);
        let unknown = || Some(explained(range, "", METHOD, "write `for x in S { ... }`").at(label));
        let Some((name, body)) = self.arrow_in(at + 1) else { return unknown() };
        let mut end = at - 1;
        let mut filter = String::new();
        if self.layout.text(end - 1) == ")"
            && let Some(open) = self.layout.partner(end - 1).filter(|&open| open > clause + 2)
            && matches!(self.layout.text(open - 1), "filter" | "where" | "select")
            && self.layout.text(open - 2) == "."
        {
            let Some((inner, condition)) = self.arrow_in(open) else { return unknown() };
            if inner != name {
                return unknown();
            }
            filter = format!(" where {}", self.text(condition, end - 1));
            end = open - 2;
        }
        let set = self.text(clause, end);
        let block = match self.layout.text(body) {
            "{" => self.text(body, close).to_owned(),
            _ => format!("{{ {}; }}", self.text(body, close)),
        };
        let new = format!("for {name} in {set}{filter} {block}");
        let help = format!("write `for {name} in {set}{filter} {{ ... }}`");
        let fix = Fix::new(range, &new, Code::E0013, METHOD).at(label);
        Some(Fix { accepts_partial: true, ..fix.help(help) })
    }

    /// Rewrites `for p in Player shown[p] := none;` to `for p in Player { shown[p] := none; }`.
    fn loop_without_braces(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_loop = self.bounds.place == ClauseContext::Move
            && self.layout.text(clause) == "for"
            && self.is_name(clause + 1)
            && self.layout.text(clause + 2) == "in"
            && at > clause + 3
            && self.is_name(at);
        let sign =
            self.outside_brackets(at, &[":=", "+=", "-=", "<-", "|=", "&=", ";", "{"]).filter(|_| is_loop)?;
        let end = self.outside_brackets(sign, &[";", "{"])?;
        if matches!(self.layout.text(sign), ";" | "{") || self.layout.text(end) != ";" {
            return None;
        }
        let effect = self.text(at, end);
        let range = (self.here().0, self.range(end).1);
        let title = "the effects of a `for` stand in braces";
        let fix = Fix::new(range, &format!("{{ {effect}; }}"), Code::E0013, title).at(self.here());
        Some(fix.help(format!("write `{} {{ {effect}; }}`", self.text(clause, at))))
    }

    /// Rewrites `for (x in [a, b]) n[x] += 1;` to `for x in { a, b } { n[x] += 1; }`.
    fn loop_over_a_list(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let open = clause + 1;
        let is_loop = matches!(self.layout.text(clause), "for" | "foreach") && self.layout.text(open) == "(";
        let close = self.layout.partner(open).filter(|_| is_loop)?;
        let words = ["let", "var", "const", "auto"];
        let name = open + 1 + usize::from(words.contains(&self.layout.text(open + 1)));
        let is_in = matches!(self.layout.text(name + 1), "in" | "of" | ":") && self.is_name(name);
        if !is_in || close < name + 3 || self.bounds.at < open {
            return None;
        }
        let list = self.list_as_a_set(name + 2, close);
        let has_block = self.layout.text(close + 1) == "{";
        // The rest has a message of its own.
        if list.is_none() && has_block {
            return None;
        }
        let is_whole = list.as_ref().is_none_or(|(_, is_whole)| *is_whole);
        let set = list.map_or(self.text(name + 2, close).to_owned(), |(set, _)| set);
        let head = format!("for {} in {set}", self.layout.text(name));
        let start = self.range(clause).0;
        let label = (start, self.range(close).1);
        let title = "what a `for` goes through is a set, without brackets around it";
        if has_block {
            let fix = Fix::new(label, &head, Code::E0013, title).help(format!("write `{head} {{ ... }}`"));
            return Some(Fix { is_correction: is_whole, accepts_partial: true, ..fix });
        }
        let end = self.outside_brackets(close + 1, &[";", "{"])?;
        let effect = self.text(close + 1, end);
        if self.layout.text(end) != ";" || end == close + 1 {
            return None;
        }
        let new = format!("{head} {{ {effect}; }}");
        let title = "what a `for` goes through is a set without brackets, and its effects stand in braces";
        let fix = Fix::new((start, self.range(end).1), &new, Code::E0013, title).at(label);
        let fix = fix.help(format!("write `{new}`"));
        Some(Fix { is_correction: is_whole, accepts_partial: true, ..fix })
    }

    /// Rewrites `foreach x : S { ... }` and `for each x of S { ... }` to `for x in S { ... }`.
    fn loop_by_other_words(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let text = |at: usize| self.layout.text(at);
        let mut name = match text(clause) {
            "foreach" | "forall" | "forEach" => clause + 1,
            "for" => clause + 1 + usize::from(matches!(text(clause + 1), "each" | "all" | "every")),
            _ => return None,
        };
        if matches!(text(name), "let" | "var" | "const") {
            name += 1;
        }
        let sign = name + 1;
        let is_sign = matches!(text(sign), "in" | "of" | ":") && self.is_name(name);
        // Where only the first word is another one, that is told alone.
        let is_own = matches!(text(clause), "for" | "foreach") && name == clause + 1 && text(sign) == "in";
        let block = self.outside_brackets(sign + 1, &["{", ";"]).filter(|_| is_sign && !is_own)?;
        if text(block) != "{" || block == sign + 1 || self.bounds.at > block {
            return None;
        }
        let new = format!("for {} in", text(name));
        let range = (self.range(clause).0, self.range(sign).1);
        let title = format!("`{}` is written `{new}`", self.text(clause, sign + 1));
        let help = format!("write `{new} {} {{ ... }}`", self.text(sign + 1, block));
        Some(Fix { accepts_partial: true, ..Fix::new(range, &new, Code::E0013, title).help(help) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    fn text(stmt: &str) -> String {
        format!("move go(p: Pot) {{\n  when n > 0;\n  {stmt}\n  n += 1;\n}}\n")
    }

    fn check(old: &str, new: &str) {
        assert_eq!(mended(&text(old)), text(new), "{old}: {:?}", titles(&text(old)));
        assert_eq!(titles(&text(old)).len(), 1, "{old}: {:?}", titles(&text(old)));
    }

    #[test]
    fn loops_are_no_methods() {
        check("Dial.forEach(j => { s[j] := 1; });", "for j in Dial { s[j] := 1; }");
        check("Dial.forEach((j) => { s[j] := 1; })", "for j in Dial { s[j] := 1; }");
        check("a.neighbors.forEach(j => s[j] := 1);", "for j in a.neighbors { s[j] := 1; }");
        check("Dial.forEach(function(j) { s[j] := 1; });", "for j in Dial { s[j] := 1; }");
        check(
            "Dial.filter(j => tied(p, j)).forEach(j => { s[j] := 1; });",
            "for j in Dial where tied(p, j) { s[j] := 1; }",
        );
        let other = text("Dial.filter(i => tied(p, i)).forEach(j => { s[j] := 1; });");
        assert_eq!(mended(&other), other);
        assert_eq!(titles(&other).len(), 1);
    }

    #[test]
    fn loops_go_through_sets() {
        check("for (q in [p, p + E]) heap[q] -= 1;", "for q in { p, p + E } { heap[q] -= 1; }");
        check("for (q in [p, p + E]) { heap[q] -= 1; }", "for q in { p, p + E } { heap[q] -= 1; }");
        check("for (let q of [p, o]) { heap[q] -= 1; }", "for q in { p, o } { heap[q] -= 1; }");
        check("for (q in Pot) heap[q] -= 1;", "for q in Pot { heap[q] -= 1; }");
        check("for (q in Pot) { heap[q] -= 1; }", "for q in Pot { heap[q] -= 1; }");
        let twice = text("for (q in [p, p]) heap[q] -= 1;");
        assert_eq!(mended(&twice), twice);
        for theirs in
            ["foreach q : Pot", "foreach q in Pot", "for each q of Pot", "for q of Pot", "for all q in Pot"]
        {
            check(&format!("{theirs} {{ heap[q] -= 1; }}"), "for q in Pot { heap[q] -= 1; }");
        }
    }
}
