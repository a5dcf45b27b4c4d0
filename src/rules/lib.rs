//! Typed rules as data: the intermediate representation between every front end and every back end. Parameters are
//! substituted, names resolved, sugar removed.
//!
//! *Invariant:* this module knows neither how the rules were written, nor how they run, nor on which machine.

#![forbid(unsafe_code)]

use std::sync::Arc;

use bouton_base::define_id;
use bouton_base::id::IdVec;
use bouton_base::source::Span;

pub mod board;
pub mod builder;
mod expr;
mod infer;
pub mod look;
pub mod parametric;
pub mod play;
pub mod print;
mod types;
mod typing;
pub mod uses;
mod value;
pub mod verify;

pub use board::Board;
pub use expr::*;
pub use look::Look;
pub use play::{ConflictKind, Fault, FaultKind, MoveInstance, OutcomeKind, ToMove};
pub use print::{print, print_expr};
pub use types::{SubsetType, Type};
pub use value::{Tuple, Value};
pub use verify::{Violation, verify};

define_id!(EnumId, "e", "A type with named members.");
define_id!(RecordId, "r", "A record type.");
define_id!(BoardId, "b", "A board.");
define_id!(FieldId, "f", "A field of the state.");
define_id!(TableId, "t", "A constant table.");
define_id!(DefId, "d", "A definition.");
define_id!(MoveId, "m", "A move or chance event.");
define_id!(PhaseId, "p", "A phase of a turn.");
define_id!(VarId, "x", "A variable of one definition, move or rule.");

/// The rules of a game with its parameters fixed.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    pub name: String,
    /// The `//!` lines of the file.
    pub doc: Vec<String>,
    /// The parameters with their values, in the order of the file.
    pub params: Vec<(String, Value)>,
    /// The types with named members. The first is the players, the second the directions.
    pub enums: IdVec<EnumId, Enum>,
    pub records: IdVec<RecordId, Record>,
    /// The directions, parallel to the members of the second enum.
    pub dirs: Vec<board::Dir>,
    pub boards: IdVec<BoardId, Board>,
    /// The phases. Play begins in the first.
    pub phases: IdVec<PhaseId, Phase>,
    /// The fields of the state. The first two are always [`MOVER`] and [`PHASE`].
    pub fields: IdVec<FieldId, Field>,
    pub tables: IdVec<TableId, ConstTable>,
    pub defs: IdVec<DefId, Def>,
    pub moves: IdVec<MoveId, Move>,
    /// The rule for passing; `None` if the rules allow no pass.
    pub pass: Option<PassRule>,
    /// The end rules, in the order of their priority.
    pub ends: Vec<EndRule>,
    /// The outcomes of repetition and of infinite play.
    pub repeats: Vec<Repeat>,
    /// The positions or values that must not recur.
    pub forbids: Vec<ForbidRepeat>,
    /// The formulas that the file claims to hold in every position.
    pub invariants: Vec<Invariant>,
    /// The claimed symmetries.
    pub symmetry: SymmetryClaim,
    /// The observations of players beyond visible fields and public moves.
    pub sees: Vec<Sees>,
    /// A heuristic evaluation: one expression for each player.
    pub evaluate: Option<PerPlayer>,
    /// The characters that draw the values of fields.
    pub display: Vec<Display>,
    /// The claims (`expect`) of the file that apply to these parameters.
    pub expectations: Vec<Expectation>,
    /// The tests of the file that apply to these parameters.
    pub tests: Vec<Test>,
    /// The span of the game's name, for diagnostics about the whole game.
    pub span: Option<Span>,
}

/// The field that holds the player to move.
pub const MOVER: FieldId = FieldId(0);
/// The field that holds the current phase: a whole number, the index of the phase.
pub const PHASE: FieldId = FieldId(1);

/// A record type.
#[derive(Clone, Debug)]
pub struct Record {
    pub name: String,
    /// The names and types of the parts, in order.
    pub parts: Vec<(String, Type)>,
}

/// A variable of a definition, move or rule.
#[derive(Clone, Debug)]
pub struct Var {
    /// The name in the file. Several variables of one item may share it.
    pub name: String,
    pub ty: Type,
}

/// The variables of one definition, move or rule; each binder has its own.
pub type Vars = IdVec<VarId, Var>;

/// A phase of a turn.
#[derive(Clone, Debug)]
pub struct Phase {
    /// The name; empty if the file declares no phases.
    pub name: String,
    /// True if the phase occurs once, before play.
    pub setup: bool,
    pub actor: Actor,
    pub span: Span,
}

/// The actor of a phase.
#[derive(Clone, Debug)]
pub enum Actor {
    /// The player whose turn it is.
    Mover,
    /// This player, or the only member of this set. The expression reads the state and has no variables but those that it binds.
    Player(Expr),
    /// All players at once.
    Each,
    Chance,
}

/// A field of the state: a total function from keys to values.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    /// The names and domains of the keys. Cells are in row-major order: the last key varies fastest.
    pub keys: Vec<KeyDomain>,
    /// The type of a cell's value.
    pub ty: Type,
    /// The initial value of each cell.
    pub init: Vec<Value>,
    /// True if each cell returns to its initial value after every move that does not set it.
    pub transient: bool,
    /// The players who see the field.
    pub visibility: Visibility,
    /// The `///` lines.
    pub doc: Vec<String>,
    /// The span of the declared name.
    pub span: Span,
}

impl Field {
    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.keys.iter().map(|k| k.values.len()).product()
    }

    /// Returns the cell with these keys; `None` if a key is outside its domain.
    pub fn cell(&self, keys: &[Value]) -> Option<usize> {
        cell_of(&self.keys, keys)
    }

    /// Returns true if one of these players sees the value of a cell.
    pub fn is_seen_by(&self, cell: usize, players: &[u32]) -> bool {
        match &self.visibility {
            Visibility::Public => true,
            Visibility::Hidden => false,
            Visibility::To(cells) => {
                cells.get(cell).is_some_and(|to| to.iter().any(|player| players.contains(player)))
            }
        }
    }
}

/// A key of a field or table, with its domain.
#[derive(Clone, Debug)]
pub struct KeyDomain {
    pub name: String,
    pub ty: Type,
    /// The values of the key in ascending order, each once.
    pub values: Arc<Vec<Value>>,
}

/// Returns the row-major index of these keys (the last key varies fastest); `None` if a key is outside its domain.
pub fn cell_of(keys: &[KeyDomain], values: &[Value]) -> Option<usize> {
    let mut index = 0;
    for (key, value) in keys.iter().zip(values) {
        let position = match (key.values.first(), value) {
            (Some(Value::Int(first)), Value::Int(i)) if is_consecutive(&key.values) => {
                usize::try_from(i.checked_sub(*first)?).ok().filter(|&p| p < key.values.len())?
            }
            (Some(Value::Sym(of, 0)), Value::Sym(id, i)) if of == id && is_consecutive(&key.values) => {
                Some(*i as usize).filter(|&p| p < key.values.len())?
            }
            _ => key.values.binary_search(value).ok()?,
        };
        index = index * key.values.len() + position;
    }
    Some(index)
}

/// Returns the keys of a cell: the inverse of [`cell_of`].
pub fn keys_of(keys: &[KeyDomain], cell: usize) -> Vec<Value> {
    let mut rest = cell;
    let mut found: Vec<Value> = Vec::new();
    for key in keys.iter().rev() {
        found.push(key.values[rest % key.values.len()].clone());
        rest /= key.values.len();
    }
    found.reverse();
    found
}

/// Returns true if the values are consecutive, so that an index is a difference.
fn is_consecutive(values: &[Value]) -> bool {
    match (values.first(), values.last()) {
        (Some(Value::Int(a)), Some(Value::Int(b))) => b.abs_diff(*a) == values.len() as u64 - 1,
        (Some(Value::Sym(_, a)), Some(Value::Sym(_, b))) => b.abs_diff(*a) as usize == values.len() - 1,
        _ => false,
    }
}

/// The players who see a field.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Visibility {
    /// Everybody.
    #[default]
    Public,
    /// Nobody.
    Hidden,
    /// For each cell, the players who see it.
    To(Vec<Vec<u32>>),
}

/// A constant table.
#[derive(Clone, Debug)]
pub struct ConstTable {
    pub name: String,
    pub keys: Vec<KeyDomain>,
    /// The type of an entry.
    pub ty: Type,
    /// The entries in row-major order (the last key varies fastest); `None` where undefined.
    pub values: Vec<Option<Value>>,
    pub span: Span,
}

/// A definition: a view of the state, or a least fixpoint.
#[derive(Clone, Debug)]
pub struct Def {
    pub name: String,
    /// The parameters: the first variables of `vars`.
    pub params: Vec<VarId>,
    pub vars: Vars,
    /// The type of the result.
    pub ty: Type,
    /// The body. In an inductive definition, it is a formula in which the definitions of its group occur only
    /// positively.
    pub body: Expr,
    /// The group of an inductive definition. The definitions of one group form one least fixpoint.
    pub group: Option<u32>,
    /// True if the value depends on the maker of the move (`me`).
    pub uses_me: bool,
    /// The `///` lines.
    pub doc: Vec<String>,
    pub span: Span,
}

/// A move or a chance event.
#[derive(Clone, Debug)]
pub struct Move {
    pub name: String,
    /// True if chance makes the move (a chance event).
    pub chance: bool,
    /// True if only mandatory moves are legal while such a move is legal.
    pub mandatory: bool,
    /// True if only the mover sees which move was made.
    pub private: bool,
    /// True if lookahead does not stop after this move. The rules of play do not depend on it.
    pub forcing: bool,
    /// The parameters, the first variables of `vars`.
    pub params: Vec<Param>,
    pub vars: Vars,
    /// The players who may make the move: a player or a set of players; `None` for everybody.
    pub by: Option<Expr>,
    /// The phases in which the move is available.
    pub phases: Vec<PhaseId>,
    /// The relative weight of a chance event; `None` for 1.
    pub weight: Option<Expr>,
    /// The preference. Among the legal moves with a preference, only those with the greatest stay legal.
    pub prefer: Option<Expr>,
    /// The notation of the move.
    pub template: Vec<TemplatePart>,
    /// The conditions and effects.
    pub body: Block,
    /// The `///` lines.
    pub doc: Vec<String>,
    /// The span of the declared name.
    pub span: Span,
}

/// A parameter of a move.
#[derive(Clone, Debug)]
pub struct Param {
    pub var: VarId,
    /// The values of the parameter, in order.
    pub values: Arc<Vec<Value>>,
}

/// A piece of a move's notation. A placeholder is evaluated in the position before the move, with the parameters of the
/// move and the `let`s of its first stage.
#[derive(Clone, Debug)]
pub enum TemplatePart {
    /// Literal text.
    Text(String),
    /// A placeholder: prints the value of the expression.
    Placeholder(Expr),
}

/// A stage: statements that read one state and whose effects happen together, then further stages.
///
/// A block that is reached while a stage runs adds its statements to that stage. The `then` blocks that are reached run
/// afterwards, in that order, each as its own stage on the state that the stage before it left.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub stmts: Vec<Stmt>,
}

impl Block {
    /// Returns true if a statement of the block, or of a block in it, is such a one.
    pub fn any(&self, is: &dyn Fn(&StmtKind) -> bool) -> bool {
        self.stmts.iter().any(|stmt| stmt.kind.any(is))
    }
}

/// A statement of a move.
#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Requires the formula (`when` and `ensure`) in the state that the stage reads; otherwise the move is illegal.
    Require(Expr),
    /// Binds the value of a term; if the term is undefined, the move is illegal.
    Let(Pattern, Expr),
    /// Adds the first block to the stage if the condition holds, else the second.
    If(Expr, Block, Block),
    /// Adds the block to the stage for each value of the binders, in order.
    For(Vec<Binder>, Block),
    /// A further stage.
    Then(Block),
    Effect(Effect),
    /// Keeps the turn: the same player continues in this phase; `None` (`again`) keeps the phase as well.
    Stay(Option<PhaseId>),
    /// Gives the next turn to this player.
    Next(Expr),
}

impl StmtKind {
    /// Returns true if the statement, or one of a block in it, is such a one.
    pub fn any(&self, is: &dyn Fn(&StmtKind) -> bool) -> bool {
        is(self)
            || match self {
                StmtKind::If(_, then, otherwise) => then.any(is) || otherwise.any(is),
                StmtKind::For(_, block) | StmtKind::Then(block) => block.any(is),
                _ => false,
            }
    }
}

/// A change of one cell of a field.
#[derive(Clone, Debug)]
pub struct Effect {
    pub field: FieldId,
    pub keys: Vec<Expr>,
    /// The path to the part of the record that changes, from the outside in; the other parts stay. Empty if the whole
    /// value changes.
    pub path: Vec<u32>,
    pub op: EffectOp,
    /// The operand. A diagram that sets a whole field becomes one [`EffectOp::Set`] effect for each cell.
    pub value: Expr,
}

/// The operation of an effect on a cell. `a <- b` becomes two effects: `a := b` and `b :=` the empty value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EffectOp {
    /// Assigns the operand. All assignments to one cell in one stage must agree.
    Set,
    /// Adds the operand to the assigned or old value.
    Add,
    /// Subtracts the operand.
    Subtract,
    /// Inserts the elements of the operand.
    Insert,
    /// Removes the elements of the operand.
    Remove,
}

/// The rule for passing: a pass leaves the position unchanged and ends the turn.
#[derive(Clone, Debug)]
pub struct PassRule {
    /// The condition; `None` for always. In it, `stuck` means that there is no other move.
    pub condition: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct EndRule {
    pub vars: Vars,
    /// The binder of `for x in S`: the rule applies to the first x that satisfies the condition.
    pub binder: Option<Binder>,
    pub condition: Expr,
    pub outcome: OutcomeExpr,
    pub span: Span,
}

/// The outcome of an end rule, as expressions over the final position.
#[derive(Clone, Debug)]
pub enum OutcomeExpr {
    /// Nobody wins.
    Draw,
    /// The only player wins (true) or loses.
    SinglePlayer(bool),
    /// This player wins (true) or loses (false); the variable of the rule is in scope.
    Player(Expr, bool),
    /// The player with the highest (true) or lowest value wins; a tie is a draw.
    ByScore(PerPlayer, bool),
    /// Each player's payoff.
    Payoff(PerPlayer),
}

/// An expression for each player, in the order of the players, with its variables.
#[derive(Clone, Debug)]
pub struct PerPlayer {
    pub values: Vec<Expr>,
    pub vars: Vars,
}

/// The end rule `repeat n of e => outcome`.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// The n of the n-th occurrence of a position; `None` for the outcome of infinite play.
    pub count: Option<u32>,
    /// The value that is counted, with its variables; `None` for whole positions. Only a rule with a count has one.
    pub of: Option<(Expr, Vars)>,
    /// The outcome. It has no variables.
    pub outcome: OutcomeExpr,
    pub span: Span,
}

/// The item `forbid repeat of e within n`.
#[derive(Clone, Debug)]
pub struct ForbidRepeat {
    /// The value that must not recur through a move that changes it; `None` for the whole position.
    pub of: Option<Expr>,
    /// The number of last positions that count; `None` for all.
    pub within: Option<u32>,
    pub vars: Vars,
    pub span: Span,
}

/// A formula that the file claims to hold in every position.
#[derive(Clone, Debug)]
pub struct Invariant {
    pub name: Option<String>,
    pub value: Expr,
    pub vars: Vars,
    pub span: Span,
}

/// The claim of a `symmetry` item.
#[derive(Clone, Debug, Default)]
pub enum SymmetryClaim {
    /// No claim: the symmetries are searched for.
    #[default]
    Auto,
    /// Use no symmetry.
    None,
    /// The automorphisms of these boards.
    Of(Vec<BoardId>, Span),
}

/// The item `sees p: e when f`.
#[derive(Clone, Debug)]
pub struct Sees {
    /// The observers: a player or a set of players.
    pub players: Expr,
    /// The observed value.
    pub value: Expr,
    /// The condition for the observation; `None` for always.
    pub condition: Option<Expr>,
    pub vars: Vars,
    pub span: Span,
}

/// The source of the values that a board shows in its cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DisplaySource {
    /// A field with one key, the cells of a board.
    Field(FieldId),
    /// A definition with one parameter, a cell of a board.
    Def(DefId),
}

/// The item `display { cell at { X => "X" }; }`: the characters that draw values in the cells of a board.
#[derive(Clone, Debug)]
pub struct Display {
    pub source: DisplaySource,
    /// The characters for each value.
    pub signs: Vec<(Value, String)>,
    /// The looks of the pieces of some of these values.
    pub looks: Vec<(Value, Look)>,
}

/// A claim (`expect`) of the file.
#[derive(Clone, Debug)]
pub struct Expectation {
    pub claim: Claim,
    /// The publication that the claim cites.
    pub cite: Option<String>,
    /// The claim as the file writes it.
    pub text: String,
    pub vars: Vars,
    pub span: Span,
}

/// A claim about a position.
#[derive(Clone, Debug)]
pub enum Claim {
    /// The number of move sequences of this length.
    Perft { depth: u32, by_turn: bool, count: u64 },
    /// The number of reachable positions.
    Positions(Comparison, Value),
    /// The Grundy value.
    Nimber(Comparison, Value),
    /// The value: a number for the first player or a list for all players; a string for partizan values.
    Value(Comparison, Value),
    /// The set of all legal moves.
    Moves(Vec<MoveRef>),
    /// A legal move.
    Legal(MoveRef),
    /// A move that is not legal.
    Illegal(MoveRef),
    /// Neither player can win.
    Draw,
    /// This player wins (true) or loses (false), in this number of plies if given.
    Player { player: u32, wins: bool, plies: Option<u32> },
    /// The least number of moves in which a single player wins.
    SolvedIn(u32),
    /// A formula that holds in the position.
    Holds(Expr),
}

/// A comparison in a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl Comparison {
    /// Returns true if the comparison holds between values in this order.
    pub fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => ordering.is_eq(),
            Comparison::NotEqual => ordering.is_ne(),
            Comparison::Less => ordering.is_lt(),
            Comparison::LessEqual => ordering.is_le(),
            Comparison::Greater => ordering.is_gt(),
            Comparison::GreaterEqual => ordering.is_ge(),
        }
    }
}

/// A reference to a move: by name and arguments, or by notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveRef {
    /// `mark(a1)`
    Applied(MoveId, Vec<Value>),
    /// `"a1"`, or `pass`
    Notation(String),
}

/// A test block.
#[derive(Clone, Debug)]
pub struct Test {
    pub name: String,
    pub steps: Vec<TestStep>,
    pub span: Span,
}

/// A step of a test.
#[derive(Clone, Debug)]
pub enum TestStep {
    /// Effects on the initial state, in one stage, without a mover.
    Position(Block, Vars, Span),
    /// Moves to make, in order.
    Play(Vec<(MoveRef, Span)>),
    /// A claim about the position reached.
    Expect(Expectation),
}

impl Rules {
    /// The players' names in order.
    pub fn players(&self) -> &[String] {
        &self.enums[PLAYER].members
    }

    /// Returns true if something is hidden from some player.
    pub fn has_hidden_information(&self) -> bool {
        let everybody = |players: &Vec<u32>| players.len() >= self.players().len();
        let hidden = |field: &Field| match &field.visibility {
            Visibility::Public => false,
            Visibility::Hidden => true,
            Visibility::To(cells) => !cells.iter().all(everybody),
        };
        self.fields.iter().any(hidden) || self.moves.iter().any(|of| of.private)
    }

    /// Returns true if the payoffs of best play may be means: chance acts, players choose at once, or something is
    /// hidden.
    pub fn has_mean_payoffs(&self) -> bool {
        let at_once = |phase: &Phase| matches!(phase.actor, Actor::Each);
        let chance = self.moves.iter().any(|of| of.chance);
        chance || self.phases.iter().any(at_once) || self.has_hidden_information()
    }

    /// The player with this index, as a value.
    pub fn player(&self, index: u32) -> Value {
        Value::Sym(PLAYER, index)
    }

    /// The phase in which a turn begins: the first that is no `setup`.
    pub fn turn_phase(&self) -> PhaseId {
        self.phases.entries().find(|(_, p)| !p.setup).map_or(PhaseId(0), |(id, _)| id)
    }
}
