//! Straight lines: rays, aligned cells, windows of a line.
//!
//! On boards with directions a straight line repeats steps in one direction; on graphs it is a `line`. On boards that
//! wrap, several rays may lead from one cell to another: the shortest counts. If two directions are equally short, the
//! cells are aligned, but the direction, the cells between and the cell beyond are undefined.

use rustc_hash::FxHashSet;

use super::{Board, BoardShape, Dir, ordered};

/// The alignment of two cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alignment {
    /// The directions of the shortest rays, as bits at their indices in [`Board::directions`], and the length of these
    /// rays in steps.
    dirs: u16,
    length: u16,
}

/// The maximal number of cells of a board with a table of pairs.
const MAX_PAIR_TABLE_CELLS: usize = 512;

impl Board {
    /// `ray(c, d)`: the cells from c in direction d, in the order of the steps, until the board or its mask ends or the
    /// ray returns to c; c excluded.
    pub fn ray(&self, c: u32, d: Dir) -> Vec<u32> {
        std::iter::successors(self.step(c, d), |&at| self.step(at, d)).take_while(|&at| at != c).collect()
    }

    /// `aligned(a, b)`: true if the cells differ and lie on a straight line.
    pub fn aligned(&self, a: u32, b: u32) -> bool {
        match self.shape {
            BoardShape::Graph => !self.spans(a, b).is_empty(),
            _ => self.alignment(a, b).is_some(),
        }
    }

    /// `dir(a, b)`: the direction from a to b; undefined on graphs.
    pub fn dir(&self, a: u32, b: u32) -> Option<Dir> {
        self.only_dir(self.alignment(a, b)?)
    }

    /// `diagonal(a, b)`: true if a shortest ray from a to b goes in a diagonal direction; false on graphs.
    pub fn diagonal_pair(&self, a: u32, b: u32) -> bool {
        self.alignment(a, b).is_some_and(|s| self.dirs_of(s).any(|d| self.is_diagonal(d)))
    }

    /// `orthogonal(a, b)`: true if a shortest ray from a to b goes along a row, column or level; false on graphs.
    pub fn orthogonal_pair(&self, a: u32, b: u32) -> bool {
        self.alignment(a, b).is_some_and(|s| self.dirs_of(s).any(|d| !self.is_diagonal(d)))
    }

    /// `between(a, b)`: the cells strictly between aligned cells, in the order of the cells.
    pub fn between(&self, a: u32, b: u32) -> Option<Vec<u32>> {
        if self.shape == BoardShape::Graph {
            return agreed(self.spans(a, b).into_iter().map(|(chain, from, by)| {
                let inner = (1..by.abs()).filter_map(|i| self.chains[chain].point(from, i * by.signum()));
                Some(ordered(inner))
            }));
        }
        let sight = self.alignment(a, b)?;
        let length = usize::from(sight.length);
        Some(ordered(self.ray(a, self.only_dir(sight)?).into_iter().take(length - 1)))
    }

    /// `beyond(a, b)`: the cell after b on the straight line from a through b.
    pub fn beyond(&self, a: u32, b: u32) -> Option<u32> {
        if self.shape == BoardShape::Graph {
            return agreed(
                self.spans(a, b)
                    .into_iter()
                    .map(|(chain, from, by)| self.chains[chain].point(from, by + by.signum())),
            );
        }
        self.step(b, self.dir(a, b)?)
    }

    /// All straight lines of exactly k consecutive cells, each set of cells once, ordered by first cell, then by
    /// direction. A line lists its cells in the order of the steps, upwards or, in a row, to the right. On boards that
    /// wrap, the lines are the windows of k different cells; on graphs, the windows of each `line`, line by line.
    pub fn lines(&self, k: usize) -> Vec<Vec<u32>> {
        if k == 0 {
            return Vec::new();
        }
        let mut lines = Vec::new();
        if self.shape == BoardShape::Graph {
            for chain in &self.chains {
                let starts = 0..chain.points.len();
                let window = |i| (0..k as i64).map_while(|by| chain.point(i, by)).collect::<Vec<_>>();
                lines.extend(starts.filter(|_| k <= chain.points.len()).map(window));
            }
        } else {
            for c in 0..self.len() as u32 {
                for d in self.forward() {
                    let ray = self.ray(c, d);
                    lines.push(std::iter::once(c).chain(ray.into_iter().take(k - 1)).collect());
                }
            }
        }
        lines.retain(|line: &Vec<u32>| line.len() == k);
        each_once(lines)
    }

    /// The maximal straight lines of two cells or more, each set of cells once, ordered by first cell, then by
    /// direction. On boards that wrap such a line may be closed; on graphs the lines are the `line`s.
    pub fn all_lines(&self) -> Vec<Vec<u32>> {
        if self.shape == BoardShape::Graph {
            let chains = self.chains.iter().map(|chain| chain.points.clone());
            return each_once(chains.filter(|line| line.len() > 1).collect());
        }
        let mut lines = Vec::new();
        for c in 0..self.len() as u32 {
            for d in self.forward() {
                let ray = self.ray(c, d);
                // A line begins at a cell that no step leads to. A closed line may begin at any of its cells; its first
                // cell counts.
                let last = ray.last().copied().unwrap_or(c);
                let round = self.step(last, d) == Some(c);
                let begins = self.step(c, d.opposite()).is_none() || round;
                if begins && !ray.is_empty() {
                    lines.push(std::iter::once(c).chain(ray).collect());
                }
            }
        }
        each_once(lines)
    }

    /// The direction of each opposite pair that leads up or, in a row, to the right.
    fn forward(&self) -> impl Iterator<Item = Dir> + use<> {
        self.directions().iter().copied().filter(|d| {
            let (x, y, z) = d.delta();
            (z, y, x) > (0, 0, 0)
        })
    }

    /// The alignment of two cells, from a table on all but large boards, since rules query it often.
    fn alignment(&self, a: u32, b: u32) -> Option<Alignment> {
        let n = self.len();
        if a as usize >= n || b as usize >= n {
            return None;
        }
        if n > MAX_PAIR_TABLE_CELLS {
            return self.alignments_from(a)[b as usize];
        }
        let all = || (0..n as u32).flat_map(|a| self.alignments_from(a)).collect();
        self.alignments.get_or_init(all)[a as usize * n + b as usize]
    }

    /// The alignment of a cell with every cell.
    fn alignments_from(&self, a: u32) -> Vec<Option<Alignment>> {
        let mut sights: Vec<Option<Alignment>> = vec![None; self.len()];
        for (i, &d) in self.directions().iter().enumerate() {
            for (at, b) in self.ray(a, d).into_iter().enumerate().filter(|&(_, b)| b != a) {
                let length = u16::try_from(at + 1).unwrap_or(u16::MAX);
                match &mut sights[b as usize] {
                    Some(best) if best.length < length => {}
                    Some(best) if best.length == length => best.dirs |= 1 << i,
                    none => *none = Some(Alignment { dirs: 1 << i, length }),
                }
            }
        }
        sights
    }

    fn dirs_of(&self, sight: Alignment) -> impl Iterator<Item = Dir> + use<> {
        let dirs = self.directions().iter().enumerate();
        dirs.filter(move |(i, _)| sight.dirs >> i & 1 == 1).map(|(_, &d)| d)
    }

    fn only_dir(&self, sight: Alignment) -> Option<Dir> {
        self.dirs_of(sight).next().filter(|_| sight.dirs.is_power_of_two())
    }

    /// The shortest paths from a to b on chains: the chain, the index of a, and the offset of b (negative: backwards).
    fn spans(&self, a: u32, b: u32) -> Vec<(usize, usize, i64)> {
        let mut spans = Vec::new();
        for (number, chain) in self.chains.iter().enumerate() {
            let place = |c| chain.points.iter().position(|&p| p == c);
            let (Some(from), Some(to)) = (place(a), place(b)) else { continue };
            let (by, len) = (to as i64 - from as i64, chain.points.len() as i64);
            spans.push((number, from, by));
            if chain.closed {
                spans.push((number, from, by - by.signum() * len));
            }
        }
        spans.retain(|_| a != b);
        let least = spans.iter().map(|(_, _, by)| by.abs()).min();
        spans.retain(|(_, _, by)| Some(by.abs()) == least);
        spans
    }
}

/// The common answer; `None` if there is no answer or two answers differ, as two lines of a graph through the same
/// points may.
fn agreed<T: PartialEq>(mut answers: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = answers.next()?;
    if answers.all(|answer| answer == first) { first } else { None }
}

/// Removes the lines with the same set of cells as an earlier line.
fn each_once(lines: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut seen = FxHashSet::default();
    lines.into_iter().filter(|line| seen.insert(ordered(line.iter().copied()))).collect()
}
