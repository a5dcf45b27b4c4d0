//! A ranking function: it increases along every play, so the game graph is acyclic.
//!
//! Technique: each bit of the state has a weight, and the rank of a position is the sum of the weights of its ones.
//! The perceptron rule finds weights under which the moves of random plays increase the rank: a move that does not
//! increase it is added to the weights, until none is left. Similar bits share weights at first: the bits of a small
//! slot form a number, since the seeds of a pit count alike however many there are, and those of a large slot weigh
//! the same, since a piece counts wherever it stands; so a few corrections replace many for single bits. If that
//! fails, only numbers share weights, and then no bits do. Bits that move to and fro (a pawn that steps before it
//! breaks a cell) have no weight; while only such bits change, each player to move and each phase may occur only once
//! before the rank increases. If all of this fails, moves may permute what others add (a block of the board turns after
//! each stone): the number of ones of a slot, or its value, has a weight if it only grows or only falls, and the same
//! holds for moves that leave all of these as they are.
//! Source: Rosenblatt, "The perceptron" (1958); it ends if there are such weights (Novikoff 1962).
//! Cost: some thousand expansions; a bounded number of corrections.
//! Invariant: nothing is taken on trust. A search checks every move that it follows by
//! [`RankingFunction::rank_change`], so that a move outside the sample is learned or detected, and never gives a wrong
//! value. If the circuit shows that places [fill up](bouton_circuit::placement), no check is necessary.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use bouton_backend::traversal::Xorshift;
use bouton_backend::{Runner, Status};
use bouton_base::limits::Limits;
use bouton_circuit::placement::PlacementGame;
use bouton_circuit::{ControlId, Layout, Position};

/// The number of random games in the sample.
const SAMPLE_GAMES: usize = 24;
/// The maximal length of a game in the sample, in plies; a longer one is broken off.
const MAX_SAMPLE_PLIES: usize = 300;
/// The maximal number of distinct changes in the sample; later moves may add as many again.
const MAX_CHANGES: usize = 4000;
/// The maximal number of steps in the search for weights.
const MAX_LEARNING_STEPS: u64 = 20_000_000;
/// The maximal width in bits of a slot that may be a number. It need not really be one: as a set of bits grows, so
/// does the number.
const MAX_NUMBER_WIDTH: u32 = 16;
/// The maximal numbers of steps with shared weights for numbers and large slots, and for numbers only.
const MAX_TIED_STEPS: [u64; 2] = [MAX_LEARNING_STEPS / 64, MAX_LEARNING_STEPS / 4];
/// The widths up to which a slot counts as a number, not as a set of places, where moves permute.
const COUNTED_WIDTHS: [u32; 3] = [MAX_NUMBER_WIDTH, 8, 3];
/// The seed of the sample: the games are the same in every run.
const SAMPLE_SEED: u64 = 0x6d65_6173_7572_6501;

/// A ranking function: a weight for each bit of a state, with the sample that it was learned from.
#[derive(Clone, Debug)]
pub struct RankingFunction {
    weights: Vec<i64>,
    ties: Ties,
    /// The ties to try next, the last first.
    next_ties: Vec<Ties>,
    /// By word: the loose bits, which move to and fro and have no weight.
    unweighted: Vec<u64>,
    changes: Vec<BitChanges>,
    /// Each change, with the pairs of controls that it leads from and to.
    controls_by_change: FxHashMap<BitChanges, FxHashSet<(u32, u32)>>,
    steps: u64,
    /// The ranges of bits of the slots.
    slots: Vec<Range<u32>>,
    /// True if moves that leave the rank as it is are level: the weights are those of whole slots.
    is_counted: bool,
    /// The proof that places fill up, which replaces the weights.
    placement: Option<PlacementGame>,
}

/// The sets of bits that share weights.
#[derive(Clone, Debug)]
struct Ties {
    /// By bit: the range of the bits that share its weight, and its factor among them.
    of: Vec<(Range<u32>, i64)>,
    /// The maximal number of steps with these ties.
    steps: u64,
}

/// The bits that a move changes, in order; true for a bit that it sets.
type BitChanges = Box<[(u32, bool)]>;

/// The effect of a move on the rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RankChange {
    /// The rank increases.
    Up,
    /// Only bits without weight change.
    Level,
    /// The rank should increase and does not.
    Violation,
}

/// A violation of the ranking function: a move that does not increase the rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RankViolation {
    /// A new ranking function was learned, by which the move increases the rank.
    Learned,
    /// No ranking function was found.
    NoRankingFunction,
}

impl RankingFunction {
    fn empty(words: usize) -> RankingFunction {
        RankingFunction {
            weights: vec![1; 64 * words],
            ties: Ties::none(64 * words),
            next_ties: Vec::new(),
            unweighted: vec![0; words],
            changes: Vec::new(),
            controls_by_change: FxHashMap::default(),
            steps: 0,
            slots: Vec::new(),
            is_counted: false,
            placement: None,
        }
    }

    /// Returns a ranking function for play from a position; `None` if none was found, or a limit was reached.
    pub fn find(runner: &dyn Runner, from: &Position, limits: &Limits) -> Option<RankingFunction> {
        let mut measure = RankingFunction::empty(from.words.len());
        measure.placement = PlacementGame::of(runner.circuit());
        if measure.placement.is_some() {
            return Some(measure);
        }
        measure.tie(&runner.circuit().layout);
        let mut random = Xorshift::new(SAMPLE_SEED);
        let mut children = Vec::new();
        for _ in 0..SAMPLE_GAMES {
            let mut at = from.clone();
            let mut met = FxHashSet::default();
            for _ in 0..MAX_SAMPLE_PLIES {
                // A position that repeats excludes a ranking function: the search for weights is unnecessary.
                if limits.check().is_some() || !met.insert(at.clone()) {
                    return None;
                }
                children.clear();
                match runner.expand(&at, &mut children) {
                    Ok(Status::Open) if !children.is_empty() => {}
                    _ => break,
                }
                if measure.changes.len() < MAX_CHANGES {
                    children.iter().for_each(|child| measure.add_change(&at, &child.position));
                }
                at = children.swap_remove(random.below_u32(children.len() as u32) as usize).position;
            }
        }
        (measure.fit_weights() && measure.level_changes_end() || measure.count_slots()).then_some(measure)
    }

    /// Gives a weight to the slots whose number of ones, or value, only grows or only falls; returns true if moves that
    /// leave all of them as they are form no cycle of controls.
    fn count_slots(&mut self) -> bool {
        self.is_counted = true;
        self.unweighted.fill(0);
        for widest in COUNTED_WIDTHS {
            self.weights.fill(0);
            for slot in self.slots.clone() {
                let is_number = slot.end - slot.start <= widest;
                let weight = |bit: u32| if is_number { 1 << (bit - slot.start) } else { 1 };
                let gain = |change: &BitChanges| -> i64 {
                    let own = change.iter().filter(|(bit, _)| slot.contains(bit));
                    own.map(|&(bit, set)| if set { weight(bit) } else { -weight(bit) }).sum()
                };
                let gains = || self.changes.iter().map(gain);
                let sign = match (gains().min(), gains().max()) {
                    (Some(0..), Some(1..)) => 1,
                    (Some(..0), Some(..=0)) => -1,
                    _ => continue,
                };
                for bit in slot.clone() {
                    self.weights[bit as usize] = sign * weight(bit);
                }
            }
            if self.level_changes_end() {
                return true;
            }
        }
        false
    }

    /// Adds a change to the sample. If it undoes a known one, its bits become loose.
    fn add_change(&mut self, from: &Position, to: &Position) {
        let change = change(&from.words, &to.words);
        if change.is_empty() {
            return;
        }
        let turn = (from.control.0, to.control.0);
        if let Some(turns) = self.controls_by_change.get_mut(&change) {
            turns.insert(turn);
            return;
        }
        let undone: BitChanges = change.iter().map(|&(bit, set)| (bit, !set)).collect();
        if self.controls_by_change.contains_key(&undone) {
            for &(bit, _) in &change {
                self.unweighted[bit as usize / 64] |= 1 << (bit % 64);
                self.weights[bit as usize] = 0;
            }
        }
        self.controls_by_change.insert(change.clone(), FxHashSet::from_iter([turn]));
        self.changes.push(change);
    }

    fn is_loose(&self, bit: u32) -> bool {
        is_loose(&self.unweighted, bit)
    }

    /// Makes the bits of a slot share weights, for as long as that leads to a ranking function.
    fn tie(&mut self, layout: &Layout) {
        let bits = |slot: &bouton_circuit::Slot| {
            let first = 64 * slot.word + slot.bit;
            first..first + slot.width()
        };
        self.slots = layout.slots.iter().map(bits).collect();
        let none = std::mem::replace(&mut self.ties, Ties::of(layout, true));
        self.next_ties = vec![none, Ties::of(layout, false)];
        self.begin();
    }

    /// Resets the weights to their initial values.
    fn begin(&mut self) {
        let weight = |bit: u32| if self.is_loose(bit) { 0 } else { self.ties.of[bit as usize].1 };
        self.weights = (0..self.weights.len() as u32).map(weight).collect();
    }

    /// Corrects the weights until every change that is not of loose bits alone increases the rank; returns true on
    /// success.
    fn fit_weights(&mut self) -> bool {
        let changes = std::mem::take(&mut self.changes);
        let right = loop {
            if self.run_perceptron(&changes) {
                break true;
            }
            let Some(looser) = self.next_ties.pop() else { break false };
            self.ties = looser;
            self.begin();
        };
        self.changes = changes;
        right
    }

    /// Corrects the weights under the current ties; returns true on success.
    fn run_perceptron(&mut self, changes: &[BitChanges]) -> bool {
        loop {
            let mut right = true;
            for change in changes {
                self.steps += change.len() as u64;
                if sum(&self.weights, change) > 0 {
                    continue;
                }
                for &(bit, set) in change.iter().filter(|(bit, _)| !is_loose(&self.unweighted, *bit)) {
                    let (ties, weight) = &self.ties.of[bit as usize];
                    let add = if set { *weight } else { -weight };
                    for other in ties.clone().filter(|&other| !is_loose(&self.unweighted, other)) {
                        self.weights[other as usize] += add * self.ties.of[other as usize].1;
                    }
                    right = false;
                }
            }
            if right || self.steps > self.ties.steps {
                return right;
            }
        }
    }

    /// Returns true if changes that leave the rank as it is form no cycle of controls: those of loose bits alone, or,
    /// where slots are counted, those that permute.
    fn level_changes_end(&self) -> bool {
        let level = |change: &&BitChanges| match self.is_counted {
            true => sum(&self.weights, change) == 0,
            false => change.iter().all(|&(bit, _)| self.is_loose(bit)),
        };
        let turns =
            self.changes.iter().filter(level).filter_map(|change| self.controls_by_change.get(change));
        let mut turns: FxHashSet<(u32, u32)> = turns.flatten().copied().collect();
        loop {
            let before = turns.len();
            let from: FxHashSet<u32> = turns.iter().map(|turn| turn.0).collect();
            turns.retain(|turn| from.contains(&turn.1));
            if turns.len() == before {
                return turns.is_empty();
            }
        }
    }

    /// Returns the maximal number of plies left in a state, if known.
    pub fn plies_left(&self, words: &[u64]) -> Option<u32> {
        Some(self.placement.as_ref()?.free_places(words))
    }

    /// Returns the effect of a move between these states on the rank.
    pub fn rank_change(&self, from: &[u64], to: &[u64]) -> RankChange {
        if self.placement.is_some() {
            return RankChange::Up;
        }
        let (mut sum, mut tied) = (0, 0);
        for (i, (&from, &to)) in from.iter().zip(to).enumerate() {
            let mut changed = (from ^ to) & !self.unweighted[i];
            tied |= changed;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                let weight = self.weights[64 * i + bit as usize];
                sum += if to >> bit & 1 == 1 { weight } else { -weight };
                changed &= changed - 1;
            }
        }
        match (tied, sum) {
            (_, 0) if self.is_counted => RankChange::Level,
            (0, _) => RankChange::Level,
            (_, 1..) => RankChange::Up,
            _ => RankChange::Violation,
        }
    }

    /// Checks that a move does not return to an earlier position. Returns no controls if the rank increases;
    /// otherwise the set of controls since it last increased, among which the new one must not be. The words of a
    /// state are followed by its control; `turns` is this set before the move.
    pub fn check_move(&mut self, from: &[u64], to: &[u64], turns: u64) -> Result<u64, RankViolation> {
        let size = from.len() - 1;
        let (here, there) = (from[size], to[size]);
        match self.rank_change(&from[..size], &to[..size]) {
            RankChange::Up => Ok(0),
            RankChange::Level => {
                let seen = turns | 1u64.checked_shl(here as u32).unwrap_or(!0);
                let again = there >= 64 || here >= 64 || seen >> there & 1 == 1;
                if again { Err(RankViolation::NoRankingFunction) } else { Ok(seen) }
            }
            RankChange::Violation => {
                let of =
                    |at: &[u64]| Position { control: ControlId(at[size] as u32), words: at[..size].into() };
                let learned = self.learn(&of(from), &of(to));
                Err(if learned { RankViolation::Learned } else { RankViolation::NoRankingFunction })
            }
        }
    }

    /// Adds a move that should increase the rank to the sample; returns true if a ranking function with it is found.
    pub fn learn(&mut self, from: &Position, to: &Position) -> bool {
        let room = self.changes.len() < 2 * MAX_CHANGES;
        if room {
            self.add_change(from, to);
        }
        room && match self.is_counted {
            true => self.count_slots(),
            false => self.fit_weights() && self.level_changes_end(),
        }
    }
}

impl Ties {
    /// Returns ties in which each bit has its own weight.
    fn none(bits: usize) -> Ties {
        Ties { of: (0..bits as u32).map(|bit| (bit..bit + 1, 1)).collect(), steps: MAX_LEARNING_STEPS }
    }

    /// Returns ties of small slots as numbers, and of the bits of large ones with equal weights if `large`.
    fn of(layout: &Layout, large: bool) -> Ties {
        let mut ties =
            Ties { steps: MAX_TIED_STEPS[usize::from(!large)], ..Ties::none(64 * layout.words as usize) };
        for slot in layout.slots.iter().filter(|slot| large || slot.width() <= MAX_NUMBER_WIDTH) {
            let first = 64 * slot.word + slot.bit;
            let all = first..first + slot.width();
            for bit in all.clone() {
                let weight = if slot.width() <= MAX_NUMBER_WIDTH { 1 << (bit - first) } else { 1 };
                ties.of[bit as usize] = (all.clone(), weight);
            }
        }
        ties
    }
}

fn is_loose(loose: &[u64], bit: u32) -> bool {
    loose[bit as usize / 64] >> (bit % 64) & 1 == 1
}

fn change(from: &[u64], to: &[u64]) -> BitChanges {
    let mut bits = Vec::new();
    for ((&from, &to), word) in from.iter().zip(to).zip(0u32..) {
        let mut changed = from ^ to;
        while changed != 0 {
            let bit = changed.trailing_zeros();
            bits.push((64 * word + bit, to >> bit & 1 == 1));
            changed &= changed - 1;
        }
    }
    bits.into()
}

fn sum(weights: &[i64], change: &[(u32, bool)]) -> i64 {
    let signed = |&(bit, set): &(u32, bool)| if set { weights[bit as usize] } else { -weights[bit as usize] };
    change.iter().map(signed).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(control: u32, words: &[u64]) -> Position {
        Position { control: ControlId(control), words: words.into() }
    }

    fn noted(words: usize, moves: &[(Position, Position)]) -> RankingFunction {
        let mut measure = RankingFunction::empty(words);
        moves.iter().for_each(|(from, to)| measure.add_change(from, to));
        measure
    }

    #[test]
    fn what_falls_can_be_measured_and_what_goes_round_cannot() {
        // A number of three bits that grows by one: no bit only grows.
        let moves: Vec<_> = (0..7u64).map(|n| (at(0, &[n]), at(0, &[n + 1]))).collect();
        let mut counter = noted(1, &moves);
        assert!(counter.fit_weights());
        assert!((0..7u64).all(|n| (n + 1..8).all(|m| counter.rank_change(&[n], &[m]) == RankChange::Up)));
        assert!((0..7u64).all(|n| counter.rank_change(&[n + 1], &[n]) == RankChange::Violation));
        // Three places one after another and back to the first: no step undoes another.
        let round = [(1u64, 2u64), (2, 4), (4, 1)].map(|(from, to)| (at(0, &[from]), at(0, &[to])));
        assert!(!noted(1, &round).fit_weights());
    }

    #[test]
    fn numbers_count_alike_and_bits_alone_where_they_do_not() {
        use bouton_base::bits::BitSet;
        use bouton_circuit::Slot;
        let slot = |bit| Slot { name: String::new(), word: 0, bit, maybe: BitSet::full(6) };
        let layout = Layout { slots: [slot(0), slot(6)].into_iter().collect(), words: 1 };
        let counted = |moves: &[(Position, Position)]| {
            let mut measure = RankingFunction::empty(1);
            measure.tie(&layout);
            moves.iter().for_each(|(from, to)| measure.add_change(from, to));
            (measure.fit_weights(), measure)
        };
        // One number gives to the other; a few examples teach all cases.
        let give = |from: u64, n: u64| (at(0, &[from]), at(0, &[(from - n) | (n << 6)]));
        let (settled, measure) = counted(&[give(33, 1), give(40, 9), give(25, 25)]);
        assert!(settled && measure.next_ties.len() == 2);
        let all = (1..64).flat_map(|from| (1..=from).map(move |n| give(from, n)));
        assert!(all.clone().count() > 2000);
        assert!(all.into_iter().all(|(a, b)| measure.rank_change(&a.words, &b.words) == RankChange::Up));
        // A piece moves from the upper of three places to the lowest, and then to the middle: no number grows that
        // way.
        let (settled, measure) = counted(&[(at(0, &[4]), at(0, &[1])), (at(0, &[1]), at(0, &[2]))]);
        assert!(settled && measure.next_ties.is_empty());
    }

    #[test]
    fn men_count_alike_wherever_they_stand() {
        use bouton_base::bits::BitSet;
        use bouton_circuit::Slot;
        let slot =
            |name: &str, bit, width| Slot { name: name.into(), word: 0, bit, maybe: BitSet::full(width) };
        let slots = [slot("white", 0, 20), slot("black", 20, 20), slot("moves without a capture", 40, 4)];
        let layout = Layout { slots: slots.into_iter().collect(), words: 1 };
        let mut measure = RankingFunction::empty(1);
        measure.tie(&layout);
        let board = |white: u32, black: u64, moves: u64| at(0, &[1 << white | black << 20 | moves << 40]);
        // A piece moves, which the counter counts; or it captures, and the counter starts again.
        measure.add_change(&board(3, 6, 0), &board(4, 6, 1));
        measure.add_change(&board(3, 6, 9), &board(1, 4, 0));
        assert!(measure.fit_weights() && measure.next_ties.len() == 2);
        let up = |a: Position, b: Position| measure.rank_change(&a.words, &b.words) == RankChange::Up;
        assert!((0..20).all(|to| to == 7 || up(board(7, 12, 14), board(to, 12, 15))));
        assert!((0..20).all(|to| up(board(7, 1 << to, 9), board(to, 0, 0))));
    }

    #[test]
    fn blocks_that_turn_leave_what_stones_add() {
        use bouton_base::bits::BitSet;
        use bouton_circuit::Slot;
        let slot = |name: &str, bit| Slot { name: name.into(), word: 0, bit, maybe: BitSet::full(16) };
        let layout = Layout { slots: [slot("white", 0), slot("black", 16)].into_iter().collect(), words: 1 };
        let mut measure = RankingFunction::empty(1);
        measure.tie(&layout);
        // White puts a stone, and turns a block in either direction; then black.
        let (put, turn) = (0, 1);
        measure.add_change(&at(put, &[1]), &at(turn, &[3]));
        for (from, to) in [(3u64, 6u64), (6, 3), (6, 12), (12, 6)] {
            measure.add_change(&at(turn, &[from]), &at(2, &[to]));
        }
        measure.add_change(&at(2, &[6]), &at(3, &[6 | 1 << 16]));
        for (from, to) in [(1u64 << 16, 1u64 << 18), (1 << 18, 1 << 16)] {
            measure.add_change(&at(3, &[from]), &at(put, &[to]));
        }
        assert!(!(measure.fit_weights() && measure.level_changes_end()) && measure.count_slots());
        assert_eq!(measure.rank_change(&[5], &[7]), RankChange::Up);
        assert_eq!(measure.rank_change(&[5], &[10]), RankChange::Level);
        assert_eq!(measure.rank_change(&[5], &[4]), RankChange::Violation);
        // If a player may turn a block for ever, play is cyclic.
        assert!(!measure.learn(&at(turn, &[7]), &at(turn, &[14])));
    }

    #[test]
    fn what_goes_to_and_fro_is_level_and_may_not_lead_round() {
        let fro = [(at(0, &[0, 1]), at(1, &[0, 2])), (at(0, &[0, 2]), at(1, &[0, 1]))];
        let breaks = (at(1, &[0, 2]), at(0, &[8, 2]));
        let mut pawn = noted(2, &[fro.as_slice(), &[breaks]].concat());
        assert!(pawn.fit_weights() && pawn.level_changes_end());
        assert_eq!(pawn.rank_change(&[3, 1], &[3, 2]), RankChange::Level);
        assert_eq!(pawn.rank_change(&[3, 1], &[11, 2]), RankChange::Up);
        assert_eq!(pawn.rank_change(&[3, 1], &[3, 1]), RankChange::Level);
        // If the other player may step to and fro as well, play is cyclic.
        assert!(
            !pawn.learn(&at(1, &[0, 1]), &at(0, &[0, 2]))
                || pawn.rank_change(&[0, 1], &[0, 2]) == RankChange::Level
        );
        let both = [fro.as_slice(), &[(at(1, &[0, 1]), at(0, &[0, 4])), (at(1, &[0, 4]), at(0, &[0, 1]))]];
        let mut both = noted(2, &both.concat());
        assert!(both.fit_weights() && !both.level_changes_end());
    }

    #[test]
    fn a_move_not_seen_before_is_learned() {
        let mut measure = noted(1, &[(at(0, &[0]), at(1, &[1]))]);
        assert!(measure.fit_weights());
        assert_eq!(measure.rank_change(&[2], &[0]), RankChange::Violation);
        assert!(measure.learn(&at(0, &[2]), &at(1, &[0])));
        assert_eq!(
            (measure.rank_change(&[2], &[0]), measure.rank_change(&[0], &[1])),
            (RankChange::Up, RankChange::Up)
        );
    }
}
