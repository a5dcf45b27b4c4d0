//! The history that positions of a compiled game carry, for `forbid repeat` and `repeat n`.
//!
//! A circuit knows nothing of the past. So a state stores the history next to the words of the circuit: for each rule
//! the number of entries, and the entries. An entry is the value that a rule compares, or the position that it counts,
//! in the words of the definition. The reference interpreter computes entries; this module stores and compares them.

use std::sync::Arc;

use bouton_reference::{Interpreter, State};
use bouton_rules::Rules;

/// The history layout of some rules: one watch for each rule that depends on the past.
pub(super) struct HistoryLayout {
    watches: Vec<HistoryRule>,
}

struct HistoryRule {
    kind: HistoryRuleKind,
    /// The number of words of an entry.
    width: usize,
}

/// The kinds of rules that depend on the past.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HistoryRuleKind {
    /// Forbids moves to a value that occurred within this number of positions; `None` for all.
    Forbid(Option<usize>),
    /// Ends play at the n-th occurrence of a position, with the least n of the rules.
    CountPositions(usize),
    /// Ends play when moves have changed a value to the same for the n-th time.
    CountValues(usize),
}

/// Returns true if the rules depend on the history of a play.
pub fn needs_history(rules: &Rules) -> bool {
    !rules.forbids.is_empty() || rules.repeats.iter().any(|repeat| repeat.count.is_some())
}

/// The entries of each rule.
pub(super) type History = Vec<Vec<Box<[u64]>>>;

impl HistoryLayout {
    /// Returns the history layout of these rules; `None` if they need no history.
    pub fn of(rules: &Arc<Rules>, interpreter: &Interpreter) -> Option<HistoryLayout> {
        if !needs_history(rules) {
            return None;
        }
        use HistoryRuleKind as K;
        let forbids = rules.forbids.iter().map(|forbid| K::Forbid(forbid.within.map(|n| n as usize)));
        let counted = |of_value: bool| {
            let repeats = rules.repeats.iter().filter(move |repeat| repeat.of.is_some() == of_value);
            repeats.filter_map(|repeat| repeat.count).map(|count| count as usize)
        };
        let counts = counted(false).min().map(K::CountPositions).into_iter();
        let counts = counts.chain(counted(true).map(K::CountValues));
        let widths = interpreter.present_entries(&interpreter.initial()).into_iter().map(|entry| entry.len());
        let watches = forbids.chain(counts).zip(widths).map(|(kind, width)| HistoryRule { kind, width });
        Some(HistoryLayout { watches: watches.collect() })
    }

    /// Decodes the history from words.
    pub fn read(&self, mut words: &[u64]) -> History {
        let mut past = Vec::new();
        for watch in &self.watches {
            let Some((&count, rest)) = words.split_first() else { break };
            let (entries, after) = rest.split_at((count as usize * watch.width).min(rest.len()));
            past.push(entries.chunks(watch.width.max(1)).map(Into::into).collect());
            words = after;
        }
        past
    }

    /// Returns true if a rule forbids the move from the position `before` to the position `after`, given the past.
    pub fn forbids(&self, past: &History, before: &[Box<[u64]>], after: &[Box<[u64]>]) -> bool {
        let each = self.watches.iter().zip(past).zip(before.iter().zip(after));
        each.into_iter()
            .filter(|((watch, _), _)| matches!(watch.kind, HistoryRuleKind::Forbid(_)))
            .any(|((_, past), (before, after))| before != after && past.contains(after))
    }

    /// Returns the history of the position after a move, encoded as words.
    pub fn extend(&self, past: &History, before: &[Box<[u64]>], after: &[Box<[u64]>]) -> Vec<u64> {
        let mut words = Vec::new();
        for (((watch, past), before), after) in self.watches.iter().zip(past).zip(before).zip(after) {
            let mut entries: Vec<&Box<[u64]>> = past.iter().collect();
            match watch.kind {
                HistoryRuleKind::Forbid(Some(within)) => {
                    // In the order of play: the present position is the last of those that the rule looks back on.
                    entries.push(before);
                    entries.drain(..entries.len().saturating_sub(within.saturating_sub(1)));
                }
                HistoryRuleKind::Forbid(None) | HistoryRuleKind::CountValues(_) if before == after => {}
                HistoryRuleKind::Forbid(None) => {
                    // Sorted, each entry once, and never the present value.
                    entries.push(before);
                    entries.sort_unstable();
                    entries.dedup();
                    entries.retain(|entry| *entry != after);
                }
                HistoryRuleKind::CountPositions(_) | HistoryRuleKind::CountValues(_) => {
                    entries.push(before);
                    entries.sort_unstable();
                }
            }
            put(&mut words, entries.into_iter());
        }
        words
    }

    /// Returns true if a rule that counts occurrences ends the play in a position.
    pub fn ends_play(&self, past: &History, present: &[Box<[u64]>]) -> bool {
        let each = self.watches.iter().zip(past).zip(present);
        each.into_iter().any(|((watch, past), now)| match watch.kind {
            HistoryRuleKind::Forbid(_) => false,
            HistoryRuleKind::CountPositions(count) | HistoryRuleKind::CountValues(count) => {
                1 + past.iter().filter(|entry| *entry == now).count() >= count
            }
        })
    }

    /// Returns true if the history after a move depends on the position that the move leads to.
    pub fn depends_on_moves(&self) -> bool {
        self.watches.iter().any(|watch| !matches!(watch.kind, HistoryRuleKind::CountPositions(_)))
    }
}

/// Encodes the history of a position of the definition as words.
pub(super) fn encode_history(state: &State) -> Vec<u64> {
    let mut words = Vec::new();
    for entries in &state.history {
        put(&mut words, entries.iter());
    }
    words
}

fn put<'a>(words: &mut Vec<u64>, entries: impl ExactSizeIterator<Item = &'a Box<[u64]>>) {
    words.push(entries.len() as u64);
    entries.for_each(|entry| words.extend_from_slice(entry));
}
