//! Limits on the nesting of a file, checked on its tokens before the recursive parser runs.
//!
//! There are two measures. *Depth* counts brackets and words whose construct extends to the end of the clause (`if`,
//! `let`, `some`, `else if`), from the outside in. *Height* bounds the tree from the leaves up, where a long chain of
//! operators leans to the left.

use super::keywords;
use super::lex::{Token, TokenKind};

/// The maximal depth of brackets, conditions, quantifiers, prefix operators and comments.
pub(super) const MAX_DEPTH: usize = 128;
/// The maximal number of operators in a chain, and of levels of their tree.
pub(super) const MAX_HEIGHT: usize = 512;
/// The maximal number of bytes of a file.
pub(super) const MAX_FILE_BYTES: usize = 4 << 20;

/// An exceeded limit, with the token that exceeds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NestingError {
    /// The nesting is too deep.
    TooDeep(Token),
    /// The chain of operators is too long.
    ChainTooLong(Token),
}

/// The state of one nesting level: the whole file, or an open bracket.
#[derive(Clone, Copy, Default)]
struct NestingLevel {
    /// The number of words whose construct extends to the end of the clause.
    holders: usize,
    /// The number of these words whose `:` is still to come.
    pending: usize,
    /// The number of `and`, `or`, `implies`, `iff` in the clause.
    logic: usize,
    /// The operators since the last connective or comparison, and the longest such chain of the clause.
    signs: (usize, usize),
    /// The calls, keys and parts since the last operand began, and the longest such chain of the clause.
    steps: (usize, usize),
    /// The height of the highest closed bracket in the clause.
    inner: usize,
    /// The height of the highest previous clause.
    before: usize,
}

impl NestingLevel {
    fn height(&self) -> usize {
        self.before.max(self.inner + self.holders + self.logic + self.signs.1 + self.steps.1)
    }

    /// Counts an operator of a chain.
    fn sign(&mut self) {
        self.signs.0 += 1;
        self.signs.1 = self.signs.1.max(self.signs.0);
        self.steps.0 = 0;
    }

    /// Ends a chain of operators at a connective or comparison.
    fn part(&mut self, is_logic: bool) {
        self.logic += usize::from(is_logic);
        self.signs.0 = 0;
        self.steps.0 = 0;
    }

    /// Counts a call, key or part.
    fn step(&mut self) {
        self.steps.0 += 1;
        self.steps.1 = self.steps.1.max(self.steps.0);
    }
}

/// Returns the depth of a file, or the first token past a limit.
pub(super) fn nesting_depth(source: &str, tokens: &[Token]) -> Result<usize, NestingError> {
    let mut scan =
        NestingScan { levels: vec![NestingLevel::default()], holders: 0, signs: 0, deepest: 0, last: None };
    let mut rest = tokens.iter().peekable();
    while let Some(token) = rest.next() {
        if token.is_comment() {
            if comment_depth(token.text(source)) > MAX_DEPTH {
                return Err(NestingError::TooDeep(*token));
            }
            continue;
        }
        let next = rest.clone().find(|t| !t.is_comment()).map(|t| t.text(source));
        scan.step(source, *token, next)?;
    }
    Ok(scan.deepest)
}

struct NestingScan<'a> {
    levels: Vec<NestingLevel>,
    /// The number of words on all levels whose construct extends to the end of the clause.
    holders: usize,
    /// The number of prefix operators just before this token.
    signs: usize,
    deepest: usize,
    /// The previous token.
    last: Option<&'a str>,
}

impl<'a> NestingScan<'a> {
    fn step(&mut self, source: &'a str, token: Token, next: Option<&str>) -> Result<(), NestingError> {
        let word = token.text(source);
        let begins_operand = self.last.is_none_or(keywords::awaits_operand);
        self.signs = match word {
            "not" | "-" | "#" if begins_operand => self.signs + 1,
            _ => 0,
        };
        match token.kind {
            TokenKind::Open => {
                if !begins_operand {
                    self.level().step();
                }
                self.levels.push(NestingLevel::default());
            }
            TokenKind::Close => self.close(next),
            TokenKind::Word => self.word(word, next),
            TokenKind::Punctuation => self.sign(word),
            _ => {}
        }
        self.last = Some(word);
        let depth = self.levels.len() + self.holders + self.signs;
        self.deepest = self.deepest.max(depth);
        if depth > MAX_DEPTH {
            return Err(NestingError::TooDeep(token));
        }
        if self.level().height() > MAX_HEIGHT {
            return Err(NestingError::ChainTooLong(token));
        }
        Ok(())
    }

    fn level(&mut self) -> &mut NestingLevel {
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    /// Ends a clause, and closes the constructs that extend to its end.
    fn end_clause(&mut self) {
        let level = self.level();
        let holders = level.holders;
        *level = NestingLevel { before: level.height(), ..NestingLevel::default() };
        self.holders -= holders;
    }

    fn close(&mut self, next: Option<&str>) {
        if self.levels.len() > 1 {
            self.end_clause();
            let height = self.level().height() + 1;
            self.levels.pop();
            let level = self.level();
            level.inner = level.inner.max(height);
        }
        // a block ends its clause unless the next word continues it
        if next.is_some_and(|word| keywords::starts_with_letter(word) && !keywords::follows_bracket(word)) {
            self.end_clause();
        }
    }

    fn word(&mut self, word: &str, next: Option<&str>) {
        let called = next == Some("(") && matches!(word, "min" | "max" | "union");
        let level = self.level();
        if keywords::extends_to_clause_end(word) && !called {
            level.holders += 1;
            level.pending += usize::from(word != "if");
            level.steps.0 = 0;
            self.holders += 1;
        } else if keywords::is_operator(word) {
            match word {
                "mod" | "not" => level.sign(),
                _ => level.part(!matches!(word, "in" | "is")),
            }
        }
    }

    fn sign(&mut self, sign: &str) {
        let level = self.level();
        match sign {
            ";" => self.end_clause(),
            "," if level.pending == 0 => self.end_clause(),
            ":" => level.pending = level.pending.saturating_sub(1),
            "," | "=>" | "?" => {}
            "." => level.step(),
            "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" => level.part(false),
            _ => level.sign(),
        }
    }
}

/// The depth of nested comments.
fn comment_depth(comment: &str) -> usize {
    if comment.starts_with("//") {
        return 1;
    }
    let bytes = comment.as_bytes();
    let (mut at, mut depth, mut deepest) = (0, 0_usize, 0);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => (at, depth) = (at + 2, depth + 1),
            b"*/" => (at, depth) = (at + 2, depth.saturating_sub(1)),
            _ => at += 1,
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::super::lex::lex;
    use super::*;

    fn depth(source: &str) -> Result<usize, NestingError> {
        nesting_depth(source, &lex(source))
    }

    fn repeat(open: &str, middle: &str, close: &str, times: usize) -> String {
        format!("def x = {}{middle}{};", open.repeat(times), close.repeat(times))
    }

    #[test]
    fn nesting_of_every_kind_has_a_limit() {
        let ways = [
            ("(", "a", ")"),
            ("{", "a", "}"),
            ("not ", "a", ""),
            ("- ", "a", ""),
            ("#", "a", ""),
            ("let x = 1: ", "a", ""),
            ("if a then b else ", "c", ""),
            ("some x in S, y in T: ", "a", ""),
            ("{1} + let a = {1}: ", "a", ""),
            ("f[", "a", "]"),
        ];
        for (open, middle, close) in ways {
            assert!(depth(&repeat(open, middle, close, 100)).is_ok(), "{open}");
            let deep = depth(&repeat(open, middle, close, 200));
            assert!(matches!(deep, Err(NestingError::TooDeep(_))), "{open}: {deep:?}");
        }
        let comment = format!("{}{}", "/*".repeat(200), "*/".repeat(200));
        assert!(matches!(depth(&comment), Err(NestingError::TooDeep(_))));
    }

    #[test]
    fn rows_of_operators_have_a_limit() {
        for row in ["a + ", "a and ", "a implies ", "not a or ", "min (a, b) + ", "x[c].y = 1 + f(2) and "] {
            assert!(depth(&repeat(row, "a", "", 500)).is_ok(), "{row}");
            assert!(
                matches!(depth(&repeat(row, "a", "", 1000)), Err(NestingError::ChainTooLong(_))),
                "{row}"
            );
        }
        assert!(matches!(depth(&repeat("", "a", ".b", 1000)), Err(NestingError::ChainTooLong(_))));
        assert!(matches!(depth(&repeat("", "a", "[1]", 1000)), Err(NestingError::ChainTooLong(_))));
    }

    #[test]
    fn what_stands_side_by_side_does_not_nest() {
        let clauses = [
            "move m() { if a { n := 1; } }\n",
            "def f(x: T) = some y in S: not f(y);\n",
            "expect x with a = 1, b = 2;\n",
            "test \"x\" { position { a := 1; } expect draw; }\n",
        ];
        for clause in clauses {
            assert!(depth(&clause.repeat(5000)).is_ok_and(|d| d < 8), "{clause}");
        }
        let block = format!("move m() {{ {} }}", "if a { n := 1; } else { n := 2; } ".repeat(5000));
        assert!(depth(&block).is_ok_and(|d| d < 8));
        let set = format!("const s = {{ {} }};", "not a + b, ".repeat(5000));
        assert!(depth(&set).is_ok_and(|d| d < 8));
    }
}
