//! Maps offsets in repaired text to offsets in the user's file.

/// A replacement: the range `old` of the user's text became the range `new` of the repaired text.
#[derive(Clone, Debug)]
struct Replacement {
    new: (usize, usize),
    old: (usize, usize),
}

/// A map from offsets in a repaired text to offsets in the original.
#[derive(Clone, Debug, Default)]
pub(super) struct OffsetMap {
    /// The replacements, in order and disjoint.
    changes: Vec<Replacement>,
    /// The shift of an offset before all replacements.
    shift: usize,
}

impl OffsetMap {
    /// The map that adds `shift` to every offset.
    pub fn shifted(shift: usize) -> Self {
        OffsetMap { changes: Vec::new(), shift }
    }

    /// The user's offset of a span that starts at `at`.
    pub fn start(&self, at: usize) -> usize {
        self.find(at, |change| change.old.0)
    }

    /// The user's offset of a span that ends at `at`.
    pub fn end(&self, at: usize) -> usize {
        self.find(at, |change| change.old.1)
    }

    fn find(&self, at: usize, inside: impl Fn(&Replacement) -> usize) -> usize {
        let before = self.changes.partition_point(|change| change.new.1 <= at);
        if let Some(change) = self.changes.get(before).filter(|change| change.new.0 < at) {
            return inside(change);
        }
        match before.checked_sub(1).map(|last| &self.changes[last]) {
            Some(change) => at - change.new.1 + change.old.1,
            None => at + self.shift,
        }
    }

    /// Records that `old` of the user's text became `new`; it must follow all recorded replacements.
    pub fn note(&mut self, new: std::ops::Range<usize>, old: std::ops::Range<usize>) {
        self.changes.push(Replacement { new: (new.start, new.end), old: (old.start, old.end) });
    }

    /// The map for the text from `at` on.
    pub fn from(&self, at: usize) -> OffsetMap {
        let later = self.changes.iter().filter(|change| change.new.1 > at || change.new.0 >= at);
        let changes = later.map(|change| Replacement {
            new: (change.new.0.saturating_sub(at), change.new.1 - at),
            old: change.old,
        });
        OffsetMap { changes: changes.collect(), shift: self.start(at) }
    }

    /// The map after a replacement of `range` of the new text by `length` bytes.
    pub fn replaced(&self, range: std::ops::Range<usize>, length: usize) -> OffsetMap {
        let (start, end) = (range.start, range.end);
        let mut change =
            Replacement { new: (start, start + length), old: (self.start(start), self.end(end)) };
        let grown = |at: usize| at - (end - start) + length;
        let mut changes = Vec::with_capacity(self.changes.len() + 1);
        let mut after = Vec::new();
        for other in &self.changes {
            if other.new.1 <= start {
                changes.push(other.clone());
            } else if other.new.0 >= end {
                after.push(Replacement { new: (grown(other.new.0), grown(other.new.1)), old: other.old });
            } else {
                let tail = other.new.1.saturating_sub(end);
                let head = start.saturating_sub(other.new.0);
                change.new = (change.new.0 - head, change.new.1 + tail);
                change.old = (change.old.0.min(other.old.0), change.old.1.max(other.old.1));
            }
        }
        changes.push(change);
        changes.append(&mut after);
        OffsetMap { changes, shift: self.shift }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_around_a_replacement_stay_true() {
        // "abc = d" at 10 becomes "abc := d"
        let offsets = OffsetMap::shifted(10).replaced(4..5, 2);
        assert_eq!((offsets.start(0), offsets.end(3)), (10, 13));
        assert_eq!((offsets.start(4), offsets.end(6)), (14, 15));
        assert_eq!((offsets.start(7), offsets.end(8)), (16, 17));
    }

    #[test]
    fn an_insertion_has_no_width() {
        let offsets = OffsetMap::shifted(0).replaced(3..3, 1);
        assert_eq!((offsets.end(3), offsets.start(4), offsets.end(4)), (3, 3, 3));
        let twice = offsets.replaced(6..6, 2);
        assert_eq!((twice.start(5), twice.start(9)), (4, 6));
    }

    #[test]
    fn overlapping_replacements_become_one() {
        let offsets = OffsetMap::shifted(0).replaced(2..4, 6).replaced(5..9, 1);
        assert_eq!((offsets.start(2), offsets.end(6)), (2, 5));
        assert_eq!(offsets.start(7), 6);
    }
}
