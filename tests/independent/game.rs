//! The syntax tree of a random game: fields, moves and end rules, as little of Bouton as the tests need.

use std::collections::BTreeSet;

/// A value of a field, a parameter or a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Val {
    None,
    Bool(bool),
    Int(i64),
    Player(u8),
    Kind(u8),
    Cell(u8),
    Piece(u8, u8),
    Set(BTreeSet<Val>),
}

/// A type. `Among` is a constant set that the game declares, by its number.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    Bool,
    Int(i64, i64),
    Player,
    Kind,
    Cell,
    Piece,
    Opt(Box<Ty>),
    Set(Box<Ty>),
    Among(usize),
}

/// An operator on two numbers or sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    Add,
    Sub,
    Mul,
    /// The remainder; the right side is a number above 0.
    Mod,
    Union,
    Diff,
    Inter,
    /// `a..b`.
    Range,
    Min,
    Max,
}

/// A comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rel {
    Eq,
    Ne,
    Lt,
    Le,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quant {
    Some,
    All,
    No,
}

/// A fold over the values of a term for each element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fold {
    Count,
    Sum,
    Min,
    Max,
}

/// The domain of a variable: a type, or a set that depends on the position.
#[derive(Clone, Debug, PartialEq)]
pub enum Dom {
    Ty(Ty),
    Set(Box<Ex>),
}

/// A term or a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Ex {
    Lit(Val),
    Var(String),
    /// A field with its keys.
    Field(usize, Vec<Ex>),
    /// The owner (0) or the kind (1) of a piece.
    Part(Box<Ex>, u8),
    /// A step from a cell: columns and rows.
    Step(Box<Ex>, i64, i64),
    Near(Box<Ex>),
    Bin(Op, Box<Ex>, Box<Ex>),
    Card(Box<Ex>),
    SetLit(Vec<Ex>),
    /// `{ x in D where f }`.
    Filter(String, Dom, Box<Ex>),
    Fold(Fold, String, Dom, Box<Ex>),
    If(Box<Ex>, Box<Ex>, Box<Ex>),
    Call(usize, Vec<Ex>),
    Me,
    Opponent,
    Mover,
    Other(Box<Ex>),
    Cmp(Rel, Box<Ex>, Box<Ex>),
    In(bool, Box<Ex>, Box<Ex>),
    Not(Box<Ex>),
    And(Vec<Ex>),
    Or(Vec<Ex>),
    Implies(Box<Ex>, Box<Ex>),
    Quant(Quant, String, Dom, Box<Ex>),
    Phase(usize),
    Stuck,
    StuckOf(Box<Ex>),
}

/// The target of an effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Tgt {
    pub field: usize,
    pub keys: Vec<Ex>,
    pub part: Option<u8>,
}

/// A statement of a move.
#[derive(Clone, Debug, PartialEq)]
pub enum St {
    When(Ex),
    Ensure(Ex),
    Let(String, Ex),
    Set(Tgt, Ex),
    Add(Tgt, Ex),
    Sub(Tgt, Ex),
    Put(Tgt, Ex),
    Take(Tgt, Ex),
    /// `a <- b`.
    Shift(Tgt, Tgt),
    If(Ex, Vec<St>, Vec<St>),
    For(String, Dom, Option<Ex>, Vec<St>),
    Then(Vec<St>),
    Again,
    Continue(usize),
    Next(Ex),
}

/// The player or players who act in a phase.
#[derive(Clone, Debug, PartialEq)]
pub enum Actor {
    Mover,
    Each,
    Chance,
    By(Ex),
}

#[derive(Clone, Debug, PartialEq)]
pub struct GamePhase {
    pub name: String,
    pub setup: bool,
    pub actor: Actor,
}

#[derive(Clone, Debug, PartialEq)]
pub struct GameField {
    pub name: String,
    pub keys: Vec<(String, Ty)>,
    pub ty: Ty,
    pub init: Ex,
    pub transient: bool,
    /// True if the field is omitted from the source, since nothing reads it.
    pub omitted: bool,
}

/// A definition; `result` is the range declared for a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Def {
    pub name: String,
    pub params: Vec<(String, Ty)>,
    pub result: Option<Ty>,
    pub body: Ex,
}

/// A move, or an event of chance.
#[derive(Clone, Debug, PartialEq)]
pub struct GameMove {
    pub name: String,
    pub params: Vec<(String, Ty)>,
    /// The phases of the move; if empty, the first that is not `setup`.
    pub phases: Vec<usize>,
    pub by: Option<Ex>,
    pub mandatory: bool,
    pub prefer: Option<Ex>,
    pub chance: bool,
    pub weight: Option<Ex>,
    pub body: Vec<St>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PassMode {
    When(Ex),
    Always,
    Stuck,
}

#[derive(Clone, Debug, PartialEq)]
pub enum EndOutcome {
    Draw,
    Wins(Ex),
    Loses(Ex),
    Payoff(String, Ex),
    /// `highest` or, where false, `lowest` of a field with the players as its key.
    Best(bool, usize),
    Win,
    Lose,
}

#[derive(Clone, Debug, PartialEq)]
pub enum End {
    When(Option<(String, Dom)>, Ex, EndOutcome),
    RepeatDraw,
    RepeatThird,
}

/// The convention for a player to move who has no move: he loses (normal) or wins (misère).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlayConvention {
    Normal,
    Misere,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    pub players: usize,
    /// The columns and rows of the board `Cell`; one row is a strip.
    pub board: Option<(i64, i64)>,
    /// The constant sets that serve as types.
    pub families: Vec<Vec<Val>>,
    pub phases: Vec<GamePhase>,
    pub fields: Vec<GameField>,
    pub defs: Vec<Def>,
    pub moves: Vec<GameMove>,
    pub every: Vec<St>,
    pub pass: Option<PassMode>,
    pub ends: Vec<End>,
    pub play: Option<PlayConvention>,
}

impl Game {
    pub fn new(players: usize) -> Game {
        Game {
            players,
            board: None,
            families: vec![],
            phases: vec![],
            fields: vec![],
            defs: vec![],
            moves: vec![],
            every: vec![],
            pass: None,
            ends: vec![],
            play: None,
        }
    }

    /// Returns the number of cells.
    pub fn cells(&self) -> i64 {
        self.board.map_or(0, |(w, h)| w * h)
    }

    /// Returns the values of a type, in order; for a set type all subsets, so only for small ones.
    pub fn values(&self, ty: &Ty) -> Vec<Val> {
        match ty {
            Ty::Bool => vec![Val::Bool(false), Val::Bool(true)],
            Ty::Int(a, b) => (*a..=*b).map(Val::Int).collect(),
            Ty::Player => (0..self.players as u8).map(Val::Player).collect(),
            Ty::Kind => vec![Val::Kind(0), Val::Kind(1)],
            Ty::Cell => (0..self.cells() as u8).map(Val::Cell).collect(),
            Ty::Piece => (0..self.players as u8).flat_map(|p| [Val::Piece(p, 0), Val::Piece(p, 1)]).collect(),
            Ty::Opt(t) => [Val::None].into_iter().chain(self.values(t)).collect(),
            Ty::Set(t) => {
                let all = self.values(t);
                (0..1u32 << all.len())
                    .map(|m| {
                        Val::Set((0..all.len()).filter(|i| m >> i & 1 == 1).map(|i| all[i].clone()).collect())
                    })
                    .collect()
            }
            Ty::Among(i) => {
                let mut v = self.families[*i].clone();
                v.sort();
                v
            }
        }
    }

    /// Returns true if a value belongs to a type.
    pub fn has(&self, ty: &Ty, v: &Val) -> bool {
        match (ty, v) {
            (Ty::Bool, Val::Bool(_)) | (Ty::Player, Val::Player(_)) | (Ty::Kind, Val::Kind(_)) => true,
            (Ty::Cell, Val::Cell(_)) | (Ty::Piece, Val::Piece(..)) | (Ty::Opt(_), Val::None) => true,
            (Ty::Int(a, b), Val::Int(n)) => a <= n && n <= b,
            (Ty::Opt(t), v) => self.has(t, v),
            (Ty::Set(t), Val::Set(s)) => s.iter().all(|x| self.has(t, x)),
            (Ty::Among(i), v) => self.families[*i].contains(v),
            _ => false,
        }
    }

    /// Returns the value that `<-` leaves behind.
    pub fn empty(&self, ty: &Ty) -> Option<Val> {
        match ty {
            Ty::Bool => Some(Val::Bool(false)),
            Ty::Int(a, b) if *a <= 0 && 0 <= *b => Some(Val::Int(0)),
            Ty::Opt(_) => Some(Val::None),
            Ty::Set(_) => Some(Val::Set(BTreeSet::new())),
            _ => None,
        }
    }

    /// Returns the first phase that is not `setup`.
    pub fn usual(&self) -> usize {
        self.phases.iter().position(|p| !p.setup).unwrap_or(0)
    }

    /// Returns true if a move belongs to a phase.
    pub fn belongs(&self, m: &GameMove, phase: usize) -> bool {
        if m.phases.is_empty() { phase == self.usual() } else { m.phases.contains(&phase) }
    }

    pub fn actor(&self, phase: usize) -> &Actor {
        self.phases.get(phase).map_or(&Actor::Mover, |p| &p.actor)
    }

    pub fn has_each(&self) -> bool {
        self.phases.iter().any(|p| p.actor == Actor::Each)
    }

    pub fn has_chance(&self) -> bool {
        self.moves.iter().any(|m| m.chance)
    }
}

/// Shorthands that build trees.
pub fn int(n: i64) -> Ex {
    Ex::Lit(Val::Int(n))
}
pub fn var(s: &str) -> Ex {
    Ex::Var(s.to_string())
}
pub fn fld(i: usize) -> Ex {
    Ex::Field(i, vec![])
}
pub fn at(i: usize, k: Ex) -> Ex {
    Ex::Field(i, vec![k])
}
pub fn eq(a: Ex, b: Ex) -> Ex {
    Ex::Cmp(Rel::Eq, Box::new(a), Box::new(b))
}
pub fn cmp(r: Rel, a: Ex, b: Ex) -> Ex {
    Ex::Cmp(r, Box::new(a), Box::new(b))
}
pub fn bin(op: Op, a: Ex, b: Ex) -> Ex {
    Ex::Bin(op, Box::new(a), Box::new(b))
}
pub fn not(a: Ex) -> Ex {
    Ex::Not(Box::new(a))
}
pub fn isin(a: Ex, b: Ex) -> Ex {
    Ex::In(true, Box::new(a), Box::new(b))
}
pub fn player(p: u8) -> Ex {
    Ex::Lit(Val::Player(p))
}
pub fn tgt(field: usize, keys: Vec<Ex>) -> Tgt {
    Tgt { field, keys, part: None }
}
pub fn when(cond: Ex, out: EndOutcome) -> End {
    End::When(None, cond, out)
}
pub fn mv(name: &str, params: Vec<(&str, Ty)>, body: Vec<St>) -> GameMove {
    GameMove {
        name: name.to_string(),
        params: params.into_iter().map(|(n, t)| (n.to_string(), t)).collect(),
        phases: vec![],
        by: None,
        mandatory: false,
        prefer: None,
        chance: false,
        weight: None,
        body,
    }
}
pub fn field(name: &str, keys: Vec<(&str, Ty)>, ty: Ty, init: Ex) -> GameField {
    let keys = keys.into_iter().map(|(n, t)| (n.to_string(), t)).collect();
    GameField { name: name.to_string(), keys, ty, init, transient: false, omitted: false }
}

/// Returns the condition with one variable renamed.
pub fn rename(e: &Ex, from: &str, to: &str) -> Ex {
    match e {
        Ex::Var(v) if v == from => var(to),
        Ex::Or(v) => Ex::Or(v.iter().map(|e| rename(e, from, to)).collect()),
        Ex::Cmp(r, a, b) => cmp(*r, rename(a, from, to), rename(b, from, to)),
        e => e.clone(),
    }
}
