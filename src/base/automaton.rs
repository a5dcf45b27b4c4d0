//! Finite automata over a small alphabet, as acceptors of words.

use std::collections::BTreeMap;

/// A complete deterministic finite automaton with start state 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Automaton {
    /// For each state: true if the automaton accepts a word that ends there.
    pub accepting: Vec<bool>,
    /// The transitions: `next[state][letter]` is a state.
    pub next: Vec<Vec<u32>>,
}

impl Automaton {
    /// Returns true if there is a start state and every letter leads from every state to an existing state.
    pub fn is_well_formed(&self) -> bool {
        let letters = self.alphabet_size();
        let lead = |next: &Vec<u32>| {
            next.len() == letters && next.iter().all(|&state| (state as usize) < self.next.len())
        };
        !self.next.is_empty() && self.accepting.len() == self.next.len() && self.next.iter().all(lead)
    }

    /// The size of the alphabet.
    pub fn alphabet_size(&self) -> usize {
        self.next.first().map_or(0, Vec::len)
    }

    /// The state after a letter; `None` if the state or the letter does not exist.
    pub fn after(&self, state: u32, letter: u8) -> Option<u32> {
        self.next.get(state as usize)?.get(usize::from(letter)).copied()
    }

    /// Returns true if the automaton accepts a word; `None` if it cannot read the word.
    pub fn accepts(&self, word: impl IntoIterator<Item = u8>) -> Option<bool> {
        let last = word.into_iter().try_fold(0, |state, letter| self.after(state, letter))?;
        self.accepting.get(last as usize).copied()
    }

    /// The equivalent automaton with the fewest states, numbered breadth-first (partition refinement; Moore 1956).
    pub fn minimized(&self) -> Automaton {
        // Splits classes until the states of one class have the same successor classes.
        let mut class: Vec<usize> = self.accepting.iter().map(|&says| usize::from(says)).collect();
        let mut count = 0;
        loop {
            let mut numbers = BTreeMap::new();
            let split: Vec<usize> = (0..class.len())
                .map(|state| {
                    let to: Vec<usize> = self.next[state].iter().map(|&to| class[to as usize]).collect();
                    let fresh = numbers.len();
                    *numbers.entry((class[state], to)).or_insert(fresh)
                })
                .collect();
            class = split;
            if numbers.len() == count {
                break;
            }
            count = numbers.len();
        }
        // Numbers the classes breadth-first from the start state, letters in order.
        let mut met: Vec<usize> = vec![0];
        let mut smallest = Automaton::default();
        let mut at = 0;
        while let Some(&state) = met.get(at) {
            let mut next = Vec::new();
            for &to in &self.next[state] {
                let known = met.iter().position(|&other| class[other] == class[to as usize]);
                next.push(known.unwrap_or(met.len()) as u32);
                if known.is_none() {
                    met.push(to as usize);
                }
            }
            smallest.next.push(next);
            smallest.accepting.push(self.accepting[state]);
            at += 1;
        }
        smallest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_say_the_same_of_all_words_are_one() {
        // Accepts words with an even number of ones; each state occurs twice, and one state is unreachable.
        let twice = Automaton {
            accepting: vec![true, false, true, false, true],
            next: vec![vec![2, 1], vec![3, 0], vec![0, 3], vec![1, 2], vec![4, 4]],
        };
        assert!(twice.is_well_formed());
        let smallest = twice.minimized();
        assert_eq!(smallest, Automaton { accepting: vec![true, false], next: vec![vec![0, 1], vec![1, 0]] });
        for word in 0..64u8 {
            let letters = || (0..6).map(|place| word >> place & 1);
            assert_eq!(smallest.accepts(letters()), twice.accepts(letters()));
        }
        assert_eq!(smallest.accepts([2]), None);
        assert!(!Automaton::default().is_well_formed());
    }
}
