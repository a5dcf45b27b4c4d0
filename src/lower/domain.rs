//! The layout of the values of a domain in a vector of bits.

use rustc_hash::FxHashMap;

use super::lanes::MAX_LISTED_CASES;
use bouton_base::bits::{BitSet, words_for};
use bouton_rules::board::BoardShape;
use bouton_rules::{Board, EnumKind, Rules, Value};

/// Values with a place (a bit position) each. Places increase with the order of the values.
#[derive(Debug)]
pub struct BitDomain {
    /// The values, in order.
    pub values: Vec<Value>,
    /// The place of each value.
    pub places: Vec<u32>,
    /// The number of places, used or not.
    pub width: u32,
    /// The distance from one row to the next, if the values are cells in rows.
    pub stride: Option<u32>,
    index: FxHashMap<Value, usize>,
}

impl BitDomain {
    /// Lays out values consecutively, or, if they are cells, as on their board.
    pub fn new(rules: &Rules, values: Vec<Value>) -> BitDomain {
        let board = match values.first() {
            Some(Value::Sym(id, _)) => match rules.enums[*id].kind {
                EnumKind::Cells(board) => Some(&rules.boards[board]),
                _ => None,
            },
            _ => None,
        };
        let index = values.iter().cloned().enumerate().map(|(i, v)| (v, i)).collect();
        match board.and_then(rows) {
            Some((stride, width, all)) => {
                let place = |v: &Value| v.as_sym().map_or(0, |cell| all[cell as usize]);
                BitDomain {
                    places: values.iter().map(place).collect(),
                    width,
                    stride: Some(stride),
                    values,
                    index,
                }
            }
            None => {
                // Cells of a graph keep their places even if only some of them are in the domain.
                let place = |(i, v): (usize, &Value)| match board {
                    Some(_) => v.as_sym().unwrap_or(0),
                    None => i as u32,
                };
                let places: Vec<u32> = values.iter().enumerate().map(place).collect();
                let width = board.map_or(values.len(), Board::len).max(1) as u32;
                BitDomain { places, width, stride: None, values, index }
            }
        }
    }

    /// Lays out values by codes: consecutive codes, except that the codes of cells, with or without `none`, are their
    /// places.
    pub fn of_codes(rules: &Rules, values: Vec<Value>) -> BitDomain {
        let cells: Vec<Value> = values.iter().filter(|v| **v != Value::None).cloned().collect();
        let on_board = match cells.first() {
            Some(Value::Sym(id, _)) => matches!(rules.enums[*id].kind, EnumKind::Cells(_)),
            _ => false,
        };
        let own = BitDomain::new(rules, cells);
        let optional = own.values.len() < values.len();
        if !on_board || own.values.len() <= MAX_LISTED_CASES {
            let places = (0..values.len() as u32).collect();
            let width = values.len().max(1) as u32;
            let index = values.iter().cloned().enumerate().map(|(i, v)| (v, i)).collect();
            return BitDomain { values, places, width, stride: None, index };
        }
        // `none` gets a place without a cell.
        let taken = own.mask();
        let free = (0..=own.width).find(|&p| p == own.width || !taken.contains(p)).unwrap_or(own.width);
        let width = if optional { own.width.max(free + 1) } else { own.width };
        let place = |v: &Value| own.place(v).unwrap_or(free);
        let places: Vec<u32> = values.iter().map(place).collect();
        let index = values.iter().cloned().enumerate().map(|(i, v)| (v, i)).collect();
        BitDomain { values, places, width, stride: own.stride, index }
    }

    /// Returns the place of a value; `None` if it is not in the domain.
    pub fn place(&self, value: &Value) -> Option<u32> {
        self.index.get(value).map(|&i| self.places[i])
    }

    /// Returns the used places.
    pub fn mask(&self) -> BitSet {
        BitSet::of(self.width, self.places.iter().copied())
    }
}

/// Returns the distance between rows, the width, and the place of each cell. An empty place follows each row if that
/// needs no further word, so that steps do not lead from one row into the next.
fn rows(board: &Board) -> Option<(u32, u32, Vec<u32>)> {
    if matches!(board.shape, BoardShape::Graph) || !board.has_coordinates() {
        return None;
    }
    let cells = 0..board.len() as u32;
    let place = |c: u32| Some((board.col(c)?, board.row(c)?, board.level(c).unwrap_or(1)));
    let places: Option<Vec<(i64, i64, i64)>> = cells.map(place).collect();
    let places = places?;
    let low = |f: fn(&(i64, i64, i64)) -> i64| places.iter().map(f).min().unwrap_or(0);
    let high = |f: fn(&(i64, i64, i64)) -> i64| places.iter().map(f).max().unwrap_or(0);
    let (col, row, level) = (low(|p| p.0), low(|p| p.1), low(|p| p.2));
    let columns = high(|p| p.0) - col + 1;
    let height = high(|p| p.1) - row + 1;
    let at = |stride: i64| -> Vec<u32> {
        places
            .iter()
            .map(|p| ((p.2 - level) * stride * height + (p.1 - row) * stride + p.0 - col) as u32)
            .collect()
    };
    let width = |places: &[u32]| places.iter().max().map_or(1, |m| m + 1);
    let (tight, padded) = (at(columns), at(columns + 1));
    let (narrow, wide) = (width(&tight), width(&padded));
    let free = words_for(narrow) == words_for(wide);
    let (stride, width, places) = if free { (columns + 1, wide, padded) } else { (columns, narrow, tight) };
    Some((stride as u32, width, places))
}
