//! Learns the smallest automaton that agrees with labelled words.
//!
//! Technique: the words form a tree, in which equal subtrees are merged into one. The nodes are coloured, a colour for
//! each state: first with one colour, then with two, and so on. Two nodes may share a colour if that gives no word two
//! labels, and then their children share a colour as well; where that leaves a choice of colours, all are tried.
//! Source: Biermann and Feldman, "On the synthesis of finite-state machines from samples of their behavior" (1972);
//! Revuz (1992) for merging equal subtrees.
//! Cost: exponential at worst (Gold 1978), so the number of steps is bounded; few steps if there is a small automaton.
//! Not taken: merging states in a fixed order (RPNI, Oncina and Garcia 1992), which merges wrongly if all words have
//! one length.

use rustc_hash::FxHashMap;

use bouton_base::automaton::Automaton;

/// The maximal number of steps of the search.
const MAX_STEPS: u64 = 50_000;

/// A node: its label, and the node after each letter.
type PrefixTreeNode = (Option<bool>, Vec<Option<u32>>);

/// Learns an automaton of at most `most` states that gives the label of each word and takes fewer bits than half of the
/// labels; `None` if none is found. Words have at most a few hundred letters.
pub fn learn(words: &[(Vec<u8>, bool)], letters: usize, most: usize) -> Option<Automaton> {
    let mut sorted: Vec<(&[u8], bool)> = words.iter().map(|(word, label)| (&word[..], *label)).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let mut shapes: FxHashMap<PrefixTreeNode, u32> = FxHashMap::default();
    let mut nodes: Vec<PrefixTreeNode> = Vec::new();
    let root = node(&sorted, 0, letters, &mut shapes, &mut nodes)?;
    let mut search = ColouringSearch { nodes: &nodes, letters, agree: FxHashMap::default(), steps: 0 };
    for states in 1..=most {
        let mut first = Colouring { nodes: vec![Vec::new()], next: vec![vec![None; letters]] };
        if !search.give(&mut first, 0, root) {
            return None;
        }
        if let Some(found) = search.colour(first, states) {
            let found = found.minimized();
            let states = found.next.len();
            let bits = states * (1 + letters * (usize::BITS - states.leading_zeros()) as usize);
            return (2 * bits < sorted.len()).then_some(found);
        }
        if search.steps > MAX_STEPS {
            break;
        }
    }
    None
}

/// The node of words that agree in their first `depth` letters; `None` if one word has two labels.
fn node(
    words: &[(&[u8], bool)],
    depth: usize,
    letters: usize,
    shapes: &mut FxHashMap<PrefixTreeNode, u32>,
    nodes: &mut Vec<PrefixTreeNode>,
) -> Option<u32> {
    let ended = words.iter().take_while(|(word, _)| word.len() == depth).count();
    if ended > 1 {
        return None;
    }
    let label = words[..ended].first().map(|(_, label)| *label);
    let mut next = vec![None; letters];
    for same in words[ended..].chunk_by(|(one, _), (other, _)| one[depth] == other[depth]) {
        let letter = usize::from(same[0].0[depth]);
        *next.get_mut(letter)? = Some(node(same, depth + 1, letters, shapes, nodes)?);
    }
    let shape = (label, next);
    Some(*shapes.entry(shape).or_insert_with_key(|shape| {
        nodes.push(shape.clone());
        nodes.len() as u32 - 1
    }))
}

/// A partial colouring.
#[derive(Clone)]
struct Colouring {
    /// The nodes of each colour.
    nodes: Vec<Vec<u32>>,
    /// The colour after each letter, if it is settled.
    next: Vec<Vec<Option<u32>>>,
}

struct ColouringSearch<'n> {
    nodes: &'n [PrefixTreeNode],
    letters: usize,
    /// True for two nodes if merging them gives no word two labels.
    agree: FxHashMap<(u32, u32), bool>,
    steps: u64,
}

impl ColouringSearch<'_> {
    fn agree(&mut self, one: u32, other: u32) -> bool {
        if one == other {
            return true;
        }
        let pair = (one.min(other), one.max(other));
        if let Some(&known) = self.agree.get(&pair) {
            return known;
        }
        let nodes = self.nodes;
        let ((label, next), (own, after)) = (&nodes[one as usize], &nodes[other as usize]);
        let alike = label.is_none() || own.is_none() || label == own;
        let agree = alike
            && (0..self.letters).all(|letter| match (next[letter], after[letter]) {
                (Some(one), Some(other)) => self.agree(one, other),
                _ => true,
            });
        self.agree.insert(pair, agree);
        agree
    }

    /// Gives a node a colour, and its successors the colours that follow; returns false if a word would have two
    /// labels.
    fn give(&mut self, colours: &mut Colouring, colour: u32, node: u32) -> bool {
        let mut todo = vec![(colour, node)];
        while let Some((colour, node)) = todo.pop() {
            if colours.nodes[colour as usize].contains(&node) {
                continue;
            }
            self.steps += 1;
            if !colours.nodes[colour as usize].iter().all(|&other| self.agree(node, other)) {
                return false;
            }
            colours.nodes[colour as usize].push(node);
            let after = colours.next[colour as usize].iter().zip(&self.nodes[node as usize].1);
            todo.extend(after.filter_map(|(colour, node)| (*colour).zip(*node)));
        }
        true
    }

    /// Completes a colouring to an automaton with at most `most` states.
    fn colour(&mut self, colours: Colouring, most: usize) -> Option<Automaton> {
        let open = (0..colours.next.len()).find_map(|colour| {
            let unsettled = |letter: &usize| {
                let after = |node: &u32| self.nodes[*node as usize].1[*letter].is_some();
                colours.next[colour][*letter].is_none() && colours.nodes[colour].iter().any(after)
            };
            (0..self.letters).find(unsettled).map(|letter| (colour, letter))
        });
        let Some((colour, letter)) = open else { return Some(self.automaton(&colours)) };
        let after: Vec<u32> =
            colours.nodes[colour].iter().filter_map(|&node| self.nodes[node as usize].1[letter]).collect();
        let known = colours.next.len();
        for to in 0..(known + 1).min(most) {
            if self.steps > MAX_STEPS {
                return None;
            }
            let mut tried = colours.clone();
            if to == known {
                tried.nodes.push(Vec::new());
                tried.next.push(vec![None; self.letters]);
            }
            tried.next[colour][letter] = Some(to as u32);
            if after.iter().all(|&node| self.give(&mut tried, to as u32, node))
                && let Some(found) = self.colour(tried, most)
            {
                return Some(found);
            }
        }
        None
    }

    fn automaton(&self, colours: &Colouring) -> Automaton {
        // A letter that no word has here leaves the state unchanged.
        let next = colours
            .next
            .iter()
            .enumerate()
            .map(|(colour, next)| next.iter().map(|to| to.unwrap_or(colour as u32)).collect());
        let says =
            |nodes: &Vec<u32>| nodes.iter().find_map(|&node| self.nodes[node as usize].0).unwrap_or(false);
        Automaton { next: next.collect(), accepting: colours.nodes.iter().map(says).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(length: u32, label: impl Fn(&[u8]) -> bool) -> Vec<(Vec<u8>, bool)> {
        let word = |bits: u32| (0..length).map(|place| (bits >> place & 1) as u8).collect::<Vec<u8>>();
        (0..1 << length).map(word).map(|word| (word.clone(), label(&word))).collect()
    }

    #[test]
    fn what_is_regular_is_found_from_words_of_one_length() {
        let ones = |word: &[u8]| word.iter().filter(|&&letter| letter == 1).count();
        let thirds = learn(&words(9, |word| ones(word) % 3 == 0), 2, 12).expect("an automaton");
        assert_eq!(thirds.next.len(), 3);
        for (word, label) in words(11, |word| ones(word) % 3 == 0) {
            assert_eq!(thirds.accepts(word), Some(label));
        }
        let twice = |word: &[u8]| word.windows(2).any(|pair| pair == [1, 1]);
        assert_eq!(learn(&words(8, twice), 2, 12).expect("an automaton").next.len(), 3);
    }

    #[test]
    fn what_is_not_is_not() {
        // As many ones in the first half as in the second; and labels that contradict each other.
        let half = |word: &[u8]| word[..4].iter().sum::<u8>() == word[4..].iter().sum::<u8>();
        assert_eq!(learn(&words(8, half), 2, 12), None);
        assert_eq!(learn(&[(vec![0], true), (vec![0], false)], 2, 12), None);
        // Too few words to mean anything.
        assert_eq!(learn(&words(2, |word| word == [0, 0]), 2, 12), None);
    }
}
