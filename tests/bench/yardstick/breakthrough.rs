//! Breakthrough, 8 by 8, White first.
//!
//! Words: the men of White and of Black, a1 the lowest bit, a rank in 8 bits.
//!
//! - The moves of a side are sets of targets, one for each direction; a target determines its man. The code is compiled
//!   once per side.
//! - A side without men has no targets, and the targets exclude a man that has reached the last rank before the next
//!   ply is generated: neither end costs a check in perft.
//! - The last ply of perft iterates over the three sets in step while each has a move: their sizes are similar, so
//!   fewer loop exits are mispredicted than with one set after another.
//! - A playout counts the three sets and finds the chosen target without a branch.

use super::{Perft, Playouts, Random, either, lowest, nth_of_4, rest, rest4};

const WHITE: u64 = 0xFFFF;
const BLACK: u64 = WHITE << 48;
const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

#[inline(always)]
fn ahead<const UP: bool>(x: u64, by: u32) -> u64 {
    if UP { x << by } else { x >> by }
}

#[inline(always)]
fn back<const UP: bool>(x: u64, by: u32) -> u64 {
    if UP { x >> by } else { x << by }
}

/// Returns the target squares of the men: 7, 8 and 9 squares ahead.
#[inline(always)]
fn targets<const UP: bool>(own: u64, other: u64) -> [u64; 3] {
    let (wrap7, wrap9) = if UP { (FILE_H, FILE_A) } else { (FILE_A, FILE_H) };
    [
        ahead::<UP>(own, 7) & !wrap7 & !own,
        ahead::<UP>(own, 8) & !(own | other),
        ahead::<UP>(own, 9) & !wrap9 & !own,
    ]
}

#[inline(always)]
fn goal<const UP: bool>() -> u64 {
    if UP { 0xFF << 56 } else { 0xFF }
}

pub fn perft(depth: u32, _by_turn: bool) -> Perft {
    match depth {
        0 => Perft::of([WHITE, BLACK, 0]),
        _ => walk::<true>(WHITE, BLACK, depth),
    }
}

fn walk<const UP: bool>(own: u64, other: u64, depth: u32) -> Perft {
    let mut sum = Perft::default();
    let targets = targets::<UP>(own, other);
    if depth == 1 {
        last::<UP>(&mut sum, own, other, targets);
        return sum;
    }
    for (by, targets) in (7..).zip(targets) {
        let mut targets = targets & !goal::<UP>();
        while targets != 0 {
            let to = lowest(targets);
            targets = rest(targets);
            let (own, other) = (own ^ (to | back::<UP>(to, by)), other & !to);
            sum.add(if UP {
                walk::<false>(other, own, depth - 1)
            } else {
                walk::<true>(other, own, depth - 1)
            });
        }
    }
    sum
}

#[inline(always)]
fn last<const UP: bool>(sum: &mut Perft, own: u64, other: u64, [mut a, mut b, mut c]: [u64; 3]) {
    let mut leaf = |targets: &mut u64, by: u32| {
        let to = lowest(*targets);
        *targets ^= to;
        let (own, other) = (own ^ (to | back::<UP>(to, by)), other & !to);
        sum.leaf(if UP { [own, other, 0] } else { [other, own, 0] });
    };
    while a != 0 && b != 0 && c != 0 {
        leaf(&mut a, 7);
        leaf(&mut b, 8);
        leaf(&mut c, 9);
    }
    while a != 0 {
        leaf(&mut a, 7);
    }
    while b != 0 {
        leaf(&mut b, 8);
    }
    while c != 0 {
        leaf(&mut c, 9);
    }
}

pub fn playouts(games: u64, seed: u64) -> Playouts {
    let mut random = Random::new(seed);
    let mut sum = Playouts::default();
    for _ in 0..games {
        let (mut white, mut black) = (WHITE, BLACK);
        let mut states = 0;
        loop {
            if ply::<true>(&mut white, &mut black, &mut states, &mut random)
                || ply::<false>(&mut black, &mut white, &mut states, &mut random)
            {
                break;
            }
        }
        sum.game(states, [white, black, 0]);
    }
    sum
}

/// Makes a random move; returns true if the game is over, then or before.
#[inline(always)]
fn ply<const UP: bool>(own: &mut u64, other: &mut u64, states: &mut u64, random: &mut Random) -> bool {
    let [a, b, c] = targets::<UP>(*own, *other);
    let n_a = u64::from(a.count_ones());
    let n_ab = n_a + u64::from(b.count_ones());
    let n = n_ab + u64::from(c.count_ones());
    if n == 0 {
        return true; // no men
    }
    let k = random.below(n);
    let (past_a, past_b) = (u64::from(k >= n_a), u64::from(k >= n_ab));
    let of = |a, b, c| either(either(a, b, past_a), c, past_b);
    let k = k - of(0, n_a, n_ab);
    let mut x = either(of(a, b, c), of(rest4(a), rest4(b), rest4(c)), k >> 2 & 1);
    if k >= 8 {
        x = rest4(rest4(x));
    }
    let to = nth_of_4(x, k);
    *own ^= to | back::<UP>(to, 7 + past_a as u32 + past_b as u32);
    *other &= !to;
    *states += 1;
    to & goal::<UP>() != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        for (depth, leaves) in [1, 22, 484, 11132, 256_036].into_iter().enumerate() {
            assert_eq!(perft(depth as u32, false).leaves, leaves, "perft {depth}");
        }
    }

    #[test]
    fn a_finished_game_has_no_moves() {
        // a7-a8 and a7xb8 end the game; after a1-a2 and a1-b2 Black's man has three moves
        let (white, black) = (1 << 48 | 1, 1 << 57);
        assert_eq!(walk::<true>(white, black, 1).leaves, 2 + 2);
        assert_eq!(walk::<true>(white, black, 2).leaves, 2 * 3);
    }

    #[test]
    fn games_end() {
        let played = playouts(1000, 1);
        assert!((11 * 1000..=208 * 1000).contains(&played.states), "{played:?}");
        assert_eq!(played, playouts(1000, 1));
    }
}
