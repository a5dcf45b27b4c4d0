//! Builds the syntax tree from pest's pairs: corrects spans, turns operator chains into trees, splits templates.
//!
//! *Invariant:* the pairs have the shape that the grammar prescribes; a builder that disagrees with the grammar is a
//! bug of Bouton.

mod clauses;
mod exprs;
mod items;
mod strings;

use pest::iterators::{Pair, Pairs};

use super::ast::{Expr, Name, Number, Type};
use super::grammar::Rule;
use super::lex::{Token, end_before};
use super::offsets::OffsetMap;
use crate::diag::Diagnostic;
use bouton_base::cancel;
use bouton_base::source::{FileId, Span};

/// A pair of the grammar.
pub(super) type RulePair<'i> = Pair<'i, Rule>;

/// Builds trees from the pairs of one stretch of text.
pub(super) struct Builder<'a> {
    /// The file of the spans.
    pub file: FileId,
    /// The tokens of the parsed text: the user's text, or a repaired one.
    pub tokens: &'a [Token],
    /// The offset of the first byte of the pairs in the parsed text.
    pub base: usize,
    /// Maps offsets in the parsed text to offsets in the user's text.
    pub offsets: &'a OffsetMap,
    /// The mistakes inside strings, which the grammar does not parse.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Builder<'a> {
    /// Makes a builder for the pairs of `text[base..]`.
    pub fn new(file: FileId, tokens: &'a [Token], base: usize, offsets: &'a OffsetMap) -> Self {
        Builder { file, tokens, base, offsets, diagnostics: Vec::new() }
    }

    /// The span of a pair, without trailing blanks: pest includes them if the last part of a rule is optional.
    fn span(&self, node: &RulePair) -> Span {
        let span = node.as_span();
        let (start, limit) = (self.base + span.start(), self.base + span.end());
        self.place(start, end_before(self.tokens, start, limit))
    }

    /// Converts a range of the parsed text to a span of the user's text.
    fn place(&self, start: usize, end: usize) -> Span {
        let start = self.offsets.start(start);
        Span::new(self.file, start, self.offsets.end(end).max(start))
    }

    /// Builds the expression of a `one_expr`.
    pub fn one_expr(&mut self, node: RulePair) -> Expr {
        let node = Parts::of(node).need();
        self.expr(node)
    }

    /// Builds the type of a `one_type`.
    pub fn one_type(&mut self, node: RulePair) -> Type {
        let node = Parts::of(node).need();
        self.ty(node)
    }

    fn name(&self, node: RulePair) -> Name {
        Name { span: self.span(&node), text: node.as_str().to_owned() }
    }

    /// Builds a name from the words of a `path`, joined by `sign`.
    fn path(&self, node: RulePair, sign: &str) -> Name {
        let span = self.span(&node);
        let words: Vec<_> = node.into_inner().map(|word| word.as_str().to_owned()).collect();
        Name { text: words.join(sign), span }
    }

    fn number(&self, node: RulePair) -> Number {
        Number { span: self.span(&node), text: node.as_str().to_owned() }
    }
}

/// The parts of a pair without keywords.
pub(super) struct Parts<'i> {
    pairs: Pairs<'i, Rule>,
}

impl<'i> Parts<'i> {
    pub fn of(node: RulePair<'i>) -> Self {
        Parts { pairs: node.into_inner() }
    }

    /// Removes and returns the next part.
    pub fn next(&mut self) -> Option<RulePair<'i>> {
        cancel::step();
        self.pairs.by_ref().find(|pair| !is_keyword(pair.as_rule()))
    }

    /// The rule of the next part.
    pub fn peek(&self) -> Option<Rule> {
        self.pairs.clone().map(|pair| pair.as_rule()).find(|&rule| !is_keyword(rule))
    }

    /// Removes and returns the next part if it matches the rule.
    pub fn take(&mut self, rule: Rule) -> Option<RulePair<'i>> {
        if self.peek() == Some(rule) { self.next() } else { None }
    }

    /// Removes and returns the next parts as long as they match the rule.
    pub fn take_all(&mut self, rule: Rule) -> Vec<RulePair<'i>> {
        std::iter::from_fn(|| self.take(rule)).collect()
    }

    /// Removes and returns the next part, which the grammar guarantees.
    pub fn need(&mut self) -> RulePair<'i> {
        self.next().unwrap_or_else(|| unreachable!("the grammar demands one more part here"))
    }
}

/// Returns true for keyword rules: the grammar lists them last.
fn is_keyword(rule: Rule) -> bool {
    rule >= Rule::GAME || rule == Rule::EOI
}

/// The contents of `///` and `//!` lines.
fn doc_lines(nodes: Vec<RulePair>) -> Vec<String> {
    nodes.iter().map(|node| doc_line(node.as_str())).collect()
}

/// The content of one such line.
pub(super) fn doc_line(line: &str) -> String {
    let words = &line[3..];
    words.strip_prefix(' ').unwrap_or(words).trim_end().to_owned()
}
