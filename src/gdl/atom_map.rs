//! Maps from ground sentences to what is known of them, as vectors by the number of the sentence.

use std::ops::Index;

use bouton_base::id::Id;

use crate::ground::AtomId;

/// A map whose keys are ground sentences.
#[derive(Clone, Debug)]
pub struct AtomMap<T> {
    entries: Vec<Option<T>>,
}

impl<T> Default for AtomMap<T> {
    fn default() -> AtomMap<T> {
        AtomMap { entries: Vec::new() }
    }
}

impl<T> AtomMap<T> {
    pub fn get(&self, atom: AtomId) -> Option<&T> {
        self.entries.get(atom.index())?.as_ref()
    }

    pub fn contains(&self, atom: AtomId) -> bool {
        self.get(atom).is_some()
    }

    /// Sets the entry of a sentence, and returns the old one.
    pub fn insert(&mut self, atom: AtomId, entry: T) -> Option<T> {
        self.slot(atom).replace(entry)
    }

    /// The entry of a sentence; it becomes the default value if there is none.
    pub fn or_default(&mut self, atom: AtomId) -> &mut T
    where
        T: Default,
    {
        self.slot(atom).get_or_insert_default()
    }

    fn slot(&mut self, atom: AtomId) -> &mut Option<T> {
        if self.entries.len() <= atom.index() {
            self.entries.resize_with(atom.index() + 1, || None);
        }
        &mut self.entries[atom.index()]
    }
}

impl<T> Index<AtomId> for AtomMap<T> {
    type Output = T;

    fn index(&self, atom: AtomId) -> &T {
        self.entries[atom.index()].as_ref().expect("an entry")
    }
}

impl<T> FromIterator<(AtomId, T)> for AtomMap<T> {
    fn from_iter<I: IntoIterator<Item = (AtomId, T)>>(entries: I) -> AtomMap<T> {
        let mut map = AtomMap::default();
        for (atom, entry) in entries {
            map.insert(atom, entry);
        }
        map
    }
}
