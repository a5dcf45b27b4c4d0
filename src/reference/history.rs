//! The history of a play that `forbid repeat` and `repeat n` read (LANGUAGE.md section 7).
//!
//! A state remembers only the history that such a rule reads: for `forbid repeat of e` and `repeat n of e` the earlier
//! values of e, for `repeat n` the earlier positions. A value of `repeat n of e` occurs when a move changes e to it, so
//! a move that leaves e alone is no occurrence. The history never includes the present occurrence, so two plays that
//! lead to the same position with the same earlier values lead to equal states.

use super::Interpreter;
use super::eval::StuckMeaning;
use super::node::Body;
use super::pack::{BitWriter, ValueCode};
use super::prepare;
use super::state::State;
use bouton_rules::{Expr, Rules, Vars};

/// An earlier value or position, as words of a width fixed by the rule.
pub type HistoryEntry = Box<[u64]>;

/// The rule that reads a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WatchedRule {
    /// The `forbid repeat` with this index in `rules.forbids`.
    Forbid(usize),
    /// All `repeat n` of whole positions, which share one watch.
    Positions,
    /// The `repeat n of e` with this index in `rules.repeats`.
    Value(usize),
}

/// A quantity whose history the rules read.
#[derive(Debug)]
pub struct RepetitionWatch {
    rule: WatchedRule,
    /// The value and its encoding; `None` for whole positions.
    of: Option<(Body, ValueCode)>,
    /// The number of words in an entry.
    pub width: usize,
}

impl RepetitionWatch {
    /// Returns true if the rule forbids moves, instead of counting.
    pub(super) fn is_forbid(&self) -> bool {
        matches!(self.rule, WatchedRule::Forbid(_))
    }

    /// The watches of these rules. `words` is the width of a position.
    pub fn all(rules: &Rules, words: usize) -> Vec<RepetitionWatch> {
        let watch = |rule: WatchedRule, of: Option<(&Expr, &Vars)>| {
            let of =
                of.map(|(of, vars)| (prepare::body(rules, vars.len(), of), ValueCode::of_term(rules, of)));
            let width = of.as_ref().map_or(words, |(_, code)| (1 + code.bits()).div_ceil(64));
            RepetitionWatch { rule, of, width }
        };
        let forbids = rules.forbids.iter().enumerate().map(|(index, forbid)| {
            watch(WatchedRule::Forbid(index), forbid.of.as_ref().map(|of| (of, &forbid.vars)))
        });
        let counts_positions =
            rules.repeats.iter().any(|repeat| repeat.count.is_some() && repeat.of.is_none());
        let positions = counts_positions.then(|| watch(WatchedRule::Positions, None));
        let values = rules.repeats.iter().enumerate().filter_map(|(index, repeat)| {
            let (of, vars) = repeat.of.as_ref()?;
            Some(watch(WatchedRule::Value(index), Some((of, vars))))
        });
        forbids.chain(positions).chain(values).collect()
    }
}

impl Interpreter {
    /// The present entry of each watch in a position.
    pub fn present_entries(&self, state: &State) -> Vec<HistoryEntry> {
        self.prepared.watches.iter().map(|watch| self.present_entry(watch, state)).collect()
    }

    fn present_entry(&self, watch: &RepetitionWatch, state: &State) -> HistoryEntry {
        let Some((of, code)) = &watch.of else { return state.words.clone() };
        let value = self.context(state, None, StuckMeaning::Meaningless).value_of(of);
        let mut words = vec![0; watch.width];
        let mut writer = BitWriter { words: &mut words, at: 0 };
        // Undefined is one more value here: a bit distinguishes it from `none`.
        writer.put(u64::from(value.is_some()), 1);
        code.write(&mut writer, value.as_ref());
        words.into()
    }

    /// Returns true if no `forbid repeat` forbids a move: the value of each stays the same, or becomes one that it has
    /// not had before in this play; with `within n`, not in the last n positions, of which the present one is the last.
    pub(super) fn permits(&self, state: &State, before: &[HistoryEntry], after: &[HistoryEntry]) -> bool {
        let watches = self.prepared.watches.iter().zip(&state.history).zip(before.iter().zip(after));
        watches
            .filter(|((watch, _), (before, after))| watch.is_forbid() && before != after)
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
        let forbid = match watch.rule {
            WatchedRule::Forbid(forbid) => forbid,
            WatchedRule::Value(_) if before == after => return longer,
            WatchedRule::Positions | WatchedRule::Value(_) => {
                // Occurrences are counted: each entry appears as often as it occurred.
                longer.insert(longer.partition_point(|entry| entry <= before), before.clone());
                return longer;
            }
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

    /// The number of occurrences in this play that a counted `repeat` has seen, including the present one: of this
    /// position, or of the value of the rule in it. `repeat` is the index of the rule.
    pub(super) fn occurrences(&self, state: &State, repeat: usize) -> usize {
        let rule = match self.rules.repeats[repeat].of {
            Some(_) => WatchedRule::Value(repeat),
            None => WatchedRule::Positions,
        };
        let watches = self.prepared.watches.iter().zip(&state.history);
        let Some((watch, history)) = watches.into_iter().find(|(watch, _)| watch.rule == rule) else {
            return 1;
        };
        let present = self.present_entry(watch, state);
        1 + history.iter().filter(|&entry| *entry == present).count()
    }
}
