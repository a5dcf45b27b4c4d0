//! Othello, 8 by 8, Black first. A pass is a move and a ply.
//!
//! Words: the discs of the player to move, and those of the other, a1 the lowest bit. The parity of plies tells the
//! colours.
//!
//! - Moves: for each direction, runs of the other's discs grow from one's own in few steps (after Kogge and Stone): 1,
//!   2, 4, 6 discs; the two directions of a line share the pairs. To the right one addition suffices: its carry runs
//!   through the discs.
//! - Flips of a move: a row uses two table lookups, first for the squares at which a run could end, then for the discs
//!   between. On the other three lines, the lowest square of the ray that holds no disc of the other ends the run, and
//!   if one's own disc is on it, the whole ray below it flips. The three rays downwards are rays upwards of the board
//!   with its ranks reversed.
//! - A playout finds the chosen move among up to 16 without a branch.

use super::{Perft, Playouts, Random, either, lowest, nth_of_4, rest, rest4};

const BLACK: u64 = 1 << 28 | 1 << 35;
const WHITE: u64 = 1 << 27 | 1 << 36;
/// Files b to g: a run along a row or a diagonal is within them.
const INNER: u64 = 0x7E7E_7E7E_7E7E_7E7E;

#[inline(always)]
fn moves(own: u64, other: u64) -> u64 {
    let inner = other & INNER;
    let mut left = inner & (own >> 1);
    for _ in 0..5 {
        left |= inner & (left >> 1);
    }
    let row = (inner + (inner & (own << 1))) & !inner | left >> 1;
    (row | ends(own, inner, 7) | ends(own, other, 8) | ends(own, inner, 9)) & !(own | other)
}

/// Returns the squares at the far ends of the runs of `other` that start next to `own`, in both directions.
#[inline(always)]
fn ends(own: u64, other: u64, by: u32) -> u64 {
    let mut up = other & (own << by);
    let mut down = other & (own >> by);
    up |= other & (up << by);
    down |= other & (down >> by);
    let pairs_up = other & (other << by);
    let pairs_down = pairs_up >> by;
    up |= pairs_up & (up << (2 * by));
    down |= pairs_down & (down >> (2 * by));
    up |= pairs_up & (up << (2 * by));
    down |= pairs_down & (down >> (2 * by));
    up << by | down >> by
}

/// The rays from each square to the north-west, north and north-east.
static RAYS: [[u64; 3]; 64] = {
    let mut rays = [[0; 3]; 64];
    let mut square = 0;
    while square < 64 {
        let mut way = 0;
        while way < 3 {
            let step = way as i32 - 1;
            let (mut file, mut rank) = (square as i32 % 8 + step, square as i32 / 8 + 1);
            while 0 <= file && file < 8 && rank < 8 {
                rays[square][way] |= 1 << (8 * rank + file);
                (file, rank) = (file + step, rank + 1);
            }
            way += 1;
        }
        square += 1;
    }
    rays
};

/// The squares after the runs, indexed by the file of the move and by the other's discs on files b to g.
static ENDS: [[u8; 64]; 8] = {
    let mut ends = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut other = 0;
        while other < 64 {
            let run = other << 1;
            let mut end = file + 1;
            while run >> end & 1 != 0 {
                end += 1;
            }
            if file + 1 < end {
                ends[file][other] |= 1 << end;
            }
            let mut start = file;
            while start > 0 && run >> (start - 1) & 1 != 0 {
                start -= 1;
            }
            if start < file {
                ends[file][other] |= 1 << (start - 1);
            }
            other += 1;
        }
        file += 1;
    }
    ends
};

/// The squares between, indexed by the file of the move and by the ends of its runs.
static BETWEEN: [[u8; 256]; 8] = {
    let mut between = [[0; 256]; 8];
    let mut file = 0;
    while file < 8 {
        let mut ends = 0;
        while ends < 256 {
            let mut end = 0;
            while end < 8 {
                if ends >> end & 1 != 0 {
                    let mut at = if end < file { end + 1 } else { file + 1 };
                    while at < end || at < file {
                        between[file][ends] |= 1 << at;
                        at += 1;
                    }
                }
                end += 1;
            }
            ends += 1;
        }
        file += 1;
    }
    between
};

#[inline(always)]
fn flips(own: u64, other: u64, square: u32) -> u64 {
    let (file, rank) = (square as usize & 7, square as usize >> 3 & 7);
    let runs = ((other & INNER) >> 1).to_le_bytes()[rank] & 63;
    let ends = own.to_le_bytes()[rank] & ENDS[file][usize::from(runs)];
    let row = u64::from(BETWEEN[file][usize::from(ends)]) << (8 * rank);

    let up = |own: u64, not_other: u64, ray: u64| {
        let end = lowest(ray & not_other) & own;
        end.saturating_sub(1) & ray
    };
    let north = RAYS[square as usize & 63].map(|ray| up(own, !other, ray));
    let (own, other) = (own.swap_bytes(), other.swap_bytes());
    let south = RAYS[(square ^ 56) as usize & 63].map(|ray| up(own, !other, ray));
    row | (north[0] | north[1] | north[2]) | (south[0] | south[1] | south[2]).swap_bytes()
}

/// Returns the position after a move: the discs of the player who is to move then, and those of the other.
#[inline(always)]
fn play(own: u64, other: u64, square: u32) -> (u64, u64) {
    let flips = flips(own, other, square);
    (other ^ flips, own ^ flips ^ (1 << square))
}

pub fn perft(depth: u32, _by_turn: bool) -> Perft {
    if depth == 0 { Perft::of([BLACK, WHITE, 0]) } else { walk(BLACK, WHITE, depth) }
}

fn walk(own: u64, other: u64, depth: u32) -> Perft {
    let mut sum = Perft::default();
    let mut free = moves(own, other);
    if free == 0 {
        if moves(other, own) != 0 {
            if depth > 1 {
                return walk(other, own, depth - 1);
            }
            sum.leaf([other, own, 0]);
        }
    } else if depth == 1 {
        while free != 0 {
            let (own, other) = play(own, other, free.trailing_zeros());
            free = rest(free);
            sum.leaf([own, other, 0]);
        }
    } else {
        while free != 0 {
            let (own, other) = play(own, other, free.trailing_zeros());
            free = rest(free);
            sum.add(walk(own, other, depth - 1));
        }
    }
    sum
}

pub fn playouts(games: u64, seed: u64) -> Playouts {
    let mut random = Random::new(seed);
    let mut sum = Playouts::default();
    for _ in 0..games {
        let (mut own, mut other) = (BLACK, WHITE);
        let mut states = 0;
        loop {
            let free = moves(own, other);
            if free != 0 {
                let k = random.below(u64::from(free.count_ones()));
                (own, other) = play(own, other, nth(free, k).trailing_zeros());
            } else if moves(other, own) != 0 {
                random.below(1);
                (own, other) = (other, own);
            } else {
                break;
            }
            states += 1;
        }
        sum.game(states, [own, other, 0]);
    }
    sum
}

/// Returns bit number `k` of `x`.
#[inline(always)]
fn nth(mut x: u64, mut k: u64) -> u64 {
    while k >= 16 {
        x = rest4(rest4(rest4(rest4(x))));
        k -= 16;
    }
    let x4 = rest4(x);
    let x8 = rest4(x4);
    let x12 = rest4(x8);
    let four = k >> 2 & 1;
    nth_of_4(either(either(x, x4, four), either(x8, x12, four), k >> 3), k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        for (depth, leaves) in [1, 4, 12, 56, 244, 1396, 8200, 55092, 390_216].into_iter().enumerate() {
            assert_eq!(perft(depth as u32, false).leaves, leaves, "perft {depth}");
        }
    }

    #[test]
    fn a_pass_is_a_ply() {
        // White on a1 and Black on a2: only White can place, and then neither player can.
        let (black, white) = (1 << 8, 1);
        assert_eq!(moves(black, white), 0);
        assert_eq!(moves(white, black), 1 << 16);
        assert_eq!(walk(black, white, 1), Perft::of([white, black, 0]));
        assert_eq!(walk(black, white, 2).leaves, 1);
        assert_eq!(walk(black, white, 3).leaves, 0);
    }

    #[test]
    fn the_bit_of_a_number() {
        for x in [1, u64::MAX, 0x8421_0F0F_5555_0001] {
            let bits = (0..64).filter(|at| x >> at & 1 != 0);
            for (k, at) in bits.enumerate() {
                assert_eq!(nth(x, k as u64), 1 << at);
            }
        }
    }

    #[test]
    fn games_end() {
        let played = playouts(1000, 1);
        assert!((9 * 1000..=120 * 1000).contains(&played.states), "{played:?}");
        assert_eq!(played, playouts(1000, 1));
    }
}
