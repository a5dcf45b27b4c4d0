//! Boards that are graphs: points joined by edges, and chains of points that count as straight.

use indexmap::IndexMap;

use super::shapes::BoardParts;
use super::{Board, BoardError, BoardShape, MAX_CELLS, ordered};

/// A clause of a graph: `line a - b -> c;`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GraphClause {
    /// True if the points form a straight line.
    pub is_line: bool,
    /// The points in order. An edge joins each to the next.
    pub points: Vec<String>,
    /// For each point but the last, true if the edge to the next is one-way.
    pub one_way: Vec<bool>,
}

/// A `line` of a graph. A line of three points or more whose last point is its first is closed: it is a cycle, and
/// lists that point once.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub points: Vec<u32>,
    pub closed: bool,
}

impl Chain {
    /// Returns the point at offset `by` from index `from`; `None` outside an open chain.
    pub fn point(&self, from: usize, by: i64) -> Option<u32> {
        let len = self.points.len() as i64;
        let place = from as i64 + by;
        let place = if self.closed { place.rem_euclid(len) } else { place };
        usize::try_from(place).ok().and_then(|p| self.points.get(p)).copied()
    }
}

impl Board {
    /// Makes a graph of the points that the clauses name, in the order of their first mention. If all names are cell
    /// names of one grid (`a1`, `d1`, `g4`) in more than one column, the points have these columns and rows as
    /// coordinates.
    pub fn graph(clauses: &[GraphClause]) -> Result<Board, BoardError> {
        let mut numbers: IndexMap<&str, u32> = IndexMap::new();
        let mut links: Vec<(u32, u32)> = Vec::new();
        let mut chains = Vec::new();
        for clause in clauses {
            let mut points = Vec::new();
            for name in &clause.points {
                let next = numbers.len() as u32;
                points.push(*numbers.entry(name).or_insert(next));
            }
            for (i, pair) in points.windows(2).enumerate() {
                if pair[0] == pair[1] {
                    return Err(BoardError::Loop(clause.points[i].clone()));
                }
                links.push((pair[0], pair[1]));
                if !clause.one_way.get(i).copied().unwrap_or(false) {
                    links.push((pair[1], pair[0]));
                }
            }
            if clause.is_line {
                chains.push(chain(points, &clause.points)?);
            }
        }
        if numbers.len() > MAX_CELLS {
            return Err(BoardError::TooLarge);
        }
        let mut joined = vec![Vec::new(); numbers.len()];
        for (from, to) in links {
            joined[from as usize].push(to);
        }
        let joined = joined.into_iter().map(|to| ordered(to.into_iter())).collect();
        let names: Vec<String> = numbers.keys().map(|name| name.to_string()).collect();
        let places = places(&names).unwrap_or_default();
        let bound = |axis: usize, pick: fn(i64, i64) -> i64| {
            places.iter().map(|p: &[i64; 3]| p[axis]).reduce(pick).unwrap_or(1)
        };
        let low = [0, 1, 2].map(|axis| bound(axis, i64::min));
        let high = [0, 1, 2].map(|axis| bound(axis, i64::max));
        Self::from_parts(BoardParts { shape: BoardShape::Graph, names, places, low, high, chains, joined })
    }
}

/// Makes the chain of these points; the names are for the error.
fn chain(mut points: Vec<u32>, names: &[String]) -> Result<Chain, BoardError> {
    let closed = points.len() > 3 && points.first() == points.last();
    if closed {
        points.pop();
    }
    for (i, point) in points.iter().enumerate() {
        if points[..i].contains(point) {
            return Err(BoardError::Repeated(names[i].clone()));
        }
    }
    Ok(Chain { points, closed })
}

/// The coordinates that the names denote; `None` if some name is no cell name, if all are in one column (`v1`, `v2`,
/// ...: the letter is no column), or if the grid would exceed [`MAX_CELLS`].
fn places(names: &[String]) -> Option<Vec<[i64; 3]>> {
    let places: Vec<[i64; 3]> = names.iter().map(|name| place(name)).collect::<Option<_>>()?;
    let first = places.first()?[0];
    let width = places.iter().map(|p| p[0]).max()?;
    let height = places.iter().map(|p| p[1]).max()?;
    let fits = width.checked_mul(height).is_some_and(|cells| cells <= MAX_CELLS as i64);
    (fits && places.iter().any(|p| p[0] != first)).then_some(places)
}

/// The column, row and level of a name like `a1` or `ab12`; the level is 1.
fn place(name: &str) -> Option<[i64; 3]> {
    let letters = name.bytes().take_while(u8::is_ascii_lowercase).count();
    let digits = &name[letters..];
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    if !plain || !(1..=3).contains(&letters) {
        return None;
    }
    let col = name[..letters].bytes().fold(0, |col, b| col * 26 + i64::from(b - b'a') + 1);
    Some([col, digits.parse().ok()?, 1])
}
