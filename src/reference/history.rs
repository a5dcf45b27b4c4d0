//! The history of a play that `forbid repeat` and `repeat n` read (LANGUAGE.md section 7).
//!
//! A state remembers only the history that such a rule reads: for `forbid repeat of e` the earlier values of e, for
//! `repeat n` the earlier positions. The history never includes the present occurrence, so two plays that lead to the
//! same position with the same earlier values lead to equal states.

use super::Interpreter;
use super::eval::StuckMeaning;
use super::node::Body;
use super::pack::{BitWriter, ValueCode};
use super::prepare;
use super::state::State;
use bouton_rules::Rules;

/// An earlier value or position, as words of a width fixed by the rule.
pub type HistoryEntry = Box<[u64]>;

/// A quantity whose history the rules read.
#[derive(Debug)]
pub struct RepetitionWatch {
    /// The index in `rules.forbids`; `None` for the counted repeats, which share one watch.
    forbid: Option<usize>,
    /// The value and its encoding; `None` for whole positions.
    of: Option<(Body, ValueCode)>,
    /// The number of words in an entry.
    pub width: usize,
}

impl RepetitionWatch {
    /// The watches of these rules. `words` is the width of a position.
    pub fn all(rules: &Rules, words: usize) -> Vec<RepetitionWatch> {
        let forbids = rules.forbids.iter().enumerate().map(|(i, forbid)| {
            let slots = forbid.vars.len();
            let of = forbid.of.as_ref();
            let of = of.map(|of| (prepare::body(rules, slots, of), ValueCode::of_term(rules, of)));
            let width = of.as_ref().map_or(words, |(_, code)| (1 + code.bits()).div_ceil(64));
            RepetitionWatch { forbid: Some(i), of, width }
        });
        let counted = rules.repeats.iter().any(|repeat| repeat.count.is_some());
        forbids.chain(counted.then_some(RepetitionWatch { forbid: None, of: None, width: words })).collect()
    }
}

impl Interpreter {
    /// The present entry of each watch in a position.
    pub fn present_entries(&self, state: &State) -> Vec<HistoryEntry> {
        let entry = |watch: &RepetitionWatch| {
            let Some((of, code)) = &watch.of else { return state.words.clone() };
            let value = self.context(state, None, StuckMeaning::Meaningless).value_of(of);
            let mut words = vec![0; watch.width];
            let mut writer = BitWriter { words: &mut words, at: 0 };
            // Undefined is one more value here: a bit distinguishes it from `none`.
            writer.put(u64::from(value.is_some()), 1);
            code.write(&mut writer, value.as_ref());
            words.into()
        };
        self.prepared.watches.iter().map(entry).collect()
    }

    /// Returns true if no `forbid repeat` forbids a move: the value of each stays the same, or becomes one that it has
    /// not had before in this play; with `within n`, not in the last n positions, of which the present one is the last.
    pub(super) fn permits(&self, state: &State, before: &[HistoryEntry], after: &[HistoryEntry]) -> bool {
        let watches = self.prepared.watches.iter().zip(&state.history).zip(before.iter().zip(after));
        watches
            .filter(|((watch, _), (before, after))| watch.forbid.is_some() && before != after)
            .all(|((_, history), (_, after))| !history.contains(after))
    }

    /// The history of the position after a move.
    pub(super) fn extended_histories(
        &self,
        state: &State,
        before: &[HistoryEntry],
        after: &[HistoryEntry],
    ) -> Vec<Vec<HistoryEntry>> {
        let watches = self.prepared.watches.iter().zip(&state.history).zip(before.iter().zip(after));
        watches
            .map(|((watch, history), (before, after))| self.extended_history(watch, history, before, after))
            .collect()
    }

    fn extended_history(
        &self,
        watch: &RepetitionWatch,
        history: &[HistoryEntry],
        before: &HistoryEntry,
        after: &HistoryEntry,
    ) -> Vec<HistoryEntry> {
        let mut longer = history.to_vec();
        let Some(forbid) = watch.forbid else {
            // Positions are counted: each appears as often as it occurred.
            longer.insert(longer.partition_point(|entry| entry <= before), before.clone());
            return longer;
        };
        if let Some(within) = self.rules.forbids[forbid].within {
            // The present position is the last of the n; the history keeps the others, the oldest first.
            longer.push(before.clone());
            longer.drain(..longer.len().saturating_sub((within as usize).saturating_sub(1)));
            return longer;
        }
        if before != after {
            if let Err(place) = longer.binary_search(before) {
                longer.insert(place, before.clone());
            }
            longer.retain(|entry| entry != after);
        }
        longer
    }

    /// The number of occurrences of this position in this play, including the present one. 1 if no rule counts.
    pub(super) fn occurrences(&self, state: &State) -> usize {
        let Some(counted) = self.prepared.watches.iter().position(|watch| watch.forbid.is_none()) else {
            return 1;
        };
        1 + state
            .history
            .get(counted)
            .map_or(0, |history| history.iter().filter(|&e| *e == state.words).count())
    }
}
