//! The declarations of a file, told from its words alone: a name may be declared behind the mistake.

use super::edits::FixFinder;
use crate::keywords;
use crate::lex::lex;

/// The maximal number of bytes at the start of a file in which declarations are looked for.
const MAX_OUTLINE_BYTES: usize = 1 << 16;

/// The words of a file without comments.
pub(super) struct Outline<'a> {
    words: Vec<&'a str>,
}

impl FixFinder<'_> {
    /// The declarations of the file.
    pub(super) fn outline(&self) -> Outline<'_> {
        let whole = self.layout.whole;
        let end = (0..=whole.len().min(MAX_OUTLINE_BYTES)).rev().find(|&end| whole.is_char_boundary(end));
        let text = &whole[..end.unwrap_or_default()];
        Outline { words: lex(text).iter().filter(|t| !t.is_comment()).map(|t| t.text(text)).collect() }
    }
}

impl<'a> Outline<'a> {
    fn text(&self, at: usize) -> &'a str {
        self.words.get(at).copied().unwrap_or_default()
    }

    /// The index after the first word that is this keyword with a name behind it.
    fn after(&self, keyword: &str) -> Option<usize> {
        let is_item =
            |&at: &usize| self.text(at) == keyword && keywords::starts_with_letter(self.text(at + 1));
        (0..self.words.len()).find(is_item).map(|at| at + 1)
    }

    /// The names of the players.
    pub fn players(&self) -> Vec<&'a str> {
        let Some(first) = self.after("players").or_else(|| self.after("player")) else { return Vec::new() };
        let names = self.words[first..].iter().take_while(|word| !matches!(**word, ";" | "{" | "}"));
        names.copied().filter(|word| *word != ",").collect()
    }

    /// The name of the first board.
    pub fn board(&self) -> Option<&'a str> {
        self.after("board").map(|at| self.text(at))
    }

    /// Returns true if the file declares a phase of this name.
    pub fn has_phase(&self, name: &str) -> bool {
        let Some(start) = self.words.iter().position(|word| *word == "phases") else { return false };
        let phases = &self.words[start..];
        let phases = &phases[..phases.iter().position(|word| *word == "}").unwrap_or(phases.len())];
        phases.windows(2).any(|pair| pair[1] == name && matches!(pair[0], "{" | ";" | "," | "setup"))
    }

    /// The number of parameters of the definition of this name.
    pub fn parameters_of(&self, name: &str) -> Option<usize> {
        let is_head = |&at: &usize| {
            matches!(self.text(at), "def" | "inductive")
                && self.text(at + 1) == name
                && self.text(at + 2) == "("
        };
        let open = (0..self.words.len()).find(is_head)? + 2;
        let (mut depth, mut commas) = (0, 0);
        for word in &self.words[open..] {
            match *word {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" if depth == 1 => break,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 1 => commas += 1,
                _ => {}
            }
        }
        Some(if self.text(open + 1) == ")" { 0 } else { commas + 1 })
    }

    /// The name of the first field whose only key has this type.
    pub fn field_over(&self, ty: &str) -> Option<&'a str> {
        let is_key = |&at: &usize| {
            self.text(at + 1) == "["
                && self.text(at + 3) == ":"
                && self.text(at + 4) == ty
                && self.text(at + 5) == "]"
                && self.text(at + 6) == ":"
        };
        (0..self.words.len()).find(is_key).map(|at| self.text(at))
    }

    /// Returns true if a clause of a move calls this name.
    pub fn is_called_as_effect(&self, name: &str) -> bool {
        let begins = |at: usize| matches!(self.text(at), "{" | "}" | ";");
        (1..self.words.len()).any(|at| {
            self.text(at) == name && self.text(at + 1) == "(" && begins(at - 1) && self.closes_clause(at + 1)
        })
    }

    /// Returns true if a `;` follows the partner of the bracket at this word.
    fn closes_clause(&self, open: usize) -> bool {
        let mut depth = 0;
        for at in open..self.words.len() {
            match self.text(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" if depth == 1 => return self.text(at + 1) == ";",
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
        }
        false
    }

    /// Returns true if the file declares a field, table or definition of this name with one key or parameter.
    pub fn has_table(&self, name: &str) -> bool {
        self.parameters_of(name) == Some(1)
            || (0..self.words.len())
                .any(|at| self.text(at) == name && self.text(at + 1) == "[" && self.text(at + 3) == ":")
    }
}
