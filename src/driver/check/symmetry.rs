//! `symmetry Cell;` is a claim: E0507 where exploring shows that no symmetry of the board is one of the game.
//!
//! The symmetries tried are the turns and reflections of the picture that keep who is whose neighbour, each alone and
//! combined with exchanging two players. One is refuted by a position whose image has another turn, another result,
//! or other positions after it. Not to be refuted is no proof; it is what a check can say.

use rustc_hash::FxHashSet;

use crate::base::id::Id;
use crate::game::explore::Explored;
use crate::game::{Game, State, Turn};
use crate::rules::{
    Block, Board, BoardId, Effect, EffectOp, EnumKind, Expr, ExprKind, FieldId, PLAYER, Rules, Stmt,
    StmtKind, Symmetry, Tuple, Type, Value, Vars, keys_of,
};
use crate::source::Span;

/// As many positions are asked, those met first.
const POSITIONS: usize = 8;

/// A declared symmetry that no exchange of cells bears out.
pub struct Refuted {
    /// The claim.
    pub span: Span,
    /// The board.
    pub board: String,
    /// The position that refutes what held longest, by its place among those explored.
    pub at: u32,
    /// Its image.
    pub image: State,
}

/// Where the cells of a board and the players go.
struct Exchange {
    board: BoardId,
    cells: Vec<u32>,
    swap: bool,
}

/// The first board whose declared symmetry is none.
pub fn refuted(game: &Game, seen: &Explored) -> Option<Refuted> {
    let rules = &game.rules;
    let Symmetry::Of(boards, span) = &rules.symmetry else { return None };
    // Histories have no image here, and sides and edges are named by their cells.
    if !rules.forbids.is_empty() || rules.repeats.iter().any(|r| r.count.is_some()) {
        return None;
    }
    boards.iter().find_map(|&board| {
        let exchanges = exchanges(rules, board);
        let mut longest: Option<Refuted> = None;
        for exchange in &exchanges {
            let (at, image) = first_difference(game, seen, exchange)?;
            if longest.as_ref().is_none_or(|known| known.at < at) {
                let board = rules.boards[board].name.clone();
                longest = Some(Refuted { span: *span, board, at, image });
            }
        }
        longest
    })
}

fn exchanges(rules: &Rules, id: BoardId) -> Vec<Exchange> {
    let board = &rules.boards[id];
    let swaps: &[bool] = if rules.players().len() == 2 { &[false, true] } else { &[false] };
    if board.sides.is_some() || board.edges.is_some() {
        return Vec::new();
    }
    let each =
        |cells: Vec<u32>| swaps.iter().map(move |&swap| Exchange { board: id, cells: cells.clone(), swap });
    permutations(board).into_iter().flat_map(each).collect()
}

/// The turns and reflections of the picture but for the identity, as where each cell goes.
fn permutations(board: &Board) -> Vec<Vec<u32>> {
    let (Some((w0, w1)), Some((h0, h1))) = (board.col.interval(), board.row.interval()) else {
        return Vec::new();
    };
    let mut found: Vec<Vec<u32>> = Vec::new();
    for kind in 1..8 {
        let place = |c: u32| {
            let (x, y) = (board.col(c)?, board.row(c)?);
            let x = if kind & 1 == 0 { x } else { w0 + w1 - x };
            let y = if kind & 2 == 0 { y } else { h0 + h1 - y };
            let (x, y) = if kind & 4 == 0 { (x, y) } else { (y, x) };
            board.at(x, y)
        };
        let Some(cells) = (0..board.len() as u32).map(place).collect::<Option<Vec<u32>>>() else { continue };
        let is_identity = cells.iter().enumerate().all(|(i, &c)| c == i as u32);
        if !is_identity && keeps_neighbors(board, &cells) && !found.contains(&cells) {
            found.push(cells);
        }
    }
    found
}

fn keeps_neighbors(board: &Board, cells: &[u32]) -> bool {
    (0..board.len() as u32).all(|c| {
        let mut here: Vec<u32> = board.neighbors(c).iter().map(|&n| cells[n as usize]).collect();
        let mut there = board.neighbors(cells[c as usize]).to_vec();
        here.sort_unstable();
        there.sort_unstable();
        here == there
    })
}

/// The first position that refutes an exchange, with its image.
fn first_difference(game: &Game, seen: &Explored, exchange: &Exchange) -> Option<(u32, State)> {
    (0..seen.arena.len().min(POSITIONS) as u32).find_map(|at| {
        let state = seen.arena.state(at);
        let image = build(game, &mapped(game, exchange, &values(game, &state)))?;
        (!agree(game, exchange, &state, &image)).then_some((at, image))
    })
}

fn agree(game: &Game, exchange: &Exchange, state: &State, image: &State) -> bool {
    let (Ok((turn, next)), Ok((other, others))) = (game.machine.expand(state), game.machine.expand(image))
    else {
        return false;
    };
    let player = |p: u32| if exchange.swap { 1 - p } else { p };
    let same = match (&turn, &other) {
        (Turn::Player(p), Turn::Player(q)) => player(*p) == *q,
        (Turn::Over(a), Turn::Over(b)) => {
            (0..a.payoffs.len()).all(|p| b.payoffs.get(player(p as u32) as usize) == Some(&a.payoffs[p]))
        }
        _ => turn == other,
    };
    let there: FxHashSet<Vec<Value>> = others.iter().map(|s| values(game, &s.state)).collect();
    let here: FxHashSet<Vec<Value>> =
        next.iter().map(|s| mapped(game, exchange, &values(game, &s.state))).collect();
    same && here == there
}

/// The values of all cells of all fields.
fn values(game: &Game, state: &State) -> Vec<Value> {
    let fields = game.rules.fields.entries();
    fields
        .flat_map(|(id, field)| (0..field.cells()).map(move |cell| game.machine.read(state, id, cell)))
        .collect()
}

/// The image of a position, cell by cell.
fn mapped(game: &Game, exchange: &Exchange, values: &[Value]) -> Vec<Value> {
    let rules = &game.rules;
    let mut images = values.to_vec();
    let mut first = 0;
    for field in &rules.fields {
        for cell in 0..field.cells() {
            let keys: Vec<Value> =
                keys_of(&field.keys, cell).iter().map(|k| exchange.value(rules, k)).collect();
            if let Some(to) = field.cell(&keys) {
                images[first + to] = exchange.value(rules, &values[first + cell]);
            }
        }
        first += field.cells();
    }
    images
}

impl Exchange {
    fn value(&self, rules: &Rules, value: &Value) -> Value {
        match value {
            Value::Sym(PLAYER, p) if self.swap => Value::Sym(PLAYER, 1 - p),
            Value::Sym(id, c) if rules.enums[*id].kind == EnumKind::Cells(self.board) => {
                Value::Sym(*id, self.cells[*c as usize])
            }
            Value::Tuple(tuple) => {
                let parts = tuple.parts.iter().map(|v| self.value(rules, v)).collect();
                Value::Tuple(Tuple { record: tuple.record, parts }.into())
            }
            Value::Set(items) => Value::set(items.iter().map(|v| self.value(rules, v))),
            other => other.clone(),
        }
    }
}

/// The position with these values.
fn build(game: &Game, values: &[Value]) -> Option<State> {
    let mut stmts = Vec::new();
    let mut values = values.iter();
    for (index, field) in game.rules.fields.iter().enumerate() {
        for cell in 0..field.cells() {
            let constant = |v: Value| Expr::new(ExprKind::Const(v), Type::Error, field.span);
            let keys = keys_of(&field.keys, cell).into_iter().map(constant).collect();
            let value = constant(values.next()?.clone());
            let effect =
                Effect { field: FieldId::new(index), keys, path: Vec::new(), op: EffectOp::Set, value };
            stmts.push(Stmt { kind: StmtKind::Effect(effect), span: field.span });
        }
    }
    game.machine.edit(&game.machine.initial(), &Block { stmts }, &Vars::new()).ok()
}
