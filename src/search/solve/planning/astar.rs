//! A* on packed positions, 64 at a time.
//!
//! Technique: of the open positions those with the least sum of the moves so far and the bound of the moves to come are
//! expanded, the latest first; positions of one bucket are expanded in one batch. With a weight above 1 of the bound,
//! the search is greedy: it finds a plan soon, not a shortest one.
//! Source: Hart, Nilsson, Raphael, "A formal basis for the heuristic determination of minimum cost paths" (1968); Pohl
//! (1970) for weights.
//! Cost: the positions whose sum is less than the length of a shortest plan, and some of those with the same sum.
//! Invariant: the bound is consistent, so an expanded position has its least number of moves (with the weight 1).

use super::abstraction::{Layout, Partition};
use super::batch::{AbstractGame, BATCH, Charge, Expansion};
use super::counting::CountingBound;
use super::database::Databases;
use super::task::PlanningTask;
use crate::game::arena::{PositionArena, hash};
use bouton_base::limits::{LimitHit, Limits};

/// The parent of the first position.
const NO_PARENT: u32 = u32::MAX;

/// The lower bounds of the moves to a win.
pub struct Bounds<'t> {
    pub databases: &'t Databases,
    /// The bound by counting, if it says more than the databases.
    pub counting: Option<&'t CountingBound>,
}

impl Bounds<'_> {
    /// Returns the bound of a position; `None` if there is no win.
    pub fn of(&self, layout: &Layout, key: &[u64], coarse: &mut Vec<u64>) -> Option<u16> {
        let found = self.databases.bound(key, coarse)?;
        match self.counting {
            Some(counting) => Some(found.max(counting.bound(layout, key)?)),
            None => Some(found),
        }
    }
}

/// The result of a search.
pub enum SearchResult {
    /// The moves of a plan, by their indices in the task.
    Plan(Vec<u32>),
    /// No win can be reached.
    NoWin,
    /// The search ended early. Every plan has at least `least` moves.
    Open {
        least: u32,
        /// The limit that was reached; `None` if the budget of positions was.
        limit: Option<LimitHit>,
    },
    /// The rules may have no meaning in a position that was reached.
    Fault,
}

/// The options of a search.
#[derive(Clone, Copy)]
pub struct SearchOptions<'t> {
    pub limits: &'t Limits,
    /// The weight of the bound: 1 for a shortest plan.
    pub weight: u32,
    /// The maximal number of positions to expand.
    pub most: u64,
    /// The length of a known plan; a search with the weight 1 ends when no plan is shorter.
    pub known: Option<u32>,
    /// The number of bytes that are held besides.
    pub held: u64,
}

/// A search for a plan.
pub struct AStar<'t> {
    game: AbstractGame,
    bounds: Bounds<'t>,
    positions: PositionArena,
    /// The fewest moves found to each position.
    moves: Vec<u32>,
    bound: Vec<u16>,
    expanded: Vec<bool>,
    /// The position before each position, and the move.
    parents: Vec<(u32, u32)>,
    /// The open positions by their sum.
    buckets: Vec<Vec<u32>>,
    /// The least sum of an open position.
    least: usize,
    /// The number of expanded positions.
    pub visited: u64,
}

/// The approximate number of bytes of a position besides its words and its hash.
const POSITION_BYTES: u64 = 24;

impl<'t> AStar<'t> {
    /// Prepares a search from the position of the task.
    pub fn new(task: &'t PlanningTask, bounds: Bounds<'t>) -> AStar<'t> {
        let partition = Partition::identity(&task.possible);
        let game = AbstractGame::new(task, &partition, &vec![Charge::Always; task.actions.len()]);
        AStar {
            game,
            bounds,
            positions: PositionArena::default(),
            moves: Vec::new(),
            bound: Vec::new(),
            expanded: Vec::new(),
            parents: Vec::new(),
            buckets: Vec::new(),
            least: 0,
            visited: 0,
        }
    }

    /// Searches from the position of the task.
    pub fn run(&mut self, start: &[u8], options: &SearchOptions<'_>) -> SearchResult {
        let mut coarse = Vec::new();
        let key = self.game.layout.key_of_values(start);
        let Some(first) = self.bounds.of(&self.game.layout, &key, &mut coarse) else {
            return SearchResult::NoWin;
        };
        self.add(&key, 0, first, (NO_PARENT, 0), options.weight);
        let width = self.game.layout.width();
        let mut expansion = Expansion::default();
        let (mut batch, mut numbers) = (Vec::new(), Vec::new());
        loop {
            while self.buckets.get(self.least).is_some_and(Vec::is_empty) {
                self.least += 1;
            }
            let least = self.least;
            if least >= self.buckets.len() {
                return SearchResult::NoWin;
            }
            // With the weight 1 no plan has fewer moves than the least sum.
            if options.weight == 1 && options.known.is_some_and(|known| least as u32 >= known) {
                return SearchResult::Open { least: least as u32, limit: None };
            }
            numbers.clear();
            batch.clear();
            while numbers.len() < BATCH
                && let Some(number) = self.buckets[least].pop()
            {
                let sum =
                    self.moves[number as usize] + options.weight * u32::from(self.bound[number as usize]);
                // An entry that a shorter path replaced, or a position that was expanded before.
                if self.expanded[number as usize] || sum as usize != least {
                    continue;
                }
                self.expanded[number as usize] = true;
                numbers.push(number);
                batch.extend_from_slice(self.positions.words(number));
            }
            if numbers.is_empty() {
                continue;
            }
            let held = options.held + self.held_bytes();
            let limit = options.limits.check_held(held);
            if limit.is_some() || self.visited >= options.most {
                return SearchResult::Open { least: least as u32, limit };
            }
            self.visited += numbers.len() as u64;
            // Each position of the game has at most one result of each move.
            let Ok(()) = self.game.expand(&batch, &mut expansion) else {
                return SearchResult::Fault;
            };
            let stuck = !(expansion.mobile | expansion.over);
            for (lane, &number) in numbers.iter().enumerate() {
                if expansion.won >> lane & 1 == 1 {
                    return SearchResult::Plan(self.plan(number));
                }
                if (expansion.faulty | stuck) >> lane & 1 == 1 {
                    return SearchResult::Fault;
                }
            }
            for (successor, key) in expansion.successors.iter().zip(expansion.keys.chunks_exact(width)) {
                let from = numbers[successor.lane as usize];
                let moves = self.moves[from as usize] + 1;
                let code = hash(key);
                match self.positions.find_words(code, key) {
                    Some(to) => self.improve(to, moves, (from, successor.action), options.weight),
                    None => {
                        let bound = self.bounds.of(&self.game.layout, key, &mut coarse);
                        // A position without a win is not kept.
                        if let Some(bound) = bound
                            && !self.add(key, moves, bound, (from, successor.action), options.weight)
                        {
                            return SearchResult::Open { least: least as u32, limit: Some(LimitHit::Memory) };
                        }
                    }
                }
            }
        }
    }

    /// Adds a new position; returns false if there are too many.
    fn add(&mut self, key: &[u64], moves: u32, bound: u16, parent: (u32, u32), weight: u32) -> bool {
        let Some(number) = self.positions.intern_words(hash(key), key) else { return false };
        self.moves.push(moves);
        self.bound.push(bound);
        self.expanded.push(false);
        self.parents.push(parent);
        self.open(number, moves + weight * u32::from(bound));
        true
    }

    fn improve(&mut self, to: u32, moves: u32, parent: (u32, u32), weight: u32) {
        let at = to as usize;
        if self.expanded[at] || moves >= self.moves[at] {
            return;
        }
        self.moves[at] = moves;
        self.parents[at] = parent;
        self.open(to, moves + weight * u32::from(self.bound[at]));
    }

    fn open(&mut self, number: u32, sum: u32) {
        let sum = sum as usize;
        if self.buckets.len() <= sum {
            self.buckets.resize_with(sum + 1, Vec::new);
        }
        self.buckets[sum].push(number);
        self.least = self.least.min(sum);
    }

    /// Returns the moves to a position.
    fn plan(&self, number: u32) -> Vec<u32> {
        let mut plan = Vec::new();
        let mut at = number;
        while self.parents[at as usize].0 != NO_PARENT {
            let (before, action) = self.parents[at as usize];
            plan.push(action);
            at = before;
        }
        plan.reverse();
        plan
    }

    /// Returns the number of bytes held.
    pub fn held_bytes(&self) -> u64 {
        self.positions.held_bytes(0) + POSITION_BYTES * self.positions.len() as u64
    }
}
