//! The constant functions of boards, applied to values (LANGUAGE.md section 4).

use bouton_rules::{Board, BoardFn, BoardId, DIR, EnumId, Rules, Value};

/// Applies a function. Undefined if an argument is no cell or direction of the board, or if the board has no such
/// value. `aligned`, `diagonal` and `orthogonal` are formulas and give a truth value.
pub fn apply(rules: &Rules, function: BoardFn, board: BoardId, args: &[Value]) -> Option<Value> {
    let board = rules.boards.get(board)?;
    let cell = |n: usize| member(args.get(n)?, board.cells).filter(|&c| (c as usize) < board.len());
    let number = |n: usize| args.get(n)?.as_int();
    let dir = |n: usize| rules.dirs.get(member(args.get(n)?, DIR)? as usize).copied();
    let one = |c: u32| Value::Sym(board.cells, c);
    let many = |cells: &[u32]| set(board.cells, cells);
    Some(match function {
        BoardFn::Step => one(board.step(cell(0)?, dir(1)?)?),
        BoardFn::Col => Value::Int(board.col(cell(0)?)?),
        BoardFn::Row => Value::Int(board.row(cell(0)?)?),
        BoardFn::Level => Value::Int(board.level(cell(0)?)?),
        BoardFn::Index => Value::Int(board.index(cell(0)?)),
        BoardFn::Reading => Value::Int(board.reading(cell(0)?)),
        BoardFn::Neighbors => many(board.neighbors(cell(0)?)),
        BoardFn::Diagonals => many(board.diagonals(cell(0)?)),
        BoardFn::Around => many(&board.around(cell(0)?)),
        BoardFn::Leap => many(&board.leap(cell(0)?, number(1)?, number(2)?)),
        BoardFn::Transpose => one(board.transpose(cell(0)?)?),
        BoardFn::At => one(at(board, number(0)?, number(1)?, args)?),
        BoardFn::Dir => {
            let dir = board.dir(cell(0)?, cell(1)?)?;
            Value::Sym(DIR, rules.dirs.iter().position(|&d| d == dir)? as u32)
        }
        BoardFn::Aligned => Value::Bool(board.aligned(cell(0)?, cell(1)?)),
        BoardFn::Diagonal => Value::Bool(board.diagonal_pair(cell(0)?, cell(1)?)),
        BoardFn::Orthogonal => Value::Bool(board.orthogonal_pair(cell(0)?, cell(1)?)),
        BoardFn::Between => many(&board.between(cell(0)?, cell(1)?)?),
        BoardFn::Beyond => one(board.beyond(cell(0)?, cell(1)?)?),
        BoardFn::Ray => many(&board.ray(cell(0)?, dir(1)?)),
        BoardFn::Sides => set(board.sides?, &board.sides_of(cell(0)?)),
        BoardFn::Boxes => many(&board.boxes_of(member(args.first()?, board.sides?)?)),
        BoardFn::Ends => {
            let edge = member(args.first()?, board.edges?)?;
            let known = (edge as usize) < board.edge_names().len();
            many(&known.then(|| board.ends_of(edge))?)
        }
        BoardFn::Edges => set(board.edges?, &board.edges_of(cell(0)?)),
    })
}

/// Returns true if the function is a formula, which is false where an argument is undefined.
pub fn is_formula(function: BoardFn) -> bool {
    matches!(function, BoardFn::Aligned | BoardFn::Diagonal | BoardFn::Orthogonal)
}

/// `flood(from, within)`: the cells of `within` connected to `from`, including those of `from` in `within`. It is the
/// least set that contains these cells and, with a cell, all its neighbours in `within`.
pub fn flood(rules: &Rules, board: BoardId, from: &Value, within: &Value) -> Option<Value> {
    let board = rules.boards.get(board)?;
    let within = within.as_set()?;
    let mut waiting = match from {
        Value::Set(cells) => cells.to_vec(),
        cell => vec![cell.clone()],
    };
    let mut joined: Vec<Value> = Vec::new();
    while let Some(cell) = waiting.pop() {
        if within.binary_search(&cell).is_err() {
            continue;
        }
        if let Err(place) = joined.binary_search(&cell) {
            let neighbors = board.neighbors(member(&cell, board.cells)?);
            waiting.extend(neighbors.iter().map(|&c| Value::Sym(board.cells, c)));
            joined.insert(place, cell);
        }
    }
    Some(Value::set(joined))
}

fn at(board: &Board, col: i64, row: i64, args: &[Value]) -> Option<u32> {
    match args.get(2) {
        Some(level) => board.at_level(col, row, level.as_int()?),
        None => board.at(col, row),
    }
}

fn member(value: &Value, of: EnumId) -> Option<u32> {
    match value {
        Value::Sym(id, index) if *id == of => Some(*index),
        _ => None,
    }
}

fn set(of: EnumId, members: &[u32]) -> Value {
    Value::set(members.iter().map(|&m| Value::Sym(of, m)))
}
