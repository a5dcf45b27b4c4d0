//! IDA*: depth-first searches for a plan, each with a larger bound of the sum of moves made and moves to come.
//!
//! Technique: the last positions that were found are expanded first, 64 in one batch, so the open positions stay few. A
//! table of fixed size holds positions with the moves to them: one that is found again with no fewer moves is not
//! searched again in this round. The first round that finds a plan finds a shortest one, since the rounds before it
//! excluded every smaller sum.
//! Source: Korf, "Depth-first iterative-deepening: an optimal admissible tree search" (1985); Reinefeld and Marsland
//! (1994) for the table.
//! Cost: the positions of all rounds; memory for the table, and for the positions beside one path.
//! Invariant: the table holds whole positions, so it never takes one for another; what it forgets is searched again.

use super::abstraction::Partition;
use super::astar::{Bounds, SearchOptions, SearchResult};
use super::batch::{AbstractGame, BATCH, Charge, Expansion};
use super::task::PlanningTask;
use crate::game::arena::hash;
use bouton_base::key_table::zeroed;

/// The parent of the first position.
const NO_PARENT: u32 = u32::MAX;
/// The numbers of entries of the smallest and the largest table.
const MIN_ENTRIES: usize = 1 << 8;
const MAX_ENTRIES: usize = 1 << 24;
/// The table has as many entries as the round before had positions, times this number.
const TABLE_GROWTH: u64 = 8;
/// The number of positions that the first round is expected to have.
const FIRST_ROUND_POSITIONS: u64 = 1 << 16;
/// The approximate number of bytes of a position on the stack besides its words.
const OPEN_BYTES: u64 = 20;

/// A search for a plan in little memory.
pub struct IdaStar<'t> {
    game: AbstractGame,
    bounds: Bounds<'t>,
    table: SeenTable,
    stack: Vec<OpenPosition>,
    /// The words of the positions on the stack.
    keys: Vec<u64>,
    /// The moves that lead to positions on the stack, each with the number of the move before it.
    moves_made: Vec<(u32, u32)>,
    /// The number of expanded positions.
    pub visited: u64,
}

/// A position on the stack.
#[derive(Clone, Copy)]
struct OpenPosition {
    /// The number of moves to it.
    moves: u32,
    /// The number of the move before it, in the list of moves made.
    last_move: u32,
    /// The length of the list of moves made when the position was found: no later one leads to it.
    needed: u32,
}

/// A position that a batch leads to.
struct Found {
    open: OpenPosition,
    bound: u16,
    row: usize,
}

/// The end of a round.
enum RoundEnd {
    /// The search is over.
    Over(SearchResult),
    /// No plan has this sum or a smaller one; the least larger sum that occurred, if there is one.
    Next(Option<u32>),
}

impl<'t> IdaStar<'t> {
    /// Prepares a search from the position of the task.
    pub fn new(task: &'t PlanningTask, bounds: Bounds<'t>) -> IdaStar<'t> {
        let partition = Partition::identity(&task.possible);
        let game = AbstractGame::new(task, &partition, &vec![Charge::Always; task.actions.len()]);
        let table = SeenTable::new(game.layout.width(), MIN_ENTRIES);
        IdaStar {
            game,
            bounds,
            table,
            stack: Vec::new(),
            keys: Vec::new(),
            moves_made: Vec::new(),
            visited: 0,
        }
    }

    /// Searches from a position for a plan; every plan is known to have at least `least` moves.
    pub fn run(&mut self, start: &[u8], least: u32, options: &SearchOptions<'_>) -> SearchResult {
        let key = self.game.layout.key_of_values(start);
        let Some(first) = self.bounds.of(&self.game.layout, &key, &mut Vec::new()) else {
            return SearchResult::NoWin;
        };
        let mut sum = least.max(u32::from(first));
        self.resize(FIRST_ROUND_POSITIONS, options);
        loop {
            if options.known.is_some_and(|known| sum >= known) {
                return SearchResult::Open { least: sum, limit: None };
            }
            let before = self.visited;
            match self.round(&key, sum, options) {
                RoundEnd::Over(result) => return result,
                RoundEnd::Next(None) => return SearchResult::NoWin,
                RoundEnd::Next(Some(next)) => sum = next,
            }
            self.resize(self.visited - before, options);
        }
    }

    /// Searches all positions whose sum is not above this one.
    fn round(&mut self, start: &[u64], sum: u32, options: &SearchOptions<'_>) -> RoundEnd {
        let width = self.game.layout.width();
        self.table.clear();
        self.moves_made.clear();
        self.stack.clear();
        self.keys.clear();
        self.stack.push(OpenPosition { moves: 0, last_move: NO_PARENT, needed: 0 });
        self.keys.extend_from_slice(start);
        let mut next: Option<u32> = None;
        let mut expansion = Expansion::default();
        let (mut coarse, mut found) = (Vec::new(), Vec::<Found>::new());
        while !self.stack.is_empty() {
            let first = self.stack.len().saturating_sub(BATCH);
            let batch: Vec<OpenPosition> = self.stack.drain(first..).collect();
            let limit = options.limits.check_held(options.held + self.held_bytes());
            if limit.is_some() || self.visited >= options.most {
                return RoundEnd::Over(SearchResult::Open { least: sum, limit });
            }
            self.visited += batch.len() as u64;
            let Ok(()) = self.game.expand(&self.keys[first * width..], &mut expansion) else {
                return RoundEnd::Over(SearchResult::Fault);
            };
            self.keys.truncate(first * width);
            let stuck = !(expansion.mobile | expansion.over);
            for (lane, open) in batch.iter().enumerate() {
                if expansion.won >> lane & 1 == 1 {
                    return RoundEnd::Over(SearchResult::Plan(self.plan(open.last_move)));
                }
                if (expansion.faulty | stuck) >> lane & 1 == 1 {
                    return RoundEnd::Over(SearchResult::Fault);
                }
            }
            self.moves_made.truncate(batch.iter().map(|open| open.needed as usize).max().unwrap_or(0));
            found.clear();
            for (row, key) in expansion.keys.chunks_exact(width).enumerate() {
                let successor = expansion.successors[row];
                let from = &batch[successor.lane as usize];
                let moves = from.moves + 1;
                let Some(bound) = self.bounds.of(&self.game.layout, key, &mut coarse) else { continue };
                let here = moves + u32::from(bound);
                if here > sum {
                    next = Some(next.map_or(here, |next| next.min(here)));
                } else if self.table.insert(key, moves) {
                    let last_move = self.moves_made.len() as u32;
                    self.moves_made.push((from.last_move, successor.action));
                    found.push(Found { open: OpenPosition { moves, last_move, needed: 0 }, bound, row });
                }
            }
            // The position nearest to a win comes last, so it is expanded first.
            found.sort_by_key(|found| std::cmp::Reverse(found.bound));
            let needed = self.moves_made.len() as u32;
            for Found { open, row, .. } in &found {
                self.stack.push(OpenPosition { needed, ..*open });
                self.keys.extend_from_slice(&expansion.keys[row * width..(row + 1) * width]);
            }
        }
        RoundEnd::Next(next)
    }

    /// Returns the moves up to one of the list.
    fn plan(&self, mut at: u32) -> Vec<u32> {
        let mut plan = Vec::new();
        while at != NO_PARENT {
            let (before, action) = self.moves_made[at as usize];
            plan.push(action);
            at = before;
        }
        plan.reverse();
        plan
    }

    /// Makes the table fit a round of this many positions, within half of the memory that is left.
    fn resize(&mut self, positions: u64, options: &SearchOptions<'_>) {
        let entry = self.table.entry_bytes();
        let memory = options.limits.memory_bytes.unwrap_or(u64::MAX);
        let fits = memory.saturating_sub(options.held) / 2 / entry;
        let wanted = (positions.saturating_mul(TABLE_GROWTH)).min(fits).min(MAX_ENTRIES as u64) as usize;
        // Rounded down to a power of two.
        let entries = 1 << wanted.max(1).ilog2();
        if entries > self.table.entries() {
            self.table = SeenTable::new(self.game.layout.width(), entries);
        }
    }

    /// Returns the number of bytes held.
    pub fn held_bytes(&self) -> u64 {
        let open = OPEN_BYTES + 8 * self.game.layout.width() as u64;
        self.table.entry_bytes() * self.table.entries() as u64
            + open * self.stack.len() as u64
            + 8 * self.moves_made.len() as u64
    }
}

/// Positions with the moves to them, in buckets of two. A new one replaces the one with more moves.
struct SeenTable {
    /// By entry: the words of the position, then 1 plus its moves; 0 for an empty entry.
    words: Vec<u64>,
    width: usize,
    buckets: usize,
}

impl SeenTable {
    /// Makes an empty table. The number of entries is a power of two.
    fn new(width: usize, entries: usize) -> SeenTable {
        SeenTable { words: zeroed(entries * (width + 1)), width, buckets: entries / 2 }
    }

    fn clear(&mut self) {
        self.words.fill(0);
    }

    fn entries(&self) -> usize {
        2 * self.buckets
    }

    fn entry_bytes(&self) -> u64 {
        8 * (self.width as u64 + 1)
    }

    /// Inserts a position; returns false if it is there with as few moves.
    fn insert(&mut self, key: &[u64], moves: u32) -> bool {
        let (width, size) = (self.width, self.width + 1);
        let spread = u64::from(hash(key)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let bucket = spread as usize & (self.buckets - 1);
        let entries = &mut self.words[bucket * 2 * size..(bucket + 1) * 2 * size];
        let value = u64::from(moves) + 1;
        let same = (0..2).find(|entry| {
            let at = entry * size;
            entries[at + width] != 0 && entries[at..at + width] == *key
        });
        if same.is_some_and(|entry| entries[entry * size + width] <= value) {
            return false;
        }
        // An empty entry, or the one with more moves.
        let most = |entry: &usize| match entries[entry * size + width] {
            0 => u64::MAX,
            moves => moves,
        };
        let entry = same.or_else(|| (0..2).max_by_key(most)).unwrap_or(0);
        entries[entry * size..entry * size + width].copy_from_slice(key);
        entries[entry * size + width] = value;
        true
    }
}
