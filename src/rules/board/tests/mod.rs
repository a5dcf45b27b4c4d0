//! Compares the tables with independent definitions and with published numbers of well-known boards.

mod geometry;
mod graphs;
mod pictures;
mod published;

use super::*;

/// A direction and the change of column, row and level by one step in it.
type DirDelta = (Dir, (i64, i64, i64));

/// A board as coordinates alone: the reference model of these tests.
struct ReferenceBoard {
    shape: BoardShape,
    size: (i64, i64, i64),
    wraps: (bool, bool),
    dirs: Vec<DirDelta>,
    cells: Vec<(i64, i64, i64)>,
    board: Board,
}

impl ReferenceBoard {
    /// The cell with these coordinates, modulo the size where the board wraps.
    fn at(&self, x: i64, y: i64, z: i64) -> Option<u32> {
        let round = |v: i64, size: i64, wraps: bool| {
            let mut v = v;
            while wraps && v < 1 {
                v += size;
            }
            while wraps && v > size {
                v -= size;
            }
            v
        };
        let place = (round(x, self.size.0, self.wraps.0), round(y, self.size.1, self.wraps.1), z);
        self.cells.iter().position(|&c| c == place).map(|i| i as u32)
    }

    /// The cell n steps of `delta` from c, if all cells on the path exist and none is c.
    fn straight(&self, c: u32, delta: (i64, i64, i64), n: i64) -> Option<u32> {
        let ((x, y, z), (dx, dy, dz)) = (self.cells[c as usize], delta);
        let way: Option<Vec<u32>> = (1..=n).map(|i| self.at(x + i * dx, y + i * dy, z + i * dz)).collect();
        let way = way?;
        if way.contains(&c) { None } else { way.last().copied() }
    }

    fn numbers(&self) -> std::ops::Range<u32> {
        0..self.cells.len() as u32
    }

    /// The numbers of steps that a ray can have, and more.
    fn far(&self) -> std::ops::RangeInclusive<i64> {
        1..=self.cells.len() as i64
    }
}

type Keep = fn(i64, i64) -> bool;

fn all(_: i64, _: i64) -> bool {
    true
}

fn dark(x: i64, y: i64) -> bool {
    (x + y) % 2 == 0
}

fn cross(x: i64, y: i64) -> bool {
    (3..=5).contains(&x) || (3..=5).contains(&y)
}

fn corner(x: i64, y: i64) -> bool {
    (x, y) != (2, 2)
}

fn reference_board(shape: BoardShape, w: i64, h: i64, levels: i64, keep: Keep) -> ReferenceBoard {
    use Dir::*;
    let eight =
        [(N, 0, 1), (NE, 1, 1), (E, 1, 0), (SE, 1, -1), (S, 0, -1), (SW, -1, -1), (W, -1, 0), (NW, -1, 1)];
    let flat = |names: &[Dir]| {
        let known = eight.iter().filter(|(d, ..)| names.contains(d));
        known.map(|&(d, x, y)| (d, (x, y, 0))).collect::<Vec<_>>()
    };
    let (dirs, board) = match shape {
        BoardShape::Grid => (flat(&[N, NE, E, SE, S, SW, W, NW]), Board::grid(w, h, &keep)),
        BoardShape::Torus => (flat(&[N, NE, E, SE, S, SW, W, NW]), Board::torus(w, h, &keep)),
        BoardShape::Hex => (flat(&[N, NE, E, S, SW, W]), Board::hex(w, h, &keep)),
        BoardShape::Strip => (flat(&[E, W]), Board::strip(w)),
        BoardShape::Ring => (flat(&[E, W]), Board::ring(w)),
        BoardShape::Cube => {
            let mut dirs = flat(&[N, E, S, W]);
            dirs.extend([(U, (0, 0, 1)), (D, (0, 0, -1))]);
            (dirs, Board::cube(w, h, levels))
        }
        BoardShape::Graph => unreachable!("graphs have tests of their own"),
    };
    let mut cells = Vec::new();
    for z in 1..=levels {
        for y in 1..=h {
            for x in 1..=w {
                if keep(x, y) {
                    cells.push((x, y, z));
                }
            }
        }
    }
    let wraps = (matches!(shape, BoardShape::Torus | BoardShape::Ring), shape == BoardShape::Torus);
    ReferenceBoard { shape, size: (w, h, levels), wraps, dirs, cells, board: board.expect("a small board") }
}

/// Small boards of every shape with coordinates.
fn boards() -> Vec<ReferenceBoard> {
    use BoardShape::*;
    vec![
        reference_board(Grid, 1, 1, 1, all),
        reference_board(Grid, 1, 5, 1, all),
        reference_board(Grid, 4, 1, 1, all),
        reference_board(Grid, 3, 3, 1, all),
        reference_board(Grid, 4, 5, 1, all),
        reference_board(Grid, 8, 8, 1, dark),
        reference_board(Grid, 7, 7, 1, cross),
        reference_board(Grid, 3, 3, 1, corner),
        reference_board(Hex, 3, 4, 1, all),
        reference_board(Hex, 4, 4, 1, corner),
        reference_board(Torus, 1, 3, 1, all),
        reference_board(Torus, 2, 2, 1, all),
        reference_board(Torus, 2, 3, 1, all),
        reference_board(Torus, 3, 3, 1, all),
        reference_board(Torus, 4, 5, 1, all),
        reference_board(Torus, 4, 4, 1, all),
        reference_board(Torus, 4, 4, 1, corner),
        reference_board(Ring, 1, 1, 1, all),
        reference_board(Ring, 2, 1, 1, all),
        reference_board(Ring, 3, 1, 1, all),
        reference_board(Ring, 6, 1, 1, all),
        reference_board(Strip, 1, 1, 1, all),
        reference_board(Strip, 5, 1, 1, all),
        reference_board(Cube, 3, 3, 3, all),
        reference_board(Cube, 2, 1, 3, all),
    ]
}

fn clause(is_line: bool, text: &str) -> GraphClause {
    let words: Vec<&str> = text.split_whitespace().collect();
    let points = words.iter().step_by(2).map(|w| w.to_string()).collect();
    let one_way = words.iter().skip(1).step_by(2).map(|&w| w == "->").collect();
    GraphClause { is_line, points, one_way }
}

/// The board of nine men's morris.
fn morris() -> Board {
    let lines = [
        "a1 - d1 - g1",
        "b2 - d2 - f2",
        "c3 - d3 - e3",
        "a4 - b4 - c4",
        "e4 - f4 - g4",
        "c5 - d5 - e5",
        "b6 - d6 - f6",
        "a7 - d7 - g7",
        "a1 - a4 - a7",
        "b2 - b4 - b6",
        "c3 - c4 - c5",
        "d1 - d2 - d3",
        "d5 - d6 - d7",
        "e3 - e4 - e5",
        "f2 - f4 - f6",
        "g1 - g4 - g7",
    ];
    Board::graph(&lines.map(|line| clause(true, line))).expect("a board")
}

fn names(board: &Board, cells: &[u32]) -> Vec<String> {
    cells.iter().map(|&c| board.cell_name(c).to_string()).collect()
}

fn cell(board: &Board, name: &str) -> u32 {
    board.find(name).expect("a cell of that name")
}
