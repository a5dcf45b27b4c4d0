//! A hand-written solver of Connect Four.
//!
//! After Pascal Pons, "Solving Connect Four" (blog.gamesolver.org, 2015 to 2019): negamax with null windows that bisect
//! the range of scores; no move after which the opponent wins at once; move ordering by the number of cells that
//! complete a line, then from the middle column outwards; a transposition table with one bound per position. Written
//! from that description.
//!
//! A column has one bit more than the board has rows, the lowest cell first. A score is the number of discs that the
//! winner would have left over, plus 1; negative where the mover loses; 0 for a draw.

/// A solver for one board, with the masks of the board, its table and its counter. `cols * (rows + 1)` is at most 63.
pub struct Solver {
    cols: i32,
    rows: i32,
    foot: u64,
    board: u64,
    order: Vec<u64>,
    table: Vec<u64>,
    /// The number of positions visited.
    pub nodes: u64,
}

/// The discs of the player to move, the discs of both players, and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    own: u64,
    all: u64,
    discs: i32,
}

impl Position {
    fn after(self, cell: u64) -> Position {
        Position { own: self.own ^ self.all, all: self.all | cell, discs: self.discs + 1 }
    }
}

/// The number of low bits of a table entry that hold the bound; the key occupies the rest.
const BOUND_BITS: u32 = 8;

impl Solver {
    /// Makes a solver for a board, with a table of `entries` entries of 8 bytes.
    pub fn new(cols: i32, rows: i32, entries: usize) -> Solver {
        let foot: u64 = (0..cols).map(|col| 1 << (col * (rows + 1))).sum();
        let column = |col: i32| ((1u64 << rows) - 1) << (col * (rows + 1));
        // The middle first, then alternately on both sides of it.
        let from_middle = |i: i32| cols / 2 + if i % 2 == 1 { -(i / 2) - 1 } else { i / 2 };
        let order = (0..cols).map(|i| column(from_middle(i)));
        let order = order.filter(|&bits| bits != 0).collect();
        Solver {
            cols,
            rows,
            foot,
            board: foot * ((1 << rows) - 1),
            order,
            table: vec![0; entries | 1],
            nodes: 0,
        }
    }

    /// Returns the position after these columns, counted from 1.
    pub fn played(&self, columns: &str) -> Position {
        columns.bytes().fold(Position { own: 0, all: 0, discs: 0 }, |at, column| {
            let foot = 1u64 << (i32::from(column - b'1') * (self.rows + 1));
            at.after((at.all + foot) & !at.all)
        })
    }

    /// Returns the cells that complete a line of these discs.
    #[inline(always)]
    fn completing(&self, x: u64, all: u64) -> u64 {
        let h = self.rows as u32 + 1;
        // Three on top of each other.
        let mut found = (x << 1) & (x << 2) & (x << 3);
        for step in [h, h - 1, h + 1] {
            let up = (x << step) & (x << (2 * step));
            found |= up & (x << (3 * step));
            found |= up & (x >> step);
            let down = (x >> step) & (x >> (2 * step));
            found |= down & (x >> (3 * step));
            found |= down & (x << step);
        }
        found & self.board & !all
    }

    fn possible(&self, at: Position) -> u64 {
        (at.all + self.foot) & self.board
    }

    fn wins_at_once(&self, at: Position) -> bool {
        self.completing(at.own, at.all) & self.possible(at) != 0
    }

    /// Returns the moves after which the opponent does not win at once.
    fn safe(&self, at: Position) -> u64 {
        let possible = self.possible(at);
        let threats = self.completing(at.own ^ at.all, at.all);
        let forced = possible & threats;
        let possible = match forced {
            0 => possible,
            _ if forced & (forced - 1) != 0 => return 0,
            _ => forced,
        };
        possible & !(threats >> 1)
    }

    /// Returns the exact score; with `weak`, its sign: 1, 0 or -1.
    pub fn solve(&mut self, at: Position, weak: bool) -> i32 {
        let left = self.cols * self.rows - at.discs;
        if self.wins_at_once(at) {
            return if weak { 1 } else { (left + 1) / 2 };
        }
        let (mut low, mut high) = if weak { (-1, 1) } else { (-left / 2, (left + 1) / 2) };
        while low < high {
            let mut middle = low + (high - low) / 2;
            if middle <= 0 && low / 2 < middle {
                middle = low / 2;
            } else if middle >= 0 && high / 2 > middle {
                middle = high / 2;
            }
            let score = self.negamax(at, middle, middle + 1);
            if score <= middle { high = score } else { low = score }
        }
        if weak { low.signum() } else { low }
    }

    /// Returns the score of a position whose mover does not win at once: an upper bound if it is not above `alpha`, a
    /// lower bound if it is not below `beta`, otherwise exact.
    fn negamax(&mut self, at: Position, mut alpha: i32, mut beta: i32) -> i32 {
        self.nodes += 1;
        let left = self.cols * self.rows - at.discs;
        let safe = self.safe(at);
        if safe == 0 {
            return -left / 2;
        }
        if left <= 2 {
            return 0;
        }
        let least = -(left - 2) / 2;
        if alpha < least {
            alpha = least;
            if alpha >= beta {
                return alpha;
            }
        }
        let most = (left - 1) / 2;
        if beta > most {
            beta = most;
            if alpha >= beta {
                return beta;
            }
        }
        // An entry holds an upper bound, or, in the codes above the upper bounds, a lower bound.
        let key = at.own + at.all;
        let slot =
            ((u128::from(key.wrapping_mul(0x9e37_79b9_7f4a_7c15)) * self.table.len() as u128) >> 64) as usize;
        let entry = self.table[slot];
        if entry >> BOUND_BITS == key && entry != 0 {
            let bound = (entry & 0xff) as i32 - 64;
            if bound >= 32 {
                let bound = bound - 64;
                if alpha < bound {
                    alpha = bound;
                    if alpha >= beta {
                        return alpha;
                    }
                }
            } else if beta > bound {
                beta = bound;
                if alpha >= beta {
                    return beta;
                }
            }
        }
        let mut moves = [(0u32, 0u64); 16];
        let mut count = 0;
        for &column in self.order.iter().rev() {
            let cell = safe & column;
            if cell != 0 {
                let score = self.completing(at.own | cell, at.all | cell).count_ones();
                let mut place = count;
                while place > 0 && moves[place - 1].0 > score {
                    moves[place] = moves[place - 1];
                    place -= 1;
                }
                moves[place] = (score, cell);
                count += 1;
            }
        }
        for &(_, cell) in moves[..count].iter().rev() {
            let score = -self.negamax(at.after(cell), -beta, -alpha);
            if score >= beta {
                self.table[slot] = key << BOUND_BITS | (score + 128) as u64;
                return score;
            }
            alpha = alpha.max(score);
        }
        self.table[slot] = key << BOUND_BITS | (alpha + 64) as u64;
        alpha
    }

    /// Returns the empty board.
    pub fn empty(&self) -> Position {
        Position { own: 0, all: 0, discs: 0 }
    }
}
