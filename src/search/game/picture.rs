//! Positions as pictures in data: panels of cells with a place, a name and a label. Renderers are elsewhere.

mod circle;

use super::draw::{BoardRow, EMPTY_CELL, SideDrawing, boards, default_symbol, others, status};
use super::pieces::Piece;
use super::{Game, MoveInstance, State, Successor};
use bouton_rules::board::BoardShape;
use bouton_rules::look::PieceShape;
use bouton_rules::{Board, EnumId, FieldId, Rules, Type, Value, Visibility, keys_of};

/// The maximal length of a row that is drawn.
const MAX_ROW_CELLS: usize = 64;
/// The label of an element of a set.
const ELEMENT_SYMBOL: &str = "●";

/// A position as a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// The boards, then the fields that are drawn as rows.
    pub panels: Vec<Panel>,
    /// The characters on boards with what they stand for, if these are few.
    pub symbols: Vec<(String, String)>,
    /// The fields that are not drawn, `name: value` for each cell that holds something.
    pub facts: Vec<String>,
    /// The player to move, or the outcome.
    pub status: String,
}

/// A board, or a field drawn as a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Panel {
    /// The name of the board or field.
    pub name: String,
    /// The appearance of its cells.
    pub cell_shape: CellShape,
    /// The cells, in the order of the board.
    pub cells: Vec<Cell>,
    /// The pairs of cells joined by lines; only for points.
    pub links: Vec<(u32, u32)>,
    /// The names of boxes, for sides: cells that hold nothing.
    pub captions: Vec<Cell>,
}

/// The appearance of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellShape {
    /// Squares side by side.
    Squares,
    /// Hexagons in shifted rows.
    Hexagons,
    /// Points that lines join.
    Points,
    /// Sides of boxes. Their places are the middles of sides, and count from the top in half cells as well.
    Sides,
}

/// A cell of a panel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    pub name: String,
    /// The characters in it; empty for nothing.
    pub symbol: String,
    /// The piece in it; `None` if the characters alone are drawn.
    pub piece: Option<Piece>,
    /// The distance from the left, in half cells.
    pub x: i64,
    /// The distance from the top, in cells.
    pub y: i64,
}

/// The maximal number of characters whose meanings a picture has.
const MAX_MEANINGS: usize = 12;

/// The characters for a value that is not seen.
const UNSEEN: &str = "?";

/// The view of a position: true for a cell of a field whose value is seen.
type Sight<'a> = dyn Fn(FieldId, usize) -> bool + 'a;

/// Returns a position as a picture.
pub fn picture(game: &Game, state: &State) -> Picture {
    seen(game, state, &|_, _| true)
}

/// Returns the picture that these players see together; `None` if a board holds something that they do not see.
pub fn picture_seen_by(game: &Game, state: &State, players: &[u32]) -> Option<Picture> {
    let fields = &game.rules.fields;
    let sees = |field: FieldId, cell: usize| fields[field].is_seen_by(cell, players);
    let boards = boards(&game.rules);
    let mut drawn = boards.iter().flat_map(|drawn| drawn.fields());
    // A definition may depend on what is hidden.
    let sees_all = drawn
        .all(|field| field.is_some_and(|field| (0..fields[field].cells()).all(|cell| sees(field, cell))));
    sees_all.then(|| seen(game, state, &sees))
}

/// Returns the picture of a position in a view in which the boards are seen.
fn seen(game: &Game, state: &State, sees: &Sight<'_>) -> Picture {
    let rules = &*game.rules;
    let boards = boards(rules);
    let board = |drawn: &super::draw::DrawnBoard<'_>| {
        panel(&rules.boards[drawn.board], &|cell| {
            (drawn.symbol(game, state, cell), drawn.piece(game, state, cell))
        })
    };
    let mut panels: Vec<Panel> = boards.iter().map(board).collect();
    let (mut facts, mut dealt) = (Vec::new(), Vec::new());
    for field in others(rules, &boards) {
        let is_seen = (0..rules.fields[field].cells()).all(|cell| sees(field, cell));
        if let Some(row) = BoardRow::of(rules, field).filter(|_| is_seen) {
            let boards = row.names().into_iter().enumerate();
            panels.extend(boards.map(|(at, name)| Panel {
                name,
                ..panel(&rules.boards[row.board()], &|cell| {
                    (visible(row.symbol(game, state, at, cell)), row.piece(game, state, at, cell))
                })
            }));
        } else if let Some(sides) = SideDrawing::of(rules, field).filter(|_| is_seen) {
            panels.push(side_panel(game, state, field, &sides));
        } else if let Some(row) = row(game, state, field, sees) {
            panels.push(row);
            dealt.extend(meanings_of_dealt(rules, field));
        } else {
            facts.extend(fact(game, state, field, sees));
        }
    }
    let mut symbols: Vec<(String, String)> = boards.iter().flat_map(|drawn| drawn.meanings()).collect();
    symbols.extend(dealt);
    symbols.dedup();
    if symbols.len() > MAX_MEANINGS {
        symbols.clear();
    }
    Picture { panels, symbols, facts, status: status(game, state) }
}

/// The maximal number of cells that a move may change and still be placed by them.
const MAX_CHANGED_CELLS: usize = 2;

/// Returns the cells of the first panel that place a move on the picture of the position before it, in order. A move
/// that names cells of the board is placed by those in its notation; another one by the cells that it changes, if these
/// are at most two. Empty if a move has no place.
pub fn cells_of_move(game: &Game, picture: &Picture, made: &Successor, written: &str) -> Vec<u32> {
    let Some(panel) = picture.panels.first() else { return Vec::new() };
    let named = named_cells_of(&game.rules, &made.play);
    let is_written =
        |&cell: &u32| panel.cells.get(cell as usize).is_some_and(|cell| written.contains(&cell.name));
    if named.iter().any(is_written) {
        return panel.cells_in(written);
    }
    if !named.is_empty() {
        return named;
    }
    let after = self::picture(game, &made.state);
    let Some(after) = after.panels.first().filter(|after| after.cells.len() == panel.cells.len()) else {
        return Vec::new();
    };
    let pairs = panel.cells.iter().zip(&after.cells).zip(0..);
    let changed: Vec<u32> =
        pairs.filter(|((cell, then), _)| cell.symbol != then.symbol).map(|(_, cell)| cell).collect();
    if changed.len() <= MAX_CHANGED_CELLS { changed } else { Vec::new() }
}

impl Panel {
    /// The cells whose names a notation contains, in its order.
    fn cells_in(&self, written: &str) -> Vec<u32> {
        let mut found = Vec::new();
        let mut rest = written;
        while let Some(first) = rest.chars().next() {
            let named = self.cells.iter().zip(0..).map(|(cell, number)| (cell.name.as_str(), number));
            let begins = named.filter(|(name, _)| !name.is_empty() && rest.starts_with(name));
            let longest = begins.max_by_key(|(name, _)| name.len());
            found.extend(longest.map(|(_, number)| number));
            rest = &rest[longest.map_or(first.len_utf8(), |(name, _)| name.len())..];
        }
        found
    }
}

/// The cells of the board drawn first that a move names, in the order of its parameters.
fn named_cells_of(rules: &Rules, play: &MoveInstance) -> Vec<u32> {
    let drawn = boards(rules);
    let (Some(drawn), MoveInstance::Move(_, arguments)) = (drawn.first(), play) else { return Vec::new() };
    let mut named = Vec::new();
    for argument in arguments {
        named_cells(argument, rules.boards[drawn.board].cells, &mut named);
    }
    named
}

/// Collects the members of the enum `cells` in a value.
fn named_cells(value: &Value, cells: EnumId, named: &mut Vec<u32>) {
    match value {
        Value::Sym(of, cell) if *of == cells => named.push(*cell),
        Value::Tuple(tuple) => tuple.parts.iter().for_each(|part| named_cells(part, cells, named)),
        _ => {}
    }
}

/// The characters in a cell; empty for an empty cell.
fn visible(symbol: String) -> String {
    if symbol == EMPTY_CELL { String::new() } else { symbol }
}

/// The sides of the boxes of a board, with the names of the boxes.
fn side_panel(game: &Game, state: &State, id: FieldId, sides: &SideDrawing<'_>) -> Panel {
    let board = sides.board();
    let side = |((name, (x, y)), side): ((&String, (i64, i64)), u32)| {
        let is_drawn = sides.is_drawn(game, state, side);
        let symbol = if is_drawn { ELEMENT_SYMBOL.into() } else { String::new() };
        Cell { name: name.clone(), symbol, piece: None, x, y }
    };
    let mut captions = Vec::new();
    for (y, row) in (0..).zip(board.reading_rows()) {
        for (x, cell) in (0..).zip(row) {
            let name = cell.map(|cell| board.cell_name(cell).to_string());
            captions.extend(name.map(|name| Cell {
                name,
                symbol: String::new(),
                piece: None,
                x: 2 * x + 1,
                y: 2 * y + 1,
            }));
        }
    }
    Panel {
        name: game.rules.fields[id].name.clone(),
        cell_shape: CellShape::Sides,
        cells: board.side_names().iter().zip(sides.middles()).zip(0..).map(side).collect(),
        links: Vec::new(),
        captions,
    }
}

/// A board; `held` gives the characters and the piece in a cell.
fn panel(board: &Board, held: &dyn Fn(u32) -> (String, Option<Piece>)) -> Panel {
    let cells_are = match board.shape {
        BoardShape::Hex => CellShape::Hexagons,
        BoardShape::Graph => CellShape::Points,
        _ => CellShape::Squares,
    };
    let mut places = vec![(0, 0); board.len()];
    let rows = board.reading_rows();
    for (y, row) in rows.iter().enumerate() {
        for (x, cell) in row.iter().enumerate() {
            let &Some(cell) = cell else { continue };
            // Rows of hexagons are shifted by half a cell; an empty row separates levels.
            let shift = if cells_are == CellShape::Hexagons { y as i64 } else { 0 };
            let levels = board.level(cell).map_or(0, |level| board.len() as i64 - level);
            places[cell as usize] = (2 * x as i64 + shift, y as i64 + levels);
        }
    }
    let joined = |c: u32| board.neighbors(c).iter().map(move |&d| (c.min(d), c.max(d)));
    let mut links: Vec<(u32, u32)> = match cells_are {
        CellShape::Points => (0..board.len() as u32).flat_map(joined).collect(),
        _ => Vec::new(),
    };
    links.sort_unstable();
    links.dedup();
    // In one row, lines between points that are no neighbours in it would lie on each other.
    if rows.len() == 1 && links.iter().any(|(a, b)| a.abs_diff(*b) > 1) {
        places = circle::places(board.len(), &links);
    }
    let top = places.iter().map(|(_, y)| *y).min().unwrap_or(0);
    let cell = |(c, &(x, y)): (usize, &(i64, i64))| {
        let (symbol, piece) = held(c as u32);
        Cell { name: board.cell_name(c as u32).to_string(), symbol, piece, x, y: y - top }
    };
    let cells = places.iter().enumerate().map(cell).collect();
    Panel { name: board.name.clone(), cell_shape: cells_are, cells, links, captions: Vec::new() }
}

/// Returns a set of numbers or names, or a field with one key, as a row; `None` if it is no such field or does not fit.
fn row(game: &Game, state: &State, id: FieldId, sees: &Sight<'_>) -> Option<Panel> {
    let rules = &*game.rules;
    let field = &rules.fields[id];
    // What is dealt into a field that hides something lies there as cards and dice.
    let is_dealt = !matches!(field.visibility, Visibility::Public);
    let piece = |value: &Value| {
        let shape = if matches!(value, Value::Int(_)) { PieceShape::Square } else { PieceShape::Card };
        is_dealt.then(|| Piece { shape, colour: None, name: rules.show(value) })
    };
    let entries: Vec<(Value, String, Option<Piece>)> = match (field.keys.as_slice(), field.ty.base()) {
        ([], Type::Set(inner)) if sees(id, 0) => {
            let held = game.machine.read(state, id, 0);
            let sign = |v: &Value| held.as_set().is_some_and(|set| set.binary_search(v).is_ok());
            let values = rules.type_values(inner, MAX_ROW_CELLS)?;
            values
                .into_iter()
                .map(|v| (v.clone(), if sign(&v) { ELEMENT_SYMBOL.into() } else { String::new() }, None))
                .collect()
        }
        ([key], _) if (2..=MAX_ROW_CELLS).contains(&key.values.len()) => {
            let sign = |(cell, key): (usize, &Value)| {
                if !sees(id, cell) {
                    let covered = Piece { shape: PieceShape::Card, colour: None, name: "hidden".into() };
                    return (key.clone(), UNSEEN.to_owned(), Some(covered));
                }
                let value = game.machine.read(state, id, cell);
                let sign = default_symbol(rules, &field.name, &value);
                if sign == EMPTY_CELL {
                    return (key.clone(), String::new(), None);
                }
                (key.clone(), sign, piece(&value))
            };
            key.values.iter().enumerate().map(sign).collect()
        }
        _ => return None,
    };
    // Words do not fit into cells.
    let fits = |(value, sign, _): &(Value, String, Option<Piece>)| {
        sign.chars().count() <= 4 && rules.show(value).chars().count() <= 6
    };
    if entries.is_empty() || !entries.iter().all(fits) {
        return None;
    }
    let cell = |(i, (value, symbol, piece)): (usize, (Value, String, Option<Piece>))| Cell {
        name: rules.show(&value),
        symbol,
        piece,
        x: 2 * i as i64,
        y: 0,
    };
    let cells = entries.into_iter().enumerate().map(cell).collect();
    Some(Panel {
        name: field.name.clone(),
        cell_shape: CellShape::Squares,
        cells,
        links: Vec::new(),
        captions: Vec::new(),
    })
}

/// The characters for the values of a field that hides something, with what they stand for.
fn meanings_of_dealt(rules: &Rules, id: FieldId) -> Vec<(String, String)> {
    let field = &rules.fields[id];
    let inner = match field.ty.base() {
        Type::Option(inner) => inner.base(),
        whole => whole,
    };
    let is_dealt = !matches!(field.visibility, Visibility::Public) && matches!(inner, Type::Sym(_));
    let values = rules.type_values(inner, MAX_MEANINGS).filter(|_| is_dealt).unwrap_or_default();
    let meaning = |value: &Value| (default_symbol(rules, &field.name, value), rules.show(value));
    values.iter().map(meaning).filter(|(sign, word)| sign != word).collect()
}

/// Describes a field in words: the cells that hold something, or may do so.
fn fact(game: &Game, state: &State, id: FieldId, sees: &Sight<'_>) -> Vec<String> {
    let field = &game.rules.fields[id];
    let told = |cell: usize| {
        let value = sees(id, cell).then(|| game.machine.read(state, id, cell));
        let empty = value.is_some() && value == field.ty.empty_value() && !field.keys.is_empty();
        let keys: Vec<String> = keys_of(&field.keys, cell).iter().map(|k| game.rules.show(k)).collect();
        let keys = if keys.is_empty() { String::new() } else { format!("[{}]", keys.join(", ")) };
        let shown = value.map_or(UNSEEN.into(), |value| game.rules.show(&value));
        (!empty).then(|| format!("{}{keys}: {shown}", field.name))
    };
    (0..field.cells()).filter_map(told).take(MAX_ROW_CELLS).collect()
}
