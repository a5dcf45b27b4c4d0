//! A solver of Connect Four as one is written by hand.
//!
//! After Pascal Pons, "Solving Connect Four" (blog.gamesolver.org, 2015 to 2019): negamax with windows of no width, closed
//! in on by halves; never a move after which the opponent wins at once; moves that leave the most cells which complete a
//! line first, the middle columns before the others; a table with one bound for a position. Written from that
//! description.
//!
//! A column is one bit longer than the board is high, the lowest cell first. A score is how many discs the winner would
//! have left over, and 1 more; negative where the mover loses; 0 for a draw.

/// A board and what is asked of it again and again. `cols * (rows + 1)` is at most 63.
pub struct Solver {
    cols: i32,
    rows: i32,
    foot: u64,
    board: u64,
    order: Vec<u64>,
    table: Vec<u64>,
    /// How many positions were looked at.
    pub nodes: u64,
}

/// The discs of the player to move, those of both, how many there are.
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

/// Bits of a key in the table, under which the bound lies.
const BOUND_BITS: u32 = 8;

impl Solver {
    /// For a board, with a table of so many entries of 8 bytes.
    pub fn new(cols: i32, rows: i32, entries: usize) -> Solver {
        let foot: u64 = (0..cols).map(|col| 1 << (col * (rows + 1))).sum();
        let column = |col: i32| ((1u64 << rows) - 1) << (col * (rows + 1));
        // The middle first, then to both sides of it.
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

    /// The position after these columns, counted from 1.
    pub fn played(&self, columns: &str) -> Position {
        columns.bytes().fold(Position { own: 0, all: 0, discs: 0 }, |at, column| {
            let foot = 1u64 << (i32::from(column - b'1') * (self.rows + 1));
            at.after((at.all + foot) & !at.all)
        })
    }

    /// The cells that complete a line of these discs.
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

    /// The moves after which the opponent does not win at once.
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

    /// The exact score; with `weak`, 1, 0 or -1.
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

    /// Of a position whose mover does not win at once: at most this if it is not above `alpha`, at least this if it is not
    /// below `beta`, otherwise exact.
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
        // Two bounds of one position: what is at most, and beyond those what is at least.
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

    /// The empty board.
    pub fn empty(&self) -> Position {
        Position { own: 0, all: 0, discs: 0 }
    }
}
