//! Perft: how many sequences of moves there are, the common test of move generators.

use rayon::prelude::*;

use super::explore::{Broken, BrokenKind};
use super::{Game, Halt, Play, State, Successor, Turn};
use crate::base::limits::{LimitHit, Limits};
use crate::rules::{MOVER, Value};

/// What a ply is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// Every move.
    Move,
    /// All moves until the mover changes or the game is over. With one player, every move.
    Turn,
}

/// How many sequences there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Perft {
    /// By length; a finished game has no continuation.
    pub by_depth: Vec<u64>,
    /// For each first move in its written form, how many sequences of the full length begin with it.
    pub divide: Vec<(String, u64)>,
}

/// Why there is no count.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PerftError {
    /// A position without meaning.
    #[error(transparent)]
    Broken(Box<Broken>),
    /// A limit was reached.
    #[error("{0}")]
    Limit(LimitHit),
    /// One turn has more moves than anybody would count.
    #[error("a turn of more than {LONGEST_TURN} moves")]
    EndlessTurn,
}

/// A turn longer than this is taken for one without end.
const LONGEST_TURN: u32 = 500;

/// Counts the sequences of up to `depth` plies. The positions after the last move are
/// made, and not looked at.
pub fn perft(game: &Game, state: &State, depth: u32, by: By, limits: &Limits) -> Result<Perft, PerftError> {
    let by = if game.rules.players().len() < 2 { By::Move } else { by };
    let game = &game.within(limits);
    let counter = Counter { game, depth: depth as usize, by, limits };
    let mut total = counter.empty();
    total[0] = 1;
    if depth == 0 {
        return Ok(Perft { by_depth: total, divide: Vec::new() });
    }
    let mut walk = Walk::default();
    let first = counter.moves(state, &mut walk)?;
    let mover = counter.mover(state);
    let counted: Vec<Result<Vec<u64>, PerftError>> = first
        .par_iter()
        .map(|successor| {
            let mut counts = counter.empty();
            counter.step(successor, 0, (&mover, 1), &mut Walk::default(), &mut counts)?;
            Ok(counts)
        })
        .collect();
    let mut divide = Vec::new();
    for (successor, counts) in first.iter().zip(counted) {
        let counts = counts?;
        divide.push((game.written(state, &successor.play), counts[depth as usize]));
        for (sum, n) in total.iter_mut().zip(counts) {
            *sum = sum.saturating_add(n);
        }
    }
    Ok(Perft { by_depth: total, divide })
}

struct Counter<'a> {
    game: &'a Game,
    depth: usize,
    by: By,
    limits: &'a Limits,
}

/// Where one thread is: the moves made, and how many positions it saw.
#[derive(Default)]
struct Walk {
    line: Vec<Play>,
    seen: u64,
}

impl Counter<'_> {
    fn empty(&self) -> Vec<u64> {
        vec![0; self.depth + 1]
    }

    fn mover(&self, state: &State) -> Value {
        match self.by {
            By::Move => Value::None,
            By::Turn => self.game.machine.read(state, MOVER, 0),
        }
    }

    fn broken(&self, state: &State, walk: &Walk, kind: BrokenKind) -> PerftError {
        PerftError::Broken(Box::new(Broken { line: walk.line.clone(), state: state.clone(), kind }))
    }

    /// The moves of a position; none where the game is over.
    fn moves(&self, state: &State, walk: &mut Walk) -> Result<Vec<Successor>, PerftError> {
        walk.seen += 1;
        if walk.seen.is_multiple_of(256)
            && let Some(hit) = self.limits.check()
        {
            return Err(PerftError::Limit(hit));
        }
        match self.game.machine.expand(state) {
            Err(Halt::Limit(hit)) => Err(PerftError::Limit(hit)),
            Err(Halt::Fault(fault)) => Err(self.broken(state, walk, BrokenKind::Fault(fault))),
            Ok((Turn::Over(_), _)) => Ok(Vec::new()),
            Ok((_, moves)) if moves.is_empty() => Err(self.broken(state, walk, BrokenKind::Stuck)),
            Ok((_, moves)) => Ok(moves),
        }
    }

    /// Counts what begins with a move after `done` plies. The turn belongs to `mover` and has so many moves with it.
    fn step(
        &self,
        successor: &Successor,
        done: usize,
        (mover, moves): (&Value, u32),
        walk: &mut Walk,
        counts: &mut [u64],
    ) -> Result<(), PerftError> {
        walk.line.push(successor.play.clone());
        let state = &successor.state;
        let ended = self.by == By::Move || self.mover(state) != *mover;
        if ended && done + 1 == self.depth {
            counts[self.depth] += 1;
        } else {
            let next = self.moves(state, walk)?;
            let ended = ended || next.is_empty();
            if ended {
                counts[done + 1] += 1;
            } else if moves >= LONGEST_TURN {
                return Err(PerftError::EndlessTurn);
            }
            let owner = if ended { self.mover(state) } else { mover.clone() };
            let (done, moves) = if ended { (done + 1, 1) } else { (done, moves + 1) };
            for further in &next {
                self.step(further, done, (&owner, moves), walk, counts)?;
            }
        }
        walk.line.pop();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::toy::Toy;
    use super::*;

    /// A turn of two moves for the first player, one for the second, and a game that may end early.
    fn game() -> Game {
        let mut toy = Toy::new(2);
        for (from, to) in [(0, 1), (0, 2), (1, 3), (1, 4), (2, 4), (3, 5), (4, 5), (4, 6), (5, 0), (5, 6)] {
            toy.edge(from, to);
        }
        for (node, owner) in [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1), (5, 0)] {
            toy.owner(node, owner);
        }
        toy.over(6, 0);
        toy.game()
    }

    #[test]
    fn moves_and_turns_are_counted() {
        let game = game();
        let start = game.machine.initial();
        let count = |depth, by| perft(&game, &start, depth, by, &Limits::default()).unwrap();
        let moves = count(4, By::Move);
        assert_eq!(moves.by_depth, [1, 2, 3, 5, 6]);
        assert_eq!(moves.divide, [("0-1".to_owned(), 4), ("0-2".to_owned(), 2)]);
        // Turns of the first: 0-1-3, 0-1-4, 0-2-4. Then of the second: 3-5, 4-5, 4-6 (over), twice 4.
        let turns = count(2, By::Turn);
        assert_eq!(turns.by_depth, [1, 3, 5]);
        // From 5 (three ways): 6 at once, or by 0 the three turns again.
        assert_eq!(count(3, By::Turn).by_depth, [1, 3, 5, 12]);
    }

    #[test]
    fn a_wish_to_stop_is_heard() {
        let game = game();
        let limits = Limits::default();
        limits.stop.request();
        let result = perft(&game, &game.machine.initial(), 40, By::Move, &limits);
        assert!(matches!(result, Err(PerftError::Limit(LimitHit::Interrupted))));
    }

    #[test]
    fn a_position_without_moves_is_told_with_the_play() {
        let mut toy = Toy::new(2);
        toy.edge(0, 1);
        let game = toy.game();
        let result = perft(&game, &game.machine.initial(), 2, By::Move, &Limits::default());
        let Err(PerftError::Broken(broken)) = result else { panic!() };
        assert_eq!((broken.line.len(), broken.kind), (1, BrokenKind::Stuck));
    }
}
