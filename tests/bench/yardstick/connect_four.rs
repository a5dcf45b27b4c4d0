//! Connect Four, 7 columns by 6 rows.
//!
//! A column is 7 bits, the lowest cell first; the 7th stays 0, so that lines do not run from one column into the
//! next. Words: the discs of the player to move, and those of the player who has just moved.
//!
//! - Adding 1 at the foot of a column carries through its discs to the free cell above them: one addition finds the
//!   moves of all columns.
//! - Only the player who has just moved can have won: two shifts and two ands for each direction.
//! - Playouts keep the open columns in a small array and close a full one by putting the last into its place. The
//!   first five discs neither win nor fill a column.

use super::{Perft, Playouts, Random};

const FOOT: u64 = 0x0408_1020_4081;
const TOP: u64 = FOOT << 5;
const BOARD: u64 = FOOT * 63;

pub fn perft(depth: u32, _by_turn: bool) -> Perft {
    if depth == 0 { Perft::of([0, 0, 0]) } else { walk(0, 0, depth) }
}

fn walk(own: u64, other: u64, depth: u32) -> Perft {
    let mut sum = Perft::default();
    match depth {
        1 => last(&mut sum, own, other),
        2 => moves(own, other, |own| {
            if !four(own) {
                last(&mut sum, other, own);
            }
        }),
        _ => moves(own, other, |own| {
            if !four(own) {
                sum.add(walk(other, own, depth - 1));
            }
        }),
    }
    sum
}

#[inline(always)]
fn last(sum: &mut Perft, own: u64, other: u64) {
    moves(own, other, |own| sum.leaf([other, own, 0]));
}

/// Visits the discs of the mover after each move.
#[inline(always)]
fn moves(own: u64, other: u64, mut visit: impl FnMut(u64)) {
    let free = ((own | other) + FOOT) & BOARD;
    for column in 0..7 {
        let cell = free & (63 << (7 * column));
        if cell != 0 {
            visit(own | cell);
        }
    }
}

#[inline(always)]
fn four(x: u64) -> bool {
    let line = |step: u32| {
        let two = x & (x >> step);
        two & (two >> (2 * step))
    };
    line(1) | line(6) | line(7) | line(8) != 0
}

pub fn playouts(games: u64, seed: u64) -> Playouts {
    let mut random = Random::new(seed);
    let mut sum = Playouts::default();
    for _ in 0..games {
        let (mut own, mut other) = (0, 0);
        // the feet of the open columns; the eighth place only spares a check of bounds
        let mut open: [u64; 8] = [1, 1 << 7, 1 << 14, 1 << 21, 1 << 28, 1 << 35, 1 << 42, 0];
        let mut n = 7;
        for _ in 0..5 {
            let foot = open[random.below(7) as usize];
            let all = own | other;
            (own, other) = (other, own | ((all + foot) & !all));
        }
        let mut states = 5;
        loop {
            let at = random.below(n) as usize & 7;
            let all = own | other;
            let cell = (all + open[at]) & !all;
            (own, other) = (other, own | cell);
            states += 1;
            if four(other) {
                break;
            }
            if cell & TOP != 0 {
                n -= 1;
                open[at] = open[n as usize & 7];
                if n == 0 {
                    break;
                }
            }
        }
        sum.game(states, [own, other, 0]);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let counts = [1, 7, 49, 343, 2401, 16807, 117_649, 823_536, 5_673_234];
        for (depth, leaves) in counts.into_iter().enumerate() {
            assert_eq!(perft(depth as u32, false).leaves, leaves, "perft {depth}");
        }
    }

    #[test]
    fn a_finished_game_has_no_moves() {
        let (three, far) = (1 | 1 << 7 | 1 << 14, 1 << 42 | 1 << 43);
        assert_eq!(walk(three, far, 1).leaves, 7);
        assert_eq!(walk(three, far, 2).leaves, 6 * 7, "four in the foot of a to d");
    }

    #[test]
    fn games_end() {
        let played = playouts(1000, 1);
        assert!((7 * 1000..=42 * 1000).contains(&played.states), "{played:?}");
        assert_eq!(played, playouts(1000, 1));
    }
}
