//! From pest's pairs to the tree: spans made true, rows of operators made trees, templates taken apart.
//!
//! *Invariant:* the shape of the pairs is what the grammar says; a builder that disagrees with it is our bug.

mod clauses;
mod exprs;
mod items;
mod strings;

use pest::iterators::{Pair, Pairs};

use super::ast::{Expr, Name, Number, Type};
use super::grammar::Rule;
use super::lex::{Token, end_before};
use super::offsets::Offsets;
use crate::base::cancel;
use crate::diag::Diagnostic;
use crate::source::{FileId, Span};

/// A pair of the grammar.
pub(super) type Node<'i> = Pair<'i, Rule>;

/// Builds trees from the pairs of one stretch of text.
pub(super) struct Builder<'a> {
    /// The text the spans speak of.
    pub file: FileId,
    /// The words of the text that was parsed: the user's, or one with repairs in it.
    pub tokens: &'a [Token],
    /// Where the pairs' first byte lies in that text.
    pub base: usize,
    /// From places in it to places in the user's text.
    pub offsets: &'a Offsets,
    /// What is wrong inside strings, which the grammar does not look into.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Builder<'a> {
    /// A builder for the pairs of `text[base..]`.
    pub fn new(file: FileId, tokens: &'a [Token], base: usize, offsets: &'a Offsets) -> Self {
        Builder { file, tokens, base, offsets, diagnostics: Vec::new() }
    }

    /// The place of a pair. Pest lets blanks into the end of a rule whose last part is optional; they are cut off.
    fn span(&self, node: &Node) -> Span {
        let span = node.as_span();
        let (start, limit) = (self.base + span.start(), self.base + span.end());
        self.place(start, end_before(self.tokens, start, limit))
    }

    /// A range of the parsed text as a range of the user's.
    fn place(&self, start: usize, end: usize) -> Span {
        let start = self.offsets.start(start);
        Span::new(self.file, start, self.offsets.end(end).max(start))
    }

    /// The expression of a `one_expr`.
    pub fn one_expr(&mut self, node: Node) -> Expr {
        let node = Parts::of(node).need();
        self.expr(node)
    }

    /// The type of a `one_type`.
    pub fn one_type(&mut self, node: Node) -> Type {
        let node = Parts::of(node).need();
        self.ty(node)
    }

    fn name(&self, node: Node) -> Name {
        Name { span: self.span(&node), text: node.as_str().to_owned() }
    }

    /// The words of a `path`, joined by a sign.
    fn path(&self, node: Node, sign: &str) -> Name {
        let span = self.span(&node);
        let words: Vec<_> = node.into_inner().map(|word| word.as_str().to_owned()).collect();
        Name { text: words.join(sign), span }
    }

    fn number(&self, node: Node) -> Number {
        Number { span: self.span(&node), text: node.as_str().to_owned() }
    }
}

/// The parts of a pair, keywords left out.
pub(super) struct Parts<'i> {
    pairs: Pairs<'i, Rule>,
}

impl<'i> Parts<'i> {
    /// The parts of `node`.
    pub fn of(node: Node<'i>) -> Self {
        Parts { pairs: node.into_inner() }
    }

    /// The next part.
    pub fn next(&mut self) -> Option<Node<'i>> {
        cancel::step();
        self.pairs.by_ref().find(|pair| !is_keyword(pair.as_rule()))
    }

    /// The rule of the next part.
    pub fn peek(&self) -> Option<Rule> {
        self.pairs.clone().map(|pair| pair.as_rule()).find(|&rule| !is_keyword(rule))
    }

    /// The next part if it is of that rule.
    pub fn take(&mut self, rule: Rule) -> Option<Node<'i>> {
        if self.peek() == Some(rule) { self.next() } else { None }
    }

    /// All next parts of that rule.
    pub fn take_all(&mut self, rule: Rule) -> Vec<Node<'i>> {
        std::iter::from_fn(|| self.take(rule)).collect()
    }

    /// The next part, which the grammar demands.
    pub fn need(&mut self) -> Node<'i> {
        self.next().unwrap_or_else(|| unreachable!("the grammar demands one more part here"))
    }
}

/// The grammar lists the rules that are only words last.
fn is_keyword(rule: Rule) -> bool {
    rule >= Rule::GAME || rule == Rule::EOI
}

/// The words of `///` and `//!` lines.
fn doc_lines(nodes: Vec<Node>) -> Vec<String> {
    nodes.iter().map(|node| doc_line(node.as_str())).collect()
}

/// The words of one such line.
pub(super) fn doc_line(line: &str) -> String {
    let words = &line[3..];
    words.strip_prefix(' ').unwrap_or(words).trim_end().to_owned()
}
