//! Sides of the boxes of a grid, and edges between neighbours.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Board, BoardShape};

/// The sides of all boxes.
#[derive(Clone, Debug, Default)]
pub(super) struct Sides {
    names: Vec<String>,
    boxes: Vec<Vec<u32>>,
    of_box: Vec<Vec<u32>>,
}

/// The edges between neighbours.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    names: Vec<String>,
    ends: Vec<[u32; 2]>,
    of_cell: Vec<Vec<u32>>,
}

impl Sides {
    /// The sides of a board of square boxes, each once, named after the first box that has it, in the order s, w, e, n.
    pub fn of(board: &Board) -> Sides {
        let mut sides = Sides::default();
        if !matches!(board.shape, BoardShape::Grid | BoardShape::Torus | BoardShape::Strip | BoardShape::Ring)
        {
            return sides;
        }
        let mut found: FxHashMap<(bool, i64, i64), u32> = FxHashMap::default();
        let wraps = board.shape.wraps();
        // On a board that wraps, opposite borders are one line, that of the first column or row.
        let next = |at: i64, axis: usize| {
            if wraps[axis] && at == board.high[axis] { board.low[axis] } else { at + 1 }
        };
        for (c, &[x, y, _]) in board.coordinates.iter().enumerate() {
            let around = [
                ('s', (false, x, y)),
                ('w', (true, x, y)),
                ('e', (true, next(x, 0), y)),
                ('n', (false, x, next(y, 1))),
            ];
            let mut own = Vec::new();
            for (letter, line) in around {
                let side = *found.entry(line).or_insert_with(|| {
                    sides.names.push(format!("{}{letter}", board.names[c]));
                    sides.boxes.push(Vec::new());
                    sides.names.len() as u32 - 1
                });
                if !own.contains(&side) {
                    own.push(side);
                    sides.boxes[side as usize].push(c as u32);
                }
            }
            own.sort_unstable();
            sides.of_box.push(own);
        }
        sides
    }
}

impl Edges {
    /// The pairs of neighbours, each once, in ascending order of the lower cell, then of the higher.
    pub fn of(board: &Board) -> Edges {
        let mut ends: Vec<[u32; 2]> = Vec::new();
        for c in 0..board.len() as u32 {
            ends.extend(board.neighbors(c).iter().map(|&to| [c.min(to), c.max(to)]));
        }
        ends.sort_unstable();
        ends.dedup();
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let mut names = Vec::new();
        let mut of_cell = vec![Vec::new(); board.len()];
        for (edge, &[a, b]) in ends.iter().enumerate() {
            // Points of a graph may contain `_` in their names: further underscores distinguish two edges.
            let mut joint = String::from("_");
            let name = loop {
                let name = format!("{}{joint}{}", board.cell_name(a), board.cell_name(b));
                if taken.insert(name.clone()) {
                    break name;
                }
                joint.push('_');
            };
            names.push(name);
            of_cell[a as usize].push(edge as u32);
            of_cell[b as usize].push(edge as u32);
        }
        Edges { names, ends, of_cell }
    }
}

impl Board {
    /// The names of the sides of the boxes, in order: the first box (in the order of the cells) that has the side, and
    /// one of the letters s, w, e, n. Grids, tori, strips and rings have sides.
    pub fn side_names(&self) -> &[String] {
        &self.side_table.names
    }

    /// `b.sides`: the sides of a box; four, unless the board wraps round a single box.
    pub fn sides_of(&self, of: u32) -> Vec<u32> {
        self.side_table.of_box.get(of as usize).cloned().unwrap_or_default()
    }

    /// `s.boxes`: the one or two boxes with this side.
    pub fn boxes_of(&self, side: u32) -> Vec<u32> {
        self.side_table.boxes.get(side as usize).cloned().unwrap_or_default()
    }

    /// The names of the edges in order: `a1_b1`, the lower cell first.
    pub fn edge_names(&self) -> &[String] {
        &self.edge_table.names
    }

    /// `e.ends`: the two cells of an edge, the lower one first. Panics if the board has no such edge.
    pub fn ends_of(&self, edge: u32) -> [u32; 2] {
        self.edge_table.ends[edge as usize]
    }

    /// `c.edges`: the edges of a cell; in a graph, one-way edges to it as well.
    pub fn edges_of(&self, c: u32) -> Vec<u32> {
        self.edge_table.of_cell.get(c as usize).cloned().unwrap_or_default()
    }
}
