//! English draughts, 8 by 8, Black first. Every jump is a move of its own, and counts as a state of a playout; in a
//! perft by turn all jumps of a turn are one ply. A playout is cut off as a draw after 1000 moves.
//!
//! Words: Black's pieces; White's; the kings, with bit 63 for "White is to move" and, in the middle of a turn, the
//! number of the square that must go on jumping, plus one, from bit 56 on.
//!
//! - The 32 squares use 35 bits, in the layout of Samuel's program for the IBM 704: after each two rows of four comes a
//!   bit that is no square. So a step upwards is a shift by 4 or 5 for every square, and the unused bits stop it at the
//!   edges.
//! - The steps of all pieces upwards, or downwards, are one word: a bit for the lower square of each step by 4 in the
//!   low half, of each step by 5 in the high half. Jumps, by 8 and 10, have the same layout. So one loop with one
//!   mispredicted exit makes all men's moves, and the direction of a move costs a few shifts instead of a branch.
//! - A jump does not change the squares ahead of the man that makes it, so the position before the jump determines
//!   whether he goes on.
//! - Kings have loops of their own, which a side without kings skips.
//! - Playouts: a short loop finds the chosen jump among the few jumps; the chosen step takes no branch.

use super::{Perft, Playouts, Random, either, lowest, nth_of_4, rest, rest4};

const SQUARES: u64 = 0x7_FBFD_FEFF;
const BLACK: u64 = 0x0_0000_1EFF;
const WHITE: u64 = 0x7_FBC0_0000;
const TOP: u64 = 0xF << 31;
const BOTTOM: u64 = 0xF;
const WHITE_TO_MOVE: u64 = 1 << 63;
const JUMPER_SHIFT: u32 = 56;
const MAX_PLAYOUT_MOVES: u64 = 1000;

/// Returns the steps upwards from a square of `from` to one of `to`, by their lower squares.
#[inline(always)]
fn steps(from: u64, to: u64) -> u64 {
    from & (to >> 4) | (from & (to >> 5)) << 32
}

/// Returns the jumps upwards from a square of `from` over one of `over` to one of `to`, by their lowest squares.
#[inline(always)]
fn jumps(from: u64, over: u64, to: u64) -> u64 {
    from & (over >> 4) & (to >> 8) | (from & (over >> 5) & (to >> 10)) << 32
}

/// Returns the lower square of a step or jump, the next one, and the one after that.
#[inline(always)]
fn squares(way: u64) -> (u64, u64, u64) {
    let (four, five) = (way & 0xFFFF_FFFF, way >> 32);
    (four | five, (four | five << 1) << 4, (four | five << 2) << 8)
}

#[inline(always)]
fn steps_ahead<const UP: bool>(own: u64, empty: u64) -> u64 {
    if UP { steps(own, empty) } else { steps(empty, own) }
}

#[inline(always)]
fn steps_back<const UP: bool>(own: u64, empty: u64) -> u64 {
    if UP { steps(empty, own) } else { steps(own, empty) }
}

#[inline(always)]
fn jumps_ahead<const UP: bool>(own: u64, other: u64, empty: u64) -> u64 {
    if UP { jumps(own, other, empty) } else { jumps(empty, other, own) }
}

#[inline(always)]
fn jumps_back<const UP: bool>(own: u64, other: u64, empty: u64) -> u64 {
    if UP { jumps(empty, other, own) } else { jumps(own, other, empty) }
}

#[inline(always)]
fn crown<const UP: bool>() -> u64 {
    if UP { TOP } else { BOTTOM }
}

/// Visits the bits of `set`, one after the other.
#[inline(always)]
fn each(mut set: u64, mut visit: impl FnMut(u64)) {
    while set != 0 {
        visit(lowest(set));
        set = rest(set);
    }
}

/// Returns the squares of a man's step or jump: both ends, the captured square, and the destination.
#[inline(always)]
fn man<const UP: bool>(way: u64, jump: bool) -> (u64, u64, u64) {
    let (low, one, two) = squares(way);
    let (mid, high) = if jump { (one, two) } else { (0, one) };
    (low | high, mid, if UP { high } else { low })
}

pub fn perft(depth: u32, by_turn: bool) -> Perft {
    match (depth, by_turn) {
        (0, _) => Perft::of([BLACK, WHITE, 0]),
        (_, true) => enter::<true, true>(BLACK, WHITE, 0, depth),
        (_, false) => enter::<true, false>(BLACK, WHITE, 0, depth),
    }
}

#[inline(always)]
fn words<const UP: bool>(own: u64, other: u64, kings: u64) -> [u64; 3] {
    if UP { [own, other, kings] } else { [other, own, kings] }
}

/// Searches one ply. `UP`: Black is to move. `WHOLE`: a ply is a whole turn.
#[inline(always)]
fn enter<const UP: bool, const WHOLE: bool>(own: u64, other: u64, kings: u64, depth: u32) -> Perft {
    if depth == 1 {
        last::<UP, WHOLE>(own, other, kings)
    } else {
        walk::<UP, WHOLE>(own, other, kings, depth)
    }
}

#[inline(always)]
fn answer<const UP: bool, const WHOLE: bool>(own: u64, other: u64, kings: u64, depth: u32) -> Perft {
    if UP {
        enter::<false, WHOLE>(other, own, kings, depth - 1)
    } else {
        enter::<true, WHOLE>(other, own, kings, depth - 1)
    }
}

fn walk<const UP: bool, const WHOLE: bool>(own: u64, other: u64, kings: u64, depth: u32) -> Perft {
    let empty = SQUARES & !(own | other);
    let own_kings = own & kings;
    if jumps_ahead::<UP>(own, other, empty) | jumps_back::<UP>(own_kings, other, empty) != 0 {
        return capture::<UP, WHOLE>(own, other, kings, own, depth);
    }
    let mut sum = Perft::default();
    let kings = kings ^ WHITE_TO_MOVE;
    each(steps_ahead::<UP>(own ^ own_kings, empty), |way| {
        let (ends, _, to) = man::<UP>(way, false);
        sum.add(answer::<UP, WHOLE>(own ^ ends, other, kings | to & crown::<UP>(), depth));
    });
    if own_kings != 0 {
        for ways in [steps(own_kings, empty), steps(empty, own_kings)] {
            each(ways, |way| {
                let (low, high, _) = squares(way);
                sum.add(answer::<UP, WHOLE>(own ^ (low | high), other, kings ^ (low | high), depth));
            });
        }
    }
    sum
}

/// Counts the last ply of a player; calls [`last_with_kings`] if he has kings.
#[inline(always)]
fn last<const UP: bool, const WHOLE: bool>(own: u64, other: u64, kings: u64) -> Perft {
    if own & kings != 0 {
        return last_with_kings::<UP, WHOLE>(own, other, kings);
    }
    let mut sum = Perft::default();
    let empty = SQUARES & !(own | other);
    let taking = jumps_ahead::<UP>(own, other, empty);
    if taking == 0 {
        each(steps_ahead::<UP>(own, empty), |way| {
            let (ends, _, to) = man::<UP>(way, false);
            let kings = (kings ^ WHITE_TO_MOVE) | to & crown::<UP>();
            sum.leaf(words::<UP>(own ^ ends, other, kings));
        });
    } else {
        each(taking, |way| {
            let (ends, mid, to) = man::<UP>(way, true);
            let (left, kings) = (other ^ mid, kings & !mid | to & crown::<UP>());
            if jumps_ahead::<UP>(to, other, empty) == 0 {
                sum.leaf(words::<UP>(own ^ ends, left, kings ^ WHITE_TO_MOVE));
            } else {
                sum.add(go_on::<UP, WHOLE>(own ^ ends, left, kings, to, 1));
            }
        });
    }
    sum
}

#[inline(never)]
fn last_with_kings<const UP: bool, const WHOLE: bool>(own: u64, other: u64, kings: u64) -> Perft {
    let empty = SQUARES & !(own | other);
    let own_kings = own & kings;
    if jumps_ahead::<UP>(own, other, empty) | jumps_back::<UP>(own_kings, other, empty) != 0 {
        return capture::<UP, WHOLE>(own, other, kings, own, 1);
    }
    let mut sum = Perft::default();
    let kings = kings ^ WHITE_TO_MOVE;
    each(steps_ahead::<UP>(own ^ own_kings, empty), |way| {
        let (ends, _, to) = man::<UP>(way, false);
        sum.leaf(words::<UP>(own ^ ends, other, kings | to & crown::<UP>()));
    });
    for ways in [steps(own_kings, empty), steps(empty, own_kings)] {
        each(ways, |way| {
            let (low, high, _) = squares(way);
            sum.leaf(words::<UP>(own ^ (low | high), other, kings ^ (low | high)));
        });
    }
    sum
}

/// Makes the jumps of `jumpers`: all pieces of the player, or the one that must go on.
fn capture<const UP: bool, const WHOLE: bool>(
    own: u64,
    other: u64,
    kings: u64,
    jumpers: u64,
    depth: u32,
) -> Perft {
    let mut sum = Perft::default();
    let empty = SQUARES & !(own | other);
    each(jumps_ahead::<UP>(jumpers & !kings, other, empty), |way| {
        let (ends, mid, to) = man::<UP>(way, true);
        let more = jumps_ahead::<UP>(to, other, empty) != 0;
        let kings = kings & !mid | to & crown::<UP>();
        sum.add(after_jump::<UP, WHOLE>(own ^ ends, other ^ mid, kings, more.then_some(to), depth));
    });
    let jumpers = jumpers & kings;
    if jumpers != 0 {
        for (ways, up) in [(jumps(jumpers, other, empty), true), (jumps(empty, other, jumpers), false)] {
            each(ways, |way| {
                let (low, mid, high) = squares(way);
                let to = if up { high } else { low };
                let (own, other, kings) = (own ^ (low | high), other ^ mid, kings & !mid ^ (low | high));
                let empty = empty ^ (low | mid | high);
                let more = jumps(to, other, empty) | jumps(empty, other, to) != 0;
                sum.add(after_jump::<UP, WHOLE>(own, other, kings, more.then_some(to), depth));
            });
        }
    }
    sum
}

/// Continues after a jump; `jumper` is the piece that must go on, if it can.
#[inline(always)]
fn after_jump<const UP: bool, const WHOLE: bool>(
    own: u64,
    other: u64,
    kings: u64,
    jumper: Option<u64>,
    depth: u32,
) -> Perft {
    if let Some(to) = jumper {
        go_on::<UP, WHOLE>(own, other, kings, to, depth)
    } else if depth == 1 {
        Perft::of(words::<UP>(own, other, kings ^ WHITE_TO_MOVE))
    } else {
        answer::<UP, WHOLE>(own, other, kings ^ WHITE_TO_MOVE, depth)
    }
}

/// Counts from the middle of a turn, after a jump.
#[inline(always)]
fn go_on<const UP: bool, const WHOLE: bool>(own: u64, other: u64, kings: u64, to: u64, depth: u32) -> Perft {
    if WHOLE {
        capture::<UP, WHOLE>(own, other, kings, to, depth)
    } else if depth == 1 {
        let jumper = u64::from(to.trailing_zeros() + 1) << JUMPER_SHIFT;
        Perft::of(words::<UP>(own, other, kings | jumper))
    } else {
        capture::<UP, WHOLE>(own, other, kings, to, depth - 1)
    }
}

pub fn playouts(games: u64, seed: u64) -> Playouts {
    let mut random = Random::new(seed);
    let mut sum = Playouts::default();
    for _ in 0..games {
        let (mut black, mut white, mut kings) = (BLACK, WHITE, 0);
        let mut states = 0;
        loop {
            if turn::<true>(&mut black, &mut white, &mut kings, &mut states, &mut random)
                || turn::<false>(&mut white, &mut black, &mut kings, &mut states, &mut random)
            {
                break;
            }
        }
        sum.game(states, [black, white, kings]);
    }
    sum
}

/// Makes a random move with the jumps that follow it; returns true if the game is over, then or before.
#[inline(always)]
fn turn<const UP: bool>(
    own: &mut u64,
    other: &mut u64,
    kings: &mut u64,
    states: &mut u64,
    random: &mut Random,
) -> bool {
    let empty = SQUARES & !(*own | *other);
    let mut ahead = jumps_ahead::<UP>(*own, *other, empty);
    let mut back = jumps_back::<UP>(*own & *kings, *other, empty);
    if ahead | back == 0 {
        let ahead = steps_ahead::<UP>(*own, empty);
        let back = steps_back::<UP>(*own & *kings, empty);
        if ahead | back == 0 {
            return true;
        }
        let n = u64::from(ahead.count_ones());
        let k = random.below(n + u64::from(back.count_ones()));
        let past = u64::from(k >= n);
        let mut k = k - either(0, n, past);
        let (mut x, mut x4) = (either(ahead, back, past), either(rest4(ahead), rest4(back), past));
        while k >= 8 {
            (x, x4) = (rest4(x4), rest4(rest4(x4)));
            k -= 8;
        }
        let (low, high, _) = squares(nth_of_4(either(x, x4, k >> 2), k));
        let ends = low | high;
        let king = u64::from(*kings & ends != 0);
        *own ^= ends;
        *kings ^= either(0, ends, king);
        *kings |= *own & ends & crown::<UP>();
        *states += 1;
    } else {
        loop {
            let n = u64::from(ahead.count_ones());
            let mut k = random.below(n + u64::from(back.count_ones()));
            let past = u64::from(k >= n);
            k -= either(0, n, past);
            let mut x = either(ahead, back, past);
            for _ in 0..k {
                x = rest(x);
            }
            let (low, mid, high) = squares(lowest(x));
            let ends = low | high;
            let king = u64::from(*kings & ends != 0);
            *own ^= ends;
            *other ^= mid;
            let to = *own & ends;
            *kings = *kings & !mid ^ either(0, ends, king) | to & crown::<UP>();
            *states += 1;
            // Only a piece that was a king before may jump backwards: a new king stops.
            let empty = SQUARES & !(*own | *other);
            ahead = jumps_ahead::<UP>(to, *other, empty);
            back = jumps_back::<UP>(either(0, to, king), *other, empty);
            if ahead | back == 0 || *states == MAX_PLAYOUT_MOVES {
                break;
            }
        }
    }
    *kings ^= WHITE_TO_MOVE;
    *states == MAX_PLAYOUT_MOVES
}

#[cfg(test)]
mod tests {
    use super::super::mix;
    use super::*;

    #[test]
    fn counts_by_turn() {
        for (depth, leaves) in [1, 7, 49, 302, 1469, 7361, 36768, 179_740, 845_931].into_iter().enumerate() {
            assert_eq!(perft(depth as u32, true).leaves, leaves, "perft {depth} by turn");
        }
    }

    #[test]
    fn counts_by_move() {
        for (depth, leaves) in [1, 7, 49, 302, 1469, 7361, 36768, 179_255, 838_248].into_iter().enumerate() {
            assert_eq!(perft(depth as u32, false).leaves, leaves, "perft {depth}");
        }
    }

    #[test]
    fn a_king_jumps_round_and_a_man_does_not() {
        let (at, round) = (1 << 10, 1 << 15 | 1 << 24 | 1 << 23 | 1 << 14);
        let home = mix([at, 0, at | WHITE_TO_MOVE]);
        let king = walk::<true, true>(at, round, at, 1);
        assert_eq!(king, Perft { leaves: 2, checksum: home.wrapping_mul(2) });
        assert_eq!(walk::<true, false>(at, round, at, 4), king);
        assert_eq!(walk::<true, false>(at, round, at, 5).leaves, 0);
        let far = 1 << 28;
        let left = [1 << 23 | 1 << 14, 1 << 24 | 1 << 15].map(|left| mix([far, left, WHITE_TO_MOVE]));
        let man = Perft { leaves: 2, checksum: left[0].wrapping_add(left[1]) };
        assert_eq!(last::<true, true>(at, round, 0), man);
        assert_eq!(walk::<true, false>(at, round, 0, 2), man);
    }

    #[test]
    fn a_new_king_stops() {
        let (own, other) = (1 << 22, 1 << 27 | 1 << 28);
        let after = Perft::of([1 << 32, 1 << 28, 1 << 32 | WHITE_TO_MOVE]);
        assert_eq!(last::<true, true>(own, other, 0), after);
        assert_eq!(capture::<true, true>(own, other, 0, own, 1), after);
        // As a king it could have gone on.
        let king = walk::<true, true>(own, other, own, 1);
        assert_eq!(king, Perft::of([1 << 24, 0, 1 << 24 | WHITE_TO_MOVE]));
    }

    #[test]
    fn the_jumper_is_part_of_the_position() {
        let (own, other) = (1 << 10, 1 << 15 | 1 << 24);
        let halfway = [1 << 20, 1 << 24, 21 << JUMPER_SHIFT];
        assert_eq!(last::<true, false>(own, other, 0), Perft::of(halfway));
    }

    #[test]
    fn games_end() {
        let played = playouts(1000, 1);
        assert!((20 * 1000..=MAX_PLAYOUT_MOVES * 1000).contains(&played.states), "{played:?}");
        assert_eq!(played, playouts(1000, 1));
    }
}
