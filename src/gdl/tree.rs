//! The tree of a `.kif` file: lists of atoms with their places.

use std::fmt;

use pest::Parser;
use pest::iterators::Pair;

use bouton_base::cancel;
use bouton_base::source::{FileId, Span};
use bouton_syntax::diag::{Code, Diagnostic};

/// The parser that pest generates from `grammar/gdl.pest`.
#[derive(pest_derive::Parser)]
#[grammar = "../../grammar/gdl.pest"]
struct Grammar;

/// An atom or a list.
#[derive(Clone, Debug)]
pub struct Node {
    pub kind: NodeKind,
    pub span: Span,
}

/// The kinds of nodes.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// A word, a number or a variable, as written.
    Atom(String),
    List(Vec<Node>),
}

impl Node {
    /// The text of an atom.
    pub fn atom(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Atom(text) => Some(text),
            NodeKind::List(_) => None,
        }
    }

    /// Returns true for an atom that is this keyword in any case.
    pub fn is_keyword(&self, word: &str) -> bool {
        self.atom().is_some_and(|text| text.eq_ignore_ascii_case(word))
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            NodeKind::Atom(text) => f.write_str(text),
            NodeKind::List(parts) => {
                let parts: Vec<String> = parts.iter().map(Node::to_string).collect();
                write!(f, "({})", parts.join(" "))
            }
        }
    }
}

/// The maximal depth of nested lists; the parser calls itself for each level.
const MAX_NESTING: usize = 128;

/// The maximal length of a file in bytes.
const MAX_BYTES: usize = 4 << 20;

/// Reads a file into the nodes at its top level. If parentheses do not match, the error has the place of one of them.
pub fn parse(file: FileId, text: &str) -> Result<Vec<Node>, Box<Diagnostic>> {
    check_parentheses(file, text)?;
    let unreadable = |at: usize| {
        let span = Span::new(file, at, at);
        Box::new(
            Diagnostic::new(Code::E0701, "this part of the file cannot be read", span, "")
                .help("a file in KIF consists of lists in parentheses, words, and comments after `;`"),
        )
    };
    let mut pairs = Grammar::parse(Rule::file, text).map_err(|error| {
        let at = match error.location {
            pest::error::InputLocation::Pos(at) | pest::error::InputLocation::Span((at, _)) => at,
        };
        unreadable(at.min(text.len()))
    })?;
    let top = pairs.next().ok_or_else(|| unreadable(0))?;
    Ok(nodes(file, top))
}

fn nodes(file: FileId, pair: Pair<'_, Rule>) -> Vec<Node> {
    let inner = pair.into_inner().filter(|pair| pair.as_rule() != Rule::EOI);
    inner.map(|pair| node(file, pair)).collect()
}

fn node(file: FileId, pair: Pair<'_, Rule>) -> Node {
    cancel::step();
    let range = pair.as_span();
    let span = Span::new(file, range.start(), range.end());
    let kind = match pair.as_rule() {
        Rule::list => NodeKind::List(nodes(file, pair)),
        _ => NodeKind::Atom(pair.as_str().to_owned()),
    };
    Node { kind, span }
}

/// Tests that parentheses match and are not nested too deeply, and that the file is not too long.
fn check_parentheses(file: FileId, text: &str) -> Result<(), Box<Diagnostic>> {
    let error = |title: &str, at: usize, label: &str, help: &str| {
        let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
        Err(Box::new(Diagnostic::new(Code::E0701, title, Span::new(file, at, end), label).help(help)))
    };
    if text.len() > MAX_BYTES {
        let title = format!("this file has more than {} MiB", MAX_BYTES >> 20);
        return error(&title, 0, "", "split the game, or write its rules with variables");
    }
    let mut open: Vec<usize> = Vec::new();
    let mut comment = false;
    for (at, c) in text.char_indices() {
        match c {
            '\n' | '\r' => comment = false,
            _ if comment => {}
            ';' => comment = true,
            '(' if open.len() == MAX_NESTING => {
                let title = format!("lists are nested more than {MAX_NESTING} deep");
                return error(
                    &title,
                    at,
                    "this list is too deep",
                    "name parts of the term by facts of their own",
                );
            }
            '(' => open.push(at),
            ')' if open.pop().is_none() => {
                return error(
                    "a closing parenthesis without its opening one",
                    at,
                    "no list is open here",
                    "remove it, or add the `(` that is missing before it",
                );
            }
            _ => {}
        }
    }
    let Some(&at) = open.first() else { return Ok(()) };
    // The list that is still open at the end is the first one whose line begins a new sentence inside of it.
    let begins_line = |at: usize| text[..at].chars().next_back().is_none_or(|c| c == '\n' || c == '\r');
    let at = open.windows(2).find(|pair| begins_line(pair[1])).map_or(at, |pair| pair[0]);
    error("a list that is not closed", at, "this parenthesis has no partner", "add the `)` that is missing")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Node>, Box<Diagnostic>> {
        parse(FileId(0), text)
    }

    #[test]
    fn atoms_and_lists_have_places() {
        let nodes = read("(role x) ; (a\ropen1 (<= (p ?x-1 01) (q ?x-1))").expect("a sound text");
        assert_eq!(nodes.len(), 3);
        assert_eq!(nodes[1].atom(), Some("open1"));
        assert_eq!(nodes[1].span.range(), 14..19);
        let NodeKind::List(rule) = &nodes[2].kind else { panic!("a rule") };
        assert!(rule[0].is_keyword("<="));
        let NodeKind::List(head) = &rule[1].kind else { panic!("a head") };
        assert_eq!(head[2].atom(), Some("01"));
    }

    #[test]
    fn parentheses_without_partner_have_a_place() {
        let place = |text: &str| read(text).expect_err("a damaged text").span().range();
        assert_eq!(place("(a))"), 3..4);
        assert_eq!(place("(a (b)"), 0..1);
        assert_eq!(place("(a)\n(b (c\n(d)"), 4..5);
        assert_eq!(place(&"(".repeat(1000)), 128..129);
        assert!(read("; (\n").is_ok_and(|nodes| nodes.is_empty()));
    }
}
