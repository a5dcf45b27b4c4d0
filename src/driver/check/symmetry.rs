//! `symmetry Cell;` is a claim: E0507 if exploring shows that no symmetry of the board is one of the game.
//!
//! The candidates are the rotations, reflections and shifts of the board that preserve neighbours, each alone and combined
//! with exchanging two players. A position refutes a candidate if its image has another turn, another result, or other
//! successors. A candidate that no position refutes is not proved; a check can do no more. The first such candidate
//! ends the search, and no position is expanded twice, as itself or as an image.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use bouton_base::id::Id;
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::source::Span;
use bouton_rules::{
    Block, Board, BoardId, Effect, EffectOp, EnumKind, Expr, ExprKind, FieldId, PLAYER, Rules, Stmt,
    StmtKind, SymmetryClaim, Tuple, Type, Value, Vars, keys_of,
};
use bouton_search::game::explore::Explored;
use bouton_search::game::{Game, MachineError, State, ToMove};

/// The maximal number of positions to test, in order of exploration.
const MAX_TESTED_POSITIONS: u32 = 200;

/// The number of permutations of a board after which no more are made.
const MAX_PERMUTATIONS: usize = 1_000;

/// A declared symmetry for which every candidate is refuted.
pub struct RefutedSymmetry {
    /// The location of the claim.
    pub span: Span,
    /// The name of the board.
    pub board: String,
    /// The position that refutes the candidate that held longest, as an index into the explored positions.
    pub at: u32,
    /// The image of that position.
    pub image: State,
}

/// A candidate: a permutation of the cells of a board, and an optional exchange of the players.
struct SymmetryCandidate {
    board: BoardId,
    cells: Vec<u32>,
    swap: bool,
    /// The target of the value of each cell of each field, all cells in one sequence.
    places: Vec<usize>,
}

/// The first board whose declared symmetry is refuted. The game runs on a machine that stops at the limits.
pub fn find_refuted(
    game: &Game,
    seen: &Explored,
    limits: &Limits,
) -> Result<Option<RefutedSymmetry>, LimitHit> {
    let rules = &game.rules;
    let SymmetryClaim::Of(boards, span) = &rules.symmetry else { return Ok(None) };
    // Histories have no image here. `exchanges` skips boards with sides or edges, which are named by their cells.
    if !rules.forbids.is_empty() || rules.repeats.iter().any(|r| r.count.is_some()) {
        return Ok(None);
    }
    let mut trial = SymmetryTest { game, seen, limits, expanded: FxHashMap::default() };
    for &board in boards {
        if let Some((at, image)) = trial.of(&exchanges(rules, board))? {
            let board = rules.boards[board].name.clone();
            return Ok(Some(RefutedSymmetry { span: *span, board, at, image }));
        }
    }
    Ok(None)
}

fn exchanges(rules: &Rules, id: BoardId) -> Vec<SymmetryCandidate> {
    let board = &rules.boards[id];
    let swaps: &[bool] = if rules.players().len() == 2 { &[false, true] } else { &[false] };
    if board.sides.is_some() || board.edges.is_some() {
        return Vec::new();
    }
    let each = |cells: Vec<u32>| {
        swaps.iter().map(move |&swap| {
            let exchange = SymmetryCandidate { board: id, cells: cells.clone(), swap, places: Vec::new() };
            SymmetryCandidate { places: places(rules, &exchange), ..exchange }
        })
    };
    permutations(board).into_iter().flat_map(each).collect()
}

fn places(rules: &Rules, exchange: &SymmetryCandidate) -> Vec<usize> {
    let mut places = Vec::new();
    for field in &rules.fields {
        let first = places.len();
        for cell in 0..field.cells() {
            let keys = keys_of(&field.keys, cell);
            let keys: Vec<Value> = keys.iter().map(|k| exchange.value(rules, k)).collect();
            places.push(first + field.cell(&keys).unwrap_or(cell));
        }
    }
    places
}

/// The rotations, reflections and shifts of a board except the identity, as permutations of the cells; at most
/// `MAX_PERMUTATIONS` of them. Shifts lead around the ends of a ring or torus, and turns by a sixth are those of hexagons.
fn permutations(board: &Board) -> Vec<Vec<u32>> {
    let (Some((w0, w1)), Some((h0, h1))) = (board.col.interval(), board.row.interval()) else {
        return Vec::new();
    };
    let (width, height) = (w1 - w0 + 1, h1 - h0 + 1);
    let around = |to: i64, from: i64, size: i64| from + (to - from).rem_euclid(size);
    // Twice the distances from the centre, which are whole numbers.
    let turned = |x: i64, y: i64, turn: &dyn Fn(i64, i64) -> (i64, i64)| {
        let (a, b) = turn(2 * x - w0 - w1, 2 * y - h0 - h1);
        let (x, y) = (a + w0 + w1, b + h0 + h1);
        (x % 2 == 0 && y % 2 == 0).then_some((x / 2, y / 2))
    };
    let image = |kind: u32, x: i64, y: i64| match kind {
        8 => Some((around(x + 1, w0, width), y)),
        9 => Some((x, around(y + 1, h0, height))),
        10 => turned(x, y, &|a, b| (-b, a + b)),
        11 => turned(x, y, &|a, b| (a - b, a)),
        _ => {
            let x = if kind & 1 == 0 { x } else { w0 + w1 - x };
            let y = if kind & 2 == 0 { y } else { h0 + h1 - y };
            Some(if kind & 4 == 0 { (x, y) } else { (y, x) })
        }
    };
    let mut found: Vec<Vec<u32>> = Vec::new();
    let identity: Vec<u32> = (0..board.len() as u32).collect();
    for kind in 1..12 {
        let place = |&c: &u32| {
            let (x, y) = image(kind, board.col(c)?, board.row(c)?)?;
            board.at(x, y)
        };
        let Some(cells) = identity.iter().map(place).collect::<Option<Vec<u32>>>() else { continue };
        if cells != identity && keeps_neighbors(board, &cells) && !found.contains(&cells) {
            found.push(cells);
        }
    }
    let generators = found.clone();
    let mut known: FxHashSet<Vec<u32>> = found.iter().cloned().chain([identity]).collect();
    let mut next = 0;
    while next < found.len() && found.len() < MAX_PERMUTATIONS {
        for generator in &generators {
            let cells: Vec<u32> = found[next].iter().map(|&c| generator[c as usize]).collect();
            if known.insert(cells.clone()) {
                found.push(cells);
            }
        }
        next += 1;
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

/// The turn and the successors of a position; `None` if the rules have a fault there.
type Expansion = Option<(ToMove, Vec<State>)>;

/// The explored positions, with a cache of expansions.
struct SymmetryTest<'a> {
    game: &'a Game,
    seen: &'a Explored,
    limits: &'a Limits,
    expanded: FxHashMap<State, Rc<Expansion>>,
}

impl SymmetryTest<'_> {
    /// The position that refutes the candidate that holds longest, with its image; `None` if a candidate is not
    /// refuted, or there is no candidate.
    fn of(&mut self, exchanges: &[SymmetryCandidate]) -> Result<Option<(u32, State)>, LimitHit> {
        let mut longest: Option<(u32, State)> = None;
        for exchange in exchanges {
            let Some(found) = self.first_difference(exchange)? else { return Ok(None) };
            if longest.as_ref().is_none_or(|known| known.0 < found.0) {
                longest = Some(found);
            }
        }
        Ok(longest)
    }

    /// The first position that refutes a candidate, with its image.
    fn first_difference(&mut self, exchange: &SymmetryCandidate) -> Result<Option<(u32, State)>, LimitHit> {
        for at in 0..self.seen.visited.min(MAX_TESTED_POSITIONS) {
            if let Some(hit) = self.limits.check() {
                return Err(hit);
            }
            let state = self.seen.arena.state(at);
            let Some(image) = build(self.game, &mapped(self.game, exchange, &values(self.game, &state)))?
            else {
                continue;
            };
            let (here, there) = (self.expand(&state)?, self.expand(&image)?);
            if !agree(self.game, exchange, &here, &there) {
                return Ok(Some((at, image)));
            }
        }
        Ok(None)
    }

    fn expand(&mut self, state: &State) -> Result<Rc<Expansion>, LimitHit> {
        if let Some(known) = self.expanded.get(state) {
            return Ok(known.clone());
        }
        let expansion = Rc::new(match self.game.machine.expand(state) {
            Ok((turn, next)) => Some((turn, next.into_iter().map(|s| s.state).collect())),
            Err(MachineError::Fault(_)) => None,
            Err(MachineError::Limit(hit)) => return Err(hit),
        });
        self.expanded.insert(state.clone(), expansion.clone());
        Ok(expansion)
    }
}

/// Returns true if the expansion of a position and that of its image are images of each other.
fn agree(game: &Game, exchange: &SymmetryCandidate, here: &Expansion, there: &Expansion) -> bool {
    let (Some((turn, next)), Some((other, others))) = (here, there) else {
        return here.is_none() && there.is_none();
    };
    let player = |p: u32| if exchange.swap { 1 - p } else { p };
    let same = match (turn, other) {
        (ToMove::Player(p), ToMove::Player(q)) => player(*p) == *q,
        (ToMove::Terminal(a), ToMove::Terminal(b)) => {
            (0..a.payoffs.len()).all(|p| b.payoffs.get(player(p as u32) as usize) == Some(&a.payoffs[p]))
        }
        _ => turn == other,
    };
    if !same {
        return false;
    }
    let there: FxHashSet<Vec<Value>> = others.iter().map(|s| values(game, s)).collect();
    let here: FxHashSet<Vec<Value>> = next.iter().map(|s| mapped(game, exchange, &values(game, s))).collect();
    here == there
}

/// The values of all cells of all fields.
fn values(game: &Game, state: &State) -> Vec<Value> {
    let fields = game.rules.fields.entries();
    fields.flat_map(|(id, field)| game.machine.read_all(state, id, field.cells())).collect()
}

/// The image of a position, as the values of its cells.
fn mapped(game: &Game, exchange: &SymmetryCandidate, values: &[Value]) -> Vec<Value> {
    let mut images = values.to_vec();
    for (value, &to) in values.iter().zip(&exchange.places) {
        images[to] = exchange.value(&game.rules, value);
    }
    images
}

impl SymmetryCandidate {
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

/// The position with these values; `None` if one does not fit its field.
fn build(game: &Game, values: &[Value]) -> Result<Option<State>, LimitHit> {
    let mut stmts = Vec::new();
    let mut values = values.iter();
    for (index, field) in game.rules.fields.iter().enumerate() {
        for cell in 0..field.cells() {
            let constant = |v: Value| Expr::new(ExprKind::Const(v), Type::Error, field.span);
            let keys = keys_of(&field.keys, cell).into_iter().map(constant).collect();
            let Some(value) = values.next() else { return Ok(None) };
            let value = constant(value.clone());
            let effect =
                Effect { field: FieldId::new(index), keys, path: Vec::new(), op: EffectOp::Set, value };
            stmts.push(Stmt { kind: StmtKind::Effect(effect), span: field.span });
        }
    }
    match game.machine.edit(&game.machine.initial(), &Block { stmts }, &Vars::new()) {
        Ok(state) => Ok(Some(state)),
        Err(MachineError::Fault(_)) => Ok(None),
        Err(MachineError::Limit(hit)) => Err(hit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::GameSource;
    use bouton_base::limits::NoProgress;
    use bouton_search::game::explore::{VisitedPosition, Visitor, explore};
    use std::ops::ControlFlow;

    struct Nothing;

    impl Visitor for Nothing {
        fn visit(&mut self, _: &VisitedPosition<'_>) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    fn asked(rule: &str, limits: &Limits) -> Result<Option<RefutedSymmetry>, LimitHit> {
        asked_on("grid(3, 2)", rule, limits)
    }

    fn asked_on(board: &str, rule: &str, limits: &Limits) -> Result<Option<RefutedSymmetry>, LimitHit> {
        let source = format!(
            "game \"Three cells\";\nplayers A, B;\nboard Cell = {board};\nstate {{ taken: set of Cell = {{}}; }}\n\
             move take(c: Cell) as \"{{c}}\" {{ when c not in taken; taken |= {{ c }}; }}\n\
             end {{ when {rule} => mover wins; when #taken = 3 => mover loses; }}\nsymmetry Cell;\n"
        );
        let game =
            GameSource::from_string("game.bou", &source).game(None).unwrap_or_else(|e| panic!("{e:?}"));
        let seen = explore(&game, &[game.machine.initial()], &Limits::default(), &NoProgress, &mut Nothing);
        find_refuted(&game.with_limits(limits), &seen, limits)
    }

    #[test]
    fn ends_that_meet_and_hexagons_have_more_symmetries() {
        let refuted = |board: &str, rule: &str| {
            asked_on(board, rule, &Limits::default()).is_ok_and(|refuted| refuted.is_some())
        };
        for (board, rule) in [
            ("ring(6)", "{ d1, e1 } in taken"),
            ("ring(6)", "{ a1, d1 } in taken"),
            ("torus(3, 3)", "{ a1, b1 } in taken"),
            ("grid(3, 1)", "{ a1, c1 } in taken"),
        ] {
            assert!(!refuted(board, rule), "{board}: {rule}");
        }
        assert!(refuted("ring(6)", "{ a1, b1, d1 } in taken"));
        assert!(refuted("grid(3, 1)", "{ a1, b1 } in taken"));
        // Around the hexagon of seven cells lie three pairs of opposite ones; two pairs leave a half turn.
        let hexagon = "hex(3, 3) where col - row < 2 and row - col < 2";
        assert!(!refuted(hexagon, "{ a1, c3 } in taken or { a2, c2 } in taken"));
    }

    #[test]
    fn a_symmetry_that_fails_late_is_refuted() {
        let limits = Limits::default();
        let found = asked("taken = { a1, b1, b2 }", &limits).expect("no limit").expect("refuted");
        // Positions with fewer cells taken, of which there are 22, have images that agree.
        assert!(found.at >= 22, "{}", found.at);
        assert!(
            asked("taken = { a1, b1, c1 }", &limits).expect("no limit").is_none(),
            "one reflection holds"
        );
        limits.cancel.cancel();
        assert!(matches!(asked("taken = { a1, b1, c1 }", &limits), Err(LimitHit::Interrupted)));
    }
}
