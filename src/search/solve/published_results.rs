//! Tests of solvers against published results, on two games written by hand as machines.
//!
//! Noughts and crosses: 5478 positions, 958 of them finished, a draw; 255168 plays. The 8-puzzle: 181440 positions,
//! none farther than 31 moves (Schofield, 1967; Reinefeld, 1993).

use std::sync::Arc;

use bouton_base::rational::Rational;

use super::retrograde::RETROGRADE;
use super::*;
use crate::game::explore::count_positions;
use crate::game::perft::{PlyUnit, perft};
use crate::game::toy::ToyGame;
use crate::game::{
    Game, Machine, MachineError, MoveInstance, Outcome, OutcomeKind, State, Successor, ToMove,
};
use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_rules::{Block, Expr, FieldId, MoveId, Value, Vars};

/// The rules of a machine written by hand: the turn, and for each move its cell and its successor.
trait HandWrittenRules: Send + Sync {
    fn start(&self) -> u64;
    fn turn(&self, at: u64) -> ToMove;
    fn moves(&self, at: u64) -> Vec<(u64, u64)>;
}

struct HandWrittenMachine<T>(T);

impl<T: HandWrittenRules> Machine for HandWrittenMachine<T> {
    fn initial(&self) -> State {
        State([self.0.start()].into())
    }
    fn turn(&self, state: &State) -> Result<ToMove, MachineError> {
        Ok(self.0.turn(state.0[0]))
    }
    fn successors(&self, state: &State) -> Result<Vec<Successor>, MachineError> {
        if matches!(self.0.turn(state.0[0]), ToMove::Terminal(_)) {
            return Ok(Vec::new());
        }
        let successor = |(cell, after): (u64, u64)| Successor {
            play: MoveInstance::Move(MoveId(0), vec![Value::Int(cell as i64)]),
            state: State([after].into()),
            probability: Rational::from_integer(1),
        };
        Ok(self.0.moves(state.0[0]).into_iter().map(successor).collect())
    }
    fn notation(&self, _state: &State, play: &MoveInstance) -> Result<String, LimitHit> {
        Ok(format!("{play:?}"))
    }
    fn read(&self, _state: &State, _field: FieldId, _cell: usize) -> Value {
        Value::None
    }
    fn eval(&self, _state: &State, _expr: &Expr) -> Result<Option<Value>, LimitHit> {
        Ok(None)
    }
    fn edit(&self, state: &State, _block: &Block, _vars: &Vars) -> Result<State, MachineError> {
        Ok(state.clone())
    }
    fn observation(&self, _state: &State, _player: u32) -> Result<Value, LimitHit> {
        Ok(Value::None)
    }
}

fn game(players: usize, machine: impl Machine + 'static) -> Game {
    Game::new(Arc::new(ToyGame::new(players).rules), Arc::new(machine))
}

fn over(payoffs: &[i64]) -> ToMove {
    let kind = if payoffs[0] == 0 { OutcomeKind::Draw } else { OutcomeKind::Win };
    let payoffs = payoffs.iter().map(|&p| Rational::from_integer(p)).collect();
    ToMove::Terminal(Outcome { payoffs, kind, scores: None, rule: 0 })
}

/// Noughts and crosses: nine bits of X, nine of O.
struct Noughts;

impl HandWrittenRules for Noughts {
    fn start(&self) -> u64 {
        0
    }
    fn turn(&self, at: u64) -> ToMove {
        const LINES: [u64; 8] = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
        let has = |bits: u64| LINES.iter().any(|l| l & !bits == 0);
        let (x, o) = (at & 0o777, at >> 9);
        match (has(x), has(o), x | o) {
            (true, ..) => over(&[1, -1]),
            (_, true, _) => over(&[-1, 1]),
            (_, _, 0o777) => over(&[0, 0]),
            (_, _, marks) => ToMove::Player(marks.count_ones() % 2),
        }
    }
    fn moves(&self, at: u64) -> Vec<(u64, u64)> {
        let marks = (at & 0o777) | at >> 9;
        let shift = 9 * u64::from(marks.count_ones() % 2);
        (0..9).filter(|c| marks >> c & 1 == 0).map(|c| (c, at | 1 << (c + shift))).collect()
    }
}

/// The 8-puzzle: four bits a cell, by rows; 0 is the empty cell.
struct Slide([u64; 9]);

fn pack(tiles: [u64; 9]) -> u64 {
    tiles.iter().rev().fold(0, |word, tile| word << 4 | tile)
}

impl HandWrittenRules for Slide {
    fn start(&self) -> u64 {
        pack(self.0)
    }
    fn turn(&self, at: u64) -> ToMove {
        if at == pack([1, 2, 3, 4, 5, 6, 7, 8, 0]) { over(&[1]) } else { ToMove::Player(0) }
    }
    fn moves(&self, at: u64) -> Vec<(u64, u64)> {
        let tile = |c: u64| at >> (4 * c) & 15;
        let Some(hole) = (0..9).find(|&c| tile(c) == 0) else { return Vec::new() };
        let near = |c: &u64| (c % 3).abs_diff(hole % 3) + (c / 3).abs_diff(hole / 3) == 1;
        let slide = |c: u64| (tile(c), at ^ tile(c) << (4 * c) ^ tile(c) << (4 * hole));
        (0..9).filter(near).map(slide).collect()
    }
}

#[test]
fn noughts_and_crosses_is_a_draw() {
    let game = game(2, HandWrittenMachine(Noughts));
    let start = game.machine.initial();
    let limits = Limits::default();
    let count = count_positions(&game, &start, &limits, &NoProgress).unwrap();
    assert_eq!((count.positions, count.terminal, count.max_ply), (5478, 958, 9));
    let by_outcome: Vec<u64> = count.terminal_by_outcome.iter().map(|(_, n)| *n).collect();
    assert_eq!(by_outcome, [626, 16, 316]);
    let options = SolveOptions { all_moves: true, ..SolveOptions::default() };
    for method in [&Auto as &dyn Solver, &RETROGRADE] {
        let solution =
            method.solve(&SolveRequest::new(&game, &start, &options, &limits, &NoProgress)).unwrap();
        assert_eq!(solution.value.unwrap().kind, ValueKind::Draw);
        assert_eq!((solution.remoteness, solution.best_moves.len(), solution.line.len()), (None, 9, 9));
        let table = solution.table.unwrap();
        // Against a corner only the centre holds; the edge beside it loses in five plies.
        let corner = State([1].into());
        assert_eq!(table.best_moves(&corner).len(), 1);
        let blunder = State([1 | 1 << (1 + 9)].into());
        assert_eq!(table.value(&blunder).unwrap().kind, ValueKind::Win(0));
        assert_eq!(table.remoteness(&blunder), Some(5));
    }
    let plays = perft(&game, &start, 9, PlyUnit::Move, &limits).unwrap();
    assert_eq!(plays.by_depth, [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]);
}

#[test]
fn the_eight_puzzle_takes_31_moves_at_most() {
    let game = game(1, HandWrittenMachine(Slide([8, 6, 7, 2, 5, 4, 3, 0, 1])));
    let start = game.machine.initial();
    let count = count_positions(&game, &start, &Limits::default(), &NoProgress).unwrap();
    // The solved position is terminal, yet every other position can be reached around it.
    assert_eq!(count.positions, 181_440);
    let solve = |options: &SolveOptions, limits: &Limits| {
        Auto.solve(&SolveRequest::new(&game, &start, options, limits, &NoProgress)).unwrap()
    };
    let solution = solve(&SolveOptions::default(), &Limits::default());
    assert_eq!((solution.remoteness, solution.line.len()), (Some(31), 31));
    let strong = solve(&SolveOptions { strong: true, ..SolveOptions::default() }, &Limits::default());
    assert_eq!(strong.remoteness, Some(31));
    assert_eq!(strong.best_moves, solution.best_moves);
    let tally = strong.tally.unwrap();
    let values: Vec<_> = tally.by_value().into_iter().map(|(value, n)| (value.kind, n)).collect();
    assert_eq!(values, [(ValueKind::Solved, 181_440)]);
    assert_eq!(tally.groups[0].longest(), Some(31));
    let part = solve(&SolveOptions::default(), &Limits { positions: Some(1000), ..Limits::default() });
    assert_eq!(part.status, Status::Unknown);
    assert!(part.reason.unwrap().contains("there is no win in fewer than"));
}
