//! The constant functions of boards, applied to values (LANGUAGE.md section 4).

use super::compact::{Compact, SetBuilder};
use bouton_rules::{Board, BoardFn, BoardId, DIR, EnumId, Rules};

/// Applies a function. Undefined if an argument is no cell or direction of the board, or if the board has no such
/// value. `aligned`, `diagonal` and `orthogonal` are formulas and give a truth value.
pub fn apply(rules: &Rules, function: BoardFn, board: BoardId, args: &[Compact]) -> Option<Compact> {
    let board = rules.boards.get(board)?;
    let cell = |n: usize| member(args.get(n)?, board.cells).filter(|&c| (c as usize) < board.len());
    let number = |n: usize| args.get(n)?.as_int();
    let dir = |n: usize| rules.dirs.get(member(args.get(n)?, DIR)? as usize).copied();
    let one = |c: u32| Compact::sym(board.cells, c);
    let many = |cells: &[u32]| set(board.cells, cells);
    Some(match function {
        BoardFn::Step => one(board.step(cell(0)?, dir(1)?)?),
        BoardFn::Col => Compact::Int(board.col(cell(0)?)?),
        BoardFn::Row => Compact::Int(board.row(cell(0)?)?),
        BoardFn::Level => Compact::Int(board.level(cell(0)?)?),
        BoardFn::Index => Compact::Int(board.index(cell(0)?)),
        BoardFn::Reading => Compact::Int(board.reading(cell(0)?)),
        BoardFn::Neighbors => many(board.neighbors(cell(0)?)),
        BoardFn::Diagonals => many(board.diagonals(cell(0)?)),
        BoardFn::Around => many(&board.around(cell(0)?)),
        BoardFn::Leap => many(&board.leap(cell(0)?, number(1)?, number(2)?)),
        BoardFn::Transpose => one(board.transpose(cell(0)?)?),
        BoardFn::At => one(at(board, number(0)?, number(1)?, args)?),
        BoardFn::Dir => {
            let dir = board.dir(cell(0)?, cell(1)?)?;
            Compact::sym(DIR, rules.dirs.iter().position(|&d| d == dir)? as u32)
        }
        BoardFn::Aligned => Compact::bool(board.aligned(cell(0)?, cell(1)?)),
        BoardFn::Diagonal => Compact::bool(board.diagonal_pair(cell(0)?, cell(1)?)),
        BoardFn::Orthogonal => Compact::bool(board.orthogonal_pair(cell(0)?, cell(1)?)),
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
pub fn flood(rules: &Rules, board: BoardId, from: &Compact, within: &Compact) -> Option<Compact> {
    let board = rules.boards.get(board)?;
    if !within.is_set() {
        return None;
    }
    let mut waiting = Vec::new();
    if from.is_set() {
        from.each_element(&mut |cell| {
            waiting.push(cell);
            true
        });
    } else {
        waiting.push(from.clone());
    }
    let mut joined = vec![false; board.len()];
    let mut cells = SetBuilder::default();
    while let Some(cell) = waiting.pop() {
        if !within.contains(&cell) {
            continue;
        }
        let number = member(&cell, board.cells)?;
        if std::mem::replace(joined.get_mut(number as usize)?, true) {
            continue;
        }
        waiting.extend(board.neighbors(number).iter().map(|&c| Compact::sym(board.cells, c)));
        cells.insert(cell);
    }
    Some(cells.finish())
}

fn at(board: &Board, col: i64, row: i64, args: &[Compact]) -> Option<u32> {
    match args.get(2) {
        Some(level) => board.at_level(col, row, level.as_int()?),
        None => board.at(col, row),
    }
}

fn member(value: &Compact, of: EnumId) -> Option<u32> {
    value.as_sym().filter(|(id, _)| *id == of).map(|(_, index)| index)
}

fn set(of: EnumId, members: &[u32]) -> Compact {
    let mut set = SetBuilder::default();
    members.iter().for_each(|&member| set.insert(Compact::sym(of, member)));
    set.finish()
}
