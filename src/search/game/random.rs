//! Random play, the same for the same seed on every machine.

use bouton_base::rational::Rational;
use num_bigint::BigInt;

use super::explore::{FaultyPosition, PositionFault};
use super::{Game, MachineError, MoveInstance, State, Successor, ToMove};
use bouton_base::limits::LimitHit;
use bouton_base::random::SplitMix;

/// A generator of pseudorandom numbers.
#[derive(Clone, Debug)]
pub struct Random(SplitMix);

impl Random {
    /// Creates the generator with this seed.
    pub fn new(seed: u64) -> Self {
        Random(SplitMix::new(seed))
    }

    /// Returns a uniformly distributed word.
    pub fn word(&mut self) -> u64 {
        self.0.word()
    }

    /// Returns a uniformly distributed number below `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // The few words past the last whole multiple of the bound are rejected, so no number is favoured.
        let rest = (u64::MAX % bound.max(1) + 1) % bound.max(1);
        loop {
            let word = self.word();
            if word <= u64::MAX - rest {
                return word % bound.max(1);
            }
        }
    }

    /// Chooses one of these moves by its probability, or uniformly if a player chooses; `None` if there are no moves.
    pub fn choose<'a>(&mut self, turn: &ToMove, successors: &'a [Successor]) -> Option<&'a Successor> {
        if *turn != ToMove::Chance {
            let index = self.below(successors.len() as u64);
            return successors.get(index as usize);
        }
        let Some(common) = common_denominator(successors) else {
            return self.choose_finely(successors);
        };
        let mut at = self.below(common);
        for successor in successors {
            let share = (&successor.probability * Rational::from_integer(common as i64)).as_i64()? as u64;
            if at < share {
                return Some(successor);
            }
            at -= share;
        }
        successors.last()
    }

    /// Makes the move that [`choose`](Self::choose) would choose in a position, without the other ones if the machine
    /// knows the legal moves alone. Returns the turn, and the position after the move; `None` if there are no moves.
    pub fn step(&mut self, game: &Game, state: &State) -> Result<(ToMove, Option<State>), MachineError> {
        let known = game.machine.choices(state)?.and_then(|(turn, choices)| {
            let combinations =
                choices.iter().try_fold(1u64, |all, (_, plays)| all.checked_mul(plays.len() as u64))?;
            Some((turn, choices, combinations))
        });
        if let Some((turn, choices, combinations)) = known {
            if choices.is_empty() || combinations == 0 {
                return Ok((turn, None));
            }
            let mut rest = self.below(combinations);
            let mut plays = Vec::new();
            for (player, of) in choices.iter().rev() {
                plays.push((*player, of[(rest % of.len() as u64) as usize].clone()));
                rest /= of.len() as u64;
            }
            plays.reverse();
            let play = match turn {
                ToMove::Simultaneous => MoveInstance::Joint(plays),
                _ => plays.swap_remove(0).1,
            };
            let after = game.machine.make(state, &play)?;
            return Ok((turn, after));
        }
        let (turn, successors) = game.machine.expand(state)?;
        let is_over = matches!(turn, ToMove::Terminal(_));
        let next = if is_over { None } else { self.choose(&turn, &successors) };
        let after = next.map(|next| next.state.clone());
        Ok((turn, after))
    }

    /// Chooses an event by probabilities without a small common denominator: by a number below 1, of which so many words are
    /// drawn that all numbers beginning with them mean one event.
    fn choose_finely<'a>(&mut self, successors: &'a [Successor]) -> Option<&'a Successor> {
        let mut width = Rational::ONE;
        let mut drawn = Rational::ZERO;
        for _ in 0..MAX_WORDS {
            width = width / Rational::from(BigInt::from(1) << u64::BITS);
            drawn += &width * Rational::from(BigInt::from(self.word()));
            let mut below = Rational::ZERO;
            let reaches = |successor: &&Successor| {
                below += successor.probability.clone();
                drawn < below
            };
            let chosen = successors.iter().find(reaches);
            if chosen.is_none() || &drawn + &width <= below {
                return chosen.or(successors.last());
            }
        }
        successors.last()
    }
}

/// The number of words that are drawn at most for an event; so many decide but once in 2^960 cases.
const MAX_WORDS: u32 = 16;

/// Returns the least common denominator of the probabilities; `None` past 2^32, where shares could overflow.
fn common_denominator(successors: &[Successor]) -> Option<u64> {
    let mut common = 1u64;
    for successor in successors {
        let denominator = successor.probability.as_small()?.1 as u64;
        let (mut a, mut b) = (common, denominator);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        common = (common / a).checked_mul(denominator).filter(|&c| c <= 1 << 32)?;
    }
    Some(common)
}

/// A random play.
#[derive(Clone, Debug)]
pub struct RandomPlay {
    pub plays: Vec<MoveInstance>,
    /// The positions: the first, and the one after each move.
    pub states: Vec<State>,
    /// The number of legal moves at each choice.
    pub choices: Vec<usize>,
    /// The turn in the last position, or the outcome.
    pub turn: ToMove,
}

/// The reason why a play could not continue.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RandomError {
    /// It came to a position without meaning.
    #[error(transparent)]
    Broken(Box<FaultyPosition>),
    /// A limit was reached.
    #[error("{0}")]
    Limit(LimitHit),
}

/// Plays at random from a position until the game is over or `max_plies` moves were made.
pub fn random_play(
    game: &Game,
    from: &State,
    random: &mut Random,
    max_plies: usize,
) -> Result<RandomPlay, RandomError> {
    let mut line = RandomPlay {
        plays: Vec::new(),
        states: vec![from.clone()],
        choices: Vec::new(),
        turn: ToMove::Simultaneous,
    };
    let broken = |line: &RandomPlay, state: &State, kind| {
        RandomError::Broken(Box::new(FaultyPosition { line: line.plays.clone(), state: state.clone(), kind }))
    };
    loop {
        let state = line.states[line.states.len() - 1].clone();
        let (turn, successors) = match game.machine.expand(&state) {
            Ok(found) => found,
            Err(MachineError::Fault(fault)) => {
                return Err(broken(&line, &state, PositionFault::Fault(fault)));
            }
            Err(MachineError::Limit(hit)) => return Err(RandomError::Limit(hit)),
        };
        line.turn = turn;
        if matches!(line.turn, ToMove::Terminal(_)) || line.plays.len() >= max_plies {
            return Ok(line);
        }
        let Some(chosen) = random.choose(&line.turn, &successors) else {
            return Err(broken(&line, &state, PositionFault::Stuck));
        };
        line.choices.push(successors.len());
        line.plays.push(chosen.play.clone());
        line.states.push(chosen.state.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::super::toy::ToyGame;
    use super::*;

    #[test]
    fn random_play_follows_seed_and_probability() {
        let mut toy = ToyGame::new(1);
        toy.chance(0, 1, Rational::new(1, 3));
        toy.chance(0, 2, Rational::new(2, 3));
        toy.over(1, 1);
        toy.over(2, -1);
        let game = toy.game();
        let mut random = Random::new(7);
        let mut first = 0;
        for _ in 0..3000 {
            let line = random_play(&game, &game.machine.initial(), &mut random, 10).unwrap();
            assert_eq!(line.plays.len(), 1);
            first += u32::from(line.states[1] == ToyGame::state(1));
        }
        assert!((900..1100).contains(&first), "{first}");
        // Without a common denominator below 2^32 the shares count as well.
        let mut toy = ToyGame::new(1);
        let prime = (1 << 40) - 87;
        toy.chance(0, 1, Rational::new(prime / 3, prime));
        toy.chance(0, 2, Rational::new(prime - prime / 3, prime));
        toy.over(1, 1);
        toy.over(2, -1);
        let game = toy.game();
        let mut first = 0;
        for _ in 0..3000 {
            let line = random_play(&game, &game.machine.initial(), &mut random, 10).unwrap();
            first += u32::from(line.states[1] == ToyGame::state(1));
        }
        assert!((900..1100).contains(&first), "{first}");
        // The first numbers of the published generator for seed 0.
        let mut random = Random::new(0);
        assert_eq!(random.word(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(random.word(), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(Random::new(3).below(1), 0);
    }
}
