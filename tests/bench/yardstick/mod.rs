//! Yardsticks: four games written by hand as bitboard programs, about as fast as portable Rust makes them. The
//! benchmark gives the speed of compiled rules as a share of theirs.
//!
//! Both sides use the same measure:
//! - A position is up to three words. A leaf of a perft is a position that was made, and its words go into the
//!   checksum: nothing is counted in bulk. A finished game has no moves, and counts at depth 0 only.
//! - A playout draws each of its moves, even an only move, from one generator; its games run one after another. Every
//!   position after the first of a game counts as a state; the words of the last position go into the checksum.
//!
//! Checksums ensure that no work is left out. They equal those of other programs only if words and order of moves do.
//!
//! Common techniques of the four: sets of squares are words, so one shift finds the moves of all pieces in one
//! direction; the code is compiled once per side; the last ply of a perft is a loop of its own, without calls; a
//! playout counts its moves and makes only the chosen one, which [`nth_of_4`] and similar functions find without a
//! branch. Most of the time goes into unpredictable branches (perft: the number of moves) and into the dependency chain
//! from one position to the next (playouts).

pub mod breakthrough;
pub mod connect_four;
pub mod english_draughts;
pub mod othello;

/// The result of a perft: its number of leaves, and the sum of their [`mix`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Perft {
    pub leaves: u64,
    pub checksum: u64,
}

impl Perft {
    #[inline(always)]
    fn leaf(&mut self, words: [u64; 3]) {
        self.leaves += 1;
        self.checksum = self.checksum.wrapping_add(mix(words));
    }

    #[inline(always)]
    fn add(&mut self, below: Perft) {
        self.leaves += below.leaves;
        self.checksum = self.checksum.wrapping_add(below.checksum);
    }

    /// Returns the perft of depth 0 of a position.
    fn of(words: [u64; 3]) -> Perft {
        Perft { leaves: 1, checksum: mix(words) }
    }
}

/// The result of random games: the number of positions after the first of each, and the sum of the [`mix`] of the last
/// positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Playouts {
    pub states: u64,
    pub checksum: u64,
}

impl Playouts {
    #[inline(always)]
    fn game(&mut self, states: u64, last: [u64; 3]) {
        self.states += states;
        self.checksum = self.checksum.wrapping_add(mix(last));
    }
}

/// Mixes the three words of a position into one.
#[inline(always)]
fn mix([a, b, c]: [u64; 3]) -> u64 {
    a ^ b.rotate_left(21) ^ c.rotate_left(42)
}

/// Marsaglia's 64-bit xorshift generator.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        assert_ne!(seed, 0, "xorshift never leaves 0");
        Random(seed)
    }

    /// Returns a number of `0..n`.
    #[inline(always)]
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) * n) >> 32
    }
}

#[inline(always)]
fn lowest(x: u64) -> u64 {
    x & x.wrapping_neg()
}

/// Returns `x` without its lowest bit.
#[inline(always)]
fn rest(x: u64) -> u64 {
    x & x.wrapping_sub(1)
}

#[inline(always)]
fn rest4(x: u64) -> u64 {
    rest(rest(rest(rest(x))))
}

/// Returns `b` if `bit` is 1, `a` if it is 0, without a branch, which would be unpredictable here.
#[inline(always)]
fn either(a: u64, b: u64, bit: u64) -> u64 {
    a ^ ((a ^ b) & bit.wrapping_neg())
}

/// Returns bit number `k % 4` of `x`, from the lowest. The caller handles `k / 4`: it computes [`rest4`] before it
/// knows `k`.
#[inline(always)]
fn nth_of_4(x: u64, k: u64) -> u64 {
    let x = either(x, rest(rest(x)), k >> 1 & 1);
    lowest(either(x, rest(x), k & 1))
}
