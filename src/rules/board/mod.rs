//! Boards: cells with names, directions, and constant tables of everything that rules may ask about them.
//!
//! The constructors of `shapes` ([`Board::grid`], [`Board::hex`], ...) and [`Board::graph`] make a board. Its cells are
//! numbered from 0. Methods answer the questions of rules: steps and neighbourhoods here, straight lines in `lines`,
//! sides and edges in `sides`, pictures in `draw`. Sets of cells are in ascending order, each cell once, unless the
//! method states another order.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::{EnumId, Type};

mod draw;
mod graph;
mod lines;
mod shapes;
mod sides;
#[cfg(test)]
mod tests;

pub use graph::GraphClause;
pub use shapes::{BoardError, BoardShape, MAX_CELLS, column_name};

/// A direction. The members of the enum `Dir` are those of the game's boards, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Dir {
    N,
    NE,
    E,
    SE,
    S,
    SW,
    W,
    NW,
    U,
    D,
}

impl Dir {
    /// Every direction, in order.
    pub const ALL: [Dir; 10] =
        [Dir::N, Dir::NE, Dir::E, Dir::SE, Dir::S, Dir::SW, Dir::W, Dir::NW, Dir::U, Dir::D];

    /// The name in the language.
    pub fn name(self) -> &'static str {
        ["N", "NE", "E", "SE", "S", "SW", "W", "NW", "U", "D"][self as usize]
    }

    /// The change of column, row and level by one step.
    pub fn delta(self) -> (i64, i64, i64) {
        match self {
            Dir::N => (0, 1, 0),
            Dir::NE => (1, 1, 0),
            Dir::E => (1, 0, 0),
            Dir::SE => (1, -1, 0),
            Dir::S => (0, -1, 0),
            Dir::SW => (-1, -1, 0),
            Dir::W => (-1, 0, 0),
            Dir::NW => (-1, 1, 0),
            Dir::U => (0, 0, 1),
            Dir::D => (0, 0, -1),
        }
    }

    /// The opposite direction.
    pub fn opposite(self) -> Dir {
        match self {
            Dir::N => Dir::S,
            Dir::NE => Dir::SW,
            Dir::E => Dir::W,
            Dir::SE => Dir::NW,
            Dir::S => Dir::N,
            Dir::SW => Dir::NE,
            Dir::W => Dir::E,
            Dir::NW => Dir::SE,
            Dir::U => Dir::D,
            Dir::D => Dir::U,
        }
    }
}

/// A board. Cells are numbered from 0: a1, b1, ..., a2, ...; the points of a graph in the order of their first mention.
#[derive(Clone, Debug)]
pub struct Board {
    /// The name; empty until the rules set it.
    pub name: String,
    /// The enum whose members are the cells; meaningless until the rules set it.
    pub cells: EnumId,
    /// The enum of the sides; `Some` after the rules use `sides(B)`.
    pub sides: Option<EnumId>,
    /// The enum of the edges; `Some` after the rules use `edges(B)`.
    pub edges: Option<EnumId>,
    /// The type of `.col`: the bounds of the whole board, with or without a mask; empty if the board has no
    /// coordinates.
    pub col: Type,
    /// The type of `.row`, like `col`.
    pub row: Type,
    /// The type of `.level`; empty except for cubes.
    pub level: Type,
    pub shape: BoardShape,
    names: Vec<String>,
    by_name: FxHashMap<String, u32>,
    /// Column, row and level of each cell; empty for a graph without coordinates.
    coordinates: Vec<[i64; 3]>,
    by_coordinates: FxHashMap<[i64; 3], u32>,
    /// The least and greatest column, row and level of the whole board.
    low: [i64; 3],
    high: [i64; 3],
    /// The target of a step from each cell in each direction, in the order of `Dir`.
    steps: Vec<[Option<u32>; 10]>,
    neighbors: Vec<Vec<u32>>,
    diagonals: Vec<Vec<u32>>,
    /// The index of each cell in reading order, from 1.
    readings: Vec<i64>,
    /// The `line` chains of a graph.
    chains: Vec<graph::Chain>,
    /// The alignment of each pair of cells, computed at the first query.
    alignments: OnceLock<Vec<Option<lines::Alignment>>>,
    side_table: sides::Sides,
    edge_table: sides::Edges,
}

impl Board {
    /// Returns the number of cells.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns true if there is no cell; no constructor makes such a board.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The cells' names, in order.
    pub fn cell_names(&self) -> &[String] {
        &self.names
    }

    /// The name of a cell; empty for a number outside the board.
    pub fn cell_name(&self, c: u32) -> &str {
        self.names.get(c as usize).map_or("", String::as_str)
    }

    /// Returns the cell with this name.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// The directions of steps on this kind of board, in the order of `Dir`; empty for a graph.
    pub fn directions(&self) -> &'static [Dir] {
        self.shape.directions()
    }

    /// The directions along rows, columns and levels. All six of a hex board.
    pub fn orthogonal(&self) -> Vec<Dir> {
        self.directions().iter().copied().filter(|&d| !self.is_diagonal(d)).collect()
    }

    /// The directions that change column and row at once. Empty for a hex board, where all six are alike.
    pub fn diagonal(&self) -> Vec<Dir> {
        self.directions().iter().copied().filter(|&d| self.is_diagonal(d)).collect()
    }

    fn is_diagonal(&self, d: Dir) -> bool {
        let (x, y, _) = d.delta();
        x != 0 && y != 0 && self.shape != BoardShape::Hex
    }

    /// `c + d`: the cell one step away. On a wrapping board that is one cell wide, c itself.
    pub fn step(&self, c: u32, d: Dir) -> Option<u32> {
        self.steps.get(c as usize)?[d as usize]
    }

    /// Returns true if cells have a column and a row: always, except for graphs whose names are not coordinates.
    pub fn has_coordinates(&self) -> bool {
        !self.coordinates.is_empty()
    }

    /// The column of a cell, from 1.
    pub fn col(&self, c: u32) -> Option<i64> {
        self.coordinates.get(c as usize).map(|p| p[0])
    }

    /// The row of a cell, from 1 at the bottom.
    pub fn row(&self, c: u32) -> Option<i64> {
        self.coordinates.get(c as usize).map(|p| p[1])
    }

    /// The level of a cell of a cube, from 1 at the bottom; other boards have none.
    pub fn level(&self, c: u32) -> Option<i64> {
        if self.shape == BoardShape::Cube { self.coordinates.get(c as usize).map(|p| p[2]) } else { None }
    }

    /// The index of a cell in the order of the cells, from 1.
    pub fn index(&self, c: u32) -> i64 {
        i64::from(c) + 1
    }

    /// The index of a cell in reading order, from 1: from the top row, left to right, as printed; for a cube, from the
    /// top level; for a graph, [`index`](Board::index).
    pub fn reading(&self, c: u32) -> i64 {
        self.readings.get(c as usize).copied().unwrap_or_default()
    }

    /// The cells one orthogonal step away, c excluded; in a graph the points joined to c, along the direction of
    /// one-way edges.
    pub fn neighbors(&self, c: u32) -> &[u32] {
        self.neighbors.get(c as usize).map_or(&[], Vec::as_slice)
    }

    /// The cells one diagonal step away, c excluded.
    pub fn diagonals(&self, c: u32) -> &[u32] {
        self.diagonals.get(c as usize).map_or(&[], Vec::as_slice)
    }

    /// The neighbours and diagonals of a cell.
    pub fn around(&self, c: u32) -> Vec<u32> {
        ordered(self.neighbors(c).iter().chain(self.diagonals(c)).copied())
    }

    /// The cells at (±i, ±j) or (±j, ±i) from c on its level: a knight's leap is `leap(c, 1, 2)`.
    pub fn leap(&self, c: u32, i: i64, j: i64) -> Vec<u32> {
        let (i, j) = (i128::from(i), i128::from(j));
        let offsets = [(i, j), (i, -j), (-i, j), (-i, -j), (j, i), (j, -i), (-j, i), (-j, -i)];
        ordered(offsets.iter().filter_map(|&(x, y)| self.shifted(c, [x, y, 0])))
    }

    /// The cell with column and row exchanged, on the same level.
    pub fn transpose(&self, c: u32) -> Option<u32> {
        let [col, row, level] = *self.coordinates.get(c as usize)?;
        self.by_coordinates.get(&[row, col, level]).copied()
    }

    /// `Cell(col, row)`. A cube with several levels needs [`Board::at_level`].
    pub fn at(&self, col: i64, row: i64) -> Option<u32> {
        if self.low[2] == self.high[2] { self.at_level(col, row, self.low[2]) } else { None }
    }

    /// `Cell(col, row, level)`.
    pub fn at_level(&self, col: i64, row: i64, level: i64) -> Option<u32> {
        self.by_coordinates.get(&[col, row, level]).copied()
    }

    /// The cells of `within` that are reachable from cells of `from` in `within`, through neighbours in `within`.
    pub fn flood(&self, from: &[u32], within: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let mut seen = vec![false; self.len()];
        let mut waiting = from.to_vec();
        while let Some(c) = waiting.pop() {
            if (c as usize) < self.len() && !seen[c as usize] && within(c) {
                seen[c as usize] = true;
                waiting.extend(self.neighbors(c));
            }
        }
        (0..self.len() as u32).filter(|&c| seen[c as usize]).collect()
    }

    /// The cell at this offset in columns, rows and levels, modulo the size where the board wraps.
    fn shifted(&self, c: u32, by: [i128; 3]) -> Option<u32> {
        let mut place = *self.coordinates.get(c as usize)?;
        let wraps = self.shape.wraps();
        for axis in 0..3 {
            let mut to = i128::from(place[axis]) + by[axis];
            if wraps[axis] {
                let (low, high) = (i128::from(self.low[axis]), i128::from(self.high[axis]));
                to = low + (to - low).rem_euclid(high - low + 1);
            }
            place[axis] = i64::try_from(to).ok()?;
        }
        self.by_coordinates.get(&place).copied()
    }
}

/// Sorts cells and removes duplicates.
fn ordered(cells: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut cells: Vec<u32> = cells.collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}
