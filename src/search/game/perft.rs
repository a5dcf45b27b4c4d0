//! Perft: the number of move sequences by length, the common test of move generators.
//!
//! The runner counts a compiled game. If it meets a position in which the rules are not sound, or if the game is not
//! compiled, a slow counter expands every position by name and reports a fault with the moves that lead to it.

use rayon::prelude::*;

use super::compiled::CompiledMachine;
use super::explore::{FaultyPosition, PositionFault};
use super::{Game, MachineError, MoveInstance, State, Successor, ToMove};
use bouton_backend::{self as exec, CountUnit, MAX_TURN_MOVES, RulesFault};
use bouton_base::limits::{CancelToken, LimitHit, Limits};
use bouton_circuit::Position;
use bouton_rules::{MOVER, Value};

/// The unit of depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlyUnit {
    /// Every move is a ply.
    Move,
    /// All moves until the mover changes or the game is over are one ply. With one player, every move is a ply.
    Turn,
}

/// The numbers of move sequences.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Perft {
    /// The number of sequences of each length; a finished game has no continuation.
    pub by_depth: Vec<u64>,
    /// For each first move, by its notation, the number of sequences of the full length that begin with it.
    pub divide: Vec<(String, u64)>,
}

/// The reason why there is no count.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PerftError {
    /// A position in which the rules have no meaning.
    #[error(transparent)]
    Broken(Box<FaultyPosition>),
    /// A limit was reached.
    #[error("{0}")]
    Limit(LimitHit),
    /// One turn has more than [`MAX_TURN_MOVES`] moves.
    #[error("a turn of more than {MAX_TURN_MOVES} moves")]
    EndlessTurn,
}

/// Counts the sequences of up to `depth` plies. Makes the positions after the last move, but does not expand them.
pub fn perft(
    game: &Game,
    state: &State,
    depth: u32,
    by: PlyUnit,
    limits: &Limits,
) -> Result<Perft, PerftError> {
    PerftRequest { game, state, depth, by, limits }.count(false)
}

/// Counts like [`perft`], but does not make the last move if the number of last moves is available without.
pub fn count(
    game: &Game,
    state: &State,
    depth: u32,
    by: PlyUnit,
    limits: &Limits,
) -> Result<Perft, PerftError> {
    PerftRequest { game, state, depth, by, limits }.count(true)
}

/// A position with the depth to which its sequences of moves are counted.
#[derive(Clone, Copy)]
struct PerftRequest<'a> {
    game: &'a Game,
    state: &'a State,
    depth: u32,
    by: PlyUnit,
    limits: &'a Limits,
}

impl PerftRequest<'_> {
    /// Counts the sequences. With `bulk`, it does not make the last move if the number of last moves is available
    /// without.
    fn count(self, bulk: bool) -> Result<Perft, PerftError> {
        let PerftRequest { game, state, depth, limits, .. } = self;
        let by = if game.rules.players().len() < 2 { PlyUnit::Move } else { self.by };
        let request = PerftRequest { by, ..self };
        let fast = game.compiled().and_then(|machine| RunnerCount::new(game, machine, state, by, bulk));
        if let Some(fast) = fast.filter(|_| depth > 0) {
            match fast.count(depth, limits) {
                Ok(perft) => return Ok(perft),
                Err(CountFailure::Limit(hit)) => return Err(PerftError::Limit(hit)),
                // No smaller depth has a fault, so this finds a fault at the least depth.
                Err(CountFailure::Fault(depth)) => PerftRequest { depth, ..request }.count_by_name()?,
            };
        }
        request.count_by_name()
    }

    /// Expands every position by name, and counts the sequences.
    fn count_by_name(self) -> Result<Perft, PerftError> {
        let PerftRequest { state, depth, by, limits, .. } = self;
        let game = &self.game.with_limits(limits);
        let counter = NamedPerft { game, depth: depth as usize, by, limits };
        let mut total = counter.empty();
        total[0] = 1;
        if depth == 0 {
            return Ok(Perft { by_depth: total, divide: Vec::new() });
        }
        let first = counter.moves(state, &mut PlayPath::default())?;
        let mover = counter.mover(state);
        let counted: Vec<Result<Vec<u64>, PerftError>> = first
            .par_iter()
            .map(|successor| {
                let mut walk = PlayPath { counts: counter.empty(), ..PlayPath::default() };
                counter.step(successor, 0, TurnSoFar { mover: &mover, moves: 1 }, &mut walk)?;
                Ok(walk.counts)
            })
            .collect();
        let mut divide = Vec::new();
        for (successor, counts) in first.iter().zip(counted) {
            let counts = counts?;
            divide.push((game.notation(state, &successor.play), counts[depth as usize]));
            for (sum, n) in total.iter_mut().zip(counts) {
                *sum = sum.saturating_add(n);
            }
        }
        Ok(Perft { by_depth: total, divide })
    }
}

/// The reason why a runner gives no count.
enum CountFailure {
    Limit(LimitHit),
    /// The rules are not sound in a position at this depth.
    Fault(u32),
}

/// A first move whose continuations are counted.
struct PerftRoot {
    play: MoveInstance,
    /// The position after the move.
    to: Position,
    /// True if the turn continues.
    goes_on: bool,
}

/// A position whose moves a runner counts.
struct RunnerCount<'a> {
    game: &'a Game,
    machine: &'a CompiledMachine,
    state: &'a State,
    first: Vec<PerftRoot>,
    by: PlyUnit,
    bulk: bool,
}

impl<'a> RunnerCount<'a> {
    /// Prepares a count; `None` if the runner gives no first moves.
    fn new(
        game: &'a Game,
        machine: &'a CompiledMachine,
        state: &'a State,
        by: PlyUnit,
        bulk: bool,
    ) -> Option<RunnerCount<'a>> {
        let at = machine.position(state)?;
        let controls = &machine.runner().circuit().controls;
        let goes_on =
            |to: &Position| by == PlyUnit::Turn && controls[to.control].mover == controls[at.control].mover;
        let first = machine.children(&at)?.into_iter().map(|(play, to)| {
            let goes_on = goes_on(&to);
            PerftRoot { play, to, goes_on }
        });
        let first: Vec<_> = first.collect();
        (!first.is_empty()).then_some(RunnerCount { game, machine, state, first, by, bulk })
    }

    fn count(&self, depth: u32, limits: &Limits) -> Result<Perft, CountFailure> {
        limits.run_with_watchdog(|stop| {
            let mut by_depth = vec![1];
            let mut divide = Vec::new();
            for depth in 1..=depth {
                let each = |first: &PerftRoot| self.after(first, depth, stop);
                let counts: Vec<_> = self.first.par_iter().with_max_len(1).map(each).collect();
                let mut sum = 0u64;
                divide.clear();
                for (counted, PerftRoot { play, .. }) in counts.into_iter().zip(&self.first) {
                    let stopped = || CountFailure::Limit(limits.check().unwrap_or(LimitHit::Interrupted));
                    let counted =
                        counted.map_err(|RulesFault| CountFailure::Fault(depth))?.ok_or_else(stopped)?;
                    if counted.stuck {
                        return Err(CountFailure::Fault(depth));
                    }
                    sum = sum.saturating_add(counted.leaves);
                    divide.push((play, counted.leaves));
                }
                by_depth.push(sum);
            }
            let name = |(play, count): (&MoveInstance, u64)| (self.game.notation(self.state, play), count);
            Ok(Perft { by_depth, divide: divide.into_iter().map(name).collect() })
        })
    }

    /// Returns the number of sequences of `depth` plies that begin with this move.
    fn after(
        &self,
        first: &PerftRoot,
        depth: u32,
        stop: &CancelToken,
    ) -> Result<Option<exec::Perft>, RulesFault> {
        let PerftRoot { to, goes_on, .. } = first;
        let runner = self.machine.runner();
        let left = depth - u32::from(!goes_on);
        let ply = match self.by {
            PlyUnit::Move => CountUnit::Move,
            PlyUnit::Turn => CountUnit::Turn(u32::from(*goes_on)),
        };
        if self.bulk { runner.count(to, left, ply, stop) } else { runner.perft(to, left, ply, stop) }
    }
}

struct NamedPerft<'a> {
    game: &'a Game,
    depth: usize,
    by: PlyUnit,
    limits: &'a Limits,
}

/// The state of one thread.
#[derive(Default)]
struct PlayPath {
    /// The moves made so far.
    line: Vec<MoveInstance>,
    /// The number of positions expanded.
    seen: u64,
    /// The number of sequences of each length.
    counts: Vec<u64>,
}

/// The current turn.
#[derive(Clone, Copy)]
struct TurnSoFar<'a> {
    mover: &'a Value,
    /// The number of its moves, the one about to be made included.
    moves: u32,
}

impl NamedPerft<'_> {
    fn empty(&self) -> Vec<u64> {
        vec![0; self.depth + 1]
    }

    fn mover(&self, state: &State) -> Value {
        match self.by {
            PlyUnit::Move => Value::None,
            PlyUnit::Turn => self.game.machine.read(state, MOVER, 0),
        }
    }

    fn broken(&self, state: &State, walk: &PlayPath, kind: PositionFault) -> PerftError {
        PerftError::Broken(Box::new(FaultyPosition { line: walk.line.clone(), state: state.clone(), kind }))
    }

    /// Returns the moves of a position; none if the game is over.
    fn moves(&self, state: &State, walk: &mut PlayPath) -> Result<Vec<Successor>, PerftError> {
        walk.seen += 1;
        if walk.seen.is_multiple_of(256)
            && let Some(hit) = self.limits.check()
        {
            return Err(PerftError::Limit(hit));
        }
        match self.game.machine.expand(state) {
            Err(MachineError::Limit(hit)) => Err(PerftError::Limit(hit)),
            Err(MachineError::Fault(fault)) => Err(self.broken(state, walk, PositionFault::Fault(fault))),
            Ok((ToMove::Terminal(_), _)) => Ok(Vec::new()),
            Ok((_, moves)) if moves.is_empty() => Err(self.broken(state, walk, PositionFault::Stuck)),
            Ok((_, moves)) => Ok(moves),
        }
    }

    /// Counts the sequences that continue a move after `done` plies.
    fn step(
        &self,
        successor: &Successor,
        done: usize,
        turn: TurnSoFar<'_>,
        walk: &mut PlayPath,
    ) -> Result<(), PerftError> {
        let TurnSoFar { mover, moves } = turn;
        walk.line.push(successor.play.clone());
        let state = &successor.state;
        let ended = self.by == PlyUnit::Move || self.mover(state) != *mover;
        if ended && done + 1 == self.depth {
            walk.counts[self.depth] += 1;
        } else {
            let next = self.moves(state, walk)?;
            let ended = ended || next.is_empty();
            if ended {
                walk.counts[done + 1] += 1;
            } else if moves >= MAX_TURN_MOVES {
                return Err(PerftError::EndlessTurn);
            }
            let owner = if ended { self.mover(state) } else { mover.clone() };
            let (done, moves) = if ended { (done + 1, 1) } else { (done, moves + 1) };
            for further in &next {
                self.step(further, done, TurnSoFar { mover: &owner, moves }, walk)?;
            }
        }
        walk.line.pop();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::toy::ToyGame;
    use super::*;

    /// A turn of two moves for the first player, one for the second, and a game that may end early.
    fn game() -> Game {
        let mut toy = ToyGame::new(2);
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
        let moves = count(4, PlyUnit::Move);
        assert_eq!(moves.by_depth, [1, 2, 3, 5, 6]);
        assert_eq!(moves.divide, [("0-1".to_owned(), 4), ("0-2".to_owned(), 2)]);
        // Turns of the first: 0-1-3, 0-1-4, 0-2-4. Then of the second: 3-5, 4-5, 4-6 (over), twice 4.
        let turns = count(2, PlyUnit::Turn);
        assert_eq!(turns.by_depth, [1, 3, 5]);
        // From 5 (three ways): 6 at once, or by 0 the three turns again.
        assert_eq!(count(3, PlyUnit::Turn).by_depth, [1, 3, 5, 12]);
    }

    #[test]
    fn a_wish_to_stop_is_heard() {
        let game = game();
        let limits = Limits::default();
        limits.cancel.cancel();
        let result = perft(&game, &game.machine.initial(), 40, PlyUnit::Move, &limits);
        assert!(matches!(result, Err(PerftError::Limit(LimitHit::Interrupted))));
    }

    #[test]
    fn a_position_without_moves_is_told_with_the_play() {
        let mut toy = ToyGame::new(2);
        toy.edge(0, 1);
        let game = toy.game();
        let result = perft(&game, &game.machine.initial(), 2, PlyUnit::Move, &Limits::default());
        let Err(PerftError::Broken(broken)) = result else { panic!() };
        assert_eq!((broken.line.len(), broken.kind), (1, PositionFault::Stuck));
    }
}
