//! The constructors of boards whose cells have coordinates.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use thiserror::Error;

use super::{Board, Dir, graph::Chain, ordered, sides};
use crate::{EnumId, Type};

/// The maximal number of cells of a board, counted before a mask removes any.
pub const MAX_CELLS: usize = 4096;

/// The error of a board that cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BoardError {
    /// A size is zero or negative, the mask removes every cell, or a graph has no point.
    #[error("the board has no cell")]
    Empty,
    /// More than [`MAX_CELLS`] cells.
    #[error("the board has more than {MAX_CELLS} cells")]
    TooLarge,
    /// An edge of a graph from a point to itself.
    #[error("`{0}` is joined to itself")]
    Loop(String),
    /// A `line` of a graph that visits a point twice, except that its last point may be its first.
    #[error("the line passes `{0}` twice")]
    Repeated(String),
}

/// The constructor of a board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoardShape {
    /// Rows and columns, eight directions.
    Grid,
    /// A rhombus of hexagons, six directions; up and to the right is `NE`, up and to the left `N`.
    Hex,
    /// A grid whose opposite borders meet.
    Torus,
    /// One row, `E` and `W`.
    Strip,
    /// A strip whose ends meet.
    Ring,
    /// Levels of rows and columns, six directions.
    Cube,
    /// Points and edges, no directions.
    Graph,
}

impl BoardShape {
    /// The directions of steps, in the order of `Dir`.
    pub fn directions(self) -> &'static [Dir] {
        use Dir::*;
        match self {
            BoardShape::Grid | BoardShape::Torus => &[N, NE, E, SE, S, SW, W, NW],
            BoardShape::Hex => &[N, NE, E, S, SW, W],
            BoardShape::Strip | BoardShape::Ring => &[E, W],
            BoardShape::Cube => &[N, E, S, W, U, D],
            BoardShape::Graph => &[],
        }
    }

    /// True for each axis on which a step past the last column, row or level leads to the first.
    pub fn wraps(self) -> [bool; 3] {
        match self {
            BoardShape::Torus => [true, true, false],
            BoardShape::Ring => [true, false, false],
            BoardShape::Grid | BoardShape::Hex | BoardShape::Strip | BoardShape::Cube | BoardShape::Graph => {
                [false; 3]
            }
        }
    }
}

/// The letters of a column counted from 1: a, ..., z, aa, ab, ...
pub fn column_name(col: i64) -> String {
    let mut letters = Vec::new();
    let mut rest = col;
    while rest > 0 {
        letters.push(char::from(b'a' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}

/// The parts of a board from which the tables follow.
pub(super) struct BoardParts {
    pub shape: BoardShape,
    pub names: Vec<String>,
    /// Column, row, level of each cell; empty for a graph without coordinates.
    pub places: Vec<[i64; 3]>,
    pub low: [i64; 3],
    pub high: [i64; 3],
    pub chains: Vec<Chain>,
    /// The neighbours of each cell by edges; empty if steps define them.
    pub joined: Vec<Vec<u32>>,
}

impl Board {
    /// A grid of the cells (column, row) that `keep` accepts: w columns, h rows, both counted from 1.
    pub fn grid(w: i64, h: i64, keep: &dyn Fn(i64, i64) -> bool) -> Result<Board, BoardError> {
        Self::with_cells(BoardShape::Grid, [w, h, 1], &|[x, y, _]| keep(x, y))
    }

    /// A rhombus of hexagons; see [`Board::grid`].
    pub fn hex(w: i64, h: i64, keep: &dyn Fn(i64, i64) -> bool) -> Result<Board, BoardError> {
        Self::with_cells(BoardShape::Hex, [w, h, 1], &|[x, y, _]| keep(x, y))
    }

    /// A grid whose opposite borders meet; see [`Board::grid`].
    pub fn torus(w: i64, h: i64, keep: &dyn Fn(i64, i64) -> bool) -> Result<Board, BoardError> {
        Self::with_cells(BoardShape::Torus, [w, h, 1], &|[x, y, _]| keep(x, y))
    }

    /// One row of n cells: a1, b1, ...
    pub fn strip(n: i64) -> Result<Board, BoardError> {
        Self::with_cells(BoardShape::Strip, [n, 1, 1], &|_| true)
    }

    /// One row of n cells whose ends meet.
    pub fn ring(n: i64) -> Result<Board, BoardError> {
        Self::with_cells(BoardShape::Ring, [n, 1, 1], &|_| true)
    }

    /// a columns, b rows, c levels. The cell of column 1, row 1 on level 2 is `a1_2`; level 1 comes first.
    pub fn cube(a: i64, b: i64, c: i64) -> Result<Board, BoardError> {
        Self::with_cells(BoardShape::Cube, [a, b, c], &|_| true)
    }

    fn with_cells(
        shape: BoardShape,
        size: [i64; 3],
        keep: &dyn Fn([i64; 3]) -> bool,
    ) -> Result<Board, BoardError> {
        if size.iter().any(|&s| s < 1) {
            return Err(BoardError::Empty);
        }
        let all = size.iter().try_fold(1i64, |product, &s| product.checked_mul(s));
        if all.is_none_or(|n| n > MAX_CELLS as i64) {
            return Err(BoardError::TooLarge);
        }
        let [w, h, levels] = size;
        let rows = (1..=levels).flat_map(|z| (1..=h).map(move |y| (y, z)));
        let places: Vec<[i64; 3]> =
            rows.flat_map(|(y, z)| (1..=w).map(move |x| [x, y, z])).filter(|&p| keep(p)).collect();
        let name = |&[x, y, z]: &[i64; 3]| {
            let name = format!("{}{y}", column_name(x));
            if shape == BoardShape::Cube { format!("{name}_{z}") } else { name }
        };
        let names = places.iter().map(name).collect();
        let (chains, joined) = (Vec::new(), Vec::new());
        Self::from_parts(BoardParts { shape, names, places, low: [1; 3], high: size, chains, joined })
    }

    /// Makes a board and all its tables.
    pub(super) fn from_parts(plan: BoardParts) -> Result<Board, BoardError> {
        let BoardParts { shape, names, places, low, high, chains, joined } = plan;
        match names.len() {
            0 => return Err(BoardError::Empty),
            n if n > MAX_CELLS => return Err(BoardError::TooLarge),
            _ => {}
        }
        let bounds = |axis: usize, present: bool| {
            if present { Type::Int(low[axis], high[axis]) } else { Type::Int(1, 0) }
        };
        let present = !places.is_empty();
        let mut board = Board {
            name: String::new(),
            cells: EnumId(0),
            sides: None,
            edges: None,
            col: bounds(0, present),
            row: bounds(1, present),
            level: bounds(2, shape == BoardShape::Cube),
            shape,
            by_name: names.iter().cloned().zip(0..).collect(),
            names,
            by_coordinates: places.iter().copied().zip(0..).collect::<FxHashMap<_, _>>(),
            coordinates: places,
            low,
            high,
            steps: Vec::new(),
            neighbors: joined,
            diagonals: Vec::new(),
            readings: Vec::new(),
            chains,
            alignments: OnceLock::new(),
            side_table: sides::Sides::default(),
            edge_table: sides::Edges::default(),
        };
        board.fill_tables();
        Ok(board)
    }

    fn fill_tables(&mut self) {
        let cells = 0..self.len() as u32;
        let row = |c| {
            let mut row = [None; 10];
            for &d in self.directions() {
                let (x, y, z) = d.delta();
                row[d as usize] = self.shifted(c, [x.into(), y.into(), z.into()]);
            }
            row
        };
        self.steps = cells.clone().map(row).collect();
        let near =
            |c, dirs: &[Dir]| ordered(dirs.iter().filter_map(|&d| self.step(c, d)).filter(|&to| to != c));
        let (straight, slanted) = (self.orthogonal(), self.diagonal());
        let diagonals = cells.clone().map(|c| near(c, &slanted)).collect();
        if self.shape != BoardShape::Graph {
            self.neighbors = cells.map(|c| near(c, &straight)).collect();
        }
        self.diagonals = diagonals;
        self.readings = self.count_readings();
        self.side_table = sides::Sides::of(self);
        self.edge_table = sides::Edges::of(self);
    }

    /// The index of each cell in reading order, from 1.
    fn count_readings(&self) -> Vec<i64> {
        let mut readings: Vec<i64> = (1..=self.len() as i64).collect();
        if self.shape != BoardShape::Graph {
            for (reading, c) in self.reading_rows().into_iter().flatten().flatten().enumerate() {
                readings[c as usize] = reading as i64 + 1;
            }
        }
        readings
    }
}
