//! Blocks of effects without their braces: `for n in S:` and `else n += 1;`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;

/// The maximal length in bytes of a block that a message quotes.
const MAX_QUOTED_BLOCK: usize = 100;

impl FixFinder<'_> {
    /// Fixes and explanations of blocks without braces.
    pub fn open_blocks(&self, fixes: &mut Vec<Fix>) {
        if self.bounds.place == ClauseContext::Move {
            fixes.extend([self.loop_by_a_colon(), self.branch_without_braces()].into_iter().flatten());
        }
    }

    /// Explains `for n in S:` with indented effects below it.
    fn loop_by_a_colon(&self) -> Option<Fix> {
        let (start, colon) = (self.bounds.clause, self.bounds.at);
        let is_loop =
            self.layout.text(start) == "for" && self.layout.text(start + 2) == "in" && self.word == ":";
        let end = self.end_of_indented(start, colon + 1).filter(|&end| is_loop && end > colon + 1)?;
        let (head, body) = (self.text(start, colon), colon + 1);
        let inner = self.outside_brackets(body + 1, &[":", "{", ";"]).filter(|&at| at < end);
        let inner = inner.filter(|&at| self.layout.text(at) == ":" && self.layout.text(body) == "if");
        let (head, from) = match inner {
            Some(sign) => (format!("{head} where {}", self.text(body + 1, sign)), sign + 1),
            None => (head.to_owned(), body),
        };
        let new = format!("{head} {{ {} }}", self.effects_in_lines(from, end)?);
        let shown = if new.len() <= MAX_QUOTED_BLOCK { new.clone() } else { format!("{head} {{ ... }}") };
        let title = "the effects of a `for` stand in braces";
        let help = format!("write `{shown}`; what is done for each element is done at once");
        let range = (self.range(start).0, self.range(end - 1).1);
        Some(explained(range, &new, title, help).at(self.here()))
    }

    /// The effects of these words, with a semicolon behind each line; nothing if a block by a colon is among them.
    fn effects_in_lines(&self, from: usize, end: usize) -> Option<String> {
        let mut new = String::new();
        let mut start = from;
        for at in from..end {
            let is_last = at + 1 == end || self.layout.begins_line(at + 1);
            if self.layout.text(at) == ":" && is_last || matches!(self.layout.text(start), "elif" | "else") {
                return None;
            }
            if is_last {
                let is_ended = matches!(self.layout.text(at), ";" | "}" | "{" | "," | "and" | "or");
                new += self.text(start, at + 1);
                new += if is_ended { "" } else { ";" };
                new += if at + 1 < end { " " } else { "" };
                start = at + 1;
            }
        }
        (start > from).then_some(new)
    }

    /// The word after the lines from `from` on that stand further to the right than the word `head`.
    fn end_of_indented(&self, head: usize, from: usize) -> Option<usize> {
        let close = self.layout.partner(self.bracket_around(head, head)?)?;
        let is_out = |&at: &usize| {
            at > from && self.layout.begins_line(at) && self.layout.column(at) <= self.layout.column(head)
        };
        Some((from..close).find(is_out).unwrap_or(close))
    }

    /// Rewrites `else n += 1;` to `else { n += 1; }`.
    fn branch_without_braces(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_branch = self.last == "else"
            && self.layout.text(at.checked_sub(2)?) == "}"
            && !matches!(self.word, "if" | "{" | "then");
        let end = self.outside_brackets(at, &[";"]).filter(|_| is_branch)? + 1;
        let is_effect =
            self.outside_brackets(at, &[":=", "+=", "-=", "|=", "<-", "next", "again", "continue", "("]);
        is_effect.filter(|&sign| sign < end)?;
        // More lines that stand as far to the right.
        let mut last = end;
        while self.layout.begins_line(at)
            && self.layout.begins_line(last)
            && self.layout.text(last) != "}"
            && self.layout.column(last) == self.layout.column(at)
        {
            last = self.outside_brackets(last, &[";", "}"]).filter(|&end| self.layout.text(end) == ";")? + 1;
        }
        let block = |end: usize| {
            let effects: Vec<&str> = self.text(at, end).split_whitespace().collect();
            format!("{{ {} }}", effects.join(" "))
        };
        let new = format!(" {}", block(last));
        let range = (self.gap().0, self.range(last - 1).1);
        let title = "an `else` that changes the state has braces";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(at - 1));
        Some(match last == end {
            true => fix.help(format!("write `else{new}`")),
            false => Fix {
                is_correction: false,
                ..fix.help(format!(
                    "write `else{new}`, or `else {}` if only the first belongs to it",
                    block(end)
                ))
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn loops_have_braces() {
        let text = concat!(
            "move m(to: Cell) {\n  at[to] := me;\n  for n in to.neighbors:\n",
            "    if at[n] = opponent: at[n] := me\n}\n"
        );
        assert_eq!(titles(text), ["the effects of a `for` stand in braces"]);
        let help = "write `for n in to.neighbors where at[n] = opponent { at[n] := me; }`";
        assert!(helps(text)[0].starts_with(help), "{:?}", helps(text));
        let text =
            "move m(to: Cell) {\n  for n in to.neighbors:\n    at[n] := me;\n    k[n] := 0\n  n := 1;\n}\n";
        assert_eq!(titles(text), ["the effects of a `for` stand in braces"]);
    }

    #[test]
    fn branches_have_braces() {
        let text = |branch: &str| format!("move m() {{\n  if f {{ n := 1; }} else {branch}\n}}\n");
        assert_eq!(titles(&text("n += 1;")), ["an `else` that changes the state has braces"]);
        assert_eq!(mended(&text("n += 1;")), text("{ n += 1; }"));
        let two = text("\n    n += 1;\n    next opponent;");
        assert_eq!(mended(&two), two);
        let help =
            "write `else { n += 1; next opponent; }`, or `else { n += 1; }` if only the first belongs to it";
        assert_eq!(helps(&two), [help]);
        let one = text("\n    n += 1;\n  next opponent;");
        assert_eq!(mended(&one), text("{ n += 1; }\n  next opponent;"));
    }

    #[test]
    fn a_brace_closes_the_block_of_its_head() {
        let text = |head: &str| {
            format!("move m() {{\n  when n > 0;\n  {head}\n    n += 1;\n    k := 0;\n  }}\n  n -= 1;\n}}\n")
        };
        for (theirs, ours) in [
            ("if n = 1 then", "if n = 1 {"),
            ("for c in Cell do", "for c in Cell {"),
            ("if n = 1:", "if n = 1 {"),
        ] {
            assert_eq!(titles(&text(theirs)).len(), 1, "{theirs}: {:?}", titles(&text(theirs)));
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}");
        }
        // The brace of the writer stays where it is not sure where its block begins.
        let open = text("if n = 1");
        assert!(mended(&open).contains("k := 0;\n  }"), "{}", mended(&open));
    }

    #[test]
    fn what_a_loop_goes_through_stands_without_brackets() {
        let text = |head: &str| format!("move m() {{ for {head} where at[q] = to {{ at[q] := none; }} }}\n");
        assert_eq!(mended(&text("(q in Cell)")), text("q in Cell"));
        assert_eq!(titles(&text("(q in Cell)")), ["what a `for` goes through stands without brackets"]);
    }
}
