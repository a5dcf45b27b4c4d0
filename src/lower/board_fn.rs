//! The constant functions of boards on values. The reference interpreter has its own implementation: the two share
//! nothing but the tables of [`Board`], so that comparing them is a test.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use bouton_rules::{BoardFn, BoardId, DIR, EnumId, Rules, Value};

/// A cache of sets, by function, board and arguments.
#[derive(Debug, Default)]
pub struct BoardSetCache(RefCell<FxHashMap<BoardCall, Option<Value>>>);

/// A function with its board and arguments.
type BoardCall = (BoardFn, BoardId, [u64; MAX_ARGS]);

/// The maximal number of arguments of a function of a board.
const MAX_ARGS: usize = 3;

impl BoardSetCache {
    /// Calls [`apply`], with a cached result if the value is a set.
    pub fn apply(&self, rules: &Rules, function: BoardFn, id: BoardId, args: &[Value]) -> Option<Value> {
        if !gives_set(function) || args.len() > MAX_ARGS {
            return apply(rules, function, id, args);
        }
        // An argument of one function always has the same type, a cell or a number.
        let mut key = (function, id, [0; MAX_ARGS]);
        for (to, value) in key.2.iter_mut().zip(args) {
            *to = match value {
                Value::Sym(of, index) => u64::from(of.0) << 32 | u64::from(*index),
                Value::Int(n) => *n as u64,
                _ => return apply(rules, function, id, args),
            };
        }
        if let Some(known) = self.0.borrow().get(&key) {
            return known.clone();
        }
        let found = apply(rules, function, id, args);
        self.0.borrow_mut().insert(key, found.clone());
        found
    }
}

/// Returns true if the value of a function is a set.
fn gives_set(function: BoardFn) -> bool {
    use BoardFn::*;
    matches!(function, Ray | Neighbors | Diagonals | Around | Leap | Between | Sides | Edges | Boxes | Ends)
}

/// Returns true if a function is a condition, which is false if it has no value.
pub fn is_formula(function: BoardFn) -> bool {
    matches!(function, BoardFn::Aligned | BoardFn::Diagonal | BoardFn::Orthogonal)
}

/// Returns the value of a function; `None` if it is undefined.
pub fn apply(rules: &Rules, function: BoardFn, id: BoardId, args: &[Value]) -> Option<Value> {
    let board = &rules.boards[id];
    let cells = |found: &[u32]| members(board.cells, found);
    let cell = |found: Option<u32>| found.map(|c| Value::Sym(board.cells, c));
    let first = || index(board.cells, board.len(), args.first());
    let second = || index(board.cells, board.len(), args.get(1));
    let number = |n: usize| args.get(n).and_then(Value::as_int);
    let direction = || match args.get(1) {
        Some(Value::Sym(DIR, d)) => rules.dirs.get(*d as usize).copied(),
        _ => None,
    };
    match function {
        BoardFn::Step => cell(board.step(first()?, direction()?)),
        BoardFn::Ray => Some(cells(&board.ray(first()?, direction()?))),
        BoardFn::Col => board.col(first()?).map(Value::Int),
        BoardFn::Row => board.row(first()?).map(Value::Int),
        BoardFn::Level => board.level(first()?).map(Value::Int),
        BoardFn::Index => Some(Value::Int(board.index(first()?))),
        BoardFn::Reading => Some(Value::Int(board.reading(first()?))),
        BoardFn::Neighbors => Some(cells(board.neighbors(first()?))),
        BoardFn::Diagonals => Some(cells(board.diagonals(first()?))),
        BoardFn::Around => Some(cells(&board.around(first()?))),
        BoardFn::Leap => Some(cells(&board.leap(first()?, number(1)?, number(2)?))),
        BoardFn::Transpose => cell(board.transpose(first()?)),
        BoardFn::At if args.len() > 2 => cell(board.at_level(number(0)?, number(1)?, number(2)?)),
        BoardFn::At => cell(board.at(number(0)?, number(1)?)),
        BoardFn::Dir => {
            let found = board.dir(first()?, second()?)?;
            let place = rules.dirs.iter().position(|&d| d == found)?;
            Some(Value::Sym(DIR, place as u32))
        }
        BoardFn::Aligned => Some(Value::Bool(board.aligned(first()?, second()?))),
        BoardFn::Diagonal => Some(Value::Bool(board.diagonal_pair(first()?, second()?))),
        BoardFn::Orthogonal => Some(Value::Bool(board.orthogonal_pair(first()?, second()?))),
        BoardFn::Between => board.between(first()?, second()?).map(|found| cells(&found)),
        BoardFn::Beyond => cell(board.beyond(first()?, second()?)),
        BoardFn::Sides => Some(members(board.sides?, &board.sides_of(first()?))),
        BoardFn::Edges => Some(members(board.edges?, &board.edges_of(first()?))),
        BoardFn::Boxes => {
            let side = index(board.sides?, usize::MAX, args.first())?;
            Some(cells(&board.boxes_of(side)))
        }
        BoardFn::Ends => {
            let edge = index(board.edges?, board.edge_names().len(), args.first())?;
            Some(cells(&board.ends_of(edge)))
        }
    }
}

fn index(of: EnumId, limit: usize, value: Option<&Value>) -> Option<u32> {
    match value {
        Some(Value::Sym(id, index)) if *id == of && (*index as usize) < limit => Some(*index),
        _ => None,
    }
}

fn members(of: EnumId, found: &[u32]) -> Value {
    Value::set(found.iter().map(|&m| Value::Sym(of, m)))
}
