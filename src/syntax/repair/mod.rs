//! Error recovery by trial: one mistake, one message.
//!
//! The grammar stops at the first error and has no recovery. The repair takes the furthest position that the parser
//! reached as the position of the mistake, tries likely edits around it, and reports and keeps the first after which
//! the clause parses, so that the rest of the item is parsed as well. If no edit helps, it removes the damage: an
//! expression becomes [`ExprKind::Error`](super::ast::ExprKind::Error), or the clause is dropped, or the item.

mod absent_values;
mod actors;
mod applied_functions;
mod arm_quotes;
mod arms;
mod array_declarations;
mod assignments;
mod balance;
mod bare_conditions;
mod bare_keys;
mod bindings;
mod board_units;
mod brace_forms;
mod brackets;
mod called_graphs;
mod called_words;
mod capitals;
mod choices;
mod claims;
mod clause_forms;
mod clause_words;
mod commands;
mod comment_marks;
mod declarations;
mod declared_names;
mod dialects;
mod dictionary_fields;
mod divided_effects;
mod documentation;
mod edits;
mod effect_calls;
mod end_rules;
mod entries;
mod event_weights;
mod everyday_words;
mod exact_numbers;
mod exceptions;
mod fallback;
mod familiar_words;
mod foreign;
mod foreign_heads;
mod foreign_loops;
mod foreign_ranges;
mod foreign_tables;
mod foreign_terms;
mod foreign_types;
mod forms;
mod functions;
mod gathered;
mod graph_lines;
mod graph_neighbours;
mod guards;
mod guards_by_if;
mod habits;
mod head_slips;
mod head_words;
mod heads;
mod hidden_events;
mod hints;
mod idioms;
mod implications;
mod increments;
mod intervals;
mod item_forms;
mod item_words;
mod iterators;
mod layout;
mod lexical;
mod lone_phases;
mod loops_by_type;
mod lost_ands;
mod lost_signs;
mod lost_words;
mod math_signs;
mod measures;
mod memberships;
mod misplaced;
mod missing_commas;
mod missing_else;
mod move_heads;
mod move_names;
mod named_phases;
mod names;
mod negations;
mod notations;
mod open_blocks;
mod openings;
mod orders;
mod other_languages;
mod outcomes;
mod outline;
mod owned_moves;
mod payoffs;
mod phrases;
mod pictures;
mod presence;
mod program_terms;
mod programs;
mod quantifiers;
mod quoted_names;
mod relations;
mod repetitions;
mod rest_of_signs;
mod rest_words;
mod sentences;
mod set_conditions;
mod set_difference;
mod set_terms;
mod set_words;
mod settings;
mod sign_runs;
mod signs;
mod small_words;
mod spoken_conditions;
mod spoken_effects;
mod spoken_relations;
mod spoken_terms;
mod starred_keys;
mod steps;
mod stubs;
mod swapped_parts;
mod tables;
mod term_forms;
#[cfg(test)]
mod testing;
mod totals;
mod trailing_keys;
mod trial;
mod turns;
mod type_endings;
mod type_forms;
mod type_words;
mod typed_values;
mod types_first;
mod unicode;
mod values;
mod verbs;
mod verdict_words;
mod visibility;
mod winners;
mod word_signs;

use std::cell::Cell;

use crate::ast::Item;
use crate::build::Builder;
use crate::diag::{Code, Diagnostic, nearest};
use crate::grammar::{Grammar, Rule};
use crate::lex::{Token, lex};
use crate::offsets::OffsetMap;
use bouton_base::source::{FileId, Span};
use edits::Fix;
use layout::Layout;
use pest::Parser;
use trial::{FailureDetails, ParseFailure, trial_parse};

pub(super) use fallback::unreadable;
pub use foreign::foreign_value;
pub(super) use layout::Layout as TextLayout;
pub(super) use lexical::{LexicalRepair, repair_tokens};
pub(super) use missing_commas::MISSING_COMMA;
pub(super) use trial::{FailureDetails as StopDetails, trial_parse as try_rule};

/// The maximal number of bytes that trials of one file may parse; past it, damage is reported without trials.
pub(super) const MAX_TRIAL_BYTES: usize = 1 << 20;

/// The shared state of the repairs of one file.
pub(super) struct RepairSession {
    pub file: FileId,
    pub items: Vec<Item>,
    pub diagnostics: Vec<Diagnostic>,
    /// The number of bytes that trials may still parse.
    budget: Cell<usize>,
    /// The reported reserved words that were used as names.
    renamed: Vec<String>,
}

impl RepairSession {
    pub fn new(file: FileId, diagnostics: Vec<Diagnostic>) -> Self {
        RepairSession {
            file,
            items: Vec::new(),
            diagnostics,
            budget: Cell::new(MAX_TRIAL_BYTES),
            renamed: Vec::new(),
        }
    }

    /// Parses a stretch of a file that begins with a damaged item, and the items behind it.
    pub fn items(&mut self, whole: &str, stretch: std::ops::Range<usize>, offsets: OffsetMap) {
        let _details = FailureDetails::enable();
        let is_followed = lex(&whole[stretch.end..]).iter().any(|token| !token.is_comment());
        let text = &whole[stretch];
        let tokens = lex(text);
        let mut damaged = ItemRepair {
            shared: self,
            whole,
            text: text.to_owned(),
            tokens,
            offsets,
            last_mistake: None,
            damaged_item: None,
            is_followed,
            hidden_docs: Vec::new(),
        };
        damaged.read();
    }
}

/// A stretch of text under repair.
struct ItemRepair<'a> {
    shared: &'a mut RepairSession,
    /// The text of the file.
    whole: &'a str,
    text: String,
    tokens: Vec<Token>,
    offsets: OffsetMap,
    /// The position of the last mistake, to suppress further messages there.
    last_mistake: Option<usize>,
    /// The start of the last item from which damage was removed.
    damaged_item: Option<usize>,
    /// True if the file goes on after the stretch.
    is_followed: bool,
    /// The documentation that readings do not see, in its order.
    hidden_docs: Vec<documentation::HiddenDoc>,
}

/// The progress of the parser after an edit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ReadProgress {
    None,
    /// The parser reads at least two more words.
    Words,
    /// The parser reads the rest of the clause, or everything.
    Clause,
}

impl ItemRepair<'_> {
    fn read(&mut self) {
        let mut at = 0;
        while let Some(word) = self.tokens.iter().find(|t| t.start >= at && !t.is_comment()).copied() {
            at = match Grammar::parse(Rule::item, &self.text[word.start..]) {
                Ok(mut pairs) => {
                    let Some(node) = pairs.next() else { return };
                    let end = word.start + node.as_span().end();
                    let (item, mut found) = self.documented_item(end).unwrap_or_else(|| {
                        let offsets = &self.offsets;
                        let mut builder = Builder::new(self.shared.file, &self.tokens, word.start, offsets);
                        (builder.item(node), builder.diagnostics)
                    });
                    self.shared.items.push(item);
                    self.hidden_docs.retain(|doc| doc.start >= end);
                    self.shared.diagnostics.append(&mut found);
                    end
                }
                Err(_) => self.repair_first(word.start),
            };
        }
    }

    /// The item that ends at this offset with its hidden documentation, and the diagnostics of its strings.
    fn documented_item(&self, end: usize) -> Option<(Item, Vec<Diagnostic>)> {
        let (text, start) = self.with_docs().filter(|(_, start)| *start < end)?;
        let node = Grammar::parse(Rule::item, &text[start..]).ok()?.next()?;
        if start + node.as_span().end() != end {
            return None;
        }
        let tokens = lex(&text);
        let mut builder = Builder::new(self.shared.file, &tokens, start, &self.offsets);
        Some((builder.item(node), builder.diagnostics))
    }

    /// Repairs the first mistake of the item at `start`; returns the offset at which parsing continues.
    fn repair_first(&mut self, start: usize) -> usize {
        let Err(stop) = trial_parse(Rule::item, &self.text[start..]) else { return start };
        let stop = ParseFailure { at: start + stop.at, ..stop };
        if self.hide_docs(start, stop.at) {
            return start;
        }
        let repair = {
            let layout = self.layout();
            let first = layout.word_at(start);
            let at = layout.word_at(stop.at);
            let bounds = MistakeContext::new(&layout, first, at);
            self.choose(&layout, &bounds, &stop)
        };
        match repair {
            Some(fix) => {
                self.report(&fix);
                self.apply(&fix);
                if !fix.is_correction {
                    self.damaged_item = Some(start);
                }
                start
            }
            None => self.give_up(start, &stop),
        }
    }

    fn layout(&self) -> Layout<'_> {
        Layout::new(&self.text, &self.tokens).within(self.whole, self.is_followed)
    }

    /// The first edit that helps.
    fn choose(&self, layout: &Layout, bounds: &MistakeContext, stop: &ParseFailure) -> Option<Fix> {
        self.first_gain(layout, bounds, edits::likely_fixes(layout, bounds, stop))
            .or_else(|| self.first_gain(layout, bounds, fallback::misplaced(layout, bounds)))
            .or_else(|| self.first_gain(layout, bounds, edits::possible_fixes(layout, bounds, stop)))
            .or_else(|| self.first_gain(layout, bounds, fallback::removals(layout, bounds, stop)))
    }

    fn first_gain(&self, layout: &Layout, bounds: &MistakeContext, fixes: Vec<Fix>) -> Option<Fix> {
        fixes.into_iter().find(|fix| match self.gain(layout, bounds, fix) {
            ReadProgress::Clause => true,
            ReadProgress::Words => fix.accepts_partial || self.shared.renamed.contains(&fix.new),
            ReadProgress::None => false,
        })
    }

    /// The progress of the parser after an edit.
    fn gain(&self, layout: &Layout, bounds: &MistakeContext, fix: &Fix) -> ReadProgress {
        let start = layout.words[bounds.first].start;
        let text = layout.source;
        let size = text.len() - start;
        let budget = &self.shared.budget;
        // An edit of the item before would not mend this one.
        if size > budget.get() || fix.start < start {
            return ReadProgress::None;
        }
        budget.set(budget.get() - size);
        let (middle, closing) = fix.closing.unwrap_or((size + start, ""));
        let (rest, tail) = text[fix.end..].split_at(middle - fix.end);
        let new = format!("{}{}{rest}{closing}{tail}", &text[start..fix.start], fix.new);
        if lex(&new).iter().all(Token::is_comment) {
            return ReadProgress::Clause;
        }
        let shift = |at: usize| {
            let closed = if at > middle { closing.len() } else { 0 };
            at - start + fix.new.len() - (fix.end - fix.start) + closed
        };
        let at = layout.words.get(bounds.at).map_or(text.len(), |word| word.start);
        match trial_parse(Rule::item, &new) {
            Ok(end) if next_item_follows(&new, end) => ReadProgress::Clause,
            Ok(_) => ReadProgress::None,
            Err(stop)
                if stop.at >= shift(bounds.head_end(layout).max(fix.end))
                    && stop.at > shift(at.max(fix.end)) =>
            {
                ReadProgress::Clause
            }
            Err(stop) => {
                let reached = layout
                    .words
                    .iter()
                    .filter(|w| w.start >= at.max(fix.end) && shift(w.end) <= stop.at)
                    .count();
                // A reserved word that was renamed where it is declared may be used twice in a row.
                let enough = match fix.closing {
                    // The first clause of a block may be damaged as well.
                    Some(_) if stop.at >= shift(fix.end) => 0,
                    _ if self.shared.renamed.contains(&fix.new) => 1,
                    _ => 2,
                };
                if reached >= enough { ReadProgress::Words } else { ReadProgress::None }
            }
        }
    }

    /// Reports a mistake and its fix.
    fn report(&mut self, fix: &Fix) {
        let percents = self.percents_of(fix);
        let place = |start: usize, end: usize| {
            let from = self.offsets.start(start);
            Span::new(self.shared.file, from, self.offsets.end(end).max(from))
        };
        let edit = if fix.start == fix.end {
            place(fix.start, fix.start).at_end()
        } else {
            place(fix.start, fix.end)
        };
        let span = place(fix.label.0, fix.label.1);
        // The new choice has the signs of this language already.
        if fix.title == habits::CHOICE && fix.is_correction {
            self.shared.diagnostics.retain(|found| {
                !(edit.start <= found.span().start
                    && found.span().end <= edit.end
                    && is_translated_sign(found))
            });
        }
        if fix.code == Code::E0007 {
            let word = fix.new.clone();
            if self.shared.renamed.contains(&word) {
                let earlier =
                    self.shared.diagnostics.iter_mut().find(|d| {
                        d.code == Code::E0007 && d.edits.first().is_some_and(|edit| edit.text == word)
                    });
                if let Some(earlier) = earlier {
                    earlier.edits.push(crate::diag::Edit { span: edit, text: word });
                    return;
                }
            }
            self.shared.renamed.push(word);
        }
        let mut found = Diagnostic::new(fix.code, fix.title.clone(), span, fix.note.clone());
        found.help.clone_from(&fix.help);
        if fix.is_correction && !self.covers_docs(fix) {
            found = found.edit(edit, fix.new.clone());
            if let Some((at, text)) = fix.closing {
                found = found.edit(place(at, at).at_end(), text);
            }
            for percent in percents {
                found = found.edit(percent, "");
            }
        }
        self.push(found);
    }

    /// Takes back the messages about `50%` in the weight that a fix is about; returns their places.
    fn percents_of(&mut self, fix: &Fix) -> Vec<Span> {
        if fix.title != event_weights::TITLE {
            return Vec::new();
        }
        let end = self.text[fix.end..].find(';').map_or(fix.end, |end| fix.end + end);
        let (start, end) = (self.offsets.start(fix.start), self.offsets.end(end));
        let is_percent = |found: &Diagnostic| {
            found.title == lexical::PERCENT && (start..end + 1).contains(&(found.span().start as usize))
        };
        let found = &mut self.shared.diagnostics;
        let places = found.iter().filter(|found| is_percent(found)).map(Diagnostic::span).collect();
        found.retain(|found| !is_percent(found));
        places
    }

    /// Adds a diagnostic, unless the last one has the same position.
    fn push(&mut self, found: Diagnostic) {
        let is_new = self.last_mistake.is_none_or(|last| found.span().start as usize != last);
        self.last_mistake = Some(found.span().start as usize);
        if is_new {
            self.shared.diagnostics.push(found);
        }
    }

    fn apply(&mut self, fix: &Fix) {
        if let Some((at, text)) = fix.closing {
            self.offsets = self.offsets.replaced(at..at, text.len());
            self.shift_docs(at, at, text.len());
            self.text.insert_str(at, text);
        }
        self.offsets = self.offsets.replaced(fix.start..fix.end, fix.new.len());
        self.shift_docs(fix.start, fix.end, fix.new.len());
        self.text.replace_range(fix.start..fix.end, &fix.new);
        self.tokens = lex(&self.text);
    }

    /// Drops the item and reports its damage; returns the offset at which parsing continues.
    fn give_up(&mut self, start: usize, stop: &ParseFailure) -> usize {
        let layout = self.layout();
        let first = layout.word_at(start);
        let end = layout.item_end(first);
        let bounds = MistakeContext::new(&layout, first, layout.word_at(stop.at));
        let found = fallback::irreparable(self.shared.file, &layout, &bounds, stop, &self.offsets);
        let after = layout.words.get(end).map_or(self.text.len(), |word| word.start);
        // An item that ends too early after a mistake within it is damaged by that mistake alone.
        let follows = bounds.at >= layout.words.len() && self.damaged_item == Some(start);
        if !follows {
            self.push(found);
        }
        let after = after.max(start + 1);
        self.hidden_docs.retain(|doc| doc.start >= after);
        after
    }
}

/// The position of a mistake and of the enclosing clause, as indices of words.
pub(super) struct MistakeContext {
    /// The first word of the item.
    pub first: usize,
    /// The unreadable word.
    pub at: usize,
    /// The first word of its clause.
    pub clause: usize,
    /// One past the last word of its clause.
    pub end: usize,
    /// The kind of braces around the clause.
    pub place: layout::ClauseContext,
}

impl MistakeContext {
    pub fn new(layout: &Layout, first: usize, at: usize) -> Self {
        let clause = layout.clause_start(first, at);
        MistakeContext {
            first,
            at,
            clause,
            end: layout.clause_end(clause, at),
            place: layout.place(first, at),
        }
    }

    /// The byte after the brace that begins the block of the clause, or after the clause: a block may have mistakes of
    /// its own.
    fn head_end(&self, layout: &Layout) -> usize {
        let mut at = if self.place == layout::ClauseContext::Top { self.at } else { self.end };
        while at < self.end {
            if layout.is_block(at) {
                return layout.words[at].end;
            }
            at = layout.partner(at).filter(|&partner| partner > at).unwrap_or(at) + 1;
        }
        self.clause_end(layout)
    }

    /// The byte after the last byte of the clause.
    fn clause_end(&self, layout: &Layout) -> usize {
        self.end.checked_sub(1).and_then(|last| layout.words.get(last)).map_or(0, |word| word.end)
    }
}

/// Returns true for a message about an operator of another language that has a fix.
fn is_translated_sign(found: &Diagnostic) -> bool {
    let is_sign = ["`&&` is", "`||` is", "`===` is"].iter().any(|start| found.title.starts_with(start));
    is_sign && !found.edits.is_empty()
}

/// Returns true if the text after an item that ends at `end` can begin the next item.
fn next_item_follows(text: &str, end: usize) -> bool {
    let rest = &text[end..];
    let Some(word) = lex(rest).into_iter().find(|t| !t.is_comment()) else { return true };
    let letters = word.text(rest);
    crate::keywords::ITEM_KEYWORDS.iter().any(|item| item.eq_ignore_ascii_case(letters))
        || letters.starts_with("///")
        || letters.starts_with("//!")
        || rest[..word.start].contains('\n') && crate::keywords::starts_with_letter(letters)
}

/// The keywords of which a word may be a misspelling: first the expected ones, then any.
pub(super) fn keywords_near<'s>(word: &str, expected: impl Iterator<Item = &'s str>) -> Vec<String> {
    use crate::keywords;
    let expected: Vec<&str> =
        expected.filter(|sign| keywords::starts_with_letter(sign) && *sign != "a name").collect();
    let mut found: Vec<String> = Vec::new();
    for list in [
        &expected[..],
        &keywords::ITEM_KEYWORDS[..],
        &keywords::STATEMENT_KEYWORDS[..],
        &keywords::OTHER_KEYWORDS[..],
    ] {
        for _ in 0..3 {
            let fresh =
                list.iter().copied().filter(|near| *near != word && !found.iter().any(|old| old == near));
            match nearest(word, fresh) {
                Some(near) => found.push(near.to_owned()),
                None => break,
            }
        }
    }
    found
}
