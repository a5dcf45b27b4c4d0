//! Perft and random games over any source of children, the position checksum, and the random generator that all runners
//! share.

use super::{Child, CountUnit, MAX_TURN_MOVES, Perft, Playouts, RulesFault, Status};
use bouton_base::limits::CancelToken;
use bouton_circuit::{Circuit, Position};

/// Returns the checksum of a position: the xor of its words, each rotated by its index. Every bit counts, and machine
/// code computes it in a few instructions. The control is not part of it.
pub fn checksum(words: &[u64]) -> u64 {
    let turned = words.iter().zip(0u32..).map(|(word, i)| word.rotate_left(21 * (i % 64) % 64));
    turned.fold(0, |sum, word| sum ^ word)
}

/// The random generator of games: xorshift with 64 bits (Marsaglia, 2003), because three shifts cost next to nothing
/// beside a move.
#[derive(Clone, Debug)]
pub struct Xorshift(u64);

impl Xorshift {
    /// The state that replaces the seed 0, which is a fixpoint of the generator.
    pub const ZERO_SEED_STATE: u64 = 0x9e37_79b9_7f4a_7c15;

    /// Returns the generator with this seed.
    pub fn new(seed: u64) -> Xorshift {
        Xorshift(if seed == 0 { Xorshift::ZERO_SEED_STATE } else { seed })
    }

    /// Returns the state; never 0.
    pub fn state(&self) -> u64 {
        self.0
    }

    /// Returns the next number.
    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns the next number below a `bound` of up to 64 bits, scaled from the whole word.
    pub fn below_u64(&mut self, bound: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(bound)) >> 64) as u64
    }

    /// Returns the next number below `bound`, scaled from the upper half of the word.
    pub fn below_u32(&mut self, bound: u32) -> u32 {
        (((self.word() >> 32) * u64::from(bound)) >> 32) as u32
    }
}

/// A perft to run: the position that it starts from, and its depth in plies.
#[derive(Clone, Copy, Debug)]
pub struct PerftRequest<'a> {
    pub at: &'a Position,
    pub depth: u32,
    /// The unit of the depth.
    pub ply: CountUnit,
}

/// Random games to play.
#[derive(Clone, Copy, Debug)]
pub struct PlayoutRequest<'a> {
    /// The position that they start from.
    pub at: &'a Position,
    /// The number of games.
    pub games: u64,
    /// The seed of the generator that all games share.
    pub seed: u64,
    /// The maximal number of moves of a game.
    pub longest: u32,
}

/// Implements [`Runner::perft`](super::Runner::perft) for any source of children.
pub fn perft(
    circuit: &Circuit,
    request: PerftRequest,
    stop: &CancelToken,
    mut expand: impl FnMut(&Position, &mut Vec<Child>) -> Result<Status, RulesFault>,
) -> Result<Option<Perft>, RulesFault> {
    let PerftRequest { at, depth, ply } = request;
    let mut perft = Perft::default();
    if depth == 0 {
        perft.leaf(at);
        return Ok(Some(perft));
    }
    // An explicit stack, because a turn may exceed the stack of a thread. Each entry has the position, the plies left
    // and the moves of its turn so far.
    let mut open = vec![(at.clone(), depth, ply.moves_begun())];
    let mut children = Vec::new();
    while let Some((position, depth, moves)) = open.pop() {
        if stop.is_cancelled() {
            return Ok(None);
        }
        if moves >= MAX_TURN_MOVES {
            return Err(RulesFault);
        }
        let mover = circuit.controls[position.control].mover;
        match expand(&position, &mut children)? {
            Status::Over(_) if moves > 0 && depth == 1 => perft.leaf(&position),
            Status::Over(_) => {}
            Status::Open => perft.stuck |= children.is_empty(),
        }
        for Child { position: next, .. } in children.drain(..) {
            let same_turn = ply.by_turn() && circuit.controls[next.control].mover == mover;
            match (same_turn, depth) {
                (true, _) => open.push((next, depth, moves + 1)),
                (false, 1) => perft.leaf(&next),
                (false, _) => open.push((next, depth - 1, 0)),
            }
        }
    }
    Ok(Some(perft))
}

impl Perft {
    fn leaf(&mut self, position: &Position) {
        self.leaves = self.leaves.wrapping_add(1);
        self.checksum = self.checksum.wrapping_add(checksum(&position.words));
    }
}

/// Implements [`Runner::playouts`](super::Runner::playouts) for any move generator: `step` makes a move in place, or
/// returns false if there is none.
pub fn playouts(
    request: PlayoutRequest,
    stop: &CancelToken,
    mut step: impl FnMut(&mut Position, &mut Xorshift) -> Result<bool, RulesFault>,
) -> Result<Option<Playouts>, RulesFault> {
    let mut random = Xorshift::new(request.seed);
    let mut met = Playouts::default();
    for _ in 0..request.games {
        let mut position = request.at.clone();
        let mut moves = 0;
        loop {
            if stop.is_cancelled() {
                return Ok(None);
            }
            if moves == request.longest {
                met.unfinished += 1;
                break;
            }
            if !step(&mut position, &mut random)? {
                break;
            }
            moves += 1;
        }
        met.states += u64::from(moves);
        met.checksum = met.checksum.wrapping_add(checksum(&position.words));
    }
    Ok(Some(met))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouton_circuit::ControlId;

    #[test]
    fn every_word_is_turned_by_its_place() {
        assert_eq!(checksum(&[]), 0);
        assert_eq!(checksum(&[1, 1, 1, 1, 1]), 1 | 1 << 21 | 1 << 42 | 1 << 63 | 1 << 20);
        let mut far = vec![0; 64];
        far.push(1);
        assert_eq!(checksum(&far), 1, "64 times 21 is a multiple of 64");
    }

    #[test]
    fn the_generator_is_marsaglias() {
        let mut random = Xorshift::new(1);
        assert_eq!(random.word(), 0x4082_2041, "one bit, worked out by hand");
        assert_eq!(Xorshift::new(0).word(), Xorshift::new(Xorshift::ZERO_SEED_STATE).word());
        let mut wide = Xorshift::new(1);
        assert_eq!(wide.below_u64(1 << 63), 0x4082_2041 >> 1, "the upper bits of the word");
        let mut seen = [0u32; 5];
        (0..5000).for_each(|_| seen[random.below_u32(5) as usize] += 1);
        assert!(seen.iter().all(|n| (900..1100).contains(n)), "{seen:?}");
    }

    #[test]
    fn a_game_that_reaches_the_limit_is_unfinished_even_if_it_would_end_there() {
        let at = Position { control: ControlId(0), words: vec![0].into() };
        let play = |longest, stop: &CancelToken| {
            let request = PlayoutRequest { at: &at, games: 2, seed: 0, longest };
            playouts(request, stop, |position, _| {
                let open = position.words[0] < 3;
                position.words[0] += u64::from(open);
                Ok(open)
            })
        };
        let met = |states, checksum, unfinished| Ok(Some(Playouts { states, checksum, unfinished }));
        assert_eq!(play(9, &CancelToken::default()), met(6, 6, 0));
        assert_eq!(play(3, &CancelToken::default()), met(6, 6, 2));
        let stop = CancelToken::default();
        stop.cancel();
        assert_eq!(play(9, &stop), Ok(None));
    }
}
